"""Kinds of questions and answers: `sort_of_answer` classifies a question, the `*_spans` functions find candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from engrain.language.locales import LOCALES, Locale, expression, has, language_of, one_of, phrases, template, union
from engrain.language.tokens import content_pairs, fold, is_stop, stem, words
from engrain.text import pattern

_WORD = pattern(r"[^\W\d_]+")
_HEAD = template(
    r"^\W*(?:\w+\s+)?(?:{which}|{how_many})\s+((?:(?!(?:{question_auxiliaries})\b)[\w'’+&-]+\s+){0,5}?)"
    r"(?=(?:{question_auxiliaries})(?:\b|\s))"
)
_NUMBER_WORDS = {name for locale in LOCALES.values() for name in (*locale.numbers, *locale.scales) if len(name) > 2}
_COMPOUND = "|".join(f"{each.large_numbers}|{each.compound_numbers}" for each in LOCALES.values())
_NUMBERS = (
    rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{phrases('counted_phrases')}"
    rf"|{_COMPOUND}|{one_of(_NUMBER_WORDS - union('unsure_numbers') | {'one'})})"
)
_NUMBER = pattern(rf"(?<![\w$€£.:/-]){_NUMBERS}(?![\w:/]|\.\d|,\d|\s*%)", re.IGNORECASE)
_JOINT = pattern(rf"[,;:.]|\b(?:{one_of(union('joined'))})\b")
_AMOUNT_UNITS = union("amount_nouns").union(
    *(names.split() for locale in LOCALES.values() for names in locale.measures.values()),
    *(locale.units[unit].split() for locale in LOCALES.values() for unit in ("hour", "minute")),
)
_SCALES = one_of(name for locale in LOCALES.values() for name in locale.scales if len(name) > 4)
_UNITS = one_of(name for name in _AMOUNT_UNITS if name.isalpha() and len(name) > 1)
_IN_WORDS = rf"(?:{_COMPOUND}|{one_of(_NUMBER_WORDS - {'both'})})"
_UNIT_NAMES = frozenset(fold(name) for name in _AMOUNT_UNITS)
_SHOWN = (
    r"[$€£¥]\s?\d[\d,.]*(?:\s?(?:k|million|billion)\b)?"
    r"|(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+|\d[\d,.]*)"
    rf"(?:\s?(?:{_SCALES})(?: de| d['’])?)?"
    rf"(?:\s(?:square|sq|CFA))?\s?(?:[%€$£¢]|p\b|ct\b|k?m\b|(?:{_UNITS})\b(?:\s(?:cuadrados|carrés))?)"
)
_JOINTS = one_of(union("number_joints"))
_WRITTEN = rf"(?<![\w-]){_IN_WORDS}(?:[\s-](?:(?:{_JOINTS})\s)?{_IN_WORDS})*(?:\s(?:de|d['’]))?\s(?:{_UNITS})\b"
_AMOUNT, _ANY_AMOUNT = pattern(_SHOWN, re.IGNORECASE), pattern(f"{_SHOWN}|{_WRITTEN}", re.IGNORECASE)
_BARE_SUM = template(
    r"(?<![\w.,:/+-])(?!(?:19|20)\d\d(?!\d))\d{1,3}(?:[.,]?\d{3})*(?<=\d{3})"
    r"(?=\s*(?:$|[.,;!?)](?!\d))|\s(?:{articles}|{prepositions}|{joined}|{per})\s)"
)
_FACTORS = {unit: (base, much) for unit, base, much in (row.split() for row in phrases("unit_factors").split("|"))}
"""For each unit its base unit and the factor to convert to it."""
_CURRENCIES = frozenset("usd eur gbp jpy rub chf gel".split())
_NAMED_NUMBERS = {
    name: value
    for each in LOCALES.values()
    for table in (each.all_numbers, each.scales)
    for name, value in table.items()
}
_UNSURE = union("unsure_numbers")
_MEASURES = {  # by name: the base unit and the factor
    name: (base, Decimal(much))
    for locale in LOCALES.values()
    for units in (locale.units, locale.measures)
    for unit, names in units.items()
    for base, much in [_FACTORS.get(unit, (unit, "1"))]
    for name in (*names.split(), *(["h"] if unit == "hour" else []))
}
_LETTERS = "A-Za-zÀ-ɏ"
_NUMERAL = pattern(rf"[$€£¥₽₾%]|°[cCfF]?|\d[\d.,'’]*\d|\d|[{_LETTERS}]+(?:'[{_LETTERS}]+)?|[^\W\d_]+")
_CODE = pattern(
    rf"(?<![\w.])(?:(?=[{_LETTERS}0-9._/-]*[{_LETTERS}])(?=[{_LETTERS}._/-]*\d)[{_LETTERS}0-9]+(?:[._/-][{_LETTERS}0-9]+)*"
    r"|\d+(?:\.\d+){2,}(?:/\d+)?)"
)
_GLUED = pattern(rf"(?<!\w)(?:{LOCALES['de'].large_numbers})(?!\w)", re.IGNORECASE)  # "zweihundertfünfzig"
_GROUPED = pattern(r"\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_ORDINALS = ("st", "nd", "rd", "th", "er", "e")
_AND = union("number_joints")
_BELOW = pattern(rf"\s*(?:\S+\s+)?(?<!\w)(?:{phrases('below_zero')})(?!\w)", re.IGNORECASE)
_MINUS = pattern(rf"(?:(?<![\w.,)])-[$€£]?|(?<!\w)(?:{phrases('minus')})(?!\w)\s+)$", re.IGNORECASE)
_SIZES = 10
_FIGURE = pattern(r"(?<=[^\W\d] )\d+(?:[.,]\d+)*(?=\s*(?:$|[.;!?](?!\d)|,(?!\d)))")
_YEAR = pattern(r"(?:19|20)\d\d")
_SEAMS = template(r",(?!\d)|(?<!\w)(?:{joined})(?!\w)")
_HOUR_SHOWN = r"\d{1,2}(?:[:.h]\d\d)?(?:\s?(?:am|pm|a\.m\.|p\.m\.|uhr|h)\b)?"
_BEHIND_HOURS = one_of(union("prepositions", "joined", "weekly") - union("owner_links"))
HOURS = pattern(  # matches a range of hours: "9 to 5", "von 10 bis 14 Uhr"
    rf"(?<!\w)({_HOUR_SHOWN})\s*(?:[-–]|{one_of(union('range_words'))})\s*(?:las\s)?({_HOUR_SHOWN})"
    rf"(?:(?<=[rhm.])(?<![\d:]h)|(?=\s*(?:$|[,;.!?)]|(?:{_BEHIND_HOURS})\b)))",
    re.IGNORECASE,
)
_SHORT_DAY = 3  # letters: "mon" does not count as a day here
_PLUS = pattern(r"\+\d")  # a telephone number
_LEADS = template(r"^(?:(?:{leading_words})\s+)+")
_TRAILS = template(r"(?:\s+(?:{trailing_words}))+$")
_PERSON_NAMED_BEFORE = pattern(
    rf"(?:^|[.!?]\s+)(?:{one_of(map(str.capitalize, union('people_pronouns')))})\b|(?i:\bthe user\b)"
)


class Wanted(StrEnum):
    """The kind of answer that a question asks for, in the order in which the beginnings of questions are tried."""

    FREQUENCY = "frequency"
    DURATION = "duration"
    COUNT = "count"
    AMOUNT = "amount"
    TIME = "time"
    PLACE = "place"
    PERSON = "person"
    NAME = "name"
    REASON = "reason"
    MANNER = "manner"
    THING = "thing"
    YES_NO = "yes or no"
    ANYTHING = "anything"


Span = tuple[int, int]
_ANYWHERE = (Wanted.FREQUENCY, Wanted.DURATION, Wanted.COUNT, Wanted.TIME, Wanted.PLACE, Wanted.PERSON)


def kinds_of(query: str) -> list[str]:
    """Return the kinds that a question has signs of, of "causal", "relational", "exploratory" and "factual"."""
    return [kind for kind in ("causal", "relational", "exploratory", "factual") if has(query, kind)]


def difficulties(query: str) -> list[str]:
    """Return the difficulties of a question: "several steps", "a comparison", "several clauses", "many words"."""
    joints = len(expression("joints", language_of(query)).findall(query)) + query.count(",") + query.count(";")
    signs = {
        "several steps": has(query, "steps"),
        "a comparison": has(query, "comparison"),
        "several clauses": joints >= 2 or query.count("?") >= 2,
        "many words": len(words(query)) >= 12,
    }
    return [name for name, there in signs.items() if there]


def who_is_meant(query: str) -> tuple[bool, bool]:
    """Return whether a question is about its asker, and whether about its hearer: "What did you recommend?"."""
    locale, addressed = language_of(query), _WORD.findall(without_request(query).lower())
    about_hearer = not locale.hearer.isdisjoint(addressed)
    return not (about_hearer or locale.myself.isdisjoint(addressed)), about_hearer


def without_request(query: str) -> str:
    """Return a question without the words of a request: "where Ana lives?" for "Can you tell me where Ana lives?"."""
    bare = expression("request", language_of(query)).sub(" ", query)
    return bare if content_pairs(bare) else query


def sort_of_answer(query: str) -> Wanted:
    """Return the kind of answer that a question asks for."""
    locale = language_of(query)
    for each in Wanted:
        if _begins(query, locale, each):
            return Wanted.THING if each is Wanted.YES_NO and expression("either", locale).search(query) else each
    anywhere = r"(?:\b|(?<=\W)|(?=[^\x00-\x7f]))"
    return next((each for each in _ANYWHERE if _asking(locale, each, anywhere).search(query)), Wanted.ANYTHING)


def asks_where(query: str) -> bool:
    """Return whether a question begins by asking for a place."""
    return _begins(query, language_of(query), Wanted.PLACE)


def _begins(query: str, locale: Locale, wanted: Wanted) -> bool:
    return _asking(locale, wanted, rf"^\W*(?:(?:{locale.question_leads})\W+)*").search(query) is not None


def asking_words(query: str, wanted: Wanted) -> Span | None:
    """Return the span of the words that ask for a kind of answer, None without them."""
    found = _asking(language_of(query), wanted, r"(?<!\w)").search(query)
    return None if found is None else found.span()


@cache
def _asking(locale: Locale, wanted: Wanted, before: str) -> re.Pattern[str]:
    return pattern(rf"{before}(?:{locale.asked.get(wanted, '(?!)')})", re.IGNORECASE)


def head_of(query: str) -> tuple[str, bool]:
    """Return the index term of the noun asked for ("which books"), "" for none, and whether it is a plural."""
    locale = language_of(query)
    found = _HEAD(locale).search(query)
    phrase = found[1].strip() if found else ""
    pairs = content_pairs(expression("kind_of", locale).sub("", phrase).strip() or phrase)
    if not pairs:
        return "", False
    surface, term = pairs[-1]
    small = surface.lower()
    plural = small.endswith("s") and not small.endswith("ss") and small not in locale.singular_nouns
    return term, plural or small in locale.plural_nouns


def count_spans(text: str, head: str) -> Iterator[Span]:
    """Yield the spans of numbers that count the noun with the index term `head` ("" for any): "3 kids"."""
    for found in _NUMBER.finditer(text):
        after = [term for _, term in content_pairs(_JOINT.split(text[found.end() : found.end() + 40])[0])[:3]]
        if not head or head in after:
            yield found.span()


def age_spans(text: str) -> Iterator[Span]:
    """Yield the spans of ages of people in a text."""
    return (each.span("age" if each["age"] else "years") for each in _age(language_of(text)).finditer(text))


@cache
def _age(locale: Locale) -> re.Pattern[str]:
    years, *smaller = ("|".join(locale.units[unit].split()) for unit in ("year", "month", "week", "day"))
    numbers = rf"(?:{locale.number_words}|{_NUMBERS})"
    short = rf"{numbers}[\s-]+(?:{'|'.join(smaller)})\b"  # "18 months" is not 18
    return re.compile(
        rf"(?:{locale.before_age})(?P<age>{short}|{numbers})(?!\w|[.,:]\d|\s*%)(?:[\s-]+(?:{years})\b)?"
        rf"(?![\s-]+(?!(?:{locale.after_age})\b)\w)"
        rf"|(?<![\w.])(?P<years>{short}|{numbers}(?=[\s-]+(?:{years})\b))(?:[\s-]+(?:{years}))?[\s-]+(?:{locale.old})\b",
        re.IGNORECASE,
    )


def is_difference(text: str, start: int, stop: int | None = None) -> bool:
    """Return whether a number is a difference rather than a value: "went up by 50 euros", "50 euros too high"."""
    locale = language_of(text)
    if stop is not None and _DIFFERS_AFTER(locale).match(text, stop) is not None:
        return True
    return _DIFFERS(locale).search(text, max(0, start - _LONGEST_BEFORE), start) is not None


_DIFFERS, _LONGEST_BEFORE = template(r"(?<!\w)(?:{differs_by})\s*[$€£]?$"), 40
_DIFFERS_AFTER = template(r"(?:[\s-]+\w+)?\s+(?:{differs_after})(?!\w)")


def amount_spans(text: str, *, differences: bool = False) -> Iterator[Span]:
    """Yield the spans of sums, measures and percentages, and of bare figures joined to one: ", the bath 900"."""
    whole, may_be_written = None, not _UNIT_NAMES.isdisjoint(words(text))
    for found in (_ANY_AMOUNT if may_be_written else _AMOUNT).finditer(text):
        if not differences and is_difference(text, *found.span()):
            continue
        if whole is not None:
            yield from _without_unit(text, whole, found.start())
        yield found.span()
        whole = found
    if whole is not None:
        yield from _without_unit(text, whole, len(text))


def bare_sums(text: str) -> Iterator[Span]:
    """Yield the spans of sums of three digits or more without a unit: "earns 58,000 a year"."""
    return (found.span() for found in _BARE_SUM(language_of(text)).finditer(text))


def _without_unit(text: str, amount: re.Match[str], stop: int) -> Iterator[Span]:
    """Yield the spans of figures of similar size that a comma or a conjunction joins to an amount."""
    known = _figure(amount[0])
    joined = _SEAMS(language_of(text))
    for found in _FIGURE.finditer(text, amount.end(), stop):
        is_joined = joined.search(text, amount.end(), found.start()) is not None
        if is_joined and known / _SIZES <= _figure(found[0]) <= known * _SIZES and _YEAR.fullmatch(found[0]) is None:
            yield found.span()


def _figure(shown: str) -> float:
    return float(re.sub(r"[^\d]", "", re.split(r"[.,]\d{1,2}(?!\d)", shown)[0]) or 0)


def spans_of(text: str, field: str, group: str | int = 0) -> Iterator[Span]:
    """Yield the spans of the phrases of a field in the text's language, or of one of their groups."""
    return (found.span(group) for found in expression(field, language_of(text)).finditer(text))


