"""The doctor names problems with advice and ends with 1; a healthy store ends with 0."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.model.memory import Job, JobState
from engrain.storage.rows import Setting
from engrain.testing import FakeEmbedder
from tests.cli.conftest import Run
from tests.providers.server import serving, trouble
from tests.rows import behind


def problem(run: Run, *words: object, of: int = 1) -> str:
    """Return the one problem that the doctor finds, or the first `of` several, with its advice."""
    ran = run("doctor", *words)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.count("✗") == of
    return ran.out.partition("✗")[2]


def facts(run: Run, *words: object) -> dict[str, Any]:
    return run("doctor", *words, "--json").document


def test_a_healthy_store(run: Run, store: Path) -> None:
    run("remember", "Ana lives in Boston")
    found = facts(run)
    assert (found["healthy"], found["problems"]) == (True, [])
    assert set(found["versions"]) == {"engrain", "python", "sqlite"}
    assert found["store"]["path"] == str(store)
    assert (found["store"]["readable"], found["store"]["writable"]) == (True, True)
    assert found["store"]["schema"] >= 1
    assert found["memories"]["total"] == 1
    assert found["jobs"]["dead_letters"] == 0
    assert found["audit"] == {"entries": 1, "organisations": 1, "names": ["default"]}
    assert "all is well" in run("doctor").out


def test_a_store_that_does_not_exist_yet_is_not_made(run: Run, store: Path) -> None:
    assert facts(run)["store"]["exists"] is False
    assert not store.exists()


def test_where_each_setting_comes_from(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "engrain.toml"
    file.write_text('durability = "normal"\n', encoding="utf-8")
    monkeypatch.setenv("ENGRAIN_CONFIG", str(file))
    monkeypatch.setenv("ENGRAIN_SITUATE", "no")
    found = facts(run)["settings"]
    assert found["durability"] == {"value": "normal", "source": f"file {file}"}
    assert found["situate"] == {"value": False, "source": "environment ENGRAIN_SITUATE"}
    assert found["worker"]["source"] == "default"


def test_what_named_the_store_and_the_embedder(run: Run, tmp_path: Path) -> None:
    run("remember", "Ana lives in Boston")
    assert facts(run)["store"]["source"] == "ENGRAIN_STORE"
    assert facts(run)["embedder"]["source"] == "ENGRAIN_EMBEDDER"
    assert facts(run, "--store", tmp_path / "other.db")["store"]["source"] == "--store"


def test_a_setting_with_a_wrong_value(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("remember", "Ana lives in Boston")
    monkeypatch.setenv("ENGRAIN_DURABILITY", "eternal")
    assert "eternal" in problem(run)


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("WORKER", "foo", "correct the value"),
        ("ZONES__NEAR", "7", "correct the value"),
        ("TOKENIZER", "foo", "correct the value"),
        ("EMBEDDER", "foo", "correct --embedder or ENGRAIN_EMBEDDER"),
        ("EMBEDDER", "openai:x", "set the variable that it names"),
        ("SIGNING_KEY", "/nope", "correct ENGRAIN_SIGNING_KEY"),
        ("LLM", "foo", "correct ENGRAIN_LLM or --llm"),
    ],
)
def test_a_wrong_setting_names_its_variable(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str, advice: str
) -> None:
    run("remember", "Ana lives in Boston")
    monkeypatch.setenv(f"ENGRAIN_{name}", value)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert run("count").err.startswith(f"engrain: ENGRAIN_{name}: ")
    found = " ".join(problem(run).split())
    assert found.startswith(f"ENGRAIN_{name}: ")
    assert advice in found


def test_a_wrong_setting_of_a_file_names_the_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "engrain.toml"
    file.write_text('secrets = "hide"\n', encoding="utf-8")
    monkeypatch.setenv("ENGRAIN_CONFIG", str(file))
    assert run("count").err.startswith(f"engrain: {file}: setting secrets is 'hide'")


@pytest.mark.parametrize("installed", [True, False])
def test_a_key_for_a_store_that_is_not_encrypted(run: Run, monkeypatch: pytest.MonkeyPatch, *, installed: bool) -> None:
    run("remember", "Ana lives in Boston")
    monkeypatch.setenv("ENGRAIN_ENCRYPTION_KEY", "abc")
    if not installed:
        monkeypatch.setitem(sys.modules, "sqlcipher3", None)
        monkeypatch.setitem(sys.modules, "sqlcipher3.dbapi2", None)
        assert run("count").err.startswith("engrain: ENGRAIN_ENCRYPTION_KEY: ")
    found = problem(run)
    assert "unset" in found
    assert "embedder" not in found


def test_a_folder_in_place_of_a_store(run: Run, tmp_path: Path) -> None:
    found = problem(run, "--store", tmp_path)
    assert "name a file with --store" in found
    assert "rights" not in found


def test_a_damaged_store(run: Run, store: Path) -> None:
    store.write_bytes(b"not a database at all" * 100)
    assert "restore" in problem(run)


def test_a_folder_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    assert "create it" in problem(run, "--store", tmp_path / "nowhere" / "memory.db")


def test_vectors_of_another_embedder(run: Run, store: Path) -> None:
    with MemoryManager(store, embedder=FakeEmbedder()) as memory:
        memory.remember("Ana lives in Boston", sync=True)
    assert "engrain reindex" in problem(run, "--embedder", "wordllama")
    assert run("reindex", "--embedder", "wordllama").code == 0
    assert facts(run, "--embedder", "wordllama")["healthy"] is True


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_texts_indexed_by_another_analyser(run: Run, store: Path) -> None:
    with MemoryManager(store, embedder=None) as memory:
        memory.remember("Ana lives in Boston")
        with memory.store.read() as reader:
            made_by = {row.name: row for row in reader.find(Setting)}["analyser"]
        older = made_by._replace(value="en-snowball-1, names 1 by none")
        memory.store.write(lambda transaction: transaction.put(older), "")
    with pytest.warns(RuntimeWarning, match=r"index terms by en-snowball-1.*engrain reindex"):
        MemoryManager(store, embedder=None).close()
    assert "engrain reindex" in problem(run, "--embedder", "none")
    assert run("reindex", "--embedder", "none").code == 0
    assert facts(run, "--embedder", "none")["healthy"] is True


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_store_that_cannot_be_written(run: Run, store: Path) -> None:
    run("remember", "Ana lives in Boston")
    store.chmod(0o400)
    store.parent.chmod(0o500)
    try:
        assert "write permission" in problem(run)
    finally:
        store.parent.chmod(0o700)


def test_jobs_that_failed_for_good(run: Run, store: Path) -> None:
    run("remember", "Ana lives in Boston")
    job = Job("job_1", "embed", "default", "mem_1", datetime.now(UTC), JobState.DEAD, error="the model is gone")
    with MemoryManager(store, embedder=None) as memory:
        memory.store.write(lambda transaction: transaction.put(job))
    assert "the model is gone" in problem(run)


def test_an_audit_trail_with_a_gap(run: Run, store: Path) -> None:
    for number in range(3):
        run("remember", f"fact number {number}")
    with behind(store) as connection:
        connection.execute("DELETE FROM audit WHERE seq = 2")
    found = problem(run, of=2)
    assert "breaks at entry 2" in found
    assert "1 memories of 'default' are not as they were written, or have no audit entry" in found


def test_conversations_are_counted(run: Run) -> None:
    for words in ("I keep bees", "and hives"):
        run("chat-log", "append", "user", words, "--session", "s")
    assert facts(run)["conversations"] == {"open": 1, "ended": 0, "turns": 2}
    assert run("doctor").code == 0


def test_a_turn_whose_memory_is_gone(run: Run, store: Path) -> None:
    for words in ("I keep bees", "and hives"):
        run("chat-log", "append", "user", words, "--session", "s")
    with behind(store) as connection:  # where foreign keys are off
        connection.execute("DELETE FROM memory WHERE content = 'and hives'")
    found = problem(run, of=2)
    assert "1 turns of conversations have lost their memories" in found
    assert "1 memories of 'default' are not as they were written" in found


def test_a_memory_that_was_changed_outside_the_library(run: Run, store: Path) -> None:
    run("remember", "the kettle is on")
    assert facts(run)["integrity"] == {"memories": 1}
    with behind(store) as connection:
        connection.execute("UPDATE memory SET content = 'the kettle is off'")
    assert "engrain audit integrity" in problem(run)


def test_the_current_embedder(run: Run) -> None:
    found = facts(run, "--embedder", "wordllama")["embedder"]  # there is no store yet
    assert (found["in_force"], found["dimensions"], found["in_writes"]) == (
        "wordllama:l2_supercat_256:256:1",
        256,
        True,
    )
    assert found["source"] == "--embedder"
    assert facts(run, "--embedder", "none")["embedder"]["in_force"] is None


def test_an_embedder_whose_library_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    found = problem(run, "--embedder", "fastembed:BAAI/bge-small-en-v1.5")
    assert 'pip install "engrain[fastembed]"' in found
    assert "--embedder auto" in found


def test_a_language_model_whose_library_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_LLM", "openai:model@http://localhost:1/v1")
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    found = problem(run)
    assert 'pip install "engrain[llm]"' in found
    assert "leave ENGRAIN_LLM empty" in found


def test_an_embedder_whose_server_refuses(run: Run) -> None:
    with serving(trouble(401)) as server:
        run("remember", "Ana lives in Boston", "--embedder", f"openai:model@{server.address}#4")
        server.script[:] = [trouble(401)]
        assert "check the key" in problem(run, "--embedder", f"openai:model@{server.address}#4")


def test_a_damaged_account_of_a_language_model_comes_with_advice(run: Run, store: Path) -> None:
    run("remember", "Ana lives in Boston")
    with MemoryManager(store, embedder=None) as memory:
        memory.store.write(lambda transaction: transaction.put(Setting('llm_spent ["o\'x", "ana"]', "{bad")))
    ran = run("doctor", "--json")
    (problem,) = json.loads(ran.out)["problems"]
    assert "is damaged" in problem["what"]
    assert "o''x" in problem["advice"]
    assert run("stats").code == 0
