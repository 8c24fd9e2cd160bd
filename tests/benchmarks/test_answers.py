"""Answers made without a model are compared with those that people gave."""

from __future__ import annotations

import json

import pytest

from benchmarks.answers import evaluate
from benchmarks.datasets import load
from benchmarks.metrics import contained, token_f1
from tests.benchmarks.conversations import lines, locomo, longmemeval


@pytest.fixture
def chats(tmp_path):
    record = locomo()
    asked = [
        {"question": "What is Ana's greyhound called?", "category": 4, "evidence": ["D1:1"], "answer": "Pixel"},
        {"question": "Where did Bo's cello teacher move to?", "category": 1, "evidence": ["D2:1"], "answer": "Lisbon"},
        {"question": "When did Ana adopt a greyhound?", "category": 2, "evidence": ["D1:1"], "answer": "May"}
        | {"corrected_answer": "The week before 8 May 2023"},
        {"question": "What did Ana say of volcanoes?", "category": 5, "evidence": ["D2:2"], "answer": None},
    ]
    path = tmp_path / "chats.jsonl"
    path.write_text(lines(record | {"qa": asked}))
    return path


def test_answers_are_rated_beside_the_best_memory(chats):
    found = evaluate(chats, embedder=None)
    assert list(found.systems) == ["engrain", "top sentence", "top memory"]
    assert {name: cell.questions for name, cell in found.systems["engrain"].items()} == {
        "overall": 3,
        "multi-hop": 1,
        "single-hop": 1,
        "temporal": 1,
    }
    assert found.systems["engrain"]["overall"].metrics["f1"] == (1.0, 1.0, 1.0)
    assert found.systems["engrain"]["overall"].metrics["evidence_quoted"][0] == 1.0
    assert 0 < found.systems["top memory"]["overall"].metrics["f1"][0] < 0.5
    assert (found.answerable, found.unanswerable) == (3, 1)
    assert found.abstained["answerable"] == 0


def test_it_reports_abstentions(tmp_path):
    path = tmp_path / "haystacks.jsonl"
    odd = longmemeval("q2_abs", question="Which opera does the parrot sing?", answer="You never said.")
    path.write_text(lines(longmemeval(answer="Pixel"), odd))
    found = evaluate(path, embedder=None)
    assert found.abstained == {"answerable": 0.0, "unanswerable": 1.0}
    assert "Abstained: 0.0% of the answerable, 100.0% of the unanswerable" in found.table()
    assert found.curve[0] == (0.0, 0.5, 1.0, 0.0)


def test_figures_are_plain_json_and_a_table(chats):
    found = evaluate(chats, embedder=None, limit=2)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["systems"]["engrain"]["overall"]["questions"] == 2
    assert "top sentence" in found.table()
    with pytest.raises(ValueError, match="limit"):
        evaluate(chats, embedder=None, limit=0)


def test_expected_answers_are_read_with_their_corrections(chats):
    (conversation,) = load(chats)
    assert [question.answer for question in conversation.questions] == [
        "Pixel",
        "Lisbon",
        "The week before 8 May 2023",
        "",
    ]


def test_answers_are_compared_by_their_words():
    assert token_f1("The Lisbon.", "lisbon") == 1.0
    assert token_f1("in Lisbon, Portugal", "Lisbon") == pytest.approx(0.5)
    assert token_f1("Rome", "Lisbon") == token_f1("", "Lisbon") == 0.0
    assert token_f1("the", "") == 1.0


def test_the_share_of_an_answer_in_a_text():
    assert contained("two cats", "She has two dogs") == 0.5
    assert contained("", "She has two dogs") == 0.0
