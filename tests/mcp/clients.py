"""An agent that talks to the memory through the protocol's own client: in memory, to a process, over HTTP."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from engrain import MemoryManager
from engrain.model.audit import Role
from engrain.server.app import create_app
from engrain.server.callers import Caller
from engrain.server.context import ServerContext
from engrain.server.mcp import McpServer

MODES = ("legacy", "auto")
"""With a handshake, as most clients do it, and without, as the newest revision of the protocol has it."""


class Agent:
    """Calls tools, and holds the answers to what is promised of all of them."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, **given: Any) -> Any:
        """Return the structure that a tool answers with; what it tells of must also be in its text."""
        result = await self.client.call_tool(name, given)
        assert not result.is_error, words(result)
        assert words(result)
        return result.structured_content

    async def text(self, name: str, **given: Any) -> str:
        """Return what a tool says to a model that reads text only."""
        result = await self.client.call_tool(name, given)
        assert not result.is_error, words(result)
        return words(result)

    async def refused(self, name: str, **given: Any) -> str:
        """Return what a tool says that does not do it."""
        result = await self.client.call_tool(name, given)
        assert result.is_error, words(result)
        assert result.structured_content is None
        assert "Traceback" not in words(result)
        return words(result)

    async def tools(self) -> dict[str, Any]:
        """Return the tools that it is offered, by name."""
        return {tool.name: tool for tool in (await self.client.list_tools()).tools}


def words(result: CallToolResult) -> str:
    """Return the single text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@asynccontextmanager
async def beside(
    memory: MemoryManager, role: Any = "write", *, mode: str = "auto", count: Any = None
) -> AsyncIterator[Agent]:
    """Talk to a server in this process."""
    context = ServerContext(memory)
    context.count = count or context.count
    made = McpServer(memory, lambda _: Caller(Role(role)), context=context)
    async with Client(made.protocol, mode=mode) as client:
        yield Agent(client)


def command(*more: str, **environment: str) -> StdioServerParameters:
    """Return how a client starts `engrain mcp`."""
    passed = {name: value for name, value in os.environ.items() if name.startswith(("ENGRAIN_", "PYTHON"))}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "engrain", "mcp", *more], env={**os.environ, **passed, **environment}
    )


@asynccontextmanager
async def starting(*more: str, mode: str = "auto", **environment: str) -> AsyncIterator[Agent]:
    """Talk to a process of its own."""
    async with Client(command(*more, **environment), mode=mode) as client:
        yield Agent(client)


@contextmanager
def listening(memory: MemoryManager) -> Iterator[str]:
    """Serve REST and MCP on a free port in a thread; yield the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(create_app(memory), port=port, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


@asynccontextmanager
async def over_http(address: str, key: str | None = None, *, mode: str = "auto") -> AsyncIterator[Agent]:
    """Talk to a server over HTTP, with a key or without."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield Agent(client)
