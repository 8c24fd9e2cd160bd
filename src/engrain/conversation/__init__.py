"""Conversations: windows with a token budget, summaries of evicted turns, facts extracted from turns."""

from __future__ import annotations

from engrain.conversation.manager import CallbackExtractor, ConversationManager, InMemoryEntryStore
from engrain.conversation.memories import ProgressiveSummarizationMemory, SlidingWindowMemory, SummaryBufferMemory
from engrain.conversation.summaries import TierCompactor, digest, key_facts
from engrain.conversation.window import SummaryTier, TierConfig, Tiers, default_tiers, transcript
from engrain.model.memory import ContextItem, KeyFact
from engrain.model.memory import Turn as ConversationTurn
from engrain.policies.windows import (
    ExponentialRecencyScorer,
    FIFOEviction,
    ImportanceEviction,
    LinearRecencyScorer,
    PairedEviction,
)
from engrain.protocols import MemoryCallback, ProgressiveSummarizationCallback

__all__ = [
    "CallbackExtractor", "ContextItem", "ConversationManager", "ConversationTurn", "ExponentialRecencyScorer",
    "FIFOEviction", "ImportanceEviction", "InMemoryEntryStore", "KeyFact", "LinearRecencyScorer", "MemoryCallback",
    "PairedEviction", "ProgressiveSummarizationCallback", "ProgressiveSummarizationMemory", "SlidingWindowMemory",
    "SummaryBufferMemory", "SummaryTier", "TierCompactor", "TierConfig", "Tiers", "default_tiers", "digest",
    "key_facts", "transcript",
]  # fmt: skip
