"""Messages that only repeat a recalled memory: they tell nothing new, and shall not count as if they did."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.engine import Engine
from recollect.filters import Test, live
from recollect.models import Kind, Scope
from recollect.protocols import Reader, Record
from recollect.read.access import AccessLog
from recollect.read.selection import select
from recollect.text import sentences
from recollect.words import content_pairs, stem
from recollect.working.appending import Echo
from recollect.working.log import conversation

_LONGEST = 1_000  # characters: what is longer says something of its own
_LOOKED_AT = 8  # memories, the newest of those that hold all the words
_COMMON = 500  # memories that hold a word: where so many do, it does not tell them apart
_FEWEST = 2  # words in common without which nothing is repeated
_NEGATION = re.compile(
    r"\b(?:not|no|nor|never|none|nobody|nothing|without|cannot|nicht|kein\w*|nie|ohne|nunca|jamás|sin|pas|jamais|sans)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_ABOUT_SAYING = """
you your yours me my told tell said say mention mentioned remember recall note noted notes according memory memories
know known stated state earlier before previously already sure right correct yes indeed well okay ok see check records
"""
_SAYING = frozenset(map(stem, _ABOUT_SAYING.split()))


def echoed(engine: Engine, scope: Scope, accesses: AccessLog, text: str) -> Echo | None:
    """Return the recalled memory that a message only repeats, None when it says more or was not recalled."""
    terms = _telling(text) if len(text) <= _LONGEST else []
    if len(terms) < _FEWEST:
        return None
    where = select(scope, live(engine.clock.now())).but(Test("kind", "ne", Kind.WORKING))
    with engine.store.read(scope.org) as reader:
        nums = _holding(reader, scope, list(dict.fromkeys(terms)))
        records = reader.find(Record, where.but(Test("num", "in", nums)), order="-num") if nums else []
    recalled = (record.memory for record in records if accesses.shown(record.memory).access_count)
    heard = next((memory for memory in recalled if repeats(text, memory.content)), None)
    return None if heard is None else Echo(heard.id)


def _holding(reader: Reader, scope: Scope, terms: Sequence[str]) -> tuple[int, ...]:
    """Return the newest rows that hold every one of the terms, as far as those are rare enough to tell."""
    held = conversation(reader, scope)
    if held is None:  # the session's first message answers nobody
        return ()
    told = [set(rows) for rows in reader.holders(held.ns, terms, limit=_COMMON) if len(rows) < _COMMON]
    return tuple(sorted(set.intersection(*told))[-_LOOKED_AT:]) if told else ()


def repeats(said: str, known: str) -> bool:
    """Say whether every sentence that tells something tells it in words of `known`, in their order, denied or not."""
    if bool(_NEGATION.search(said)) != bool(_NEGATION.search(known)):
        return False
    words, telling = _telling(known), [_telling(sentence) for sentence in sentences(said)]
    told = [terms for terms in telling if terms]
    return max(map(len, told), default=0) >= _FEWEST and all(_in_order(terms, words) for terms in told)


def _telling(text: str) -> list[str]:
    return [term for _, term in content_pairs(text) if term not in _SAYING]


def _in_order(terms: list[str], words: list[str]) -> bool:
    left = iter(words)
    return all(term in left for term in terms)
