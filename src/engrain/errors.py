"""Every error Engrain raises, in one tree.

EngrainError
├── MemoryRejected            a write is refused, nothing stored
│   ├── GovernanceViolation   also a ValueError: not a string, blank, over the limit
│   └── MemorySecurityError   refused by a security policy
├── NotFound                  also a KeyError: no such memory or entity in this scope
├── Conflict                  the memory changed since you read it
├── RequestRepeated           a request that was sent before is not carried out again
├── ScopeMissing              also a ValueError: the view has no user or session, and it takes one
├── AccessDenied              the server's key is unknown, or may not do this
├── ConfigError               a setting, key or value that Engrain does not know
├── ProviderError             an embedder, model or other provider failed
├── RecallCancelled           a recall whose outcome is no longer awaited
├── AuditBroken               the audit chain does not verify
└── StoreError
    ├── StoreUnavailable      locked, read-only, full, missing: try again or free it
    ├── SchemaMismatch        written by a newer Engrain
    └── StoreCorrupt          damaged, or not an Engrain store at all

Wrong argument types and ranges are plain `TypeError` and `ValueError`, raised before anything is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final


class EngrainError(Exception):
    """The root of every error that Engrain raises on purpose."""


class MemoryRejected(EngrainError):
    """A write was refused and nothing was stored; `reasons` says why."""

    def __init__(self, message: str, *, reasons: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.reasons: tuple[str, ...] = tuple(reasons) or (message,)


class GovernanceViolation(MemoryRejected, ValueError):
    """The content cannot be a memory: not a string, blank, undecodable or over the size limit."""


class MemorySecurityError(MemoryRejected):
    """A security policy refused the write; `code` names the policy and `source_id` the writer.

    `retry_after` is the number of seconds after which the same write is worth another try, None when it never is.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        reasons: Sequence[str] = (),
        source_id: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, reasons=reasons)
        self.code = code
        self.source_id = source_id
        self.retry_after = retry_after


class NotFound(EngrainError, KeyError):
    """No memory, or entity, of that name is in scope (one of another scope and an unknown one look the same)."""

    def __init__(self, memory_id: str, *, what: str = "memory") -> None:
        called = "id" if what in ("memory", "job", "receipt") else "name"
        super().__init__(
            f"no {what} {memory_id!r} in this scope: check the {called}, and the org, user and agent of the view"
        )
        self.memory_id = memory_id

    def __str__(self) -> str:
        return str(self.args[0])


class Conflict(EngrainError):
    """The memory is at another version than the caller expected; read it again and retry."""

    def __init__(self, memory_id: str, *, expected: int, found: int) -> None:
        super().__init__(
            f"{memory_id} is at version {found}, not {expected}: read it again and repeat the edit on what you find"
        )
        self.memory_id = memory_id
        self.expected = expected
        self.found = found


class RequestRepeated(EngrainError):
    """A request under a name that was used before is not carried out; `code` says why.

    `OTHER_REQUEST`: the key belongs to another request. `IN_FLIGHT`: it is being carried out, by this process or
    another; `retry_after` says in how many seconds to ask again. `DONE`: it was carried out, or begun, and its answer
    is not held; `changed` are the ids of what it changed, as far as the audit trail knows.
    """

    def __init__(
        self, message: str, *, code: str, changed: Sequence[str] = (), retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.changed: Final = tuple(changed)
        self.retry_after = retry_after


class ScopeMissing(EngrainError, ValueError):
    """No user where `settings.require_user` is on, or no session for working memory: open the view with one."""


class AccessDenied(EngrainError):
    """A server's key does not allow it: `role` is the role that would, "" where none does, None for an unknown key."""

    def __init__(self, message: str, *, role: str | None = "") -> None:
        super().__init__(message)
        self.role = role


class ConfigError(EngrainError):
    """A setting is unknown, unused or has a value it cannot have; the message names it and where it came from."""


class ProviderError(EngrainError):
    """An embedder or another provider failed; the memory itself is never lost to it.

    `transient` says that the same call may succeed later, `retry_after` after how many seconds, where the provider
    said so. One that is `unsure` may have worked, and charged for it, all the same; one that `timed_out` is.
    """

    def __init__(
        self,
        message: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        timed_out: bool = False,
        unsure: bool = False,
    ) -> None:
        super().__init__(message)
        self.transient = transient
        self.retry_after = retry_after
        self.timed_out = timed_out
        self.unsure: bool = unsure or timed_out


class RecallCancelled(EngrainError):
    """A recall was cancelled, by the check of `engrain.guard.cancellable`."""


class AuditBroken(EngrainError):
    """The audit chain does not verify; `seq` is the first entry that fails. `ChainReport.require` raises it."""

    def __init__(self, message: str, *, org: str, seq: int) -> None:
        super().__init__(message)
        self.org = org
        self.seq = seq


class StoreError(EngrainError):
    """The store could not do what was asked; nothing acknowledged is lost. `path` says which store."""

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(message)
        self.path = path


class StoreUnavailable(StoreError):
    """The store is locked, read-only, full, closed or cannot be reached."""


class SchemaMismatch(StoreError):
    """The store was written by a newer Engrain; `found` and `supported` are the schema versions."""

    def __init__(self, message: str, *, path: str, found: int, supported: int) -> None:
        super().__init__(message, path=path)
        self.found = found
        self.supported = supported


class StoreCorrupt(StoreError):
    """The file is damaged or is not an Engrain store; it was left as it was."""
