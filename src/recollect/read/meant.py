"""What kind of question it is where the rules cannot tell: somebody's word, asked for once and kept for a while."""

from __future__ import annotations

from dataclasses import replace

from recollect.engine import Engine
from recollect.foreign import guard
from recollect.llm.mind import credit, trouble
from recollect.read.intents import INTENTS, is_unclear
from recollect.read.request import Request
from recollect.read.trace import Trace
from recollect.text import digest, normalise
from recollect.timewords import asks_when, windows


def meant(engine: Engine, request: Request, trace: Trace) -> Request:
    """Return the request with the kind of its question, where somebody is to be asked and gives one of the five.

    Where not, or when it fails, the rules' word stands.
    """
    asks = request.intents
    if asks is None or request.k <= 0 or not request.query.strip():
        return request
    temporal = asks_when(request.query) or bool(windows(request.query, request.now))
    if not is_unclear(request.query, temporal=temporal):
        return request
    key = digest(request.where.org, request.where.user or "", normalise(request.query).casefold())
    known = engine.intents.get(key)
    if known is not None:
        trace.add("intent", 1, 1, f"intent {known}, as it was told before")
        return replace(request, intent=known)
    failed: list[Exception] = []
    given = guard("telling the intent", lambda: asks.intent(request.query), failed=failed.append)
    if not isinstance(given, str) or given not in INTENTS:
        why = trouble(asks, failed) if failed else "it is none of the five"
        trace.add("intent", 1, 1, f"intent by the rules: {why}")
        return request
    engine.intents.keep(key, given)
    trace.add("intent", 1, 1, f"intent by {credit(asks)}")
    return replace(request, intent=given)
