"""Finding candidates: by words and by meaning, every filter inside the search; then what ranking must know of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.errors import ProviderError
from recollect.filters import Filter
from recollect.foreign import guard
from recollect.numeric import Floats, Ints, Mask, np
from recollect.protocols import Columns, Embedder, Mark, Ranked, Reader, TextStats
from recollect.read.query import Question
from recollect.read.related import Related
from recollect.read.rows import distinct, standing
from recollect.words import content_pairs, words

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
    stats = reader.text_stats(question.terms, where)
    return ByWords(reader.search_text(terms, where, limit=limit), stats, terms)


def by_meaning(reader: Reader, asked: Embedded, where: Filter, embedder: Embedder | None, *, limit: int) -> ByMeaning:
    """Search by the question's vector."""
    if embedder is None or asked.vector is None:
        return ByMeaning(Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32)), notes=asked.notes)
    found = reader.search_vector(embedder.id, asked.vector, where, limit=limit)
    return ByMeaning(found, embedder.id, asked.vector, asked.notes)


def by_time(reader: Reader, question: Question, where: Filter, *, limit: int) -> Ints:
    """Find what happened in the windows that the question names, newest first."""
    found = [reader.latest(where, limit=limit, since=each.start, until=each.end) for each in question.windows]
    return np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.int64)


def gather(reader: Reader, question: Question, where: Filter, found: Found) -> Candidates:
    """Unite what the searches found with the neighbours of the best by words, and read what ranking must know."""
    terms, lexical, meaning = tuple(found.words.terms), found.words.found, found.meaning
    lenders = reader.neighbours(lexical.nums[:LENDING], where, span=SPAN)
    nums = distinct(*found.lists, found.dated, lenders)
    around = np.ascontiguousarray(reader.neighbours(nums, where, span=SPAN).T)
    next_to = around[SPAN - 1 : SPAN + 1]
    columns, answers = _columns(reader, nums, next_to[0])
    known = distinct(nums, around)
    worded = np.zeros((len(terms), len(known) + 1), np.float32)  # the last for the place -1: nobody there
    worded[:, :-1] = reader.score_terms(terms, known)
    own = worded.take(standing(known, nums), axis=1)
    _answer(own, terms, nums, found)
    near = distinct(nums, next_to)
    meant = np.full(len(near) + 1, np.nan, np.float32)
    if meaning.query is not None:
        meant[:-1] = reader.score_vector(meaning.embedder, meaning.query, near)
    return Candidates(
        nums=nums,
        columns=columns,
        lexical=lexical,
        vector=meaning.found,
        dated=found.dated,
        terms=own,
        terms_around=worded.take(standing(known, around), axis=1),
        answers=answers,
        session_words=reader.score_sessions(found.words.terms, where, nums),
        cosine=meant[standing(near, nums)],
        cosine_next_to=meant[standing(near, next_to)],
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


def _columns(reader: Reader, nums: Ints, before: Ints) -> tuple[Columns, Mask]:
    """Return what is known of rows, and which of them follow another's question."""
    following = np.flatnonzero(before >= 0)
    both = reader.columns(np.concatenate((nums, before[following])))
    own, earlier = both.of(slice(len(nums))), both.of(slice(len(nums), None))
    answers = np.zeros(len(nums), np.bool_)
    answers[following] = ((earlier.marks & Mark.QUESTION) > 0) & (earlier.actor != own.actor[following])
    return own, answers
