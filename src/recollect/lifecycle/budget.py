"""What a scope may spend on a language model in a day: counted in the store, checked before the model is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.filters import Test
from recollect.foreign import guard
from recollect.models import Scope
from recollect.protocols import LLM, Setting, Transaction
from recollect.scopes import spent_by


class Spent(ProviderError):
    """The budget of the day does not reach for another call; nobody was asked."""


@dataclass(frozen=True, slots=True)
class Purse:
    """What an org's user may still spend today (UTC) by `settings.llm_budget`.

    What was spent stands in the store, one row for each of them, and so adds up over processes and restarts.
    """

    engine: Engine
    scope: Scope

    def take(self, tokens: int) -> bool:
        """Spend one call and its tokens if both are left; False when they are not, and nothing is spent."""
        budget = self.engine.settings.llm_budget
        if budget is None:
            return True

        def change(transaction: Transaction) -> bool:
            spent = self._spent(transaction)
            after = {"calls": spent["calls"] + 1, "tokens": spent["tokens"] + tokens}
            if any(after[name] > most for name, most in budget.items()):
                return False
            self._put(transaction, after)
            return True

        return self.engine.store.write(change)

    def settle(self, tokens: int) -> None:
        """Add tokens that a call took beside those that were taken before it; they may be fewer than none."""
        if self.engine.settings.llm_budget is not None and tokens:
            self.engine.store.write(lambda transaction: self._add(transaction, tokens))

    def _add(self, transaction: Transaction, tokens: int) -> None:
        spent = self._spent(transaction)
        self._put(transaction, {**spent, "tokens": max(spent["tokens"] + tokens, 0)})

    @property
    def _row(self) -> str:
        return spent_by(self.scope)

    @property
    def _day(self) -> str:
        return self.engine.clock.now().date().isoformat()

    def _spent(self, transaction: Transaction) -> dict[str, int]:
        found = transaction.find(Setting, [Test("name", "eq", self._row)])
        held = json.loads(found[0].value) if found else {}
        today = held if held.get("day") == self._day else {}
        return {"calls": int(today.get("calls", 0)), "tokens": int(today.get("tokens", 0))}

    def _put(self, transaction: Transaction, spent: dict[str, int]) -> None:
        transaction.put(Setting(self._row, json.dumps({"day": self._day, **spent})))


class MeteredLLM:
    """A language model that asks the purse before each call.

    `complete` raises `Spent` when the purse is empty, and `ProviderError`, which never holds a text, when it fails.
    """

    def __init__(self, llm: LLM, purse: Purse) -> None:
        self._llm, self._purse = llm, purse

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer."""
        count = self._purse.engine.tokenizer.count_tokens
        taken = count(prompt) + count(system)
        if not self._purse.take(taken):
            raise Spent("the budget for the language model is spent for today")
        before, failed = self._used(), list[str]()
        answer: object = guard(
            "the language model",
            lambda: self._llm.complete(prompt, system=system, max_tokens=max_tokens),
            failed=lambda error: failed.append(type(error).__name__),
        )
        used = self._used()
        if before is not None and used is not None:
            self._purse.settle(used - before - taken)
        elif isinstance(answer, str):
            self._purse.settle(count(answer))
        if not isinstance(answer, str) or not answer.strip():
            raise ProviderError(f"the language model gave no answer ({failed[0] if failed else type(answer).__name__})")
        return answer

    def _used(self) -> int | None:
        """Return the tokens that the model says it has used so far, None when it does not count."""
        usage = getattr(self._llm, "usage", None)
        counts = [getattr(usage, name, None) for name in ("input_tokens", "output_tokens")]
        whole = [count for count in counts if isinstance(count, int)]
        return sum(whole) if len(whole) == len(counts) else None


def metered(engine: Engine, scope: Scope) -> LLM | None:
    """Return the model in force, asked on the account of a scope; None when there is no model."""
    return None if engine.llm is None else MeteredLLM(engine.llm, Purse(engine, Scope(scope.org, scope.user)))
