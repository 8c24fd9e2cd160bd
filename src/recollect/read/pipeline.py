"""The read path: a question in, ranked memories out, every step on record.

understand -> retrieve (words, meaning; all filters inside) -> fuse and boost -> cut to k -> Recall
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from recollect.engine import Engine
from recollect.filters import Filter, Test
from recollect.models import Memory
from recollect.numeric import Ints, Numbers, np
from recollect.protocols import Embedder, Reader, Record
from recollect.read.contested import contested
from recollect.read.packing import pack
from recollect.read.past import Past, reading
from recollect.read.query import Question, understand
from recollect.read.ranking import Scored, relevance, score
from recollect.read.retrievers import Candidates, Found, by_meaning, by_time, by_words, gather
from recollect.results import Hit, Recall, Signal, Stage

BREADTH = 200  # candidates of each search
DATED = 50  # candidates by each date that a question names
_READ = 500  # memories read at a time
_MOST = 2**31  # hits anybody can ask for
# Where the cosine of two texts begins to mean something and where it is as good as certain, by embedder.
_CALIBRATION = {"wordllama": (0.2, 0.6)}
_UNCALIBRATED = (0.3, 0.9)


@dataclass(slots=True)
class _Trace:
    stages: list[Stage] = field(default_factory=list)
    began: float = field(default_factory=perf_counter)

    def add(self, name: str, came_in: int, went_out: int, *notes: str) -> None:
        now = perf_counter()
        self.stages.append(Stage(name, came_in, went_out, round((now - self.began) * 1000, 3), notes))
        self.began = now


def recall(
    engine: Engine,
    query: str,
    where: Filter,
    *,
    k: int,
    now: datetime,
    min_score: float,
    known_at: datetime | None = None,
) -> Recall:
    """Find the memories that answer a question, best first; see `MemoryManager.recall`."""
    trace, k = _Trace(), min(k, _MOST)
    with reading(engine.store, where, known_at if k > 0 else None) as reader:
        if isinstance(reader, Past):
            count = len(reader.admitted(where))
            trace.add("known at", count, count, f"{count} memories seen in an earlier state")
        question = understand(query, now, reader.actors(where) if k > 0 else ())
        trace.add("understand", 1, len(question.terms), *_understood(question))
        if k <= 0:
            hits: list[Hit] = []
        elif query.strip():
            hits = _answer(engine, reader, question, where, wanted=_Wanted(k, min_score), trace=trace)
        else:
            hits = _newest(reader, where, k, trace)
        hits = contested(reader, where, hits)
    return Recall(
        hits,
        query=query,
        intent=question.intent,
        trace=trace.stages,
        pack=lambda found, budget: pack(found, engine.tokenizer, budget),
    )


def _understood(question: Question) -> list[str]:
    notes = [f"intent {question.intent}"]
    if question.terms:
        notes.append("words " + ", ".join(question.terms))
    if question.named_actor:
        notes.append(f"names {question.named_actor}")
    notes += [f"{w.unit} {w.start:%Y-%m-%d} to {w.end:%Y-%m-%d}" for w in question.windows]
    return notes


def _answer(
    engine: Engine, reader: Reader, question: Question, where: Filter, *, wanted: _Wanted, trace: _Trace
) -> list[Hit]:
    limit = max(BREADTH, 2 * wanted.k)
    words = by_words(reader, question, where, limit=limit)
    documents = words.stats.documents
    trace.add("words", documents, len(words.found.nums))
    meaning = by_meaning(reader, question, where, engine.embedder, words.stats, limit=limit)
    trace.add("meaning", documents, len(meaning.found.nums), *meaning.notes)
    dated = by_time(reader, question, where, limit=DATED)
    if question.windows:
        trace.add("time", documents, len(dated))
    found = gather(reader, question, where, Found(words, meaning, dated))
    trace.add("gather", len(words.found.nums) + len(meaning.found.nums) + len(dated), len(found.nums))
    scored = score(question, found)
    relevant = relevance(question, found, **_calibration(engine.embedder))
    order = np.lexsort((found.nums, -scored.scores))
    trace.add("fuse and boost", len(found.nums), len(order), *scored.boosts)
    order = order[relevant[order] >= wanted.relevance][: wanted.k]
    hits = _hits(_Scored(found, scored, relevant), order.tolist(), reader, where)
    notes = [f"relevance at least {wanted.relevance}"] if wanted.relevance else []
    trace.add("cut", len(found.nums), len(hits), *notes)
    return hits


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How many hits, and how relevant each must be."""

    k: int
    relevance: float


@dataclass(frozen=True, slots=True)
class _Scored:
    """Candidates, their scores, and how relevant each is."""

    found: Candidates
    scored: Scored
    relevant: Numbers


def _calibration(embedder: Embedder | None) -> dict[str, float]:
    name = embedder.id.split(":", maxsplit=1)[0] if embedder is not None else ""
    low, high = _CALIBRATION.get(name, _UNCALIBRATED)
    return {"low": low, "high": high}


def _hits(ranked: _Scored, places: list[int], reader: Reader, where: Filter) -> list[Hit]:
    """Read the memories at these places of the candidates, in order."""
    nums = ranked.found.nums[places].tolist()
    records: dict[int, Record] = {}
    for start in range(0, len(nums), _READ):  # the search has tested everything else; the walls are tested again
        some = Test("num", "in", tuple(nums[start : start + _READ]))
        records |= {r.num: r for r in reader.find(Record, Filter(where.org, where.user, where.shared, (some,)))}
    found = ranked.found
    lists = (
        ("words", found.words, _ranks(found.lexical.nums)),
        ("meaning", found.cosine, _ranks(found.vector.nums)),
        ("time", np.ones(len(found.nums)), _ranks(found.dated)),
    )
    hits = []
    for place, num in zip(places, nums, strict=True):
        listed = [Signal(name, float(values[place]), ranks[num]) for name, values, ranks in lists if num in ranks]
        worth = round(float(ranked.scored.scores[place]), 6)
        signals = (*(listed or [Signal("beside", float(ranked.scored.words[place]))]), *_boosts(ranked.scored, place))
        hits.append(Hit(records[num].memory, worth, round(float(ranked.relevant[place]), 4), signals))
    return hits


def _ranks(nums: Ints) -> dict[int, int]:
    return dict(zip(nums.tolist(), range(1, len(nums) + 1), strict=True))


def _boosts(scored: Scored, place: int) -> list[Signal]:
    boosts = [(name, float(values[place])) for name, values in scored.boosts.items()]
    return [Signal(f"x {name}", value) for name, value in boosts if value != 1]


def _newest(reader: Reader, where: Filter, k: int, trace: _Trace) -> list[Hit]:
    """Without a question, the newest and most important come first."""
    nums = tuple(reader.latest(where, limit=max(BREADTH, k)).tolist())
    found = reader.find(Record, where.but(Test("num", "in", nums)), order="-valid_from")
    newest = max((record.memory.valid_from for record in found), default=None)

    def worth(memory: Memory) -> float:
        assert newest is not None
        days = (newest - memory.valid_from).total_seconds() / 86_400
        return float(0.5 * 2 ** (-days / 30) + 0.5 * memory.importance)

    ranked = sorted(found, key=lambda record: (-worth(record.memory), -record.num))[:k]
    trace.add("newest", len(found), len(ranked), "the question is empty: recency and importance alone")
    return [
        Hit(r.memory, round(worth(r.memory), 6), 0.0, (Signal("recency and importance", worth(r.memory)),))
        for r in ranked
    ]
