"""Requests as a server would carry them out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from engrain.errors import RequestRepeated
from engrain.once import Answer, Once


def send(
    once: Once, name: str, call: Callable[[], Any], *, request: bytes = b"it", org: str = "default", caller: str = ""
) -> Answer:
    """Carry out a request under a name, or return what it was answered with before."""
    found = once.begin(org, caller, name, request)
    if isinstance(found, Answer):
        return found
    with found as ticket:
        body = json.dumps(call(), ensure_ascii=False, default=str)
        ticket.answer(200, body)
    return Answer(200, body)


def refused(
    once: Once, name: str, *, request: bytes = b"it", org: str = "default", caller: str = ""
) -> RequestRepeated:
    """Return why a request is refused."""
    try:
        once.begin(org, caller, name, request)
    except RequestRepeated as error:
        return error
    raise AssertionError("the request was not refused")
