"""The parser of dates in text: `time_expressions` returns relative and absolute days and intervals, in any language.

A text is mapped to a string with one letter for each token (`LETTERS`), so that a rule is a regular expression over
classes of words and holds for all languages; the words of each class are data of a language.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import MAXYEAR, date, timedelta
from functools import cache, lru_cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from engrain.language import calendar
from engrain.language.calendar import CLOCK_END, Day, Span, period, season_of, shifted, weekday_after, weekday_before
from engrain.language.cues import is_rescheduled, looks_ahead
from engrain.language.locales import LOCALES, Locale, language_of, one_of, union
from engrain.text import ALIKE, pattern

_ROWS = (Path(__file__).parent / "time_letters.txt").read_text(encoding="utf-8").splitlines()
LETTERS = dict(row.partition("  #")[0].split(" = ") for row in _ROWS if not row.startswith("#"))
"""The letter of each class of words in `Locale.time_words`.

Further letters: `d` a number up to 31, `o` an ordinal, `D` one with a full stop, `1` a day without a month
("le 5"), `Y` a year, `n` another number, `c` a number in words, `I` a numeric date, `J` a numeric month, `E` a
decade, `Q` a quarter, `M` a month, `G` one that is also a given name, `m` one in lower case that is also another
word, `W` a weekday, `W` in `Locale.plain_weekdays` `@`, `s` a season, `e` one that is also another word, `u` a unit
of days or more, `i` hours and less, `x` any other word; punctuation marks are their own letters.
"""

_YEAR = r"(?:1[89]|20)\d\d"
_FREE = r"(?<![\w.,:/#$€£¥])(?<![A-Za-z]-)"
_TOKEN = pattern(
    r"(?P<word>(?!q[1-4]\b|(?<=\d)t\d)[^\W\d_]+(?:['’][^\W\d_]+)*)"
    rf"|(?P<iso>{_FREE}(?<!-)[12]\d{{3}}(?P<s1>[-/.])\d{{1,2}}(?P=s1)\d{{1,2}}(?=T\d|(?![\w/-]|\.\d)))"
    rf"|(?P<order>{_FREE}(?<!-)\d{{1,2}}(?P<s2>[/.-])\d{{1,2}}(?P=s2)(?:[12]\d{{3}}|\d\d)(?![\w/-]|[.,]\d))"
    rf"|(?P<short>{_FREE}(?<!-)\d{{1,2}}(?:\.\d{{1,2}}\.|/\d{{1,2}})(?![\w/-]|[.,]?\d))"
    rf"|(?P<han>(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号])"
    rf"|(?P<month>{_FREE}(?<!-){_YEAR}[-/](?:0[1-9]|1[0-2])(?![\w/-]))"
    r"|(?P<decade>(?<![\w.,])(?:19|20)\d0(?:['’]?s|er)\b|(?:(?<=the )|['’])[2-9]0s\b|(?<![\w.,])[2-9]0er\b)"
    r"|(?P<clock>(?<=\d)T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z\b|[+-]\d\d:?\d\d)?"
    r"|(?<![\w.,:])\d{1,2}(?:[:.]\d\d(?::\d\d)?)?\s?(?:[ap]\.\s?m\.|[ap]m\b)"
    r"|(?<![\w.,:])\d{1,2}(?:[:.]\d\d)?\s?(?:uhr\b(?:\s\d\d\b)?|o['’]clock\b)"
    r"|(?<![\w.,:])(?:[01]?\d|2[0-4])(?::[0-5]\d(?::\d\d)?|\s?h\s?[0-5]\d)(?![\w:])"
    rf"|(?:{calendar.CLOCK_LEAD})(?:[01]?\d|2[0-4])(?:\s?h(?:eures)?\b)?(?=\s*(?:$|[,;!?)\n]|\.(?!\d)|(?:{CLOCK_END})\b)))"
    rf"|(?P<pair>{_FREE}(?:\d{{1,2}}[-–]\d{{1,2}}|{_YEAR}\s?[-–]\s?{_YEAR})(?![\w:/%°-]|[.,]\d))"
    r"|(?P<quarter>q[1-4]\b)"
    r"|(?P<number>\d+(?:[.,]\d+)*)(?P<after>[^\W\d_]*)"
    r"|(?P<mark>[^\w\s])",
    re.IGNORECASE,
)
_PLAIN_TOKEN = pattern(r"(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)|(?P<mark>[^\w\s])")  # of a text without digits
_ANY_DIGIT = pattern(r"\d")
_MARKS = {mark: mark for mark in ".,;:!?-'’()"} | {"–": "-", "%": "K", "°": "K"}
_DIGIT = pattern(r"(?<![A-Za-z.\d])\d|[qQ][1-4]\b")  # possible start of a time: not "APT28"
_ORDINALS = frozenset("st nd rd th er re ère e º ª".split())
_DECIMAL = pattern(r"\d+[.,]\d{1,2}")
_NOON = 12
_LISTED = pattern(r"(\d{1,2}),(\d{4})")  # "December 1,2022"
REMEMBERED = 4000  # characters of a text up to which its parse is cached
_ORDINAL_STOP = pattern(r"\.\s+([^\W\d_]+|[-–])")
_ALONE = pattern(  # after "le 5": the end, a time of day, in German a word in lower case
    rf"\.?\s*(?:$|[,;!?)\n]|(?<=\s)(?:{one_of(union('clock_leads'))}|a las)\s)"
    rf"|\.\s+(?!(?i:{one_of({*LOCALES['de'].months, 'bis', 'und', 'oder'})})\b)[a-zäöü]"
)
_STRONG = pattern("[rCIJEQMGmW@sYuicodDhgn1]")
READ = 2000  # characters of a question that are parsed
_TO = "[zUj-]"
_OF_YEAR = r"(?:\.?,?f*(?P<year>Y)(?!K))?"
_NO_COUNT = "(?![Kuiv])"
_WHICH = r"(?P<which>T[LN]|[LlTN+])"
_IN = "[P>SUBVXb]"
_NAMED = "(?P<at>(?:(?P<weekday>[W@])[,.]?[ty]?)?"  # a weekday may precede a date
_AIM = pattern(r"[wzUj][ty]?$")
_OPEN = pattern(r"(?:(?P<before>[BV])|(?P<until>[Uj])|(?P<since>S)|(?P<after>X))[P>yt]*-?$")
_FROM = pattern(r"[bqf]t?$")
_PARTICLE = 2  # letters: "an" ends "von Montag an" and "fängt am Montag an"; only after "von" it is "from"
_RANGE_TO = pattern(r"[zUw-]t?")


class Token(NamedTuple):
    """A token `text[start:stop]`: the letter of its class, and its value."""

    letter: str
    value: Any
    start: int
    stop: int


class TimeReading:
    """The tokens of a text; `kinds` is the string of their letters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.locale: Final = language_of(text)
        self._words = _words_of(self.locale.code)
        self.tokens: list[Token] = []
        letters, has_digit = calendar.WORD.findall(text.lower()), _ANY_DIGIT.search(text) is not None
        clocks = [] if self._words.clocks.isdisjoint(letters) else list(self._clocks())
        if clocks or not calendar.strong_words().isdisjoint(letters) or (has_digit and _DIGIT.search(text)):
            tokens, look_up = self.tokens, self._words.look_up
            for found in (_TOKEN if has_digit else _PLAIN_TOKEN).finditer(text):
                if found.lastgroup == "word":  # the common case
                    tokens.append(Token(*look_up(found[0], begins=not tokens), *found.span()))
                else:
                    tokens += self._read(found)
            if not self._words.phrases.keys().isdisjoint(letters):
                self._join_phrases()
            if not self.locale.day_ordinals.keys().isdisjoint(letters):
                self._read_ordinals()
        for clock in clocks:
            low = sum(token.stop <= clock.start for token in self.tokens)
            high = sum(token.start < clock.stop for token in self.tokens)
            self.tokens[low:high] = [clock]
        self.kinds: Final = "".join([token.letter for token in self.tokens])

    def _read_ordinals(self) -> None:
        """Classify the ordinals in words before a month: "the third of June"."""
        shown = [self.text[token.start : token.stop].lower() for token in self.tokens]
        for at, (token, word) in enumerate(zip(self.tokens, shown, strict=True)):
            behind = at + 2 if shown[at + 1 : at + 2] and shown[at + 1] in self.locale.owner_links else at + 1
            if word in self.locale.day_ordinals and behind < len(shown) and self.tokens[behind].letter in "MG":
                self.tokens[at] = token._replace(letter="o", value=self.locale.day_ordinals[word])

    def _clocks(self) -> Iterator[Token]:
        """Yield the times of day in words: "half past six", "at six"."""
        hours = calendar.clock_hours(self.locale)
        for found in calendar.clocks_in_words(self.locale).finditer(self.text):
            hour, after = next((shown.lower(), name) for name, shown in found.groupdict().items() if shown)
            hour = hour.translate(ALIKE)
            minutes = ((int(hour) if hour.isdigit() else hours[hour]) * 60 + calendar.CLOCK_MINUTES[after[0]]) % 1440
            is_late = not hour.isdigit() and hours[hour] > _NOON
            yield Token("C", frozenset([minutes] if is_late else [minutes, (minutes + 720) % 1440]), *found.span())

    def _read(self, found: re.Match[str]) -> Iterator[Token]:
        kind, (start, stop), shown = found.lastgroup, found.span(), found[0]
        if kind == "mark":
            if not self.tokens or self.tokens[-1].stop <= start:  # else it is part of an ordinal
                yield Token(_MARKS.get(shown, "x"), shown, start, stop)
        elif kind in ("number", "after"):
            yield from self._number(found)
        elif kind == "pair":
            one, two = re.split(r"\s?[-–]\s?", shown)
            letter = "Y" if len(one) == 4 else "d" if int(one) <= 31 and int(two) <= 31 else "n"
            yield Token(letter, int(one), start, start + len(one))
            yield Token("-", "-", start + len(one), stop - len(two))
            yield Token(letter, int(two), stop - len(two), stop)
        elif kind == "clock":
            yield Token("C" if (minutes := clock_minutes(shown)) else "x", minutes, start, stop)
        elif kind == "short" and (not self.tokens or self.tokens[-1].letter not in "yUSW@" + "qz" * ("." in shown)):
            yield Token("x", shown, start, stop)  # "version 2.3.", "1/2"
        elif kind == "decade":
            year = int("".join(filter(str.isdigit, shown)))
            yield Token("E", year if year > 99 else 1900 + year, start, stop)
        elif kind == "quarter":
            yield Token("Q", int(shown[1]), start, stop)
        else:
            days = tuple(numeric_days(kind or "", shown))
            yield Token(("J" if kind == "month" else "I") if days else "x", days, start, stop)

    def _number(self, found: re.Match[str]) -> Iterator[Token]:
        """Classify digits as a day, an ordinal, a year or a count; not those of a sum, a code or an address."""
        (start, stop), digits, after = found.span("number"), found["number"], found["after"].lower()
        before = self.text[start - 1 : start]
        free = not before or (before not in "#$€£¥/:.,_" and not before.isalnum())
        if free and before == "-" and self.text[start - 2 : start - 1].isalpha():
            free = self.text[max(start - 6, 0) : start - 1].lower().endswith(("mid", "early", "late"))
        if after and after not in _ORDINALS and after not in self._words.units:
            free = False
        if listed := _LISTED.fullmatch(digits):
            yield Token("d" if int(listed[1]) <= 31 else "n", int(listed[1]), start, start + len(listed[1]))
            yield Token(",", ",", start + len(listed[1]), stop - 4)
            start, digits = stop - 4, listed[2]
        if not free or not digits.isdecimal() or len(digits) > 6:
            yield Token("n" if free and _DECIMAL.fullmatch(digits) else "x", digits, start, found.end())
            return
        value = int(digits)
        if after in _ORDINALS:
            yield Token("o" if 0 < value <= 31 else "n", value, start, found.end())
            return
        if 0 < value <= 31:
            before = str(self.tokens[-1].value).lower() if self.tokens else ""
            if before in self.locale.day_leads and _ALONE.match(self.text, stop):
                yield Token("1", value, start, stop)
            else:
                dotted = self.text[stop : stop + 1] == "." and self._has_ordinal_stop(stop)
                yield Token("D" if dotted else "d", value, start, stop + dotted)
        else:
            yield Token("Y" if re.fullmatch(_YEAR, digits) else "n", value, start, stop)
        if after:
            yield Token(*self._words.look_up(after, begins=False), *found.span("after"))

    def _has_ordinal_stop(self, stop: int) -> bool:
        """Return whether a full stop and a month, or another day of it, follow: "5. Mai", "3. bis 5. Mai"."""
        if (rest := _ORDINAL_STOP.match(self.text, stop)) is None:
            return False
        word = rest[1].lower()
        return self.locale.has_ordinal_stops or (word in LOCALES["de"].months and word not in LOCALES["en"].months)

    def _join_phrases(self) -> None:
        """Merge phrases such as "day before yesterday" into one token."""
        tokens, place = self.tokens, 0
        while place < len(tokens):
            first = tokens[place]
            for words, letter, value in self._words.phrases.get(self.text[first.start : first.stop].lower(), ()):
                run = tokens[place : place + len(words)]
                if tuple(self.text[token.start : token.stop].lower() for token in run) == words:
                    tokens[place : place + len(words)] = [Token(letter, value, first.start, run[-1].stop)]
                    break
            place += 1


