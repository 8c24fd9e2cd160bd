"""Budgets of language-model calls: what a scope may use in a day, what it used, and who did a piece of work."""

from __future__ import annotations

import json
import math
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from engrain.engine import Engine
from engrain.errors import ProviderError, StoreCorrupt, StoreError
from engrain.guard import log
from engrain.llm.calls import Attempt, Call, admitted, attempted
from engrain.llm.client import Usage, name_of
from engrain.model.filters import Test
from engrain.model.memory import Scope
from engrain.model.results import OFFLINE
from engrain.model.scope import spent_by
from engrain.protocols import LLM
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import Setting

KEPT_DAYS = 16  # that clocks which differ may take in turn: a week apart at most
SPENT = ("calls", "tokens")
COUNTS = ("calls", "failed", "input_tokens", "output_tokens")
_MOST = 1 << 62  # of anything that is counted


def row_of(reader: Reader, row: str) -> dict[str, Any]:
    """Return what a row of the accounts holds, nothing when there is none; raises `StoreCorrupt` for a damaged one."""
    found = reader.find(Setting, [Test("name", "eq", row)])
    return read(found[0]) if found else {}


def read(row: Setting) -> dict[str, Any]:
    """Return what a row holds; raises `StoreCorrupt` for anything that was not written here."""
    try:
        held = json.loads(row.value)
    except (ValueError, RecursionError):
        held = None
    if not (isinstance(held, dict) and _is_account(held)):
        raise StoreCorrupt(f"the store's row {row.name!r}, which counts what a language model was asked, is damaged")
    return held


def _is_account(held: Mapping[str, Any]) -> bool:
    earlier, uses = held.get("earlier", {}), held.get("by", {})
    if not (isinstance(held.get("day", ""), str) and isinstance(earlier, dict) and isinstance(uses, dict)):
        return False
    days = all(_are_counts(each, SPENT) for each in (held, *earlier.values()))
    sums = all(_are_sums(each) for each in (held.get("total", {}), *uses.values()))
    return days and sums and all(use.isprintable() for use in uses)


def _are_counts(counts: object, names: Iterable[str]) -> bool:
    return isinstance(counts, dict) and all(_is_count(counts.get(name, 0)) for name in names)


def _are_sums(counts: object) -> bool:
    return isinstance(counts, dict) and _are_counts(counts, counts)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= _MOST


def day_in_force(held: Mapping[str, Any], now: datetime) -> str:
    """Return the day whose budget is in force for a row.

    Where another machine's clock has passed midnight already, its day counts for all. One that is further ahead has the
    budget of its own day, once: a clock that was wrong by years does not stop the calls of today.
    """
    ahead = (now.date() + timedelta(days=1)).isoformat()
    known = held.get("day") == ahead or ahead in held.get("earlier", {})
    return ahead if known else now.date().isoformat()


def counts_on(held: Mapping[str, Any], day: str) -> dict[str, int]:
    """Return the calls and tokens of a day."""
    counts = held if held.get("day") == day else held.get("earlier", {}).get(day, {})
    return {name: counts.get(name, 0) for name in SPENT}


def put_on(held: dict[str, Any], day: str, counts: Mapping[str, int]) -> None:
    """Make a day the one in force, with these counts; those of the days in force before stay, the latest of them."""
    earlier: dict[str, dict[str, int]] = held.pop("earlier", {})
    if held.get("day", day) != day:
        earlier[held["day"]] = counts_on(held, held["day"])
    earlier.pop(day, None)
    held |= {"day": day, **counts}
    if earlier:
        held["earlier"] = dict(list(earlier.items())[-KEPT_DAYS:])


def give_back(held: dict[str, Any], day: str, tokens: int) -> None:
    """Give tokens back to the day that they were set aside on, if that is still known."""
    counts = held if held.get("day") == day else held.get("earlier", {}).get(day, {})
    if counts:
        counts["tokens"] = max(counts.get("tokens", 0) - tokens, 0)


T = TypeVar("T")

KEPT_USES = 32  # names of uses that are counted apart


