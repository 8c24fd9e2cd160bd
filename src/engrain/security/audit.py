"""The audit trail: entries chained by hashes, and their verification."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar, cast

from engrain.engine import Engine
from engrain.errors import ConfigError, StoreCorrupt
from engrain.model.audit import GENESIS, AuditHead, AuditReport, ChainReport
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import AuditEntry, Expiry, Memory, Scope, current_key
from engrain.model.signatures import PublicKey, Signer, public_keys
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import Head, KeyRow, Record, Row
from engrain.text import digest

T = TypeVar("T")


def signed(memory: Memory, signer: Signer | None) -> Memory:
    """Return a new memory with the key's signature, without one where there is no key."""
    signature = None if signer is None else signer.sign(memory.payload())
    return replace(memory, source=replace(memory.source, signature=signature))


def signed_again(before: Memory, after: Memory, signer: Signer | None) -> Memory:
    """Return an edited memory with a signature that fits its present text.

    None where there is no key, and where the text before carries a signature that is not this key's: it may have been
    changed without the key.
    """
    if after.payload() == before.payload():
        return after
    mine = signer is not None and (before.source.signature is None or before.verify_signature(signer.public_key))
    return signed(after, signer if mine else None)


def is_sound(head: Head) -> bool:
    """Say whether a stored head holds what a head can."""
    return [type(value) for value in head] == [str, int, str, int, str]


class SignedStore:
    """A store that signs the audit heads that are put, and otherwise is the store that it wraps.

    A head is signed when the one before it is the key's own, or there was none: a chain that another continued stays
    unsigned until `sign` verifies it.
    """

    def __init__(self, store: Store, signer: Signer) -> None:
        self._store, self._signer = store, signer
        self._verified: dict[str, Head] = {}  # the last head of each org that is known to carry the key's signature

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        """Write to the store, signing what the change puts as a head."""
        return self._store.write(lambda transaction: change(cast(Transaction, _Signing(transaction, self))), org)

    def signed_head(self, head: Head, before: Head | None) -> Head:
        """Return a head with a signature, if the one that it continues has the key's or there was none."""
        if head.signed_seq == head.seq or not (before is None or self._is_own(before)):
            return head
        payload = AuditHead(head.org, head.seq, head.hash).payload()
        after = head._replace(signed_seq=head.seq, signature=self._signer.sign(payload))
        self._verified[head.org] = after
        return after

    def _is_own(self, head: Head) -> bool:
        if head.seq == 0 or self._verified.get(head.org) == head:
            return True
        if not is_sound(head) or head.signed_seq != head.seq:
            return False
        if not AuditHead(head.org, head.seq, head.hash, head.signature or None).verify(self._signer.public_key):
            return False
        self._verified[head.org] = head
        return True


class _Signing:
    """A transaction that signs the heads that are put."""

    def __init__(self, transaction: Transaction, store: SignedStore) -> None:
        self._transaction, self._store = transaction, store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def put(self, *rows: Row) -> Sequence[int]:
        """Put rows, heads with their signatures."""
        return self._transaction.put(*(self._signed(row) if isinstance(row, Head) else row for row in rows))

    def _signed(self, head: Head) -> Head:
        found = self._transaction.find(Head, [Test("org", "eq", head.org)], order="org")
        return self._store.signed_head(head, found[0] if found else None)


ERASE = "erase"
"""The operation after which a memory may be gone."""
_SECOND = "2:"
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def state_digest(m: Memory, salt: str) -> str:
    """Return the salted digest of what a change left behind: all of a memory that only an audited change may change.

    Left out is what reads and sweeps write by themselves: accesses, strength, what was learnt from it, the end that a
    policy sets; and what is made anew from the text: entities, the number of predecessors.
    """
    source, scope, fact = m.source, m.scope, m.fact
    times = (m.valid_from, m.valid_until, m.believed_until, m.recorded_at, m.updated_at, m.expires_at)
    since, until, believed, recorded, updated, expires = [None if at is None else at.isoformat() for at in times]
    state = {
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
        "valid": [since, until, believed],
        "written": [recorded, updated],
        "expires": expires if m.expiry is Expiry.GIVEN else None,
        "metadata": dict(m.metadata),
    }
    return _SECOND + digest(salt, _canonical(state))


def is_state(stated: str, m: Memory, salt: str) -> bool:
    """Say whether an entry's digest is that of a memory as it is; earlier versions of the digest count too."""
    if stated.startswith(_SECOND):
        return stated == state_digest(m, salt)
    until = m.valid_until.isoformat() if m.valid_until else ""
    parts = m.id, m.source.content_hash, m.status.value, m.superseded_by or "", m.valid_from.isoformat(), until
    return stated == digest(salt, *parts, str(m.version))


