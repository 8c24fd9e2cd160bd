"""The commands of the lifecycle: the worker, sweeps, policies, the queue, promotion and pins."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.cli.main import main


def shown(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """Run a command and return what it printed."""
    assert main(words) == code
    written = capsys.readouterr()
    return written.out if code == 0 else written.err


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with an episode, a fact, and a memory whose time has come."""
    with MemoryManager(tmp_path / "m.db", embedder=None) as memory:
        memory.remember("the kettle was on", kind="episodic", key="kettle")
        memory.remember("Ana drinks tea", key="tea")
        memory.remember("gone in a moment", ttl=0.001)
    return str(tmp_path / "m.db")


def test_a_sweep_says_what_it_did(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    view = ("--store", store, "--embedder", "none")
    assert "would be expired         1" in shown(capsys, *view, "sweep", "--dry-run")
    assert json.loads(shown(capsys, *view, "sweep", "--json"))["expired"] == 1
    assert json.loads(shown(capsys, *view, "sweep", "--json"))["expired"] == 0


def test_memories_are_promoted_and_pinned(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    view = ("--store", store, "--embedder", "none")
    with MemoryManager(store, embedder=None) as memory:
        kettle, tea = (str(memory.get(key=key).id) for key in ("kettle", "tea"))  # type: ignore[union-attr]
    assert "semantic, active" in shown(capsys, *view, "promote", kettle, "--reason", "it matters")
    assert "upwards only" in shown(capsys, *view, "promote", tea, code=1)
    assert "'eternal' is not one of" in shown(capsys, *view, "promote", kettle, "--to", "eternal", code=2)
    assert json.loads(shown(capsys, *view, "pin", tea, "--json"))["pinned"] is True
    assert json.loads(shown(capsys, *view, "unpin", tea, "--json"))["pinned"] is False
    assert json.loads(shown(capsys, *view, "heat", tea, "--json")) == {"heat": "warm"}
    assert 0 < json.loads(shown(capsys, *view, "importance", tea, "--json"))["importance"] < 1
    for command in ("promote", "pin", "unpin", "heat", "importance"):
        assert "no memory 'mem_0'" in shown(capsys, *view, command, "mem_0", code=1)


def test_the_queue_is_listed(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    view = ("--store", store, "--embedder", "none")
    assert shown(capsys, *view, "jobs") == "nothing is queued\n"
    assert json.loads(shown(capsys, *view, "jobs", "--json")) == {"jobs": [], "next": None}
    shown(capsys, *view, "chat-log", "append", "user", "hello", "--session", "s")
    (job,) = json.loads(shown(capsys, *view, "jobs", "--json"))["jobs"]
    assert job["kind"] == "idle"
    assert "idle queued" in shown(capsys, *view, "jobs")
    assert job["id"] in shown(capsys, *view, "retry", job["id"])
    assert "no job 'job_0'" in shown(capsys, *view, "retry", "job_0", code=1)
    assert "'lost' is not one of" in shown(capsys, *view, "jobs", "--state", "lost", code=2)


def test_the_policies_in_force_are_shown(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "retention: keep" in shown(capsys, "--store", store, "policy", "show")
    monkeypatch.setenv("ENGRAIN_RETENTION", "bounded")
    monkeypatch.setenv("ENGRAIN_POLICIES", '[{"kind": "semantic", "domain": "incident", "ttl": 7200, "cap": "none"}]')
    table = shown(capsys, "--store", store, "policy", "show")
    assert "domain incident" in table
    assert "2 hours" in table
    found = json.loads(shown(capsys, "--store", store, "policy", "show", "--json"))
    assert found["retention"] == "bounded"
    assert [p["ttl"] for p in found["policies"] if p["kind"] == "semantic"] == [None, 7200.0]
    monkeypatch.setenv("ENGRAIN_POLICIES", '[{"kind": "procedural", "ttl": 5}]')
    assert "have no ttl" in shown(capsys, "--store", store, "policy", "show", code=1)


def test_a_worker_ends_when_it_is_asked_to(store: str) -> None:
    script = "from engrain.cli.main import main; raise SystemExit(main())"
    command = [sys.executable, "-c", script, "--store", store, "--embedder", "none", "worker"]
    worker = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert worker.stderr is not None
    assert "Ctrl-C stops" in worker.stderr.readline()
    worker.send_signal(signal.SIGTERM)
    written = worker.stderr.read()
    assert worker.wait(60) == 0
    assert "what is left waits" in written
    worker.stderr.close()
