"""Exports: everything is written as JSON lines and comes back equal, with at most the trust of the importer."""

from __future__ import annotations

import gzip
import json
import os
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import Imported, MemoryManager, Status, StoreUnavailable
from engrain.testing import FrozenClock


@pytest.fixture
def source(memory: MemoryManager, clock: FrozenClock) -> MemoryManager:
    """A memory with something of everything."""
    memory.remember("Ana drinks tea", key="tea", tags=["drink"], metadata={"cups": 2, "where": {"at": "home"}})
    kept = memory.remember("お茶は緑です 🍵", source_type="user_input", fact=("tea", "is", "green"), pinned=True).id
    memory.remember("hence Ana likes green", derived_from=[kept], confidence=0.4, tier="C", importance=0.9)
    memory.remember("soon over", ttl=60, kind="episodic", session="monday", actor="Ana")
    memory.scoped(user="ben", agent="scout").remember("Ben drinks coffee", valid_from="2020-01-01T00:00:00Z")
    clock.advance(timedelta(minutes=5))
    memory.update(kept, content="お茶はとても緑です 🍵", reason="more exact")
    memory.forget(memory.remember("a slip of the tongue").id, reason="a slip")
    memory.recall("tea")
    memory.flush()
    return memory


@pytest.fixture
def target(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """Another memory, empty."""
    with MemoryManager(tmp_path / "target.db", clock=clock) as manager:
        yield manager


def everything(memory: MemoryManager) -> dict[str, dict[str, Any]]:
    """Return all that a memory shows, by id."""
    return {each.id: each.to_dict() for each in memory.iter_memories(status="all")}


def lines(path: Path) -> list[dict[str, Any]]:
    """Read an export."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_a_round_trip_is_equal(source: MemoryManager, target: MemoryManager, tmp_path: Path, name: str) -> None:
    source.export(tmp_path / name)
    assert target.import_(tmp_path / name, trust="system") == Imported(created=6)
    assert everything(target) == everything(source)
    for memory_id in everything(source):
        assert target.history(memory_id) == source.history(memory_id)


def test_what_came_back_is_found_by_words_and_meaning(
    source: MemoryManager, target: MemoryManager, tmp_path: Path
) -> None:
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl", trust="system")
    assert target.flush()
    assert target.recall("coffee", touch=False).texts[0] == "Ben drinks coffee"
    assert {signal.name for signal in target.recall("tea", touch=False)[0].signals} >= {"words", "meaning"}
    assert target.get(key="tea") == source.get(key="tea")
    assert "a slip of the tongue" not in target.recall("slip").texts


def test_isolation_holds_after_an_import(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl")
    assert target.scoped(user="ana").recall("coffee").texts == ()
    assert target.scoped(user="ben", agent="scout").recall("coffee").texts == ("Ben drinks coffee",)


def test_a_view_exports_what_it_sees(source: MemoryManager, tmp_path: Path) -> None:
    source.scoped(user="ben").export(tmp_path / "ben.jsonl")
    assert [row["content"] for row in lines(tmp_path / "ben.jsonl") if row["type"] == "memory"] == ["Ben drinks coffee"]
    assert not [row for row in lines(tmp_path / "ben.jsonl") if row["type"] == "audit"]


def test_it_returns_the_number_of_rows(source: MemoryManager, tmp_path: Path) -> None:
    rows = source.export(tmp_path / "all.jsonl")
    types = [row["type"] for row in lines(tmp_path / "all.jsonl")]
    assert rows == len(types)
    assert {name: types.count(name) for name in types} == {"header": 1, "memory": 6, "revision": 2, "audit": 9}


def test_the_audit_extract_holds_no_text(source: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    audit = json.dumps([row for row in lines(tmp_path / "all.jsonl") if row["type"] == "audit"], ensure_ascii=False)
    assert not [word for word in ("tea", "Ben", "slip", "more exact", "緑") if word in audit]


def test_twice_adds_nothing(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl", trust="system")
    assert target.import_(tmp_path / "all.jsonl", trust="system") == Imported(known=6)
    assert everything(target) == everything(source)


def test_an_import_into_itself_adds_nothing(source: MemoryManager, tmp_path: Path) -> None:
    before = everything(source)
    source.export(tmp_path / "all.jsonl")
    assert source.import_(tmp_path / "all.jsonl", trust="system").created == 0
    assert everything(source) == before


class TestTrust:
    def test_it_is_lowered_by_default(self, source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
        source.export(tmp_path / "all.jsonl")
        target.import_(tmp_path / "all.jsonl")
        assert {each.source.type for each in target.iter_memories(status="all")} == {"external_data"}
        assert max(each.trust for each in target.iter_memories(status="all")) == 0.3

    def test_it_is_never_raised(self, memory: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
        memory.remember("from the web", source_type="external_data")
        memory.export(tmp_path / "all.jsonl")
        target.import_(tmp_path / "all.jsonl", trust="system")
        assert [each.source.type for each in target.iter_memories()] == ["external_data"]

    def test_it_is_a_class(self, target: MemoryManager, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="unknown trust .*: use one of system"):
            target.import_(tmp_path / "all.jsonl", trust="divine")  # type: ignore[arg-type]


def test_a_hash_is_recomputed(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    rows = lines(tmp_path / "all.jsonl")
    for row in rows:
        if row["type"] == "memory":
            row["source"]["content_hash"] = "0" * 64
    forged = tmp_path / "forged.jsonl"
    forged.write_text("\n".join(map(json.dumps, rows)))
    target.import_(forged)
    assert all(each.source.verify(each.content) for each in target.iter_memories(status="all"))


class TestConflicts:
    @pytest.fixture
    def file(self, source: MemoryManager, target: MemoryManager, tmp_path: Path) -> Path:
        """An export whose first memory says, in the target, something else."""
        source.export(tmp_path / "all.jsonl")
        target.import_(tmp_path / "all.jsonl", trust="system")
        tea = target.get(key="tea")
        assert tea is not None
        target.update(tea.id, content="Ana drinks mate")
        return tmp_path / "all.jsonl"

    def test_skip_counts_it_and_keeps_what_is_here(self, target: MemoryManager, file: Path) -> None:
        taken = "its id is taken by another memory here: import it into another store"
        assert target.import_(file, trust="system") == Imported(known=5, skipped={2: taken})
        assert [each.content for each in target.iter_memories(tags=["drink"])] == ["Ana drinks mate"]

    def test_reject_says_why(self, target: MemoryManager, file: Path) -> None:
        result = target.import_(file, trust="system", on_conflict="reject")
        assert (result.known, list(result.rejected)) == (5, [2])
        assert "is taken by another memory" in result.rejected[2]

    def test_a_taken_key_is_a_conflict_too(self, source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
        target.remember("mine", key="tea")
        source.export(tmp_path / "all.jsonl")
        result = target.import_(tmp_path / "all.jsonl", on_conflict="reject")
        assert list(result.rejected.values()) == ["key 'tea' is taken by another memory"]
        assert target.get(key="tea").content == "mine"  # type: ignore[union-attr]

    def test_there_is_no_third_way(self, target: MemoryManager, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="use one of skip, reject"):
            target.import_(tmp_path / "all.jsonl", on_conflict="overwrite")  # type: ignore[arg-type]


def test_the_same_text_under_another_id_is_known(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    target.remember("Ana drinks tea")
    source.export(tmp_path / "all.jsonl")
    result = target.import_(tmp_path / "all.jsonl")
    assert result.created + result.known + len(result.skipped) == 6
    assert target.count(status="all") <= 7


def test_a_bad_row_is_reported_and_the_others_are_taken(
    source: MemoryManager, target: MemoryManager, tmp_path: Path
) -> None:
    source.export(tmp_path / "all.jsonl")
    rows = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    bad = json.loads(rows[1]) | {"importance": 7}
    rows[1:1] = ["{not json", "[1]", json.dumps(bad), json.dumps(bad | {"importance": 0.5, "status": "holy"})]
    (tmp_path / "mixed.jsonl").write_text("\n".join(rows), encoding="utf-8")
    result = target.import_(tmp_path / "mixed.jsonl", trust="system")
    assert (result.created, sorted(result.rejected)) == (6, [2, 3, 4, 5])
    assert all(result.rejected.values())


def test_statuses_survive(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.supersede(source.remember("Ana lives in Boston").id, "Ana lives in Porto")
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl")
    assert {row["status"] for row in lines(tmp_path / "all.jsonl") if row.get("superseded_by")} == {"superseded"}
    assert {each.to_dict()["status"] for each in target.iter_memories(status="superseded")} == {"superseded"}
    assert target.count(status="forgotten") == target.count(status="expired") == 1
    assert [each.status for each in target.iter_memories(status="forgotten")] == [Status.FORGOTTEN]


def test_an_import_is_audited(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl")
    report = target.verify_audit()
    assert (report.ok, report.entries) == (True, 7)  # one of them that a user has a chain


class TestFilesThatAreNone:
    @pytest.mark.parametrize(
        ("raw", "says"),
        [
            (b"", "empty"),
            (b'{"type": "memory"}\n', "no header"),
            (b"Dear diary,\n", "no header"),
            (b"[]\n", "no header"),
            (b'{"format": "engrain-export", "version": 99}\n', "version 99"),
            (b"\xff\xfe\xfa\n", "UTF-8"),
        ],
    )
    def test_another_format_is_refused(self, target: MemoryManager, tmp_path: Path, raw: bytes, says: str) -> None:
        (tmp_path / "x.jsonl").write_bytes(raw)
        with pytest.raises(ValueError, match=says):
            target.import_(tmp_path / "x.jsonl")
        assert target.count(status="all") == 0

    def test_a_missing_one_is_named(self, target: MemoryManager, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            target.import_(tmp_path / "missing.jsonl")

    def test_a_torn_gzip_file_is_reported(self, source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
        source.export(tmp_path / "all.jsonl.gz")
        whole = (tmp_path / "all.jsonl.gz").read_bytes()
        (tmp_path / "torn.jsonl.gz").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ValueError, match="not whole gzip"):
            target.import_(tmp_path / "torn.jsonl.gz")


def test_an_export_overwrites_nothing(source: MemoryManager, tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text("precious")
    with pytest.raises(StoreUnavailable, match="never overwrites"):
        source.export(tmp_path / "all.jsonl")
    assert (tmp_path / "all.jsonl").read_text() == "precious"


def test_an_export_needs_its_folder(source: MemoryManager, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        source.export(tmp_path / "missing" / "all.jsonl")


def test_gz_is_gzip(source: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl.gz")
    with gzip.open(tmp_path / "all.jsonl.gz", "rt", encoding="utf-8") as file:
        assert json.loads(next(file))["format"] == "engrain-export"


@pytest.mark.parametrize("names", [{"user": "ana"}, {"agent": "scout"}, {"session": "s"}])
def test_an_import_needs_the_whole_org(target: MemoryManager, tmp_path: Path, names: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="without user, agent and session"):
        target.scoped(**names).import_(tmp_path / "all.jsonl")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_an_export_is_for_its_owner_alone_like_a_store(source: MemoryManager, tmp_path: Path, name: str) -> None:
    source.export(tmp_path / name)
    source.graph.export(tmp_path / "graph.json")
    assert {stat.S_IMODE((tmp_path / each).stat().st_mode) for each in (name, "graph.json")} == {0o600}


@pytest.mark.matrix
@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_long_work_reports_how_far_it_is(
    memory: MemoryManager, target: MemoryManager, tmp_path: Path, name: str
) -> None:
    memory.remember_many({"content": f"note {number}"} for number in range(520))
    for work in (memory.export, target.import_):
        reports: list[tuple[int, int, str]] = []
        work(tmp_path / name, progress=lambda *report, kept=reports: kept.append(report))
        assert reports[0][2] == "500 rows"
        assert all(0 < done <= total for done, total, _ in reports)
        assert [done for done, _, _ in reports] == sorted(done for done, _, _ in reports)
    with pytest.raises(TypeError, match="progress must be a function"):
        memory.export(tmp_path / "other.jsonl", progress=1)  # type: ignore[arg-type]
