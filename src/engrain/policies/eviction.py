"""Which turns leave a window that is full: the oldest, the least important, or whole exchanges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engrain.model.memory import Turn


class FIFOEviction:
    """The oldest turns leave first; what a window does without a policy."""

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the places of the oldest turns that hold at least `tokens_to_free`."""
        return _enough(([place] for place in range(len(turns))), turns, tokens_to_free)


class ImportanceEviction:
    """The turns with the lowest importance leave first, and among equals the oldest."""

    def __init__(self, importance_fn: Callable[[Turn], float]) -> None:
        if not callable(importance_fn):
            raise TypeError(f"importance_fn must be a function of a turn, not {type(importance_fn).__name__}")
        self._importance = importance_fn

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the places of the least important turns that hold at least `tokens_to_free`, least important first."""
        if tokens_to_free <= 0:
            return []
        ranked = sorted((self._importance(turn), place) for place, turn in enumerate(turns))
        return _enough(([place] for _, place in ranked), turns, tokens_to_free)


class PairedEviction:
    """A user's turn and the answer that follows it leave together, the oldest first; it may free more than asked."""

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the places of the oldest exchanges that hold at least `tokens_to_free`."""
        return _enough(_exchanges(turns), turns, tokens_to_free)


def _exchanges(turns: Sequence[Turn]) -> Iterable[list[int]]:
    place = 0
    while place < len(turns):
        answered = [turn.role for turn in turns[place : place + 2]] == ["user", "assistant"]
        yield [place, place + 1] if answered else [place]
        place += 2 if answered else 1


def _enough(groups: Iterable[list[int]], turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
    chosen: list[int] = []
    freed = 0
    for group in groups:
        if freed >= tokens_to_free:
            break
        chosen += group
        freed += sum(turns[place].token_count for place in group)
    return chosen
