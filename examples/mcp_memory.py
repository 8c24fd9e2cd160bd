"""The memory as tools of an agent over MCP, called as an agent calls them.

Run it: python mcp_memory.py [STORE]
"""

import asyncio
import sys

try:
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters
except ModuleNotFoundError:
    sys.exit('mcp is not installed: pip install "engrain[mcp]"')


async def use(store: str = "memory.db") -> list[str]:
    """Start the server, list its tools, keep a text and find it."""
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "engrain", "mcp", "--store", store, "--user", "ana"]
    )
    async with Client(server) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("remember", {"content": "The spare key is under the blue pot."})
        found = await client.call_tool("recall", {"query": "where is the spare key?"})
    return [", ".join(tools), "\n".join(part.text for part in found.content if part.type == "text")]


if __name__ == "__main__":
    print("\n".join(asyncio.run(use(*sys.argv[1:2]))))
