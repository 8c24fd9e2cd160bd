"""A view: whose memories a manager sees and writes, over the engine that all views of it share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self

from engrain.config import Settings
from engrain.conversation.replay import Replays
from engrain.engine import Engine
from engrain.errors import ScopeMissing
from engrain.model.memory import Scope
from engrain.model.results import Remembered
from engrain.model.scope import narrowed, scope_of
from engrain.protocols import LLM, Embedder
from engrain.read.access import AccessLog
from engrain.storage.interface import Store
from engrain.worker import Worker


class View:
    """What every room of the manager stands on: the engine, the scope, and what runs beside them."""

    _engine: Engine
    _accesses: AccessLog
    _worker: Worker
    _replays: Replays
    _bound: Scope

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._engine.settings

    @property
    def store(self) -> Store:
        """The store."""
        return self._engine.store

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, None for words only."""
        return self._engine.embedder

    @property
    def llm(self) -> LLM | None:
        """The language model in force, None for none; one asked for by name counts in `usage` what it was asked."""
        return self._engine.llm

    @property
    def scope(self) -> Scope:
        """Whose memories this view sees and writes."""
        return self._bound

    def scoped(self, *, user: str | None = None, agent: str | None = None, session: str | None = None) -> Self:
        """Return a narrower view over the same engine; free. Changing a field that is set is a `ValueError`."""
        return self._view(narrowed(self._bound, user=user, agent=agent, session=session))

    def for_org(self, name: str) -> Self:
        """Return another org's view over the same engine, from a view without user, agent and session."""
        if self._bound != Scope(self._bound.org):
            raise ValueError("for_org needs a view without user, agent and session: call it on the manager itself")
        return self._view(scope_of(name, None, None, None))

    def _view(self, scope: Scope) -> Self:
        view = object.__new__(type(self))
        view._engine, view._accesses, view._worker = self._engine, self._accesses, self._worker
        view._replays, view._bound = self._replays, scope
        return view

    @property
    def _scope(self) -> Scope:
        """The scope of a call. A view that must have a user and has none may open other views, and nothing else."""
        if self._engine.settings.require_user and self._bound.user is None:
            raise ScopeMissing("settings.require_user is on: open the view with user=..., or use scoped(user=...)")
        return self._bound

    def _queued(self, results: Sequence[Remembered] = (), *, sync: bool = False) -> None:
        """Wake the worker for what a write left to do; with `sync` wait until that is done for its results."""
        if sync:
            self._worker.settle([result.memory.id for result in _every(results) if result.memory is not None])
        else:
            self._worker.wake(now=self._engine.counters.queued > 0)

    def flush(self, timeout: float | None = None) -> bool:
        """Do the queued background work now; True when all is done and visible, False when `timeout` (seconds) ran out.

        False too when there is no embedder, when it or a language model failed, and while somebody stands in the way of
        an erasure, which stays pending: the worker tries again later. What waits for tomorrow's budget, or in a process
        without a language model for one that has one, is no reason to wait.
        """
        return self._worker.flush(timeout)

    def close(self) -> None:
        """Finish the running job, write the access counts and close the store for all views; twice is once."""
        self._worker.close()
        self._engine.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        scope = ", ".join(f"{n}={v!r}" for n in ("org", "user", "agent", "session") if (v := getattr(self._bound, n)))
        return f"{type(self).__name__}({self._engine.store.url!r}, {scope})"


def _every(results: Sequence[Remembered]) -> Iterator[Remembered]:
    """Yield outcomes, and those of the same calls' other facts."""
    for result in results:
        yield result
        yield from _every(result.others)
