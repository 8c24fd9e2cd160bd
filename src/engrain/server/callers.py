"""The caller of an operation, with view and role: the same behind REST, MCP, the console and `engrain.tools`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engrain.errors import AccessDenied
from engrain.manager import MemoryManager
from engrain.model.audit import Key, Role
from engrain.model.memory import KEY, UNCONFIRMED, Scope, actor_context
from engrain.operations.schema import SCOPE, Operation


@dataclass(frozen=True, slots=True)
class Caller:
    """A role, the scope of the key (None for a local caller), and the id of the key, or a name without one."""

    role: Role
    scope: Scope | None = None
    key: str = ""
    name: str | None = None

    @property
    def actor(self) -> str | None:
        """The actor in the audit trail."""
        return KEY + self.key if self.key else self.name

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

    def needs(self, role: Role, what: str) -> None:
        """Raise `AccessDenied` unless the caller has that role, or one above it."""
        if not self.role.covers(role):
            message = f"{what} needs a key of role {role.value}, and this one has role {self.role.value}"
            raise AccessDenied(message, role=role.value)


ANONYMOUS_ADMIN = Caller(Role.ADMIN)
"""The caller where a store has no keys: any process that reaches a port of this machine."""


def view_of(memory: MemoryManager, caller: Caller, asked: Mapping[str, str | None]) -> MemoryManager:
    """Return the caller's view, narrowed to the scope that is asked for; outside the key's scope is `AccessDenied`."""
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


def perform(
    memory: MemoryManager,
    caller: Caller,
    operation: Operation,
    given: Mapping[str, Any],
    asked: Mapping[str, str | None],
    **more: object,
) -> object:
    """Call an operation in the caller's view; a call beyond its role or its key is `AccessDenied`."""
    view = view_of(memory, caller, asked)
    caller.needs(required_role(view, operation, given), operation.name)
    for name, role in operation.guarded.items():
        if given.get(name):
            caller.needs(role, f"{operation.name} with {name}")
    if operation.parameter("evolve") is not None and view.llm is not None:
        given = {"evolve": True, **given}
    with actor_context(caller.actor, reviews=caller.role.covers(Role.REVIEW)):
        return operation.call(view, given, **more)


def required_role(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> Role:
    """Return the role that a call needs; for a mined procedure that is not confirmed it is `settings.confirm`."""
    confirm = Role(view.settings.confirm)
    if operation.name in ("procedures confirm", "procedures reject"):
        return confirm
    if operation.name in ("validate", "reject", "forget", "procedures delete"):
        pending = view.get(given.get("memory_id"), key=given.get("key"))
        if pending is not None and pending.status_reason == UNCONFIRMED:
            return confirm
    return operation.role
