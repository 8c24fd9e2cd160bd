"""How long a server waits for its clients, and how many of them it takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a connection may take; whoever is slower is cut off, whoever is more is asked to come again.

    A head must be there `head_seconds` after its first byte, a body after `body_seconds` and a second more for each
    `slowest` bytes of it. What is not read of an answer is given up after `answer_seconds`.
    """

    head_bytes: int = 16_384
    head_seconds: float = 10.0
    body_seconds: float = 20.0
    slowest: int = 8_192
    idle_seconds: int = 15
    answer_seconds: float = 30.0
    connections: int = 512
    requests: int = 128
    stop_seconds: float = 30.0
