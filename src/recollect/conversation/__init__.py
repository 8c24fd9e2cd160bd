"""Conversations: what is gathered from their turns, and what is left of those that no longer fit."""

from __future__ import annotations

from recollect.conversation.compactor import TierCompactor
from recollect.conversation.digest import digest
from recollect.conversation.extractors import CallbackExtractor
from recollect.conversation.keyfacts import key_facts
from recollect.conversation.transcript import transcript

__all__ = ["CallbackExtractor", "TierCompactor", "digest", "key_facts", "transcript"]
