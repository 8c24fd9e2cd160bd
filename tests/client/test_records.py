"""Exact records through a server: the same values and errors, long ones too, within the roles of a key."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest

from engrain import AccessDenied, Conflict, MemoryManager
from engrain.client import AsyncClient, Client
from tests.servers import serving_whole

VALUES: list[Any] = [
    None,
    {},
    {str(n): n for n in range(1000)},
    "\x00 and \ud800 and 🏠",
    b"",
    bytes(range(256)),
    [[[[1.5]]]] * 30,
    "AP8=",
]


def test_values_come_back_exactly_through_a_server(memory: MemoryManager, client: Client) -> None:
    here, there = client.records("files/and more"), memory.records("files/and more")
    client_revisions = here.batch({"op": "put", "key": ("a", str(n)), "value": each} for n, each in enumerate(VALUES))
    for number, value in enumerate(VALUES):
        found = here.get(("a", str(number)))
        assert found == there.get(("a", str(number)))
        assert found is not None
        assert (found.value, found.revision) == (value, client_revisions[number])
    for value in VALUES:
        here.put("one", value)
        one = there.get("one")
        assert one is not None
        assert one.value == value
    here.delete("one")
    assert here.put("", b"\x00", ttl=60, index="The kettle is on.") == 2 * len(VALUES) + 1
    assert list(here.list(("a",), order="-key", limit=3)) == list(there.list(("a",), order="-key", limit=3))
    assert here.keys(depth=1) == [("",), ("a",)]
    assert here.get("", touch=True) is not None
    assert here.get("none") is None
    assert [hit.memory.content for hit in client.recall("kettle")] == ["The kettle is on."]
    assert (here.delete(""), here.delete("")) == (True, False)
    done = here.delete_all(("a",), erase=True)
    assert (done.count, done.receipt is not None, len(there.keys())) == (len(VALUES), True, 0)


def test_errors_are_those_of_the_manager(client: Client) -> None:
    files = client.records("files")
    first = files.put("k", 1, expected=0)
    with pytest.raises(Conflict) as late:
        files.put("k", 2, expected=0)
    assert (late.value.expected, late.value.found) == (0, first)
    for value in (math.nan, {1: 2}, {"a": object()}):
        with pytest.raises((TypeError, ValueError), match="value"):
            files.put("k", value)
    with pytest.raises(ValueError, match="key"):
        files.put((), 1)
    with pytest.raises(ValueError, match="from 1"):
        files.list(limit=0)
    with pytest.raises(ValueError, match="name"):
        client.records(" ")


def test_a_long_value_is_sent_and_one_too_long_refused(client: Client) -> None:
    files = client.records("files")
    data = bytes(range(256)) * (1 << 16)  # 16 MiB
    files.put("long", data)
    found = files.get("long")
    assert found is not None
    assert found.value == data
    with pytest.raises(ValueError, match="max_record_bytes"):
        files.put("longer", data + b"x")
    with pytest.raises(ValueError, match="bytes"):
        files.put("far too long", data * 2)


def test_of_one_key_few_long_bodies_are_received_at_once(client: Client) -> None:
    files, failed = client.records("files"), []

    def put(number: int) -> None:
        try:
            files.put(str(number), bytes([number]) * 3_000_000)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("long bodies" in str(error) for error in failed)
    assert len(files.keys()) == 4 - len(failed) >= 2


def test_roles_are_needed_for_writing_and_erasing(tmp_path: Any) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        secrets = {role: memory.keys.create(role).secret for role in ("read", "write", "admin")}
        memory.records("files").put("k", 1)
        with serving_whole(memory) as url:
            clients = {role: Client(url, key=secret) for role, secret in secrets.items()}
            files = {role: client.records("files") for role, client in clients.items()}
            assert files["read"].get("k") == files["admin"].get("k")
            assert len(files["read"].list()) == 1
            for refused in (
                lambda: files["read"].put("k", 2),
                lambda: files["read"].delete("k"),
                files["read"].delete_all,
                lambda: files["read"].get("k", touch=True),
                lambda: files["read"].list(touch=True),
                lambda: files["write"].delete_all(erase=True),
            ):
                with pytest.raises(AccessDenied):
                    refused()
            files["write"].put("k", 2)
            assert files["write"].delete_all().count == 1
            assert files["admin"].delete_all(erase=True).count == 0
            for client in clients.values():
                client.close()


@pytest.mark.anyio
async def test_an_async_client_has_records_too(client: Client, memory: MemoryManager) -> None:
    async with AsyncClient(client._connection.url, org=memory.scope.org) as there:
        files = there.records("files")
        await files.put("k", {"a": b"".hex()})
        assert await files.get("k") == memory.records("files").get("k")
        assert await files.batch([{"op": "delete", "key": "k"}]) == [True]