def numeric_days(kind: str, shown: str) -> Iterator[Day]:
    """Yield the valid days that digits may denote."""
    parts = [int(part) for part in re.findall(r"\d+", shown)]
    found: list[tuple[int, ...]]
    if kind == "short":
        one, two = parts
        found = [(0, two, one)] if "." in shown else sorted({(0, two, one), (0, one, two)})
    elif kind in ("han", "iso"):
        found = [(0, *parts) if len(parts) == 2 else tuple(parts)]
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
    """Return whether a day exists; 0 matches any part."""
    year, month, number = day
    return month <= 12 and year <= MAXYEAR and number <= monthrange(year or 2000, month or 1)[1]


def clock_minutes(shown: str) -> frozenset[int]:
    """Return the minutes of the day that a clock time may denote."""
    half = re.search(r"\d\s?([ap])\.?\s?m", shown, re.IGNORECASE)
    hour, minute, *_ = (*map(int, re.findall(r"\d+", shown)), 0)
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return frozenset()
    if half:
        return frozenset([(hour % 12 + (12 if half[1].lower() == "p" else 0)) * 60 + minute])
    minutes = hour % 24 * 60 + minute
    return frozenset([minutes, minutes + 720] if 1 <= hour < 12 and not shown.startswith("T") else [minutes])


