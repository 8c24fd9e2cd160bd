"""The async twin of procedures: the same names as coroutines, the same results."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from engrain import AsyncMemoryManager
from engrain.aio import AsyncProcedures
from engrain.views import Procedures

pytestmark = pytest.mark.anyio


def public(kind: type) -> set[str]:
    """Return the public names of a class."""
    return {name for name in dir(kind) if not name.startswith("_")}


def test_it_has_the_same_names_and_arguments() -> None:
    assert public(AsyncProcedures) - {"sync"} == public(Procedures)
    for name in public(Procedures):
        twin, original = getattr(AsyncProcedures, name), getattr(Procedures, name)
        assert inspect.iscoroutinefunction(twin)
        assert inspect.signature(twin) == inspect.signature(original)


async def test_procedures_are_kept_and_found(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "m.db", user="ana", embedder=None) as memory:
        kept = await memory.procedures.store({"name": "Brew tea", "steps": [{"action": "boil water"}]})
        assert await memory.procedures.record_outcome(kept.id, success=True)
        assert [hit.id for hit in await memory.procedures.find("brew tea")] == [kept.id]
        assert "1. boil water" in await memory.procedures.render("brew tea")
        assert await memory.procedures.mine() == []
        assert await memory.procedures.delete(kept.id)
        assert await memory.procedures.get(kept.id) is None
