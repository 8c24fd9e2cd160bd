"""Idempotent requests: a request that has a key of its own is carried out once, however often it is sent.

The request's row is written in the same transaction as its first change, so a process that is killed at any instant
leaves both or neither. Whoever sends the request again gets the stored answer, or `RequestRepeated` says why not.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from threading import Lock
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, cast
from weakref import WeakValueDictionary

from engrain.engine import Engine
from engrain.errors import RequestRepeated, StoreError
from engrain.manager import MemoryManager
from engrain.model.filters import Condition, Test
from engrain.model.memory import AuditEntry, Job
from engrain.protocols import Reader, Store, Transaction
from engrain.security.audit import ERASE
from engrain.storage.rows import AnswerRow, Head, Row, Setting
from engrain.text import check_text, digest

__all__ = ["MAX_ANSWER_BYTES", "Attempt", "IdempotentRequests", "StoredAnswer"]

MAX_ANSWER_BYTES = 256 * 1024
"""A larger answer is not stored."""
_PRUNED = 100  # expired rows removed with each answer
_REPORTED = 1000  # ids of changed memories that a refusal names
_NO_ANSWER = 0  # the status of a request that ended without an answer, though it changed something

T = TypeVar("T")


class StoredAnswer(NamedTuple):
    """What a request was answered with: a status and a body."""

    status: int
    body: str


class IdempotentRequests:
    """Carries out each request once, and stores its answer for those who send it again.

    Thread-safe; several processes may serve one store. Every view of the manager takes part from now on.

    Args:
        manager: The manager whose calls are carried out; its store is wrapped to record the request of each change.
        keep: How long answers are stored.
        lease: How long after its last write a request of another process counts as in flight; one whose process was
            killed is found out after that.

    Raises:
        ValueError: `keep` is not positive, or `lease` is negative.
    """

    def __init__(
        self, manager: MemoryManager, *, keep: timedelta = timedelta(days=1), lease: timedelta = timedelta(minutes=1)
    ) -> None:
        if keep <= timedelta(0) or lease < timedelta(0):
            raise ValueError("keep must be longer than nothing, and lease not less")
        self._engine, self._keep, self._lease = manager._engine, keep, lease
        if not isinstance(self._engine.store, _RecordingStore):
            self._engine.store = _RecordingStore(self._engine.store)
        self._lock = Lock()
        self._in_flight: WeakValueDictionary[_Key, Attempt] = WeakValueDictionary()

    def begin(self, org: str, caller: str, key: str, request: bytes) -> StoredAnswer | Attempt:
        """Return the stored answer of a request, or an attempt to carry it out now.

        Args:
            org: The organisation that the request is of.
            caller: The id of the server key that sends it, "" for none.
            key: The caller's own idempotency key for this request.
            request: All that the request asks for; the same key with other content is refused.

        Raises:
            RequestRepeated: The key belongs to another request, to one in flight, or to one whose answer is not stored.
            ValueError: The key is blank or no text.
        """
        if not check_text(key, what="the idempotency key").strip():
            raise ValueError("the idempotency key is blank: give each request a key of its own")
        if not isinstance(request, bytes):
            raise TypeError(f"request must be bytes, not {type(request).__name__}")
        this = _Request.create(check_text(org, what="org"), check_text(caller, what="caller"), key, request)
        finished = partial(self._in_flight.pop, this.key, None)
        attempt = Attempt(self._engine, this, self._keep, self._lease, finished)
        with self._lock:
            first = self._in_flight.setdefault(this.key, attempt)
        if first is not attempt:
            same = first.request.digest == _salted_digest(first.request.salt, request)
            raise _in_flight() if same else _other_request()
        with ExitStack() as refused:
            refused.callback(finished)
            answer = self._look_up(attempt, request)
            if answer is None:
                refused.pop_all()
        return attempt if answer is None else answer

    def _look_up(self, attempt: Attempt, request: bytes) -> StoredAnswer | None:
        """Return the stored answer, None for a request that is new."""
        key, now = attempt.request.key, self._engine.clock.now()
        with self._engine.store.read(key.org) as reader:
            heads = reader.find(Head, [Test("org", "eq", key.org)], order="org")
            attempt.since = heads[0].seq if heads else 0
            row = _find(reader, key, now - self._keep)
            if row is None:
                return None
            if row.request and row.request != _salted_digest(row.salt, request):
                raise _other_request()
            if row.status is None or row.body is None:
                raise _refusal(reader, row, now, self._lease)
            return StoredAnswer(row.status, row.body)


class Attempt:
    """The right to carry out one request: enter it around the call of the operation, and `answer` before leaving it.

    Let errors pass through: the key is free again when nothing was changed, and stays taken when something was.
    """

    def __init__(
        self, engine: Engine, request: _Request, keep: timedelta, lease: timedelta, finished: Callable[[], object]
    ) -> None:
        self.request = request
        self.since = 0  # the last entry of the org's audit trail before it
        self._engine, self._keep, self._lease, self._finished = engine, keep, lease, finished
        self._open = self._answered = False
        self._token: Token[Attempt | None] | None = None

    def __enter__(self) -> Self:
        if self._token is not None:
            raise RuntimeError("an attempt is good for one call: begin the request again for another")
        self._token, self._open = _CURRENT.set(self), True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._token is not None:
            _CURRENT.reset(self._token)
        try:
            if not self._answered:
                self._leave(error)
        finally:
            self._finished()

    def _leave(self, error: BaseException | None) -> None:
        if error is None:
            self.release()
            return
        with suppress(StoreError):  # the row stays as it is, and its lease runs out
            if not self.release() and isinstance(error, Exception) and not self.wrote:
                raise _in_flight() from error  # another was first, and that is why it failed

    def apply(self, change: Callable[[Transaction], T], transaction: Transaction) -> T:
        """Make a change as part of this request; it fails when another process was first."""
        if not self._open:  # what was begun inside goes on by itself
            return change(transaction)
        row = self._own_row(transaction)
        recording = _RecordingTransaction(transaction)
        result = change(cast(Transaction, recording))
        if recording.changed:
            entries = EntryRanges.parse(row.entries)
            entries.add(recording.entries)
            self._put(transaction, row._replace(at=self._now, entries=str(entries)))
        return result

    @property
    def wrote(self) -> bool:
        """Whether the request has changed anything, looked up in the store."""
        row = self._row()
        return row is not None and row.salt == self.request.salt

    def answer(self, status: int, body: str) -> bool:
        """Store the answer; False when it is not stored, and the request counts as done all the same.

        It is not stored when it is larger than `MAX_ANSWER_BYTES`, when something of the org was erased meanwhile that
        it may contain, and when the store is read-only.

        Args:
            status: An HTTP status, 100 to 599.
            body: The body as text.

        Raises:
            ValueError: The status is out of range.
            RuntimeError: The request has its answer already.
        """
        if type(status) is not int or not 100 <= status <= 599:
            raise ValueError(f"status must be a number from 100 to 599, not {status!r}")
        if not isinstance(body, str):
            raise TypeError(f"body must be a string, not {type(body).__name__}")
        fits = len(body.encode()) <= MAX_ANSWER_BYTES
        if self._answered:
            raise RuntimeError("this request has its answer already")
        if self._engine.store.read_only:
            return False

        def change(transaction: Transaction) -> bool:
            row = self._own_row(transaction)
            erased = _was_erased(transaction, row.org, self.since, EntryRanges.parse(row.entries))
            stored = body if fits and not erased else None
            request = "" if erased else row.request
            self._put(transaction, row._replace(request=request, at=self._now, status=status, body=stored))
            _prune(transaction, row.org, self._now - self._keep)
            return stored is not None

        self._open = False  # storing the answer is no change of the request itself
        stored = self._engine.store.write(change, self.request.key.org)
        self._answered = True
        return stored

    def release(self) -> bool:
        """Free the key when nothing was changed; False when something was: it stays taken, without an answer."""
        row = self._row()
        if row is not None and row.salt == self.request.salt and row.status is None:
            key = self.request.key
            self._open = False
            self._engine.store.write(
                lambda transaction: transaction.update(AnswerRow, key.tests, status=_NO_ANSWER), key.org
            )
        return row is None

    @property
    def _now(self) -> datetime:
        return self._engine.clock.now()

    def _row(self) -> AnswerRow | None:
        with self._engine.store.read(self.request.key.org) as reader:
            return _find(reader, self.request.key, self._now - self._keep)

    def _own_row(self, reader: Reader) -> AnswerRow:
        """Return the request's own row, as it will be written when there is none yet; another's is a refusal."""
        now = self._now
        row = _find(reader, self.request.key, now - self._keep)
        if row is None:
            return AnswerRow(*self.request.key, self.request.salt, self.request.digest, now)
        if row.salt == self.request.salt:
            return row
        raise _refusal(reader, row, now, self._lease)

    def _put(self, transaction: Transaction, row: AnswerRow) -> None:
        """Replace the request's row, an expired one included."""
        transaction.delete(AnswerRow, self.request.key.tests)
        transaction.put(row)


