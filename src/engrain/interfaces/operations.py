"""The one table of operations, read from the signatures of the methods themselves.

The command line is a loop over this table, and any other interface can be: nothing here knows of options or requests. A
new parameter of a method is a new `Parameter` here, and so appears everywhere at once.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import partial
from operator import attrgetter
from os import PathLike
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from engrain.graph.domain import PackOperation
from engrain.interfaces.glossary import describe
from engrain.model.audit import Role
from engrain.model.memory import Fact

SCOPE = ("org", "user", "agent", "session")

Reach = Literal["view", "org", "none"]
Effect = Literal["read", "write", "destroy"]


class Shape(StrEnum):
    """What a value looks like to a caller who is not a Python program."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    FLAG = "flag"
    TIME = "time"
    DURATION = "duration"
    OBJECT = "object"
    FACT = "fact"
    ENTITY = "entity"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation; a value that was not given is not passed, so defaults stay the method's own."""

    name: str
    shape: Shape
    help: str
    default: object = None
    required: bool = False
    repeated: bool = False
    nullable: bool = False
    positional: bool = False
    choices: tuple[str, ...] = ()
    read: Callable[[Any], object] | None = None
    """Makes the object of an `OBJECT`, where the method does not take a mapping itself."""

    @property
    def clearable(self) -> bool:
        """None is a value of its own and not the same as leaving it out."""
        return self.nullable and not self.required and self.default is not None


@dataclass(frozen=True, slots=True)
class Operation:
    """A method that interfaces offer: what it is called, what it takes, what it does to the store.

    `method` may lead through an attribute of the manager, as `graph.merge` does; two words in `name` are a command of a
    group. `scope` is `view` for a call that any view can make, `org` for one that needs a view without user, agent and
    session, and `none` for a class method. `answer` names the result in a JSON document when it is a bare value.
    `role` is what a server's key needs for it, `guarded` what it needs to give an argument another value than none, and
    `spread` the parameter whose entries the method takes one by one. `returns` is the method's own annotation of it.
    `function` is set for what a pack adds: a function of the manager, which is no method of it.
    """

    name: str
    method: str
    summary: str
    parameters: tuple[Parameter, ...]
    scope: Reach = "view"
    effect: Effect = "read"
    answer: str = "result"
    role: Role = Role.READ
    guarded: Mapping[str, Role] = field(default_factory=dict, hash=False)
    spread: str = ""
    returns: Any = None
    function: Callable[..., object] | None = None

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of that name, or None."""
        return next((p for p in self.parameters if p.name == name), None)

    def call(self, target: object, given: Mapping[str, object], **more: object) -> object:
        """Call the method of `target` with what was given; names that the operation does not have are a `TypeError`.

        `more` are arguments that only a Python program can give, such as a callback.
        """
        unknown = sorted(given.keys() - {p.name for p in self.parameters})
        if unknown:
            raise TypeError(f"{self.name} does not take {', '.join(unknown)}")
        found = attrgetter(self.method)(target) if self.function is None else partial(self.function, target)
        if not callable(found):
            return found
        reads = {p.name: p.read for p in self.parameters if p.read is not None and given.get(p.name) is not None}
        values = {name: reads[name](value) if name in reads else value for name, value in given.items()}
        entries = values.pop(self.spread, None) if self.spread else None
        if isinstance(entries, Mapping):
            clash = sorted(entries.keys() & {p.name for p in self.parameters})
            if clash:
                raise ValueError(f"{self.spread} cannot hold {clash[0]}: {self.name} takes that itself")
            values |= entries
        return found(**values, **more)


def operation(
    method: Callable[..., object] | property,
    *,
    name: str = "",
    at: str = "",
    summary: str = "",
    rest: Callable[..., object] | None = None,
    omit: Iterable[str] = (),
    also: Iterable[Parameter] = (),
    scope: Reach = "view",
    effect: Effect = "read",
    answer: str = "result",
    role: Role | None = None,
    guarded: Mapping[str, Role] | None = None,
    spread: str = "",
) -> Operation:
    """Describe a method; where it ends in `**kwargs`, the keyword parameters of `rest` stand for them.

    `at` is the attribute of a manager whose method it is, and the group of its command. A property is an operation
    without parameters. `summary` stands for what the docstring says to Python programs alone. `also` are parameters
    whose annotation says too little. Without a `role`, reading needs read, and all else needs write.
    """
    if isinstance(method, property):
        if method.fget is None:
            raise TypeError("a property that cannot be read is no operation")
        method = method.fget
    own = method.__name__
    name = name or " ".join(filter(None, (at, own.removesuffix("_").replace("_", "-"))))
    found = {p.name: p for p in (*_parameters(method, name), *also)}
    if rest is not None:
        for extra in _parameters(rest, name):
            if not extra.positional:
                found.setdefault(extra.name, extra)
    kept = tuple(p for p in found.values() if p.name not in set(omit))
    return Operation(
        name,
        f"{at}.{own}" if at else own,
        summary or _summary(method),
        kept,
        scope,
        effect,
        answer,
        role=role or (Role.READ if effect == "read" else Role.WRITE),
        guarded=guarded or {},
        spread=spread,
        returns=get_type_hints(method, include_extras=True).get("return"),
    )


def pack_operation(added: PackOperation) -> Operation:
    """Describe a function that a pack adds, whose first parameter is the manager."""
    described = operation(added.call, name=added.name, effect=added.effect, answer=added.answer)
    return replace(described, function=added.call)


def _summary(method: Callable[..., object]) -> str:
    """Return what the method's docstring says first, up to what only concerns a Python program."""
    sentence = (inspect.getdoc(method) or "").partition("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"[;:] ", re.sub(r" \([^)]*\)", "", sentence), maxsplit=1)[0].removesuffix(".") + "."
    named = inspect.signature(method).parameters
    return re.sub("`(.*?)`", lambda found: found[1].upper() if found[1] in named else found[1], sentence)


