"""The audit trail: `Trail` appends entries to hash chains, one for each namespace; `verify` checks the chains."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice

from engrain.engine import Engine
from engrain.errors import AuditBroken, ConfigError, StoreCorrupt
from engrain.guard import checkpoint
from engrain.model.audit import GENESIS, AuditHead, AuditProof, AuditReport, ChainReport, merkle_tree, namespace_name
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import AuditEntry, Expiry, Memory, Scope, current_actor
from engrain.model.signatures import PublicKey, Signer, public_keys
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import Head, KeyRow, Record
from engrain.text import digest

ERASE = "erase"  # the operation after which a memory may no longer exist
BEGIN = "namespace.begin"  # the operation of the organisation's own chain that records the first entry of another
_SECOND = "2:"
UNANCHORED = "nothing outside the store vouches for it: whoever can write the file could rewrite the whole chain"
ROLLBACK = "an older copy of the whole file would verify too: only a head that was kept elsewhere shows it"
CUT = "the chain does not end where its head says"
UNRECORDED = "the first entry is not the one that the organisation's own chain records"
NO_KEY = "signing needs a key: open the manager with signing_key=, or set ENGRAIN_SIGNING_KEY"
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, StoreCorrupt)
"""The errors of reading an invalid row, or using its content."""
_NAMED = 3  # chains that notes name
_INTEGRITY_PAGE = 500
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def signed(memory: Memory, signer: Signer | None) -> Memory:
    """Return a new memory with the key's signature, unchanged without a key."""
    signature = None if signer is None else signer.sign(memory.payload())
    return replace(memory, source=replace(memory.source, signature=signature))


def signed_again(before: Memory, after: Memory, signer: Signer | None) -> Memory:
    """Return an edited memory signed again; None without a key, or if its text had another key's signature."""
    if after.payload() == before.payload():
        return after
    mine = signer is not None and (before.source.signature is None or before.verify_signature(signer.public_key))
    return signed(after, signer if mine else None)


def is_sound(head: Head) -> bool:
    """Return whether a stored head has valid values."""
    return [type(value) for value in head] == [str, int, str, int, str, str]


def public_head(head: Head) -> AuditHead:
    """Return a stored head of a chain in its public form, with its signature if that covers the end."""
    signature = head.signature if head.signature and head.signed_seq == head.seq else None
    return AuditHead(head.org, head.seq, head.hash, signature, head.user or None)


def continued(head: Head, before: Head, signer: Signer) -> Head:
    """Return the head that continues another one, signed if that has the key's signature, or there was none."""
    if before.seq != 0 and not (is_sound(before) and public_head(before).verify(signer.public_key)):
        return head
    return head._replace(signed_seq=head.seq, signature=signer.sign(public_head(head).payload()))


def state_digest(m: Memory, salt: str) -> str:
    """Return the salted digest of the fields that only an audited change may set, which reads and sweeps do not."""
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
        "status": [m.stored_status.value, m.status_reason, m.superseded_by, m.pinned],
        "valid": [since, until, believed],
        "written": [recorded, updated],
        "expires": expires if m.expiry is Expiry.GIVEN else None,
        "metadata": dict(m.metadata),
    }
    return _SECOND + digest(salt, _canonical(state))


def is_state(stated: str, m: Memory, salt: str) -> bool:
    """Return whether an entry's digest is that of a memory's current state; earlier digest versions count too."""
    if stated.startswith(_SECOND):
        return stated == state_digest(m, salt)
    until = m.valid_until.isoformat() if m.valid_until else ""
    parts = m.id, m.source.content_hash, m.stored_status.value, m.superseded_by or "", m.valid_from.isoformat(), until
    return stated == digest(salt, *parts, str(m.version))


def who(scope: Scope) -> str:
    """Return the actor for an entry: a key or the console, else the view's agent or user, or the application."""
    if (actor := current_actor()) is not None:
        return actor
    if scope.agent is not None:
        return f"agent:{scope.agent}"
    return f"user:{scope.user}" if scope.user is not None else "application"