class Spent(ProviderError):
    """The budget of the day does not reach for another call; nobody was asked."""


class Taken(NamedTuple):
    """What was set aside for one call: the day whose budget it is of, and the tokens."""

    day: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Purse:
    """What an org's user has asked of models, and may still spend today (UTC) by `settings.llm_budget`.

    What was spent stands in the store, one row for each of them, and so adds up over processes and restarts. In a store
    that is read-only it is counted in memory on top of that.
    """

    engine: Engine
    scope: Scope

    def take(self, tokens: int) -> Taken | None:
        """Set one call and its tokens aside if both are left; None when they are not, and nothing is spent.

        Raises `ProviderError` when there is a budget and nobody can say what is left of it.
        """
        budget = self.engine.settings.llm_budget or {}

        def change(held: dict[str, Any], before: dict[str, Any]) -> Taken | None:
            day = self._day(held)
            today, stored = counts_on(held, day), counts_on(before, day)
            after = {"calls": today["calls"] + 1, "tokens": today["tokens"] + tokens}
            if any(stored[name] + after[name] > most for name, most in budget.items()):
                return None
            put_on(held, day, after)
            return Taken(day, tokens)

        try:
            before = self._stored() if self.engine.store.read_only else {}
            return self._change(lambda held: change(held, before))
        except StoreError as error:
            if budget:
                raise _unknown(error) from error
            log.warning("a call of the language model could not be written down: %s", error)
            return Taken(self._day({}), 0)

    def settle(self, use: str, taken: Taken, used: Usage, error: ProviderError | None = None) -> None:
        """Put down what a call really took, and give back the rest, unless it failed and may have taken all of it.

        A new day has a budget of its own: what was set aside on another is neither taken from it nor given to it.
        Whoever was erased meanwhile leaves no row behind.
        """
        back = 0 if error is not None and error.unsure else taken.tokens - used.tokens

        def change(held: dict[str, Any]) -> None:
            if not held:
                return
            give_back(held, taken.day, back)
            for count in (held.setdefault("total", {}), _of_use(held, use)):
                _add(count, used, error is not None)

        try:
            self._change(change)
        except StoreError as failure:  # the answer is there all the same
            log.warning("what a call of the language model took could not be written down: %s", failure)

    def spent(self) -> dict[str, int]:
        """Return the calls and tokens of today. Raises `ProviderError` when nobody can say."""
        try:
            held = self._stored()
        except StoreError as error:
            raise _unknown(error) from error
        unwritten = self.engine.unsaved_usage.get(spent_by(self.scope), {})
        counts = [counts_on(each, self._day(each)) for each in (held, unwritten)]
        return {name: sum(count[name] for count in counts) for name in ("calls", "tokens")}

    def _stored(self) -> dict[str, Any]:
        with self.engine.store.read(self.scope.org) as reader:
            return row_of(reader, spent_by(self.scope))

    def _day(self, held: dict[str, Any]) -> str:
        return day_in_force(held, self.engine.clock.now())

    def _change(self, change: Callable[[dict[str, Any]], T]) -> T:
        """Change what is held, in one transaction."""
        row = spent_by(self.scope)

        def written(transaction: Transaction) -> T:
            held = row_of(transaction, row)
            before = json.dumps(held)
            outcome = change(held)
            if (after := json.dumps(held)) != before:
                transaction.put(Setting(row, after, self.scope.org))
            return outcome

        if not self.engine.store.read_only:
            return self.engine.store.write(written, self.scope.org)
        with self.engine.usage_lock:
            return change(self.engine.unsaved_usage.setdefault(row, {}))


def _unknown(error: StoreError) -> ProviderError:
    return ProviderError(f"what is left of the language model's budget is not known: {error}")


def _of_use(held: dict[str, Any], use: str) -> dict[str, int]:
    """Return the counts of one use; those of too many uses are counted together."""
    uses: dict[str, dict[str, int]] = held.setdefault("by", {})
    return uses.setdefault(use if use in uses or len(uses) < KEPT_USES else "other", {})


