"""One look into the store: a question understood, candidates found by words, meaning and time, scored, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.engine import Engine
from recollect.filters import Filter, Test
from recollect.graph.lens import Moment
from recollect.graph.packs import Packs
from recollect.models import Status
from recollect.numeric import Floats, Ints, Numbers, np
from recollect.protocols import Embedder, Reader, Record
from recollect.read.fading import faded
from recollect.read.past import reading
from recollect.read.phrasings import Phrasing
from recollect.read.query import Question, understand
from recollect.read.ranking.boosts import HELD_BACK
from recollect.read.ranking.choice import Chosen, chosen
from recollect.read.ranking.relevance import calibration, relevance
from recollect.read.ranking.scored import Scored
from recollect.read.related import Outlook, by_graph, nothing
from recollect.read.request import Request
from recollect.read.retrievers import Candidates, Embedded, Found, by_meaning, by_time, by_words, embed_question, gather
from recollect.read.trace import Trace

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
    waiting = reader.latest(request.where.but(*tests), limit=len(found.nums))
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
    known = reader.text_stats(question.terms[:_LOOKED_UP], where).frequency
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
