"""The words of a text by which times are named: what kind of word each token is, and its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import cache, lru_cache
from typing import Any

from engrain.language.locales import LOCALES, Locale, language_of
from engrain.text import pattern

Day = tuple[int, int, int]
"""Year, month and day as a text names them; 0 for what it leaves open."""

LETTERS = {
    "last": "L",  # before a unit: "last week"
    "last one": "l",  # the same where it never means a stretch of time: "letzte Woche", "semana pasada"
    "this": "T",
    "next": "N",
    "next one": "+",  # the same where it may follow: "semaine prochaine"
    "recent": "R",
    "ago": "A",
    "ago before": "V",  # "vor drei Wochen", "hace dos años"
    "hence": "F",
    "hence before": ">",  # "in drei Wochen", "dans deux ans"
    "before last": "Z",
    "between": "b",
    "from": "q",
    "to": "z",
    "until": "U",
    "by": "j",
    "since": "S",
    "before": "B",
    "after": "X",
    "onwards": "O",
    "in": "P",  # a month or a year follows for certain
    "on": "y",
    "of": "f",
    "for": "w",  # a month or a year may follow
    "part of": "%",  # "end of", "middle of"
    "the": "t",
    "a": "a",
    "my": "p",
    "than": "k",  # a number that follows is no year
    "roughly": "~",
    "verb": "v",  # no month precedes it: "may be"
    "counted": "K",  # what is counted: the number before it is no year
    "every": "H",
    "part of day": "g",
    "habit": "h",  # "mornings", "Mondays"
    "lately": "r",
    "clock": "C",
}
"""The letter of each kind of word in `Locale.time_words`.

