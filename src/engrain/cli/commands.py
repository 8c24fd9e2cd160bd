"""A command for each operation: open the view, make the call, print the result."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

import click
from rich.console import Console
from rich.text import Text

from engrain.cli import output, reports
from engrain.cli.groups import Command, json_option, open_briefly, view, view_options
from engrain.cli.options import argument_lines, file_option, given, messages_of, operation_options, path
from engrain.cli.output import Show, progress, stderr, stdout, waiting, write_json
from engrain.config import SCRATCH, default_store
from engrain.documents import document, plain
from engrain.errors import NotFound
from engrain.lazy import later, library
from engrain.llm.client import name_of
from engrain.manager import MemoryManager
from engrain.model.audit import AuditReport
from engrain.model.results import Imported, Ingested, Page, Recall, Remembered, StixImported, Synced
from engrain.operations.schema import Operation
from engrain.text import number_of, visible
from engrain.urls import is_database

if TYPE_CHECKING:
    from engrain.chat import logs
else:
    (logs,) = later("engrain.chat", "logs")

_SHOW = {**output.SHOW, **reports.SHOW}

_OF_ONE = "get,forget,history,receipt,graph entity,procedures get,procedures outcome,procedures delete".split(",")
"""Operations on one thing, for which a missing one is an error."""
_ASKS_LLM = ("ask", "chat-log assemble", "chat-log end", "recall-deep", "reflect", "remember-with-extraction")
_OPTION_ASKS_LLM = ("evolve", "hyde", "multi_query", "sync")
_NO_CHANGE = {"memory_id", "source_type", "reason", "expected_version"}  # arguments of an update
_SKIPS = (Imported, Ingested, StixImported, Synced)


@dataclass(frozen=True, slots=True)
class Call:
    """One use of an operation's command: the arguments, the options of the view, and all values as click has them."""

    operation: Operation
    arguments: Mapping[str, Any]
    view: Mapping[str, Any]
    values: Mapping[str, Any]

    def open(self) -> MemoryManager:
        """Open the store and the scope."""
        return open_briefly(self.view)

    def result(self, target: object) -> Any:
        """Make the call, with a progress bar, the name of the model that may be asked, or the time it takes."""
        operation, found = self.operation, self.operation.bind(target)
        if callable(found) and "progress" in inspect.signature(found).parameters:
            with progress(stderr()) as report:
                return operation.call(target, self.arguments, progress=report)
        llm = target.llm if isinstance(target, MemoryManager) else None
        asks = llm is not None and (operation.name in _ASKS_LLM or any(map(self.arguments.get, _OPTION_ASKS_LLM)))
        with waiting(stderr(), f"{visible(name_of(llm))} may be asked" if asks else operation.name, spins=asks):
            return operation.call(target, self.arguments)

    def write(self, result: object, show: Show, answer: str = "") -> None:
        """Print a result as a JSON document, `answer` being the key of a non-object, or for people."""
        if self.values["as_json"]:
            write_json(document(result, answer or self.operation.answer))
        else:
            show(stdout(), result)


Run = Callable[[Call], int | None]


def operation_command(operation: Operation) -> click.Command:
    """Return the command of an operation; an option of `_MORE` replaces a parameter, `file` replaces arguments."""
    more = _MORE.get(operation.name, ())
    replaced = {parameter.name for parameter in more}
    params = [*(each for each in operation_options(operation) if each.name not in replaced), *more]
    for parameter in params:
        if "file" in replaced and isinstance(parameter, click.Argument):
            parameter.required = False
    if operation.returns is Recall:
        params.append(click.Option(["--explain"], is_flag=True, help="Show how each hit was found, step by step"))
    if operation.returns in _SKIPS:
        params.append(click.Option(["-v", "--verbose"], is_flag=True, help="List what was skipped"))
    if operation.effect == "destroy":
        params.append(click.Option(["--yes"], is_flag=True, help="Do not ask"))
    return Command(
        operation.name.rpartition(" ")[2],
        summary=operation.summary,
        arguments=argument_lines(operation),
        params=[*params, json_option(), *view_options(omit=frozenset(p.name for p in operation.parameters))],
        callback=partial(_start, operation, _RUN.get(operation.name, _run)),
    )


def _start(operation: Operation, run: Run, /, **values: Any) -> int | None:
    own = frozenset(p.name for p in operation.parameters)
    return run(Call(operation, given(operation, values), view(values, own=own - {"org"}), values))


