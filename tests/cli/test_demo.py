"""What the demo claims about its own conversation holds."""

from __future__ import annotations

import io
import json
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engrain import MemoryManager
from engrain.cli.demo import Demo, Question, questions, run_demo
from tests.cli.conftest import Run

CONVERSATION = files("engrain.cli") / "demo_conversation.jsonl"


def messages() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CONVERSATION.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def ran_demo() -> tuple[dict[str, Any], str]:
    """What the demo returned, and what it printed without a terminal."""
    console = Console(file=io.StringIO(), width=100, highlight=False)
    found = run_demo(None, console=console, bars=Console(quiet=True))
    return found, console.file.getvalue()  # type: ignore[attr-defined]


def test_the_conversation_is_several_weeks_of_two_people() -> None:
    sent = messages()
    assert set(Counter(message["name"] for message in sent)) == {"Maren", "Teo"}
    assert len({message["session"] for message in sent}) == 10
    times = [datetime.fromisoformat(message["at"]) for message in sent]
    assert times == sorted(times)
    assert (times[-1] - times[0]).days > 60


def test_the_evidence_of_every_question_is_in_the_conversation() -> None:
    ids = [message["id"] for message in messages()]
    assert len(ids) == len(set(ids))
    for question in questions():
        assert question.evidence
        assert question.evidence | question.before <= set(ids)
        assert not question.evidence & question.before


def test_everything_is_remembered_once(ran_demo: tuple[dict[str, Any], str]) -> None:
    found, _ = ran_demo
    assert found["remembered"]["created"] == len(messages())
    assert (found["again"]["created"], found["again"]["known"]) == (0, len(messages()))


def test_the_evidence_is_the_first_hit_of_every_question(ran_demo: tuple[dict[str, Any], str]) -> None:
    assert [answer["evidence_at"] for answer in ran_demo[0]["questions"]] == [1] * 8


def test_the_rank_of_the_answer_is_right(ran_demo: tuple[dict[str, Any], str]) -> None:
    for question, answer in zip(questions(), ran_demo[0]["questions"], strict=True):
        turns = [hit["memory"]["metadata"]["turn"] for hit in answer["hits"]]
        first = next((place for place, turn in enumerate(turns, start=1) if turn in question.evidence), None)
        assert answer["evidence_at"] == first or (first is None and answer["evidence_at"] not in (1, 2, 3))


def test_a_fact_that_changes_answers_for_its_own_time(ran_demo: tuple[dict[str, Any], str]) -> None:
    changed = ran_demo[0]["changed"]
    assert changed["status"] == "updated"
    assert changed["versions"] == ["Ilka lives in Leeds", "Ilka moved to Porto"]
    assert changed["then"] == ["Ilka lives in Leeds"]


def test_a_text_that_gives_orders_is_in_no_answer(ran_demo: tuple[dict[str, Any], str]) -> None:
    assert ran_demo[0]["held_back"] == {"status": "quarantined", "hidden": True}


def test_answers_cite_and_unknown_facts_are_not_answered(ran_demo: tuple[dict[str, Any], str]) -> None:
    *answered, unknown = ran_demo[0]["answers"]
    assert all(answer["synthesis"]["citations"] and answer["sources"] for answer in answered)
    assert unknown["metadata"]["abstained"] is True
    given = [answer["synthesis"]["answer"] for answer in answered if not answer["metadata"]["abstained"]]
    assert given == ["Porto", "28 April, at two", "9026", "cashews", "Noodle", "23 May", "780 euros", "cardamom"]
    assert f"{len(given)} answers hold" in ran_demo[1]


def test_a_correction_keeps_both_versions(ran_demo: tuple[dict[str, Any], str]) -> None:
    assert len(ran_demo[0]["corrected"]["versions"]) == 2


def test_an_erased_memory_is_gone_from_every_byte_and_on_record(ran_demo: tuple[dict[str, Any], str]) -> None:
    forgotten = ran_demo[0]["forgotten"]
    assert (forgotten["gone"], forgotten["proven"], forgotten["audit_holds"]) == (True, True, True)
    assert forgotten["audit_entries"] > len(messages())


def test_it_fits_a_hundred_columns_and_its_sections_a_screen(ran_demo: tuple[dict[str, Any], str]) -> None:
    sections: list[list[str]] = [[]]
    for line in ran_demo[1].splitlines():
        if line[:1].isdigit() and "  " in line:
            sections.append([])
        sections[-1].append(line)
    assert len(sections) == 11
    assert max(map(len, sections)) <= 60
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None, highlight=False)
    run_demo(None, console=console, bars=Console(quiet=True))
    assert max(map(len, console.file.getvalue().splitlines())) <= 100  # type: ignore[attr-defined]


def test_a_file_of_the_users_own(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text(
        "# Harbour\n\nThe blue boat leaves at nine.\n\n# Market\n\nPlums cost two euros a kilo.\n", encoding="utf-8"
    )
    found = run("demo", notes, "--json").document
    assert found["remembered"]["created"] >= 1
    assert found["questions"][0]["hits"]
    assert "notes.md" in run("demo", notes).out
    notes.write_bytes(b"\xff\xfe\xfa")
    refused = run("demo", notes)
    assert (refused.code, refused.err) == (1, f"engrain: {notes}: line 1: not UTF-8 text\n")


def test_it_ends_with_the_command_that_shows_its_store(run: Run, store: Path) -> None:
    *_, command = filter(None, run("demo").out.splitlines())
    *_, console, option, kept = shlex.split(command)
    assert (console, option) == ("console", "--store")
    assert Path(kept).exists()
    shutil.rmtree(Path(kept).parent)
    assert not store.exists()


def test_an_abstention_has_no_mark_of_an_answer() -> None:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    owners = ("grandma's", "Maren's grandma's")  # whose of the two who write, and hers
    asked = [Question(f"What makes {owner} plum cake special?", frozenset({"9:6"})) for owner in owners]
    with MemoryManager(":memory:", llm="none") as memory:
        memory.ingest(str(CONVERSATION))
        Demo(memory, console, Console(quiet=True)).answer(asked)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert ("   too little is remembered" in lines, " ✓ cardamom" in lines) == (True, True)


def test_under_uvx_it_ends_with_a_command_of_uvx(tmp_path: Path) -> None:
    program = tmp_path / "archive-v0" / "abc" / "bin" / "engrain"
    program.parent.mkdir(parents=True)
    program.write_text("import sys\nfrom engrain.cli.main import main\nsys.exit(main())\n", encoding="utf-8")
    ran = subprocess.run([sys.executable, program, "demo"], check=True, capture_output=True, encoding="utf-8")
    command = shlex.split([line for line in ran.stdout.splitlines() if line][-1])
    assert command[:-1] == ["uvx", "--from", "engrain[console]", "engrain", "console", "--store"]
    assert "pip install" not in ran.stdout
    shutil.rmtree(Path(command[-1]).parent)
