"""The row type of the operations table, read from the signature and the docstring of a method."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache, cached_property, partial
from operator import attrgetter
from os import PathLike
from typing import Annotated, Any, Literal, NamedTuple, Unpack, get_args, get_origin, get_type_hints

from engrain import validation
from engrain.documents import members
from engrain.errors import NotFound
from engrain.model.audit import Role
from engrain.model.memory import Fact

SCOPE = ("org", "user", "agent", "session")

Effect = Literal["read", "write", "destroy"]
_VIEWS = ("Graph", "Keys", "Lifecycle", "Procedures", "Records", "Working")
"""The classes of a manager's attributes, each named after its attribute."""
_ENTRY = re.compile(r" {1,4}\*{0,2}(\w+)(?: \([^)]*\))?:\s*(.*)")
FURTHEST = 2**53  # integers beyond this are not exact in every JSON reader
MOST: Mapping[str, float] = {"k": 1000, "limit": 1000, "batch_size": 10_000, "max_depth": 100, "timeout": 10}
ITEMS: Mapping[str, int] = {"operations": 10_000}
"""How many items a list may have in one request, where it is not as many as usual."""
LEAST: Mapping[str, float] = {"chunk_size": 200, "limit": 1}
"""The largest and the smallest value of each parameter that decides how much work one request is."""
_LONGEST = 10_000 * 365 * 86_400.0  # seconds


