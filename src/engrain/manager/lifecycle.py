"""The lifecycle at the front door: what fades, what is kept, what waits to be done."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from engrain.errors import NotFound
from engrain.language.timestamps import parse_when
from engrain.lazy import Later
from engrain.manager.reading import Reading
from engrain.model.memory import Heat, Job, Kind, Memory, heat
from engrain.model.results import Counts, Page, Reflection, Sweep
from engrain.model.scope import identifier
from engrain.policies.retention import RetentionPolicy
from engrain.validation import When, checked_kind, checked_reason
from engrain.write.supersede import pin, promote
from engrain.write.verdicts import Verdict

if TYPE_CHECKING:
    from engrain.lifecycle import chart, timeline
    from engrain.lifecycle import reflection as reflecting
    from engrain.lifecycle import sweeps as entries
    from engrain.lifecycle import timeline as joblist
    from engrain.lifecycle.sweeps import Entries
else:
    chart, entries, joblist, reflecting, timeline = [
        Later("engrain.lifecycle.chart"),
        Later("engrain.lifecycle.sweeps"),
        Later("engrain.lifecycle.timeline"),
        Later("engrain.lifecycle.reflection"),
        Later("engrain.lifecycle.timeline"),
    ]


class Lifecycle:
    """What becomes of the view's memories with time: `m.lifecycle`."""

    def __init__(self, view: Living) -> None:
        self._view = view

    def heat(self, memory_id: str) -> Heat:
        """Return how much a memory is in use: hot, warm or cold.

        Hot was recalled three times within seven days, and within the hour; cold not for seven days. A new memory is
        warm. Heat filters (`heat=`), and never keeps a memory from being found. Raises `NotFound`.
        """
        return heat(self._view._known(memory_id), self._view._engine.clock.now())

    def effective_importance(self, memory_id: str, *, at: When | None = None) -> float:
        """Return what a memory counts now or `at` a time: its importance decayed, and lifted by use, from 0 to 1.

        The stored importance never changes by itself. Raises `NotFound`.
        """
        engine = self._view._engine
        moment = engine.clock.now() if at is None else parse_when(at, name="at")
        return engine.settings.retaining.effective(self._view._known(memory_id), moment)

    def policy(
        self, *, kind: str | None = None, domain: str | None = None, agent: str | None = None
    ) -> RetentionPolicy:
        """Return the retention policy in force for memories of a kind, and of a domain and an agent if given.

        `kind` None is what `remember` makes: episodic in a session, else semantic; `agent` None is the view's.
        """
        scope = self._view._scope
        chosen = checked_kind(kind) if kind is not None else Kind.EPISODIC if scope.session else Kind.SEMANTIC
        agent = scope.agent if agent is None else identifier(agent, "agent")
        domain = None if domain is None else identifier(domain, "domain")
        return self._view._engine.settings.retaining.policy(chosen, domain, agent)

    def reflect(self, *, batch_size: int = 10) -> Reflection:
        """Draw conclusions from what is known, and return those that are new: at most `batch_size`.

        Each cites its evidence (`derived_from`), is less sure than that, and waits in the review queue until somebody
        validates it or a later memory says the same. By rules offline, by the language model when there is one:
        `worked` says who it was, what it cost, and why it was not the model.
        """
        return reflecting.reflect(self._view._engine, self._view._scope, batch_size=batch_size)

    def timeline(self, *, since: When | None = None, until: When | None = None) -> list[Counts]:
        """Return how many memories the view had of each status over time, from the first until now, or in between.

        Day by day; two days or less hour by hour, more than 400 by so many days at once that there are no more points.
        Each is what `count(status=)` said at that moment. Raises `ValueError` when `since` is not before `until`.
        """
        return timeline.timeline(self._view._engine, self._view._scope, since=since, until=until)

    def draw(self, path: str | os.PathLike[str], *, since: When | None = None, until: When | None = None) -> str:
        """Draw how importance fades by the policies in force, and the timeline, into an SVG file; return its path.

        What stands at the path is written over.
        """
        picture = chart.svg(self._view._engine.settings.retaining, self.timeline(since=since, until=until))
        file = Path(path)
        if not file.parent.is_dir():
            raise ValueError(f"the folder {file.parent} does not exist: create it first")
        file.write_text(picture, encoding="utf-8")
        return str(file)

    @property
    def entries(self) -> Entries:
        """The view's memories as entries that a `MemoryGarbageCollector` can go through."""
        return entries.Entries(self._view._engine, self._view._scope)

    def jobs(self, *, state: str | None = None, limit: int = 100, cursor: str | None = None) -> Page[Job]:
        """Return a page of the queued work for the view's memories and conversations.

        `state` is queued, running, done or dead: the dead were given up, `retry` has them tried again.
        """
        return joblist.jobs(self._view._engine, self._view._scope, state=state, limit=limit, cursor=cursor)

    def retry(self, job_id: str) -> Job:
        """Let a job that failed or was given up be tried again now, and return it. Raises `NotFound`."""
        job = joblist.retry(self._view._engine, self._view._scope, identifier(job_id, "job_id"))
        self._view._worker.wake()
        return job


class Living(Reading):
    """The methods about what becomes of memories with time."""

    @property
    def lifecycle(self) -> Lifecycle:
        """What fades, what is kept, what waits to be done."""
        return Lifecycle(self)

    def promote(self, memory_id: str, *, to: str = "semantic", reason: str | None = None) -> Memory:
        """Make a memory one of a more lasting kind, under its own id, and return it.

        Working memories may become episodic, those and episodes semantic or procedural; anything else, and what is not
        live, is a `ValueError`. A new fact meets the others as if it were written now, and may have to wait. An end
        that only the kind's default gave it is gone. Where a live memory says the same already, that one is returned,
        with one more witness, and the promoted one stays as it is. Raises `NotFound`.
        """
        verdict = Verdict(self._scope, self._engine.clock.now(), checked_reason(reason))
        risen = promote(self._engine, identifier(memory_id, "memory_id"), checked_kind(to), verdict)
        return self._accesses.shown(risen)

    def pin(self, memory_id: str) -> Memory:
        """Keep a memory: no default expires, evicts or archives it; a `ttl` that somebody gave it holds all the same.

        Returns it. Raises `NotFound`.
        """
        return self._accesses.shown(pin(self._engine, self._scope, identifier(memory_id, "memory_id"), True))

    def unpin(self, memory_id: str) -> Memory:
        """Let the defaults hold for a memory again, and return it.

        Raises `NotFound`.
        """
        return self._accesses.shown(pin(self._engine, self._scope, identifier(memory_id, "memory_id"), False))

    def sweep(self, *, dry_run: bool = False) -> Sweep:
        """Do now what the worker does every `settings.sweep_minutes`, for this view, and say what was done.

        Sessions that fell silent end, episodes settle into facts, what is due expires or is archived, texts get their
        vectors. `dry_run` counts what would happen and changes nothing. It costs what is due, not what is stored.
        """
        return self._worker.sweep(self._scope, dry_run=dry_run)

    def work(self, stop: threading.Event | None = None) -> None:
        """Work on the store's queue and sweeps in this thread until `stop` is set; without it, until interrupted.

        For a process that does nothing else; what it is doing when it is stopped, it finishes.
        """
        self._worker.serve(stop or threading.Event())

    def _known(self, memory_id: str) -> Memory:
        """Return a memory of the view with the accesses that are not written yet; raises `NotFound`."""
        memory = self.get(identifier(memory_id, "memory_id"))
        if memory is None:
            raise NotFound(memory_id)
        return memory
