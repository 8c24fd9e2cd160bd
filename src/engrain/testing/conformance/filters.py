"""Filters: each comparison means one thing, and every kind of search obeys it before its limit."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from engrain.model.filters import AnyOf, Condition, Logic, Meta, Tagged, Test, listed, live, parse_where, passes
from engrain.model.memory import Kind, Memory, Status
from engrain.storage.rows import Record
from engrain.testing.conformance.base import E1, EVERYTHING, Conformance
from engrain.testing.rows import FIRST_MOMENT, LAST_MOMENT, NOON, memory

HOUR = timedelta(hours=1)
_NUMBERS = (0, 1, 1.0, 1.5, -3, 2**53 + 1, 1e300)
_TEXTS = ("", "1", "true", "null", "tea", "green tea", "TEA", "чай 🍵")
_LISTS: tuple[Any, ...] = ([], [1, "1", True, None, "tea"], [[1], {"x": 1}], {"x": 1})
METADATA: tuple[dict[str, Any], ...] = (
    {},
    *({"x": value} for value in (None, True, False, *_NUMBERS, *_TEXTS, *_LISTS)),
    {"y": 1},
    {"x": 1, "y": "tea"},
)
OPERANDS = (None, True, False, 0, 1, 1.0, 1.5, 2**53, "", "1", "true", "null", "tea", "TEA", "чай", "%", "_")
ODD_KEYS = (*"a.b a b q\"q it's $ $.x [0] ключ 🔑 \\ and # *".split(), "x y", "x'); --", "\n")


class Filters(Conformance):
    """Columns, branches, tags and metadata."""

    def _keep(self, *memories: Memory) -> dict[str, int]:
        """Put memories that every search finds; return their row numbers by text."""
        self._kept = memories
        return dict(zip((each.content for each in memories), self.add_found(*memories), strict=True))

    def _agree(self, *conditions: Condition) -> set[str]:
        """Return the texts that find, count and both searches pass, which must be equal."""
        where = EVERYTHING.but(*conditions)
        found = {row.memory.content for row in self.alike(where)}
        assert found == {each.content for each in self._kept if passes(each, where)}, conditions
        return found

    def test_each_comparison_of_numbers_and_times(self) -> None:
        self._keep(*(memory(str(n), importance=n / 4, valid_from=NOON + n * HOUR) for n in range(5)))
        expected: dict[Any, str] = {"eq": "2", "ne": "0134", "lt": "01", "le": "012", "gt": "34", "ge": "234"}
        for op, texts in expected.items():
            assert self._agree(Test("importance", op, 0.5)) == set(texts)
            assert self._agree(Test("valid_from", op, NOON + 2 * HOUR)) == set(texts)
        for values, listed_ones, others in (((0.0, 1.0, 7.0), "04", "123"), ((), "", "01234")):
            assert self._agree(Test("importance", "in", values)) == set(listed_ones)
            assert self._agree(Test("importance", "nin", values)) == set(others)

    def test_a_number_equals_itself_in_every_search(self) -> None:
        trusts = (0.7, 0.1, 0.3, 1 / 3, 0.9, 0.999999999)
        self._keep(*(memory(repr(n), trust=n, importance=n, strength=n) for n in trusts))
        for n in trusts:
            for column in ("trust", "importance", "strength"):
                assert self._agree(Test(column, "eq", n)) == {repr(n)}
                assert self._agree(Test(column, "ge", n)) == {repr(m) for m in trusts if m >= n}

    def test_text_compares_exactly(self) -> None:
        actors = ("Ana", "ana", "Ana ", "ана", "Åsa", "A\u030asa", "")
        self._keep(*(memory(actor, actor=actor) for actor in actors))
        for actor in actors:
            assert self._agree(Test("actor", "eq", actor)) == {actor}
        assert self._agree(Test("actor", "in", ("ana", "ана", "nobody"))) == {"ana", "ана"}
        assert self._agree(Test("actor", "nin", ("ana", "nobody", ""))) == {*actors} - {"ana", ""}
        assert self._agree(Test("actor", "lt", "B")) == {"", "Ana", "Ana ", "A\u030asa"}

    def test_a_missing_value_passes_only_where_it_is_asked_for(self) -> None:
        self._keep(memory("none"), memory("soon", expires_at=NOON), memory("late", expires_at=LAST_MOMENT))
        cases: tuple[tuple[Any, Any, set[str]], ...] = (
            ("eq", None, {"none"}),
            ("ne", None, {"soon", "late"}),
            ("gt", NOON, {"late"}),
            ("ne", NOON, {"late"}),
            ("in", (NOON,), {"soon"}),
            ("nin", (NOON,), {"late"}),
            ("nin", (), {"soon", "late"}),
        )
        for op, value, wanted in cases:
            assert self._agree(Test("expires_at", op, value)) == wanted
            if value is not None:
                assert self._agree(Test("expires_at", op, value, or_null=True)) == {"none"} | wanted

    def test_enums_pins_and_positions(self) -> None:
        self._keep(*(memory(kind, kind=kind, position=n, pinned=n > 2) for n, kind in enumerate(Kind)))
        assert self._agree(Test("kind", "eq", Kind.EPISODIC)) == {"episodic"}
        assert self._agree(Test("kind", "in", ("working", Kind.SEMANTIC))) == {"working", "semantic"}
        assert self._agree(Test("position", "ge", 2)) == {"semantic", "procedural"}
        assert self._agree(Test("pinned", "eq", True)) == {"procedural"}

    def test_any_of_passes_when_one_branch_passes_whole(self) -> None:
        self._keep(*(memory(f"{tier}{n}", tier=tier, importance=n / 4) for tier in "ABC" for n in range(5)))
        a, b = Test("tier", "eq", "A"), Test("tier", "eq", "B")
        low, high = Test("importance", "lt", 0.25), Test("importance", "gt", 0.75)
        assert self._agree(AnyOf(((a, low), (b, high)))) == {"A0", "B4"}
        assert self._agree(AnyOf(((a,), (low,))), AnyOf(((b,), (high,)))) == {"A4", "B0"}
        assert len(self._agree(AnyOf(((a,), (b,), (Test("tier", "eq", "C"),))))) == 15

    def test_a_branch_may_hold_any_condition(self) -> None:
        self._keep(
            memory("tagged", tags=("home",)), memory("noted", metadata={"x": 1}), memory("both", tags=("home", "x"))
        )
        home, noted = Tagged(("home",)), Meta("x", "eq", 1)
        assert self._agree(AnyOf(((home,), (noted,)))) == {"tagged", "noted", "both"}
        assert self._agree(AnyOf(((home, AnyOf(((Tagged(("x",)),), (noted,)))),))) == {"both"}

    def test_rows_are_named_by_number_however_many(self) -> None:
        nums = self._keep(*(memory(str(n)) for n in range(4)))
        for some in ((nums["1"], nums["3"]), (nums["1"], nums["3"], *range(10**6, 10**6 + 50_000))):
            for excludes, texts in ((False, "13"), (True, "02")):
                where = EVERYTHING.but(Test("num", "nin" if excludes else "in", some))
                assert {row.memory.content for row in self.find(Record, where)} == set(texts)
                assert set(self.words("tea", where)) == {nums[text] for text in texts}

    def test_tags_compare_exactly_any_or_every(self) -> None:
        odd = ('quo"te', "it's", "a,b", "50%", "🏠", "[x]", "back\\slash", "null", "1")
        tags = {"none": (), "home": ("home",), "both": ("home", "work"), "shout": ("HOME",), "odd": odd}
        self._keep(*(memory(name, tags=some) for name, some in tags.items()))
        assert self._agree(Tagged(("home",))) == self._agree(Tagged(("home", "work"))) == {"home", "both"}
        assert self._agree(Tagged(("home", "work"), every=True)) == {"both"}
        assert self._agree(Tagged(("hom",))) == self._agree(Tagged(("it's", "home"), every=True)) == set()
        assert self._agree(Tagged(("it's", "🏠"), every=True)) == {"odd"}
        for tag in odd:
            assert self._agree(Tagged((tag,))) == {"odd"}, tag

    def test_live_is_all_six_of_its_tests(self) -> None:
        self._keep(
            memory("live"),
            memory("dated", valid_until=NOON + HOUR, expires_at=NOON + HOUR),
            memory("archived", status=Status.ARCHIVED),
            memory("superseded", superseded_by="mem_x"),
            memory("corrected", believed_until=NOON),
            memory("future", valid_from=NOON + HOUR),
            memory("over", valid_until=NOON),
            memory("expired", expires_at=NOON),
            memory("always", valid_from=FIRST_MOMENT, valid_until=LAST_MOMENT, expires_at=LAST_MOMENT),
        )
        assert self._agree(*live(NOON)) == {"live", "dated", "always"}
        assert self._agree(*live(NOON)) == {each.content for each in self._kept if each.is_live_at(NOON)}
        assert self._agree(*listed("superseded", NOON)) == {"superseded"}
        assert self._agree(*listed("expired", NOON)) == {"expired"}
        assert self._agree(*listed(("archived", "active"), NOON)) == {"archived", "live", "dated", "always"}

    def test_one_row_among_many_hidden_is_found_by_every_search(self) -> None:
        hidden = [memory(f"hidden {n}", status=Status.FORGOTTEN) for n in range(40)]
        self.add_found(*hidden[:20])
        num = self.add(memory("the one"), "tea and a great many other words about something else", {E1: [0.1, 1, 0]})
        self.add_found(*hidden[20:])
        where = EVERYTHING.but(*live(NOON))
        assert self.words("tea", where, limit=1) == self.similar([1, 0, 0], where, limit=1) == [num]

    def test_every_operator_against_every_type_of_metadata(self) -> None:
        self._keep(*(memory(f"{n} {values}", metadata=values) for n, values in enumerate(METADATA)))
        ordered = [operand for operand in OPERANDS if operand is not None and not isinstance(operand, bool)]
        for ops, operands in ((("eq", "ne", "contains"), OPERANDS), (("gt", "gte", "lt", "lte"), ordered)):
            for op in ops:
                for operand in operands:
                    self._agree(Meta("x", op, operand))
        for chosen in ((), (1,), (1, "tea", None), (True, 0.0), OPERANDS):
            self._agree(Meta("x", "in", chosen))
            self._agree(Meta("x", "nin", chosen))
        assert len(self._agree(Meta("x", "exists", True))) == len(METADATA) - 2
        assert len(self._agree(Meta("x", "exists", False))) == 2

    def test_types_of_metadata_never_mix(self) -> None:
        self._keep(*(memory(repr(value), metadata={"x": value}) for value in (1, 1.5, True, "1", None, [1])))
        for op, operand, wanted in (
            ("eq", 1, {"1"}),
            ("eq", 1.0, {"1"}),
            ("eq", True, {"True"}),
            ("eq", None, {"None"}),
            ("gt", 0, {"1", "1.5"}),
            ("gt", "", {"'1'"}),
            ("contains", 1, {"[1]"}),
            ("ne", 1, {"1.5", "True", "'1'", "None", "[1]"}),
        ):
            assert self._agree(Meta("x", op, operand)) == wanted

    def test_a_key_of_metadata_is_a_name_and_never_a_path(self) -> None:
        nested = memory("nested", metadata={"a": {"b": 1}, "x": [1]})
        self._keep(nested, *(memory(key, metadata={key: 1}) for key in ODD_KEYS))
        for key in ODD_KEYS:
            assert self._agree(Meta(key, "eq", 1)) == {key}, key
            assert key in self._agree(Meta(key, "exists", True))
        assert self._agree(Meta("x[0]", "exists", True)) == set()

    def test_logic_nests(self) -> None:
        self._keep(*(memory(f"{a}{b}", metadata={"a": a, "b": b}) for a in range(3) for b in range(3)), memory("bare"))
        one, two = Meta("a", "eq", 1), Meta("b", "gte", 1)
        both, either = Logic("and", (one, two)), Logic("or", (one, two))
        assert self._agree(both) == {"11", "12"}
        assert self._agree(either) == {"01", "02", "10", "11", "12", "21", "22"}
        assert self._agree(Logic("not", (both,))) == {"00", "01", "02", "10", "20", "21", "22", "bare"}
        assert self._agree(Logic("and", (either, Logic("not", (both,))))) == {"01", "02", "10", "21", "22"}
        assert self._agree(Logic("not", (Logic("or", (one, Logic("not", (two,)))),))) == {"01", "02", "21", "22"}
        assert self._agree(Logic("not", (Logic("and", ()),))) == set()

    def test_a_callers_where_reads_as_it_is_written(self) -> None:
        values = {"new": ("x", 2024), "old": ("x", 1999), "other": ("y", 2024)}
        self._keep(*(memory(name, metadata={"project": p, "year": year}) for name, (p, year) in values.items()))
        assert self._agree(*parse_where({"project": "x", "year": {"gte": 2020}})) == {"new"}
        assert self._agree(*parse_where({"or": [{"project": "y"}, {"year": {"lt": 2000}}]})) == {"old", "other"}
        assert self._agree(*parse_where({"not": {"project": "x"}})) == {"other"}

    def test_deep_and_wide_logic_is_answered(self) -> None:
        self._keep(memory("yes", metadata={"x": 1}), memory("no", metadata={"x": 2}))
        term: Meta | Logic = Meta("x", "eq", 1)
        for _ in range(10):
            term = Logic("not", (Logic("not", (term,)),))
        assert self._agree(term) == {"yes"}
        wide = Logic("or", (*(Meta("x", "eq", -n) for n in range(1, 500)), Meta("x", "eq", 2)))
        assert self._agree(wide) == self._agree(Meta("x", "in", tuple(range(2, 502)))) == {"no"}
