"""Search by words: BM25 with the statistics of each namespace, over the rows that pass the filter."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engrain.model.filters import Filter, Test
from engrain.model.memory import Source, SourceType, Status
from engrain.storage import interface
from engrain.storage.interface import Transaction
from engrain.storage.rows import EntityRow, Head, LookUp, Posting, Record
from engrain.testing.conformance.base import EVERYTHING, Conformance, close, floats, ints
from engrain.testing.reference import SESSION_B, SESSION_K1, bm25
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, memory, record

LIVE = EVERYTHING.but(Test("status", "eq", Status.ACTIVE))
WORDS = ("tea", "milk", "sugar", "cup", "kettle", "leaf", "чай", "茶", "🍵", "o'clock", "100%", "a_b")


def texts(seed: int, count: int) -> list[str]:
    """Return seeded texts over a few words, some common and some rare, some empty."""
    rng = random.Random(seed)
    shares = [1 / (n + 1) for n in range(len(WORDS))]
    return [" ".join(rng.choices(WORDS, shares, k=rng.randint(0, 12))) for _ in range(count)]


class TextSearch(Conformance):
    """Scores, statistics, weights and ties."""

    def keep_texts(self, wanted: Sequence[str], **fields: Any) -> dict[int, list[str]]:
        """Keep one memory for each text and return the documents by row number."""
        return {self.add(memory(text, **fields), text): text.split() for text in wanted}

    def test_the_holders_of_terms_come_in_row_order_and_no_more_than_asked_for(self) -> None:
        nums = list(self.keep_texts(["red blue", "red", "green red", "blue"], user="ana"))
        self.keep_texts(["red"], user="bo")
        with self.store.read(self.org) as view:
            found = view.look_up("default", "ana", terms=["red", "pink", "blue"], rows=2)
            assert [list(some) for some in found.holders] == [nums[:2], [], [nums[0], nums[3]]]
            assert list(view.look_up("default", "ana", rows=2).holders) == []
            assert [list(some) for some in view.look_up("default", "cy", terms=["red"], rows=2).holders] == [[]]

    def test_a_look_up_finds_what_a_write_needs_in_its_own_namespace(self) -> None:
        org, user = "default", "ana"
        (mine,) = self.put(replace(record("one", user=user), identity="same"))
        self.put(replace(record("two", user="bo"), identity="same"))
        head = Head(org, 3, "hash")
        self.put(head)

        def look_up(tx: Transaction) -> LookUp:
            own, common, others = (tx.namespace(org, each) for each in (user, None, "bo"))
            for namespace in (own, common, others):
                tx.put(EntityRow(namespace, "person", "person", "ana silva", "Ana Silva"))
            tx.put(EntityRow(own, "person", "person", "rui", "Rui"))
            found = tx.look_up(org, user, identities=["same", "other"], terms=["tea"], rows=2, names=["ana silva"])
            assert found.namespace == own
            assert [row.ns for row in found.entities] == [own, common]
            return found

        found = self.store.write(look_up, org)
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

        nums = [*self.store.write(change, "default"), *self.store.write(change, "default")]
        assert nums == sorted(set(nums))
        assert len(nums) == 12

    def ranked_as(self, found: Mapping[int, float], wanted: Mapping[int, float]) -> None:
        """Assert that the rows, their scores and their order are those wanted; equal scores come in row order."""
        order = sorted(wanted, key=lambda num: (-round(wanted[num], 5), num))
        assert set(found) == set(order)
        close(list(found.values()), sorted(wanted.values(), reverse=True))
        close([found[num] for num in order], [wanted[num] for num in order])

    def scored(self, query: Mapping[str, float], where: Filter = EVERYTHING, limit: int = 1000) -> dict[int, float]:
        """Return the score of each row found, best first."""
        ranked = self.words(query, where, limit)
        assert len(ranked.nums) == len(ranked.scores)
        return dict(zip(ranked.nums.tolist(), ranked.scores.tolist(), strict=True))

    def test_scores_equal_the_formula(self) -> None:
        documents = self.keep_texts(texts(1, 60))
        for query in ("tea", "чай", "茶 🍵", "tea milk sugar", "o'clock 100% a_b", "nowhere", "tea nowhere"):
            terms = dict.fromkeys(query.split(), 1.0)
            self.ranked_as(self.scored(terms), bm25(documents, terms))

    def test_weights_multiply_each_term(self) -> None:
        documents = self.keep_texts(texts(2, 40))
        for terms in ({"tea": 2.5}, {"tea": 0.25, "cup": 3.0}, {"tea": 1.0, "milk": 0.001}):
            self.ranked_as(self.scored(terms), bm25(documents, terms))

    def test_statistics_count_hidden_rows_too(self) -> None:
        documents = self.keep_texts(texts(3, 20)) | self.keep_texts(texts(4, 20), status=Status.FORGOTTEN)
        terms = {"tea": 1.0, "kettle": 1.0}
        shown = {row.num for row in self.find(Record, LIVE)}
        wanted = {num: score for num, score in bm25(documents, terms).items() if num in shown}
        self.ranked_as(self.scored(terms, LIVE), wanted)

    def test_statistics_are_those_of_each_namespace(self) -> None:
        terms = {"tea": 1.0, "cup": 0.5}
        whole: dict[int, float] = {}
        for seed, user in enumerate((None, "ana", "bob")):
            mine = bm25(self.keep_texts(texts(seed, 10 + 20 * seed), user=user), terms)
            whole |= mine
            if user:
                self.ranked_as(self.scored(terms, Filter("default", user)), mine)
        self.keep_texts(texts(9, 30), org="other")
        self.ranked_as(self.scored(terms), whole)

    def test_the_best_come_first_and_the_limit_cuts(self) -> None:
        documents = self.keep_texts(texts(5, 80))
        wanted = sorted(bm25(documents, {"tea": 1.0}).values(), reverse=True)
        for limit in (1, 3, 10):
            close(list(self.scored({"tea": 1.0}, limit=limit).values()), wanted[:limit])
        assert self.scored({"tea": 1.0}, limit=0) == {}
        close(list(self.scored({"tea": 1.0}, limit=10**12).values()), wanted)

    def test_equal_scores_come_in_row_order(self) -> None:
        nums = [self.add(memory(str(n)), "tea cup") for n in range(30)]
        assert self.words("tea").nums.tolist() == nums
        assert self.words("tea", limit=7).nums.tolist() == nums[:7]

    def test_no_terms_find_nothing(self) -> None:
        self.keep_texts(texts(6, 5))
        assert self.scored({}) == {}

    def test_terms_compare_exactly(self) -> None:
        self.keep_texts(["Tea tea", "té", "te\u0301", "ea", "teas", "%", "_"])
        for term, wanted in (("tea", {"Tea tea"}), ("té", {"té"}), ("%", {"%"}), ("_", {"_"}), ("te", set())):
            names = {row.num: row.memory.content for row in self.find(Record, EVERYTHING)}
            assert {names[num] for num in self.scored({term: 1.0})} == wanted

    def test_a_question_of_five_hundred_terms_is_answered(self) -> None:
        documents = self.keep_texts(texts(7, 20))
        terms = {f"t{n}": 1.0 for n in range(500)} | {"tea": 1.0}
        self.ranked_as(self.scored(terms), bm25(documents, terms))

    def test_text_stats_are_those_the_scores_rest_on(self) -> None:
        documents = self.keep_texts(texts(8, 30)) | self.keep_texts(texts(9, 10), status=Status.FORGOTTEN)
        with self.store.read(self.org) as view:
            stats = view.search_text(dict.fromkeys(["tea", "茶", "nowhere"], 1.0), LIVE, limit=0).stats
        assert stats.documents == 40
        close([stats.average_length], [sum(map(len, documents.values())) / 40])
        for term in ("tea", "茶", "nowhere"):
            assert stats.frequency.get(term, 0) == sum(term in words for words in documents.values())

    def test_given_rows_are_scored_in_the_order_given(self) -> None:
        documents = self.keep_texts(texts(10, 30)) | self.keep_texts(texts(11, 30), user="ana")
        terms = {"tea": 1.0, "cup": 2.0}
        nums = list(documents)[::-3]
        with self.store.read(self.org) as view:
            by_term = interface.gains(view, tuple(terms), ints(nums), EVERYTHING)
        found = sum(weight * row for weight, row in zip(terms.values(), by_term, strict=True))
        spaces = [range(30), range(30, 60)]
        wanted: dict[int, float] = {}
        for space in spaces:
            wanted |= bm25({num: documents[num] for num in [list(documents)[n] for n in space]}, terms)
        close(found, [wanted.get(num, 0.0) for num in nums])

    def test_changed_postings_change_the_answer(self) -> None:
        documents = self.keep_texts(["tea cup", "tea", "milk"])
        one, *_ = documents
        assert one in self.scored({"tea": 1.0})
        self.store.write(lambda tx: self.reword(tx, one, "milk milk sugar"), self.org)
        documents[one] = ["milk", "milk", "sugar"]
        for term in ("tea", "milk", "sugar", "cup"):
            self.ranked_as(self.scored({term: 1.0}), bm25(documents, {term: 1.0}))

    @staticmethod
    def reword(tx: Transaction, num: int, words: str) -> None:
        """Replace the postings of a row of the org's own namespace."""
        tx.delete(Posting, [Test("num", "eq", num)])
        space = tx.namespace("default", None)
        split = words.split()
        tx.put(*(Posting(space, term, num, split.count(term)) for term in dict.fromkeys(split)))
        tx.update(Record, [Test("num", "eq", num)], length=len(split))

    def test_deleted_rows_leave_the_statistics(self) -> None:
        documents = self.keep_texts(texts(12, 30))
        self.scored({"tea": 1.0})
        gone = list(documents)[::3]

        def change(tx: Transaction) -> None:
            tx.delete(Posting, [Test("num", "in", tuple(gone))])
            tx.delete(Record, [Test("num", "in", tuple(gone))])

        self.store.write(change, self.org)
        left = {num: words for num, words in documents.items() if num not in gone}
        self.ranked_as(self.scored({"tea": 1.0, "cup": 1.0}), bm25(left, {"tea": 1.0, "cup": 1.0}))
        self.keep_texts(["tea"])
        assert len(self.scored({"tea": 1.0})) == sum("tea" in words for words in left.values()) + 1


