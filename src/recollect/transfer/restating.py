"""The graph of an export, read back: every row checked as if it were stated by hand, then put where it belongs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect import checks
from recollect.engine import Engine
from recollect.entities import Named, relation_name
from recollect.errors import NotFound
from recollect.filters import Test, within
from recollect.graph.naming import pair
from recollect.graph.register import Register
from recollect.graphrows import (
    EVERYBODY,
    MERGED,
    PROPOSED,
    REFUSED,
    STATED,
    TOLD,
    UNDONE,
    EntityNote,
    MentionRow,
    MergeRow,
    RelationRow,
)
from recollect.models import Scope
from recollect.protocols import Record, Transaction
from recollect.scopes import identifier, scope_of
from recollect.security.audit import Trail, who
from recollect.text import check_text
from recollect.transfer.rows import utc

NEW, KNOWN, TAKEN = "new", "known", "taken"
"""What became of a row: it was put, it was here, or something else is in its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """A row of the graph, checked; what a kind of row does not have is None."""

    kind: str
    scope: Scope
    ends: tuple[Named, ...]
    memory_id: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def restated(org: str, row: Mapping[str, Any]) -> Restated:
    """Check a row; raises `ValueError`, `TypeError` or `KeyError` for what is no such row."""
    kind = row["type"]
    scope = scope_of(org, row["user"], row.get("agent"), None)
    names, more = _KINDS[kind]
    memory_id = row.get("memory_id")
    if memory_id is not None:
        identifier(memory_id, "memory_id")
    ends = tuple(pair(row[name], name) for name in names)
    return Restated(kind=kind, scope=scope, ends=ends, memory_id=memory_id, more=more(row))


