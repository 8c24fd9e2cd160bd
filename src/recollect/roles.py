"""What a key of a server may do: four roles, a ladder."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What somebody from outside may do; each may do what those before it may: read, write, review, admin."""

    READ = "read"
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"

    def covers(self, other: Role) -> bool:
        """Say whether this role may do what the other may."""
        ladder = list(Role)
        return ladder.index(self) >= ladder.index(other)
