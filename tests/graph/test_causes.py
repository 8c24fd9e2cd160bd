from __future__ import annotations

import pytest

from tests.graph.reading import said

CAUSES = {
    "The phishing mail led to data loss.": ("phishing mail", "causes", "data loss"),
    "A power surge caused the outage.": ("power surge", "causes", "outage"),
    "The outage happened because of a power surge.": None,
    "The outage was caused by a power surge.": ("power surge", "causes", "outage"),
    "CVE-2021-44228 resulted in remote code execution.": ("CVE-2021-44228", "causes", "remote code execution"),
    "After the initial breach, the server crash was noticed.": None,
    "After the initial breach, data theft.": ("initial breach", "precedes", "data theft"),
}


@pytest.mark.parametrize(("text", "triple"), [(text, triple) for text, triple in CAUSES.items() if triple])
@pytest.mark.parametrize("domain", ["cti", "incident", "threat_intel"])
def test_reports_state_what_caused_what(text: str, triple: tuple[str, str, str], domain: str) -> None:
    assert triple in said(text, domain)


@pytest.mark.parametrize("text", CAUSES)
def test_other_texts_do_not(text: str) -> None:
    assert said(text, "general") == set()


@pytest.mark.parametrize(
    "text",
    [
        "It led to them.",
        "The patch might have caused the outage.",
        "The surge did not cause harm, no evidence that it led to data loss.",
        "Has the surge led to data loss?",
        "If the surge caused the outage, we would know.",
    ],
)
def test_an_empty_negated_or_possible_statement_causes_nothing(text: str) -> None:
    assert said(text) == set()
