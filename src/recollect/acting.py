"""Who acts in a call that came from outside: a server says which key asked, and the audit trail names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
