"""The memory as tools of any language model: their descriptions for its API, and the loop that carries out its calls.

```python
from engrain import MemoryManager, tools

memory = MemoryManager("memory.db", user="ana")
offered = tools.openai(memory)
answer = offered.run(lambda messages: client.chat.completions.create(model="...", messages=messages, tools=offered),
                     "What do you know about my bees?")
```
"""

from __future__ import annotations

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import anyio.to_thread

from engrain.errors import ConfigError, EngrainError, ProviderError, StoreError
from engrain.integrations.opening import framework
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.model.choices import RoleName
from engrain.server.callers import Caller
from engrain.server.wire import EXPECTED, error_sentence

with framework("mcp"):
    from engrain.server.tools import INSTRUCTIONS, TOOLS, Tool, input_model, schema_of

_LOG = logging.getLogger("engrain.tools")

Messages = list[Any]  # the messages of a conversation, in the shape of the model's API


class Call(NamedTuple):
    """A call that a model asks for: its id, the tool's name, and the arguments, as JSON where they are a text."""

    id: str
    name: str
    arguments: str | Mapping[str, Any]


class Tools(list[dict[str, Any]], ABC):
    """The descriptions of tools in the form of an API, and the function that carries out their calls.

    Attributes:
        instructions: When to use the tools, for the system's message.
    """

    instructions = INSTRUCTIONS

    def __init__(self, memory: MemoryManager, role: RoleName | Role, only: Iterable[str] | None) -> None:
        self._memory, self._caller = memory, Caller(Role(role))
        names = None if only is None else [only] if isinstance(only, str) else list(only)
        known = {tool.name: tool for tool in TOOLS if self._caller.role.covers(tool.role)}
        if unknown := [name for name in names or () if name not in known]:
            raise ValueError(f"there is no tool {unknown[0]!r} for the role {Role(role).value}: {', '.join(known)}")
        self._tools = known if names is None else {name: known[name] for name in names}
        super().__init__(self._described(tool) for tool in self._tools.values())

    def call(self, name: str, arguments: str | Mapping[str, Any]) -> str:
        """Carry out a call, and return the text for the model; an invalid call is a `ValueError` or `EngrainError`.

        Args:
            name: The name of the tool.
            arguments: Its arguments; a text is read as JSON.

        Returns:
            The answer.

        Raises:
            ValueError: There is no such tool, or the arguments do not fit.
            EngrainError: The memory refuses it, or fails.
        """
        tool = self._tools.get(name)
        if tool is None:
            raise ValueError(f"there is no tool {name!r}: {', '.join(self._tools)}")
        given = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
        if not isinstance(given, Mapping):
            raise ValueError(f"the arguments of {name} are an object")
        return str(tool.call(self._memory, self._caller, given))

    def answered(self, response: Any) -> Messages:
        """Carry out the calls of a response, and return the messages to go on with: the response, and the results.

        A mistake of the model's is a result that says so. A memory that fails raises.

        Args:
            response: The response of the API: its object or its JSON.

        Returns:
            The messages; only that of the response where it calls nothing.

        Raises:
            EngrainError: The store or a provider fails.
        """
        found = _plain(response)
        results = [(call, *self._result(call)) for call in self._calls(found)]
        return [*self._turns(found), *self._results(results)]

    def run(self, ask: Callable[[Messages], Any], messages: str | Messages, *, most: int = 8) -> str:
        """Ask the model until it calls no tool any more, and return its answer.

        Args:
            ask: Sends the messages with these tools, and returns the response.
            messages: The question, or the messages so far; a list is extended by all that follows.
            most: How many times the model is asked at most. Default 8.

        Returns:
            The text of the last response.

        Raises:
            EngrainError: The model still calls tools after so many rounds, or the store or a provider fails.
        """
        conversation = _conversation(messages)
        for _ in range(most):
            if (text := self._taken_up(ask(conversation), conversation)) is not None:
                return text
        raise EngrainError(f"the model still calls tools after {most} rounds")

    async def arun(self, ask: Callable[[Messages], Awaitable[Any]], messages: str | Messages, *, most: int = 8) -> str:
        """The variant of `run` for an `ask` to be awaited; calls are carried out in a thread.

        Args:
            ask: As of `run`, to be awaited.
            messages: As of `run`.
            most: As of `run`.

        Returns:
            As of `run`.

        Raises:
            EngrainError: As of `run`.
        """
        conversation = _conversation(messages)
        for _ in range(most):
            response = await ask(conversation)
            if (text := await anyio.to_thread.run_sync(self._taken_up, response, conversation)) is not None:
                return text
        raise EngrainError(f"the model still calls tools after {most} rounds")

    def _taken_up(self, response: Any, conversation: Messages) -> str | None:
        """Extend a conversation by a response and the results of its calls; return its text when it calls nothing."""
        found = _plain(response)
        conversation += self.answered(found)
        return None if self._calls(found) else self._text(found)

    def _result(self, call: Call) -> tuple[str, bool]:
        """Return the result of a call, and whether it is a mistake of the model's."""
        try:
            return self.call(call.name, call.arguments), False
        except (StoreError, ProviderError, ConfigError):
            raise
        except EXPECTED as error:
            return error_sentence(error, _LOG), True

    def _about(self, tool: Tool, schema: str) -> dict[str, Any]:
        arguments = schema_of(input_model(tool, self._caller, self._memory.scope))
        return {"name": tool.name, "description": tool.description, schema: arguments}

    @abstractmethod
    def _described(self, tool: Tool) -> dict[str, Any]:
        """Return a tool as the API describes one."""

    @abstractmethod
    def _calls(self, response: Any) -> Sequence[Call]:
        """Return the calls that a response asks for."""

    @abstractmethod
    def _turns(self, response: Any) -> Messages:
        """Return a response as messages of the conversation."""

    @abstractmethod
    def _results(self, results: Sequence[tuple[Call, str, bool]]) -> Messages:
        """Return the results of calls as messages."""

    @abstractmethod
    def _text(self, response: Any) -> str:
        """Return the text of a response."""


