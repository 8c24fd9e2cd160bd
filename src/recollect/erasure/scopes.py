"""What a user, an agent or a session has beside its memories: conversations, statements by hand, keys, counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from recollect.erasure.entities import drop
from recollect.erasure.removing import Removal
from recollect.filters import Condition, Filter, Test, parse_where, within
from recollect.graphrows import EVERYBODY, EntityNote, EntityRow, MergeRow, RelationRow
from recollect.models import Job, Scope
from recollect.protocols import KeyRow, Setting, Transaction
from recollect.scopes import spent_by
from recollect.turnrows import ConversationRow, ToldRow, TurnRow

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten of a view: all that is one user's, agent's, session's, or that passes a filter."""

    scope: Scope
    user: str | None = None
    agent: str | None = None
    session: str | None = None
    org: str | None = None
    where: Mapping[str, Any] | None = None

    @property
    def is_foreign(self) -> bool:
        """Whether it lies outside the view, where there is nothing."""
        view = self.scope
        pairs = ((self.user, view.user), (self.agent, view.agent), (self.session, view.session))
        walled = any(wanted is not None and own not in (None, wanted) for wanted, own in pairs)
        return walled or (self.org is not None and (self.org != view.org or view != Scope(view.org)))

    @property
    def memories(self) -> Filter:
        """The memories meant, whatever their status, working memories included."""
        named = (Test(name, "eq", value) for name in ("agent", "session") if (value := getattr(self, name)) is not None)
        of_user = Scope(self.scope.org, self.user or self.scope.user, self.scope.agent)
        return within(of_user).but(*named, *parse_where(self.where))

    @property
    def owner(self) -> Scope:
        """Whose they are: the view narrowed to what is named."""
        view = self.scope
        return Scope(view.org, self.user or view.user, self.agent or view.agent, self.session)

    @property
    def is_whole(self) -> bool:
        """Whether all of a user or of the org is meant, not a part of it."""
        return self.where is None and self.owner.agent is None and self.owner.session is None


def clear(removal: Removal, wanted: Wanted) -> None:
    """Remove what stands beside the memories of a scope: what was said or stated by hand, keys, what was counted."""
    if wanted.where is not None:
        return
    transaction, owner = removal.transaction, wanted.owner
    tests: list[Condition] = [
        Test(name, "eq", value)
        for name in ("org", "user", "agent", "session")
        if (value := getattr(owner, name)) is not None
    ]
    _converse(removal, transaction.find(ConversationRow, tests))
    if owner.session is not None:
        return
    _lock_out(removal, tests)
    for user in _users(transaction, owner):
        _state(removal, transaction.namespace(owner.org, user), owner.agent)
        if wanted.is_whole:
            row = [Test("name", "eq", spent_by(Scope(owner.org, user)))]
            removal.count("settings", transaction.delete(Setting, row))
            transaction.abandon(owner.org, user)


def _users(transaction: Transaction, owner: Scope) -> Iterable[str | None]:
    known = transaction.users(owner.org)
    return known if owner.user is None else [user for user in known if user == owner.user]


def _lock_out(removal: Removal, tests: list[Condition]) -> None:
    """Remove the keys that open nothing but what goes."""
    for row in removal.transaction.find(KeyRow, tests, order="id"):
        removal.traces.read(row.name)
        removal.trail.note("key.erase", row.id)
    removal.count("keys", removal.transaction.delete(KeyRow, tests))


def _converse(removal: Removal, conversations: Iterable[ConversationRow]) -> None:
    transaction = removal.transaction
    for held in conversations:
        row = [Test("conversation", "eq", held.num)]
        removal.hear(transaction.find(TurnRow, row, order="position"))
        removal.tell(held)
        removal.count("turns", transaction.delete(TurnRow, row))
        removal.count("summaries of windows", transaction.delete(ToldRow, row))
        removal.count("jobs", transaction.delete(Job, [Test("memory_id", "eq", held.id)]))
        removal.count("conversations", transaction.delete(ConversationRow, [Test("num", "eq", held.num)]))


def _state(removal: Removal, namespace: int, agent: str | None) -> None:
    """Remove what was stated of a graph by hand: all of it, or what one agent stated."""
    transaction = removal.transaction
    rows = transaction.find(EntityRow, [Test("ns", "eq", namespace)], order="id")
    mine: list[Condition] = [] if agent is None else [Test("agent", "eq", agent)]
    own: list[Condition] = [Test("ns", "eq", namespace), *mine]
    for merge in transaction.find(MergeRow, own, order="at"):
        removal.traces.read(merge.reason)
        parted = [Test("id", "eq", merge.other), Test("merged_into", "eq", merge.keep)]
        transaction.update(EntityRow, parted, merged_into=None, agent=None)
    removal.count("merges", transaction.delete(MergeRow, own))
    ids = [row.id for row in rows]
    for start in range(0, len(ids), _PAGE):
        some = tuple(ids[start : start + _PAGE])
        notes: list[Condition] = [Test("entity", "in", some), *mine]
        for note in transaction.find(EntityNote, notes, order="entity"):
            removal.traces.read(note.metadata, note.agent if note.agent != EVERYBODY else None)
        removal.count("notes", transaction.delete(EntityNote, notes))
        by_hand: list[Condition] = [Test("source", "in", some), Test("num", "eq", None), *mine]
        removal.count("relations", transaction.delete(RelationRow, by_hand))
    drop(removal, ids)
