"""What each ingredient of the default ranking is worth: the same questions with all of them, and without one.

Ingredients are the lists that are scored (words, meaning, graph, ...), the boosts, the retrievers that bring
candidates, and the links of hits.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path

from benchmarks.datasets import load_questions
from benchmarks.metrics import SEED, Interval, measure, summarise
from benchmarks.report import Progress, Report, server_note
from benchmarks.retrieval import check_depth, found_turns
from benchmarks.stores import temporary_memory
from engrain import Hit
from engrain.arguments import Ranking
from engrain.model.choices import RankingName
from engrain.policies import Convex
from engrain.protocols import Embedder

FULL = "everything"
METRICS = {"R@5": "recall@5", "R@10": "recall@10", "R@20": "recall@20", "nDCG@10": "ndcg@10"}
MINOR = ("importance", "recency", "strength", "diversity")
ADDED = {"importance": 0.1, "recency": 0.02, "strength": 0.05}  # without a weight by default, and tried with this one
POLICIES: Sequence[RankingName] = (
    "rrf",
    "intent_blend",
    "recency_similarity_importance",
    "similarity_importance_recency",
)
RETRIEVERS = {"words": ["words"], "vectors": ["meaning"], "time": ["time"], "graph": ["graph"], "neighbours": []}
"""The lists that a hit is in, by its signals, when one retriever alone brought it."""


@dataclass(frozen=True, slots=True)
class Variant:
    """How a recall differs from the default."""

    ranking: Ranking = "convex"
    include_links: bool = True


@dataclass(frozen=True, slots=True)
class WithoutTrust:
    """The default score without the boost for trust, which has no weight."""

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the score divided by the boost."""
        return hit.score / next((signal.value for signal in hit.signals if signal.name == "x trust"), 1.0)


@dataclass(frozen=True, slots=True)
class WithoutRetriever:
    """The default score, and 0 for what only one retriever brought: the one whose hits are in these `lists` alone."""

    lists: Sequence[str]

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the score, or 0."""
        return 0.0 if [signal.name for signal in hit.signals if signal.rank] == self.lists else hit.score


def variants() -> dict[str, Variant]:
    """Return what is compared: the default, without each ingredient or with one it does not weigh, other policies."""
    names = [each.name for each in fields(Convex) if each.name not in ADDED]
    without = {f"without {name.replace('_', ' ')}": Variant(replace(Convex(), **{name: 0.0})) for name in names}
    return {
        FULL: Variant(),
        **without,
        **{f"with {name} {weight:g}": Variant(Convex(**{name: weight})) for name, weight in ADDED.items()},
        f"with {', '.join(ADDED)}": Variant(Convex(**ADDED)),
        f"without {', '.join(MINOR)}": Variant(replace(Convex(), **dict.fromkeys(MINOR, 0.0))),
        "without trust": Variant(WithoutTrust()),
        "without links": Variant(include_links=False),
        **{f"without what only {name} found": Variant(WithoutRetriever(lists)) for name, lists in RETRIEVERS.items()},
        **{name: Variant(name) for name in POLICIES},
    }


@dataclass(frozen=True, kw_only=True)
class Ablation(Report):
    """What the default ranking finds, and how that changes with another.

    `changes` maps what was left out, or another policy's name, to differences on the same questions (below 0: it finds
    less), with paired 95% intervals.
    """

    file: str
    embedder: str | None
    questions: int
    full: Mapping[str, Interval]
    changes: Mapping[str, Mapping[str, Interval]]
    server: Mapping[str, str] = field(default_factory=dict)
    seed: int = SEED

    def lines(self) -> list[str]:
        lines = [
            f"{self.file}, embedder {self.embedder or 'none'}, {self.questions:,} answerable questions",
            *server_note(self.server),
            "",
            f"{'':50}{''.join(f'{title:>9}' for title in METRICS)}   R@10, 95% interval",
        ]
        if self.full:
            lines.append(f"{FULL:50}" + "".join(f"{100 * self.full[metric][0]:>9.1f}" for metric in METRICS.values()))
        for name, change in self.changes.items():
            cells = "".join(f"{100 * change[metric][0]:>+9.1f}" for metric in METRICS.values())
            _, low, high = change["recall@10"]
            lines.append(f"{name:50}{cells}   {100 * low:+.1f} to {100 * high:+.1f}")
        return [*lines, ""]


def evaluate(
    path: str | os.PathLike[str],
    *,
    embedder: str | Embedder | None = "auto",
    k: int = 20,
    limit: int | None = None,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Ablation:
    """Remember each conversation of a file once and ask its answerable questions with every variant of the ranking.

    The arguments are those of `benchmarks.retrieval.evaluate`.
    """
    check_depth(k)
    compared = variants()
    rows: dict[str, list[Mapping[str, float]]] = {name: [] for name in compared}
    with temporary_memory(store, store_dir, embedder=embedder) as (manager, server):
        for conversation, questions in load_questions(path, limit=limit, progress=progress):
            view = manager.scoped(user=conversation.id)
            view.remember_many(conversation.items)
            view.flush()
            for question in questions:
                if not question.answerable or not question.evidence:
                    continue
                for name, variant in compared.items():
                    found = view.recall(
                        question.text,
                        k=k,
                        now=question.now,
                        ranking=variant.ranking,
                        include_links=variant.include_links,
                        touch=False,
                    )
                    rows[name].append(measure(found_turns(found), question.evidence))
        used = manager.embedder
    full = rows.pop(FULL)
    return Ablation(
        file=Path(path).name,
        embedder=None if used is None else used.id,
        questions=len(full),
        full=summarise(full),
        changes={name: _differences(found, full) for name, found in rows.items()} if full else {},
        server=server,
    )


def _differences(found: Sequence[Mapping[str, float]], full: Sequence[Mapping[str, float]]) -> dict[str, Interval]:
    pairs = zip(found, full, strict=True)
    return summarise([{name: one[name] - other[name] for name in other} for one, other in pairs])
