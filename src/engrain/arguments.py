"""The keyword arguments that several methods share, as typed dictionaries.

Methods that end in `**filters`, `**fields` or `**defaults` are annotated with one of these (PEP 692), so that type
checkers and editors know each name and its type. `check_names` refuses unknown names at run time; `explained` adds the
intended name, for users of another library.
"""

from __future__ import annotations

import inspect
import re
from abc import ABCMeta
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, TypeVar, cast

from engrain.guard import answered
from engrain.lazy import difflib, tomllib
from engrain.model import audit, entities, memory, procedure, results
from engrain.model.choices import HeatName, KindName, RankingName, Resolve, SourceTypeName, StatusFilter, Tier
from engrain.model.memory import Fact, Heat, Kind, Status
from engrain.policies.scoring import Convex
from engrain.protocols import RankingPolicy
from engrain.validation import Lifetime, When

Ranking: TypeAlias = RankingName | Convex | RankingPolicy
Progress: TypeAlias = Callable[[int, int, str], None]  # called with how much is done, of how much, and a label
F = TypeVar("F", bound=Mapping[str, Any])
C = TypeVar("C")
_OF_THE_VIEW = ("org", "user", "agent", "session")
ALIASES: Final[Mapping[str, str]] = {
    "get_context": "context",
    "get_stats": "stats",
    "mark_note_superseded": "mark_superseded",
}
"""Methods of a manager that are other names of methods, kept from the systems that this one unites."""
OF_OTHERS: Final = frozenset({*ALIASES, "recall_cve", "recall_actor", "recall_tool"})
"""Names kept from those systems, which `dir()` leaves out: the aliases, and `recall_entity` for three types."""


@cache
def _other_names(of: str) -> Mapping[str, str]:
    """Return the names in other libraries of arguments or of methods, each with the names that it may have here."""
    found: dict[str, str] = {}
    for ours, others in tomllib.loads(Path(__file__).with_name("other_names.toml").read_text("utf-8"))[of].items():
        found.update((other, f"{found.get(other, '')} {ours}".strip()) for other in others.split())
    return found


def explained(cls: type[C]) -> type[C]:
    """Make the public methods of a class answer an unknown keyword argument with the intended name."""
    for name, member in list(vars(cls).items()):
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
            made = answered(function, _advised, _renamed)
            setattr(cls, name, made if function is member else classmethod(made))
    return cls


def _renamed(method: str, given: Mapping[str, object]) -> dict[str, object]:
    """Return keyword arguments of a refused call with those names of others replaced that a method accepts."""
    return {_other_names("accepted").get(f"{method}.{name}", name): value for name, value in given.items()}


