"""Reads without a query: pages of memories, slots, history, the graph, review items and the audit log."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, islice
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph import traversal
from engrain.graph.traversal import VisibleGraph, WeightedRelation
from engrain.guard import guard
from engrain.language.calendar import parse_when
from engrain.lazy import Later
from engrain.model import filters
from engrain.model import memory as models
from engrain.model.audit import AuditProof
from engrain.model.choices import Order, ReviewKind, checked_choice
from engrain.model.entities import Entity, Merge, Named, Relationship, listed_with
from engrain.model.filters import AnyOf, Condition, Filter, Test, live, reachable, unexpired, unsuperseded, within
from engrain.model.memory import UNCONFIRMED, AuditEntry, Job, Kind, Memory, Scope, Status, is_hidden, may_review
from engrain.model.memory import predicate as compared_predicate
from engrain.model.results import Hit, Page, ReviewItem, Signal, Stats
from engrain.protocols import Reader
from engrain.read.ranking import by_trust, trusted_first
from engrain.read.recall import MAX_HITS, Run, begin, contested, load_hits, read_questions, search
from engrain.read.request import ENDED, PointInTime, Request, conditions_at, is_idle, point_in_time, reading, select
from engrain.read.retrieval import Phrasing, checked_vector
from engrain.security.audit import proof
from engrain.storage import rows as tables
from engrain.storage.interface import among, evidence, grouped, in_pages, named
from engrain.storage.rows import CORRECTS, EDIT, PROPOSED, SUPERSEDES, ConversationRow, Edge, EntityRow, Record, stored
from engrain.text import check_text, key_of
from engrain.validation import MAX_LIMIT, When, checked_limit, checked_whole, identifier, is_whole

if TYPE_CHECKING:
    from engrain.llm import asker
else:
    asker = Later("engrain.llm.asker")

_STRANGE = "the cursor is not one of ours: pass `page.next` as it came"
_AT_ONCE = 500  # entities read in one query
T = TypeVar("T")
SHOWN = 5  # memories in a decider's prompt
_CLOSED_BY = "contradicts another memory: a verdict decides which one stays"
_ENTRIES = 500
_NAMED = re.compile(r"\bmem_[0-9a-f]{32}\b")
Owned = TypeVar("Owned", tables.CollectionRow, ConversationRow)
_FIRST, _LAST = stored(datetime.min.replace(tzinfo=UTC)), stored(datetime.max.replace(tzinfo=UTC))


def encode_cursor(*values: object) -> str:
    """Return the cursor of a page: the kind of the page, and the position after which the next one begins."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> list[Any]:
    """Return the values of a cursor; raises `ValueError` for a malformed one."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError, AttributeError, RecursionError):
        values = None
    if not isinstance(values, list) or not values:
        raise ValueError(_STRANGE)
    return values


def cursor_at(row: int, skip: int = 0) -> str:
    """Return the cursor of the items after a row, without the first `skip` of the next row."""
    return encode_cursor("place", row, skip)


def place_of(cursor: str | None) -> tuple[int, int]:
    """Return the row and the number to skip of a cursor; raises `ValueError` for a malformed one."""
    if cursor is None:
        return 0, 0
    match decode_cursor(cursor):
        case ["place", row, skip] if all(is_whole(each) and 0 <= each < 10**18 for each in (row, skip)):
            return row, skip
    raise ValueError(_STRANGE)


class GraphView:
    """Reads of the graph from one view, at one point in time; `where` filters the memories that are evidence."""

    def __init__(self, engine: Engine, where: Filter, at: PointInTime) -> None:
        self._engine, self._where, self._at = engine, where, at

    @contextmanager
    def open(self) -> Iterator[VisibleGraph]:
        """Open a reader of the store as a view of the graph."""
        with reading(self._engine, self._where, self._at.known_at) as reader:
            yield VisibleGraph(reader, self._engine.packs, self._where, self._at.valid_at, self._at.known_at)

    def memories(self, names: Sequence[Named], k: int) -> list[Memory]:
        """Return the memories about an entity under any of the names, newest event time first, rivals by trust."""
        with self.open() as graph:
            nums = traversal.mentioning(graph, {node for node in graph.found(names) if node is not None})
            if not nums or k <= 0:
                return []
            inside = self._where.but(Test("num", "in", tuple(nums)))
            records = graph.reader.find(Record, inside, order="-valid_from", limit=k)
            hits = contested(graph.reader, inside, [Hit(record.memory, 0.0, 0.0) for record in records])
            return [self._at.shown(hit.memory) for hit in trusted_first(graph.reader, inside, hits)[:k]]

    def read(self, names: Sequence[Named], read: Callable[..., list[T]], bound: object) -> list[T]:
        """Return the result of a function of `traversal` for entities, within a bound; [] if one of them is unknown."""
        with self.open() as graph:
            nodes = graph.found(names)
            return [] if None in nodes else read(graph, *nodes, bound)

    def ranked(self, seeds: Sequence[Named], k: int) -> list[tuple[Entity, float]]:
        """Return the entities of the highest rank from the known seeds."""
        with self.open() as graph:
            nodes = [node for node in dict.fromkeys(graph.found(seeds)) if node is not None]
            return traversal.pagerank(graph, nodes, k) if nodes and k > 0 else []

    def neighbourhood(self, named: Named, max_depth: int) -> tuple[list[Entity], list[Relationship]]:
        """Return an entity, its neighbours, and the relations among them; raises `NotFound` for an unknown one."""
        with self.open() as graph:
            (node,) = graph.found([named])
            if node is None:
                raise NotFound(named.name, what=named.type)
            nodes, relations = traversal.neighbourhood(graph, node, max_depth)
            return graph.described(nodes), traversal.relationships(graph, node, relations)

    def entity(self, named: Named, *, known: bool = True) -> Entity | None:
        """Return one entity with its aliases and metadata; None if it is unknown to the view, unless not `known`."""
        with self.open() as graph:
            (node,) = graph.found([named], hidden=not known)
            return None if node is None or (known and not graph.known([node])) else graph.described([node])[0]

    def by_id(self, entity: int) -> Entity:
        """Return an entity by the id of any of its rows."""
        with self.open() as graph:
            (row,) = graph.reader.find(EntityRow, [Test("id", "eq", entity)], order="id")
            return graph.described([graph.of(row)])[0]

    def entities(self, type_: str | None, limit: int, cursor: str | None) -> Page[Entity]:
        """Return a page of the visible entities in order of creation; the types of actors count as one."""
        start, _ = place_of(cursor)
        kinds = (None,) if type_ is None else listed_with(type_)
        with self.open() as graph:
            found = (graph.reader.entities(self._where, type=kind, after=start, limit=limit + 1) for kind in kinds)
            rows = sorted(chain.from_iterable(found), key=lambda row: row.id)
            nodes = list(dict.fromkeys(graph.of(row) for row in rows[:limit]))
            return Page(graph.described(nodes), cursor_at(rows[limit - 1].id) if len(rows) > limit else None)

    def rows(self) -> list[EntityRow]:
        """Return every visible entity."""
        with self.open() as graph:
            return list(_entity_rows(graph.reader, self._where))

    def all_relationships(self, limit: int, cursor: str | None) -> Page[Relationship]:
        """Return a page of relations in the order of their sources, without mere co-mentions."""
        wanted, after = list[WeightedRelation](), None
        start, skip = place_of(cursor)
        with self.open() as graph:
            for row, relations in _stated(graph, start, limit):
                found, left = relations[skip:], limit - len(wanted)
                wanted += found[:left]
                if len(found) > left:
                    after = cursor_at(start, skip + left)
                    break
                start, skip = row.id, 0
            return Page(traversal.relationships(graph, 0, wanted), after)

    def merges(self, scope: Scope, states: Sequence[str]) -> list[Merge]:
        """Return the merges that the view reaches, newest first."""
        with self.open() as graph:
            return [merge for _, merge in self.settled(graph, scope, states)]

    def proposed(self, scope: Scope) -> list[tuple[Merge, Memory | None]]:
        """Return the merges that await a verdict, newest first, each with its visible proposing memory, if any."""
        with self.open() as graph:
            found = self.settled(graph, scope, (PROPOSED,))
            nums = tuple({row.num for row, _ in found if row.num is not None})
            records = graph.reader.find(Record, self._where.but(Test("num", "in", nums))) if nums else []
            by_num = {record.num: record.memory for record in records}
            return [(merge, by_num.get(row.num or 0)) for row, merge in found if row.num is None or row.num in by_num]

    def settled(self, graph: VisibleGraph, scope: Scope, states: Sequence[str]) -> list[tuple[tables.MergeRow, Merge]]:
        """Return merges as stored and as visible, without those proposed by an invisible memory."""
        org_filter = Filter(self._where.org, self._where.user, self._where.shared)
        rows = graph.reader.find(tables.MergeRow, org_filter.but(Test("state", "in", tuple(states))), order="-at")
        ends = {row.id: row for row in among(graph.reader, EntityRow, "id", {end for r in rows for end in r[2:4]})}
        inside = {row.id for row in named(graph.reader, {row.key for row in ends.values()}, self._where)}
        living = evidence(graph.reader, [row.num for row in rows if row.num is not None], self._where)
        out = []
        for row in rows:
            mine = scope.agent is None or row.agent in (None, scope.agent)
            seen = row.num is None or row.num in living or row.state != PROPOSED
            if mine and seen and {row.keep, row.other} <= inside:
                keep, other = (Entity(ends[end].type, ends[end].name) for end in (row.keep, row.other))
                out.append((row, Merge(row.id, keep, other, row.state, row.reason, row.at)))
        return out


def _entity_rows(reader: Reader, where: Filter) -> Iterator[EntityRow]:
    after = 0
    while rows := reader.entities(where, after=after, limit=_AT_ONCE):
        yield from rows
        after = rows[-1].id


def _stated(graph: VisibleGraph, after: int, most: int) -> Iterator[tuple[EntityRow, list[WeightedRelation]]]:
    """Yield the visible rows after one; the first row of each entity has the stated relations that start at it."""
    while rows := graph.reader.entities(graph.where, after=after, limit=min(most, _AT_ONCE)):
        graph.meet(rows)
        first = {row: node for node, row in graph.known({graph.of(row) for row in rows}).items()}
        by_source = grouped(graph.around(first.values(), most=0), attrgetter("source"))
        yield from ((row, traversal.combined(by_source.get(first.get(row.id, 0), ()))) for row in rows)
        after = rows[-1].id


def list_memories(
    engine: Engine, where: Filter, at: PointInTime, *, order: Order, limit: int, cursor: str | None = None
) -> Page[Memory]:
    """Return one page; see `MemoryManager.list_memories`."""
    checked_choice(order, "order", Order)
    checked_limit(limit)
    if cursor is not None:
        where = where.but(*_after(order, cursor))
    with reading(engine, where, at.known_at) as reader:
        found = reader.find(Record, where, order=order, limit=limit + 1)
    memories = [at.shown(record.memory) for record in found[:limit]]
    if len(found) <= limit:
        return Page(memories)
    last, value = found[limit - 1], getattr(memories[-1], order.removeprefix("-"))
    return Page(memories, encode_cursor(order, value.isoformat() if isinstance(value, datetime) else value, last.num))


def iterate(engine: Engine, where: Filter, at: PointInTime, *, order: Order) -> Iterator[Memory]:
    """Iterate over all pages; a concurrent write may or may not be included, no memory is repeated."""
    size = 500 if at.known_at is None else MAX_LIMIT  # every page computes the earlier states again
    yield from all_pages(lambda cursor: list_memories(engine, where, at, order=order, limit=size, cursor=cursor))


def all_pages(page_at: Callable[[str | None], Page[T]]) -> Iterator[T]:
    """Yield the items of the first page and of all after it."""
    cursor: str | None = None
    while True:
        page = page_at(cursor)
        yield from page
        if (cursor := page.next) is None:
            return


def inside(scope: Scope) -> Filter:
    """Return the filter of rows in exactly a scope, or in one inside it."""
    named = (("agent", scope.agent), ("session", scope.session))
    return Filter(scope.org, scope.user).but(*(Test(column, "eq", value) for column, value in named if value))


def newest_inside(engine: Engine, kind: type[Owned], scope: Scope, *, limit: int, cursor: str | None) -> Page[Owned]:
    """Return a page of rows in a view and in views inside it, newest first."""
    checked_limit(limit)
    before, _ = place_of(cursor)
    tests = [Test("num", "le", before)] if cursor else []
    with engine.store.read(scope.org) as reader:
        rows = reader.find(kind, inside(scope).but(*tests), order="-num", limit=limit + 1)
    return Page(rows[:limit], cursor_at(rows[limit].num) if len(rows) > limit else None)


def id_or_key(memory_id: str | None, key: str | None) -> Test:
    """Return the test of the one memory that a caller names, by id or by key."""
    if (memory_id is None) == (key is None):
        raise ValueError("name one memory: by its id, or by key=")
    if memory_id is not None:
        return Test("id", "eq", identifier(memory_id, "memory_id"))
    return Test("key", "eq", identifier(key, "key"))


def get(engine: Engine, scope: Scope, name: Test, at: PointInTime) -> Memory | None:
    """Return the memory that `name` selects, of any status except forgotten; see `MemoryManager.get`."""
    where = reachable(scope).but(name, Test("status", "ne", Status.FORGOTTEN))
    if at.as_of is not None:
        valid = Test("valid_from", "le", at.as_of), Test("valid_until", "gt", at.as_of, or_null=True)
        where = where.but(at.believed, *valid)
    with reading(engine, where, at.known_at) as reader:
        found = reader.find(Record, where)
    if not found:
        return None
    memory = _closest(scope, [at.shown(record.memory) for record in found])
    if is_hidden(memory):
        return None
    if memory.kind is Kind.WORKING and is_idle(engine, memory.scope):
        return replace(memory, status=Status.ARCHIVED, status_reason=ENDED)
    return memory


def _closest(view: Scope, memories: Sequence[Memory]) -> Memory:
    """Return the memory that a key selects in a view: the view's own, else its user's shared one, else the only one."""

    def distance(memory: Memory) -> tuple[bool, bool, bool]:
        user, agent = memory.scope.user, memory.scope.agent
        return (user != view.user, agent != view.agent, agent is not None)

    first, *others = sorted(memories, key=distance)
    if others and distance(others[0]) == distance(first):
        raise ValueError(f"the key {first.key!r} names several memories in this view: narrow it with scoped(...)")
    return first


def _after(order: str, cursor: str) -> tuple[Test | AnyOf, ...]:
    """Return the conditions of rows after the last one of a page; raises `ValueError` for another page's cursor."""
    try:
        made_for, plain, num = decode_cursor(cursor)
        value = parse_when(plain, name="cursor") if isinstance(plain, str) else float(plain)
        is_number = made_for.removeprefix("-") == "importance"
        valid = is_number == isinstance(value, float) and is_whole(num) and 0 <= num < 2**63
    except (ValueError, TypeError, AttributeError, OverflowError):
        valid = False
    if not valid:
        raise ValueError(_STRANGE)
    if made_for != order:
        raise ValueError(f"the cursor belongs to order={made_for!r}, not {order!r}: keep the order between pages")
    column, down = order.removeprefix("-"), order.startswith("-")
    behind = AnyOf(((Test(column, "lt" if down else "gt", value),), (Test("num", "lt" if down else "gt", num),)))
    return Test(column, "le" if down else "ge", value), behind  # the first is a range, which an index answers


