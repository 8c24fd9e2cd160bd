"""What a scope asks of language models: counted in the store, held to the budget of the day before anybody is asked.

A call is made only when the longest answer it may have still fits; what it did not take is given back. So the budget
holds whatever is asked at once, in however many threads and processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recollect.engine import Engine
from recollect.errors import ProviderError, StoreError
from recollect.filters import Test
from recollect.foreign import log
from recollect.llm.named import Usage
from recollect.models import Scope
from recollect.protocols import Setting, Transaction
from recollect.scopes import spent_by

KEPT_USES = 32  # names of uses that are counted apart


class Spent(ProviderError):
    """The budget of the day does not reach for another call; nobody was asked."""


@dataclass(frozen=True, slots=True)
class Purse:
    """What an org's user has asked of models, and may still spend today (UTC) by `settings.llm_budget`.

    What was spent stands in the store, one row for each of them, and so adds up over processes and restarts. A store
    that cannot be written is kept count of in memory.
    """

    engine: Engine
    scope: Scope

    def take(self, tokens: int) -> bool:
        """Spend one call and its tokens if both are left; False when they are not, and nothing is spent."""
        budget = self.engine.settings.llm_budget
        if budget is None:
            return True

        def change(held: dict[str, Any]) -> bool:
            today = _today(held, self._day)
            after = {"calls": today["calls"] + 1, "tokens": today["tokens"] + tokens}
            if any(after[name] > most for name, most in budget.items()):
                return False
            held |= {"day": self._day, **after}
            return True

        return bool(self._change(change))

    def settle(self, use: str, taken: int, used: Usage, *, failed: bool = False) -> None:
        """Put down what a call really took, for which `taken` tokens were spent before it."""
        bound = self.engine.settings.llm_budget is not None

        def change(held: dict[str, Any]) -> None:
            today = _today(held, self._day)
            more = used.tokens - (taken if bound else 0)
            calls = today["calls"] + (0 if bound else 1)
            held |= {"day": self._day, "calls": calls, "tokens": max(today["tokens"] + more, 0)}
            for count in (held.setdefault("total", {}), _of_use(held, use)):
                _add(count, used, failed)

        try:
            self._change(change)
        except StoreError as error:  # the answer is there all the same
            log.warning("what a call of the language model took could not be written down: %s", error)

    def spent(self) -> dict[str, int]:
        """Return the calls and tokens of today."""
        with self.engine.store.read() as reader:
            found = reader.find(Setting, [Test("name", "eq", self._row)])
        held = json.loads(found[0].value) if found else self.engine.unwritten.get(self._row, {})
        return _today(held, self._day)

    @property
    def _row(self) -> str:
        return spent_by(self.scope)

    @property
    def _day(self) -> str:
        return self.engine.clock.now().date().isoformat()

    def _change(self, change: Any) -> Any:
        """Change what is held, in one transaction."""

        def written(transaction: Transaction) -> Any:
            found = transaction.find(Setting, [Test("name", "eq", self._row)])
            held: dict[str, Any] = json.loads(found[0].value) if found else {}
            outcome = change(held)
            transaction.put(Setting(self._row, json.dumps(held)))
            return outcome

        if not self.engine.store.read_only:
            return self.engine.store.write(written)
        with self.engine.books:
            return change(self.engine.unwritten.setdefault(self._row, {}))


def _today(held: Mapping[str, Any], day: str) -> dict[str, int]:
    today = held if held.get("day") == day else {}
    return {"calls": int(today.get("calls", 0)), "tokens": int(today.get("tokens", 0))}


def _of_use(held: dict[str, Any], use: str) -> dict[str, int]:
    """Return the counts of one use; those of too many uses are counted together."""
    uses: dict[str, dict[str, int]] = held.setdefault("by", {})
    return uses.setdefault(use if use in uses or len(uses) < KEPT_USES else "other", {})


def _add(count: dict[str, int], used: Usage, failed: bool) -> None:
    more = {"calls": 1, "failed": int(failed), "input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
    for name, number in more.items():
        count[name] = count.get(name, 0) + number
