"""The house rules as functions: each takes a source file and yields where it fails and why.

`PACKAGE` rules hold for src/engrain, `TESTS` rules for tests, `EVERYWHERE` for every text file of the project.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from engrain.arguments import OF_OTHERS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE_FOLDER = "src/engrain/"

MAX_FILE_LINES = 900
MAX_FUNCTION_LINES = 60

# The public API is one class, and what hangs off it, however many methods and descriptions of parameters that is.
LANGUAGE_DATA = ("language/locales/",)  # all data of a language are in one file
PUBLIC_API = ("manager.py", "views.py")

# Where foreign code may fail in any way and work goes on: the worker's loop, the edge of an interface, and `guard`.
BROAD_CATCHES = ("worker.py", "cli/", "server/")
BROAD_CATCHER = "guard"

# What may be imported inside a function: heavy to load, or optional.
LATE_IMPORTS = frozenset(
    {
        "Stemmer",
        "anyio",
        "asyncio",
        "click",
        "numkong",
        "platformdirs",
        "pydantic",
        "pytest",
        "rich",
        "safetensors",
        "starlette",
        "tokenizers",
    }
)

# Where printing is the work.
PRINTERS = ("cli/",)

# Where methods of a protocol are implemented: they are documented once, in the protocol.
PROTOCOLS = (
    "protocols.py",
    "storage/interface.py",
    "storage/sql/copying.py",
    "storage/index/columns.py",
    "storage/index/namespaces.py",
)
IMPLEMENTERS = ("storage/", "embeddings/", "testing/")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Violation(NamedTuple):
    """A line that breaks a rule, and why."""

    line: int
    why: str


@dataclass(frozen=True)
class Source:
    """A file of the project: its path from the root and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The text, parsed."""
        return ast.parse(self.text, self.path)

    @cached_property
    def nested(self) -> list[tuple[ast.AST, tuple[Definition, ...]]]:
        """Every node with the functions and classes around it, outermost first."""
        return nested(self.tree)

    @property
    def nodes(self) -> Iterator[ast.AST]:
        """Every node."""
        return (node for node, _ in self.nested)

    def is_in(self, *places: str) -> bool:
        """Say whether it is one of these files or folders of the package."""
        return self.path.removeprefix(PACKAGE_FOLDER).startswith(places)


Rule = Callable[[Source], Iterator[Violation]]


def read(*patterns: str) -> Iterator[Source]:
    """Read the matching text files one by one, without binary ones."""
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern)}):
        if path.is_file() and path.name != ".git" and "__pycache__" not in path.parts:  # a file in a worktree
            try:
                yield _source(path)
            except UnicodeDecodeError:
                continue


def _source(path: Path) -> Source:
    """Return a file of the project."""
    return Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def nested(tree: ast.AST) -> list[tuple[ast.AST, tuple[Definition, ...]]]:
    """Return every node with the functions and classes around it, outermost first."""
    found: list[tuple[ast.AST, tuple[Definition, ...]]] = []
    waiting: list[tuple[ast.AST, tuple[Definition, ...]]] = [(tree, ())]
    while waiting:
        node, around = waiting.pop()
        inside = (*around, node) if isinstance(node, Definition) else around
        children = [(child, inside) for child in ast.iter_child_nodes(node)]
        found += children
        waiting += children
    return found


def lines_of(node: ast.stmt) -> int:
    """Count the lines a statement takes."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


# ------------------------------------------------------------------------------------------------------- small files


def small_files(source: Source) -> Iterator[Violation]:
    """A file is one concept."""
    lines = source.text.count("\n")
    if source.is_in(*PUBLIC_API, *LANGUAGE_DATA):
        return
    if lines > MAX_FILE_LINES:
        yield Violation(
            lines, f"{lines} lines are more than {MAX_FILE_LINES}: find the second concept and give it a file"
        )


