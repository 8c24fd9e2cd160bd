"""The front door: exports, methods, settings and commands are complete, sorted and documented."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import click
import pytest

import engrain
from engrain import AsyncMemoryManager, MemoryManager, Settings
from engrain.cli import main as cli
from engrain.views import Graph
from tests.house_rules import ROOT

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
STAY_PLAIN = {"for_org", "iter_memories", "records", "scoped"}


def text_of(*paths: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


_FENCED = re.compile(r"^ *```.*?^ *```\s*$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(`+)(?P<text>.+?)\1", re.DOTALL)


def undocumented(names: Iterable[str], text: str) -> list[str]:
    """Return the names with which no code span in the prose begins; dotted names count part by part."""
    spans = [span["text"].strip() for span in _SPAN.finditer(_FENCED.sub("", text))]
    return sorted(set(names) - {part for span in spans for part in re.split(r"[^\w.]", span)[0].split(".")})


# ------------------------------------------------------------------------------------------------------------- exports


def test_exports_are_sorted_and_distinct() -> None:
    assert list(engrain.__all__) == sorted(set(engrain.__all__))


def test_exports_are_all_there_is() -> None:
    assert all(hasattr(engrain, name) for name in engrain.__all__)  # which loads those that come when asked for
    found = {name for name in public(engrain) if not isinstance(getattr(engrain, name), ModuleType)}
    assert found - {"annotations"} == {name for name in engrain.__all__ if not name.startswith("_")}


@pytest.mark.parametrize("name", engrain.__all__)
def test_an_export_says_what_it_is(name: str) -> None:
    value = getattr(engrain, name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert value.__doc__
        assert not value.__doc__.startswith(f"{name}(")  # what a dataclass writes when nobody did


def test_exports_are_documented() -> None:
    names = [name for name in engrain.__all__ if not name.startswith("_")]
    assert undocumented(names, text_of(*DOCUMENTS)) == []


def test_methods_are_documented() -> None:
    assert undocumented(public(MemoryManager), text_of(*DOCUMENTS)) == []


def test_methods_of_the_graph_are_documented() -> None:
    text = text_of(*(ROOT / "docs" / name for name in ("graph.md", "threat-intelligence.md")))
    assert undocumented(public(Graph), text) == []


# ------------------------------------------------------------------------------------------------------ async and sync


def test_async_has_every_name() -> None:
    assert sorted(public(MemoryManager) - public(AsyncMemoryManager)) == []


@pytest.mark.parametrize("name", sorted(public(MemoryManager)))
def test_async_takes_the_same_arguments(name: str) -> None:
    plain, other = getattr(MemoryManager, name), getattr(AsyncMemoryManager, name)
    assert callable(plain) == callable(other)
    if callable(plain):
        assert list(inspect.signature(other).parameters) == list(inspect.signature(plain).parameters)
        assert inspect.iscoroutinefunction(other) == (name not in STAY_PLAIN)


# ------------------------------------------------------------------------------------------------------------ settings


def test_settings_are_documented() -> None:
    names = [field.name for field in fields(Settings)]
    assert names
    assert undocumented(names, text_of(ROOT / "docs" / "configuration.md")) == []


# -------------------------------------------------------------------------------------------------------- command line


def commands(group: click.Group, *above: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command under a group with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *above, name)
        else:
            yield " ".join([*above, name]), command


def the_group() -> click.Group:
    groups = [value for value in vars(cli).values() if isinstance(value, click.Group)]
    assert len(groups) == 1
    return groups[0]


def test_the_reference_of_commands_is_made_of_their_help() -> None:
    named = dict(commands(the_group()))
    assert named
    assert [name for name, command in named.items() if not command.help] == []


def test_the_command_starts_where_it_is_installed() -> None:
    (entry,) = entry_points(group="console_scripts", name="engrain")
    assert entry.load() is cli.main


def test_a_missing_name_is_found() -> None:
    text = "`remember(text)`, ``recall``, `m.close()`; update, `a forget`\n```python\nm.count()\n```\n`stats`"
    names = ["remember", "recall", "close", "stats", "update", "forget", "count"]
    assert undocumented(names, text) == ["count", "forget", "update"]