def who(scope: Scope) -> str:
    """Return the actor that an entry names: a server's key, else the view's agent or user, else the application."""
    if (key := current_key()) is not None:
        return key
    if scope.agent is not None:
        return f"agent:{scope.agent}"
    return f"user:{scope.user}" if scope.user is not None else "application"


class Trail:
    """Appends entries to one org's chain inside the transaction that makes the changes."""

    def __init__(self, transaction: Transaction, org: str, *, actor: str, at: datetime) -> None:
        self._transaction, self._org, self._actor, self.at = transaction, org, actor, at
        self._entries: list[AuditEntry] = []

    def add(self, operation: str, memory: Memory, salt: str, *, reason: str = "") -> None:
        """Record that `operation` left `memory` as it is now."""
        state = state_digest(memory, salt)
        self._entries.append(AuditEntry(self._org, 0, self.at, operation, memory.id, self._actor, state, "", reason))

    def left(self, memory: Memory, salt: str) -> None:
        """Record how the change that was recorded last of a memory left it in the end."""
        place = max(number for number, entry in enumerate(self._entries) if entry.memory_id == memory.id)
        self._entries[place] = replace(self._entries[place], digest=state_digest(memory, salt))

    def note(self, operation: str, subject: str, *state_of: str, reason: str = "") -> None:
        """Record what was done to something else than a memory, named by an id that has no content, and its state."""
        state = digest(operation, subject, *state_of)
        self._entries.append(AuditEntry(self._org, 0, self.at, operation, subject, self._actor, state, "", reason))

    def erased(self, memory_id: str, *, reason: str = "") -> None:
        """Record that a memory is gone, and erase the reasons beside its earlier entries."""
        of = [Test("org", "eq", self._org), Test("memory_id", "eq", memory_id)]
        self._transaction.update(AuditEntry, of, reason="")
        self.note(ERASE, memory_id, reason=reason)

    def redact(self, quotes: Callable[[str], bool]) -> int:
        """Empty the reasons of new entries that quote what is erased; return how many."""
        found = [place for place, entry in enumerate(self._entries) if entry.reason and quotes(entry.reason)]
        for place in found:
            self._entries[place] = replace(self._entries[place], reason="")
        return len(found)

    def write(self) -> None:
        """Chain the entries and put them with the new head; call it once, in the same transaction."""
        if not self._entries:
            return
        found = self._transaction.find(Head, [Test("org", "eq", self._org)], order="org")
        head, chain = found[0] if found else Head(self._org, 0, GENESIS), []
        for entry in self._entries:
            entry = replace(entry, seq=head.seq + 1)
            head = head._replace(seq=entry.seq, hash=entry.chained(head.hash))
            chain.append(replace(entry, hash=head.hash))
        self._transaction.put(*chain, head)  # who has the key signs it
        self._entries = []


UNANCHORED = "nothing outside the store vouches for it: whoever can write the file could rewrite the whole chain"
ROLLBACK = "an older copy of the whole file would verify too: only a head that was kept elsewhere shows it"
CUT = "the chain does not end where its head says"
NO_KEY = "signing needs a key: open the manager with signing_key=, or set ENGRAIN_SIGNING_KEY"
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, StoreCorrupt)
"""What reading a row, or looking at what it holds, raises where its content is not what it must be."""
_VERIFYING_PAGE = 1000


@dataclass(slots=True)
class Walk:
    """A place along a chain, and the hashes of the entries with numbers that are keys of `marks`."""

    seq: int = 0
    hash: str = GENESIS
    marks: dict[int, str] = field(default_factory=dict)

    def along(self, entries: Iterable[AuditEntry]) -> bool:
        """Go on to the end; False at the first entry that does not fit, which is `seq`."""
        for entry in entries:
            self.seq += 1
            try:
                wanted = entry.chained(self.hash)
            except UNREADABLE:  # it holds what no entry can
                return False
            if entry.seq != self.seq or entry.hash != wanted:
                return False
            self.hash = entry.hash
            if self.seq in self.marks:
                self.marks[self.seq] = entry.hash
        return True


