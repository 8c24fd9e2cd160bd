"""`engrain serve`: memory over HTTP for many clients at once, as a process."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import click

from engrain.cli.commands import open_view, store_of, view
from engrain.cli.options import Command, view_options
from engrain.config import Settings
from engrain.lazy import require
from engrain.model.scope import scope_of
from engrain.operations.schema import SCOPE

_CONTENT = 65_536  # bytes of a text that a server takes, where nobody has said otherwise
_LEVELS = ("debug", "info", "warning", "error")


def serve_command() -> click.Command:
    """Return the command that serves a store."""
    return Command(
        "serve",
        callback=_serve,
        summary="Serve the store over HTTP until interrupted: REST under /v1, probes and metrics beside it.",
        params=[
            click.Option(["--host"], default="127.0.0.1", show_default=True, help="the address to listen at"),
            click.Option(
                ["--port"], type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 takes a free one"
            ),
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
            *_limits(),
            click.Option(
                ["--log-level"], type=click.Choice(_LEVELS), default="info", show_default=True, help="what is logged"
            ),
            click.Option(["--log-text"], is_flag=True, help="let texts, questions and messages of errors be logged"),
            *view_options(),
        ],
    )


def _limits() -> list[click.Option]:
    """Return the options that say how much callers may send; 0 is no limit."""
    whole = click.IntRange(0)
    return [
        click.Option(
            ["--writes-per-minute"],
            type=whole,
            default=60,
            show_default=True,
            help="writes of one key in a minute, a batch being one; 0 is no limit",
        ),
        click.Option(
            ["--requests-per-minute"],
            type=whole,
            default=0,
            help="requests of one key in a minute [default: no limit]",
        ),
        click.Option(
            ["--max-content-bytes"],
            type=click.IntRange(1),
            help=f"bytes of one text [default: {_CONTENT:,}, or what the settings say]",
        ),
        click.Option(
            ["--max-body-bytes"],
            type=click.IntRange(1),
            default=2_000_000,
            show_default=True,
            help="bytes of a request",
        ),
        click.Option(
            ["--max-file-bytes"],
            type=click.IntRange(1),
            default=100_000_000,
            show_default=True,
            help="bytes of a file that is imported or ingested",
        ),
        click.Option(
            ["--stop-seconds"],
            type=click.FloatRange(0, min_open=True),
            default=30.0,
            show_default=True,
            help="how long a stopping server waits for requests in hand",
        ),
    ]


def _serve(**values: Any) -> int:
    """Open the store as a server has it, and serve it."""
    for name in ("fastapi", "uvicorn", "prometheus_client"):
        require(name, extra="server")
    server, bounds, serving = (
        import_module(f"engrain.interfaces.rest.{name}") for name in ("server", "bounds", "serving")
    )
    limits = serving.Limits(
        body_bytes=values["max_body_bytes"],
        file_bytes=values["max_file_bytes"],
        writes_per_minute=values["writes_per_minute"] or None,
        requests_per_minute=values["requests_per_minute"] or None,
    )
    asked = view(values)
    store, new = store_of(asked)
    told = server.Served(
        store=store,
        new=new,
        host=values["host"],
        port=values["port"],
        worker=values["worker"],
        log_level=values["log_level"],
        log_text=values["log_text"],
        origins=[_origin(each) for each in values["cors"]],
        limits=limits,
        bounds=bounds.Bounds(stop_seconds=values["stop_seconds"]),
    )
    owners = {name: asked.pop(name) for name in SCOPE if name in asked}
    if owners:
        bound = scope_of(owners.get("org", "default"), *(owners.get(name) for name in SCOPE[1:]))
        told = replace(told, bound=bound)
    with open_view({**asked, "settings": settings(values["max_content_bytes"])}) as memory:
        code: int = server.serve(memory, told)
    return code


def settings(content: int | None = None) -> Settings:
    """Return the settings of a server: texts of 64 KB unless somebody said otherwise, and a worker of its own.

    The manager starts none: the server's does all its work, or another process does.
    """
    found = Settings.load()
    if content is None and found.sources["max_content_bytes"] == "default":
        content = _CONTENT
    given: dict[str, Any] = {} if content is None else {"max_content_bytes": content}
    return Settings.load(worker="none", **given)


def _origin(text: str) -> str:
    """Return an origin as browsers write it; anything else would never match."""
    scheme, _, rest = text.partition("://")
    if scheme not in ("http", "https") or not rest or any(sign in rest for sign in "/?#@* ") or text != text.lower():
        raise click.UsageError(f"--cors {text}: write an origin as browsers do, such as https://app.example.org")
    return text
