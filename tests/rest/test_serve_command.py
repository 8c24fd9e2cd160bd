"""`engrain serve`, as a process."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.cli.services import server_settings
from tests import children
from tests.rest.servers import process

_EMBEDDER = ("--embedder", "none")


def refused(folder: Path, *arguments: str) -> tuple[int | None, str]:
    log = folder / "refused.log"
    child = children.command(["serve", *arguments], log, os.environ)
    try:
        child.join(60)
        return child.exitcode, log.read_text()
    finally:
        child.kill()


def test_it_answers_and_ends_well(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db") as server:
        assert server.ask("POST", "/v1/memories", {"content": "Ana likes tea"}).status == 201
        assert server.ask("GET", "/ready").status == 200
        server.signal(signal.SIGINT)
        assert server.wait() == 0
    assert [line["event"] for line in server.lines() if line["event"] != "request"] == [
        "listening",
        "stopping",
        "stopped",
    ]


def test_where_others_would_reach_a_store_without_keys_it_says_what_to_do(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    code, said = refused(tmp_path, "--store", str(store), "--host", "0.0.0.0", "--port", "0", *_EMBEDDER)
    assert code == 1
    assert said.startswith("engrain: this store has no keys")
    assert f"engrain keys create --role admin --store {store}" in said
    assert not store.exists()


def test_a_port_that_is_taken_is_reported_in_one_line(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db") as server:
        code, said = refused(tmp_path, "--store", str(tmp_path / "other.db"), "--port", str(server.port), *_EMBEDDER)
    assert (code, len(said.splitlines())) == (1, 1)
    assert f"port {server.port} of 127.0.0.1 is in use" in said
    assert "--port" in said


def test_it_says_which_store_it_serves_and_whether_that_is_new(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    for new in (True, False):
        with process(store) as server:
            server.signal(signal.SIGTERM)
            assert server.wait() == 0
        stored = server.lines()[0]
        assert (stored["event"], stored["store"], stored["new"], stored["keys"]) == (
            "listening",
            str(store),
            new,
            False,
        )


@pytest.mark.matrix
@pytest.mark.parametrize(
    "origin", ["*", "example.org", "https://example.org/", "https://Example.org", "null", "ftp://x"]
)
def test_an_origin_that_no_browser_sends_is_refused(tmp_path: Path, origin: str) -> None:
    code, said = refused(tmp_path, "--cors", origin)
    assert code == 2
    assert "write an origin as browsers do" in said


def test_texts_of_a_server_have_64_kb_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_settings().max_content_bytes == 65_536
    assert server_settings(1_000).max_content_bytes == 1_000
    monkeypatch.setenv("ENGRAIN_MAX_CONTENT_BYTES", "5000")
    assert server_settings().max_content_bytes == 5_000
    assert server_settings(1_000).max_content_bytes == 1_000
    assert Settings.load().worker == "thread"
    assert server_settings().worker == "none"


def test_the_content_limit_holds(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db", "--max-content-bytes", "50") as server:
        assert server.ask("POST", "/v1/memories", {"content": "x" * 51}).status == 422
        assert server.ask("POST", "/v1/memories", {"content": "x" * 50}).status == 201


def test_writes_of_a_minute_are_bounded_and_0_is_no_bound(tmp_path: Path) -> None:
    for bound, last in (("3", 429), ("0", 201)):
        with process(tmp_path / f"{bound}.db", "--writes-per-minute", bound) as server:
            statuses = [server.ask("POST", "/v1/memories", {"content": f"tea {n}"}).status for n in range(4)]
        assert statuses == [201, 201, 201, last]


def test_the_servers_worker_does_what_writes_leave_to_do(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db", "--embedder", "auto") as server:
        server.ask("POST", "/v1/memories", {"content": "Ana likes tea"})
        assert "engrain_worker_up 1.0" in server.ask("GET", "/metrics").body.decode()
    with process(tmp_path / "memory.db", "--no-worker") as server:
        assert "engrain_worker_up 0.0" in server.ask("GET", "/metrics").body.decode()
        assert server.ask("GET", "/ready").status == 200


def test_keys_of_the_command_line_open_a_server(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with MemoryManager(store, embedder=None) as memory:
        secret = memory.keys.create("write").secret
    with process(store, "--host", "0.0.0.0") as server:
        stored = {"Authorization": f"Bearer {secret}"}
        assert server.ask("POST", "/v1/memories", {"content": "Ana likes tea"}).status == 401
        assert server.ask("POST", "/v1/memories", {"content": "Ana likes tea"}, stored).status == 201
        assert json.loads(server.ask("GET", "/v1/count", headers=stored).body) == {"count": 1}
        assert str(secret) not in server.log.read_text()
        assert os.path.exists(store)


def test_a_user_named_on_the_command_line_is_all_that_is_served(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db", "--user", "ana") as server:
        made = server.ask("POST", "/v1/memories", {"content": "Ana likes tea"})
        assert json.loads(made.body)["memory"]["scope"]["user"] == "ana"
        assert server.ask("GET", "/v1/count?user=bob").status == 403