class Trail:
    """Appends entries to an org's chains with the changes: to that of a memory, else that of the view `scope`."""

    def __init__(
        self, engine: Engine, transaction: Transaction, scope: Scope, *, at: datetime, actor: str | None = None
    ) -> None:
        self.engine: Engine = engine
        self._signer, self._transaction, self._scope = engine.signer, transaction, scope
        self.at: datetime = at
        self._actor = who(scope) if actor is None else actor
        self._entries: list[AuditEntry] = []

    def add(self, operation: str, memory: Memory, salt: str, *, reason: str = "") -> None:
        """Record that `operation` left `memory` in its present state."""
        org, state = self._scope.org, state_digest(memory, salt)
        entry = AuditEntry(org, 0, self.at, operation, memory.id, self._actor, state, "", reason, memory.scope.user)
        self._entries.append(entry)

    def left(self, memory: Memory, salt: str) -> None:
        """Update the last recorded change of a memory with its final state."""
        place = max(number for number, entry in enumerate(self._entries) if entry.memory_id == memory.id)
        self._entries[place] = replace(self._entries[place], digest=state_digest(memory, salt))

    def note(self, operation: str, subject: str, *state_of: str, reason: str = "") -> None:
        """Record a change of something other than a memory, named by an id without content, and its state."""
        self._append(self._scope.user, operation, subject, digest(operation, subject, *state_of), reason)

    def erased(self, memory: Memory, *, reason: str = "") -> None:
        """Record that a memory was erased, and erase the reasons beside its earlier entries."""
        of = [Test("org", "eq", self._scope.org), Test("memory_id", "eq", memory.id)]
        self._transaction.update(AuditEntry, of, reason="")
        self._append(memory.scope.user, ERASE, memory.id, digest(ERASE, memory.id), reason)

    def _append(self, user: str | None, operation: str, subject: str, state: str, reason: str) -> None:
        entry = AuditEntry(self._scope.org, 0, self.at, operation, subject, self._actor, state, "", reason, user)
        self._entries.append(entry)

    def redact(self, quotes: Callable[[str, str | None], bool]) -> int:
        """Empty the reasons of new entries that quote erased content; return how many."""
        found = [each for each in self._entries if each.reason and quotes(each.reason, each.user)]
        self._entries = [replace(each, reason="") if each in found else each for each in self._entries]
        return len(found)

    def write(self) -> None:
        """Chain the entries and put them with the new heads; call it once, in the same transaction."""
        chained, heads = list[AuditEntry](), list[Head]()
        for user in dict.fromkeys(entry.user for entry in self._entries if entry.user is not None):
            before, place = self._continue(user, chained, heads), -sum(each.user == user for each in self._entries)
            if before.seq == 0:  # the organisation's own chain records it, so that a missing chain is noticed
                self._append(None, BEGIN, namespace_name(self._scope.org, user), chained[place].hash, "")
        if any(entry.user is None for entry in self._entries):
            self._continue(None, chained, heads)
        if chained:
            self._transaction.put(*chained, *heads)
        self._entries = []

    def _continue(self, user: str | None, chained: list[AuditEntry], heads: list[Head]) -> Head:
        """Chain the entries of a namespace to its last one; return the head that they continue."""
        of = [Test("org", "eq", self._scope.org), Test("user", "eq", user or "")]
        found = self._transaction.find(Head, of, order="org")
        before = head = found[0] if found else Head(self._scope.org, 0, GENESIS, user=user or "")
        for entry in self._entries:
            if entry.user == user:
                entry = replace(entry, seq=head.seq + 1)
                head = head._replace(seq=entry.seq, hash=digest(head.hash, *entry.links[0]))
                chained.append(replace(entry, hash=head.hash))
        heads.append(head if self._signer is None else continued(head, before, self._signer))
        return before


@dataclass(slots=True)
class Walk:
    """A position in a chain, the hashes of the entries whose numbers are keys of `marks`, and the chains it began."""

    seq: int = 0
    hash: str = GENESIS
    marks: dict[int, str] = field(default_factory=dict)
    begun: dict[str, list[str]] = field(default_factory=dict)

    def along(self, entries: Iterable[AuditEntry]) -> bool:
        """Advance to the end; False at the first entry that does not fit, which is `seq`."""
        for entry in entries:
            self.seq += 1
            try:
                fits = entry.link_after(self.hash) is not None
            except UNREADABLE:  # its content is invalid
                return False
            if entry.seq != self.seq or not fits:
                return False
            self.hash = entry.hash
            if self.seq in self.marks:
                self.marks[self.seq] = entry.hash
            if entry.operation == BEGIN:
                self.begun.setdefault(entry.memory_id, []).append(entry.digest)
        return True


