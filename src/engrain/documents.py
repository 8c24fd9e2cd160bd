"""Results of operations as JSON documents: written, described by JSON Schema, and read back as equal objects."""

from __future__ import annotations

import inspect
import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache, partial, reduce
from operator import or_
from os import PathLike, fspath
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin
from typing import get_type_hints as type_hints

from engrain.config import Settings
from engrain.model.memory import JSON
from engrain.model.results import Hit, Listing, Messages, Page, Recall, Reflection, Remembered, Worked
from engrain.read.packing import pack, relevant
from engrain.text import OfflineTokenizer

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter

RESULT = "result"  # the key of a bare value that nothing else names

Fields = Mapping[str, Any]  # the keys of a JSON object in order, each with the annotation of its value
_ID: Mapping[type, Any] = {Hit: str, Remembered: str | None}
"""The type of the `id`, by class: a first key that repeats the id of the memory."""
_JSON = frozenset({NoneType, bool, int, float, str})
_ENVELOPE = "Envelope"  # the suffix of the names of envelope models
_WHOLE: Any = {"propertyNames": {"pattern": "^-?[0-9]+$"}}
_PLAIN = (NoneType, Enum, date, bool, int, float, str)
_VAGUE = (int, float, str, object, NoneType)  # types that fit many values: of a union they are tried last


def exact(hint: Any) -> Any:
    """Return an annotation without its metadata; a type in the metadata describes the value more exactly."""
    if get_origin(hint) is not Annotated:
        return hint
    annotated, *metadata = get_args(hint)
    return next((note for note in metadata if isinstance(note, type | UnionType)), annotated)


