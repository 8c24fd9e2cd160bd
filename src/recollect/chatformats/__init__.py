"""Conversations in the shapes of the common chat APIs: read as turns, and written from them."""

from __future__ import annotations

from recollect.chatformats.reading import turns_of
from recollect.chatformats.writing import FORMATS, Messages, messages_of

__all__ = ["FORMATS", "Messages", "messages_of", "turns_of"]
