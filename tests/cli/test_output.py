"""What people see: wrapped and coloured on a terminal, plain lines elsewhere, and stored text never obeyed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from engrain import MemoryManager
from engrain.cli import output
from engrain.model.memory import Memory, Scope
from engrain.model.results import Hit, Signal, Stage
from engrain.operations.schema import Operation
from engrain.operations.table import OPERATIONS
from engrain.testing import FakeEmbedder
from tests.cli.conftest import Run

AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def memory(content: str, **more: object) -> Memory:
    values = {"id": "mem_1", "scope": Scope(), "recorded_at": AT, "updated_at": AT, "valid_from": AT, **more}
    return Memory(content=content, **values)  # type: ignore[arg-type]


def shown(hit: Hit, *, width: int = 80, terminal: bool = True, **more: bool) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=terminal, highlight=False, color_system=None)
    output.show_hits(console, [hit], best=hit.score, **more)
    written = console.file
    assert isinstance(written, io.StringIO)
    return written.getvalue()


LONG = Hit(memory("word " * 60, actor="Ana"), 0.9, 0.7, (Signal("lexical", 0.93, 1), Signal("x recency", 1.02)))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_terminal_gets_lines_that_fit(width: int) -> None:
    assert max(len(line) for line in shown(LONG, width=width).splitlines()) <= width


def test_elsewhere_a_text_is_one_line() -> None:
    lines = shown(LONG, terminal=False).splitlines()
    assert len(lines) == 2
    assert lines[0].count("word") == 60


def test_a_hit_says_who_and_when_and_on_demand_why() -> None:
    assert "Ana · 2026-01-05 12:00" in shown(LONG)
    assert "lexical" not in shown(LONG)
    assert "lexical #1 0.93 · recency ×1.02" in shown(LONG, explain=True)


def test_a_trace_names_each_stage_and_its_notes() -> None:
    console = Console(file=io.StringIO(), width=80, highlight=False)
    output.show_trace(console, [Stage("vector", 205, 0, 0.1, ("no embedder: words only",))])
    written = console.file.getvalue()  # type: ignore[attr-defined]
    assert "no embedder: words only" in written
    assert "205" in written


@given(st.text())
def test_no_control_character_reaches_the_terminal(text: str) -> None:
    written = shown(Hit(memory(text), 1.0, 1.0), terminal=False)
    assert not any((ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or "\u202a" <= c <= "\u202e" for c in written)


def test_no_control_character_of_a_context_reaches_a_pipe(run: Run) -> None:
    text = "The boat is \x1b]0;owned\x07red\x9b2J and \u202egreen."
    run("remember", text)
    run("chat-log", "append", "user", text, "--session", "s")
    for words in ["context", "the boat"], ["chat-log", "assemble", "the boat?", "--session", "s"]:
        written = run(*words).out
        assert "The boat is ␛]0;owned␇red�2J and �green." in written
        assert not set(written) & set("\x1b\x07\x9b\u202e")


def test_markup_in_a_memory_is_text() -> None:
    assert "[bold]not bold[/bold]" in shown(Hit(memory("[bold]not bold[/bold]"), 1.0, 1.0))


@pytest.mark.parametrize(
    ("bytes_", "written"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (123_456, "123 KB"), (5_300_000_000, "5.3 GB")],
)
def test_sizes(bytes_: int, written: str) -> None:
    assert output.size(bytes_) == written


@pytest.mark.parametrize(("share", "drawn"), [(0, "    "), (1, "████"), (0.5, "██  "), (0.28, "█▏  "), (7, "████")])
def test_bars(share: float, drawn: str) -> None:
    assert output.bar(share, 4) == drawn


def test_a_midnight_is_a_date() -> None:
    assert output.moment(datetime(2026, 1, 5, tzinfo=UTC)) == "2026-01-05"
    assert output.moment(AT + timedelta(minutes=1)) == "2026-01-05 12:01"
    assert output.moment(None) == "-"


def test_people_see_what_happened(run: Run) -> None:
    assert run("remember", "Ana lives in Boston").out.startswith("created  mem_")
    assert run("remember", "Ana lives in Boston").out.startswith("noop  mem_")
    assert "Ana lives in Boston" in run("recall", "Ana").out
    assert "nothing found" in run("recall", "zebra").out
    assert "Ana lives in Boston" in run("context", "Ana").out
    assert "memories" in run("stats").out
    assert "words #1" in run("recall", "Ana", "--explain").out


def test_a_warning_is_a_line_on_standard_error(process: Run, store: Path) -> None:
    with MemoryManager(store, embedder=FakeEmbedder()) as memory:
        memory.remember("Ana lives in Boston", sync=True)
    ran = process("recall", "Ana", "--embedder", "wordllama", "--json")
    assert len(ran.document["hits"]) == 1
    assert ran.err.startswith("engrain: ")
    assert "engrain reindex" in ran.err
    assert ran.err.count("\n") == 1


def test_nothing_is_coloured_without_a_terminal(run: Run) -> None:
    run("remember", "Ana lives in Boston")
    for words in (["recall", "Ana", "--explain"], ["list"], ["stats"]):
        assert "\x1b" not in run(*words).out


def test_a_reader_who_has_seen_enough_is_no_error(run: Run, store: Path) -> None:
    for number in range(50):
        run("remember", f"fact number {number} " + "and more " * 200)
    command = [sys.executable, "-m", "engrain", "list"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.read(10)
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    assert "_ENGRAIN_COMPLETE" in run("--show-completion", shell).out


def test_completion_leaves_out_names_kept_from_others() -> None:
    given = {**os.environ, "_ENGRAIN_COMPLETE": "bash_complete", "COMP_WORDS": "engrain recall-", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-m", "engrain"], env=given, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,recall-deep", "plain,recall-entity"]


def test_the_version(run: Run) -> None:
    assert run("--version").out.startswith("engrain ")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["recall", "--help"]])
def test_help(run: Run, words: list[str]) -> None:
    ran = run(*words)
    assert "Usage: engrain" in ran.out + ran.err


def test_json_survives_a_terminal_that_knows_few_characters(process: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    memory = process("remember", "Zoë drinks 茶", "--json").document["memory"]
    assert memory["content"] == "Zoë drinks 茶"
    assert "Zo? drinks ?" in process("list").out


def test_of_many_what_was_skipped_is_named_and_ends_in_an_error(run: Run) -> None:
    ended = run("remember-many", '{"content": "one"}', '{"content": " "}', "--on-error", "skip")
    assert ended.code == 1
    assert "one" in ended.out
    assert "item 1: content is blank" in " ".join(ended.out.split())
    assert ended.err == "engrain: 1 of 2 items refused\n"
    assert run("list").out.count("mem_") == 1


def test_a_refused_item_is_named_with_what_it_has(run: Run) -> None:
    ended = run("remember-many", '{"content": "one"}', '{"contents": "two"}')
    assert (ended.code, ended.out) == (1, "")
    assert "it has 'contents' (item 1: " in ended.err


def test_a_missing_summary_is_said_in_words(run: Run) -> None:
    assert "nothing is summarised yet" in run("chat-log", "summary", "--session", "kiln").out
    assert "None" not in run("chat-log", "clear", "--session", "kiln").out


def test_the_export_of_another_organisation_goes_into_another_store(run: Run, tmp_path: Path) -> None:
    for text in ("Ana keeps bees", "Ana keeps goats"):
        run("remember", text, "--org", "one")
    run("export", tmp_path / "one.jsonl", "--org", "one")
    ended = run("import", tmp_path / "one.jsonl", "--org", "two")
    assert ended.code == 1
    assert "skipped 2: its id is taken by another memory here: import it into another store" in ended.out
    assert ended.err == "engrain: nothing was imported: name another store, --store FILE\n"
    assert run("import", tmp_path / "one.jsonl", "--org", "two", "--store", tmp_path / "new.db").code == 0
    assert run("import", tmp_path / "one.jsonl", "--org", "one").code == 0


SKIPPING = [each for each in OPERATIONS if "skipped" in getattr(each.returns, "__dataclass_fields__", ())]


@pytest.mark.parametrize("operation", SKIPPING, ids=lambda each: each.name)
def test_every_command_that_skips_can_list_what_it_skipped(run: Run, operation: Operation) -> None:
    assert "-v, --verbose" in run(*operation.name.split(), "--help").out


def test_what_was_skipped_is_counted_and_listed_by_its_place_when_asked(run: Run, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        (tmp_path / name).write_text("<p>Ana keeps bees.</p><img src=x>", encoding="utf-8")
    assert "skipped 2: images" in run("ingest", tmp_path).out
    listed = run("ingest", tmp_path, "-v").out
    assert all(f"{name}.html: 1 image" in listed for name in ("one", "two"))

    rows = run("list", "--json").document["memories"]
    run("export", tmp_path / "all.jsonl")
    run("update", rows[0]["id"], "--content", "Ana keeps wasps.")
    assert "skipped 1: " in run("import", tmp_path / "all.jsonl").out
    assert "skipped line " in run("import", tmp_path / "all.jsonl", "--verbose").out


def test_long_work_without_a_terminal_prints_a_line_at_times() -> None:
    printed = Event()

    class Lines(io.StringIO):
        def write(self, text: str) -> int:
            size = super().write(text)
            printed.set()
            return size

    console = Console(file=Lines(), width=80)
    with output.waiting(console, "remember-many", spins=True, every=0.01):
        assert printed.wait(60)
    assert console.file.getvalue().startswith("0 s  remember-many\n")  # type: ignore[attr-defined]
