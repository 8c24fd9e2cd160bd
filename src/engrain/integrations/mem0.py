"""mem0's calls over a memory: `Memory` and `AsyncMemory`, with `user_id=` or with `filters=`. It needs no mem0."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import md5
from itertools import chain, islice
from typing import Any, Final, Self
from uuid import uuid4

from engrain.chat.formats import turns_of
from engrain.chat.logs import role_named
from engrain.errors import NotFound
from engrain.integrations.opening import Memory as AnyMemory
from engrain.integrations.opening import Opened, awaited
from engrain.manager import MemoryManager
from engrain.model.memory import Memory as Stored
from engrain.model.memory import Status
from engrain.model.results import Remembered
from engrain.validation import checked_metadata

_UNSET: Any = object()
IDS = {"user_id": "user", "agent_id": "agent", "run_id": "session"}  # mem0's names for the parts of a scope, and ours
_OWN = (*IDS, "actor_id")  # names that are mem0's own, and no metadata of the caller's
_PROMOTED = (*_OWN, "role", "expiration_date")
_SECTIONS = {"vector_store", "llm", "embedder", "graph_store", "reranker", "history_db_path", "version"}
_SECTIONS |= {"custom_instructions", "custom_fact_extraction_prompt", "custom_update_memory_prompt"}


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
        return cls(_store_of(config))

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
        owners = _owners_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not owners:
            raise ValueError("add needs at least one of user_id, agent_id, run_id")
        items = _items_of(messages, owners, checked_metadata(metadata), timestamp, expiration_date)
        view = self.memory.scoped(**{IDS[name]: value for name, value in owners.items()})
        if not infer:
            outcomes = view.remember_many([{**each, "key": f"mem0:{uuid4()}"} for each in items], resolve="off")
        else:
            through_server = not isinstance(view, MemoryManager)  # which does not say whether it has a model
            evolve: dict[str, Any] = {} if through_server or view.llm is None else {"evolve": True}
            outcomes = [view.remember(**each, **evolve) for each in items]
        events = (_events_of(view, each) for one in outcomes for each in (one, *one.others))
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
        view, where, session = _asked_of(self.memory, "search", filters, ids, show_expired)
        given: dict[str, Any] = {"where": where, "session": session, "min_score": threshold, "now": reference_date}
        k, reranked = _count_of(ids.get("limit", top_k)), None if rerank else False
        hits = view.recall(query, k=k, rerank=reranked, include_links=False, **given)
        found = [_result_of(hit.memory, score=hit.relevance) for hit in hits]
        if explain:
            for item, hit in zip(found, hits, strict=True):
                item["score_details"] = {signal.name: signal.value for signal in hit.signals}
        return {"results": found}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory, None for an unknown one."""
        found = self.memory.get(memory_id)
        return None if found is None else _result_of(found)

    def get_all(
        self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, show_expired: bool = False, **ids: Any
    ) -> dict[str, Any]:
        """List memories, the newest first."""
        view, where, session = _asked_of(self.memory, "get_all", filters, ids, show_expired)
        found = islice(view.iter_memories(where=where, session=session), _count_of(ids.get("limit", top_k)))
        return {"results": [*map(_result_of, found)]}

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
            changes["metadata"] = {n: value for n, value in checked_metadata(metadata).items() if n not in _OWN}
        if expiration_date is not _UNSET:
            day = None if expiration_date is None else _day_of(expiration_date)
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
        owners = _owners_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        if not owners:
            raise ValueError("delete_all needs at least one of user_id, agent_id, run_id; reset() erases everything")
        wanted: dict[str, Any] = {IDS[name]: value for name, value in owners.items()}
        self.memory.forget_all(**wanted, hard=True)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Return the events of a memory, oldest first: ADD, UPDATE and DELETE, with the texts before and after."""
        events: list[dict[str, Any]] = []
        before: str | None = None
        for version in self.memory.history(memory_id):
            events.append(_entry(version, "ADD" if before is None else "UPDATE", before, version.content))
            before = version.content
            if version.status is Status.FORGOTTEN:
                events.append(_entry(version, "DELETE", before, None))
        return events

    def reset(self) -> dict[str, str]:
        """Erase everything in the view of the memory for good."""
        scope = self.memory.scope
        given = {name: getattr(scope, name) for name in IDS.values()}
        bound: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        self.memory.forget_all(**bound or {"org": scope.org}, hard=True)
        return {"message": "All memories reset"}


class AsyncMemory(Opened):
    """mem0's `AsyncMemory`: the calls of `Memory` as coroutines, each in a thread.

    Args:
        memory: A memory, or the store for `MemoryManager` to open. None means the default data file.
    """

    def __init__(self, memory: AnyMemory | None = None) -> None:
        super().__init__(memory)
        self.sync: Memory = Memory(self.memory)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Open a memory by a configuration of mem0's, as `Memory.from_config` does."""
        return cls(_store_of(config))

    add: Final = awaited(Memory.add)
    search: Final = awaited(Memory.search)
    get: Final = awaited(Memory.get)
    get_all: Final = awaited(Memory.get_all)
    update: Final = awaited(Memory.update)
    delete: Final = awaited(Memory.delete)
    delete_all: Final = awaited(Memory.delete_all)
    history: Final = awaited(Memory.history)
    reset: Final = awaited(Memory.reset)


