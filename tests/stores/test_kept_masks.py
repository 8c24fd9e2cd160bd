"""What a process keeps between questions: a store that stays open answers as one that has just been opened."""

from __future__ import annotations

import random
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain.model.filters import Condition, Filter, Test, live
from engrain.storage.interface import Store, Transaction, gains
from engrain.storage.rows import Columns, Posting, Record, Vector
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import E1, add, floats, ints, put_memory
from engrain.testing.rows import NOON, memory

pytestmark = pytest.mark.sqlite("what it keeps in memory")

WORDS = ("tea", "milk", "cup", "pot")
HOUR = timedelta(hours=1)


def fill(store: Store, rng: random.Random, *, users: int, rows: int) -> list[int]:
    """Keep rows of many users, some of which begin, end or expire within a day of noon."""

    def one(tx: Transaction) -> int:
        words = " ".join(rng.choices(WORDS, k=rng.randrange(1, 6)))
        times: dict[str, Any] = {
            "valid_from": NOON + HOUR * rng.randrange(-24, 12),
            "valid_until": rng.choice((None, None, NOON + HOUR * rng.randrange(-12, 24))),
            "expires_at": rng.choice((None, None, NOON + HOUR * rng.randrange(-12, 24))),
        }
        place: dict[str, Any] = {"session": rng.choice((None, "monday", "friday")), "position": rng.randrange(9)}
        made = memory(words, user=f"user-{rng.randrange(users)}", actor=rng.choice(("Ana", "Bo")), **place, **times)
        return put_memory(tx, made, words, {E1: [rng.random() for _ in range(8)]})

    return [store.write(one, "default") for _ in range(rows)]


def seen(store: Store, where: Filter) -> list[object]:
    """Return all that a recall would learn of the rows that pass."""
    terms = dict.fromkeys(WORDS, 1.0)
    with store.read("default") as view:
        text, near = (
            view.search_text(terms, where, limit=999),
            view.search_vector(E1, floats([1] * 8), where, limit=999),
        )
        terms_of_each = gains(view, WORDS, text.nums, where)
        of_each: Columns = view.describe(text.nums, where).columns
        about = view.describe(text.nums, where, span=2, terms=terms)
        return [
            text.nums.tolist(),
            text.scores.round(4).tolist(),
            near.nums.tolist(),
            sorted(view.actors(where)),
            view.search_time(where, limit=999).tolist(),
            about.around.tolist(),
            about.sessions.round(4).tolist(),
            terms_of_each.tolist(),
            [of_each.actors[code] for code in of_each.actor.tolist()],
            of_each.strength.tolist(),
        ]


def change(store: Store, rng: random.Random, nums: list[int]) -> None:
    """Change what a filter tests, or only a strength, or remove a row."""
    num = rng.choice(nums)
    here: list[Condition] = [Test("num", "eq", num)]
    changes: dict[str, Any] | None = rng.choice(
        (
            {"strength": rng.random()},
            {"valid_until": NOON + HOUR * rng.randrange(-12, 24)},
            {"status": "archived"},
            {"session": "sunday", "position": rng.randrange(9)},
            None,
        )
    )
    if changes is not None:
        store.write(lambda tx: tx.update(Record, here, **changes), "default")
    else:
        store.write(lambda tx: [tx.delete(kind, here) for kind in (Posting, Vector, Record)], "default")
        nums.remove(num)


def test_a_kept_mask_equals_a_fresh_read(tmp_path: Path) -> None:
    rng = random.Random(11)
    path = str(tmp_path / "memory.db")
    with closing(SQLiteStore(path)) as kept, closing(SQLiteStore(path)) as writer:
        nums = fill(writer, rng, users=30, rows=150)
        for _ in range(25):
            now = NOON + HOUR * rng.randrange(-30, 30)
            conditions = (*live(now), *rng.choice(((), (Test("actor", "eq", "Ana"),), (Test("num", "gt", nums[9]),))))
            for user in (None, "user-3"):
                where = Filter("default", user, conditions=conditions)
                with closing(SQLiteStore(path)) as fresh:
                    assert seen(kept, where) == seen(fresh, where)
            if rng.random() < 0.7:
                change(rng.choice((writer, kept)), rng, nums)
            else:
                nums += fill(rng.choice((writer, kept)), rng, users=40, rows=3)


def test_a_moment_that_passes_a_time_is_noticed(tmp_path: Path) -> None:
    with closing(SQLiteStore(str(tmp_path / "memory.db"))) as store:
        first = add(store, memory("tea", valid_from=NOON, valid_until=NOON + HOUR), "tea")
        second = add(store, memory("tea", valid_from=NOON + HOUR), "tea")

        def found(now: timedelta) -> list[int]:
            with store.read("default") as view:
                where = Filter("default", conditions=live(NOON + now))
                return [int(num) for num in view.search_text({"tea": 1.0}, where, limit=9).nums]

        instant = timedelta(microseconds=1)
        assert found(-instant) == []
        assert found(timedelta()) == found(HOUR / 2) == found(HOUR - instant) == [first]
        assert found(HOUR) == found(9 * HOUR) == [second]
        assert found(HOUR - instant) == [first]


def test_an_org_of_many_users_keeps_the_statistics_of_each(tmp_path: Path) -> None:
    rng = random.Random(5)
    with closing(SQLiteStore(str(tmp_path / "memory.db"))) as store:
        fill(store, rng, users=40, rows=200)
        terms = dict.fromkeys(WORDS, 1.0)
        with store.read("default") as view:
            many = view.search_text(terms, Filter("default"), limit=999)
            sessions = view.describe(many.nums, Filter("default"), terms=terms).sessions
        scores: dict[int, float] = {}
        talks: dict[int, float] = {}
        for user in range(40):
            with store.read("default") as view:
                where = Filter("default", f"user-{user}")
                alone = view.search_text(terms, where, limit=999)
                scores |= dict(zip(alone.nums.tolist(), alone.scores.round(4).tolist(), strict=True))
                of = view.describe(ints(alone.nums.tolist()), where, terms=terms).sessions.round(4)
                talks |= dict(zip(alone.nums.tolist(), of.tolist(), strict=True))
        assert dict(zip(many.nums.tolist(), many.scores.round(4).tolist(), strict=True)) == scores
        assert dict(zip(many.nums.tolist(), sessions.round(4).tolist(), strict=True)) == talks
