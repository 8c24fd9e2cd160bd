"""What ranking needs to know of rows, taken out of a mirror in the codes that all namespaces share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.models import SourceType
from recollect.numeric import Ints, np
from recollect.stores.mirror import Mirror

_WHOLE = ("session", "position", "actor", "source_type", "valid_from", "recorded_at", "length", "marks")
KNOWN = {**dict.fromkeys(_WHOLE, "i8"), **dict.fromkeys(("importance", "strength", "trust"), "f4")}
_CLASSES = {source_type.value: place for place, source_type in enumerate(SourceType)}


def known_of(mirror: Mirror, places: Ints, first: int, actors: dict[str, int]) -> dict[str, Any]:
    """Return what ranking needs to know of rows by their places; sessions from the code `first` on."""
    known = {name: mirror[name].take(places) for name in KNOWN}
    talks = mirror.talks.take(places).astype(np.int64)
    known["session"] = np.where(talks >= 0, talks + first, -1) if first else talks
    known["actor"] = _shared(mirror.codes["actor"], actors)[known["actor"]]
    known["source_type"] = _shared(mirror.codes["source_type"], _CLASSES)[known["source_type"]]
    return {name: known[name].astype(kind, copy=False) for name, kind in KNOWN.items()}


def _shared(codes: Mapping[str, int], shared: dict[str, int]) -> Ints:
    """Return the common code of each of a namespace's codes; the last place stands for the code -1, nobody."""
    return np.array([*(shared.setdefault(name, len(shared)) for name in codes), -1], np.int64)
