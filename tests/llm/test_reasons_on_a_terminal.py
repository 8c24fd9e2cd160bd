"""What is printed of a write names the model that found or judged a fact, and says why it did not."""

from __future__ import annotations

import io

from rich.console import Console

from engrain.cli import output
from tests.llm.models import Model, found, opened


def printed(model: Model, text: str) -> str:
    console = Console(file=io.StringIO(), width=300)
    with opened(llm=model) as memory:
        memory.remember("The room has a blue door")
        output.show_remembered(console, memory.remember(text, evolve=True))
        output.show_outcomes(console, memory.remember_with_extraction(text))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_the_model_is_named() -> None:
    text = printed(Model(extract=found("The room has a green door"), verdict={"operation": "UPDATE"}), "A green door.")
    first, _, second = text.partition("judged to update")
    assert ", found by test:model, judged by test:model" in first
    assert ", found by test:model" in second


def test_why_it_was_not_the_model_is_reported() -> None:
    text = printed(Model(extract="not json", verdict="not json"), "The room has a red lamp.")
    assert "found offline: the language model" in text
    assert "judged by rules: the language model" in text
