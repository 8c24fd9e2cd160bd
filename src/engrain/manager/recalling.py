"""Recalling: questions, and what surrounds them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engrain import opening
from engrain.language.dates import windows
from engrain.language.questions import asks_when
from engrain.llm import tasks as chosen
from engrain.manager.view import View
from engrain.model.filters import Test, reachable
from engrain.model.memory import Status
from engrain.model.results import Hit, Recall, WhyNot
from engrain.model.scope import identifier, is_whole, narrowed
from engrain.policies.fusion import Convex
from engrain.protocols import RankingPolicy, Reranker
from engrain.read import listing as neighbours
from engrain.read import request as counting
from engrain.read.deep import MOST, deepened
from engrain.read.explain import why_not
from engrain.read.question import difficulty
from engrain.read.recall import recall as find
from engrain.read.request import Request, asked, select
from engrain.read.reranking import fused
from engrain.validation import When, checked_budget


class Recalling(View):
    """The methods that answer a question."""

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        kinds: Iterable[str] | None = None,
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        all_tags: Iterable[str] | None = None,
        tiers: Iterable[str] | None = None,
        heat: Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        shared: bool = False,
        since: When | None = None,
        until: When | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        now: When | None = None,
        include_links: bool = True,
        exclude_superseded: bool = True,
        include_quarantined: bool = False,
        min_score: float = 0.0,
        min_trust: float = 0.0,
        ranking: str | Convex | RankingPolicy | None = None,
        expand_hops: int = 0,
        multi_query: int = 0,
        hyde: bool = False,
        rerank: bool | None = None,
        touch: bool = True,
    ) -> Recall:
        """Find what answers a question, best first: by words and by meaning, every filter inside the search.

        `now` is the clock of the question: what "last week" is relative to and what is valid. `as_of` asks what was
        true at another time, whatever took its place since; `known_at` what was believed then, in the words of then.
        `exclude_superseded=False` adds what was superseded or has ended, `include_quarantined` what is not admitted.
        `heat` is one or several of hot, warm and cold: how much a memory was in use of late. `since` and `until`
        compare event time, half-open. `where` filters metadata (see `docs/recall.md`). `shared`
        adds the org's memories without a user. `min_score` cuts on `relevance`, `min_trust` on the trust class; both
        are 0 to 1. An empty query ranks by recency and importance; `k <= 0` finds nothing.

        `ranking` names a policy (convex, rrf, recency_similarity_importance, intent_blend,
        similarity_importance_recency) or is one. `include_links` adds what is linked to the hits, `expand_hops` (0 to
        2) what shares an entity with their facts, both at a lower score. `rerank` is whether the reranker reads the
        best again: None when there is one; True without one is a `ConfigError`. `multi_query` (strings to ask by, up
        to 6) and `hyde` need a query transformer or a language model, and are left out without, as the trace says.
        `touch=False` counts no access.
        """
        given = locals()
        found = find(self._engine, self._asked(given))
        return self._counted(found, touch=touch)

    def _asked(self, given: Mapping[str, Any]) -> Request:
        """Return the request that the arguments of `recall` come to; how much memories are in use is written first."""
        if given["heat"] is not None:
            self._accesses.write(self._engine)
        return asked(self._engine, self._scope, given)

    def _counted(self, found: Recall, *, touch: bool) -> Recall:
        """Count a recall, and an access of each memory that it found, to be written after the answer."""
        self._engine.counters.count("recalls", self._scope)
        if touch and found and not self._engine.store.read_only:
            self._accesses.add(self._scope.org, [hit.id for hit in found], self._engine.clock.now())
            self._worker.wake()
        return found

    def context(self, /, query: str, *, token_budget: int = 4000, k: int = 10, **filters: Any) -> str:
        """Return what answers a question as Markdown for a prompt, within a budget in tokens; filters as in recall."""
        checked_budget(token_budget)
        return self.recall(query, k=k, **filters).context(token_budget)

    get_context = context

    def recall_deep(self, /, query: str, *, max_iterations: int = 3, **filters: Any) -> Recall:
        """Recall, and where the question is hard and a grader is not content with the hits, ask again in its words.

        An easy question is asked once, and so is any without a grader or a language model. `max_iterations` (1 to 5)
        bounds the looks; those after the first also follow shared entities, and all are fused by rank. `iterations`,
        `queries` and `sufficient` tell what happened; `abstained` is True when the grader was not content in the end. A
        grader that fails ends it, which is no abstention. `filters` are those of `recall`.
        """
        if not is_whole(max_iterations) or max_iterations < 1:
            raise ValueError(f"max_iterations is 1 or more (5 at most count), not {max_iterations!r}")
        given = bound(query, filters)
        request = self._asked(given)

        def look(text: str, wider: bool) -> Recall:
            hops = max(request.expand_hops, 1) if wider else request.expand_hops
            return find(self._engine, replace(request, query=text, expand_hops=hops))

        temporal = asks_when(request.query) or bool(windows(request.query, request.now))
        found = deepened(
            request.query,
            difficulty(request.query, temporal=temporal),
            look,
            chosen.grader(self._engine, self._scope),
            iterations=min(max_iterations, MOST),
            k=request.k,
        )
        return self._counted(found, touch=given["touch"])

    def why_not(self, /, query: str, memory_id: str, **filters: Any) -> WhyNot:
        """Say where in a recall a memory falls out and by how much, or that it is among the hits.

        `filters` are those of `recall`, `k` among them. An unknown, foreign or forgotten id falls out at `scope`. No
        access is counted.
        """
        given = bound(query, filters)
        request = self._asked(given)
        scope = self._scope if given["session"] is None else narrowed(self._scope, session=given["session"])
        walls = replace(reachable(scope), shared=given["shared"]).but(Test("status", "ne", Status.FORGOTTEN))
        return why_not(self._engine, request, walls, identifier(memory_id, "memory_id"))

    def fuse(self, query: str, lists: Sequence[Sequence[Hit]], *, k: int = 10) -> list[Hit]:
        """Fuse lists of hits, each best first, by reciprocal rank, then by the reranker if there is one; the best k.

        A hit keeps the best relevance it has in any list. `k <= 0` gives none.
        """
        return fused(counting.question(query, k), lists, chosen.reranker(self._engine, self._scope))[: max(k, 0)]

    @property
    def reranker(self) -> Reranker | str | None:
        """The reranker in force, None for none and `"llm"` for the language model."""
        return self._engine.reranker

    def set_reranker(self, reranker: str | Reranker | None) -> Reranker | str | None:
        """Put another reranker in force for all views, None for none, and return the one before."""
        previous, self._engine.reranker = self._engine.reranker, opening.reranker_of(reranker, self._engine.llm)
        return previous

    def neighbors(self, text: str, *, k: int = 10) -> list[Hit]:
        """Return the memories whose vectors are nearest to a text: cosines as they are, quarantined ones included.

        `score` is the cosine. Superseded, expired and forgotten memories are left out; [] without an embedder.
        """
        asked = counting.question(text, k)
        return neighbours.neighbors(self._engine, select(self._scope), asked, k)


_RECALL = inspect.signature(Recalling.recall)


def bound(query: str, filters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a recall, its own defaults included; a name that it does not have is a `TypeError`."""
    bound = _RECALL.bind(None, query, **filters)
    bound.apply_defaults()
    return bound.arguments
