"""What stands one step from the best hits: memories linked to them, and those whose facts share an entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.engine import Engine
from recollect.facts import slot
from recollect.filters import Test
from recollect.graph.chunks import among
from recollect.graph.lens import Lens, Moment
from recollect.graphrows import EntityRow, MentionRow
from recollect.models import Memory
from recollect.numeric import np
from recollect.protocols import Embedder, Ranked, Reader, Record
from recollect.read.ranking.relevance import calibration, relevance
from recollect.read.request import Request
from recollect.read.retrievers import Found, gather
from recollect.read.search import Ranking
from recollect.results import Hit, Signal

DECAY = 0.5  # of the score that is handed on, at each step
SEEDS = 10  # hits that a walk over shared entities starts from
HUB = 200  # memories about an entity from which on it is no bridge
_MOST = 50  # memories reached by one step of it
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory that was reached; its score is to be `share` times that of the hit `origin`."""

    hit: Hit
    origin: str
    share: float


@dataclass(frozen=True, slots=True)
class _Step:
    """A row that was reached, from which hit, for what share of its score, and by what."""

    record: Record
    origin: str
    share: float
    by: str


def reached(reader: Reader, request: Request, ranking: Ranking, hits: Sequence[Hit], engine: Engine) -> list[Reached]:
    """Return what is linked to the hits, and what is about an entity that they are about, in `expand_hops` steps.

    Every filter of the recall holds for it. Each memory is reached once, the nearest way; hits may be among them.
    """
    steps: dict[str, _Step] = {}
    if request.include_links:
        steps |= {step.record.memory.id: step for step in _linked(reader, request, hits)}
    if request.expand_hops:
        walk = (
            _walked(reader, request, hits, engine)
            if request.known_at is None
            else _walked_by_facts(reader, request, hits)
        )
        for step in walk:
            steps.setdefault(step.record.memory.id, step)
    return _as_hits(reader, request, ranking, list(steps.values()), engine.embedder) if steps else []


def _linked(reader: Reader, request: Request, hits: Sequence[Hit]) -> Iterator[_Step]:
    wanted: dict[str, tuple[str, str]] = {}
    for hit in hits:
        for link in hit.memory.links:
            wanted.setdefault(link.memory_id, (hit.id, link.relation))
    ids = tuple(wanted)
    for start in range(0, len(ids), _AT_ONCE):
        for record in reader.find(Record, request.where.but(Test("id", "in", ids[start : start + _AT_ONCE]))):
            origin, relation = wanted[record.memory.id]
            yield _Step(record, origin, DECAY, f"linked: {relation}")


def _walked(reader: Reader, request: Request, hits: Sequence[Hit], engine: Engine) -> Iterator[_Step]:
    """Walk from memory to memory over the entities that they are about, nearest first; each is left by one step only.

    What so many memories are about that it tells nothing is no bridge.
    """
    lens = Lens(reader, engine.packs, request.where, Moment(request.valid_at or request.now))
    frontier = _entities(lens, {hit.memory.id: hit.id for hit in hits[:SEEDS]})
    passed = set[int]()
    for hop in range(1, request.expand_hops + 1):
        about = {node: nums for node in frontier if (nums := _about(lens, node))}
        origins = {num: frontier[node] for node in about for num in about[node]}
        wanted = tuple(sorted(origins, reverse=True))
        found = reader.find(Record, request.where.but(Test("num", "in", wanted)), order="-valid_from", limit=_MOST)
        yield from (_Step(record, origins[record.num], DECAY**hop, "shared entity") for record in found)
        passed.update(frontier)
        reached = _entities(lens, {record.memory.id: origins[record.num] for record in found})
        frontier = {node: origin for node, origin in reached.items() if node not in passed}


def _entities(lens: Lens, origins: Mapping[str, str]) -> dict[int, str]:
    """Return what memories are about, each entity with the first hit that led to it."""
    if not origins:
        return {}
    rows = lens.reader.find(Record, lens.where.but(Test("id", "in", tuple(origins))))
    first = {record.num: origins[record.memory.id] for record in rows}
    mentions = among(lens.reader, MentionRow, "num", first, order="num")
    named = {row.id: row for row in among(lens.reader, EntityRow, "id", {row.entity for row in mentions})}
    lens.meet(named.values())
    found: dict[int, str] = {}
    for row in mentions:
        found.setdefault(lens.of(named[row.entity]), first[row.num])
    return found


