"""A small pooler by transaction, as PgBouncer is one: a backend is lent to one client after another."""

from __future__ import annotations

import queue
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

Said = tuple[bytes, bytes]
_WRITTEN = {b"Q", b"S"}  # what a server answers with "ready"


def _exactly(line: socket.socket, count: int) -> bytes:
    held = b""
    while len(held) < count:
        if not (some := line.recv(count - len(held))):
            raise OSError("gone")
        held += some
    return held


def _message(line: socket.socket) -> Said:
    kind = _exactly(line, 1)
    (length,) = struct.unpack(">i", _exactly(line, 4))
    return kind, _exactly(line, length - 4)


def _whole(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack(">i", len(body) + 4) + body


def _first(line: socket.socket) -> bytes:
    """Return what a client begins with; encryption is declined."""
    while True:
        (length,) = struct.unpack(">i", _exactly(line, 4))
        body = _exactly(line, length - 4)
        if body[:4] not in (struct.pack(">i", 80877103), struct.pack(">i", 80877104)):
            return body
        line.sendall(b"N")


def _error(text: str) -> bytes:
    return _whole(b"E", b"SFATAL\0VFATAL\0C08P01\0M" + text.encode() + b"\0\0")


class _Pooler:
    def __init__(self, port: int, backends: int, *, transactions: bool, answers: list[bytes]) -> None:
        self._answers = answers
        self._port, self._backends, self._transactions = port, backends, transactions
        self._free: queue.Queue[socket.socket] = queue.Queue()
        self._greeting = b""
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        for line in (self._listening, *self._open):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listening.accept()
                self._open.append(line)
                threading.Thread(target=self._client, args=(line,), daemon=True).start()

    def _log_in(self, begins: bytes) -> None:
        with self._lock:
            for _ in range(self._backends if not self._greeting else 0):
                there = socket.create_connection(("127.0.0.1", self._port))
                self._open.append(there)
                there.sendall(struct.pack(">i", len(begins) + 4) + begins)
                said = [_message(there)]
                while said[-1][0] != b"Z":
                    said.append(_message(there))
                self._greeting = b"".join(_whole(kind, body) for kind, body in said if kind not in (b"K", b"Z"))
                self._free.put(there)

    def _client(self, line: socket.socket) -> None:
        with suppress(OSError):
            self._log_in(_first(line))
            line.sendall(self._greeting + _whole(b"K", struct.pack(">ii", 1, 1)) + _whole(b"Z", b"I"))
            while True:
                self._transaction(line)

    def _transaction(self, line: socket.socket) -> None:
        """Pass on what a client says until its transaction has ended, to one backend, which the next one gets then."""
        said = [_message(line)]
        if said[0][0] == b"X":
            raise OSError("done")
        there = self._free.get()
        state = b"T"
        try:
            while state != b"I":
                while said[-1][0] not in _WRITTEN:
                    said.append(_message(line))
                there.sendall(b"".join(_whole(kind, body) for kind, body in said))
                answer, state = self._answer(there)
                if state == b"T" and not self._transactions:
                    line.sendall(_error("transaction blocks not allowed in statement pooling mode"))
                    line.close()
                    there.sendall(_whole(b"Q", b"ROLLBACK\0"))
                    while _message(there)[0] != b"Z":
                        pass
                    raise OSError("refused")
                line.sendall(answer)
                if state != b"I":
                    said = [_message(line)]
        finally:
            self._free.put(there)

    def _answer(self, there: socket.socket) -> tuple[bytes, bytes]:
        """Return what a backend answers, and the state that it is in then."""
        answer = b""
        while True:
            kind, body = _message(there)
            answer += _whole(kind, body)
            if kind == b"Z":
                self._answers.append(body)
                return answer, body


@contextmanager
def by_transaction(
    port: int, *, backends: int, transactions: bool = True, answers: list[bytes] | None = None
) -> Iterator[str]:
    """Stand before a server; without `transactions`, let single statements pass alone.

    In `answers` is the state of the transaction after each round trip.
    """
    made = _Pooler(port, backends, transactions=transactions, answers=[] if answers is None else answers)
    try:
        yield f"postgresql://postgres@127.0.0.1:{made.port}/postgres"
    finally:
        made.close()


@contextmanager
def refusing(text: str) -> Iterator[str]:
    """Refuse the first client with an error, and keep all others waiting."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with suppress(OSError):
                line, _ = listening.accept()
                with line:
                    _first(line)
                    line.sendall(_error(text))

        threading.Thread(target=answer, daemon=True).start()
        yield f"postgresql://postgres@127.0.0.1:{listening.getsockname()[1]}/postgres?sslmode=disable"
