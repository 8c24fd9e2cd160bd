"""Values in sentences: `values_of` returns days, times, sums, numbers and codes; `corrected` applies corrections."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from engrain.language import locales, questions
from engrain.language.calendar import day_text
from engrain.language.locales import LOCALES, Locale, expression, has, language_of, one_of
from engrain.language.names import is_word
from engrain.language.phrases import Phrase, Reader, Word, action_forms, concepts_of, members
from engrain.language.query import Question
from engrain.language.questions import HOURS, Span, Wanted, age_spans, amount_spans, is_difference, recurring_spans
from engrain.language.reading import Clause
from engrain.language.sameness import is_plural, same_form
from engrain.language.segments import is_participle, is_person
from engrain.language.statements import is_verb
from engrain.language.times import ANY_DAY, Dated, clock_times, dated
from engrain.language.tokens import is_stop, stem
from engrain.language.tokens import words as words_of
from engrain.text import ALIKE, pattern

_THOUSANDS = pattern(r"(?<![\w.,])(\d{1,4}(?:[.,]\d)?)k(?!\w)", re.IGNORECASE)  # "32k"
_FIGURE = pattern(r"(?<![\w.,'’-])\d+(?:[.,'’]\d+)*(?![\w])")
_YEAR = pattern(r"(?:19|20)\d\d")
PHONE = pattern(r"(?<![\w.-])\+?\d[\d ()/-]{5,18}\d(?![\w-])")
_TOKEN = pattern(r"(?<![\w@.])(?=[\w.+@-]*\d)(?=[\w.+@-]*[^\W\d_])\w[\w.+@-]{2,}\w|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HOUR = pattern(r"(?<!\w)([01]?\d|2[0-3]) ?h(?:([0-5]\d))?(?!\w)")  # "18h30"
WORD = pattern(r"[^\W\d_]+")
_HAVE_PERIODS = frozenset({Wanted.AMOUNT, Wanted.THING, Wanted.ANYTHING, Wanted.NAME, Wanted.PERSON, Wanted.PLACE})
_PERIOD = pattern(r"[^\W\d_]+|(?<![\d.,])(?:19|20)\d\d(?![\d.,:]\d|\d|\s?[€$£%])")
_LABELLED = pattern(r"([^\W\d_]{2,}) (\d+|[A-Z])(?![\w.,:'’/-]\w|\w| o['’]clock)")
_SHORT_WORD = 2  # letters
_RANGE_DAY = pattern(r"(?<![\w.,:])[0-3]?\d(?=\D|$)")
_MASSES = frozenset({"gram", "kilogram", "pound", "ounce", "stone", "tonne"})
MONEY = frozenset("usd eur gbp chf jpy rub gel mxn inr sek pln try aed ngn kes huf cny thb ils pen".split())
"""The units of `Locale.measures` that are currencies."""
_BESIDE = 6  # characters between a day and its time: "on Fridays from 8"
_NAMES = pattern(r"(?<=\s)(?:(?:Dr|Mrs?|Ms|Prof)\.? )?[^\W\d_a-zà-öø-ÿ][\w'’-]*(?: [^\W\d_a-zà-öø-ÿ][\w'’-]*)*")
_LAST_WORD = pattern(r"(?<!\w)[^\W\d_][\w'’-]*$")
_NUMBER = pattern(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|er|º|\.)?")
_LONGEST_CORRECTION = 120  # characters
_ORDINAL = pattern(r"(?<![\w:.,])\d{1,2}(?:st|nd|rd|th|\.|er|º)$")
_AGED = pattern(r"(?:,|\s?\()\s?(\d{1,3})(?=\s*(?:[,.;!)]|$))")
_OPEN = frozenset({Wanted.THING, Wanted.ANYTHING, Wanted.NAME})
_COUNTED = frozenset({Wanted.COUNT, Wanted.AMOUNT, Wanted.DURATION})
_CODE_NOUNS = tuple(locales.union("code_nouns", "number_nouns"))
_TELEPHONE, _FEW_DIGITS = stem("telephone"), 3
_YEAR_SHOWN = pattern(r"\d{4}|year\b|ago\b|vor\b|hace\b|il y a\b")
_NUMBER_ASKED = pattern(r"(?i)n[uú]m[eé]ro|number|nummer")
_CODE_ROOTS = frozenset(map(stem, ("email", "address", "version", "telephone", "password")))
_PARTS = locales.template(r",(?!\d)|;|(?<!\w)(?:{joined})(?!\w)")
_REMARK = locales.template(r"(?<!\w)(?:{remarks})(?!\w)\s?")
_LONGEST_REMARK = 20  # characters
_MULTIPLE = locales.template(r"\s+(?:{other_amounts})(?!\w)")
BOUND = locales.template(r"(?<!\w)({bounds})\s+$")  # matches the bound directly before a number: "fewer than"


class Kind(StrEnum):
    """The kind of a value."""

    DAY = "day"
    CLOCK = "clock"
    SUM = "sum"
    NUMBER = "number"
    CODE = "code"
    NAME = "name"
    STATE = "state"


class Value(NamedTuple):
    """A value in `sentence[start:stop]`; two of one kind differ if their keys are disjoint."""

    kind: Kind
    start: int
    stop: int
    keys: frozenset[object]


_FEWEST_DIGITS, _DATE_DIGITS, _SHORT_DAY = 7, 8, 4


@lru_cache(2048)
def values_of(text: str, locale: Locale, at: datetime) -> tuple[Value, ...]:
    """Return the values in a sentence in order, without those in names."""
    found: list[Value] = []
    for each in _values(text, locale, at):
        before = text[max(0, each.start - _NAME_BEFORE) : each.start].split()[-2:]  # "les Sonneurs du Dimanche"
        is_name = len(before) > 1 and before[0][0].isupper() and before[1] in locale.owner_links
        if each.kind is Kind.DAY and is_name and text[each.start].isupper() and not locale.has_noun_capitals:
            continue
        if each.keys and not any(other.start < each.stop and each.start < other.stop for other in found):
            found.append(each)
    return tuple(_joined_days(sorted(found, key=lambda each: each.start), text, locale))


def _joined_days(found: Sequence[Value], text: str, locale: Locale) -> Iterator[Value]:
    """Yield the values, enumerated weekdays merged into one: "Mondays and Thursdays"."""
    last: Value | None = None
    for each in found:
        between = "" if last is None else text[last.stop : each.start].strip(" ,").lower()
        is_joined = last is not None and each.start - last.stop < _JOINT and between in {"", *locale.joined}
        if last is not None and is_joined and all(key[0] == "weekday" for key in (*keys_of(last), *keys_of(each))):
            days = sorted({day for one in (last, each) for key in keys_of(one) for day in key[1:]})
            last = Value(Kind.DAY, last.start, each.stop, frozenset({("weekday", *days)}))
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


_JOINT, _NAME_BEFORE = 6, 40  # characters between two days of one enumeration; of context for a name with a day


def _values(text: str, locale: Locale, at: datetime) -> Iterator[Value]:
    """Yield candidate values, the most reliable kinds first."""
    for match in PHONE.finditer(text):
        if len(_digits(match[0])) >= _FEWEST_DIGITS and len(_digits(match[0])) != _DATE_DIGITS:
            yield Value(Kind.CODE, *match.span(), frozenset({_digits(match[0])}))
    for start, stop, minutes in clock_times(text):
        yield Value(Kind.CLOCK, start, stop, minutes)
    for match in _hour_in_words(locale).finditer(text):
        yield Value(Kind.CLOCK, *match.span(1), frozenset({60 * locale.numbers[match[1].lower().translate(ALIKE)]}))
    for match in _HOUR.finditer(text):
        yield Value(Kind.CLOCK, *match.span(), frozenset({60 * int(match[1]) + int(match[2] or 0)}))
    for start, stop in amount_spans(text, differences=True):
        shown = text[start:stop]
        named = next((f"{int(value)}" for each in questions.figures(shown) for value in each.values), shown)
        if worth := _digits(shown) or (_unit(shown) and named):  # "seven people" is a plain number
            yield Value(Kind.SUM, start, stop, frozenset({(worth, _unit(shown))}))
    for each in dated(text, at):
        keys = _day_keys(text[each.start : each.stop].lower(), each.iso, locale)
        yield Value(Kind.DAY, each.start, each.stop, frozenset(keys))
    yield from _named_days(text, locale)
    yield from _plain_values(text, locale)


def _named_days(text: str, locale: Locale) -> Iterator[Value]:
    """Yield weekdays, and months that are the goal of a move: "slipped to April"."""
    for match in WORD.finditer(text):
        low = match[0].lower()
        day = locale.weekdays.get(low, locale.weekdays.get(low.removesuffix("s")))
        if day is not None and len(low) > _SHORT_DAY:
            yield Value(Kind.DAY, *match.span(), frozenset({("weekday", day)}))
        before = text[: match.start()].rstrip().rpartition(" ")[2].lower()
        if low in locale.months and match[0][0].isupper() and before in locale.goals:  # "slipped to April"
            yield Value(Kind.DAY, *match.span(), frozenset({("day", f"{locale.months[low]:02}")}))


def is_of_period(question: Question, text: str, start: int, stop: int) -> bool:
    """Return whether a value in a text is not of a period other than the one the question names.

    Its period is the one before it, or directly after it: "for June 900 and for July 950", "900 euros in June".
    """
    asked = {period for _, period in periods_in(question.text)} if question.wanted in _HAVE_PERIODS else set()
    sorts = {sort for sort, _ in asked}
    named = [(at, period) for at, period in periods_in(text) if period[0] in sorts] if asked else []
    if not named:
        return True
    before = [period for at, period in named if at < start]
    behind = [at for at, period in named if at >= stop and period in asked]
    joins = language_of(text).coordinating
    is_behind = any(joins.isdisjoint(text[stop:at].split()) and "," not in text[stop:at] for at in behind)
    return is_behind or (bool(before) and before[-1] in asked)


@lru_cache(512)
def periods_in(text: str) -> tuple[tuple[int, tuple[str, str]], ...]:
    """Return the position, kind and value of years, months, weekdays, seasons and parts of a day in a text."""
    locale, found = language_of(text), list[tuple[int, tuple[str, str]]]()
    parts = frozenset(locale.time_words.get("part of day", "").split())
    for word in _PERIOD.finditer(text):
        low, is_small = word[0].lower(), word[0].islower()
        day = locale.weekdays.get(low, locale.weekdays.get(low.removesuffix("s")))
        if low.isdigit() or low in parts:
            found.append((word.start(), ("year" if low.isdigit() else "part", low)))
        elif low in locale.months and not (is_small and (locale.has_base_verbs or locale.has_noun_capitals)):
            found.append((word.start(), ("month", str(locale.months[low]))))
        elif day is not None or low in locale.seasons:
            found.append((word.start(), ("season", str(locale.seasons[low])) if day is None else ("weekday", str(day))))
    return tuple(found)


def qualifiers_of(clause: Clause) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the position, kind and value of each period or label that qualifies a clause's subject: "Gate B"."""
    subject, locale, text = clause.subject, clause.locale, clause.text
    is_one = subject is not None and (subject.person or is_person(subject))
    if is_one or not clause.words or (subject is None and clause.words[0].low in locale.prepositions):
        return
    small = locale.copulas | locale.past_be | locale.have | action_forms(locale)
    verbs = [word.start for word in clause.words[1:] if word.low in small or is_verb(word.low, "", locale)]
    verbs += [word.start for word in clause.words[1:] if ("change", "") in concepts_of(word, locale)]
    named = dict(periods_in(text)) | {low: ("clock", str(sorted(minutes))) for low, _, minutes in clock_times(text)}
    named |= {each.start(2): (stem(each[1]), each[2]) for each in _LABELLED.finditer(text)}
    head = max((word.start for word in subject.words[-1:]), default=0) if subject else 0  # "Phase 2 ends"
    plain = [at for at in verbs if at not in named and at >= head]
    yield from ((at, period) for at, period in named.items() if plain and clause.start <= at < min(plain))


