"""Which windows of time a question names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.times import Window, windows

NOW = datetime(2023, 5, 24, 15, 30, tzinfo=UTC)  # a Wednesday
UNITS = {"day", "week", "month", "season", "year", "range"}
OPEN = {1: "", 9999: ""}  # an open end, by its year


def window_texts(question: str, now: datetime = NOW) -> list[str]:
    """Windows as one reads them: "unit first..after", an open end left out."""

    def day(moment: datetime) -> str:
        assert moment.tzinfo is UTC
        return OPEN.get(moment.year, f"{moment:%Y-%m-%d}")

    return [f"{window.unit} {day(window.start)}..{day(window.end)}" for window in windows(question, now)]


@pytest.mark.parametrize(
    "question",
    [
        "8 May 2023",
        "What happened on the 8th of May, 2023?",
        "on May 8, 2023",
        "MAY 8TH 2023",
        "on 2023-05-08",
        "2023/05/08",
        "08.05.2023",
        "on May 8th",
        "on 8 may",
        "at 10:30 on May 8",
        "on the 8th?",
    ],
)
def test_a_day(question: str) -> None:
    assert window_texts(question) == ["day 2023-05-08..2023-05-09"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("25/12/2022", ["day 2022-12-25..2022-12-26"]),
        ("12/25/2022", ["day 2022-12-25..2022-12-26"]),
        ("5/8/2022", ["day 2022-05-08..2022-05-09", "day 2022-08-05..2022-08-06"]),  # either order
        ("December 1,2022", ["day 2022-12-01..2022-12-02"]),
        ("met on Aug 15th", ["day 2022-08-15..2022-08-16"]),
        ("on 29 February", ["day 2020-02-29..2020-03-01"]),
        ("on 31 February 2023", ["month 2023-02-01..2023-03-01"]),
        ("between August 11 and August 15 2022", ["range 2022-08-11..2022-08-16"]),
        ("between 11 and 15 August 2022", ["range 2022-08-11..2022-08-16"]),
        ("August 11-15, 2022", ["range 2022-08-11..2022-08-16"]),
        ("on 5 May and on 7 July 2022", ["day 2023-05-05..2023-05-06", "day 2022-07-07..2022-07-08"]),
    ],
)
def test_days(question: str, expected: list[str]) -> None:
    assert window_texts(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("in May 2022", ["month 2022-05-01..2022-06-01"]),
        ("in 2022-05", ["month 2022-05-01..2022-06-01"]),
        ("in May", ["month 2023-05-01..2023-06-01"]),
        ("in march?", ["month 2023-03-01..2023-04-01"]),
        ("in June", ["month 2022-06-01..2022-07-01"]),  # not in the future
        ("in early Sept.", ["month 2022-09-01..2022-10-01"]),
        ("the beginning of November 2022", ["month 2022-11-01..2022-12-01"]),
        ("the last week of May", ["month 2023-05-01..2023-06-01"]),
        ("last March", ["month 2023-03-01..2023-04-01"]),
        ("last May", ["month 2022-05-01..2022-06-01"]),
        ("this March", ["month 2023-03-01..2023-04-01"]),
        ("next March", ["month 2024-03-01..2024-04-01"]),
        ("in May and July 2022", ["month 2022-05-01..2022-06-01", "month 2022-07-01..2022-08-01"]),
        ("between May and July 2022", ["range 2022-05-01..2022-08-01"]),
        ("between march and may", ["range 2023-03-01..2023-06-01"]),
        ("between November and February", ["range 2022-11-01..2023-03-01"]),
        ("in Q3 2022", ["range 2022-07-01..2022-10-01"]),
        ("in the summer of 2022", ["season 2022-06-01..2022-09-01"]),
        ("winter 2021", ["season 2021-12-01..2022-03-01"]),
        ("fall of 2022", ["season 2022-09-01..2022-12-01"]),
        ("plans for the summer", ["season 2022-06-01..2022-09-01"]),
        ("last summer", ["season 2022-06-01..2022-09-01"]),
        ("last winter", ["season 2022-12-01..2023-03-01"]),
        ("this spring", ["season 2023-03-01..2023-06-01"]),
        ("next summer", ["season 2023-06-01..2023-09-01"]),
        ("2022", ["year 2022-01-01..2023-01-01"]),
        ("Where was I in 2000?", ["year 2000-01-01..2001-01-01"]),
        ("my 2022 resolutions", ["year 2022-01-01..2023-01-01"]),
        ("Olympics 2021?", ["year 2021-01-01..2022-01-01"]),
        ("from 2019 to 2021", ["range 2019-01-01..2022-01-01"]),
        ("2019-2021", ["range 2019-01-01..2022-01-01"]),
        ("in the 1990s", ["range 1990-01-01..2000-01-01"]),
        ("in the '90s", ["range 1990-01-01..2000-01-01"]),
    ],
)
def test_months_seasons_and_years(question: str, expected: list[str]) -> None:
    assert window_texts(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("today", ["day 2023-05-24..2023-05-25"]),
        ("this morning", ["day 2023-05-24..2023-05-25"]),
        ("Yesterday, what did I eat?", ["day 2023-05-23..2023-05-24"]),
        ("last night", ["day 2023-05-23..2023-05-24"]),
        ("the day before yesterday", ["day 2023-05-22..2023-05-23"]),
        ("tomorrow", ["day 2023-05-25..2023-05-26"]),
        ("last Friday", ["day 2023-05-19..2023-05-20"]),
        ("last Wednesday", ["day 2023-05-17..2023-05-18"]),
        ("on Wed", ["day 2023-05-24..2023-05-25"]),
        ("this Friday", ["day 2023-05-26..2023-05-27"]),
        ("next Wednesday", ["day 2023-05-31..2023-06-01"]),
        ("last week", ["week 2023-05-15..2023-05-22"]),
        ("this week", ["week 2023-05-22..2023-05-29"]),
        ("the week before last", ["week 2023-05-08..2023-05-15"]),
        ("last weekend", ["range 2023-05-20..2023-05-22"]),
        ("this month", ["month 2023-05-01..2023-06-01"]),
        ("next month", ["month 2023-06-01..2023-07-01"]),
        ("last year's trip", ["year 2022-01-01..2023-01-01"]),
        ("last quarter", ["range 2023-01-01..2023-04-01"]),
        ("3 days ago", ["day 2023-05-21..2023-05-22"]),
        ("a week ago", ["week 2023-05-15..2023-05-22"]),
        ("a fortnight ago", ["week 2023-05-08..2023-05-15"]),
        ("two months ago", ["month 2023-03-01..2023-04-01"]),
        ("4 years ago", ["year 2019-01-01..2020-01-01"]),
        ("a couple of weeks ago", ["range 2023-05-01..2023-05-15"]),
        ("an hour ago", ["day 2023-05-24..2023-05-25"]),
        ("the past two weeks", ["range 2023-05-10..2023-05-25"]),
        ("in the last three months", ["range 2023-02-24..2023-05-25"]),
        ("over the last year", ["range 2022-05-24..2023-05-25"]),
        ("this past week", ["range 2023-05-17..2023-05-25"]),
        ("in recent weeks", ["range 2023-04-19..2023-05-25"]),
        ("the next ten days", ["range 2023-05-24..2023-06-04"]),
    ],
)
def test_relative_to_now(question: str, expected: list[str]) -> None:
    assert window_texts(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("before 2020", ["range ..2020-01-01"]),
        ("until 2020", ["range ..2021-01-01"]),
        ("by July 10, 2022", ["range ..2022-07-11"]),
        ("since June 2022", ["range 2022-06-01.."]),
        ("after June 2022", ["range 2022-07-01.."]),
        ("from June 2022 onwards", ["range 2022-06-01.."]),
        ("since last week", ["range 2023-05-15.."]),
        ("before the summer of 2022", ["range ..2022-06-01"]),
        ("the week of 5 June 2022", ["week 2022-05-30..2022-06-06"]),
        ("the weekend of May 6, 2022", ["range 2022-05-07..2022-05-09"]),
        ("the week before 16 November 2022", ["week 2022-11-09..2022-11-16"]),
        ("the day after 8 May 2023", ["day 2023-05-09..2023-05-10"]),
        ("the night before 5 May 2022", ["day 2022-05-04..2022-05-05"]),
        ("the Sunday before October 25, 2022", ["day 2022-10-23..2022-10-24"]),
        ("the Friday after 8 May 2023", ["day 2023-05-12..2023-05-13"]),
        ("last weekend before April 10, 2023", ["range 2023-04-08..2023-04-10"]),
        ("two weeks before August 11, 2022", ["week 2022-07-25..2022-08-01"]),
        ("three days after last Friday", ["day 2023-05-22..2023-05-23"]),
    ],
)
def test_before_after_and_beside(question: str, expected: list[str]) -> None:
    assert window_texts(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is the name of the playlist I created on Spotify?",
        "May I ask something?",
        "it may be raining, this may be true",
        "march to the store and march 20 miles",
        "Who is April?",
        "I saw a second bird; it took a second.",
        "sat down in the sun with mon ami",
        "the fall of the wall, spring rolls",
        "100 dollars",
        "top 2000 songs",
        "I spent 2000 dollars and $2019",
        "in 2000 steps",
        "may 8 people come?",
        "room 2019",
        "on the 5th floor",
        "on Mondays",
        "How many months ago did I book it?",
        "How long does it last?",
        "the last day of the trip",
        "version 2.2022.1",
        "5000 years ago",
    ],
)
def test_other_words_name_no_time(question: str) -> None:
    assert window_texts(question) == []


def test_days_are_those_of_the_asking_clock_kept_as_utc_dates() -> None:
    late = datetime(2023, 5, 8, 23, 0, tzinfo=timezone(timedelta(hours=-5)))  # already 9 May in UTC
    assert window_texts("yesterday", late) == ["day 2023-05-07..2023-05-08"]


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
@pytest.mark.parametrize(
    "question", ["between 31 May and 1 January", "last year or next year", "tomorrow", "since May"]
)
def test_the_ends_of_the_calendar_are_no_error(question: str, now: datetime) -> None:
    assert all(window.start < window.end for window in windows(question, now))


def test_a_naive_clock_is_refused() -> None:
    with pytest.raises(ValueError, match="offset"):
        windows("yesterday", datetime(2023, 5, 24))


def test_a_window_named_twice_is_one() -> None:
    assert window_texts("in 2022 or in 2022") == ["year 2022-01-01..2023-01-01"]


WORDS = (
    "May may March 2022 2000 8 31st the of on in last next this two few a week day month year ago before after since"
    " until between and to - , summer fall winter Friday weekend yesterday past from onwards 5/8/2023 0 99 1990s Q4"
    " by 29 February"
).split()


@given(st.text(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), st.datetimes())
def test_any_words_give_ordered_half_open_windows(question: str, now: datetime) -> None:
    for window in windows(question, now.replace(tzinfo=UTC)):
        assert isinstance(window, Window)
        assert window.start < window.end
        assert window.unit in UNITS


@pytest.mark.parametrize(
    "text", ["from may to may ", "8 may and ", "in 2019 ", "1/2/2022 ", "week before ", " ", "a few "]
)
def test_a_very_long_question_is_read_in_part(text: str) -> None:
    assert len(windows(text * 100_000, NOW)) < 10
