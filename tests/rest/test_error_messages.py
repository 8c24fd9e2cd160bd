"""Mistakes over HTTP are said so that one knows what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager
from tests.rest.servers import Reached, serving


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[MemoryManager]:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        yield memory


@pytest.fixture
def reached(manager: MemoryManager) -> Iterator[Reached]:
    with serving(manager) as reached:
        yield reached


def test_an_unknown_name_is_reported_with_those_that_there_are(reached: Reached) -> None:
    said = reached.ask("POST", "/v1/recall", {"querry": "tea", "query": "tea"}).json()["detail"]
    assert said.startswith("body.querry: there is no such name, you may mean query. It takes query, k, ")
    said = reached.ask("GET", "/v1/memories?limits=3").json()["detail"]
    assert said.startswith("query.limits: there is no such name, you may mean limit")
    said = reached.ask("GET", "/v1/export?formt=x").json()["detail"]
    assert "there is no such name" in said


def test_json_that_ends_too_soon_is_reported_with_its_place(reached: Reached) -> None:
    head = b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    answer = reached.raw(head + b'Content-Length: 10\r\n\r\n{"query": ')
    assert b"422" in answer.partition(b"\r\n")[0]
    assert b"body: this is no JSON: Expecting value, at character 10" in answer


def test_a_key_of_a_record_is_a_string_or_its_parts(reached: Reached, manager: MemoryManager) -> None:
    for key in "plan", ["editor", "theme"]:
        assert reached.ask("POST", "/v1/records/notes/put", {"key": key, "value": 1}).status == 200
    assert list(manager.records("notes").keys()) == [("editor", "theme"), ("plan",)]
    said = reached.ask("POST", "/v1/records/notes/put", {"key": 7, "value": 1}).json()["detail"]
    assert "Input should be a valid string" in said


def test_where_nothing_is_it_says_what_there_is(reached: Reached) -> None:
    assert reached.ask("GET", "/v1/nothing").json()["detail"] == (
        "GET /openapi.json lists all addresses, and GET /docs shows them"
    )
    assert reached.ask("GET", "/v1/recall").json()["detail"] == "this address takes POST"


def test_the_address_of_the_page_with_a_slash_leads_to_it(reached: Reached) -> None:
    answer = reached.ask("GET", "/docs/")
    assert (answer.status, answer.headers["location"]) == (307, "../docs")
    assert reached.ask("GET", "/docs").status == 200


@pytest.mark.parametrize(
    ("path", "what", "name"),
    [
        ("memories/mem_no", "memory", "mem_no"),
        ("memory?key=home", "memory", "home"),
        ("receipts/rcp_no", "receipt", "rcp_no"),
        ("procedures/mem_no", "memory", "mem_no"),
        ("records/things/record?key=one", "record", "one"),
    ],
)
def test_what_is_missing_is_named_as_on_the_command_line(reached: Reached, path: str, what: str, name: str) -> None:
    answer = reached.ask("GET", f"/v1/{path}")
    called = "name" if what == "record" else "id"
    detail = f"no {what} '{name}' in this scope: check the {called}, and the org, user and agent of the view"
    assert (answer.status, answer.json()["detail"]) == (404, detail)


@pytest.mark.parametrize("path", ["memories", "sessions", "receipts", "review"])
def test_a_bound_is_the_same_at_both_ends(reached: Reached, path: str) -> None:
    for limit in (0, 5000):
        answer = reached.ask("GET", f"/v1/{path}?limit={limit}")
        assert (answer.status, answer.json()["detail"]) == (422, "query.limit: it must be a number from 1 to 1,000")


def test_a_refused_item_of_many_is_named_and_so_is_what_it_lacks(reached: Reached) -> None:
    items = [{"content": "one"}, {"contents": "two"}]
    said = reached.ask("POST", "/v1/memories/batch", {"items": items}).json()["detail"]
    assert said == "an item needs `content`; it has 'contents' (item 1: nothing of its batch was stored)"


def test_a_key_for_a_store_that_never_had_one_is_to_be_left_out(reached: Reached, manager: MemoryManager) -> None:
    answer = reached.ask("GET", "/v1/stats", headers={"Authorization": "Bearer rk_stale"})
    assert answer.status == 401
    assert "never had a key: send none" in answer.json()["detail"]
    manager.keys.create("read")
    answer = reached.ask("GET", "/v1/stats", headers={"Authorization": "Bearer rk_stale"})
    assert "unknown or was revoked" in answer.json()["detail"]


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("path", "given", "says"),
    [
        ("recall", {"query": "bees", "top_k": 3}, "body.top_k: there is no such name, you may mean k"),
        ("recall", {"query": "bees", "limit": 3}, "body.limit: there is no such name, you may mean k"),
        ("memories", {"text": "bees"}, "body.text: there is no such name, you may mean content"),
        ("recall", {"query": "bees", "hard": True}, "body.hard: there is no such name. It takes"),
    ],
)
def test_a_name_of_another_library_is_answered_with_ours(
    reached: Reached, path: str, given: dict[str, object], says: str
) -> None:
    assert says in reached.ask("POST", f"/v1/{path}", given).json()["detail"]


def test_an_answer_with_a_secret_is_for_no_cache(reached: Reached) -> None:
    made = reached.ask("POST", "/v1/keys", {"role": "admin"})
    assert made.json()["secret"]
    assert made.headers["cache-control"] == "no-store"


def test_the_secret_of_a_key_is_not_stored_for_a_request_that_is_sent_again(reached: Reached, tmp_path: Path) -> None:
    named = {"Idempotency-Key": "the first key"}
    secret = reached.ask("POST", "/v1/keys", {"role": "admin"}, named).json()["secret"]
    assert all(secret.encode() not in file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert reached.ask("POST", "/v1/keys", {"role": "read"}, _by(secret, "second")).status == 200
    stored = reached.ask("POST", "/v1/keys", {"role": "read"}, _by(secret, "second"))
    assert (stored.status, stored.json()["code"]) == (409, "DONE")


def _by(secret: str, name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}", "Idempotency-Key": name}


def test_where_mcp_is_not_installed_its_address_says_how_to_have_it(
    manager: MemoryManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with serving(manager) as reached:
        for verb in ("POST", "GET"):
            answer = reached.ask(verb, "/mcp", {} if verb == "POST" else None)
            assert answer.status == 501
            assert 'pip install "engrain[mcp]"' in answer.json()["detail"]
        assert reached.ask("GET", "/v1/stats").status == 200


def test_where_the_console_is_not_installed_its_address_says_how_to_have_it(
    manager: MemoryManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nicegui", None)
    with serving(manager) as reached:
        answer = reached.ask("GET", "/console")
    assert answer.status == 404
    assert 'pip install "engrain[console]"' in answer.json()["detail"]


def test_a_time_to_live_is_a_number_or_a_text_and_bounds_are_those_of_the_server(reached: Reached) -> None:
    kept = reached.ask("POST", "/v1/memories", {"content": "the code is 4471", "ttl": "7d"}).json()["memory"]
    assert datetime.fromisoformat(kept["expires_at"]) - datetime.fromisoformat(kept["recorded_at"]) == timedelta(days=7)
    said = reached.ask("POST", "/v1/memories", {"content": "the code is 4472", "ttl": "soon"}).json()["detail"]
    assert "write seconds, or 90s, 15m, 12h, 7d, 2w" in said
    described = reached.ask("GET", "/openapi.json").json()["paths"]["/v1/memories"]["get"]["parameters"]
    (limit,) = (each for each in described if each["name"] == "limit")
    assert "1 to 1,000" in limit["description"]


def test_words_near_a_trust_class_and_owners_among_metadata_are_refused(reached: Reached) -> None:
    said = reached.ask("POST", "/v1/memories", {"content": "tea", "source_type": "user"}).json()["detail"]
    assert "did you mean user_input?" in said
    turn = {"role": "user", "content": "tea", "metadata": {"user_id": "ana"}}
    answer = reached.ask("POST", "/v1/sessions/s/messages", turn)
    assert (answer.status, "has no argument 'user_id'" in answer.json()["detail"]) == (422, True)
