"""All pages of the console, and the application that serves them."""

from __future__ import annotations

from fastapi import FastAPI
from nicegui import app as framework
from nicegui import ui

from engrain.model.audit import Role
from engrain.server.console import (
    admin,
    answer,
    facts,
    graph,
    lifecycle,
    memories,
    memory,
    procedures,
    recall,
    records,
    review,
    sessions,
    trust,
)
from engrain.server.console.shell import Entry, register

ENTRIES = (
    Entry("/", "Recall", "search", "Ask as an agent would: what is found, why, and what was known when.", recall.build),
    Entry(
        "/answer",
        "Answer",
        "question_answer",
        "A question answered from memory, each sentence with its source.",
        answer.build,
    ),
    Entry("/memories", "Memories", "list", "Everything in view.", memories.build),
    Entry("/memory", "Memory", "", "What it says, where it comes from, how it changed.", memory.build, listed=False),
    Entry("/facts", "Facts", "timeline", "What is stated of a person or a thing, over time.", facts.build),
    Entry("/graph", "Graph", "hub", "Who and what the memories are about, and how that relates.", graph.build),
    Entry(
        "/sessions",
        "Sessions",
        "forum",
        "Conversations: their log, what a model sees, what was learnt.",
        sessions.build,
    ),
    Entry("/review", "Review", "rule", "What waits for a verdict.", review.build, Role.REVIEW),
    Entry("/lifecycle", "Lifecycle", "autorenew", "What fades, what stays, what is due.", lifecycle.build),
    Entry(
        "/procedures", "Procedures", "checklist", "How things are done, and how often that went well.", procedures.build
    ),
    Entry(
        "/trust",
        "Trust",
        "verified_user",
        "Whether all of it is as it was written, and proof of what is gone.",
        trust.build,
        Role.REVIEW,
    ),
    Entry("/records", "Records", "dataset", "Exact values by key.", records.build),
    Entry("/admin", "Admin", "settings", "Keys, queued work and the store.", admin.build, Role.ADMIN),
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
