"""What all servers that tests start make alike, made once in the process that they are forks of."""

from __future__ import annotations

from engrain import MemoryManager, Settings
from engrain.server.app import create_app
from engrain.storage.sqlite.store import SQLiteStore

with MemoryManager(SQLiteStore(":memory:"), embedder=None, settings=Settings(worker="none")) as _memory:
    _memory.remember("Ana keeps bees")  # reads the tables of the languages
    _memory.recall("bees")
    create_app(_memory).openapi()
