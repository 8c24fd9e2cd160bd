"""Who may do what: a caller of a server, the view of its key, and the one door through which its operations go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engrain.errors import AccessDenied
from engrain.interfaces.operations import SCOPE, Operation
from engrain.manager import MemoryManager
from engrain.model.audit import Key, Role
from engrain.model.memory import UNCONFIRMED, Scope, Status
from engrain.model.scope import KEY, acting

_VERDICTS = ("validate", "reject")
_HIDING = ("forget", "procedures delete")
_CONFIRMING = ("procedures confirm", "procedures reject")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a role, and the scope that the key is bound to; None for whoever stands at the machine."""

    role: Role
    scope: Scope | None = None
    key: str = ""

    @classmethod
    def of(cls, key: Key) -> Caller:
        """Return whoever holds a key."""
        return cls(key.role, Scope(key.org, key.user, key.agent), key.id)

    def within(self, bound: Scope) -> Caller:
        """Return the caller in a server that is bound to a scope; a key of another is `AccessDenied`."""
        held = self.scope or bound
        for name in SCOPE:
            asked, opened = getattr(bound, name), getattr(held, name)
            if None not in (asked, opened) and asked != opened:
                raise AccessDenied(f"this server is bound to another {name} than the key: use the key's own server")
        merged = Scope(held.org, *(getattr(held, name) or getattr(bound, name) for name in SCOPE[1:]))
        return Caller(self.role, merged, self.key)

    @property
    def name(self) -> str | None:
        """How the audit trail names it; None for whoever stands at the machine."""
        return KEY + self.key if self.key else None

    def needs(self, role: Role, what: str) -> None:
        """Raise `AccessDenied` unless the caller has that role, or one above it."""
        if not self.role.covers(role):
            told = f"{what} needs a key of role {role.value}, and this one has role {self.role.value}"
            raise AccessDenied(told, role=role.value)


def view_of(memory: MemoryManager, caller: Caller, asked: Mapping[str, str | None]) -> MemoryManager:
    """Return the caller's view, narrowed to what was asked for; outside the key's scope is `AccessDenied`.

    `memory` is the server's own manager; what it is bound to binds every caller.
    """
    caller = caller if memory.scope == Scope(memory.scope.org) else caller.within(memory.scope)
    bound, named = caller.scope or memory.scope, {name: value for name, value in asked.items() if value is not None}
    for name, value in named.items():
        held = getattr(bound, name)
        free = caller.scope is None and memory.scope == Scope(memory.scope.org) if name == "org" else held is None
        if value != held and not free:
            raise AccessDenied(f"the key is bound to {name} {held!r}: leave {name} out, or use another key")
    org = named.pop("org", bound.org)
    view = memory if org == memory.scope.org else memory.for_org(org)
    held_by = {name: getattr(bound, name) for name in SCOPE[1:] if getattr(view.scope, name) is None}
    return view.scoped(**{**held_by, **named})


def perform(
    memory: MemoryManager,
    caller: Caller,
    operation: Operation,
    given: Mapping[str, Any],
    asked: Mapping[str, str | None],
) -> object:
    """Do what a caller asks for, in its own view; what its role or its key does not allow is `AccessDenied`.

    `asked` holds org, user, agent and session as far as they are the view's and no parameters of the operation.
    """
    view = view_of(memory, caller, asked)
    caller.needs(role_for(view, operation, given), operation.name)
    for name, role in operation.guarded.items():
        if given.get(name):
            caller.needs(role, f"{operation.name} with {name}")
    with acting(caller.name):
        return operation.call(view, settled(view, operation, given))


def role_for(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> Role:
    """Return the role that a call needs; about a mined procedure, `settings.confirm` says it."""
    if operation.name in _CONFIRMING:
        return Role(view.settings.confirm)
    if operation.name in _HIDING:
        hidden = view.get(given.get("memory_id"), key=given.get("key"))
        if hidden is not None and hidden.status is Status.QUARANTINED:  # it would be out of the review queue
            return Role(view.settings.confirm) if hidden.status_reason == UNCONFIRMED else Role.REVIEW
    if operation.name in _VERDICTS:
        waiting = view.get(str(given.get("memory_id")))
        if waiting is not None and waiting.status_reason == UNCONFIRMED:
            return Role(view.settings.confirm)
    return operation.role


def settled(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is passed on: `evolve` is on by default exactly when there is a language model."""
    values = dict(given)
    if operation.parameter("evolve") is not None and "evolve" not in values and view.llm is not None:
        values["evolve"] = True
    return values
