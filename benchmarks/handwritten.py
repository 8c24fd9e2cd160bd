"""Recall and remember on PostgreSQL beside hand-written SQL in the same run, and writers of one org beside many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import processes
from benchmarks.corpus import Corpus
from benchmarks.metrics import Floats
from benchmarks.report import Row
from benchmarks.speed import Found, Run, Steps, Suite
from benchmarks.stores import Stores
from engrain import ConfigError, MemoryManager, Settings

_K, _LISTED, _BATCH = 10, 200, 1_000
_CALLS, _FIRST = 60, 10  # of each kind, and those that are not counted
_WRITERS, _ROUNDS = 8, 3
_RATIOS = {1_000: 3, 100_000: 2}  # of recall, by size
_REMEMBER, _GROWTH, _TOGETHER = 4, 1.3, 0.9


class HandWritten:
    """A table of texts with their words and vectors, as one would write it by hand: one statement finds, one inserts.

    A recall takes the best of an owner by words and by vector, joins the two lists by rank, and reads ten texts.
    """

    def __init__(self, stores: Stores, dimensions: int) -> None:
        self._connection = stores.connect_bare()
        table = (
            "CREATE TABLE note (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, "
            "said_at timestamptz NOT NULL DEFAULT now(), content text NOT NULL, words tsvector GENERATED ALWAYS AS "
            f"(to_tsvector('english', content)) STORED, v halfvec({dimensions}) NOT NULL)"
        )
        indexes = "CREATE INDEX ON note (owner, id)", "CREATE INDEX ON note USING gin (words)"
        for statement in ("CREATE EXTENSION IF NOT EXISTS vector", table, *indexes):
            self._connection.execute(statement)

    def insert(self, owner: str, texts: Sequence[str], vectors: Floats) -> None:
        """Insert texts in one transaction."""
        self._connection.execute(
            "INSERT INTO note (owner, content, v) SELECT %s, * FROM unnest(%s::text[], %s::halfvec[])",
            (owner, list(texts), [_sent(vector) for vector in vectors]),
        )

    def analyse(self) -> None:
        """Have the server measure the table."""
        self._connection.execute("VACUUM ANALYZE note")

    def recall(self, owner: str, question: str, vector: Floats) -> list[tuple[Any, ...]]:
        """Return the best ten texts."""
        found = self._connection.execute(
            "WITH asked AS (SELECT replace(plainto_tsquery('english', %(question)s)::text, '&', '|')::tsquery AS q), "
            "by_words AS (SELECT id, row_number() OVER (ORDER BY ts_rank(words, q) DESC, id) AS place FROM note, asked "
            "WHERE owner = %(owner)s AND words @@ q ORDER BY place LIMIT %(most)s), "
            "by_vector AS (SELECT id, row_number() OVER () AS place FROM (SELECT id FROM note WHERE owner = %(owner)s "
            "ORDER BY v <#> %(vector)s::halfvec LIMIT %(most)s) n), "
            "best AS (SELECT id, sum(1.0 / (60 + place)) AS score FROM (SELECT * FROM by_words UNION ALL "
            "SELECT * FROM by_vector) u GROUP BY id ORDER BY score DESC, id LIMIT %(k)s) "
            "SELECT id, content, said_at, score FROM best JOIN note USING (id) ORDER BY score DESC",
            {"question": question, "owner": owner, "vector": _sent(vector), "most": _LISTED, "k": _K},
        )
        return list(found.fetchall())

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _Cost:
    """What calls cost in milliseconds: by the clock, and CPU of this process and of the server's together."""

    def __init__(self, server_ns: Callable[[], int]) -> None:
        self._server_ns = server_ns
        self.elapsed: list[float] = []
        self.cpu: list[float] = []

    def measure(self, call: Callable[[], object]) -> None:
        """Make a call and record its cost."""
        server, begun, cpu = self._server_ns(), perf_counter(), process_time()
        call()
        elapsed, cpu = perf_counter() - begun, process_time() - cpu
        self.elapsed.append(1000 * elapsed)
        self.cpu.append(1000 * cpu + (self._server_ns() - server) / 1e6)


def _rows(what: str, size: int, ours: _Cost, theirs: _Cost, most: float | None) -> list[Row]:
    """Return the medians, and the median of the ratios of calls that were made one after the other."""
    rows = []
    for kind, mine, other in (
        ("p50", ours.elapsed, theirs.elapsed),
        ("CPU of client and server", ours.cpu, theirs.cpu),
    ):
        ratio = float(np.median(np.array(mine) / np.maximum(other, 1e-3)))
        row = Row(
            f"{what}: {kind}",
            size,
            p50_ms=float(np.median(mine)),
            limit="hand-written SQL",
            limit_ms=float(np.median(other)),
            ratio=ratio,
        )
        rows.append(row if most is None or kind == "p50" else row.with_bar(f"<= {most:g}x", ratio <= most))
    return rows


