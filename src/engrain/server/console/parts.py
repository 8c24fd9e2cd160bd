"""Elements shared by several pages: a memory as a line or a card, signals of a hit, points in time, a life."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Generic, TypeVar

from engrain.language.calendar import parse_when
from engrain.model.audit import Key
from engrain.model.memory import Memory, Scope
from engrain.model.results import Hit, Signal
from engrain.server.console.elements import button, el, empty, meter, pre, shortened, tick
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.text import shorten

_LONG_TEXT, _LINES, _PART, _WHOLE = 900, 12, 1_200, 20_000  # from which on a whole text is cut, and most characters

T = TypeVar("T")
Act = Callable[[Page, list[T]], Awaitable[None]]
GONE = ("archived", "expired", "forgotten")  # the states out of which a memory can be brought back
_SIGNALS = ("words", "meaning", "time", "graph")
_STEPS = 1000
_COLUMNS, _LEAST = 400, 8  # of a picture over time, after its labels, and the minimum of a short time
_DRAWN, _TALL = 40, 8  # versions, the newest, and the most rows that are tall


def question_field(page: Page) -> None:
    """Build the field of a question, with the one in the address."""
    question = page.query.get("q", "")
    words = {"placeholder": "Ask your memory…", "aria_label": "Question", "enterkeyhint": "search"}
    made = el("input", type="search", name="q", required=True, autofocus=not question, **words)
    made._props["^value"] = question


async def is_empty(page: Page) -> bool:
    """Return whether the view is empty, after showing where to add something."""
    if await page.call("list", status="all", limit=1):
        return False
    empty("This memory is empty.", "Add a first memory, or import a chat or a document, in Memories.")
    page.link("Go to Memories", "/memories", "button primary")
    return True


def status_of(memory: Memory) -> str:
    """Return the present status of a memory in a word."""
    return "contested" if memory.is_contested else memory.status


def owner(scope: Scope | Key) -> dict[str, str]:
    """Return the arguments of the address that lead into a scope, without its session."""
    named = {"org": scope.org, "user": scope.user, "agent": scope.agent}
    return {name: value for name, value in named.items() if value and (name, value) != ("org", "default")}


def described(scope: Scope | Key) -> str:
    """Return the owner of a scope in a few words."""
    return " · ".join(f"{name} {value}" for name, value in owner(scope).items()) or "everybody"


def badges(memory: Memory) -> None:
    """Show the kind of a memory, and its special properties."""
    el("span", memory.kind.value, "badge")
    if (status := status_of(memory)) != "active":
        el("span", status, f"badge {status}")
    if memory.pinned:
        el("span", "pinned", "badge pinned")
    el("span", f"from {WORDS['origin'][memory.source.type.value]}")


def facts_line(page: Page, memory: Memory) -> None:
    """Show the author of a memory, its source, and since when it is valid."""
    with el("p", "", "meta"):
        badges(memory)
        if memory.actor:
            el("span", f"by {memory.actor}")
        if memory.scope.session:
            el("span", f"in {memory.scope.session}")
        with el("span"):
            el("span", "true since ")
            page.when(memory.valid_from)
            if memory.valid_until is not None:
                el("span", " until ")
                page.when(memory.valid_until)


def memory_card(page: Page, memory: Memory, *, mark: Iterable[str] = ()) -> None:
    """Show a memory as one reads it."""
    with el("div", "", "memory"):
        text(memory.content, mark=mark)
        facts_line(page, memory)
        page.link("Open this memory", "/memory", id=memory.id)


class Ticks(Generic[T]):
    """The selected items of a list, and the bar with actions on all of them; `{}` in a label is their number."""

    def __init__(self, page: Page, label: str, acts: Mapping[str, tuple[Act[T], str]], *, hint: str = "") -> None:
        self._page, self._hint = page, hint
        self.acts: Mapping[str, tuple[Act[T], str]] = acts
        self._bar = el("div", "", "stack", role="group", aria_label=label)
        self._here: Mapping[str, T] = {}
        self.chosen: dict[str, T] = {}

    def show(self, here: Mapping[str, T], elsewhere: Mapping[str, T]) -> None:
        """Show the bar for a page of the list; `elsewhere` are the selected items of other pages."""
        self._here = here
        self.chosen = {key: value for key, value in {**elsewhere, **here}.items() if key in self.chosen}
        self._show()

    def _show(self) -> None:
        self._bar.clear()
        if not self.chosen and not (self._hint and len(self._here) > 1):
            return
        away = len(self.chosen.keys() - self._here.keys())
        words = f"{len(self.chosen)} ticked{f', {away} of them on other pages' if away else ''}"
        with self._bar, el("div", "", "row wrap bar-of-many"):
            el("strong" if self.chosen else "span", words if self.chosen else self._hint)
            for label, (work, look) in self.acts.items():
                act = self._page.on(partial(work, self._page, list(self.chosen.values())))
                button(label.format(len(self.chosen)), act, f"small {look}", disabled=not self.chosen)

    def box(self, label: str, key: str) -> None:
        """Show the box of one of them."""
        tick(label, partial(self._tick, (key,)), checked=key in self.chosen)

    def all_boxes(self) -> None:
        """Show the box of all that are on this page."""

        async def changed(is_ticked: bool) -> None:
            self._tick(self._here, is_ticked)
            await self._page.show()

        tick("Tick all on this page", self._page.on(changed), checked=self._here.keys() <= self.chosen.keys())

    def _tick(self, keys: Iterable[str], is_ticked: bool) -> None:
        for key in keys:
            self.chosen.update({key: self._here[key]}) if is_ticked else self.chosen.pop(key, None)
        self._show()


def text(content: str, classes: str = "", *, mark: Iterable[str] = (), whole: bool = False) -> None:
    """Show a text from its relevant part on, with `mark` highlighted; a `whole` one is cut by the browser only."""
    most = _WHOLE if whole else _PART
    marked = re.compile(f"({'|'.join(map(re.escape, mark)) or '(?!)'})")
    first = marked.search(content)
    begin = max(first.start() - most // 4, 0) if first is not None and first.end() > most else 0
    shown = ("… " if begin else "") + shortened(content[begin:], most)
    is_cut = whole and (len(shown) > _LONG_TEXT or shown.count("\n") > _LINES)
    with el("p", "", f"content {classes}{' cut' if is_cut else ''}"):
        for piece in filter(None, marked.split(shown)):
            el("mark" if marked.fullmatch(piece) else "span", piece)
    if is_cut:
        button("Show all", "engrain.all(event.currentTarget)", "small", aria_expanded="false")


def _parts(hit: Hit) -> Sequence[Signal]:
    """Return the parts of a hit's score, or what a policy or a reranker made it of."""
    found = [signal for signal in hit.signals if signal.name.startswith("+ ")]
    others = [signal for signal in hit.signals if not signal.name.startswith("x ")]
    return found if any(signal.name != "+ rival" for signal in found) else others


