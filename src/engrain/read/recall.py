"""The read path: a question is understood, candidates are retrieved, ranked and expanded."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import isnan

from engrain.arrays import Floats, Ints, Numbers, np
from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.graph.entity_store import among
from engrain.graph.packs import Packs
from engrain.graph.traversal import Lens, Moment
from engrain.guard import guard
from engrain.model.filters import Filter, Test
from engrain.model.memory import Memory, Status, slot
from engrain.model.results import Hit, Recall, Signal
from engrain.protocols import Embedder, RankingPolicy
from engrain.read.history import Past, reading
from engrain.read.packing import pack
from engrain.read.question import Question, Trace, understand
from engrain.read.ranking import HELD_BACK, Chosen, Scored, calibration, chosen, relevance
from engrain.read.request import Request
from engrain.read.reranking import DEPTH, diversified, may_hold_copies, reranked
from engrain.read.retrieval import (
    Candidates,
    Embedded,
    Found,
    Outlook,
    by_graph,
    by_meaning,
    by_time,
    by_words,
    embed_question,
    faded,
    gather,
    nothing,
)
from engrain.read.variants import Phrasing, meant, phrasings
from engrain.storage.interface import Reader
from engrain.storage.queries import text_stats
from engrain.storage.rows import EntityRow, MentionRow, Ranked, Record

_CONTESTED_AT_ONCE = 500


def contested(reader: Reader, walls: Filter, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with the ids that they contradict: of memories that are active, believed and not superseded.

    The store is asked only when a hit has such a link. Another agent's own memories are not named.
    """
    named = sorted({other for hit in hits for other in _contradicted(hit.memory)})
    if not named:
        return list(hits)
    standing: set[str] = set()
    for start in range(0, len(named), _CONTESTED_AT_ONCE):
        tests = (
            Test("id", "in", tuple(named[start : start + _CONTESTED_AT_ONCE])),
            Test("status", "eq", Status.ACTIVE),
            Test("superseded_by", "eq", None),
            Test("believed_until", "eq", None),
        )
        found = reader.find(Record, walls.walls.but(*tests))
        standing |= {record.memory.id for record in found}
    return [
        replace(hit, contested=tuple(other for other in _contradicted(hit.memory) if other in standing)) for hit in hits
    ]


def _contradicted(memory: Memory) -> tuple[str, ...]:
    return tuple(dict.fromkeys(link.memory_id for link in memory.links if link.relation == "contradicts"))


BREADTH = 200  # candidates of each search
TERMS = 64  # of a question that it is asked by: of more the rarest, which say the most
_LOOKED_UP = 2_000  # of a very long question's words
DATED = 50  # candidates by each date that a question names


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask, and its vector where that was made before the store was looked into."""

    phrasing: Phrasing
    embedded: Embedded | None = None


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways to ask, the question itself first, and what reads all of them.

    The embedder is kept with them: another may come into force.
    """

    ways: Sequence[Way]
    embedder: Embedder | None
    packs: Packs


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates of a question, what each scored and how relevant it is; `order` holds their places, best first."""

    question: Question
    sought: Found
    found: Candidates
    scored: Scored
    relevant: Numbers
    order: Ints
    policy: Chosen


def ways_of(engine: Engine, request: Request, phrasings: Sequence[Phrasing]) -> Ways:
    """Return the ways to ask, embedded ahead where that takes long: no view of the store is held meanwhile."""
    embedder = engine.embedder
    if embedder is None or hasattr(embedder, "embed_weighted") or not request.query.strip() or request.k <= 0:
        return Ways([Way(phrasing) for phrasing in phrasings], embedder, engine.packs)
    with reading(engine.store, request.where, request.known_at) as reader:
        actors = reader.actors(request.where)
    asked = [understand(phrasing.text, request.now, actors) for phrasing in phrasings]
    embedded = (embed_question(each, embedder) for each in asked)
    return Ways([Way(way, vector) for way, vector in zip(phrasings, embedded, strict=True)], embedder, engine.packs)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one way to ask found."""

    question: Question
    found: Found
    way: Way


