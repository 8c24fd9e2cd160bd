"""Recollect: a memory for AI agents, from one object and one file on disk."""

from recollect.aio import AsyncMemoryManager
from recollect.config import Settings
from recollect.errors import (
    ConfigError,
    Conflict,
    GovernanceViolation,
    MemoryRejected,
    MemorySecurityError,
    NotFound,
    ProviderError,
    RecollectError,
    SchemaMismatch,
    ScopeMissing,
    StoreCorrupt,
    StoreError,
    StoreUnavailable,
)
from recollect.manager import MemoryManager
from recollect.models import AuditEntry, Fact, Job, Kind, Link, Memory, Scope, Source, SourceType, Status
from recollect.results import (
    ChainReport,
    Decision,
    Forgotten,
    Hit,
    Imported,
    Ingested,
    Page,
    Recall,
    Reindexed,
    Remembered,
    Signal,
    Stage,
    Stats,
)
from recollect.shared import get_async_memory_manager, get_memory_manager

__version__ = "0.1.0"

__all__ = [
    "AsyncMemoryManager",
    "AuditEntry",
    "ChainReport",
    "ConfigError",
    "Conflict",
    "Decision",
    "Fact",
    "Forgotten",
    "GovernanceViolation",
    "Hit",
    "Imported",
    "Ingested",
    "Job",
    "Kind",
    "Link",
    "Memory",
    "MemoryManager",
    "MemoryRejected",
    "MemorySecurityError",
    "NotFound",
    "Page",
    "ProviderError",
    "Recall",
    "RecollectError",
    "Reindexed",
    "Remembered",
    "SchemaMismatch",
    "Scope",
    "ScopeMissing",
    "Settings",
    "Signal",
    "Source",
    "SourceType",
    "Stage",
    "Stats",
    "Status",
    "StoreCorrupt",
    "StoreError",
    "StoreUnavailable",
    "get_async_memory_manager",
    "get_memory_manager",
]