Further letters: `d` a number up to 31, `o` an ordinal, `D` one with a full stop, `Y` a year, `n` another number, `c` a
number in words, `I` a numeric date, `J` a numeric month, `E` a decade, `Q` a quarter, `M` a month, `G` one that people
are named after, `m` one in small letters that is another word too, `W` a weekday, `W` in `Locale.plain_weekdays` `@`,
`s` a season, `e` one that is another word too, `u` a unit of days or more, `i` hours and less, `x` any other word;
marks stand for themselves.
"""

_YEAR = r"(?:1[89]|20)\d\d"
_FREE = r"(?<![\w.,:/#$€£¥])(?<![A-Za-z]-)"
_TOKEN = pattern(
    r"(?P<word>(?!q[1-4]\b|(?<=\d)t\d)[^\W\d_]+(?:['’][^\W\d_]+)*)"
    rf"|(?P<iso>{_FREE}(?<!-)[12]\d{{3}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}(?=T\d|(?![\w/-]|\.\d)))"
    rf"|(?P<order>{_FREE}(?<!-)\d{{1,2}}(?P<s2>[/.-])\d{{1,2}}(?P=s2)(?:[12]\d{{3}}|\d\d)(?![\w/-]|[.,]\d))"
    rf"|(?P<han>(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号])"
    rf"|(?P<month>{_FREE}(?<!-){_YEAR}[-/](?:0[1-9]|1[0-2])(?![\w/-]))"
    r"|(?P<decade>(?<![\w.,])(?:19|20)\d0(?:['’]?s|er)\b|(?:(?<=the )|['’])[2-9]0s\b|(?<![\w.,])[2-9]0er\b)"
    r"|(?P<clock>(?<=\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z\b|[+-]\d\d:?\d\d)?"
    r"|(?<![\w.,:])\d{1,2}(?:[:.]\d\d(?::\d\d)?)?\s?(?:[ap]\.\s?m\.|[ap]m\b)"
    r"|(?<![\w.,:])\d{1,2}(?:[:.]\d\d)?\s?(?:uhr\b(?:\s\d\d\b)?|o['’]clock\b)"
    r"|(?<![\w.,:])(?:[01]?\d|2[0-4])(?::[0-5]\d(?::\d\d)?|h[0-5]\d)(?![\w:]))"
    rf"|(?P<pair>{_FREE}(?:\d{{1,2}}[-–]\d{{1,2}}|{_YEAR}\s?[-–]\s?{_YEAR})(?![\w:/%°-]|[.,]\d))"
    r"|(?P<quarter>q[1-4]\b)"
    r"|(?P<number>\d+(?:[.,]\d+)*)(?P<after>[^\W\d_]*)"
    r"|(?P<mark>[^\w\s])",
    re.IGNORECASE,
)
_LETTERS = pattern(r"[^\W\d_]+")
_DIGIT = pattern(r"\d")
_ORDINALS = frozenset("st nd rd th er re ère e º ª".split())
_DECIMAL = pattern(r"\d+[.,]\d{1,2}")
_LISTED = pattern(r"(\d{1,2}),(\d{4})")  # "December 1,2022"
REMEMBERED = 4000  # characters of a text whose reading is kept for the next who asks


class TimeReading:
    """The tokens of a text: `kinds` has a letter for each, the lists beside it their values and places."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.locale = language_of(text)
        self._words = _words_of(self.locale.code)
        self._letters: list[str] = []
        self.values: list[Any] = []
        self.starts: list[int] = []
        self.stops: list[int] = []
        if _DIGIT.search(text) or not _strong_words().isdisjoint(_LETTERS.findall(text.lower())):
            for token in _TOKEN.finditer(text):
                self._read(token)
            self._join_phrases()
        self.kinds = "".join(self._letters)

    def _add(self, letter: str, value: object, start: int, stop: int) -> None:
        self._letters.append(letter)
        self.values.append(value)
        self.starts.append(start)
        self.stops.append(stop)

    def _read(self, token: re.Match[str]) -> None:
        kind, (start, stop), shown = token.lastgroup, token.span(), token[0]
        if kind == "word":
            letter, value = self._words.look_up(shown, begins=not self._letters)
            self._add(letter, value, start, stop)
        elif kind == "mark":
            if self.stops and self.stops[-1] > start:  # of an ordinal
                return
            self._add(
                shown if shown in ".,;:!?-'’" else "-" if shown == "–" else "K" if shown in "%°" else "x",
                shown,
                start,
                stop,
            )
        elif kind in ("number", "after"):
            self._number(token)
        elif kind == "pair":
            one, two = re.split(r"\s?[-–]\s?", shown)
            letter = "Y" if len(one) == 4 else "d" if int(one) <= 31 and int(two) <= 31 else "n"
            self._add(letter, int(one), start, start + len(one))
            self._add("-", "-", start + len(one), stop - len(two))
            self._add(letter, int(two), stop - len(two), stop)
        elif kind == "clock":
            self._add("C" if (minutes := _minutes(shown)) else "x", minutes, start, stop)
        elif kind == "decade":
            year = int("".join(filter(str.isdigit, shown)))
            self._add("E", year if year > 99 else 1900 + year, start, stop)
        elif kind == "quarter":
            self._add("Q", int(shown[1]), start, stop)
        else:
            days = tuple(_numeric(kind or "", shown))
            self._add(("J" if kind == "month" else "I") if days else "x", days, start, stop)

    def _number(self, token: re.Match[str]) -> None:
        """Read digits: a day, an ordinal, a year or a count; what belongs to a sum, a code or an address is none."""
        (start, stop), digits, after = token.span("number"), token["number"], token["after"].lower()
        free = not self.text[start - 1 : start] or (
            self.text[start - 1] not in "#$€£¥/:.,_" and not self.text[start - 1].isalnum()
        )
        if free and self.text[start - 1 : start] == "-" and self.text[start - 2 : start - 1].isalpha():
            free = self.text[max(start - 6, 0) : start - 1].lower().endswith(("mid", "early", "late"))
        if after and after not in _ORDINALS and self._words.unit(after) is None:
            free = False
        if listed := _LISTED.fullmatch(digits):
            self._add("d" if int(listed[1]) <= 31 else "n", int(listed[1]), start, start + len(listed[1]))
            self._add(",", ",", start + len(listed[1]), stop - 4)
            start, digits = stop - 4, listed[2]
        if not free or not digits.isdecimal() or len(digits) > 6:
            self._add("n" if free and _DECIMAL.fullmatch(digits) else "x", digits, start, token.end())
            return
        value = int(digits)
        if after in _ORDINALS and after:
            self._add("o" if 0 < value <= 31 else "n", value, start, token.end())
        elif 0 < value <= 31:
            dotted = self._has_ordinal_stop(stop)
            self._add("D" if dotted else "d", value, start, stop + dotted)
        else:
            self._add("Y" if re.fullmatch(_YEAR, digits) else "n", value, start, stop)
        if after and after not in _ORDINALS:
            self._add(*self._words.look_up(after, begins=False), *token.span("after"))

    def _has_ordinal_stop(self, stop: int) -> bool:
        """Say whether a full stop and a month, or another day of it, follow: "5. Mai", "3. bis 5. Mai"."""
        if self.text[stop : stop + 1] != "." or not (rest := _ORDINAL_STOP.match(self.text, stop)):
            return False
        word = rest[1].lower()
        return self.locale.code == "de" or (word in _dotted_months() and word not in LOCALES["en"].months)

    def _join_phrases(self) -> None:
        """Make one token of phrases such as "day before yesterday"."""
        phrases, place = self._words.phrases, 0
        while place < len(self._letters):
            shown = self.text[self.starts[place] : self.stops[place]].lower()
            for words, letter, value in phrases.get(shown, ()):
                end = place + len(words)
                there = (
                    self.text[a:b].lower() for a, b in zip(self.starts[place:end], self.stops[place:end], strict=True)
                )
                if tuple(there) == words:
                    self._letters[place:end], self.values[place:end] = [letter], [value]
                    self.stops[place:end] = [self.stops[end - 1]]
                    self.starts[place + 1 : end] = []
                    break
            place += 1


