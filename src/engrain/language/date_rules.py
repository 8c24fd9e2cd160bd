"""Rules for dates in text: patterns, spans of days, and the grammar of relative dates."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|[Mm]ar(?:ch)?|apr(?:il)?|[Mm]ay|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
YEAR = r"(?:1[89]|20)\d\d"
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

_PATTERNS_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern at its first use: together they take longer than an import may."""
    return re.compile(pattern)


def by_first(choices: Iterable[str]) -> str:
    """Put choices that begin alike together, so that at most places of a text one look at a letter rules out all.

    A choice begins with a letter, or with a pattern that matches a digit.
    """
    begun: dict[str, list[str]] = {}
    for choice in choices:
        first, rest = (choice[0], choice[1:]) if choice[0].isalpha() else (r"(?=\d)", choice)
        begun.setdefault(first, []).append(rest)
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in begun.items())


def month_number(name: str) -> int:
    """Return 1 to 12 for the name of a month or its beginning."""
    return _PATTERNS_MONTHS.index(name[:3].lower()) + 1


def weekday_number(name: str) -> int:
    """Return 0 for Monday to 6 for Sunday, for the name of a weekday or its beginning."""
    return _WEEKDAYS.index(name[:3].lower())


def day_number(word: str) -> int:
    """Return the number in "8", "08" or "8th"."""
    return int(word.rstrip("stndrhSTNDRH"))


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
    index = day.year * 12 + day.month - 1 + number * _SPANS_MONTHS[unit]
    year, month = index // 12, index % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError("a year beyond the calendar")
    return date(year, month, min(day.day, monthrange(year, month)[1]))


_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_SPANS_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


Match = re.Match[str]
Reader = Callable[[Match, date], Iterator[Span]]

NUMBER = (
    r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a\s+)?(?:couple(?:\s+of)?|few)"
    r"|several)"
)
UNIT = r"(?:day|week|weekend|fortnight|month|quarter|year|decade)"

_SHORT_WEEKDAY = "(?:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)"
_SEASON = "(?:spring|summer|fall|autumn|winter)"
_COUNTED = (  # what stands after a number that is neither a year nor a day
    r"(?!\s*(?:%|°|(?:dollars?|euros?|pounds?|bucks|usd|eur|gbp|yen|rupees|cents?|percent|k|kms?|kilo\w*|miles?|met(?:er|re)s?"
    r"|feet|foot|ft|inch(?:es)?|yards?|kg|grams?|lbs?|calories|kcal|steps?|words?|pages?|points?|people|persons?|users?"
    r"|followers?|subscribers?|songs?|photos?|pictures?|books?|items?|pieces?|times?|hours?|hrs|minutes?|mins?|seconds?"
    r"|days?|weeks?|months?|years?|rows?|lines?|characters?|tokens?|votes?|views?|likes?|copies|guests|attendees"
    r"|employees|students|square|sq|mg|ml|mb|gb|hp|rpm|watts?|volts?|degrees?|am|pm|o'clock)\b))"
)
_YEAR = rf"(?<![\d$€£#.,/:-])(?P<year>{YEAR})(?![\d%]|[.,:/–-]\d){_COUNTED}"
_ODD_YEAR = _YEAR.replace(YEAR, r"(?:19|20)(?!00)\d\d")  # a round number is more often a count
_OF_YEAR = rf"(?:,?\s*(?:of\s+)?(?P<year>{YEAR})\b{_COUNTED})?"
_NO_CLOCK = rf"(?![\d:]|\s*[ap]\.?m\b){_COUNTED}"
_NO_VERB = r"(?!\s+(?:be|have|not|also|well|need|want)\b)"
_CERTAIN = r"(?:in|during|throughout|since|until|till|before|after|between|around|early|late|mid|(?:end|start|beginning"
_CERTAIN += r"|middle|half|rest|most|month|weeks?|weekend|days?|year)\s+of)[\s-]+"

_CAPITALS = frozenset("March May Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun".split())

RULES: list[tuple[str, Reader]] = []
"""In the order they are tried: what an earlier rule takes, a later one does not see."""


def small(text: str) -> str:
    """Return a text as the rules read it: in small letters, but for names whose capital tells them from other words."""
    return re.sub(r"[A-Z]\w*", lambda match: match[0] if match[0] in _CAPITALS else _small(match[0]), text)


def _small(word: str) -> str:
    lower = word.lower()
    return lower if len(lower) == len(word) else word  # every character keeps its place


def _rule(pattern: str) -> Callable[[Reader], Reader]:
    def add(read: Reader) -> Reader:
        RULES.append((pattern, read))
        return read

    return add


# ---------------------------------------------------------------------------------------------------- dates with a day


