"""Importing the package is light: nothing heavy is loaded until it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import engrain

pytestmark = pytest.mark.sqlite("a process of tests on a server has imported the package before it begins")
HEAVY = ("numpy", "tokenizers", "rich", "click", "pydantic")


@pytest.mark.parametrize(
    "statement",
    [
        "import engrain",
        "from engrain import MemoryManager, AsyncMemoryManager",
        "from engrain.storage.postgres import PostgresStore",
    ],
)
def test_nothing_heavy_is_loaded(statement: str) -> None:
    code = f"{statement}; import sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize(("given", "seen"), [(None, "20 None"), ("26", "26 26")])
def test_idle_threads_of_openblas_do_not_spin(given: str | None, seen: str) -> None:
    code = """
import os, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy": print(os.environ.get("OPENBLAS_THREAD_TIMEOUT"), end=" ")
sys.meta_path.insert(0, Finder())
from engrain.lazy import np
np.zeros(1)
print(os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
"""
    around = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    around |= {} if given is None else {"OPENBLAS_THREAD_TIMEOUT": given}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=around)
    assert ran.stdout.strip() == seen


@pytest.mark.parametrize(
    ("statement", "later"),
    [
        ("import engrain", ("engrain.manager", "engrain.write", "engrain.read", "sqlite3", "asyncio")),
        (
            "from engrain import MemoryManager",
            ("engrain.synthesis", "engrain.lifecycle", "engrain.write", "tomllib", "xml", "asyncio"),
        ),
        ("import engrain.cli.main", ("engrain.config", "engrain.model", "engrain.language", "hashlib", "sqlite3")),
    ],
)
def test_unused_modules_are_loaded_later(statement: str, later: tuple[str, ...]) -> None:
    code = f"{statement}; import sys; print([name for name in {later!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_first_page_of_the_console_waits_for_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    """Its address is shown before its pages are loaded, and the page before the rest of the server."""
    code = f"""
import os, signal, sys, threading, urllib.request
from http.cookiejar import CookieJar
from engrain import MemoryManager
from engrain.server import process

def loaded(*names):
    print([name for name in names if name in sys.modules], flush=True)

def visit(address):
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    page = browser.open(address).read().decode()
    print("Ask your memory" in page, flush=True)
    loaded("engrain.server.app", "engrain.server.mcp")
    os.kill(os.getpid(), signal.SIGTERM)

def show(address):
    loaded("nicegui", "numpy")
    threading.Thread(target=visit, args=[address]).start()

with MemoryManager({str(tmp_path / "memory.db")!r}) as memory:
    process.serve_console(memory, process.ServerOptions(worker=False, port=0), show)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout.split("\n") == ["[]", "True", "[]", ""], ran.stderr


def test_a_lazy_import_is_safe_among_threads() -> None:
    """Eight threads answer, sweep and copy a store at once, before any lazy module is loaded."""
    code = """
import threading
from engrain import MemoryManager

with MemoryManager(":memory:", embedder=None) as memory:
    memory.remember("Ana keeps bees")
    done, start = [], threading.Barrier(8)

    def work():
        start.wait()
        answer = str(memory.synthesize("what does Ana keep?"))
        done.append((answer, memory.sweep().expired, len(memory.procedures.find("x"))))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(len(done), len(set(done)))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["8", "1"]


def size(file: object) -> int:
    """Return the bytes of a file that a distribution lists, 0 of one that is not there or was compiled."""
    path = Path(str(file))
    return path.stat().st_size if path.is_file() and path.suffix != ".pyc" else 0


def test_an_installation_without_extras_takes_at_most_120_mb() -> None:
    """The package and all that it needs, as pip unpacks it, without what Python compiles."""
    package, found = Path(engrain.__file__).parent, dict[str, int]()
    project = tomllib.loads((package.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [Requirement(line).name for line in project["dependencies"]]
    while needed:
        name = needed.pop()
        if name not in found:
            installed = distribution(name)
            wanted = [Requirement(line) for line in installed.requires or ()]
            needed += [one.name for one in wanted if one.marker is None or one.marker.evaluate({"extra": ""})]
            found[name] = sum(size(installed.locate_file(file)) for file in installed.files or ())
    found["engrain"] = sum(map(size, (file for file in package.rglob("*") if "__pycache__" not in file.parts)))

    assert "numpy" in found
    assert sum(found.values()) < 120e6, found
