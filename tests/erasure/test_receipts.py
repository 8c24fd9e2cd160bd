"""Receipts: what went from where, what was looked for, what still pins it, and who may see them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from engrain import AuditEntry, MemoryManager, Receipt, Settings
from engrain.erasure.receipts import rows
from engrain.model.filters import Test
from engrain.model.memory import Job
from engrain.opening import open_store
from engrain.storage.interface import Store
from engrain.storage.rows import Setting
from engrain.testing import FakeEmbedder, FrozenClock
from tests.rows import reading, standing

SECRET = "Vexillo4711q"


class Hurrying:
    """A clock that goes on by twenty seconds whenever it is looked at."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(seconds=20)
        return self._now


class Interrupted:
    """A store in which something happens each time that the last bytes have been looked for."""

    def __init__(self, path: Path, meanwhile: Callable[[], object]) -> None:
        self._store: Any = open_store(path, Settings())
        self._meanwhile = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def purge(self, **how: bool) -> bool:
        done: bool = self._store.purge(**how)
        self._meanwhile()
        return done


@pytest.fixture
def quiet(tmp_path: Path, clock: FrozenClock) -> MemoryManager:
    """A memory whose worker runs when it is asked to."""
    settings = Settings(worker="none")
    return MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(8), clock=clock, settings=settings)


def erased(memory: MemoryManager, **more: object) -> Receipt:
    memory_id = memory.remember(f"the code is {SECRET}").id
    receipt = memory.forget(memory_id, hard=True, reason="asked").receipt
    assert receipt is not None
    return receipt


def test_it_says_what_went_from_where(quiet: MemoryManager) -> None:
    receipt = erased(quiet)
    assert (receipt.status, receipt.verified, receipt.org) == ("complete", True, "default")
    assert (receipt.removed["memories"], receipt.removed["vectors"]) == (1, 1)
    assert receipt.removed["index terms"] > 0
    assert receipt.searched["salts"] == 1
    assert receipt.out_of_reach
    assert SECRET not in str(receipt.to_dict())
    assert Receipt.from_dict(receipt.to_dict()) == receipt


def test_words_that_others_have_too_are_shared(quiet: MemoryManager) -> None:
    quiet.remember("the code of the gate")
    receipt = erased(quiet)
    assert (receipt.verified, receipt.shared > 0) == (True, True)


def test_it_can_be_asked_for_again(quiet: MemoryManager) -> None:
    receipt = erased(quiet)
    assert quiet.receipt(receipt.id) == receipt
    assert list(quiet.receipts()) == [receipt]
    assert quiet.receipt("rcp_unknown") is None


def test_a_view_sees_its_own(quiet: MemoryManager) -> None:
    ana, bo = quiet.scoped(user="ana"), quiet.scoped(user="bo")
    receipt = erased(ana)
    assert (ana.receipt(receipt.id), quiet.receipt(receipt.id)) == (receipt, receipt)
    assert (bo.receipt(receipt.id), list(bo.receipts())) == (None, [])
    assert quiet.for_org("other").receipt(receipt.id) is None


def test_pages_go_on_where_they_ended(quiet: MemoryManager) -> None:
    made = [erased(quiet) for _ in range(3)]
    first = quiet.receipts(limit=2)
    assert [*first, *quiet.receipts(cursor=first.next)] == made


def test_the_audit_trail_keeps_the_id_and_nothing_else(quiet: MemoryManager, tmp_path: Path) -> None:
    memory_id = quiet.remember("a plain note").id
    quiet.update(memory_id, content="a plainer note", reason=f"because of {SECRET}")
    quiet.forget(memory_id, hard=True, reason="asked")
    with quiet.store.read() as reader:
        entries = reader.find(AuditEntry, [Test("memory_id", "eq", memory_id)], order="seq")
    assert [(e.operation, e.reason) for e in entries] == [("create", ""), ("update", ""), ("erase", "asked")]
    assert quiet.verify_audit().ok
    assert standing(tmp_path / "memory.db", [SECRET]) == []


