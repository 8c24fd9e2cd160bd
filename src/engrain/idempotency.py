"""Idempotent requests: a request with a key of its own is carried out once, however often it is sent.

The request's row is written in the same transaction as its first change, so a process that is killed at any instant
leaves both or neither. A request that is sent again gets the stored answer, or `RequestRepeated` with the reason.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from contextvars import ContextVar, Token
from datetime import timedelta
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Self, TypeVar, cast
from weakref import WeakValueDictionary

from engrain.errors import RequestRepeated, StoreError
from engrain.manager import MemoryManager
from engrain.model.filters import Condition, Test
from engrain.model.memory import AuditEntry, Job
from engrain.protocols import Reader, Store, Transaction
from engrain.security.audit import BEGIN
from engrain.storage.interface import value_of
from engrain.storage.rows import ERASURES, AnswerRow, Row, Setting
from engrain.text import check_text, digest

__all__ = ["MAX_ANSWER_BYTES", "Attempt", "IdempotentRequests", "StoredAnswer"]

MAX_ANSWER_BYTES = 256 * 1024  # a larger answer is not stored
_PRUNED = 100  # expired rows removed with each answer
_REPORTED = 1000  # ids of changed memories that a refusal names
_NO_ANSWER = 0  # the status of a request that ended without an answer, though it changed something

T = TypeVar("T")


class StoredAnswer(NamedTuple):
    """The answer to a request: a status and a body."""

    status: int
    body: str


class IdempotentRequests:
    """Carries out each request once, and stores its answer for repeated ones.

    Thread-safe; several processes may serve one store. Every view of the manager takes part from now on.

    Args:
        manager: The manager whose calls are carried out; its store is wrapped to record the request of each change.
        keep: How long answers are stored.
        lease: How long after its last write a request of another process, which may be killed, is in flight.

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
        self._in_flight: WeakValueDictionary[str, Attempt] = WeakValueDictionary()

    def begin(
        self, org: str, caller: str, key: str, request: bytes, *, user: str | None = None
    ) -> StoredAnswer | Attempt:
        """Return the stored answer of a request, or an attempt to carry it out now.

        Args:
            org: The organisation that the request is of.
            caller: The id of the server key that sends it, "" for none.
            key: The caller's own idempotency key for this request.
            request: All that the request asks for; the same key with other content is refused.
            user: The user of the view that carries it out, None for none: writers of others need not wait for it.

        Raises:
            RequestRepeated: The key belongs to another request, to one in flight, or to one whose answer is not stored.
            ValueError: The key is blank or no text.
        """
        if not check_text(key, what="the idempotency key").strip():
            raise ValueError("the idempotency key is blank: give each request a key of its own")
        if not isinstance(request, bytes):
            raise TypeError(f"request must be bytes, not {type(request).__name__}")
        name = digest(check_text(org, what="org"), check_text(caller, what="caller"), key)
        salt = os.urandom(16).hex()
        row = AnswerRow(org, caller, name, salt, _salted_digest(salt, request), self._engine.clock.now())
        attempt = Attempt(self, row, user)
        with self._lock:
            first = self._in_flight.setdefault(name, attempt)
        if first is not attempt:
            raise _in_flight() if first.row.request == _salted_digest(first.row.salt, request) else _other_request()
        with ExitStack() as ended:
            ended.callback(self._end, attempt)
            answer = self._look_up(attempt, request)
            if answer is not None:
                return answer
            ended.pop_all()
        return attempt

    def _look_up(self, attempt: Attempt, request: bytes) -> StoredAnswer | None:
        with self._engine.store.read(attempt.row.org) as reader:
            attempt.since = _erasures(reader, attempt.row.org)
            row = self._find(reader, attempt.row)
            if row is None:
                return None
            if row.request and row.request != _salted_digest(row.salt, request):
                raise _other_request()
            if row.status is None or row.body is None:
                raise self._refusal(row)
            return StoredAnswer(row.status, row.body)

    def _find(self, reader: Reader, row: AnswerRow) -> AnswerRow | None:
        """Return the row that is stored under a row's key, None when there is none that has not expired."""
        found = reader.find(AnswerRow, _key(row), order="at")
        return found[0] if found and found[0].at > self._engine.clock.now() - self._keep else None

    def _refusal(self, row: AnswerRow) -> RequestRepeated:
        """Return why a request is not carried out whose row another attempt wrote."""
        left = row.at + self._lease - self._engine.clock.now()
        if row.body is not None:
            return _in_flight()  # it has an answer by now
        if row.status is None and left > timedelta(0):
            return _in_flight(left.total_seconds())
        return RequestRepeated(
            "this request was carried out, or begun, before, and its answer is not stored: look at what it changed, "
            "and send what is missing with another key",
            code="DONE",
            changed=[each for each in row.entries.split() if "_" in each],  # older rows have numbers of entries
        )

    def _end(self, attempt: Attempt) -> None:
        """Allow the request of an attempt to start again."""
        self._in_flight.pop(attempt.row.name, None)


