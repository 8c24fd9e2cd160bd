"""A language model as a worker asks it: the job is held on to meanwhile, and left for later when time is up."""

from __future__ import annotations

from collections.abc import Callable

from recollect.errors import ProviderError
from recollect.llm.asking import Asker


class LeftForLater(ProviderError):
    """There is no time to ask again: the worker is told to stop, or whoever waits for it has waited long enough."""


class Held:
    """A language model whose worker holds on to its job for as long as an answer may take."""

    def __init__(self, llm: Asker, hold: Callable[[], bool]) -> None:
        self._llm, self._hold, self.name = llm, hold, llm.name
        self._begun = False

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer; raises `LeftForLater` when there is no time for another after the first."""
        if not self._hold() and self._begun:
            raise LeftForLater("there was no time to ask again")
        self._begun = True
        return self._llm.complete(prompt, system=system, max_tokens=max_tokens)
