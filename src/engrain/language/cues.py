"""Signals of a sentence: polarity, modality, `importance`, chatter, and the phrases that mark kinds of facts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache

from engrain.language.locales import LOCALES, Locale, expression, has_any, language_of, phrases, union
from engrain.language.questions import recurring_spans
from engrain.language.tokens import Place, clauses, content_pairs, sentence_places, stem, stems, words
from engrain.text import pattern

_NEAR = 160  # characters before a statement in which it can be retracted
_BETWEEN = ("simple_negation", "contrast", "hypothetical", "tentative")
_AHEAD = ("denied_ahead", "hypothetical", "tentative")
TRIVIAL = 0.05  # the importance of text without a statement: greetings, thanks, emoji
BANDS = (0.2, 0.5, 0.8)  # the thresholds of routine, notable and critical
_CRITICAL = BANDS[-1]
_IDENTIFIER = pattern(r"[A-Z]{2,}-?\d|\w@\w|https?://|\d{3}[- ]?\d{3}")
_NUMBER = pattern(r"\d")
_NAME = pattern(r" (?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_SPOKEN = pattern(r"\w")  # emoji alone count little
_READ = 1000  # characters: longer texts contain some of every signal, so length would dominate
_MUCH = math.log(25)  # number of informative words at which the score saturates
_DENSE = 0.6  # the share of informative words that few texts exceed
_OFTEN = 0.1  # the share of different first- or second-person words at which their effect saturates
_SUBJECTS = ((0.12, ("timely",)), (0.08, ("wanted", "decided")), (0.03, ("feeling",)))  # the bonus of each topic
_LONG = 100  # words: a longer text that states nothing about its speaker is an explanation
_QUESTION_END = pattern(r"[?？؟][\W_]*$")
_ANY_WORD = pattern(r"[^\W_]")
_CALLED = pattern(r"(?:,\s*|^\W*|\b[Ww]ow )[A-Z]\w+(?=\s*[,.!]|$)")
_LONGEST_GREETING = 60  # characters
_SHORT = 4  # with more informative words than these after a greeting, the sentence is a statement
_GREETINGS = pattern(rf"^\W*(?:(?:{phrases('chatter')})(?!\w)[\s,.!?¿¡…;-]*)+$", re.IGNORECASE)
_POLITE = pattern(rf"\W*(?:{phrases('polite_openings')})\b", re.IGNORECASE)
_LASTING = pattern(phrases("lasting"))
_CORRECTED_NEXT = [expression("corrected_next", each) for each in LOCALES.values()]
MODELS = frozenset({"assistant", "ai", "bot", "model", "system"})
"""Names of an assistant in a transcript, whose statements are general knowledge."""
_WORD = pattern(r"[^\W\d_]+")


@cache
def negations() -> frozenset[str]:
    """Return the words that are negations on their own, in all languages."""
    return frozenset(word for locale in LOCALES.values() for word in locale.negation.split("|") if word.isalpha())


def denies(text: str) -> bool:
    """Return whether a text has an effective negation: not "don't forget" or "not only"."""
    bare = expression("no_denial").sub(" ", text)
    return bool(expression("negation").search(bare) or expression("denial_verbs").search(bare))


def is_stated(text: str, begin: int, first_end: int, second: int) -> bool:
    """Return whether the relation between two names is asserted: not negated, asked, possible or conditional."""
    locale = language_of(text)
    if any(expression(each, locale).search(text, first_end, second) for each in _BETWEEN):
        return False
    low = max(begin, first_end - _NEAR)
    given_up = (found.end() for found in expression("given_up_between", locale).finditer(text, first_end, second))
    if any("," not in text[end:second] for end in given_up):
        return False  # but "stopped using X-Agent, switched to HeadLace"
    if any(found.end() == first_end for found in expression("apart_ahead", locale).finditer(text, low, first_end)):
        return False  # "neither APT28 nor APT29 uses it", "unlike APT29"
    return not any(expression(each, locale).search(text, low, first_end) for each in _AHEAD)


def asks(text: str, end: int) -> bool:
    """Return whether the sentence that ends at a position is a question."""
    return text[max(0, end - 3) : end + 1].rstrip("\"'”’) \n").endswith(("?", "？", "؟"))


@cache
def critical() -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    """Return the patterns of critical content, each with the words one of which a text needs to be searched for it."""
    return tuple(
        (frozenset(map(stem, cues)), pattern(expression))
        for locale in LOCALES.values()
        for cues, expression in locale.critical
    )


@cache
def _spoken(field: str, locale: Locale) -> frozenset[str]:
    """Return the words of a field in both cases; "I" only as a capital."""
    found = {form for word in getattr(locale, field) for form in (word, word.capitalize(), word.replace("'", "’"))}
    return frozenset(found - {"i"})


def importance(text: str, pairs: Sequence[tuple[str, str]]) -> float:
    """Score a text from 0 to 1: identity and explicit wishes of a person count most, small talk least.

    Args:
        text: The text; its first 1,000 characters count.
        pairs: Its informative words with their index terms, as `tokens.content_pairs` returns them.
    """
    sample = text[:_READ]
    if not pairs or not _SPOKEN.search(sample) or is_remark(text):
        return TRIVIAL
    words = sample.split()
    pairs = pairs[: len(words)]
    terms = {stem(word) for word, _ in pairs}
    score = 0.14 + 0.26 * min(1.0, math.log1p(len(terms)) / _MUCH) + 0.06 * min(1.0, len(pairs) / len(words) / _DENSE)
    identity = len(stems("identity") & terms)  # identity counts most
    subject = (0.0, 0.16, 0.26)[min(identity, 2)]
    for weight, fields in _SUBJECTS:
        subject += weight * sum(not stems(field).isdisjoint(terms) for field in fields)
    names = min(0.10, 0.05 * len(set(_NAME.findall(sample))))
    if _NUMBER.search(sample):
        names += 0.10 if _IDENTIFIER.search(sample) else 0.06
    score = score + subject + names
    # Statements about the speaker count for a text, words addressed to the other against it.
    found, often, locale = frozenset(word.strip(".,!") for word in words), len(words) * _OFTEN, language_of(text)
    oneself = min(len(found & _spoken("oneself", locale)) / often, 1.0)
    score += 0.14 * oneself - 0.12 * min(len(found & _spoken("hearer", locale)) / often, 1.0)
    score += 0.10 * (not union("events").isdisjoint(found))
    if len(words) > _LONG:
        score *= 0.7 + 0.3 * oneself
    asks = sample.rstrip().endswith("?") and "." not in sample
    score = min(max(score * (0.6 if asks else 1.0), TRIVIAL), 1.0 if identity > 1 else _CRITICAL - 0.01)
    read = critical() if score < _CRITICAL and not asks else ()
    if any(not cues.isdisjoint(terms) and stated.search(sample) for cues, stated in read):
        score = _CRITICAL + (1 - _CRITICAL) * score
    return round(score, 4)


def is_remark(text: str) -> bool:
    """Return whether a text consists of greetings, thanks and words of agreement."""
    return len(text) < _LONGEST_GREETING and _GREETINGS.match(text) is not None


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends as a question."""
    return _QUESTION_END.search(sentence) is not None


