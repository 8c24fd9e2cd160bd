"""All pages of the console, and the application that serves them."""

from __future__ import annotations

from fastapi import FastAPI
from nicegui import app as framework
from nicegui import ui

from engrain.model.audit import Role
from engrain.server.console import memories, memory, recall, review
from engrain.server.console.shell import Entry, register

ENTRIES = (
    Entry("/", "Recall", "search", "Ask as an agent would: what is found, why, and what was known when.", recall.build),
    Entry("/memories", "Memories", "list", "Everything in view.", memories.build),
    Entry(
        "/memory",
        "Memory",
        "",
        "One memory: what it says, where it comes from, how it changed.",
        memory.build,
        listed=False,
    ),
    Entry("/review", "Review", "rule", "What waits for a verdict.", review.build, Role.REVIEW),
)


def prepare(app: FastAPI) -> None:
    """Add the pages to an application of their own."""
    framework.config.socket_io_js_transports = ["websocket"]
    register(ENTRIES)
    ui.run_with(
        app,
        title="Engrain",
        language="en-US",
        dark=None,
        tailwind=False,
        reconnect_timeout=30.0,
        show_welcome_message=False,
        favicon="🧠",
    )
