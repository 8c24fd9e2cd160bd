"""`engrain` on the command line: the root command, and errors as one line with an exit code."""

from __future__ import annotations

import atexit
import codecs
import gc
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import get_completion_class

from engrain import __version__
from engrain.cli.groups import VIEW, RootCommands, json_option, view_options, worded
from engrain.errors import EngrainError
from engrain.lazy import later

if TYPE_CHECKING:
    from engrain import arguments, config, urls
    from engrain.cli import agents, output, services
else:
    arguments, config, urls = later("engrain", "arguments", "config", "urls")
    agents, output, services = later("engrain.cli", "agents", "output", "services")

_ERROR, _INTERRUPTED = 1, 130
_TRACEBACK = "ENGRAIN_TRACEBACK"
_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)")
_HELP: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())  # of a group without a command, since click 8.2
_TEXTS = ("content", "query", "text")
_MARKS = {"✓": "+", "✗": "x", "↺": "-", "·": "-", "…": "..."} | dict.fromkeys("▌▋▊▉█", "#") | dict.fromkeys("▏▎▍", " ")
codecs.register_error(__name__, lambda error: (_MARKS.get(error.object[error.start], "?"), error.start + 1))  # type: ignore[attr-defined]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 an error, 2 a command that cannot be understood."""
    atexit.register(gc.freeze)  # the last collection of a process takes a third of a short command, and frees nothing
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, __name__), (sys.stderr, __name__)):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=errors)
    with warnings.catch_warnings():
        warnings.showwarning = _warn
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=None if argv is None else list(argv), prog_name="engrain", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except SystemExit as error:  # rich and click end so when the reader of the output is closed, as with `head`
        if isinstance(error.__context__, BrokenPipeError):
            return 0
        raise
    except _HELP as error:
        print(error.ctx.get_help())
        return 0
    except click.ClickException as error:
        return _fail(_with_hint(error), error.exit_code)
    except click.Abort:
        return _fail("interrupted", _INTERRUPTED)
    except Exception as error:  # the edge: an unforeseen error is one line too
        if os.environ.get(_TRACEBACK):
            raise
        if isinstance(error, EngrainError | ValueError | TypeError | OSError):
            return _fail(_message(error))
        return _fail(f"this is a bug: {type(error).__name__}: {error} ({_TRACEBACK}=1 shows where)")


def _message(error: Exception) -> str:
    """Return an error's message and notes; of a system error the file and the reason, without its number."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    message, notes = str(error) or type(error).__name__, "; ".join(getattr(error, "__notes__", ()))
    message = re.sub(rf"(?<![\w(])({'|'.join(VIEW)}|key)=(\.\.\.)?(?=[\s,;]|$)", r"--\1", worded(message))
    return f"{message} ({notes})" if notes else message


def _with_hint(error: click.ClickException) -> str:
    """Return an error message, of a usage error with a pointer to help, of an unknown name with the closest one."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        named = ((name, each) for each in error.ctx.command.params for name in (str(each.name), *each.opts))
        takes = {name.strip("-").replace("-", "_"): each for name, each in named}
        near = takes.get(arguments.intended(error.option_name.strip("-").replace("-", "_"), takes) or "")
        hint = "" if near is None else f". Did you mean {near.opts[0]!r}?"
        if isinstance(near, click.Argument):
            hint = f". Did you mean {near.make_metavar(error.ctx)}, without an option?"
        error = click.UsageError(f"No such option {error.option_name!r}{hint}", error.ctx)
    elif isinstance(error, click.UsageError) and error.ctx and (extra := _EXTRA.match(error.message)):
        error = click.UsageError(f"{error.message}. {_place_of(extra[1], error.ctx)}", error.ctx)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{error.format_message().rstrip('.')} (see {error.ctx.command_path} --help)"
    return error.format_message()


def _place_of(words: str, ctx: click.Context) -> str:
    """Return where surplus words of a command belong: to the text in quotes, or to an option that takes them."""
    params = [each for each in ctx.command.params if each.name not in (*VIEW, "key")]
    is_text = any(isinstance(each, click.Argument) and each.name in _TEXTS for each in params)
    for each in params:
        takes_text = each.type is click.STRING or isinstance(each.type, click.types.FuncParamType)
        if isinstance(each, click.Option) and not each.is_flag and each.nargs == 1 and not (is_text and takes_text):
            try:
                each.type.convert(words, each, ctx)
            except click.UsageError:
                continue
            return f"Did you mean {each.opts[0]} {words!r}?"
    return "A text of several words stands in quotes" if is_text else "It takes no more"


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    _fail(str(message))


def _fail(message: str, code: int = _ERROR) -> int:
    click.echo(f"engrain: {output.one_line(message, 2000)}", err=True)
    return code


def _keep_view(**values: Any) -> None:
    """Pass the options before the command on to it; without a command, show the store and suggestions."""
    context = click.get_current_context()
    context.meta["as_json"] = values.get("as_json") or context.meta.get("as_json")
    context.obj = {**(context.obj or {}), **{name: values[name] for name in VIEW if values[name] is not None}}
    if context.invoked_subcommand is None:
        click.echo(_welcome(context.obj) if context.parent is None else context.get_help())


def _welcome(given: Mapping[str, Any]) -> str:
    """Return the location of the store, whether it exists, and suggestions of first commands."""
    store = given.get("store") or config.default_store()
    made = "" if urls.is_database(store) or Path(store).exists() else "  (made by the first command that opens it)"
    place = "a database on a server" if urls.is_database(store) else f"{store}{made}"
    return Path(__file__).with_name("welcome.txt").read_text("utf-8").format(version=__version__, store=place).rstrip()


def _show_completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell and (complete := get_completion_class(shell)):
        click.echo(complete(ctx.command, {}, "engrain", "_ENGRAIN_COMPLETE").source())
        ctx.exit()


cli: Final = RootCommands(
    "engrain",
    callback=_keep_view,
    help="Memory for AI agents: store texts, and find them again by words and meaning, with their sources.",
    epilog="These options can be given before or after the command.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    makers=lambda: services.commands(_keep_view),
    apart={"hooks": lambda: agents.HOOKS_COMMAND},  # an agent waits for them
    params=[
        json_option(),
        *view_options(),
        click.Option(
            ["--show-completion"],
            type=click.Choice(("bash", "zsh", "fish")),
            is_eager=True,
            expose_value=False,
            callback=_show_completion,
            help="Print the completion script of a shell",
        ),
    ],
)
click.version_option(__version__, message="engrain %(version)s", help="Print the version")(cli)
