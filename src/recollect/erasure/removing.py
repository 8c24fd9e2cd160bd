"""Memories removed from every table, in one transaction, with all that only they held up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.erasure.entities import lose
from recollect.erasure.traces import Traces, strings
from recollect.filters import Test
from recollect.models import AuditEntry, Job, Memory
from recollect.patterns import pattern
from recollect.protocols import AnswerRow, Edge, Posting, Record, Revision, Transaction, Vector, WitnessRow
from recollect.security.audit import Trail
from recollect.turnrows import ConversationRow, TurnRow
from recollect.words import index_counts
from recollect.write.corroboration import withdrawn
from recollect.write.enrichment import index_text
from recollect.write.untelling import tell_anew, untell

DETACH = "detach"
_ID = pattern(r"mem_[0-9a-f]{32}")
_PAGE = 1000


@dataclass(slots=True)
class Removal:
    """Removes memories in one transaction, counts by place what went, and keeps in mind what to look for afterwards."""

    transaction: Transaction
    trail: Trail
    reason: str = ""
    removed: Counter[str] = field(default_factory=Counter)
    traces: Traces = field(default_factory=Traces)
    _related: set[str] = field(default_factory=set)  # what took their place, or whose place they took

    def remove(self, records: Sequence[Record]) -> None:
        """Remove memories; each leaves an entry in the audit trail, which says that it is erased and no more."""
        nums = tuple(record.num for record in records)
        ids = tuple(record.memory.id for record in records)
        if not nums:
            return
        self.traces.vectors |= set(self.transaction.imprints(nums))
        for record in records:
            self.traces.take(record.memory, record.salt)
            self._unindex(record)
        self._silence(nums)
        self._detach(records)
        self._unlearn(nums, ids)
        scopes = {(record.memory.scope.org, record.memory.scope.user) for record in records}
        lose(self, nums, [self.transaction.namespace(*scope) for scope in sorted(scopes, key=str)])
        self._delete(Job, "jobs", Test("memory_id", "in", ids))
        self._delete(WitnessRow, "witnesses", Test("num", "in", nums))
        for memory_id in ids:
            withdrawn(self.transaction, memory_id, self.trail)
        for end in ("source", "target"):
            self._delete(Edge, "links", Test(end, "in", nums))
        self._delete(Record, "memories", Test("num", "in", nums))
        self._write_off(ids)

    def answers(self, org: str) -> None:
        """Remove the answers to an org's requests, each of which may hold what goes, and what is known of the requests.

        That there were such requests stays known, so that none is carried out again.
        """
        of = Test("org", "eq", org)
        self.count("answers", self.transaction.update(AnswerRow, [of, Test("body", "ne", None)], body=None))
        self.transaction.update(AnswerRow, [of, Test("request", "ne", "")], request="")

    def _delete(self, kind: type[Any], place: str, *tests: Test) -> None:
        self.count(place, self.transaction.delete(kind, list(tests)))

    def count(self, place: str, number: int) -> None:
        """Note that something was removed."""
        if number:
            self.removed[place] += number

    def _unindex(self, record: Record) -> None:
        """Remove index terms: by the text, and if it was indexed otherwise, by looking at all of them."""
        memory, transaction = record.memory, self.transaction
        namespace = transaction.namespace(memory.scope.org, memory.scope.user)
        row = [Test("ns", "eq", namespace), Test("num", "eq", record.num)]
        terms = list({**index_counts(index_text(memory, situate=True)), **index_counts(memory.content)})
        found = 0
        for start in range(0, len(terms), _PAGE):
            some = [*row, Test("term", "in", tuple(terms[start : start + _PAGE]))]
            found += sum(posting.times for posting in transaction.find(Posting, some))
            self.count("index terms", transaction.delete(Posting, some))
        if found != record.length:
            self.traces.read(*(posting.term for posting in transaction.find(Posting, row)))
            self.count("index terms", transaction.delete(Posting, row))
        self._delete(Vector, "vectors", *row)

    def _silence(self, nums: Sequence[int]) -> None:
        """Remove the turns that are these memories, and what was told of them."""
        transaction = self.transaction
        turns = transaction.find(TurnRow, [Test("num", "in", nums)])
        self.hear(turns)
        untell(transaction, nums)
        conversations = tuple({turn.conversation for turn in turns})
        for held in transaction.find(ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
            self.tell(held)
            gone = {turn.position for turn in turns if turn.conversation == held.num and not turn.live}
            if held.state and gone and tell_anew(transaction, held):
                self.count("summaries of windows", 1)
        self._delete(TurnRow, "turns", Test("num", "in", nums))

    def tell(self, held: ConversationRow) -> None:
        """Keep in mind what was told of the turns that left a window."""
        self.traces.read(*strings(held.state))

    def hear(self, turns: Iterable[TurnRow]) -> None:
        """Keep in mind what was said in turns that go."""
        for turn in turns:
            self.traces.read(turn.content, turn.actor, *strings(turn.metadata))

    def _detach(self, records: Sequence[Record]) -> None:
        """Let what they had superseded point past them, to whoever took their own place."""
        heads = {record.memory.id: record.memory.superseded_by for record in records}
        self._related |= {head for head in heads.values() if head is not None}
        for old in self.transaction.find(Record, [Test("superseded_by", "in", tuple(heads))]):
            if old.memory.id in heads:
                continue
            self._related.add(old.memory.id)
            head = old.memory.superseded_by
            while head in heads:
                head = heads[head]
            self.transaction.update(Record, [Test("num", "eq", old.num)], superseded_by=head)
            self.trail.add(DETACH, replace(old.memory, superseded_by=head), old.salt)

    def _unlearn(self, nums: Sequence[int], ids: Sequence[str]) -> None:
        """Remove their earlier states, and their ids from those of others."""
        own = [Test("num", "in", nums)]
        for revision in self.transaction.find(Revision, own, order="seq"):
            self.traces.take(Memory.from_dict(json.loads(revision.memory)), "")
        self._delete(Revision, "revisions", *own)
        gone, last = frozenset(ids), 0
        while page := self.transaction.find(Revision, [Test("seq", "gt", last)], order="seq", limit=_PAGE):
            last = page[-1].seq
            for revision in page:
                if not gone.isdisjoint(_ID.findall(revision.memory)):
                    state = json.dumps(_without(json.loads(revision.memory), gone), ensure_ascii=False)
                    self.transaction.update(Revision, [Test("seq", "eq", revision.seq)], memory=state)

    def _write_off(self, ids: Sequence[str]) -> None:
        """Say in the trail that they are erased, and take what was said beside their entries out of it."""
        said = [Test("memory_id", "in", tuple(ids)), Test("reason", "ne", "")]
        reasons = [entry.reason for entry in self.transaction.find(AuditEntry, said, order="seq")]
        self.traces.read(*reasons)
        self.count("reasons", len(reasons))
        for memory_id in ids:
            self.trail.erased(memory_id, reason=self.reason)
        beside = [Test("memory_id", "in", tuple(self._related - set(ids))), Test("reason", "in", tuple(set(reasons)))]
        if self._related and reasons:  # what was said of the two of them
            self.count("reasons", self.transaction.update(AuditEntry, beside, reason=""))


def _without(value: Any, ids: frozenset[str]) -> Any:
    """Return a JSON value without these ids: a link to one goes, and a place that held one is empty."""
    if isinstance(value, str):
        return None if value in ids else value
    if isinstance(value, dict):
        return {name: _without(inside, ids) for name, inside in value.items()}
    if isinstance(value, list):
        return [_without(inside, ids) for inside in value if not _names(inside, ids)]
    return value


def _names(value: Any, ids: frozenset[str]) -> bool:
    return value in ids if isinstance(value, str) else isinstance(value, dict) and value.get("memory_id") in ids