def _run(call: Call) -> int:
    """Call the operation and print its result; a missing or partly refused result is an error."""
    operation = call.operation
    if operation.name == "update" and not call.arguments.keys() - _NO_CHANGE:
        raise click.UsageError("name what to change, such as --content", click.get_current_context())
    with ExitStack() as stack:
        target: object = MemoryManager
        if not operation.makes_store:
            memory = target = stack.enter_context(call.open())
            if operation.effect == "destroy" and not call.values["yes"] and (quoted := _at_stake(call, memory)):
                confirm(operation, quoted)
        result = call.result(target)
    if operation.name in _OF_ONE and (result in (None, [], False) or getattr(result, "count", None) == 0):
        raise operation.missing(call.arguments)
    call.write(result, _show_of(call))
    return _check(operation, result)


def _show_of(call: Call) -> Show:
    """Return the function that prints a result for people, and the way to the next page."""
    operation = call.operation
    if operation.returns is Recall:
        return partial(output.show_recall, explain=call.values["explain"])
    if operation.returns in _SKIPS:
        return partial(reports.show_transfer, verbose=call.values["verbose"])
    bare = [each for each in get_args(operation.returns) if each is not NoneType]
    kind = bare[0] if len(bare) == 1 and NoneType in get_args(operation.returns) else operation.returns
    show = _SHOW.get(operation.name) or _SHOW.get(kind) or partial(_show_plain, operation)

    def with_next_page(console: Console, result: Any) -> None:
        show(console, result)
        if isinstance(result, Page):
            output.show_more(console, result)

    return with_next_page


def _show_plain(operation: Operation, console: Console, result: object) -> None:
    """Print a result without a table of its own; a context keeps its lines."""
    if operation.name in ("context", "chat-log assemble", "procedures render") and isinstance(result, str):
        click.echo(visible(str(result)))
    elif operation.name == "chat-log assemble":  # messages are for programs
        write_json(document(result, operation.answer))
    else:
        output.show_fields(console, ((n, str(v)) for n, v in document(result, operation.answer).items()))


def _check(operation: Operation, result: object) -> int:
    """Return the exit code; raise when some files, rows or items were refused, after the others are reported."""
    if operation.name in ("remember-many", "remember-messages") and isinstance(result, list):
        if refused := sum(isinstance(each, Remembered) and each.status == "rejected" for each in result):
            raise click.ClickException(f"{refused:,} of {len(result):,} items refused")
    elif isinstance(result, Ingested) and result.failed:
        failed = len(result.failed)
        raise click.ClickException(f"{failed:,} of {result.files + failed:,} files could not be read")
    elif isinstance(result, Imported | StixImported) and result.rejected:
        what = "row" if isinstance(result, Imported) else "object"
        raise click.ClickException(f"{number_of(len(result.rejected), what)} refused")
    elif isinstance(result, Imported) and result.skipped and not (result.created or result.known):
        raise click.ClickException("nothing was imported: name another store, --store FILE")
    elif operation.name == "validate-synthesis" and isinstance(result, tuple) and not result[0]:
        raise click.ClickException("the answer does not hold")
    return int(isinstance(result, AuditReport) and bool(result.tampered_ids or result.missing_provenance_ids))


def confirm(operation: Operation, quoted: str) -> None:
    """Ask before destroying on a terminal; elsewhere refuse."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{operation.name} asks first, and there is no terminal to answer on: add --yes")
    if not click.confirm(f'{operation.name} "{quoted}"?', err=True):
        raise click.ClickException("nothing was changed")


def _at_stake(call: Call, memory: MemoryManager) -> str:
    """Return in words what is about to be destroyed; nothing if it is missing or only counted."""
    given, hard = call.arguments, call.arguments.get("hard")
    if "value" in given:
        entity = memory.graph.entity(given["type"], given["value"])
        return "" if entity is None else output.one_line(f"{entity.type} {entity.name}", 200)
    if call.operation.name == "forget-all":
        if given.get("dry_run"):
            return ""
        would = memory.forget_all(**{**given, "dry_run": True})
        return f"{reports.affected(would)}, for good" if hard else reports.affected(would) if would.count else ""
    found = memory.get(given.get("memory_id"), key=given.get("key"))
    if found is not None:
        return output.one_line(found.content, 200)
    return "what is forgotten already" if hard else ""


def store_of(selected: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the name of the selected store, and whether opening it makes a new one."""
    named = selected.get("store")
    if named == ":memory:":
        return named, True
    path = default_store() if named is None else named
    if is_database(path):
        return shown_address(str(path)), False
    path = Path(path)
    return str(path.absolute()), not path.exists()