def recurring_spans(text: str, locale: Locale) -> Iterator[Span]:
    """Yield the spans of recurring weekdays: "Mondays and Fridays", "every Monday"."""
    return (found.span() for found in _recurring(locale).finditer(text))


@cache
def _recurring(locale: Locale) -> re.Pattern[str]:
    days = one_of(day for day in locale.weekdays if len(day) > _SHORT_DAY)
    more = rf"(?:\s*,\s*|\s+(?:{one_of(locale.joined)})\s+(?:(?:{one_of(locale.articles)})\s+)?)(?:{days})s?"
    parts = one_of(locale.day_parts) if locale.day_parts else "(?!)"  # "Tuesday evenings"
    parted = rf"(?:{days})\s+(?:{parts})"
    each = one_of(locale.ordinals | {"other"})  # "every second Monday"
    weekly = rf"(?:(?:{one_of(locale.weekly)})\s+)+(?:(?:{each})\s+)?(?:{days})s?"
    day = one_of({*locale.weekdays, *locale.short_days})
    ranged = rf"(?:{day})\s*(?:[-–]|{one_of(locale.range_words)})\s*(?:{day})"  # "Monday to Thursday"
    found = rf"(?:{ranged}|{parted}|{weekly}|(?:{days})s|(?:{days})(?={more}))(?:{more})*"
    return re.compile(rf"(?<!\w){found}(?=\s+{HOURS.pattern})|(?<!\w){found}(?!\w|\s+\d)", re.IGNORECASE)


