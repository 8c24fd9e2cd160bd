"""How much a sentence of a conversation tells, and which question makes it understood."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from recollect.conversation.keyfacts import MODELS, type_of
from recollect.conversation.utterances import Utterance
from recollect.models import FactType
from recollect.namewords import has_names
from recollect.patterns import pattern
from recollect.timewords import has_time_words
from recollect.words import content_pairs
from recollect.write.chatter import is_chatter, worth

_TYPED = {
    FactType.DECISION: 3.5,
    FactType.CONSTRAINT: 4.5,
    FactType.PREFERENCE: 2.5,
    FactType.ENTITY: 2.0,
    FactType.DATE: 2.0,
    FactType.NUMBER: 1.5,
}
_NAMED, _TIMED, _OWN = 1.0, 1.0, 1.0
_OF_GENERAL = 0.5  # what a model says is mostly known to the next one too
_PERSONAL = pattern(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur|[Ii]ch|[Mm]eine?|[Mm]i|[Yy]o|[Jj]e|[Mm]on|[Mm]a)\b")
_ASKS = pattern(r"[?？؟][\W_]*$")
_YES_NO = pattern(
    r"\W*(?:yes|yeah|yep|yup|no|nope|nah|sure|exactly|right|correct|ja|nein|doch|sí|si|oui|non|да|нет|はい|いいえ|是的?|不是?)\b",
    re.IGNORECASE,
)
_NOT = pattern(r"\b(?:not|no|never|nicht|nie|kein\w*|nunca|pas|jamais|ne|не|нет)\b|n['’]t\b", re.IGNORECASE)
_LONG = 13  # telling words: so many are no small talk, unless they ask
_LOOKED_AT = 1000  # sentences, where none tells anything
_ENOUGH = 4  # telling words, one more or less, of a sentence that says something
_SHORT = 3  # telling words of an answer that is not understood alone
_COMPARED = 64  # sentences with a word, the latest, that another one is compared with
_SAID_AGAIN = 0.1  # of its telling words: a sentence with no more new ones says again what is chosen already


@dataclass(frozen=True)
class Telling:
    """A sentence worth keeping: where it and the question it answers stand, who said what, its telling words.

    What type of fact it states is read when it is asked for: of most sentences nobody asks.
    """

    places: tuple[int, ...]
    said: Utterance
    terms: frozenset[str]
    plain: float

    @cached_property
    def fact_type(self) -> FactType | None:
        """The type of fact that the sentence states."""
        return type_of(self.said)

    @property
    def bound(self) -> float:
        """The most that the sentence may be worth."""
        return self.plain + max(_TYPED.values())

    @cached_property
    def value(self) -> float:
        """What the sentence is worth by itself."""
        typed = _TYPED[self.fact_type] if self.fact_type is not None else 0.0
        told = min(1.0, (len(self.terms) + 1) / _ENOUGH)  # "I won't give up" and "we did it yesterday" say little
        return (self.plain + typed) * told * (_OF_GENERAL if self.said.who.lower() in MODELS else 1.0)

    def gain(self, covered: Collection[str]) -> float:
        """Return its value beside what is chosen: less by what of its words that has already."""
        if not self.terms:
            return 0.0 if covered else self.value
        new = sum(term not in covered for term in self.terms)
        return self.value * (0.4 + 0.6 * new / len(self.terms))

    def repeats(self, told: Mapping[str, Sequence[frozenset[str]]]) -> bool:
        """Say whether one of the sentences told, by their words, says nearly all of it; another number is news."""
        near = {other for term in self.terms for other in told.get(term, ())[-_COMPARED:]}
        return any(self._is_said_by(other) for other in near)

    def _is_said_by(self, other: frozenset[str]) -> bool:
        new = self.terms - other
        if len(new) > _SAID_AGAIN * len(self.terms):
            return False
        return not any(character.isdigit() for term in new for character in term)


def weigh(said: Sequence[Utterance]) -> list[Telling]:
    """Return the sentences that tell something, or, when none does, the one that tells most of the others."""
    found, seen = list[Telling](), set[tuple[str, str]]()
    for place, one in enumerate(said):
        asked = _asked(said, place)
        if asked is None and (one.who, one.text) in seen:
            continue
        seen.add((one.who, one.text))
        if (telling := _weighed(said, place, asked)) is not None:
            found.append(telling)
    if found or not said:
        return found
    best = max(range(min(len(said), _LOOKED_AT)), key=lambda place: worth(said[place].text))
    return [Telling((best,), said[best], frozenset(), 1.0)]


def _weighed(said: Sequence[Utterance], place: int, asked: int | None) -> Telling | None:
    one = said[place]
    terms = _terms(one.text)
    chatter = is_chatter(one.text) if len(terms) < _LONG else _ASKS.search(one.text) is not None
    if asked is not None and (chatter or len(terms) <= _SHORT):
        question = _terms(said[asked].text)
        if (not chatter or _YES_NO.match(one.text)) and len(question) > 1:
            return _told(said, (asked, place), terms | question)
    return None if chatter else _told(said, (place,), terms)


def _asked(said: Sequence[Utterance], place: int) -> int | None:
    """Return where the question stands that a sentence answers: at the end of what somebody else said just before."""
    before = place - 1
    if before < 0 or said[before].turn == said[place].turn or not _ASKS.search(said[before].text):
        return None
    return before


def _terms(text: str) -> frozenset[str]:
    """Return the telling words of a sentence; those of one that denies are others than those of one that does not."""
    sign = "not " if _NOT.search(text) else ""
    return frozenset(sign + term for _, term in content_pairs(text))


def _told(said: Sequence[Utterance], places: tuple[int, ...], terms: frozenset[str]) -> Telling:
    one = said[places[-1]]
    value = worth(" ".join(said[place].text for place in places)) / 2
    value += _NAMED * has_names(one.text) + _TIMED * has_time_words(one.text)
    return Telling(places, one, terms, value + _OWN * bool(_PERSONAL.search(one.text)))
