"""An evaluation of summaries reports which answers survive in them, and which in plain cutting."""

from __future__ import annotations

import json

import pytest

from benchmarks.summaries import evaluate

TURNS = [
    ("Ana", "Hey Bo! How are you?"),
    ("Ana", "I adopted a greyhound called Pixel last week."),
    *[("Bo", "That is so nice, it really is!"), ("Ana", "Yes, it was so very nice of you!")] * 12,
    ("Bo", "My cello teacher moved to Lisbon."),
    *[("Ana", "Wow, that is great!"), ("Bo", "Thanks a lot, see you soon!")] * 30,
]
ASKED = [
    {"question": "What is the greyhound called?", "answer": "Pixel", "category": 4, "evidence": ["D1:2"]},
    {"question": "Where did the teacher go?", "answer": "Lisbon", "category": 4, "evidence": ["D1:27"]},
    {"question": "When did Ana adopt it?", "answer": "May 2023", "category": 2, "evidence": ["D1:2"]},
    {"question": "What is Bo's boat called?", "category": 5, "evidence": ["D1:27"], "answer": "Lisbon"},
]


@pytest.fixture
def chats(tmp_path):
    turns = [{"dia_id": f"D1:{n}", "speaker": who, "text": said} for n, (who, said) in enumerate(TURNS, start=1)]
    session = {"session_id": "session_1", "date_time": "1:56 pm on 8 May, 2023", "turns": turns}
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps({"sample_id": "one", "sessions": [session], "qa": ASKED}), encoding="utf-8")
    return path


def methods(found, text):
    return {row.method.strip(): row for row in found.rows if text in row.text}


def test_a_digest_keeps_answers_that_a_cut_loses(chats):
    found = methods(evaluate(chats), "1/8")
    assert (found["digest"].answers, found["digest"].found, found["digest"].whole) == (2, 2, 2)
    assert found["end"].found == 0


def test_answers_that_no_turn_gives_word_for_word_are_not_looked_for(chats):
    assert {row.answers for row in evaluate(chats).rows} == {2}


def test_tiers_keep_what_has_left_the_window(chats):
    found = methods(evaluate(chats, windows=[400]), "400 tokens")
    assert found["verbatim tail"].whole == 0
    assert found["tiers"].whole >= 1
    assert found["key facts"].whole >= 1


def test_a_run_can_be_repeated_and_shown(chats):
    first, second = evaluate(chats, seed=3), evaluate(chats, seed=3)
    assert first.rows == second.rows
    assert json.loads(json.dumps(first.to_dict()))["seed"] == 3
    assert "verbatim tail" in first.table()


def test_a_limit_below_one_is_an_error(chats):
    with pytest.raises(ValueError, match="limit"):
        evaluate(chats, limit=0)
