"""What a time stamp means, and whether words speak of time at all."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.calendar import parse_loose, parse_when
from engrain.language.locales import has
from engrain.language.times import names_time

EAST = timezone(timedelta(hours=5, minutes=30))


# ------------------------------------------------------------------------------------------------------ a caller's time


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        (datetime(2023, 5, 8, 1, 0, 0, 7, tzinfo=EAST), datetime(2023, 5, 7, 19, 30, 0, 7, tzinfo=UTC)),
        (date(2023, 5, 8), datetime(2023, 5, 8, tzinfo=UTC)),
        ("2023-05-08", datetime(2023, 5, 8, tzinfo=UTC)),
        (" 2023-05-08T13:56:00Z ", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2023-05-08t13:56:00.000001z", datetime(2023, 5, 8, 13, 56, 0, 1, tzinfo=UTC)),
        ("2023-05-08 13:56+05:30", datetime(2023, 5, 8, 8, 26, tzinfo=UTC)),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999+00:00", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_a_callers_time_is_returned_in_utc(value: datetime | date | str, expected: datetime) -> None:
    found = parse_when(value, name="since")
    assert found == expected
    assert found.tzinfo is UTC


@pytest.mark.parametrize("value", [datetime(2023, 5, 8), "2023-05-08T13:56:00", "2023-05-08 13:56"])
def test_a_time_without_an_offset_is_refused_with_a_hint(value: datetime | str) -> None:
    with pytest.raises(ValueError, match=r"since has no offset.*add one, such as 2023-05-08T\d\d:\d\d:00\+00:00"):
        parse_when(value, name="since")


@pytest.mark.parametrize(
    "value",
    ["", "yesterday", "8 May 2023", "2023-02-30", "2023-13-01T00:00Z", "0000-01-01", "10000-01-01", "x" * 10_000, "\0"],
)
def test_a_string_that_is_no_time_is_refused_by_name(value: str) -> None:
    with pytest.raises(ValueError, match="valid_from must be an ISO 8601") as caught:
        parse_when(value, name="valid_from")
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "value", ["0001-01-01T00:00+01:00", datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))]
)
def test_a_time_outside_the_calendar_is_refused(value: datetime | str) -> None:
    with pytest.raises(ValueError, match="until is outside the years 1 to 9999"):
        parse_when(value, name="until")


@pytest.mark.parametrize("value", [None, 0, 1683554160.0, True, b"2023-05-08", timedelta(1), ["2023-05-08"]])
def test_another_type_is_a_type_error_by_name(value: object) -> None:
    with pytest.raises(TypeError, match="as_of must be a datetime, a date or an ISO 8601 string, not"):
        parse_when(value, name="as_of")  # type: ignore[arg-type]


@given(st.datetimes(timezones=st.timezones() | st.just(UTC)))
def test_every_aware_time_keeps_its_moment(moment: datetime) -> None:
    try:
        expected = moment.astimezone(UTC)
    except OverflowError:
        return
    assert parse_when(moment, name="t") == parse_when(moment.astimezone(UTC).isoformat(), name="t") == expected


# ----------------------------------------------------------------------------------------------------------- log stamps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9)),
        ("12:24 PM on 7 April, 2023", datetime(2023, 4, 7, 12, 24)),
        ("2023/03/27 (Mon) 23:35", datetime(2023, 3, 27, 23, 35)),
        ("2023-05-08", datetime(2023, 5, 8)),
        ("2023-05-08 13:56:10", datetime(2023, 5, 8, 13, 56, 10)),
        ("2023-05-08T13:56:10.123456789Z", datetime(2023, 5, 8, 13, 56, 10, 123456)),
        ("2023-05-08T13:56:10+02:00", datetime(2023, 5, 8, 11, 56, 10)),
        ("20230508T135610Z", datetime(2023, 5, 8, 13, 56, 10)),
        ("8 May 2023", datetime(2023, 5, 8)),
        ("8th of May, 2023", datetime(2023, 5, 8)),
        ("May 8, 2023 1:56 PM", datetime(2023, 5, 8, 13, 56)),
        ("May 8th, 2023 at 13:56", datetime(2023, 5, 8, 13, 56)),
        ("Monday, May 8, 2023 at 1:56:10 p.m.", datetime(2023, 5, 8, 13, 56, 10)),
        ("Mon, 08 May 2023 13:56:10 +0200", datetime(2023, 5, 8, 11, 56, 10)),
        ("Mon, 08 May 2023 13:56:10 GMT", datetime(2023, 5, 8, 13, 56, 10)),
        ("08.05.2023 13:56:10 UTC+02:00", datetime(2023, 5, 8, 11, 56, 10)),
        ("[25/12/2023, 13:56:10]", datetime(2023, 12, 25, 13, 56, 10)),
        ("12/25/23, 1:56 PM", datetime(2023, 12, 25, 13, 56)),
        ("5-Aug-2023", datetime(2023, 8, 5)),
        ("1683554160", datetime(2023, 5, 8, 13, 56)),
        ("1683554160.000200", datetime(2023, 5, 8, 13, 56, 0, 200)),
        ("1683554160123", datetime(2023, 5, 8, 13, 56, 0, 123000)),
        ("1683554160123456", datetime(2023, 5, 8, 13, 56, 0, 123456)),
    ],
)
def test_a_logs_stamp(text: str, expected: datetime) -> None:
    found = parse_loose(text)
    assert found == expected.replace(tzinfo=UTC)
    assert found.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "8 May",
        "May 2023",
        "1:56 pm",
        "5/8/2023",  # whose order?
        "31 February 2023",
        "13:61 on 8 May 2023",
        "13:56 pm on 8 May 2023",
        "I met her on 8 May 2023",
        "8 May 2023 or 9 May 2023",
        "12345",
        "0001-01-01T00:00:00+05:00",
        "2023-05-08 " * 100,
    ],
)
def test_a_partial_time_stamp_is_none(text: str) -> None:
    assert parse_loose(text) is None


@given(st.text() | st.from_regex(r"[\d:/. apmAPMTZ+-]{1,30}"))
def test_any_text_is_a_utc_time_or_none(text: str) -> None:
    found = parse_loose(text)
    assert found is None or found.tzinfo is UTC


# ----------------------------------------------------------------------------------------------------------------- cues


@pytest.mark.parametrize(
    "text",
    [
        "I went there yesterday.",
        "LAST WEEK was fun",
        "It was two weeks ago",
        "We moved here 3 years back",
        "for a few months now",
        "see you on Friday",
        "Saturdays are mine",
        "(Mon) meeting",
        "next month we leave",
        "the other day",
        "back in 2019, or in the 1990s",
        "My birthday is in May",
        "on March 3rd",
        "15 Aug",
        "since January",
        "at 7pm",
        "at 10:30",
        "5/8/2023",
        "due on the 15th",
        "I recently moved",
        "tonight",
    ],
)
def test_a_text_that_names_a_time(text: str) -> None:
    assert names_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I like dogs.",
        "It may be that I march on.",
        "May I come in?",
        "He sat in the sun with mon ami.",
        "a second opinion",
        "the first prize",
        "Have a nice day!",
        "I was born to run, the year of living well",
        "costs 20.50 or 19 euros",
        "the last thing I need",
        "Nights in white satin",
    ],
)
def test_a_text_that_names_none(text: str) -> None:
    assert not names_time(text)


@pytest.mark.parametrize(
    "query",
    [
        "When did Caroline go to the support group?",
        "when is the exam",
        "So, when was that?",
        "Since when does she play?",
        "Can you tell me when I booked the flight?",
        "Do you remember exactly when we met?",
        "I booked a flight; when does it leave?",
        "How long have I had my snakes?",
        "How long ago was her birthday?",
        "How many days passed between the two events?",
        "How many months ago did I book it?",
        "What day did he leave?",
        "Which year's party was it?",
        "In which month was John in Italy?",
        "What time do I usually go to the gym?",
        "What was the date of the move?",
        "What is the exact time?",
    ],
)
def test_a_question_for_a_time(query: str) -> None:
    assert has(query, "asks_when")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "What did Joanna feel when someone wrote her a letter?",
        "When I was in Paris, what did I eat?",
        "How old will Rachel be when I get married?",
        "How many dogs do I have?",
        "How often do I run?",
        "What did I do last week?",
        "whenever",
    ],
)
def test_a_question_for_something_else(query: str) -> None:
    assert not has(query, "asks_when")


@pytest.mark.parametrize(
    "query",
    [
        "Where do I live now?",
        "What is she currently reading?",
        "What is my current job?",
        "What is my latest project?",
        "What lens did I buy most recently?",
        "What was my most recent trip?",
        "What did I order last time?",
        "When did I last see Ana?",
        "What was the last movie I watched?",
        "Where did I work previously?",
        "Where did she live before that?",
        "What is he doing these days?",
        "What am I reading at the moment?",
    ],
)
def test_a_question_about_the_latest(query: str) -> None:
    assert has(query, "asks_latest")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "What did I do last week?",
        "What did we see during the trip last year?",
        "How did he overcome his injury from last season?",
        "How many weddings in the last two months?",
        "How long does it last?",
        "What did she paint recently?",
        "In our previous conversation you named a beer; which?",
        "What happens three days from now?",
        "I know the recipe; what do I need from now on?",
        "Now that I moved, what should I buy?",
        "What did I eat before that trip?",
        "Did she win last Friday?",
        "What is her last name?",
        "What do you know about snow?",
    ],
)
def test_a_question_about_any_time(query: str) -> None:
    assert not has(query, "asks_latest")


@given(st.text())
def test_no_text_is_refused(text: str) -> None:
    for answer in (names_time(text), has(text, "asks_when"), has(text, "asks_latest")):
        assert answer in (True, False)


@pytest.mark.parametrize("text", ["1 ", "may ", "a few ", "when ", "the last ", " ", "1-", "how many a "])
def test_a_huge_text_is_read(text: str) -> None:
    huge = text * (300_000 // len(text))
    for answer in (names_time(huge), has(huge, "asks_when"), has(huge, "asks_latest")):
        assert answer in (True, False)
    assert parse_loose(huge) is None
