"""What an export says of conversations: each with every turn of its log, in the words in which it was said.

Windows and their summaries stay behind, and so do the states of sessions: what is carried elsewhere is history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from recollect.engine import Engine
from recollect.filters import Filter, Test
from recollect.turnrows import ConversationRow, TurnRow

CONVERSATION, TURN = "conversation", "turn"
TALK_ROWS = (CONVERSATION, TURN)
"""The kinds of rows; a conversation's turns follow it."""
_AT_ONCE = 500


def talks(engine: Engine, where: Filter) -> Iterator[Mapping[str, Any]]:
    """Return the conversations that the view that a filter is may see, and their turns, as rows."""
    last = 0
    while True:
        with engine.store.read(where.org) as reader:
            found = reader.find(ConversationRow, where.but(Test("num", "gt", last)), order="num", limit=_AT_ONCE)
        for row in found:
            yield {
                **_place(CONVERSATION, row),
                "opened_at": row.opened_at.isoformat(),
                "touched_at": row.touched_at.isoformat(),
                "ended_at": _time(row.ended_at),
            }
            yield from _turns(engine, row)
        if len(found) < _AT_ONCE:
            return
        last = found[-1].num


def _turns(engine: Engine, held: ConversationRow) -> Iterator[Mapping[str, Any]]:
    after, of = 0, Test("conversation", "eq", held.num)
    while True:
        with engine.store.read(held.org) as reader:
            found = reader.find(TurnRow, [of, Test("position", "ge", after)], order="position", limit=_AT_ONCE)
        for row in found:
            yield {
                **_place(TURN, held),
                "position": row.position,
                "id": row.id,
                "role": row.role,
                "actor": row.actor,
                "at": row.at.isoformat(),
                "metadata": row.metadata,
                "content": row.content or "",
                "memory_id": None if row.num is None else row.id,
            }
        if len(found) < _AT_ONCE:
            return
        after = found[-1].position + 1


def _place(kind: str, held: ConversationRow) -> dict[str, Any]:
    return {"type": kind, "user": held.user, "agent": held.agent, "session": held.session}


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
