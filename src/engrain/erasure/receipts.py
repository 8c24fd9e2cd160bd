"""Receipts of erasure: `prove` searches the store's files for traces, `finish` repeats that for pending receipts."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Any

from engrain.config import SCRATCH
from engrain.engine import Engine, ErasureTraces
from engrain.errors import StoreError
from engrain.guard import guard
from engrain.language.tokens import index_counts
from engrain.model.audit import COMPLETE, PENDING, Receipt
from engrain.model.filters import Filter, Test, Where, within
from engrain.model.memory import PROVE, Job, JobState, Memory, Scope
from engrain.model.results import Page
from engrain.protocols import Reader, Store, Transaction
from engrain.storage import rows as tables
from engrain.storage.byte_search import Needles
from engrain.storage.interface import first, in_pages, owners
from engrain.text import pattern
from engrain.validation import checked_limit
from engrain.write.prepare import texts_in

_WORD = pattern(r"\w+")
_ID = pattern(r"(?:mem|rcp|ses|turn|job|ent|mrg)_[0-9a-f]{32}")  # which the audit trail keeps
_LONGEST = 64  # bytes of a word that are searched for
_SLICE = 48  # bytes of a text
_LEAST = 6
_SHORT, _SLICES = 65_536, 64  # bytes of a record's value that is split into words; slices to search for
_ELSEWHERE_TOO = (
    "copies that others made of the files, and downloads",
    "blocks of the disk that the file system has let go",
    "what other programs and language models were shown",
    "the same words of other users, and in names that this view does not see",
)
_FIELDS = "key actor agent session domain source_origin source_id source_ref tags entities metadata status_reason"
_NO_COPY = "no snapshot or export that this store has written is left where it was written"
_COPY = "copy of "  # the prefix of settings that record the location of a copy
_COPIES = "safety copies"
_SOON = timedelta(seconds=30)
_PINNED = (
    "a reader still sees the store as it was before, or a server keeps its log for a replica or an archive: the bytes "
    "go when that has ended, and the worker looks again"
)
_BEYOND = "out_of_reach"  # the method of a store with copies that it cannot reach
_KEEPS = "keeps_deleted"  # the attribute of a store that keeps deleted rows until it is compacted
REWRITTEN = "the files were written anew, of living rows only"
_UNSEARCHED = "not searched byte by byte, as too large, encrypted, or on a server that lets nobody look: " + REWRITTEN
_ELSEWHERE = "another process finished this, which could not know what to look for: " + REWRITTEN


@dataclass(slots=True)
class Traces:
    """The traces to search for; each word with the index terms that show whether others have it too."""

    words: dict[str, frozenset[str]] = field(default_factory=dict)
    texts: set[bytes] = field(default_factory=set)
    salts: set[bytes] = field(default_factory=set)
    vectors: set[bytes] = field(default_factory=set)

    def read(self, *values: object) -> None:
        """Add the words of all texts in values."""
        for text in texts_in(values):
            for word in words_of(text):
                if word not in self.words and not _ID.fullmatch(word):
                    self.words[word] = frozenset(index_counts(word))

    def take(self, memory: Memory, salt: str) -> None:
        """Add the words of a memory, and slices of its text as it is and in JSON."""
        self.read(memory.content, memory.summary, memory.keywords, memory.tags, memory.entities, memory.metadata)
        self.read(memory.key, memory.actor, memory.fact, memory.status_reason)
        self.read(memory.source.origin, memory.source.id, memory.source.ref)
        self.read(memory.procedure and memory.procedure.to_dict())
        text, middle = memory.content, len(memory.content) // 2
        for part in (text[:_SLICE], text[middle : middle + _SLICE], text[-_SLICE:]):
            forms = (part.encode(), json.dumps(part, ensure_ascii=False)[1:-1].encode())
            self.texts |= {form for form in forms if len(form) >= 2 * _LEAST}
        if salt:
            self.salts.add(salt.encode())

    def take_exact(self, value: bytes, *, is_json: bool = True) -> None:
        """Add slices of a value in its stored form, and its words if it is short."""
        if is_json and len(value) <= _SHORT:
            self.read(json.loads(value))
        starts = range(0, len(value), max(_SLICE, len(value) // _SLICES))
        self.texts |= {part for start in starts if len(part := value[start : start + _SLICE]) >= 2 * _LEAST}

    def own_terms(self, living: frozenset[str] = frozenset()) -> frozenset[str]:
        """Return the index terms of the words that no other memory has; `living` are the terms that others have."""
        return frozenset[str]().union(*(terms for terms in self.words.values() if not terms & living))

    def sought(self, living: frozenset[str]) -> tuple[set[bytes], int]:
        """Return the bytes to search for, and how many words are shared: `living` are terms that others have."""
        own = {word: terms for word, terms in self.words.items() if not terms & living}
        forms = {form.encode()[:_LONGEST] for word, terms in own.items() for form in (word, word.casefold(), *terms)}
        forms = {form for form in forms if len(form) >= _LEAST}
        return forms | self.texts | self.vectors, len(self.words) - len(own)

    def counted(self) -> dict[str, int]:
        """Return the number of traces of each kind."""
        return {name: len(getattr(self, name)) for name in ("words", "texts", "salts", "vectors")}


def words_of(text: str) -> set[str]:
    """Return the words of a text as written."""
    return set(_WORD.findall(text))


def note_copy(engine: Engine, scope: Scope, what: str, path: str | os.PathLike[str]) -> None:
    """Record where a copy of a view's data was written, and drop the records of removed copies."""
    if os.path.basename(os.path.dirname(os.path.abspath(path))).startswith(SCRATCH) or engine.store.read_only:
        return  # it is deleted once it has been sent, or nothing can be noted
    place, at = os.path.abspath(path), engine.clock.now().isoformat(timespec="seconds")

    def note(transaction: Transaction) -> None:
        for setting, copy in _copies(transaction, scope.org):
            if not _is_there(copy):
                transaction.delete(tables.Setting, [Test("name", "eq", setting)])
        of = None if scope.user is None else transaction.namespace(scope.org, scope.user)  # a number identifies no user
        value = json.dumps({"path": place, "what": f"{what} of {at}", "ns": of})
        transaction.put(tables.Setting(f"{_COPY}{scope.org} {place}", value, scope.org))

    engine.store.write(note, scope.org)


