"""Retrieval of candidates: by words, vectors, time and graph, every filter inside the search."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from engrain.arrays import Floats, Ints, Mask, Numbers, distinct, np, places_of
from engrain.errors import ProviderError
from engrain.graph.extraction import may_mean, mentioned
from engrain.graph.traversal import VisibleGraph, WeightedRelation, combined
from engrain.guard import guard
from engrain.language.tokens import content_pairs, is_stop, query_terms, words
from engrain.model.entities import NAME, Named
from engrain.model.filters import Filter
from engrain.model.memory import Kind
from engrain.policies.retention import Retention
from engrain.protocols import Embedder, Reader
from engrain.read.question import Embedded, Question
from engrain.storage.interface import evidence
from engrain.storage.rows import Columns, Mark, Ranked, TextStats

SPAN = 4  # turns before and after that lend a turn their words
LENDING = 50  # the best by words bring their neighbours along
_STOP_WEIGHT = 0.15  # of a word that says little, in the embedded question


@dataclass(frozen=True, slots=True)
class Matches:
    """What the searches found for one way to ask, each list best first.

    `answered` says, by row, which of the question's words a memory answers because it is about an entity that they
    name, whatever name it uses itself.
    """

    stats: TextStats
    lexical: Ranked
    vector: Ranked
    dated: Ints
    graph: Ranked
    embedded: Embedded = field(default_factory=Embedded)
    answered: Mapping[int, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows found and what their score is made of: arrays whose last axis is that of the rows.

    `terms` has a row for each of the question's words, `terms_around` for each of them one for each turn around, SPAN
    on either side; `cosine_next_to` has two, the turn before and the one after. `answers` says that the turn before was
    another's question.
    """

    nums: Ints
    matches: Matches
    columns: Columns
    terms: Floats
    terms_around: Floats
    answers: Mask
    session_words: Floats
    cosine: Floats
    cosine_next_to: Floats
    graph: Floats


def no_rows() -> Ranked:
    """Return an empty list of a search."""
    return Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32))


def gather(reader: Reader, where: Filter, question: Question, matches: Matches, *more: Ints) -> Candidates:
    """Unite what the searches found, the neighbours of the best by words and `more` rows; read what ranks them."""
    terms = question.terms
    lenders = reader.describe(matches.lexical.nums[:LENDING], where, span=SPAN).around
    nums = distinct(matches.lexical.nums, matches.vector.nums, matches.graph.nums, matches.dated, lenders, *more)
    weights, embedded = dict.fromkeys(terms, 1.0), matches.embedded
    known = reader.describe(
        nums, where, span=SPAN, terms=weights, embedder=embedded.embedder or None, vector=embedded.vector
    )
    around = places_of(known.rows, np.ascontiguousarray(known.around.T))
    places, next_to = places_of(known.rows, nums), around[SPAN - 1 : SPAN + 1]
    gains = np.concatenate((known.gains, np.zeros((len(terms), 1), np.float32)), axis=1)  # the last: no row, place -1
    cosines = np.concatenate((known.cosines, np.full(1, np.nan, np.float32)))
    own = gains.take(places, axis=1)
    if matches.answered:
        _answer(own, terms, nums, matches)
    graph = np.zeros(len(nums), np.float32)
    graph[np.searchsorted(nums, matches.graph.nums)] = matches.graph.scores
    return Candidates(
        nums=nums,
        matches=matches,
        columns=known.columns.take(places),
        terms=own,
        terms_around=gains.take(around, axis=1),
        answers=_answers(known.columns, places, next_to[0]),
        session_words=known.sessions,
        cosine=cosines[places],
        cosine_next_to=cosines[next_to],
        graph=graph,
    )


def _answer(own: Floats, terms: Sequence[str], nums: Ints, matches: Matches) -> None:
    """Let what is about an entity that the question names hold the words of that name, as a text of it would."""
    idf = term_idf(matches.stats)
    for place, num in enumerate(nums.tolist()):
        for term in matches.answered.get(num, ()):
            if term in idf:
                row = terms.index(term)
                own[row, place] = own[row, place] or idf[term]


def _answers(columns: Columns, places: Ints, before: Ints) -> Mask:
    """Say which rows follow another's question, given their places and those of the rows before them."""
    asked = (before >= 0) & ((columns.marks[before] & Mark.QUESTION) > 0)
    return np.asarray(asked & (columns.actor[before] != columns.actor[places]))


# --------------------------------------------------------------------------------------------------------- embedding


def embed_question(question: Question, embedder: Embedder | None, stats: TextStats | None = None) -> Embedded:
    """Embed a question, without the speakers' names: they would draw it to everything they said.

    `stats` tell an embedder that weighs words how rare each is.
    """
    if embedder is None:
        return Embedded(notes=("no embedder: words only",))
    vector = guard(f"embedder {embedder.id}", lambda: _embed(question, embedder, stats))
    if vector is None:
        return Embedded(notes=(f"embedder {embedder.id} failed: words only",))
    if not vector.any():
        return Embedded(notes=("the embedder knows none of the question's words",))
    return Embedded(vector, embedder.id)


def _embed(question: Question, embedder: Embedder, stats: TextStats | None) -> Floats:
    weighted = getattr(embedder, "embed_weighted", None)
    if weighted is not None and stats is not None:
        found = weighted(question.text, _word_weight(question, stats))
    else:
        text = " ".join("they" if question.names & set(words(word)) else word for word in question.text.split())
        one = getattr(embedder, "embed_query", None)
        found = one(text) if one is not None else embedder.embed([text])[0]
    return checked_vector(embedder, found)


