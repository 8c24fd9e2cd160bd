"""One text read as a statement: its fact, its subject, its markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.models import Fact
from recollect.statements.facts import lift
from recollect.statements.locales import LOCALES, Locale
from recollect.statements.markers import ended_words, lead, marks, swap, without
from recollect.statements.subjects import subject_length, subject_text
from recollect.statements.tokens import is_verb, split, tidy
from recollect.text import sentences

LONGEST = 200
"""Characters of the longest text that is read as one statement."""

_SEAM = re.compile(r"[.!?…][\"'”’)\]]*\s+\S")
_CLAUSE = re.compile(r"[,;:–—]\s*|\s+(?:because|since|as of|but)\s+|\s-\s", re.IGNORECASE)
_NEXT_CLAUSE = re.compile(
    r"(?:and |but |so )?(?:(?:she|he|they|it|we|i|now|instead|because|since|as|is|has|have|having|moved|er|sie|ella|él|elle|"
    r"il|ahora|jetzt|maintenant|sondern|sino)\b|\w+ed\b)|(?:but|so)\b",
    re.IGNORECASE,
)


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
    gone: tuple[str, ...] = field(default=(), repr=False)
    """The words after the subject of what holds no longer."""
    old_value: tuple[str, ...] = field(default=(), repr=False)
    """The value it names as the one before."""
    denied: tuple[str, ...] = field(default=(), repr=False)
    """The words after the subject of what it says was wrong."""


def read(text: str, *, speaker: str | None = None, languages: Sequence[str] = ("en", "de", "es", "fr")) -> Statement:
    """Read a text as a statement; `speaker` is who "I" is, without one nothing in the first person is understood."""
    if len(text) > LONGEST:
        return Statement(text)
    flat = tidy(text)
    locales = _locales(tuple(languages))
    strict = ""
    corrected = False
    for locale in locales:
        if (rest := lead(flat, locale)) is not None:
            strict = "" if flat.lower().startswith(locale.hinted) else locale.code
            flat, corrected = rest, True
            break
    if not flat or "?" in flat or (_SEAM.search(flat) and len(sentences(flat)) > 1):
        return Statement(text, correction=corrected)
    return _read(text, flat, locales, speaker, corrected=corrected, strict=bool(strict))


@lru_cache(64)
def _locales(codes: tuple[str, ...]) -> tuple[Locale, ...]:
    if unknown := [code for code in codes if code not in LOCALES]:
        raise ValueError(f"no word lists for {', '.join(unknown)}: choose from {', '.join(LOCALES)}")
    return tuple(LOCALES[code] for code in codes)


@lru_cache(64)
def _openers(locales: tuple[Locale, ...]) -> frozenset[str]:
    """Return the words that open a sentence without being its subject in any of the languages."""
    return frozenset().union(*(locale.pronouns | locale.blocked for locale in locales))


def _read(
    text: str, flat: str, locales: tuple[Locale, ...], speaker: str | None, *, corrected: bool, strict: bool
) -> Statement:
    words = split(flat)
    found = [marks(words, locale) for locale in locales]
    marked = next((m for m in found if m.ended), None) or next((m for m in found if m.change or m.correction), None)
    marked = marked or next((m for m in found if m.negation), None)
    order = (marked.locale, *(one for one in locales if one is not marked.locale)) if marked else locales
    plain = words
    if marked:
        plain = without(words, (*marked.locale.now, *marked.locale.hinted))
    openers = _openers(locales)
    length, locale = next(
        ((n, one) for one in order if (n := subject_length(plain, one, openers))),
        (0, order[0] if order else LOCALES["en"]),
    )
    subject = subject_text(plain[:length], locale, speaker) if length else ""
    lifted = lift(_unhinted(flat, locale), locale, speaker)
    gone, ended = _ended(flat, locale, speaker, openers, subject) if marked and marked.ended else ((), ())
    if lifted and lifted.was:
        ended = (*ended, lifted.was)
    old_value, denied = _replaced(flat, locale, length, corrected)
    return Statement(
        text,
        fact=None if marked and (marked.ended or marked.negation) else lifted.fact if lifted else None,
        ended=ended,
        subject=subject,
        change=bool(marked and marked.change) or bool(lifted and lifted.change) or bool(old_value),
        correction=corrected or bool(marked and marked.correction) or bool(denied),
        negation=bool(marked and marked.negation),
        strict=strict,
        code=locale.code,
        speaker=speaker,
        words=tuple(plain[length:]) if length else (),
        gone=gone,
        old_value=old_value,
        denied=denied,
    )


def _unhinted(flat: str, locale: Locale) -> str:
    for word in locale.hinted:
        if word in flat:
            flat = " ".join(flat.replace(word, " ").split())
    return flat


def _ended(
    flat: str, locale: Locale, speaker: str | None, openers: frozenset[str], subject: str
) -> tuple[tuple[str, ...], tuple[Fact, ...]]:
    """Return the words and the facts of what a sentence says holds no longer, if its first clause says so plainly."""
    clause, rest = flat, ""
    if seam := _CLAUSE.search(flat):
        clause, rest = flat[: seam.start()], flat[seam.end() :]
        if flat[seam.start()] == "," and not _NEXT_CLAUSE.match(rest):
            return (), ()
    words = split(clause)
    gone = ended_words(words, f" {' '.join(words).lower()} ", locale)
    length = subject_length(gone, locale, openers) if gone else 0
    if not length or not locale.blocked.isdisjoint(word.lower() for word in gone):
        return (), ()
    if subject_text(gone[:length], locale, speaker) != subject:
        return (), ()
    said = " ".join(gone).replace(" 's", "'s")
    lifted = lift(said, locale, speaker, any_form=True)
    return gone[length:], (lifted.fact,) if lifted and not lifted.change else ()


def _replaced(flat: str, locale: Locale, length: int, corrected: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the old value a sentence names, and the words of the statement that it says is wrong."""
    if not length or not locale.blocked.isdisjoint(word.lower() for word in split(flat)) and " not " not in flat:
        if not length:
            return (), ()
    if found := swap(flat, locale.swapped):
        frame, was, _ = found
        whole = len(split(frame)) == length
        return (tuple(split(was)), ()) if whole else ((), ())
    if found := swap(flat, locale.denied):
        frame, was, shown = found
        words = split(f"{frame} {was}")
        if (
            len(split(was)) <= 4
            and len(split(shown)) <= 6
            and "only" not in split(was)[:1]
            and len(split(frame)) > length
        ):
            return (), tuple(words[length:])
    return (), ()


__all__ = ["LONGEST", "Statement", "is_verb", "read"]
