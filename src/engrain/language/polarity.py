"""Polarity and modality: what a text denies, doubts, reports or takes back; markers of change and correction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from engrain.language import sentences
from engrain.language.locales import LOCALES, Locale, expression, has, language_of, phrases
from engrain.language.tokens import content_pairs, stem

_MOST = 400  # clauses of a text that are read
_NEAR = 160  # characters before a statement in which it can be taken back


@dataclass(frozen=True, slots=True)
class Claims:
    """The clauses of a text by their informative words, those that deny apart from the others."""

    stated: tuple[frozenset[str], ...]
    denied: tuple[frozenset[str], ...]
    doubts: bool


@cache
def negations() -> frozenset[str]:
    """Return the words that negate by themselves, in all languages."""
    return frozenset(word for locale in LOCALES.values() for word in locale.negation.split("|") if word.isalpha())


def is_negative(text: str) -> bool:
    """Say whether a text has a word of negation."""
    return expression("negation").search(text) is not None


def denies(text: str) -> bool:
    """Say whether a text has a word of negation that negates something: not "don't forget" or "not only"."""
    bare = expression("no_denial").sub(" ", text)
    return bool(expression("negation").search(bare) or expression("denial_verbs").search(bare))


def claims(text: str) -> Claims:
    """Return what a text says and denies, clause by clause."""
    stated: list[frozenset[str]] = []
    denied: list[frozenset[str]] = []
    bare = expression("no_denial").sub(" ", text)
    for start, stop in sentences.clauses(bare)[:_MOST]:
        clause = bare[start:stop]
        (denied if denies(clause) else stated).append(_terms(clause))
    return Claims(tuple(stated), tuple(denied), bool(denied) or expression("soft_denial").search(text) is not None)


def _terms(text: str) -> frozenset[str]:
    bare = expression("denial_verbs").sub(" ", expression("negation").sub(" ", text))
    return frozenset(term for _, term in content_pairs(bare)) - _auxiliary_terms()


@cache
def _auxiliary_terms() -> frozenset[str]:
    fields = ("auxiliaries", "auxiliary_forms", "copulas")
    return frozenset(stem(word) for each in fields for word in getattr(LOCALES["en"], each))


def contradicts(text: str, known: Iterable[Claims]) -> bool:
    """Say whether a sentence denies where its sources deny nothing, or says what they deny and nowhere say."""
    sources = list(known)
    if denies(text):
        return not any(each.doubts for each in sources)
    terms = _terms(text)
    if not terms or any(terms <= part for each in sources for part in each.stated):
        return False
    return any(terms <= part for each in sources for part in each.denied)


def is_hypothetical(text: str) -> bool:
    """Say whether a text is a condition, a guess or a wish: what it says is not so, or not yet."""
    return expression("hypothetical").search(text) is not None


def is_unsettled(text: str) -> bool:
    """Say whether a text says that something may not be so: guessed, reported, planned, restricted, or over."""
    return is_hypothetical(text) or any(expression(each).search(text) for each in ("tentative", "unsettled", "over"))


def is_quantified(text: str) -> bool:
    """Say whether it depends on how many, how much or how often whether a text is so: "everybody", "only", "still"."""
    return has(text, "quantities")


def negates_plainly(text: str) -> bool:
    """Say whether a text negates its verb: "not", "never"."""
    return has(text, "simple_negation")


def is_over(text: str) -> bool:
    """Say whether a text denies something or says that it holds no longer."""
    return any(expression(field).search(text) for field in ("simple_negation", "over"))


def is_stated(text: str, begin: int, first_end: int, second: int) -> bool:
    """Say whether what is between two names, in a sentence from `begin` on, is stated plainly.

    It is not when it is denied, asked, only possible or depends on something.
    """
    locale = language_of(text)
    if any(expression(each, locale).search(text, first_end, second) for each in _BETWEEN):
        return False
    low = max(begin, first_end - _NEAR)
    return not any(expression(each, locale).search(text, low, first_end) for each in _AHEAD)


_BETWEEN = ("simple_negation", "contrast", "hypothetical", "tentative")
_AHEAD = ("denied_ahead", "hypothetical", "tentative")


def asks(text: str, end: int) -> bool:
    """Say whether the sentence that ends here is a question."""
    return text[max(0, end - 3) : end + 1].rstrip("\"'”’) \n").endswith(("?", "？", "؟"))


# ---------------------------------------------------------------------------------------- markers of change, correction

_GAP = 5  # words between the two parts of a marker


@dataclass(frozen=True, slots=True)
class Marks:
    """The markers of a sentence; `ended` are the words of what holds no longer."""

    change: bool = False
    correction: bool = False
    negation: bool = False
    ended: tuple[str, ...] = ()


def without_correction(text: str, locale: Locale) -> str | None:
    """Return a text without the correction marker it opens with; None when it opens with none."""
    low = text.lower()
    if not any(word in low for word in (*locale.corrected, *locale.hinted)):
        return None
    found = _corrections(locale).match(text)
    return text[found.end() :] if found and found.end() < len(text) else None


@cache
def _corrections(locale: Locale) -> re.Pattern[str]:
    markers = [
        *(
            rf"{re.escape(word)}(?: about (?:that|this))?(?: *[:,.!–—-]+ *(?:that +)?| +that +)"
            for word in locale.corrected
        ),
        *(rf"{re.escape(word)} +" for word in locale.corrected if " " in word),
        *(rf"{re.escape(word)},? +" for word in locale.hinted),
    ]
    return re.compile(rf"(?:(?:{phrases('correction_openers')})[,.!]? +)*(?:{'|'.join(markers)})+", re.IGNORECASE)


def without(words: Sequence[str], markers: Sequence[str]) -> list[str]:
    """Return the words without every marker that is made of neighbouring words."""
    kept = list(words)
    for marker in markers:
        if (place := _find(_padded(kept), marker)) is not None:
            kept[place[0] : place[1]] = []
    return kept


def marks(words: Sequence[str], locale: Locale) -> Marks:
    """Return the markers among the words of one sentence."""
    padded = _padded(words)
    ended = ended_words(words, locale)
    return Marks(
        change=bool(ended) or any(f" {marker} " in padded for marker in locale.changed),
        correction=any(f" {marker} " in padded for marker in locale.hinted),
        negation=not ended and any(f" {word} " in padded for word in locale.negated),
        ended=ended,
    )


def ended_words(words: Sequence[str], locale: Locale) -> tuple[str, ...]:
    """Return the words of what a sentence says holds no longer, without the marker that says so."""
    padded = _padded(words)
    for marker in locale.ended:
        first, _, last = marker.partition(" ... ")
        if f" {first.removesuffix('~ing')} " not in padded or (last and f" {last} " not in padded):
            continue
        if (place := _find(padded, first)) is None or _is_passive(words, place[0], marker, locale):
            continue
        rest = list(words[place[1] :])
        if last:
            end = _find(_padded(rest), last)
            if end is None or not 0 < end[0] <= _GAP:
                continue
            rest[end[0] : end[1]] = []
        return (*words[: place[0]], *rest)
    return ()


def _is_passive(words: Sequence[str], at: int, marker: str, locale: Locale) -> bool:
    """Say whether "used to" is a use ("is used to build") or a habit ("got used to")."""
    before = "" if at == 0 else words[at - 1].lower()
    return marker == "used to" and (not before or before in locale.before_used)


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
