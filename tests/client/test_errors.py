"""Errors travel: the same classes, sentences and attributes as beside the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers

from engrain import MemoryManager, NotFound, Settings, StoreUnavailable, errors
from engrain.client import Client
from engrain.errors import (
    AccessDenied,
    AuditBroken,
    ConfigError,
    Conflict,
    EngrainError,
    GovernanceViolation,
    MemoryRejected,
    MemorySecurityError,
    ProviderError,
    RecallCancelled,
    ScopeMissing,
    StoreCorrupt,
    StoreError,
)
from engrain.model.audit import Role
from engrain.model.memory import Scope
from engrain.server.callers import Caller
from engrain.server.wire import ERRORS, error_of, problem_of
from engrain.testing import ScriptedLLM
from tests.client import kept
from tests.servers import serving

SAMPLES: list[Exception] = [
    MemoryRejected("no room", reasons=["a", "b"]),
    GovernanceViolation("blank"),
    MemorySecurityError("too fast", code="rate", reasons=["x"], source_id="me", retry_after=2.5),
    MemorySecurityError("secret", code="secret"),
    NotFound("mem_1"),
    NotFound("tool:x", what="entity"),
    Conflict("mem_1", expected=2, found=3),
    ScopeMissing("open it with a user"),
    AccessDenied("who?", role=None),
    AccessDenied("not you", role="admin"),
    AccessDenied("not here"),
    ConfigError("unknown"),
    ProviderError("down", transient=True, retry_after=3.0),
    ProviderError("late", timed_out=True),
    AuditBroken("entry 7", org="acme", seq=7),
    ValueError("k is 0"),
    TypeError("k must be a whole number"),
    OverflowError("far"),
]


@pytest.mark.parametrize("error", SAMPLES, ids=lambda error: f"{type(error).__name__}-{error}")
def test_an_error_is_read_back_as_it_was_raised(error: Exception) -> None:
    problem = problem_of(error)
    assert problem is not None
    read = error_of(problem.status, json.loads(bytes(problem.response().body)))
    assert (type(read), str(read), vars(read)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("error", [StoreUnavailable("locked", path="/a"), StoreCorrupt("bad", path="/a")])
def test_of_a_store_only_that_it_failed_is_reported(error: StoreError) -> None:
    problem = problem_of(error)
    assert problem is not None
    read = error_of(problem.status, json.loads(bytes(problem.response().body)))
    assert isinstance(read, StoreError)
    assert isinstance(read, StoreUnavailable) == isinstance(error, StoreUnavailable)
    assert (read.path, "/a" in str(read)) == ("", False)


def test_every_error_of_the_tree_has_its_place() -> None:
    tree = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, EngrainError)]
    unsent = (EngrainError, RecallCancelled)  # who would read of a cancelled recall has gone
    assert all(issubclass(kind, tuple(ERRORS)) for kind in tree if kind not in unsent)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, AccessDenied), (404, NotFound), (413, ValueError), (429, MemorySecurityError), (503, StoreUnavailable)],
)
def test_an_answer_of_another_server_is_reported_by_its_status(status: int, kind: type[Exception]) -> None:
    read = error_of(status, {}, 4.0)
    assert isinstance(read, kind)
    assert str(status) in str(read)
    assert getattr(read, "retry_after", 4.0) == 4.0


BOTH: dict[str, Callable[[Any], object]] = {
    "an unknown memory": lambda m: m.update("mem_0", content="x"),
    "a blank text": lambda m: m.remember(" "),
    "a surrogate": lambda m: m.remember("a\ud800b"),
    "a time without a zone": lambda m: m.remember("x", valid_from="2026-01-01T12:00"),
    "an unknown kind": lambda m: m.remember("x", kind="lore"),
    "an unknown filter": lambda m: m.list_memories(where={"a": {"between": 1}}),
    "a blank id": lambda m: m.get(""),
    "an id of dots": lambda m: m.pin(".."),
    "a blank key": lambda m: m.get(key=" "),
    "nothing to get": lambda m: m.get(),
    "nobody to forget": lambda m: m.forget_all(),
    "another user": lambda m: m.scoped(user="ana").scoped(user="bo"),
    "a foreign session": lambda m: m.scoped(session="a").working("b"),
    "no session": lambda m: m.working.messages,
    "a relation with itself": lambda m: m.graph.add_relationship(("tool", "x"), "uses", ("tool", "x")),
    "an unknown argument": lambda m: m.recall("x", depth=3),
    "an argument too few": lambda m: m.update(),
    "no such file": lambda m: m.ingest("/no/such/file.md"),
    "no such export": lambda m: m.import_("/no-such-file.jsonl"),
    "not a number": lambda m: m.remember("x", importance=float("nan")),
}


@pytest.mark.parametrize("name", BOTH)
def test_the_client_raises_what_the_manager_raises(client: Client, memory: MemoryManager, name: str) -> None:
    found = []
    for side in (client, memory):
        with pytest.raises(Exception) as caught:
            BOTH[name](side)
        found.append((type(caught.value), getattr(caught.value, "reasons", ()), getattr(caught.value, "memory_id", "")))
    assert found[0] == found[1]


def test_an_edit_of_an_older_version_is_a_conflict(client: Client) -> None:
    made = kept(client.remember("Ana lives in Rome"))
    client.update(made.id, content="Ana lives in Oslo")
    with pytest.raises(Conflict) as caught:
        client.update(made.id, content="Ana lives in Bonn", expected_version=1)
    assert (caught.value.memory_id, caught.value.expected, caught.value.found) == (made.id, 1, 2)


def test_a_missing_item_is_none(client: Client) -> None:
    found = (client.get("mem_0"), client.get(key="k"), client.receipt("rcp_0"), client.procedures.get("mem_0"))
    assert {*found, client.graph.entity("tool", "x")} == {None}


@pytest.mark.parametrize("id", ["a/b", "../memories", "mem?x=1", "mem%2F1", "a#b", "mem_é"])
def test_an_id_of_any_characters_is_an_unknown_one(client: Client, id: str) -> None:
    assert client.get(id) is None
    assert client.history(id) == []
    with pytest.raises(NotFound):
        client.pin(id)


def test_a_view_without_a_user_is_asked_to_name_one(tmp_path: Path) -> None:
    settings = Settings(require_user=True)
    with MemoryManager(tmp_path / "m.db", embedder=None, settings=settings) as memory, serving(memory) as url:
        with Client(url) as client, pytest.raises(ScopeMissing):
            client.remember("x")
        with Client(url, user="ana") as client:
            assert client.remember("x").status == "created"


def test_a_key_opens_its_own_scope_only(tmp_path: Path) -> None:
    def caller(_memory: MemoryManager, headers: Headers) -> Caller:
        if headers.get("authorization") != "Bearer rk-1":
            raise AccessDenied("this server wants a key", role=None)
        return Caller(Role.WRITE, Scope("acme", "ana"))

    with MemoryManager(tmp_path / "m.db", embedder=None) as memory, serving(memory, caller=caller) as url:
        with Client(url) as client, pytest.raises(AccessDenied) as nobody:
            client.count()
        assert nobody.value.role is None
        with Client(url, key="rk-1") as client:
            client.remember("Ana likes tea")
            assert [m.scope for m in client.list_memories()] == [Scope("acme", "ana")]
            with pytest.raises(AccessDenied, match="admin") as lower:
                client.sweep()
            assert lower.value.role == "admin"
            with pytest.raises(AccessDenied, match="bound to user"):
                client.scoped(user="bo").count()
        assert memory.for_org("acme").count() == 1


def test_a_view_bounds_what_is_forgotten(client: Client, memory: MemoryManager) -> None:
    for user in ("ana", "bo"):
        memory.scoped(user=user).remember("I like tea", metadata={"about": "tea"})
    assert client.scoped(user="ana").forget_all(where={"about": "tea"}).count == 1
    assert client.scoped(user="ana").forget_all(user="bo").count == 0
    assert memory.scoped(user="bo").count() == 1


def test_a_server_with_a_model_extracts_nothing_unasked(tmp_path: Path) -> None:
    llm = ScriptedLLM([])
    with MemoryManager(tmp_path / "m.db", embedder=None, llm=llm) as memory, serving(memory) as url, Client(url) as c:
        assert c.remember("Ana lives in Rome").decision.found_by == ""
        assert not llm.calls


def test_a_server_out_of_reach_is_unavailable() -> None:
    with Client("http://127.0.0.1:9", retries=0) as client, pytest.raises(StoreUnavailable, match="cannot be reached"):
        client.count()


def test_a_closed_client_says_so(served: tuple[MemoryManager, str]) -> None:
    client = Client(served[1])
    view = client.scoped(user="ana")
    client.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        view.count()
