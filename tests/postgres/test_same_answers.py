"""The same conversations in a file and in PostgreSQL: every question has the same answer, in the same order.

Ids are made up anew in each store, so memories are known by their texts. Where two scores are equal, their order may
differ.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise, product
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import pytest

from benchmarks.corpus import Corpus, Network
from engrain import MemoryManager
from engrain.language.tokens import terms
from engrain.lazy import Ints
from engrain.model.choices import Order, StatusFilter
from engrain.model.filters import Filter, Test
from engrain.model.memory import Status
from engrain.policies import Convex
from engrain.storage.rows import Description, Record
from engrain.testing import FakeEmbedder, FrozenClock
from tests.postgres import servers
from tests.recall.world import POLICIES, filled, opened

EQUAL, SAME = 1e-6, 1e-5  # scores that may change places, and how far engines may differ in one
TURNS, RELATIONS = 60, 60
NEVER = re.compile(r"\b(mem|rev|mrg|trn|job|ent|con|aud)_[0-9a-f]{32}\b")
ACTIVE = Test("status", "eq", Status.ACTIVE)
QUESTIONS = (
    "Who painted the lighthouse beside the orchard?",
    "What happened to the kettle on Friday?",
    "Did Ana sell a violin again today?",
    "Ben's ferry, November 2025",
    "What did Mira burn last week?",
    "",
)
_ENTITY = re.compile(r"\bent_(\d+)\b")
MADE_UP = ("salt", "digest", "hash", "exported_at")  # digests are made of ids and salts
Ask = Callable[[MemoryManager], Any]


class Side(NamedTuple):
    """One store with the views to query and the texts by id."""

    views: Mapping[str, MemoryManager]
    texts: Mapping[str, str]

    def named(self, text: str) -> str:
        """Return a text in which ids are the texts of their memories."""
        return NEVER.sub(lambda found: f"<{self.texts.get(found[0], found[1])}>", text)


def side(store: str) -> Side:
    """Fill a store with memories of all sorts, conversations and relations, and look at it from several sides."""
    clock = FrozenClock("2025-11-01T12:00:00+00:00")
    whole = opened(FakeEmbedder(), store=store, clock=clock)
    ours = filled(whole, clock, 11, 70)
    views = {
        "a user": ours,
        "an agent of the user": ours.scoped(agent="scout"),
        "somebody else": whole.scoped(user="other"),
        "the whole org": whole,
        "another org": whole.for_org("acme").scoped(user="maren"),
    }
    for org, user in (("default", "maren"), ("acme", "maren"), ("default", None)):
        whole.for_org(org).scoped(user=user).remember_many(Corpus(3).items(f"{org} {user}", TURNS))
    network = Network(RELATIONS, 12, 5)
    ours.graph.add_relationships(
        {"source": network.entity(source), "relation": relation, "target": network.entity(target)}
        for source, relation, target in network.relations()
    )
    texts = {
        memory.id: f"{memory.content} ({memory.version})"
        for org in ("default", "acme")
        for memory in whole.for_org(org).iter_memories(status="all")
    }
    return Side(views, texts)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side]]:
    """The two stores, filled with the same."""
    with servers.database() as url:
        both = side(str(tmp_path_factory.mktemp("same") / "memory.db")), side(url)
        yield both
        for each in both:
            each.views["the whole org"].close()


VIEWS = ("a user", "an agent of the user", "somebody else", "the whole org", "another org")
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "nothing else": {},
    "many": {"k": 50},
    "kinds": {"kinds": ["episodic", "procedural"]},
    "tags": {"tags": ["home", "sea"]},
    "all tags": {"all_tags": ["home", "work"]},
    "tiers": {"tiers": ["A"]},
    "a domain": {"domain": "travel"},
    "heat": {"heat": ["warm", "cold"]},
    "metadata": {"where": {"year": {"gt": 2024}}},
    "a session": {"session": "one"},
    "since and until": {"since": "2025-11-10", "until": "2025-12-20"},
    "another time": {"as_of": "2025-12-01"},
    "what was known": {"known_at": "2025-12-01"},
    "superseded and held back": {"exclude_superseded": False, "include_quarantined": True},
    "one step further": {"expand_hops": 1, "k": 5},
    "two steps further": {"expand_hops": 2, "k": 3},
    "without links": {"include_links": False},
    "shared": {"shared": True},
    "trusted": {"min_trust": 0.6},
    "relevant": {"min_score": 0.3},
    "no graph": {"ranking": Convex(graph=0.0)},
    **{name: {"ranking": name} for name in POLICIES},
}


def ranked(side: Side, view: str, question: str, options: Mapping[str, Any]) -> list[tuple[str, float]]:
    found = side.views[view].recall(question, touch=False, **options)
    return [(side.texts[hit.id], hit.score) for hit in found]


def agree(one: Sequence[tuple[str, float]], other: Sequence[tuple[str, float]]) -> None:
    """Hold two rankings together: the same scores, and the same order but where scores are equal."""
    scores = [score for _, score in one]
    assert [score for _, score in other] == pytest.approx(scores, rel=SAME, abs=SAME)
    places: dict[str, list[int]] = {}
    for place, (text, _) in enumerate(other):
        places.setdefault(text, []).append(place)
    for place, (text, score) in enumerate(one):
        at = places.get(text) or [len(scores) - 1]  # what one left out must be as good as the other's last
        assert min(abs(scores[each] - score) for each in at) <= EQUAL, (place, text)


@pytest.mark.matrix
@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_recall_finds_the_same_in_the_same_order(sides: tuple[Side, Side], name: str, every: int) -> None:
    found = 0
    asked = [*product(VIEWS, QUESTIONS)][list(OPTIONS).index(name) % every :: every]  # another third for each option
    for view, question in asked:
        if view == "the whole org" and OPTIONS[name].get("shared"):
            continue
        here, there = (ranked(side, view, question, OPTIONS[name]) for side in sides)
        agree(here, there)
        found += len(here)
    assert found


def test_what_may_differ_is_the_order_of_equal_scores() -> None:
    agree([("a", 0.5), ("b", 0.5), ("c", 0.1)], [("b", 0.5), ("a", 0.5), ("d", 0.1)])
    for other in ([("b", 0.5), ("a", 0.6)], [("a", 0.6)], [("a", 0.6), ("c", 0.4999)], [("c", 0.6), ("b", 0.5)]):
        with pytest.raises(AssertionError):
            agree([("a", 0.6), ("b", 0.5)], other)


def listed(order: Order) -> Ask:
    def ask(view: MemoryManager) -> list[str]:
        found, cursor = list[str](), None
        while True:
            page = view.list_memories(order=order, status="all", limit=7, cursor=cursor)
            found += [memory.id for memory in page]
            if (cursor := page.next) is None:
                return found

    return ask


def walked(ask: Callable[[MemoryManager, tuple[str, str]], Any]) -> Ask:
    return lambda view: [ask(view, Network.entity(number)) for number in range(12)]


STATUSES: tuple[StatusFilter, ...] = ("active", "superseded", "quarantined", "archived", "expired", "forgotten", "all")
ASKED: Mapping[str, Ask] = {
    **{f"list {order}": listed(order) for order in get_args(Order)},
    "counts": lambda view: [view.count(status=status) for status in STATUSES],
    "facts": lambda view: view.facts(),
    "facts of one": lambda view: [view.facts(subject=who, predicate="owns") for who in ("Ana", "BEN", "mira")],
    "facts at another time": lambda view: view.facts(as_of="2025-12-01", known_at="2025-12-02"),
    "timeline": lambda view: view.lifecycle.timeline(until=datetime(2026, 2, 1, tzinfo=UTC)),
    "history": lambda view: [view.history(memory.id) for memory in view.iter_memories(status="superseded")],
    "entities": lambda view: list(view.graph.entities(limit=1000)),
    "relationships": lambda view: list(view.graph.relationships(limit=1000)),
    "related": walked(lambda view, who: view.graph.related(*who)),
    "relations of one": walked(lambda view, who: view.get_entity_relationships(*who)),
    "walks": walked(lambda view, who: view.traverse_graph(*who, max_depth=3)),
    "ways": lambda view: [
        view.graph.shortest_path(Network.entity(one), Network.entity(other)) for one, other in pairwise(range(12))
    ],
    "memories of an entity": lambda view: [view.recall_entity("person", who, k=20) for who in ("Ana", "Ben")],
    "proposed merges": lambda view: view.graph.merges(),
}


@pytest.mark.matrix
@pytest.mark.parametrize("name", ASKED)
def test_a_question_has_the_same_answer(sides: tuple[Side, Side], name: str) -> None:
    for view in VIEWS:
        here, there = (side.named(repr(ASKED[name](side.views[view]))) for side in sides)
        assert here == there, view


def test_who_matters_has_the_same_rank(sides: tuple[Side, Side]) -> None:
    for number in range(12):
        found = [
            [
                (f"{entity.type} {entity.name}", rank)
                for entity, rank in side.views["a user"].graph.pagerank([Network.entity(number)], k=11)
            ]
            for side in sides
        ]
        agree(*found)


def test_the_same_is_counted(sides: tuple[Side, Side]) -> None:
    left_out = {"store_bytes", "retrievals", "entity_index_hits", "llm"}
    for view in VIEWS:
        here, there = (
            {name: value for name, value in side.views[view].stats().items() if name not in left_out} for side in sides
        )
        assert here == there, view


def test_the_same_is_exported(sides: tuple[Side, Side], tmp_path: Path) -> None:
    for view in VIEWS:
        written = []
        for number, side in enumerate(sides):
            path = tmp_path / f"{view} {number}.jsonl.gz"
            side.views[view].export(path)
            lines = gzip.decompress(path.read_bytes()).decode().splitlines()
            rows = [json.loads(side.named(line)) for line in _counted(lines)]
            written.append(sorted(json.dumps(_timeless(row), sort_keys=True) for row in rows))
        assert written[0] == written[1], view


def _counted(lines: list[str]) -> list[str]:
    """Return lines with the ids of entities as their places: numbers are left out where a write began again."""
    ids = sorted({int(found) for line in lines for found in _ENTITY.findall(line)})
    places = {number: place for place, number in enumerate(ids)}
    return [_ENTITY.sub(lambda found: f"ent_{places[int(found[1])]}", line) for line in lines]


def _timeless(row: Any) -> Any:
    """Return a row of an export without what is made up anew in each store."""
    if isinstance(row, Mapping):
        return {name: _timeless(value) for name, value in row.items() if name not in MADE_UP}
    return [_timeless(each) for each in row] if isinstance(row, list) else row


def test_terms_that_count_nothing_for_sessions_score_rows_alone(tmp_path: Path) -> None:
    with servers.database() as url:
        for store in (url, str(tmp_path / "m.db")):
            with MemoryManager(store, embedder=None, clock=FrozenClock("2025-11-01T12:00:00+00:00")) as memory:
                memory.scoped(user="ana", session="s").remember_many([{"content": f"Tea {word}"} for word in "abc"])
                where = Filter("default", "ana")
                with memory.store.read("default") as view:
                    nums = view.search_text({"tea": 1.0}, where, limit=9).nums
                    whole, alone = (view.describe(nums, where, terms={"tea": count}) for count in (1.0, 0.0))
                assert whole.sessions.min() > 0 == alone.sessions.max()
                assert whole.gains.tolist() == alone.gains.tolist()


@pytest.mark.parametrize("nearest", [0, 2, 20, 500])
@pytest.mark.parametrize(("user", "tests"), [("maren", ()), ("maren", (ACTIVE,)), ("other", ()), (None, (ACTIVE,))])
def test_rows_are_described_alike_whether_all_or_some_are_read(
    sides: tuple[Side, Side], user: str | None, tests: tuple[Test, ...], nearest: int
) -> None:
    embedder, text = FakeEmbedder(), "Did Mira sell the kettle or the violin beside the orchard?"
    words, where = dict(zip(terms(text), (1.0, 0.5, 2.0) * 9, strict=False)), Filter("default", user, True, tests)
    near = {"embedder": embedder.id, "vector": embedder.embed([text])[0], "nearest": nearest}
    for step, span, is_searched in product((1, 29), (0, 1, 4), (False, True)):  # after a search all rows are known
        found, known = list[Description](), list[Ints]()
        for side in sides:
            with side.views["the whole org"].store.read("default") as view:
                nums = np.array([record.num for record in view.find(Record, where)], np.int64)
                known.append(nums)
                if is_searched:
                    assert max(view.search_text(words, where, limit=1).stats.frequency.values()) > 1
                found.append(view.describe(nums[::step], where, span=span, lenders=nums[:9], terms=words, **near))
        for each in map(attrgetter, ("rows", "around", "nums", "similar.nums")):
            one, other = map(placed, known, map(each, found))
            assert one.tolist() == other.tolist()
        for name in ("gains", "cosines", "sessions"):
            one, other = (getattr(described, name) for described in found)
            assert one == pytest.approx(other, abs=SAME, nan_ok=True), name
        mine, theirs = (described.columns for described in found)
        assert (mine.session[:, None] == mine.session).tolist() == (theirs.session[:, None] == theirs.session).tolist()
        assert mine.marks.tolist() == theirs.marks.tolist()


def test_a_namespace_to_which_others_add_many_has_the_same_answers(tmp_path: Path) -> None:
    found = []
    with servers.database() as url:
        for store in (url, str(tmp_path / "m.db")):
            with opened(FakeEmbedder(), store=store) as one, opened(FakeEmbedder(), store=store) as other:
                first, second = (each.scoped(user="ana") for each in (one, other))
                for items in (Corpus(5).items("ana", 8), Corpus(6).items("ana", 90)):
                    second.remember_many(items)
                    recalls = (first.recall(question, k=30) for question in Corpus(5).questions("ana", 3))
                    found += [[hit.memory.content for hit in each] for each in recalls]
    assert found[:6] == found[6:]
    assert [len(each) for each in found[:6]] == [8, 8, 8, 30, 30, 30]


def placed(known: Ints, nums: Ints) -> Ints:
    """Return the places of rows among those of a store, whose numbers may have gaps."""
    return np.where(nums >= 0, np.searchsorted(known, nums), -1)
