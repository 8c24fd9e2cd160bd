"""Whether a name can be told from ordinary words: what may be looked for in any text, and what needs a cue. Pure."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files

_PART = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_INNER_CAPITAL = re.compile(r"[a-zß-öø-ÿ][A-ZÀ-ÖØ-Þ]|[A-Z]{2,}[a-z]{2,}")
_SUFFIXES = ("'s", "’s", "s", "es", "ed", "d", "ing", "er", "ers", "ly", "y", "r", "rs", "al", "ness", "less", "ful")
_OPENING = " \t\"'“”‘’([{*_>#-•–—"
_LONGEST = 32  # letters of an ordinary word
_SHORT = {"dr", "mr", "mrs", "ms", "prof", "st", "sr", "jr", "vs", "no", "inc", "e.g", "i.e", "u.s", "u.k"}


@cache
def word_list(name: str) -> frozenset[str]:
    """Return one of the word lists kept beside this module: `common`, `family`, `given`, `places`."""
    text = (files("recollect.graph") / "wordlists" / f"{name}.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def common(word: str) -> bool:
    """Say whether a word, in small letters, is ordinary English in one of its usual forms."""
    return len(word) < _LONGEST and _common(word)


@lru_cache(8192)
def _common(word: str) -> bool:
    known = word_list("common")
    if word in known:
        return True
    for suffix in _SUFFIXES:
        if len(word) > len(suffix) + 2 and word.endswith(suffix):
            stem = word[: -len(suffix)]
            if stem in known or stem + "e" in known or (stem[-1] == "i" and stem[:-1] + "y" in known):
                return True
            if len(stem) > 3 and stem[-1] == stem[-2] and stem[:-1] in known:
                return True
    return False


def ordinary(word: str) -> bool:
    """Say whether a word, in small letters, is ordinary English, somebody's name, or in the name of a place."""
    return common(word) or word in word_list("given") or word in word_list("family") or word in _place_words()


@cache
def _place_words() -> frozenset[str]:
    return frozenset(word for place in word_list("places") for word in place.split())


@cache
def distinctive(name: str) -> bool:
    """Say whether a name can be told from ordinary words wherever it stands.

    It has a digit, an inner capital, or a word that is neither common nor a given name. Letters standing alone, and
    capitals of fewer than four letters, tell nothing.
    """
    parts = _PART.findall(name)
    if any(char.isdigit() for char in name) and any(char.isalpha() for char in name) and len(name) > 3:
        return True
    if name.islower() and name.isalpha() and _compound(name):
        return False
    telling = [part for part in parts if len(part) > 3 or (len(part) == 3 and not part.isupper())]
    if any(_INNER_CAPITAL.search(part) for part in telling):
        return True
    return any(not ordinary(part.casefold()) and len(part) > 3 for part in telling)


def cased(written: str, read: str) -> bool:
    """Say whether a name of one word is read in capitals that let it mean the one that is written so in a table.

    Letters that spell an ordinary word tell nothing but by their capitals.
    """
    if written.isalpha() and written.isupper():
        return read.isupper()
    if read != written and any(common(part.casefold()) for part in _PART.findall(written)):
        return False
    return not (read.islower() and read.isalpha() and written.istitle())


def _compound(word: str) -> bool:
    """Say whether a word is two ordinary ones written together."""
    known = word_list("common")
    return any(word[:cut] in known and word[cut:] in known for cut in range(4, len(word) - 3))


def at_sentence_start(text: str, start: int) -> bool:
    """Say whether a capital at this place is there because a sentence starts."""
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False
    before = text[max(0, start - 24) : start].rstrip(_OPENING)
    if not before:
        return True
    if before[-1] not in ".!?:;…\n\r|":
        return not (before[-1].isalnum() or before[-1] in ",%&)]'\"/+=$")
    last = before[:-1].rsplit(None, 1)[-1:] if before[-1] == "." else []
    return not (last and last[0].casefold() in _SHORT)
