"""Statements that can both be true never replace, correct or contradict one another."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from engrain.language.comparison import Relation, compare
from engrain.language.statements import read

PEOPLE = ("Ana", "Marco", "Sofia Lind", "Patient 17", "Patient 71")
CLAIMS = (
    "likes tea",
    "likes coffee",
    "loves hiking",
    "uses Docker",
    "uses Podman",
    "speaks Spanish",
    "speaks German",
    "is allergic to peanuts",
    "is allergic to penicillin",
    "visited Rome",
    "visited Oslo",
    "has a dog",
    "has two cats",
    "was born in Rome",
    "knows Tom",
    "is tall",
    "plays the piano",
    "owes Tom 5",
    "owes Tom 50",
    "now likes chess",
    "now also speaks French",
    "now uses Helm",
    "switched to decaf",
    "stopped eating sugar",
    "no longer smokes",
    "became a father",
    "does not eat fish",
    "never drinks wine",
    "actually likes jazz",
    "is now happy",
)
PAIRS = """
Marco stopped eating peanuts | Marco is allergic to peanuts
Sofia no longer lives in Rome | Sofia was born in Rome
Sofia no longer lives in Rome | Sofia lived in Rome
Ana no longer lives in Boston in summer | Ana lives in Boston
Ana no longer eats fish and chips | Ana eats fish
Ana no longer only eats fish | Ana eats fish
Ana is no longer happy | Ana is happy with her phone
Ana is no longer the manager | Ana is the manager of the chess club
The script no longer uses Docker | The script uses Docker Compose
The script stopped using Docker in production | The script uses Docker
The tests no longer use Docker | The deploy script uses Docker
Ana no longer works with Tom | Ana works at Acme
If Ana no longer lives in Rome we can go | Ana lives in Rome
Tom says Ana no longer lives in Rome | Ana lives in Rome
Does Ana no longer live in Rome? | Ana lives in Rome
She no longer lives in Rome | She lives in Rome
The wifi password is now required | The wifi password is hunter2
The deploy script is now broken | The deploy script is 200 lines
Ana is now a manager | Ana is a mother
Ana is now vegetarian | Ana is tall
The team is now in Oslo | The team is happy
The limit is now 5 users | The limit is 10 GB
Ana now likes tea | Ana likes coffee
Ana now has a dog | Ana has a cat
Ana has now visited Rome | Ana has visited Oslo
Correction: Ana likes tea | Ana knows Tom
Actually, Ana likes tea | Ana likes coffee
Ana now uses Docker | Ana uses Podman
The locker code is 8814 | The locker code is 8841
Ana's locker code is now 8814 | Tom's locker code is 8841
Ana's work phone number is now 555 1234 | Ana's phone number is 555 4321
The team switched from Slack to Teams | The team pays for Slack
The team switched from Docker to Podman for builds | The team uses Docker for tests
Ana ate pizza instead of pasta | Ana ate pasta
Ana did not go to the gym | Ana went to the gym
Ana does not like some olives | Ana likes some olives
Ana doesn't like it | Ana likes it
Ana does not only like olives | Ana likes olives
The meeting is not today | The meeting is today
CVE-2024-3094 is the XZ backdoor | Fedora 41 ships a fix for CVE-2024-3094
Fedora 41 no longer ships xz 5.6 | Fedora 40 ships xz 5.6
Ana trinkt nicht mehr als drei Kaffee | Ana trinkt Kaffee
Ana ne mange plus que du pain | Ana mange du pain
Ana steht früher auf | Ana steht auf
Docker is used to build images | Docker builds images
Ana got used to living in Rome | Ana lives in Rome
Patient 17 no longer takes aspirin | Patient 71 takes aspirin
The auth service is now at version 4 | The billing service is at version 3
Ana wants to stop eating meat | Ana eats meat
Ana will no longer eat meat | Ana eats fish
Ana left Acme for Globex | Ana works at Initech
Ana moved from Boston to Rome | Ana lives in Oslo
The api no longer supports XML | The api supports XML and JSON
Ana no longer drinks coffee after lunch | Ana drinks coffee
Ana is now in Rome | Ana is in Marketing
The manager is now Bob | The manager is French
The manager is now in Rome | The manager is in Marketing
Ana now works at night | Ana works at home
The project is now called off | The project is called atlas
The status is now open | The status is important
The room is now 20 degrees | The room is 30 square metres
The team stopped using Slack | The team runs Slack bots
Tom stopped running | Tom runs a company
The service now runs on Mondays | The service runs on port 80
Actually, Ana likes tea too | Ana likes coffee
Actually, Ana plays the piano as well | Ana plays the violin
Actually, Ana speaks German | Ana speaks French
Actually, Ana visited Oslo | Ana visited Rome
Actually, Ana is Portuguese | Ana is Catholic
Actually, Ana is in Rome | Ana is in Marketing
Actually, Ana's sister is a nurse | Ana's sister is Eva
Actually, Ana runs daily | Ana runs marathons
Actually, the server runs Debian | The server runs nginx
Correction: Ana is tall | Ana is a doctor
Correction: Ana is 34 | Ana is 180 cm tall
Correction: Ana has 2 cars | Ana has 3 bikes
Correction: Ana was born in May | Ana was born in Rome
Correction: the train leaves at 10 | The train leaves on Monday
Correction: Ana met Bo on Tuesday | Ana met Eva on Monday
Actually, the train leaves from platform 4 | The train leaves at 9
Actually, the meeting is on Tuesday at 10 | The meeting is on Tuesday
Actually, the meeting is at 3pm | The meeting is at 15:00
Actually, the meeting is on June 3 | The meeting is on Tuesday
Actually, the deadline is 3 June | The deadline is June 3
The deadline is now 5pm | The deadline is June 3
The deadline is now June 2026 | The deadline is June 3
Ana stopped eating fish on Mondays | Ana eats fish every Friday
The bus now leaves at 9 | The bus leaves at 8
"""


def test_a_persons_claims_leave_each_other_alone():
    texts = [f"{person} {claim}" for person, claim in product(PEOPLE, CLAIMS)]
    statements = [read(text) for text in texts]
    related = [(a.text, b.text) for a, b in permutations(statements, 2) if compare(a, b) is not Relation.NONE]
    assert not related


def test_an_actually_leaves_a_persons_other_claims_alone_and_a_correction_closes_none():
    marked = ("now", "switched", "stopped", "longer", "not", "never", "actually", "became")
    claims = [claim for claim in CLAIMS if not any(word in claim.split() for word in marked)]
    claims += ["met Bo on Monday", "met Eva on Tuesday", "runs marathons", "is free on Friday", "is away in July"]
    claims += ["is 34", "is 180 cm tall", "was born in June", "starts on Monday", "plays at 9"]
    for one, other in permutations(claims, 2):
        known = read(f"Ana {other}")
        assert compare(read(f"Actually, Ana {one}"), known) is Relation.NONE
        assert compare(read(f"Correction: Ana {one}"), known) in (Relation.NONE, Relation.CONTRADICTS)


@pytest.mark.parametrize("line", PAIRS.strip().splitlines())
def test_both_can_be_true(line):
    new, old = line.split(" | ")
    assert compare(read(new), read(old)) is Relation.NONE
    assert compare(read(old), read(new)) is Relation.NONE


@pytest.mark.parametrize(
    "form",
    [
        "Ana likes {}",
        "The locker code is {}",
        "Ana lives in {}",
        "Marco is allergic to {}",
        "The status of Atlas is {}",
    ],
)
def test_without_a_marker_nothing_happens(form):
    values = ("Rome", "Oslo", "8841", "8814", "peanuts", "penicillin", "green", "red")
    for one, other in permutations(values, 2):
        assert compare(read(form.format(one)), read(form.format(other))) is Relation.NONE
