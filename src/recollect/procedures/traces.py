"""What was done in a session: its tool calls in order, how each went, and what the user had said before. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.chatlogs import OUTCOME
from recollect.models import SourceType
from recollect.security.injection import suspicions
from recollect.toolcalls import arguments_of, usual

MOST_CALLS = 200
"""Calls of a session that are looked at: its first."""
_LONGEST_NAME, _LONGEST_ARGUMENTS, _LONGEST_WORDS = 128, 20_000, 4_000
_NAMELESS = "unknown"  # what a call without a name is called
_ERROR = re.compile(
    r"(?:[\w.]*(?:error|exception)|failed|failure)(?::|!|$)|traceback \(most recent"
    r"|(?:exit(?:ed with)?(?: code| status)?|returned)[ :]+[1-9]\d*\b|(?:HTTP(?:/[\d.]+)? )[45]\d\d\b|[1-9]\d* failed\b"
    r"|[^\n]{0,80}: (?:command not found|No such file or directory|Permission denied)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Episode:
    """A message as mining reads it; `memory_id` is "" where it is no memory, and one that is `hidden` tells nothing."""

    role: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    memory_id: str = ""
    source: SourceType = SourceType.LLM_GENERATED
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, the memories that tell of it, and whether it went well; nobody knows of one unanswered."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    episodes: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """The calls of one session; `said` is what its user said, each with the number of calls that came before.

    `succeeded` is False where the session is known to have failed. `source` is the least trusted of what it is read
    from.
    """

    session: str
    calls: tuple[Call, ...]
    said: tuple[tuple[int, str], ...] = ()
    succeeded: bool = True
    agent: str | None = None
    source: SourceType = SourceType.TOOL_RESULT

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools called, failed calls included."""
        return tuple(call.tool for call in self.calls)

    @property
    def good(self) -> tuple[int, ...]:
        """The places of the calls that did not fail."""
        return tuple(at for at, call in enumerate(self.calls) if not call.failed)

    def before(self, at: int) -> str:
        """Return what the user had said when the call at a place was made."""
        return "\n".join(text for calls, text in self.said if calls <= at)[:_LONGEST_WORDS]


@dataclass
class _Reading:
    calls: list[Call] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)
    open: dict[int, str] = field(default_factory=dict)
    succeeded: bool = True


def trace_of(session: str, episodes: Iterable[Episode], *, agent: str | None = None) -> Trace:
    """Return what was done in a session, told by its messages in order.

    Calls of one message are parallel, and stand in the order of their names. A call counts as failed when its result
    is marked so (`success` False) or begins as errors do; a session when the last message that carries
    `session_success` says False. What is hidden takes the calls away that it makes or answers.
    """
    reading, least = _Reading(), SourceType.TOOL_RESULT
    trust = list(SourceType)
    for episode in episodes:
        if not episode.hidden:
            least = max(least, episode.source, key=trust.index)
            told = episode.metadata.get(OUTCOME)
            reading.succeeded = told if isinstance(told, bool) else reading.succeeded
        if episode.role == "tool":
            _answer(reading, episode)
        elif episode.role == "user" and not episode.hidden:
            reading.said.append((len(reading.calls), episode.text))
        _call(reading, episode)
    kept = [at for at in range(len(reading.calls)) if at not in reading.gone]
    shift = {at: sum(other < at for other in kept) for at in {calls for calls, _ in reading.said}}
    said = tuple((shift[calls], text) for calls, text in reading.said)
    return Trace(session, tuple(reading.calls[at] for at in kept), said, reading.succeeded, agent, least)


def _call(reading: _Reading, episode: Episode) -> None:
    """Note the calls that a message makes; those with a name that is none, or no honest one, are left out."""
    made = episode.metadata.get("tool_calls")
    calls = [usual(call) for call in made if isinstance(call, Mapping)] if isinstance(made, list) else []
    for call in sorted(calls, key=lambda call: str(call["function"]["name"])):
        tool = call["function"]["name"]
        if len(reading.calls) >= MOST_CALLS or tool == _NAMELESS or not is_name(tool):
            continue
        at = len(reading.calls)
        own = (episode.memory_id,) if episode.memory_id else ()
        given = arguments_of(call) if len(call["function"]["arguments"]) <= _LONGEST_ARGUMENTS else {}
        reading.calls.append(Call(tool, given, own))
        reading.open[at] = call["id"]
        if episode.hidden:
            reading.gone.add(at)


def _answer(reading: _Reading, episode: Episode) -> None:
    """Note how a call went: the one that the result names, else the oldest unanswered one of its tool."""
    named, name = episode.metadata.get("tool_call_id"), episode.metadata.get("name")
    for at, call_id in reading.open.items():
        if call_id == named if named and call_id else name in (None, "", reading.calls[at].tool):
            break
    else:
        return
    del reading.open[at]
    if episode.hidden:
        reading.gone.add(at)
        return
    call = reading.calls[at]
    own = (*call.episodes, episode.memory_id) if episode.memory_id else call.episodes
    failed = episode.metadata.get("success") is False or tells_failure(episode.text)
    reading.calls[at] = replace(call, episodes=own, failed=failed)


def tells_failure(text: str) -> bool:
    """Say whether what a tool returned says that it failed: an error by its first words, or by its JSON fields."""
    start = text[:_LONGEST_ARGUMENTS].strip()
    if _ERROR.match(start):
        return True
    if not start.startswith("{"):
        return False
    try:
        found = json.loads(start)
    except (ValueError, RecursionError):
        return False
    refused = any(found.get(name) is False for name in ("success", "ok"))
    return refused or bool(found.get("error")) or str(found.get("status")).lower() in ("error", "failed", "failure")


def is_name(tool: str) -> bool:
    """Say whether a text can name a tool or an argument: short, on one line, and no order to its reader."""
    return (
        bool(tool.strip())
        and len(tool) <= _LONGEST_NAME
        and tool.isprintable()
        and not suspicions(tool, SourceType.TOOL_RESULT)
    )
