"""Search by words: BM25 with the statistics of each namespace; sessions and neighbours; what ranking asks of a row."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engrain.model.filters import Filter
from engrain.model.memory import Source, SourceType, Status
from engrain.storage.interface import Transaction
from engrain.storage.rows import EntityRow, Head, LookUp, Record
from engrain.testing.conformance.base import EVERYTHING, LIVE, Conformance, bm25, close, ints
from engrain.testing.conformance.histories import compare_ranking
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, memory, record

WORDS = ("tea", "milk", "sugar", "cup", "kettle", "leaf", "чай", "茶", "🍵", "o'clock", "100%", "a_b")


class TextSearch(Conformance):
    """Scores, limits and ties; `Histories` compares statistics, weights and changes."""

    def _keep_texts(self, *texts: str, **fields: str) -> dict[int, list[str]]:
        """Put one memory for each text; return the documents by row number."""
        return {self.add(memory(text, **fields), text): text.split() for text in texts}

    def _scores(self, query: str | Mapping[str, float], limit: int = 1000) -> dict[int, float]:
        ranked = self.ranked(query, limit=limit)
        return dict(zip(ranked.nums.tolist(), ranked.scores.tolist(), strict=True))

    def test_scores_equal_the_formula_and_the_limit_cuts(self) -> None:
        rng = random.Random(1)
        shares = [1 / (n + 1) for n in range(len(WORDS))]
        documents = self._keep_texts(*(" ".join(rng.choices(WORDS, shares, k=rng.randint(0, 12))) for _ in range(60)))
        many = {f"t{n}": 1.0 for n in range(500)} | {"tea": 1.0}
        for query in ("tea", "чай", "茶 🍵", "tea milk sugar", "o'clock 100% a_b", "nowhere", "tea nowhere"):
            terms = dict.fromkeys(query.split(), 1.0)
            compare_ranking(self._scores(terms), bm25(documents, terms))
        for terms in (many, {"tea": 2.5}, {"tea": 0.25, "cup": 3.0}, {"tea": 1.0, "milk": 0.001}):
            compare_ranking(self._scores(terms), bm25(documents, terms))
        wanted = sorted(bm25(documents, {"tea": 1.0}).values(), reverse=True)
        for limit in (1, 3, 10, 10**12):
            close(list(self._scores("tea", limit).values()), wanted[:limit])
        assert self._scores("tea", 0) == self._scores({}) == {}

    def test_equal_scores_come_in_row_order(self) -> None:
        nums = [self.add(memory(str(n)), "tea cup") for n in range(30)]
        assert self.words("tea") == nums
        assert self.words("tea", limit=7) == nums[:7]

    def test_terms_compare_exactly(self) -> None:
        documents = self._keep_texts("Tea tea", "té", "te\u0301", "ea", "teas", "%", "_")
        for term in ("tea", "té", "%", "_", "te", "Tea"):
            assert self.words(term) == [num for num, words in documents.items() if term in words]

    def test_the_holders_of_terms_come_in_row_order_and_no_more_than_asked_for(self) -> None:
        nums = list(self._keep_texts("red blue", "red", "green red", "blue", user="ana"))
        self._keep_texts("red", user="bo")
        with self.store.read(self.org) as view:
            found = view.look_up("default", "ana", terms=["red", "pink", "blue"], rows=2)
            assert [list(some) for some in found.holders] == [nums[:2], [], [nums[0], nums[3]]]
            assert list(view.look_up("default", "ana", rows=2).holders) == []
            assert [list(some) for some in view.look_up("default", "cy", terms=["red"], rows=2).holders] == [[]]

    def test_a_look_up_finds_what_a_write_needs_in_its_own_namespace(self) -> None:
        org, user, head = "default", "ana", Head("default", 3, "hash", user="ana")
        (mine,) = self.put(replace(record("one", user=user), identity="same"))
        self.put(replace(record("two", user="bo"), identity="same"))
        self.put(head, Head(org, 4, "another"))

        def look_up(tx: Transaction) -> LookUp:
            own, common, others = (tx.namespace(org, each) for each in (user, None, "bo"))
            for namespace in (own, common, others):
                tx.put(EntityRow(namespace, "person", "person", "ana silva", "Ana Silva"))
            tx.put(EntityRow(own, "person", "person", "rui", "Rui"))
            found = tx.look_up(org, user, identities=["same", "other"], terms=["tea"], rows=2, names=["ana silva"])
            assert found.namespace == own
            assert [row.ns for row in found.entities] == [own, common]
            return found

        found = self.write(look_up)
        assert (list(found.twins), found.head) == ([mine], head)
        with self.store.read(org) as view:
            missing = view.look_up(org, "cy", identities=["same"], names=["ana silva"])
            assert (missing.namespace, list(missing.twins)) == (None, [])
            assert [row.key for row in missing.entities] == ["ana silva"]

    def test_records_put_after_a_look_up_have_numbers_of_their_own(self) -> None:
        def change(tx: Transaction) -> list[int]:
            nums = []
            for name in ("one", "two", "three"):
                tx.look_up("default", "ana")
                nums += [*tx.put(record(name, user="ana"), record(f"{name} more", user="ana"))]
            return nums

        nums = [*self.write(change), *self.write(change)]
        assert nums == sorted(set(nums))
        assert len(nums) == 12


class Sessions(Conformance):
    """Sessions as documents, and the neighbours of a row."""

    def _keep_turns(self, session: str | None, *turns: str, user: str | None = None) -> list[int]:
        fields = {"session": session, "user": user}
        return [self.add(memory(text, position=n, **fields), text) for n, text in enumerate(turns)]

    def _session_scores(self, nums: Sequence[int], where: Filter = EVERYTHING) -> list[float]:
        with self.store.read(where.org) as view:
            return [float(score) for score in view.describe(ints(nums), where, terms={"tea": 1.0}).sessions]

    def test_the_rows_of_a_session_that_pass_are_one_document_of_its_namespace(self) -> None:
        mine, none = self._keep_turns("mon", "milk", user="ana"), self._keep_turns(None, "tea tea tea")
        theirs = self._keep_turns("mon", "tea tea", "tea", user="bob")
        self._keep_turns("tue", "milk", user="bob")
        assert self._session_scores([*mine, *none]) == [0.0, 0.0]
        assert self._session_scores(theirs)[0] == self._session_scores(theirs)[1] > 0
        hidden = self.add(memory(session="mon", position=5, user="ana", status=Status.FORGOTTEN), "tea")
        assert self._session_scores(mine, LIVE) == [0.0] < self._session_scores(mine)
        for other in (Filter("default", "ana"), Filter("other")):
            assert self._session_scores(theirs, other) == [0.0, 0.0]
        assert hidden not in self.words("tea", LIVE)

    def test_neighbours_are_beside_a_row_in_its_session_and_pass_the_filter(self) -> None:
        a, b, c = self._keep_turns("mon", *"aaaaa"), self._keep_turns("tue", *"bb"), self._keep_turns(None, *"ccc")

        def around(nums: Sequence[int], span: int, where: Filter = EVERYTHING) -> list[list[int]]:
            with self.store.read(where.org) as view:
                found: list[list[int]] = view.describe(ints(nums), where, span=span).around.tolist()
            return found

        assert around([a[2], a[0], a[4], b[1], c[1]], 2) == [
            [a[0], a[1], a[3], a[4]],
            [-1, -1, a[1], a[2]],
            [a[2], a[3], -1, -1],
            [-1, b[0], -1, -1],
            [-1, -1, -1, -1],
        ]
        self.update(a[0], status=Status.FORGOTTEN)
        assert around([a[1]], 1, LIVE) == [[-1, a[2]]]
        assert around([a[1]], 1, Filter("default", "bob")) == [[-1, -1]]
        assert around([a[1]], 1) == [[a[0], a[2]]]
        long = self.put(*(Record(memory(session="long", position=n), None, "") for n in range(5000)))
        wanted = [[-1, long[1]], [long[2499], long[2501]], [long[4998], -1], [-1, b[1]]]
        assert around([long[0], long[2500], long[4999], b[0]], 1) == wanted


class RankingColumns(Conformance):
    """Tests of the fields that ranking reads of each candidate."""

    def test_columns_are_those_of_the_rows_in_their_order(self) -> None:
        fields: dict[str, Any] = {"position": 7, "importance": 0.75, "strength": 1.5, "trust": 0.25}
        fields |= {"valid_from": FIRST_MOMENT, "recorded_at": LAST_MOMENT, "source": Source(SourceType.EXTERNAL_DATA)}
        full = memory(session="mon", actor="Ana", **fields)
        bob = self.add(memory(session="mon", actor="Bob"), "x y z")
        one, two = self.add(full, "a b a"), self.add(memory())
        with self.store.read(self.org) as view:
            columns = view.describe(ints([two, one, bob]), EVERYTHING).columns
        session, source = columns.session.tolist(), columns.source_class.tolist()
        assert session[0] == session[1] != -1 == session[2]
        assert source[0] == source[2] != source[1]
        assert columns.position.tolist()[1] == 7
        assert [code if code < 0 else columns.actors[code] for code in columns.actor.tolist()] == ["Bob", "Ana", -1]
        assert columns.length.tolist() == [3, 3, 0]
        close(columns.importance, [0.5, 0.75, 0.5])
        close(columns.strength, [1.0, 1.5, 1.0])
        close(columns.trust, [0.7, 0.25, 0.7])
        assert columns.valid_from.tolist()[1] == 1 - 62_135_596_800_000_000
        assert columns.recorded_at.tolist()[1] == 253_402_300_799_999_999

    def test_sessions_of_two_namespaces_have_two_codes(self) -> None:
        nums = [self.add(memory(session="mon", actor="Ana", user=user)) for user in ("ana", "bob")]
        with self.store.read(self.org) as view:
            columns = view.describe(ints(nums), EVERYTHING).columns
        assert len(set(columns.session.tolist())) == 2
        assert [columns.actors[code] for code in columns.actor.tolist()] == ["Ana", "Ana"]
