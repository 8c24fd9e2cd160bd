"""The door of a sensor: whatever finds in a text what may not be wanted in a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class Finding(NamedTuple):
    """A part of a text, from `start` up to `end`, and what sort of thing it is, such as "phone number"."""

    kind: str
    start: int
    end: int


@runtime_checkable
class Sensor(Protocol):
    """Finds secrets, personal data or whatever it is made for, in any order; parts may overlap."""

    def findings(self, text: str) -> Sequence[Finding]: ...
