"""Turns told shorter: by a language model where there is one, else by their own most telling sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from recollect.conversation.digest import ARCHIVE, BULLETS, PARAGRAPH, digest, fitted
from recollect.conversation.keyfacts import key_facts
from recollect.foreign import guard
from recollect.llm.named import name_of, resolve_llm
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, several
from recollect.models import FactType, KeyFact
from recollect.protocols import LLM, Tokenizer
from recollect.results import OFFLINE
from recollect.text import OfflineTokenizer
from recollect.words import terms

T = TypeVar("T")

_FORMS = {
    BULLETS: ("bullets", "as a bullet list"),
    PARAGRAPH: ("paragraph", "as one paragraph"),
    ARCHIVE: ("archive", "in one or two sentences"),
}
_LOOKED_AT = 20_000  # characters of an answer
_FACTS_TOKENS = 1000  # of a model's answer that lists facts


class Shortened(NamedTuple):
    """A text told shorter, and who did: a language model's name, or "offline"."""

    text: str
    by: str = OFFLINE

    @property
    def is_by_model(self) -> bool:
        """A language model told it."""
        return self.by != OFFLINE


class TierCompactor:
    """Tells text shorter for a tier (1 bullets, 2 a paragraph, 3 and up a few sentences) and takes out its key facts.

    Without an `llm`, an object or `"provider:model"`, both are done offline and every sentence is one that was said. A
    model that fails, or answers nothing, is told to `on_error(tier, error)`, and the text is shortened without it.
    """

    def __init__(
        self,
        llm: LLM | str | None = None,
        tokenizer: Tokenizer | None = None,
        *,
        on_error: Callable[[int, Exception], object] | None = None,
    ) -> None:
        self._llm = resolve_llm(llm)
        self._tokenizer = tokenizer or OfflineTokenizer()
        self._on_error = on_error

    def summarize(self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None) -> str:
        """Return a summary of at most `target_tokens`, with `existing_summary` worked in; blank text keeps that one."""
        return self.shortened(content, target_tier, target_tokens, existing_summary).text

    def shortened(
        self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
    ) -> Shortened:
        """Return what `summarize` does, and who told it."""
        if target_tokens < 0:
            raise ValueError(f"target_tokens is {target_tokens}: it cannot be negative")
        told = self._told(content, target_tier, target_tokens, existing_summary) if content.strip() else ""
        if told and self._llm is not None:
            return Shortened(told, name_of(self._llm))
        told = digest(content, target_tokens, self._tokenizer, tier=target_tier, existing=existing_summary)
        return Shortened(told)

    def extract_facts(self, content: str, source_tier: int = 0) -> list[KeyFact]:
        """Return the key facts of a text; [] when a model fails or, asked twice, answers with no list.

        A model may put a fact into words of its own, but one with a number that the text does not have, or with no
        word of the text, is dropped; so is an unknown type.
        """
        if self._llm is None:
            return [self._counted(fact) for fact in key_facts(content, source_tier=source_tier)]
        if not content.strip():
            return []
        found = self._guarded(source_tier, partial(self._listed, self._llm, content)) or []
        facts = _sound(found, content, source_tier)
        return [self._counted(fact) for fact in facts]

    def _told(self, content: str, tier: int, target: int, existing: str | None) -> str:
        """Return what the model makes of a text, cut to the target; "" when there is no model or no answer."""
        if self._llm is None or target == 0:
            return ""
        name, form = _FORMS[min(max(tier, BULLETS), ARCHIVE)]
        values = {"content": content, "target": str(target), "form": form}
        if existing and existing.strip():
            name, values = "merge", {**values, "existing": existing}
        known = frozenset(terms(f"{content} {existing or ''}"))
        answer = self._guarded(tier, partial(_asked, self._llm, name, values, target, known))
        return fitted(answer.strip(), target, self._tokenizer) if answer else ""

    def _guarded(self, tier: int, call: Callable[[], T]) -> T | None:
        return guard("the language model", call, failed=lambda error: self._failed(tier, error))

    def _failed(self, tier: int, error: Exception) -> None:
        if self._on_error is not None:
            guard("on_error", partial(self._on_error, tier, error))

    def _listed(self, llm: LLM, content: str) -> list[_Entry]:
        return asked(llm, prompt("key_facts"), several(_Entry), max_tokens=_FACTS_TOKENS, content=content)

    def _counted(self, fact: KeyFact) -> KeyFact:
        tokens = self._tokenizer.count_tokens(fact)
        return KeyFact(fact, fact.fact_type, source_tier=fact.source_tier, token_count=tokens)


def _asked(llm: LLM, name: str, values: Mapping[str, str], most: int, known: frozenset[str]) -> str:
    """Return a model's answer; one with no word of what it was to tell, a refusal say, is a `ValueError`."""
    text, system = prompt(name).filled(**values)
    answer: object = llm.complete(text, system=system, max_tokens=most)
    if not isinstance(answer, str) or not answer.strip():
        raise ValueError(f"it answered {'nothing' if isinstance(answer, str) else type(answer).__name__}, not text")
    if known and known.isdisjoint(terms(answer[:_LOOKED_AT])):
        raise ValueError("it answered with no word of the text")
    return answer


@dataclass
class _Entry:
    """A key fact as a model writes it down."""

    type: FactType
    content: str


def _sound(found: Sequence[_Entry], content: str, source_tier: int) -> list[KeyFact]:
    said = frozenset(terms(content))
    facts: dict[str, KeyFact] = {}
    for one in found:
        if _is_founded(one.content, said):
            text = one.content.strip()
            facts.setdefault(text, KeyFact(text, one.type, source_tier=source_tier))
    return list(facts.values())


def _is_founded(text: str, said: frozenset[str]) -> bool:
    there = frozenset(terms(text))
    numbers = {term for term in there if any(character.isdigit() for character in term)}
    return numbers <= said and not there.isdisjoint(said)
