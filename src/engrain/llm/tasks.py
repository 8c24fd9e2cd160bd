"""What a language model does for a scope: judge, grade, rerank, rewrite questions, classify intents."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, cast

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.language.names import names_and_numbers
from engrain.language.tokens import content_pairs, terms, words
from engrain.llm.asker import Asker, asker
from engrain.llm.client import Usage
from engrain.llm.extractor import ModelExtractor, is_supported
from engrain.llm.replies import ModelTask, ask_model, json_list, json_object, prompt
from engrain.model.memory import Scope
from engrain.model.results import Hit
from engrain.protocols import LLM, Candidate, Decider, Extractor, Grade, Grader, Judgement, QueryTransformer, Reranker
from engrain.text import normalise

T = TypeVar("T")
Operation = Literal["ADD", "UPDATE", "DELETE", "NOOP"]

_OPERATIONS = {**dict.fromkeys(("ADD", "UPDATE", "DELETE", "NOOP")), "NONE": "NOOP", "NO_OP": "NOOP", "NO-OP": "NOOP"}
_DECIDER_LENGTH = 2_000  # characters of a known text that are sent
_REASON_LENGTH = 200  # characters of a reason that are kept
_GRADED_HITS, _GRADER_LENGTH = 8, 1_000  # hits that are sent, characters of each
RERANK_BATCH = 25
"""Texts that are scored in one call."""
RERANK_LENGTH = 800
"""Characters of a text that are sent for scoring."""
_MAX_SCORE = 10.0
_PASSAGE_LENGTH = 1_000  # characters of a hypothetical answer


@dataclass
class _Verdict:
    operation: str
    target: Any = None
    content: str | None = None
    reason: str | None = None


class ModelDecider(ModelTask):
    """Judges a candidate by asking a language model; without neighbours none is asked.

    A verdict without a target is about the nearest neighbour. A merged text that states more than the model received is
    dropped, and the candidate's own text stays.
    """

    def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement:
        """Return whether the candidate is added, updates or deletes a known text, or is none of these."""
        if not neighbours:
            return Judgement(operation="ADD", reason="nothing known is near it")

        def parse(answer: str) -> Judgement:
            verdict = json_object(_Verdict)(answer)
            word = verdict.operation.strip().upper()
            if word not in _OPERATIONS:
                raise ValueError("its operation is none of ADD, UPDATE, DELETE and NOOP")
            operation = cast(Operation, _OPERATIONS[word] or word)
            target = None if operation == "ADD" else _target(verdict.target, neighbours)
            if target is not None and not _share_a_word(candidate.content, target.content):
                raise ValueError("the known text that it names has no word of the new one")
            merges = target is not None and operation != "NOOP"
            return Judgement(
                operation=operation,
                target=None if target is None else target.id,
                content=_merged(verdict.content, candidate, target) if merges and target is not None else None,
                reason=" ".join((verdict.reason or "").split())[:_REASON_LENGTH],
            )

        return self._ask("verdict", parse, {"new": candidate.content, "known": _listed(neighbours, _DECIDER_LENGTH)})


def _listed(hits: Sequence[Hit], length: int) -> list[dict[str, object]]:
    """Return hits as a model receives them, numbered from 1."""
    return [
        {"n": n, "since": hit.memory.valid_from.date().isoformat(), "says": hit.content[:length]}
        for n, hit in enumerate(hits, start=1)
    ]


def _target(given: object, neighbours: Sequence[Hit]) -> Hit:
    """Return the neighbour that a verdict names by its number or its id; the first when it names none."""
    if given is None or given == "":
        return neighbours[0]
    if isinstance(given, int | str) and not isinstance(given, bool):
        text = str(given).strip().lstrip("#")
        for number, hit in enumerate(neighbours, start=1):
            if text in (hit.id, str(number)):
                return hit
    raise ValueError("its target is no number of a known text")


def _merged(text: str | None, candidate: Candidate, target: Hit) -> str | None:
    """Return the text that replaces the target's, None where that is the candidate's own.

    It must state something of the candidate, not only repeat the target, and hold no name or number of its own.
    """
    merged, received = (text or "").strip(), f"{candidate.content}\n{target.content}"
    if (
        not merged
        or normalise(merged) == normalise(target.content)
        or not is_supported(merged, frozenset(terms(received)))
        or names_and_numbers(merged) - frozenset(words(received))
        or not _share_a_word(candidate.content, merged)
    ):
        return None
    return merged


def _share_a_word(one: str, other: str) -> bool:
    """Return whether two texts share a content word, or one of them has none."""
    own, others = (frozenset(term for _, term in content_pairs(text)) for text in (one, other))
    return not own or not others or not own.isdisjoint(others)


@dataclass
class _Grade:
    sufficient: bool
    confidence: float | None = None
    query: str | None = None


class ModelGrader(ModelTask):
    """Grades hits by asking a language model."""

    def grade(self, query: str, hits: Sequence[Hit]) -> Grade:
        """Return whether the best hits answer the question; the first eight are sent."""
        found = _listed(hits[:_GRADED_HITS], _GRADER_LENGTH)
        grade = self._ask("grade", json_object(_Grade), {"question": query, "found": found})
        given = grade.confidence
        confidence = 1.0 if given is None or not math.isfinite(given) else min(max(given, 0.0), 1.0)
        reformulation = None if grade.sufficient else (grade.query or "").strip() or None
        return Grade(sufficient=grade.sufficient, confidence=confidence, reformulation=reformulation)


@dataclass
class _Score:
    n: int
    score: float


class ModelReranker(ModelTask):
    """Scores texts from 0 to 10 by asking a language model, in batches, each text cut to its beginning.

    A text that is left without a score makes the answer unreadable.
    """

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """Return one score for each text; without texts no model is asked."""
        scores: list[float] = []
        for start in range(0, len(documents), RERANK_BATCH):
            scores += self._batch(query, documents[start : start + RERANK_BATCH])
        return scores

    def _batch(self, query: str, documents: Sequence[str]) -> list[float]:
        def parse(answer: str) -> list[float]:
            scores = {each.n: each.score for each in json_list(_Score)(answer) if math.isfinite(each.score)}
            numbers = range(1, len(documents) + 1)
            if not scores.keys() >= set(numbers):
                raise ValueError(f"it does not give each of the {len(documents)} texts a score")
            return [min(max(scores[n], 0.0), _MAX_SCORE) for n in numbers]

        texts = [{"n": n, "says": text[:RERANK_LENGTH]} for n, text in enumerate(documents, start=1)]
        return self._ask("rerank", parse, {"question": query, "texts": texts})


@dataclass
class _Intent:
    intent: str


class ModelTransformer(ModelTask):
    """Rewrites and classifies questions by asking a language model."""

    def variants(self, query: str, n: int) -> Sequence[str]:
        """Return up to `n` paraphrases of the question; for none no model is asked."""
        if n < 1:
            return []
        found = ask_model(self._llm, prompt("variants"), json_list(str), question=query, count=str(n))
        return [text.strip() for text in found if text.strip()][:n]

    def hypothetical(self, query: str) -> str:
        """Return an invented passage that would answer the question."""
        text, system = prompt("hypothetical").filled(question=query)
        passage = self._llm.complete(text, system=system).strip()
        if not passage:
            raise ProviderError("the language model gave no passage")
        return passage[:_PASSAGE_LENGTH]

    def intent(self, query: str) -> str:
        """Return the kind of a question in one word, which need not be a known one."""
        return ask_model(self._llm, prompt("intent"), json_object(_Intent), question=query).intent.strip().lower()


# ---------------------------------------------------------------------------------------------- which provider is used


class Intents(Protocol):
    """Classifies a question in one word."""

    def intent(self, query: str) -> object: ...


def extractor(engine: Engine, scope: Scope) -> Extractor | None:
    """Return what extracts facts; None leaves it to the offline extractor."""
    return _chosen(engine.extractor, engine, scope, "extract", ModelExtractor)


def decider(engine: Engine, scope: Scope) -> Decider | None:
    """Return what judges facts; None leaves it to the rules."""
    return _chosen(engine.decider, engine, scope, "verdict", ModelDecider)


def grader(engine: Engine, scope: Scope) -> Grader | None:
    """Return what grades the hits of a deep recall."""
    return _chosen(engine.grader, engine, scope, "grade", ModelGrader)


def transformer(engine: Engine, scope: Scope) -> QueryTransformer | None:
    """Return what rewrites questions."""
    return _chosen(engine.transformer, engine, scope, "rewrite", ModelTransformer)


def reranker(engine: Engine, scope: Scope) -> Reranker | None:
    """Return what scores the best hits again: the language model only where it was chosen for that."""
    given = engine.reranker
    return _chosen(None, engine, scope, "rerank", ModelReranker) if isinstance(given, str) else given


def intents(engine: Engine, scope: Scope) -> Intents | None:
    """Return what classifies a question that the rules cannot, where the settings ask for it."""
    if engine.settings.unclear_intents != "llm":
        return None
    own: Any = engine.transformer
    return _chosen(own if callable(getattr(own, "intent", None)) else None, engine, scope, "intent", ModelTransformer)


def _chosen(given: T | None, engine: Engine, scope: Scope, use: str, make: Callable[[LLM], T]) -> T | None:
    """Return the caller's own provider, else one that asks the language model, None without a model."""
    llm = asker(engine, scope, use) if given is None else None
    return given if llm is None else make(llm)


# ---------------------------------------------------------------------------------------------------------------- trial

USE = "trial"
_TRIAL_RECORD = "The shed in the garden is green."
_TRIAL_TOKENS = 400  # models that reason spend tokens before their one word


@dataclass
class _Colour:
    colour: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did: the seconds and tokens of its calls, whether it keeps to JSON, and why it gave no answer."""

    seconds: float
    usage: Usage
    answers: bool = False
    keeps_to_json: bool = False
    error: ProviderError | None = None


def tried(llm: Asker) -> Trial:
    """Ask a model for a word, then for JSON; both calls count for the budget."""
    start, answers, keeps = time.perf_counter(), False, False
    failure: ProviderError | None = None
    try:
        for name in ("trial", "trial_json"):
            text, system = prompt(name).filled(record=_TRIAL_RECORD)
            answer = llm.complete(text, system=system, max_tokens=_TRIAL_TOKENS)
            answers = True
        keeps = bool(json_object(_Colour)(answer))
    except ProviderError as error:
        failure = error
    except ValueError:  # not the JSON that was asked for
        pass
    return Trial(time.perf_counter() - start, llm.usage, answers, keeps, failure)
