"""How well a ranking finds the evidence: pure functions from ranked turn ids to numbers, and their intervals."""

from __future__ import annotations

import math
import string
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from engrain.arrays import Floats, np

CUTS = (5, 10, 20)
SEED = 20240229
_UNMARKED = str.maketrans("", "", string.punctuation)
_ARTICLES = frozenset(("a", "an", "the"))
_ROUNDS = 2000
_LEVEL = 0.95


def recall_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Return the share of the evidence among the first k."""
    return len(set(evidence).intersection(ranked[:k])) / len(set(evidence))


def ndcg_at(ranked: Sequence[str], evidence: Collection[str], k: int) -> float:
    """Return the discounted gain of the first k, 1.0 when the evidence stands before all else."""
    wanted = set(evidence)
    gain = sum(1 / math.log2(rank + 1) for rank, turn in enumerate(ranked[:k], start=1) if turn in wanted)
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), k) + 1))


def reciprocal_rank(ranked: Sequence[str], evidence: Collection[str]) -> float:
    """Return 1 / the rank of the first turn of evidence, 0.0 when none was found."""
    wanted = set(evidence)
    return next((1 / rank for rank, turn in enumerate(ranked, start=1) if turn in wanted), 0.0)


def measure(ranked: Sequence[str], evidence: Collection[str]) -> dict[str, float]:
    """Return every metric of one question by name; the evidence must not be empty, and no turn be ranked twice."""
    recalls = {k: recall_at(ranked, evidence, k) for k in CUTS}
    return {
        **{f"recall@{k}": recall for k, recall in recalls.items()},
        **{f"any@{k}": float(recall > 0) for k, recall in recalls.items()},
        **{f"all@{k}": float(recall == 1) for k, recall in recalls.items()},
        "ndcg@10": ndcg_at(ranked, evidence, 10),
        "mrr": reciprocal_rank(ranked, evidence),
    }


def answer_tokens(text: str) -> list[str]:
    """Return the words by which answers are compared: in small letters, without punctuation and articles."""
    return [word for word in text.lower().translate(_UNMARKED).split() if word not in _ARTICLES]


def token_f1(answer: str, expected: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's words; 1.0 when both have none."""
    said, wanted = answer_tokens(answer), answer_tokens(expected)
    if not said or not wanted:
        return float(said == wanted)
    common = (Counter(said) & Counter(wanted)).total()
    return 2 * common / (len(said) + len(wanted))


def contained(expected: str, text: str) -> float:
    """Return the share of an expected answer's words that are in a text, 0.0 when it has none."""
    wanted = Counter(answer_tokens(expected))
    return (wanted & Counter(answer_tokens(text))).total() / wanted.total() if wanted else 0.0


def summarise(rows: Sequence[Mapping[str, float]], *, seed: int = SEED) -> dict[str, tuple[float, float, float]]:
    """Return the mean of each metric over the questions, with its bootstrapped 95% interval: `(mean, low, high)`."""
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


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Return how often a positive scores above a negative (ties count half), None when either is missing."""
    if not positives or not negatives:
        return None
    below: Floats = np.sort(np.asarray(negatives, dtype=np.float64))
    wins = np.searchsorted(below, positives, side="left") + np.searchsorted(below, positives, side="right")
    return float(wins.sum() / (2 * len(positives) * len(negatives)))
