"""`engrain mcp`: a process of its own for one client, which it speaks to on standard input and output."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import anyio
from mcp.server.stdio import stdio_server

from engrain.errors import AccessDenied
from engrain.interfaces.mcp.server import McpServer
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.operations.remote import Caller

_INTERRUPTED = 130
_BY_HAND = "engrain mcp speaks MCP on standard input and output: a client starts it (docs/mcp.md). Ctrl-C ends it."


def serve(memory: MemoryManager, *, role: Role, key: str | None = None) -> None:
    """Serve until standard input ends; a key says who asks and what that one may do, in place of the role.

    The key is looked up at each call, so one that is revoked opens nothing any more. An interrupt ends the process.
    """
    if key is not None:
        recognised(memory, key)
    with _ended_by_interrupt():
        if sys.stdin.isatty():
            sys.stderr.write(_BY_HAND + "\n")
        anyio.run(_serve, McpServer(memory, lambda _: Caller(role) if key is None else recognised(memory, key)))


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let an interrupt end the process at once: the thread that waits for a line cannot be told to stop."""
    before = signal.signal(signal.SIGINT, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"engrain: interrupted\n")  # the interrupted code may be writing to the same stream
    os._exit(_INTERRUPTED)  # what was acknowledged is in the store


def recognised(memory: MemoryManager, secret: str) -> Caller:
    """Return who bears a key; raises `AccessDenied` for one that is unknown or was revoked."""
    key = memory.keys.recognise(secret)
    if key is None:
        raise AccessDenied("the key is unknown or was revoked: ask the store's keeper for another", role=None)
    return Caller.of(key)


async def _serve(server: McpServer) -> None:
    async with stdio_server() as (read, write):
        await server.protocol.run(read, write, server.protocol.create_initialization_options())
