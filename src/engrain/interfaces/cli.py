"""`engrain` on the command line: a command for each operation, and five about the store as a whole."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import click
from click.shell_completion import get_completion_class
from rich.console import Console

from engrain import __version__
from engrain.errors import EngrainError
from engrain.interfaces.audit import audit_commands, key_commands
from engrain.interfaces.chatlog import chat_log_commands
from engrain.interfaces.commands import operation_command, stderr, stdout, view, write_json
from engrain.interfaces.demo import tell
from engrain.interfaces.doctor import examine, show_report
from engrain.interfaces.doctor_llm import look_at_llm
from engrain.interfaces.graph import graph_commands
from engrain.interfaces.keys import server_key_commands
from engrain.interfaces.lifecycle import lifecycle_command
from engrain.interfaces.measuring import measuring_commands
from engrain.interfaces.options import VIEW, Command, Commands, json_option, view_options
from engrain.interfaces.policies import policy_commands
from engrain.interfaces.procedures import procedure_commands
from engrain.interfaces.rekey import rekey_command
from engrain.interfaces.serve import mcp_command, serve_command
from engrain.interfaces.table import OPERATIONS
from engrain.interfaces.tables import one_line
from engrain.interfaces.worker import worker_command
from engrain.server.problems import with_notes

_ERROR, _INTERRUPTED = 1, 130
_TRACEBACK = "ENGRAIN_TRACEBACK"
_SHELLS = ("bash", "zsh", "fish")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 an error, 2 a command that cannot be understood."""
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "replace"), (sys.stderr, "replace")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=None if argv is None else list(argv), prog_name="engrain", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _fail(_with_hint(error), error.exit_code)
    except click.Abort:
        return _fail("interrupted", _INTERRUPTED)
    except (EngrainError, ValueError, TypeError, OSError) as error:
        if os.environ.get(_TRACEBACK):
            raise
        return _fail(_plainly(error))
    except Exception as error:  # the edge: what nobody foresaw is said in one line too
        if os.environ.get(_TRACEBACK):
            raise
        return _fail(f"this is a bug: {type(error).__name__}: {error} ({_TRACEBACK}=1 shows where)")


def _plainly(error: Exception) -> str:
    """Return an error's message; the system's own name the file and leave out their number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return with_notes(str(error) or type(error).__name__, error)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"engrain: {one_line(str(message), 2000)}", err=True)


def _fail(message: str, code: int = _ERROR) -> int:
    click.echo(f"engrain: {one_line(message, 2000)}", err=True)
    return code


def _with_hint(error: click.ClickException) -> str:
    """Say with a usage error where the help is."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{error.format_message().rstrip('.')} (see {error.ctx.command_path} --help)"
    return error.format_message()


def _show_completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    complete = get_completion_class(shell) if shell else None
    if complete is not None:
        click.echo(complete(ctx.command, {}, "engrain", "_ENGRAIN_COMPLETE").source())
        ctx.exit()


def _show_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"engrain {__version__}")
        ctx.exit()


def _remember_view(**values: Any) -> None:
    """Keep what was said before the command for the command; without a command, help."""
    context = click.get_current_context()
    context.obj = {**(context.obj or {}), **{name: values[name] for name in VIEW if values[name] is not None}}
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _demo(**values: Any) -> None:
    found = tell(values["file"], console=Console(quiet=True) if values["as_json"] else stdout(), bars=stderr())
    if values["as_json"]:
        write_json(found)


def _doctor(**values: Any) -> int:
    trial = values["llm"] is not None
    asked = view({**values, "llm": values["llm"] or None})
    report = examine(asked)
    look_at_llm(report, asked, trial=trial)
    if values["as_json"]:
        write_json(report.to_dict())
    else:
        show_report(stdout(), report)
    return 0 if report.healthy else _ERROR


def _operations() -> list[click.Command]:
    """Return a command for each operation, and one for all that are about a conversation, or about the graph."""
    alone = [operation_command(each) for each in OPERATIONS if " " not in each.name]
    talk = _group("chat-log", "What is said in a session: its log, its window, its end.", chat_log_commands())
    return [
        *alone,
        talk,
        _group("procedures", "How things are done: kept, found, rated, mined.", procedure_commands()),
        _group("graph", "Who and what the memories are about, and how that relates.", graph_commands()),
        _group("audit", "What was done, and whether anybody has touched it since.", audit_commands()),
        click.Group("key", help="The key that signs memories and the audit trail.", commands=key_commands()),
        _group("keys", "Who may come in through a server: keys made, listed, revoked.", server_key_commands()),
        rekey_command(),
        _group("policy", "By which rules memories fade and leave.", policy_commands()),
        lifecycle_command(),
    ]


def _group(name: str, summary: str, commands: Sequence[click.Command]) -> click.Command:
    return Commands(
        name,
        callback=_remember_view,
        invoke_without_command=True,
        help=summary,
        short_help=summary,
        commands=commands,
        params=view_options(),
    )


def _tools() -> list[click.Command]:
    """Return the commands that are not operations of a manager."""
    return [
        *measuring_commands(),
        serve_command(),
        worker_command(),
        mcp_command(),
        Command(
            "demo",
            callback=_demo,
            summary="Show a memory at work on a conversation: the one that ships with Engrain, or yours.",
            arguments={"[FILE]": "a chat, a text or anything else that ingest reads"},
            params=[click.Argument(["file"], required=False, type=click.Path(exists=True)), json_option()],
        ),
        Command(
            "doctor",
            callback=_doctor,
            summary="Say whether the store is well, which settings are in force, and what to do about what is not.",
            params=[_trial_option(), json_option(), *view_options(omit=frozenset({"llm"}))],
        ),
    ]


def _trial_option() -> click.Option:
    return click.Option(
        ["--llm"],
        is_flag=False,
        flag_value="",
        metavar="[LLM]",
        help="ask the language model two small questions: the one in force, or provider:model",
    )


cli = Commands(
    "engrain",
    callback=_remember_view,
    invoke_without_command=True,
    help="Memory for AI agents: keep texts, find them again by words and meaning, say where they came from.",
    epilog="Store, org, user, agent, session, embedder and llm can be named before the command or after it.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    commands=[*_operations(), *_tools()],
    params=[
        *view_options(),
        click.Option(
            ["--show-completion"],
            type=click.Choice(_SHELLS),
            is_eager=True,
            expose_value=False,
            callback=_show_completion,
            help="print the completion script of a shell",
        ),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="print the version",
        ),
    ],
)
