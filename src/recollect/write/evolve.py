"""Evolution: a text becomes facts, and each fact is judged against what is known before it is stored.

Nothing foreign is called while a transaction is held: candidates and judgements come first, then one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from recollect.checks import MAX_TAGS
from recollect.engine import Engine
from recollect.foreign import guard, log
from recollect.models import Scope, SourceType
from recollect.protocols import Candidate, Decider, Extractor, Judgement
from recollect.results import Hit, Remembered
from recollect.text import check_content
from recollect.write.draft import Draft, Intent, draft, screened
from recollect.write.extraction import candidates, source_type_of, speaking
from recollect.write.pipeline import remember

_OPERATIONS = ("ADD", "UPDATE", "DELETE", "NOOP")
Neighbours = Callable[[str], Sequence[Hit]]


@dataclass(frozen=True, slots=True)
class Minds:
    """Who finds facts and who judges them; without a decider the offline stages decide alone."""

    extractor: Extractor
    decider: Decider | None
    neighbours: Neighbours


def evolve(engine: Engine, scope: Scope, content: str, fields: Mapping[str, Any], minds: Minds) -> Remembered:
    """Store what a text states, fact by fact; the result is that of the most important, the others are in `others`."""
    whole = draft(
        content, scope=scope, settings=engine.settings, **{**fields, "kind": fields.get("kind") or "semantic"}
    )
    found: Sequence[Candidate] = []
    if not whole.is_held and whole.key is None and whole.fact is None:
        largest = engine.settings.max_content_bytes
        found = candidates(minds.extractor, [speaking(whole)], max_bytes=largest)
    drafts = [_fact(engine, whole, one, fields) for one in found] or [whole]
    judged = [
        _judged(engine, one, candidate, minds) for one, candidate in zip(drafts, _told(found, whole), strict=True)
    ]
    results = remember(engine, judged)
    best = max(range(len(results)), key=lambda place: (found[place].rating if found else 0, -place))
    return replace(results[best], others=tuple(r for place, r in enumerate(results) if place != best))


def _told(found: Sequence[Candidate], whole: Draft) -> Sequence[Candidate]:
    return found or [Candidate(content=whole.content, fact=whole.fact, confidence=whole.confidence)]


def _fact(engine: Engine, whole: Draft, candidate: Candidate, fields: Mapping[str, Any]) -> Draft:
    """Return the draft of one fact: what its text was given, and what the extractor found."""
    said_by = str(fields.get("source_type", SourceType.LLM_GENERATED))
    given = {
        **fields,
        "source_type": source_type_of(candidate, said_by, whole.content, engine.settings.origins),
        "kind": whole.kind,
        "fact": candidate.fact,
        "importance": candidate.rating / 10 if fields.get("importance") is None else fields["importance"],
        "confidence": candidate.confidence if fields.get("confidence") is None else fields["confidence"],
        "tags": tuple(dict.fromkeys((*whole.tags, *candidate.tags)))[:MAX_TAGS],
        "metadata": {**candidate.metadata, **whole.metadata},
    }
    return draft(candidate.content, scope=whole.scope, settings=engine.settings, **given)


def _judged(engine: Engine, item: Draft, candidate: Candidate, minds: Minds) -> Draft:
    """Ask the decider what becomes of a fact; without a verdict that can be used, the offline stages decide."""
    decider = minds.decider
    if decider is None or item.is_held:
        return item
    neighbours = minds.neighbours(item.content)
    found = guard("the decider", lambda: _usable(engine, decider.decide(candidate, neighbours), neighbours))
    if found is None:
        return item
    intent = replace(item.intent, judgement=found)
    if found.content is None or found.operation not in ("UPDATE", "DELETE"):
        return replace(item, intent=intent)
    return _reworded(engine, replace(item, intent=intent), found.content)


def _usable(engine: Engine, judgement: object, neighbours: Sequence[Hit]) -> Judgement | None:
    """Return the judgement if it is one: a known operation, on a memory that the decider was shown, and a text."""
    if not isinstance(judgement, Judgement) or str(judgement.operation) not in _OPERATIONS:
        log.warning("the decider gave a %s, no usable judgement: the offline stages decide", type(judgement).__name__)
        return None
    if judgement.operation != "ADD" and judgement.target not in {hit.id for hit in neighbours}:
        log.warning("the decider judged a memory that it was not shown: the offline stages decide")
        return None
    if judgement.content is not None:
        check_content(judgement.content, max_bytes=engine.settings.max_content_bytes)
    return judgement


def _reworded(engine: Engine, item: Draft, content: str) -> Draft:
    """Return the draft with the decider's words for it; what was said is kept, archived, as the source of them."""
    if content == item.content:
        return item
    words = draft(content, scope=item.scope, settings=engine.settings)
    said = replace(item, intent=Intent(resolve=False, archived=True), key=None)
    (kept,) = remember(engine, [said])
    rewritten = screened(words.content, engine.settings, item.source_type, source_id=item.source_id)
    return replace(
        item,
        content=words.content,
        fact=None,
        suspicions=rewritten,
        waits=words.waits,
        redacted=(*item.redacted, *words.redacted),
        derived_from=(*item.derived_from, kept.id),
    )
