"""What a model of one's own says when it fails may quote what it was asked; the log does not."""

from __future__ import annotations

import logging

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import ScriptedLLM


def test_an_error_that_quotes_a_prompt_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail(prompt: str, **_: object) -> str:
        raise ValueError(f"cannot answer {prompt}")

    caplog.set_level(logging.DEBUG, logger="engrain")
    with MemoryManager(":memory:", user="ana", llm=ScriptedLLM(fail), settings=Settings(worker="none")) as memory:
        memory.remember("Ana keeps the key under the third hive", evolve=True)
        memory.synthesize("Where does Ana keep the key?")
    assert "ValueError" in caplog.text
    assert "third hive" not in caplog.text
