"""A server of one memory in a thread of the test, on a port that was free."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.datastructures import Headers

from engrain import MemoryManager
from engrain.server.app import create_app
from engrain.server.callers import ANONYMOUS_ADMIN, Caller
from engrain.server.limits import Limits
from engrain.server.process import ServerOptions, create_server
from tests import described

described.share()


def anybody(_memory: MemoryManager, _headers: Headers) -> Caller:
    """Accept every client as the local user."""
    return ANONYMOUS_ADMIN


@contextmanager
def serving(
    memory: MemoryManager,
    *,
    limits: Limits | None = None,
    caller: Callable[[MemoryManager, Headers], Caller] = anybody,
    scratch: Path | None = None,
) -> Iterator[str]:
    """Serve a memory for a while; yields the address."""
    app = create_app(memory, limits=limits, authenticate=caller, scratch=scratch)
    with _running(uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off", ws="none"))) as url:
        yield url


@contextmanager
def serving_whole(memory: MemoryManager, options: ServerOptions | None = None) -> Iterator[str]:
    """Serve a memory as the command does, with all that stands around the application."""
    options = options or ServerOptions(limits=Limits(writes_per_minute=None), worker=False)
    with _running(create_server(memory, options)) as url:
        yield url


@contextmanager
def _running(server: uvicorn.Server) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(0.005)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()
