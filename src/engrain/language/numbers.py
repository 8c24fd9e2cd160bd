"""Numbers, amounts and identifiers of a text, comparable: in digits or words, with their signs, scales and units."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from engrain.language.locales import LOCALES, Locale, expression, union
from engrain.language.tokens import is_stop, stem

Key = tuple[str, Decimal | str]
"""What a figure is compared by: its sort (`num`, a currency, a unit, `id`) and its value."""

_FACTORS = {  # the unit that others are compared in, and how much of it they are
    "second": ("second", 1),
    "minute": ("minute", 1),
    "hour": ("minute", 60),
    "day": ("day", 1),
    "week": ("day", 7),
    "month": ("month", 1),
    "year": ("month", 12),
    "gram": ("gram", 1),
    "kilogram": ("gram", 1000),
    "metre": ("metre", 1),
    "kilometre": ("metre", 1000),
}
_CURRENCIES = frozenset("usd eur gbp jpy rub chf gel".split())


def _numbers_of(locale: Locale) -> dict[str, int]:
    """Return the number words of a language, with those that are written together: "einundzwanzig"."""
    table = dict(locale.numbers) | dict(locale.scales)
    if not locale.tens_first:
        ones = {value: name for name, value in locale.numbers.items() if 1 < value < 10} | {1: "ein"}
        tens = {name: value for name, value in locale.numbers.items() if 20 <= value < 100}
        table |= {f"{one}und{ten}": value + number for number, one in ones.items() for ten, value in tens.items()}
    return table


_NUMBERS = {name: value for locale in LOCALES.values() for name, value in _numbers_of(locale).items()}
_UNSURE = union("unsure_numbers")
_NAMED = {
    name: unit
    for locale in LOCALES.values()
    for units in (locale.units, locale.measures)
    for unit, names in units.items()
    for name in names.split()
} | {"h": "hour"}
_MONEY = {name: unit for name, unit in _NAMED.items() if unit in _CURRENCIES}
_MEASURES = {
    name: (base, Decimal(much))
    for name, unit in _NAMED.items()
    if unit not in _CURRENCIES
    for base, much in [_FACTORS.get(unit, (unit, 1))]
}
_DASHES = str.maketrans("‐‑‒–—−", "------")
_LETTERS = "A-Za-zÀ-ɏ"
_TOKEN = re.compile(
    rf"[$€£¥₽₾%]|°[cCfF]?|\d[\d.,'’]*\d|\d|[{_LETTERS}]+(?:'[{_LETTERS}]+)?|[^\W\d_]+",
)
_ID = re.compile(
    rf"(?<![\w.])(?:(?=[{_LETTERS}0-9._/-]*[{_LETTERS}])(?=[{_LETTERS}._/-]*\d)[{_LETTERS}0-9]+(?:[._/-][{_LETTERS}0-9]+)*"
    r"|\d+(?:\.\d+){2,}(?:/\d+)?)"
)
_GROUPED = re.compile(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_ORDINALS = ("st", "nd", "rd", "th", "er", "e")
_AND = union("number_joints")
_BELOW = re.compile(rf"\s*(?:\S+\s+)?{expression('below_zero').pattern}", re.IGNORECASE)
_MINUS = re.compile(rf"(?:(?<![\w.,)])-[$€£]?|{expression('minus').pattern}\s+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of a text: what it may be, bare and with its unit, and the term of what it counts, if any.

    `sure` is False for a word that may be none, such as "one".
    """

    keys: frozenset[Key]
    values: frozenset[Decimal] = frozenset()
    noun: str = ""
    sure: bool = True


def plain(text: str) -> str:
    """Return a text with one sort of digits, dashes and blanks."""
    folded = unicodedata.normalize("NFKC", text).translate(_DASHES)
    if folded.isascii():
        return folded
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c for c in folded)


def figures(text: str) -> list[Figure]:
    """Return the figures of a text from which dates and times of day were taken; `text` is `plain`."""
    found: list[Figure] = []
    for match in list(_ID.finditer(text)):
        if not _is_measured(match[0]):
            found.append(Figure(frozenset([("id", match[0].casefold())])))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return [*found, *_Reading(text).figures()]


def _is_measured(chunk: str) -> bool:
    """Say whether a chunk of digits and letters is a number with its unit or scale: 5kg, 25k, 3rd."""
    match = re.fullmatch(rf"(\d[\d.,]*)-?([{_LETTERS}]+)(?:-[{_LETTERS}]+)*", chunk)
    if match is None:
        return False
    unit = match[2].lower()
    known = unit in _NUMBERS or unit in _MONEY or unit in _MEASURES
    return known or unit in (*_ORDINALS, "m") or "-" in chunk


