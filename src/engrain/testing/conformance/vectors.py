"""Search by vector: exact cosine, filtered, rescored, one embedder at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engrain.arrays import Floats, np
from engrain.model.filters import Filter, Test
from engrain.model.memory import Status
from engrain.storage import interface
from engrain.storage.interface import Transaction
from engrain.storage.rows import Record, Vector
from engrain.testing.conformance.base import E1, E2, EVERYTHING, Conformance, close, floats, ints, put_memory
from engrain.testing.reference import cosines
from engrain.testing.rows import memory, raises

LIVE = EVERYTHING.but(Test("status", "eq", Status.ACTIVE))
TOLERANCE = 1e-3
RESCORED, COARSE = 32, 1e-2  # beyond the first so many, a store may answer from its coarser copy


class VectorSearch(Conformance):
    """Order and scores against double precision, filters, and what has no vector."""

    def keep_vectors(self, rows: Floats, embedder: str = E1, **fields: Any) -> list[int]:
        """Keep one memory for each vector, in one write."""

        def change(tx: Transaction) -> list[int]:
            return [put_memory(tx, memory(str(n), **fields), "", {embedder: row}) for n, row in enumerate(rows)]

        return self.store.write(change, fields.get("org", self.org))

    def nearest_found(
        self, nums: Sequence[int], rows: Floats, query: Floats, limit: int, where: Filter = EVERYTHING
    ) -> None:
        """Assert that the best `limit` are found, in order, with their cosines, up to the tolerance."""
        exact = dict(zip(nums, cosines(rows, query), strict=True))
        found = self.similar(query.tolist(), where, limit)
        assert len(found.nums) == min(limit, len(nums))
        assert len(set(found.nums.tolist())) == len(found.nums)
        own = [exact[num] for num in found.nums.tolist()]
        best = sorted(exact.values(), reverse=True)[:limit]
        for wanted in (own, best):
            close(found.scores[:RESCORED], wanted[:RESCORED], TOLERANCE)
            close(found.scores[RESCORED:], wanted[RESCORED:], COARSE)
        assert all(a >= b for a, b in zip(found.scores, found.scores[1:], strict=False))

    def test_the_nearest_are_found_with_their_cosines(self) -> None:
        rng = np.random.default_rng(1)
        rows = rng.standard_normal((300, 48)).astype(np.float32)
        nums = self.keep_vectors(rows)
        for limit in (1, 10, 64, 100, 300, 10**9):
            for query in rng.standard_normal((3, 48)).astype(np.float32):
                self.nearest_found(nums, rows, query, limit)

    def test_crowded_vectors_are_told_apart(self) -> None:
        rng = np.random.default_rng(2)
        centre = rng.standard_normal(64)
        rows = (centre + 0.1 * rng.standard_normal((400, 64))).astype(np.float32)
        query = (centre + 0.1 * rng.standard_normal(64)).astype(np.float32)
        nums = self.keep_vectors(rows)
        exact = np.asarray(cosines(rows, query))
        best = {nums[place] for place in np.argsort(-exact)[:10].tolist()}
        found = self.similar(query.tolist(), limit=10)
        assert len(best & set(found.nums.tolist())) >= 9, "rescoring has to look beyond the first ten"
        close(found.scores, np.sort(exact)[::-1][:10], TOLERANCE)

    def test_more_rows_than_fit_a_block(self) -> None:
        rng = np.random.default_rng(3)
        rows = rng.standard_normal((6000, 16)).astype(np.float32)
        nums = self.keep_vectors(rows)
        for query in rng.standard_normal((3, 16)).astype(np.float32):
            self.nearest_found(nums, rows, query, 20)

    def test_length_does_not_matter(self) -> None:
        rows = floats([[1e-6, 0.0, 0.0], [1e6, 1e6, 0.0], [3.0, 4.0, 0.0], [-2.0, 0.0, 0.0]])
        nums = self.keep_vectors(rows)
        self.nearest_found(nums, rows, floats([1000, 0, 0]), 4)
        self.nearest_found(nums, rows, floats([1e-5, 1e-5, 0]), 4)

    def test_a_vector_of_zeros_is_like_nothing(self) -> None:
        zero, one = self.keep_vectors(floats([[0, 0, 0], [1, 0, 0]]))
        ranked = self.similar([1, 0, 0])
        found = dict(zip(ranked.nums.tolist(), ranked.scores.tolist(), strict=True))
        close([found[one]], [1.0], TOLERANCE)
        assert found.get(zero, 0.0) == 0.0
        assert all(score == 0.0 for score in self.similar([0, 0, 0]).scores.tolist())

    def test_equal_vectors_come_in_row_order(self) -> None:
        nums = self.keep_vectors(floats([[1, 2, 3]] * 60))
        assert self.similar([1, 2, 3]).nums.tolist() == nums
        assert self.similar([1, 2, 3], limit=5).nums.tolist() == nums[:5]

    def test_limit_zero_and_negative_scores(self) -> None:
        (num,) = self.keep_vectors(floats([[-1, 0, 0]]))
        assert self.similar([1, 0, 0], limit=0).nums.tolist() == []
        found = self.similar([1, 0, 0], limit=1)
        assert found.nums.tolist() == [num]
        close(found.scores, [-1.0], TOLERANCE)

    def test_hidden_rows_take_no_place(self) -> None:
        rng = np.random.default_rng(4)
        rows = rng.standard_normal((200, 24)).astype(np.float32)
        nums = self.keep_vectors(rows)
        shown = nums[::7]

        def change(tx: Transaction) -> None:
            hidden = tuple(num for num in nums if num not in shown)
            tx.update(Record, [Test("num", "in", hidden)], status=Status.FORGOTTEN)

        self.store.write(change, self.org)
        for query in rng.standard_normal((3, 24)).astype(np.float32):
            self.nearest_found(shown, rows[::7], query, 10, LIVE)

    def test_an_administrator_gets_the_best_of_all_namespaces(self) -> None:
        rng = np.random.default_rng(5)
        rows = rng.standard_normal((120, 24)).astype(np.float32)
        nums: list[int] = []
        for n, user in enumerate((None, "ana", "bob", "cleo")):
            nums += self.keep_vectors(rows[30 * n : 30 * n + 30], user=user)
        self.keep_vectors(rows, org="other")
        for query in rng.standard_normal((3, 24)).astype(np.float32):
            self.nearest_found(nums, rows, query, 15)
            self.nearest_found(nums[30:60], rows[30:60], query, 15, Filter("default", "ana"))
            self.nearest_found(nums[:60], rows[:60], query, 15, Filter("default", "ana", shared=True))

    def test_vectors_of_two_embedders_never_meet(self) -> None:
        one = self.keep_vectors(floats([[1, 0, 0]]), E1)
        two = self.keep_vectors(floats([[1, 0, 0, 0]]), E2)
        assert self.similar([1, 0, 0], embedder=E1).nums.tolist() == one
        assert self.similar([1, 0, 0, 0], embedder=E2).nums.tolist() == two
        assert self.similar([1, 0, 0], embedder="unknown").nums.tolist() == []

    def test_a_vector_of_another_length_is_a_value_error(self) -> None:
        (num,) = self.keep_vectors(floats([[1, 0, 0]]))
        for wrong in ([1.0], [1.0, 0.0], [1.0, 0.0, 0.0, 0.0]):
            with raises(ValueError):
                self.similar(wrong)
            with raises(ValueError):
                self.keep_vectors(floats([wrong]))
            with raises(ValueError), self.store.read(self.org) as view:
                interface.cosines(view, E1, floats(wrong), ints([num]), EVERYTHING)
        assert [row.num for row in self.find(Record, EVERYTHING)] == [num]

    def test_numbers_that_are_none_are_a_value_error(self) -> None:
        for wrong in (math.nan, math.inf):
            with raises(ValueError):
                self.keep_vectors(floats([[wrong, 0, 0]]))
        assert self.memories() == []

    def test_given_rows_are_scored_and_nan_where_there_is_no_vector(self) -> None:
        rng = np.random.default_rng(6)
        rows = rng.standard_normal((20, 24)).astype(np.float32)
        nums, bare = self.keep_vectors(rows[:10]), self.add(memory("no vector"))
        nums += self.keep_vectors(rows[10:], user="ana")
        other = self.keep_vectors(floats([[1, 0, 0]]), E2)[0]
        query = rng.standard_normal(24).astype(np.float32)
        with self.store.read(self.org) as view:
            found = interface.cosines(view, E1, query, ints([bare, *reversed(nums), other]), EVERYTHING)
            strange = interface.cosines(view, "unknown", query, ints(nums), EVERYTHING)
        assert math.isnan(found[0])
        assert math.isnan(found[-1])
        close(found[1:-1], cosines(rows, query)[::-1], 1e-2)
        assert np.isnan(strange).all()

    def test_a_vector_that_comes_later_is_found(self) -> None:
        bare, first = self.add(memory("late")), self.keep_vectors(floats([[0, 1, 0]]))[0]
        assert self.similar([1, 0, 0]).nums.tolist() == [first]
        self.store.write(
            lambda tx: tx.put(Vector(tx.namespace("default", None), E1, bare, floats([1, 0, 0]))), self.org
        )
        assert self.similar([1, 0, 0]).nums.tolist() == [bare, first]

    def test_a_replaced_vector_is_searched_as_it_is_now(self) -> None:
        one, two = self.keep_vectors(floats([[1, 0, 0], [0, 1, 0]]))
        assert self.similar([1, 0, 0]).nums.tolist() == [one, two]
        self.store.write(
            lambda tx: tx.put(Vector(tx.namespace("default", None), E1, one, floats([-1, 0, 0]))), self.org
        )
        assert self.similar([1, 0, 0]).nums.tolist() == [two, one]

    def test_a_deleted_vector_is_not_found(self) -> None:
        one, two = self.keep_vectors(floats([[1, 0, 0], [0, 1, 0]]))
        assert self.similar([1, 0, 0]).nums.tolist() == [one, two]
        self.store.write(lambda tx: tx.delete(Vector, [Test("num", "eq", one)]), self.org)
        assert self.similar([1, 0, 0]).nums.tolist() == [two]
        self.store.write(lambda tx: tx.delete(Vector, [Test("embedder", "eq", E1)]), self.org)
        assert self.similar([1, 0, 0]).nums.tolist() == []
