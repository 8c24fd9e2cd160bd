"""The data of each language, and which language a text is in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache

from engrain.language.locales.de import GERMAN
from engrain.language.locales.en import ENGLISH
from engrain.language.locales.es import SPANISH
from engrain.language.locales.fr import FRENCH
from engrain.language.locales.locale import FactForm, Locale, RelationForm
from engrain.text import pattern

__all__ = [
    "LOCALES",
    "FactForm",
    "Locale",
    "RelationForm",
    "expression",
    "has",
    "language_of",
    "one_of",
    "phrases",
    "union",
]

LOCALES = {locale.code: locale for locale in (ENGLISH, GERMAN, SPANISH, FRENCH)}
"""Every language there is, by its code; English first, in which a text is read that shows no other."""

_WORD = pattern(r"[^\W\d_]+")
_READ = 400  # characters of a text by which its language is recognised
_SHORTEST = 3  # letters: shorter names of times, mostly abbreviations, are words of other languages too


def language_of(text: str) -> Locale:
    """Return the language that most of the common words of a text are of, English in doubt.

    A word that several languages have counts for each of them in part.
    """
    return _language_of(text[:_READ])


@lru_cache(256)
def _language_of(text: str) -> Locale:
    votes = Counter[str]()
    known = _common_words()
    small = text.lower()
    for word in _WORD.findall(small):
        codes = known.get(word, ())
        for code in codes:
            votes[code] += 12 // len(codes)
    if not small.isascii():
        for locale in LOCALES.values():
            votes[locale.code] += 24 * sum(letter in small for letter in locale.letters)
    return max(LOCALES.values(), key=lambda locale: votes[locale.code])


@cache
def _common_words() -> dict[str, tuple[str, ...]]:
    """Return the languages that have each word: those too common to look for, and those that name times."""
    found: dict[str, tuple[str, ...]] = {}
    for locale in LOCALES.values():
        times = {*locale.months, *locale.weekdays, *locale.seasons, *locale.near}
        for names in (
            *locale.units.values(),
            *map(locale.time_words.get, ("last", "last one", "next", "next one", "part of day")),
        ):
            times.update((names or "").split())
        for word in {word for word in times if len(word) > _SHORTEST} | locale.stop:
            found[word] = (*found.get(word, ()), locale.code)
    return found


@cache
def expression(field: str, locale: Locale | None = None) -> re.Pattern[str]:
    """Return the phrases of a field as one expression of whole words in any case; those of all languages for None."""
    found = phrases(field) if locale is None else getattr(locale, field)
    return re.compile(rf"(?<!\w)(?:{found})(?!\w)" if found else r"(?!)", re.IGNORECASE)


def phrases(field: str) -> str:
    """Return the phrases of a field in all languages, as alternatives of an expression."""
    return "|".join(found for locale in LOCALES.values() if (found := getattr(locale, field)))


def one_of(words: Iterable[str]) -> str:
    """Return words as alternatives of an expression, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


def has(text: str, field: str) -> bool:
    """Say whether a text has one of the phrases of a field, in its own language."""
    return expression(field, language_of(text)).search(text) is not None


@cache
def union(field: str) -> frozenset[str]:
    """Return the words of a field in all languages."""
    return frozenset().union(*(getattr(locale, field) for locale in LOCALES.values()))
