"""Verdicts too are held with an embedder and without."""

from __future__ import annotations

from tests.conflicts.conftest import log, opened

__all__ = ["log", "opened"]
