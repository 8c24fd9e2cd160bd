"""Analysis of a question (`understand`), and retrieval of its candidates by words, vectors, time and graph."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from time import perf_counter
from types import MappingProxyType
from typing import NamedTuple

from engrain.errors import ProviderError
from engrain.graph.extraction import may_mean, mentioned
from engrain.graph.packs import Packs
from engrain.graph.traversal import VisibleGraph, WeightedRelation, combined
from engrain.guard import checkpoint, guard
from engrain.language.locales import has
from engrain.language.names import addresses
from engrain.language.questions import asks_where, difficulties, head_of, kinds_of, who_is_meant, without_request
from engrain.language.times import Window, names_time, windows
from engrain.language.tokens import content_pairs, index_term, is_stop, query_terms, words
from engrain.lazy import Floats, Ints, Mask, np
from engrain.model.entities import NAME, Named
from engrain.model.filters import Filter, Test
from engrain.model.results import Stage
from engrain.protocols import Embedder, Reader
from engrain.storage.interface import batches, evidence
from engrain.storage.rows import Columns, Mark, Ranked, Record, TextStats, distinct, places_of

HARD = 0.5
_WORTH = {"several steps": 40, "a time": 30, "a comparison": 30, "several clauses": 20, "many words": 15}
SPAN = 4  # turns before and after that lend a turn their words
_STOP_WEIGHT = 0.15  # of a stop word, in the embedded question
HOPS = 2
DECAY = (1.0, 1 / 2, 1 / 3)  # the factor of a memory by its number of hops
MOST = 50  # memories that the graph adds
_HUB = 64  # mentions from which on an entity is too common to be informative
_BESIDE = 16  # of its memories that are searched for other names
_AT_ONCE = 100  # memories that are tested by one statement
_LONGEST = 4  # words of a candidate name in a question
_WORDS = 64  # of a long question
_ADDRESSES, _SELDOM, _READ = 3, 100, 32  # fewest turns with a name of an actor, most per such turn, most that are read
_NAMED = 4  # words of a question that are looked for among the forms of address
_TOKEN = re.compile(r"[^\s\"“”(),;:?!]+")
FACTUAL, TEMPORAL, RELATIONAL = "factual", "temporal", "relational"
CAUSAL, EXPLORATORY = "causal", "exploratory"
INTENTS = (FACTUAL, TEMPORAL, RELATIONAL, CAUSAL, EXPLORATORY)


@dataclass(slots=True)
class Trace:
    """The stages of a recall in the order in which they ended; the duration of each is since the previous one."""

    stages: list[Stage] = field(default_factory=list)
    began: float = field(default_factory=perf_counter)

    def add(self, name: str, came_in: int, went_out: int, *notes: str) -> None:
        """Record a stage that ends now; a cancelled recall ends with it."""
        checkpoint()
        now = perf_counter()
        self.stages.append(Stage(name, came_in, went_out, round((now - self.began) * 1000, 3), notes))
        self.began = now


class Phrasing(NamedTuple):
    """A text to search by, with its weight relative to the question; a passage is searched only by its vector."""

    text: str
    weight: float = 1.0
    passage: bool = False


class Embedded(NamedTuple):
    """A question's vector by an embedder; without one the notes give the reason."""

    vector: Floats | None = None
    embedder: str = ""
    notes: tuple[str, ...] = ()


def _kinds(text: str, *, temporal: bool) -> list[str]:
    """Return the kinds that a question has signs of, the strongest first."""
    found = {*kinds_of(text), *([TEMPORAL] if temporal else [])}
    return [kind for kind in (CAUSAL, TEMPORAL, RELATIONAL, EXPLORATORY) if kind in found]


def is_unclear(text: str, *, temporal: bool) -> bool:
    """Return whether a question has signs of no kind, or of several; `temporal` if it names a time or asks for one."""
    kinds = _kinds(text, temporal=temporal)
    return len(kinds) > 1 or not (kinds or FACTUAL in kinds_of(text))


class Difficulty(NamedTuple):
    """The score of a question, 0 to 1.35, and its components."""

    score: float
    reasons: tuple[str, ...]

    @property
    def hard(self) -> bool:
        """Whether one recall may not be enough."""
        return self.score >= HARD


