"""What is forgotten leaves the summaries of conversations that are still going on: they are told anew without it."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.filters import Test
from recollect.protocols import Transaction
from recollect.turnrows import STALE, ConversationRow, TurnRow


def untell(transaction: Transaction, nums: Iterable[int]) -> None:
    """Let the windows that turns of these memories stand in, or have left, be told anew; and what is being told now."""
    turns = transaction.find(TurnRow, [Test("num", "in", tuple(nums))])
    conversations = tuple({turn.conversation for turn in turns})
    for held in transaction.find(ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
        if any(turn.conversation == held.num and turn.position >= held.since for turn in turns):
            state = STALE if held.state else held.state
            told = {"version": held.version + 1, "state": state}
            transaction.update(ConversationRow, [Test("num", "eq", held.num)], **told)
