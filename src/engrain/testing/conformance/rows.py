"""Every kind of row is put, found, counted, changed and deleted, and comes back as it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import groupby
from operator import attrgetter
from typing import Any

from engrain.errors import StoreError
from engrain.model.audit import Role
from engrain.model.filters import Filter, Test, heated
from engrain.model.memory import AuditEntry, Expiry, Fact, Job, JobState, Kind, Memory, Source, SourceType, Status
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.storage import rows as tables
from engrain.storage.interface import Store, Transaction
from engrain.storage.rows import STATED, CollectionRow, ConversationRow, ExactRow, KeyRow, Record, TurnRow, Vector
from engrain.testing.conformance.base import E1, E2, EVERYTHING, Conformance, close, floats, ints
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, NOON, full_memory, memory, raises, record

TEXTS = (
    "Grüße aus Tbilisi, თბილისი, 東京, القاهرة",
    "👩‍👩‍👧‍👦 and 🏳️‍🌈, a\u0301 combined, \u200bzero width\u200d",
    "quotes ' \" ` and \\ and % and _ and ; -- DROP TABLE memories",
    "lines\r\n\ttabs\x0b\x1b and \x7f",
    "\ufeff\ufffe\U0010ffff at the edges of Unicode",
    "x" * 1_000_000,
    "ж" * 500_000,
)
METADATA: dict[str, Any] = {
    "": "empty key",
    "quote \" and ' and . and $ and [0]": 1,
    "ключ 🔑": {"deep": [[{"x": None}]]},
    "one": 1,
    "one point": 1.0,
    "true": True,
    "none": None,
    "big": 2**63 - 1,
    "small": -(2**63),
    "tiny": 5e-324,
    "huge": 1.7976931348623157e308,
    "list": [1, 1.5, "1", True, None],
}
_DAY = timedelta(days=1)
_ANA, _AGENTS = Filter("acme", "ana"), [Test("agent", "eq", name, or_null=True) for name in ("scout", "cook")]
_SCOPES = (Filter("acme"), _ANA, _ANA.but(_AGENTS[0]), _ANA.but(_AGENTS[1]), Filter("acme", "bo"))
REPLACED: dict[type[Any], tuple[str, dict[str, Any]]] = {
    tables.WitnessRow: ("num source", {"author": "key_1"}),
    tables.EntityNote: ("entity agent", {"metadata": "{}"}),
    tables.MentionRow: ("entity num", {"origin": STATED, "pairs": False}),
    tables.MergeRow: ("id", {"state": tables.MERGED, "agent": None}),
    tables.SummaryRow: ("conversation", {"state": {"summary": "shorter"}}),
    ExactRow: ("collection position", {"revision": 9, "value": b"", "encoding": "base64"}),
    tables.Head: ("org user", {"seq": 2, "hash": "z"}),
    tables.ReceiptRow: ("id", {"status": "complete"}),
    Job: ("id", {"state": JobState.DEAD, "lease_until": None, "error": ""}),
    tables.Setting: ("name", {"value": "two"}),
}
"""Kinds of rows whose key is given once, with a change; another one of that key takes the place of the first."""
KEPT: dict[type[Any], tuple[str, dict[str, Any]]] = {  # the same, where another one of that key is refused
    AuditEntry: ("org at", {"hash": "forged"}),
    KeyRow: ("id", {"hash": "c" * 64}),
    tables.AnswerRow: ("org caller name", {"salt": "another", "body": None}),
}


class RecordRows(Conformance):
    """Records: every field, every extreme."""

    def _round_trip(self, *kept: Memory) -> None:
        for each in kept:
            (num,) = self.put(Record(each, identity=each.id, salt="s", due_at=NOON + _DAY))
            (found,) = self.find(Record, Filter(each.scope.org, conditions=(Test("num", "eq", num),)))
            assert found == Record(each, each.id, "s", num, due_at=NOON + _DAY)

    def test_a_record_comes_back_with_every_field_with_none_and_with_empty_ones(self) -> None:
        empty = memory("", key="", actor="", tags=("",), superseded_by="", fact=Fact("", "", ""), session="", agent="")
        procedure = Procedure(name="tea", steps=(ProcedureStep(action="fill the kettle", tool_name="tap"),))
        used = (NOON - _DAY, NOON - 2 * _DAY)
        lived = memory(expiry=Expiry.GIVEN, consolidated_at=NOON, procedure=procedure, accessed_before=used)
        self._round_trip(full_memory(), memory(), empty, lived)
        self._round_trip(*(memory(kind=kind) for kind in Kind), *(memory(status=status) for status in Status))
        self._round_trip(*(memory(source=Source(source)) for source in SourceType))

    def test_any_text_comes_back_as_it_was(self) -> None:
        for text in TEXTS:
            some = text[:50]
            self._round_trip(memory(text, summary=text[:200], keywords=(some,), tags=(some,), actor=some))

    def test_times_of_year_1_and_9999_keep_their_microseconds_and_come_back_in_utc(self) -> None:
        names = ("recorded_at", "updated_at", "valid_from", "valid_until", "believed_until", "expires_at")
        for moment in (FIRST_MOMENT, LAST_MOMENT, NOON.replace(year=1969, microsecond=999_999)):
            moments: dict[str, Any] = dict.fromkeys((*names, "last_accessed"), moment)
            self._round_trip(memory(**moments))
        self._round_trip(memory(valid_from=NOON.astimezone(timezone(timedelta(hours=9)))))
        assert self.memories()[-1].valid_from.utcoffset() == timedelta(0)

    def test_numbers_keep_every_bit_and_metadata_its_types(self) -> None:
        for number in (0.0, 1.0, 0.1, 1 / 3, 5e-324):
            self._round_trip(memory(importance=number, confidence=number, trust=number, strength=1 + number))
        self._round_trip(memory(metadata=METADATA))
        found = self.memories()[-1].metadata
        assert [type(found[name]) for name in METADATA] == [type(value) for value in METADATA.values()]

    def test_a_record_whose_slot_is_free_has_no_identity(self) -> None:
        self.put(replace(record(), identity=None), replace(record(), identity=None))
        assert [found.identity for found in self.find(Record, EVERYTHING)] == [None, None]

    def test_a_thousand_row_numbers_rise_and_come_back_in_the_order_given(self) -> None:
        texts = [f"Number {n}." for n in range(1000)]
        nums = self.put(*(record(text) for text in texts))
        assert nums == sorted(set(nums))
        assert [found.memory.content for found in self.find(Record, EVERYTHING)] == texts

    def test_naive_times_are_refused(self) -> None:
        with raises(ValueError, TypeError):
            self.put(record(valid_from=datetime(2026, 1, 1)))
        assert self.memories() == []


class Listing(Conformance):
    """Order, limits, counts and changes of records."""

    def _nums(self, order: str, where: Filter = EVERYTHING, limit: int | None = None) -> list[int]:
        return [found.num for found in self.find(Record, where, order=order, limit=limit)]

    def test_order_by_a_column_either_way_and_by_row_among_equals(self) -> None:
        a, b, c, d = self.put(*(record(recorded_at=NOON + day * _DAY) for day in (3, 1, 2, 1)))
        assert self._nums("recorded_at") == [b, d, c, a]
        assert self._nums("-recorded_at") == [a, c, d, b]
        for wrong in ("colour", "num; drop table x", "-", ""):
            with raises(ValueError):
                self._nums(wrong)

    def test_limit_cuts_after_filter_and_order(self) -> None:
        nums = self.put(*(record(importance=n % 2) for n in range(20)))
        where = EVERYTHING.but(Test("importance", "eq", 1.0))
        assert self._nums("-num", where, 3) == nums[1::2][:-4:-1]
        assert self._nums("num", where, 0) == []
        assert len(self._nums("num", where, 10**12)) == 10

    def test_what_is_due_is_found_in_its_order(self) -> None:
        due = [None if day is None else NOON + day * _DAY for day in (3, None, 1, 2)]
        nums = self.put(*(replace(record(), due_at=at) for at in due))
        assert self._nums("due_at", EVERYTHING.but(Test("due_at", "le", NOON + 2 * _DAY))) == [nums[2], nums[3]]
        assert self._nums("due_at", EVERYTHING.but(Test("due_at", "le", NOON))) == []

    def test_heat_is_a_filter(self) -> None:
        (hot,) = self.put(record("hot", last_accessed=NOON, accessed_before=(NOON, NOON - _DAY)))
        self.put(record("warm"), record("cold", recorded_at=NOON - 9 * _DAY))
        for name in ("hot", "warm", "cold"):
            assert self.contents(EVERYTHING.but(heated([name], NOON))) == {name}
        self.update(hot, last_accessed=NOON - 8 * _DAY, accessed_2=NOON - 9 * _DAY, accessed_3=None)
        assert self.contents(EVERYTHING.but(heated(["cold"], NOON))) == {"hot", "cold"}

    def test_what_is_counted_of_records_is_replaced_for_many_at_once_and_searches_know(self) -> None:
        texts = [memory("hot", tags=("tea",)), memory("cold", recorded_at=NOON - 9 * _DAY)]
        nums = [self.add(each, "tea", {E1: (1.0, 0.0, 0.0)}) for each in texts]
        hot = EVERYTHING.but(heated(["hot"], NOON))
        assert self.alike(hot) == []
        rows = self.find(tables.AccessRow, [Test("num", "in", tuple(nums))])
        assert rows == [
            tables.AccessRow(num, rows[0].ns, each.id, 0, None, None, None, 1.0)
            for num, each in zip(nums, texts, strict=True)
        ]
        used = [row._replace(access_count=3, last_accessed=NOON, accessed_2=NOON, accessed_3=NOON) for row in rows]
        self.put(*(row._replace(strength=1.3) for row in used))
        expected = replace(texts[0], access_count=3, last_accessed=NOON, accessed_before=(NOON, NOON), strength=1.3)
        assert self.alike(hot)[0].memory == expected
        assert len(self.alike(hot)) == 2

    def test_counts_by_column(self) -> None:
        self.put(*(record(status=status) for status in (Status.ACTIVE, Status.ACTIVE, Status.FORGOTTEN)))
        with self.store.read(self.org) as view:
            assert view.count(Record, EVERYTHING) == {"": 3}
            assert view.count(Record, EVERYTHING, by="status") == {"active": 2, "forgotten": 1}
        with self.store.read("nobody") as view:
            assert view.count(Record, Filter("nobody")) == {"": 0}
            assert view.count(Record, Filter("nobody"), by="status") == {}

    def test_every_column_of_a_memory_can_be_updated_and_nothing_else_changes(self) -> None:
        whole = replace(full_memory(), scope=memory(org="acme", user="ana").scope)
        one, _ = self.put(record(org="acme", user="ana"), record("Other.", org="acme", user="ana"))
        before = self.memories(Filter("acme"))
        names = (
            "content kind key actor position summary keywords tags entities domain tier importance confidence trust "
            "status status_reason valid_from valid_until updated_at believed_until expires_at superseded_by strength "
            "evidence_count access_count last_accessed evolution_count version pinned metadata"
        ).split()
        named = {name: getattr(whole, name) for name in names}
        assert self.change(Record, Test("num", "eq", one), org="acme", **named) == 1
        assert self.memories(Filter("acme")) == [replace(before[0], **named), before[1]]
        self.change(Record, Test("num", "eq", one), org="acme", superseded_by=None, expires_at=None)
        named |= {"superseded_by": None, "expires_at": None}
        assert self.memories(Filter("acme"))[0] == replace(before[0], **named)

    def test_updates_and_deletes_reach_every_row_that_passes(self) -> None:
        nums = self.put(*(record(importance=n / 10) for n in range(10)))
        high, none = Test("importance", "ge", 0.5), Test("num", "eq", 12345)
        assert self.change(Record, high, tier="C") == 5
        assert [found.tier for found in self.memories()] == ["B"] * 5 + ["C"] * 5
        assert self.change(Record, none, tier="A") == self.delete(Record, none) == 0
        assert self.delete(Record, high) == 5
        assert self._nums("num") == nums[:5]

    def test_records_come_without_their_links_where_none_are_asked_for(self) -> None:
        one, other = self.put(record(), record())
        self.put(tables.Edge(one, "related", other))
        first, second = (each.memory.id for each in self.find(Record))
        of_one = [Test("num", "eq", one)]
        assert [link.memory_id for link in self.find(Record, of_one)[0].memory.links] == [second]
        (found,) = self.find(Record, of_one, links=False)
        assert (found.memory.id, found.memory.links, found.memory.supersedes) == (first, (), ())

    def test_an_empty_store_finds_nothing_without_an_error(self) -> None:
        for kind in (Record, tables.Posting, Vector, *(type(row) for row in samples(self.open(self.beside("x")), "x"))):
            assert self.find(kind, EVERYTHING if kind is Record else ()) == []
        assert self.words("anything") == self.similar([1, 0, 0]) == []
        with self.store.read(self.org) as view:
            assert view.search_text({"a": 1.0}, EVERYTHING, limit=0).stats.documents == 0
            described = view.describe(ints([]), EVERYTHING, span=2, terms={"a": 1.0})
            assert described.around.size == described.rows.size == described.gains.size == 0
            assert len(described.columns.session) == 0
        assert self.store.size() >= 0


def samples(store: Store, org: str) -> list[tables.Row]:
    """Put two memories, two entities, a conversation and a collection; return rows of every other kind about them."""

    def parents(tx: Transaction) -> tuple[int, ...]:
        ns = tx.namespace(org, "ana")
        nums = tx.put(record(org=org, user="ana"), record(org=org, user="ana"))
        entities = tx.put(*(tables.EntityRow(ns, "tool", "software", name, name) for name in ("tea", "cup")))
        tx.put(ConversationRow(f"ses_{org}", ns, None, "monday", NOON, NOON))
        tx.put(CollectionRow(f"col_{org}", ns, None, "monday", "files"))
        talk = tx.find(ConversationRow, [Test("id", "eq", f"ses_{org}")])[0].num
        return ns, *nums, *entities, talk, tx.find(CollectionRow, [Test("id", "eq", f"col_{org}")])[0].num

    ns, one, two, tea, cup, talk, files = store.write(parents, org)
    plain_file = ExactRow(files, 1, '"a",', None, 1, NOON, None, None, NOON, None, "json", b'{"a":1}')
    plain_turn = TurnRow(talk, 0, f"trn_{org}", "user", None, NOON, 3, True, None, "hello", {})
    return [
        tables.Revision(one, 1, FIRST_MOMENT, NOON, '{"content": "ж 🏠 \' \\""}', "edit"),
        tables.Revision(one, 2, NOON, LAST_MOMENT, "x" * 1_000_000, "supersede"),
        tables.Edge(one, "derived_from", two),
        tables.Edge(one, "причина 🔗", two),
        *(tables.Posting(ns, term, one, times) for times, term in enumerate(("tea", "чай", "🍵", "'\"%"), start=1)),
        tables.WitnessRow(one, "user_input", "Ana ж"),
        tables.EntityNote(tea, "", '{"color": "ürün"}'),
        tables.EntityNote(tea, "scout", '{"cups": 2}'),
        tables.MentionRow(tea, one, tables.TEXT, True),
        tables.MentionRow(cup, one, tables.TEXT, False),
        tables.RelationRow(tea, "fills", cup, one, None, STATED, 0.25, FIRST_MOMENT, LAST_MOMENT, NOON, LAST_MOMENT),
        tables.RelationRow(cup, "holds", tea, None, "scout", STATED, 1.0, None, None, NOON),
        tables.RelationRow(cup, "holds", tea, None, "scout", STATED, 1.0, None, None, NOON),  # a list, not a set
        tables.MergeRow(f"mrg_{org}", ns, tea, cup, None, "scout", tables.PROPOSED, "they are alike", NOON),
        tables.SummaryRow(talk, {"summary": "…", "n": [1]}),
        plain_turn,
        plain_turn._replace(position=1, id=f"trn_1_{org}", actor="Ana", metadata={"n": 2}, tokens=0, live=False),
        plain_turn._replace(position=2, id=f"trn_2_{org}", data='{"ж":1}'),
        plain_file,
        replace(plain_file, position=2, key='"ж",', parts='"жж",', expires_at=LAST_MOMENT, ttl=2**62, revision=2**53),
        replace(plain_file, position=3, key='"a","b",', encoding="base64", value=bytes(range(256)) * 9000),
        AuditEntry(org, 1, NOON + timedelta(microseconds=1), "remember", "mem_1", "ana", "d", "h", "why ж"),
        AuditEntry(org, 2, LAST_MOMENT, "forget", "mem_1", "", "", ""),
        AuditEntry(org, 1, NOON, "remember", "mem_1", "ana", "d", "h", user="ana ж"),
        tables.Head(org, 1, "x"),
        tables.Head(org, 2, "y", 1, "signed", "ana ж"),
        tables.ReceiptRow(f"rcp_{org}", org, LAST_MOMENT, "pending", '{"a": "ж"}'),
        Job(f"job_{org}", "embed", org, "mem_1", NOON, JobState.RUNNING, 3, "it failed ж", LAST_MOMENT, "worker 1"),
        Job(f"job_2_{org}", "embed", org, "mem_2", FIRST_MOMENT),
        tables.Setting(f"spent by {org}", "🏠", org),
        KeyRow(f"key_{org}", org, "ana ж", "scout", Role.WRITE, "a" * 64, NOON, LAST_MOMENT, "ноутбук 🏠"),
        KeyRow(f"key_2_{org}", org, None, None, Role.ADMIN, "b" * 64, FIRST_MOMENT),
        tables.AnswerRow(org, f"key_{org}", "n", "s", "r", NOON, "1 mem_1", 200, '{"ж": "🏠 \'"}\n'),
        tables.AnswerRow(org, "", "n", "s", "", FIRST_MOMENT),
    ]


def changed(row: Any, **changes: Any) -> Any:
    """Return a row with other values."""
    return row._replace(**changes) if hasattr(row, "_replace") else replace(row, **changes)


def plain(rows: list[tables.Row]) -> list[str]:
    """Return rows as texts in order, without the numbers that a store gives them."""
    numbers = {tables.Revision: {"seq": 0}, tables.RelationRow: {"id": 0}, tables.EntityRow: {"id": 0}}
    return sorted(repr(changed(row, **numbers.get(type(row), {}))) for row in rows)


class OtherRows(Conformance):
    """Rows of every kind but records."""

    def _put_samples(self, org: str = "acme") -> dict[type[tables.Row], list[tables.Row]]:
        rows = samples(self.store, org)
        self.put(*rows, org=org)
        return {kind: list(same) for kind, same in groupby(rows, type)}

    def test_rows_of_every_kind_come_back_as_they_were_and_are_deleted(self) -> None:
        for kind, rows in self._put_samples().items():
            assert plain(self.find(kind, org="acme")) == plain(rows)
            with self.store.read("acme") as view:
                assert view.count(kind) == {"": len(rows)}
            if kind is not AuditEntry:  # which a server keeps
                assert self.delete(kind, org="acme") == len(rows)
                assert self.find(kind, org="acme") == []

    def test_a_row_of_the_same_key_replaces_the_first_or_is_refused(self) -> None:
        held = self._put_samples()
        for kind, (_, changes) in REPLACED.items():
            first, *others = held[kind]
            self.put(changed(first, **changes), org="acme")
            assert plain(self.find(kind, org="acme")) == plain([changed(first, **changes), *others])
        for kind, (_, changes) in KEPT.items():
            with raises(StoreError):
                self.put(changed(held[kind][0], **changes), org="acme")
            assert plain(self.find(kind, org="acme")) == plain(held[kind])

    def test_one_row_of_a_key_is_found_changed_and_deleted_by_it(self) -> None:
        held = self._put_samples()
        for kind, (key, changes) in {**REPLACED, **KEPT}.items():
            first, *others = held[kind]
            named = [Test(name, "eq", getattr(first, name)) for name in key.split()]
            assert self.find(kind, named, org="acme") == [first]
            if kind is AuditEntry:
                continue
            assert self.change(kind, *named, org="acme", **changes) == 1
            assert self.find(kind, named, org="acme") == [changed(first, **changes)]
            assert self.delete(kind, *named, org="acme") == 1
            assert plain(self.find(kind, org="acme")) == plain(others)

    def test_rows_are_found_by_null_in_order_and_changed_once(self) -> None:
        held = self._put_samples()
        assert self.find(AuditEntry, order="-at", limit=1, org="acme") == held[AuditEntry][1:2]
        assert self.find(KeyRow, [Test("user", "eq", None)], order="-created_at", org="acme") == held[KeyRow][1:]
        assert [row.version for row in self.find(tables.Revision, order="-version", org="acme")] == [2, 1]
        live = Test("revoked_at", "eq", None)
        assert [self.change(KeyRow, live, org="acme", revoked_at=NOON) for _ in range(2)] == [1, 0]
        with self.store.read("acme") as view:
            assert view.count(Job, by="state") == {"queued": 1, "running": 1}

    def test_vectors_are_kept_closely_and_replaced_by_the_same_key(self) -> None:
        (num,) = self.put(record())
        space = self.namespace()
        self.put(Vector(space, E1, num, floats([1, 0, 0])), Vector(space, E2, num, floats([0, 0, 1])))
        self.put(Vector(space, E1, num, floats([0.6, -0.8, 0])))
        found = {vector.embedder: vector for vector in self.find(Vector)}
        assert set(found) == {E1, E2}
        assert (found[E1].namespace, found[E1].num) == (space, num)
        close(found[E1].values, [0.6, -0.8, 0], 2e-2)
        with self.store.read(self.org) as view:
            assert view.count(Vector, by="embedder") == {E1: 1, E2: 1}
        assert self.delete(Vector, Test("embedder", "eq", E1)) == 1
        assert [vector.embedder for vector in self.find(Vector)] == [E2]

    def test_times_filter_to_the_microsecond_at_both_ends_of_time(self) -> None:
        moments = [FIRST_MOMENT, NOON, NOON + timedelta(microseconds=1), LAST_MOMENT]
        self.put(*(Job(str(n), "k", "default", "m", moment) for n, moment in enumerate(moments)))
        for n, moment in enumerate(moments):
            assert {job.id for job in self.find(Job, [Test("run_at", "le", moment)])} == {str(m) for m in range(n + 1)}
            assert [job.id for job in self.find(Job, [Test("run_at", "eq", moment)])] == [str(n)]


class Conversations(Conformance):
    """Conversations and their turns, beside what the memory of a turn says."""

    def _conversation(self, name: str = "ses_1", user: str | None = "ana", agent: str | None = None) -> ConversationRow:
        self.put(ConversationRow(name, self.namespace("acme", user), agent, "monday", NOON, NOON), org="acme")
        (found,) = self.find(ConversationRow, [Test("id", "eq", name)], org="acme")
        return found

    def _turn(self, of: ConversationRow, position: int, **fields: Any) -> TurnRow:
        plain = TurnRow(of.num, position, f"trn_{position}", "user", None, NOON, 3, True, None, "hello", {})
        self.put(plain._replace(**fields), org="acme")
        return plain._replace(**fields)

    def test_a_conversation_is_read_with_its_owner_and_summary_and_changed_in_place(self) -> None:
        held = self._conversation(agent="scout")
        assert held.num > 0
        values = attrgetter("org", "user", "agent", "session", "opened_at", "touched_at", "ended_at", "state")
        assert values(held) == ("acme", "ana", "scout", "monday", NOON, NOON, None, {})
        assert self._conversation("ses_2", user=None).user is None
        here = Test("num", "eq", held.num)
        changes: dict[str, Any] = {"tokens": 7, "next": 3, "version": 1, "ended_at": LAST_MOMENT}
        self.change(ConversationRow, here, org="acme", **changes)
        for state in ({"summary": "…", "n": [1]}, {"summary": "shorter"}):
            self.put(tables.SummaryRow(held.num, state), org="acme")
            assert self.find(ConversationRow, [here], org="acme") == [held._replace(state=state, **changes)]
        self.delete(tables.SummaryRow, Test("conversation", "eq", held.num), org="acme")
        assert self.find(ConversationRow, [here], org="acme") == [held._replace(**changes)]

    def test_turns_come_in_their_order_leave_the_window_and_are_removed(self) -> None:
        held, other = self._conversation(), self._conversation("ses_2")
        self._turn(other, 0, content="elsewhere")
        turns = [self._turn(held, n, content=f"no {n}", metadata={"n": n}, actor="Ana") for n in (2, 0, 1)]
        of = Test("conversation", "eq", held.num)
        assert self.find(TurnRow, [of], order="position", org="acme") == [turns[1], turns[2], turns[0]]
        assert self.change(TurnRow, of, Test("position", "in", (0, 1)), org="acme", live=False) == 2
        assert self.find(TurnRow, [of, Test("live", "eq", True)], org="acme") == turns[:1]
        assert self.delete(TurnRow, of, Test("position", "eq", 0), org="acme") == 1
        assert len(self.find(TurnRow, org="acme")) == 3

    def test_a_turn_without_a_text_shows_that_of_its_memory(self) -> None:
        held, kept = self._conversation(), record("The bees swarmed.", org="acme", user="ana")
        (num,) = self.put(kept)
        self._turn(held, 0, num=num, content=None, id=kept.memory.id)
        (turn,) = self.find(TurnRow, org="acme")
        assert (turn.content, turn.status) == ("The bees swarmed.", Status.ACTIVE)
        own = (Test("num", "eq", num), Test("content", "eq", None))
        assert [self.change(TurnRow, *own, org="acme", content=text) for text in ("The bees!", "again")] == [1, 0]
        self.change(Record, Test("num", "eq", num), org="acme", status=Status.FORGOTTEN)
        (turn,) = self.find(TurnRow, org="acme")
        assert (turn.content, turn.status) == ("The bees!", Status.FORGOTTEN)

    def test_conversations_and_turns_are_found_and_counted_inside_a_scope(self) -> None:
        one, other = self._conversation(), self._conversation("ses_2", agent="scout")
        for position, each in enumerate((one, one, other, self._conversation("ses_3", user=None))):
            self._turn(each, position)
        with self.store.read("acme") as view:
            assert [view.count(ConversationRow, where)[""] for where in _SCOPES] == [3, 2, 2, 1, 0]
            assert [view.count(TurnRow, where)[""] for where in _SCOPES] == [4, 3, 3, 2, 0]
            assert [row.id for row in view.find(ConversationRow, _SCOPES[3])] == [one.id]
            assert [row.position for row in view.find(TurnRow, _SCOPES[3], order="position")] == [0, 1]


class ExactRecords(Conformance):
    """Collections of exact records, and the memories of their index texts."""

    def _collection(self, name: str = "col_1", user: str | None = "ana", agent: str | None = None) -> CollectionRow:
        self.put(CollectionRow(name, self.namespace("acme", user), agent, "monday", "files"), org="acme")
        (found,) = self.find(CollectionRow, [Test("id", "eq", name)], org="acme")
        return found

    def _put(self, of: CollectionRow, position: int, key: str, **fields: Any) -> ExactRow:
        row = ExactRow(of.num, position, key, None, position, NOON, None, None, NOON, None, "json", b"1")
        self.put(replace(row, **fields), org="acme")
        return replace(row, **fields)

    def test_a_collection_is_read_with_its_owner_and_its_numbers_rise(self) -> None:
        one, other = self._collection(agent="scout"), self._collection("col_2", user=None)
        values = attrgetter("org", "user", "agent", "session", "name", "next")
        assert values(one) == ("acme", "ana", "scout", "monday", "files", 1)
        assert (other.user, other.num > one.num) == (None, True)
        self.change(CollectionRow, Test("num", "eq", one.num), org="acme", next=7)
        assert self.find(CollectionRow, [Test("id", "eq", "col_1")], org="acme") == [one._replace(next=7)]

    def test_records_are_ordered_by_the_bytes_of_their_keys_and_found_by_ranges(self) -> None:
        of = self._collection()
        keys = ['"B",', '"a",', '"a","b",', '"ab",', '"é",', '"😀",']
        for position, key in enumerate(reversed(keys), start=1):
            self._put(of, position, key)
        here = Test("collection", "eq", of.num)
        assert [row.key for row in self.find(tables.ExactKeyRow, [here], order="key", org="acme")] == keys
        assert [row.key for row in self.find(ExactRow, [here], order="-key", limit=2, org="acme")] == keys[:3:-1]
        beginning = [here, Test("key", "ge", '"a",'), Test("key", "lt", '"a"-')]
        assert [row.key for row in self.find(tables.ExactKeyRow, beginning, order="key", org="acme")] == keys[1:3]
        positions = [here, Test("position", "ne", None)]
        assert [row.position for row in self.find(ExactRow, positions, order="-position", org="acme")][:2] == [6, 5]
        with self.store.read("acme") as view:
            assert view.count(tables.ExactKeyRow, by="collection") == {str(of.num): 6}

    def test_two_records_of_a_collection_have_two_keys(self) -> None:
        of, other = self._collection(), self._collection("col_2")
        self._put(of, 1, "one")
        self._put(other, 1, "one")
        with raises(StoreError):
            self._put(of, 2, "one")
        self._put(of, 1, "two", value=b"2")
        (row,) = self.find(tables.ExactKeyRow, [Test("collection", "eq", of.num)], org="acme")
        assert row.key == "two"

    def test_a_record_names_its_memory_which_stays_as_long_as_it_does(self) -> None:
        kept = record("The bees swarmed.", org="acme", user="ana")
        of, (num,) = self._collection(), self.put(kept)
        self._put(of, 1, "one", num=num)
        (row,) = self.find(ExactRow, [Test("num", "eq", num)], org="acme")
        assert row.memory_id == kept.memory.id
        with raises(StoreError):
            self.delete(Record, Test("num", "eq", num), org="acme")
        assert self.delete(ExactRow, Test("num", "eq", num), org="acme") == 1
        assert self.delete(Record, Test("num", "eq", num), org="acme") == 1

    def test_records_are_found_and_counted_inside_a_scope(self) -> None:
        found = [self._collection(), self._collection("col_2", agent="scout"), self._collection("col_3", user=None)]
        for each in found:
            self._put(each, 1, "one")
        with self.store.read("acme") as view:
            for kind in (CollectionRow, tables.ExactKeyRow, ExactRow):
                assert [view.count(kind, where)[""] for where in _SCOPES] == [3, 2, 2, 1, 0]
