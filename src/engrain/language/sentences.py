"""Sentences and clauses: the one splitter, which knows abbreviations, ordinals, decimals and lists."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from engrain.language.locales import LOCALES, Locale, language_of, one_of, union
from engrain.text import pattern

Place = tuple[int, int]
"""Where a part of a text begins and ends."""

_SEAM = pattern(
    r"(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)"
    r"|(?<=[。！？])[」』”’）]*"
    r"|\n(?:[^\S\n]*\n)+"  # a blank line
    r"|\n(?=[^\S\n]*(?:[-*•#]|\d+[.)]))"  # a list's next item, a heading
)
_LINE = pattern(r"[\n\r]+|;\s*")
_LAST_WORD = pattern(r"[^\s(\[\"“„'‘«*_]+$")
_LONGEST_ABBREVIATION = 16
_INITIALS = pattern(r"(?:[^\W\d_]\.)+[^\W\d_]")
_NUMBER = pattern(r"\d{1,2}")
_DOTTED_DATE = pattern(r"\d{1,2}\.\s+\d{1,2}\.(?:\s+(?:1[89]|20)\d\d)?")  # "5. 6. 2024"
_NEXT_WORD = pattern(r"[\s\"“„'‘«(\[]*([^\W\d_]+|\d)?")
_OPENING = " \t\"'“”‘’([{*_>#-•–—"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, none empty; joined with spaces they hold every word of it."""
    return [whole.strip() for whole in sentence_parts(text) if whole.strip()]


def sentence_parts(text: str) -> list[str]:
    """Return the sentences of a text with the white space around them: joined they are the text."""
    return [text[start:stop] for start, stop in sentence_places(text)]


def sentence_places(text: str, *, lines: bool = False) -> list[Place]:
    """Return where the sentences of a text are, one after the other without a gap; with `lines` no line goes on."""
    seams = [0, *(seam.end() for seam in _SEAM.finditer(text)), len(text)]
    if lines:
        seams = sorted({*seams, *(seam.end() for seam in _LINE.finditer(text))})
    starts: list[int] = []
    stop = 0
    for start, end in pairwise(seams):
        piece = text[start:end].rstrip()
        if not piece:
            continue
        if not starts or not _goes_on(text, starts[-1], stop, start):
            starts.append(start)
        stop = start + len(piece)
    return [(start, end) for start, end in pairwise([0, *starts[1:], len(text)]) if start < end]


def _goes_on(text: str, begin: int, stop: int, start: int) -> bool:
    """Say whether the full stop before `stop` does not end the sentence from `begin`: its next part is at `start`."""
    if text[stop - 1] != "." or "\n\n" in text[stop:start]:
        return False
    last = _LAST_WORD.search(text, max(begin, stop - _LONGEST_ABBREVIATION), stop - 1)
    if last is None:
        return False
    word, following = last[0], _NEXT_WORD.match(text, start)
    after = following[1] or "" if following else ""
    small = word.lower()
    if len(word) == 1 and word.isalpha():
        return word != "I" or last.start() == begin
    if small in _abbreviations("abbreviations", language_of(text)):
        return True
    if after.isdigit() and small in union("abbreviations"):
        return True
    if small in _abbreviations("closing_abbreviations", language_of(text)):
        return not after[:1].isupper()
    if _INITIALS.fullmatch(word):
        return True
    if _NUMBER.fullmatch(word):
        dates = _DOTTED_DATE.finditer(text, max(begin, stop - 8), start + 8)
        return any(each.start() < stop < each.end() for each in dates) or _is_ordinal(text, begin, last.start(), after)
    return False


@cache
def _abbreviations(field: str, locale: Locale) -> frozenset[str]:
    found: frozenset[str] = getattr(locale, field) | getattr(LOCALES["en"], field)
    return found


def _is_ordinal(text: str, begin: int, at: int, after: str) -> bool:
    """Say whether a number with a full stop counts what follows: "12. September", "im 3. Stock", "1. item"."""
    if at == begin or not text[begin:at].strip():
        return True  # a list
    if after.lower() in _months() or (after[:1].islower() and after.lower() in LOCALES["de"].stop):
        return True
    before = text[begin:at].split()
    if not before or not after[:1].isupper() or not language_of(text[begin : at + 40]).has_noun_capitals:
        return False
    german = LOCALES["de"]
    return before[-1].lower() in (german.articles | german.determiners) - {"am", "hat", "haben", "und", "oder"}


@cache
def _months() -> frozenset[str]:
    return frozenset(LOCALES["de"].months)


def begins_sentence(text: str, start: int) -> bool:
    """Say whether a word at this place is the first of a sentence, or of a line."""
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():
        return False
    before = text[max(0, start - 24) : start].rstrip(_OPENING)
    if not before:
        return True
    if before[-1] not in ".!?:;…\n\r|¿¡":
        return not (before[-1].isalnum() or before[-1] in ",%&)]'\"/+=$")
    last = before[:-1].rsplit(None, 1)[-1:] if before[-1] == "." else []
    if not last:
        return True
    small = last[0].casefold().lstrip(_OPENING)
    return small not in _abbreviations("abbreviations", language_of(text))


# -------------------------------------------------------------------------------------------------------------- clauses


def clauses(text: str, *, fine: bool = False) -> list[Place]:
    """Return where the clauses of a sentence are, without what separates them.

    They are separated by commas, semicolons, dashes and "and", "but" and their kin; with `fine` also by brackets, by
    words that begin a clause, and before another subject ("I bought it when she left").
    """
    seams = [(0, 0), *(found.span() for found in _separators(language_of(text), fine).finditer(text))]
    seams.append((len(text), len(text)))
    return [(low, high) for (_, low), (high, _) in pairwise(seams) if text[low:high].strip()]


@cache
def _separators(locale: Locale, fine: bool) -> re.Pattern[str]:
    joined = one_of(locale.joined)
    if not fine:
        return re.compile(
            rf"[。！？；，\n]+\s*|[.!?]+(?=\s)\s*|\s*[,;:](?=\s)\s*(?:(?:{joined})\s+)?|\s+[—–-]\s+|\s+(?:{joined})\s+",
            re.IGNORECASE,
        )
    begins = one_of(locale.subordinating)
    subjects = one_of(locale.first_person | locale.third_person)
    return re.compile(
        r"\s*[,;:.!?()\[\]\"“”—–…]+(?=\s|$)\s*|\s+[—–-]+\s*|(?<=\w)[-–—]\s+"
        rf"|\s+(?=(?:but|{begins})\b)|\s+(?=(?:(?:{joined})\s+)?(?:{subjects})(?:['’]\w+)?\s)",
        re.IGNORECASE,
    )
