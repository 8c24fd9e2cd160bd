"""`engrain mcp`: the memory as tools, for an agent that starts a process of its own."""

from __future__ import annotations

import logging
from typing import Any

import click

from engrain.cli.commands import open_view, view
from engrain.cli.options import Command, view_options
from engrain.lazy import library
from engrain.model.audit import Role
from engrain.operations.schema import SCOPE


def mcp_command() -> click.Command:
    """Return the command that serves a memory over MCP on standard input and output."""
    return Command(
        "mcp",
        callback=_mcp,
        summary="Offer the memory to an agent as tools, over MCP on standard input and output.",
        params=[
            click.Option(
                ["--role"],
                type=click.Choice([role.value for role in Role]),
                default="write",
                show_default=True,
                help="what the agent may do: read, write, give verdicts, or all of it",
            ),
            click.Option(
                ["--key"],
                envvar="ENGRAIN_KEY",
                metavar="KEY",
                help="a key of the store, whose scope and role it has then [default: ENGRAIN_KEY, else none]",
            ),
            *view_options(),
        ],
    )


def _mcp(**values: Any) -> None:
    """Serve until the client goes; standard output is the protocol's alone."""
    asked, key = view(values), values["key"] or None
    if key and (named := [name for name in SCOPE if name in asked]):
        raise click.UsageError(f"--{named[0]} has no place with a key, which says itself whose memory it opens")
    library("mcp", extra="mcp")
    stdio = library("engrain.interfaces.mcp.stdio", extra="mcp")
    logging.basicConfig(level=logging.WARNING, format="engrain: %(message)s")
    with open_view(asked) as memory:
        stdio.serve(memory, role=Role(values["role"]), key=key)