class Attempt:
    """The right to carry out one request: enter it around the call of the operation, and `answer` before leaving it.

    Let errors pass through: the key is free again when nothing was changed, and stays taken when something was.
    """

    def __init__(self, requests: IdempotentRequests, row: AnswerRow, user: str | None) -> None:
        self.row = row  # as its first change writes it
        self.since = 0  # the number of the org's last erasure before it
        self._users = (user,)
        self._requests, self._engine = requests, requests._engine
        self._open = self._answered = False
        self._token: Token[Attempt | None] | None = None

    def __enter__(self) -> Self:
        if self._token is not None:
            raise RuntimeError("an attempt is good for one call: begin the request again for another")
        self._token, self._open = _CURRENT.set(self), True
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._open = False
        if self._token is not None:
            _CURRENT.reset(self._token)
        try:
            if not self._answered:
                self._leave(error)
        except StoreError:
            if error is None:
                raise  # otherwise the row stays as it is, and its lease runs out
        finally:
            self._requests._end(self)

    def _leave(self, error: BaseException | None) -> None:
        """Mark the request as done without an answer, if it has changed anything."""
        row = self._stored()
        if row is None:
            return
        if row.salt != self.row.salt:
            if isinstance(error, Exception):
                raise _in_flight() from error  # another was first, and that is why it failed
        elif row.status is None:
            self._engine.store.write(
                lambda transaction: transaction.update(AnswerRow, _key(row), status=_NO_ANSWER), row.org, self._users
            )

    def apply(self, change: Callable[[Transaction], T], transaction: Transaction) -> T:
        """Make a change as part of this request; it fails when another process was first."""
        if not self._open:  # a nested call goes on by itself
            return change(transaction)
        row = self._own_row(transaction)
        recording = _RecordingTransaction(transaction)
        result = change(cast(Transaction, recording))
        if recording.changed:
            # The numbers of erasures, and the first changed ids.
            noted = dict.fromkeys((*row.entries.split(), *recording.noted))
            numbers, ids = ([each for each in noted if each.isdecimal() is number] for number in (True, False))
            self._put(transaction, row._replace(entries=" ".join((*numbers, *ids[:_REPORTED]))))
        return result

    @property
    def wrote(self) -> bool:
        """Whether the request has changed anything, looked up in the store."""
        row = self._stored()
        return row is not None and row.salt == self.row.salt

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
            last, own = _erasures(transaction, row.org), row.entries.split()
            erased = any(str(number) not in own for number in range(self.since + 1, last + 1))  # by another caller
            stored = body if fits and not erased else None
            self._put(transaction, row._replace(request="" if erased else row.request, status=status, body=stored))
            # Some of the expired rows of the org go too.
            oldest = self._engine.clock.now() - self._requests._keep
            expired: list[Condition] = [Test("org", "eq", row.org), Test("at", "le", oldest)]
            if gone := transaction.find(AnswerRow, expired, order="at", limit=_PRUNED):
                transaction.delete(AnswerRow, [*expired, Test("name", "in", tuple(each.name for each in gone))])
            return stored is not None

        self._open = False  # storing the answer is no change of the request itself
        stored = self._engine.store.write(change, self.row.org, self._users)
        self._answered = True
        return stored

    def _stored(self) -> AnswerRow | None:
        with self._engine.store.read(self.row.org) as reader:
            return self._requests._find(reader, self.row)

    def _own_row(self, reader: Reader) -> AnswerRow:
        """Return the request's own row, as it will be written when there is none yet; another's is a refusal."""
        row = self._requests._find(reader, self.row) or self.row
        if row.salt != self.row.salt:
            raise self._requests._refusal(row)
        return row

    def _put(self, transaction: Transaction, row: AnswerRow) -> None:
        """Replace the request's row, an expired one included."""
        transaction.delete(AnswerRow, _key(row))
        transaction.put(row._replace(at=self._engine.clock.now()))


_CURRENT: ContextVar[Attempt | None] = ContextVar("engrain_request", default=None)


def _key(row: AnswerRow) -> list[Condition]:
    """Return the conditions that find a request's row, by an unsalted digest: its key may hold something private."""
    return [Test(column, "eq", getattr(row, column)) for column in ("org", "caller", "name")]


def _salted_digest(salt: str, request: bytes) -> str:
    """Return a digest of a request, which may contain the text of a memory, comparable only with its own row."""
    return hashlib.sha256(salt.encode() + b"\0" + request).hexdigest()


def _in_flight(seconds: float = 1.0) -> RequestRepeated:
    message = "this request is being carried out at this moment: send it again later, with the same key, for its answer"
    return RequestRepeated(message, code="IN_FLIGHT", retry_after=seconds)


def _other_request() -> RequestRepeated:
    message = "another request was sent with this key: give each request a key of its own"
    return RequestRepeated(message, code="OTHER_REQUEST")


class _RecordingStore:
    """A store that lets the current request record its part in every transaction of its org.

    The current request is looked up where `write` is called: the store may run the change in another caller's thread,
    which commits for both. What is written for another org, or for the whole store, is no part of the request.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(
        self, change: Callable[[Transaction], T], org: str | None = None, users: Collection[str | None] | None = None
    ) -> T:
        attempt = _CURRENT.get()
        recorded = change if attempt is None or attempt.row.org != org else partial(attempt.apply, change)
        return self._store.write(recorded, org, users)


class _RecordingTransaction:
    """A transaction that records changes, by id, and erasures, by number; settings do not count."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.changed = False
        self.noted: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def put(self, *rows: Row) -> Sequence[int]:
        self.changed |= any(not isinstance(row, Setting) for row in rows)
        for row in rows:
            if isinstance(row, AuditEntry) and row.operation != BEGIN:
                self.noted.append(row.memory_id)
            elif isinstance(row, Setting) and row.name.startswith(ERASURES):
                self.noted.append(row.value)
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


def _erasures(reader: Reader, org: str) -> int:
    return int(value_of(reader, org, f"{ERASURES}{org}") or 0)