def facts(
    engine: Engine,
    where: Filter,
    at: PointInTime,
    *,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,
) -> list[Memory]:
    """Return the memories of the filter that have such a fact, newest event time first, of rivals the most trusted."""
    tests = [Test("subject_key", "ne", None)]
    for name, part in (("subject", subject), ("predicate", predicate), ("object", object)):
        if part is not None:
            text = check_text(part, what=name)
            if not text.strip():
                raise ValueError(f"{name} is blank: leave it out to find every {name}")
            key = key_of(compared_predicate(text) if name == "predicate" else models.compared(text))
            tests.append(Test(f"{name}_key", "eq", key))
    with reading(engine, where, at.known_at) as reader:
        found = reader.find(Record, where.but(*tests), order="-valid_from")
    return by_trust([at.shown(record.memory) for record in found])


def history(engine: Engine, scope: Scope, memory_id: str) -> list[Memory]:
    """Return all versions of a memory, oldest to newest, with texts before its edits; see `MemoryManager.history`."""
    now, where = engine.clock.now(), reachable(scope)
    with engine.store.read(scope.org) as reader:
        nums = [record.num for record in _chain(reader, where, memory_id)]
        # Read again in the scope of the view, which decides what links are visible.
        chain = reader.find(Record, where.isolation.but(Test("num", "in", tuple(nums)))) if nums else []
        edited = among(reader, tables.Revision, "num", nums, Test("change", "eq", EDIT), order="seq")
        edits = grouped(((row.num, Memory.from_dict(json.loads(row.memory))) for row in edited), itemgetter(0))
    versions: list[Memory] = []
    for record in (each for each in _oldest_first(chain) if not is_hidden(each.memory)):
        # Earlier states have no other links than those that the view sees today.
        today = {name: getattr(record.memory, name) for name in ("links", "supersedes", "causal_chain", "read_at")}
        versions += [replace(edit, **today) for _, edit in edits.get(record.num, ())]
        versions.append(record.memory.as_of_clock(now))
    return versions


