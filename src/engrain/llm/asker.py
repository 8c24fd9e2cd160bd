"""The configured language model, billed to a scope: budget, usage, time-out, retries, concurrency."""

from __future__ import annotations

import json
import math
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast
from weakref import WeakKeyDictionary

from engrain.engine import Engine
from engrain.errors import EngrainError, ProviderError, StoreCorrupt, StoreError
from engrain.guard import guard, log
from engrain.lazy import Later
from engrain.llm.client import NamedLLM, Reply, Usage, name_of
from engrain.llm.replies import adapter
from engrain.model.filters import Test
from engrain.model.memory import Scope
from engrain.model.results import OFFLINE
from engrain.protocols import LLM
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import Setting

if TYPE_CHECKING:
    import asyncio
else:
    asyncio = Later("asyncio")

T = TypeVar("T")


KEPT_DAYS = 16
"""Earlier days whose counts are kept, so that machines whose clocks differ by up to a week share one budget per day."""
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


@dataclass(slots=True)
class UsageRecord:
    """The calls of models by one user: by day, the current one last; in total; and by use."""

    days: dict[str, DayCounts] = field(default_factory=dict)
    total: UseCounts = field(default_factory=UseCounts)
    by: dict[str, UseCounts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not all(use.isprintable() for use in self.by):
            raise ValueError("the name of a use is not printable")

    def today(self, now: datetime) -> str:
        """Return the day whose budget applies at `now`.

        When another machine's clock has passed midnight already, its day applies to all. A day further ahead has a
        budget of its own, once: a clock that was wrong by years does not stop the calls of today.
        """
        ahead = (now.date() + timedelta(days=1)).isoformat()
        return ahead if ahead in self.days else now.date().isoformat()

    def on(self, day: str) -> DayCounts:
        """Return the counts of a day."""
        return self.days.get(day, DayCounts())

    def reserve(self, day: str, tokens: int) -> None:
        """Reserve one call and its tokens; None beyond the budget, `ProviderError` where the budget cannot be read."""
        counts = self.days.pop(day, DayCounts())
        earlier = list(self.days.items())[-KEPT_DAYS:]
        self.days = {**dict(earlier), day: DayCounts(counts.calls + 1, counts.tokens + tokens)}

    def settle(self, use: str, day: str, unused: int, used: Usage, *, failed: bool) -> None:
        """Count the tokens of a call; unused ones go back to the day that they were reserved on, if it is kept."""
        if counts := self.days.get(day):
            counts.tokens = max(counts.tokens - unused, 0)
        counted_as = use if use in self.by or len(self.by) < 32 else "other"  # uses that are counted separately
        for each in (self.total, self.by.setdefault(counted_as, UseCounts())):
            each.calls += 1
            each.failed += failed
            each.input_tokens += used.input_tokens
            each.output_tokens += used.output_tokens


def _parse(row: Setting) -> UsageRecord:
    try:
        return cast(UsageRecord, adapter(UsageRecord).validate_json(row.value, strict=True))
    except (ValueError, RecursionError):
        raise StoreCorrupt(
            f"the store's row {row.name!r}, which counts what a language model was asked, is damaged"
        ) from None


def spent_by(scope: Scope) -> str:
    """Return the name of the row with the usage of an org's user."""
    return f"{_ACCOUNTS}{json.dumps([scope.org, scope.user], ensure_ascii=False)}"


def stored_usage(reader: Reader, name: str) -> UsageRecord | None:
    """Return the record of the row of a name, None if there is none; raises `StoreCorrupt` for a damaged one."""
    return next(map(_parse, reader.find(Setting, [Test("name", "eq", name)])), None)


def usage_report(engine: Engine, reader: Reader, scope: Scope) -> dict[str, Any]:
    """Return the usage of a view's user, or of all users of its org; {} if there is none; `damaged` counts accounts."""
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
        today.update(asdict(record.on(record.today(engine.clock.now()))))
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
    records, damaged = list[UsageRecord](), list[str]()
    for row in rows:
        try:
            records.append(_parse(row))
        except StoreCorrupt:
            damaged.append(row.name)
    return records, damaged


class Spent(ProviderError):
    """The budget of the day does not reach for another call; no call was made."""


class Reservation(NamedTuple):
    """The reservation for one call: the day whose budget it belongs to, and the tokens."""

    day: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Budget:
    """One user's budget for today (UTC) and what was used of it, in the store, or in memory if it is read-only."""

    engine: Engine
    scope: Scope

    def reserve(self, tokens: int) -> Reservation:
        """Set a call and its tokens aside; raises `Spent` beyond the budget, `ProviderError` where it is not known."""
        limits, now = self.engine.settings.llm_budget or {}, self.engine.clock.now()

        def change(record: UsageRecord | None) -> tuple[UsageRecord, Reservation]:
            record = record or UsageRecord()
            day = record.today(now)
            counts = [record.on(day), stored.on(day)]
            calls, used = sum(each.calls for each in counts), sum(each.tokens for each in counts)
            wanted = {"calls": calls + 1, "tokens": used + tokens}
            if any(wanted[name] > limit for name, limit in limits.items()):
                figures = f"{calls:,} calls and {used:,} tokens, and this one may take {tokens:,}"
                raise Spent(f"the budget for the language model does not reach for another call today (UTC): {figures}")
            record.reserve(day, tokens)
            return record, Reservation(day, tokens)

        try:
            stored = self._stored() if self.engine.store.read_only else UsageRecord()
            return self._change(change)
        except StoreError as error:
            if limits:
                reason = f"what is left of the language model's budget is not known: {error}"
                raise ProviderError(reason) from error
            log.warning("a call of the language model could not be written down: %s", error)
            return Reservation(now.date().isoformat(), 0)

    def settle(self, use: str, reserved: Reservation, used: Usage, error: ProviderError | None = None) -> None:
        """Record the tokens of a call, and give back the rest unless it failed; an erased user leaves no row."""
        rest = 0 if error is not None and error.unsure else reserved.tokens - used.tokens

        def change(record: UsageRecord | None) -> tuple[UsageRecord | None, None]:
            if record is not None:
                record.settle(use, reserved.day, rest, used, failed=error is not None)
            return record, None

        try:
            self._change(change)
        except StoreError as failure:  # the answer is valid all the same
            log.warning("what a call of the language model took could not be written down: %s", failure)

    def _stored(self) -> UsageRecord:
        with self.engine.store.read(self.scope.org) as reader:
            return stored_usage(reader, spent_by(self.scope)) or UsageRecord()

    def _change(self, change: Callable[[UsageRecord | None], tuple[UsageRecord | None, T]]) -> T:
        """Replace the user's record by the result of `change`, None for no change, in one transaction."""
        name = spent_by(self.scope)

        def apply(transaction: Transaction) -> T:
            record, outcome = change(stored_usage(transaction, name))
            if record is not None:
                transaction.put(Setting(name, json.dumps(asdict(record)), self.scope.org))
            return outcome

        if not self.engine.store.read_only:
            return self.engine.store.write(apply, self.scope.org, (self.scope.user,))
        with self.engine.usage_lock:
            record, outcome = change(self.engine.unsaved_usage.get(name))
            if record is not None:
                self.engine.unsaved_usage[name] = record
            return outcome


MAX_ANSWER = 1000  # tokens of an answer when the caller gives no `max_tokens`
MAX_QUESTION = 100_000  # tokens of a question at most, estimated; a longer one is refused, neither sent nor cut
_OVERHEAD = 16  # tokens that a provider adds to a question for roles and message boundaries
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts
_MAX_COUNTED = 1 << 53  # tokens that a model's own counter may report


class _Call(NamedTuple):
    """A question, the longest answer to it, the estimated tokens of the question, and its deadline (monotonic)."""

    prompt: str
    system: str
    max_tokens: int
    sent: int
    deadline: float

    @property
    def left(self) -> float:
        return max(self.deadline - time.monotonic(), 0.0)


class Asker:
    """The language model in force for one use (`"extract"`, `"verdict"`, ...), on the account of a scope.

    An `LLM` itself. `complete` raises `Spent` when the budget is used up, and `ProviderError`, which never quotes a
    text, when no answer came. Transient failures are retried `settings.llm_retries` times. The whole call, waiting
    included, takes `settings.llm_timeout` seconds at most, except that an object of the caller's is not interrupted.
    """

    def __init__(self, engine: Engine, llm: LLM, scope: Scope, use: str) -> None:
        self.use = use
        self._engine, self._llm = engine, llm
        self._budget = Budget(engine, Scope(scope.org, scope.user))
        self.usage: Usage = Usage()  # the calls, each attempt one, and tokens of this asker
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model in results."""
        return name_of(self._llm)

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer, which is never blank."""
        settings, count = self._engine.settings, self._engine.tokenizer.count_tokens
        longest = MAX_ANSWER if max_tokens is None else max_tokens
        if longest < 1:
            raise ValueError(f"max_tokens is {longest}: at least 1")
        sent = count(prompt) + count(system) + _OVERHEAD
        if sent > MAX_QUESTION:
            size = f"about {sent:,} tokens, the limit is {MAX_QUESTION:,}"
            raise ProviderError(f"the question is too long for a language model: {size}: ask about less at once")
        call = _Call(prompt, system, longest, sent, time.monotonic() + settings.llm_timeout)
        attempt = 0
        while (error := (reply := self._attempt(call)).error) is not None:
            pause = _pause(error, attempt)
            if not error.transient or attempt == settings.llm_retries or pause >= call.left:
                raise error
            log.info("%s: asked again in %.1f seconds", error, pause)
            time.sleep(pause)
            attempt += 1
        return reply.text

    def _attempt(self, call: _Call) -> Reply:
        """Ask once; every attempt is one call of the budget."""
        with _slot(self._engine, self._llm, call):
            reserved = self._budget.reserve(call.sent + call.max_tokens)
            # What is recorded of a call that is interrupted: how much it took is not known.
            reply = Reply("", Usage(1, call.sent), ProviderError("the call was interrupted", unsure=True))
            try:
                llm, count = self._llm, self._engine.tokenizer.count_tokens
                reply = _ask_named(llm, call, count) if isinstance(llm, NamedLLM) else _ask_unnamed(llm, call, count)
            finally:
                self._budget.settle(self.use, reserved, reply.used, reply.error)
                with self._lock:
                    self.usage += reply.used
        return reply


def _pause(error: ProviderError, attempt: int) -> float:
    """Return the seconds to wait: as the provider asks, else exponential backoff, both with jitter."""
    asked = error.retry_after
    if asked is not None and math.isfinite(asked) and asked > 0:
        return asked * random.uniform(1.0, 1.1)
    return float(min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25))


