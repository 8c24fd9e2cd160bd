"""The sub-objects of a manager: `m.graph`, `m.working`, `m.procedures`, `m.lifecycle`, `m.keys`, `m.records(name)`.

`View` is the base of them and of the manager: the engine, the scope, and background work.
"""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, cast

from engrain import validation
from engrain.arguments import EntityFilters, ListFilters, Progress, RecallFilters, check_message_names, explained
from engrain.config import WorkingSettings
from engrain.engine import Engine
from engrain.errors import NotFound, ScopeMissing
from engrain.graph.entity_store import entity_named, pair, stated_in_batches, stated_relation, vocabulary
from engrain.graph.packs import pack_call
from engrain.guard import notify
from engrain.language.calendar import parse_when
from engrain.lazy import later
from engrain.model import choices
from engrain.model.audit import COMPLETE, Forgotten, Key, Role
from engrain.model.entities import Entity, Merge, Named, Relationship, name_key
from engrain.model.filters import AnyOf, Filter, Test, reachable
from engrain.model.memory import ContextItem, Heat, Job, JobState, Kind, Memory, Scope, SourceType, Status, Turn, heat
from engrain.model.procedure import Procedure
from engrain.model.results import Counts, ExactRecord, Hit, Page, Recall, Reflection, Remembered, StixImported
from engrain.policies.retention import RetentionPolicy
from engrain.storage.rows import MERGED, PROPOSED, UNDONE
from engrain.text import check_content, table
from engrain.validation import Lifetime, When, checked_bool, checked_budget, checked_kind, checked_reason, identifier
from engrain.worker import Worker, job_page, retry_job

if TYPE_CHECKING:
    from engrain import keys, records
    from engrain.chat import formats
    from engrain.conversation import assemble, sessions
    from engrain.conversation.window import ConversationWindow
    from engrain.erasure import erase, receipts
    from engrain.erasure import erase as erasing
    from engrain.graph import files, traversal
    from engrain.lifecycle import mining, procedures, reflection, sweeps
    from engrain.lifecycle.sweeps import Entries
    from engrain.policies import entries
    from engrain.read import listing
    from engrain.read import recall as recalls
    from engrain.read import request as requests
    from engrain.read.listing import GraphView
    from engrain.security import injection
    from engrain.write import edits, graph_edits, prepare, verdicts
else:
    keys, records = later("engrain", "keys", "records")
    files, formats, injection = later("engrain", "graph.files", "chat.formats", "security.injection")
    entries, traversal = later("engrain", "policies.entries", "graph.traversal")
    listing, recalls, requests = later("engrain.read", "listing", "recall", "request")
    assemble, sessions = later("engrain.conversation", "assemble", "sessions")
    erase, receipts = later("engrain.erasure", "erase", "receipts")
    erasing = erase  # where `erase` is an argument
    mining, procedures, reflection, sweeps = later("engrain.lifecycle", "mining", "procedures", "reflection", "sweeps")
    edits, graph_edits, prepare, verdicts = later("engrain.write", "edits", "graph_edits", "prepare", "verdicts")

MAX_DEPTH = 10  # steps of a walk through the graph
_WHOLE_PAGE = 10_000  # rows of a page where everything is wanted
_FACT_KINDS: Sequence[choices.KindName] = ("semantic", "procedural")
_MOST_FACTS = 50  # known facts that are shown when nothing is asked
_RENDERED, _FEWEST_HITS = 5, 20  # procedures of a prompt, and hits that they are chosen from


def check_depth(depth: int) -> int:
    """Return the checked depth of a traversal; raises `ValueError` for a value other than 0 to 10 steps."""
    if not validation.is_whole(depth) or not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"max_depth is {depth!r}: it must be a whole number from 0 to {MAX_DEPTH}")
    return depth


