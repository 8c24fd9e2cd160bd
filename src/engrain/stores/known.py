"""What ranking needs to know of rows, taken out of a mirror in the codes that all namespaces share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engrain.arrays import Ints, np
from engrain.model.memory import Kind, SourceType
from engrain.stores.mirror import Mirror

_WHOLE = ("session", "position", "actor", "source_type", "valid_from", "recorded_at", "length", "marks")
_FADING = ("kind", "domain", "agent", "used_at", "access_count")
KNOWN = {**dict.fromkeys((*_WHOLE, *_FADING), "i8"), **dict.fromkeys(("importance", "strength", "trust"), "f4")}
_FIXED = {
    "source_type": {source_type.value: place for place, source_type in enumerate(SourceType)},
    "kind": {kind.value: place for place, kind in enumerate(Kind)},
}


@dataclass(frozen=True, slots=True)
class Names:
    """The codes that names get, in the order in which they are met."""

    actor: dict[str, int] = field(default_factory=dict)
    domain: dict[str, int] = field(default_factory=dict)
    agent: dict[str, int] = field(default_factory=dict)


def known_of(mirror: Mirror, places: Ints, first: int, names: Names) -> dict[str, Any]:
    """Return what ranking needs to know of rows by their places; sessions from the code `first` on."""
    known = {name: mirror[name].take(places) for name in KNOWN}
    talks = mirror.talks.take(places).astype(np.int64)
    known["session"] = np.where(talks >= 0, talks + first, -1) if first else talks
    for name in ("actor", "domain", "agent"):
        known[name] = _shared(mirror.codes[name], getattr(names, name))[known[name]]
    for name, codes in _FIXED.items():
        known[name] = _shared(mirror.codes[name], codes)[known[name]]
    return {name: known[name].astype(kind, copy=False) for name, kind in KNOWN.items()}


def _shared(codes: Mapping[str, int], shared: dict[str, int]) -> Ints:
    """Return the common code of each of a namespace's codes; the last place stands for the code -1, nobody."""
    return np.array([*(shared.setdefault(name, len(shared)) for name in codes), -1], np.int64)
