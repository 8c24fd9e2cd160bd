"""Tokens of a statement, the markers of change, correction and negation in it, and the moments it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from unicodedata import normalize

import Stemmer

from engrain.language.analyzer import BASE, stem
from engrain.language.date_rules import MONTH, WEEKDAY, YEAR, day_number, month_number, weekday_number
from engrain.language.locales import LOCALES
from engrain.language.locales.locale import Locale
from engrain.text import pattern

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
    return _root(first, locale.code, locale.snowball) == _root(second, locale.code, locale.snowball)


def equal(one: Sequence[str], other: Sequence[str], locale: Locale) -> bool:
    """Say whether two runs of words are the same words in the same order."""
    return len(one) == len(other) and all(same(a, b, locale) for a, b in zip(one, other, strict=True))


def telling(words: Sequence[str], locale: Locale) -> list[str]:
    """Return the words without those that say nothing."""
    return [word for word in words if word.lower() not in locale.idle]


@lru_cache(_REMEMBERED)
def _root(word: str, code: str, snowball: str) -> tuple[str, str]:
    """Return what two forms of one word share.

    English stems merge too much for a statement ("universe", "university"), so its plain endings are compared beside.
    """
    if code == "en":
        return stem(word), plain_form(word)
    with _stemmers_lock:
        stemmer = _stemmers.setdefault(snowball, Stemmer.Stemmer(snowball, 0))
        return stemmer.stemWord(word).removesuffix("t" if code == "de" else "\n"), ""


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
    if word in locale.copulas or word in locale.negated or (locale.code != "en" and word in locale.verbs):
        return True
    if locale.code != "en":
        return False
    if word in _AUXILIARY:
        return True
    plural = before.endswith("s") and not before.endswith("ss")
    inflected = word.endswith(("s", "ed")) or word in BASE
    return (inflected or plural) and bool(
        {BASE.get(word, word), plain_form(word), word.removesuffix("ed")} & _roots(locale)
    )


_AUXILIARY = frozenset(
    "can could will would shall should may might must do does did has had have was were been now".split()
)


@lru_cache(8)
def _roots(locale: Locale) -> frozenset[str]:
    verbs = locale.verbs
    return verbs | {verb.removesuffix("e") for verb in verbs} | {f"{verb}{verb[-1]}" for verb in verbs}


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


_MONTH = pattern(MONTH, re.IGNORECASE)
_WEEKDAY = pattern(WEEKDAY, re.IGNORECASE)
_YEAR = pattern(YEAR)
_ISO = pattern(r"\d{4}-\d\d-\d\d")
_NTH = pattern(r"\d{1,2}(?:st|nd|rd|th)")
_NUMBER = pattern(r"\d{1,2}")
_CLOCK = pattern(r"(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?(?P<half>[ap]m)?")
_PARTS_OF_DAY = frozenset("morning afternoon evening night".split())
_NAMED = {"noon": (12, 0, "pm"), "midnight": (0, 0, "am")}
_SHORTEST = 4  # letters of a month's name that needs no number beside it; "May" has fewer
_MOST = 8  # words

Moment = Mapping[str, object]


def moment(words: Sequence[str], *, at: bool = False) -> Moment | None:
    """Return the parts of a time that all the words tell, None when they tell more or none; `at` was said before."""
    if len(words) > _MOST:
        return None
    months = [word for word in words if _is_month(word)]
    parts: dict[str, object] = {}
    for word in words:
        low = word.lower()
        if low == "at" and parts and not at:
            at = True
            continue
        if low in ("the", "of") and months:
            continue
        found = _part(word, low, dated=bool(months), at=at)
        if found is None or found[0] in parts:
            return None
        parts[found[0]] = found[1]
    bare = months and "day" not in parts and months[0] != "May" and len(months[0].rstrip(".")) < _SHORTEST
    return None if bare or not parts or parts.keys() <= {"part of day"} else parts


def differ(one: Moment, other: Moment) -> bool:
    """Say whether two times cannot both be meant; "June" and "June 3" can."""
    return any(not _alike(one[name], other[name]) for name in one.keys() & other.keys())


def _alike(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):  # "3" may be 15:00
        (hour, minute, half), (their_hour, their_minute, their_half) = one, other
        if half is None or their_half is None:
            return (hour % 12, minute) == (their_hour % 12, their_minute)
    return one == other


def _is_month(word: str) -> bool:
    """Say whether a word is a month: "may" and "march" in small letters are other words."""
    return word[0].isupper() and _MONTH.fullmatch(word) is not None


def _part(word: str, low: str, *, dated: bool, at: bool) -> tuple[str, object] | None:
    """Return what a word tells of a time, and which part that is."""
    if _is_month(word):
        return "month", month_number(word)
    if _WEEKDAY.fullmatch(word):
        return "weekday", weekday_number(word)
    if _ISO.fullmatch(word):
        return "date", word
    if low in _PARTS_OF_DAY:
        return "part of day", low
    return _clock(low, at=at) or _number(low, dated=dated)


def _clock(low: str, *, at: bool) -> tuple[str, object] | None:
    if low in _NAMED:
        return "clock", _NAMED[low]
    found = _CLOCK.fullmatch(low)
    if found is None or not (at or found["minute"] or found["half"]):
        return None
    hour, half = int(found["hour"]), found["half"]
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    half = half or ("pm" if hour > 12 else "am" if low.startswith("0") else None)
    return "clock", (hour, int(found["minute"] or 0), half)


def _number(low: str, *, dated: bool) -> tuple[str, object] | None:
    if dated and _YEAR.fullmatch(low):
        return "year", low
    if _NTH.fullmatch(low) or (dated and _NUMBER.fullmatch(low)):
        return "day", day_number(low)
    return None
