"""The frame of every page: navigation, the scope, and errors."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

from fastapi import FastAPI, Request
from nicegui import app as framework
from nicegui import ui
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response

from engrain.errors import AccessDenied, StoreError
from engrain.model.audit import Role
from engrain.server.console.elements import Tag, button, el, field, form, problem
from engrain.server.console.gate import asset, plain_page
from engrain.server.console.page import Page, sentence
from engrain.server.console.parts import owner
from engrain.server.wire import CONSOLE_PATH, Problem

_EVERY = 2.0  # seconds after which a page looks whether another process has changed something
_SHARE = 50  # and how many times longer than the look itself takes


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: its path, its name, which its module has too, picture in the navigation or "", purpose, needed role."""

    path: str
    label: str
    picture: str
    purpose: str
    role: Role = Role.READ


ENTRIES = tuple(Entry(**{**each, "role": Role(each["role"])}) for each in tomllib.loads(asset("pages.toml"))["page"])


def prepare(app: FastAPI) -> None:
    """Add the pages to an application of their own."""
    framework.config.socket_io_js_transports = ["websocket"]
    framework.add_exception_handler(404, _missing)
    for entry in ENTRIES:
        ui.page(entry.path, title=f"{entry.label} · Engrain", response_timeout=120)(_shower(entry))
    look: dict[str, Any] = {"title": "Engrain", "language": "en-US", "dark": None, "tailwind": False, "favicon": "🧠"}
    quick = partial(GZipMiddleware, compresslevel=1)  # of files that a browser then keeps
    ui.run_with(app, gzip_middleware_factory=quick, reconnect_timeout=30.0, show_welcome_message=False, **look)


async def _missing(_: Request, __: Exception) -> Response:
    return plain_page(f'<p role="alert">There is no such page. <a href="{CONSOLE_PATH}/">Open the console</a></p>', 404)


def _shower(entry: Entry) -> Callable[[Request], Awaitable[None]]:
    module = import_module(f"engrain.server.console.{entry.label.lower()}")
    build = getattr(module, "build", None) or (lambda page: page.shows(partial(module.show, page)))

    async def show(request: Request) -> None:
        page = Page(request)
        ui.add_head_html(f"<style>{asset('console.css')}</style><script>{asset('console.js')}</script>")
        ui.dark_mode({"dark": True, "light": False}.get(page.theme))
        if (around := page.client.content.parent_slot) is not None:
            around.parent.tag = "div"  # the framework's own main part has navigation and header too
        page.caller = await page.context.in_thread(page.who)
        page.scope = replace(page.caller.scope or page.context.memory.scope, **page.view)
        with el("div", "", "shell"):
            el("a", "Skip to the content", "skip", href="#main")
            _navigation(page, entry)
            with el("div", "", "body"):
                _header(page, entry)
                with el("main", "", "main", id="main", tabindex="-1"):
                    el("h1", entry.label)
                    el("p", entry.purpose, "lead")
                    wrong = el("p", "", "problem out", role="alert")
                    built = await _built(page, entry, build)
        page.messages()
        ui.add_body_html(asset("keys.html"))
        if built:
            _watch(page, wrong)

    return show


async def _built(page: Page, entry: Entry, build: Callable[[Page], Awaitable[None]]) -> bool:
    """Build the content, and say whether it could be shown."""
    try:
        page.caller.needs(entry.role, entry.label)
        await page.has_changed()
        await build(page)
        page.is_built = True
        return True
    except Exception as error:  # the edge: the frame stays, and shows the error
        denied = isinstance(error, AccessDenied)
        problem("This page is not for this key" if denied else "This cannot be shown", sentence(error))
    return False


def _navigation(page: Page, here: Entry) -> None:
    within = "/memories" if here.path == "/memory" else here.path
    with el("nav", "", "nav", aria_label="Pages", id="pages"):
        el("a", "Engrain", "brand", href=page.url("/"), aria_label="Engrain console")
        with el("ul"):
            for each in ENTRIES:
                if each.picture and page.caller.role.covers(each.role):
                    with el("li"), page.link("", each.path, "here" if each.path == within else "") as link:
                        link.set(aria_current="page" if each.path == within else None)
                        el("i", each.picture, "material-icons", aria_hidden="true")
                        el("span", each.label)
        with el("div", "", "whose"):
            el("span", f"{'Key' if page.caller.key else 'Local'} · role {page.caller.role.value}")
            if page.session.key:
                button("Sign out", "engrain.leave()", "flat small")


def _header(page: Page, entry: Entry) -> None:
    with el("header", "", "top"):
        says = {"aria_label": "Menu", "aria_expanded": "false", "aria_controls": "pages"}
        button("", "engrain.menu()", "flat icon only-small", picture="menu", **says)
        if entry.path == "/":
            el("span", "", "grow")
        else:
            with form(lambda values: page.go("/", q=values["q"]), "find grow", role="search"):
                el("input", type="search", name="q", aria_label="Search memory", placeholder="Ask your memory  ( / )")
        bound = page.caller.scope or page.context.memory.scope
        names = {"org": page.caller.scope is None, "user": bound.user is None, "agent": bound.agent is None}
        now = {name: getattr(page.scope, name) or "" for name in names}
        with el("details", "", "scope"):
            el("summary", " · ".join(f"{name} {value}" for name, value in owner(page.scope).items()) or "All users")
            with form(lambda values: page.go(page.path, **values), "pop"):
                for (name, free), label in zip(names.items(), ("Organisation", "User", "Agent"), strict=True):
                    field(label, name, now[name], disabled=not free, placeholder="all" if name != "org" else "")
                el("button", "Show", "button primary", type="submit")
        button("", "document.getElementById('keys').showModal()", "flat icon", picture="keyboard", aria_label="Keys")
        button("", "engrain.theme()", "flat icon", picture="contrast", aria_label="Light or dark")


def _watch(page: Page, wrong: Tag) -> None:
    """Show the changes of other processes, and an error while the store cannot be read; end when the key is revoked."""
    due = [time.monotonic() + _EVERY]

    async def look() -> None:
        if not page.client.has_socket_connection or time.monotonic() < due[0]:
            return
        began = time.monotonic()
        try:
            has_changed = await page.has_changed()
        except (Problem, StoreError) as error:
            wrong.show(sentence(error))
            wrong.classes(remove="out")
            return
        wrong.classes("out")
        due[0] = time.monotonic() + _SHARE * (time.monotonic() - began)
        if has_changed:
            await page.reload()

    ui.timer(_EVERY, page.on(look))
