"""What a question asks for: its kind, the sort of answer that fits it, a time or a name, and who is meant."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from engrain.language.locales import Locale, expression, has, language_of
from engrain.language.tokens import content_pairs, is_stop, words
from engrain.text import pattern


class Wanted(StrEnum):
    """The sort of answer that fits a question."""

    TIME = "time"
    DURATION = "duration"
    FREQUENCY = "frequency"
    PLACE = "place"
    PERSON = "person"
    COUNT = "count"
    AMOUNT = "amount"
    YES_NO = "yes or no"
    NAME = "name"
    REASON = "reason"
    MANNER = "manner"
    THING = "thing"
    ANYTHING = "anything"


_IN_ORDER = (
    *(Wanted.FREQUENCY, Wanted.DURATION, Wanted.COUNT, Wanted.AMOUNT, Wanted.TIME, Wanted.PLACE, Wanted.PERSON),
    *(Wanted.NAME, Wanted.REASON, Wanted.MANNER, Wanted.THING, Wanted.YES_NO),
)
_ANYWHERE = (Wanted.FREQUENCY, Wanted.DURATION, Wanted.COUNT, Wanted.TIME, Wanted.PLACE, Wanted.PERSON)
_OWNS = pattern(r"['’]s?$")
_WORD = pattern(r"[^\W\d_]+")


def asks_when(query: str) -> bool:
    """Say whether a question asks for a time or a duration: when, since when, how long, which year, what time."""
    return has(query, "asks_when")


def asks_latest(query: str) -> bool:
    """Say whether a question is about the latest state or event, or the one before: "currently", "last time"."""
    return has(query, "asks_latest")


def asks_name(query: str) -> bool:
    """Say whether a question asks for the name of a person, a place, a work or a thing: who, where, which book."""
    return has(query, "asks_name")


def asks_clock_time(query: str) -> bool:
    """Say whether a question asks for the time of a day."""
    return has(query, "asks_clock_time")


def asks_age(query: str) -> bool:
    """Say whether a question asks how old somebody is."""
    return has(query, "asks_age")


def asks_who_is(query: str) -> bool:
    """Say whether a question asks who somebody is whom it names."""
    return has(query, "asks_who_is")


def kinds_of(query: str) -> list[str]:
    """Return which of "causal", "relational", "exploratory" and "factual" something in a question speaks for."""
    return [kind for kind in ("causal", "relational", "exploratory", "factual") if has(query, kind)]


def difficulties(query: str) -> list[str]:
    """Return what makes a question hard: "several steps", "a comparison", "several clauses", "many words"."""
    locale = language_of(query)
    joints = len(expression("joints", locale).findall(query)) + query.count(",") + query.count(";")
    signs = {
        "several steps": expression("steps", locale).search(query),
        "a comparison": expression("comparison", locale).search(query),
        "several clauses": joints >= 2 or query.count("?") >= 2,
        "many words": len(words(query)) >= 12,
    }
    return [name for name, there in signs.items() if there]


def is_about_asker(query: str) -> bool:
    """Say whether whoever asks speaks of themselves, and not of whom they ask."""
    locale, addressed = _addressed(query)
    return _is_among(locale.myself, addressed) and not _is_among(locale.hearer, addressed)


def is_about_asked(query: str) -> bool:
    """Say whether a question is about whom it is put to ("What did you recommend?"), beyond asking for a favour."""
    locale, addressed = _addressed(query)
    return _is_among(locale.hearer, addressed)


def _addressed(query: str) -> tuple[Locale, str]:
    locale = language_of(query)
    return locale, expression("request", locale).sub(" ", query)


def _is_among(wanted: frozenset[str], text: str) -> bool:
    return any(word in wanted for word in _WORD.findall(text.lower()))


# ------------------------------------------------------------------------------------------------- the answer that fits


def sort_of_answer(query: str) -> Wanted:
    """Return the sort of answer that a question asks for."""
    locale = language_of(query)
    for each in _IN_ORDER:
        if _opening(locale, each).search(query):
            return Wanted.THING if each is Wanted.YES_NO and expression("either", locale).search(query) else each
    for each in _ANYWHERE:
        if _anywhere(locale, each).search(query):
            return each
    return Wanted.ANYTHING


@cache
def _opening(locale: Locale, wanted: Wanted) -> re.Pattern[str]:
    lead = rf"^\W*(?:(?:{locale.question_leads})\W+)*"
    return re.compile(rf"{lead}(?:{locale.asked.get(wanted, '(?!)')})", re.IGNORECASE)


@cache
def _anywhere(locale: Locale, wanted: Wanted) -> re.Pattern[str]:
    return re.compile(rf"(?:\b|(?<=\W)|(?=[^\x00-\x7f]))(?:{locale.asked.get(wanted, '(?!)')})", re.IGNORECASE)


def head_of(query: str) -> tuple[str, bool]:
    """Return the index term that names what is wanted ("which books"), "" for none, and whether it is a plural."""
    locale = language_of(query)
    found = _head(locale).search(query)
    if found is None:
        return "", False
    phrase = expression("kind_of", locale).sub("", found[1].strip()).strip() or found[1].strip()
    pairs = content_pairs(phrase)
    if not pairs:
        return "", False
    surface, term = pairs[-1]
    small = surface.lower()
    plural = small.endswith("s") and not small.endswith("ss") and small not in locale.singular_nouns
    return term, plural or small in locale.plural_nouns


@cache
def _head(locale: Locale) -> re.Pattern[str]:
    auxiliary = locale.question_auxiliaries
    return re.compile(
        rf"^\W*(?:\w+\s+)?(?:{locale.which}|{locale.how_many})\s+((?:(?!(?:{auxiliary})\b)[\w'’+&-]+\s+){{0,5}}?)"
        rf"(?=(?:{auxiliary})(?:\b|\s))",
        re.IGNORECASE,
    )


def owner_of(query: str) -> str:
    """Return the last word of a question for a part or property of somebody or something, "" for none."""
    found = expression("last_of", language_of(query)).fullmatch(query.strip(" \t\n?¿"))
    return found["whose"] if found and not is_stop(found["whose"]) else ""


@cache
def _predicate(locale: Locale) -> re.Pattern[str]:
    return re.compile(
        rf"^\W*(?:\w+\s+)?(?:{locale.which})\b[^?]*?\b(?:{locale.question_auxiliaries})\s(.*)", re.IGNORECASE
    )


def verb_of(query: str, names: frozenset[str]) -> str:
    """Return the index term of what somebody does in "what did Ana buy": neither a name nor what somebody has."""
    locale = language_of(query)
    found = _predicate(locale).search(query)
    owning, owned = locale.articles | locale.determiners | locale.joined, False
    for word in found[1].split() if found else ():
        pairs = content_pairs(word)
        if pairs and not owned and pairs[0][1] not in names:
            return pairs[0][1]
        owned = _OWNS.search(word) is not None or word.lower() in owning
    return ""
