"""The read path: a question is understood, candidates are retrieved, ranked, read, reordered and expanded.

The steps of `execute` stand below it in the order in which it takes them. Slow embedders, language models, ranking
policies and rerankers work while no view of the store is held.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field, replace

from engrain.arrays import Ints, np
from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.graph.entity_store import among
from engrain.graph.traversal import VisibleGraph
from engrain.guard import guard
from engrain.llm.tasks import grader
from engrain.model.filters import Filter, Test
from engrain.model.memory import Memory, Scope, Status, slot
from engrain.model.results import Hit, Recall, Signal
from engrain.protocols import RankingPolicy, Reader
from engrain.read.deep import look_again, name_intent, phrasings_of
from engrain.read.history import PastReader, reading
from engrain.read.packing import pack
from engrain.read.question import Phrasing, Question, Trace, understand
from engrain.read.ranking import (
    RERANKED,
    NearCopies,
    RankedCandidates,
    Scoring,
    calibration,
    diversify,
    move_back,
    rank,
    relevance,
    rerank,
    resolve_scoring,
    result_lists,
)
from engrain.read.request import Request
from engrain.read.retrieval import (
    Candidates,
    Matches,
    by_graph,
    embed_question,
    faded,
    gather,
    no_rows,
)
from engrain.storage.interface import text_stats
from engrain.storage.rows import EntityRow, MentionRow, Record
from engrain.validation import is_whole

BREADTH = 200  # candidates of each search
DATED = 50  # candidates by each date that a question names
TERMS = 64  # of a question that it is asked by: of more the rarest, which say the most
_COUNTED = 2_000  # words of a very long question whose frequency is looked up
MAX_HITS = 2**31  # anybody can ask for
_PAGES = 5  # times the hits that are wanted: how far is read on for hits that are no near-copies
_AT_ONCE = 500  # rows that one statement names
_ONE = 1e-6  # multipliers nearer to 1 than this are 1


@dataclass(slots=True)
class Run:
    """One recall: what it works with, and what its steps come to; `reordered` is as `loaded` where nobody reorders."""

    engine: Engine
    request: Request
    scoring: Scoring
    trace: Trace = field(default_factory=Trace)
    ranking: RankedCandidates | None = None
    loaded: Sequence[Hit] = ()
    reordered: Sequence[Hit] = ()


def begin(engine: Engine, request: Request) -> Run:
    """Return a recall that is about to begin, with one embedder throughout, whatever is put in use meanwhile."""
    engine, request = copy(engine), replace(request, k=min(request.k, MAX_HITS))
    return Run(engine, request, request.ranking or resolve_scoring(None, engine.embedder))


def recall(engine: Engine, request: Request) -> Recall:
    """Find the memories that answer a question, best first; see `MemoryManager.recall`."""
    return execute(begin(engine, request))


def recall_deep(engine: Engine, scope: Scope, request: Request, *, max_iterations: int) -> Recall:
    """Recall, and look again in a grader's words as long as it asks for more; see `MemoryManager.recall_deep`."""
    if not is_whole(max_iterations) or max_iterations < 1:
        raise ValueError(f"max_iterations is 1 or more (5 at most count), not {max_iterations!r}")

    def look(text: str, wider: bool) -> Recall:
        hops = max(request.expand_hops, 1) if wider else request.expand_hops
        return recall(engine, replace(request, query=text, expand_hops=hops))

    return look_again(request, look, grader(engine, scope), iterations=max_iterations)


