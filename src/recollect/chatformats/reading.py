"""Turns out of messages: OpenAI (chat completions and responses), Anthropic, Google, LangChain, or plain mappings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from recollect.chatformats.calls import CALLS, Ledger
from recollect.chatformats.plain import listed, plain
from recollect.chatlogs import is_result, noted, part_text, role_of, speaker_of, time_of, unwrapped
from recollect.models import Turn
from recollect.text import check_text
from recollect.timewords import parse_when
from recollect.toolcalls import Call, Object, usual

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
    """Return a message in one shape: role, content (a text or parts), tool_calls."""
    found = plain(message)
    if not isinstance(found, dict):
        raise TypeError(f"message {number} is a {type(message).__name__}: give a mapping with role and content")
    if not isinstance(message, Mapping):
        found["name"] = found.get("name") or found.get("actor")
    inside = _item(_google(dict(unwrapped(found))))
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


def _google(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message that has `parts` as one that has blocks."""
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
