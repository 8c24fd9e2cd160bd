"""Conversations in the shapes of the common chat APIs: read as turns, and written from them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple

from engrain.chat.logs import (
    Call,
    Object,
    arguments_of,
    call_text,
    is_result,
    noted,
    part_text,
    role_of,
    speaker_of,
    time_of,
    unwrapped,
    usual,
)
from engrain.language.calendar import parse_when
from engrain.model.memory import Turn
from engrain.text import check_text

_READ = (
    *("role", "type", "content", "text", "name", "speaker", "actor", "at", "timestamp", "created_at", "id"),
    *("tool_calls", "function", "arguments", "input", "args", "data", "kwargs"),
    *("tool_call_id", "tool_use_id", "call_id", "is_error", "status", "output", "function_call", "custom", "refusal"),
    *("parts", "thought", "function_response", "response"),
)
_DEEPEST = 8  # of objects, which may refer to each other
_DEEPEST_VALUE = 50  # of mappings and lists, as the arguments of a tool may be


def listed(messages: object) -> list[object]:
    """Return messages as a list: a text is what the user says, a message on its own a list of one."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if isinstance(messages, Mapping) or any(hasattr(messages, name) for name in ("content", "parts", "role", "type")):
        return [messages]
    if not isinstance(messages, Iterable) or isinstance(messages, bytes):
        raise TypeError(f"messages must be a text, a message or a list of messages, not {type(messages).__name__}")
    return list(messages)


def plain(value: object, depth: int = 0) -> object:
    """Return a message as mappings, lists and plain values: what SDKs give as objects is read by its attributes."""
    if value is None or isinstance(value, str | int | float | date):
        return value
    contains = isinstance(value, Mapping | list | tuple)
    if depth >= (_DEEPEST_VALUE if contains else _DEEPEST):
        return None
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth + 1) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each, depth + 1) for each in value]
    found = {name: getattr(value, name, None) for name in _READ}
    return {name: plain(each, depth + 1) for name, each in found.items() if each is not None and not callable(each)}


CALLS = ("tool_use", "tool_call", "function_call")  # what parts of a message that call a tool are named


class Ledger:
    """Gives calls without an id one, and results without one that of the call they answer: the oldest of their name."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._open: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._taken = set(taken)
        self._given = 0

    def called(self, call: Call) -> Call:
        """Note a call, and return it with an id."""
        name, named = call["function"]["name"], call["id"] or self._new()
        self._open[named] = self._names[named] = name
        return {**call, "id": named}

    def answered(self, named: str, name: str) -> tuple[str, str]:
        """Return the id and the name of the call that a result answers, "" for what is unknown."""
        if not named:
            named = next((one for one, called in self._open.items() if name in ("", called)), "")
        self._open.pop(named, None)
        return named, name or self._names.get(named, "")

    def _new(self) -> str:
        while (name := f"call_{self._given}") in self._taken:
            self._given += 1
        self._taken.add(name)
        return name


_WORDLESS = ("reasoning", "compaction")  # items of a response that nobody says
_ITEM_CALLS = ("function_call", "custom_tool_call")
_ITEM_RESULTS = ("function_call_output", "custom_tool_call_output")


def turns_of(messages: object) -> list[Turn]:
    """Return the turns of a conversation, in order; what is no message is a `TypeError` or a `ValueError`.

    `content` is what was said, "" for an assistant who only calls tools; thinking is left out. The metadata hold
    `tool_calls` in the form of chat completions, and of a tool's turn `tool_call_id`, `name` and, if the result is
    marked as an error, `success` False. What a message quotes of tools becomes turns of its own before it. Calls and
    results without an id get one. Objects of an SDK are read as well as mappings, and a `Turn` stays as it is.
    """
    read = [message if isinstance(message, Turn) else _read(message, at) for at, message in enumerate(listed(messages))]
    ledger = Ledger(_ids(read))
    return [turn for message in read for turn in ([message] if isinstance(message, Turn) else _turns(message, ledger))]


def _read(message: object, number: int) -> dict[str, Any]:
    found = plain(message)
    if not isinstance(found, dict):
        raise TypeError(f"message {number} is a {type(message).__name__}: give a mapping with role and content")
    if not isinstance(message, Mapping):
        found["name"] = found.get("name") or found.get("actor")
    inside = _item(_reading_google(dict(unwrapped(found))))
    if inside.get("type") in _WORDLESS:
        return inside
    if not any(name in inside for name in ("content", "text", "tool_calls", "refusal")):
        raise ValueError(f"message {number} is none: it needs a role and content, and has {', '.join(map(str, found))}")
    if role_of(inside) is None and speaker_of(inside) is None:
        raise ValueError(f"message {number} says nothing of who speaks: it needs a role, and has {', '.join(inside)}")
    at = inside.pop("at", None)
    inside["at"] = time_of(inside) if at is None else parse_when(at, name=f"at of message {number}")
    return inside


def _item(message: dict[str, Any]) -> dict[str, Any]:
    """Return an item of OpenAI's responses, or a message with the older `function_call`, as a message of a chat."""
    kind = str(message.get("type"))
    if "role" not in message and kind in _ITEM_CALLS:
        return {"role": "assistant", "content": "", "tool_calls": [message]}
    if "role" not in message and kind in _ITEM_RESULTS:
        return {"role": "tool", "content": message.get("output"), "tool_call_id": message.get("call_id")}
    if "role" not in message and kind.endswith("_call"):  # a tool of the server's own: what it found is not in it
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
        told = response if isinstance(response, Mapping) else {"result": response}
        said = next((told[name] for name in ("error", "result", "output") if list(told) == [name]), told)
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        named = {"tool_use_id": result.get("id"), "name": result.get("name")}
        return {**named, "type": "tool_result", "content": text, "is_error": list(told) == ["error"]}
    return {"type": "text", **part} if "text" in part else {**part, "type": next(iter(part), "part")}


