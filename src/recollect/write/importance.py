"""How much a text is worth keeping in mind: a deterministic score from what it says, without a model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache

from recollect.words import stem

_IDENTITY = (
    "name allergic allergy vegan vegetarian diabetic diabetes pregnant diagnosed birthday address phone email "
    "password passport emergency wife husband partner son daughter mother father boss doctor live lives born grew "
    "married surname nickname citizen medication anniversary"
)
_PREFERENCE = "prefer love hate like dislike enjoy want need avoid favor favorite favourite always never fond adore"
_DECISION = (
    "decide agree promise deadline due must important remember forget appointment book sign accept quit marry engaged "
    "promote fire die buy sell move plan hire graduate adopt cancel schedule switch start stop"
)
_STRONG = "thrilled terrified furious heartbroken devastated amazing awful proud scared best worst wonderful horrible"
_IDENTIFIER = re.compile(r"[A-Z]{2,}-?\d|\w@\w|https?://|\d{3}[- ]?\d{3}")
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_CHATTER = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|thanks?(?: you| a lot| so much)?|thx|cool|great|nice|wow|yes|yeah|yep|no|nope|sure|hi|hey"
    r"|hello|bye|good (?:morning|night|luck)|see you(?: (?:later|soon|tomorrow))?|lol|haha+|got it|sounds good"
    r"|you'?re welcome|no problem|take care|awesome|perfect|right|hmm+)[\s,.!?]*)+$",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"\w")  # emoji alone say little
_LOOKED_AT = 4000  # characters


def importance(text: str, pairs: Sequence[tuple[str, str]]) -> float:
    """Score a text from 0 to 1: who somebody is and what he decided count most, chit-chat least.

    `pairs` are its telling words and their index terms (`recollect.words.content_pairs`).
    """
    sample = text[:_LOOKED_AT]
    if not pairs or not _SPOKEN.search(sample) or (len(text) < 80 and _CHATTER.match(text)):
        return 0.05
    telling = {term for _, term in pairs}
    said = max(sample.count(" ") + 1, len(pairs))
    score = 0.12 + 0.18 * min(1.0, math.log1p(len(telling)) / math.log(24))
    score += 0.12 * min(1.0, len(pairs) / said / 0.6)
    score += (0.0, 0.30, 0.46)[min(len(telling & _stems(_IDENTITY)), 2)]
    score += 0.16 if telling & _stems(_PREFERENCE) else 0.0
    score += 0.18 if telling & _stems(_DECISION) else 0.0
    if _NUMBER.search(sample):
        score += 0.10 if _IDENTIFIER.search(sample) else 0.06
    score += min(0.12, 0.06 * len(set(_NAME.findall(sample))))
    score += 0.04 if "!" in sample or telling & _stems(_STRONG) else 0.0
    if sample.rstrip().endswith("?") and "." not in sample:
        score *= 0.6
    return round(min(score, 1.0), 4)


@cache
def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))
