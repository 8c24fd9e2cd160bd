"""The date that a change names is its beginning; an announced change takes effect at its date."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

SAID = "2026-03-02T09:00:00+00:00"  # the older statement; the newer one follows ten days later

BEGUN = """
Mira lives in Gent. | Mira moved to Lund on 5 March 2026. | Where does Mira live? | 2026-03-04: Gent | 2026-03-06: Lund
I live in Gent. | I moved to Lund yesterday. | Where do I live? | 2026-03-10: Gent | 2026-03-11T12:00:00Z: Lund
Ich arbeite bei Kobold. | Seit 5. März arbeite ich bei Lumen. | Wo arbeite ich? | 2026-03-04: Kobold | 2026-03-06: Lumen
Ich wohne in Gent. | Ich bin am 5. März nach Lund gezogen. | Wo wohne ich? | 2026-03-04: Gent | 2026-03-06: Lund
Vivo en Gante. | Me mudé a Lugo el 5 de marzo. | ¿Dónde vivo? | 2026-03-04: Gante | 2026-03-06: Lugo
J'habite à Gand. | J'ai déménagé à Lyon le 5 mars. | Où est-ce que j'habite ? | 2026-03-04: Gand | 2026-03-06: Lyon
The rent is 300 euros. | The rent was raised to 450 euros on 5 March. | How much is the rent? | \
2026-03-04: 300 | 2026-03-06: 450
"""
AHEAD = """
I live in Gent. | I'm moving to Lund next month. | Where do I live? | 2026-03-20: Gent | 2026-04-20: Lund
I live in Gent. | I will move to Lund on 1 April 2026. | Where do I live? | 2026-03-20: Gent | 2026-04-20: Lund
The price of the pass is 12 euros. | The price of the pass was raised to 15 euros from 1 April 2026. | \
What is the price of the pass? | 2026-03-20: 12 | 2026-04-20: 15
"""


@pytest.mark.matrix
@pytest.mark.parametrize("in_turns", [True, False], ids=["turns", "texts"])
@pytest.mark.parametrize("row", [*BEGUN.strip().splitlines(), *AHEAD.strip().splitlines()])
def test_a_change_holds_from_its_date(row: str, *, in_turns: bool) -> None:
    old, new, question, *expected = row.split(" | ")
    clock = FrozenClock(SAID)
    with MemoryManager(":memory:", user="ana", llm="none", clock=clock, settings=Settings(worker="none")) as memory:
        for text in (old, new):
            if in_turns:
                memory.add_message("user", text, session=text[:9])
                memory.flush()
            else:
                memory.remember(text, source_type="user_input")
            clock.advance(timedelta(days=10))
        for each in expected:
            when, _, value = each.rpartition(": ")
            assert value in str(memory.synthesize(question, as_of=when).synthesis["answer"]), when


def test_what_was_stated_since_a_dated_change_is_replaced_from_the_new_statement_on() -> None:
    clock = FrozenClock(SAID)
    with MemoryManager(":memory:", user="ana", llm="none", clock=clock, settings=Settings(worker="none")) as memory:
        memory.remember("Mira lives in Gent.")
        clock.advance(timedelta(days=3))
        moved = memory.remember("Mira moved to Lund on 1 March 2026.").memory
        assert moved.valid_from == clock.now()
        assert memory.synthesize("Where does Mira live?").synthesis["answer"] == "Lund"


@pytest.mark.parametrize("value", ["soon", "2026-01-01", 5, None, "0001-01-01T00:00:00+14:00"])
def test_metadata_of_the_caller_with_the_name_of_that_time_break_nothing(value: object) -> None:
    settings = Settings(worker="none")
    with MemoryManager(":memory:", user="ana", llm="none", clock=FrozenClock(SAID), settings=settings) as memory:
        memory.remember("Mira moved to Gent yesterday.", metadata={"stated_at": value})
        memory.remember("Mira moved to Lund.")
        memory.consolidate()
        assert memory.synthesize("Where does Mira live?").synthesis["answer"] == "Lund"


@pytest.mark.parametrize("by_key", [True, False], ids=["a write under its key", "an update"])
def test_a_new_text_moves_the_beginning_that_its_old_text_gave(*, by_key: bool) -> None:
    clock = FrozenClock(SAID)
    with MemoryManager(":memory:", user="ana", clock=clock, settings=Settings(worker="none")) as memory:

        def changed(text: str, **given: Any) -> str:
            clock.advance(timedelta(days=1))
            if by_key:
                memory.remember(text, key=known.key, **given)
            else:
                memory.update(known.id, content=text, **given)
            found = memory.get(known.id)
            return "" if found is None else f"{found.valid_from:%Y-%m-%d}"

        known = memory.remember("Ana moved to Tbilisi in May 2025.", key="home").memory
        assert changed("Ana moved to Batumi in June 2025.") == "2025-06-01"
        assert memory.recall("where does Ana live?", as_of="2025-05-15").texts == ()
        assert changed("Ana moved to Batumi.") == "2025-06-01"
        known = memory.remember("Bo moved to Gori on 3 May 2025.", key="place", valid_from="2025-05-04").memory
        assert changed("Bo moved to Gori on 7 June 2025.") == "2025-05-04"
        assert changed("Bo moved to Gori on 8 June 2025.", valid_from="2025-06-09") == "2025-06-09"
        known = memory.remember("Cleo moved to Kobe on 3 May 2025.", key="town").memory
        assert changed("Cleo will move to Kobe on 3 May 2031.") == f"{clock.now() - timedelta(days=1):%Y-%m-%d}"
