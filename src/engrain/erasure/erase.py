"""Erasure: memories removed from every table with everything derived from them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engrain.engine import Engine, ErasureTraces
from engrain.erasure.receipts import OUT_OF_REACH, Traces, prove, rows, strings, words_of
from engrain.language.tokens import index_counts
from engrain.llm.asker import spent_by
from engrain.model.audit import PENDING, Forgotten, Receipt
from engrain.model.filters import AnyOf, Condition, Filter, Test, parse_where, passes, within
from engrain.model.memory import AuditEntry, Job, Kind, Memory, Scope
from engrain.security.audit import ERASE, Trail, who
from engrain.storage.interface import Reader, Transaction
from engrain.storage.queries import abandon, holders, imprints, users
from engrain.storage.rows import (
    ALL_AGENTS,
    MERGED,
    AnswerRow,
    ConversationRow,
    Edge,
    EntityNote,
    EntityRow,
    KeyRow,
    MentionRow,
    MergeRow,
    Posting,
    Record,
    RelationRow,
    Revision,
    Setting,
    SummaryRow,
    TurnRow,
    Vector,
    WitnessRow,
)
from engrain.text import pattern
from engrain.write.edits import mark_summaries_stale, remove_turns
from engrain.write.prepare import index_text
from engrain.write.transitions import withdraw_witness

_HEARD = (Kind.EPISODIC, Kind.WORKING)
_DERIVED = Test("relation", "eq", "derived_from")


@dataclass(frozen=True, slots=True)
class Doomed:
    """The memories asked for, those they came from, and those that came of them."""

    asked: tuple[Record, ...]
    sources: tuple[Record, ...] = ()
    derived: tuple[Record, ...] = ()

    @property
    def all(self) -> tuple[Record, ...]:
        """All of them."""
        return (*self.asked, *self.sources, *self.derived)


def doomed(transaction: Reader, scope: Scope, asked: Sequence[Record]) -> Doomed:
    """Return what goes with the memories asked for.

    A fact goes with the turns that it was read in, as far as the view holds them. What retells many memories (a
    summary, a conclusion, a habit) leaves those alone; but it goes with any of them, whoever's it is: it holds what it
    was told from. What was known before a memory was recorded does not derive from it, even if that bears it out.
    """
    held = {record.num: record for record in asked}
    facts = [record for record in asked if record.memory.kind is Kind.SEMANTIC and not _retells(record.memory)]
    above = [num for num in _sources(transaction, [fact.num for fact in facts]) if num not in held]
    nums = Test("num", "in", tuple(above))
    found = transaction.find(Record, within(scope).but(nums, Test("kind", "in", _HEARD))) if above else []
    sources = {record.num: record for record in found}
    held |= sources
    derived: dict[int, Record] = {}
    new, first = dict(held), True
    while new:
        below = _below(transaction, new)
        new = {
            record.num: record
            for source, record in below
            if record.num not in held and (source not in sources or not first or _retells(record.memory))
        }
        derived |= new
        held |= new
        first = False
    return Doomed(tuple(asked), tuple(sources.values()), tuple(derived.values()))


def other_sources(transaction: Reader, doomed: Doomed) -> list[int]:
    """Return the rows of episodes that stay, from which something was learnt that goes."""
    going = {record.num for record in doomed.all}
    return [num for num in _sources(transaction, [r.num for r in doomed.derived]) if num not in going]


def _below(transaction: Reader, above: dict[int, Record]) -> Iterator[tuple[int, Record]]:
    """Return each memory that derives from one of these, with that one."""
    edges = transaction.find(Edge, [Test("target", "in", tuple(above)), _DERIVED])
    nums = tuple({edge.source for edge in edges})
    found = {record.num: record for record in transaction.find(Record, [Test("num", "in", nums)])} if nums else {}
    for edge in edges:
        record = found[edge.source]
        if record.memory.recorded_at >= above[edge.target].memory.recorded_at:
            yield edge.target, record


def _sources(transaction: Reader, nums: Iterable[int]) -> list[int]:
    edges = transaction.find(Edge, [Test("source", "in", tuple(nums)), _DERIVED])
    return list(dict.fromkeys(edge.target for edge in edges))


def _retells(memory: Memory) -> bool:
    return memory.kind is Kind.PROCEDURAL or memory.metadata.get("is_summary") is True


def lose(removal: Removal, nums: Sequence[int], namespaces: Iterable[int]) -> None:
    """Remove what these memories say of entities, and the entities that nothing else is known of."""
    transaction, said = removal.transaction, Test("num", "in", tuple(nums))
    merges = transaction.find(MergeRow, [said], order="at")
    touched = {row.entity for row in transaction.find(MentionRow, [said])}
    touched |= {end for row in transaction.find(RelationRow, [said]) for end in (row.source, row.target)}
    touched |= {end for row in merges for end in (row.keep, row.other)}
    for merge in merges:
        if merge.state == MERGED:
            other = [Test("id", "eq", merge.other), Test("merged_into", "eq", merge.keep)]
            transaction.update(EntityRow, other, merged_into=None, agent=None)
        removal.traces.read(merge.reason)
    removal.count("mentions", transaction.delete(MentionRow, [said]))
    removal.count("relations", transaction.delete(RelationRow, [said]))
    removal.count("merges", transaction.delete(MergeRow, [said]))
    drop(removal, touched | _named(removal, namespaces))


def _named(removal: Removal, namespaces: Iterable[int]) -> set[int]:
    """Return the entities whose name holds a word that goes: an edit may have left one behind that nobody names."""
    spoken = {word.casefold() for word in removal.traces.words}
    return {
        row.id
        for namespace in namespaces
        for row in removal.transaction.find(EntityRow, [Test("ns", "eq", namespace)], order="id")
        if not spoken.isdisjoint(words_of(row.key))
    }


def drop(removal: Removal, entities: Iterable[int]) -> None:
    """Remove those of the entities of which nothing is known, and their merges, which leave others in the same case."""
    transaction, left = removal.transaction, set(entities)
    while left:
        entity = left.pop()
        if _is_known(removal, entity):
            continue
        found = transaction.find(EntityRow, [Test("id", "eq", entity)], order="id")
        if not found:
            continue
        removal.traces.read(found[0].name, found[0].key)
        either = AnyOf(((Test("keep", "eq", entity),), (Test("other", "eq", entity),)))
        merges = transaction.find(MergeRow, [either], order="at")
        for merge in merges:
            removal.traces.read(merge.reason)
            left |= {merge.keep, merge.other} - {entity}
        removal.count("merges", transaction.delete(MergeRow, [either]))
        under = [Test("merged_into", "eq", entity)]
        left |= {row.id for row in transaction.find(EntityRow, under, order="id")}
        above = found[0].merged_into
        left |= set() if above is None else {above}
        transaction.update(EntityRow, under, merged_into=None, agent=None)
        removal.count("entities", transaction.delete(EntityRow, [Test("id", "eq", entity)]))


def _is_known(removal: Removal, entity: int) -> bool:
    """Say whether a memory mentions an entity, a relation has it as an end, or somebody said so by hand."""
    transaction = removal.transaction
    ends = AnyOf(((Test("source", "eq", entity),), (Test("target", "eq", entity),)))
    return bool(
        transaction.find(MentionRow, [Test("entity", "eq", entity)], order="entity", limit=1)
        or transaction.find(EntityNote, [Test("entity", "eq", entity)], order="entity", limit=1)
        or transaction.find(RelationRow, [ends], order="id", limit=1)
    )


DETACH = "detach"
_ID = pattern(r"mem_[0-9a-f]{32}")
_REMOVING_PAGE = 1000


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
        self.traces.vectors |= set(imprints(self.transaction, nums))
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
            withdraw_witness(self.transaction, memory_id, self.trail)
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
        for start in range(0, len(terms), _REMOVING_PAGE):
            some = [*row, Test("term", "in", tuple(terms[start : start + _REMOVING_PAGE]))]
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
        remove_turns(transaction, nums)
        conversations = tuple({turn.conversation for turn in turns})
        for held in transaction.find(ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
            self.tell(held)
            gone = {turn.position for turn in turns if turn.conversation == held.num and not turn.live}
            if held.state and gone and mark_summaries_stale(transaction, held):
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
        while page := self.transaction.find(Revision, [Test("seq", "gt", last)], order="seq", limit=_REMOVING_PAGE):
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


_SCOPES_PAGE = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten of a view: all that is one user's, agent's, session's, or that passes a filter."""

    scope: Scope
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    org: str | None = None
    where: Mapping[str, Any] | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether it lies outside the view, where there is nothing."""
        view = self.scope
        pairs = ((self.user, view.user), (self.agent, view.agent), (self.session, view.session))
        walled = any(wanted is not None and own not in (None, wanted) for wanted, own in pairs)
        return walled or (self.org is not None and (self.org != view.org or view != Scope(view.org)))

    @property
    def memories(self) -> Filter:
        """The memories meant, whatever their status, working memories included."""
        named = (Test(name, "eq", value) for name in ("agent", "session") if (value := getattr(self, name)) is not None)
        of_user = Scope(self.scope.org, self.user or self.scope.user, self.scope.agent)
        return within(of_user).but(*named, *parse_where(self.where))

    @property
    def owner(self) -> Scope:
        """Whose they are: the view narrowed to what is named."""
        view = self.scope
        return Scope(view.org, self.user or view.user, self.agent or view.agent, self.session)

    @property
    def is_whole(self) -> bool:
        """Whether all of a user or of the org is meant, not a part of it."""
        return self.where is None and self.owner.agent is None and self.owner.session is None


def clear(removal: Removal, wanted: Wanted) -> None:
    """Remove what stands beside the memories of a scope: what was said or stated by hand, keys, what was counted."""
    if wanted.where is not None:
        return
    transaction, owner = removal.transaction, wanted.owner
    tests: list[Condition] = [
        Test(name, "eq", value)
        for name in ("org", "user", "agent", "session")
        if (value := getattr(owner, name)) is not None
    ]
    _converse(removal, transaction.find(ConversationRow, tests))
    if owner.session is not None:
        return
    _lock_out(removal, tests)
    for user in _users(transaction, owner):
        _state(removal, transaction.namespace(owner.org, user), owner.agent)
        if wanted.is_whole:
            row = [Test("name", "eq", spent_by(Scope(owner.org, user)))]
            removal.count("settings", transaction.delete(Setting, row))
            abandon(transaction, owner.org, user)


def _users(transaction: Transaction, owner: Scope) -> Iterable[str | None]:
    known = users(transaction, owner.org)
    return known if owner.user is None else [user for user in known if user == owner.user]


def _lock_out(removal: Removal, tests: list[Condition]) -> None:
    """Remove the keys that open nothing but what goes."""
    for row in removal.transaction.find(KeyRow, tests, order="id"):
        removal.traces.read(row.name)
        removal.trail.note("key.erase", row.id)
    removal.count("keys", removal.transaction.delete(KeyRow, tests))


def _converse(removal: Removal, conversations: Iterable[ConversationRow]) -> None:
    transaction = removal.transaction
    for held in conversations:
        row = [Test("conversation", "eq", held.num)]
        removal.hear(transaction.find(TurnRow, row, order="position"))
        removal.tell(held)
        removal.count("turns", transaction.delete(TurnRow, row))
        removal.count("summaries of windows", transaction.delete(SummaryRow, row))
        removal.count("jobs", transaction.delete(Job, [Test("memory_id", "eq", held.id)]))
        removal.count("conversations", transaction.delete(ConversationRow, [Test("num", "eq", held.num)]))


def _state(removal: Removal, namespace: int, agent: str | None) -> None:
    """Remove what was stated of a graph by hand: all of it, or what one agent stated."""
    transaction = removal.transaction
    rows = transaction.find(EntityRow, [Test("ns", "eq", namespace)], order="id")
    mine: list[Condition] = [] if agent is None else [Test("agent", "eq", agent)]
    own: list[Condition] = [Test("ns", "eq", namespace), *mine]
    for merge in transaction.find(MergeRow, own, order="at"):
        removal.traces.read(merge.reason)
        parted = [Test("id", "eq", merge.other), Test("merged_into", "eq", merge.keep)]
        transaction.update(EntityRow, parted, merged_into=None, agent=None)
    removal.count("merges", transaction.delete(MergeRow, own))
    ids = [row.id for row in rows]
    for start in range(0, len(ids), _SCOPES_PAGE):
        some = tuple(ids[start : start + _SCOPES_PAGE])
        notes: list[Condition] = [Test("entity", "in", some), *mine]
        for note in transaction.find(EntityNote, notes, order="entity"):
            removal.traces.read(note.metadata, note.agent if note.agent != ALL_AGENTS else None)
        removal.count("notes", transaction.delete(EntityNote, notes))
        by_hand: list[Condition] = [Test("source", "in", some), Test("num", "eq", None), *mine]
        removal.count("relations", transaction.delete(RelationRow, by_hand))
    drop(removal, ids)


_AT_ONCE = 500  # memories asked for that go in one transaction


def erase(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> Forgotten:
    """Erase the memories that a filter of the view passes, with all that hangs on them."""
    return _Erasure(engine, scope, reason).run(where, None)


def erase_all(engine: Engine, wanted: Wanted, *, reason: str) -> Forgotten:
    """Erase the memories of a scope, and what it has beside them."""
    return _Erasure(engine, wanted.scope, reason).run(wanted.memories, wanted)


def would_erase(engine: Engine, wanted: Wanted) -> Forgotten:
    """Return how many memories an erasure would take, and how many beside those that are asked for."""
    with engine.store.read(wanted.scope.org) as reader:
        found = reader.find(Record, wanted.memories)
        going, view = doomed(reader, wanted.scope, found), within(wanted.scope)
    beside = sum(passes(record.memory, view) for record in (*going.sources, *going.derived))
    return Forgotten(len(found), dry_run=True, beside=beside)


class _Erasure:
    """One call: as many transactions as it takes, each whole in itself, and one receipt for all of them."""

    def __init__(self, engine: Engine, scope: Scope, reason: str) -> None:
        self.engine, self.scope, self.reason = engine, scope, reason
        self.ids: list[str] = []
        now = engine.clock.now()
        self.receipt = Receipt(
            id=engine.new_id("rcp"), at=now, org=scope.org, status=PENDING, memory_ids=(), out_of_reach=OUT_OF_REACH
        )
        self.sought = ErasureTraces()

    def run(self, where: Filter, wanted: Wanted | None) -> Forgotten:
        """Erase until nothing is found any more, then prove it."""
        while self._step(where, wanted):
            pass
        if not self.receipt.removed:
            return Forgotten(0)
        self.engine.erasure_traces[self.receipt.id] = self.sought
        proven = prove(self.engine, self.receipt, self.scope)
        return Forgotten(len(self.ids), tuple(self.ids), False, proven, len(proven.memory_ids) - len(self.ids))

    def _step(self, where: Filter, wanted: Wanted | None) -> bool:
        """Erase some in one transaction; False when there was nothing left to do."""
        last: Callable[[Removal], None] | None = None if wanted is None else (lambda removal: clear(removal, wanted))

        def change(transaction: Transaction) -> tuple[list[str], Receipt, ErasureTraces, bool]:
            found = transaction.find(Record, where, limit=_AT_ONCE)
            trail = Trail(transaction, self.scope.org, actor=who(self.scope), at=self.engine.clock.now())
            removal = Removal(transaction, trail, self.reason)
            going = doomed(transaction, self.scope, found)
            self._relearn(transaction, going)
            removal.remove(going.all)
            more = len(found) == _AT_ONCE
            if last is not None and not more:
                last(removal)
                if not found and removal.removed:  # an act of its own, though no memory went
                    trail.note(ERASE, self.receipt.id, reason=self.reason)
            trail.write()
            if removal.removed:
                removal.answers(self.scope.org)
            receipt, sought = self._counted(transaction, removal, going)
            if removal.removed:
                transaction.put(*rows(receipt, self.scope, self.engine.clock.now()))
            return [record.memory.id for record in found], receipt, sought, more

        ids, self.receipt, sought, more = self.engine.store.write(change, self.scope.org)
        self.ids += ids
        self.sought = ErasureTraces(self.sought.common | sought.common, self.sought.unique | sought.unique)
        return more

    def _relearn(self, transaction: Transaction, going: Doomed) -> None:
        """Where what is derived shall be made anew, let what is left of its sources be learnt from again."""
        if self.engine.settings.erase_derived == "rebuild" and going.derived:
            nums = Test("num", "in", tuple(other_sources(transaction, going)))
            transaction.update(Record, [nums, Test("kind", "eq", Kind.EPISODIC)], consolidated_at=None)

    def _living(self, transaction: Transaction, removal: Removal, going: Doomed) -> set[str]:
        """Return the index terms of what went that others of the same owners hold still."""
        terms = sorted(removal.traces.terms)
        scopes = {(record.memory.scope.org, record.memory.scope.user) for record in going.all}
        held = [holders(transaction, org, user, terms, limit=1) for org, user in scopes] if terms else []
        return {term for rows in held for term, some in zip(terms, rows, strict=True) if some}

    def _counted(self, transaction: Transaction, removal: Removal, going: Doomed) -> tuple[Receipt, ErasureTraces]:
        """Return the receipt with what went now, and what is to be looked for of it."""
        sought, shared = removal.traces.sought(self._living(transaction, removal, going))
        before = self.receipt
        names = dict.fromkeys((*before.removed, *removal.removed))
        counts = removal.traces.counted()
        within_view = within(self.scope)
        mine = tuple(record.memory.id for record in going.all if passes(record.memory, within_view))
        receipt = replace(
            before,
            memory_ids=(*before.memory_ids, *mine),
            removed={name: before.removed.get(name, 0) + removal.removed[name] for name in names},
            shared=before.shared + shared,
            searched={name: before.searched.get(name, 0) + number for name, number in counts.items()},
        )
        return receipt, ErasureTraces(frozenset(sought), frozenset(removal.traces.salts))
