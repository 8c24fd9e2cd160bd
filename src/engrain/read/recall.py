"""The read path: a question is analysed, candidates are retrieved, ranked, loaded, reordered and expanded.

The steps of `execute` follow it in the order in which it takes them. Slow embedders, language models, ranking policies
and rerankers are called while no reader of the store is open.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from threading import Lock
from time import monotonic
from typing import NamedTuple, TypeGuard, TypeVar

from engrain.arrays import np
from engrain.engine import Engine
from engrain.errors import ProviderError, StoreError
from engrain.graph.entity_store import among
from engrain.graph.traversal import VisibleGraph
from engrain.guard import guard, log
from engrain.language.locales import has
from engrain.language.times import windows
from engrain.llm.replies import ModelTask, attribution, failure_reason
from engrain.llm.tasks import Intents, grader
from engrain.model.filters import Filter, Test
from engrain.model.memory import Memory, Scope, Status, accessed, slot
from engrain.model.results import Hit, Recall, Signal, Stage
from engrain.protocols import Grade, Grader, QueryTransformer, RankingPolicy, Reader
from engrain.read.history import PastReader, reading, records_among
from engrain.read.packing import pack
from engrain.read.ranking import (
    RERANKED,
    NearCopies,
    RankedCandidates,
    Scoring,
    calibration,
    diversify,
    fuse,
    move_back,
    rank,
    relevance,
    rerank,
    resolve_scoring,
    result_lists,
)
from engrain.read.request import Request, checked_question
from engrain.read.retrieval import (
    INTENTS,
    Candidates,
    Matches,
    Phrasing,
    Question,
    Trace,
    by_graph,
    difficulty,
    embed_question,
    faded,
    gather,
    is_unclear,
    no_rows,
    understand,
)
from engrain.storage.interface import Transaction, by_org, text_stats
from engrain.storage.rows import EntityRow, MentionRow, Record
from engrain.text import digest, normalise
from engrain.validation import is_whole

T = TypeVar("T")

BREADTH = 200  # candidates of each search
DATED = 50  # candidates by each date that a question names
TERMS = 64  # of a question that it is searched by: of more the rarest, which are the most telling
_COUNTED = 2_000  # words of a very long question whose frequency is looked up
MAX_HITS = 2**31  # that a caller can ask for
_PAGES = 5  # times the hits that are wanted: as many are read at most in search of others than near-copies
MAX_PHRASINGS = 6  # of a question, itself included
_VARIANT = 0.5  # of the question's own weight
_READ = 100  # of the strings that a transformer gives
_ONE = 1e-6  # multipliers nearer to 1 than this are 1


@dataclass(slots=True)
class Run:
    """One recall: what it works with, and what its steps result in; `reordered` is `loaded` without a reordering.

    A policy that judges hits, or a reranker, `reorders` them; no reader is open meanwhile.
    """

    engine: Engine
    request: Request
    scoring: Scoring
    reorders: bool
    trace: Trace = field(default_factory=Trace)
    ranking: RankedCandidates | None = None
    loaded: Sequence[Hit] = ()
    reordered: Sequence[Hit] = ()


def begin(engine: Engine, request: Request) -> Run:
    """Return a recall that is about to begin, with one embedder throughout, whatever is put in use meanwhile."""
    engine = copy(engine)
    if request.k > MAX_HITS:
        request = replace(request, k=MAX_HITS)
    scoring = request.ranking or resolve_scoring(None, engine.embedder)
    return Run(engine, request, scoring, scoring.judge is not None or request.reranker is not None)


def recall(engine: Engine, request: Request) -> Recall:
    """Find the memories that answer a question, best first; see `MemoryManager.recall`."""
    return execute(begin(engine, request))


def execute(run: Run) -> Recall:
    """Carry out a recall."""
    if run.request.k <= 0 or not run.request.query.strip():
        return _newest(run)
    phrasings = rephrase(run)
    questions = embed_ahead(run, phrasings)
    with _opened(run) as reader:
        ranking = search(run, reader, questions or read_questions(run, reader, phrasings))
        run.loaded = run.reordered = load(run, reader, ranking)
        is_final = not run.loaded or not run.reorders
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


# ----------------------------------------------------------------------------------------------------------- analysing


def rephrase(run: Run) -> list[Phrasing]:
    """Ask a language model for the intent where the settings say so, and return all phrasings of the question."""
    request, phrasings = run.request, [Phrasing(run.request.query)]
    if request.intents is not None:
        run.request = request = name_intent(run.engine, request, request.intents, run.trace)
    if request.multi_query > 1 or request.hyde:
        more, notes = phrasings_of(request)
        phrasings += more
        run.trace.add("phrase", 1, len(phrasings), *notes)
    return phrasings


def name_intent(engine: Engine, request: Request, intents: Intents, trace: Trace) -> Request:
    """Return the request with the intent that a model names, if the rules leave it unclear and it names one."""
    if not is_unclear(request.query, temporal=_is_temporal(request)):
        return request
    key = digest(request.where.org, request.where.user or "", normalise(request.query).casefold())
    known = engine.intent_cache.get(key)
    if known is not None:
        trace.add("intent", 1, 1, f"intent {known}, as it was told before")
        return replace(request, intent=known)
    failed: list[Exception] = []
    given = guard("telling the intent", lambda: intents.intent(request.query), failed=failed.append)
    if not isinstance(given, str) or given not in INTENTS:
        why = failure_reason(intents, failed) if failed else "it is none of the five"
        trace.add("intent", 1, 1, f"intent by the rules: {why}")
        return request
    engine.intent_cache.put(key, given)
    trace.add("intent", 1, 1, f"intent by {attribution(intents)}")
    return replace(request, intent=given)


def _is_temporal(request: Request) -> bool:
    return has(request.query, "asks_when") or bool(windows(request.query, request.now))


def phrasings_of(request: Request) -> tuple[list[Phrasing], list[str]]:
    """Return the other phrasings of a question, and notes for the trace.

    `multi_query` is the number of phrasings in all, the question included. Without a transformer, or when it fails,
    there are no others, which is no error.
    """
    query, several, failed = request.query, request.multi_query > 1, list[Exception]()
    transformer = request.transformer
    if transformer is None:
        wanted = [name for name, asked in (("multi_query", several), ("hyde", request.hyde)) if asked]
        return [], [f"{' and '.join(wanted)} left out: no query transformer"]

    def guarded(call: Callable[[], T]) -> T | None:
        return guard("the query transformer", call, failed=failed.append)

    found, notes = list[Phrasing](), list[str]()
    if several:
        most = min(request.multi_query, MAX_PHRASINGS) - 1
        more = guarded(lambda: _variants(transformer, query, most)) or []
        found += [Phrasing(text, _VARIANT) for text in more]
        notes += [f"no more than {MAX_PHRASINGS} strings are asked by"] if request.multi_query > MAX_PHRASINGS else []
        notes += [f"also asked: {text}" for text in more] or ["the query transformer gave no variants"]
    if request.hyde:
        passage: object = guarded(lambda: transformer.hypothetical(query))
        if askable(passage):
            found.append(Phrasing(passage, _VARIANT, passage=True))
            notes.append("also looked for what a made-up answer means")
        else:
            notes.append("the query transformer gave no passage")
    if isinstance(transformer, ModelTask):
        notes += [f"rewritten by {attribution(transformer)}"] if found else []
        notes += [failure_reason(transformer, failed[:1])] if failed else []
    return found, notes


def _variants(transformer: QueryTransformer, query: str, most: int) -> list[str]:
    """Return other phrasings, none twice."""
    given = transformer.variants(query, most)
    if isinstance(given, str):
        raise ProviderError("the query transformer gave one string, not a list of them")
    texts = {query.strip().casefold(): query}
    for text in islice(given, _READ):
        if askable(text):
            texts.setdefault(text.strip().casefold(), text.strip())
    return list(texts.values())[1 : most + 1]


def askable(text: object) -> TypeGuard[str]:
    """Return whether what foreign code gave is a question that can be asked: not blank, and not too long."""
    try:
        return bool(checked_question(text, 1).strip())
    except (TypeError, ValueError):
        return False


def embed_ahead(run: Run, phrasings: Sequence[Phrasing]) -> list[Question]:
    """Return the questions with their vectors where embedding is slow, so that no reader is open meanwhile.

    [] where it is not: the built-in embedder needs the frequency of each word, which the reader knows.
    """
    embedder = run.engine.embedder
    if embedder is None or hasattr(embedder, "embed_weighted"):
        return []
    with _opened(run) as reader:
        questions = read_questions(run, reader, phrasings)
    return [replace(question, embedded=embed_question(question, embedder)) for question in questions]


def read_questions(run: Run, reader: Reader, phrasings: Sequence[Phrasing]) -> list[Question]:
    """Return the analysed questions: the question itself first, then its other phrasings."""
    request, questions = run.request, []
    actors = reader.actors(request.where)
    for phrasing in phrasings:
        question = understand(phrasing.text, request.now, actors)
        if phrasing.passage:
            question = replace(question, terms=(), name_terms=())
        if len(question.terms) > TERMS:
            question = _narrowed(reader, question, request.where)
        questions.append(question if phrasing.weight == 1 else replace(question, weight=phrasing.weight))
    if request.intent is not None:
        questions[0] = replace(questions[0], intent=request.intent)
    return questions


def _narrowed(reader: Reader, question: Question, where: Filter) -> Question:
    """Return a long question with its rarest words among those that occur."""
    known = text_stats(reader, question.terms[:_COUNTED], where).frequency
    rare = set(sorted((term for term in known if known[term]), key=known.__getitem__)[:TERMS])
    kept = tuple(term for term in question.terms if term in rare) or question.terms[:1]
    named = {question.terms[place] for place in question.name_terms}
    return replace(question, terms=kept, name_terms=tuple(n for n, term in enumerate(kept) if term in named))


# ----------------------------------------------------------------------------------------------------------- searching


def search(run: Run, reader: Reader, questions: Sequence[Question]) -> RankedCandidates:
    """Retrieve the candidates of a question in all its phrasings, and rank them."""
    if run.request.known_at is not None:
        _note_past(run, reader)
    run.trace.add("understand", 1, len(questions[0].terms), *questions[0].notes())
    found = retrieve(run, reader, questions)
    nums = found[0].nums
    waiting = None
    if run.request.include_quarantined:
        tests = Test("num", "in", tuple(nums.tolist())), Test("status", "eq", Status.QUARANTINED)
        waiting = reader.search_time(run.request.where.but(*tests), limit=len(nums))
    run.ranking = rank(questions, found, run.scoring, calibration=calibration(run.engine.embedder), doubted=waiting)
    run.trace.add("fuse and boost", len(nums), len(run.ranking.order), *run.ranking.scored.boosts)
    return run.ranking


def _note_past(run: Run, reader: Reader) -> None:
    if isinstance(reader, PastReader):
        count = len(reader.admitted(run.request.where))
        run.trace.add("known at", count, count, f"{count} memories seen in an earlier state")


def retrieve(run: Run, reader: Reader, questions: Sequence[Question]) -> list[Candidates]:
    """Return the candidates of the question itself, then what each other phrasing adds to the same rows."""
    request = run.request
    first = find_matches(run, reader, questions[0], run.trace)
    others = [find_matches(run, reader, question, Trace()) for question in questions[1:]]
    more = [nums for each in others for nums in (each.lexical.nums, each.vector.nums, each.graph.nums)]
    found = [gather(reader, request.where, questions[0], first, *more)]
    listed = len(first.lexical.nums) + len(first.vector.nums) + len(first.dated)
    run.trace.add("gather", listed, len(found[0].nums))
    for question, its in zip(questions[1:], others, strict=True):
        found.append(gather(reader, request.where, question, its, found[0].nums))
    return [replace(each, columns=faded(each.columns, request.retention, request.now)) for each in found]


def find_matches(run: Run, reader: Reader, question: Question, trace: Trace) -> Matches:
    """Search by words, by meaning, by date and over the graph; all filters of the request apply in each."""
    request, where = run.request, run.request.where
    limit = max(BREADTH, 2 * request.k)
    lexical = reader.search_text(dict.fromkeys(question.terms, 1.0), where, limit=limit)
    stats = lexical.stats
    trace.add("words", stats.documents, len(lexical.nums))
    embedded, vector = question.embedded or embed_question(question, run.engine.embedder, stats), no_rows()
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


# ------------------------------------------------------------------------------------------------------------- loading


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
    records, others, copies, known = dict[int, Record](), list[int](), list[int](), NearCopies()
    is_checked = run.scoring.diverse and len(order) > wanted
    while len(others) < wanted and len(records) < min(len(order), _PAGES * wanted):
        missing = max(wanted - len(others), 1 if not records else wanted // 2)
        some = order[len(records) : min(len(records) + missing, _PAGES * wanted)]
        read = _records(reader, request.where, ranking, some)
        records |= read
        originals = known.add(each.memory.content for each in read.values()) if is_checked else [None] * len(some)
        for place, original in zip(some, originals, strict=True):
            (others if original is None else copies).append(place)
    if run.reorders:
        return contested(reader, request.where, hits_of(ranking, records))
    if copies:
        note = f"{len(copies)} near-copies of better hits moved back"
        run.trace.add("diversify", len(records), len(records), note)
    hits = hits_of(ranking, {place: records[place] for place in others[:wanted]})
    behind = copies[: wanted - len(hits)]
    if behind:
        hits += move_back(hits_of(ranking, {place: records[place] for place in behind}), hits)
    return contested(reader, request.where, hits)


def _records(reader: Reader, where: Filter, ranking: RankedCandidates, places: Sequence[int]) -> dict[int, Record]:
    """Read candidates by their places: the search has applied the filter, the scope is tested again."""
    nums = ranking.candidates.nums[np.array(places, np.int64)].tolist()
    found = {record.num: record for record in records_among(reader, where.isolation, "num", nums)}
    return {place: found[num] for place, num in zip(places, nums, strict=True)}


def load_hits(reader: Reader, where: Filter, ranking: RankedCandidates, places: Sequence[int]) -> list[Hit]:
    """Read candidates, by their places, as hits."""
    return hits_of(ranking, _records(reader, where, ranking, places))


def hits_of(ranking: RankedCandidates, records: Mapping[int, Record]) -> list[Hit]:
    """Return the hits of records, given by their places among the candidates."""
    candidates, scored = ranking.candidates, ranking.scored
    at = np.array(list(records), np.int64)
    nums, lent = candidates.nums[at].tolist(), scored.parts["words"][at].tolist()
    meaning = candidates.cosine[at].tolist()
    values = {
        "words": candidates.terms[:, at].sum(axis=0).tolist(),
        "meaning": meaning,
        "time": [1.0] * len(at),
        "graph": candidates.graph[at].tolist(),
    }
    ranks = {
        name: dict(zip(listed.tolist(), range(1, len(listed) + 1), strict=True))
        for name, listed in result_lists(candidates).items()
    }
    boosts = {f"x {name}": each[at].tolist() for name, each in scored.boosts.items()}
    scores, relevant = scored.scores[at].tolist(), ranking.relevant[at].tolist()
    hits = []
    for row, (num, record) in enumerate(zip(nums, records.values(), strict=True)):
        signals = [Signal(name, values[name][row], its[num]) for name, its in ranks.items() if num in its]
        if not signals:  # in no list: its neighbours lend it something
            signals = [Signal("beside", lent[row])]
            signals += [] if math.isnan(meaning[row]) else [Signal("meaning", meaning[row])]
        signals += [Signal(name, its[row]) for name, its in boosts.items() if abs(its[row] - 1) > _ONE]
        hits.append(Hit(record.memory, round(scores[row], 6), round(relevant[row], 4), tuple(signals)))
    return hits


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
    tests = Test("status", "eq", Status.ACTIVE), Test("superseded_by", "eq", None), Test("believed_until", "eq", None)
    found = {record.memory.id for record in records_among(reader, where.isolation.but(*tests), "id", others)}
    return [replace(hit, contested=tuple(other for other in named[hit.memory.id] if other in found)) for hit in hits]


# ---------------------------------------------------------------------------------------------------------- reordering


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


def _judged(run: Run, judge: RankingPolicy, hits: list[Hit]) -> list[Hit]:
    """Return the hits in the order of a policy that judges one at a time."""
    name, request, trace = run.scoring.name, run.request, run.trace

    def judged() -> list[float]:
        found = [float(judge.score(hit, request.query, request.now)) for hit in hits]
        if not all(map(math.isfinite, found)):
            raise ProviderError(f"the ranking policy {name} gave a score that is not a finite number")
        return found

    scores = guard(f"the ranking policy {name}", judged)
    if scores is None:
        trace.add("policy", len(hits), len(hits), f"{name} failed: ranked by convex")
        return hits
    trace.add("policy", len(hits), len(hits), name)
    ranked = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])
    return [replace(hit, score=score, signals=(*hit.signals, Signal(name, score))) for score, hit in ranked]


# ----------------------------------------------------------------------------------------------------------- expanding

DECAY = 0.5  # of the score that is handed on, at each step
SEEDS = 10  # hits that a walk over shared entities starts from
HUB = 200  # memories about an entity from which on it is no bridge
_STEP = 50  # memories reached by one step of it


class Reached(NamedTuple):
    """A memory that was reached from the hit `origin`, by a link or an entity, for a `share` of its score."""

    record: Record
    origin: str
    share: float
    by: str


def expand(run: Run, reader: Reader, ranking: RankedCandidates, hits: Sequence[Hit]) -> list[Hit]:
    """Return the best k of the hits, of what is linked to them, and of what shares an entity with them.

    Every filter of the recall applies to what is reached. Each memory is reached once, the nearest way, for half the
    score at each step, and comes after a hit of its own score.
    """
    request, found = run.request, list(hits[: run.request.k])
    reached = _linked(run, reader, ranking, found) if request.include_links else {}
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


def _linked(run: Run, reader: Reader, ranking: RankedCandidates, hits: Sequence[Hit]) -> dict[str, Reached]:
    """Read what the hits are linked to, by id, as far as its score may be among the best k."""
    k, bar = run.request.k, -math.inf
    if len(hits) >= k and np.count_nonzero(ranking.relevant >= run.request.min_score) > k:
        last = hits[-1]
        makes_room = bool(last.signals) and last.signals[-1].name == "near-copy"
        bar = bar if makes_room else last.score
    ids, wanted = {hit.memory.id for hit in hits}, dict[str, tuple[str, str]]()
    for hit in hits:
        if hit.memory.links and handed_on(hit.score, DECAY) > bar:
            for link in hit.memory.links:
                if link.memory_id not in ids:
                    wanted.setdefault(link.memory_id, (hit.memory.id, link.relation))
    found: dict[str, Reached] = {}
    for record in records_among(reader, run.request.where, "id", list(wanted)) if wanted else ():
        origin, relation = wanted[record.memory.id]
        found[record.memory.id] = Reached(record, origin, DECAY, f"linked: {relation}")
    return found


def handed_on(score: float, share: float) -> float:
    """Return a share of a score, which is less than it below 0 too."""
    return score - (1 - share) * abs(score)


def _walked(run: Run, reader: Reader, hits: Sequence[Hit]) -> Iterator[Reached]:
    """Walk from memory to memory over the entities that they are about, nearest first; an entity is left once only.

    An entity of very many memories is no bridge.
    """
    request = run.request
    graph = VisibleGraph(reader, run.engine.packs, request.where, request.valid_at or request.now)
    frontier = _entities(graph, {hit.memory.id: hit.memory.id for hit in hits[:SEEDS]})
    passed = set[int]()
    for hop in range(1, request.expand_hops + 1):
        origins: dict[int, str] = {}
        for node, origin in frontier.items():
            here = [Test("entity", "in", tuple(graph.ids([node])))]
            rows = reader.find(MentionRow, here, order="-num", limit=HUB)
            origins |= {row.num: origin for row in rows} if len(rows) < HUB else {}
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


def _walked_by_facts(run: Run, reader: Reader, hits: Sequence[Hit]) -> Iterator[Reached]:
    """Walk from fact to fact as they were at an earlier time; mentions are known of today's texts only."""
    frontier, passed = _parts((hit.memory, hit.memory.id) for hit in hits[:SEEDS]), set[str]()
    for hop in range(1, run.request.expand_hops + 1):
        known: dict[int, Record] = {}
        for column in ("subject_key", "object_key") if frontier else ():  # each by its own index
            where = run.request.where.but(Test(column, "in", tuple(frontier)))
            known |= {record.num: record for record in reader.find(Record, where, order="-valid_from", limit=_STEP)}
        found = sorted(known.values(), key=lambda each: (each.memory.valid_from, each.num), reverse=True)[:_STEP]
        origins = []
        for record in found:
            origin = next(frontier[name] for name in _parts([(record.memory, "")]) if name in frontier)
            origins.append((record.memory, origin))
            yield Reached(record, origin, DECAY**hop, "shared entity")
        passed.update(frontier)
        frontier = {name: origin for name, origin in _parts(origins).items() if name not in passed}