def _store_of(config: Mapping[str, Any]) -> str | None:
    """Return the file or URL of a configuration; options that only mem0 has are named in a warning."""
    if unknown := sorted({*config} - _SECTIONS - {"store"}):
        raise ValueError(f"from_config knows no {unknown[0]!r}: use {', '.join(sorted((*_SECTIONS, 'store')))}")
    if ignored := sorted({*config} & _SECTIONS):
        warnings.warn(f"not used, MemoryManager's own settings hold: {', '.join(ignored)}", stacklevel=3)
    return config.get("store")


def _items_of(
    messages: Any,
    owners: Mapping[str, str],
    metadata: Mapping[str, Any],
    timestamp: float | str | datetime | None,
    expiration_date: date | str | None,
) -> list[dict[str, Any]]:
    """Return messages as items of `remember_many`, without the system's texts and tool calls without words."""
    kept = {name: value for name, value in metadata.items() if name not in _OWN}
    kept |= owners
    if expiration_date is not None:
        kept["expiration_date"] = _day_of(expiration_date)
    at = datetime.fromtimestamp(timestamp, UTC) if isinstance(timestamp, int | float) else timestamp
    return [
        {
            "content": turn.content,
            "kind": "semantic",
            "source_type": role_named(turn.role)[1],
            "actor": turn.actor,
            "metadata": {**kept, "role": turn.role, **({} if turn.actor is None else {"actor_id": turn.actor})},
            "valid_from": at,
        }
        for turn in turns_of(messages)
        if turn.role != "system" and (turn.content or not turn.metadata.get("tool_calls"))
    ]


