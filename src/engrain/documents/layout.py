"""Which keys an object has as a JSON document, and what stands under each: read from the annotations of its class.

Writing, the schema and reading all follow it, so a new field of a result is in the three of them by itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from engrain.chat.formats import Messages
from engrain.model.results import Hit, Listing, Page, Recall, Remembered, Worked

RESULT = "result"
"""The key of a bare value that nothing else names."""


class Part(NamedTuple):
    """One key of an object, and what stands under it."""

    name: str
    hint: Any


class Listed(NamedTuple):
    """A list that says more than its items: they stand under `key`, the `parts` beside them.

    What `spread` names has no key of its own: its parts stand beside the others. It is `fixed` when it looks the same
    in every answer.
    """

    bare: type
    key: str
    item: Any
    parts: tuple[Part, ...]
    spread: Part | None
    fixed: bool


class Repeated(NamedTuple):
    """A key that only repeats what the others say, for whoever reads the JSON: how its value is had from the object."""

    name: str
    hint: Any
    of: Callable[[Any], object]


_REPEATED: Mapping[type, Repeated] = {
    Hit: Repeated("id", str, lambda hit: hit.id),
    Remembered: Repeated("id", str | None, lambda kept: None if kept.memory is None else kept.memory.id),
}

_CALLS = get_origin(Callable[..., object])


def exact(hint: Any) -> Any:
    """Return an annotation without its notes; one that is a type says more exactly what a method returns."""
    if get_origin(hint) is not Annotated:
        return hint
    said, *notes = get_args(hint)
    return next((note for note in notes if isinstance(note, type | UnionType)), said)


def members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, any other annotation alone; None is `NoneType`."""
    found = exact(hint)
    if get_origin(found) in (Union, UnionType):
        return tuple(each for member in get_args(found) for each in members(member))
    return (NoneType if found is None else found,)


def parts_of(bare: Any) -> tuple[Part, ...] | None:
    """Return the keys of an object in order; None for a class that is not written key by key."""
    return _parts(bare)


@cache
def _parts(bare: Any) -> tuple[Part, ...] | None:
    if is_dataclass(bare):
        names = [each.name for each in fields(bare)]
    elif issubclass(bare, tuple) and hasattr(bare, "_fields"):
        names = list(bare._fields)
    else:
        return None
    hints = get_type_hints(bare, include_extras=True)
    return tuple(Part(name, hints[name] if name in hints else _hint_of_property(bare, name)) for name in names)


def _hint_of_property(bare: type, name: str) -> Any:
    return get_type_hints(getattr(bare, name).fget, include_extras=True)["return"]


def repeated(bare: type) -> Repeated | None:
    """Return the key of an object, its first, that only repeats what the others say; None when it has none."""
    return _REPEATED.get(bare)


def listed(hint: Any, answer: str = RESULT) -> Listed | None:
    """Return how a list that says more than its items is written, None for any other annotation or class.

    Its parts are the arguments that it is made of: the items first, then what it says beside them.
    """
    return _listed(hint, answer)


@cache
def _listed(hint: Any, answer: str) -> Listed | None:
    bare: Any = get_origin(hint) or hint
    if not isinstance(bare, type) or not issubclass(bare, Listing | Messages):
        return None
    first, *rest = _arguments(bare)
    item = get_args(first.hint)[0]
    item = next(iter(get_args(hint)), Any) if isinstance(item, TypeVar) else item
    spread = next((part for part in rest if part.hint is Worked), None)
    beside = tuple(part for part in rest if part is not spread)
    fixed = issubclass(bare, Recall)
    if issubclass(bare, Page) and answer == RESULT:
        answer = "memories"  # what a page is one of, unless it is told
    return Listed(bare, first.name if fixed else answer, item, beside, spread, fixed)


@cache
def _arguments(bare: Any) -> tuple[Part, ...]:
    hints = get_type_hints(bare.__init__, include_extras=True)
    names = [name for name in inspect.signature(bare).parameters if get_origin(hints[name]) is not _CALLS]
    return tuple(Part(name, hints[name]) for name in names)
