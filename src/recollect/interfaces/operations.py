"""The one table of operations, read from the signatures of the methods themselves.

The command line is a loop over this table, and any other interface can be: nothing here knows of options or requests. A
new parameter of a method is a new `Parameter` here, and so appears everywhere at once.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from operator import attrgetter
from os import PathLike
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from recollect.interfaces.glossary import describe
from recollect.manager import MemoryManager
from recollect.manager.conversing import Working
from recollect.manager.graph import Graph
from recollect.manager.lifecycle import Lifecycle
from recollect.manager.procedures import Procedures
from recollect.models import Fact

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

    @property
    def clearable(self) -> bool:
        """None is a value of its own and not the same as leaving it out."""
        return self.nullable and not self.required and self.default is not None


@dataclass(frozen=True, slots=True)
class Operation:
    """A method that interfaces offer: what it is called, what it takes, what it does to the store.

    `method` may lead through an attribute of the manager, as `graph.merge` does; two words in `name` are a command of a
    group. `scope` is `view` for a call that any view can make, `org` for one that needs a view without user, agent and
    session, and `none` for a class method. `answer` names the result in a JSON document when it is a bare value;
    `returns` is the method's own annotation of it.
    """

    name: str
    method: str
    summary: str
    parameters: tuple[Parameter, ...]
    scope: Reach = "view"
    effect: Effect = "read"
    answer: str = "result"
    returns: Any = None

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
        method: Callable[..., object] = attrgetter(self.method)(target)
        return method(**given, **more)


def operation(
    method: Callable[..., object],
    *,
    name: str = "",
    at: str = "",
    rest: Callable[..., object] | None = None,
    omit: Iterable[str] = (),
    scope: Reach = "view",
    effect: Effect = "read",
    answer: str = "result",
) -> Operation:
    """Describe a method; where it ends in `**kwargs`, the keyword parameters of `rest` stand for them.

    `at` is the attribute of a manager whose method it is, and the group of its command.
    """
    own = method.__name__
    name = name or " ".join(filter(None, (at, own.removesuffix("_").replace("_", "-"))))
    found = {p.name: p for p in _parameters(method, name)}
    if rest is not None:
        for extra in _parameters(rest, name):
            if not extra.positional:
                found.setdefault(extra.name, extra)
    kept = tuple(p for p in found.values() if p.name not in set(omit))
    returns = get_type_hints(method, include_extras=True).get("return")
    return Operation(name, f"{at}.{own}" if at else own, _summary(method), kept, scope, effect, answer, returns)


def _summary(method: Callable[..., object]) -> str:
    """Return what the method's docstring says first, up to what only concerns a Python program."""
    sentence = (inspect.getdoc(method) or "").partition("\n\n")[0].replace("\n", " ")
    sentence = re.split(r"[;:] ", re.sub(r" \([^)]*\)", "", sentence), maxsplit=1)[0].removesuffix(".") + "."
    named = inspect.signature(method).parameters
    return re.sub("`(.*?)`", lambda found: found[1].upper() if found[1] in named else found[1], sentence)


def _parameters(method: Callable[..., object], name: str) -> Iterator[Parameter]:
    hints = get_type_hints(method, include_extras=True)
    for p in inspect.signature(method).parameters.values():
        if p.name in ("self", "cls") or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
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


# What can be said of one text only, and so not of all the texts of a file.
_ONE_TEXT = ("key", "fact", "derived_from", "valid_from", "valid_until", "sync", "evolve")

