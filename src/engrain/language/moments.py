"""Times compared: whether two can both be meant, and whether one is borne out by what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import product

from engrain.language.dates import clock_times, read_tokens, time_expressions
from engrain.language.locales import LOCALES
from engrain.language.time_words import Day

Moment = Mapping[str, object]
_MOST = 8  # words
_SHORTEST = 4  # letters of a month's name that needs no number beside it


def moment(words: Sequence[str], *, at: bool = False) -> Moment | None:
    """Return the parts of a time that all the words tell, None when they tell more or none; `at` stood before them."""
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
    """Return what a token tells of a time, and which part that is."""
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


def known_days(text: str, said: datetime) -> frozenset[Day]:
    """Return the day on which a text was said, and the days that it names or that follow from its words; 0 for open."""
    today = said.date()
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


def is_known(said: Iterable[Day], known: Iterable[Day]) -> bool:
    """Say whether a date is one that is known, no more precise than that."""
    return any(
        all(not mine or mine == theirs for mine, theirs in zip(one, other, strict=True))
        for one, other in product(said, list(known))
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
