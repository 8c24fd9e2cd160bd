"""What a recall is asked for, checked and in its final type."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from recollect.filters import Filter
from recollect.llm.chosen import Intents
from recollect.policies.retention import Retention
from recollect.protocols import QueryTransformer, Reranker
from recollect.read.ranking.choice import Chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question and everything that bounds its answer.

    `seen` is what the view sees at all, by which the graph leads to answers; None: what passes `where`.

    `where` holds the walls, what can be seen from the question's standpoint, and the caller's filters. `transformer`,
    `intents` and `reranker` help with it, on the account of whoever asks. `intent` is what kind of question it is where
    somebody has told. By `retention` candidates count less the longer nobody has used them.
    """

    query: str
    where: Filter
    seen: Filter | None = None
    k: int
    now: datetime
    valid_at: datetime | None = None
    ranking: Chosen | None = None
    min_score: float = 0.0
    known_at: datetime | None = None
    include_quarantined: bool = False
    include_links: bool = True
    expand_hops: int = 0
    transformer: QueryTransformer | None = None
    intents: Intents | None = None
    reranker: Reranker | None = None
    intent: str | None = None
    multi_query: int = 0
    hyde: bool = False
    retention: Retention = field(default_factory=Retention)
