"""The client has the methods of the manager, by the same signatures; each that cannot travel is told in the docs."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engrain import AsyncMemoryManager, ConfigError, MemoryManager
from engrain.client import (
    AsyncClient,
    Client,
    RemoteGraph,
    RemoteKeys,
    RemoteLifecycle,
    RemoteProcedures,
    RemoteWorking,
)
from engrain.views import Graph, Keys, Lifecycle, Procedures, Working
from tests.house_rules import members

PARTS: dict[str, tuple[type, type]] = {
    "": (Client, MemoryManager),
    "graph.": (RemoteGraph, Graph),
    "working.": (RemoteWorking, Working),
    "lifecycle.": (RemoteLifecycle, Lifecycle),
    "procedures.": (RemoteProcedures, Procedures),
    "keys.": (RemoteKeys, Keys),
}
BESIDE: dict[str, dict[str, Any] | None] = {
    "snapshot": {"path": None},
    "restore": {"snapshot": "a", "to": "b"},
    "migrate": {"src": "a", "dst": "b"},
    "rekey": {"store": "a", "to": "b"},
    "reindex": {},
    "sync_folder": {"folder": "a"},
    "set_reranker": {"reranker": None},
    "work": {},
    "lifecycle.entries": None,
    "keys.recognise": {"secret": "rk-1"},
    "keys.exist": {},
    "settings": None,
    "store": None,
    "embedder": None,
    "llm": None,
    "reranker": None,
    "public_key": None,
}
"""What works beside the store only, with arguments to try it; None for a property."""
DOCS = Path(__file__).parents[2] / "docs" / "client.md"


def public(kind: type) -> set[str]:
    return {name for name in members(kind) if not name.startswith("_")}


def methods() -> list[str]:
    found = [at + name for at, (_, original) in PARTS.items() for name in public(original)]
    return sorted(name for name in found if callable(_of(name)[1]))


def _of(name: str) -> tuple[Any, Any]:
    at = name.rpartition(".")[0]
    twin, original = PARTS[f"{at}." if at else ""]
    own = name.rpartition(".")[2]
    return getattr(twin, own), getattr(original, own)


@pytest.mark.parametrize("at", PARTS)
def test_it_has_the_same_names(at: str) -> None:
    twin, original = PARTS[at]
    assert public(twin) == public(original)


@pytest.mark.parametrize("name", methods())
def test_each_method_takes_the_same_arguments(name: str) -> None:
    twin, original = _of(name)
    own, his = inspect.signature(twin), inspect.signature(original)
    assert [str(p.replace(annotation=p.empty)) for p in own.parameters.values()] == [
        str(p.replace(annotation=p.empty)) for p in his.parameters.values()
    ]
    assert twin.__doc__


@pytest.mark.parametrize("name", sorted(BESIDE))
def test_methods_of_the_store_alone_say_where_it_is(name: str) -> None:
    def tried(client: Client) -> None:
        at, _, own = name.rpartition(".")
        found = getattr(getattr(client, at) if at else client, own)
        found(**(BESIDE[name] or {}))

    with Client("http://127.0.0.1:9") as client, pytest.raises(ConfigError, match="where the store is"):
        tried(client)


def test_each_difference_is_a_row_of_the_documentation() -> None:
    stored = DOCS.read_text(encoding="utf-8").partition("## What is different")[2]
    rows = [line for line in stored.splitlines() if line.startswith("| `")]
    named = {
        word.removesuffix("()") for line in rows for word in re.findall(r"`([\w.]+(?:\(\))?)`", line.split("|")[1])
    }
    assert named >= set(BESIDE)
    assert named - set(BESIDE) <= {
        "ingest",
        "fuse",
        "scope",
        "working.extend",
        "progress",
        "centre",
        "evolve",
        "StoreError",
    }


def test_the_async_client_has_the_same_names_as_the_async_manager() -> None:
    assert public(AsyncClient) == public(AsyncMemoryManager)


def test_importing_it_loads_no_server() -> None:
    heavy = "'fastapi', 'starlette', 'uvicorn', 'httpx2', 'numpy', 'pydantic'"
    code = f"import engrain.client, sys; print([name for name in ({heavy}) if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://here", "", None])
def test_an_invalid_address_is_refused(url: Any) -> None:
    with pytest.raises(ValueError, match="address"):
        Client(url)
