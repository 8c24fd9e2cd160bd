"""What kind of answer a question wants, and what each kind is looked for by. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from recollect.patterns import pattern

FACTUAL, TEMPORAL, RELATIONAL = "factual", "temporal", "relational"
CAUSAL, EXPLORATORY = "causal", "exploratory"

_CAUSAL = pattern(
    r"\b(?:why|because|causes?|caused|reasons?|led to|result(?:s|ed)? in|how come|what made)\b", re.IGNORECASE
)
_WHAT_DOES = (  # what somebody who is named has to do with things of a kind; of oneself one asks for the fact
    r"(?:what|which)(?: \w+){1,3}? (?:do|does|did|has|have) "
    r"(?!(?:i|you|we|they|he|she|it|my|your|our|his|her|their|this|that|these|those|one|people|a|an)\b"
    r"|the (?-i:[^A-Z]))"
    r"\w[^?\n]{0,60}? (?:uses?|used|deploy(?:ed)?|exploit(?:ed)?|target(?:ed)?|attack(?:ed)?)"
)
_RELATIONAL = pattern(
    r"\b(?:who (?:knows|works|is with)|relationships?|related|connected|between|friends? of|same as|both|"
    rf"{_WHAT_DOES})\b",
    re.IGNORECASE,
)
_EXPLORATORY = pattern(
    r"\b(?:tell me (?:about|more)|what do (?:we|you|i) know|overview|summar(?:y|ise|ize)|describe|everything)\b",
    re.IGNORECASE,
)
INTENTS = (FACTUAL, TEMPORAL, RELATIONAL, CAUSAL, EXPLORATORY)
_FACTUAL = pattern(
    r"^\W*(?:(?:what|which|who|whose|whom|where|how (?:many|much|old|long|far|tall|big|often))\b"
    r"|(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each way of finding counts for a kind of question."""

    lexical: float
    vector: float
    graph: float
    temporal: float


# For the ranking policy `intent_blend`, whose lists are all scaled to 0..1.
BLEND: Mapping[str, Weights] = {
    FACTUAL: Weights(0.7, 0.3, 0.2, 0.0),
    TEMPORAL: Weights(0.1, 0.2, 0.2, 0.5),
    RELATIONAL: Weights(0.2, 0.2, 0.5, 0.1),
    CAUSAL: Weights(0.1, 0.1, 0.6, 0.2),
    EXPLORATORY: Weights(0.2, 0.5, 0.2, 0.1),
}


def intent(text: str, *, temporal: bool) -> str:
    """Return the kind of a question; `temporal` says that it names a time or asks for one."""
    return next(iter(_seen(text, temporal=temporal)), FACTUAL)


def is_unclear(text: str, *, temporal: bool) -> bool:
    """Say whether nothing in a question says of what kind it is, or several things do that compete.

    One that begins as questions for one thing do, and shows nothing else, is plainly factual.
    """
    seen = _seen(text, temporal=temporal)
    return len(seen) > 1 or not (seen or _FACTUAL.search(text))


def _seen(text: str, *, temporal: bool) -> list[str]:
    """Return the kinds that something in a question speaks for, the strongest first."""
    marks = {
        CAUSAL: _CAUSAL.search(text),
        TEMPORAL: temporal,
        RELATIONAL: _RELATIONAL.search(text),
        EXPLORATORY: _EXPLORATORY.search(text),
    }
    return [kind for kind, there in marks.items() if there]
