"""What all servers that tests start make alike, made once in the process that they are forks of."""

from __future__ import annotations

from engrain import MemoryManager, Settings
from engrain.server.process import ServerOptions, create_server
from engrain.storage.sqlite.store import SQLiteStore
from tests import described

described.share()

with MemoryManager(SQLiteStore(":memory:"), embedder=None, settings=Settings(worker="none")) as _memory:
    _memory.remember("Ana keeps bees")  # reads the tables of the languages
    _memory.recall("bees")
    _server = create_server(_memory, ServerOptions(worker=False))
    _server.config.load()  # NiceGUI looks at every server of a process, and takes each for one that is loaded
    _server.app.openapi()  # which the document of its forks is a copy of
