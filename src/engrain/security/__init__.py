"""Admission of writes, trust classes, injection detection, and the tamper-evident audit trail."""

from __future__ import annotations

from engrain.model.memory import SourceType
from engrain.security.admission import MemoryValidator, TrustScorer, ValidationResult
from engrain.security.audit import MemoryAuditor

__all__ = ["MemoryAuditor", "MemoryValidator", "SourceType", "TrustScorer", "ValidationResult"]