@_rule(r"\b(?P<year>[12]\d{3})(?P<sep>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=sep)(?P<day>3[01]|[12]\d|0?[1-9])(?!\d)")
def _iso(match: Match, today: date) -> Iterator[Span]:
    yield period(date(int(match["year"]), int(match["month"]), int(match["day"])), "day")


@_rule(r"\b(?P<one>\d{1,2})(?P<sep>[/.])(?P<two>\d{1,2})(?P=sep)(?P<year>[12]\d{3})\b")
def _either_order(match: Match, today: date) -> Iterator[Span]:
    """Day first or month first: both, where both are possible."""
    one, two = int(match["one"]), int(match["two"])
    orders = {(one, two)} if match["sep"] == "." else {(one, two), (two, one)}
    for day, month in sorted(orders):
        if month <= 12:
            yield period(date(int(match["year"]), month, day), "day")


@_rule(rf"\b(?P<one>{DAY})\s*(?:-|–|to|and|or|through|until)\s*(?P<two>{DAY})\s+(?:of\s+)?(?P<name>{MONTH}){_OF_YEAR}")
@_rule(
    rf"\b(?P<name>{MONTH})\s+(?P<one>{DAY})\s*(?:-|–|to|and|or|through|until)\s*(?P<two>{DAY}){_NO_CLOCK}\b{_OF_YEAR}"
)
def _days_of_a_month(match: Match, today: date) -> Iterator[Span]:
    first = _day(match, today, match["one"])
    yield Span(first, first.replace(day=day_number(match["two"])) + timedelta(1), "range")


@_rule(rf"\b(?P<day>{DAY})\s+(?:of\s+)?(?P<name>{MONTH}){_NO_VERB}{_OF_YEAR}")
@_rule(rf"\b(?P<name>{MONTH})\s+(?:the\s+)?(?P<day>{DAY})\b{_NO_CLOCK}{_OF_YEAR}")
def _day_of_a_month(match: Match, today: date) -> Iterator[Span]:
    yield period(_day(match, today, match["day"]), "day")


@_rule(r"\bon\s+the\s+(?P<at>(?P<day>\d{1,2})(?:st|nd|rd|th))(?=\s*(?:[?.!,;]|$))")
def _day_alone(match: Match, today: date) -> Iterator[Span]:
    for back in range(12):
        month = period(shifted(today, -back, "month"), "month")
        day = month.first + timedelta(int(match["day"]) - 1)
        if day <= today and day < month.after:
            yield period(day, "day")
            return


# --------------------------------------------------------------------------------- months, quarters, seasons of a year


@_rule(rf"\b(?P<year>{YEAR})[-/](?P<month>0[1-9]|1[0-2])(?![-/\d])")
def _numbered_month(match: Match, today: date) -> Iterator[Span]:
    yield period(date(int(match["year"]), int(match["month"]), 1), "month")


@_rule(rf"\b(?P<name>{MONTH})(?:,|\s+of)?\s+(?P<year>{YEAR})\b{_COUNTED}")
def _month_of_a_year(match: Match, today: date) -> Iterator[Span]:
    yield period(date(int(match["year"]), month_number(match["name"]), 1), "month")


@_rule(rf"\bq(?P<quarter>[1-4])\s*(?:of\s+)?(?P<year>{YEAR})\b")
def _quarter(match: Match, today: date) -> Iterator[Span]:
    yield period(date(int(match["year"]), 3 * int(match["quarter"]), 1), "quarter")


@_rule(rf"\b(?P<name>{_SEASON})(?:,|\s+of)?\s+(?P<year>{YEAR})\b{_COUNTED}")
@_rule(rf"\b(?P<year>{YEAR})\s+(?P<name>{_SEASON})\b")
def _season_of_a_year(match: Match, today: date) -> Iterator[Span]:
    yield season(match["name"], int(match["year"]))


@_rule(r"\b(?P<year>(?:19|20)\d0)['’]?s\b")
@_rule(r"(?:\bthe\s+['’]?|['’])(?P<at>(?P<year>[2-9]0)s)\b")
def _decade(match: Match, today: date) -> Iterator[Span]:
    year = int(match["year"])
    yield period(date(year if year > 99 else 1900 + year, 1, 1), "decade")


# ----------------------------------------------------------------------------------------------------- relative to now


_NEAR = {"day before yesterday": -2, "yesterday": -1, "last night": -1, "last evening": -1, "tomorrow": 1}
_NEAR |= {"day after tomorrow": 2}


@_rule(
    r"\b(?P<name>day\s+before\s+yesterday|yesterday|last\s+night|last\s+evening|day\s+after\s+tomorrow|tomorrow|today"
    r"|tonight|this\s+(?:morning|afternoon|evening))\b"
)
def _near(match: Match, today: date) -> Iterator[Span]:
    yield period(today + timedelta(_NEAR.get(" ".join(match["name"].split()), 0)), "day")