class _Words:
    """The class of each word in a language; names of days count in all languages."""

    def __init__(self, code: str) -> None:
        self.phrases: dict[str, list[tuple[tuple[str, ...], str, Any]]] = {}
        self.units = set[str]()
        self._known: dict[str, tuple[str, Any]] = {}
        self._exact: dict[str, tuple[str, Any]] = {}
        for other in LOCALES.values():
            if other.code != code:
                self._add_names(other)
        locale = LOCALES[code]
        self.clocks = calendar.clock_words(locale)
        self._add_words(locale)
        self._known |= {name: ("e" if name in locale.namesakes else "s", at) for name, at in locale.seasons.items()}
        self._add_names(locale)
        self._known |= {name: ("@", locale.weekdays[name]) for name in locale.plain_weekdays}
        for name in {name.lower() for name in locale.capital_names} & locale.months.keys():
            self._known[name] = "m", locale.months[name]
        self._exact |= {word: (LETTERS[kind], word) for word, kind in locale.capital_words.items()}
        for found in self.phrases.values():
            found.sort(key=lambda phrase: -len(phrase[0]))

    def look_up(self, word: str, *, begins: bool) -> tuple[str, Any]:
        """Return the letter and the value of a word; its capital is ignored at the beginning of a text."""
        small = word.lower().replace("’", "'")
        if found := (None if begins and small in self._known else self._exact.get(word)) or self._known.get(small):
            return found
        head, mark, rest = small.rpartition("'")
        if mark and rest == "s":
            return self._known.get(head, ("p", head))
        return self._known.get(rest, ("x", small)) if mark and len(head) < 3 else ("x", small)

    def _put(self, word: str, letter: str, value: object) -> None:
        parts = tuple(token[0].lower() for token in _PLAIN_TOKEN.finditer(word.replace("_", " ")))
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
            self._known.pop(small := name.lower(), None)
            weekday = small in locale.weekdays
            self._exact[name] = ("W", locale.weekdays[small]) if weekday else ("M", locale.months[small])

    def _add_words(self, locale: Locale) -> None:
        for kind, words in locale.time_words.items():
            for word in words.split():
                self._put(word, LETTERS[kind], word)
        for unit, names in locale.units.items():
            letter = "i" if unit in ("second", "minute", "hour") else "u"
            self.units.update(names.split())
            for name in names.split():
                if letter == "u" or len(name) > 2:
                    self._put(name, letter, "day" if unit == "night" else unit)
        counts = {word: (value, value) for word, value in locale.all_numbers.items() if value > 0}
        for word, least_most in (counts | dict(locale.vague_counts)).items():
            self._put(word, "c", least_most)
        for word, step in locale.near.items():
            self._put(word, "r", step)
        for word, minutes in locale.clock_words.items():
            self._put(word, "C", frozenset([minutes]))


