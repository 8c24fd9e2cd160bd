"""What a text is worth, by its length alone."""

from __future__ import annotations


def word_count_importance(text: str) -> float:
    """Score a text by its length alone: `min(words / 200, 1)`; chosen with `Settings(importance="word_count")`."""
    return min(len(text.split()) / 200, 1.0)
