"""Audit entries, reports, receipts and server keys with their roles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from engrain.errors import AuditBroken
from engrain.model.choices import ReceiptStatus
from engrain.model.memory import AuditEntry
from engrain.model.signatures import PublicKey, verified
from engrain.text import digest, plain_fields

GENESIS = "0" * 64  # the hash before the first entry of an audit chain
COMPLETE: Final = "complete"
PENDING: Final = "pending"


class Role(StrEnum):
    """The permissions of a server key's holder; each role includes those before it: read, write, review, admin."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"

    def covers(self, other: Role) -> bool:
        """Return whether this role includes the permissions of the other."""
        ladder = list(Role)
        return ladder.index(self) >= ladder.index(other)


@dataclass(frozen=True, slots=True)
class ChainReport:
    """The result of verifying audit chains; with a key, a chain that is not anchored should be checked.

    Attributes:
        ok: The chains fit together, and neither a key nor a head contradicts them.
        anchored: A key or a head that was kept elsewhere vouches for every entry.
        entries: The number of entries.
        first_broken: The number of the first entry that is broken, in its chain.
        notes: The errors, or what cannot be excluded.
        org: The organisation of the chains.
        user: The user of the chain that is broken, None for the organisation's own.
    """

    ok: bool
    anchored: bool
    entries: int
    first_broken: int | None = None
    notes: tuple[str, ...] = ()
    org: str = "default"
    user: str | None = None

    def require(self, *, anchored: bool = False) -> None:
        """Raise `AuditBroken` unless the chains are intact; with `anchored` unless every entry is vouched for, too."""
        if self.ok and (self.anchored or not anchored):
            return
        where = "does not verify" if self.first_broken is None else f"breaks at entry {self.first_broken}"
        of = "" if self.user is None else f", user {self.user!r},"
        message = f"the audit trail of {self.org!r}{of} {where}: {'; '.join(self.notes)}"
        raise AuditBroken(message, org=self.org, seq=self.first_broken or 0)


@dataclass(frozen=True, slots=True)
class AuditHead:
    """The ends of audit chains at some time: keep it elsewhere, and `verify_audit(head=)` compares the chains.

    The head of a chain has the number and the hash of its last entry. The head of an organisation with several chains
    has the number of all entries, and the root of a Merkle tree over the heads of the chains, in the order of users.

    Attributes:
        org: The organisation.
        seq: The number of the last entry, or of all entries.
        hash: The hash of the last entry, or the root.
        signature: The signature of these, None without a key.
        user: The user whose chain it is, None for the organisation.
        chains: How many entries each chain had, by user, "" for the organisation's own; None in the head of one chain.
    """

    org: str
    seq: int
    hash: str
    signature: str | None = None
    user: str | None = None
    chains: Mapping[str, int] | None = None

    def payload(self) -> bytes:
        """Return the bytes that are signed."""
        named = [self.org, self.seq, self.hash]
        if self.chains is not None:
            return _canonical({"audit_root": named})
        return _canonical({"audit_head": named if self.user is None else [self.org, self.user, self.seq, self.hash]})

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, to be kept elsewhere."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AuditHead:
        """Read the output of `to_dict`; anything else is a `ValueError`."""
        org, seq, hash_, signature = (values.get(name) for name in ("org", "seq", "hash", "signature"))
        user, chains = values.get("user"), values.get("chains")
        sound = isinstance(org, str) and isinstance(hash_, str) and type(seq) is int and seq >= 0
        sound &= all(isinstance(text, str | None) for text in (signature, user)) and isinstance(chains, Mapping | None)
        numbers = chains.values() if isinstance(chains, Mapping) else ()
        if not sound or not all(type(number) is int and number >= 0 for number in numbers):
            raise ValueError("this is no head of an audit trail: it needs org, seq, hash and signature")
        known = None if chains is None else dict(chains)
        return cls(str(org), int(str(seq)), str(hash_), signature, user, known)

    def verify(self, public_key: PublicKey) -> bool:
        """Return whether the holder of that key signed it."""
        return self.signature is not None and verified(public_key, self.payload(), self.signature)


def namespace_name(org: str, user: str) -> str:
    """Return the name under which the organisation's own chain records the first entry of a namespace's chain."""
    return f"ns_{digest(org, user)[:32]}"


