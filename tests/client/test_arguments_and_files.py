"""Files, conversations, large pages and every script through the client."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from engrain import ConfigError, EngrainError, Fact, MemoryManager, Procedure, ProcedureStep, StoreUnavailable
from engrain.client import AsyncClient, Client
from engrain.model.memory import Kind
from tests.client import kept


def test_texts_of_every_script_come_back_as_they_are(client: Client, memory: MemoryManager) -> None:
    for text in ("Žluťoučký kůň", "東京で会う", "👩 & <b> %20", "line\r\nline\u2028line", "مرحبا"):
        session, tags = f"{text.split()[0]}/1", [text[:9].strip()]
        made = kept(client.remember(text, session=session, tags=tags, metadata={text[:5]: [text, None]}))
        assert client.get(made.id) == memory.get(made.id) == made
        assert [m.content for m in client.list_memories(tags=tags)] == [text]
        assert client.working(session).history() == []


NAMES = ["two\nlines", "a\r\nb\n", "a/b", "/", "a/messages", "..", "a%0Ab", "a?b#c", " a ", "tab\there", "a\u2028b"]


@pytest.mark.matrix
@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_any_characters_is_in_a_path(client: Client, memory: MemoryManager, name: str) -> None:
    assert calls_of(client, name) == calls_of(memory, name)


def calls_of(side: Client | MemoryManager, name: str) -> list[object]:
    """Return what becomes of a name in each place where it stands in a path, also when it is refused."""
    calls: list[Callable[[], object]] = [
        lambda: (side.add_message("user", "hello", session=name).content, side.end_session(name).session),
        lambda: [turn.content for turn in side.get_messages(session=name)],
        lambda: (side.working(name).history().next, side.working(name).summary, side.working(name).token_count > 0),
        lambda: (side.recall_actor(name), side.recall_tool(name), side.recall_cve(name)),
        lambda: (side.get(name), side.history(name), side.receipt(name), side.keys.revoke(name)),
        lambda: side.graph.unmerge(name),
    ]
    found: list[object] = []
    for call in calls:
        try:
            found.append(call())
        except (ValueError, EngrainError) as error:
            found.append((type(error), str(error)))
    return found


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


def test_many_relations_are_stated_in_one_go(client: Client, memory: MemoryManager) -> None:
    items = [{"source": ("tool", f"t{n}"), "relation": "uses", "target": ["tool", f"t{n + 1}"]} for n in range(1500)]
    assert client.graph.add_relationships(iter(items)) == 1500
    assert client.graph.add_relationships(items[:2]) == 0
    assert len(memory.graph.related("tool", "t700", max_depth=1)) == 2
    strange = {"source": ("tool", "x"), "relation": "uses"}
    with pytest.raises(TypeError, match="item 1200 lacks target"):
        client.graph.add_relationships([*items[:1200], strange])
    with pytest.raises(TypeError, match="iterable of mappings"):
        client.graph.add_relationships("tool")  # type: ignore[arg-type]


def test_an_answer_is_checked_against_its_sources(client: Client, memory: MemoryManager) -> None:
    client.remember("Ana lives in Rome")
    answer = client.synthesize("where does Ana live?")
    assert client.validate_synthesis(answer) == memory.validate_synthesis(answer) == (True, [])
    false = {**answer, "sources": []}
    assert client.validate_synthesis(false) == memory.validate_synthesis(false)
    assert client.validate_synthesis(false)[0] is False
    assert client.check_synthesis_quality(answer) == memory.check_synthesis_quality(answer)


def test_keys_are_made_listed_and_revoked(client: Client, memory: MemoryManager) -> None:
    made = client.scoped(user="ana").keys.create("write", name="laptop")
    assert made.secret
    assert memory.for_org("default").keys.recognise(made.secret) == made
    assert (made.user, made.org) == ("ana", memory.scope.org)
    assert client.keys.list() == memory.keys.list() == [made]
    assert client.keys.list()[0].secret is None
    assert client.scoped(user="bo").keys.revoke(made.id) is False
    assert (client.keys.revoke(made.id), client.keys.revoke(made.id)) == (True, False)


def test_an_export_is_fetched_and_sent_back(client: Client, memory: MemoryManager, tmp_path: Path) -> None:
    made = kept(client.remember("Zoë keeps bees in Rome"))
    rows = client.export(tmp_path / "a.jsonl")
    assert client.export(tmp_path / "b.jsonl.gz") == rows == memory.export(tmp_path / "own.jsonl")
    assert gzip.decompress((tmp_path / "b.jsonl.gz").read_bytes()).count(b"\n") == rows
    client.forget(made.id, hard=True)
    assert client.import_(tmp_path / "b.jsonl.gz").created == 1
    assert client.get(made.id) is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.jsonl.gz", "own.jsonl"]


@pytest.mark.parametrize("name", ["graph.mmd", "graph.dot", "graph.json", "graph"])
def test_the_suffix_here_says_the_format_of_a_graph(
    client: Client, memory: MemoryManager, tmp_path: Path, name: str
) -> None:
    memory.graph.add_relationship(("person", "Ana"), "knows", ("person", "Bo"))
    (tmp_path / "own").mkdir()
    own = Path(memory.graph.export(tmp_path / "own" / name))
    assert Path(client.graph.export(tmp_path / name)).read_bytes() == own.read_bytes()


def test_a_file_that_is_there_is_not_written_over(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    for write in (client.export, client.graph.export, client.graph.export_stix):
        with pytest.raises(StoreUnavailable, match="exists"):
            write(tmp_path / "a")
        with pytest.raises(StoreUnavailable, match="create it first"):
            write(tmp_path / "none" / "a")
    assert (tmp_path / "a").read_text() == "mine"


def test_folders_are_walked_here_and_sent_by_name(client: Client, memory: MemoryManager, tmp_path: Path) -> None:
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


def test_a_database_is_no_file_to_write(client: Client, memory: MemoryManager) -> None:
    for write in (client.export, memory.export, client.graph.export, memory.graph.export):
        with pytest.raises(ConfigError, match="the path of a file is wanted"):
            write("postgresql://server/database")
