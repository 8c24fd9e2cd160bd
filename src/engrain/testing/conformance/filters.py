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


class Filters(Conformance):
    """Columns, branches and tags."""

    def keep(self, *memories: Memory) -> None:
        """Keep memories that every search can find: each holds the word `tea` and one vector."""
        self.teas = memories
        for n, each in enumerate(memories):
            self.add(each, f"tea w{n}", {E1: [1, 0.01 * n, 0]})

    def agree(self, *conditions: Condition) -> set[str]:
        """Assert that find, count and both searches pass the same rows, the ones they should; return their texts."""
        where = EVERYTHING.but(*conditions)
        wanted = {each.content for each in self.teas if passes(each, where)}
        rows = self.find(Record, where)
        names = {row.num: row.memory.content for row in self.find(Record, EVERYTHING)}
        assert {row.memory.content for row in rows} == wanted, conditions
        assert {names[num] for num in self.words("tea", where).nums.tolist()} == wanted, conditions
        assert {names[num] for num in self.similar([1, 0, 0], where).nums.tolist()} == wanted, conditions
        with self.store.read(self.org) as view:
            assert view.count(Record, where) == {"": len(wanted)}
        return wanted

    def test_each_comparison_of_numbers_and_times(self) -> None:
        self.keep(*(memory(str(n), importance=n / 4, valid_from=NOON + n * HOUR) for n in range(5)))
        expected = {"eq": "2", "ne": "0134", "lt": "01", "le": "012", "gt": "34", "ge": "234"}
        for op, texts in expected.items():
            assert self.agree(Test("importance", op, 0.5)) == set(texts)  # type: ignore[arg-type]
            assert self.agree(Test("valid_from", op, NOON + 2 * HOUR)) == set(texts)  # type: ignore[arg-type]
        assert self.agree(Test("importance", "in", (0.0, 1.0, 7.0))) == {"0", "4"}
        assert self.agree(Test("importance", "in", ())) == set()
        assert self.agree(Test("importance", "nin", (0.0, 1.0, 7.0))) == {"1", "2", "3"}
        assert self.agree(Test("importance", "nin", ())) == set("01234")

    def test_a_number_equals_itself_in_every_search(self) -> None:
        trusts = (0.7, 0.1, 0.3, 1 / 3, 0.9, 0.999999999)
        self.keep(*(memory(repr(n), trust=n, importance=n, strength=n) for n in trusts))
        for n in trusts:
            for column in ("trust", "importance", "strength"):
                assert self.agree(Test(column, "eq", n)) == {repr(n)}
                assert self.agree(Test(column, "ge", n)) == {repr(m) for m in trusts if m >= n}
                assert self.agree(Test(column, "lt", n)) == {repr(m) for m in trusts if m < n}

    def test_text_compares_exactly(self) -> None:
        self.keep(*(memory(actor, actor=actor) for actor in ("Ana", "ana", "Ana ", "ана", "Åsa", "A\u030asa", "")))
        for each in self.teas:
            assert self.agree(Test("actor", "eq", each.actor)) == {each.content}
        assert self.agree(Test("actor", "in", ("ana", "ана", "nobody"))) == {"ana", "ана"}
        assert self.agree(Test("actor", "nin", ("ana", "nobody", ""))) == {"Ana", "Ana ", "ана", "Åsa", "A\u030asa"}
        assert self.agree(Test("actor", "lt", "B")) == {"", "Ana", "Ana ", "A\u030asa"}

    def test_a_missing_value_passes_only_where_it_is_asked_for(self) -> None:
        self.keep(memory("none"), memory("soon", expires_at=NOON), memory("late", expires_at=LAST_MOMENT))
        assert self.agree(Test("expires_at", "eq", None)) == {"none"}
        assert self.agree(Test("expires_at", "ne", None)) == {"soon", "late"}
        assert self.agree(Test("expires_at", "gt", NOON)) == {"late"}
        assert self.agree(Test("expires_at", "gt", NOON, or_null=True)) == {"none", "late"}
        assert self.agree(Test("expires_at", "ne", NOON)) == {"late"}
        assert self.agree(Test("expires_at", "ne", NOON, or_null=True)) == {"none", "late"}
        assert self.agree(Test("expires_at", "in", (NOON,), or_null=True)) == {"none", "soon"}
        assert self.agree(Test("expires_at", "nin", (NOON,))) == {"late"}
        assert self.agree(Test("expires_at", "nin", ())) == {"soon", "late"}
        assert self.agree(Test("expires_at", "nin", (NOON,), or_null=True)) == {"none", "late"}

    def test_enums_pins_and_positions(self) -> None:
        self.keep(*(memory(kind, kind=kind, position=n, pinned=n > 2) for n, kind in enumerate(Kind)))
        assert self.agree(Test("kind", "eq", Kind.EPISODIC)) == {"episodic"}
        assert self.agree(Test("kind", "in", ("working", Kind.SEMANTIC))) == {"working", "semantic"}
        assert self.agree(Test("position", "ge", 2)) == {"semantic", "procedural"}
        assert self.agree(Test("pinned", "eq", True)) == {"procedural"}

    def test_any_of_passes_when_one_branch_passes_whole(self) -> None:
        self.keep(*(memory(f"{tier}{n}", tier=tier, importance=n / 4) for tier in "ABC" for n in range(5)))
        a, b = Test("tier", "eq", "A"), Test("tier", "eq", "B")
        low, high = Test("importance", "lt", 0.25), Test("importance", "gt", 0.75)
        assert self.agree(AnyOf(((a, low), (b, high)))) == {"A0", "B4"}
        assert self.agree(AnyOf(((a,), (low,))), AnyOf(((b,), (high,)))) == {"A4", "B0"}
        assert self.agree(AnyOf(((a,), (b,), (Test("tier", "eq", "C"),)))) == {each.content for each in self.teas}

    def test_a_branch_may_hold_any_condition(self) -> None:
        self.keep(
            memory("tagged", tags=("home",)), memory("noted", metadata={"x": 1}), memory("both", tags=("home", "x"))
        )
        home, noted = Tagged(("home",)), Meta("x", "eq", 1)
        assert self.agree(AnyOf(((home,), (noted,)))) == {"tagged", "noted", "both"}
        assert self.agree(AnyOf(((home, AnyOf(((Tagged(("x",)),), (noted,)))),))) == {"both"}

    def test_rows_are_told_by_number_however_many(self) -> None:
        self.keep(*(memory(str(n)) for n in range(4)))
        nums = {row.memory.content: row.num for row in self.find(Record, EVERYTHING)}
        for some in ((nums["1"], nums["3"]), (nums["1"], nums["3"], *range(10**6, 10**6 + 50_000))):
            for op, texts in (("in", "13"), ("nin", "02")):
                where = EVERYTHING.but(Test("num", op, some))  # type: ignore[arg-type]
                assert {row.memory.content for row in self.find(Record, where)} == set(texts)
                assert set(self.words("tea", where).nums.tolist()) == {nums[text] for text in texts}

    def test_tags_compare_exactly_any_or_every(self) -> None:
        self.keep(
            memory("none"),
            memory("home", tags=("home",)),
            memory("both", tags=("home", "work")),
            memory("shout", tags=("HOME",)),
            memory("odd", tags=('quo"te', "it's", "a,b", "50%", "🏠", "[x]", "back\\slash", "null", "1")),
        )
        assert self.agree(Tagged(("home",))) == {"home", "both"}
        assert self.agree(Tagged(("home", "work"))) == {"home", "both"}
        assert self.agree(Tagged(("home", "work"), every=True)) == {"both"}
        assert self.agree(Tagged(("hom",))) == set()
        for tag in self.teas[4].tags:
            assert self.agree(Tagged((tag,))) == {"odd"}, tag
        assert self.agree(Tagged(("it's", "🏠"), every=True)) == {"odd"}
        assert self.agree(Tagged(("it's", "home"), every=True)) == set()

    def test_live_is_all_six_of_its_tests(self) -> None:
        self.keep(
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
        assert self.agree(*live(NOON)) == {"live", "dated", "always"}
        assert self.agree(*live(NOON)) == {each.content for each in self.teas if each.is_live_at(NOON)}
        assert self.agree(*listed("superseded", NOON)) == {"superseded"}
        assert self.agree(*listed("expired", NOON)) == {"expired"}
        assert self.agree(*listed(("archived", "active"), NOON)) == {"archived", "live", "dated", "always"}

    def test_one_row_among_many_hidden_is_found_by_every_search(self) -> None:
        hidden = [memory(f"hidden {n}", status=Status.FORGOTTEN) for n in range(40)]
        for each in hidden[:20]:
            self.add(each, "tea tea tea", {E1: [1, 0, 0]})
        num = self.add(memory("the one"), "tea and a great many other words about something else", {E1: [0.1, 1, 0]})
        for each in hidden[20:]:
            self.add(each, "tea tea tea", {E1: [1, 0, 0]})
        where = EVERYTHING.but(*live(NOON))
        assert self.words("tea", where, limit=1).nums.tolist() == [num]
        assert self.similar([1, 0, 0], where, limit=1).nums.tolist() == [num]


METADATA: tuple[dict[str, Any], ...] = (
    {},
    {"x": None},
    {"x": True},
    {"x": False},
    {"x": 0},
    {"x": 1},
    {"x": 1.0},
    {"x": 1.5},
    {"x": -3},
    {"x": 2**53 + 1},
    {"x": 1e300},
    {"x": ""},
    {"x": "1"},
    {"x": "true"},
    {"x": "null"},
    {"x": "tea"},
    {"x": "green tea"},
    {"x": "TEA"},
    {"x": "чай 🍵"},
    {"x": []},
    {"x": [1, "1", True, None, "tea"]},
    {"x": [[1], {"x": 1}]},
    {"x": {"x": 1}},
    {"y": 1},
    {"x": 1, "y": "tea"},
)
OPERANDS = (None, True, False, 0, 1, 1.0, 1.5, 2**53, "", "1", "true", "null", "tea", "TEA", "чай", "%", "_")
ODD_KEYS = (
    "a.b",
    "a",
    "b",
    'q"q',
    "it's",
    "$",
    "$.x",
    "[0]",
    "x y",
    "ключ",
    "🔑",
    "\\",
    "x'); --",
    "and",
    "#",
    "*",
    "\n",
)


class MetadataFilters(Filters):
    """The caller's metadata: strict types, missing keys, odd keys, nested logic."""

    def test_every_operator_against_every_type_of_value(self) -> None:
        self.keep(*(memory(f"{n} {values}", metadata=values) for n, values in enumerate(METADATA)))
        for op in ("eq", "ne", "contains"):
            for operand in OPERANDS:
                self.agree(Meta("x", op, operand))
        for op in ("gt", "gte", "lt", "lte"):
            for operand in OPERANDS:
                if operand is not None and not isinstance(operand, bool):
                    self.agree(Meta("x", op, operand))
        for chosen in ((), (1,), (1, "tea", None), (True, 0.0), OPERANDS):
            self.agree(Meta("x", "in", chosen))
            self.agree(Meta("x", "nin", chosen))
        assert len(self.agree(Meta("x", "exists", True))) == len(METADATA) - 2
        assert len(self.agree(Meta("x", "exists", False))) == 2

    def test_types_never_mix(self) -> None:
        self.keep(*(memory(repr(value), metadata={"x": value}) for value in (1, 1.5, True, "1", None, [1])))
        assert self.agree(Meta("x", "eq", 1)) == {"1"}
        assert self.agree(Meta("x", "eq", 1.0)) == {"1"}
        assert self.agree(Meta("x", "eq", True)) == {"True"}
        assert self.agree(Meta("x", "eq", None)) == {"None"}
        assert self.agree(Meta("x", "gt", 0)) == {"1", "1.5"}
        assert self.agree(Meta("x", "gt", "")) == {"'1'"}
        assert self.agree(Meta("x", "contains", 1)) == {"[1]"}
        assert self.agree(Meta("x", "ne", 1)) == {"1.5", "True", "'1'", "None", "[1]"}

    def test_a_key_is_a_name_and_never_a_path(self) -> None:
        self.keep(
            memory("nested", metadata={"a": {"b": 1}, "x": [1]}),
            *(memory(key, metadata={key: 1}) for key in ODD_KEYS),
        )
        for key in ODD_KEYS:
            assert self.agree(Meta(key, "eq", 1)) == {key}, key
            assert key in self.agree(Meta(key, "exists", True))
        assert self.agree(Meta("x[0]", "exists", True)) == set()

    def test_logic_nests(self) -> None:
        self.keep(*(memory(f"{a}{b}", metadata={"a": a, "b": b}) for a in range(3) for b in range(3)), memory("bare"))
        one, two = Meta("a", "eq", 1), Meta("b", "gte", 1)
        both, either = Logic("and", (one, two)), Logic("or", (one, two))
        assert self.agree(both) == {"11", "12"}
        assert self.agree(either) == {"01", "02", "10", "11", "12", "21", "22"}
        assert self.agree(Logic("not", (both,))) == {"00", "01", "02", "10", "20", "21", "22", "bare"}
        assert self.agree(Logic("and", (either, Logic("not", (both,))))) == {"01", "02", "10", "21", "22"}
        assert self.agree(Logic("not", (Logic("or", (one, Logic("not", (two,)))),))) == {"01", "02", "21", "22"}
        assert self.agree(Logic("not", (Logic("and", ()),))) == set()

    def test_a_callers_where_reads_as_it_is_written(self) -> None:
        self.keep(
            memory("new", metadata={"project": "x", "year": 2024}),
            memory("old", metadata={"project": "x", "year": 1999}),
            memory("other", metadata={"project": "y", "year": 2024}),
        )
        assert self.agree(*parse_where({"project": "x", "year": {"gte": 2020}})) == {"new"}
        assert self.agree(*parse_where({"or": [{"project": "y"}, {"year": {"lt": 2000}}]})) == {"old", "other"}
        assert self.agree(*parse_where({"not": {"project": "x"}})) == {"other"}

    def test_deep_and_wide_logic_is_answered(self) -> None:
        self.keep(memory("yes", metadata={"x": 1}), memory("no", metadata={"x": 2}))
        term: Meta | Logic = Meta("x", "eq", 1)
        for _ in range(10):
            term = Logic("not", (Logic("not", (term,)),))
        assert self.agree(term) == {"yes"}
        wide = Logic("or", (*(Meta("x", "eq", -n) for n in range(1, 500)), Meta("x", "eq", 2)))
        assert self.agree(wide) == {"no"}
        assert self.agree(Meta("x", "in", tuple(range(2, 502)))) == {"no"}
