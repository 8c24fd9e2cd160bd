"""Conversations in the formats of the common chat APIs: parsed into turns, and written from them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

from engrain.chat import logs
from engrain.language.calendar import parse_when
from engrain.model.memory import Turn
from engrain.model.results import Messages
from engrain.text import check_text

_READ = (
    *("role", "type", "content", "text", "name", "speaker", "actor", "at", "timestamp", "created_at", "id"),
    *("tool_calls", "function", "arguments", "input", "args", "data", "kwargs"),
    *("tool_call_id", "tool_use_id", "call_id", "is_error", "status", "output", "function_call", "custom", "refusal"),
    *("parts", "thought", "function_response", "response"),
)
_DEEPEST = 8  # of objects, which may refer to each other
_DEEPEST_VALUE = 50  # of mappings and lists, as the arguments of a tool may be
_WORDLESS = ("reasoning", "compaction")  # items of a response without a speaker
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


def listed(messages: object) -> list[object]:
    """Return messages as a list: a text is one of the user, a single message a list of one."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping) or any(hasattr(messages, name) for name in ("content", "parts", "role", "type")):
        return [messages]
    if not isinstance(messages, Iterable) or isinstance(messages, bytes):
        raise TypeError(f"messages must be a text, a message or a list of messages, not {type(messages).__name__}")
    return list(messages)


def plain(value: object, depth: int = 0) -> object:
    """Return a message as mappings, lists and plain values: objects of SDKs are read by their attributes."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    if depth >= (_DEEPEST_VALUE if isinstance(value, Mapping | list | tuple) else _DEEPEST):
        return None
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth + 1) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    found = {name: getattr(value, name, None) for name in _READ}
    return {name: plain(each, depth + 1) for name, each in found.items() if each is not None and not callable(each)}


class Ledger:
    """Gives calls without an id one, and results without one that of the call they answer: the oldest of their name."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._open: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._taken = set(taken)
        self._given = 0

    def called(self, call: logs.Call) -> logs.Call:
        """Note a call, and return it with an id."""
        name, named = call["function"]["name"], call["id"] or self._new()
        self._open[named] = self._names[named] = name
        return {**call, "id": named}

    def answered(self, named: str, name: str) -> tuple[str, str]:
        """Return the id and the name of the call that a result answers, "" if unknown."""
        if not named:
            named = next((one for one, called in self._open.items() if name in ("", called)), "")
        self._open.pop(named, None)
        return named, name or self._names.get(named, "")

    def _new(self) -> str:
        while (name := f"call_{self._given}") in self._taken:
            self._given += 1
        self._taken.add(name)
        return name


def turns_of(messages: object) -> list[Turn]:
    """Return the turns of a conversation, in order; an invalid message is a `TypeError` or a `ValueError`.

    `content` is the text, "" for an assistant who only calls tools; thinking is left out. The metadata hold
    `tool_calls` in the form of chat completions, and of a tool's turn `tool_call_id`, `name` and, if the result is
    marked as an error, `success` False. What a message quotes of tools becomes turns of its own before it. Calls and
    results without an id get one. Objects of an SDK are read as well as mappings. A `Turn` stays as it is, and a
    mapping with a role and `data` is one.
    """
    read = [_exact(message) or _read(message, at) for at, message in enumerate(listed(messages))]
    ledger = Ledger(_ids(read))
    return [turn for message in read for turn in ([message] if isinstance(message, Turn) else _turns(message, ledger))]


def _exact(message: object) -> Turn | None:
    if isinstance(message, Turn):
        return message
    if not (isinstance(message, Mapping) and "data" in message and "role" in message):
        return None
    given = dict(message)
    role, content, actor, at, data = (given.pop(name, None) for name in ("role", "content", "actor", "at", "data"))
    when = None if at is None else parse_when(at, name="at")
    return Turn(role=role, content=content or "", actor=actor, at=when, metadata=given, data=data)


def _read(message: object, number: int) -> dict[str, Any]:
    found = plain(message)
    if not isinstance(found, dict):
        raise TypeError(f"message {number} is a {type(message).__name__}: give a mapping with role and content")
    if not isinstance(message, Mapping):
        found["name"] = found.get("name") or found.get("actor")
    inside = _item(_reading_google(dict(logs.unwrapped(found))))
    if inside.get("type") in _WORDLESS:
        return inside
    if not any(name in inside for name in ("content", "text", "tool_calls", "refusal")):
        raise ValueError(f"message {number} is none: it needs a role and content, and has {', '.join(map(str, found))}")
    if logs.role_of(inside) is None and logs.speaker_of(inside) is None:
        raise ValueError(f"message {number} says nothing of who speaks: it needs a role, and has {', '.join(inside)}")
    at = inside.pop("at", None)
    inside["at"] = logs.time_of(inside) if at is None else parse_when(at, name=f"at of message {number}")
    return inside


