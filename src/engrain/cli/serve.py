"""`engrain serve` and `engrain mcp`: memory over HTTP for many clients, and as tools for one agent."""

from __future__ import annotations

import logging
from typing import Any

import click

from engrain.cli.commands import open_view, store_of, view
from engrain.cli.options import Command, view_options
from engrain.config import Settings
from engrain.lazy import library, require
from engrain.model.audit import Role
from engrain.model.scope import scope_of
from engrain.operations.schema import SCOPE

_CONTENT_BYTES = 65_536  # of a text that a server takes, unless configured otherwise
_COUNT = click.IntRange(0)
_BYTES = click.IntRange(1)


def serve_command() -> click.Command:
    """Return the command that serves a store."""
    return Command(
        "serve",
        callback=_serve,
        summary="Serve the store over HTTP until interrupted: REST under /v1, with probes and metrics.",
        params=[
            _option("--host", str, "the address to listen at", "127.0.0.1"),
            _option("--port", click.IntRange(0, 65535), "0 takes a free one", 8765),
            click.Option(
                ["--worker/--no-worker"],
                default=True,
                help="whether background work is done here, or by `engrain worker` [default: here]",
            ),
            click.Option(
                ["--cors"],
                multiple=True,
                metavar="ORIGIN",
                help="an origin whose pages may ask, exactly as browsers name it; may be repeated",
            ),
            _option(
                "--writes-per-minute", _COUNT, "writes of one key in a minute, a batch being one; 0 is no limit", 60
            ),
            click.Option(
                ["--requests-per-minute"],
                type=_COUNT,
                default=0,
                help="requests of one key in a minute [default: no limit]",
            ),
            click.Option(
                ["--max-content-bytes"],
                type=_BYTES,
                help=f"bytes of one text [default: {_CONTENT_BYTES:,}, or what the settings say]",
            ),
            _option("--max-body-bytes", _BYTES, "bytes of a request", 2_000_000),
            _option("--max-file-bytes", _BYTES, "bytes of a file that is imported or ingested", 100_000_000),
            _option(
                "--stop-seconds",
                click.FloatRange(0, min_open=True),
                "how long a stopping server waits for requests in hand",
                30.0,
            ),
            _option("--log-level", click.Choice(("debug", "info", "warning", "error")), "what is logged", "info"),
            click.Option(["--log-text"], is_flag=True, help="let texts, questions and messages of errors be logged"),
            *view_options(),
        ],
    )


def _option(name: str, kind: Any, text: str, default: object) -> click.Option:
    return click.Option([name], type=kind, default=default, show_default=True, help=text)


def _serve(**values: Any) -> int:
    for name in ("fastapi", "uvicorn", "prometheus_client"):
        require(name, extra="server")
    process = library("engrain.server.process", extra="server")
    asked = view(values)
    store, new = store_of(asked)
    owners = {name: asked.pop(name) for name in SCOPE if name in asked}
    options = process.ServerOptions(
        store=store,
        new=new,
        origins=[_origin(each) for each in values["cors"]],
        limits=process.Limits(
            body_bytes=values["max_body_bytes"],
            file_bytes=values["max_file_bytes"],
            writes_per_minute=values["writes_per_minute"] or None,
            requests_per_minute=values["requests_per_minute"] or None,
        ),
        bound=scope_of(owners.get("org", "default"), *(owners.get(name) for name in SCOPE[1:])) if owners else None,
        **{name: values[name] for name in ("host", "port", "worker", "log_level", "log_text", "stop_seconds")},
    )
    with open_view({**asked, "settings": server_settings(values["max_content_bytes"])}) as memory:
        code: int = process.serve(memory, options)
    return code


def server_settings(content_bytes: int | None = None) -> Settings:
    """Return the settings of a server: texts of 64 KB unless configured otherwise, and no worker of the manager's.

    The server's own worker does all of its work, or another process does.
    """
    configured = Settings.load()
    if content_bytes is None and configured.sources["max_content_bytes"] == "default":
        content_bytes = _CONTENT_BYTES
    given: dict[str, Any] = {} if content_bytes is None else {"max_content_bytes": content_bytes}
    return Settings.load(worker="none", **given)


def _origin(text: str) -> str:
    """Return an origin as browsers write it; anything else would never match."""
    scheme, _, rest = text.partition("://")
    if scheme not in ("http", "https") or not rest or any(sign in rest for sign in "/?#@* ") or text != text.lower():
        raise click.UsageError(f"--cors {text}: write an origin as browsers do, such as https://app.example.org")
    return text


def mcp_command() -> click.Command:
    """Return the command that serves a memory over MCP on standard input and output."""
    return Command(
        "mcp",
        callback=_mcp,
        summary="Offer the memory to an agent as tools, over MCP on standard input and output.",
        params=[
            _option(
                "--role",
                click.Choice([role.value for role in Role]),
                "what the agent may do: read, write, give verdicts, or all of it",
                "write",
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
        raise click.UsageError(f"--{named[0]} has no place with a key, which sets the scope itself")
    library("mcp", extra="mcp")
    server = library("engrain.server.mcp.server", extra="mcp")
    logging.basicConfig(level=logging.WARNING, format="engrain: %(message)s")
    with open_view(asked) as memory:
        server.serve_stdio(memory, role=Role(values["role"]), key=key)
