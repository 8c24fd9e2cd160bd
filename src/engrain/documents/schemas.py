"""What `document` writes, described in JSON Schema (2020-12): the annotation of a method is all that is asked for."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import Enum
from os import PathLike
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from engrain.documents.layout import RESULT, Listed, Part, exact, listed, members, parts_of, repeated
from engrain.model.memory import JSON

_SIMPLE: Mapping[type, JSON] = {  # the narrower type before the one that it is a case of
    NoneType: {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "number", "description": "seconds"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    PathLike: {"type": "string"},
}
_WHOLE = "^-?[0-9]+$"


def result_schema(hint: Any, answer: str = RESULT, *, prefix: str = "#/components/schemas/") -> tuple[JSON, JSON]:
    """Return the schema of the document of a result with this annotation, and the definitions that it refers to.

    `answer` is what `document` is given. References are `prefix` and the name of a class; definitions of several
    results fit together, for a name means one class. What says nothing (`Any`) allows anything; an annotation that
    `document` has no form for is a `TypeError`.
    """
    names = _Names(prefix)
    return names.any_of([names.whole(member, answer) for member in members(hint)]), names.definitions


class _Names:
    """The definitions that a schema came to need, by the names of their classes."""

    def __init__(self, prefix: str) -> None:
        self.definitions: JSON = {}
        self._prefix = prefix
        self._classes: dict[str, type] = {}

    def whole(self, hint: Any, answer: str) -> JSON:
        """Return the schema of a document: an object, whatever the result."""
        form = listed(hint, answer)
        bare = get_origin(hint) or hint
        if form is not None:
            return self._listing(form)
        if isinstance(bare, type) and (parts_of(bare) is not None or issubclass(bare, Mapping)):
            return self.of(hint)
        if bare in (Any, object):
            return {"type": "object"}
        return _closed({answer: self.of(hint)})

    def of(self, hint: Any) -> JSON:
        """Return the schema of a value with this annotation."""
        found = members(hint)
        if len(found) > 1:
            return self.any_of([self.of(member) for member in found])
        (hint,) = found
        args, bare = get_args(hint), get_origin(hint) or hint
        if bare is Literal:
            return {"enum": list(args)}
        if bare in (Any, object):
            return {}
        form = listed(hint)
        if form is not None:
            return self._listing(form)
        if not isinstance(bare, type):
            raise TypeError(f"{hint} has no form as a JSON document: annotate what is returned")
        return self._of_class(bare, args)

    def any_of(self, schemas: Sequence[JSON]) -> JSON:
        """Return a schema that allows what one of these does."""
        distinct = [each for place, each in enumerate(schemas) if each not in schemas[:place]]
        return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}

    def _of_class(self, bare: type, args: tuple[Any, ...]) -> JSON:
        if issubclass(bare, Enum) or parts_of(bare) is not None:
            return self._named(bare, lambda: self._object(bare))
        for simple, schema in _SIMPLE.items():
            if issubclass(bare, simple):
                return dict(schema)
        if issubclass(bare, Mapping):
            return self._mapping(*(args or (str, Any)))
        if issubclass(bare, tuple) and args[-1:] != (Ellipsis,) and args:
            items = [self.of(each) for each in args]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if issubclass(bare, Sequence):
            return {"type": "array", "items": self.of(args[0] if args else Any)}
        raise TypeError(f"{bare.__name__} has no form as a JSON document: return a dataclass, a list or a plain value")

    def _mapping(self, key: Any, value: Any) -> JSON:
        schema: JSON = {"type": "object"}
        inside = self.of(value)
        if inside:
            schema["additionalProperties"] = inside
        if exact(key) is int:
            schema["propertyNames"] = {"pattern": _WHOLE}
        elif isinstance(key, type) and issubclass(key, Enum):
            schema["propertyNames"] = self.of(key)
        return schema

    def _listing(self, form: Listed) -> JSON:
        if form.fixed:
            return self._named(form.bare, lambda: self._items(form))
        return self._items(form)

    def _items(self, form: Listed) -> JSON:
        beside: Sequence[Part] = () if form.spread is None else parts_of(form.spread.hint) or ()
        items = {"type": "array", "items": self.of(form.item)}
        return _closed({form.key: items, **{p.name: self.of(p.hint) for p in (*form.parts, *beside)}})

    def _named(self, bare: type, schema: Callable[[], JSON]) -> JSON:
        """Return a reference to a class, and see that it is defined."""
        name = bare.__name__
        if self._classes.setdefault(name, bare) is not bare:
            raise TypeError(f"two classes are named {name}: {bare.__module__} and {self._classes[name].__module__}")
        if name not in self.definitions:
            self.definitions[name] = {}  # its own parts may refer to it
            self.definitions[name] = {"description": _said_first(bare), **schema()}
        return {"$ref": self._prefix + name}

    def _object(self, bare: type) -> JSON:
        if issubclass(bare, Enum):
            values = [member.value for member in bare]
            texts = {"type": "string"} if all(isinstance(value, str) for value in values) else {}
            return {**texts, "enum": values}
        again = repeated(bare)
        first = {} if again is None else {again.name: self.of(again.hint)}
        return _closed({**first, **{part.name: self.of(part.hint) for part in parts_of(bare) or ()}})


def _closed(properties: Mapping[str, JSON]) -> JSON:
    """Return the schema of an object that has these keys, all of them and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _said_first(bare: type) -> str:
    """Return the first sentence of a class's docstring."""
    paragraph = " ".join((inspect.getdoc(bare) or "").partition("\n\n")[0].split())
    return re.split(r"(?<=[.!?]) ", paragraph, maxsplit=1)[0]