_words_of = cache(_Words)


def read_times(text: str) -> TimeReading:
    """Return the classified tokens of a text; short texts are cached."""
    return _remembered(text) if len(text) <= REMEMBERED else TimeReading(text)


_remembered = lru_cache(64)(TimeReading)


_COUNT, _ANY_MONTH, _A_DAY = "[cadn]", "[MGm]", "[doD]"


@dataclass(frozen=True, slots=True)
class _Found:
    """A match of a rule with its tokens; `assumed` is the rule's default direction, True for the future."""

    reading: TimeReading
    match: re.Match[str]
    assumed: bool = True
    aims: bool = False

    @property
    def tokens(self) -> tuple[int, int]:
        """The token indices, without context words."""
        return self.match.span("at" if "at" in self.match.re.groupindex else 0)

    @property
    def place(self) -> tuple[int, int]:
        """The span in the text, without a weekday before a date."""
        begin, stop = self.match.span("date") if "date" in self.match.re.groupindex else self.tokens
        return self.reading.tokens[begin].start, self.reading.tokens[stop - 1].stop

    def direction(self) -> bool | None:
        """Return whether the context is in the future, None where it does not show it."""
        aims = self.aims or _AIM.search(self.reading.kinds, max(0, self.tokens[0] - 2), self.tokens[0]) is not None
        return looks_ahead(self.reading.text, *self.place, aims=aims)

    def ahead(self) -> bool:
        """Return whether it is the next of its kind rather than the last: by the context, else by default."""
        found = self.direction()
        return self.assumed if found is None else found

    def __getitem__(self, name: str) -> Any:
        """Return the value of a group, None without a match."""
        place = self.match.start(name) if name in self.match.re.groupindex else -1
        return None if place < 0 or self.match.end(name) == place else self.reading.tokens[place].value

    def letters(self, name: str) -> str:
        """Return the letters of a group."""
        return self.match[name] or ""

    def count(self) -> tuple[int, int]:
        """Return the minimum and maximum of the number named; 1 by default."""
        value = self["count"]
        return value if isinstance(value, tuple) else (value, value) if isinstance(value, int) else (1, 1)

    def is_past(self) -> bool:
        """Return whether the words refer to the past: "ago"."""
        return not {"A", "V"}.isdisjoint(self.match[0])

    def year(self) -> int:
        """Return the year that is named, or that follows its pair ("May and July 2023"); 0 for none."""
        if (own := self["year"]) is not None:
            return int(own)
        ahead = _YEAR_AHEAD.match(self.reading.kinds, self.match.end())
        return int(self.reading.tokens[ahead.start("year")].value) if ahead else 0

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
    names: Name


