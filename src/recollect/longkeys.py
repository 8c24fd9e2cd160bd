"""Keys of any length in an index, which has room for so many bytes only."""

from __future__ import annotations

from hashlib import sha256

_LONGEST, _KEPT = 120, 80  # characters


def key_of(text: str) -> str:
    """Return a normalised text as an index holds it: whole, or, when it is long, its beginning and its digest."""
    return text if len(text) <= _LONGEST else f"{text[:_KEPT]}~{sha256(text.encode()).hexdigest()[:32]}"
