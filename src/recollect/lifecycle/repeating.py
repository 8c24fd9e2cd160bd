"""What is said on three occasions or more is a fact: one memory, derived from all the episodes that say it.

Two texts say the same when one holds every word of the other in order, neither has a number, name or negation that the
other lacks, and they are alike to the embedder as well. Without an embedder only the same words count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.engine import Engine
from recollect.filters import Test
from recollect.lifecycle.alike import cosines
from recollect.lifecycle.lifting import is_said
from recollect.lifecycle.unlearnt import leaves_by_word
from recollect.lifecycle.witnessing import MOST, bear_witness, is_known, occasion
from recollect.models import Kind, Memory, Scope
from recollect.policies.wording import says_all
from recollect.protocols import Record, Transaction
from recollect.security.trust import least_trusted
from recollect.statements.statement import LONGEST
from recollect.text import normalise, sentences
from recollect.write.chatter import is_chatter, worth
from recollect.write.commit import STORED, Commit, Item
from recollect.write.draft import draft
from recollect.write.duplicates import identity, is_of_oneself
from recollect.write.neighbours import probes
from recollect.write.pipeline import compose, rules_of

OCCASIONS = 3  # on which something is said before it counts as known
ALIKE = 0.95  # the least cosine of two texts that say the same
_HELD, _READ = 256, 64  # episodes that may hold a word before it proposes nobody; those that are compared
_LEAST = 3.0  # the rating from which a statement is worth a memory of its own


@dataclass(frozen=True, slots=True)
class Repetition:
    """Looks up, inside one transaction, whether an episode says what others said before, and keeps that as known."""

    engine: Engine
    transaction: Transaction
    now: datetime

    def heard(self, record: Record) -> tuple[int, int]:
        """Take note of an episode; return how many facts that added and how many it told again."""
        if not _is_statement(record.memory):
            return 0, 0
        scope = record.memory.scope
        namespace = self.transaction.namespace(scope.org, scope.user)
        same = self._same(namespace, record)
        known = [r for r in same if is_known(r.memory, scope.agent, self.now) and _says(record.memory, r.memory)]
        if known:
            oldest = min(known, key=lambda other: other.num)
            return 0, int(bear_witness(self.transaction, oldest, record, self.now))
        told = _in_agreement([record, *(other for other in same if _is_statement(other.memory))])
        if len({occasion(each.memory) for each in told}) < OCCASIONS:
            return 0, 0
        return self._kept(told)

    def _same(self, namespace: int, record: Record) -> list[Record]:
        """Return what says the same: facts and episodes of the same user and agent."""
        memory = record.memory
        nums = self._proposed(namespace, record)
        if not nums:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(nums))])
        fit = [other for other in found if _is_comparable(other.memory, memory, self.now)]
        found_alike = cosines(self.engine, self.transaction, record, fit)
        return [r for r, cosine in zip(fit, found_alike, strict=True) if _says_the_same(r.memory, memory, cosine)]

    def _proposed(self, namespace: int, record: Record) -> list[int]:
        """Return the newest rows that share most of the rarer words of an episode."""
        shared: dict[int, int] = {}
        rare = 0
        for held in self.transaction.holders(namespace, probes(record.memory), limit=_HELD + 1):
            if 0 < len(held) <= _HELD:
                rare += 1
                for num in held:
                    shared[num] = shared.get(num, 0) + 1
        return sorted((num for num in shares_most(shared, rare) if num != record.num), reverse=True)[:_READ]

    def _kept(self, told: Sequence[Record]) -> tuple[int, int]:
        """Keep what the first of these episodes says and all say, as one memory that is derived from them all."""
        memories = [each.memory for each in told[:MOST]]
        shortest = told[0].memory
        scope = Scope(shortest.scope.org, shortest.scope.user, shortest.scope.agent)
        actors = {memory.actor for memory in memories}
        item = draft(
            shortest.content,
            scope=scope,
            settings=self.engine.settings,
            kind="semantic",
            domain=shortest.domain,
            source_type=least_trusted(memory.source.type for memory in memories),
            source_ref=f"{shortest.id}:repeated",
            actor=actors.pop() if len(actors) == 1 else None,
            fact=shortest.fact,
            importance=max(memory.importance for memory in memories),
            confidence=max(memory.confidence for memory in memories),
            derived_from=[memory.id for memory in memories],
            valid_from=min(memory.valid_from for memory in memories),
        )
        composed = compose(self.engine, item, self.now)
        count = len({occasion(memory) for memory in memories})
        composed = replace(composed, memory=replace(composed.memory, evidence_count=count))
        commit = Commit(self.engine, self.transaction, self.now, "create", rules_of(self.engine))
        (result,) = commit.run([Item(composed, identity(composed.memory), None)])
        return (1, 0) if result.status in STORED else (0, 1)


def shares_most(shared: dict[int, int], rare: int) -> list[int]:
    """Return the rows that share at least two thirds of the rarer words that there are."""
    return [num for num, count in shared.items() if count * 3 >= rare * 2]


def _is_statement(memory: Memory) -> bool:
    """Say whether an episode is one statement that may be kept for good."""
    return (
        memory.kind is Kind.EPISODIC
        and not leaves_by_word(memory)
        and len(memory.content) <= LONGEST
        and is_said(memory)
        and not is_chatter(memory.content)
        and worth(memory.content) >= _LEAST
        and len(sentences(memory.content)) == 1
    )


def _is_comparable(other: Memory, memory: Memory, now: datetime) -> bool:
    if other.scope.agent != memory.scope.agent or not other.is_live_at(now) or other.is_contested:
        return False
    if is_of_oneself(memory.content) and other.actor != memory.actor:
        return False
    return other.kind in (Kind.EPISODIC, Kind.SEMANTIC)


def _says_the_same(one: Memory, other: Memory, cosine: float) -> bool:
    if normalise(one.content) == normalise(other.content):
        return True
    return (_says(one, other) or _says(other, one)) and cosine >= ALIKE


def _says(one: Memory, other: Memory) -> bool:
    """Say whether one memory says all that another says."""
    return normalise(one.content) == normalise(other.content) or says_all(one.content, other.content)


def _in_agreement(told: Sequence[Record]) -> list[Record]:
    """Return the shortest episode of those whose words most of them say, then all that say it, newest first."""
    texts = sorted(told, key=lambda each: (len(each.memory.content), each.num))
    agreeing = [[each, *(r for r in told if r is not each and _says(r.memory, each.memory))] for each in texts]
    first, *others = max(agreeing, key=len)
    return [first, *sorted(others, key=lambda record: -record.num)]