class Shape(StrEnum):
    """The form of a value outside Python, the most specific first: of several that a parameter accepts, it has that."""

    FACT = "fact"
    ENTITY = "entity"
    TIME = "time"
    DURATION = "duration"
    OBJECT = "object"
    JSON = "json"
    PATH = "path"
    NUMBER = "number"
    INTEGER = "integer"
    FLAG = "flag"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation, passed only when it is given; `read` converts a JSON value for the method."""

    name: str
    shape: Shape
    help: str = ""
    default: object = None
    required: bool = False
    repeated: bool = False
    nullable: bool = False
    positional: bool = False
    choices: tuple[str, ...] = ()
    read: Callable[[Any], object] | None = None

    @property
    def takes_null(self) -> bool:
        """None is a value of its own, distinct from leaving the parameter out."""
        return self.nullable and (self.required or self.default is not None)

    @property
    def served_help(self) -> str:
        """The description for a server, which has bounds of its own."""
        return self.help.replace("1 to 10,000", f"1 to {MOST.get(self.name, 10_000):,}")


class Route(NamedTuple):
    """A verb and a path under `/v1` with `{names}`; other values are in the body, of GET and DELETE the query."""

    verb: str
    path: str

    @property
    def names(self) -> list[str]:
        """The names in the path."""
        return re.findall(r"{(\w+)", self.path)

    @property
    def has_body(self) -> bool:
        """Whether arguments come as a JSON document."""
        return self.verb in ("POST", "PATCH")


class Description(NamedTuple):
    """The content of the signature and the docstring of a method."""

    summary: str
    parameters: tuple[Parameter, ...]
    returns: Any


@dataclass(frozen=True)
class Operation:
    """A method that interfaces offer: its name, its parameters, its effect on the store, its routes."""

    name: str  # its name; two words are a command of a group
    method: str  # the method, which may lead through an attribute of the manager, as `graph.merge` does
    # Reads its signature and its docstring, when they are asked for.
    describe: Callable[[], Description] = field(hash=False, compare=False, repr=False)
    effect: Effect = "read"  # whether the call reads, writes or destroys
    answer: str = "result"  # the key of a bare result in a JSON document
    role: Role = Role.READ  # the role that a server's key needs for the call
    # The role that a key needs for a true value of a parameter, by its name.
    guarded: Mapping[str, Role] = field(default_factory=dict, hash=False)
    spread: str = ""  # the parameter with entries that the method takes one by one
    opens: str = ""  # the parameter that names the object of the method, as a collection of `records`
    # Fixed arguments of every call, which are no parameters.
    fixed: Mapping[str, object] = field(default_factory=dict, hash=False)
    makes_store: bool = False  # it is a class method
    routes: tuple[Route, ...] = ()  # the REST routes under `/v1`
    local_only: str = ""  # why servers do not offer it
    # A function of a pack is no method, and is called with the manager as first argument.
    function: Callable[..., object] | None = None

    @cached_property
    def _described(self) -> Description:
        return self.describe()

    @property
    def summary(self) -> str:
        """One sentence."""
        return self._described.summary

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters."""
        return self._described.parameters

    @property
    def returns(self) -> Any:
        """The return annotation."""
        return self._described.returns

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of that name, or None."""
        return next((p for p in self.parameters if p.name == name), None)

    @property
    def file(self) -> Parameter | None:
        """The parameter that names a file of the machine, None where there is none."""
        return next((p for p in self.parameters if p.shape is Shape.PATH), None)

    def missing(self, given: Mapping[str, object]) -> NotFound:
        """Return the error of a call that found nothing under the id, key or name that it was given."""
        named = next(filter(None, map(given.get, ("memory_id", "receipt_id", "key", "value"))), "")
        what = {"receipt": "receipt", "records get": "record", "graph entity": "entity"}.get(self.name, "memory")
        return NotFound(" ".join(named) if isinstance(named, list) else str(named), what=what)

    def bind(self, target: object) -> object:
        """Return the method of `target`, or the value of a property."""
        if self.opens:
            return partial(self._open, target)
        return attrgetter(self.method)(target) if self.function is None else partial(self.function, target)

    def _open(self, target: object, **values: Any) -> object:
        """Call the method of the object that its first parameter names."""
        part, _, method = self.method.partition(".")
        return getattr(getattr(target, part)(values.pop(self.opens)), method)(**values)

    def call(self, target: object, given: Mapping[str, object], **more: object) -> object:
        """Call the method of `target` with the given arguments, all known, and `more`, such as a callback."""
        own = {p.name: p for p in self.parameters}
        if unknown := sorted(given.keys() - own.keys()):
            raise TypeError(f"{self.name} does not take {', '.join(unknown)}")
        found = self.bind(target)
        if not callable(found):
            return found
        values = {n: read(v) if (read := own[n].read) and v is not None else v for n, v in given.items()}
        entries = values.pop(self.spread, None) if self.spread else None
        if isinstance(entries, Mapping):
            if clash := sorted(entries.keys() & own.keys()):
                raise ValueError(f"{self.spread} cannot hold {clash[0]}: {self.name} has a parameter of that name")
            values |= entries
        return found(**values, **self.fixed, **more)


def operation(
    method: Callable[..., object] | property,
    *routes: str,
    name: str = "",
    rest: Callable[..., object] | None = None,
    omit: Iterable[str] = (),
    also: Iterable[Parameter] = (),
    **row: Any,
) -> Operation:
    """Return the row of a method; a property is an operation without parameters.

    Args:
        method: The method, as an attribute of its class; or a function with `memory`, the manager, as first parameter.
        routes: Verb and path of each REST route under `/v1`, such as `GET /memories/{memory_id}`. Default for a
            function: `POST /packs/` and the name, unless it names a file.
        name: The name of the operation. Default: the method's with dashes, after the manager's attribute that has it.
        rest: The method that receives `**kwargs`; its keyword parameters are added. Parameters of
            `**filters: Unpack[SomeTypedDict]` are added without it.
        omit: Names of parameters that are not offered.
        also: Parameters with an annotation that is too vague; a description is added where they have none.
        row: More of `Operation`, such as a `role` in place of read for reading and write for all else.
    """
    if isinstance(method, property):
        if method.fget is None:
            raise TypeError("a property without a getter is no operation")
        method = method.fget
    owner, _, own = method.__qualname__.rpartition(".")
    at = owner.lower() if owner in _VIEWS else ""
    name = name or " ".join(filter(None, (at, own.removesuffix("_").replace("_", "-"))))
    describe = cache(partial(_description, method, rest, tuple(omit), tuple(also)))
    code = getattr(inspect.unwrap(method), "__code__", None)
    names = inspect.signature(method).parameters if code is None else code.co_varnames  # the latter is faster
    if next(iter(names), None) == "memory":
        row["function"], described = method, describe()  # an invalid function of a pack is refused now
        if not routes and any(p.shape is Shape.PATH for p in described.parameters):
            row.setdefault("local_only", "it names a file of the machine")
        elif not routes and not row.get("local_only"):
            routes = (f"POST /packs/{name}",)
    row.setdefault("role", Role.READ if row.get("effect", "read") == "read" else Role.WRITE)
    paths = tuple(Route(*route.split(" ", 1)) for route in routes)
    called, makes_store = f"{at}.{own}" if at else own, inspect.ismethod(method)
    return Operation(name, called, describe, makes_store=makes_store, routes=paths, **row)


def _description(
    method: Callable[..., object], rest: Callable[..., object] | None, omit: tuple[str, ...], also: Sequence[Parameter]
) -> Description:
    docs = {**(parameter_docs(rest) if rest else {}), **parameter_docs(method)}
    found = {p.name: p for p in (*_parameters(method), *also)}
    passed_on = (*_parameters(rest), *_filters(rest)) if rest else ()
    for extra in (*passed_on, *_filters(method)):
        if not extra.positional:
            found.setdefault(extra.name, extra)
    parameters = tuple(replace(p, help=p.help or docs.get(n, "")) for n, p in found.items() if n not in omit)
    return Description(_summary(method), parameters, _annotated(method)[1].get("return"))


@cache
def parameter_docs(documented: object) -> Mapping[str, str]:
    """Return the description of each parameter in the Args (or Attributes) section of a docstring, each on one line.

    Of a class it is its own and that of `__init__`; a method with `**filters: Unpack[SomeTypedDict]` has the entries of
    that TypedDict besides its own. A TypedDict lists inherited keys too: Python 3.11 does not keep its bases.
    """
    found: Mapping[str, str] = {}
    if isinstance(documented, type):
        found = _sections(inspect.getdoc(documented.__init__))  # type: ignore[misc]
    elif callable(documented) and (typed := _typed_filters(documented)) is not None:
        found = parameter_docs(typed)
    return {**found, **_sections(inspect.getdoc(documented))}


def _sections(docstring: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    name, inside = "", False
    for line in (docstring or "").splitlines():
        if line and not line.startswith(" "):
            inside = line.rstrip() in ("Args:", "Attributes:")
        elif inside and (entry := _ENTRY.fullmatch(line)):
            name, found[entry[1]] = entry[1], entry[2]
        elif inside and name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _summary(method: Callable[..., object]) -> str:
    """Return the docstring's first sentence, up to the part that only concerns a Python program."""
    sentence = (inspect.getdoc(method) or "").partition("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"[;:] ", re.sub(r" \([^)]*\)", "", sentence), maxsplit=1)[0].removesuffix(".") + "."
    named, _ = _annotated(method)
    return re.sub("`(.*?)`", lambda found: found[1].upper() if found[1] in named else found[1], sentence)


