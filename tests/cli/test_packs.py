"""An installed pack adds operations to the command line, to REST and to MCP, and commands of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.graph import Domain, PackOperation
from engrain.operations.schema import Shape, operation
from engrain.operations.table import OPERATIONS
from tests.graph.test_packs import install

ROOT = Path(__file__).parents[2]
PACK = '''
from __future__ import annotations

import os

import click

from engrain import Memory, MemoryManager
from engrain.graph import Domain, PackOperation


def pests_of(memory: MemoryManager, plant: str, *, k: int = 5) -> list[Memory]:
    """Return the memories about what harms a plant; k at most."""
    return memory.recall_entity("plant", plant, k=k)


def plant_list(memory: MemoryManager, path: str | os.PathLike[str]) -> str:
    """Write the names of all plants to a file."""
    names = [entity.name for entity in memory.graph.entities(type="plant")]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\\n".join(names))
    return str(path)


def stats(memory: MemoryManager) -> int:
    """Take the name of an operation that is there."""
    return 0


def lost(memory: MemoryManager, place: Nowhere) -> int:
    """Count what is in a type that nobody can import."""
    return 0


class Broken:
    name, entity_types, aliases, relation_patterns = "broken", (), {}, ()

    def extract(self, text):
        return []

    @property
    def operations(self):
        raise RuntimeError("broken")


@click.command("season")
def season() -> None:
    """Say which season it is."""
    click.echo("spring")


PACK = Domain(
    name="garden",
    patterns={"plant": "Rosa [a-z]+"},
    operations=[PackOperation(pests_of, answer="memories"), PackOperation(plant_list, answer="path"),
                PackOperation(stats), PackOperation(lost)],
    commands=[season],
)
'''
COMMANDS = """
import contextlib, io, json, sys
from engrain.cli.main import main

def run(*asked):
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(out):
        assert main(["--store", sys.argv[1], "--embedder", "none", *asked]) == 0
    return out.buffer.getvalue().decode()

run("remember", "Greenfly sits on Rosa canina.", "--domain", "garden")
print(json.dumps({
    "pests": json.loads(run("pests-of", "rosa canina", "-k", "1", "--json")),
    "help": run("pests-of", "--help"),
    "plants": json.loads(run("plant-list", sys.argv[2], "--json")),
    "season": run("season"),
    "stats": json.loads(run("stats", "--json")),
}))
"""
SURFACES = """
import json, sys
import anyio, httpx2
from engrain import MemoryManager
from tests.mcp.clients import beside
from tests.servers import serving

async def called(memory):
    async with beside(memory, "read") as agent:
        tools = await agent.tools()
        return sorted(tools), await agent.call("pests_of", plant="rosa canina")

with MemoryManager(sys.argv[1], embedder=None) as memory:
    memory.remember("Greenfly sits on Rosa canina.", domain="garden")
    names, answer = anyio.run(called, memory)
    with serving(memory) as url, httpx2.Client(base_url=url, trust_env=False, timeout=30) as http:
        done = http.post("/v1/packs/pests-of", json={"plant": "rosa canina", "k": 1})
        wrong = http.post("/v1/packs/pests-of", json={"flower": "x"})
        none = http.post("/v1/packs/plant-list", json={})
        paths = [path for path in http.get("/openapi.json").json()["paths"] if "packs" in path]
print(json.dumps({"tools": names, "tool": answer, "rest": done.json(), "wrong": wrong.status_code,
                  "none": none.status_code, "paths": paths}))
"""


@pytest.fixture
def garden(tmp_path: Path) -> Callable[..., str]:
    """Run Python where a pack for gardens is installed, and return what it prints."""
    (tmp_path / "garden_pack.py").write_text(PACK, encoding="utf-8")
    install(tmp_path, "garden", "garden_pack:PACK")
    install(tmp_path, "broken", "garden_pack:Broken")  # harms no other
    path = os.pathsep.join((str(tmp_path), str(ROOT)))

    def run(*arguments: object) -> str:
        asked = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            asked, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_command_line_has_its_operations_and_commands(garden: Callable[..., str], tmp_path: Path) -> None:
    written = tmp_path / "plants.txt"
    found = json.loads(garden("-c", COMMANDS, tmp_path / "memory.db", written))
    assert [each["content"] for each in found["pests"]["memories"]] == ["Greenfly sits on Rosa canina."]
    assert "Return the memories about what harms a plant" in found["help"]
    assert found["plants"] == {"path": str(written)}
    assert written.read_text(encoding="utf-8") == "Rosa canina"
    assert found["season"] == "spring\n"
    assert "total_notes" in found["stats"]


def test_a_server_offers_its_operations(garden: Callable[..., str], tmp_path: Path) -> None:
    found: dict[str, Any] = json.loads(garden("-c", SURFACES, tmp_path / "memory.db"))
    (memory,) = found["rest"]["memories"]
    assert memory["content"] == "Greenfly sits on Rosa canina."
    assert (found["wrong"], found["none"], found["paths"]) == (422, 404, ["/v1/packs/pests-of"])
    assert "pests_of" in found["tools"]
    assert "plant_list" not in found["tools"]
    assert [each["id"] for each in found["tool"]["answer"]["memories"]] == [memory["id"]]


def rows(memory: MemoryManager, tag: str, *, weight: float = 0.5) -> int:
    """Count rows; by their tag."""
    return len(memory.list_memories(tags=[tag])) if weight else 0


def test_an_operation_is_read_from_a_functions_signature() -> None:
    found = operation(rows, effect="write", answer="rows")
    assert (found.name, found.summary, found.effect, found.role, found.answer) == (
        "rows",
        "Count rows.",
        "write",
        "write",
        "rows",
    )
    assert [(p.name, p.shape, p.required) for p in found.parameters] == [
        ("tag", Shape.TEXT, True),
        ("weight", Shape.NUMBER, False),
    ]
    with MemoryManager(":memory:", embedder=None) as memory:
        memory.remember("Ana drinks tea", tags=["home"])
        assert found.call(memory, {"tag": "home"}) == 1


def test_an_invalid_operation_is_refused() -> None:
    with pytest.raises(ValueError, match="needs `memory` as first parameter, and a docstring"):
        PackOperation(len)
    with pytest.raises(TypeError, match="operations: .* is no engrain.graph.PackOperation"):
        Domain(name="garden", operations=[rows])  # type: ignore[list-item]


def test_the_operations_of_threat_intelligence_are_methods_of_the_manager() -> None:
    found = {each.name: each for each in OPERATIONS}
    assert {found[name].method for name in ("import-stix", "export-stix")} == {"graph.import_stix", "graph.export_stix"}
    assert not any(each.function for each in OPERATIONS)
