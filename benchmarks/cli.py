"""The command line: `eval` measures quality, `bench` speed, `peers` other systems on the same work."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from benchmarks import (
    ablation,
    answers,
    conversations,
    cross_language,
    injection,
    names,
    peers,
    procedures,
    retrieval,
    summaries,
    writes,
    writing,
)
from benchmarks.adapters import SYSTEMS
from benchmarks.graph import GRAPH
from benchmarks.handwritten import BESIDE_SQL
from benchmarks.report import Progress, Report
from benchmarks.server import WORK, measure_server
from benchmarks.serving import SERVING
from benchmarks.speed import CONVERSATION, ERASURE, MEMORIES, SWEEPS, Suite
from benchmarks.tokens import count_tokens
from engrain import EngrainError

_EXISTING = click.Path(exists=True, dir_okay=False)
_FOLDER = click.Path(exists=True, file_okay=False, writable=True)

FILE = click.Argument(["path"], type=_EXISTING, metavar="FILE")
EMBEDDER = click.Option(["--embedder"], metavar="NAME", help="auto, none (words only) or provider:model")
HITS = click.Option(["-k"], type=int, help="how many hits to ask for")
HANDLES = click.Option(
    ["--handles"], is_flag=True, help="handles, which no question knows, instead of the speakers' names"
)
QUESTIONS = click.Option(["--limit"], type=int, help="the most questions")
CONVERSATIONS = click.Option(["--limit"], type=int, help="the most conversations")
SEED = click.Option(["--seed"], type=int, help="the seed of what is made up or drawn")
SIZES = click.Option(["--size", "sizes"], type=int, multiple=True, help="how much a store holds; may be repeated")
FOLDER = click.Option(["--store-dir"], type=_FOLDER, metavar="PATH", help="the folder, on a disk, for temporary stores")
STORES = [
    click.Option(
        ["--store"],
        metavar="URL",
        help="a server, postgresql://..., on which databases are made for the stores, and dropped at the end",
    ),
    FOLDER,
]
JSON = click.Option(["--json", "as_json"], is_flag=True, help="print one JSON document and nothing else")


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """Yield a callable that moves a bar on standard error, or None where that is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (BarColumn(bar_width=32), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Bars(*columns, console=console, transient=True) as bars:
        task = bars.add_task("", total=None)

        def report(done: int, total: int, label: str) -> None:
            bars.update(task, completed=done, total=total, description=label.replace("[", "\\["))

        yield report


def _run(measure: Callable[..., Report], *, as_json: bool, **options: object) -> None:
    """Measure with the options that were given and print the report; exit with 1 where a bar is missed."""
    given = {name: value for name, value in options.items() if value not in (None, ())}
    try:
        with _progress() as progress:
            report = measure(progress=progress, **given)
    except (EngrainError, ValueError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps(report.to_dict(), ensure_ascii=False) if as_json else report.table())
    if not report.passed:
        sys.exit(1)


def _command(
    name: str, measure: Callable[..., Report], params: Sequence[click.Parameter], summary: str = ""
) -> click.Command:
    """Return the command that measures; its help is the first line of the function's docstring."""
    about = summary or (measure.__doc__ or "").partition("\n")[0]
    return click.Command(name, callback=partial(_run, measure), params=[*params, JSON], help=about, short_help=about)


def _suite(name: str, suite: Suite, summary: str, *more: click.Parameter) -> click.Command:
    return _command(name, suite.run, [SIZES, SEED, *more, *STORES], summary)


def _measure_speed(*, beside_sql: bool = False, **options: Any) -> Report:
    return (BESIDE_SQL if beside_sql else MEMORIES).run(**options)


SPEED = _command(
    "speed",
    _measure_speed,
    [
        SIZES,
        SEED,
        click.Option(["--seconds"], type=float, help="how long several processes use one store"),
        click.Option(
            ["--texts"], type=_EXISTING, metavar="FILE", help="conversations whose turns and questions are taken"
        ),
        click.Option(
            ["--beside-sql"], is_flag=True, help="recall and remember beside hand-written SQL on --store, only"
        ),
        *STORES,
    ],
    "Write, ingest, recall and open at several sizes, and let several processes use one store.",
)
SERVED = _suite(
    "serving",
    SERVING,
    "Let processes write and recall at once on --store, over 1, 2, ... nodes where it is a Citus cluster.",
    click.Option(["--seconds"], type=float, help="how long each row takes"),
)
EVALUATIONS = [
    _command("retrieval", retrieval.evaluate, [FILE, EMBEDDER, HITS, QUESTIONS, HANDLES, *STORES]),
    _command("ablation", ablation.evaluate, [FILE, EMBEDDER, HITS, QUESTIONS, *STORES]),
    _command(
        "conversations",
        conversations.evaluate,
        [
            click.Option(["--split"], type=click.Choice(["development", "held-out"]), help="which templates"),
            click.Option(["--size"], type=int, help="how many conversations of each language"),
            SEED,
            EMBEDDER,
            *STORES,
        ],
    ),
    _command(
        "cross-language",
        cross_language.evaluate,
        [click.Option(["--size"], type=int, help="how many statements in each language"), SEED, EMBEDDER, *STORES],
    ),
    _command("answers", answers.evaluate, [FILE, EMBEDDER, QUESTIONS, *STORES]),
    _command(
        "writes",
        writes.evaluate,
        [
            click.Argument(["path"], type=_EXISTING, metavar="[FILE]", required=False),
            EMBEDDER,
            click.Option(["--size"], type=int, help="how many compatible statements are made up"),
            SEED,
            CONVERSATIONS,
            *STORES,
        ],
    ),
    _command("summaries", summaries.evaluate, [FILE, SEED, CONVERSATIONS]),
    _command(
        "names",
        names.evaluate,
        [FILE, click.Option(["--stix"], type=_EXISTING, metavar="FILE", help="a bundle of names to add, for chats")],
    ),
    _command("procedures", procedures.evaluate, [FILE]),
    _command(
        "injection",
        injection.evaluate,
        [
            click.Argument(["paths"], type=_EXISTING, metavar="[FILE]...", nargs=-1),
            click.Option(["--half"], type=click.IntRange(1, 2), help="one half of the texts, drawn by their CRC-32"),
        ],
    ),
]
BENCHMARKS = [
    SPEED,
    SERVED,
    _command(
        "writing",
        writing.measure_writing,
        [
            FILE,
            click.Option(
                ["--system", "systems"],
                type=click.Choice([*SYSTEMS, writing.BARE]),
                multiple=True,
                help="may be repeated",
            ),
            click.Option(["--memories"], type=int, help="how many are written in bulk"),
            EMBEDDER,
            FOLDER,
        ],
    ),
    _suite("graph", GRAPH, "Fill and walk a graph; a size is a number of relations."),
    _suite(
        "conversation",
        CONVERSATION,
        "Append to a long conversation, read its window and end it; a size is a number of messages.",
    ),
    _suite("sweep", SWEEPS, "Sweep stores of which some memories are due, and none."),
    _suite("erasure", ERASURE, "Erase one memory and all of them for good, and verify the audit trail."),
    _command(
        "server",
        measure_server,
        [
            click.Option(["--memories"], type=int, help="how many memories the store holds"),
            click.Option(["--seconds"], type=float, help="how long each row takes"),
            click.Option(["--clients"], type=int, multiple=True, help="how many connections; may be repeated"),
            click.Option(["--work"], type=click.Choice(WORK), multiple=True, help="what is asked; may be repeated"),
            click.Option(["--soak"], type=float, help="seconds of mixed work at the end, memory noted"),
            FOLDER,
        ],
    ),
    _command(
        "tokens",
        count_tokens,
        [
            click.Argument(["files"], type=_EXISTING, metavar="[FILE]...", nargs=-1),
            click.Option(
                ["--tokenizer", "tokenizers"],
                multiple=True,
                required=True,
                metavar="NAME",
                help="provider:model; may be repeated",
            ),
        ],
    ),
]
PEERS = _command(
    "peers",
    peers.compare,
    [
        FILE,
        click.Option(["--system", "systems"], type=click.Choice(list(SYSTEMS)), multiple=True, help="may be repeated"),
        click.Option(["--size"], type=int, help="memories of the large scope"),
        EMBEDDER,
        QUESTIONS,
        SEED,
        FOLDER,
    ],
    "Measure other memory systems on the same texts, vectors and questions; see benchmarks/README.md.",
)

main = click.Group(
    "benchmarks",
    help="Measure quality and speed; every report names the machine, the versions and the seed.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    commands=[
        click.Group("eval", help="Measure quality on labelled data: JSON lines, packed or not.", commands=EVALUATIONS),
        click.Group("bench", help="Measure speed beside what the machine itself can do.", commands=BENCHMARKS),
        SPEED,
        SERVED,
        PEERS,
    ],
)
