"""Finding candidates: by words and by meaning, every filter inside the search; then what ranking must know of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from recollect.engine import guard
from recollect.filters import Filter
from recollect.numeric import Floats, Ints, Mask, np
from recollect.protocols import Columns, Embedder, Ranked, Reader, TextStats, WeightedEmbedder
from recollect.read.query import Question
from recollect.words import content_pairs, words

SPAN = 2  # turns before and after that lend a turn their words
LENDING = 50  # the best by words bring their neighbours along
_STOP_WEIGHT = 0.15  # of a word that says little, in the embedded question


@dataclass(frozen=True, slots=True)
class Candidates:
    """The rows found and what their score is made of: arrays of one length; `around` is SPAN wide on each side."""

    nums: Ints
    columns: Columns
    lexical: Ranked
    vector: Ranked
    words: Floats
    words_around: Floats
    session_words: Floats
    cosine: Floats
    cosine_around: Floats
    contains: Mask
    stats: TextStats
    notes: tuple[str, ...] = ()


def embed_question(question: Question, embedder: Embedder, stats: TextStats) -> Floats | None:
    """Return the question's vector, without the speakers' names: they would draw it to everything they said."""
    if isinstance(embedder, WeightedEmbedder):
        return guard(
            f"embedder {embedder.id}", lambda: embedder.embed_weighted(question.text, _importance(question, stats))
        )
    text = " ".join("they" if question.names & set(words(word)) else word for word in question.text.split())
    return guard(f"embedder {embedder.id}", lambda: _embedded(embedder, text))


def _embedded(embedder: Embedder, text: str) -> Floats:
    one = getattr(embedder, "embed_query", None)
    vector = one(text) if one is not None else embedder.embed([text])[0]
    return np.asarray(vector, np.float32)


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


def retrieve(reader: Reader, question: Question, where: Filter, embedder: Embedder | None, *, limit: int) -> Candidates:
    """Search by words and by vectors, and gather what is known of the union."""
    notes: list[str] = []
    stats = reader.text_stats(question.terms, where)
    terms = dict.fromkeys(question.terms, 1.0)  # all count alike: idf does the rest
    lexical = reader.search_text(terms, where, limit=limit)
    asked = _asked(question, embedder, stats, notes)
    vector = Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32))
    if asked is not None:
        vector = reader.search_vector(asked[0].id, asked[1], where, limit=limit)
        if not len(vector.nums) and stats.documents:
            notes.append(f"no vectors by {asked[0].id} in scope: run reindex")
    lenders = reader.neighbours(lexical.nums[:LENDING], where, span=SPAN).ravel()
    nums = _distinct(lexical.nums, vector.nums, lenders[lenders >= 0])
    around = reader.neighbours(nums, where, span=SPAN)
    known = _distinct(nums, around[around >= 0])
    held, beside = np.searchsorted(known, nums), np.where(around >= 0, np.searchsorted(known, around), -1)
    words_known = np.append(reader.score_text(terms, known), np.float32(0))  # the last for the place -1: nobody there
    meant = np.full(len(known), np.nan, np.float32)
    if asked is not None:
        meant = reader.score_vector(asked[0].id, asked[1], known)
    meant = np.append(meant, np.float32(np.nan))
    return Candidates(
        nums=nums,
        columns=reader.columns(nums),
        lexical=lexical,
        vector=vector,
        words=words_known[held],
        words_around=words_known[beside],
        session_words=reader.score_sessions(terms, where, nums),
        cosine=meant[held],
        cosine_around=meant[beside],
        contains=reader.contains(question.terms, nums),
        stats=stats,
        notes=tuple(notes),
    )


def _distinct(*nums: Ints) -> Ints:
    """Return the row numbers in order, each once (`np.unique` is several times slower on so few)."""
    together = np.sort(np.concatenate(nums))
    return np.asarray(together[np.append(True, together[1:] != together[:-1])[: len(together)]])


def _asked(
    question: Question, embedder: Embedder | None, stats: TextStats, notes: list[str]
) -> tuple[Embedder, Floats] | None:
    """Return the embedder and the question's vector, or None with a note saying why there is no search by meaning."""
    if embedder is None:
        notes.append("no embedder: words only")
        return None
    query = embed_question(question, embedder, stats)
    if query is None:
        notes.append(f"embedder {embedder.id} failed: words only")
        return None
    if not query.any():
        notes.append("the embedder knows none of the question's words")
        return None
    return embedder, query
