"""Episodes of several sessions that are about the same thing are told together, in one memory derived from them all.

Looked for only around episodes that were just gone through, so that it costs the same in a store of any size. A wrong
cluster is worse than none: its members name the same things, share rare words and are alike to the embedder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from recollect.conversation.compactor import Shortened, TierCompactor
from recollect.conversation.transcript import transcript
from recollect.engine import Engine
from recollect.errors import MemoryRejected, ProviderError
from recollect.filters import Test, within
from recollect.foreign import guard
from recollect.lifecycle.alike import cosines
from recollect.lifecycle.lifting import is_said
from recollect.lifecycle.unlearnt import leaves_by_word
from recollect.lifecycle.witnessing import MOST, occasion
from recollect.llm.worked import Account
from recollect.models import Kind, Memory, Scope, SourceType, Turn
from recollect.protocols import Edge, Record, Transaction
from recollect.results import OFFLINE
from recollect.security.trust import least_trusted
from recollect.text import normalise
from recollect.write.commit import STORED, Commit, Item
from recollect.write.draft import Draft, Intent, draft
from recollect.write.duplicates import identity
from recollect.write.embedding import embed
from recollect.write.enrichment import index_text
from recollect.write.neighbours import probes
from recollect.write.pipeline import compose, rules_of

FEWEST, SESSIONS = 4, 3  # episodes of a cluster, and sessions that they come from
RELATED = 0.6  # the least cosine of a member and the episode that the cluster was found around
GROWN = 1.5  # times as many members as when it was told, and a cluster is told anew
NOTABLE = 0.4  # the least importance of a member
_HELD, _READ, _SHARED = 64, 64, 2  # rows that may hold a rare word; rows that are compared; rare words in common
_SHORTEST, _LONGEST = 60, 300  # tokens of what is told
_MARK = "is_cluster"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Episodes that belong together, oldest first, and the memory that tells fewer of them so far."""

    members: tuple[Record, ...]
    told: Record | None = None


def tell_clusters(engine: Engine, around: Sequence[Record], now: datetime, account: Account) -> int:
    """Tell the clusters that there are around episodes, none twice; return how many memories that made."""
    made = 0
    named = [record for record in around if _is_member(record.memory, frozenset(), now)]
    for scope, records in _by_user(named).items():
        with engine.store.read(scope.org) as reader:
            talking = frozenset(actor.casefold() for actor in reader.actors(within(scope)))
        about = [each for each in records if _is_member(each.memory, talking, now)]
        told = sum(_told(engine, each, talking, now, account) for each in about)
        engine.counters.count("created", scope, told)
        made += told
    return made


def _by_user(records: Sequence[Record]) -> dict[Scope, list[Record]]:
    found: dict[Scope, list[Record]] = {}
    for record in records:
        found.setdefault(Scope(record.memory.scope.org, record.memory.scope.user), []).append(record)
    return found


def _told(engine: Engine, record: Record, talking: frozenset[str], now: datetime, account: Account) -> bool:
    org = record.memory.scope.org
    cluster = engine.store.write(lambda transaction: _Search(engine, transaction, talking, now).around(record), org)
    item = None if cluster is None else _item(engine, cluster, now, account)
    if item is None:
        return False

    def change(transaction: Transaction) -> bool:
        if _Search(engine, transaction, talking, now).around(record) != cluster:
            return False  # another worker told it, or one of them has changed
        (result,) = Commit(engine, transaction, now, "create", rules_of(engine)).run([item])
        return result.status in STORED

    made = engine.store.write(change, org)
    if made and item.composed.memory.metadata["told_by"] != OFFLINE:
        account.did()
    return made


def _is_member(memory: Memory, talking: frozenset[str], now: datetime) -> bool:
    """Say whether an episode may be one of a cluster: it states something, and not only of those who talk."""
    return (
        memory.kind is Kind.EPISODIC
        and not leaves_by_word(memory)
        and memory.scope.session is not None
        and memory.importance >= NOTABLE
        and is_said(memory)
        and memory.is_live_at(now)
        and bool(_things(memory, talking))
    )


