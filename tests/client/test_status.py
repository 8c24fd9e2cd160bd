"""The status of a superseded memory at the other end of the wire: that of the moment that was asked for."""

from __future__ import annotations

from engrain import MemoryManager
from engrain.client import Client
from engrain.model.memory import Memory, Status

BEFORE = "2022-01-01"


def test_it_is_superseded_now_and_active_before(memory: MemoryManager, client: Client) -> None:
    old = client.remember("Ana lives in Boston", valid_from="2020-01-01").id
    new = client.supersede(old, "Ana lives in Tbilisi", valid_from="2024-01-01").id
    assert [each and each.status for each in map(client.get, (old, new))] == [Status.SUPERSEDED, Status.ACTIVE]
    assert [each.status for each in client.history(new)] == ["superseded", "active"]
    assert {each.id: each.status for each in client.list_memories(status="all")} == {old: "superseded", new: "active"}
    asked = "where does Ana live?"
    hits = [hit.memory for hit in client.recall(asked, as_of=BEFORE)]
    found: list[Memory | None] = [client.get(old, as_of=BEFORE), *client.list_memories(as_of=BEFORE), *hits]
    assert [each and (each.id, each.status) for each in found] == [(old, "active")] * 3
    assert found[0] == memory.get(old, as_of=BEFORE)
