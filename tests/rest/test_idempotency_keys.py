"""Requests that bear a name over HTTP: carried out once, answered the same, distinguished by all that they ask."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from engrain import MemoryManager
from engrain.server.wire import IDEMPOTENCY_KEY, REPLAYED
from tests.rest.samples import HOME, SESSION, TEA, client_of, sample_store

NAME = {IDEMPOTENCY_KEY: "the first"}
SAID = {
    "role": "user",
    "content": "Good morning",
    "at": "2026-01-05T08:00:00Z",
    "metadata": {"b": 1, "a": {"d": 2, "c": 3}},
}
MESSAGES = f"/v1/sessions/{SESSION}/messages"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryManager]:
    with sample_store(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def client(memory: MemoryManager) -> TestClient:
    return client_of(memory)


def said(memory: MemoryManager) -> int:
    return len(memory.working(SESSION).history())


def test_it_is_carried_out_once_and_answered_the_same(memory: MemoryManager, client: TestClient) -> None:
    first, again = (client.post(MESSAGES, json={**SAID, "at": None}, headers=NAME) for _ in range(2))
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    assert said(memory) == 2


def test_headers_of_the_answer_are_the_same_too(client: TestClient) -> None:
    first, again = (client.post("/v1/memories", json={"content": "Ana has a kiln"}, headers=NAME) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert {n: first.headers[n] for n in ("Location", "ETag")} == {n: again.headers[n] for n in ("Location", "ETag")}


_SENDS = """
import sys
from tests.rest.samples import HOME, SESSION, TEA, client_of, sample_store_at
with sample_store_at(sys.argv[1]) as memory:
    answer = client_of(memory).post(
        "/v1/memories",
        json={"content": "Ana has a kiln", "tags": ["home"], "importance": 0.5, "metadata": {"a": 1}, "user": "ana"},
        headers={"Idempotency-Key": "the first"},
    )
    print(answer.status_code, answer.json().get("id"), answer.headers.get("Idempotent-Replayed"))
"""


def test_another_process_knows_it_again(memory: MemoryManager) -> None:
    stored = []
    for seed in ("1", "2"):  # by which a process orders its sets
        ran = subprocess.run(
            [sys.executable, "-c", _SENDS, memory.store.url],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        stored.append(ran.stdout.split())
    assert [status for status, _, _ in stored] == ["201"] * 2
    assert len({found for _, found, _ in stored}) == 1
    assert [replayed for _, _, replayed in stored] == ["None", "true"]


@pytest.mark.parametrize(
    "other",
    [
        (MESSAGES, {"content": "Good evening"}, {}),
        ("/v1/sessions/tuesday/messages", {}, {}),
        (MESSAGES, {"user": "ana"}, {}),
        (MESSAGES, {}, {"Engrain-View": "agent=scout"}),
    ],
)
def test_another_request_of_that_name_is_refused(
    other: tuple[str, dict[str, str], dict[str, str]], client: TestClient
) -> None:
    client.post(MESSAGES, json=SAID, headers=NAME)
    url, more, headers = other
    answer = client.post(url, json={**SAID, **more}, headers={**NAME, **headers})
    assert (answer.status_code, answer.json()["code"]) == (422, "OTHER_REQUEST")


def test_an_edit_of_another_version_is_another_request(client: TestClient) -> None:
    tag = client.get(f"/v1/memories/{TEA}").headers["ETag"]

    def edited(headers: dict[str, str]) -> Any:
        return client.patch(f"/v1/memories/{TEA}", json={"importance": 0.7}, headers={**NAME, **headers})

    assert edited({"If-Match": tag}).status_code == 200
    assert edited({"If-Match": tag}).headers[REPLAYED] == "true"
    assert edited({}).json()["code"] == "OTHER_REQUEST"


def test_the_same_name_of_another_caller_is_another_request(memory: MemoryManager) -> None:
    one, two = (client_of(memory, secret=memory.keys.create("write").secret) for _ in range(2))
    assert one.post(MESSAGES, json={**SAID, "at": None}, headers=NAME).status_code == 200
    assert REPLAYED not in two.post(MESSAGES, json={**SAID, "at": None}, headers=NAME).headers
    assert said(memory) == 3


def test_a_refused_request_may_be_sent_again(memory: MemoryManager, client: TestClient) -> None:
    refused = {"content": "x", "importance": 7}
    assert client.post("/v1/memories", json=refused, headers=NAME).status_code == 422
    assert client.post("/v1/memories", json={"content": "Ana has a kiln"}, headers=NAME).status_code == 201


def test_a_secret_is_never_kept(memory: MemoryManager, tmp_path: Path) -> None:
    client = client_of(memory)
    made = client.post("/v1/keys", json={"role": "read"}, headers=NAME)
    again = client.post("/v1/keys", json={"role": "read"}, headers=NAME)
    assert (again.status_code, again.json()["code"]) == (409, "DONE")
    assert made.json()["id"] in again.json()["changed"]
    for file in tmp_path.iterdir():
        assert made.json()["secret"].encode() not in file.read_bytes()


def test_two_names_are_none(client: TestClient) -> None:
    two = [(IDEMPOTENCY_KEY, "the first"), (IDEMPOTENCY_KEY, "the second")]
    assert client.post(MESSAGES, json=SAID, headers=two).status_code == 422


def test_a_version_is_expected_of_edits_only(client: TestClient) -> None:
    answer = client.delete(f"/v1/memories/{HOME}", headers={"If-Match": '"old"'})
    assert answer.status_code == 422
    assert client.get(f"/v1/memories/{HOME}").status_code == 200
