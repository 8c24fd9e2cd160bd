"""Rows of an export come back on import, and a forged file can only be refused."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import AuditEntry, MemoryManager, StoreUnavailable
from engrain.model.choices import ImportTrust
from engrain.testing import FrozenClock
from tests.manager.conftest import Open
from tests.rows import url_of


def everything(memory: MemoryManager) -> dict[str, list[Any]]:
    """Return all that a memory holds, by id: every version, as plain data; links in any order."""
    held = {}
    for kept in memory.iter_memories(status="all"):
        versions = [version.to_dict() for version in memory.history(kept.id)]
        held[kept.id] = [{**row, "links": sorted(row["links"], key=str)} for row in versions]
    return held


def exported(memory: MemoryManager, path: Path) -> list[dict[str, Any]]:
    """Export to the path and return the rows."""
    memory.export(path)
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def written(path: Path, rows: list[Any]) -> Path:
    """Write rows as an export has them."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_round_trip_keeps_everything(memory: MemoryManager, opened: Open, clock: FrozenClock, tmp_path: Path) -> None:
    ana = memory.scoped(user="ana", agent="scout")
    for user in ("ana", "bo", None):
        memory.scoped(user=user).remember(f"the profile of {user}", key="profile")
    source = ana.remember("Ana wrote a note", session="monday", actor="Ana", source_type="user_input")
    derived = ana.remember(
        "Ana moved to Tbilisi",
        derived_from=[source.id],
        fact=("Ana", "lives_in", "Tbilisi"),
        tags=["home", "🏠"],
        metadata={"a": [1, 2.5, None, {"b": "ż"}]},
        importance=0.0,
        confidence=0.25,
        tier="C",
        valid_from="2020-01-01",
        valid_until="9999-12-31T23:59:59.999999Z",
        pinned=True,
    )
    clock.advance(timedelta(days=1))
    ana.update(derived.id, content="Ana moved to Batumi", reason="misheard")
    gone = memory.remember("said, forgotten and said again")
    memory.forget(gone.id)
    memory.remember("said, forgotten and said again")
    memory.remember("gone soon", ttl=60)
    memory.remember("not yet", valid_from="2030-01-01")
    clock.advance(timedelta(days=1))
    exported(memory, tmp_path / "all.jsonl")

    copy = opened("copy.db")
    result = copy.import_(tmp_path / "all.jsonl", trust="system")
    assert (result.created, result.known, result.skipped, result.rejected) == (9, 0, {}, {})
    assert everything(copy) == everything(memory)
    assert copy.recall("Batumi").texts[0] == "Ana moved to Batumi"
    again = copy.import_(tmp_path / "all.jsonl", trust="system")
    assert (again.created, again.known) == (0, 9)
    assert everything(copy) == everything(memory)


def test_an_import_trusts_a_file_no_more_than_allowed(memory: MemoryManager, opened: Open, tmp_path: Path) -> None:
    for n, source_type in enumerate(("system", "user_input", "tool_result", "external_data")):
        memory.remember(f"statement {n}", source_type=source_type)
    memory.export(tmp_path / "all.jsonl")
    limits: tuple[tuple[ImportTrust, set[str]], ...] = (
        ("external_data", {"external_data"}),
        ("tool_result", {"tool_result", "external_data"}),
        ("system", {"system", "user_input", "tool_result", "external_data"}),
    )
    for trust, classes in limits:
        copy = opened(f"{trust}.db")
        copy.import_(tmp_path / "all.jsonl", trust=trust)
        assert {kept.source.type.value for kept in copy.list_memories()} == classes
    assert opened("default.db").import_(tmp_path / "all.jsonl").created == 4


