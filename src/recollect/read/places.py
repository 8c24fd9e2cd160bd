"""Cursors of listings that go by a row's id, and by a place among what belongs to it."""

from __future__ import annotations

import base64
import re

_PLACE = re.compile(rb"e(\d{1,18})\.(\d{1,18})")


def cursor_at(row: int, skip: int = 0) -> str:
    """Return the cursor of what comes after a row, and after `skip` things of the one after it."""
    return base64.urlsafe_b64encode(b"e%d.%d" % (row, skip)).decode().rstrip("=")


def is_place(cursor: str | None) -> bool:
    """Say whether a cursor is of this kind."""
    return cursor is not None and _read(cursor) is not None


def _read(cursor: str) -> re.Match[bytes] | None:
    try:
        return _PLACE.fullmatch(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, TypeError):
        return None


def place_of(cursor: str | None) -> tuple[int, int]:
    """Return the row and the number to skip of a cursor; raises `ValueError` for one that is not ours."""
    if cursor is None:
        return 0, 0
    found = _read(cursor)
    if found is None:
        raise ValueError("the cursor is not one of ours: pass `page.next` as it came")
    return int(found[1]), int(found[2])