def _add(count: dict[str, int], used: Usage, failed: bool) -> None:
    more = {"calls": 1, "failed": int(failed), "input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
    for name, number in more.items():
        count[name] = count.get(name, 0) + number


_ALL = "llm_spent "  # how the names of all accounts begin


def account(engine: Engine, reader: Reader, scope: Scope) -> dict[str, Any]:
    """Return what a view's user took of models, of a view without user all users of its org; {} when there is nothing.

    An agent's view shows what its user took: models are not asked on an agent's account. Where accounts are `damaged`,
    it says how many: what was asked on those is not known.
    """
    rows, damaged = _rows(engine, reader, scope)
    if not rows and not damaged and engine.llm is None:
        return {}
    total, today, by = Counter[str](), Counter[str](), dict[str, Counter[str]]()
    for held in rows:
        total.update(held.get("total", {}))
        today.update(counts_on(held, day_in_force(held, engine.clock.now())))
        for use, counts in held.get("by", {}).items():
            by.setdefault(use, Counter()).update(counts)
    budget = engine.settings.llm_budget
    return {
        "model": None if engine.llm is None else name_of(engine.llm),
        **{name: total[name] for name in COUNTS},
        "by": {use: {name: counts[name] for name in COUNTS} for use, counts in sorted(by.items())},
        "today": {"calls": today["calls"], "tokens": today["tokens"]},
        "budget": None if budget is None else dict(budget),
        **({"damaged": damaged} if damaged else {}),
    }


def damaged_accounts(reader: Reader) -> list[str]:
    """Return the names of the accounts of a store that cannot be read, of all its organisations."""
    return [row.name for row in _starting_with(reader, _ALL) if not _read([row])[0]]


def _rows(engine: Engine, reader: Reader, scope: Scope) -> tuple[list[dict[str, Any]], int]:
    """Return the rows of a view's users, with what could not be written down, and how many cannot be read."""
    if scope.user is not None:
        row = spent_by(Scope(scope.org, scope.user))
        found, unwritten = reader.find(Setting, [Test("name", "eq", row)]), [engine.unsaved_usage.get(row, {})]
    else:
        start = spent_by(Scope(scope.org)).removesuffix("null]")
        found = _starting_with(reader, start)
        unwritten = [held for name, held in engine.unsaved_usage.copy().items() if name.startswith(start)]
    rows, damaged = _read(found)
    return [*rows, *filter(None, unwritten)], damaged


def _starting_with(reader: Reader, start: str) -> list[Setting]:
    within = [Test("name", "ge", start), Test("name", "lt", f"{start}~")]  # a user is in quotes, no user is null
    return [each for each in reader.find(Setting, within) if each.name.startswith(start)]


def _read(rows: Sequence[Setting]) -> tuple[list[dict[str, Any]], int]:
    """Return what rows hold, and how many cannot be read."""
    held: list[dict[str, Any]] = []
    for row in rows:
        try:
            held.append(read(row))
        except StoreCorrupt:
            continue
    return held, len(rows) - len(held)


ANSWER = 1000
"""Tokens of an answer, where whoever asks does not say."""
LONGEST = 100_000
"""Tokens of a question at most, about: what is longer is not sent, nor cut, but told to whoever asks."""
_OVERHEAD = 16  # tokens that a provider adds to a question: roles, the beginnings and ends of messages
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts


class Asker:
    """The language model in force, asked for one use (`"extract"`, `"verdict"`, ...) on the account of a scope.

    An `LLM` itself. `complete` raises `Spent` when the budget is used up, and `ProviderError`, which never holds a
    text, when no answer came; what passes is tried again as often as `settings.llm_retries` says. The whole of it, with
    the wait for one's turn, takes `settings.llm_timeout` seconds at most; an object of the caller's that takes longer
    is waited for. `usage` is what this asker took.
    """

    def __init__(self, engine: Engine, llm: LLM, scope: Scope, use: str) -> None:
        self._engine, self._llm, self.use = engine, llm, use
        self._purse = Purse(engine, Scope(scope.org, scope.user))
        self._usage, self._lock = Usage(), threading.Lock()

    @property
    def name(self) -> str:
        """What the model is called in results."""
        return name_of(self._llm)

    @property
    def usage(self) -> Usage:
        """What was taken so far: calls, each attempt one, and tokens."""
        return self._usage

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer, which is never blank."""
        settings = self._engine.settings
        call = self._call(prompt, system, ANSWER if max_tokens is None else max_tokens)
        for attempt in range(settings.llm_retries + 1):
            try:
                return self._attempt(call)
            except ProviderError as error:
                pause = _pause(error, attempt)
                if not error.transient or attempt == settings.llm_retries or time.monotonic() + pause >= call.until:
                    raise
                log.info("%s: asked again in %.1f seconds", error, pause)
            time.sleep(pause)
        raise AssertionError("an attempt ends in an answer or an error")

    def _call(self, prompt: str, system: str, most: int) -> Call:
        if most < 1:
            raise ValueError(f"max_tokens is {most}: at least 1")
        count = self._engine.tokenizer.count_tokens
        sent = count(prompt) + count(system) + _OVERHEAD
        if sent > LONGEST:
            told = f"the question is too long for a language model: about {sent:,} tokens, the limit is {LONGEST:,}"
            raise ProviderError(f"{told}: ask about less at once")
        return Call(prompt, system, most, sent, time.monotonic() + self._engine.settings.llm_timeout)

    def _attempt(self, call: Call) -> str:
        """Ask once; every attempt is one call of the budget."""
        aside = call.sent + call.most
        with admitted(self._engine, self._llm, call.until):
            taken = self._purse.take(aside)
            if taken is None:
                spent = self._purse.spent()
                told = f"{spent['calls']:,} calls and {spent['tokens']:,} tokens, and this one may take {aside:,}"
                raise Spent(f"the budget for the language model does not reach for another call today (UTC): {told}")
            # What stands of a call that is broken off: nobody knows what it took.
            found = Attempt("", Usage(1, call.sent), ProviderError("the call was broken off", unsure=True))
            try:
                found = attempted(self._llm, call, self._engine.tokenizer.count_tokens)
            finally:
                self._purse.settle(self.use, taken, found.used, found.error)
                with self._lock:
                    self._usage += found.used
        if found.error is not None:
            raise found.error
        return found.text


def _pause(error: ProviderError, attempt: int) -> float:
    """Return the seconds to wait: what the provider asks for, else twice as long each time, never two askers alike."""
    asked = error.retry_after
    if asked is not None and math.isfinite(asked) and asked > 0:
        return asked * random.uniform(1.0, 1.1)
    return float(min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25))


def asker(engine: Engine, scope: Scope, use: str) -> Asker | None:
    """Return the model in force, asked on the account of a scope; None when there is no model."""
    return None if engine.llm is None else Asker(engine, engine.llm, scope, use)


class Account:
    """The askers of one piece of work, whether the model did any of it, and why it did not do the rest."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._askers: list[Asker] = []
        self._by = OFFLINE
        self._why_not = ""

    def asker(self, scope: Scope, use: str) -> Asker | None:
        """Return the model in force on the account of a scope, as `asking.asker` does; what it takes is counted."""
        llm = asker(self._engine, scope, use)
        if llm is not None:
            self._askers.append(llm)
        return llm

    def did(self) -> None:
        """Say that the model did some of the work."""
        if self._engine.llm is not None:
            self._by = name_of(self._engine.llm)

    def failed(self, error: Exception) -> None:
        """Say why the model did not do some of the work; the first reason stays."""
        self._why_not = self._why_not or reason(error)

    def worked(self) -> dict[str, Any]:
        """Return the fields of `results.Worked`."""
        used = sum((each.usage for each in self._askers), Usage())
        return {"by": self._by, "calls": used.calls, "tokens": used.tokens, "why_not": self._why_not}


def reason(error: Exception) -> str:
    """Say why a model was no help, in words that hold no text of a memory: those of foreign errors may."""
    if isinstance(error, ProviderError):
        return str(error)
    return f"the language model failed ({type(error).__name__})"
