"""Conversion between mem0's formats and a memory's: configurations, messages, filters, results and histories."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import md5
from typing import Any

from engrain.chat.formats import turns_of
from engrain.chat.logs import role_named
from engrain.manager import MemoryManager
from engrain.model.memory import Memory, Status
from engrain.model.results import Remembered

IDS = {"user_id": "user", "agent_id": "agent", "run_id": "session"}
"""mem0's names for the parts of a scope, and ours."""
OWN = (*IDS, "actor_id")
"""Names that are mem0's own, and no metadata of the caller's."""
_PROMOTED = (*OWN, "role", "expiration_date")
_SECTIONS = {"vector_store", "llm", "embedder", "graph_store", "reranker", "history_db_path", "version"}
_SECTIONS |= {"custom_instructions", "custom_fact_extraction_prompt", "custom_update_memory_prompt"}


def store_of(config: Mapping[str, Any]) -> str | None:
    """Return the file or URL of a configuration; options that only mem0 has are named in a warning."""
    if unknown := sorted({*config} - _SECTIONS - {"store"}):
        raise ValueError(f"from_config knows no {unknown[0]!r}: use {', '.join(sorted((*_SECTIONS, 'store')))}")
    if ignored := sorted({*config} & _SECTIONS):
        warnings.warn(f"not used, MemoryManager's own settings hold: {', '.join(ignored)}", stacklevel=3)
    return config.get("store")


def items_of(
    messages: Any,
    owners: Mapping[str, str],
    metadata: Mapping[str, Any],
    timestamp: float | str | datetime | None,
    expiration_date: date | str | None,
) -> list[dict[str, Any]]:
    """Return messages as items of `remember_many`, without the system's texts and tool calls without words."""
    kept = {name: value for name, value in metadata.items() if name not in OWN}
    kept |= owners
    if expiration_date is not None:
        kept["expiration_date"] = day_of(expiration_date)
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


def owners_of(ids: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that are given, as texts; a blank one is a `ValueError`."""
    given = {name: str(value).strip() for name, value in ids.items() if value is not None}
    if blank := [name for name, value in given.items() if not value]:
        raise ValueError(f"{blank[0]} is blank: leave it out, or give one")
    return given


def asked_of(
    memory: MemoryManager, call: str, filters: Mapping[str, Any] | None, ids: Mapping[str, Any], show_expired: bool
) -> tuple[MemoryManager, dict[str, Any], str | None]:
    """Return the view, the conditions and the session that a search or a listing asks for."""
    if unknown := [name for name in ids if name not in (*IDS, "limit")]:
        raise TypeError(f"{call}() got an unexpected keyword argument {unknown[0]!r}")
    if any(name in ids for name in IDS):
        text = f"mem0 2 takes no user_id, agent_id or run_id in {call}(): name them in filters"
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    conditions = dict(filters or {})
    lifted = {name: value for each in _listed(conditions.get("AND", ())) for name, value in each.items()}
    asked = {name: value for name, value in {**lifted, **conditions, **ids}.items() if name in IDS}
    owners = owners_of({n: v for n, v in asked.items() if not isinstance(v, Mapping) and v != "*"})
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


def events_of(view: MemoryManager, outcome: Remembered) -> Iterator[dict[str, Any]]:
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


def result_of(memory: Memory, **score: float) -> dict[str, Any]:
    """Return a memory in mem0's words."""
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


def entries_of(versions: Iterable[Memory]) -> Iterator[dict[str, Any]]:
    """Yield the events of a memory, in mem0's words, from its versions, the oldest first."""
    before: str | None = None
    for version in versions:
        yield _entry(version, "ADD" if before is None else "UPDATE", before, version.content)
        before = version.content
        if version.status is Status.FORGOTTEN:
            yield _entry(version, "DELETE", before, None)


def _entry(memory: Memory, event: str, old: str | None, new: str | None) -> dict[str, Any]:
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


def day_of(value: date | str) -> str:
    """Return the day on which a memory expires."""
    if isinstance(value, datetime):
        return value.date().isoformat()
    try:
        return (value if isinstance(value, date) else date.fromisoformat(value)).isoformat()
    except (TypeError, ValueError):
        raise ValueError(f"expiration_date is a day such as 2027-05-31, not {value!r}") from None


def count_of(top_k: Any) -> int:
    """Return how many are asked for, checked."""
    if not isinstance(top_k, int) or isinstance(top_k, bool) or top_k < 0:
        raise ValueError(f"top_k is a whole number from 0 on, not {top_k!r}")
    return top_k
