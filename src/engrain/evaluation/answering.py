"""How good answers are that are made without a model, beside those that are one memory as it stands."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from engrain.evaluation.datasets import Conversation, Question, count_questions, load
from engrain.evaluation.figures import Timings, told_of
from engrain.evaluation.machine import describe_machine
from engrain.evaluation.metrics import SEED, contained, summarise, token_f1
from engrain.evaluation.places import places
from engrain.evaluation.quality import OVERALL, Cell, Progress, within
from engrain.manager import MemoryManager
from engrain.model.results import Recall
from engrain.protocols import Embedder
from engrain.synthesis.evidence import lines, share, terms_of, weights

_HELD = 0.8  # of the expected words: with so many in the quotes the answer stands in them
_HITS = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and what it quotes: the turns and their words. Without quotes it abstained."""

    text: str
    turns: Sequence[str] = ()
    quotes: Sequence[str] = ()


def answer(memory: MemoryManager, question: Question) -> Answered:
    """Return the direct answer that a memory gives without a model."""
    given = memory.synthesize(question.text, k=_HITS, now=question.now, touch=False)
    held = [memory.get(source["memory_id"]) for source in given.sources]
    return Answered(
        given.synthesis["answer"],
        [str(each.metadata["turn"]) for each in held if each is not None],
        [source["quote"] for source in given.sources],
    )


def top_memory(found: Recall) -> Answered:
    """Return the first hit as the answer."""
    return Answered(found[0].content, [_turn(found)], [found[0].content]) if found else Answered("")


def top_sentence(found: Recall, query: str) -> Answered:
    """Return the sentence of the first hit that shares most words with the question."""
    some = lines(found[0].content) if found else ()
    if not some:
        return top_memory(found)
    worth = weights(terms_of(query), [line.terms for line in some])
    best = max(some, key=lambda line: share(worth, line.terms))
    return Answered(best.text, [_turn(found)], [best.text])


def _turn(found: Recall) -> str:
    return str(found[0].memory.metadata["turn"])


@dataclass(frozen=True, slots=True)
class Answers:
    """What an evaluation of answers found: `systems` maps a system and a category to its cell, `overall` to all.

    Only questions with an answer are measured. `abstained` is the share of the answerable and of the other questions to
    which nothing was answered. Times are CPU time of this process: of the recall, and of the answer with its recall.
    """

    file: str
    embedder: str | None
    conversations: int
    memories: int
    answerable: int
    unanswerable: int
    systems: Mapping[str, Mapping[str, Cell]]
    abstained: Mapping[str, float]
    recall_cpu_ms_p50: float
    recall_cpu_ms_p95: float
    answer_cpu_ms_p50: float
    answer_cpu_ms_p95: float
    seed: int = SEED
    machine: Mapping[str, str | int] = field(default_factory=describe_machine)
    recall_ms_p50: float = 0.0
    recall_ms_p95: float = 0.0
    answer_ms_p50: float = 0.0
    answer_ms_p95: float = 0.0
    server: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys; each metric is `[mean, low, high]`."""
        return asdict(self)

    def table(self) -> str:
        """Return the figures as text for people, in percent."""
        titles = "".join(f"{title:>{width}}" for title, width in _COLUMNS)
        lines = [
            f"{self.file}, embedder {self.embedder or 'none'}",
            *told_of(self.server),
            f"{self.conversations:,} conversations, {self.memories:,} memories",
            f"{self.answerable:,} answerable questions, {self.unanswerable:,} others",
            "",
            f"{'':18}{titles}",
        ]
        for category, first in next(iter(self.systems.values()), {}).items():
            lines.append(f"{category} ({first.questions:,} question{'s' * (first.questions != 1)})")
            lines += [f"  {name:16}{_figures(groups[category].metrics)}" for name, groups in self.systems.items()]
        shares = ", ".join(f"{share:.1%} of the {name}" for name, share in self.abstained.items())
        return "\n".join(
            [
                *lines,
                "",
                f"Abstained: {shares or 'no questions'}",
                f"Recall of {_HITS}: CPU p50 {self.recall_cpu_ms_p50:.2f} ms, p95 {self.recall_cpu_ms_p95:.2f} ms",
                f"  by the clock p50 {self.recall_ms_p50:.2f} ms, p95 {self.recall_ms_p95:.2f} ms",
                f"Answer with it: CPU p50 {self.answer_cpu_ms_p50:.2f} ms, p95 {self.answer_cpu_ms_p95:.2f} ms",
                f"  by the clock p50 {self.answer_ms_p50:.2f} ms, p95 {self.answer_ms_p95:.2f} ms",
                "On " + ", ".join(f"{name} {value}" for name, value in self.machine.items()),
            ]
        )


_COLUMNS = (("F1", 7), ("95% interval", 16), ("evidence", 10), ("answer held", 13))


def _figures(metrics: Mapping[str, tuple[float, float, float]]) -> str:
    mean, low, high = metrics["f1"]
    cells = [f"{100 * mean:.1f}", f"{100 * low:.1f} - {100 * high:.1f}"]
    cells += [f"{100 * metrics[name][0]:.1f}" for name in ("evidence_quoted", "answer_held")]
    return "".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, _COLUMNS, strict=True))


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

    The store is a temporary one, in `store_dir` or on the server whose URL `store` is, each conversation a user of its
    own. `limit` caps the questions;
    `progress(done, total, label)` is called after each.
    """
    if limit is not None and limit < 1:
        raise ValueError("limit is at least 1")
    total = 0 if progress is None else count_questions(path, limit)
    with (
        places(store, store_dir, purpose="eval") as made,
        MemoryManager(made.at("memory"), embedder=embedder, llm="none") as manager,
    ):
        run = _Run(manager)
        for conversation, asked in within(load(path), limit):
            for _ in run.steps(conversation, asked):
                if progress is not None:
                    progress(run.questions, total, conversation.id)
        return replace(run.answers(Path(path).name), server=made.server)


