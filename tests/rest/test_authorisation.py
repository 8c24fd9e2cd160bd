"""Role, operation, scope: what each key may do, and that it does nothing to what it may not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from starlette.testclient import TestClient

from engrain import MemoryManager, Role
from engrain.operations.schema import Operation, Route, scope_names
from engrain.operations.table import OPERATIONS
from engrain.server.wire import VIEW_HEADER
from tests.rest.samples import EXAMPLES, FILES, HOME, MINED, SUSPECT, TEA, client_of, sample_store, send
from tests.rows import behind, columns

OFFERED = {operation.name: operation for operation in OPERATIONS if operation.routes}
PLACES = [(operation, route) for operation in OFFERED.values() for route in operation.routes]
HERS = ("Boston", "green tea", "every password", "Oslo", "boil", "Hello there")
"""Words of the samples that stand in no example."""


def place(operation: Operation, route: Route) -> str:
    return f"{route.verb} {route.path}"


def below(role: Role) -> list[Role]:
    return [other for other in Role if not other.covers(role)]


def kept(memory: MemoryManager, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return all memories and statements about them in a store, without the counters of reads."""
    counted = {"access_count", "last_accessed", "accessed_2", "accessed_3", "strength"}
    found = {}
    with behind(memory.store.url) as connection:
        for table in tables or ("memory", "audit", "revision", "link", "entity", "relation", "merge", "turn", "job"):
            names = [f'"{name}"' for name in columns(connection, table) if name not in counted]
            rows = connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
            found[table] = sorted(rows, key=repr)  # entries of two namespaces may have one number and one time
    return found


@pytest.fixture(scope="module")
def hers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryManager]:
    """Ana's memories, in a store with others."""
    with sample_store(tmp_path_factory.mktemp("hers") / "memory.db", user="ana") as memory:
        yield memory


@pytest.fixture(scope="module")
def of_role(hers: MemoryManager) -> Mapping[Role, TestClient]:
    """A client of each role, all of Ana's."""
    return {role: client_of(hers, secret=hers.keys.create(role, user="ana").secret) for role in Role}


@pytest.fixture(scope="module")
def others(hers: MemoryManager) -> list[TestClient]:
    """Another user of her organisation, and another organisation, both with all that a key can be given."""
    keys = (hers.keys.create("admin", user="bob"), hers.for_org("elsewhere").keys.create("admin"))
    return [client_of(hers, secret=key.secret) for key in keys]


def test_there_is_something_to_try() -> None:
    assert len(PLACES) > 100
    assert {operation.role for operation in OFFERED.values()} == set(Role)


@pytest.mark.matrix
@pytest.mark.parametrize(("operation", "route"), PLACES, ids=[place(*each) for each in PLACES])
def test_a_role_below_is_refused_and_nothing_is_done(
    operation: Operation, route: Route, hers: MemoryManager, of_role: Mapping[Role, TestClient]
) -> None:
    before = kept(hers)
    for role in below(operation.role):
        answer = send(of_role[role], operation, _example(operation, route), route=route, **_file(operation))
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:engrain:denied"), role
        assert answer.json()["role"] == operation.role.value
    assert kept(hers) == before


@pytest.mark.parametrize(
    ("name", "more", "needed"),
    [
        ("validate", {"memory_id": SUSPECT, "force": True, "reason": "a game"}, Role.ADMIN),
        ("forget", {"memory_id": TEA, "hard": True}, Role.ADMIN),
        ("procedures confirm", {"memory_id": MINED}, Role.REVIEW),
        ("validate", {"memory_id": MINED}, Role.REVIEW),
    ],
)
def test_an_argument_may_need_more(
    name: str, more: Mapping[str, Any], needed: Role, hers: MemoryManager, of_role: Mapping[Role, TestClient]
) -> None:
    before = kept(hers)
    for role in below(needed):
        assert send(of_role[role], OFFERED[name], more).status_code == 403
    assert kept(hers) == before


def test_every_argument_that_needs_more_is_tried() -> None:
    assert {name: set(each.guarded) for name, each in OFFERED.items() if each.guarded} == {
        "validate": {"force"},
        "forget": {"hard"},
        "chat-log clear": {"erase"},
        "records delete-all": {"erase"},
        "records get": {"touch"},
        "records list": {"touch"},
    }


@pytest.mark.matrix
@pytest.mark.parametrize(("operation", "route"), PLACES, ids=[place(*each) for each in PLACES])
def test_nothing_of_hers_is_seen_or_changed_by_another(
    operation: Operation, route: Route, hers: MemoryManager, others: list[TestClient]
) -> None:
    before = kept(hers, "memory", "revision")
    for client in others:
        answer = send(client, operation, _example(operation, route), route=route, **_file(operation))
        assert answer.status_code < 500
        assert [word for word in HERS if word in answer.text] == []
    after = kept(hers, "memory", "revision")
    for table, rows in before.items():
        own = [row for row in rows if any(word in repr(row) for word in HERS)]
        assert own or table == "revision"
        assert set(map(repr, own)) <= set(map(repr, after[table]))


@pytest.mark.matrix
@pytest.mark.parametrize(("operation", "route"), PLACES, ids=[place(*each) for each in PLACES])
def test_a_key_opens_no_other_scope_wherever_it_is_named(
    operation: Operation, route: Route, hers: MemoryManager, of_role: Mapping[Role, TestClient]
) -> None:
    before = kept(hers)
    for name in {"org", "user"} & set(scope_names(operation)):
        asked = {**_example(operation, route), name: "bob"}
        answer = send(of_role[Role.ADMIN], operation, asked, route=route, **_file(operation))
        assert answer.status_code == 403, name
    for name in ("org", "user"):
        header = {"headers": {VIEW_HEADER: f"{name}=bob"}}
        answer = send(
            of_role[Role.ADMIN], operation, _example(operation, route), route=route, **_file(operation), **header
        )
        assert answer.status_code in (403, 422), name
    assert kept(hers) == before


def test_a_key_of_an_agent_is_a_view_of_that_agent(hers: MemoryManager) -> None:
    other = hers.scoped(user="ana", agent="scout").remember("The scout hid the map under the bridge").id
    cook = client_of(hers, secret=hers.keys.create("admin", user="ana", agent="cook").secret)
    assert cook.get(f"/v1/memories/{other}").status_code == 404
    assert cook.get(f"/v1/memories/{HOME}").status_code == 200  # what Ana's agents have in common
    assert "bridge" not in cook.post("/v1/recall", json={"query": "where is the map?"}).text
    assert cook.post("/v1/recall", json={"query": "the map", "agent": "scout"}).status_code == 403


def _example(operation: Operation, route: Route) -> dict[str, Any]:
    """Return the example, for a second route with what it is found by there."""
    return {"key": "k"} if route.path == "/memory" else dict(EXAMPLES[operation.name])


def _file(operation: Operation) -> dict[str, Any]:
    return dict(FILES.get(operation.name, {}))
