"""What is derived from a text in the write itself: importance, summary, keywords, tags, index terms. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.config import Settings
from recollect.entities import TYPES
from recollect.foreign import guard
from recollect.graph.seen import NOTHING, Seen
from recollect.models import Memory
from recollect.namewords import has_names
from recollect.policies import word_count_importance
from recollect.protocols import Mark
from recollect.text import sentences, shorten
from recollect.timewords import has_time_words
from recollect.words import content_pairs, index_counts
from recollect.write.importance import importance

MAX_SUMMARY, MAX_KEYWORDS, MAX_DERIVED_TAGS = 150, 7, 5
_SAMPLE = 20_000  # characters of a long text that its description is made from
_FILLER = re.compile(
    r"^\W*(?:hi|hey|hello|ok(?:ay)?|thanks?|well|so|wow|yes|no|sure|great|oh)\b[^.!?]{0,24}[.!?,]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Description:
    """The derived fields of a text."""

    summary: str
    keywords: tuple[str, ...]
    importance: float


def describe(content: str, settings: Settings) -> Description:
    """Derive summary, keywords and importance from a text."""
    sample = content[:_SAMPLE]
    pairs = content_pairs(sample)
    return Description(summary(sample), keywords(pairs), rate(content, pairs, settings))


def rate(content: str, pairs: Sequence[tuple[str, str]], settings: Settings) -> float:
    """Return the importance of a text by the scorer that the settings name; one that fails counts as 0.5."""
    if settings.importance == "word_count":
        return word_count_importance(content)
    scorer = settings.importance
    if isinstance(scorer, str):
        return importance(content, pairs)
    value = guard("the importance function", lambda: float(scorer(content)))
    return 0.5 if value is None or math.isnan(value) else min(max(value, 0.0), 1.0)


def summary(content: str) -> str:
    """Return the first sentence that says something, in at most 150 characters."""
    if len(content) <= MAX_SUMMARY and "\n" not in content:
        return content.strip()
    parts = sentences(content)
    first = next((part for part in parts if not _FILLER.match(part)), parts[0] if parts else content)
    return shorten(first, MAX_SUMMARY)


def keywords(pairs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return up to 7 words, the most telling first, as they stand in the text.

    Each is weighed by how often it occurs times how rare words of its shape are: names, numbers and long words are. How
    rare it is in the store is left out on purpose, so that a write costs and says the same in a store of any size.
    """
    surfaces: dict[str, str] = {}
    worth: dict[str, float] = {}
    for surface, term in pairs:
        if term in worth:
            worth[term] += 0.6 * _rarity(surfaces[term])
        else:
            surfaces[term], worth[term] = surface, _rarity(surface)
    return tuple(surfaces[term] for term in sorted(worth, key=worth.__getitem__, reverse=True)[:MAX_KEYWORDS])


@lru_cache(32_768)
def _rarity(surface: str) -> float:
    rarity = 1.0 + min(len(surface), 12) / 6
    if surface[:1].isupper():
        rarity += 1.0
    return rarity + 0.8 if any(character.isdigit() for character in surface) else rarity


def derived_tags(given: Sequence[str], domain: str, types: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the caller's tags, then what is derived: the domain, when it says something, and the types of entities."""
    derived = [domain, *types] if domain != "general" else types
    return tuple(dict.fromkeys([*given, *derived[:MAX_DERIVED_TAGS]]))


def named(memory: Memory, about: Seen, before: Seen = NOTHING) -> Memory:
    """Return a memory with the names that it shows, and tagged with their types instead of those `before`."""
    own = tuple(tag for tag in memory.tags if tag not in before.tags)
    tags = derived_tags(own, memory.domain, about.tags)
    if about.names == memory.entities and tags == memory.tags:
        return memory
    return replace(memory, entities=about.names, tags=tags)


def index_text(memory: Memory, *, situate: bool, dated: bool = True) -> str:
    """Return the text that is indexed: the content, and a line that places it when it has a fact or tags.

    Words are indexed without its date (`dated=False`): times are searched as times; its year is no word of the text.
    """
    if not situate or (memory.fact is None and all(tag in TYPES for tag in memory.tags)):
        return memory.content
    parts = []
    if memory.fact is not None:
        parts.append(f"{memory.fact.subject} {memory.fact.predicate.replace('_', ' ')} {memory.fact.object}")
    if dated:
        parts.append(f"as of {memory.valid_from.date().isoformat()}")
    if topics := [tag for tag in memory.tags if tag not in TYPES]:
        parts.append(f"topics: {', '.join(topics)}")
    return f"{memory.content}\n[Context: {'; '.join(parts)}]"


@dataclass(frozen=True, slots=True)
class Indexed:
    """A text as the index holds it."""

    terms: dict[str, int]
    length: int
    marks: int


def index(memory: Memory, *, situate: bool) -> Indexed:
    """Count the index terms of a memory and note what ranking wants to know of its text."""
    terms = index_counts(index_text(memory, situate=situate, dated=False))
    marks = Mark.QUESTION if memory.content.rstrip().endswith(("?", "？", "؟")) else Mark(0)
    if has_time_words(memory.content[:_SAMPLE]):
        marks |= Mark.TIME_WORDS
    if has_names(memory.content[:_SAMPLE]):
        marks |= Mark.NAMES
    if memory.metadata.get("is_summary") is True:
        marks |= Mark.SUMMARY
    return Indexed(terms, sum(terms.values()), int(marks))
