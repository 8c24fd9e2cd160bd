"""Files, conversations, large pages and every script through the client."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from recollect import Fact, MemoryManager, Procedure, ProcedureStep, StoreUnavailable
from recollect.client import AsyncClient, Client
from recollect.models import Kind
from tests.client import kept


def test_texts_of_every_script_come_back_as_they_are(client: Client, memory: MemoryManager) -> None:
    for text in ("Žluťoučký kůň", "東京で会う", "👩 & <b> %20", "line\r\nline\u2028line", "مرحبا"):
        session, tags = f"{text.split()[0]}/1", [text[:9].strip()]
        made = kept(client.remember(text, session=session, tags=tags, metadata={text[:5]: [text, None]}))
        assert client.get(made.id) == memory.get(made.id) == made
        assert [m.content for m in client.list_memories(tags=tags)] == [text]
        assert client.working(session).history() == []


def test_arguments_of_a_program_travel(client: Client, memory: MemoryManager) -> None:
    result = client.remember(
        "Ana lives in Rome",
        kind=Kind.SEMANTIC,
        fact=Fact("Ana", "lives_in", "Rome"),
        ttl=timedelta(days=2),
        valid_from=datetime(2026, 1, 1, tzinfo=UTC),
        tags=(tag for tag in ("a", "b")),
        derived_from=[],
    )
    made = kept(result)
    assert made == memory.get(made.id)
    assert (made.fact, {"a", "b"} <= set(made.tags)) == (Fact("Ana", "lives_in", "Rome"), True)
    assert client.list_memories(since=date(2025, 12, 31), until="2026-01-02")[0] == made
    assert client.update(made.id, metadata={"x": None}) == memory.get(made.id)
    stored = client.procedures.store(Procedure(name="brew", steps=(ProcedureStep(action="boil"),)))
    assert stored == memory.procedures.get(stored.id)
    items = [{"content": "tea", "fact": ("Bo", "likes", "tea"), "ttl": timedelta(days=1), "tags": {"x"}}]
    assert kept(client.remember_many(items)[0]).fact == Fact("Bo", "likes", "tea")


def test_all_memories_are_read_page_by_page(client: Client, memory: MemoryManager) -> None:
    memory.remember_many([{"content": f"note {n} " + "of tea " * 50} for n in range(450)])
    assert list(client.iter_memories(order="recorded_at")) == list(memory.iter_memories(order="recorded_at"))
    assert client.list_memories(limit=450) == memory.list_memories(limit=450)


def test_an_export_is_fetched_and_sent_back(client: Client, memory: MemoryManager, tmp_path: Path) -> None:
    made = kept(client.remember("Zoë keeps bees in Rome"))
    rows = client.export(tmp_path / "a.jsonl")
    assert client.export(tmp_path / "b.jsonl.gz") == rows == memory.export(tmp_path / "own.jsonl")
    assert gzip.decompress((tmp_path / "b.jsonl.gz").read_bytes()).count(b"\n") == rows
    client.forget(made.id, hard=True)
    assert client.import_(tmp_path / "b.jsonl.gz").created == 1
    assert client.get(made.id) is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl.gz", "own.jsonl"]


def test_a_file_that_is_there_is_not_written_over(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    for write in (client.export, client.graph.export, client.graph.export_stix):
        with pytest.raises(StoreUnavailable, match="exists"):
            write(tmp_path / "a")
        with pytest.raises(StoreUnavailable, match="create it first"):
            write(tmp_path / "none" / "a")
    assert (tmp_path / "a").read_text() == "mine"


def test_folders_are_walked_here_and_told_by_their_names(client: Client, memory: MemoryManager, tmp_path: Path) -> None:
    chat = json.dumps([{"role": "user", "content": "I live in Boston"}])
    for folder in ("monday", "tuesday"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "talk.json").write_text(chat)
    (tmp_path / "notes.md").write_text("# Bees\n\nAna keeps bees.")
    (tmp_path / "photo.png").write_bytes(b"\x00\x01")
    first, again = client.ingest(tmp_path, tags=["read"]), client.ingest([tmp_path], tags=["read"])
    assert (first.files, first.created, again.created, again.known) == (3, 3, 0, 3)
    assert list(first.failed) == [str(tmp_path / "photo.png")]
    kept = memory.list_memories(tags=["read"])
    assert {m.scope.session for m in kept} == {"monday/talk", "tuesday/talk", None}
    assert f"{tmp_path.name}/notes.md" in {m.source.ref for m in kept}


def test_other_names_of_a_file_are_added(client: Client, memory: MemoryManager, tmp_path: Path) -> None:
    (tmp_path / "names.toml").write_text('[tool]\nWrench = ["spanner", "key"]\n')
    assert client.graph.load_aliases(tmp_path / "names.toml") == 2
    assert sorted(memory.graph.entity("tool", "spanner").aliases) == ["key", "spanner"]  # type: ignore[union-attr]


@pytest.mark.anyio
async def test_the_async_client_gives_what_the_sync_one_gives(
    served: tuple[MemoryManager, str], memory: MemoryManager, client: Client
) -> None:
    async with AsyncClient(served[1], org=memory.scope.org) as asynchronous:
        made, _ = await asynchronous.remember("Ana drinks tea", key="tea")
        assert await asynchronous.get(key="tea") == client.get(made.id)
        assert [m async for m in asynchronous.iter_memories()] == [made]
        working = asynchronous.scoped(user="ana").working("s1")
        turn = await working.add("user", "hello")
        assert working.messages == [turn]
        assert await asynchronous.graph.entities() == client.graph.entities()
    with pytest.raises(StoreUnavailable):
        await asynchronous.count()