class UnknownArgument(TypeError):
    """A keyword argument that a method does not have."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def _advised(
    function: Callable[..., Any], args: Sequence[object], given: Mapping[str, object], error: TypeError
) -> str | None:
    """Return the advice about the argument that a call was refused for, None where the reason is another."""
    signature, names = inspect.signature(function), _annotations(function)
    placed = [each for each, kind in signature.parameters.items() if kind.kind <= kind.POSITIONAL_OR_KEYWORD]
    try:
        signature.bind(*args, **given)
    except TypeError:
        if len(args) > len(placed):
            return _misplaced(function, placed[1:], args[len(placed)])
        is_open = any(str(each).startswith("**") and each.name not in names for each in signature.parameters.values())
        others = (name for name in given if name not in names and (not is_open or intended(name, names)))
        return next((advice(function, name) for name in others), None)
    unknown = error.name if isinstance(error, UnknownArgument) else ""  # which a called function raises too
    return advice(function, unknown) if unknown in given and unknown not in signature.parameters else None


def _annotations(function: Callable[..., Any]) -> dict[str, str]:
    """Return the arguments of a function with their annotations, those of a typed dictionary after its own."""
    found = dict[str, str]()
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if shared := re.fullmatch(r"Unpack\[(?:arguments\.)?(\w+)\]", str(parameter.annotation)):
            found |= {name: str(kind) for name, kind in globals()[shared[1]].__annotations__.items()}
        elif parameter.kind is not parameter.VAR_KEYWORD:
            found[parameter.name] = str(parameter.annotation)
    return found


def _misplaced(function: Callable[..., Any], placed: Sequence[str], value: object) -> str:
    """Return that a function takes fewer arguments by position, and the name that the next one may have."""
    of, names = function.__qualname__.removesuffix(".__init__"), _annotations(function)
    others = [name for name in names if name not in placed]
    fits = [name for name in others if re.search(rf"\b{type(value).__name__}\b", names[name])]
    near = _other_names("by position").get(of.rpartition(".")[2]) or next(iter((*fits, *others)), None)
    hint = f"the others by name: did you mean {near}=...?" if near else "nothing else"
    return f"{of} takes {', '.join(placed) or 'none'} by position, and {hint}"


def advice(function: Callable[..., Any], unknown: str) -> str:
    """Return that a function has no argument of a name, and which one is intended."""
    return _advice(function.__qualname__.removesuffix(".__init__"), _annotations(function), unknown)


def intended(unknown: str, names: Collection[str]) -> str | None:
    """Return the argument intended by an unknown name, None if none is near."""
    others = _other_names("arguments")
    if unknown in others or any(unknown in ours.split() for ours in others.values()):
        return next((name for name in others.get(unknown, "").split() if name in names), None)
    return misspelt(unknown, names)


def misspelt(unknown: str, names: Iterable[str]) -> str | None:
    """Return the name that is written almost so, from its first letter on; one of another meaning may look like it."""
    near = difflib.get_close_matches(unknown, [name for name in names if name[:1] == unknown[:1]], 1, 0.75)
    return next(iter(near), None)


def _advice(of: str, names: Collection[str], unknown: str) -> str:
    ours = (unknown, *_other_names("arguments").get(unknown, "").split())
    hint = f"use {', '.join(sorted(names))}" if names else "it takes none"
    if owner := next((name for name in ours if name in _OF_THE_VIEW and name not in names), None):
        opened = "for_org(...)" if owner == "org" else f"scoped({owner}=...)"
        hint = f"a manager is opened for one: MemoryManager({owner}=...), or memory.{opened}"
    elif near := intended(unknown, names):
        hint = f"did you mean {near}?"
    advised = _other_names("advice")  # about arguments that are no other name of one here
    advice = advised.get(f"{of.rpartition('.')[2]}.{unknown}") or advised.get(unknown)
    return f"{of} has no argument {unknown!r}: {advice or hint}"


def method_named(other: str, *, also: str = "methods") -> str | None:
    """Return the method that has another name in other libraries, None where none is known; `also` may name more."""
    return _other_names(also).get(other) or _other_names("methods").get(other)


class _WithoutNamesOfOthers(ABCMeta):
    """The class of classes whose `dir()` leaves those names out, of which an abstract class can be a parent as well."""

    def __dir__(cls) -> list[str]:
        return [name for name in super().__dir__() if name not in OF_OTHERS]


class NamesOfOthers(metaclass=_WithoutNamesOfOthers):
    """A manager that is called by names of other libraries too: an alias works, another name is answered with ours."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in ALIASES:
                return getattr(self, ALIASES[name])
            return _without_attribute(self, name, lambda: method_named(name) or misspelt(name, dir(self)))

    def __dir__(self) -> Iterable[str]:
        return set(super().__dir__()) - OF_OTHERS


def _intended_attribute(result: object, name: str) -> str | None:
    """Return the attribute of a result, or of its memory, that is intended by a name."""
    ours = {each: f"memory.{each}" for each in dir(memory.Memory)} if "memory" in dir(result) else {}
    ours |= {each: each for each in dir(result)}
    for other in _other_names("attributes").get(name, "").split():
        first, *rest = re.split(r"\b", other.lstrip(), maxsplit=2)[1:]
        if first in ours:
            return ours[first] + "".join(rest)
        if first == "list" and isinstance(result, results.Listing | list):
            return f"list({type(result).__name__.lower()})"
    return ours.get(name) or ours.get(misspelt(name, ours) or "")