def _ids(read: list[dict[str, Any] | Turn]) -> Iterator[str]:
    for message in read:
        for call in message.metadata.get("tool_calls", ()) if isinstance(message, Turn) else _calls(message):
            yield str(call.get("id") or "")


def _turns(message: dict[str, Any], ledger: Ledger) -> Iterator[Turn]:
    if message.get("type") in _WORDLESS:
        return
    role, _ = role_of(message) or ("user", "")
    actor, at, parts = speaker_of(message), message["at"], _parts(message)
    own = [part for part in parts if not is_result(part) and not _is_call(part)]
    results = [_result(part, ledger, at, {}) for part in parts if isinstance(part, Mapping) and is_result(part)]
    if role == "tool" and not results:
        result = {**message, "tool_use_id": message.get("tool_call_id"), "content": own}
        results = [_result(result, ledger, at, noted(message))]
    yield from results
    if role == "tool":
        return
    calls = [ledger.called(call) for call in _calls(message)]
    text = _joined(own)
    if text.strip() or calls or not results:
        metadata = {**noted(message), **({"tool_calls": calls} if calls else {})}
        yield Turn(role=role, content=text, actor=actor, at=at, metadata=metadata)


def _result(result: Object, ledger: Ledger, at: datetime | None, more: Object) -> Turn:
    named = str(result.get("tool_use_id") or result.get("tool_call_id") or "")
    named, name = ledger.answered(named, str(result.get("name") or ""))
    body = result.get("content")
    metadata = {**more, **({"tool_call_id": named} if named else {}), **({"name": name} if name else {})}
    if result.get("is_error") is True or result.get("status") == "error":
        metadata["success"] = False
    text = _joined(body if isinstance(body, list) else [body])
    return Turn(role="tool", content=text, actor=name or None, at=at, metadata=metadata)


def _parts(message: Object) -> list[object]:
    body = next((message[name] for name in ("content", "text", "refusal") if message.get(name) is not None), "")
    return body if isinstance(body, list) else [body]


