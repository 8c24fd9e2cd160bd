"""Sentences that look like facts and are none lift nothing."""

from __future__ import annotations

import pytest

from engrain.language.statements import read

TRAPS = """
Ana's holiday home is in Oslo
Ana settled in nicely
Ana settled in Monday
Ana is a killer by night
Ana retrained as a team
Ana has a job at nine
Ana is aged 34 and tired
We upgraded to version 5
Ana replaced Tom as head of the choir
He lives in Boston
She works at Acme
They moved to Oslo
It is based in Rome
Does Ana live in Boston?
Ana lives in Boston?
If Ana lives in Boston she is cold
Ana lives in Boston when she teaches
Ana lives in Boston unless it snows
Maybe Ana lives in Boston
Ana might live in Boston
Ana may live in Boston
Ana probably lives in Boston
I think Ana lives in Boston
Tom says Ana lives in Boston
Ana said she lives in Boston
Ana wants to live in Boston
Ana would live in Boston
Ana plans to move to Boston
Ana hopes to live in Boston
Ana will live in Boston
Ana is going to live in Boston
Ana lived in Boston
Ana was based in Boston
Ana was living in Boston
Ana used to live in Boston
Ana does not live in Boston
Ana doesn't live in Boston
Ana never lives in Boston
Ana lives in Boston but is moving
Ana lives in Boston and Tom lives in Oslo
Ana lives in Boston and Oslo
Ana and Tom live in Boston
Ana lives in Boston in summer
Ana lives in Boston on weekdays
Ana lives in Boston part of the year
Ana also lives in Boston
Ana lives in fear
Ana lives in a small house
Ana lives in the city
People live in Boston
My friend lives in Boston
My cousin lives in Boston
Yesterday Ana moved to Boston
Then Ana moved to Boston
Ana moved to Tuesday
Ana moved to March
Ana moved to the sales team
Ana moved to tears
Ana moved to a new flat
Ana moved to Kubernetes
Ana moved to Marketing
The meeting moved to Boston
The team moved to Kubernetes
Ana almost moved to Boston
Ana temporarily moved to Boston
Ana works at Acme on Mondays and at Globex on Fridays
Ana works at Acme on Mondays
Ana also works at Acme
Ana works at night
Ana works at home
Ana works for free
Ana works as a team
Ana works at the office
Ana's backup address is 12 Elm Street
Ana's old email is ana@example.org
Ana's email is full
Ana's email was ana@example.org
Ana's phone is broken
Ana's phone is dead
Ana's birthday is soon
Ana's birthday is next week
Ana's job is stressful
Ana's job is a disaster
Ana's role is important
One of the owners of Atlas is Bob
An owner of Atlas is Bob
Bob is one of the owners of Atlas
Bob is a former CEO of Acme
Bob is the interim CEO of Acme
The CEO of Acme is on holiday
The CEO of Acme is Italian
The owner of Atlas is very friendly
The status of Atlas is not green
The status of Atlas is unclear
The status of Atlas is being updated
The version of Atlas is old
Ana is married to her job
Ana is 5 minutes late
Ana is 34 kilometres away
Rent is 90
Ana loves it
Ana likes how it works
Ana loves the way he sings
Ana likes to swim
Ana likes everything
I love this
Ana's favourite part is when he sings
Ana's favorite thing is the sea
Ana uses it
Ana speaks quickly
Ana speaks to Tom
Ana's friend is 34
My dog's name is Max
My brother's friend's email is a@example.org
Move to Boston
Ana is rumoured to be moving to Boston
Ana is considering Boston
Ana lives in Boston, Tom in Oslo
Ana lives in Boston; Tom knows.
Ana (Tom's boss) lives in Boston
Everyone lives in Boston
Nobody lives in Boston
Someone moved to Boston
Ana joined us
Ana joined Facebook
Finland joined NATO
Ana joined the Tennis Club
Ana joined the call
Ana left Boston
Ana left early for Boston
Ana left Tom for Eva?
Ana started at 9
Ana got a job
Ana turned 90 degrees
"""


@pytest.mark.parametrize("text", TRAPS.strip().splitlines())
def test_nothing_is_lifted(text):
    assert read(text, speaker="Kim").fact is None


def test_more_than_a_sentence_and_long_texts_state_nothing():
    assert read("Ana lives in Boston. Tom lives in Oslo.").fact is None
    assert read("Ana lives in Boston" + " with her family" * 20).fact is None


def test_abbreviations_end_no_sentence():
    fact = read("Ana lives in St. Gallen").fact
    assert fact is not None
    assert fact.object == "St. Gallen"
