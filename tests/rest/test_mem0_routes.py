"""mem0's REST routes, as its server documents them, over a memory with keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest

from engrain import MemoryManager
from engrain.server.process import ServerOptions
from engrain.server.wire import IDEMPOTENCY_KEY, REPLAYED
from tests.rest.samples import CONTESTED, MINED, SUSPECT, sample_store
from tests.servers import serving_whole

ALL = ServerOptions(mem0=True, worker=False)


def test_every_route_answers_as_mem0_does(memory: MemoryManager) -> None:
    with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
        messages = [{"role": "user", "content": "I keep bees"}, {"role": "assistant", "content": "How many?"}]
        body = {"messages": messages, "user_id": "ana", "metadata": {"n": 1}, "infer": False}
        first, second = http.post("/memories", json=body).json()["results"]
        assert (first["event"], second["memory"]) == ("ADD", "How many?")
        one = f"/memories/{first['id']}"
        assert http.get(one).json()["metadata"] == {"n": 1}
        assert len(http.get("/memories", params={"user_id": "ana"}).json()["results"]) == 2
        assert len(http.get("/memories", params={"user_id": "ana", "top_k": 1}).json()["results"]) == 1
        for asked in {"user_id": "ana"}, {"filters": {"user_id": "ana", "n": {"gte": 1}}}:
            found = http.post("/search", json={"query": "who keeps bees?", **asked}).json()["results"]
            assert found[0]["memory"] == "I keep bees"
        assert http.put(one, json={"text": "I keep geese"}).json() == {"message": "Memory updated successfully!"}
        http.delete(one)
        assert [each["event"] for each in http.get(f"{one}/history").json()] == ["ADD", "UPDATE", "DELETE"]
        assert http.get(one).status_code == 404
        http.delete("/memories", params={"user_id": "ana"})
        http.post("/memories", json={"messages": "of bo", "user_id": "bo"})
        assert http.post("/reset").status_code == 200
    assert memory.count(status="all") == 0


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/memories", {"json": {"messages": "x"}}),
        ("/memories", {"json": {"messages": "x", "user_id": "ana", "colour": 1}}),
        ("/memories", {"json": []}),
        ("/memories", {"content": "{", "headers": {"content-type": "application/json"}}),
        ("/search", {"json": {"query": "x"}}),
        ("/search", {"json": {"query": "x", "filters": 7}}),
        ("/search", {"json": {"query": "x", "filters": [1], "user_id": "ana"}}),
        ("/search", {"json": {"query": "x", "filters": "x", "user_id": "ana"}}),
        ("/search", {"json": {"user_id": "ana"}}),
        ("/search", {"json": {"query": "x", "user_id": "ana", "colour": 1}}),
        ("/search", {"json": {"query": "x", "user_id": "ana", "top_k": 1001}}),
        *(("/memories", {"json": {"messages": "x", "user_id": "ana", "metadata": wrong}}) for wrong in ("x", [1], 7)),
        ("/memories", {"json": {"user_id": "ana"}}),
        ("/memories", {"json": {"messages": "x", "user_id": "ana", "self": 1}}),
        ("/reset", {"json": {"user_id": "ana"}}),
    ],
)
def test_input_that_cannot_be_understood_is_422(memory: MemoryManager, path: str, more: dict[str, Any]) -> None:
    with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
        answer = http.post(path, **more)
        assert (answer.status_code, answer.json()["type"]) == (422, "urn:engrain:invalid")
        assert not any(word in answer.json()["detail"] for word in ("()", "__", "object is", "Memory."))
        assert http.post("/search", content="x").status_code == 415
    assert memory.count(status="all") == 0


def test_arguments_of_one_memory_are_checked(memory: MemoryManager) -> None:
    known = memory.scoped(user="ana").remember("Ana keeps bees").id
    with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
        twice = http.get(f"/memories/{known}", params={"memory_id": "mem_x"})
        assert (twice.status_code, twice.json()["detail"]) == (422, "memory_id: Got multiple values for argument")
        for wrong in {"metadata": "x"}, {"text": 7}, {"colour": 1}, {"memory_id": "mem_x", "text": "x"}:
            assert http.put(f"/memories/{known}", json=wrong).status_code == 422
        for name in "top_k", "limit":
            counts = {"1000": 200, "1001": 422, "1_001": 422, "many": 422, "-1": 422}
            answers = {count: http.get("/memories", params={"user_id": "ana", name: count}) for count in counts}
            assert {count: answer.status_code for count, answer in answers.items()} == counts
        assert http.get(f"/memories/{known}").json()["memory"] == "Ana keeps bees"


def test_what_waits_for_a_verdict_is_deleted_by_a_reviewer_alone(tmp_path: Path) -> None:
    with sample_store(tmp_path / "memory.db", user="ana") as memory:
        keys = {role: str(memory.keys.create(role, user="ana").secret) for role in ("read", "write", "review")}
        waiting = {item.id for item in memory.review()}
        with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
            for memory_id in SUSPECT, CONTESTED, MINED:
                path = f"/memories/{memory_id}"
                refused = http.delete(path, headers={"X-API-Key": keys["write"]})
                assert (refused.status_code, refused.json()["role"]) == (403, "review")
            assert {item.id for item in memory.review()} == waiting
            assert http.get(f"/memories/{SUSPECT}/history", headers={"X-API-Key": keys["read"]}).json() == []
            for memory_id in SUSPECT, CONTESTED, MINED:
                assert http.delete(f"/memories/{memory_id}", headers={"X-API-Key": keys["review"]}).status_code == 200
        assert {item.id for item in memory.review()} == waiting - {SUSPECT, CONTESTED, MINED}


def test_a_write_with_an_idempotency_key_is_carried_out_once(memory: MemoryManager) -> None:
    body, named = {"messages": "I keep bees", "user_id": "ana", "infer": False}, {IDEMPOTENCY_KEY: "one"}
    with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
        first, again = (http.post("/memories", json=body, headers=named) for _ in range(2))
        assert (first.json(), REPLAYED in first.headers) == (again.json(), False)
        assert again.headers[REPLAYED] == "true"
        assert memory.count() == 1
        assert http.post("/memories", json={**body, "messages": "I keep geese"}, headers=named).status_code == 422
        http.post("/memories", json=body, headers={IDEMPOTENCY_KEY: "two"})
        assert memory.count() == 2
        path = f"/memories/{first.json()['results'][0]['id']}"
        answers = [http.delete(path, headers={IDEMPOTENCY_KEY: "three"}).status_code for _ in range(2)]
        assert (answers, http.delete(path).status_code) == ([200, 200], 422)


def test_a_key_opens_its_own_scope_in_its_role(memory: MemoryManager) -> None:
    keys = {role: memory.scoped(user="ana").keys.create(name=role, role=role).secret for role in ("read", "write")}
    with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
        statuses = {}
        for role, secret in {"none": None, "wrong": "ek_no", **keys}.items():
            headers = {} if secret is None else {"X-API-Key": secret}
            statuses[role] = [
                http.post("/memories", json={"messages": "x", "user_id": "ana"}, headers=headers).status_code,
                http.post("/memories", json={"messages": "x", "user_id": "bo"}, headers=headers).status_code,
                http.get("/memories", params={"user_id": "bo"}, headers=headers).status_code,
                http.get("/memories", params={"user_id": "ana"}, headers=headers).status_code,
                http.delete("/memories", params={"user_id": "ana"}, headers=headers).status_code,
            ]
        assert statuses == {
            "none": [401] * 5,
            "wrong": [401] * 5,
            "read": [403, 403, 403, 200, 403],
            "write": [200, 403, 403, 200, 403],
        }
        token = {"Authorization": f"Token {keys['read']}"}
        assert len(http.get("/memories", params={"user_id": "ana"}, headers=token).json()["results"]) == 1


def test_the_routes_are_there_when_they_are_asked_for(memory: MemoryManager) -> None:
    with serving_whole(memory) as url:
        assert httpx2.get(f"{url}/mem0/memories", params={"user_id": "ana"}).status_code == 404