class TestAReaderThatPinsTheLog:
    def test_makes_it_pending_and_a_job_finishes_it(
        self, quiet: MemoryManager, tmp_path: Path, clock: FrozenClock
    ) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        with reading(tmp_path / "memory.db"):
            receipt = quiet.forget(kept, hard=True).receipt
            assert receipt is not None
            assert (receipt.status, receipt.verified) == ("pending", False)
            assert "reader" in receipt.notes[0]
            assert quiet.receipt(receipt.id) == receipt
            assert quiet.get(kept) is None
        clock.advance(timedelta(seconds=60))
        assert quiet.flush()
        done = quiet.receipt(receipt.id)
        assert done is not None
        assert (done.status, done.verified) == ("complete", True)
        assert standing(tmp_path / "memory.db", [SECRET]) == []
        with quiet.store.read() as reader_again:
            assert reader_again.find(Job, [Test("kind", "eq", "prove")], order="id") == []

    def test_is_no_reason_to_say_that_all_is_done(self, quiet: MemoryManager, tmp_path: Path) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        with reading(tmp_path / "memory.db"):
            receipt = quiet.forget(kept, hard=True).receipt
            assert receipt is not None
            assert not quiet.flush()
        assert quiet.flush()  # at once: no moment is waited for
        done = quiet.receipt(receipt.id)
        assert done is not None
        assert (done.status, done.verified) == ("complete", True)

    @pytest.mark.timeout(60)
    def test_keeps_nobody_at_it_who_flushes(self, tmp_path: Path) -> None:
        settings = Settings(worker="none")
        with MemoryManager(tmp_path / "memory.db", embedder=None, clock=Hurrying(), settings=settings) as memory:
            kept = memory.remember(f"the code is {SECRET}").id
            with reading(tmp_path / "memory.db"):
                receipt = memory.forget(kept, hard=True).receipt
                assert receipt is not None
                assert not memory.flush()  # though it is due again before it has been looked whether anything is left
            assert memory.flush()
            done = memory.receipt(receipt.id)
        assert done is not None
        assert (done.status, done.verified) == ("complete", True)

    def test_is_finished_by_another_process_too(self, quiet: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        with reading(tmp_path / "memory.db"):
            receipt = quiet.forget(kept, hard=True).receipt
        assert receipt is not None
        assert receipt.status == "pending"
        clock.advance(timedelta(seconds=60))
        settings = Settings(worker="none")
        with MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(8), clock=clock, settings=settings) as other:
            assert other.flush()
            done = other.receipt(receipt.id)
        assert done is not None
        assert (done.status, done.verified) == ("complete", False)  # it could not know what to look for
        assert "written anew" in done.notes[0]
        assert standing(tmp_path / "memory.db", [SECRET]) == []


