"""Chats and conversation data sets, value by value of their files, as keyword arguments of `remember`.

A message becomes an episodic item: who spoke is its `actor`, when it was said its `valid_from`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple, NotRequired, TypedDict, TypeGuard

from recollect.text import check_text, digest, is_blank
from recollect.timewords import parse_loose
from recollect.toolcalls import answering, kept

Object = Mapping[str, Any]


class Item(TypedDict):
    """Keyword arguments of `remember`, content included."""

    content: str
    kind: str
    source_type: str
    metadata: dict[str, Any]
    session: NotRequired[str]
    actor: NotRequired[str]
    key: NotRequired[str]
    source_ref: NotRequired[str]
    valid_from: NotRequired[datetime]


@dataclass(frozen=True, slots=True)
class Chat:
    """Messages of one session; `at` is when it began, `origin` is what each memory's metadata says of the whole."""

    session: str
    messages: Sequence[Object]
    at: datetime | None
    origin: Object

    def items(self) -> Iterator[Item]:
        """Yield what its messages say, in order."""
        for turn, message in enumerate(self.messages):
            yield from said(message, session=self.session, turn=turn, began=self.at, origin=self.origin)


_ROLES = {
    "user": ("user", "user_input"),
    "human": ("user", "user_input"),
    "assistant": ("assistant", "llm_generated"),
    "ai": ("assistant", "llm_generated"),
    "model": ("assistant", "llm_generated"),
    "tool": ("tool", "tool_result"),
    "function": ("tool", "tool_result"),
    "system": ("system", "system"),
    "developer": ("system", "system"),
}
_TEXT = ("content", "text")
_SPEAKER = ("speaker", "sender")
_NAME = ("name", *_SPEAKER)
_TURN = ("dia_id", "turn_id", "message_id", "id")
_SESSION = ("session", "session_id", "conversation_id", "thread_id")
_TIME = ("at", "timestamp", "created_at", "date_time", "datetime", "date", "time", "create_time")
_MESSAGES = ("messages", "turns", "conversation", "chat", "history")
OUTCOME = "session_success"
"""The metadata key under which a message says whether what its session was for was done."""
_SILENT = {"thinking", "redacted_thinking", "reasoning"}


def is_message(value: object) -> TypeGuard[Object]:
    """Say whether it is one message of a chat: something said, and the role or the speaker who said it.

    A name alone does not make a message: what has a name and a text may as well be a document.
    """
    if not isinstance(value, Mapping):
        return False
    message = unwrapped(value)
    said_something = any(name in message for name in (*_TEXT, "tool_calls"))
    return said_something and (role_of(message) is not None or _first(message, _SPEAKER) is not None)


def chats(value: object, *, session: str) -> list[Chat] | None:
    """Return the chats in a value, None when it holds none; `session` names the one that does not name itself.

    Sessions of a data set are named `conversation/session`, so that two conversations never share one.
    """
    if isinstance(value, Mapping):
        sessions = _sessions(value)
        if sessions is not None:
            return _dataset(value, sessions, session)
        messages = _messages(value)
        if messages is not None:
            name = _first(value, (*_SESSION, "id"))
            origin = {**_unread_time(value), **_outcome(value)}
            return [Chat(session if name is None else str(name), messages, time_of(value), origin)]
    elif isinstance(value, Sequence) and value and all(map(is_message, value)):
        return [Chat(session, value, None, {})]
    return None


def session_of(message: Object) -> str | None:
    """Return the session that a message on its own says it belongs to."""
    name = _first(message, _SESSION)
    return None if name is None else str(name)


def said(
    message: Object, *, session: str, turn: int, began: datetime | None = None, origin: Object | None = None
) -> Iterator[Item]:
    """Yield what a message says: nothing when it is blank, and apart from the rest what it quotes of a tool.

    Without a time of its own it is dated `turn` seconds after the session `began`. Text that no store could keep is a
    `ValueError`.
    """
    metadata = {**(origin or {}), "turn": str(turn), **noted(message)}
    at = time_of(unwrapped(message))
    if at is None and began is not None:
        at = began + timedelta(seconds=turn)
    for words in spoken(message):
        about = {**metadata, **words.noted}
        item = Item(content=words.text, kind="episodic", source_type=words.source_type, metadata=about)
        item["session"], item["actor"] = session, words.actor
        if at is not None:
            item["valid_from"] = at
        else:
            # An undated message is known by what it is and where it stands, so that reading it again finds it again.
            item["key"] = f"turn:{digest(session, str(turn), words.actor, words.text)[:32]}"
        yield item


