"""What is no text, is blank or too long is refused on every path, and nothing is stored; a missing library is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from engrain import AsyncMemoryManager, GovernanceViolation, MemoryManager, MemorySecurityError, Settings

LIMIT = 200
Write = Callable[[MemoryManager, str, Any], object]
WRITES: dict[str, Write] = {
    "remember": lambda m, _, text: m.remember(text),
    "remember under a key": lambda m, _, text: m.remember(text, key="known"),
    "remember_many": lambda m, _, text: m.remember_many([{"content": "Fine"}, {"content": text}]),
    "update": lambda m, known, text: m.update(known, content=text),
    "supersede": lambda m, known, text: m.supersede(known, text),
    "extraction": lambda m, _, text: m.remember_with_extraction(text),
    "evolve": lambda m, _, text: m.remember(text, evolve=True),
}


@pytest.fixture
def memory() -> MemoryManager:
    return MemoryManager(":memory:", embedder=None, settings=Settings(worker="none", max_content_bytes=LIMIT))


@pytest.mark.matrix
@pytest.mark.parametrize(
    "wrong", [None, 7, b"bytes", "", " \n\t ", "x" * (LIMIT + 1), "é" * (LIMIT // 2 + 1), "a\0b", "\ud800"]
)
@pytest.mark.parametrize("path", WRITES)
def test_an_invalid_memory_is_refused(memory: MemoryManager, path: str, wrong: object) -> None:
    known = str(memory.remember("Known", key="known").id)
    with pytest.raises(GovernanceViolation) as refused:
        WRITES[path](memory, known, wrong)
    assert refused.value.reasons
    assert [found.content for found in memory.iter_memories()] == ["Known"]


@pytest.mark.parametrize("path", WRITES)
def test_a_text_of_just_the_limit_is_kept(memory: MemoryManager, path: str) -> None:
    known = str(memory.remember("Known", key="known").id)
    WRITES[path](memory, known, "Ana lives in Rome. " + "x" * (LIMIT - 19))


def test_messages_and_procedures_have_the_limit_too(memory: MemoryManager) -> None:
    with pytest.raises(GovernanceViolation):
        memory.add_message("user", "x" * (LIMIT + 1), session="s")
    with pytest.raises(GovernanceViolation):
        memory.working("s").add("user", "x" * (LIMIT + 1))
    with pytest.raises(GovernanceViolation):
        memory.remember_messages([{"role": "user", "content": "x" * (LIMIT + 1)}], session="s")
    with pytest.raises(GovernanceViolation):
        memory.procedures.store({"name": "long", "steps": [{"action": "x" * (LIMIT + 1)}]})
    assert memory.count() == 0


@pytest.mark.parametrize(
    ("policy", "package", "extra"),
    [("secrets", "detect_secrets", "secrets"), ("personal_data", "phonenumbers", "personal-data")],
)
def test_a_policy_whose_library_is_missing_says_so_when_it_is_opened(policy: str, package: str, extra: str) -> None:
    script = f"""
import sys
sys.modules[{package!r}] = None
from engrain import ConfigError, MemoryManager, Settings
try:
    MemoryManager(":memory:", embedder=None, settings=Settings(worker="none", {policy}="redact"))
except ConfigError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert f"engrain[{extra}]" in done.stdout


async def written() -> str:
    settings = Settings(worker="none", secrets="redact", writes_per_minute=1)
    async with AsyncMemoryManager(":memory:", embedder=None, settings=settings) as memory:
        said = await memory.remember("The password is hunter2", source_id="feed")
        with pytest.raises(MemorySecurityError):
            await memory.remember("Another", source_id="feed")
        assert said.memory is not None
        return said.memory.content


def test_async_writes_go_the_same_way() -> None:
    import anyio

    assert anyio.run(written) == "The password is [redacted: password]"
