"""What writing costs: the processor, pages and bytes of a memory, beside other systems and bare inserts, in one run.

Each system has a process of its own; they take turns, some texts each, so that what else the machine does meets all of
them. Every system is given the same texts and the same vectors, which are computed before.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adapters import SYSTEMS, Store, Turn
from benchmarks.datasets import load
from benchmarks.metrics import Floats
from benchmarks.peers import ALONE
from benchmarks.report import Progress, Report, Timings
from engrain.embeddings.names import resolve_embedder
from engrain.language.tokens import index_counts
from engrain.protocols import Embedder

BARE = "bare"
COMPARED = ("engrain-texts", "engrain", "mem0", "langgraph-sqlite", BARE)
TITLES = ("system", "add", "p95", "in bulk", "and later", "add / mem0", "add / bare", "bulk / mem0", "bulk / bare")
PAGES = ("pages of a commit", "bytes a memory")
BATCH, SINGLES = 250, 50  # before it is the next system's turn
_FRAME = 4096 + 24  # bytes of a page in a log
_COUNTED = 256  # writes whose pages are counted: whole rounds of the words that are moved together


@dataclass(frozen=True, kw_only=True)
class Writing(Report):
    """The figures of each system, in milliseconds; `failed` says why one has none."""

    file: str
    memories: int
    embedder: str
    systems: Mapping[str, Mapping[str, Any]]
    load: tuple[float, ...]

    def lines(self) -> list[str]:
        rows: list[Sequence[str]] = [(*TITLES, *PAGES), ["---"] * (len(TITLES) + len(PAGES))]
        for name, found in self.systems.items():
            title = f"{name} {found.get('version', '')}".strip()
            rows.append([title, *(_cell(value) for value in self._values(found))])
        return [
            f"{self.file}, {self.memories:,} memories in bulk, then one by one; vectors of {self.embedder} given",
            "Milliseconds of CPU of all threads: median and 95th percentile of one, mean of many",
            "",
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            f"Load {', '.join(f'{each:.1f}' for each in self.load)}",
        ]

    def _values(self, found: Mapping[str, Any]) -> Iterator[float | str | None]:
        if "failed" in found:
            yield found["failed"]
            return
        mem0, bare = self.systems.get("mem0", {}), self.systems.get(BARE, {})
        yield from (found["add"], found["add_p95"], found["bulk"], found["later"])
        for what, other in (("add", mem0), ("add", bare), ("bulk", mem0), ("bulk", bare)):
            beside = other.get(what)
            yield found[what] / beside if beside else None
        yield from (found["pages"], found["bytes"])


def _cell(value: float | str | None) -> str:
    if isinstance(value, str):
        return f"not measured: {value}"
    return "" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def measure_writing(
    path: str | os.PathLike[str],
    *,
    systems: Sequence[str] = COMPARED,
    memories: int = 2000,
    embedder: str = "auto",
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Writing:
    """Measure what writing texts of conversations costs each system.

    Args:
        path: Conversations; turns follow each other in one scope.
        systems: Names from `benchmarks.adapters.SYSTEMS`, or "bare".
        memories: How many are written in bulk; at least 250.
        embedder: The embedder of all systems, as `MemoryManager` takes it.
        store_dir: A folder on a disk for the stores; None is that of temporary files.
        progress: Called after each turn of all systems.

    Raises:
        ValueError: An argument is out of range, or the file holds too few turns.
    """
    if memories < BATCH:
        raise ValueError(f"memories is at least {BATCH}")
    turns = list(islice(_turns(path), memories + memories // 5 + _COUNTED))
    if len(turns) < memories + SINGLES + _COUNTED:
        raise ValueError(f"{path} holds only {len(turns):,} turns")
    model = resolve_embedder(embedder)
    if model is None:
        raise ValueError("an embedder is needed: the other systems find by vectors alone")
    texts = [_bare_text(text) for turn in turns for text in (turn.text, turn.plain)]
    table = dict(zip(texts, model.embed(texts), strict=True))
    many, single = turns[:memories], turns[memories:-_COUNTED]
    rounds = [("bulk", many[at : at + BATCH]) for at in range(0, len(many), BATCH)]
    rounds += [("single", single[at : at + SINGLES]) for at in range(0, len(single), SINGLES)]
    rounds.append(("pages", turns[-_COUNTED:]))
    os.environ.update(ALONE)
    load, found = [os.getloadavg()[0]], {}
    with tempfile.TemporaryDirectory(prefix="writing-", dir=store_dir, ignore_cleanup_errors=True) as folder:
        os.environ["MEM0_DIR"] = folder
        children = {name: _Child(name, Path(folder) / name, Given(embedder, model.id, table)) for name in systems}
        for number, (what, some) in enumerate(rounds, start=1):
            for child in children.values():
                child.do(what, some)
            if progress is not None:
                progress(number, len(rounds), what)
        for name, child in children.items():
            found[name] = child.figures()
    return Writing(
        file=Path(path).name, memories=memories, embedder=model.id, systems=found, load=(*load, os.getloadavg()[0])
    )


class _Text(Turn):
    @property
    def plain(self) -> str:
        """The text without its speaker."""
        return self.text.removeprefix(f"{self.speaker}: ")


def _turns(path: str | os.PathLike[str]) -> Iterator[_Text]:
    for number, item in enumerate(chain.from_iterable(conversation.items for conversation in load(path))):
        at, session = item.get("valid_from"), item.get("session", "")
        yield _Text(f"T{number}", f"{item['actor']}: {item['content']}", item["actor"], session, at)


def _bare_text(text: str) -> str:
    """Return a text without the line of context that is indexed with it."""
    return text.partition("\n[Context: ")[0].strip()


class Given:
    """An embedder whose vectors were computed before; those of sentences, which a worker reads, are made as usual."""

    def __init__(self, name: str, id: str, table: Mapping[str, Floats]) -> None:
        self.id, self._name, self._table = id, name, table
        self.dimensions = len(next(iter(table.values())))

    def embed(self, texts: Sequence[str]) -> Floats:
        known = [self._table.get(_bare_text(text)) for text in texts]
        return np.stack(
            [self._others.embed([text])[0] if row is None else row for text, row in zip(texts, known, strict=True)]
        )

    @cached_property
    def _others(self) -> Embedder:
        found = resolve_embedder(self._name)
        assert found is not None
        found.embed(["What has to be loaded is loaded now."])
        return found


class Bare:
    """A table of texts, one of words and one of vectors in SQLite, written as durably; words are counted before."""

    def __init__(self, folder: Path, embedder: Given) -> None:
        self._connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._embedder = embedder
        for statement in (
            "PRAGMA journal_mode = WAL",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE text (num INTEGER PRIMARY KEY, content TEXT NOT NULL, fields TEXT NOT NULL)",
            "CREATE TABLE word (term TEXT, num INTEGER, count INTEGER, PRIMARY KEY (term, num)) WITHOUT ROWID",
            "CREATE TABLE vector (num INTEGER PRIMARY KEY, v BLOB NOT NULL)",
        ):
            self._connection.execute(statement)
        self._num = 0
        self.counted: dict[str, Mapping[str, int]] = {}

    def add(self, turn: Turn) -> None:
        self.add_many([turn])

    def add_many(self, turns: Sequence[Turn]) -> None:
        connection = self._connection
        rows = list(enumerate(turns, start=self._num + 1))
        self._num += len(rows)
        vectors = self._embedder.embed([turn.text for turn in turns])
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO text VALUES (?, ?, ?)", [(n, t.text, str(t.fields())) for n, t in rows])
        words = [(term, n, count) for n, turn in rows for term, count in self.counted[turn.text].items()]
        connection.executemany("INSERT INTO word VALUES (?, ?, ?)", words)
        blobs = [(n, vector.astype("float16").tobytes()) for (n, _), vector in zip(rows, vectors, strict=True)]
        connection.executemany("INSERT INTO vector VALUES (?, ?)", blobs)
        connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


class _Child:
    """A process that holds one system, and what it has measured so far."""

    def __init__(self, name: str, folder: Path, embedder: Given) -> None:
        self._version, self._failed = "", ""
        self._taken: dict[str, list[float]] = {"bulk": [], "later": [], "single": [], "pages": [], "bytes": []}
        if name != BARE:
            try:
                self._version = version(SYSTEMS[name].package)
            except PackageNotFoundError:
                self._failed = "not installed"
                return
        folder.mkdir()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, name, folder, embedder), daemon=True)
        self._process.start()
        theirs.close()

    def do(self, what: str, turns: Sequence[Turn]) -> None:
        """Have the process write some turns."""
        if self._failed:
            return
        self._pipe.send((what, turns))
        try:
            found = self._pipe.recv()
        except EOFError:
            self._failed = "its process ended"
            return
        for name, values in found.items():
            self._taken[name] += values

    def figures(self) -> dict[str, Any]:
        """Return what was measured, and end the process."""
        if self._failed:
            return {"version": self._version, "failed": self._failed}
        self._pipe.close()
        self._process.join()
        taken, single = self._taken, Timings(cpu=self._taken["single"]).quantiles
        means = {name: sum(taken[name]) / len(taken[name]) if taken[name] else None for name in taken}
        figures = {"add": single.cpu_p50, "add_p95": single.cpu_p95, "bulk": means["bulk"], "later": means["later"]}
        return {"version": self._version, **figures, "pages": means["pages"], "bytes": means["bytes"]}


def _serve(pipe: Connection, name: str, folder: Path, embedder: Given) -> None:
    """Write what comes through the pipe and send back how long it took, until the other end is closed."""
    store: Bare | Store = Bare(folder, embedder) if name == BARE else SYSTEMS[name].open()(folder, embedder)
    embedder.embed(["A text that was not given loads the model."])
    with closing(store):
        while True:
            try:
                what, turns = pipe.recv()
            except EOFError:
                return
            if isinstance(store, Bare):
                store.counted = {turn.text: index_counts(turn.text) for turn in turns}
            pipe.send(_pages(store, turns, folder) if what == "pages" else _timed(store, turns, what))


def _timed(store: Bare | Store, turns: Sequence[Turn], what: str) -> dict[str, list[float]]:
    taken, later = Timings(), Timings()
    add_many, complete = getattr(store, "add_many", None), getattr(store, "complete", None)
    if what == "bulk" and add_many is not None:
        taken.measure_each(len(turns), add_many, turns)
        if complete is not None:
            later.measure_each(len(turns), complete)
    else:
        for turn in turns:
            taken.measure(store.add, turn)
    return {what: taken.cpu, "later": later.cpu}


def _pages(store: Bare | Store, turns: Sequence[Turn], folder: Path) -> dict[str, list[float]]:
    """Count the pages in the log of a SQLite file, which only grows while somebody reads."""
    files = [path for path in folder.glob("*.db") if Path(f"{path}-wal").exists()]
    if not files:
        for turn in turns:
            store.add(turn)
        return {}
    with closing(sqlite3.connect(files[0], isolation_level=None)) as reader:
        reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = files[0].stat().st_size
        (number,) = reader.execute(f"SELECT count(*) FROM {_table(reader)}").fetchone()
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
        for turn in turns:
            store.add(turn)
        pages = Path(f"{files[0]}-wal").stat().st_size / _FRAME / len(turns)
    return {"pages": [pages], "bytes": [size / number]}


def _table(reader: sqlite3.Connection) -> str:
    """Return the table with a row for each memory."""
    names = {name for (name,) in reader.execute("SELECT name FROM sqlite_master")}
    return next(name for name in ("memory", "store", "text") if name in names)
