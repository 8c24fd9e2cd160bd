"""What a store must answer, worked out plainly: BM25 by its formula, exact cosines, and filters by `passes`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from engrain.arrays import Floats, np
from engrain.model.filters import passes

__all__ = ["SESSION_B", "SESSION_K1", "bm25", "cosines", "passes"]

K1, B = 0.9, 0.4
SESSION_K1, SESSION_B = 1.2, 0.75


def bm25(
    documents: Mapping[int, Sequence[str]], terms: Mapping[str, float], *, k1: float = K1, b: float = B
) -> dict[int, float]:
    """Return the BM25 score of each document (a number and its terms) that holds a term; one namespace's worth."""
    counts = {num: Counter(words) for num, words in documents.items()}
    mean = max(sum(map(len, documents.values())) / max(len(documents), 1), 1.0)
    scores: dict[int, float] = {}
    for term, weight in terms.items():
        holders = [num for num, count in counts.items() if count[term]]
        idf = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for num in holders:
            tf = counts[num][term]
            gain = tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(documents[num]) / mean))
            scores[num] = scores.get(num, 0.0) + weight * idf * gain
    return scores


def cosines(rows: Sequence[Sequence[float]] | Floats, vector: Sequence[float] | Floats) -> list[float]:
    """Return the cosine of each row with the vector, in double precision."""
    matrix, one = np.asarray(rows, dtype=np.float64), np.asarray(vector, dtype=np.float64)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(one)
    return [float(value) for value in (matrix @ one) / np.where(norms == 0, 1.0, norms)]
