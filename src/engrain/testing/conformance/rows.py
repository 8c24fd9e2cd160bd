"""Every kind of row is kept, found, counted, changed and deleted, and comes back as it went in."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

from engrain.errors import StoreError
from engrain.model.filters import Condition, Filter, Test
from engrain.model.memory import AuditEntry, Fact, Job, JobState, Kind, Memory, Source, SourceType, Status
from engrain.storage.rows import (
    AnswerRow,
    Edge,
    Head,
    KeyRow,
    Posting,
    ReceiptRow,
    Record,
    Revision,
    Row,
    Setting,
    Vector,
)
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


class RecordRows(Conformance):
    """Records: every field, every extreme."""

    def round_trip(self, kept: Memory) -> Memory:
        """Put a memory alone and return what is found."""
        (num,) = self.put(Record(kept, identity=kept.id, salt="s"))
        (found,) = self.find(Record, Filter(kept.scope.org, conditions=(Test("num", "eq", num),)))
        assert (found.num, found.identity, found.salt) == (num, kept.id, "s")
        return found.memory

    def test_record_with_every_field_filled_comes_back_equal(self) -> None:
        whole = full_memory()
        assert self.round_trip(whole) == whole

    def test_record_with_nothing_but_defaults_comes_back_equal(self) -> None:
        bare = memory()
        assert self.round_trip(bare) == bare

    def test_any_text_comes_back_as_it_was(self) -> None:
        for text in TEXTS:
            said = memory(text, summary=text[:200], keywords=(text[:50],), tags=(text[:50],), actor=text[:50])
            assert self.round_trip(said) == said

    def test_empty_text_in_every_text_field_is_not_nothing(self) -> None:
        empty = memory("", key="", actor="", tags=("",), superseded_by="", fact=Fact("", "", ""), session="", agent="")
        assert self.round_trip(empty) == empty

    def test_times_of_year_1_and_9999_keep_their_microseconds(self) -> None:
        for moment in (FIRST_MOMENT, LAST_MOMENT, NOON.replace(year=1969, microsecond=999_999)):
            names = ("recorded_at", "updated_at", "valid_from", "valid_until", "believed_until", "expires_at")
            moments: dict[str, Any] = dict.fromkeys(names, moment)
            timed = memory(last_accessed=moment, **moments)
            assert self.round_trip(timed) == timed

    def test_times_come_back_in_utc(self) -> None:
        east = NOON.astimezone(timezone(timedelta(hours=9)))
        found = self.round_trip(memory(valid_from=east))
        assert found.valid_from == NOON
        assert found.valid_from.utcoffset() == timedelta(0)

    def test_every_kind_status_and_source_type_comes_back_as_itself(self) -> None:
        for kind in Kind:
            assert self.round_trip(memory(kind=kind)).kind is kind
        for status in Status:
            assert self.round_trip(memory(status=status)).status is status
        for source in SourceType:
            assert self.round_trip(memory(source=Source(source))).source.type is source

    def test_numbers_keep_every_bit(self) -> None:
        for number in (0.0, 1.0, 0.1, 1 / 3, 5e-324):
            exact = memory(importance=number, confidence=number, trust=number, strength=1 + number)
            assert self.round_trip(exact) == exact

    def test_metadata_comes_back_with_its_types(self) -> None:
        values: dict[str, Any] = {
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
        found = self.round_trip(memory(metadata=values)).metadata
        assert found == values
        assert {name: type(value) for name, value in found.items()} == {
            name: type(value) for name, value in values.items()
        }

    def test_a_record_whose_slot_is_free_has_no_identity(self) -> None:
        self.put(replace(record(), identity=None), replace(record(), identity=None))
        assert [found.identity for found in self.find(Record, EVERYTHING)] == [None, None]

    def test_row_numbers_rise_and_come_back_in_the_order_given(self) -> None:
        texts = [f"Number {n}." for n in range(50)]
        nums = self.put(*(record(text) for text in texts))
        assert nums == sorted(set(nums))
        assert [found.memory.content for found in self.find(Record, EVERYTHING)] == texts

    def test_a_thousand_records_in_one_write(self) -> None:
        self.put(*(record(f"Number {n}.") for n in range(1000)))
        with self.store.read(self.org) as view:
            assert view.count(Record, EVERYTHING) == {"": 1000}


class Listing(Conformance):
    """Order, limits and counts of records."""

    def test_order_by_a_column_either_way(self) -> None:
        days = [3, 1, 2]
        self.put(*(record(f"Day {day}", recorded_at=NOON + timedelta(days=day)) for day in days))
        up = [found.memory.content for found in self.find(Record, EVERYTHING, order="recorded_at")]
        down = [found.memory.content for found in self.find(Record, EVERYTHING, order="-recorded_at")]
        assert up == ["Day 1", "Day 2", "Day 3"]
        assert down == up[::-1]

    def test_equal_values_are_listed_in_row_order_following_the_direction(self) -> None:
        nums = self.put(*(record() for _ in range(20)))
        assert [found.num for found in self.find(Record, EVERYTHING, order="recorded_at")] == nums
        assert [found.num for found in self.find(Record, EVERYTHING, order="-recorded_at")] == nums[::-1]

    def test_limit_cuts_after_filter_and_order(self) -> None:
        nums = self.put(*(record(importance=n % 2) for n in range(20)))
        where = EVERYTHING.but(Test("importance", "eq", 1.0))
        assert [found.num for found in self.find(Record, where, order="-num", limit=3)] == nums[1::2][:-4:-1]
        assert self.find(Record, where, limit=0) == []
        assert len(self.find(Record, where, limit=10**12)) == 10

    def test_an_order_by_an_unknown_column_is_a_value_error(self) -> None:
        for wrong in ("colour", "num; drop table x", "-", ""):
            with raises(ValueError):
                self.find(Record, EVERYTHING, order=wrong)

    def test_counts_by_column(self) -> None:
        self.put(*(record(status=status) for status in (Status.ACTIVE, Status.ACTIVE, Status.FORGOTTEN)))
        with self.store.read(self.org) as view:
            assert view.count(Record, EVERYTHING) == {"": 3}
            assert view.count(Record, EVERYTHING, by="status") == {"active": 2, "forgotten": 1}
        with self.store.read("nobody") as view:
            assert view.count(Record, Filter("nobody")) == {"": 0}
            assert view.count(Record, Filter("nobody"), by="status") == {}

    def test_update_changes_what_it_names_and_nothing_else(self) -> None:
        one, two = self.put(record("One."), record("Two."))
        before = self.memories()
        changes = {"status": Status.EXPIRED, "superseded_by": "mem_x", "expires_at": LAST_MOMENT, "access_count": 5}
        self.update(one, **changes)
        assert self.memories() == [replace(before[0], **changes), before[1]]  # type: ignore[arg-type]
        self.update(one, superseded_by=None, expires_at=None)
        assert self.memories()[0].superseded_by is None
        assert self.memories()[0].expires_at is None
        assert two != one

    def test_every_column_of_a_memory_can_be_updated(self) -> None:
        whole = replace(full_memory(), scope=memory(org="acme", user="ana").scope)
        (num,) = self.put(record(org="acme", user="ana"))
        names = (
            "content kind key actor position summary keywords tags entities domain tier importance confidence trust "
            "status status_reason valid_from valid_until updated_at believed_until expires_at superseded_by strength "
            "evidence_count access_count last_accessed evolution_count version pinned metadata"
        ).split()
        named = {name: getattr(whole, name) for name in names}
        assert self.store.write(lambda tx: tx.update(Record, [Test("num", "eq", num)], **named), "acme") == 1
        (found,) = self.memories(Filter("acme"))
        assert {name: getattr(found, name) for name in names} == {name: getattr(whole, name) for name in names}

    def test_update_reaches_every_row_that_passes(self) -> None:
        self.put(*(record(importance=n / 10) for n in range(10)))
        changed = self.store.write(lambda tx: tx.update(Record, [Test("importance", "ge", 0.5)], tier="C"), self.org)
        assert changed == 5
        assert [found.tier for found in self.memories()] == ["B"] * 5 + ["C"] * 5

    def test_update_and_delete_of_nothing_are_zero(self) -> None:
        assert self.store.write(lambda tx: tx.update(Record, [Test("num", "eq", 12345)], tier="C"), self.org) == 0
        assert self.store.write(lambda tx: tx.delete(Record, [Test("num", "eq", 12345)]), self.org) == 0

    def test_deleted_records_are_gone(self) -> None:
        one, two, three = self.put(record("One."), record("Two."), record("Three."))
        assert self.store.write(lambda tx: tx.delete(Record, [Test("num", "in", (one, three))]), self.org) == 2
        assert [(found.num, found.memory.content) for found in self.find(Record, EVERYTHING)] == [(two, "Two.")]

    def test_an_empty_store_finds_nothing_without_an_error(self) -> None:
        for kind in (Record, Revision, Edge, Posting, Vector, Head, KeyRow, Setting, AuditEntry, Job):
            assert self.find(kind, EVERYTHING if kind is Record else ()) == []
        assert len(self.words("anything").nums) == 0
        assert len(self.similar([1, 0, 0]).nums) == 0
        with self.store.read(self.org) as view:
            assert view.search_text({"a": 1.0}, EVERYTHING, limit=0).stats.documents == 0
            described = view.describe(ints([]), EVERYTHING, span=2, terms={"a": 1.0})
            assert described.around.size == described.rows.size == described.gains.size == 0
            assert len(described.columns.session) == 0
        assert self.store.size() >= 0


class OtherRows(Conformance):
    """Revisions, edges, postings, vectors, heads, settings, audit entries, answers and jobs."""

    def all_found_again(self, *rows: Row) -> None:
        """Put rows of one kind and assert that the same rows are found, in any order."""
        self.put(*rows)
        org = self.whose(*rows)
        found = self.find(type(rows[0]), org=org)
        assert sorted(map(repr, found)) == sorted(map(repr, rows))
        with self.store.read(org) as view:
            assert view.count(type(rows[0])) == {"": len(rows)}

    def test_revisions(self) -> None:
        one, two = self.put(record(), record())
        self.all_found_again(
            Revision(one, 1, FIRST_MOMENT, NOON, '{"content": "ж 🏠 \' \\""}', "edit", 1),
            Revision(one, 2, NOON, LAST_MOMENT, "{}", "supersede", 2),
            Revision(two, 1, NOON, LAST_MOMENT, "x" * 1_000_000, "edit", 3),
        )
        found = self.find(Revision, [Test("num", "eq", one)], order="-version")
        assert [revision.version for revision in found] == [2, 1]

    def test_revisions_stand_inside_the_walls_of_their_memories(self) -> None:
        owners = (("acme", "ana"), ("acme", "ben"), ("acme", None), ("other", "ana"))
        nums = self.put(*(record(org=org, user=user) for org, user in owners))
        for (org, _), num in zip(owners, nums, strict=True):
            self.put(*(Revision(num, 1, FIRST_MOMENT, until, "{}") for until in (NOON, LAST_MOMENT)), org=org)
        later = Test("believed_until", "gt", NOON)
        for wall, mine in (
            (Filter("acme", "ana"), nums[:1]),
            (Filter("acme", "ana", shared=True), [nums[0], nums[2]]),
            (Filter("acme"), nums[:3]),
            (Filter("nobody"), []),
        ):
            assert [row.num for row in self.find(Revision, wall.but(later))] == list(mine)
            assert len(self.find(Revision, wall)) == 2 * len(mine)

    def test_edges(self) -> None:
        one, two = self.put(record(), record())
        self.all_found_again(
            Edge(one, "derived_from", two), Edge(one, "причина 🔗", two), Edge(two, "derived_from", one)
        )
        assert self.find(Edge, [Test("source", "eq", two)]) == [Edge(two, "derived_from", one)]
        assert self.store.write(lambda tx: tx.delete(Edge, [Test("source", "eq", one)]), self.org) == 2
        assert self.find(Edge) == [Edge(two, "derived_from", one)]

    def test_postings(self) -> None:
        (num,) = self.put(record())
        space = self.store.write(lambda tx: tx.namespace("default", None), self.org)
        self.all_found_again(
            *(Posting(space, term, num, times) for times, term in enumerate(("tea", "чай", "🍵", "'\"%"), start=1))
        )
        assert self.store.write(lambda tx: tx.delete(Posting, [Test("num", "eq", num)]), self.org) == 4
        assert self.find(Posting) == []

    def test_vectors_are_kept_closely_and_replaced_by_the_same_key(self) -> None:
        (num,) = self.put(record())
        space = self.store.write(lambda tx: tx.namespace("default", None), self.org)
        self.put(Vector(space, E1, num, floats([1, 0, 0])), Vector(space, E2, num, floats([0, 0, 1])))
        self.put(Vector(space, E1, num, floats([0.6, -0.8, 0])))
        found = {vector.embedder: vector for vector in self.find(Vector)}
        assert set(found) == {E1, E2}
        assert (found[E1].namespace, found[E1].num) == (space, num)
        close(found[E1].values, [0.6, -0.8, 0], 2e-2)
        with self.store.read(self.org) as view:
            assert view.count(Vector, by="embedder") == {E1: 1, E2: 1}
        assert self.store.write(lambda tx: tx.delete(Vector, [Test("embedder", "eq", E1)]), self.org) == 1
        assert [vector.embedder for vector in self.find(Vector)] == [E2]

    def test_heads_and_settings_are_replaced_by_the_same_key(self) -> None:
        self.put(Head("a", 1, "x"), Head("b", 1, "y"), Setting("embedder", "one"), Setting("ключ", "🏠"))
        self.put(Head("a", 2, "z"), Setting("embedder", "two"))
        assert sorted(self.find(Head, org=None)) == [Head("a", 2, "z"), Head("b", 1, "y")]
        assert Setting("embedder", "two") in self.find(Setting)
        assert Setting("ключ", "🏠") in self.find(Setting)
        assert self.find(Head, [Test("org", "eq", "a")], org="a") == [Head("a", 2, "z")]

    def test_keys_keep_every_field_and_are_never_replaced(self) -> None:
        key = KeyRow("key_1", "acme", "ana ж", "scout", "write", "a" * 64, NOON, LAST_MOMENT, "ноутбук 🏠")
        bare = KeyRow("key_2", "other", None, None, "admin", "b" * 64, FIRST_MOMENT)
        self.all_found_again(key, bare)
        assert self.find(KeyRow, [Test("id", "eq", "key_1")], org=None) == [key]
        assert self.find(KeyRow, [Test("org", "eq", "acme"), Test("user", "eq", "bo")], org="acme") == []
        assert self.find(KeyRow, [Test("user", "eq", None)], order="-created_at", org="other") == [bare]
        with raises(StoreError):
            self.put(key._replace(hash="c" * 64))
        live = [Test("id", "eq", "key_2"), Test("revoked_at", "eq", None)]
        changed = [self.store.write(lambda tx: tx.update(KeyRow, live, revoked_at=NOON), "other") for _ in range(2)]
        assert changed == [1, 0]
        assert self.store.write(lambda tx: tx.delete(KeyRow, [Test("org", "eq", "acme")]), "acme") == 1
        assert self.find(KeyRow, org=None) == [bare._replace(revoked_at=NOON)]

    def test_receipts_keep_every_field_and_are_replaced_by_id(self) -> None:
        receipt = ReceiptRow("rcp_1", "acme", NOON, "pending", '{"a": "ж"}')
        self.all_found_again(receipt, ReceiptRow("rcp_2", "other", LAST_MOMENT, "complete", "{}"))
        self.put(receipt._replace(status="complete"))
        assert self.find(ReceiptRow, [Test("org", "eq", "acme")], org="acme") == [receipt._replace(status="complete")]

    def test_audit_entries_keep_every_field_and_their_order(self) -> None:
        entries = [
            AuditEntry(
                "acme", seq, NOON + timedelta(microseconds=seq), "remember", f"mem_{seq}", "ana", "d", "h", "why ж"
            )
            for seq in range(1, 30)
        ]
        self.all_found_again(*entries, AuditEntry("other", 1, LAST_MOMENT, "forget", "mem_1", "", "", ""))
        assert self.find(AuditEntry, [Test("org", "eq", "acme")], order="seq", org="acme") == entries
        assert self.find(AuditEntry, [Test("org", "eq", "acme")], order="-seq", limit=1, org="acme") == entries[-1:]

    def test_an_audit_entry_is_never_replaced(self) -> None:
        entry = AuditEntry("acme", 1, NOON, "remember", "mem_1", "ana", "d", "h")
        self.put(entry)
        with raises(StoreError):
            self.put(replace(entry, hash="forged"))
        assert self.find(AuditEntry, org="acme") == [entry]

    def test_answers_keep_every_field_and_their_absence(self) -> None:
        done = AnswerRow("acme", "key_1", "n", "s", "r", NOON, "1-2,9-9", 200, '{"ж": "🏠 \'"}\n')
        self.all_found_again(
            done,
            AnswerRow("acme", "", "n", "s", "", FIRST_MOMENT),
            AnswerRow("other", "key_1", "n", "s", "r", LAST_MOMENT, "", 0, ""),
        )
        mine: list[Condition] = [Test("org", "eq", "acme"), Test("caller", "eq", "key_1"), Test("name", "eq", "n")]
        assert self.find(AnswerRow, mine, order="at", org="acme") == [done]
        held: list[Condition] = [Test("org", "eq", "acme"), Test("body", "ne", None)]
        assert self.store.write(lambda tx: tx.update(AnswerRow, held, body=None), "acme") == 1
        assert self.find(AnswerRow, mine, org="acme") == [done._replace(body=None)]
        assert self.store.write(lambda tx: tx.delete(AnswerRow, [Test("at", "le", NOON)]), "acme") == 2

    def test_a_request_has_one_answer(self) -> None:
        row = AnswerRow("acme", "", "n", "s", "r", NOON)
        self.put(row)
        with raises(StoreError):
            self.put(row._replace(salt="another", status=200, body="forged"))
        assert self.find(AnswerRow, org="acme") == [row]

    def test_jobs_keep_every_field_and_are_replaced_by_id(self) -> None:
        done = Job("j1", "embed", "acme", "mem_1", NOON, JobState.RUNNING, 3, "it failed ж", LAST_MOMENT, "worker 1")
        self.all_found_again(done, Job("j2", "embed", "acme", "mem_2", FIRST_MOMENT))
        self.put(replace(done, state=JobState.DEAD, lease_until=None))
        assert self.find(Job, [Test("id", "eq", "j1")], org="acme") == [
            replace(done, state=JobState.DEAD, lease_until=None)
        ]
        with self.store.read("acme") as view:
            assert view.count(Job, by="state") == {"dead": 1, "queued": 1}
        one = [Test("id", "eq", "j1")]
        assert self.store.write(lambda tx: tx.update(Job, one, state=JobState.DONE, error="")) == 1
        assert self.store.write(lambda tx: tx.delete(Job, [Test("state", "eq", JobState.DONE)]), "acme") == 1
        assert [job.id for job in self.find(Job, org=None)] == ["j2"]

    def test_times_filter_to_the_microsecond_at_both_ends_of_time(self) -> None:
        moments = [FIRST_MOMENT, NOON, NOON + timedelta(microseconds=1), LAST_MOMENT]
        self.put(*(Job(str(n), "k", "default", "m", moment) for n, moment in enumerate(moments)))
        for n, moment in enumerate(moments):
            assert {job.id for job in self.find(Job, [Test("run_at", "le", moment)])} == {str(m) for m in range(n + 1)}
            assert [job.id for job in self.find(Job, [Test("run_at", "eq", moment)])] == [str(n)]

    def test_naive_times_are_refused(self) -> None:
        with raises(ValueError, TypeError):
            self.put(record(valid_from=datetime(2026, 1, 1)))
        assert self.memories() == []
