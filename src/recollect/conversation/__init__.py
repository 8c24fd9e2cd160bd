"""Conversations without a store: windows that hold a budget, summaries of what left them, facts out of turns."""

from __future__ import annotations

from recollect.conversation.compactor import TierCompactor
from recollect.conversation.digest import digest
from recollect.conversation.entries import InMemoryEntryStore
from recollect.conversation.extractors import CallbackExtractor
from recollect.conversation.facade import ConversationManager
from recollect.conversation.keyfacts import key_facts
from recollect.conversation.progressive import ProgressiveSummarizationMemory
from recollect.conversation.summary import SummaryBufferMemory
from recollect.conversation.tiers import SummaryTier, TierConfig, Tiers, default_tiers
from recollect.conversation.transcript import transcript
from recollect.conversation.window import SlidingWindowMemory
from recollect.conversationdoor import MemoryCallback, ProgressiveSummarizationCallback
from recollect.models import ContextItem, KeyFact
from recollect.models import Turn as ConversationTurn
from recollect.policies.eviction import FIFOEviction, ImportanceEviction, PairedEviction
from recollect.policies.recency import ExponentialRecencyScorer, LinearRecencyScorer

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