def merkle_tree(org: str, heads: Iterable[tuple[str, int, str]]) -> list[list[str]]:
    """Return the hashes of the Merkle tree over users, numbers and hashes of heads, level by level up to its root."""
    level = [_leaf(org, *head) for head in sorted(heads)]
    levels = [level]
    while len(level) > 1:  # an unpaired hash moves up unchanged
        pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
        level = [digest("node", *pair) if len(pair) > 1 else pair[0] for pair in pairs]
        levels.append(level)
    return levels


def _leaf(org: str, user: str, seq: int, last: str) -> str:
    return digest("leaf", org, user, str(seq), last)


@dataclass(frozen=True, slots=True)
class AuditProof:
    """A proof that an entry is part of the audit trail, for a holder of a head or the key of the organisation.

    It needs no store. Of the entries that follow in the same chain it shows digests alone, of other chains hashes of
    the Merkle tree; entries that were written before namespaces had chains of their own are shown but for reasons.

    Attributes:
        entry: The entry, without its reason.
        previous: The hash of the entry before it.
        following: What each later entry of its chain adds to the hash before, up to the head of the chain.
        path: The hashes beside the way from the head of the chain to the root, each with its side.
        head: The head that the proof leads to; it does not name the other chains.
    """

    entry: AuditEntry
    previous: str
    following: tuple[tuple[str, ...], ...]
    path: tuple[tuple[str, str], ...]
    head: AuditHead

    def verify(self, head: AuditHead | None = None, *, public_key: PublicKey | None = None) -> bool:
        """Return whether the entry is part of the trail that a head or the holder of a key vouches for.

        Args:
            head: A head that was kept, of the moment of the proof. None where the key is enough.
            public_key: The public half of the key that signed the head of the proof. None where the head is enough.

        Raises:
            ValueError: Neither is given, or the key cannot be read.
        """
        if head is None and public_key is None:
            raise ValueError("a proof is compared with something: give the head that was kept, or the public key")
        known = self.head
        if head is not None and (head.org, head.seq, head.hash) != (known.org, known.seq, known.hash):
            return False
        if public_key is not None and not known.verify(public_key):
            return False
        entry = self.entry
        if entry.org != known.org or entry.link_after(self.previous) is None:
            return False
        last, seq = entry.hash, entry.seq + len(self.following)
        for link in self.following:
            last = digest(last, *link)
        if known.chains is None:
            return (seq, last, entry.user) == (known.seq, known.hash, known.user)
        root = _leaf(entry.org, entry.user or "", seq, last)
        for side, beside in self.path:
            root = digest("node", beside, root) if side == "left" else digest("node", root, beside)
        return root == known.hash

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values, to be shown to others."""
        return plain_fields(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> AuditProof:
        """Read the output of `to_dict`; anything else is a `ValueError`."""
        try:
            entry = AuditEntry(**{**values["entry"], "at": datetime.fromisoformat(values["entry"]["at"])})
            following = tuple(tuple(map(str, link)) for link in values["following"])
            path = tuple((str(side), str(beside)) for side, beside in values["path"])
            return cls(entry, str(values["previous"]), following, path, AuditHead.from_dict(values["head"]))
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("this is no proof of an audit entry: read what `to_dict` wrote") from error


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The memories that differ from their original state.

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


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Receipt:
    """The rows that an erasure removed, and the result of a search of the files afterwards.

    Attributes:
        id: The id of the receipt.
        at: When the memories were erased.
        org: The organisation.
        status: `complete`, or `pending` while a reader still holds bytes or an engine has still to rewrite its files.
        memory_ids: The ids of the erased memories.
        removed: What was removed, counted by place.
        shared: Words that other memories of the same owner have too.
        out_of_reach: The snapshots and exports that are left, if any, and what the store does not govern.
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
        """Read the output of `to_dict`."""
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
    """The number and ids of hidden or erased memories; with `dry_run` of those that would be.

    Attributes:
        count: The number of memories.
        ids: Their ids.
        dry_run: Nothing was changed.
        receipt: The receipt of an erasure, which names all erased memories.
        beside: How many more leave with them: what derives from them and, erased, what they came from.
    """

    count: int
    ids: tuple[str, ...] = ()
    dry_run: bool = False
    receipt: Receipt | None = None
    beside: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key by which a program uses a server: its scope and its permissions.

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
        """Whether it is valid: it is until it is revoked."""
        return self.revoked_at is None


def _canonical(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