def _oldest_first(chain: Sequence[Record]) -> list[Record]:
    """Return superseded memories before their successors, unordered ones by time."""
    ordered = sorted(chain, key=lambda record: (record.memory.valid_from, record.memory.recorded_at, record.num))
    left, before = {record.memory.id: record for record in ordered}, Counter(r.memory.superseded_by for r in chain)
    found: list[Record] = []
    while left:
        first = next((memory_id for memory_id in left if not before[memory_id]), next(iter(left)))  # else a cycle
        found.append(left.pop(first))
        before[found[-1].memory.superseded_by] -= 1
    return found


def _chain(reader: Reader, where: Filter, memory_id: str) -> list[Record]:
    """Return the records joined to a memory by supersession in any direction, each once."""
    known: dict[str, Record] = {}
    found = reader.find(Record, where.but(Test("id", "eq", memory_id)))
    while found:
        fresh = {record.memory.id: record for record in found if record.memory.id not in known}
        known |= fresh
        heads = {r.memory.superseded_by for r in fresh.values() if r.memory.superseded_by is not None} - known.keys()
        # The scope is tested afterwards: there is an index on the successor, but none on both.
        either = Test("id", "in", tuple(sorted(heads))), Test("superseded_by", "in", tuple(fresh))
        joined = [record for test in either if test.value for record in reader.find(Record, [test])]
        found = [record for record in joined if filters.passes(record.memory, where, num=record.num)]
    return list(known.values())


