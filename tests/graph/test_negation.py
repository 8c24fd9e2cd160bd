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
    ],
)
def test_what_is_denied_or_only_possible_is_not_stated(text: str) -> None:
    assert said(text) == set()


def test_a_month_is_no_doubt() -> None:
    assert said("APT28 in May 2023 used Mimikatz.") == {("APT28", "uses", "Mimikatz")}
