"""mem0's REST routes, as its server documents them, over a memory with keys."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from engrain import MemoryManager
from engrain.server.process import ServerOptions
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
    ],
)
def test_input_that_cannot_be_understood_is_422(memory: MemoryManager, path: str, more: dict[str, Any]) -> None:
    with serving_whole(memory, ALL) as url, httpx2.Client(base_url=f"{url}/mem0") as http:
        answer = http.post(path, **more)
        assert (answer.status_code, answer.json()["type"]) == (422, "urn:engrain:invalid")
        assert http.post("/search", content="x").status_code == 415
    assert memory.count(status="all") == 0


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