def members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, any other annotation alone; None is `NoneType`."""
    found = exact(hint)
    if get_origin(found) in (Union, UnionType):
        return tuple(each for member in get_args(found) for each in members(member))
    return (NoneType if found is None else found,)


def _class_of(hint: Any) -> Any:
    return get_origin(hint) or hint


@dataclass(frozen=True, eq=False)
class Form:
    """How a class is a JSON object: its keys, and of a list with attributes the key of its items."""

    kind: type
    fields: Fields
    items: str = ""

    def write(self, value: Any) -> JSON:
        """Return an instance as an object."""
        found = ((name, self._value(value, name)) for name in self.fields)
        return {name: each if type(each) in _JSON else plain(each) for name, each in found}

    def _value(self, value: Any, name: str) -> object:
        if name == self.items:
            return list(value)
        if name == "id" and self.kind in _ID:
            return getattr(value.memory, "id", None)
        return getattr(value.worked if self.kind is Reflection else value, name)

    def build(self, values: dict[str, Any]) -> Any:
        """Return the instance that was read."""
        if not self.items:
            return self.kind(**{name: values[name] for name in values if name != "id" or self.kind not in _ID})
        items = values.pop(self.items)
        if self.kind is Reflection:
            return Reflection(items, Worked(**values))
        return self.kind(items, **values, **({"pack": _pack} if self.kind is Recall else {}))


def _pack(found: Recall, budget: int) -> str:
    return pack(relevant(found, Settings().abstain_below), OfflineTokenizer(), budget, question=found.query)


@cache
def form_of(hint: Any, answer: str = RESULT) -> Form | None:
    """Return the form of a dataclass, a named tuple or a list with attributes, None for any other annotation."""
    kind = _class_of(hint)
    if not isinstance(kind, type):
        return None
    if issubclass(kind, Listing | Messages):
        return _list_form(kind, get_args(hint), answer)
    names = tuple(each.name for each in fields(kind)) if is_dataclass(kind) else getattr(kind, "_fields", None)
    if names is None:
        return None
    hints_of = partial(type_hints, include_extras=True)
    hints = hints_of(kind)
    found = {name: hints.get(name) or hints_of(getattr(kind, name).fget)["return"] for name in names}
    return Form(kind, {"id": _ID[kind], **found} if kind in _ID else found)


def _list_form(kind: type, args: tuple[Any, ...], answer: str) -> Form:
    hints = type_hints(kind.__init__, include_extras=True)  # type: ignore[misc]
    first, *others = [name for name in inspect.signature(kind).parameters if _class_of(hints[name]) is not Callable]
    (item,) = get_args(hints[first])
    item = next(iter(args), Any) if isinstance(item, TypeVar) else item
    if kind is Recall:
        answer = first
    elif kind is Page and answer == RESULT:
        answer = "memories"
    worked = form_of(Worked) if kind is Reflection else None
    found: Fields = {name: hints[name] for name in others} if worked is None else worked.fields
    return Form(kind, {answer: list[item], **found}, answer)  # type: ignore[valid-type]


def document(result: object, answer: str = RESULT) -> JSON:
    """Return a result as one JSON object; a bare value or a list is under the key `answer`."""
    kind: Any = type(result)
    form = form_of(kind, answer)
    found = plain(result) if form is None else form.write(result)
    return found if isinstance(found, dict) else {answer: found}


def plain(value: object) -> object:
    """Return JSON types for whatever an operation returns: times as ISO 8601, spans in seconds."""
    kind: Any = type(value)
    if kind in _JSON:
        return value
    if (form := form_of(kind)) is not None:
        return form.write(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item) for item in value]
    return value


def read_back(hint: Any, document: str | bytes, answer: str = RESULT) -> Any:
    """Return the result, annotated `hint`, that a document was written from; a `ValueError` names a wrong key."""
    from pydantic import ValidationError

    try:
        return _adapter(hint, answer).validate_json(document, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if first["type"] == "json_invalid" and "hex escape" in first["msg"]:  # half of a surrogate pair, which is JSON
            return _adapter(hint, answer).validate_python(json.loads(document))
        at = ".".join(str(part) for part in first["loc"] if "[" not in str(part))  # without the members of unions
        raise ValueError(f"{at or 'the document'}: {first['msg'].removeprefix('Value error, ')}") from None


@cache
def result_schema(hint: Any, answer: str = RESULT, *, prefix: str = "#/components/schemas/") -> tuple[JSON, JSON]:
    """Return the JSON Schema of a result's document, and the definitions that it refers to with `prefix`."""
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Schema(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

        def tuple_schema(self, schema: Any) -> JSON:
            found = super().tuple_schema(schema)
            if "prefixItems" in found:  # which OpenAPI tools misread: each item may be any of them
                found["items"] = {"anyOf": found.pop("prefixItems")}
            return found

    in_list: Any = list[_document_type(hint, answer)]  # type: ignore[misc]  # so that what is alone is a reference too
    whole = TypeAdapter(in_list).json_schema(ref_template=prefix + "{model}", schema_generator=Schema)
    definitions: JSON = whole.get("$defs", {})
    for name, definition in definitions.items():
        if definition.pop("title") != name:  # pydantic has renamed two of one name
            raise TypeError(f"two classes are named {name.rstrip('_0123456789').rpartition('__')[2]}")
        if "description" in definition:
            text = " ".join(definition["description"].partition("\n\n")[0].split())
            definition["description"] = re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]  # its first sentence
    return _without_envelopes(whole["items"], definitions, prefix), definitions


def _without_envelopes(schema: JSON, definitions: JSON, prefix: str) -> JSON:
    """Return a schema with the envelopes in the place of references to them: their names mean nothing to a reader."""
    if "anyOf" in schema:
        return {"anyOf": [_without_envelopes(each, definitions, prefix) for each in schema["anyOf"]]}
    name = schema.get("$ref", "").removeprefix(prefix)
    return cast(JSON, definitions.pop(name)) if name.startswith(_ENVELOPE) else schema


@cache
def _adapter(hint: Any, answer: str) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(_document_type(hint, answer))


