"""Other ways to ask: variants of a question, and the passage that would answer it. Both need a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeGuard

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.foreign import guard
from recollect.protocols import QueryTransformer
from recollect.read.counting import question

MOST = 6  # strings that a question is asked by, itself included
_VARIANT = 0.5  # of the question's own weight
_READ = 100  # of the strings that a transformer gives


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A text to search by, and what it counts beside the question; a passage is looked for by meaning alone."""

    text: str
    weight: float = 1.0
    passage: bool = False


def phrasings(engine: Engine, query: str, *, multi_query: int, hyde: bool) -> tuple[list[Phrasing], list[str]]:
    """Return the ways to ask, the question itself first, and what to note of them.

    `multi_query` is how many strings in all are asked by. Without a transformer, or when it fails, the question stands
    alone: nothing is called and nothing is an error.
    """
    found, notes = [Phrasing(query)], list[str]()
    if not query.strip() or not (multi_query > 1 or hyde):
        return found, notes
    transformer = engine.transformer
    if transformer is None:
        wanted = [name for name, asked in (("multi_query", multi_query > 1), ("hyde", hyde)) if asked]
        return found, [f"{' and '.join(wanted)} left out: no query transformer"]
    if multi_query > 1:
        more = _variants(transformer, query, min(multi_query, MOST) - 1)
        found += [Phrasing(text, _VARIANT) for text in more]
        notes += [f"no more than {MOST} strings are asked by"] if multi_query > MOST else []
        notes += [f"also asked: {text}" for text in more] or ["the query transformer gave no variants"]
    if hyde:
        passage = guard("the query transformer", lambda: transformer.hypothetical(query))
        if askable(passage):
            found.append(Phrasing(passage, _VARIANT, passage=True))
            notes.append("also looked for what a made-up answer means")
        else:
            notes.append("the query transformer gave no passage")
    return found, notes


def askable(text: object) -> TypeGuard[str]:
    """Say whether what foreign code gave is a text that can be asked: not blank, and no longer than a question."""
    try:
        return bool(question(text, 1).strip())
    except (TypeError, ValueError):
        return False


def _variants(transformer: QueryTransformer, query: str, most: int) -> Sequence[str]:
    def given() -> list[object]:
        found = transformer.variants(query, most)
        if isinstance(found, str):
            raise ProviderError("the query transformer gave one string, not a list of them")
        return list(islice(found, _READ))

    known, kept = {query.strip().casefold()}, list[str]()
    for text in guard("the query transformer", given) or []:
        if askable(text) and text.strip().casefold() not in known:
            known.add(text.strip().casefold())
            kept.append(text.strip())
    return kept[:most]