def is_chatter(sentence: str) -> bool:
    """Return whether a sentence is a question, a heading, a greeting, thanks, or a passing remark."""
    if is_question(sentence) or sentence.startswith("#") or not _ANY_WORD.search(sentence) or is_remark(sentence):
        return True
    pairs = content_pairs(_CALLED.sub(" ", sentence))
    informative = [word for word, _ in pairs if stem(word) not in stems("no_content")]
    if any(character.isdigit() for word in informative for character in word):
        return False
    return not informative or (len(informative) <= _SHORT and _POLITE.match(sentence) is not None)


def is_filler(sentence: str) -> bool:
    """Return whether a sentence only opens a message: "Hi Ana!", "Ok, great."."""
    return expression("filler", language_of(sentence)).match(sentence.strip()) is not None


def worth(sentence: str) -> float:
    """Rate a sentence from 1 to 10: its importance, less where it does not name its subject."""
    vague = expression("vague_opening", language_of(sentence)).match(sentence)
    return max(1.0, round(importance(sentence, content_pairs(sentence)) * 10 * (0.7 if vague else 1.0), 2))


@lru_cache(1024)
def with_joined_correction(text: str) -> str:
    """Return a text of the same length with a correction and its next sentence joined: "I put 12. It's 14."."""
    found = next(filter(None, (each.search(text, 0, _READ) for each in _CORRECTED_NEXT)), None)
    if found is None:
        return text
    opens, between = found["opens"], " " * (found.start("opens") - found.end("seam") - 1)  # "I checked, and it's 14"
    return f"{text[: found.start('seam')]}, {between}{opens[0].lower()}{opens[1:]}{text[found.end() :]}"


