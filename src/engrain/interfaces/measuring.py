"""`engrain eval` and `engrain bench`: how good and how fast, each by a module that no other command waits for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from engrain.cli.options import Command, json_option
from engrain.cli.output import progress, stderr, write_json
from engrain.operations.table import describe

_ERROR = 1


def measuring_commands() -> list[click.Command]:
    """Return the commands that measure."""
    return [_eval_command(click.Path(exists=True, dir_okay=False)), _bench_command()]


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
    names = ("embedder", "limit", "store", "store_dir", *own)
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
        "store",
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
    others = ("writes", "answers", "ablate", "procedures", "embedder", "k", "size", "store", "store_dir", "stix")
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
    others = ("writes", "answers", "ablate", "embedder", "k", "limit", "seed", "size", "store", "store_dir", "stix")
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
            "--answers takes a FILE, and of the options only --embedder, --limit, --store, --store-dir, --json"
        )
    asked = {name: values[name] for name in ("embedder", "limit", "store", "store_dir") if values[name] is not None}
    with progress(stderr()) as report:
        found = _measuring("answering").evaluate(values["file"], progress=report, **asked)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())
    return 0


def _eval_names(**values: Any) -> int:
    """Measure how names are read: in reports where people marked them, or in chats that name no threat."""
    foreign = ("writes", "answers", "ablate", "windows", "procedures", "store")
    if any(values[name] for name in foreign) or values["file"] is None:
        raise click.UsageError("--names takes a FILE, and neither --writes nor --ablate nor --windows nor --store")
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
    return import_module(f"engrain.evaluation.{what}")


def _bench(**values: Any) -> None:
    """Measure memories, the graph, a conversation or a sweep; nobody shares the store of the latter three."""
    chosen = [name for name in ("graph", "talk", "sweep") if values[name]]
    if len(chosen) > 1:
        raise click.UsageError("--graph, --talk and --sweep are measured one at a time")
    if chosen and values["seconds"] is not None:
        raise click.UsageError(f"--seconds has no place with --{chosen[0]}")
    names = ("sizes", "seed", "seconds", "store", "store_dir")
    asked = {name: values[name] for name in names if values[name] not in (None, ())}
    with progress(stderr()) as report:
        found = _measuring(f"{chosen[0]}s" if chosen else "speed").run(progress=report, **asked)
    write_json(found.to_dict()) if values["as_json"] else click.echo(found.table())


def _bench_command() -> click.Command:
    return Command(
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
            click.Option(["--graph"], is_flag=True, help="measure a graph of many relations: filling it, walking it"),
            click.Option(["--talk"], is_flag=True, help="measure a long conversation: appending to it, ending it"),
            click.Option(["--sweep"], is_flag=True, help="measure what a sweep costs, by what is due and stored"),
            click.Option(["--seed"], type=click.INT, metavar="INTEGER", help="the seed of what is made up"),
            click.Option(["--seconds"], type=click.FLOAT, metavar="NUMBER", help="how long processes share a store"),
            *_stores(),
            json_option(),
        ],
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
            *_stores(),
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


def _stores() -> list[click.Option]:
    folder = click.Path(exists=True, file_okay=False, writable=True)
    return [
        click.Option(
            ["--store"],
            metavar="URL",
            help="the server, postgresql://..., on which databases are made for the stores, and dropped at the end",
        ),
        click.Option(
            ["--store-dir"], type=folder, metavar="PATH", help="the folder, on a disk, for the stores it makes"
        ),
    ]