def execute(run: Run) -> Recall:
    """Carry out a recall."""
    if run.request.k <= 0 or not run.request.query.strip():
        return _newest(run)
    phrasings = rephrase(run)
    questions = embed_ahead(run, phrasings)
    with _opened(run) as reader:
        ranking = search(run, reader, questions or read_questions(run, reader, phrasings))
        run.loaded = run.reordered = load(run, reader, ranking)
        is_final = not run.loaded or not is_reordered(run)
        hits = expand(run, reader, ranking, run.loaded) if is_final else ()
    if not is_final:
        run.reordered = reorder(run, run.loaded)
        with _opened(run) as reader:
            hits = expand(run, reader, ranking, run.reordered)
    best = max((hit.relevance for hit in hits), default=0.0)
    return Recall(
        hits,
        query=run.request.query,
        intent=ranking.question.intent,
        trace=run.trace.stages,
        queries=[phrasing.text for phrasing in phrasings if not phrasing.passage],
        abstained=best < run.engine.settings.abstain_below,
        pack=lambda found, budget: pack(found, run.engine.tokenizer, budget),
    )


def _opened(run: Run) -> AbstractContextManager[Reader]:
    return reading(run.engine.store, run.request.where, run.request.known_at)


# ------------------------------------------------------------------------------------------------------- understanding


def rephrase(run: Run) -> list[Phrasing]:
    """Ask a language model for the intent, where one is to be asked, and return all ways to ask the question."""
    request, phrasings = run.request, [Phrasing(run.request.query)]
    if request.intents is not None:
        run.request = request = name_intent(run.engine, request, request.intents, run.trace)
    if request.multi_query > 1 or request.hyde:
        more, notes = phrasings_of(request)
        phrasings += more
        run.trace.add("phrase", 1, len(phrasings), *notes)
    return phrasings


def embed_ahead(run: Run, phrasings: Sequence[Phrasing]) -> list[Question]:
    """Return the questions with their vectors where embedding takes long, so that no view of the store is held then.

    [] where it does not: the built-in embedder is asked with the frequency of each word, which the view tells.
    """
    embedder = run.engine.embedder
    if embedder is None or hasattr(embedder, "embed_weighted"):
        return []
    with _opened(run) as reader:
        questions = read_questions(run, reader, phrasings)
    return [replace(question, embedded=embed_question(question, embedder)) for question in questions]


def read_questions(run: Run, reader: Reader, phrasings: Sequence[Phrasing]) -> list[Question]:
    """Return what is asked, understood: the question itself first, then its other phrasings."""
    request = run.request
    actors = reader.actors(request.where)
    questions = []
    for phrasing in phrasings:
        question = understand(phrasing.text, request.now, actors)
        if phrasing.passage:
            question = replace(question, terms=(), name_terms=())
        if len(question.terms) > TERMS:
            question = _narrowed(reader, question, request.where)
        if phrasing.weight != 1:
            question = replace(question, weight=phrasing.weight)
        questions.append(question)
    if request.intent is not None:
        questions[0] = replace(questions[0], intent=request.intent)
    return questions


def _narrowed(reader: Reader, question: Question, where: Filter) -> Question:
    """Return a long question by its rarest words among those that occur."""
    known = text_stats(reader, question.terms[:_COUNTED], where).frequency
    rare = set(sorted((term for term in known if known[term]), key=known.__getitem__)[:TERMS])
    kept = tuple(term for term in question.terms if term in rare) or question.terms[:1]
    named = {question.terms[place] for place in question.name_terms}
    places = tuple(place for place, term in enumerate(kept) if term in named)
    return replace(question, terms=kept, name_terms=places)


# ------------------------------------------------------------------------------------------------------------ searching


def search(run: Run, reader: Reader, questions: Sequence[Question]) -> RankedCandidates:
    """Retrieve the candidates of a question, asked in one way or several, and rank them."""
    _note_past(run, reader)
    run.trace.add("understand", 1, len(questions[0].terms), *questions[0].notes())
    found = retrieve(run, reader, questions)
    nums = found[0].nums
    waiting = None
    if run.request.include_quarantined:
        tests = Test("num", "in", tuple(nums.tolist())), Test("status", "eq", Status.QUARANTINED)
        waiting = reader.search_time(run.request.where.but(*tests), limit=len(nums))
    ranking = rank(questions, found, run.scoring, calibration=calibration(run.engine.embedder), doubted=waiting)
    run.ranking = ranking
    run.trace.add("fuse and boost", len(nums), len(ranking.order), *ranking.scored.boosts)
    return ranking


