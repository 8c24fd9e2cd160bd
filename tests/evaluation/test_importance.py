"""How well importance tells what is asked for later."""

from __future__ import annotations

import pytest

from engrain.evaluation.importance import ALL, STORED, WORDS, Rated, told


def rated(*rows: tuple[float, bool, str]) -> Rated:
    """Return ratings of turns of two words each."""
    found = Rated()
    for importance, evidence, source in rows:
        found.add("two words", importance, evidence=evidence, source=source)
    return found


def test_it_is_the_share_of_pairs_in_the_right_order() -> None:
    found = rated((0.9, True, "u"), (0.4, True, "u"), (0.4, False, "u"), (0.1, False, "u")).measured()
    assert found[ALL][STORED][0] == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert found[ALL][WORDS][0] == 0.5  # every text is as long as every other
    assert list(found) == [ALL]


def test_classes_of_speakers_stand_apart() -> None:
    found = rated((0.9, True, "user"), (0.1, False, "user"), (0.5, False, "assistant")).measured()
    assert list(found) == [ALL, "user"]  # an assistant that nobody asked about shows nothing by itself
    assert told(found)[0].startswith("Evidence is rated above other turns, all turns: AUC 1.000 (1.000 to 1.000)")


def test_without_evidence_there_is_nothing_to_say() -> None:
    assert rated((0.5, False, "user")).measured() == {}
    assert told({}) == []