def _of_entity(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": dict(checks.checked_metadata(row["metadata"]))}


def _of_mention(row: Mapping[str, Any]) -> dict[str, Any]:
    identifier(row["memory_id"], "memory_id")
    return {"origin": _one_of(row, "origin", (STATED, TOLD)), "pairs": checks.checked_bool(row["pairs"], "pairs")}


def _of_relation(row: Mapping[str, Any]) -> dict[str, Any]:
    weight = checks.checked_share(row["weight"], "weight")
    relation = relation_name(identifier(row["relation"], "relation"))
    since, until = (_time(row, name) for name in ("valid_from", "valid_until"))
    recorded_at = _time(row, "recorded_at")
    if weight is None or not relation or recorded_at is None:
        raise ValueError("weight, relation or recorded_at is missing")
    if since is not None and until is not None and until < since:
        raise ValueError("valid_until lies before valid_from")
    origin = _one_of(row, "origin", (STATED, TOLD))
    return {
        "relation": relation,
        "origin": origin,
        "weight": weight,
        "valid_from": since,
        "valid_until": until,
        "recorded_at": recorded_at,
        "believed_until": _time(row, "believed_until"),
    }


def _of_merge(row: Mapping[str, Any]) -> dict[str, Any]:
    merge_id, at = identifier(row["id"], "id"), _time(row, "at")
    if not merge_id.startswith("mrg_") or not merge_id[4:].isalnum() or len(merge_id) > 64:
        raise ValueError(f"{merge_id!r} is not the id of a merge")
    if at is None:
        raise ValueError("at is missing")
    reason = checks.checked_reason(check_text(row["reason"], what="reason"))
    return {"id": merge_id, "state": _one_of(row, "state", (MERGED, UNDONE, REFUSED)), "reason": reason, "at": at}


_Fields = Callable[[Mapping[str, Any]], dict[str, Any]]
_KINDS: Mapping[str, tuple[tuple[str, ...], _Fields]] = {
    "entity": (("entity",), _of_entity),
    "mention": (("entity",), _of_mention),
    "relation": (("source", "target"), _of_relation),
    "alias": (("entity", "alias"), lambda _row: {}),
    "merge": (("keep", "other"), _of_merge),
}


def _one_of(row: Mapping[str, Any], name: str, values: Sequence[str]) -> str:
    if row[name] not in values:
        raise ValueError(f"{name} is {row[name]!r}: it must be one of {', '.join(values)}")
    return str(row[name])


def _time(row: Mapping[str, Any], name: str) -> datetime | None:
    return None if row.get(name) is None else utc(datetime.fromisoformat(row[name]), name)


class Restating:
    """Rows of a graph put into a store, inside one transaction."""

    def __init__(self, engine: Engine, transaction: Transaction, scope: Scope) -> None:
        self._engine, self._transaction, self._scope = engine, transaction, scope
        self._registers: dict[str | None, Register] = {}
        self._trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())

    def put(self, row: Restated) -> str:
        """Put a row and return what became of it; raises `ValueError`, or `NotFound` for an unknown memory."""
        outcome: str = getattr(self, f"_{row.kind}")(row, self._register(row), self._num(row))
        if outcome == NEW:
            self._trail.note("import", row.more.get("id") or f"ent_{self._register(row).ids(row.ends[:1])[0]}")
        return outcome

    def finish(self) -> None:
        """Write the audit trail."""
        self._trail.write()

    def _register(self, row: Restated) -> Register:
        user = row.scope.user
        if user not in self._registers:
            self._registers[user] = Register(self._transaction, self._engine.packs, self._scope.org, user)
        return self._registers[user]

    def _num(self, row: Restated) -> int | None:
        """Return the row number of the memory that says so: one of the same user, and of nobody else."""
        if row.memory_id is None:
            return None
        found = self._transaction.find(Record, within(Scope(self._scope.org)).but(Test("id", "eq", row.memory_id)))
        if not found or found[0].memory.scope.user != row.scope.user:
            raise NotFound(row.memory_id)
        return found[0].num

    def _entity(self, row: Restated, register: Register, _num: int | None) -> str:
        (entity,) = register.ids(row.ends)
        here = [Test("entity", "eq", entity), Test("agent", "eq", row.scope.agent or EVERYBODY)]
        held = self._transaction.find(EntityNote, here, order="entity")
        before = json.loads(held[0].metadata) if held else {}
        if held and row.more["metadata"].keys() <= before.keys():
            return KNOWN
        register.stand(entity, row.scope.agent, {**row.more["metadata"], **before})
        if not held:
            register.retyped(entity, row.ends[0].type)
        return NEW

    def _mention(self, row: Restated, register: Register, num: int | None) -> str:
        (entity,) = register.ids(row.ends)
        here = [Test("entity", "eq", entity), Test("num", "eq", num)]
        held = self._transaction.find(MentionRow, here)
        if any(mention.origin in (STATED, row.more["origin"]) for mention in held):
            return KNOWN
        self._transaction.put(MentionRow(entity, num or 0, row.more["origin"], row.more["pairs"]))
        return NEW

    def _relation(self, row: Restated, register: Register, num: int | None) -> str:
        source, target = register.ids(row.ends)
        if source == target:
            raise ValueError(f"{row.ends[0].name!r} and {row.ends[1].name!r} are one: a relation needs two entities")
        more, agent = row.more, row.scope.agent if num is None else None
        new = RelationRow(source=source, target=target, num=num, agent=agent, **more)
        same = [Test(name, "eq", getattr(new, name)) for name in ("source", "relation", "target", "num", "origin")]
        held = self._transaction.find(RelationRow, [*same, Test("agent", "eq", agent)], order="id")
        if any(each._replace(id=0) == new for each in held):
            return KNOWN
        if new.believed_until is None and any(each.believed_until is None for each in held):
            return TAKEN
        self._transaction.put(new)
        return NEW

    def _alias(self, row: Restated, register: Register, _num: int | None) -> str:
        (entity,) = register.ids(row.ends[:1])
        held = register.find(row.ends[1])
        agent = row.scope.agent
        if held is not None and register.top(held.id, agent).id == register.top(entity, agent).id:
            return KNOWN
        register.alias(entity, row.ends[1], agent)
        return NEW

    def _merge(self, row: Restated, register: Register, num: int | None) -> str:
        more, (keep, other) = row.more, register.ids(row.ends)
        place = more["id"], register.namespace
        new = MergeRow(*place, keep, other, num, row.scope.agent, more["state"], more["reason"], more["at"])
        held = self._transaction.find(MergeRow, [Test("id", "eq", new.id)], order="id")
        if held:
            return KNOWN if held[0] == new else TAKEN
        if keep == other:
            raise ValueError(f"{row.ends[0].name!r} and {row.ends[1].name!r} are one already")
        if new.state == MERGED:
            register.merge(other, keep, row.scope.agent)
        pair_ = [Test("keep", "in", (keep, other)), Test("other", "in", (keep, other))]
        self._transaction.delete(
            MergeRow, [*pair_, Test("state", "eq", PROPOSED)]
        )  # it was settled where it comes from
        self._transaction.put(new)
        return NEW
