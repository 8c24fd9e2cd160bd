"""The log of a conversation, as it is read: what was said, page by page, and never otherwise."""

from __future__ import annotations

from recollect.chatlogs import role_named
from recollect.engine import Engine
from recollect.filters import Test
from recollect.models import Scope, Status, Turn
from recollect.protocols import Reader
from recollect.read.listing import checked_limit
from recollect.read.places import cursor_at, place_of
from recollect.results import Page
from recollect.security.injection import suspicions
from recollect.security.screening import has_to_wait
from recollect.security.trust import classify
from recollect.turnrows import ConversationRow, TurnRow, conversation_id

_HIDDEN = (Status.FORGOTTEN, Status.QUARANTINED)


def conversation(reader: Reader, scope: Scope) -> ConversationRow | None:
    """Return the conversation of exactly this scope, None before its first message."""
    return next(iter(reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])), None)


def turn_of(row: TurnRow) -> Turn:
    """Return a stored turn as a caller sees it."""
    return Turn(
        role=row.role,
        content=row.content or "",
        id=row.id,
        actor=row.actor,
        at=row.at,
        position=row.position,
        token_count=row.tokens,
        metadata=row.metadata,
    )


def is_silent(row: TurnRow, engine: Engine) -> bool:
    """Say whether no summary tells a turn: it is hidden, or is no memory, and would wait for a verdict as one."""
    if row.num is not None or row.role == "system":
        return row.status in _HIDDEN
    said = row.content or ""
    said_by, _ = classify(role_named(row.role)[1], engine.settings.origins)
    attacks = engine.settings.injection != "allow" and suspicions(said, said_by)
    return bool(attacks) or has_to_wait(said, engine.settings)


def history(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Turn]:
    """Return a page of every message ever appended, oldest first."""
    checked_limit(limit)
    after, _ = place_of(cursor)
    with engine.store.read(scope.org) as reader:
        held = conversation(reader, scope)
        if held is None:
            return Page([])
        tests = [Test("conversation", "eq", held.num), Test("position", "ge", after)]
        rows = reader.find(TurnRow, tests, order="position", limit=limit + 1)
    more = len(rows) > limit
    return Page([turn_of(row) for row in rows[:limit]], cursor_at(rows[limit].position) if more else None)