def _plain_values(text: str, locale: Locale) -> Iterator[Value]:
    """Yield numbers and codes that are not part of a day, a time or a sum."""
    for each in _THOUSANDS.finditer(text):
        yield Value(Kind.NUMBER, *each.span(), frozenset({str(round(float(each[1].replace(",", ".")) * 1000))}))
    yield from (Value(Kind.CODE, *each.span(), frozenset({each[0].lower()})) for each in _TOKEN.finditer(text))
    for each in _FIGURE.finditer(text):
        before = text[: each.start()].rstrip().rpartition(" ")[2].lower()
        if not (_YEAR.fullmatch(each[0]) and before in locale.sources | locale.owner_links):  # "a Volvo from 2014"
            yield Value(Kind.NUMBER, *each.span(), frozenset({_digits(each[0])}))
    for match in _repetition(locale).finditer(text):  # "twice a day"
        number = locale.repetitions[match[1].lower().translate(ALIKE).replace(" ", "_")]
        yield Value(Kind.NUMBER, *match.span(1), frozenset({str(number)}))
    has_number = not locale.all_numbers.keys().isdisjoint(WORD.findall(text.lower()))
    for match in _numbers(locale).finditer(text) if has_number else ():
        number = locale.all_numbers.get(match[0].lower().replace(" ", "_"), 0)  # "three days a week"
        if number > 1:
            yield Value(Kind.NUMBER, *match.span(), frozenset({str(number)}))


