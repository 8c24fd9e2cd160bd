"""What a text is worth, by its length alone."""

from __future__ import annotations


def word_count_importance(text: str) -> float:
    """Score a text by its length alone: `min(words / 200, 1)`; chosen with `Settings(importance="word_count")`."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    return min(len(text.split()) / 200, 1.0)
