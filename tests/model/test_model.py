"""Random work through the front door, held against a plain model: nothing is lost, doubled, or seen across a wall."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engrain import MemoryManager, NotFound, Settings
from engrain.model.choices import Order
from engrain.testing import FrozenClock
from tests.rounds import rounds

USERS = (None, "ana", "bo")
AGENTS = (None, "scout", "clerk")
WORDS = ("apple", "brook", "cedar", "delta", "ember")
KEYS = ("home", "work")
STATUSES = ("active", "expired", "forgotten")

words = st.sampled_from(WORDS)
users = st.sampled_from(USERS)
agents = st.sampled_from(AGENTS)
keys = st.none() | st.none() | st.sampled_from(KEYS)
tags = st.lists(st.sampled_from(("red", "green", "blue")), max_size=2, unique=True)
hours = st.integers(1, 30).map(lambda n: timedelta(hours=n))
lives = st.none() | st.none() | hours


@dataclass
class Known:
    """What the model knows of one memory."""

    id: str
    user: str | None
    agent: str | None
    content: str
    key: str | None
    recorded_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    expires_at: datetime | None = None
    tags: tuple[str, ...] = ()
    forgotten: bool = False
    version: int = 1
    said: list[str] = field(default_factory=list)

    def holds(self, now: datetime) -> bool:
        ended = any(at is not None and at <= now for at in (self.valid_until, self.expires_at))
        return not self.forgotten and not ended

    def lives(self, now: datetime) -> bool:
        return self.holds(now) and self.valid_from <= now

    def status(self, now: datetime) -> str:
        if self.forgotten:
            return "forgotten"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"


@dataclass(frozen=True)
class View:
    """A user and an agent, and what they may see."""

    user: str | None
    agent: str | None

    def sees(self, known: Known) -> bool:
        return self.user in (None, known.user) and (self.agent is None or known.agent in (None, self.agent))

    def owns(self, known: Known) -> bool:
        return (known.user, known.agent) == (self.user, self.agent)


views = st.builds(View, users, agents)


class MemoryModel(RuleBasedStateMachine):
    """One store, several users and agents, and a dictionary that remembers the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FrozenClock("2026-01-05T12:00:00+00:00")
        self.all: dict[str, Known] = {}
        self.open()

    def open(self) -> None:
        self.memory = MemoryManager(
            Path(self.folder.name) / "memory.db",
            embedder=None,
            clock=self.clock,
            settings=Settings(worker="none", durability="normal"),
        )

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()

    def view(self, view: View) -> MemoryManager:
        return self.memory.scoped(user=view.user, agent=view.agent)

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def seen(self, view: View, of: Callable[[Known], bool]) -> list[Known]:
        return [known for known in self.all.values() if view.sees(known) and of(known)]

    # -------------------------------------------------------------------------------------------------------- writing

    def expect(self, view: View, content: str, given: dict[str, Any]) -> tuple[Known | None, str]:
        """Work out what a write does: the memory it meets, if any, and its status; and do it to the model."""
        ttl, start, end = given.get("ttl"), given.get("valid_from"), given.get("valid_until")
        expires, key, tagged = self.now + ttl if ttl else None, given.get("key"), tuple(given.get("tags", ()))
        held = next((k for k in self.all.values() if view.owns(k) and k.key == key and not k.forgotten), None)
        if key is not None and held is not None:
            if held.holds(self.now):
                edited = replace(
                    held,
                    content=content,
                    expires_at=expires or held.expires_at,
                    tags=tagged or held.tags,
                    valid_from=start or held.valid_from,
                    valid_until=end or held.valid_until,
                )
                if edited == held:
                    return held, "noop"
                self.all[held.id] = replace(edited, version=held.version + 1, said=[*held.said, content])
                return held, "updated"
            held.key = None
        twin = self.twin(view.user, view.agent, key, content)
        if twin is None or not (end is None or end > self.now):
            return None, "created"
        twin.tags = tuple(dict.fromkeys((*twin.tags, *tagged)))
        twin.valid_from = min(twin.valid_from, start or self.now)
        twin.expires_at = max(twin.expires_at, expires) if twin.expires_at and expires else None
        return twin, "noop"

    def twin(self, user: str | None, agent: str | None, key: str | None, content: str) -> Known | None:
        slot = (user, agent, key, content)
        return next(
            (k for k in self.all.values() if (k.user, k.agent, k.key, k.content) == slot and k.holds(self.now)), None
        )

    def learn(self, view: View, content: str, given: dict[str, Any], result: Iterable[Any]) -> None:
        known, status = self.expect(view, content, given)
        memory, found = result
        assert found == status, (content, given)
        if known is not None:
            assert memory.id == known.id
            return
        assert memory.id not in self.all
        self.all[memory.id] = Known(
            id=memory.id,
            user=view.user,
            agent=view.agent,
            content=content,
            key=given.get("key"),
            recorded_at=self.now,
            valid_from=given.get("valid_from", self.now),
            valid_until=given.get("valid_until"),
            expires_at=self.now + given["ttl"] if given.get("ttl") else None,
            tags=tuple(given.get("tags", ())),
            said=[content],
        )

    @rule(view=views, word=words, key=keys, ttl=lives, tagged=tags)
    def remember(self, view: View, word: str, key: str | None, ttl: timedelta | None, tagged: list[str]) -> None:
        content = f"the {word} of today"
        given: dict[str, Any] = {"key": key, "ttl": ttl, "tags": tagged}
        self.learn(view, content, given, self.view(view).remember(content, **given))

    @rule(view=views, word=words, began=hours, lasted=hours | st.none())
    def remember_a_time(self, view: View, word: str, began: timedelta, lasted: timedelta | None) -> None:
        content, start = f"the {word} of some time", self.now - timedelta(hours=12) + began
        given: dict[str, Any] = {"valid_from": start} | ({"valid_until": start + lasted} if lasted else {})
        self.learn(view, content, given, self.view(view).remember(content, **given))

    @rule(view=views, several=st.lists(st.tuples(words, keys, tags), max_size=6))
    def remember_many(self, view: View, several: list[tuple[str, str | None, list[str]]]) -> None:
        items = [{"content": f"the {word} of today", "key": key, "tags": tagged} for word, key, tagged in several]
        results = self.view(view).remember_many(items)
        for item, result in zip(items, results, strict=True):
            self.learn(view, str(item["content"]), item, result)

    def pick(self, number: int) -> str:
        ids = [*self.all, "mem_unknown"]
        return ids[number % len(ids)]

    @rule(view=views, number=st.integers(0, 99), word=words)
    def update(self, view: View, number: int, word: str) -> None:
        memory_id, content = self.pick(number), f"the {word} of today"
        known = self.all.get(memory_id)
        if known is None or known.forgotten or not view.sees(known):
            with pytest.raises(NotFound):
                self.view(view).update(memory_id, content=content)
            return
        other = self.twin(known.user, known.agent, known.key, content)
        if known.content != content and known.holds(self.now) and other is not None:
            with pytest.raises(ValueError, match=other.id):
                self.view(view).update(memory_id, content=content)
            return
        memory = self.view(view).update(memory_id, content=content)
        if known.content != content:
            self.all[memory_id] = replace(
                known, content=content, version=known.version + 1, said=[*known.said, content]
            )
        assert (memory.content, memory.version) == (content, self.all[memory_id].version)

    @rule(view=views, number=st.integers(0, 99))
    def forget(self, view: View, number: int) -> None:
        memory_id = self.pick(number)
        known = self.all.get(memory_id)
        hidden = known is not None and view.sees(known) and not known.forgotten
        assert self.view(view).forget(memory_id).count == hidden
        if known is not None and hidden:
            known.forgotten = True

    @rule(by=hours)
    def time_passes(self, by: timedelta) -> None:
        self.clock.advance(by)

    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.open()

    # -------------------------------------------------------------------------------------------------------- reading

    @rule(view=views, word=words)
    def recall(self, view: View, word: str) -> None:
        found = self.view(view).recall(word, k=1000, touch=False)
        expected = self.seen(view, lambda known: known.lives(self.now) and word in known.content)
        assert Counter(hit.id for hit in found) == Counter(known.id for known in expected)

    @rule(view=views, wanted=st.sampled_from(("red", "green", "blue")))
    def list_tagged(self, view: View, wanted: str) -> None:
        listed = {memory.id for memory in self.view(view).iter_memories(tags=[wanted])}
        assert listed == {known.id for known in self.seen(view, lambda k: k.lives(self.now) and wanted in k.tags)}

    @rule(view=views, limit=st.integers(1, 4), order=st.sampled_from(("recorded_at", "-valid_from", "importance")))
    def list_in_pages(self, view: View, limit: int, order: Order) -> None:
        met: list[str] = []
        cursor: str | None = None
        while True:
            page = self.view(view).list_memories(status="all", limit=limit, order=order, cursor=cursor)
            met += [memory.id for memory in page]
            cursor = page.next
            if cursor is None:
                break
        assert Counter(met) == Counter(known.id for known in self.seen(view, lambda _: True))

    @rule(view=views, number=st.integers(0, 99))
    def get(self, view: View, number: int) -> None:
        memory_id = self.pick(number)
        known, found = self.all.get(memory_id), self.view(view).get(memory_id)
        past = self.view(view).history(memory_id)
        if known is None or not view.sees(known):
            assert (found, past) == (None, [])
            return
        assert [memory.content for memory in past] == known.said
        assert [memory.version for memory in past] == list(range(1, len(past) + 1))
        if known.forgotten:
            assert found is None
            return
        assert found is not None
        assert (found.content, found.key, found.version) == (known.content, known.key, known.version)
        assert (found.status.value, set(found.tags)) == (known.status(self.now), set(known.tags))
        assert (found.scope.user, found.scope.agent) == (known.user, known.agent)

    @rule(view=st.builds(View, users, st.none()), key=st.sampled_from(KEYS))
    def get_by_key(self, view: View, key: str) -> None:
        own = [k for k in self.all.values() if view.owns(k) and k.key == key and not k.forgotten]
        if own:
            found = self.view(view).get(key=key)
            assert found is not None
            assert found.id == own[0].id

    @invariant()
    def counts_agree(self) -> None:
        for view in (View(None, None), View("ana", None), View("bo", "scout")):
            manager, seen = self.view(view), self.seen(view, lambda _: True)
            assert manager.count(status="all") == len(seen)
            assert manager.count() == sum(known.lives(self.now) for known in seen)
            found = manager.stats().by_status
            assert {name: found.get(name, 0) for name in STATUSES} == {
                name: sum(known.status(self.now) == name for known in seen) for name in STATUSES
            }


class LongMemoryModel(MemoryModel):
    """The same over many more histories."""


for machine, examples in ((MemoryModel, 30), (LongMemoryModel, 300)):
    machine.TestCase.settings = settings(
        max_examples=rounds(examples), stateful_step_count=30, phases=(Phase.explicit, Phase.generate)
    )
TestMemoryModel = MemoryModel.TestCase
TestLongMemoryModel = pytest.mark.slow(LongMemoryModel.TestCase)
