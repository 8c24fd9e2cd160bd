"""Policies: retention, scoring, fusion, eviction and rate limits as pure functions of values, without a store."""

from __future__ import annotations

from engrain.policies.entries import EbbinghausDecay as EbbinghausDecay
from engrain.policies.entries import GCStats as GCStats
from engrain.policies.entries import LinearDecay as LinearDecay
from engrain.policies.entries import MemoryGarbageCollector as MemoryGarbageCollector
from engrain.policies.entries import MemoryOperation as MemoryOperation
from engrain.policies.entries import SimilarityConsolidator as SimilarityConsolidator
from engrain.policies.retention import RetentionPolicy as RetentionPolicy
from engrain.policies.retention import exponential_decay as exponential_decay
from engrain.policies.retention import logarithmic_decay as logarithmic_decay
from engrain.policies.retention import step_decay as step_decay
from engrain.policies.scoring import Convex as Convex
from engrain.policies.scoring import EpisodicScore as EpisodicScore
from engrain.policies.scoring import fuse_convex as fuse_convex
from engrain.policies.scoring import fuse_rrf as fuse_rrf
from engrain.policies.scoring import fuse_weighted as fuse_weighted
from engrain.policies.scoring import word_count_importance as word_count_importance
from engrain.policies.windows import ExponentialRecencyScorer as ExponentialRecencyScorer
from engrain.policies.windows import FIFOEviction as FIFOEviction
from engrain.policies.windows import ImportanceEviction as ImportanceEviction
from engrain.policies.windows import LinearRecencyScorer as LinearRecencyScorer
from engrain.policies.windows import PairedEviction as PairedEviction
from engrain.protocols import GarbageCollectableStore as GarbageCollectableStore
from engrain.protocols import MemoryDecay as MemoryDecay
from engrain.protocols import MemoryEntryStore as MemoryEntryStore
