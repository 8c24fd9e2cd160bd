"""No language model is asked while a transaction or the write lock is held: others go on writing while it thinks."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engrain import MemoryManager
from tests.llm.uses import TEXTS, USES, Use, answering, opened
from tests.rows import holding, is_held

PATIENCE = 60.0  # seconds until a write that waits for the model is given up; one that does not takes none of them


class Thinking:
    """A model that looks whether the store is held while it is being asked, and remembers in another thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.memory: MemoryManager | None = None
        self.calls = 0
        self.hindered: list[str] = []

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        self.calls += 1
        if is_held(self._file):
            self.hindered.append("the store is held")
        if self.calls == 1:
            self._remember()
        return answering(prompt)

    def _remember(self) -> None:
        assert self.memory is not None
        bob = self.memory.scoped(user="bob")
        writing = threading.Thread(target=bob.remember, args=("Bob keeps bees.",), daemon=True)
        writing.start()
        writing.join(PATIENCE)
        if writing.is_alive():
            self.hindered.append("a remember of another thread waits for the model")


@pytest.mark.matrix
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
        llm.calls = 1
        llm.complete("")
        assert llm.hindered == []
        with holding(tmp_path / "memory.db"):
            llm.complete("")
    assert llm.hindered == ["the store is held"]
