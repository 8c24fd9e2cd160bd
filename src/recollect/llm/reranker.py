"""A language model that says how well each text answers a question."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.llm.mind import Mind
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, several

AT_ONCE = 25  # texts of one call
LONGEST = 800  # characters of a text that are read
_TOP = 10.0


@dataclass
class _Mark:
    """What one text is given, as a model writes it down."""

    n: int
    score: float


class ModelReranker(Mind):
    """Scores texts from 0 to 10 by asking a language model, so many at a time, each cut to its beginning.

    Raises what the model raises, and `ProviderError` when it twice leaves a text without a score.
    """

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """Return one score for each text; for no texts nobody is asked."""
        scores: list[float] = []
        for start in range(0, len(documents), AT_ONCE):
            scores += self._some(query, documents[start : start + AT_ONCE])
        return scores

    def _some(self, query: str, documents: Sequence[str]) -> list[float]:
        texts = [{"n": n, "says": text[:LONGEST]} for n, text in enumerate(documents, start=1)]
        record = json.dumps({"question": query, "texts": texts}, ensure_ascii=False, indent=0)
        return asked(self._llm, prompt("rerank"), partial(_scores, len(documents)), record=record)


def _scores(count: int, answer: str) -> list[float]:
    """Return the scores of an answer in the order of the texts; raises `ValueError` when one has none."""
    marks = {mark.n: mark.score for mark in several(_Mark)(answer) if math.isfinite(mark.score)}
    if not marks.keys() >= set(range(1, count + 1)):
        raise ValueError(f"it does not give each of the {count} texts a score")
    return [min(max(marks[n], 0.0), _TOP) for n in range(1, count + 1)]
