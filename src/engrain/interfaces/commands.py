"""A command for each operation: open the view, make the call, show the result."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from engrain.config import default_store
from engrain.documents.writing import document
from engrain.errors import NotFound
from engrain.interfaces import answers, erasure, queue, tables, trees, turns
from engrain.interfaces.operations import Operation
from engrain.interfaces.options import (
    VIEW,
    Command,
    argument_lines,
    given,
    json_option,
    operation_options,
    view_options,
)
from engrain.interfaces.progress import progress, waiting
from engrain.lazy import library
from engrain.llm.client import name_of
from engrain.manager import MemoryManager
from engrain.model.memory import JSON
from engrain.model.results import Imported, Ingested, Remembered, StixImported
from engrain.text import visible
from engrain.urls import is_database

Show = Callable[[Console, Any], None]

_SHOW: Mapping[str, Show] = {
    "remember": tables.show_remembered,
    "remember-many": tables.show_outcomes,
    "remember-messages": tables.show_outcomes,
    "why-not": tables.show_why_not,
    "ask": answers.show_answer,
    "validate-synthesis": answers.show_checked,
    "get": tables.show_memory,
    "list": tables.show_page,
    "remember-with-extraction": tables.show_outcomes,
    "remember-report": tables.show_outcomes,
    "facts": tables.show_facts,
    "neighbors": tables.show_hits,
    "update": tables.show_memory,
    "supersede": tables.show_remembered,
    "review": tables.show_review,
    "validate": tables.show_settled,
    "reject": tables.show_settled,
    "reinstate": tables.show_memory,
    "promote": tables.show_memory,
    "pin": tables.show_memory,
    "unpin": tables.show_memory,
    "sweep": queue.show_sweep,
    "reflect": tables.show_reflection,
    "jobs": queue.show_jobs,
    "retry": queue.show_job,
    "forget": erasure.show_forgotten,
    "forget-all": erasure.show_forgotten,
    "receipt": erasure.show_receipt,
    "receipts": erasure.show_receipts,
    "history": tables.show_history,
    "stats": tables.show_stats,
    "ingest": tables.show_ingested,
    "import": tables.show_imported,
    "import-stix": tables.show_stix,
    "migrate": tables.show_migrated,
    "reindex": tables.show_reindexed,
    "consolidate": tables.show_consolidation,
    "recall-entity": tables.show_memories,
    "recall-cve": tables.show_memories,
    "recall-actor": tables.show_memories,
    "recall-tool": tables.show_memories,
    "pending": tables.show_review,
    "chat-log window": turns.show_turns,
    "chat-log history": turns.show_turn_page,
    "chat-log end": turns.show_session_end,
    "chat-log summary": turns.show_summary,
    "chat-log clear": turns.show_cleared,
    "procedures get": tables.show_memory,
    "procedures find": tables.show_hits,
    "procedures mine": tables.show_memories,
    "procedures confirm": tables.show_memory,
    "procedures reject": tables.show_memory,
    "graph path": trees.show_way,
    "graph related": trees.show_named,
    "graph memories": trees.show_ids,
    "graph relationships": trees.show_relationships,
    "graph add": trees.show_entity,
    "graph entity": trees.show_entity,
    "graph relate": trees.show_relationship,
    "graph merge": trees.show_merge,
    "graph merges": trees.show_merges,
    "graph resolve": trees.show_resolved,
    "graph traverse": trees.show_reached,
    "graph pagerank": trees.show_ranked,
    "chat-log items": turns.show_items,
}
_NAMED = (
    "get",
    "forget",
    "history",
    "graph entity",
    "procedures get",
    "procedures outcome",
    "procedures delete",
    "receipt",
)
"""What is about one memory, which may not be there."""
_OF_ITEMS = ("remember-many", "remember-messages")
_EXPLAINED = ("recall", "recall-deep")
_THINKING = ("ask", "chat-log assemble", "chat-log end", "recall-deep", "reflect", "remember-with-extraction")
_THOUGHT_OF = ("evolve", "hyde", "multi_query", "sync")
"""What may ask a language model: commands, and options of others."""
_WATCHED = ("consolidate", "ingest", "migrate", "remember-report", "reindex", "import-stix")


def operation_command(
    operation: Operation, *, run: Callable[..., None] | None = None, more: Sequence[click.Parameter] = ()
) -> click.Command:
    """Return the command of an operation, its options made from the operation's parameters.

    `run` is called with the operation and the values instead of making the call and showing its result. An option of
    `more` stands for the parameter of its name, if there is one.
    """
    own = frozenset(p.name for p in operation.parameters)
    instead = {parameter.name for parameter in more}
    params = [*(each for each in operation_options(operation) if each.name not in instead), *more]
    if operation.name in _EXPLAINED:
        params.append(click.Option(["--explain"], is_flag=True, help="show how each hit was found, step by step"))
    if operation.effect == "destroy":
        params.append(click.Option(["--yes"], is_flag=True, help="do not ask"))
    return Command(
        operation.name.rpartition(" ")[2],
        summary=operation.summary,
        arguments=argument_lines(operation),
        params=[*params, json_option(), *view_options(omit=own)],
        callback=partial(run or _run, operation),
    )


def view(values: Mapping[str, Any], *, own: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return which store and whose memory was asked for: after the command, else before it."""
    above = click.get_current_context().obj or {}
    after = {name: values[name] for name in VIEW if name not in own and values.get(name) is not None}
    return {**above, **after}


def open_view(asked: Mapping[str, Any]) -> MemoryManager:
    """Open the store and the scope that was asked for."""
    chosen = dict(asked)
    return MemoryManager(chosen.pop("store", None), **chosen)


