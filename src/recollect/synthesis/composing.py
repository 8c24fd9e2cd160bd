"""Answers told by a language model, and held to their sources: what it cites must be there, word for word.

A sentence that cites nothing, cites a memory that it was not shown, quotes what does not stand there, or has a number
that its memories do not have, is left out. When nothing is left it is asked once more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recollect.answers import Format
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one
from recollect.protocols import LLM
from recollect.synthesis.founded import shown
from recollect.synthesis.parts import Evidence
from recollect.synthesis.replying import Composed, Reader, Reply

__all__ = ["Composed", "compose"]

_TOGETHER = 24_000  # characters of memories that are shown
_ANSWER = {  # tokens
    Format.DIRECT_ANSWER: 700,
    Format.SYNTHESIZED_BRIEF: 1200,
    Format.TIMELINE_ANALYSIS: 1500,
    Format.RELATIONSHIP_MAP: 1500,
}


def compose(llm: LLM, form: Format, evidence: Evidence) -> Composed:
    """Ask a model for an answer; raises `ProviderError` when it twice gives none that follows from its sources."""

    def read(answer: str) -> Composed:
        return Reader(form, evidence).read(one(Reply)(answer))

    memories = json.dumps(list(_shown(evidence)), ensure_ascii=False, indent=0)
    most = _ANSWER[form]
    return asked(llm, prompt(form.value), read, max_tokens=most, question=evidence.query, memories=memories)


def _shown(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Yield the memories as a model is shown them, each as much as there is room for."""
    left = _TOGETHER
    for number, quote in enumerate(evidence.quotes, start=1):
        memory = quote.memory
        text = shown(memory.content, quote.text)[: max(left, 0)]
        left -= len(text)
        if not text:
            return
        told = {"memory": number, "date": memory.valid_from.date().isoformat(), "source": memory.source.type.value}
        by = {"by": memory.actor} if memory.actor else {}
        yield {**told, **by, **({"disputed": True} if quote.hit.contested else {}), "text": text}
