"""What a person writes on the command line arrives as the value that the method takes."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run


def remembered(run: Run, *words: object) -> dict[str, Any]:
    memory = run("remember", *words, "--json").document["memory"]
    assert isinstance(memory, dict)
    return memory


def test_every_shape_of_value(run: Run) -> None:
    memory = remembered(
        run,
        "Ana lives in Boston",
        *("--kind", "episodic"),
        *("--tag", "home", "--tag", "family"),
        *("--metadata", '{"year": 2024, "source": {"page": 3}}'),
        *("--fact", "Ana", "lives_in", "Boston"),
        *("--valid-from", "2024-05-01", "--valid-until", "2030-05-01T12:00:00+02:00"),
        *("--importance", "0.9", "--pinned"),
    )
    assert memory["kind"] == "episodic"
    assert memory["tags"][:2] == ["home", "family"]
    assert memory["metadata"] == {"year": 2024, "source": {"page": 3}}
    assert memory["fact"] == {"subject": "Ana", "predicate": "lives_in", "object": "Boston"}
    assert memory["valid_from"] == "2024-05-01T00:00:00+00:00"
    assert memory["valid_until"] == "2030-05-01T10:00:00+00:00"
    assert (memory["importance"], memory["pinned"]) == (0.9, True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("90", timedelta(seconds=90)),
        ("90s", timedelta(seconds=90)),
        ("15m", timedelta(minutes=15)),
        ("1.5h", timedelta(hours=1.5)),
        ("7d", timedelta(days=7)),
        ("2w", timedelta(weeks=2)),
    ],
)
def test_a_duration(run: Run, written: str, meant: timedelta) -> None:
    memory = remembered(run, "the kettle is on", "--ttl", written)
    lasts = datetime.fromisoformat(memory["expires_at"]) - datetime.fromisoformat(memory["recorded_at"])
    assert lasts == meant


def test_a_dash_reads_standard_input(process: Run, run: Run) -> None:
    process("remember", "-", stdin="Ana lives in Boston,\nnear the harbour\n")
    (memory,) = run("list", "--json").document["memories"]
    assert memory["content"] == "Ana lives in Boston,\nnear the harbour"
    assert process("recall", "-", "--json", stdin="harbour\n").document["hits"][0]["id"] == memory["id"]
    process("update", memory["id"], "--content", "-", stdin="Ana lives in Tbilisi")
    assert run("get", memory["id"], "--json").document["content"] == "Ana lives in Tbilisi"


def test_an_export_to_a_dash_writes_rows_to_standard_output(run: Run, tmp_path: Path) -> None:
    run("remember", "Ana lives in Boston")
    ran = run("export", "-")
    file = tmp_path / "rows.jsonl"
    run("export", file)
    rows = [json.loads(line) for line in ran.out.splitlines()]
    written = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["type"] for row in rows] == [row["type"] for row in written]
    assert (ran.code, ran.err) == (0, f"rows  {len(rows)}\n")
    assert "where --json would be" in run("export", "-", "--json").err


@pytest.mark.parametrize(
    "words",
    [
        "snapshot -",
        "ingest -",
        "import -",
        "sync-folder -",
        "graph export -",
        "graph show person Ana --export -",
        "key new -",
        "restore a.db -",
        "migrate a.db -",
    ],
)
def test_a_dash_is_no_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert "a file is wanted" in ran.err
    assert not Path("-").exists()


def test_conditions_on_metadata(run: Run) -> None:
    for year in (2019, 2021, 2023):
        run("remember", f"the fair of {year}", "--metadata", f'{{"year": {year}}}')
    hits = run("recall", "fair", "--where", '{"year": {"gte": 2020}}', "--json").document["hits"]
    assert {hit["memory"]["metadata"]["year"] for hit in hits} == {2021, 2023}


def test_what_is_repeated_is_a_list(run: Run) -> None:
    run("remember", "see you on Friday", "--session", "monday")
    run("remember", "Ana likes tea")
    found = run("list", "--kind", "semantic", "--kinds", "episodic", "--json").document["memories"]
    assert {memory["kind"] for memory in found} == {"semantic", "episodic"}


def test_an_update_leaves_alone_what_is_not_named_and_clears_what_is_asked(run: Run) -> None:
    memory = remembered(run, "Ana lives in Boston", "--valid-until", "2040-01-01", "--tag", "home")
    changed = run("update", memory["id"], "--importance", "0.8", "--json").document
    assert changed["valid_until"] == memory["valid_until"]
    assert changed["tags"] == memory["tags"]
    cleared = run("update", memory["id"], "--clear", "valid_until", "--json").document
    assert cleared["valid_until"] is None
    both = run("update", memory["id"], "--clear", "valid_until", "--valid-until", "2041-01-01")
    assert (both.code, "contradict" in both.err) == (2, True)


def test_a_flag_that_is_on_can_be_turned_off(run: Run) -> None:
    memory_id = remembered(run, "Ana lives in Boston")["id"]
    run("recall", "Boston", "--no-touch")
    assert run("get", memory_id, "--json").document["access_count"] == 0
    run("recall", "Boston")
    assert run("get", memory_id, "--json").document["access_count"] == 1


@pytest.mark.parametrize("value", ["null", "[]", '""', "0", "false"])
def test_a_record_has_any_json(run: Run, value: str) -> None:
    assert run("records", "put", "things", "one", value).code == 0
    assert json.dumps(run("records", "get", "things", "one", "--json").document["value"]) == value


@pytest.mark.parametrize(
    ("command", "first", "wrong"),
    [
        ("remember-many", '{"content": "Ana keeps bees"}', '{"content": " "}'),
        ("remember-many", '{"content": "Ana keeps bees"}', "5"),
        ("remember-many", '{"content": "Ana keeps bees"}', '{"content": ]'),
        ("remember-messages", '{"role": "user", "content": "Ana keeps bees"}', '{"rule": "user"}'),
    ],
)
def test_json_lines_of_a_file_are_read_and_errors_name_the_line(
    run: Run, tmp_path: Path, command: str, first: str, wrong: str
) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(f"{first}\n\n{wrong}\n", encoding="utf-8")
    refused = run(command, file)
    assert refused.code != 0
    assert f"{file}, line 3" in refused.err
    assert run("count", "--json").document["count"] == 0
    file.write_text(f"{first}\n\n{first.replace('bees', 'goats')}\n", encoding="utf-8")
    assert len(run(command, file, "--json").document["outcomes"]) == 2


def test_lines_that_hold_no_item_are_skipped_and_named_when_asked(run: Run, process: Run, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    lines = '{"content": "Ana keeps bees"}\n{"content": ]\n5\n{"content": " "}\n{"content": "Ana keeps goats"}\n'
    file.write_text(lines, encoding="utf-8")
    for ran in (run("remember-many", file, "--on-error", "skip"), process("remember-many", "--on-error", "skip", file)):
        assert (ran.code, ran.err) == (1, "engrain: 3 of 5 items refused\n")
        shown = " ".join(ran.out.split())
        assert f"{file}, line 2: not JSON" in shown
        assert f"{file}, line 3: this is not a JSON object" in shown
        assert "content is blank" in shown
    found = run("list", "--json").document["memories"]
    assert {each["content"] for each in found} == {"Ana keeps bees", "Ana keeps goats"}


def test_json_lines_on_standard_input(process: Run) -> None:
    lines = '{"content": "Ana keeps bees"}\n{"content": "Ana keeps goats"}\n'
    assert len(process("remember-many", "-", "--json", stdin=lines).document["outcomes"]) == 2
    assert (
        "standard input, line 2: " in process("remember-messages", "-", stdin='{"role": "user", "content": "x"}\n5').err
    )
