"""Audit entries, reports, receipts and server keys with their roles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from engrain.errors import AuditBroken
from engrain.model.choices import ReceiptStatus
from engrain.model.plain import plain_fields
from engrain.model.signatures import PublicKey, verified


class Role(StrEnum):
    """What the holder of a server key may do; each role includes those before it: read, write, review, admin."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"

    def covers(self, other: Role) -> bool:
        """Say whether this role may do what the other may."""
        ladder = list(Role)
        return ladder.index(self) >= ladder.index(other)


GENESIS = "0" * 64
"""The hash before the first entry of an audit trail."""


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What the verification of an audit chain found; with a key, a chain that is not anchored needs a look.

    Attributes:
        ok: The chain fits together, and neither a key nor a head contradicts it.
        anchored: A key or a head that was kept elsewhere vouches for every entry.
        entries: The number of entries.
        first_broken: The number of the first entry that is broken.
        notes: What is wrong, or what cannot be excluded.
        org: The organisation of the chain.
    """

    ok: bool
    anchored: bool
    entries: int
    first_broken: int | None = None
    notes: tuple[str, ...] = ()
    org: str = "default"

    def require(self, *, anchored: bool = False) -> None:
        """Raise `AuditBroken` unless the chain is whole; with `anchored` unless all of it is vouched for, too."""
        if self.ok and (self.anchored or not anchored):
            return
        where = "does not verify" if self.first_broken is None else f"breaks at entry {self.first_broken}"
        message = f"the audit trail of {self.org!r} {where}: {'; '.join(self.notes)}"
        raise AuditBroken(message, org=self.org, seq=self.first_broken or 0)


@dataclass(frozen=True, slots=True)
class AuditHead:
    """Where an org's audit chain ended at some time: keep it elsewhere, and `verify_audit(head=)` compares the chain.

    Attributes:
        org: The organisation.
        seq: The number of the last entry.
        hash: The hash of the last entry.
        signature: The signature of these, None without a key.
    """

    org: str
    seq: int
    hash: str
    signature: str | None = None

    def payload(self) -> bytes:
        """Return the bytes that are signed."""
        return _canonical({"audit_head": [self.org, self.seq, self.hash]})

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, to be kept elsewhere."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AuditHead:
        """Read what `to_dict` wrote; anything else is a `ValueError`."""
        org, seq, hash_, signature = (values.get(name) for name in ("org", "seq", "hash", "signature"))
        sound = isinstance(org, str) and isinstance(hash_, str) and type(seq) is int and seq >= 0
        if not sound or not isinstance(signature, str | None):
            raise ValueError("this is no head of an audit trail: it needs org, seq, hash and signature")
        return cls(str(org), int(str(seq)), str(hash_), signature)

    def verify(self, public_key: PublicKey) -> bool:
        """Say whether the holder of that key signed it."""
        return self.signature is not None and verified(public_key, self.payload(), self.signature)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Which memories are not as they were written.

    Attributes:
        total: The memories that were compared.
        tampered_ids: Those that were changed without the audit trail.
        missing_provenance_ids: Those that do not say where they come from.
        integrity_score: The share that is in order, 1.0 when there are none.
    """

    total: int
    tampered_ids: tuple[str, ...] = ()
    missing_provenance_ids: tuple[str, ...] = ()
    integrity_score: float = 1.0


COMPLETE: Final = "complete"
PENDING: Final = "pending"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Receipt:
    """What an erasure removed, and what a search of the files found afterwards.

    Attributes:
        id: The id of the receipt.
        at: When the memories were erased.
        org: The organisation.
        status: `complete`, or `pending` while a reader still holds bytes or an engine has still to rewrite its files.
        memory_ids: The ids of the erased memories.
        removed: What was removed, counted by place.
        shared: Words that other memories of the same owner have too.
        out_of_reach: The snapshots and exports that are left where they were written, or that there are none, and
            what the store does not govern.
        verified: The files were searched for what only the erased memories had, and none of it was found.
        searched: What was searched, counted by place.
        notes: What keeps it pending, and what else to know.
        signature: The signature of all this, None without a key.
    """

    id: str
    at: datetime
    org: str
    status: ReceiptStatus
    memory_ids: tuple[str, ...]
    removed: Mapping[str, int] = field(default_factory=dict)
    shared: int = 0
    out_of_reach: tuple[str, ...] = ()
    verified: bool = False
    searched: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    signature: str | None = None

    def __repr__(self) -> str:
        found = "verified" if self.verified else "not verified"
        return f"<Receipt {self.id}: {self.status}, {found}, {len(self.memory_ids):,} memories>"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Receipt:
        """Read what `to_dict` wrote."""
        lists = {name: tuple(values[name]) for name in ("memory_ids", "out_of_reach", "notes")}
        return cls(**{**values, **lists, "at": datetime.fromisoformat(values["at"])})

    def payload(self) -> bytes:
        """Return the bytes that are signed: everything but the signature."""
        values = self.to_dict()
        del values["signature"]
        return _canonical({"receipt": values})

    def verify(self, public_key: PublicKey) -> bool:
        """Return whether the holder of that key signed it in its present form."""
        return self.signature is not None and verified(public_key, self.payload(), self.signature)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many memories were hidden or erased, and which; with `dry_run` how many would be.

    Attributes:
        count: The number of memories.
        ids: Their ids.
        dry_run: Nothing was changed.
        receipt: The receipt of an erasure, which names all erased memories.
        beside: How many more an erasure takes along: what they came from, and what derives from them.
    """

    count: int
    ids: tuple[str, ...] = ()
    dry_run: bool = False
    receipt: Receipt | None = None
    beside: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key by which a program uses a server: the scope that it opens, and what it may do there.

    Attributes:
        id: The id of the key.
        role: What its holder may do; each role includes those before it.
        org: The organisation that it opens.
        user: The user that it opens, None for the whole organisation.
        agent: The agent as which it acts.
        name: The owner's word for it.
        created_at: When it was made.
        revoked_at: When it was revoked, None while it is live.
        secret: The secret, only in what `m.keys.create` returns: it is stored nowhere, and not in the `repr`.
    """

    id: str
    role: Role
    org: str
    user: str | None = None
    agent: str | None = None
    name: str = ""
    created_at: datetime
    revoked_at: datetime | None = None
    secret: str | None = field(default=None, repr=False, compare=False)

    @property
    def live(self) -> bool:
        """Whether it opens anything: it does until it is revoked."""
        return self.revoked_at is None


def _canonical(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
