"""What the command line shows first: the store and what to try, and its commands by what they are for."""

from __future__ import annotations

import re
from collections.abc import Iterator
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


def helps(group: click.Group, *words: str) -> Iterator[tuple[str, ...]]:
    for name in group.list_commands(context := click.Context(group)):
        if isinstance(command := group.get_command(context, name), click.Group):
            yield from helps(command, *words, name)
        else:
            yield (*words, name)


def test_every_group_without_a_command_shows_its_help(run: Run) -> None:
    made = ((name, cli.get_command(click.Context(cli), name)) for name in cli.list_commands(click.Context(cli)))
    groups = {name for name, command in made if isinstance(command, click.Group)} - {"mcp"}  # which serves
    assert {"key", "keys", "store", "hooks", "graph", "audit"} <= groups
    for name in groups:
        ran = run(name)
        assert (ran.code, ran.err) == (0, ""), name
        assert ran.out.startswith(f"Usage: engrain {name} "), name
        assert ran.out == run(name, "--help").out


def test_no_help_speaks_of_values_of_python(run: Run) -> None:
    """Nothing that is typed here is None, True, a timedelta or an object with a method."""
    of_python = re.compile(
        r"\bNone\b|\bTrue\b|\bFalse\b|timedelta|a datetime|\ba Store\b|\ban? \w+er object|complete\("
    )
    shown = {words: " ".join(run(*words, "--help").out.split()) for words in helps(cli)}
    assert {words: found[0] for words, text in shown.items() if (found := of_python.search(text))} == {}
    assert "--clear tags empties them" in shown["update",]