OPERATIONS = (
    operation(MemoryManager.remember, effect="write"),
    operation(MemoryManager.remember_with_extraction, effect="write", answer="facts"),
    operation(MemoryManager.remember_report, effect="write", answer="facts"),
    operation(MemoryManager.recall),
    operation(MemoryManager.recall_deep, rest=MemoryManager.recall),
    operation(MemoryManager.why_not, rest=MemoryManager.recall, omit=("touch",)),
    operation(MemoryManager.context, rest=MemoryManager.recall, answer="context"),
    operation(MemoryManager.synthesize, name="ask", rest=MemoryManager.recall, omit=("tiers", "include_quarantined")),
    operation(MemoryManager.get),
    operation(MemoryManager.list_memories, name="list"),
    operation(MemoryManager.facts, answer="memories"),
    operation(MemoryManager.neighbors, answer="hits"),
    operation(MemoryManager.recall_entity, answer="memories"),
    operation(MemoryManager.add_message, name="chat-log append", effect="write"),
    operation(MemoryManager.get_messages, name="chat-log window", answer="messages"),
    operation(Working.history, name="chat-log history", at="working", answer="messages"),
    operation(MemoryManager.assemble, name="chat-log assemble", rest=MemoryManager.recall, answer="assembled"),
    operation(MemoryManager.end_session, name="chat-log end", effect="write"),
    operation(MemoryManager.consolidate, effect="write"),
    operation(MemoryManager.update, effect="write"),
    operation(MemoryManager.supersede, rest=MemoryManager.remember, omit=("key", "evolve", "resolve"), effect="write"),
    operation(MemoryManager.mark_superseded, effect="write", answer="marked"),
    operation(MemoryManager.link, effect="write", answer="linked"),
    operation(MemoryManager.unlink, effect="write", answer="unlinked"),
    operation(MemoryManager.review, answer="items"),
    operation(MemoryManager.validate, effect="write"),
    operation(MemoryManager.reject, effect="write"),
    operation(MemoryManager.reinstate, effect="write"),
    operation(MemoryManager.promote, effect="write"),
    operation(MemoryManager.pin, effect="write"),
    operation(MemoryManager.unpin, effect="write"),
    operation(MemoryManager.forget, effect="destroy"),
    operation(MemoryManager.forget_all, effect="destroy"),
    operation(MemoryManager.receipt),
    operation(MemoryManager.receipts, answer="receipts"),
    operation(MemoryManager.history, answer="memories"),
    operation(MemoryManager.stats),
    operation(MemoryManager.audit_log, name="audit log", answer="entries"),
    operation(MemoryManager.verify_audit, name="audit verify"),
    operation(MemoryManager.audit_integrity, name="audit integrity"),
    operation(MemoryManager.audit_head, name="audit head"),
    operation(MemoryManager.sign_audit, name="audit sign", effect="write"),
    operation(MemoryManager.sweep, effect="write"),
    operation(Lifecycle.reflect, name="reflect", at="lifecycle", effect="write", answer="insights"),
    operation(Lifecycle.jobs, name="jobs", at="lifecycle", answer="jobs"),
    operation(Lifecycle.retry, name="retry", at="lifecycle", effect="write"),
    operation(Lifecycle.heat, name="heat", at="lifecycle", answer="heat"),
    operation(Lifecycle.effective_importance, name="importance", at="lifecycle", answer="importance"),
    operation(MemoryManager.ingest, rest=MemoryManager.remember, omit=_ONE_TEXT, effect="write"),
    operation(MemoryManager.export, answer="rows"),
    operation(MemoryManager.import_, scope="org", effect="write"),
    operation(Graph.import_stix, name="import-stix", at="graph", effect="write"),
    operation(Graph.export_stix, name="export-stix", at="graph", answer="path"),
    operation(MemoryManager.snapshot, answer="path"),
    operation(MemoryManager.restore, omit=("key",), scope="none", effect="write", answer="path"),
    operation(MemoryManager.reindex, effect="write"),
    operation(Procedures.store, at="procedures", effect="write"),
    operation(Procedures.get, at="procedures"),
    operation(MemoryManager.list_memories, name="procedures list", omit=("kinds",)),
    operation(Procedures.find, at="procedures", answer="hits"),
    operation(Procedures.render, at="procedures", answer="procedures"),
    operation(Procedures.record_outcome, name="procedures outcome", at="procedures", effect="write", answer="recorded"),
    operation(Procedures.mine, at="procedures", effect="write", answer="procedures"),
    operation(Procedures.confirm, at="procedures", effect="write"),
    operation(Procedures.reject, at="procedures", effect="write"),
    operation(Procedures.delete, at="procedures", effect="destroy", answer="deleted"),
    operation(Graph.entities, at="graph", answer="entities"),
    operation(MemoryManager.get_entity_relationships, name="graph show"),
    operation(Graph.shortest_path, name="graph path", at="graph", answer="relationships"),
    operation(Graph.related, at="graph", answer="entities"),
    operation(Graph.memory_ids, name="graph memories", at="graph", answer="memories"),
    operation(Graph.relationships, at="graph", answer="relationships"),
    operation(Graph.export, at="graph", answer="path"),
    operation(Graph.add_entity, name="graph add", at="graph", effect="write"),
    operation(Graph.add_alias, name="graph alias", at="graph", effect="write"),
    operation(Graph.add_relationship, name="graph relate", at="graph", effect="write"),
    operation(Graph.link_memory, name="graph link", at="graph", effect="write", answer="linked"),
    operation(Graph.merge, at="graph", effect="write"),
    operation(Graph.merges, at="graph", answer="merges"),
    operation(Graph.unmerge, at="graph", effect="write", answer="unmerged"),
    operation(Graph.remove_entity, name="graph remove", at="graph", effect="destroy", answer="removed"),
)
