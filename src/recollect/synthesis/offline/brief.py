"""A brief without a model: a few sentences that cover what the evidence says of a question, and points beside them."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.synthesis.offline.question import Asked
from recollect.synthesis.offline.telling import Candidate, apart, ranked
from recollect.synthesis.parts import Evidence, Said, Told

_SENTENCES = 4
_POINTS = 7
_LEAST = 0.35  # of the best sentence's score: what scores less is of another thing


def brief(asked: Asked, evidence: Evidence) -> Told:
    """Return two to four sentences as they were said, in order of time, and further ones as points."""
    candidates = ranked(asked, evidence)
    chosen = telling(candidates, _SENTENCES + _POINTS)
    if not chosen:
        return Told(whole(evidence))
    return Told(in_time(chosen[:_SENTENCES]), tuple(each.said for each in chosen[_SENTENCES:]))


def telling(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return the best sentences that do not repeat each other and are of the question's matter."""
    best = candidates[0].score if candidates else 0.0
    return apart([each for each in candidates if not each.idle], most, least=_LEAST * best)


def in_time(candidates: Sequence[Candidate]) -> tuple[Said, ...]:
    """Return sentences in the order in which they were said."""
    ordered = sorted(candidates, key=lambda each: (each.quote.memory.valid_from, each.quote.memory.id, each.line.start))
    return tuple(each.said for each in ordered)


def whole(evidence: Evidence) -> tuple[Said, ...]:
    """Return the first quote as it stands: what there is to say of a text that has no sentences."""
    return tuple(Said(quote.text, (place,)) for place, quote in enumerate(evidence.quotes[:1]))
