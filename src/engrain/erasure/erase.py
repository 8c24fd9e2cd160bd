"""Erasure: `erase` removes memories from every table, with everything derived from them, and returns a receipt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from engrain.conversation.sessions import Message, append, conversation, newest, turn_of
from engrain.engine import Engine, ErasureTraces
from engrain.erasure.receipts import Traces, out_of_reach, prove, rows, words_of
from engrain.language.tokens import index_counts
from engrain.llm.asker import spent_by
from engrain.model.audit import PENDING, Forgotten, Receipt
from engrain.model.filters import AnyOf, Condition, Filter, Test, parse_where, passes, within
from engrain.model.memory import AuditEntry, Job, Kind, Memory, Scope, Status, Turn, is_hidden, need_review
from engrain.security.audit import ERASE, Trail, who
from engrain.storage import interface
from engrain.storage import rows as tables
from engrain.storage.interface import Reader, Transaction, among, batches, first, holders, in_pages
from engrain.storage.rows import ConversationRow, EntityRow, ExactKeyRow, MergeRow, Posting, Record, Revision, TurnRow
from engrain.text import pattern, without_invisible
from engrain.write import transitions
from engrain.write.prepare import index_text
from engrain.write.transitions import HEARD, Editor, is_summary, sources, transact, withdraw_witness

DETACH, REDACT = "detach", "redact"
_FORGOTTEN = '"forgotten"'
_ID = pattern(r"mem_[0-9a-f]{32}")
_DECIDED = ("create", "import")  # entries that explain the decision of a write
_GIVEN = (": its writer says", ": judged to")  # the text after a reason given by a caller or a model
_AT_ONCE = 500  # requested memories of one transaction


@dataclass(frozen=True, slots=True)
class Wanted:
    """The target of an erasure: everything of one user, agent or session, or that passes a filter."""

    scope: Scope
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    org: str | None = None
    where: Mapping[str, Any] | None = None

    @property
    def is_outside(self) -> bool:
        """Whether it is outside the view, where there is nothing."""
        view = self.scope
        pairs = ((self.user, view.user), (self.agent, view.agent), (self.session, view.session))
        outside = any(wanted is not None and own not in (None, wanted) for wanted, own in pairs)
        return outside or (self.org is not None and (self.org != view.org or view != Scope(view.org)))

    @property
    def memories(self) -> Filter:
        """The filter of the target's memories, of any status, working memories included."""
        named = (Test(name, "eq", value) for name in ("agent", "session") if (value := getattr(self, name)) is not None)
        of_user = Scope(self.scope.org, self.user or self.scope.user, self.scope.agent)
        return within(of_user).but(*named, *parse_where(self.where))

    @property
    def owner(self) -> Scope:
        """The view, narrowed to the target's scope."""
        view = self.scope
        return Scope(view.org, self.user or view.user, self.agent or view.agent, self.session)


