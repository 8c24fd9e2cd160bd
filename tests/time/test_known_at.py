"""`known_at`: the store as it was believed to be at a time."""

from __future__ import annotations

from typing import get_args

from engrain.model.choices import Order
from engrain.model.memory import Fact, Scope, Status
from engrain.policies import Convex
from engrain.read import listing
from engrain.read.listing import count
from engrain.read.request import select, status_conditions
from tests.time.world import DAY, World

BEN = Scope("acme", "ben")


def test_a_memory_corrected_since_is_found() -> None:
    world = World()
    wrong = world.add("Ana lives in Paris")
    before = world.after()
    world.correct(wrong, world.add("Ana lives in Rome", valid_from=world.get(wrong).valid_from))
    world.after()
    assert world.texts("where does Ana live?") == {"Ana lives in Rome"}
    assert world.texts("where does Ana live?", known_at=before) == {"Ana lives in Paris"}
    assert world.listed(known_at=before) == ["Ana lives in Paris"]
    assert world.texts(known_at=before, as_of=before) == {"Ana lives in Paris"}


def test_nothing_that_was_recorded_later_is_known() -> None:
    world = World()
    early = world.after(-1)
    world.after()
    world.add("Ana was born in Gori", valid_from=world.now - 9000 * DAY)
    recorded = world.now
    world.after()
    assert world.texts(known_at=early) == set()
    assert world.texts(known_at=recorded) == {"Ana was born in Gori"}


def test_closings_made_later_are_undone() -> None:
    world = World()
    boston = world.add("Ana lives in Boston")
    before = world.after()
    tbilisi = world.add("Ana lives in Tbilisi")
    world.supersede(boston, tbilisi)
    after = world.after()
    assert world.texts(known_at=before) == {"Ana lives in Boston"}
    assert world.texts(known_at=after) == {"Ana lives in Tbilisi"}
    assert world.texts(known_at=after, exclude_superseded=False) == {"Ana lives in Boston", "Ana lives in Tbilisi"}
    then = world.ask("Ana", when={"known_at": before})[0].memory
    assert then.valid_until is None
    assert then.superseded_by is None


def test_both_together_ask_what_was_believed_about_a_time() -> None:
    world = World()
    first = world.add("Ana lives in Boston")
    start = world.now
    stored = world.after(10)
    second = world.add("Ana lives in Tbilisi", valid_from=start + 2 * DAY)
    world.supersede(first, second)
    later = world.after(10)
    about = start + 3 * DAY
    assert world.texts(known_at=stored, as_of=about) == {"Ana lives in Boston"}
    assert world.texts(known_at=later, as_of=about) == {"Ana lives in Tbilisi"}
    assert world.texts(known_at=later, as_of=start + DAY) == {"Ana lives in Boston"}


def test_a_text_that_was_edited_is_found_by_the_words_it_had_and_shown_as_it_was() -> None:
    world = World()
    world.add("the kettle is on")
    edited = world.add("Ana collects stamps", tags=("hobby",))
    before = world.after()
    world.edit(edited, content="Ana collects coins", tags=("money",))
    world.after()
    (hit,) = world.ask("who collects stamps?", k=1, when={"known_at": before})
    assert (hit.id, hit.content, hit.memory.tags) == (edited, "Ana collects stamps", ("hobby",))
    assert hit.relevance > 0.9
    assert "words" in {signal.name for signal in hit.signals}
    coins = world.ask("coins", when={"known_at": before})
    assert all(hit.relevance == 0 for hit in coins)
    assert world.texts("coins", known_at=before, tags=("money",)) == set()
    assert world.texts(known_at=before, tags=("hobby",)) == {"Ana collects stamps"}


def test_each_of_many_edits_has_its_time() -> None:
    world = World()
    edited = world.add("draft 0")
    times = []
    for n in range(1, 6):
        times.append(world.after())
        world.edit(edited, content=f"draft {n}")
    assert [world.texts("draft", known_at=time) for time in times] == [{f"draft {n}"} for n in range(5)]
    assert world.texts("draft", known_at=world.now) == {"draft 5"}


