from __future__ import annotations

import pytest

from tests.graph.reading import said


@pytest.mark.parametrize(
    "text",
    [
        "APT28 does not use Mimikatz.",
        "APT28 doesn't use Mimikatz.",
        "APT28 never used Mimikatz.",
        "APT28 no longer uses Mimikatz.",
        "There is no evidence that APT28 used Mimikatz.",
        "Microsoft denied that APT28 used Mimikatz.",
        "APT28 might have used Mimikatz.",
        "APT28 may use Mimikatz.",
        "APT28 could be using Mimikatz.",
        "If APT28 uses Mimikatz, we will see it.",
        "Whether APT28 used Mimikatz is unclear.",
        "Does APT28 use Mimikatz?",
        "Mimikatz was not used by APT28.",
        "It is false that APT28 used Mimikatz.",
        "Suppose APT28 uses Mimikatz.",
        "APT28 stopped using Mimikatz.",
        "APT28 denied using Mimikatz.",
        "APT28 gave up using Mimikatz.",
        "APT28 has yet to use Mimikatz.",
        "APT28 used to use Mimikatz.",
        "APT28 formerly used Mimikatz.",
        "APT28 used Mimikatz until 2020.",
        "Analysts ruled out that APT28 used Mimikatz.",
        "Neither APT28 nor APT29 uses Mimikatz.",
        "Nobody in APT28 uses Mimikatz.",
        "APT28 hat aufgehört, Mimikatz zu nutzen.",
    ],
)
def test_a_negated_or_only_possible_relation_is_not_stated(text: str) -> None:
    assert said(text) == set()


def test_a_month_is_no_doubt() -> None:
    assert said("APT28 in May 2023 used Mimikatz.") == {("APT28", "uses", "Mimikatz")}


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("APT28 stopped using X-Agent, switched to HeadLace.", set()),
        ("Instead of using Mimikatz, APT28 uses Rubeus.", {("APT28", "uses", "Rubeus")}),
        ("Unlike APT29, APT28 uses Mimikatz.", {("APT28", "uses", "Mimikatz")}),
        ("APT28, once known as Sofacy, uses Mimikatz.", {("APT28", "uses", "Mimikatz")}),
    ],
)
def test_an_aside_is_stated_of_no_other_subject(text: str, relations: set[tuple[str, str, str]]) -> None:
    assert relations <= said(text)
    assert not {each for each in said(text) if each[2] == "X-Agent" or each[0] in ("Mimikatz", "APT29")}
