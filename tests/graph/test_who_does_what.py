"""The subject of a relation is the subject of its very verb, and its object is named as the object of that verb."""

from __future__ import annotations

import pytest

from engrain import MemoryManager


def relations(*texts: str) -> set[tuple[str, str, str]]:
    memory = MemoryManager(":memory:", user="ana")
    for text in texts:
        memory.remember(text)
    stated = (each for each in memory.graph.relationships() if each.weight > 0.5)
    return {(each.source.name, each.relation, each.target.name) for each in stated}


NOTHING = [
    "Hugo told Emil that the dentist moved to Linz.",
    "Hugo told Emil that she lives in Linz.",
    "Hugo told Emil his sister works at Bosch.",
    "I asked Emil whether the doctor lives in Graz.",
    "The brother of Lena lives in Rome.",
    "Lena's ex-husband lives in Rome.",
    "Hugo thinks Lena works at Google.",
    "Hugo hopes that Lena works at Google.",
    "Nora used to work at Bosch.",
    "Nora no longer works at Bosch.",
    "Nora worked at Bosch GmbH until 2015.",
    "Hugo sagte Emil, dass der Zahnarzt in Linz wohnt.",
    "Der Bruder von Lena wohnt in Wien.",
    "Ich glaube, Lena wohnt in Wien.",
    "Hugo dijo a Emil que el dentista vive en Linz.",
    "La hermana de Marisol vive en Valencia.",
    "Hugo a dit à Emil que le dentiste habite à Linz.",
    "La sœur de Claire habite à Lyon.",
    "Otto works at Bosch, Nora says.",
    "Otto trabaja en Bosch, dice Nora.",
    "Otto travaille chez Bosch, dit Nora.",
    "Otto arbeitet bei Bosch, laut Nora.",
    "According to Nora, Otto works at Bosch.",
    "Nora told Emil that Hugo moved to Linz.",
    "Otto or Hugo works at Bosch.",
    "Otto works at Bosch. Just kidding!",
    "Translate: Otto works at Bosch.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_a_statement_about_others_or_no_statement_is_no_relation(text: str):
    assert {each for each in relations(text) if "'s " not in each[0]} == set()


ONE = {
    "Otto lives in Bern, Nora lives in Basel.": {("Otto", "lives_in", "Bern"), ("Nora", "lives_in", "Basel")},
    "Otto lives in Bern and Nora works at Bosch.": {("Otto", "lives_in", "Bern"), ("Nora", "works_at", "Bosch")},
    "Otto works at Bosch and Nora works at Siemens.": {("Otto", "works_at", "Bosch"), ("Nora", "works_at", "Siemens")},
    "Nora works for Bosch, Otto for Siemens.": {("Nora", "works_at", "Bosch")},
    "Nora works at Bosch, a member of the Volkswagen Group.": {("Nora", "works_at", "Bosch")},
    "Tom is based in Oslo.": {("Tom", "located_in", "Oslo")},
    "Priya is the CEO of Acme.": {("Acme", "ceo", "Priya")},
    "Priya joined Acme Corporation as an engineer.": {("Priya", "works_at", "Acme Corporation")},
    "Hugo met Emil and moved to Linz.": {("Hugo", "knows", "Emil"), ("Hugo", "lives_in", "Linz")},
    "Lena and Tom live in Vienna.": {("Lena", "lives_in", "Vienna"), ("Tom", "lives_in", "Vienna")},
    "Tom's boss, Nina Keller, works at Siemens.": {("Nina Keller", "works_at", "Siemens")},
    "Lena wohnt in Wien.": {("Lena", "lives_in", "Wien")},
}


@pytest.mark.parametrize(("text", "expected"), ONE.items())
def test_each_thing_stated_is_one_relation(text: str, expected: set[tuple[str, str, str]]):
    assert relations(text) == expected
