"""Days, weeks, months, seasons and years as spans of days, and how they are moved."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import NamedTuple


class Span(NamedTuple):
    """The days from `first` up to and without `after`; `unit` is what they are called together."""

    first: date
    after: date
    unit: str


SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""The month in which a season of the northern half begins; it is three months long."""


def days(first: date, number: int, unit: str = "range") -> Span:
    """Return a span of so many days."""
    return Span(first, first + timedelta(number), unit)


def months(first: date, number: int, unit: str) -> Span:
    """Return a span of so many months."""
    return Span(first, shifted(first, number, "month"), unit)


def period(day: date, unit: str) -> Span:
    """Return the day, week (from Monday), its weekend, month, quarter, decade or year that a day lies in."""
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


def season(name: str, year: int) -> Span:
    """Return the season that begins in a year: winter runs into the next."""
    return months(date(year, SEASONS[name], 1), 3, "season")


def before(day: date, weekday: int) -> date:
    """Return the last such weekday (0 is Monday) before a day."""
    return day - timedelta((day.weekday() - weekday - 1) % 7 + 1)


def after(day: date, weekday: int) -> date:
    """Return the first such weekday (0 is Monday) after a day."""
    return day + timedelta((weekday - day.weekday() - 1) % 7 + 1)


def shifted(day: date, number: int, unit: str) -> date:
    """Return the day so many units later, or earlier when negative; a day that a month lacks becomes its last."""
    if unit in _DAYS:
        return day + timedelta(number * _DAYS[unit])
    index = day.year * 12 + day.month - 1 + number * _MONTHS[unit]
    year, month = index // 12, index % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError("a year beyond the calendar")
    return date(year, month, min(day.day, monthrange(year, month)[1]))


_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
