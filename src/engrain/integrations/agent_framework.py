"""Microsoft Agent Framework: a history provider and a context provider over a memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from engrain.integrations.opening import ALL, Memory, Opened, framework, in_thread, plain_text, threaded
from engrain.model.memory import Turn
from engrain.views import Working

with framework("agent-framework"):
    from agent_framework import ContextProvider, HistoryProvider, Message

_SPOKEN = ("user", "assistant")


class EngrainHistoryProvider(Opened, HistoryProvider):
    """The messages of a session: exact items in the turn log of the session `session_id` of the memory's view.

    The text of user and assistant messages is remembered as any turn is; calls and their results are not.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        source_id: The provider's id in the framework. Default `engrain_history`.
        **options: What `HistoryProvider` takes: `load_messages`, `store_inputs`, `store_outputs` and so on.
    """

    def __init__(self, memory: Memory, *, source_id: str = "engrain_history", **options: Any) -> None:
        Opened.__init__(self, memory)
        HistoryProvider.__init__(self, source_id, **options)

    @threaded
    def get_messages(self, session_id: str | None, *, state: dict[str, Any] | None = None, **_: Any) -> list[Message]:
        """Return the messages of a session, the oldest first."""
        turns = self._log(session_id).last(ALL)
        # a turn that another program has appended has no message of its own
        return [Message(t.role, [t.content]) if t.data is None else Message.from_dict(t.data) for t in turns]

    @threaded
    def save_messages(
        self, session_id: str | None, messages: Sequence[Message], *, state: dict[str, Any] | None = None, **_: Any
    ) -> None:
        """Append messages in one transaction: all of them, or none."""
        if turns := [_turn(message) for message in messages]:
            self._log(session_id).extend(turns)

    def _log(self, session_id: str | None) -> Working:
        if not session_id:
            raise ValueError("this run has no session_id: give the agent a session, so that no two share a history")
        return self.memory.working(session_id)


class EngrainContextProvider(Opened, ContextProvider):
    """Memories about the user's message as instructions of a run, which remembers both sides after it.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        source_id: The provider's id in the framework. Default `engrain`.
        remember: Remember the texts of a run. False where an `EngrainHistoryProvider` does so. Default True.
        token_budget: How many tokens the context may have. Default 1000.
        **filters: Filters of `recall`, such as `kinds=["semantic"]`.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        source_id: str = "engrain",
        remember: bool = True,
        token_budget: int = 1000,
        **filters: Any,
    ) -> None:
        Opened.__init__(self, memory)
        ContextProvider.__init__(self, source_id)
        self.remember = remember
        self.token_budget = token_budget
        self.filters = filters

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Add the memories that answer the newest message of the user."""
        asked = next((m.text for m in reversed(context.input_messages) if m.role == "user" and m.text.strip()), "")
        if asked:
            find = partial(self.memory.context, plain_text(asked), token_budget=self.token_budget, **self.filters)
            if found := await in_thread(find):
                context.extend_instructions(self.source_id, found)

    async def after_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Remember the words of the user and the agent in this run, and nothing that a provider put in."""
        messages = [*context.input_messages, *(context.response.messages if context.response else ())]
        turns = [turn for turn in map(_turn, messages) if turn.content.strip()]
        if self.remember and turns:
            texts = [{"role": turn.role, "content": turn.content} for turn in turns]
            await in_thread(partial(self.memory.remember_messages, texts, session=context.session_id))


def _turn(message: Message) -> Turn:
    spoken = message.role in _SPOKEN
    text = plain_text(message.text) if spoken else ""
    return Turn(role=message.role if spoken else "tool", content=text, data=message.to_dict())