def _ask_named(llm: NamedLLM, call: _Call, count: Callable[[str], int]) -> Reply:
    timeout = max(call.left, 0.001)  # seconds
    try:
        reply = llm.once(call.prompt, system=call.system, max_tokens=call.max_tokens, timeout=timeout)
    except EngrainError as error:  # a ConfigError where a library or a key is gone meanwhile
        failure = error if isinstance(error, ProviderError) else ProviderError(str(error))
        return Reply("", Usage(1, call.sent * failure.unsure), failure)
    used = reply.used
    return reply._replace(used=Usage(1, used.input_tokens or call.sent, used.output_tokens or count(reply.text)))


def _ask_unnamed(llm: LLM, call: _Call, count: Callable[[str], int]) -> Reply:
    """Ask a model of the caller's; tokens are those that it counted, estimates where it did not."""

    def ask() -> object:
        try:
            return llm.complete(call.prompt, system=call.system, max_tokens=call.max_tokens)
        except ProviderError as error:
            return error
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if threading.current_thread() is threading.main_thread():  # where a signal may have raised it
                raise
            return error

    before = _counted_by(llm)
    failed: list[Exception] = []
    answer = guard("the language model", ask, failed=failed.append, quotes=True)
    after = _counted_by(llm)
    sent, received = 0, 0
    if before is not None and after is not None:  # a counter that was reset gives nothing
        sent, received = (max(now - then, 0) for then, now in zip(before, after, strict=True))
    if isinstance(answer, str) and answer.strip():
        return Reply(answer, Usage(1, sent or call.sent, received or count(answer)))
    cause = failed[0] if failed else answer
    given = cause if isinstance(cause, ProviderError) else ProviderError("", unsure=isinstance(cause, TimeoutError))
    reason = f"the language model gave no answer ({type(cause).__name__})"  # its own message may quote a text
    error = ProviderError(reason, transient=given.transient, retry_after=given.retry_after, unsure=given.unsure)
    if not isinstance(cause, Exception) or error.unsure:
        sent = sent or call.sent
    return Reply("", Usage(1, sent, received), error)


