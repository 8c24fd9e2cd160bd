"""The parts of a client, named and called as those of the manager are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from engrain.chat.formats import turns_of
from engrain.client.calls import BY_NAME, Remote, beside, refuse, remote
from engrain.client.files import download, upload
from engrain.conversation.durable import in_session
from engrain.graph.traversal import stated_relation_of, vocabulary
from engrain.model.memory import Turn
from engrain.model.scope import narrowed
from engrain.views import Graph, Keys, Lifecycle, Procedures, Working

_AT_ONCE = 1000


class RemoteGraph(Remote):
    """The graph of a client: the methods of `m.graph`."""

    _at = "graph"
    entity = remote(Graph.entity)
    entities = remote(Graph.entities)
    relationships = remote(Graph.relationships)
    memory_ids = remote(Graph.memory_ids)
    related = remote(Graph.related)
    shortest_path = remote(Graph.shortest_path)
    pagerank = remote(Graph.pagerank)
    merges = remote(Graph.merges)
    add_entity = remote(Graph.add_entity)
    add_alias = remote(Graph.add_alias)
    add_relationship = remote(Graph.add_relationship)
    link_memory = remote(Graph.link_memory)
    remove_entity = remote(Graph.remove_entity)
    merge = remote(Graph.merge)
    unmerge = remote(Graph.unmerge)
    resolve = remote(Graph.resolve)
    export = download(Graph.export)
    export_stix = download(Graph.export_stix)
    import_stix = upload(Graph.import_stix)

    def add_relationships(self, items: Iterable[Mapping[str, Any]]) -> int:
        """State many relations, a thousand in a request, and return how many are new; see `Graph.add_relationships`."""
        if isinstance(items, str | Mapping) or not isinstance(items, Iterable):
            raise TypeError("items must be an iterable of mappings with the arguments of add_relationship")
        waiting, place, new = iter(items), 0, 0
        while some := list(islice(waiting, _AT_ONCE)):
            for number, item in enumerate(some, start=place):
                stated_relation_of(item, number)  # here, where the whole list is counted
            new += self._ask(BY_NAME["graph relate-many"], {"items": some})
            place += len(some)
        return new

    def load_aliases(self, path: str | os.PathLike[str]) -> int:
        """Add the aliases of a file of this machine; see `Graph.load_aliases`."""
        read = vocabulary(path)
        for named, aliases in read:
            self.add_entity(named.type, named.name, aliases=aliases)
        return sum(len(aliases) for _, aliases in read)


class RemoteWorking(Remote):
    """The working memory of a client's session: the methods of `m.working`; its properties ask the server."""

    _at = "working"

    def __call__(self, session: str) -> RemoteWorking:
        """Return the working memory of another session, from a view that is bound to none."""
        return self._narrower(RemoteWorking, narrowed(self._scope, session=session))

    @property
    def messages(self) -> list[Turn]:
        """The window, oldest first."""
        found: list[Turn] = self._ask(BY_NAME["chat-log window"], self._in_session())
        return found

    @property
    def summary(self) -> str | None:
        """What is told of the turns that left the window; None before any did."""
        found: str | None = self._ask(BY_NAME["chat-log summary"], self._in_session())
        return found

    @property
    def token_count(self) -> int:
        """The tokens that the window holds, its summary included."""
        found: int = self._ask(BY_NAME["chat-log tokens"], self._in_session())
        return found

    def _in_session(self) -> dict[str, Any]:
        return {"session": in_session(self._scope, None).session}

    history = remote(Working.history)
    items = remote(Working.items)
    clear = remote(Working.clear)
    add = remote(Working.add)

    def extend(self, messages: Any) -> list[Turn]:
        """Append messages in the shapes of the common chat APIs, in order; all are read before the first is sent."""
        said = turns_of(messages)
        return [self.add(turn.role, turn.content, actor=turn.actor, at=turn.at, **turn.metadata) for turn in said]


class RemoteLifecycle(Remote):
    """The lifecycle of a client's memories: the methods of `m.lifecycle`."""

    _at = "lifecycle"
    heat = remote(Lifecycle.heat)
    effective_importance = remote(Lifecycle.effective_importance)
    policy = remote(Lifecycle.policy)
    jobs = remote(Lifecycle.jobs)
    timeline = remote(Lifecycle.timeline)
    reflect = remote(Lifecycle.reflect)
    retry = remote(Lifecycle.retry)

    @property
    def entries(self) -> Any:
        """Entries are collected beside the store."""
        refuse("lifecycle.entries", "sweep does what is due")


class RemoteProcedures(Remote):
    """What a client's view knows of how things are done: the methods of `m.procedures`."""

    _at = "procedures"
    store = remote(Procedures.store)
    get = remote(Procedures.get)
    delete = remote(Procedures.delete)
    find = remote(Procedures.find)
    render = remote(Procedures.render)
    record_outcome = remote(Procedures.record_outcome)
    mine = remote(Procedures.mine)
    confirm = remote(Procedures.confirm)
    reject = remote(Procedures.reject)


class RemoteKeys(Remote):
    """The keys of a client's server: the methods of `m.keys`, but for what a server asks itself."""

    _at = "keys"
    create = remote(Keys.create)
    revoke = remote(Keys.revoke)
    recognise = beside(Keys.recognise, "it is what a server asks of whoever presents a key")
    exist = beside(Keys.exist, "it is what a server asks before it lets anybody in")
    list = remote(Keys.list)