def _item(message: dict[str, Any]) -> dict[str, Any]:
    """Return an item of OpenAI's responses, or a message with the older `function_call`, as a message of a chat."""
    kind = str(message.get("type"))
    if "role" not in message and kind in ("function_call", "custom_tool_call"):
        return {"role": "assistant", "content": "", "tool_calls": [message]}
    if "role" not in message and kind in ("function_call_output", "custom_tool_call_output"):
        return {"role": "tool", "content": message.get("output"), "tool_call_id": message.get("call_id")}
    if "role" not in message and kind.endswith("_call"):  # a tool of the server's own, whose results are not in it
        return {"role": "assistant", "content": f"[{kind}]"}
    old = message.get("function_call")
    return {**message, "tool_calls": [old]} if isinstance(old, Mapping) and not message.get("tool_calls") else message


def _reading_google(message: dict[str, Any]) -> dict[str, Any]:
    parts = message.get("parts")
    if parts is None or message.get("content") is not None:
        return message
    rest = {name: value for name, value in message.items() if name not in ("parts", "content", "text")}
    blocks = [_google_part(part) for part in (parts if isinstance(parts, list) else [parts])]
    return {"role": "user", **rest, "content": blocks}


def _google_part(part: object) -> object:
    if not isinstance(part, Mapping):
        return part
    part = {name: value for name, value in part.items() if value is not None}
    if part.get("thought"):
        return {"type": "thinking"}
    call = part.get("function_call") or part.get("functionCall")
    result = part.get("function_response") or part.get("functionResponse")
    if isinstance(call, Mapping):
        return {**call, "type": "function_call"}
    if isinstance(result, Mapping):
        response = result.get("response")
        given = response if isinstance(response, Mapping) else {"result": response}
        value = next((given[name] for name in ("error", "result", "output") if list(given) == [name]), given)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        named = {"tool_use_id": result.get("id"), "name": result.get("name")}
        return {**named, "type": "tool_result", "content": text, "is_error": list(given) == ["error"]}
    return {"type": "text", **part} if "text" in part else {**part, "type": next(iter(part), "part")}


def _ids(read: list[dict[str, Any] | Turn]) -> Iterator[str]:
    for message in read:
        calls = message.metadata.get("tool_calls", ()) if isinstance(message, Turn) else logs.parts_of(message).calls
        yield from (str(call.get("id") or "") for call in calls)


def _turns(message: dict[str, Any], ledger: Ledger) -> Iterator[Turn]:
    if message.get("type") in _WORDLESS:
        return
    role, _ = logs.role_of(message) or ("user", "")
    at, (words, given, quoted) = message["at"], logs.parts_of(message)
    own = [part for part in words if part not in given]
    results = [_result(part, ledger, at, {}) for part in quoted]
    if role == "tool" and not results:
        results = [_result({**message, "content": own}, ledger, at, logs.noted(message))]
    yield from results
    if role == "tool":
        return
    calls, text = [ledger.called(call) for call in given], _joined(own)
    if text.strip() or calls or not results:
        metadata = {**logs.noted(message), **({"tool_calls": calls} if calls else {})}
        yield Turn(role=role, content=text, actor=logs.speaker_of(message), at=at, metadata=metadata)


def _result(result: logs.Object, ledger: Ledger, at: datetime | None, more: logs.Object) -> Turn:
    given = str(result.get("tool_use_id") or result.get("tool_call_id") or "")
    named, name = ledger.answered(given, str(result.get("name") or ""))
    body = result.get("content")
    text = _joined(body if isinstance(body, list) else [body])
    metadata = {**more, **logs.answering(named, name, result)}
    return Turn(role="tool", content=text, actor=name or None, at=at, metadata=metadata)


def _joined(parts: list[object]) -> str:
    return check_text("\n".join(filter(None, map(logs.part_text, parts))))


@dataclass(frozen=True, slots=True)
class _Message:
    """One message of whichever format: a text, calls that are answered right after it, or the answer to one."""

    role: str
    text: str = ""
    actor: str | None = None
    calls: Sequence[logs.Call] = field(default=())
    answers: str = ""
    name: str = ""
    failed: bool = False


def messages_of(turns: Iterable[Turn], format: str = "openai") -> Messages:
    """Return turns as messages of `format`: "openai", "anthropic", "langchain" or "google".

    APIs refuse a tool's result without its call right before it, and a call without its result: where a window cut one
    off, the call becomes text of the assistant, and the result is in `.tool_results`, never in another role; so is
    what a role says that no API has. In "openai" and "langchain" each turn is one message. In "anthropic" and "google"
    the system turns are in `.system`, roles take turns (neighbours of one role are merged) and blank texts are left
    out; the list begins with whoever spoke first, which may be the assistant.
    """
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}: use one of {', '.join(FORMATS)}")
    write, assistant, under = FORMATS[format]
    given, apart = list(turns), "system" if under else None  # the role whose turns are no messages
    found = list(_paired([turn for turn in given if turn.role != apart]))
    system = "\n\n".join(turn.content for turn in given if turn.role == apart and turn.content.strip())
    messages = Messages(system=system, tool_results=[each for each in found if isinstance(each, Turn)])
    for message in found:
        if isinstance(message, Turn):
            continue
        role, written = (assistant if message.role == "assistant" else "user"), list(write(message))
        if not under:
            messages += written
        elif written and messages and messages[-1]["role"] == role:
            messages[-1][under] += written
        elif written:
            messages.append({"role": role, under: written})
    return messages


