"""What a whole sentence states is lifted, in many phrasings."""

from __future__ import annotations

from itertools import product

import pytest

from engrain import MemoryManager, Settings
from engrain.language.statements import read
from engrain.model.memory import Fact

NAMES = (
    "Ana",
    "Marco Rossi",
    "Jean-Luc",
    "Patient 17",
    "svc-auth",
    "Atlas",
    "O'Brien",
    "Ana's sister",
    "Ludwig van Dyk",
)
PLACES = ("Boston", "New York", "the Netherlands", "São Paulo", "Rio de Janeiro", "Boston, Massachusetts")
FIRMS = ("Acme", "Globex Corporation", "Johnson & Sons", "IBM", "the BBC")
LIVES = (
    "{s} lives in {o}",
    "{s} lives in {o}.",
    "{s} is living in {o}",
    "{s}'s living in {o} now",
    "{s} currently lives in {o}",
    "{s} lives in {o} these days",
    "{s} resides in {o}",
    "{s} lives in {o} with her family",
    "{s} lives in {o} since 2019",
    "{s} still lives in {o}!",
    "{s} now lives in {o}",
    "{s} is now living in {o}",
    "{s} moved to {o}",
    "{s} has moved to {o}",
    "{s} just relocated to {o}",
    "{s} moved to {o} again",
)
WORKS = (
    "{s} works at {o}",
    "{s} works for {o}",
    "{s} is working at {o}",
    "{s} now works at {o}.",
    "{s} joined {o}",
    "{s} joined {o} as a data engineer",
    "{s} started at {o}",
    "{s} has started working for {o}",
    "{s} got a new job at {o}",
    "{s} is employed by {o}",
    "{s} works at {o} as of March",
)
ATTRIBUTES = (
    ("email", "email", "ana@example.org"),
    ("email", "e-mail address", "ana@example.org"),
    ("phone", "phone", "555-1234"),
    ("phone", "phone number", "+49 30 123456"),
    ("address", "address", "12 Elm Street"),
    ("birthday", "birthday", "March 4"),
    ("timezone", "timezone", "UTC+2"),
    ("status", "status", "green"),
    ("status", "status", "in progress"),
    ("version", "version", "4.2.1"),
    ("owner", "owner", "Bob"),
    ("ceo", "CEO", "Bob Lee"),
    ("job_title", "job title", "Staff Engineer"),
    ("role", "role", "project manager"),
)
ASSIGNED = (
    "{s}'s {a} is {o}",
    "{s}'s {a} is now {o}.",
    "The {a} of {s} is {o}",
    "The {a} of {s} is now {o}",
    "{s}'s new {a} is {o}",
    "{s}'s {a} changed to {o}",
    "{s} changed their {a} to {o}",
    "{s}'s current {a} is {o}",
)


def lifted(text: str, speaker: str | None = None) -> tuple[str, str, str] | None:
    fact = read(text, speaker=speaker).fact
    return (fact.subject, fact.predicate, fact.object) if fact else None


def wrong(cases: list[tuple[str, tuple[str, str, str]]]) -> list[object]:
    return [(text, found) for text, expected in cases if (found := lifted(text)) != expected]


def test_homes_are_lifted_in_every_phrasing():
    assert not wrong(
        [
            (form.format(s=s, o=o), (s, "lives_in", o))
            for form, s, o in product(LIVES, NAMES, PLACES)
            if not (s == "O'Brien" and "'s" in form)
        ]
    )


def test_employers_are_lifted_in_every_phrasing():
    assert not wrong([(form.format(s=s, o=o), (s, "works_at", o)) for form, s, o in product(WORKS, NAMES, FIRMS)])


