"""What the requests of a server share: the manager, authentication, roles, threads, limits of each key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from anyio import CapacityLimiter
from starlette.datastructures import Headers

from engrain.errors import AccessDenied
from engrain.idempotency import IdempotentRequests
from engrain.manager import MemoryManager
from engrain.model.audit import Key, Role
from engrain.model.memory import KEY, UNCONFIRMED, Scope, Status, actor_context
from engrain.operations.schema import SCOPE, Operation
from engrain.policies.rate_limit import RateLimiter
from engrain.server.admission import Admission
from engrain.server.limits import Limits
from engrain.server.wire import Problem, retry_after

THREADS = 16
"""How many requests are worked on at once."""

# ------------------------------------------------------------------------------------------------------------- callers


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

    def needs(self, role: Role, what: str) -> None:
        """Raise `AccessDenied` unless the caller has that role, or one above it."""
        if not self.role.covers(role):
            message = f"{what} needs a key of role {role.value}, and this one has role {self.role.value}"
            raise AccessDenied(message, role=role.value)


ANONYMOUS_ADMIN = Caller(Role.ADMIN)
"""The caller where a store has no keys: any process that reaches a port of this machine."""

Authenticate = Callable[[MemoryManager, Headers], Caller]


def authenticate(memory: MemoryManager, headers: Headers) -> Caller:
    """Return who asks, by the key in the `Authorization` header.

    Raises:
        AccessDenied: The key is missing, unknown or revoked, and the store has had keys.
    """
    presented = headers.getlist("authorization")
    if not presented:
        if memory.keys.exist():
            raise AccessDenied("this server wants a key: send Authorization: Bearer KEY", role=None)
        return ANONYMOUS_ADMIN
    scheme, _, secret = presented[0].partition(" ")
    if len(presented) > 1 or scheme.lower() != "bearer" or not secret.strip():
        raise AccessDenied("send one header, Authorization: Bearer KEY", role=None)
    key = memory.keys.recognise(secret.strip())
    if key is None:
        if not memory.keys.exist():
            raise AccessDenied("this server's store has never had a key: send none, or look at its --store", role=None)
        raise AccessDenied("the key is unknown or was revoked: ask the server's administrator for another", role=None)
    return Caller.of(key)


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


def perform(
    memory: MemoryManager,
    caller: Caller,
    operation: Operation,
    given: Mapping[str, Any],
    asked: Mapping[str, str | None],
    **more: object,
) -> object:
    """Call an operation in the caller's view; what its role or its key does not allow is `AccessDenied`.

    `asked` holds org, user, agent and session as far as they set the scope and are no parameters of the operation;
    `more` are arguments that only a Python program can give, such as a callback.
    `evolve` is on by default exactly when the view has a language model.
    """
    view = view_of(memory, caller, asked)
    caller.needs(_required_role(view, operation, given), operation.name)
    for name, role in operation.guarded.items():
        if given.get(name):
            caller.needs(role, f"{operation.name} with {name}")
    if operation.parameter("evolve") is not None and view.llm is not None:
        given = {"evolve": True, **given}
    reviews = caller.role.covers(Role.REVIEW)
    with actor_context(KEY + caller.key if caller.key else None, reviews=reviews):
        return operation.call(view, given, **more)


def _required_role(view: MemoryManager, operation: Operation, given: Mapping[str, Any]) -> Role:
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


# -------------------------------------------------------------------------------------------------------------- server

Count = Callable[[Caller, bool], None]
"""Counts a call of a caller, and whether it writes; one too many within a minute is a 429 `Problem`."""


def count_calls(limits: Limits, clock: Callable[[], float] = monotonic) -> Count:
    """Return what counts the requests and the writes of each key."""
    numbers = (limits.requests_per_minute, "requests"), (limits.writes_per_minute, "writes")
    rates = [(RateLimiter(limit, clock=clock), what) for limit, what in numbers if limit]

    def count(caller: Caller, writes: bool) -> None:
        for rate, what in rates:
            if (writes or what == "requests") and (wait := rate.attempt(caller.key)):
                detail = (
                    f"{rate.limit} {what} a minute are allowed, nothing was done: wait {wait:.0f} s, or send what "
                    "belongs together in one"
                )
                raise Problem(429, "too-many", detail, {"code": "rate"}, retry_after(wait))

    return count


class ServerContext:
    """One server: its manager, how it authenticates callers, its threads and limits, and the scope it is bound to."""

    def __init__(
        self, memory: MemoryManager, authenticate: Authenticate, limits: Limits, bound: Scope | None = None
    ) -> None:
        if memory.scope != Scope(memory.scope.org):
            raise ValueError("a server needs the manager itself: name the scope that it serves with `bound`")
        self.memory, self.limits = memory, limits
        self.threads = CapacityLimiter(THREADS)
        self.idempotent = IdempotentRequests(memory)
        self._authenticate, self._bound = authenticate, bound
        self.count, self.admission = count_calls(limits), Admission(limits.requests)

    def caller(self, headers: Headers) -> Caller:
        """Return who asks, within the scope that the server is bound to; raises `AccessDenied`."""
        caller = self._authenticate(self.memory, headers)
        return caller if self._bound is None else caller.within(self._bound)
