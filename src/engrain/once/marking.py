"""Where a request leaves its mark: in the transactions that are written while it is being carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from engrain.model.memory import AuditEntry, Job
from engrain.storage.interface import Store, Transaction
from engrain.storage.rows import Row, Setting

T = TypeVar("T")


class Carrier(Protocol):
    """Carries out a change as part of a request, which is of an org."""

    @property
    def org(self) -> str: ...
    def carry(self, change: Callable[[Transaction], T], transaction: Transaction) -> T: ...


UNDER_WAY: ContextVar[Carrier | None] = ContextVar("engrain_request", default=None)
"""The request that is being carried out here, if any."""


class MarkedStore:
    """A store that lets the request under way have its part in every transaction; all else is the store's own.

    Who is under way is asked where `write` is called: the store may run the change in another caller's thread, which
    commits for both. What is written of another org, or of the whole store, is no part of the request: its mark would
    stand in somebody else's transaction.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, change: Callable[[Transaction], T], org: str | None = None) -> T:
        """Write to the store, with the mark of the request under way."""
        request = UNDER_WAY.get()
        carried = change if request is None or request.org != org else partial(request.carry, change)
        return self._store.write(carried, org)


class Noting:
    """A transaction that notes whether anything was changed in it, and which entries of the audit trail it made.

    Settings do not count: what a language model took is booked there before anything is changed.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self.changed = False
        self.entries: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    @property
    def as_transaction(self) -> Transaction:
        """Itself, as what it stands for."""
        return cast(Transaction, self)

    def put(self, *rows: Row) -> Sequence[int]:
        """Put rows."""
        self.changed |= any(not isinstance(row, Setting) for row in rows)
        self.entries += [row.seq for row in rows if isinstance(row, AuditEntry)]
        return self._transaction.put(*rows)

    def update(self, kind: type[Row], where: Sequence[Any], /, **changes: object) -> int:
        """Change rows."""
        return self._counted(kind, self._transaction.update(kind, where, **changes))

    def delete(self, kind: type[Row], where: Sequence[Any]) -> int:
        """Remove rows."""
        return self._counted(kind, self._transaction.delete(kind, where))

    def claim(self, *arguments: Any, **named: Any) -> Job | None:
        """Lease a job."""
        job = self._transaction.claim(*arguments, **named)
        self.changed |= job is not None
        return job

    def _counted(self, kind: type[Row], number: int) -> int:
        self.changed |= number > 0 and kind is not Setting
        return number
