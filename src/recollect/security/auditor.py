"""Whether memories are as they were written, by what they carry themselves: no store and no trail is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.models import Memory
from recollect.proofs import AuditReport
from recollect.signatures import PublicKey, public_keys


class MemoryAuditor:
    """Compares memories, from wherever they come, with the hashes and signatures they carry.

    Signatures count where a public key is given; a text that was changed together with its hash passes without one.
    `MemoryManager.audit_integrity` compares with the audit trail too.
    """

    def __init__(self, memories: Iterable[Memory], *, public_key: PublicKey | Iterable[PublicKey] = ()) -> None:
        self._memories = memories
        self._keys = public_keys(public_key)

    def audit(self) -> AuditReport:
        """Look at every memory; one without a hash, or a signature where keys are given, says nothing of its origin."""
        total, tampered, missing = 0, list[str](), list[str]()
        for memory in self._memories:
            total += 1
            if not memory.source.content_hash or (self._keys and memory.source.signature is None):
                missing.append(memory.id)
            elif not is_as_written(memory, self._keys):
                tampered.append(memory.id)
        return report(total, tampered, missing)


def report(total: int, tampered: Sequence[str], missing: Sequence[str]) -> AuditReport:
    """Return a report with the share that is in order."""
    whole = 1.0 if total == 0 else (total - len(tampered) - len(missing)) / total
    return AuditReport(total, tuple(tampered), tuple(missing), whole)


def is_as_written(memory: Memory, keys: Sequence[str]) -> bool:
    """Say whether a text is the one that was hashed and, where it is signed and a key is known, signed."""
    if not memory.source.verify(memory.content):
        return False
    if memory.source.signature is None or not keys:
        return True
    return any(memory.verify_signature(key) for key in keys)
