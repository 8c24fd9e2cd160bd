"""Times of statements: what they tell, and whether two of them can both be meant."""

from __future__ import annotations

import pytest

from engrain.language.comparison import differ, moment

TOLD = {
    "June 3": {"month": 6, "day": 3},
    "the 3rd of May": {"month": 5, "day": 3},
    "3 May 2025": {"month": 5, "day": 3, "year": "2025"},
    "May": {"month": 5},
    "Tuesday at 10": {"weekday": 1, "clock": (10, 0, None)},
    "Monday morning": {"weekday": 0, "part of day": "morning"},
    "Friday 6 June": {"weekday": 4, "day": 6, "month": 6},
    "5pm": {"clock": (17, 0, "pm")},
    "12am": {"clock": (0, 0, "am")},
    "noon": {"clock": (12, 0, "pm")},
    "2025-06-03": {"date": "2025-06-03"},
}


@pytest.mark.parametrize("text", TOLD)
def test_a_time_shows_its_parts(text: str) -> None:
    assert moment(text.split()) == TOLD[text]


@pytest.mark.parametrize(
    "text",
    ["", "10", "may", "march", "Mar", "Jan", "morning", "2025", "Tuesday 10", "June in Rome", "June July", "at 10"],
)
def test_an_invalid_time_or_several_times_show_none(text: str) -> None:
    assert moment(text.split()) is None


def test_a_bare_number_after_at_is_a_clock_time() -> None:
    assert moment(["10"], at=True) == {"clock": (10, 0, None)}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("June 3", "5 June", True),
        ("June 3", "3 June", False),
        ("June 3", "June", False),
        ("June 3", "Tuesday", False),
        ("Tuesday at 10", "Wednesday", True),
        ("Tuesday at 10", "Tuesday at 11", True),
        ("Monday at 3", "Monday at 15:00", False),
        ("3am", "3pm", True),
        ("noon", "12:00", False),
        ("3 May 2025", "3 May 2026", True),
    ],
)
def test_two_times_differ_when_they_cannot_denote_the_same(one: str, other: str, apart: bool) -> None:
    first, second = moment(one.split()), moment(other.split())
    assert first is not None
    assert second is not None
    assert differ(first, second) is differ(second, first) is apart
