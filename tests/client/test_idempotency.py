"""A write whose answer was lost is carried out once; a repetition under its key gets the first answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, RequestRepeated, Settings
from engrain.client import Client, Connection
from engrain.model.results import Remembered
from engrain.testing import ScriptedLLM
from tests.client import kept
from tests.client.test_retries import Script, scripted
from tests.proxies import AFTER, BEFORE, Proxy, lossy
from tests.rows import behind, tables
from tests.servers import serving

__all__ = ["scripted"]
CUTS = [[AFTER], [AFTER, AFTER], [BEFORE, AFTER], [AFTER, BEFORE]]
UNDER_WAY = '{"error": "RequestRepeated", "code": "IN_FLIGHT", "changed": [], "retry_after": 1.0}'


@pytest.fixture
def proxy(served: tuple[MemoryManager, str]) -> Iterator[Proxy]:
    with lossy(served[1]) as proxy:
        yield proxy


@pytest.fixture
def through(proxy: Proxy, memory: MemoryManager) -> Iterator[Client]:
    with Client(proxy.url, org=memory.scope.org, timeout=10) as client:
        yield client


def named(client: Client, url: str, **more: Any) -> Client:
    """Let a client send all its writes under one key."""
    client.close()
    client._connection = Connection(url, **{"key": None, "timeout": 30, "retries": 2, **more}, new_key=lambda: "one")
    return client


@pytest.mark.matrix
@pytest.mark.parametrize("cuts", CUTS)
def test_a_message_is_appended_once(through: Client, proxy: Proxy, memory: MemoryManager, cuts: list[str]) -> None:
    proxy.plan.extend(cuts)
    turn = through.add_message("user", "I keep bees", session="s1")
    assert proxy.cuts == len(cuts)
    assert memory.get_messages(session="s1") == [turn]
    assert through.add_message("user", "I keep bees", session="s1") != turn
    assert len(memory.get_messages(session="s1")) == 2


@pytest.mark.matrix
@pytest.mark.parametrize("cuts", CUTS)
def test_a_memory_is_superseded_once(through: Client, proxy: Proxy, memory: MemoryManager, cuts: list[str]) -> None:
    old = kept(memory.remember("Ana lives in Rome"))
    proxy.plan.extend(cuts)
    made = through.supersede(old.id, "Ana lives in Oslo")
    assert proxy.cuts == len(cuts)
    assert [m.id for m in memory.list_memories(status="all", order="recorded_at")] == [old.id, kept(made).id]
    assert through.get(kept(made).id) == kept(made)


def test_a_secret_that_was_lost_is_not_shown_again(through: Client, proxy: Proxy, memory: MemoryManager) -> None:
    proxy.plan.append(AFTER)
    with pytest.raises(RequestRepeated, match="carried out") as caught:
        through.keys.create("read", name="lost")
    (made,) = memory.keys.list()
    assert (caught.value.code, caught.value.changed, caught.value.retry_after) == ("DONE", (made.id,), None)
    assert through.keys.revoke(made.id)


def test_no_row_contains_a_secret(client: Client, memory: MemoryManager) -> None:
    secret = client.keys.create("read", user="ana").secret
    assert secret
    client.remember("a token of another kind")
    with behind(memory.store.url) as connection:
        held = repr([connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables(connection)])
    assert "a token of another kind" in held
    assert secret not in held


@pytest.mark.sqlite("the bytes of its file")
def test_no_secret_stays_in_the_file(client: Client, memory: MemoryManager) -> None:
    secret = client.keys.create("read", user="ana").secret
    assert secret
    client.remember("a token of another kind")
    files = [Path(str(memory.store.url)), *Path(str(memory.store.url)).parent.glob("*.db-wal")]
    held = b"".join(file.read_bytes() for file in files)
    assert b"a token of another kind" in held
    assert secret.encode() not in held


def test_clients_that_share_a_key_are_one_request(served: tuple[MemoryManager, str], memory: MemoryManager) -> None:
    clients = [named(Client(served[1], org=memory.scope.org), served[1]) for _ in range(4)]
    together = threading.Barrier(len(clients))

    def say(client: Client) -> object:
        together.wait()
        return client.add_message("user", "I keep bees", session="s1")

    with ThreadPoolExecutor(len(clients)) as pool:
        found = list(pool.map(say, clients))
    assert found == memory.get_messages(session="s1") * len(clients)
    with pytest.raises(RequestRepeated) as other:
        clients[0].add_message("user", "I keep cats", session="s1")
    assert (other.value.code, other.value.changed, other.value.retry_after) == ("OTHER_REQUEST", (), None)
    for client in clients:
        client.close()


def slow(begun: threading.Event, go_on: threading.Event) -> Callable[..., str]:
    """Return a model that says when it was asked, and answers when it is let."""

    def reply(*_args: object, **_named: object) -> str:
        begun.set()
        assert go_on.wait(60)
        return "{}"

    return reply


def test_one_that_is_under_way_is_waited_for(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()
    llm, settings = ScriptedLLM(slow(begun, go_on)), Settings(worker="none")
    with (
        MemoryManager(tmp_path / "m.db", embedder=None, llm=llm, settings=settings) as memory,
        serving(memory) as url,
        ThreadPoolExecutor(2) as pool,
        named(Client(url), url) as first,
        named(Client(url), url) as second,
        named(Client(url), url, timeout=0.5) as hasty,
    ):

        def extract(client: Client) -> list[Remembered]:
            return client.remember_with_extraction("We met. Nino is married to Teo.")

        try:
            one = pool.submit(extract, first)
            assert begun.wait(60)
            with pytest.raises(RequestRepeated) as caught:
                extract(hasty)
            assert (caught.value.code, caught.value.changed, caught.value.retry_after) == ("IN_FLIGHT", (), 1.0)
            other = pool.submit(extract, second)
        finally:
            go_on.set()
        assert one.result(60) == other.result(60)
        assert len(memory.audit_log(operation="create")) == len(one.result())


def test_what_is_under_way_uses_up_no_retries(scripted: tuple[Client, type[Script]]) -> None:
    client, script = scripted
    script.answers += [(409, {"Retry-After": "0"}, UNDER_WAY)] * 4 + [(200, {}, '{"linked": true}')]
    assert client.link("mem_1", "mem_2", "related")
    assert len(set(script.keys)) == 1
    assert not script.answers
