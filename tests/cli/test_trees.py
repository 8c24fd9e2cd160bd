"""The graph as people see it in a terminal: trees, tables and ways, from plain values."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console

from engrain.cli import reports as trees
from engrain.model.entities import Entity, Merge, Reached, Relationship, Step
from engrain.model.results import Page

BEAR = Entity("intrusion_set", "APT28", ("Fancy Bear", "Sofacy"))
AGENT = Entity("malware", "X-Agent")
LAMP = Entity("tool", "Mimikatz")
FIN = Entity("actor", "FIN7")
BANK = Entity("organization", "Bank of Tbilisi")
ANA = Entity("person", "Ana")

AROUND = (
    Relationship(BEAR, "uses", AGENT, evidence=("m1", "m2")),
    Relationship(BEAR, "uses", LAMP, weight=0.6, evidence=("m1",)),
    Relationship(ANA, "reports_on", BEAR, "in", valid_until=datetime(2024, 5, 1, tzinfo=UTC)),
    Relationship(BEAR, "related_to", ANA, weight=0.2),
    Relationship(ANA, "related_to", BEAR, "in", weight=0.2),
)
USES, USED = Step("uses", "out", LAMP), Step("uses", "in", FIN)
FURTHER = (
    Reached(LAMP, 1, (USES,)),
    Reached(FIN, 2, (USES, USED)),
    Reached(BANK, 3, (USES, USED, Step("targets", "out", BANK))),
)


def printed(show, *what, width: int = 100, terminal: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)
    show(console, *what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def tree(*what, **how) -> str:
    return printed(trees.show_neighbourhood, trees.neighbourhood(*what, memories=3), **how)


def test_relations_are_grouped_by_what_they_are_and_where_they_lead() -> None:
    assert tree(BEAR, AROUND) == (
        "APT28  intrusion_set · 3 memories\n"
        "├── also Fancy Bear, Sofacy\n"
        "├── uses →\n"
        "│   ├── X-Agent  malware · 2 memories\n"
        "│   └── Mimikatz  tool · 0.60 · 1 memory\n"
        "├── ← reports_on\n"
        "│   └── Ana  person · until 2024-05-01\n"
        "└── related_to\n"
        "    ├── Ana  person · 0.20\n"
        "    └── Ana  person · 0.20\n"
    )


def test_what_is_further_away_hangs_below_its_way() -> None:
    assert tree(BEAR, AROUND[:2], FURTHER) == (
        "APT28  intrusion_set · 3 memories\n"
        "├── also Fancy Bear, Sofacy\n"
        "└── uses →\n"
        "    ├── X-Agent  malware · 2 memories\n"
        "    └── Mimikatz  tool · 0.60 · 1 memory\n"
        "        └── ← uses FIN7  actor\n"
        "            └── targets → Bank of Tbilisi  organization\n"
    )


def test_an_entity_that_relates_to_nothing_is_one_line() -> None:
    assert tree(ANA, ()) == "Ana  person · 3 memories\n"


def test_only_a_terminal_gets_long_lines_wrapped() -> None:
    wordy = Entity("person", "Ana", tuple(f"name number {n}" for n in range(40)))
    assert len(tree(wordy, (), width=60).splitlines()) == 2
    assert max(map(len, tree(wordy, (), width=60, terminal=True).splitlines())) <= 60


def test_names_are_shown_and_never_obeyed() -> None:
    bad = Entity("person\x1b[31m", "[bold]Ana\x1b]0;x\x07\n\u202egnp", ("[red]",))
    written = tree(bad, [Relationship(bad, "k[red]\x1b", bad)])
    assert not set(written) & {"\x1b", "\x07", "\u202e"}
    assert "[bold]Ana" in written
    assert "also [red]" in written


def test_a_way_is_a_step_a_line_from_where_one_comes() -> None:
    steps = [Relationship(BEAR, "uses", LAMP), Relationship(FIN, "uses", LAMP, "in", weight=0.5, evidence=("m",))]
    assert printed(trees.show_path, steps) == "APT28 -uses-> Mimikatz\nMimikatz <-uses- FIN7 · 0.50 · 1 memory\n"
    assert printed(trees.show_path, []) == "no path found\n"


def test_entities_are_a_table() -> None:
    page = Page([BEAR, Entity("person", "山田")], "abc")
    assert printed(trees.show_entity_table, page, [12, 0]) == (
        "type           name   memories  also\n"
        "intrusion_set  APT28        12  Fancy Bear, Sofacy\n"
        "person         山田          0\n"
        "more: --cursor abc\n"
    )
    assert printed(trees.show_entity_table, Page[Entity]([], None), []) == "no entities\n"


def test_merges_say_who_is_who() -> None:
    merge = Merge("mrg_1", BEAR, FIN, "merged", "by hand", datetime(2026, 1, 2, tzinfo=UTC))
    assert printed(trees.show_merges, [merge]) == (
        "merged  FIN7 (actor) is APT28 (intrusion_set) · 2026-01-02 · mrg_1\n  by hand\n"
    )
    assert printed(trees.show_merges, []) == "nothing was merged\n"
