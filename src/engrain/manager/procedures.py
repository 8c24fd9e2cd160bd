"""Procedures at the front door: stored, found, shown, rated by how they go, and mined from what was done before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from engrain.errors import NotFound
from engrain.lazy import Later
from engrain.manager.editing import Editing
from engrain.model.memory import Kind, Memory
from engrain.model.procedure import Procedure
from engrain.model.results import Hit
from engrain.model.scope import identifier, is_whole
from engrain.validation import checked_bool, checked_budget, checked_share

if TYPE_CHECKING:
    from engrain.lifecycle import mining as proposing
    from engrain.lifecycle import procedures as finding
    from engrain.lifecycle import procedures as keeping
    from engrain.lifecycle import procedures as outcomes
    from engrain.lifecycle import procedures as rendering
else:
    finding, keeping, outcomes, proposing, rendering = [
        Later("engrain.lifecycle.procedures"),
        Later("engrain.lifecycle.procedures"),
        Later("engrain.lifecycle.procedures"),
        Later("engrain.lifecycle.mining"),
        Later("engrain.lifecycle.procedures"),
    ]

_RENDERED = 5
_FEWEST = 20


class Procedures:
    """What the view knows of how things are done: `m.procedures`.

    Each procedure is a memory of kind `procedural`, found by `recall` too; its `procedure` holds the steps.
    """

    def __init__(self, view: Practising) -> None:
        self._view = view

    def store(self, procedure: Procedure | Mapping[str, Any]) -> Memory:
        """Keep a procedure and return its memory, whose text says all that the procedure does.

        It may be a mapping of its fields. One of the same name in this scope is edited: what it said stays in
        `history`, and its outcomes are kept. One that waits for a verdict goes on waiting. Raises `TypeError`,
        `ValueError` or `MemoryRejected` for what cannot be kept; then nothing is stored.
        """
        memory = keeping.store(self._view._engine, self._view._scope, procedure)
        self._view._queued()
        return self._view._accesses.shown(memory)

    def get(self, memory_id: str) -> Memory | None:
        """Return a procedure by its id; None when it is unknown, foreign, forgotten or no procedure."""
        memory = self._view.get(memory_id)
        return memory if memory is not None and memory.kind is Kind.PROCEDURAL else None

    def delete(self, memory_id: str) -> bool:
        """Forget a procedure; False when there is none of that id. `reinstate` brings it back."""
        return self.get(memory_id) is not None and self._view.forget(memory_id).count > 0

    def find(self, task: str, *, k: int = 5) -> list[Hit]:
        """Return the procedures for a task, best first: by words, meaning and trigger conditions, as they went before.

        Of equally good ones the validated and the more confident come first, demoted ones sink; what waits for a
        verdict is not found.
        """
        return self._found(task, k)[0]

    def render(self, task: str, *, token_budget: int = 1000) -> str:
        """Return the procedures for a task as numbered steps for a prompt, within a budget in tokens.

        Whole procedures come before the first steps of one, and what is left out is said. "" when nothing answers the
        task, or not even one step fits.
        """
        checked_budget(token_budget)
        hits, abstained = self._found(task, _RENDERED)
        least = self._view.settings.abstain_below
        memories = [] if abstained else [hit.memory for hit in hits if hit.relevance >= least or not task.strip()]
        return rendering.render(memories, self._view._engine.tokenizer, token_budget)

    def record_outcome(self, memory_id: str, *, success: bool) -> bool:
        """Count how a procedure went; False, and nothing happens, when there is none of that id.

        Its confidence becomes (successes + 1) / (uses + 2), the mean of a Beta posterior over a uniform prior. After
        three successes at .6 or more it is `validated`; after five uses it is `demoted` under .4 and archived under .2,
        with an entry in the audit trail. One that waits for a verdict goes on waiting.
        """
        went = checked_bool(success, "success")
        view = self._view
        return outcomes.record_outcome(view._engine, view._scope, identifier(memory_id, "memory_id"), success=went)

    def mine(self, *, min_support: int = 3, min_confidence: float = 0.7) -> list[Memory]:
        """Propose procedures from sequences of tool calls that recur and went well; return those that wait since now.

        `min_support` is in how many sessions, `min_confidence` the share of those that began it. They wait for
        `confirm` or `reject`, cite their episodes, and belong to the user whose sessions show them. The last 2,000
        sessions with calls and the first 200 calls of each are looked at; at most 50 are proposed.
        """
        if not is_whole(min_support) or min_support < 1:
            raise ValueError(f"min_support is {min_support!r}: it must be a whole number from 1")
        least = checked_share(min_confidence, "min_confidence")
        if least is None:
            raise TypeError("min_confidence must be a number from 0 to 1, not None")
        view = self._view
        found = proposing.mine(view._engine, view._scope, min_support=min_support, min_confidence=least)
        view._queued()
        return found

    def confirm(self, memory_id: str) -> Memory:
        """Admit a mined procedure, as `validate` does, and return it; raises `NotFound` for what is no procedure."""
        return self._settled(memory_id, accept=True)

    def reject(self, memory_id: str) -> Memory:
        """Refuse a mined procedure, as the manager's `reject` does, and return it; it is forgotten.

        It is proposed again only when it has half as much support more. Raises `NotFound` for what is no procedure, and
        `ValueError` for one that does not wait.
        """
        return self._settled(memory_id, accept=False)

    def _settled(self, memory_id: str, *, accept: bool) -> Memory:
        if self.get(memory_id) is None:
            raise NotFound(memory_id)
        settled: Memory = self._view.validate(memory_id) if accept else self._view.reject(memory_id)
        return settled

    def _found(self, task: str, k: int) -> tuple[list[Hit], bool]:
        """Return the best procedures for a task, and whether none of them answers it."""
        wide = max(finding.WIDER * k, _FEWEST) if is_whole(k) and k > 0 else k
        recalled = self._view.recall(task, k=wide, kinds=(Kind.PROCEDURAL,), include_links=False, touch=False)
        best = finding.ranked(task, list(recalled), k)
        self._view._touched([hit.id for hit in best])
        return best, recalled.abstained


class Practising(Editing):
    """The methods about how things are done."""

    @property
    def procedures(self) -> Procedures:
        """What the view knows of how things are done."""
        return Procedures(self)

    def _touched(self, ids: list[str]) -> None:
        """Count an access of each, to be written later."""
        if ids and not self._engine.store.read_only:
            self._accesses.add(self._scope.org, ids, self._engine.clock.now())
            self._worker.wake()