def _note_past(run: Run, reader: Reader) -> None:
    if isinstance(reader, PastReader):
        count = len(reader.admitted(run.request.where))
        run.trace.add("known at", count, count, f"{count} memories seen in an earlier state")


def retrieve(run: Run, reader: Reader, questions: Sequence[Question]) -> list[Candidates]:
    """Return the candidates of the question itself, then what each other phrasing says of the same rows."""
    request = run.request
    first = find_matches(run, reader, questions[0], run.trace)
    others = [find_matches(run, reader, question, Trace()) for question in questions[1:]]
    more = [nums for each in others for nums in (each.lexical.nums, each.vector.nums, each.graph.nums)]
    candidates = gather(reader, request.where, questions[0], first, *more)
    listed = len(first.lexical.nums) + len(first.vector.nums) + len(first.dated)
    run.trace.add("gather", listed, len(candidates.nums))
    found = [candidates]
    for question, its in zip(questions[1:], others, strict=True):
        found.append(gather(reader, request.where, question, its, candidates.nums))
    return [replace(each, columns=faded(each.columns, request.retention, request.now)) for each in found]


def find_matches(run: Run, reader: Reader, question: Question, trace: Trace) -> Matches:
    """Search by words, by meaning, by date and over the graph; all filters of the request hold in each."""
    request, embedder, where = run.request, run.engine.embedder, run.request.where
    limit = max(BREADTH, 2 * request.k)
    lexical = reader.search_text(dict.fromkeys(question.terms, 1.0), where, limit=limit)
    stats = lexical.stats
    trace.add("words", stats.documents, len(lexical.nums))
    embedded, vector = question.embedded or embed_question(question, embedder, stats), no_rows()
    notes = embedded.notes
    if embedded.vector is not None:
        vector = reader.search_vector(embedded.embedder, embedded.vector, where, limit=limit)
        if not len(vector.nums) and reader.count(Record, where)[""] > 0:
            notes = (*notes, f"no vectors by {embedded.embedder} in scope: run reindex")
    trace.add("meaning", stats.documents, len(vector.nums), *notes)
    dated = no_rows().nums
    if question.windows:
        lists = [reader.search_time(where, limit=DATED, since=each.start, until=each.end) for each in question.windows]
        dated = np.concatenate(lists)
        trace.add("time", stats.documents, len(dated))
    if not run.scoring.graph:
        return Matches(stats, lexical, vector, dated, no_rows(), embedded)
    at = request.valid_at or request.now
    visible = VisibleGraph(reader, run.engine.packs, request.visible or where, at, request.known_at)
    graph, answered, names = by_graph(visible, question, where)
    if names:
        trace.add("graph", stats.documents, len(graph.nums), "about " + ", ".join(names))
    return Matches(stats, lexical, vector, dated, graph, embedded, answered)


# -------------------------------------------------------------------------------------------------------------- reading


def is_reordered(run: Run) -> bool:
    """Say whether a policy or a reranker puts the hits in another order, for which no view of the store is held."""
    return run.scoring.judge is not None or run.request.reranker is not None