@dataclass(slots=True)
class _Chain:
    """A verified chain: its error and where, and up to which entry a signature or a head vouches for it."""

    head: Head
    walk: Walk
    wrong: list[str] = field(default_factory=list)
    broken: int | None = None
    reached: int = 0

    @property
    def of(self) -> str:
        """The name of the chain in notes, "" for the organisation's own."""
        return f" of user {self.head.user!r}" if self.head.user else ""

    def verify(self, chain: Iterable[AuditEntry], keys: Sequence[str], given: int) -> None:
        """Walk the chain, and compare it with its head, and that with the keys; up to `given` a head vouches for it."""
        head, walk = self.head, self.walk
        walk.marks.update({head.signed_seq: "", given: "", 1: "", 0: GENESIS})
        if not walk.along(chain):
            self.broken, self.wrong = walk.seq, [f"entry {walk.seq}{self.of} is not the one that was written there"]
        elif (head.seq, head.hash) != (walk.seq, walk.hash):
            self.broken, self.wrong = walk.seq + 1, [CUT + self.of]
        elif keys and (head.signature or head.signed_seq):
            signed = head._replace(seq=head.signed_seq, hash=walk.marks[head.signed_seq])
            if not any(public_head(signed).verify(key) for key in keys):
                entries = f"entries 1 to {head.signed_seq}{self.of}"
                self.wrong = [f"{entries} are not those that the key signed, or another key signed them"]
        self.reached = max(head.signed_seq if keys and head.signature else 0, given)

    def compare(self, begun: list[str]) -> None:
        """Compare the first entry with its record in the organisation's own chain."""
        if not self.wrong and begun != [self.walk.marks[1]]:
            self.wrong, self.broken = [f"{UNRECORDED}{self.of}"], 1


def check(
    engine: Engine, scope: Scope, *, keys: PublicKey | Iterable[PublicKey] = (), head: AuditHead | None = None
) -> ChainReport:
    """Verify the stored chains of a view, with the public keys that may have signed them."""
    if head is not None and not isinstance(head, AuditHead):
        kind = type(head).__name__
        raise TypeError(f"head must be an AuditHead, not {kind}: AuditHead.from_dict reads what was kept")
    if head is not None and head.org != scope.org:
        raise ValueError(f"the head is of org {head.org!r}, and the view of {scope.org!r}")
    if head is not None and head.user is not None and scope.user not in (None, head.user):
        raise ValueError(f"the head is of user {head.user!r}, and the view of {scope.user!r}")
    if head is not None and head.chains is not None and not head.chains:
        raise ValueError("the head does not name its chains, as that of a proof: give the one that audit_head returned")
    user = scope.user if head is None or head.user is not None else None  # it vouches for the organisation
    known = known_keys(engine, keys)
    with engine.store.read(scope.org) as reader:
        return _report_of(_walked(reader, scope.org, user, known, head), known, head)


def verify(reader: Reader, org: str) -> ChainReport:
    """Walk an org's chains and report whether they are intact: nothing edited, removed, reordered or cut off."""
    return _report_of(_walked(reader, org, None, (), None), (), None)


def known_keys(engine: Engine, keys: PublicKey | Iterable[PublicKey]) -> tuple[str, ...]:
    """Return the given public keys and that of the configured key."""
    own = () if engine.signer is None else (engine.signer.public_key,)
    return tuple(dict.fromkeys((*own, *public_keys(keys))))


def stored_head(reader: Reader, org: str, user: str) -> Head:
    """Return the stored head of a chain."""
    found = reader.find(Head, [Test("org", "eq", org), Test("user", "eq", user)], order="org")
    return found[0] if found else Head(org, 0, GENESIS, user=user)


def stored_heads(reader: Reader, org: str, user: str | None = None) -> list[Head]:
    """Return the stored heads of the chains of an org, or of one user; the organisation's own is first."""
    of = [] if user is None else [Test("user", "eq", user)]
    found = reader.find(Head, [Test("org", "eq", org), *of, Test("seq", "ne", 0)], order="user")
    return [head if is_sound(head) else Head(org, -1, "", user=str(head.user)) for head in found]


def changes(reader: Reader, scope: Scope) -> int:
    """Return the number of changes in the trail that affect a view's reads; every change of a memory counts."""
    return sum(stored_head(reader, scope.org, user).seq for user in {"", scope.user or ""})


