"""The audit trail: one entry for every state change, chained by hashes, one chain for each org.

An entry holds no text. Its digest is salted with a random value that lives beside the memory and is erased with it, so
the chain still verifies when the memory is gone and nobody can test a guess against it.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.acting import acting_key
from recollect.filters import Test
from recollect.models import AuditEntry, Expiry, Memory, Scope
from recollect.protocols import Head, Transaction
from recollect.text import digest

GENESIS = "0" * 64
ERASE = "erase"
"""The operation after which a memory may be gone."""
_SECOND = "2:"
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def new_salt() -> str:
    """Return a random salt, to be stored beside the memory."""
    return os.urandom(16).hex()


def state_digest(memory: Memory, salt: str) -> str:
    """Return the salted digest of what a change left behind: all of a memory that only an audited change may change."""
    return _SECOND + digest(salt, _canonical(_state(memory)))


def is_state(said: str, memory: Memory, salt: str) -> bool:
    """Say whether an entry's digest is that of a memory as it is; earlier versions of the digest count too."""
    return said == (state_digest if said.startswith(_SECOND) else _first_digest)(memory, salt)


def _state(m: Memory) -> dict[str, Any]:
    """Return what a digest covers.

    Left out is what reads and sweeps write by themselves: accesses, strength, what was learnt from it, the end that a
    policy sets; and what is made anew from the text: entities, the number of predecessors.
    """
    source, scope, fact = m.source, m.scope, m.fact
    return {
        "id": m.id,
        "hash": source.content_hash,
        "source": [source.type.value, source.origin, source.id, source.ref, source.signature],
        "scope": [scope.org, scope.user, scope.agent, scope.session],
        "kind": m.kind.value,
        "key": m.key,
        "actor": m.actor,
        "position": m.position,
        "summary": m.summary,
        "keywords": m.keywords,
        "tags": m.tags,
        "fact": None if fact is None else [fact.subject, fact.predicate, fact.object],
        "procedure": None if m.procedure is None else m.procedure.to_dict(),
        "domain": m.domain,
        "tier": m.tier,
        "numbers": [*(float(n) + 0.0 for n in (m.importance, m.confidence, m.trust)), m.evidence_count, m.version],
        "status": [m.status.value, m.status_reason, m.superseded_by, m.pinned],
        "valid": [_time(m.valid_from), _time(m.valid_until), _time(m.believed_until)],
        "written": [_time(m.recorded_at), _time(m.updated_at)],
        "expires": _time(m.expires_at) if m.expiry is Expiry.GIVEN else None,
        "metadata": dict(m.metadata),
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _first_digest(memory: Memory, salt: str) -> str:
    """Return the digest that entries had before it covered the whole state."""
    until = memory.valid_until.isoformat() if memory.valid_until else ""
    return digest(
        salt,
        memory.id,
        memory.source.content_hash,
        memory.status.value,
        memory.superseded_by or "",
        memory.valid_from.isoformat(),
        until,
        str(memory.version),
    )


def who(scope: Scope) -> str:
    """Return whom an entry names as the one who acted: the key of a server, else the view's agent, user, or nobody's.

    Nobody's is the application's.
    """
    if (key := acting_key()) is not None:
        return key
    if scope.agent is not None:
        return f"agent:{scope.agent}"
    return f"user:{scope.user}" if scope.user is not None else "application"


def chained(previous: str, entry: AuditEntry) -> str:
    """Return the hash of an entry that follows `previous`; `reason` stays outside, so that it can be erased."""
    fields = (entry.org, str(entry.seq), entry.at.isoformat(), entry.operation, entry.memory_id, entry.actor)
    return digest(previous, *fields, entry.digest)


class Trail:
    """Appends entries to one org's chain inside the transaction whose changes they record."""

    def __init__(self, transaction: Transaction, org: str, *, actor: str, at: datetime) -> None:
        self._transaction, self._org, self._actor, self.at = transaction, org, actor, at
        self._entries: list[AuditEntry] = []

    def add(self, operation: str, memory: Memory, salt: str, *, reason: str = "") -> None:
        """Record that `operation` left `memory` as it is now."""
        self._append(operation, memory.id, state_digest(memory, salt), reason)

    def left(self, memory: Memory, salt: str) -> None:
        """Say how the change that was recorded last of a memory left it in the end."""
        place = max(number for number, entry in enumerate(self._entries) if entry.memory_id == memory.id)
        self._entries[place] = replace(self._entries[place], digest=state_digest(memory, salt))

    def note(self, operation: str, subject: str, *, reason: str = "") -> None:
        """Record what was done to something else than a memory, named by an id that says nothing by itself."""
        self._append(operation, subject, digest(operation, subject), reason)

    def erased(self, memory_id: str, *, reason: str = "") -> None:
        """Record that a memory is gone, and erase the reasons beside its earlier entries."""
        of = [Test("org", "eq", self._org), Test("memory_id", "eq", memory_id)]
        self._transaction.update(AuditEntry, of, reason="")
        self.note(ERASE, memory_id, reason=reason)

    def _append(self, operation: str, subject: str, state: str, reason: str) -> None:
        entry = AuditEntry(self._org, 0, self.at, operation, subject, self._actor, state, "", reason)
        self._entries.append(entry)

    def write(self) -> None:
        """Chain the entries and put them with the new head; call it once, in the same transaction."""
        if not self._entries:
            return
        found = self._transaction.find(Head, [Test("org", "eq", self._org)], order="org")
        head = found[0] if found else Head(self._org, 0, GENESIS)
        chain = []
        for entry in self._entries:
            entry = replace(entry, seq=head.seq + 1)
            head = head._replace(seq=entry.seq, hash=chained(head.hash, entry))
            chain.append(replace(entry, hash=head.hash))
        self._transaction.put(*chain, head)  # how far it is signed is for whoever holds the key
        self._entries = []
