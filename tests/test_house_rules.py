"""The house rules hold in every file, and each rule can fail: it finds a violation and passes allowed code."""

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


def violations_in(files: tuple[str, ...], rules: Mapping[str, Rule]) -> list[str]:
    return [
        f"{source.path}:{line}: {why} ({name})"
        for source in read(*files)
        for name, rule in rules.items()
        for line, why in rule(source)
    ]


def test_the_rules_hold() -> None:  # in one test, so that each file is parsed once
    violations = [violation for files, rules in SCOPES.items() for violation in violations_in(files, rules)]
    assert all(next(read(*files), None) for files in SCOPES)
    assert not violations, "\n".join(["", *violations])


MODULE = "src/engrain/read/module.py"
TEST = "tests/read/test_module.py"
SHORT = '"""A module."""\n'


def function(lines: int, docstring: str = "") -> str:
    body = "".join(f"    step({number})\n" for number in range(lines - 1))
    return f"def read():\n{docstring}{body}"


# (rule, path, text): one line of each text fails.
VIOLATIONS = [
    ("languages as data", MODULE, 'if locale.code != "de":\n    go()\n'),
    ("languages as data", MODULE, 'x = self.locale.code in ("es", "fr")\n'),
    ("small files", MODULE, "x = 1\n" * (MAX_FILE_LINES + 1)),
    ("small functions", MODULE, function(MAX_FUNCTION_LINES + 1)),
    ("small functions", MODULE, "class Reader:\n    async " + function(MAX_FUNCTION_LINES + 1).replace("\n", "\n    ")),
    ("narrow catches", MODULE, "try:\n    go()\nexcept:\n    pass\n"),
    ("narrow catches", MODULE, "try:\n    go()\nexcept Exception:\n    pass\n"),
    ("narrow catches", MODULE, "try:\n    go()\nexcept (OSError, BaseException) as error:\n    log(error)\n"),
    ("narrow catches", MODULE, "try:\n    go()\nexcept builtins.Exception as error:\n    raise Other from error\n"),
    ("narrow catches", MODULE, "with suppress(Exception):\n    go()\n"),
    ("narrow catches", MODULE, "with contextlib.suppress(OSError, Exception):\n    go()\n"),
    ("early imports", MODULE, "def f():\n    import json\n"),
    ("early imports", MODULE, "class Reader:\n    def f(self):\n        from engrain.text import tokens\n"),
    ("early imports", MODULE, "async def f():\n    if True:\n        import rich, json\n"),
    ("lazy numpy", MODULE, "import numpy as np\n"),
    ("lazy numpy", MODULE, "from numpy.typing import NDArray\n"),
    ("lazy numpy", MODULE, "def f():\n    import numpy\n"),
    ("documented", MODULE, "x = 1\n"),
    ("documented", MODULE, SHORT + "def read():\n    go()\n"),
    ("documented", MODULE, SHORT + "class Reader:\n    x = 1\n"),
    ("documented", MODULE, SHORT + 'class Reader:\n    """A module."""\n    def read(self):\n        return 1\n'),
    (
        "documented",
        MODULE,
        SHORT + 'class Reader:\n    """A module."""\n    def embed(self, texts):\n        return 1\n',
    ),
    ("quiet", MODULE, "def f():\n    print('here')\n"),
    ("typed arguments", MODULE, "def f(a, b):\n    return g(**locals())\n"),
    ("fakes, not mocks", TEST, "from unittest.mock import patch\n"),
    ("fakes, not mocks", TEST, "from unittest import mock\n"),
    ("fakes, not mocks", TEST, "import mock\n"),
    ("fakes, not mocks", TEST, "def test(mocker): pass\n"),
    ("fakes, not mocks", TEST, "def test(monkeypatch):\n    monkeypatch.setattr(module, 'read', None)\n"),
    (
        "fakes, not mocks",
        TEST,
        "def test(monkeypatch):\n    with monkeypatch.context() as m:\n        m.setattr(x, 'y', 1)\n",
    ),
    ("finished", MODULE, "x = 1  # TODO: two\n"),
    ("finished", "docs/page.md", "FIXME\n"),
    ("finished", MODULE, "raise NotImplementedError\n"),
    ("no machine paths", "docs/page.md", "open /tmp/store.db\n"),
    ("no machine paths", MODULE, "path = '/root/.cache'\n"),
    ("no machine paths", "scripts/x", "cd /work/project\n"),
    ("no machine paths", MODULE, "# see ../shared/design\n"),
]

