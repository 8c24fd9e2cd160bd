"""Facts worth keeping apart, found without a model: decisions, constraints, preferences, dates, people, amounts."""

from __future__ import annotations

from recollect.conversation import cues
from recollect.conversation.utterances import Utterance, utterances
from recollect.models import FactType, KeyFact
from recollect.patterns import pattern
from recollect.statements import read
from recollect.text import normalise
from recollect.words import content_pairs
from recollect.write.chatter import is_chatter

MODELS = frozenset({"assistant", "ai", "bot", "model", "system"})
"""What those are called in a transcript that know a lot in general."""

_FEWEST = 2  # telling words: "On Tuesday." is understood with its question alone
_LONG = 13  # so many are no small talk
_QUESTION = pattern(r"[?？؟]")
_CUES = (
    (FactType.CONSTRAINT, cues.CONSTRAINT),
    (FactType.PREFERENCE, cues.PREFERENCE),
    (FactType.DATE, cues.DATE),
    (FactType.ENTITY, cues.ENTITY),
    (FactType.NUMBER, cues.NUMBER),
)


def key_facts(text: str, *, source_tier: int = 0) -> list[KeyFact]:
    """Return the sentences of a transcript that state a fact of some type, each once, as they were said.

    A question, a condition and a guess state nothing, nor does what an assistant says of the world at large. English
    is read best; of German, Spanish and French the plain forms; of other languages what dates and amounts show.
    """
    found: dict[str, KeyFact] = {}
    for said in dict.fromkeys(one._replace(turn=0) for one in utterances(text)):
        telling = len(content_pairs(said.text))
        if telling < _FEWEST or (telling < _LONG and is_chatter(said.text)):
            continue
        if (fact_type := type_of(said)) is not None:
            content = f"{said.who}: {said.text}" if said.who else said.text
            found.setdefault(normalise(content), KeyFact(content, fact_type, source_tier=source_tier))
    return list(found.values())


def type_of(said: Utterance) -> FactType | None:
    """Return the most telling type of fact that a sentence states, None when it states none; greetings are not seen."""
    text = said.text
    if _is_general(said) or _QUESTION.search(text) or cues.HYPOTHETICAL.search(text):
        return None
    decided = cues.DECISION.search(text)
    if decided and not cues.NEGATED.search(text[: decided.end()]):
        return FactType.DECISION
    for fact_type, cue in _CUES:
        if cue.search(text):
            return fact_type
    return FactType.ENTITY if read(text, speaker=said.who or None).fact is not None else None


def _is_general(said: Utterance) -> bool:
    """Say whether a model speaks of the world, or gives advice, rather than of those who talk."""
    if said.who.lower() not in MODELS:
        return False
    return not cues.PERSONAL.search(said.text) or cues.ADVICE.search(said.text) is not None
