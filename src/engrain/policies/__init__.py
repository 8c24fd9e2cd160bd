"""How things are weighed and merged: small rules on plain values, which know no store."""

from __future__ import annotations

from engrain.policies.entries import (
    EbbinghausDecay,
    GCStats,
    LinearDecay,
    MemoryGarbageCollector,
    MemoryOperation,
    SimilarityConsolidator,
)
from engrain.policies.retention import RetentionPolicy, exponential_decay, logarithmic_decay, step_decay
from engrain.policies.scoring import Convex, EpisodicScore, fuse_convex, fuse_rrf, fuse_weighted, word_count_importance
from engrain.policies.windows import (
    ExponentialRecencyScorer,
    FIFOEviction,
    ImportanceEviction,
    LinearRecencyScorer,
    PairedEviction,
)
from engrain.protocols import GarbageCollectableStore, MemoryDecay, MemoryEntryStore

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
