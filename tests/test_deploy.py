"""The files in `deploy/`, as far as they can be checked without a container engine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

from engrain import Settings

ROOT = Path(__file__).parents[1]
COMPOSE = import_module("yaml").safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))
DOCKERFILE = (ROOT / "deploy/Dockerfile").read_text("utf-8")


def test_the_services_are_built_from_files_that_are_here_and_refer_to_one_another() -> None:
    services = COMPOSE["services"]
    server = services["server"]
    assert set(services) == {"database", "server"}
    assert (ROOT / "deploy" / server["build"]["context"] / server["build"]["dockerfile"]).is_file()
    assert set(server["depends_on"]) <= services.keys()
    assert {volume.split(":")[0] for volume in services["database"]["volumes"]} <= COMPOSE["volumes"].keys()
    assert "@database/memory" in server["environment"]["ENGRAIN_STORE"]
    assert {name for name in server["environment"] if name.startswith("ENGRAIN_")} <= {
        "ENGRAIN_STORE",
        *(f"ENGRAIN_{name.upper()}" for name in Settings().sources),
    }


def test_a_key_is_made_before_the_server_starts_which_serves_no_other_machine_without_one(tmp_path: Path) -> None:
    text = (ROOT / "deploy/compose.yaml").read_text("utf-8")
    first, then = re.findall(r"^#   docker compose -f deploy/compose.yaml (.*)$", text, re.MULTILINE)
    assert then.startswith("up")
    engrain = [sys.executable, "-m", "engrain", "--store", str(tmp_path / "memory.db")]
    start = [*engrain, *json.loads(DOCKERFILE.rpartition("CMD ")[2])[1:]]
    refused = subprocess.run(start, check=False, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "make a key first" in refused.stderr
    assert first.startswith("run --rm server engrain ")
    words = first.removeprefix("run --rm server engrain ").split()
    assert "rk_" in subprocess.run([*engrain, *words], check=True, capture_output=True, text=True).stdout


def test_what_the_image_installs_and_runs_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = re.search(r'"\.\[([\w,]+)\]"', DOCKERFILE)
    assert extras is not None
    assert set(extras[1].split(",")) <= project["optional-dependencies"].keys()
    copied = re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE)
    assert all((ROOT / name).exists() for names in copied for name in names.split())
    command = json.loads(DOCKERFILE.rpartition("CMD ")[2])
    shown = subprocess.run(
        [sys.executable, "-m", *command[:2], "--help"], check=True, capture_output=True, text=True
    ).stdout
    assert all(option in shown for option in command if option.startswith("--"))


def test_the_image_is_built_from_the_sources_alone() -> None:
    assert COMPOSE["services"]["server"]["build"]["args"]["VERSION"].startswith("${VERSION:?")
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE)
    assert kept == {name for names in copied for name in names.split()}
    assert all(each["restart"] == "unless-stopped" for each in COMPOSE["services"].values())


def test_the_image_has_the_version_that_it_is_given(tmp_path: Path) -> None:
    """There is no history in it that a version could be read from."""
    assert "ARG VERSION" in DOCKERFILE
    (variable,) = re.findall(r'^RUN (\w+)="\$VERSION" pip install', DOCKERFILE, re.MULTILINE)
    for name in " ".join(re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.MULTILINE)).split():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "_version.py"))
        else:
            shutil.copy(ROOT / name, tmp_path)
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "-o", "out"]
    subprocess.run(build, cwd=tmp_path, env={**os.environ, variable: "4.5.6"}, check=True, capture_output=True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["engrain-4.5.6-py3-none-any.whl"]


def test_a_release_has_an_address_and_its_bill_of_materials() -> None:
    publish = import_module("yaml").safe_load((ROOT / "deploy/release.yml").read_text("utf-8"))["jobs"]["publish"]
    commands = [step["run"] for step in publish["steps"] if "run" in step]
    assert publish["permissions"]["contents"] == "write"
    place = commands.index("scripts/sbom dist sbom")
    assert "sbom/*" in commands[-1]
    assert "dist/*, sbom/*" in str(publish["steps"])
    (refusal,) = (each for each in commands[:place] if "OWNER" in each)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    refused = subprocess.run(["bash", "-c", refusal], cwd=ROOT, check=False, capture_output=True).returncode
    assert bool(refused) == ("urls" not in project)