def neighbors(engine: Engine, scope: Filter, text: str, k: int) -> list[Hit]:
    """Return the memories with vectors nearest to a text's, `score` being the cosine; see `MemoryManager.neighbors`."""
    embedder, now = engine.embedder, engine.clock.now()
    if embedder is None or k <= 0:
        return []
    vector = guard(f"embedder {embedder.id}", lambda: checked_vector(embedder, embedder.embed([text])[0]))
    if vector is None or not vector.any():
        return []
    statuses = (Status.ACTIVE, Status.QUARANTINED) if may_review() else (Status.ACTIVE,)
    believed = Test("believed_until", "eq", None)
    where = scope.but(Test("status", "in", statuses), unsuperseded(now), believed, unexpired(now))
    with engine.store.read(scope.org) as reader:
        found = reader.search_vector(embedder.id, vector, where, limit=min(k, MAX_HITS))
        nums: list[int] = found.nums.tolist()
        records = {row.num: row for row in reader.find(Record, where.isolation.but(Test("num", "in", tuple(nums))))}
    hits = []
    for rank, (num, cosine) in enumerate(zip(nums, found.scores.tolist(), strict=True), start=1):
        hits.append(Hit(records[num].memory, cosine, min(max(cosine, 0.0), 1.0), (Signal("meaning", cosine, rank),)))
    return hits