def _values(token: str) -> frozenset[Decimal]:
    """Return what digits may mean: 25.000 is twenty-five, or twenty-five thousand."""
    token = token.replace("’", "'")
    forms = {token.replace(",", "").replace("'", "")} if token.count(".") <= 1 else set()
    if (grouped := _GROUPED.fullmatch(token)) is not None:
        mark = grouped[1]
        forms.add(token.replace(mark, "").replace(",", "."))
        if token.count(mark) > 1 or mark == "'":
            forms = {token.replace(mark, "").replace(",", ".")}
    elif token.count(",") == 1:
        forms = {token.replace(".", "").replace(",", ".")}
    found = set()
    for form in forms:
        try:
            found.add(Decimal(form).normalize())
        except InvalidOperation:
            continue
    return frozenset(found)


class _Reading:
    """Reads the numbers of a text, token after token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_TOKEN.finditer(text))
        self._words = [token[0].lower() for token in self._tokens]

    def figures(self) -> Iterator[Figure]:
        """Yield every number, with what it is of."""
        place = 0
        while place < len(self._tokens):
            read = self._number(place)
            if read is None:
                place += 1
                continue
            values, end, sure = read
            yield self._figure(place, end, values, sure)
            place = end

    def _beside(self, place: int) -> str:
        """Return the word that follows at once on the token before it, empty when there is none."""
        if not 0 < place < len(self._tokens):
            return ""
        between = self._text[self._tokens[place - 1].end() : self._tokens[place].start()]
        return self._words[place] if between in ("", " ", "-", "  ") else ""

    def _number(self, place: int) -> tuple[frozenset[Decimal], int, bool] | None:
        """Return the number that begins at a token, where it ends, and whether it is surely one; None without one."""
        first, end = self._words[place], place + 1
        if first[0].isdigit():
            values, sure = _values(first), True
        elif first in _NUMBERS and first != "k":
            value, end = self._worded(place)
            values, sure = frozenset([Decimal(value)]), end > place + 1 or first not in _UNSURE
        else:
            return None
        while (scale := _NUMBERS.get(self._beside(end), 0)) >= 100 and self._words[end] not in ("cent", "cents"):
            values, end = frozenset(value * scale for value in values), end + 1
        return frozenset(value.normalize() for value in values), end, sure

    def _worded(self, place: int) -> tuple[int, int]:
        """Return the number that words make up (two hundred and fifty, quatre-vingt-deux), and where it ends."""
        total, current, end = 0, _NUMBERS[self._words[place]], place + 1
        while word := self._beside(end):
            step = 2 if word in _AND else 1
            value = _NUMBERS.get(self._beside(end + step - 1), 0)
            if not value or self._words[end + step - 1] == "k":
                break
            if value >= 1000:
                total, current = total + max(current, 1) * value, 0
            elif (joined := _joined(current, value)) is not None:
                current = joined
            else:
                break
            end += step
        return total + current, end

    def _figure(self, place: int, end: int, values: frozenset[Decimal], sure: bool) -> Figure:
        """Return a number with its sign, and what it is of: money, a measure, or what the next word counts."""
        start, stop = self._tokens[place].start(), self._tokens[end - 1].end()
        if _MINUS.search(self._text[max(start - 8, 0) : start]) or _BELOW.match(self._text, stop):
            values = frozenset(-value for value in values)
        unit, before = self._beside(end), self._words[place - 1] if self._beside(place) else ""
        code = _MONEY.get(before, "")
        if code and unit == "m":
            values = frozenset(value * 10**6 for value in values)
        code = code or _MONEY.get(unit, "")
        noun = ""
        if code:
            base, much = code, Decimal(1)
        elif unit in _MEASURES:
            base, much = _MEASURES[unit]
        else:
            base, much = "num", Decimal(1)
            noun = stem(unit) if unit.isalpha() and not is_stop(unit) and unit not in _ORDINALS else ""
        keys: frozenset[Key] = frozenset((base, (value * much).normalize()) for value in values)
        return Figure(keys, values, noun, sure)


def _joined(current: int, value: int) -> int | None:
    """Return the number of two words that follow each other, None where they are two numbers."""
    if value == 100 and 0 < current < 100:
        return current * 100
    if value == 20 and current == 4:
        return 80
    tens = current % 100
    fits = (not tens and value < 100) or (current % 10 == 0 and value < 10) or (tens in (60, 80) and value < 20)
    return current + value if fits else None
