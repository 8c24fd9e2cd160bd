"""A language model that says whether hits answer a question, and how to ask better where they do not."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.llm.mind import Mind
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one
from recollect.protocols import Grade
from recollect.results import Hit

_SHOWN = 8  # hits
_LONGEST = 1_000  # characters of each


@dataclass
class _Entry:
    """A grade as a model writes it down."""

    sufficient: bool
    confidence: float | None = None
    query: str | None = None


class ModelGrader(Mind):
    """Grades hits by asking a language model.

    Raises what the model raises, and `ProviderError` when it answers twice with nothing that is a grade.
    """

    def grade(self, query: str, hits: Sequence[Hit]) -> Grade:
        """Return whether the best of the hits answer the question; the first eight are shown."""
        found = [
            {"n": n, "since": hit.memory.valid_from.date().isoformat(), "says": hit.content[:_LONGEST]}
            for n, hit in enumerate(hits[:_SHOWN], start=1)
        ]
        record = json.dumps({"question": query, "found": found}, ensure_ascii=False, indent=0)
        entry = asked(self._llm, prompt("grade"), one(_Entry), record=record)
        words = None if entry.sufficient else (entry.query or "").strip() or None
        return Grade(sufficient=entry.sufficient, confidence=_share(entry.confidence), reformulation=words)


def _share(confidence: float | None) -> float:
    if confidence is None or not math.isfinite(confidence):
        return 1.0
    return min(max(confidence, 0.0), 1.0)