def nearest(engine: Engine, scope: Scope, text: str) -> Callable[[Reader], Sequence[Hit]]:
    """Return a function that finds the live memories nearest to a text, best first; the text is embedded once, here."""

    def run() -> Run:
        now = engine.clock.now()
        return begin(engine, Request(query=text, where=select(scope, live(now), kinds=("semantic",)), k=SHOWN, now=now))

    first = run()
    engine, questions = first.engine, read_questions(first, [Phrasing(text)])

    def look(reader: Reader) -> Sequence[Hit]:
        now = run()
        now.questions = questions
        ranking = search(now, reader)
        return load_hits(reader, now.request.where, ranking, ranking.order[:SHOWN].tolist())

    return look


def review(
    engine: Engine, scope: Scope, kind: ReviewKind | None, *, limit: int, cursor: str | None
) -> Page[ReviewItem]:
    """Return a page of what awaits review: memories, then merges, each newest first; see `MemoryManager.review`."""
    if kind is not None:
        checked_choice(kind, "kind", ReviewKind)
    if kind == "merge" or (cursor is not None and decode_cursor(cursor)[0] == "place"):
        return _merges(engine, scope, limit, cursor)
    waiting = Test("waiting", "in", get_args(ReviewKind) if kind is None else (kind,))
    at = point_in_time(engine)
    where = reachable(scope).but(waiting, unexpired(at.clock))
    page = list_memories(engine, where, at, order="-updated_at", limit=limit, cursor=cursor)
    with engine.store.read(scope.org) as reader:
        items = [_item(reader, memory, reachable(scope)) for memory in page]
    if kind is not None or page.next is not None:
        return Page(items, page.next)
    merges = _merges(engine, scope, limit - len(items), None) if len(items) < limit else Page([], cursor_at(0))
    return Page([*items, *merges], merges.next)