def _owners_of(ids: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that are given, as texts; a blank one is a `ValueError`."""
    given = {name: str(value).strip() for name, value in ids.items() if value is not None}
    if blank := [name for name, value in given.items() if not value]:
        raise ValueError(f"{blank[0]} is blank: leave it out, or give one")
    return given


def _asked_of(
    memory: MemoryManager, call: str, filters: Mapping[str, Any] | None, ids: Mapping[str, Any], show_expired: bool
) -> tuple[MemoryManager, dict[str, Any], str | None]:
    """Return the view, the conditions and the session that a search or a listing asks for."""
    if unknown := [name for name in ids if name not in (*IDS, "limit")]:
        raise TypeError(f"{call} has no argument {unknown[0]!r}: conditions on metadata are in filters")
    if not isinstance(filters or {}, Mapping):
        raise TypeError(f"filters is a mapping such as {{'user_id': 'ana'}}, not {filters!r:.100}")
    if any(name in ids for name in IDS):
        text = f"mem0 2 takes no user_id, agent_id or run_id in {call}(): name them in filters"
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    conditions = dict(filters or {})
    lifted = {name: value for each in _listed(conditions.get("AND", ())) for name, value in each.items()}
    asked = {name: value for name, value in {**lifted, **conditions, **ids}.items() if name in IDS}
    owners = _owners_of({n: v for n, v in asked.items() if not isinstance(v, Mapping) and v != "*"})
    if not any(value is not None for value in asked.values()):
        raise ValueError(f"{call} needs at least one of user_id, agent_id, run_id in filters")
    view = memory.scoped(**{IDS[name]: value for name, value in owners.items() if name != "run_id"})
    own = {"agent_id": owners["agent_id"]} if "agent_id" in owners else {}  # its user's common ones are another's
    terms = [*_terms(view, {n: v for n, v in conditions.items() if n not in owners} | own)]
    if not show_expired:
        today = datetime.now(UTC).date().isoformat()
        terms.append({"or": [{"expiration_date": {"exists": False}}, {"expiration_date": {"gte": today}}]})
    return view, {"and": terms} if terms else {}, owners.get("run_id")


def _listed(parts: Any) -> Sequence[Mapping[str, Any]]:
    found = [parts] if isinstance(parts, Mapping) else parts
    if not isinstance(found, list | tuple) or not all(isinstance(each, Mapping) for each in found):
        raise ValueError("AND, OR and NOT take a list of filters")
    return found


def _terms(view: MemoryManager, filters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield mem0's filters as conditions on metadata."""
    for name, value in filters.items():
        if name in ("AND", "OR", "NOT"):
            parts = [{"and": [*_terms(view, each)]} for each in _listed(value)]
            yield {"not": {"or": parts}} if name == "NOT" else {name.lower(): parts}
        elif isinstance(value, Mapping):
            for operator, operand in value.items():
                if operator == "icontains":
                    operator, operand = "in", _holding(view, name, operand)
                yield {name: {operator: operand}}
        elif isinstance(value, list | tuple):
            yield {name: {"in": value}}
        else:
            yield {name: {"exists": True} if value == "*" else value}


def _holding(view: MemoryManager, name: str, part: object) -> list[str]:
    """Return the values of a field that contain a text in any case, at most the 500 that a condition may list."""
    found = (memory.metadata[name] for memory in view.iter_memories(where={name: {"exists": True}}))
    return sorted({value for value in found if isinstance(value, str) and str(part).casefold() in value.casefold()})


def _events_of(view: MemoryManager, outcome: Remembered) -> Iterator[dict[str, Any]]:
    """Yield the outcome of a write, in mem0's words."""
    memory, status = outcome
    event = {"id": memory.id, "memory": memory.content, "role": memory.metadata.get("role"), "actor_id": memory.actor}
    older = [found for each in memory.supersedes if (found := view.get(each)) is not None]
    if status == "updated":
        yield {**event, "event": "UPDATE", **({"previous_memory": older[-1].content} if older else {})}
    elif status in ("noop", "quarantined"):
        yield {**event, "event": "NONE", "reason": outcome.decision.reason}
    else:
        if status == "corrected":
            yield from ({"id": each.id, "memory": each.content, "event": "DELETE"} for each in older)
        yield {**event, "event": "ADD"}


def _result_of(memory: Stored, **score: float) -> dict[str, Any]:
    about = {name: value for name in IDS if (value := getattr(memory.scope, IDS[name])) is not None}
    about |= {name: memory.metadata[name] for name in _PROMOTED if name in memory.metadata}
    return {
        "id": memory.id,
        "memory": memory.content,
        "hash": md5(memory.content.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {name: value for name, value in memory.metadata.items() if name not in _PROMOTED} or None,
        "created_at": min(memory.valid_from, memory.recorded_at).isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        **about,
        **score,
    }


def _entry(memory: Stored, event: str, old: str | None, new: str | None) -> dict[str, Any]:
    return {
        "id": f"{memory.id}:{memory.version}:{event}",
        "memory_id": memory.id,
        "old_memory": old,
        "new_memory": new,
        "event": event,
        "created_at": memory.recorded_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
        "actor_id": memory.metadata.get("actor_id"),
        "role": memory.metadata.get("role"),
        "is_deleted": event == "DELETE",
    }


def _day_of(value: date | str) -> str:
    if isinstance(value, datetime):
        return value.date().isoformat()
    try:
        return (value if isinstance(value, date) else date.fromisoformat(value)).isoformat()
    except (TypeError, ValueError):
        raise ValueError(f"expiration_date is a day such as 2027-05-31, not {value!r}") from None


def _count_of(top_k: Any) -> int:
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 0:
        raise ValueError(f"top_k is a whole number from 0 on, not {top_k!r}")
    return top_k