def _things(memory: Memory, talking: frozenset[str]) -> frozenset[str]:
    """Return what an episode names, but for who talks."""
    return frozenset(name.casefold() for name in memory.entities) - talking


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for a cluster inside one transaction; changes nothing."""

    engine: Engine
    transaction: Transaction
    talking: frozenset[str]
    now: datetime

    def around(self, record: Record) -> Cluster | None:
        """Return the cluster around an episode if it is to be told now."""
        members = self._members(record)
        if not _is_enough(members):
            return None
        told = self._told(members)
        if told is None:
            return Cluster(_in_order(members))
        tests = [Test("source", "eq", told.num), Test("relation", "eq", "derived_from")]
        nums = {edge.target for edge in self.transaction.find(Edge, tests)}
        fit = [each for each in members if each.memory.trust >= told.memory.trust - 1e-9]  # what may take its place
        both = {each.num for each in fit} | nums
        if len(both) < GROWN * len(nums) or len(both) > MOST:
            return None
        every = self.transaction.find(Record, [Test("num", "in", tuple(both))])
        return Cluster(_in_order([each for each in every if _is_member(each.memory, self.talking, self.now)]), told)

    def _members(self, record: Record) -> list[Record]:
        memory, scope = record.memory, record.memory.scope
        namespace = self.transaction.namespace(scope.org, scope.user)
        shared: dict[int, int] = {}
        for held in self.transaction.holders(namespace, probes(memory), limit=_HELD + 1):
            for num in held if len(held) <= _HELD else ():
                shared[num] = shared.get(num, 0) + 1
        nums = sorted((n for n, count in shared.items() if count >= _SHARED and n != record.num), reverse=True)[:_READ]
        if len(nums) < FEWEST - 1:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(nums))])
        fit = [each for each in found if self._belongs(each.memory, memory)]
        found_alike = cosines(self.engine, self.transaction, record, fit)
        return [record, *(each for each, cosine in zip(fit, found_alike, strict=True) if cosine >= RELATED)]

    def _belongs(self, other: Memory, memory: Memory) -> bool:
        if other.scope.agent != memory.scope.agent or not _is_member(other, self.talking, self.now):
            return False
        return not _things(other, self.talking).isdisjoint(_things(memory, self.talking))

    def _told(self, members: Sequence[Record]) -> Record | None:
        """Return the memory that tells most of these episodes together already."""
        nums = tuple(each.num for each in members)
        edges = self.transaction.find(Edge, [Test("target", "in", nums), Test("relation", "eq", "derived_from")])
        counts: dict[int, int] = {}
        for edge in edges:
            counts[edge.source] = counts.get(edge.source, 0) + 1
        found = self.transaction.find(Record, [Test("num", "in", tuple(counts))]) if counts else []
        live = [r for r in found if r.memory.metadata.get(_MARK) is True and r.memory.is_live_at(self.now)]
        return max(live, key=lambda r: (counts[r.num], -r.num), default=None)


def _is_enough(members: Sequence[Record]) -> bool:
    """Say whether episodes tell enough: what is only said again and again is no cluster."""
    texts = {normalise(each.memory.content) for each in members}
    return len(texts) >= FEWEST and len({occasion(each.memory) for each in members}) >= SESSIONS


def _in_order(members: Sequence[Record]) -> tuple[Record, ...]:
    return tuple(sorted(members, key=lambda each: (each.memory.valid_from, each.num)))


def _item(engine: Engine, cluster: Cluster, now: datetime, account: Account) -> Item | None:
    """Return the memory that tells a cluster; None when nobody can tell it now, or nothing of it may be kept."""
    memories = [each.memory for each in cluster.members]
    turns = [Turn(role="user", content=m.content, actor=m.actor, at=m.valid_from) for m in memories]
    text = transcript(turns)
    llm = account.asker(memories[0].scope, "summary")
    target = min(max(engine.tokenizer.count_tokens(text) // 3, _SHORTEST), _LONGEST)
    failed: list[Exception] = []
    compactor = TierCompactor(llm, engine.tokenizer, on_error=lambda tier, error: failed.append(error))
    told = guard("telling a cluster", partial(compactor.shortened, text, 1, target)) or Shortened("")
    for error in failed:
        account.failed(error)
    if not told.text.strip() or any(isinstance(error, ProviderError) for error in failed):
        return None  # a model that is paused or down tells it when its next episode comes
    try:
        item = _written(engine, told, memories, cluster.told)
    except MemoryRejected:
        return None
    composed = compose(engine, item, now)
    vector = embed(engine.embedder, [index_text(composed.memory, situate=engine.settings.situate)])[0]
    return Item(composed, identity(composed.memory), vector)


def _written(engine: Engine, told: Shortened, memories: Sequence[Memory], old: Record | None) -> Draft:
    first = memories[0]
    types = [memory.source.type for memory in memories]
    return draft(
        told.text.strip(),
        scope=Scope(first.scope.org, first.scope.user, first.scope.agent),
        settings=engine.settings,
        kind="semantic",
        domain=first.domain,
        source_type=least_trusted([*types, SourceType.LLM_GENERATED] if told.is_by_model else types),
        tier="C" if told.is_by_model else None,
        metadata={"is_summary": True, _MARK: True, "original_count": len(memories), "told_by": told.by},
        derived_from=[memory.id for memory in memories],
        valid_from=first.valid_from if old is None else None,
        resolve="off",
        intent=None if old is None else Intent(target=old.memory.id, reason="it tells more episodes"),
    )
