"""`eval` measures a file of conversations with marked evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TURNS = ["The boat is blue", "Plums cost two euros a kilo", "The market is on Friday", "It rained all night"]
CONVERSATION = {
    "sample_id": "harbour",
    "speaker_a": "Ana",
    "speaker_b": "Ben",
    "sessions": [
        {
            "session_id": "session_1",
            "date_time": "1:56 pm on 8 May, 2023",
            "turns": [
                {"dia_id": f"D1:{number}", "speaker": "Ana" if number % 2 else "Ben", "text": text}
                for number, text in enumerate(TURNS, start=1)
            ],
        }
    ],
    "qa": [
        {"question": "What colour is the boat?", "answer": "blue", "category": 4, "evidence": ["D1:1"]},
        {"question": "When is the market?", "answer": "Friday", "category": 2, "evidence": ["D1:3"]},
    ],
}


@pytest.fixture
def conversations(tmp_path: Path) -> Path:
    path = tmp_path / "conversations.jsonl"
    path.write_text(json.dumps(CONVERSATION) + "\n", encoding="utf-8")
    return path


def test_a_document_for_programs(run: Run, conversations: Path) -> None:
    found = run("eval", conversations, "--embedder", "none", "--json").document
    assert (found["conversations"], found["memories"], found["answerable"]) == (1, 4, 2)
    assert found["systems"]["engrain"]["overall"]["metrics"]["recall@5"][0] == 1.0


def test_a_table_for_people(run: Run, conversations: Path) -> None:
    ran = run("eval", conversations, "--embedder", "none", "--limit", 1)
    assert (ran.code, ran.err) == (0, "")
    assert "engrain" in ran.out
    assert "bm25" in ran.out


def test_the_measuring_leaves_the_store_alone(run: Run, conversations: Path, store: Path) -> None:
    run("eval", conversations, "--embedder", "none")
    assert not store.exists()


def test_a_file_without_questions_is_an_error(run: Run, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("dear reader", encoding="utf-8")
    ran = run("eval", letter)
    assert (ran.code, ran.out) == (1, "")
    assert "letter.txt" in ran.err


def test_writes_are_measured_without_a_file(run: Run, store: Path) -> None:
    found = run("eval", "--writes", "--size", 40, "--embedder", "none", "--json").document
    assert (found["sound"], found["size"], found["file"]) == (True, 40, None)
    assert not store.exists()


def test_writes_are_measured_on_the_turns_of_a_file(run: Run, conversations: Path) -> None:
    ran = run("eval", "--writes", conversations, "--size", 40, "--embedder", "none")
    assert (ran.code, ran.err) == (0, "")
    assert "turns of conversations" in ran.out
    assert "Every bar is met" in ran.out


def test_options_of_the_one_measuring_are_refused_by_the_other(run: Run, conversations: Path) -> None:
    for wrong in (("eval",), ("eval", "--writes", "-k", 30), ("eval", conversations, "--size", 40)):
        ran = run(*wrong)
        assert (ran.code, ran.out) == (2, "")
        assert "--writes" in ran.err


def test_what_summaries_keep(run: Run, conversations: Path) -> None:
    assert "verbatim tail" in run("eval", conversations, "--windows").out
    found = run("eval", conversations, "--windows", "--seed", 3, "--json").document
    assert (found["seed"], found["rows"][0]["answers"]) == (3, 2)


def test_summaries_have_no_embedder(run: Run, conversations: Path) -> None:
    ran = run("eval", conversations, "--windows", "--embedder", "none")
    assert ran.code != 0
    assert "--windows takes a FILE" in ran.err


def test_answers_without_a_model(run: Run, conversations: Path) -> None:
    assert "top sentence" in run("eval", conversations, "--answers", "--embedder", "none").out
    found = run("eval", conversations, "--answers", "--embedder", "none", "--limit", 1, "--json").document
    assert (found["conversations"], found["answerable"]) == (1, 1)


def test_answers_are_of_a_file(run: Run, conversations: Path) -> None:
    for wrong in (("eval", "--answers"), ("eval", conversations, "--answers", "-k", 30)):
        ran = run(*wrong)
        assert (ran.code, ran.out) == (2, "")
        assert "--answers takes a FILE" in ran.err
