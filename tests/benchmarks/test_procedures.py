"""What mined procedures predict of recorded sessions, beside two simple predictors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.procedures import evaluate
from tests.procedures.trips import call


def session(*tools: str, task: int, success: bool = True) -> dict[str, object]:
    said = {"role": "user", "content": "please help me"}
    made = [{"role": "assistant", "content": None, "tool_calls": [call(n, tool)]} for n, tool in enumerate(tools)]
    return {"task_id": task, "messages": [said, *made], "success": success}


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    file = path / "sessions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return file


def test_what_always_follows_is_predicted(tmp_path: Path) -> None:
    rows = [session("find", "check", "book", task=number % 5) for number in range(10)]
    found = evaluate(written(tmp_path, rows))
    assert (found.sessions, found.successful, found.calls) == (10, 10, 30)
    assert {row.split for row in found.rows} == {"by order", "by task"}
    by = {row.by: row for row in found.rows if row.split == "by order"}
    assert (by["bigram"].first, by["most frequent"].first, by["most frequent"].among) == (1.0, 1 / 3, 1.0)
    mined = by["procedures from 0.7"]
    assert (mined.procedures, mined.predicted, mined.right) == (1, 10, 1.0)
    assert (mined.low, mined.high, mined.among) == (2 / 3, 2 / 3, 2 / 3)
    assert "by order   bigram" in found.table()
    assert found.to_dict()["rows"][0]["by"] == "most frequent"


def test_sessions_that_failed_are_mined_only_where_nobody_knows(tmp_path: Path) -> None:
    rows = [session("find", "book", task=number, success=False) for number in range(6)]
    by = {row.by: row.procedures for row in evaluate(written(tmp_path, rows)).rows}
    assert by["procedures from 0.7"] == 0
    assert by["procedures from 0.7, outcomes unknown"] == 1


def test_a_file_of_something_else_is_refused_by_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, [session("find", task=1), {"text": "no session"}])
    with pytest.raises(ValueError, match="line 2: not a recorded session"):
        evaluate(file)