def difficulty(text: str, *, temporal: bool) -> Difficulty:
    """Rate a question: several steps .4, a time .3, a comparison .3, several clauses .2, many words .15; hard at .5."""
    found = {*difficulties(text), *(["a time"] if temporal else [])}
    return Difficulty(sum(map(_WORTH.__getitem__, found)) / 100, tuple(name for name in _WORTH if name in found))


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question; `weight` is 1 for the question itself and less for another phrasing.

    `names` are its words that name some of the `actors` of the searched memories, which are None until they are loaded,
    `name_terms` their indices among the terms; `named_actor` is the only one. `embedded` is its vector if there is one.
    """

    text: str
    now: datetime
    terms: tuple[str, ...]
    intent: str
    windows: tuple[Window, ...] = ()
    time_terms: frozenset[str] = frozenset()
    wants_time: bool = False
    wants_place: bool = False
    wants_several: bool = False
    wants_latest: bool = False
    wants_name: bool = False
    wants_description: bool = False
    actors: Sequence[str] | None = None
    names: frozenset[str] = frozenset()
    name_terms: tuple[int, ...] = ()
    named_actor: str | None = None
    by_user: bool = False
    by_assistant: bool = False
    weight: float = 1.0
    embedded: Embedded | None = None

    def notes(self) -> list[str]:
        """Return the analysis for the trace."""
        notes = [f"intent {self.intent}"]
        if self.terms:
            notes.append("words " + ", ".join(self.terms))
        if self.named_actor:
            notes.append(f"names {self.named_actor}")
        return notes + [f"{each.unit} {each.start.date()} to {each.end.date()}" for each in self.windows]


def understand(text: str, now: datetime, actors: Sequence[str] | None = None) -> Question:
    """Analyse a question, as far as that is possible without the actors if they are None."""
    wants_time, found = has(text, "asks_when"), windows(text, now)
    kinds, (by_user, by_assistant) = _kinds(text, temporal=wants_time or bool(found)), who_is_meant(text)
    text = without_request(text)
    pairs = content_pairs(text) if found else ()  # some name its times: months, years, weekdays, weeks
    question = Question(
        text=text,
        now=now,
        terms=tuple(query_terms(text)),
        intent=kinds[0] if kinds else FACTUAL,
        windows=found,
        time_terms=frozenset(term for word, term in pairs if names_time(word) or names_time(f"last {word}")),
        wants_time=wants_time,
        wants_place=asks_where(text),
        wants_several=head_of(text)[1],
        wants_latest=has(text, "asks_latest"),
        wants_name=has(text, "asks_name"),
        wants_description=has(text, "asks_description"),
        by_user=by_user,
        by_assistant=by_assistant,
    )
    return question if actors is None else with_actors(question, actors)


def with_actors(question: Question, actors: Sequence[str], called: Collection[tuple[str, str]] = ()) -> Question:
    """Return a question with the actors that it names, also by what they are `called`: a boost, never a filter."""
    asked = [surface for surface, _ in content_pairs(question.text)] if actors else []
    folded = {surface.casefold() for surface in asked}
    capital = {surface.casefold() for surface in asked if surface[:1].isupper()}
    named = {actor: matched for actor in actors if (matched := _naming(actor, folded, capital))}
    for actor, name in called:
        named[actor] = named.get(actor, frozenset()) | {name}
    names = frozenset(word for matched in named.values() for word in matched)
    named_by = {index_term(name) for name in names}
    return replace(
        question,
        actors=actors,
        names=names,
        name_terms=tuple(place for place, term in enumerate(question.terms) if term in named_by),
        named_actor=next(iter(named)) if len(named) == 1 else None,
    )


def with_called(reader: Reader, where: Filter, question: Question, stats: TextStats) -> Question:
    """Return a question with the actors that it names as all the others address them, whatever their handles."""
    actors, called, least = question.actors or (), list[tuple[str, str]](), max(_ADDRESSES, stats.documents / _SELDOM)
    pairs = content_pairs(question.text) if len(actors) > 1 else ()
    unknown = {surface.casefold(): term for surface, term in pairs if surface[:1].isupper()}
    often = (name for name in unknown if name not in question.names and stats.frequency.get(unknown[name], 0) >= least)
    for name, term in [(name, unknown[name]) for name in often][:_NAMED]:
        nums = tuple(reader.search_text({term: 1.0}, where, limit=_READ).nums.tolist())
        memories = [record.memory for record in reader.find(Record, where.but(Test("num", "in", nums)))]
        by = [memory.actor for memory in memories if addresses(memory.content, name)]
        rest = [actor for actor in actors if actor not in by]
        if len(by) >= max(_ADDRESSES, len(memories) / 2) and len(rest) == 1:
            called.append((rest[0], name))
    return with_actors(question, actors, called) if called else question


def _naming(actor: str, asked: Collection[str], capital: Collection[str]) -> frozenset[str]:
    """Return the words of a question that name an actor: a part of the name, or, with a capital, its beginning."""
    parts = [part for part in words(actor) if len(part) > 1 and part not in ("user", "assistant", "system", "tool")]
    begun = {word for word in capital if len(word) >= 3 and any(part.startswith(word) for part in parts)}
    return frozenset(begun.union(part for part in parts if part in asked))


class Matches(NamedTuple):
    """The results of the searches for one phrasing, best first; `answered` has the words matched by way of entities."""

    stats: TextStats
    lexical: Ranked
    vector: Ranked
    dated: Ints
    graph: Ranked
    embedded: Embedded = Embedded()
    answered: Mapping[int, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidate rows and the inputs of their score: arrays whose last axis is that of the rows.

    `terms` has a row for each of the question's words, `terms_around` for each of them one for each turn around, SPAN
    on either side; `cosine_next_to` has two, the turn before and the one after. `answers` marks the rows that follow
    another actor's question.
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


@cache
def no_rows() -> Ranked:
    """Return an empty list of a search."""
    return Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32))


def gather(
    reader: Reader, where: Filter, question: Question, matches: Matches, *more: Ints, near: int = 0, sessions: int = 1
) -> Candidates:
    """Unite the results of the searches, the `near` vectors, neighbours of the best by words and `more` rows."""
    terms = question.terms
    known = reader.describe(
        distinct(matches.lexical.nums, matches.vector.nums, matches.graph.nums, matches.dated, *more),
        where,
        span=SPAN,
        lenders=matches.lexical.nums[:50],  # the best by words whose neighbours become candidates
        terms=dict.fromkeys(terms, sessions),
        embedder=matches.embedded.embedder or None,
        vector=matches.embedded.vector,
        nearest=near,
    )
    matches = matches._replace(vector=known.similar) if near else matches
    nums = known.nums
    around = places_of(known.rows, np.ascontiguousarray(known.around.T))
    places, next_to = places_of(known.rows, nums), around[SPAN - 1 : SPAN + 1]
    gains = np.concatenate((known.gains, np.zeros((len(terms), 1), np.float32)), axis=1)  # the last: no row, index -1
    cosines = np.concatenate((known.cosines, np.full(1, np.nan, np.float32)))
    own = gains.take(places, axis=1)
    if matches.answered:  # a memory about a named entity scores as a text with the words of that name
        idf = term_idf(matches.stats)
        for place, num in enumerate(nums.tolist()):
            for term in idf.keys() & matches.answered.get(num, ()):
                row = terms.index(term)
                own[row, place] = own[row, place] or idf[term]
    graph = np.zeros(len(nums), np.float32)
    graph[np.searchsorted(nums, matches.graph.nums)] = matches.graph.scores
    columns, before = known.columns, next_to[0]
    follows = (before >= 0) & ((columns.marks[before] & Mark.QUESTION) > 0)
    return Candidates(
        nums=nums,
        matches=matches,
        columns=columns.take(places),
        terms=own,
        terms_around=gains.take(around, axis=1),
        answers=np.asarray(follows & (columns.actor[before] != columns.actor[places])),
        session_words=known.sessions,
        cosine=cosines[places],
        cosine_next_to=cosines[next_to],
        graph=graph,
    )


def embed_question(question: Question, embedder: Embedder | None, stats: TextStats | None = None) -> Embedded:
    """Embed a question without the names of actors, with the word frequencies of `stats` where they count."""
    if embedder is None:
        return Embedded(notes=("no embedder: words only",))

    def embed() -> Floats:
        weighted = getattr(embedder, "embed_weighted", None)
        if weighted is not None and stats is not None:
            return checked_vector(embedder, weighted(question.text, _word_weight(question, stats)))
        text = " ".join("they" if question.names & set(words(word)) else word for word in question.text.split())
        one = getattr(embedder, "embed_query", None)
        return checked_vector(embedder, one(text) if one is not None else embedder.embed([text])[0])

    vector = guard(f"embedder {embedder.id}", embed)
    if vector is None:
        return Embedded(notes=(f"embedder {embedder.id} failed: words only",))
    if not vector.any():
        return Embedded(notes=("the embedder knows none of the question's words",))
    return Embedded(vector, embedder.id)


def checked_vector(embedder: Embedder, found: object) -> Floats:
    """Return an embedder's output as a vector; raises `ProviderError` if it is none."""
    vector = np.asarray(found, np.float32)
    if vector.shape != (embedder.dimensions,) or not np.isfinite(vector).all():
        raise ProviderError(f"embedder {embedder.id} gave no vector of {embedder.dimensions} finite numbers")
    return vector