def _parameters(method: Callable[..., object], name: str) -> Iterator[Parameter]:
    hints = get_type_hints(method, include_extras=True)
    for p in inspect.signature(method).parameters.values():
        if p.name in ("self", "cls", "memory") or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        form = _form(hints.get(p.name, str))
        if form is None:
            continue
        required = p.default is p.empty
        yield Parameter(
            name=p.name,
            shape=form.shape,
            help=describe(p.name, name),
            default=None if required else p.default,
            required=required,
            repeated=form.repeated,
            nullable=form.nullable,
            positional=p.kind is not p.KEYWORD_ONLY,
            choices=form.choices,
        )


@dataclass(frozen=True, slots=True)
class _Form:
    """What an annotation comes to."""

    shape: Shape
    repeated: bool = False
    nullable: bool = False
    choices: tuple[str, ...] = ()


_PLAIN: Mapping[object, Shape] = {
    datetime: Shape.TIME,
    date: Shape.TIME,
    timedelta: Shape.DURATION,
    Fact: Shape.FACT,
    bool: Shape.FLAG,
    int: Shape.INTEGER,
    float: Shape.NUMBER,
    str: Shape.TEXT,
}
# Of several types that a parameter accepts, the one that says most about what may be written stands for all.
_TELLING = (
    Shape.FACT,
    Shape.ENTITY,
    Shape.TIME,
    Shape.DURATION,
    Shape.OBJECT,
    Shape.PATH,
    Shape.NUMBER,
    Shape.INTEGER,
    Shape.FLAG,
    Shape.TEXT,
)


def _form(hint: object) -> _Form | None:
    """Read an annotation; None when no one but a Python program could give such a value (a callable, a protocol)."""
    arms = list(_arms(hint))
    forms = [form for form in map(_arm, arms) if form is not None]
    if not forms:
        return None
    shape = min((form.shape for form in forms), key=_TELLING.index)
    choices = next((form.choices for form in forms if form.choices), ())
    return _Form(shape, any(form.repeated for form in forms), type(None) in arms, choices)


def _arms(hint: object) -> Iterator[object]:
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _arms(get_args(hint)[0])
    elif origin in (Union, types.UnionType):
        for arm in get_args(hint):
            yield from _arms(arm)
    else:
        yield hint


def _arm(hint: object) -> _Form | None:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _Form(Shape.TEXT, choices=tuple(str(arg) for arg in args))
    if origin is tuple and args == (str, str, str):
        return _Form(Shape.FACT)
    if origin is tuple and args == (str, str):
        return _Form(Shape.ENTITY)
    bare = origin or hint
    if not isinstance(bare, type):
        return None
    if issubclass(bare, StrEnum):
        return _Form(Shape.TEXT, choices=tuple(str(member.value) for member in bare))
    if bare in _PLAIN:
        return _Form(_PLAIN[bare])
    if issubclass(bare, PathLike):
        return _Form(Shape.PATH)
    if issubclass(bare, Mapping):
        return _Form(Shape.OBJECT)
    if args and issubclass(bare, Iterable):
        element = _form(args[0])
        return None if element is None else _Form(element.shape, repeated=True, choices=element.choices)
    return None