def _counted_by(llm: LLM) -> tuple[int, int] | None:
    """Return the tokens sent and received that a model's `usage` reports, None when it does not count."""

    def read() -> tuple[object, object]:
        usage = getattr(llm, "usage", None)
        return getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)

    counts = guard("the language model's usage", read, quotes=True)
    valid = counts is not None and all(isinstance(each, int) and 0 <= each <= _MAX_COUNTED for each in counts)
    return counts if valid else None  # type: ignore[return-value]


_locks: WeakKeyDictionary[LLM, threading.RLock] = WeakKeyDictionary()
_shared_lock = [threading.RLock()]  # of models that cannot be a key: they wait for each other


@contextmanager
def _slot(engine: Engine, llm: LLM, call: _Call) -> Iterator[None]:
    """Wait for one of `llm_concurrency` slots, of a model that counts its tokens the only one; else `ProviderError`."""
    busy = ProviderError("the language model is asked by too many at once: try again later, or raise llm_concurrency")
    lock = threading.RLock()
    if not isinstance(llm, NamedLLM) and _counted_by(llm) is not None:
        try:
            lock = _locks.setdefault(llm, lock)
        except TypeError:
            lock = _shared_lock[0]
    if not lock.acquire(timeout=call.left):
        raise busy
    try:
        with engine.llm_limiter.acquire(call.left) as acquired:
            if not acquired:
                raise busy
            yield
    finally:
        lock.release()


