"""No framework is imported unless an integration is asked for, and a missing one is named with its extra."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house_rules import ROOT

FOLDER = ROOT / "src" / "engrain" / "integrations"
EXTRAS = {
    "agent_framework": ("agent-framework", "agent_framework"),
    "anthropic": ("anthropic", "anthropic"),
    "google_adk": ("google-adk", "google"),
    "langchain": ("langchain", "langchain_core"),
    "langchain_agents": ("langchain-agents", "langchain langchain_core langgraph"),
    "langgraph": ("langgraph", "langgraph langchain_core"),
    "llama_index": ("llama-index", "llama_index"),
    "openai_agents": ("openai-agents", "agents"),
    "pydantic_ai": ("pydantic-ai", "pydantic_ai"),
    "strands": ("strands", "strands"),
}
"""The extra of each integration, and the packages that it imports."""
WITHOUT = ("mem0",)
"""Integrations that need no package of the framework."""
PARTS = ("opening",)
"""Internal modules of integrations, which no caller imports by name."""
_BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {names!r}.split():
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Blocked())
"""


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    return done.stdout + done.stderr


def test_every_integration_has_an_extra_and_a_page() -> None:
    names = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", *PARTS))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert names == sorted({*EXTRAS, *WITHOUT})
    for name in WITHOUT:
        assert f"engrain.integrations.{name}" in (ROOT / "docs" / "integrations" / f"{name}.md").read_text()
    for name, (extra, _) in EXTRAS.items():
        assert extra in extras
        page = ROOT / "docs" / "integrations" / f"{name.replace('_', '-')}.md"
        assert f"engrain[{extra}]" in page.read_text()


@pytest.mark.matrix
@pytest.mark.parametrize("name", EXTRAS)
def test_a_missing_framework_is_named_with_its_extra(name: str) -> None:
    extra, names = EXTRAS[name]
    found = run(f"{_BLOCKED.format(names=names)}\nimport engrain.integrations.{name}")
    assert f'pip install "engrain[{extra}]"' in found


def test_the_package_imports_no_framework() -> None:
    names = " ".join(names for _, names in EXTRAS.values())
    script = f"{_BLOCKED.format(names=names)}\nimport engrain, engrain.client, engrain.integrations; print('imported')"
    assert run(script).strip() == "imported"
    assert Path(FOLDER / "__init__.py").read_text().count("import") == 0


ENTRIES = {
    "mcp": "engrain.server.mcp",
    "server": "engrain.server.process",
    "console": "engrain.server.console",
    "client": "engrain.client",
    "postgres": "engrain.storage.postgres",
}
"""The module that is imported first of what an extra installs."""


def _installed_by(requirements: list[str], known: set[str]) -> set[str]:
    """Return the names of the distributions that some requirements install."""
    for requirement in map(Requirement, requirements):
        name = canonicalize_name(requirement.name)
        if name in known or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        known.add(name)
        for extra in ("", *requirement.extras):
            needed = distribution(name).requires or []
            wanted = [each for each in map(Requirement, needed) if _applies(each, extra)]
            _installed_by([str(Requirement(str(each).partition(";")[0])) for each in wanted], known)
    return known


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


@pytest.mark.matrix
@pytest.mark.parametrize("extra", ENTRIES)
def test_an_extra_needs_no_package_of_another(extra: str) -> None:
    known = _installed_by([f"engrain[{extra}]"], set())
    others = [
        name
        for name, owners in packages_distributions().items()
        if known.isdisjoint(map(canonicalize_name, owners)) and name.isidentifier()
    ]
    script = f"{_BLOCKED.format(names=' '.join(others))}\nimport {ENTRIES[extra]}; print('imported')"
    assert run(script).strip() == "imported"