_RULES: list[_Rule] = []  # the rules in order of priority: tokens matched by one are not available to later ones


def _rule(kind: str, *expressions: str, names: Name = lambda found: ()) -> Callable[[Resolve], Resolve]:
    """Return a decorator that adds rules of a kind; `names` returns the days that are independent of the present."""

    def add(resolve: Resolve) -> Resolve:
        _RULES.extend(_Rule(pattern(each), kind, resolve, names) for each in expressions)
        return resolve

    return add


_YEAR_AHEAD = pattern(rf"[zU,-]t?(?:{_A_DAY}f?)?{_ANY_MONTH}?{_A_DAY}?,?f?(?P<year>Y)")


@_rule("day", rf"{_NAMED}(?P<date>(?P<days>I)))", names=lambda found: found["days"])
def _numeric_day(found: _Found, today: date) -> Iterator[Span]:
    """Yield both readings, day first and month first, where both are valid."""
    for year, month, day in found["days"]:
        yield _yearly(found, today, partial(_on, month, day), year)


@_rule(
    "range",
    rf"{_NAMED}(?P<date>(?P<day>{_A_DAY}){_TO}(?P<until>{_A_DAY})f?(?P<month>{_ANY_MONTH})(?!v){_OF_YEAR}))",
    rf"{_NAMED}(?P<date>(?P<month>{_ANY_MONTH})\.?(?P<day>{_A_DAY}){_TO}(?P<until>{_A_DAY}){_NO_COUNT}{_OF_YEAR}))",
    names=lambda found: [(found.year(), found["month"], found["day"]), (found.year(), found["month"], found["until"])],
)
def _days_of_month(found: _Found, today: date) -> Iterator[Span]:
    first, last = (found["month"], found["day"]), (found["month"], found["until"])
    yield _yearly(found, today, lambda year: Span(date(year, *first), date(year, *last) + timedelta(1), "range"))


@_rule(
    "day",
    rf"{_NAMED}(?P<date>(?P<day>{_A_DAY})f?(?P<month>{_ANY_MONTH})(?!v){_OF_YEAR}))",
    rf"{_NAMED}(?P<date>(?P<month>[MG])\.?t?(?P<day>{_A_DAY}){_NO_COUNT}{_OF_YEAR}))",
    rf"(?<![xpktHLlvM])(?P<month>m)t?(?P<day>{_A_DAY}){_NO_COUNT}{_OF_YEAR}",
    names=lambda found: [(found.year(), found["month"], found["day"])],
)
def _day_of_month(found: _Found, today: date) -> Iterator[Span]:
    yield _yearly(found, today, partial(_on, found["month"], found["day"]))


