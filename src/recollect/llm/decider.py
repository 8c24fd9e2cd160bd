"""A language model that judges a new text against what is known: what it says is held to what it was shown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, cast

from recollect.llm.extractor import is_founded
from recollect.llm.mind import Mind
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one
from recollect.protocols import Candidate, Judgement
from recollect.results import Hit
from recollect.text import normalise
from recollect.words import content_pairs, names_and_numbers, terms, words

Operation = Literal["ADD", "UPDATE", "DELETE", "NOOP"]
_OPERATIONS = frozenset({"ADD", "UPDATE", "DELETE", "NOOP"})
_ALSO = {"NONE": "NOOP", "NO_OP": "NOOP", "NO-OP": "NOOP"}
_LONGEST = 2_000  # characters that are shown of a known text
_REASON = 200  # characters that are kept of a reason


@dataclass
class _Verdict:
    """A verdict as a model writes it down."""

    operation: str
    target: Any = None
    content: str | None = None
    reason: str | None = None


class ModelDecider(Mind):
    """Judges a candidate by asking a language model; with no neighbours there is nothing to ask.

    A verdict without a target is about the nearest. Words of the model's own that say more than it was shown are left
    out, and the candidate's stand. Raises what the model raises, and `ProviderError` when it answers twice with
    nothing that is a verdict.
    """

    def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement:
        """Return what becomes of the candidate."""
        if not neighbours:
            return Judgement(operation="ADD", reason="nothing known is near it")
        record = {"new": candidate.content, "known": [_shown(n, hit) for n, hit in enumerate(neighbours, start=1)]}
        text = json.dumps(record, ensure_ascii=False, indent=0)
        return asked(self._llm, prompt("verdict"), partial(_read, candidate, neighbours), record=text)


def _shown(number: int, hit: Hit) -> dict[str, object]:
    return {"n": number, "since": hit.memory.valid_from.date().isoformat(), "says": hit.content[:_LONGEST]}


def _read(candidate: Candidate, neighbours: Sequence[Hit], answer: str) -> Judgement:
    """Return the verdict of an answer; raises `ValueError`, which quotes no text."""
    verdict = one(_Verdict)(answer)
    word = verdict.operation.strip().upper()
    operation = _ALSO.get(word, word)
    if operation not in _OPERATIONS:
        raise ValueError("its operation is none of ADD, UPDATE, DELETE and NOOP")
    about = None if operation == "ADD" else _target(verdict.target, [hit.id for hit in neighbours])
    target = next((hit for hit in neighbours if hit.id == about), None)
    if target is not None and not _touch(candidate.content, target.content):
        raise ValueError("the known text that it names has no word of the new one")
    return Judgement(
        operation=cast(Operation, operation),
        target=about,
        content=_content(verdict, candidate, target) if target is not None and operation != "NOOP" else None,
        reason=" ".join((verdict.reason or "").split())[:_REASON],
    )


def _target(given: object, ids: Sequence[str]) -> str:
    """Return the id that a verdict means: by its number, or as it is."""
    if given is None or given == "":
        return ids[0]
    text = str(given).strip().lstrip("#")
    if isinstance(given, int | str) and not isinstance(given, bool):
        if text in ids:
            return text
        if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(ids):
            return ids[int(text) - 1]
    raise ValueError("its target is no number of a known text")


def _content(verdict: _Verdict, candidate: Candidate, target: Hit) -> str | None:
    """Return the words that shall take the target's place, None where the candidate's own do.

    They must name nobody and nothing but what the two texts do, say something of the new one, and not the old again.
    """
    said = (verdict.content or "").strip()
    shown = f"{candidate.content}\n{target.content}"
    if not said or normalise(said) == normalise(target.content) or not is_founded(said, frozenset(terms(shown))):
        return None
    strange = names_and_numbers(said) - frozenset(words(shown))
    return None if strange or not _touch(candidate.content, said) else said


def _touch(one: str, other: str) -> bool:
    """Say whether two texts share a telling word, or one has none."""
    telling = [frozenset(term for _, term in content_pairs(text)) for text in (one, other)]
    return not all(telling) or not telling[0].isdisjoint(telling[1])
