"""Importing the package is light: nothing heavy is loaded until it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "tokenizers", "wordllama", "rich", "click", "pydantic")


@pytest.mark.parametrize(
    "statement",
    [
        "import recollect",
        "from recollect import MemoryManager, AsyncMemoryManager",
        "from recollect.stores.postgres import PostgresStore",
    ],
)
def test_nothing_heavy_is_loaded(statement: str) -> None:
    code = f"{statement}; import sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