class _Chat(Tools):
    """Tools in the shape of OpenAI's chat completions, which many providers and servers speak."""

    def _described(self, tool: Tool) -> dict[str, Any]:
        return {"type": "function", "function": self._about(tool, "parameters")}

    def _message(self, response: Any) -> dict[str, Any]:
        found: dict[str, Any] = response["choices"][0]["message"]
        return found

    def _calls(self, response: Any) -> Sequence[Call]:
        called = self._message(response).get("tool_calls") or ()
        return [Call(each["id"], each["function"]["name"], each["function"]["arguments"]) for each in called]

    def _turns(self, response: Any) -> Messages:
        return [self._message(response)]

    def _results(self, results: Sequence[tuple[Call, str, bool]]) -> Messages:
        return [{"role": "tool", "tool_call_id": call.id, "content": text} for call, text, _ in results]

    def _text(self, response: Any) -> str:
        return self._message(response).get("content") or ""


class _Responses(Tools):
    """Tools in the shape of OpenAI's responses."""

    def _described(self, tool: Tool) -> dict[str, Any]:
        return {"type": "function", "strict": False, **self._about(tool, "parameters")}

    def _calls(self, response: Any) -> Sequence[Call]:
        called = (item for item in response["output"] if item["type"] == "function_call")
        return [Call(each["call_id"], each["name"], each["arguments"]) for each in called]

    def _turns(self, response: Any) -> Messages:
        return [*response["output"]]

    def _results(self, results: Sequence[tuple[Call, str, bool]]) -> Messages:
        return [{"type": "function_call_output", "call_id": call.id, "output": text} for call, text, _ in results]

    def _text(self, response: Any) -> str:
        parts = (part for item in response["output"] if item["type"] == "message" for part in item["content"])
        return "".join(part.get("text", "") for part in parts)


class _Messages(Tools):
    """Tools in the shape of Anthropic's messages."""

    def _described(self, tool: Tool) -> dict[str, Any]:
        return self._about(tool, "input_schema")

    def _calls(self, response: Any) -> Sequence[Call]:
        called = (block for block in response["content"] if block["type"] == "tool_use")
        return [Call(each["id"], each["name"], each["input"]) for each in called]

    def _turns(self, response: Any) -> Messages:
        return [{"role": "assistant", "content": response["content"]}]

    def _results(self, results: Sequence[tuple[Call, str, bool]]) -> Messages:
        blocks = [
            {"type": "tool_result", "tool_use_id": call.id, "content": text, **({"is_error": True} if failed else {})}
            for call, text, failed in results
        ]
        return [{"role": "user", "content": blocks}] if blocks else []

    def _text(self, response: Any) -> str:
        return "".join(block["text"] for block in response["content"] if block["type"] == "text")


def openai(
    memory: MemoryManager,
    *,
    role: RoleName | Role = "write",
    only: Iterable[str] | None = None,
    responses: bool = False,
) -> Tools:
    """Return a memory's tools for OpenAI's API, and for all that speak its chat completions.

    Args:
        memory: The memory; what its view is bound to is no argument of a tool.
        role: What the model may do: `read`, `write`, `review` or `admin`. Default `write`.
        only: The names of the tools to offer. None means all that the role covers.
        responses: In the shape of the responses API, not of chat completions. Default False.

    Returns:
        The tools.

    Raises:
        ValueError: There is no such role, or no such tool for it.
    """
    return (_Responses if responses else _Chat)(memory, role, only)


def anthropic(memory: MemoryManager, *, role: RoleName | Role = "write", only: Iterable[str] | None = None) -> Tools:
    """Return a memory's tools for Anthropic's messages API.

    Args:
        memory: The memory; what its view is bound to is no argument of a tool.
        role: What the model may do: `read`, `write`, `review` or `admin`. Default `write`.
        only: The names of the tools to offer. None means all that the role covers.

    Returns:
        The tools.

    Raises:
        ValueError: There is no such role, or no such tool for it.
    """
    return _Messages(memory, role, only)


def _conversation(messages: str | Messages) -> Messages:
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else messages


def _plain(response: Any) -> Any:
    """Return a response as plain values; the objects of SDKs know how."""
    dump = getattr(response, "model_dump", None)
    return response if dump is None else dump(mode="json", exclude_none=True)
