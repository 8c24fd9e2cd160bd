"""How much a text is worth keeping in mind: a deterministic score from what it says, without a model.

Who somebody is and what he plainly wants is critical. Everything else adds up: how much is said and how densely, of
oneself, of when and what happened, with names and figures. Words to the other, mere questions, and explanations at
length that nobody says of himself take away.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from recollect.write import signs

TRIVIAL = 0.05
"""The score of what states nothing: greetings, thanks, emoji."""
BANDS = (0.2, 0.5, 0.8)
"""Where routine, notable and critical begin."""
CRITICAL = BANDS[-1]
_IDENTIFIER = re.compile(r"[A-Z]{2,}-?\d|\w@\w|https?://|\d{3}[- ]?\d{3}")
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r" (?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_SPOKEN = re.compile(r"\w")  # emoji alone say little
_LOOKED_AT = 1000  # characters: a longer text has a bit of everything, and would be rated by its length
_MUCH = math.log(25)  # telling words that say as much as any number of them
_DENSE = 0.6  # the share of telling words that no text exceeds by much
_OFTEN = 0.1  # the share of different words for oneself, or for the other, from which on more of them say no more
_LONG = 100  # words: what is longer and says nothing of oneself is an explanation


def importance(text: str, pairs: Sequence[tuple[str, str]]) -> float:
    """Score a text from 0 to 1: who somebody is and what he plainly wants count most, chit-chat least.

    `pairs` are its telling words and their index terms (`recollect.words.content_pairs`).
    """
    sample = text[:_LOOKED_AT]
    if not pairs or not _SPOKEN.search(sample) or (len(text) < 80 and signs.CHATTER.match(text)):
        return TRIVIAL
    words = sample.split()
    pairs = pairs[: len(words)]
    telling = {term for _, term in pairs}
    signal = signs.TELLING & telling
    score = 0.14 + 0.26 * min(1.0, math.log1p(len(telling)) / _MUCH) + 0.06 * min(1.0, len(pairs) / len(words) / _DENSE)
    score = _of_whom(score + _of_what(signal) + _named(sample), words)
    asks = sample.rstrip().endswith("?") and "." not in sample
    of_somebody = len(signal & signs.IDENTITY) > 1
    score = min(max(score * (0.6 if asks else 1.0), TRIVIAL), 1.0 if of_somebody else CRITICAL - 0.01)
    if score < CRITICAL and not asks and not signs.CUES.isdisjoint(signal) and _is_critical(sample, signal):
        score = CRITICAL + (1 - CRITICAL) * score
    return round(score, 4)


def _of_what(signal: frozenset[str]) -> float:
    """Return what count words for who somebody is, for when it was, and what he likes, decides and feels."""
    score = (0.0, 0.16, 0.26)[min(len(signal & signs.IDENTITY), 2)] if signal else 0.0
    score += 0.12 * (not signs.WHEN.isdisjoint(signal)) + 0.08 * (not signs.WANTED.isdisjoint(signal))
    return score + 0.08 * (not signs.DECISION.isdisjoint(signal)) + 0.03 * (not signs.FEELING.isdisjoint(signal))


def _named(sample: str) -> float:
    """Return what count names and figures, identifiers more."""
    score = min(0.10, 0.05 * len(set(_NAME.findall(sample))))
    if _NUMBER.search(sample):
        score += 0.10 if _IDENTIFIER.search(sample) else 0.06
    return score


def _of_whom(score: float, words: Sequence[str]) -> float:
    """Return a score with what it counts that somebody tells of himself what happened, or talks to the other."""
    found = signs.SPOKEN.intersection(words)
    often = len(words) * _OFTEN
    oneself = min(len(found & signs.ONESELF) / often, 1.0)
    score += 0.14 * oneself - 0.12 * min(len(found & signs.OTHER) / often, 1.0)
    score += 0.10 * (not signs.EVENTS.isdisjoint(found))
    return score * (0.7 + 0.3 * oneself) if len(words) > _LONG else score


def _is_critical(sample: str, signal: frozenset[str]) -> bool:
    """Say whether a text states who somebody is or what he plainly wants; the patterns read few texts."""
    return any(not cues.isdisjoint(signal) and pattern.search(sample) for cues, pattern in signs.CRITICAL)
