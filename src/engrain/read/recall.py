"""The read path, in the order of execution: slow embedders, models and rerankers are called with no reader open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.graph.traversal import VisibleGraph
from engrain.guard import checkpoint, guard
from engrain.lazy import np
from engrain.model.filters import Filter, Test
from engrain.model.memory import Status
from engrain.model.results import Hit, Recall, Signal
from engrain.protocols import RankingPolicy, Reader
from engrain.read import ranking as rankings
from engrain.read import retrieval
from engrain.read.history import PastReader
from engrain.read.packing import pack, relevant
from engrain.read.phrasing import name_intent, other_phrasings
from engrain.read.ranking import NEAR_COPY, RankedCandidates, calibration, diversify, rank, relevance, trusted_first
from engrain.read.request import Request, reading
from engrain.read.retrieval import Matches, Phrasing, Question, Trace, gather, no_rows, with_actors
from engrain.storage.interface import among, text_stats
from engrain.storage.rows import EntityRow, MentionRow, Record, distinct

BREADTH = 200  # candidates of each search
DATED = 50  # candidates for each date that a question names
TERMS = 64  # terms of a question that are searched: of more the rarest, which are the most informative
_COUNTED = 2_000  # words of a very long question whose frequency is looked up
MAX_HITS = 2**31  # that a caller can request
_PAGES = 5  # times the requested hits: the most that are loaded to find others than near-copies
_WAITING = Test("waiting", "eq", "quarantine")
_ACTIVE = Test("status", "eq", Status.ACTIVE)
_ADMISSIBLE = Test("status", "in", (Status.ACTIVE, Status.QUARANTINED))
_QUARANTINED = Test("status", "eq", Status.QUARANTINED)  # those, and unconfirmed procedures: as in the index
_ONE = 1e-6  # multipliers nearer to 1 than this are 1, and parts nearer to 0 are 0
_FEW = 100  # of those that wait, that are tested first
DECAY = 0.5  # factor of the score at each step
SEEDS = 10  # hits that a walk over shared entities starts from
HUB = 200  # memories about an entity from which on it is not used as a bridge
_STEP = 50  # memories reached by one step of it


@dataclass(slots=True)
class Run:
    """One recall: its inputs, and the results of its steps; `reordered` is `loaded` without a policy or a reranker."""

    engine: Engine
    request: Request
    scoring: rankings.Scoring
    reorders: bool
    questions: Sequence[Question] = ()
    trace: Trace = field(default_factory=Trace)
    ranking: RankedCandidates | None = None
    loaded: Sequence[Hit] = ()
    reordered: Sequence[Hit] = ()


def begin(engine: Engine, request: Request) -> Run:
    """Return a recall that is about to begin; it keeps its embedder even if another is configured meanwhile."""
    engine = copy(engine)
    if request.k > MAX_HITS:
        request = replace(request, k=MAX_HITS)
    scoring = request.ranking or rankings.resolve_scoring(None, engine.embedder)
    return Run(engine, request, scoring, scoring.judge is not None or request.reranker is not None)


def recall(engine: Engine, request: Request) -> Recall:
    """Find the memories that answer a question, best first; see `MemoryManager.recall`."""
    return execute(begin(engine, request))


def execute(run: Run) -> Recall:
    """Execute a recall; it stops between two stages once it is cancelled, see `engrain.guard`."""
    checkpoint()
    if run.request.k <= 0 or not run.request.query.strip():
        return _newest(run)
    phrasings = [Phrasing(run.request.query)]
    if run.request.intents is not None:
        run.request = name_intent(run.engine, run.request, run.request.intents, run.trace)
    if run.request.multi_query > 1 or run.request.hyde:
        phrasings += other_phrasings(run.request, run.trace)
    run.questions = read_questions(run, phrasings)
    with _opened(run) as reader:
        ranking = search(run, reader)
        in_scope = run.request.where.isolation.but(_WAITING)
        waiting, run.loaded = reader.together(
            lambda: run.request.counts_waiting and reader.count(Record, in_scope)[""],
            lambda: load(run, reader, ranking),
            last=True,
        )
        waiting, run.reordered = count_waiting(run, reader, ranking) if waiting else 0, run.loaded
        is_final = not run.loaded or not run.reorders
        hits = finished(run, reader, ranking, run.loaded) if is_final else []
    if not is_final:
        run.reordered = reorder(run, run.loaded)
        with _opened(run) as reader:
            hits = finished(run, reader, ranking, run.reordered)
    abstained = max((hit.relevance for hit in hits), default=0.0) < run.engine.settings.abstain_below
    return _found(run, ranking.question, hits, phrasings, abstained=abstained, held_back=waiting)


def _found(
    run: Run,
    question: Question,
    hits: Sequence[Hit],
    phrasings: Sequence[Phrasing] = (),
    *,
    abstained: bool = False,
    held_back: int = 0,
) -> Recall:
    tokenizer, least = run.engine.tokenizer, run.request.least_shown(run.engine.settings)
    if run.request.read_at is not None:
        hits = [replace(hit, memory=replace(hit.memory, read_at=run.request.read_at)) for hit in hits]
    return Recall(
        hits,
        query=run.request.query,
        intent=question.intent,
        trace=run.trace.stages,
        queries=[phrasing.text for phrasing in phrasings if not phrasing.passage],
        abstained=abstained,
        held_back=held_back,
        pack=lambda found, budget: pack(relevant(found, least), tokenizer, budget, question=found.query),
    )


def _opened(run: Run) -> AbstractContextManager[Reader]:
    return reading(run.engine, run.request.where, run.request.known_at)


def read_questions(run: Run, phrasings: Sequence[Phrasing]) -> list[Question]:
    """Return the original question and its other phrasings, embedded if that is slow: no reader is open meanwhile."""
    request, embedder, questions = run.request, run.engine.embedder, list[Question]()
    for phrasing in phrasings:
        question = replace(retrieval.understand(phrasing.text, request.now), weight=phrasing.weight)
        questions.append(replace(question, terms=()) if phrasing.passage else question)
    if request.intent is not None:
        questions[0] = replace(questions[0], intent=request.intent)
    if embedder is None or hasattr(embedder, "embed_weighted"):
        return questions
    with _opened(run) as reader:
        actors = reader.actors(request.where)
    questions = [with_actors(question, actors) for question in questions]
    return [replace(question, embedded=retrieval.embed_question(question, embedder)) for question in questions]


def search(run: Run, reader: Reader) -> RankedCandidates:
    """Retrieve the candidates of a question in all its phrasings, and rank them."""
    _note_past(run, reader)
    found = retrieve(run, reader)
    nums, waiting = found[0].nums, None
    if run.request.include_quarantined:
        hidden = run.request.where.but(Test("num", "in", tuple(nums.tolist())), _QUARANTINED)
        waiting = reader.search_time(hidden, limit=len(nums))
    run.ranking = rank(run.questions, found, run.scoring, calibration=calibration(run.engine.embedder), doubted=waiting)
    run.trace.add("fuse and boost", len(nums), len(run.ranking.order), *run.ranking.scored.boosts)
    return run.ranking


def count_waiting(run: Run, reader: Reader, ranking: RankedCandidates) -> int:
    """Count what would be among the best k and relevant enough if admitted, 0 for those who may not admit it."""
    request, first, matches = run.request, run.questions[0], ranking.candidates.matches
    where, quarantined = (_with_status(request.where, test) for test in (_ADMISSIBLE, _QUARANTINED))
    least, none = max(request.min_score, run.engine.settings.abstain_below), no_rows()
    some, (low, high) = reader.search_time(quarantined, limit=_FEW), calibration(run.engine.embedder)
    if len(some) == _FEW:  # of more, the nearest ones, or those of the time asked for
        by_words = reader.search_text(dict.fromkeys(first.terms, 1.0), quarantined, limit=_FEW)
        vector, made_by = matches.embedded.vector, matches.embedded.embedder
        alike = none if vector is None else reader.search_vector(made_by, vector, quarantined, limit=_FEW)
        dated = (reader.search_time(quarantined, limit=_FEW, since=w.start, until=w.end) for w in first.windows)
        some = distinct(by_words.nums, alike.nums, *dated)
    matches = matches._replace(lexical=none, vector=none, dated=none.nums, graph=none)
    candidates = gather(reader, where, first, matches, some, sessions=0)
    if relevance(first, candidates, low=low, high=high).max(initial=0.0) < least:
        return 0  # the common case: none is relevant to the question
    found = retrieve(replace(run, request=replace(request, where=where), trace=Trace()), reader)
    ranking = rank(run.questions, found, run.scoring, calibration=(low, high))
    best = found[0].nums[ranking.order[: request.k]][ranking.relevant[ranking.order[: request.k]] >= least]
    return reader.count(Record, where.but(_WAITING, Test("num", "in", tuple(best.tolist()))))[""]


def _with_status(where: Filter, wanted: Test) -> Filter:
    """Return a filter of active memories for those of another status."""
    conditions = (wanted if each == _ACTIVE else each for each in where.conditions)
    return replace(where, conditions=tuple(conditions))


def _note_past(run: Run, reader: Reader) -> None:
    if isinstance(reader, PastReader):
        count = len(reader.admitted(run.request.where))
        run.trace.add("known at", count, count, f"{count} memories seen in an earlier state")


def retrieve(run: Run, reader: Reader) -> list[retrieval.Candidates]:
    """Return the candidates of the original question, then what each other phrasing adds to the same rows."""
    where, limit, trace = run.request.where, max(BREADTH, 2 * run.request.k), run.trace
    question, first = find_matches(run, reader, run.questions[0], trace)
    questions, others, more = [question], list[Matches](), [no_rows().nums]
    for phrased in run.questions[1:]:
        other = phrased if phrased.actors is not None else with_actors(phrased, question.actors or ())
        other, its = find_matches(run, reader, other, Trace())
        vector, made_by = its.embedded.vector, its.embedded.embedder
        if vector is not None:
            its = its._replace(vector=reader.search_vector(made_by, vector, where, limit=limit))
        questions.append(other)
        others.append(its)
        more += [its.lexical.nums, its.vector.nums, its.graph.nums]
    run.questions = questions
    found = [gather(reader, where, question, first, *more, near=limit)]
    nearest, notes = len(found[0].matches.vector.nums), first.embedded.notes
    if first.embedded.vector is not None and not nearest and reader.count(Record, where)[""] > 0:
        notes = (*notes, f"no vectors by {first.embedded.embedder} in scope: run reindex")
    trace.add("meaning", first.stats.documents, nearest, *notes)
    trace.add("gather", len(first.lexical.nums) + nearest + len(first.dated), len(found[0].nums))
    for question, its in zip(questions[1:], others, strict=True):
        found.append(gather(reader, where, question, its, found[0].nums))
    return found


def find_matches(run: Run, reader: Reader, question: Question, trace: Trace) -> tuple[Question, Matches]:
    """Search by words, date and graph under all filters; return the question, embedded, with its actors."""
    request, where = run.request, run.request.where
    if len(question.terms) > TERMS:  # only the rarest words that occur in the store
        known = text_stats(reader, question.terms[:_COUNTED], where).frequency
        rare = set(sorted((term for term in known if known[term]), key=known.__getitem__)[:TERMS])
        kept = tuple(term for term in question.terms if term in rare) or question.terms[:1]
        question = replace(question, terms=kept)
    asked = question
    names = retrieval.possible_names(asked.text, run.engine.packs) if run.scoring.graph else {}
    at = request.read_at or request.now
    graph = VisibleGraph(reader, run.engine.packs, request.visible or where, at, request.known_at)
    actors, lexical, named, *times = reader.together(
        lambda: reader.actors(where) if asked.actors is None else asked.actors,
        lambda: reader.search_text(dict.fromkeys(asked.terms, 1.0), where, limit=max(BREADTH, 2 * request.k)),
        lambda: retrieval.named_entities(graph, names) if names else (),
        *(partial(reader.search_time, where, limit=DATED, since=w.start, until=w.end) for w in question.windows),
    )
    question = retrieval.with_called(reader, where, with_actors(question, actors), lexical.stats)
    trace.add("understand", 1, len(question.terms), *question.notes())
    stats = lexical.stats
    embedded = question.embedded or retrieval.embed_question(question, run.engine.embedder, stats)
    trace.add("words", stats.documents, len(lexical.nums))
    dated = np.concatenate([no_rows().nums, *times])
    if question.windows:
        trace.add("time", stats.documents, len(dated))
    reached, answered, about = retrieval.by_graph(graph, named, question, where)
    if about:
        trace.add("graph", stats.documents, len(reached.nums), "about " + ", ".join(about))
    return question, Matches(stats, lexical, no_rows(), dated, reached, embedded, answered)


def load(run: Run, reader: Reader, ranking: RankedCandidates) -> list[Hit]:
    """Load the best candidates, near-copies after others: as many as are returned or reranked."""
    request = run.request
    order = ranking.order[ranking.relevant[ranking.order] >= request.min_score].tolist()
    wanted = request.k
    if run.scoring.judge is not None:
        wanted = len(order)
    elif request.reranker is not None:
        wanted = max(request.k, rankings.RERANKED)
    read: list[Hit] = []

    def pages() -> Iterator[Hit]:
        start, size = 0, wanted
        while start < min(len(order), _PAGES * wanted):
            checkpoint()
            page = load_hits(reader, request.where, ranking, order[start : start + size])
            read.extend(page)
            yield from page
            start, size = start + size, max(wanted // 2, 1)

    if not run.scoring.diverse or len(order) <= wanted:
        return contested(reader, request.where, list(islice(pages(), wanted)))
    others, copies = rankings.divide(pages(), wanted)
    if run.reorders:
        return contested(reader, request.where, read)
    hits = contested(reader, request.where, [*others, *rankings.move_back(copies[: wanted - len(others)], others)])
    if copies:
        run.trace.add("diversify", len(read), len(read), f"{len(copies)} near-copies of better hits moved back")
    return hits


def load_hits(reader: Reader, where: Filter, ranking: RankedCandidates, places: Sequence[int]) -> list[Hit]:
    """Load candidates, by their indices, as hits: the search has applied the filter, the scope is tested again."""
    nums = ranking.candidates.nums[np.array(places, np.int64)].tolist()
    found = {record.num: record for record in reader.find(Record, where.isolation.but(Test("num", "in", tuple(nums))))}
    return hits_of(ranking, {place: found[num] for place, num in zip(places, nums, strict=True) if num in found})


def hits_of(ranking: RankedCandidates, records: Mapping[int, Record]) -> list[Hit]:
    """Return the hits of records, given by their indices among the candidates."""
    candidates, scored = ranking.candidates, ranking.scored
    at = np.array(list(records), np.int64)
    nums = candidates.nums[at].tolist()
    values = {
        "words": candidates.terms[:, at].sum(axis=0).tolist(),
        "meaning": candidates.cosine[at].tolist(),
        "time": [1.0] * len(at),
        "graph": candidates.graph[at].tolist(),
    }
    lists = rankings.result_lists(candidates).items()
    ranks = {name: dict(zip(listed.tolist(), range(1, len(listed) + 1), strict=True)) for name, listed in lists}
    parts = [(f"+ {name}", each[at].tolist()) for name, each in scored.parts.items()]
    boosts = {f"x {name}": each[at].tolist() for name, each in scored.boosts.items()}
    scores, relevant = scored.scores[at].tolist(), ranking.relevant[at].tolist()
    hits = []
    for row, (num, record) in enumerate(zip(nums, records.values(), strict=True)):
        signals = [Signal(name, values[name][row], its[num]) for name, its in ranks.items() if num in its]
        signals += [Signal(name, its[row]) for name, its in parts if abs(its[row]) > _ONE]
        signals += [Signal(name, its[row]) for name, its in boosts.items() if abs(its[row] - 1) > _ONE]
        hits.append(Hit(record.memory, round(scores[row], 6), round(relevant[row], 4), tuple(signals)))
    return hits


def contested(reader: Reader, where: Filter, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with the ids of live memories that they contradict, not those of another agent alone."""
    named = {
        hit.memory.id: dict.fromkeys(link.memory_id for link in hit.memory.links if link.relation == "contradicts")
        for hit in hits
    }
    others = sorted({other for each in named.values() for other in each})
    if not others:
        return list(hits)
    tests = Test("status", "eq", Status.ACTIVE), Test("superseded_by", "eq", None), Test("believed_until", "eq", None)
    current = where.isolation.but(*tests, Test("id", "in", tuple(others)))
    found = {record.memory.id for record in reader.find(Record, current)}
    return [replace(hit, contested=tuple(other for other in named[hit.memory.id] if other in found)) for hit in hits]


