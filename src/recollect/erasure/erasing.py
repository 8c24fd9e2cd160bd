"""Erasing: found, removed with all that hangs on it, recorded, proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from recollect.engine import Engine, Sought
from recollect.erasure.closure import Doomed, doomed, other_sources
from recollect.erasure.receipts import OUT_OF_REACH, prove, rows
from recollect.erasure.removing import Removal
from recollect.erasure.scopes import Wanted, clear
from recollect.filters import Filter, Test, within
from recollect.models import Kind, Scope
from recollect.passing import passes
from recollect.proofs import PENDING, Forgotten, Receipt
from recollect.protocols import Record, Transaction
from recollect.security.audit import ERASE, Trail, who

_AT_ONCE = 500  # memories asked for that go in one transaction


def erase(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> Forgotten:
    """Erase the memories that a filter of the view passes, with all that hangs on them."""
    return _Erasure(engine, scope, reason).run(where, None)


def erase_all(engine: Engine, wanted: Wanted, *, reason: str) -> Forgotten:
    """Erase the memories of a scope, and what it has beside them."""
    return _Erasure(engine, wanted.scope, reason).run(wanted.memories, wanted)


def would_erase(engine: Engine, wanted: Wanted) -> Forgotten:
    """Return how many memories an erasure would take, and how many beside those that are asked for."""
    with engine.store.read(wanted.scope.org) as reader:
        found = reader.find(Record, wanted.memories)
        going, view = doomed(reader, wanted.scope, found), within(wanted.scope)
    beside = sum(passes(record.memory, view) for record in (*going.sources, *going.derived))
    return Forgotten(len(found), dry_run=True, beside=beside)


class _Erasure:
    """One call: as many transactions as it takes, each whole in itself, and one receipt for all of them."""

    def __init__(self, engine: Engine, scope: Scope, reason: str) -> None:
        self.engine, self.scope, self.reason = engine, scope, reason
        self.ids: list[str] = []
        now = engine.clock.now()
        self.receipt = Receipt(
            id=engine.new_id("rcp"), at=now, org=scope.org, status=PENDING, memory_ids=(), out_of_reach=OUT_OF_REACH
        )
        self.sought = Sought()

    def run(self, where: Filter, wanted: Wanted | None) -> Forgotten:
        """Erase until nothing is found any more, then prove it."""
        while self._step(where, wanted):
            pass
        if not self.receipt.removed:
            return Forgotten(0)
        self.engine.sought[self.receipt.id] = self.sought
        proven = prove(self.engine, self.receipt, self.scope)
        return Forgotten(len(self.ids), tuple(self.ids), False, proven, len(proven.memory_ids) - len(self.ids))

    def _step(self, where: Filter, wanted: Wanted | None) -> bool:
        """Erase some in one transaction; False when there was nothing left to do."""
        last: Callable[[Removal], None] | None = None if wanted is None else (lambda removal: clear(removal, wanted))

        def change(transaction: Transaction) -> tuple[list[str], Receipt, Sought, bool]:
            found = transaction.find(Record, where, limit=_AT_ONCE)
            trail = Trail(transaction, self.scope.org, actor=who(self.scope), at=self.engine.clock.now())
            removal = Removal(transaction, trail, self.reason)
            going = doomed(transaction, self.scope, found)
            self._relearn(transaction, going)
            removal.remove(going.all)
            more = len(found) == _AT_ONCE
            if last is not None and not more:
                last(removal)
                if not found and removal.removed:  # an act of its own, though no memory went
                    trail.note(ERASE, self.receipt.id, reason=self.reason)
            trail.write()
            if removal.removed:
                removal.answers(self.scope.org)
            receipt, sought = self._counted(transaction, removal, going)
            if removal.removed:
                transaction.put(*rows(receipt, self.scope, self.engine.clock.now()))
            return [record.memory.id for record in found], receipt, sought, more

        ids, self.receipt, sought, more = self.engine.store.write(change, self.scope.org)
        self.ids += ids
        self.sought = Sought(self.sought.traces | sought.traces, self.sought.unique | sought.unique)
        return more

    def _relearn(self, transaction: Transaction, going: Doomed) -> None:
        """Where what is derived shall be made anew, let what is left of its sources be learnt from again."""
        if self.engine.settings.erase_derived == "rebuild" and going.derived:
            nums = Test("num", "in", tuple(other_sources(transaction, going)))
            transaction.update(Record, [nums, Test("kind", "eq", Kind.EPISODIC)], consolidated_at=None)

    def _living(self, transaction: Transaction, removal: Removal, going: Doomed) -> set[str]:
        """Return the index terms of what went that others of the same owners hold still."""
        terms = sorted(removal.traces.terms)
        scopes = {(record.memory.scope.org, record.memory.scope.user) for record in going.all}
        namespaces = [transaction.namespace(org, user) for org, user in scopes] if terms else []
        held = [transaction.holders(namespace, terms, limit=1) for namespace in namespaces]
        return {term for rows in held for term, some in zip(terms, rows, strict=True) if some}

    def _counted(self, transaction: Transaction, removal: Removal, going: Doomed) -> tuple[Receipt, Sought]:
        """Return the receipt with what went now, and what is to be looked for of it."""
        sought, shared = removal.traces.sought(self._living(transaction, removal, going))
        before = self.receipt
        names = dict.fromkeys((*before.removed, *removal.removed))
        counts = removal.traces.counted()
        within_view = within(self.scope)
        mine = tuple(record.memory.id for record in going.all if passes(record.memory, within_view))
        receipt = replace(
            before,
            memory_ids=(*before.memory_ids, *mine),
            removed={name: before.removed.get(name, 0) + removal.removed[name] for name in names},
            shared=before.shared + shared,
            searched={name: before.searched.get(name, 0) + number for name, number in counts.items()},
        )
        return receipt, Sought(frozenset(sought), frozenset(removal.traces.salts))
