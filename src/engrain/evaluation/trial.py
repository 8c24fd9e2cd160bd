"""One store of one size: filled, asked, written to and opened again, with a clock beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from engrain.arrays import Floats, np
from engrain.evaluation import children, limits
from engrain.evaluation.corpus import Corpus
from engrain.evaluation.figures import Row, Timings, by_clock, by_processor, timed
from engrain.evaluation.places import Places
from engrain.manager import MemoryManager
from engrain.model.filters import Filter, Test, live, within
from engrain.protocols import Embedder
from engrain.storage.interface import Reader
from engrain.storage.rows import Record

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
_SMALL_BAR = 2  # milliseconds of the processor
_WHOLE_BARS = {100_000: 8, 1_000_000: 25}
_VECTORS = 100_000  # from so many on the work is reading them
_MEMORY_BARS = {100_000: 200}  # megabytes


class Trial:
    """A store of one user who has `size` memories, and of others who have 1,000 each and together at most as many.

    In the largest store an org of many small users comes on top, 10,000 when it is large.
    """

    def __init__(self, places: Places, corpus: Corpus, size: int, *, largest: bool) -> None:
        self._corpus, self._size, self._largest = corpus, size, largest
        self._places, self._name = places, f"whole-{size}"
        self._users = [f"user-{number}" for number in range(min(max(size // _SCOPE, 1), _OTHERS))]
        self._rounds = min(_QUESTIONS, size)
        self._ids: list[str] = []
        self._vectors: Floats = np.zeros((0, 0), np.float32)

    def __len__(self) -> int:
        return -(-self._size // _BATCH) + len(self._users) + 5 + 2 * self._largest

    def steps(self) -> Iterator[tuple[str, list[Row]]]:
        """Do one step after the other, yielding its name and its figures; in the end the store is gone."""
        self._path = self._places.at(self._name)
        with (
            closing(self._places.inserts()) as bare,
            MemoryManager(self._path, embedder=children.EMBEDDER) as manager,
        ):
            yield from self._fill(manager, bare)
            manager.flush()  # so that recalls are measured beside nobody else's work
            yield "recall, a small scope", self._recall_small(manager)
            yield "recall, the whole scope", self._recall_whole(manager)
            if self._largest:
                yield "vectors", self._search_vectors(manager)
            yield "remember", self._remember(manager, bare)
            if self._largest:
                yield "many scopes", self._recall_crowd(manager)
        yield "a fresh process", self._use()
        yield "open", self._open()
        self._places.leave(self._name)

    # -------------------------------------------------------------------------------------------------------- writing

    def _fill(self, manager: MemoryManager, bare: limits.Inserts) -> Iterator[tuple[str, list[Row]]]:
        # The first texts wait for the model and the stemmer.
        manager.scoped(user="first").remember_many(self._corpus.items("first", 20))
        view, ours, floor, vectors = manager.scoped(user="whole"), Timings(), Timings(), list[Floats]()
        items = self._corpus.items("whole", self._size)
        while batch := list(islice(items, _BATCH)):
            texts = [str(item["content"]) for item in batch]
            self._ids += [kept.id for kept in ours.each(len(batch), view.remember_many, batch)]
            floor.each(len(batch), bare.many, texts)
            vectors.append(_embedded(manager, texts))
            done = len(self._ids)
            yield f"remember_many, {done:,}", [self._ingested(ours, floor)] if done == self._size else []
        self._vectors = np.concatenate(vectors)
        for user in self._users:
            manager.scoped(user=user).remember_many(self._corpus.items(user, min(self._size, _SCOPE)))
            yield f"remember_many, {user}", []

    def _ingested(self, ours: Timings, floor: Timings) -> Row:
        row = self._places.beside(timed(INGEST, self._size, ours), "bare executemany", floor)
        if not self._places.server:  # a mean leaves nothing out
            ratio = ours.cpu_mean / floor.cpu_mean if floor.cpu_mean else None
            row = replace(row, cpu_ms=ours.cpu_mean, limit_ms=floor.cpu_mean, ratio=ratio)
        return row.judged("<= 0.2 ms CPU", ours.cpu_mean <= 0.2) if self._size >= _BATCH else row  # 5,000 a second

    def _remember(self, manager: MemoryManager, bare: limits.Inserts) -> list[Row]:
        view, ours, floor = manager.scoped(user="whole"), Timings(), Timings()
        manager.flush()
        first, measured = min(_FIRST_WRITES, self._size), min(_WRITES, self._size)
        for number, item in enumerate(self._corpus.items("one by one", first + measured)):
            if number == first:
                ours, floor = Timings(), Timings()
            ours.of(view.remember, **item)
            floor.of(bare.one, item["content"])
        row = by_clock(timed(REMEMBER, self._size, ours), "bare insert, as durable", floor)
        return [row.judged("p50 <= 3x", row.ratio is not None and row.ratio <= 3)]

    # -------------------------------------------------------------------------------------------------------- reading

    def _recall_small(self, manager: MemoryManager) -> list[Row]:
        user, size = self._users[len(self._users) // 2], min(self._size, _SCOPE)
        texts = [str(item["content"]) for item in self._corpus.items(user, size)]
        bars = {self._size: _SMALL_BAR} if size == _SCOPE else {}
        return self._recalled(manager, user, SMALL, _embedded(manager, texts), bars)

    def _recall_whole(self, manager: MemoryManager) -> list[Row]:
        return self._recalled(manager, "whole", WHOLE, self._vectors, _WHOLE_BARS)

    def _recalled(
        self, manager: MemoryManager, user: str, what: str, vectors: Floats, bars: dict[int, int]
    ) -> list[Row]:
        """Recall with meaning and without, and scan the same vectors for the same questions."""
        questions, scanned = self._corpus.questions(user, _FIRST_QUESTIONS + self._rounds), Timings()
        row = timed(what, self._size, _asked(manager.scoped(user=user), questions))
        with closing(self._places.scan(vectors)) as bare:
            for query in _embedded(manager, questions[_FIRST_QUESTIONS:]):
                scanned.of(bare.find, query, _K)
        row, bar = self._places.beside(row, self._places.scanning, scanned), bars.get(self._size)
        if bar is not None and row.cpu_ms is not None:
            row = row.judged(f"<= {bar} ms CPU", row.cpu_ms <= bar)
        with MemoryManager(self._path, user=user, embedder=None) as words_only:
            return [row, timed(f"{what}, by words only", self._size, _asked(words_only, questions))]

    def _recall_crowd(self, manager: MemoryManager) -> list[Row]:
        """Recall from an org of many users at once, and then from one of them."""
        crowd, people = manager.for_org("crowd"), _MANY if self._size >= _VECTORS else max(self._size // 100, 1)
        for number in range(people):
            crowd.scoped(user=f"user-{number}").remember_many(self._corpus.items(f"crowd-{number}", _CROWD))
        questions = self._corpus.questions("crowd", _FIRST_QUESTIONS + _CROWD_QUESTIONS)
        many, one = _asked(crowd, questions), _asked(crowd.scoped(user=f"user-{people // 2}"), questions)
        name = f"an org of {people:,} users with {_CROWD} each"
        row = timed(f"recall in one scope of {name}, after that", people * _CROWD, one)
        return [
            timed(f"recall in {name}", people * _CROWD, many),
            row.judged(f"<= {_SMALL_BAR} ms CPU", one.cpu50 <= _SMALL_BAR),
        ]

    def _search_vectors(self, manager: MemoryManager) -> list[Row]:
        """Search by vector alone, beside reading the same bytes once, and compare with the exact order."""
        embedder, ours, read, scanned = _embedder(manager), Timings(), Timings(), Timings()
        queries = _embedded(manager, self._corpus.questions("whole", self._rounds))
        where = within(manager.scoped(user="whole").scope).but(*live(datetime.now(UTC)))
        rows, found = np.ones((self._size, embedder.dimensions), np.int8), 0
        with manager.store.read(manager.scope.org) as reader, closing(self._places.scan(self._vectors)) as bare:
            reader.search_vector(embedder.id, queries[0], where, limit=_K)  # the filter's mask is shared with the words
            for query in queries:
                nearest = ours.of(reader.search_vector, embedder.id, query, where, limit=_K)
                read.of(limits.read_once, rows)
                scanned.of(bare.find, query, _K)
                exact = limits.exact_scan(self._vectors, query, _K)
                found += len(_ids(reader, where, nearest.nums.tolist()) & {self._ids[place] for place in exact})
        what, share = "vector search in the whole scope", found / (len(queries) * min(_K, self._size))
        row = by_processor(timed(what, self._size, ours), "reading the int8 rows once", read)
        if self._size >= _VECTORS and row.ratio is not None:
            row = row.judged("<= 2.5x", row.ratio <= 2.5)
        return [
            *([] if self._places.server else [row]),
            self._places.beside(timed(what, self._size, ours), self._places.scanning, scanned),
            Row(f"{what}: share of the exact 10 found", self._size, value=share).judged(">= 0.99", share >= 0.99),
        ]

    # -------------------------------------------------------------------------------------------------------- opening

    def _use(self) -> list[Row]:
        """Let a fresh process ask a few questions of the whole scope."""
        used, bar = children.use(self._path, "whole", self._corpus.questions("whole", 20)), _MEMORY_BARS.get(self._size)
        rows = [Row("first recall in a fresh process, the whole scope", self._size, p50_ms=used.first_ms)]
        what = "memory of a fresh process after 20 recalls in the whole scope"
        if used.resident_mb is not None:
            row = Row(what, self._size, value=used.resident_mb, unit="MB")
            rows.append(row if bar is None else row.judged(f"<= {bar} MB", used.resident_mb <= bar))
        if used.own_mb is not None:
            rows.append(Row(f"{what}, without pages of files", self._size, value=used.own_mb, unit="MB"))
        return rows

    def _open(self) -> list[Row]:
        ours, floor = Timings(), Timings()
        for _ in range(_OPENINGS):
            ours.of(MemoryManager, self._path, embedder=children.EMBEDDER).close()
            floor.of(self._places.touch, self._name)
        row = by_clock(timed(OPEN, self._size, ours), self._places.opening, floor)
        return [row.judged("< 50 ms", ours.p50 < 50)]


def _embedder(manager: MemoryManager) -> Embedder:
    assert manager.embedder is not None
    return manager.embedder


def _embedded(manager: MemoryManager, texts: Sequence[str]) -> Floats:
    return np.asarray(_embedder(manager).embed(texts), np.float32)


def _asked(view: MemoryManager, questions: Sequence[str]) -> Timings:
    """Ask, and leave out the first questions, which bring the scope into memory."""
    taken = Timings()
    for question in questions[:_FIRST_QUESTIONS]:
        found = view.recall(question, k=_K)
        meant = sum(stage.went_out for stage in found.trace if stage.name == "meaning")
        if view.embedder is not None and not meant:
            raise RuntimeError(f"nothing was found by meaning, so the figures would be wrong: {found.trace}")
    for question in questions[_FIRST_QUESTIONS:]:
        taken.of(view.recall, question, k=_K)
    view.flush()
    return taken


def _ids(reader: Reader, where: Filter, nums: Sequence[int]) -> set[str]:
    """Return the ids of rows by their numbers."""
    return {record.memory.id for record in reader.find(Record, where.but(Test("num", "in", tuple(nums))))}
