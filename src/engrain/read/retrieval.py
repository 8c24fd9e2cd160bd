"""Retrieval of candidates: words, vectors, time and graph, every filter inside."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from engrain.arrays import Floats, Ints, Mask, Numbers, distinct, np, standing
from engrain.errors import ProviderError
from engrain.graph.extraction import may_mean, mentioned
from engrain.graph.packs import Packs
from engrain.graph.traversal import Bond, Lens, Moment, bonds
from engrain.guard import guard
from engrain.language.analyzer import content_pairs, is_stop, query_terms, words
from engrain.model.entities import NAME, Named
from engrain.model.filters import Filter
from engrain.model.memory import Kind
from engrain.policies.retention import Retention
from engrain.protocols import Embedder
from engrain.read.question import Question
from engrain.storage.interface import Reader
from engrain.storage.queries import evidence
from engrain.storage.rows import Columns, Mark, Ranked, TextStats

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400_000_000  # microseconds
_KINDS = tuple(Kind)


def faded(columns: Columns, retention: Retention, now: datetime) -> Columns:
    """Return the columns with the effective importance of each row at `now`; `Retention.effective` says how."""
    at = (now - _EPOCH) // timedelta(microseconds=1)
    unused = np.maximum(at - np.maximum(columns.used_at, columns.recorded_at), 0) / _DAY
    left = columns.importance * _left(columns, retention, unused / np.maximum(columns.strength, 1e-9))
    read = columns.access_count > 0
    left *= np.where(read, 1 + 0.2 * np.exp(-np.maximum(at - columns.used_at, 0) / _DAY / 7), 1.0)
    left *= 1 + 0.1 * np.minimum(1.0, np.log1p(columns.access_count) / math.log(33))
    return replace(columns, importance=np.clip(left, 0.0, 1.0).astype(np.float32))


def _left(columns: Columns, retention: Retention, ages: Numbers) -> Numbers:
    """Return the share that is left of each, by the policy in force for it."""
    if not retention.tells_apart:
        places = columns.kind
        kinds: list[tuple[Kind, str | None, str | None]] = [(kind, None, None) for kind in _KINDS]
    else:
        rows = np.stack((columns.kind, columns.domain, columns.agent), axis=1)
        found, places = np.unique(rows, axis=0, return_inverse=True)
        kinds = [(_KINDS[k], _name(d, columns.domains), _name(a, columns.agents)) for k, d, a in found.tolist()]
    out = np.ones(len(ages))
    for code in np.unique(places).tolist():
        of = places == code
        out[of] = retention.policy(*kinds[code]).left(ages[of])
    return out


def _name(code: int, names: Sequence[str]) -> str | None:
    return names[code] if code >= 0 else None


HOPS = 2
DECAY = (1.0, 1 / 2, 1 / 3)  # what a memory scores that is so many hops away
MOST = 50  # memories that the graph brings along
_WIDE = 16  # entities that are looked around from at each hop
_HUB = 64  # mentions from which on an entity is in so much that it tells nothing
_BESIDE = 16  # of them that are looked at for who else is named there
_AT_ONCE = 100  # memories that are asked whether they may be seen
_LONGEST = 4  # words of a name that a question is searched for
_WORDS = 64  # of a long question
_TOKEN = re.compile(r"[^\s\"“”(),;:?!]+")


@dataclass(frozen=True, slots=True)
class Related:
    """What the graph found: rows in order, their scores in 0..1, and for each which of the question's words it answers.

    A memory about an entity that the question names answers the words of the name, whatever name it uses itself.
    """

    nums: Ints
    scores: Floats
    answered: Mapping[int, frozenset[str]] = field(default_factory=dict)
    names: tuple[str, ...] = ()


def nothing() -> Related:
    """Return what the graph finds that knows nobody."""
    return Related(np.zeros(0, np.int64), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Outlook:
    """How the graph is seen: what is evidence (`seen`), when, and by which packs a question is read."""

    seen: Filter
    moment: Moment
    packs: Packs


def by_graph(reader: Reader, question: Question, where: Filter, sight: Outlook) -> Related:
    """Return the memories about the entities that a question names, then about those in their reach.

    What is asked for bounds what is found, and not the evidence that leads there.
    """
    packs, lens = sight.packs, Lens(reader, sight.packs, sight.seen, sight.moment)
    seeds = _seeds(lens, question, packs)
    if not seeds:
        return nothing()
    scores, answered = dict[int, float](), dict[int, frozenset[str]]()
    reach = dict.fromkeys(seeds, 1.0)
    seen = set(seeds)
    for hop in range(HOPS + 1):
        if not reach:  # nobody is left, or all of them are in too much
            break
        told = _mentions(lens, reach)
        reach = {node: share for node, share in reach.items() if node in told}
        for node, nums in told.items():
            worth = DECAY[hop] * reach[node] / (1 + math.log10(max(len(nums), 1)))
            for num in nums:
                scores[num] = max(scores.get(num, 0.0), worth)
                if hop == 0:
                    answered[num] = answered.get(num, frozenset()) | seeds[node]
        if hop < HOPS and reach:
            reach = _reach(bonds(lens.around(reach, most=_BESIDE)), reach, seen)
            seen |= reach.keys()
    return _best(lens, where, scores, answered, seeds)


def _seeds(lens: Lens, question: Question, packs: Packs) -> dict[int, frozenset[str]]:
    """Return the entities that a question names that somebody knows, each with the terms of its name there."""
    texts = {Named(NAME, text): text for text in _spans(question.text)}
    for mention in mentioned(question.text, domain="", packs=packs):
        texts[Named(mention.type, mention.name)] = question.text[mention.start : mention.end]
    spoken = {question.terms[place] for place in question.name_terms}  # who speaks is looked at elsewhere
    terms = {named: frozenset(query_terms(text)) for named, text in texts.items()}
    wanted = [named for named in texts if not terms[named] <= spoken]
    found: dict[int, frozenset[str]] = {}
    for named, node in zip(wanted, lens.found(wanted), strict=True):
        if node is not None and may_mean(lens.entity(node).type, named):
            found[node] = found.get(node, frozenset()) | terms[named]
    return found


def _spans(text: str) -> Iterable[str]:
    """Yield what may be a name in a question, whatever its case: runs of words with no stop word at either end."""
    tokens = [token.strip(".'’") for token in _TOKEN.findall(text)[:_WORDS]]
    stops = [not token or is_stop(token.casefold().removesuffix("'s")) for token in tokens]
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
            if not stops[start] and not stops[end - 1]:
                yield " ".join(tokens[start:end]).removesuffix("'s").removesuffix("’s")


def _mentions(lens: Lens, nodes: Collection[int]) -> dict[int, list[int]]:
    """Return the memories about each of some entities, but of those that are in too many."""
    return {node: nums for node, nums in lens.mentions(nodes, _HUB).items() if len(nums) < _HUB}


def _reach(found: Sequence[Bond], reach: Mapping[int, float], seen: set[int]) -> dict[int, float]:
    """Return the entities one step on, each with how strongly it is tied; the strongest few."""
    degree: dict[int, int] = {}
    for bond in found:
        for end in (bond.source, bond.target):
            degree[end] = degree.get(end, 0) + 1
    ties: dict[int, float] = {}
    for bond in found:
        for one, other in ((bond.source, bond.target), (bond.target, bond.source)):
            if one in reach and other not in seen:
                worth = reach[one] * bond.weight / math.sqrt(degree[one])
                ties[other] = max(ties.get(other, 0.0), worth)
    best = sorted(ties, key=lambda node: (-ties[node], node))[:_WIDE]
    return {node: ties[node] for node in best}


def _best(
    lens: Lens, where: Filter, scores: Mapping[int, float], answered: Mapping[int, frozenset[str]], seeds: Iterable[int]
) -> Related:
    order, best = sorted(scores, key=lambda num: (-scores[num], -num)), list[int]()
    while order and len(best) < MOST:
        some, order = order[:_AT_ONCE], order[_AT_ONCE:]
        living = evidence(lens.reader, some, where)
        best += [num for num in some if num in living]
    best = best[:MOST]
    nums = np.array(sorted(best), np.int64)
    # What names the entity has its words already, whatever name it uses: the graph adds what is further away.
    shares = np.array([0.0 if num in answered else scores[num] for num in sorted(best)], np.float32)
    return Related(nums, shares, answered, tuple(lens.entity(node).name for node in seeds))


SPAN = 4  # turns before and after that lend a turn their words
LENDING = 50  # the best by words bring their neighbours along
_STOP_WEIGHT = 0.15  # of a word that says little, in the embedded question


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows found and what their score is made of: arrays whose last axis is that of the rows.

    `terms` has a row for each of the question's words, `terms_around` for each of them one for each turn around, SPAN
    on either side; `cosine_next_to` has two, the turn before and the one after. `answers` says that the turn before was
    another's question.
    """

    nums: Ints
    columns: Columns
    lexical: Ranked
    vector: Ranked
    dated: Ints
    terms: Floats
    terms_around: Floats
    answers: Mask
    session_words: Floats
    cosine: Floats
    cosine_next_to: Floats
    graph: Floats
    stats: TextStats

    def holding(self, terms: Sequence[int]) -> Mask:
        """Say which hold any of some of the question's words, named by their places among them."""
        return np.asarray((self.terms[list(terms)] > 0).any(axis=0))

    @property
    def related(self) -> Ints:
        """The rows that the graph found, best first."""
        held = np.flatnonzero(self.graph > 0)
        return np.asarray(self.nums[held[np.lexsort((held, -self.graph[held]))]], np.int64)

    @property
    def words(self) -> Floats:
        """The BM25 score of each."""
        return np.asarray(self.terms.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Embedded:
    """A question's vector; without one the notes say why."""

    vector: Floats | None
    notes: tuple[str, ...] = ()


def embed_question(question: Question, embedder: Embedder | None, stats: TextStats | None = None) -> Embedded:
    """Embed a question, without the speakers' names: they would draw it to everything they said.

    `stats` tell an embedder that weighs words how rare each is.
    """
    if embedder is None:
        return Embedded(None, ("no embedder: words only",))
    vector = guard(f"embedder {embedder.id}", lambda: _embedded(question, embedder, stats))
    if vector is None:
        return Embedded(None, (f"embedder {embedder.id} failed: words only",))
    known = bool(vector.any())
    return Embedded(vector if known else None, () if known else ("the embedder knows none of the question's words",))


def _embedded(question: Question, embedder: Embedder, stats: TextStats | None) -> Floats:
    weighted = getattr(embedder, "embed_weighted", None)
    if weighted is not None and stats is not None:
        found = weighted(question.text, _importance(question, stats))
    else:
        text = " ".join("they" if question.names & set(words(word)) else word for word in question.text.split())
        one = getattr(embedder, "embed_query", None)
        found = one(text) if one is not None else embedder.embed([text])[0]
    vector = np.asarray(found, np.float32)
    if vector.shape != (embedder.dimensions,) or not np.isfinite(vector).all():
        raise ProviderError(f"embedder {embedder.id} gave no vector of {embedder.dimensions} finite numbers")
    return vector


def _importance(question: Question, stats: TextStats) -> Callable[[str], float]:
    idf = term_idf(stats)
    unknown = term_idf(replace(stats, frequency={"": 0}))[""]

    def weight(token: str) -> float:
        if question.names and question.names & set(words(token)):
            return 0.0
        return max((idf.get(term, unknown) for _, term in content_pairs(token)), default=_STOP_WEIGHT)

    return weight


def term_idf(stats: TextStats) -> Mapping[str, float]:
    """Return how telling each term is among the searched documents."""
    n = stats.documents
    return {term: math.log(1 + (n - df + 0.5) / (df + 0.5)) for term, df in stats.frequency.items()}


@dataclass(frozen=True, slots=True)
class ByWords:
    """What the search by words found, and how common each of the question's terms is."""

    found: Ranked
    stats: TextStats
    terms: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ByMeaning:
    """What the search by vectors found; without an embedder's `query` nothing, and the notes say why."""

    found: Ranked
    embedder: str = ""
    query: Floats | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the four searches found."""

    words: ByWords
    meaning: ByMeaning
    dated: Ints
    related: Related

    @property
    def lists(self) -> tuple[Ints, Ints, Ints]:
        """The rows found by words, by meaning and by the graph."""
        return self.words.found.nums, self.meaning.found.nums, self.related.nums


def by_words(reader: Reader, question: Question, where: Filter, *, limit: int) -> ByWords:
    """Search by the question's terms; all count alike, idf does the rest."""
    terms = dict.fromkeys(question.terms, 1.0)
    found = reader.search_text(terms, where, limit=limit)
    return ByWords(found, found.stats, terms)


def by_meaning(reader: Reader, asked: Embedded, where: Filter, embedder: Embedder | None, *, limit: int) -> ByMeaning:
    """Search by the question's vector."""
    if embedder is None or asked.vector is None:
        return ByMeaning(Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32)), notes=asked.notes)
    found = reader.search_vector(embedder.id, asked.vector, where, limit=limit)
    return ByMeaning(found, embedder.id, asked.vector, asked.notes)