def test_attributes_are_lifted_in_every_phrasing():
    assert not wrong(
        [
            (form.format(s=s, a=a, o=o), (s, predicate, o))
            for form, s, (predicate, a, o) in product(ASSIGNED, NAMES, ATTRIBUTES)
        ]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana works as a nurse", ("Ana", "job_title", "nurse")),
        ("Ana is a nurse by profession", ("Ana", "job_title", "nurse")),
        ("Ana retrained as a nurse", ("Ana", "job_title", "nurse")),
        ("Ana has a job at Acme", ("Ana", "works_at", "Acme")),
        ("Ana has been hired by Acme", ("Ana", "works_at", "Acme")),
        ("Ana's home is in Oslo", ("Ana", "lives_in", "Oslo")),
        ("Ana settled in Oslo", ("Ana", "lives_in", "Oslo")),
        ("Ana has moved to Oslo for good", ("Ana", "lives_in", "Oslo")),
        ("Ana is in the CET time zone", ("Ana", "timezone", "CET")),
        ("Ana is aged 34", ("Ana", "age", "34")),
        ("Ana turned 34 today", ("Ana", "age", "34")),
        ("Ana Rix changed her name to Ana Dorn", ("Ana Rix", "name", "Ana Dorn")),
        ("Ana replaced Tom as CEO of Acme", ("Acme", "ceo", "Ana")),
        ("Acme named Ana its new CEO", ("Acme", "ceo", "Ana")),
        ("Ownership of Corvid passed from Tom to Ana", ("Corvid", "owner", "Ana")),
        ("We upgraded Corvid to version 5.2", ("Corvid", "version", "5.2")),
        ("Ana's job is a data engineer", ("Ana", "job_title", "data engineer")),
        ("Ana was promoted to Head of Sales", ("Ana", "job_title", "Head of Sales")),
        ("Acme is based in Oslo", ("Acme", "located_in", "Oslo")),
        ("The auth service is located in Frankfurt", ("The auth service", "located_in", "Frankfurt")),
        ("The auth service's status is green", ("The auth service", "status", "green")),
        ("The owner of the auth service is Bob", ("the auth service", "owner", "Bob")),
        ("Atlas is now owned by Globex", ("Atlas", "owner", "Globex")),
        ("Atlas is at version 3", ("Atlas", "version", "3")),
        ("Atlas was upgraded to version 4", ("Atlas", "version", "4")),
        ("Atlas' status went from red to green", ("Atlas", "status", "green")),
        ("Ana is 34 years old", ("Ana", "age", "34")),
        ("Ana is 34", ("Ana", "age", "34")),
        ("Ana is now 35", ("Ana", "age", "35")),
        ("Ana turned 35", ("Ana", "age", "35")),
        ("Bob is the CEO of Acme", ("Acme", "ceo", "Bob")),
        ("Eva Lind took over as CEO of Acme", ("Acme", "ceo", "Eva Lind")),
        ("Ana is married to Tom", ("Ana", "married_to", "Tom")),
        ("Patient 17 is allergic to latex", ("Patient 17", "allergic_to", "latex")),
        ("Ana likes green tea", ("Ana", "likes", "green tea")),
        ("Ana loves hiking", ("Ana", "likes", "hiking")),
        ("Ana prefers coffee", ("Ana", "prefers", "coffee")),
        ("Ana speaks fluent Portuguese", ("Ana", "speaks", "Portuguese")),
        ("The deploy script uses Docker", ("The deploy script", "uses", "Docker")),
        ("Ana's favourite colour is blue", ("Ana", "favourite_colour", "blue")),
        ("Ana's favorite color is blue", ("Ana", "favourite_colour", "blue")),
        ("Ana left Acme for Globex", ("Ana", "works_at", "Globex")),
        ("Actually, Ana lives in Oslo", ("Ana", "lives_in", "Oslo")),
        ("Ana actually lives in Oslo", ("Ana", "lives_in", "Oslo")),
    ],
)
def test_other_facts_are_lifted(text, expected):
    assert lifted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Boston", ("Kim", "lives_in", "Boston")),
        ("I'm living in Boston", ("Kim", "lives_in", "Boston")),
        ("I’m 34", ("Kim", "age", "34")),
        ("I moved to Oslo", ("Kim", "lives_in", "Oslo")),
        ("I've moved to Oslo", ("Kim", "lives_in", "Oslo")),
        ("My email is kim@example.org", ("Kim", "email", "kim@example.org")),
        ("my name is Kim Lee", ("Kim", "name", "Kim Lee")),
        ("My sister lives in Oslo", ("Kim's sister", "lives_in", "Oslo")),
        ("My favourite food is pizza", ("Kim", "favourite_food", "pizza")),
    ],
)
def test_the_first_person_is_the_speaker_or_unknown(text, expected):
    assert lifted(text, "Kim") == expected
    assert lifted(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Alice no longer works at Acme", Fact("Alice", "works_at", "Acme")),
        ("Alice doesn't work at Acme anymore", Fact("Alice", "works_at", "Acme")),
        ("Alice stopped working at Acme", Fact("Alice", "works_at", "Acme")),
        ("Alice used to live in Rome", Fact("Alice", "lives_in", "Rome")),
        ("Alice moved from Rome to Oslo", Fact("Alice", "lives_in", "Rome")),
        ("Alice left Acme for Globex", Fact("Alice", "works_at", "Acme")),
        ("Bob is no longer the CEO of Acme", Fact("Acme", "ceo", "Bob")),
        ("The status of Atlas changed from red to green", Fact("Atlas", "status", "red")),
    ],
)
def test_an_ended_fact_is_named(text, expected):
    statement = read(text)
    assert statement.ended == (expected,)
    assert statement.change


def test_unknown_languages_are_refused():
    with pytest.raises(ValueError, match="no word lists for xx"):
        read("Ana lives in Rome", languages=("xx",))


HOMES = {"en": "I live in Rome.", "de": "Ich wohne in Köln.", "es": "Vivo en Lugo.", "fr": "J'habite à Lyon."}


@pytest.mark.parametrize("languages", [("en",), ("de",), ("es", "fr"), tuple(HOMES)], ids=" ".join)
def test_facts_and_changes_are_read_in_the_languages_of_the_settings_and_in_no_other(languages):
    settings = Settings(worker="none", languages=languages)
    for code, text in HOMES.items():
        with MemoryManager(":memory:", user="ana", embedder=None, settings=settings) as memory:
            known = memory.remember(text).memory
            assert (known.fact is not None) is (code in languages), text
            edited = memory.update(memory.remember("a note").id, content=text.rstrip("."))
            assert (edited.fact is not None) is (code in languages), text
    with MemoryManager(":memory:", user="ana", embedder=None, settings=settings) as memory:
        memory.remember("Der Kurs ist am Dienstag.")
        changed = memory.remember("Der Kurs wurde auf Mittwoch verschoben.")
        assert changed.status == ("updated" if "de" in languages else "created")
        memory.add_message("user", "Ich wohne in Köln und arbeite bei Bosch.", session="s")
        memory.end_session("s")
        memory.consolidate()
        assert bool(memory.facts(predicate="works_at")) is ("de" in languages)
