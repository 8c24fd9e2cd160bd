"""What was done, by whom, and whether anybody has touched it since."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engrain.lazy import Later
from engrain.manager.view import View
from engrain.model.audit import AuditHead, AuditReport, ChainReport
from engrain.model.memory import AuditEntry
from engrain.model.results import Page
from engrain.model.signatures import PublicKey
from engrain.read import listing as auditlog
from engrain.validation import When

if TYPE_CHECKING:
    from engrain.security import audit as integrity
    from engrain.security import audit as verifying
else:
    integrity, verifying = [Later("engrain.security.audit"), Later("engrain.security.audit")]


class Auditing(View):
    """The methods about the audit trail and what it proves."""

    @property
    def public_key(self) -> str | None:
        """The public half of the signing key in force, for whoever shall verify; None without a key."""
        signer = self._engine.signer
        return None if signer is None else signer.public_key

    def audit_log(
        self,
        *,
        memory_id: str | None = None,
        operation: str | None = None,
        actor: str | None = None,
        since: When | None = None,
        until: When | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[AuditEntry]:
        """Return a page of audit entries, newest first; pass its `next` as `cursor` for the one after.

        A view with a user or an agent is shown the entries of memories that it can name now. Those of erased
        memories, of conversations and of the graph are shown to the org's view alone. `since` is included, `until` not.
        """
        return auditlog.audit_log(
            self._engine,
            self._scope,
            memory_id=memory_id,
            operation=operation,
            actor=actor,
            since=since,
            until=until,
            limit=limit,
            cursor=cursor,
        )

    def verify_audit(
        self, *, head: AuditHead | None = None, public_key: PublicKey | Iterable[PublicKey] = ()
    ) -> ChainReport:
        """Walk this org's audit chain; an entry that was edited, removed, reordered or cut off is found.

        With a key (the one in force, or its public half) or a `head` that was kept elsewhere, a chain that was written
        anew is found too. `ok` without `anchored`: it fits together, and the report's notes say what nobody vouches
        for. Several public keys are those of a key and of the ones that it replaced.
        """
        return verifying.check(self._engine, self._scope.org, keys=public_key, head=head)

    def audit_head(self) -> AuditHead:
        """Return where this org's audit chain ends now, to be kept elsewhere; signed if a key vouches for all of it."""
        return verifying.exported(self._engine, self._scope.org)

    def sign_audit(self, *, replacing: PublicKey | Iterable[PublicKey] = ()) -> AuditHead:
        """Verify this org's audit chain and sign it as it stands, with entries that were written without the key.

        From then on each write signs. `replacing` is the public half of the key that signed so far, if that is another.
        Without a key it is a `ConfigError`, and `AuditBroken` when the chain does not verify.
        """
        return verifying.sign(self._engine, self._scope.org, replacing=replacing)

    def audit_integrity(self, *, public_key: PublicKey | Iterable[PublicKey] = ()) -> AuditReport:
        """Compare every memory of the view with its hash, its signature and the last entry of its audit trail.

        That shows what was changed in the file behind the trail's back; whether the trail itself is genuine says
        `verify_audit`. The org's view also names memories that have gone without having been erased.
        """
        return integrity.integrity(self._engine, self._scope, keys=public_key)
