"""What each user asked of language models, kept in the store, and the daily budget that bounds it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any, NamedTuple, TypeVar

from engrain.engine import Engine
from engrain.errors import ProviderError, StoreCorrupt, StoreError
from engrain.guard import log
from engrain.llm.client import Usage, name_of
from engrain.model.filters import Test
from engrain.model.memory import Scope
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import Setting

T = TypeVar("T")

KEPT_DAYS = 16
"""Days whose counts are kept, so that machines whose clocks differ by up to a week share one budget per day."""
_MAX_USES = 32  # uses that are counted separately
_MAX_COUNT = 1 << 62
_ACCOUNTS = "llm_spent "  # the prefix of the names of all account rows


@dataclass(slots=True)
class _Counts:
    """Non-negative counts; a value out of range is a `ValueError`, as in a row that was not written here."""

    def __post_init__(self) -> None:
        if not all(0 <= number <= _MAX_COUNT for number in astuple(self)):
            raise ValueError("a count is out of range")


@dataclass(slots=True)
class DayCounts(_Counts):
    """The calls and tokens of one day."""

    calls: int = 0
    tokens: int = 0


@dataclass(slots=True)
class UseCounts(_Counts):
    """The calls and tokens of one use, such as `extract`, over all days."""

    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, used: Usage, *, failed: bool) -> None:
        """Count one call."""
        self.calls += 1
        self.failed += failed
        self.input_tokens += used.input_tokens
        self.output_tokens += used.output_tokens


@dataclass(slots=True)
class UsageRecord:
    """What one user asked of models: the counts of the current `day`, of `earlier` days, in total and by use."""

    day: str = ""
    calls: int = 0
    tokens: int = 0
    earlier: dict[str, DayCounts] = field(default_factory=dict)
    total: UseCounts = field(default_factory=UseCounts)
    by: dict[str, UseCounts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        DayCounts(self.calls, self.tokens)
        if not all(use.isprintable() for use in self.by):
            raise ValueError("the name of a use is not printable")

    def day_in_force(self, now: datetime) -> str:
        """Return the day whose budget applies at `now`.

        When another machine's clock has passed midnight already, its day applies to all. A day further ahead has a
        budget of its own, once: a clock that was wrong by years does not stop the calls of today.
        """
        ahead = (now.date() + timedelta(days=1)).isoformat()
        return ahead if self.day == ahead or ahead in self.earlier else now.date().isoformat()

    def on(self, day: str) -> DayCounts:
        """Return a copy of the counts of a day."""
        counts = self.earlier.get(day, DayCounts())
        return DayCounts(self.calls, self.tokens) if day == self.day else DayCounts(counts.calls, counts.tokens)

    def reserve(self, day: str, tokens: int) -> None:
        """Count a call and its tokens on a day, which becomes the current one."""
        counts = self.on(day)
        if self.day not in ("", day):
            self.earlier[self.day] = self.on(self.day)
        self.earlier.pop(day, None)
        self.earlier = dict(list(self.earlier.items())[-KEPT_DAYS:])
        self.day, self.calls, self.tokens = day, counts.calls + 1, counts.tokens + tokens

    def refund(self, day: str, tokens: int) -> None:
        """Give tokens back to the day that they were reserved on, if its counts are still kept."""
        if day == self.day:
            self.tokens = max(self.tokens - tokens, 0)
        elif counts := self.earlier.get(day):
            counts.tokens = max(counts.tokens - tokens, 0)

    def add(self, use: str, used: Usage, *, failed: bool) -> None:
        """Count one call of a use; those of too many uses are counted together."""
        counted_as = use if use in self.by or len(self.by) < _MAX_USES else "other"
        for counts in (self.total, self.by.setdefault(counted_as, UseCounts())):
            counts.add(used, failed=failed)


def parse(row: Setting) -> UsageRecord:
    """Return the record of a row; raises `StoreCorrupt` for one that was not written here."""
    try:
        record: UsageRecord = _adapter().validate_json(row.value, strict=True)
    except (ValueError, RecursionError):
        raise StoreCorrupt(
            f"the store's row {row.name!r}, which counts what a language model was asked, is damaged"
        ) from None
    return record


@cache
def _adapter() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(UsageRecord)


def stored_usage(reader: Reader, name: str) -> UsageRecord | None:
    """Return the record of the row of a name, None when there is none; raises `StoreCorrupt` for a damaged one."""
    found = reader.find(Setting, [Test("name", "eq", name)])
    return parse(found[0]) if found else None


# --------------------------------------------------------------------------------------------------------------- budget


class Reservation(NamedTuple):
    """What was set aside for one call: the day whose budget it belongs to, and the tokens."""

    day: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of one user of an org for today (UTC), `settings.llm_budget`, and what was used of it.

    Usage is kept in the store, one row for each user, and so adds up over processes and restarts. For a store that is
    read-only it is counted in memory on top of what is stored.
    """

    engine: Engine
    scope: Scope

    def reserve(self, tokens: int) -> Reservation | None:
        """Set one call and its tokens aside; None when the budget does not reach for it, and nothing is counted.

        Raises `ProviderError` when there is a budget and what is left of it cannot be read.
        """
        limits = self.engine.settings.llm_budget or {}

        def change(record: UsageRecord | None, stored: UsageRecord) -> tuple[UsageRecord | None, Reservation | None]:
            record = record or UsageRecord()
            day = record.day_in_force(self.engine.clock.now())
            now, before = record.on(day), stored.on(day)
            wanted = {"calls": before.calls + now.calls + 1, "tokens": before.tokens + now.tokens + tokens}
            if any(wanted[name] > limit for name, limit in limits.items()):
                return None, None
            record.reserve(day, tokens)
            return record, Reservation(day, tokens)

        try:
            stored = self._stored() if self.engine.store.read_only else UsageRecord()
            return self._change(lambda record: change(record, stored))
        except StoreError as error:
            if limits:
                raise _unknown(error) from error
            log.warning("a call of the language model could not be written down: %s", error)
            return Reservation(UsageRecord().day_in_force(self.engine.clock.now()), 0)

    def settle(self, use: str, reserved: Reservation, used: Usage, error: ProviderError | None = None) -> None:
        """Record what a call took, and give back the rest, unless it failed and may have taken all of it.

        Tokens are given back to the day that they were reserved on. A user who was erased meanwhile leaves no row.
        """
        rest = 0 if error is not None and error.unsure else reserved.tokens - used.tokens

        def change(record: UsageRecord | None) -> tuple[UsageRecord | None, None]:
            if record is not None:
                record.refund(reserved.day, rest)
                record.add(use, used, failed=error is not None)
            return record, None

        try:
            self._change(change)
        except StoreError as failure:  # the answer is there all the same
            log.warning("what a call of the language model took could not be written down: %s", failure)

    def spent(self) -> DayCounts:
        """Return the calls and tokens of today; raises `ProviderError` when they cannot be read."""
        try:
            records = [self._stored(), self.engine.unsaved_usage.get(spent_by(self.scope), UsageRecord())]
        except StoreError as error:
            raise _unknown(error) from error
        days = [record.on(record.day_in_force(self.engine.clock.now())) for record in records]
        return DayCounts(sum(day.calls for day in days), sum(day.tokens for day in days))

    def _stored(self) -> UsageRecord:
        with self.engine.store.read(self.scope.org) as reader:
            return stored_usage(reader, spent_by(self.scope)) or UsageRecord()

    def _change(self, change: Callable[[UsageRecord | None], tuple[UsageRecord | None, T]]) -> T:
        """Replace the user's record by what `change` returns, None for no change, in one transaction."""
        name = spent_by(self.scope)

        def apply(transaction: Transaction) -> T:
            record, outcome = change(stored_usage(transaction, name))
            if record is not None:
                transaction.put(Setting(name, json.dumps(asdict(record)), self.scope.org))
            return outcome

        if not self.engine.store.read_only:
            return self.engine.store.write(apply, self.scope.org)
        with self.engine.usage_lock:
            record, outcome = change(self.engine.unsaved_usage.get(name))
            if record is not None:
                self.engine.unsaved_usage[name] = record
            return outcome