def _is_call(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in CALLS


def _calls(message: Object) -> list[Call]:
    """Return the calls of a message, each once: LangChain lists them beside the blocks that make them."""
    given = message.get("tool_calls")
    listed_calls = [call for call in given if isinstance(call, Mapping)] if isinstance(given, list) else []
    blocks = [part for part in _parts(message) if isinstance(part, Mapping) and _is_call(part)]
    seen = {str(call.get("id")) for call in listed_calls}
    return [usual(call) for call in (*listed_calls, *(one for one in blocks if str(one.get("id")) not in seen))]


def _joined(parts: list[object]) -> str:
    return check_text("\n".join(text for text in map(_text, parts) if text))


def _text(part: object) -> str:
    if isinstance(part, Mapping) and isinstance(part.get("refusal"), str):
        return str(part["refusal"])
    return part_text(part)


_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


class Messages(list[dict[str, Any]]):
    """A list of messages; `system` is what an API takes beside it, "" where system messages stay in the list."""

    def __init__(self, messages: Iterable[dict[str, Any]] = (), *, system: str = "") -> None:
        super().__init__(messages)
        self.system = system


@dataclass(frozen=True, slots=True)
class _Said:
    """One message of whichever format: a text, calls that are answered right after it, or the answer to one."""

    role: str
    text: str = ""
    actor: str | None = None
    calls: Sequence[Call] = field(default=())
    answers: str = ""
    name: str = ""
    failed: bool = False


def messages_of(turns: Iterable[Turn], format: str = "openai") -> Messages:
    """Return turns as messages of `format`: "openai", "anthropic", "langchain" or "google".

    APIs refuse a tool's result without its call right before it, and a call without its result: where a window cut one
    off, the other becomes text. In "openai" and "langchain" each turn is one message. In "anthropic" and "google" the
    system turns are in `.system`, roles take turns (neighbours of one role are merged) and blank texts are left out;
    the list begins with whoever spoke first, which may be the assistant.
    """
    if format not in FORMATS:
        raise ValueError(f"there is no format {format!r}: use one of {', '.join(FORMATS)}")
    write, assistant, under = FORMATS[format]
    given = list(turns)
    if not under:
        return Messages(message for said in _paired(given) for message in write(said))
    system = "\n\n".join(turn.content for turn in given if turn.role == "system" and turn.content.strip())
    messages = Messages(system=system)
    for said in _paired([turn for turn in given if turn.role != "system"]):
        role, blocks = (assistant if said.role == "assistant" else "user"), list(write(said))
        if blocks and messages and messages[-1]["role"] == role:
            messages[-1][under] += blocks
        elif blocks:
            messages.append({"role": role, under: blocks})
    return messages


# ------------------------------------------------------------------------------------------------------ calls, answers


def _paired(turns: Sequence[Turn]) -> Iterator[_Said]:
    """Yield what is said, with calls and answers only where both stand beside each other."""
    place = 0
    while place < len(turns):
        turn = turns[place]
        place += 1
        end = place
        while turn.role != "tool" and end < len(turns) and turns[end].role == "tool":
            end += 1
        if turn.role == "tool":
            yield _unasked(turn)
        elif turn.role == "assistant":
            yield from _asked(turn, turns[place:end])
            place = end
        else:
            yield _Said(turn.role if turn.role == "system" else "user", turn.content, turn.actor)


def _asked(turn: Turn, results: Sequence[Turn]) -> Iterator[_Said]:
    """Yield an assistant's turn, the answers to its calls, and after them what answers none."""
    given: dict[str, int] = {}
    for place, result in enumerate(results):
        given.setdefault(str(result.metadata.get("tool_call_id") or ""), place)
    answered: dict[int, Call] = {}
    lost = []
    for call in _calls_of(turn):
        place = given.get(call["id"], -1)
        if call["id"] and place >= 0 and place not in answered:
            answered[place] = call
        else:
            lost.append(call_text(call))
    text = "\n".join(part for part in (turn.content, *lost) if part)
    yield _Said("assistant", text, turn.actor, list(answered.values()))
    for place in sorted(answered):
        result, call = results[place], answered[place]
        failed = result.metadata.get("success") is False
        yield _Said("tool", result.content, answers=call["id"], name=call["function"]["name"], failed=failed)
    yield from (_unasked(result) for place, result in enumerate(results) if place not in answered)


def _unasked(turn: Turn) -> _Said:
    return _Said("user", f"[tool result: {turn.content}]")


def _calls_of(turn: Turn) -> list[Call]:
    given = turn.metadata.get("tool_calls")
    return [usual(call) for call in given if isinstance(call, Mapping)] if isinstance(given, Sequence) else []


# ------------------------------------------------------------------------------------------------------------- formats


def _openai(said: _Said) -> Iterator[dict[str, Any]]:
    if said.role == "tool":
        yield {"role": "tool", "tool_call_id": said.answers, "content": said.text}
        return
    calls = {"content": said.text or None, "tool_calls": list(said.calls)} if said.calls else {}
    yield {"role": said.role, "content": said.text, **_named(said), **calls}


def _named(said: _Said) -> dict[str, str]:
    """Return a speaker's name as chat APIs take it, without spaces; none where it only repeats the role."""
    name = _NOT_IN_NAMES.sub("_", said.actor or "").strip("_")[:64]
    return {"name": name} if name and said.actor != said.role else {}


def _langchain(said: _Said) -> Iterator[dict[str, Any]]:
    if said.role == "tool":
        status = "error" if said.failed else "success"
        answer = {"type": "tool", "content": said.text, "tool_call_id": said.answers, "status": status}
        yield {**answer, "name": said.name}
        return
    kind = {"user": "human", "assistant": "ai"}.get(said.role, said.role)
    calls = [{"name": name, "args": args, "id": named, "type": "tool_call"} for named, name, args in _named_calls(said)]
    yield {"type": kind, "content": said.text, **_named(said), **({"tool_calls": calls} if calls else {})}


def _anthropic(said: _Said) -> Iterator[dict[str, Any]]:
    if said.role == "tool":
        failed = {"is_error": True} if said.failed else {}
        yield {"type": "tool_result", "tool_use_id": said.answers, "content": said.text, **failed}
        return
    if said.text.strip():
        yield {"type": "text", "text": said.text}
    for named, name, arguments in _named_calls(said):
        yield {"type": "tool_use", "id": named, "name": name, "input": arguments}


def _google(said: _Said) -> Iterator[dict[str, Any]]:
    if said.role == "tool":
        response = {"error" if said.failed else "result": said.text}
        yield {"function_response": {"id": said.answers, "name": said.name, "response": response}}
        return
    if said.text.strip():
        yield {"text": said.text}
    for named, name, arguments in _named_calls(said):
        yield {"function_call": {"id": named, "name": name, "args": arguments}}


def _named_calls(said: _Said) -> Iterator[tuple[str, str, dict[str, Any]]]:
    return ((call["id"], call["function"]["name"], arguments_of(call)) for call in said.calls)


class Format(NamedTuple):
    """How a format writes what is said: as a message, or where roles take turns as blocks under a key of a message."""

    write: Callable[[_Said], Iterable[dict[str, Any]]]
    assistant: str = ""
    under: str = ""


FORMATS: Mapping[str, Format] = {
    "openai": Format(_openai),
    "anthropic": Format(_anthropic, "assistant", "content"),
    "langchain": Format(_langchain),
    "google": Format(_google, "model", "parts"),
}