def _parts(memories: Iterable[tuple[Memory, str]]) -> dict[str, str]:
    """Return what the facts of memories are about, each with the first hit that led to it."""
    found: dict[str, str] = {}
    for memory, origin in memories:
        if memory.fact is not None:
            keys = slot(memory.fact)
            found.setdefault(keys.subject, origin)
            found.setdefault(keys.object, origin)
    return found


def _reached_hits(
    run: Run, reader: Reader, ranking: RankedCandidates, reached: Sequence[Reached], hits: Sequence[Hit]
) -> list[Hit]:
    """Return what was reached as hits: a relevance of their own, and a score from where they were reached."""
    request, scores = run.request, {hit.memory.id: hit.score for hit in hits}
    question, matches = ranking.question, ranking.candidates.matches
    none = matches._replace(lexical=no_rows(), vector=no_rows(), dated=no_rows().nums, graph=no_rows())
    nums = np.array([each.record.num for each in reached], np.int64)
    candidates = gather(reader, request.where, question, none, nums)
    low, high = calibration(run.engine.embedder)
    values = np.round(relevance(question, candidates, low=low, high=high), 4)
    relevant = dict(zip(candidates.nums.tolist(), values.tolist(), strict=True))
    found = []
    for record, origin, share, by in reached:
        if relevant[record.num] >= request.min_score:
            score = round(handed_on(scores[origin], share), 6)
            found.append(Hit(record.memory, score, relevant[record.num], (Signal(by, share),)))
    return contested(reader, request.where, found)


