"""What a caller says, checked: turns, budgets and the objects that watch a window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from recollect.models import Turn
from recollect.protocols import Clock
from recollect.scopes import is_whole


def spoken(role: str | Turn, content: str | None, metadata: Mapping[str, Any], clock: Clock | None) -> Turn:
    """Return the turn that a caller adds: a ready one as it is, or one of these parts; with its time if it has none."""
    ready = role if isinstance(role, Turn) else None
    if ready is not None and (content is not None or metadata):
        raise TypeError("a Turn is added alone: what else there is to say of it stands in its metadata")
    speaker, said = (role, content) if ready is None else (ready.role, ready.content)
    if not isinstance(speaker, str):
        raise TypeError(f"role must be a word such as user or assistant, not {type(speaker).__name__}")
    if not speaker.strip():
        raise ValueError("role is blank: say who speaks, such as user or assistant")
    if not isinstance(said, str):
        raise TypeError(f"content must be a string, not {type(said).__name__}")
    turn = ready or Turn(role=speaker, content=said)
    turn = replace(turn, metadata=dict(turn.metadata if ready else metadata))
    return turn if turn.at is not None else replace(turn, at=now(clock))


def now(clock: Clock | None) -> datetime:
    """Return the time by a clock, or by the system's."""
    return datetime.now(UTC) if clock is None else clock.now()


def checked_tokens(max_tokens: int, name: str = "max_tokens") -> int:
    """Return a budget in tokens."""
    if not is_whole(max_tokens):
        raise TypeError(f"{name} must be a positive integer, not {type(max_tokens).__name__}")
    if max_tokens <= 0:
        raise ValueError(f"{name} must be a positive integer")
    return max_tokens


def checked_priority(priority: int, name: str = "priority") -> int:
    """Return a priority, 0 to 10."""
    if not is_whole(priority):
        raise TypeError(f"{name} must be a whole number, not {type(priority).__name__}")
    if not 0 <= priority <= 10:
        raise ValueError(f"{name} is {priority}: it must be from 0 to 10")
    return priority


def checked_function(function: object, name: str) -> None:
    """Refuse what is given for a function and is none."""
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function, not {type(function).__name__}")


def checked_shape(value: object, shape: type, name: str) -> None:
    """Refuse an object without the methods that `shape`, a protocol, asks for."""
    if value is not None and not isinstance(value, shape):
        raise TypeError(f"{name} must be a {shape.__name__}, which a {type(value).__name__} is not")


def watchers(callbacks: Iterable[object]) -> tuple[object, ...]:
    """Return those who watch as a tuple."""
    if isinstance(callbacks, str) or not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks must be a list of objects, not {type(callbacks).__name__}")
    return tuple(callbacks)