def _without_attribute(owner: object, name: str, intended: Callable[[], str | None] | None = None) -> Any:
    near = None if name.startswith("_") else intended() if intended else _intended_attribute(owner, name)
    hint = f": did you mean {near}?" if near else ""
    raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=owner)


for _class in (each for module in (audit, entities, memory, procedure, results) for each in vars(module).values()):
    if inspect.isclass(_class) and _class.__module__.startswith("engrain.model.") and not issubclass(_class, Enum):
        _class.__getattr__ = _without_attribute  # type: ignore[attr-defined]


class Unset(Enum):
    """The value of an argument that was left out, where None means something."""

    UNSET = "unset"


UNSET = Unset.UNSET


def check_names(given: Mapping[str, object], known: type, *, of: str) -> None:
    """Raise `TypeError` for a name that the typed dictionary `known` does not have; `of` is the method's name."""
    names = known.__annotations__
    for name in given:
        if name not in names:
            raise UnknownArgument(name, _advice(of, names, name))


def check_message_names(given: Mapping[str, object]) -> None:
    """Raise `TypeError` for a field of a message that is no metadata: an argument of another method, or a time."""
    own = ("session", "at", "actor", "data")
    for name in given:
        if name in WriteFields.__annotations__ or name in _other_names("message") or misspelt(name, own):
            raise UnknownArgument(name, _advice("add_message", own, name))


def reusable(fields: F) -> F:
    """Return arguments that hold for many items: an iterator among them, which can be read once, becomes a tuple."""
    return cast(F, {name: tuple(value) if isinstance(value, Iterator) else value for name, value in fields.items()})


class _Filters(TypedDict, total=False):
    kinds: Iterable[KindName | Kind] | None
    domain: str | None
    tags: Iterable[str] | None
    where: Mapping[str, Any] | None
    since: When | None
    until: When | None
    as_of: When | None
    known_at: When | None


class EntityFilters(_Filters, total=False):
    """Keyword arguments of `MemoryManager.recall_entity` but for `k`, described there."""

    session: str | None
    shared: bool
    touch: bool


class ListFilters(_Filters, total=False):
    """Keyword arguments of `MemoryManager.list_memories` but for `order`, `limit` and `cursor`, described there."""

    status: StatusFilter | Status | Iterable[StatusFilter | Status]
    all_tags: Iterable[str] | None
    tiers: Iterable[Tier] | None
    heat: HeatName | Heat | Iterable[HeatName | Heat] | None
    session: str | None
    actor: str | None
    words: str | None
    derived_from: Iterable[str] | None


class _QuestionFilters(_Filters, total=False):
    """The parameters that `recall`, `synthesize` and `assemble` have in common."""

    all_tags: Iterable[str] | None
    heat: HeatName | Heat | Iterable[HeatName | Heat] | None
    shared: bool
    now: When | None
    include_links: bool
    exclude_superseded: bool
    min_score: float
    min_trust: float
    ranking: Ranking | None
    expand_hops: int
    multi_query: int
    hyde: bool
    rerank: bool | None
    touch: bool


class RecallFilters(_QuestionFilters, total=False):
    """Keyword arguments of `MemoryManager.recall` but for `k`, described there."""

    session: str | None
    tiers: Iterable[Tier] | None
    include_quarantined: bool


class SynthesisFilters(_QuestionFilters, total=False):
    """Keyword arguments of `MemoryManager.recall` that `synthesize` takes.

    `tier_filter` takes the place of `tiers`, and quarantined memories are no evidence.
    """

    session: str | None
    include_quarantined: Literal[False]


class AssembleFilters(_QuestionFilters, total=False):
    """Keyword arguments of `recall` that `MemoryManager.assemble` takes: see `MemoryManager.recall`.

    Its `session` names the conversation, and does not filter memories.

    Args:
        k: How many memories at most. Default 10.
    """

    k: int
    tiers: Iterable[Tier] | None
    include_quarantined: bool


