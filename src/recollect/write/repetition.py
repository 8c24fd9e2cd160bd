"""What says again what is known is worth less: one band, when one known memory has its telling words already.

It looks at a bounded number of rows, whatever the store holds: those that have the most telling words of a text in
common, of which a few are read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.filters import Test
from recollect.models import Kind, Memory, Scope, Status
from recollect.protocols import Record, Transaction
from recollect.words import content_pairs
from recollect.write import signs
from recollect.write.conflicts import Resolution
from recollect.write.importance import BANDS
from recollect.write.meeting import Composed
from recollect.write.neighbours import probes

PROBES = 3  # terms that a text is looked for by
MOST = 64  # rows that are looked at for each of them
READ = 8  # memories of those that are read and compared
_SAMPLE = 20_000  # characters of a long text that are compared
_SLACK = 8  # one telling word in so many may be new
_LONGER = 2  # times as many words as a text has: what has more of them covers it by chance
_JUST_UNDER = 0.01
_NEGATION = re.compile(
    r"\b(?:not?|never|nobody|nothing|none|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|nunca|jamás|ning[uú]n\w*"
    r"|sin|ne|pas|jamais|aucun\w*|sans)\b|\bn['’]",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Repetitions:
    """Finds, in one transaction, who has said a text's words before: in the store, or in this transaction.

    Unless the texts are `rated` by what they say, nothing is looked for.
    """

    transaction: Transaction
    now: datetime
    rated: bool
    stored: dict[tuple[int, str], Sequence[int]] = field(default_factory=dict)
    fresh: dict[tuple[int, str], list[Memory]] = field(default_factory=dict)

    def look_up(self, items: Iterable[tuple[int, Composed]]) -> None:
        """Find the rows that share words with the new memories, before any of them is put."""
        asked: dict[int, set[str]] = {}
        for namespace, item in items:
            if self.rated and _may_repeat(item):
                asked.setdefault(namespace, set()).update(_probes(item.memory))
        for namespace, terms in asked.items():
            listed = sorted(terms)
            rows = self.transaction.holders(namespace, listed, limit=MOST)
            self.stored.update(((namespace, term), nums) for term, nums in zip(listed, rows, strict=True))

    def lowered(self, namespace: int, memory: Memory, item: Composed, found: Resolution | None) -> Memory:
        """Return a new memory, one band less important when it repeats a known one; note what it says.

        What closes or contradicts another says something new, in whatever words.
        """
        if not self.rated or not _may_repeat(item):
            return memory
        terms = _probes(memory)
        decides = found is not None and (found.closes or found.contests or found.later is not None)
        if not decides and any(_repeats(memory, other) for other in self._known(namespace, item.writer, memory, terms)):
            memory = replace(memory, importance=_band_below(memory.importance))
        for term in item.indexed.terms:
            said = self.fresh.setdefault((namespace, term), [])
            if len(said) < MOST:
                said.append(memory)
        return memory

    def _known(self, namespace: int, writer: Scope, memory: Memory, terms: Sequence[str]) -> list[Memory]:
        """Return the live memories that its writer sees and that share its most telling words."""
        least = len(terms) - (len(memory.keywords) > PROBES)  # a long text may have a new word among them
        shared = Counter(num for term in terms for num in self.stored.get((namespace, term), ()))
        nums = [num for num, times in shared.most_common(READ) if times >= least]
        stored = self.transaction.find(Record, [Test("num", "in", tuple(nums))]) if nums else []
        told = {id(other): other for term in terms for other in self.fresh.get((namespace, term), ())}
        times = Counter(id(other) for term in terms for other in self.fresh.get((namespace, term), ()))
        fresh = [told[place] for place, shares in times.most_common(READ) if shares >= least]
        return [other for other in (*fresh, *(record.memory for record in stored)) if self._sees(writer, memory, other)]

    def _sees(self, mine: Scope, memory: Memory, other: Memory) -> bool:
        """Say whether the writer of a memory sees another one, and that holds."""
        its = other.scope
        if mine.agent is not None and its.agent not in (None, mine.agent):
            return False
        if other.kind is Kind.WORKING and its.session != mine.session:
            return False
        return other.id != memory.id and other.is_live_at(max(self.now, other.valid_from))


def _may_repeat(item: Composed) -> bool:
    """Say whether a text is one to be lowered: rated by itself, not trivial anyway, and not drawn from others."""
    memory = item.memory
    return (
        "importance" not in item.given
        and memory.importance >= BANDS[0]
        and memory.status is Status.ACTIVE
        and not item.derived_from
        and not (item.statement.change or item.statement.correction or item.statement.ended)
    )


def _probes(memory: Memory) -> list[str]:
    return probes(memory)[:PROBES]


def _band_below(importance: float) -> float:
    return round(max(start for start in BANDS if start <= importance) - _JUST_UNDER, 4)


def _repeats(memory: Memory, other: Memory) -> bool:
    """Say whether a text says nothing that the other does not: no word, number, name, day, speaker or denial."""
    text, known = memory.content[:_SAMPLE], other.content[:_SAMPLE]
    said = {term: surface for surface, term in content_pairs(text)}
    there = {term for _, term in content_pairs(known)}
    new = said.keys() - there
    if len(new) > len(said) // _SLACK or len(there) > _LONGER * len(said) + 1:
        return False
    if any(surface[0].isupper() or any(map(str.isdigit, surface)) for surface in map(said.__getitem__, new)):
        return False
    if bool(_NEGATION.search(text)) != bool(_NEGATION.search(known)):
        return False
    if memory.actor != other.actor and not (signs.ONESELF | signs.OTHER).isdisjoint(text.split()):
        return False
    return memory.valid_from.date() == other.valid_from.date() or signs.WHEN.isdisjoint(said)
