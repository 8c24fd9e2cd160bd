"""stand-in"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.models import Turn

FORMATS = ("openai", "anthropic", "google", "langchain")


def turns_of(messages: Any) -> list[Turn]:
    """x"""
    return [Turn(role=m["role"], content=m["content"]) for m in messages]


def messages_of(turns: Sequence[Turn], format: str = "openai") -> list[dict[str, Any]]:
    """x"""
    return [{"role": turn.role, "content": turn.content} for turn in turns]
