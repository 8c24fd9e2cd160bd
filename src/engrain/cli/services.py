"""The commands under the root, created on demand, including those that are no operations, such as `serve`."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engrain.cli.commands import operation_command, store_of
from engrain.cli.groups import Commands, Makers, command, json_option, open_view, option, texts, view, view_options
from engrain.cli.options import FILE, path
from engrain.cli.output import show_fields, stderr, stdout, write_json
from engrain.cli.reports import current_policies, show_counts, show_policies
from engrain.config import Settings
from engrain.documents import plain
from engrain.graph.packs import installed_commands
from engrain.lazy import Later, later, library, require
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.model.signatures import key_of, new_key_file
from engrain.operations.schema import SCOPE
from engrain.operations.table import OPERATIONS
from engrain.urls import is_database
from engrain.validation import scope_of

if TYPE_CHECKING:
    import webbrowser

    from engrain.cli import agents, demo, doctor
else:
    agents, demo, doctor = later("engrain.cli", "agents", "demo", "doctor")
    webbrowser = Later("webbrowser")

_OLD, _NEW = "ENGRAIN_ENCRYPTION_KEY", "ENGRAIN_NEW_ENCRYPTION_KEY"
_CONTENT_BYTES = 65_536  # of a text that a server takes, unless configured otherwise
_COUNT = click.IntRange(0)
_BYTES = click.IntRange(1)
_SECONDS = click.FloatRange(0, min_open=True)
_ROLE = click.Choice([role.value for role in Role])


def _public(key: str, as_json: bool) -> None:
    write_json({"public_key": key}) if as_json else click.echo(key)


SIGNING_KEY_COMMANDS = (
    command(
        "key new",
        lambda path, as_json: _public(new_key_file(path).public_key, as_json),
        click.Argument(["path"], type=path),
        json_option(),
    ),
    command(
        "key show",
        lambda path, as_json: _public(key_of(Path(path)).public_key, as_json),
        click.Argument(["path"], type=FILE),
        json_option(),
    ),
)


class _StoreFile(click.Path):
    """An existing file; a database is refused without showing its address."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if is_database(value):
            self.fail("a database is not encrypted by a key of a store: name a file", param, ctx)
        return super().convert(value, param, ctx)


def _rekey(from_: str, to: str, plain: bool, as_json: bool) -> None:
    path = MemoryManager.rekey(from_, to, key=os.environ.get(_OLD) or None, new_key=None if plain else _new_key())
    if as_json:
        write_json({"path": path, "encrypted": not plain})
    else:
        kind = "not encrypted" if plain else "encrypted"
        show_fields(stdout(), (("copy", path), ("is", kind), ("left unchanged", from_)))


def _new_key() -> str:
    if given := os.environ.get(_NEW):
        return given
    if not sys.stdin.isatty():
        raise click.UsageError(f"there is no terminal to ask for the new key: set {_NEW}, or give --plain for none")
    return str(click.prompt("new key", hide_input=True, confirmation_prompt=True, err=True))


# The key is never an argument.
_REKEY = command(
    "rekey",
    _rekey,
    click.Argument(["from_"], type=_StoreFile(exists=True, dir_okay=False), metavar="FROM"),
    click.Argument(["to"], type=path),
    click.Option(["--plain"], is_flag=True, help="Leave the copy without a key"),
    json_option(),
)


def _distribute(url: str, shards: int | None, as_json: bool) -> None:
    with closing(library("engrain.storage.postgres", extra="postgres").PostgresStore(url)) as store:
        tables, nodes = store.distribute(shards=shards)
    if as_json:
        write_json({"tables": tables, "nodes": list(map(str, nodes))})
    else:
        show_fields(stdout(), (("tables distributed now", str(len(tables))), *(("node", str(node)) for node in nodes)))


STORE = click.Group(
    "store",
    help="Administer a whole store.",
    commands=[
        command(
            "store distribute",
            _distribute,
            click.Argument(["url"]),
            option("--shards", click.IntRange(1, 32_000), "Parts of each table, the most nodes there may be", 32),
            json_option(),
        )
    ],
)


def _policy(as_json: bool, **options: Any) -> None:
    with open_view(view(options)) as memory:
        _write_policies(memory.settings, as_json=as_json)


def _lifecycle(since: str | None, until: str | None, as_json: bool, **options: Any) -> None:
    with open_view(view(options)) as memory:
        counts = memory.lifecycle.timeline(since=since, until=until)
        if not as_json:
            show_counts(stdout(), counts)
            stdout().print()
        _write_policies(memory.settings, as_json=as_json, counts=plain(counts))


