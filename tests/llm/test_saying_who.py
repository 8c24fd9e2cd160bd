"""The command line and JSON say which model did the work, and a program can follow how far consolidation is."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from rich.console import Console

from engrain.cli.reports import show_consolidation, show_reflection, show_session_end
from engrain.documents import document
from engrain.model.results import Consolidation, Reflection, SessionEnd, Worked
from engrain.testing import ScriptedLLM
from tests.llm.uses import TEXTS, answering, kept, opened

FIELDS: dict[str, Any] = {"by": "openai:small", "calls": 2, "tokens": 1234, "why_not": "the budget is spent"}


def printed(show: object, result: object) -> str:
    console = Console(file=io.StringIO(), width=120)
    show(console, result)  # type: ignore[operator]
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_a_model_is_named_with_what_it_took() -> None:
    for show, result in (
        (show_consolidation, Consolidation(1, **FIELDS)),
        (show_reflection, Reflection([], Worked(**FIELDS))),
        (show_session_end, SessionEnd("talk", evicted=("mem_1",), **FIELDS)),
    ):
        assert "by openai:small · 2 calls, 1,234 tokens · not all by the model: the budget is spent" in printed(
            show, result
        )


def test_nothing_is_said_where_no_model_was_asked() -> None:
    assert "by offline" not in printed(show_consolidation, Consolidation(1))


def test_json_shows_it_too() -> None:
    assert document(Reflection([], Worked(**FIELDS)), "insights") == {"insights": [], **FIELDS}
    assert document(Consolidation(1, **FIELDS)).items() >= FIELDS.items()


def test_two_results_are_equal_for_any_author() -> None:
    assert Consolidation(1, **FIELDS) == Consolidation(1)


def test_progress_is_reported_where_a_model_reads_one_by_one(tmp_path: Path) -> None:
    heard: list[tuple[int, int, str]] = []
    with opened(tmp_path, ScriptedLLM(answering)) as memory:
        kept(memory, TEXTS[:3])
        memory.consolidate(progress=lambda *stored: heard.append(stored))
    assert heard == [(number, 3, "episodes") for number in (1, 2, 3)]