@lru_cache(2048)
def states_of(text: str) -> tuple[Value, ...]:
    """Return the exclusive states in a text, such as "on the late shift"; a person is in one at a time."""
    found = ((name, match) for name, each in _states() for match in each.finditer(text))
    return tuple(Value(Kind.STATE, *match.span(), frozenset({tuple(name.split("_"))})) for name, match in found)


@cache
def words_for(sort: str) -> frozenset[str]:
    """Return the words, in all languages, for the exclusive states of a kind."""
    named = ((name, each) for locale in LOCALES.values() for name, each in locale.exclusive_states.items())
    shown = (each.replace(r"\w", " ") for name, each in named if name.startswith(f"{sort}_"))
    return frozenset(word for each in shown for word in WORD.findall(each) if len(word) > _SHORT_WORD)


@cache
def _states() -> list[tuple[str, re.Pattern[str]]]:
    """Return the name and the pattern of each exclusive state."""
    named: dict[str, list[str]] = {}
    for locale in LOCALES.values():
        for name, each in locale.exclusive_states.items():
            named.setdefault(name, []).append(each)
    return [(name, pattern(rf"(?<!\w)(?:{'|'.join(each)})(?!\w)", re.IGNORECASE)) for name, each in named.items()]


@cache
def _hour_in_words(locale: Locale) -> re.Pattern[str]:
    words = (word for word, number in locale.numbers.items() if 0 < number <= 12)
    leads = f"(?:{one_of(locale.clock_leads)}|(?:{locale.until})(?: las)?)"
    return re.compile(rf"(?<!\w){leads} ({one_of(words)})(?!\w)", re.IGNORECASE)


