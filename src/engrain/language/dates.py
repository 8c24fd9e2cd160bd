"""Times in text: the one reader of dates, relative and absolute, points and intervals, in every language there is.

A text is read as a string with one letter for each of its tokens (`time_words.LETTERS`), so that a rule is a regular
expression over kinds of words and is written once for all languages; which word is of which kind is data of a language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

from engrain.language import calendar
from engrain.language.calendar import Span, latest, period, shifted
from engrain.language.locales import LOCALES, expression, language_of
from engrain.language.time_words import REMEMBERED, Day, TimeReading, calendar_words, is_day, read_times
from engrain.text import pattern

_STRONG = pattern("[rCIJEQMGmW@sYuicodDhgn]")
_READ = 2000  # characters of a question: it is shorter


class Window(NamedTuple):
    """A time from `start` up to and without `end`; an open end is the first or the last moment of the calendar.

    `unit` is what it was called: day, week, month, season, year or range.
    """

    start: datetime
    end: datetime
    unit: str


class TimeMention(NamedTuple):
    """Where a text names a time: `text[start:stop]`, and the window that it means."""

    start: int
    stop: int
    window: Window


@dataclass(frozen=True, slots=True)
class Dated:
    """A time that a text names in `text[start:stop]`: `written` for people, `iso` as precise as is known, for order."""

    start: int
    stop: int
    written: str
    iso: str
    first: date


# ---------------------------------------------------------------------------------------------------------------- rules

_COUNT, _ANY_MONTH, _A_DAY = "[cadn]", "[MGm]", "[doD]"
_TO = "[zUj-]"
_OF_YEAR = r"(?:\.?,?f*(?P<year>Y)(?!K))?"
_NO_COUNT = "(?![Kuiv])"
_WHICH = r"(?P<which>T[LN]|[LlTN+])"
_IN = "[P>SUBVXb]"


class _Found:
    """A place where a rule fits: the letters of its groups are tokens with values."""

    __slots__ = ("match", "reading", "rule")

    def __init__(self, reading: TimeReading, match: re.Match[str], rule: int = -1) -> None:
        self.reading, self.match, self.rule = reading, match, rule

    def __getitem__(self, name: str) -> Any:
        """Return the value of a group, None where it is missing."""
        place = self.match.start(name) if name in self.match.re.groupindex else -1
        return None if place < 0 or self.match.end(name) == place else self.reading.values[place]

    def letters(self, name: str) -> str:
        """Return the letters of a group."""
        return self.match[name] or ""

    def count(self) -> tuple[int, int]:
        """Return the least and the most of the number that is named; 1 where none is."""
        value = self["count"]
        return value if isinstance(value, tuple) else (value, value) if isinstance(value, int) else (1, 1)

    def count_text(self) -> str:
        """Return the number and its unit in words: those of an English text, else in digits."""
        place, unit = self.match.start("count"), self["unit"]
        start, stop = self.reading.starts[place], self.reading.stops[place]
        many = self.reading.text[start:stop].lower() if self.reading.locale.code == "en" else ""
        if not many:
            least, most = self.count()
            many = str(least) if least == most else "a few"
        return f"{many} {unit}" if many in ("a", "an", "one", "1") else f"{many} {unit}s"

    def is_past(self) -> bool:
        """Say whether the words look back: "ago"."""
        return not {"A", "V"}.isdisjoint(self.match[0])

    def year(self) -> int:
        """Return the year that is named, or the one that follows its pair ("May and July 2023"); 0 for none."""
        if (own := self["year"]) is not None:
            return int(own)
        ahead = _YEAR_AHEAD.match(self.reading.kinds, self.match.end())
        return int(self.reading.values[ahead.start("year")]) if ahead else 0

    def step(self) -> int:
        """Return -1, 0 or 1 for last, this and next."""
        which = self.letters("which")[-1]
        return -1 if which in "Ll" else 0 if which == "T" else 1


Resolve = Callable[[_Found, date], Iterator[Span]]
Name = Callable[[_Found], Iterable[Day]]


class _Rule(NamedTuple):
    expression: re.Pattern[str]
    kind: str
    resolve: Resolve
    names: Name | None


_RULES: list[_Rule] = []
"""In the order in which they are tried: what an earlier rule takes, a later one does not see."""


def _rule(kind: str, *expressions: str, names: Name | None = None) -> Callable[[Resolve], Resolve]:
    def add(resolve: Resolve) -> Resolve:
        _RULES.extend(_Rule(pattern(each), kind, resolve, names) for each in expressions)
        return resolve

    return add


_YEAR_AHEAD = pattern(rf"[zU,-]t?(?:{_A_DAY}f?)?{_ANY_MONTH}?{_A_DAY}?,?f?(?P<year>Y)")


@_rule("day", "(?P<days>I)", names=lambda found: found["days"])
def _numeric_day(found: _Found, today: date) -> Iterator[Span]:
    """Day first or month first: both, where both are possible."""
    for year, month, day in found["days"]:
        yield period(date(year, month, day) if year else latest(today, month, day), "day")


@_rule(
    "range",
    rf"(?P<day>{_A_DAY}){_TO}(?P<until>{_A_DAY})f?(?P<month>{_ANY_MONTH})(?!v){_OF_YEAR}",
    rf"(?P<month>{_ANY_MONTH})\.?(?P<day>{_A_DAY}){_TO}(?P<until>{_A_DAY}){_NO_COUNT}{_OF_YEAR}",
    names=lambda found: [(found.year(), found["month"], found["day"]), (found.year(), found["month"], found["until"])],
)
def _days_of_month(found: _Found, today: date) -> Iterator[Span]:
    first = _day(found, today)
    yield Span(first, first.replace(day=found["until"]) + timedelta(1), "range")


@_rule(
    "day",
    rf"(?P<day>{_A_DAY})f?(?P<month>{_ANY_MONTH})(?!v){_OF_YEAR}",
    rf"(?P<month>[MG])\.?t?(?P<day>{_A_DAY}){_NO_COUNT}{_OF_YEAR}",
    rf"(?<![xpktHLlvM])(?P<month>m)t?(?P<day>{_A_DAY}){_NO_COUNT}{_OF_YEAR}",
    names=lambda found: [(found.year(), found["month"], found["day"])],
)
def _day_of_month(found: _Found, today: date) -> Iterator[Span]:
    yield period(_day(found, today), "day")


@_rule("day", "yt(?P<at>(?P<day>o))(?=[!?.,;]|$)", names=lambda found: [(0, 0, found["day"])])
def _day_alone(found: _Found, today: date) -> Iterator[Span]:
    for back in range(12):
        month = period(shifted(today, -back, "month"), "month")
        day = month.first + timedelta(found["day"] - 1)
        if day <= today and day < month.after:
            yield period(day, "day")
            return


@_rule("month", "(?P<days>J)", names=lambda found: found["days"])
def _numeric_month(found: _Found, today: date) -> Iterator[Span]:
    yield from (period(date(year, month, 1), "month") for year, month, _ in found["days"])


@_rule(
    "month",
    rf"(?P<month>{_ANY_MONTH})\.?,?f*(?P<year>Y)(?!K)",
    names=lambda found: [(found["year"], found["month"], 0)],
)
def _month_of_year(found: _Found, today: date) -> Iterator[Span]:
    yield period(date(found["year"], found["month"], 1), "month")


@_rule("range", "(?P<quarter>Q),?f?(?P<year>Y)")
def _quarter(found: _Found, today: date) -> Iterator[Span]:
    yield period(date(found["year"], 3 * found["quarter"], 1), "quarter")


@_rule("season", "(?P<season>[se]),?f*(?P<year>Y)(?!K)", "(?P<year>Y)(?P<season>[se])")
def _season_of_year(found: _Found, today: date) -> Iterator[Span]:
    yield calendar.season(found["season"], found["year"])


@_rule("range", "(?P<year>E)")
def _decade(found: _Found, today: date) -> Iterator[Span]:
    yield period(date(found["year"], 1, 1), "decade")


@_rule("near", "(?P<step>r)")
def _near(found: _Found, today: date) -> Iterator[Span]:
    if isinstance(found["step"], int):  # "recently" names no day
        yield period(today + timedelta(found["step"]), "day")


@_rule("ago", rf"(?P<count>{_COUNT})(?P<unit>[ui])[AF]", rf"[V>](?P<count>{_COUNT})(?P<unit>[ui])(?![XB])")
def _away(found: _Found, today: date) -> Iterator[Span]:
    yield _distant(today, found.count(), found["unit"], -1 if found.is_past() else 1)


@_rule(
    "range",
    rf"[tT][Ll](?P<count>{_COUNT})(?P<unit>u)(?!f)",
    rf"[tT](?P<count>{_COUNT})[Ll](?P<unit>u)(?!f)",
    rf"t(?P<count>{_COUNT})(?P<unit>u)l(?!f)",
    "[tT]L(?P<unit>u)(?!f)",
    rf"[Ll](?P<count>{_COUNT})(?P<unit>u)(?!f)",
    rf"R(?P<count>{_COUNT})?(?P<unit>u)",
)
def _until_now(found: _Found, today: date) -> Iterator[Span]:
    unit, counted = found["unit"], found["count"] is not None
    if unit == "weekend" and not counted:
        yield period(shifted(today, -1, "week"), unit)
    elif counted or unit != "day":  # "on the last day" is not about now
        many = found.count()[1] if counted or not found.match[0].startswith("R") else 5
        yield Span(shifted(today, -many, unit), today + timedelta(1), "range")


@_rule("range", rf"[N+](?P<count>{_COUNT})(?P<unit>u)", rf"t(?P<count>{_COUNT})[N+](?P<unit>u)")
def _from_now(found: _Found, today: date) -> Iterator[Span]:
    yield Span(today, shifted(today, found.count()[1], found["unit"]) + timedelta(1), "range")


@_rule("unit", rf"{_WHICH}(?P<unit>u)(?!f)", "(?P<unit>u)(?P<which>[l+])")
def _unit_near(found: _Found, today: date) -> Iterator[Span]:
    unit = found["unit"]
    if unit not in ("day", "fortnight"):
        yield period(shifted(today, found.step(), unit), unit)


@_rule("range", "(?P<unit>u)Z", "Z(?P<unit>u)")
def _before_last(found: _Found, today: date) -> Iterator[Span]:
    yield period(shifted(today, -2, found["unit"]), found["unit"])


@_rule("month", rf"{_WHICH}(?P<month>{_ANY_MONTH})(?![vdoDY])", rf"(?P<month>{_ANY_MONTH})(?P<which>[l+])")
def _month_near(found: _Found, today: date) -> Iterator[Span]:
    step, month = found.step(), found["month"]
    if step or found.letters("month") != "m":  # "this may be"
        year = today.year + (step if (month - today.month) * step <= 0 else 0)
        yield period(date(year, month, 1), "month")


@_rule("season", rf"{_WHICH}(?P<season>[se])", "(?P<season>[se])(?P<which>[l+])")
def _season_near(found: _Found, today: date) -> Iterator[Span]:
    step = found.step()
    near = [calendar.season(found["season"], today.year + number) for number in (-2, -1, 0, 1)]
    if step == 0:
        yield next((one for one in near if one.first <= today < one.after), near[2])
    elif step < 0:
        yield [one for one in near if one.after <= today][-1]
    else:
        yield next(one for one in near if one.first > today)


@_rule("weekday", rf"{_WHICH}(?P<weekday>[W@])(?!f)", "(?P<weekday>[W@])(?P<which>[l+])")
def _weekday_near(found: _Found, today: date) -> Iterator[Span]:
    step, weekday = found.step(), found["weekday"]
    near = calendar.before(today, weekday) if step < 0 else calendar.after(today, weekday) if step > 0 else None
    yield period(near or today + timedelta(weekday - today.weekday()), "day")


@_rule("day", "y(?P<at>(?P<weekday>[W@]))(?!h)", "(?<![tH])(?P<at>(?P<weekday>@))")
def _weekday(found: _Found, today: date) -> Iterator[Span]:
    yield period(calendar.before(today + timedelta(1), found["weekday"]), "day")


@_rule("range", rf"[bq](?P<at>(?P<month>{_ANY_MONTH})[zU-](?P<until>{_ANY_MONTH}))(?![vdoDY])")
def _month_to_month(found: _Found, today: date) -> Iterator[Span]:
    last = period(latest(today, found["until"]), "month")
    yield Span(latest(last.first, found["month"]), last.after, "range")


@_rule(
    "month",
    rf"{_IN}-?(?P<at>(?P<month>{_ANY_MONTH}))(?!v)",
    rf"[%u]f(?P<at>(?P<month>{_ANY_MONTH}))(?!v)",
    "[fqzjw](?P<at>(?P<month>M))(?!v)",
    names=lambda found: [(found.year(), found["month"], 0)],
)
def _month_alone(found: _Found, today: date) -> Iterator[Span]:
    year = found.year()
    yield period(date(year, found["month"], 1) if year else latest(today, found["month"]), "month")


@_rule("season", r"[P>SUjw]t?(?P<at>(?P<season>s))", "[P>S]t?(?P<at>(?P<season>e))", "[BX](?P<at>(?P<season>s))")
def _season_alone(found: _Found, today: date) -> Iterator[Span]:
    yield calendar.season(found["season"], latest(today, found["season"]).year)


@_rule(
    "range", "(?P<year>Y)[zU-](?P<until>Y)(?!K)", names=lambda found: [(found["year"], 0, 0), (found["until"], 0, 0)]
)
def _years(found: _Found, today: date) -> Iterator[Span]:
    one, two = sorted((found["year"], found["until"]))
    yield Span(date(one, 1, 1), date(two + 1, 1, 1), "range")


# The rule below is tried first.
@_rule(
    "perhaps a year",
    rf"^(?P<at>(?P<odd>(?P<year>Y))){_NO_COUNT}(?=[a-zA-Z])",
    r"(?<![k~])(?P<at>(?P<odd>(?P<year>Y)))[!?.,;]*$",
    names=lambda found: [(found["year"], 0, 0)],
)
@_rule(
    "year",
    rf"(?:{_IN}|[%u]f|u)-?(?P<at>(?P<year>Y)){_NO_COUNT}",
    rf"[fqzjtTp](?P<at>(?P<odd>(?P<year>Y))){_NO_COUNT}",
    r"^\W*(?P<at>(?P<year>Y))\W*$",
    names=lambda found: [(found["year"], 0, 0)],
)
def _year_alone(found: _Found, today: date) -> Iterator[Span]:
    if not (found["odd"] and found["year"] % 100 == 0):  # a round number is more often a count
        yield period(date(found["year"], 1, 1), "year")


def _day(found: _Found, today: date) -> date:
    year, month, day = found.year(), found["month"], found["day"]
    return date(year, month, day) if year else latest(today, month, day)


def _distant(day: date, many: tuple[int, int], unit: str, sign: int) -> Span:
    """Return the calendar unit that is so many units before (-1) or after (1) a day."""
    least, most = many
    if unit in ("hour", "minute", "second"):
        least = most = most // 24 if unit == "hour" else 0
        unit = "day"
    spans = sorted(period(shifted(day, sign * number, unit), unit) for number in (least, most))
    return spans[0] if least == most else Span(spans[0].first, spans[1].after, "range")


# ----------------------------------------------------------------------------------------------------- around the rules

_NEXT_TO = pattern(rf"(?:(?P<count>{_COUNT})|[tLlp])?(?:(?P<unit>[ui])|(?P<weekday>[W@]))(?P<side>[BVX]|f)t?$")
_OPEN = pattern(r"(?:(?P<before>[BV])|(?P<until>[Uj])|(?P<since>S)|(?P<after>X))[P>yt]*-?$")
_RANGE = pattern(r"[bqf]t?$")
_RANGE_TO = pattern(r"[zU-]t?")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """An expression of time in `text[start:stop]`: `days` are what it names without knowing when it was said.

    `kind` is the kind of its rule, "open" or "beside" where the words around it make it another time.
    """

    start: int
    stop: int
    kind: str
    days: tuple[Day, ...]
    _found: _Found
    _around: Callable[[Span], Span | None] | None = None
    _until: TimeExpression | None = None

    def spans(self, today: date) -> list[Span]:
        """Return the days that it means on a day; none where there are no such days."""
        rule, found = _RULES[self._found.rule], self._found
        try:
            spans = list(rule.resolve(found, today))
            if self._until is not None:
                spans = [_together(one, two) for one in spans for two in self._until.spans(today)]
            if self._around is not None:
                spans = [self._around(span) or span for span in spans]
        except (ValueError, OverflowError):  # 31 February, or beyond the calendar
            return []
        return [span for span in spans if span.first < span.after]

    def has_impossible_day(self) -> bool:
        """Say whether it is a month behind a day that it has not: "31 June"."""
        begin = self._found.match.start()
        return self.kind == "month" and begin > 0 and self._found.reading.kinds[begin - 1] in "doD"

    def named_at(self) -> tuple[int, int]:
        """Return where the date itself is, without the words beside it."""
        match, reading = self._found.match, self._found.reading
        begin, stop = match.span("at") if "at" in match.re.groupindex else match.span()
        return reading.starts[begin], (self._until.stop if self._until else reading.stops[stop - 1])

    def relative_text(self, today: date) -> str:
        """Return a vague time by the day on which it was said ("the week before 9 June 2023"), "" for any other."""
        found, day = self._found, calendar.day_text(today)
        if self.kind in ("unit", "weekday"):
            unit = calendar.WEEKDAYS[found["weekday"]] if self.kind == "weekday" else found["unit"]
            if self.kind == "unit" and unit not in ("week", "weekend"):
                return ""
            step = found.step()
            if step:
                return f"the {unit} {'before' if step < 0 else 'after'} {day}"
            return (
                ""
                if self.kind == "weekday"
                else f"the weekend of the week of {day}"
                if unit == "weekend"
                else f"the week of {day}"
            )
        if self.kind == "ago" and found.is_past():
            least, most = found.count()
            if least != most or found["unit"] in ("week", "weekend"):
                when = {"year": str(today.year), "month": calendar.month_text(today)}.get(found["unit"], day)
                return f"{found.count_text()} before {when}"
        return ""


def time_expressions(text: str) -> tuple[TimeExpression, ...]:
    """Return the expressions of time of a text in order; of two that overlap, the one of the earlier rule."""
    return _remembered_expressions(text) if len(text) <= REMEMBERED else _expressions(text)


def _expressions(text: str) -> tuple[TimeExpression, ...]:
    reading = read_times(text)
    if not _STRONG.search(reading.kinds):
        return ()
    taken = bytearray(len(reading.kinds))
    found: list[tuple[int, int, _Found]] = []
    for number, rule in enumerate(_RULES):
        for match in rule.expression.finditer(reading.kinds):
            begin, stop = match.span("at") if "at" in match.re.groupindex else match.span()
            one = _Found(reading, match, number)
            if taken.find(1, begin, stop) < 0 and not (rule.names and not all(map(is_day, rule.names(one)))):
                taken[begin:stop] = b"\1" * (stop - begin)
                found.append((begin, stop, one))
    found.sort(key=lambda each: each[0])
    return tuple(_outermost(_with_neighbours(reading, found)))


_remembered_expressions = lru_cache(64)(_expressions)


def _with_neighbours(reading: TimeReading, found: list[tuple[int, int, _Found]]) -> list[TimeExpression]:
    """Return expressions with what the words around them make of them: "since June", "between 5 May and 8 June"."""
    kinds, made, place = reading.kinds, list[TimeExpression](), 0
    while place < len(found):
        begin, stop, rule = found[place]
        one, end = _expression(reading, begin, stop, rule), stop
        if place + 1 < len(found) and _RANGE.search(kinds, max(0, begin - 3), begin):
            after, end_of_two, rule = found[place + 1]
            if _RANGE_TO.fullmatch(kinds, stop, after):
                two, end, place = _expression(reading, after, end_of_two, rule), end_of_two, place + 1
                one = replace(one, stop=two.stop, kind="range", days=(*one.days, *two.days), _until=two)
        made.append(_related(reading, one, begin, end))
        place += 1
    return made


def _expression(reading: TimeReading, begin: int, stop: int, found: _Found) -> TimeExpression:
    rule = _RULES[found.rule]
    named = rule.names(found) if rule.names else ()
    days = tuple(dict.fromkeys(named))
    return TimeExpression(reading.starts[begin], reading.stops[stop - 1], rule.kind, days, found)


def _related(reading: TimeReading, one: TimeExpression, begin: int, stop: int) -> TimeExpression:
    """Return an expression as the words beside it make it: "the week before 5 May", "since June 2023"."""
    kinds, low = reading.kinds, max(0, begin - 8)
    if near := _NEXT_TO.search(kinds, low, begin):
        beside = _Found(reading, near)
        if near["side"] != "f" or (beside["unit"] and one.kind in ("day", "near", "weekday")):
            return replace(one, start=reading.starts[near.start()], kind="beside", _around=partial(_beside, beside))
    if word := _OPEN.search(kinds, low, begin):
        around = partial(_opened, word.lastgroup or "")
        return replace(one, start=reading.starts[word.start()], kind="open", _around=around)
    if kinds[stop : stop + 1] == "O":
        return replace(one, kind="open", _around=partial(_opened, "since"))
    return one


def _opened(side: str, span: Span) -> Span:
    first = {"since": span.first, "after": span.after}.get(side, date.min)
    last = {"before": span.first, "until": span.after}.get(side, date.max)
    return Span(first, last, "range")


def _together(one: Span, two: Span) -> Span:
    if one.first > two.first and one.unit != "year" and one.first.year > 1:
        # "between November and February": the November before
        one = Span(shifted(one.first, -1, "year"), shifted(one.after, -1, "year"), one.unit)
    return Span(min(one.first, two.first), max(one.after, two.after), "range")


def _beside(near: _Found, span: Span) -> Span | None:
    """Return the day, week, weekend or weekday just before, just after or around a span."""
    unit, counted, side = near["unit"], near["count"] is not None, near.letters("side")
    if side == "f":
        return period(span.first, unit) if span.unit == "day" else None
    earlier = side in "BV"
    if near["weekday"] is not None or (unit == "weekend" and not counted):
        weekday = 5 if near["weekday"] is None else near["weekday"]
        day = calendar.before(span.first, weekday) if earlier else calendar.after(span.last, weekday)
        return calendar.days(day, 1, "day") if near["weekday"] is not None else calendar.days(day, 2)
    if counted:
        return _distant(span.first if earlier else span.last, near.count(), unit, -1 if earlier else 1)
    called = unit if unit in ("day", "week", "month", "year") else "range"
    if earlier:
        return Span(shifted(span.first, -1, unit), span.first, called)
    return Span(span.after, shifted(span.after, 1, unit), called)


def _outermost(found: list[TimeExpression]) -> Iterator[TimeExpression]:
    """Yield those that are no part of another: in "the weekend before 5 May" the weekend is named once."""
    for place, one in enumerate(found):
        near = found[max(place - 3, 0) : place + 4]
        inside = (
            two.start <= one.start and one.stop <= two.stop and (one.start, one.stop) != (two.start, two.stop)
            for two in near
        )
        if not any(inside):
            yield one


# -------------------------------------------------------------------------------------------------------- what is asked


def windows(query: str, now: datetime) -> tuple[Window, ...]:
    """Return the windows that a question names, in its order, each once.

    Args:
        query: The question; its first 2,000 characters are read.
        now: The moment at which it is asked. Days are those of its own calendar, bounded at midnight UTC, as plain
            dates are stored. What has no year ("in March") is the latest that is not in the future.

    Raises:
        ValueError: `now` has no offset.
    """
    return tuple(dict.fromkeys(mention.window for mention in time_mentions(query, now)))


def time_mentions(text: str, now: datetime) -> list[TimeMention]:
    """Return where a text names which times, read at a moment as in `windows`."""
    if now.utcoffset() is None:
        raise ValueError("now has no offset: pass an aware datetime, such as datetime.now(UTC)")
    today = now.date()
    return [
        TimeMention(each.start, each.stop, Window(_midnight(span.first), _midnight(span.after), span.unit))
        for each in time_expressions(text[:_READ])
        for span in each.spans(today)
    ]


def _midnight(day: date) -> datetime:
    return datetime.max.replace(tzinfo=UTC) if day == date.max else datetime.combine(day, time(), UTC)


def dated(text: str, at: datetime) -> list[Dated]:
    """Return the times that a statement made at a moment names, in order.

    A date without a year is in the future where the words speak of what is to come ("until 20 July", "the wedding will
    be in May") and the date of that year is nearer than the one before.
    """
    today, found = at.date(), list[Dated]()
    ahead = _is_ahead(text[:_READ])
    for each in time_expressions(text[:_READ]):
        if each.has_impossible_day():
            continue
        yearless = bool(each.days) and not any(year for year, _, _ in each.days)
        near = _later(today) if ahead and yearless else today
        for span in each.spans(near):
            if span.first.year > 1 or span.after != date.max:
                says_year = not yearless or each.kind == "open"
                written = each.relative_text(today) or calendar.span_text(span, says_year=says_year)
                first = span.first if span.first.year > 1 else span.last
                found.append(Dated(each.start, each.stop, written, calendar.iso_text(span), first))
    return found


def _later(today: date) -> date:
    try:
        return today + timedelta(183)
    except OverflowError:
        return today


def _is_ahead(text: str) -> bool:
    """Say whether a statement speaks of what is to come."""
    return expression("future", read_times(text).locale).search(text) is not None


# ------------------------------------------------------------------------------------------- cues, clock times, lengths

_TIMELY = pattern(
    r"[rC@WIJEQYhMG]|[TLlNR+]c?[usge@W]|[ui]A|A|u[l+]|u|[ac](?=f?u)|P-?m(?!v)|m\.?[doD]|[do]f?m|(?<=t)o|[dn]u|(?<=y)o"
)


def names_time(text: str) -> bool:
    """Say whether a text names a time: a date, a weekday, a year, a clock time, "yesterday", "two weeks"."""
    return any(_is_timely(read_times(text[start : start + _READ])) for start in range(0, len(text), _READ))


def _is_timely(reading: TimeReading) -> bool:
    """Say whether a token, or several together, name a time: not "back" alone, nor "a day"."""
    values = reading.values
    for found in _TIMELY.finditer(reading.kinds):
        place, letters = found.start(), found[0]
        if letters in ("a", "c"):
            unit = values[found.end() + (reading.kinds[found.end()] == "f")]
            if unit not in ("day", "night"):
                return True
        elif letters not in ("A", "u") or values[place] in ("ago", "weekend"):
            return True
    return False


def date_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a text names dates, and each as it is written: `2023-05-07`, `2023-05`, `2023`, `7 May`.

    Numbers that may be day and month either way stay as they are; a month alone and what depends on the day on which
    the text was said are left out.
    """
    for each in time_expressions(text):
        if not each.days or each.kind == "perhaps a year":
            continue
        start, stop = each.named_at()
        if len(each.days) > 1 and each.kind == "day":
            yield start, stop, text[start:stop]
            continue
        for year, month, day in each.days:
            if year:
                yield start, stop, "-".join(f"{part:02}" for part in (year, month, day) if part)
            elif month and day:
                yield start, stop, f"{day} {calendar.MONTHS[month - 1]}"


_DATED = pattern(
    r"[CIJYE@W]|h|r|[MGm]\.?t?[doD](?![Kuiv])|[doD]f?[MGm](?!v)|[LlTN+PSUj]-?[MGm](?!v)|T?[lLN+][use]|T[seu]"
    r"|[cadn][ui][AF]|[P>V][cadn][ui]"
)


def names_date(text: str) -> bool:
    """Say whether a text names a time to remember: a date, a weekday, "yesterday", "next week"; not "today"."""
    reading = read_times(text)
    for found in _DATED.finditer(reading.kinds):
        value = reading.values[found.end() - 1]
        if found[0] == "r":
            if isinstance(value, int) and value:
                return True
        elif found[0] == "h":
            if value.removesuffix("s") in calendar_words():
                return True
        elif found[0] != "Tu" or value == "weekend":
            return True
    return False


def read_tokens(text: str) -> Iterator[tuple[str, Any, str]]:
    """Yield the letter of `LETTERS`, the value and the writing of each token of a text."""
    reading = read_times(text)
    for letter, value, start, stop in zip(reading.kinds, reading.values, reading.starts, reading.stops, strict=True):
        yield letter, value, text[start:stop]


def clock_times(text: str) -> list[tuple[int, int, frozenset[int]]]:
    """Return where a text names times of day, and the minutes of the day that each may mean."""
    reading = read_times(text)
    places = (place for place, letter in enumerate(reading.kinds) if letter == "C")
    return [(reading.starts[place], reading.stops[place], reading.values[place]) for place in places]


_DURATION = pattern(r"~?[cadn](?:za%)?-?(?:z[cdn])?[ui](?:[AF]|za%)?|Sx?Y")


def durations(text: str) -> list[tuple[int, int]]:
    """Return where a text says how long something took or has lasted."""
    reading = read_times(text)
    found = _DURATION.finditer(reading.kinds)
    return [(reading.starts[each.start()], reading.stops[each.end() - 1]) for each in found]


def frequencies(text: str) -> list[tuple[int, int]]:
    """Return where a text says how often something happens."""
    return [found.span() for found in expression("frequency", language_of(text)).finditer(text)]


Moment = Mapping[str, object]
_MOST = 8  # words
_SHORTEST = 4  # letters of a month's name that needs no number beside it


def moment(words: Sequence[str], *, at: bool = False) -> Moment | None:
    """Return the parts of a time that the words name together, None when they name more or none; `at` precedes them."""
    if not words or len(words) > _MOST or (at and words[0].lower() == "at"):
        return None
    tokens = list(read_tokens(f", {' '.join(words)}"))[1:]  # a first word may have a capital for nothing
    has_month = any(letter in "MG" for letter, _, _ in tokens)
    parts: dict[str, object] = {}
    for letter, value, shown in tokens:
        if shown.lower() in _AT and parts and not at:
            at = True
            continue
        if letter in "tf" and has_month:
            continue
        found = _part(letter, value, shown, dated=has_month, at=at)
        if found is None or found[0] in parts:
            return None
        parts[found[0]] = found[1]
    if "month" in parts and "day" not in parts:
        named = next(shown for letter, _, shown in tokens if letter in "MG")
        if len(named.rstrip(".")) < _SHORTEST and named not in ("May", "Mai"):
            return None
    return None if not parts or parts.keys() <= {"part of day"} else parts


_AT = frozenset(["at", "um"])


def _part(letter: str, value: object, shown: str, *, dated: bool, at: bool) -> tuple[str, object] | None:
    """Return which part of a time a token names, and its value."""
    if letter in "MG":
        return "month", value
    if letter in "W@":
        return "weekday", value
    if letter == "I" and isinstance(value, tuple) and len(value) == 1:
        return "date", "-".join(f"{number:02}" for number in value[0])
    if letter == "g" or (letter == "u" and shown.lower() in LOCALES["en"].units["night"].split()):
        return "part of day", shown.lower()
    if letter == "C":
        return "clock", _clock(shown, value)
    if letter == "Y" and dated:
        return "year", shown
    if letter in "oD" or (letter == "d" and dated):
        return "day", value
    return ("clock", (value, 0, None)) if letter == "d" and at and isinstance(value, int) and value <= 24 else None


def _clock(shown: str, minutes: object) -> tuple[int, int, str | None]:
    """Return hour, minute and the half of the day, None where it may be either."""
    several = sorted(minutes) if isinstance(minutes, frozenset) else []
    hour, minute = divmod(several[0], 60)
    if len(several) > 1:
        return hour, minute, "am" if shown.startswith("0") else None
    return hour, minute, "pm" if hour >= 12 else "am"


def differ(one: Moment, other: Moment) -> bool:
    """Say whether two times cannot both be meant; "June" and "June 3" can."""
    return any(not _is_alike(one[name], other[name]) for name in one.keys() & other.keys())


def _is_alike(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):  # "3" may be 15:00
        (hour, minute, half), (their_hour, their_minute, their_half) = one, other
        if half is None or their_half is None:
            return (hour % 12, minute) == (their_hour % 12, their_minute)
    return one == other


# ---------------------------------------------------------------------------------------------------- what is borne out


def dates(text: str) -> tuple[list[tuple[Day, ...]], str]:
    """Return the dates of a text, each as what it may mean, and the text with blanks in their place."""
    named = [each for each in time_expressions(text) if each.days]
    return [each.days for each in named], _blanked(text, [(each.start, each.stop) for each in named])


def times(text: str) -> tuple[list[frozenset[int]], str]:
    """Return the times of day, each as the minutes of the day that it may mean, and the text with blanks for them."""
    found = clock_times(text)
    return [minutes for *_, minutes in found], _blanked(text, [(start, stop) for start, stop, _ in found])


def _blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    for start, stop in places:
        text = text[:start] + " " * (stop - start) + text[stop:]
    return text


def known_days(text: str, at: datetime) -> frozenset[Day]:
    """Return the day on which a text was said, and the days that it names or that follow from its words; 0 for open."""
    today = at.date()
    days = {(today.year, today.month, today.day)}
    for each in time_expressions(text):
        for span in each.spans(today):
            wide, year = span.unit in ("month", "season", "year"), span.unit == "year"
            for edge in (span.first, span.last):
                days.add((edge.year, 0 if year else edge.month, 0 if wide else edge.day))
        for year_, month, day in each.days:
            years = [year_] if year_ else [today.year - 1, today.year, today.year + 1]
            days |= {(one, month, day) for one in years}
    return frozenset(days)


def is_known(named: Iterable[Day], known: Iterable[Day]) -> bool:
    """Say whether a date is one that is known, no more precise than that."""
    return any(
        all(not mine or mine == theirs for mine, theirs in zip(one, other, strict=True))
        for one, other in product(named, list(known))
    )


def day_words(known: Iterable[Day]) -> frozenset[str]:
    """Return the names of months and weekdays that days have, in every language."""
    months, weekdays = set[int](), set[int]()
    for year, month, day in known:
        months.add(month)
        try:
            weekdays.add(date(year, month, day).weekday())
        except ValueError:  # not known to the day
            continue
    named = [name for locale in LOCALES.values() for name, number in locale.months.items() if number in months]
    named += [name for locale in LOCALES.values() for name, number in locale.weekdays.items() if number in weekdays]
    return frozenset(named)
