"""The store at an earlier point in time: `PastReader` restores the state of memories that have changed since."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

from engrain.graph.entity_store import PAIRS, best, read_topics
from engrain.graph.packs import Packs
from engrain.language.tokens import index_counts
from engrain.lazy import Floats, Ints, np
from engrain.model.entities import name_key, relation_name
from engrain.model.filters import AnyOf, Condition, Filter, Test, Where, column, passes
from engrain.model.memory import Memory, SourceType, Status
from engrain.read.retrieval import term_idf
from engrain.storage import rows as tables
from engrain.storage.interface import Reader, grouped, named, owners, rooted, text_stats
from engrain.storage.rows import FACT, MODEL, STATED, MentionRow, Ranked, Record, RelationRow, Surroundings, distinct

R = TypeVar("R")
_CLASSES = tuple(SourceType)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class EarlierState:
    """A memory in its earlier and its current state; if `reworded`, postings and vector are of the current text."""

    record: Record
    now: Record

    @cached_property
    def reworded(self) -> bool:
        """Whether its text was different."""
        return _text(self.record.memory) != _text(self.now.memory)

    @cached_property
    def terms(self) -> Mapping[str, int]:
        """The index terms of its earlier text."""
        return index_counts(_text(self.record.memory))


def earlier_states(reader: Reader, where: Filter, at: datetime) -> dict[int, EarlierState]:
    """Return, by row number, the memories of a filter whose state at `at` differs from the current one."""
    view, scope = where.isolation, Filter(where.org, where.user, where.shared)
    states: dict[int, tables.Revision] = {}
    for revision in reader.find(tables.Revision, scope.but(Test("believed_until", "gt", at)), order="seq"):
        states.setdefault(revision.num, revision)  # the first change after `at` ended the state in force at it
    remembered = Test("status", "ne", Status.FORGOTTEN), Test("num", "in", tuple(states))
    found = reader.find(Record, view.but(*remembered)) if states else []
    return {now.num: EarlierState(_restored(states[now.num], now, view.agent), now) for now in found}


def _restored(state: tables.Revision, now: Record, viewer: str | None) -> Record:
    """Return the record of a revision, with the current access count, strength and expiry, which are not revised."""
    row, today = json.loads(state.memory), now.memory
    row |= {"access_count": today.access_count, "strength": today.strength}
    for name, at in (("expires_at", today.expires_at), ("last_accessed", today.last_accessed)):
        row[name] = at and at.isoformat()
    if today.status is Status.EXPIRED:
        row["status"] = today.status
    then = Memory.from_dict(row)
    links = tuple(link for link in then.links if link in today.links)  # only those that are visible to this view
    before = tuple(each for each in then.supersedes if viewer is None or each in today.supersedes)
    causes = today.causal_chain if links else ()
    then = replace(then, links=links, supersedes=before, causal_chain=causes, read_at=today.read_at)
    return replace(now, memory=then)


def _text(memory: Memory) -> str:
    fact = memory.fact
    parts = () if fact is None else (fact.subject, fact.predicate.replace("_", " "), fact.object)
    return " ".join((memory.content, *parts, *memory.tags))


class PastReader:
    """A `Reader` of the memories recorded by `at`, in their state then, with the entities and relations of that."""

    def __init__(self, reader: Reader, where: Filter, at: datetime, packs: Packs) -> None:
        self._reader, self._packs = reader, packs
        self.together: Final[Callable[..., list[Any]]] = reader.together
        self.look_up: Final[Callable[..., tables.LookUp]] = reader.look_up
        self._scope = Filter(where.org, where.user, where.shared)
        self._changed = earlier_states(reader, where, at)
        self._recorded = Test("recorded_at", "le", at)
        self._is_unchanged = (self._recorded, Test("num", "nin", tuple(self._changed)))
        self._passing: dict[int, tuple[Filter, list[EarlierState]]] = {}
        self._weights: dict[tuple[str, ...], Mapping[str, float]] = {}

    def admitted(self, where: Filter) -> list[EarlierState]:
        """Return the changed memories whose earlier state passes a filter."""
        known = self._passing.get(id(where))
        if known is None:
            then = where.but(self._recorded)
            found = [each for num, each in self._changed.items() if passes(each.record.memory, then, num=num)]
            known = self._passing[id(where)] = (where, found)  # it keeps the filter alive, so that the id stays unique
        return known[1]

    def _all(self, where: Filter, *, reworded: bool = True) -> Filter:
        """Return the filter with changed memories; without `reworded` only those indexed by their earlier text."""
        nums = tuple(each.record.num for each in self.admitted(where) if reworded or not each.reworded)
        if not nums:
            return where.but(*self._is_unchanged)
        here: tuple[Condition, ...] = (*where.conditions, *self._is_unchanged)
        return replace(where, conditions=(AnyOf((here, (Test("num", "in", nums),))),))

    def _indexed(self, where: Filter) -> Filter:
        return self._all(where, reworded=False)

    def _reworded(self, where: Filter) -> list[EarlierState]:
        """Return the admitted memories whose text was different."""
        return [each for each in self.admitted(where) if each.reworded]

    def _overlap(self, terms: Mapping[str, float], each: EarlierState) -> float:
        """Return the score of a changed memory for the terms: about its BM25, with a text of average length."""
        asked = tuple(terms)
        if asked not in self._weights:
            self._weights[asked] = term_idf(text_stats(self._reader, asked, self._scope))
        return sum(weight * self._weights[asked][term] for term, weight in terms.items() if term in each.terms)

    def find(
        self, kind: type[R], where: Where = (), *, order: str = "num", limit: int | None = None, **asked: Any
    ) -> list[R]:
        """Return rows; records, evidence, mentions and relations in their earlier state."""
        if isinstance(where, Filter):
            if kind is Record:
                return cast(list[R], self._records(where, order, limit, **asked))
            if kind is tables.EvidenceRow:
                today = self._reader.find(tables.EvidenceRow, where.but(*self._is_unchanged))
                then = ((each.record.num, each.record.memory) for each in self.admitted(where))
                earlier = [tables.EvidenceRow(num, m.id, m.valid_from, m.valid_until, m.source.type) for num, m in then]
                return cast(list[R], [*today, *earlier])
        elif kind in (MentionRow, RelationRow) and self._reread:
            return cast(list[R], self._graph_rows(kind, where, order)[:limit])
        return self._reader.find(kind, where, order=order, limit=limit, **asked)

    def _records(self, where: Filter, order: str, limit: int | None, **asked: Any) -> list[Record]:
        unchanged = self._reader.find(Record, where.but(*self._is_unchanged), order=order, limit=limit, **asked)
        name, changed = order.removeprefix("-"), [each.record for each in self.admitted(where)]

        def place(record: Record) -> tuple[Any, int]:
            return column(record.memory, name, num=record.num), record.num

        return sorted([*unchanged, *changed], key=place, reverse=order != name)[:limit] if changed else unchanged

    def count(self, kind: type[tables.Row], where: Where = (), *, by: str | None = None) -> Mapping[str, int]:
        """Count rows; records in their earlier state."""
        if kind is not Record or not isinstance(where, Filter):
            return self._reader.count(kind, where, by=by)
        counts = Counter(dict(self._reader.count(Record, where.but(*self._is_unchanged), by=by)))
        counts.update("" if by is None else str(column(each.record.memory, by)) for each in self.admitted(where))
        return counts

    def actors(self, where: Filter) -> Sequence[str]:
        """Return the actors of the rows that pass."""
        return self._reader.actors(self._all(where))

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by the words of the earlier texts."""
        found = self._reader.search_text(terms, self._indexed(where), limit=limit)
        gone = [(each.record.num, self._overlap(terms, each)) for each in self._reworded(where)]
        gone = [(num, score) for num, score in gone if score > 0]
        nums = np.concatenate([found.nums, np.array([num for num, _ in gone], np.int64)])
        scores = np.concatenate([found.scores, np.array([score for _, score in gone], np.float32)])
        best = np.lexsort((nums, -scores))[: max(limit, 0)]
        return Ranked(nums[best], scores[best], found.stats)

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine the rows whose vectors are of the earlier text."""
        return self._reader.search_vector(embedder, vector, self._indexed(where), limit=limit)

    def search_time(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times in their earlier state."""
        unchanged = self._reader.search_time(where.but(*self._is_unchanged), limit=limit, since=since, until=until)
        bounds = [Test("valid_from", "ge", since)] if since is not None else []
        bounds += [Test("valid_from", "lt", until)] if until is not None else []
        changed = [each.record.num for each in self.admitted(where.but(*bounds) if bounds else where)]
        nums = np.concatenate([unchanged, np.array(changed, np.int64)])
        known = self.describe(nums, where)
        times = known.columns.valid_from[np.searchsorted(known.rows, nums)]
        return np.asarray(nums[np.lexsort((-nums, -times))[: max(limit, 0)]], np.int64)

    def describe(
        self, nums: Ints, where: Filter, *, terms: Mapping[str, float] | None = None, nearest: int = 0, **asked: Any
    ) -> tables.Description:
        """Return the ranking data of rows in their earlier state; a vector of another text is left out."""
        embedder, vector = asked.get("embedder"), asked.get("vector")
        if nearest and embedder is not None and vector is not None:
            similar = self.search_vector(embedder, vector, where, limit=nearest)
            return self.describe(distinct(nums, similar.nums), where, terms=terms, **asked)._replace(similar=similar)
        found = self._reader.describe(nums, self._all(where), terms=terms, **asked)
        sessions = found.sessions
        if terms and self._changed:  # the index has only some of those that pass under their earlier text
            sessions = self._reader.describe(found.nums, self._indexed(where), terms=terms).sessions
        gains, cosines = found.gains.copy(), found.cosines.copy()
        changed = [(place, self._changed[num]) for place, num in enumerate(found.rows.tolist()) if num in self._changed]
        for place, each in changed:
            if each.reworded:
                gains[:, place] = [self._overlap({term: 1.0}, each) for term in terms or ()]
                cosines[place] = np.nan
        return found._replace(columns=_columns(found.columns, changed), gains=gains, cosines=cosines, sessions=sessions)

    @cached_property
    def _reread(self) -> dict[int, tuple[list[MentionRow], list[RelationRow]]]:
        """Mentions and relations of the earlier texts, as rows, without names that are no entity now."""
        edited = {num: each for num, each in self._changed.items() if each.reworded}
        if not edited:
            return {}
        topics = {num: read_topics(each.record.memory, self._packs, fact_given=True) for num, each in edited.items()}
        keys = {name_key(*end) for each in topics.values() for end in each.all}
        by_key = grouped(named(self._reader, sorted(keys), self._scope), lambda row: (row.ns, row.key))
        namespaces = {user: ns for ns, user in owners(self._reader, self._scope).items()}
        out: dict[int, tuple[list[MentionRow], list[RelationRow]]] = {}
        for num, each in edited.items():
            ns = namespaces[each.record.memory.scope.user]
            rows = {end: best(by_key.get((ns, name_key(*end)), ()), end.type) for end in topics[num].all}
            ids = {end: row.id for end, row in rows.items() if row is not None}
            entities = dict.fromkeys(ids.values())
            mentions = [MentionRow(entity, num, tables.TEXT, len(entities) <= PAIRS) for entity in entities]
            relations: dict[tuple[int, str, int], RelationRow] = {}
            for triple, origin in topics[num].triples:
                source, target = ids.get(triple.source), ids.get(triple.target)
                if source is not None and target is not None and source != target:
                    ends, at = (source, relation_name(triple.relation), target), each.record.memory.updated_at
                    relations[ends] = RelationRow(*ends, num, None, origin, triple.weight, None, None, at)
            out[num] = mentions, list(relations.values())
        return out

    def _graph_rows(self, kind: type[Any], tests: Sequence[Condition], order: str) -> list[Any]:
        """Return mentions or relations, those of reworded memories replaced by those of the earlier texts."""
        today: list[Any] = self._reader.find(kind, tests, order=order)
        kept = [row for row in today if row.num not in self._reread or row.origin not in (tables.TEXT, FACT, MODEL)]
        known = {row[:2] for row in kept} if kind is MentionRow else set()
        then = [row for rows in self._reread.values() for row in rows[kind is RelationRow]]
        kept += [row for row in then if row[:2] not in known and all(_passes(row, test) for test in tests)]
        name = order.removeprefix("-")
        return sorted(kept, key=lambda row: getattr(row, name), reverse=order != name)

    def traverse(
        self, entities: Collection[int], where: Filter, at: tables.PointOfView, *, begun: Filter, **asked: Any
    ) -> Surroundings:
        """Return the relations of entities in the earlier state: of unchanged texts, and of those extracted again."""
        found = self._reader.traverse(entities, self._indexed(where), at, begun=self._indexed(begun), **asked)
        if not self._reread:
            return found
        inside, dated = ({each.record.num for each in self._reworded(here)} for here in (where, begun))
        relations: dict[tables.RelationEdge, None] = {}
        for end in asked.get("ends", ()) if dated else ():
            tests = [Test("num", "in", tuple(dated)), Test(end, "in", tuple(entities))]
            for row in self.find(RelationRow, tests, order="id"):
                if row.num in (inside if row.valid_from is None else dated) and _is_visible(row, at):
                    relations[(*row[:3], row.weight, row.num or 0, row.valid_from, row.valid_until)] = None
        together = found.together
        if inside and asked.get("together", 0) != 0:
            rows = self.find(MentionRow, [Test("num", "in", tuple(inside))])
            mentioned = grouped((each for each in rows if each.pairs), attrgetter("num")).values()
            pairs = ((one.entity, two.entity, one.num) for here in mentioned for one in here for two in here)
            more = [pair for pair in pairs if pair[0] in entities and pair[0] != pair[1]]
            together = sorted([*together, *more], key=lambda pair: pair[2])
        today = [each for each in found.mentions if each[1] not in self._reread]
        then = [(row.entity, row.num) for rows, _ in self._reread.values() for row in rows if row.entity in entities]
        return Surroundings([*found.relations, *relations], together, [*today, *then] if asked.get("mentions") else ())

    def entities(
        self, where: Filter, *, among: Collection[int] | None = None, limit: int = 100, **asked: Any
    ) -> list[tables.EntityRow]:
        """Return the entities that memories mentioned."""
        wanted = None if among is None else set(among)
        today = self._reader.entities(self._indexed(where), among=wanted, limit=limit, **asked)
        nums = [each.record.num for each in self._reworded(where)]
        if not nums:
            return today
        mentioned = {row.entity for row in self.find(MentionRow, [Test("num", "in", tuple(nums))])}
        rows = self._reader.find(tables.EntityRow, [Test("id", "in", tuple(mentioned))], order="id")
        found = {row.id: row for row in today}
        for row in rooted(self, rows, where.agent).values():
            of_type = asked.get("type") in (None, row.type)
            if of_type and row.id > asked.get("after", 0) and (wanted is None or row.id in wanted):
                found[row.id] = row
        return [found[number] for number in sorted(found)][:limit]


