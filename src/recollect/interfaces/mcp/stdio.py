"""`recollect mcp`: a process of its own for one client, which it speaks to on standard input and output."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from recollect.errors import AccessDenied
from recollect.interfaces.access import Caller
from recollect.interfaces.mcp.server import McpServer
from recollect.manager import MemoryManager
from recollect.roles import Role


def serve(memory: MemoryManager, *, role: Role, key: str | None = None) -> None:
    """Serve until standard input ends; a key says who asks and what that one may do, in place of the role.

    The key is looked up at each call, so one that is revoked opens nothing any more.
    """
    if key is not None:
        recognised(memory, key)
    anyio.run(_serve, McpServer(memory, lambda _: Caller(role) if key is None else recognised(memory, key)))


def recognised(memory: MemoryManager, secret: str) -> Caller:
    """Return who bears a key; raises `AccessDenied` for one that is unknown or was revoked."""
    key = memory.keys.recognise(secret)
    if key is None:
        raise AccessDenied("the key is unknown or was revoked: ask the store's keeper for another", role=None)
    return Caller.of(key)


async def _serve(server: McpServer) -> None:
    async with stdio_server() as (read, write):
        await server.protocol.run(read, write, server.protocol.create_initialization_options())
