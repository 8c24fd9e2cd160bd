"""Metrics of rankings and answers: pure functions, their bootstrapped intervals, and groups of questions."""

from __future__ import annotations

import math
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int64]
Interval: TypeAlias = tuple[float, float, float]
"""A mean, and the ends of its 95% interval."""

CUTS = (5, 10, 20)
SEED = 20240229
OVERALL = "overall"
_ROUNDS = 2000
_LEVEL = 0.95
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = frozenset(("a", "an", "the"))


def recall_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Return the share of the evidence among the first k."""
    return len(set(evidence).intersection(ranked[:k])) / len(set(evidence))


def ndcg_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Return the normalised discounted cumulative gain of the first k; 1.0 when the evidence comes first."""
    wanted = set(evidence)
    gain = sum(1 / math.log2(rank + 1) for rank, turn in enumerate(ranked[:k], start=1) if turn in wanted)
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """Return 1 / the rank of the first turn of evidence, 0.0 when none was found."""
    wanted = set(evidence)
    return next((1 / rank for rank, turn in enumerate(ranked, start=1) if turn in wanted), 0.0)


def measure(ranked: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Return every metric of one question by name.

    Args:
        ranked: Turn ids, best first, none twice.
        evidence: The turns that hold the answer; not empty.
    """
    recalls = {k: recall_at(ranked, evidence, k) for k in CUTS}
    return {
        **{f"recall@{k}": recall for k, recall in recalls.items()},
        **{f"any@{k}": float(recall > 0) for k, recall in recalls.items()},
        **{f"all@{k}": float(recall == 1) for k, recall in recalls.items()},
        "ndcg@10": ndcg_at(ranked, evidence, 10),
        "mrr": reciprocal_rank(ranked, evidence),
    }


def answer_tokens(text: str) -> list[str]:
    """Return the words by which answers are compared: lower case, without punctuation and articles."""
    return [word for word in text.lower().translate(_PUNCTUATION).split() if word not in _ARTICLES]


def token_f1(answer: str, expected: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's words; 1.0 when both have none."""
    given, wanted = answer_tokens(answer), answer_tokens(expected)
    if not given or not wanted:
        return float(given == wanted)
    common = (Counter(given) & Counter(wanted)).total()
    return 2 * common / (len(given) + len(wanted))


def contained(expected: str, text: str) -> float:
    """Return the share of an expected answer's words that are in a text, 0.0 when it has none."""
    wanted = Counter(answer_tokens(expected))
    return (wanted & Counter(answer_tokens(text))).total() / wanted.total() if wanted else 0.0


def summarise(rows: Sequence[Mapping[str, float]], *, seed: int = SEED) -> dict[str, Interval]:
    """Return the mean of each metric over the questions, with its bootstrapped 95% interval."""
    if not rows:
        return {}
    table = np.array([[row[name] for name in rows[0]] for row in rows])
    draws = np.random.default_rng(seed).multinomial(len(rows), [1 / len(rows)] * len(rows), size=_ROUNDS)
    means = draws @ table / len(rows)
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2], axis=0)
    return {
        name: (float(mean), float(least), float(most))
        for name, mean, least, most in zip(rows[0], table.mean(axis=0), low, high, strict=True)
    }


def shares_below(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return for each value the share of the others that it is above, equals counting half."""
    return [float(share) for share in _wins(values, others) / (2 * len(others))]


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Return how often a positive scores above a negative (ties count half), None when either is missing."""
    if not positives or not negatives:
        return None
    return float(_wins(positives, negatives).sum() / (2 * len(positives) * len(negatives)))


def _wins(values: Sequence[float], others: Sequence[float]) -> Ints:
    """Return for each value twice the number of others that it is above, equals counting half."""
    ordered = np.sort(np.asarray(others, dtype=np.float64))
    return np.searchsorted(ordered, values, side="left") + np.searchsorted(ordered, values, side="right")


# -------------------------------------------------------------------------------------------------------------- groups


@dataclass(frozen=True, slots=True)
class Cell:
    """One system on one group of questions."""

    questions: int
    metrics: Mapping[str, Interval]


class Groups:
    """Metrics of questions by system and by group, `overall` first."""

    def __init__(self) -> None:
        self._rows: defaultdict[str, defaultdict[str, list[Mapping[str, float]]]]
        self._rows = defaultdict(lambda: defaultdict(list))

    def add(self, system: str, groups: Collection[str], row: Mapping[str, float]) -> None:
        """Add the metrics of one question to some groups."""
        for group in groups:
            self._rows[system][group].append(row)

    def cells(self) -> dict[str, dict[str, Cell]]:
        """Return the mean of each metric by system and group."""
        return {
            system: {
                name: Cell(len(groups[name]), summarise(groups[name]))
                for name in sorted(groups, key=lambda name: (name != OVERALL, name))
            }
            for system, groups in self._rows.items()
        }


Column: TypeAlias = tuple[str, int, Callable[[Mapping[str, Interval]], str]]
"""A title, a width and what a cell shows of the metrics."""


def percent(name: str) -> Callable[[Mapping[str, Interval]], str]:
    """Return a cell with the mean of a metric in percent."""
    return lambda metrics: f"{100 * metrics[name][0]:.1f}"


def percent_interval(name: str) -> Callable[[Mapping[str, Interval]], str]:
    """Return a cell with the 95% interval of a metric in percent."""
    return lambda metrics: f"{100 * metrics[name][1]:.1f} - {100 * metrics[name][2]:.1f}"


def cell_lines(systems: Mapping[str, Mapping[str, Cell]], columns: Sequence[Column], width: int) -> list[str]:
    """Return the cells as lines of text: each group, and in it a line for each system."""
    lines = [" " * (width + 2) + "".join(f"{title:>{size}}" for title, size, _ in columns)]
    for group, first in next(iter(systems.values()), {}).items():
        lines.append(f"{group} ({first.questions:,} question{'s' * (first.questions != 1)})")
        for name, groups in systems.items():
            cells = "".join(f"{show(groups[group].metrics):>{size}}" for _, size, show in columns)
            lines.append(f"  {name:{width}}{cells}")
    return lines
