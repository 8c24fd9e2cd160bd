"""Tenants who reach a store through a server: by the client, over REST, or by the tools of MCP; each has a key."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from typing import Any

from campaigns.acts import ACTS, SESSIONS, WHERE, Given
from engrain import MemoryManager
from engrain.client import Client
from engrain.model.memory import Scope
from engrain.server.limits import Limits
from engrain.server.process import ServerOptions, create_server

REST_ACTS = sorted(set(ACTS) - {"sync_folder", "set_reranker", "lifecycle.entries"})
"""What the client can do: the others need the store."""

TOOLS: Mapping[str, Callable[[Given], Mapping[str, Any]]] = {
    "remember": lambda g: {"content": g.text(), "tags": [g.mark], "session": g.pick(SESSIONS)},
    "recall": lambda g: {"query": g.question() or "bees", "k": g.pick((1, 20))},
    "get_context": lambda g: {"query": g.question() or "bees"},
    "get_memory": lambda g: {"memory_id": g.id()},
    "list_memories": lambda g: {"limit": g.pick((2, 50))},
    "update_memory": lambda g: {"memory_id": g.id(), "content": g.text(g.common), "reason": g.common},
    "forget": lambda g: {"memory_id": g.id(), "reason": g.common, "hard": g.pick((False, True))},
    "entity": lambda g: dict(zip(("entity_type", "value"), g.entity(), strict=True)),
    "graph": lambda g: dict(zip(("entity_type", "value"), g.entity(), strict=True)),
    "synthesize": lambda g: {"query": f"Who lives in {g.pick(WHERE)}?"},
}
_CURSOR = re.compile(r"cursor=\S+")
_MOMENT = {
    "ms",
    "latency_ms",
    "query_id",
    "trace",
    "cursor",
    "next",
}  # fields that say how long it took, or are of the moment


class Served:
    """A manager behind a server; `view` reaches it with a key of a scope."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory, self._ended = memory, ExitStack()
        self._keys: dict[Scope, str] = {}
        self._clients: dict[tuple[str, str | None], Client] = {}
        memory.keys.create("read", name="guard")  # so that every request needs a key
        self._port = self._ended.enter_context(_serving(memory))

    def close(self) -> None:
        """Stop the server."""
        self._ended.close()

    def _key(self, scope: Scope) -> str:
        """Return a key of a scope: a new one, if it has none or it was erased with its user."""
        secret = self._keys.get(scope)
        if secret is None or self._memory.keys.recognise(secret) is None:
            keys = self._memory.for_org(scope.org).keys
            secret = self._keys[scope] = str(keys.create("admin", user=scope.user, agent=scope.agent).secret)
        return secret

    def view(self, scope: Scope) -> Client:
        """Return the client that has a key of a scope."""
        key = self._key(Scope(scope.org, scope.user, scope.agent))
        client = self._clients.get((key, scope.session))
        if client is None:
            address, (user, agent, session) = f"http://127.0.0.1:{self._port}", (scope.user, scope.agent, scope.session)
            client = Client(address, key=key, timeout=120, user=user, agent=agent, session=session)
            self._clients[key, scope.session] = self._ended.enter_context(client)
        return client

    def call(self, scope: Scope, name: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool of MCP with a key of a scope; return what it says, but times."""
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {self._key(Scope(scope.org, scope.user, scope.agent))}",
        }
        connection = HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            connection.request("POST", "/mcp", json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, _lasting(json.loads(answer.read()))
        finally:
            connection.close()


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lasting(each) for name, each in value.items() if name not in _MOMENT}
    if isinstance(value, list):
        return [_lasting(each) for each in value]
    return _CURSOR.sub("", value) if isinstance(value, str) else value  # which has numbers of rows


@contextmanager
def _serving(memory: MemoryManager) -> Iterator[int]:
    limits = Limits(writes_per_minute=None)
    server = create_server(memory, ServerOptions(worker=False, port=0, limits=limits))
    listening = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run_on, args=(listening,))
    thread.start()
    try:
        yield listening.getsockname()[1]
    finally:
        server.stop()
        thread.join()
        listening.close()
