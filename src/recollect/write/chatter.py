"""Which sentences state nothing worth keeping, and how much the others are worth."""

from __future__ import annotations

import re

from recollect.patterns import pattern
from recollect.words import content_pairs, stem
from recollect.write.importance import importance

_QUESTION = pattern(r"[?？؟][\W_]*$")
_WORD = pattern(r"[^\W_]")
_OPENING = pattern(
    r"""\W*(?:
    hi|hey|hello|bye|goodbye|thx|cheers|congrats|congratulations|welcome|thanks?|thank\ you|sounds|enjoy
    |good\ (?:luck|night|morning|afternoon|evening)|best\ of\ luck|(?:i\ )?hope(?:\ that)?\ you|wishing\ you
    |(?:it['’]?s\ |it\ was\ )?(?:so\ |really\ )?(?:good|great|nice|lovely)\ to\ (?:see|hear|meet|talk|chat|catch)
    |(?:i['’]ll\ )?(?:see|talk\ to|catch)\ (?:you|ya)|talk\ (?:soon|later)|take\ care|have\ (?:an?|some|fun)
    |let\ me\ know|tell\ me|keep\ (?:me|it|up|going)|no\ (?:problem|worries)|my\ pleasure|count\ on|you\ got\ this
    |you(?:['’]re|\ are)\ (?:so\ |very\ )?welcome|check\ (?:it|this|that|them)\ out|take\ a\ look|look\ at
    |(?:i['’]m\ |i\ am\ )?(?:so\ |really\ )?(?:glad|happy|sorry|proud|excited|thrilled)\ (?:to\ hear|for|of)?\ ?you
    |(?:i['’]m\ |i\ am\ )?(?:so\ |really\ )?(?:glad|happy|sorry|proud|excited|thrilled)\ to\ hear
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CALLED = pattern(r"(?:,\s*|^\W*|\b[Ww]ow )[A-Z]\w+(?=\s*[,.!]|$)")
_PRONOUN = pattern(
    r"\W*(?:(?:well|oh|yeah|yes|no|so|and|but|wow|also|plus|actually),?\s+)*(?:he|she|it|they|this|that|these|those|you)"
    r"(?:['’](?:s|re|ll|d|ve))?\b",
    re.IGNORECASE,
)
_SAID_IN_PASSING = """
cool great awesome amazing nice sweet wonderful fantastic lovely beautiful gorgeous impressive inspiring incredible
wow yeah yep agree totally absolutely definitely exactly sure glad happy hear good sound interesting exciting fun
haha lol omg love perfect right true best thank thanks sorry aww congrats congratulations welcome hey hi hello bye
well look see know think guess mean thing way kind bet cute neat super pretty real truly much luck proud
"""
_IN_PASSING = frozenset(map(stem, _SAID_IN_PASSING.split()))
_TOLD = 4  # more telling words than these after a greeting, and the sentence tells something


def is_chatter(sentence: str) -> bool:
    """Say whether a sentence is a question, a heading, a greeting, thanks, or words said in passing."""
    if _QUESTION.search(sentence) or sentence.startswith("#") or not _WORD.search(sentence):
        return True
    telling = [term for _, term in content_pairs(_CALLED.sub(" ", sentence)) if term not in _IN_PASSING]
    if any(character.isdigit() for term in telling for character in term):
        return False
    return not telling or (len(telling) <= _TOLD and _OPENING.match(sentence) is not None)


def worth(sentence: str) -> float:
    """Rate a sentence from 1 to 10: its importance, less when nobody can tell from it who or what it is about."""
    rating = importance(sentence, content_pairs(sentence)) * 10
    return max(1.0, round(rating * (0.7 if _PRONOUN.match(sentence) else 1.0), 2))
