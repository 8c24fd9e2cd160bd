"""`engrain mcp`: a process for each client, all on one store."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import anyio
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from engrain import MemoryManager
from tests.cli.conftest import Run, run  # noqa: F401
from tests.mcp.clients import MODES, Agent, starting

NOTES = 8


def opened(store: Path, **view: Any) -> MemoryManager:
    return MemoryManager(store, embedder=None, **view)


@pytest.mark.matrix
@pytest.mark.anyio
@pytest.mark.parametrize("mode", MODES)
async def test_a_client_starts_it_and_talks_to_it(store: Path, mode: str) -> None:
    async with starting("--user", "ana", mode=mode) as agent:
        assert "forget" in await agent.tools()
        kept = await agent.call("remember", content="Ana lives in Lisbon.")
        assert (await agent.call("recall", query="Lisbon"))["hits"][0]["id"] == kept["id"]
    with opened(store, user="ben") as memory:
        assert memory.count() == 0


@pytest.mark.anyio
async def test_two_agents_write_at_once_and_nothing_is_lost(store: Path) -> None:
    """Each agent sees the memories common to its user's agents, and none of another user."""
    opened(store).close()

    async def write(user: str, agent: str) -> None:
        async with starting("--user", user) as client, anyio.create_task_group() as group:
            for n in range(NOTES):
                group.start_soon(_note, client, f"{user} note {n} of {agent}")

    async with anyio.create_task_group() as group:
        for user, agent in (("ana", "one"), ("ana", "two"), ("ben", "three")):
            group.start_soon(write, user, agent)
    for user, agents in (("ana", ("one", "two")), ("ben", ("three",))):
        with opened(store, user=user) as memory:
            kept = {each.content for each in memory.iter_memories()}
            assert kept == {f"{user} note {n} of {agent}" for agent in agents for n in range(NOTES)}
    async with starting("--user", "ana") as one:
        assert (await one.call("stats"))["total_notes"] == 2 * NOTES
        assert "ben" not in await one.text("list_memories", limit=100)
        assert "user: " in await one.refused("recall", query="note", user="ben")  # it has no such parameter


async def _note(agent: Agent, text: str) -> None:
    assert (await agent.call("remember", content=text))["status"] == "created"


@pytest.mark.anyio
async def test_agents_of_a_user_share_what_no_agent_keeps_for_itself(store: Path) -> None:
    async with starting("--user", "ana") as common, starting("--user", "ana", "--agent", "coder") as coder:
        await common.call("remember", content="The build uses make.")
        await coder.call("remember", content="The linter is slow.")
        assert len((await coder.call("list_memories"))["memories"]) == 2
        await common.call("remember", content="The linter was replaced.", agent="writer")
        assert len((await coder.call("list_memories"))["memories"]) == 2


@pytest.mark.anyio
async def test_the_role_is_what_the_command_says(store: Path) -> None:
    async with starting("--role", "read") as agent:
        assert "remember" not in await agent.tools()
        assert "role write" in await agent.refused("remember", content="x")


@pytest.mark.anyio
async def test_a_key_sets_the_scope_and_the_lifetime(store: Path) -> None:
    with opened(store) as memory:
        key = memory.keys.create("read", user="ana")
        memory.scoped(user="ana").remember("Ana lives in Lisbon.")
        memory.scoped(user="ben").remember("Ben lives in Rome.")
        assert key.secret is not None
        async with starting(ENGRAIN_KEY=key.secret) as agent:
            tools = await agent.tools()
            assert "remember" not in tools
            assert "user" not in tools["recall"].input_schema["properties"]
            assert [each["content"] for each in (await agent.call("list_memories"))["memories"]] == [
                "Ana lives in Lisbon."
            ]
            assert memory.keys.revoke(key.id)
            assert "revoked" in await agent.refused("list_memories")


def test_a_key_that_is_not_known_is_one_line(run: Run) -> None:  # noqa: F811
    done = run("mcp", "--key", "nobodys")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("engrain: the key is unknown")
    assert done.err.count("\n") == 1
    assert "no place with a key" in run("mcp", "--key", "nobodys", "--user", "ana").err


# ------------------------------------------------------------------------------------------------------- line by line


