"""The async twin of working memory: the same names as coroutines, the same results."""

from __future__ import annotations

import inspect
from pathlib import Path

import anyio
import pytest

from engrain import AsyncMemoryManager
from engrain.aio import AsyncWorking
from engrain.views import Working

pytestmark = pytest.mark.anyio
PLAIN = {"messages", "summary", "token_count"}


def public(kind: type) -> set[str]:
    """Return the public names of a class."""
    return {name for name in dir(kind) if not name.startswith("_")}


def test_it_has_the_same_names_and_arguments() -> None:
    assert public(AsyncWorking) - {"sync"} == public(Working)
    for name in public(Working) - PLAIN:
        twin, original = getattr(AsyncWorking, name), getattr(Working, name)
        assert inspect.iscoroutinefunction(twin)
        assert inspect.signature(twin) == inspect.signature(original)


async def test_a_conversation_is_held(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "m.db", user="ana", embedder=None) as memory:
        working = memory.working("s")
        turn = await working.add("user", "I keep bees")
        await working.extend([{"role": "assistant", "content": "How many hives?"}])
        assert working.messages == await memory.get_messages(session="s")
        assert [each.content for each in await working.history()] == ["I keep bees", "How many hives?"]
        assert (working.token_count > 0, working.summary) == (True, None)
        assert [item.content for item in await working.items()] == ["I keep bees", "How many hives?"]
        assert "bees" in str(await memory.assemble("bees", session="s"))
        assert (await memory.recall("bees"))[0].id == turn.id
        await working.clear()
        assert working.messages == []
        await memory.add_message("user", "Four", session="s")
        assert len((await memory.end_session("s")).memories) == 1


async def test_many_speak_at_once(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "m.db", session="s", embedder=None) as memory:
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(memory.add_message, "user", f"hive {number}")
        said = {turn.content for turn in await memory.working.history()}
        assert said == {f"hive {number}" for number in range(20)}
