"""Evolution: a text becomes facts, and each fact is judged against what is known before it is stored.

Nothing foreign is called while a transaction is held: candidates and judgements come first, then one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from recollect.checks import MAX_TAGS
from recollect.engine import Engine
from recollect.errors import MemorySecurityError
from recollect.foreign import log
from recollect.llm import chosen
from recollect.models import Scope, SourceType
from recollect.protocols import Candidate
from recollect.results import Remembered
from recollect.write.draft import Draft, draft
from recollect.write.extraction import Found, candidates, extractor_of, source_type_of, speaking
from recollect.write.judging import Bench, Hearing, Nearest, reworded
from recollect.write.pipeline import compose, stored_if

_PATIENT = 3  # looks at a store that others write to, before one is taken while they wait


def evolve(engine: Engine, scope: Scope, content: str, fields: Mapping[str, Any], nearest: Nearest) -> Remembered:
    """Store what a text states, fact by fact; the result is that of the most important, the others are in `others`."""
    whole = draft(
        content, scope=scope, settings=engine.settings, **{**fields, "kind": fields.get("kind") or "semantic"}
    )
    found = Found([], "")
    if not whole.is_held and whole.key is None and whole.fact is None:
        found = candidates(extractor_of(engine, whole.scope), [speaking(whole)], engine.settings)
    hearings = [hearing for one in found.candidates for hearing in _heard(engine, whole, found, one, fields)]
    if not hearings:
        told = Candidate(content=whole.content, fact=whole.fact, confidence=whole.confidence)
        hearings = [Hearing(found.blamed(whole), told)]
    results = _carried_out(engine, Bench(engine, chosen.decider(engine, whole.scope), nearest, hearings))
    best = max(range(len(results)), key=lambda place: (hearings[place].candidate.rating, -place))
    return replace(results[best], others=tuple(r for place, r in enumerate(results) if place != best))


def _carried_out(engine: Engine, bench: Bench) -> list[Remembered]:
    """Judge facts and store them, all in one transaction, on verdicts that hold in it."""
    bench.hear()
    looks = 0
    while True:
        if looks > _PATIENT + 2 * len(bench.hearings):
            bench.give_up()
        now = engine.clock.now()
        pairs = [reworded(engine, hearing.judged(bench.name)) for hearing in bench.hearings]
        said = [compose(engine, item, now) for _, item in pairs if item is not None]
        origins = iter([composed.memory.id for composed in said])
        items = [item if source is None else _from(item, next(origins)) for item, source in pairs]
        done = stored_if(
            engine,
            [compose(engine, item, now) for item in items],
            now=now,
            first=said,
            holds=partial(bench.holds, thorough=looks >= _PATIENT),
        )
        if done is not None:
            return done
        bench.hear_again()
        looks += 1


def _heard(
    engine: Engine, whole: Draft, found: Found, candidate: Candidate, fields: Mapping[str, Any]
) -> list[Hearing]:
    """Return a fact as it comes before the decider; one that the policies refuse is left out."""
    try:
        return [Hearing(found.credited(_fact(engine, whole, candidate, fields)), candidate)]
    except MemorySecurityError as error:
        log.warning("a fact of the extractor's is refused: %s", error)
        return []


def _fact(engine: Engine, whole: Draft, candidate: Candidate, fields: Mapping[str, Any]) -> Draft:
    """Return the draft of one fact: what its text was given, and what the extractor found."""
    said_by = str(fields.get("source_type", SourceType.LLM_GENERATED))
    given = {
        **fields,
        "source_type": source_type_of(candidate, said_by, speaking(whole), engine.settings.origins),
        "kind": whole.kind,
        "fact": candidate.fact,
        "importance": candidate.rating / 10 if fields.get("importance") is None else fields["importance"],
        "confidence": candidate.confidence if fields.get("confidence") is None else fields["confidence"],
        "tags": tuple(dict.fromkeys((*whole.tags, *candidate.tags)))[:MAX_TAGS],
        "metadata": {**candidate.metadata, **whole.metadata},
    }
    return draft(candidate.content, scope=whole.scope, settings=engine.settings, **given)


def _from(item: Draft, origin: str) -> Draft:
    return replace(item, derived_from=(*item.derived_from, origin))
