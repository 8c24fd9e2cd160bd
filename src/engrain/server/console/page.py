"""One open page: who looks at what, the calls that it makes, and what every page is built of."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import anyio
import anyio.to_thread
from fastapi import Request
from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement
from starlette.types import Message

from engrain.errors import AccessDenied
from engrain.model.memory import Memory
from engrain.operations.schema import SCOPE, Operation
from engrain.operations.table import OPERATIONS
from engrain.server.admission import cost_of
from engrain.server.callers import Caller, perform
from engrain.server.console.gate import SESSION, Session
from engrain.server.console.mount import CONTEXT
from engrain.server.context import ServerContext
from engrain.server.wire import CONSOLE_PATH, error_sentence
from engrain.text import visible

_LOG = logging.getLogger("engrain.server")
_BY_NAME: Mapping[str, Operation] = {each.name: each for each in OPERATIONS}
_VIEW = ("org", "user", "agent")
LONG = 1_200
"""Characters of a text that a list shows; the memory's own page has the rest."""

# ------------------------------------------------------------------------------------------------------------ elements

Handler = Callable[..., Any]


class Tag(TextElement):
    """An element of HTML or SVG with a text, which is always shown as it is."""

    def __init__(self, tag: str, text: str = "", classes: str = "", /, **props: object) -> None:
        super().__init__(tag=tag, text=visible(text))
        if classes:
            self.classes(classes)
        self.set(**props)

    def set(self, **props: object) -> Tag:
        """Set attributes: `aria_label` is `aria-label`, None and False leave one out."""
        for name, value in props.items():
            key = name.rstrip("_").replace("_", "-")
            if value is None or value is False:
                self._props.pop(key, None)
            else:
                self._props[key] = visible(value) if isinstance(value, str) else value
        return self

    def show(self, text: str) -> None:
        """Show another text."""
        self.set_text(visible(text))


def el(tag: str, text: str = "", classes: str = "", /, **props: object) -> Tag:
    """Return a new element in the present place."""
    return Tag(tag, text, classes, **props)


def icon(name: str) -> Tag:
    """Return a picture that says nothing by itself."""
    return el("i", name, "material-icons", aria_hidden="true")


def button(text: str, on: Handler, classes: str = "", *, picture: str = "", **props: object) -> Tag:
    """Return a button; its handler takes no arguments."""
    made = el("button", "", f"button {classes}", type="button", **props)
    with made:
        if picture:
            icon(picture)
        if text:
            el("span", text)
    made.on("click", on, [])
    return made


def field(label: str, name: str, value: str = "", *, kind: str = "text", hint: str = "", **props: object) -> Tag:
    """Return an input of a form with its label, `kind` being its type or `textarea`."""
    with el("div", "", f"field {kind}"):
        caption = el("label", label)
        area = kind == "textarea"
        made = el(kind if area else "input", "", name=name, **props)
        made._props["^value" if not area else "value"] = value
        if not area:
            made.set(type=kind)
        caption.set(for_=f"c{made.id}")
        if hint:
            el("small", hint)
    return made


def checkbox(label: str, name: str, *, checked: bool = False) -> Tag:
    """Return a box to tick in a form, with its label."""
    with el("label", "", "check"):
        made = el("input", type="checkbox", name=name)
        made._props["^checked"] = "" if checked else None
        el("span", label)
    return made


def choice(label: str, name: str, options: Mapping[str, str], value: str = "") -> Tag:
    """Return a list of a form to choose from, with its label: values and what is shown for them."""
    with el("div", "", "field"):
        caption = el("label", label)
        made = el("select", "", name=name)
        caption.set(for_=f"c{made.id}")
        with made:
            for each, text in options.items():
                el("option", text, value=each, selected=each == value)
    return made


def form(on: Callable[[dict[str, str]], Any], classes: str = "", **props: object) -> Tag:
    """Return a form; its handler takes the values of all fields by their names."""
    made = el("form", "", classes, autocomplete="off", **props)
    made.on("submit.prevent", lambda event: on(event.args), js_handler=_VALUES)
    return made


_VALUES = "(e) => emit(Object.fromEntries(new FormData(e.target)))"


def section(title: str, classes: str = "", *, level: int = 2) -> Tag:
    """Return a section with a heading."""
    made = el("section", "", f"card {classes}")
    with made:
        el(f"h{level}", title)
    return made


def details(title: str, *, opened: bool = False, classes: str = "") -> Tag:
    """Return a part that opens by its title."""
    made = el("details", "", classes)
    made._props["^open"] = "" if opened else None
    with made:
        el("summary", title)
    return made


def empty(text: str, hint: str = "") -> None:
    """Say that there is nothing here, and what to do."""
    with el("div", "", "empty"):
        el("p", text, "strong")
        if hint:
            el("p", hint)


def pairs(rows: Iterable[tuple[str, object]]) -> None:
    """Show names and values; a value may be a function that builds it."""
    with el("dl", "", "pairs"):
        for name, value in rows:
            if value not in (None, ""):
                el("dt", name)
                with el("dd", "" if callable(value) else str(value)):
                    if callable(value):
                        value()