def small_functions(source: Source) -> Iterator[Violation]:
    """A function fits a screen; its parameters and its docstring are not counted."""
    for node in source.nodes:
        if not isinstance(node, Function):
            continue
        docstring = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
        body = (node.end_lineno or node.lineno) - node.body[0].lineno + 1
        lines = 1 + body - (lines_of(docstring) if docstring else 0)
        if lines > MAX_FUNCTION_LINES:
            yield Violation(node.lineno, f"{node.name} has {lines} lines, more than {MAX_FUNCTION_LINES}")


# ----------------------------------------------------------------------------------------------------- narrow catches


def _is_broad(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Tuple):
        return any(_is_broad(part) for part in node.elts)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
    return node is None or name in ("Exception", "BaseException")


def _catches_all(node: ast.AST) -> bool:
    if isinstance(node, ast.ExceptHandler):
        last = node.body[-1]
        return _is_broad(node.type) and not (isinstance(last, ast.Raise) and last.exc is None)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
        return any(_is_broad(argument) for argument in node.args)
    return False


def narrow_catches(source: Source) -> Iterator[Violation]:
    """Only named errors are caught, or the handler ends in a bare `raise`."""
    if source.is_in(*BROAD_CATCHES):
        return
    for node, around in source.nested:
        if _catches_all(node) and all(outer.name != BROAD_CATCHER for outer in around):
            yield Violation(
                getattr(node, "lineno", 1), "catches every error: name those expected, or call through guard()"
            )


# ------------------------------------------------------------------------------------------------------------ imports


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def early_imports(source: Source) -> Iterator[Violation]:
    """Imports stand at the top, but for what is optional or heavy."""
    for node, around in source.nested:
        if any(isinstance(outer, Function) for outer in around):
            for module in _imported(node):
                if module.partition(".")[0] not in LATE_IMPORTS:
                    yield Violation(getattr(node, "lineno", 1), f"imports {module} inside a function")


def lazy_numpy(source: Source) -> Iterator[Violation]:
    """numpy comes from engrain.lazy, which loads it when it is used."""
    if source.is_in("lazy.py"):
        return
    for node in source.nodes:
        if any(module.partition(".")[0] == "numpy" for module in _imported(node)):
            yield Violation(getattr(node, "lineno", 1), "imports numpy: write `from engrain.lazy import np`")


# ------------------------------------------------------------------------------------------------------------ languages


_LANGUAGE_CODE = re.compile(r"[a-z]{2}")


def languages_as_data(source: Source) -> Iterator[Violation]:
    """What is so in one language alone is a field of its locale, and no comparison with its code."""
    if source.is_in(*LANGUAGE_DATA):
        return
    for node in source.nodes:
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "code":
            values = (each for side in node.comparators for each in ast.walk(side) if isinstance(each, ast.Constant))
            if any(isinstance(each.value, str) and _LANGUAGE_CODE.fullmatch(each.value) for each in values):
                yield Violation(node.lineno, "compares the code of a language: give `Locale` a field for what differs")


# --------------------------------------------------------------------------------------------------------- docstrings


@cache
def promised() -> frozenset[str]:
    """Return the names of the methods that protocols declare."""
    trees = (ast.parse((ROOT / PACKAGE_FOLDER / path).read_text(encoding="utf-8")) for path in PROTOCOLS)
    classes = (node for tree in trees for node, _ in nested(tree) if isinstance(node, ast.ClassDef))
    protocols = (each for each in classes if {"ABC", "Protocol"} & set(map(ast.unparse, each.bases)))
    return frozenset(node.name for each in protocols for node in each.body if isinstance(node, Function))


def _is_stub(node: Definition) -> bool:
    first = node.body[0]
    return len(node.body) == 1 and isinstance(first, ast.Expr) and ast.unparse(first) == "..."


def _needs_none(node: Definition, source: Source) -> bool:
    decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    if node.name.startswith(("_", "test_")) or decorators & {"overload", "override", "setter"}:
        return True
    return isinstance(node, Function) and source.is_in(*IMPLEMENTERS) and node.name in promised()


