"""Groups, commands, and the options that select the store and the scope, for the root command."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from engrain.lazy import Later, later, tomllib

if TYPE_CHECKING:
    from engrain import arguments, manager
    from engrain.operations import table
else:
    arguments, manager = later("engrain", "arguments", "manager")
    table = Later("engrain.operations.table")

VIEW = ("store", "org", "user", "agent", "session", "embedder", "reranker", "llm")

Makers = Mapping[str, Callable[[], click.Command]]  # the function that makes each command of a group, by its name
ALIASES = ("recall-cve", "recall-actor", "recall-tool")
"""Aliases of commands, which help and completion leave out: `recall-entity` with a type."""
_SHORT = 64  # characters


class Commands(click.Group):
    """A group that makes each command when it is asked for, those of `apart` without looking at the others."""

    def __init__(
        self, name: str, *, help: str, makers: Callable[[], Makers], apart: Makers | None = None, **rest: Any
    ) -> None:
        super().__init__(name, invoke_without_command=True, help=help, short_help=help, **rest)
        self._makers, self._apart = cache(makers), apart or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names as they were added."""
        return list(self._makers())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, None for an unknown one."""
        if cmd_name not in self.commands:
            make = self._apart.get(cmd_name) or self._makers().get(cmd_name)
            if make is not None:
                self.commands[cmd_name] = make()
                self.commands[cmd_name].hidden = cmd_name in ALIASES  # from the completion of a shell
            else:  # click looks among those that are made for the nearest name
                self.commands.update((name, made()) for name, made in self._makers().items() if name not in ALIASES)
        return self.commands.get(cmd_name)


@cache
def texts(of: str) -> Mapping[str, Any]:
    """Return texts of the help: the commands of its sections, the subjects of groups or commands, or the wording."""
    return cast(Mapping[str, Any], tomllib.loads(Path(__file__).with_name("help.toml").read_text("utf-8"))[of])


class RootCommands(Commands):
    """The commands of the root, in sections."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; the name that another library has for one is answered with it."""
        if self.get_command(ctx, args[0]) is None and (
            ours := arguments.method_named(args[0].replace("-", "_"), also="commands")
        ):
            method, named, argument = ours.partition("=")[0].partition("(")  # scoped(session=...) is --session
            command = next((each.name for each in table.OPERATIONS if each.method == method), "" if named else method)
            ours = f"{command} --{argument}".strip() if named else command
            raise click.UsageError(f"No such command {args[0]!r}. Did you mean {ours!r}?", ctx)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, and the options below them."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section with one line for a command; those of installed packs come last."""
        sections = texts("sections")
        kept = " ".join(sections.values()).split()
        others = [name for name in self.list_commands(ctx) if name not in kept and name not in ALIASES]
        for title, names in {**{title: names.split() for title, names in sections.items()}, "More": others}.items():
            if made := [(name, command) for name in names if (command := self.get_command(ctx, name)) is not None]:
                with formatter.section(title):
                    formatter.write_dl([(name, command.get_short_help_str(_SHORT)) for name, command in made])


class ViewOption(click.Option):
    """An option that selects the store or the scope; its help text is looked up on demand."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the line of the help."""
        self.help: str | None = worded(plain_help(table.describe(self.name or "")))
        return super().get_help_record(ctx)


def view_options(*, omit: frozenset[str] = frozenset()) -> list[click.Parameter]:
    """Return the options that select store and scope, without those that the operation itself takes."""
    return [ViewOption([f"--{name}"], metavar=name.upper()) for name in VIEW if name not in omit]


def json_option() -> click.Option:
    """Return the option that every command has; given before the command, it is its default."""
    text, context = "Print one JSON document and nothing else", click.get_current_context
    return click.Option(["--json", "as_json"], is_flag=True, default=lambda: context().meta.get("as_json"), help=text)


def option(name: str, kind: Any, text: str, default: object = None) -> click.Option:
    """Return an option of a type, whose help shows the default if there is one, and whose errors name a range."""
    metavar = None
    if isinstance(kind, click.IntRange | click.FloatRange):
        what = "whole number" if isinstance(kind, click.IntRange) else "number"
        low, high = "above" if kind.min_open else "from", "" if kind.max is None else f" to {kind.max}"
        kind.name, metavar = f"{what} {low} {kind.min}{high}", "NUMBER"
    shows = default is not None
    return click.Option([name], type=kind, default=default, show_default=shows, help=text, metavar=metavar)


def plain_help(text: str) -> str:
    """Return a description as a terminal shows it, without the marks of Markdown."""
    return text.replace("`", "").removesuffix(".")


def worded(text: str) -> str:
    """Return a text about Python in the terms of the command line."""
    return reduce(lambda line, rule: re.sub(rule[0], rule[1], line), texts("wording").items(), text)


class Command(click.Command):
    """A command with help that describes its arguments, and lists the options of the view apart from its own."""

    def __init__(self, name: str, *, summary: str, arguments: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(name, help=summary, short_help=summary, **more)
        self.arguments: Final = arguments or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write arguments, the command's own options, and those of all commands."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        view = [option for option in options if isinstance(option, ViewOption)]
        sections = (
            ("Arguments", list(self.arguments.items())),
            ("Options", _lines(ctx, [option for option in options if option not in view])),
            ("Store and scope", _lines(ctx, view)),
        )
        for title, lines in sections:
            if lines:
                with formatter.section(title):
                    formatter.write_dl([(names, worded(text)) for names, text in lines])


def command(name: str, callback: Callable[..., Any], *params: click.Parameter) -> Command:
    """Return a command that is no operation; the help describes it by its whole name, and a choice by what it takes."""
    choices = ((str(each.name).upper(), each.type) for each in params if isinstance(each, click.Argument))
    arguments = {each: ", ".join(kind.choices) for each, kind in choices if isinstance(kind, click.Choice)}
    about = {"arguments": arguments, **texts("commands")[name]}
    return Command(name.rpartition(" ")[2], callback=callback, params=list(params), **about)


def _lines(ctx: click.Context, options: Sequence[click.Option]) -> list[tuple[str, str]]:
    return [line for option in options if (line := option.get_help_record(ctx)) is not None]


def view(values: Mapping[str, Any], *, own: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return the options of store and scope: those after the command, else those before it."""
    above = click.get_current_context().obj or {}
    return {**above, **{name: values[name] for name in VIEW if name not in own and values.get(name) is not None}}


def open_view(selected: Mapping[str, Any]) -> manager.MemoryManager:
    """Open a store and a scope."""
    options = dict(selected)
    return manager.MemoryManager(options.pop("store", None), **options)


def open_briefly(selected: Mapping[str, Any]) -> manager.MemoryManager:
    """Open a store and a scope for one command, in a process that soon ends."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # further threads of numpy wait busily for longer than they work
    gc.set_threshold(100_000)  # objects: most of those created at the start stay
    return open_view(selected)
