"""OpenAI Agents SDK: a session over a memory. Items come back exactly; what people and the agent say is remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from engrain.integrations.opening import ALL, Memory, Opened, framework, in_thread, plain_text
from engrain.model.memory import Turn
from engrain.views import Working

with framework("openai-agents"):
    from agents.items import TResponseInputItem
    from agents.memory.session_settings import SessionSettings, coerce_session_settings, resolve_session_limit

T = TypeVar("T")
_SPOKEN = ("user", "assistant", "system", "developer")


class EngrainSession(Opened):
    """The history of an agent's session: the turn log of the session `session_id` of the memory's view.

    Each item is the exact `data` of a turn. The text of user and assistant messages is remembered as any turn is;
    calls, their outputs and reasoning are not.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        session_id: The name of the session, at most 256 characters.
        session_settings: The SDK's settings; their `limit` is used where a call names none.
    """

    def __init__(
        self, memory: Memory, *, session_id: str, session_settings: SessionSettings | dict[str, Any] | None = None
    ) -> None:
        super().__init__(memory)
        self.session_id = session_id
        self.session_settings: SessionSettings = coerce_session_settings(session_settings or SessionSettings())
        self._closed = False

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, the oldest first; with a limit the newest ones, and none for 0 or less."""
        wanted = resolve_session_limit(limit, self.session_settings)
        turns = await self._run(lambda log: log.last(ALL if wanted is None else max(wanted, 0)))
        return [_item(turn) for turn in turns]

    async def add_items(self, items: Sequence[TResponseInputItem]) -> None:
        """Append items in one transaction: all of them, or none."""
        turns = [_turn(item) for item in items]
        await self._run(lambda log: log.extend(turns) if turns else [])

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item with its memory, and return it; None if there is none."""
        turn = await self._run(lambda log: log.pop())
        return None if turn is None else _item(turn)

    async def clear_session(self) -> None:
        """Remove all items of the session with their memories."""
        await self._run(lambda log: log.replace([]))

    def close(self) -> None:
        """Close the session, and the memory if it was opened here."""
        self._closed = True
        super().close()

    async def _run(self, call: Callable[[Working], T]) -> T:
        if self._closed:
            raise RuntimeError("this session is closed")
        return await in_thread(lambda: call(self.memory.working(self.session_id)))


def _turn(item: Any) -> Turn:
    role = item.get("role")
    if role in _SPOKEN:
        return Turn(role=role, content=plain_text(_text(item.get("content"))), data=item)
    return Turn(role="tool" if str(item.get("type", "")).endswith("_output") else "assistant", content="", data=item)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in content or () if isinstance(part, Mapping)]
    return "\n".join(text for text in parts if isinstance(text, str))


def _item(turn: Turn) -> Any:
    """Return the item of a turn; of one that another program has appended its role and text."""
    return {"role": turn.role, "content": turn.content} if turn.data is None else turn.data