@_rule(rf"\b(?P<number>{NUMBER})\s+(?P<unit>{UNIT}|hour|minute)s?\s+(?P<way>ago|back|from\s+now|hence)\b")
def _away(match: Match, today: date) -> Iterator[Span]:
    yield away(today, match["number"], match["unit"], -1 if match["way"] in ("ago", "back") else 1)


@_rule(rf"\b(?:the|these|this)\s+(?:past|last|previous)\s+(?:(?P<number>{NUMBER})\s+)?(?P<unit>{UNIT})s?\b(?!\s+of\b)")
@_rule(rf"\b(?:past|last)\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})s?\b(?!\s+of\b)")
@_rule(rf"\brecent\s+(?P<number>{NUMBER}\s+)?(?P<unit>{UNIT})s\b")
def _until_now(match: Match, today: date) -> Iterator[Span]:
    unit = match["unit"]
    if unit == "weekend" and not match["number"]:
        yield period(shifted(today, -1, "week"), unit)
    elif match["number"] or unit != "day":  # "on the last day" is not about now
        many = amount(match["number"] or ("few" if match[0].startswith("recent") else "one"))[1]
        yield Span(shifted(today, -many, unit), today + timedelta(1), "range")


@_rule(rf"\b(?:next|coming)\s+(?P<number>{NUMBER})\s+(?P<unit>{UNIT})s?\b")
def _from_now(match: Match, today: date) -> Iterator[Span]:
    yield Span(today, shifted(today, amount(match["number"])[1], match["unit"]) + timedelta(1), "range")


_WHICH = r"\b(?P<which>last|past|previous|this\s+past|this\s+coming|this|next|coming|upcoming)\s+"


def _step(which: str) -> int:
    """Return -1, 0 or 1 for a word of `_WHICH`."""
    words = which.split()
    return -1 if words[-1] in ("last", "past", "previous") else 0 if words == ["this"] else 1


@_rule(rf"{_WHICH}(?P<unit>week|weekend|month|quarter|year|decade)\b(?!\s+of\b)")
def _unit_near(match: Match, today: date) -> Iterator[Span]:
    unit = match["unit"]
    yield period(shifted(today, _step(match["which"]), unit), unit)


@_rule(r"\b(?P<unit>week|weekend|month|year)\s+before\s+last\b")
def _before_last(match: Match, today: date) -> Iterator[Span]:
    unit = match["unit"]
    yield period(shifted(today, -2, unit), unit)


@_rule(rf"{_WHICH}(?P<name>{MONTH}){_NO_VERB}(?!\s+\d)")
def _month_near(match: Match, today: date) -> Iterator[Span]:
    step, month = _step(match["which"]), month_number(match["name"])
    if step == 0 and match["name"] in ("may", "march"):  # "this may be"
        return
    year = today.year + (step if (month - today.month) * step <= 0 else 0)
    yield period(date(year, month, 1), "month")


@_rule(rf"{_WHICH}(?P<name>{_SEASON})\b")
def _season_near(match: Match, today: date) -> Iterator[Span]:
    step = _step(match["which"])
    near = [season(match["name"], today.year + number) for number in (-2, -1, 0, 1)]
    if step == 0:
        yield next((one for one in near if one.first <= today < one.after), near[2])
    elif step < 0:
        yield [one for one in near if one.after <= today][-1]
    else:
        yield next(one for one in near if one.first > today)


@_rule(rf"{_WHICH}(?P<name>{WEEKDAY}|{_SHORT_WEEKDAY})\b(?!\s+of\b)")
def _weekday_near(match: Match, today: date) -> Iterator[Span]:
    step, weekday = _step(match["which"]), weekday_number(match["name"])
    day = before(today, weekday) if step < 0 else after(today, weekday) if step > 0 else None
    yield period(day or today + timedelta(weekday - today.weekday()), "day")


@_rule(rf"\bon\s+(?P<at>(?P<name>{WEEKDAY}|{_SHORT_WEEKDAY}))\b(?!\s+(?:morning|evening|night)s)")
def _weekday(match: Match, today: date) -> Iterator[Span]:
    yield period(before(today + timedelta(1), weekday_number(match["name"])), "day")


# --------------------------------------------------------------------------------------------- names that need company


@_rule(
    rf"\b(?:between|from)\s+(?P<at>(?P<one>{MONTH})\s+(?:and|to|through|until|till)\s+(?P<two>{MONTH})){_NO_VERB}(?!\s*\d)"
)
def _month_to_month(match: Match, today: date) -> Iterator[Span]:
    last = period(_latest(today, month_number(match["two"])), "month")
    yield Span(_latest(last.first, month_number(match["one"])), last.after, "range")