class SessionSearch(Conformance):
    """Sessions as documents, and the neighbours of a row."""

    def keep_turns(self, sessions: Mapping[str | None, Sequence[str]], **fields: Any) -> dict[str, list[int]]:
        """Keep the turns of each session in their order; return their row numbers by session."""
        return {
            str(session): [
                self.add(memory(text, session=session, position=n, **fields), text) for n, text in enumerate(turns)
            ]
            for session, turns in sessions.items()
        }

    def session_scores(self, query: str, nums: Sequence[int], where: Filter = EVERYTHING) -> list[float]:
        """Return the session score of each row."""
        with self.store.read(where.org) as view:
            scores = view.describe(ints(nums), where, terms=dict.fromkeys(query.split(), 1.0)).sessions
        return [float(score) for score in scores]

    def test_a_session_is_one_document_of_its_rows(self) -> None:
        turns: dict[str | None, list[str]] = {
            "mon": ["tea please", "milk", "tea tea"],
            "tue": ["sugar"],
            "wed": ["cup of tea", "milk milk"],
        }
        rows = self.keep_turns({**turns, None: ["tea tea tea"]})
        documents = {n: " ".join(turns[name]).split() for n, name in enumerate(turns)}
        wanted = bm25(documents, {"tea": 1.0, "milk": 1.0}, k1=SESSION_K1, b=SESSION_B)
        for n, name in enumerate(turns):
            mine = rows[str(name)]
            close(self.session_scores("tea milk", mine), [wanted.get(n, 0.0)] * len(mine))
        close(self.session_scores("tea milk", rows["None"]), [0.0])

    def test_hidden_rows_are_no_part_of_their_session(self) -> None:
        rows = self.keep_turns({"mon": ["milk"], "tue": ["milk"]})
        before = self.session_scores("tea", rows["mon"])
        for n in range(3):
            self.add(memory("hidden", session="mon", position=5 + n, status=Status.FORGOTTEN), "tea tea tea")
        close(self.session_scores("tea", rows["mon"], LIVE), before)
        assert self.session_scores("tea", rows["mon"])[0] > 0

    def test_sessions_of_one_name_in_two_namespaces_are_two(self) -> None:
        mine = self.keep_turns({"mon": ["milk"]}, user="ana")
        theirs = self.keep_turns({"mon": ["tea tea", "tea"], "tue": ["milk"]}, user="bob")
        assert self.session_scores("tea", mine["mon"]) == [0.0]
        assert self.session_scores("tea", theirs["mon"])[0] > 0

    def test_rows_outside_the_filter_score_nothing(self) -> None:
        theirs = self.keep_turns({"mon": ["tea"], "tue": ["milk"]}, user="bob")
        self.keep_turns({"mon": ["tea"]}, user="ana")
        assert self.session_scores("tea", theirs["mon"], Filter("default", "ana")) == [0.0]
        assert self.session_scores("tea", theirs["mon"], Filter("other")) == [0.0]

    def test_neighbours_stand_beside_a_row_in_its_session(self) -> None:
        rows = self.keep_turns({"mon": ["a"] * 5, "tue": ["b"] * 2, None: ["c"] * 3})
        a, b = rows["mon"], rows["tue"]
        with self.store.read(self.org) as view:
            found = view.describe(ints([a[2], a[0], a[4], b[1], rows["None"][1]]), EVERYTHING, span=2).around
        assert found.tolist() == [
            [a[0], a[1], a[3], a[4]],
            [-1, -1, a[1], a[2]],
            [a[2], a[3], -1, -1],
            [-1, b[0], -1, -1],
            [-1, -1, -1, -1],
        ]

    def test_neighbours_pass_the_filter_or_are_none(self) -> None:
        rows = self.keep_turns({"mon": ["a"] * 3})["mon"]
        self.update(rows[0], status=Status.FORGOTTEN)
        with self.store.read(self.org) as view:
            assert view.describe(ints([rows[1]]), LIVE, span=1).around.tolist() == [[-1, rows[2]]]
            assert view.describe(ints([rows[1]]), Filter("default", "bob"), span=1).around.tolist() == [[-1, -1]]
            assert view.describe(ints([rows[1]]), EVERYTHING, span=1).around.tolist() == [[rows[0], rows[2]]]

    def test_neighbours_in_a_session_of_five_thousand_rows(self) -> None:
        def change(tx: Transaction) -> list[int]:
            rows = [Record(memory(session="long", position=n), None, "") for n in range(5000)]
            return list(tx.put(*rows))

        nums = self.store.write(change, self.org)
        more = self.keep_turns({"other": ["a", "b"]})["other"]
        with self.store.read(self.org) as view:
            found = view.describe(ints([nums[0], nums[2500], nums[4999], more[0]]), EVERYTHING, span=1).around
        assert found.tolist() == [[-1, nums[1]], [nums[2499], nums[2501]], [nums[4998], -1], [-1, more[1]]]