def _word_weight(question: Question, stats: TextStats) -> Callable[[str], float]:
    """Return the function that weights a word of the question by its rarity."""
    idf = term_idf(stats)
    unknown = math.log(1 + (stats.documents + 0.5) / 0.5)

    def weight(token: str) -> float:
        if question.names and question.names & set(words(token)):
            return 0.0
        return max((idf.get(term, unknown) for _, term in content_pairs(token)), default=_STOP_WEIGHT)

    return weight


def term_idf(stats: TextStats) -> Mapping[str, float]:
    """Return the idf of each term among the searched documents."""
    n = stats.documents
    return {term: math.log(1 + (n - df + 0.5) / (df + 0.5)) for term, df in stats.frequency.items()}


NamedEntity = tuple[int, frozenset[str]]  # an entity that a question names, with the terms that name it


def by_graph(
    graph: VisibleGraph, named: Sequence[NamedEntity], question: Question, where: Filter
) -> tuple[Ranked, Mapping[int, frozenset[str]], tuple[str, ...]]:
    """Return the memories about the entities that a question names or within `HOPS` of them, and what they match."""
    spoken, seeds = {question.terms[place] for place in question.name_terms}, dict[int, frozenset[str]]()
    for node, terms in named:
        if not terms <= spoken:
            seeds[node] = seeds.get(node, frozenset()) | terms
    if not seeds:
        return no_rows(), {}, ()
    scores, answered = dict[int, float](), dict[int, frozenset[str]]()
    reach = dict.fromkeys(seeds, 1.0)
    reached = set(seeds)
    for hop in range(HOPS + 1):
        if not reach:
            break
        mentions = graph.mentions(reach, _HUB)
        reach = {node: share for node, share in reach.items() if node in mentions}
        for node, nums in mentions.items():
            worth = DECAY[hop] * reach[node] / (1 + math.log10(max(len(nums), 1)))
            for num in nums:
                scores[num] = max(scores.get(num, 0.0), worth)
                if hop == 0:
                    answered[num] = answered.get(num, frozenset()) | seeds[node]
        if hop < HOPS and reach:
            reach = _neighbouring(combined(graph.around(reach, most=_BESIDE)), reach, reached)
            reached |= reach.keys()
    best = _passing(graph.reader, where, scores)
    # A memory that mentions the entity has its words already, under any name: the graph adds what is further away.
    shares = np.array([0.0 if num in answered else scores[num] for num in best.tolist()], np.float64)
    order = np.lexsort((best, -shares))
    found = Ranked(best[order], shares[order].astype(np.float32))
    return found, answered, tuple(graph.entity(node).name for node in seeds)


