"""What a store keeps of conversations, as rows."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from engrain.model.memory import JSON, Scope, Status
from engrain.text import digest

STALE: JSON = {"stale": True}
"""The state of a window whose summary told something that has been forgotten since."""


class ConversationRow(NamedTuple):
    """One session's conversation as one view of it: its window's state, `num` 0 before it is put.

    `since` is the position of its first message since it was opened or last ended, `next` the least that its next one
    has; `tokens` counts the turns in the window. `version` is raised whenever turns leave the window. `state`, what is
    told of them, `org` and `user` are read, never put.
    """

    id: str
    ns: int
    agent: str | None
    session: str
    opened_at: datetime
    touched_at: datetime
    ended_at: datetime | None = None
    since: int = 0
    next: int = 0
    tokens: int = 0
    version: int = 0
    num: int = 0
    state: JSON = {}  # noqa: RUF012 (a default that nobody changes)
    org: str = ""
    user: str | None = None

    @property
    def is_stale(self) -> bool:
        """Whether what is told of the turns that left must be told anew, from the log."""
        return self.state == STALE

    @property
    def scope(self) -> Scope:
        """Whose conversation it is."""
        return Scope(self.org, self.user, self.agent, self.session)


class ToldRow(NamedTuple):
    """What is told of the turns that left a conversation's window, in place of what was told before."""

    conversation: int
    state: JSON


class TurnRow(NamedTuple):
    """A message of a conversation. `num` is the memory that it is too, whose text it shows as long as that is its own.

    `content` is None when it is put with a memory of the same text; it is always there when it is read. `live` is
    whether it stands in the window. `status` is that of its memory, read and never put.
    """

    conversation: int
    position: int
    id: str
    role: str
    actor: str | None
    at: datetime
    tokens: int
    live: bool
    num: int | None
    content: str | None
    metadata: JSON
    status: Status | None = None


def conversation_id(scope: Scope) -> str:
    """Return the id of a scope's conversation; another user's, agent's or org's session of that name is another."""
    parts = (scope.org, *("" if part is None else f"={part}" for part in (scope.user, scope.agent, scope.session)))
    return f"ses_{digest(*parts)[:32]}"
