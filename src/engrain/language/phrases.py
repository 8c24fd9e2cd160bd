"""The words of one sentence as statements are compared: split, matched in any inflection, and their language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from threading import Lock
from unicodedata import normalize

import Stemmer

from engrain.language.locales import LOCALES, Locale
from engrain.language.tokens import BASE, stem

_EDGES = " \t.,;:!?…\"'`()[]{}«»“”‘*"
_CLITIC = re.compile(r"(?<=\w)'(?:s|re|m|ve|ll|d)$", re.IGNORECASE)
_ELISION = re.compile(r"^(?:[ldnjmtsc]|qu)'(?=\w)", re.IGNORECASE)
_NOT = {"cannot": ("can", "not"), "can't": ("can", "not"), "won't": ("will", "not")}
_REMEMBERED = 16_384
_stemmers: dict[str, Stemmer.Stemmer] = {}
_stemmers_lock = Lock()  # a stemmer holds one buffer


def tidy(text: str) -> str:
    """Return a text on one line with plain apostrophes."""
    flat = " ".join(text.split())
    return flat if flat.isascii() else normalize("NFC", flat).replace("’", "'").replace("ʼ", "'")


def split(text: str) -> list[str]:
    """Return the words of a tidy text in its letters."""
    return [word for chunk in text.split() for word in _split(chunk)]


@lru_cache(_REMEMBERED)
def _split(chunk: str) -> tuple[str, ...]:
    bare = chunk.strip(_EDGES)
    low = bare.lower()
    if low in _NOT:
        return _NOT[low]
    if not bare or bare.isalnum():
        return (bare,) if bare else ()
    if low.endswith("n't") and len(low) > 3:
        return (bare[:-3], "not")
    if found := _ELISION.match(bare):
        return (found[0], *_split(bare[found.end() :]))
    if found := _CLITIC.search(bare):
        return (bare[: found.start()], found[0])
    return (bare,) if any(char.isalnum() or char in "+-$€£%" for char in bare) else ()


def same(one: str, other: str, locale: Locale) -> bool:
    """Say whether two words are one word in the same tense; names and numbers only to the letter."""
    if one == other:
        return True
    first, second = one.casefold(), other.casefold()
    if not (first.isalpha() and second.isalpha()):
        return first == second and not any(char.isdigit() for char in first)
    if first == second:
        return min(len(one), len(other)) > 3 or not (one.isupper() or other.isupper())  # "US" is not "us"
    if one[0].isupper() or other[0].isupper():  # a name
        return False
    return _root(first, locale) == _root(second, locale)


def equal(one: Sequence[str], other: Sequence[str], locale: Locale) -> bool:
    """Say whether two runs of words are the same words in the same order."""
    return len(one) == len(other) and all(same(a, b, locale) for a, b in zip(one, other, strict=True))


def telling(words: Sequence[str], locale: Locale) -> list[str]:
    """Return the words without those that tell nothing."""
    return [word for word in words if word.lower() not in locale.idle]


@lru_cache(_REMEMBERED)
def _root(word: str, locale: Locale) -> tuple[str, str]:
    """Return what two forms of one word share.

    English stems merge too much for a statement ("universe", "university"), so its plain endings are compared too.
    """
    if locale.code == "en":
        return stem(word), plain_form(word)
    with _stemmers_lock:
        stemmer = _stemmers.setdefault(locale.snowball, Stemmer.Stemmer(locale.snowball, 0))
        return stemmer.stemWord(word).removesuffix("t" if locale.code == "de" else "\n"), ""


def plain_form(word: str) -> str:
    """Return an English word without -s or -ing; a past form stays another word."""
    if word == "has":
        return "have"
    if word.endswith("ing") and len(word) > 5:
        bare = word[:-3]
        word = bare[:-1] if len(bare) > 2 and bare[-1] == bare[-2] and bare[-1] not in "aeiouls" else bare
    elif word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("ses", "xes", "ches", "shes", "oes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e")


def is_verb(word: str, before: str, locale: Locale) -> bool:
    """Say whether a word in small letters may be the verb that ends a subject; `before` is the word before it."""
    if word in locale.copulas or word in locale.negated or word in locale.auxiliaries:
        return True
    if locale.code != "en":
        return word in locale.verbs
    plural = before.endswith("s") and not before.endswith("ss")
    inflected = word.endswith(("s", "ed")) or word in BASE
    forms = {BASE.get(word, word), plain_form(word), word.removesuffix("ed")}
    return (inflected or plural) and not forms.isdisjoint(_roots(locale))


@cache
def _roots(locale: Locale) -> frozenset[str]:
    verbs = locale.verbs
    return verbs | {verb.removesuffix("e") for verb in verbs} | {f"{verb}{verb[-1]}" for verb in verbs}


def spoken(words: Sequence[str], locales: Sequence[Locale]) -> Locale:
    """Return the language that has most of the words of a sentence; the first one in doubt."""
    small = [word.lower() for word in words]
    return max(locales, key=lambda one: sum(map(_common_words(one).__contains__, small)), default=LOCALES["en"])


@cache
def _common_words(one: Locale) -> frozenset[str]:
    marking = frozenset(word for marker in (*one.ended, *one.changed) for word in marker.split() if len(word) > 2)
    return marking.union(
        *(one.articles, one.copulas, one.verbs, one.pronouns, one.blocked, one.negated, one.linking, one.now)
    )
