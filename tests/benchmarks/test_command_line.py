"""`python -m benchmarks`: each command measures with the options that were given, and prints a table or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from benchmarks.cli import main
from tests.benchmarks.conversations import lines, locomo

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    path = tmp_path / "chats.jsonl"
    path.write_text(lines(locomo()), encoding="utf-8")
    return path


def test_a_document_for_programs(run: Run, chats: Path) -> None:
    found = json.loads(run("eval", "retrieval", chats, "--embedder", "none", "--json").stdout)
    assert (found["conversations"], found["memories"], found["answerable"]) == (1, 6, 3)
    assert found["systems"]["engrain"]["overall"]["questions"] == 3


def test_a_table_for_people(run: Run, chats: Path) -> None:
    ran = run("eval", "retrieval", chats, "--embedder", "none", "--limit", 1)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert "bm25" in ran.stdout
    assert "On system" in ran.stdout


def test_the_default_store_is_left_alone(
    run: Run, chats: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_STORE", str(tmp_path / "memory.db"))
    assert run("eval", "ablation", chats, "--embedder", "none", "--limit", 1).exit_code == 0
    assert not (tmp_path / "memory.db").exists()


def test_a_file_without_questions_is_an_error_in_one_line(run: Run, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("dear reader", encoding="utf-8")
    ran = run("eval", "retrieval", letter)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "letter.txt" in ran.stderr


def test_a_command_takes_its_own_options_only(run: Run, chats: Path) -> None:
    for wrong in (["summaries", "--embedder", "none"], ["retrieval", "--size", 40], ["writes", "-k", 30]):
        ran = run("eval", *wrong, chats)
        assert ran.exit_code == 2
        assert "No such option" in ran.stderr


def test_every_evaluation_runs(run: Run, chats: Path, tmp_path: Path) -> None:
    words_only = ("--embedder", "none")
    assert "without neighbours" in run("eval", "ablation", chats, *words_only, "--limit", 1).stdout
    assert "Answer with it" in run("eval", "answers", chats, *words_only).stdout
    assert "verbatim tail" in run("eval", "summaries", chats, "--seed", 3).stdout
    assert "0 mentions of threats" in run("eval", "names", chats).stdout
    written = run("eval", "writes", "--size", 40, *words_only, "--json")
    assert (written.exit_code, json.loads(written.stdout)["sound"]) == (0, True)
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"text": "Ana lives in Rome.", "label": 0}\n', encoding="utf-8")
    assert "2 harmless active" in run("eval", "injection", texts, texts).stdout


def test_a_benchmark_takes_sizes_and_the_tokenizer_its_texts(run: Run, tmp_path: Path) -> None:
    found = json.loads(run("bench", "erasure", "--size", 10, "--size", 20, "--json").stdout)
    assert found["sizes"] == [10, 20]
    text = tmp_path / "note.txt"
    text.write_text("The boat is blue.", encoding="utf-8")
    assert "| note |" in run("bench", "tokens", "--tokenizer", "offline", text).stdout


def test_every_command_says_what_it_measures() -> None:
    for group in ("eval", "bench"):
        found = main.commands[group]
        assert isinstance(found, click.Group)
        assert all(command.help and command.help.endswith(".") for command in found.commands.values())
    assert {"eval", "bench", "speed", "serving", "peers"} == main.commands.keys()
