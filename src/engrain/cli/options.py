"""Parameters of operations as arguments and options of a command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engrain import validation
from engrain.cli.groups import VIEW, plain_help
from engrain.lazy import later
from engrain.operations.schema import Operation, Parameter, Shape

if TYPE_CHECKING:
    from engrain.chat import formats, logs
else:
    formats, logs = later("engrain.chat", "formats", "logs")

FILE = click.Path(exists=True, dir_okay=False)


def duration(text: str) -> timedelta:
    """Read seconds, or a number with one of the units s, m, h, d and w."""
    try:
        return validation.duration(text, "duration")
    except ValueError as error:
        raise click.BadParameter(str(error).removeprefix("duration: ")) from None


def json_value(text: str) -> object:
    """Read a JSON value."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not JSON: {error}") from None


def json_object(text: str) -> dict[str, object]:
    """Read a JSON object."""
    found = json_value(text)
    if not isinstance(found, dict):
        raise click.BadParameter(f"""{text!r} is not a JSON object: write '{{"name": "value"}}'""")
    return found


def text_or_stdin(text: str) -> str:
    """Return the text, or all of standard input for `-`."""
    try:
        return sys.stdin.read().removesuffix("\n") if text == "-" else text
    except UnicodeDecodeError as error:
        raise click.BadParameter(f"standard input is not {error.encoding} text: {error.reason}") from None


def object_or_stdin(text: str) -> dict[str, object]:
    """Read a JSON object, for `-` the one on standard input."""
    return json_object(text_or_stdin(text))


def value_or_stdin(text: str) -> object:
    """Read a JSON value, for `-` the one on standard input."""
    return json_value(text_or_stdin(text))


def path(text: str) -> str:
    """Return the path of a file; a dash is refused."""
    if text == "-":
        raise click.BadParameter("a file is wanted: `remember -` reads standard input, `export -` writes to the output")
    return text


class Row(dict[str, Any]):
    """A JSON object of a file, and the place that errors name."""

    place = ""


def rows(context: click.Context, parameter: click.Parameter, words: Iterable[str]) -> list[object]:
    """Return the JSON objects of words, of the lines of files, and for `-` of those of standard input."""
    skips = context.params.get("on_error") == "skip"
    read = messages_of if parameter.name == "messages" else partial(_rows_of, skips=skips)
    kept: list[object] = []
    for word in words:
        name = Path("standard input" if word == "-" else word)
        if word.lstrip()[:1] in ("{", "["):
            value = json_value(word)
            kept += value if isinstance(value, list) else [value]
        elif word == "-" or name.is_file():
            with nullcontext(sys.stdin.buffer) if word == "-" else logs.open_file(name) as file:
                kept += read(logs.values_of(file, name, skips=skips), name)
        else:
            raise click.BadParameter(f"{word!r} is not a JSON object, and there is no file of that name")
    return kept


def _rows_of(found: Iterable[logs.Value], name: Path, *, skips: bool) -> Iterator[Row | ValueError]:
    """Yield the JSON objects of a file; with `skips` an error for another value."""
    for each in found:
        value, place = each.value, f"{name}, line {each.line}"
        if isinstance(value, dict):
            row = Row(value)
            row.place = place
            yield row
            continue
        error = f"{place}: this is not a JSON object"
        if not skips:
            raise click.BadParameter(error)
        yield value if isinstance(value, ValueError) else ValueError(error)


def messages_of(found: Iterable[logs.Value], name: Path) -> Iterator[object]:
    """Yield the messages of a file; an invalid one is a `ValueError` that names its line."""
    for each in found:
        value = each.value
        if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
            value = value["messages"]
        listed = value if isinstance(value, list) else [value]
        try:
            formats.turns_of(listed)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}, line {each.line}: {error}") from error
        yield from listed


_READ: Mapping[Shape, Callable[[str], object] | type] = {
    Shape.INTEGER: int,
    Shape.NUMBER: float,
    Shape.DURATION: duration,
    Shape.OBJECT: json_object,
    Shape.JSON: value_or_stdin,
    Shape.PATH: path,
}
_METAVARS: Mapping[Shape, str] = {
    Shape.FACT: "SUBJECT PREDICATE OBJECT",
    Shape.ENTITY: "TYPE NAME",
    Shape.OBJECT: "JSON",
}


def operation_options(operation: Operation) -> list[click.Parameter]:
    """Return the arguments and options of an operation's parameters."""
    found: list[click.Parameter] = [_argument(p) if _is_argument(p) else _option(p) for p in _in_order(operation)]
    clearable = click.Choice([p.name for p in operation.parameters if p.takes_null and not p.required])
    if clearable.choices:
        found.append(click.Option(["--clear"], multiple=True, type=clearable, help="Empty this field; may be repeated"))
    return found


