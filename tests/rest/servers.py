"""Servers for tests: in a thread with bounds of one's own, or as a process of the real command."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from engrain import MemoryManager
from engrain.server.observability import Traces
from engrain.server.process import Server, ServerOptions, create_server
from tests import children, described

_PATIENCE = 60.0
described.share()


@dataclass(frozen=True)
class Answer:
    """A status, headers in lower case, and a body."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Reached:
    """A server that listens."""

    port: int
    server: Server | None = None

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=_PATIENCE)

    def busy(self) -> None:
        """Wait until a request is being answered, beside the one that asks for that."""
        until = time.monotonic() + _PATIENCE
        asked = re.compile(rb"^engrain_requests_in_flight ([0-9.]+)$", re.MULTILINE)
        while time.monotonic() < until:
            found = asked.search(self.ask("GET", "/metrics").body)
            if found and float(found[1]) > 1:
                return
            time.sleep(0.01)
        raise AssertionError("no request is being answered")

    def wait_for_requests(self, count: int) -> None:
        """Wait until the server, of this process, has read the heads of so many requests that are unanswered."""
        assert self.server is not None
        until = time.monotonic() + _PATIENCE
        while len(self.server.server_state.tasks) < count:
            assert time.monotonic() < until, f"{len(self.server.server_state.tasks)} of {count} requests were read"
            time.sleep(0.01)

    def raw(self, sent: bytes, *, end: bool = True) -> bytes:
        """Send bytes as they are and return all that comes back until the server closes."""
        with self.connect() as there:
            there.sendall(sent)
            if end:
                there.shutdown(socket.SHUT_WR)
            return read_all(there)


def ask(
    connection: HTTPConnection, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> Answer:
    sent = json.dumps(body).encode() if body is not None else None
    given = {**({"Content-Type": "application/json"} if sent else {}), **(headers or {})}
    connection.request(method, path, body=sent, headers=given)
    response = connection.getresponse()
    names = {name.lower(): value for name, value in response.getheaders()}
    return Answer(response.status, names, response.read())


def read_all(there: socket.socket) -> bytes:
    """Return what comes until the other side closes, or breaks off."""
    found = b""
    while True:
        try:
            some = there.recv(65536)
        except ConnectionError:
            return found
        if not some:
            return found
        found += some


def statuses(answer: bytes) -> list[int]:
    """Return the statuses of the answers that stand one after another."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) [^\r]*\r\n", answer)]


@contextmanager
def serving(memory: MemoryManager, *, traces: Traces | None = None, **stored: Any) -> Iterator[Reached]:
    """Serve a manager from a thread of this process, without a worker unless one is asked for."""
    server = create_server(memory, ServerOptions(**{"worker": False, "port": 0, **stored}), traces=traces)
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run_on, args=(listening,))
    reached = Reached(listening.getsockname()[1], server)
    thread.start()
    try:
        yield reached
    finally:
        server.stop()
        thread.join(_PATIENCE)
        assert not thread.is_alive()


@dataclass
class Process(Reached):
    """An `engrain serve` of its own, and what it logs."""

    child: BaseProcess | None = None
    log: Path = Path()

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.endswith("}")]

    def signal(self, number: int) -> None:
        assert self.child is not None
        assert self.child.pid is not None
        os.kill(self.child.pid, number)

    def stopping(self) -> None:
        """Tell it to stop, and wait until it has heard that."""
        self.signal(signal.SIGTERM)
        until = time.monotonic() + _PATIENCE
        while not events(self.lines(), "stopping"):
            assert time.monotonic() < until, "it has not heard the signal"
            time.sleep(0.01)

    def wait(self) -> int:
        assert self.child is not None
        self.child.join(_PATIENCE)
        assert self.child.exitcode is not None, "it goes on"
        return self.child.exitcode


@contextmanager
def process(
    store: Path, *options: str, log: Path | None = None, environ: Mapping[str, str] | None = None
) -> Iterator[Process]:
    """Run `engrain serve` on a store until the end of the block."""
    log = log or store.with_suffix(".log")
    given = ["serve", "--store", str(store), "--embedder", "none", "--port", "0", "--writes-per-minute", "0", *options]
    log.write_bytes(b"")  # what an earlier one wrote is not taken for its own
    child = children.command(given, log, {**os.environ, **(environ or {})})
    found = Process(0, None, child, log)
    try:
        found.port = _port(found)
        yield found
    finally:
        child.kill()
        child.join()


def _port(found: Process) -> int:
    assert found.child is not None
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and found.child.is_alive():
        for line in found.lines():
            if line["event"] == "listening":
                return int(line["url"].rpartition(":")[2])
        time.sleep(0.01)
    raise AssertionError(f"the server did not start: {found.log.read_text()}")


def events(lines: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    return [line for line in lines if line["event"] == name]
