"""Whose word counts for how much, and a trail that cannot be quietly edited."""

from __future__ import annotations

from recollect.models import SourceType
from recollect.security.admission import MemoryValidator, ValidationResult
from recollect.security.auditor import MemoryAuditor
from recollect.security.trust import TrustScorer

__all__ = ["MemoryAuditor", "MemoryValidator", "SourceType", "TrustScorer", "ValidationResult"]