def rank(reader: Reader, request: Request, asked: Ways, trace: Trace) -> Ranking:
    """Look for the candidates of a question and put them in the order of its ranking policy."""
    embedder, ways = asked.embedder, asked.ways
    actors, policy = reader.actors(request.where), request.ranking or chosen(None, embedder)
    packs = asked.packs if policy.graph else None
    question = understand(request.query, request.now, actors)
    question = question if request.intent is None else replace(question, intent=request.intent)
    trace.add("understand", 1, len(question.terms), *understood(question))
    first = _look(reader, request, _Asked(question, ways[0], embedder, packs), trace)
    question = first.question
    others = [
        _look(
            reader,
            request,
            _Asked(understand(way.phrasing.text, request.now, actors), way, embedder, packs),
            Trace(),
        )
        for way in ways[1:]
    ]
    found = _gathered(reader, request, first, others)
    trace.add("gather", sum(map(len, (found.lexical.nums, found.vector.nums, found.dated))), len(found.nums))
    scored = policy.lists(question, found)
    for other in others:
        beside = gather(reader, other.question, request.where, replace(other.found, dated=found.nums))
        beside = replace(beside, columns=faded(beside.columns, request.retention, request.now))
        more = policy.lists(other.question, beside).scores
        scored = _added(scored, more[np.searchsorted(beside.nums, found.nums)], other.way.phrasing.weight)
    if request.include_quarantined:
        scored = _held_back(reader, request, found, scored)
    low, high = calibration(embedder)
    relevant = np.round(relevance(question, found, low=low, high=high), 4)  # as hits show it and min_score cuts it
    order = np.lexsort((found.nums, -scored.scores))
    trace.add("fuse and boost", len(found.nums), len(order), *scored.boosts)
    return Ranking(question, first.found, found, scored, relevant, order, policy)


def _held_back(reader: Reader, request: Request, found: Candidates, scored: Scored) -> Scored:
    """Lower the trust in what waits to be admitted."""
    tests = Test("num", "in", tuple(found.nums.tolist())), Test("status", "eq", Status.QUARANTINED)
    waiting = reader.search_time(request.where.but(*tests), limit=len(found.nums))
    less = np.where(np.isin(found.nums, waiting), HELD_BACK, 1.0)
    boosts = {**scored.boosts, "trust": scored.boosts["trust"] * less}
    return replace(scored, scores=np.asarray(scored.scores * less, np.float32), boosts=boosts)


def understood(question: Question) -> list[str]:
    """Return what was read out of a question, for the trace."""
    notes = [f"intent {question.intent}"]
    if question.terms:
        notes.append("words " + ", ".join(question.terms))
    if question.named_actor:
        notes.append(f"names {question.named_actor}")
    notes += [f"{w.unit} {w.start.date()} to {w.end.date()}" for w in question.windows]
    return notes


@dataclass(frozen=True, slots=True)
class _Asked:
    question: Question
    way: Way
    embedder: Embedder | None
    packs: Packs | None  # None: the graph is not asked


def _look(reader: Reader, request: Request, asked: _Asked, trace: Trace) -> _Look:
    question, way, where = asked.question, asked.way, request.where
    if way.phrasing.passage:
        question = replace(question, terms=(), name_terms=())
    if len(question.terms) > TERMS:
        question = _narrowed(reader, question, where)
    limit = max(BREADTH, 2 * request.k)
    words = by_words(reader, question, where, limit=limit)
    documents = words.stats.documents
    trace.add("words", documents, len(words.found.nums))
    vector = way.embedded or embed_question(question, asked.embedder, words.stats)
    meaning = by_meaning(reader, vector, where, asked.embedder, limit=limit)
    lacking = vector.vector is not None and not len(meaning.found.nums) and reader.count(Record, where)[""] > 0
    hint = (f"no vectors by {meaning.embedder} in scope: run reindex",) if lacking else ()
    trace.add("meaning", documents, len(meaning.found.nums), *meaning.notes, *hint)
    dated = by_time(reader, question, where, limit=DATED)
    if question.windows:
        trace.add("time", documents, len(dated))
    moment = Moment(request.valid_at or request.now, request.known_at)
    if asked.packs is None:
        return _Look(question, Found(words, meaning, dated, nothing()), way)
    related = by_graph(reader, question, where, Outlook(request.seen or where, moment, asked.packs))
    if related.names:
        trace.add("graph", documents, len(related.nums), "about " + ", ".join(related.names))
    return _Look(question, Found(words, meaning, dated, related), way)


