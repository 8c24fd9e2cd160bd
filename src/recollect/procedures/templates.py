"""Arguments generalised: what calls of one step have in common stays, and `{name}` stands where they differ. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.checks import checked_metadata
from recollect.models import SourceType
from recollect.procedures.traces import is_name
from recollect.security.injection import suspicions

_DEEPEST, _MOST, _LONGEST = 6, 40, 200  # levels, arguments of a level, characters of a value that stays
_MISSING = object()


def template(calls: Sequence[Mapping[str, Any]], *, within: str = "", depth: int = 0) -> dict[str, Any]:
    """Return the arguments that all calls give: the value where they agree, `{name}` where not, objects by their parts.

    An object's parts are named `{object.part}`. Long values, and what looks like an attack on its reader, never stay.
    """
    found: dict[str, Any] = {}
    for name in calls[0] if calls else ():
        values = [call.get(name, _MISSING) for call in calls]
        if len(found) == _MOST or _MISSING in values or not is_name(name):
            continue
        place = f"{within}.{name}" if within else name
        if depth < _DEEPEST and all(isinstance(value, Mapping) and value for value in values):
            found[name] = template(values, within=place, depth=depth + 1)
        else:
            found[name] = values[0] if _stays(values) else f"{{{place}}}"
    return found


def matches(found: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    """Say whether a call is one that a template stands for."""
    for name, wanted in found.items():
        if name not in call:
            return False
        value = call[name]
        if isinstance(wanted, Mapping) and isinstance(value, Mapping) and value:
            if not matches(wanted, value):
                return False
        elif not _is_place(wanted) and _written(wanted) != _written(value):
            return False
    return True


def _stays(values: Sequence[object]) -> bool:
    first = _written(values[0])
    try:
        checked_metadata({"value": values[0]})
    except ValueError:  # a number or a text that no store could keep
        return False
    return (
        len(first) <= _LONGEST
        and all(_written(value) == first for value in values)
        and not suspicions(_plain(values[0]), SourceType.TOOL_RESULT)
    )


def _is_place(value: object) -> bool:
    return isinstance(value, str) and value.startswith("{") and value.endswith("}")


def _plain(value: object) -> str:
    return value if isinstance(value, str) else _written(value)


def _written(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
