"""Chat logs and conversation data sets, parsed value by value from JSON files."""

from __future__ import annotations

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, NotRequired, TypedDict, TypeGuard

from engrain.language.calendar import parse_loose
from engrain.model.choices import KindName
from engrain.text import check_text, digest, is_blank

LARGEST = 100_000_000
"""The characters of a value above which it is not read: a packed file of a few bytes may hold gigabytes."""

_MOST_PARTS = 5_000_000  # three characters of a file may be an object of a hundred bytes
_READ = 1 << 20
_MARGIN = 16
_SPACE = " \t\r\n\ufeff"
MOST_KEPT = 16_000  # characters of calls that are kept beside a text
_ROLES = {
    **dict.fromkeys(("user", "human"), ("user", "user_input")),
    **dict.fromkeys(("assistant", "ai", "model"), ("assistant", "llm_generated")),
    **dict.fromkeys(("tool", "function"), ("tool", "tool_result")),
    **dict.fromkeys(("system", "developer"), ("system", "system")),
}
_TEXT = ("content", "text")
_SPEAKER = ("speaker", "sender")
_NAME = ("name", *_SPEAKER)
_TURN = ("dia_id", "turn_id", "message_id", "id")
_SESSION = ("session", "session_id", "conversation_id", "thread_id")
_TIME = ("at", "timestamp", "created_at", "date_time", "datetime", "date", "time", "create_time")
_MESSAGES = ("messages", "turns", "conversation", "chat", "history")
OUTCOME = "session_success"  # the metadata key under which a message states whether the task of its session succeeded
_SILENT = {"thinking", "redacted_thinking", "reasoning"}
_CALLS = ("tool_use", "tool_call", "function_call")  # the types of parts that call a tool
_RESULT = "tool_result"  # that of a part that quotes the result of one


class Value(NamedTuple):
    """A JSON value, the line it starts on, and which top-level list of the file it is in (0 = none)."""

    line: int
    group: int
    value: object


@contextmanager
def open_file(path: Path, name: Path | None = None) -> Iterator[BinaryIO]:
    """Open for reading, unpacked if gzip made it; a `ValueError`, which calls it `name`, says why it cannot be read."""
    called = path if name is None else name
    try:
        with path.open("rb") as packed:
            if packed.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(packed) as unpacked:
                    yield unpacked  # type: ignore[misc]  # a GzipFile reads like any binary file
            else:
                yield packed
    except FileNotFoundError:
        raise FileNotFoundError(f"{called}: no such file") from None
    except IsADirectoryError:
        raise ValueError(f"{called} is a folder: name the files in it") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise ValueError(f"{called} cannot be read: {getattr(problem, 'strerror', None) or problem}") from problem


def read_json(path: Path) -> Iterator[Value]:
    """Yield the values of a JSON or JSON-lines file, and of its top-level lists, one by one; raises `ValueError`."""
    with open_file(path) as file:
        yield from values_of(file, path)


def values_of(file: BinaryIO, name: Path, *, skips: bool = False) -> Iterator[Value]:
    """Yield the values of an open file called `name` as `read_json` does; with `skips`, of a bad line the error."""
    return _Stream(file, name).values(skips=skips)


def too_large(text: str | bytes) -> str:
    """Return why the text of one value is too large to be read, empty if it is not."""
    if len(text) > LARGEST:
        return f"one value is larger than {LARGEST:,} characters: split it"
    marks: Any = ",[{" if isinstance(text, str) else (b",", b"[", b"{")
    if len(text) > _READ and sum(map(text.count, marks)) > _MOST_PARTS:
        return f"one value has more than {_MOST_PARTS:,} parts: split it"
    return ""


