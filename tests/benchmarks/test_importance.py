"""How well importance predicts which memories are queried later."""

from __future__ import annotations

import pytest

from benchmarks.retrieval import ALL_TURNS, IMPORTANCE, WORD_COUNT, Ratings, importance_lines


def rated(*rows: tuple[float, bool, str]) -> Ratings:
    """Return ratings of turns of two words each."""
    found = Ratings()
    for importance, evidence, source in rows:
        found.add("two words", importance, evidence=evidence, source=source)
    return found


def test_it_is_the_share_of_pairs_in_the_right_order() -> None:
    found = rated((0.9, True, "u"), (0.4, True, "u"), (0.4, False, "u"), (0.1, False, "u")).measure()
    assert found[ALL_TURNS][IMPORTANCE][0] == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert found[ALL_TURNS][WORD_COUNT][0] == 0.5  # every text is as long as every other
    assert list(found) == [ALL_TURNS]


def test_classes_of_speakers_are_separate() -> None:
    found = rated((0.9, True, "user"), (0.1, False, "user"), (0.5, False, "assistant")).measure()
    assert list(found) == [ALL_TURNS, "user"]  # an assistant that nobody asked about shows nothing by itself
    assert importance_lines(found)[0].startswith(
        "Evidence is rated above other turns, all turns: AUC 1.000 (1.000 to 1.000)"
    )


def test_without_evidence_there_are_no_figures() -> None:
    assert rated((0.5, False, "user")).measure() == {}
    assert importance_lines({}) == []