def _narrowed(reader: Reader, question: Question, where: Filter) -> Question:
    """Return a long question by its rarest words among those that occur."""
    known = text_stats(reader, question.terms[:_LOOKED_UP], where).frequency
    rare = sorted((term for term in known if known[term]), key=lambda term: known[term])[:TERMS]
    kept = tuple(term for term in question.terms if term in set(rare)) or question.terms[:1]
    places = {term: place for place, term in enumerate(kept)}
    named = (question.terms[place] for place in question.name_terms)
    return replace(question, terms=kept, name_terms=tuple(places[term] for term in named if term in places))


def _gathered(reader: Reader, request: Request, first: _Look, others: Sequence[_Look]) -> Candidates:
    """Return what ranking must know of everything that was found, whichever way it was asked for."""
    more = [nums for each in others for nums in each.found.lists]
    everything = np.concatenate([first.found.dated, *more]).astype(np.int64)
    found = gather(reader, first.question, request.where, replace(first.found, dated=everything))
    return replace(found, dated=first.found.dated, columns=faded(found.columns, request.retention, request.now))


def _added(scored: Scored, more: Floats, weight: float) -> Scored:
    """Add another way's scores, scaled so that its best counts `weight` times the question's best."""
    top, best = float(scored.scores.max(initial=0.0)), float(more.max(initial=0.0))
    if best <= 0:
        return scored
    factor = np.float32(weight * (top or 1.0) / best)
    return replace(scored, scores=np.asarray(scored.scores + factor * more, np.float32))


_ONE = 1e-6  # multipliers nearer to 1 than this are 1
_READ = 500  # memories read at a time


def hits_of(ranking: Ranking, places: Sequence[int], reader: Reader, where: Filter) -> list[Hit]:
    """Return the hits at these places of the candidates, in order."""
    found, scored = ranking.found, ranking.scored
    at = np.asarray(places, np.int64)
    nums: list[int] = found.nums[at].tolist()
    records = records_of(nums, reader, where)
    listed = [(name, values, _ranks(ranked)) for name, values, ranked in _lists(ranking, at)]
    boosts = [(f"x {name}", each[at].tolist()) for name, each in scored.boosts.items()]
    worth, relevant = scored.scores[at].tolist(), ranking.relevant[at].tolist()
    hits = []
    for row, num in enumerate(nums):
        signals = [Signal(name, values[row], ranks[num]) for name, values, ranks in listed if num in ranks]
        signals += [] if signals else _lent(ranking, places[row])
        signals += [Signal(name, values[row]) for name, values in boosts if abs(values[row] - 1) > _ONE]
        hits.append(Hit(records[num].memory, round(worth[row], 6), round(relevant[row], 4), tuple(signals)))
    return hits


def records_of(nums: Sequence[int], reader: Reader, where: Filter) -> dict[int, Record]:
    """Read rows that a search has found: it has tested everything else, the walls are tested again."""
    records: dict[int, Record] = {}
    for start in range(0, len(nums), _READ):
        some = Test("num", "in", tuple(nums[start : start + _READ]))
        records |= {r.num: r for r in reader.find(Record, where.walls.but(some))}
    return records


def _lent(ranking: Ranking, place: int) -> list[Signal]:
    """Return the signals of a candidate that is in no list: what its neighbours lend, and its cosine."""
    cosine = float(ranking.found.cosine[place])
    lent = Signal("beside", float(ranking.scored.parts["words"][place]))
    return [lent] if isnan(cosine) else [lent, Signal("meaning", cosine)]


def _lists(ranking: Ranking, at: Ints) -> Iterator[tuple[str, list[float], Ints]]:
    """Yield the lists of a search: its name, what it says of these candidates, and the rows it found, best first."""
    found = ranking.found
    yield "words", found.terms[:, at].sum(axis=0).tolist(), found.lexical.nums
    yield "meaning", found.cosine[at].tolist(), found.vector.nums
    yield "time", [1.0] * len(at), found.dated
    yield "graph", found.graph[at].tolist(), found.related


