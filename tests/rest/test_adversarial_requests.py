"""Requests made to cost much, to hide something, or to impersonate another user."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

from engrain import AccessDenied, MemoryManager, Scope
from engrain.model.audit import Role
from engrain.server.app import create_app
from engrain.server.callers import Caller
from engrain.server.limits import BUDGET, USUAL, WAITING, Admission, Limits, cost_of, host_name, is_loopback
from tests.rest.samples import MINED, SUSPECT, UNLIMITED, client_of, sample_store
from tests.servers import anybody


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryManager]:
    with sample_store(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def client(memory: MemoryManager) -> TestClient:
    return client_of(memory)


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


@pytest.mark.matrix
@pytest.mark.parametrize(
    "body",
    [
        f'{{"content": "x", "metadata": {deep(400)}}}',
        f'{{"content": "x", "metadata": {deep(64)}}}',
        json.dumps({f"name {number}": 1 for number in range(300)}),
        "[" * 300 + "]" * 300,
    ],
)
def test_a_hostile_body_is_refused(body: str, client: TestClient) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": "one"}
    answer = client.post("/v1/memories", content=body, headers=headers)
    assert answer.status_code == 422
    assert len(answer.text) < 2000


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/memories?user=bo", {"content": "kept by the lake", "user": "ana"}),
        ("POST", "/v1/recall?user=bo", {"query": "lake", "user": None}),
        ("POST", "/v1/recall?session=bo", {"query": "lake"}),
        ("POST", "/v1/forget-all?user=bo&dry_run=true", {"agent": "x"}),
        ("POST", "/v1/recall?k=1", {"query": "lake", "k": 2}),
        ("DELETE", "/v1/memories/mem_1", {"hard": True}),
        ("GET", "/v1/memories?where=%7B%22a%22:1,%22a%22:2%7D", None),
    ],
)
def test_arguments_where_they_would_not_count_are_refused(
    method: str, path: str, body: dict[str, Any] | None, client: TestClient, memory: MemoryManager
) -> None:
    before = memory.count(status="all")
    headers = {"Idempotency-Key": "one"}
    answer = client.request(method, path, json=body, headers=headers)
    assert answer.status_code == 422
    assert "query" in answer.text or "twice" in answer.text
    assert memory.count(status="all") == before


def test_the_scope_in_the_query_of_a_request_with_a_body_counts(client: TestClient, memory: MemoryManager) -> None:
    stored = client.post("/v1/memories?user=bo", json={"content": "kept by the lake"})
    assert memory.scoped(user="bo").get(stored.json()["memory"]["id"]) is not None
    found = client.post("/v1/recall?user=ana", json={"query": "kept by the lake"}).json()
    assert "kept by the lake" not in [hit["content"] for hit in found["hits"]]


def test_metadata_may_be_nested_as_people_nest_it(client: TestClient) -> None:
    stored = {"content": "x", "metadata": json.loads(deep(30))}
    assert client.post("/v1/memories", json=stored, headers={"Idempotency-Key": "one"}).status_code == 201


def test_of_many_errors_some_are_reported(client: TestClient) -> None:
    answer = client.post("/v1/memories", json={"content": "x", "tags": [1] * 900})
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) <= 20


def test_a_request_that_is_refused_counts(memory: MemoryManager) -> None:
    client = client_of(memory, limits=Limits(writes_per_minute=None, requests_per_minute=3))
    answers = [client.post("/v1/recall", json={"nonsense": 1}).status_code for _ in range(5)]
    assert answers == [422, 422, 422, 429, 429]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/v1/memories/report", {"content": "A long report.", "chunk_size": 1}),
        ("/v1/memories/batch", {"items": [{"content": "x"}] * 1001}),
        ("/v1/recall", {"query": "x", "k": 1001}),
        ("/v1/memories", {"content": "x", "ttl": 1e300}),
        ("/v1/lifecycle/flush", {"timeout": 3600}),
    ],
)
def test_parameters_of_the_amount_of_work_have_bounds(path: str, more: dict[str, Any], client: TestClient) -> None:
    answer = client.post(path, json=more)
    assert answer.status_code == 422
    assert "C int" not in answer.text


@pytest.mark.anyio
async def test_one_key_leaves_threads_to_others() -> None:
    admission, inside, done = Admission(100), Counter[str](), anyio.Event()

    async def work(key: str) -> None:
        inside[key] += 1
        await done.wait()

    async def stays() -> dict[str, Any]:
        await anyio.sleep_forever()
        return {}

    async def ask(key: str, cost: int) -> None:
        await admission.run(partial(work, key), stays, key=key, cost=cost)

    async with anyio.create_task_group() as tasks:
        for _ in range(3 * BUDGET):
            tasks.start_soon(ask, "greedy", USUAL)
        await anyio.wait_all_tasks_blocked()
        assert inside["greedy"] == BUDGET // USUAL
        tasks.start_soon(ask, "other", BUDGET)
        tasks.start_soon(ask, "other", WAITING)
        await anyio.wait_all_tasks_blocked()
        assert inside["other"] == 1
        done.set()
    assert inside == {"greedy": 3 * BUDGET, "other": 2}


def test_the_cost_of_a_call_grows_with_what_it_asks_for() -> None:
    assert cost_of({}) == USUAL
    assert USUAL < cost_of({"k": 5}) < cost_of({"k": 10}) < cost_of({"k": 1000}) == BUDGET
    assert cost_of({}, bytes=40_000) > USUAL
    assert cost_of({"items": [{}] * 1000}) == BUDGET
    assert cost_of({"k": 5}, scoped=False) > cost_of({"k": 5})
    assert cost_of({"k": 1000}, waits=True) == WAITING


@pytest.mark.parametrize("memory_id", [SUSPECT, MINED])
def test_only_reviewers_take_from_the_review_queue(memory_id: str, memory: MemoryManager) -> None:
    writer, reviewer = (client_of(memory, secret=memory.keys.create(role).secret) for role in ("write", "review"))
    for path in (f"/v1/memories/{memory_id}", f"/v1/memory?memory_id={memory_id}"):
        assert writer.delete(path).status_code == 403
    assert memory_id in [item.id for item in memory.review()]
    assert reviewer.delete(f"/v1/memories/{memory_id}").json()["count"] == 1


@pytest.mark.parametrize("header", ["org=acme&org=other", "user=%ff", "a=1&b=2&c=3&d=4&e=5", "who=ana"])
def test_a_view_that_cannot_be_read_says_how_it_is_written(header: str, client: TestClient) -> None:
    answer = client.post("/v1/recall", json={"query": "x"}, headers={"Engrain-View": header})
    assert answer.status_code == 422
    assert "codec" not in answer.text


@pytest.mark.parametrize(
    "host", ["localhost:80@evil.example", "[::1]evil.example", "localhost.evil.example", "127.0.0.1.evil", "", "a b"]
)
def test_a_name_that_only_looks_like_this_machine_is_none(host: str) -> None:
    assert not is_loopback(host_name(host))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]", "[::1]:8765"])
def test_this_machine_is_known_by_its_names(host: str) -> None:
    assert is_loopback(host_name(host))


# ------------------------------------------------------------------------------------------------- bound to a scope


def bound_to(memory: MemoryManager, bound: Scope, secret: str) -> TestClient:
    app = create_app(memory, limits=UNLIMITED, bound=bound)
    return TestClient(app, raise_server_exceptions=False, headers={"Authorization": f"Bearer {secret}"})


def test_a_server_of_one_user_opens_for_nobody_else(memory: MemoryManager) -> None:
    memory.scoped(user="ana").remember("Ana hid the key under the pot")
    of_all, hers, his = (memory.keys.create("admin", user=user).secret for user in (None, "ana", "bob"))
    far = memory.for_org("elsewhere").keys.create("admin").secret
    bound = Scope("default", "ana")
    for secret in (of_all, hers):
        client = bound_to(memory, bound, str(secret))
        assert "under the pot" in client.post("/v1/recall", json={"query": "where is the key?"}).text
        assert client.post("/v1/recall", json={"query": "x", "user": "bob"}).status_code == 403
    for secret in (his, far):
        assert bound_to(memory, bound, str(secret)).get("/v1/stats").status_code == 403


def test_the_machines_own_user_is_bound_too(memory: MemoryManager) -> None:
    app = create_app(memory, limits=UNLIMITED, authenticate=anybody, bound=Scope("acme"))
    client = TestClient(app)
    assert client.get("/v1/count").json() == {"count": 0}
    assert client.get("/v1/count", params={"org": "default"}).status_code == 403


def test_a_bound_manager_is_no_server(memory: MemoryManager) -> None:
    with pytest.raises(ValueError, match="bound"):
        create_app(memory.scoped(user="ana"))


def test_a_key_of_one_user_is_none_of_anothers_manager() -> None:
    bob = Caller(Role.ADMIN, Scope("default", "bob"), "key_1")
    with pytest.raises(AccessDenied):
        bob.within(Scope("default", "ana"))
    assert bob.within(Scope("default")).scope == Scope("default", "bob")
    assert Caller(Role.READ).within(Scope("default", "ana")).scope == Scope("default", "ana")