def hit_cards(page: Page, hits: Sequence[Hit]) -> None:
    """Show hits, and the parts of their scores: bars are relative to the largest part of all."""
    most = max((part.value for hit in hits for part in _parts(hit)), default=0.0) or 1.0
    with el("ol", "", "hits"):
        for hit in hits:
            with el("li", "", "item hit"):
                with el("div", "", "grow"):
                    with el("p", "", "content"):
                        page.link(shortened(hit.content), "/memory", "plain-link", id=hit.id)
                    facts_line(page, hit.memory)
                    if hit.contested:
                        with el("p", "", "notice"):
                            el("span", "Contradicted, with no verdict yet: ")
                            page.link("see both in Review", "/review")
                with el("div", "", "score", role="group", aria_label=f"Score {hit.score:.2f}"):
                    with el("p", "", "total"):
                        el("strong", f"{hit.score:.2f}")
                        el("span", f" score · {hit.relevance:.0%} relevant")
                    for part in _parts(hit):
                        name = part.name.removeprefix("+ ")
                        look, title = name if name in _SIGNALS else "other", WORDS["parts"].get(name)
                        meter(name, part.value / most, f"{part.value:.2f}", look, title=title)
                    if boosts := [signal for signal in hit.signals if signal.name.startswith("x ")]:
                        with el("p", "", "boosts"):
                            for signal in boosts:
                                title = WORDS["factors"].get(signal.name[2:])
                                el("span", f"{signal.name[2:]} ×{signal.value:.2f}", "badge boost", title=title)


