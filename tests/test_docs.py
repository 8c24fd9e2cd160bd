"""The documents are true: their examples run, their links lead somewhere, and each dependency has its reason."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import engrain
from engrain.operations.table import OPERATIONS
from tests import documents
from tests.forks import forking
from tests.house_rules import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "reference"),
]
MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src" / "engrain").rglob("*.py"))
    if path.name != "__main__.py" and path.parent.name != "integrations"  # which need their frameworks: see their pages
]
FEWEST_EXAMPLES = 20


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What an example finds: an empty folder, a store of its own, and the commands of this Python."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENGRAIN_STORE", str(tmp_path / "default.db"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("COLUMNS", "120")
    return dict(os.environ)


# ----------------------------------------------------------------------------------------------- examples in documents


@pytest.fixture(scope="module")
def shims(request: pytest.FixtureRequest) -> Iterator[Path | None]:
    """A folder with an `engrain` that costs little; README.md calls the installed one first."""
    if request.config.getoption("engine") == "postgres":
        yield None  # whoever holds connections cannot be forked
        return
    with forking({**os.environ, "COLUMNS": "120"}) as folder:
        yield folder


def with_first(shims: Path | None, environment: dict[str, str]) -> dict[str, str]:
    """Return an environment that finds the commands of a folder before all others."""
    return {**environment, "PATH": os.pathsep.join([*map(str, filter(None, [shims])), environment["PATH"]])}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_example_runs(path: Path, tmp_path: Path, environment: dict[str, str], shims: Path | None) -> None:
    count = documents.examples(path.read_text(encoding="utf-8"))
    if path.name != "README.md":
        environment = with_first(shims, environment)
    assert documents.run(path, tmp_path, environment, shims=shims) == count


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_no_block_escapes(path: Path) -> None:
    assert [block.problem() for block in documents.blocks(path.read_text(encoding="utf-8")) if block.problem()] == []


def test_there_are_examples_to_run() -> None:
    counts = {path.name: documents.examples(path.read_text(encoding="utf-8")) for path in DOCUMENTS}
    assert counts["README.md"] >= 2
    assert sum(counts.values()) >= FEWEST_EXAMPLES, counts


def test_the_command_is_installed(environment: dict[str, str]) -> None:
    assert shutil.which("engrain", path=environment["PATH"]), "install the project first: pip install -e ."


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name: str, environment: dict[str, str]) -> None:
    module = import_module(name)
    if ">>>" in inspect.getsource(module):  # else there is nothing to look for, and looking is not cheap
        assert doctest.testmod(module).failed == 0


# ------------------------------------------------------------------------------------------------- the examples' runner

SIX = "```python\nprint(2 * 3)\n```\n"


def ran(text: str, folder: Path, environment: dict[str, str]) -> int:
    document = folder / "planted.md"
    document.write_text(text, encoding="utf-8")
    return documents.run(document, folder, environment)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (SIX + "\n<!-- output -->\n```text\n6\n```\n", 1),
        ("```python\nx = 1\n```\nthen\n```python\nassert x == 1\n```\n", 2),
        ("1. indented:\n\n   ```python\n   if True:\n       x = 1\n   ```\n", 1),
        ("<!-- not run: it needs a server -->\n```python\n1 / 0\n```\n", 0),
        ("```console\n$ echo engrain; exit 3\nwhat it prints\n```\n", 0),
        ("```text\nengrain nothing\n```\n", 0),
    ],
)
def test_examples_that_run(text: str, count: int, tmp_path: Path, environment: dict[str, str]) -> None:
    assert documents.examples(text) == count
    assert ran(text, tmp_path, environment) == count


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```python\n1 / 0\n```\n", ZeroDivisionError),
        (SIX + "<!-- output -->\n```text\n7\n```\n", AssertionError),
        ("<!-- output -->\n```text\n6\n```\n", AssertionError),
        ("```console\n$ engrain --no-such-option\n```\n", AssertionError),
        ("```console\n$ echo hello | engrain --no-such-option\n```\n", AssertionError),
        ("```sh\nengrain \\\n  --no-such-option\n```\n", AssertionError),
    ],
)
def test_examples_that_fail(text: str, error: type[Exception], tmp_path: Path, environment: dict[str, str]) -> None:
    assert documents.examples(text) >= ("output" not in text)
    with pytest.raises(error):
        ran(text, tmp_path, environment)


@pytest.mark.parametrize(
    "text",
    [
        "```\nx\n```\n",
        "```bash\nx\n```\n",
        "<!-- not run -->\n```python\n1\n```\n",
        "```python\nnever closed\n",
        "```py\n1\n```\n",
    ],
)
def test_blocks_that_would_escape_are_named(text: str) -> None:
    assert [block.problem() for block in documents.blocks(text)] != [""]


@pytest.mark.parametrize(
    "command",
    [
        "engrain --no-such-option",
        "cat <<EOF | COLUMNS=40 engrain remember - --json | grep -o 'The bees[^\"]*'\nThe bees sleep.\nEOF",
        "cd / && ENGRAIN_STORE= engrain --store no/such/folder/a.db recall bees",
    ],
)
def test_cheap_commands_do_what_the_installed_one_does(
    command: str, environment: dict[str, str], shims: Path | None
) -> None:
    ended = [
        subprocess.run(["bash", "-c", command], env=each, capture_output=True, text=True, check=False)
        for each in (environment, with_first(shims, environment))
    ]
    assert len({(one.returncode, one.stdout, one.stderr) for one in ended}) == 1


# ------------------------------------------------------------------------------------------------- links, dependencies

_LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


def prose(path: Path) -> str:
    """Return a document without its blocks."""
    return re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(path: Path) -> set[str]:
    """Return what a link into a document can name after `#`, as GitHub and the site make it of its headings."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.casefold()).strip().replace(" ", "-") for heading in headings}


