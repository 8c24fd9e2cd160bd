"""Whose memories a request means, said once for all of it: a header beside what the operation takes itself."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from engrain.model.memory import Scope
from engrain.operations.schema import SCOPE

VIEW = "Engrain-View"
"""A header, `org=acme&user=ana` with percent signs as in a query: what a view of the manager is to a program."""


def view_header(scope: Scope, *, org: bool) -> str:
    """Return a view as its header, without its org when that is left to the key."""
    named = {name: getattr(scope, name) for name in (SCOPE if org else SCOPE[1:])}
    return urlencode({name: value for name, value in named.items() if value is not None})


def asked_in(header: str | None, asked: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return whose memories a request means, by its header and what it says elsewhere; raises where the two differ."""
    try:
        pairs = parse_qsl(header or "", keep_blank_values=True, errors="strict", max_num_fields=len(SCOPE))
    except ValueError:
        raise ValueError(f"{VIEW} cannot be read: write it as user=ana&session=monday, each name once") from None
    found: dict[str, str | None] = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"{VIEW} names something twice: say once whose memories are meant")
    unknown = sorted(found.keys() - set(SCOPE))
    if unknown:
        raise ValueError(f"{VIEW} has no {unknown[0]!r}: it takes {', '.join(SCOPE)}")
    for name, value in asked.items():
        if value is not None and found.setdefault(name, value) != value:
            raise ValueError(f"this view is bound to {name} {found[name]!r} and cannot become {value!r}")
    return found
