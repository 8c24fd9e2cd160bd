"""Relations as callers state them, checked before anything is touched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engrain.graph.traversal import pair
from engrain.language.timestamps import parse_when
from engrain.model.entities import relation_name
from engrain.model.scope import identifier
from engrain.read.request import share
from engrain.validation import When, names
from engrain.write.graph_edits import Statement

_NEEDED = ("source", "relation", "target")
_KNOWN = frozenset((*_NEEDED, "evidence", "weight", "valid_from", "valid_until"))


def statement(
    source: Sequence[str],
    relation: str,
    target: Sequence[str],
    *,
    evidence: str | Iterable[str] | None = None,
    weight: float = 1.0,
    valid_from: When | None = None,
    valid_until: When | None = None,
) -> Statement:
    """Return a relation as it is stated; raises `ValueError` or `TypeError` for what can be none."""
    ids = (evidence,) if isinstance(evidence, str) else () if evidence is None else names(evidence, "evidence")
    since = None if valid_from is None else parse_when(valid_from, name="valid_from")
    until = None if valid_until is None else parse_when(valid_until, name="valid_until")
    if since is not None and until is not None and until < since:
        raise ValueError(f"valid_until {until.isoformat()} lies before valid_from {since.isoformat()}")
    said = relation_name(identifier(relation, "relation"))
    if not said:
        raise ValueError(f"relation {relation!r} has no letters: name it, as in 'uses'")
    return Statement(
        source=pair(source, "source"),
        relation=said,
        target=pair(target, "target"),
        evidence=ids,
        weight=share(weight, "weight"),
        valid_from=since,
        valid_until=until,
    )


def statement_of(item: object, place: int) -> Statement:
    """Return the relation that a mapping of these arguments states; errors say which of many it is."""
    if not isinstance(item, Mapping):
        raise TypeError(f"item {place}: a mapping with source, relation and target is needed, not {item!r}")
    arguments: Mapping[str, Any] = item
    missing = [name for name in _NEEDED if name not in arguments]
    strange = [name for name in arguments if name not in _KNOWN]
    if missing or strange:
        said = f"lacks {missing[0]}" if missing else f"has {strange[0]!r}, which is none of {', '.join(sorted(_KNOWN))}"
        raise TypeError(f"item {place} {said}")
    try:
        return statement(**arguments)
    except (TypeError, ValueError) as error:
        raise type(error)(f"item {place}: {error}") from None
