"""The elements of every page: fields, forms, tables, and texts in their displayed form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from engrain.documents import plain
from engrain.text import visible

LONG = 600  # characters of a text that a list shows; the memory's own page has the rest

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


def button(text: str, on: Handler | str, classes: str = "", *, picture: str = "", **props: object) -> Tag:
    """Return a button; its handler takes no arguments, or is code that the browser runs."""
    made = el("button", "", f"button {classes}", type="button", **props)
    with made:
        if picture:
            el("i", picture, "material-icons", aria_hidden="true")
        if text:
            el("span", text)
    here: dict[str, Any] = {"js_handler": f"(event) => {on}"} if isinstance(on, str) else {}
    made.on("click", None if isinstance(on, str) else on, [], **here)
    return made


def field(label: str, name: str, value: str = "", *, kind: str = "text", hint: str = "", **props: object) -> Tag:
    """Return an input of a form with its label, `kind` being its type or `textarea`."""
    area = kind == "textarea"
    with _labelled(label, hint), el("textarea" if area else "input", "", name=name, **props) as made:
        if area:
            made.set_text(value)  # as its content, which a refresh of the page leaves alone
        else:
            made._props["^value"] = value
            made.set(type=kind)
    return made


def suggested(names: Iterable[str]) -> None:
    """Build the list of names, called `known`, that a field may suggest."""
    with el("datalist", id="known"):
        for name in names:
            el("option", value=name)


@contextmanager
def _labelled(label: str, hint: str = "") -> Iterator[None]:
    """Build a field of a form; its control is the second thing in it."""
    with el("div", "", "field") as made:
        caption = el("label", label)
        yield
        caption.set(for_=f"c{made.default_slot.children[1].id}")
        if hint:
            el("small", hint)


def tick(label: str, changed: Callable[[bool], object], *, checked: bool) -> None:
    """Show a check box, with callbacks for both changes."""
    made = el("input", type="checkbox", aria_label=label)
    made._props["^checked"] = "" if checked else None
    made.on("change", lambda event: changed(event.args), js_handler="(e) => emit(e.target.checked)")


def choice(label: str, name: str, options: Mapping[str, str], value: str = "") -> Tag:
    """Return a select field of a form, with its label: values and their texts."""
    with _labelled(label), el("select", "", name=name) as made:
        for each, text in options.items():
            el("option", text, value=each, selected=each == value)
    return made


def form(on: Callable[[dict[str, str]], Any], classes: str = "", **props: object) -> Tag:
    """Return a form; its handler takes the values of all fields by their names."""
    made = el("form", "", classes, autocomplete="off", **props)
    values = "(e) => emit(Object.fromEntries(new FormData(e.target)))"
    made.on("submit.prevent", lambda event: on(event.args), js_handler=values)
    return made


def section(title: str, classes: str = "") -> Tag:
    """Return a section with a heading."""
    made = el("section", "", f"card {classes}")
    with made:
        el("h2", title)
    return made


def details(title: str, *, opened: bool = False, classes: str = "") -> Tag:
    """Return a part that opens by its title."""
    made = el("details", "", classes)
    made._props["^open"] = "" if opened else None
    with made:
        el("summary", title)
    return made


def empty(text: str, hint: str, classes: str = "empty", **props: object) -> None:
    """Show that there is nothing here, and the next step."""
    with el("div", "", classes, **props):
        el("p", text, "strong")
        el("p", hint)


problem: Callable[..., None] = partial(empty, classes="problem", role="alert")  # instead of a page or a part of one


def meter(name: str, share: float, value: str, kind: str = "other", *, title: str | None = None) -> None:
    """Show a share from 0 to 1 as a bar between its name and its value; one that is not 0 can be seen."""
    with el("div", "", "bar", title=title):
        el("span", name, "name")
        with el("span", "", "track", aria_hidden="true"):
            el("span", "", f"fill {kind}").style(f"width: {max(min(share, 1.0), 0.02 if share > 0 else 0.0):.0%}")
        el("span", value, "value")


def listed(text: str) -> list[str]:
    """Return the parts of a text between its commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


def shortened(text: str, most: int = LONG) -> str:
    """Return the beginning of a text, and how much more there is."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"


def download(data: object, name: str) -> None:
    """Make the browser save a file: bytes as they are, anything else as JSON."""
    ui.download(data if isinstance(data, bytes) else _as_json(data).encode(), name)


def pre(data: object, label: str) -> Tag:
    """Show code or a value as it is written."""
    text = data if isinstance(data, str) else f"{len(data):,} bytes" if isinstance(data, bytes) else _as_json(data)
    return el("pre", shortened(text, 20_000), tabindex="0", role="region", aria_label=label)


def _as_json(value: object) -> str:
    return json.dumps(plain(value), indent=2, ensure_ascii=False, default=str)
