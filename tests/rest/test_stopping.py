"""A server that is asked to stop answers what it has read; one that is killed has lost nothing it acknowledged."""

from __future__ import annotations

import random
import signal
import socket
import threading
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import pytest

from campaigns.serving import Client, await_work, lost, run_round
from engrain import MemoryManager
from tests.rest.servers import Process, ask, process, read_all, statuses
from tests.rows import holding

_CLIENTS = 6
_SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 7))]


def load(server: Process, seconds: float) -> list[Client]:
    """Let clients write for a while, and return them at work."""
    clients = [Client(server.port, n) for n in range(_CLIENTS)]
    for client in clients:
        client.start()
    await_work(clients)
    time.sleep(seconds)
    return clients


@pytest.mark.parametrize("seed", _SEEDS)
def test_a_signal_under_load_leaves_no_request_without_its_answer(tmp_path: Path, seed: int) -> None:
    store = tmp_path / "memory.db"
    with process(store) as server:
        clients = load(server, random.Random(seed).uniform(0.0, 0.7))
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
        for client in clients:
            client.join()
    assert all(client.kept for client in clients)
    assert not [client.broken for client in clients if client.broken]
    assert not lost(store, clients)
    with MemoryManager(store, embedder=None) as memory:
        stored = sum(len(client.kept) + len(client.said) for client in clients)
        assert memory.count() == stored  # nothing was done and not answered


def test_the_last_answer_of_a_connection_says_that_it_closes(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db") as server:
        kept = HTTPConnection("127.0.0.1", server.port, timeout=30)
        assert "connection" not in ask(kept, "GET", "/health").headers
        with holding(tmp_path / "memory.db"):
            writer = threading.Thread(target=server.ask, args=("POST", "/v1/memories", {"content": "tea"}))
            writer.start()
            server.busy()
            server.stopping()
            answer = ask(kept, "GET", "/ready")
            assert (answer.status, answer.headers["connection"]) == (503, "close")
        writer.join()
        assert server.wait() == 0
        kept.close()


def test_a_stopping_server_takes_no_new_connection_and_finishes_what_it_has(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with process(store) as server:
        server.ask("GET", "/health")
        with holding(store):
            answers: list[int] = []
            writer = threading.Thread(
                target=lambda: answers.append(server.ask("POST", "/v1/memories", {"content": "tea"}).status)
            )
            writer.start()
            server.busy()
            server.stopping()
            time.sleep(0.2)
            with pytest.raises(OSError):
                socket.create_connection(("127.0.0.1", server.port), timeout=30)
        writer.join()
        assert server.wait() == 0
    assert answers == [201]


@pytest.mark.matrix
@pytest.mark.parametrize("how", ["a second signal", "the time-out"])
def test_what_takes_too_long_is_cut(tmp_path: Path, how: str) -> None:
    store = tmp_path / "memory.db"
    with process(store, "--stop-seconds", "30" if how == "a second signal" else "0.5") as server:
        server.ask("GET", "/health")
        with holding(store):
            there = server.connect()
            body = b'{"content": "tea"}'
            head = b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            there.sendall(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            server.busy()
            server.stopping()
            if how == "a second signal":
                server.signal(signal.SIGTERM)
            assert server.wait() == 1
            assert [line["level"] for line in server.lines() if line["event"].startswith("cut")] == ["error"]
        assert read_all(there) == b""
        there.close()


def test_a_request_that_is_half_sent_is_given_its_time(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db") as server, server.connect() as there:
        there.sendall(b"GET /health HTTP/1.1\r\n")
        server.ask("GET", "/health")  # by when what came before has been read
        server.stopping()
        time.sleep(0.5)
        there.sendall(b"Host: localhost\r\n\r\n")
        answer = read_all(there)
        assert statuses(answer) == [200]
        assert b"connection: close" in answer
        assert server.wait() == 0


def test_idle_connections_keep_nobody_waiting(tmp_path: Path) -> None:
    with process(tmp_path / "memory.db", "--stop-seconds", "20") as server:
        idle = [HTTPConnection("127.0.0.1", server.port, timeout=30) for _ in range(5)]
        for connection in idle:
            ask(connection, "GET", "/health")
        server.signal(signal.SIGTERM)
        assert server.wait() == 0
        with pytest.raises((HTTPException, OSError)):
            ask(idle[0], "GET", "/health")
        for connection in idle:
            connection.close()


@pytest.mark.parametrize("seed", _SEEDS)
def test_an_acknowledged_write_survives_a_kill(tmp_path: Path, seed: int) -> None:
    done = run_round(tmp_path, seed, clients=_CLIENTS, seconds=1.0, rng=random.Random(seed))
    assert done.acknowledged > 0
    assert done.faults == []


def test_a_signal_at_the_first_moment_is_handled(tmp_path: Path) -> None:
    for _ in range(3):
        with process(tmp_path / "memory.db") as server:  # which is there as soon as it says that it listens
            server.signal(signal.SIGTERM)
            assert server.wait() == 0
