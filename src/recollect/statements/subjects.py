"""The subject a sentence opens with: a name, an identifier, somebody's sister, a thing with an article."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.facts import compared
from recollect.statements.locales.locale import Locale
from recollect.statements.tokens import is_verb

PARTICLES = frozenset("van von der den de di da del della la le bin al dos ten zu".split())
"""Small words inside names."""

_LONGEST = 5  # words of a subject


def subject_length(words: Sequence[str], locale: Locale, foreign: frozenset[str]) -> int:
    """Count the words of the subject a sentence opens with; 0 when it cannot be told. `foreign` opens no subject."""
    if len(words) < 2:
        return 0
    first = words[0].lower()
    if first in locale.first_person:
        return 1
    if first in locale.articles or first in locale.first_possessive:
        return _until_verb(words, 1, locale)
    if first in foreign or not _is_name(words[0]):
        return 0
    return _named(words, locale)


def subject_text(words: Sequence[str], locale: Locale, speaker: str | None) -> str:
    """Return the subject made of these words as it is compared, the first person being `speaker`; "" if unknown."""
    first = words[0].lower()
    if first in locale.first_person:
        return compared(speaker) if speaker else ""
    if first in locale.first_possessive:
        return compared(f"{speaker}'s {_joined(words[1:])}") if speaker else ""
    if any(word.lower() in locale.first_possessive or word.lower() in locale.pointing for word in words):
        return ""
    bare = words[1:] if first in locale.articles and len(words) > 1 else words
    return compared(_joined(bare))


def _joined(words: Sequence[str]) -> str:
    return " ".join(words).replace(" 's", "'s").replace("' ", "'")


def _named(words: Sequence[str], locale: Locale) -> int:
    end = 1
    while end < len(words) and words[end].lower() not in locale.first_person:
        inside = words[end] in PARTICLES and end + 1 < len(words) and words[end + 1][0].isupper()
        if not inside and not _is_name(words[end]):
            break
        end += 1
    if end >= len(words) or end > 4:
        return 0
    if words[end] == "'s":
        possessed = _until_verb(words, end + 1, locale)
        return possessed or (end if words[end + 1 : end + 2] and words[end + 1].endswith("ing") else 0)
    return end


def _until_verb(words: Sequence[str], start: int, locale: Locale) -> int:
    for end in range(start + 1, min(len(words), start + _LONGEST)):
        if is_verb(words[end].lower(), words[end - 1].lower(), locale) or words[end] in ("'s", "'re"):
            is_possessor = (
                words[end] == "'s" and not words[end + 1 : end + 2][0].endswith("ing") if words[end + 1 :] else False
            )
            return _until_verb(words, end + 1, locale) if is_possessor else end
    return 0


def _is_name(word: str) -> bool:
    """Say whether a word may be a name: it has a capital, a digit or an inner mark."""
    return word[0].isupper() or any(char.isdigit() or char in "-_/@." for char in word)
