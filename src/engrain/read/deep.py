"""Deep recall: a hard question is asked in other words until a grader is content with the hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import guard
from engrain.language.dates import asks_when, windows
from engrain.llm.extractor import Mind, credit, trouble
from engrain.llm.tasks import grader as grader_of
from engrain.model.memory import Scope, Status
from engrain.model.results import Hit, Recall, Stage
from engrain.model.scope import is_whole
from engrain.protocols import Grade, Grader
from engrain.read.question import Difficulty, difficulty
from engrain.read.recall import recall
from engrain.read.request import Request
from engrain.read.reranking import fused
from engrain.read.variants import askable

MOST = 5  # looks
_SHOWN = 8  # hits that a grader sees
_ENOUGH = Grade(sufficient=True, confidence=0.0)

Look = Callable[[str, bool], Recall]


def recall_deep(engine: Engine, scope: Scope, request: Request, *, max_iterations: int) -> Recall:
    """Recall, and look again in a grader's words as long as it asks for more; see `MemoryManager.recall_deep`."""
    if not is_whole(max_iterations) or max_iterations < 1:
        raise ValueError(f"max_iterations is 1 or more (5 at most count), not {max_iterations!r}")

    def look(text: str, wider: bool) -> Recall:
        hops = max(request.expand_hops, 1) if wider else request.expand_hops
        return recall(engine, replace(request, query=text, expand_hops=hops))

    temporal = asks_when(request.query) or bool(windows(request.query, request.now))
    return deepened(
        request.query,
        difficulty(request.query, temporal=temporal),
        look,
        grader_of(engine, scope),
        iterations=min(max_iterations, MOST),
        k=request.k,
    )


def deepened(query: str, hard: Difficulty, look: Look, grader: Grader | None, *, iterations: int, k: int) -> Recall:
    """Ask a question as often as its grader wants, at most `iterations` times; `look(text, wider)` is one recall.

    An easy question, any without a grader and one for no hits is asked once and not graded. Hits are always judged
    against the question as it was asked. A grader that fails ends the loop, which is no abstention.
    """
    looks = _Looks(query, k)
    why = "easy" if not hard.hard else "no grader" if grader is None else "no hits wanted" if k <= 0 else ""
    notes = (f"{hard.score:.2f}: {', '.join(hard.reasons) or 'plain'}", why and f"{why}: one look")
    looks.trace.append(Stage("difficulty", 1, 1, 0.0, tuple(filter(None, notes))))
    looks.add(query, look(query, False))
    if not hard.hard or grader is None or k <= 0:
        return looks.answer(abstained=looks.found[0].abstained, sufficient=True)
    while True:
        grade = _graded(grader, looks)
        words = (grade.reformulation or "").strip()
        if grade.sufficient or len(looks.found) >= iterations or not words or looks.asked_already(words):
            return looks.answer(abstained=not grade.sufficient, sufficient=grade.sufficient)
        looks.add(words, look(words, True))


@dataclass(slots=True)
class _Looks:
    """What was asked and found so far."""

    query: str
    k: int
    queries: list[str] = field(default_factory=list)
    found: list[Recall] = field(default_factory=list)
    trace: list[Stage] = field(default_factory=list)

    def add(self, text: str, found: Recall) -> None:
        self.queries.append(text)
        self.found.append(found)
        self.trace += found.trace

    def asked_already(self, text: str) -> bool:
        return text.casefold() in {each.strip().casefold() for each in self.queries}

    def hits(self) -> Sequence[Hit]:
        return self.found[0] if len(self.found) == 1 else fused(self.query, self.found)[: self.k]

    def note(self, *notes: str) -> None:
        count = len(self.hits())
        self.trace.append(Stage("grade", count, count, 0.0, notes))

    def answer(self, *, abstained: bool, sufficient: bool) -> Recall:
        return self.found[0].among(
            self.hits(),
            trace=self.trace,
            abstained=abstained,
            sufficient=sufficient,
            queries=self.queries,
        )


def _graded(grader: Grader, looks: _Looks) -> Grade:
    asks = isinstance(grader, Mind)  # a language model is shown nothing that waits to be admitted
    hits = [hit for hit in looks.hits() if not (asks and hit.memory.status is Status.QUARANTINED)]

    def judged() -> Grade:
        grade = grader.grade(looks.query, hits[:_SHOWN])
        if not isinstance(grade, Grade):
            raise ProviderError(f"the grader gave a {type(grade).__name__}, not a Grade")
        sufficient: object = grade.sufficient
        if not isinstance(sufficient, bool) or not isfinite(grade.confidence):
            raise ProviderError(f"the grader gave no verdict: {grade}")
        return grade if askable(grade.reformulation) else replace(grade, reformulation=None)

    failed: list[Exception] = []
    grade = guard("the grader", judged, failed=failed.append)
    if grade is None:
        looks.note("the grader failed: no further look", *([trouble(grader, failed)] if asks else []))
        return _ENOUGH
    again = f"ask again: {grade.reformulation}" if grade.reformulation and not grade.sufficient else ""
    verdict = "sufficient" if grade.sufficient else "not sufficient"
    by = f"graded by {credit(grader)}" if asks else ""
    looks.note(*filter(None, (f"{verdict}, confidence {grade.confidence:.2f}", again, by)))
    return grade