@dataclass(frozen=True)
class View:
    """An engine and a scope: the state of a manager and its sub-objects."""

    engine: Engine
    bound: Scope
    worker: Worker
    replays: Callable[[], sessions.Replays]

    @property
    def label(self) -> str:
        """The store and the scope, as they are shown."""
        owners = {name: getattr(self.bound, name) for name in ("org", "user", "agent", "session")}
        scope = (f"{name}={owner!r}" for name, owner in owners.items() if owner)
        return ", ".join((repr(self.engine.store.url), *scope))

    def check_unbound(self, method: str) -> None:
        """Raise `ValueError` for a view of less than its organisation."""
        if self.bound != Scope(self.bound.org):
            raise ValueError(f"{method} needs a view without user, agent and session: open the memory without them")

    @cached_property
    def scope(self) -> Scope:
        """The scope of a call; a view that must have a user and has none can only open other views."""
        if self.engine.settings.require_user and self.bound.user is None:
            raise ScopeMissing("settings.require_user is on: open the view with user=..., or use scoped(user=...)")
        return self.bound

    # ---------------------------------------------------------------------------------------------------------- reading

    def get(self, memory_id: str | None = None, *, key: str | None = None) -> Memory | None:
        """Return one memory as it is now, with the accesses that are not written yet."""
        now = requests.point_in_time(self.engine)
        memory = listing.get(self.engine, self.scope, listing.id_or_key(memory_id, key), now)
        return None if memory is None else self.engine.accesses.shown(memory)

    def existing(self, memory_id: str) -> Memory:
        """Return one memory as it is now; raises `NotFound`."""
        memory = self.get(identifier(memory_id, "memory_id"))
        if memory is None:
            raise NotFound(memory_id)
        return memory

    def request(self, query: str, *, k: int = 10, **filters: Unpack[RecallFilters]) -> requests.Request:
        """Return the request of a recall; how much memories are in use is written first where it is asked for."""
        if filters.get("heat") is not None:
            self.engine.accesses.write(self.engine.store)
        return requests.build_request(self.engine, self.scope, query, k=k, **filters)

    def listing(self, **filters: Unpack[ListFilters]) -> tuple[Filter, requests.PointInTime]:
        """Return the filter and the point in time of a listing."""
        if filters.get("heat") is not None:
            self.engine.accesses.write(self.engine.store)
        return requests.build_listing(self.engine, self.scope, **filters)

    def recall(self, request: requests.Request) -> Recall:
        """Carry out a recall, and count it."""
        return self.count_recall(recalls.recall(self.engine, request), touch=request.touch)

    def count_recall(self, found: Recall, *, touch: bool) -> Recall:
        """Count a recall, and with `touch` an access of each hit."""
        self.engine.counters.count("recalls", self.scope)
        if touch:
            self.count_accesses([hit.memory.id for hit in found])
        return found

    def count_accesses(self, memory_ids: Sequence[str]) -> None:
        """Count an access of each memory, to be written later."""
        if memory_ids and not self.engine.store.read_only:
            looked_for = self.engine.accesses.add(self.scope.org, memory_ids, self.engine.clock.now())
            if not self.worker.is_running:
                self.worker.wake()
            elif looked_for:
                self.worker.wanted.set()

    def graph(self, **filters: Unpack[EntityFilters]) -> GraphView:
        """Return the graph that the view sees at a point in time, by the memories that pass the filters."""
        return listing.GraphView(self.engine, *requests.build_selection(self.engine, self.scope, **filters))

    # ---------------------------------------------------------------------------------------------------------- writing

    def wake_worker(self, results: Iterable[Remembered[Memory | None]] = (), *, sync: bool = False) -> None:
        """Wake the worker after a write; with `sync` wait until the work for its results is done."""
        if sync:
            memories = (result.memory for result in _with_others(results))
            self.worker.settle([memory.id for memory in memories if memory is not None])
        else:
            self.worker.wake(now=self.engine.counters.queued > 0)

    def forget(
        self, memory_id: str | None, *, key: str | None = None, reason: str | None = None, hard: bool = False
    ) -> Forgotten:
        """Hide or erase one memory; see `MemoryManager.forget`."""
        why, erases = checked_reason(reason), checked_bool(hard, "hard")
        where = self._reachable_by(memory_id, key, forgotten_too=erases)
        if where is None:
            return Forgotten(0)
        before = self.get(memory_id) if self.engine.callbacks and memory_id is not None else None
        forget = erase.erase if erases else edits.forget
        forgotten = self.followed_up(forget(self.engine, self.scope, where, reason=why))
        if before is not None and forgotten.count:
            notify(self.engine.callbacks, "on_consolidation", "delete", None, entries.entry_of(before))
        return forgotten

    def _reachable_by(self, memory_id: str | None, key: str | None, *, forgotten_too: bool) -> Filter | None:
        """Return the filter of a memory by id or key, None for an unknown key; forgotten memories keep their key."""
        where = reachable(self.scope).but(listing.id_or_key(memory_id, key))
        if key is None:
            return where
        current = self.get(key=key)
        branches = [] if current is None else [(Test("id", "eq", current.id),)]
        branches += [(Test("status", "eq", Status.FORGOTTEN),)] if forgotten_too else []
        return where.but(AnyOf(tuple(branches))) if branches else None

    def followed_up(self, forgotten: Forgotten) -> Forgotten:
        """Return the result of forgetting; the worker is woken for an erasure that could not be proven yet."""
        if forgotten.receipt is not None and forgotten.receipt.status != COMPLETE:
            self.worker.wake()
        return forgotten

    def verdict(self, reason: str | None, *, tier: choices.Tier | None = None, force: bool = False) -> verdicts.Verdict:
        """Return a verdict of this view, its arguments checked."""
        now, why = self.engine.clock.now(), checked_reason(reason)
        return verdicts.Verdict(self.scope, now, why, validation.checked_tier(tier), checked_bool(force, "force"))

    # ---------------------------------------------------------------------------------------------------- conversations

    def in_session(self, session: str | None) -> Scope:
        """Return the scope of a session; raises `ScopeMissing` when neither the view nor the call names one."""
        return sessions.in_session(self.scope, session)

    def add_message(
        self,
        scope: Scope,
        role: str,
        content: str | None,
        *,
        actor: str | None,
        at: When | None,
        metadata: Mapping[str, Any],
        data: Any = None,
    ) -> Turn:
        """Check a message and append it to the conversation of a session."""
        if isinstance(metadata.get("metadata"), Mapping):
            raise TypeError("a message takes its own fields as keyword arguments: tool_call_id=..., not metadata={...}")
        check_message_names(metadata)
        message = sessions.checked(self.engine, role, content, actor=actor, at=at, metadata=metadata, data=data)
        if message.role == "user" and data is None and not metadata:  # which calls no tool
            check_content(content or "", max_bytes=self.engine.settings.max_content_bytes)
        return self.append(scope, [message])[0]

    def append(self, scope: Scope, messages: Sequence[sessions.Message], *, replaces: bool = False) -> list[Turn]:
        """Append messages to the conversation of a session, or put them in the place of its log."""
        if replaces:
            turns = erase.replace_turns(self.engine, scope, messages)
        else:
            turns = sessions.append(self.engine, scope, messages) if messages else []
        self.wake_worker()
        return turns

    def window(self, scope: Scope) -> ConversationWindow:
        """Return the window of a session as it is now."""
        if isinstance(self.engine.settings.working, WorkingSettings):
            return sessions.window_of(self.engine, scope)
        return self.replays().window(self.engine, scope)


def _with_others(results: Iterable[Remembered[Memory | None]]) -> Iterator[Remembered[Memory | None]]:
    """Yield outcomes, and those of the same calls' other facts."""
    for result in results:
        yield result
        yield from _with_others(result.others)


