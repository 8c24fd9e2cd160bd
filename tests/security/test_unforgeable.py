"""Nobody without the key rewrites history unseen: cells edited, rows removed and swapped, all hashes made anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engrain import AuditHead
from tests.security.attacking import (
    BOOKKEEPING,
    KEY,
    columns,
    copied,
    edit,
    executed,
    hash_anew,
    is_found,
    state,
    written,
)

pytestmark = pytest.mark.sqlite("whoever rewrites its file")

Kept = tuple[Path, str | None, AuditHead | None]


@pytest.fixture(scope="module", params=["key", "head"])
def kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """A store that is vouched for: by a key, or by a head that was kept elsewhere."""
    path = tmp_path_factory.mktemp("kept") / "memory.db"
    key = KEY if request.param == "key" else None
    head = written(path, key=key)
    return path, key, None if key else head


def found(kept: Kept, copy: Path) -> bool:
    return is_found(copy, key=kept[1], head=kept[2])


def test_nothing_is_found_where_nobody_was(kept: Kept) -> None:
    assert not found(kept, kept[0])


@pytest.mark.matrix
@pytest.mark.parametrize("anew", [False, True], ids=["edited", "hashed anew"])
@pytest.mark.parametrize("table", BOOKKEEPING)
def test_every_edited_cell_is_found(kept: Kept, tmp_path: Path, table: str, anew: bool) -> None:
    rng, before, missed, tried = random.Random(f"{table}{anew}"), state(kept[0]), [], 0
    for column in columns(kept[0], table):
        if kept[1] is None and column in ("signed_seq", "signature"):  # of nobody: nothing is made of them
            continue
        copy = copied(kept[0], tmp_path)
        edit(copy, table, column, rng)
        if anew:
            hash_anew(copy)
        if state(copy) == before:  # a hash that was made anew, or a value that the table refuses
            continue
        tried += 1
        if not found(kept, copy):
            missed.append(column)
    assert missed == []
    assert tried


ROWS = {
    "a memory removed": ["DELETE FROM memory WHERE num = 1"],
    "a memory removed with its entries": [
        "DELETE FROM audit WHERE memory_id = (SELECT id FROM memory WHERE num = 1)",
        "DELETE FROM memory WHERE num = 1",
    ],
    "texts swapped": [
        "CREATE TEMP TABLE t AS SELECT num, content FROM memory",
        "UPDATE memory SET content = (SELECT content FROM t WHERE t.num = 3 - memory.num) WHERE num IN (1, 2)",
    ],
    "the tail cut": ["DELETE FROM audit WHERE seq > 4"],
    "an entry removed": ["DELETE FROM audit WHERE seq = 2"],
    "a false erasure": [
        (
            "INSERT INTO audit SELECT org, user, seq + 1, at, 'erase', (SELECT id FROM memory WHERE num = 1), actor, "
            "digest, hash, '' FROM audit ORDER BY user, seq DESC LIMIT 1"
        ),
        "DELETE FROM memory WHERE num = 1",
    ],
    "a memory given an end": ["UPDATE memory SET expires_at = recorded_at + 1 WHERE num = 1"],
    "a key that was revoked opens again": ["UPDATE server_key SET revoked_at = NULL"],
    "a key made": [
        (
            "INSERT INTO server_key SELECT 'key_x', org, user, agent, 'admin', hash, created_at, NULL, '' "
            "FROM server_key LIMIT 1"
        )
    ],
    "everything removed": ["DELETE FROM memory", "DELETE FROM audit", "DELETE FROM audit_head"],
    "a namespace removed": ["DELETE FROM audit WHERE user = 'eve'", "DELETE FROM audit_head WHERE user = 'eve'"],
    "a namespace removed with its memories": [
        "DELETE FROM memory WHERE ns = (SELECT id FROM namespace WHERE user = 'eve')",
        "DELETE FROM audit WHERE user = 'eve'",
        "DELETE FROM audit_head WHERE user = 'eve'",
    ],
    "the trail removed": ["DELETE FROM audit", "DELETE FROM audit_head"],
    "the signature removed": [
        "UPDATE audit_head SET signature = '', signed_seq = 0",
        "DELETE FROM audit WHERE seq = 2",
    ],
}


@pytest.mark.matrix
@pytest.mark.parametrize("anew", [False, True], ids=["changed", "hashed anew"])
@pytest.mark.parametrize("name", ROWS)
def test_every_change_of_rows_is_found(kept: Kept, tmp_path: Path, name: str, anew: bool) -> None:
    copy = copied(kept[0], tmp_path)
    executed(copy, *ROWS[name])
    if anew:
        hash_anew(copy)
    assert found(kept, copy)
