"""How trustworthy writes are: what is compatible stays, nothing is lost, changes are found, each in its time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from engrain.evaluation.believed import Changes, Ticking, changes
from engrain.evaluation.changes import tellings
from engrain.evaluation.datasets import Conversation, load
from engrain.evaluation.machine import describe_machine
from engrain.evaluation.places import Places, places
from engrain.evaluation.populations import Said, compatible
from engrain.evaluation.staying import SENTENCES, TURNS, Staying, Tally, Written
from engrain.evaluation.surviving import Survival, Survivors
from engrain.language.sentences import sentences
from engrain.manager import MemoryManager
from engrain.protocols import Embedder

Progress = Callable[[int, int, str], object]
SEED = 7
SIZE = 3000
_USERS = 7
_EACH_HISTORY = 25  # statements of the populations to one history of changes
_BATCH = 250


@dataclass(frozen=True, slots=True)
class Writes:
    """What an evaluation of writes found: `staying` of statements that can all be true, `changes` of histories.

    `survival` is None without a file. It is `sound` when nothing compatible was closed, nothing lost, no wrong change
    made, and every time answered rightly where the changes were understood.
    """

    file: str | None
    size: int
    staying: tuple[Staying, ...]
    changes: tuple[Changes, ...]
    survival: Survival | None = None
    seed: int = SEED
    machine: Mapping[str, str | int] = field(default_factory=describe_machine)

    @property
    def sound(self) -> bool:
        """Whether every bar is met."""
        return all(row.sound for row in self.staying) and all(row.sound for row in self.changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys."""
        return {**asdict(self), "sound": self.sound}

    def table(self) -> str:
        """Return the figures as text for people, what was closed and what was missed spelled out."""
        lines = [
            "Statements that can all be true",
            Staying.HEAD,
            *(line for row in self.staying for line in row.lines()),
        ]
        for found in self.changes:
            lines += ["", *found.lines()]
        if self.survival is not None:
            lines += ["", *self.survival.lines()]
        lines += ["", "Every bar is met" if self.sound else "A bar is MISSED"]
        return "\n".join([*lines, "On " + ", ".join(f"{name} {value}" for name, value in self.machine.items())])


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
    """Write what can all be true and what changed into temporary stores, and look at what became of it.

    The stores are in `store_dir`, or on the server whose URL `store` is. All is done with the embedder and without one.
    `size` is how many compatible statements are made up; with a file of
    conversations their turns are written too, and `limit` caps the conversations. `progress(done, total, label)` is
    called as it goes on.
    """
    if size < 1 or (limit is not None and limit < 1):
        raise ValueError("size and limit are at least 1")
    run = _Run(size, seed, progress)
    conversations = [] if path is None else list(islice(load(path), limit))
    chosen: list[str | Embedder | None] = [None] if embedder in (None, "none") else [embedder, None]
    run.total = len(chosen) * (run.statements + sum(len(found.items) for found in conversations))
    with places(store, store_dir, purpose="eval") as made:
        for number, each in enumerate(chosen):
            run.through(made, number, each, conversations)
        survival = None if path is None else _survival(made.at("extracted"), path, conversations)
    name = None if path is None else Path(path).name
    return Writes(name, size, tuple(run.staying), tuple(run.changes), survival, seed)


def _survival(store: str, path: str | os.PathLike[str], conversations: Sequence[Conversation]) -> Survival:
    with MemoryManager(store, embedder=None) as manager:
        found = Survivors(manager)
        for conversation, answers in found.with_answers(path, conversations):
            found.add(conversation, answers)
        return found.survival()


class _Run:
    """What has been found so far, and how far it has come."""

    def __init__(self, size: int, seed: int, progress: Progress | None) -> None:
        self._seed, self._progress = seed, progress
        self.staying: list[Staying] = []
        self.changes: list[Changes] = []
        self._said = compatible(size, seed)
        self._spread = compatible(max(size // 2, 1), seed + 1)
        self._histories, self._tellings = tellings(max(size // _EACH_HISTORY, 12), seed)
        self.statements = len(self._said) + len(self._spread) + len(self._tellings)
        self.total = self._done = 0

    def _step(self, count: int, label: str) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self.total, label)

    def through(
        self, made: Places, number: int, embedder: str | Embedder | None, conversations: Sequence[Conversation]
    ) -> None:
        """Do everything with one embedder."""
        with MemoryManager(made.at(f"staying-{number}"), embedder=embedder) as manager:
            name = "none" if manager.embedder is None else manager.embedder.id
            tally = Tally()
            for view, said in self._scopes(manager):
                tally.add(view, list(self._written(view, said, f"populations, embedder {name}")))
            self.staying += tally.rows(name)
            if conversations:
                tally = Tally()
                for conversation in conversations:
                    for view, written in self._turns(manager, conversation):
                        tally.add(view, written)
                self.staying += tally.rows(name)
        clock = Ticking()
        with MemoryManager(made.at(f"changes-{number}"), user="ours", embedder=embedder, clock=clock) as manager:
            label = f"changes, embedder {name}"
            told = changes(manager, clock, self._histories, self._tellings, lambda: self._step(1, label))
            self.changes.append(told.named(name))

    def _scopes(self, manager: MemoryManager) -> Iterator[tuple[MemoryManager, Sequence[Said]]]:
        """Yield one scope that holds everything, then several users who share another population."""
        yield manager.scoped(user="everything"), self._said
        rng, shared = Random(self._seed), [list[Said]() for _ in range(_USERS)]
        for one in self._spread:
            rng.choice(shared).append(one)
        for number, said in enumerate(shared):
            yield manager.scoped(user=f"user-{number}"), said

    def _written(self, view: MemoryManager, said: Sequence[Said], label: str) -> Iterator[Written]:
        """Write most in batches and the last fifth one by one."""
        many, single = said[: len(said) * 4 // 5], said[len(said) * 4 // 5 :]
        for start in range(0, len(many), _BATCH):
            batch = many[start : start + _BATCH]
            found = view.remember_many([one.item for one in batch])
            self._step(len(batch), label)
            yield from (Written(one.population, one.item, kept) for one, kept in zip(batch, found, strict=True))
        for one in single:
            kept = view.remember(**one.item)
            self._step(1, label)
            yield Written(one.population, one.item, kept)

    def _turns(
        self, manager: MemoryManager, conversation: Conversation
    ) -> Iterator[tuple[MemoryManager, list[Written]]]:
        """Write every turn as something that holds from when it was said; then each sentence of what people said."""
        left = ("kind", "session")
        turns = [
            {"kind": "semantic", **{name: value for name, value in item.items() if name not in left}}
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
            found = view.remember_many(items)
            yield view, [Written(name, item, kept) for item, kept in zip(items, found, strict=True)]
        self._step(len(turns), conversation.id)