def join(hits: Sequence[Hit], more: Sequence[Hit]) -> list[Hit]:
    """Return hits and what was reached from them, best first; of equal scores the hit comes first."""
    return sorted([*hits, *more], key=lambda hit: -hit.score)


# -------------------------------------------------------------------------------------------------- without a question


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
            scored = []
            for record in found:
                days = (found[0].memory.valid_from - record.memory.valid_from).total_seconds() / 86_400
                effective = request.retention.effective(record.memory, request.now)
                scored.append((0.5 * 2 ** (-days / 30) + 0.5 * effective, record.num, record.memory))
            best = sorted(scored, key=lambda each: (-each[0], -each[1]))[: request.k]
            by = "recency and importance"
            hits = [Hit(memory, round(score, 6), 0.0, (Signal(by, score),)) for score, _, memory in best]
            hits = contested(reader, request.where, hits)
        trace.add("newest", len(found), len(hits), "the question is empty: recency and importance alone")
    tokenizer = run.engine.tokenizer
    return Recall(
        hits,
        query=request.query,
        intent=question.intent,
        trace=trace.stages,
        pack=lambda packed, budget: pack(packed, tokenizer, budget),
    )


# --------------------------------------------------------------------------------------------------------- deep recall

MAX_LOOKS = 5
_SHOWN = 8  # hits that a grader receives


