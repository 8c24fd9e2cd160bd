"""The picture of a memory's life: valid, the same every time, and of any size."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from engrain import Counts, MemoryManager
from engrain.cli.main import main
from engrain.lifecycle.axes import dates, short, ticks
from engrain.lifecycle.chart import svg
from engrain.policies.retention import Retention, RetentionPolicy

START = datetime(2026, 1, 1, tzinfo=UTC)
BOUNDED = Retention("bounded")


def history(points: int, step: timedelta, each: int = 10) -> list[Counts]:
    """Return counts that grow."""
    return [Counts(START + step * n, active=each * n, superseded=n, forgotten=n // 2) for n in range(points)]


def texts(picture: str) -> list[str]:
    """Return what is written in a picture, which must be well-formed."""
    return [text for each in Xml.fromstring(picture).iter() if (text := each.text)]


HISTORIES = {
    "none": [],
    "one moment": history(1, timedelta(days=1)),
    "a day": history(9, timedelta(hours=1)),
    "a year": history(365, timedelta(days=1)),
    "ten years of millions": history(400, timedelta(days=9), 10_000),
    "nothing in it": [Counts(START), Counts(START + timedelta(days=1))],
}


@pytest.mark.parametrize("counts", HISTORIES.values(), ids=HISTORIES)
def test_any_history_is_drawn_inside_its_sheet_and_the_same_again(counts: list[Counts]) -> None:
    picture = svg(BOUNDED, counts)
    assert picture == svg(BOUNDED, counts)
    sheet = Xml.fromstring(picture)
    across, down = map(float, sheet.attrib["viewBox"].split()[2:])
    for shape in sheet.iter():
        for point in shape.attrib.get("points", "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= across
            assert 0 <= y <= down


def test_it_says_what_is_drawn() -> None:
    found = texts(svg(BOUNDED, HISTORIES["a year"]))
    assert {"working", "episodic", "semantic", "procedural", "exponential, rate 0.01"} <= set(found)
    assert "ttl 30 d, cap 10k, archived < 0.05" in found
    assert {"active 3,640", "superseded 364", "forgotten 182"} <= set(found)
    assert not any(text.startswith("archived ") and text[9].isdigit() for text in found)  # there are none
    assert "nothing is kept yet" in texts(svg(BOUNDED, []))


def test_a_threshold_is_drawn_where_there_is_one() -> None:
    assert 'class="limit"' in svg(BOUNDED, [])
    assert 'class="limit"' not in svg(Retention(), [])


def test_every_curve_is_drawn_and_names_are_escaped() -> None:
    for curve in ("exponential", "logarithmic", "step", "none"):
        picture = svg(
            Retention("keep", (RetentionPolicy(curve=curve, domain="<b>&"), RetentionPolicy(curve=curve))), []
        )
        assert len([each for each in Xml.fromstring(picture).iter() if each.tag.endswith("polyline")]) == 12


def test_it_is_readable_in_the_dark() -> None:
    assert "prefers-color-scheme: dark" in svg(BOUNDED, [])


@pytest.mark.parametrize(
    ("most", "found"),
    [(0, [0, 1]), (1, [0, 1]), (7, [0, 2, 4, 6, 8]), (30, [0, 10, 20, 30]), (1_000_000, [0, 500_000, 1_000_000])],
)
def test_axes_have_round_numbers(most: int, found: list[int]) -> None:
    assert ticks(most) == found


def test_numbers_are_short() -> None:
    assert [short(n) for n in (0, 950, 9500, 250_000, 1_500_000, 2e9)] == ["0", "950", "9,500", "250k", "1.5M", "2B"]


def test_dates_are_as_fine_as_the_time_is_short() -> None:
    assert dates([]) == []
    assert [text for _, text in dates([START + timedelta(hours=n) for n in range(3)])] == ["00:00", "01:00", "02:00"]
    assert dates([START + timedelta(days=n) for n in range(60)])[1] == (9, "10 Jan")
    assert dates([START + timedelta(days=30 * n) for n in range(60)])[0] == (0, "Jan 2026")


def test_the_command_shows_counts_and_policies_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, picture = str(tmp_path / "memory.db"), tmp_path / "life.svg"
    with MemoryManager(store, embedder=None) as memory:
        memory.remember("Ana drinks tea")
    asked = ["lifecycle", "--store", store, "--embedder", "none"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "retention: keep" in shown
    assert "exponential 0.01/day" in shown
    assert main([*asked, "--svg", str(picture)]) == 0
    assert "active 1" in texts(picture.read_text())
    assert main([*asked, "--json", "--since", "2020-01-01"]) == 0
    assert '"active": 1' in capsys.readouterr().out
    assert main([*asked, "--since", "2999-01-01"]) == 1
    assert "it must be before until" in capsys.readouterr().err