class _Part:
    """Operations of a manager on one subject, over its view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._view.label})"


@explained
class Graph(_Part):
    """The entities of a view and their relations: `m.graph`.

    An entity is named by its type and any of its names, or by a `(type, name)` pair. Reads show what the view's
    memories say and what callers stated. An unknown entity has no relations and no memories.

    Every method may also raise what any method of `MemoryManager` may: `TypeError`, `ValueError`, `StoreError`.
    """

    # ---------------------------------------------------------------------------------------------------------- reading

    def _repr_html_(self) -> str:
        known = self.relationships(limit=25)
        rows = ((each.source.name, each.relation, each.target.name, len(each.evidence)) for each in known)
        return table([("from", "relation", "to", "memories"), *rows])

    def entity(self, type: str, value: str, *, shared: bool = False) -> Entity | None:
        """Return an entity with all its names and metadata.

        Args:
            type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            shared: Also see what the organisation's memories without a user say. Default False.

        Returns:
            The entity, or None when the view knows none of that name.

        Raises:
            ValueError: The type or the name is blank or too long.
        """
        return self._view.graph(shared=shared).entity(entity_named(type, value))

    def entities(
        self, *, type: str | None = None, limit: int = 100, cursor: str | None = None, shared: bool = False
    ) -> Page[Entity]:
        """Return a page of the entities that the view's memories mention or that were added by hand, oldest first.

        Args:
            type: Only entities of this type; `actor`, `threat_actor` and `intrusion_set` list the same. None means any.
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.
            shared: Also see what the organisation's memories without a user say. Default False.

        Returns:
            A page of entities; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        wanted = None if type is None else entity_named(type, "any").type
        return self._view.graph(shared=shared).entities(wanted, validation.checked_limit(limit), cursor)

    def relationships(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> Page[Relationship]:
        """Return a page of all relations, each from its source; entities that are only named together are left out.

        Args:
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.
            shared: Also see what the organisation's memories without a user say. Default False.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time. None means now.

        Returns:
            A page of relations; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        graph = self._view.graph(shared=shared, as_of=as_of, known_at=known_at)
        return graph.all_relationships(validation.checked_limit(limit), cursor)

    def memory_ids(self, type: str, value: str, *, max_depth: int = 0, shared: bool = False) -> list[str]:
        """Return the ids of the memories about an entity, oldest first.

        Args:
            type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            max_depth: Also include the memories about entities within this many steps, 0 to 10. Default 0.
            shared: Also see what the organisation's memories without a user say. Default False.

        Returns:
            The ids, each once; those about the entity itself come first.

        Raises:
            ValueError: `max_depth` is not from 0 to 10.
        """
        graph = self._view.graph(shared=shared)
        return graph.read([entity_named(type, value)], traversal.memory_ids, check_depth(max_depth))

    def related(
        self,
        type: str,
        value: str,
        *,
        max_depth: int = 2,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Entity]:
        """Return the entities within some steps, in either direction, the nearest first and then the oldest.

        Args:
            type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            max_depth: How many steps to walk at most, 0 to 10. Default 2.
            shared: Also see what the organisation's memories without a user say. Default False.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time. None means now.

        Returns:
            The entities without the one that the walk starts from; [] for an unknown one.

        Raises:
            ValueError: `max_depth` is not from 0 to 10.
        """
        graph = self._view.graph(shared=shared, as_of=as_of, known_at=known_at)
        return graph.read([entity_named(type, value)], traversal.related, check_depth(max_depth))

    def shortest_path(
        self,
        source: tuple[str, str],
        target: tuple[str, str],
        *,
        max_depth: int = 6,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Relationship]:
        """Return the relations along a shortest path between two entities.

        Args:
            source: The type and a name of the entity that the path starts from.
            target: The type and a name of the entity that it leads to.
            max_depth: How many steps the path may have at most, 0 to 10. Default 6.
            shared: Also see what the organisation's memories without a user say. Default False.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time. None means now.

        Returns:
            The relations in order, each from the end that the path comes from; [] when there is no path.

        Raises:
            ValueError: `max_depth` is not from 0 to 10.
            TypeError: `source` or `target` is not a pair.
        """
        graph = self._view.graph(shared=shared, as_of=as_of, known_at=known_at)
        ends = [pair(source, "source"), pair(target, "target")]
        return graph.read(ends, traversal.shortest_path, check_depth(max_depth))

    def pagerank(
        self, seeds: Iterable[tuple[str, str]], *, k: int = 10, shared: bool = False, as_of: When | None = None
    ) -> list[tuple[Entity, float]]:
        """Return the entities that matter most from the seeds, with their personalised PageRank (damping .85).

        Args:
            seeds: The types and names of the entities to start from, at least one.
            k: How many entities to return at most. Default 10.
            shared: Also see what the organisation's memories without a user say. Default False.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.

        Returns:
            Pairs of entity and score, best first, without the seeds; scores compare within one answer.

        Raises:
            ValueError: `seeds` is empty.
        """
        wanted = [pair(seed, "seeds") for seed in seeds]
        if not wanted:
            raise ValueError("seeds is empty: name at least one entity to start from")
        return self._view.graph(shared=shared, as_of=as_of).ranked(wanted, validation.checked_whole(k, "k"))

    def merges(self) -> list[Merge]:
        """Return the merges of entities that were made, newest first, those that were undone included.

        Returns:
            The merges; `state` is `merged` or `undone`.
        """
        return self._view.graph().merges(self._view.scope, (MERGED, UNDONE))

    # ---------------------------------------------------------------------------------------------------------- editing

    def add_entity(
        self, type: str, value: str, *, aliases: Iterable[str] = (), metadata: Mapping[str, Any] | None = None
    ) -> Entity:
        """Add an entity, or names and metadata to one; it exists from then on, whether or not a memory mentions it.

        Args:
            type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            aliases: Other names of the entity. Default none.
            metadata: Fields to merge into its metadata, a JSON object; None as a value removes that key.

        Returns:
            The entity as it is now.

        Raises:
            ValueError: An alias is another entity's alias already.
        """
        named = entity_named(type, value)
        others = [entity_named(type, alias).name for alias in validation.names(aliases, "aliases")]
        kept = {} if metadata is None else validation.checked_metadata(metadata)
        prepare.screen_names((*named, *others, *prepare.texts_in(kept)), self._view.engine.settings)
        graph_edits.add_entity(self._view.engine, self._view.scope, named, aliases=others, metadata=kept)
        return self._stored(named)

    def add_alias(self, type: str, value: str, alias: str) -> Entity:
        """Give an entity another name; mentions under that name belong to the entity from now on.

        An entity that had this name for its own is merged, which `merges` shows and `unmerge` undoes.

        Args:
            type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            alias: Its other name.

        Returns:
            The entity with this alias alone and without metadata; `entity` returns all of them.

        Raises:
            ValueError: The alias is another entity's alias already.
        """
        named, other = entity_named(type, value), entity_named(type, alias)
        prepare.screen_names((*named, alias), self._view.engine.settings)
        top = graph_edits.add_entity(self._view.engine, self._view.scope, named, aliases=[other.name], metadata={})
        return Entity(top.type, top.name, () if name_key(*other) == top.key else (other.name,))

    def load_aliases(self, path: str | os.PathLike[str]) -> int:
        """Add the aliases of a TOML or JSON file of the shape `{type: {name: [aliases]}}`.

        Args:
            path: The file to read; all of it is checked before anything is added.

        Returns:
            How many aliases the file holds.

        Raises:
            OSError: The file cannot be read.
            ValueError: The file has another shape.
        """
        read = vocabulary(path)
        engine = self._view.engine
        prepare.screen_names((one for named, aliases in read for one in (*named, *aliases)), engine.settings)
        for named, aliases in read:
            graph_edits.add_entity(engine, self._view.scope, named, aliases=aliases, metadata={})
        return sum(len(aliases) for _, aliases in read)

    def add_relationship(
        self,
        source: tuple[str, str],
        relation: str,
        target: tuple[str, str],
        *,
        evidence: str | Iterable[str] | None = None,
        weight: float = 1.0,
        valid_from: When | None = None,
        valid_until: When | None = None,
    ) -> Relationship:
        """State that one entity is related to another; entities that are missing are added.

        The same relation stated again takes the place of the earlier statement.

        Args:
            source: The type and a name of the entity that the relation starts from.
            relation: What relates them, such as `uses`, `targets` or `attributed_to`.
            target: The type and a name of the entity that it leads to.
            evidence: The id of a memory that says so, or several ids; the relation then lasts as long as they do, and
                holds when they hold unless an interval is given. None means that it is stated by hand alone.
            weight: How clear the relation is, 0 to 1. Default 1.
            valid_from: When it begins to hold: a datetime, a date or ISO 8601. None means always, or as the evidence.
            valid_until: When it ceases to hold: a datetime, a date or ISO 8601. None means never, or as the evidence.

        Returns:
            The relation, from its source.

        Raises:
            NotFound: A memory of the evidence is unknown.
            ValueError: It relates an entity to itself, or ends before it begins.
        """
        stated = stated_relation(
            source, relation, target, evidence=evidence, weight=weight, valid_from=valid_from, valid_until=valid_until
        )
        prepare.screen_names((*source, relation, *target), self._view.engine.settings)
        graph_edits.add_relationships(self._view.engine, self._view.scope, [stated])
        ends = self._stored(stated.source), stated.relation, self._stored(stated.target)
        return Relationship(*ends, "out", stated.weight, stated.evidence, stated.valid_from, stated.valid_until)

    def add_relationships(self, items: Iterable[Mapping[str, Any]]) -> int:
        """State many relations; each thousand is one transaction, and is checked before it is touched.

        An item that is refused stops there; earlier thousands stay.

        Args:
            items: A relation each, as a mapping of the arguments of `add_relationship`: source, relation, target, and
                optionally evidence, weight, valid_from and valid_until.

        Returns:
            How many of the statements are new.

        Raises:
            NotFound: A memory of some evidence is unknown.
            TypeError: An item is no such mapping; the message names it.
            ValueError: An item cannot be stated; the message names it.
        """
        new = 0
        for some, relations in stated_in_batches(items):
            prepare.screen_names(prepare.texts_in(some), self._view.engine.settings)
            new += graph_edits.add_relationships(self._view.engine, self._view.scope, relations)
        return new

    def link_memory(self, type: str, value: str, memory_id: str) -> bool:
        """State that a memory is about an entity.

        Args:
            type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            memory_id: The id of the memory.

        Returns:
            False when that is known already.

        Raises:
            NotFound: The entity or the memory is unknown.
        """
        named = entity_named(type, value)
        return graph_edits.link_memory(self._view.engine, self._view.scope, named, identifier(memory_id, "memory_id"))

    def remove_entity(self, type: str, value: str) -> bool:
        """Remove an entity with its other names, relations and mentions; its memories stay as they are.

        A memory that names it and is edited later brings it back.

        Args:
            type: The type of the entity or one of the same family; `name` where it is unknown.
            value: Any name of the entity.

        Returns:
            False for an unknown entity.

        Raises:
            ValueError: The type or the name is blank or too long.
        """
        return graph_edits.remove_entity(self._view.engine, self._view.scope, entity_named(type, value))

    def merge(self, keep: tuple[str, str], other: tuple[str, str]) -> Merge:
        """Merge two entities into one; `unmerge` undoes it.

        Args:
            keep: The type and a name of the entity that both are from now on.
            other: The type and a name of the entity that counts as `keep`; its names become aliases.

        Returns:
            The merge.

        Raises:
            NotFound: An entity is unknown.
            ValueError: They are one already, or their types belong to different families.
        """
        row = graph_edits.merge(self._view.engine, self._view.scope, pair(keep, "keep"), pair(other, "other"))
        return next(merge for merge in self.merges() if merge.id == row.id)

    def resolve(self) -> list[Merge]:
        """Look for entities under several names by the meaning of the names, and merge or propose them.

        A cosine of .92 or more merges, which `merges` shows and `unmerge` undoes; from .82 on the merge waits in
        `review`. Types, digits and identifiers must agree. It needs an embedder that reads sentences; with the built-in
        one, which cannot distinguish APT28 from APT29, or with none, nothing is compared.

        Returns:
            The merges that were made or proposed.
        """
        view = self._view
        made = set(graph_edits.resolve(view.engine, view.scope, view.graph().rows()))
        return [merge for merge in view.graph().merges(view.scope, (MERGED, PROPOSED)) if merge.id in made]

    def unmerge(self, merge_id: str) -> bool:
        """Undo a merge; both are entities of their own again, each with its own statements.

        Args:
            merge_id: The id of the merge.

        Returns:
            False for an unknown merge.

        Raises:
            ValueError: `merge_id` is blank or too long.
        """
        return graph_edits.unmerge(self._view.engine, self._view.scope, identifier(merge_id, "merge_id"))

    def _stored(self, named: Named) -> Entity:
        found = self._view.graph().entity(named, known=False)
        assert found is not None
        return found

    # ------------------------------------------------------------------------------------------------------------ files

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: choices.GraphFormat | None = None,
        centre: tuple[str, str] | None = None,
        max_depth: int = 1,
    ) -> str:
        """Write the graph that the view sees to a new file.

        Args:
            path: The file to write; nothing is overwritten.
            format: `graphml` or `json` (node-link), which hold everything, `dot` for Graphviz, or `mermaid`, which
                shows at most 60 entities and 150 relations. None takes it from the suffix: .json, .dot or .gv, .mmd or
                .mermaid, and `graphml` for any other.
            centre: Type and name of an entity: only what is around it is written, relations of what is merely
                mentioned together included. None writes everything that was stated.
            max_depth: How many steps from `centre`, 0 to 10; default 1.

        Returns:
            The path of the file.

        Raises:
            NotFound: `centre` is unknown.
            StoreUnavailable: The file exists already, or its folder does not.
            ValueError: The format is unknown, or `max_depth` is out of range.
        """
        chosen = choices.checked_choice(format or files.format_of(path), "format", choices.GraphFormat)
        if centre is not None:
            around = self._view.graph().neighbourhood(pair(centre, "centre"), check_depth(max_depth))
            written = files.write_graph(path, *around, format=chosen, centre=around[0][0])
        else:
            entities = list(listing.all_pages(lambda cursor: self.entities(limit=_WHOLE_PAGE, cursor=cursor)))
            relations = list(listing.all_pages(lambda cursor: self.relationships(limit=_WHOLE_PAGE, cursor=cursor)))
            written = files.write_graph(path, entities, relations, format=chosen)
        receipts.note_copy(self._view.engine, self._view.scope, "graph export", written)
        return written

    def import_stix(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> StixImported:
        """Remember what a STIX 2.1 bundle holds: objects, other names, relationships.

        Each object and each relationship becomes a memory of domain `cti` under its STIX id, trusted as external data.
        Importing again adds nothing and updates what is newer; an import that was interrupted continues where it was.

        Args:
            path: The bundle to read, STIX 2.1 as `.json`, or `.gz` of it.
            progress: Called as `progress(done, total, label)` with the number of objects. None means no calls.

        Returns:
            Counts of what was made, known and refused, and the reasons; a refused object stops no other.

        Raises:
            ConfigError: The domain pack `cti` is missing.
            OSError: The file cannot be read.
            ValueError: The file holds no bundle.
        """
        return cast(StixImported, pack_call("cti", "import_stix")(self, path, progress=progress))

    def export_stix(self, path: str | os.PathLike[str]) -> str:
        """Write the memories, entities and relations of domain `cti` to a new file as a STIX 2.1 bundle.

        What came from STIX keeps its ids and its marking.

        Args:
            path: The file to write; nothing is overwritten.

        Returns:
            The path of the file.

        Raises:
            ConfigError: The domain pack `cti` or the library stix2 is missing: `pip install "engrain[cti]"`.
            StoreUnavailable: The file exists already, or its folder does not.
        """
        return str(pack_call("cti", "export_stix")(self, path))


@explained
class Working(_Part):
    """The working memory of a session: `m.working`, or `m.working(session)` for another than the view's own.

    It is a window over the session's log. The log keeps every message; the window stays within its token budget, and
    a summary reports the turns that have left it. Both are in the store: they survive a crash, and several processes
    may append to one session. A conversation belongs to exactly the org, user, agent and session of the view.

    Every method raises `ScopeMissing` when no session is named, `TypeError` or `ValueError` for an argument of the
    wrong type or range, and `StoreError` when the store fails; a `Raises` section lists what else it may raise.
    """

    def __init__(self, view: View, session: str | None = None) -> None:
        super().__init__(view)
        self._session = session

    def __call__(self, session: str) -> Working:
        """Return the working memory of another session, from a view that is bound to none.

        Args:
            session: The name of the session.

        Returns:
            The working memory of that session.

        Raises:
            ValueError: The view is bound to another session.
        """
        self._view.in_session(session)
        return Working(self._view, session)

    @property
    def _scope(self) -> Scope:
        return self._view.in_session(self._session)

    def add(
        self,
        /,
        role: str,
        content: str | None,
        *,
        actor: str | None = None,
        at: When | None = None,
        data: Any = None,
        **metadata: Any,
    ) -> Turn:
        """Append a message, durably; see `MemoryManager.add_message`.

        Args:
            role: Who speaks: `user`, `assistant`, `tool`, `system`, or one line of your own.
            content: The text of the message; None or "" for one that only calls tools.
            actor: The name of who speaks. None means the `name` of the message, if it has one.
            at: When it was said: a datetime, a date or ISO 8601; with it the same is appended once. None means now.
            data: The item that the message was made of: any JSON, which comes back with the turn. None means none.
            **metadata: The message's own fields: `tool_calls`, `tool_call_id`, `name`, `success`, or any other.

        Returns:
            The turn.

        Raises:
            GovernanceViolation: The content cannot be kept; nothing is stored.
        """
        return self._view.add_message(self._scope, role, content, actor=actor, at=at, metadata=metadata, data=data)

    @property
    def messages(self) -> list[Turn]:
        """The window, oldest first; the summary of the turns that left it is one of them (`is_summary` in metadata)."""
        return self._view.window(self._scope).messages

    @property
    def summary(self) -> str | None:
        """The summary of the turns that have left the window; None before any has."""
        return self._view.window(self._scope).summary

    @property
    def token_count(self) -> int:
        """The tokens that the window holds, its summary included."""
        return self._view.window(self._scope).token_count

    def extend(self, messages: Any) -> list[Turn]:
        """Append messages, in the format of any common chat API, in order, in one transaction.

        A message with a time that the log has is not appended again.

        Args:
            messages: One message or a list of them; all are checked before any is appended. One with a `data` of its
                own is a turn as it is, with its role, content, actor, at, data and metadata.

        Returns:
            The turns.

        Raises:
            GovernanceViolation: The content of a message cannot be kept; nothing is stored.
        """
        return self._view.append(self._scope, self._checked(messages))

    def replace(self, messages: Any) -> list[Turn]:
        """Replace the whole log with other messages, in one transaction; the turns before go with their memories.

        Args:
            messages: One message or a list of them, as of `extend`; an empty list empties the log.

        Returns:
            The turns.

        Raises:
            GovernanceViolation: The content of a message cannot be kept; nothing is changed.
        """
        return self._view.append(self._scope, self._checked(messages), replaces=True)

    def _checked(self, messages: Any) -> list[sessions.Message]:
        engine = self._view.engine
        return [
            sessions.checked(
                engine, turn.role, turn.content, actor=turn.actor, at=turn.at, metadata=turn.metadata, data=turn.data
            )
            for turn in formats.turns_of(messages)
        ]

    def pop(self) -> Turn | None:
        """Remove the newest message of the log, with its memory and what derives from it, and return it.

        Returns:
            The turn, or None when the log is empty.
        """
        return erase.pop_turn(self._view.engine, self._scope)

    def last(self, n: int = 1) -> list[Turn]:
        """Return the newest messages of the log, whatever is in the window.

        Args:
            n: How many, from 0 on. Default 1.

        Returns:
            The turns, oldest first.

        Raises:
            ValueError: `n` is negative.
        """
        return sessions.last(self._view.engine, self._scope, validation.checked_whole(n, "n"))

    def history(self, *, limit: int = 100, cursor: str | None = None) -> Page[Turn]:
        """Return a page of every message ever appended, oldest first, whatever the window holds.

        Args:
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of turns; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        return sessions.history(self._view.engine, self._scope, limit=limit, cursor=cursor)

    def items(
        self, *, priority: int = 7, query: str | None = None, token_budget: int | None = None
    ) -> list[ContextItem]:
        """Return the context for a model: facts, then the summary and the turns of the window, in their order.

        Args:
            priority: The priority of turns, 0 to 10; facts have 8. Default 7.
            query: Choose the facts that this question recalls. None means the most important ones.
            token_budget: Keep within this many tokens, facts and the newest turns first. None means no limit.

        Returns:
            The items.

        Raises:
            ValueError: The priority or the budget is out of range.
        """
        if token_budget is not None:
            checked_budget(token_budget)
        priority, window = validation.checked_whole(priority, "priority", most=10), self._view.window(self._scope)
        items = assemble.context_items(self._facts(query, window), window, self._view.engine.tokenizer, priority)
        return items if token_budget is None else assemble.within_budget(items, token_budget)

    def _facts(self, query: str | None, window: ConversationWindow) -> list[tuple[Memory, float]]:
        """Return the memories that answer a question, or the most important ones, each with its score."""
        view = self._view
        if query is None:
            where, at = view.listing(kinds=_FACT_KINDS)
            best = listing.list_memories(view.engine, where, at, order="-importance", limit=_MOST_FACTS)
            return [(memory, memory.importance) for memory in best]
        in_window = {turn.id for turn in window.turns}
        return [(hit.memory, hit.relevance) for hit in view.recall(view.request(query)) if hit.id not in in_window]

    def clear(self, *, erase: bool = False, reason: str | None = None) -> Forgotten | None:
        """Empty the window and its summary; the history stays, and no memory is touched.

        Args:
            erase: Erase the log too, with the memories of its turns, and prove it. Default False.
            reason: Why, for the audit trail.

        Returns:
            With `erase` what was erased, with its receipt; else None.

        Raises:
            TypeError: `erase` is neither True nor False.
        """
        view, why = self._view, checked_reason(reason)
        if not checked_bool(erase, "erase"):
            sessions.clear(view.engine, self._scope)
            return None
        return view.followed_up(erasing.erase_conversation(view.engine, self._scope, reason=why))


@explained
class Lifecycle(_Part):
    """The lifecycle of the view's memories: `m.lifecycle`.

    Every method may also raise what any method of `MemoryManager` may: `TypeError`, `ValueError`, `StoreError`.
    """

    def heat(self, memory_id: str) -> Heat:
        """Return how much a memory was used recently: hot, warm or cold.

        Hot was recalled three times within seven days, and within the last hour; cold was not for seven days. A new
        memory is warm. Heat is a filter (`heat=`), and never keeps a memory from being found.

        Args:
            memory_id: The id of the memory.

        Returns:
            The heat of the memory.

        Raises:
            NotFound: The memory is unknown.
        """
        return heat(self._view.existing(memory_id), self._view.engine.clock.now())

    def effective_importance(self, memory_id: str, *, at: When | None = None) -> float:
        """Return the effective importance of a memory, now or at a time: decayed, and raised by use.

        The stored importance never changes by itself.

        Args:
            memory_id: The id of the memory.
            at: The time: a datetime, a date or ISO 8601. None means now.

        Returns:
            A number from 0 to 1.

        Raises:
            NotFound: The memory is unknown.
        """
        moment = self._view.engine.clock.now() if at is None else parse_when(at, name="at")
        return self._view.engine.retention.effective(self._view.existing(memory_id), moment)

    def policy(
        self, *, kind: choices.KindName | Kind | None = None, domain: str | None = None, agent: str | None = None
    ) -> RetentionPolicy:
        """Return the retention policy that applies to memories of a kind, and of a domain and an agent if given.

        Args:
            kind: `working`, `episodic`, `semantic` or `procedural`. None means episodic in a session, else semantic.
            domain: The domain of the memories. None means those without a policy of their own.
            agent: The agent that owns the memories. None means the view's agent.

        Returns:
            The policy, with every figure that applies.

        Raises:
            ValueError: The kind is unknown.
        """
        scope = self._view.scope
        chosen = checked_kind(kind) if kind is not None else Kind.EPISODIC if scope.session else Kind.SEMANTIC
        agent = scope.agent if agent is None else identifier(agent, "agent")
        domain = None if domain is None else identifier(domain, "domain")
        return self._view.engine.retention.policy(chosen, domain, agent)

    def reflect(self, *, batch_size: int = 10) -> Reflection:
        """Draw conclusions from known memories, and return those that are new.

        Each cites its evidence (`derived_from`), is less confident than that, and waits in the review queue until it
        is validated or a later memory states the same. Rules find them, or the language model when there is one.

        Args:
            batch_size: How many conclusions to return at most, from 1 on. Default 10.

        Returns:
            The outcomes; `worked` has who found them, at what cost, and why it was not the model.

        Raises:
            ValueError: `batch_size` is not positive.
        """
        return reflection.reflect(self._view.engine, self._view.scope, batch_size=batch_size)

    def timeline(self, *, since: When | None = None, until: When | None = None) -> list[Counts]:
        """Return how many memories the view had of each status over time.

        Day by day; two days or less hour by hour, more than 400 days in as many steps.

        Args:
            since: The first moment: a datetime, a date or ISO 8601. None means that of the first memory.
            until: The last moment: a datetime, a date or ISO 8601. None means now.

        Returns:
            The counts, oldest first; each is what `count(status=)` returned at that moment.

        Raises:
            ValueError: `since` is not before `until`.
        """
        return sweeps.timeline(self._view.engine, self._view.scope, since=since, until=until)

    @property
    def entries(self) -> Entries:
        """The view's memories as entries that a `MemoryGarbageCollector` can go through."""
        return sweeps.Entries(self._view.engine, self._view.scope)

    def jobs(
        self, *, state: choices.JobStateName | JobState | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[Job]:
        """List the queued jobs for the memories and conversations of the view.

        Args:
            state: Only jobs in this state: `queued`, `running`, `done`, or `dead`, which were given up until `retry`.
                None means any.
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of jobs; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The state is unknown, or the limit is out of range.
        """
        return job_page(self._view.engine, self._view.scope, state=state, limit=limit, cursor=cursor)

    def retry(self, job_id: str) -> Job:
        """Retry a job that failed or was given up.

        Args:
            job_id: The id of the job.

        Returns:
            The job as it is now.

        Raises:
            NotFound: The job is unknown.
        """
        job = retry_job(self._view.engine, self._view.scope, identifier(job_id, "job_id"))
        self._view.worker.wake()
        return job


@explained
class Procedures(_Part):
    """How things are done: `m.procedures`.

    Each procedure is a memory of kind `procedural`, found by `recall` too; its `procedure` holds the steps.

    Every method may also raise what any method of `MemoryManager` may: `TypeError`, `ValueError`, `StoreError`.
    """

    def store(self, procedure: Procedure | Mapping[str, Any]) -> Memory:
        """Store a procedure as a memory; its text describes the whole procedure.

        One of the same name in this scope is edited: its earlier text stays in `history`, and its outcomes are kept.
        One that waits for a verdict goes on waiting.

        Args:
            procedure: The procedure, or its fields: name, description, trigger_conditions, steps (action, tool_name).

        Returns:
            The memory.

        Raises:
            MemoryRejected: The text cannot be kept; nothing is stored.
            ValueError: A field is out of range; nothing is stored.
        """
        memory = procedures.store(self._view.engine, self._view.scope, procedure)
        self._view.wake_worker()
        return self._view.engine.accesses.shown(memory)

    def get(self, memory_id: str) -> Memory | None:
        """Return a procedure by its id.

        Args:
            memory_id: The id of the procedure's memory.

        Returns:
            The memory, or None when it is unknown, forgotten, of another scope or no procedure.

        Raises:
            ValueError: `memory_id` is blank or too long.
        """
        memory = self._view.get(memory_id)
        return memory if memory is not None and memory.kind is Kind.PROCEDURAL else None

    def delete(self, memory_id: str) -> bool:
        """Forget a procedure; `reinstate` brings it back.

        Args:
            memory_id: The id of the procedure's memory.

        Returns:
            False when there is no procedure of that id.

        Raises:
            ValueError: `memory_id` is blank or too long.
        """
        return self.get(memory_id) is not None and self._view.forget(memory_id).count > 0

    def find(self, task: str, *, k: int = 5) -> list[Hit]:
        """Return the procedures for a task, best first: by words, meaning and trigger conditions, and by outcomes.

        Of equally good ones the validated and the more confident come first, demoted ones last; none that waits.

        Args:
            task: What is to be done.
            k: How many procedures to return at most. Default 5.

        Returns:
            The hits.

        Raises:
            ValueError: The task is too long.
        """
        return self._find(task, k)[0]

    def render(self, task: str, *, token_budget: int = 1000) -> str:
        """Return the procedures for a task as numbered steps for a prompt.

        Whole procedures come before the first steps of one, and the text names what is left out.

        Args:
            task: What is to be done.
            token_budget: How many tokens the text may have, from 0 on. Default 1000.

        Returns:
            The text; "" when no procedure is for the task or relevant to it, or not one step fits the budget.

        Raises:
            ValueError: The budget is negative.
        """
        checked_budget(token_budget)
        hits, abstained = self._find(task, _RENDERED)
        least = self._view.engine.settings.abstain_below
        memories = [
            hit.memory
            for hit in hits
            if procedures.triggered(task, procedures.procedure_of(hit.memory)) >= procedures.MET
            or (not abstained and (hit.relevance >= least or not task.strip()))
        ]
        return procedures.render(memories, self._view.engine.tokenizer, token_budget)

    def record_outcome(self, memory_id: str, *, success: bool) -> bool:
        """Record whether a procedure succeeded or failed.

        Its confidence becomes (successes + 1) / (uses + 2), the mean of a Beta posterior over a uniform prior. After
        three successes at .6 or more it is `validated`; after five uses it is `demoted` under .4 and archived under .2.

        Args:
            memory_id: The id of the procedure's memory.
            success: Whether it went well.

        Returns:
            False when there is no procedure of that id, and nothing happens.

        Raises:
            TypeError: `success` is neither True nor False.
        """
        went = checked_bool(success, "success")
        named = identifier(memory_id, "memory_id")
        return procedures.record_outcome(self._view.engine, self._view.scope, named, success=went)

    def mine(self, *, min_support: int = 3, min_confidence: float = 0.7) -> list[Memory]:
        """Propose procedures from sequences of tool calls that recur and went well.

        They wait for `confirm` or `reject`, cite their episodes, and belong to the user of the sessions that show them.
        The last 2,000 sessions with calls and the first 200 calls of each are read; at most 50 are proposed.

        Args:
            min_support: In how many sessions it must have gone well, from 1 on. Default 3.
            min_confidence: Of the sessions that began it, the share in which it went well, 0 to 1. Default 0.7.

        Returns:
            The memories of the procedures that are newly proposed.

        Raises:
            ValueError: An argument is out of range.
        """
        view = self._view
        found = mining.mine(view.engine, view.scope, min_support=min_support, min_confidence=min_confidence)
        view.wake_worker()
        return found

    def confirm(self, memory_id: str) -> Memory:
        """Admit a mined procedure, as `validate` does.

        Args:
            memory_id: The id of the procedure's memory.

        Returns:
            The memory as it is now.

        Raises:
            NotFound: There is no procedure of that id.
        """
        return verdicts.validate(self._view.engine, self._view.verdict(None), self._existing(memory_id))

    def reject(self, memory_id: str) -> Memory:
        """Refuse a mined procedure, and return it; it is forgotten, as by the manager's `reject`.

        It is proposed again only when its support has grown by half.

        Args:
            memory_id: The id of the procedure's memory.

        Returns:
            The memory as it is now.

        Raises:
            NotFound: There is no procedure of that id.
            ValueError: It does not wait for a verdict.
        """
        return verdicts.reject(self._view.engine, self._view.verdict(None), self._existing(memory_id))

    def _existing(self, memory_id: str) -> str:
        if self.get(memory_id) is None:
            raise NotFound(memory_id)
        return memory_id

    def _find(self, task: str, k: int) -> tuple[list[Hit], bool]:
        """Return the best procedures for a task, and whether none of them answers it."""
        view = self._view
        wide = validation.checked_whole(k, "k") and max(procedures.WIDER * k, _FEWEST_HITS)
        found = view.recall(view.request(task, k=wide, kinds=("procedural",), include_links=False, touch=False))
        best = procedures.ranked(task, list(found), k)
        view.count_accesses([hit.id for hit in best])
        return best, found.abstained


@explained
class Keys(_Part):
    """The keys by which programs use a server over this store: `m.keys`.

    A view sees, makes and revokes only keys that open no more than it does: a user's view that user's, an org's all.

    Every method may also raise what any method of `MemoryManager` may: `TypeError`, `ValueError`, `StoreError`.
    """

    def create(
        self, role: choices.RoleName | Role, *, user: str | None = None, agent: str | None = None, name: str = ""
    ) -> Key:
        """Make a key and return it with its secret, which is shown only once: only its SHA-256 is stored.

        Args:
            role: What its holder may do: `read`, `write`, `review` or `admin`; each includes those before it.
            user: The user that the key is bound to. None means the view's user, or the whole organisation.
            agent: The agent as which it acts. None means the view's agent, or none.
            name: Your own word for it, at most 256 characters. Default "".

        Returns:
            The key with its `secret`.

        Raises:
            ValueError: The role is unknown, or `user` or `agent` is another than the view's own.
        """
        return keys.create_key(self._view.engine, self._view.bound, role, user=user, agent=agent, name=name)

    def list(self) -> list[Key]:
        """Return the keys of the view, newest first, revoked ones included; none shows its secret.

        Returns:
            The keys.
        """
        return keys.list_keys(self._view.engine, self._view.bound)

    def revoke(self, key_id: str) -> bool:
        """Revoke a key for good; it opens nothing from now on.

        Args:
            key_id: The id of the key.

        Returns:
            False when the view has no key of that id, or it is revoked already.

        Raises:
            ValueError: `key_id` is blank or too long.
        """
        return keys.revoke_key(self._view.engine, self._view.bound, key_id)

    def recognise(self, secret: str) -> Key | None:
        """Return the live key of a secret, whatever its org; a server calls it with what a client presented.

        Args:
            secret: The secret as it was presented.

        Returns:
            The key, or None when the secret is unknown, malformed or revoked.

        Raises:
            ValueError: The view is bound to a user, an agent or a session.
        """
        self._view.check_unbound("keys.recognise")
        return keys.find_key(self._view.engine, secret)

    def exist(self) -> bool:
        """Return whether the store has ever had a key, of any org, revoked and erased ones included.

        A server without keys is open to its own machine; a key that is gone again must not open it anew.

        Returns:
            True when there has ever been one.

        Raises:
            ValueError: The view is bound to a user, an agent or a session.
        """
        self._view.check_unbound("keys.exist")
        return keys.has_keys(self._view.engine)


@explained
class Records(_Part):
    """Exact records: `m.records(name)`, a collection of values by key that belongs to exactly the scope of the view.

    A value is any JSON or bytes, and comes back as it was put, whatever it says. A key is one string or several, which
    are never joined: what begins with `("a",)` is not `("ab",)`. With `index=` a record has a text that is a memory
    too, found by `recall`, and replaced and removed with the record.

    Every method may also raise what any method of `MemoryManager` may: `TypeError`, `ValueError`, `StoreError`.
    """

    def __init__(self, view: View, name: str) -> None:
        super().__init__(view)
        self._name = identifier(name, "name")

    def put(
        self,
        key: str | Sequence[str],
        value: Any,
        *,
        index: str | None = None,
        source_type: choices.SourceTypeName | SourceType = "external_data",
        ttl: Lifetime | None = None,
        expected: int | None = None,
        encoding: choices.Encoding = "json",
    ) -> int:
        """Store a record under its key in place of the whole earlier one, and return its revision.

        Args:
            key: One string, or several as the parts of the key.
            value: A JSON value or bytes, of at most `max_record_bytes` (16 MiB) as JSON.
            index: A text of the value that shall be a memory too. None means none, and removes the one before.
            source_type: The trust class by which the text is screened. A suspected attack is quarantined; the record
                comes back all the same. Default `external_data`.
            ttl: After how many seconds, or which timedelta, it expires. None means never.
            expected: The revision of the record that it replaces; 0 where there shall be none. None means any.
            encoding: `base64` means that a text is bytes, written so. Default `json`.

        Returns:
            The revision: a number that rises with every write to the collection.

        Raises:
            Conflict: The record has another revision than `expected`; nothing is stored.
            MemoryRejected: The text of `index` cannot be kept; nothing is stored.
        """
        given = {"value": value, "index": index, "source_type": source_type, "ttl": ttl, "expected": expected}
        (revision,) = self._run([{"op": "put", "key": key, "encoding": encoding, **given}])
        assert isinstance(revision, int)
        return revision

    def get(self, key: str | Sequence[str], *, touch: bool = False) -> ExactRecord | None:
        """Return the record of a key.

        Args:
            key: One string, or several as the parts of the key.
            touch: Let its time to live begin anew. Default False.

        Returns:
            The record, or None where there is none or it has expired.

        Raises:
            ValueError: The key has no part.
        """
        view, parts = self._view, records.key_parts(key)
        if checked_bool(touch, "touch"):
            (found,) = self._run([{"op": "get", "key": parts, "touch": True}])
            assert found is None or isinstance(found, ExactRecord)
            return found
        return records.get(view.engine, view.scope, self._name, parts)

    def delete(self, key: str | Sequence[str], *, expected: int | None = None) -> bool:
        """Remove a record, with the memory of its index text, for good.

        Args:
            key: One string, or several as the parts of the key.
            expected: The revision that it must have. None means any.

        Returns:
            False when there was none.

        Raises:
            Conflict: The record has another revision than `expected`; nothing is removed.
        """
        (removed,) = self._run([{"op": "delete", "key": key, "expected": expected}])
        return bool(removed)

    def delete_all(
        self, prefix: str | Sequence[str] = (), *, erase: bool = False, reason: str | None = None
    ) -> Forgotten:
        """Remove every record of the collection, or those whose keys begin with some parts, with their memories.

        Args:
            prefix: The parts that their keys begin with. Default none: all of them.
            erase: Prove that no byte of them is left, with a receipt. Default False.
            reason: Why, for the audit trail.

        Returns:
            The count of records, and with `erase` the `receipt`.

        Raises:
            ValueError: The prefix has too many parts.
        """
        view, parts, why = self._view, records.key_parts(prefix, "prefix", least=0), checked_reason(reason)
        sure = checked_bool(erase, "erase")
        return view.followed_up(records.delete_all(view.engine, view.scope, self._name, parts, erase=sure, reason=why))

    def list(
        self,
        prefix: str | Sequence[str] = (),
        *,
        where: Mapping[str, Any] | None = None,
        order: choices.RecordOrder = "position",
        limit: int = 100,
        cursor: str | None = None,
        touch: bool = False,
        include_narrower: bool = False,
    ) -> Page[ExactRecord]:
        """Return a page of records.

        Args:
            prefix: The parts that their keys begin with. Default none: all of them.
            where: Conditions on the fields of a value, as of `list_memories`; `a.b` is the field `b` in `a`.
            order: `position` (as they were made), `key` or `updated_at`; descending with a `-`. Default `position`.
            limit: The size of the page, 1 to 10,000; it ends before `max_record_bytes` of values. Default 100.
            cursor: The `next` of the page before. None means the first page.
            touch: Let their times to live begin anew. Default False.
            include_narrower: Also list the collections of this name in narrower views, in turn. Default False.

        Returns:
            A page of records; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The cursor is of another order, or an argument is out of range.
        """
        wanted = records.Wanted(
            prefix=records.key_parts(prefix, "prefix", least=0),
            where=where,
            order=order,
            limit=limit,
            cursor=cursor,
            touch=checked_bool(touch, "touch"),
            include_narrower=checked_bool(include_narrower, "include_narrower"),
        )
        return records.list_records(self._view.engine, self._view.scope, self._name, wanted)

    def keys(
        self,
        prefix: str | Sequence[str] = (),
        *,
        depth: int | None = None,
        limit: int = 1000,
        cursor: str | None = None,
    ) -> Page[tuple[str, ...]]:
        """Return a page of keys, in their order, without reading any value.

        Args:
            prefix: The parts that they begin with. Default none: all of them.
            depth: How many parts of each key to return, each beginning once. None means all.
            limit: The size of the page, 1 to 10,000. Default 1,000.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of keys; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The cursor is not one of keys, or an argument is out of range.
        """
        view, parts = self._view, records.key_parts(prefix, "prefix", least=0)
        return records.list_keys(view.engine, view.scope, self._name, parts, depth=depth, limit=limit, cursor=cursor)

    def batch(self, operations: Iterable[Mapping[str, Any]]) -> builtins.list[ExactRecord | int | bool | None]:
        """Carry out operations in one transaction, in order: all of them, or none.

        Args:
            operations: Each a mapping with `op`, which is `put`, `get` or `delete`, and what that method takes, such as
                `{"op": "put", "key": ["a", "b"], "value": {"n": 1}}`.

        Returns:
            What became of each: the revision of a `put`, the record of a `get` or None, whether a `delete` removed one.

        Raises:
            Conflict: A record has another revision than `expected`; nothing is changed.
            MemoryRejected: The text of an `index` cannot be kept; nothing is changed.
        """
        return self._run(operations)

    def sweep(self) -> int:
        """Remove the records of the collection that have expired, which nothing shows any more; return how many.

        The worker does so too, every `sweep_minutes`.

        Returns:
            How many were removed.
        """
        return records.remove_expired(self._view.engine, self._view.scope, self._name)

    def _run(self, operations: Iterable[Mapping[str, Any]]) -> builtins.list[ExactRecord | int | bool | None]:
        view = self._view
        todo = records.steps(view.engine, view.scope, self._name, operations)
        results = records.run(view.engine, view.scope, self._name, todo)
        view.wake_worker()
        return results


def suspected(memory: Memory) -> builtins.list[str]:
    """Return the passages of a quarantined memory that are the reason for it, none where that is no sign in its text.

    Args:
        memory: The memory as it was read.

    Returns:
        The passages as they are written, in order.
    """
    reason = memory.status_reason
    return injection.passages(memory.content, reason) if reason.startswith(prepare.SUSPECTED) else []
