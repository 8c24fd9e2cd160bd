"""`/mcp` on the server: who asks is said by each request, and nothing is kept from one to the next."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import pytest

from engrain import MemoryManager
from engrain.server.mcp import McpApp
from tests.mcp.clients import MODES, listening, over_http

pytestmark = pytest.mark.anyio

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def address(memory: MemoryManager) -> Iterator[str]:
    """The address of a server over the memory of the test."""
    with listening(memory) as address:
        yield address


async def asked(address: str, verb: str = "POST", **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(timeout=60) as http:
        return await http.request(verb, f"{address}/mcp", json=LIST, headers={**ACCEPT, **headers})


TWICE = ('"arguments": {}, ', '"user": "bo", ', '"method": "tools/list", ')
ONCE = (
    '{"jsonrpc": "2.0", "id": 1, %s"method": "tools/call", "params": {"name": "remember", %s"arguments": '
    '{"content": "The depot floods.", %s"user": "ana"}}}'
)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "body", [ONCE % ("", TWICE[0], ""), ONCE % ("", "", TWICE[1]), ONCE % (TWICE[2], "", "")], ids=str.__len__
)
async def test_a_name_of_an_object_that_is_given_twice_is_refused(
    memory: MemoryManager, address: str, body: str
) -> None:
    headers = {**ACCEPT, "Content-Type": "application/json"}
    async with httpx2.AsyncClient(timeout=60, headers=headers) as http:
        refused = await http.post(f"{address}/mcp", content=body.encode())
        assert (refused.status_code, refused.json()["type"]) == (422, "urn:engrain:invalid")
        assert "twice" in refused.json()["detail"]
        assert memory.count() == 0
        assert (await http.post(f"{address}/mcp", content=(ONCE % ("", "", "")).encode())).status_code == 200
        assert memory.count() == 1
        assert (await http.post(f"{address}/mcp", content=b"{")).status_code == 400
        assert (await http.post(f"{address}/mcp", content=b'{"a": "' + b"x" * 2_000_000 + b'"}')).status_code == 413


@pytest.mark.parametrize("mode", MODES)
async def test_without_keys_this_machine_is_let_in(memory: MemoryManager, address: str, mode: str) -> None:
    async with over_http(address, mode=mode) as agent:
        kept = await agent.call("remember", content="Ana lives in Lisbon.", user="ana")
        assert (await agent.call("recall", query="Lisbon", user="ana"))["hits"][0]["id"] == kept["id"]
        assert "validate" in await agent.tools()


@pytest.mark.parametrize("mode", MODES)
async def test_each_key_has_its_own_memory_and_role(memory: MemoryManager, address: str, mode: str) -> None:
    ana, ben = memory.keys.create("write", user="ana"), memory.keys.create("read", user="ben")
    memory.scoped(user="ben").remember("Ben lives in Rome.")
    async with over_http(address, ana.secret, mode=mode) as one, over_http(address, ben.secret, mode=mode) as other:
        await one.call("remember", content="Ana lives in Lisbon.")
        assert "remember" not in await other.tools()
        assert "role write" in await other.refused("remember", content="x")
        seen = [[each["content"] for each in (await a.call("list_memories"))["memories"]] for a in (one, other)]
    assert seen == [["Ana lives in Lisbon."], ["Ben lives in Rome."]]


async def test_the_audit_trail_names_the_key(memory: MemoryManager, address: str) -> None:
    key = memory.keys.create("write", user="ana")
    async with over_http(address, key.secret) as agent:
        kept = await agent.call("remember", content="Ana lives in Lisbon.")
    (entry,) = memory.scoped(user="ana").audit_log(memory_id=kept["id"])
    assert entry.actor == f"key:{key.id}"


async def test_a_request_belongs_to_its_key_not_to_the_previous_one(memory: MemoryManager, address: str) -> None:
    ana, ben = memory.keys.create("write", user="ana"), memory.keys.create("write", user="ben")
    call: dict[str, Any] = {"name": "remember", "arguments": {"content": "A note of somebody's."}}
    async with httpx2.AsyncClient(headers={**ACCEPT, "Mcp-Session-Id": "shared"}, timeout=60) as http:
        for key in (ana, ben):
            body = {**LIST, "method": "tools/call", "params": call}
            done = await http.post(f"{address}/mcp", json=body, headers={"Authorization": f"Bearer {key.secret}"})
            assert done.json()["result"]["structuredContent"]["status"] == "created"
            assert "mcp-session-id" not in done.headers
    assert [memory.scoped(user=user).count() for user in ("ana", "ben")] == [1, 1]


async def test_a_missing_unknown_or_revoked_key_learns_nothing(memory: MemoryManager, address: str) -> None:
    key = memory.keys.create("write", user="ana")
    assert (await asked(address, Authorization=f"Bearer {key.secret}")).status_code == 200
    memory.keys.revoke(key.id)
    for headers in ({}, {"Authorization": "Bearer nobodys"}, {"Authorization": f"Bearer {key.secret}"}):
        refused = await asked(address, **headers)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert "tools" not in refused.text


async def test_a_page_in_a_browser_does_not_reach_a_server_without_keys(memory: MemoryManager, address: str) -> None:
    assert (await asked(address, Host="evil.example")).status_code == 421
    assert (await asked(address, Origin="http://evil.example")).status_code == 403
    assert (await asked(address)).status_code == 200
    key = memory.keys.create("read", user="ana")  # with keys a page would need one
    behind = await asked(address, Host="memory.example", Authorization=f"Bearer {key.secret}")
    assert behind.status_code == 200


async def test_there_is_nothing_to_listen_to_and_no_session_to_end(address: str) -> None:
    for verb in ("GET", "DELETE"):
        refused = await asked(address, verb)
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


async def test_many_clients_write_at_once(memory: MemoryManager, address: str) -> None:
    keys = [memory.keys.create("write", user="ana", agent=f"agent{n}") for n in range(3)]

    async def write(n: int) -> None:
        async with over_http(address, keys[n].secret) as agent, anyio.create_task_group() as group:
            for m in range(8):
                group.start_soon(_remember, agent, f"note {m} of agent {n}")

    async with anyio.create_task_group() as group:
        for n in range(3):
            group.start_soon(write, n)
    kept = {each.content for each in memory.scoped(user="ana").iter_memories()}
    assert kept == {f"note {m} of agent {n}" for m in range(8) for n in range(3)}
    assert memory.verify_audit().ok


async def _remember(agent: Any, text: str) -> None:
    await agent.call("remember", content=text)


async def test_a_body_beyond_all_tools_is_refused(address: str) -> None:
    async with httpx2.AsyncClient(timeout=60) as http:
        refused = await http.post(
            f"{address}/mcp", content=b" " * 1_000_001, headers={"Content-Type": "application/json"}
        )
    assert refused.status_code == 413


async def test_before_it_runs_and_after_it_says_so(memory: MemoryManager) -> None:
    app = McpApp(memory)
    transport = httpx2.ASGITransport(app=app)

    async def answer() -> int:
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as http:
            return (await http.post("/mcp", json=LIST, headers=ACCEPT)).status_code

    assert await answer() == 503
    for _ in range(2):
        async with app.running():
            assert await answer() == 200
    assert await answer() == 503


@pytest.mark.matrix
@pytest.mark.parametrize("name", ["Engrain-View", "Content-Type", "If-Match", "Idempotency-Key"])
@pytest.mark.parametrize("path", ["/mcp", "/v1/recall"])
async def test_a_header_that_is_given_twice_is_refused(address: str, path: str, name: str) -> None:
    twice = {"Engrain-View": ("user=ana", "user=bo"), "Content-Type": ("application/json", "text/plain")}
    given = [(name, value) for value in twice.get(name, ("1", "2"))]
    usual = [] if name == "Content-Type" else [("Content-Type", "application/json")]
    body = json.dumps(LIST if path == "/mcp" else {"query": "lake"}).encode()
    async with httpx2.AsyncClient(timeout=60) as http:
        refused = await http.post(f"{address}{path}", content=body, headers=[*ACCEPT.items(), *usual, *given])
    assert (refused.status_code, refused.json()["type"]) == (422, "urn:engrain:invalid")
    assert name in refused.json()["detail"]
