"""One open page: its viewer and view, the calls that it makes, and the elements that every page has."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import anyio
from fastapi import Request
from nicegui import ui
from starlette.requests import ClientDisconnect

from engrain.errors import AccessDenied, Conflict, MemoryRejected, NotFound, RecallCancelled
from engrain.guard import cancellable
from engrain.model.memory import CONSOLE, AuditEntry, Memory, Scope
from engrain.operations.schema import SCOPE, Operation, Shape
from engrain.operations.table import OPERATIONS
from engrain.server.callers import Caller, perform
from engrain.server.console.elements import Handler, Tag, button, choice, download, el, field, form, problem
from engrain.server.console.gate import CONTEXT, FORMS, SESSION, WORDS, Session
from engrain.server.context import ServerContext
from engrain.server.limits import cost_of
from engrain.server.wire import CONSOLE_PATH, error_sentence
from engrain.text import shorten, visible

_LOG = logging.getLogger("engrain.server")
_BY_NAME: Mapping[str, Operation] = {each.name: each for each in OPERATIONS}
CLEARED: Final = object()  # an argument of a call that is None, which would be left out
R = TypeVar("R")
Progress = Callable[[int, int, str], None]
Work = Callable[[], Awaitable[object]] | None
_FOR_GOOD = ("Delete", "Erase", "Revoke")
_written: ContextVar[Mapping[str, str] | None] = ContextVar("written", default=None)  # in the last dialog
_REACTION = 3.0  # seconds in which a click on a replaced element still counts
_LOCAL = CONSOLE + (os.environ.get("USER") or os.environ.get("USERNAME") or "local")
_PIECES = re.compile(r"(mem_\w+|\d{4}-\d\d-\d\dT[\d:.]+\+00:00)")
_RULE = re.compile(r"^(\w+) at \d \w+:")
_INPUT_ERRORS = (ValueError, NotFound, Conflict, MemoryRejected)
_TYPED = "erase"  # the word that confirms an erasure
_UNDO = 10.0  # seconds in which an act can be undone
_acts: dict[str, tuple[str, str, Work, float]] = {}  # by name: the key, the text, the undo action and its expiry


class Place:
    """A part of a page that is rebuilt: the old one is shown, and can be clicked, until the new one is complete."""

    def __init__(self, page: Page, build: Callable[[], Awaitable[None]]) -> None:
        self._page, self._build = page, build
        self._outer = el("div", "", "place", aria_live="polite")
        self._past = self._shown = el("div", "", "past")
        self._wanted = self._busy = False

    async def show(self) -> None:
        """Build it now, or once more after a build in progress."""
        self._wanted = True
        if self._busy:
            return
        self._busy = True
        try:
            while self._wanted:
                self._wanted = False
                await self._show()
        finally:
            self._busy = False

    async def _show(self) -> None:
        with self._outer:
            new, wrong = el("div", "", "stack coming"), None
        new.move(target_index=0)
        self._outer.set(aria_busy="true")
        try:
            with new:
                await self._build()
        except ValueError as error:  # an argument in the address: the error is shown instead of the content
            new.clear()
            with new:
                problem("Nothing is shown for this", sentence(wrong := error))
                self._page.further(None)
        except BaseException:
            new.delete()
            raise
        finally:
            self._outer.set(aria_busy=None)
        _gone(self._past)
        old, self._past, self._shown = self._shown, self._shown, new
        new.classes(remove="coming")
        old.classes("past")
        self._page.run(f"engrain.swap({old.id}, {new.id}, {as_arguments(wrong)})")
        asyncio.get_running_loop().call_later(_REACTION, _gone, old)


class Dialog:
    """A form over the page: its answer has the values of its fields, or None when it was closed."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._done: asyncio.Future[dict[str, str] | None] = asyncio.get_running_loop().create_future()
        with page.client.content:
            self.element: Final = el("dialog", "", "dialog", aria_label=title)
        self.element.on("close", lambda: self._end(None), [])
        with self.element:
            self.form: Final = form(self._end)
            with self.form:
                el("h2", title)

    def _end(self, values: dict[str, str] | None) -> None:
        if not self._done.done():
            self._done.set_result(values)

    async def answer(self, was: Mapping[str, str] | None = None) -> dict[str, str] | None:
        """Wait for the answer, and close; of the fields in `was` it has those that were changed."""
        error, written = self._page.refused or (None, {})
        self._page.refused = None
        self._page.run(f"engrain.open({self.element.id}, {json.dumps(written)}, {as_arguments(error)})")
        try:
            values = await self._done
            if values is not None and was is not None:
                values = {name: value for name, value in values.items() if value != was.get(name)}
            _written.set(values)
            return values
        finally:
            self._page.run(f"engrain.close({self.element.id})")
            self.element.delete()