_SHAPES: Mapping[object, Shape] = {
    datetime: Shape.TIME,
    date: Shape.TIME,
    timedelta: Shape.DURATION,
    Fact: Shape.FACT,
    bool: Shape.FLAG,
    int: Shape.INTEGER,
    float: Shape.NUMBER,
    str: Shape.TEXT,
}


class _Form(NamedTuple):
    shape: Shape
    repeated: bool = False
    nullable: bool = False
    choices: tuple[str, ...] = ()


@cache
def _annotated(method: Callable[..., object]) -> tuple[Mapping[str, inspect.Parameter], Mapping[str, Any]]:
    return inspect.signature(method).parameters, get_type_hints(method, include_extras=True)


def _parameters(method: Callable[..., object]) -> Iterator[Parameter]:
    """Yield the named parameters that can be given from outside a Python program."""
    parameters, hints = _annotated(method)
    for p in parameters.values():
        if p.name in ("self", "cls", "memory") or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if (form := _form(hints.get(p.name, str))) is not None:
            required, positional = p.default is p.empty, p.kind is not p.KEYWORD_ONLY
            default = None if required else p.default
            yield Parameter(p.name, default=default, required=required, positional=positional, **form._asdict())


def _typed_filters(method: Callable[..., object]) -> type | None:
    """Return the TypedDict of `**filters: Unpack[SomeTypedDict]` (PEP 692), None without one."""
    parameters, hints = _annotated(method)
    hint = next((hints.get(p.name) for p in parameters.values() if p.kind is p.VAR_KEYWORD), None)
    return get_args(hint)[0] if get_origin(hint) is Unpack else None


