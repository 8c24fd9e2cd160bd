"""Which policy ranks: one of five by name, the default with weights of the caller's, or an object of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from recollect.models import Status
from recollect.policies import Convex, EpisodicScore
from recollect.policies.retention import Retention
from recollect.policies.scoring import SimilarityFirst, age_in_days
from recollect.protocols import Embedder, RankingPolicy
from recollect.read.query import Question
from recollect.read.ranking.boosts import HELD_BACK
from recollect.read.ranking.convex import CONTEXTUAL, STATIC, score
from recollect.read.ranking.lists import by_intent, by_rank
from recollect.read.ranking.scored import Scored
from recollect.read.retrievers import Candidates
from recollect.results import Hit
from recollect.security.trust import TrustScorer

Ranking: TypeAlias = str | Convex | RankingPolicy | None
ByLists = Callable[[Question, Candidates], Scored]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A policy in force: over the lists, and, where it judges one hit at a time, by `hits` after that.

    `graph` says whether the graph is to be asked.
    """

    name: str
    lists: ByLists
    hits: RankingPolicy | None = None
    diverse: bool = True
    graph: bool = True


@dataclass(frozen=True, slots=True)
class Trusted:
    """A policy's score, and how far the memory is to be trusted by source, age and use."""

    policy: RankingPolicy
    trust: TrustScorer = field(default_factory=TrustScorer)

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the policy's score times the trust."""
        memory = hit.memory
        admitted = HELD_BACK if memory.status is Status.QUARANTINED else 1.0
        age = age_in_days(memory.recorded_at, now)
        trust = self.trust.score(memory.source, access_count=memory.access_count, age_days=age)
        return self.policy.score(hit, query, now) * trust * admitted


_LISTS: Mapping[str, ByLists] = {"rrf": by_rank, "intent_blend": by_intent}
_HITS: Mapping[str, Callable[[Retention], RankingPolicy]] = {
    "recency_similarity_importance": lambda _: Trusted(EpisodicScore()),
    "similarity_importance_recency": SimilarityFirst,
}
NAMES = ("convex", *_LISTS, *_HITS)


def chosen(ranking: Ranking, embedder: Embedder | None, retention: Retention | None = None) -> Chosen:
    """Return the policy that a caller means; None is `convex`. By `retention` one of them fades what is not used.

    An unknown name is a `ValueError`, an object that cannot score a `TypeError`.
    """
    default = _convex(Convex(), embedder, "convex")
    if ranking is None or ranking == "convex":
        return default
    if isinstance(ranking, Convex):
        return _convex(ranking, embedder, "convex, with weights of the caller's")
    if isinstance(ranking, str):
        if ranking in _LISTS:
            return Chosen(ranking, _LISTS[ranking])
        if ranking in _HITS:
            return Chosen(ranking, default.lists, _HITS[ranking](retention or Retention()))
        raise ValueError(f"there is no ranking {ranking!r}: use {', '.join(NAMES)}, or an object with `score`")
    if isinstance(ranking, type):
        raise TypeError(f"ranking is the class {ranking.__name__}: give an object, such as {ranking.__name__}()")
    if not isinstance(ranking, RankingPolicy):
        raise TypeError(f"{type(ranking).__name__} is no ranking policy: it needs `score(hit, query, now)`")
    return Chosen(type(ranking).__name__, default.lists, ranking)


def _convex(recipe: Convex, embedder: Embedder | None, name: str) -> Chosen:
    meaning = _weight(embedder) if recipe.meaning is None else recipe.meaning

    def lists(question: Question, found: Candidates) -> Scored:
        return score(question, found, recipe, meaning)

    return Chosen(name, lists, diverse=recipe.diversity > 0, graph=recipe.graph > 0)


def _weight(embedder: Embedder | None) -> float:
    """Return what meaning weighs beside words: an embedder may say so itself."""
    own = getattr(embedder, "weight", None)
    if own is not None:
        return float(own)
    static = embedder is None or hasattr(embedder, "embed_weighted")
    return STATIC if static else CONTEXTUAL