def read_lines(file: IO[str], name: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file and their numbers; one too large to be read is a `ValueError` that names the file."""
    number = 1
    while line := file.readline(LARGEST + 1):
        if reason := too_large(line):
            raise ValueError(f"{name}, line {number}: {reason}")
        yield number, line
        number += 1


class _Stream:
    """A window of decoded text that moves over the file; `line` is the line of `at`."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._scan = json.JSONDecoder().raw_decode
        self._text, self._at, self._line, self._ended = "", 0, 1, False

    def values(self, *, skips: bool) -> Iterator[Value]:
        groups = 0
        while (start := self._next()) is not None:
            if start != "[":
                try:
                    yield self._value(0)
                except ValueError as error:
                    if not skips:
                        raise
                    yield Value(self._line, 0, error)
                    self._skip_line()
                continue
            groups += 1
            self._advance(self._at + 1)
            while (start := self._next()) != "]":
                if start is None:
                    raise self._error("a list is not closed")
                yield self._value(groups)
                if self._next() == ",":
                    self._advance(self._at + 1)
                    if self._next() == "]":
                        raise self._error("a comma before the end of a list")
                elif self._next() not in ("]", None):
                    raise self._error("a comma is missing")
            self._advance(self._at + 1)

    def _next(self) -> str | None:
        """Skip white space and return the next character, None at the end of the file."""
        while True:
            end = self._at
            while end < len(self._text) and self._text[end] in _SPACE:
                end += 1
            self._advance(end)
            if end < len(self._text):
                return self._text[end]
            if not self._read():
                return None

    def _value(self, group: int) -> Value:
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as problem:
                cut = problem.msg.startswith("Unterminated") or problem.pos > len(self._text) - _MARGIN
                if not (cut and self._read()):
                    start = self._at, self._line
                    self._advance(min(problem.pos, len(self._text.rstrip())))
                    error, (self._at, self._line) = self._error(problem.msg), start
                    raise error from None
            except (ValueError, RecursionError) as problem:
                raise self._error(str(problem)) from None
            else:
                found = Value(self._line, group, value)
                self._advance(end)
                return found

    def _skip_line(self) -> None:
        while (end := self._text.find("\n", self._at)) < 0 and self._read():
            pass
        self._advance(end if end >= 0 else len(self._text))

    def _advance(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to

    def _read(self) -> bool:
        """Read as much again as there is, so that a long value is scanned a few times and not once a block."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if reason := too_large(rest):
            raise ValueError(f"{self._path}, line {self._line}: {reason}")
        block = self._file.read(max(_READ, min(len(rest), LARGEST + 1 - len(rest))))
        self._ended = not block
        try:
            self._text, self._at = rest + self._decode(block, not block), 0
        except UnicodeDecodeError as problem:
            self._text, self._at = rest, 0
            self._line += rest.count("\n") + problem.object[: problem.start].count(b"\n")
            raise self._error("not UTF-8 text") from None
        return True

    def _error(self, reason: str) -> ValueError:
        return ValueError(f"{self._path}, line {self._line}: not JSON: {reason}")


Call = dict[str, Any]
Object = Mapping[str, Any]


def usual(call: Object) -> Call:
    """Return a tool call as OpenAI's API has it: `arguments` a JSON text, literally if given so; `id` may be ""."""
    inside = next((call[name] for name in ("function", "custom") if isinstance(call.get(name), Mapping)), call)
    given: object = next((inside[name] for name in ("arguments", "input", "args") if inside.get(name) is not None), {})
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return {
        "id": str(call.get("call_id") or call.get("id") or ""),
        "type": "function",
        "function": {"name": str(inside.get("name") or "unknown"), "arguments": arguments},
    }


def arguments_of(call: Object) -> dict[str, Any]:
    """Return a usual call's arguments as a mapping; another value is under `input`."""
    text = call["function"]["arguments"]
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        found = text
    return found if isinstance(found, dict) else {"input": found}


def kept(calls: Sequence[Object]) -> dict[str, Any]:
    """Return calls as metadata, nothing for none; of many or large ones only their names."""
    if not calls:
        return {}
    found = [usual(call) for call in calls]
    if sum(len(json.dumps(each)) for each in found) > MOST_KEPT:
        bare = [{**each, "function": {"name": each["function"]["name"][:256], "arguments": "{}"}} for each in found]
        found = [{**each, "id": each["id"][:256]} for each in bare[: MOST_KEPT // 640]]
    return {"tool_calls": found}


def call_text(call: Call) -> str:
    """Return a usual call as text: `[tool call: name(arguments)]`."""
    return f"[tool call: {call['function']['name']}({call['function']['arguments']})]"


def answering(named: str | None, name: str | None, result: Object) -> dict[str, Any]:
    """Return, as metadata, which call a result answers, by its id and the tool's name, and that it failed if it did."""
    failed = result.get("is_error") is True or result.get("status") == "error" or result.get("success") is False
    found = {"tool_call_id": named, "name": name, "success": False if failed else None}
    return {key: value for key, value in found.items() if value not in (None, "")}


class Item(TypedDict):
    """Keyword arguments of `remember` and what `ingest` reads beside: `owner`, an entity (`about`), a `relation`."""

    content: str
    kind: KindName
    source_type: str
    metadata: dict[str, Any]
    session: NotRequired[str]
    actor: NotRequired[str]
    key: NotRequired[str]
    source_ref: NotRequired[str]
    valid_from: NotRequired[datetime]
    tags: NotRequired[Sequence[str]]
    owner: NotRequired[str]
    about: NotRequired[tuple[str, str]]
    relation: NotRequired[tuple[tuple[str, str], str, tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Chat:
    """Messages of one session; `at` is when it began, `origin` is what each memory's metadata says of the whole."""

    session: str
    messages: Sequence[Object]
    at: datetime | None
    origin: Object

    def items(self) -> Iterator[Item]:
        """Yield the statements of its messages, in order."""
        for turn, message in enumerate(self.messages):
            yield from items_of(message, session=self.session, turn=turn, began=self.at, origin=self.origin)


def is_message(value: object) -> TypeGuard[Object]:
    """Return whether it is a chat message: a content and a role or speaker; a name alone may be a document's."""
    if not isinstance(value, Mapping):
        return False
    message = unwrapped(value)
    has_content = any(name in message for name in (*_TEXT, "tool_calls"))
    return has_content and (role_of(message) is not None or _first(message, _SPEAKER) is not None)


def chats(value: object, *, session: str) -> list[Chat] | None:
    """Return the chats in a value, None if it has none; `session` names the one without a name of its own."""
    if isinstance(value, Mapping):
        sessions = _sessions(value)
        if sessions is not None:
            return _dataset(value, sessions, session)
        lists = (found for name in (*_MESSAGES, *value) if isinstance(found := value.get(name), list))
        messages = next((found for found in lists if found and all(map(is_message, found))), None)
        if messages is not None:
            outcome = {OUTCOME: value["success"]} if isinstance(value.get("success"), bool) else {}
            name = _first(value, (*_SESSION, "id")) or session
            return [Chat(name, messages, time_of(value), {**_unread_time(value), **outcome})]
    elif isinstance(value, Sequence) and value and all(map(is_message, value)):
        return [Chat(session, value, None, {})]
    return None


def session_of(message: Object) -> str | None:
    """Return the session that a message on its own names."""
    return _first(message, _SESSION)


def items_of(
    message: Object, *, session: str, turn: int, began: datetime | None = None, origin: Object | None = None
) -> Iterator[Item]:
    """Yield the texts of a message, quoted tool output apart; without a time one is `turn` seconds after `began`."""
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
            # An undated message is identified by content and position, so that reading it again finds it again.
            item["key"] = f"turn:{digest(session, str(turn), words.actor, words.text)[:32]}"
        yield item


def noted(message: Object) -> dict[str, Any]:
    """Return the metadata of a message's memory: its own id as `turn`, and a time that could not be parsed."""
    inside = unwrapped(message)
    own = _first(inside, _TURN)
    return {**_unread_time(inside), **({} if own is None else {"turn": own})}


class Spoken(NamedTuple):
    """The content of a message by one speaker; `noted` are the tools it calls, or the call it answers, as metadata."""

    role: str
    actor: str
    source_type: str
    text: str
    noted: Object = {}  # noqa: RUF012 (a default that is never changed)


def spoken(message: Object) -> Iterator[Spoken]:
    """Yield the speakers and texts of a message, as `items_of` does, without a position and a time."""
    message = unwrapped(message)
    role, source_type = role_of(message) or ("user", "user_input")
    found = _spoken(message, Spoken(role, speaker_of(message) or role, source_type, ""))
    yield from (words for words in found if not is_blank(check_text(words.text)))


def speaker_of(message: Object) -> str | None:
    """Return the name of the speaker, None if the message has none."""
    return _first(message, _NAME)


def _first(value: Object, names: Sequence[str]) -> str | None:
    """Return the first of some fields that holds a text or a whole number, as a text."""
    found = (value.get(name) for name in names)
    texts = (str(each).strip() for each in found if isinstance(each, str | int) and not isinstance(each, bool))
    return next(filter(None, texts), None)


def unwrapped(message: Object) -> Object:
    """Open the envelopes that LangChain puts around a stored message."""
    for envelope in ("data", "kwargs"):
        inside = message.get(envelope)
        if isinstance(inside, Mapping) and any(name in inside for name in _TEXT):
            named = message.get("id") if envelope == "kwargs" else None
            return {"type": named[-1] if isinstance(named, list) and named else message.get("type"), **inside}
    return message


def role_named(name: str) -> tuple[str, str]:
    """Return the usual name of a role and its source type; an unknown one is trusted least."""
    return _ROLES.get(name.strip().lower(), (name.strip(), "unknown"))


def role_of(message: Object) -> tuple[str, str] | None:
    """Return the usual name of the role and its source type, None for a named speaker without a role."""
    role = message.get("role")
    if isinstance(role, str) and role.strip():
        return role_named(role)
    kind = str(message.get("type")).lower().removesuffix("chunk").removesuffix("message")
    return _ROLES.get(kind) or _ROLES.get((_first(message, _SPEAKER) or "").lower())


def _spoken(message: Object, speaker: Spoken) -> Iterator[Spoken]:
    """Yield speakers and texts: a tool's output is never attributed to the speaker that quotes it."""
    words, calls, results = parts_of(message)
    for result in results:
        named = answering(_first(result, ("tool_use_id", "tool_call_id")), _first(result, ("name",)), result)
        yield Spoken("tool", "tool", "tool_result", part_text(result), named)
    caption = _first(message, ("blip_caption", "caption"))
    texts = [*map(part_text, words), *(call_text(call) for call in calls if call not in words)]
    texts += [f"[image: {caption}]"] if caption else []
    separator = "\n" if calls or isinstance(_body(message), list) else " "
    noted = kept(calls)
    if speaker.role == "tool":
        noted = answering(_first(message, ("tool_use_id", "tool_call_id")), _first(message, ("name",)), message)
    yield speaker._replace(text=separator.join(filter(None, texts)), noted=noted)


class Parts(NamedTuple):
    """A message taken apart: its words (calls in the place of their blocks), all its calls, the results it quotes."""

    words: list[object]
    calls: list[Call]
    results: list[Object]


def _body(message: Object) -> object:
    return next((message[name] for name in (*_TEXT, "refusal") if message.get(name) is not None), "")


def parts_of(message: Object) -> Parts:
    """Take a message apart; calls that it lists beside the blocks that make them, as LangChain does, are found once."""
    body, given = _body(message), message.get("tool_calls")
    listed = [usual(call) for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []
    by_id = {call["id"]: call for call in listed if call["id"]}
    words, calls, results = list[object](), list[Call](), list[Object]()
    for part in body if isinstance(body, list) else [body]:
        if isinstance(part, Mapping) and part.get("type") == _RESULT:
            results.append(part)
        elif isinstance(part, Mapping) and part.get("type") in _CALLS:
            call = usual(part)
            calls.append(by_id.get(call["id"], call))
            words.append(calls[-1])
        else:
            words.append(part)
    return Parts(words, [*calls, *(call for call in listed if call not in calls)], results)


def part_text(part: object) -> str:
    """Return one part of a message as text; unreadable parts are named in brackets."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "\n".join(filter(None, map(part_text, part)))
    if not isinstance(part, Mapping):
        return "" if part is None else json.dumps(part, ensure_ascii=False)
    kind = str(part.get("type", "part"))
    if kind in _SILENT:
        return ""
    if kind in _CALLS or isinstance(part.get("function"), Mapping):
        return call_text(usual(part))
    if kind == _RESULT:
        return part_text(part.get("content"))
    text = part.get("text", part.get("refusal"))
    return text if isinstance(text, str) else f"[{kind.removesuffix('_url').removeprefix('input_')}]"


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


def conversation_of(record: Object) -> tuple[str, str] | None:
    """Return under which metadata key a data set's record names its conversation, and the name."""
    if (asked := _first(record, ("question_id",))) is not None:
        return "question_id", asked
    name = _first(record, ("sample_id", "conversation_id"))
    return None if name is None else ("conversation", name)


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
    """Return the sessions of a data set's record as `{session_id, date_time, turns}`, None if it has none."""
    sessions = record.get("sessions")
    if isinstance(sessions, list) and all(isinstance(part, Mapping) for part in sessions):
        return sessions
    conversation = record.get("conversation")
    if isinstance(conversation, Mapping) and "session_1" in conversation:
        names = [name for name in conversation if re.fullmatch(r"session_\d+", name)]
        return [  # LoCoMo's own layout
            {"session_id": name, "date_time": conversation.get(f"{name}_date_time"), "turns": conversation[name]}
            for name in sorted(names, key=lambda name: int(name[8:]))
        ]
    return _haystack(record) if isinstance(record.get("haystack_sessions"), list) else None


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
