"""The questions of the demo, and which turns of its conversation answer them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the turns that answer it, and those that answered it before the world changed."""

    text: str
    evidence: frozenset[str]
    before: frozenset[str]


def questions() -> list[Question]:
    """Return the questions that ship with the conversation."""
    text = (files("engrain.interfaces") / "demo_questions.jsonl").read_text(encoding="utf-8")
    rows = map(json.loads, text.splitlines())
    return [Question(row["question"], frozenset(row["evidence"]), frozenset(row.get("before", ()))) for row in rows]