def recall_deep(engine: Engine, scope: Scope, request: Request, *, max_iterations: int) -> Recall:
    """Recall, and again in a grader's words as long as it asks for more; see `MemoryManager.recall_deep`.

    An easy question, any without a grader and one for no hits is asked once and not graded. Hits are always judged
    against the question as it was asked. A grader that fails ends the loop, which is no abstention.
    """
    if not is_whole(max_iterations) or max_iterations < 1:
        raise ValueError(f"max_iterations is 1 or more (5 at most count), not {max_iterations!r}")
    query, judge = request.query, grader(engine, scope)
    rated = difficulty(query, temporal=_is_temporal(request))
    why = "easy" if not rated.hard else "no grader" if judge is None else "no hits wanted" if request.k <= 0 else ""
    notes = (f"{rated.score:.2f}: {', '.join(rated.reasons) or 'plain'}", *([f"{why}: one look"] if why else []))
    queries, found = [query], [recall(engine, request)]
    trace = [Stage("difficulty", 1, 1, 0.0, notes), *found[0].trace]
    if judge is None or why:
        first = found[0]
        return first.among(first, trace=trace, abstained=first.abstained, sufficient=True, queries=queries)
    wider = replace(request, expand_hops=max(request.expand_hops, 1))
    while True:
        hits = found[0] if len(found) == 1 else fuse(query, found)[: request.k]
        grade, notes = _graded(judge, query, hits)
        trace.append(Stage("grade", len(hits), len(hits), 0.0, notes))
        words = (grade.reformulation or "").strip()
        enough = grade.sufficient or len(found) >= min(max_iterations, MAX_LOOKS)
        if enough or not words or words.casefold() in {each.strip().casefold() for each in queries}:
            sufficient = grade.sufficient
            return found[0].among(hits, trace=trace, abstained=not sufficient, sufficient=sufficient, queries=queries)
        queries.append(words)
        found.append(recall(engine, replace(wider, query=words)))
        trace += found[-1].trace