def noted(message: Object) -> dict[str, Any]:
    """Return what a message's memory notes of it: its own id as `turn`, and a time that nothing understands."""
    inside = unwrapped(message)
    own = _first(inside, _TURN)
    return {**_unread_time(inside), **({} if own is None else {"turn": str(own)})}


class Spoken(NamedTuple):
    """What one speaker says in a message; `noted` are the tools it calls, or which call it answers, as metadata."""

    role: str
    actor: str
    source_type: str
    text: str
    noted: Object = {}  # noqa: RUF012 (a default that nobody changes)


def spoken(message: Object) -> Iterator[Spoken]:
    """Yield who says what in a message, as `said` does, without asking where and when."""
    message = unwrapped(message)
    role, source_type = role_of(message) or ("user", "user_input")
    actor = speaker_of(message) or role
    for words in _spoken(message, Spoken(role, actor, source_type, "")):
        if not is_blank(check_text(words.text)):
            yield words


def speaker_of(message: Object) -> str | None:
    """Return the name of who speaks, None when the message gives none."""
    name = _first(message, _NAME)
    return None if name is None else str(name)


def _first(value: Object, names: Sequence[str]) -> str | int | None:
    for name in names:
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return found.strip()
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return None


def unwrapped(message: Object) -> Object:
    """Open the envelopes that LangChain puts around a stored message."""
    for envelope in ("data", "kwargs"):
        inside = message.get(envelope)
        if isinstance(inside, Mapping) and any(name in inside for name in _TEXT):
            named = message.get("id") if envelope == "kwargs" else None
            kind = named[-1] if isinstance(named, list) and named else message.get("type")
            return {"type": kind, **inside}
    return message


def role_named(name: str) -> tuple[str, str]:
    """Return the usual name of a role and the source type of what it says; one that nobody knows is trusted least."""
    return _ROLES.get(name.strip().lower(), (name.strip(), "unknown"))


def role_of(message: Object) -> tuple[str, str] | None:
    """Return the usual name of the role and its source type, None for a named speaker without a role."""
    role = message.get("role")
    if isinstance(role, str) and role.strip():
        return role_named(role)
    kind = str(message.get("type")).lower().removesuffix("chunk").removesuffix("message")
    return _ROLES.get(kind) or _ROLES.get(str(_first(message, _SPEAKER)).lower())


def _spoken(message: Object, speaker: Spoken) -> Iterator[Spoken]:
    """Yield speaker, source type and text: what a tool returned is never passed off as the words of who relays it."""
    body: object = next((message[name] for name in _TEXT if message.get(name) is not None), "")
    parts: list[object] = body if isinstance(body, list) else [body]
    own = [text for text in (part_text(part) for part in parts if not is_result(part)) if text]
    own.extend(map(call_text, _calls(message)))
    own.extend(f"[image: {caption}]" for caption in (_first(message, ("blip_caption", "caption")),) if caption)
    for part in parts:
        if is_result(part):
            yield Spoken("tool", "tool", "tool_result", part_text(part), _answered(part))
    separator = "\n" if isinstance(body, list) or _calls(message) else " "
    used = [part for part in parts if isinstance(part, Mapping) and part.get("type") == "tool_use"]
    noted = _answered(message) if speaker.role == "tool" else kept([*used, *_calls(message)])
    yield speaker._replace(text=separator.join(own), noted=noted)


def _answered(result: object) -> dict[str, Any]:
    """Return which call a result answers, and that it failed where it is marked so."""
    assert isinstance(result, Mapping)
    named = _first(result, ("tool_use_id", "tool_call_id"))
    failed = result.get("is_error") is True or result.get("status") == "error" or result.get("success") is False
    return answering(named, _first(result, ("name",)), failed=failed)


def _outcome(chat: Object) -> dict[str, Any]:
    """Return whether a chat says that what was asked in it was done."""
    return {OUTCOME: chat["success"]} if isinstance(chat.get("success"), bool) else {}


def is_result(part: object) -> bool:
    """Say whether a part of a message quotes what a tool returned."""
    return isinstance(part, Mapping) and part.get("type") == "tool_result"


