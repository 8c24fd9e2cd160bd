"""What each ingredient of the default ranking is worth: the same questions with all of them, and without one."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from engrain.arguments import Ranking
from engrain.evaluation.datasets import count_questions, load
from engrain.evaluation.machine import describe_machine
from engrain.evaluation.metrics import CUTS, SEED, measure, summarise
from engrain.evaluation.places import places
from engrain.evaluation.quality import within
from engrain.manager import MemoryManager
from engrain.policies.fusion import Convex
from engrain.protocols import Embedder

Progress = Callable[[int, int, str], object]
Span = tuple[float, float, float]

FULL = "everything"
METRICS = ("recall@5", "recall@10", "recall@20", "ndcg@10")
_POLICIES: Sequence[Ranking] = ("rrf", "intent_blend", "recency_similarity_importance", "similarity_importance_recency")


@dataclass(frozen=True, slots=True)
class Ablation:
    """What the default ranking finds, and how that changes with another: each metric as mean and ends of its interval.

    `changes` maps what was left out, or another policy's name, to differences on the same questions (below 0: it finds
    less), with paired 95% intervals.
    """

    file: str
    embedder: str | None
    questions: int
    full: Mapping[str, Span]
    changes: Mapping[str, Mapping[str, Span]]
    seed: int = SEED
    machine: Mapping[str, str | int] = field(default_factory=describe_machine)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys; each metric is `[mean, low, high]`."""
        return asdict(self)

    def table(self) -> str:
        """Return the figures as text for people, in points of a hundred."""
        titles = "".join(f"{name:>11}" for name in ("R@5", "R@10", "R@20", "nDCG@10"))
        whole = "".join(f"{100 * self.full[name][0]:>11.1f}" for name in METRICS)
        lines = [
            f"{self.file}, embedder {self.embedder or 'none'}, {self.questions:,} answerable questions",
            "",
            f"{'':34}{titles}   R@10, 95% interval",
            f"{FULL:34}{whole}",
        ]
        for name, change in self.changes.items():
            cells = "".join(f"{100 * change[metric][0]:>+11.1f}" for metric in METRICS)
            _, low, high = change["recall@10"]
            lines.append(f"{name:34}{cells}   {100 * low:+.1f} to {100 * high:+.1f}")
        return "\n".join(lines)


def ablate(
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

    Arguments as in `engrain.evaluation.quality.evaluate`.
    """
    if k < max(CUTS):
        raise ValueError(f"k is at least {max(CUTS)}, the deepest cut that is measured")
    if limit is not None and limit < 1:
        raise ValueError("limit is at least 1")
    total, done = 0 if progress is None else count_questions(path, limit), 0
    variants = _variants()
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in variants}
    with (
        places(store, store_dir, purpose="eval") as made,
        MemoryManager(made.at("memory"), embedder=embedder) as manager,
    ):
        for conversation, asked in within(load(path), limit):
            view = manager.scoped(user=conversation.id)
            view.remember_many(conversation.items)
            view.flush()
            for question in asked:
                done += 1
                if question.answerable and question.evidence:
                    for name, ranking in variants.items():
                        found = view.recall(question.text, k=k, now=question.now, ranking=ranking, touch=False)
                        turns = list(dict.fromkeys(str(hit.memory.metadata["turn"]) for hit in found))
                        rows[name].append(measure(turns, question.evidence))
                if progress is not None:
                    progress(done, total, conversation.id)
        used = manager.embedder
    full = rows.pop(FULL)
    return Ablation(
        file=Path(path).name,
        embedder=None if used is None else used.id,
        questions=len(full),
        full=summarise(full),
        changes={name: _differences(found, full) for name, found in rows.items()} if full else {},
    )


def _variants() -> dict[str, Ranking]:
    """Return the rankings that are compared: the default, it without each ingredient, and the other policies."""
    without = {f"without {f.name.replace('_', ' ')}": replace(Convex(), **{f.name: 0.0}) for f in fields(Convex)}
    return {FULL: Convex(), **without, **{str(name): name for name in _POLICIES}}


def _differences(found: Sequence[Mapping[str, float]], full: Sequence[Mapping[str, float]]) -> dict[str, Span]:
    pairs = zip(found, full, strict=True)
    return summarise([{name: one[name] - other[name] for name in other} for one, other in pairs])