def check(
    engine: Engine, org: str, *, keys: PublicKey | Iterable[PublicKey] = (), head: AuditHead | None = None
) -> ChainReport:
    """Verify an org's chain as it is in the store, with the public keys that may have signed it."""
    if head is not None and not isinstance(head, AuditHead):
        raise TypeError(
            f"head must be an AuditHead, not {type(head).__name__}: AuditHead.from_dict reads what was kept"
        )
    if head is not None and head.org != org:
        raise ValueError(f"the head is of org {head.org!r}, and the view of {org!r}")
    with engine.store.read(org) as reader:
        return _walked(entries(reader, org), stored_head(reader, org), known_keys(engine, keys), head)[0]


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
    """Sign a chain once it has been verified; see `MemoryManager.sign_audit`."""
    signer = engine.signer
    if signer is None:
        raise ConfigError(NO_KEY)
    with engine.store.read(org) as reader:
        report, walk = _walked(entries(reader, org), stored_head(reader, org), known_keys(engine, replacing), None)
    report.require()

    def change(transaction: Transaction) -> AuditHead:
        on = Walk(walk.seq, walk.hash)  # what was written since is verified while no other transaction writes
        head, whole = stored_head(transaction, org), on.along(entries(transaction, org, after=on.seq))
        if not whole or (head.seq, head.hash) != (on.seq, on.hash):
            ChainReport(False, False, on.seq, on.seq, (CUT,), org).require()
        signature = signer.sign(AuditHead(org, on.seq, on.hash).payload())
        transaction.put(Head(org, on.seq, on.hash, on.seq, signature))
        return AuditHead(org, on.seq, on.hash, signature)

    return engine.store.write(change, org)


def entries(reader: Reader, org: str, *, after: int = 0) -> Iterator[AuditEntry]:
    """Go through an org's entries in order, page by page; one that cannot be read is the last, numbered 0."""
    seq, size = after, _VERIFYING_PAGE
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


def _walked(
    chain: Iterable[AuditEntry], head: Head, keys: Sequence[str], given: AuditHead | None
) -> tuple[ChainReport, Walk]:
    """Verify a chain against its head, the keys that may have signed it, and a head that was kept elsewhere."""
    walk = Walk(marks={head.signed_seq: "", **({} if given is None else {given.seq: ""}), 0: GENESIS})
    first_bad: int | None = None
    wrong: list[str] = []
    if not walk.along(chain):
        first_bad, wrong = walk.seq, [f"entry {walk.seq} is not the one that was written there"]
    elif (head.seq, head.hash) != (walk.seq, walk.hash):
        first_bad, wrong = walk.seq + 1, [CUT]
    else:
        if keys and (head.signature or head.signed_seq):
            signed = AuditHead(head.org, head.signed_seq, walk.marks[head.signed_seq], head.signature)
            if not any(signed.verify(key) for key in keys):
                wrong.append(
                    f"entries 1 to {head.signed_seq} are not those that the key signed, or another key signed them"
                )
        if given is not None and walk.marks[given.seq] != given.hash:
            wrong.append(f"entry {given.seq} is not the one that the head names: the chain was written anew, or cut")
        if keys and given is not None and given.signature is not None and not any(map(given.verify, keys)):
            wrong.append("the head that was given is not signed by the key")
    if wrong:
        return ChainReport(False, False, walk.seq, first_bad, tuple(wrong), head.org), walk
    reached = max(head.signed_seq if keys and head.signature else 0, 0 if given is None else given.seq)
    notes = tuple(_notes(head, walk, keys, given, reached))
    return ChainReport(True, reached == walk.seq > 0, walk.seq, None, notes, head.org), walk


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
        yield "there are no entries: nothing distinguishes an empty chain from one that was removed"
    if given is None:
        yield ROLLBACK
    elif given.signature is None:
        yield "the head that was given is not signed: it is worth what the place is worth where it was kept"


class MemoryAuditor:
    """Compares memories, from wherever they come, with the hashes and signatures they carry.

    Signatures count where a public key is given; a text that was changed together with its hash passes without one.
    `MemoryManager.audit_integrity` compares with the audit trail too.
    """

    def __init__(self, memories: Iterable[Memory], *, public_key: PublicKey | Iterable[PublicKey] = ()) -> None:
        self._memories = memories
        self._keys = public_keys(public_key)

    def audit(self) -> AuditReport:
        """Look at every memory; one without a hash, or a signature where keys are given, says nothing of its origin."""
        total, tampered, missing = 0, list[str](), list[str]()
        for memory in self._memories:
            total += 1
            if not memory.source.content_hash or (self._keys and memory.source.signature is None):
                missing.append(memory.id)
            elif not is_as_written(memory, self._keys):
                tampered.append(memory.id)
        return _report(total, tampered, missing)


def _report(total: int, tampered: Sequence[str], missing: Sequence[str]) -> AuditReport:
    in_order = 1.0 if total == 0 else (total - len(tampered) - len(missing)) / total
    return AuditReport(total, tuple(tampered), tuple(missing), in_order)


def is_as_written(memory: Memory, keys: Sequence[str]) -> bool:
    """Say whether a text is the one that was hashed and, where it is signed and a key is known, signed."""
    if not memory.source.verify(memory.content):
        return False
    if memory.source.signature is None or not keys:
        return True
    return any(memory.verify_signature(key) for key in keys)


