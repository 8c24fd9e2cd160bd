"""An id of another scope is queried like an unknown id: by the same statements, with the same scope filter."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import EngrainError, MemoryManager, NotFound, Settings
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import FailingEmbedder, FrozenClock

UNKNOWN = "mem_0000000000000000000000000000000f"


class Listening(SQLiteStore):
    """A store that notes every statement, with its values, as the engine runs it."""

    heard: list[str]

    def _connect(self, *, cache_kib: int) -> sqlite3.Connection:
        connection = super()._connect(cache_kib=cache_kib)
        self.heard = getattr(self, "heard", [])
        connection.set_trace_callback(self.heard.append)
        return connection


@pytest.fixture
def store(tmp_path: Path) -> Listening:
    return Listening(tmp_path / "memory.db")


@pytest.fixture
def manager(store: Listening, clock: FrozenClock) -> Iterator[MemoryManager]:
    chosen = Settings(worker="none")
    with MemoryManager(store, embedder=FailingEmbedder(), clock=clock, settings=chosen) as opened:
        yield opened


ById = Callable[[MemoryManager, str], Any]
BY_ID: dict[str, ById] = {
    "get": lambda m, i: m.get(i),
    "get as of": lambda m, i: m.get(i, known_at="2026-01-05"),
    "history": lambda m, i: m.history(i),
    "update": lambda m, i: m.update(i, content="new"),
    "supersede": lambda m, i: m.supersede(i, "new"),
    "forget": lambda m, i: m.forget(i),
    "validate": lambda m, i: m.validate(i),
    "reject": lambda m, i: m.reject(i),
    "reinstate": lambda m, i: m.reinstate(i),
    "promote": lambda m, i: m.promote(i),
    "pin": lambda m, i: m.pin(i),
    "unpin": lambda m, i: m.unpin(i),
    "why_not": lambda m, i: m.why_not("where is the barn?", i),
    "derived_from": lambda m, i: m.remember("something else", derived_from=[i]),
    "heat": lambda m, i: m.lifecycle.heat(i),
    "effective_importance": lambda m, i: m.lifecycle.effective_importance(i),
    "entries": lambda m, i: m.lifecycle.entries.delete(i),
    "retry": lambda m, i: m.lifecycle.retry(f"job_{i}"),
    "outcome": lambda m, i: m.procedures.record_outcome(i, success=True),
    "confirm": lambda m, i: m.procedures.confirm(i),
    "delete": lambda m, i: m.procedures.delete(i),
    "link_memory": lambda m, i: m.graph.link_memory("person", "Mia", i),
    "evidence": lambda m, i: m.graph.add_relationship(("person", "Mia"), "uses", ("tool", "Latch"), evidence=i),
}
BETWEEN: dict[str, Callable[[MemoryManager, str, str], Any]] = {
    "mark_superseded old": lambda m, own, i: m.mark_superseded(i, own),
    "mark_superseded new": lambda m, own, i: m.mark_superseded(own, i),
    "link from": lambda m, own, i: m.link(i, own),
    "link to": lambda m, own, i: m.link(own, i),
    "unlink from": lambda m, own, i: m.unlink(i, own),
    "unlink to": lambda m, own, i: m.unlink(own, i),
}
STRANGERS = [{"user": "bo"}, {"user": "ana", "agent": "coach"}]


def answer(store: Listening, call: Callable[[], Any], name: str) -> tuple[str, list[str], list[str]]:
    """Return what a call came to, the statements it ran without their values, and with them."""
    store.heard.clear()
    try:
        outcome = repr(call())
    except EngrainError as error:
        outcome = f"{type(error).__name__}: {error}"
    ran = [line for line in store.heard if not line.startswith(("PRAGMA", "--"))]
    plain = [re.sub(r"'(?:[^']|'')*'|\b\d+\b|\bNULL\b", "?", line) for line in ran]
    return outcome.replace(name, "<id>"), plain, ran


def looked_up(ran: list[str], name: str) -> list[str]:
    """Return the statements in which memories and jobs are found by an id."""
    return [line for line in ran if name in line and re.search(r"FROM (memory|job|conversation|merge)\b", line)]


WALL = re.compile(r"\b(ns = |ns IN \(|org = )")


def compare(store: Listening, foreign: str, call: Callable[[str], Any]) -> None:
    theirs = answer(store, lambda: call(foreign), foreign)
    nobodys = answer(store, lambda: call(UNKNOWN), UNKNOWN)
    assert theirs[0] == nobodys[0]
    assert theirs[1] == nobodys[1] != []
    assert looked_up(theirs[2], foreign)
    for line in looked_up(theirs[2], foreign):
        assert WALL.search(line), line


@pytest.fixture
def theirs(manager: MemoryManager) -> str:
    scout = manager.scoped(user="ana", agent="scout")
    return scout.remember("The key is behind the barn door", kind="procedural").id


@pytest.mark.parametrize("viewer", STRANGERS, ids=["user", "agent"])
@pytest.mark.parametrize("name", BY_ID)
def test_by_id(manager: MemoryManager, store: Listening, theirs: str, name: str, viewer: dict[str, str]) -> None:
    view = manager.scoped(**viewer)
    view.remember("I have a barn of my own")
    answer(store, lambda: BY_ID[name](view, UNKNOWN), UNKNOWN)  # what is asked once is asked by now
    if name == "derived_from":
        with pytest.raises(NotFound):
            BY_ID[name](view, theirs)
    compare(store, theirs, lambda one: BY_ID[name](view, one))


@pytest.mark.parametrize("viewer", STRANGERS, ids=["user", "agent"])
@pytest.mark.parametrize("name", BETWEEN)
def test_between_ids(manager: MemoryManager, store: Listening, theirs: str, name: str, viewer: dict[str, str]) -> None:
    view = manager.scoped(**viewer)
    own = view.remember("I have a barn of my own").id
    answer(store, lambda: BETWEEN[name](view, own, UNKNOWN), UNKNOWN)
    compare(store, theirs, lambda one: BETWEEN[name](view, own, one))


@pytest.mark.parametrize("name", ["validate", "reject", "unmerge"])
def test_by_the_id_of_a_merge(manager: MemoryManager, store: Listening, name: str) -> None:
    ana, bo = (manager.scoped(user=user) for user in ("ana", "bo"))
    for view in (ana, bo):
        view.graph.add_entity("person", "Robert")
        view.graph.add_entity("person", "Bob")
    theirs = ana.graph.merge(("person", "Robert"), ("person", "Bob")).id
    act: ById = (lambda m, i: m.graph.unmerge(i)) if name == "unmerge" else (lambda m, i: getattr(m, name)(i))
    nobodys = "mrg_" + "0" * 31 + "f"
    answer(store, lambda: act(bo, nobodys), nobodys)
    first, second = (answer(store, lambda one=one: act(bo, one), one) for one in (theirs, nobodys))  # type: ignore[misc]
    assert first[:2] == second[:2]
    assert all(WALL.search(line) for line in looked_up(first[2], theirs))


@pytest.mark.parametrize("viewer", [{"user": "bo"}, {"user": "ana", "agent": "coach"}], ids=["user", "agent"])
def test_by_key_session_and_entity(manager: MemoryManager, store: Listening, viewer: dict[str, str]) -> None:
    scout = manager.scoped(user="ana", agent="scout")
    scout.remember("The key is behind the barn door", key="door")
    scout.add_message("user", "I keep bees", session="visit")
    view = manager.scoped(**viewer)
    view.remember("I have a barn of my own")
    for act, names in (
        (lambda name: view.get(key=name), ("door", "none")),
        (lambda name: view.forget(key=name), ("door", "none")),
        (lambda name: view.get_messages(session=name), ("visit", "other")),
        (view.end_session, ("visit", "other")),
        (lambda name: view.working(name).history(), ("visit", "other")),
    ):
        answer(store, lambda act=act: act("nothing"), "nothing")  # type: ignore[misc]
        first, second = (answer(store, lambda act=act, one=one: act(one), one) for one in names)  # type: ignore[misc]
        assert first[:2] == second[:2]