@cache
def _numbers(locale: Locale) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{locale.number_words})(?![\w-])", re.IGNORECASE)


@cache
def _repetition(locale: Locale) -> re.Pattern[str]:
    words = one_of(word.replace("_", " ") for word in locale.repetitions)
    return re.compile(rf"(?<!\w)({words})(?= (?:{one_of(locale.per | locale.articles)}|am|im|in) \w)", re.IGNORECASE)


def _day_keys(shown: str, iso: str, locale: Locale) -> Sequence[object]:
    """Return the comparison keys of a day: none for "yesterday", never a goal; "the 21st" matches any month."""
    words, parts = WORD.findall(shown), iso.split("-")
    days, months = _RANGE_DAY.findall(shown), [word for word in words if word in locale.months]
    if len(days) == _ENDS and len(months) == 1:  # "from 3 to 17 August"
        return [("days", f"{locale.months[months[0]]:02}", *days)]
    if months or (len(parts) == _WHOLE and shown.count(parts[0])):
        return [("day", *parts[1:])]
    if any(map(str.isdigit, shown)):
        return [("day", f"{month:02}", parts[2]) for month in range(1, 13)] if len(parts) == _WHOLE else []
    return [("weekday", locale.weekdays[word]) for word in words if word in locale.weekdays][:1]


_WHOLE, _ENDS = 3, 2  # parts of a whole date, and days of a range


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))


@lru_cache(512)
def _unit(text: str) -> str:
    """Return the unit of a sum or a measure, "" if unknown."""
    words = set(text.lower().replace("$", " $ ").replace("€", " € ").replace("£", " £ ").split())
    named = ((unit, names.split()) for locale in LOCALES.values() for unit, names in locale.measures.items())
    return next((unit for unit, names in named if not words.isdisjoint(names)), "")


def fits_measure(asked: str, shown: str, locale: Locale) -> bool:
    """Return whether a measure has the dimension that a question asks for: metres, not kilos, for "how tall"."""
    words, unit = frozenset(WORD.findall(asked.lower())), _unit(shown)
    if not unit or words.isdisjoint(locale.length_words):
        return True
    return unit not in _MASSES and (unit not in MONEY or not words.isdisjoint(locale.height_words))


def fits_unit(question: Question, shown: str) -> bool:
    """Return whether a time has the unit that a question names: hours, not days, for "how many hours"."""
    asked = words_of(question.text)
    if question.locale.how_many_words.isdisjoint(asked):
        return True
    known = {unit for unit, names in question.locale.units.items() if not set(names.split()).isdisjoint(asked[:4])}
    found = words_of(shown)
    names = (each for locale in LOCALES.values() for each in locale.units.items())
    return not known or any(unit in known and not set(forms.split()).isdisjoint(found) for unit, forms in names)


def same_kind(one: Value, other: Value) -> bool:
    """Return whether a value may replace another: not a date a weekday, nor a weight a sum."""
    if {one.kind, other.kind} == {Kind.SUM, Kind.NUMBER}:
        return {unit for each in (one, other) if each.kind is Kind.SUM for _, unit in keys_of(each)} <= MONEY
    if one.kind is not other.kind:
        return False
    if one.kind is Kind.STATE:
        return {sort for sort, _ in keys_of(one)} == {sort for sort, _ in keys_of(other)}
    if one.kind is Kind.DAY:
        return _forms(one) == _forms(other)
    return one.kind is not Kind.SUM or {unit for _, unit in keys_of(one)} == {unit for _, unit in keys_of(other)}