def test_an_import_never_touches_what_is_here(memory: MemoryManager, opened: Open, tmp_path: Path) -> None:
    kept = memory.remember("the door code is 1234", key="door", source_type="user_input")
    rows = exported(memory, tmp_path / "all.jsonl")
    other = {**rows[1], "content": "the door code is 9999", "version": 3}
    earlier = {"believed_from": rows[1]["recorded_at"], "believed_until": rows[1]["recorded_at"], "memory": other}
    revisions = [{"type": "revision", "memory_id": kept.id, "version": n, **earlier} for n in (1, 2)]
    before = everything(memory)
    same_id = written(tmp_path / "id.jsonl", [rows[0], other, *revisions])
    assert len(memory.import_(same_id).skipped) == 1
    assert memory.import_(same_id, on_conflict="reject").rejected == {
        2: "its id is taken by another memory here: import it into another store"
    }
    same_key = written(tmp_path / "key.jsonl", [rows[0], {**other, "id": "mem_1"}, *revisions])
    assert len(memory.import_(same_key).skipped) == 1
    assert "key 'door' is taken" in memory.import_(same_key, on_conflict="reject").rejected[2]
    assert everything(memory) == before


def test_an_import_goes_to_the_org_of_the_view(memory: MemoryManager, opened: Open, tmp_path: Path) -> None:
    memory.scoped(user="ana").remember("Ana likes tea")
    memory.export(tmp_path / "all.jsonl")
    acme = opened("other.db", org="acme")
    acme.import_(tmp_path / "all.jsonl")
    (kept,) = acme.list_memories()
    assert (kept.scope.org, kept.scope.user) == ("acme", "ana")
    assert acme.for_org("default").count(status="all") == 0
    with acme.store.read() as reader:
        entries = reader.find(AuditEntry, order="seq")
    assert {(entry.org, entry.operation, entry.actor) for entry in entries} == {
        ("acme", "namespace.begin", "application"),
        ("acme", "import", "application"),
    }


def test_an_import_of_another_orgs_id_never_touches_what_that_org_has(memory: MemoryManager, tmp_path: Path) -> None:
    kept = memory.remember("the door code is 1234", key="door")
    rows = exported(memory, tmp_path / "all.jsonl")
    before = everything(memory)
    other = memory.for_org("other")
    result = other.import_(written(tmp_path / "id.jsonl", [rows[0], {**rows[1], "content": "the door code is 9999"}]))
    own = [] if url_of(tmp_path / "memory.db") is None else [kept.id]  # an id is one of a file, or of an org
    assert (len(result.skipped), [found.id for found in other.list_memories()]) == (1 - len(own), own)
    other.forget(kept.id)
    assert everything(memory) == before


def test_an_import_needs_an_unscoped_view_and_known_words(memory: MemoryManager, tmp_path: Path) -> None:
    memory.export(tmp_path / "all.jsonl")
    for view in (memory.scoped(user="a"), memory.scoped(agent="a"), memory.scoped(session="a")):
        with pytest.raises(ValueError, match="without user, agent and session"):
            view.import_(tmp_path / "all.jsonl")
    with pytest.raises(ValueError, match="unknown trust"):
        memory.import_(tmp_path / "all.jsonl", trust="anybody")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown on_conflict"):
        memory.import_(tmp_path / "all.jsonl", on_conflict="replace")  # type: ignore[arg-type]


ODD: list[Any] = [
    *(None, 5, -1, 1.5, True, "x", "", "\ud800", "a\x00b", [], [1], ["\ud800"], [[]], {}, {"a": 1}),
    *("2020-01-01", "2020-01-01T00:00:00", "9999-12-31T23:59:59-14:00", float("nan"), float("inf"), 10**30),
    *("mem_zzz", "active", "forgotten", "working", [{"relation": "x", "memory_id": "mem_1"}], [{"x": 1}]),
]
FIELDS = """id content scope recorded_at updated_at valid_from kind key actor position summary keywords tags entities
fact domain tier importance confidence source trust status status_reason valid_until believed_until expires_at
superseded_by supersedes links evidence_count access_count last_accessed strength evolution_count version pinned
metadata"""