def _about(lens: Lens, node: int) -> list[int]:
    """Return the memories about an entity, none where there are too many."""
    here = [Test("entity", "in", tuple(lens.ids([node])))]
    rows = lens.reader.find(MentionRow, here, order="-num", limit=HUB)
    return [row.num for row in rows] if len(rows) < HUB else []


def _walked_by_facts(reader: Reader, request: Request, hits: Sequence[Hit]) -> Iterator[_Step]:
    """Walk from fact to fact as they stood at an earlier time; mentions are known of today's texts only."""
    frontier, passed = _parts((hit.memory, hit.id) for hit in hits[:SEEDS]), set[str]()
    for hop in range(1, request.expand_hops + 1):
        found = _with_fact(reader, request, tuple(frontier))
        origins = [(record.memory, _origin(record.memory, frontier)) for record in found]
        yield from (
            _Step(r, origin, DECAY**hop, "shared entity") for r, (_, origin) in zip(found, origins, strict=True)
        )
        passed.update(frontier)
        frontier = {name: origin for name, origin in _parts(origins).items() if name not in passed}


def _with_fact(reader: Reader, request: Request, names: Sequence[str]) -> list[Record]:
    """Return the newest memories whose fact has one of these names for its subject or its object."""
    found: dict[int, Record] = {}
    for column in ("subject_key", "object_key") if names else ():  # each by its own index
        test = Test(column, "in", tuple(names))
        found |= {r.num: r for r in reader.find(Record, request.where.but(test), order="-valid_from", limit=_MOST)}
    return sorted(found.values(), key=lambda r: (r.memory.valid_from, r.num), reverse=True)[:_MOST]


def _parts(memories: Sequence[tuple[Memory, str]] | Iterator[tuple[Memory, str]]) -> dict[str, str]:
    """Return what the facts of memories are about, each with the first hit that led to it."""
    found: dict[str, str] = {}
    for memory, origin in memories:
        if memory.fact is not None:
            keys = slot(memory.fact)
            found.setdefault(keys.subject, origin)
            found.setdefault(keys.object, origin)
    return found


def _origin(memory: Memory, frontier: Mapping[str, str]) -> str:
    return next(frontier[name] for name in _parts([(memory, "")]) if name in frontier)


def _as_hits(
    reader: Reader, request: Request, ranking: Ranking, steps: Sequence[_Step], embedder: Embedder | None
) -> list[Reached]:
    """Turn rows into hits with a relevance of their own; their scores come from where they were reached."""
    none = Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32))
    nums = np.array(sorted(step.record.num for step in steps), np.int64)
    words, meaning = replace(ranking.sought.words, found=none), replace(ranking.sought.meaning, found=none)
    related = replace(ranking.sought.related, nums=none.nums, scores=none.scores)
    found = gather(reader, ranking.question, request.where, Found(words, meaning, nums, related))
    low, high = calibration(embedder)
    relevant = dict(zip(found.nums.tolist(), relevance(ranking.question, found, low=low, high=high), strict=True))
    made = []
    for step in steps:
        worth = round(float(relevant[step.record.num]), 4)
        signals = (Signal(step.by, step.share),)
        made.append(Reached(Hit(step.record.memory, 0.0, worth, signals), step.origin, step.share))
    return made


def joined(hits: Sequence[Hit], more: Sequence[Reached]) -> list[Hit]:
    """Return hits and what was reached from them, best first; a hit stands before what was reached at its own score."""
    scores = {hit.id: hit.score for hit in hits}
    added = [
        replace(each.hit, score=round(_handed_on(scores[each.origin], each.share), 6))
        for each in more
        if each.origin in scores and each.hit.id not in scores
    ]
    return sorted([*hits, *added], key=lambda hit: -hit.score)


def _handed_on(score: float, share: float) -> float:
    """Return a share of a score, which is less than it below 0 too."""
    return score - (1 - share) * abs(score)
