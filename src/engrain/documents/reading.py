"""JSON documents back to the objects that they were written from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache, partial
from os import PathLike
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from engrain.documents.layout import RESULT, Listed, Part, exact, listed, members, parts_of
from engrain.model.results import Hit, Recall
from engrain.read.packing import pack
from engrain.text import OfflineTokenizer

_SAY_LITTLE = (int, float, str, object, NoneType)


def read_back(hint: Any, document: object, answer: str = RESULT) -> Any:
    """Return the result whose document this is: what a method with this annotation returned, equal and of its types.

    `answer` is what `document` was given. Times come back in UTC. Keys that the annotation does not know are passed
    over, a newer server may send them; a key that is missing, or holds something else, is a `ValueError` that says
    which. A `Recall` that was read packs its `context` where it is, and counts tokens by rule.
    """
    return _first(hint, lambda member: _whole(member, document, answer), document, "")


def _whole(hint: Any, document: object, answer: str) -> Any:
    """Read a document as one type: an object by itself, or the value under `answer`."""
    bare = get_origin(hint) or hint
    form = listed(hint, answer)
    if form is not None:
        return _listing(form, _object(document, ""), "")
    if bare in (Any, object) or (isinstance(bare, type) and (parts_of(bare) is not None or issubclass(bare, Mapping))):
        return _one(hint, _object(document, ""), "")
    return _one(hint, _under(answer, _object(document, ""), ""), answer)


def _value(hint: Any, value: object, at: str) -> Any:
    if value is None and NoneType in _ranked(hint):
        return None
    return _first(hint, lambda member: _one(member, value, at), value, at)


def _first(hint: Any, read: Callable[[Any], Any], value: object, at: str) -> Any:
    """Read as the first type of a union that fits."""
    found = _ranked(hint)
    if len(found) == 1:
        return read(found[0])
    errors = []
    for member in found:
        try:
            return read(member)
        except ValueError as error:
            errors.append(error)
    if len(found) == 2 and found[1] is NoneType:
        raise errors[0]
    raise _wrong(value, " or ".join(getattr(member, "__name__", str(member)) for member in found), at)


@cache
def _ranked(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, those that say most about a value before those that say little, None last."""
    return tuple(sorted(members(hint), key=_vague))


def _vague(hint: Any) -> int:
    bare = get_origin(hint) or hint
    if not isinstance(bare, type) or (issubclass(bare, Mapping) and parts_of(bare) is None):
        bare = object
    return 1 + _SAY_LITTLE.index(bare) if bare in _SAY_LITTLE else 0


def _one(hint: Any, value: object, at: str) -> Any:
    """Read a value as one type."""
    return _reader(hint)(value, at)


@cache
def _reader(hint: Any) -> Callable[[object, str], Any]:
    """Return what reads values of a type; a class is told by what it is, from the narrower to the wider."""
    bare = get_origin(hint) or hint
    form = listed(hint)
    if form is not None:
        return lambda value, at: _listing(form, _object(value, at), at)
    if bare is Literal:
        return lambda value, at: _literal(hint, value, at)
    if bare in (Any, object) or not isinstance(bare, type):
        return lambda value, at: value
    if parts_of(bare) is not None:
        return lambda value, at: _made(bare, _object(value, at), at)
    args = get_args(hint)
    for kind, read in _READERS.items():
        if issubclass(bare, kind):
            return partial(read, bare, args)
    raise TypeError(f"{hint} cannot be read from a JSON document")


# ------------------------------------------------------------------------------------------------------------- objects