def _ranks(nums: Ints) -> dict[int, int]:
    return dict(zip(nums.tolist(), range(1, len(nums) + 1), strict=True))


DECAY = 0.5  # of the score that is handed on, at each step
SEEDS = 10  # hits that a walk over shared entities starts from
HUB = 200  # memories about an entity from which on it is no bridge
_EXPANSION_MOST = 50  # memories reached by one step of it
_EXPANSION_AT_ONCE = 500


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
    for start in range(0, len(ids), _EXPANSION_AT_ONCE):
        for record in reader.find(Record, request.where.but(Test("id", "in", ids[start : start + _EXPANSION_AT_ONCE]))):
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
        found = reader.find(
            Record, request.where.but(Test("num", "in", wanted)), order="-valid_from", limit=_EXPANSION_MOST
        )
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
        found |= {
            r.num: r for r in reader.find(Record, request.where.but(test), order="-valid_from", limit=_EXPANSION_MOST)
        }
    return sorted(found.values(), key=lambda r: (r.memory.valid_from, r.num), reverse=True)[:_EXPANSION_MOST]


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


_PIPELINE_MOST = 2**31  # hits anybody can ask for
_PAGES = 5  # times k: how far diversity looks for hits that are no copies


@dataclass(frozen=True, slots=True)
class Pool:
    """The best hits as read, and how they came to be ranked."""

    intent: str
    hits: Sequence[Hit]
    ranking: Ranking | None = None


def recall(engine: Engine, request: Request) -> Recall:
    """Find the memories that answer a question, best first; see `MemoryManager.recall`."""
    trace, request = Trace(), replace(request, k=min(request.k, _PIPELINE_MOST))
    engine = copy(engine)  # one embedder throughout, whatever is put in force meanwhile
    request = meant(engine, request, trace)
    asked, notes = phrasings(request)
    if notes:
        trace.add("phrase", 1, len(asked), *notes)
    ways = ways_of(engine, request, asked)
    pool = pooled(engine, request, ways, trace)
    hits = cut(engine, request, pool, placed(request, pool, trace), trace)
    best = max((hit.relevance for hit in hits), default=0.0)
    return Recall(
        hits,
        query=request.query,
        intent=pool.intent,
        trace=trace.stages,
        queries=[way.text for way in asked if not way.passage],
        abstained=bool(request.query.strip()) and request.k > 0 and best < engine.settings.abstain_below,
        pack=lambda found, budget: pack(found, engine.tokenizer, budget),
    )


def pooled(engine: Engine, request: Request, ways: Ways, trace: Trace) -> Pool:
    """Search the store and read the best hits, as many as the later stages need."""
    with reading(engine.store, request.where, request.known_at if request.k > 0 else None) as reader:
        if isinstance(reader, Past):
            count = len(reader.admitted(request.where))
            trace.add("known at", count, count, f"{count} memories seen in an earlier state")
        if request.k <= 0 or not request.query.strip():
            return _unasked(reader, request, trace)
        ranking = rank(reader, request, ways, trace)
        order = ranking.order[ranking.relevant[ranking.order] >= request.min_score].tolist()
        hits = _read(reader, request, ranking, order, _depth(request, ranking))
        return Pool(ranking.question.intent, contested(reader, request.where, hits), ranking)


def _depth(request: Request, ranking: Ranking) -> int:
    """Return how many hits the later stages want to see."""
    if ranking.policy.hits is not None:
        return len(ranking.order)
    return max(request.k, DEPTH) if request.reranker is not None else request.k


def _read(reader: Reader, request: Request, ranking: Ranking, order: Sequence[int], depth: int) -> list[Hit]:
    """Read the best hits, and some more when there are copies among them that are to make room."""
    hits = hits_of(ranking, order[:depth], reader, request.where)
    if ranking.policy.diverse and len(order) > len(hits) and may_hold_copies(hits):
        hits += hits_of(ranking, order[depth : _PAGES * depth], reader, request.where)
    return hits


def _unasked(reader: Reader, request: Request, trace: Trace) -> Pool:
    """Answer an empty question, and one for no hits."""
    question = understand(request.query, request.now, ())
    trace.add("understand", 1, len(question.terms), *understood(question))
    hits = contested(reader, request.where, _newest(reader, request, trace)) if request.k > 0 else []
    return Pool(question.intent, hits)