def _columns(today: tables.Columns, changed: Sequence[tuple[int, EarlierState]]) -> tables.Columns:
    """Return the columns of rows in their earlier state; `changed` are these states by index."""
    valid_from, importance = today.valid_from.copy(), today.importance.copy()
    trust, marks, classes = today.trust.copy(), today.marks.copy(), today.source_class.copy()
    for place, each in changed:
        valid_from[place] = (each.record.memory.valid_from - _EPOCH) // timedelta(microseconds=1)
        importance[place], trust[place] = each.record.memory.importance, each.record.memory.trust
        classes[place] = _CLASSES.index(each.record.memory.source.type)
        if each.reworded:
            marks[place] = tables.Mark(0)
    earlier = {"valid_from": valid_from, "importance": importance, "trust": trust, "marks": marks}
    values: dict[str, Any] = earlier | {"source_class": classes}
    return tables.ReadColumns(lambda name: values[name] if name in values else getattr(today, name))


def _is_visible(row: RelationRow, at: tables.PointOfView) -> bool:
    """Return whether a relation was in force at a point of view, and believed by its agent."""
    if at.agent is not None and row.agent not in (None, at.agent):
        return False
    if row.origin == STATED and at.known_at is not None:
        believed = row.believed_until is None or at.known_at < row.believed_until
        if row.recorded_at > at.known_at or not believed:
            return False
    since, until = row.valid_from, row.valid_until
    return (since is None or since <= at.valid_at) and (until is None or at.valid_at < until)


def _passes(row: object, test: Condition) -> bool:
    assert isinstance(test, Test)
    value = getattr(row, test.column)
    return bool(value in cast(Collection[object], test.value) if test.op == "in" else value == test.value)