@_rule(rf"\b{_CERTAIN}(?P<at>(?P<name>{MONTH})){_NO_VERB}(?P<year>)")
@_rule(
    r"\b(?:of|from|by|for|to|and|or|through|over)\s+(?P<at>(?P<name>(?:january|february|july|september|october|november"
    rf"|december|feb|aug|sept|oct|nov|dec|(?:March|May))\b)){_NO_VERB}(?P<year>)"
)
def _month(match: Match, today: date) -> Iterator[Span]:
    month, year = month_number(match["name"]), _year(match)
    yield period(date(year, month, 1) if year else _latest(today, month), "month")


@_rule(
    r"\b(?:in|during|over|throughout|since|until|till|by|for)\s+(?:the\s+)?(?P<at>(?P<name>spring|summer|autumn|winter))\b"
)
@_rule(r"\b(?:in|during|over|since)\s+(?:the\s+)?(?P<at>(?P<name>fall))\b")
@_rule(r"\b(?:before|after)\s+(?P<at>(?P<name>spring|summer|autumn|winter))\b")
def _season(match: Match, today: date) -> Iterator[Span]:
    name = match["name"]
    yield season(name, _latest(today, SEASONS[name]).year)


@_rule(rf"(?<![\d$€£#.,/:-])\b(?P<one>{YEAR})\s*(?:-|–|to|through|until|till)\s*(?P<two>{YEAR})\b(?![\d-]){_COUNTED}")
def _year_to_year(match: Match, today: date) -> Iterator[Span]:
    one, two = sorted((int(match["one"]), int(match["two"])))
    yield Span(date(one, 1, 1), date(two + 1, 1, 1), "range")


@_rule(rf"\b(?:{_CERTAIN}|year\s+|circa\s+)(?P<at>{_YEAR})")
@_rule(rf"(?:\b(?:of|from|by|to|through|and|or|the|this|my|our|your|his|her|their)|['’]s)\s+(?P<at>{_ODD_YEAR})")
@_rule(rf"^\W*(?P<at>{_YEAR})(?=\W*$)")
@_rule(rf"^\W*(?P<at>{_ODD_YEAR})(?=\s)")
@_rule(
    rf"\s(?P<at>{_ODD_YEAR})(?=\W*$)(?<!than .{{4}})(?<!over .{{4}})(?<!cost .{{4}})(?<!paid .{{4}})(?<!room .{{4}})"
)
def _year_alone(match: Match, today: date) -> Iterator[Span]:
    yield period(date(int(match["year"]), 1, 1), "year")


# ---------------------------------------------------------------------------------------------------------- arithmetic

_AMOUNTS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)
)
_VAGUE = {"couple": (2, 3), "few": (2, 5), "several": (3, 7)}


def amount(words: str) -> tuple[int, int]:
    """Return the least and the most that a number in digits or words means."""
    word = words.removeprefix("a ").split()[0]
    least = int(word) if word.isdigit() else _AMOUNTS.get(word, 1)
    return _VAGUE.get(word, (least, least))


def away(day: date, number: str, unit: str, sign: int) -> Span:
    """Return the calendar unit that lies so many units before (-1) or after (1) a day."""
    least, most = amount(number)
    if unit in ("hour", "minute"):
        least = most = most // 24 if unit == "hour" else 0
        unit = "day"
    spans = sorted(period(shifted(day, sign * many, unit), unit) for many in (least, most))
    return spans[0] if least == most else Span(spans[0].first, spans[1].after, "range")


_YEAR_AHEAD = (
    rf"\s*(?:and|or|to|through|until|till|[-–,])\s*(?:the\s+)?(?:{DAY}\s+(?:of\s+)?)?(?:{MONTH})?\s*(?:{DAY})?,?\s*(?:of\s+)?"
    rf"(?P<year>{YEAR})\b"
)


def _year(match: Match) -> int | None:
    """Return the year a date was given, or the one said after its pair: "May and July 2023"."""
    ahead = None if match["year"] else compiled(_YEAR_AHEAD).match(match.string, match.end())
    year = ahead["year"] if ahead else match["year"]
    return int(year) if year else None


def _day(match: Match, today: date, day: str) -> date:
    month, year = month_number(match["name"]), _year(match)
    return date(year, month, day_number(day)) if year else _latest(today, month, day_number(day))


def _latest(today: date, month: int, day: int = 1) -> date:
    """Return the last such day that is not after today; 29 February may lie years back."""
    for year in range(today.year, today.year - 9, -1):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found <= today:
            return found
    raise ValueError("no such day")
