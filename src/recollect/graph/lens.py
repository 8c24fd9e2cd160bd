"""Looking at the graph from one view: which entities a name means, and what may be seen around them.

An entity is the same in all namespaces that the view reaches, under all its names. A relation is seen when a memory
that may be seen says so, or when it was stated by hand, and when it holds at the moment asked about.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, NamedTuple

from recollect.entities import NAME, Entity, Named, name_key
from recollect.filters import Filter, begun
from recollect.graph.chunks import among
from recollect.graph.packs import Packs
from recollect.graph.register import best, commonly, rooted
from recollect.graphdoor import Sighting
from recollect.graphrows import EVERYBODY, EntityNote, EntityRow, Living, Said, Together
from recollect.protocols import Reader

BESIDE = "related_to"
"""The relation of two entities that are merely named together."""
_BESIDE_WEIGHT = 0.1  # of one memory that names both; each further one adds as much


class Tie(NamedTuple):
    """One statement of a relation between two entities, named by their ids; `num` is its evidence, 0 without any.

    A `weak` one says no more than that a memory names both.
    """

    source: int
    relation: str
    target: int
    weight: float
    num: int = 0
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
        self._at = Sighting(where.agent, moment.valid_at, moment.known_at)
        self._begun = begun(where)  # what a memory says may have held before the memory does
        self._top: dict[int, int] = {}  # of every row met, the entity that it counts as
        self._merged = False  # whether any row that was met counts as another
        self._rows: dict[int, EntityRow] = {}  # the entities met, by id
        self._more: dict[int, list[EntityRow]] = {}  # their canonical rows in further namespaces
        self._names: dict[int, list[EntityRow]] = {}  # every row that counts as an entity, once it was asked for
        self._typed: dict[str, tuple[tuple[str, str], int]] = {}  # what a key is in some namespace, and in which
        self._known: dict[tuple[str, str], int] = {}  # entities by family and key, where there are many namespaces

    # ------------------------------------------------------------------------------------------------------ who is who

    def find(self, type_: str, value: str) -> int | None:
        """Return the entity that a name means, None when nobody knows it."""
        return self.found([Named(type_, value)])[0]

    def found(self, names: Sequence[Named], *, unseen: bool = False) -> list[int | None]:
        """Return the entity that each name means, None where the view knows none: by a memory it sees, or by hand.

        With `unseen` it need not know it.
        """
        keys = [name_key(*each) for each in names]
        rows = self._named(set(keys), unseen)
        out = [best(rows.get(key, ()), each.type) for key, each in zip(keys, names, strict=True)]
        missing = [place for place, row in enumerate(out) if row is None]
        called = {
            place: each for place, each in zip(missing, self._called([names[p] for p in missing]), strict=True) if each
        }
        if called:
            more = self._named({name_key(*each) for each in called.values()}, unseen)
            for place, each in called.items():
                out[place] = best(more.get(name_key(*each), ()), each.type)
        return [None if row is None else self._top[row.id] for row in out]

    def known(self, nodes: Collection[int], where: Filter | None = None) -> set[int]:
        """Return those of the entities that stand by themselves or that a memory mentions which passes."""
        roots = {row.id: node for node, rows in zip(nodes, self._called_all(nodes), strict=True) for row in rows}
        if not roots:
            return set()
        found = self.reader.known(where or self.where, among=roots, limit=len(roots))
        return {roots[row.id] for row in found}

    def _named(self, keys: Collection[str], unseen: bool) -> dict[str, list[EntityRow]]:
        """Return the entities of these names by name, those alone that the view knows or all."""
        wanted = [key for key in keys if key]
        rows = self.reader.named(wanted, self.where) if wanted else []
        self.meet(rows)
        known = set() if unseen or not rows else self.known({self._top[row.id] for row in rows}, self._begun)
        found: dict[str, list[EntityRow]] = {}
        for row in rows:
            if unseen or self._top[row.id] in known:
                found.setdefault(row.key, []).append(row)
        return found

    def _called(self, names: Sequence[Named]) -> list[Named | None]:
        """Return the canonical name of each name, by the org's common entities or by a pack; None where it has none."""
        common: dict[str, list[EntityRow]] = {}
        if names and self._single:
            wanted = {key for each in names if (key := name_key(*each))}
            for row in self.reader.named(list(wanted), replace(self.where, shared=True)) if wanted else ():
                common.setdefault(row.key, []).append(row)
        return [
            commonly(self.reader, common.get(name_key(*each), ()), each) or self.packs.canonical(each.type, each.name)
            for each in names
        ]

    def meet(self, rows: Iterable[EntityRow]) -> None:
        """Get to know entities by any of their rows."""
        new = [row for row in rows if row.id not in self._top]
        if not new:
            return
        tops = rooted(self.reader, new, self._at.agent)
        unmet = {top.id: top for top in tops.values() if top.id not in self._top}
        if unmet and not self._single:
            unmet |= self._elsewhere(unmet.values())
        for top in sorted(unmet.values(), key=lambda row: (row.family == NAME, row.id)):
            node = top.id if self._single else self._known.setdefault(self._place(top), top.id)
            self._enter(top, node)
        for row in new:
            self._top.setdefault(row.id, self._top[tops[row.id].id])
            self._merged |= self._top[row.id] != row.id

    def _enter(self, top: EntityRow, node: int) -> None:
        """Let a canonical row count as an entity."""
        self._top[top.id] = node
        if node == top.id:
            self._rows[node] = top
            return
        self._more.setdefault(node, []).append(top)
        self._names.pop(node, None)
        self._merged = True

    def _place(self, top: EntityRow) -> tuple[str, str]:
        """Return what a row shares with the same entity elsewhere; a mere name is what another namespace says it is."""
        place = top.family, top.key
        if top.family != NAME:
            self._typed.setdefault(top.key, (place, top.ns))
            return place
        typed, ns = self._typed.get(top.key, (place, None))
        return place if ns == top.ns else typed

    @property
    def _single(self) -> bool:
        """Whether the view sees one namespace alone, so that an entity has one canonical row."""
        return self.where.user is not None and not self.where.shared

    def _elsewhere(self, tops: Iterable[EntityRow]) -> dict[int, EntityRow]:
        """Return the canonical rows of the same entities in the view's other namespaces."""
        wanted = {(row.family, row.key) for row in tops}
        rows = [
            row
            for row in self.reader.named(list({key for _, key in wanted}), self.where)
            if row.family == NAME or not wanted.isdisjoint([(row.family, row.key), (NAME, row.key)])
        ]
        return {top.id: top for top in rooted(self.reader, rows, self._at.agent).values() if top.id not in self._top}

    def _called_all(self, nodes: Iterable[int]) -> list[list[EntityRow]]:
        """Return, of each entity that was met, every row that counts as it, the canonical ones first."""
        nodes = list(nodes)
        unknown = [node for node in dict.fromkeys(nodes) if node not in self._names]
        tops = {node: [self._rows[node], *self._more.get(node, ())] for node in unknown}
        under = {top.id: [top] for node in unknown for top in tops[node]}
        above = {top: top for top in under}
        while above:
            found = [row for row in among(self.reader, EntityRow, "merged_into", above) if row.above(self._at.agent)]
            for row in found:
                under[above[row.merged_into or 0]].append(row)
                self._top[row.id] = self._top[above[row.merged_into or 0]]
                self._merged = True
            above = {row.id: above[row.merged_into or 0] for row in found}
        for node in unknown:
            self._names[node] = [row for top in tops[node] for row in under[top.id]]
        return [self._names[node] for node in nodes]

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
        ids = self.ids(nodes)
        notes: dict[int, list[EntityNote]] = {}
        for note in among(self.reader, EntityNote, "entity", ids, order="entity"):
            if self._at.agent is None or note.agent in (EVERYBODY, self._at.agent):
                notes.setdefault(note.entity, []).append(note)
        return [self._described(node, notes) for node in nodes]

    def _described(self, node: int, notes: Mapping[int, Sequence[EntityNote]]) -> Entity:
        row = self._rows[node]
        names = self._names[node]
        others = [other.name for other in names if other.key != row.key] if len(names) > 1 else ()
        aliases = dict.fromkeys([*others, *self.packs.aliases_of(row.type, row.name)])
        noted = (note.metadata for other in names for note in notes.get(other.id, ()) if note.metadata != "{}")
        metadata = {name: value for each in noted for name, value in json.loads(each).items()}
        return Entity(row.type, row.name, tuple(aliases), metadata)

    def ids(self, nodes: Iterable[int]) -> list[int]:
        """Return every row that counts as one of the entities."""
        return [row.id for rows in self._called_all(nodes) for row in rows]

    # ----------------------------------------------------------------------------------------------------------- around

    def around(self, nodes: Collection[int], *, most: int | None = None) -> list[Tie]:
        """Return what is said of entities, either way; of mere mentions at most the `most` newest of each (0: none)."""
        own = dict.fromkeys(sorted(self.ids(nodes)))
        rows = self._said("source", own)
        rows += [row for row in self._said("target", own) if row[0] not in own]
        beside = [] if most == 0 else self.reader.together(own, self.where, most=most)
        self._meet_ends({*(row[0] for row in rows), *(row[2] for row in rows), *(each[1] for each in beside)})
        ties = [Tie(*row) for row in self._joined(rows)]
        return ties + [Tie(*pair, weak=True) for pair in self._paired(beside)]

    def outward(self, nodes: Collection[int]) -> list[Said]:
        """Return the relations whose source is one of the entities."""
        rows = self._said("source", self.ids(nodes))
        self._meet_ends({row[2] for row in rows})
        return self._joined(rows)

    def inward(self, nodes: Collection[int]) -> list[Said]:
        """Return the relations whose target is one of the entities."""
        rows = self._said("target", self.ids(nodes))
        self._meet_ends({row[0] for row in rows})
        return self._joined(rows)

    def beside(self, nodes: Collection[int]) -> list[tuple[int, str, int, float, int]]:
        """Return who is named together with the entities: one of them, `BESIDE`, the other, the weight, and where."""
        found = self.reader.together(self.ids(nodes), self.where)
        self._meet_ends({other for _, other, _ in found})
        return self._paired(found)

    def mentions(self, nodes: Collection[int], most: int) -> dict[int, list[int]]:
        """Return the memories about each of some entities, newest first and at most so many, seen or not."""
        told: dict[int, list[int]] = {node: [] for node in nodes}
        for entity, num in self.reader.newest_mentions(self.ids(nodes), most):
            told[self._top[entity]].append(num)
        return {node: sorted(nums, reverse=True)[:most] for node, nums in told.items()}

    def living(self, ties: Iterable[Tie]) -> Mapping[int, Living]:
        """Return the memories that statements cite."""
        nums = sorted({tie.num for tie in ties} - {0})
        return self.reader.living(nums, self._begun) if nums else {}

    def _said(self, end: Literal["source", "target"], ids: Collection[int]) -> list[Said]:
        return self.reader.said(end, ids, self.where, self._at, begun=self._begun)

    def _meet_ends(self, ids: set[int]) -> None:
        unknown = ids - self._top.keys()
        rows = among(self.reader, EntityRow, "id", unknown) if unknown else []
        if self._single:
            tops = {row.id: row for row in rows if row.merged_into is None}
            self._rows |= tops
            self._top.update(zip(tops, tops, strict=True))
            rows = [row for row in rows if row.merged_into is not None]
        self.meet(rows)

    def _joined(self, rows: list[Said]) -> list[Said]:
        """Return statements between entities; their ends are met."""
        if self._merged:
            top = self._top
            rows = [(top[row[0]], row[1], top[row[2]], *row[3:]) for row in rows]
        return [row for row in rows if row[0] != row[2]]

    def _paired(self, found: Iterable[Together]) -> list[tuple[int, str, int, float, int]]:
        top = self._top
        pairs = ((top[one], BESIDE, top[other], _BESIDE_WEIGHT, num) for one, other, num in found)
        return [pair for pair in pairs if pair[0] != pair[2]]
