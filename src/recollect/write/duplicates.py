"""When two writes are one memory: the identity key, which a unique index enforces."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from recollect.checks import MAX_TAGS
from recollect.entities import TYPES
from recollect.models import Expiry, Kind, Link, Memory, Status
from recollect.security.trust import BASE
from recollect.text import digest, normalise

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|ich|mein\w*|wir|yo|mi|je|j|mon|ma|nous)\b", re.IGNORECASE)


def identity(memory: Memory) -> str:
    """Return the key under which a live memory is the only one of its namespace.

    Semantic and procedural memories are the same statement when their normalised texts are equal. Episodic and working
    ones are events: session, actor and event time count too, because the same words said again are another event. Who
    says "I" counts too: two people who like tea are two facts. A
    memory with a caller's key is that key's own.
    """
    parts = [memory.kind.value, memory.scope.agent or "", memory.key or "", normalise(memory.content)]
    if memory.kind in (Kind.EPISODIC, Kind.WORKING):
        parts += [memory.scope.session or "", memory.actor or "", memory.valid_from.isoformat()]
    elif memory.actor is not None and is_of_oneself(memory.content):
        parts.append(memory.actor)
    return digest(*parts)[:40]


def is_of_oneself(content: str) -> bool:
    """Say whether a text speaks of whoever says it."""
    return _FIRST_PERSON.search(content) is not None


def holds_its_slot(memory: Memory, now: datetime) -> bool:
    """Say whether a memory with this identity is still live or waiting, so that its like is a duplicate."""
    ended = memory.valid_until is not None and memory.valid_until <= now
    current = memory.as_of_clock(now)
    return current.status in ("active", "quarantined") and not memory.is_superseded_at(now) and not ended


def merged(old: Memory, new: Memory) -> Memory:
    """Return a known memory with what another statement of it adds.

    Its tags, the most trusted of its sources, a further witness, a higher confidence, an earlier beginning, a longer
    life: what is said to hold now shall not wait for the beginning that the first saying named, nor leave when that one
    does. A successor begins where what it closed ends, and stays there.
    """
    one_more = (old.source.origin, old.source.id, old.source.ref) != (new.source.origin, new.source.id, new.source.ref)
    if old.status is Status.QUARANTINED:  # what waits is borne out only by what is trusted as much
        one_more = one_more and new.trust >= old.trust - 1e-9
    ends = [None if each.expiry is Expiry.DEFAULT else each.expires_at for each in (old, new)]
    longest = None if None in ends else max(at for at in ends if at is not None)
    own = min(old.trust, BASE[old.source.type])  # without what others bear out
    trusted = new.trust > own and old.status is Status.ACTIVE
    source = replace(new.source, content_hash=old.source.content_hash, signature=old.source.signature)
    return replace(
        old,
        source=source if trusted else old.source,
        trust=max(new.trust, old.trust) if trusted else old.trust,
        tags=old.tags if new.status is Status.QUARANTINED else _together(old.tags, new.tags),
        confidence=max(old.confidence, new.confidence),
        evidence_count=old.evidence_count + one_more,
        links=(*old.links, *added_links(old, new)),
        valid_from=old.valid_from if old.supersedes else min(old.valid_from, new.valid_from),
        expires_at=longest,
        expiry=old.expiry if longest is not None or old.expires_at is None else Expiry.NONE,
    )


def added_links(old: Memory, new: Memory) -> tuple[Link, ...]:
    """Return the links of `new` that `old` lacks; none to itself."""
    return tuple(link for link in new.links if link not in old.links and link.memory_id != old.id)


def _together(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags of both, what they say of entities last."""
    tags = sorted(dict.fromkeys((*old, *new)), key=TYPES.__contains__)
    return tuple(tags[: max(MAX_TAGS, len(old))])