def _renew_locks() -> None:
    """Give a forked child locks of its own: their owners, threads of the parent, do not exist in it."""
    _locks.clear()
    _shared_lock[0] = threading.RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_locks)


def asker(engine: Engine, scope: Scope, use: str) -> Asker | None:
    """Return the configured model, billed to a scope; None if there is no model."""
    return None if engine.llm is None else Asker(engine, engine.llm, scope, use)


class Account:
    """The askers of one piece of work, whether the model did any of it, and why it did not do the rest."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._askers: list[Asker] = []
        self._by = OFFLINE
        self._why_not = ""

    def asker(self, scope: Scope, use: str) -> Asker | None:
        """Return the model in force on the account of a scope; its usage is counted here."""
        llm = asker(self._engine, scope, use)
        if llm is not None:
            self._askers.append(llm)
        return llm

    def did(self) -> None:
        """Record that the model did some of the work."""
        if self._engine.llm is not None:
            self._by = name_of(self._engine.llm)

    def failed(self, error: Exception) -> None:
        """Record the first reason why a model did not do some work, of errors of other libraries only the type."""
        ours = isinstance(error, ProviderError)
        self._why_not = self._why_not or (str(error) if ours else f"the language model failed ({type(error).__name__})")

    def worked(self) -> dict[str, Any]:
        """Return the fields of `results.Worked`."""
        used = sum((each.usage for each in self._askers), Usage())
        return {"by": self._by, "calls": used.calls, "tokens": used.tokens, "why_not": self._why_not}