def _copies(reader: Reader, org: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the recorded copies of an organisation, or of the store, with the names of the settings."""
    prefix = f"{_COPY}{org} "
    noted = [Test("org", "eq", org), Test("name", "ge", prefix), Test("name", "lt", f"{prefix}\uffff")]
    return [(row.name, json.loads(row.value)) for row in reader.find(tables.Setting, noted, order="name")]


def _is_there(copy: Mapping[str, Any]) -> bool:
    return os.path.exists(copy["path"])


def out_of_reach(engine: Engine, scope: Scope) -> tuple[str, ...]:
    """Return the remaining copies of a view's data, or a note that there are none, and what may exist elsewhere."""
    with engine.store.read(tables.STORE_ORG) as reader:
        copies = _copies(reader, tables.STORE_ORG)
    with engine.store.read(scope.org) as reader:
        copies += _copies(reader, scope.org)
        own = {None, *owners(reader, Filter(scope.org, scope.user))}
    found = [f"{copy['what']}: {copy['path']}" for _, copy in copies if copy["ns"] in own and _is_there(copy)]
    return (*(found or (_NO_COPY,)), *_ELSEWHERE_TOO)


def rows(receipt: Receipt, scope: Scope, now: datetime) -> tuple[tables.Row, ...]:
    """Return the rows of an unproven receipt and of its job, which waits a while for the process that erases."""
    job = Job(f"job_{receipt.id}", PROVE, receipt.org, receipt.id, now + _SOON)
    return _row(receipt, scope), replace(job, state=JobState.RUNNING, lease_until=now + _SOON)


def _row(receipt: Receipt, scope: Scope) -> tables.ReceiptRow:
    body = {"receipt": receipt.to_dict(), "user": scope.user, "agent": scope.agent}
    return tables.ReceiptRow(receipt.id, receipt.org, receipt.at, receipt.status, json.dumps(body, ensure_ascii=False))


def prove(engine: Engine, receipt: Receipt, scope: Scope) -> Receipt:
    """Remove remaining bytes, search for them, and store the outcome; never raises if the store fails."""
    try:
        try:
            if copies := engine.store.drop_copies():
                removed = receipt.removed
                receipt = replace(receipt, removed={**removed, _COPIES: removed.get(_COPIES, 0) + copies})
            tried, shared = _proven(engine.store, receipt, engine.erasure_traces.get(receipt.id))
            if names := _names_left(engine, scope, shared):
                left = f"a word of it is in names or fields that stay, of {', '.join(names)}"
                tried = replace(tried, out_of_reach=tuple(dict.fromkeys((*tried.out_of_reach, left))))
            signer = engine.signer
            if tried.status == COMPLETE and signer is not None:  # a signer that fails leaves it unsigned
                tried = replace(tried, signature=guard("the signing key", lambda: signer.sign(tried.payload())))
        except StoreError as error:
            tried = _not_yet(engine, receipt, error)
        proven = engine.store.write(lambda transaction: _settle(transaction, tried, scope), receipt.org)
    except StoreError as error:  # the erasure itself is done, so a missing proof is not an error
        return _not_yet(engine, receipt, error)
    if proven.status == COMPLETE:
        engine.erasure_traces.pop(receipt.id, None)
    return proven


def _not_yet(engine: Engine, receipt: Receipt, error: StoreError) -> Receipt:
    return replace(receipt, notes=(f"not proven yet: {str(error).replace(engine.store.url, 'the store')}",))


def _settle(transaction: Transaction, proven: Receipt, scope: Scope) -> Receipt:
    """Store the outcome of a receipt, unless another process has proven more, and return the stored one."""
    found = first(transaction, tables.ReceiptRow, Test("id", "eq", proven.id))
    stored = proven if found is None else _read(found)[0]
    if _gone(stored) != _gone(proven) or (stored.status == COMPLETE and not proven.verified):
        return stored
    transaction.put(_row(proven, scope))
    job = Test("id", "eq", f"job_{proven.id}")
    if proven.status == COMPLETE:
        transaction.delete(Job, [job])
    else:
        transaction.update(Job, [job, Test("leased_by", "eq", "")], state=JobState.QUEUED, lease_until=None)
    return proven


def _gone(receipt: Receipt) -> tuple[object, ...]:
    return receipt.memory_ids, receipt.shared, receipt.searched, {**receipt.removed, _COPIES: 0}


def _proven(store: Store, receipt: Receipt, sought: ErasureTraces | None) -> tuple[Receipt, frozenset[bytes]]:
    """Return a receipt with its current state of proof, and the traces that living rows have too."""
    beyond: tuple[str, ...] = getattr(store, _BEYOND, tuple)()
    receipt = replace(receipt, out_of_reach=tuple(dict.fromkeys((*receipt.out_of_reach, *beyond))))
    if not store.purge():
        return replace(receipt, notes=(_PINNED,)), frozenset()
    keeps = getattr(store, _KEEPS, False)
    found, shared = (None, frozenset[bytes]()) if sought is None or keeps else _left(store, sought)
    if found == frozenset():
        return replace(receipt, status=COMPLETE, verified=True, notes=()), shared
    if not store.purge(rewrite=True):
        return replace(receipt, notes=(_PINNED,)), shared
    if sought is None:
        return replace(receipt, status=COMPLETE, notes=(_ELSEWHERE,)), shared
    if found is None and not keeps:
        return replace(receipt, status=COMPLETE, notes=(_UNSEARCHED,)), shared
    unique = sought.unique
    again, more = _left(store, sought if found is None else ErasureTraces(found - unique, found & unique))
    if again is None and keeps:
        return replace(receipt, status=COMPLETE, notes=(_UNSEARCHED,)), shared
    if again != frozenset():
        left = f"{len(again or found or ())} of the traces looked for are still there"
        return replace(receipt, notes=(left,)), shared | more
    return replace(receipt, status=COMPLETE, verified=True, notes=(REWRITTEN,)), shared | more


def _left(store: Store, sought: ErasureTraces) -> tuple[frozenset[bytes] | None, frozenset[bytes]]:
    """Return the traces that are left, and others of living rows; of the erased memory alone they count in any row."""
    found = store.residue(sought.common | sought.unique)
    if found is None:
        return None, frozenset()
    return found.left | (found.shared & sought.unique), found.shared - sought.unique


def _names_left(engine: Engine, scope: Scope, traces: frozenset[bytes]) -> list[str]:
    """Return the kinds of rows of a view whose names, or fields beside texts, have some of the traces."""
    needles = Needles(traces)
    if not needles:
        return []
    with engine.store.read(scope.org) as reader:
        spaces = owners(reader, Filter(scope.org, scope.user))
        here = Test("ns", "in", tuple(spaces))
        agent = [] if scope.agent is None else [Test("agent", "eq", scope.agent)]
        user = [] if scope.user is None else [Test("user", "eq", scope.user)]
        talks = tuple(row.num for row in reader.find(tables.ConversationRow, [here, *agent]))
        collections = tuple(row.num for row in reader.find(tables.CollectionRow, [here, *agent]))
        rows: tuple[tuple[str, type[tables.Row], Where, str], ...] = (
            ("keys", tables.KeyRow, [Test("org", "eq", scope.org), *user, *agent], "name"),
            ("sessions", tables.ConversationRow, [here, *agent], "session"),
            ("turns", tables.TurnRow, [Test("conversation", "in", talks)], "content"),
            ("collections", tables.CollectionRow, [here, *agent], "name"),
            ("records", tables.ExactKeyRow, [Test("collection", "in", collections)], "key"),
            ("the graph", tables.EntityRow, [here], "name"),
            ("memories", tables.Record, within(scope), _FIELDS),
        )
        kept = reader.find(tables.ExactRow, [Test("collection", "in", collections)])
        texts = {"users": [name or "" for name in spaces.values()]}
        texts["values of records"] = [each.value.decode(errors="replace") for each in kept]
        for name, kind, where, columns in rows:
            texts[name] = [text for column in columns.split() for text in reader.count(kind, where, by=column)]
    return [
        name
        for name, some in texts.items()
        if needles.found_in("\0".join(some + [each.casefold() for each in some]).encode())
    ]


def finish(engine: Engine, job: Job) -> bool:
    """Prove the erasure of a job; False if it has to wait longer."""
    with engine.store.read(job.org) as reader:
        found = first(reader, tables.ReceiptRow, Test("id", "eq", job.memory_id), Test("status", "eq", PENDING))
    if found is None:
        return True
    receipt, scope = _read(found)
    return prove(engine, receipt, scope).status == COMPLETE


def listed(engine: Engine, scope: Scope, *, limit: int, cursor: str | None) -> Page[Receipt]:
    """Return the receipts of the erasures made in a view, or in a narrower one, the oldest first."""
    if cursor is not None and not isinstance(cursor, str):
        raise TypeError(f"cursor is the `next` of a page, not a {type(cursor).__name__}")
    if cursor is not None and not cursor.startswith("rcp_"):
        raise ValueError("the cursor is not one of ours: pass `page.next` as it came")
    checked_limit(limit)
    own = Test("org", "eq", scope.org)
    with engine.store.read(scope.org) as reader:
        pages = in_pages(reader, tables.ReceiptRow, "id", own, after=cursor or "", size=limit + 1)
        rows = map(_read, chain.from_iterable(pages))
        found = list(islice((receipt for receipt, by in rows if _is_visible(scope, by)), limit + 1))
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else None)


def by_id(engine: Engine, scope: Scope, receipt_id: str) -> Receipt | None:
    """Return a receipt of the view, None for one that is unknown or in another view."""
    with engine.store.read(scope.org) as reader:
        found = first(reader, tables.ReceiptRow, Test("org", "eq", scope.org), Test("id", "eq", receipt_id))
    receipt, by = (None, scope) if found is None else _read(found)
    return receipt if _is_visible(scope, by) else None


def _read(row: tables.ReceiptRow) -> tuple[Receipt, Scope]:
    with tables.legible():
        body = json.loads(row.body)
        return Receipt.from_dict(body["receipt"]), Scope(row.org, body["user"], body["agent"])


def _is_visible(scope: Scope, by: Scope) -> bool:
    return scope.user in (None, by.user) and scope.agent in (None, by.agent)
