"""No language model is asked while a transaction or the write lock is held: others go on writing while it thinks."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from recollect import MemoryManager
from tests.llm.uses import TEXTS, USES, Use, answering, opened

PATIENCE = 60.0  # seconds until a write that waits for the model is given up; one that does not takes none of them


class Thinking:
    """A model that tries to write to the store while it is being asked, and to remember in another thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.memory: MemoryManager | None = None
        self.calls = 0
        self.hindered: list[str] = []

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        self.calls += 1
        self._write()
        if self.calls == 1:
            self._remember()
        return answering(prompt)

    def _write(self) -> None:
        with closing(sqlite3.connect(self._file, timeout=0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("CREATE TABLE written_meanwhile (number INTEGER)")
                connection.execute("ROLLBACK")
            except sqlite3.OperationalError as error:
                self.hindered.append(str(error))

    def _remember(self) -> None:
        assert self.memory is not None
        bob = self.memory.scoped(user="bob")
        writing = threading.Thread(target=bob.remember, args=("Bob keeps bees.",), daemon=True)
        writing.start()
        writing.join(PATIENCE)
        if writing.is_alive():
            self.hindered.append("a remember of another thread waits for the model")


@pytest.mark.parametrize("use", USES, ids=str)
def test_others_write_while_the_model_thinks(use: Use, tmp_path: Path) -> None:
    llm = Thinking(tmp_path / "memory.db")
    with opened(tmp_path, llm) as memory:
        llm.memory = memory
        use.run(memory.scoped(user="ana"), TEXTS)
        assert llm.hindered == []
        assert llm.calls
        assert memory.scoped(user="bob").count() == 1


def test_a_lock_that_is_held_is_noticed(tmp_path: Path) -> None:
    llm = Thinking(tmp_path / "memory.db")
    with opened(tmp_path, None) as memory:
        llm.memory = memory
        memory.remember("Ana keeps bees.")
        with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            llm.calls = 1
            llm.complete("")
            other.execute("ROLLBACK")
    assert llm.hindered == ["database is locked"]
