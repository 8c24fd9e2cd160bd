"""What the command line shows first: the store and what to try, and its commands by what they are for."""

from __future__ import annotations

import re
from pathlib import Path

import click

from engrain.cli.groups import ALIASES, texts
from engrain.cli.main import cli
from tests.cli.conftest import Run


def test_without_a_command_it_says_where_the_store_is_and_what_to_try(run: Run, store: Path) -> None:
    assert str(store) in run().out
    assert "made by the first command that opens it" in run().out
    run("remember", "Ana keeps bees")
    assert "made by the first command that opens it" not in run().out
    assert 'engrain recall "what insects does Ana keep?"' in run().out


def test_an_address_with_a_password_is_not_shown(run: Run) -> None:
    assert "secret" not in run("--store", "postgresql://ana:secret@db/memory").out


def test_the_first_help_begins_with_eight_commands_and_has_every_other_once(run: Run) -> None:
    out = run("--help").out
    assert out.index("Start here:") < out.index("Serve:") < out.index("--store")
    first, _, rest = out.partition("Start here:")[2].partition("\n\n")
    assert [line.split()[0] for line in first.splitlines() if line[:3].strip() and line.strip()] == texts("sections")[
        "Start here"
    ].split()
    kept = " ".join(texts("sections").values()).split()
    known = cli.list_commands(click.Context(cli))
    assert len(kept) == len(set(kept))
    assert set(kept) <= set(known)
    shown = [line.split()[0] for line in out.splitlines() if re.match(r"  \w", line)]
    assert [name for name in known if shown.count(name) != (name not in ALIASES)] == []
    assert not any(f"  {name} " in rest for name in ALIASES)
    assert not any(name in run("recal", "bees").err for name in ALIASES)