def _merges(engine: Engine, scope: Scope, limit: int, cursor: str | None) -> Page[ReviewItem]:
    """Return a page of the merges proposed by texts; a proposal ends with the memory that makes it."""
    _, skip = place_of(cursor)
    at = point_in_time(engine)
    found = GraphView(engine, reachable(scope).but(*conditions_at(at)), at).proposed(scope)
    some = found[skip : skip + checked_limit(limit)]
    items = [ReviewItem(merge.id, "merge", merge.reason, memory, (), merge) for merge, memory in some]
    return Page(items, cursor_at(0, skip + limit) if len(found) > skip + limit else None)


def _item(reader: Reader, memory: Memory, where: Filter) -> ReviewItem:
    """Return the review item of a memory, with the related memories that the view may see."""
    found: list[Record] = []
    for record in reader.find(Record, [Test("id", "eq", memory.id)]):
        edges = reader.find(Edge, [Test("source", "eq", record.num)])
        nums = {edge.target for edge in edges if edge.relation in (SUPERSEDES, CORRECTS, "contradicts")}
        found = reader.find(Record, where.but(Test("num", "in", tuple(sorted(nums))))) if nums else []
    others = tuple(r.memory for r in found if not r.memory.is_superseded and r.memory.believed_until is None)
    others = others or tuple(record.memory for record in found)  # what it met, though that was replaced meanwhile
    if memory.is_contested:
        return ReviewItem(memory.id, "contradiction", _CLOSED_BY, memory, others)
    kind: ReviewKind = "procedure" if memory.status_reason == UNCONFIRMED else "quarantine"
    return ReviewItem(memory.id, kind, memory.status_reason, memory, others)


def count(engine: Engine, where: Filter, *, known_at: datetime | None = None) -> int:
    """Count the memories that pass, in their state at `known_at` if that is given."""
    with reading(engine, where, known_at) as reader:
        return reader.count(Record, where)[""]


