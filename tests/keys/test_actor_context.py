"""What is done for a key is done in its name: in the audit trail, whatever thread writes, and for no other."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import anyio
import pytest

from engrain import AsyncMemoryManager, MemoryManager, Settings
from engrain.model.memory import actor_context, current_key
from engrain.testing import FakeEmbedder

ONE, OTHER = "key:key_one", "key:key_other"


@pytest.fixture
def quiet(tmp_path: Path) -> MemoryManager:
    return MemoryManager(tmp_path / "memory.db", embedder=None, settings=Settings(worker="none"))


def actors(memory: MemoryManager, **more: Any) -> list[str]:
    return [entry.actor for entry in memory.audit_log(**more)]


def test_nobody_acts_until_a_server_says_so() -> None:
    assert current_key() is None
    with actor_context(ONE):
        assert current_key() == ONE
        with actor_context(OTHER):
            assert current_key() == OTHER
        with actor_context(None):
            assert current_key() is None
        assert current_key() == ONE
    assert current_key() is None


def test_it_ends_with_an_error_too() -> None:
    with pytest.raises(KeyError), actor_context(ONE):
        raise KeyError
    assert current_key() is None


@pytest.mark.parametrize("name", ["", "key:", "console:", "ana", "user:ana", "agent:key:x", " key:x", " console:x"])
def test_neither_a_key_nor_a_console_user_is_no_actor(name: str) -> None:
    with pytest.raises(ValueError, match="is no actor: it is named as key:<id>"), actor_context(name):
        pass


CHANGES: dict[str, Callable[[MemoryManager], object]] = {
    "remember": lambda m: m.remember("Ana likes plums"),
    "update": lambda m: m.update(held(m), content="Ana likes figs"),
    "supersede": lambda m: m.supersede(held(m), "Ana likes figs"),
    "forget": lambda m: m.forget(held(m)),
    "erase": lambda m: m.forget(held(m), hard=True),
    "pin": lambda m: m.pin(held(m)),
    "add_message": lambda m: m.add_message("user", "I like figs", session="monday"),
    "add_entity": lambda m: m.graph.add_entity("person", "Ana"),
    "store a procedure": lambda m: m.procedures.store({"name": "brew", "steps": [{"action": "boil water"}]}),
    "import": lambda m: m.import_(_exported(m)),
    "make a key": lambda m: m.keys.create("read"),
    "revoke a key": lambda m: m.keys.revoke(m.keys.list()[0].id),
}


def _exported(memory: MemoryManager) -> Path:
    """Return an export of what is gone by now."""
    path = Path(tempfile.mkdtemp()) / "e.jsonl"
    memory.export(path)
    memory.forget_all(org="default", hard=True)
    return path


def held(memory: MemoryManager) -> str:
    return memory.list_memories()[0].id


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_names_the_key_and_not_the_view(quiet: MemoryManager, change: str) -> None:
    quiet.remember("Ana drinks tea")
    quiet.keys.create("read")
    before = len(actors(quiet))
    with actor_context(ONE):
        CHANGES[change](quiet)
    assert set(actors(quiet)[:-before]) == {ONE}
    quiet.remember("Bo drinks tea")
    assert actors(quiet, limit=1) == ["application"]
    assert quiet.verify_audit().ok


def test_the_actor_and_the_agent_that_a_caller_names_change_nothing(quiet: MemoryManager) -> None:
    with actor_context(ONE):
        quiet.scoped(user="ana", agent="key:key_other").remember("Ana likes plums", actor=OTHER)
    assert set(actors(quiet)) == {ONE}
    assert actors(quiet, actor=ONE, operation="create") == [ONE]


def test_each_of_many_writers_acts_for_itself(quiet: MemoryManager) -> None:
    """Changes that queue are carried out by one thread, in one transaction."""
    gate = threading.Barrier(24)

    def write(number: int) -> tuple[str, str | None]:
        name = f"key:key_{number}" if number % 3 else None
        with actor_context(name):
            gate.wait(20)
            said = quiet.remember(f"note {number} of tea")
        return str(said.id), name

    with ThreadPoolExecutor(24) as pool:
        done = list(pool.map(write, range(24)))
    for memory_id, name in done:
        assert actors(quiet, memory_id=memory_id) == [name or "application"]


@pytest.mark.anyio
async def test_each_task_acts_for_itself(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        found: dict[str, str] = {}

        async def write(number: int) -> None:
            with actor_context(f"key:key_{number}"):
                await anyio.lowlevel.checkpoint()
                found[f"key:key_{number}"] = str((await memory.remember(f"note {number} of tea")).id)

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(write, number)
        for name, memory_id in found.items():
            assert actors(memory.sync, memory_id=memory_id) == [name]


def test_work_of_the_worker_has_no_actor(tmp_path: Path) -> None:
    seen: list[str | None] = []

    class Listening(FakeEmbedder):
        inline = False

        def embed(self, texts: Any) -> Any:
            """Note who acts."""
            seen.append(current_key())
            return super().embed(texts)

    settings = Settings(worker="none")
    with MemoryManager(tmp_path / "memory.db", embedder=Listening(), settings=settings) as memory, actor_context(ONE):
        memory.remember("Ana likes plums")
        assert memory.flush()
        assert current_key() == ONE
    assert set(seen) == {None}


def test_a_thread_of_its_own_acts_for_nobody_unless_it_takes_the_context(quiet: MemoryManager) -> None:
    with actor_context(ONE), ThreadPoolExecutor(1) as pool:
        assert pool.submit(current_key).result() is None
        assert pool.submit(copy_context().run, current_key).result() == ONE
