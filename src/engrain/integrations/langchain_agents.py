"""LangChain agents: middleware that adds relevant memories to the system message and remembers each turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Annotated, Any, NotRequired

from engrain.integrations.opening import Memory, Opened, framework, in_thread, plain_text

with framework("langchain-agents"):
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import ModelRequest, ModelResponse, PrivateStateAttr
    from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
    from langgraph.config import get_config


class _State(AgentState[Any]):
    engrain_context: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]


class EngrainMiddleware(Opened, AgentMiddleware[Any, Any]):
    """Middleware of `create_agent`: memories about the user's message go in, and the words of both are remembered.

    The context is looked up once per turn and is part of the system message of each of its model calls; it is never
    part of the conversation, and so not remembered. The session of what is remembered is the thread, if there is one.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        remember: Remember the turn when it ends. Default True.
        token_budget: How many tokens the context may have. Default 1000.
        **filters: Filters of `recall`, such as `kinds=["semantic"]`.
    """

    state_schema: type[Any] = _State
    tools: Sequence[Any] = ()

    def __init__(self, memory: Memory, *, remember: bool = True, token_budget: int = 1000, **filters: Any) -> None:
        Opened.__init__(self, memory)
        self.remember = remember
        self.token_budget = token_budget
        self.filters = filters

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        """Look up the memories that answer the newest message of the user."""
        asked = next((m.text for m in reversed(state["messages"]) if isinstance(m, HumanMessage)), "")
        if not asked.strip():
            return {"engrain_context": ""}
        found = self.memory.context(plain_text(str(asked)), token_budget=self.token_budget, **self.filters)
        return {"engrain_context": found}

    async def abefore_agent(self, state: Any, runtime: Any) -> dict[str, Any]:
        """The async variant of `before_agent`."""
        return await in_thread(partial(self.before_agent, state, runtime))

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
        """Call the model with the context in its system message."""
        return handler(_informed(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """The async variant of `wrap_model_call`."""
        return await handler(_informed(request))

    def after_agent(self, state: Any, runtime: Any) -> None:
        """Remember the words of the user and the agent in this turn; a repeated message is the same memory."""
        self._keep(state["messages"], get_config().get("configurable", {}).get("thread_id"))

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        """The async variant of `after_agent`."""
        await in_thread(partial(self._keep, state["messages"], get_config().get("configurable", {}).get("thread_id")))

    def _keep(self, messages: list[BaseMessage], thread: str | None) -> None:
        spoken = [(each, plain_text(str(each.text))) for each in _turn(messages)]
        items = [
            {
                "content": text,
                "kind": "episodic",
                "source_type": "user_input" if isinstance(each, HumanMessage) else "llm_generated",
                **({"key": f"langchain:{each.id}"} if each.id else {}),
            }
            for each, text in spoken
            if text.strip()
        ]
        if self.remember and items:
            self.memory.remember_many(items, session=thread)


def _informed(request: ModelRequest) -> ModelRequest:
    found = request.state.get("engrain_context")
    if not found:
        return request
    system = request.system_message
    parts: list[Any] = [] if system is None else [*system.content_blocks]
    return request.override(system_message=SystemMessage(content=[*parts, {"type": "text", "text": found}]))


def _turn(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Return the texts of the user and the agent from the user's newest messages on."""
    start = next((place for place in range(len(messages) - 1, -1, -1) if isinstance(messages[place], HumanMessage)), 0)
    while start > 0 and isinstance(messages[start - 1], HumanMessage):
        start -= 1
    return [each for each in messages[start:] if isinstance(each, HumanMessage | AIMessage)]