def exported(engine: Engine, scope: Scope) -> AuditHead:
    """Return the current head of a view's chains, signed if the key's signature covers them."""
    with engine.store.read(scope.org) as reader:
        if scope.user is not None:
            return public_head(stored_head(reader, scope.org, scope.user))
        return audit_head(scope.org, stored_heads(reader, scope.org), engine.signer)


def audit_head(org: str, heads: Sequence[Head], signer: Signer | None = None) -> AuditHead:
    """Return the head of an organisation, signed now if the key has signed the heads of all chains."""
    if all(head.user == "" for head in heads):
        return public_head(heads[0] if heads else Head(org, 0, GENESIS))
    root = merkle_tree(org, ((head.user, head.seq, head.hash) for head in heads))[-1][0]
    whole = AuditHead(org, sum(head.seq for head in heads), root, chains={head.user: head.seq for head in heads})
    if signer is None or not all(public_head(head).verify(signer.public_key) for head in heads):
        return whole
    return replace(whole, signature=signer.sign(whole.payload()))


def proof(engine: Engine, entry: AuditEntry) -> AuditProof:
    """Return the proof that an entry is part of the organisation's current audit trail."""
    org, user = entry.org, entry.user or ""
    with engine.store.read(org) as reader:
        previous = next(entries(reader, org, user, after=entry.seq - 2)).hash if entry.seq > 1 else GENESIS
        following, last = list[tuple[str, ...]](), entry.hash
        for later in entries(reader, org, user, after=entry.seq):
            link = later.link_after(last)
            if link is None:
                raise AuditBroken(f"entry {later.seq} is not the one that was written there", org=org, seq=later.seq)
            following.append(link)
            last = later.hash
        heads = stored_heads(reader, org)
    place = next(number for number, head in enumerate(heads) if head.user == user)
    path = list[tuple[str, str]]()
    for level in merkle_tree(org, ((head.user, head.seq, head.hash) for head in heads)):
        beside = place ^ 1
        if beside < len(level):
            path.append(("left" if beside < place else "right", level[beside]))
        place //= 2
    head = audit_head(org, heads, engine.signer)
    shown = replace(head, chains=None if head.chains is None else {})
    return AuditProof(replace(entry, reason=""), previous, tuple(following), tuple(path), shown)


def sign(engine: Engine, scope: Scope, *, replacing: PublicKey | Iterable[PublicKey] = ()) -> AuditHead:
    """Sign the chains of a view once they have been verified; see `MemoryManager.sign_audit`."""
    signer, org = engine.signer, scope.org
    if signer is None:
        raise ConfigError(NO_KEY)
    keys = known_keys(engine, replacing)
    with engine.store.read(org) as reader:
        chains = _walked(reader, org, scope.user, keys, None)
    _report_of(chains, keys, None).require()

    def change(transaction: Transaction) -> AuditHead:
        signed = list[Head]()
        for head in stored_heads(transaction, org, scope.user):
            # Later entries are verified while no other transaction writes.
            known = chains[head.user].walk if head.user in chains else Walk()
            on = Walk(known.seq, known.hash)
            whole = on.along(entries(transaction, org, head.user, after=on.seq))
            if not whole or (head.seq, head.hash) != (on.seq, on.hash):
                ChainReport(False, False, on.seq, on.seq, (CUT,), org, head.user or None).require()
            signed.append(head._replace(signed_seq=head.seq, signature=signer.sign(public_head(head).payload())))
        transaction.put(*signed)
        if scope.user is None:
            return audit_head(org, signed, signer)
        return public_head(signed[0] if signed else Head(org, 0, GENESIS, user=scope.user))

    return engine.store.write(change, org)


def entries(reader: Reader, org: str, user: str, *, after: int = 0) -> Iterator[AuditEntry]:
    """Yield a chain's entries in order, page by page; an unreadable one is the last, numbered 0."""
    seq, size = after, 1000
    of = [Test("org", "eq", org), Test("user", "eq", user)]
    while True:
        try:
            page = reader.find(AuditEntry, [*of, Test("seq", "gt", seq)], order="seq", limit=size)
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


def _users(reader: Reader, org: str) -> list[str]:
    """Return the users with entries or heads, the organisation's own chain first."""
    return sorted({"", *reader.count(AuditEntry, [Test("org", "eq", org)], by="user")})


