"""What scripts/budgets counts: entries into functions of the package, in every thread, and statements of SQLite."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "budgets"
PACKAGE = "counted_package"
FUNCTIONS = '''
import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import dataclass

TABLE = """
    CREATE TABLE t (a);
    CREATE TABLE log (a);
    CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END;
"""


@dataclass
class Point:
    x: int

    @property
    def twice(self):
        return self.x * 2


def leaf(number=0):
    return number


def comprehended():
    return [leaf(n) for n in range(3)] + list(n for n in range(3)) + sorted({leaf(n): n for n in range(2)})


def steps():
    yield 1
    yield 2
    yield 3


def delegated():
    yield from steps()


def consumed():
    return sum(delegated())


@contextmanager
def held():
    yield


def failing():
    try:
        with held():
            raise ValueError
    except ValueError:
        pass


def created():
    return Point(3).twice


def threaded():
    thread = threading.Thread(target=leaf)
    thread.start()
    thread.join()


def opened(**options):
    connection = sqlite3.connect(":memory:", **options)
    connection.executescript(TABLE)
    return connection


def read(connection):
    return connection.execute("SELECT count(*) FROM t").fetchall()


def explicit(connection):
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(5)])
    connection.cursor().execute("INSERT INTO t VALUES (6)")
    connection.execute("COMMIT")


def implicit(connection):
    with connection:
        connection.execute("INSERT INTO t VALUES (1)")
    connection.execute("DELETE FROM t")
    connection.commit()
'''


@pytest.fixture
def script() -> Iterator[ModuleType]:
    loader = SourceFileLoader("budgets", str(SCRIPT))
    spec = spec_from_loader("budgets", loader)
    assert spec is not None
    module = sys.modules["budgets"] = module_from_spec(spec)
    loader.exec_module(module)
    yield module
    del sys.modules["budgets"]


@pytest.fixture
def functions() -> ModuleType:
    module = ModuleType(f"{PACKAGE}.functions")
    sys.modules[module.__name__] = module
    exec(compile(FUNCTIONS, "functions.py", "exec"), module.__dict__)
    return module


@pytest.fixture
def counted(script: ModuleType) -> Iterator[Callable[..., object]]:
    before = sys.getprofile()
    counting = script.Counting(PACKAGE)
    counting.install()

    def count(function: Callable[..., object], *arguments: object) -> object:
        with counting.counted() as found:
            function(*arguments)
        return found

    yield count
    counting.remove()
    sys.setprofile(before)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("leaf", {"leaf": 1}),
        ("comprehended", {"comprehended": 1, "leaf": 5}),
        ("consumed", {"consumed": 1, "delegated": 1, "steps": 1}),
        ("failing", {"failing": 1, "held": 1}),
        ("created", {"created": 1, "Point.__init__": 1, "Point.twice": 1}),
        ("threaded", {"threaded": 1, "leaf": 1}),
    ],
)
def test_entries_into_functions_of_the_package(name, expected, functions, counted):
    found = counted(getattr(functions, name))
    assert found.functions == {f"{PACKAGE}.functions: {each}": times for each, times in expected.items()}
    assert found.modules == {f"{PACKAGE}.functions": sum(expected.values())}


def test_functions_of_others_do_not_count(functions, counted):
    assert counted(textwrap.dedent, "  a").calls == 0


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("read", {}, ["SELECT"]),
        ("explicit", {"isolation_level": None}, ["BEGIN", "INSERT", "INSERT", "COMMIT"]),
        ("implicit", {}, ["BEGIN", "INSERT", "COMMIT", "BEGIN", "DELETE", "COMMIT"]),
    ],
)
def test_statements(name, options, expected, functions, counted):
    connection = functions.opened(**options)
    found = counted(getattr(functions, name), connection)
    assert [statement.split()[0] for statement in found.statements] == expected
    connection.close()


def test_the_size_of_a_package(script, tmp_path):
    (tmp_path / "console").mkdir()
    (tmp_path / "one.py").write_text("class A:\n    pass\n\n\nclass A:\n    pass\n")
    (tmp_path / "console" / "two.py").write_text("@dataclass(frozen=True)\nclass B:\n    x: int\n")
    assert script.size(tmp_path) == {
        "lines": 9,
        "modules": 2,
        "lines of the console": 3,
        "classes": 3,
        "dataclasses": 1,
        "class names of several classes": 1,
    }