def _graded(grader: Grader, query: str, hits: Sequence[Hit]) -> tuple[Grade, tuple[str, ...]]:
    """Return a grade, and notes on it; a language model receives no quarantined hit."""
    asks = isinstance(grader, ModelTask)
    hits = [hit for hit in hits if not (asks and hit.memory.status is Status.QUARANTINED)]

    def judged() -> Grade:
        grade = grader.grade(query, hits[:_SHOWN])
        if not isinstance(grade, Grade):
            raise ProviderError(f"the grader gave a {type(grade).__name__}, not a Grade")
        sufficient: object = grade.sufficient
        if not isinstance(sufficient, bool) or not math.isfinite(grade.confidence):
            raise ProviderError(f"the grader gave no verdict: {grade}")
        return grade if askable(grade.reformulation) else replace(grade, reformulation=None)

    failed: list[Exception] = []
    grade = guard("the grader", judged, failed=failed.append)
    if grade is None:
        why = [failure_reason(grader, failed)] if asks else []
        return Grade(sufficient=True, confidence=0.0), ("the grader failed: no further look", *why)
    notes = [f"{'sufficient' if grade.sufficient else 'not sufficient'}, confidence {grade.confidence:.2f}"]
    notes += [f"ask again: {grade.reformulation}"] if grade.reformulation and not grade.sufficient else []
    notes += [f"graded by {attribution(grader)}"] if asks else []
    return grade, tuple(notes)


