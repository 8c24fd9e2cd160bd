"""Procedures mined from what a view sees, and kept waiting until somebody confirms them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.engine import Engine
from recollect.errors import MemoryRejected, NotFound
from recollect.filters import Test, within
from recollect.models import Kind, Memory, Scope, Status
from recollect.procedures.keeping import key_of
from recollect.procedures.mining import Mined, mined
from recollect.procedures.reading import traces
from recollect.procedures.traces import Trace
from recollect.protocols import Record, Transaction
from recollect.write.commit import Commit, Item
from recollect.write.draft import Draft, Intent, draft, screened_text, with_procedure
from recollect.write.duplicates import identity
from recollect.write.embedding import embed
from recollect.write.enrichment import index_text
from recollect.write.pipeline import compose, rules_of
from recollect.write.procedures import text_of

GROWN = 1.5
"""How much more support than when it was refused lets a procedure be proposed again."""
_TRIES = 3


def mine(engine: Engine, scope: Scope, *, min_support: int, min_confidence: float) -> list[Memory]:
    """Propose what recurs in the traces of a view, user by user; see `Procedures.mine`."""
    proposed: list[Memory] = []
    for user, seen in traces(engine, scope).items():
        place = replace(scope, user=user, session=None)
        for agent in sorted({trace.agent for trace in seen} | {None}, key=lambda name: name or ""):
            proposed += _mined(engine, place, agent, seen, (min_support, min_confidence))
    return proposed


def _mined(
    engine: Engine, place: Scope, agent: str | None, seen: Sequence[Trace], least: tuple[int, float]
) -> list[Memory]:
    """Propose what an agent did by itself or in common; what two agents did apart is nobody's in common."""
    for left in reversed(range(_TRIES)):
        own = [trace for trace in seen if trace.agent in (None, agent)]
        found = mined(own, min_support=least[0], min_confidence=least[1])
        try:
            return _proposed(engine, place, found)
        except NotFound:  # an episode was forgotten meanwhile, and supports nothing any more
            if not left:
                raise
            seen = traces(engine, place).get(place.user, [])
    return []


def _proposed(engine: Engine, scope: Scope, found: Sequence[Mined]) -> list[Memory]:
    now = engine.clock.now()
    items = tuple(item for each in found if (item := _item(engine, scope, each, now)) is not None)
    return engine.store.write(_Proposal(engine, scope, items, now).run, scope.org) if items else []


def _item(engine: Engine, scope: Scope, found: Mined, now: datetime) -> Item | None:
    """Return what is to be stored of a mined procedure; None where its text is one that may not be kept."""
    try:
        composed = compose(engine, _draft(engine, scope, found), now)
    except MemoryRejected:
        return None
    vector = embed(engine.embedder, [index_text(composed.memory, situate=engine.settings.situate)])[0]
    return Item(composed, identity(composed.memory), vector)


def _draft(engine: Engine, scope: Scope, found: Mined) -> Draft:
    procedure = found.procedure
    written = draft(
        text_of(procedure),
        scope=replace(scope, agent=scope.agent or found.agent),
        settings=engine.settings,
        kind="procedural",
        key=key_of(screened_text(procedure.name, engine.settings)),
        source_type=found.source,
        confidence=procedure.confidence,
        tier="C",
        metadata={"mined": True, "support": found.support, "confidence": procedure.confidence},
        derived_from=found.episodes,
        intent=Intent(unconfirmed=True),
    )
    return with_procedure(written, procedure, engine.settings)


@dataclass(frozen=True, slots=True)
class _Proposal:
    """What was mined, ready to be put where nothing of its name is known."""

    engine: Engine
    scope: Scope
    items: tuple[Item, ...]
    now: datetime

    def run(self, transaction: Transaction) -> list[Memory]:
        """Put what is new, as it stands when nobody else writes."""
        keys = tuple(item.composed.memory.key for item in self.items)
        tests = (Test("kind", "eq", Kind.PROCEDURAL), Test("key", "in", keys))
        held: dict[str | None, list[Memory]] = {}
        for record in transaction.find(Record, within(self.scope).but(*tests)):
            held.setdefault(record.memory.key, []).append(record.memory)
        new = [item for item in self.items if _is_new(item.composed.memory, held.get(item.composed.memory.key, []))]
        results = Commit(self.engine, transaction, self.now, "create", rules_of(self.engine)).run(new) if new else []
        return [result.memory for result in results if result.memory is not None]


def _is_new(memory: Memory, known: Sequence[Memory]) -> bool:
    """Say whether nobody who reads it knows a procedure of that name, or all refused it at much less support."""
    known = [other for other in known if other.scope.agent in (None, memory.scope.agent)]
    if any(other.status in (Status.ACTIVE, Status.QUARANTINED) for other in known):
        return False
    refused = [_support(other) for other in known]
    return all(_support(memory) >= GROWN * support for support in refused)


def _support(memory: Memory) -> float:
    support = memory.metadata.get("support")
    return float(support) if isinstance(support, int | float) else 0.0