def possible_names(text: str, packs: Packs) -> dict[Named, str]:
    """Return the possible names in a question, with their words."""
    texts = {Named(NAME, words): words for words in _spans(text)}
    for mention in mentioned(text, domain="", packs=packs):
        texts[Named(mention.type, mention.name)] = text[mention.start : mention.end]
    return texts


def named_entities(graph: VisibleGraph, texts: Mapping[Named, str]) -> list[NamedEntity]:
    """Return the known entities among the possible names of a question."""
    return [
        (node, frozenset(query_terms(text)))
        for (named, text), node in zip(texts.items(), graph.found(list(texts)), strict=True)
        if node is not None and may_mean(graph.entity(node).type, named)
    ]


def _spans(text: str) -> Iterator[str]:
    """Yield the possible names in a question, in any case: runs of words without a stop word at either end."""
    tokens = [token.strip(".'’") for token in _TOKEN.findall(text)[:_WORDS]]
    stops = [not token or is_stop(token.casefold().removesuffix("'s")) for token in tokens]
    for start in (place for place, stop in enumerate(stops) if not stop):
        for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
            if not stops[end - 1]:
                yield " ".join(tokens[start:end]).removesuffix("'s").removesuffix("’s")


def _neighbouring(found: Sequence[WeightedRelation], reach: Mapping[int, float], reached: set[int]) -> dict[int, float]:
    """Return the neighbours of entities, each with the strength of its relation; the strongest few."""
    ends = [(each, pair) for each in found for pair in ((each.source, each.target), (each.target, each.source))]
    degree = Counter(one for _, (one, _) in ends)
    strength: dict[int, float] = {}
    for each, (one, other) in ends:
        if one in reach and other not in reached:
            worth = reach[one] * each.weight / math.sqrt(degree[one])
            strength[other] = max(strength.get(other, 0.0), worth)
    best = sorted([(-worth, node) for node, worth in strength.items()])[:16]  # entities that each hop starts from
    return {node: -worth for worth, node in best}


def _passing(reader: Reader, where: Filter, scores: Mapping[int, float]) -> Ints:
    """Return the best of the memories that pass the filter, of equals the newest."""
    nums = np.fromiter(scores, np.int64, len(scores))
    order = nums[np.lexsort((-nums, -np.fromiter(scores.values(), np.float64, len(scores))))].tolist()
    best: list[int] = []
    for some in batches(order, _AT_ONCE):
        if len(best) < MOST:
            passing = evidence(reader, some, where)
            best += [num for num in some if num in passing]
    return np.array(best[:MOST], np.int64)
