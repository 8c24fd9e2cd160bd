"""Which way a sentence looks in time: whether a date that its words leave open is the next one or the last."""

from __future__ import annotations

import re
from functools import cache

from engrain.language.locales import Locale, language_of
from engrain.language.tokens import Place, clauses, sentence_places

_BEFORE, _AFTER = 240, 160  # characters around a time that are read
_WORD = re.compile(r"[^\W\d_]+")


def looks_ahead(text: str, start: int, stop: int, *, aims: bool) -> bool | None:
    """Say whether the words around the time `text[start:stop]` look ahead, None where they do not show it.

    In the clause that has the time the last verb before it decides, else the first one behind it. A clause without
    any is read with those before it where it goes on with "and" or a preposition, or is only a time ("I met Ana, on
    Friday"), and with those behind it where the time begins it ("On Friday, I met Ana"). What was arranged is ahead
    where the time is its aim, after "for", "to" or "until": "moved to Friday".
    """
    sentence, begin, places, number = _clauses(text, start, stop)
    start, stop, place, locale = start - begin, stop - begin, places[number], language_of(sentence)
    if aims and _cues("arranged rescheduled", locale).search(sentence, *place):
        return True
    if (found := _nearest(sentence, locale, place, start)) is not None:
        return found
    before, behind = _words(sentence, place[0], start), _words(sentence, stop, place[1])
    if not locale.subjects.isdisjoint(behind):
        return None
    small = locale.stop.union(locale.weekdays, locale.months)
    begins, ends = small.issuperset(before), small.issuperset(behind)
    joined = sentence[places[number - 1][1] if number else 0 : place[0]].strip().lower() in locale.joined
    others = list[Place]()
    if joined or (ends if begins else before[0] in locale.stop):  # "Booked: the train, on Friday" is no verb
        others += [one for one in reversed(places[:number]) if sentence[one[1]] != ":"]
    if begins:
        others += places[number + 1 :]
    cues = (_nearest(sentence, locale, one, start) for one in others)
    return next((found for found in cues if found is not None), None)


def is_rescheduled(text: str, start: int, stop: int) -> bool:
    """Say whether the clause of a time states that something gets another time: "moved from Thursday to Friday"."""
    sentence, _, places, number = _clauses(text, start, stop)
    return _cues("rescheduled", language_of(sentence)).search(sentence, *places[number]) is not None


def _clauses(text: str, start: int, stop: int) -> tuple[str, int, list[Place], int]:
    """Return the sentence that has a time, as far as it is near, its beginning, its clauses, and which has the time."""
    low = max(0, start - _BEFORE)
    part = text[low : stop + _AFTER]
    first, last = next(place for place in sentence_places(part) if place[1] > start - low)
    places = clauses(part[first:last])
    number = next((number for number, (_, end) in enumerate(places) if low + first + end > start), len(places) - 1)
    return part[first:last], low + first, places, number


def _words(text: str, start: int, stop: int) -> list[str]:
    return [word.lower() for word in _WORD.findall(text, start, stop)]


def _nearest(sentence: str, locale: Locale, place: Place, at: int) -> bool | None:
    """Say whether the last verb of a clause before `at`, else its first one, looks ahead; None where it has none."""
    found = None
    for cue in _cues("past_tense future", locale).finditer(sentence, *place):
        if found is None or cue.start() < at:
            found = cue.lastgroup == "future"
    return found


@cache
def _cues(fields: str, locale: Locale) -> re.Pattern[str]:
    named = "|".join(f"(?P<{field}>{getattr(locale, field)})" for field in fields.split())
    return re.compile(rf"(?<!\w)(?:{named})(?!\w)", re.IGNORECASE)
