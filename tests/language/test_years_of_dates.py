"""A date without a year in a statement: what is to come lies ahead, what has been lies behind."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain.language.times import dated

SAID = datetime(2026, 7, 6, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Ben's Brompton is delayed until 20 July", "2026-07-20"),
        ("The appointment with the dentist is on 15 August", "2026-08-15"),
        ("Priya is on holiday from 29 July to 10 August", "2026-07-29"),
        ("The sale starts on 11 July", "2026-07-11"),
        ("The wedding will be in September", "2026-09-01"),
        ("We planned the trip for December 12", "2026-12-12"),
        ("The bike was stolen on 26 June", "2026-06-26"),
        ("Tom bought it in September", "2025-09-01"),
        ("It will open on 3 March 2028", "2028-03-03"),
        ("The order was due on 1 July", "2026-07-01"),
        ("It will rain tomorrow", "2026-07-07"),
    ],
)
def test_the_year_is_the_one_that_the_words_mean(text: str, first: str) -> None:
    (found, *_) = dated(text, SAID)
    assert found.first.isoformat() == first


@pytest.mark.parametrize("text", ["", "nothing of the sort", "until the 99th", "x" * 10_000])
def test_a_text_without_a_date_names_none(text: str) -> None:
    assert dated(text, SAID) == []


def test_dates_at_the_end_of_the_calendar_are_read() -> None:
    assert dated("It will be on 3 March", datetime(9999, 12, 1, tzinfo=UTC)) != []