def shown_address(url: str) -> str:
    """Return the address of a database without its secrets; of one that is not PostgreSQL, only its scheme."""
    other = re.match(r"(?!postgres(ql)?\W)\s*([a-z][\w+.-]+):/", url, re.IGNORECASE)
    if other is not None:
        return f"{other[2]}://..."
    return str(library("engrain.storage.postgres.schema", extra="postgres").shown(url))


def _append(call: Call) -> None:
    file, session = call.values["file"], call.arguments.get("session")
    own = call.arguments.keys() - {"session"}
    if own if file is not None else not own >= {"role", "content"}:
        raise click.UsageError("give ROLE and CONTENT with their options, or a --file of messages, and not both")
    with call.open() as memory:
        if file is None:
            call.write(call.result(memory), lambda console, turn: reports.show_turns(console, [turn]))
            return
        turns = (memory.working if session is None else memory.working(session)).extend(
            list(messages_of(logs.read_json(Path(file)), Path(file)))
        )
    call.write(turns, reports.show_turns, "messages")


def _store_procedure(call: Call) -> None:
    file = call.values["file"]
    if (file is None) == (not call.arguments):
        raise click.UsageError("give a PROCEDURE as a JSON object, or a --file of them, and not both")
    with call.open() as memory:
        if file is None:
            call.write(call.result(memory), output.show_memory)
            return
        rows: list[Any] = [found.value for found in logs.read_json(Path(file))]
        stored = [memory.procedures.store(row) for row in rows]
    call.write(stored, output.show_procedures, "procedures")


def _alias(call: Call) -> None:
    """Give one entity an alias, or many from a file."""
    file = call.values["file"]
    if file and call.arguments:
        raise click.UsageError("name an entity and its alias, or a --file of many, not both")
    if not file and len(call.arguments) < len(call.operation.parameters):
        raise click.UsageError("name TYPE VALUE ALIAS, or a --file of many")
    with call.open() as memory:
        if not file:
            call.write(call.result(memory), reports.show_entity)
            return
        count = memory.graph.load_aliases(file)
    call.write(count, lambda console, count: console.print(f"aliases  {count:,}"), "aliases")


def _entities(call: Call) -> None:
    """List entities with the number of memories about each."""
    with call.open() as memory:
        page = call.result(memory)
        shared = bool(call.arguments.get("shared"))
        counts = [len(memory.graph.memory_ids(each.type, each.name, shared=shared)) for each in page]
    if call.values["as_json"]:
        rows = [{**document(each), "memories": count} for each, count in zip(page, counts, strict=True)]
        write_json({"entities": rows, "next": page.next})
    else:
        reports.show_entity_table(stdout(), page, counts)


def _first_entity(call: Call, memory: MemoryManager) -> Any:
    """Return the entity that a call starts from; an unknown one is an error, and not one without relations."""
    named = call.arguments["entity_type"], call.arguments["value"]
    entity = memory.graph.entity(*named, shared=bool(call.arguments.get("shared")))
    if entity is None:
        raise NotFound(" ".join(map(str, named)), what="entity")
    return entity


def _traverse(call: Call) -> None:
    with call.open() as memory:
        _first_entity(call, memory)
        reached = call.result(memory)
    call.write(reached, reports.show_reached)


def _show(call: Call) -> None:
    """Show the neighbourhood of an entity, and export it where that is asked for."""
    named = call.arguments["entity_type"], call.arguments["value"]
    with call.open() as memory:
        entity = _first_entity(call, memory)
        relationships = call.result(memory)
        reached = memory.traverse_graph(**call.arguments, max_depth=call.values["depth"])
        memories = memory.graph.memory_ids(*named, shared=bool(call.arguments.get("shared")))
        path = call.values["export"]
        path = path and memory.graph.export(path, centre=named, max_depth=call.values["depth"])
    if call.values["as_json"]:
        found = {"entity": entity, "relationships": relationships, "reached": reached, "memories": memories}
        write_json({**{name: plain(value) for name, value in found.items()}, "exported": path})
        return
    console = stdout()
    reports.show_neighbourhood(console, reports.neighbourhood(entity, relationships, reached, memories=len(memories)))
    if path:
        console.print(f"exported  {path}", soft_wrap=True, markup=False)


