"""What is written in a form is not lost, what is wrong is shown at its field, and an undo undoes one's own act only."""

from __future__ import annotations

from playwright.sync_api import Dialog, Locator, expect

from engrain import MemoryManager
from tests.console.browsers import Served, Window
from tests.console.test_pages import seeded

_REFUSED = "This was changed again since, so nothing was undone"


def _alert(window: Window) -> Locator:
    return window.dialog.get_by_role("alert")


def _correct(window: Window, **fields: str) -> None:
    window.click("Correct")
    for label, text in fields.items():
        window.fill(label, text, window.dialog)
    window.click("Save", place=window.dialog)


def _text(memory: MemoryManager, memory_id: str) -> str:
    found = memory.get(memory_id)
    assert found is not None
    return found.content


def test_an_undo_leaves_what_another_has_done_since(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("The boat is blue", source_type="user_input")
    with served.window(memory) as window:
        window.open(f"/memory?id={one.id}")
        _correct(window, Text="The boat is red")
        window.sees("Corrected.")
        memory.update(one.id, content="The boat is green")
        window.click("Undo")
        window.sees(_REFUSED)
        assert _text(memory, one.id) == "The boat is green"
        window.click("Pin")
        window.sees("1 pinned.")
        memory.update(one.id, tags=["sea"])
        window.click("Undo")
        window.sees(_REFUSED)
        window.open("/memories")
        window.click("Add")
        window.fill("What should be remembered?", "Bob likes tea", window.dialog)
        window.click("Remember", place=window.dialog)
        window.sees("Remembered.")
        (tea,) = (each for each in memory.list_memories() if each.id != one.id)
        memory.update(tea.id, content="Bob likes green tea")
        window.click("Undo")
        window.sees(_REFUSED)
        assert _text(memory, tea.id) == "Bob likes green tea"


def test_the_undo_of_what_took_the_place_of_another_brings_that_back(served: Served) -> None:
    memory = served.memory()
    memory.remember("Ana lives in Leeds", source_type="user_input", valid_from="2019-01-01")
    with served.window(memory) as window:
        window.open("/memories")
        window.click("Add")
        window.fill("What should be remembered?", "Ana moved to Porto", window.dialog)
        window.click("Remember", place=window.dialog)
        window.sees("Remembered; it takes the place of an older memory.")
        window.click("Undo")
        window.sees("Undone.")
        assert [each.content for each in memory.facts(subject="Ana")] == ["Ana lives in Leeds"]


def test_a_replacement_is_shown_and_its_undo_leaves_what_another_has_made_of_it(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("The harbour opens at eight", source_type="user_input")
    with served.window(memory) as window:
        window.open(f"/memory?id={one.id}")
        for undone in (True, False):
            window.click("Replace")
            window.fill("What is true now?", "The harbour opens at nine", window.dialog)
            window.click("Replace", place=window.dialog)
            window.page.locator(".toast", has_text="Replaced.").wait_for()
            new = memory.list_memories()[0]
            window.addressed(new.id)
            window.main.get_by_role("article").get_by_text("The harbour opens at nine").wait_for()
            if not undone:
                memory.update(new.id, content="The harbour opens at ten")
            window.click("Undo")
            if undone:
                window.addressed(one.id)
                window.main.get_by_role("article").get_by_text("The harbour opens at eight").wait_for()
        window.sees(_REFUSED)
        assert _text(memory, new.id) == "The harbour opens at ten"


def test_an_irreversible_action_warns_before(served: Served) -> None:
    memory = seeded(served.memory())
    memory.procedures.store({"name": "Feed the cat", "steps": [{"action": "Open the tin"}]})
    memory.records("checkpoints").put(("thread", "1"), {"step": 3})
    with served.window(memory) as window:
        window.open("/review")
        window.click("Admit")
        window.dialog.get_by_text("This cannot be undone: it does not wait again.").wait_for()
        window.fill("Reason, for the audit trail", "an advertisement", window.dialog)
        window.click("Admit", place=window.dialog)
        window.sees("1 admitted. This cannot be undone.")
        expect(window.page.get_by_role("button", name="Undo")).to_have_count(0)
        window.open("/graph?entity=Ana")
        window.click("Give another name")
        window.dialog.get_by_text("This cannot be undone.").wait_for()
        window.click("Cancel", place=window.dialog)
        window.open("/records?collection=checkpoints")
        window.main.get_by_text("thread / 1").click()
        window.click("Delete")
        window.dialog.get_by_text("Revision 1 of this record of checkpoints is gone for good, without undo.").wait_for()
        window.click("Delete", place=window.dialog)
        window.sees("Deleted.")
        assert memory.records("checkpoints").get(("thread", "1")) is None


def test_a_wrong_field_is_said_in_its_own_words_and_shown(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("Ana keeps bees", source_type="user_input")
    with served.window(memory) as window:
        window.open(f"/memory?id={one.id}")
        window.click("Correct")
        window.fill("Text", "Ana keeps many bees", window.dialog)
        window.dialog.get_by_text("More", exact=True).click()
        wrong = {
            "True since": ("tomorrow", "“True since” is no date or time"),
            "Keep for days": ("abc", "“Keep for days” is no number"),
        }
        for label, (text, words) in wrong.items():
            window.fill(label, text, window.dialog)
            window.dialog.get_by_text("More", exact=True).click()
            window.click("Save", place=window.dialog)
            expect(_alert(window)).to_contain_text(words)
            expect(window.dialog.get_by_label(label, exact=True)).to_be_focused()
            expect(window.dialog.get_by_label("Text", exact=True)).to_have_value("Ana keeps many bees")
            expect(window.page.locator(".toast")).to_have_count(0)
            window.fill(label, "2024-01-01" if label == "True since" else "-3", window.dialog)
        window.click("Save", place=window.dialog)
        expect(_alert(window)).to_contain_text("“Keep for days” is -3 days")
        assert not window.faults()
        window.fill("Keep for days", "9000", window.dialog)
        window.click("Save", place=window.dialog)
        window.sees("Corrected.")
        window.click("Link")
        for other, words in ((one.id, "This is the memory itself"), ("mem_none", "No memory here has this id")):
            window.fill("Id of the other memory", other, window.dialog)
            window.click("Link", place=window.dialog)
            expect(_alert(window)).to_contain_text(words)


def test_an_edit_that_another_was_quicker_with_goes_on_beside_it(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("The boat is blue", tags=["sea"], source_type="user_input")
    with served.window(memory) as window:
        window.open(f"/memory?id={one.id}")
        window.click("Correct")
        window.fill("Text", "The boat is red", window.dialog)
        window.fill("Reason, for the audit trail", "a slip", window.dialog)
        memory.update(one.id, content="The boat is green", tags=["harbour"])
        window.click("Save", place=window.dialog)
        expect(_alert(window)).to_contain_text("It was changed by somebody else meanwhile.")
        window.dialog.get_by_text("The boat is green").first.wait_for()
        expect(window.dialog.get_by_label("Text", exact=True)).to_have_value("The boat is red")
        expect(window.dialog.get_by_label("Reason, for the audit trail")).to_have_value("a slip")
        window.click("Save", place=window.dialog)
        window.sees("Corrected.")
        found = memory.get(one.id)
        assert found is not None
        assert (found.content, found.tags) == ("The boat is red", ("harbour",))  # what was not touched is the other's


def test_a_wrong_filter_hides_what_it_would_have_filtered(served: Served) -> None:
    memory = seeded(served.memory())
    with served.window(memory) as window:
        window.open("/memories")
        window.sees("5 memories")
        window.page.get_by_text("Filter and sort").click()
        window.fill("True since", "tomorrow")
        window.click("Apply")
        alert = window.main.get_by_role("alert").filter(has_text="“True since” is no date or time")
        alert.first.wait_for()
        expect(window.main.get_by_role("row")).to_have_count(0)
        expect(window.page.get_by_label("True since")).to_be_focused()
        window.open("/memories?since=tomorrow")  # a link that holds the same says it as well
        alert.first.wait_for()
        expect(window.main.get_by_text("ISO 8601")).to_have_count(0)
        window.fill("True since", "2025-01-01")
        window.click("Apply")
        window.sees("4 memories")
        expect(alert).to_have_count(0)
        expect(window.page.locator(".toast")).to_have_count(0)


def test_a_secret_is_copied_and_not_lost_by_a_key(served: Served) -> None:
    memory = served.memory()
    with served.window(memory) as window:
        window.open("/admin")
        window.click("Create a key")
        window.fill("Name", "laptop", window.dialog)
        window.click("Create", place=window.dialog)
        secret = window.dialog.get_by_text("rk_")
        secret.wait_for()
        window.dialog.get_by_role("button", name="Copy Secret").wait_for()
        asked: list[str] = []

        def ask(dialog: Dialog) -> None:
            asked.append(dialog.message)
            dialog.dismiss()

        window.page.on("dialog", ask)
        window.press("Escape")
        window.press("Escape")
        expect(secret).to_be_visible()
        assert asked == ["Close without the secret? It is not shown again."] * 2
        window.click("Done")
        window.page.get_by_role("button", name="Revoke laptop").wait_for()


def test_buttons_of_a_long_dialog_stay_in_sight(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("\n".join(f"Line {number}" for number in range(200)), source_type="user_input")
    with served.window(memory, width=360) as window:
        window.page.set_viewport_size({"width": 360, "height": 500})
        window.open(f"/memory?id={one.id}")
        window.click("Correct")
        window.dialog.get_by_text("More", exact=True).click()
        for name in ("Cancel", "Save"):
            expect(window.dialog.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


def test_an_act_can_be_undone_on_the_next_page(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("Ana keeps bees", source_type="user_input")
    with served.window(memory) as window, served.window(memory) as other:
        window.open(f"/memory?id={one.id}")
        window.click("Forget")
        window.click("Forget", place=window.dialog)
        window.sees("1 forgotten.")
        assert memory.count() == 0
        other.open("/memories")
        window.click("Facts", "link")
        window.page.wait_for_url("**/facts")
        window.sees("1 forgotten.")
        expect(other.page.get_by_role("button", name="Undo")).to_have_count(0)  # which did nothing
        window.click("Memories", "link")
        window.page.wait_for_url("**/memories")
        window.click("Undo")
        window.sees("Undone.")
        window.main.get_by_role("link", name="Ana keeps bees").wait_for()
        assert memory.count() == 1
        window.click("Facts", "link")
        window.page.wait_for_url("**/facts")
        window.ready()
        expect(window.page.get_by_role("button", name="Undo")).to_have_count(0)


def test_an_error_in_an_address_is_reported_in_plain_words(served: Served) -> None:
    memory = seeded(served.memory())
    with served.window(memory) as window:
        for path, words in {
            "/graph?as_of=garbage": "This is no date or time",
            "/memories?cursor=nowhere": "This place in the list is known no more",
            "/facts?subject=%20%20": "is blank: write a name",
            "/review?kind=bogus": "There is no such list: choose one of those above.",
        }.items():
            window.open(path)
            window.main.get_by_role("alert").filter(has_text=words).first.wait_for()
        window.open("/memories?cursor=nowhere")
        window.click("First page", "link")
        window.main.get_by_role("link", name="Ana moved to Porto").first.wait_for()


def test_a_relation_begins_at_the_entity_that_is_shown(served: Served) -> None:
    memory = seeded(served.memory())
    with served.window(memory) as window:
        window.open("/graph?entity=Ana&type=person")
        window.click("Add a relation")
        expect(window.dialog.get_by_label("From: name")).to_have_value("Ana")
        expect(window.dialog.get_by_label("From: type")).to_have_value("person")
        expect(window.dialog.get_by_label("To: type")).to_have_value("name")


def test_a_relation_for_one_user_is_added_where_all_are_shown(served: Served) -> None:
    memory = served.memory()
    for user in ("mia", "noah"):
        memory.scoped(user=user).remember("Ana lives in Oslo", source_type="user_input")
    with served.window(memory) as window:
        window.open("/graph")
        expect(window.page.get_by_role("region", name="Relations").locator("tr.item")).to_have_count(1)
        window.click("Add a relation")
        for label, text in {"From: name": "Ana", "To: name": "Acme", "Relation": "works_at"}.items():
            window.fill(label, text, window.dialog)
        window.fill("In the memory of", "mia", window.dialog)
        window.click("Add", place=window.dialog)
        window.sees("Stated.")
        expect(window.page.get_by_role("region", name="Relations").locator("tr.item")).to_have_count(2)
        window.open("/graph?user=mia")
        window.click("Add a relation")
        expect(window.dialog.get_by_label("In the memory of")).to_have_count(0)
    stated = {user: memory.scoped(user=user).graph.relationships() for user in ("mia", "noah")}
    assert {user: sorted(each.relation for each in found) for user, found in stated.items()} == {
        "mia": ["lives_in", "works_at"],
        "noah": ["lives_in"],
    }


def test_an_entity_that_was_stated_for_one_user_is_corrected_where_all_are_shown(served: Served) -> None:
    memory = served.memory()
    mia = memory.scoped(user="mia")
    mia.graph.add_relationship(("person", "Kim"), "knows", ("person", "Lee"))
    mia.graph.add_entity("person", "Kimberley")
    with served.window(memory) as window:
        window.open("/graph?entity=Kim")
        window.sees("None: it was stated by hand.")
        window.click("Give another name")
        window.fill("Its other name", "Kimmy", window.dialog)
        window.fill("In the memory of", "mia", window.dialog)
        window.click("Add", place=window.dialog)
        window.sees("also Kimmy")
        window.click("Merge into another")
        window.dialog.locator("input[name=name]").fill("Kimberley")
        window.click("Merge", place=window.dialog)
        expect(_alert(window)).to_contain_text("Kimberley")
        window.fill("In the memory of", "mia", window.dialog)
        window.click("Merge", place=window.dialog)
        window.until(lambda: bool(mia.graph.merges()))
    found = mia.graph.entity("person", "Kimmy")
    assert found is not None
    assert set(found.aliases) == {"Kim", "Kimmy"}
