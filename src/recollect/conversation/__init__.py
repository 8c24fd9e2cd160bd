"""Conversations: what is gathered from their turns."""

from __future__ import annotations

from recollect.conversation.extractors import CallbackExtractor

__all__ = ["CallbackExtractor"]
