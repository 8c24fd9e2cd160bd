"""Which of the procedures that a recall found comes first. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.procedure import Procedure
from recollect.procedures.keeping import procedure_of
from recollect.results import Hit, Signal
from recollect.words import query_terms

WIDER = 4  # hits looked at for each one wanted
_STANDING = {"validated": 1.05, "demoted": 0.5, "failed": 0.25, "": 1.0}
_BELIEVED = 0.05  # what full confidence is worth against none
_TRIGGERED = 0.25  # what a trigger condition is worth whose words the task all says


def ranked(task: str, hits: Sequence[Hit], k: int) -> list[Hit]:
    """Return the best k of the hits, ordered by how well they answer, then by what is known of how they go.

    A hit whose trigger conditions the task fulfils rises, a validated and a more confident one comes before its like,
    and a demoted one sinks below them; the multipliers are among the signals of the hit.
    """
    asked = frozenset(query_terms(task))
    weighed = [_weighed(hit, asked) for hit in hits]
    return sorted(weighed, key=lambda hit: -hit.score)[: max(k, 0)]


def _weighed(hit: Hit, asked: frozenset[str]) -> Hit:
    procedure = procedure_of(hit.memory)
    factors = {
        "x triggered": 1 + _TRIGGERED * triggered(procedure, asked),
        "x standing": _STANDING[procedure.standing],
        "x confidence": 1 - _BELIEVED * (1 - procedure.confidence),
    }
    score = hit.score
    for factor in factors.values():
        score *= factor
    told = tuple(Signal(name, factor) for name, factor in factors.items() if factor != 1)
    return replace(hit, score=score, signals=(*hit.signals, *told))


def triggered(procedure: Procedure, asked: frozenset[str]) -> float:
    """Return the largest share of the words of a trigger condition that a task says."""
    conditions = (frozenset(query_terms(condition)) for condition in procedure.trigger_conditions)
    return max((len(words & asked) / len(words) for words in conditions if words), default=0.0)
