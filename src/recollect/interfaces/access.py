"""Who may do what: a caller of a server, the view of its key, and the one door through which its operations go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.acting import KEY, acting
from recollect.errors import AccessDenied
from recollect.interfaces.operations import SCOPE, Operation, RoleName
from recollect.manager import MemoryManager
from recollect.models import UNCONFIRMED, Scope
from recollect.proofs import Key

LADDER: tuple[RoleName, ...] = ("read", "write", "review", "admin")
_VERDICTS = ("validate", "reject")
_CONFIRMING = ("procedures confirm", "procedures reject")


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a role, and the scope that the key is bound to; None for whoever stands at the machine."""

    role: RoleName
    scope: Scope | None = None
    key: str = ""

    def may(self, role: str) -> bool:
        """Say whether the caller's role is that role, or one above it."""
        return LADDER.index(self.role) >= LADDER.index(role)

    def needs(self, role: str, what: str) -> None:
        """Raise `AccessDenied` unless the caller has that role."""
        if not self.may(role):
            raise AccessDenied(f"{what} needs a key of role {role}, and this one has role {self.role}", role=role)


def bearer(key: Key) -> Caller:
    """Return who asks with a key that was recognised."""
    return Caller(key.role.value, Scope(key.org, key.user, key.agent), key.id)


def view_of(memory: MemoryManager, caller: Caller, asked: Mapping[str, str | None]) -> MemoryManager:
    """Return the caller's view, narrowed to what was asked for; outside the key's scope is `AccessDenied`.

    `memory` is the server's own manager; what it is bound to binds every caller.
    """
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
    with acting(KEY + caller.key if caller.key else None):
        return operation.call(view, settled(view, operation, given))


def role_for(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> str:
    """Return the role that a call needs; about a mined procedure, `settings.confirm` says it."""
    if operation.name in _CONFIRMING:
        return view.settings.confirm
    if operation.name in _VERDICTS:
        waiting = view.get(str(given.get("memory_id")))
        if waiting is not None and waiting.status_reason == UNCONFIRMED:
            return view.settings.confirm
    return operation.role


def settled(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is passed on: `evolve` is on by default exactly when there is a language model."""
    values = dict(given)
    if operation.parameter("evolve") is not None and "evolve" not in values and view.llm is not None:
        values["evolve"] = True
    return values
