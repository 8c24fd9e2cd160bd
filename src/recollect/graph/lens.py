"""Looking at the graph from one view: which entities a name means, and what may be seen around them.

An entity is the same in all namespaces that the view reaches, under all its names. A relation is seen when a memory
that may be seen says so, or when it was stated by hand, and when it holds at the moment asked about.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from recollect.entities import Entity, Named, name_key
from recollect.filters import Condition, Filter, Test
from recollect.graph.chunks import among
from recollect.graph.packs import Packs
from recollect.graph.register import best, commonly, rooted
from recollect.graphrows import EVERYBODY, STATED, EntityNote, EntityRow, Living, MentionRow, RelationRow
from recollect.protocols import Reader

BESIDE = "related_to"
"""The relation of two entities that are merely named together."""
_BESIDE_WEIGHT = 0.1  # of one memory that names both; each further one adds as much


@dataclass(frozen=True, slots=True)
class Tie:
    """One statement of a relation between two entities, named by their ids; one without evidence was made by hand.

    A `weak` one says no more than that a memory names both.
    """

    source: int
    relation: str
    target: int
    weight: float
    num: int = 0
    evidence: Living | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """When a look asks: what must be valid at `valid_at`, as it is believed now, or was at `known_at`."""

    valid_at: datetime
    known_at: datetime | None = None


class Lens:
    """A view of the graph inside one read of the store; `where` is what a memory must pass to be evidence."""

    def __init__(self, reader: Reader, packs: Packs, where: Filter, moment: Moment) -> None:
        self.reader, self.packs, self.where, self.moment = reader, packs, where, moment
        self._top: dict[int, int] = {}  # of every row met, the entity that it counts as
        self._rows: dict[int, EntityRow] = {}  # the entities met, by id
        self._names: dict[int, list[EntityRow]] = {}  # every row that counts as an entity, itself first
        begun = tuple(each for each in where.conditions if not _is_begin(each))
        self._begun = replace(where, conditions=begun)  # what a memory says may have held before the memory does
        self._known: dict[tuple[str, str], int] = {}  # entities by family and key, where there are many namespaces

    # ------------------------------------------------------------------------------------------------------ who is who

    def find(self, type_: str, value: str) -> int | None:
        """Return the entity that a name means, None when nobody knows it."""
        return self.found([Named(type_, value)])[0]

    def found(self, names: Sequence[Named], *, unseen: bool = False) -> list[int | None]:
        """Return the entity that each name means, None where the view knows none: by a memory it sees, or by hand.

        With `unseen` it need not know it.
        """
        rows = self._named({name_key(*each) for each in names}, unseen)
        out = [best(rows.get(name_key(*each), ()), each.type) for each in names]
        missing = [place for place, row in enumerate(out) if row is None]
        if missing:
            called = {place: self._called(names[place]) for place in missing}
            more = self._named({name_key(*each) for each in called.values() if each is not None}, unseen)
            for place, each in called.items():
                out[place] = None if each is None else best(more.get(name_key(*each), ()), each.type)
        return [None if row is None else self._top[row.id] for row in out]

    def known(self, nodes: Collection[int], where: Filter | None = None) -> set[int]:
        """Return those of the entities that stand by themselves or that a memory mentions which passes."""
        roots = {row.id: node for node in nodes for row in self._names[node]}
        if not roots:
            return set()
        found = self.reader.known(where or self.where, among=roots, limit=len(roots))
        return {roots[row.id] for row in found}

    def _named(self, keys: Collection[str], unseen: bool) -> dict[str, list[EntityRow]]:
        """Return the entities of these names by name, those alone that the view knows or all."""
        wanted = [key for key in keys if key]
        rows = self.reader.named(wanted, self.where) if wanted else []
        self.meet(rows)
        known = set() if unseen else self.known({self._top[row.id] for row in rows}, self._begun)
        found: dict[str, list[EntityRow]] = {}
        for row in rows:
            if unseen or self._top[row.id] in known:
                found.setdefault(row.key, []).append(row)
        return found

    def _called(self, named: Named) -> Named | None:
        """Return the canonical name of a name, by the org's common entities or by a pack; None when it has none."""
        where = self.where
        if where.user is not None and not where.shared:
            rows = self.reader.named([name_key(*named)], replace(where, shared=True))
            if (common := commonly(self.reader, rows, named)) is not None:
                return common
        return self.packs.canonical(named.type, named.name)

    def meet(self, rows: Iterable[EntityRow]) -> None:
        """Get to know entities by any of their rows, and every other row that counts as them."""
        new = [row for row in rows if row.id not in self._top]
        if not new:
            return
        tops = rooted(self.reader, new, self.where.agent)
        unmet = {top.id: top for top in tops.values() if top.id not in self._rows}
        if unmet and not self._single:
            unmet |= self._elsewhere(unmet.values())
        under = self._under(unmet.values())
        for top in sorted(unmet.values(), key=lambda row: row.id):
            place = (top.family, top.key)
            node = top.id if self._single else self._known.setdefault(place, top.id)
            self._rows.setdefault(node, top)
            for row in (top, *under[top.id]):
                self._top[row.id] = node
                self._names.setdefault(node, []).append(row)
        for row in new:
            self._top.setdefault(row.id, self._top[tops[row.id].id])

    @property
    def _single(self) -> bool:
        """Whether the view sees one namespace alone, so that an entity has one canonical row."""
        return self.where.user is not None and not self.where.shared

    def _elsewhere(self, tops: Iterable[EntityRow]) -> dict[int, EntityRow]:
        """Return the canonical rows of the same entities in the view's other namespaces."""
        wanted = {(row.family, row.key) for row in tops}
        rows = [
            row for row in self.reader.named([key for _, key in wanted], self.where) if (row.family, row.key) in wanted
        ]
        return {top.id: top for top in rooted(self.reader, rows, self.where.agent).values() if top.id not in self._rows}

    def _under(self, tops: Iterable[EntityRow]) -> dict[int, list[EntityRow]]:
        under: dict[int, list[EntityRow]] = {top.id: [] for top in tops}
        above = {top: top for top in under}
        while above:
            found = [row for row in among(self.reader, EntityRow, "merged_into", above) if row.above(self.where.agent)]
            for row in found:
                under[above[row.merged_into or 0]].append(row)
            above = {row.id: above[row.merged_into or 0] for row in found}
        return under

    def of(self, row: EntityRow) -> int:
        """Return the entity that a row counts as, getting to know it."""
        self.meet([row])
        return self._top[row.id]

    def entity(self, node: int) -> Entity:
        """Return an entity that was met, under its canonical name, without aliases and metadata."""
        row = self._rows[node]
        return Entity(row.type, row.name)

    def described(self, nodes: Sequence[int]) -> list[Entity]:
        """Return entities that were met, with their aliases and what was noted of them."""
        ids = [row.id for node in nodes for row in self._names[node]]
        notes: dict[int, list[EntityNote]] = {}
        for note in among(self.reader, EntityNote, "entity", ids, order="entity"):
            if self.where.agent is None or note.agent in (EVERYBODY, self.where.agent):
                notes.setdefault(note.entity, []).append(note)
        return [self._described(node, notes) for node in nodes]

    def _described(self, node: int, notes: Mapping[int, Sequence[EntityNote]]) -> Entity:
        row = self._rows[node]
        others = [other.name for other in self._names[node] if other.key != row.key]
        aliases = dict.fromkeys([*others, *self.packs.aliases_of(row.type, row.name)])
        own = (notes.get(other.id, ()) for other in self._names[node])
        metadata = {name: value for note in chain(*own) for name, value in json.loads(note.metadata).items()}
        return Entity(row.type, row.name, tuple(aliases), metadata)

    def ids(self, nodes: Iterable[int]) -> list[int]:
        """Return every row that counts as one of the entities."""
        return [row.id for node in nodes for row in self._names[node]]

    # ----------------------------------------------------------------------------------------------------------- around

    def around(self, nodes: Collection[int], *, most: int | None = None) -> list[Tie]:
        """Return what is said of entities, either way; of mere mentions at most the `most` newest of each (0: none)."""
        ids = self.ids(nodes)
        rows = among(self.reader, RelationRow, "source", ids)
        own = set(ids)
        rows += [row for row in among(self.reader, RelationRow, "target", ids) if row.source not in own]
        beside = self._beside(ids, most)
        nums = {row.num for row in rows if row.num is not None} | {num for _, _, num in beside}
        living = self.reader.living(sorted(nums), self.where) if nums else {}
        dated = sorted({row.num for row in rows if row.num is not None and row.valid_from is not None} - living.keys())
        begun = {**living, **self.reader.living(dated, self._begun)} if dated else living
        rows = [row for row in rows if self._seen(row, living if row.valid_from is None else begun)]
        beside = [each for each in beside if each[2] in living]
        self._meet_ends([*chain.from_iterable((row.source, row.target) for row in rows), *(o for _, o, _ in beside)])
        ties = [self._tie(row, begun) for row in rows]
        ties += [
            Tie(self._top[one], BESIDE, self._top[other], _BESIDE_WEIGHT, num, living[num], weak=True)
            for one, other, num in beside
        ]
        return [tie for tie in ties if tie.source != tie.target]

    def _meet_ends(self, ids: Iterable[int]) -> None:
        unknown = {each for each in ids if each not in self._top}
        if unknown:
            self.meet(among(self.reader, EntityRow, "id", unknown))

    def _seen(self, row: RelationRow, living: Mapping[int, Living]) -> bool:
        """Say whether a statement may be seen, is believed, and holds at the moment."""
        at, viewer = self.moment.valid_at, self.where.agent
        if row.num is not None and row.num not in living:
            return False
        if viewer is not None and row.agent not in (None, viewer):
            return False
        if row.origin == STATED and not _believed(row, self.moment.known_at):
            return False
        since, until = row.valid_from, row.valid_until
        return (since is None or since <= at) and (until is None or at < until)

    def _tie(self, row: RelationRow, living: Mapping[int, Living]) -> Tie:
        evidence = None if row.num is None else living[row.num]
        since, until = row.valid_from, row.valid_until
        if evidence is not None:
            ends = [end for end in (until, evidence.valid_until) if end is not None]
            since, until = since or evidence.valid_from, min(ends, default=None)
        place = self._top[row.source], row.relation, self._top[row.target]
        return Tie(*place, row.weight, row.num or 0, evidence, since, until)

    def _beside(self, ids: Sequence[int], most: int | None) -> list[tuple[int, int, int]]:
        """Return who is named together with entities: the one, the other, and where."""
        paired = Test("pairs", "eq", 1)
        mine: list[MentionRow] = []
        if most is None:
            mine = among(self.reader, MentionRow, "entity", ids, paired, order="num")
        else:
            for each in ids:
                here = [Test("entity", "eq", each), paired]
                mine += self.reader.find(MentionRow, here, order="-num", limit=most)
        if not mine:
            return []
        at: dict[int, list[int]] = {}
        for row in among(self.reader, MentionRow, "num", {row.num for row in mine}, order="num"):
            at.setdefault(row.num, []).append(row.entity)
        return [(row.entity, other, row.num) for row in mine for other in at[row.num] if other != row.entity]


def _is_begin(condition: Condition) -> bool:
    return isinstance(condition, Test) and (condition.column, condition.op) == ("valid_from", "le")


def _believed(row: RelationRow, known_at: datetime | None) -> bool:
    if known_at is None:
        return row.believed_until is None
    return row.recorded_at <= known_at and (row.believed_until is None or known_at < row.believed_until)
