"""The arguments of a recall, checked and made into a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.checks import checked_bool
from recollect.engine import Engine
from recollect.errors import ConfigError
from recollect.llm import chosen as who
from recollect.models import Scope
from recollect.protocols import Reranker
from recollect.read import counting
from recollect.read.ranking.choice import chosen
from recollect.read.request import Request
from recollect.read.selection import select
from recollect.read.silence import heard
from recollect.read.standpoint import shown, standpoint
from recollect.scopes import is_whole, narrowed

HOPS = 2
_FILTERS = "kinds domain tags all_tags tiers heat where session shared since until min_trust"


def asked(engine: Engine, scope: Scope, given: Mapping[str, Any]) -> Request:
    """Return the request that the arguments of `MemoryManager.recall` come to; all are checked."""
    query = counting.question(given["query"], given["k"])
    at = standpoint(engine, **{name: given[name] for name in ("now", "as_of", "known_at")})
    flags = {name: checked_bool(given[name], name) for name in ("include_links", "hyde", "touch")}
    admits = {n: checked_bool(given[n], n) for n in ("exclude_superseded", "include_quarantined")}
    filters = {name: given[name] for name in _FILTERS.split()}
    where = select(scope, shown(at, **admits), **filters, clock=at.clock)
    session = scope if given["session"] is None else narrowed(scope, session=given["session"])
    return Request(
        query=query,
        where=heard(engine, session, where),
        seen=select(scope, shown(at, **admits), shared=given["shared"]),
        k=given["k"],
        now=at.now,
        valid_at=at.valid_at,
        ranking=chosen(given["ranking"], engine.embedder, engine.settings.retaining),
        min_score=counting.share(given["min_score"], "min_score"),
        known_at=at.known_at,
        include_quarantined=admits["include_quarantined"],
        include_links=flags["include_links"],
        expand_hops=_whole(given["expand_hops"], "expand_hops", HOPS),
        transformer=who.transformer(engine, scope),
        intents=who.intents(engine, scope),
        reranker=_reranker(engine, scope, given["rerank"]),
        multi_query=_whole(given["multi_query"], "multi_query", None),
        hyde=flags["hyde"],
        retention=engine.settings.retaining,
    )


def _whole(value: int, name: str, most: int | None) -> int:
    if not is_whole(value) or value < 0 or (most is not None and value > most):
        bound = f"0 to {most}" if most is not None else "0 or more"
        raise ValueError(f"{name} is a whole number, {bound}, not {value!r}")
    return value


def _reranker(engine: Engine, scope: Scope, value: object) -> Reranker | None:
    """Return who reads the best hits again, None for nobody."""
    found = who.reranker(engine, scope)
    if value is None:
        return found
    if not checked_bool(value, "rerank"):
        return None
    if found is None:
        raise ConfigError("rerank=True needs a reranker: open the manager with reranker=..., or use set_reranker")
    return found