_ORDINAL_STOP = pattern(r"\.\s+([^\W\d_]+|[-–])")


@cache
def _dotted_months() -> frozenset[str]:
    return frozenset(LOCALES["de"].months)


def _numeric(kind: str, shown: str) -> Iterator[Day]:
    """Yield the days that digits may name; none where there is no such day."""
    parts = [int(part) for part in re.findall(r"\d+", shown)]
    if kind == "han":
        found = [(0, *parts) if len(parts) == 2 else tuple(parts)]
    elif kind == "iso":
        found = [tuple(parts)]
    elif kind == "month":
        found = [(*parts, 0)]
    else:
        one, two, year = parts
        short = len(re.findall(r"\d+", shown)[2]) == 2
        if short and "/" not in shown and not re.fullmatch(r"\d\d.\d\d.\d\d", shown):
            return
        year += 2000 if short else 0
        found = [(year, two, one)] if "." in shown else sorted({(year, two, one), (year, one, two)})
    for year, month, day in found:
        if month and is_day((year, month, day)):
            yield year, month, day


def is_day(day: Day) -> bool:
    """Say whether there is such a day; what is open may be any."""
    year, month, number = day
    try:
        date(year or 2000, month or 1, number or 1)
    except ValueError:
        return False
    return True


def _minutes(shown: str) -> frozenset[int]:
    """Return the minutes of the day that a clock time may mean."""
    half = re.search(r"\d\s?([ap])\.?\s?m", shown, re.IGNORECASE)
    hour, minute, *_ = (*map(int, re.findall(r"\d+", shown)), 0)
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return frozenset()
    if half:
        return frozenset([(hour % 12 + (12 if half[1].lower() == "p" else 0)) * 60 + minute])
    minutes = hour % 24 * 60 + minute
    return frozenset([minutes, minutes + 720] if 1 <= hour < 12 and not shown.startswith("T") else [minutes])


