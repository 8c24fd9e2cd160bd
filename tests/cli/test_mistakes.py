"""A mistake ends in one clear line on standard error and the right exit code, never in a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ERROR, USAGE = 1, 2


def one_line(text: str) -> str:
    assert text.startswith("engrain: ")
    assert text.count("\n") == 1
    assert "Traceback" not in text
    return text


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["get", "mem_unknown"], ERROR, "mem_unknown"),
        (["forget", "mem_unknown", "--yes"], ERROR, "mem_unknown"),
        (["forget", "mem_unknown"], ERROR, "mem_unknown"),
        (["history", "mem_unknown"], ERROR, "mem_unknown"),
        (["update", "mem_unknown", "--content", "x"], ERROR, "mem_unknown"),
        (["remember", "   "], ERROR, "blank"),
        (["remember", "x", "--importance", "7"], ERROR, "importance"),
        (["remember", "x", "--valid-from", "yesterdayish"], ERROR, "yesterdayish"),
        (["remember", "x", "--org", " "], ERROR, "org"),
        (["remember", "x", "--embedder", "nobody:nothing"], ERROR, "nobody"),
        (["recall", "x", "--where", '{"year": {"about": 2020}}'], ERROR, "about"),
        (["list", "--status", "lost"], USAGE, "lost"),
        (["recal", "x"], USAGE, "'recall'"),
        (["graph", "shwo"], USAGE, "'show'"),
        (["list", "--cursor", "nonsense"], ERROR, "cursor"),
        (["ingest", "no-such-file.md"], ERROR, "no-such-file.md"),
        (["import", "no-such-file.jsonl"], ERROR, "no-such-file.jsonl"),
        (["remember", "x", "--metadata", "{year: 1}"], USAGE, "JSON"),
        (["remember", "x", "--metadata", "[1]"], USAGE, "object"),
        (["remember", "x", "--ttl", "soon"], USAGE, "soon"),
        (["remember", "x", "--kind", "dream"], USAGE, "dream"),
        (["remember"], USAGE, "CONTENT"),
        (["recall", "x", "-k", "many"], USAGE, "many"),
        (["recall", "x", "--no-such-option"], USAGE, "--no-such-option"),
        (["recall", "x", "--limit", "3"], USAGE, "'-k'"),
        (["recall", "x", "--user-id", "ana"], USAGE, "'--user'"),
        (["context", "x", "--budget", "9"], USAGE, "'--token-budget'"),
        (["dream"], USAGE, "dream"),
        (["search", "x"], USAGE, "'recall'"),
        (["add", "x"], USAGE, "'remember'"),
        (["get-all"], USAGE, "'list'"),
        (["update", "mem_1", "--tag", "None"], USAGE, "--clear tags"),
        (["update", "mem_1", "--valid-until", "None"], USAGE, "--clear valid_until"),
        (["update", "mem_1"], USAGE, "name what to change"),
        (["update", "mem_1", "--reason", "why"], USAGE, "name what to change"),
        (["audit", "sign"], ERROR, "signing needs a key: set ENGRAIN_SIGNING_KEY"),
        (["import", "rows.jsonl", "--user", "ana"], ERROR, "import needs a view without user, agent and session: open"),
        (["recall", "x", "--rerank"], ERROR, "--rerank needs a reranker: give --reranker"),
        (["help"], USAGE, "'--help'"),
        (["version"], USAGE, "'--version'"),
        (["completion"], USAGE, "'--show-completion bash'"),
        (["info"], USAGE, "'doctor'"),
        (["backup"], USAGE, "'snapshot'"),
        (["verify"], USAGE, "'audit verify'"),
        (["delete-user", "ana"], USAGE, "'forget-all --user'"),
        (["new-session"], USAGE, "'--session'"),
        (["remember-messages", "--file", "chat.json"], USAGE, "Did you mean MESSAGE..."),
        (["stats", "--jsn"], USAGE, "Did you mean '--json'?"),
        (["list", "--state", "active"], USAGE, "Did you mean '--status'?"),
        (["remember", "x", "--expire", "7d"], USAGE, "Did you mean '--ttl'?"),
        (["link", "mem_1", "mem_2", "--relation", "x"], USAGE, "Did you mean [RELATION]"),
        (["update", "mem_1", "new text"], USAGE, "Did you mean --content 'new text'?"),
        (["promote", "mem_1", "semantic"], USAGE, "Did you mean --to 'semantic'?"),
        (["recall", "x", "3"], USAGE, "Did you mean -k '3'?"),
        (["remember", "I", "keep", "bees"], USAGE, "stands in quotes"),
        (["pin", "mem_1", "mem_2"], USAGE, "It takes no more"),
        (["remember", "x", "--source-type", "user-input"], ERROR, "user_input"),
        (["get"], ERROR, "by --key"),
        (["chat-log", "end"], ERROR, "give --session"),
        (["remember-many", "no-such-file"], USAGE, "no-such-file"),
        (["serve", "--port", "abc"], USAGE, "'abc' is not a valid whole number from 0 to 65535"),
        (["serve", "--stop-seconds", "soon"], USAGE, "'soon' is not a valid number above 0"),
        (["ingest", "https://example.org/x"], ERROR, "https://example.org/x: an address is not fetched: download it"),
        (["remember-many", "5"], USAGE, "5"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_error_is_one_line(run: Run, words: list[str], code: int, says: str) -> None:
    ran = run(*words)
    assert (ran.code, ran.out) == (code, "")
    assert says in one_line(ran.err)


@pytest.mark.parametrize("words", [["get", "mem_unknown"], ["recall", "x", "--where", '{"a": {"about": 1}}']])
def test_json_does_not_change_errors(run: Run, words: list[str]) -> None:
    ran = run(*words, "--json")
    assert (ran.code, ran.out) == (ERROR, "")
    one_line(ran.err)


def test_a_file_that_is_not_a_store_is_left_as_it_was(run: Run, tmp_path: Path) -> None:
    foreign = tmp_path / "letter.txt"
    foreign.write_text("dear reader", encoding="utf-8")
    ran = run("stats", "--store", foreign)
    assert ran.code == ERROR
    assert "not an Engrain store" in one_line(ran.err)
    assert foreign.read_text(encoding="utf-8") == "dear reader"


def test_a_folder_is_not_a_store(run: Run, tmp_path: Path) -> None:
    assert "folder" in one_line(run("stats", "--store", tmp_path).err)


def test_restore_overwrites_nothing(run: Run, tmp_path: Path) -> None:
    run("remember", "Ana lives in Boston")
    run("snapshot", tmp_path / "copy.db")
    taken = tmp_path / "taken.db"
    taken.write_bytes(b"mine")
    assert run("restore", tmp_path / "copy.db", taken).code == ERROR
    assert taken.read_bytes() == b"mine"


def test_a_traceback_is_shown_on_request(process: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_TRACEBACK", "1")
    ran = process("get", "mem_unknown")
    assert ran.code == ERROR
    assert "Traceback" in ran.err
    assert "NotFound" in ran.err


def test_an_unknown_setting_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_COLOUR", "blue")
    assert "ENGRAIN_COLOUR" in one_line(run("stats").err)


def test_standard_input_that_is_no_text(store: Path) -> None:
    command = [sys.executable, "-m", "engrain", "remember", "-"]
    done = subprocess.run(command, input=b"\xff\xfe\x00", capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (USAGE, b"")
    assert "standard input" in one_line(done.stderr.decode())
