"""A language model that says a question in other words, imagines its answer, and tells what kind of question it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import ProviderError
from recollect.llm.mind import Mind
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one, several

_LONGEST = 1_000  # characters of a passage


@dataclass
class _Kind:
    """What kind of question it is, as a model writes it down."""

    intent: str


class ModelTransformer(Mind):
    """Says questions in other words by asking a language model.

    Raises what the model raises, and `ProviderError` when it answers twice with nothing that can be read.
    """

    def variants(self, query: str, n: int) -> Sequence[str]:
        """Return up to `n` other ways to ask; for none nobody is asked."""
        if n < 1:
            return []
        found = asked(self._llm, prompt("variants"), several(str), question=query, count=str(n))
        return [text.strip() for text in found if text.strip()][:n]

    def hypothetical(self, query: str) -> str:
        """Return a passage that would answer the question, made up."""
        text, system = prompt("hypothetical").filled(question=query)
        passage = self._llm.complete(text, system=system)
        if not passage.strip():
            raise ProviderError("the language model gave no passage")
        return passage.strip()[:_LONGEST]

    def intent(self, query: str) -> str:
        """Return the kind of a question in one word, which need not be one that is known."""
        return asked(self._llm, prompt("intent"), one(_Kind), question=query).intent.strip().lower()