def _forms(value: Value) -> set[tuple[str, int]]:
    return {(key[0], 0 if key[0] == "weekday" else len(key)) for key in keys_of(value)}


def keys_of(value: Value) -> list[tuple[str, ...]]:
    """Return the keys of a value that are tuples."""
    return [key for key in value.keys if isinstance(key, tuple)]


def differ(one: Value | None, other: Value | None) -> bool:
    """Return whether two values differ, or only one is given."""
    if one is None or other is None:
        return one is not other
    if {one.kind, other.kind} == {Kind.SUM, Kind.NUMBER}:
        mine, theirs = ({key[0] if isinstance(key, tuple) else key for key in each.keys} for each in (one, other))
        return mine.isdisjoint(theirs)
    return one.kind is not other.kind or one.keys.isdisjoint(other.keys)


def is_excluded(clause: Clause, at: int) -> bool:
    """Return whether a contrast of a clause excludes a position: ", not on Monday"."""
    return any(low <= at < high for low, high in clause.excluded)


def inside(clause: Clause, spans: Iterable[Span]) -> Iterator[Answer]:
    """Yield the spans of a sentence that are in a clause."""
    for start, stop in spans:
        if clause.start <= start < clause.stop and not is_excluded(clause, start):
            yield start, stop, clause.text[start:stop]


Answer = tuple[int, int, str]


def asks_day(question: Question) -> bool:
    """Return whether a question asks for a day rather than a time of day: "which day", "what date"."""
    return question.noun is not None and question.noun.low in question.locale.day_nouns


def asks_weekdays(question: Question) -> bool:
    """Return whether a question asks for several weekdays: "Which days do I work?"."""
    return asks_day(question) and question.noun is not None and is_plural(question.noun, question.locale)


def time_values(question: Question, clause: Clause, at: datetime, *, is_event: bool) -> Iterator[Answer]:
    """Yield the times of a clause, except those of the question, or else the day on which it was written."""
    known = set(words_of(question.text))
    clock = [(low, high, clause.text[low:high]) for low, high, _ in clock_times(clause.text)]
    clock = [each for each in clock if clause.start <= each[0] < clause.stop]
    here = [each for each in dated(clause.text, at) if clause.start <= each.start < clause.stop]
    here = [each for each in here if not is_excluded(clause, each.start)]
    found = [_with_weekday_and_clock(question, clause, each, clock) for each in here]
    clock = _of_end(question, clause, clock)
    names_day = any(not {word, word.removesuffix("s")}.isdisjoint(question.locale.weekdays) for word in known)
    if question.says("asks_clock_time") or (len(clock) > 1 and names_day):
        yield from clock
        return
    hours = HOURS.search(clause.text, clause.start, clause.stop)
    is_moved = hours is not None and "change" in clause.concepts and _after_source(clause, hours.start())
    if hours is not None and question.wanted is Wanted.TIME and not is_moved:
        until = question.says("until") and not question.says("asks_range")
        clock = [(*hours.span(), hours[2 if until else 0])]
    if asks_day(question):
        clock = []
    if clock and question.wanted is Wanted.TIME:  # "since May the shop opens at 10"
        found = [each for each in found if clause.text[each[0] :].lower().split()[0] not in clause.locale.since_words]
    if (recurring := _recurring(question, clause, clock)) is not None:
        yield recurring
        return
    if asks_weekdays(question):
        return
    if "change" in clause.concepts and len(found) > 1:
        found = [each for each in found if not _after_source(clause, each[0])] or found
    ends = [word.stop for word in clause.words if any(same_form(word, other) for other in question.rest)]
    if len(found) > 1 and ends:  # "moved to Paris in 2019 and to London in 2021"
        found = [each for each in found if each[0] > max(ends)] or found
    new = [each for each in found if not known.issuperset(clause.text[each[0] : each[1]].lower().split())]
    yield from new or clock
    moved = clause.concepts.keys() & {"change", "over"} - question.concepts  # the day of the change is not the answer
    asked = {stem(word) for word in words_of(question.text)}
    does = not question.concepts or any(word.root in asked for word in clause.words if concepts_of(word, clause.locale))
    was = clause.over and "over" not in clause.concepts  # "used to smoke"
    has_place = any(p.prep or p.person == "me" for p in clause.phrases)
    is_state = not has_place and any(word.low in clause.locale.past_be for word in clause.words)
    is_state = is_state and not any(is_participle(word, clause.locale) for word in clause.words)  # "was lovely"
    is_reported = is_event and not was and has(clause.text, "happened") and not is_state
    if not (found or clock or moved) and does and question.past and is_reported:
        yield clause.start, clause.stop, day_text(at, clause.locale)


