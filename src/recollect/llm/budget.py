"""What a scope asks of language models: counted in the store, held to the budget of the day before anybody is asked.

A call is made only when the longest answer it may have still fits; what it did not take is given back. So the budget
holds whatever is asked at once, in however many threads and processes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from recollect.engine import Engine
from recollect.errors import ProviderError, StoreError
from recollect.foreign import log
from recollect.llm.ledger import counts_on, day_in_force, give_back, put_on, row_of
from recollect.llm.named import Usage
from recollect.models import Scope
from recollect.protocols import Setting, Transaction
from recollect.scopes import spent_by

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
        unwritten = self.engine.unwritten.get(spent_by(self.scope), {})
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
        with self.engine.books:
            return change(self.engine.unwritten.setdefault(row, {}))


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
