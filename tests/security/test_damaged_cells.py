"""Whichever cell of the file holds what it cannot: a call works, or says that the store is damaged, and no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.errors import EngrainError, StoreCorrupt
from tests.security.attacking import executed

CELLS = {
    "a record is no JSON": "UPDATE exact_record SET value = CAST('{\"v\";1}' AS BLOB)",
    "a record is no text": "UPDATE exact_record SET value = x'ff'",
    "a key is bytes": "UPDATE exact_record SET key = x'ff', parts = x'ff'",
    "a relation leads nowhere": "UPDATE relation SET target = 99999",
    "a relation comes from nowhere": "UPDATE relation SET source = 99999",
    "a weight is a word": "UPDATE relation SET weight = 'x'",
    "dimensions are a word": "UPDATE setting SET value = 'x' WHERE name = 'dimensions'",
    "a role is none": "UPDATE server_key SET role = 'foo'",
    "a number of entries is a word": "UPDATE audit_head SET seq = 'x'",
    "an item of a turn is bytes": "UPDATE turn SET data = x'ff'",
    "an item of a turn is no JSON": "UPDATE turn SET data = '{'",
    "a role of a turn is bytes": "UPDATE turn SET role = x'ff'",
    "a name is bytes": "UPDATE entity SET name = x'ff'",
    "a note is no JSON": "UPDATE entity_note SET metadata = '['",
    "an actor is bytes": "UPDATE memory SET actor = x'ff'",
    "an importance is a word": "UPDATE memory SET importance = 'x'",
    "an id is another": "UPDATE memory SET id = 'x' WHERE num = 1",
    "an id is bytes": "UPDATE memory SET id = x'ff' WHERE num = 1",
    "a revision is bytes": "UPDATE revision SET memory = x'ff'",
    "a revision is no JSON": "UPDATE revision SET memory = '{'",
    "a state is bytes": "UPDATE conversation SET session = x'ff'",
    "a receipt is bytes": "UPDATE receipt SET body = x'ff'",
    "a receipt is no JSON": "UPDATE receipt SET body = '{'",
}
CALLS: dict[str, Callable[[MemoryManager], object]] = {
    "recall": lambda m: m.recall("Where does Ana live?", include_links=True, expand_hops=2),
    "synthesize": lambda m: m.synthesize("Where does Ana live?"),
    "list": lambda m: list(m.list_memories()),
    "history": lambda m: [m.history(each.id) for each in m.list_memories()],
    "records": lambda m: (m.records("c").get("k"), list(m.records("c").list())),
    "relationships": lambda m: list(m.graph.relationships()),
    "entities": lambda m: list(m.graph.entities()),
    "entity": lambda m: m.graph.entity("person", "Ana"),
    "related": lambda m: m.graph.related("person", "Ana"),
    "path": lambda m: m.graph.shortest_path(("person", "Ana"), ("place", "Rome")),
    "keys": lambda m: m.keys.list(),
    "messages": lambda m: (m.get_messages(), m.assemble("Ana", format="messages")),
    "sessions": lambda m: m.sessions(),
    "receipts": lambda m: m.receipts(),
    "audit": lambda m: (m.audit_log(), m.verify_audit(), m.audit_integrity()),
    "write": lambda m: m.remember("Ana lives in Bern.", source_type="user_input"),
    "erase": lambda m: m.forget(next(iter(m.list_memories())).id, hard=True),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "memory.db"
    with MemoryManager(place, user="ana", session="s", llm="none", settings=Settings(worker="none")) as memory:
        known = memory.remember("Ana lives in Rome.", source_type="user_input", actor="ana", kind="semantic").memory
        other = memory.remember("Ana likes the river in Rome.", kind="semantic", derived_from=[known.id])
        memory.link(known.id, other.id, "supports")
        memory.update(known.id, importance=0.9)
        memory.graph.add_entity("person", "Ana", metadata={"a": 1})
        memory.graph.add_relationship(("person", "Ana"), "lives_in", ("place", "Rome"))
        memory.records("c").put("k", {"v": 1})
        memory.keys.create("read", name="reader")
        memory.add_message("user", "Hello there", data={"type": "message"})
        memory.forget(memory.remember("a slip of the tongue").id, hard=True)
    return place


@pytest.mark.sqlite("a column takes what is not of its type")
@pytest.mark.matrix
@pytest.mark.parametrize("cell", CELLS)
def test_damage_is_named_as_damage(path: Path, cell: str) -> None:
    executed(path, CELLS[cell])
    wrong: list[str] = []
    for name, call in CALLS.items():
        try:
            with MemoryManager(path, user="ana", session="s", llm="none", settings=Settings(worker="none")) as memory:
                call(memory)
        except EngrainError:
            continue
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
    assert not wrong


def test_an_undamaged_store_answers_every_call(path: Path) -> None:
    for call in CALLS.values():
        with MemoryManager(path, user="ana", session="s", llm="none", settings=Settings(worker="none")) as memory:
            call(memory)


def test_damage_names_the_store(path: Path) -> None:
    executed(path, CELLS["a relation leads nowhere"])
    with (
        MemoryManager(path, user="ana", llm="none", settings=Settings(worker="none")) as memory,
        pytest.raises(StoreCorrupt, match="makes no sense"),
    ):
        memory.graph.related("person", "Ana")
