"""Conversations at the front door: messages appended, the window they stand in, and the end of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engrain.chat.formats import FORMATS, Messages, messages_of, turns_of
from engrain.config import WorkingSettings
from engrain.conversation import durable as log
from engrain.conversation import durable as settling
from engrain.conversation import session_end as ending
from engrain.conversation.assemble import assembled, known_items, window_items, within_budget
from engrain.conversation.durable import Message, append, checked, echoed, in_session
from engrain.conversation.window_state import Window
from engrain.conversation.windows import checked_priority
from engrain.manager.writing import Writing
from engrain.model.memory import ContextItem, Scope, Turn
from engrain.model.results import Page, SessionEnd
from engrain.validation import When, checked_budget

_FACTS = ("semantic", "procedural")
_MOST_FACTS = 50  # shown of what is known, when nothing is asked
_SHAPES = {"text": "text", "messages": "openai", **{name: name for name in FORMATS}}


def checked_format(format: str) -> str:
    """Return what a name of a format means; raises `ValueError` for one that there is not."""
    if format not in _SHAPES:
        raise ValueError(f"format is {format!r}: it must be one of {', '.join(_SHAPES)}")
    return _SHAPES[format]


class Working:
    """The working memory of a session: `m.working`, or `m.working(session)` for another than the view's own.

    It is a window over the session's log. The log keeps every message; the window holds its budget, whatever is
    appended, and tells in a summary what left it. Both are in the store: they survive a crash, and several processes
    may append to one session. A conversation belongs to exactly the org, user, agent and session of the view.
    """

    def __init__(self, view: Conversing, session: str | None = None) -> None:
        self._view = view
        self._session = session

    def __call__(self, session: str) -> Working:
        """Return the working memory of another session, from a view that is bound to none."""
        self._view._in_session(session)
        return Working(self._view, session)

    @property
    def _scope(self) -> Scope:
        return self._view._in_session(self._session)

    def add(
        self,
        /,
        role: str,
        content: str | None,
        *,
        actor: str | None = None,
        at: When | None = None,
        **metadata: Any,
    ) -> Turn:
        """Append a message, durably; see `MemoryManager.add_message`."""
        return self._view._appended(self._scope, role, content, actor=actor, at=at, metadata=metadata)

    @property
    def messages(self) -> list[Turn]:
        """The window, oldest first; the summary of what left it is one of its turns (`is_summary` in its metadata)."""
        return self._view._window(self._scope).messages

    @property
    def summary(self) -> str | None:
        """What is told of the turns that left the window; None before any did."""
        return self._view._window(self._scope).summary

    @property
    def token_count(self) -> int:
        """The tokens that the window holds, its summary included."""
        return self._view._window(self._scope).token_count

    def extend(self, messages: Any) -> list[Turn]:
        """Append messages in the shapes of the common chat APIs, in order; all are read before the first is appended.

        Each is a transaction of its own. A message with a time (`at`) that the log holds is not appended again.
        """
        turns = turns_of(messages)
        scope, engine = self._scope, self._view._engine
        said = [
            checked(engine, turn.role, turn.content, actor=turn.actor, at=turn.at, metadata=turn.metadata)
            for turn in turns
        ]
        return [self._view._said(scope, message) for message in said]

    def history(self, *, limit: int = 100, cursor: str | None = None) -> Page[Turn]:
        """Return a page of every message ever appended, oldest first, as it was said, whatever the window holds."""
        return log.history(self._view._engine, self._scope, limit=limit, cursor=cursor)

    def items(
        self, *, priority: int = 7, query: str | None = None, token_budget: int | None = None
    ) -> list[ContextItem]:
        """Return what to show a model: facts (priority 8), then the summary and the turns of the window.

        With a `query` the facts are what it recalls, else the most important ones. Within a `token_budget` facts and
        the newest turns come first; the order stays that of the conversation.
        """
        if token_budget is not None:
            checked_budget(token_budget)
        return self._view._items(self._scope, checked_priority(priority), query, token_budget)

    def clear(self) -> None:
        """Empty the window and what is told in it; the history stays, and no memory is touched."""
        settling.clear(self._view._engine, self._scope)


class Conversing(Writing):
    """The methods about conversations."""

    def add_message(
        self,
        /,
        role: str,
        content: str | None,
        *,
        session: str | None = None,
        actor: str | None = None,
        at: When | None = None,
        **metadata: Any,
    ) -> Turn:
        """Append a message to a session's conversation; it is durable, and can be recalled, when this returns.

        What a user, an assistant or a tool says is an episodic memory from then on (`settings.remember_turns`), under
        the turn's `id`; what the system says is not. `metadata` is kept with the turn: `tool_calls`, `tool_call_id`
        and `name` as chat APIs have them, `success` of a tool. A message that only calls tools may have no content.
        With `at` the same message twice is one. Raises `ValueError` without a session, `GovernanceViolation` for
        content that cannot be kept; then nothing is stored.
        """
        return self._appended(self._in_session(session), role, content, actor=actor, at=at, metadata=metadata)

    def get_messages(self, *, session: str | None = None) -> list[Turn]:
        """Return the window of a session: the turns that it holds now, and the summary of those that left it."""
        return self._window(self._in_session(session)).messages

    def end_session(self, session: str | None = None) -> SessionEnd:
        """End a session: what was said is told in memories derived from its turns, its working memories are archived.

        Those are the working memories of the view's agent, or of none, as its conversation is; another agent's stay.
        All of it happens at once, or nothing; a second call does nothing. The window is empty afterwards, the history
        stays, and a later message takes the session up again. Raises `Conflict` while others keep writing to it.
        """
        ended = ending.end(self._engine, self._in_session(session))
        self._queued()
        return ended

    def assemble(
        self,
        /,
        query: str,
        *,
        token_budget: int = 4000,
        session: str | None = None,
        format: str = "text",
        **filters: Any,
    ) -> str | Messages:
        """Return what to show a model that shall answer: memories, the summary and the recent turns, in one budget.

        `format` is `text` for one block of Markdown, or names the shape of messages: `messages` (that of OpenAI),
        `openai`, `anthropic`, `google`, `langchain`. Memories that are turns of the window are not shown twice.
        `filters` are those of `recall`. `token_budget` counts what is said, not the shape it is sent in.
        """
        scope, shape = self._in_session(session), checked_format(format)
        budget = checked_budget(token_budget)
        window = self._window(scope)
        standing = {turn.id for turn in window.turns}
        hits = [hit for hit in self.recall(query, **filters) if hit.id not in standing]
        shown = assembled(hits, window, self._engine.tokenizer, budget, as_messages=shape != "text")
        return shown.text if shape == "text" else messages_of(shown.messages, shape)

    @property
    def working(self) -> Working:
        """The working memory of the view's session."""
        return Working(self)

    # ---------------------------------------------------------------------------------------------------------- shared

    def _in_session(self, session: str | None) -> Scope:
        return in_session(self._scope, session)

    def _appended(
        self,
        scope: Scope,
        role: str,
        content: str | None,
        *,
        actor: str | None,
        at: When | None,
        metadata: Mapping[str, Any],
    ) -> Turn:
        if isinstance(metadata.get("metadata"), Mapping):
            raise TypeError("a message takes its own fields as keyword arguments: tool_call_id=..., not metadata={...}")
        return self._said(scope, checked(self._engine, role, content, actor=actor, at=at, metadata=metadata))

    def _said(self, scope: Scope, message: Message) -> Turn:
        engine = self._engine
        echo = echoed(engine, scope, self._accesses, message.text) if message.role == "assistant" else None
        rules = settling.rules_of(engine, scope)
        turn, held = append(engine, scope, message, room=rules.room, echo=echo)
        if isinstance(engine.settings.working, WorkingSettings):
            settling.compact(engine, scope, held, rules)
        self._queued()
        return turn

    def _items(self, scope: Scope, priority: int, query: str | None, token_budget: int | None) -> list[ContextItem]:
        window = self._window(scope)
        if query is None:
            best = self.list_memories(kinds=_FACTS, order="-importance", limit=_MOST_FACTS)
            known = [(memory, memory.importance) for memory in best]
        else:
            standing = {turn.id for turn in window.turns}
            known = [(hit.memory, hit.relevance) for hit in self.recall(query) if hit.id not in standing]
        items = [*known_items(known, self._engine.tokenizer), *window_items(window, priority)]
        return items if token_budget is None else within_budget(items, token_budget)

    def _window(self, scope: Scope) -> Window:
        engine = self._engine
        if isinstance(engine.settings.working, WorkingSettings):
            return settling.window_of(engine, scope)
        return self._replays.window(engine, scope)
