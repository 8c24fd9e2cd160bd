"""Messages of the common chat APIs as turns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from engrain.chat.formats import turns_of
from engrain.model.memory import Turn

ASKED = {"id": "c1", "type": "function", "function": {"name": "trains", "arguments": '{"to": "Leeds"}'}}
BY_FORMAT: dict[str, list[Any]] = {
    "openai": [
        {"role": "user", "content": "When does the train leave?"},
        {"role": "assistant", "content": None, "tool_calls": [ASKED]},
        {"role": "tool", "tool_call_id": "c1", "content": "7:30"},
        {"role": "assistant", "content": [{"type": "text", "text": "At 7:30."}]},
    ],
    "openai responses": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "When does the train leave?"}]},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "id": "fc_9", "call_id": "c1", "name": "trains", "arguments": '{"to": "Leeds"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "7:30"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "At 7:30."}]},
    ],
    "openai, older": [
        {"role": "user", "content": "When does the train leave?"},
        {"role": "assistant", "content": None, "function_call": {"name": "trains", "arguments": '{"to": "Leeds"}'}},
        {"role": "function", "name": "trains", "content": "7:30"},
        {"role": "assistant", "content": "At 7:30."},
    ],
    "anthropic": [
        {"role": "user", "content": "When does the train leave?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I must look.", "signature": "s"},
                {"type": "tool_use", "id": "c1", "name": "trains", "input": {"to": "Leeds"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "7:30"}]}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "At 7:30."}]},
    ],
    "google": [
        {"role": "user", "parts": [{"text": "When does the train leave?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "I must look.", "thought": True},
                {"functionCall": {"id": "c1", "name": "trains", "args": {"to": "Leeds"}}},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "trains", "response": {"result": "7:30"}}}]},
        {"role": "model", "parts": [{"text": "At 7:30."}]},
    ],
    "langchain": [
        {"type": "human", "content": "When does the train leave?"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "trains", "args": {"to": "Leeds"}, "id": "c1"}]},
        {"type": "tool", "content": "7:30", "tool_call_id": "c1", "name": "trains", "status": "success"},
        {"type": "ai", "content": "At 7:30."},
    ],
    "langchain, stored": [
        {"type": "human", "data": {"content": "When does the train leave?", "type": "human"}},
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": {
                "content": [{"type": "tool_use", "id": "c1", "name": "trains", "input": {"to": "Leeds"}}],
                "tool_calls": [{"name": "trains", "args": {"to": "Leeds"}, "id": "c1", "type": "tool_call"}],
            },
        },
        {"type": "tool", "data": {"content": "7:30", "type": "tool", "tool_call_id": "c1"}},
        {"type": "ai", "data": {"content": "At 7:30.", "type": "ai"}},
    ],
}


@dataclass
class Thing:
    """An object of an SDK: attributes, some of them unset, and methods."""

    values: Mapping[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.values:
            raise AttributeError(name)
        return self.values[name]

    def model_dump(self) -> None:
        raise AssertionError("it is read, not asked")


def as_objects(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Thing({name: as_objects(each) for name, each in value.items()})
    return [as_objects(each) for each in value] if isinstance(value, list) else value


def as_arguments(value: Any) -> Any:
    """Return an object whose arguments are mappings, as they are in every SDK."""
    if isinstance(value, Mapping):
        kept = ("input", "args", "response")
        return Thing({name: each if name in kept else as_arguments(each) for name, each in value.items()})
    return [as_arguments(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("objects", [False, True], ids=["mappings", "objects"])
@pytest.mark.parametrize("name", BY_FORMAT)
def test_a_conversation_with_a_tool_is_the_same_in_every_format(name: str, *, objects: bool) -> None:
    if objects and ("older" in name or "google" in name):
        pytest.skip("no SDK has objects with these names")
    asked, called, stored, answered = turns_of(as_arguments(BY_FORMAT[name]) if objects else BY_FORMAT[name])
    assert (asked.role, asked.content) == ("user", "When does the train leave?")
    assert (called.role, called.content) == ("assistant", "")
    (call,) = called.metadata["tool_calls"]
    assert call["type"] == "function"
    assert call["function"]["name"] == "trains"
    assert json.loads(call["function"]["arguments"]) == {"to": "Leeds"}
    assert (stored.role, stored.content, stored.actor) == ("tool", "7:30", "trains")
    assert stored.metadata["tool_call_id"] == call["id"] == ("call_0" if "older" in name else "c1")
    assert stored.metadata["name"] == "trains"
    assert "success" not in stored.metadata
    assert (answered.role, answered.content) == ("assistant", "At 7:30.")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": True}]},
        {"type": "tool", "tool_call_id": "c", "content": "no", "status": "error"},
        {"role": "user", "parts": [{"function_response": {"id": "c", "name": "f", "response": {"error": "no"}}}]},
    ],
)
def test_a_result_marked_as_an_error_has_no_success(message: dict[str, Any]) -> None:
    (turn,) = turns_of(message)
    assert (turn.role, turn.content, turn.metadata["success"]) == ("tool", "no", False)
    assert turn.metadata["tool_call_id"] == "c"


def test_results_and_words_of_one_message_are_turns_of_their_own() -> None:
    blocks: list[object] = [
        {"type": "text", "text": "Here it is."},
        {"type": "tool_result", "tool_use_id": "a", "content": "one"},
        {"type": "tool_result", "tool_use_id": "b"},
        {"type": "text", "text": "Anything else?"},
    ]
    turns = turns_of([{"role": "user", "content": blocks}])
    assert [(turn.role, turn.content) for turn in turns] == [
        ("tool", "one"),
        ("tool", ""),
        ("user", "Here it is.\nAnything else?"),
    ]


def test_calls_and_results_without_ids_find_each_other() -> None:
    asked: list[Any] = [{"function_call": {"name": name, "args": {}}} for name in ("a", "b", "a")]
    stored = [
        {"function_response": {"name": name, "response": {"n": at}}} for at, name in enumerate(("b", "a", "a", "z"))
    ]
    turns = turns_of([{"role": "model", "parts": asked}, {"role": "function", "parts": stored}])
    ids = [call["id"] for call in turns[0].metadata["tool_calls"]]
    assert len(set(ids)) == 3
    assert [turn.metadata.get("tool_call_id") for turn in turns[1:]] == [ids[1], ids[0], ids[2], None]
    assert [turn.content for turn in turns[1:]] == ['{"n": 0}', '{"n": 1}', '{"n": 2}', '{"n": 3}']


def test_an_id_that_is_given_out_is_no_others() -> None:
    calls = [{"function": {"name": "a", "arguments": "{}"}}, {"id": "call_0", "function": {"name": "b"}}]
    (turn,) = turns_of([{"role": "assistant", "content": None, "tool_calls": calls}])
    assert [call["id"] for call in turn.metadata["tool_calls"]] == ["call_1", "call_0"]


def test_arguments_stay_to_the_letter() -> None:
    calls = [{"id": "1", "function": {"name": "f", "arguments": '{"a" :1'}}]
    (turn,) = turns_of({"role": "assistant", "content": "", "tool_calls": calls})
    assert turn.metadata["tool_calls"][0]["function"]["arguments"] == '{"a" :1'


def test_deep_arguments_are_kept() -> None:
    deep: dict[str, Any] = {"at": "the bottom"}
    for _ in range(20):
        deep = {"in": [deep]}
    (turn,) = turns_of({"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": deep}]})
    assert json.loads(turn.metadata["tool_calls"][0]["function"]["arguments"]) == deep


def test_a_single_object_is_a_conversation_of_one() -> None:
    call = Thing({"type": "function_call", "call_id": "c1", "name": "trains", "arguments": "{}"})
    assert turns_of(call) == turns_of([call])


def test_a_name_is_the_actor_and_a_time_is_kept() -> None:
    at = datetime(2026, 3, 14, 7, 30, tzinfo=UTC)
    (turn,) = turns_of([{"role": "user", "name": "Ana", "content": "Hi", "at": at}])
    assert (turn.role, turn.actor, turn.at, turn.metadata) == ("user", "Ana", at, {})
    (turn,) = turns_of([{"role": "developer", "content": "Be kind.", "created_at": "2026-03-14T07:30:00Z"}])
    assert (turn.role, turn.actor, turn.at) == ("system", None, at)


def test_a_text_is_what_the_user_says_and_a_turn_stays_as_it_is() -> None:
    assert turns_of("Hello") == [Turn(role="user", content="Hello")]
    turn = Turn(role="assistant", content="Hi", metadata={"is_summary": True})
    assert turns_of([turn]) == turns_of(turn) == [turn]
    assert turns_of([]) == []


def test_a_part_without_text_is_named_and_a_refusal_is_text() -> None:
    parts = [{"type": "image_url", "image_url": {"url": "data:"}}, {"type": "refusal", "refusal": "I will not."}]
    (turn,) = turns_of([{"role": "assistant", "content": parts}])
    assert turn.content == "[image]\nI will not."
    (turn,) = turns_of([{"role": "user", "parts": [{"inline_data": {"mime_type": "image/png"}}, {"text": "this"}]}])
    assert turn.content == "[inline_data]\nthis"
    (turn,) = turns_of([{"type": "web_search_call", "id": "ws_1", "status": "completed"}])
    assert (turn.role, turn.content) == ("assistant", "[web_search_call]")


@pytest.mark.parametrize(
    ("messages", "error", "words"),
    [
        (7, TypeError, "messages must be"),
        (b"hi", TypeError, "messages must be"),
        (["hi"], TypeError, "message 0 is a str"),
        ([{"role": "user"}], ValueError, "message 0 is none"),
        ([{"role": "user", "content": "a"}, {"content": "b"}], ValueError, "message 1 says nothing of who speaks"),
        ([{"role": "user", "content": "a\x00"}], ValueError, "NUL"),
        ([{"role": "user", "content": "a", "at": "whenever"}], ValueError, "at of message 0"),
    ],
)
def test_an_invalid_message_is_refused(messages: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        turns_of(messages)