_CURRENT: ContextVar[Attempt | None] = ContextVar("engrain_request", default=None)

# ---------------------------------------------------------------------------------------------- requests and their rows


class _Key(NamedTuple):
    """Who sends a request, and its key as a digest: a caller may have put something private into it.

    The digest has no salt, because the row is found by it.
    """

    org: str
    caller: str
    name: str

    @property
    def tests(self) -> list[Condition]:
        """The conditions that its row meets."""
        return [Test(column, "eq", value) for column, value in zip(self._fields, self, strict=True)]


@dataclass(frozen=True, slots=True)
class _Request:
    """One sending of a request; its content is stored as a digest under a salt of its own.

    The content may hold the text of a memory: it is never compared with another request's, and an erasure removes it.
    The salt also identifies this attempt.
    """

    key: _Key
    salt: str
    digest: str

    @classmethod
    def create(cls, org: str, caller: str, key: str, request: bytes) -> _Request:
        salt = os.urandom(16).hex()
        return cls(_Key(org, caller, digest(org, caller, key)), salt, _salted_digest(salt, request))


def _salted_digest(salt: str, request: bytes) -> str:
    return hashlib.sha256(salt.encode() + b"\0" + request).hexdigest()


def _find(reader: Reader, key: _Key, oldest: datetime) -> AnswerRow | None:
    """Return the row of a request, None when there is none written after `oldest`."""
    found = reader.find(AnswerRow, key.tests, order="at")
    return found[0] if found and found[0].at > oldest else None


