"""Whom a new memory meets: the other values of its fact, and what shares rare words with it, with their cosines.

Its cost does not grow with the store: the values of a fact that nothing has superseded are few and indexed, and a term
that more than `RARE` memories hold proposes nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Literal

from recollect.facts import Slot, slot
from recollect.filters import Condition, Test
from recollect.models import Fact, Kind, Memory, Status
from recollect.numeric import Floats, np
from recollect.protocols import Embedder, Record, Transaction, Vector
from recollect.words import stem
from recollect.write.conflicts import Known, Near, New, Rules, Versions

RARE = 32  # memories that may hold a term before it proposes nobody
MOST = 64  # the most that are compared
FEW = 12  # both, for a text that changes nothing and is only to be linked with what is near
MARKED = 24  # the most whose texts are read for a text with a marker


@dataclass(frozen=True, slots=True)
class Fresh:
    """A memory of the same transaction that is not put yet, with its vector."""

    memory: Memory
    vector: Floats


@dataclass(slots=True)
class Neighbourhood:
    """Looks up, inside one transaction, what new memories meet; `records` are those it has found, by id."""

    transaction: Transaction
    rules: Rules
    embedder: Embedder | None
    now: datetime
    records: dict[str, Record] = field(default_factory=dict)

    def known(self, namespace: int, new: New, vector: Floats | None, fresh: Sequence[Fresh] = ()) -> Known:
        """Return what `new` meets among the memories that its writer sees; `fresh` are of the same transaction."""
        ended: dict[str, Memory] = {}
        for fact in new.statement.ended:
            ended |= {old.id: old for old in self._of_slot(namespace, new, fact, same_object=True)}
        marked = new.statement.change or new.statement.correction or new.statement.negation
        near = self._near(namespace, new, vector, marked) if vector is not None or marked else []
        near += self._fresh(vector, fresh)
        return Known(self._versions(namespace, new), tuple(ended.values()), tuple(near), vector is not None)

    def live(self, memory_id: str, new: New) -> Memory | None:
        """Return a memory by id if it is live and its writer sees it."""
        found = self._seen(self.transaction.find(Record, [Test("id", "eq", memory_id)]), new)
        scope = new.memory.scope
        mine = [m for m in found if (m.scope.org, m.scope.user) == (scope.org, scope.user) and m.is_live_at(self.now)]
        return mine[0] if mine else None

    # ------------------------------------------------------------------------------------------------------------ slot

    def _versions(self, namespace: int, new: New) -> Versions:
        fact = new.memory.fact
        if fact is None or new.memory.kind is not Kind.SEMANTIC:
            return Versions()
        if slot(fact).predicate not in self.rules.single_valued:
            return Versions(self._of_slot(namespace, new, fact, same_object=True))
        later = self._beside(namespace, new, "gt", "valid_from")
        before = self._beside(namespace, new, "le", "-valid_from") if later is not None else None
        if before is not None and before.valid_until is not None and before.valid_until <= new.memory.valid_from:
            before = None  # it had ended by then
        known, starts = self._unsuperseded(namespace, new, fact), new.memory.valid_from
        ending = tuple(m for m in known if m.valid_until is not None and self.now < m.valid_until <= starts)
        return Versions(_holding(known, starts), later, before, ending)

    def _of_slot(self, namespace: int, new: New, fact: Fact, *, same_object: bool = False) -> tuple[Memory, ...]:
        """Return the values of a fact that nothing has superseded, as they hold when the new memory begins."""
        return _holding(self._unsuperseded(namespace, new, fact, same_object=same_object), new.memory.valid_from)

    def _unsuperseded(self, namespace: int, new: New, fact: Fact, *, same_object: bool = False) -> tuple[Memory, ...]:
        """Return the values of a fact that nothing has superseded and that do not begin after the new memory."""
        wanted, starts = slot(fact), new.memory.valid_from
        tests = [*_in_slot(namespace, wanted), Test("superseded_by", "eq", None)]
        if same_object:
            tests.append(Test("object_key", "eq", wanted.object))
        # Any order but one that an index of the whole namespace has, which a planner would take for the limit's sake.
        found = self._seen(self.transaction.find(Record, tests, order="-importance", limit=MOST), new)
        return tuple(m for m in found if _established(m, self.now) and m.valid_from <= starts)

    def _beside(self, namespace: int, new: New, op: Literal["gt", "le"], order: str) -> Memory | None:
        """Return the version of the new memory's fact that stands next to it in time."""
        assert new.memory.fact is not None
        tests: list[Condition] = [
            *_in_slot(namespace, slot(new.memory.fact)),
            Test("valid_from", op, new.memory.valid_from),
            Test("status", "eq", Status.ACTIVE),
            Test("kind", "eq", Kind.SEMANTIC),
            Test("believed_until", "eq", None),
            Test("id", "ne", new.memory.id),
        ]
        found = self._seen(self.transaction.find(Record, tests, order=order, limit=MOST), new)
        readers = (None, new.memory.scope.agent)  # whoever sees the new one must see what ends it
        return next(
            (
                memory
                for memory in found
                if _established(memory, self.now)
                and memory.valid_until != memory.valid_from  # closed as it began: it never held
                and (op == "le" or memory.scope.agent in readers)
            ),
            None,
        )

    def _seen(self, found: Sequence[Record], new: New) -> list[Memory]:
        """Return the memories that the writer sees, in the order found, noting their records."""
        agent = new.agent
        seen = [r for r in found if agent is None or r.memory.scope.agent in (None, agent)]
        kept = [record for record in seen if record.memory.id != new.memory.id]
        self.records.update((record.memory.id, record) for record in kept)
        return [record.memory for record in kept]

    # ------------------------------------------------------------------------------------------------------------ near

    def _near(self, namespace: int, new: New, vector: Floats | None, marked: bool) -> list[Near]:
        """Return live memories that share rare words and are close by cosine, or that a marker may be about."""
        nums = self._proposed(namespace, new.memory, few=not marked)
        cosines = self._cosines(namespace, nums, vector)
        wanted = [num for num in nums if cosines.get(num, -1.0) >= self.rules.near]
        if marked:
            far = [n for n in nums if n not in wanted and cosines.get(n, 1.0) > self.rules.cold]
            wanted += far[:MARKED]
        if not wanted:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(wanted))])
        nums_of = {record.memory.id: record.num for record in found}
        live = [m for m in self._seen(found, new) if _established(m, self.now) and m.is_live_at(self.now)]
        return [Near(memory, cosines.get(nums_of[memory.id])) for memory in live]

    def _proposed(self, namespace: int, memory: Memory, *, few: bool) -> list[int]:
        """Return the rows that share rare words with a memory, those with the most and the rarest first.

        With `few` only those that share most of its rare words, as texts that are near do.
        """
        limit, most = (FEW, FEW) if few else (RARE, MOST)
        shares: dict[int, float] = {}
        shared: dict[int, int] = {}
        rare = 0
        for holders in self.transaction.holders(namespace, probes(memory), limit=limit + 1):
            if not 0 < len(holders) <= limit:
                continue
            rare += 1
            share = 1 / len(holders)
            for num in holders:
                shares[num] = shares.get(num, 0.0) + share
                shared[num] = shared.get(num, 0) + 1
        kept = [num for num in shares if not few or shared[num] * 3 >= rare * 2]
        return sorted(kept, key=lambda num: (-shares[num], num))[:most]

    def _cosines(self, namespace: int, nums: Sequence[int], vector: Floats | None) -> dict[int, float]:
        if vector is None or not nums or self.embedder is None:
            return {}
        tests = [
            Test("ns", "eq", namespace),
            Test("embedder", "eq", self.embedder.id),
            Test("num", "in", tuple(nums)),
        ]
        found = self.transaction.find(Vector, tests)
        return dict(zip((row.num for row in found), _cosines(vector, [row.values for row in found]), strict=True))

    def _fresh(self, vector: Floats | None, fresh: Sequence[Fresh]) -> list[Near]:
        if vector is None or not fresh:
            return []
        cosines = _cosines(vector, [one.vector for one in fresh])
        pairs = zip(fresh, cosines, strict=True)
        return [Near(one.memory, cosine) for one, cosine in pairs if cosine >= self.rules.near]


def probes(memory: Memory) -> list[str]:
    """Return the index terms that a memory looks for others by: those of its keywords."""
    return _stems(memory.keywords)


@lru_cache(4096)
def _stems(keywords: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(map(stem, keywords)))


def _in_slot(namespace: int, wanted: Slot) -> list[Test]:
    return [
        Test("ns", "eq", namespace),
        Test("subject_key", "eq", wanted.subject),
        Test("predicate_key", "eq", wanted.predicate),
    ]


def _holding(known: Sequence[Memory], at: datetime) -> tuple[Memory, ...]:
    return tuple(memory for memory in known if memory.valid_until is None or memory.valid_until > at)


def _established(memory: Memory, now: datetime) -> bool:
    """Say whether a memory counts as known: a fact, active, believed, not expired, and not itself waiting."""
    return (
        memory.kind is Kind.SEMANTIC
        and memory.believed_until is None
        and memory.as_of_clock(now).status is Status.ACTIVE
        and not memory.is_contested
    )


def _cosines(one: Floats, others: Sequence[Floats]) -> list[float]:
    if not others:
        return []
    matrix = np.asarray(others, np.float32)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(one)
    return [float(value) for value in (matrix @ one) / np.where(norms > 0, norms, 1)]
