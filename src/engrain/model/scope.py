"""Scopes, how they narrow, and the actor context of a call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from engrain.model.memory import Memory, Scope
from engrain.text import check_text

MAX_ID = 256
T = TypeVar("T")


def identifier(value: object, name: str) -> str:
    """Return an id as given: a non-blank string of at most 256 characters."""
    text = check_text(value, what=name)
    if not text.strip():
        raise ValueError(f"{name} is blank: give a name or leave it out")
    if len(text) > MAX_ID:
        raise ValueError(f"{name} is {len(text)} characters long, the limit is {MAX_ID}")
    return text


def scope_of(org: object, user: object, agent: object, session: object) -> Scope:
    """Return the scope of these names; org is always needed, the others may be None."""
    if org is None:
        raise ValueError("org is always set: leave it out for the default one")
    return narrowed(Scope(identifier(org, "org")), user=user, agent=agent, session=session)


def narrowed(scope: Scope, *, user: object = None, agent: object = None, session: object = None) -> Scope:
    """Return a scope inside `scope`: an unset field may be set, a set one never changed (`ValueError`)."""
    return Scope(
        scope.org,
        _bound("user", scope.user, user),
        _bound("agent", scope.agent, agent),
        _bound("session", scope.session, session),
    )


def _bound(name: str, bound: str | None, value: object) -> str | None:
    if value is None:
        return bound
    wanted = identifier(value, name)
    if bound is not None and bound != wanted:
        raise ValueError(f"this view is bound to {name} {bound!r} and cannot become {wanted!r}: open another view")
    return wanted


def nearest(view: Scope, memories: Sequence[Memory]) -> Memory:
    """Return the one that a key means in a view: the view's own, else its user's common one, else the only one left."""

    def distance(memory: Memory) -> tuple[bool, bool, bool]:
        user, agent = memory.scope.user, memory.scope.agent
        return (user != view.user, agent != view.agent, agent is not None)

    first, *others = sorted(memories, key=distance)
    if others and distance(others[0]) == distance(first):
        raise ValueError(f"the key {first.key!r} names several memories in this view: narrow it with scoped(...)")
    return first


def is_whole(value: object) -> bool:
    """Say whether a value is a whole number, which True and False are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def spent_by(scope: Scope) -> str:
    """Return the name under which a store keeps what an org's user has spent on language models today."""
    return f"llm_spent {json.dumps([scope.org, scope.user], ensure_ascii=False)}"


def by_org(rows: Iterable[T], org_of: Callable[[T], str]) -> dict[str, list[T]]:
    """Return rows by the org they are of, as a transaction may hold one org's alone."""
    found: dict[str, list[T]] = {}
    for row in rows:
        found.setdefault(org_of(row), []).append(row)
    return found


KEY = "key:"
"""What the name of a key begins with where somebody who acted is named."""
_acting: ContextVar[str | None] = ContextVar("acting", default=None)


@contextmanager
def acting(name: str | None) -> Iterator[None]:
    """Let what is done inside be done by the key `key:<id>`, or with None by nobody from outside.

    It holds in this thread and in tasks and threads that take their context from it, and nowhere else.
    """
    if name is not None and (not name.startswith(KEY) or name == KEY):
        raise ValueError(f"{name!r} is no key: it is named as {KEY}<id>")
    before = _acting.set(name)
    try:
        yield
    finally:
        _acting.reset(before)


def acting_key() -> str | None:
    """Return the key that acts now, as `key:<id>`; None where no key does."""
    return _acting.get()