def _of_end(question: Question, clause: Clause, clock: list[Answer]) -> list[Answer]:
    """Return the times of the opening, or of the closing, in a clause with both: "macht um 7 auf und um 9 zu"."""
    if "change" in clause.concepts:  # "moved from 9:30 to 10:15"
        clock = [each for each in clock if not _after_source(clause, each[0])] or clock
    opens, closes = clause.find("opens"), clause.find("closes")
    if opens is None or closes is None or question.says("opens") is question.says("closes"):
        return clock
    asked, other = (opens, closes) if question.says("opens") else (closes, opens)
    is_last = asked.end() > other.end()
    return [each for each in clock if (each[0] > other.end() if is_last else each[0] < asked.end())] or clock


def _recurring(question: Question, clause: Clause, clock: Sequence[Answer]) -> Answer | None:
    """Return the weekdays on which a clause states an event recurs, with their time of day: "every Monday"."""
    for start, stop in recurring_spans(clause.text, clause.locale):
        is_asked = set(words_of(question.text)).issuperset(words_of(clause.text[start:stop]))
        is_moved = "change" in clause.concepts and _after_source(clause, start)  # "moved from Thursday to Friday"
        if is_moved or expression("excepting", clause.locale).search(clause.text, clause.start, start):
            continue  # "daily except on Sundays"
        if clause.start <= start < clause.stop and not (is_asked or is_excluded(clause, start)):
            stop = next((high for low, high, _ in clock if 0 <= low - stop <= _BESIDE), stop)
            return start, stop, clause.text[start:stop]
    return None


def _with_weekday_and_clock(question: Question, clause: Clause, day: Dated, clock: Sequence[Answer]) -> Answer:
    """Return a day as written, with the weekday and the time of day that the clause gives."""
    text, stop = clause.text, day.stop
    shown = re.search(r"[^\W\d_]+", text[day.start : stop])
    is_named = shown is not None and shown[0].lower() in clause.locale.weekdays and day.written[:1].isdigit()
    comma = "," if clause.locale.has_noun_capitals else ""
    written = f"{shown[0]}{comma} {day.written}" if is_named and shown is not None else day.written
    part = expression("part_of_time", clause.locale).search(text, clause.start, day.start)
    if part is not None and not text[part.end() : day.start].strip():  # "at the end of June"
        return day.start, stop, f"{part[0]} {written}"
    beside = next((high for low, high, _ in clock if 0 < low - stop <= _BESIDE), stop)
    if beside > stop:
        comma = "," if text[stop] == " " and text[stop:beside].strip()[:1].isdigit() else ""
        return day.start, beside, f"{written}{comma}{text[stop:beside]}"
    return day.start, stop, f"{written}{_clock_of(question, clause, clock)}" if day.written[:1].isdigit() else written


def _clock_of(question: Question, clause: Clause, clock: Sequence[Answer]) -> str:
    """Return the time of day in a clause, of several the next after the words of the question; "" for none."""
    asked = [*question.rest, *(() if question.subject is None else question.subject.words)]
    ends = [word.stop for word in clause.words if any(same_form(word, other) for other in asked)]
    behind = [each for each in clock if ends and each[0] > max(ends)]
    if not behind or (len(clock) > 1 and len(ends) < len(asked)):
        return ""
    before = next((word for word in reversed(clause.words) if word.stop <= behind[0][0]), None)
    is_led = before is not None and before.low in clause.locale.clock_leads
    return f", {before.text} {behind[0][2]}" if is_led and before is not None else f", {behind[0][2]}"


def _after_source(clause: Clause, at: int) -> bool:
    return any(low in clause.locale.sources for low in [word.low for word in clause.words if word.stop <= at][-2:])


def summed(clause: Clause, noun: Word) -> Iterator[Answer]:
    """Yield the total of the members of a category in a clause: three siblings are "two sisters and a brother"."""
    kinds = members().get(noun.root, frozenset())
    found = [(p, p.words[-1].root) for p in clause.phrases if p is not clause.subject and p.words]
    firsts = [clause.text[p.start : p.stop].split()[0].lower() for p, root in found if root in kinds]
    numbers = {**clause.locale.all_numbers, **dict.fromkeys(clause.locale.indefinite, 1)}  # "two sisters", "a brother"
    counts = [int(word) if word.isdecimal() else numbers.get(word, 0) for word in firsts]
    if len({root for _, root in found} & kinds) > 1 and all(counts):
        start, stop = found[0][0].start, found[-1][0].stop
        yield start, stop, str(sum(counts))


