"""Conversations are loaded with their questions, and evidence in any of its spellings names turns that exist."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest

from benchmarks.datasets import count_questions, load
from tests.benchmarks.conversations import lines, locomo, longmemeval


def write(folder, text, name="set.jsonl"):
    path = folder / name
    path.write_text(text)
    return path


def test_locomo_gives_turns_and_questions(tmp_path):
    (conversation,) = load(write(tmp_path, lines(locomo())))
    assert conversation.id == "conv-1"
    assert [item["metadata"]["turn"] for item in conversation.items] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2", "D2:3"]
    found = [(asked.id, asked.category, asked.evidence, asked.answerable) for asked in conversation.questions]
    assert found == [
        ("conv-1/1", "single-hop", ("D1:1",), True),
        ("conv-1/2", "temporal", ("D2:1",), True),
        ("conv-1/3", "multi-hop", ("D1:2", "D2:1"), True),
        ("conv-1/4", "adversarial", ("D2:2",), False),
    ]


def test_locomo_is_asked_when_all_has_been_said(tmp_path):
    (conversation,) = load(write(tmp_path, lines(locomo())))
    assert {asked.now for asked in conversation.questions} == {datetime(2023, 6, 2, 10, 0, 2, tzinfo=UTC)}


def test_longmemeval_gives_one_question_for_each_haystack(tmp_path):
    (conversation,) = load(write(tmp_path, json.dumps([longmemeval()]), "upstream.json"))
    (asked,) = conversation.questions
    assert (asked.id, asked.category, asked.evidence, asked.answerable) == (
        "q1",
        "single-session-user",
        ("s1:0",),
        True,
    )
    assert [item["session"] for item in conversation.items] == ["q1/s1", "q1/s1", "q1/s2", "q1/s2"]


def test_longmemeval_is_asked_at_its_date_or_when_all_has_been_said(tmp_path):
    records = lines(longmemeval(), longmemeval("late", question_date="2023/07/01 (Sat) 09:00"))
    assert [conversation.questions[0].now for conversation in load(write(tmp_path, records))] == [
        datetime(2023, 6, 2, 10, 0, 2, tzinfo=UTC),
        datetime(2023, 7, 1, 9, 0, tzinfo=UTC),
    ]


def test_abstentions_are_a_category_of_their_own(tmp_path):
    rows = [longmemeval("q1_abs"), longmemeval("q2", is_abstention=True), longmemeval("q3_abs", is_abstention=False)]
    found = [conversation.questions[0] for conversation in load(write(tmp_path, lines(*rows)))]
    assert [(asked.category, asked.answerable) for asked in found] == [
        ("abstention", False),
        ("abstention", False),
        ("single-session-user", True),
    ]


def test_packed_files_load_and_questions_are_counted(tmp_path):
    path = tmp_path / "set.jsonl.gz"
    path.write_bytes(gzip.compress(lines(locomo(), locomo("conv-2")).encode()))
    assert [conversation.id for conversation in load(path)] == ["conv-1", "conv-2"]
    assert count_questions(path) == 8
    assert count_questions(path, 9) == 8
    assert count_questions(path, 5) == 5
    assert count_questions(write(tmp_path, lines(longmemeval(), longmemeval("q2")))) == 2


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [{"role": "user", "content": "no questions"}]},
        {"question": "no conversation"},
        {**locomo(), "qa": [{"question": "no category"}]},
        {**locomo(), "qa": [{"question": "x", "category": "five"}]},
        {**locomo(), "qa": [3]},
        [1, 2],
    ],
)
def test_what_holds_no_conversation_with_questions_names_the_line(tmp_path, record):
    path = write(tmp_path, lines(locomo(), record))
    with pytest.raises(ValueError, match=r"set.jsonl, line 2: "):
        list(load(path))
