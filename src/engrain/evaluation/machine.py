"""On what a figure was measured."""

from __future__ import annotations

import os
import platform
import sqlite3

from engrain import __version__
from engrain.arrays import np


def describe_machine() -> dict[str, str | int]:
    """Return the machine and the versions that a figure depends on, under stable names."""
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cpus": os.cpu_count() or 1,
        "python": platform.python_version(),
        "numpy": str(np.__version__),
        "sqlite": sqlite3.sqlite_version,
        "engrain": __version__,
    }
