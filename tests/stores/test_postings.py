"""The words and the vector of the newest memories are in a row each until many move together; no view sees that."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random

import pytest

from engrain import MemoryManager, Settings
from engrain.model.filters import Filter, Test
from engrain.storage.interface import Transaction
from engrain.storage.rows import Posting, Row, Vector
from engrain.storage.sqlite.store import BY_MEMORY, SQLiteStore
from engrain.testing.conformance.base import floats, put_memory
from engrain.testing.rows import memory

pytestmark = pytest.mark.sqlite("how its file keeps words")

WORDS = ["tea", "te", 'te"a', ",te", '"te":1', "te\\", "чай", "🍵", "a\u2028b", "0"]


@pytest.mark.parametrize("seed", range(2))
def test_words_are_found_by_whatever_way_they_were_written(tmp_path: Path, seed: int) -> None:
    def namespace(tx: Transaction, user: str) -> int:
        return tx.namespace("default", user)

    rng, known = Random(seed), dict[tuple[str, int], Counter[str]]()
    store = SQLiteStore(tmp_path / "memory.db")
    users = {user: store.write(partial(namespace, user=user), "default") for user in ("ana", "bo")}

    def index(tx: Transaction, user: str, nums: Sequence[int]) -> None:
        for num in nums:
            known[user, num] = Counter(rng.choices(WORDS, k=4))
        tx.put(*(Posting(users[user], word, num, n) for num in nums for word, n in known[user, num].items()))

    def put(tx: Transaction, user: str, many: int, batch: int) -> None:
        nums = [put_memory(tx, memory(f"m{rng.random()}", user=user)) for _ in range(many)]
        for start in range(0, many, batch):
            index(tx, user, nums[start : start + batch])

    def edit(tx: Transaction, user: str, num: int) -> None:
        tx.delete(Posting, [Test("num", "eq", num)])
        index(tx, user, [num])

    for _ in range(25):
        user = rng.choice(["ana", "ana", "ana", "bo"])
        mine = [num for owner, num in known if owner == user]
        if mine and rng.random() < 0.2:
            store.write(partial(edit, user=user, num=rng.choice(mine)), "default")
        else:
            many, batch = rng.choice([(1, 1), (2, 1), (BY_MEMORY - 1, 1), (BY_MEMORY, BY_MEMORY)])
            store.write(partial(put, user=user, many=many, batch=batch), "default")
        with store.read("default") as view:
            for word in rng.sample(WORDS, 3):
                expected = [num for (owner, num), words in sorted(known.items()) if owner == user and word in words]
                found = view.search_text({word: 1.0}, Filter("default", user), limit=10_000)
                assert sorted(found.nums.tolist()) == expected
                assert found.stats.frequency[word] == len(expected)
                assert list(view.look_up("default", user, terms=[word], rows=5).holders) == [expected[:5]]
    with store.read("default") as view:
        rows = {(row.namespace, row.num, row.term): row.times for row in view.find(Posting)}
    assert rows == {(users[user], num, word): n for (user, num), words in known.items() for word, n in words.items()}
    store.close()


@pytest.mark.parametrize("seed", range(2))
def test_vectors_are_found_by_whatever_way_they_were_written(tmp_path: Path, seed: int) -> None:
    rng, known, place = Random(seed), dict[tuple[str, int], list[float]](), tmp_path / "memory.db"

    def vector(num: int, embedder: str) -> Vector:
        known[embedder, num] = rng.choice([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        return Vector(1, embedder, num, floats(known[embedder, num]))

    def put(tx: Transaction, many: int) -> None:
        for num in [put_memory(tx, memory(f"m{rng.random()}", user="ana")) for _ in range(many)]:
            vectors: list[Row] = [vector(num, embedder) for embedder in rng.choice([["a"], ["b"], ["a", "b"], []])]
            words: list[Row] = [Posting(1, "tea", num, 1)] * rng.randint(0, 1)
            tx.put(*rng.choice([[*words, *vectors], [*vectors, *words]]))

    def replace(tx: Transaction, num: int) -> None:
        tx.put(vector(num, rng.choice("ab")), vector(num, rng.choice("ab")))

    def delete(tx: Transaction, num: int) -> None:
        embedders = rng.choice([("a",), ("b",), ("a", "b")])
        gone = [known.pop((embedder, num), None) for embedder in embedders]
        where = [Test("ns", "eq", 1), Test("num", "eq", num), Test("embedder", "in", embedders)]
        assert tx.delete(Vector, where) == len(gone) - gone.count(None)

    def unindex(tx: Transaction, num: int) -> None:
        tx.delete(Posting, [Test("ns", "eq", 1), Test("num", "eq", num)])

    with closing(SQLiteStore(place)) as store, closing(sqlite3.connect(place)) as file:
        store.write(lambda tx: tx.namespace("default", "ana"), "default")
        beside = 0
        for _ in range(120):
            if not known or rng.random() < 0.4:
                store.write(partial(put, many=rng.choice([1, 1, 3, BY_MEMORY // 2])), "default")
            else:
                store.write(partial(rng.choice([replace, delete, unindex]), num=rng.choice([*known])[1]), "default")
            with store.read("default") as view:
                found = {(each.embedder, each.num): each.values.tolist() for each in view.find(Vector)}
                assert found == known
                nearest = view.search_vector("a", floats([1, 0, 0]), Filter("default", "ana"), limit=10_000)
                assert sorted(nearest.nums.tolist()) == sorted(num for embedder, num in known if embedder == "a")
            (strays,) = file.execute(
                "SELECT count(*) FROM vector_by_memory WHERE num NOT IN (SELECT num FROM posting_by_memory)"
            ).fetchone()
            beside += file.execute("SELECT count(*) FROM vector_by_memory").fetchone()[0]
            assert strays == 0
        assert beside


def test_a_word_is_gone_from_the_file_with_the_memory_whose_row_has_it(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    with MemoryManager(place, user="ana", embedder=None) as manager:
        gone = manager.remember("The quokkasanctuary opens at nine.")
        manager.remember("Tea is served at ten.")
        receipt = manager.forget(gone.id, hard=True)
        assert receipt is not None
    assert b"quokkasanctuar" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_write_changes_a_page_for_its_words_and_not_one_for_each(tmp_path: Path) -> None:
    rng, place = Random(1), tmp_path / "memory.db"
    words = [f"w{number}{'aeiou'[number % 5]}" for number in range(3000)]
    texts = [" ".join(rng.sample(words, 20)) for _ in range(310)]
    with MemoryManager(place, user="ana", embedder=None, settings=Settings(worker="none")) as manager:
        manager.remember_many([{"content": text} for text in texts[:300]])
        with closing(sqlite3.connect(place, isolation_level=None)) as reader:
            reader.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memory").fetchone()  # while somebody reads, the log only grows
            for text in texts[300:]:
                manager.remember(text)
            pages = Path(f"{place}-wal").stat().st_size / 4120
    print(pages / 10)
    assert pages / 10 < 20
