"""Statements read from text: what a sentence states and marks, and what it says ended, was replaced or was wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple

from engrain.language.facts import Lifted, lift, subject_length, subject_text
from engrain.language.locales import LOCALES, Locale
from engrain.language.phrases import split, spoken, tidy
from engrain.language.polarity import ended_words, marks, without, without_correction
from engrain.language.sentences import sentences
from engrain.language.tokens import BASE
from engrain.model.memory import Fact

LONGEST = 200
"""Characters of the longest text that is read as one statement."""

_SEAM = re.compile(r"[.!?…][\"'”’)\]]*\s+\S")
_LONGEST_VALUE = 4


class Sentence(NamedTuple):
    """One sentence without its correction marker, and how it is read."""

    text: str
    words: list[str]
    locale: Locale
    length: int  # words of its subject, 0 when unknown
    subject: str
    speaker: str | None


class Before(NamedTuple):
    """The words after the subject of what ended, was replaced, was denied; and the facts that ended."""

    gone: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    old_value: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    exact: bool = False  # only the very same words are gone


def ended(sentence: Sentence) -> Before:
    """Return what a sentence with an end in it says holds no longer, if its first clause says so plainly."""
    clause, locale = _first_clause(sentence.text, sentence.locale), sentence.locale
    gone = ended_words(split(clause), locale)
    length = sentence.length
    if (
        not length
        or gone[:length] != tuple(sentence.words[:length])
        or not locale.blocked.isdisjoint(word.lower() for word in gone)
    ):
        return Before()
    said = " ".join(word for word in gone if word not in ("do", "does"))
    lifted = lift(said.replace(" 's", "'s"), locale, sentence.speaker, any_form=True)
    return Before(gone[length:], (lifted.fact,) if lifted and lifted.fact and not lifted.change else ())


def _first_clause(text: str, locale: Locale) -> str:
    """Return the first clause; "" when what follows a comma is no clause, as in a list."""
    seam = _ends_of_clause(locale).search(text)
    if seam is None:
        return text
    is_list = text[seam.start()] == "," and not _next_clause(locale).match(text[seam.end() :])
    return "" if is_list else text[: seam.start()]


@cache
def _ends_of_clause(locale: Locale) -> re.Pattern[str]:
    return re.compile(rf"[,;:–—]\s*|\s+(?:{locale.ends_of_clause})\s+|\s-\s", re.IGNORECASE)


@cache
def _next_clause(locale: Locale) -> re.Pattern[str]:
    joined = "|".join(locale.coordinating)
    return re.compile(rf"(?:(?:{joined}) )?(?:(?:{locale.next_clause})\b)|(?:{joined})\b", re.IGNORECASE)


def replaced(sentence: Sentence) -> Before:
    """Return the old value that a sentence names, or the statement that it says was wrong."""
    locale, length = sentence.locale, sentence.length
    small = {word.lower() for word in sentence.words}
    if not length or small & locale.pointing:
        return Before()
    doubt = small & locale.blocked
    if not doubt and (found := swap(sentence.text, locale.swapped)):
        frame, was, shown = found
        plain = len(frame) == length and locale.linking.isdisjoint(shown)
        return Before(old_value=tuple(was)) if plain and len(was) <= _LONGEST_VALUE else Before()
    if not doubt - locale.negated - locale.joined and (
        found := swap(sentence.text.replace("n't ", " not "), locale.denied)
    ):
        frame, was, shown = found
        if len(was) <= _LONGEST_VALUE and len(shown) <= _LONGEST_VALUE and len(frame) > length:
            return Before(denied=(*frame[length:], *was))
        return Before()
    return Before() if doubt - {"instead"} else _instead(sentence)


def _instead(sentence: Sentence) -> Before:
    """Return "drinks coffee" for "Ana drinks tea instead of coffee"; what was done once says nothing of always."""
    locale, rest = sentence.locale, sentence.words[sentence.length :]
    for marker in locale.instead:
        said = marker.split()
        place = next((n for n in range(2, len(rest)) if [w.lower() for w in rest[n : n + len(said)]] == said), 0)
        verb = [word for word in rest[:3] if word.lower() not in locale.now]
        if not place or len(verb) < 2:
            continue
        was = rest[place + len(said) :]
        if not 0 < len(was) <= _LONGEST_VALUE or not (locale.linking | locale.joined).isdisjoint(was):
            return Before()
        if verb[0].endswith(locale.past) or BASE.get(verb[0], verb[0]) != verb[0] or verb[0] in locale.past_words:
            return Before()
        kept = 2 if verb[1].lower() in locale.linking else 1
        return Before((*verb[:kept], *was), exact=True)
    return Before()


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text states.

    `ended` are facts that it says hold no longer; `subject` is "" when unknown. A text that is no single sentence, or a
    long one, states nothing and marks nothing.
    """

    text: str
    fact: Fact | None = None
    ended: tuple[Fact, ...] = ()
    subject: str = ""
    change: bool = False
    correction: bool = False
    negation: bool = False
    strict: bool = field(default=False, repr=False)
    """The correction is said in so many words, not hinted at by "actually"."""
    code: str = field(default="en", repr=False)
    speaker: str | None = field(default=None, repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    """The words after the subject, without the marker."""
    before: Before = field(default=Before(), repr=False)


def read(text: str, *, speaker: str | None = None, languages: Sequence[str] = ("en", "de", "es", "fr")) -> Statement:
    """Read a text as a statement; `speaker` is who "I" is, without one nothing in the first person is understood.

    Raises `ValueError` for a language that there are no word lists for.
    """
    locales = _locales(tuple(languages))
    if len(text) > LONGEST:
        return Statement(text)
    flat, opener = _opened(tidy(text), locales)
    corrected = opener != ""
    if not flat or "?" in flat or (_SEAM.search(flat) and len(sentences(flat)) > 1):
        return Statement(text, correction=corrected)
    words = split(flat)
    sentence = _sentence(flat, words, locales, speaker)
    marked = marks(words, sentence.locale)
    lifted = lift(_without_hints(flat, sentence.locale), sentence.locale, speaker)
    before = ended(sentence) if marked.ended else replaced(sentence)
    return Statement(
        text,
        fact=lifted.fact if lifted and lifted.fact and not marked.ended and not marked.negation else None,
        ended=(*before.facts, *_was(lifted)),
        subject=sentence.subject,
        change=marked.change or bool(lifted and lifted.change) or bool(before.old_value or before.gone),
        correction=corrected or marked.correction or bool(before.denied),
        negation=marked.negation,
        strict=opener == "strict",
        code=sentence.locale.code,
        speaker=speaker,
        words=tuple(sentence.words[sentence.length :]) if sentence.length else (),
        before=before,
    )


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


@lru_cache(64)
def _locales(codes: tuple[str, ...]) -> tuple[Locale, ...]:
    if unknown := [code for code in codes if code not in LOCALES]:
        raise ValueError(f"no word lists for {', '.join(unknown)}: choose from {', '.join(LOCALES)}")
    return tuple(LOCALES[code] for code in codes)


@lru_cache(64)
def _openers(locales: tuple[Locale, ...]) -> frozenset[str]:
    """Return the words that open a sentence without being its subject in any of the languages."""
    return frozenset().union(*(locale.pronouns | locale.blocked | locale.articles for locale in locales))


def _opened(flat: str, locales: tuple[Locale, ...]) -> tuple[str, str]:
    """Return a text without the correction it opens with, and how that was said: "strict", "hinted" or ""."""
    for locale in locales:
        if (rest := without_correction(flat, locale)) is not None:
            return rest, "hinted" if flat.lower().startswith(locale.hinted) else "strict"
    return flat, ""


def _sentence(flat: str, words: list[str], locales: tuple[Locale, ...], speaker: str | None) -> Sentence:
    """Return the sentence in the language it is written in, its words without "now" and "actually"."""
    locale = spoken(words, locales)
    plain = without(words, (*locale.now, *locale.hinted))
    length = subject_length(plain, locale, _openers(locales))
    subject = subject_text(plain[:length], locale, speaker) if length else ""
    return Sentence(flat, plain, locale, length, subject, speaker)


def _was(lifted: Lifted | None) -> tuple[Fact, ...]:
    return (lifted.was,) if lifted and lifted.was else ()


def _without_hints(flat: str, locale: Locale) -> str:
    for word in locale.hinted:
        if word in flat:
            flat = " ".join(flat.replace(word, " ").split())
    return flat