def placed(request: Request, pool: Pool, trace: Trace) -> list[Hit]:
    """Put the pool in its last order: by the caller's policy, by the reranker, near-copies behind."""
    hits, ranking = list(pool.hits), pool.ranking
    if ranking is None or not hits:
        return hits
    if ranking.policy.hits is not None:
        hits = _judged(hits, request, ranking.policy.name, ranking.policy.hits, trace)
    if request.reranker is not None:
        hits, notes = reranked(hits, request.query, request.reranker)
        trace.add("rerank", len(hits), len(hits), *notes)
    if ranking.policy.diverse and len(hits) > request.k:
        hits, copies = diversified(hits, request.k)
        if copies:
            trace.add("diversify", len(hits), len(hits), f"{len(copies)} near-copies of better hits moved back")
    return hits


def cut(engine: Engine, request: Request, pool: Pool, placed: Sequence[Hit], trace: Trace) -> list[Hit]:
    """Add what is reached from the best, and cut."""
    hits, ranking = list(placed[: request.k]), pool.ranking
    if ranking is None:
        return hits
    candidates = len(ranking.found.nums)
    if request.expand_hops or (request.include_links and any(hit.memory.links for hit in hits)):
        together = joined(hits, _reached(engine, request, ranking, hits))
        if added := len(together) - len(hits):
            # A near-copy is one though a hit is linked to it.
            hits = diversified(together, request.k)[0] if ranking.policy.diverse else together
            candidates += added
            trace.add("links", len(hits) - added, len(hits), f"{added} reached from the hits")
    notes = (f"relevance at least {request.min_score}",) if request.min_score else ()
    trace.add("cut", candidates, min(len(hits), request.k), *notes)
    return hits[: request.k]


def _reached(engine: Engine, request: Request, ranking: Ranking, hits: Sequence[Hit]) -> list[Reached]:
    """Read what is reached from the best in their last order, which foreign code may have made meanwhile."""
    with reading(engine.store, request.where, request.known_at) as reader:
        found = reached(reader, request, ranking, hits, engine)
        found = [each for each in found if each.hit.relevance >= request.min_score]
        disputed = contested(reader, request.where, [each.hit for each in found])
    return [replace(each, hit=hit) for each, hit in zip(found, disputed, strict=True)]


def _judged(hits: Sequence[Hit], request: Request, name: str, policy: RankingPolicy, trace: Trace) -> list[Hit]:
    """Return the hits in the order of a policy that judges one at a time."""

    def scores() -> list[float]:
        found = [float(policy.score(hit, request.query, request.now)) for hit in hits]
        if not all(map(math.isfinite, found)):
            raise ProviderError(f"the ranking policy {name} gave a score that is not a finite number")
        return found

    found = guard(f"the ranking policy {name}", scores)
    if found is None:
        trace.add("policy", len(hits), len(hits), f"{name} failed: ranked by convex")
        return list(hits)
    trace.add("policy", len(hits), len(hits), name)
    ranked = sorted(zip(found, hits, strict=True), key=lambda pair: -pair[0])
    return [replace(hit, score=score, signals=(*hit.signals, Signal(name, score))) for score, hit in ranked]


def _newest(reader: Reader, request: Request, trace: Trace) -> list[Hit]:
    """Without a question, the newest and most important come first."""
    nums = tuple(reader.search_time(request.where, limit=max(BREADTH, request.k)).tolist())
    found = reader.find(Record, request.where.but(Test("num", "in", nums)), order="-valid_from")
    newest = max((record.memory.valid_from for record in found), default=None)

    def worth(memory: Memory) -> float:
        assert newest is not None
        days = (newest - memory.valid_from).total_seconds() / 86_400
        return float(0.5 * 2 ** (-days / 30) + 0.5 * request.retention.effective(memory, request.now))

    ranked = sorted(found, key=lambda record: (-worth(record.memory), -record.num))[: request.k]
    trace.add("newest", len(found), len(ranked), "the question is empty: recency and importance alone")
    return [
        Hit(r.memory, round(worth(r.memory), 6), 0.0, (Signal("recency and importance", worth(r.memory)),))
        for r in ranked
    ]