def argument_lines(operation: Operation) -> dict[str, str]:
    """Return the help of each argument."""
    return {_metavar(p): _help(p) for p in _in_order(operation) if _is_argument(p)}


def _in_order(operation: Operation) -> list[Parameter]:
    """Return the parameters, those that name the subject of the operation first: a collection, then a key."""
    return sorted(operation.parameters, key=lambda parameter: parameter.name != operation.opens)


def file_option(text: str) -> click.Option:
    """Return the option that names an existing file."""
    return click.Option(["--file"], type=FILE, metavar="PATH", help=text)


def given(operation: Operation, values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of an operation's parameters that the command line has."""
    names = {p.name for p in operation.parameters}
    exact = {p.name for p in operation.parameters if p.required and p.shape is Shape.JSON}
    found = {n: value for n, value in values.items() if n in names and (n in exact or value not in (None, (), []))}
    cleared = values.get("clear")
    if isinstance(cleared, tuple):
        if both := sorted(found.keys() & set(cleared)):
            raise click.UsageError(f"--clear {both[0]} and --{both[0].replace('_', '-')} contradict each other")
        if bad := [p.name for p in operation.parameters if p.takes_null and values.get(p.name) in ("None", ("None",))]:
            raise click.UsageError(f"None is a word like another here: --clear {bad[0]} empties it")
        found.update(dict.fromkeys(cleared))
    return found


def _is_argument(parameter: Parameter) -> bool:
    return parameter.positional and parameter.name not in VIEW


def _metavar(parameter: Parameter) -> str:
    name = parameter.name.upper().removesuffix("S" if parameter.repeated or parameter.shape is Shape.ENTITY else "")
    if parameter.shape is Shape.ENTITY:
        name = f"{name}_TYPE {name}"
    return f"{name}..." if parameter.repeated else name


def _argument(parameter: Parameter) -> click.Argument:
    return click.Argument(
        [parameter.name],
        required=parameter.required,
        nargs=-1 if parameter.repeated else 2 if parameter.shape is Shape.ENTITY else 1,
        callback={Shape.ENTITY: _pairs, Shape.OBJECT: rows}.get(parameter.shape) if parameter.repeated else None,
        type=_type(parameter),
        metavar=_metavar(parameter) if parameter.required else f"[{_metavar(parameter)}]",
    )


def _pairs(context: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> list[tuple[str, str]]:
    if len(words) % 2:
        raise click.BadParameter("give a type and a name for each: person Ana place Rome", context, parameter)
    return list(zip(words[::2], words[1::2], strict=True))


def _option(parameter: Parameter) -> click.Option:
    dashed = parameter.name.replace("_", "-")
    text = _help(parameter) + ("; may be repeated" if parameter.repeated else "") + _default(parameter)
    if parameter.shape is Shape.FLAG:
        flag = f"--{dashed}" if parameter.default is False else f"--{dashed}/--no-{dashed}"
        return click.Option([flag, parameter.name], is_flag=True, default=None, required=parameter.required, help=text)
    names = [f"-{dashed}" if len(dashed) == 1 else f"--{dashed}", parameter.name]
    if parameter.repeated and dashed.endswith("s") and not dashed.endswith("us"):
        names.insert(0, f"--{dashed.removesuffix('es' if dashed.endswith('ses') else 's')}")
    return click.Option(
        names,
        required=parameter.required,
        multiple=parameter.repeated,
        nargs={Shape.FACT: 3, Shape.ENTITY: 2}.get(parameter.shape, 1),
        type=_type(parameter),
        metavar=None if parameter.choices else _METAVARS.get(parameter.shape, parameter.shape.upper()),
        help=text,
    )


def _type(parameter: Parameter) -> Any:
    if parameter.choices:
        return click.Choice(parameter.choices)
    if parameter.shape is Shape.OBJECT and _is_argument(parameter):
        return str if parameter.repeated else object_or_stdin
    return text_or_stdin if parameter.name in ("content", "query", "text") else _READ.get(parameter.shape, str)


def _help(parameter: Parameter) -> str:
    """Return the description of a parameter, with additions for the command line."""
    reads_stdin = _type(parameter) in (text_or_stdin, object_or_stdin, value_or_stdin)
    if parameter.repeated and parameter.shape is Shape.OBJECT and _is_argument(parameter):
        return f"{plain_help(parameter.help)}; here JSON, or a FILE with one object on each line, - for standard input"
    text = plain_help(parameter.help).replace("None clears", f"--clear {parameter.name} empties")
    return text + ("; - reads standard input" if reads_stdin else "")


def _default(parameter: Parameter) -> str:
    """Return the default where it is a plain value with a meaning, and the description does not say it."""
    value = None if "default" in parameter.help.lower() else parameter.default
    if isinstance(value, bool):
        return " [default: yes]" if value else ""
    return f" [default: {value}]" if isinstance(value, str | int | float) and value not in ("", 0.0) else ""