class Raw:
    """The process and its lines, for what no client does."""

    def __init__(self, *more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engrain", "mcp", *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        hello = {"protocolVersion": max(HANDSHAKE_PROTOCOL_VERSIONS), "capabilities": {}}
        self.send("initialize", 0, {**hello, "clientInfo": {"name": "raw", "version": "1"}})
        assert self.line()["id"] == 0
        self.send("notifications/initialized")

    def send(self, method: str, number: int | None = None, params: dict[str, Any] | None = None) -> None:
        """Write one message."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if number is not None:
            message["id"] = number
        self._pipe(self.process.stdin).write(json.dumps(message).encode() + b"\n")
        self._pipe(self.process.stdin).flush()

    def remember(self, number: int, text: str) -> None:
        """Ask for a write, without waiting for it."""
        self.send("tools/call", number, {"name": "remember", "arguments": {"content": text}})

    def line(self) -> dict[str, Any]:
        """Read one message; anything else on standard output fails the test."""
        found = json.loads(self._pipe(self.process.stdout).readline())
        assert found["jsonrpc"] == "2.0"
        return dict(found)

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def test_standard_output_is_the_protocols_alone(store: Path) -> None:
    raw = Raw()
    raw.remember(1, "Ana lives in Lisbon.")
    assert raw.line()["result"]["structuredContent"]["status"] == "created"
    raw.send("tools/call", 2, {"name": "recall", "arguments": {"query": {"text": 5}}})
    assert raw.line()["result"]["isError"] is True
    out, _ = raw.process.communicate(timeout=60)  # which ends its standard input, and so the process
    assert out == b""
    assert raw.process.returncode == 0


def test_a_message_with_a_name_twice_is_refused(store: Path) -> None:
    raw = Raw()
    pipe = Raw._pipe(raw.process.stdin)
    call = '{"name": "remember", "arguments": {"content": "Ana likes tea", "content": "Ana likes coffee"}}'
    pipe.write(b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": ' + call.encode() + b"}\n")
    pipe.write(b'{"jsonrpc": "2.0", "id": 8, "id": 9, "method": "ping"}\n')
    pipe.flush()
    first, second = raw.line(), raw.line()
    assert (first["id"], first["error"]) == (7, {"code": -32600, "message": "the name 'content' is given twice"})
    assert second["error"]["message"] == "the name 'id' is given twice"
    pipe.write(b'[{"id": 8, "id": 9}]\n' + b'{"id": ' + b"1" * 5_000 + b"}\n")
    pipe.flush()
    assert raw.line()["error"]["message"] == "the name 'id' is given twice"
    assert "digits" in raw.line()["error"]["message"]
    raw.remember(10, "Ana likes rain")
    assert raw.line()["id"] == 10
    raw.process.communicate(timeout=60)
    with opened(store) as memory:
        assert [each.content for each in memory.list_memories()] == ["Ana likes rain"]


@pytest.mark.slow
def test_an_acknowledged_write_survives_a_kill(store: Path) -> None:
    stored, asked = set[str](), 0
    for round_ in range(2):
        raw = Raw()
        texts = {n: f"round {round_} note {n}" for n in range(1, 21)}
        for number, text in texts.items():
            raw.remember(number, text)
        for _ in range(3 + 8 * round_):
            answer = raw.line()
            assert answer["result"]["structuredContent"]["status"] == "created"
            stored.add(texts[answer["id"]])
        raw.process.kill()  # in the middle of the rest
        raw.process.communicate()
        asked += len(texts)
    with opened(store) as memory:
        kept = {each.content for each in memory.iter_memories()}
        assert stored <= kept
        assert len(stored) == 14
        assert len(kept) <= asked
        assert memory.verify_audit().ok


def test_an_interrupt_ends_it_at_once_though_its_input_stays_open(store: Path) -> None:
    raw = Raw()
    raw.remember(1, "Ana lives in Lisbon.")
    assert raw.line()["result"]["structuredContent"]["status"] == "created"
    raw.process.send_signal(signal.SIGINT)
    assert raw.process.wait(60) == 130
    assert Raw._pipe(raw.process.stderr).read() == b"engrain: interrupted\n"
    raw.process.communicate()
    with opened(store) as memory:
        assert memory.count() == 1


@pytest.mark.slow
def test_on_a_terminal_it_says_what_starts_it_and_ends_at_control_c(store: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "mcp", "--embedder", "none"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        assert b"a client starts it" in Raw._pipe(process.stderr).readline()
        process.send_signal(signal.SIGINT)  # what a terminal does at Ctrl-C
        assert process.wait(60) == 130
        out, said = process.communicate()
        assert (out, said) == (b"", b"engrain: interrupted\n")
    finally:
        process.kill()
        process.communicate()
        os.close(ours)
