"""Conversations without a store: windows that hold a budget, summaries of what left them, facts out of turns."""

from __future__ import annotations

from engrain.conversation.compaction import TierCompactor, digest
from engrain.conversation.key_facts import key_facts
from engrain.conversation.manager import CallbackExtractor, ConversationManager, InMemoryEntryStore
from engrain.conversation.tiers import ProgressiveSummarizationMemory, SummaryTier, TierConfig, Tiers, default_tiers
from engrain.conversation.windows import SlidingWindowMemory, SummaryBufferMemory, transcript
from engrain.model.memory import ContextItem, KeyFact
from engrain.model.memory import Turn as ConversationTurn
from engrain.policies.decay import ExponentialRecencyScorer, LinearRecencyScorer
from engrain.policies.eviction import FIFOEviction, ImportanceEviction, PairedEviction
from engrain.protocols import MemoryCallback, ProgressiveSummarizationCallback

__all__ = [
    "CallbackExtractor",
    "ContextItem",
    "ConversationManager",
    "ConversationTurn",
    "ExponentialRecencyScorer",
    "FIFOEviction",
    "ImportanceEviction",
    "InMemoryEntryStore",
    "KeyFact",
    "LinearRecencyScorer",
    "MemoryCallback",
    "PairedEviction",
    "ProgressiveSummarizationCallback",
    "ProgressiveSummarizationMemory",
    "SlidingWindowMemory",
    "SummaryBufferMemory",
    "SummaryTier",
    "TierCompactor",
    "TierConfig",
    "Tiers",
    "default_tiers",
    "digest",
    "key_facts",
    "transcript",
]
