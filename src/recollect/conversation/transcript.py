"""Turns as text: who said what, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.models import Turn

_INDENT = "\n  "


def transcript(turns: Sequence[Turn]) -> str:
    """Return a line "who: what" for each turn that says something; `who` is its actor, else its role.

    Further lines of one turn are indented, so that none of them can pass for a turn of somebody else's.
    """
    return "\n".join(_line(turn) for turn in turns if turn.content.strip())


def _line(turn: Turn) -> str:
    who = " ".join((turn.actor or turn.role).split())
    said = turn.content.strip().replace("\r\n", "\n").replace("\r", "\n")
    return f"{who}: {said.replace(chr(10), _INDENT)}"
