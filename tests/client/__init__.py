"""The client, against a real server over a real store."""

from __future__ import annotations

from engrain.model.memory import Memory
from engrain.model.results import Remembered


def kept(result: Remembered) -> Memory:
    """Return the memory of a write that kept one."""
    assert result.memory is not None
    return result.memory