def erase(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> Forgotten:
    """Erase the memories that a filter of the view passes, with all that depends on them."""
    return _Erasure(engine, scope, reason).run(where, None)


def erase_all(engine: Engine, wanted: Wanted, *, reason: str) -> Forgotten:
    """Erase the memories of a scope, and its other rows."""
    return _Erasure(engine, wanted.scope, reason).run(wanted.memories, partial(_clear, wanted))


def erase_records(
    engine: Engine, scope: Scope, chosen: Callable[[Reader], Sequence[ExactKeyRow]], *, reason: str
) -> Forgotten:
    """Erase exact records of a collection, each with its memory; the count is that of the records."""
    with engine.store.read(scope.org) as reader:
        nums = tuple(row.num for row in chosen(reader) if row.num is not None)
    memories = Filter(scope.org, scope.user).but(Test("num", "in", nums))
    erasure = _Erasure(engine, scope, reason)
    done = erasure.run(memories, lambda removal: removal.remove_records(scope, chosen(removal.transaction)))
    return replace(done, count=0 if done.receipt is None else done.receipt.removed.get("records", 0))


def would_erase(engine: Engine, wanted: Wanted) -> Forgotten:
    """Return how many memories an erasure would remove, and how many beside the requested ones."""
    with engine.store.read(wanted.scope.org) as reader:
        found = reader.find(Record, wanted.memories)
        (going, _), view = _going(reader, wanted.scope, found), within(wanted.scope)
    beside = sum(passes(record.memory, view) for record in going[len(found) :])
    return Forgotten(len(found), dry_run=True, beside=beside)


def erase_conversation(engine: Engine, scope: Scope, *, reason: str) -> Forgotten:
    """Erase the log of a session with the memories of its turns and their derivatives."""
    tests = [Test("id", "eq", tables.conversation_id(scope))]
    with engine.store.read(scope.org) as reader:
        talks = [row.num for row in reader.find(ConversationRow, tests)]
        turns = among(reader, TurnRow, "conversation", talks, order="position")
    memories = Test("num", "in", tuple(turn.num for turn in turns if turn.num is not None))
    clear = partial(_clear_conversations, tests=tests)
    return _Erasure(engine, scope, reason).run(Filter(scope.org, scope.user).but(memories), clear)


def drop_turns(editor: Editor, scope: Scope, turns: Sequence[TurnRow]) -> None:
    """Remove turns from their log, each with its memory and the derivatives of that."""
    removal = Removal(editor.transaction, editor.trail, is_proven=False)
    if nums := tuple(turn.num for turn in turns if turn.num is not None):
        removal.remove(_removable(editor.transaction, scope, nums))
    plain = [turn for turn in turns if turn.num is None]
    removal.drop_turns(plain)
    for turn in plain:
        editor.trail.note("pop", turn.id)


def pop_turn(engine: Engine, scope: Scope) -> Turn | None:
    """Remove the newest turn of a session's log and return it; None if there is none."""

    def change(editor: Editor) -> TurnRow | None:
        row = conversation(editor.transaction, scope)
        found = [] if row is None else newest(editor.transaction, row, 1)
        drop_turns(editor, scope, found)
        return found[0] if found else None

    row = transact(engine, scope, change)
    return None if row is None else turn_of(row)


def replace_turns(engine: Engine, scope: Scope, messages: Sequence[Message]) -> list[Turn]:
    """Replace a session's log with messages, in one transaction; the old turns are removed with their memories."""

    def change(editor: Editor) -> None:
        row = conversation(editor.transaction, scope)
        if row is not None:
            drop_turns(editor, scope, newest(editor.transaction, row))

    return append(engine, scope, messages, first=change)


class _Erasure:
    """One erasure: as many transactions as it needs, each complete in itself, and one receipt for all of them."""

    def __init__(self, engine: Engine, scope: Scope, reason: str) -> None:
        self.engine, self.scope, self.reason = engine, scope, reason
        self.ids: list[str] = []
        new, now = engine.new_id("rcp"), engine.clock.now()
        beyond = out_of_reach(engine, scope)
        self.receipt = Receipt(id=new, at=now, org=scope.org, status=PENDING, memory_ids=(), out_of_reach=beyond)
        self.sought = ErasureTraces()

    def run(self, where: Filter, clear: Callable[[Removal], None] | None) -> Forgotten:
        """Erase until no memory is found any more, then prove it."""
        more = True
        while more:
            ids, self.receipt, sought, more = self.engine.store.write(
                lambda transaction: self._step(transaction, where, clear), self.scope.org
            )
            self.ids += ids
            self.sought = ErasureTraces(self.sought.common | sought.common, self.sought.unique | sought.unique)
        if not self.receipt.removed:
            return Forgotten(0)
        self.engine.erasure_traces[self.receipt.id] = self.sought
        proven = prove(self.engine, self.receipt, self.scope)
        return Forgotten(len(self.ids), tuple(self.ids), False, proven, len(proven.memory_ids) - len(self.ids))

    def _step(
        self, transaction: Transaction, where: Filter, clear: Callable[[Removal], None] | None
    ) -> tuple[list[str], Receipt, ErasureTraces, bool]:
        """Erase one batch; return its ids, the receipt so far, the traces to search for, and if more may remain."""
        found = transaction.find(Record, where, limit=_AT_ONCE)
        trail = Trail(self.engine, transaction, self.scope, at=self.engine.clock.now())
        removal = Removal(transaction, trail, self.reason)
        going, derived = _going(transaction, self.scope, found)
        if self.engine.settings.erase_derived == "rebuild" and derived:
            # Remaining sources are consolidated again.
            gone = {record.num for record in going}
            nums = Test("num", "in", tuple(num for num in sources(transaction, derived) if num not in gone))
            transaction.update(Record, [nums, Test("kind", "eq", Kind.EPISODIC)], consolidated_at=None)
        removal.remove(going)
        more = len(found) == _AT_ONCE
        if clear is not None and not more:
            clear(removal)
            if not found and removal.removed:  # an entry of its own, though no memory was removed
                trail.note(ERASE, self.receipt.id, reason=self.reason)
        living = removal.living()
        removal.redact(living, self.scope)
        trail.write()
        if removal.removed:
            removal.remove_answers(self.scope)
        receipt, sought = self._counted(removal, going, living)
        if removal.removed:
            transaction.put(*rows(receipt, self.scope, self.engine.clock.now()))
        return [record.memory.id for record in found], receipt, sought, more

    def _counted(
        self, removal: Removal, going: Sequence[Record], living: frozenset[str]
    ) -> tuple[Receipt, ErasureTraces]:
        """Return the receipt extended by this batch, and the traces to search for."""
        removal.traces.read(removal.reasons)
        sought, shared = removal.traces.sought(living)
        before, counts, view = self.receipt, removal.traces.counted(), within(self.scope)
        names = dict.fromkeys((*before.removed, *removal.removed))
        ids = (*before.memory_ids, *(r.memory.id for r in going if passes(r.memory, view)))
        removed = {name: before.removed.get(name, 0) + removal.removed[name] for name in names}
        searched = {name: before.searched.get(name, 0) + number for name, number in counts.items()}
        receipt = replace(before, memory_ids=ids, removed=removed, shared=before.shared + shared, searched=searched)
        return receipt, ErasureTraces(frozenset(sought), frozenset(removal.traces.salts))


def _removable(reader: Reader, scope: Scope, nums: tuple[int, ...], *, are_expired: bool = False) -> list[Record]:
    """Return memories with what is removed along; `AccessDenied` for what waits for a verdict, and is not expired."""
    asked = reader.find(Record, [Test("num", "in", nums)])
    going = _going(reader, scope, asked)[0]
    if not are_expired:
        along = (record for record in going[len(asked) :] if is_hidden(record.memory))
        need_review("removing what waits for a verdict", (record.memory for record in (*asked, *along)))
    return going


def _going(reader: Reader, scope: Scope, asked: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Return the memories to remove with the requested ones: all of them, those first, and the derivatives among them.

    A fact is removed with the turns that it was extracted from, as far as the view has them. A summary of many memories
    (a conclusion, a habit) leaves those alone; but it is removed with any of them, of any owner, as it contains them.
    """
    going = {record.num: record for record in asked}
    facts = [record for record in asked if record.memory.kind is Kind.SEMANTIC and not _summarises(record.memory)]
    above = [num for num in sources(reader, facts) if num not in going]
    nums = Test("num", "in", tuple(above))
    found = reader.find(Record, within(scope).but(nums, Test("kind", "in", HEARD))) if above else []
    turns = {record.num for record in found}
    going |= {record.num: record for record in found}
    stated = {record.memory.content for record in going.values()}  # other facts of a turn stay, but no copy of its text
    derived: dict[int, Record] = {}
    new, first = dict(going), True
    while new:
        new = {
            record.num: record
            for source, record in transitions.derived_from(reader, new)
            if record.num not in going
            and (source not in turns or not first or record.memory.content in stated or _summarises(record.memory))
        }
        derived |= new
        going |= new
        first = False
    return list(going.values()), list(derived.values())


def _summarises(memory: Memory) -> bool:
    return memory.kind is Kind.PROCEDURAL or is_summary(memory)


@dataclass(slots=True)
class Removal:
    """Removes memories in one transaction, counts the removed rows by place, and collects traces to search for."""

    transaction: Transaction
    trail: Trail
    reason: str = ""
    is_proven: bool = True  # by a search for the traces
    removed: Counter[str] = field(default_factory=Counter)
    traces: Traces = field(default_factory=Traces)
    reasons: list[str] = field(default_factory=list)  # of their entries
    owners: dict[tuple[str, str | None], int] = field(default_factory=dict)  # of each, with their namespaces
    _gone: set[str] = field(default_factory=set)
    _related: set[str] = field(default_factory=set)  # their successors and predecessors

    def delete(self, kind: type[Any], place: str, *tests: Condition) -> None:
        """Remove rows, and count them under a name."""
        self.count(place, self.transaction.delete(kind, list(tests)))

    def count(self, place: str, number: int) -> None:
        """Count removed rows under a name."""
        if number:
            self.removed[place] += number

    def remove(self, records: Sequence[Record]) -> None:
        """Remove memories; each leaves an entry in the audit trail that only records its erasure."""
        nums = tuple(record.num for record in records)
        ids = tuple(record.memory.id for record in records)
        if not nums:
            return
        self.traces.vectors |= set(interface.imprints(self.transaction, nums))
        for record in records:
            self.traces.take(record.memory, record.salt)
            self._remove_from_index(record)
        self.drop_turns(self.transaction.find(TurnRow, [Test("num", "in", nums)]))
        self._drop_records(self.transaction.find(ExactKeyRow, [Test("num", "in", nums)]))
        self._detach(records)
        for revision in self.transaction.find(Revision, [Test("num", "in", nums)], order="seq"):
            self.traces.take(Memory.from_dict(json.loads(revision.memory)), "")
        self.delete(Revision, "revisions", Test("num", "in", nums))
        self._gone |= set(ids)
        owners = {(record.memory.scope.org, record.memory.scope.user) for record in records}
        self.owners |= {owner: self.transaction.namespace(*owner) for owner in sorted(owners, key=str)}
        self._remove_from_graph(nums, self.owners.values())
        self.delete(Job, "jobs", Test("memory_id", "in", ids))
        self.delete(tables.WitnessRow, "witnesses", Test("num", "in", nums))
        for memory_id in ids:
            withdraw_witness(self.transaction, memory_id, self.trail)
        for end in ("source", "target"):
            self.delete(tables.Edge, "links", Test(end, "in", nums))
        self.delete(Record, "memories", Test("num", "in", nums))
        self._write_off(records)

    def remove_records(self, scope: Scope, rows: Sequence[ExactKeyRow], *, are_expired: bool = False) -> None:
        """Remove exact records, each with its memory and derivatives; each leaves an entry in the trail."""
        for some in batches(rows, _AT_ONCE):
            if nums := tuple(row.num for row in some if row.num is not None):
                self.remove(_removable(self.transaction, scope, nums, are_expired=are_expired))
            self._drop_records([row for row in some if row.num is None])

    def _drop_records(self, rows: Sequence[ExactKeyRow]) -> None:
        for collection, some in groupby(sorted(rows, key=attrgetter("collection")), attrgetter("collection")):
            for row in some:
                of = (Test("collection", "eq", collection), Test("position", "eq", row.position))
                if self.is_proven:
                    (whole,) = self.transaction.find(tables.ExactRow, of)
                    self.traces.read(whole.whole_key)
                    self.traces.take_exact(whole.value, is_json=whole.encoding == "json")
                self.delete(tables.ExactRow, "records", *of)
                self.trail.note("record.delete", row.id, reason=self.reason)

    def remove_answers(self, scope: Scope) -> None:
        """Remove the answers to an org's requests, and the digests of these, which stay recorded as carried out."""
        org, of = scope.org, Test("org", "eq", scope.org)
        counter = f"{tables.ERASURES}{org}"
        number = int(interface.value_of(self.transaction, org, counter) or 0) + 1
        self.transaction.put(tables.Setting(counter, str(number), org))  # for requests that are under way
        answers = self.transaction.update(tables.AnswerRow, [of, Test("body", "ne", None)], body=None)
        self.count("answers", answers if scope == Scope(org) else 0)
        self.transaction.update(tables.AnswerRow, [of, Test("request", "ne", "")], request="")

    def living(self) -> frozenset[str]:
        """Return the index terms of removed memories that others of the same owners still have."""
        terms, living = sorted(self.traces.own_terms()), set[str]()
        for org, user in self.owners if terms else ():
            found = holders(self.transaction, org, user, terms, limit=1)
            living |= {term for term, some in zip(terms, found, strict=True) if some}
        return frozenset(living)

    def redact(self, living: frozenset[str], scope: Scope) -> None:
        """Empty the reasons of the same owners and of the organisation that quote erased content: its words or text."""
        own, texts = self.traces.own_terms(living), self.traces.texts
        common = self.transaction.look_up(scope.org, None, terms=sorted(own), rows=1)
        shared = {term for term, some in zip(sorted(own), common.holders, strict=False) if some}
        if common.namespace is not None:
            self.owners[scope.org, None] = common.namespace

        def quotes(reason: str, user: str | None) -> bool:
            terms, shown = own if user is not None else own - shared, (reason, without_invisible(reason))
            return any(
                not terms.isdisjoint(index_counts(each)) or any(text in each.encode() for text in texts)
                for each in shown
            )

        self.count("reasons", self.trail.redact(quotes))
        given = [Test("org", "eq", scope.org), Test("reason", "ne", "")]
        for user in self.transaction.count(AuditEntry, given, by="user"):
            of_user = [*given, Test("user", "eq", user)]
            for page in in_pages(self.transaction, AuditEntry, "seq", *of_user):
                entries = [e for e in page if e.operation not in _DECIDED or any(given in e.reason for given in _GIVEN)]
                if seqs := self._of_owners([each for each in entries if quotes(each.reason, each.user)], scope):
                    of = [*of_user, Test("seq", "in", tuple(seqs))]
                    self.count("reasons", self.transaction.update(AuditEntry, of, reason=""))
        self._redact_states(quotes)
        self._clean_revisions(quotes)

    def _of_owners(self, entries: Sequence[AuditEntry], scope: Scope) -> list[int]:
        """Return the numbers of the entries about these owners, or about removed memories and by this actor."""
        ids, own = Test("id", "in", tuple({entry.memory_id for entry in entries})), set(self.owners.values())
        records = self.transaction.find(Record, [ids])
        about = {each.memory.id: (each.memory.scope.org, each.memory.scope.user) in self.owners for each in records}
        about |= {merge.id: merge.ns in own for merge in self.transaction.find(MergeRow, [ids], order="id")}
        everyone, actor = scope.user is None, who(scope)
        return [each.seq for each in entries if about.get(each.memory_id, everyone or each.actor == actor)]

    def _redact_states(self, quotes: Callable[[str, str | None], bool]) -> None:
        """Empty the reasons for which other memories of the same owners were forgotten."""
        own = Test("ns", "in", tuple(self.owners.values()))
        forgotten = [own, Test("status", "eq", Status.FORGOTTEN), Test("status_reason", "ne", "")]
        for record in self.transaction.find(Record, forgotten) if self.owners else ():
            if quotes(record.memory.status_reason, record.memory.scope.user):
                self.transaction.update(Record, [Test("num", "eq", record.num)], status_reason="")
                self.trail.add(REDACT, replace(record.memory, status_reason=""), record.salt)
                self.count("reasons", 1)

    def read_turns(self, turns: Iterable[TurnRow]) -> None:
        """Add the words of removed turns to the traces."""
        for turn in turns:
            self.traces.read(turn.content, turn.actor, turn.metadata)
            if turn.data is not None:
                self.traces.take_exact(turn.data.encode())

    def _remove_from_index(self, record: Record) -> None:
        """Remove index terms: by the text, and if it was indexed otherwise, by a scan of all of them."""
        memory, transaction = record.memory, self.transaction
        namespace = transaction.namespace(memory.scope.org, memory.scope.user)
        row = [Test("ns", "eq", namespace), Test("num", "eq", record.num)]
        terms = tuple({**index_counts(index_text(memory, situate=True)), **index_counts(memory.content)})
        known = [*row, Test("term", "in", terms)]
        found = sum(posting.times for posting in transaction.find(Posting, known))
        self.delete(Posting, "index terms", *known)
        if found != record.length:
            self.traces.read(*(posting.term for posting in transaction.find(Posting, row)))
            self.delete(Posting, "index terms", *row)
        self.delete(tables.Vector, "vectors", *row)

    def drop_turns(self, turns: Sequence[TurnRow]) -> None:
        """Remove turns from the log, and the summaries that contain them."""
        transaction = self.transaction
        self.read_turns(turns)
        transitions.leave_windows(transaction, turns)
        for row in among(transaction, ConversationRow, "num", {turn.conversation for turn in turns}, order="num"):
            self.traces.read(row.state)
            gone = [turn for turn in turns if turn.conversation == row.num]
            if row.state and any(not turn.live for turn in gone) and transitions.mark_summaries_stale(transaction, row):
                self.count("summaries of windows", 1)
            places = tuple(turn.position for turn in gone)
            self.delete(TurnRow, "turns", Test("conversation", "eq", row.num), Test("position", "in", places))

    def _detach(self, records: Sequence[Record]) -> None:
        """Link the predecessors of removed memories to the successors of these."""
        heads = {record.memory.id: record.memory.superseded_by for record in records}
        editor = Editor(self.trail.engine, self.transaction, self.trail)
        for record in sorted(records, key=lambda each: each.memory.valid_from):  # one that has not begun ends nothing
            self._related |= {old.id for old in editor.reopen(record, reason="", after=self.trail.at)}
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

    def _clean_revisions(self, quotes: Callable[[str, str | None], bool]) -> None:
        """Remove the erased ids, and reasons that quote removed content, from earlier states of other memories."""
        for revision in chain.from_iterable(in_pages(self.transaction, Revision, "seq")):
            names = not self._gone.isdisjoint(_ID.findall(revision.memory))
            if not names and _FORGOTTEN not in revision.memory:
                continue
            state = json.loads(revision.memory)
            state, scope = _without(state, self._gone) if names else state, state["scope"]
            is_own = (scope["org"], scope["user"]) in self.owners and state["status"] == Status.FORGOTTEN
            if is_own and quotes(state.get("status_reason", ""), scope["user"]):
                state["status_reason"] = ""
            if (after := json.dumps(state, ensure_ascii=False)) != revision.memory:
                self.transaction.update(Revision, [Test("seq", "eq", revision.seq)], memory=after)

    def _write_off(self, records: Sequence[Record]) -> None:
        """Record in the trail that they are erased, and remove the reasons beside their entries."""
        ids = tuple(record.memory.id for record in records)
        given = [Test("memory_id", "in", ids), Test("reason", "ne", "")]
        reasons = [entry.reason for entry in self.transaction.find(AuditEntry, given, order="seq")]
        self.reasons += reasons
        self.count("reasons", len(reasons))
        for record in records:
            self.trail.erased(record.memory, reason=self.reason)
        beside = [Test("memory_id", "in", tuple(self._related - set(ids))), Test("reason", "in", tuple(set(reasons)))]
        if self._related and reasons:  # the same reason was given for both
            self.count("reasons", self.transaction.update(AuditEntry, beside, reason=""))

    def _remove_from_graph(self, nums: Sequence[int], namespaces: Iterable[int]) -> None:
        """Remove these memories' statements about entities, and the entities that have no others."""
        transaction, cited = self.transaction, Test("num", "in", tuple(nums))
        merges = transaction.find(MergeRow, [cited], order="at")
        touched = {row.entity for row in transaction.find(tables.MentionRow, [cited])}
        touched |= {end for row in transaction.find(tables.RelationRow, [cited]) for end in (row.source, row.target)}
        touched |= {end for row in merges for end in (row.keep, row.other)}
        self.part(merge for merge in merges if merge.state == tables.MERGED)
        self.traces.read(*(merge.reason for merge in merges))
        self.delete(tables.MentionRow, "mentions", cited)
        self.delete(tables.RelationRow, "relations", cited)
        self.delete(MergeRow, "merges", cited)
        # An edit may have left an entity without mentions: its name contains an erased word.
        words = {word.casefold() for word in self.traces.words}
        for namespace in namespaces:
            rows = transaction.find(EntityRow, [Test("ns", "eq", namespace)], order="id")
            touched |= {row.id for row in rows if not words.isdisjoint(words_of(row.key))}
        self.remove_unknown(touched)

    def part(self, merges: Iterable[MergeRow]) -> None:
        """Undo merges: the merged row is a separate entity again."""
        for merge in merges:
            by = Test("agent", "eq", merge.agent)
            other = [Test("id", "eq", merge.other), Test("merged_into", "eq", merge.keep), by]
            self.transaction.update(EntityRow, other, merged_into=None, agent=None)
            own = [Test("ns", "eq", merge.ns), Test("state", "eq", tables.OWN), Test("other", "eq", merge.other), by]
            self.transaction.delete(MergeRow, own)

    def remove_unknown(self, entities: Iterable[int]) -> None:
        """Remove those entities without any statement, and their merges, which may leave others in the same state."""
        transaction, left = self.transaction, set(entities)
        while left:
            entity = left.pop()
            row = first(transaction, EntityRow, Test("id", "eq", entity))
            if row is None or self._is_known(entity):
                continue
            self.traces.read(row.name, row.key)
            either = AnyOf(((Test("keep", "eq", entity),), (Test("other", "eq", entity),)))
            for merge in transaction.find(MergeRow, [either], order="at"):
                self.traces.read(merge.reason)
                left |= {merge.keep, merge.other} - {entity}
            self.delete(MergeRow, "merges", either)
            under = [Test("merged_into", "eq", entity)]
            left |= {alias.id for alias in transaction.find(EntityRow, under, order="id")}
            left |= set() if row.merged_into is None else {row.merged_into}
            transaction.update(EntityRow, under, merged_into=None, agent=None)
            self.delete(EntityRow, "entities", Test("id", "eq", entity))

    def _is_known(self, entity: int) -> bool:
        """Return whether a memory mentions an entity, a relation has it as an end, or a caller stated it."""
        by_entity = Test("entity", "eq", entity)
        ends = AnyOf(((Test("source", "eq", entity),), (Test("target", "eq", entity),)))
        evidence = ((tables.MentionRow, by_entity), (tables.EntityNote, by_entity), (tables.RelationRow, ends))
        return any(first(self.transaction, kind, test) is not None for kind, test in evidence)


def _without(value: Any, ids: Set[str]) -> Any:
    """Return a JSON value without these ids: links to one are removed, and fields with one are emptied."""
    if isinstance(value, str):
        return None if value in ids else value
    if isinstance(value, dict):
        return {name: _without(inside, ids) for name, inside in value.items()}
    return [_without(inside, ids) for inside in value if not _names(inside, ids)] if isinstance(value, list) else value


def _names(value: Any, ids: Set[str]) -> bool:
    return value in ids if isinstance(value, str) else isinstance(value, dict) and value.get("memory_id") in ids


def _clear_conversations(removal: Removal, tests: Sequence[Condition]) -> None:
    transaction = removal.transaction
    for row in transaction.find(ConversationRow, tests):
        of_row = Test("conversation", "eq", row.num)
        removal.read_turns(transaction.find(TurnRow, [of_row], order="position"))
        removal.traces.read(row.state)
        removal.delete(TurnRow, "turns", of_row)
        removal.delete(tables.SummaryRow, "summaries of windows", of_row)
        removal.delete(Job, "jobs", Test("memory_id", "eq", row.id))
        removal.delete(ConversationRow, "conversations", Test("num", "eq", row.num))


def _clear(wanted: Wanted, removal: Removal) -> None:
    """Remove the other rows of a scope: conversations, records, callers' statements, keys, counts."""
    if wanted.where is not None:
        return
    transaction, owner = removal.transaction, wanted.owner
    named = {name: getattr(owner, name) for name in ("org", "user", "agent", "session")}
    tests: list[Condition] = [Test(name, "eq", value) for name, value in named.items() if value is not None]
    _clear_conversations(removal, tests)
    for collection in transaction.find(tables.CollectionRow, tests):
        removal.remove_records(wanted.scope, transaction.find(ExactKeyRow, [Test("collection", "eq", collection.num)]))
        removal.delete(tables.CollectionRow, "collections", Test("num", "eq", collection.num))
    if owner.session is not None:
        return
    for key in transaction.find(tables.KeyRow, tests, order="id"):
        removal.traces.read(key.name)
        removal.trail.note("key.erase", key.id)
    removal.delete(tables.KeyRow, "keys", *tests)
    for user in interface.users(transaction, owner.org):
        if owner.user in (None, user):
            _clear_graph(removal, transaction.namespace(owner.org, user), owner.agent)
            if owner.agent is None:
                removal.delete(tables.Setting, "settings", Test("name", "eq", spent_by(Scope(owner.org, user))))
                interface.abandon(transaction, owner.org, user)


def _clear_graph(removal: Removal, namespace: int, agent: str | None) -> None:
    """Remove callers' statements about a graph: all of them, or those of one agent."""
    transaction = removal.transaction
    ids = [row.id for row in transaction.find(EntityRow, [Test("ns", "eq", namespace)], order="id")]
    mine: list[Condition] = [] if agent is None else [Test("agent", "eq", agent)]
    own = [Test("ns", "eq", namespace), *mine]
    merges = transaction.find(MergeRow, own, order="at")
    removal.traces.read(*(merge.reason for merge in merges))
    removal.part(merges)
    removal.delete(MergeRow, "merges", *own)
    notes = [Test("entity", "in", tuple(ids)), *mine]
    for note in transaction.find(tables.EntityNote, notes, order="entity"):
        removal.traces.read(note.metadata, note.agent)
    removal.delete(tables.EntityNote, "notes", *notes)
    removal.delete(tables.RelationRow, "relations", Test("source", "in", tuple(ids)), Test("num", "eq", None), *mine)
    removal.remove_unknown(ids)