def broken_links(path: Path) -> list[str]:
    """Return the targets in a document that lead to no file of the project, or to no heading of one."""
    found = []
    for target, anchor in _LINK.findall(prose(path)):
        leads_to = path.parent / target if target else path
        heading = anchor.removeprefix("#")
        if not leads_to.exists() or (heading and leads_to.suffix == ".md" and heading not in anchors(leads_to)):
            found.append(target + anchor)
    return found


_AMERICAN = re.compile(
    r"\b(?:organiz|recogniz|summariz|normaliz|serializ|tokeniz|authoriz|initializ|optimiz|prioritiz|customiz|minimiz|categoriz)"
    r"(?:e|es|ed|ing|ation|ations)\b|\b(?:colors?|behaviors?|favorites?|honor|analyz(?:e|es|ed|ing)|cancel(?:ed|ing)|label(?:ed|ing)"
    r"|catalog|defense|gray|fulfill)\b",
    re.IGNORECASE,
)


def american(path: Path) -> list[str]:
    """Return the words in American spelling; names in code are as they are."""
    return _AMERICAN.findall(re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose(path)))


MOST_WORDS = 59_800
"""Of the documents written by hand: there are to be 60,000 at most, with what is added to them."""


def test_the_documents_are_no_longer_than_they_were() -> None:
    written = [path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "reference"]
    assert sum(len(path.read_text(encoding="utf-8").split()) for path in written) < MOST_WORDS


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_the_spelling_is_british(path: Path) -> None:
    assert american(path) == []


ASKED = {
    "erase a user": "erasure",
    "delete everything about a user": "erasure",
    "backup": "guide",
    "change embedder": "embedders",
    "postgres": "postgres",
    "docker": "scale",
    "expire": "lifecycle",
    "ttl": "lifecycle",
    "share between agents": "isolation",
    "undo": "guide",
    "langgraph": "integrations/langgraph",
    "api keys": "keys",
}
"""What newcomers search the site for, and the page that tells it."""


@pytest.mark.parametrize(("question", "page"), ASKED.items(), ids=str)
def test_the_search_of_the_site_finds_the_page_by_the_words_of_a_newcomer(question: str, page: str) -> None:
    """A section is found that has words beginning with all of the question; one with such a heading comes first."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").casefold()
    sections = re.split(r"(?m)^#+ ", text)[1:]
    found = [each for each in sections if all(re.search(rf"\b{word}", each) for word in question.split())]
    headings = [each.partition("\n")[0] for each in found]
    assert any(re.search(rf"\b{word}", each) for each in headings for word in question.split() if len(word) > 2), found


def test_the_reference_has_every_command_method_and_route(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "docs", "--reference", tmp_path], check=True)
    commands, methods, routes = ((tmp_path / f"{name}.md").read_text("utf-8") for name in ("cli", "python", "rest"))
    assert "## engrain graph show" in commands
    assert "### recall\n" in methods
    assert "erase it. | `forget` | write; `hard` admin |" in routes
    assert [each.name for each in OPERATIONS if routes.count(f"| `{each.name}` |") != len(each.routes)] == []


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=lambda path: path.name
)
def test_every_link_leads_somewhere(path: Path) -> None:
    assert broken_links(path) == []


def test_every_link_of_the_site_leads_to_a_page_of_it_and_every_page_is_in_its_menu(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "docs", "--pages", tmp_path / "site"], check=True)
    pages = [path.relative_to(tmp_path / "site") for path in (tmp_path / "site").rglob("*.md")]
    assert {str(page): found for page in pages if (found := broken_links(tmp_path / "site" / page))} == {}
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").partition("nav:")[2]
    assert sorted(re.findall(r"[\w/-]+\.md", menu)) == sorted(page.as_posix() for page in pages)


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    document = tmp_path / "planted.md"
    text = "# The top\n[here](planted.md#the-top) [there](gone.md) [not](#here) [web](https://example.org/gone.md)"
    document.write_text(text, encoding="utf-8")
    assert broken_links(document) == ["gone.md", "#here"]


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    names = {re.split(r"[<>=!~\[; ]", requirement)[0] for requirement in wanted} - {project["name"]}
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    assert sorted(name for name in names if f"| `{name}` |" not in reasons) == []


def test_the_changelog_knows_the_version() -> None:
    release = engrain.__version__.partition(".dev")[0]
    headings = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert release in headings or ".dev" in engrain.__version__
    assert headings[0] == "1.0.0"