class Page:
    """An open page of a viewer: its address, its calls of operations, its messages."""

    def __init__(self, request: Request) -> None:
        self.context: ServerContext = request.scope["state"][CONTEXT]
        self.session: Session = request.scope["state"][SESSION]
        self.path: Final = request.scope["path"].removeprefix(CONSOLE_PATH)
        self.query: dict[str, str] = {name: value for name, value in request.query_params.items() if value}
        self.cursor = self.query.get("cursor")  # the place in a list at which the page begins
        self.view: dict[str, str] = {name: self.query[name] for name in ("org", "user", "agent") if name in self.query}
        self.zone: Final = _zone(request.cookies.get("engrain_zone", ""))
        self.theme: Final = request.cookies.get("engrain_theme", "")
        self.caller: Caller
        self.scope: Scope  # of what it shows: the view within the scope of the key
        self.client: Final = ui.context.client
        self.refresh: Callable[[], Awaitable[None]] | None = None
        self.is_built = False
        self.sortable: Mapping[str, str | Handler] = {}  # heads by which the store sorts, and builders of others
        self.refused: tuple[Exception, Mapping[str, str]] | None = None
        self._toasts: Any = None
        self._complaint: Tag | None = None
        self._mark: object = None

    def who(self) -> Caller:
        """Return the viewer; without a key it is the local user."""
        caller = self.context.caller(self.session.headers)
        return caller if caller.key else replace(caller, name=_LOCAL)

    def may(self, name: str, guarded: str = "") -> bool:
        """Return whether the caller's role covers an operation, or a guarded argument of it."""
        operation = _BY_NAME[name]
        return self.caller.role.covers(operation.guarded.get(guarded, operation.role))

    async def call(self, name: str, /, *, more: Mapping[str, object] | None = None, **given: Any) -> Any:
        """Call an operation in a worker thread, with the rights of this page's key; arguments of None are left out."""
        operation = _BY_NAME[name]
        own = {parameter.name: parameter.shape for parameter in operation.parameters}
        values = {each: value for each, value in given.items() if value is not None and each in own}
        values = {each: None if value is CLEARED else value for each, value in values.items()}
        values |= {each: self.moment(each, value) for each, value in values.items() if own[each] is Shape.TIME}
        asked = {each: str(value) for each, value in given.items() if each in SCOPE and each not in own and value}
        writes = operation.effect != "read"

        def work() -> object:
            self.context.check_file()
            caller = self.who()
            self.context.count(caller, writes)
            return perform(self.context.memory, caller, operation, values, {**self.view, **asked}, **(more or {}))

        cost = cost_of({"k": 10, **values}, scoped=bool(self.view))
        shown = self.is_built and name != "audit head"  # by which a page looks for changes all the time
        if shown:
            self.run("engrain.busy(1)")
        try:
            stays: Any = anyio.sleep_forever  # a viewer that leaves cancels nothing that was begun
            return await self.context.admitted(work, stays, key=self.session.key, cost=cost, writes=writes)
        finally:
            if shown:
                self.run("engrain.busy(-1)")

    def moment(self, name: str, value: Any) -> Any:
        """Return a time that names no zone in the viewer's; a day is one of UTC, but in filters."""
        try:
            at = datetime.fromisoformat(value.strip())
        except (ValueError, AttributeError):
            return value
        is_day = len(value.strip()) <= 10
        if at.tzinfo is not None or (is_day and name not in ("since", "until")):
            return value
        here = at.replace(tzinfo=self.zone)
        return (min(here, at.replace(tzinfo=UTC)) if is_day and name == "since" else here).isoformat()

    def saving(self, what: str, name: str, file: str) -> Handler:
        """Return a handler that lets the browser save the file that an operation writes."""

        async def save() -> None:
            with tempfile.TemporaryDirectory(prefix="engrain-") as folder:
                path = Path(folder, file)
                if await self.long(what, lambda _: self.call(name, path=path)) is not None:
                    download(await self.context.in_thread(path.read_bytes), file)

        return self.on(save)

    def url(self, path: str | None = None, **more: object) -> str:
        """Return the address of a page in the same scope; without a path that of this one, with other arguments."""
        here = dict(self.query) if path is None else dict(self.view)
        query = _given({**here, **more})
        return CONSOLE_PATH + (self.path if path is None else path) + (f"?{urlencode(query)}" if query else "")

    def put(self, state: Mapping[str, object], *, push: bool = False) -> None:
        """Write the state of the page into the address, as a new entry of the browser's history with `push`."""
        self.query = _given({**self.query, **state})
        self.cursor = self.query.get("cursor")
        self.run(f"engrain.put({json.dumps(self.url())}, {'true' if push else 'false'})")

    def go(self, path: str, **more: object) -> None:
        """Open another page."""
        self.run(f"location.href = {json.dumps(self.url(path, **more))}")

    def run(self, code: str) -> None:
        """Run code in the browser, which has no text of a memory."""
        self.client.run_javascript(code)  # type: ignore[unused-awaitable]  # not waited for

    async def shows(self, build: Callable[[], Awaitable[None]]) -> None:
        """Build the part of the page that is rebuilt after every change."""
        self.refresh = Place(self, build).show
        await self.show()

    async def show(self) -> None:
        """Show the content for the address."""
        if self.refresh is not None:
            await self.refresh()

    @contextmanager
    def asking(self, verb: str, names: Iterable[str] = (), classes: str = "row wrap") -> Iterator[Tag]:
        """Build a form whose fields are the state in the address; `names` may be absent when it is sent."""

        async def asked(values: Mapping[str, str]) -> None:
            state = {**dict.fromkeys(names, ""), **values, "cursor": ""}
            _gone(self._complaint)
            self.put({name: value.strip() for name, value in state.items()}, push=True)
            await self.show()

        with form(self.on(asked), classes, role="search") as made:
            yield made
            el("button", verb, "button primary", type="submit")

    def further(self, after: str | None, name: str = "cursor") -> None:
        """Show the way to the first page and to the next one, which begins `after`, as far as there are such pages."""
        if name in self.query or after:
            with el("nav", "", "row", aria_label="More pages"):
                for label, cursor in (("First page", "" if name in self.query else None), ("Next page", after)):
                    if cursor is not None:
                        link = self.link(label, self.path, "button", **{**self.query, name: cursor})
                        link.on("click.exact.prevent", self.on(partial(self._turn, {name: cursor})), [])

    async def _turn(self, state: Mapping[str, object]) -> None:
        self.put(state, push=True)
        await self.show()
        self.run("scrollTo(0, 0)")

    def link(self, text: str, path: str, classes: str = "", **more: object) -> Tag:
        """Return a link to a page in the same scope."""
        return el("a", text, classes, href=self.url(path, **more))

    def to_memory(self, memory: Memory) -> Tag:
        """Return a link to the page of a memory that shows its first words."""
        return self.link(shorten(memory.content.lstrip("-•* "), 90), "/memory", id=memory.id)

    def time(self, at: datetime | None, *, precise: bool = False, day: bool = False) -> str:
        """Return a time in the viewer's zone, to the minute, the second or the day; a day where it is one of UTC."""
        if at is None:
            return ""
        if not precise and at.astimezone(UTC).time() == datetime.min.time():
            return f"{at.astimezone(UTC):%Y-%m-%d}"
        shape = "%Y-%m-%d" if day else "%Y-%m-%d %H:%M:%S" if precise else "%Y-%m-%d %H:%M"
        return f"{at.astimezone(self.zone):{shape}}"

    def when(self, at: datetime | None, *, precise: bool = False, day: bool = False) -> Tag:
        """Show a time in the viewer's zone, with UTC on hover."""
        if at is None:
            return el("span")
        utc = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return el("time", self.time(at, precise=precise, day=day), datetime=at.isoformat(), title=utc)

    def cell(self, value: object) -> None:
        """Show a value in its place: a time, a memory, a number, a text, or the elements that a function builds."""
        if isinstance(value, datetime):
            self.when(value)
        elif isinstance(value, Memory):
            self.to_memory(value)
        elif callable(value):
            value()
        else:
            form = ".2f" if isinstance(value, float) else "," if isinstance(value, int) else ""
            el("span", f"{value:{form}}")

    def pairs(self, rows: Mapping[str, object]) -> None:
        """Show names and values, but for those that are empty."""
        with el("dl", "", "pairs"):
            for name, value in rows.items():
                if value not in (None, ""):
                    el("dt", name)
                    with el("dd"):
                        self.cell(value)

    def table(self, label: str, heads: Sequence[str], rows: Iterable[Iterable[object]], classes: str = "") -> None:
        """Show a table; numbers are to the right, as their heads are where the first row has one."""
        rows = [tuple(row) for row in rows]
        looks = ["number" if isinstance(value, int | float) else "" for value in next(iter(rows), ("",) * len(heads))]
        with el("div", "", "scroll", tabindex="0", role="region", aria_label=label), el("table", "", classes):
            with el("thead"), el("tr"):
                for head, look in zip(heads, looks, strict=True):
                    if callable(build := self.sortable.get(head, "")):
                        with el("th", "", look, scope="col", data_head=head):
                            build()
                    elif build:
                        self._sorting(head, build, look)
                    else:
                        el("th", head, look, scope="col", data_head=head)
            with el("tbody"):
                for row in rows:
                    with el("tr", "", "item"):
                        for head, look, value in zip(heads, looks, row, strict=True):
                            with el("td", "", look, data_head=head):
                                if value not in (None, ""):
                                    self.cell(value)

    def _sorting(self, head: str, order: str, look: str) -> None:
        """Show the head of a column that sorts by it: the largest first, and where that is so the smallest."""
        down, now = f"-{order}", self.query.get("order")
        sign, aria = {down: (" ↓", "descending"), order: (" ↑", "ascending")}.get(now or "", ("", None))
        with el("th", "", look, scope="col", aria_sort=aria, data_head=head):
            then = {**self.query, "order": order if now == down else down, "cursor": ""}
            self.link(head + sign, self.path, "plain-link", **then)

    def audit(self, entries: Iterable[AuditEntry], label: str) -> None:
        """Show entries of the audit trail."""
        rows, heads = [], ["entry", "at", "what was done", "by", "memory", "reason"]
        heads += [] if self.scope.user else ["chain of"]  # each of which counts its entries anew
        for each in entries:
            what, why = (text and partial(self.reason, text) for text in (each.memory_id, each.reason))
            row = (each.seq, each.at, each.operation, each.actor, what, why, each.user or "everybody")
            rows.append(row[: len(heads)])
        self.table(label, heads, rows, "audit")

    def reason(self, text: str) -> None:
        """Show a reason: times in the viewer's zone, memories as links, and without the number of a rule."""
        text = WORDS["reasons"].get(text, text)
        for place, piece in enumerate(_PIECES.split(_RULE.sub(r"\1:", text))):
            if piece.startswith("mem_"):
                self.link(f"…{piece[-8:]}", "/memory", id=piece)
                continue
            try:
                self.when(datetime.fromisoformat(piece if place % 2 else ""))
            except ValueError:
                el("span", piece)

    @contextmanager
    def dialog(self, title: str, verb: str = "") -> Iterator[Dialog]:
        """Build a form over the page, with a verb for its action; the inner elements come before its buttons."""
        made, close = Dialog(self, title), "event.currentTarget.closest('dialog').close()"
        with made.form:
            yield made
            with el("div", "", "actions end"):
                button("Cancel" if verb else "Done", close, "" if verb else "primary")
                if verb:
                    el("button", verb, f"button {'danger' if verb in _FOR_GOOD else 'primary'}", type="submit")

    def fields(self, name: str, values: Mapping[str, str]) -> None:
        """Build the fields of a form, with their values."""
        for each, how in FORMS[name].items():
            if self.may(how.get("may", "get")) and not (how.get("of_all") and self.scope.user):
                props, label = {**how}, how["label"].format_map(values)
                options, value = WORDS.get(props.pop("options", "")), values.get(each, "")
                if options is None:
                    field(label, each, value, **{key: props[key] for key in props.keys() - {"label", "may", "of_all"}})
                else:
                    choice(label, each, options, value)

    async def ask(self, title: str, *lines: str, verb: str, **forms: Mapping[str, str]) -> dict[str, str] | None:
        """Ask before something is done, by forms with their values, and return the fields, or None."""
        with self.dialog(title, verb) as made:
            for line in lines:
                el("p", line)
            for each, values in forms.items():
                self.fields(each, values)
        answer = await made.answer()
        return None if answer is None or answer.get("typed", _TYPED).strip().lower() != _TYPED else answer

    def messages(self) -> None:
        """Build the place of messages, and go on with that of the page before."""
        self._toasts = el("div", "", "toasts", role="status", aria_live="polite", popover="manual")
        ui.on("act", lambda event: self.toast("", name=str(event.args)) if event.args in _acts else None)

    async def done(self, text: str, undo: Work = None, *ids: str) -> None:
        """Show a change and a message about it; it can be undone unless a memory of `ids` is changed meanwhile."""
        marks = {each: await self._changed(each) for each in ids} if undo else {}
        await self.reload()
        name = secrets.token_urlsafe(16)
        if undo is not None:
            _acts[name] = self.session.key, text, partial(self._undo, undo, marks), monotonic() + _UNDO
            asyncio.get_running_loop().call_later(_UNDO, _acts.pop, name, None)
        self.toast(text, name=name)

    async def _changed(self, memory_id: str) -> object:
        versions = [each for each in await self.call("history", memory_id=memory_id) if each.id == memory_id]
        return versions and (versions[-1].version, versions[-1].updated_at)

    def doing(
        self, text: str, name: str, undo: str = "", /, *, ask: Sequence[str] = (), verb: str = "", **given: Any
    ) -> Handler:
        """Return a handler that calls an operation, by `ask` after a question; the operation `undo` undoes it."""
        back = partial(self.call, undo, reason="undone", **given) if undo and self.may(undo) else None

        async def act() -> None:
            if not ask or await self.ask(*ask, verb=verb) is not None:
                found, one = await self.call(name, **given), given.get("memory_id", "")  # or a new version of it
                await self.done(text, back if back and found.id == one else None, one)

        return self.on(act)

    def toast(self, text: str, *, wrong: bool = False, name: str = "") -> None:
        """Show a message for ten seconds, with a button to undo it if it is an act of this name and this key."""
        key, text, undo, until = _acts.get(name, (self.session.key, text, None, monotonic() + _UNDO))
        if key != self.session.key:
            return

        def dismiss() -> None:
            _acts.pop(name, None)
            _gone(made)

        async def back(undo: Callable[[], Awaitable[object]]) -> None:
            dismiss()
            await undo()
            await self.done("Undone.")

        _gone(self._complaint)
        with self._toasts:
            made = el("div", "", "toast wrong" if wrong else "toast", role="alert" if wrong else None)
            with made:
                el("span", text)
                if undo is not None:
                    button("Undo", self.on(partial(back, undo)), "flat", data_undo="")
                button("", dismiss, "flat icon", picture="close", aria_label="Dismiss this message")
                ui.timer(until - monotonic(), lambda: _gone(made), once=True)
        made.move(target_index=0)
        self._complaint = made if wrong else None
        self.run(f"engrain.raise({self._toasts.id}, {made.id}, {json.dumps(name if undo else '')})")

    async def _undo(self, undo: Callable[[], Awaitable[object]], marks: Mapping[str, object]) -> None:
        """Undo the last act if the memories in `marks` are unchanged."""
        if any([await self._changed(each) != mark for each, mark in marks.items()]):
            raise ValueError("this was changed again since, so nothing was undone: look at what it is now")
        await undo()

    async def long(self, what: str, work: Callable[[Progress], Awaitable[R]], place: Tag | None = None) -> R | None:
        """Run a long task with a progress bar, in place or over the page, and return its result, None if cancelled."""
        stop, share = threading.Event(), dict[str, float]()

        def cancel() -> None:
            stop.set()
            text.show("Stopping…")

        with place or self._toasts, el("div", "", "toast working") as made:
            text = el("span", f"{what}…")
            bar = el("progress", max=1, aria_label=what)
            button("Cancel", cancel, "flat")
            ui.timer(0.3, lambda: bar.set(value=share.get("of")))
        self.run(f"engrain.raise({self._toasts.id}, {made.id})")
        found = None
        try:
            with cancellable(stop.is_set, writes=True):
                found = await work(lambda done, total, _: share.update(of=round(done / max(total, 1), 2)))
        except (ClientDisconnect, RecallCancelled):
            if not stop.is_set():
                raise
        finally:
            _gone(made)
        if stop.is_set():
            self.toast("Cancelled. What was done so far is kept.")
        return None if stop.is_set() else found

    async def reload(self) -> None:
        """Show the changes of the view."""
        await self.has_changed()
        await self.show()

    async def has_changed(self) -> bool:
        """Return whether the view has changed since the last check, by the audit trail or the newest memory."""
        before = self._mark
        if self.may("audit head"):
            self._mark = await self.call("audit head")
        else:
            newest = await self.call("list", status="all", order="-updated_at", limit=1)
            self._mark = [(each.id, each.updated_at) for each in newest]
        return before != self._mark

    def outcome(self, work: Callable[..., Awaitable[object]]) -> Handler:
        """Return a handler that shows its elements after everything else of the present part."""
        place = el("div", "", "stack", role="status")

        async def handle(*given: object) -> None:
            _gone(self._complaint)
            place.clear()
            place.move()
            with place:
                await work(*given)

        return self.on(handle)

    async def later(self, work: Callable[[], Awaitable[object]]) -> None:
        """Build a slow part: after the page is shown, or immediately if it is shown already."""
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

        if self.is_built:
            await fill()
        else:
            with place:
                ui.timer(0.01, fill, once=True)

    def on(self, work: Callable[..., Awaitable[object]]) -> Handler:
        """Return a handler that runs a function, and shows errors as a sentence with a remedy."""

        async def handle(*given: object) -> None:
            _written.set(None)
            try:
                await work(*given)
            except Exception as error:  # the edge: a click fails, the page stays, and written fields are kept
                if self.client.is_deleted and isinstance(error, RuntimeError):
                    return  # nothing can be shown: the viewer has left the page
                if isinstance(error, AccessDenied) and error.role is None:
                    self.run("location.reload()")  # the key is gone, and the session with it
                elif (written := _written.get()) and isinstance(error, _INPUT_ERRORS):
                    self.refused = error, written
                    await handle(*given)
                    self.refused = None
                else:
                    self.toast(sentence(error), wrong=True)

        return handle


def _given(query: Mapping[str, object]) -> dict[str, str]:
    """Return the arguments of an address as texts, without those that say nothing."""
    return {name: str(value).strip() for name, value in query.items() if value not in (None, "", False)}


def _gone(made: Tag | None) -> None:
    if made is not None and not made.is_deleted:
        made.delete()


def sentence(error: Exception) -> str:
    """Return an error as a sentence."""
    text = error_sentence(error, _LOG)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def as_arguments(error: Exception | None) -> str:
    """Return an error as two arguments of the browser's code: its sentence, and the console's own words or ""."""
    text = visible(sentence(error)) if error else ""
    own = next((words for part, words in WORDS["wrong"].items() if part in text.lower()), "")
    return f"{json.dumps(text)}, {json.dumps(own)}"


def _zone(name: str) -> tzinfo:
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(name.replace("%2F", "/"))
    return UTC