def documented(source: Source) -> Iterator[Violation]:
    """Every public module, class and function says what it is for."""
    if not ast.get_docstring(source.tree):
        yield Violation(1, "the module has no docstring")
    for node, around in source.nested:
        if not isinstance(node, Definition) or _is_stub(node) or _needs_none(node, source):
            continue
        if any(isinstance(outer, Function) or outer.name.startswith("_") for outer in around):
            continue
        if not ast.get_docstring(node):
            yield Violation(node.lineno, f"{node.name} has no docstring")


# -------------------------------------------------------------------------------------------------------------- quiet


def quiet(source: Source) -> Iterator[Violation]:
    """A library does not print."""
    if source.is_in(*PRINTERS):
        return
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield Violation(node.lineno, "prints")


# ---------------------------------------------------------------------------------------------------- typed arguments


def typed_arguments(source: Source) -> Iterator[Violation]:
    """Arguments are passed by name and type, and not gathered with `locals()`."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "locals":
            yield Violation(node.lineno, "gathers arguments with locals(): name them")


# -------------------------------------------------------------------------------------------------------------- fakes


def _mocked(node: ast.AST) -> str:
    if any(module.rpartition(".")[2] in ("mock", "pytest_mock") for module in _imported(node)):
        return "imports a mock"
    if isinstance(node, ast.ImportFrom) and any(alias.name == "mock" for alias in node.names):
        return "imports a mock"
    if isinstance(node, ast.arg) and node.arg == "mocker":
        return "takes a mock"
    if isinstance(node, ast.Attribute) and node.attr in ("setattr", "delattr"):
        return "patches: hand in a fake, see engrain.testing"
    return ""


def fakes_not_mocks(source: Source) -> Iterator[Violation]:
    """Tests hand in fakes; they replace nothing behind the code's back."""
    may = any(word in source.text for word in ("mock", "setattr", "delattr"))
    for node in source.nodes if may else ():
        if why := _mocked(node):
            yield Violation(getattr(node, "lineno", 1), why)


# --------------------------------------------------------------------------------------------------------- whole files


# The files that state the rules quote what they forbid.
_RULE_FILES = ("tests/house_rules.py", "tests/test_house_rules.py")


def _free_of(pattern: str, why: str) -> Rule:
    def rule(source: Source) -> Iterator[Violation]:
        if source.path in _RULE_FILES:
            return
        for number, line in enumerate(source.text.splitlines(), start=1):
            if found := re.search(pattern, line):
                yield Violation(number, f"{found.group()!r} {why}")

    return rule


finished = _free_of(r"\b(?:TODO|FIXME|XXX|NotImplementedError)\b", "leaves something undone")
no_machine_paths = _free_of(
    r"(?<![\w.$}])/(?:work|tmp|root)/|\bshared/(?:design|spec|reference|data)\b", "names a machine's own path"
)

PACKAGE: dict[str, Rule] = {
    "small files": small_files,
    "small functions": small_functions,
    "narrow catches": narrow_catches,
    "early imports": early_imports,
    "lazy numpy": lazy_numpy,
    "languages as data": languages_as_data,
    "documented": documented,
    "quiet": quiet,
    "typed arguments": typed_arguments,
}
TESTS: dict[str, Rule] = {"small files": small_files, "fakes, not mocks": fakes_not_mocks}
EVERYWHERE: dict[str, Rule] = {"finished": finished, "no machine paths": no_machine_paths}

PACKAGE_FILES = ("src/engrain/**/*.py",)
TEST_FILES = ("tests/**/*.py",)
ALL_FILES = ("*", ".ci/*", "benchmarks/**/*", "campaigns/**/*", "scripts/*", "docs/**/*", "src/**/*", "tests/**/*")


def members(cls: type) -> dict[str, Any]:
    """Return the members of a class by their names, with those that `dir()` leaves out, as they are defined."""
    names = {*dir(cls), *(name for name in OF_OTHERS if hasattr(cls, name))}
    return {name: inspect.getattr_static(cls, name) for name in sorted(names)}
