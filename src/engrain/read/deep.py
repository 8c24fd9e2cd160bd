"""Deep recall: `recall_deep` repeats a recall in a grader's words until the grader is satisfied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.llm.replies import ModelTask, attribution, failure_reason
from engrain.llm.tasks import grader
from engrain.model.memory import Scope, Status
from engrain.model.results import Hit, Recall, Stage
from engrain.protocols import Grade, Grader
from engrain.read.phrasing import askable, is_temporal
from engrain.read.ranking import fuse
from engrain.read.recall import recall
from engrain.read.request import Request
from engrain.read.retrieval import difficulty
from engrain.validation import is_whole

_SHOWN = 8  # hits in a grader's prompt


def recall_deep(engine: Engine, scope: Scope, request: Request, *, max_iterations: int) -> Recall:
    """Recall, and repeat in a grader's words while it asks for more; see `MemoryManager.recall_deep`."""
    if not is_whole(max_iterations) or max_iterations < 1:
        raise ValueError(f"max_iterations is 1 or more (5 at most count), not {max_iterations!r}")
    query, judge = request.query, grader(engine, scope)
    rated = difficulty(query, temporal=is_temporal(request))
    why = "easy" if not rated.hard else "no grader" if judge is None else "no hits wanted" if request.k <= 0 else ""
    notes = (f"{rated.score:.2f}: {', '.join(rated.reasons) or 'plain'}", *([f"{why}: one look"] if why else []))
    queries, found = [query], [recall(engine, request)]
    trace = [Stage("difficulty", 1, 1, 0.0, notes), *found[0].trace]
    if judge is None or why:
        first = found[0]
        return first.among(first, trace=trace, abstained=first.abstained, sufficient=True, queries=queries)
    wider = replace(request, expand_hops=max(request.expand_hops, 1))
    while True:
        hits = found[0] if len(found) == 1 else fuse(query, found)[: request.k]
        grade, notes = _graded(judge, query, hits)
        trace.append(Stage("grade", len(hits), len(hits), 0.0, notes))
        words = (grade.reformulation or "").strip()
        enough = grade.sufficient or len(found) >= min(max_iterations, 5)
        if enough or not words or words.casefold() in {each.strip().casefold() for each in queries}:
            sufficient = grade.sufficient
            return found[0].among(hits, trace=trace, abstained=not sufficient, sufficient=sufficient, queries=queries)
        queries.append(words)
        found.append(recall(engine, replace(wider, query=words)))
        trace += found[-1].trace


def _graded(grader: Grader, query: str, hits: Sequence[Hit]) -> tuple[Grade, tuple[str, ...]]:
    """Return a grade, and notes on it; a language model is given no quarantined hit."""
    asks = isinstance(grader, ModelTask)
    hits = [hit for hit in hits if not (asks and hit.memory.status is Status.QUARANTINED)]

    def judged() -> Grade:
        grade = grader.grade(query, hits[:_SHOWN])
        if not isinstance(grade, Grade):
            raise ProviderError(f"the grader gave a {type(grade).__name__}, not a Grade")
        sufficient: object = grade.sufficient
        if not isinstance(sufficient, bool) or not math.isfinite(grade.confidence):
            raise ProviderError(f"the grader gave no verdict: {grade}")
        return grade if askable(grade.reformulation) else replace(grade, reformulation=None)

    failed: list[Exception] = []
    grade = guard("the grader", judged, failed=failed.append)
    if grade is None:
        why = [failure_reason(grader, failed)] if asks else []
        return Grade(sufficient=True, confidence=0.0), ("the grader failed: no further look", *why)
    notes = [f"{'sufficient' if grade.sufficient else 'not sufficient'}, confidence {grade.confidence:.2f}"]
    notes += [f"ask again: {grade.reformulation}"] if grade.reformulation and not grade.sufficient else []
    notes += [f"graded by {attribution(grader)}"] if asks else []
    return grade, tuple(notes)