class _Fields(TypedDict, total=False):
    """The fields that every kind of written text has."""

    kind: KindName | Kind | None
    domain: str
    source_type: SourceTypeName | str
    source_id: str
    source_ref: str
    actor: str | None
    importance: float | None
    confidence: float | None
    tier: Tier | None
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    derived_from: Iterable[str]
    valid_from: When | None
    valid_until: When | None
    ttl: Lifetime | None
    pinned: bool


class MessageFields(_Fields, total=False):
    """Keyword arguments of `remember` that hold for every message of a chat: see `MemoryManager.remember`.

    A message has no key and no fact of its own, and its session is an argument of `remember_messages`.

    Args:
        source_type: Where all messages come from. None given means by the role of who speaks.
        actor: Who said all messages. None given means the `name` or the role of each.
    """

    resolve: Resolve | None


class SuccessorFields(_Fields, total=False):
    """Keyword arguments of `remember` that `MemoryManager.supersede` takes: see `MemoryManager.remember`.

    Args:
        kind: `working`, `episodic`, `semantic` or `procedural`. None given means that of the old memory.
        domain: A label such as `personal`, `project` or `research`. None given means that of the old memory.
        source_type: Who says so; one trusted less than the old memory waits next to it. None given means the
            application itself, in the class of the old memory where that is trusted more.
    """

    key: str | None
    session: str | None
    fact: Fact | tuple[str, str, str] | None


class WriteFields(SuccessorFields, total=False):
    """Keyword arguments of `MemoryManager.remember` but for `sync` and `evolve`, described there."""

    resolve: Resolve | None


class WriteItem(WriteFields, total=False):
    """One item of `MemoryManager.remember_many`: a text and the keyword arguments that hold for it alone.

    Args:
        content: The text to keep; every item needs one.
    """

    content: str


class ReportFields(TypedDict, total=False):
    """Keyword arguments of `MemoryManager.remember` that hold for a whole report, its chunks and its facts."""

    session: str | None
    actor: str | None
    source_id: str
    tier: Tier | None
    tags: Iterable[str]
    metadata: Mapping[str, Any] | None
    valid_until: When | None
    ttl: Lifetime | None
    pinned: bool


class ReportOptions(ReportFields, total=False):
    """Keyword arguments of `MemoryManager.ingest` with `report=True`: how documents are read as reports.

    Args:
        domain: A label such as `personal`, `project` or `research`. Default `general`.
        published_date: When the documents were published, and what they say became true. None by default.
        min_importance: The lowest rating of a fact that is kept, 1 to 10. Default 3.
        max_facts: How many facts of a chunk are kept at most. Default 10.
        chunk_size: The size of a chunk in characters. Default 3000.
    """

    domain: str
    published_date: When
    min_importance: int
    max_facts: int
    chunk_size: int


class DocumentFields(_Fields, total=False):
    """Keyword arguments of `remember` that hold for every item of a file: see `MemoryManager.remember`."""

    session: str | None
    fact: Fact | tuple[str, str, str] | None
    resolve: Resolve | None


class IngestFields(DocumentFields, total=False):
    """Keyword arguments of `MemoryManager.ingest`: those of `DocumentFields`, or of `ReportOptions` with `report=True`.

    `MemoryManager.remember` and `ReportOptions` describe those that mean the same there.

    Args:
        kind: The kind of all that is read. None given means episodic for messages and semantic for texts.
        source_type: Where all of it comes from. None given means by the role of who speaks, and `ingestion` for texts.
        session: The session of all that is read. None given means what the file says.
        actor: Who said all of it. None given means what the file says.
        domain: A label such as `personal`, `project` or `research`. Default `general`.
        published_date: With `report`: when it was published, and all it says became true. None by default.
        min_importance: With `report`: the lowest rating of a fact that is kept, 1 to 10. Default 3.
        max_facts: With `report`: how many facts of a chunk are kept at most. Default 10.
        chunk_size: With `report`: the size of a chunk in characters, from 1 on. Default 3000.
    """

    published_date: When
    min_importance: int
    max_facts: int
    chunk_size: int
