"""Walking the graph: neighbours, everything in reach, the shortest way, and who matters most from where one stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from recollect.entities import Entity, Reached, Relationship, Step
from recollect.graph.lens import Lens, Tie
from recollect.graphrows import Living
from recollect.numeric import np

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

    def evidence(self, living: Mapping[int, Living]) -> tuple[str, ...]:
        """Return the memories that say so, newest first."""
        told = sorted({tie.num for tie in self.ties} & living.keys(), reverse=True)
        return tuple(living[num].memory_id for num in told)

    def interval(self, living: Mapping[int, Living]) -> tuple[datetime | None, datetime | None]:
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


def _seen_from(node: int, bond: Bond, entities: Mapping[int, Entity], living: Mapping[int, Living]) -> Relationship:
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
