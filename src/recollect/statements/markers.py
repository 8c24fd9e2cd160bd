"""Where a sentence says that something ended, changed, was wrong, or is not so, and what is left without saying it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from recollect.statements.locales import LOCALES, Locale
from recollect.statements.tokens import split

_GAP = 5  # words between the two parts of a marker
_OPENER = r"(?:(?:no|nein|non|sorry|oops|wait|hm+|oh)[,.!]? +)*"


@dataclass(frozen=True, slots=True)
class Marks:
    """The markers of a sentence; `ended` holds the words of what holds no longer."""

    change: bool = False
    correction: bool = False
    negation: bool = False
    ended: tuple[str, ...] = ()


def lead(text: str, locale: Locale) -> str | None:
    """Return a text without the correction marker it opens with; None when it opens with none."""
    low = text.lower()
    if not any(word in low for word in (*locale.corrected, *locale.hinted)):
        return None
    found = _leads(locale.code).match(text)
    return text[found.end() :] if found and found.end() < len(text) else None


def without(words: Sequence[str], markers: Sequence[str]) -> list[str]:
    """Return the words without every marker that is made of neighbouring words."""
    kept = list(words)
    for marker in markers:
        if (place := _find(_padded(kept), marker)) is not None:
            kept[place[0] : place[1]] = []
    return kept


def spoken(words: Sequence[str], locales: Sequence[Locale]) -> Locale:
    """Return the language that has most of the words; the first one in doubt."""
    small = [word.lower() for word in words]
    return max(locales, key=lambda one: sum(map(_common_words(one.code).__contains__, small)), default=LOCALES["en"])


@cache
def _common_words(code: str) -> frozenset[str]:
    one = LOCALES[code]
    marking = frozenset(word for marker in (*one.ended, *one.changed) for word in marker.split() if len(word) > 2)
    return (
        marking
        | one.articles
        | one.copulas
        | one.verbs
        | one.pronouns
        | one.blocked
        | one.negated
        | one.linking
        | {*one.now}
    )


def marks(words: Sequence[str], locale: Locale) -> Marks:
    """Return the markers among the words of one sentence."""
    padded = _padded(words)
    ended = ended_words(words, padded, locale)
    return Marks(
        change=bool(ended) or any(f" {marker} " in padded for marker in locale.changed),
        correction=any(f" {marker} " in padded for marker in locale.hinted),
        negation=not ended and any(f" {word} " in padded for word in locale.negated),
        ended=ended,
    )


def ended_words(words: Sequence[str], padded: str, locale: Locale) -> tuple[str, ...]:
    """Return the words of what a sentence says holds no longer, without the marker that says so."""
    for marker, first, last, cue in _endings(locale.code):
        if cue not in padded or (last and f" {last} " not in padded):
            continue
        if (place := _find(padded, first)) is None or _is_passive(words, place[0], marker):
            continue
        rest = list(words[place[1] :])
        if last:
            end = _find(_padded(rest), last)
            if end is None or not 0 < end[0] <= _GAP:
                continue
            rest[end[0] : end[1]] = []
        return (*words[: place[0]], *rest)
    return ()


@cache
def _endings(code: str) -> tuple[tuple[str, str, str, str], ...]:
    """Return each marker of an end, its first part, its last part, and what a text must hold to have it."""
    parts = [(marker, *marker.partition(" ... ")[::2]) for marker in LOCALES[code].ended]
    return tuple((marker, first, last, f" {first.removesuffix('~ing')} ") for marker, first, last in parts)


def _is_passive(words: Sequence[str], at: int, marker: str) -> bool:
    """Say whether "used to" is a use ("is used to build") or a habit ("got used to")."""
    return marker == "used to" and (at == 0 or words[at - 1].lower() in _BEFORE_USED)


_BEFORE_USED = frozenset("is are was were be been being get gets got getting 's 're not be not".split())


def _padded(words: Sequence[str]) -> str:
    return f" {' '.join(words).lower()} "


def _find(padded: str, marker: str) -> tuple[int, int] | None:
    """Return the first and the last word (exclusive) of a marker; after one with "~ing" an -ing form must follow."""
    bare = marker.removesuffix("~ing")
    at = padded.find(f" {bare} ")
    if at < 0:
        return None
    start = padded.count(" ", 0, at + 1) - 1
    end = start + bare.count(" ") + 1
    if bare != marker and not padded[at + len(bare) + 2 :].partition(" ")[0].endswith("ing"):
        return None
    return start, end


@cache
def _leads(code: str) -> re.Pattern[str]:
    locale = LOCALES[code]
    phrases = "|".join(
        [
            *(
                rf"{re.escape(word)}(?: about (?:that|this))?(?: *[:,.!–—-]+ *(?:that +)?| +that +)"
                for word in locale.corrected
            ),
            *(rf"{re.escape(word)} +" for word in locale.corrected if " " in word),
            *(rf"{re.escape(word)},? +" for word in locale.hinted),
        ]
    )
    return re.compile(rf"{_OPENER}(?:{phrases})+", re.IGNORECASE)


def swap(text: str, forms: tuple[str, ...]) -> tuple[list[str], list[str], list[str]] | None:
    """Return the words before, of the old value and of the new, if a sentence names both.

    Where a form has no place for the words before, the new value is taken to be as long as the old.
    """
    for form in _compiled(forms):
        if found := form.fullmatch(text):
            parts = found.groupdict("")
            was, shown = split(parts["was"]), split(parts["o"])
            if "frame" in parts:
                return split(parts["frame"]), was, shown
            return shown[: -len(was)], was, shown[-len(was) :]
    return None


@cache
def _compiled(forms: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    groups = {"s": "(?P<frame>.+?)", "frame": "(?P<frame>.+?)", "was": "(?P<was>.+?)", "o": "(?P<o>.+?)"}
    return tuple(re.compile(form.format(**groups) + r"[.!]*", re.IGNORECASE) for form in forms)
