"""Forgetting: out of sight, or gone to the last byte."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engrain.guard import tell
from engrain.lazy import Later
from engrain.manager.reading import Reading, named
from engrain.model.audit import COMPLETE, Forgotten, Receipt
from engrain.model.filters import AnyOf, Filter, Test, reachable
from engrain.model.memory import Status
from engrain.model.results import Page
from engrain.model.scope import identifier
from engrain.policies.garbage import entry_of
from engrain.read.listing import checked_limit
from engrain.storage.rows import Record
from engrain.validation import checked_bool, checked_reason
from engrain.write.edits import forget

if TYPE_CHECKING:
    from engrain.erasure import erase as erasing
    from engrain.erasure import erase as scopes
    from engrain.erasure import receipts
else:
    erasing, receipts, scopes = [
        Later("engrain.erasure.erase"),
        Later("engrain.erasure.receipts"),
        Later("engrain.erasure.erase"),
    ]


class Forgetting(Reading):
    """The methods that hide and erase."""

    def forget(
        self, memory_id: str | None = None, *, key: str | None = None, reason: str | None = None, hard: bool = False
    ) -> Forgotten:
        """Hide a memory, named by id or key, from every read; `history` and the audit trail still know it.

        Its text and key may be used again. An unknown or foreign one counts 0. A key names the memory that `get` shows.

        With `hard` every byte of it is erased, for good, whatever its status: with the turns that it came from and
        everything derived from it, but for another owner's equal text. The audit trail keeps its id. `receipt` says
        what was removed from where and whether a search of the files found anything left; it is `pending` while a
        reader still pins old bytes.
        """
        said, erases = checked_reason(reason), checked_bool(hard, "hard")
        where = self._meant(memory_id, key, forgotten_too=erases)
        if where is None:
            return Forgotten(0)
        before = self.get(memory_id) if self._engine.callbacks and memory_id is not None else None
        act = erasing.erase if erases else forget
        forgotten = act(self._engine, self._scope, where, reason=said)
        self._told(forgotten)
        if before is not None and forgotten.count:
            tell(self._engine.callbacks, "on_consolidation", "delete", None, entry_of(before))
        return forgotten

    def _meant(self, memory_id: str | None, key: str | None, *, forgotten_too: bool) -> Filter | None:
        """Return the filter of a memory by its name; those that were forgotten under a key bear it still."""
        where = reachable(self._scope).but(named(memory_id, key))
        if key is None:
            return where
        held = self.get(key=key)
        shown = () if held is None else ((Test("id", "eq", held.id),),)
        hidden = ((Test("status", "eq", Status.FORGOTTEN),),) if forgotten_too else ()
        return where.but(AnyOf((*shown, *hidden))) if shown or hidden else None

    def forget_all(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        org: str | None = None,
        where: Mapping[str, Any] | None = None,
        hard: bool = False,
        dry_run: bool = False,
        reason: str | None = None,
    ) -> Forgotten:
        """Hide, or with `hard` erase, all memories of a user, an agent, a session or the org, or that `where` passes.

        Several arguments narrow each other; at least one is needed, else it is a `ValueError`. What lies outside the
        view counts 0; `org` must be the view's own, from a view without user, agent and session. `agent` means what
        that agent remembered for itself. An erasure of a whole user, agent or session takes its conversations and what
        it stated of the graph too. `dry_run` counts and changes nothing.
        """
        names = {"user": user, "agent": agent, "session": session, "org": org}
        given = {name: identifier(value, name) for name, value in names.items() if value is not None}
        if not given and not where:  # a filter that came out empty would take everything
            raise ValueError("forget_all needs to be told whose: give user, agent, session, org or where")
        wanted = scopes.Wanted(self._scope, **given, where=where)
        memories, said = wanted.memories, checked_reason(reason)
        dry, erases = checked_bool(dry_run, "dry_run"), checked_bool(hard, "hard")
        if wanted.is_foreign:
            return Forgotten(0, dry_run=dry)
        if dry:
            if erases:
                return erasing.would_erase(self._engine, wanted)
            return self._would_forget(memories.but(Test("status", "ne", Status.FORGOTTEN)))
        if erases:
            forgotten = erasing.erase_all(self._engine, wanted, reason=said)
        else:
            forgotten = forget(self._engine, self._scope, memories, reason=said)
        self._told(forgotten)
        return forgotten

    def _would_forget(self, where: Filter) -> Forgotten:
        with self._engine.store.read(where.org) as reader:
            return Forgotten(reader.count(Record, where)[""], dry_run=True)

    def _told(self, forgotten: Forgotten) -> None:
        """Let the worker see to an erasure that could not be proven yet."""
        if forgotten.receipt is not None and forgotten.receipt.status != COMPLETE:
            self._worker.wake()

    def receipts(self, *, limit: int = 100, cursor: str | None = None) -> Page[Receipt]:
        """Return a page of the receipts of erasures made in this view, the oldest first."""
        if cursor is not None and not isinstance(cursor, str):
            raise TypeError(f"cursor is the `next` of a page, not a {type(cursor).__name__}")
        if cursor is not None and not cursor.startswith("rcp_"):
            raise ValueError("the cursor is not one of ours: pass `page.next` as it came")
        return receipts.listed(self._engine, self._scope, limit=checked_limit(limit), cursor=cursor)

    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return a receipt as it stands now; None for one that is unknown or of another view."""
        return receipts.by_id(self._engine, self._scope, identifier(receipt_id, "receipt_id"))
