"""What a ranking must beat: plain BM25 and plain vector search over the same texts with the same embedder."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from engrain.arrays import Floats, Ints, np
from engrain.language.tokens import counts, query_terms
from engrain.protocols import Embedder

_BLOCK = 256


class Baseline(Protocol):
    """Scores every text of a conversation against a question."""

    def scores(self, question: str) -> Floats: ...


def ranked(baseline: Baseline, question: str, k: int) -> Ints:
    """Return the places of the k best texts, best first, the earlier first among equals, none that does not match."""
    scores = baseline.scores(question)
    order = np.argsort(-scores, kind="stable")[:k]
    best: Ints = order[scores[order] > 0]
    return best


class BM25:
    """Robertson's BM25 over stemmed words, stop words dropped from the question, constants fit for short texts."""

    def __init__(self, texts: Sequence[str], *, k1: float = 0.9, b: float = 0.4) -> None:
        found = [counts(text) for text in texts]
        lengths = np.array([sum(terms.values()) for terms in found], np.float32)
        self._norms = k1 * (1 - b + b * lengths / max(lengths.mean(), 1.0))
        self._gain = k1 + 1
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, terms in enumerate(found):
            for term, count in terms.items():
                self._postings[term].append((place, count))

    def scores(self, question: str) -> Floats:
        """Return the score of each text, 0 where none of the question's words occur."""
        total: Floats = np.zeros(len(self._norms), np.float32)
        for term in set(query_terms(question)):
            postings = self._postings.get(term)
            if postings:
                places, times = np.array(postings).T
                idf = math.log(1 + (len(total) - len(places) + 0.5) / (len(places) + 0.5))
                total[places] += idf * times * self._gain / (times + self._norms[places])
        return total


class PlainVector:
    """The cosine between the embedder's vectors of question and text, as the embedder makes them."""

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._embed = getattr(embedder, "embed_query", lambda text: embedder.embed([text])[0])
        blocks = [texts[start : start + _BLOCK] for start in range(0, len(texts), _BLOCK)]
        self._vectors = np.concatenate([_unit(embedder.embed(block)) for block in blocks])

    def scores(self, question: str) -> Floats:
        """Return the cosine of each text, 0 for one without a vector."""
        scores: Floats = self._vectors @ _unit([self._embed(question)])[0]
        return scores


def _unit(vectors: Sequence[Sequence[float]] | Floats) -> Floats:
    table: Floats = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    unit: Floats = np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
    return unit