def stats(engine: Engine, scope: Scope) -> Stats:
    """Count memories by kind and status, vectors by embedder, conversations and jobs."""
    where, now = within(scope), engine.clock.now()
    shown = where if may_review() else where.but(Test("status", "ne", Status.QUARANTINED))
    with engine.store.read(scope.org) as reader:
        by_status = dict(reader.count(Record, shown, by="status"))
        past = where.but(Test("status", "eq", Status.ACTIVE), Test("expires_at", "le", now))
        expired = reader.count(Record, past)[""]
        current = where.but(Test("status", "eq", Status.ACTIVE), unexpired(now))
        replaced = reader.count(Record, current)[""] - reader.count(Record, current.but(unsuperseded(now)))[""]
        by_kind = dict(reader.count(Record, shown.but(Test("status", "ne", Status.FORGOTTEN)), by="kind"))
        jobs = dict(reader.count(Job, where, by="state"))
        vectors = dict(reader.count(tables.Vector, where, by="embedder"))
        index = _entity_index(reader, scope)
        conversations = reader.count(ConversationRow, where)[""]
        going_on = reader.count(ConversationRow, where.but(Test("ended_at", "eq", None)))[""]
        turns = reader.count(tables.TurnRow, where)[""]
        over_cap = _over_cap(engine, reader, where)
        records: Counter[str] = Counter()
        names = {str(row.num): row.name for row in reader.find(tables.CollectionRow, where)}
        for num, number in reader.count(tables.ExactKeyRow, where, by="collection").items():
            records[names[num]] += number
        llm = asker.usage_report(engine, reader, scope)
    for number, name in ((expired, "expired"), (replaced, "superseded")):
        by_status["active"] = by_status.get("active", 0) - number
        by_status[name] = by_status.get(name, 0) + number
    return Stats(
        notes_created=engine.counters.total("created", scope),
        retrievals=engine.counters.total("recalls", scope),
        total_notes=sum(by_kind.values()),
        by_kind=by_kind,
        by_status={name: number for name, number in by_status.items() if number},
        jobs=jobs,
        dead_letters=jobs.get(models.JobState.DEAD.value, 0),
        store_bytes=engine.store.size(),
        embedder=engine.embedder.id if engine.embedder is not None else None,
        vectors=vectors,
        entity_index_hits=engine.counters.total("entity_hits", scope),
        entity_index=index,
        conversations={"open": going_on, "ended": conversations - going_on},
        turns=turns,
        over_cap=over_cap,
        records=dict(records),
        llm=llm,
    )


def _over_cap(engine: Engine, reader: Reader, where: Filter) -> dict[str, int]:
    """Count by kind the memories above the caps of agents; domains with a cap of their own count apart."""
    retention, over = engine.retention, Counter[str]()
    for kind in Kind if retention.lets_go else ():
        for domain in (None, *sorted(retention.capped_apart(kind, None))):
            apart = tuple(retention.capped_apart(kind, None))
            of = Test("domain", "eq", domain) if domain is not None else Test("domain", "nin", apart)
            counted = where.but(Test("counted", "eq", kind), *([of] if apart else []))
            for place, number in reader.count(Record, counted, by="ns || ' ' || agent").items():
                cap = retention.policy(kind, domain, place.partition(" ")[2]).cap
                over[kind.value] += max(number - cap, 0) if isinstance(cap, int) else 0
    return {name: number for name, number in over.items() if number}


def _entity_index(reader: Reader, scope: Scope) -> dict[str, Any]:
    """Count entities by type, and mentions; in an agent's view only the visible ones, tested one by one."""
    mentions = reader.count(tables.MentionRow, within(scope))[""]
    if scope.agent is None:
        unmerged = Filter(scope.org, scope.user).but(Test("merged_into", "eq", None))
        types = Counter(dict(reader.count(EntityRow, unmerged, by="type")))
    else:
        types = Counter(row.type for row in _entity_rows(reader, within(scope)))
    return {"entities": sum(types.values()), "mentions": mentions, "by_type": dict(sorted(types.items()))}


