"""`recollect` on the command line: a command for each operation, and five about the store as a whole."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click
from click.shell_completion import get_completion_class
from rich.console import Console

from recollect import __version__
from recollect.errors import RecollectError
from recollect.interfaces.agents import mcp_command
from recollect.interfaces.audit import audit_commands, key_commands
from recollect.interfaces.chatlog import chat_log_commands
from recollect.interfaces.commands import operation_command, stderr, stdout, view, write_json
from recollect.interfaces.demo import tell
from recollect.interfaces.doctor import examine, show_report
from recollect.interfaces.doctor_llm import look_at_llm
from recollect.interfaces.glossary import describe
from recollect.interfaces.graph import graph_commands
from recollect.interfaces.lifecycle import lifecycle_command
from recollect.interfaces.options import VIEW, Command, Commands, json_option, view_options
from recollect.interfaces.policies import policy_commands
from recollect.interfaces.procedures import procedure_commands
from recollect.interfaces.progress import progress
from recollect.interfaces.rekey import rekey_command
from recollect.interfaces.table import OPERATIONS
from recollect.interfaces.tables import one_line
from recollect.interfaces.worker import worker_command

_ERROR, _INTERRUPTED = 1, 130
_TRACEBACK = "RECOLLECT_TRACEBACK"
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
        code = cli.main(args=None if argv is None else list(argv), prog_name="recollect", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        return _fail(_with_hint(error), error.exit_code)
    except click.Abort:
        return _fail("interrupted", _INTERRUPTED)
    except (RecollectError, ValueError, TypeError, OSError) as error:
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
    return str(error) or type(error).__name__


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    click.echo(f"recollect: {one_line(str(message), 2000)}", err=True)


def _fail(message: str, code: int = _ERROR) -> int:
    click.echo(f"recollect: {one_line(message, 2000)}", err=True)
    return code


def _with_hint(error: click.ClickException) -> str:
    """Say with a usage error where the help is."""
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{error.format_message().rstrip('.')} (see {error.ctx.command_path} --help)"
    return error.format_message()


def _show_completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    complete = get_completion_class(shell) if shell else None
    if complete is not None:
        click.echo(complete(ctx.command, {}, "recollect", "_RECOLLECT_COMPLETE").source())
        ctx.exit()


def _show_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"recollect {__version__}")
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


def _eval(**values: Any) -> int:
    """Measure reading or writing; an option of the one says nothing about the other."""
    if values["injection"]:
        return _eval_injection(**values)
    if values["names"]:
        return _eval_names(**values)
    if values["windows"]:
        return _eval_windows(**values)
    if values["procedures"]:
        return _eval_procedures(**values)
    if values["answers"]:
        return _eval_answers(**values)
    writes, ablates = values["writes"], values["ablate"]
    if writes and ablates:
        raise click.UsageError("--ablate measures reading: leave out --writes")
    if values["file"] is None and not writes:
        raise click.UsageError("name a FILE of conversations, or ask for --writes, which makes up its own statements")
    own, foreign = (("size", "seed"), ("k",)) if writes else (("k",), ("size", "seed"))
    if given := [name for name in foreign if values[name] is not None]:
        where = "has no place with" if writes else "needs"
        raise click.UsageError(f"{'-' if len(given[0]) == 1 else '--'}{given[0]} {where} --writes")
    names = ("embedder", "limit", "store_dir", *own)
    asked = {name: values[name] for name in names if values[name] is not None}
    measured = _measuring("writes" if writes else "ablation" if ablates else "quality")
    measure = measured.ablate if ablates else measured.evaluate
    with progress(stderr()) as report:
        found = measure(values["file"], progress=report, **asked)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0 if not writes or found.sound else _ERROR


def _eval_injection(**values: Any) -> int:
    """Measure which attacks become memories, and which harmless texts are held back."""
    others = (
        "names",
        "windows",
        "writes",
        "answers",
        "ablate",
        "procedures",
        "embedder",
        "k",
        "limit",
        "seed",
        "size",
        "stix",
    )
    if any(values[name] for name in others):
        raise click.UsageError("--injection takes files, and of the options only --json")
    files = [*values["injection"], *([] if values["file"] is None else [values["file"]])]
    with progress(stderr()) as report:
        found = _measuring("injection").evaluate(files, progress=report)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0


def _eval_windows(**values: Any) -> int:
    """Measure what summaries keep of conversations; no memory is made, so there is nothing to embed or to ask for."""
    others = ("writes", "answers", "ablate", "procedures", "embedder", "k", "size", "store_dir", "stix")
    given = [name for name in others if values[name]]
    if given or values["file"] is None:
        raise click.UsageError("--windows takes a FILE, and of the options only --limit, --seed and --json")
    asked = {name: values[name] for name in ("limit", "seed") if values[name] is not None}
    with progress(stderr()) as report:
        found = _measuring("leftover").evaluate(values["file"], progress=report, **asked)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0


def _eval_procedures(**values: Any) -> int:
    """Measure what mined procedures foretell of recorded sessions."""
    others = ("writes", "answers", "ablate", "embedder", "k", "limit", "seed", "size", "store_dir", "stix")
    if values["file"] is None or any(values[name] for name in others):
        raise click.UsageError("--procedures takes a FILE, and of the options only --json")
    with progress(stderr()) as report:
        found = _measuring("procedures").evaluate(values["file"], progress=report)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0


def _eval_answers(**values: Any) -> int:
    """Measure answers that are made without a model."""
    others = ("writes", "ablate", "k", "seed", "size", "stix")
    if values["file"] is None or any(values[name] for name in others):
        raise click.UsageError(
            "--answers takes a FILE, and of the options only --embedder, --limit, --store-dir, --json"
        )
    asked = {name: values[name] for name in ("embedder", "limit", "store_dir") if values[name] is not None}
    with progress(stderr()) as report:
        found = _measuring("answering").evaluate(values["file"], progress=report, **asked)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0


def _eval_names(**values: Any) -> int:
    """Measure how names are read: in reports where people marked them, or in chats that name no threat."""
    foreign = ("writes", "answers", "ablate", "windows", "procedures")
    if any(values[name] for name in foreign) or values["file"] is None:
        raise click.UsageError("--names takes a FILE, and neither --writes nor --ablate nor --windows")
    mentions = _measuring("mentions")
    with progress(stderr()) as report:
        if mentions.is_marked(values["file"]):
            found = _measuring("extraction").evaluate_extraction(values["file"])
        else:
            found = mentions.count_mentions(values["file"], names=values["stix"], progress=report)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0


def _measuring(what: str) -> Any:
    """Return a module of the evaluation room, which no other command waits for."""
    return import_module(f"recollect.evaluation.{what}")


def _bench(**values: Any) -> None:
    """Measure memories, the graph, a conversation or a sweep; nobody shares the store of the latter three."""
    chosen = [name for name in ("graph", "talk", "sweep") if values[name]]
    if len(chosen) > 1:
        raise click.UsageError("--graph, --talk and --sweep are measured one at a time")
    if chosen and values["seconds"] is not None:
        raise click.UsageError(f"--seconds has no place with --{chosen[0]}")
    asked = {name: values[name] for name in ("sizes", "seed", "seconds", "store_dir") if values[name]}
    with progress(stderr()) as report:
        found = _measuring(f"{chosen[0]}s" if chosen else "speed").run(progress=report, **asked)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())


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
        commands=commands,
        params=view_options(),
    )


def _tools() -> list[click.Command]:
    """Return the commands that are not operations of a manager."""
    file = click.Path(exists=True, dir_okay=False)
    return [
        _eval_command(file),
        Command(
            "bench",
            callback=_bench,
            summary="Measure how fast writing, reading and opening are, beside the machine's own limits.",
            params=[
                click.Option(
                    ["--size", "sizes"],
                    type=click.INT,
                    multiple=True,
                    help="how many memories, relations with --graph, messages with --talk; may be repeated",
                ),
                click.Option(
                    ["--graph"], is_flag=True, help="measure a graph of many relations: filling it, walking it"
                ),
                click.Option(["--talk"], is_flag=True, help="measure a long conversation: appending to it, ending it"),
                click.Option(["--sweep"], is_flag=True, help="measure what a sweep costs, by what is due and stored"),
                click.Option(["--seed"], type=click.INT, metavar="INTEGER", help="the seed of what is made up"),
                click.Option(
                    ["--seconds"], type=click.FLOAT, metavar="NUMBER", help="how long processes share a store"
                ),
                _store_dir(),
                json_option(),
            ],
        ),
        worker_command(),
        mcp_command(),
        Command(
            "demo",
            callback=_demo,
            summary="Show a memory at work on a conversation: the one that ships with Recollect, or yours.",
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


def _eval_command(file: click.Path) -> click.Command:
    return Command(
        "eval",
        callback=_eval,
        summary="Measure how well questions find their evidence in conversations, or how trustworthy writes are.",
        arguments={"[FILE]": "conversations with marked evidence, JSON lines; .gz too"},
        params=[
            click.Argument(["file"], required=False, type=file),
            *_measured(),
            click.Option(
                ["--injection"],
                type=file,
                multiple=True,
                metavar="PATH",
                help="which attacks on their reader become memories, and what harmless texts are held back; repeatable",
            ),
            click.Option(["--stix"], type=file, metavar="FILE", help="a bundle whose names --names adds before"),
            click.Option(["--embedder"], metavar="EMBEDDER", help=describe("embedder")),
            click.Option(["-k"], type=click.INT, metavar="INTEGER", help="how many hits to ask for"),
            click.Option(
                ["--limit"],
                type=click.INT,
                metavar="INTEGER",
                help="how many questions at most; of --writes and --windows how many conversations",
            ),
            click.Option(["--size"], type=click.INT, metavar="INTEGER", help="how many statements --writes makes up"),
            click.Option(
                ["--seed"],
                type=click.INT,
                metavar="INTEGER",
                help="the seed of what --writes makes up and --windows draws",
            ),
            _store_dir(),
            json_option(),
        ],
    )


def _measured() -> list[click.Option]:
    """Return the options that name what is measured, other than how well evidence is found."""
    return [
        click.Option(
            ["--writes"],
            is_flag=True,
            help="what writes close, lose and find, on made-up statements and the turns of FILE",
        ),
        click.Option(["--ablate"], is_flag=True, help="what the ranking loses without each of its ingredients"),
        click.Option(
            ["--names"],
            is_flag=True,
            help="how well names and relations are read in reports with marked ones; of chats, false threats",
        ),
        click.Option(
            ["--windows"],
            is_flag=True,
            help="how many answers survive in summaries of turns that no longer fit, against plain cutting",
        ),
        click.Option(
            ["--procedures"],
            is_flag=True,
            help="how often procedures mined from one half of recorded sessions foretell the calls of the other",
        ),
        click.Option(
            ["--answers"],
            is_flag=True,
            help="how well questions are answered without a model, beside the best memory as it stands",
        ),
    ]


def _store_dir() -> click.Option:
    folder = click.Path(exists=True, file_okay=False, writable=True)
    return click.Option(
        ["--store-dir"], type=folder, metavar="PATH", help="the folder, on a disk, for the stores it makes"
    )


cli = Commands(
    "recollect",
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
