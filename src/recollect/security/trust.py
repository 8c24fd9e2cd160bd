"""Whose word counts for how much: the five trust classes and how a caller's words map to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.models import SourceType
from recollect.text import check_text

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