def _verify(call: Call) -> int:
    """Verify the audit trail, against a head in a file where one is named; a broken or unsigned one is an error."""
    with call.open() as memory:
        report, has_key = call.result(memory), memory.public_key is not None
    call.write(report, reports.show_chain)
    must_be_anchored = has_key or not call.arguments.keys().isdisjoint(("head", "public_key"))
    return 0 if report.ok and (report.anchored or not must_be_anchored) else 1


def _object_of(file: str) -> dict[str, Any]:
    try:
        return dict(json.loads(Path(file).read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:
        raise click.BadParameter(f"{file} is not a JSON object: {error}") from None


def _create_key(call: Call) -> None:
    """Make a key, and name the store: a mistyped name makes a new one."""
    store, new = store_of(call.view)
    _write_keys(call, f"{store}, which is new" if new else store, reports.show_new_key)


def _write_keys(call: Call, store: str, show: Show) -> None:
    with call.open() as memory:
        keys = call.result(memory)
    if not call.values["as_json"]:
        output.show_fields(stdout(), [("store", store)])
    call.write(keys, show)


def _revoke_key(call: Call) -> None:
    """Revoke a live key of the scope, after a question."""
    _existing_store(call)
    key_id = call.arguments["key_id"]
    with call.open() as memory:
        found = next((key for key in memory.keys.list() if key.id == key_id and key.live), None)
        if found is None:
            raise click.ClickException(
                f"no live key {key_id!r} in this scope: check the id, and the org, user and agent of the view"
            )
        if not call.values["yes"]:
            confirm(call.operation, reports.key_label(found))
        revoked = call.result(memory)
    line = Text("revoked  ", style="bold yellow").append(found.id, style="not bold cyan")
    call.write(revoked, lambda console, _: console.print(line, soft_wrap=True))


def _existing_store(call: Call) -> str:
    """Return the name of the store; one that does not exist has no keys, and is not made by a mistyped name."""
    store, new = store_of(call.view)
    if new:
        raise click.ClickException(f"there is no store at {store}: name the one that is served by --store")
    return store


def _export(call: Call) -> int:
    """Export to a file, or for `-` to standard output; then the number of rows is on standard error."""
    if call.arguments["path"] != "-":
        return _run(call)
    if call.values["as_json"]:
        raise click.UsageError(
            "export - writes rows to standard output, where --json would be", click.get_current_context()
        )
    with call.open() as memory, TemporaryDirectory(prefix=SCRATCH) as folder:
        file = Path(folder) / "rows.jsonl"
        count = replace(call, arguments={**call.arguments, "path": str(file)}).result(memory)
        with file.open("rb") as rows, click.open_file("-", "wb") as out:
            shutil.copyfileobj(rows, out)
    _show_of(call)(stderr(), count)
    return 0


_RUN: Mapping[str, Run] = {
    "export": _export,
    "chat-log append": _append,
    "procedures store": _store_procedure,
    "graph alias": _alias,
    "graph entities": _entities,
    "graph show": _show,
    "graph traverse": _traverse,
    "audit verify": _verify,
    "keys create": _create_key,
    "keys list": lambda call: _write_keys(call, _existing_store(call), reports.show_keys),
    "keys revoke": _revoke_key,
}
_MORE: Mapping[str, Sequence[click.Parameter]] = {
    "export": (click.Argument(["path"], metavar="PATH"),),
    "chat-log append": (file_option("Messages instead, as JSON or JSON lines"),),
    "procedures store": (file_option("Procedures instead, as JSON or JSON lines"),),
    "graph alias": (
        file_option("Many of them instead: a TOML or JSON file of types, each with names and lists of their aliases"),
    ),
    "graph show": (
        click.Option(["--depth"], type=click.INT, default=1, metavar="INTEGER", help="How many steps [default: 1]"),
        click.Option(
            ["--export"],
            type=path,
            metavar="PATH",
            help="Also write it to a new file, in the format of its suffix: .mmd (Mermaid), .dot, .json or .graphml",
        ),
    ),
    "audit verify": (
        click.Option(["--head"], type=_object_of, metavar="FILE", help="A head that was kept elsewhere, as JSON"),
    ),
}
