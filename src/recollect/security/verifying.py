"""Whether an org's history is whole, and who vouches for it: a key, a head that was kept elsewhere, or nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from recollect.engine import Engine
from recollect.errors import ConfigError, StoreCorrupt
from recollect.filters import Test
from recollect.models import AuditEntry
from recollect.proofs import AuditHead, ChainReport
from recollect.protocols import Head, Reader, Transaction
from recollect.security.audit import GENESIS, chained
from recollect.security.signing import is_sound
from recollect.signatures import PublicKey, public_keys

UNANCHORED = "nothing outside the store vouches for it: whoever can write the file could rewrite the whole chain"
ROLLBACK = "an older copy of the whole file would verify too: only a head that was kept elsewhere tells"
CUT = "the chain does not end where its head says"
NO_KEY = "signing needs a key: open the manager with signing_key=, or set RECOLLECT_SIGNING_KEY"
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, StoreCorrupt)
"""What reading a row, or looking at what it holds, raises where somebody has filled it with something else."""
_PAGE = 1000


@dataclass(slots=True)
class Walk:
    """How far one has come along a chain, and the hashes passed at the places that are asked for."""

    seq: int = 0
    hash: str = GENESIS
    marks: dict[int, str] = field(default_factory=dict)

    def along(self, entries: Iterable[AuditEntry]) -> bool:
        """Go on to the end; False at the first entry that does not fit, which is `seq`."""
        for entry in entries:
            self.seq += 1
            if entry.seq != self.seq or entry.hash != _hash(self.hash, entry):
                return False
            self.hash = entry.hash
            if self.seq in self.marks:
                self.marks[self.seq] = entry.hash
        return True


def _hash(previous: str, entry: AuditEntry) -> str | None:
    """Return the hash that an entry should have, None for one that holds what no entry can."""
    try:
        return chained(previous, entry)
    except UNREADABLE:
        return None


def check(
    engine: Engine, org: str, *, keys: PublicKey | Iterable[PublicKey] = (), head: AuditHead | None = None
) -> ChainReport:
    """Verify an org's chain as it stands in the store, with the public keys that may have signed it."""
    if head is not None and not isinstance(head, AuditHead):
        raise TypeError(
            f"head must be an AuditHead, not {type(head).__name__}: AuditHead.from_dict reads what was kept"
        )
    if head is not None and head.org != org:
        raise ValueError(f"the head is of org {head.org!r}, and the view of {org!r}")
    with engine.store.read(org) as reader:
        return _checked(reader, org, known_keys(engine, keys), head)[0]


def verify(chain: Iterable[AuditEntry], head: Head | None) -> ChainReport:
    """Walk a chain from its first entry and say whether it is whole: nothing edited, removed, reordered or cut off."""
    return _walked(chain, head or Head("default", 0, GENESIS), (), None)[0]


def known_keys(engine: Engine, keys: PublicKey | Iterable[PublicKey]) -> tuple[str, ...]:
    """Return the public keys that are given and that of the key in force."""
    own = () if engine.signer is None else (engine.signer.public_key,)
    return tuple(dict.fromkeys((*own, *public_keys(keys))))


def stored_head(reader: Reader, org: str) -> Head:
    """Return where the store says that a chain ends."""
    found = reader.find(Head, [Test("org", "eq", org)], order="org")
    if not found:
        return Head(org, 0, GENESIS)
    return found[0] if is_sound(found[0]) else Head(org, -1, "")


def exported(engine: Engine, org: str) -> AuditHead:
    """Return where a chain ends now, with a signature if the key's reaches that far."""
    with engine.store.read(org) as reader:
        head = stored_head(reader, org)
    whole = bool(head.signature) and head.signed_seq == head.seq
    return AuditHead(org, head.seq, head.hash, head.signature if whole else None)


