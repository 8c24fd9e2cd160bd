"""Search by vector: exact cosine, filtered, rescored, one embedder at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from engrain.lazy import Floats, np
from engrain.model.filters import Filter, Test
from engrain.model.memory import Status
from engrain.storage import interface
from engrain.storage.interface import Transaction
from engrain.storage.rows import Record
from engrain.testing.conformance import base
from engrain.testing.conformance.base import E1, E2, EVERYTHING, LIVE, as_list, close, cosines, floats, ints
from engrain.testing.rows import memory, raises

TOLERANCE = 1e-3
RESCORED, COARSE = 32, 1e-2  # beyond the first so many, a store may answer from its coarser copy


class VectorSearch(base.Conformance):
    """Order and scores against double precision, filters, and what has no vector; `Histories` compares changes."""

    def _keep_vectors(self, rows: Floats, embedder: str = E1, **fields: Any) -> list[int]:
        """Put one memory for each vector, in one write."""

        def change(tx: Transaction) -> list[int]:
            return [base.put_memory(tx, memory(str(n), **fields), "", {embedder: row}) for n, row in enumerate(rows)]

        return self.write(change, fields.get("org", self.org))

    def _random(self, seed: int, *shape: int) -> Floats:
        return floats(np.random.default_rng(seed).standard_normal(shape))

    def _nearest_found(
        self, nums: Sequence[int], rows: Floats, questions: Floats, limit: int, where: Filter = EVERYTHING
    ) -> None:
        """Assert that the best `limit` are found, in order, with their cosines, up to the tolerance."""
        for question in questions:
            exact = dict(zip(nums, cosines(rows, question), strict=True))
            ranked = self.nearest(question, where, limit)
            found = as_list(ranked)
            assert len(set(found)) == len(found) == min(limit, len(nums))
            for wanted in ([exact[num] for num in found], sorted(exact.values(), reverse=True)[:limit]):
                close(ranked.scores[:RESCORED], wanted[:RESCORED], TOLERANCE)
                close(ranked.scores[RESCORED:], wanted[RESCORED:], COARSE)
            assert all(a >= b for a, b in zip(ranked.scores, ranked.scores[1:], strict=False))

    def test_the_nearest_are_found_with_their_cosines_at_any_limit(self) -> None:
        rows = self._random(1, 300, 48)
        nums = self._keep_vectors(rows)
        for limit in (1, 10, 64, 100, 300, 10**9):
            self._nearest_found(nums, rows, self._random(limit, 3, 48), limit)

    def test_crowded_vectors_are_distinguished(self) -> None:
        centre = self._random(2, 64)
        rows, question = centre + 0.1 * self._random(3, 400, 64), centre + 0.1 * self._random(4, 64)
        nums = self._keep_vectors(rows)
        exact = np.asarray(cosines(rows, question))
        best = {nums[place] for place in np.argsort(-exact)[:10].tolist()}
        found = self.nearest(question, limit=10)
        assert len(best & set(as_list(found))) >= 9, "rescoring has to look beyond the first ten"
        close(found.scores, np.sort(exact)[::-1][:10], TOLERANCE)

    def test_more_rows_than_fit_a_block(self) -> None:
        rows = self._random(5, 6000, 16)
        self._nearest_found(self._keep_vectors(rows), rows, self._random(6, 3, 16), 20)

    def test_length_does_not_matter_and_zeros_are_like_nothing(self) -> None:
        rows = floats([[1e-6, 0.0, 0.0], [1e6, 1e6, 0.0], [3.0, 4.0, 0.0], [-2.0, 0.0, 0.0]])
        self._nearest_found(self._keep_vectors(rows), rows, floats([[1000, 0, 0], [1e-5, 1e-5, 0]]), 4)
        (zero,) = self._keep_vectors(floats([[0, 0, 0]]))
        ranked = self.nearest([1, 0, 0])
        assert dict(zip(as_list(ranked), ranked.scores.tolist(), strict=True)).get(zero, 0.0) == 0.0
        assert all(score == 0.0 for score in self.nearest([0, 0, 0]).scores.tolist())

    def test_equal_vectors_come_in_row_order_and_limit_zero_finds_none(self) -> None:
        nums = self._keep_vectors(floats([[1, 2, 3]] * 60))
        assert self.similar([1, 2, 3]) == nums
        assert self.similar([1, 2, 3], limit=5) == nums[:5]
        assert self.similar([1, 2, 3], limit=0) == []

    def test_only_rows_of_the_scope_that_pass_take_a_place(self) -> None:
        rows, questions = self._random(7, 120, 24), self._random(8, 3, 24)
        nums: list[int] = []
        for n, user in enumerate((None, "ana", "bob", "cleo")):
            nums += self._keep_vectors(rows[30 * n : 30 * n + 30], user=user)
        self._keep_vectors(rows, org="other")
        self._nearest_found(nums, rows, questions, 15)
        self._nearest_found(nums[30:60], rows[30:60], questions, 15, Filter("default", "ana"))
        self._nearest_found(nums[:60], rows[:60], questions, 15, Filter("default", "ana", shared=True))
        hidden = tuple(num for num in nums if num not in nums[::7])
        self.change(Record, Test("num", "in", hidden), status=Status.FORGOTTEN)
        self._nearest_found(nums[::7], rows[::7], questions, 10, LIVE)

    def test_vectors_of_two_embedders_never_meet(self) -> None:
        one, two = self._keep_vectors(floats([[1, 0, 0]])), self._keep_vectors(floats([[1, 0, 0, 0]]), E2)
        assert self.similar([1, 0, 0]) == one
        assert as_list(self.nearest([1, 0, 0, 0], embedder=E2)) == two
        assert as_list(self.nearest([1, 0, 0], embedder="unknown")) == []

    def test_a_vector_of_another_length_or_not_finite_is_a_value_error(self) -> None:
        (num,) = self._keep_vectors(floats([[1, 0, 0]]))
        for wrong in ([1.0], [1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [math.nan, 0, 0], [math.inf, 0, 0]):
            with raises(ValueError):
                self._keep_vectors(floats([wrong]))
            with raises(ValueError):
                self.similar(wrong)
            with raises(ValueError), self.store.read(self.org) as view:
                view.describe(ints([num]), EVERYTHING, embedder=E1, vector=floats(wrong))
        assert [row.num for row in self.find(Record, EVERYTHING)] == [num]

    def test_given_rows_are_scored_and_nan_where_there_is_no_vector(self) -> None:
        rows, question = self._random(9, 20, 24), self._random(10, 24)
        nums, bare = self._keep_vectors(rows[:10]), self.add(memory("no vector"))
        nums += self._keep_vectors(rows[10:], user="ana")
        other = self._keep_vectors(floats([[1, 0, 0]]), E2)[0]
        with self.store.read(self.org) as view:
            found = interface.cosines(view, E1, question, ints([bare, *reversed(nums), other]), EVERYTHING)
            strange = interface.cosines(view, "unknown", question, ints(nums), EVERYTHING)
        close(found, [math.nan, *cosines(rows, question)[::-1], math.nan], 1e-2)
        assert np.isnan(strange).all()

    def test_what_is_described_is_a_number_but_for_cosines_of_rows_farther_away_or_without_a_vector(self) -> None:
        turns = [
            self.add(memory(session="s", position=n, actor=actor), "tea" * (n % 2), {E1: [1, n, 0]} if n != 1 else {})
            for n, actor in enumerate((None, "Ana", None, "Bo", None, "Ana"))
        ]
        with self.store.read(self.org) as view:
            found = view.describe(
                ints([turns[2], 10**6]), EVERYTHING, span=3, terms={"tea": 1.0}, embedder=E1, vector=floats([1, 0, 0])
            )
        assert found.rows.tolist() == [*turns, 10**6]
        known = dict(zip(found.rows.tolist(), found.cosines.tolist(), strict=True))
        assert [turns.index(num) for num in turns if not math.isnan(known[num])] == [2, 3]
        assert math.isnan(known[10**6])
        numbers = found.columns.importance, found.columns.strength, found.columns.trust
        assert all(np.isfinite(each).all() for each in (*numbers, found.gains, found.sessions))

    def test_the_nearest_rows_are_found_and_described_at_once(self) -> None:
        rows, question = self._random(11, 20, 24), self._random(12, 24)
        nums = self._keep_vectors(rows)
        hidden = self._keep_vectors(floats([question]), status=Status.FORGOTTEN)
        with self.store.read(self.org) as view:
            for limit in (3, 50):
                found = view.describe(ints([nums[4]]), LIVE, embedder=E1, vector=question, nearest=limit)
                alone = view.search_vector(E1, question, LIVE, limit=limit)
                assert found.similar.nums.tolist() == alone.nums.tolist()
                close(found.similar.scores, alone.scores, TOLERANCE)
                assert found.nums.tolist() == sorted({nums[4], *alone.nums.tolist()})
                assert hidden[0] not in found.rows