def _made(bare: type, found: Mapping[str, Any], at: str) -> Any:
    """Make an object of its parts; what it refuses itself is told with its place."""
    values = _parts(_settable(bare), found, at)
    try:
        return bare(**values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{at or 'the document'} is no {bare.__name__}: {error}") from error


@cache
def _settable(bare: Any) -> tuple[Part, ...]:
    given = {each.name for each in fields(bare) if each.init} if is_dataclass(bare) else None
    return tuple(part for part in parts_of(bare) or () if given is None or part.name in given)


def _listing(form: Listed, found: Mapping[str, Any], at: str) -> Any:
    items = _list(form.item, _under(form.key, found, at), _at(at, form.key))
    values = _parts(form.parts, found, at)
    if form.spread is not None:
        values[form.spread.name] = _value(form.spread.hint, found, at)
    if issubclass(form.bare, Recall):
        values["pack"] = _packed
    return form.bare(items, **values)


def _packed(hits: Sequence[Hit], budget: int) -> str:
    return pack(hits, OfflineTokenizer(), budget)


def _parts(parts: Sequence[Part], found: Mapping[str, Any], at: str) -> dict[str, Any]:
    return {part.name: _value(part.hint, _under(part.name, found, at), _at(at, part.name)) for part in parts}


def _object(value: object, at: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(value, "an object", at)
    return value


def _under(name: str, found: Mapping[str, Any], at: str) -> Any:
    if name not in found:
        raise ValueError(f"{_at(at, name)} is missing")
    return found[name]


def _at(at: str, name: str) -> str:
    return f"{at}.{name}" if at else name


def _wrong(value: object, wanted: str, at: str) -> ValueError:
    shown = repr(value)
    return ValueError(f"{at or 'the document'} is {shown if len(shown) <= 80 else shown[:79] + '…'}: not {wanted}")


# -------------------------------------------------------------------------------------------------------------- values

_Args = tuple[Any, ...]


def _none(_bare: type, _args: _Args, value: object, at: str) -> None:
    if value is not None:
        raise _wrong(value, "null", at)


def _member(bare: type, _args: _Args, value: object, at: str) -> Any:
    try:
        return bare(value)
    except ValueError:
        raise _wrong(value, f"one of {', '.join(str(each.value) for each in bare)}", at) from None  # type: ignore[attr-defined]


def _literal(hint: Any, value: object, at: str) -> object:
    for allowed in get_args(hint):
        if value == allowed and type(value) is type(allowed):
            return allowed
    raise _wrong(value, f"one of {', '.join(map(str, get_args(hint)))}", at)


def _moment(_bare: type, _args: _Args, value: object, at: str) -> datetime:
    try:
        moment = datetime.fromisoformat(_scalar(str, (), value, at))
    except ValueError:
        raise _wrong(value, "a time as ISO 8601", at) from None
    if moment.tzinfo is None:
        raise _wrong(value, "a time with an offset", at)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise _wrong(value, "a time of the years 1 to 9999", at) from None


def _day(_bare: type, _args: _Args, value: object, at: str) -> date:
    try:
        return date.fromisoformat(_scalar(str, (), value, at))
    except ValueError:
        raise _wrong(value, "a date as ISO 8601", at) from None


def _span(_bare: type, _args: _Args, value: object, at: str) -> timedelta:
    try:
        return timedelta(seconds=_number(float, (), value, at))
    except (OverflowError, ValueError):
        raise _wrong(value, "a number of seconds", at) from None


def _number(bare: type, _args: _Args, value: object, at: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(value, "a number", at)
    try:
        return bare(value)
    except OverflowError:
        raise _wrong(value, "a number of this size", at) from None


def _scalar(bare: type, _args: _Args, value: object, at: str) -> Any:
    if type(value) is not bare:
        raise _wrong(value, _NAMES[bare], at)
    return value


def _path(_bare: type, _args: _Args, value: object, at: str) -> Path:
    return Path(_scalar(str, (), value, at))


def _mapping(_bare: type, args: _Args, value: object, at: str) -> dict[Any, Any]:
    key, inside = args or (str, Any)
    return {_key(key, name, at): _value(inside, item, _at(at, name)) for name, item in _object(value, at).items()}


def _key(hint: Any, name: str, at: str) -> Any:
    """Read a key of an object, which JSON knows as texts only."""
    if exact(hint) is not int:
        return _value(hint, name, at)
    try:
        return int(name)
    except ValueError:
        raise _wrong(name, "a whole number", at) from None


def _tuple(_bare: type, args: _Args, value: object, at: str) -> tuple[Any, ...]:
    if not args or args[-1] is Ellipsis:
        return tuple(_list(args[0] if args else Any, value, at))
    if len(_list(Any, value, at)) != len(args):
        raise _wrong(value, f"a list of {len(args)}", at)
    items: list[Any] = list(value)  # type: ignore[call-overload]
    return tuple(_value(hint, item, f"{at}[{n}]") for n, (hint, item) in enumerate(zip(args, items, strict=True)))


def _sequence(_bare: type, args: _Args, value: object, at: str) -> list[Any]:
    return _list(args[0] if args else Any, value, at)


def _list(hint: Any, value: object, at: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise _wrong(value, "a list", at)
    return [_value(hint, item, f"{at}[{place}]") for place, item in enumerate(value)]


_NAMES = {bool: "true or false", int: "a whole number", str: "a text"}
_READERS: Mapping[type, Callable[[type, _Args, object, str], Any]] = {  # the narrower type before the wider
    NoneType: _none,
    Enum: _member,
    datetime: _moment,
    date: _day,
    timedelta: _span,
    bool: _scalar,
    int: _scalar,
    float: _number,
    str: _scalar,
    PathLike: _path,
    Mapping: _mapping,
    tuple: _tuple,
    Sequence: _sequence,
}