def _prune(transaction: Transaction, org: str, oldest: datetime) -> None:
    """Remove some of the expired rows of an org."""
    expired: list[Condition] = [Test("org", "eq", org), Test("at", "le", oldest)]
    found = transaction.find(AnswerRow, expired, order="at", limit=_PRUNED)
    if found:
        transaction.delete(AnswerRow, [*expired, Test("name", "in", tuple(row.name for row in found))])


def _refusal(reader: Reader, row: AnswerRow, now: datetime, lease: timedelta) -> RequestRepeated:
    """Return why a request is not carried out whose row another attempt wrote."""
    left = row.at + lease - now
    if row.body is not None:
        return _in_flight()  # it has an answer by now
    if row.status is None and left > timedelta(0):
        return _in_flight(left.total_seconds())
    changed = tuple(dict.fromkeys(_changed_ids(reader, row)))[:_REPORTED]
    return RequestRepeated(
        "this request was carried out, or begun, before, and its answer is not stored: look at what it changed, and "
        "send what is missing with another key",
        code="DONE",
        changed=changed,
    )


def _in_flight(seconds: float = 1.0) -> RequestRepeated:
    return RequestRepeated(
        "this request is being carried out at this moment: send it again later, with the same key, for its answer",
        code="IN_FLIGHT",
        retry_after=seconds,
    )


