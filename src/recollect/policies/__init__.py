"""How things are weighed and merged: small rules on plain values, which know no store."""

from __future__ import annotations

from recollect.policies.consolidation import MemoryOperation, SimilarityConsolidator
from recollect.policies.importance import word_count_importance

__all__ = ["MemoryOperation", "SimilarityConsolidator", "word_count_importance"]
