"""The keyword arguments that several methods share, as typed dictionaries.

Methods that end in `**filters`, `**fields` or `**defaults` are annotated with one of these (PEP 692), so that type
checkers and editors know each name and its type. `check_names` refuses unknown names at run time; `explained` adds the
intended name, for whoever comes from another library.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, TypeVar, cast

from engrain.guard import answered
from engrain.lazy import difflib, tomllib
from engrain.model.choices import HeatName, KindName, RankingName, Resolve, SourceTypeName, StatusFilter, Tier
from engrain.model.memory import Fact, Heat, Kind, Status
from engrain.policies.scoring import Convex
from engrain.protocols import RankingPolicy
from engrain.validation import Lifetime, When

Ranking: TypeAlias = RankingName | Convex | RankingPolicy
Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with how much is done, of how much, and a label."""
F = TypeVar("F", bound=Mapping[str, Any])
C = TypeVar("C")


@cache
def _other_names(of: str) -> Mapping[str, str]:
    """Return the names in other libraries of arguments or of methods, each with the names that it may have here."""
    named = tomllib.loads(Path(__file__).with_name("other_names.toml").read_text("utf-8"))[of]
    return {other: ours for ours, others in named.items() for other in others.split()}


_OF_THE_VIEW = ("org", "user", "agent", "session")
_UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'")


def explained(cls: type[C]) -> type[C]:
    """Let the public methods of a class answer an unknown keyword argument with the intended name."""
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


def _advised(function: Callable[..., Any], given: Mapping[str, object], error: TypeError) -> str | None:
    """Return the advice about the argument that a call was refused for, None where the reason is another."""
    found, takes = _UNEXPECTED.search(str(error)), inspect.signature(function).parameters.values()
    unknown = found[1] if found and all(each.kind is not each.VAR_KEYWORD for each in takes) else ""
    unknown = error.name if isinstance(error, UnknownArgument) else unknown
    known = any(each.name == unknown for each in takes)  # then it was refused by what the function calls
    return advice(function, unknown) if unknown in given and not known else None


def advice(function: Callable[..., Any], unknown: str) -> str:
    """Return that a function has no argument of a name, and which one is intended."""
    names = list[str]()
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            shared = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
            names += globals()[shared[1]].__annotations__ if shared else ()
        elif parameter.name not in ("self", "cls"):
            names.append(parameter.name)
    return _advice(function.__qualname__.removesuffix(".__init__"), names, unknown)


def intended(unknown: str, names: Collection[str]) -> str | None:
    """Return which of these arguments is intended by an unknown name, None where none is near."""
    ours = (name for name in _other_names("arguments").get(unknown, "").split() if name in names)
    return next(ours, None) or next(iter(difflib.get_close_matches(unknown, names, 1, 0.75)), None)


def _advice(of: str, names: Collection[str], unknown: str) -> str:
    ours = (unknown, *_other_names("arguments").get(unknown, "").split())
    hint = f"use {', '.join(sorted(names))}" if names else "it takes none"
    if owner := next((name for name in ours if name in _OF_THE_VIEW and name not in names), None):
        hint = f"a manager is opened for one: MemoryManager({owner}=...), or memory.scoped({owner}=...)"
    elif near := intended(unknown, names):
        hint = f"did you mean {near}?"
    advised = _other_names("advice")
    hint = advised.get(f"{of.rpartition('.')[2]}.{unknown}") or advised.get(unknown) or hint
    return f"{of} has no argument {unknown!r}: {hint}"


ALIASES: Final[Mapping[str, str]] = {
    "get_context": "context",
    "get_stats": "stats",
    "mark_note_superseded": "mark_superseded",
}
"""Methods of a manager that are other names of methods, kept from the systems that this one unites."""
OF_OTHERS: Final = frozenset({*ALIASES, "recall_cve", "recall_actor", "recall_tool"})
"""Names kept from those systems, which `dir()` leaves out: the aliases, and `recall_entity` for three types."""


def method_named(other: str) -> str | None:
    """Return the method that has another name in other libraries, None where none is known."""
    return _other_names("methods").get(other)


class NamesOfOthers:
    """A manager that is called by names of other libraries too: an alias works, another name is answered with ours."""

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name in ALIASES:
                return getattr(self, ALIASES[name])
            near = method_named(name) or "".join(difflib.get_close_matches(name, dir(self), 1, 0.75))
            hint = f": did you mean {near}?" if near and not name.startswith("_") else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def __dir__(self) -> Iterable[str]:
        return set(super().__dir__()) - OF_OTHERS


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
    """Raise `TypeError` for a field of a message that is no metadata: an owner, a session or a time by another name."""
    for name in given:
        if name in _other_names("message"):
            raise UnknownArgument(name, _advice("add_message", ("session", "at", "actor", "data"), name))


def reusable(fields: F) -> F:
    """Return arguments that hold for many items: an iterator among them, which can be read once, becomes a tuple."""
    kept = {name: tuple(value) if isinstance(value, Iterator) else value for name, value in fields.items()}
    return cast(F, kept)


class _Filters(TypedDict, total=False):
    """What all reads can be narrowed by."""

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


class _QuestionFilters(_Filters, total=False):
    """What `recall`, `synthesize` and `assemble` have in common."""

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
    """What can be said of every kind of text that is written."""

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
