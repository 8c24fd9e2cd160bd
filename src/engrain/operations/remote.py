"""Operations called from outside the process: JSON types of parameters, callers with role and scope, the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Annotated, Any, Literal

from engrain.errors import AccessDenied
from engrain.manager import MemoryManager
from engrain.model.audit import Key, Role
from engrain.model.memory import UNCONFIRMED, Scope, Status
from engrain.model.scope import KEY, acting
from engrain.operations.schema import SCOPE, Operation, Parameter, Shape

# ---------------------------------------------------------------------------------------------------------- JSON values

FURTHEST = 2**53
"""Integers beyond this are not exact in every JSON reader."""

MOST: Mapping[str, float] = {"k": 1000, "limit": 1000, "batch_size": 10_000, "max_depth": 100, "timeout": 10}
"""The largest value of each parameter that decides how much work one request is."""

LEAST: Mapping[str, float] = {"chunk_size": 200}
"""The smallest value of such a parameter."""

_LONGEST = 10_000 * 365 * 86_400.0  # seconds


@cache
def _types() -> Mapping[Shape, Any]:
    from pydantic import Field

    return {
        Shape.TEXT: str,
        Shape.PATH: str,
        Shape.TIME: str,
        Shape.FLAG: bool,
        Shape.INTEGER: Annotated[int, Field(ge=-FURTHEST, le=FURTHEST)],
        Shape.NUMBER: Annotated[float, Field(allow_inf_nan=False)],
        Shape.DURATION: Annotated[float, Field(allow_inf_nan=False, ge=-_LONGEST, le=_LONGEST, description="seconds")],
        Shape.OBJECT: dict[str, Any],
        Shape.FACT: Annotated[list[str], Field(min_length=3, max_length=3)],
        Shape.ENTITY: Annotated[list[str], Field(min_length=2, max_length=2)],
    }


def type_of(parameter: Parameter) -> Any:
    """Return the pydantic type of one value of a parameter, `repeated` or not."""
    from pydantic import Field

    kind = Literal[parameter.choices] if parameter.choices else _types()[parameter.shape]
    if parameter.name in MOST and not parameter.repeated:
        kind = Annotated[kind, Field(le=MOST[parameter.name])]
    return Annotated[kind, Field(ge=LEAST[parameter.name])] if parameter.name in LEAST else kind


def native(operation: Operation, name: str, value: Any) -> Any:
    """Return a JSON value as the method takes it: a duration or a tuple where JSON has a number or a list."""
    parameter = operation.parameter(name)
    if parameter is None or value is None:
        return value
    if parameter.shape is Shape.DURATION:
        return timedelta(seconds=value)
    if parameter.shape in (Shape.FACT, Shape.ENTITY):
        return [tuple(each) for each in value] if parameter.repeated else tuple(value)
    return value


def scope_names(operation: Operation) -> tuple[str, ...]:
    """Return the names that set the scope of a call: org always, the others where they are no parameters of it."""
    own = {p.name for p in operation.parameters}
    return tuple(name for name in SCOPE if name == "org" or name not in own)


# -------------------------------------------------------------------------------------------------------------- callers


@dataclass(frozen=True, slots=True)
class Caller:
    """A role, the scope that the key is bound to (None for a local caller), and the id of the key."""

    role: Role
    scope: Scope | None = None
    key: str = ""

    @classmethod
    def of(cls, key: Key) -> Caller:
        """Return the caller that presents a key."""
        return cls(key.role, Scope(key.org, key.user, key.agent), key.id)

    def within(self, bound: Scope) -> Caller:
        """Return the caller in a server that is bound to a scope; a key of another is `AccessDenied`."""
        own = self.scope or bound
        for name in SCOPE:
            served, allowed = getattr(bound, name), getattr(own, name)
            if None not in (served, allowed) and served != allowed:
                raise AccessDenied(f"this server is bound to another {name} than the key: use the key's own server")
        merged = Scope(own.org, *(getattr(own, name) or getattr(bound, name) for name in SCOPE[1:]))
        return Caller(self.role, merged, self.key)

    @property
    def name(self) -> str | None:
        """The actor in the audit trail; None for a local caller."""
        return KEY + self.key if self.key else None

    def needs(self, role: Role, what: str) -> None:
        """Raise `AccessDenied` unless the caller has that role, or one above it."""
        if not self.role.covers(role):
            message = f"{what} needs a key of role {role.value}, and this one has role {self.role.value}"
            raise AccessDenied(message, role=role.value)


def view_of(memory: MemoryManager, caller: Caller, asked: Mapping[str, str | None]) -> MemoryManager:
    """Return the caller's view, narrowed to the scope that is asked for; outside the key's scope is `AccessDenied`.

    `memory` is the server's own manager; what it is bound to binds every caller.
    """
    is_open = memory.scope == Scope(memory.scope.org)
    caller = caller if is_open else caller.within(memory.scope)
    bound, named = caller.scope or memory.scope, {name: value for name, value in asked.items() if value is not None}
    for name, value in named.items():
        allowed = getattr(bound, name)
        free = caller.scope is None and is_open if name == "org" else allowed is None
        if value != allowed and not free:
            raise AccessDenied(f"the key is bound to {name} {allowed!r}: leave {name} out, or use another key")
    org = named.pop("org", bound.org)
    view = memory if org == memory.scope.org else memory.for_org(org)
    of_key = {name: getattr(bound, name) for name in SCOPE[1:] if getattr(view.scope, name) is None}
    return view.scoped(**{**of_key, **named})


# ------------------------------------------------------------------------------------------------------------- the call


def perform(
    memory: MemoryManager,
    caller: Caller,
    operation: Operation,
    given: Mapping[str, Any],
    asked: Mapping[str, str | None],
) -> object:
    """Call an operation in the caller's view; what its role or its key does not allow is `AccessDenied`.

    `asked` holds org, user, agent and session as far as they set the scope and are no parameters of the operation.
    `evolve` is on by default exactly when the view has a language model.
    """
    view = view_of(memory, caller, asked)
    caller.needs(required_role(view, operation, given), operation.name)
    for name, role in operation.guarded.items():
        if given.get(name):
            caller.needs(role, f"{operation.name} with {name}")
    if operation.parameter("evolve") is not None and view.llm is not None:
        given = {"evolve": True, **given}
    with acting(caller.name):
        return operation.call(view, given)


def required_role(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> Role:
    """Return the role that a call needs; for a mined procedure that is not confirmed it is `settings.confirm`."""
    confirm = Role(view.settings.confirm)
    if operation.name in ("procedures confirm", "procedures reject"):
        return confirm
    if operation.name in ("forget", "procedures delete"):
        hidden = view.get(given.get("memory_id"), key=given.get("key"))
        if hidden is not None and hidden.status is Status.QUARANTINED:  # it would leave the review queue
            return confirm if hidden.status_reason == UNCONFIRMED else Role.REVIEW
    if operation.name in ("validate", "reject"):
        pending = view.get(str(given.get("memory_id")))
        if pending is not None and pending.status_reason == UNCONFIRMED:
            return confirm
    return operation.role