def store_of(asked: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the store that is asked for by its name, and whether opening it makes a new one."""
    named = asked.get("store")
    if named == ":memory:":
        return named, True
    path = default_store() if named is None else named
    if is_database(path):
        return shown_address(str(path)), False
    path = Path(path)
    return str(path.absolute()), not path.exists()


def shown_address(url: str) -> str:
    """Return the address of a database as it may be shown: of one that is not PostgreSQL, what kind it is."""
    other = re.match(r"(?!postgres(ql)?\W)\s*([a-z][\w+.-]+):/", url, re.IGNORECASE)
    if other is not None:
        return f"{other[2]}://..."
    return str(library("engrain.storage.postgres.schema", extra="postgres").shown(url))


def stdout() -> Console:
    """Return the console that results go to."""
    return Console(highlight=False)


def stderr() -> Console:
    """Return the console that progress and questions go to."""
    return Console(stderr=True, highlight=False)


def write_json(found: JSON) -> None:
    """Print one JSON document; where standard output cannot write every character, the others are escaped."""
    narrow = sys.stdout.encoding.lower().replace("-", "") != "utf8"
    click.echo(json.dumps(found, ensure_ascii=narrow, indent=2))


def _run(operation: Operation, **values: Any) -> None:
    asked = given(operation, values)
    own = frozenset(p.name for p in operation.parameters)
    with ExitStack() as stack:
        target: object = MemoryManager
        if operation.scope != "none":
            memory = target = stack.enter_context(open_view(view(values, own=own - {"org"})))
            if operation.effect == "destroy" and not values["yes"]:
                _confirm(operation, memory, asked)
        result = _call(operation, target, asked)
    _found(operation, asked, result)
    if values["as_json"]:
        write_json(document(result, operation.answer))
    elif operation.name in _EXPLAINED:
        tables.show_recall(stdout(), result, explain=values["explain"])
    else:
        _SHOW.get(operation.name, partial(_show_bare, operation))(stdout(), result)
    _whole(operation, result)
    if operation.name == "validate-synthesis" and not result[0]:
        raise click.ClickException("the answer does not hold")


def _call(operation: Operation, target: object, asked: Mapping[str, object]) -> Any:
    if operation.name not in _WATCHED:
        llm = target.llm if isinstance(target, MemoryManager) else None
        if llm is None or not (operation.name in _THINKING or any(asked.get(name) for name in _THOUGHT_OF)):
            return operation.call(target, asked)
        with waiting(stderr(), f"{visible(name_of(llm))} may be asked"):
            return operation.call(target, asked)
    with progress(stderr()) as report:
        return operation.call(target, asked, progress=report)


def _confirm(operation: Operation, memory: MemoryManager, asked: Mapping[str, Any]) -> None:
    if quoted := _at_stake(operation, memory, asked):
        confirm(operation, quoted)


def confirm(operation: Operation, quoted: str) -> None:
    """Ask before destroying, on a terminal; elsewhere nobody can answer, so refuse."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{operation.name} asks first, and nobody is there to answer: add --yes")
    if not click.confirm(f'{operation.name} "{quoted}"?', err=True):
        raise click.ClickException("nothing was changed")


def _at_stake(operation: Operation, memory: MemoryManager, asked: Mapping[str, Any]) -> str:
    """Return what is about to be destroyed, nothing when it is not there."""
    if "value" in asked:
        entity = memory.graph.entity(asked["type"], asked["value"])
        return "" if entity is None else tables.one_line(f"{entity.type} {entity.name}", 200)
    if operation.name == "forget-all":
        return erasure.at_stake(memory, asked, everything=True)
    found = memory.get(asked.get("memory_id"), key=asked.get("key"))
    return erasure.at_stake(memory, asked, everything=False) if found is None else tables.one_line(found.content, 200)


def _found(operation: Operation, asked: Mapping[str, object], result: object) -> None:
    """Raise `NotFound` for the one memory that was asked for and is not there."""
    nothing = result in (None, [], False) or getattr(result, "count", None) == 0
    if operation.name in _NAMED and nothing:
        what = "receipt" if "receipt_id" in asked else "entity" if "value" in asked else "memory"
        names = ("memory_id", "key", "receipt_id", "value")
        raise NotFound(str(next(filter(None, map(asked.get, names)), "")), what=what)


def _whole(operation: Operation, result: object) -> None:
    """End in an error when some of the files, rows or items were refused, after saying what became of the others."""
    if operation.name in _OF_ITEMS and isinstance(result, list):
        refused = [each for each in result if isinstance(each, Remembered) and each.status == "rejected"]
        if refused:
            raise click.ClickException(f"{len(refused):,} of {len(result):,} items refused")
    if isinstance(result, Ingested) and result.failed:
        raise click.ClickException(
            f"{len(result.failed):,} of {result.files + len(result.failed):,} files could not be read"
        )
    if isinstance(result, Imported | StixImported) and result.rejected:
        what = "row" if isinstance(result, Imported) else "object"
        raise click.ClickException(f"{len(result.rejected):,} {what}{'' if len(result.rejected) == 1 else 's'} refused")


def _show_bare(operation: Operation, console: Console, result: object) -> None:
    """Print a result that has no table of its own; a context goes into a file or a pipe exactly as it is."""
    if operation.name in ("context", "chat-log assemble", "procedures render") and isinstance(result, str):
        click.echo(visible(str(result)) if console.is_terminal else str(result))
    elif operation.name == "chat-log assemble":  # messages are for programs
        write_json(document(result, operation.answer))
    else:
        tables.show_fields(console, ((n, str(v)) for n, v in document(result, operation.answer).items()))
