"""Two small questions that show whether a language model can be asked at all, and whether it answers in JSON."""

from __future__ import annotations

import time
from dataclasses import dataclass

from recollect.errors import ProviderError
from recollect.llm.asking import Asker
from recollect.llm.named import Usage
from recollect.llm.prompting import prompt
from recollect.llm.replies import one

USE = "trial"
_RECORD = "The door of the shed is green."
_ANSWER = 400  # tokens: models that think do so before their one word


@dataclass
class _Colour:
    colour: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did: the seconds and tokens of its calls, whether it keeps to JSON, and why it gave no answer."""

    seconds: float
    usage: Usage
    answers: bool = False
    keeps_to_json: bool = False
    error: ProviderError | None = None


def tried(llm: Asker) -> Trial:
    """Ask a model for a word, then for JSON; both calls count for the budget."""
    start, answers = time.perf_counter(), False
    try:
        text, system = prompt("trial").filled(record=_RECORD)
        llm.complete(text, system=system, max_tokens=_ANSWER)
        answers = True
        text, system = prompt("trial_json").filled(record=_RECORD)
        keeps = _is_read(llm.complete(text, system=system, max_tokens=_ANSWER))
    except ProviderError as error:
        return Trial(time.perf_counter() - start, llm.usage, answers, error=error)
    return Trial(time.perf_counter() - start, llm.usage, answers, keeps)


def _is_read(answer: str) -> bool:
    try:
        one(_Colour)(answer)
    except ValueError:
        return False
    return True
