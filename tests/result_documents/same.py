"""Whether two results are the same: of the same types, and equal in every field, those that equality leaves out too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime

from engrain.model.results import Listing, Messages

PACKED = "_pack"  # how a recall packs its context: a function, compared by what it returns


def difference(one: object, other: object, at: str = "result") -> str:
    """Return where two results differ, "" when they do not."""
    if type(one) is not type(other):
        return f"{at}: {type(one).__name__} {one!r} is not {type(other).__name__} {other!r}"
    if isinstance(one, datetime) and isinstance(other, datetime) and one.utcoffset() != other.utcoffset():
        return f"{at}: {one} is not {other}"
    pairs = list(_inside(one, other))
    if not pairs:
        return "" if one == other else f"{at}: {one!r} is not {other!r}"
    return next(filter(None, (difference(mine, yours, f"{at}.{name}") for name, mine, yours in pairs)), "")


def _inside(one: object, other: object) -> Sequence[tuple[str, object, object]]:
    if is_dataclass(one):
        return [(each.name, getattr(one, each.name), getattr(other, each.name)) for each in fields(one)]
    found: list[tuple[str, object, object]] = []
    if isinstance(one, Listing | Messages):
        found = [(name, held, vars(other).get(name)) for name, held in vars(one).items() if name != PACKED]
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return [("keys", list(one), list(other)), *((str(key), one[key], other.get(key)) for key in one)]
    if isinstance(one, Sequence) and isinstance(other, Sequence) and not isinstance(one, str):
        found.append(("length", len(one), len(other)))
        found += [(str(place), *both) for place, both in enumerate(zip(one, other, strict=False))]
    return found
