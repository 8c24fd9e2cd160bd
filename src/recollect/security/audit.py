"""The audit trail: one entry for every state change, chained by hashes, one chain for each org.

An entry holds no text. Its digest is salted with a random value that lives beside the memory and is erased with it, so
the chain still verifies when the memory is gone and nobody can test a guess against it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from recollect.engine import Engine
from recollect.filters import Test
from recollect.models import AuditEntry, Memory, Scope
from recollect.proofs import ChainReport
from recollect.protocols import Head, Reader, Transaction
from recollect.text import digest

GENESIS = "0" * 64
UNANCHORED = "nothing outside the store vouches for it: whoever can write the file could rewrite the whole chain"
_PAGE = 1000


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
        self._append(operation, memory.id, state_digest(memory, salt), reason)

    def _append(self, operation: str, subject: str, state: str, reason: str) -> None:
        seq = self._head.seq + 1
        bare = AuditEntry(self._org, seq, self.at, operation, subject, self._actor, state, "", reason)
        link = chained(self._head.hash, bare)
        self._entries.append(replace(bare, hash=link))
        self._head = Head(self._org, seq, link)

    def note(self, operation: str, subject: str, *, reason: str = "") -> None:
        """Record what was done to something else than a memory, named by an id that says nothing by itself."""
        self._append(operation, subject, digest(operation, subject), reason)

    def write(self) -> None:
        """Put the entries and the new head; call it once, in the same transaction."""
        if self._entries:
            self._transaction.put(*self._entries, self._head)
            self._entries = []


def verify(entries: Iterable[AuditEntry], head: Head | None) -> ChainReport:
    """Walk a chain from its first entry and say whether it is whole: nothing edited, removed, reordered or cut off."""
    previous, count = GENESIS, 0
    for entry in entries:
        count += 1
        if entry.seq != count or entry.hash != chained(previous, entry):
            return ChainReport(
                False, False, count, count, (f"entry {count} is not the one that was written there",), entry.org
            )
        previous = entry.hash
    org = head.org if head is not None else "default"
    if (head or Head(org, 0, GENESIS))[1:3] != (count, previous):
        return ChainReport(False, False, count, count + 1, ("the chain does not end where its head says",), org)
    return ChainReport(True, False, count, None, (UNANCHORED,), org)


def check(engine: Engine, org: str) -> ChainReport:
    """Verify an org's chain as it stands in the store."""
    with engine.store.read() as reader:
        heads = reader.find(Head, [Test("org", "eq", org)], order="org")
        return verify(_entries(reader, org), heads[0] if heads else None)


def _entries(reader: Reader, org: str) -> Iterator[AuditEntry]:
    seq = 0
    while page := reader.find(AuditEntry, [Test("org", "eq", org), Test("seq", "gt", seq)], order="seq", limit=_PAGE):
        yield from page
        seq = page[-1].seq