def reorder(run: Run, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits in the order of the caller's policy, then of the reranker, near-copies last."""
    request, hits = run.request, list(hits)
    if run.scoring.judge is not None:
        hits = _judged(run, run.scoring.judge, hits)
    if request.reranker is not None:
        hits, notes = rankings.rerank(hits, request.query, request.reranker)
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
    return [replace(hit, score=new, signals=(*rankings.without_parts(hit), Signal(name, new))) for new, hit in ranked]


def finished(run: Run, reader: Reader, ranking: RankedCandidates, hits: Sequence[Hit]) -> list[Hit]:
    """Return the best k hits with the memories they lead to, less trusted ones behind more trusted ones."""
    found = expand(run, reader, ranking, hits)
    ordered = trusted_first(reader, run.request.where, found, run.request.query)[: run.request.k]
    moved = sum(hit.signals[-1].name == rankings.BEFORE_RIVAL for hit in ordered if hit.signals)
    if moved or len(ordered) < len(found):
        notes = (f"{moved} before less trusted ones about the same",) if moved else ()
        run.trace.add("trust", len(found), len(ordered), *notes)
    return ordered


class Reached(NamedTuple):
    """A memory reached from the hit `origin`, by a link or an entity, with a `share` of its score."""

    record: Record
    origin: str
    share: float
    by: str


def expand(run: Run, reader: Reader, ranking: RankedCandidates, hits: Sequence[Hit]) -> list[Hit]:
    """Return the best k of the hits and of what is linked to them, or shares an entity, at half the score a step."""
    request, found = run.request, list(hits[: run.request.k])
    known, reached = {hit.memory.id for hit in found}, dict[str, Reached]()
    linked = _linked(run, reader, ranking, found) if request.include_links else ()
    for each in chain(linked, _walked(run, reader, found) if request.expand_hops else ()):
        if each.record.memory.id not in known:
            reached.setdefault(each.record.memory.id, each)
    more = _reached_hits(run, reader, ranking, list(reached.values()), found) if reached else []
    if more:
        found = join(found, more)
        if run.scoring.diverse:  # a near-copy is one even if a hit is linked to it
            found, _ = diversify(found, request.k)
        run.trace.add("links", len(found) - len(more), len(found), f"{len(more)} reached from the hits")
    notes = (f"relevance at least {request.min_score}",) if request.min_score else ()
    run.trace.add("cut", len(ranking.candidates.nums) + len(more), min(len(found), request.k), *notes)
    return found[: request.k]


def _linked(run: Run, reader: Reader, ranking: RankedCandidates, hits: Sequence[Hit]) -> Iterator[Reached]:
    """Load the memories linked to the hits, as far as their score may be among the best k."""
    k, bar = run.request.k, -math.inf
    is_full = len(hits) >= k and np.count_nonzero(ranking.relevant >= run.request.min_score) > k
    if is_full and not (hits[-1].signals and hits[-1].signals[-1].name == NEAR_COPY):  # which is displaced
        bar = hits[-1].score
    ids, wanted = {hit.memory.id for hit in hits}, dict[str, tuple[str, str]]()
    for hit in hits:
        if hit.memory.links and handed_on(hit.score, DECAY) > bar:
            for link in hit.memory.links:
                if link.memory_id not in ids:
                    wanted.setdefault(link.memory_id, (hit.memory.id, link.relation))
    for record in reader.find(Record, run.request.where.but(Test("id", "in", tuple(wanted)))) if wanted else ():
        origin, relation = wanted[record.memory.id]
        yield Reached(record, origin, DECAY, f"linked: {relation}")


def handed_on(score: float, share: float) -> float:
    """Return a share of a score that is lower than it even if the score is negative."""
    return score - (1 - share) * abs(score)


def _walked(run: Run, reader: Reader, hits: Sequence[Hit]) -> Iterator[Reached]:
    """Walk from memory to memory over their entities, nearest first, each once; hubs are not used as bridges."""
    request = run.request
    graph = VisibleGraph(reader, run.engine.packs, request.where, request.read_at or request.now, request.known_at)
    frontier = _entities(graph, {hit.memory.id: hit.memory.id for hit in hits[:SEEDS]})
    passed = set[int]()
    for hop in range(1, request.expand_hops + 1):
        origins: dict[int, str] = {}
        for node, origin in frontier.items():
            rows = reader.find(MentionRow, [Test("entity", "in", tuple(graph.ids([node])))], order="-num", limit=HUB)
            origins |= {row.num: origin for row in rows} if len(rows) < HUB else {}
        wanted = tuple(sorted(origins, reverse=True))
        found = reader.find(Record, request.where.but(Test("num", "in", wanted)), order="-valid_from", limit=_STEP)
        yield from (Reached(record, origins[record.num], DECAY**hop, "shared entity") for record in found)
        passed.update(frontier)
        further = _entities(graph, {record.memory.id: origins[record.num] for record in found})
        frontier = {node: origin for node, origin in further.items() if node not in passed}


def _entities(graph: VisibleGraph, origins: Mapping[str, str]) -> dict[int, str]:
    """Return the entities of memories, each with the first hit that led to it."""
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


def _reached_hits(
    run: Run, reader: Reader, ranking: RankedCandidates, reached: Sequence[Reached], hits: Sequence[Hit]
) -> list[Hit]:
    """Return reached memories as hits: with a relevance of their own, and a score from their origins."""
    request, scores = run.request, {hit.memory.id: hit.score for hit in hits}
    question, matches = ranking.question, ranking.candidates.matches
    none = matches._replace(lexical=no_rows(), vector=no_rows(), dated=no_rows().nums, graph=no_rows())
    nums = np.array([each.record.num for each in reached], np.int64)
    candidates = gather(reader, request.where, question, none, nums, sessions=0)
    low, high = calibration(run.engine.embedder)
    values = np.round(np.minimum(relevance(question, candidates, low=low, high=high), ranking.certain), 4)
    relevant = dict(zip(candidates.nums.tolist(), values.tolist(), strict=True))
    found = []
    for record, origin, part, by in reached:
        if relevant[record.num] >= request.min_score:
            score = round(handed_on(scores[origin], part), 6)
            found.append(Hit(record.memory, score, relevant[record.num], (Signal(by, part), Signal("+ linked", score))))
    return contested(reader, request.where, found)


def join(hits: Sequence[Hit], more: Sequence[Hit]) -> list[Hit]:
    """Return hits and the memories reached from them, best first; of equal scores the hit comes first."""
    return sorted([*hits, *more], key=lambda hit: -hit.score)


def _newest(run: Run) -> Recall:
    """Answer an empty question by the newest and most important memories, and one for no hits by none."""
    request, hits = run.request, list[Hit]()
    question = Question(request.query, request.now, (), retrieval.FACTUAL)
    run.trace.add("understand", 1, len(question.terms), *question.notes())
    if request.k > 0:
        with _opened(run) as reader:
            _note_past(run, reader)
            nums = tuple(reader.search_time(request.where, limit=max(BREADTH, request.k)).tolist())
            found = reader.find(Record, request.where.but(Test("num", "in", nums)), order="-valid_from")
            scored = []
            for record in found:
                days = (found[0].memory.valid_from - record.memory.valid_from).total_seconds() / 86_400
                effective = run.engine.retention.effective(record.memory, request.now)
                scored.append((0.5 * 2 ** (-days / 30) + 0.5 * effective, record.num, record.memory))
            best = sorted(scored, key=lambda each: (-each[0], -each[1]))[: request.k]
            signal = "+ recency and importance"
            hits = [Hit(memory, round(score, 6), 0.0, (Signal(signal, score),)) for score, _, memory in best]
            hits = trusted_first(reader, request.where, contested(reader, request.where, hits))[: request.k]
        run.trace.add("newest", len(found), len(hits), "the question is empty: recency and importance alone")
    return _found(run, question, hits)
