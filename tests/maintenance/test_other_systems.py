"""What differs on Windows and macOS, by simulation: calls that are missing, locks, encodings, terminals, paths."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.sqlite("it is about files")

LOCKING = """
import fcntl, sys, types

calls = []
def locking(handle, mode, size):
    calls.append(mode)
    fcntl.lockf(handle, fcntl.LOCK_UN if mode == 0 else fcntl.LOCK_EX | fcntl.LOCK_NB, size, 0, 1)

sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2, LK_UNLCK=0)
real, sys.platform = sys.platform, "win32"
import engrain.storage.sqlite.files
sys.platform = real

from engrain import MemoryManager
with MemoryManager("memory.db", user="ana", embedder=None) as memory:
    memory.remember("Ana keeps bees")
with MemoryManager("memory.db", user="ana", embedder=None) as memory:
    print(memory.recall("what does Ana keep?").texts, 2 in calls, 0 in calls)
"""

WINDOWS = """
import os, pkgutil, sys, types
from importlib import import_module

def modules():
    import engrain
    for found in pkgutil.walk_packages(engrain.__path__, "engrain."):
        if not found.name.startswith(("engrain.integrations", "engrain.__main__")):
            yield found.name

for name in modules():
    import_module(name)   # the libraries of others are loaded as of this system
wanted = [name for name in sys.modules if name.partition(".")[0] == "engrain"]
for name in wanted:
    del sys.modules[name]
for name in ("fork", "register_at_fork", "geteuid", "getuid", "fchmod", "O_NOFOLLOW", "O_DIRECTORY", "uname"):
    delattr(os, name)
sys.modules.update(dict.fromkeys(("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty")))
sys.modules["msvcrt"] = types.SimpleNamespace(locking=lambda *given: None, LK_NBLCK=2, LK_UNLCK=0)
sys.platform = "win32"
for name in wanted:
    import_module(name)

from engrain import MemoryManager
from engrain.testing import ScriptedLLM
with MemoryManager("memory.db", user="ana", llm=ScriptedLLM(["Bees [1]."])) as memory:
    memory.remember("Ana keeps bees")
    memory.snapshot("copy.db")
    print(memory.recall("what does Ana keep?").texts, memory.llm.complete("What?"))
    print(memory.forget_all(user="ana", hard=True).count)
"""


def run(*words: object, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_store_is_locked_by_the_calls_of_windows(tmp_path: Path) -> None:
    assert run("-c", LOCKING, folder=tmp_path) == "('Ana keeps bees',) True True\n"


def test_every_module_works_without_the_calls_that_windows_does_not_have(tmp_path: Path) -> None:
    assert run("-c", WINDOWS, folder=tmp_path) == "('Ana keeps bees',) Bees [1].\n1\n"


def test_no_file_is_read_or_written_in_the_encoding_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Zoë drinks 茶 with Jiří.\n", encoding="utf-8")
    strict = ("-X", "warn_default_encoding", "-W", "error::EncodingWarning:engrain")
    asked = [
        "--store a.db ingest notes.md",
        "--store a.db export all.jsonl",
        "--store b.db import all.jsonl",
        "demo --json",
    ]
    commands = (
        "import sys; from engrain.cli.main import main; sys.exit(any([main(each.split()) for each in sys.argv[1:]]))"
    )
    run(*strict, "-c", commands, *asked, folder=tmp_path)
    assert "茶" in run(*strict, "-m", "engrain", "--store", "b.db", "list", folder=tmp_path, PYTHONUTF8="1")


def test_a_terminal_of_few_characters_gets_what_it_can_show(tmp_path: Path) -> None:
    narrow = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    run("-m", "engrain", "--store", "a.db", "remember", "Zoë drinks 茶", folder=tmp_path, **narrow)
    assert "drinks ?" in run("-m", "engrain", "--store", "a.db", "list", folder=tmp_path, **narrow)
    shown = run("-m", "engrain", "demo", folder=tmp_path, **narrow)
    assert "+ marks an answer, - what is no longer true" in shown
    assert " + ######## " in shown


def test_a_folder_with_spaces_and_letters_of_any_script(tmp_path: Path) -> None:
    folder = tmp_path / "Мои документы" / "ana's notes"
    folder.mkdir(parents=True)
    run("-m", "engrain", "--store", folder / "memory.db", "remember", "Ana keeps bees", folder=tmp_path)
    assert "bees" in run("-m", "engrain", "--store", folder / "memory.db", "recall", "bees", folder=folder)
