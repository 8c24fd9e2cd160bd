"""The commands under the root command, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from engrain.cli.commands import operation_command
from engrain.cli.groups import Commands, Makers, view_options
from engrain.cli.services import COMMANDS, POLICY_COMMAND, SIGNING_KEY_COMMANDS
from engrain.graph.packs import installed_commands
from engrain.lazy import later
from engrain.operations.table import OPERATIONS

if TYPE_CHECKING:
    from engrain.cli import agents, demo, doctor
else:
    agents, demo, doctor = later("engrain.cli", "agents", "demo", "doctor")

_GROUPS = {
    "records": "Exact records: values by key, which come back as they were put.",
    "chat-log": "The conversation of a session: its log, its window, its end.",
    "procedures": "Procedures: stored, found, rated, mined.",
    "graph": "The entities that memories are about, and their relations.",
    "audit": "What was done, and whether the records were changed since.",
    "key": "The key that signs memories and the audit trail.",
    "keys": "Keys of a server: made, listed, revoked.",
    "policy": "The rules by which memories fade and leave.",
}


def commands(callback: Callable[..., Any]) -> Makers:
    """Return what makes the commands under the root; `callback` is that of a group, which takes options of the view."""

    def group(name: str) -> click.Group:
        """Return the group of the operations with names that begin with its own, or of commands that are none."""
        summary = _GROUPS[name]
        if name == "key":
            return click.Group(name, help=summary, commands=SIGNING_KEY_COMMANDS)
        more = _made([POLICY_COMMAND]) if name == "policy" else {}
        return Commands(
            name,
            callback=callback,
            invoke_without_command=True,
            help=summary,
            short_help=summary,
            makers=lambda: {**_operations(f"{name} "), **more},
            params=view_options(),
        )

    return {
        **_made(installed_commands()),
        **_operations(""),
        **{name: partial(group, name) for name in _GROUPS},
        **_made(COMMANDS),
        "hooks": lambda: agents.HOOKS_COMMAND,
        "demo": lambda: demo.DEMO_COMMAND,
        "doctor": lambda: doctor.DOCTOR_COMMAND,
    }


def _operations(group: str) -> Makers:
    """Return what makes the commands of a group's operations, "" for those of no group."""
    under = {each.name: each for each in OPERATIONS if each.name.startswith(group) and (group or " " not in each.name)}
    return {name.removeprefix(group): partial(operation_command, each) for name, each in under.items()}


def _made(given: Iterable[click.Command]) -> Makers:
    return {str(command.name): partial(lambda one: one, command) for command in given}