def table(heads: Iterable[str], rows: Iterable[Iterable[object]], *, label: str) -> Tag:
    """Show a table; a cell is a text, a number or a function that builds it."""
    heads = list(heads)
    with el("div", "", "scroll", tabindex="0", role="region", aria_label=label), el("table") as made:
        with el("thead"), el("tr"):
            for head in heads:
                el("th", head, scope="col")
        with el("tbody"):
            for row in rows:
                with el("tr", "", "item"):
                    for head, cell in zip(heads, row, strict=True):
                        number = isinstance(cell, int | float)
                        text = f"{cell:,}" if number else "" if callable(cell) else str(cell)
                        with el("td", text, "number" if number else "", data_head=head):
                            if callable(cell):
                                cell()
    return made


def shortened(text: str, most: int = LONG) -> str:
    """Return the beginning of a text, and how much more there is."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"


def download(data: str | bytes, name: str) -> None:
    """Let the browser save a file."""
    ui.download(data.encode() if isinstance(data, str) else data, name)


def as_json(value: object) -> str:
    """Return a document as people read it."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


# ---------------------------------------------------------------------------------------------------------------- page


class Page:
    """An open page of somebody who looks: its address, its calls of operations, its messages."""

    def __init__(self, request: Request) -> None:
        self.context: ServerContext = request.scope["state"][CONTEXT]
        self.session: Session = request.scope["state"][SESSION]
        self.path = request.scope["path"].removeprefix(CONSOLE_PATH)
        self.query = {name: value for name, value in request.query_params.items() if value}
        self.view = {name: self.query[name] for name in _VIEW if name in self.query}
        self.zone = _zone(request.cookies.get("engrain_zone", ""))
        self.theme = request.cookies.get("engrain_theme", "")
        self.caller: Caller
        self.client = ui.context.client
        self.refresh: Callable[[], Awaitable[None]] | None = None
        self._toasts: Any = None
        self._mark: object = None

    # ----------------------------------------------------------------------------------------------------------- calls

    async def identify(self) -> None:
        """Find out who looks; raises `AccessDenied` when the key has gone."""
        run = partial(self.context.caller, self.session.headers)
        self.caller = await anyio.to_thread.run_sync(run, limiter=self.context.threads)

    def may(self, name: str, guarded: str = "") -> bool:
        """Say whether the caller's role covers an operation, or a guarded argument of it."""
        operation = _BY_NAME[name]
        return self.caller.role.covers(operation.guarded.get(guarded, operation.role))

    async def call(self, name: str, /, *, more: Mapping[str, object] | None = None, **given: Any) -> Any:
        """Call an operation in a worker thread, as the key of this page's session may; what is None is left out."""
        operation = _BY_NAME[name]
        own = {parameter.name for parameter in operation.parameters}
        values = {each: value for each, value in given.items() if value is not None and each in own}
        asked = {each: str(value) for each, value in given.items() if each in SCOPE and each not in own and value}
        writes = operation.effect != "read"

        def work() -> object:
            caller = self.context.caller(self.session.headers)
            self.context.count(caller, writes)
            return perform(self.context.memory, caller, operation, values, {**self.view, **asked}, **(more or {}))

        run = partial(anyio.to_thread.run_sync, work, limiter=self.context.threads)
        cost = cost_of({"k": 10, **values}, scoped=bool(self.view))
        key = self.session.key
        return await self.context.admission.run(run, _stays, key=key, cost=cost, writes=writes)

    async def written(self, name: str, file: str, **given: Any) -> bytes:
        """Return what an operation writes into a file."""
        with tempfile.TemporaryDirectory(prefix="engrain-") as folder:
            await self.call(name, path=Path(folder, file), **given)
            return await anyio.to_thread.run_sync(Path(folder, file).read_bytes)

    async def received(self, upload: Any) -> tuple[Path, str]:
        """Return the file that was sent, in a folder of its own, and a name for it that leads nowhere else."""
        folder = Path(tempfile.mkdtemp(prefix="engrain-"))
        name = Path(upload.name.replace("\\", "/")).name.lstrip(".") or "file"
        await upload.save(folder / name)
        return folder / name, name

    def discard(self, file: Path) -> None:
        """Remove a file that was received."""
        shutil.rmtree(file.parent, ignore_errors=True)

    # --------------------------------------------------------------------------------------------------------- address

    def url(self, path: str | None = None, **more: object) -> str:
        """Return the address of a page in the same scope; without a path that of this one, with other arguments."""
        here = dict(self.query) if path is None else dict(self.view)
        query = {name: str(value) for name, value in {**here, **more}.items() if value not in (None, "", False)}
        return CONSOLE_PATH + (self.path if path is None else path) + (f"?{urlencode(query)}" if query else "")

    def put(self, state: Mapping[str, object], *, push: bool = False) -> None:
        """Let the address hold the state of the page, as a new entry of the browser's history with `push`."""
        self.query |= {name: str(value) for name, value in state.items()}
        self.query = {name: value for name, value in self.query.items() if value not in ("", "None", "False")}
        self.run(f"engrain.put({json.dumps(self.url())}, {'true' if push else 'false'})")

    def go(self, path: str, **more: object) -> None:
        """Open another page."""
        self.run(f"location.href = {json.dumps(self.url(path, **more))}")

    def run(self, code: str) -> None:
        """Run code in the browser, which has no text of a memory."""
        self.client.run_javascript(code)  # type: ignore[unused-awaitable]  # nobody waits for it

    def link(self, text: str, path: str, classes: str = "", **more: object) -> Tag:
        """Return a link to a page in the same scope."""
        return el("a", text, classes, href=self.url(path, **more))

    def to_memory(self, memory: Memory, classes: str = "") -> Tag:
        """Return a link to the page of a memory that shows its first words."""
        text = " ".join(memory.content.split())
        return self.link(text[:90] + ("…" if len(text) > 90 else ""), "/memory", classes, id=memory.id)

    # ----------------------------------------------------------------------------------------------------------- times

    def time(self, at: datetime | None, *, precise: bool = False, day: bool = False) -> str:
        """Return a time in the viewer's zone, to the minute, the second or the day; a day where it is one of UTC."""
        if at is None:
            return ""
        if day:
            return f"{at.astimezone(self.zone):%Y-%m-%d}"
        if not precise and at.astimezone(UTC).time() == datetime.min.time():
            return f"{at.astimezone(UTC):%Y-%m-%d}"
        return f"{at.astimezone(self.zone):{'%Y-%m-%d %H:%M:%S' if precise else '%Y-%m-%d %H:%M'}}"

    def when(self, at: datetime | None, otherwise: str = "", *, precise: bool = False, day: bool = False) -> Tag:
        """Show a time in the viewer's zone, with UTC on hover."""
        if at is None:
            return el("span", otherwise)
        utc = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return el("time", self.time(at, precise=precise, day=day), datetime=at.isoformat(), title=utc)

    # -------------------------------------------------------------------------------------------------------- messages

    def messages(self) -> None:
        """Build the place of messages."""
        self._toasts = el("div", "", "toasts", role="status", aria_live="polite", popover="manual")

    async def done(self, text: str, undo: Callable[[], Awaitable[object]] | None = None) -> None:
        """Show what has changed, and say what was done."""
        await self.reload()
        self.toast(text, undo)

    def toast(self, text: str, undo: Callable[[], Awaitable[object]] | None = None, *, wrong: bool = False) -> None:
        """Say for ten seconds what happened, and offer to undo it."""
        with self._toasts:
            made = el("div", "", "toast wrong" if wrong else "toast", role="alert" if wrong else None)
            with made:
                el("span", text)
                if undo is not None:
                    button("Undo", self.on(partial(self._undo, made, undo)), "flat")
                button("", lambda: _gone(made), "flat icon", picture="close", aria_label="Dismiss this message")
                ui.timer(10, lambda: _gone(made), once=True)
        self.run(f"engrain.raise({self._toasts.id})")

    async def _undo(self, made: Tag, undo: Callable[[], Awaitable[object]]) -> None:
        _gone(made)
        await undo()
        await self.done("Undone.")

    async def reload(self) -> None:
        """Show what has changed."""
        await self.has_changed()
        if self.refresh is not None:
            await self.refresh()

    async def has_changed(self) -> bool:
        """Say whether something is another than when this was asked last, by the audit trail or the newest memory."""
        before = self._mark
        if self.may("audit head"):
            self._mark = await self.call("audit head")
        else:
            newest = await self.call("list", status="all", order="-updated_at", limit=1)
            self._mark = [(each.id, each.updated_at) for each in newest]
        return before != self._mark

    def later(self, work: Callable[[], Awaitable[object]]) -> None:
        """Build a part that takes long when the page is there."""
        place = el("div", "", "stack", aria_busy="true")
        with place:
            loading = el("p", "Loading…", "muted")

        async def fill() -> None:
            with place:
                try:
                    await work()
                except Exception as error:  # the edge: the rest of the page stays
                    el("p", sentence(error), "problem")
            _gone(loading)
            place.set(aria_busy=None)

        with place:
            ui.timer(0.01, fill, once=True)

    def fail(self, error: Exception) -> None:
        """Say in a sentence what went wrong and what to do."""
        if isinstance(error, AccessDenied) and error.role is None:
            self.run("location.reload()")  # the key has gone, and the session with it
            return
        self.toast(sentence(error), wrong=True)

    def on(self, work: Callable[..., Awaitable[object]]) -> Handler:
        """Return a handler that does some work, and reports what goes wrong."""

        async def handle(*given: object) -> None:
            try:
                await work(*given)
            except Exception as error:  # the edge: somebody clicked
                self.fail(error)

        return handle


async def _stays() -> Message:
    """Wait: a viewer that leaves cancels nothing that was begun."""
    await anyio.sleep_forever()
    raise AssertionError


def _gone(made: Tag) -> None:
    if not made.is_deleted:
        made.delete()


def sentence(error: Exception) -> str:
    """Return an error as a sentence."""
    text = error_sentence(error, _LOG)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name.replace("%2F", "/")) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
