"""mem0's calls over a memory: `Memory` and `AsyncMemory`, with `user_id=` or with `filters=`. It needs no mem0."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from datetime import date, datetime
from itertools import chain, islice
from typing import Any, Final, Self
from uuid import uuid4

from engrain.errors import NotFound
from engrain.integrations import mem0_format
from engrain.integrations.opening import AsyncOpened, Opened, awaited
from engrain.integrations.opening import Memory as AnyMemory
from engrain.manager import MemoryManager

_UNSET: Any = object()


class Memory(Opened):
    """mem0's `Memory`. Without a model every message is kept as it is; with one the facts in messages are.

    `user_id`, `agent_id` and `run_id` are the user, agent and session of memories; a manager that is bound to a user
    serves no other. What mem0 raises as `ValueError` is one here; what fails in the memory is an `EngrainError`.

    Args:
        memory: A memory, or the store for `MemoryManager` to open. None means the default data file.
    """

    def __init__(self, memory: AnyMemory | None = None) -> None:
        super().__init__(memory)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Open a memory by a configuration of mem0's: `store` is the file or URL; providers are named and ignored."""
        return cls(mem0_format.store_of(config))

    def add(
        self,
        messages: Any,
        *,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: float | str | datetime | None = None,
        expiration_date: date | str | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Keep a text or messages, those of the system apart.

        With `infer` they are compared with what is known: events are ADD, UPDATE, DELETE and NONE. Without it each is
        kept word for word, the same text twice as two. What looks like an attack is kept for review and is a NONE.
        """
        if memory_type not in (None, "procedural_memory"):
            raise ValueError(f"memory_type is procedural_memory or left out, not {memory_type!r}")
        if prompt is not None:
            warnings.warn("prompt is not used: a model's prompts are those of engrain", stacklevel=2)
        owners = mem0_format.owners_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not owners:
            raise ValueError("add needs at least one of user_id, agent_id, run_id")
        items = mem0_format.items_of(messages, owners, metadata or {}, timestamp, expiration_date)
        view = self.memory.scoped(**{mem0_format.IDS[name]: value for name, value in owners.items()})
        if not infer:
            outcomes = view.remember_many([{**each, "key": f"mem0:{uuid4()}"} for each in items], resolve="off")
        else:
            through_server = not isinstance(view, MemoryManager)  # which does not say whether it has a model
            evolve: dict[str, Any] = {} if through_server or view.llm is None else {"evolve": True}
            outcomes = [view.remember(**each, **evolve) for each in items]
        events = (mem0_format.events_of(view, each) for one in outcomes for each in (one, *one.others))
        return {"results": [*chain.from_iterable(events)]}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        **ids: Any,
    ) -> dict[str, Any]:
        """Find the memories that answer a question, best first; a score is the relevance, 0 to 1."""
        if not str(query).strip():
            raise ValueError("query is empty: ask something")
        view, where, session = mem0_format.asked_of(self.memory, "search", filters, ids, show_expired)
        hits = view.recall(
            query,
            k=mem0_format.count_of(ids.get("limit", top_k)),
            where=where,
            session=session,
            min_score=threshold,
            now=reference_date,
            rerank=None if rerank else False,
            include_links=False,
        )
        found = [mem0_format.result_of(hit.memory, score=hit.relevance) for hit in hits]
        if explain:
            for item, hit in zip(found, hits, strict=True):
                item["score_details"] = {signal.name: signal.value for signal in hit.signals}
        return {"results": found}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory, None for an unknown one."""
        found = self.memory.get(memory_id)
        return None if found is None else mem0_format.result_of(found)

    def get_all(
        self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, show_expired: bool = False, **ids: Any
    ) -> dict[str, Any]:
        """List memories, the newest first."""
        view, where, session = mem0_format.asked_of(self.memory, "get_all", filters, ids, show_expired)
        found = islice(view.iter_memories(where=where, session=session), mem0_format.count_of(ids.get("limit", top_k)))
        return {"results": [*map(mem0_format.result_of, found)]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: date | str | None = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Edit a text, add to its metadata, set or clear its last day; `history` keeps the former state."""
        text = data if text is None else text
        changes: dict[str, Any] = {} if text is None else {"content": text}
        if metadata is not None:
            changes["metadata"] = {name: value for name, value in metadata.items() if name not in mem0_format.OWN}
        if expiration_date is not _UNSET:
            day = None if expiration_date is None else mem0_format.day_of(expiration_date)
            changes["metadata"] = {**changes.get("metadata", {}), "expiration_date": day}
        if not changes:
            raise ValueError("update needs a text, metadata or an expiration_date")
        try:
            self.memory.update(memory_id, **changes)
        except NotFound:
            raise ValueError(f"there is no memory {memory_id}") from None
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Hide a memory; `history` still knows it."""
        if not self.memory.forget(memory_id).count:
            raise ValueError(f"there is no memory {memory_id}")
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> dict[str, str]:
        """Erase all of a user, an agent or a run for good: memories with their history, conversations and records."""
        owners = mem0_format.owners_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not owners:
            raise ValueError("delete_all needs at least one of user_id, agent_id, run_id; reset() erases everything")
        wanted: dict[str, Any] = {mem0_format.IDS[name]: value for name, value in owners.items()}
        self.memory.forget_all(**wanted, hard=True)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the events of a memory, oldest first: ADD, UPDATE and DELETE, with the texts before and after."""
        return [*mem0_format.entries_of(self.memory.history(memory_id))]

    def reset(self) -> dict[str, str]:
        """Erase everything in the view of the memory for good."""
        scope = self.memory.scope
        given = {name: getattr(scope, name) for name in mem0_format.IDS.values()}
        bound: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        self.memory.forget_all(**bound or {"org": scope.org}, hard=True)
        return {"message": "All memories reset"}


class AsyncMemory(AsyncOpened):
    """mem0's `AsyncMemory`: the calls of `Memory` as coroutines, each in a thread.

    Args:
        memory: A memory, or the store for `MemoryManager` to open. None means the default data file.
    """

    def __init__(self, memory: AnyMemory | None = None) -> None:
        self.sync: Memory = Memory(memory)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Open a memory by a configuration of mem0's, as `Memory.from_config` does."""
        return cls(mem0_format.store_of(config))

    add: Final = awaited(Memory.add)
    search: Final = awaited(Memory.search)
    get: Final = awaited(Memory.get)
    get_all: Final = awaited(Memory.get_all)
    update: Final = awaited(Memory.update)
    delete: Final = awaited(Memory.delete)
    delete_all: Final = awaited(Memory.delete_all)
    history: Final = awaited(Memory.history)
    reset: Final = awaited(Memory.reset)
