"""Changing what is kept: edits, successors, links, verdicts, forgetting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from engrain.guard import tell
from engrain.manager.forgetting import Forgetting
from engrain.model.entities import Entity
from engrain.model.memory import Fact, Memory, Source
from engrain.model.results import Remembered
from engrain.model.scope import identifier
from engrain.policies.garbage import entry_of
from engrain.read.entities import Sight
from engrain.read.history import shown, standpoint
from engrain.read.request import select
from engrain.security.admission import counted
from engrain.security.trust import classify
from engrain.validation import Lifetime, When, checked_bool, checked_reason, checked_tier
from engrain.write import edits as edit
from engrain.write import edits as links
from engrain.write import supersede as replacing
from engrain.write import verdicts
from engrain.write.edits import UNSET, Asked, Unset
from engrain.write.graph_edits import is_merge, settle
from engrain.write.transitions import tell_consolidated

_Settled = Annotated[Memory | Any, Memory | Entity]
"""What a verdict was about. It is nearly always a memory, so a type checker lets it be used as one."""


class Editing(Forgetting):
    """The methods that change what is kept."""

    def update(
        self,
        memory_id: str,
        *,
        content: str | Unset = UNSET,
        fact: Fact | tuple[str, str, str] | Unset | None = UNSET,
        importance: float | Unset = UNSET,
        confidence: float | Unset = UNSET,
        tags: Iterable[str] | Unset | None = UNSET,
        metadata: Mapping[str, Any] | Unset | None = UNSET,
        domain: str | Unset = UNSET,
        tier: str | Unset = UNSET,
        valid_from: When | Unset = UNSET,
        valid_until: When | Unset | None = UNSET,
        ttl: Lifetime | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        source_type: str | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Edit a memory that was written wrongly, and return it as it is now; what it said before stays in `history`.

        An argument left out is unchanged, None clears where a memory may lack the value. `metadata` merges into what
        is there; a None value removes its key. Raises `NotFound`, `Conflict` when `expected_version` is not its
        version, `MemoryRejected` for a text that looks like an attack, and `ValueError` when the text is that of
        another live memory. With a `source_type` trusted less than the memory, the change is stored beside it as a
        contested memory, and that is returned; without one the application itself makes it.
        """
        left = ("self", "memory_id", "source_type", "reason", "expected_version", "left")
        changes = {n: v for n, v in locals().items() if n not in left and v is not UNSET}
        identifier(memory_id, "memory_id")
        kind, origin = (None, "") if source_type is None else classify(source_type, self._engine.settings.origins)
        said = checked_reason(reason)

        def propose(wanted: Memory) -> Memory:
            assert kind is not None
            return replacing.propose(self._engine, self._scope, wanted, Source(kind, origin), reason=said)

        asked = Asked(said, expected_version, kind, propose)
        before = self.get(memory_id) if self._engine.callbacks else None
        memory = edit.update(self._engine, self._scope, memory_id, changes, asked)
        self._queued()
        if before is not None and memory != before:
            tell(self._engine.callbacks, "on_consolidation", "update", entry_of(memory), entry_of(before))
        return self._accesses.shown(memory)

    def supersede(self, /, old_id: str, content: str, *, reason: str | None = None, **fields: Any) -> Remembered:
        """Keep a text that takes the place of a memory from its own beginning on: the world changed.

        `fields` are arguments of `remember`; kind and domain default to those of the old one. With a `source_type`
        trusted less than the old one it waits beside it (`pending`); without one the application itself says so.
        Raises `NotFound`, and `ValueError` naming the live head when the memory has been superseded already.
        """
        sync = checked_bool(fields.pop("sync", False), "sync")
        identifier(old_id, "old_id")
        counted(self._engine, self._scope.org, fields.get("source_id"))
        outcome = replacing.supersede(
            self._engine, self._scope, old_id, content, reason=checked_reason(reason), fields=fields
        )
        self._queued([outcome], sync=sync)
        if self._engine.callbacks:
            tell_consolidated(self._engine.callbacks, [outcome], self.get)
        return outcome

    def mark_superseded(self, old_id: str, new_id: str) -> bool:
        """Let one memory take the place of another, both known; False when either is unknown.

        Raises `ValueError` when the old one has been superseded already (it names the live head), when the new one is
        not active or not at the head of its chain, and when that would make a circle.
        """
        identifier(old_id, "old_id")
        return replacing.mark_superseded(self._engine, self._scope, old_id, identifier(new_id, "new_id"))

    mark_note_superseded = mark_superseded

    def link(self, from_id: str, to_id: str, relation: str = "related") -> bool:
        """Draw a link: related, derived_from, causes, contradicts or supports; False when it is there already.

        `related` and `contradicts` show on both ends. What derives from a memory is trusted no more than it. Raises
        `NotFound`, and `ValueError` for another relation or a link from a memory to itself.
        """
        return links.link(
            self._engine, self._scope, identifier(from_id, "from_id"), identifier(to_id, "to_id"), relation
        )

    def unlink(self, from_id: str, to_id: str, relation: str = "related") -> bool:
        """Take a link away; False when there is none. Provenance stays: `derived_from` is a `ValueError`."""
        one, other = identifier(from_id, "from_id"), identifier(to_id, "to_id")
        return links.unlink(self._engine, self._scope, one, other, relation)

    def validate(
        self, memory_id: str, *, tier: str | None = None, reason: str | None = None, force: bool = False
    ) -> _Settled:
        """Admit a quarantined memory, or let a contested one close what it contradicts; return it as it is now.

        The id of a proposed merge carries that out, and returns the entity kept.

        An admitted memory meets the others as if it were written now. A text that looks like an attack needs
        `force=True` and a `reason`, else it is a `MemorySecurityError`. `tier` raises or lowers the epistemic tier;
        for a memory that does not wait nothing else happens. Raises `NotFound`.
        """
        verdict = self._verdict(reason, tier=tier, force=force)
        if is_merge(identifier(memory_id, "memory_id")):
            return self._settled(memory_id, verdict, accept=True)
        return verdicts.validate(self._engine, identifier(memory_id, "memory_id"), verdict)

    def reject(self, memory_id: str, *, reason: str | None = None) -> _Settled:
        """Refuse what waits: a quarantined memory is forgotten, a contested one or a successor archived.

        What a successor had closed is open again. The id of a proposed merge refuses that, and returns the entity that
        would have been kept. Raises `NotFound`, and `ValueError` for a memory that neither waits nor has taken
        another's place.
        """
        verdict = self._verdict(reason)
        if is_merge(identifier(memory_id, "memory_id")):
            return self._settled(memory_id, verdict, accept=False)
        return verdicts.reject(self._engine, identifier(memory_id, "memory_id"), verdict)

    def _settled(self, merge_id: str, verdict: verdicts.Verdict, *, accept: bool) -> Entity:
        """Settle a proposed merge, and return the entity kept."""
        row = settle(self._engine, self._scope, merge_id, accept=accept, reason=verdict.reason)
        at = standpoint(self._engine)
        return Sight(self._engine, select(self._scope, shown(at)), at).by_id(row.keep)

    def reinstate(self, memory_id: str, *, reason: str | None = None) -> Memory:
        """Bring back an archived, expired or forgotten memory, and return it.

        It comes back as it was: what had waited waits again. When its fact has another value by now, it is said anew: a
        new version takes that one's place, and is returned. Raises `NotFound`, and `ValueError` when another live
        memory says exactly this.
        """
        verdict = self._verdict(reason)
        back = verdicts.reinstate(self._engine, identifier(memory_id, "memory_id"), verdict)
        if back is None:
            back = replacing.said_again(self._engine, self._scope, memory_id)
        self._queued()
        return self._accesses.shown(back)

    def _verdict(self, reason: str | None, *, tier: str | None = None, force: bool = False) -> verdicts.Verdict:
        return verdicts.Verdict(
            self._scope,
            self._engine.clock.now(),
            checked_reason(reason),
            checked_tier(tier),
            checked_bool(force, "force"),
        )