def _filters(method: Callable[..., object]) -> Iterator[Parameter]:
    """Yield the keys of an unpacked TypedDict as optional parameters with unknown defaults."""
    typed = _typed_filters(method)
    for name, hint in ({} if typed is None else get_type_hints(typed)).items():
        if (form := _form(hint)) is not None:
            yield Parameter(name, **form._asdict())


def _form(hint: object) -> _Form | None:
    """Read an annotation; None for a type that only Python can pass; a `Literal` beside `str` only suggests."""
    arms = members(hint)
    forms = [form for form in map(_arm, arms) if form is not None]
    if not forms:
        return None
    shape = min((form.shape for form in forms), key=list(Shape).index)
    is_open = str in arms and any(get_origin(arm) is Literal for arm in arms)
    choices = () if is_open else next((form.choices for form in forms if form.choices), ())
    return _Form(shape, any(form.repeated for form in forms), type(None) in arms, choices)


def _arm(hint: object) -> _Form | None:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _Form(Shape.TEXT, choices=tuple(map(str, args)))
    if origin is tuple and args in ((str, str, str), (str, str)):
        return _Form(Shape.FACT if len(args) == 3 else Shape.ENTITY)
    bare = origin or hint
    if not isinstance(bare, type):
        return None
    if issubclass(bare, StrEnum):
        return _Form(Shape.TEXT, choices=tuple(str(member.value) for member in bare))
    if bare in _SHAPES:
        return _Form(_SHAPES[bare])
    if issubclass(bare, PathLike):
        return _Form(Shape.PATH)
    if issubclass(bare, Mapping):
        return _Form(Shape.OBJECT)
    if args and issubclass(bare, Iterable):
        element = _form(args[0])
        return None if element is None else _Form(element.shape, repeated=True, choices=element.choices)
    return None


def _seconds(given: object) -> object:
    """Return the seconds of a text with a unit; all else as it is."""
    has_unit = isinstance(given, str) and given.strip()[-1:].isalpha()
    return validation.duration(str(given), "duration").total_seconds() if has_unit else given


@cache
def _types() -> Mapping[Shape, Any]:
    from pydantic import AfterValidator, BeforeValidator, Field

    seconds = Field(allow_inf_nan=False, ge=-_LONGEST, le=_LONGEST, description='seconds, or a text such as "7d"')
    return {
        Shape.FLAG: bool,
        Shape.INTEGER: Annotated[int, Field(ge=-FURTHEST, le=FURTHEST)],
        Shape.NUMBER: Annotated[float, Field(allow_inf_nan=False)],
        Shape.DURATION: Annotated[
            float, seconds, BeforeValidator(_seconds), AfterValidator(lambda found: timedelta(seconds=found))
        ],
        Shape.OBJECT: dict[str, Any],
        Shape.JSON: Any,
        Shape.FACT: Annotated[list[str], Field(min_length=3, max_length=3), AfterValidator(tuple)],
        Shape.ENTITY: Annotated[list[str], Field(min_length=2, max_length=2), AfterValidator(tuple)],
    }


def type_of(parameter: Parameter) -> Any:
    """Return the pydantic type of one value of a parameter, `repeated` or not; it accepts what the method takes."""
    from pydantic import Field

    kind = Literal[parameter.choices] if parameter.choices else _types().get(parameter.shape, str)
    if parameter.name in MOST and not parameter.repeated:
        kind = Annotated[kind, Field(le=MOST[parameter.name])]
    return Annotated[kind, Field(ge=LEAST[parameter.name])] if parameter.name in LEAST else kind


def scope_names(operation: Operation) -> tuple[str, ...]:
    """Return the names that set the scope of a call: org always, the others unless they are parameters of it."""
    own = {p.name for p in operation.parameters}
    return tuple(name for name in SCOPE if name == "org" or name not in own)