def _write_policies(settings: Settings, *, as_json: bool, **more: object) -> None:
    if as_json:
        write_json({"retention": settings.retention, "policies": plain(current_policies(settings)), **more})
    else:
        show_policies(stdout(), settings)


POLICY_COMMAND = command("policy show", _policy, json_option(), *view_options())
_LIFECYCLE = command(
    "lifecycle",
    _lifecycle,
    click.Option(["--since"], metavar="TIME", help="Count from here on, not from the first memory on"),
    click.Option(["--until"], metavar="TIME", help="Count until here, not until now"),
    json_option(),
    *view_options(),
)


def _worker(**options: Any) -> None:
    """Work until SIGINT or SIGTERM; the current job is finished."""
    stop = threading.Event()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    for number in (signal.SIGINT, signal.SIGTERM):
        # From a thread of its own: the main thread may hold the event's lock at this very moment.
        signal.signal(number, lambda *_: threading.Thread(target=stop.set).start())
    with open_view(view(options)) as memory:
        stderr().print(f"working on {memory.store.url}; Ctrl-C stops", soft_wrap=True, markup=False)
        memory.work(stop)
    stderr().print("stopped; what is left waits for the next worker", markup=False)


_WORKER = command("worker", _worker, *view_options())


def _serving(values: dict[str, Any], extra: str, *libraries: str) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return the server module, the manager's view behind it, and the known facts about the store."""
    for name in ("fastapi", "uvicorn", "prometheus_client", *libraries):
        require(name, extra=extra)
    asked = view(values)
    store, new = store_of(asked)
    owners = {name: asked.pop(name) for name in SCOPE if name in asked}
    bound = scope_of(owners.get("org", "default"), *(owners.get(name) for name in SCOPE[1:])) if owners else None
    known = {"store": store, "new": new, "bound": bound, "port": values["port"]}
    return library("engrain.server.process", extra=extra), asked, known


def _serve(**values: Any) -> None:
    process, asked, known = _serving(values, "server")
    options = process.ServerOptions(
        origins=[_origin(each) for each in values["cors"]],
        limits=process.Limits(
            body_bytes=values["max_body_bytes"],
            file_bytes=values["max_file_bytes"],
            writes_per_minute=values["writes_per_minute"] or None,
            requests_per_minute=values["requests_per_minute"] or None,
        ),
        **known,
        **{name: values[name] for name in ("host", "worker", "mem0", "log_level", "log_text", "stop_seconds")},
    )
    if known["new"]:  # and is not made where it cannot be served
        process.check_local(options)
    with open_view({**asked, "settings": server_settings(values["max_content_bytes"])}) as memory:
        process.serve(memory, options)


def _console(**values: Any) -> None:
    process, asked, known = _serving(values, "console", "nicegui")
    limits = process.Limits(writes_per_minute=None)
    examine = lambda: doctor.examine(asked).to_dict()  # noqa: E731
    options = process.ServerOptions(limits=limits, log_level="error", examine=examine, **known)

    def show(address: str) -> None:
        store = f"{known['store']}{' (new)' if known['new'] else ''}"
        print(f"console of {store}: open this address, which works once\n\n  {address}\n")
        print("It closes with this command: Ctrl-C ends both.", flush=True)
        if values["open"] and (sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ):
            webbrowser.open(address)

    with open_view({**asked, "settings": Settings.load(worker="none")}) as memory:
        process.serve_console(memory, options, show)


def server_settings(content_bytes: int | None = None) -> Settings:
    """Return the settings of a server, which has a worker of its own: texts of 64 KB unless configured otherwise."""
    if content_bytes is None and Settings.load().sources["max_content_bytes"] == "default":
        content_bytes = _CONTENT_BYTES
    given: dict[str, Any] = {} if content_bytes is None else {"max_content_bytes": content_bytes}
    return Settings.load(worker="none", **given)


def _origin(text: str) -> str:
    """Return an origin as browsers write it; anything else would never match."""
    scheme, _, rest = text.partition("://")
    if scheme not in ("http", "https") or not rest or any(sign in rest for sign in "/?#@* ") or text != text.lower():
        raise click.UsageError(f"--cors {text}: write an origin as browsers do, such as https://app.example.org")
    return text


