"""What all work of language models has in common: whose it is, what it took, and how its failure is told."""

from __future__ import annotations

from recollect.errors import ProviderError
from recollect.llm.named import Usage, name_of
from recollect.protocols import LLM


class Mind:
    """A language model at one kind of work, on the account that it was given with."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """What the model is called in results."""
        return name_of(self._llm)

    @property
    def usage(self) -> Usage | None:
        """What was asked so far, None where the model does not count."""
        found = getattr(self._llm, "usage", None)
        return found if isinstance(found, Usage) else None


def credit(one: object) -> str:
    """Return who did something and what it took, as in "openai:gpt-5-mini (312 tokens)"."""
    usage = one.usage if isinstance(one, Mind) else None
    return name_of(one) if usage is None else f"{name_of(one)} ({usage.tokens:,} tokens)"


def trouble(one: object, failed: list[Exception]) -> str:
    """Return why somebody did not do it; only what a model of ours says of itself is known to hold no text."""
    if not failed:
        return f"{name_of(one)} gave nothing that can be used"
    error = failed[0]
    known = isinstance(one, Mind) and isinstance(error, ProviderError)
    return str(error) if known else f"{name_of(one)} failed ({type(error).__name__})"
