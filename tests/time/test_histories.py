"""Random histories: what a read answers about a time is what a diary, kept all along, says about it."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest

from engrain.model.filters import Filter
from engrain.model.memory import Fact, Memory, Scope, Status
from engrain.read.listing import count
from engrain.read.request import conditions_at, select
from engrain.storage.rows import Record
from engrain.testing import FakeEmbedder
from tests.time.world import DAY, World

WORDS = "tea coffee kettle stamps coins Rome Oslo Gori train boat".split()
EVERYTHING = Filter("default")


class Diary:
    """A world in which anything may happen, and every state of all its memories, written down after each step."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.world = World(FakeEmbedder() if seed % 2 else None)
        self.pages: list[tuple[datetime, dict[str, Memory]]] = [(self.world.now - DAY, {})]
        for _ in range(40):
            if self.random.random() < 0.7:  # several things may happen at one moment
                self.world.clock.advance(self.random.random() * 3 * DAY)
            self.step()
            with self.world.store.read() as reader:
                rows = reader.find(Record, EVERYTHING)
            self.pages.append((self.world.now, {row.memory.id: row.memory for row in rows}))
        self.world.clock.advance(DAY)

    def text(self) -> str:
        return " ".join(self.random.sample(WORDS, 3))

    def moment(self) -> datetime:
        """Return a time in or around the history, often one at which something happened."""
        if self.random.random() < 0.4:
            return self.random.choice(self.pages)[0]
        return self.world.now + DAY - self.random.random() * 80 * DAY

    def step(self) -> None:
        world, random = self.world, self.random
        known = [each for each in self.pages[-1][1].values() if each.status is not Status.FORGOTTEN]
        if not known or random.random() < 0.35:
            self.add()
            return
        one = random.choice(known)
        match random.randrange(7):
            case 0 | 1:
                world.edit(one.id, content=self.text(), tags=tuple(random.sample(WORDS, 1)))
            case 2:
                ends = random.choice([None, one.valid_from + random.random() * 40 * DAY])
                world.edit(one.id, valid_until=ends, expires_at=self.expiry())
            case 3:
                world.supersede(one.id, random.choice(known).id)
            case 4:
                world.correct(one.id)
            case 5:
                status = random.choice([Status.ACTIVE, Status.QUARANTINED, Status.ARCHIVED])
                world.edit(one.id, change="verdict", status=status)
            case _:
                world.forget(one.id)

    def add(self) -> None:
        text, at = self.text(), self.world.now
        self.world.add(
            text,
            valid_from=at - self.random.choice([0, 0, 20]) * self.random.random() * DAY,
            expires_at=self.expiry(),
            fact=Fact("Ana", "likes", text) if self.random.random() < 0.3 else None,
            metadata={"n": self.random.randrange(3)},
        )

    def expiry(self) -> datetime | None:
        return self.world.now + self.random.random() * 60 * DAY if self.random.random() < 0.2 else None

    def then(self, at: datetime) -> list[Memory]:
        """Return the memories as they stood at a time, of those that are neither forgotten nor expired by now."""
        now, page = self.pages[-1][1], [page for time, page in self.pages if time <= at]
        clock = self.world.now
        return [
            memory
            for memory_id, memory in (page[-1] if page else {}).items()
            if now[memory_id].status is not Status.FORGOTTEN
            and ((expiry := now[memory_id].expires_at) is None or expiry > clock)
        ]


def visible(memory: Memory, *, as_of: datetime | None, known_at: datetime | None, now: datetime) -> bool:
    """Say in plain words whether a memory is among the answers."""
    if memory.stored_status is not Status.ACTIVE:
        return False
    if memory.believed_until is not None and (known_at is None or memory.believed_until <= known_at):
        return False
    if as_of is None and memory.superseded_by is not None:
        return False
    at = as_of or now
    return memory.valid_from <= at and (memory.valid_until is None or at < memory.valid_until)


@pytest.mark.matrix
@pytest.mark.parametrize("seed", range(8))
def test_every_read_agrees_with_the_diary(seed: int) -> None:
    diary = Diary(seed)
    world = diary.world
    for _ in range(8):
        when: dict[str, Any] = {name: diary.moment() for name in ("as_of", "known_at") if diary.random.random() < 0.7}
        known_at = when.get("known_at")
        if known_at is not None and known_at >= world.now:
            known_at = None
        expected = {
            memory.id: memory.content
            for memory in diary.then(known_at or world.now)
            if visible(memory, as_of=when.get("as_of"), known_at=known_at, now=world.now)
        }
        check(diary, when, expected)


def check(diary: Diary, when: dict[str, Any], expected: dict[str, str]) -> None:
    world = diary.world
    at = world.at(**when)
    chosen = select(Scope(), conditions_at(at))
    assert {h.id: h.content for h in world.ask("", k=1000, when=when)} == expected, when
    assert sorted(world.listed(**when)) == sorted(expected.values())
    assert count(world.engine, chosen, known_at=at.known_at) == len(expected)
    word = diary.random.choice(WORDS)
    found = {h.id: h.content for h in world.ask(word, k=1000, when=when)}
    assert found.items() <= expected.items()
    assert {i for i, text in expected.items() if word in text} <= found.keys()
    first = world.ask(word, k=1, when=when)
    if any(word in text for text in expected.values()):
        assert word in first[0].content
    then = {m.id: m for m in diary.then(at.known_at or world.now)}
    assert world.facts(when=when, subject="Ana") == [
        then[i].content
        for i in sorted(
            (i for i in expected if then[i].fact is not None), key=lambda i: (then[i].valid_from, i), reverse=True
        )
    ]
    n = diary.random.randrange(3)
    assert {h.id for h in world.ask("", k=1000, when=when, where={"n": n})} == {
        i for i in expected if then[i].metadata["n"] == n
    }


@pytest.mark.parametrize("seed", range(8, 10))
def test_a_time_just_before_a_change_and_the_time_of_the_change_differ_by_it(seed: int) -> None:
    diary = Diary(seed)
    for time, _ in diary.pages[1:]:
        for at in (time - timedelta(microseconds=1), time):
            expected = {
                memory.id: memory.content
                for memory in diary.then(at)
                if visible(memory, as_of=at, known_at=at, now=diary.world.now)
            }
            when = {"as_of": at, "known_at": at}
            assert {h.id: h.content for h in diary.world.ask("", k=1000, when=when)} == expected
