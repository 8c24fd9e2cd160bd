"""What a question asks for, and the parts of a sentence that may answer it."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from engrain.language.locales import Locale, expression, has, language_of, template
from engrain.language.tokens import content_pairs, words
from engrain.text import pattern


class Wanted(StrEnum):
    """The sort of answer that fits a question, in the order in which the beginning of a question is compared."""

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


_ANYWHERE = (Wanted.FREQUENCY, Wanted.DURATION, Wanted.COUNT, Wanted.TIME, Wanted.PLACE, Wanted.PERSON)
_OWNS = pattern(r"['’]s?$")
_WORD = pattern(r"[^\W\d_]+")


def kinds_of(query: str) -> list[str]:
    """Return which of "causal", "relational", "exploratory" and "factual" something in a question speaks for."""
    return [kind for kind in ("causal", "relational", "exploratory", "factual") if has(query, kind)]


def difficulties(query: str) -> list[str]:
    """Return what makes a question hard: "several steps", "a comparison", "several clauses", "many words"."""
    joints = len(expression("joints", language_of(query)).findall(query)) + query.count(",") + query.count(";")
    signs = {
        "several steps": has(query, "steps"),
        "a comparison": has(query, "comparison"),
        "several clauses": joints >= 2 or query.count("?") >= 2,
        "many words": len(words(query)) >= 12,
    }
    return [name for name, there in signs.items() if there]


def is_about_asker(query: str) -> bool:
    """Say whether a question is about its asker, and not about its hearer."""
    locale, addressed = _addressed(query)
    return not locale.myself.isdisjoint(addressed) and locale.hearer.isdisjoint(addressed)


def is_about_asked(query: str) -> bool:
    """Say whether a question is about its hearer ("What did you recommend?"), beyond asking for a favour."""
    locale, addressed = _addressed(query)
    return not locale.hearer.isdisjoint(addressed)


def _addressed(query: str) -> tuple[Locale, list[str]]:
    """Return the language of a question, and its words without those of a request."""
    locale = language_of(query)
    return locale, _WORD.findall(expression("request", locale).sub(" ", query).lower())


# ------------------------------------------------------------------------------------------------- the answer that fits


def sort_of_answer(query: str) -> Wanted:
    """Return the sort of answer that a question asks for."""
    locale = language_of(query)
    for each in Wanted:
        if _asking(locale, each, rf"^\W*(?:(?:{locale.question_leads})\W+)*").search(query):
            return Wanted.THING if each is Wanted.YES_NO and expression("either", locale).search(query) else each
    anywhere = r"(?:\b|(?<=\W)|(?=[^\x00-\x7f]))"
    return next((each for each in _ANYWHERE if _asking(locale, each, anywhere).search(query)), Wanted.ANYTHING)


@cache
def _asking(locale: Locale, wanted: Wanted, before: str) -> re.Pattern[str]:
    return re.compile(rf"{before}(?:{locale.asked.get(wanted, '(?!)')})", re.IGNORECASE)


_HEAD = template(
    r"^\W*(?:\w+\s+)?(?:{which}|{how_many})\s+((?:(?!(?:{question_auxiliaries})\b)[\w'’+&-]+\s+){0,5}?)"
    r"(?=(?:{question_auxiliaries})(?:\b|\s))"
)
_PREDICATE = template(r"^\W*(?:\w+\s+)?(?:{which})\b[^?]*?\b(?:{question_auxiliaries})\s(.*)")


def head_of(query: str) -> tuple[str, bool]:
    """Return the index term that names what is wanted ("which books"), "" for none, and whether it is a plural."""
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


def verb_of(query: str, names: frozenset[str]) -> str:
    """Return the index term of what somebody does in "what did Ana buy": neither a name nor what somebody has."""
    locale = language_of(query)
    found = _PREDICATE(locale).search(query)
    owning, owned = locale.articles | locale.determiners | locale.joined, False
    for word in found[1].split() if found else ():
        pairs = content_pairs(word)
        if pairs and not owned and pairs[0][1] not in names:
            return pairs[0][1]
        owned = _OWNS.search(word) is not None or word.lower() in owning
    return ""


Span = tuple[int, int]