def _document_type(hint: Any, answer: str) -> Any:
    """Return the document of a result as a type that pydantic reads and describes: always an object."""
    types: list[Any] = []
    values: list[Any] = []
    for member in _most_specific_first(hint):
        kind, form = _class_of(member), form_of(member, answer)
        if form is not None and form.items:
            of: Any = kind if kind is Recall else None
            name = kind.__name__ if kind is Recall else f"{_ENVELOPE}{len(types)}"
            types.append(_read_as(_model(name, form.fields, of), form.build))
        elif kind in (Any, object):
            types.append(dict[str, Any])
        elif form is not None or _is_subclass(kind, Mapping):
            types.append(_type_of(member))
        else:
            values.append(member)
    if values:
        bare = _model(f"{_ENVELOPE}{len(types)}", {answer: reduce(or_, values)})
        types.append(_read_as(bare, lambda found: found[answer]))
    return _union(types)


def _type_of(hint: Any, inside: type | None = None) -> Any:
    """Return an annotation, of a field of the class `inside`, as a type that pydantic reads; else a `TypeError`."""
    from pydantic import AfterValidator, AwareDatetime, Field

    found = _most_specific_first(hint)
    if len(found) > 1:
        return _union([_type_of(member, inside) for member in found])
    kind, args = _class_of(found[0]), get_args(found[0])
    if (form := form_of(kind)) is not None and not form.items:
        model: Any = kind.__name__ if kind == inside else _record_model(form)
        return _read_as(model, form.build)
    if kind is datetime:
        return Annotated[AwareDatetime, AfterValidator(_in_utc)]
    if kind is timedelta:
        return Annotated[float, Field(description="seconds", allow_inf_nan=False), AfterValidator(_seconds)]
    if kind in (Literal, Any, object) or _is_subclass(kind, _PLAIN):
        return found[0]
    if not _is_subclass(kind, (Mapping, Sequence)):
        raise TypeError(f"{hint} has no form as a JSON document: return a dataclass, a list or a plain value")
    inner = kind[tuple(each if each is Ellipsis else _type_of(each, inside) for each in args)] if args else kind
    return Annotated[inner, Field(json_schema_extra=_WHOLE)] if kind is Mapping and args[:1] == (int,) else inner


@cache
def _record_model(form: Form) -> type[BaseModel]:
    return _model(form.kind.__name__, form.fields, of=form.kind)


def _model(name: str, found: Fields, of: type | None = None) -> type[BaseModel]:
    from pydantic import ConfigDict, create_model

    keys: Any = {key: (_type_of(hint, of), ...) for key, hint in found.items()}
    config = ConfigDict(json_schema_extra={"additionalProperties": False})
    text = None if of is None else inspect.getdoc(of)
    model: type[BaseModel] = create_model(name, __config__=config, __doc__=text, **keys)
    model.model_rebuild(_types_namespace={name: model})
    return model


def _read_as(model: Any, build: Callable[[dict[str, Any]], Any]) -> Any:
    """Return the type of the object that `build` makes of the values that the model reads."""
    from pydantic import AfterValidator

    def made(found: Any) -> Any:
        try:
            return build(dict(vars(found)))
        except TypeError as error:  # which pydantic does not take for a refusal
            raise ValueError(str(error)) from error

    return Annotated[model, AfterValidator(made)]


def _union(types: Sequence[Any]) -> Any:
    from pydantic import Field

    found = reduce(or_, types)
    return Annotated[found, Field(union_mode="left_to_right")] if len(set(types) - {NoneType}) > 1 else found


def _most_specific_first(hint: Any) -> list[Any]:
    def vagueness(member: Any) -> int:
        kind = _class_of(member)
        if kind is Any or (_is_subclass(kind, Mapping) and form_of(kind) is None):
            kind = object
        return 1 + _VAGUE.index(kind) if kind in _VAGUE else 0

    return sorted(members(hint), key=vagueness)


def _is_subclass(kind: Any, base: type | tuple[type, ...]) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("it must be a time of the years 1 to 9999") from None


def _seconds(number: float) -> timedelta:
    try:
        return timedelta(seconds=number)
    except OverflowError:
        raise ValueError("it must be a number of seconds") from None
