from __future__ import annotations

import pytest

from tests.graph.reading import named

DATES = {
    "on 7 May 2023": "2023-05-07",
    "on May 7, 2023": "2023-05-07",
    "on May 7th 2023": "2023-05-07",
    "on the 7th of May, 2023": "2023-05-07",
    "on 2023-05-07": "2023-05-07",
    "on 2023/5/7": "2023-05-07",
    "at 2023-05-07T10:00:00Z": "2023-05-07",
    "in May 2023": "2023-05",
    "in Dec. 2023": "2023-12",
    "since 2014": "2014",
    "on 25/12/2023": "2023-12-25",
    "on 12/25/2023": "2023-12-25",
    "on 05/06/2023": "05/06/2023",
    "on 19 March": "19 March",
    "on March 19": "19 March",
}


@pytest.mark.parametrize(("text", "value"), DATES.items())
def test_dates_are_written_as_iso_where_they_are_complete(text: str, value: str) -> None:
    assert named(f"It was {text}.", types="date") == {("date", value)}


@pytest.mark.parametrize("text", ["on 2023-13-45", "in room 2014", "I may 7", "1234-56-78"])
def test_an_invalid_day_is_no_date(text: str) -> None:
    assert named(text, types="date") == set()
