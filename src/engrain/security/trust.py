"""Whose word counts for how much: the five trust classes and how a caller's words map to them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from engrain.model.memory import Source, SourceType
from engrain.text import check_text

_CLASSES = {source_type.value: source_type for source_type in SourceType}
BASE: Mapping[SourceType, float] = {
    SourceType.SYSTEM: 1.0,
    SourceType.USER_INPUT: 0.9,
    SourceType.LLM_GENERATED: 0.7,
    SourceType.TOOL_RESULT: 0.6,
    SourceType.EXTERNAL_DATA: 0.3,
}


def classify(source_type: object, origins: Mapping[str, str]) -> tuple[SourceType, str]:
    """Return the trust class of a caller's `source_type` and the caller's own word for it ("" when it is a class).

    Any string is accepted: what is not a class is looked up in `origins`, and an unknown one is external data.
    """
    name = check_text(source_type, what="source_type")
    if name in _CLASSES:
        return _CLASSES[name], ""
    if not name.strip() or len(name) > 256:
        raise ValueError("source_type must be 1 to 256 characters: a trust class or a word of your own")
    return SourceType(origins.get(name, SourceType.EXTERNAL_DATA)), name


def least_trusted(types: Iterable[SourceType]) -> SourceType:
    """Return the lowest class among them: what a memory derived from them all may claim."""
    return min(types, key=lambda source_type: BASE[source_type])


@dataclass(frozen=True, slots=True)
class TrustScorer:
    """Scores how far a memory is to be trusted: its class's worth, fading with age, rising a little with use.

    base x e^(-decay_rate x days) + min(accesses x access_boost, max_boost), in [0, 1]. It ranks and audits; what a
    memory may do is decided by its class. A rate or boost below 0 is a `ValueError`.
    """

    decay_rate: float = 0.01
    access_boost: float = 0.01
    max_boost: float = 0.2

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not 0 <= value < math.inf:
                raise ValueError(f"{each.name} must be 0 or more, not {value!r}")

    def score(self, source: Source | SourceType | str, *, access_count: int, age_days: float) -> float:
        """Return the trust of a memory of that source, or trust class; an age or a count below 0 counts as 0."""
        faded = _worth(source) * math.exp(-self.decay_rate * max(age_days, 0.0))
        return min(max(faded + min(max(access_count, 0) * self.access_boost, self.max_boost), 0.0), 1.0)


def _worth(source: Source | SourceType | str) -> float:
    named = source.type if isinstance(source, Source) else source
    if not isinstance(named, str):
        raise TypeError(f"a source is a Source, a SourceType or its name, not {type(named).__name__}")
    if named not in _CLASSES:
        raise ValueError(f"there is no trust class {named!r}: use one of {', '.join(_CLASSES)}")
    return BASE[_CLASSES[named]]
