"""The graph as it was believed to be: what was reworded since is read again, in the words it had.

The rows of the graph hold what texts say today. Of the few memories that said something else at the time, the names and
relations are read anew; what was stated by hand of them stays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, TypeVar, cast

from recollect.entities import Named, name_key, relation_name
from recollect.filters import Condition, Filter, Test
from recollect.graph.chunks import among as rows_among
from recollect.graph.packs import Packs
from recollect.graph.register import best, rooted
from recollect.graph.seen import PAIRS, Seen, seen
from recollect.graphdoor import Sighting
from recollect.graphrows import FACT, MODEL, STATED, TEXT, EntityRow, Living, MentionRow, RelationRow, Said, Together
from recollect.protocols import Reader
from recollect.read.earlier import Earlier
from recollect.read.past import Past

R = TypeVar("R")


class Rereading(Past):
    """A `Past` whose graph is that of its time too; `packs` read the texts."""

    def __init__(self, reader: Reader, walls: Filter, at: datetime, packs: Packs) -> None:
        super().__init__(reader, walls, at)
        self._packs = packs

    @cached_property
    def _reread(self) -> dict[int, tuple[list[MentionRow], list[RelationRow]]]:
        """What each memory that was reworded since said, as rows; a name that nobody knows any more is left out."""
        told = {num: each for num, each in self._travellers.items() if each.reworded}
        read = {num: seen(each.memory, self._packs, fact_given=True) for num, each in told.items()}
        keys = {name_key(*end) for each in read.values() for end in each.ends}
        places: dict[tuple[int, str], list[EntityRow]] = {}
        for row in self._reader.named(sorted(keys), self._walls) if keys else ():
            places.setdefault((row.ns, row.key), []).append(row)
        spaces = {user: ns for ns, user in self._reader.owners(self._walls).items()}
        out: dict[int, tuple[list[MentionRow], list[RelationRow]]] = {}
        for num, each in told.items():
            ns = spaces[each.memory.scope.user]
            rows = {end: best(places.get((ns, name_key(*end)), ()), end.type) for end in read[num].ends}
            ids = {end: row.id for end, row in rows.items() if row is not None}
            out[num] = _mentions(num, ids), _relations(each, read[num], ids)
        return out

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", limit: int | None = None
    ) -> list[R]:
        """Return rows; records, mentions and relations as they were."""
        if kind not in (MentionRow, RelationRow) or isinstance(where, Filter) or not self._reread:
            return super().find(kind, where, order=order, limit=limit)
        today: list[Any] = super().find(kind, where, order=order)
        kept = [row for row in today if row.num not in self._reread or row.origin not in (TEXT, FACT, MODEL)]
        then = [row for rows in self._reread.values() for row in rows[kind is RelationRow]]
        there = {row[:2] for row in kept} if kind is MentionRow else set()
        kept += [row for row in then if row[:2] not in there and all(_holds(row, test) for test in where)]
        column = order.removeprefix("-")
        kept.sort(key=lambda row: getattr(row, column), reverse=order.startswith("-"))
        return kept[:limit]

    def living(self, nums: Collection[int], where: Filter) -> dict[int, Living]:
        """Return those of the rows that pass in the state they had."""
        found, asked = dict(super().living(list(nums), where)), set(nums)
        for each in self.admitted(where):
            if each.record.num in asked:
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
        """Return the relations of then: those whose evidence says what it said, and those that are read again."""
        said = super().said(end, entities, where, at, begun=begun)
        inside, dated = self._then(where), self._then(begun)
        tests = [Test("num", "in", tuple(dated)), Test(end, "in", tuple(entities))]
        for row in self.find(RelationRow, tests, order="id") if dated else ():
            if row.num in (inside if row.valid_from is None else dated) and _is_seen(row, at):
                place = row.source, row.relation, row.target
                said.append((*place, row.weight, row.num or 0, row.valid_from, row.valid_until))
        return said

    def together(self, entities: Collection[int], where: Filter, *, most: int | None = None) -> list[Together]:
        """Return who was named beside entities."""
        found, asked, nums = super().together(entities, where, most=most), set(entities), self._then(where)
        named: dict[int, list[int]] = {}
        for row in rows_among(self, MentionRow, "num", nums, order="num") if nums else ():
            if row.pairs:
                named.setdefault(row.num, []).append(row.entity)
        pairs = ((one, two, num) for num, here in named.items() for one in here if one in asked for two in here)
        return sorted([*found, *(pair for pair in pairs if pair[0] != pair[1])], key=lambda each: each[2])

    def newest_mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        """Return who was mentioned where, newest first."""
        asked, again = set(entities), self._reread
        today = [each for each in super().newest_mentions(entities, most) if each[1] not in again]
        then = [(row.entity, row.num) for rows, _ in again.values() for row in rows if row.entity in asked]
        return [*today, *then]

    def _then(self, where: Filter) -> set[int]:
        """Return the memories that passed, and that were reworded since."""
        return {each.record.num for each in self.admitted(where) if each.reworded}

    def known(
        self,
        where: Filter,
        *,
        type: str | None = None,
        among: Collection[int] | None = None,
        after: int = 0,
        limit: int = 100,
    ) -> list[EntityRow]:
        """Return the entities that memories mentioned."""
        asked = None if among is None else set(among)
        today = self._reader.known(self._indexed(where), type=type, among=asked, after=after, limit=limit)
        nums = tuple(each.record.num for each in self.admitted(where) if each.reworded)
        if not nums:
            return today
        mentioned = {row.entity for row in rows_among(self, MentionRow, "num", nums, order="num")}
        tops = rooted(self, rows_among(self, EntityRow, "id", mentioned), where.agent).values()
        then = {row.id: row for row in tops if row.id > after and type in (None, row.type)}
        found = {row.id: row for row in today} | {n: row for n, row in then.items() if asked is None or n in asked}
        return [found[number] for number in sorted(found)][:limit]


def _mentions(num: int, ids: dict[Named, int]) -> list[MentionRow]:
    entities = dict.fromkeys(ids.values())
    return [MentionRow(entity, num, TEXT, len(entities) <= PAIRS) for entity in entities]


def _relations(told: Earlier, read: Seen, ids: dict[Named, int]) -> list[RelationRow]:
    rows: dict[tuple[int, str, int], RelationRow] = {}
    for triple, origin in read.triples:
        source, target = ids.get(triple.source), ids.get(triple.target)
        if source is not None and target is not None and source != target:
            place, at = (source, relation_name(triple.relation), target), told.memory.updated_at
            rows[place] = RelationRow(*place, told.record.num, None, origin, triple.weight, None, None, at)
    return list(rows.values())


def _is_seen(row: RelationRow, at: Sighting) -> bool:
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
