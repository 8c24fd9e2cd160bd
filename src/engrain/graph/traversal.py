"""Reading and traversing the graph from one filter view: neighbours, paths, reachable entities, PageRank."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from engrain.arrays import np
from engrain.graph.entity_store import among, best, commonly, rooted
from engrain.graph.packs import Packs
from engrain.language.timestamps import parse_when
from engrain.model.entities import (
    IDENTIFIERS,
    NAME,
    Entity,
    Named,
    Reached,
    Relationship,
    Step,
    name_key,
    refanged,
    relation_name,
    type_name,
)
from engrain.model.filters import Filter, begun
from engrain.model.scope import identifier
from engrain.storage.interface import PointOfView, Reader, Surroundings
from engrain.storage.queries import evidence, named
from engrain.storage.rows import ALL_AGENTS, CoMention, EntityNote, EntityRow, EvidenceRow, RelationEdge
from engrain.text import check_text
from engrain.validation import When, checked_share, names

MAX_NAME = 2_048  # characters: URLs are names too
_NEEDED = ("source", "relation", "target")
_KNOWN = frozenset((*_NEEDED, "evidence", "weight", "valid_from", "valid_until"))


def entity_named(type_: str, value: str) -> Named:
    """Return an entity as it is named; raises `ValueError` or `TypeError` for what can be no type or no name."""
    kind = type_name(identifier(type_, "entity type"))
    if not kind:
        raise ValueError(f"entity type {type_!r} has no letters: name one, such as 'actor' or 'person'")
    name = " ".join(check_text(value, what="entity name").split())
    if len(name) > MAX_NAME:
        raise ValueError(f"the entity name is {len(name):,} characters long, the limit is {MAX_NAME:,}")
    if not any(map(str.isprintable, name_key(kind, name))):  # nothing, or nothing that can be seen
        raise ValueError(f"entity name {value!r} is blank, or nothing but punctuation: give its name")
    return Named(kind, refanged(name) if kind in IDENTIFIERS else name)


def pair(value: Sequence[str], what: str) -> Named:
    """Return an entity named by a `(type, name)` pair."""
    if isinstance(value, str) or len(value) != 2:
        raise TypeError(f"{what} must be a (type, name) pair, such as ('actor', 'APT28'), not {value!r}")
    return entity_named(value[0], value[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRelation:
    """A relation stated by hand: the memories that are its evidence, how strong it is, and when it holds."""

    source: Named
    relation: str
    target: Named
    evidence: tuple[str, ...] = ()
    weight: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None


def stated_relation(
    source: tuple[str, str],
    relation: str,
    target: tuple[str, str],
    *,
    evidence: str | Iterable[str] | None = None,
    weight: float = 1.0,
    valid_from: When | None = None,
    valid_until: When | None = None,
) -> StatedRelation:
    """Return a relation from the arguments of `Graph.add_relationship`; raises `ValueError` or `TypeError`."""
    ids = (evidence,) if isinstance(evidence, str) else () if evidence is None else names(evidence, "evidence")
    since = None if valid_from is None else parse_when(valid_from, name="valid_from")
    until = None if valid_until is None else parse_when(valid_until, name="valid_until")
    if since is not None and until is not None and until < since:
        raise ValueError(f"valid_until {until.isoformat()} lies before valid_from {since.isoformat()}")
    name = relation_name(identifier(relation, "relation"))
    if not name:
        raise ValueError(f"relation {relation!r} has no letters: name it, as in 'uses'")
    return StatedRelation(
        source=pair(source, "source"),
        relation=name,
        target=pair(target, "target"),
        evidence=ids,
        weight=checked_share(weight, "weight") or 0.0,
        valid_from=since,
        valid_until=until,
    )


def stated_relation_of(item: object, place: int) -> StatedRelation:
    """Return a relation from a mapping of the arguments; errors say which of many it is."""
    if not isinstance(item, Mapping):
        raise TypeError(f"item {place}: a mapping with source, relation and target is needed, not {item!r}")
    missing = [name for name in _NEEDED if name not in item]
    unknown = [name for name in item if name not in _KNOWN]
    if missing or unknown:
        known = ", ".join(sorted(_KNOWN))
        wrong = f"lacks {missing[0]}" if missing else f"has {unknown[0]!r}, which is none of {known}"
        raise TypeError(f"item {place} {wrong}")
    try:
        return stated_relation(**item)
    except (TypeError, ValueError) as error:
        raise type(error)(f"item {place}: {error}") from None


def vocabulary(path: str | os.PathLike[str]) -> list[tuple[Named, list[str]]]:
    """Read a TOML or JSON file of other names, `{type: {name: [aliases]}}`; raises `ValueError` for any other shape."""
    file = Path(path)
    text = file.read_text(encoding="utf-8")
    try:
        table = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} cannot be read as {file.suffix or 'TOML'}: {error}") from None
    return [
        (entity_named(type_, name), _aliases(type_, name, aliases, file))
        for type_, known in _mapping(table, file).items()
        for name, aliases in _mapping(known, file).items()
    ]


def _mapping(value: object, file: Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{file} must hold types, in them names, and of each a list of aliases, not {value!r}")
    return value


def _aliases(type_: str, name: str, aliases: object, file: Path) -> list[str]:
    if isinstance(aliases, str) or not isinstance(aliases, Sequence):
        raise ValueError(f"{file}: the aliases of {name!r} must be a list, not {aliases!r}")
    return [entity_named(type_, alias).name for alias in aliases]


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
        self._at = PointOfView(where.agent, moment.valid_at, moment.known_at)
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
        found = self.reader.entities(where or self.where, among=roots, limit=len(roots))
        return {roots[row.id] for row in found}

    def _named(self, keys: Collection[str], unseen: bool) -> dict[str, list[EntityRow]]:
        """Return the entities of these names by name, those alone that the view knows or all."""
        wanted = [key for key in keys if key]
        rows = named(self.reader, wanted, self.where)
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
            for row in named(self.reader, wanted, replace(self.where, shared=True)):
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
            for row in named(self.reader, {key for _, key in wanted}, self.where)
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
            if self._at.agent is None or note.agent in (ALL_AGENTS, self._at.agent):
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
        found = self._traverse(own, ends=("source", "target"), together=most)
        rows, beside = found.relations, found.together
        self._meet_ends({*(row[0] for row in rows), *(row[2] for row in rows), *(each[1] for each in beside)})
        ties = [Tie(*row) for row in self._joined(rows)]
        return ties + [Tie(*pair, weak=True) for pair in self._paired(beside)]

    def outward(self, nodes: Collection[int]) -> list[RelationEdge]:
        """Return the relations whose source is one of the entities."""
        rows = self._traverse(self.ids(nodes), ends=("source",)).relations
        self._meet_ends({row[2] for row in rows})
        return self._joined(rows)

    def inward(self, nodes: Collection[int]) -> list[RelationEdge]:
        """Return the relations whose target is one of the entities."""
        rows = self._traverse(self.ids(nodes), ends=("target",)).relations
        self._meet_ends({row[0] for row in rows})
        return self._joined(rows)

    def beside(self, nodes: Collection[int]) -> list[tuple[int, str, int, float, int]]:
        """Return who is named together with the entities: one of them, `BESIDE`, the other, the weight, and where."""
        found = self._traverse(self.ids(nodes), together=None).together
        self._meet_ends({other for _, other, _ in found})
        return self._paired(found)

    def mentions(self, nodes: Collection[int], most: int) -> dict[int, list[int]]:
        """Return the memories about each of some entities, newest first and at most so many, seen or not."""
        told: dict[int, list[int]] = {node: [] for node in nodes}
        for entity, num in self._traverse(self.ids(nodes), mentions=most).mentions:
            told[self._top[entity]].append(num)
        return {node: sorted(nums, reverse=True)[:most] for node, nums in told.items()}

    def living(self, ties: Iterable[Tie]) -> Mapping[int, EvidenceRow]:
        """Return the memories that statements cite."""
        nums = sorted({tie.num for tie in ties} - {0})
        return evidence(self.reader, nums, self._begun)

    def _traverse(
        self, ids: Collection[int], *, ends: Sequence[str] = (), together: int | None = 0, mentions: int = 0
    ) -> Surroundings:
        return self.reader.traverse(
            ids, self.where, self._at, begun=self._begun, ends=ends, together=together, mentions=mentions
        )

    def _meet_ends(self, ids: set[int]) -> None:
        unknown = ids - self._top.keys()
        rows = among(self.reader, EntityRow, "id", unknown) if unknown else []
        if self._single:
            tops = {row.id: row for row in rows if row.merged_into is None}
            self._rows |= tops
            self._top.update(zip(tops, tops, strict=True))
            rows = [row for row in rows if row.merged_into is not None]
        self.meet(rows)

    def _joined(self, rows: Sequence[RelationEdge]) -> list[RelationEdge]:
        """Return statements between entities; their ends are met."""
        if self._merged:
            top = self._top
            rows = [(top[row[0]], row[1], top[row[2]], *row[3:]) for row in rows]
        return [row for row in rows if row[0] != row[2]]

    def _paired(self, found: Iterable[CoMention]) -> list[tuple[int, str, int, float, int]]:
        top = self._top
        pairs = ((top[one], BESIDE, top[other], _BESIDE_WEIGHT, num) for one, other, num in found)
        return [pair for pair in pairs if pair[0] != pair[2]]


_BESIDE_MOST = 0.5  # weight of being named together, however often
_DAMPING = 0.85  # of PageRank: how often a walker goes on instead of back to a seed
_ROUNDS, _PRECISE = 50, 1e-9
_HOPS, _MOST_NODES = 3, 5_000  # how far around the seeds rank is worked out
_NEWEST = 200  # mentions of an entity that ranking looks at


@dataclass(frozen=True, slots=True)
class Bond:
    """All that is said of one relation between two entities, in one direction.

    `weight` is the plainest statement's; of a weak one, two that are merely named together, the more the oftener.
    """

    source: int
    relation: str
    target: int
    weight: float
    is_weak: bool
    ties: Sequence[Tie]

    def evidence(self, living: Mapping[int, EvidenceRow]) -> tuple[str, ...]:
        """Return the memories that say so, newest first."""
        told = sorted({tie.num for tie in self.ties} & living.keys(), reverse=True)
        return tuple(living[num].memory_id for num in told)

    def interval(self, living: Mapping[int, EvidenceRow]) -> tuple[datetime | None, datetime | None]:
        """Return from when until when it holds, by all that is said of it; None where that is open or not known."""
        cited = [(tie, living.get(tie.num)) for tie in self.ties]
        starts = [tie.valid_from or (memory and memory.valid_from) for tie, memory in cited]
        ends = [_earlier(tie.valid_until, memory and memory.valid_until) for tie, memory in cited]
        known = [start for start in starts if start is not None]
        closed = [end for end in ends if end is not None]
        return min(known, default=None), max(closed) if len(closed) == len(ends) and closed else None


def _earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((end for end in (one, other) if end is not None), default=None)


def bonds(ties: Iterable[Tie]) -> list[Bond]:
    """Gather statements into relations, the plainest and best attested first; being named together says less.

    Two entities that something is said of are not listed again for being named together.
    """
    together: dict[tuple[int, str, int], list[Tie]] = {}
    weak: dict[tuple[int, int], list[Tie]] = {}
    for tie in ties:
        source, relation, target = tie[:3]
        if not tie.weak:
            together.setdefault((source, relation, target), []).append(tie)
        else:
            weak.setdefault((min(source, target), max(source, target)), []).append(tie)
    kept = [Bond(*place, max([tie.weight for tie in some]), False, some) for place, some in together.items()]
    said = {(min(bond.source, bond.target), max(bond.source, bond.target)) for bond in kept} if weak else set()
    for pair, some in weak.items():
        if pair not in said:
            weight = min(sum(tie.weight for tie in some), _BESIDE_MOST)
            kept.append(Bond(pair[0], some[0].relation, pair[1], weight, True, some))
    # Rows come in no order of their own, so ends decide what all else leaves open.
    return sorted(
        kept, key=lambda bond: (bond.is_weak, -bond.weight, -len(bond.ties), bond.ties[0].num, bond.source, bond.target)
    )


def relationships(lens: Lens, node: int, found: Sequence[Bond]) -> list[Relationship]:
    """Return relations as seen from one entity."""
    nodes = list(dict.fromkeys([node, *(end for bond in found for end in (bond.source, bond.target))]))
    entities = dict(zip(nodes, lens.described(nodes), strict=True))
    living = lens.living(tie for bond in found for tie in bond.ties)
    return [_seen_from(node, bond, entities, living) for bond in found]


def _seen_from(
    node: int, bond: Bond, entities: Mapping[int, Entity], living: Mapping[int, EvidenceRow]
) -> Relationship:
    source, target = bond.source, bond.target
    if bond.is_weak and target == node:  # which has no direction
        source, target = target, source
    direction = "out" if source == node else "in"
    weight = round(bond.weight, 6)
    ends = entities[source], bond.relation, entities[target]
    return Relationship(*ends, direction, weight, bond.evidence(living), *bond.interval(living))


def neighbours(lens: Lens, node: int) -> list[Relationship]:
    """Return what an entity has to do with others, in both directions."""
    return relationships(lens, node, bonds(lens.around([node])))


def reached(lens: Lens, node: int, max_depth: int) -> list[Reached]:
    """Return every entity within some steps of one, the nearest first, each once, with a shortest way to it."""
    ways: dict[int, tuple[Step, ...]] = {node: ()}
    frontier, out = [node], list[Reached]()
    for depth in range(1, max_depth + 1):
        frontier = _step(lens, frontier, ways)
        out += [Reached(ways[each][-1].entity, depth, ways[each]) for each in frontier]
        if not frontier:
            break
    return out


def related(lens: Lens, node: int, max_depth: int) -> list[Entity]:
    """Return the entities within some steps of one, the nearest first and then in the order in which they were made."""
    seen, frontier, out = {node}, [node], list[int]()
    for _ in range(max_depth):
        ends = {end for tie in lens.around(frontier) for end in (tie.source, tie.target)} if frontier else set()
        frontier = sorted(ends - seen)
        seen |= set(frontier)
        out += frontier
    return lens.described(out)


def neighbourhood(lens: Lens, node: int, max_depth: int) -> tuple[list[int], list[Bond]]:
    """Return an entity and those within some steps, and every relation between two of them."""
    nodes, frontier = {node: None}, [node]
    ties: list[Tie] = []
    for _ in range(max_depth):
        ties += lens.around(frontier)
        ends = (end for tie in ties for end in (tie.source, tie.target))
        frontier = [end for end in dict.fromkeys(ends) if end not in nodes]
        nodes |= dict.fromkeys(frontier)
    ties += lens.around(frontier)  # what the outermost have to do with each other
    inside = dict.fromkeys(tie for tie in ties if tie.source in nodes and tie.target in nodes)
    return list(nodes), bonds(inside)


def outward(lens: Lens, node: int) -> list[Relationship]:
    """Return the relations whose source an entity is; being merely named together with another is none."""
    found = [bond for bond in bonds(lens.around([node], most=0)) if bond.source == node]
    return relationships(lens, node, found)


def _step(lens: Lens, frontier: Sequence[int], ways: dict[int, tuple[Step, ...]]) -> list[int]:
    """Go one step from the frontier, and return whom that reached first; `ways` learns how."""
    order = {each: place for place, each in enumerate(frontier)}
    said = [
        (order[one], -weight, other, relation, "out")
        for one, relation, other, weight, *_ in lens.outward(frontier)
        if other not in ways
    ]
    said += [
        (order[one], -weight, other, relation, "in")
        for other, relation, one, weight, *_ in lens.inward(frontier)
        if other not in ways
    ]
    beside = [
        (order[one], -weight, other, relation, "out")
        for one, relation, other, weight, _ in lens.beside(frontier)
        if other not in ways
    ]
    new: list[int] = []
    for place, _, other, relation, way in chain(sorted(said), sorted(beside)):
        if other not in ways:
            ways[other] = (*ways[frontier[place]], Step(relation, way, lens.entity(other)))
            new.append(other)
    return new


def shortest_path(lens: Lens, start: int, goal: int, max_depth: int) -> list[Relationship]:
    """Return the relations along a shortest way, each seen from where one comes; [] when there is none."""
    sides: tuple[dict[int, Bond | None], ...] = ({start: None}, {goal: None})
    edges: list[list[int]] = [[start], [goal]]
    for _ in range(max_depth):
        if start == goal or not all(edges):
            return []
        side = 0 if len(edges[0]) <= len(edges[1]) else 1
        edges[side] = _grown(lens, edges[side], sides[side])
        met = [node for node in edges[side] if node in sides[1 - side]]
        if met:
            return _joined(lens, met[0], sides)
    return []


def _grown(lens: Lens, frontier: Sequence[int], seen: dict[int, Bond | None]) -> list[int]:
    order, new = set(frontier), list[int]()
    for bond in bonds(lens.around(order)):
        for one, other in ((bond.source, bond.target), (bond.target, bond.source)):
            if one in order and other not in seen:
                seen[other] = bond
                new.append(other)
    return new


def _joined(lens: Lens, middle: int, sides: tuple[dict[int, Bond | None], ...]) -> list[Relationship]:
    before, node = list[tuple[int, Bond]](), middle
    while (bond := sides[0][node]) is not None:
        node = bond.source if bond.target == node else bond.target
        before.append((node, bond))
    after, node = list[tuple[int, Bond]](), middle
    while (bond := sides[1][node]) is not None:
        after.append((node, bond))
        node = bond.source if bond.target == node else bond.target
    return [relationships(lens, at, [bond])[0] for at, bond in (*reversed(before), *after)]


def pagerank(lens: Lens, seeds: Collection[int], k: int) -> list[tuple[Entity, float]]:
    """Return who matters most from the seeds, by personalised PageRank with damping .85; the seeds are left out.

    Ranked are those within three steps, the nearest 5,000; weights are those of the relations.
    """
    links: dict[int, dict[int, float]] = {node: {} for node in seeds}
    frontier: list[int] = list(seeds)
    for _ in range(_HOPS):
        new = dict[int, None]()
        for bond in bonds(lens.around(frontier, most=_NEWEST)):
            for one, other in ((bond.source, bond.target), (bond.target, bond.source)):
                if other not in links and len(links) < _MOST_NODES:
                    links[other] = {}
                    new[other] = None
                if one in links and other in links:
                    links[one][other] = max(links[one].get(other, 0.0), bond.weight)
        frontier = list(new)
        if not frontier:
            break
    scores = _ranked(links, seeds)
    best = sorted((node for node in scores if node not in set(seeds)), key=lambda node: (-scores[node], node))[:k]
    return [(entity, round(scores[node], 9)) for node, entity in zip(best, lens.described(best), strict=True)]


def _ranked(links: Mapping[int, Mapping[int, float]], seeds: Collection[int]) -> dict[int, float]:
    places = {node: place for place, node in enumerate(links)}
    edges = [(places[one], places[other], weight) for one, near in links.items() for other, weight in near.items()]
    starts, ends = (np.array([edge[end] for edge in edges], np.int64) for end in (0, 1))
    weights = np.array([edge[2] for edge in edges], np.float64)
    totals = np.bincount(starts, weights, len(places))
    home = np.zeros(len(places))
    home[[places[seed] for seed in seeds]] = 1 / len(seeds)
    shares = np.divide(weights, totals[starts], out=np.zeros_like(weights), where=totals[starts] > 0)
    scores = home
    for _ in range(_ROUNDS):
        lost = scores[totals == 0].sum()  # who leads nowhere sends the walker home
        moved = np.bincount(ends, scores[starts] * shares, len(places))
        after = (1 - _DAMPING + _DAMPING * lost) * home + _DAMPING * moved
        change, scores = np.abs(after - scores).sum(), after
        if change < _PRECISE:
            break
    return dict(zip(links, scores.tolist(), strict=True))
