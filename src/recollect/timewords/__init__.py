"""Times in words: what a caller's or a log's time stamp means, when a question speaks of, and whether it asks when.

The clock is handed in; nothing here reads one.
"""

from __future__ import annotations

from recollect.timewords.cues import asks_latest, asks_when, has_time_words
from recollect.timewords.stamps import parse_loose, parse_when
from recollect.timewords.windows import Naming, Window, namings, told, windows

__all__ = [
    "Naming",
    "Window",
    "asks_latest",
    "asks_when",
    "has_time_words",
    "namings",
    "parse_loose",
    "parse_when",
    "told",
    "windows",
]