ALLOWED = [
    ("languages as data", MODULE, 'if locale.code != default.code or error.code == "OTHER":\n    go()\n'),
    ("languages as data", "src/engrain/language/locales/__init__.py", 'if locale.code == "de":\n    go()\n'),
    ("small files", MODULE, "x = 1\n" * MAX_FILE_LINES),
    ("small functions", MODULE, function(MAX_FUNCTION_LINES)),
    ("small functions", MODULE, function(MAX_FUNCTION_LINES, '    """Read.\n\n    Slowly.\n    """\n')),
    ("narrow catches", MODULE, "try:\n    go()\nexcept (OSError, ValueError):\n    pass\n"),
    ("narrow catches", MODULE, "try:\n    go()\nexcept BaseException:\n    undo()\n    raise\n"),
    ("narrow catches", MODULE, "def guard(call):\n    try:\n        call()\n    except Exception:\n        pass\n"),
    ("narrow catches", "src/engrain/worker.py", "try:\n    go()\nexcept Exception:\n    pass\n"),
    ("narrow catches", "src/engrain/cli/main.py", "try:\n    go()\nexcept Exception:\n    pass\n"),
    ("narrow catches", MODULE, "with suppress(OSError):\n    go()\n"),
    ("early imports", MODULE, "import json\n"),
    ("early imports", MODULE, "if TYPE_CHECKING:\n    import json\n"),
    ("early imports", MODULE, "def f():\n    from safetensors.numpy import load_file\n"),
    ("lazy numpy", MODULE, "from engrain.lazy import np\n"),
    ("lazy numpy", "src/engrain/lazy.py", "import numpy as np\n"),
    ("documented", MODULE, SHORT + "def _walk():\n    def step():\n        go()\n"),
    ("documented", MODULE, SHORT + "class _Room:\n    def read(self):\n        go()\n"),
    ("documented", MODULE, SHORT + 'class Opener(Protocol):\n    """An opener."""\n    def open(self) -> None: ...\n'),
    ("documented", MODULE, SHORT + "@overload\ndef read(x: int) -> int:\n    pass\n"),
    ("documented", "src/engrain/embeddings/x.py", SHORT + "class _E:\n    def embed(self, texts):\n        return 1\n"),
    ("quiet", MODULE, "x = 'print()'\n"),
    ("quiet", "src/engrain/cli/main.py", "print('here')\n"),
    ("typed arguments", MODULE, "def f(a, b):\n    return g(a=a, b=b)\n"),
    ("fakes, not mocks", TEST, "def test(monkeypatch):\n    monkeypatch.setenv('ENGRAIN_STORE', 'x')\n"),
    ("finished", MODULE, "return NotImplemented  # mastodon\n"),
    ("no machine paths", "docs/page.md", "src/work/x and https://example.org/tmp/ and network/\n"),
]


@pytest.mark.parametrize(("name", "path", "text"), VIOLATIONS, ids=range(len(VIOLATIONS)))
def test_a_violation_is_found(name: str, path: str, text: str) -> None:
    assert len(list(RULES[name](Source(path, text)))) == 1


@pytest.mark.parametrize(("name", "path", "text"), ALLOWED, ids=range(len(ALLOWED)))
def test_allowed_code_passes(name: str, path: str, text: str) -> None:
    assert list(RULES[name](Source(path, text))) == []


def test_every_rule_was_tried_both_ways() -> None:
    assert {name for name, _, _ in VIOLATIONS} == {name for name, _, _ in ALLOWED} == set(RULES)
