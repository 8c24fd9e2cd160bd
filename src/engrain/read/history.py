"""Points in time: the state of memories as of a time, and as known at a time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

from engrain.arrays import Floats, Ints, np
from engrain.engine import Engine
from engrain.graph.entity_store import PAIRS, Topics, best, read_topics, rooted
from engrain.graph.entity_store import among as rows_among
from engrain.graph.packs import Packs
from engrain.language.calendar import parse_when
from engrain.language.tokens import index_counts
from engrain.model.entities import Named, name_key, relation_name
from engrain.model.filters import AnyOf, Condition, Filter, Test, column, live, passes, unexpired, unsuperseded
from engrain.model.filters import listed as by_status
from engrain.model.memory import Memory, SourceType, Status
from engrain.read.retrieval import term_idf
from engrain.storage.interface import Reader, Store, named, owners, text_stats
from engrain.storage.rows import (
    FACT,
    MODEL,
    STATED,
    TEXT,
    Columns,
    CoMention,
    Description,
    EntityRow,
    EvidenceRow,
    LookUp,
    Mark,
    MentionRow,
    PointOfView,
    Ranked,
    Record,
    RelationEdge,
    RelationRow,
    Revision,
    Row,
    Surroundings,
)
from engrain.validation import When

R = TypeVar("R")


class PointInTime(NamedTuple):
    """The time of a read: `now` by the question's clock, `clock` by the engine's.

    `as_of` reads what was true at a time, by what is believed today; `known_at` what was believed at a time.
    """

    now: datetime
    clock: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def valid_at(self) -> datetime:
        """The moment at which a memory must be valid."""
        return self.now if self.as_of is None else self.as_of


def point_in_time(
    engine: Engine, *, now: When | None = None, as_of: When | None = None, known_at: When | None = None
) -> PointInTime:
    """Return the point in time of a read; a `known_at` in the future is now."""
    clock = engine.clock.now()
    known = None if known_at is None else parse_when(known_at, name="known_at")
    return PointInTime(
        now=clock if now is None else parse_when(now, name="now"),
        clock=clock,
        as_of=None if as_of is None else parse_when(as_of, name="as_of"),
        known_at=None if known is None or known >= clock else known,
    )


def conditions_at(
    at: PointInTime, *, exclude_superseded: bool = True, include_quarantined: bool = False
) -> tuple[Condition, ...]:
    """Return the conditions of a read: what is true now, or was at `as_of`, or was taken to be at `known_at`.

    With `as_of` it does not matter what was superseded since. What has expired by the engine's clock stays away from
    every time. The conditions of a `known_at` hold for memories in the state of that time: see `engrain.read.history`.
    """
    if exclude_superseded and not include_quarantined and at.as_of is None and at.known_at is None:
        return live(at.now)
    is_past = at.as_of is not None or at.known_at is not None
    tests: list[Condition] = [
        Test("status", "in", (Status.ACTIVE, Status.QUARANTINED))
        if include_quarantined
        else Test("status", "eq", Status.ACTIVE),
        Test("believed_until", "eq", None)
        if at.known_at is None
        else Test("believed_until", "gt", at.known_at, or_null=True),
        Test("valid_from", "le", at.valid_at),
        unexpired(at.clock if is_past else at.now),
    ]
    if exclude_superseded and at.as_of is None:
        tests.append(unsuperseded(at.valid_at))
    if exclude_superseded or at.as_of is not None:
        tests.append(Test("valid_until", "gt", at.valid_at, or_null=True))
    return tuple(tests)


def status_conditions(status: str | Sequence[str], at: PointInTime) -> tuple[Condition, ...]:
    """Return the conditions of `list_memories(status=)` at a point in time: `active` is what a recall would see.

    With `as_of`, memories of every status are those that were valid then.
    """
    conditions = by_status(status, at.clock, conditions_at(at))
    if at.as_of is None:
        return conditions
    return (
        *conditions,
        Test("valid_from", "le", at.as_of),
        Test("valid_until", "gt", at.as_of, or_null=True),
    )


_AT_ONCE = 500  # values that one statement names


def records_among(
    reader: Reader, where: Filter, column: str, values: Sequence[int] | Sequence[str], *, order: str = "num"
) -> list[Record]:
    """Return the records that pass and whose column is one of the values, as many at a time as one statement names."""
    parts = (tuple(values[start : start + _AT_ONCE]) for start in range(0, len(values), _AT_ONCE))
    return [each for some in parts for each in reader.find(Record, where.but(Test(column, "in", some)), order=order)]


@dataclass(frozen=True)
class EarlierState:
    """A memory in the state that it had, and in the one it has now.

    One that is `reworded` had another text: its postings and vector are those of its text of now.
    """

    record: Record
    now: Record

    @property
    def memory(self) -> Memory:
        """The memory as it was."""
        return self.record.memory

    @cached_property
    def reworded(self) -> bool:
        """Whether its text was another."""
        return _text(self.memory) != _text(self.now.memory)

    @cached_property
    def terms(self) -> Mapping[str, int]:
        """The index terms of the text that it had."""
        return index_counts(_text(self.memory))


def earlier_states(reader: Reader, where: Filter, at: datetime) -> dict[int, EarlierState]:
    """Return, by row number, the memories in the scope of a filter that were in another state at `at`.

    A forgotten memory has no earlier state, and one that has expired is expired in all of them.
    """
    view, scope = where.isolation, Filter(where.org, where.user, where.shared)
    states: dict[int, Revision] = {}
    for revision in reader.find(Revision, scope.but(Test("believed_until", "gt", at)), order="seq"):
        states.setdefault(revision.num, revision)  # the first change after `at` ended the state in force at it
    remembered = records_among(reader, view.but(Test("status", "ne", Status.FORGOTTEN)), "num", list(states))
    return {now.num: EarlierState(_restored(states[now.num], now, view.agent), now) for now in remembered}


def _restored(state: Revision, now: Record, viewer: str | None) -> Record:
    """Return the record of a revision; what was read of it since, and when it expires, are no matter of belief."""
    row, today = json.loads(state.memory), now.memory
    row |= {"access_count": today.access_count, "strength": today.strength}
    for name, at in (("expires_at", today.expires_at), ("last_accessed", today.last_accessed)):
        row[name] = at and at.isoformat()
    if today.status is Status.EXPIRED:
        row["status"] = today.status
    then = Memory.from_dict(row)
    links = tuple(link for link in then.links if link in today.links)  # of those of then, what this view may see
    before = tuple(each for each in then.supersedes if viewer is None or each in today.supersedes)
    causes = today.causal_chain if links else ()
    return replace(now, memory=replace(then, links=links, supersedes=before, causal_chain=causes))


def _text(memory: Memory) -> str:
    fact = memory.fact
    parts = () if fact is None else (fact.subject, fact.predicate.replace("_", " "), fact.object)
    return " ".join((memory.content, *parts, *memory.tags))


_CLASSES = tuple(SourceType)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@contextmanager
def reading(store: Store, where: Filter, known_at: datetime | None) -> Iterator[Reader]:
    """Read the store as it is, or, in the scope of `where`, as it was believed to be at `known_at`."""
    with store.read(where.org) as reader:
        yield reader if known_at is None else PastReader(reader, where, known_at)


class PastReader:
    """A `Reader` of what was recorded by `at`, in the state it had then. Every filter must keep to one scope."""

    def __init__(self, reader: Reader, where: Filter, at: datetime) -> None:
        self._reader = reader
        self._scope = Filter(where.org, where.user, where.shared)
        self._changed = earlier_states(reader, where, at)
        self._recorded = Test("recorded_at", "le", at)
        self._is_unchanged = (self._recorded, Test("num", "nin", tuple(self._changed)))
        self._passing: dict[int, tuple[Filter, list[EarlierState]]] = {}
        self._weights: dict[tuple[str, ...], Mapping[str, float]] = {}

    # --------------------------------------------------------------------------------------------- changed memories

    def admitted(self, where: Filter) -> list[EarlierState]:
        """Return the changed memories that pass a filter in the state they had."""
        known = self._passing.get(id(where))
        if known is None:
            then = where.but(self._recorded)
            found = [each for num, each in self._changed.items() if passes(each.memory, then, num=num)]
            known = self._passing[id(where)] = (where, found)  # held with it, so that its id stays its own
        return known[1]

    def _unchanged(self, where: Filter) -> Filter:
        """Return the filter without the changed memories."""
        return where.but(*self._is_unchanged)

    def _with(self, where: Filter, changed: Sequence[EarlierState]) -> Filter:
        """Return the filter with these changed memories, whatever they are today, and no others."""
        nums = tuple(each.record.num for each in changed)
        if not nums:
            return self._unchanged(where)
        here: tuple[Condition, ...] = (*where.conditions, *self._is_unchanged)
        return replace(where, conditions=(AnyOf((here, (Test("num", "in", nums),))),))

    def _all(self, where: Filter) -> Filter:
        return self._with(where, self.admitted(where))

    def _indexed(self, where: Filter) -> Filter:
        """Return the filter with the changed memories that the index knows by what they said."""
        return self._with(where, [each for each in self.admitted(where) if not each.reworded])

    def _among(self, nums: Ints) -> list[tuple[int, EarlierState]]:
        """Return the changed memories among rows, each with its place."""
        found = enumerate(map(self._changed.get, nums.tolist()))
        return [(place, each) for place, each in found if each is not None]

    def _reworded(self, nums: Ints) -> list[tuple[int, EarlierState]]:
        return [(place, each) for place, each in self._among(nums) if each.reworded]

    def _overlap(self, terms: Mapping[str, float], each: EarlierState) -> float:
        """Return what the terms are worth that a changed memory held: of a text of middling length, about its BM25."""
        asked = tuple(terms)
        if asked not in self._weights:
            self._weights[asked] = term_idf(text_stats(self._reader, asked, self._scope))
        return sum(weight * self._weights[asked][term] for term, weight in terms.items() if term in each.terms)

    # ---------------------------------------------------------------------------------------------------------- rows

    def find(
        self,
        kind: type[R],
        where: Filter | Sequence[Condition] = (),
        *,
        order: str = "num",
        limit: int | None = None,
        embedder: str | None = None,
    ) -> list[R]:
        """Return rows; records, and what relations need of them, in the state they had."""
        if kind is EvidenceRow and isinstance(where, Filter):
            return cast(list[R], self._evidence(where))
        if kind is not Record or not isinstance(where, Filter):
            return self._reader.find(kind, where, order=order, limit=limit, embedder=embedder)
        unchanged = self._reader.find(Record, self._unchanged(where), order=order, limit=limit, embedder=embedder)
        name, downwards = order.removeprefix("-"), order.startswith("-")

        def place(record: Record) -> tuple[Any, int]:
            return column(record.memory, name, num=record.num), record.num

        changed = [each.record for each in self.admitted(where)]
        found = sorted([*unchanged, *changed], key=place, reverse=downwards) if changed else unchanged
        return cast(list[R], found[:limit])

    def count(
        self, kind: type[Row], where: Filter | Sequence[Condition] = (), *, by: str | None = None
    ) -> Mapping[str, int]:
        """Count rows; records in the state they had."""
        if kind is not Record or not isinstance(where, Filter):
            return self._reader.count(kind, where, by=by)
        counts = Counter(dict(self._reader.count(Record, self._unchanged(where), by=by)))
        for each in self.admitted(where):
            counts["" if by is None else str(column(each.memory, by))] += 1
        return counts

    def _evidence(self, where: Filter) -> list[EvidenceRow]:
        """Return what relations need of the memories that pass in the state they had."""
        found = self._reader.find(EvidenceRow, self._unchanged(where))
        then = ((each.record.num, each.memory) for each in self.admitted(where) if self._is_evidence(each))
        return [*found, *(EvidenceRow(num, m.id, m.valid_from, m.valid_until) for num, m in then)]

    def _is_evidence(self, each: EarlierState) -> bool:
        """Say whether the relations that cite a changed memory are of what it said then."""
        return not each.reworded

    def look_up(self, org: str, user: str | None, **asked: Any) -> LookUp:
        """Return what a write reads first, as it is today."""
        return self._reader.look_up(org, user, **asked)

    # -------------------------------------------------------------------------------------------------------- search

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by the words that memories had."""
        found = self._reader.search_text(terms, self._indexed(where), limit=limit)
        gone = [(each.record.num, self._overlap(terms, each)) for each in self.admitted(where) if each.reworded]
        gone = [(num, score) for num, score in gone if score > 0]
        nums = np.concatenate([found.nums, np.array([num for num, _ in gone], np.int64)])
        scores = np.concatenate([found.scores, np.array([score for _, score in gone], np.float32)])
        best = np.lexsort((nums, -scores))[: max(limit, 0)]
        return Ranked(nums[best], scores[best], found.stats)

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine the rows whose vectors are of what they said."""
        return self._reader.search_vector(embedder, vector, self._indexed(where), limit=limit)

    def describe(
        self,
        nums: Ints,
        where: Filter,
        *,
        span: int = 0,
        terms: Mapping[str, float] | None = None,
        embedder: str | None = None,
        vector: Floats | None = None,
    ) -> Description:
        """Return what ranking needs to know of rows in the state they had: no vector is of another text than that."""
        found = self._reader.describe(nums, self._all(where), span=span, terms=terms, embedder=embedder, vector=vector)
        sessions = found.sessions
        if terms and self._changed:  # the index knows by what they said only some of those that pass
            sessions = self._reader.describe(nums, self._indexed(where), terms=terms).sessions
        gains, cosines = found.gains.copy(), found.cosines.copy()
        for place, each in self._reworded(found.rows):
            gains[:, place] = [self._overlap({term: 1.0}, each) for term in terms or ()]
            cosines[place] = np.nan
        columns = self._columns(found.rows, found.columns)
        return found._replace(columns=columns, gains=gains, cosines=cosines, sessions=sessions)

    def search_time(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, as those stood then."""
        unchanged = self._reader.search_time(self._unchanged(where), limit=limit, since=since, until=until)
        bounds = [Test("valid_from", "ge", since)] if since is not None else []
        bounds += [Test("valid_from", "lt", until)] if until is not None else []
        changed = [each.record.num for each in self.admitted(where.but(*bounds) if bounds else where)]
        nums = np.concatenate([unchanged, np.array(changed, np.int64)])
        known = self.describe(nums, where)
        times = known.columns.valid_from[np.searchsorted(known.rows, nums)]
        return np.asarray(nums[np.lexsort((-nums, -times))[: max(limit, 0)]], np.int64)

    def entities(self, where: Filter, **asked: Any) -> list[EntityRow]:
        """Return the entities that memories mention, by the texts they have today."""
        return self._reader.entities(self._all(where), **asked)

    def traverse(
        self, entities: Collection[int], where: Filter, at: PointOfView, *, begun: Filter, **asked: Any
    ) -> Surroundings:
        """Return the relations of entities: evidence passes in the state it had; mentions are of today's texts."""
        return self._reader.traverse(entities, self._indexed(where), at, begun=self._indexed(begun), **asked)

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass."""
        return self._reader.actors(self._all(where))

    def _columns(self, nums: Ints, today: Columns) -> Columns:
        """Return the columns of rows as they were then."""
        valid_from, importance = today.valid_from.copy(), today.importance.copy()
        trust, marks, classes = today.trust.copy(), today.marks.copy(), today.source_class.copy()
        for place, each in self._among(nums):
            valid_from[place] = (each.memory.valid_from - _EPOCH) // timedelta(microseconds=1)
            importance[place], trust[place] = each.memory.importance, each.memory.trust
            classes[place] = _CLASSES.index(each.memory.source.type)
            if each.reworded:
                marks[place] = Mark(0)
        return today._replace(
            valid_from=valid_from, importance=importance, trust=trust, marks=marks, source_class=classes
        )


class PastGraphReader(PastReader):
    """A `PastReader` whose graph is that of its time too; `packs` read the texts."""

    def __init__(self, reader: Reader, where: Filter, at: datetime, packs: Packs) -> None:
        super().__init__(reader, where, at)
        self._packs = packs

    @cached_property
    def _reread(self) -> dict[int, tuple[list[MentionRow], list[RelationRow]]]:
        """What each memory that was reworded since said, as rows; a name that nobody knows any more is left out."""
        told = {num: each for num, each in self._changed.items() if each.reworded}
        read = {num: read_topics(each.memory, self._packs, fact_given=True) for num, each in told.items()}
        keys = {name_key(*end) for each in read.values() for end in each.all}
        places: dict[tuple[int, str], list[EntityRow]] = {}
        for row in named(self._reader, sorted(keys), self._scope):
            places.setdefault((row.ns, row.key), []).append(row)
        spaces = {user: ns for ns, user in owners(self._reader, self._scope).items()}
        out: dict[int, tuple[list[MentionRow], list[RelationRow]]] = {}
        for num, each in told.items():
            ns = spaces[each.memory.scope.user]
            rows = {end: best(places.get((ns, name_key(*end)), ()), end.type) for end in read[num].all}
            ids = {end: row.id for end, row in rows.items() if row is not None}
            out[num] = _mentions(num, ids), _relations(each, read[num], ids)
        return out

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", **asked: Any
    ) -> list[R]:
        """Return rows; records, mentions and relations as they were."""
        if kind not in (MentionRow, RelationRow) or isinstance(where, Filter) or not self._reread:
            return super().find(kind, where, order=order, **asked)
        today: list[Any] = super().find(kind, where, order=order)
        kept = [row for row in today if row.num not in self._reread or row.origin not in (TEXT, FACT, MODEL)]
        then = [row for rows in self._reread.values() for row in rows[kind is RelationRow]]
        there = {row[:2] for row in kept} if kind is MentionRow else set()
        kept += [row for row in then if row[:2] not in there and all(_holds(row, test) for test in where)]
        column = order.removeprefix("-")
        kept.sort(key=lambda row: getattr(row, column), reverse=order.startswith("-"))
        return kept[: asked.get("limit")]

    def _is_evidence(self, each: EarlierState) -> bool:
        return True  # what it said is read again

    def traverse(
        self, entities: Collection[int], where: Filter, at: PointOfView, *, begun: Filter, **asked: Any
    ) -> Surroundings:
        """Return the relations of entities then: of texts that have not changed since, and of those read again."""
        found = super().traverse(entities, where, at, begun=begun, **asked)
        relations = [*found.relations, *self._relations(entities, where, at, begun, asked.get("ends", ()))]
        pairs = found.together
        if asked.get("together", 0) != 0:
            pairs = self._together(entities, where, pairs)
        today = [each for each in found.mentions if each[1] not in self._reread]
        then = [(row.entity, row.num) for rows, _ in self._reread.values() for row in rows if row.entity in entities]
        return Surroundings(relations, pairs, [*today, *then] if asked.get("mentions") else ())

    def _relations(
        self, entities: Collection[int], where: Filter, at: PointOfView, begun: Filter, ends: Sequence[str]
    ) -> list[RelationEdge]:
        """Return the relations that are read again."""
        inside, dated = self._then(where), self._then(begun)
        found: dict[RelationEdge, None] = {}
        for end in ends if dated else ():
            tests = [Test("num", "in", tuple(dated)), Test(end, "in", tuple(entities))]
            for row in self.find(RelationRow, tests, order="id"):
                if row.num in (inside if row.valid_from is None else dated) and _is_seen(row, at):
                    place = row.source, row.relation, row.target
                    found[(*place, row.weight, row.num or 0, row.valid_from, row.valid_until)] = None
        return list(found)

    def _together(self, entities: Collection[int], where: Filter, today: Sequence[CoMention]) -> list[CoMention]:
        """Return who was named together with entities."""
        asked, nums = set(entities), self._then(where)
        mentioned: dict[int, list[int]] = {}
        for row in rows_among(self, MentionRow, "num", nums, order="num") if nums else ():
            if row.pairs:
                mentioned.setdefault(row.num, []).append(row.entity)
        pairs = ((one, two, num) for num, here in mentioned.items() for one in here if one in asked for two in here)
        return sorted([*today, *(pair for pair in pairs if pair[0] != pair[1])], key=lambda each: each[2])

    def _then(self, where: Filter) -> set[int]:
        """Return the memories that passed, and that were reworded since."""
        return {each.record.num for each in self.admitted(where) if each.reworded}

    def entities(
        self, where: Filter, *, among: Collection[int] | None = None, limit: int = 100, **asked: Any
    ) -> list[EntityRow]:
        """Return the entities that memories mentioned."""
        wanted = None if among is None else set(among)
        today = self._reader.entities(self._indexed(where), among=wanted, limit=limit, **asked)
        nums = self._then(where)
        if not nums:
            return today
        mentioned = {row.entity for row in rows_among(self, MentionRow, "num", nums, order="num")}
        found = {row.id: row for row in today}
        for row in rooted(self, rows_among(self, EntityRow, "id", mentioned), where.agent).values():
            of_type = asked.get("type") in (None, row.type)
            if of_type and row.id > asked.get("after", 0) and (wanted is None or row.id in wanted):
                found[row.id] = row
        return [found[number] for number in sorted(found)][:limit]


def _mentions(num: int, ids: dict[Named, int]) -> list[MentionRow]:
    entities = dict.fromkeys(ids.values())
    return [MentionRow(entity, num, TEXT, len(entities) <= PAIRS) for entity in entities]


def _relations(told: EarlierState, read: Topics, ids: dict[Named, int]) -> list[RelationRow]:
    rows: dict[tuple[int, str, int], RelationRow] = {}
    for triple, origin in read.triples:
        source, target = ids.get(triple.source), ids.get(triple.target)
        if source is not None and target is not None and source != target:
            place, at = (source, relation_name(triple.relation), target), told.memory.updated_at
            rows[place] = RelationRow(*place, told.record.num, None, origin, triple.weight, None, None, at)
    return list(rows.values())


def _is_seen(row: RelationRow, at: PointOfView) -> bool:
    """Say whether a relation held then, and was believed by who looks."""
    if at.agent is not None and row.agent not in (None, at.agent):
        return False
    if row.origin == STATED and at.known_at is not None:
        believed = row.believed_until is None or at.known_at < row.believed_until
        if row.recorded_at > at.known_at or not believed:
            return False
    since, until = row.valid_from, row.valid_until
    return (since is None or since <= at.valid_at) and (until is None or at.valid_at < until)


def _holds(row: object, test: Condition) -> bool:
    assert isinstance(test, Test)
    value = getattr(row, test.column)
    return bool(value in cast(Collection[object], test.value) if test.op == "in" else value == test.value)
