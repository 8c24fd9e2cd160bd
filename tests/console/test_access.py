"""Who may see and do what: keys, roles, scopes, origins, and what ends a session."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx2
import pytest
from playwright.sync_api import expect

from tests.console.browsers import Served
from tests.console.test_pages import seeded


def test_only_a_key_opens_the_console_and_only_from_its_own_pages(served: Served) -> None:
    place = urlsplit(served.base)
    origin = {"Origin": f"{place.scheme}://{place.netloc}"}
    secret = str(served.memory().keys.create(role="read").secret)
    with httpx2.Client(base_url=f"{place.scheme}://{place.netloc}", follow_redirects=False, timeout=60) as client:
        form = client.get("/console/memories")
        assert "Sign in" in form.text
        assert "default-src 'none'" in form.headers["content-security-policy"]
        assert client.post("/console/login", data={"key": secret}).status_code == 403  # no page of this server asks
        assert (
            client.post("/console/login", data={"key": secret}, headers={"Origin": "https://evil.example"}).status_code
            == 403
        )
        assert client.post("/console/login", data={"key": "rk_wrong"}, headers=origin).status_code == 401
        opened = client.post("/console/login", data={"key": secret, "next": "https://evil.example/"}, headers=origin)
        assert (opened.status_code, opened.headers["location"]) == (303, "/console/")
        cookie = opened.headers["set-cookie"]
        assert all(word in cookie for word in ("HttpOnly", "SameSite=lax", "Path=/console"))
        assert secret not in cookie
        page = client.get("/console/memories")
        assert "Sign in" not in page.text
        assert secret not in page.text
        missing = client.get("/console/nosuch")
        assert (missing.status_code, "There is no such page." in missing.text) == (404, True)
        upgrade = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        }
        refused = client.get(
            "/console/_nicegui_ws/socket.io/?transport=websocket&EIO=4",
            headers={**upgrade, "Origin": "https://evil.example"},
        )
        assert refused.status_code == 403
        assert (
            client.post("/v1/recall", json={"query": "anything"}).status_code == 401
        )  # the cookie is the console's alone


def test_a_role_sees_and_does_what_it_may(served: Served) -> None:
    memory = seeded(served.memory())
    one = memory.facts(subject="Ana")[0].id
    with served.window(memory, "read") as window:
        window.open("/memories")
        expect(window.page.get_by_role("button", name="Add", exact=True)).to_have_count(0)
        assert {"Review", "Trust", "Admin"}.isdisjoint(window.page.locator("nav li").all_inner_texts())
        window.open(f"/memory?id={one}")
        window.sees("Its life")
        for name in ("Correct", "Forget", "Erase"):
            expect(window.page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        window.open("/admin")
        window.sees("This page is not for this key")
        window.open("/")
        window.sees("What was remembered last:")
        expect(window.main.get_by_text("for a verdict")).to_have_count(0)  # what waits is not for a reader
        window.open("/memories?status=quarantined")
        expect(window.main.get_by_text("Ignore all previous")).to_have_count(0)


def test_a_user_sees_nothing_of_another_and_a_change_shows_by_itself(served: Served) -> None:
    memory = served.memory()
    hers = memory.scoped(user="ana").remember("Ana keeps bees")
    memory.scoped(user="bob").remember("Bob keeps goats")
    with served.window(memory, "write", user="ana") as ana, served.window(memory, "write", user="bob") as bob:
        ana.open("/memories")
        ana.sees("Ana keeps bees")
        bob.open("/memories")
        bob.sees("Bob keeps goats")
        for path in ("/memories?user=ana", f"/memory?id={hers.id}", f"/memory?id={hers.id}&user=ana"):
            bob.open(path)
            expect(bob.main.get_by_text("Ana keeps bees")).to_have_count(0)
        ana.open("/memories")
        memory.scoped(user="ana").remember("Ana sells honey")
        ana.sees("Ana sells honey")  # nobody reloads
        expect(bob.main.get_by_text("Ana sells honey")).to_have_count(0)


def test_an_edit_of_what_another_has_edited_is_refused(served: Served) -> None:
    memory = served.memory()
    one = memory.remember("The boat is blue")
    with served.window(memory) as window:
        window.open(f"/memory?id={one.id}")
        window.click("Correct")
        memory.update(one.id, content="The boat is green")
        window.fill("Text", "The boat is red", window.dialog)
        window.click("Save", place=window.dialog)
        window.page.get_by_role("alert").first.wait_for()
    assert memory.get(one.id).content == "The boat is green"  # type: ignore[union-attr]


def test_a_session_dies_with_its_key(served: Served) -> None:
    memory = seeded(served.memory())
    with served.window(memory) as window:
        window.open("/memories")
        for key in memory.keys.list():
            memory.keys.revoke(key.id)
        window.page.get_by_label("Key", exact=True).wait_for()  # the page notices, and asks for another
        window.sees("The session has ended, or its key was revoked.")
        assert "moved to Porto" not in window.page.content()


def test_the_keyboard_is_enough(served: Served) -> None:
    memory = seeded(served.memory())
    with served.window(memory) as window:
        window.open("/memories")
        window.press("?")
        window.page.locator("#keys[open]").wait_for()
        window.press("Escape")
        window.press("/")
        window.page.keyboard.type("Where does Ana live?")
        window.press("Enter")
        window.main.locator(".hit").first.wait_for()
        window.ready()
        window.press("j")
        window.press("Enter")
        window.page.get_by_role("img", name="versions").wait_for()
        window.ready()
        window.page.get_by_role("button", name="Pin", exact=True).focus()
        window.press("Enter")
        window.sees("1 pinned.")
        window.page.go_back()
        window.main.locator(".hit").first.wait_for()


@pytest.mark.slow
def test_a_hundred_thousand_memories(served: Served) -> None:
    memory = served.memory()
    for start in range(0, 100_000, 10_000):
        memory.remember_many(
            {"content": f"Parcel {start + number} is in hall {number % 97}"} for number in range(10_000)
        )
    with served.window(memory) as window:
        window.open("/memories")
        window.sees("100,000 memories")
        window.open("/?q=Where+is+parcel+4711%3F")
        window.sees("Parcel 4711 is in hall")


def test_a_reader_sees_procedures_and_is_sent_nowhere_that_is_closed(served: Served) -> None:
    memory = seeded(served.memory())
    for role in ("read", "write"):
        with served.window(memory, role) as window:
            window.open("/procedures")
            window.main.get_by_text("Deploy the site").first.wait_for()
            expect(window.main.get_by_role("alert")).to_have_count(0)
            window.open("/memory?id=mem_gone")
            window.sees("It may have been erased.")
            expect(window.main.get_by_text("Trust has the receipt")).to_have_count(0)
