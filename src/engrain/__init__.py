"""Engrain: a memory for AI agents, from one object and one file on disk."""

import importlib as _importlib
import typing as _typing

if _typing.TYPE_CHECKING:
    from engrain.aio import AsyncMemoryManager as AsyncMemoryManager
    from engrain.aio import get_async_memory_manager as get_async_memory_manager
    from engrain.aio import get_memory_manager as get_memory_manager
    from engrain.config import Settings as Settings
    from engrain.config import WorkingSettings as WorkingSettings
    from engrain.errors import AccessDenied as AccessDenied
    from engrain.errors import AuditBroken as AuditBroken
    from engrain.errors import ConfigError as ConfigError
    from engrain.errors import Conflict as Conflict
    from engrain.errors import EngrainError as EngrainError
    from engrain.errors import GovernanceViolation as GovernanceViolation
    from engrain.errors import MemoryRejected as MemoryRejected
    from engrain.errors import MemorySecurityError as MemorySecurityError
    from engrain.errors import NotFound as NotFound
    from engrain.errors import ProviderError as ProviderError
    from engrain.errors import RecallCancelled as RecallCancelled
    from engrain.errors import RequestRepeated as RequestRepeated
    from engrain.errors import SchemaMismatch as SchemaMismatch
    from engrain.errors import ScopeMissing as ScopeMissing
    from engrain.errors import StoreCorrupt as StoreCorrupt
    from engrain.errors import StoreError as StoreError
    from engrain.errors import StoreUnavailable as StoreUnavailable
    from engrain.manager import MemoryManager as MemoryManager
    from engrain.model.audit import AuditHead as AuditHead
    from engrain.model.audit import AuditProof as AuditProof
    from engrain.model.audit import AuditReport as AuditReport
    from engrain.model.audit import ChainReport as ChainReport
    from engrain.model.audit import Forgotten as Forgotten
    from engrain.model.audit import Key as Key
    from engrain.model.audit import Receipt as Receipt
    from engrain.model.audit import Role as Role
    from engrain.model.entities import Entity as Entity
    from engrain.model.entities import Merge as Merge
    from engrain.model.entities import Reached as Reached
    from engrain.model.entities import Relationship as Relationship
    from engrain.model.entities import Step as Step
    from engrain.model.memory import AuditEntry as AuditEntry
    from engrain.model.memory import Fact as Fact
    from engrain.model.memory import Job as Job
    from engrain.model.memory import Kind as Kind
    from engrain.model.memory import Link as Link
    from engrain.model.memory import Memory as Memory
    from engrain.model.memory import MemoryEntry as MemoryEntry
    from engrain.model.memory import MemoryType as MemoryType
    from engrain.model.memory import Scope as Scope
    from engrain.model.memory import Source as Source
    from engrain.model.memory import SourceType as SourceType
    from engrain.model.memory import Status as Status
    from engrain.model.memory import Turn as Turn
    from engrain.model.procedure import Procedure as Procedure
    from engrain.model.procedure import ProcedureStep as ProcedureStep
    from engrain.model.results import Collection as Collection
    from engrain.model.results import Consolidation as Consolidation
    from engrain.model.results import Conversation as Conversation
    from engrain.model.results import Counts as Counts
    from engrain.model.results import Decision as Decision
    from engrain.model.results import ExactRecord as ExactRecord
    from engrain.model.results import Hit as Hit
    from engrain.model.results import Imported as Imported
    from engrain.model.results import Ingested as Ingested
    from engrain.model.results import Migrated as Migrated
    from engrain.model.results import Page as Page
    from engrain.model.results import Recall as Recall
    from engrain.model.results import Reindexed as Reindexed
    from engrain.model.results import Remembered as Remembered
    from engrain.model.results import ReviewItem as ReviewItem
    from engrain.model.results import SessionEnd as SessionEnd
    from engrain.model.results import Signal as Signal
    from engrain.model.results import Stage as Stage
    from engrain.model.results import Stats as Stats
    from engrain.model.results import Sweep as Sweep
    from engrain.model.results import Synced as Synced
    from engrain.model.results import Synthesis as Synthesis
    from engrain.model.results import WhyNot as WhyNot
    from engrain.policies.retention import RetentionPolicy as RetentionPolicy
    from engrain.policies.scoring import fuse_convex as fuse_convex
    from engrain.policies.scoring import fuse_rrf as fuse_rrf
    from engrain.policies.scoring import fuse_weighted as fuse_weighted

try:
    from engrain._version import version as _built  # type: ignore[import-not-found, unused-ignore]
except ImportError:  # a tree that was never built
    _built = "1.0.0.dev0"
__version__: str = _built


# A program waits only for the parts it uses: most of these load much of the package.
_MODULES = {
    "engrain.aio": "AsyncMemoryManager get_async_memory_manager get_memory_manager",
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
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = tuple(sorted(_LATER))


def __getattr__(name: str) -> _typing.Any:
    """Load a name at its first use."""
    if name not in _LATER:
        raise AttributeError(f"module 'engrain' has no attribute {name!r}")
    value = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
