"""What leaves a window and what fits into one: pure, and true for any policy and any tokenizer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from operator import index
from typing import SupportsIndex

from recollect.conversationdoor import EvictionPolicy
from recollect.foreign import guard
from recollect.models import Turn
from recollect.protocols import Tokenizer


def evicted(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy | None) -> list[int]:
    """Return the places, ascending, of the turns that leave: they hold at least `tokens_to_free` if the turns do.

    What a policy says amiss (no places, too few, twice, none that exist, an error) is made good with the oldest turns.
    """
    if tokens_to_free <= 0:
        return []
    leaving = set() if policy is None else _chosen(turns, tokens_to_free, policy)
    freed = sum(turns[place].token_count for place in leaving)
    for place, turn in enumerate(turns):
        if freed >= tokens_to_free:
            break
        if place not in leaving:
            leaving.add(place)
            freed += turn.token_count
    return sorted(leaving)


def _chosen(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy) -> set[int]:
    what = f"{type(policy).__name__}.select_for_eviction"
    return guard(what, partial(_asked, turns, tokens_to_free, policy)) or set()


def _asked(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy) -> set[int]:
    said: object = policy.select_for_eviction(list(turns), tokens_to_free)
    if not isinstance(said, Collection) or isinstance(said, str | bytes):
        raise TypeError(f"it returned a {type(said).__name__}: it must return a list of places")
    places = islice(said, len(turns))  # no answer needs more, and one may be endless
    return {place for said in places if (place := _whole(said)) is not None and 0 <= place < len(turns)}


class InBatches:
    """A policy that frees so many tokens more than it is asked for, so that what leaves can be told together.

    Without another policy to ask, the oldest turns leave.
    """

    def __init__(self, policy: EvictionPolicy | None, more: int) -> None:
        self._policy, self._more = policy, more

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the places of the turns that leave."""
        return evicted(turns, tokens_to_free + self._more, self._policy)


def fitted(turn: Turn, max_tokens: int, tokenizer: Tokenizer) -> Turn:
    """Return the turn with its `token_count`; one larger than the budget is cut to it and marked `truncated`.

    A turn that was cut counts as the whole budget.
    """
    tokens = counted(turn.content, tokenizer)
    if tokens <= max_tokens:
        return replace(turn, token_count=tokens)
    content = cut(turn.content, max_tokens, tokenizer)
    return replace(turn, content=content, token_count=max_tokens, metadata={**turn.metadata, "truncated": True})


def counted(text: str, tokenizer: Tokenizer) -> int:
    """Return how many tokens a text is, and never fewer than none."""
    said: object = tokenizer.count_tokens(text)
    if (tokens := _whole(said)) is None:
        raise TypeError(f"{type(tokenizer).__name__}.count_tokens returned a {type(said).__name__}: it must count")
    return max(tokens, 0)


def _whole(value: object) -> int | None:
    """Return a whole number of any make (those of numpy too) as an int; True and False are none."""
    if type(value) is int:  # nearly always
        return value
    return index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None


def within(text: str, max_tokens: int, tokenizer: Tokenizer) -> tuple[str, int]:
    """Return a text cut to at most so many tokens, and how many it has."""
    if (tokens := counted(text, tokenizer)) <= max_tokens:
        return text, tokens
    kept = cut(text, max_tokens, tokenizer)
    return kept, min(counted(kept, tokenizer), max_tokens)


def cut(text: str, max_tokens: int, tokenizer: Tokenizer) -> str:
    """Return a beginning of a text that counts at most so many tokens, whatever the tokenizer takes for one."""
    kept = tokenizer.truncate_to_tokens(text, max_tokens)
    if not isinstance(kept, str):
        raise TypeError(f"{type(tokenizer).__name__}.truncate_to_tokens returned a {type(kept).__name__}, not a string")
    if len(kept) > len(text):
        kept = text
    if counted(kept, tokenizer) <= max_tokens:
        return kept
    fits, excess = 0, len(kept)
    while excess - fits > 1:
        middle = (fits + excess) // 2
        if counted(kept[:middle], tokenizer) <= max_tokens:
            fits = middle
        else:
            excess = middle
    return kept[:fits]