def _other_request() -> RequestRepeated:
    return RequestRepeated(
        "another request was sent with this key: give each request a key of its own", code="OTHER_REQUEST"
    )


# ------------------------------------------------------------------------------------------------- recording of changes


class _RecordingStore:
    """A store that lets the current request record its part in every transaction of its org.

    The current request is looked up where `write` is called: the store may run the change in another caller's thread,
    which commits for both. What is written for another org, or for the whole store, is no part of the request.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        attempt = _CURRENT.get()
        recorded = change if attempt is None or attempt.request.key.org != org else partial(attempt.apply, change)
        return self._store.write(recorded, org)


class _RecordingTransaction:
    """A transaction that records whether anything was changed, and which entries of the audit trail were written.

    Settings do not count: the calls of a language model are booked there before anything is changed.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.changed = False
        self.entries: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def put(self, *rows: Row) -> Sequence[int]:
        self.changed |= any(not isinstance(row, Setting) for row in rows)
        self.entries += [row.seq for row in rows if isinstance(row, AuditEntry)]
        return self._transaction.put(*rows)

    def update(self, kind: type[Row], where: Sequence[Any], /, **changes: object) -> int:
        return self._counted(kind, self._transaction.update(kind, where, **changes))

    def delete(self, kind: type[Row], where: Sequence[Any]) -> int:
        return self._counted(kind, self._transaction.delete(kind, where))

    def claim(self, *arguments: Any, **named: Any) -> Job | None:
        job = self._transaction.claim(*arguments, **named)
        self.changed |= job is not None
        return job

    def _counted(self, kind: type[Row], number: int) -> int:
        self.changed |= number > 0 and kind is not Setting
        return number


@dataclass(slots=True)
class EntryRanges:
    """Entries of an audit trail, as first and last numbers; in a row `12-15,20-20`."""

    spans: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def parse(cls, text: str) -> EntryRanges:
        """Parse what a row holds."""
        parts = (span.split("-") for span in text.split(",") if span)
        return cls([(int(first), int(last)) for first, last in parts])

    def __str__(self) -> str:
        return ",".join(f"{first}-{last}" for first, last in self.spans)

    def add(self, numbers: Sequence[int]) -> None:
        """Add the entries of one more transaction, which come after all before."""
        for number in numbers:
            if self.spans and self.spans[-1][1] == number - 1:
                self.spans[-1] = self.spans[-1][0], number
            else:
                self.spans.append((number, number))

    def gaps(self, after: int) -> Iterator[tuple[int, int | None]]:
        """Yield the entries between and behind them, from `after` on; None is no end."""
        ends: list[tuple[int, int | None]] = [(after, after), *self.spans, (0, None)]
        for (_, last), (first, _) in pairwise(ends):
            yield (last or 0) + 1, first - 1 if first else None


def _was_erased(reader: Reader, org: str, since: int, own: EntryRanges) -> bool:
    """Say whether anybody else has erased something in an org since; an answer may contain it."""
    erasures: list[Condition] = [Test("org", "eq", org), Test("operation", "eq", ERASE)]
    for first, last in own.gaps(since):
        end = [] if last is None else [Test("seq", "le", last)]
        if reader.find(AuditEntry, [*erasures, Test("seq", "ge", first), *end], order="seq", limit=1):
            return True
    return False


def _changed_ids(reader: Reader, row: AnswerRow) -> Iterator[str]:
    """Yield the ids of what a request changed, as far as the audit trail knows."""
    for first, last in EntryRanges.parse(row.entries).spans:
        span = [Test("org", "eq", row.org), Test("seq", "ge", first), Test("seq", "le", last)]
        yield from (entry.memory_id for entry in reader.find(AuditEntry, span, order="seq", limit=_REPORTED))
