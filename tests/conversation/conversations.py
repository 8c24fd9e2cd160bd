"""Conversations with tool calls, drawn at random."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from engrain.model.memory import Turn

TEXTS = st.text(st.sampled_from('abc é好😀.\n"{}[]'), min_size=1, max_size=12).map(lambda text: f"x{text}x")
ARGUMENTS = st.dictionaries(st.sampled_from("abc"), st.integers() | TEXTS | st.booleans() | st.none(), max_size=2)
FUNCTIONS = st.sampled_from(["search", "book_train", "weather"])


def call(named: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    return {"id": named, "type": "function", "function": function}


def result(text: str, named: str, name: str, *, failed: bool = False) -> Turn:
    metadata = {"tool_call_id": named, "name": name, **({"success": False} if failed else {})}
    return Turn(role="tool", content=text, actor=name, metadata=metadata)


@st.composite
def conversations(draw: st.DrawFn) -> list[Turn]:
    """Return turns in which every call is answered and no two neighbours but a tool's have one role."""
    turns: list[Turn] = []
    for number in range(draw(st.integers(0, 4))):
        turns.append(Turn(role="user", content=draw(TEXTS)))
        for step in range(draw(st.integers(0, 2))):
            calls = [
                call(f"c{number}-{step}-{each}", draw(FUNCTIONS), draw(ARGUMENTS))
                for each in range(draw(st.integers(1, 3)))
            ]
            turns.append(Turn(role="assistant", content=draw(TEXTS | st.just("")), metadata={"tool_calls": calls}))
            turns += [
                result(draw(TEXTS), one["id"], one["function"]["name"], failed=draw(st.booleans()))
                for one in draw(st.permutations(calls))
            ]
        turns.append(Turn(role="assistant", content=draw(TEXTS)))
    return turns


@st.composite
def torn(draw: st.DrawFn) -> list[Turn]:
    """Return turns with some cut out, doubled or out of their place, and system turns between them."""
    turns = draw(conversations())
    turns = [turn for turn in turns if draw(st.integers(0, 4))]
    extra = Turn(role="system", content="Be brief."), result("late", "c0-0-0", "search"), Turn(role="user", content=" ")
    for _ in range(draw(st.integers(0, 3))):
        turns.insert(draw(st.integers(0, len(turns))), draw(st.sampled_from([*extra, *turns])))
    return turns
