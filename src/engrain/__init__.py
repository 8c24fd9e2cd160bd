"""Engrain: a memory for AI agents, from one object and one file on disk."""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from engrain.aio import AsyncMemoryManager
    from engrain.config import Settings, WorkingSettings
    from engrain.errors import (
        AccessDenied,
        AuditBroken,
        ConfigError,
        Conflict,
        EngrainError,
        GovernanceViolation,
        MemoryRejected,
        MemorySecurityError,
        NotFound,
        ProviderError,
        RecallCancelled,
        RequestRepeated,
        SchemaMismatch,
        ScopeMissing,
        StoreCorrupt,
        StoreError,
        StoreUnavailable,
    )
    from engrain.manager import MemoryManager
    from engrain.model.audit import AuditHead, AuditProof, AuditReport, ChainReport, Forgotten, Key, Receipt, Role
    from engrain.model.entities import Entity, Merge, Reached, Relationship, Step
    from engrain.model.memory import (
        AuditEntry,
        Fact,
        Job,
        Kind,
        Link,
        Memory,
        MemoryEntry,
        MemoryType,
        Scope,
        Source,
        SourceType,
        Status,
        Turn,
    )
    from engrain.model.procedure import Procedure, ProcedureStep
    from engrain.model.results import (
        Collection,
        Consolidation,
        Conversation,
        Counts,
        Decision,
        ExactRecord,
        Hit,
        Imported,
        Ingested,
        Migrated,
        Page,
        Recall,
        Reindexed,
        Remembered,
        ReviewItem,
        SessionEnd,
        Signal,
        Stage,
        Stats,
        Sweep,
        Synced,
        Synthesis,
        WhyNot,
    )
    from engrain.policies.retention import RetentionPolicy
    from engrain.policies.scoring import fuse_convex, fuse_rrf, fuse_weighted
    from engrain.shared import get_async_memory_manager, get_memory_manager

try:
    from engrain._version import version as _built  # type: ignore[import-not-found, unused-ignore]
except ImportError:  # a tree that was never built
    _built = "1.0.0.dev0"
__version__: str = _built

__all__ = [
    "AccessDenied",
    "AsyncMemoryManager",
    "AuditBroken",
    "AuditEntry",
    "AuditHead",
    "AuditProof",
    "AuditReport",
    "ChainReport",
    "Collection",
    "ConfigError",
    "Conflict",
    "Consolidation",
    "Conversation",
    "Counts",
    "Decision",
    "EngrainError",
    "Entity",
    "ExactRecord",
    "Fact",
    "Forgotten",
    "GovernanceViolation",
    "Hit",
    "Imported",
    "Ingested",
    "Job",
    "Key",
    "Kind",
    "Link",
    "Memory",
    "MemoryEntry",
    "MemoryManager",
    "MemoryRejected",
    "MemorySecurityError",
    "MemoryType",
    "Merge",
    "Migrated",
    "NotFound",
    "Page",
    "Procedure",
    "ProcedureStep",
    "ProviderError",
    "Reached",
    "Recall",
    "RecallCancelled",
    "Receipt",
    "Reindexed",
    "Relationship",
    "Remembered",
    "RequestRepeated",
    "RetentionPolicy",
    "ReviewItem",
    "Role",
    "SchemaMismatch",
    "Scope",
    "ScopeMissing",
    "SessionEnd",
    "Settings",
    "Signal",
    "Source",
    "SourceType",
    "Stage",
    "Stats",
    "Status",
    "Step",
    "StoreCorrupt",
    "StoreError",
    "StoreUnavailable",
    "Sweep",
    "Synced",
    "Synthesis",
    "Turn",
    "WhyNot",
    "WorkingSettings",
    "fuse_convex",
    "fuse_rrf",
    "fuse_weighted",
    "get_async_memory_manager",
    "get_memory_manager",
]

# A program waits for what it uses alone: most of these load much of the package.
_MODULES = {
    "engrain.aio": "AsyncMemoryManager",
    "engrain.config": "Settings WorkingSettings",
    "engrain.errors": (
        "AccessDenied AuditBroken ConfigError Conflict EngrainError GovernanceViolation "
        "MemoryRejected MemorySecurityError NotFound ProviderError RecallCancelled RequestRepeated "
        "SchemaMismatch ScopeMissing StoreCorrupt StoreError StoreUnavailable"
    ),
    "engrain.manager": "MemoryManager",
    "engrain.model.audit": "AuditHead AuditProof AuditReport ChainReport Forgotten Key Receipt Role",
    "engrain.model.entities": "Entity Merge Reached Relationship Step",
    "engrain.model.memory": (
        "AuditEntry Fact Job Kind Link Memory MemoryEntry MemoryType Scope Source SourceType Status Turn"
    ),
    "engrain.model.procedure": "Procedure ProcedureStep",
    "engrain.model.results": (
        "Collection Consolidation Conversation Counts Decision ExactRecord Hit Imported Ingested Migrated Page Recall "
        "Reindexed Remembered ReviewItem SessionEnd Signal Stage Stats Sweep Synced Synthesis WhyNot"
    ),
    "engrain.policies.retention": "RetentionPolicy",
    "engrain.policies.scoring": "fuse_convex fuse_rrf fuse_weighted",
    "engrain.shared": "get_async_memory_manager get_memory_manager",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> _typing.Any:
    """Load a name at its first use."""
    if name not in _LATER:
        raise AttributeError(f"module 'engrain' has no attribute {name!r}")
    value = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
