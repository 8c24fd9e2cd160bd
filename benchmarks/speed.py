"""Speed of memories, conversations, sweeps and erasure, each beside what the machine itself can do, in one run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from math import log10
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks import processes
from benchmarks.corpus import Corpus, Item, corpus
from benchmarks.metrics import Floats
from benchmarks.report import Progress, Row, Speed, Timings, by_clock, by_cpu, growth, timed, without_cpu_bars
from benchmarks.stores import BareInserts, NumpyScan, Stores, temporary_stores
from engrain import MemoryManager, Settings
from engrain.model.filters import Filter, Test, live, within
from engrain.protocols import Embedder, Reader
from engrain.storage.rows import Record
from engrain.testing import FrozenClock

Found: TypeAlias = Iterator[tuple[str, list[Row]]]
"""The labels of steps, and the rows that each adds."""


class Run(NamedTuple):
    """What a run was asked for: sizes, smallest first, a seed, how long processes share a store, a file of texts."""

    sizes: tuple[int, ...]
    seed: int
    seconds: float
    texts: str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Steps:
    """Some steps, and how many there are."""

    count: int
    steps: Found


class Growth(NamedTuple):
    """How much the time of `what` may grow from the smallest to the largest size of at least `least`."""

    what: str
    least: int
    most: Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Suite:
    """A measurement on temporary stores: what it is about, its default sizes, the least size, and its steps."""

    about: str
    sizes: tuple[int, ...]
    least: int
    steps: Callable[[Stores, Run], Iterable[Steps]]
    growths: tuple[Growth, ...] = ()
    embedder: str = processes.EMBEDDER

    def run(
        self,
        *,
        sizes: Sequence[int] | None = None,
        seed: int = 7,
        seconds: float = 5.0,
        texts: str | os.PathLike[str] | None = None,
        store: str | None = None,
        store_dir: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Speed:
        """Carry out the steps.

        Args:
            sizes: What the stores hold; None are the default sizes, which take minutes.
            seed: The seed of what is made up.
            seconds: How long several processes use one store, where they do.
            texts: A file of conversations with questions, whose turns are taken instead of made-up ones.
            store: The URL of a server on which databases are made for the stores; None makes files.
            store_dir: The folder for those files, on a disk: in a file system in memory nothing is durable.
            progress: Called after each step.

        Raises:
            ValueError: A size is below the least, or there is none.
        """
        chosen = self.sizes if sizes is None else tuple(sorted(set(sizes)))
        if not chosen or chosen[0] < self.least:
            raise ValueError(f"sizes are at least {self.least:,}, and there is at least one")
        rows: list[Row] = []
        with temporary_stores(store, store_dir, purpose="bench") as stores:
            parts = list(self.steps(stores, Run(chosen, seed, seconds, texts)))
            total, server = sum(part.count for part in parts), stores.server
            for done, (label, found) in enumerate(chain.from_iterable(part.steps for part in parts), start=1):
                rows += found
                if progress is not None:
                    progress(done, total, label)
        for each in self.growths:
            rows += growth(rows, each.what, least=each.least, most=each.most, clock=bool(server))
        shown = tuple(without_cpu_bars(rows) if server else rows)
        return Speed(
            rows=shown,
            sizes=chosen,
            seed=seed,
            about=self.about if texts is None else f"texts of {Path(texts).name}",
            embedder=self.embedder,
            server=server,
        )


def for_each_size(steps: Callable[[Stores, int, int], Found]) -> Callable[[Stores, Run], Iterator[Steps]]:
    """Return the steps of a suite that has one step for each size; `steps` takes stores, size and seed."""
    return lambda stores, run: (Steps(1, steps(stores, size, run.seed)) for size in run.sizes)


# ------------------------------------------------------------------------------------------------------------ memories

OPEN = "open a store"
INGEST = "remember_many, 1,000 a batch: each memory"
REMEMBER = "remember, one by one in one scope"
SMALL = "recall in a scope of 1,000"
WHOLE = "recall in the whole scope"

_K = 10
_BATCH = 1000
_SCOPE = 1000  # memories of each user beside the one who has them all
_OTHERS = 100  # of them at most
_CROWD = 10  # memories of each of many users
_MANY = 10_000  # of these users in a large store
_WRITES, _FIRST_WRITES = 300, 60  # the first ones make the log as long as it gets
_QUESTIONS, _FIRST_QUESTIONS = 60, 5
_CROWD_QUESTIONS = 5
_OPENINGS = 15
_IMPORTS = 5
_WRITERS = _READERS = 4
_SMALL_BAR = 2  # milliseconds of CPU time
_WHOLE_BARS = {100_000: 8, 1_000_000: 25}
_LARGE = 100_000  # from so many vectors on the work is reading them
_MEMORY_BARS = {100_000: 200}  # megabytes


def _memories(stores: Stores, run: Run) -> Iterator[Steps]:
    yield Steps(1, _imports())
    yield Steps(1, _several_processes(stores.address("shared"), run.seed, run.seconds))
    for size in run.sizes:
        trial = _Trial(stores, corpus(run.seed, run.texts), size, largest=size == run.sizes[-1])
        yield Steps(trial.count, trial.steps())


MEMORIES = Suite(
    "made-up conversations",
    sizes=(1_000, 10_000, 100_000),
    least=1,
    steps=_memories,
    growths=(
        Growth(OPEN, 1, lambda _: 1.5),
        Growth(REMEMBER, 1, lambda _: 1.5),
        Growth(WHOLE, 10_000, lambda times: 15 ** (log10(times) / 2)),  # 15 times from 10k to 1M
    ),
)


def _imports() -> Found:
    rows = []
    for statement in ("import engrain", "from engrain import MemoryManager"):
        best = 1000 * min(processes.import_seconds(statement) for _ in range(_IMPORTS))
        rows.append(Row(f"{statement} in a fresh process", 0, cpu_ms=best).with_bar("< 250 ms CPU", best < 250))
    yield "import", rows


def _several_processes(address: str, seed: int, seconds: float) -> Found:
    """Let processes write to and read one scope, and check what became of it."""
    MemoryManager(address, embedder=processes.EMBEDDER).close()
    wrote, read = processes.work(address, writers=_WRITERS, readers=_READERS, seconds=seconds, seed=seed)
    with MemoryManager(address, user=processes.SHARED, embedder=processes.EMBEDDER) as manager:
        kept = {memory.id for memory in manager.iter_memories()}
    lost = sum(memory_id not in kept for part in wrote for memory_id in part.ids)
    errors, counts = sum(len(part.errors) for part in (*wrote, *read)), [len(part.ids) for part in wrote]
    name = f"{_WRITERS} processes that write and {_READERS} that read"
    rows = []
    for what, parts in (("remember", wrote), ("recall", read)):
        taken = [ms for part in parts for ms in part.ms]
        rows += [timed(f"{name}: {what}", len(kept), Timings(taken, []))] if taken else []
    rows.append(Row(f"{name}: errors", len(kept), value=errors).with_bar("0", not errors))
    rows.append(Row(f"{name}: acknowledged and lost", len(kept), value=lost).with_bar("0", not lost))
    fair = max(counts) / max(min(counts), 1)
    rows.append(Row(f"{name}: most over fewest of one", len(kept), value=fair, unit="x").with_bar("<= 2x", fair <= 2))
    yield "several processes", rows


class _Trial:
    """A store of one user who has `size` memories, and of others who have 1,000 each and together at most as many.

    The largest store has an org of many small users as well, 10,000 when it is large.
    """

    def __init__(self, stores: Stores, corpus: Corpus, size: int, *, largest: bool) -> None:
        self._corpus, self._size, self._largest = corpus, size, largest
        self._stores, self._name = stores, f"whole-{size}"
        self._users = [f"user-{number}" for number in range(min(max(size // _SCOPE, 1), _OTHERS))]
        self._rounds = min(_QUESTIONS, size)
        self._ids: list[str] = []
        self._vectors: Floats = np.zeros((0, 0), np.float32)
        self.count = -(-size // _BATCH) + len(self._users) + 5 + 2 * largest

    def steps(self) -> Found:
        """Carry out one step after the other; in the end the store is gone."""
        self._address = self._stores.address(self._name)
        with (
            closing(BareInserts(self._stores)) as bare,
            MemoryManager(self._address, embedder=processes.EMBEDDER) as manager,
        ):
            yield from self._fill(manager, bare)
            manager.flush()  # so that recalls are measured without other work at the same time
            yield "recall, a small scope", self._recall_small(manager)
            yield "recall, the whole scope", self._recall_in(manager, "whole", WHOLE, self._vectors, _WHOLE_BARS)
            if self._largest:
                yield "vectors", self._search_vectors(manager)
            yield "remember", self._remember(manager, bare)
            if self._largest:
                yield "many scopes", self._recall_crowd(manager)
        yield "a fresh process", self._use()
        yield "open", self._open()
        self._stores.drop(self._name)

    def _fill(self, manager: MemoryManager, bare: BareInserts) -> Found:
        # The first texts wait for the model and the stemmer.
        manager.scoped(user="first").remember_many(self._corpus.items("first", 20))
        view, ours, limit, vectors = manager.scoped(user="whole"), Timings(), Timings(), list[Floats]()
        items = self._corpus.items("whole", self._size)
        while batch := list(islice(items, _BATCH)):
            texts = [str(item["content"]) for item in batch]
            self._ids += [kept.id for kept in ours.measure_each(len(batch), view.remember_many, batch)]
            limit.measure_each(len(batch), bare.insert_many, texts)
            vectors.append(_embed(manager, texts))
            done = len(self._ids)
            yield f"remember_many, {done:,}", [self._ingested(ours, limit)] if done == self._size else []
        self._vectors = np.concatenate(vectors)
        for user in self._users:
            manager.scoped(user=user).remember_many(self._corpus.items(user, min(self._size, _SCOPE)))
            yield f"remember_many, {user}", []

    def _ingested(self, ours: Timings, limit: Timings) -> Row:
        row = self._stores.compare(timed(INGEST, self._size, ours), "bare executemany", limit)
        if not self._stores.server:  # a mean leaves nothing out
            ratio = ours.cpu_mean / limit.cpu_mean if limit.cpu_mean else None
            row = replace(row, cpu_ms=ours.cpu_mean, limit_ms=limit.cpu_mean, ratio=ratio)
        return row.with_bar("<= 0.2 ms CPU", ours.cpu_mean <= 0.2) if self._size >= _BATCH else row  # 5,000 a second

    def _remember(self, manager: MemoryManager, bare: BareInserts) -> list[Row]:
        view, ours, limit = manager.scoped(user="whole"), Timings(), Timings()
        manager.flush()
        first, measured = min(_FIRST_WRITES, self._size), min(_WRITES, self._size)
        for number, item in enumerate(self._corpus.items("one by one", first + measured)):
            if number == first:
                ours, limit = Timings(), Timings()
            ours.measure(view.remember, **item)
            limit.measure(bare.insert, item["content"])
        row = by_clock(timed(REMEMBER, self._size, ours), "bare insert, as durable", limit)
        return [row.with_bar("p50 <= 3x", row.ratio is not None and row.ratio <= 3)]

    def _recall_small(self, manager: MemoryManager) -> list[Row]:
        user, size = self._users[len(self._users) // 2], min(self._size, _SCOPE)
        texts = [str(item["content"]) for item in self._corpus.items(user, size)]
        bars = {self._size: _SMALL_BAR} if size == _SCOPE else {}
        return self._recall_in(manager, user, SMALL, _embed(manager, texts), bars)

    def _recall_in(
        self, manager: MemoryManager, user: str, what: str, vectors: Floats, bars: dict[int, int]
    ) -> list[Row]:
        """Recall in a scope, with vectors and by words only, beside an exact scan of its vectors."""
        questions, scanned = self._corpus.questions(user, _FIRST_QUESTIONS + self._rounds), Timings()
        row = timed(what, self._size, _ask(manager.scoped(user=user), questions))
        again = timed(f"{what}, asked before", self._size, _ask(manager.scoped(user=user), questions))
        with closing(self._stores.bare_scan(vectors)) as bare:
            for query in _embed(manager, questions[_FIRST_QUESTIONS:]):
                scanned.measure(bare.nearest, query, _K)
        row = self._stores.compare(row, self._stores.scan_limit, scanned).with_cpu_bar(bars.get(self._size))
        with MemoryManager(self._address, user=user, embedder=None) as words_only:
            return [row, again, timed(f"{what}, by words only", self._size, _ask(words_only, questions))]

    def _recall_crowd(self, manager: MemoryManager) -> list[Row]:
        """Recall from an org of many users at once, and then from one of them."""
        crowd, people = manager.for_org("crowd"), _MANY if self._size >= _LARGE else max(self._size // 100, 1)
        for number in range(people):
            crowd.scoped(user=f"user-{number}").remember_many(self._corpus.items(f"crowd-{number}", _CROWD))
        questions = self._corpus.questions("crowd", _FIRST_QUESTIONS + _CROWD_QUESTIONS)
        many, one = _ask(crowd, questions), _ask(crowd.scoped(user=f"user-{people // 2}"), questions)
        name = f"an org of {people:,} users with {_CROWD} each"
        row = timed(f"recall in one scope of {name}, after that", people * _CROWD, one)
        return [timed(f"recall in {name}", people * _CROWD, many), row.with_cpu_bar(_SMALL_BAR)]

    def _search_vectors(self, manager: MemoryManager) -> list[Row]:
        """Search by vector alone, beside reading the same bytes once, and compare with the exact order."""
        embedder, ours, read, scanned = _embedder(manager), Timings(), Timings(), Timings()
        queries = _embed(manager, self._corpus.questions("whole", self._rounds))
        where = within(manager.scoped(user="whole").scope).but(*live(datetime.now(UTC)))
        rows, exact, found = np.ones((self._size, embedder.dimensions), np.int8), NumpyScan(self._vectors), 0
        with manager.store.read(manager.scope.org) as reader, closing(self._stores.bare_scan(self._vectors)) as bare:
            reader.search_vector(embedder.id, queries[0], where, limit=_K)  # loads what later searches share
            for query in queries:
                nearest = ours.measure(reader.search_vector, embedder.id, query, where, limit=_K)
                read.measure(lambda: int(rows.reshape(-1).view(np.int64).max()))  # found faster than the sum
                scanned.measure(bare.nearest, query, _K)
                wanted = {self._ids[place] for place in exact.nearest(query, _K)}
                found += len(_ids(reader, where, nearest.nums.tolist()) & wanted)
        what, share = "vector search in the whole scope", found / (len(queries) * min(_K, self._size))
        row = by_cpu(timed(what, self._size, ours), "reading the int8 rows once", read)
        if self._size >= _LARGE and row.ratio is not None:
            row = row.with_bar("<= 2.5x", row.ratio <= 2.5)
        return [
            *([] if self._stores.server else [row]),
            self._stores.compare(timed(what, self._size, ours), self._stores.scan_limit, scanned),
            Row(f"{what}: share of the exact 10 found", self._size, value=share).with_bar(">= 0.99", share >= 0.99),
        ]

    def _use(self) -> list[Row]:
        """Let a fresh process ask a few questions of the whole scope."""
        used = processes.use(self._address, "whole", self._corpus.questions("whole", 20))
        bar = _MEMORY_BARS.get(self._size)
        what = "first recall in a fresh process, the whole scope"
        rows = [Row(what, self._size, p50_ms=used.first_ms, cpu_ms=used.first_cpu_ms)]
        what = "memory of a fresh process after 20 recalls in the whole scope"
        if used.resident_mb is not None:
            row = Row(what, self._size, value=used.resident_mb, unit="MB")
            rows.append(row if bar is None else row.with_bar(f"<= {bar} MB", used.resident_mb <= bar))
        if used.own_mb is not None:
            rows.append(Row(f"{what}, without pages of files", self._size, value=used.own_mb, unit="MB"))
        return rows

    def _open(self) -> list[Row]:
        ours, limit = Timings(), Timings()
        for _ in range(_OPENINGS):
            ours.measure(MemoryManager, self._address, embedder=processes.EMBEDDER).close()
            limit.measure(self._stores.open_bare, self._name)
        row = by_clock(timed(OPEN, self._size, ours), self._stores.open_limit, limit)
        return [row.with_bar("< 50 ms", ours.quantiles.p50 < 50)]


def _embedder(manager: MemoryManager) -> Embedder:
    assert manager.embedder is not None
    return manager.embedder


def _embed(manager: MemoryManager, texts: Sequence[str]) -> Floats:
    return np.asarray(_embedder(manager).embed(texts), np.float32)


def _ask(view: MemoryManager, questions: Sequence[str]) -> Timings:
    """Ask, and leave out the first questions, which bring the scope into memory."""
    taken = Timings()
    for question in questions[:_FIRST_QUESTIONS]:
        found = view.recall(question, k=_K)
        by_vector = sum(stage.went_out for stage in found.trace if stage.name == "meaning")
        if view.embedder is not None and not by_vector:
            raise RuntimeError(f"nothing was found by vectors, so the figures would be wrong: {found.trace}")
    for question in questions[_FIRST_QUESTIONS:]:
        taken.measure(view.recall, question, k=_K)
    view.flush()
    return taken


def _ids(reader: Reader, where: Filter, nums: Sequence[int]) -> set[str]:
    """Return the ids of rows by their numbers."""
    return {record.memory.id for record in reader.find(Record, where.but(Test("num", "in", tuple(nums))))}


# ------------------------------------------------------------------------------------------------------- conversations

APPEND = "add_message, window of 4,096 tokens"
END = "end_session, for each turn"
_WINDOW, _SAMPLE, _READS, _FEWEST_MESSAGES = 4096, 100, 20, 200


def _conversation(stores: Stores, size: int, seed: int) -> Found:
    name = f"conversation-{size}"
    texts = (str(item["content"]) for item in Corpus(seed).items("whole", size + _SAMPLE))
    roles = ("user", "assistant")
    settings = Settings(worker="none", working={"max_tokens": _WINDOW, "idle_minutes": None})
    appended, kept, window, history, ended = (Timings() for _ in range(5))
    with MemoryManager(
        stores.address(name), user="whole", session="long", embedder=processes.EMBEDDER, settings=settings
    ) as manager:
        for number, text in enumerate(islice(texts, size - _SAMPLE)):
            manager.add_message(roles[number % 2], text)
        for number, text in enumerate(islice(texts, _SAMPLE)):
            appended.measure(manager.add_message, roles[number % 2], text)
        for text in texts:
            kept.measure(manager.remember, text)
        for _ in range(_READS):
            window.measure(manager.get_messages)
            history.measure(manager.working.history, limit=100)
        stored = stores.size(name)
        ended.measure_each(size, manager.end_session)
    stores.drop(name)
    yield (
        f"{size:,} messages",
        [
            stores.compare(timed(APPEND, size, appended), "remember in the same session", kept),
            Row("the same, mean, with what making the window shorter takes", size, cpu_ms=appended.cpu_mean),
            timed("get_messages", size, window),
            timed("history, a page of 100", size, history),
            Row("file, for each message and its memory", size, value=stored / size, unit="bytes"),
            timed(END, size, ended),
        ],
    )


CONVERSATION = Suite(
    "a made-up conversation",
    sizes=(1_000, 10_000),
    least=_FEWEST_MESSAGES,
    steps=for_each_size(_conversation),
    growths=(Growth(APPEND, _FEWEST_MESSAGES, lambda _: 1.5),),
)


# -------------------------------------------------------------------------------------------------------------- sweeps

IDLE = "sweep, nothing due"
DUE = "sweep, for each memory that is due"
RULES = "first sweep under other policies, for each memory stored"
_FEWEST_SWEPT, _DUE, _DAYS = 1_000, 100, 5
_DAY = timedelta(days=1)


def _sweeps(stores: Stores, size: int, seed: int) -> Found:
    name, clock, bounded = f"swept-{size}", FrozenClock("2026-01-01"), Settings(worker="none", retention="bounded")
    idle, due, rules = Timings(), Timings(), Timings()
    with MemoryManager(stores.address(name), user="whole", embedder=None, settings=bounded, clock=clock) as manager:
        manager.remember_many(_expiring(size, seed), resolve="off")
        manager.sweep()  # which records the policies
        for _ in range(_DAYS):
            idle.measure(manager.sweep)
            clock.advance(_DAY)
            swept = due.measure_each(_DUE, manager.sweep)
            if swept.expired != _DUE:
                raise AssertionError(f"{swept.expired} memories expired, not {_DUE}")
    other = Settings(worker="none")
    with MemoryManager(stores.address(name), user="whole", embedder=None, settings=other, clock=clock) as manager:
        rules.measure_each(size, manager.sweep)
    stores.drop(name)
    yield f"{size:,} memories", [timed(IDLE, size, idle), timed(DUE, size, due), timed(RULES, size, rules)]


def _expiring(size: int, seed: int) -> Iterator[Item]:
    """Yield facts of which 100 expire on each of the first days, and the others after ten years."""
    for number, item in enumerate(Corpus(seed).items("whole", size)):
        day = number // _DUE
        yield {
            "content": f"{item['content']} ({number})",
            "kind": "semantic",
            "source_type": "user_input",
            "importance": 0.6,
            "ttl": _DAY * (day + 1 if day < _DAYS else 3650),
        }


SWEEPS = Suite(
    "a made-up store",
    sizes=(10_000, 100_000),
    least=_FEWEST_SWEPT,
    steps=for_each_size(_sweeps),
    growths=tuple(Growth(name, _FEWEST_SWEPT, lambda _: 2.0) for name in (IDLE, DUE)),
    embedder="none",
)


# ------------------------------------------------------------------------------------------------------------- erasure


def _erasure(stores: Stores, size: int, seed: int) -> Found:
    name, rng = f"erased-{size}", Random(seed)
    words = [f"w{rng.randrange(10**6)}{chr(97 + n % 26)}x" for n in range(8000)]
    with MemoryManager(stores.address(name), user="bo", settings=Settings(worker="none")) as m:
        m.remember_many({"content": " ".join(rng.choices(words, k=14))} for _ in range(size))
        ids = [m.remember(f"Ana wrote of Zanzibar{n} {' '.join(rng.choices(words, k=6))}").id for n in range(3)]
        one, whole = Timings(), Timings()
        for memory_id in ids:
            one.measure(m.forget, memory_id, hard=True)
        calls: dict[str, Callable[[], Any]] = {"audit_integrity": m.audit_integrity, "verify_audit": m.verify_audit}
        audits = {what: Timings() for what in calls}
        for what, call in calls.items():
            audits[what].measure(call)
        stored = stores.size(name)
        whole.measure_each(size, m.forget_all, user="bo", hard=True)
        unverified = sum(not receipt.verified for receipt in m.receipts())
    stores.drop(name)
    yield (
        f"{size:,} memories",
        [
            Row("file", size, value=stored / 1e6, unit="MB"),
            Row("forget one memory for good, best of 3", size, cpu_ms=min(one.cpu)),
            *(timed(what, size, taken) for what, taken in audits.items()),
            timed("forget_all for good: each memory", size, whole),
            Row("receipts not verified", size, value=unverified).with_bar("0", not unverified),
        ],
    )


ERASURE = Suite("texts of random words", sizes=(1_000, 10_000), least=1, steps=for_each_size(_erasure), embedder="auto")