_INTEGRITY_PAGE = 500


def integrity(engine: Engine, scope: Scope, *, keys: PublicKey | Iterable[PublicKey] = ()) -> AuditReport:
    """Look at every memory of a view, whatever its kind and status; see `MemoryManager.audit_integrity`."""
    known, where = known_keys(engine, keys), within(scope)
    total, tampered, missing = 0, list[str](), list[str]()
    for found, unreadable, last in _pages(engine, where):
        total += len(found) + len(unreadable)
        tampered += unreadable
        for record in found:
            memory, entry = record.memory, last.get(record.memory.id)
            if entry is None or not memory.source.content_hash:
                missing.append(memory.id)
            elif not _is_in_order(entry, record, known):
                tampered.append(memory.id)
    if scope == Scope(scope.org):
        vanished = _vanished(engine, scope.org)
        total, tampered = total + len(vanished), tampered + vanished
        with engine.store.read(scope.org) as reader:
            changed = [
                key.id for key in reader.find(KeyRow, [Test("org", "eq", scope.org)]) if not _is_as_made(reader, key)
            ]
        total, tampered = total + len(changed), tampered + changed
    return _report(total, tampered, missing)


def _is_in_order(entry: AuditEntry, record: Record, known: Sequence[str]) -> bool:
    """Say whether a memory is as it was written, and as an entry left it."""
    try:
        memory = record.memory
        as_left = entry.operation != ERASE and is_state(entry.digest, memory, record.salt)
        as_left &= memory.expiry is not Expiry.NONE or memory.expires_at is None
        return as_left and is_as_written(record.memory, known)
    except UNREADABLE:
        return False


def key_state(key: KeyRow) -> tuple[str, ...]:
    """Return what an entry binds of a server's key: its scope, role and times; the hash of its secret is the salt."""
    revoked = "" if key.revoked_at is None else key.revoked_at.isoformat()
    owner = json.dumps([key.org, key.user, key.agent, key.name])
    return (key.hash, owner, key.role, key.created_at.isoformat(), revoked)


def _is_as_made(reader: Reader, key: KeyRow) -> bool:
    """Say whether a key is as the last entry about it left it; older entries bind nothing but its id."""
    last = _entries_of(reader, key.org, [key.id])[-1:]
    return any(
        entry.digest in (digest(entry.operation, key.id), digest(entry.operation, key.id, *key_state(key)))
        for entry in last
    )


def _pages(engine: Engine, where: Filter) -> Iterator[tuple[list[Record], list[str], Mapping[str, AuditEntry]]]:
    """Go through the memories, and the ids of those that cannot be read, with their last entries.

    All of a page is read at one moment.
    """
    num = 0
    while True:
        further = where.but(Test("num", "gt", num))
        with engine.store.read(where.org) as reader:
            found, broken = list[Record](), list[str]()
            try:
                found = reader.find(Record, further, order="num", limit=_INTEGRITY_PAGE)
                nums = [record.num for record in found]
            except UNREADABLE:
                nums = sorted(map(int, reader.count(Record, further, by="num")))[:_INTEGRITY_PAGE]
                for one in (where.but(Test("num", "eq", each)) for each in nums):
                    try:
                        found += reader.find(Record, one)
                    except UNREADABLE:
                        broken += reader.count(Record, one, by="id")
            entries_of = _entries_of(reader, where.org, [record.memory.id for record in found])
        if not nums:
            return
        yield found, broken, {entry.memory_id: entry for entry in entries_of}
        num = nums[-1]


def _entries_of(reader: Reader, org: str, ids: Sequence[str]) -> list[AuditEntry]:
    """Return the entries of memories, the oldest first; none for one with an entry that cannot be read."""
    if not ids:
        return []
    of = [Test("org", "eq", org), Test("memory_id", "in", tuple(ids))]
    try:
        return reader.find(AuditEntry, of, order="seq")
    except UNREADABLE:
        return [] if len(ids) == 1 else [entry for each in ids for entry in _entries_of(reader, org, [each])]


def _vanished(engine: Engine, org: str) -> list[str]:
    """Return the memories that have entries and that are gone without having been erased."""
    vanished: set[str] = set()
    with engine.store.read(org) as reader:
        ids = (entry.memory_id for entry in entries(reader, org) if entry.memory_id.startswith("mem_"))
        while some := tuple(dict.fromkeys(islice(ids, _INTEGRITY_PAGE))):
            gone = set(some) - set(reader.count(Record, Filter(org).but(Test("id", "in", some)), by="id"))
            of_gone = _entries_of(reader, org, sorted(gone))
            vanished |= gone - {entry.memory_id for entry in of_gone if entry.operation == ERASE}
    return sorted(vanished)