@_rule(
    "day",
    "(?:[yUjwzqSBX]t|^t?)(?P<at>(?P<day>o))(?=[!?.,;)]|$|x?C)",
    "(?P<day>1)",
    names=lambda found: [(0, 0, found["day"])],
)
def _day_alone(found: _Found, today: date) -> Iterator[Span]:
    day, now = found["day"], today.year * 12 + today.month - 1
    yield _chosen(found, today, lambda month: _on(month % 12 + 1, day, month // 12), range(now - 3, now + 4))


@_rule("month", "(?P<days>J)", names=lambda found: found["days"])
def _numeric_month(found: _Found, today: date) -> Iterator[Span]:
    yield from (period(date(year, month, 1), "month") for year, month, _ in found["days"])


@_rule("range", "(?P<quarter>Q),?f?(?P<year>Y)", "[P>SUjw]t?(?P<at>(?P<quarter>Q))")
def _quarter(found: _Found, today: date) -> Iterator[Span]:
    yield _yearly(found, today, lambda year: period(date(year, 3 * found["quarter"], 1), "quarter"))


@_rule("range", "(?P<year>E)")
def _decade(found: _Found, today: date) -> Iterator[Span]:
    yield period(date(found["year"], 1, 1), "decade")


@_rule("near", "(?P<step>r)")
def _near(found: _Found, today: date) -> Iterator[Span]:
    if isinstance(found["step"], int):  # "recently" denotes no day
        yield period(today + timedelta(found["step"]), "day")


@_rule("ago", rf"(?P<count>{_COUNT})(?P<unit>[ui])[AF]", rf"[V>](?P<count>{_COUNT})(?P<unit>u|(?P<hours>i))(?![XB])")
def _away(found: _Found, today: date) -> Iterator[Span]:
    if found.match[0].startswith(">") and (found.direction() is False or (found["hours"] and not found.direction())):
        return  # a duration
    yield _distant(today, found.count(), found["unit"], -1 if found.is_past() else 1)


@_rule(
    "day",
    rf"(?P<weekday>[W@])f?t?{_WHICH}(?P<week>u)",
    "(?P<weekday>[W@])f?t?(?P<week>u)(?P<which>[l+])",
    rf"{_WHICH}(?P<week>u)y?(?P<weekday>[W@])",
)
def _weekday_of_week(found: _Found, today: date) -> Iterator[Span]:
    if found["week"] == "week":
        yield period(shifted(today + timedelta(found["weekday"] - today.weekday()), found.step(), "week"), "day")


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
    elif counted or unit != "day":  # "on the last day" is not relative to the present
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


@_rule("range", "(?P<unit>u)(?P<which>[Z2])", "(?P<which>[Z2])(?P<unit>u)")
def _second(found: _Found, today: date) -> Iterator[Span]:
    yield period(shifted(today, -2 if found.letters("which") == "Z" else 2, found["unit"]), found["unit"])


@_rule("month", rf"{_WHICH}(?P<month>{_ANY_MONTH})(?![vdoDY])", rf"(?P<month>{_ANY_MONTH})(?P<which>[l+])")
def _month_near(found: _Found, today: date) -> Iterator[Span]:
    step, month = found.step(), found["month"]
    if step or found.letters("month") != "m":  # "this may be"
        year = today.year + (step if (month - today.month) * step <= 0 else 0)
        yield period(date(year, month, 1), "month")


@_rule("season", rf"{_WHICH}(?P<season>[se])", "(?P<season>[se])(?P<which>[l+])")
def _season_near(found: _Found, today: date) -> Iterator[Span]:
    step = found.step()
    near = [season_of(found["season"], today.year + number) for number in (-2, -1, 0, 1)]
    over, to_come = [one for one in near if one.after <= today], [one for one in near if one.first > today]
    now = next((one for one in near if one.first <= today < one.after), near[2])
    yield over[-1] if step < 0 else to_come[0] if step > 0 else now


@_rule("weekday", rf"{_WHICH}(?P<weekday>[W@])(?!f)", "(?P<weekday>[W@])(?P<which>[l+])")
def _weekday_near(found: _Found, today: date) -> Iterator[Span]:
    step, weekday = found.step(), found["weekday"]
    day = today + timedelta(weekday - today.weekday())
    if step == 0:  # the one of this week, unless the context has the other direction
        step = 1 if day < today and found.ahead() else -1 if day > today and found.direction() is False else 0
    yield period((weekday_before(today, weekday), day, weekday_after(today, weekday))[step + 1], "day")


@_rule(
    "day",
    "y(?P<at>(?P<weekday>[W@]))(?!h)",
    "(?<![tH])(?P<at>(?P<weekday>@))",
    "(?<!H[W@])[UjwzqfSBXV]t?(?P<at>(?P<weekday>W))(?!h)",
    "(?:(?<![tHpa(,z])|(?<=[^MGY],))(?P<at>(?P<weekday>W))(?=[.,;:!?)guybq>PU-]|$|x?C)",
    "(?:^|(?<=[.!?]))(?P<at>(?P<weekday>W))(?P<behind>x)",
)
def _weekday(found: _Found, today: date) -> Iterator[Span]:
    weekday, locale, behind = found["weekday"], found.reading.locale, found["behind"]
    if behind and not locale.has_noun_capitals and str(behind) not in locale.subjects:
        return  # "Friday deployments", not "Friday we fly", "Freitag fliege ich"
    after = found.reading.text[found.place[1] :][:2].strip()
    if found.match[0][0] in "wzqf" and after.isupper() and not locale.has_noun_capitals:
        return  # "for Monday Motivation"
    day = weekday_after(today, weekday) if found.ahead() else weekday_before(today + timedelta(1), weekday)
    yield period(day, "day")


@_rule("range", rf"[bq](?P<at>(?P<month>{_ANY_MONTH})[zU-](?P<until>{_ANY_MONTH}))(?![vdoDY]|f+Y)")
def _month_to_month(found: _Found, today: date) -> Iterator[Span]:
    last = _yearly(found, today, lambda year: period(date(year, found["until"], 1), "month"))
    year = last.first.year - (found["month"] > last.first.month)
    yield Span(date(year, found["month"], 1), last.after, "range")


@_rule(
    "month",
    rf"(?P<month>{_ANY_MONTH})\.?,?f*(?P<year>Y)(?!K)",
    rf"{_IN}-?(?P<at>(?P<month>{_ANY_MONTH}))(?!v)",
    rf"[%u]f(?P<at>(?P<month>{_ANY_MONTH}))(?!v)",
    "[fqzjw](?P<at>(?P<month>M))(?!v)",
    names=lambda found: [(found.year(), found["month"], 0)],
)
def _month_of_year(found: _Found, today: date) -> Iterator[Span]:
    yield _yearly(found, today, lambda year: period(date(year, found["month"], 1), "month"))


@_rule(
    "season",
    "(?P<season>[se]),?f*(?P<year>Y)(?!K)",
    "(?P<year>Y)(?P<season>[se])",
    "[P>SUjw]t?(?P<at>(?P<season>s))",
    "[P>S]t?(?P<at>(?P<season>e))",
    "[BX](?P<at>(?P<season>s))",
)
def _season_of_year(found: _Found, today: date) -> Iterator[Span]:
    yield _yearly(found, today, lambda year: season_of(found["season"], year))


@_rule(
    "range", "(?P<year>Y)[zU-](?P<until>Y)(?!K)", names=lambda found: [(found["year"], 0, 0), (found["until"], 0, 0)]
)
def _years(found: _Found, today: date) -> Iterator[Span]:
    one, two = sorted((found["year"], found["until"]))
    yield Span(date(one, 1, 1), date(two + 1, 1, 1), "range")


# The rule below takes precedence.
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


@_rule("year", "x(?P<at>(?P<bare>Y))(?!K)", names=lambda found: [(found["bare"], 0, 0)] if _is_bare(found) else [])
def _bare_year(found: _Found, today: date) -> Iterator[Span]:
    if _is_bare(found):
        yield period(date(found["bare"], 1, 1), "year")


def _is_bare(found: _Found) -> bool:
    """Return whether a number is a year without a preposition: "born 1961", and in German "wurde 1961 geboren"."""
    text, locale = found.reading.text, found.reading.locale
    lead, year = (found.reading.tokens[at] for at in range(found.match.start(), found.match.end()))
    before, after = text[lead.start : lead.stop], text[year.stop :].lstrip()[:1]
    is_free = locale.has_bare_years and before.islower() and not (after.isupper() or after.isdigit())
    is_free = is_free and year.value % 100 != 0  # a round number is more often a count
    return before.lower() in locale.year_leads or is_free


def _yearly(found: _Found, today: date, of: Callable[[int], Span], year: int | None = None) -> Span:
    """Return the span of the named year; without a year the last or the next, by the context."""
    named = found.year() if year is None else year
    return of(named) if named else _chosen(found, today, of, range(today.year - 9, today.year + 10))


def _on(month: int, day: int, year: int) -> Span:
    return period(date(year, month, day), "day")


def _chosen(found: _Found, today: date, of: Callable[[int], Span], numbers: Iterable[int]) -> Span:
    """Return the last or next span by the context (today counts as both), preferring the named weekday."""
    spans = list[Span]()
    for number in numbers:
        with suppress(ValueError, OverflowError):  # 29 February, the end of the calendar
            spans.append(of(number))
    near = [span for span in spans if span.first <= today][-1:] + [span for span in spans if span.after > today][:1]
    if not near:
        raise ValueError("no such day")
    near = near[::-1] if found.ahead() else near
    return next((span for span in near if span.first.weekday() == found["weekday"]), near[0])


def _distant(day: date, many: tuple[int, int], unit: str, sign: int) -> Span:
    """Return the calendar unit at a distance before (-1) or after (1) a day."""
    least, most = many
    if unit in ("hour", "minute", "second"):
        least = most = most // 24 if unit == "hour" else 0
        unit = "day"
    spans = sorted(period(shifted(day, sign * number, unit), unit) for number in (least, most))
    return spans[0] if least == most else Span(spans[0].first, spans[1].after, "range")


_NEXT_TO = pattern(rf"(?:(?P<count>{_COUNT})|[tLlp])?(?:(?P<unit>[ui])|(?P<weekday>[W@]))(?P<side>[BVX]|f)t?$")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time expression in `text[start:stop]`; `days` are those that do not depend on when it was written.

    `kind` is the kind of its rule, "open" or "beside" where the context makes it another time, "former" where
    an event was moved away from it.
    """

    start: int
    stop: int
    kind: str
    days: tuple[Day, ...]
    found: _Found
    _resolve: Resolve
    _around: Callable[[Span], Span | None] | None = None
    _until: TimeExpression | None = None

    def spans(self, today: date, *, ahead: bool = True) -> list[Span]:
        """Return the spans that it denotes relative to `today`; none if such days do not exist.

        An open part such as the year is resolved to the next or the last occurrence by its sentence; without a sign in
        the sentence to the next if `ahead`.
        """
        found = replace(self.found, assumed=ahead, aims=self._until is not None)
        try:
            spans = list(self._resolve(found, today))
            if self._until is not None:
                until = self._until._resolve(replace(self._until.found, assumed=ahead, aims=True), today)
                spans = [_together(one, two, found) for two in until for one in spans]
            if self._around is not None:
                spans = [self._around(span) or span for span in spans]
        except (ValueError, OverflowError):  # 31 February, or beyond the calendar
            return []
        return [span for span in spans if span.first < span.after]

    def has_impossible_day(self) -> bool:
        """Return whether it has a day that its month has not: "31 June"."""
        begin = self.found.match.start()
        return self.kind == "month" and begin > 0 and self.found.reading.kinds[begin - 1] in "doD"


def time_expressions(text: str) -> tuple[TimeExpression, ...]:
    """Return the time expressions of a text in order; of two that overlap, that of the rule with priority."""
    return _remembered_expressions(text) if len(text) <= REMEMBERED else _expressions(text)


def _expressions(text: str) -> tuple[TimeExpression, ...]:
    reading = read_times(text)
    if not _STRONG.search(reading.kinds):
        return ()
    taken = bytearray(len(reading.kinds))
    found: list[TimeExpression] = []
    for rule in _RULES:
        for match in rule.expression.finditer(reading.kinds):
            one = _Found(reading, match)
            begin, stop = one.tokens
            if taken.find(1, begin, stop) >= 0:
                continue
            days = tuple(dict.fromkeys(rule.names(one)))
            if all(map(is_day, days)):
                taken[begin:stop] = b"\1" * (stop - begin)
                found.append(TimeExpression(*one.place, rule.kind, days, one, rule.resolve))
    found.sort(key=attrgetter("start"))
    return tuple(_with_neighbours(reading, found))


_remembered_expressions = lru_cache(64)(_expressions)


def _with_neighbours(reading: TimeReading, found: list[TimeExpression]) -> Iterator[TimeExpression]:
    """Yield expressions as modified by their context: "since June", "between 5 May and 8 June"."""
    kinds, made, place = reading.kinds, list[TimeExpression](), 0
    while place < len(found):
        one, (begin, stop) = found[place], found[place].found.tokens
        place += 1
        if place < len(found) and _FROM.search(kinds, max(0, begin - 3), begin):
            two, (after, end) = found[place], found[place].found.tokens
            if _RANGE_TO.fullmatch(kinds, stop, after):
                if is_rescheduled(reading.text, one.start, one.stop):
                    one = replace(one, kind="former")
                else:
                    stop, place = end, place + 1
                    one = replace(one, stop=two.stop, kind="range", days=(*one.days, *two.days), _until=two)
        made.append(_related(reading, one, begin, stop))
    for number, one in enumerate(made):  # not part of another: "the weekend before 5 May" is one
        near = {(two.start, two.stop) for two in made[max(number - 3, 0) : number + 4]} - {(one.start, one.stop)}
        if not any(start <= one.start and one.stop <= stop for start, stop in near):
            yield one


def _related(reading: TimeReading, one: TimeExpression, begin: int, stop: int) -> TimeExpression:
    """Return an expression as modified by the adjacent words: "the week before 5 May", "since June 2023"."""
    kinds, low = reading.kinds, max(0, begin - 8)
    if near := _NEXT_TO.search(kinds, low, begin):
        beside = _Found(reading, near)
        if near["side"] != "f" or (beside["unit"] and one.kind in ("day", "near", "weekday")):
            start = reading.tokens[near.start()].start
            return replace(one, start=start, kind="beside", _around=partial(_beside, beside))
    if word := _OPEN.search(kinds, low, begin):
        start = reading.tokens[word.start()].start
        return replace(one, start=start, kind="open", _around=partial(_opened, word.lastgroup or ""))
    token = reading.tokens[stop] if kinds[stop : stop + 1] == "O" else None
    if token is not None and (token.stop - token.start > _PARTICLE or _FROM.search(kinds, low, begin)):
        return replace(one, kind="open", _around=partial(_opened, "since"))
    return one


def _opened(side: str, span: Span) -> Span:
    first = {"since": span.first, "after": span.after}.get(side, date.min)
    return Span(first, {"before": span.first, "until": span.after}.get(side, date.max), "range")


def _together(one: Span, two: Span, found: _Found) -> Span:
    if one.first > two.first and one.unit != "year" and one.first.year > 1:
        # "between November and February": the November before; "from Monday to Friday": the Friday after
        if found["weekday"] is None or not found.ahead():
            unit = "year" if found["weekday"] is None else "week"
            one = Span(shifted(one.first, -1, unit), shifted(one.after, -1, unit), one.unit)
        else:
            two = Span(shifted(two.first, 1, "week"), shifted(two.after, 1, "week"), two.unit)
    return Span(min(one.first, two.first), max(one.after, two.after), "range")


def _beside(near: _Found, span: Span) -> Span | None:
    """Return the day, week, weekend or weekday directly before, after or around a span."""
    unit, counted, side = near["unit"], near["count"] is not None, near.letters("side")
    if side == "f":
        return period(span.first, unit) if span.unit == "day" else None
    earlier = side in "BV"
    if near["weekday"] is not None or (unit == "weekend" and not counted):
        weekday = 5 if near["weekday"] is None else near["weekday"]
        day = weekday_before(span.first, weekday) if earlier else weekday_after(span.last, weekday)
        return period(day, "day" if near["weekday"] is not None else "weekend")
    if counted:
        return _distant(span.first if earlier else span.last, near.count(), unit, -1 if earlier else 1)
    called = unit if unit in ("day", "week", "month", "year") else "range"
    if earlier:
        return Span(shifted(span.first, -1, unit), span.first, called)
    return Span(span.after, shifted(span.after, 1, unit), called)
