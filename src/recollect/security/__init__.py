"""Whose word counts for how much, and a trail that cannot be quietly edited."""

from recollect.models import SourceType
from recollect.security.auditor import MemoryAuditor
from recollect.security.trust import TrustScorer

__all__ = ["MemoryAuditor", "SourceType", "TrustScorer"]
