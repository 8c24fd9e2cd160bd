"""Statements and questions about them in four languages: each language is asked of another and of itself."""

from __future__ import annotations

import pytest

from benchmarks.cross_language import PHRASES, evaluate, pairs


def test_each_statement_has_its_words_in_every_language() -> None:
    for name in ("owners", "things", "places"):
        assert len({len(each[name].split("|")) for each in PHRASES.values()}) == 1
    made = pairs(30, 1)
    assert len({each["en"][1] for each in made}) == 30
    assert all(set(each) == set(PHRASES) for each in made)
    assert made == pairs(30, 1) != pairs(30, 2)


def test_a_language_finds_what_was_said_in_it() -> None:
    found = evaluate(embedder=None, size=12)
    cells = found.directions["engrain"]
    assert {name: cell.questions for name, cell in cells.items() if name == "overall"} == {"overall": 72}
    assert all(cells[f"same language: {each}"].metrics["recall@10"][0] == 1.0 for each in PHRASES)
    assert "en asks de (12 questions)" in found.lines()


def test_more_statements_than_there_are_is_an_error() -> None:
    with pytest.raises(ValueError, match="from 1 to 225"):
        evaluate(size=226)