def sign(engine: Engine, org: str, *, replacing: PublicKey | Iterable[PublicKey] = ()) -> AuditHead:
    """Sign a chain as it stands, once it has been verified; see `MemoryManager.sign_audit`."""
    signer = engine.signer
    if signer is None:
        raise ConfigError(NO_KEY)
    with engine.store.read(org) as reader:
        report, walk = _checked(reader, org, known_keys(engine, replacing), None)
    report.require()

    def change(transaction: Transaction) -> AuditHead:
        on = Walk(walk.seq, walk.hash)  # what was written since is looked at while nobody writes
        head, whole = stored_head(transaction, org), on.along(entries(transaction, org, after=on.seq))
        if not whole or (head.seq, head.hash) != (on.seq, on.hash):
            ChainReport(False, False, on.seq, on.seq, (CUT,), org).require()
        signature = signer.sign(AuditHead(org, on.seq, on.hash).payload())
        transaction.put(Head(org, on.seq, on.hash, on.seq, signature))
        return AuditHead(org, on.seq, on.hash, signature)

    return engine.store.write(change, org)


def entries(reader: Reader, org: str, *, after: int = 0) -> Iterator[AuditEntry]:
    """Go through an org's entries in order, page by page; one that cannot be read is the last, numbered 0."""
    seq, size = after, _PAGE
    while True:
        try:
            page = reader.find(AuditEntry, [Test("org", "eq", org), Test("seq", "gt", seq)], order="seq", limit=size)
        except UNREADABLE:
            if size == 1:
                yield AuditEntry(org, 0, datetime.min.replace(tzinfo=UTC), "", "", "", "", "")
                return
            size = 1
            continue
        if not page:
            return
        yield from page
        seq = page[-1].seq


def _checked(reader: Reader, org: str, keys: Sequence[str], given: AuditHead | None) -> tuple[ChainReport, Walk]:
    return _walked(entries(reader, org), stored_head(reader, org), keys, given)


def _walked(
    chain: Iterable[AuditEntry], head: Head, keys: Sequence[str], given: AuditHead | None
) -> tuple[ChainReport, Walk]:
    org = head.org
    walk = Walk(marks={0: GENESIS, head.signed_seq: "", **({} if given is None else {given.seq: ""})})
    walk.marks[0] = GENESIS
    if not walk.along(chain):
        why = f"entry {walk.seq} is not the one that was written there"
        return ChainReport(False, False, walk.seq, walk.seq, (why,), org), walk
    if (head.seq, head.hash) != (walk.seq, walk.hash):
        return ChainReport(False, False, walk.seq, walk.seq + 1, (CUT,), org), walk
    refuted = list(_refuted(head, walk, keys, given))
    if refuted:
        return ChainReport(False, False, walk.seq, None, tuple(refuted), org), walk
    reached = max(_signed_to(head, keys), 0 if given is None else given.seq)
    anchored = reached == walk.seq > 0
    return ChainReport(True, anchored, walk.seq, None, tuple(_notes(head, walk, keys, given, reached)), org), walk


def _signed_to(head: Head, keys: Sequence[str]) -> int:
    return head.signed_seq if keys and head.signature else 0


def _refuted(head: Head, walk: Walk, keys: Sequence[str], given: AuditHead | None) -> Iterator[str]:
    """Yield why a chain that is whole in itself is not the one that was vouched for."""
    if keys and (head.signature or head.signed_seq):
        signed = AuditHead(head.org, head.signed_seq, walk.marks[head.signed_seq], head.signature)
        if not any(signed.verify(key) for key in keys):
            yield f"entries 1 to {head.signed_seq} are not those that the key signed, or another key signed them"
    if given is None:
        return
    if walk.marks[given.seq] != given.hash:
        yield f"entry {given.seq} is not the one that the head names: the chain was written anew, or cut"
    if keys and given.signature is not None and not any(given.verify(key) for key in keys):
        yield "the head that was given is not signed by the key"


def _notes(head: Head, walk: Walk, keys: Sequence[str], given: AuditHead | None, reached: int) -> Iterator[str]:
    """Yield what a chain that verifies does not show."""
    if not keys and given is None:
        yield UNANCHORED
        if head.signature:
            yield f"a key has signed it up to entry {head.signed_seq}: give its public half to verify that"
        return
    if reached < walk.seq:
        place = f"entries {reached + 1} to {walk.seq}" if reached + 1 < walk.seq else f"entry {walk.seq}"
        yield f"nothing vouches for {place}: written without the key, or after the head"
    if walk.seq == 0:
        yield "there are no entries: nothing tells an empty chain from one that was removed"
    if given is None:
        yield ROLLBACK
    elif given.signature is None:
        yield "the head that was given is not signed: it is worth what the place is worth where it was kept"