def _walked(
    reader: Reader, org: str, user: str | None, keys: Sequence[str], given: AuditHead | None
) -> dict[str, _Chain]:
    """Verify the chains of an organisation, or of one user, and their records in its own chain."""
    heads = {head.user: head for head in stored_heads(reader, org, user)}
    kept = {} if given is None else {given.user or "": given.seq} if given.chains is None else given.chains
    users = [user] if user is not None else sorted({*_users(reader, org), *heads})
    chains = dict[str, _Chain]()
    for name in users:
        chain = chains[name] = _Chain(heads.get(name) or Head(org, 0, GENESIS, user=name), Walk())
        chain.verify(entries(reader, org, name), keys, kept.get(name, 0))
    if user is not None:
        own = [Test("org", "eq", org), Test("user", "eq", ""), Test("operation", "eq", BEGIN)]
        named = Test("memory_id", "eq", namespace_name(org, user))
        begun = {named.value: [entry.digest for entry in reader.find(AuditEntry, [*own, named], order="seq")]}
    else:
        begun = dict(chains[""].walk.begun)
    first = chains[users[0]]
    for name, chain in chains.items() if user is not None or first.broken is None else ():
        recorded = begun.pop(namespace_name(org, name), []) if name else []
        if name and (chain.walk.seq or recorded):
            chain.compare(recorded)
    first.wrong += [f"the chain of the namespace {name} is gone" for name, found in begun.items() if found]
    if given is not None:
        first.wrong += _against(given, chains, keys)
    return chains


def _against(given: AuditHead, chains: Mapping[str, _Chain], keys: Sequence[str]) -> Iterator[str]:
    """Yield the contradictions to a saved head, unless the chains do not even fit together."""
    if any(chain.broken is not None for chain in chains.values()):
        return
    if given.chains is None:
        chain = chains.get(given.user or "")
        if chain is None or chain.walk.marks[given.seq] != given.hash:
            yield f"entry {given.seq} is not the one that the head names: the chain was written anew, or cut"
    else:
        marks = {name: chain.walk.marks for name, chain in chains.items()}
        ends = ((name, seq, marks[name][seq] if name in marks else "") for name, seq in given.chains.items())
        if not given.chains or merkle_tree(given.org, ends)[-1][0] != given.hash:
            yield "the chains are not those that the head names: one was written anew, cut or removed"
    if keys and given.signature is not None and not any(map(given.verify, keys)):
        yield "the head that was given is not signed by the key"


def _report_of(chains: Mapping[str, _Chain], keys: Sequence[str], given: AuditHead | None) -> ChainReport:
    total, org = sum(chain.walk.seq for chain in chains.values()), next(iter(chains.values())).head.org
    wrong = [chain for chain in chains.values() if chain.wrong]
    if wrong:
        first = next((chain for chain in wrong if chain.broken is not None), wrong[0])
        notes = tuple(note for chain in wrong for note in chain.wrong)
        return ChainReport(False, False, total, first.broken, notes, org, first.head.user or None)
    anchored = total > 0 and all(chain.reached == chain.walk.seq for chain in chains.values())
    return ChainReport(True, anchored, total, None, tuple(_notes(chains, keys, given, total)), org)


def _notes(chains: Mapping[str, _Chain], keys: Sequence[str], given: AuditHead | None, total: int) -> Iterator[str]:
    """Yield notes on the limits of a successful verification."""
    if not keys and given is None:
        yield UNANCHORED
        if signed := [chain for chain in chains.values() if chain.head.signature]:
            reach = ", ".join(f"{chain.head.signed_seq}{chain.of}" for chain in signed[:_NAMED])
            yield f"a key has signed it up to entry {reach}: give its public half to verify that"
        return
    behind = [chain for chain in chains.values() if chain.reached < chain.walk.seq]
    for chain in behind[:_NAMED]:
        first, last = chain.reached + 1, chain.walk.seq
        place = f"entries {first} to {last}" if first < last else f"entry {last}"
        yield f"nothing vouches for {place}{chain.of}: written without the key, or after the head"
    if behind[_NAMED:]:
        yield f"nothing vouches for the last entries of {len(behind) - _NAMED:,} other chains either"
    if total == 0:
        yield "there are no entries: nothing distinguishes an empty chain from one that was removed"
    if given is None:
        yield ROLLBACK
    elif given.signature is None:
        yield "the head that was given is not signed: it is worth what the place is worth where it was kept"


