"""Spans of days: periods of the calendar, steps between them, and how people and ISO 8601 write them."""

from __future__ import annotations

from calendar import monthrange
from datetime import MAXYEAR, date, datetime, timedelta
from typing import NamedTuple

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_WEEK = 7


class Span(NamedTuple):
    """The days from `first` up to and without `after`; `unit` is day, week, month, season, year or range."""

    first: date
    after: date
    unit: str

    @property
    def last(self) -> date:
        """The last day."""
        return self.after if self.after == date.max else self.after - timedelta(1)


def days(first: date, number: int, unit: str = "range") -> Span:
    """Return a span of so many days."""
    return Span(first, first + timedelta(number), unit)


def months(first: date, number: int, unit: str) -> Span:
    """Return a span of so many months."""
    return Span(first, shifted(first, number, "month"), unit)


def period(day: date, unit: str) -> Span:
    """Return the day, week (from Monday), its weekend, month, quarter, decade or year that contains a day."""
    if unit == "day":
        return days(day, 1, unit)
    if unit in ("week", "fortnight"):
        return days(day - timedelta(day.weekday()), 7, "week")
    if unit == "weekend":
        return days(day + timedelta(5 - day.weekday()), 2)
    if unit == "month":
        return months(day.replace(day=1), 1, unit)
    if unit == "quarter":
        return months(date(day.year, day.month - (day.month - 1) % 3, 1), 3, "range")
    if unit == "decade":
        return months(date(day.year - day.year % 10, 1, 1), 120, "range")
    return months(date(day.year, 1, 1), 12, "year")


def season(month: int, year: int) -> Span:
    """Return the season that begins in a month of a year; winter runs into the next year."""
    return months(date(year, month, 1), 3, "season")


def before(day: date, weekday: int) -> date:
    """Return the last such weekday (0 is Monday) before a day."""
    return day - timedelta((day.weekday() - weekday - 1) % 7 + 1)


def after(day: date, weekday: int) -> date:
    """Return the first such weekday (0 is Monday) after a day."""
    return day + timedelta((weekday - day.weekday() - 1) % 7 + 1)


def shifted(day: date, number: int, unit: str) -> date:
    """Return the day so many units later, or earlier when negative; a day that a month lacks becomes its last.

    Raises `OverflowError` beyond the years 1 to 9999.
    """
    if unit in _DAYS:
        return day + timedelta(number * _DAYS[unit])
    index = day.year * 12 + day.month - 1 + number * _MONTHS_OF[unit]
    year, month = index // 12, index % 12 + 1
    if not 1 <= year <= MAXYEAR:
        raise OverflowError("a year beyond the calendar")
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def latest(today: date, month: int, day: int = 1) -> date:
    """Return the last such day that is not after today; 29 February may be years back.

    Raises `ValueError` where there is no such day.
    """
    for year in range(today.year, max(today.year - 9, 0), -1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= today:
            return found
    raise ValueError("no such day")


def day_text(when: date | datetime) -> str:
    """Return a day as people write it: 7 May 2023."""
    return f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def month_text(when: date) -> str:
    """Return a month as people write it: May 2023."""
    return f"{MONTHS[when.month - 1]} {when.year}"


def span_text(span: Span, *, says_year: bool) -> str:
    """Return a span as people write it; a day without its year where the text `says_year` not."""
    first, last = span.first, span.last
    if span.unit == "day":
        return day_text(first) if says_year else f"{first.day} {MONTHS[first.month - 1]}"
    if span.unit == "month":
        return month_text(first)
    if span.unit == "year":
        return str(first.year)
    if span.unit == "season":
        return f"{_SEASONS[first.month]} {first.year}"
    if span.unit == "week":
        return f"the week of {day_text(first)}"
    if first.year == 1:
        return f"until {day_text(last)}"
    if last.year == MAXYEAR:
        return f"since {_beginning(first, says_year=says_year)}"
    return day_text(first) if first == last else f"{day_text(first)} to {day_text(last)}"


def _beginning(first: date, *, says_year: bool) -> str:
    if first.month == first.day == 1 and says_year:
        return str(first.year)
    return month_text(first) if first.day == 1 else day_text(first)


def iso_text(span: Span) -> str:
    """Return a span in ISO 8601, as precise as it is: 2023, 2023-05, 2023-05-07.

    A week that two months share counts to the one that contains its middle.
    """
    first, last = span.first, span.last
    if first.year == 1:
        first = last
    if last.year == MAXYEAR:
        last = first
        if span.unit == "range" and first.day == 1:
            return f"{first.year:04}" if first.month == 1 else f"{first.year:04}-{first.month:02}"
    if first == last:
        return first.isoformat()
    if (last - first).days < _WEEK:
        first = last = first + (last - first) // 2
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.year:04}-{first.month:02}"
    return f"{first.year:04}"
