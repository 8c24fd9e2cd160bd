"""The doors of a conversation: what a window, the policies that empty it and those who watch it must have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from recollect.models import ContextItem, KeyFact, MemoryEntry, Turn


@runtime_checkable
class EvictionPolicy(Protocol):
    """Chooses which turns leave a window: places in `turns`, oldest turn first, that free so many tokens.

    A window trusts no policy: it drops places that do not exist, counts each once, and where they do not free enough
    the oldest turns leave too.
    """

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> Sequence[int]: ...


@runtime_checkable
class RecencyScorer(Protocol):
    """Says how much a turn counts by its age: place 0 of `total` is the oldest, scores are 0 to 1."""

    def score(self, index: int, total: int) -> float: ...


@runtime_checkable
class ConversationMemory(Protocol):
    """What a conversation is kept in. One that shall be fed has `add_turn(role, content, **metadata)` too."""

    @property
    def turns(self) -> Sequence[Turn]: ...
    @property
    def total_tokens(self) -> int: ...
    def to_context_items(self, priority: int = 7) -> list[ContextItem]: ...
    def clear(self) -> None: ...


class MemoryCallback(Protocol):
    """Watches what happens to memories; every method may be left out. One that fails is logged and changes nothing."""

    def on_eviction(self, turns: list[Turn], remaining_tokens: int) -> None:
        """Turns, oldest first, have left a window that holds `remaining_tokens` now."""

    def on_compaction(self, evicted_turns: list[Turn], summary: str, previous_summary: str | None) -> None:
        """Turns that left a window are told by `summary` now, which takes the place of the previous one."""

    def on_extraction(self, turns: list[Turn], entries: list[MemoryEntry]) -> None:
        """Facts were found in turns."""

    def on_consolidation(self, action: str, new_entry: MemoryEntry | None, existing_entry: MemoryEntry | None) -> None:
        """A new statement was compared with what is known: `action` is add, update, delete or none."""

    def on_decay_prune(self, pruned_entries: list[MemoryEntry], threshold: float) -> None:
        """Memories have faded below the threshold and left."""

    def on_expiry_prune(self, pruned_entries: list[MemoryEntry]) -> None:
        """Memories have reached the end of their time and left."""


class ProgressiveSummarizationCallback(Protocol):
    """Watches the tiers of a progressive summary; every method may be left out."""

    def on_tier_cascade(self, from_tier: int, to_tier: int, tokens_in: int, tokens_out: int) -> None:
        """What a tier held was told again, shorter, in the next."""

    def on_facts_extracted(self, facts: list[KeyFact], source_tier: int) -> None:
        """Key facts were taken out of what left a tier."""

    def on_compaction_error(self, tier: int, error: Exception) -> None:
        """The model failed to tell a tier; the text was shortened without it."""
