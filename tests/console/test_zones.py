"""Times are those of the viewer's zone, wherever they are shown, written or chosen."""

from __future__ import annotations

from datetime import UTC, datetime

from playwright.sync_api import expect

from tests.console.browsers import Served

_TOKYO, _ANGELES = "Asia/Tokyo", "America/Los_Angeles"


def test_a_time_that_names_no_zone_is_one_of_the_viewer(served: Served) -> None:
    memory = served.memory()
    with served.window(memory, zone=_TOKYO) as window:
        window.open("/memories")
        window.click("Add")
        window.dialog.get_by_text("2025-04-05 18:00").wait_for()
        window.fill("What should be remembered?", "Bob likes tea", window.dialog)
        window.fill("True since", "2025-04-05T18:00", window.dialog)
        window.click("Remember", place=window.dialog)
        window.sees("Remembered.")
        (tea,) = memory.list_memories()
        assert tea.valid_from == datetime(2025, 4, 5, 9, tzinfo=UTC)
        window.open(f"/memory?id={tea.id}")
        window.click("Correct")
        window.dialog.get_by_text("More", exact=True).click()
        since = window.dialog.get_by_label("True since", exact=True)
        expect(since).to_have_value("2025-04-05 18:00")  # as the page has it
        since.fill("2025-04-06 03:30")
        window.click("Save", place=window.dialog)
        window.page.locator(".toast", has_text="Corrected.").wait_for()
        assert memory.get(tea.id).valid_from == datetime(2025, 4, 5, 18, 30, tzinfo=UTC)  # type: ignore[union-attr]
        window.click("Undo")
        window.until(lambda: memory.get(tea.id).valid_from == tea.valid_from)  # type: ignore[union-attr]
        window.click("Replace")
        window.fill("What is true now?", "Bob likes coffee", window.dialog)
        window.fill("True since", "2025-06-01 08:00", window.dialog)
        window.click("Replace", place=window.dialog)
        window.page.locator(".toast", has_text="Replaced.").wait_for()
        assert memory.list_memories()[0].valid_from == datetime(2025, 5, 31, 23, tzinfo=UTC)


def test_filters_and_addresses_are_read_in_the_zone_of_the_viewer(served: Served) -> None:
    memory = served.memory()
    memory.remember("The night train left", valid_from="2025-04-04T16:00:00+00:00")  # which is the 5th in Tokyo
    memory.remember("The day began", valid_from="2025-04-06")
    with served.window(memory, zone=_TOKYO) as window:
        for query, number in (
            ("since=2025-04-05", "2 memories"),
            ("since=2025-04-05T01:30", "1 memory"),
            ("until=2025-04-05", "No memory is like this."),
            ("until=2025-04-06", "1 memory"),
        ):
            window.open(f"/memories?{query}")
            window.sees(number)
        window.open("/?q=train&known_at=2025-01-01T10:00&since=2025-04-05+01:00")
        window.sees("Nothing was recorded yet at that time.")
        window.main.locator(".summary .badge", has_text="known at 2025-01-01 10:00").wait_for()
        window.page.get_by_text("Ask the same from a program").click()
        expect(window.page.get_by_role("region", name="Python")).to_contain_text("2025-04-05T01:00:00+09:00")
        window.main.get_by_text("MCP has no Known at").wait_for()
    with served.window(memory, zone=_ANGELES) as window:
        window.open("/memories?since=2025-04-06")
        window.sees("The day began")  # a day is the same day everywhere
        expect(window.main.locator("td[data-head='true since']")).to_have_text(["2025-04-06"])


def test_a_slider_and_its_day_choose_the_same_day(served: Served) -> None:
    memory = served.memory()
    memory.remember("Ana lives in Leeds", valid_from="2019-02-01", source_type="user_input")
    with served.window(memory, zone=_ANGELES) as window:
        window.open("/?q=Ana&as_of=2024-03-02T03:00:00%2B00:00")
        shown, day = window.page.locator(".slider output").first, window.page.get_by_label("As of: day")
        expect(shown).to_have_text("2024-03-01 19:00")
        expect(day).to_have_value("2024-03-01")
        slider = window.page.get_by_label("As of", exact=True)
        slider.focus()
        for _ in range(6):
            window.press("ArrowLeft")
            window.page.wait_for_function(
                "day => document.querySelector('.slider output').textContent.startsWith(day.value)",
                arg=day.element_handle(),
            )


def test_a_day_that_is_typed_key_by_key_is_taken_whole(served: Served) -> None:
    memory = served.memory()
    memory.remember("Ana lives in Leeds", valid_from="2019-02-01", source_type="user_input")
    with served.window(memory, zone=_ANGELES) as window:
        window.open("/?q=Ana")
        day = window.page.get_by_label("As of: day")
        day.focus()
        window.page.keyboard.type("04012025", delay=80)
        expect(day).to_have_value("2025-04-01")
        expect(window.page.locator(".slider output").first).to_contain_text("2025-04-01")


def test_a_slider_keeps_its_place_as_it_moves(served: Served) -> None:
    memory = served.memory()
    memory.remember("Ana lives in Leeds", source_type="user_input")
    for width in (1280, 360):
        with served.window(memory, width=width) as window:
            window.open("/?q=Ana")
            times, slider = window.page.locator(".times"), window.page.get_by_label("Known at", exact=True)
            before = times.bounding_box()
            slider.focus()
            window.press("Home")
            expect(window.page.locator(".slider output").nth(1)).to_contain_text(":")
            assert times.bounding_box() == before
            first, second = (window.page.locator(".slider [type=range]").nth(n).bounding_box() for n in (0, 1))
            assert first is not None
            assert second is not None
            assert width < 1000 or first["y"] == second["y"]
