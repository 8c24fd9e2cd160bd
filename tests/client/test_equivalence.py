"""Every method through the client on one store and through the manager on another: the same results, act by act."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import fields, is_dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from campaigns.acts import ACTS, Given
from engrain import MemoryManager
from engrain.client import Client
from engrain.model.results import Listing
from engrain.server.limits import Limits
from engrain.testing import FakeEmbedder, FrozenClock
from tests.client.test_methods import BESIDE
from tests.rest.samples import Numbered
from tests.result_documents.same import difference
from tests.servers import serving

ID = re.compile(r"\b(?:mem|mrg|rcp|job|key)_[0-9a-f]{32}")
SALTED = re.compile(r'"(?:digest|hash)": "[^"]*"')
"""What an export says of the audit trail: digests under a salt of the store."""
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 22))]


class Side:
    """One of the two: a memory whose ids count from one, and the ids that were told."""

    def __init__(self, memory: Any, clock: FrozenClock, folder: Path, seed: int) -> None:
        self.memory, self.clock, self.names = memory, clock, dict[str, None]()
        self.folder = folder
        folder.mkdir(parents=True)
        self.given = Given(random.Random(seed), "mila", "common", folder, [])

    def act(self, name: str) -> object:
        self.memory.flush()
        self.clock.advance(timedelta(seconds=1))
        self.given.ids = list(self.names)
        try:
            found = ACTS[name](self.memory, self.given)
        except Exception as error:  # what is raised is a result too
            notes = "; ".join(getattr(error, "__notes__", ()))  # which a server writes behind the message
            return type(error).__name__, self.comparable(f"{error} ({notes})" if notes else str(error))
        return self.comparable(found)

    def comparable(self, value: object) -> object:
        if isinstance(value, str):
            self.names |= dict.fromkeys(ID.findall(value))
            return SALTED.sub("", value.replace(f"{self.folder.parent}/", ""))
        if is_dataclass(value) and not isinstance(value, type):
            return (
                type(value).__name__,
                [(f.name, self.comparable(getattr(value, f.name))) for f in fields(value) if f.name not in UNLIKE],
            )
        if isinstance(value, dict):
            return [(self.comparable(key), self.comparable(item)) for key, item in value.items() if key not in UNLIKE]
        if isinstance(value, list | tuple | set | frozenset | Listing):
            return type(value).__name__, [self.comparable(item) for item in value]
        return value


UNLIKE = {"store_bytes", "answers", "out_of_reach"}
"""What is of one store only: a server keeps answers in it, which make it larger and are erased along, and no files."""


@pytest.fixture(scope="module", params=SEEDS)
def sides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, Side, int]]:
    folder = tmp_path_factory.mktemp("acts")
    clocks = [FrozenClock("2026-01-05T12:00:00+00:00") for _ in range(2)]
    made = [MemoryManager(folder / f"{n}.db", embedder=FakeEmbedder(), clock=clock) for n, clock in enumerate(clocks)]
    for memory in made:
        memory._engine.new_id = Numbered()
    limits = Limits(writes_per_minute=None)
    with (
        made[0] as served,
        made[1] as own,
        serving(served, limits=limits) as url,
        Client(url, timeout=120) as client,
        chdir(folder),  # paths are short: none is cut in the header of a context
    ):
        view = {} if request.param % 2 else {"user": "ana", "agent": "scout"}
        yield (
            Side(client.scoped(**view), clocks[0], Path("side-a", "files"), request.param),
            Side(own.scoped(**view), clocks[1], Path("side-b", "files"), request.param),
            request.param,
        )


def test_acts_at_random_do_the_same_through_the_client_as_at_the_store(sides: tuple[Side, Side, int]) -> None:
    through, beside, seed = sides
    names = sorted(set(ACTS) - set(BESIDE))
    random.Random(seed).shuffle(names)
    for name in names:
        mine, his = through.act(name), beside.act(name)
        assert not difference(_without_counts(mine), _without_counts(his)), f"seed {seed}: {name}"


def _without_counts(result: Any) -> Any:
    """Return a result without how many words a receipt looked for: those of a file's path, which differs, are too."""
    match result:
        case ("searched", [*counts]):
            return "searched", [name for name, _ in counts]
        case tuple() | list():
            return type(result)(_without_counts(each) for each in result)
    return result
