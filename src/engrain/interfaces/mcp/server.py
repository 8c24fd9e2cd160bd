"""The server: tools and resources of whoever asks, and what becomes of errors."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import anyio.to_thread
import mcp_types as types
from anyio import CapacityLimiter
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from engrain import __version__
from engrain.interfaces.mcp import resources
from engrain.interfaces.mcp.arguments import arguments, input_model, schema_of
from engrain.interfaces.mcp.guide import INSTRUCTIONS
from engrain.interfaces.mcp.handling import HANDLERS, Call
from engrain.interfaces.mcp.toolbox import TOOLS, Tool
from engrain.interfaces.rest.problems import Problem, problem_of, retry_after
from engrain.interfaces.rest.serving import THREADS
from engrain.manager import MemoryManager
from engrain.model.memory import Scope
from engrain.operations.remote import Caller
from engrain.policies.rate_limit import RateLimiter

WRITES_PER_MINUTE = 60
_LOG = logging.getLogger("engrain.mcp")

Context = ServerRequestContext[Any, Any]
WhoAsks = Callable[[Context], Caller]


class Count(Protocol):
    """What is told of each call."""

    def __call__(self, caller: Caller, /, *, writes: bool) -> None:
        """Count a call; one too many is a `Problem`."""


class McpServer:
    """The tools and resources over a manager, which stays the caller's to close.

    `who` says who asks, request by request; what a tool takes and whether it is offered depends on that. `count` is
    told of each call and whether it `writes`, and raises a `Problem` when it is one too many; `threads` work for it.
    """

    def __init__(
        self,
        memory: MemoryManager,
        who: WhoAsks,
        *,
        count: Count | None = None,
        threads: CapacityLimiter | None = None,
        tools: tuple[Tool, ...] = TOOLS,
    ) -> None:
        self.memory, self._who, self._tools = memory, who, tools
        self._count = count or limited(RateLimiter(WRITES_PER_MINUTE))
        self._threads = threads or CapacityLimiter(THREADS)
        self.protocol: Server[Any] = Server(
            "engrain",
            title="Engrain",
            version=__version__,
            description="Memory for AI agents.",
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_completion=self._complete,
        )

    async def _in_thread(self, work: Callable[..., Any], *given: Any) -> Any:
        """Do it in a thread of its own; once begun it is finished, whatever becomes of the connection."""
        return await anyio.to_thread.run_sync(partial(work, *given), limiter=self._threads)

    def _counted(self, context: Context) -> Caller:
        caller = self._who(context)
        self._count(caller, writes=False)
        return caller

    # tools

    async def _list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            caller = await self._in_thread(self._who, context)
        except Exception as error:  # the edge
            raise MCPError(types.INVALID_REQUEST, sentence(error)) from None
        bound = caller.scope or self.memory.scope
        offered = [_told(tool, caller, bound) for tool in self._tools if caller.role.covers(tool.role)]
        return types.ListToolsResult(tools=offered, cache_scope="private")

    async def _call_tool(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            answer = await self._in_thread(self._do, context, asked.name, asked.arguments or {})
        except Exception as error:  # the edge
            said = types.TextContent(type="text", text=sentence(error))
            return types.CallToolResult(content=[said], is_error=True)
        told, structure = answer
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=told)], structured_content=structure, is_error=False
        )

    def _do(self, context: Context, name: str, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        caller = self._who(context)
        tool = next((tool for tool in self._tools if tool.name == name), None)
        if tool is None:
            offered = ", ".join(tool.name for tool in self._tools if caller.role.covers(tool.role))
            raise ValueError(f"there is no tool of that name: {offered}")
        caller.needs(tool.role, tool.name)
        self._count(caller, writes=tool.writes)
        values = arguments(input_model(tool, caller, caller.scope or self.memory.scope), given)
        _, handle = HANDLERS[tool.name]
        answer = handle(Call(self.memory, caller, tool, values))
        return answer.text(), answer.model_dump(mode="json")

    # resources

    async def _list_resources(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=list(resources.LISTED), cache_scope="private")

    async def _list_templates(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(resources.TEMPLATES), cache_scope="private")

    async def _read_resource(
        self, context: Context, asked: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(asked.uri)
        try:
            text = await self._in_thread(lambda: resources.read(self.memory, self._counted(context), uri))
        except Exception as error:  # the edge
            raise MCPError(types.INVALID_PARAMS, sentence(error), {"uri": uri}) from None
        found = types.TextResourceContents(uri=uri, mime_type=resources.MEDIA, text=text)
        return types.ReadResourceResult(contents=[found], cache_scope="private")

    async def _complete(self, context: Context, asked: types.CompleteRequestParams) -> types.CompleteResult:
        name, begun = asked.argument.name, asked.argument.value
        try:
            values = await self._in_thread(lambda: resources.complete(self.memory, self._counted(context), name, begun))
        except Exception as error:  # the edge
            raise MCPError(types.INVALID_PARAMS, sentence(error)) from None
        return types.CompleteResult(completion=types.Completion(values=values))


def _told(tool: Tool, caller: Caller, bound: Scope) -> types.Tool:
    """Return a tool as a caller is told of it."""
    answer, _ = HANDLERS[tool.name]
    effect = tool.operations[0].effect
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(input_model(tool, caller, bound)),
        output_schema=schema_of(answer, answer=True),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=effect == "read",
            destructive_hint=effect == "destroy",
            idempotent_hint=tool.idempotent or effect == "read",
            open_world_hint=False,
        ),
    )


def limited(rate: RateLimiter) -> Count:
    """Return what counts the writes of each key, and refuses one too many."""

    def count(caller: Caller, /, *, writes: bool) -> None:
        if writes and (wait := rate.attempt(caller.key)):
            told = (
                f"{rate.limit} writes a minute are allowed, nothing was done: put what belongs together into one memory"
            )
            raise Problem(429, "too-many", told, headers=retry_after(wait))

    return count


def sentence(error: Exception) -> str:
    """Return what is told of an error: what to do, and of a bug that it is one; the log has the rest."""
    problem = problem_of(error)
    if problem is not None:
        after = problem.headers.get("Retry-After")
        return f"{problem.detail} (try again in {after} seconds)" if after else problem.detail
    _LOG.error("a call failed in a way nobody foresaw", exc_info=error)
    return "this is a bug of the server, not of your call: its log says where it happened"