class TimeSlider:
    """A slider over the time `within`, known to the address by its name; at its end it chooses no time."""

    def __init__(self, page: Page, name: str, label: str, *, hint: str, within: tuple[datetime, datetime]) -> None:
        self._page, self._name = page, name
        self._first, self._span = within[0], max(within[1] - within[0], timedelta(milliseconds=1))
        self.value: str = page.moment(name, page.query.get(name, ""))
        at = self.place()
        with el("div", "", "slider"):
            caption = el("label", label)
            self._shown = el("output", self.words())
            bounds = {"min": page.time(within[0], day=True), "max": "9999-12-31"}
            self._day = el("input", type="date", aria_label=f"{label}: day", **bounds)
            self._input = el("input", type="range", min=0, max=_STEPS, step=1, aria_valuetext=self.words())
            self._input._props["^value"], self._day._props["^value"] = str(at), self._time(day=True)
            caption.set(for_=f"c{self._input.id}")
            self._shown.set(for_=f"c{self._input.id}")
            el("small", hint)
        sent = "(e) => emit(e.target.value)"
        self._input.on("input", lambda event: page.on(self._change)(int(event.args)), throttle=0.1, js_handler=sent)
        whole = "(e) => e.target.value && e.target.value < '1000' || emit(e.target.value)"  # not while a year is typed
        self._day.on("change", lambda event: page.on(self._on_day)(event.args), js_handler=whole)

    def place(self) -> int:
        """Return where on the slider the moment is; one before all of its time has a negative place."""
        try:
            return round((parse_when(self.value, name=self._name) - self._first) / self._span * (_STEPS - 1))
        except ValueError:
            self.value = ""
            return _STEPS

    def words(self) -> str:
        """Return the moment that it chooses, as text."""
        return self._time(precise=self._span < timedelta(days=3)) or "now"

    def _time(self, **how: bool) -> str:
        return self._page.time(parse_when(self.value, name=self._name), **how) if self.value else ""

    async def _change(self, place: int) -> None:
        at = self._first + self._span * place / (_STEPS - 1)
        self._choose("" if place >= _STEPS else at.isoformat(timespec="microseconds"))
        await self._page.show()

    async def _on_day(self, day: str) -> None:
        at = datetime.combine(date.fromisoformat(day), time.max, self._page.zone) if day else None
        self._choose(at.isoformat() if at else "")
        self._page.run(f"engrain.value({self._input.id}, {self.place()})")
        await self._page.show()

    def _choose(self, value: str) -> None:
        self.value = value
        self._shown.show(self.words())
        self._input.set(aria_valuetext=self.words())
        self._page.put({self._name: value})
        self._page.run(f"engrain.value({self._day.id}, '{self._time(day=True)}')")


async def extent(page: Page, order: str) -> tuple[datetime, datetime]:
    """Return the first moment of all memories in view, by `valid_from` or `recorded_at`, and now."""
    now = datetime.now(UTC)
    first = await page.call("list", status="all", order=order, limit=1)
    return min([now, *(getattr(each, order) for each in first)]), now


def beliefs(versions: Sequence[Memory]) -> list[tuple[Memory, datetime, datetime | None]]:
    """Return since and until when each version was believed: an edited text gave way when the next was written."""
    boxes = []
    for place, each in enumerate(versions):
        later = next((other for other in versions[place + 1 :] if other.id == each.id), None)
        is_first = all(other.id != each.id for other in versions[:place])
        until = each.believed_until if later is None else later.updated_at
        boxes.append((each, each.recorded_at if is_first else each.updated_at, until))
    return boxes


