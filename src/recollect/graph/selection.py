"""What a file or a picture of a graph holds: every entity and relationship once, and of a large graph the middle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from recollect.entities import Entity, Relationship

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
    """Keep at most so many: the nearest to the centre first, then those with the most weight."""
    weight: dict[Key, float] = defaultdict(float)
    for each in whole.relationships:
        for end in (each.source, each.target):
            weight[key(end)] += each.weight
    steps = _steps(whole)
    far = len(whole.entities)
    ranked = sorted(whole.entities, key=lambda k: (steps.get(k, far), -weight[k], k))
    kept = set(ranked[:entities])
    inner = [each for each in whole.relationships if key(each.source) in kept and key(each.target) in kept]
    chosen = {id(each) for each in sorted(inner, key=lambda each: -each.weight)[:relationships]}
    return Selection(
        {k: whole.entities[k] for k in ranked[:entities]},
        tuple(each for each in inner if id(each) in chosen),
        whole.centre,
        len(whole.entities) - len(kept),
        len(whole.relationships) - len(chosen),
    )


def _steps(whole: Selection) -> dict[Key, int]:
    """Return how far each entity is from the centre; empty without one."""
    if whole.centre is None:
        return {}
    beside: dict[Key, list[Key]] = defaultdict(list)
    for each in whole.relationships:
        beside[key(each.source)].append(key(each.target))
        beside[key(each.target)].append(key(each.source))
    steps, ring = {whole.centre: 0}, [whole.centre]
    while ring:
        ring = list(dict.fromkeys(near for one in ring for near in beside[one] if near not in steps))
        steps.update(dict.fromkeys(ring, max(steps.values()) + 1))
    return steps
