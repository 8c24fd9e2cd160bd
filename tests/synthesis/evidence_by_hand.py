"""Evidence built by hand: memories of two people, quoted whole."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engrain.model.memory import Fact, Memory, Scope
from engrain.model.results import Hit, Recall
from engrain.synthesis.evidence import Evidence, gathered

SAID = datetime(2023, 6, 9, 10, tzinfo=UTC)  # a Friday
NOW = datetime(2023, 12, 1, tzinfo=UTC)


def hit(
    text: str,
    *,
    relevance: float = 0.9,
    at: datetime = SAID,
    actor: str | None = "Ana",
    number: int = 0,
    fact: Fact | None = None,
    entities: tuple[str, ...] = (),
    contested: tuple[str, ...] = (),
) -> Hit:
    """Return a memory as it is found."""
    memory = Memory(
        id=f"m{number}",
        content=text,
        scope=Scope(),
        recorded_at=at,
        updated_at=at,
        valid_from=at,
        actor=actor,
        fact=fact,
        entities=entities,
    )
    return Hit(memory, relevance, relevance, contested=contested)


def found(query: str, *hits: Hit) -> Recall:
    """Return hits as a recall returns them."""
    return Recall(hits, query=query, intent="factual", pack=lambda hits, budget: "")


def evidence(query: str, *texts: str | Hit) -> Evidence:
    """Return what texts, said a day after each other and the most relevant first, give to answer a question with."""
    hits = [
        text
        if isinstance(text, Hit)
        else hit(text, relevance=0.9 - 0.05 * place, number=place, at=SAID + timedelta(days=place))
        for place, text in enumerate(texts)
    ]
    return gathered(found(query, *hits), now=NOW, threshold=0.3)
