"""The house rules hold in every file, and each rule can fail: a planted offence is found, its lawful twin is not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.house_rules import (
    ALL_FILES,
    EVERYWHERE,
    MAX_FILE_LINES,
    MAX_FUNCTION_LINES,
    PACKAGE,
    PACKAGE_FILES,
    TEST_FILES,
    TESTS,
    Rule,
    Source,
    read,
)

SCOPES = {PACKAGE_FILES: PACKAGE, TEST_FILES: TESTS, ALL_FILES: EVERYWHERE}
RULES = PACKAGE | TESTS | EVERYWHERE


def offences_in(files: tuple[str, ...], rules: Mapping[str, Rule]) -> list[str]:
    return [
        f"{source.path}:{line}: {why} ({name})"
        for source in read(*files)
        for name, rule in rules.items()
        for line, why in rule(source)
    ]


def test_the_rules_hold() -> None:  # in one test, so that each file is parsed once
    offences = [offence for files, rules in SCOPES.items() for offence in offences_in(files, rules)]
    assert all(next(read(*files), None) for files in SCOPES)
    assert not offences, "\n".join(["", *offences])


ROOM = "src/engrain/read/room.py"
TEST = "tests/read/test_room.py"
SHORT = '"""A room."""\n'


def function(lines: int, docstring: str = "") -> str:
    body = "".join(f"    step({number})\n" for number in range(lines - 1))
    return f"def walk():\n{docstring}{body}"


# (rule, path, text): one line of each text offends.
OFFENCES = [
    ("languages as data", ROOM, 'if locale.code != "de":\n    go()\n'),
    ("languages as data", ROOM, 'x = self.locale.code in ("es", "fr")\n'),
    ("small files", ROOM, "x = 1\n" * (MAX_FILE_LINES + 1)),
    ("small functions", ROOM, function(MAX_FUNCTION_LINES + 1)),
    ("small functions", ROOM, "class Room:\n    async " + function(MAX_FUNCTION_LINES + 1).replace("\n", "\n    ")),
    ("narrow catches", ROOM, "try:\n    go()\nexcept:\n    pass\n"),
    ("narrow catches", ROOM, "try:\n    go()\nexcept Exception:\n    pass\n"),
    ("narrow catches", ROOM, "try:\n    go()\nexcept (OSError, BaseException) as error:\n    log(error)\n"),
    ("narrow catches", ROOM, "try:\n    go()\nexcept builtins.Exception as error:\n    raise Other from error\n"),
    ("narrow catches", ROOM, "with suppress(Exception):\n    go()\n"),
    ("narrow catches", ROOM, "with contextlib.suppress(OSError, Exception):\n    go()\n"),
    ("early imports", ROOM, "def f():\n    import json\n"),
    ("early imports", ROOM, "class Room:\n    def f(self):\n        from engrain.text import tokens\n"),
    ("early imports", ROOM, "async def f():\n    if True:\n        import rich, json\n"),
    ("lazy numpy", ROOM, "import numpy as np\n"),
    ("lazy numpy", ROOM, "from numpy.typing import NDArray\n"),
    ("lazy numpy", ROOM, "def f():\n    import numpy\n"),
    ("documented", ROOM, "x = 1\n"),
    ("documented", ROOM, SHORT + "def walk():\n    go()\n"),
    ("documented", ROOM, SHORT + "class Room:\n    x = 1\n"),
    ("documented", ROOM, SHORT + 'class Room:\n    """A room."""\n    def walk(self):\n        return 1\n'),
    ("documented", ROOM, SHORT + 'class Room:\n    """A room."""\n    def embed(self, texts):\n        return 1\n'),
    ("quiet", ROOM, "def f():\n    print('here')\n"),
    ("typed arguments", ROOM, "def f(a, b):\n    return g(**locals())\n"),
    ("fakes, not mocks", TEST, "from unittest.mock import patch\n"),
    ("fakes, not mocks", TEST, "from unittest import mock\n"),
    ("fakes, not mocks", TEST, "import mock\n"),
    ("fakes, not mocks", TEST, "def test(mocker): pass\n"),
    ("fakes, not mocks", TEST, "def test(monkeypatch):\n    monkeypatch.setattr(room, 'walk', None)\n"),
    (
        "fakes, not mocks",
        TEST,
        "def test(monkeypatch):\n    with monkeypatch.context() as m:\n        m.setattr(x, 'y', 1)\n",
    ),
    ("finished", ROOM, "x = 1  # TODO: two\n"),
    ("finished", "docs/room.md", "FIXME\n"),
    ("finished", ROOM, "raise NotImplementedError\n"),
    ("at home anywhere", "docs/room.md", "open /tmp/store.db\n"),
    ("at home anywhere", ROOM, "path = '/root/.cache'\n"),
    ("at home anywhere", "scripts/x", "cd /work/project\n"),
    ("at home anywhere", ROOM, "# see ../shared/design\n"),
]

LAWFUL = [
    ("languages as data", ROOM, 'if locale.code != default.code or error.code == "OTHER":\n    go()\n'),
    ("languages as data", "src/engrain/language/locales/__init__.py", 'if locale.code == "de":\n    go()\n'),
    ("small files", ROOM, "x = 1\n" * MAX_FILE_LINES),
    ("small functions", ROOM, function(MAX_FUNCTION_LINES)),
    ("small functions", ROOM, function(MAX_FUNCTION_LINES, '    """Walk.\n\n    Slowly.\n    """\n')),
    ("narrow catches", ROOM, "try:\n    go()\nexcept (OSError, ValueError):\n    pass\n"),
    ("narrow catches", ROOM, "try:\n    go()\nexcept BaseException:\n    undo()\n    raise\n"),
    ("narrow catches", ROOM, "def guard(call):\n    try:\n        call()\n    except Exception:\n        pass\n"),
    ("narrow catches", "src/engrain/worker.py", "try:\n    go()\nexcept Exception:\n    pass\n"),
    ("narrow catches", "src/engrain/cli/main.py", "try:\n    go()\nexcept Exception:\n    pass\n"),
    ("narrow catches", ROOM, "with suppress(OSError):\n    go()\n"),
    ("early imports", ROOM, "import json\n"),
    ("early imports", ROOM, "if TYPE_CHECKING:\n    import json\n"),
    ("early imports", ROOM, "def f():\n    from safetensors.numpy import load_file\n"),
    ("lazy numpy", ROOM, "from engrain.arrays import np\n"),
    ("lazy numpy", "src/engrain/arrays.py", "import numpy as np\n"),
    ("documented", ROOM, SHORT + "def _walk():\n    def step():\n        go()\n"),
    ("documented", ROOM, SHORT + "class _Room:\n    def walk(self):\n        go()\n"),
    ("documented", ROOM, SHORT + 'class Door(Protocol):\n    """A door."""\n    def open(self) -> None: ...\n'),
    ("documented", ROOM, SHORT + "@overload\ndef walk(x: int) -> int:\n    pass\n"),
    (
        "documented",
        "src/engrain/embeddings/x.py",
        SHORT + "class _E:\n    def embed(self, texts):\n        return 1\n",
    ),
    ("quiet", ROOM, "x = 'print()'\n"),
    ("quiet", "src/engrain/cli/main.py", "print('here')\n"),
    ("typed arguments", ROOM, "def f(a, b):\n    return g(a=a, b=b)\n"),
    ("fakes, not mocks", TEST, "def test(monkeypatch):\n    monkeypatch.setenv('ENGRAIN_STORE', 'x')\n"),
    ("finished", ROOM, "return NotImplemented  # mastodon\n"),
    ("at home anywhere", "docs/room.md", "src/work/x and https://example.org/tmp/ and network/\n"),
]


@pytest.mark.parametrize(("name", "path", "text"), OFFENCES, ids=range(len(OFFENCES)))
def test_an_offence_is_found(name: str, path: str, text: str) -> None:
    assert len(list(RULES[name](Source(path, text)))) == 1


@pytest.mark.parametrize(("name", "path", "text"), LAWFUL, ids=range(len(LAWFUL)))
def test_its_lawful_twin_is_not(name: str, path: str, text: str) -> None:
    assert list(RULES[name](Source(path, text))) == []


def test_every_rule_was_tried_both_ways() -> None:
    assert {name for name, _, _ in OFFENCES} == {name for name, _, _ in LAWFUL} == set(RULES)
