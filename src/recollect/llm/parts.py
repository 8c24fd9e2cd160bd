"""What is too long for one question, in parts: cut between turns and sentences, nothing left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.models import Turn
from recollect.text import OfflineTokenizer, sentence_spans

PART = 2500
"""Tokens of a part: with its instructions and its answer it fits into 8,000, which every model in use reads."""
CONTEXT = 300
"""Tokens of what stands before a part: enough to tell whom its pronouns mean."""
_count = OfflineTokenizer().count_tokens


class Part(NamedTuple):
    """Some of the turns, or of one, and the words right before them."""

    turns: tuple[Turn, ...]
    context: str


def in_parts(turns: Sequence[Turn], context: str = "") -> Iterator[Part]:
    """Yield the turns in parts of at most `PART` tokens; the texts of all parts joined are those of the turns.

    What was said before, the caller's `context` or the end of the part before, is context of a part, cut to its end.
    """
    held: list[Turn] = []
    size, before = 0, _end(context)
    for turn in turns:
        for piece in _pieces(turn):
            tokens = _count(piece.content)
            if held and size + tokens > PART:
                yield Part(tuple(held), before)
                before = _end(" ".join([before, *(each.content for each in held)]))
                held, size = [], 0
            held.append(piece)
            size += tokens
    if held:
        yield Part(tuple(held), before)


def _pieces(turn: Turn) -> Iterator[Turn]:
    """Yield a turn, or pieces of one that is longer than a part."""
    if _count(turn.content) <= PART:
        yield turn
        return
    text, size = "", 0
    for sentence in (short for span in sentence_spans(turn.content) for short in _short(span)):
        tokens = _count(sentence)
        if text and size + tokens > PART:
            yield replace(turn, content=text)
            text, size = "", 0
        text, size = text + sentence, size + tokens
    yield replace(turn, content=text)


def _short(sentence: str) -> Iterator[str]:
    """Yield a sentence, or pieces of one that is longer than a part: cut at a word where there is one."""
    while sentence:
        first = OfflineTokenizer().truncate_to_tokens(sentence, PART) or sentence[:PART]
        yield first
        sentence = sentence[len(first) :]


def _end(text: str) -> str:
    """Return the sentences at the end of a text that fit into a context."""
    kept, size = "", 0
    for sentence in reversed(sentence_spans(text[-20 * CONTEXT :])):
        size += _count(sentence)
        if size > CONTEXT:
            break
        kept = sentence + kept
    return kept.strip()