def corrected(sentence: str, locale: Locale) -> str:
    """Return a sentence with the right value for the wrong: "in Ghent, sorry, Bruges"; "" if that is unclear."""
    found = expression("corrected_at_once", locale).search(sentence)
    if found is None:
        return sentence
    stated, right = found["stated"], found["right"].strip()
    new = values_of(right, locale, ANY_DAY)
    if new:
        values = values_of(stated, locale, ANY_DAY)
        alike = [v for v in values if any(same_kind(v, n) for n in new)]
        alike = alike or [v for v in values if v.kind is Kind.NUMBER or new[0].kind is Kind.NUMBER]
        old = [(v.start, v.stop) for v in alike]
    else:
        words = (_NAMES if right[0].isupper() else _LAST_WORD).finditer(stated)
        old = [each.span() for each in words if each[0].islower() == right.islower() or locale.has_noun_capitals]
    if not old:
        return ""
    start, stop = old[-1]
    if _NUMBER.fullmatch(right):  # keeps the month of "3 May, sorry, the 4th" and the unit of "80 euros, no, 90"
        is_year = _YEAR.fullmatch(right) is not None
        numbers = [each for each in _NUMBER.finditer(stated, start, stop) if bool(_YEAR.fullmatch(each[0])) == is_year]
        start, stop = numbers[0].span() if numbers else old[-1]
    before, count = stated[:stop].split(" "), len(right.split(" "))
    if before[-1].lower() == right.lower().rpartition(" ")[2]:  # "my left knee, I mean my right knee"
        start = min(start, len(" ".join([*before[:-count], ""])))
    noun = right.lower()[len(right.split(" ")[0]) :]  # "two sisters, sorry, three sisters"
    stop += len(noun) if stated[stop:].lower().startswith(noun) else 0
    return corrected(f"{stated[:start]}{right}{stated[stop:]}{sentence[found.end() :]}", locale)  # the next correction


def misstated(sentence: str) -> tuple[str, str] | None:
    """Return the wrong and the right words of a correction: "Sorry, not Bonn, Bern", "No, not 3, 4 euros"."""
    bare = sentence.strip(" .!\n")
    for locale in LOCALES.values() if len(bare) <= _LONGEST_CORRECTION else ():
        forms = (expression(field, locale).fullmatch(bare) for field in ("misstated", "meant"))
        if (found := next(filter(None, forms), None)) is not None:
            is_slip = not found["old"].islower() or expression("slips", locale).search(bare) is not None
            is_slip = is_slip and not all(map(is_stop, found["old"].lower().split()))
            return (found["old"], found["new"].strip(" .")) if is_slip else None
        if (whole := expression("wrongly_stated", locale).search(bare)) is not None:  # "I wrote it's on the 17th, ..."
            old, new = (_ORDINAL.search(whole[name]) for name in ("stated", "right"))
            return (old[0], new[0]) if old is not None and new is not None else None
    return None


def has_copula(clause: Clause) -> bool:
    """Return whether a clause has a form of "to be"."""
    return any(word.low in clause.locale.copulas | clause.locale.past_be for word in clause.words)


def ages(clause: Clause, anchor: Phrase) -> Iterator[Answer]:
    """Yield the age of a clause's subject: "is 34 years old", "I'm Tessa, 36, ...", "not 74, but 75"."""
    for start, stop, text in inside(clause, age_spans(clause.text)):
        if not _is_age_of_other(clause, anchor, start):
            yield start, stop, text
    for found in expression("has_birthday", clause.locale).finditer(clause.text, clause.start, clause.stop):
        yield *found.span(1), found[1]
    for found in _AGED.finditer(clause.text, clause.start, clause.stop):
        before = next((p for p in clause.phrases if p.stop == found.start()), None)
        is_named = anchor is clause.subject and has_copula(clause)  # "I'm Tessa, 36"
        if before is not None and (before is anchor or (is_named and not before.prep)):
            yield *found.span(1), found[1]


def _is_age_of_other(clause: Clause, anchor: Phrase, at: int) -> bool:
    """Return whether an age is a former one, or of the person before it: "since he was 12", "Ana, 12 years old"."""
    word = next((word.low for word in reversed(clause.words) if word.stop <= at), "")
    last = next((p for p in reversed(clause.phrases) if p.stop <= at and p.words), anchor)
    is_beside = last is not anchor and clause.text[last.stop : at].strip() in (",", "(")
    noun = next((p for p in clause.phrases if p.start <= at < p.stop and p is not anchor), None)
    is_adjective = noun is not None and any(word.start > at for word in noun.words)  # "bought a ten-year-old car"
    return word in clause.locale.past_be or is_beside or (is_adjective and not has_copula(clause))