def _beside_sql(stores: Stores, run: Run) -> Iterator[Steps]:
    if not stores.server:
        raise ConfigError("hand-written SQL is measured on a server: name it by --store")
    yield Steps(2 * len(run.sizes) + 1, _steps(stores, run))


def _steps(stores: Stores, run: Run) -> Found:
    corpus, settings, name = Corpus(run.seed), Settings(worker="none"), "beside-sql"
    address, grown = stores.address(name), dict[int, float]()
    with MemoryManager(address, embedder=processes.EMBEDDER, settings=settings) as manager:
        embedder = manager.embedder
        assert embedder is not None
        with closing(HandWritten(stores, embedder.dimensions)) as bare:

            def server_ns() -> int:
                return server_cpu_ns(pids)

            def embedded(texts: Sequence[str]) -> Floats:
                return np.asarray(embedder.embed(texts), np.float32)

            for size in run.sizes:
                user, items = f"user-{size}", corpus.items(f"user-{size}", size)
                while batch := list(islice(items, _BATCH)):
                    texts = [str(item["content"]) for item in batch]
                    manager.scoped(user=user).remember_many(batch)
                    bare.insert(user, texts, embedded(texts))
                bare.analyse()  # what is queued for the memories of ours is done by nobody meanwhile
                yield f"{size:,} memories", []
            pids = stores.server_processes()
            for size in run.sizes:
                user, ours, theirs = f"user-{size}", _Cost(server_ns), _Cost(server_ns)
                view = manager.scoped(user=user)
                for place, question in enumerate(corpus.questions(user, _FIRST + _CALLS)):
                    if place == _FIRST:
                        ours, theirs = _Cost(server_ns), _Cost(server_ns)
                    ours.measure(lambda: view.recall(question, k=_K, touch=False))  # noqa: B023 (called at once)
                    theirs.measure(lambda: bare.recall(user, question, embedded([question])[0]))  # noqa: B023
                grown[size] = float(np.median(ours.cpu))
                rows = _rows("recall", size, ours, theirs, _RATIOS.get(size))
                ours, theirs = _Cost(server_ns), _Cost(server_ns)
                for place, item in enumerate(corpus.items(f"{user} one by one", _FIRST + _CALLS)):
                    if place == _FIRST:
                        ours, theirs = _Cost(server_ns), _Cost(server_ns)
                    text = str(item["content"])
                    ours.measure(lambda: view.remember(**item))  # noqa: B023
                    theirs.measure(lambda: bare.insert(user, [text], embedded([text])))  # noqa: B023
                yield f"recall and remember, {size:,}", [*rows, *_rows("remember", size, ours, theirs, _REMEMBER)]
    first, last = run.sizes[0], run.sizes[-1]
    times = grown[last] / grown[first]
    growth = Row(f"recall: growth of CPU from {first:,}", last, value=times, unit="x")
    yield "writers", [growth.with_bar(f"<= {_GROWTH}x", times <= _GROWTH), *_writers(address, run)]
    stores.drop(name)


def _writers(address: str, run: Run) -> list[Row]:
    """Let eight processes write for eight users of one org, and for eight orgs, in turn."""
    rates: dict[str, list[float]] = {"8 users of one org": [], "8 orgs": [], "one writer": []}
    for turn in range(_ROUNDS):
        for kind, taken in rates.items():
            writers = 1 if kind == "one writer" else _WRITERS
            places = [(f"{turn}-{n}" if kind == "8 orgs" else f"one-{turn}", f"writer-{n}") for n in range(writers)]
            done = processes.in_places(address, places, seconds=run.seconds, seed=run.seed)
            if errors := [error for part in done for error in part.errors]:
                raise RuntimeError(f"writers failed: {errors[:3]}")
            taken.append(sum(len(part.ids) for part in done) / run.seconds)
    one, many, alone = (np.array(taken) for taken in rates.values())
    share = float(np.median(one / many))
    return [
        *(Row(f"written in a second: {kind}", 0, value=float(np.median(taken))) for kind, taken in rates.items()),
        Row("8 users of one org over 8 orgs", 0, value=share, unit="x").with_bar(f">= {_TOGETHER}", share >= _TOGETHER),
        Row("8 users of one org over one writer", 0, value=float(np.median(one / alone)), unit="x"),
    ]


def server_cpu_ns(pids: Sequence[int]) -> int:
    """Return the CPU time of processes of this machine in nanoseconds; 0 for those that are elsewhere or gone."""
    total = 0
    for pid in pids:
        with suppress(OSError):
            total += int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0])
    return total


def _sent(vector: Floats) -> str:
    return f"[{','.join(map(repr, vector.astype(np.float16).tolist()))}]"


BESIDE_SQL = Suite("made-up conversations", sizes=(1_000, 100_000), least=1, steps=_beside_sql)
