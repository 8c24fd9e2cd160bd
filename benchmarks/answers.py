"""Quality of answers made without a model, beside the best memory and its best sentence taken as the answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.datasets import Question, load_questions
from benchmarks.metrics import Column, Groups, cell_lines, contained, percent, percent_interval, token_f1
from benchmarks.report import Progress, Quantiles, Timings
from benchmarks.retrieval import QuestionReport, categories, shares
from benchmarks.stores import temporary_memory
from engrain import MemoryManager, Recall
from engrain.language.tokens import query_terms
from engrain.protocols import Embedder
from engrain.synthesis.evidence import lines, share, weights

_QUOTED = 0.8  # the share of the expected words that counts as the answer being quoted
_RIGHT = 0.5  # token F1 of an answer that is not counted as wrong
_HITS = 10
_COLUMNS: tuple[Column, ...] = (
    ("F1", 7, percent("f1")),
    ("95% interval", 16, percent_interval("f1")),
    ("evidence", 10, percent("evidence_quoted")),
    ("answer quoted", 15, percent("answer_quoted")),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, the turns it quotes, their words and its confidence. Without a text it abstained."""

    text: str
    turns: Sequence[str] = ()
    quotes: Sequence[str] = ()
    confidence: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Answers(QuestionReport):
    """What an evaluation of answers found; only questions with an answer are rated.

    `curve` gives for each least confidence the share of all questions that are answered, the mean token F1 of these
    answers, and the share of them that is wrong: whose F1 is below .5, or whose question has no answer.
    """

    curve: Sequence[tuple[float, float, float, float]]
    recall_ms: Quantiles
    answer_ms: Quantiles

    def lines(self) -> list[str]:
        return [
            *self.header(),
            *cell_lines(self.systems, _COLUMNS, 16),
            "",
            *(
                f"  from {least:.1f}: {share:6.1%} of the questions answered, F1 {f1:5.1%}, {wrong:6.1%} of them wrong"
                for least, share, f1, wrong in self.curve
            ),
            self.abstentions,
            *self.recall_ms.lines(f"Recall of {_HITS}"),
            *self.answer_ms.lines("Answer with it"),
        ]


def evaluate(
    path: str | os.PathLike[str],
    *,
    embedder: str | Embedder | None = "auto",
    limit: int | None = None,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Answers:
    """Remember each conversation of a file, answer its questions without a model, and compare with people's answers.

    The arguments are those of `benchmarks.retrieval.evaluate`.
    """
    recall, answering, groups = Timings(), Timings(), Groups()
    abstained: dict[bool, list[bool]] = {True: [], False: []}
    rated: list[tuple[float, float]] = []
    conversations = memories = 0
    with temporary_memory(store, store_dir, embedder=embedder, llm="none") as (manager, server):
        for conversation, questions in load_questions(path, limit=limit, progress=progress):
            view = manager.scoped(user=conversation.id)
            memories += len(view.remember_many(conversation.items))
            view.flush()
            conversations += 1
            for question in questions:
                found = _recall(view, question)  # the first one loads what later ones share, and is not timed
                recall.measure(_recall, view, question)
                answer = answering.measure(answer_offline, view, question)
                abstained[question.answerable].append(not answer.text)
                if answer.text:
                    expected = question.answer if question.answerable else ""
                    rated.append((answer.confidence, token_f1(answer.text, expected)))
                if question.answerable and question.answer:
                    systems = {
                        "engrain": answer,
                        "top sentence": top_sentence(found, question.text),
                        "top memory": top_memory(found),
                    }
                    for system, given in systems.items():
                        groups.add(system, categories(question), _rate(given, question))
        used = manager.embedder
    return Answers(
        file=Path(path).name,
        embedder=None if used is None else used.id,
        conversations=conversations,
        memories=memories,
        answerable=len(abstained[True]),
        unanswerable=len(abstained[False]),
        systems=groups.cells(),
        abstained=shares(abstained),
        curve=_curve(rated, sum(map(len, abstained.values()))),
        recall_ms=recall.quantiles,
        answer_ms=answering.quantiles,
        server=server,
    )


def _curve(rated: Sequence[tuple[float, float]], questions: int) -> list[tuple[float, float, float, float]]:
    curve = []
    for tenth in range(10):
        kept = [f1 for confidence, f1 in rated if confidence >= tenth / 10]
        count = max(len(kept), 1)
        wrong = sum(f1 < _RIGHT for f1 in kept)
        curve.append((tenth / 10, len(kept) / max(questions, 1), sum(kept) / count, wrong / count))
    return curve


def _recall(view: MemoryManager, question: Question) -> Recall:
    return view.recall(question.text, k=_HITS, now=question.now, touch=False)


def answer_offline(memory: MemoryManager, question: Question) -> Answer:
    """Return the direct answer that a memory gives without a model."""
    given = memory.synthesize(question.text, k=_HITS, now=question.now, touch=False)
    sources = [memory.get(source["memory_id"]) for source in given.sources]
    return Answer(
        given.synthesis["answer"],
        [str(each.metadata.get("turn")) for each in sources if each is not None],
        [source["quote"] for source in given.sources],
        float(given.metadata.get("confidence") or 0.0),
    )


def top_memory(found: Recall) -> Answer:
    """Return the first hit as the answer."""
    return Answer(found[0].content, [_turn(found)], [found[0].content]) if found else Answer("")


def top_sentence(found: Recall, query: str) -> Answer:
    """Return the sentence of the first hit that shares most words with the question."""
    sentences = lines(found[0].content) if found else ()
    if not sentences:
        return top_memory(found)
    worth = weights(query_terms(query), [line.terms for line in sentences])
    best = max(sentences, key=lambda line: share(worth, line.terms))
    return Answer(best.text, [_turn(found)], [best.text])


def _turn(found: Recall) -> str:
    return str(found[0].memory.metadata.get("turn"))


def _rate(answer: Answer, question: Question) -> dict[str, float]:
    return {
        "f1": token_f1(answer.text, question.answer),
        "evidence_quoted": float(not set(question.evidence).isdisjoint(answer.turns)),
        "answer_quoted": float(contained(question.answer, " ".join(answer.quotes)) >= _QUOTED),
    }