def is_no_value(question: Question, clause: Clause, start: int, shown: str) -> bool:
    """Return whether a span of a clause is no answer: a difference, a remark, or of another item than asked for."""
    text, stop, locale = clause.text, start + len(shown), clause.locale
    asked_unit = question.noun.low if question.noun is not None and question.wanted is Wanted.TIME else ""
    if asked_unit in question.locale.units["year"].split() and _YEAR_SHOWN.search(shown) is None:
        return True  # "on 2 June" does not answer "in which year"
    if asked_unit in question.locale.units["day"].split() and shown.lower().split()[0] in locale.all_numbers:
        return True  # "three days a week" does not answer "which days"
    digits = [start + at for at, char in enumerate(shown) if char.isdigit()]
    if digits or question.wanted in _COUNTED:
        is_other = _is_of_other_label(question, text, shown) or _is_of_other_part(question, text, start, locale)
        is_sum = question.wanted is not Wanted.TIME  # "um 9"
        is_other |= is_sum and (is_difference(text, start, stop) or is_difference(text, *digits[:1] or [start]))
        asked = question.subject.words[-1:] if question.subject else ()
        is_number = any(word.root == _TELEPHONE for word in asked) and _NUMBER_ASKED.search(question.text) is not None
        is_other |= is_number and len(digits) < _FEW_DIGITS
        return is_other or _MULTIPLE(locale).match(text, stop) is not None
    owner = None if question.subject is None else question.subject.owner
    if owner is not None and owner.words and {word.low for word in owner.words}.issuperset(words_of(shown)):
        return True  # "Ana" does not answer what Ana's dog is called
    if question.wanted not in _OPEN or question.concepts - {"name"} or question.rest:
        return False
    asked = question.subject.words[-1:] if question.subject else ()
    if any(word.low in question.locale.price_nouns for word in asked):  # "the rent is higher, of course"
        return locale.all_numbers.keys().isdisjoint(words_of(shown))
    if any(word.low.endswith(_CODE_NOUNS) or word.root in _CODE_ROOTS for word in asked):
        is_plain = _REMARK(locale).match(shown) or all(is_word(word, locale) for word in shown.split())
        return shown.islower() and bool(is_plain) and text[max(start - 1, 0)] not in "\"'“„«"
    is_how = not question.locale.how_words.isdisjoint(words_of(question.text)[:1])  # "How is the tea?"
    led = _REMARK(locale).search(text[:stop], max(start - _LONGEST_REMARK, 0), stop)
    return not is_how and led is not None and led.start() <= start <= led.end()


def _is_of_other_label(question: Question, text: str, shown: str) -> bool:
    """Return whether a number is in a question for another item, or a text has another number of its noun: "item 6"."""
    asked = [(noun, number) for noun, number in _LABELLED.findall(question.text) if number.isdigit()]
    numbers = {number for _, number in asked}
    others = [number for noun, number in _LABELLED.findall(text) for other, _ in asked if stem(noun) == stem(other)]
    is_asked = question.wanted is not Wanted.TIME and re.sub(r"\D", "", shown.partition(" ")[0]) in numbers
    return is_asked or (bool(others) and numbers.isdisjoint(others))


def _is_of_other_part(question: Question, text: str, start: int, locale: Locale) -> bool:
    """Return whether another part of a sentence with a number has more words of the question: "staging runs 15"."""
    asked = {stem(word) for word in words_of(question.text)} - {stem(word) for word in question.locale.question_words}
    known, before = {word for word in words_of(question.text) if word.isdigit()}, set[str]()
    parts: list[tuple[int, int, set[str], bool]] = []
    for low, high in pairwise([0, *(each.end() for each in _PARTS(locale).finditer(text)), len(text)]):
        words = words_of(text[low:high])
        here = asked.intersection(map(stem, words))
        reader = Reader(text[low:high].strip(" ,;"), locale)
        is_whole = reader.has_verb(0, len(reader.words)) and not reader.is_verb(0)  # not ", sold for 410"
        before = here if is_whole or not parts else here | before
        parts.append((low, high, before, any(w[:1].isdigit() and w not in known for w in words)))
    own = next((part[2] for part in parts if part[0] <= start < part[1]), set[str]())
    others = (part for part in parts if not part[0] <= start < part[1])
    return bool(own) and any(has and len(found) > len(own) for _, _, found, has in others)
