"""How things are weighed and merged: small rules on plain values, which know no store."""

from __future__ import annotations

from recollect.entrydoor import GarbageCollectableStore, MemoryDecay, MemoryEntryStore
from recollect.policies.consolidation import MemoryOperation, SimilarityConsolidator
from recollect.policies.decay import (
    EbbinghausDecay,
    LinearDecay,
    exponential_decay,
    logarithmic_decay,
    step_decay,
)
from recollect.policies.eviction import FIFOEviction, ImportanceEviction, PairedEviction
from recollect.policies.fusion import fuse_convex, fuse_rrf, fuse_weighted
from recollect.policies.garbage import GCStats, MemoryGarbageCollector
from recollect.policies.importance import word_count_importance
from recollect.policies.recency import ExponentialRecencyScorer, LinearRecencyScorer
from recollect.policies.recipe import Convex
from recollect.policies.retention import RetentionPolicy
from recollect.policies.scoring import EpisodicScore

__all__ = [
    "Convex",
    "EbbinghausDecay",
    "EpisodicScore",
    "ExponentialRecencyScorer",
    "FIFOEviction",
    "GCStats",
    "GarbageCollectableStore",
    "ImportanceEviction",
    "LinearDecay",
    "LinearRecencyScorer",
    "MemoryDecay",
    "MemoryEntryStore",
    "MemoryGarbageCollector",
    "MemoryOperation",
    "PairedEviction",
    "RetentionPolicy",
    "SimilarityConsolidator",
    "exponential_decay",
    "fuse_convex",
    "fuse_rrf",
    "fuse_weighted",
    "logarithmic_decay",
    "step_decay",
    "word_count_importance",
]