def load(run: Run, reader: Reader, ranking: RankedCandidates) -> list[Hit]:
    """Read the best candidates: the hits, near-copies behind the others, or as many as are to be reordered.

    Where near-copies have to make room, more is read, until there are enough others.
    """
    request = run.request
    order = ranking.order[ranking.relevant[ranking.order] >= request.min_score].tolist()
    wanted = request.k
    if run.scoring.judge is not None:
        wanted = len(order)
    elif request.reranker is not None:
        wanted = max(request.k, RERANKED)
    records, others, copies, seen = dict[int, Record](), list[int](), list[int](), NearCopies()
    is_checked = run.scoring.diverse and len(order) > wanted
    while len(others) < wanted and len(records) < min(len(order), _PAGES * wanted):
        missing = max(wanted - len(others), 1 if not records else wanted // 2)
        some = order[len(records) : min(len(records) + missing, _PAGES * wanted)]
        nums = ranking.candidates.nums[some].tolist()
        read = read_records(reader, request.where, nums)
        for place, num in zip(some, nums, strict=True):
            records[place] = read[num]
            is_copy = is_checked and seen.original(records[place].memory.content) is not None
            (copies if is_copy else others).append(place)
    if is_reordered(run):
        hits = hits_of(ranking, records)
    else:
        if copies:
            note = f"{len(copies)} near-copies of better hits moved back"
            run.trace.add("diversify", len(records), len(records), note)
        hits = hits_of(ranking, {place: records[place] for place in others[:wanted]})
        behind = copies[: wanted - len(hits)]
        hits += move_back(hits_of(ranking, {place: records[place] for place in behind}), hits) if behind else ()
    return contested(reader, request.where, hits)


def read_records(reader: Reader, where: Filter, nums: Sequence[int]) -> dict[int, Record]:
    """Read rows that a search has found, by number: it has tested everything else, the scope is tested again."""
    found: dict[int, Record] = {}
    for start in range(0, len(nums), _AT_ONCE):
        some = Test("num", "in", tuple(nums[start : start + _AT_ONCE]))
        found |= {record.num: record for record in reader.find(Record, where.isolation.but(some))}
    return found


def load_hits(reader: Reader, where: Filter, ranking: RankedCandidates, places: Sequence[int]) -> list[Hit]:
    """Read candidates, by their places, as hits."""
    nums = ranking.candidates.nums[np.array(places, np.int64)].tolist()
    records = read_records(reader, where, nums)
    return hits_of(ranking, {place: records[num] for place, num in zip(places, nums, strict=True)})


def hits_of(ranking: RankedCandidates, records: Mapping[int, Record]) -> list[Hit]:
    """Return the hits of records, given by their places among the candidates."""
    candidates, scored = ranking.candidates, ranking.scored
    at = np.array(list(records), np.int64)
    values = {
        "words": candidates.terms[:, at].sum(axis=0).tolist(),
        "meaning": candidates.cosine[at].tolist(),
        "time": [1.0] * len(at),
        "graph": candidates.graph[at].tolist(),
    }
    ranks = {name: _ranks(nums, candidates.nums[at]) for name, nums in result_lists(candidates).items()}
    boosts = {f"x {name}": each[at].tolist() for name, each in scored.boosts.items()}
    scores, relevant = scored.scores[at].tolist(), ranking.relevant[at].tolist()
    lent = scored.parts["words"][at].tolist()
    hits = []
    for row, record in enumerate(records.values()):
        signals = [Signal(name, values[name][row], its[row]) for name, its in ranks.items() if its[row]]
        if not signals:  # in no list: its neighbours lend it something
            signals = [Signal("beside", lent[row])]
            signals += [] if math.isnan(values["meaning"][row]) else [Signal("meaning", values["meaning"][row])]
        signals += [Signal(name, its[row]) for name, its in boosts.items() if abs(its[row] - 1) > _ONE]
        hits.append(Hit(record.memory, round(scores[row], 6), round(relevant[row], 4), tuple(signals)))
    return hits


def _ranks(listed: Ints, nums: Ints) -> list[int]:
    """Return the rank of each row in a list, from 1; 0 for what it does not hold."""
    ranks = dict(zip(listed.tolist(), range(1, len(listed) + 1), strict=True))
    return [ranks.get(num, 0) for num in nums.tolist()]


def contested(reader: Reader, where: Filter, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with the ids that they contradict: of memories that are active, believed and not superseded.

    The store is asked only when a hit has such a link. Another agent's own memories are not named.
    """
    named = {
        hit.memory.id: dict.fromkeys(link.memory_id for link in hit.memory.links if link.relation == "contradicts")
        for hit in hits
    }
    others = sorted({other for each in named.values() for other in each})
    if not others:
        return list(hits)
    open_ones: set[str] = set()
    for start in range(0, len(others), _AT_ONCE):
        tests = (
            Test("id", "in", tuple(others[start : start + _AT_ONCE])),
            Test("status", "eq", Status.ACTIVE),
            Test("superseded_by", "eq", None),
            Test("believed_until", "eq", None),
        )
        open_ones |= {record.memory.id for record in reader.find(Record, where.isolation.but(*tests))}
    return [
        replace(hit, contested=tuple(other for other in named[hit.memory.id] if other in open_ones)) for hit in hits
    ]


# ----------------------------------------------------------------------------------------------------------- reordering


def reorder(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order of the caller's policy, then of the reranker, near-copies behind."""
    request, hits = run.request, list(hits)
    if run.scoring.judge is not None:
        hits = _judged(run, run.scoring.judge, hits)
    if request.reranker is not None:
        hits, notes = rerank(hits, request.query, request.reranker)
        run.trace.add("rerank", len(hits), len(hits), *notes)
    if run.scoring.diverse:
        hits, copies = diversify(hits, request.k)
        if copies:
            run.trace.add("diversify", len(hits), len(hits), f"{len(copies)} near-copies of better hits moved back")
    return hits


def _judged(run: Run, judge: RankingPolicy, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order of a policy that judges one at a time."""
    name, request, trace = run.scoring.name, run.request, run.trace

    def scores() -> list[float]:
        found = [float(judge.score(hit, request.query, request.now)) for hit in hits]
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


# ------------------------------------------------------------------------------------------------------------ expanding

DECAY = 0.5  # of the score that is handed on, at each step
SEEDS = 10  # hits that a walk over shared entities starts from
HUB = 200  # memories about an entity from which on it is no bridge
_STEP = 50  # memories reached by one step of it


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory that was reached from the hit `origin`, by a link or an entity, for a `share` of its score."""

    record: Record
    origin: str
    share: float
    by: str


def expand(run: Run, reader: Reader, ranking: RankedCandidates, hits: Sequence[Hit]) -> list[Hit]:
    """Return the best k of the hits, of what is linked to them, and of what shares an entity with them.

    Every filter of the recall holds for what is reached. Each memory is reached once, the nearest way, for half the
    score at each step, and stands behind a hit of its own score.
    """
    request, found = run.request, list(hits[: run.request.k])
    reached = _linked(run, reader, found, _bar(run, ranking, found)) if request.include_links else {}
    if request.expand_hops:
        known = {hit.memory.id for hit in found}
        walk = _walked_by_facts if request.known_at is not None else _walked
        for each in walk(run, reader, found):
            if each.record.memory.id not in known:
                reached.setdefault(each.record.memory.id, each)
    more = _reached_hits(run, reader, ranking, list(reached.values()), found) if reached else []
    if more:
        found = join(found, more)
        if run.scoring.diverse:  # a near-copy is one though a hit is linked to it
            found, _ = diversify(found, request.k)
        run.trace.add("links", len(found) - len(more), len(found), f"{len(more)} reached from the hits")
    notes = (f"relevance at least {request.min_score}",) if request.min_score else ()
    run.trace.add("cut", len(ranking.candidates.nums) + len(more), min(len(found), request.k), *notes)
    return found[: request.k]


def _bar(run: Run, ranking: RankedCandidates, hits: Sequence[Hit]) -> float:
    """Return the score that something linked must exceed to be among the best k."""
    k, least = run.request.k, run.request.min_score
    if len(hits) < k or np.count_nonzero(ranking.relevant >= least) <= k:
        return -math.inf
    last = hits[-1]
    is_copy = bool(last.signals) and last.signals[-1].name == "near-copy"  # which makes room
    return -math.inf if is_copy else last.score


def _linked(run: Run, reader: Reader, hits: Sequence[Hit], bar: float) -> dict[str, Reached]:
    """Read what the hits are linked to, by id, as far as it may come to a score above the bar."""
    ids = {hit.memory.id for hit in hits}
    wanted: dict[str, tuple[str, str]] = {}
    for hit in hits:
        if hit.memory.links and handed_on(hit.score, DECAY) > bar:
            for link in hit.memory.links:
                if link.memory_id not in ids:
                    wanted.setdefault(link.memory_id, (hit.memory.id, link.relation))
    linked, found = tuple(wanted), dict[str, Reached]()
    for start in range(0, len(linked), _AT_ONCE):
        some = Test("id", "in", linked[start : start + _AT_ONCE])
        for record in reader.find(Record, run.request.where.but(some)):
            origin, relation = wanted[record.memory.id]
            found[record.memory.id] = Reached(record, origin, DECAY, f"linked: {relation}")
    return found


def handed_on(score: float, share: float) -> float:
    """Return a share of a score, which is less than it below 0 too."""
    return score - (1 - share) * abs(score)


def _walked(run: Run, reader: Reader, hits: Sequence[Hit]) -> Iterator[Reached]:
    """Walk from memory to memory over the entities that they are about, nearest first; each is left by one step only.

    What so many memories are about that it tells nothing is no bridge.
    """
    request = run.request
    graph = VisibleGraph(reader, run.engine.packs, request.where, request.valid_at or request.now)
    frontier = _entities(graph, {hit.memory.id: hit.memory.id for hit in hits[:SEEDS]})
    passed = set[int]()
    for hop in range(1, request.expand_hops + 1):
        about = {node: nums for node in frontier if (nums := _about(graph, node))}
        origins = {num: frontier[node] for node in about for num in about[node]}
        wanted = tuple(sorted(origins, reverse=True))
        found = reader.find(Record, request.where.but(Test("num", "in", wanted)), order="-valid_from", limit=_STEP)
        yield from (Reached(record, origins[record.num], DECAY**hop, "shared entity") for record in found)
        passed.update(frontier)
        further = _entities(graph, {record.memory.id: origins[record.num] for record in found})
        frontier = {node: origin for node, origin in further.items() if node not in passed}


def _entities(graph: VisibleGraph, origins: Mapping[str, str]) -> dict[int, str]:
    """Return what memories are about, each entity with the first hit that led to it."""
    if not origins:
        return {}
    rows = graph.reader.find(Record, graph.where.but(Test("id", "in", tuple(origins))))
    first = {record.num: origins[record.memory.id] for record in rows}
    mentions = among(graph.reader, MentionRow, "num", first, order="num")
    named = {row.id: row for row in among(graph.reader, EntityRow, "id", {row.entity for row in mentions})}
    graph.meet(named.values())
    found: dict[int, str] = {}
    for row in mentions:
        found.setdefault(graph.of(named[row.entity]), first[row.num])
    return found


def _about(graph: VisibleGraph, node: int) -> list[int]:
    """Return the memories about an entity, none where there are too many."""
    here = [Test("entity", "in", tuple(graph.ids([node])))]
    rows = graph.reader.find(MentionRow, here, order="-num", limit=HUB)
    return [row.num for row in rows] if len(rows) < HUB else []


def _walked_by_facts(run: Run, reader: Reader, hits: Sequence[Hit]) -> Iterator[Reached]:
    """Walk from fact to fact as they stood at an earlier time; mentions are known of today's texts only."""
    frontier, passed = _parts((hit.memory, hit.memory.id) for hit in hits[:SEEDS]), set[str]()
    for hop in range(1, run.request.expand_hops + 1):
        found = _with_fact(reader, run.request.where, tuple(frontier))
        origins = [(record.memory, _origin(record.memory, frontier)) for record in found]
        yield from (
            Reached(r, origin, DECAY**hop, "shared entity") for r, (_, origin) in zip(found, origins, strict=True)
        )
        passed.update(frontier)
        frontier = {name: origin for name, origin in _parts(origins).items() if name not in passed}


def _with_fact(reader: Reader, where: Filter, names: Sequence[str]) -> list[Record]:
    """Return the newest memories whose fact has one of these names for its subject or its object."""
    found: dict[int, Record] = {}
    for column in ("subject_key", "object_key") if names else ():  # each by its own index
        test = Test(column, "in", tuple(names))
        found |= {r.num: r for r in reader.find(Record, where.but(test), order="-valid_from", limit=_STEP)}
    return sorted(found.values(), key=lambda r: (r.memory.valid_from, r.num), reverse=True)[:_STEP]


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


def _reached_hits(
    run: Run, reader: Reader, ranking: RankedCandidates, reached: Sequence[Reached], hits: Sequence[Hit]
) -> list[Hit]:
    """Return what was reached as hits: a relevance of their own, and a score from where they were reached."""
    request, scores = run.request, {hit.memory.id: hit.score for hit in hits}
    question, matches = ranking.question, ranking.candidates.matches
    none = replace(matches, lexical=no_rows(), vector=no_rows(), dated=no_rows().nums, graph=no_rows())
    nums = np.array([each.record.num for each in reached], np.int64)
    candidates = gather(reader, request.where, question, none, nums)
    low, high = calibration(run.engine.embedder)
    values = np.round(relevance(question, candidates, low=low, high=high), 4)
    relevant = dict(zip(candidates.nums.tolist(), values.tolist(), strict=True))
    hits = [
        Hit(
            each.record.memory,
            round(handed_on(scores[each.origin], each.share), 6),
            relevant[each.record.num],
            (Signal(each.by, each.share),),
        )
        for each in reached
        if relevant[each.record.num] >= request.min_score
    ]
    return contested(reader, request.where, hits)


def join(hits: Sequence[Hit], more: Sequence[Hit]) -> list[Hit]:
    """Return hits and what was reached from them, best first; a hit stands before what was reached at its own score."""
    return sorted([*hits, *more], key=lambda hit: -hit.score)


# ------------------------------------------------------------------------------------------------- without a question


def _newest(run: Run) -> Recall:
    """Answer an empty question by the newest and most important, and one for no hits by none."""
    request, trace = run.request, run.trace
    question, hits = understand(request.query, request.now, ()), list[Hit]()
    trace.add("understand", 1, len(question.terms), *question.notes())
    if request.k > 0:
        with _opened(run) as reader:
            _note_past(run, reader)
            nums = tuple(reader.search_time(request.where, limit=max(BREADTH, request.k)).tolist())
            found = reader.find(Record, request.where.but(Test("num", "in", nums)), order="-valid_from")
            hits = contested(reader, request.where, _by_recency_and_importance(request, found))
        trace.add("newest", len(found), len(hits), "the question is empty: recency and importance alone")
    tokenizer = run.engine.tokenizer
    return Recall(
        hits,
        query=request.query,
        intent=question.intent,
        trace=trace.stages,
        pack=lambda packed, budget: pack(packed, tokenizer, budget),
    )


def _by_recency_and_importance(request: Request, found: Sequence[Record]) -> list[Hit]:
    """Return the best k of some memories, the newest first."""
    scored = []
    for record in found:
        days = (found[0].memory.valid_from - record.memory.valid_from).total_seconds() / 86_400
        effective = request.retention.effective(record.memory, request.now)
        scored.append((0.5 * 2 ** (-days / 30) + 0.5 * effective, record.num, record.memory))
    best = sorted(scored, key=lambda each: (-each[0], -each[1]))[: request.k]
    return [Hit(memory, round(score, 6), 0.0, (Signal("recency and importance", score),)) for score, _, memory in best]
