"""A ticket: leave to carry out one request, and the duty to say what came of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from contextvars import Token
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

from engrain.engine import Engine
from engrain.errors import StoreError
from engrain.once.marking import UNDER_WAY, Carrier, Noting
from engrain.once.requests import ENDED, Ranges, Request, Term, erased_meanwhile, held, in_flight, pruned, refusal
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import AnswerRow

T = TypeVar("T")
LARGEST = 256 * 1024
"""The bytes of an answer above which it is not kept."""


class Ticket:
    """Leave to carry out one request: enter it around the call of the operation, and `answer` before leaving it.

    Inside, the first transaction that changes anything puts the request's row in the same commit, so that a process
    killed at any instant leaves both or neither; later ones say in it what they changed. Let errors pass through: the
    name is free again when nothing was changed, and stays taken when something was.
    """

    def __init__(self, engine: Engine, request: Request, term: Term, ended: Callable[[], object]) -> None:
        self.request = request
        self.since = 0  # the last entry of the org's audit trail before it
        self._engine, self._term, self._ended = engine, term, ended
        self._open = self._answered = False
        self._token: Token[Carrier | None] | None = None

    @property
    def org(self) -> str:
        """The org that the request is of."""
        return self.request.key.org

    def __enter__(self) -> Self:
        if self._token is not None:
            raise RuntimeError("a ticket is good for one call: begin the request again for another")
        self._token, self._open = UNDER_WAY.set(self), True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        if self._token is not None:
            UNDER_WAY.reset(self._token)
        try:
            if not self._answered:
                self._leave(error)
        finally:
            self._ended()

    def _leave(self, error: BaseException | None) -> None:
        if error is None:
            self.release()
            return
        with suppress(StoreError):  # the row stays as it is, and its lease runs out
            if not self.release() and isinstance(error, Exception) and not self.wrote:
                raise in_flight() from error  # another was first, and that is why it failed

    # ------------------------------------------------------------------------------------------------------- the row

    def carry(self, change: Callable[[Transaction], T], transaction: Transaction) -> T:
        """Make a change as part of this request: nothing of it is kept when somebody else was first."""
        if not self._open:  # what was begun inside goes on by itself
            return change(transaction)
        row = self._mine(transaction)
        noting = Noting(transaction)
        result = change(noting.as_transaction)
        if noting.changed:
            entries = Ranges.read(row.entries)
            entries.add(noting.entries)
            self._put(transaction, row._replace(at=self._now, entries=str(entries)))
        return result

    @property
    def wrote(self) -> bool:
        """Whether the request has changed anything; asked of the store."""
        row = self._row()
        return row is not None and self._is_mine(row)

    def answer(self, status: int, body: str) -> bool:
        """Keep the answer, to be given again; False when it is not kept, and the request counts as done all the same.

        It is not kept where it has more than `LARGEST` bytes, where something of the org was erased meanwhile that it
        may hold, and where the store is read-only, which leaves nothing behind at all.
        """
        if type(status) is not int or not 100 <= status <= 599:
            raise ValueError(f"status must be a number from 100 to 599, not {status!r}")
        if not isinstance(body, str):
            raise TypeError(f"body must be a string, not {type(body).__name__}")
        fits = len(body.encode()) <= LARGEST
        if self._answered:
            raise RuntimeError("this request has its answer already")
        if self._engine.store.read_only:
            return False

        def change(transaction: Transaction) -> bool:
            row = self._mine(transaction)
            erased = erased_meanwhile(transaction, row.org, self.since, Ranges.read(row.entries))
            kept = body if fits and not erased else None
            asked = "" if erased else row.request
            self._put(transaction, row._replace(request=asked, at=self._now, status=status, body=kept))
            pruned(transaction, self.org, self._now - self._term.keep)
            return kept is not None

        self._open = False  # this is nothing that the request did
        kept = self._engine.store.write(change, self.org)
        self._answered = True
        return kept

    def release(self) -> bool:
        """Give the name up where nothing was changed; False where something was: it stays taken, without an answer."""
        row = self._row()
        if row is not None and self._is_mine(row) and row.status is None:
            tests = self.request.key.tests
            self._open = False
            self._engine.store.write(lambda transaction: transaction.update(AnswerRow, tests, status=ENDED), self.org)
        return row is None

    # ------------------------------------------------------------------------------------------------------- within

    @property
    def _now(self) -> datetime:
        return self._engine.clock.now()

    def _row(self) -> AnswerRow | None:
        with self._engine.store.read(self.org) as reader:
            return held(reader, self.request.key, self._now - self._term.keep)

    def _is_mine(self, row: AnswerRow) -> bool:
        return row.salt == self.request.salt

    def _mine(self, reader: Reader) -> AnswerRow:
        """Return the request's own row, as it will be put where there is none yet; another's is a refusal."""
        now = self._now
        row = held(reader, self.request.key, now - self._term.keep)
        if row is None:
            return self.request.row(now)
        if self._is_mine(row):
            return row
        raise refusal(reader, row, now, self._term.lease)

    def _put(self, transaction: Transaction, row: AnswerRow) -> None:
        """Put the request's row in the place of the one before, also of one that has had its time."""
        transaction.delete(AnswerRow, self.request.key.tests)
        transaction.put(row)