def lone_results(turns: Iterable[Turn]) -> list[Turn]:
    """Return the turns without a place: results of tools without their call right before, and unknown roles."""
    return [each for each in _paired([turn for turn in turns if turn.role != "system"]) if isinstance(each, Turn)]


def _paired(turns: Sequence[Turn]) -> Iterator[_Message | Turn]:
    """Yield messages, with calls and answers only if both are adjacent, and each turn without a place as it is."""
    place = 0
    while place < len(turns):
        turn = turns[place]
        place += 1
        end = place
        while turn.role != "tool" and end < len(turns) and turns[end].role == "tool":
            end += 1
        role, _ = logs.role_named(turn.role)
        if role == "assistant":
            yield from _asked(turn, turns[place:end])
            place = end
        elif role in ("user", "system"):
            yield _Message(role, turn.content, turn.actor)
        else:
            yield turn


def _asked(turn: Turn, results: Sequence[Turn]) -> Iterator[_Message | Turn]:
    """Yield an assistant's turn and the answers to its calls, then the results without a call as they are."""
    given: dict[str, int] = {}
    for place, result in enumerate(results):
        given.setdefault(str(result.metadata.get("tool_call_id") or ""), place)
    answered: dict[int, logs.Call] = {}
    lost = []
    calls = turn.metadata.get("tool_calls")
    asked = [logs.usual(call) for call in calls if isinstance(call, Mapping)] if isinstance(calls, Sequence) else []
    for call in asked:
        place = given.get(call["id"], -1)
        if call["id"] and place >= 0 and place not in answered:
            answered[place] = call
        else:
            lost.append(logs.call_text(call))
    text = "\n".join(part for part in (turn.content, *lost) if part)
    yield _Message("assistant", text, turn.actor, list(answered.values()))
    for place in sorted(answered):
        result, call = results[place], answered[place]
        failed = result.metadata.get("success") is False
        yield _Message("tool", result.content, answers=call["id"], name=call["function"]["name"], failed=failed)
    yield from (result for place, result in enumerate(results) if place not in answered)


def _openai(message: _Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        yield {"role": "tool", "tool_call_id": message.answers, "content": message.text}
        return
    calls = {"content": message.text or None, "tool_calls": list(message.calls)} if message.calls else {}
    yield {"role": message.role, "content": message.text, **_named(message), **calls}


def _named(message: _Message) -> dict[str, str]:
    """Return a speaker's name in the form of chat APIs, without spaces; none if it only repeats the role."""
    name = _NOT_IN_NAMES.sub("_", message.actor or "").strip("_")[:64]
    return {"name": name} if name and message.actor != message.role else {}


def _langchain(message: _Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        status = "error" if message.failed else "success"
        answer = {"type": "tool", "content": message.text, "tool_call_id": message.answers, "status": status}
        yield {**answer, "name": message.name}
        return
    kind = {"user": "human", "assistant": "ai"}.get(message.role, message.role)
    calls = [{"name": name, "args": args, "id": id_, "type": "tool_call"} for id_, name, args in _named_calls(message)]
    yield {"type": kind, "content": message.text, **_named(message), **({"tool_calls": calls} if calls else {})}


def _anthropic(message: _Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        failed = {"is_error": True} if message.failed else {}
        yield {"type": "tool_result", "tool_use_id": message.answers, "content": message.text, **failed}
        return
    if message.text.strip():
        yield {"type": "text", "text": message.text}
    for named, name, arguments in _named_calls(message):
        yield {"type": "tool_use", "id": named, "name": name, "input": arguments}


def _google(message: _Message) -> Iterator[dict[str, Any]]:
    if message.role == "tool":
        response = {"error" if message.failed else "result": message.text}
        yield {"function_response": {"id": message.answers, "name": message.name, "response": response}}
        return
    if message.text.strip():
        yield {"text": message.text}
    for named, name, arguments in _named_calls(message):
        yield {"function_call": {"id": named, "name": name, "args": arguments}}


def _named_calls(message: _Message) -> Iterator[tuple[str, str, dict[str, Any]]]:
    return ((call["id"], call["function"]["name"], logs.arguments_of(call)) for call in message.calls)


class Format(NamedTuple):
    """How a format writes a message: as one, or where roles take turns as blocks under a key of a message."""

    write: Callable[[_Message], Iterable[dict[str, Any]]]
    assistant: str = ""
    under: str = ""


FORMATS: Mapping[str, Format] = {
    "openai": Format(_openai),
    "anthropic": Format(_anthropic, "assistant", "content"),
    "langchain": Format(_langchain),
    "google": Format(_google, "model", "parts"),
}