def by_time(reader: Reader, question: Question, where: Filter, *, limit: int) -> Ints:
    """Find what happened in the windows that the question names, newest first."""
    found = [reader.search_time(where, limit=limit, since=each.start, until=each.end) for each in question.windows]
    return np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.int64)


def gather(reader: Reader, question: Question, where: Filter, found: Found) -> Candidates:
    """Unite what the searches found with the neighbours of the best by words, and read what ranking must know."""
    terms, lexical, meaning = tuple(found.words.terms), found.words.found, found.meaning
    lenders = reader.describe(lexical.nums[:LENDING], where, span=SPAN).around
    nums = distinct(*found.lists, found.dated, lenders)
    known = reader.describe(
        nums, where, span=SPAN, terms=found.words.terms, embedder=meaning.embedder, vector=meaning.query
    )
    around = np.ascontiguousarray(known.around.T)
    mine, next_to = standing(known.rows, nums), standing(known.rows, around[SPAN - 1 : SPAN + 1])
    worded = np.concatenate((known.gains, np.zeros((len(terms), 1), np.float32)), axis=1)  # for -1: nobody there
    meant = np.concatenate((known.cosines, np.full(1, np.nan, np.float32)))
    own = worded.take(mine, axis=1)
    _answer(own, terms, nums, found)
    return Candidates(
        nums=nums,
        columns=known.columns.take(mine),
        lexical=lexical,
        vector=meaning.found,
        dated=found.dated,
        terms=own,
        terms_around=worded.take(standing(known.rows, around), axis=1),
        answers=_answers(known.columns, mine, next_to[0]),
        session_words=known.sessions,
        cosine=meant[mine],
        cosine_next_to=meant[next_to],
        graph=_placed(nums, found.related),
        stats=found.words.stats,
    )


def _answer(own: Floats, terms: Sequence[str], nums: Ints, found: Found) -> None:
    """Let what is about an entity that the question names hold the words of that name, as a text of it would."""
    if not found.related.answered:
        return
    idf = term_idf(found.words.stats)
    for place, num in enumerate(nums.tolist()):
        for term in found.related.answered.get(num, ()):
            if term in idf:
                row = terms.index(term)
                own[row, place] = own[row, place] or idf[term]


def _placed(nums: Ints, related: Related) -> Floats:
    """Return what the graph gives to each row, 0 where it knows nothing of it."""
    out = np.zeros(len(nums), np.float32)
    out[np.searchsorted(nums, related.nums)] = related.scores
    return out


def _answers(columns: Columns, mine: Ints, before: Ints) -> Mask:
    """Say which rows follow another's question, given their places and those of the rows before them."""
    follows = before >= 0
    asked, asks = columns.marks[before], columns.actor[before]
    return np.asarray(follows & ((asked & Mark.QUESTION) > 0) & (asks != columns.actor[mine]))
