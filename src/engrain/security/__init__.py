"""Whose word counts for how much, and a trail that cannot be quietly edited."""

from __future__ import annotations

from engrain.model.memory import SourceType
from engrain.security.admission import MemoryValidator, ValidationResult
from engrain.security.audit import MemoryAuditor
from engrain.security.trust import TrustScorer

__all__ = ["MemoryAuditor", "MemoryValidator", "SourceType", "TrustScorer", "ValidationResult"]
