"""A sentence is supported when its numbers, dates, times, names and denials are those of what it cites."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain.model.memory import Memory, Scope
from engrain.synthesis.replies import ground, is_supported

TOLD = datetime(2026, 5, 7, 10, tzinfo=UTC)


def founded(content: str, said: str, *, query: str = "Where does Ana live?", actor: str | None = None) -> bool:
    memory = Memory(
        id="m", content=content, scope=Scope(), recorded_at=TOLD, updated_at=TOLD, valid_from=TOLD, actor=actor
    )
    return is_supported(said, [ground(memory, content)], query, counting=False)


FALSE = [
    ("Ana has two cats, Mint and Basil", "Ana has 7 cats."),
    ("Ana has two cats", "Ana has 2026 cats and 5 dogs."),
    ("Ana paid 50 euros", "Ana paid 500 euros."),
    ("Ana has two cats", "Ana has nineteen cats."),
    ("Ana has two cats", "Ana has no cats."),
    ("It is 5 degrees", "It is -5 degrees."),
    ("The budget is 30 euros", "The budget is 30 million dollars."),
    ("30 euros for Ana", "30 dollars for Ana"),
    ("Ana has two cats", "Ana has a dog called Boris and lives in Moscow with Vladimir Putin."),
    ("Ana has two cats", "Vladimir lives with Ana."),
    ("Ana is not allergic to peanuts", "Ana is allergic to peanuts."),
    ("Luis failed to finish the marathon", "Luis finished the marathon."),
    ("See you at 3pm, Ana", "Ana comes at 3am."),
    ("Ana has two cats and three dogs", "Ana has three cats."),
    ("Ana lives here", "Ana lives at http://evil.example/"),
    ("Bob lives in Rome", "Ana lives in Rome."),
    ("Ana moved on 12. Juni 2026", "Ana moved on 13 June 2026."),
    ("Ana has 5 kg", "Ana has 5 litres"),
    ("Ana zahlt 50 Euro", "Ana zahlt 51 Euro"),
    ("Room 12", "The room is 21."),
    ("db1 is up", "db2 is up"),
    ("Ana has two cats", "Ana has twelve cats"),
    ("Ana wohnt in Berlin", "Ana wohnt in Moskau mit Boris"),
    ("Ana has two cats", "Ana has one cat."),
    ("Ana paid 50 euros.", "Ana paid fifty dollars."),
    ("Ana moved in March.", "Ana moved on Monday."),
    ("Ana has two cats, including Mint.", "Ana has no cats."),
]
TRUE = [
    ("Meet at 3pm", "At 15:00."),
    ("Meet at 3 pm", "3pm."),
    ("Meet at 15:00", "At 3 p.m."),
    ("Budget is $25k", "The budget is $25,000."),
    ("Budget is $25,000", "$25k"),
    ("Das Treffen ist am 12. Juni 2026", "12.06.2026"),
    ("Treffen am 12.06.2026", "Am 12. Juni 2026."),
    ("Luis failed to finish the marathon", "No, Luis did not finish."),
    ("Luis failed to finish the marathon", "No."),
    ("Ana has two cats", "Ana has 2 cats."),
    ("Ana has 2 cats", "Ana has two cats, yes"),
    ("Ana hat einundzwanzig Bücher", "Ana hat 21 Bücher."),
    ("Ana moved to Tbilisi yesterday", "Ana moved on 6 May 2026."),
    ("Ana moved to Tbilisi yesterday", "Ana moved on Wednesday, May 6, 2026"),
    ("Ana earns 1.234,56 Euro", "Ana earns €1,234.56."),
    ("It takes 90 minutes", "It takes 1.5 hours"),
    ("Es ist -5 Grad", "It is minus 5 degrees"),
    ("Es ist -5 Grad", "5 degrees below zero, es ist so"),
    ("Call +995 555 12 34", "+995 555 12 34"),
    ("Host is 10.0.0.2", "10.0.0.2"),
    ("Ana is from Georgia", "Ana is Georgian."),
    ("I moved to Rome", "Ana moved to Rome."),
    ("Ana hat zwei Katzen", "Ana hat zwei Haustiere und ein Haus."),
    ("Ana has two cats", "Both cats belong to Ana."),
    ("Ana lives in Tbilisi", "She currently lives in Tbilisi."),
    ("Meeting at 15h30", "15:30"),
    ("Reunión a las 15:00", "At 3pm."),
    ("um 15 Uhr", "at 3pm"),
    ("Ana has two cats and Bob three", "Two."),
    ("quatre-vingt-deux euros", "82 euros"),
    ("two hundred and fifty euros", "€250"),
    ("25 000", "25"),
    ("Ana paid 3 million euros", "€3m"),
    ("Ana was born in 1990", "Ana was born in 1990."),
    ("Ana: born 12/03/1990", "12 March 1990"),
    ("the 3rd floor", "On floor 3."),
    ("Version 2.3.1 is out", "2.3.1"),
    ("Ana doesn't live in Rome but in Oslo", "Ana lives in Oslo."),
    ("Don't forget: the PIN is 4711", "The PIN is 4711."),
    ("They met last month", "April 2026."),
    ("Ana has 2 cats", "Ana hat zwei Katzen."),
    ("The rent is now 1,050", "1050"),
    ("Open from 9 to 17", "From 9 to 17."),
    ("Ana quit smoking.", "Ana does not smoke."),
]


@pytest.mark.parametrize(("content", "said"), FALSE)
def test_an_unstated_claim_is_not_supported(content: str, said: str) -> None:
    assert not founded(content, said)


@pytest.mark.matrix
@pytest.mark.parametrize(("content", "said"), TRUE)
def test_a_stated_value_is_supported_in_any_notation(content: str, said: str) -> None:
    assert founded(content, said)


def test_a_figure_of_the_question_is_no_evidence() -> None:
    assert not founded("Ana paid 50 euros", "Ana paid 500 euros.", query="Did Ana pay 500 euros?")


def test_who_says_it_is_a_name_that_is_known() -> None:
    assert founded("Moved to Rome", "Ana moved to Rome.", actor="Ana")
    assert not founded("I moved to Rome", "Ana moved to Rome.", actor="Bob")