def test_a_reader_in_another_process_that_has_gone_home_pins_nothing(quiet: MemoryManager, tmp_path: Path) -> None:
    kept = quiet.remember(f"the code is {SECRET}").id
    script = (
        "import sys\n"
        "from engrain import MemoryManager, Settings\n"
        "from engrain.testing import FakeEmbedder\n"
        "with MemoryManager(sys.argv[1], embedder=FakeEmbedder(8), settings=Settings(worker='none')) as held:\n"
        "    print(held.count(), flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "memory.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "1\n"
        receipt = quiet.forget(kept, hard=True).receipt
        assert receipt is not None
        assert receipt.status == "complete"
        assert standing(tmp_path / "memory.db", [SECRET]) == []
        process.stdin.write("\n")


@pytest.mark.sqlite("copies beside its file")
def test_safety_copies_of_migrations_go(quiet: MemoryManager, tmp_path: Path) -> None:
    kept = quiet.remember(f"the code is {SECRET}").id
    quiet.snapshot(tmp_path / "memory.db.before-schema-3")
    (tmp_path / "memory.db.before-the-holidays").write_text("somebody's own")
    receipt = quiet.forget(kept, hard=True).receipt
    assert receipt is not None
    assert receipt.removed["safety copies"] == 1
    assert (tmp_path / "memory.db.before-the-holidays").exists()
    assert standing(tmp_path / "memory.db", [SECRET]) == []


@pytest.mark.sqlite("copies beside its file")
def test_the_process_that_finishes_removes_the_copies(quiet: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    kept = quiet.remember(f"the code is {SECRET}").id
    with reading(tmp_path / "memory.db"):
        receipt = quiet.forget(kept, hard=True).receipt
    assert receipt is not None
    (tmp_path / "memory.db.before-schema-3").write_text(SECRET)  # as if the process had died before
    clock.advance(timedelta(seconds=60))
    assert quiet.flush()
    done = quiet.receipt(receipt.id)
    assert done is not None
    assert (done.verified, done.removed["safety copies"]) == (True, 1)
    assert standing(tmp_path / "memory.db", [SECRET]) == []


@pytest.mark.sqlite("pages of its file")
def test_remains_in_unused_parts_of_pages_are_written_over(quiet: MemoryManager, tmp_path: Path) -> None:
    kept = quiet.remember(f"the code is {SECRET}").id
    with closing(sqlite3.connect(tmp_path / "memory.db")) as careless:  # deletes as SQLite does by itself
        careless.execute("PRAGMA secure_delete = OFF")
        careless.execute("CREATE TABLE scratch (note TEXT)")
        careless.execute("INSERT INTO scratch VALUES (?)", (f"the code is {SECRET}",))
        careless.commit()
        careless.execute("DROP TABLE scratch")
        careless.commit()
    receipt = quiet.forget(kept, hard=True).receipt
    assert receipt is not None
    assert (receipt.status, receipt.verified) == ("complete", True)
    assert "written anew" in receipt.notes[0]
    assert standing(tmp_path / "memory.db", [SECRET]) == []


class TestSignedReceipts:
    KEY = "11" * 32

    def test_a_third_party_verifies_them(self, tmp_path: Path, clock: FrozenClock) -> None:
        settings = Settings(worker="none")
        with MemoryManager(
            tmp_path / "m.db", embedder=FakeEmbedder(8), clock=clock, settings=settings, signing_key=self.KEY
        ) as m:
            receipt = erased(m)
            public_key = m.public_key
            assert m.receipt(receipt.id) == receipt
            assert m.verify_audit().anchored
            assert m.audit_integrity().tampered_ids == ()
        assert public_key is not None
        carried = Receipt.from_dict(receipt.to_dict())
        assert carried.verify(public_key)
        assert not replace(carried, verified=False).verify(public_key)
        assert not replace(carried, removed={**carried.removed, "memories": 2}).verify(public_key)
        assert not carried.verify("22" * 32)

    def test_without_a_key_nobody_vouches(self, quiet: MemoryManager) -> None:
        assert not erased(quiet).verify("22" * 32)


@pytest.mark.parametrize("cursor", ["", "zz", "mem_1"])
def test_a_cursor_of_something_else_is_an_error(quiet: MemoryManager, cursor: str) -> None:
    erased(quiet)
    with pytest.raises(ValueError, match="not one of ours"):
        quiet.receipts(cursor=cursor)


class TestTwoWhoProveTheSame:
    def test_leave_it_to_the_process_that_erases(
        self, quiet: MemoryManager, tmp_path: Path, clock: FrozenClock
    ) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        meanwhile: list[bool] = []
        store = Interrupted(tmp_path / "memory.db", lambda: meanwhile.append(quiet.flush()))
        settings = Settings(worker="none")
        with MemoryManager(cast(Store, store), embedder=FakeEmbedder(8), clock=clock, settings=settings) as one:
            receipt = one.forget(kept, hard=True).receipt
        assert set(meanwhile) == {False}
        assert receipt is not None
        assert (receipt.status, receipt.verified) == ("complete", True)
        assert quiet.flush()

    def test_do_not_take_back_what_the_other_has_completed(
        self, quiet: MemoryManager, tmp_path: Path, clock: FrozenClock
    ) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        held = ExitStack()

        def meanwhile() -> None:
            held.close()
            clock.advance(timedelta(seconds=60))
            assert quiet.flush()

        store, settings = Interrupted(tmp_path / "memory.db", meanwhile), Settings(worker="none")
        with MemoryManager(cast(Store, store), embedder=FakeEmbedder(8), clock=clock, settings=settings) as one, held:
            held.enter_context(reading(tmp_path / "memory.db"))
            receipt = one.forget(kept, hard=True).receipt
        assert receipt is not None
        assert receipt.status == "complete"
        assert quiet.receipt(receipt.id) == receipt

    def test_complete_nothing_of_which_more_has_gone_since(
        self, quiet: MemoryManager, tmp_path: Path, clock: FrozenClock
    ) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        with reading(tmp_path / "memory.db"):
            begun = quiet.forget(kept, hard=True).receipt
        assert begun is not None
        more = replace(begun, memory_ids=(kept, "mem_next"))

        def meanwhile() -> None:
            quiet.store.write(lambda transaction: transaction.put(*rows(more, quiet.scope, clock.now())), begun.org)

        store = Interrupted(tmp_path / "memory.db", meanwhile)
        settings = Settings(worker="none")
        with MemoryManager(cast(Store, store), embedder=FakeEmbedder(8), clock=clock, settings=settings) as other:
            assert not other.flush()
        assert quiet.receipt(begun.id) == more
        clock.advance(timedelta(seconds=60))
        assert quiet.flush()
        done = quiet.receipt(begun.id)
        assert done is not None
        assert (done.status, done.memory_ids) == ("complete", more.memory_ids)


def test_it_names_the_copies_that_are_left_or_says_that_there_are_none(quiet: MemoryManager, tmp_path: Path) -> None:
    ana, bo, acme = quiet.scoped(user="ana"), quiet.scoped(user="bo"), quiet.for_org("acme")
    assert "no snapshot or export" in erased(ana).out_of_reach[0]
    snapshot = quiet.snapshot(tmp_path / "copy.db")
    for name, view in (("ana", ana), ("bo", bo), ("all", quiet), ("acme", acme)):
        view.remember("a plain note")
        view.export(tmp_path / f"of-{name}.jsonl")
    (tmp_path / "of-all.jsonl").unlink()
    own = erased(ana)
    assert own.out_of_reach[0] == f"snapshot of 2026-01-05T12:00:00+00:00: {snapshot}"
    assert own.out_of_reach[1] == f"export of 2026-01-05T12:00:00+00:00: {tmp_path / 'of-ana.jsonl'}"
    assert not any("of-bo" in each or "of-all" in each or "of-acme" in each for each in own.out_of_reach)
    assert sum("of-ana" in each or "of-bo" in each for each in erased(quiet).out_of_reach) == 2
    assert quiet.receipt(own.id) == own
    for path in tmp_path.glob("of-*"):
        path.unlink()
    Path(snapshot).unlink()
    assert "no snapshot or export" in erased(quiet).out_of_reach[0]


@pytest.mark.parametrize("given", [{}, {"centre": ("person", "Bo Berg")}])
def test_it_names_an_export_of_the_graph(quiet: MemoryManager, tmp_path: Path, given: dict[str, Any]) -> None:
    ana = quiet.scoped(user="ana")
    ana.graph.add_relationship(("person", "Bo Berg"), "knows", ("person", "Eva Lind"))
    written = ana.graph.export(tmp_path / "graph.json", **given)
    assert erased(ana).out_of_reach[0] == f"graph export of 2026-01-05T12:00:00+00:00: {written}"
    assert not any("graph.json" in each for each in erased(quiet.scoped(user="bo")).out_of_reach)


def test_a_note_of_a_copy_does_not_name_its_user(quiet: MemoryManager, tmp_path: Path) -> None:
    view = quiet.scoped(user=SECRET)
    view.remember("a plain note")
    view.export(tmp_path / "export.jsonl")
    outcome = view.forget_all(user=SECRET, hard=True)
    assert outcome.receipt is not None
    assert any("export.jsonl" in each for each in outcome.receipt.out_of_reach)
    with quiet.store.read() as reader:
        assert SECRET not in str(reader.find(Setting, order="name"))


QUOTING: dict[str, Callable[[MemoryManager], object]] = {
    "keys": lambda memory: memory.keys.create("read", name=f"the key of {SECRET}"),
    "sessions": lambda memory: memory.scoped(session=f"about-{SECRET}").add_message("user", "Good morning"),
    "turns": lambda memory: memory.scoped(session="s").add_message("user", f"it said {SECRET.lower()}"),
    "collections": lambda memory: memory.records(f"box {SECRET}").put("one", {"n": 1}),
    "records": lambda memory: memory.records("boxes").put(f"box-{SECRET}", {"n": 1}),
    "values of records": lambda memory: memory.records("boxes").put("one", {"told": f"it is {SECRET}"}),
    "the graph": lambda memory: memory.graph.add_entity("thing", f"Box {SECRET}"),
    "memories": lambda memory: memory.remember("Ana likes tea", key=f"tea of {SECRET}"),
}


@pytest.mark.parametrize("place", QUOTING)
def test_names_that_quote_what_was_erased_are_named(tmp_path: Path, place: str) -> None:
    settings = Settings(worker="none", remember_turns=False)
    with MemoryManager(tmp_path / "names.db", embedder=FakeEmbedder(8), settings=settings) as memory:
        ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
        QUOTING[place](ana)
        memory_id = ana.remember(f"the code is {SECRET}").id
        receipt = ana.forget(memory_id, hard=True).receipt
        assert receipt is not None
        (named,) = [each for each in receipt.out_of_reach if each.startswith("a word of it")]
        assert named.endswith(f" of {place}")
        assert SECRET.lower() not in str(receipt.to_dict()).lower()
        others = bo.forget(bo.remember(f"the code is {SECRET}").id, hard=True).receipt
        assert others is not None
        assert not any(each.startswith("a word of it") for each in others.out_of_reach)


def test_names_of_users_and_fields_of_other_memories_are_named(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "names.db", embedder=FakeEmbedder(8), settings=Settings(worker="none")) as memory:
        view = memory.scoped(user=SECRET)
        view.remember("it rains", metadata={"told": f"by {SECRET}"})
        receipt = erased(view)
        assert receipt.verified
        assert any(each.endswith(" of users, memories") for each in receipt.out_of_reach)