class _Words:
    """What kind of word each word is in a text of a language; names of days in all other languages count too."""

    def __init__(self, code: str) -> None:
        self._known: dict[str, tuple[str, Any]] = {}
        self._exact: dict[str, tuple[str, Any]] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
        self._units: dict[str, tuple[str, Any]] = {}
        for other in LOCALES.values():
            if other.code != code:
                self._add_names(other)
        self._add(LOCALES[code])
        for found in self.phrases.values():
            found.sort(key=lambda phrase: -len(phrase[0]))

    def look_up(self, word: str, *, begins: bool) -> tuple[str, Any]:
        """Return the letter and the value of a word; a capital at the beginning of a text is ignored."""
        small = word.lower().replace("’", "'")
        if found := (None if begins and small in self._known else self._exact.get(word)) or self._known.get(small):
            return found
        if word in self._exact:
            return self._exact[word]
        head, mark, rest = small.rpartition("'")
        if mark and rest == "s":
            return self._known.get(head, ("p", head))
        return self._known.get(rest, ("x", small)) if mark and len(head) < 3 else ("x", small)

    def unit(self, word: str) -> tuple[str, Any] | None:
        """Return a unit of time by its name or sign."""
        return self._units.get(word)

    def _put(self, word: str, letter: str, value: object) -> None:
        parts = tuple(token[0].lower() for token in _TOKEN.finditer(word.replace("_", " ")))
        if len(parts) > 1:
            self.phrases.setdefault(parts[0], []).append((parts, letter, value))
        else:
            self._known[word] = letter, value

    def _add_names(self, locale: Locale) -> None:
        for name, number in locale.months.items():
            self._known[name] = "G" if name in locale.namesakes else "M", number
        for name, number in locale.weekdays.items():
            self._known[name] = "W", number
        for name in locale.capital_names:
            self._known.pop(name.lower(), None)
            small = name.lower()
            weekday = small in locale.weekdays
            self._exact[name] = ("W", locale.weekdays[small]) if weekday else ("M", locale.months[small])

    def _add(self, locale: Locale) -> None:
        for kind, words in locale.time_words.items():
            for word in words.split():
                self._put(word, LETTERS[kind], word)
        self._add_units(locale)
        self._add_counts(locale)
        for name, month in locale.seasons.items():
            self._known[name] = "e" if name in locale.namesakes else "s", month
        self._add_names(locale)
        self._add_other_readings(locale)

    def _add_units(self, locale: Locale) -> None:
        for unit, names in locale.units.items():
            letter = "i" if unit in ("second", "minute", "hour") else "u"
            for name in names.split():
                self._units[name] = letter, unit
                if letter == "u" or len(name) > 2:
                    self._put(name, letter, "day" if unit == "night" else unit)

    def _add_counts(self, locale: Locale) -> None:
        for word, value in locale.numbers.items():
            if value > 0:
                self._known[word] = "c", (value, value)
        for word, least_most in locale.vague_counts.items():
            self._put(word, "c", least_most)
        for word, step in locale.near.items():
            self._put(word, "r", step)
        for word, minutes in locale.clock_words.items():
            self._put(word, "C", frozenset([minutes]))

    def _add_other_readings(self, locale: Locale) -> None:
        """Add what is a time in one reading alone: ordinary words that name a weekday or month, words with capitals."""
        for name, number in locale.weekdays.items():
            if name in locale.plain_weekdays:
                self._known[name] = "@", number
        for name in locale.capital_names:
            if name.lower() in locale.months:
                self._known[name.lower()] = "m", locale.months[name.lower()]
        self._exact |= {word: (LETTERS[kind], word) for word, kind in locale.capital_words.items()}


@cache
def _strong_words() -> frozenset[str]:
    """Return the words of which a text without digits must have one to name a time."""
    found = set[str]()
    for locale in LOCALES.values():
        found |= {*locale.months, *locale.weekdays, *locale.seasons, *locale.near, *locale.clock_words}
        found |= {name for names in locale.units.values() for name in names.split()}
        found |= {word for kind in ("lately", "habit", "ago") for word in locale.time_words.get(kind, "").split()}
    return frozenset(part for name in found for part in _LETTERS.findall(name.replace("_", " ")) if len(part) > 1)


@cache
def _words_of(code: str) -> _Words:
    return _Words(code)


def read_times(text: str) -> TimeReading:
    """Return the words of a text that name times; short texts are remembered."""
    return _remembered(text) if len(text) <= REMEMBERED else TimeReading(text)


_remembered = lru_cache(64)(TimeReading)


@cache
def calendar_words() -> frozenset[str]:
    """Return the names of days, months, seasons and holidays, in every language."""
    found = set[str]()
    for locale in LOCALES.values():
        names = {*locale.months, *locale.weekdays, *locale.seasons} - locale.namesakes
        found |= {name for name in names if len(name) > 3} | locale.holidays | {f"{day}s" for day in locale.weekdays}
    return frozenset(found | {"april", "june", "august", "may", "mai", "juni", "juli"})
