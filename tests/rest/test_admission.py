"""One key, and clients that have left or dawdle, keep neither threads nor connections from others."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, cast

import pytest

from engrain import MemoryManager, RecallCancelled, Stats, StoreUnavailable
from engrain.guard import checkpoint
from engrain.lazy import Floats
from engrain.model.audit import Key
from engrain.server.limits import Limits
from engrain.server.process import ServerOptions, create_server
from engrain.testing import FakeEmbedder
from tests.rest.servers import Reached, events, process, read_all, serving, statuses

_PATIENCE = 60.0
_BLOCKED = "a question that blocks"
_LIMITS = Limits(writes_per_minute=None, requests=4, connections=12)


class Watching(FakeEmbedder):
    """Embeds one question until its recall is cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.noticed = threading.Event()

    def embed(self, texts: Sequence[str]) -> Floats:
        until = time.monotonic() + _PATIENCE
        while _BLOCKED in texts and time.monotonic() < until:
            try:
                checkpoint()
            except RecallCancelled:
                self.noticed.set()
                raise
            time.sleep(0.005)
        return super().embed(texts)


class Blocking(FakeEmbedder):
    """Embeds one question only once its gate is open, and counts how often it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.asked = threading.Event(), 0

    def embed(self, texts: Sequence[str]) -> Floats:
        if _BLOCKED in texts:
            self.asked += 1
            self.gate.wait(_PATIENCE)
        return super().embed(texts)


@pytest.fixture
def embedder() -> Iterator[Blocking]:
    blocking = Blocking()
    yield blocking
    blocking.gate.set()


@pytest.fixture
def memory(tmp_path: Path, embedder: Blocking) -> Iterator[MemoryManager]:
    with MemoryManager(tmp_path / "memory.db", embedder=embedder) as opened:
        opened.remember("Ana likes tea")
        yield opened


def bearer(key: Key | None) -> dict[str, str]:
    return {} if key is None else {"Authorization": f"Bearer {key.secret}"}


def begin(
    reached: Reached, path: str, body: object, key: Key | None = None, *, cut: int | None = None
) -> socket.socket:
    """Send a request, or with `cut` that much of its body, and return the connection."""
    sent = json.dumps(body).encode()
    head = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(sent)), **bearer(key)}
    head["Accept"] = "application/json, text/event-stream"
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
    there = reached.connect()
    there.sendall("\r\n".join(lines).encode() + sent[:cut])
    return there


def count(reached: Reached, metric: str, key: Key | None = None) -> float:
    lines = reached.ask("GET", "/metrics", headers=bearer(key)).body.decode().splitlines()
    return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{metric} ")), 0.0)


def wait_for(reached: Reached, metric: str, least: float, key: Key | None = None) -> float:
    until = time.monotonic() + _PATIENCE
    while (found := count(reached, metric, key)) < least and time.monotonic() < until:
        time.sleep(0.02)
    return found


# ------------------------------------------------------------------------------------------------- clients that leave


def test_work_is_dropped_when_its_client_has_left(memory: MemoryManager, embedder: Blocking) -> None:
    left = 'engrain_requests_total{method="POST",operation="recall",status="499"}'
    with serving(memory) as reached:
        for _ in range(120):
            begin(reached, "/v1/recall", {"query": _BLOCKED, "k": 1000}).close()
        assert wait_for(reached, left, 119) == 119
        assert embedder.asked == 1
        assert reached.ask("GET", "/health").status == 200
        embedder.gate.set()
        assert reached.ask("POST", "/v1/recall", {"query": "tea"}).status == 200
        assert wait_for(reached, left, 120) == 120
    assert embedder.asked == 1


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("path", "operation"), [("recall", "recall"), ("context", "context"), ("synthesize", "ask")], ids=str
)
def test_a_recall_ends_when_its_client_leaves(tmp_path: Path, path: str, operation: str) -> None:
    embedder = Watching()
    left = f'engrain_requests_total{{method="POST",operation="{operation}",status="499"}}'
    with MemoryManager(tmp_path / "watched.db", embedder=embedder, llm="none") as memory, serving(memory) as reached:
        there = begin(reached, f"/v1/{path}", {"query": _BLOCKED})
        reached.busy()
        there.close()
        assert embedder.noticed.wait(_PATIENCE)
        assert wait_for(reached, left, 1) == 1


def test_a_client_that_closes_its_side_is_answered_after_it_waited(memory: MemoryManager, embedder: Blocking) -> None:
    with serving(memory) as reached, ExitStack() as opened:
        both = [begin(reached, "/v1/recall", {"query": _BLOCKED, "k": 1000}) for _ in range(2)]
        for there in both:
            opened.callback(there.close)
            there.shutdown(socket.SHUT_WR)
        there.settimeout(_PATIENCE)
        assert there.recv(4096).startswith(b"HTTP/1.1 100 ")
        embedder.gate.set()
        assert [statuses(read_all(each))[-1] for each in both] == [200, 200]


@pytest.mark.parametrize("version", ["1.1", "1.0"])
@pytest.mark.parametrize("leaves", [False, True])
def test_a_client_that_closes_its_side_holds_no_slot_for_ever(tmp_path: Path, version: str, leaves: bool) -> None:
    embedder, limits = Watching(), replace(_LIMITS, answer_seconds=0.5)
    left = 'engrain_requests_total{method="POST",operation="recall",status="499"}'
    body = json.dumps({"query": _BLOCKED}).encode()
    head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with (
        MemoryManager(tmp_path / "watched.db", embedder=embedder, llm="none") as memory,
        serving(memory, limits=limits) as reached,
        reached.connect() as there,
    ):
        there.sendall(f"POST /v1/recall HTTP/{version}\r\n{head}".encode() + body)
        there.shutdown(socket.SHUT_WR)
        if leaves:
            there.close()
        assert embedder.noticed.wait(_PATIENCE)
        assert wait_for(reached, left, 1) == 1


def test_a_recall_over_mcp_ends_when_its_client_leaves(tmp_path: Path) -> None:
    embedder = Watching()
    call = {"name": "recall", "arguments": {"query": _BLOCKED}}
    with MemoryManager(tmp_path / "watched.db", embedder=embedder, llm="none") as memory, serving(memory) as reached:
        there = begin(reached, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
        reached.busy()
        there.close()
        assert embedder.noticed.wait(_PATIENCE)


def test_a_write_whose_client_leaves_while_it_is_carried_out_is_carried_out(
    memory: MemoryManager, embedder: Blocking
) -> None:
    left = 'engrain_requests_total{method="POST",operation="remember",status="499"}'
    with serving(memory) as reached:
        there = begin(reached, "/v1/memories", {"content": _BLOCKED})
        reached.busy()
        there.close()
        embedder.gate.set()
        until = time.monotonic() + _PATIENCE
        while memory.count() < 2 and time.monotonic() < until:
            time.sleep(0.01)
        assert memory.count() == 2
        assert count(reached, left) <= 1


# ------------------------------------------------------------------------------------------------------ what keys take


def test_slow_bodies_of_one_key_lock_out_nobody_else(memory: MemoryManager) -> None:
    slow, other, admin = memory.keys.create("read"), memory.keys.create("read"), memory.keys.create("admin")
    question = {"query": "tea"}
    with serving(memory, limits=_LIMITS) as reached, ExitStack() as opened:
        for _ in range(_LIMITS.requests):
            opened.callback(begin(reached, "/v1/recall", question, slow, cut=3).close)
        wait_for(reached, "engrain_requests_in_flight", _LIMITS.requests + 1, admin)
        assert reached.ask("POST", "/v1/recall", question, bearer(other)).status == 200
        asked = (reached.ask("POST", "/v1/recall", question, bearer(slow)) for _ in range(20))
        answer = next(each for each in asked if each.status != 200)  # a slot is taken just after a request is in flight
        assert (answer.status, answer.json()["type"]) == (503, "urn:engrain:busy")
        assert answer.headers["retry-after"]
        assert count(reached, 'engrain_refused_total{limit="bodies"}', admin) == 1


@pytest.mark.parametrize("path", ["/v1/recall", "/mcp"])
def test_a_greedy_key_has_a_budget_and_others_are_answered(
    memory: MemoryManager, embedder: Blocking, path: str
) -> None:
    greedy, other, admin = memory.keys.create("read"), memory.keys.create("read"), memory.keys.create("admin")
    body: dict[str, object] = {"query": _BLOCKED, "k": 50}
    if path == "/mcp":
        call = {"name": "recall", "arguments": body}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with serving(memory) as reached, ExitStack() as opened:
        sent = [begin(reached, path, body, greedy) for _ in range(20)]
        for there in sent:
            opened.callback(there.close)
        wait_for(reached, "engrain_requests_in_flight", 21, admin)
        assert reached.ask("POST", "/v1/recall", {"query": "tea", "k": 1000}, bearer(other)).status == 200
        assert embedder.asked == 1
        embedder.gate.set()
        for there in sent:
            assert there.recv(4096).startswith(b"HTTP/1.1 200")


# ---------------------------------------------------------------------------------------------------------- connections


def test_idle_connections_give_way_to_those_that_ask(memory: MemoryManager) -> None:
    with serving(memory, limits=_LIMITS) as reached, ExitStack() as opened:
        used = HTTPConnection("127.0.0.1", reached.port, timeout=_PATIENCE)
        opened.callback(used.close)
        for number in range(5 * _LIMITS.connections):
            there = reached.connect()
            opened.callback(there.close)
            there.sendall(b"GET /hea" if number % 2 else b"")
        assert reached.ask("GET", "/health").status == 200
        assert reached.ask("POST", "/v1/recall", {"query": "tea"}).status == 200
        assert count(reached, 'engrain_refused_total{limit="connections"}') > 0


def test_probes_are_answered_where_all_connections_are_in_use(memory: MemoryManager) -> None:
    keys = [memory.keys.create("read") for _ in range(3)]
    question = {"query": "tea"}
    with serving(memory, limits=_LIMITS) as reached, ExitStack() as opened:
        for number in range(_LIMITS.connections):
            opened.callback(begin(reached, "/v1/recall", question, keys[number % 3], cut=3).close)
        wait_until_all_ask(reached)
        for path in ("/health", "/ready"):
            assert reached.ask("GET", path).status == 200
        answer = reached.ask("GET", "/v1/count", headers=bearer(keys[0]))
        assert (answer.status, answer.headers["connection"]) == (503, "close")
        assert answer.json()["type"] == "urn:engrain:busy"


def wait_until_all_ask(reached: Reached) -> None:
    """Wait until each of as many connections as there may be has sent a head."""
    assert reached.server is not None
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        connections = cast(set[Any], reached.server.server_state.connections)
        if sum(each.cycle is not None for each in set(connections)) == _LIMITS.connections:
            return
        time.sleep(0.01)
    raise AssertionError("some connections ask nothing")


# ------------------------------------------------------------------------------------------------------------ readiness


@pytest.mark.sqlite("its own file")
def test_a_server_whose_file_is_gone_or_replaced_is_not_ready(memory: MemoryManager) -> None:
    with serving(memory) as reached:
        assert reached.ask("GET", "/ready").status == 200
        file = Path(memory.store.url)
        kept = file.with_suffix(".kept")
        file.rename(kept)
        assert not_ready(reached)
        with pytest.raises(StoreUnavailable, match="deleted or replaced"):
            memory.remember("Ana moved to Rome")
        assert reached.ask("POST", "/v1/memories", {"content": "Ana moved to Rome"}).status == 503
        file.write_bytes(kept.read_bytes())
        assert not_ready(reached)
        kept.replace(file)
        assert memory.remember("Ana moved to Rome").memory is not None


@pytest.mark.sqlite("its own file")
def test_a_server_whose_file_may_not_be_written_is_not_ready(memory: MemoryManager) -> None:
    with serving(memory) as reached:
        assert reached.ask("GET", "/ready").status == 200
        Path(memory.store.url).chmod(0o400)
        assert not_ready(reached)
        assert reached.ask("GET", "/health").status == 200


def not_ready(reached: Reached) -> bool:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        answer = reached.ask("GET", "/ready")
        if answer.status == 503:
            return bool(answer.json()["type"] == "urn:engrain:unavailable")
        time.sleep(0.05)
    return False


def test_a_server_is_warm_before_it_listens(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db", "--log-level", "debug") as server:
        names = [line["event"] for line in server.lines()]
        assert names.index("warm") < names.index("listening")
        assert not events(server.lines(), "bug")


def test_warming_up_describes_the_routes_and_stores_nothing(memory: MemoryManager) -> None:
    server = create_server(memory, ServerOptions(worker=False))
    before = _counted(memory)
    server.warm_up()
    assert server.app.openapi_schema is not None
    assert _counted(memory) == before


def _counted(memory: MemoryManager) -> Stats:
    # Without the count of recalls, which is written when it is due, and the bytes that writing it takes.
    return replace(memory.stats(), retrievals=0, store_bytes=0)
