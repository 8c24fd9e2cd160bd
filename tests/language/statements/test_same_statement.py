"""Two texts are one statement only when nothing that tells is different."""

from __future__ import annotations

import pytest

from engrain.language.comparison import same_statement


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana lives in Boston.", "Ana lives in Boston"),
        ("Ana is living in Boston", "Ana lives in Boston"),
        ("Ana's living in Boston", "Ana lives in Boston!"),
        ("The locker code is 8841", "the locker code is 8841"),
        ("Ana does not like olives", "Ana doesn't like olives"),
        ("Ana cannot swim", "Ana can't swim"),
        ("Ana’s dog is ill", "Ana's dog is ill"),
    ],
)
def test_the_same(one, other):
    assert same_statement(one, other)
    assert same_statement(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tom owes Ana 5", "Ana owes Tom 5"),
        ("The locker code is 8841", "The locker code is 8814"),
        ("Patient 17 is allergic to latex", "Patient 71 is allergic to latex"),
        ("Ana can swim", "Ana cannot swim"),
        ("Ana can swim", "Ana can't swim"),
        ("Ana likes olives", "Ana never likes olives"),
        ("Ana lived in Boston", "Ana lives in Boston"),
        ("Ana will live in Boston", "Ana lives in Boston"),
        ("The flight to Rome is full", "The flight from Rome is full"),
        ("Ana studies the universe", "Ana studies the university"),
        ("Ana is a better cook", "Ana is a good cook"),
        ("Does Ana live in Boston?", "Ana lives in Boston"),
        ("Ana moved to the US", "Ana moved to the us"),
        ("Use svc-auth", "Use svc-oauth"),
        ("Ana likes Max", "Ana likes Rex"),
        ("Hunter2 is the password", "hunter2 is the password"),
        ("It is 5 degrees", "It is -5 degrees"),
        ("", ""),
        ("the", "a"),
    ],
)
def test_not_the_same(one, other):
    assert not same_statement(one, other)
    assert not same_statement(other, one)
