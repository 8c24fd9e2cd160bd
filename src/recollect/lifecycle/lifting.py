"""What is learnt of an episode without a model: few sentences, and only such as state something that lasts.

They come from what people and the application said. What an assistant answers, a tool returns or another memory tells
again teaches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.models import Memory, SourceType
from recollect.patterns import pattern
from recollect.protocols import Candidate
from recollect.statements import read
from recollect.statements.statement import LONGEST
from recollect.text import sentences
from recollect.write.chatter import is_chatter, worth
from recollect.write.conflicts import speaker

_SAMPLE = 20_000  # characters of a long text that are looked at
_MOST = 5  # facts of one episode
_LEAST = 3.0  # the rating from which a statement is worth a memory of its own
_NOTABLE = 5.0  # the rating of a notable sentence
_SAID = frozenset({SourceType.SYSTEM, SourceType.USER_INPUT, SourceType.LLM_GENERATED})
_MACHINES = frozenset({"assistant", "ai", "bot", "model", "agent", "system", "tool", "function"})
_POINTS = pattern(r"\b(?:this|that|these|those|it|them|they|here|there|you|your)\b", re.IGNORECASE)
_KIN = (
    "sister|brother|mother|mom|mum|father|dad|wife|husband|spouse|partner|boyfriend|girlfriend|fiancée?|son|daughter"
    "|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew|dog|cat|puppy|kitten|boss|manager"
)
_WHO = rf"(?:(?:I(?:['’]m|\ am))|(?:[Mm]y\ (?:\w+\ )?(?:{_KIN})|[A-Z][\w-]+(?:\ [A-Z][\w-]+)?)(?:['’]s|\ is))"
_LASTS = pattern(
    rf"""(?:(?:Oh|Well|Yeah|Yes|And|So|Actually|Also|By\ the\ way),?\ )?(?:
    {_WHO}\ (?:\w+ly\ |very\ |also\ )?(?:allergic|intolerant)\ to\ \w
    |{_WHO}\ (?:an?\ )?(?:strict\ )?(?:vegan|vegetarian|pescatarian|diabetic|left-handed|colou?r[- ]blind|retired)\b
    |{_WHO}\ (?:originally\ )?from\ [A-Z]
    |(?:I\ (?:currently\ )?(?:live|work|teach|study)|I(?:['’]m|\ am)\ (?:currently\ )?(?:living|working|studying))
        \ (?:in|at|as|for|near)[ ]
    |I(?:['’]m|\ am)\ (?:currently\ )?based\ in[ ]
    |I\ (?:was\ born|grew\ up)\ (?:in|on)[ ]
    |I\ (?:(?:really|strongly|usually|always|generally|much)\ )?prefer\ \w
    |I\ (?:have|own|['’]ve\ got)\ (?:an?|one|two|three|four|five|\d+)\ (?:\w+\ ){{0,2}}
        (?:{_KIN}|(?:{_KIN})s|kids|children|pets?|siblings|degree|allergy)\b
    |[Mm]y\ (?:\w+\ )?(?:{_KIN})(?:['’]s\ name\ is|\ is\ (?:called|named))\b
    |[Mm]y\ (?:favou?rite\ (?:\w+\ ){{1,3}}|name|birthday|job|hometown|degree|blood\ type|anniversary)\ ?(?:is|are)[ ]
    )""",
    re.VERBOSE,
)


def lifted(memory: Memory, languages: Sequence[str], *, leaves: bool = False) -> list[Candidate]:
    """Return what lasts of what an episode states, each sentence as it was said, in order.

    Of one that `leaves` afterwards, notable sentences are kept too: nothing else will tell them.
    """
    if not is_said(memory):
        return []
    if memory.fact is not None and len(memory.content) <= LONGEST:
        return [Candidate(content=memory.content, rating=max(worth(memory.content), _LEAST), fact=memory.fact)]
    who = speaker(memory)
    found = [
        _read(each, who, languages, leaves=leaves)
        for each in sentences(memory.content[:_SAMPLE])
        if len(each) <= LONGEST
    ]
    return [candidate for candidate in found if candidate is not None][:_MOST]


def _read(sentence: str, who: str | None, languages: Sequence[str], *, leaves: bool) -> Candidate | None:
    if is_chatter(sentence):
        return None
    statement = read(sentence, speaker=who, languages=languages)
    if statement.fact is not None:
        return Candidate(content=sentence, rating=max(worth(sentence), _LEAST), fact=statement.fact)
    lasting = _LASTS.match(sentence) is not None or (leaves and worth(sentence) >= _NOTABLE)
    lasting = lasting and not _POINTS.search(sentence)
    return Candidate(content=sentence, rating=max(worth(sentence), _LEAST)) if lasting else None


def is_said(memory: Memory) -> bool:
    """Say whether an episode is what somebody said or noted: no answer of an assistant, no tool's, nothing retold."""
    if memory.metadata.get("is_summary") is True or (memory.actor or "").casefold() in _MACHINES:
        return False
    return memory.source.type in _SAID or memory.fact is not None