@pytest.mark.matrix
@pytest.mark.parametrize("name", FIELDS.split())
def test_an_odd_value_in_any_field_is_refused_or_harmless(opened: Open, tmp_path: Path, name: str) -> None:
    source = opened("source.db", embedder=None)
    source.remember(
        "the kettle is on", fact=("a", "b", "c"), tags=["t"], ttl=1000, valid_until="2030-01-01", metadata={"a": 1}
    )
    header, row, *_ = exported(source, tmp_path / "all.jsonl")
    rows = [{**row, "id": f"mem_{n}", name: value} for n, value in enumerate(ODD)]
    if name in ("scope", "source"):
        rows += [
            {**row, "id": f"mem_{n}x", name: {**row[name], part: v}} for part in row[name] for n, v in enumerate(ODD)
        ]
    path = written(tmp_path / "odd.jsonl", [header, *rows])
    copy = opened("copy.db", embedder=None)
    result = copy.import_(path)
    assert result.created + result.known + len(result.skipped) + len(result.rejected) == len(rows)
    for kept in list(copy.iter_memories(status="all")):
        assert kept.id.startswith("mem_")
        view = copy.scoped(user=kept.scope.user, agent=kept.scope.agent, session=kept.scope.session)
        view.recall("kettle").context()
        if view.get(kept.id) is not None:
            assert view.update(kept.id, importance=0.5, confidence=0.5).version >= 1
            assert view.forget(kept.id).count == 1
        assert view.history(kept.id)
    assert copy.stats().total_notes == 0
    assert copy.export(tmp_path / "again.jsonl") > 0
    assert copy.verify_audit().ok


@pytest.mark.parametrize("name", ["memory_id", "version", "believed_from", "believed_until", "memory"])
def test_an_odd_revision_is_refused_or_harmless(opened: Open, tmp_path: Path, name: str) -> None:
    source = opened("source.db", embedder=None)
    kept = source.remember("the kettle is on")
    source.update(kept.id, content="the kettle is off")
    rows = exported(source, tmp_path / "all.jsonl")
    (revision,) = (row for row in rows if row["type"] == "revision")
    odd = [{**revision, name: value} for value in ODD] + [{k: v for k, v in revision.items() if k != name}]
    copy = opened("copy.db", embedder=None)
    result = copy.import_(written(tmp_path / "odd.jsonl", [*rows[:2], *odd]))
    assert result.created == 1
    assert (len(result.rejected) > 0, result.skipped) == (True, {})
    assert copy.history(kept.id)[-1].content == "the kettle is off"
    copy.export(tmp_path / "again.jsonl")


HEADER = json.dumps({"type": "header", "format": "engrain-export", "version": 1})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"{}\n", "no header"),
        (b"[]\n", "no header"),
        (b"hello\n", "no header"),
        (b"\x00\xff\xfe", "not UTF-8"),
        (HEADER.replace("1}", "2}").encode(), "version 2"),
        (HEADER.replace("1}", '"1"}').encode(), "version 1"),
        (HEADER.encode() + b"\n\xff\n", "not UTF-8"),
    ],
)
def test_an_invalid_export_is_reported_as_such(memory: MemoryManager, tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(raw)
    with pytest.raises(ValueError, match=message):
        memory.import_(path)


@pytest.mark.parametrize(
    ("line", "why"), [("{", "not JSON"), ("[" * 100_000, "not JSON"), ("5", "not an object"), ("{}", ""), ("", "")]
)
def test_an_error_names_the_number_of_the_bad_line(memory: MemoryManager, tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(f"\ufeff{HEADER}\n{line}\n", encoding="utf-8")
    rejected = memory.import_(path).rejected
    assert {number: reason[: len(why)] for number, reason in rejected.items()} == ({2: why} if why else {})


def test_compressed_exports_are_read_and_broken_ones_said_to_be(
    memory: MemoryManager, opened: Open, tmp_path: Path
) -> None:
    memory.remember("the kettle is on")
    memory.export(tmp_path / "all.jsonl.gz")
    assert opened("copy.db").import_(tmp_path / "all.jsonl.gz").created == 1
    whole = (tmp_path / "all.jsonl.gz").read_bytes()
    for name, raw in {"cut": whole[:-20], "plain": gzip.decompress(whole), "mad": whole[:10] + b"\xff" * 50}.items():
        (tmp_path / f"{name}.gz").write_bytes(raw)
        with pytest.raises(ValueError, match="not whole gzip data"):
            memory.import_(tmp_path / f"{name}.gz")


def test_files_that_are_not_there_or_in_the_way(memory: MemoryManager, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        memory.import_(tmp_path / "nowhere.jsonl")
    with pytest.raises(StoreUnavailable, match="folder"):
        memory.import_(tmp_path / "no folder" / "x.jsonl")
