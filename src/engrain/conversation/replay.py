"""A conversation kept in an object of the caller's: one fresh object for each session, fed from the log.

The log is what lasts. Whatever the object makes of it is made again when the store is opened anew, and follows what
other processes append.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import RLock
from typing import Any

from engrain.conversation.durable import conversation, turn_of
from engrain.conversation.tiers import SummaryTier, Tiers
from engrain.conversation.window_state import Window
from engrain.engine import Engine
from engrain.errors import ConfigError
from engrain.guard import guard
from engrain.model.filters import Test
from engrain.model.memory import Scope, Status
from engrain.protocols import ConversationMemory
from engrain.storage.rows import ConversationRow, TurnRow

_MOST = 256  # sessions whose objects are kept; others are fed anew
_OURS = ("self", "role", "content", "turn")


@dataclass(slots=True)
class _Fed:
    """An object, up to which position it holds a session's turns, and of which version of its window."""

    memory: ConversationMemory
    version: int
    next: int


class Replays:
    """The objects of the sessions that one manager and its views have looked at."""

    def __init__(self) -> None:
        self._lock = RLock()  # who is told while an object is fed may look into it
        self._fed: dict[str, _Fed] = {}

    def window(self, engine: Engine, scope: Scope) -> Window:
        """Return what the session's object holds, as a window."""
        memory = self.of(engine, scope)
        summary, tokens = getattr(memory, "summary", None), getattr(memory, "summary_tokens", 0)
        told = Tiers((SummaryTier(1, summary, tokens, 1),)) if isinstance(summary, str) and summary else Tiers()
        return Window(tuple(memory.turns), told)

    def of(self, engine: Engine, scope: Scope) -> ConversationMemory:
        """Return the session's object, fed with every turn that its log holds."""
        pristine = engine.settings.working
        assert isinstance(pristine, ConversationMemory)
        with self._lock:
            with engine.store.read(scope.org) as reader:
                held = conversation(reader, scope)
                if held is None:
                    return _fresh(pristine)
                known = self._known(pristine, held)
                unfed = [Test("conversation", "eq", held.num), Test("position", "ge", known.next)]
                rows = reader.find(TurnRow, unfed, order="position")
            _feed(known, rows)
            return known.memory

    def _known(self, pristine: ConversationMemory, held: ConversationRow) -> _Fed:
        """Return a session's object, a fresh one where its window was emptied, or some of it forgotten."""
        known = self._fed.pop(held.id, None)
        if known is None or known.version != held.version:
            known = _Fed(_fresh(pristine), held.version, held.since)
        self._fed[held.id] = known
        while len(self._fed) > _MOST:
            del self._fed[next(iter(self._fed))]
        return known


def _feed(known: _Fed, rows: Sequence[TurnRow]) -> None:
    add: Callable[..., Any] = known.memory.add_turn  # type: ignore[attr-defined]  # looked for when it was chosen
    for row in rows:
        fed = row.position < known.next  # by somebody who was told of an earlier one, and looked
        known.next = max(known.next, row.position + 1)
        if row.status is not Status.FORGOTTEN and not fed:
            turn = turn_of(row)
            more = {name: value for name, value in turn.metadata.items() if name not in _OURS}
            guard(f"{type(known.memory).__name__}.add_turn", partial(add, turn.role, turn.content, **more))


def _fresh(pristine: ConversationMemory) -> ConversationMemory:
    """Return a new object like the one that was chosen: sessions never share one."""
    made = getattr(pristine, "fresh", None)
    if callable(made):
        fresh: ConversationMemory = made()
        return fresh
    try:
        return copy.deepcopy(pristine)
    except TypeError as error:
        name = type(pristine).__name__
        raise ConfigError(
            f"settings.working is a {name}, of which no second can be made ({error}): give it a method `fresh()` that "
            "returns an empty one, for sessions never share one"
        ) from error
