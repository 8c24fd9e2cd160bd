"""Retrieval quality on conversations with marked evidence, beside BM25 and plain vector search in the same run."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from engrain.evaluation.baselines import BM25, Baseline, PlainVector, ranked
from engrain.evaluation.datasets import Conversation, Question, count_questions, load
from engrain.evaluation.figures import Timings, told_of
from engrain.evaluation.importance import Rated, told
from engrain.evaluation.machine import describe_machine
from engrain.evaluation.metrics import CUTS, SEED, auroc, measure, summarise
from engrain.evaluation.places import places
from engrain.manager import MemoryManager
from engrain.model.memory import Memory
from engrain.protocols import Embedder

Progress = Callable[[int, int, str], object]
Span = tuple[float, float, float]

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one group of questions: each metric as mean, low and high end of its 95% interval."""

    questions: int
    metrics: Mapping[str, Span]


@dataclass(frozen=True, slots=True)
class Quality:
    """What an evaluation found: `systems` maps a system and a category to its cell; `overall` is what can be answered.

    `auroc` is how well the best hit's relevance tells answerable questions from others, None without both sorts;
    `abstained` the share of the answerable and of the others from which the recall abstained. `importance` is how often
    evidence is rated above other turns, by group of turns and by rating. Rates and times are CPU time of this process.
    """

    file: str
    embedder: str | None
    k: int
    conversations: int
    memories: int
    answerable: int
    unanswerable: int
    systems: Mapping[str, Mapping[str, Cell]]
    auroc: float | None
    abstained: Mapping[str, float]
    ingest_cpu_seconds: float
    recall_cpu_ms_p50: float
    recall_cpu_ms_p95: float
    importance: Mapping[str, Mapping[str, Span]] = field(default_factory=dict)
    seed: int = SEED
    machine: Mapping[str, str | int] = field(default_factory=describe_machine)
    ingest_seconds: float = 0.0
    recall_ms_p50: float = 0.0
    recall_ms_p95: float = 0.0
    server: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys; each metric is `[mean, low, high]`."""
        return {**asdict(self), "ingest_per_cpu_second": self.ingest_rate}

    @property
    def ingest_rate(self) -> float:
        """Memories written, indexed and embedded per CPU second."""
        return self.memories / self.ingest_cpu_seconds if self.ingest_cpu_seconds else 0.0

    def table(self) -> str:
        """Return the figures as text for people, in percent."""
        lines = [
            f"{self.file}, embedder {self.embedder or 'none'}",
            *told_of(self.server),
            f"{self.conversations:,} conversations, {self.memories:,} memories",
            f"{self.answerable:,} answerable questions, {self.unanswerable:,} others",
            "",
            f"{'':12}" + "".join(f"{title:>{width}}" for title, width, _ in _COLUMNS),
        ]
        for category, first in next(iter(self.systems.values()), {}).items():
            lines.append(f"{category} ({first.questions:,} question{'s' * (first.questions != 1)})")
            lines.extend(f"  {name:10}{_figures(groups[category].metrics)}" for name, groups in self.systems.items())
        rated = "no questions of both sorts" if self.auroc is None else f"AUROC {self.auroc:.3f}"
        lines += [
            "",
            f"Answerable or not, by the best hit's relevance: {rated}",
            *told(self.importance),
            "Abstained: " + ", ".join(f"{share:.1%} of the {name}" for name, share in self.abstained.items()),
            f"Ingest: {self.ingest_rate:,.0f} memories per CPU second, in {self.ingest_seconds:,.1f} s by the clock",
            f"Recall of {self.k}: CPU p50 {self.recall_cpu_ms_p50:.2f} ms, p95 {self.recall_cpu_ms_p95:.2f} ms",
            f"  by the clock p50 {self.recall_ms_p50:.2f} ms, p95 {self.recall_ms_p95:.2f} ms",
            "On " + ", ".join(f"{name} {value}" for name, value in self.machine.items()),
        ]
        return "\n".join(lines)


_COLUMNS: tuple[tuple[str, int, str], ...] = (
    ("R@5", 7, "recall@5"),
    ("R@10", 7, "recall@10"),
    ("95% interval", 16, ""),
    ("R@20", 7, "recall@20"),
    ("any@10", 8, "any@10"),
    ("all@10", 8, "all@10"),
    ("nDCG@10", 9, "ndcg@10"),
    ("MRR", 7, "mrr"),
)


def _figures(metrics: Mapping[str, Span]) -> str:
    _, low, high = metrics["recall@10"]
    cells = {"": f"{low:.1%} - {high:.1%}".replace("%", "")}
    cells.update({name: f"{100 * mean:.1f}" for name, (mean, _, _) in metrics.items()})
    return "".join(f"{cells[name]:>{width}}" for _, width, name in _COLUMNS)


def evaluate(
    path: str | os.PathLike[str],
    *,
    embedder: str | Embedder | None = "auto",
    k: int = 20,
    limit: int | None = None,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Quality:
    """Remember each conversation of a file, ask its questions and measure how much of the evidence comes back.

    The store is a temporary one, in `store_dir` or on the server whose URL `store` is, each conversation a user of its
    own. `limit` caps the questions;
    `progress(done, total, label)` is called after each.
    """
    if k < max(CUTS):
        raise ValueError(f"k is at least {max(CUTS)}, the deepest cut that is measured")
    if limit is not None and limit < 1:
        raise ValueError("limit is at least 1")
    total = 0 if progress is None else count_questions(path, limit)
    with (
        places(store, store_dir, purpose="eval") as made,
        MemoryManager(made.at("memory"), embedder=embedder) as manager,
    ):
        run = _Run(manager, k)
        for conversation, asked in within(load(path), limit):
            for _ in run.steps(conversation, asked):
                if progress is not None:
                    progress(run.questions, total, conversation.id)
        return replace(run.quality(Path(path).name), server=made.server)


def within(
    conversations: Iterator[Conversation], limit: int | None
) -> Iterator[tuple[Conversation, Sequence[Question]]]:
    """Yield conversations with their questions until there have been enough of these."""
    left = limit
    for conversation in conversations:
        asked = tuple(islice(conversation.questions, left))
        yield conversation, asked
        if left is not None and (left := left - len(asked)) <= 0:
            return


class _Run:
    """What has been measured so far."""

    def __init__(self, manager: MemoryManager, k: int) -> None:
        self._manager, self._k = manager, k
        self._conversations = self._memories = 0
        self._ingest = Timings()
        self._recall = Timings()
        self._relevance: dict[bool, list[float]] = {True: [], False: []}
        self._abstained = {True: 0, False: 0}
        self._rated = Rated()
        self._rows: defaultdict[str, defaultdict[str, list[dict[str, float]]]] = defaultdict(lambda: defaultdict(list))

    @property
    def questions(self) -> int:
        return len(self._recall.wall)

    def steps(self, conversation: Conversation, asked: Sequence[Question]) -> Iterator[None]:
        """Remember a conversation and ask about it, one question a step."""
        view = self._manager.scoped(user=conversation.id)
        kept = self._ingest.of(view.remember_many, conversation.items)
        self._ingest.of(view.flush)
        self._rate(conversation, [each.memory for each in kept])
        self._conversations += 1
        self._memories += len(conversation.items)
        turns = [str(item["metadata"]["turn"]) for item in conversation.items]
        baselines = self._baselines(conversation)
        for question in asked:
            self._keep(
                question,
                {
                    "engrain": self._recalled(view, question),
                    **{
                        name: _once(turns[place] for place in ranked(baseline, question.text, self._k))
                        for name, baseline in baselines.items()
                    },
                },
            )
            yield

    def _rate(self, conversation: Conversation, memories: Sequence[Memory | None]) -> None:
        evidence = {turn for question in conversation.questions for turn in question.evidence}
        for item, memory in zip(conversation.items, memories, strict=True):
            if memory is not None:
                asked_for = str(item["metadata"]["turn"]) in evidence
                self._rated.add(memory.content, memory.importance, evidence=asked_for, source=memory.source.type.value)

    def _baselines(self, conversation: Conversation) -> dict[str, Baseline]:
        texts = [f"{item['actor']}: {item['content']}" for item in conversation.items]
        found: dict[str, Baseline] = {"bm25": BM25(texts)}
        if self._manager.embedder is not None:
            found["vector"] = PlainVector(texts, self._manager.embedder)
        return found

    def _recalled(self, view: MemoryManager, question: Question) -> list[str]:
        found = self._recall.of(view.recall, question.text, k=self._k, now=question.now, touch=False)
        self._relevance[question.answerable].append(max((hit.relevance for hit in found), default=0.0))
        self._abstained[question.answerable] += found.abstained
        return _once(str(hit.memory.metadata["turn"]) for hit in found)

    def _keep(self, question: Question, rankings: Mapping[str, Sequence[str]]) -> None:
        if not question.evidence:
            return
        for system, turns in rankings.items():
            row = measure(turns, question.evidence)
            self._rows[system][question.category].append(row)
            if question.answerable:
                self._rows[system][OVERALL].append(row)

    def quality(self, file: str) -> Quality:
        """Return what has been measured."""
        p50, p95, wall50, wall95 = self._recall.quantiles()
        embedder = self._manager.embedder
        return Quality(
            file=file,
            embedder=None if embedder is None else embedder.id,
            k=self._k,
            conversations=self._conversations,
            memories=self._memories,
            answerable=len(self._relevance[True]),
            unanswerable=len(self._relevance[False]),
            systems={
                system: {name: Cell(len(groups[name]), summarise(groups[name])) for name in _ordered(groups)}
                for system, groups in self._rows.items()
            },
            auroc=auroc(self._relevance[True], self._relevance[False]),
            abstained={
                name: self._abstained[kind] / len(self._relevance[kind])
                for kind, name in ((True, "answerable"), (False, "unanswerable"))
                if self._relevance[kind]
            },
            ingest_cpu_seconds=sum(self._ingest.cpu) / 1000,
            recall_cpu_ms_p50=p50,
            recall_cpu_ms_p95=p95,
            ingest_seconds=sum(self._ingest.wall) / 1000,
            recall_ms_p50=wall50,
            recall_ms_p95=wall95,
            importance=self._rated.measured(),
        )


def _ordered(groups: Mapping[str, Sequence[object]]) -> list[str]:
    return sorted(groups, key=lambda name: (name != OVERALL, name))


def _once(turns: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(turns))