def stripped(text: str, start: int, stop: int) -> Span:
    """Return a span without function words and punctuation at its ends."""
    locale = language_of(text)
    while start < stop and not text[start].isalnum() and text[start] not in "\"“'‘$€£" and not _PLUS.match(text, start):
        start += 1
    is_grade = start > 0 and text.startswith("A ", start)  # "my blood type is A negative"
    if (found := _LEADS(locale).match(text[start:stop])) and not is_grade:
        start += found.end()
    if found := _TRAILS(locale).search(text[start:stop]):
        stop = start + found.start()
    while start < stop and (text[stop - 1].isspace() or text[stop - 1] in ".,;:!?-–—("):
        stop -= 1
    return start, stop


def refers_to_person(text: str) -> bool:
    """Return whether a sentence of a text begins with a third-person pronoun or with "the user"."""
    return _PERSON_NAMED_BEFORE.search(text) is not None


Key = tuple[str, Decimal | str]
"""The comparison key of a figure: its kind (`num`, a currency, a unit, `id`) and its value."""


class Figure(NamedTuple):
    """A number of a text by its keys, and the noun it counts; `sure` is False for ambiguous words such as "one"."""

    keys: frozenset[Key]
    values: frozenset[Decimal] = frozenset()
    noun: str = ""
    sure: bool = True


