"""What is forgotten leaves the conversations that are still going on: their windows, and what is told in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.filters import Test
from recollect.protocols import Transaction
from recollect.turnrows import STALE, ConversationRow, ToldRow, TurnRow


def untell(transaction: Transaction, nums: Iterable[int]) -> None:
    """Take the turns of these memories out of their windows, and let what left those be told anew, without them."""
    turns = transaction.find(TurnRow, [Test("num", "in", tuple(nums))])
    conversations = tuple({turn.conversation for turn in turns})
    for held in transaction.find(ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
        gone = [turn for turn in turns if turn.conversation == held.num and turn.position >= held.since]
        if gone:
            _untell(transaction, held, gone)


def _untell(transaction: Transaction, held: ConversationRow, gone: Sequence[TurnRow]) -> None:
    live = [turn for turn in gone if turn.live]
    places = tuple(turn.position for turn in live)
    transaction.update(TurnRow, [Test("conversation", "eq", held.num), Test("position", "in", places)], live=False)
    transaction.update(
        ConversationRow,
        [Test("num", "eq", held.num)],
        version=held.version + 1,  # whoever tells them now has to begin again
        tokens=max(held.tokens - sum(turn.tokens for turn in live), 0),
    )
    if len(live) < len(gone):
        tell_anew(transaction, held)


def tell_anew(transaction: Transaction, held: ConversationRow) -> bool:
    """Let what left a window be told again, from the log; False when nothing was told."""
    if held.state and not held.is_stale:
        transaction.put(ToldRow(held.num, STALE))
    return bool(held.state)
