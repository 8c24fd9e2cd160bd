"""Cells with invalid content are found and named with their place: nothing else fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock
from tests.security.attacking import KEY, NOON, executed, written

_UNTYPED = pytest.mark.sqlite("a column takes what is not of its type")
MEMORIES = [
    "metadata = '[1]'",
    "kind = 'nonsense'",
    "tags = '{'",
    *(pytest.param(each, marks=_UNTYPED) for each in ("content = x'ff00'", "recorded_at = 'noon'", "salt = x'00'")),
]
_ODD = ("at = 1e300", "at = 'noon'", "digest = x'00ff'", "actor = x'00ff'", "hash = x'00ff'")
ENTRIES = ["digest = 'nonsense'", "hash = 'nonsense'", *(pytest.param(each, marks=_UNTYPED) for each in _ODD)]


def opened(path: Path) -> MemoryManager:
    return MemoryManager(path, embedder=None, signing_key=KEY, clock=FrozenClock(NOON))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written(tmp_path / "memory.db", key=KEY)
    return tmp_path / "memory.db"


@pytest.mark.parametrize("cell", MEMORIES)
def test_a_memory_is_named_and_the_others_are_in_order(path: Path, cell: str) -> None:
    executed(path, f"UPDATE memory SET {cell} WHERE content = 'Ben lives in Rome'")
    with opened(path) as memory:
        report = memory.audit_integrity()
        assert (report.total, len(report.tampered_ids), report.missing_provenance_ids) == (6, 1, ())
        assert memory.verify_audit().anchored


@pytest.mark.parametrize("cell", ENTRIES)
def test_an_entry_is_named_where_the_chain_breaks(path: Path, cell: str) -> None:
    executed(path, f"UPDATE audit SET {cell} WHERE seq = 2")
    with opened(path) as memory:
        chain, report = memory.verify_audit(), memory.audit_integrity()
        assert (chain.ok, chain.first_broken, report.total) == (False, 2, 6)
        assert len(report.tampered_ids + report.missing_provenance_ids) <= 1


def test_a_signature_that_is_none_stops_no_write(path: Path) -> None:
    executed(path, "UPDATE audit_head SET signature = 'none'")
    with opened(path) as memory:
        memory.remember("Cid drinks milk")
        assert not memory.verify_audit().ok