def figures(text: str) -> list[Figure]:
    """Return the figures of a text; `text` is `plain`, with its dates and times of day blanked."""
    found: list[Figure] = []
    for match in list(_CODE.finditer(text)):
        if not _is_measured(match[0]):
            found.append(Figure(frozenset([("id", match[0].casefold())])))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    text = _GLUED.sub(lambda match: re.sub("(hundert|tausend)(und)?", r" \1 ", match[0]), text)
    return [*found, *_Reading(text).figures()]


def _is_measured(chunk: str) -> bool:
    """Return whether a chunk of digits and letters is a number with its unit or scale: 5kg, 25k, 3rd."""
    if (match := re.fullmatch(rf"(\d[\d.,]*)-?([{_LETTERS}]+)(?:-[{_LETTERS}]+)*", chunk)) is None:
        return False
    unit = match[2].lower()
    return unit in _NAMED_NUMBERS or unit in _MEASURES or unit in (*_ORDINALS, "m") or "-" in chunk


def _values(token: str) -> frozenset[Decimal]:
    """Return the values that digits may have: 25.000 is twenty-five, or twenty-five thousand."""
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
    """Parses the numbers of a text, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(_NUMERAL.finditer(text))
        self._words = [token[0].lower() for token in self._tokens]

    def figures(self) -> Iterator[Figure]:
        """Yield every number with its unit or noun."""
        place = 0
        while place < len(self._tokens):
            if (read := self._number(place)) is None:
                place += 1
                continue
            values, end, sure = read
            yield self._figure(place, end, values, sure)
            place = end

    def _beside(self, place: int) -> str:
        """Return the word at a position if it directly follows the previous token, else an empty string."""
        if not 0 < place < len(self._tokens):
            return ""
        between = self._text[self._tokens[place - 1].end() : self._tokens[place].start()]
        return self._words[place] if between in ("", " ", "-", "  ") else ""

    def _number(self, place: int) -> tuple[frozenset[Decimal], int, bool] | None:
        """Return the values of the number at a token, its end, and whether it is unambiguous; None without a number."""
        first, end = self._words[place], place + 1
        if first[0].isdigit():
            values, sure = _values(first), True
        elif first in _NAMED_NUMBERS and first != "k":
            value, end = self._worded(place)
            values, sure = frozenset([Decimal(value)]), end > place + 1 or first not in _UNSURE
        else:
            return None
        while (scale := _NAMED_NUMBERS.get(self._beside(end), 0)) >= 100 and self._words[end] not in ("cent", "cents"):
            values, end = frozenset(value * scale for value in values), end + 1
        return frozenset(value.normalize() for value in values), end, sure

    def _worded(self, place: int) -> tuple[int, int]:
        """Return the value of a number in words (two hundred and fifty, quatre-vingt-deux), and its end."""
        first, end = _NAMED_NUMBERS[self._words[place]], place + 1
        total, current = (first, 0) if first >= 1000 else (0, first)  # "mil doscientos"
        while word := self._beside(end):
            step = 2 if word in _AND else 1
            value = _NAMED_NUMBERS.get(self._beside(end + step - 1), 0)
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
        """Return a number with its sign and its unit: a currency, a measure, or the noun after it."""
        start, stop = self._tokens[place].start(), self._tokens[end - 1].end()
        if _MINUS.search(self._text[max(start - 8, 0) : start]) or _BELOW.match(self._text, stop):
            values = frozenset(-value for value in values)
        unit, before = self._beside(end), self._words[place - 1] if self._beside(place) else ""
        noun, (base, much) = "", _MEASURES.get(before, ("", Decimal(1)))
        if base in _CURRENCIES:
            values = frozenset(value * 10**6 for value in values) if unit == "m" else values
        else:
            base, much = _MEASURES.get(unit, ("num", Decimal(1)))
        if base == "num" and unit.isalpha() and not is_stop(unit) and unit not in _ORDINALS:
            noun = stem(unit)
        keys: frozenset[Key] = frozenset((base, (value * much).normalize()) for value in values)
        return Figure(keys, values, noun, sure)


def _joined(current: int, value: int) -> int | None:
    """Return the value of two consecutive number words, None where they are two numbers."""
    if value == 100 and 0 < current < 100:
        return current * 100
    if value == 20 and current == 4:
        return 80
    tens = current % 100
    fits = not (current and tens) or (current % 10 == 0 and value < 10) or (tens in (60, 80) and value < 20)
    return current + value if fits and (value < 100 or not current) else None