def test_a_verdict_and_an_edit_each_restore_the_state_before() -> None:
    world = World()
    held = world.add("Ana is a spy", status=Status.QUARANTINED)
    quarantined = world.after()
    world.edit(held, change="validate", status=Status.ACTIVE)
    admitted = world.after()
    world.edit(held, change="reject", status=Status.ARCHIVED)
    world.after()
    assert world.texts() == set()
    assert world.texts(known_at=quarantined) == set()
    assert world.texts(known_at=quarantined, include_quarantined=True) == {"Ana is a spy"}
    assert world.texts(known_at=admitted) == {"Ana is a spy"}
    assert world.listed("quarantined", known_at=quarantined) == ["Ana is a spy"]
    assert world.listed("archived", known_at=admitted) == []


def test_what_was_added_without_a_change_of_belief_has_no_earlier_state() -> None:
    world = World()
    stored = world.add("Ana likes tea")
    before = world.after()
    world.overwrite(stored, evidence_count=2, access_count=7, updated_at=world.now)
    (hit,) = world.ask("tea", when={"known_at": before})
    assert hit.memory.evidence_count == 2


def test_forgotten_memories_never_come_back() -> None:
    world = World()
    plain, edited = world.add("plain secret"), world.add("edited secret")
    before = world.after()
    world.edit(edited, content="another secret")
    world.after()
    world.forget(plain)
    world.forget(edited)
    assert world.texts("secret", known_at=before) == set()
    assert world.texts(known_at=before) == set()
    assert world.listed(known_at=before) == []
    assert world.listed("superseded", known_at=before) == []


def test_an_expired_memory_never_comes_back() -> None:
    world = World()
    coded = world.add("the code is 1234", expires_at=world.now + 3 * DAY)
    kept = world.add("the code is secret", expires_at=world.now + DAY)
    before = world.after()
    world.edit(coded, content="the code is 5678")
    world.edit(kept, expires_at=None)
    world.after()
    assert world.texts("code", known_at=before) == {"the code is 1234", "the code is secret"}
    world.after(5)
    assert world.texts("code", known_at=before) == {"the code is secret"}
    world.overwrite(coded, status=Status.EXPIRED)
    assert world.texts("code", known_at=before) == {"the code is secret"}
    assert world.listed("expired", known_at=before) == ["the code is 1234"]


def test_isolation_holds() -> None:
    world = World()
    ids = {
        text: world.add(text, org=org, user=user, agent=agent)
        for text, org, user, agent in (
            ("ben", "acme", "ben", None),
            ("ana", "acme", "ana", None),
            ("of all", "acme", None, None),
            ("elsewhere", "other", "ben", None),
            ("scout's", "acme", "ben", "scout"),
        )
    }
    before = world.after()
    for text, memory_id in ids.items():
        world.edit(memory_id, content=f"{text}, edited")
    world.after()
    assert world.texts(scope=BEN, known_at=before) == {"ben", "scout's"}
    assert world.texts(scope=BEN, known_at=before, shared=True) == {"ben", "scout's", "of all"}
    assert world.texts(scope=Scope("acme", "ben", "medic"), known_at=before) == {"ben"}
    assert world.texts(scope=Scope("acme"), known_at=before) == {"ben", "ana", "of all", "scout's"}


def test_event_times_are_those_believed_then() -> None:
    world = World()
    start = world.now
    dated = world.add("the wedding", valid_from=start - 5 * DAY)
    world.add("the funeral", valid_from=start - 3 * DAY)
    before = world.after()
    world.edit(dated, valid_from=start - DAY)
    world.after()
    assert [hit.content for hit in world.ask("", when={})][0] == "the wedding"
    assert [hit.content for hit in world.ask("", when={"known_at": before})][0] == "the funeral"
    assert world.texts(known_at=before, until=start - 4 * DAY) == {"the wedding"}
    assert world.texts(known_at=before, since=start - 4 * DAY) == {"the funeral"}


