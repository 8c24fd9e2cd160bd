"""A store as it was believed to be: a reader over today's rows that answers with yesterday's states.

Rows that have not changed since are found as ever. The others, the travellers, are few: they are held in the state
they had, tested one by one, and let into the searches by number. What says now what it said then is found by the index
and its vector; what was reworded is found by the words it had, weighed by how telling each is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar, cast

from recollect.filters import AnyOf, Condition, Filter, Test
from recollect.graphdoor import Sighting
from recollect.graphrows import EntityRow, Living, Said, Together
from recollect.models import SourceType
from recollect.numeric import Floats, Ints, np
from recollect.passing import column, passes
from recollect.protocols import Columns, Mark, Ranked, Reader, Record, Row, Store, TextStats
from recollect.read.earlier import Earlier, earlier
from recollect.read.retrievers import term_idf

R = TypeVar("R")
_CLASSES = tuple(SourceType)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@contextmanager
def reading(store: Store, where: Filter, known_at: datetime | None) -> Iterator[Reader]:
    """Read the store as it is, or, inside the walls of `where`, as it was believed to be at `known_at`."""
    with store.read(where.org) as reader:
        yield reader if known_at is None else Past(reader, where, known_at)


class Past:
    """A `Reader` of what was recorded by `at`, in the state it had then. Every filter must keep to one set of walls."""

    def __init__(self, reader: Reader, walls: Filter, at: datetime) -> None:
        self._reader = reader
        self._walls = Filter(walls.org, walls.user, walls.shared)
        self._travellers = earlier(reader, walls, at)
        self._recorded = Test("recorded_at", "le", at)
        self._stayed = (self._recorded, Test("num", "nin", tuple(self._travellers)))
        self._passing: dict[int, tuple[Filter, list[Earlier]]] = {}
        self._weights: dict[tuple[str, ...], Mapping[str, float]] = {}

    # ---------------------------------------------------------------------------------------------------- travellers

    def admitted(self, where: Filter) -> list[Earlier]:
        """Return the travellers that pass a filter in the state they had."""
        known = self._passing.get(id(where))
        if known is None:
            then = where.but(self._recorded)
            found = [each for num, each in self._travellers.items() if passes(each.memory, then, num=num)]
            known = self._passing[id(where)] = (where, found)  # held with it, so that its id stays its own
        return known[1]

    def _staying(self, where: Filter) -> Filter:
        """Return the filter without the travellers."""
        return where.but(*self._stayed)

    def _with(self, where: Filter, travellers: Sequence[Earlier]) -> Filter:
        """Return the filter with these travellers, whatever they are today, and no others."""
        nums = tuple(each.record.num for each in travellers)
        if not nums:
            return self._staying(where)
        here: tuple[Condition, ...] = (*where.conditions, *self._stayed)
        return replace(where, conditions=(AnyOf((here, (Test("num", "in", nums),))),))

    def _all(self, where: Filter) -> Filter:
        return self._with(where, self.admitted(where))

    def _indexed(self, where: Filter) -> Filter:
        """Return the filter with the travellers that the index knows by what they said."""
        return self._with(where, [each for each in self.admitted(where) if not each.reworded])

    def _among(self, nums: Ints) -> list[tuple[int, Earlier]]:
        """Return the travellers among rows, each with its place."""
        found = enumerate(map(self._travellers.get, nums.tolist()))
        return [(place, each) for place, each in found if each is not None]

    def _reworded(self, nums: Ints) -> list[tuple[int, Earlier]]:
        return [(place, each) for place, each in self._among(nums) if each.reworded]

    def _overlap(self, terms: Mapping[str, float], each: Earlier) -> float:
        """Return what the terms are worth that a traveller held: of a text of middling length, about its BM25."""
        asked = tuple(terms)
        if asked not in self._weights:
            self._weights[asked] = term_idf(self._reader.text_stats(asked, self._walls))
        return sum(weight * self._weights[asked][term] for term, weight in terms.items() if term in each.terms)

    # ---------------------------------------------------------------------------------------------------------- rows

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", limit: int | None = None
    ) -> list[R]:
        """Return rows; records in the state they had."""
        if kind is not Record or not isinstance(where, Filter):
            return self._reader.find(kind, where, order=order, limit=limit)
        stayed = self._reader.find(Record, self._staying(where), order=order, limit=limit)
        name, downwards = order.removeprefix("-"), order.startswith("-")

        def place(record: Record) -> tuple[Any, int]:
            return column(record.memory, name, num=record.num), record.num

        travelled = [each.record for each in self.admitted(where)]
        found = sorted([*stayed, *travelled], key=place, reverse=downwards) if travelled else stayed
        return cast(list[R], found[:limit])

    def count(
        self, kind: type[Row], where: Filter | Sequence[Condition] = (), *, by: str | None = None
    ) -> Mapping[str, int]:
        """Count rows; records in the state they had."""
        if kind is not Record or not isinstance(where, Filter):
            return self._reader.count(kind, where, by=by)
        counts = Counter(dict(self._reader.count(Record, self._staying(where), by=by)))
        for each in self.admitted(where):
            counts["" if by is None else str(column(each.memory, by))] += 1
        return counts

    def highest(self, kind: type[Row], column: str, where: Sequence[Condition]) -> int | None:
        """Return the largest value of a column, as it is today."""
        return self._reader.highest(kind, column, where)

    # -------------------------------------------------------------------------------------------------------- search

    def text_stats(self, terms: Sequence[str], where: Filter) -> TextStats:
        """Return how common each term is, today."""
        return self._reader.text_stats(terms, where)

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by the words that memories had."""
        found = self._reader.search_text(terms, self._indexed(where), limit=limit)
        gone = [(each.record.num, self._overlap(terms, each)) for each in self.admitted(where) if each.reworded]
        gone = [(num, score) for num, score in gone if score > 0]
        nums = np.concatenate([found.nums, np.array([num for num, _ in gone], np.int64)])
        scores = np.concatenate([found.scores, np.array([score for _, score in gone], np.float32)])
        best = np.lexsort((nums, -scores))[: max(limit, 0)]
        return Ranked(nums[best], scores[best])

    def score_terms(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Score rows by the words they had."""
        out = self._reader.score_terms(terms, nums)
        for place, each in self._reworded(nums):
            out[:, place] = [self._overlap({term: 1.0}, each) for term in terms]
        return out

    def holders(self, namespace: int, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
        """Return the rows that hold each term, today."""
        return self._reader.holders(namespace, terms, limit=limit)

    def score_sessions(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Score the sessions of rows by what the index knows of them."""
        return self._reader.score_sessions(terms, self._indexed(where), nums)

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine the rows whose vectors are of what they said."""
        return self._reader.search_vector(embedder, vector, self._indexed(where), limit=limit)

    def score_vector(self, embedder: str, vector: Floats, nums: Ints) -> Floats:
        """Return the cosine of each row, NaN where the vector is of another text than it had."""
        out = self._reader.score_vector(embedder, vector, nums)
        for place, _ in self._reworded(nums):
            out[place] = np.nan
        return out

    def neighbours(self, nums: Ints, where: Filter, *, span: int) -> Ints:
        """Return the rows around each in its session that pass in the state they had."""
        return self._reader.neighbours(nums, self._all(where), span=span)

    def latest(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, as those stood then."""
        stayed = self._reader.latest(self._staying(where), limit=limit, since=since, until=until)
        bounds = [Test("valid_from", "ge", since)] if since is not None else []
        bounds += [Test("valid_from", "lt", until)] if until is not None else []
        travelled = [each.record.num for each in self.admitted(where.but(*bounds) if bounds else where)]
        nums = np.concatenate([stayed, np.array(travelled, np.int64)])
        return np.asarray(nums[np.lexsort((-nums, -self.columns(nums).valid_from))[: max(limit, 0)]], np.int64)

    def named(self, keys: Sequence[str], where: Filter) -> list[EntityRow]:
        """Return the entities of these names, as they are named today."""
        return self._reader.named(keys, where)

    def known(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        """Return the entities that memories mention, by the texts they have today."""
        return self._reader.known(self._all(where), type=type, among=among, after=after, limit=limit)

    def owners(self, where: Filter) -> Mapping[int, str | None]:
        """Return the namespaces inside the walls, as they are today."""
        return self._reader.owners(where)

    def living(self, nums: Sequence[int], where: Filter) -> Mapping[int, Living]:
        """Return those of the rows that pass in the state they had."""
        found = dict(self._reader.living([num for num in nums if num not in self._travellers], self._staying(where)))
        asked = set(nums)
        for each in self.admitted(where):
            if each.record.num in asked and not each.reworded:
                memory = each.memory
                found[each.record.num] = Living(memory.id, memory.valid_from, memory.valid_until)
        return found

    def said(
        self,
        end: Literal["source", "target"],
        entities: Collection[int],
        where: Filter,
        at: Sighting,
        *,
        begun: Filter,
    ) -> list[Said]:
        """Return the relations whose evidence passes in the state it had, or that were believed without any."""
        return self._reader.said(end, entities, self._indexed(where), at, begun=self._indexed(begun))

    def newest_mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        """Return who is mentioned where, by the texts of today."""
        return self._reader.newest_mentions(entities, most)

    def together(self, entities: Collection[int], where: Filter, *, most: int | None = None) -> list[Together]:
        """Return who is named beside entities in what passes in the state it had."""
        return self._reader.together(entities, self._indexed(where), most=most)

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass."""
        return self._reader.actors(self._all(where))

    def columns(self, nums: Ints) -> Columns:
        """Return what ranking needs to know of rows, as it stood then."""
        today = self._reader.columns(nums)
        valid_from, importance = today.valid_from.copy(), today.importance.copy()
        trust, marks, classes = today.trust.copy(), today.marks.copy(), today.source_class.copy()
        for place, each in self._among(nums):
            valid_from[place] = (each.memory.valid_from - _EPOCH) // timedelta(microseconds=1)
            importance[place], trust[place] = each.memory.importance, each.memory.trust
            classes[place] = _CLASSES.index(each.memory.source.type)
            if each.reworded:
                marks[place] = Mark(0)
        return replace(
            today, valid_from=valid_from, importance=importance, trust=trust, marks=marks, source_class=classes
        )
