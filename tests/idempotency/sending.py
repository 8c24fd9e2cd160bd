"""Requests as a server would carry them out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from engrain.errors import RequestRepeated
from engrain.idempotency import IdempotentRequests, StoredAnswer


def send(
    requests: IdempotentRequests,
    name: str,
    call: Callable[[], Any],
    *,
    request: bytes = b"it",
    org: str = "default",
    caller: str = "",
) -> StoredAnswer:
    """Carry out a request under a name, or return what it was answered with before."""
    found = requests.begin(org, caller, name, request)
    if isinstance(found, StoredAnswer):
        return found
    with found as attempt:
        body = json.dumps(call(), ensure_ascii=False, default=str)
        attempt.answer(200, body)
    return StoredAnswer(200, body)


def refused(
    requests: IdempotentRequests, name: str, *, request: bytes = b"it", org: str = "default", caller: str = ""
) -> RequestRepeated:
    """Return why a request is refused."""
    try:
        requests.begin(org, caller, name, request)
    except RequestRepeated as error:
        return error
    raise AssertionError("the request was not refused")
