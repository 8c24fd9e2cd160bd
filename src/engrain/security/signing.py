"""A key at work: memories are signed when they are stored, and each new head of an audit chain that was signed before.

A key never vouches for what it did not see written: a chain, or a memory, that somebody else continued stays unsigned
until somebody signs it on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, TypeVar, cast

from engrain.model.audit import AuditHead
from engrain.model.filters import Test
from engrain.model.memory import Memory
from engrain.model.signatures import Signer
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import Head, Row

T = TypeVar("T")


def signed(memory: Memory, signer: Signer | None) -> Memory:
    """Return a new memory with the key's signature, without one where there is no key."""
    signature = None if signer is None else signer.sign(memory.payload())
    return replace(memory, source=replace(memory.source, signature=signature))


def signed_again(before: Memory, after: Memory, signer: Signer | None) -> Memory:
    """Return an edited memory with a signature that fits what it says now.

    None where there is no key, and where what it said before carries a signature that is not this key's: somebody else
    may have changed it.
    """
    if after.payload() == before.payload():
        return after
    mine = signer is not None and (before.source.signature is None or before.verify_signature(signer.public_key))
    return signed(after, signer if mine else None)


def head_of(head: Head) -> AuditHead:
    """Return a stored head as far as it is signed."""
    return AuditHead(head.org, head.signed_seq, head.hash, head.signature or None)


def is_sound(head: Head) -> bool:
    """Say whether a stored head holds what a head can."""
    return [type(value) for value in head] == [str, int, str, int, str]


class SignedStore:
    """A store whose audit heads are signed as they are written; all else is the store's own."""

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store, self._seal = store, _Seal(signer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def url(self) -> str:
        """Where the store is."""
        return self._store.url

    @property
    def read_only(self) -> bool:
        """Whether it can only be read."""
        return self._store.read_only

    def read(self, org: str | None = None) -> AbstractContextManager[Reader]:
        """Read from the store."""
        return self._store.read(org)

    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        """Write to the store, signing what the change puts as a head."""
        return self._store.write(lambda transaction: change(cast(Transaction, _Signing(transaction, self._seal))), org)

    def snapshot(self, path: str) -> str:
        """Copy the store."""
        return self._store.snapshot(path)

    def size(self) -> int:
        """Return the bytes the store takes on disk."""
        return self._store.size()

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class _Seal:
    """The key, and the last heads that it is known to have signed."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer
        self._seen: dict[str, Head] = {}

    def on(self, head: Head, before: Head | None) -> Head:
        """Return a head with a signature, if the one that it continues is vouched for or there was none."""
        if head.signed_seq == head.seq or not (before is None or self._vouches(before)):
            return head
        payload = AuditHead(head.org, head.seq, head.hash).payload()
        after = head._replace(signed_seq=head.seq, signature=self._signer.sign(payload))
        self._seen[head.org] = after
        return after

    def _vouches(self, head: Head) -> bool:
        if head.seq == 0 or self._seen.get(head.org) == head:
            return True
        if not is_sound(head) or head.signed_seq != head.seq or not head_of(head).verify(self._signer.public_key):
            return False
        self._seen[head.org] = head
        return True


class _Signing:
    """A transaction that signs the heads that are put."""

    def __init__(self, transaction: Transaction, seal: _Seal) -> None:
        self._transaction, self._seal = transaction, seal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def put(self, *rows: Row) -> Sequence[int]:
        """Put rows, heads with their signatures."""
        return self._transaction.put(*(self._sealed(row) if isinstance(row, Head) else row for row in rows))

    def _sealed(self, head: Head) -> Head:
        found = self._transaction.find(Head, [Test("org", "eq", head.org)], order="org")
        return self._seal.on(head, found[0] if found else None)