def test_ranking_weighs_what_was_so_then() -> None:
    world = World()
    start = world.now
    one = world.add("the boat left for Oslo", importance=0.9, valid_from=start - 30 * DAY)
    other = world.add("the boat left for Rome", importance=0.1, valid_from=start - 20 * DAY)
    before = world.after()
    world.edit(one, importance=0.1, valid_from=start - 10 * DAY)
    world.edit(other, importance=0.9)
    world.after()
    for question, now, then in (
        ("boat", other, one),  # by importance
        ("the latest boat", one, other),  # by event time
    ):
        weights = Convex(importance=0.1)
        assert world.ask(question, when={}, ranking=weights)[0].id == now, question
        assert world.ask(question, when={"known_at": before}, ranking=weights)[0].id == then, question


def test_dates_fit_the_event_times_believed_then() -> None:
    world = World()
    start = world.now
    one = world.add("the boat left for Oslo", valid_from=start - 30 * DAY)
    other = world.add("the boat left for Rome", valid_from=start - 20 * DAY)
    before = world.after()
    world.edit(one, valid_from=start - 10 * DAY)
    world.after()
    question = f"the boat of {start - 30 * DAY:%d %B %Y}"
    assert world.ask(question, when={})[0].id == other
    assert world.ask(question, when={"known_at": before})[0].id == one


def test_the_trace_says_how_many_were_seen_in_an_earlier_state() -> None:
    world = World()
    edited = [world.add(f"draft {n}") for n in range(5)]
    before = world.after()
    for memory_id in edited[:3]:
        world.edit(memory_id, content="final")
    world.after()
    trace = world.ask("draft", when={"known_at": before}).trace
    assert trace[0].name == "known at"
    assert trace[0].notes == ("3 memories seen in an earlier state",)
    assert "known at" not in {stage.name for stage in world.ask("draft", when={}).trace}


def test_an_earlier_state_competes_with_the_rest_before_the_cut() -> None:
    world = World()
    for n in range(300):
        world.add(f"tea number {n}")
    edited = world.add("Ana drinks green tea from Uji")
    before = world.after()
    world.edit(edited, content="Ana drinks coffee")
    world.after()
    (hit,) = world.ask("who drinks green tea from Uji?", k=1, when={"known_at": before})
    assert hit.content == "Ana drinks green tea from Uji"


def test_pages_counts_and_cursors() -> None:
    world = World()
    made = []
    for n in range(23):
        made.append(world.add(f"note {n:02}", importance=(n % 7) / 7))
        world.after(0.1)
    before = world.now
    world.after()
    for memory_id in made[::3]:
        world.edit(memory_id, content="edited", importance=0.99)
    at = world.at(known_at=before)
    where = select(Scope(), status_conditions("active", at))
    assert count(world.engine, where, known_at=at.known_at) == 23
    for order in get_args(Order):
        whole = [m.content for m in listing.iterate(world.engine, where, at, order=order)]
        assert sorted(whole) == [f"note {n:02}" for n in range(23)]
        paged, cursor = [], None
        while True:
            page = listing.list_memories(world.engine, where, at, order=order, limit=4, cursor=cursor)
            paged += [each.content for each in page]
            cursor = page.next
            if cursor is None:
                break
        assert paged == whole


def test_a_fact_is_the_one_believed_then() -> None:
    world = World()
    fact = Fact("Ana", "works_at", "Acme")
    edited = world.add("Ana works at Acme", fact=fact)
    before = world.after()
    world.edit(edited, content="Ana works at Bolt", fact=Fact("Ana", "works_at", "Bolt"))
    world.after()
    assert world.facts(subject="ana", when={}) == ["Ana works at Bolt"]
    assert world.facts(subject="ana", object="acme", when={}) == []
    assert world.facts(subject="ana", when={"known_at": before}) == ["Ana works at Acme"]
    assert world.facts(object="ACME", when={"known_at": before}) == ["Ana works at Acme"]
    assert world.facts(object="bolt", when={"known_at": before}) == []
