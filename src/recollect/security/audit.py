"""The audit trail: one entry for every state change, chained by hashes, one chain for each org.

An entry holds no text. Its digest is salted with a random value that lives beside the memory and is erased with it, so
the chain still verifies when the memory is gone and nobody can test a guess against it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

from recollect.errors import AuditBroken
from recollect.filters import Test
from recollect.models import AuditEntry, Memory, Scope
from recollect.protocols import Head, Transaction
from recollect.text import digest

GENESIS = "0" * 64


def new_salt() -> str:
    """Return a random salt, to be stored beside the memory."""
    return os.urandom(16).hex()


def state_digest(memory: Memory, salt: str) -> str:
    """Return the salted digest of what a change left behind: the text, its status and its interval."""
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
    """Return whom an entry names as the one who acted: the view's agent, else its user, else the application."""
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
        found = transaction.find(Head, [Test("org", "eq", org)], order="seq")
        self._head = found[0] if found else Head(org, 0, GENESIS)
        self._entries: list[AuditEntry] = []

    def add(self, operation: str, memory: Memory, salt: str, *, reason: str = "") -> None:
        """Record that `operation` left `memory` as it is now."""
        seq, state = self._head.seq + 1, state_digest(memory, salt)
        bare = AuditEntry(self._org, seq, self.at, operation, memory.id, self._actor, state, "", reason)
        link = chained(self._head.hash, bare)
        self._entries.append(
            AuditEntry(self._org, seq, self.at, operation, memory.id, self._actor, state, link, reason)
        )
        self._head = Head(self._org, seq, link)

    def write(self) -> None:
        """Put the entries and the new head; call it once, in the same transaction."""
        if self._entries:
            self._transaction.put(*self._entries, self._head)
            self._entries = []


def verify(entries: Iterable[AuditEntry], head: Head | None) -> int:
    """Walk a chain from its first entry and return how many there are.

    Raises `AuditBroken` naming the first entry that was edited, removed or reordered, or a tail that was cut.
    """
    previous, count, org = GENESIS, 0, head.org if head else ""
    for entry in entries:
        count += 1
        if entry.seq != count or entry.hash != chained(previous, entry):
            raise AuditBroken(f"the audit trail of {entry.org!r} breaks at entry {count}", org=entry.org, seq=count)
        previous, org = entry.hash, entry.org
    if (head is not None and (head.seq != count or head.hash != previous)) or (head is None and count):
        raise AuditBroken(
            f"the audit trail of {org!r} ends at entry {count}, not where its head says", org=org, seq=count
        )
    return count
