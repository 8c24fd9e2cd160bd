"""Conversations on the command line: nothing of what a program needs is left out, and mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_messages_for_an_api_come_with_what_it_takes_beside_them(run: Run) -> None:
    run("chat-log", "append", "system", "Be kind.", "--session", "s")
    run("chat-log", "append", "user", "I keep bees.", "--session", "s")
    found = run("chat-log", "assemble", "bees", "--session", "s", "--format", "anthropic", "--json").document
    assert found["system"] == "Be kind."
    assert [message["role"] for message in found["assembled"]] == ["user"]
    assert run("chat-log", "assemble", "bees", "--session", "s", "--format", "anthropic").document == found


@pytest.mark.parametrize("line", ['{"rule": "user"}', "5", "null", '{"content": "who says so?"}'])
def test_a_line_of_a_file_that_is_no_message_is_named_and_nothing_is_appended(
    run: Run, tmp_path: Path, line: str
) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(f'{{"role": "user", "content": "I keep bees."}}\n{line}\n', encoding="utf-8")
    ran = run("chat-log", "append", "--file", file, "--session", "s")
    assert ran.code != 0
    assert "chat.jsonl, line 2" in ran.err
    assert run("chat-log", "history", "--session", "s", "--json").document["messages"] == []


@pytest.mark.parametrize("more", [["assistant"], ["user", "Hello"], ["--actor", "Bo"], ["--metadata", '{"x": 1}']])
def test_a_file_of_messages_takes_nothing_that_is_of_one_message(run: Run, tmp_path: Path, more: list[str]) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text('{"role": "user", "content": "Hello"}')
    ran = run("chat-log", "append", *more, "--file", file, "--session", "s")
    assert (ran.code, "and not both" in ran.err) == (2, True)
    assert run("chat-log", "history", "--session", "s", "--json").document["messages"] == []


def test_metadata_is_kept_with_a_message(run: Run) -> None:
    given = ("--metadata", '{"tool_call_id": "call_1"}')
    turn = run("chat-log", "append", "tool", "12 degrees", "--session", "s", *given, "--json").document
    assert turn["metadata"] == {"tool_call_id": "call_1"}


def test_metadata_does_not_override_an_argument(run: Run) -> None:
    ran = run("chat-log", "append", "user", "hello", "--session", "s", "--metadata", '{"session": "t"}')
    assert ran.code != 0
    assert "metadata cannot hold session" in ran.err
