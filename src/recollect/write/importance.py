"""How much a text is worth keeping in mind: a deterministic score from what it says, without a model."""

from __future__ import annotations

import math
import re

from recollect.words import is_stop, words

_IDENTITY = re.compile(
    r"\b(?:my name is|i am called|call me|i(?:'m| am) (?:allergic|vegan|vegetarian|diabetic|married|pregnant|from|a|an)\b"
    r"|i (?:live|work|was born|grew up|studied|study|moved)\b|my (?:birthday|address|phone|email|wife|husband|partner|son"
    r"|daughter|mother|father|boss|doctor|job|dog|cat)\b|allerg(?:y|ic)\b|diagnosed\b|password|passport|emergency)",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:i|we|he|she|they|\w+) (?:really |always |never |absolutely |also )*(?:prefers?|loves?|hates?|likes?|dislikes?|enjoys?"
    r"|wants?|needs?|can'?t stand|avoids?|favou?rs?)\b|\bfavou?rite\b|\b(?:always|never) (?:eat|drink|use|call|send|do)",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decided|agreed|promised|deadline|due (?:on|by)|must|important|remember (?:that|to)|don'?t forget|appointment"
    r"|booked|signed|accepted|quit|got (?:married|engaged|promoted|fired)|died|born|bought|sold|moved|plan(?:s|ning)? to)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\b[A-Z]{2,}-?\d[\w-]*\b|\b[\w.+-]+@[\w-]+\.\w+|https?://\S+|\b\d{3}[- ]?\d{3,}[\d -]*\b")
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][a-z]{2,}\b")
_STRONG = re.compile(
    r"!|\b(?:thrilled|terrified|furious|heartbroken|devastated|amazing|awful|proud|scared|best|worst)\b", re.IGNORECASE
)
_CHATTER = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|thanks?(?: you| a lot| so much)?|thx|cool|great|nice|wow|yes|yeah|yep|no|nope|sure|hi|hey|hello|bye"
    r"|good (?:morning|night|luck)|see you(?: (?:later|soon|tomorrow))?|lol|haha+|got it|sounds good|you'?re welcome|no problem"
    r"|take care|awesome|perfect|right|hmm+)[\s,.!?]*)+$",
    re.IGNORECASE,
)


def importance(text: str) -> float:
    """Score a text from 0 to 1: who somebody is and what he decided count most, chit-chat least."""
    if _CHATTER.match(text):
        return 0.05
    sample = text[:4000]
    found = words(sample)
    if not found:
        return 0.05
    telling = {word for word in found if not is_stop(word)}
    score = 0.12 + 0.18 * min(1.0, math.log1p(len(telling)) / math.log(24))
    score += 0.12 * min(1.0, len(telling) / max(len(found), 1) / 0.6)
    score += 0.30 if _IDENTITY.search(sample) else 0.0
    score += 0.16 if _PREFERENCE.search(sample) else 0.0
    score += 0.18 if _DECISION.search(sample) else 0.0
    score += 0.10 if _IDENTIFIER.search(sample) else 0.06 if _NUMBER.search(sample) else 0.0
    score += min(0.12, 0.06 * len(set(_NAME.findall(sample))))
    score += 0.04 if _STRONG.search(sample) else 0.0
    if sample.rstrip().endswith("?") and "." not in sample:
        score *= 0.6
    return round(min(score, 1.0), 4)
