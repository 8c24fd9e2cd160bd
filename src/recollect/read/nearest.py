"""Who is nearest to a text: what a decider judges it against, looked up in whatever view of the store it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from recollect.engine import Engine
from recollect.filters import live
from recollect.models import Scope
from recollect.protocols import Reader
from recollect.read.hits import hits_of
from recollect.read.phrasings import Phrasing
from recollect.read.request import Request
from recollect.read.search import rank, ways_of
from recollect.read.selection import select
from recollect.read.trace import Trace
from recollect.results import Hit

MOST = 5  # memories that a decider is shown


def nearest(engine: Engine, scope: Scope, text: str) -> Callable[[Reader], Sequence[Hit]]:
    """Return a look at the live memories that are nearest to a text, best first; the text is embedded here, once."""
    engine = copy(engine)  # one embedder throughout
    ways = ways_of(engine, _request(engine, scope, text), [Phrasing(text)])

    def look(reader: Reader) -> Sequence[Hit]:
        request = _request(engine, scope, text)
        ranking = rank(reader, request, ways, Trace())
        return hits_of(ranking, ranking.order[:MOST].tolist(), reader, request.where)

    return look


def _request(engine: Engine, scope: Scope, text: str) -> Request:
    now = engine.clock.now()
    return Request(query=text, where=select(scope, live(now), kinds=("semantic",)), k=MOST, now=now)
