"""A user's script is checked by mypy (with all of the project) and by pyright, and does what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engrain import MemoryManager
from tests.typing.usage import right


def test_the_script_runs(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db") as memory:
        right(memory, tmp_path)


CONFIG = Path(__file__).with_name("pyrightconfig.json")


def pyright(config: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "basedpyright", "--project", str(config), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow  # scripts/lint runs the same
def test_pyright_finds_the_mistakes_and_no_others() -> None:
    code, said = pyright(CONFIG)
    assert code == 0, said
    assert "0 errors" in said


@pytest.mark.slow
def test_pyright_would_find_another_mistake_and_an_ignore_that_is_not_needed(tmp_path: Path) -> None:
    lines = ('m.recall("x", kinds=["lore"])', 'm.recall("x")  # type: ignore', 'm.recall("x", kinds=["semantic"])')
    script = "from engrain import MemoryManager\nm = MemoryManager(':memory:')\n" + "\n".join(lines)
    (tmp_path / "usage.py").write_text(script, encoding="utf-8")
    config = tmp_path / CONFIG.name
    config.write_text(CONFIG.read_text(encoding="utf-8"), encoding="utf-8")
    code, said = pyright(config)
    assert code == 1, said
    assert [found in said for found in ("usage.py:3:", "usage.py:4:", "usage.py:5:")] == [True, True, False]