def part_text(part: object) -> str:
    """Return one part of a message as text; what cannot be read is named in brackets."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "\n".join(filter(None, map(part_text, part)))
    if not isinstance(part, Mapping):
        return "" if part is None else json.dumps(part, ensure_ascii=False)
    kind = str(part.get("type", "part"))
    if kind in _SILENT:
        return ""
    if kind == "tool_use":
        return call_text(part)
    if is_result(part):
        return part_text(part.get("content"))
    text = part.get("text")
    return text if isinstance(text, str) else f"[{kind.removesuffix('_url').removeprefix('input_')}]"


def _calls(message: Object) -> list[Object]:
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def call_text(call: Object) -> str:
    """Return a tool call as text: `[tool call: name(arguments)]`."""
    function = call.get("function")
    named = function if isinstance(function, Mapping) else call
    given: object = next((named[name] for name in ("arguments", "input", "args") if name in named), {})
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return f"[tool call: {named.get('name', 'unknown')}({arguments})]"


def _messages(value: Object) -> Sequence[Object] | None:
    """Return the list of messages of an object, under a usual name or any other."""
    for name in (*_MESSAGES, *value):
        found = value.get(name)
        if isinstance(found, list) and found and all(map(is_message, found)):
            return found
    return None


def time_of(value: Object) -> datetime | None:
    """Return when it was, from whichever field says so; a time without a zone is UTC."""
    for name in _TIME:
        found = value.get(name)
        if isinstance(found, str):
            time = parse_time(found.strip())
        elif isinstance(found, int | float) and not isinstance(found, bool):
            time = _since_1970(found)
        else:
            continue
        if time is not None:
            return time
    return None


def _unread_time(value: Object) -> dict[str, Any]:
    """Return a time that nothing understands as metadata, so that it is not lost."""
    words = None if time_of(value) else _first(value, _TIME)
    return {} if words is None else {"time": words}


def parse_time(text: str) -> datetime | None:
    """Read a time as ISO 8601 or as chat logs write it; one without a zone is UTC, one that says nothing None."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return parse_loose(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _since_1970(number: float) -> datetime | None:
    """Read seconds, or milliseconds where seconds would lie beyond the year 5000."""
    try:
        return datetime.fromtimestamp(number / 1000 if abs(number) > 1e11 else number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


# ------------------------------------------------------------------------------------------------------------ data sets


def conversation_of(record: Object) -> tuple[str, str] | None:
    """Return under which metadata key a data set's record names its conversation, and the name."""
    asked = _first(record, ("question_id",))
    if asked is not None:
        return "question_id", str(asked)
    name = _first(record, ("sample_id", "conversation_id"))
    return None if name is None else ("conversation", str(name))


def _dataset(record: Object, sessions: Sequence[Object], fallback: str) -> list[Chat]:
    named = conversation_of(record) or ("conversation", fallback)
    found = []
    for number, part in enumerate(sessions, start=1):
        turns = part.get("turns")
        if not isinstance(turns, list) or not all(map(is_message, turns)):
            raise ValueError(f"session {number} of {named[1]!r} has no list of turns")
        name = _first(part, ("session_id", "id")) or f"session_{number}"
        found.append(Chat(f"{named[1]}/{name}", turns, time_of(part), {**_unread_time(part), **dict([named])}))
    return found


def _sessions(record: Object) -> Sequence[Object] | None:
    """Return the sessions of a data set's record as `{session_id, date_time, turns}`, None when it has none."""
    sessions = record.get("sessions")
    if isinstance(sessions, list) and all(isinstance(part, Mapping) for part in sessions):
        return sessions
    conversation = record.get("conversation")
    if isinstance(conversation, Mapping) and "session_1" in conversation:
        return _numbered_sessions(conversation)
    if isinstance(record.get("haystack_sessions"), list):
        return _haystack(record)
    return None


def _numbered_sessions(conversation: Object) -> list[Object]:
    """Read LoCoMo's own layout: `session_1`, `session_1_date_time`, `session_2` ..."""
    names = [name for name in conversation if re.fullmatch(r"session_\d+", name)]
    return [
        {"session_id": name, "date_time": conversation.get(f"{name}_date_time"), "turns": conversation[name]}
        for name in sorted(names, key=lambda name: int(name[8:]))
    ]


def _haystack(record: Object) -> list[Object]:
    """Read LongMemEval's own layout: parallel lists of sessions, their ids and dates; turn ids are `session:index`."""
    haystack = record["haystack_sessions"]
    ids = record.get("haystack_session_ids") or [f"session_{number}" for number in range(1, len(haystack) + 1)]
    dates = record.get("haystack_dates") or [None] * len(haystack)
    if not (isinstance(ids, list) and isinstance(dates, list) and len(haystack) == len(ids) == len(dates)):
        raise ValueError("haystack_sessions, haystack_session_ids and haystack_dates are not lists of one length")
    return [
        {"session_id": name, "date_time": date, "turns": _with_ids(name, turns)}
        for name, date, turns in zip(ids, dates, haystack, strict=True)
    ]


def _with_ids(session: object, turns: object) -> object:
    if not isinstance(turns, list) or not all(isinstance(turn, Mapping) for turn in turns):
        return None
    return [{**turn, "turn_id": f"{session}:{index}"} for index, turn in enumerate(turns)]
