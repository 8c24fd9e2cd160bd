"""How trustworthy writes are: compatible statements stay, nothing is lost, changes are found, each at its time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.datasets import Conversation, load
from benchmarks.histories import HistoryFigures, TickingClock, make_histories, write_histories
from benchmarks.report import Progress, Report
from benchmarks.statements import SENTENCES, TURNS, PopulationFigures, Statement, Tally, Written, compatible
from benchmarks.stores import NO_WORKER, Stores, temporary_stores
from benchmarks.summaries import Survival, extracted_survival
from engrain import MemoryManager
from engrain.language.tokens import sentences
from engrain.protocols import Embedder

SEED = 7
SIZE = 3000
_USERS = 7
_STATEMENTS_PER_HISTORY = 25
_BATCH = 250


@dataclass(frozen=True, kw_only=True)
class Writes(Report):
    """What an evaluation of writes found: `compatible` of statements that can all be true, `changes` of histories.

    `survival` is None without a file. It has `passed` when nothing compatible was closed, nothing lost, no supersession
    wrong, and every question about a time answered correctly where the changes were understood.
    """

    file: str | None
    size: int
    compatible: tuple[PopulationFigures, ...]
    changes: tuple[HistoryFigures, ...]
    survival: Survival | None = None
    seed: int = SEED

    @property
    def passed(self) -> bool:
        """Whether every bar is met."""
        return all(row.sound for row in self.compatible) and all(row.sound for row in self.changes)

    def to_dict(self) -> dict[str, Any]:
        compatible = [row.to_dict() for row in self.compatible]
        return {**super().to_dict(), "compatible": compatible, "sound": self.passed}

    def lines(self) -> list[str]:
        return [
            "Statements that can all be true",
            PopulationFigures.HEAD,
            *(line for row in self.compatible for line in row.lines()),
            *(line for found in self.changes for line in ("", *found.lines())),
            *(() if self.survival is None else ("", *self.survival.lines())),
            "",
            "Every bar is met" if self.passed else "A bar is MISSED",
        ]


def evaluate(
    path: str | os.PathLike[str] | None = None,
    *,
    embedder: str | Embedder | None = "auto",
    size: int = SIZE,
    seed: int = SEED,
    limit: int | None = None,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Writes:
    """Write what can all be true and what changed into temporary stores, and report what became of it.

    All is done with the embedder and without one.

    Args:
        path: A file of conversations whose turns are written too; None leaves them out.
        embedder: As `MemoryManager` takes it.
        size: How many compatible statements are made up; at least 1.
        seed: The seed of what is made up.
        limit: The most conversations of the file; at least 1, None for all.
        store: The URL of a server on which databases are made for the stores; None makes files.
        store_dir: The folder for those files; None is that of temporary files.
        progress: Called as it goes on.

    Raises:
        ValueError: `size` or `limit` is below 1.
    """
    if size < 1 or (limit is not None and limit < 1):
        raise ValueError("size and limit are at least 1")
    run = _Run(size, seed, progress)
    conversations = [] if path is None else list(islice(load(path), limit))
    chosen: list[str | Embedder | None] = [None] if embedder in (None, "none") else [embedder, None]
    run.total = len(chosen) * (run.statements + sum(len(found.items) for found in conversations))
    survival = None
    with temporary_stores(store, store_dir, purpose="eval") as stores:
        for number, each in enumerate(chosen):
            run.write_all(stores, number, each, conversations)
        if path is not None:
            with MemoryManager(stores.address("extracted"), embedder=None, settings=NO_WORKER) as manager:
                survival = extracted_survival(manager, conversations)
    return Writes(
        file=None if path is None else Path(path).name,
        size=size,
        compatible=tuple(run.compatible),
        changes=tuple(run.changes),
        survival=survival,
        seed=seed,
    )


class _Run:
    """What has been found so far, and how far it has come."""

    def __init__(self, size: int, seed: int, progress: Progress | None) -> None:
        self._seed, self._progress = seed, progress
        self.compatible: list[PopulationFigures] = []
        self.changes: list[HistoryFigures] = []
        self._together = compatible(size, seed)
        self._spread = compatible(max(size // 2, 1), seed + 1)
        self._histories, self._statements = make_histories(max(size // _STATEMENTS_PER_HISTORY, 12), seed)
        self.statements = len(self._together) + len(self._spread) + len(self._statements)
        self.total = self._done = 0

    def _step(self, count: int, label: str) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self.total, label)

    def write_all(
        self, stores: Stores, number: int, embedder: str | Embedder | None, conversations: Sequence[Conversation]
    ) -> None:
        """Write everything with one embedder."""
        with MemoryManager(stores.address(f"compatible-{number}"), embedder=embedder, settings=NO_WORKER) as manager:
            name = "none" if manager.embedder is None else manager.embedder.id
            tally = Tally(name)
            for view, statements in self._scopes(manager):
                tally.add(view, list(self._written(view, statements, f"populations, embedder {name}")))
            self.compatible += tally.figures()
            tally = Tally(name)
            for conversation in conversations:
                for view, written in self._turns(manager, conversation):
                    tally.add(view, written)
            self.compatible += tally.figures()
        clock, step = TickingClock(), self._stepper(f"changes, embedder {name}")
        address = stores.address(f"changes-{number}")
        with MemoryManager(address, user="ours", embedder=embedder, clock=clock, settings=NO_WORKER) as manager:
            self.changes.append(write_histories(manager, clock, self._histories, self._statements, step))

    def _stepper(self, label: str) -> Callable[[], None]:
        return lambda: self._step(1, label)

    def _scopes(self, manager: MemoryManager) -> Iterator[tuple[MemoryManager, Sequence[Statement]]]:
        """Yield one scope that holds everything, then several users who share another population."""
        yield manager.scoped(user="everything"), self._together
        rng, shared = Random(self._seed), [list[Statement]() for _ in range(_USERS)]
        for one in self._spread:
            rng.choice(shared).append(one)
        for number, statements in enumerate(shared):
            yield manager.scoped(user=f"user-{number}"), statements

    def _written(self, view: MemoryManager, statements: Sequence[Statement], label: str) -> Iterator[Written]:
        """Write most in batches and the last fifth one by one."""
        many, single = statements[: len(statements) * 4 // 5], statements[len(statements) * 4 // 5 :]
        for start in range(0, len(many), _BATCH):
            batch = many[start : start + _BATCH]
            outcomes = view.remember_many([one.item for one in batch])
            self._step(len(batch), label)
            yield from (Written(one.population, one.item, kept) for one, kept in zip(batch, outcomes, strict=True))
        for one in single:
            kept = view.remember(**one.item)
            self._step(1, label)
            yield Written(one.population, one.item, kept)

    def _turns(
        self, manager: MemoryManager, conversation: Conversation
    ) -> Iterator[tuple[MemoryManager, list[Written]]]:
        """Write every turn as a fact valid from its time; then each sentence of what people said."""
        left_out = ("kind", "session")
        turns = [
            {"kind": "semantic", **{name: value for name, value in item.items() if name not in left_out}}
            for item in conversation.items
        ]
        spoken = [
            {**turn, "content": sentence}
            for turn in turns
            if turn.get("actor") != "assistant"
            for sentence in sentences(str(turn["content"]))
        ]
        for name, items, user in ((TURNS, turns, conversation.id), (SENTENCES, spoken, f"{conversation.id}/sentences")):
            view = manager.scoped(user=user)
            outcomes = view.remember_many(items)
            yield view, [Written(name, item, kept) for item, kept in zip(items, outcomes, strict=True)]
        self._step(len(turns), conversation.id)
