"""The systems that are compared, by name; each has a module here that is imported only in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from adapters.store import Open


class System(NamedTuple):
    """A system: its package, the class that opens it, what a program imports to use it, and what it keeps and how."""

    package: str
    opened_by: str
    statement: str
    what: str

    def open(self) -> Open:
        """Import the adapter, and with it the package, and return what opens a store."""
        module, _, name = self.opened_by.partition(":")
        opened: Open = getattr(import_module(f"adapters.{module}"), name)
        return opened


SYSTEMS: Mapping[str, System] = {
    "engrain": System(
        "engrain",
        "engrain_memory:Engrain",
        "from engrain import MemoryManager",
        "SQLite, synced at every write; words and vectors, exact; speaker, session and time are fields",
    ),
    "engrain-texts": System(
        "engrain",
        "engrain_memory:EngrainTexts",
        "from engrain import MemoryManager",
        "the same, given nothing but the text that the others get",
    ),
    "chroma": System(
        "chromadb", "chroma:Chroma", "import chromadb", "SQLite and a persistent HNSW index; vectors, approximate"
    ),
    "langgraph-memory": System(
        "langgraph",
        "langgraph_stores:LangGraphMemory",
        "from langgraph.store.memory import InMemoryStore",
        "dictionaries of the process, nothing kept; vectors, exact",
    ),
    "langgraph-sqlite": System(
        "langgraph-checkpoint-sqlite",
        "langgraph_stores:LangGraphSqlite",
        "from langgraph.store.sqlite import SqliteStore",
        "SQLite with sqlite-vec, synced at every write; vectors, exact",
    ),
    "mem0": System(
        "mem0ai",
        "mem0_memory:Mem0",
        "from mem0 import Memory",
        "verbatim (infer=False), local Qdrant on disk and a history in SQLite; vectors, exact",
    ),
    "txtai": System(
        "txtai",
        "txtai_index:Txtai",
        "from txtai import Embeddings",
        "faiss and SQLite, kept when saved: after each bulk, not after a single text; vectors, exact",
    ),
    "txtai-hybrid": System(
        "txtai",
        "txtai_index:TxtaiHybrid",
        "from txtai import Embeddings",
        "the same with words beside vectors (hybrid=True)",
    ),
}