def checked_vector(embedder: Embedder, found: object) -> Floats:
    """Return what an embedder gave as a vector; raises `ProviderError` where it is none."""
    vector = np.asarray(found, np.float32)
    if vector.shape != (embedder.dimensions,) or not np.isfinite(vector).all():
        raise ProviderError(f"embedder {embedder.id} gave no vector of {embedder.dimensions} finite numbers")
    return vector


def _word_weight(question: Question, stats: TextStats) -> Callable[[str], float]:
    """Return the function that says how much a word of the question tells."""
    idf = term_idf(stats)
    unknown = term_idf(stats._replace(frequency={"": 0}))[""]

    def weight(token: str) -> float:
        if question.names and question.names & set(words(token)):
            return 0.0
        return max((idf.get(term, unknown) for _, term in content_pairs(token)), default=_STOP_WEIGHT)

    return weight


def term_idf(stats: TextStats) -> Mapping[str, float]:
    """Return how telling each term is among the searched documents."""
    n = stats.documents
    return {term: math.log(1 + (n - df + 0.5) / (df + 0.5)) for term, df in stats.frequency.items()}


# ------------------------------------------------------------------------------------------------ effective importance

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
    return columns._replace(importance=np.clip(left, 0.0, 1.0).astype(np.float32))


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


# ---------------------------------------------------------------------------------------------------------- the graph

HOPS = 2
DECAY = (1.0, 1 / 2, 1 / 3)  # what a memory scores that is so many hops away
MOST = 50  # memories that the graph brings along
_RELATED_WIDE = 16  # entities that are looked around from at each hop
_HUB = 64  # mentions from which on an entity is in so much that it tells nothing
_BESIDE = 16  # of them that are looked at for who else is named there
_AT_ONCE = 100  # memories that are asked whether they may be seen
_LONGEST = 4  # words of a name that a question is searched for
_WORDS = 64  # of a long question
_TOKEN = re.compile(r"[^\s\"“”(),;:?!]+")


def by_graph(
    graph: VisibleGraph, question: Question, where: Filter
) -> tuple[Ranked, Mapping[int, frozenset[str]], tuple[str, ...]]:
    """Return the memories about the entities that a question names, then about those in their reach.

    With them: which words of the question each answers, and the names of the entities. What is asked for (`where`)
    bounds what is found, and not the evidence that leads there, which is what the graph shows.
    """
    seeds = _seeds(graph, question)
    if not seeds:
        return no_rows(), {}, ()
    scores, answered = dict[int, float](), dict[int, frozenset[str]]()
    reach = dict.fromkeys(seeds, 1.0)
    seen = set(seeds)
    for hop in range(HOPS + 1):
        if not reach:  # nobody is left, or all of them are in too much
            break
        mentions = {node: nums for node, nums in graph.mentions(reach, _HUB).items() if len(nums) < _HUB}
        reach = {node: share for node, share in reach.items() if node in mentions}
        for node, nums in mentions.items():
            worth = DECAY[hop] * reach[node] / (1 + math.log10(max(len(nums), 1)))
            for num in nums:
                scores[num] = max(scores.get(num, 0.0), worth)
                if hop == 0:
                    answered[num] = answered.get(num, frozenset()) | seeds[node]
        if hop < HOPS and reach:
            reach = _neighbouring(combined(graph.around(reach, most=_BESIDE)), reach, seen)
            seen |= reach.keys()
    # What names the entity has its words already, whatever name it uses: the graph adds what is further away.
    best = _passing(graph, where, scores)
    shares = {num: 0.0 if num in answered else scores[num] for num in best}
    ordered = [num for _, num in sorted([(-share, num) for num, share in shares.items()])]
    found = Ranked(np.array(ordered, np.int64), np.array([shares[num] for num in ordered], np.float32))
    return found, answered, tuple(graph.entity(node).name for node in seeds)


def _seeds(graph: VisibleGraph, question: Question) -> dict[int, frozenset[str]]:
    """Return the entities that a question names that somebody knows, each with the terms of its name there."""
    texts = {Named(NAME, text): text for text in _spans(question.text)}
    for mention in mentioned(question.text, domain="", packs=graph.packs):
        texts[Named(mention.type, mention.name)] = question.text[mention.start : mention.end]
    spoken = {question.terms[place] for place in question.name_terms}  # who speaks is looked at elsewhere
    found: dict[int, frozenset[str]] = {}
    for (named, text), node in zip(texts.items(), graph.found(list(texts)), strict=True):
        if node is not None and may_mean(graph.entity(node).type, named):
            terms = frozenset(query_terms(text))
            if not terms <= spoken:
                found[node] = found.get(node, frozenset()) | terms
    return found


def _spans(text: str) -> Iterable[str]:
    """Yield what may be a name in a question, whatever its case: runs of words with no stop word at either end."""
    tokens = [token.strip(".'’") for token in _TOKEN.findall(text)[:_WORDS]]
    stops = [not token or is_stop(token.casefold().removesuffix("'s")) for token in tokens]
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
            if not stops[start] and not stops[end - 1]:
                yield " ".join(tokens[start:end]).removesuffix("'s").removesuffix("’s")


def _neighbouring(found: Sequence[WeightedRelation], reach: Mapping[int, float], seen: set[int]) -> dict[int, float]:
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
    best = sorted([(-worth, node) for node, worth in ties.items()])[:_RELATED_WIDE]
    return {node: -worth for worth, node in best}


def _passing(graph: VisibleGraph, where: Filter, scores: Mapping[int, float]) -> list[int]:
    """Return the best of the memories that pass the filter."""
    order, best = [-num for _, num in sorted([(-score, -num) for num, score in scores.items()])], list[int]()
    while order and len(best) < MOST:
        some, order = order[:_AT_ONCE], order[_AT_ONCE:]
        passing = evidence(graph.reader, some, where)
        best += [num for num in some if num in passing]
    return best[:MOST]