class _Run:
    """What has been measured so far."""

    def __init__(self, manager: MemoryManager) -> None:
        self._manager = manager
        self._conversations = self._memories = 0
        self._recall, self._answer = Timings(), Timings()
        self._abstained: dict[bool, list[bool]] = {True: [], False: []}
        self._rows: defaultdict[str, defaultdict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))

    @property
    def questions(self) -> int:
        return len(self._answer.wall)

    def steps(self, conversation: Conversation, asked: Sequence[Question]) -> Iterator[None]:
        """Remember a conversation and ask about it, one question a step."""
        view = self._manager.scoped(user=conversation.id)
        view.remember_many(conversation.items)
        view.flush()
        self._conversations += 1
        self._memories += len(conversation.items)
        for question in asked:
            found = self._recalled(view, question)  # what a first look costs is no question's
            self._recall.of(self._recalled, view, question)
            answered = self._answer.of(answer, view, question)
            self._abstained[question.answerable].append(not answered.quotes)
            if question.answerable and question.answer:
                self._keep(question, "engrain", answered)
                self._keep(question, "top sentence", top_sentence(found, question.text))
                self._keep(question, "top memory", top_memory(found))
            yield

    def _recalled(self, view: MemoryManager, question: Question) -> Recall:
        return view.recall(question.text, k=_HITS, now=question.now, touch=False)

    def _keep(self, question: Question, system: str, answered: Answered) -> None:
        row = {
            "f1": token_f1(answered.text, question.answer),
            "evidence_quoted": float(not set(question.evidence).isdisjoint(answered.turns)),
            "answer_held": float(contained(question.answer, " ".join(answered.quotes)) >= _HELD),
        }
        self._rows[system][question.category].append(row)
        self._rows[system][OVERALL].append(row)

    def answers(self, file: str) -> Answers:
        """Return what has been measured."""
        recalls, answers = self._recall.quantiles(), self._answer.quantiles()
        embedder = self._manager.embedder
        return Answers(
            file=file,
            embedder=None if embedder is None else embedder.id,
            conversations=self._conversations,
            memories=self._memories,
            answerable=len(self._abstained[True]),
            unanswerable=len(self._abstained[False]),
            systems={
                system: {name: Cell(len(groups[name]), summarise(groups[name])) for name in _ordered(groups)}
                for system, groups in self._rows.items()
            },
            abstained={
                name: sum(self._abstained[kind]) / len(self._abstained[kind])
                for kind, name in ((True, "answerable"), (False, "unanswerable"))
                if self._abstained[kind]
            },
            recall_cpu_ms_p50=recalls[0],
            recall_cpu_ms_p95=recalls[1],
            answer_cpu_ms_p50=answers[0],
            answer_cpu_ms_p95=answers[1],
            recall_ms_p50=recalls[2],
            recall_ms_p95=recalls[3],
            answer_ms_p50=answers[2],
            answer_ms_p95=answers[3],
        )


def _ordered(groups: Mapping[str, Sequence[object]]) -> list[str]:
    return sorted(groups, key=lambda name: (name != OVERALL, name))
