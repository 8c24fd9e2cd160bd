"""A change that names the topic of an earlier sentence closes the statement beside it, and no other."""

from __future__ import annotations

import pytest

from tests.conflicts.test_ordinary_changes import _closed as closed


@pytest.mark.parametrize(
    ("topic", "old", "new"),
    [
        ("Project Tern is our new web shop.", "The deadline is 30 April.", "The deadline for Tern is now 29 May."),
        ("Our file server is called kauz.", "Its IP address is 10.9.4.17.", "The IP address of kauz is now 10.9.8.30."),
        ("I got an order for roof tiles.", "The deadline is 2 May.", "The deadline for the tiles is now 9 May."),
        ("I sing in a choir.", "We practise every Tuesday.", "Choir practice was moved from Tuesday to Friday."),
    ],
)
def test_a_change_names_the_topic_of_the_sentence_before(topic: str, old: str, new: str) -> None:
    assert closed([f"{topic} {old}", new], in_turns=True) == {old}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Project Tern is our new web shop. The deadline is 30 April.", "The deadline for Swift is now 29 May."),
        ("I work on Tern and Swift. The budget is 4,000 euros.", "The travel budget for Tern is now 300 euros."),
        ("We rent a hall in Ulm. The price is 90 euros.", "The price of the Ulm choir's hall is now 70 euros."),
        ("I bake for the fair. The stall costs 40 euros.", "The entry to the fair costs 5 euros now."),
    ],
)
def test_a_change_of_another_thing_of_the_topic_closes_nothing(old: str, new: str) -> None:
    assert closed([old, new], in_turns=True) == set()
