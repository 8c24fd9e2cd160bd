"""MemoryManager: the public API. Each method validates, delegates and counts."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar, Unpack, cast, overload

from engrain import arguments, protocols, validation
from engrain.arguments import UNSET, AssembleFilters, EntityFilters, Progress, RecallFilters, Unset, check_names
from engrain.config import Settings
from engrain.graph.entity_store import entity_named
from engrain.guard import guard, log, notify
from engrain.lazy import later
from engrain.model import choices
from engrain.model import results as outcomes
from engrain.model.audit import AuditHead, AuditProof, AuditReport, ChainReport, Forgotten, Receipt
from engrain.model.entities import Entity, Reached, Relationship
from engrain.model.filters import Test
from engrain.model.memory import AuditEntry, Fact, Heat, Kind, Memory, Scope, Source, Status, Turn
from engrain.model.results import Collection, Format, Hit, Messages, Page, Recall, Remembered, ReviewItem, Synthesis
from engrain.model.signatures import PrivateHalf, PublicKey, Signer
from engrain.opening import embedder_of, move_store, open_engine, reranker_of, start
from engrain.protocols import LLM, Embedder, Reranker
from engrain.security.admission import counted
from engrain.storage.rows import MERGED, PROPOSED, REFUSED
from engrain.urls import is_database
from engrain.validation import Lifetime, When, checked_bool, checked_budget, checked_kind, checked_reason, identifier
from engrain.views import Graph, Keys, Lifecycle, Procedures, Records, View, Working, check_depth
from engrain.worker import Worker

if TYPE_CHECKING:
    from engrain import records
    from engrain.chat import formats
    from engrain.conversation import assemble, sessions
    from engrain.erasure import erase, receipts
    from engrain.graph import traversal
    from engrain.lifecycle import consolidation
    from engrain.llm import asker, tasks
    from engrain.policies import entries
    from engrain.read import deep, explain, listing, packing
    from engrain.read import ranking as rankings
    from engrain.read import request as requests
    from engrain.security import audit
    from engrain.synthesis import answer, replies
    from engrain.transfer import copies, export, imports, reindex
    from engrain.write import edits, extraction, folders, graph_edits, ingest, pipeline, prepare, transitions, verdicts
else:
    audit, formats, records = later("engrain", "security.audit", "chat.formats", "records")
    (consolidation,) = later("engrain.lifecycle", "consolidation")
    assemble, sessions = later("engrain.conversation", "assemble", "sessions")
    erase, receipts = later("engrain.erasure", "erase", "receipts")
    asker, tasks = later("engrain.llm", "asker", "tasks")
    entries, traversal = later("engrain", "policies.entries", "graph.traversal")
    deep, explain, listing = later("engrain.read", "deep", "explain", "listing")
    packing, rankings, requests = later("engrain.read", "packing", "ranking", "request")
    answer, replies = later("engrain.synthesis", "answer", "replies")
    copies, export, imports, reindex = later("engrain.transfer", "copies", "export", "imports", "reindex")
    edits, extraction, folders, graph_edits = later("engrain.write", "edits", "extraction", "folders", "graph_edits")
    ingest, pipeline, prepare = later("engrain.write", "ingest", "pipeline", "prepare")
    transitions, verdicts = later("engrain.write", "transitions", "verdicts")

__all__ = ["MemoryManager", "try_model"]

M = TypeVar("M", bound=Memory | None)
Settled = Annotated[Memory | Any, Memory | Entity]
"""The subject of a verdict: nearly always a memory, so a type checker lets it be used as one."""


@arguments.explained
class MemoryManager(arguments.NamesOfOthers):
    """An agent's memory over one store.

    Thread-safe; several processes may open one store. Close it, or use it as a context manager.

    Every method raises `TypeError` or `ValueError` for an argument of the wrong type or range, before anything is
    touched, `ScopeMissing` where `settings.require_user` wants a user, and `StoreError` when the store fails; a
    `Raises` section lists what else it may raise.

    Args:
        store: The path of an SQLite file, `":memory:"`, a `postgresql://` URL, or a `Store`. None means
            `ENGRAIN_STORE`, else the default data file of this user.
        org: The organisation that owns the memory; organisations are isolated from each other. Default `default`.
        user: The user who owns the memory; users are isolated from each other. None sees the whole organisation.
        agent: The agent, which sees its own memories and its user's common ones. None sees those of all agents.
        session: The session that new memories belong to. None means none.
        embedder: What makes vectors: `"auto"` (built in, offline), `"provider:model"` or an `Embedder`. None means
            that memories are found by words alone. Default `"auto"`, which yields to `ENGRAIN_EMBEDDER`.
        llm: The language model: `"provider:model"`, or an object with `complete(prompt, *, system, max_tokens)`. None
            means `ENGRAIN_LLM` when that is set, else none.
        reranker: What scores the best hits again: `"cross-encoder:model"`, `"llm"` or a `Reranker`. None means none.
        extractor: Finds facts in texts. None leaves it to the language model, or to rules without one.
        decider: Judges facts with `remember(evolve=True)`. None leaves it to the language model, or to rules.
        grader: Judges the hits of `recall_deep`. None leaves it to the language model; without one it is not done.
        query_transformer: Rephrases a question. None leaves it to the language model; without one it is not done.
        tokenizer: Counts the tokens of prompts and windows: a `Tokenizer`, or a name such as
            `"tiktoken:o200k_base"`. None counts by rule, about as the common models do.
        settings: The settings. None means those of the environment and the configuration file.
        clock: The source of the current time. None means the machine's clock.
        domains: The packs that read names in texts, by name or as `Domain` objects. None means all that are installed.
        callbacks: `MemoryCallback` objects, called after what they report has committed. None means none.
        signing_key: What signs memories and the audit trail: a key file outside the store's folder, or the key. None
            means `ENGRAIN_SIGNING_KEY` when that is set.

    Raises:
        ConfigError: A provider, an extra or a key is missing or does not fit.
        StoreError: The store cannot be opened.

    >>> with MemoryManager(":memory:", user="ana") as m:
    ...     memory, status = m.remember("Ana is allergic to penicillin")
    ...     m.recall("what is Ana allergic to?").texts
    ('Ana is allergic to penicillin',)
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | protocols.Store | None = None,
        *,
        org: str = "default",
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        embedder: str | Embedder | None = "auto",
        llm: str | LLM | None = None,
        reranker: str | Reranker | None = None,
        extractor: protocols.Extractor | None = None,
        decider: protocols.Decider | None = None,
        grader: protocols.Grader | None = None,
        query_transformer: protocols.QueryTransformer | None = None,
        tokenizer: str | protocols.Tokenizer | None = None,
        settings: Settings | None = None,
        clock: protocols.Clock | None = None,
        domains: Sequence[str | protocols.Domain] | None = None,
        callbacks: Sequence[object] | None = None,
        signing_key: str | bytes | os.PathLike[str] | Signer | PrivateHalf | None = None,
    ) -> None:
        scope = validation.scope_of(org, user, agent, session)
        self._engine = open_engine(
            store,
            embedder=embedder,
            llm=llm,
            reranker=reranker,
            extractor=extractor,
            decider=decider,
            grader=grader,
            query_transformer=query_transformer,
            tokenizer=tokenizer,
            settings=settings,
            clock=clock,
            domains=domains,
            callbacks=callbacks,
            signing_key=signing_key,
        )
        worker = Worker(self._engine)
        start(self._engine, worker)
        replays = cache(lambda: sessions.Replays())  # noqa: PLW0108 - the module is loaded at the first call
        self._view = View(self._engine, scope, worker, replays)

    # ------------------------------------------------------------------------------------------------ views and closing

    @property
    def settings(self) -> Settings:
        """The settings."""
        return self._engine.settings

    @property
    def store(self) -> protocols.Store:
        """The store."""
        return self._engine.store

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, None for words only."""
        return self._engine.embedder

    @property
    def llm(self) -> Annotated[LLM | Any, LLM | None]:  # the type that the caller gave, as with `Remembered.memory`
        """The language model, None for none; one that was opened by name counts its calls and tokens in `usage`."""
        return self._engine.llm

    @property
    def reranker(self) -> Reranker | str | None:
        """The reranker, None for none and `"llm"` for the language model."""
        return self._engine.reranker

    @property
    def public_key(self) -> str | None:
        """The public half of the signing key, for verifiers; None without a key."""
        signer = self._engine.signer
        return None if signer is None else signer.public_key

    @property
    def scope(self) -> Scope:
        """The scope that this view reads and writes."""
        return self._view.bound

    @property
    def graph(self) -> Graph:
        """The entities of the view and their relations."""
        return Graph(self._view)

    @property
    def working(self) -> Working:
        """The working memory of the view's session."""
        return Working(self._view)

    @property
    def procedures(self) -> Procedures:
        """How things are done."""
        return Procedures(self._view)

    @property
    def lifecycle(self) -> Lifecycle:
        """The lifecycle of the view's memories: decay, retention, jobs."""
        return Lifecycle(self._view)

    @property
    def keys(self) -> Keys:
        """The keys of a server over this store."""
        return Keys(self._view)

    def records(self, name: str) -> Records:
        """Return a collection of exact records of this view: values by key, which come back as they were put.

        Args:
            name: The name of the collection, at most 256 characters; it is made by its first `put`.

        Returns:
            The collection.

        Raises:
            ValueError: The name is blank or too long.
        """
        return Records(self._view, name)

    def collections(self, *, limit: int = 100, cursor: str | None = None) -> Page[Collection]:
        """List the collections of exact records, newest first.

        They are those of the view and of narrower ones: each opens in exactly its own scope.

        Args:
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of collections; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        return records.list_collections(self._engine, self._view.scope, limit=limit, cursor=cursor)

    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """Return a narrower view over the same engine; it costs nothing.

        Args:
            user: The user that the view is bound to. None leaves it as it is.
            agent: The agent that the view is bound to. None leaves it as it is.
            session: The session that the view is bound to. None leaves it as it is.

        Returns:
            The view.

        Raises:
            ValueError: A field that is set already is given another value.
        """
        return self._of(validation.narrowed(self._view.bound, user=user, agent=agent, session=session))

    def for_org(self, name: str) -> Self:
        """Return another organisation's view over the same engine.

        Args:
            name: The name of the organisation.

        Returns:
            The view.

        Raises:
            ValueError: This view is bound to a user, an agent or a session.
        """
        self._view.check_unbound("for_org")
        return self._of(validation.scope_of(name, None, None, None))

    def _of(self, scope: Scope) -> Self:
        view = object.__new__(type(self))
        view._engine, view._view = self._engine, replace(self._view, bound=scope)
        return view

    def flush(self, timeout: float | None = None) -> bool:
        """Finish all queued background work now, so that its results are visible.

        Without a language model or an extractor of your own, the episodes of the view are consolidated first, so that
        what they state plainly is a fact. What waits for tomorrow's budget, or in a process without a language model
        for one that has one, is no reason to wait.

        Args:
            timeout: How many seconds to wait at most. None means until all is done.

        Returns:
            False when time ran out, when there is no embedder, when it or a language model failed, or when an erasure
            is still pending; the worker tries again later.

        Raises:
            TypeError: `timeout` is not a number.
        """
        if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float)):
            raise TypeError(f"timeout must be a number of seconds, not {type(timeout).__name__}")
        until = None if timeout is None else time.monotonic() + timeout
        learnt = consolidation.learn_statements(self._engine, self._view.scope, until)
        return self._view.worker.flush(timeout if until is None else max(until - time.monotonic(), 0)) and learnt

    def close(self) -> None:
        """Finish the running job, write the access counts, and close the store for all views; twice is once."""
        self._view.worker.close()
        self._engine.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._view.label})"

    # ------------------------------------------------------------------------------------------------------------ write

    def remember(
        self,
        content: str,
        *,
        kind: choices.KindName | Kind | None = None,
        key: str | None = None,
        domain: str = "general",
        source_type: choices.SourceTypeName | str = "llm_generated",
        source_id: str = "",
        source_ref: str = "",
        session: str | None = None,
        actor: str | None = None,
        fact: Fact | tuple[str, str, str] | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        tier: choices.Tier | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        derived_from: Iterable[str] = (),
        valid_from: When | None = None,
        valid_until: When | None = None,
        ttl: Lifetime | None = None,
        pinned: bool = False,
        evolve: bool = False,
        sync: bool = False,
        resolve: choices.Resolve | None = None,
    ) -> Remembered:
        """Store a text as a memory; it is durable and can be found by its words when this returns.

        The same text again is the same memory (`noop`), and a known `key` edits the memory that has it (`updated`). A
        semantic memory that gives a single-valued fact another value, or states that something no longer holds, closes
        the older one (`updated`, `corrected`) or waits for a verdict (`pending`); what looks like an attack is hidden
        (`quarantined`).

        Args:
            content: The text to keep.
            kind: `working`, `episodic`, `semantic` or `procedural`. None means episodic in a session, else semantic.
            key: The caller's own id, unique within organisation, user and agent; a known key edits its memory.
            domain: A label such as `personal`, `project` or `research`. Default `general`.
            source_type: Where the text comes from: `system`, `user_input`, `llm_generated`, `tool_result`,
                `external_data`, or a word of your own that `settings.origins` maps to one of these. It decides how far
                the memory is trusted. Default `llm_generated`.
            source_id: The id of the writer or the source, by which writes are rate-limited; at most 2,048 characters.
            source_ref: A reference such as a URL or a task, at most 2,048 characters.
            session: The session that it belongs to. None means the view's session, if it has one.
            actor: Who said or did it: a speaker, an agent or a tool.
            fact: The statement as subject, predicate and object. None means what is read from the text.
            importance: How much it matters, 0 to 1. None means rated from the text.
            confidence: How sure it is, 0 to 1. None means 1, or what a successor inherits.
            tier: `A` authoritative, `B` operational or `C` support. None means B, or the lowest of `derived_from`.
            tags: Labels to filter by, at most 32 of at most 256 characters each.
            metadata: Your own fields, a JSON object of at most 64 KB.
            derived_from: Ids of the memories, at most 500, that it comes from; it is trusted no more than they are.
            valid_from: When it begins to be true: a datetime, a date or ISO 8601. None means now.
            valid_until: When it ceases to be true: a datetime, a date or ISO 8601. None means never.
            ttl: How long to keep it: a `timedelta` or seconds, more than 0. None leaves it to the retention policy.
            pinned: Let no default expire, evict or archive it. Default False.
            evolve: Take the text apart into facts, and have the decider compare each with known memories; the
                result is that of the most important fact, with the others in `others`. Default False.
            sync: Return only when it is embedded too, and described where a language model does that. Default False.
            resolve: `auto` compares it with known memories by all stages of conflict resolution, `off` only with
                identical texts. None means `settings.resolve`.

        Returns:
            The memory and what became of it.

        Raises:
            GovernanceViolation: The content is blank, too long or no text; nothing is stored.
            MemorySecurityError: The content is refused, or its source writes too often; nothing is stored.
            NotFound: A memory of `derived_from` is unknown; nothing is stored.
            ScopeMissing: A working memory has no session.
        """
        engine, scope = self._engine, self._view.scope
        for name, flag in (("sync", sync), ("evolve", evolve)):
            if flag is not False:
                checked_bool(flag, name)
        if engine.rates is not None:
            counted(engine, scope.org, source_id)
        kind = "semantic" if evolve and kind is None else kind
        fields: arguments.WriteFields = {"kind": kind, "key": key, "domain": domain}
        fields |= {"source_type": source_type, "source_id": source_id, "source_ref": source_ref}
        fields |= {"session": session, "actor": actor, "fact": fact, "importance": importance, "confidence": confidence}
        fields |= {"tier": tier, "tags": tags, "metadata": metadata, "derived_from": derived_from}
        fields |= {"valid_from": valid_from, "valid_until": valid_until, "ttl": ttl}
        fields |= {"pinned": pinned, "resolve": resolve}
        item = prepare.draft(content, scope=scope, settings=engine.settings, **fields)
        if item.derived_from:
            transitions.checked_sources(engine, item)
        if evolve:
            outcome = extraction.evolve(engine, item, partial(listing.nearest, engine, scope))
            return self._extracted([Turn(role="user", content=content, actor=actor)], [outcome], sync=sync)[0]
        if item.kind is Kind.WORKING:
            self._write_accesses_of_agent()
        return self._written(pipeline.remember(engine, [item]), sync=sync)[0]

    @overload
    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        on_error: Literal["raise"] = "raise",
        batch_size: int = 1000,
        sync: bool = False,
        **defaults: Unpack[arguments.WriteFields],
    ) -> list[Remembered]: ...

    @overload
    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        on_error: Literal["skip"],
        batch_size: int = 1000,
        sync: bool = False,
        **defaults: Unpack[arguments.WriteFields],
    ) -> list[Remembered[Memory | None]]: ...

    def remember_many(
        self,
        items: Iterable[Mapping[str, Any]],
        *,
        on_error: choices.OnError = "raise",
        batch_size: int = 1000,
        sync: bool = False,
        **defaults: Unpack[arguments.WriteFields],
    ) -> list[Remembered[Any]]:
        """Store many texts, with one transaction for each batch.

        Every item of a batch is checked before the batch is touched.

        Args:
            items: A memory each, as a mapping of the arguments of `remember`: `{"content": "..."}`.
            on_error: `raise` stores nothing of the batch of a refused item, and earlier batches stay; `skip` puts
                `Remembered(None, "rejected", decision)` in its place. Default `raise`.
            batch_size: How many items to write in one transaction, from 1 on. Default 1000.
            sync: Return only when all are embedded too. Default False.
            **defaults: Arguments of `remember` that hold for every item that does not have them itself.

        Returns:
            The outcomes, in the order of the items.

        Raises:
            MemoryRejected: An item is refused; a note on the error names it.
            NotFound: A memory of an item's `derived_from` is unknown.
            TypeError: An item or a default has an argument that `remember` does not have.
        """
        checked_bool(sync, "sync")
        self._write_accesses_of_agent()
        results = ingest.remember_many(
            self._engine, self._view.scope, items, on_error=on_error, batch_size=batch_size, defaults=defaults
        )
        return self._written(results, sync=sync)

    def remember_messages(
        self,
        messages: Any,
        *,
        session: str | None = None,
        extract: choices.Extract = "auto",
        sync: bool = False,
        **defaults: Unpack[arguments.MessageFields],
    ) -> list[Remembered]:
        """Store the messages of a chat, in the format of any common chat API, in one transaction.

        Roles give source type and actor. Saying the same again in another call is another event.

        Args:
            messages: A text, a message `{role, content, name?, at?}`, or a list of messages; `at` is when it was said.
            session: The session that the chat belongs to. None means the view's session, if it has one.
            extract: `turns` keeps turns, `facts` only their facts, `auto` turns now and facts later. Default `auto`.
            sync: Return only when all are embedded too. Default False.
            **defaults: Arguments of `remember` that hold for every message.

        Returns:
            The outcomes, in the order of the messages.

        Raises:
            GovernanceViolation: The content of a message cannot be kept; nothing is stored.
            TypeError: A message has no known shape, or there is no such default.
        """
        engine, scope = self._engine, self._view.scope
        checked_bool(sync, "sync")
        check_names(defaults, arguments.MessageFields, of="remember_messages")
        if isinstance(messages, Iterator):  # callbacks are shown them too
            messages = list(messages)
        counted(engine, scope.org, defaults.get("source_id"))
        found = extraction.extractor_of(engine, scope)
        results = ingest.remember_messages(
            engine, scope, messages, session=session, extract=extract, extractor=found, defaults=defaults
        )
        if extract != "facts" or not engine.callbacks:
            return self._written(results, sync=sync)
        # The facts are kept already.
        turns = guard("reading the turns for callbacks", lambda: formats.turns_of(messages))
        return self._extracted(turns or [], results, sync=sync)

    def remember_with_extraction(
        self,
        content: str,
        *,
        source_type: choices.SourceTypeName | str = "conversation",
        source_ref: str = "",
        domain: str = "general",
        context: str = "",
        min_importance: int = 3,
        max_facts: int = 5,
    ) -> list[Remembered]:
        """Extract the facts that a text states and store each of them; the text itself is not stored.

        Args:
            content: The text to take apart.
            source_type: Where the text comes from: `system`, `user_input`, `llm_generated`, `tool_result`,
                `external_data`, or a word of your own that `settings.origins` maps to one of these. Default
                `conversation`.
            source_ref: A reference such as a URL or a task; facts are numbered behind it.
            domain: A label such as `personal`, `project` or `research`. Default `general`.
            context: The text before it, to resolve pronouns; it is not kept.
            min_importance: The lowest rating of a fact that is kept, 1 to 10. Default 3.
            max_facts: How many facts are kept at most, the best rated ones. Default 5.

        Returns:
            The outcomes; `decision.found_by` names the extractor.

        Raises:
            GovernanceViolation: The content is blank, too long or no text; nothing is stored.
        """
        engine, scope = self._engine, self._view.scope
        limits, extractor = extraction.Limits(min_importance, max_facts), extraction.extractor_of(engine, scope)
        fields = {"source_ref": source_ref, "source_type": source_type, "domain": domain}
        results = extraction.remember_with_extraction(
            engine, scope, extractor, content, limits=limits, context=context, **fields
        )
        return self._extracted([Turn(role="user", content=content)], results)

    def remember_report(
        self,
        content: str,
        *,
        source_url: str = "",
        published_date: When = "",
        domain: str = "cti",
        min_importance: int = 3,
        max_facts: int = 10,
        chunk_size: int = 3000,
        progress: Progress | None = None,
    ) -> list[Remembered]:
        """Store a long text in chunks, together with the facts extracted from each chunk.

        Chunks are cut between sentences and are episodic memories; facts derive from them. Keeping the same report
        again adds nothing, nor does it bring back what of it was forgotten, rejected or superseded.

        Args:
            content: The text of the report.
            source_url: Where the report is published; references begin with it.
            published_date: When it was published and became true: a datetime, a date or ISO 8601. None by default.
            domain: A label such as `cti` or `research`. Default `cti`.
            min_importance: The lowest rating of a fact that is kept, 1 to 10. Default 3.
            max_facts: How many facts of a chunk are kept at most. Default 10.
            chunk_size: The size of a chunk in characters, from 1 on. Default 3000.
            progress: Called as `progress(done, total, label)` with the number of chunks. None means no calls.

        Returns:
            The outcomes of the facts.

        Raises:
            GovernanceViolation: The content is blank or no text; nothing is stored.
            ValueError: The date cannot be read, or a number is out of range.
        """
        engine, scope = self._engine, self._view.scope
        options: arguments.ReportOptions = {"domain": domain, "published_date": published_date}
        options |= {"min_importance": min_importance, "max_facts": max_facts, "chunk_size": chunk_size}
        how = ingest.store_report(engine, scope, source_url=source_url, **options)
        extractor = extraction.extractor_of(engine, scope)
        results = ingest.remember_report(engine, extractor, content, how, progress=progress)
        return self._extracted([Turn(role="user", content=content)], results)

    def ingest(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        report: bool = False,
        progress: Progress | None = None,
        name: str | None = None,
        format: choices.FileFormat | None = None,
        **defaults: Unpack[arguments.IngestFields],
    ) -> outcomes.Ingested:
        """Read files and folders into memory: text, Markdown, chat logs, exports and transcripts of other programs.

        Reading a file twice adds nothing, so that a run that was interrupted is simply begun again. A file that cannot
        be read is reported in `failed` and stops no other; what is passed over in a file is counted in `left_out`.

        Args:
            paths: Files and folders; `.gz` of each too.
            report: Take documents, but no chats and data sets, apart into facts, as `remember_report`. Default False.
            progress: Called as `progress(done, total, label)` with the number of bytes. None means no calls.
            name: What a single file is called in memory, and read as, such as an upload. None means its path.
            format: What the files are: `text`, `markdown`, `chat`, `whatsapp`, `chatgpt`, `claude`, `claude-code`,
                `codex`, `mem0`, `letta`, `mcp-memory`, `pdf`, `docx`, `html` or `subtitles`. None means its content.
            **defaults: Arguments of `remember` for every item; with `report` those of `remember_report`, too.

        Returns:
            Counts of the files and memories, and why files failed.

        Raises:
            FileNotFoundError: A path does not exist; nothing is read.
            TypeError: There is no such default.
            ValueError: There is no such format.
        """
        engine, scope = self._engine, self._view.scope
        extractor = extraction.extractor_of(engine, scope) if checked_bool(report, "report") else None
        result = ingest.ingest(
            engine, scope, paths, progress=progress, name=name, format=format, defaults=defaults, extractor=extractor
        )
        self._view.worker.wake()
        return result

    def sync_folder(
        self,
        folder: str | os.PathLike[str],
        *,
        write_back: bool = False,
        name: str | None = None,
        progress: Progress | None = None,
        **defaults: Unpack[arguments.DocumentFields],
    ) -> outcomes.Synced:
        """Synchronise memories with a folder of Markdown files, such as an Obsidian vault.

        A new passage becomes a memory, an edited one updates its memory, and that of a passage or file that is gone is
        forgotten. What changed on both sides is left as it is on both and counted.

        Args:
            folder: The folder; hidden files in it are passed over.
            write_back: Write memories that were edited here into their files. Default False.
            name: What the folder is called in memory; after it was moved, the path that it had. None means its path.
            progress: Called as `progress(done, total, label)` with the number of files. None means no calls.
            **defaults: Arguments of `remember` that hold for every new passage.

        Returns:
            Counts of the files and passages, and what was left out and why.

        Raises:
            FileNotFoundError: The folder does not exist.
            TypeError: There is no such default.
            ValueError: A folder from which memories come holds no Markdown any more, as if it were not mounted.
        """
        engine, scope, back = self._engine, self._view.scope, checked_bool(write_back, "write_back")
        result = folders.sync_folder(
            engine, scope, folder, write_back=back, name=name, progress=progress, defaults=defaults
        )
        self._view.worker.wake()
        return result

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
        tier: choices.Tier | Unset = UNSET,
        valid_from: When | Unset = UNSET,
        valid_until: When | Unset | None = UNSET,
        ttl: Lifetime | Unset | None = UNSET,
        pinned: bool | Unset = UNSET,
        source_type: choices.SourceTypeName | str | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Memory:
        """Correct a memory that was written wrongly; its earlier text stays in `history`.

        An argument that is left out is unchanged; None clears where a memory may lack the value.

        Args:
            memory_id: The id of the memory.
            content: The new text.
            fact: The statement as subject, predicate and object; None clears it.
            importance: How much it matters, 0 to 1.
            confidence: How sure it is, 0 to 1.
            tags: The tags in place of the present ones; None clears them.
            metadata: Fields to merge in, a JSON object; None as a value removes that key, None clears them all.
            domain: A label such as `personal`, `project` or `research`.
            tier: `A` authoritative, `B` operational or `C` support.
            valid_from: When it begins to be true, where what it replaced ends: a datetime, a date or ISO 8601.
            valid_until: When it ceases to be true: a datetime, a date or ISO 8601; None clears it.
            ttl: How long to keep it from when it was recorded: a `timedelta` or seconds; None clears it.
            pinned: Let no default expire, evict or archive it.
            source_type: Who asks for the edit; one trusted less than the memory only proposes it, as a contested
                memory. None means the application itself.
            reason: Why, for the audit trail.
            expected_version: Refuse the edit when the memory is at another version. None means any.

        Returns:
            The memory as it is now, or the contested memory that proposes the edit.

        Raises:
            NotFound: The memory is unknown.
            Conflict: It is not at `expected_version`.
            MemoryRejected: The new text would be quarantined; nothing is changed.
            ValueError: Another live memory has the new text; the message names it.
        """
        engine, scope = self._engine, self._view.scope
        identifier(memory_id, "memory_id")
        given: dict[str, object] = {"content": content, "fact": fact, "importance": importance}
        given |= {"confidence": confidence, "tags": tags, "metadata": metadata, "domain": domain, "tier": tier}
        given |= {"valid_from": valid_from, "valid_until": valid_until, "ttl": ttl, "pinned": pinned}
        source = None if source_type is None else Source(*prepare.classify(source_type, engine.settings.origins))
        why = checked_reason(reason)
        before = self._view.get(memory_id) if engine.callbacks else None
        memory = edits.update(
            engine, scope, memory_id, given, source=source, reason=why, expected_version=expected_version
        )
        self._view.wake_worker()
        if before is not None and memory != before:
            notify(engine.callbacks, "on_consolidation", "update", entries.entry_of(memory), entries.entry_of(before))
        return self._engine.accesses.shown(memory)

    def supersede(
        self,
        old_id: str,
        content: str,
        *,
        reason: str | None = None,
        sync: bool = False,
        **fields: Unpack[arguments.SuccessorFields],
    ) -> Remembered:
        """Store a text that replaces a memory from the time when the text becomes true: the world changed.

        Args:
            old_id: The id of the memory that gives way.
            content: The text to keep.
            reason: Why, for the audit trail.
            sync: Return only when it is embedded too. Default False.
            **fields: Arguments of `remember`; kind and domain default to those of the old memory. With a
                `source_type` that is trusted less than the old memory the new one waits next to it (`pending`);
                without one the application itself says so.

        Returns:
            The new memory and what became of it.

        Raises:
            NotFound: The old memory is unknown.
            MemoryRejected: The text cannot be kept; nothing is stored.
            ValueError: The old memory has been superseded already; the message names the live one.
        """
        engine, scope = self._engine, self._view.scope
        checked_bool(sync, "sync")
        check_names(fields, arguments.SuccessorFields, of="supersede")
        identifier(old_id, "old_id")
        counted(engine, scope.org, fields.get("source_id"))
        outcome = edits.supersede(engine, scope, old_id, content, reason=checked_reason(reason), fields=fields)
        self._view.wake_worker([outcome], sync=sync)
        if engine.callbacks:
            transitions.report_consolidated(engine.callbacks, [outcome], self._view.get)
        return outcome

    def mark_superseded(self, old_id: str, new_id: str) -> bool:
        """Mark a stored memory as superseded by another one.

        Args:
            old_id: The id of the memory that gives way.
            new_id: The id of the memory that takes its place.

        Returns:
            False when either is unknown.

        Raises:
            ValueError: The old one has been superseded already (the message names the live one), the new one is not
                active or not at the head of its chain, or that would make a circle.
        """
        identifier(old_id, "old_id")
        return edits.mark_superseded(self._engine, self._view.scope, old_id, identifier(new_id, "new_id"))

    def promote(
        self, memory_id: str, *, to: choices.PromotionTarget | Kind = "semantic", reason: str | None = None
    ) -> Memory:
        """Change a memory to a longer-lasting kind; it keeps its id.

        Working memories may become episodic, those and episodes semantic or procedural. A new fact meets the others as
        if it were written now, and may have to wait; an end that only the kind's default gave it is removed.

        Args:
            memory_id: The id of the memory.
            to: What it becomes: `episodic`, `semantic` or `procedural`. Default `semantic`.
            reason: Why, for the audit trail.

        Returns:
            The memory as it is now; where a live memory has the same text already, that one; the promoted one stays.

        Raises:
            NotFound: The memory is unknown.
            ValueError: It is not live, or cannot become that kind.
        """
        verdict = replace(self._view.verdict(reason), authority=False, operation="promote")
        memory = verdicts.promote(self._engine, verdict, identifier(memory_id, "memory_id"), checked_kind(to))
        return self._engine.accesses.shown(memory)

    def pin(self, memory_id: str) -> Memory:
        """Protect a memory from expiry, eviction and archiving by policies; a `ttl` that was given still holds.

        Args:
            memory_id: The id of the memory.

        Returns:
            The memory as it is now.

        Raises:
            NotFound: The memory is unknown.
        """
        return self._pinned(memory_id, True)

    def unpin(self, memory_id: str) -> Memory:
        """Unpin a memory, so that policies apply to it again.

        Args:
            memory_id: The id of the memory.

        Returns:
            The memory as it is now.

        Raises:
            NotFound: The memory is unknown.
        """
        return self._pinned(memory_id, False)

    def _pinned(self, memory_id: str, pinned: bool) -> Memory:
        memory = edits.pin(self._engine, self._view.scope, identifier(memory_id, "memory_id"), pinned)
        return self._engine.accesses.shown(memory)

    def link(self, from_id: str, to_id: str, relation: choices.LinkRelation = "related") -> bool:
        """Link one memory to another.

        `related` and `contradicts` show on both ends. What derives from a memory is trusted no more than it.

        Args:
            from_id: The id of the memory that the link starts from.
            to_id: The id of the memory that it leads to.
            relation: `related`, `derived_from`, `causes`, `contradicts` or `supports`. Default `related`.

        Returns:
            False when there is such a link already.

        Raises:
            NotFound: A memory is unknown.
            ValueError: The relation is unknown, or both are the same memory.
        """
        ends = identifier(from_id, "from_id"), identifier(to_id, "to_id")
        return edits.link(self._engine, self._view.scope, *ends, relation)

    def unlink(self, from_id: str, to_id: str, relation: choices.LinkRelation = "related") -> bool:
        """Remove a link between two memories.

        Args:
            from_id: The id of the memory that the link starts from.
            to_id: The id of the memory that it leads to.
            relation: `related`, `causes`, `contradicts` or `supports`. Default `related`.

        Returns:
            False when there is no such link.

        Raises:
            NotFound: A memory is unknown.
            ValueError: The relation is unknown, or is `derived_from`: provenance stays.
        """
        ends = identifier(from_id, "from_id"), identifier(to_id, "to_id")
        return edits.unlink(self._engine, self._view.scope, *ends, relation)

    def forget(
        self, memory_id: str | None = None, *, key: str | None = None, reason: str | None = None, hard: bool = False
    ) -> Forgotten:
        """Hide one memory from every read, or erase it; `history` and the audit trail still know a hidden one.

        Its text and key may be used again. Summaries of it, and what was learnt from a turn alone, are hidden with it.
        Erasure takes what it came from and all that derives from it, not another owner's equal text; its id stays.

        Args:
            memory_id: The id of the memory; either this or `key`.
            key: The caller's own id of the memory that `get` returns.
            reason: Why, for the audit trail.
            hard: Erase every byte of it, for good, whatever its status. Default False.

        Returns:
            The count, 0 for an unknown memory or one of another scope. With `hard` a `receipt` lists what was removed
            from where, and whether a search of the files found anything left; `pending` while a reader keeps bytes.

        Raises:
            ValueError: Neither or both of `memory_id` and `key` are given.
        """
        return self._view.forget(memory_id, key=key, reason=reason, hard=hard)

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
        """Hide, or erase, all memories of a user, an agent, a session or the organisation, or that match a filter.

        Several arguments narrow each other; what is outside the view counts 0. Erasing a whole user, agent or
        session takes its conversations, its records and what it stated of the graph, too.

        Args:
            user: All memories of this user.
            agent: All memories that this agent remembered for itself.
            session: All memories of this session.
            org: All memories of the organisation, which must be the view's own and the view not narrower.
            where: All memories with metadata that passes these conditions, such as `{"year": {"gte": 2020}}`.
            hard: Erase every byte of them, for good. Default False.
            dry_run: Count what would be forgotten, and change nothing. Default False.
            reason: Why, for the audit trail.

        Returns:
            The count, and with `hard` a `receipt`, as of `forget`.

        Raises:
            ValueError: No argument says what is to be forgotten.
        """
        engine, scope = self._engine, self._view.scope
        owners = {"user": user, "agent": agent, "session": session, "org": org}
        given = {name: identifier(value, name) for name, value in owners.items() if value is not None}
        if not given and not where:  # an empty filter would take everything
            raise ValueError("forget_all needs to know what to forget: give user, agent, session, org or where")
        wanted = erase.Wanted(scope, **given, where=where)
        memories, why = wanted.memories, checked_reason(reason)
        dry, erases = checked_bool(dry_run, "dry_run"), checked_bool(hard, "hard")
        if wanted.is_outside:
            return Forgotten(0, dry_run=dry)
        if dry and erases:
            return erase.would_erase(engine, wanted)
        if dry:
            return Forgotten(listing.count(engine, memories.but(Test("status", "ne", Status.FORGOTTEN))), dry_run=True)
        if erases:
            return self._view.followed_up(erase.erase_all(engine, wanted, reason=why))
        return edits.forget(engine, scope, memories, reason=why)

    def receipts(self, *, limit: int = 100, cursor: str | None = None) -> Page[Receipt]:
        """List the receipts of the erasures made in this view, oldest first.

        Args:
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of receipts; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        return receipts.listed(self._engine, self._view.scope, limit=limit, cursor=cursor)

    def receipt(self, receipt_id: str) -> Receipt | None:
        """Return the receipt of an erasure as it is now.

        Args:
            receipt_id: The id of the receipt.

        Returns:
            The receipt, or None when it is unknown or of another view.

        Raises:
            ValueError: `receipt_id` is blank or too long.
        """
        return receipts.by_id(self._engine, self._view.scope, identifier(receipt_id, "receipt_id"))

    def reinstate(self, memory_id: str, *, reason: str | None = None) -> Settled:
        """Bring back an archived, expired or forgotten memory, and what was forgotten with it; what waited waits again.

        Args:
            memory_id: The id of the memory, or of a settled merge of entities, which then waits for a verdict again.
            reason: Why, for the audit trail.

        Returns:
            The memory; when its fact has another value by now, the new version of it that takes that one's place. Of a
            merge the entity that would be kept.

        Raises:
            NotFound: The memory or the merge is unknown.
            ValueError: Another live memory has exactly this text.
        """
        verdict, named = self._view.verdict(reason), identifier(memory_id, "memory_id")
        if graph_edits.is_merge(named):
            return self._settle_merge(named, verdict, PROPOSED)
        memory = verdicts.reinstate(self._engine, verdict, named)
        if memory is None:
            memory = edits.restate(self._engine, self._view.scope, named)
        self._view.wake_worker()
        return self._engine.accesses.shown(memory)

    # ----------------------------------------------------------------------------------------------------------- recall

    def recall(
        self,
        query: str,
        *,
        k: int = 10,
        kinds: Iterable[choices.KindName | Kind] | None = None,
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        all_tags: Iterable[str] | None = None,
        tiers: Iterable[choices.Tier] | None = None,
        heat: choices.HeatName | Heat | Iterable[choices.HeatName | Heat] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        shared: bool = False,
        since: When | None = None,
        until: When | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        now: When | None = None,
        include_links: bool = True,
        exclude_superseded: bool = True,
        include_quarantined: bool = False,
        min_score: float = 0.0,
        min_trust: float = 0.0,
        ranking: arguments.Ranking | None = None,
        expand_hops: int = 0,
        multi_query: int = 0,
        hyde: bool = False,
        rerank: bool | None = None,
        touch: bool = True,
    ) -> Recall:
        """Find memories that answer a question, best first: by words and by meaning, every filter inside the search.

        Args:
            query: The question; an empty one ranks by recency and importance.
            k: How many memories at most, from 0 on. Default 10.
            kinds: Only memories of these kinds: `working`, `episodic`, `semantic` or `procedural`. None means all of
                them, working memory only with a session in scope.
            domain: Only memories of this domain, such as `personal` or `research`. None means any.
            tags: Only memories that have at least one of these tags. None means any.
            all_tags: Only memories that have every one of these tags. None means any.
            tiers: Only memories of these tiers: `A` authoritative, `B` operational, `C` support. None means any.
            heat: Only memories used this much lately: one or several of `hot`, `warm` and `cold`. None means any.
            where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`, with the operators eq, ne, gt, gte,
                lt, lte, in, nin, contains and exists, combined by and, or and not.
            session: Only memories of this session. A view that is bound to a session can name no other.
            shared: Also the organisation's memories that belong to no user. Default False.
            since: Only memories with an event time at or after this: a datetime, a date or ISO 8601.
            until: Only memories with an event time before this: a datetime, a date or ISO 8601.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time, in the words of that time. None means now.
            now: The clock of the question: what "last week" is relative to, and when memories are valid. Default now.
            include_links: Add memories that are linked to the hits, at a lower score. Default True.
            exclude_superseded: Leave out memories that were superseded or have ended. Default True.
            include_quarantined: Also find memories that are not admitted yet. Default False.
            min_score: The lowest relevance of a hit, 0 to 1. Default 0, no limit.
            min_trust: The lowest trust of a memory's source, 0 to 1. Default 0, no limit.
            ranking: The ranking policy: `convex`, `rrf`, `intent_blend`, `recency_similarity_importance`,
                `similarity_importance_recency`, or a `Convex` or `RankingPolicy` object. None means `convex`.
            expand_hops: How many steps, 0 to 2, to follow entities that hits share, at a lower score. Default 0.
            multi_query: How many phrasings of the question to search by, itself included, at most 6. More than one
                needs a query transformer or a language model, and is left out without. Default 0, the question alone.
            hyde: Also search by an answer made up by a query transformer or language model, if any. Default False.
            rerank: Whether the reranker scores the best hits again: None when there is one, True fails without one.
            touch: Count an access of each hit. Default True.

        Returns:
            The hits, with how they were found.

        Raises:
            ConfigError: `rerank` is True and there is no reranker.
            ScopeMissing: Only working memory is asked for, and no session is in scope.
        """
        filters: RecallFilters = {"kinds": kinds, "domain": domain, "tags": tags, "all_tags": all_tags, "tiers": tiers}
        filters |= {"heat": heat, "where": where, "session": session, "shared": shared}
        filters |= {"since": since, "until": until, "as_of": as_of, "known_at": known_at, "now": now}
        filters |= {"include_links": include_links, "exclude_superseded": exclude_superseded}
        filters |= {"include_quarantined": include_quarantined, "min_score": min_score, "min_trust": min_trust}
        filters |= {"ranking": ranking, "expand_hops": expand_hops, "multi_query": multi_query, "hyde": hyde}
        filters |= {"rerank": rerank, "touch": touch}
        return self._view.recall(self._view.request(query, k=k, **filters))

    def context(self, query: str, *, token_budget: int = 4000, k: int = 10, **filters: Unpack[RecallFilters]) -> str:
        """Return the memories that answer a question as Markdown for a prompt.

        Hits below `settings.abstain_below` are left out, or below `min_score` where it is given. The best one is always
        there, cut at sentences where it is too long.

        Args:
            query: The question; an empty one ranks by recency and importance.
            token_budget: How many tokens the text may have, from 0 on. Default 4000.
            k: How many memories at most, from 0 on. Default 10.
            **filters: Keyword arguments of `recall`.

        Returns:
            The text, never longer than the budget.

        Raises:
            TypeError: There is no such filter.
            ValueError: The budget is negative.
        """
        check_names(filters, RecallFilters, of="context")
        checked_budget(token_budget)
        return self.recall(query, k=k, **filters).context(token_budget)

    def recall_deep(
        self, query: str, *, max_iterations: int = 3, k: int = 10, **filters: Unpack[RecallFilters]
    ) -> Recall:
        """Recall in rounds if a question is hard, with a grader that judges the hits and rephrases the question.

        An easy question is asked once, and so is any without a grader or a language model. Later looks also follow
        shared entities, and all are fused by rank. A grader that fails ends it, which is no abstention.

        Args:
            query: The question.
            max_iterations: How many looks at most, from 1 on; more than 5 count as 5. Default 3.
            k: How many memories at most, from 0 on. Default 10.
            **filters: Keyword arguments of `recall`.

        Returns:
            The hits; `iterations`, `queries` and `sufficient` report what happened, and `abstained` is True when the
            grader was not content in the end.

        Raises:
            TypeError: There is no such filter.
            ValueError: `max_iterations` is not positive.
        """
        check_names(filters, RecallFilters, of="recall_deep")
        request = self._view.request(query, k=k, **filters)
        found = deep.recall_deep(self._engine, self._view.scope, request, max_iterations=max_iterations)
        return self._view.count_recall(found, touch=request.touch)

    def why_not(self, query: str, memory_id: str, *, k: int = 10, **filters: Unpack[RecallFilters]) -> outcomes.WhyNot:
        """Explain why a recall does not return a memory: the stage that drops it, and by how much.

        No access is counted.

        Args:
            query: The question.
            memory_id: The id of the memory that is missing.
            k: How many memories the recall returns at most. Default 10.
            **filters: Keyword arguments of `recall`.

        Returns:
            The stage, what was lacking, and the reason; an id that is not in scope falls out at `scope`.

        Raises:
            TypeError: There is no such filter.
        """
        check_names(filters, RecallFilters, of="why_not")
        request = self._view.request(query, k=k, **filters)
        scope = validation.narrowed(self._view.scope, session=filters.get("session"))
        named = identifier(memory_id, "memory_id")
        return explain.why_not(self._engine, scope, request, named, shared=filters.get("shared", False))

    def synthesize(
        self,
        query: str,
        *,
        format: choices.AnswerFormat | Format = "direct_answer",
        k: int = 10,
        tier_filter: choices.Tier | Iterable[choices.Tier] | None = None,
        model: bool = True,
        **filters: Unpack[arguments.SynthesisFilters],
    ) -> Synthesis:
        """Answer a question from memories, and quote the source of every sentence.

        The language model writes the answer and is held to what it cites; without one, or when it fails,
        `metadata.model_used` is `offline` and the answer consists of the memories' own sentences. When no memory is
        relevant enough (`settings.abstain_below`, at least .3), `metadata.abstained` is True and there is no answer.

        Args:
            query: The question.
            format: `direct_answer`, `synthesized_brief` (a summary and key points), `timeline_analysis` (dated events
                in order) or `relationship_map` (names and how they are related). Default `direct_answer`.
            k: How many memories to look at, at most. Default 10.
            tier_filter: Only memories of this tier, or these: `A`, `B` or `C`. None means `settings.synthesis_tiers`.
            model: Let the language model write the answer, where there is one. Default True.
            **filters: Keyword arguments of `recall`; quarantined memories are no evidence.

        Returns:
            The answer, its sources, and how it was made.

        Raises:
            TypeError: There is no such filter.
            ValueError: The format is unknown, `tier_filter` is empty, or quarantined memories are asked for.
        """
        form = Format(choices.checked_choice(format, "format", choices.AnswerFormat))
        check_names(filters, arguments.SynthesisFilters, of="synthesize")
        if filters.get("include_quarantined"):
            raise ValueError("an answer does not rest on quarantined memories: validate them first, or recall them")
        wanted = self.settings.synthesis_tiers if tier_filter is None else tier_filter
        tiers = cast(tuple[choices.Tier, ...], (wanted,) if isinstance(wanted, str) else tuple(wanted))
        if not tiers:
            raise ValueError("tier_filter is empty: name one or more of A, B and C, or leave it out")
        request = self._view.request(query, k=k, tiers=tiers, **filters)
        engine = self._engine if checked_bool(model, "model") else replace(self._engine, llm=None)
        found = answer.synthesize(engine, self._view.scope, request, form=form, tiers=tiers, filters=filters)
        if request.touch:
            self._view.count_accesses([source["memory_id"] for source in found.sources if source["cited"]])
        return found

    def validate_synthesis(self, synthesis: Synthesis | Mapping[str, Any]) -> tuple[bool, list[str]]:
        """Check an answer against the memories that it cites, and return the problems.

        Its confidence is a number from .3 to 1; its 1 to 20 sources are live, admitted memories of this view; each
        quote occurs in its memory word for word; every sentence cites them, and its names, figures and dates are
        theirs. `metadata.standpoint` is the point in time at which they are read, by default now.

        Args:
            synthesis: The answer, as `synthesize` returned it or as a mapping; what is wrong inside is never raised.

        Returns:
            Whether nothing is wrong, and what is.

        Raises:
            TypeError: It is no answer at all.
        """
        errors = replies.errors_of(self._engine, self._view.scope, synthesis)
        return not errors, errors

    def check_synthesis_quality(self, synthesis: Synthesis | Mapping[str, Any]) -> dict[str, Any]:
        """Grade the form of an answer; `validate_synthesis` looks at what it cites.

        The score is .4 x min(1, confidence / .7) + .3 x min(1, sources / 5) + .3 if it is not empty.

        Args:
            synthesis: The answer, as `synthesize` returned it or as the mapping that it is.

        Returns:
            `score` from 0 to 1, and `grade`: EXCELLENT from .8, GOOD from .5, else NEEDS_WORK.

        Raises:
            TypeError: It is no answer at all.
        """
        return replies.quality(synthesis)

    def fuse(self, query: str, lists: Sequence[Sequence[Hit]], *, k: int = 10) -> list[Hit]:
        """Fuse lists of hits by reciprocal rank, then by the reranker if there is one.

        Args:
            query: The question that the hits answer.
            lists: Lists of hits, each best first.
            k: How many hits to return at most, from 0 on. Default 10.

        Returns:
            The best hits; each keeps the best relevance it has in any list.

        Raises:
            TypeError: `k` is not a whole number.
        """
        asked = requests.checked_question(query, k)
        return rankings.fuse(asked, lists, tasks.reranker(self._engine, self._view.scope))[:k]

    def set_reranker(self, reranker: str | Reranker | None) -> Reranker | str | None:
        """Replace the reranker of all views.

        Args:
            reranker: `"cross-encoder:model"`, `"llm"` or a `Reranker`; None means none.

        Returns:
            The reranker before.

        Raises:
            ConfigError: Its extra is not installed, or there is no language model.
        """
        previous, self._engine.reranker = self._engine.reranker, reranker_of(reranker, self._engine.llm)
        return previous

    def neighbors(self, text: str, *, k: int = 10) -> list[Hit]:
        """Return the memories whose vectors are nearest to a text, by cosine similarity alone; also quarantined ones.

        Superseded, expired and forgotten memories are left out.

        Args:
            text: The text to compare with.
            k: How many memories at most, from 0 on. Default 10.

        Returns:
            The hits, nearest first; `score` is the cosine. [] without an embedder.

        Raises:
            TypeError: `text` is no text, or `k` is not a whole number.
        """
        asked = requests.checked_question(text, k)
        return listing.neighbors(self._engine, requests.select(self._view.scope), asked, k)

    # --------------------------------------------------------------------------------------------------------- entities

    def recall_entity(
        self,
        entity_type: str,
        value: str,
        *,
        k: int = 5,
        domain: str | None = None,
        kinds: Iterable[choices.KindName | Kind] | None = None,
        tags: Iterable[str] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        shared: bool = False,
        since: When | None = None,
        until: When | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        touch: bool = True,
    ) -> list[Memory]:
        """Return the memories about an entity, by any of its names, newest first.

        Case, spaces and hyphens make no difference; types of a family (actors; tools and malware) are looked up as one.

        Args:
            entity_type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            k: How many memories at most, from 0 on. Default 5.
            domain: Only memories of this domain, such as `personal` or `research`. None means any.
            kinds: Only memories of these kinds: `working`, `episodic`, `semantic` or `procedural`. None means all of
                them, working memory only with a session in scope.
            tags: Only memories that have at least one of these tags. None means any.
            where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`, with the operators eq, ne, gt, gte,
                lt, lte, in, nin, contains and exists, combined by and, or and not.
            session: Only memories of this session. A view that is bound to a session can name no other.
            shared: Also the organisation's memories that belong to no user. Default False.
            since: Only memories with an event time at or after this: a datetime, a date or ISO 8601.
            until: Only memories with an event time before this: a datetime, a date or ISO 8601.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time, in the words of that time. None means now.
            touch: Count an access of each. Default True.

        Returns:
            The memories; [] for an unknown entity.

        Raises:
            ValueError: The type or the name is blank or too long.
        """
        validation.checked_whole(k, "k")
        filters: EntityFilters = {"domain": domain, "kinds": kinds, "tags": tags, "where": where, "session": session}
        filters |= {"shared": shared, "since": since, "until": until, "as_of": as_of, "known_at": known_at}
        graph = self._view.graph(**filters)
        found = graph.memories([entity_named(entity_type, value)], k)
        self._engine.counters.count("entity_hits", self._view.scope)
        self._view.count_accesses([memory.id for memory in found] if checked_bool(touch, "touch") else [])
        return [self._engine.accesses.shown(memory) for memory in found]

    def recall_cve(self, cve_id: str, *, k: int = 5, **filters: Unpack[EntityFilters]) -> list[Memory]:
        """Return the memories about a vulnerability by its CVE number, newest event time first.

        Args:
            cve_id: The number, such as `CVE-2024-3094`, in any case.
            k: How many memories at most, from 0 on. Default 5.
            **filters: Keyword arguments of `recall_entity`.

        Returns:
            The memories; [] for an unknown number.

        Raises:
            TypeError: There is no such filter.
        """
        return self.recall_entity("cve", cve_id, k=k, **filters)

    def recall_actor(self, name: str, *, k: int = 5, **filters: Unpack[EntityFilters]) -> list[Memory]:
        """Return the memories about a threat actor or intrusion set by any of its names, newest event time first.

        Args:
            name: Any of its names.
            k: How many memories at most, from 0 on. Default 5.
            **filters: Keyword arguments of `recall_entity`.

        Returns:
            The memories; [] for an unknown name.

        Raises:
            TypeError: There is no such filter.
        """
        return self.recall_entity("actor", name, k=k, **filters)

    def recall_tool(self, name: str, *, k: int = 5, **filters: Unpack[EntityFilters]) -> list[Memory]:
        """Return the memories about a tool or malware by any of its names, newest event time first.

        Args:
            name: Any of its names.
            k: How many memories at most, from 0 on. Default 5.
            **filters: Keyword arguments of `recall_entity`.

        Returns:
            The memories; [] for an unknown name.

        Raises:
            TypeError: There is no such filter.
        """
        return self.recall_entity("tool", name, k=k, **filters)

    def get_entity_relationships(
        self,
        entity_type: str,
        value: str,
        *,
        limit: int | None = None,
        skip: int = 0,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Relationship]:
        """Return how an entity is related to others, in both directions, the clearest relations first.

        Entities that are only named together are `related_to` each other, at a weight of at most .5.

        Args:
            entity_type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            limit: How many relations at most, 1 to 10,000. None means all.
            skip: How many of the clearest to leave out: those of the pages before. Default 0.
            shared: Also see what the organisation's memories without a user say. Default False.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time. None means now.

        Returns:
            The relations; [] for an unknown entity.

        Raises:
            ValueError: The type or the name is blank or too long, the limit is out of range, or `skip` is negative.
        """
        graph = self._view.graph(shared=shared, as_of=as_of, known_at=known_at)
        begin = validation.checked_whole(skip, "skip")
        part = slice(begin, None if limit is None else begin + validation.checked_limit(limit))
        return graph.read([entity_named(entity_type, value)], traversal.neighbours, part)

    def traverse_graph(
        self,
        entity_type: str,
        value: str,
        *,
        max_depth: int = 2,
        shared: bool = False,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> list[Reached]:
        """Return every entity within some steps of an entity, breadth first, each once with a shortest path to it.

        Args:
            entity_type: The type of the entity, such as `person`, `organization`, `actor`, `malware` or `cve`.
            value: Any name of the entity.
            max_depth: How many steps to walk at most, 0 to 10. Default 2.
            shared: Also see what the organisation's memories without a user say. Default False.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time. None means now.

        Returns:
            The entities reached; [] for an unknown entity.

        Raises:
            ValueError: `max_depth` is not from 0 to 10.
        """
        graph = self._view.graph(shared=shared, as_of=as_of, known_at=known_at)
        return graph.read([entity_named(entity_type, value)], traversal.reached, check_depth(max_depth))

    # ------------------------------------------------------------------------------------------------------------- read

    def get(
        self,
        memory_id: str | None = None,
        *,
        key: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
    ) -> Memory | None:
        """Return one memory by its id or by the caller's key.

        Its `status` is that of now. Superseded, quarantined, archived and expired memories are returned too.

        Args:
            memory_id: The id of the memory; either this or `key`.
            key: The caller's own id: the view's own memory of that key, then its user's common one.
            as_of: Only if it was valid at this time: a datetime, a date or ISO 8601. None means any time.
            known_at: As it was at this time: a datetime, a date or ISO 8601. None means as it is now.

        Returns:
            The memory, or None when it is unknown, forgotten or of another scope.

        Raises:
            ValueError: Neither or both of `memory_id` and `key` are given, or several further memories have the key.
        """
        at = requests.point_in_time(self._engine, as_of=as_of, known_at=known_at)
        memory = listing.get(self._engine, self._view.scope, listing.id_or_key(memory_id, key), at)
        return None if memory is None else self._engine.accesses.shown(memory)

    def facts(
        self,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[Memory]:
        """Return the memories whose fact matches, newest first; where they contradict each other, most trusted first.

        Parts are compared as facts are: case, articles and usual names of a predicate make no difference.

        Args:
            subject: The person or thing that the fact is about. None means any.
            predicate: What it states of the subject, such as `lives_in`. None means any.
            object: The value. None means any.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time, in the words of that time. None means now.
            where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`.

        Returns:
            The memories; without any part those of all facts.

        Raises:
            ValueError: A part is blank.
        """
        live, at = requests.build_selection(self._engine, self._view.scope, as_of=as_of, known_at=known_at, where=where)
        return listing.facts(self._engine, live, at, subject=subject, predicate=predicate, object=object)

    def list_memories(
        self,
        *,
        kinds: Iterable[choices.KindName | Kind] | None = None,
        status: choices.StatusFilter | Status | Iterable[choices.StatusFilter | Status] = "active",
        domain: str | None = None,
        tags: Iterable[str] | None = None,
        all_tags: Iterable[str] | None = None,
        tiers: Iterable[choices.Tier] | None = None,
        heat: choices.HeatName | Heat | Iterable[choices.HeatName | Heat] | None = None,
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        actor: str | None = None,
        words: str | None = None,
        derived_from: Iterable[str] | None = None,
        since: When | None = None,
        until: When | None = None,
        as_of: When | None = None,
        known_at: When | None = None,
        order: choices.Order = "-recorded_at",
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """List memories, a page at a time.

        Args:
            kinds: Only memories of these kinds: `working`, `episodic`, `semantic` or `procedural`. None means all of
                them, working memory only with a session in scope.
            status: Only memories of this status, or of these: `active` (live now), `superseded`, `quarantined`,
                `archived`, `expired`, `forgotten` or `all`. Default `active`.
            domain: Only memories of this domain, such as `personal` or `research`. None means any.
            tags: Only memories that have at least one of these tags. None means any.
            all_tags: Only memories that have every one of these tags. None means any.
            tiers: Only memories of these tiers: `A` authoritative, `B` operational, `C` support. None means any.
            heat: Only memories used this much lately: one or several of `hot`, `warm` and `cold`. None means any.
            where: Conditions on the metadata, such as `{"year": {"gte": 2020}}`, with the operators eq, ne, gt, gte,
                lt, lte, in, nin, contains and exists, combined by and, or and not.
            session: Only memories of this session. A view that is bound to a session can name no other.
            actor: Only what this person, agent or tool said or did. None means anybody.
            words: Only memories whose text has all of these words, in any form. None means any.
            derived_from: Only memories that derive from one of these, given by their ids. None means any.
            since: Only memories with an event time at or after this: a datetime, a date or ISO 8601.
            until: Only memories with an event time before this: a datetime, a date or ISO 8601.
            as_of: Answer as of this time by what is believed now, whatever has superseded it since. None means now.
            known_at: Answer by what was believed at this time, in the words of that time. None means now.
            order: `recorded_at`, `updated_at`, `valid_from` or `importance`, with a leading `-` for the largest first.
                Default `-recorded_at`, the newest first.
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of memories; its `next` is the cursor of the page after it.

        Raises:
            ValueError: A value is unknown, the limit is out of range, or the cursor is not one of a page in this order.
            ScopeMissing: Only working memory is asked for, and no session is in scope.
        """
        filters: arguments.ListFilters = {"kinds": kinds, "status": status, "domain": domain, "tags": tags}
        filters |= {"all_tags": all_tags, "tiers": tiers, "heat": heat, "where": where, "session": session}
        filters |= {"actor": actor, "words": words, "derived_from": derived_from}
        filters |= {"since": since, "until": until, "as_of": as_of, "known_at": known_at}
        wanted, at = self._view.listing(**filters)
        return listing.list_memories(self._engine, wanted, at, order=order, limit=limit, cursor=cursor)

    def iter_memories(
        self, *, order: choices.Order = "-recorded_at", **filters: Unpack[arguments.ListFilters]
    ) -> Iterator[Memory]:
        """Return an iterator over all memories that `list_memories` lists with these filters.

        Args:
            order: `recorded_at`, `updated_at`, `valid_from` or `importance`, with a leading `-` for the largest first.
                Default `-recorded_at`, the newest first.
            **filters: Keyword arguments of `list_memories`.

        Returns:
            The iterator; what is written meanwhile may or may not be met, and nothing is met twice.

        Raises:
            TypeError: There is no such filter.
        """
        check_names(filters, arguments.ListFilters, of="iter_memories")
        wanted, at = self._view.listing(**filters)
        return listing.iterate(self._engine, wanted, at, order=order)

    def count(self, **filters: Unpack[arguments.ListFilters]) -> int:
        """Count the memories that a listing with these filters would show.

        Args:
            **filters: Keyword arguments of `list_memories`.

        Returns:
            The number.

        Raises:
            TypeError: There is no such filter.
        """
        check_names(filters, arguments.ListFilters, of="count")
        wanted, at = self._view.listing(**filters)
        return listing.count(self._engine, wanted, known_at=at.known_at)

    def history(self, memory_id: str) -> list[Memory]:
        """Return every version of a memory, oldest to newest.

        The whole chain, both ways: what it superseded, what superseded it, and earlier texts; forgotten ones included.

        Args:
            memory_id: The id of any memory of the chain.

        Returns:
            The versions; [] for an unknown id.

        Raises:
            ValueError: `memory_id` is blank or too long.
        """
        return outcomes.History(listing.history(self._engine, self._view.scope, identifier(memory_id, "memory_id")))

    def stats(self) -> outcomes.Stats:
        """Count the view's memories, conversations, jobs and vectors, and this manager's own calls.

        Returns:
            The counts, readable as a dict too.
        """
        return listing.stats(self._engine, self._view.scope)

    # ----------------------------------------------------------------------------------------------------------- review

    def review(
        self, *, kind: choices.ReviewKind | None = None, limit: int = 100, cursor: str | None = None
    ) -> Page[ReviewItem]:
        """List what waits for review; `validate` and `reject` settle an item by its id.

        Memories come first, newest first, then merges of entities.

        Args:
            kind: Only these: `quarantine` (not admitted), `contradiction` (contested), `procedure` (mined, not
                confirmed) or `merge` (a text states that two entities are one). None means all.
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of items; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The kind is unknown, the limit is out of range, or the cursor is not one of a page.
        """
        return listing.review(self._engine, self._view.scope, kind, limit=limit, cursor=cursor)

    def pending(self, *, limit: int = 100, cursor: str | None = None) -> Page[ReviewItem]:
        """List the contradictions that wait for review.

        Args:
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of items; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        return listing.review(self._engine, self._view.scope, "contradiction", limit=limit, cursor=cursor)

    def validate(
        self, memory_id: str, *, tier: choices.Tier | None = None, reason: str | None = None, force: bool = False
    ) -> Settled:
        """Accept what waits for review: a quarantined memory is admitted, a contradicting one replaces the older.

        An admitted memory meets the others as if it were written now. Of one that does not wait only the tier changes.

        Args:
            memory_id: The id of the memory, or of a proposed merge of entities, which is then carried out.
            tier: The tier that it has from now on: `A`, `B` or `C`. None leaves it as it is.
            reason: Why, for the audit trail.
            force: Admit a text that looks like an attack; it needs a reason. Default False.

        Returns:
            The memory as it is now; of a merge the entity that both are from now on.

        Raises:
            NotFound: The memory or the merge is unknown.
            ValueError: The memory has left, or the evidence of an insight has.
            MemorySecurityError: The text looks like an attack, and there is no `force` with a reason.
        """
        verdict, named = self._view.verdict(reason, tier=tier, force=force), identifier(memory_id, "memory_id")
        if graph_edits.is_merge(named):
            return self._settle_merge(named, verdict, MERGED)
        return verdicts.validate(self._engine, verdict, named)

    def reject(self, memory_id: str, *, reason: str | None = None) -> Settled:
        """Reject what waits for review: a quarantined memory is forgotten, a contradicting one or a successor archived.

        What a successor had closed is open again.

        Args:
            memory_id: The id of the memory, or of a proposed merge of entities.
            reason: Why, for the audit trail.

        Returns:
            The memory as it is now; of a merge the entity that would have been kept.

        Raises:
            NotFound: The memory or the merge is unknown.
            ValueError: The memory neither waits nor has taken another's place.
        """
        verdict, named = self._view.verdict(reason), identifier(memory_id, "memory_id")
        if graph_edits.is_merge(named):
            return self._settle_merge(named, verdict, REFUSED)
        return verdicts.reject(self._engine, verdict, named)

    def _settle_merge(self, merge_id: str, verdict: verdicts.Verdict, state: str) -> Entity:
        row = graph_edits.settle(self._engine, verdict.scope, merge_id, state, reason=verdict.reason)
        return self._view.graph().by_id(row.keep)

    # ---------------------------------------------------------------------------------------------------- conversations

    def add_message(
        self,
        /,
        role: str,
        content: str | None,
        *,
        session: str | None = None,
        actor: str | None = None,
        at: When | None = None,
        data: Any = None,
        **metadata: Any,
    ) -> Turn:
        """Append a message to a session's conversation; it is durable, and can be recalled, when this returns.

        What a user, an assistant or a tool says is an episodic memory from then on (`settings.remember_turns`), under
        the turn's `id`; what the system says is not.

        Args:
            role: Who speaks: `user`, `assistant`, `tool`, `system`, or one line of your own.
            content: The text of the message; None or "" for one that only calls tools.
            session: The session. None means the view's session.
            actor: The name of who speaks. None means the `name` of the message, if it has one.
            at: When it was said: a datetime, a date or ISO 8601; with it the same is appended once. None means now.
            data: The item that the message was made of: any JSON, which comes back with the turn. None means none.
            **metadata: The message's own fields: `tool_calls`, `tool_call_id`, `name`, `success`, or any other.

        Returns:
            The turn.

        Raises:
            ScopeMissing: No session is named.
            GovernanceViolation: The content cannot be kept; nothing is stored.
        """
        inside = self._view.in_session(session)
        return self._view.add_message(inside, role, content, actor=actor, at=at, metadata=metadata, data=data)

    def get_messages(self, *, session: str | None = None) -> list[Turn]:
        """Return the window of a session: the turns that it holds now, and the summary of those that left it.

        Args:
            session: The session. None means the view's session.

        Returns:
            The turns, oldest first.

        Raises:
            ScopeMissing: No session is named.
        """
        return self._view.window(self._view.in_session(session)).messages

    def sessions(self, *, limit: int = 100, cursor: str | None = None) -> Page[outcomes.Conversation]:
        """List the sessions that have a conversation, most recent first.

        They are those of the view and of narrower ones: each opens in exactly its own scope.

        Args:
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of conversations; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        return sessions.conversations(self._engine, self._view.scope, limit=limit, cursor=cursor)

    @overload
    def assemble(
        self,
        query: str,
        *,
        token_budget: int = 4000,
        session: str | None = None,
        format: Literal["text"] = "text",
        **filters: Unpack[AssembleFilters],
    ) -> str: ...

    @overload
    def assemble(
        self,
        query: str,
        *,
        token_budget: int = 4000,
        session: str | None = None,
        format: choices.MessageFormat,
        **filters: Unpack[AssembleFilters],
    ) -> Messages: ...

    def assemble(
        self,
        query: str,
        *,
        token_budget: int = 4000,
        session: str | None = None,
        format: choices.PromptFormat = "text",
        **filters: Unpack[AssembleFilters],
    ) -> str | Messages:
        """Return the context for a model that answers: memories, the summary and the recent turns, in one budget.

        Memories that are turns of the window are not shown twice; they are chosen and packed as by `context`.

        Args:
            query: The question that memories are recalled for.
            token_budget: How many tokens the contents may have, from 0 on. Default 4000.
            session: The session of the conversation. None means the view's session.
            format: `text` for one block of Markdown, or the shape of the messages: `messages` (that of OpenAI),
                `openai`, `anthropic`, `google` or `langchain`. Default `text`.
            **filters: Keyword arguments of `recall`, but for `session`.

        Returns:
            A text, or a list of messages.

        Raises:
            ScopeMissing: No session is named.
            TypeError: There is no such filter.
            ValueError: The format is unknown, or the budget is negative.
        """
        choices.checked_choice(format, "format", choices.PromptFormat)
        check_names(filters, AssembleFilters, of="assemble")
        budget, as_messages = checked_budget(token_budget), format != "text"
        window = self._view.window(self._view.in_session(session))
        in_window = {turn.id for turn in window.turns}
        request, engine = self._view.request(query, **filters), self._engine
        found = packing.relevant(self._view.recall(request), request.least_shown(engine.settings))
        hits = [hit for hit in found if hit.id not in in_window]
        prompt = assemble.assembled(hits, window, engine.tokenizer, budget, question=query, as_messages=as_messages)
        if not as_messages:
            return prompt.text
        return formats.messages_of(prompt.messages, "openai" if format == "messages" else format)

    def end_session(self, session: str | None = None) -> outcomes.SessionEnd:
        """End a session: its turns are summarised in memories derived from them, working memories are archived.

        Those are the working memories of the view's agent, or of none, as its conversation is. All of it happens at
        once, or nothing; a second call does nothing. The window is empty afterwards, the history stays, and a later
        message opens the session again. Without a language model or an extractor of your own, the episodes of the view
        are then consolidated, so that what they state plainly is a fact. A text with a `ttl` is in no summary.

        Args:
            session: The session. None means the view's session.

        Returns:
            The memories that summarise it, and the ids of the working memories.

        Raises:
            ScopeMissing: No session is named.
            Conflict: Others keep writing to the session.
        """
        ended = sessions.end(self._engine, self._view.in_session(session))
        consolidation.learn_statements(self._engine, self._view.scope)
        self._view.wake_worker()
        return ended

    # -------------------------------------------------------------------------------------------------------- lifecycle

    def consolidate(self, *, batch_size: int = 10, progress: Progress | None = None) -> outcomes.Consolidation:
        """Extract facts from the next batch of episodes; no episode is changed, hidden or deleted by it.

        Episodes that will leave within three days, or have waited for a week, come first, then the newest. A language
        model (`llm=`) or an extractor of your own finds the facts; without one only plain, lasting statements are
        taken. Each fact is a semantic memory `derived_from` its episodes.

        Args:
            batch_size: How many episodes to go through, from 1 on. Default 10.
            progress: Called as `progress(done, total, label)` with the number of episodes. None means no calls.

        Returns:
            Counts; failed episodes are tried again later, and `paused` is True when `settings.llm_budget` is used up.

        Raises:
            ValueError: `batch_size` is not positive.
        """
        result = consolidation.consolidate(self._engine, self._view.scope, batch_size=batch_size, progress=progress)
        self._view.wake_worker()
        return result

    def sweep(self, *, dry_run: bool = False) -> outcomes.Sweep:
        """Run the periodic maintenance for this view now, and report what it did.

        Sessions that fell silent end, episodes are consolidated, what is due expires or is archived, texts get their
        vectors. It costs what is due, not what is stored.

        Args:
            dry_run: Count what would happen, and change nothing. Default False.

        Returns:
            Counts of what was done.

        Raises:
            TypeError: `dry_run` is neither True nor False.
        """
        return self._view.worker.sweep(self._view.scope, dry_run=dry_run)

    def work(self, stop: threading.Event | None = None) -> None:
        """Run background jobs and maintenance in this thread, in a process that does nothing else.

        Args:
            stop: Ends it when it is set; a running job is finished. None means until it is interrupted.
        """
        self._view.worker.serve(stop or threading.Event())

    # ------------------------------------------------------------------------------------------------------------ audit

    def audit_log(
        self,
        *,
        memory_id: str | None = None,
        operation: str | None = None,
        actor: str | None = None,
        since: When | None = None,
        until: When | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[AuditEntry]:
        """Return a page of audit entries, newest first.

        A view with a user or an agent sees the entries of memories that it can name now, and of those that were erased
        in it; those of conversations and of the graph are shown to the organisation's view alone.

        Args:
            memory_id: Only what was done to this memory. None means any.
            operation: Only this operation, such as `update` or `forget`. None means any.
            actor: Only what this one did, such as `user:ana` or `application`. None means anybody.
            since: Only what was done at this time or later: a datetime, a date or ISO 8601.
            until: Only what was done before this time: a datetime, a date or ISO 8601.
            limit: The size of the page, 1 to 10,000. Default 100.
            cursor: The `next` of the page before. None means the first page.

        Returns:
            A page of entries; its `next` is the cursor of the page after it.

        Raises:
            ValueError: The limit is out of range, or the cursor is not one of a page.
        """
        engine, scope = self._engine, self._view.scope
        named = {"memory_id": memory_id, "operation": operation, "actor": actor}
        return listing.audit_log(engine, scope, named, since=since, until=until, limit=limit, cursor=cursor)

    def verify_audit(
        self, *, head: AuditHead | None = None, public_key: PublicKey | Iterable[PublicKey] = ()
    ) -> ChainReport:
        """Verify the audit chains of the view: an entry that was edited, removed, reordered or cut off is found.

        The organisation's view verifies the chain of each namespace, and that none is missing; a user's view its own.
        With a key or a `head` that was kept elsewhere, a chain that was written anew is found too.

        Args:
            head: Where the chains ended at some time, as `audit_head` returned it. None means none is known.
            public_key: The public half of the key that signed, or of several that replaced each other, as 64
                hexadecimal digits, PEM text, 32 bytes or a key object. None given means the view's own key.

        Returns:
            Whether the chains are whole (`ok`), whether a key or a head vouches for all (`anchored`), and notes.

        Raises:
            ValueError: A key cannot be read, or the head is not of this view.
        """
        return audit.check(self._engine, self._view.scope, keys=public_key, head=head)

    def audit_head(self) -> AuditHead:
        """Return the current ends of the view's audit chains, to be kept elsewhere.

        Returns:
            The head of the organisation, in a user's view that of the user's chain. It is signed if a key vouches for
            all of it; the root of several chains is signed now, by the manager's own key.
        """
        return audit.exported(self._engine, self._view.scope)

    def audit_proof(self, seq: int) -> AuditProof:
        """Return a proof for third parties that an entry is part of the organisation's audit trail.

        `AuditProof.verify` compares it with a head that was kept, or with the public key, and needs no store.

        Args:
            seq: The number of the entry in the chain of the view: a user's own, or the organisation's own.

        Returns:
            The proof. Of other entries it shows hashes alone.

        Raises:
            NotFound: The view sees no such entry.
            AuditBroken: A later entry of the chain is not the one that was written.
        """
        return listing.audit_proof(self._engine, self._view.scope, seq)

    def sign_audit(self, *, replacing: PublicKey | Iterable[PublicKey] = ()) -> AuditHead:
        """Verify the audit chains of the view and sign them as they are, with what was written without the key.

        From then on each write signs.

        Args:
            replacing: The public half of the key that signed so far, if that is another. Default none.

        Returns:
            The signed head.

        Raises:
            ConfigError: The manager has no signing key.
            AuditBroken: A chain does not verify.
        """
        return audit.sign(self._engine, self._view.scope, replacing=replacing)

    def audit_integrity(self, *, public_key: PublicKey | Iterable[PublicKey] = ()) -> AuditReport:
        """Compare every memory of the view with its hash, its signature and the last entry of its audit trail.

        That shows what was changed in the file without the trail; whether the trail itself is genuine is checked by
        `verify_audit`. The organisation's view also names memories that are gone without having been erased.

        Args:
            public_key: The public half of the key that signed, or of several that replaced each other, as 64
                hexadecimal digits, PEM text, 32 bytes or a key object. None given means the view's own key.

        Returns:
            The ids of memories that are not as they were written, and the share that is in order.

        Raises:
            ValueError: A key cannot be read.
        """
        return audit.integrity(self._engine, self._view.scope, keys=public_key)

    # -------------------------------------------------------------------------------------------------------- the store

    def snapshot(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write a complete copy of the store, whatever the view, while it is in use; it opens as a store.

        Args:
            path: The file to write, in a folder that exists; nothing is overwritten. None means the `snapshots` folder
                next to the store.

        Returns:
            The path of the copy.

        Raises:
            StoreUnavailable: The file exists already, or its folder does not.
        """
        if self.scope != Scope(self.scope.org):
            log.warning("the snapshot holds the whole store, not only what this view sees: export writes that")
        self._engine.accesses.write(self._engine.store)
        return copies.snapshot(self._engine, path)

    @classmethod
    def restore(
        cls, snapshot: str | os.PathLike[str], to: str | os.PathLike[str], *, key: str | bytes | None = None
    ) -> str:
        """Check a snapshot and copy it to a path where no file exists.

        Args:
            snapshot: The snapshot to restore.
            to: The new store; it must not exist, or is the `postgresql://` URL of an empty database.
            key: The encryption key of the snapshot, which the copy has too. None means `ENGRAIN_ENCRYPTION_KEY`.

        Returns:
            The path of the new store.

        Raises:
            StoreUnavailable: The snapshot does not exist, or the target does.
            StoreCorrupt: The snapshot is damaged.
        """
        if is_database(to):
            return move_store(snapshot, to, key=key).target
        return copies.restore(snapshot, to, key=key)

    @classmethod
    def migrate(
        cls, src: str | os.PathLike[str], dst: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> outcomes.Migrated:
        """Move a whole store to another place or engine, and verify the copy there.

        Stop its writers first: what they write meanwhile is not moved. Files are opened with
        `ENGRAIN_ENCRYPTION_KEY`, if that is set.

        Args:
            src: The store to move, a file or a `postgresql://` URL; it stays as it is.
            dst: Where nothing is yet, or what an interrupted run left to continue: a file or a `postgresql://` URL.
            progress: Called as `progress(done, total, label)` with the number of rows. None means no calls.

        Returns:
            Counts of what was moved, and the verified heads of the audit trails.

        Raises:
            StoreUnavailable: The source does not exist, or the target holds another store.
            AuditBroken: An audit trail does not verify.
        """
        return move_store(src, dst, progress=progress)

    @classmethod
    def rekey(
        cls,
        store: str | os.PathLike[str],
        to: str | os.PathLike[str],
        *,
        key: str | bytes | None = None,
        new_key: str | bytes | None = None,
    ) -> str:
        """Copy a store to where nothing is yet, under another encryption key; it needs `engrain[encryption]`.

        The store stays as it is, for you to remove. What others write while it is copied may not be in the copy.

        Args:
            store: The store to copy.
            to: The file to write; nothing is overwritten.
            key: The key of the store. None means that it is not encrypted.
            new_key: The key of the copy. None means not encrypted.

        Returns:
            The path of the copy.

        Raises:
            StoreUnavailable: The store does not exist, or the target does.
            ConfigError: `engrain[encryption]` is not installed.
        """
        return copies.rekey(store, to, key=key, new_key=new_key)

    def export(self, path: str | os.PathLike[str], *, progress: Progress | None = None) -> int:
        """Write what the view sees as JSON lines to a new file.

        That is its memories and revisions, what was stated of its graph by hand, and the turns of its conversations.

        Args:
            path: The file to write, compressed when it ends in `.gz`; nothing is overwritten.
            progress: Called as `progress(done, total, label)` with the number of memories. None means no calls.

        Returns:
            The number of rows.

        Raises:
            StoreUnavailable: The file exists already, or its folder does not.
        """
        self._engine.accesses.write(self._engine.store)
        return export.export(self._engine, self._view.scope, path, progress=progress)

    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        trust: choices.ImportTrust = "external_data",
        on_conflict: choices.OnConflict = "skip",
        progress: Progress | None = None,
    ) -> outcomes.Imported:
        """Read an export into this organisation; every row is checked like a write and keeps its id and times.

        Conversations come back as history, with empty windows. It needs a view without user, agent and session.

        Args:
            path: The file to read.
            trust: The highest trust class that a row may keep: `system`, `user_input`, `llm_generated`, `tool_result`,
                `external_data`, or `file`, which lets each keep its own in an export that the view's key has signed.
                Default `external_data`.
            on_conflict: What happens to a row with another text's id: `skip`, or `reject` it. Default `skip`.
            progress: Called as `progress(done, total, label)` with the bytes that are read. None means no calls.

        Returns:
            Counts of the rows, and why rows were rejected.

        Raises:
            OSError: The file cannot be read.
            ValueError: The view is bound, a value is unknown, or with `file` the export is not as the key signed it.
        """
        self._view.check_unbound("import_")
        engine, scope = self._engine, self._view.scope
        result = imports.import_(engine, scope, path, trust=trust, on_conflict=on_conflict, progress=progress)
        self._view.worker.wake()
        return result

    def reindex(
        self, embedder: str | Embedder | None = None, *, progress: Progress | None = None
    ) -> outcomes.Reindexed:
        """Compute the vectors of all memories in the store again, by an embedder, while reads and writes go on.

        Until the end questions are answered with the present vectors; then the embedder is this manager's, and vectors
        of others are removed. An interrupted run continues where it was.

        Args:
            embedder: What makes the vectors: `"auto"`, `"provider:model"` or an `Embedder`. None means this manager's.
            progress: Called as `progress(done, total, label)` with the number of memories. None means no calls.

        Returns:
            Counts of what was done.

        Raises:
            ConfigError: The embedder's extra is not installed.
            ProviderError: The embedder fails.
        """
        chosen = self._engine.embedder if embedder is None else embedder_of(embedder)
        result = reindex.reindex(self._engine, chosen, progress=progress)
        self._view.worker.wake()
        return result

    # ---------------------------------------------------------------------------------------------------------- helpers

    def _write_accesses_of_agent(self) -> None:
        """Write the accesses that wait, before an agent's least recently used working memories may have to leave."""
        if self._view.scope.agent is not None:
            self._engine.accesses.write(self._engine.store)

    def _extracted(self, turns: Sequence[Turn], results: list[Remembered], *, sync: bool = False) -> list[Remembered]:
        """Report to callbacks the extracted facts of turns, then their outcomes."""
        if self._engine.callbacks:
            transitions.report_extracted(self._engine.callbacks, turns, results)
        return self._written(results, sync=sync)

    def _written(self, results: list[Remembered[M]], *, sync: bool) -> list[Remembered[M]]:
        """Wake the worker after a write, or with `sync` wait for it; then report to callbacks."""
        if sync or self._engine.counters.queued or not self._view.worker.is_running:
            self._view.wake_worker(results, sync=sync)
        if sync and self._engine.llm is not None:  # by now it may be described
            results = [Remembered(self._described(r.memory), r.status, r.decision, r.others) for r in results]
        if self._engine.callbacks:
            transitions.report_consolidated(self._engine.callbacks, results, self._view.get)
        return results

    def _described(self, memory: M) -> M:
        """Return a memory as it is now; one that the view does not reach by its id is returned as it was."""
        return cast(M, self._view.get(memory.id) or memory) if memory is not None else memory

    # ------------------------------------------------------------------------------------------- names of other systems

    if TYPE_CHECKING:  # the names of `ALIASES`, for type checkers
        get_context = context
        get_stats = stats
        mark_note_superseded = mark_superseded


def try_model(memory: MemoryManager) -> tasks.Trial | None:
    """Ask the language model of a manager two small questions, on the account of its view; None without a model."""
    llm = asker.asker(memory._engine, memory.scope, tasks.USE)
    return None if llm is None else tasks.tried(llm)
