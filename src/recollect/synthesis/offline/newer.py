"""Which of two statements of the same thing holds: the newer one, where it says that something changed.

Newer alone is no better: most of what is said later is of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.patterns import pattern
from recollect.synthesis.offline.question import Asked, Wanted
from recollect.synthesis.offline.telling import Candidate
from recollect.words import stem, terms, words

Answers = Callable[[Candidate], tuple[str, ...]]
_CHANGE = pattern(
    r"(?i)\b(?:now|nowadays|currently|moved|chang(?:ed|es)|correct(?:ion|ed)|no\s+longer|any\s*more|(?:the|my|our|[’']s)\s+new|instead|actually|updated?"
    r"|postponed|rescheduled|raised|increased|lowered|reduced|replaced|switched|jetzt|nun|neu\w*|ahora|maintenant|désormais)\b"
)
_MOVED = pattern(r"(?i)\b(?:moved|relocated)\s+(?:\w+\s+)?to\b")
_OF_BEFORE = pattern(
    r"(?i)\b(?:did|was|were|had|first|original\w*|initial\w*|previous\w*|before|used\s+to|old|former\w*|last|ago)\b"
)


def newest_first(asked: Asked, candidates: Sequence[Candidate], answers: Answers) -> Sequence[Candidate]:
    """Return the sentences with the one first that amends the best, where there is one and today is asked about."""
    if asked.several or asked.wanted is Wanted.YES_NO or _OF_BEFORE.search(asked.text):
        return candidates
    best = candidates[0]
    newer = [each for each in candidates[1:] if _age(each) > _age(best) and _amends(each, best, asked, answers)]
    if not newer:
        return candidates
    first = max(newer, key=_age)
    return [first, *(each for each in candidates if each is not first)]


def _age(candidate: Candidate) -> tuple[object, ...]:
    memory = candidate.quote.memory
    return memory.valid_from, memory.recorded_at


def _amends(newer: Candidate, best: Candidate, asked: Asked, answers: Answers) -> bool:
    found = answers(newer)
    if newer.line.asks or bool(found) != bool(answers(best)):
        return False
    text = newer.line.text
    shared = frozenset(asked.terms) & _terms(best)
    if _CHANGE.search(text) and shared and shared <= _terms(newer):
        return True
    if asked.wanted is Wanted.PLACE and _MOVED.search(text):
        return shared & asked.names <= _terms(newer) and bool(shared & asked.names)
    return bool(found) and _frame(newer, found) == _frame(best, answers(best))


def _terms(candidate: Candidate) -> frozenset[str]:
    return candidate.line.terms | frozenset(map(stem, words(candidate.quote.memory.actor or "")))


def _frame(candidate: Candidate, found: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a sentence without its answer: what two values of one thing have in common."""
    said = frozenset({candidate.quote.memory.actor or ""})
    return said | frozenset(terms(candidate.line.text)) - frozenset(term for text in found for term in terms(text))