class RankingColumns(Conformance):
    """What ranking asks of each candidate."""

    def test_columns_come_in_the_order_asked_for(self) -> None:
        full = memory(
            session="mon",
            position=7,
            actor="Ana",
            importance=0.75,
            strength=1.5,
            trust=0.25,
            source=Source(SourceType.EXTERNAL_DATA),
            valid_from=FIRST_MOMENT,
            recorded_at=LAST_MOMENT,
        )
        bare = memory()
        other = memory(session="mon", actor="Bob")
        bob, one, two = self.add(other, "x y z"), self.add(full, "a b a"), self.add(bare)
        with self.store.read(self.org) as view:
            columns = interface.columns(view, ints([two, one, bob]), EVERYTHING)
        assert columns.position.tolist()[1] == 7
        assert columns.session.tolist()[0] == -1
        assert columns.session.tolist()[1] == columns.session.tolist()[2] != -1
        assert [code if code < 0 else columns.actors[code] for code in columns.actor.tolist()] == [-1, "Ana", "Bob"]
        assert columns.length.tolist() == [0, 3, 3]
        close(floats(columns.importance.tolist()), [0.5, 0.75, 0.5])
        close(floats(columns.strength.tolist()), [1.0, 1.5, 1.0])
        close(floats(columns.trust.tolist()), [0.7, 0.25, 0.7])
        assert columns.source_class.tolist()[0] == columns.source_class.tolist()[2] != columns.source_class.tolist()[1]
        epoch = 62_135_596_800_000_000
        assert columns.valid_from.tolist()[1] == 1 - epoch
        assert columns.recorded_at.tolist()[1] == 253_402_300_799_999_999

    def test_actors_are_those_of_the_rows_that_pass(self) -> None:
        for n, actor in enumerate(("Ana", "Bob", None, "Ana", "чай")):
            self.add(memory(actor=actor, tier="A" if n < 2 else "B"))
        self.add(memory(actor="hidden", status=Status.FORGOTTEN))
        self.add(memory(actor="Cleo", user="cleo"))
        with self.store.read(self.org) as view:
            assert sorted(view.actors(LIVE)) == ["Ana", "Bob", "Cleo", "чай"]
            assert sorted(view.actors(LIVE.but(Test("tier", "eq", "A")))) == ["Ana", "Bob"]
            assert list(view.actors(Filter("default", "cleo"))) == ["Cleo"]
            assert list(view.actors(Filter("default", "nobody"))) == []

    def test_sessions_of_two_namespaces_have_two_codes(self) -> None:
        nums = [self.add(memory(session="mon", actor="Ana", user=user)) for user in ("ana", "bob")]
        with self.store.read(self.org) as view:
            columns = interface.columns(view, ints(nums), EVERYTHING)
        assert len(set(columns.session.tolist())) == 2
        assert [columns.actors[code] for code in columns.actor.tolist()] == ["Ana", "Ana"]