# ------------------------------------------------------------------------------------------------------------ accesses

MAX_WAITING, MAX_SECONDS = 500, 2.0
MAX_STRENGTH, STEP = 2.0, 0.1


class _Accesses(NamedTuple):
    """The accesses of one memory that are not written yet."""

    org: str
    times: int
    latest: tuple[datetime, ...]  # the last three, latest first


class AccessLog:
    """The accesses not yet written, which go to the store in small transactions; a crash loses counts only."""

    def __init__(self) -> None:
        self._since = 0.0
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._lock = Lock()
        self._unwritten: dict[str, _Accesses] = {}

    def _reset_after_fork(self) -> None:
        if self._owner != os.getpid():  # the parent writes what it has recorded
            self._begin()

    def add(self, org: str, ids: Sequence[str], now: datetime) -> None:
        """Count one access for each id, which is of a memory of this org."""
        self._reset_after_fork()
        with self._lock:
            if ids and not self._unwritten:
                self._since = monotonic()
            for memory_id in ids:
                known = self._unwritten.get(memory_id)
                latest = (now,) if known is None else tuple(sorted((*known.latest, now), reverse=True)[:3])
                self._unwritten[memory_id] = _Accesses(org, 1 if known is None else known.times + 1, latest)

    def due(self) -> bool:
        """Return whether there are enough to be written, or they have waited long enough."""
        self._reset_after_fork()
        with self._lock:
            waited = bool(self._unwritten) and monotonic() - self._since >= MAX_SECONDS
            return waited or len(self._unwritten) >= MAX_WAITING

    @property
    def waiting(self) -> bool:
        """Whether something is not written yet."""
        return bool(self._unwritten)

    def shown(self, memory: Memory) -> Memory:
        """Return the memory with the accesses that are not written yet."""
        with self._lock:
            accesses = self._unwritten.get(memory.id)
            return memory if accesses is None else _counted(memory, accesses)

    def write(self, engine: Engine) -> None:
        """Write what is recorded; a store that cannot be written keeps no counts."""
        self._reset_after_fork()
        with self._lock:
            gathered, self._unwritten = self._unwritten, {}
        if not gathered or engine.store.read_only:
            return
        try:
            for org, ids in by_org(gathered, lambda memory_id: gathered[memory_id].org).items():
                engine.store.write(partial(_write, {memory_id: gathered[memory_id] for memory_id in ids}), org)
        except StoreError as error:
            log.warning("access counts were not written: %s", error)


def _counted(memory: Memory, accesses: _Accesses) -> Memory:
    last, before = accessed(memory, accesses.latest)
    strength = min(MAX_STRENGTH, round(memory.strength + STEP * accesses.times, 6))
    count = memory.access_count + accesses.times
    return replace(memory, access_count=count, last_accessed=last, accessed_before=before, strength=strength)


def _write(gathered: Mapping[str, _Accesses], transaction: Transaction) -> None:
    for record in transaction.find(Record, [Test("id", "in", tuple(gathered))]):
        memory = _counted(record.memory, gathered[record.memory.id])
        second, third = (*memory.accessed_before, None, None)[:2]
        transaction.update(
            Record,
            [Test("num", "eq", record.num)],
            access_count=memory.access_count,
            last_accessed=memory.last_accessed,
            accessed_2=second,
            accessed_3=third,
            strength=memory.strength,
        )
