"""The audit trail: one entry for every change, no text, and nothing can be edited, removed, swapped or cut unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import AuditBroken, MemoryManager
from engrain.testing import FrozenClock
from tests.rows import behind


def tampered(path: Path, *statements: str) -> None:
    """Change the file behind the memory's back."""
    with behind(path) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.fixture
def kept(tmp_path: Path, clock: FrozenClock) -> Path:
    """A closed store with five entries."""
    path = tmp_path / "memory.db"
    with MemoryManager(path, embedder=None, clock=clock) as memory:
        for number in range(5):
            memory.remember(f"Ana drinks tea {number}", source_id="crm")
    return path


CHANGES: dict[str, tuple[Callable[[MemoryManager, str], object], int]] = {
    "a new memory": (lambda memory, _: memory.remember("Ben drinks coffee"), 1),
    "an edit": (lambda memory, tea: memory.update(tea, importance=0.9), 1),
    "an edit that changes nothing": (lambda memory, tea: memory.update(tea, content="Ana drinks tea"), 0),
    "forgetting": (lambda memory, tea: memory.forget(tea), 1),
    "forgetting nothing": (lambda memory, _: memory.forget("mem_0"), 0),
    "a batch of three": (lambda memory, _: memory.remember_many({"content": f"note {n}"} for n in range(3)), 3),
    "a repetition": (lambda memory, _: memory.remember("Ana drinks tea"), 0),
    "a recall": (lambda memory, _: memory.recall("tea"), 0),
    "a refused write": (lambda memory, _: memory.remember_many([{"content": ""}], on_error="skip"), 0),
    "a reindex": (lambda memory, _: memory.reindex(), 0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_has_one_entry(memory: MemoryManager, name: str) -> None:
    change, entries = CHANGES[name]
    tea = memory.remember("Ana drinks tea").id
    change(memory, tea)
    memory.flush()
    report = memory.verify_audit()
    assert (report.ok, report.entries, report.first_broken) == (True, 1 + entries, None)


def test_an_empty_trail_is_whole(memory: MemoryManager) -> None:
    report = memory.verify_audit()
    assert (report.ok, report.entries) == (True, 0)


def test_it_says_what_it_cannot_exclude(memory: MemoryManager) -> None:
    report = memory.verify_audit()
    assert not report.anchored
    assert "could rewrite the whole chain" in report.notes[0]


def test_each_org_has_its_own(memory: MemoryManager) -> None:
    memory.remember("Ana drinks tea")
    acme = memory.for_org("acme")
    acme.scoped(user="ben").remember("Ben drinks coffee")
    acme.remember("Acme sells both")
    assert (memory.verify_audit().entries, acme.verify_audit().entries) == (1, 3)  # ben's first twice


TAMPERING = {
    "an edited operation": (["UPDATE audit SET operation = 'forget' WHERE seq = 3"], 3),
    "an edited id": (["UPDATE audit SET memory_id = 'mem_0' WHERE seq = 2"], 2),
    "an edited actor": (["UPDATE audit SET actor = 'user:eve' WHERE seq = 1"], 1),
    "an edited time": (["UPDATE audit SET at = at + 1 WHERE seq = 5"], 5),
    "an edited digest": (["UPDATE audit SET digest = hash WHERE seq = 4"], 4),
    "an edited hash": (["UPDATE audit SET hash = digest WHERE seq = 4"], 4),
    "a removed entry": (["DELETE FROM audit WHERE seq = 3"], 3),
    "a removed entry, closed up": (
        [
            "DELETE FROM audit WHERE seq = 3",
            "UPDATE audit SET seq = seq + 99 WHERE seq > 3",  # first out of each other's way
            "UPDATE audit SET seq = seq - 100 WHERE seq > 99",
        ],
        3,
    ),
    "two swapped": (
        [
            "UPDATE audit SET seq = 99 WHERE seq = 2",
            "UPDATE audit SET seq = 2 WHERE seq = 3",
            "UPDATE audit SET seq = 3 WHERE seq = 99",
        ],
        2,
    ),
    "a cut tail": (["DELETE FROM audit WHERE seq > 3"], 4),
    "all of it cut": (["DELETE FROM audit"], 1),
    "a forged head": (["UPDATE audit_head SET seq = 4", "DELETE FROM audit WHERE seq = 5"], 5),
    "no head": (["DELETE FROM audit_head"], 6),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_found(kept: Path, name: str) -> None:
    statements, place = TAMPERING[name]
    tampered(kept, *statements)
    with MemoryManager(kept, embedder=None) as memory:
        report = memory.verify_audit()
        assert not report.ok
        assert report.first_broken == place
        with pytest.raises(AuditBroken, match="'default' breaks at entry") as caught:
            report.require()
    assert caught.value.seq == place


def test_reasons_are_outside_the_chain(kept: Path) -> None:
    tampered(kept, "UPDATE audit SET reason = ''")
    with MemoryManager(kept, embedder=None) as memory:
        memory.verify_audit().require()


def test_it_holds_no_text(kept: Path) -> None:
    with behind(kept) as connection:
        rows = connection.execute("SELECT org, at, operation, memory_id, actor, digest, hash FROM audit").fetchall()
    assert len(rows) == 5
    assert not [word for word in ("Ana", "tea", "crm") if word in repr(rows)]


def test_equal_texts_have_different_digests(tmp_path: Path, clock: FrozenClock) -> None:
    digests = []
    for name in ("one", "other"):
        with MemoryManager(tmp_path / name, embedder=None, clock=clock) as memory:
            memory.remember("Ana drinks tea")
        with behind(tmp_path / name) as connection:
            digests += connection.execute("SELECT digest FROM audit").fetchall()
    assert len(set(digests)) == 2


def test_the_actor_is_named_by_the_view(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None) as memory:
        memory.remember("one")
        memory.scoped(user="ana").remember("two")
        memory.scoped(user="ana", agent="scout").remember("three")
    with behind(tmp_path / "m.db") as connection:
        written = connection.execute("SELECT actor FROM audit WHERE operation = 'create' ORDER BY at").fetchall()
    assert [actor for (actor,) in written] == ["application", "user:ana", "agent:scout"]
