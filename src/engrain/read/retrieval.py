"""Retrieval of candidates: by words, vectors, time and graph, every filter inside the search."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta

from engrain.arrays import Floats, Ints, Mask, Numbers, np
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
    lenders = reader.neighbours(matches.lexical.nums[:LENDING], where, span=SPAN)
    nums = distinct(matches.lexical.nums, matches.vector.nums, matches.graph.nums, matches.dated, lenders, *more)
    around = np.ascontiguousarray(reader.neighbours(nums, where, span=SPAN).T)
    next_to = around[SPAN - 1 : SPAN + 1]
    columns, answers = _columns(reader, nums, next_to[0])
    known = distinct(nums, around)
    worded = np.zeros((len(terms), len(known) + 1), np.float32)  # the last for the place -1: nobody there
    worded[:, :-1] = reader.score_terms(terms, known)
    own = worded.take(places_of(known, nums), axis=1)
    if matches.answered:
        _answer(own, terms, nums, matches)
    near = distinct(nums, next_to)
    cosines = np.full(len(near) + 1, np.nan, np.float32)
    if matches.embedded.vector is not None:
        cosines[:-1] = reader.score_vector(matches.embedded.embedder, matches.embedded.vector, near)
    graph = np.zeros(len(nums), np.float32)
    graph[np.searchsorted(nums, matches.graph.nums)] = matches.graph.scores
    return Candidates(
        nums=nums,
        matches=matches,
        columns=columns,
        terms=own,
        terms_around=worded.take(places_of(known, around), axis=1),
        answers=answers,
        session_words=reader.score_sessions(dict.fromkeys(terms, 1.0), where, nums),
        cosine=cosines[places_of(near, nums)],
        cosine_next_to=cosines[places_of(near, next_to)],
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


_NAMES = ("actors", "domains", "agents")  # of codes: the columns that have no row


def _columns(reader: Reader, nums: Ints, before: Ints) -> tuple[Columns, Mask]:
    """Return what is known of rows, and which of them follow another's question."""
    following, size = np.flatnonzero(before >= 0), len(nums)
    both = reader.columns(np.concatenate((nums, before[following])))  # together, so that actors have the same codes
    answers = np.zeros(size, np.bool_)
    asking = (both.marks[size:] & Mark.QUESTION) > 0
    answers[following] = asking & (both.actor[size:] != both.actor[following])
    arrays = {each.name: getattr(both, each.name)[:size] for each in fields(both) if each.name not in _NAMES}
    return replace(both, **arrays), answers


_ROWS_WIDE = 2**18  # from the lowest number to the highest: what a table may span


def distinct(*nums: Ints) -> Ints:
    """Return the row numbers in order, each once; -1 stands for no row and is left out."""
    together = np.concatenate([each.ravel() for each in nums])
    together = together[together >= 0]
    if not len(together):
        return together
    low, high = int(together.min()), int(together.max())
    if high - low < _ROWS_WIDE:
        held = np.zeros(high - low + 1, np.bool_)
        held[together - low] = True
        return np.asarray(np.flatnonzero(held) + low, np.int64)
    together.sort()
    return np.asarray(together[np.append(True, together[1:] != together[:-1])])


def places_of(known: Ints, nums: Ints) -> Ints:
    """Return the place of each row number among the known ones, which hold them all; -1 for -1."""
    if not len(known):
        return np.full(nums.shape, -1, np.int64)
    low, span = int(known[0]), int(known[-1] - known[0])
    if span >= _ROWS_WIDE:
        return np.asarray(np.where(nums >= 0, np.searchsorted(known, nums), -1), np.int64)
    places = np.empty(span + 2, np.int64)
    places[0] = -1
    places[known - (low - 1)] = np.arange(len(known))
    return places[np.maximum(nums - (low - 1), 0)]


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
    bounds what is found, and not the evidence that leads there, which is what the graph sees.
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
    ordered = sorted(shares, key=lambda num: (-shares[num], num))
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
    best = sorted(ties, key=lambda node: (-ties[node], node))[:_RELATED_WIDE]
    return {node: ties[node] for node in best}


def _passing(graph: VisibleGraph, where: Filter, scores: Mapping[int, float]) -> list[int]:
    """Return the best of the memories that pass the filter."""
    order, best = sorted(scores, key=lambda num: (-scores[num], -num)), list[int]()
    while order and len(best) < MOST:
        some, order = order[:_AT_ONCE], order[_AT_ONCE:]
        living = graph.reader.living(some, where)
        best += [num for num in some if num in living]
    return best[:MOST]
