"""A proxy that loses connections when it is asked to: before a request arrived, or after it was carried out."""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

BEFORE, AFTER, WELL = "before", "after", "well"
"""Cut before anything is passed on; when the server has answered, before that is passed back; not at all."""


class Proxy:
    """It passes requests on to a server, each connection as `plan` says; one that is not planned goes well."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._to = (parts.hostname or "", parts.port or 0)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.plan: deque[str] = deque()
        self.cuts = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(line,), daemon=True).start()

    def _carry(self, line: socket.socket) -> None:
        how = self.plan.popleft() if self.plan else WELL
        with suppress(OSError), line, socket.create_connection(self._to) as server:
            if how == BEFORE:
                line.recv(1)
                self.cuts += 1
                return
            threading.Thread(target=_pass, args=(line, server), daemon=True).start()
            while answer := server.recv(1 << 20):
                if how == AFTER:
                    self.cuts += 1
                    line.shutdown(socket.SHUT_RDWR)
                    return
                line.sendall(answer)


def _pass(line: socket.socket, server: socket.socket) -> None:
    with suppress(OSError):
        while asked := line.recv(1 << 20):
            server.sendall(asked)
        server.shutdown(socket.SHUT_WR)


@contextmanager
def lossy(target: str) -> Iterator[Proxy]:
    """Stand between clients and a server for a while."""
    proxy = Proxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
