"""One text read as a statement: its fact, its subject, its markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.models import Fact
from recollect.statements.before import Before, Sentence, ended, replaced
from recollect.statements.facts import Lifted, lift
from recollect.statements.locales import LOCALES, Locale
from recollect.statements.markers import lead, marks, spoken, without
from recollect.statements.subjects import subject_length, subject_text
from recollect.statements.tokens import split, tidy
from recollect.text import sentences

LONGEST = 200
"""Characters of the longest text that is read as one statement."""

_SEAM = re.compile(r"[.!?…][\"'”’)\]]*\s+\S")


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
        if (rest := lead(flat, locale)) is not None:
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