def _unknown(error: StoreError) -> ProviderError:
    return ProviderError(f"what is left of the language model's budget is not known: {error}")


# -------------------------------------------------------------------------------------------------------------- reports


def usage_report(engine: Engine, reader: Reader, scope: Scope) -> dict[str, Any]:
    """Return what a view's user used, for a view without user all users of its org; {} when there is nothing.

    An agent's view shows the usage of its user, on whose account its calls are. `damaged` counts the accounts that
    cannot be read.
    """
    if scope.user is not None:
        name = spent_by(Scope(scope.org, scope.user))
        rows, unsaved = reader.find(Setting, [Test("name", "eq", name)]), [engine.unsaved_usage.get(name)]
    else:
        prefix = spent_by(Scope(scope.org)).removesuffix("null]")  # a user is in quotes, no user is null
        rows = _starting_with(reader, prefix)
        unsaved = [record for name, record in engine.unsaved_usage.copy().items() if name.startswith(prefix)]
    stored, damaged = _readable(rows)
    records: list[UsageRecord] = [*stored, *filter(None, unsaved)]
    if not records and not damaged and engine.llm is None:
        return {}
    total, today, by = Counter[str](), Counter[str](), dict[str, Counter[str]]()
    for record in records:
        total.update(asdict(record.total))
        today.update(asdict(record.on(record.day_in_force(engine.clock.now()))))
        for use, counts in record.by.items():
            by.setdefault(use, Counter()).update(asdict(counts))
    return {
        "model": None if engine.llm is None else name_of(engine.llm),
        **asdict(UseCounts(**total)),
        "by": {use: asdict(UseCounts(**counts)) for use, counts in sorted(by.items())},
        "today": asdict(DayCounts(**today)),
        "budget": None if engine.settings.llm_budget is None else dict(engine.settings.llm_budget),
        **({"damaged": len(damaged)} if damaged else {}),
    }


def damaged_accounts(reader: Reader) -> list[str]:
    """Return the names of the accounts of a store that cannot be read, of all its organisations."""
    return _readable(_starting_with(reader, _ACCOUNTS))[1]


def _starting_with(reader: Reader, prefix: str) -> list[Setting]:
    within = [Test("name", "ge", prefix), Test("name", "lt", f"{prefix}~")]
    return [row for row in reader.find(Setting, within) if row.name.startswith(prefix)]


def _readable(rows: Sequence[Setting]) -> tuple[list[UsageRecord], list[str]]:
    """Return the records of rows, and the names of rows that are damaged."""
    records: list[UsageRecord] = []
    damaged: list[str] = []
    for row in rows:
        try:
            records.append(parse(row))
        except StoreCorrupt:
            damaged.append(row.name)
    return records, damaged


def spent_by(scope: Scope) -> str:
    """Return the name under which a store keeps what an org's user has spent on language models today."""
    return f"llm_spent {json.dumps([scope.org, scope.user], ensure_ascii=False)}"