def is_limited(text: str, locale: Locale) -> bool:
    """Return whether a text limits an end to some time: "no longer on Fridays", "left for the weekend"."""
    is_short = has_any(text, "limits_end", "part_time", locale=locale)
    return is_short or any(True for _ in recurring_spans(text, locale))


def lasts(sentence: str) -> bool:
    """Return whether a sentence states a lasting property of a person: "I am vegan", "My cat is called Rex"."""
    return _LASTING.match(sentence) is not None


def speaks_of_persons(text: str) -> bool:
    """Return whether a text has words for the first or second person."""
    locale = language_of(text)
    return not (_spoken("oneself", locale) | _spoken("hearer", locale)).isdisjoint(text.split())


def is_yes_or_no(sentence: str) -> bool:
    """Return whether a sentence begins with a plain yes or no."""
    return expression("yes_or_no").match(sentence.lstrip("\"'“‘¿¡ ")) is not None


def yes_or_no(text: str) -> bool | None:
    """Return True or False for a text that begins with a plain yes or no, else None."""
    rest = without_yes_or_no(text)
    first = set(words(text[: len(text) - len(rest)] if rest else text))
    yes = {each for locale in LOCALES.values() for each in locale.plain_yes_no.split("|")[:-1]}
    return None if not first else not first.isdisjoint(yes)


def without_yes_or_no(text: str) -> str:
    """Return a text without a leading plain yes or no."""
    return re.sub(rf"^\W*{expression('plain_yes_no').pattern}[\s,.;:!–—-]*", "", text, flags=re.IGNORECASE)


@cache
def cue(field: str) -> re.Pattern[str]:
    """Return one expression for the phrases of a field in all languages, as whole words in any case."""
    return pattern(rf"(?<![^\W_])(?=[^\W_]|[$€£¥#+])(?:{phrases(field)})(?![^\W_])", re.IGNORECASE)


_BEFORE, _AFTER = 240, 160  # characters of context around a time


def looks_ahead(text: str, start: int, stop: int, *, aims: bool) -> bool | None:
    """Return whether the context of the time `text[start:stop]` is in the future; None if it does not show it.

    In the clause of the time the last verb before it decides, else the first one after it. A clause without a verb is
    joined with the previous clauses where it continues with "and" or a preposition, or is only a time ("I met Ana, on
    Friday"), and with the next ones where the time opens it ("On Friday, I met Ana"). An arrangement is in the future
    if the time is its aim, after "for", "to" or "until": "moved to Friday".
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
    if joined or (ends if begins else before[0] in locale.stop):  # "Booked: the train, on Friday" has no verb
        others += [one for one in reversed(places[:number]) if sentence[one[1]] != ":"]
    if begins:
        others += places[number + 1 :]
    cues = (_nearest(sentence, locale, one, start) for one in others)
    return next((found for found in cues if found is not None), None)


def is_rescheduled(text: str, start: int, stop: int) -> bool:
    """Return whether the clause of a time reschedules something: "moved from Thursday to Friday"."""
    sentence, _, places, number = _clauses(text, start, stop)
    return _cues("rescheduled", language_of(sentence)).search(sentence, *places[number]) is not None


def _clauses(text: str, start: int, stop: int) -> tuple[str, int, list[Place], int]:
    """Return the nearby part of the sentence of a time, its offset, its clauses, and the index of the time's clause."""
    low = max(0, start - _BEFORE)
    part = text[low : stop + _AFTER]
    first, last = next(place for place in sentence_places(part) if place[1] > start - low)
    places = clauses(part[first:last])
    number = next((number for number, (_, end) in enumerate(places) if low + first + end > start), len(places) - 1)
    return part[first:last], low + first, places, number


def _words(text: str, start: int, stop: int) -> list[str]:
    return [word.lower() for word in _WORD.findall(text, start, stop)]


def _nearest(sentence: str, locale: Locale, place: Place, at: int) -> bool | None:
    """Return whether the last verb before `at` in a clause, else its first, is future; None without a verb."""
    found = None
    for cue in _cues("past_tense future", locale).finditer(sentence, *place):
        if found is None or cue.start() < at:
            found = cue.lastgroup == "future"
    return found


@cache
def _cues(fields: str, locale: Locale) -> re.Pattern[str]:
    named = "|".join(f"(?P<{field}>{getattr(locale, field)})" for field in fields.split())
    return pattern(rf"(?<!\w)(?:{named})(?!\w)", re.IGNORECASE)
