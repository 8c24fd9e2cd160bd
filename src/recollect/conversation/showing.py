"""Conversations as pieces of what a model is shown: turns with the weight of their age, summaries, facts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from recollect.conversation.evicting import counted
from recollect.conversationdoor import RecencyScorer
from recollect.foreign import guard
from recollect.models import ContextItem, KeyFact, MemoryEntry, Turn
from recollect.policies.recency import LinearRecencyScorer
from recollect.protocols import Tokenizer

FACT_PRIORITY = 8
SUMMARY_SCORE = 0.5
_DEFAULT = LinearRecencyScorer()


def shown_turns(turns: Sequence[Turn], priority: int, scorer: RecencyScorer | None) -> list[ContextItem]:
    """Return an item for each turn: its text as it is, its role in the metadata, its age in the score."""
    return [
        ContextItem(
            content=turn.content,
            score=_score(scorer or _DEFAULT, place, len(turns)),
            priority=priority,
            token_count=turn.token_count,
            metadata={**turn.metadata, "role": turn.role} | ({"actor": turn.actor} if turn.actor else {}),
        )
        for place, turn in enumerate(turns)
    ]


def shown_summary(content: str, priority: int, token_count: int, **metadata: Any) -> ContextItem:
    """Return the item of a summary."""
    return ContextItem(
        content=content,
        score=SUMMARY_SCORE,
        priority=priority,
        token_count=token_count,
        metadata={"role": "system", "summary": True, **metadata},
    )


def shown_key_facts(facts: Iterable[KeyFact], priority: int) -> list[ContextItem]:
    """Return an item for each key fact."""
    return [
        ContextItem(
            content=fact.content,
            source="memory",
            score=0.8,
            priority=priority,
            token_count=fact.token_count,
            metadata={"fact_type": fact.fact_type.value, "source_tier": fact.source_tier},
        )
        for fact in facts
    ]


def shown_entries(entries: Iterable[MemoryEntry], tokenizer: Tokenizer) -> list[ContextItem]:
    """Return an item for each entry that has not expired."""
    return [
        ContextItem(
            content=entry.content,
            source="memory",
            score=entry.relevance_score,
            priority=FACT_PRIORITY,
            token_count=counted(entry.content, tokenizer),
            metadata={
                "memory_entry_id": entry.id,
                "memory_type": entry.memory_type.value,
                "tags": list(entry.tags),
            },
        )
        for entry in entries
        if not entry.is_expired
    ]


def _score(scorer: RecencyScorer, place: int, total: int) -> float:
    score = guard(f"{type(scorer).__name__}.score", partial(_asked, scorer, place, total))
    return round(_DEFAULT.score(place, total) if score is None else score, 4)


def _asked(scorer: RecencyScorer, place: int, total: int) -> float:
    score = float(scorer.score(place, total))
    if math.isnan(score):
        raise ValueError("it returned no number")
    return min(max(score, 0.0), 1.0)
