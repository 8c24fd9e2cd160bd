"""Messages of a live conversation: any usual shape, who said it and when, each call its own event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from engrain import Fact, GovernanceViolation, MemoryManager
from engrain.model.memory import Turn
from engrain.protocols import Candidate
from engrain.testing import FrozenClock

AT = "2025-03-01T10:00:00+00:00"
CHAT = [
    {"role": "user", "content": "I moved to Tbilisi"},
    {"role": "assistant", "content": "The bread there is wonderful"},
    {"role": "user", "content": "ok"},
    {"role": "user", "content": "ok"},
]


@pytest.fixture
def memory(clock: FrozenClock) -> Iterator[MemoryManager]:
    """An empty memory that finds facts offline and texts by their words."""
    with MemoryManager(":memory:", embedder=None, clock=clock) as manager:
        yield manager


def stored_turns(memory: MemoryManager, messages: Any, **asked: Any) -> list[tuple[str, str | None, str]]:
    kept = [result.memory for result in memory.remember_messages(messages, **asked)]
    return [(one.source.type.value, one.actor, one.content) for one in kept]


# --------------------------------------------------------------------------------------------------------------- shapes


@dataclass
class Said:
    """A message as an SDK gives it: an object."""

    content: Any
    role: str | None = None
    type: str | None = None
    tool_calls: Any = None


SHAPES = [
    ("hello", ("user_input", "user", "hello")),
    ({"role": "user", "content": "hello"}, ("user_input", "user", "hello")),
    ({"role": "user", "content": "hello", "name": "Ana"}, ("user_input", "Ana", "hello")),
    ([{"role": "system", "content": "hello"}], ("system", "system", "hello")),
    (({"role": "assistant", "content": "hello"},), ("llm_generated", "assistant", "hello")),
    ({"role": "tool", "content": "hello", "tool_call_id": "1"}, ("tool_result", "tool", "hello")),
    ({"role": "narrator", "content": "hello"}, ("external_data", "narrator", "hello")),
    ({"role": "user", "content": [{"type": "text", "text": "hello"}]}, ("user_input", "user", "hello")),
    (
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "hello"}]},
        ("tool_result", "tool", "hello"),
    ),
    (
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        ("llm_generated", "assistant", "[tool call: f({})]"),
    ),
    (
        {"role": "assistant", "content": [SimpleNamespace(type="text", text="hello")]},
        ("llm_generated", "assistant", "hello"),
    ),
    (Said("hello", role="assistant"), ("llm_generated", "assistant", "hello")),
    (
        Said(None, role="assistant", tool_calls=[SimpleNamespace(function=SimpleNamespace(name="f", arguments="{}"))]),
        ("llm_generated", "assistant", "[tool call: f({})]"),
    ),
    ([Said("hello", type="human")], ("user_input", "user", "hello")),
    ({"type": "ai", "data": {"content": "hello"}}, ("llm_generated", "assistant", "hello")),
    (
        {"lc": 1, "type": "constructor", "id": ["messages", "HumanMessage"], "kwargs": {"content": "hello"}},
        ("user_input", "user", "hello"),
    ),
    (
        {"lc": 1, "type": "constructor", "id": ["m", "AIMessage"], "kwargs": {"content": "hello", "type": "ai"}},
        ("llm_generated", "assistant", "hello"),
    ),
    (Turn(role="user", content="hello", actor="Ana"), ("user_input", "Ana", "hello")),
]


@pytest.mark.parametrize(("messages", "kept"), SHAPES, ids=range(len(SHAPES)))
def test_every_usual_shape_is_read(memory: MemoryManager, messages: Any, kept: tuple[str, str, str]) -> None:
    assert stored_turns(memory, messages) == [kept]


def test_a_message_that_says_nothing_is_passed_over(memory: MemoryManager) -> None:
    assert stored_turns(memory, [{"role": "user", "content": ""}, {"role": "assistant", "content": None}]) == []
    assert memory.remember_messages([]) == []


@pytest.mark.parametrize(
    ("messages", "error"),
    [
        (5, TypeError),
        (None, TypeError),
        (b"hello", TypeError),
        ([CHAT[0], "hello"], TypeError),
        ([CHAT[0], 5], TypeError),
        ([CHAT[0], {"content": "hello"}], ValueError),
        ([CHAT[0], {"role": "user"}], ValueError),
        ([CHAT[0], Ellipsis], ValueError),
        ([CHAT[0], {"role": "user", "content": "a\x00b"}], ValueError),
        ([CHAT[0], {**CHAT[0], "at": "2025-03-01T10:00:00"}], ValueError),
        ([CHAT[0], {**CHAT[0], "at": "soon"}], ValueError),
        ([CHAT[0], {**CHAT[0], "at": 5}], TypeError),
        (" ", GovernanceViolation),
    ],
    ids=repr,
)
def test_an_invalid_message_is_refused_before_anything_is_stored(
    memory: MemoryManager, messages: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.remember_messages(messages)
    assert memory.count() == 0


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"extract": "some"}, ValueError),
        ({"extract": None}, ValueError),
        ({"key": "k"}, TypeError),
        ({"content": "x"}, TypeError),
        ({"colour": "red"}, TypeError),
        ({"importance": 7}, ValueError),
    ],
)
def test_arguments_that_cannot_be_are_refused(
    memory: MemoryManager, asked: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        memory.remember_messages(CHAT, **asked)
    assert memory.count() == 0


# ------------------------------------------------------------------------------------------------------ when and where


def test_a_call_is_a_run_of_moments_that_ends_now(memory: MemoryManager, clock: FrozenClock) -> None:
    kept = [result.memory for result in memory.remember_messages(CHAT)]
    steps = [clock.now() - one.valid_from for one in kept]
    assert steps == [timedelta(microseconds=left) for left in (3, 2, 1, 0)]
    assert [one.kind for one in kept] == ["episodic"] * 4
    assert memory.count() == 4


def test_saying_it_again_is_another_event(memory: MemoryManager, clock: FrozenClock) -> None:
    memory.remember_messages(CHAT)
    clock.advance(timedelta(seconds=1))
    assert [result.status for result in memory.remember_messages(CHAT)] == ["created"] * 4
    assert memory.count() == 8


def test_a_message_with_a_time_was_said_then(memory: MemoryManager) -> None:
    for at in (AT, datetime.fromisoformat(AT)):
        (kept, _) = memory.remember_messages([{**CHAT[0], "at": at}])[0]
        assert kept.valid_from == datetime(2025, 3, 1, 10, tzinfo=UTC)
    (kept, _) = memory.remember_messages([{**CHAT[0], "timestamp": AT}])[0]
    assert kept.valid_from == datetime(2025, 3, 1, 10, tzinfo=UTC)


def test_a_session_gives_order(memory: MemoryManager) -> None:
    memory.remember_messages(CHAT[:2], session="s")
    memory.scoped(session="s").remember_messages(CHAT[2:])
    kept = sorted(memory.iter_memories(session="s"), key=lambda one: one.position or 0)
    assert [one.content for one in kept] == [message["content"] for message in CHAT]
    assert [one.position for one in kept] == [0, 1, 2, 3]


def test_a_session_cannot_be_changed(memory: MemoryManager) -> None:
    with pytest.raises(ValueError):
        memory.scoped(session="s").remember_messages(CHAT, session="t")


def test_defaults_hold_for_every_message(memory: MemoryManager) -> None:
    messages = [{**CHAT[0], "id": "m1"}, CHAT[1]]
    results = memory.remember_messages(messages, tags=iter(["chat"]), metadata={"app": "x"}, domain="travel")
    kept = [result.memory for result in results]
    assert [(one.domain, one.metadata) for one in kept] == [
        ("travel", {"app": "x", "turn": "m1"}),
        ("travel", {"app": "x"}),
    ]
    assert all("chat" in one.tags for one in kept)


# ---------------------------------------------------------------------------------------------------------------- facts


def test_facts_are_kept_with_the_trust_and_the_name_of_who_said_them(memory: MemoryManager) -> None:
    messages = [
        {"role": "user", "content": "Hi! I live in Rome. How are you?", "name": "Ana"},
        {"role": "assistant", "content": "Great! The Colosseum is 1945 years old."},
        {"role": "tool", "content": "Rome has 12 degrees."},
    ]
    results = memory.remember_messages(messages, extract="facts", source_ref="chat")
    kept = [result.memory for result in results]
    assert [(one.source.type, one.actor, one.content, one.source.ref) for one in kept] == [
        ("user_input", "Ana", "I live in Rome.", "chat:extraction:0"),
        ("llm_generated", "assistant", "The Colosseum is 1945 years old.", "chat:extraction:1"),
        ("tool_result", "tool", "Rome has 12 degrees.", "chat:extraction:2"),
    ]
    assert {one.kind for one in kept} == {"semantic"}
    assert kept[0].fact == Fact("Ana", "lives_in", "Rome")
    assert memory.count() == 3


def test_the_user_without_a_name_is_the_one_of_the_view(memory: MemoryManager) -> None:
    (kept, _) = memory.scoped(user="ana").remember_messages("I live in Rome", extract="facts")[0]
    assert kept.fact == Fact("ana", "lives_in", "Rome")


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_a_machine_is_no_subject(memory: MemoryManager, role: str) -> None:
    (kept, _) = memory.remember_messages({"role": role, "content": "I live in Rome"}, extract="facts")[0]
    assert kept.fact is None


def test_without_a_user_in_the_scope_the_user_is_the_subject_and_changes_close_what_they_replace() -> None:
    with MemoryManager(":memory:") as memory:
        for number, text in enumerate(["I live in Rome.", "I moved to Bergen.", "ok", "We moved to Essen last month."]):
            memory.remember_messages([{"role": "user", "content": text}], session=f"{number}")
            memory.flush()
        closed = [known.content for known in memory.iter_memories(status="superseded")]
        assert sorted(closed) == ["I live in Rome.", "I moved to Bergen."]
        (known,) = [each for each in memory.iter_memories() if each.kind == "semantic"]
        assert known.fact == Fact("user", "lives_in", "Essen")
        assert memory.synthesize("Where do I live?").synthesis["answer"] == "Essen"


def test_an_extractor_is_shown_each_turn_and_what_was_said_before() -> None:
    shown: list[tuple[str, str, str]] = []

    class Noting:
        def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
            shown.extend((turn.role, turn.content, context) for turn in turns)
            return []

    with MemoryManager(":memory:", embedder=None, extractor=Noting()) as memory:
        assert memory.remember_messages(CHAT[:2], extract="facts") == []
    assert shown == [
        ("user", "I moved to Tbilisi", ""),
        ("assistant", "The bread there is wonderful", "user: I moved to Tbilisi\n"),
    ]


def test_auto_keeps_the_turns(memory: MemoryManager) -> None:
    assert stored_turns(memory, CHAT[0], extract="auto") == stored_turns(memory, CHAT[0], extract="turns")
