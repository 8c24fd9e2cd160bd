"""`engrain audit`: the log, the head that is kept elsewhere, and exit code 1 where something was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.rows import behind


def test_a_kept_head_anchors_the_trail_up_to_it(run: Run, tmp_path: Path) -> None:
    run("remember", "Ana lives in Boston")
    head = tmp_path / "head.json"
    head.write_text(run("audit", "head").out, encoding="utf-8")
    assert run("audit", "head", "--json").out == head.read_text(encoding="utf-8")
    verified = run("audit", "verify", "--head", head)
    assert (verified.code, verified.out.splitlines()[:2]) == (0, ["whole     yes", "anchored  yes"])
    run("remember", "Ana likes tea")  # an entry that the head does not vouch for
    verified = run("audit", "verify", "--head", head)
    assert (verified.code, verified.out.splitlines()[:2]) == (1, ["whole     yes", "anchored  no"])
    assert set(run("audit", "log", "--json").document) == {"entries", "next"}
    assert len(run("audit", "log").out.splitlines()) == 4


@pytest.mark.parametrize("text", ["[1]", "{", '{"org": 1}'])
def test_a_file_that_is_no_head_is_an_error(run: Run, tmp_path: Path, text: str) -> None:
    run("remember", "Ana lives in Boston")
    head = tmp_path / "head.json"
    head.write_text(text, encoding="utf-8")
    ended = run("audit", "verify", "--head", head)
    assert (ended.code in (1, 2), ended.out, "bug" in ended.err) == (True, "", False)


def test_what_was_changed_outside_the_library_ends_in_an_error(run: Run, store: Path) -> None:
    run("remember", "the kettle is on")
    assert run("audit", "integrity").code == run("audit", "verify").code == 0
    with behind(store) as connection:
        connection.execute("UPDATE memory SET content = 'the kettle is off'")
        connection.execute("DELETE FROM audit")
    for command in ("integrity", "verify"):
        ended = run("audit", command)
        assert (ended.code, ended.err) == (1, "")
        assert ended.out
