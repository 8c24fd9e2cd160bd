"""What a file or a picture of a graph holds: every entity and relationship once, and of a large graph the middle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engrain.model.entities import Entity, Relationship

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Selection:
    """Entities by type and name, how they relate, which one is in the middle, and how many were left out."""

    entities: Mapping[Key, Entity]
    relationships: tuple[Relationship, ...]
    centre: Key | None = None
    entities_left_out: int = 0
    relationships_left_out: int = 0


def key(entity: Entity) -> Key:
    """Return what tells an entity from others."""
    return entity.type, entity.name


def everything(
    entities: Iterable[Entity], relationships: Sequence[Relationship], centre: Entity | None = None
) -> Selection:
    """Bring together what was listed, each once; the ends of relationships are entities too."""
    found: dict[Key, Entity] = {}
    for entity in (*([centre] if centre else []), *entities, *(e for r in relationships for e in (r.source, r.target))):
        known = found.get(key(entity))
        if known is None or (not known.aliases and not known.metadata):
            found[key(entity)] = entity
    once: dict[tuple[object, ...], Relationship] = {}
    for each in relationships:
        once.setdefault((key(each.source), each.relation, key(each.target), each.valid_from, each.valid_until), each)
    return Selection(found, tuple(once.values()), key(centre) if centre else None)


def nearest(whole: Selection, *, entities: int, relationships: int) -> Selection:
    """Keep at most so many: what is nearest to the centre, then what weighs most; without a centre the densest part."""
    pulls: dict[Key, dict[Key, float]] = {k: defaultdict(float) for k in whole.entities}
    for each in whole.relationships:
        pulls[key(each.source)][key(each.target)] += each.weight
        pulls[key(each.target)][key(each.source)] += each.weight
    chosen = list(whole.entities)
    if whole.centre is not None:
        steps, weight, far = _steps(whole.centre, pulls), _weights(pulls), len(chosen)
        chosen.sort(key=lambda k: (steps.get(k, far), -weight[k], k))
    elif len(chosen) > entities:
        chosen = _densest(pulls, entities)
    kept = set(chosen[:entities])
    inner = [each for each in whole.relationships if key(each.source) in kept and key(each.target) in kept]
    drawn = {id(each) for each in sorted(inner, key=lambda each: -each.weight)[:relationships]}
    return Selection(
        {k: whole.entities[k] for k in chosen[:entities]},
        tuple(each for each in inner if id(each) in drawn),
        whole.centre,
        len(whole.entities) - len(kept),
        len(whole.relationships) - len(drawn),
    )


def _weights(pulls: Mapping[Key, Mapping[Key, float]]) -> dict[Key, float]:
    return {k: sum(around.values()) for k, around in pulls.items()}


def _densest(pulls: Mapping[Key, Mapping[Key, float]], count: int) -> list[Key]:
    """Return a part that hangs together: from the heaviest on always what has most to do with those chosen."""
    weight = _weights(pulls)
    heaviest = iter(sorted(pulls, key=lambda k: (-weight[k], k)))
    chosen: dict[Key, None] = {}
    beside: dict[Key, float] = defaultdict(float)
    while len(chosen) < count:
        following = min(beside, key=lambda k: (-beside[k], -weight[k], k), default=None)
        if following is None:
            following = next(k for k in heaviest if k not in chosen)
        chosen[following] = None
        beside.pop(following, None)
        for near, pull in pulls[following].items():
            if near not in chosen:
                beside[near] += pull
    return list(chosen)


def _steps(centre: Key, beside: Mapping[Key, Iterable[Key]]) -> dict[Key, int]:
    """Return how far each entity is from the centre."""
    steps, ring = {centre: 0}, [centre]
    while ring:
        ring = list(dict.fromkeys(near for one in ring for near in beside[one] if near not in steps))
        steps.update(dict.fromkeys(ring, max(steps.values()) + 1))
    return steps
