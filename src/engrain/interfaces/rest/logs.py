"""Logs for programs: a line of JSON each, on standard error, in which nobody's words are."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from engrain.interfaces.rest.seen import Seen

log = logging.getLogger("engrain.server")
_QUIET = ("asyncio", "httpx", "httpx2", "mcp", "uvicorn")  # their news are of nobody's interest, their warnings are
_LONGEST = 50  # lines of a traceback


class Lines(logging.Formatter):
    """One JSON document for each record.

    A message of the library is told without what is filled into it, and an error by its type and where it happened,
    because both may quote a text; with `text` all of it is told.
    """

    def __init__(self, *, text: bool = False) -> None:
        super().__init__()
        self._text = text

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        told: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage() if self._text else _template(record),
        }
        if record.name != log.name:
            told["logger"] = record.name
        told |= getattr(record, "fields", {})
        error = record.exc_info[1] if record.exc_info else _spoken_of(record)
        if error is not None:
            told["error"] = _error(error, text=self._text)
        return json.dumps(told, ensure_ascii=True, default=str)


def _template(record: logging.LogRecord) -> str:
    if record.name == "py.warnings":
        return "a warning of Python"  # which is all message
    return record.msg if isinstance(record.msg, str) else type(record.msg).__name__


def _spoken_of(record: logging.LogRecord) -> BaseException | None:
    """Return the error that a message was to be filled in with: its words are kept out, its kind is no secret."""
    given = record.args if isinstance(record.args, tuple) else ()
    return next((each for each in given if isinstance(each, BaseException)), None)


def _error(error: BaseException, *, text: bool) -> list[dict[str, Any]]:
    """Return an error and those it came of, the first cause last."""
    told: list[dict[str, Any]] = []
    found: BaseException | None = error
    while found is not None and len(told) < 10:
        frames = traceback.extract_tb(found.__traceback__)[-_LONGEST:]
        at = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        told.append({"type": type(found).__name__, "at": at} | ({"message": str(found)} if text else {}))
        inner = found.exceptions[0] if isinstance(found, BaseExceptionGroup) else None
        found = inner or found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    return told


def begin(level: str = "info", *, text: bool = False, stream: TextIO | None = None) -> logging.Handler:
    """Let everything that is logged in this process be written as lines of JSON, warnings of Python too."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Lines(text=text))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(True)
    return handler


def note(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event of the server; its fields hold no text of anybody's."""
    log.log(level, event, extra={"fields": fields})


def note_request(seen: Seen, *, raw: Mapping[str, str] | None = None) -> None:
    """Log an answered request; `raw` is its path and query, for those who asked for texts."""
    if not log.isEnabledFor(logging.INFO):
        return
    fields: dict[str, Any] = {"request": seen.id, "method": seen.method, "route": seen.route}
    fields |= {"operation": seen.operation, "status": seen.status, "ms": seen.ms, "bytes": seen.bytes}
    if seen.key:
        fields["key"] = seen.key
    log.info("request", extra={"fields": {**fields, **(raw or {})}})