class MemoryAuditor:
    """Compares memories with their hashes, and by a public key with signatures; `audit_integrity` by the trail too."""

    def __init__(self, memories: Iterable[Memory], *, public_key: PublicKey | Iterable[PublicKey] = ()) -> None:
        self._memories, self._keys = memories, public_keys(public_key)

    def audit(self) -> AuditReport:
        """Check every memory; one without a hash, or a signature if keys are given, has no provenance."""
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
    """Return whether a text matches its hash and, if it is signed and a key is known, its signature."""
    if not memory.source.verify(memory.content):
        return False
    return memory.source.signature is None or not keys or any(memory.verify_signature(key) for key in keys)


def integrity(engine: Engine, scope: Scope, *, keys: PublicKey | Iterable[PublicKey] = ()) -> AuditReport:
    """Check every memory of a view, of any kind and status; see `MemoryManager.audit_integrity`."""
    known, where = known_keys(engine, keys), within(scope)
    total, tampered, missing = 0, list[str](), list[str]()
    for found, unreadable, last in _pages(engine, where):
        checkpoint()
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
        with engine.store.read(scope.org) as reader:
            keys_there = reader.find(KeyRow, [Test("org", "eq", scope.org)])
            changed = [key.id for key in keys_there if not _is_as_made(reader, key)]
        total, tampered = total + len(vanished) + len(changed), tampered + vanished + changed
    return _report(total, tampered, missing)


def _is_in_order(entry: AuditEntry, record: Record, known: Sequence[str]) -> bool:
    """Return whether a memory is in the state in which it was written, and in which an entry left it."""
    try:
        memory = record.memory
        as_left = entry.operation != ERASE and is_state(entry.digest, memory, record.salt)
        as_left &= memory.expiry is not Expiry.NONE or memory.expires_at is None
        return as_left and is_as_written(record.memory, known)
    except UNREADABLE:
        return False


def key_state(key: KeyRow) -> tuple[str, ...]:
    """Return the fields of a server's key that an entry binds: scope, role, times; its secret's hash is the salt."""
    revoked = "" if key.revoked_at is None else key.revoked_at.isoformat()
    owner = json.dumps([key.org, key.user, key.agent, key.name])
    return (key.hash, owner, key.role, key.created_at.isoformat(), revoked)


def _is_as_made(reader: Reader, key: KeyRow) -> bool:
    """Return whether a key is in the state of its last entry; older entries bind only its id."""
    last, states = _entries_of(reader, key.org, [key.id])[-1:], ((key.id,), (key.id, *key_state(key)))
    return any(entry.digest == digest(entry.operation, *state) for entry in last for state in states)


def _pages(engine: Engine, where: Filter) -> Iterator[tuple[list[Record], list[str], Mapping[str, AuditEntry]]]:
    """Yield pages of memories, and unreadable ids, with their last entries; each page is read at one moment."""
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
    """Return the entries of memories, the oldest first; none for one with an unreadable entry."""
    if not ids:
        return []
    of = [Test("org", "eq", org), Test("memory_id", "in", tuple(ids))]
    try:
        found = reader.find(AuditEntry, of, order="seq")
        return sorted(found, key=lambda entry: (entry.user is not None, entry.seq))  # the former single chain first
    except UNREADABLE:
        return [] if len(ids) == 1 else [entry for each in ids for entry in _entries_of(reader, org, [each])]


def _vanished(engine: Engine, org: str) -> list[str]:
    """Return the memories that have entries but no longer exist without having been erased."""
    vanished: set[str] = set()
    with engine.store.read(org) as reader:
        chains = (entries(reader, org, user) for user in _users(reader, org))
        found = (entry.memory_id for chain in chains for entry in chain)
        ids = (memory_id for memory_id in found if memory_id.startswith("mem_"))
        while some := tuple(dict.fromkeys(islice(ids, _INTEGRITY_PAGE))):
            gone = set(some) - set(reader.count(Record, Filter(org).but(Test("id", "in", some)), by="id"))
            of_gone = _entries_of(reader, org, sorted(gone))
            vanished |= gone - {entry.memory_id for entry in of_gone if entry.operation == ERASE}
    return sorted(vanished)
