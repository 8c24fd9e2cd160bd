"""Messages out of turns, as the common chat APIs take them: every call is answered, and nothing answers no call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.chatlogs import call_text
from recollect.models import Turn
from recollect.toolcalls import Call, Object, arguments_of, usual

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
    return FORMATS[format](list(turns))


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


def _openai(turns: Sequence[Turn]) -> Messages:
    return Messages(map(_openai_message, _paired(turns)))


def _openai_message(said: _Said) -> dict[str, Any]:
    if said.role == "tool":
        return {"role": "tool", "tool_call_id": said.answers, "content": said.text}
    message: dict[str, Any] = {"role": said.role, "content": said.text, **_named(said)}
    if said.calls:
        message |= {"content": said.text or None, "tool_calls": list(said.calls)}
    return message


def _named(said: _Said) -> dict[str, str]:
    """Return a speaker's name as chat APIs take it, which take no spaces; none where it only says the role."""
    name = _NOT_IN_NAMES.sub("_", said.actor or "").strip("_")[:64]
    return {"name": name} if name and said.actor != said.role else {}


def _langchain(turns: Sequence[Turn]) -> Messages:
    return Messages(map(_langchain_message, _paired(turns)))


def _langchain_message(said: _Said) -> dict[str, Any]:
    if said.role == "tool":
        status = "error" if said.failed else "success"
        answer = {"type": "tool", "content": said.text, "tool_call_id": said.answers, "status": status}
        return {**answer, "name": said.name}
    kind = {"user": "human", "assistant": "ai"}.get(said.role, said.role)
    message: dict[str, Any] = {"type": kind, "content": said.text, **_named(said)}
    if said.calls:
        message["tool_calls"] = [
            {"name": call["function"]["name"], "args": arguments_of(call), "id": call["id"], "type": "tool_call"}
            for call in said.calls
        ]
    return message


def _anthropic(turns: Sequence[Turn]) -> Messages:
    return _alternating(turns, assistant="assistant", under="content", blocks=_anthropic_blocks)


def _anthropic_blocks(said: _Said) -> Iterator[dict[str, Any]]:
    if said.role == "tool":
        failed = {"is_error": True} if said.failed else {}
        yield {"type": "tool_result", "tool_use_id": said.answers, "content": said.text, **failed}
        return
    if said.text.strip():
        yield {"type": "text", "text": said.text}
    for call in said.calls:
        yield {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": arguments_of(call)}


def _google(turns: Sequence[Turn]) -> Messages:
    return _alternating(turns, assistant="model", under="parts", blocks=_google_parts)


def _google_parts(said: _Said) -> Iterator[dict[str, Any]]:
    if said.role == "tool":
        response = {"error" if said.failed else "result": said.text}
        yield {"function_response": {"id": said.answers, "name": said.name, "response": response}}
        return
    if said.text.strip():
        yield {"text": said.text}
    for call in said.calls:
        name = call["function"]["name"]
        yield {"function_call": {"id": call["id"], "name": name, "args": arguments_of(call)}}


def _alternating(
    turns: Sequence[Turn], *, assistant: str, under: str, blocks: Callable[[_Said], Iterable[Object]]
) -> Messages:
    """Return messages of two roles that take turns, each a list of blocks; what the system says stands beside them."""
    spoken = [turn for turn in turns if turn.role != "system"]
    system = "\n\n".join(turn.content for turn in turns if turn.role == "system" and turn.content.strip())
    messages = Messages(system=system)
    for said in _paired(spoken):
        role, made = (assistant if said.role == "assistant" else "user"), list(blocks(said))
        if made and messages and messages[-1]["role"] == role:
            messages[-1][under] += made
        elif made:
            messages.append({"role": role, under: made})
    return messages


FORMATS: Mapping[str, Callable[[Sequence[Turn]], Messages]] = {
    "openai": _openai,
    "anthropic": _anthropic,
    "langchain": _langchain,
    "google": _google,
}