def audit_log(
    engine: Engine,
    scope: Scope,
    named: Mapping[str, str | None],
    *,
    since: When | None,
    until: When | None,
    limit: int,
    cursor: str | None,
) -> Page[AuditEntry]:
    """Return one page of the entries whose columns have the `named` values; see `MemoryManager.audit_log`."""
    tests: list[Condition] = [Test("org", "eq", scope.org)]
    tests += [Test(column, "eq", identifier(value, column)) for column, value in named.items() if value is not None]
    tests += [] if since is None else [Test("at", "ge", parse_when(since, name="since"))]
    tests += [] if until is None else [Test("at", "lt", parse_when(until, name="until"))]
    if cursor is not None:
        match decode_cursor(cursor):
            case ["audit", at, str(user), seq] if (
                is_whole(at) and _FIRST <= at <= _LAST and is_whole(seq) and 0 < seq < 2**63
            ):
                tests += _before(tables.read_time(at), user, seq)
            case _:
                raise ValueError(_STRANGE)
    checked_limit(limit)
    with engine.store.read(scope.org) as reader:
        found = list(islice(_visible_entries(reader, scope, tests), limit + 1))
    last = found[limit - 1] if len(found) > limit else None
    cursor = None if last is None else encode_cursor("audit", stored(last.at), last.user or "", last.seq)
    return Page(found[:limit], cursor)


def _before(at: datetime | None, user: str, seq: int) -> list[Condition]:
    """Return the conditions for entries before one in the order of time, user and number."""
    then, own = Test("at", "eq", at), Test("user", "eq", user)
    branches = ((Test("at", "lt", at),), (then, Test("user", "lt", user)), (then, own, Test("seq", "lt", seq)))
    return [Test("at", "le", at), AnyOf(branches)]


def audit_proof(engine: Engine, scope: Scope, seq: int) -> AuditProof:
    """Return the proof of an entry that a view may see; see `MemoryManager.audit_proof`."""
    checked_whole(seq, "seq", least=1, most=2**63 - 1)
    entry = [Test("org", "eq", scope.org), Test("user", "eq", scope.user or ""), Test("seq", "eq", seq)]
    with engine.store.read(scope.org) as reader:
        found = reader.find(AuditEntry, entry, order="seq")
        if scope.agent is not None:  # it sees only a part of the chain of all of the user's agents
            found = list(_visible_entries(reader, scope, entry))
    if not found:
        raise NotFound(str(seq), what="entry of this chain of the audit trail")
    return proof(engine, found[0])


def _visible_entries(reader: Reader, scope: Scope, tests: Sequence[Condition]) -> Iterator[AuditEntry]:
    """Yield the entries that are visible to a view, newest first, without the ids of invisible memories."""
    if scope.user is not None:  # the organisation's own chain dates from before each user had one
        tests = [*tests, Test("user", "in", ("", scope.user))]
    page, erased = reader.find(AuditEntry, tests, order="-at", limit=_ENTRIES), None
    while page:
        if scope.user is None and scope.agent is None:
            yield from page
        else:
            ids = {id_ for each in page for id_ in (each.memory_id, *_NAMED.findall(each.reason))}
            own = {*reader.count(Record, reachable(scope).but(Test("id", "in", tuple(ids))), by="id")}
            if erased is None and not ids <= own:
                erased = _erased(reader, scope)
            own |= ids & (erased or set())
            yield from (_redacted(entry, own) for entry in page if entry.memory_id in own)
        last = page[-1]
        further = [*tests, *_before(last.at, last.user or "", last.seq)]
        page = reader.find(AuditEntry, further, order="-at", limit=_ENTRIES) if len(page) == _ENTRIES else []


def _erased(reader: Reader, scope: Scope) -> set[str]:
    """Return the ids on the receipts of erasures in a view, and the ids of these receipts."""
    found = set[str]()
    pages = in_pages(reader, tables.ReceiptRow, "id", Test("org", "eq", scope.org), after="", size=_ENTRIES)
    for row in chain.from_iterable(pages):
        with tables.legible():
            body = json.loads(row.body)
            if scope.user in (None, body["user"]) and scope.agent in (None, body["agent"]):
                found |= {row.id, *body["receipt"]["memory_ids"]}
    return found


def _redacted(entry: AuditEntry, own: Collection[str]) -> AuditEntry:
    reason = _NAMED.sub(lambda found: found[0] if found[0] in own else "another memory", entry.reason)
    return entry if reason == entry.reason else replace(entry, reason=reason)
