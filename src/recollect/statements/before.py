"""What a sentence says held before it: what ended, the value that was replaced, the statement that was wrong."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.lexicon import BASE
from recollect.models import Fact
from recollect.patterns import pattern
from recollect.statements.facts import lift
from recollect.statements.locales import Locale
from recollect.statements.markers import ended_words, swap
from recollect.statements.tokens import split

_CLAUSE = pattern(r"[,;:–—]\s*|\s+(?:because|since|as of|but)\s+|\s-\s", re.IGNORECASE)
_NEXT_CLAUSE = pattern(
    r"(?:and |but |so )?(?:(?:she|he|they|it|we|i|now|instead|because|since|as|is|has|have|having|moved|er|sie|ella|él"
    r"|elle|il|ahora|jetzt|maintenant|sondern|sino)\b|\w+ed\b)|(?:but|so)\b",
    re.IGNORECASE,
)
_AUXILIARY = frozenset(["do", "does"])  # left over from "does not live there any more"
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
    clause, locale = _first_clause(sentence.text), sentence.locale
    words = split(clause)
    gone = ended_words(words, f" {' '.join(words).lower()} ", locale)
    length = sentence.length
    if (
        not length
        or gone[:length] != tuple(sentence.words[:length])
        or not locale.blocked.isdisjoint(word.lower() for word in gone)
    ):
        return Before()
    said = " ".join(word for word in gone if word not in _AUXILIARY)
    lifted = lift(said.replace(" 's", "'s"), locale, sentence.speaker, any_form=True)
    return Before(gone[length:], (lifted.fact,) if lifted and lifted.fact and not lifted.change else ())


def _first_clause(text: str) -> str:
    """Return the first clause; "" when what follows a comma is no clause, as in a list."""
    seam = _CLAUSE.search(text)
    if seam is None:
        return text
    is_list = text[seam.start()] == "," and not _NEXT_CLAUSE.match(text[seam.end() :])
    return "" if is_list else text[: seam.start()]


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
