"""How things are weighed and merged: small rules on plain values, which know no store."""

from __future__ import annotations

from engrain.policies.consolidation import MemoryOperation, SimilarityConsolidator
from engrain.policies.decay import (
    EbbinghausDecay,
    ExponentialRecencyScorer,
    LinearDecay,
    LinearRecencyScorer,
    exponential_decay,
    logarithmic_decay,
    step_decay,
)
from engrain.policies.eviction import FIFOEviction, ImportanceEviction, PairedEviction
from engrain.policies.fusion import Convex, fuse_convex, fuse_rrf, fuse_weighted
from engrain.policies.garbage import GCStats, MemoryGarbageCollector
from engrain.policies.retention import RetentionPolicy
from engrain.policies.scoring import EpisodicScore, word_count_importance
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
