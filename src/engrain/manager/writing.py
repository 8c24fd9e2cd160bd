"""Keeping texts: one, many, a chat, a report, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from engrain.chat.formats import turns_of
from engrain.guard import guard
from engrain.manager.reading import Reading
from engrain.model.memory import Fact, Kind, Memory, Turn
from engrain.model.results import Ingested, Remembered
from engrain.read.listing import nearest
from engrain.security.admission import counted
from engrain.validation import Lifetime, When, checked_bool
from engrain.write import batches
from engrain.write.batches import remember_messages
from engrain.write.draft import draft
from engrain.write.extraction import evolve as evolved
from engrain.write.extraction import extractor_of, remember_with_extraction
from engrain.write.ingest import Progress, ingest, remember_report
from engrain.write.pipeline import remember
from engrain.write.transitions import tell_consolidated, tell_extracted


class Writing(Reading):
    """The methods that keep texts."""

    def remember(
        self,
        content: str,
        *,
        kind: str | None = None,
        key: str | None = None,
        domain: str = "general",
        source_type: str = "llm_generated",
        source_id: str = "",
        source_ref: str = "",
        session: str | None = None,
        actor: str | None = None,
        fact: Fact | tuple[str, str, str] | None = None,
        importance: float | None = None,
        confidence: float | None = None,
        tier: str | None = None,
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        derived_from: Iterable[str] = (),
        valid_from: When | None = None,
        valid_until: When | None = None,
        ttl: Lifetime | None = None,
        pinned: bool = False,
        evolve: bool = False,
        sync: bool = False,
        resolve: str | None = None,
    ) -> Remembered:
        """Keep a text; it is durable and can be found by its words when this returns.

        `kind` defaults to episodic in a session and semantic without. The same text again is the same memory
        (`noop`); a known `key` edits the memory that has it (`updated`). A semantic memory that gives a single-valued
        fact another value, or says that something holds no longer, closes the older one (`updated`, `corrected`), or
        waits for a verdict (`pending`); what looks like an attack is hidden (`quarantined`). `resolve="off"` leaves it
        at identical texts. `evolve` takes the text apart into facts first, asks the decider in force about each, and
        returns the most important one's outcome with the rest in `others`: each `decision` says who found and who
        judged it. `importance` and `confidence` are 0 to 1;
        without an importance the text is rated. `ttl` is a `timedelta` or seconds. `derived_from` names memories in
        scope, and the new one is trusted no more than the least of them. `sync` also waits for the vector, and for what
        a language model makes of the text (`settings.enrich`). Raises `GovernanceViolation` for content that cannot be
        kept, `NotFound` for an unknown source, `ValueError` or `TypeError` for the rest; then nothing is stored.
        """
        left = ("self", "content", "sync", "evolve")
        fields = {name: value for name, value in locals().items() if name not in left and name != "left"}
        checked_bool(sync, "sync")
        counted(self._engine, self._scope.org, source_id)
        if checked_bool(evolve, "evolve"):
            near = partial(nearest, self._engine, self._scope)
            outcome = evolved(self._engine, self._scope, content, fields, near)
            return self._extracted([Turn(role="user", content=content, actor=actor)], [outcome], sync=sync)[0]
        item = draft(content, **fields, scope=self._scope, settings=self._engine.settings)
        if item.kind is Kind.WORKING:
            self._note_uses()
        (result,) = remember(self._engine, [item])
        return self._written([result], sync=sync)[0]

    def remember_many(
        self, /, items: Iterable[Mapping[str, Any]], *, on_error: str = "raise", batch_size: int = 1000, **defaults: Any
    ) -> list[Remembered]:
        """Keep many texts: dicts of `remember`'s arguments, over `defaults`; one transaction for each batch.

        Every item of a batch is checked before the batch is touched. With `on_error="raise"` a bad item stores
        nothing of its batch (earlier batches stay); with `"skip"` its place holds `Remembered(None, "rejected",
        decision)`.
        """
        sync = checked_bool(defaults.pop("sync", False), "sync")
        self._note_uses()
        results = batches.remember_many(
            self._engine, self._scope, items, on_error=on_error, batch_size=batch_size, defaults=defaults
        )
        return self._written(results, sync=sync)

    def remember_messages(
        self, /, messages: Any, *, session: str | None = None, extract: str = "auto", **defaults: Any
    ) -> list[Remembered]:
        """Keep a chat: a string, a message, or a list of messages in the shapes of the common chat APIs.

        A message is `{role, content, name?, at?}`, or an object with these; roles give source type and actor, `at` when
        it was said. `extract` keeps each turn (`"turns"`), only the facts in them (`"facts"`), or turns now and facts
        by consolidation later (`"auto"`). Saying the same again in another call is another event. `defaults` are
        arguments of `remember`. Everything is checked before anything is stored.
        """
        sync = checked_bool(defaults.pop("sync", False), "sync")
        if isinstance(messages, Iterator):  # callbacks are shown them too
            messages = list(messages)
        counted(self._engine, self._scope.org, defaults.get("source_id"))
        results = remember_messages(
            self._engine,
            self._scope,
            messages,
            session=session,
            extract=extract,
            extractor=extractor_of(self._engine, self._scope),
            defaults=defaults,
        )
        if extract != "facts" or not self._engine.callbacks:
            return self._written(results, sync=sync)
        turns = guard("reading the turns for callbacks", lambda: turns_of(messages))  # the facts are kept already
        return self._extracted(turns or [], results, sync=sync)

    def remember_with_extraction(
        self,
        content: str,
        *,
        source_type: str = "conversation",
        source_ref: str = "",
        domain: str = "general",
        context: str = "",
        min_importance: int = 3,
        max_facts: int = 5,
    ) -> list[Remembered]:
        """Keep the facts that a text states, in document order; the text itself is not kept.

        The extractor rates each fact 1 to 10: those below `min_importance` fall away, and of the others the best
        `max_facts` are kept; `decision.found_by` names it. `context` is a rolling summary that helps the extractor with
        pronouns; it is not stored.
        """
        results = remember_with_extraction(
            self._engine,
            self._scope,
            extractor_of(self._engine, self._scope),
            content,
            source_type=source_type,
            source_ref=source_ref,
            domain=domain,
            context=context,
            min_importance=min_importance,
            max_facts=max_facts,
        )
        return self._extracted([Turn(role="user", content=content)], results)

    def remember_report(
        self,
        content: str,
        *,
        source_url: str = "",
        published_date: str = "",
        domain: str = "cti",
        min_importance: int = 3,
        max_facts: int = 10,
        chunk_size: int = 3000,
        progress: Progress | None = None,
    ) -> list[Remembered]:
        """Keep a long text whole, in chunks, and the facts of each chunk beside it; return the facts.

        Chunks are cut between sentences when the text is longer than `chunk_size` characters and are episodic memories;
        facts derive from them, at most `max_facts` a chunk. `published_date` (ISO 8601, else `ValueError`) is when it
        all became true. Keeping the same report again adds nothing. `progress(done, total, label)` is called with
        chunks.
        """
        results = remember_report(
            self._engine,
            self._scope,
            extractor_of(self._engine, self._scope),
            content,
            source_url=source_url,
            published_date=published_date,
            domain=domain,
            min_importance=min_importance,
            max_facts=max_facts,
            chunk_size=chunk_size,
            progress=progress,
        )
        return self._extracted([Turn(role="user", content=content)], results)

    def ingest(
        self,
        /,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        report: bool = False,
        progress: Progress | None = None,
        name: str | None = None,
        **defaults: Any,
    ) -> Ingested:
        """Read files and folders into memory: text, Markdown, chat logs and conversation data sets, `.gz` of each too.

        Reading a file twice adds nothing. `report` takes documents apart into facts, as `remember_report` does; chats
        and data sets are kept turn by turn either way. `progress(done, total, label)` is called with bytes. `name` is
        what a single file is called in memory, and read as, when its path says nothing of it: an upload. `defaults` are
        arguments of `remember` that hold for every item. A file that cannot be read is told in `failed` and
        stops no other; a path that does not exist is a `FileNotFoundError` before anything is read.
        """
        chosen = extractor_of(self._engine, self._scope) if checked_bool(report, "report") else None
        result = ingest(
            self._engine, self._scope, paths, progress=progress, name=name, defaults=defaults, extractor=chosen
        )
        self._worker.wake()
        return result

    def _note_uses(self) -> None:
        """Write the accesses that wait, before an agent's least recently used working memories may have to leave."""
        if self._scope.agent is not None:
            self._accesses.write(self._engine)

    def _written(self, results: list[Remembered], *, sync: bool) -> list[Remembered]:
        self._queued(results, sync=sync)
        if sync and self._engine.llm is not None:  # by now it may be described
            results = [replace(each, memory=self._described(each.memory)) for each in results]
        if self._engine.callbacks:
            tell_consolidated(self._engine.callbacks, results, self.get)
        return results

    def _described(self, memory: Memory | None) -> Memory | None:
        """Return a memory as it is now; one that the view does not reach by its id is returned as it was."""
        return memory and (self.get(memory.id) or memory)

    def _extracted(self, turns: Sequence[Turn], results: list[Remembered], *, sync: bool = False) -> list[Remembered]:
        """Say what was found in turns, then what became of it."""
        if self._engine.callbacks:
            tell_extracted(self._engine.callbacks, turns, results)
        return self._written(results, sync=sync)