def stretch(memory: Memory, first: datetime, span: timedelta) -> tuple[int, int]:
    """Return the columns from and to which a memory is true in a picture over time."""
    begin = min(int((memory.valid_from - first) / span * _COLUMNS), _COLUMNS - _LEAST)
    end = _COLUMNS if memory.valid_until is None else int((memory.valid_until - first) / span * _COLUMNS)
    return begin + 2, min(max(end, begin + _LEAST), _COLUMNS) + 2


def life(page: Page, versions: Sequence[Memory], this: str) -> None:
    """Draw versions of a memory: across when each was true, upwards when each was recorded and believed."""
    now, boxes = datetime.now(UTC), beliefs(versions)[-_DRAWN:]
    moments = [now, *(at for each, _, _ in boxes for at in (each.valid_from, each.valid_until) if at is not None)]
    span = max((max(moments) - min(moments)) * 1.12, timedelta(days=10))
    first = min(moments) - span * 0.04
    rows = sorted({at for _, *both in boxes for at in both if at is not None}, reverse=True)
    times = [page.time(at, precise=True) for at in rows]
    label = f"{len(versions)} versions: across when each was true, upwards when each was recorded"
    with el("div", "", "life many" if len(rows) > _TALL else "life", role="img", aria_label=label):
        for row, at in enumerate(rows):
            part = f".{at.microsecond // 1000:03}" if times.count(times[row]) > 1 else ""
            el("small", times[row] + part).style(f"grid-area: {row + 1} / 1")
        for each, since, until in sorted(boxes, key=lambda box: box[1]):  # one that is contested leaves both in sight
            state = "this" if each.id == this and until is None else status_of(each)
            begin, end = stretch(each, first, span)
            upper, is_short = 1 if until is None else rows.index(until) + 2, end - begin <= _LEAST
            box = el("span", shorten(each.content, 200), f"version {state}{' short' if is_short else ''}")
            box.style(f"grid-area: {upper} / {begin} / {rows.index(since) + 2} / {end}")
        today = int((now - first) / span * _COLUMNS) + 2
        el("span", "today", "now").style(f"grid-area: 1 / 2 / {len(rows) + 2} / {today}")
        with el("span", "", "axis-of-time").style(f"grid-area: {len(rows) + 2} / 2 / auto / -1"):
            for end_of in (first, first + span):
                page.when(end_of, day=True)


def lines(series: Mapping[str, Sequence[tuple[float, float]]], ends: tuple[str, str], label: str, most: str) -> None:
    """Draw values over time as lines, by name: from 0 to the largest, which is written as `most`."""
    points = [point for each in series.values() for point in each]
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    wide, tall = (last - first) or 1.0, max(y for _, y in points) or 1.0
    with el("div", "", "plot"):
        if len(series) > 1:
            with el("p", "", "chips"):
                for name, each in series.items():
                    el("span", f"{name} {each[-1][1]:,g}" if tall > 1 else name, f"badge line-of {name}")
        el("small", most)
        with el("svg", "", "lines", viewBox="0 0 100 100", preserveAspectRatio="none", role="img", aria_label=label):
            for name, each in series.items():
                way = " ".join(f"{(x - first) / wide * 100:.2f},{100 - y / tall * 98:.2f}" for x, y in each)
                el("polyline", "", f"line {name}", points=way)
        with el("p", "", "axis-of-time"):
            for end in ends:
                el("span", end)


def copyable(title: str, code: str) -> None:
    """Show code with a button that copies it."""
    with el("div", "", "code"), el("div", "", "row"):
        el("strong", title)
        el("span", "", "grow")
        place = pre(code, title)
        button("Copy", f"engrain.copy({place.id})", "small", aria_label=f"Copy {title}")
