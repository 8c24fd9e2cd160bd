"""Messages that are to be appended to a conversation, every value checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.chatlogs import role_named, spoken
from recollect.checks import When, checked_metadata
from recollect.engine import Engine
from recollect.errors import ScopeMissing
from recollect.models import Scope
from recollect.scopes import identifier, narrowed
from recollect.security.screening import Look, is_open
from recollect.text import check_content, check_text, is_blank
from recollect.timewords import parse_when


def in_session(scope: Scope, session: str | None) -> Scope:
    """Return the scope of a session; raises `ScopeMissing` when neither the view nor the call names one."""
    inside = narrowed(scope, session=session)
    if inside.session is None:
        raise ScopeMissing("a conversation belongs to a session: name it: session=..., --session, or bind the view")
    return inside


@dataclass(frozen=True, slots=True)
class Message:
    """A message that is to be appended, every value checked: `text` is what its memory will say, "" for none."""

    role: str
    content: str
    actor: str | None
    at: datetime
    dated: bool
    metadata: Mapping[str, Any]
    source_type: str
    text: str


def checked(
    engine: Engine, role: str, content: str | None, *, actor: str | None, at: When | None, metadata: Mapping[str, Any]
) -> Message:
    """Check the arguments of an append; raises `GovernanceViolation`, `TypeError` or `ValueError`.

    A message may say nothing, as one does that only calls tools.
    """
    usual, source_type = role_named(identifier(role, "role"))
    said = "" if content is None else check_text(content, what="content")
    if not is_blank(said):
        check_content(said, max_bytes=engine.settings.max_content_bytes)
    said, kept = _screened(engine, said, checked_metadata(metadata))
    calls = kept.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(call, Mapping) for call in calls):
        raise TypeError("tool_calls must be a list of calls as chat APIs have them, each a mapping with its function")
    name = kept.get("name") if actor is None else actor
    return Message(
        role=usual,
        content=said,
        actor=None if name is None else identifier(name, "actor"),
        at=engine.clock.now() if at is None else parse_when(at, name="at"),
        dated=at is not None,
        metadata=kept,
        source_type=source_type,
        text=told_of(usual, said, kept),
    )


def _screened(engine: Engine, said: str, metadata: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return words and metadata as the policies for secrets and personal data let the log keep them."""
    if is_open(engine.settings):
        return said, metadata
    look = Look.under(engine.settings)
    kept = look.text(said), look.value(metadata)
    look.settle()
    return kept


def told_of(role: str, content: str, metadata: Mapping[str, Any]) -> str:
    """Return what a message tells: its content and the tools that it calls, "" for nothing."""
    words = {"role": role, "content": content, "tool_calls": metadata.get("tool_calls")}
    return "\n".join(part.text for part in spoken(words))