def _mcp(**values: Any) -> None:
    """Serve until the client disconnects; standard output is reserved for the protocol."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    asked, key = view(values), values["key"] or None
    if key and (named := [name for name in SCOPE if name in asked]):
        raise click.UsageError(f"--{named[0]} has no place with a key, which sets the scope itself")
    library("mcp", extra="mcp")
    server = library("engrain.server.mcp", extra="mcp")
    logging.basicConfig(level=logging.WARNING, format="engrain: %(message)s")
    with open_view(asked) as memory:
        server.serve_stdio(memory, role=Role(values["role"]), key=key)


_SERVE = command(
    "serve",
    _serve,
    option("--host", str, "The address to listen at", "127.0.0.1"),
    option("--port", click.IntRange(0, 65535), "0 takes a free one", 8765),
    click.Option(
        ["--worker/--no-worker"],
        default=True,
        help="Whether background work is done here, or by `engrain worker` [default: here]",
    ),
    click.Option(["--mem0"], is_flag=True, help="Also answer at the routes of mem0's server, under /mem0"),
    click.Option(
        ["--cors"],
        multiple=True,
        metavar="ORIGIN",
        help="An origin with pages that may ask, exactly as browsers name it; may be repeated",
    ),
    option("--writes-per-minute", _COUNT, "Writes of one key in a minute, a batch being one; 0 is no limit", 60),
    option("--requests-per-minute", _COUNT, "Requests of one key in a minute [default: no limit]"),
    option("--max-content-bytes", _BYTES, f"Bytes of one text [default: {_CONTENT_BYTES:,}, or what the settings say]"),
    option("--max-body-bytes", _BYTES, "Bytes of a request", 2_000_000),
    option("--max-file-bytes", _BYTES, "Bytes of a file that is imported or ingested", 100_000_000),
    option("--stop-seconds", _SECONDS, "How long a stopping server waits for requests in hand", 30.0),
    option("--log-level", click.Choice(("debug", "info", "warning", "error")), "What is logged", "info"),
    click.Option(["--log-text"], is_flag=True, help="Let texts, questions and messages of errors be logged"),
    *view_options(),
)
_CONSOLE = command(
    "console",
    _console,
    option("--port", click.IntRange(0, 65535), "0 takes a free one", 0),
    click.Option(["--open/--no-open"], default=True, help="Whether a browser is opened [default: where there is one]"),
    *view_options(),
)
_MCP = Commands(
    "mcp",
    callback=_mcp,
    help="Offer the memory to an agent as tools, over MCP on standard input and output.",
    makers=lambda: _made(agents.MCP_COMMANDS),
    params=[
        option("--role", _ROLE, "What the agent may do: read, write, give verdicts, or all of it", "write"),
        click.Option(
            ["--key"],
            envvar="ENGRAIN_KEY",
            metavar="KEY",
            help="A key of the store: the agent has its scope and role [default: ENGRAIN_KEY, else none]",
        ),
        *view_options(),
    ],
)

COMMANDS = (_REKEY, STORE, _LIFECYCLE, _SERVE, _CONSOLE, _WORKER, _MCP)


def commands(callback: Callable[..., Any]) -> Makers:
    """Return a factory of the root's commands; `callback` is that of a group, which takes options of the view."""

    def group(name: str) -> click.Group:
        """Return the group of the operations with its name as prefix, or of other commands."""
        summary = texts("groups")[name]
        if name == "key":
            return click.Group(name, help=summary, commands=SIGNING_KEY_COMMANDS)
        more = _made([POLICY_COMMAND]) if name == "policy" else {}
        return Commands(
            name,
            callback=callback,
            help=summary,
            makers=lambda: {**_operations(f"{name} "), **more},
            params=view_options(),
        )

    return {
        **_made(installed_commands()),
        **_operations(""),
        **{name: partial(group, name) for name in texts("groups")},
        **_made(COMMANDS),
        "hooks": lambda: agents.HOOKS_COMMAND,
        "demo": lambda: demo.DEMO_COMMAND,
        "doctor": lambda: doctor.DOCTOR_COMMAND,
    }


def _operations(group: str) -> Makers:
    """Return a factory of the commands of a group's operations, "" for those of no group."""
    under = {each.name: each for each in OPERATIONS if each.name.startswith(group) and (group or " " not in each.name)}
    return {name.removeprefix(group): partial(operation_command, each) for name, each in under.items()}


def _made(given: Iterable[click.Command]) -> Makers:
    return {str(command.name): partial(lambda one: one, command) for command in given}
