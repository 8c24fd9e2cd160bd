"""A plain yes or no: only where one clause states the very thing that is asked, in its order and its tense.

All else is for people to judge: a plan, a hope, a report, a condition, a comparison turned round, a thing of the past.
"""

from __future__ import annotations

from recollect.lexicon import BASE
from recollect.patterns import pattern
from recollect.synthesis.offline.clauses import parts
from recollect.synthesis.offline.question import Asked
from recollect.synthesis.offline.telling import Candidate
from recollect.words import content_pairs, stem, words

_NOT = pattern(r"(?i)\b(?:not|never|\w+n['’]t|cannot)\b")
_NEGATIVE = pattern(
    r"(?i)\b(?:not|no|never|nobody|nothing|none|neither|nor|without|\w+n['’]t|cannot|hardly|barely|rarely|seldom)\b"
)
_QUANTITY = pattern(
    r"(?i)\b(?:every\w*|all|any(?:body|one|thing)?|some(?:body|one|thing)?|only|both|each|most|none|always|ever|still|yet|more"
    r"|less|than|enough|too|other|another)\b"
)
_UNSURE = pattern(
    r"(?i)\b(?:if|unless|until|till|once|when|would|could|may|might|should|will|shall|can|going\s+to|gonna|maybe|perhaps|possibly"
    r"|probably|likely|almost|nearly|supposed|suppose\w*|only|except|instead|anymore|any\s+more|used\s+to|former\w*|before"
    r"|think\w*|thought|say\w*|said|claim\w*|hear\w*|believ\w*|guess\w*|hope\w*|hoping|wish\w*|want\w*|plan\w*|dream\w*|doubt\w*"
    r"|wonder\w*|pretend\w*|rumou?r\w*|seem\w*|apparently|allegedly|correction|longer|against|quit|stop\w*|ceased?|but|although"
    r"|though|joke\w*|joking|kidding|imagin\w*|expect\w*|try|trying|tried|fail\w*|refus\w*|den(?:y|ies|ied)|forgot\w*)\b"
)
_PRESENT = pattern(r"(?i)^\W*(?:do|does|is|are|am)\b")
_DID = pattern(r"(?i)^\W*did\b")
_PAST = pattern(r"(?i)\b(?:was|were|had|did|been|ex)\b")
_I = frozenset({"i", "we", "my", "our"})


def plain(candidate: Candidate, asked: Asked) -> str:
    """Return "Yes" or "No", "" where the sentence does not plainly say so."""
    text = candidate.line.text
    if _NEGATIVE.search(asked.text) or _QUANTITY.search(asked.text) or _UNSURE.search(text) or candidate.line.asks:
        return ""
    for start, stop in parts(text):
        clause = text[start:stop]
        denies = _NOT.search(clause)
        if not denies and _NEGATIVE.search(clause):
            continue
        if _states(clause, candidate, asked, whole=denies is not None):
            return "No" if denies else "Yes"
    return ""


def _states(clause: str, candidate: Candidate, asked: Asked, *, whole: bool) -> bool:
    """Say whether a clause has the question's words in their order with nothing telling between them.

    With `whole` nothing telling may follow either: who did not sell it on Monday may have sold it.
    """
    if _PRESENT.search(asked.text) and _PAST.search(clause):
        return False
    wanted = content_pairs(asked.text)
    there = content_pairs(clause)
    speaker = frozenset(map(stem, words(candidate.quote.memory.actor or "")))
    if speaker and wanted and wanted[0][1] in speaker and not _I.isdisjoint(words(clause)):
        wanted = wanted[1:]
    if not wanted or len(there) < len(wanted) or (whole and len(there) > len(wanted)):
        return False
    pairs = list(zip(wanted, there, strict=False))
    if any(one[1] != other[1] for one, other in pairs):
        return False
    return _tense_fits(asked, [(one[0].lower(), other[0].lower()) for one, other in pairs], denied=whole)


def _tense_fits(asked: Asked, pairs: list[tuple[str, str]], *, denied: bool) -> bool:
    """Say whether the words have the forms that the question's tense asks for."""
    if _DID.search(asked.text) and not denied:
        return any(_is_past(there, of) for of, there in pairs)
    return all(there == of or there in _present(of) or of in _present(there) for of, there in pairs)


def _present(word: str) -> tuple[str, ...]:
    """Return the forms of a word in which it is still of the present: smokes, does, carries."""
    return f"{word}s", f"{word}es", f"{word[:-1]}ies"


def _is_past(there: str, of: str) -> bool:
    return there != of and (there.endswith("ed") or there in BASE)
