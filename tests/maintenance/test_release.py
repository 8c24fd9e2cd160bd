"""What is released works where nothing else is: a wheel from the source distribution, in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.house_rules import ROOT

pytestmark = pytest.mark.sqlite("it is about files of a release")


def ended(*command: object, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ENGRAIN"))}
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def run(*command: object, folder: Path) -> str:
    done = ended(*command, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution."""
    folder = tmp_path_factory.mktemp("release")
    run(sys.executable, "-m", "build", "--no-isolation", "-o", folder, ROOT, folder=folder)
    assert len(list(folder.glob("engrain-*.tar.gz"))) == 1
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path) -> Path:
    """The interpreter of an environment with the wheel and what it needs, and nothing more."""
    place = wheel.parent / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", place, folder=wheel.parent)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile", wheel, folder=wheel.parent)
    return python


def test_the_wheel_holds_the_package_alone_with_its_types_tables_and_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"engrain"}
    for wanted in (
        "py.typed",
        "_version.py",
        "embeddings/wordllama/vectors.npy",
        "embeddings/wordllama/scales.npy",
        "embeddings/wordllama/LICENSE",
    ):
        assert f"engrain/{wanted}" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_names_the_licences_of_all_that_it_holds(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (about,) = (name for name in archive.namelist() if name.endswith("dist-info/METADATA"))
    text = archive.read(about).decode()
    assert "License-Expression: Apache-2.0 AND MIT" in text
    assert "License-File: src/engrain/embeddings/wordllama/LICENSE" in text


def test_the_source_distribution_holds_what_its_own_tests_and_scripts_read(wheel: Path) -> None:
    with tarfile.open(next(wheel.parent.glob("engrain-*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "mkdocs.yml",
        "deploy/compose.yaml",
        "deploy/Dockerfile",
        ".ci/run",
        ".dockerignore",
        "scripts/sbom",
    } <= names


def test_the_bill_of_materials_has_the_package_as_its_root_and_what_comes_with_it(wheel: Path) -> None:
    run(sys.executable, ROOT / "scripts" / "sbom", wheel.parent, wheel.parent / "sbom", folder=wheel.parent)
    (written,) = (wheel.parent / "sbom").glob("*.cdx.json")
    document = json.loads(written.read_text(encoding="utf-8"))
    root = document["metadata"]["component"]
    names = {each["name"] for each in document["components"]}
    assert (root["name"], root["type"]) == ("engrain", "library")
    assert {each["name"] for each in root["components"]} == {"WordLlama l2_supercat", "swagger-ui-dist"}
    assert "numpy" in names
    assert names.isdisjoint({"pip", "setuptools", "engrain"})
    assert len(document["dependencies"][0]["dependsOn"]) == len(names)


def test_every_public_type_is_declared(wheel: Path, tmp_path: Path) -> None:
    """As a user's type checker sees the wheel; frameworks that are not installed here give their classes no type."""
    place, libraries = tmp_path / "environment", sysconfig.get_paths()["purelib"]
    run(sys.executable, "-m", "venv", "--without-pip", "--symlinks", place, folder=tmp_path)
    variables = {"base": str(place), "platbase": str(place)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=variables))
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "libraries.pth").write_text(libraries, encoding="utf-8")
    path = os.pathsep.join((sysconfig.get_path("scripts", "venv", vars=variables), os.environ["PATH"]))
    command = [sys.executable, "-m", "basedpyright", "--verifytypes", "engrain", "--ignoreexternal", "--outputjson"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["typeCompleteness"]
    assert found["packageRootDirectory"] == str(packages / "engrain")
    unknown = [each["name"] for each in found["symbols"] if not each["isTypeKnown"]]
    assert [name for name in unknown if not name.startswith("engrain.integrations.")] == []
    inferred = [each["name"] for each in found["symbols"] if "missing type annotation" in str(each["diagnostics"])]
    assert inferred == []  # with a framework too, whatever its classes are
    assert len(found["symbols"]) > 8000


def test_it_remembers_and_recalls_without_any_extra(python: Path, tmp_path: Path) -> None:
    assert run(python, "-m", "engrain", "--version", folder=tmp_path).startswith("engrain ")
    run(python, "-m", "engrain", "--store", "a.db", "remember", "Ana keeps bees", folder=tmp_path)
    assert "Ana keeps bees" in run(
        python, "-m", "engrain", "--store", "a.db", "recall", "what insects?", folder=tmp_path
    )


def test_the_demo_runs_from_a_bare_installation(python: Path, tmp_path: Path) -> None:
    out = run(python, "-m", "engrain", "demo", "--store", "demo.db", folder=tmp_path)
    assert "answered in the first 3: 8 of 8, 8 of them first" in out
    assert 'pip install "engrain[console]"' in out


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("program", "extra"),
    [
        ("from engrain.client import Client; Client('http://localhost:1')", "client"),
        ("from engrain import MemoryManager; MemoryManager(':memory:', llm='openai:gpt-5-mini')", "llm"),
        ("from engrain import MemoryManager; MemoryManager('postgresql://db/memory')", "postgres"),
        ("from engrain import tools", "mcp"),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_brings_it(
    python: Path, tmp_path: Path, program: str, extra: str
) -> None:
    done = ended(python, "-c", program, folder=tmp_path)
    assert f'pip install "engrain[{extra}]"' in done.stderr


@pytest.mark.matrix
@pytest.mark.parametrize(("command", "extra"), [("serve", "server"), ("console", "console"), ("mcp", "mcp")])
def test_a_command_names_the_extra_that_it_misses(python: Path, tmp_path: Path, command: str, extra: str) -> None:
    done = ended(python, "-m", "engrain", command, "--store", "a.db", folder=tmp_path)
    assert done.returncode == 1
    assert f'pip install "engrain[{extra}]"' in done.stderr
    assert "bug" not in done.stderr
