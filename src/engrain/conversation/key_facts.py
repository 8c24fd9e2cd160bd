"""Sentences that state a fact worth keeping, by type."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nlargest
from typing import NamedTuple

from engrain.language.cues import fact_type, is_chatter
from engrain.language.sentences import sentences
from engrain.language.tokens import content_pairs
from engrain.model.memory import KeyFact
from engrain.text import normalise, pattern

LONGEST = 280
"""Characters of the longest sentence that is taken as one; a longer one is taken in pieces."""

MOST = 12_000
"""Sentences of one text that are looked at: of more than these, some 1 MB, the longest."""

_WHO = pattern(r"([^\W\d_][^:：\n|{}\[\]<>\"=;,()]{0,39})[:：](?=\s|$)")
_NAME_WORDS = 4
_BULLET = pattern(r"[-*•]\s+")
_ITEM = pattern(r"(?:[-*•#>|]+\s+)+")
_SEAM = pattern(r"(?<=[,;:])\s|(?<=[、，；])|\s(?=\()")
_WRAPPED = 50  # characters of a line that goes on in the next; shorter ones are lines of their own


class Utterance(NamedTuple):
    """A sentence as it was said, white space aside; `who` is "" where nobody is named, `turn` numbers the turns."""

    who: str
    text: str
    turn: int = 0


def utterances(text: str) -> list[Utterance]:
    """Return the sentences of "who: what" lines, or of any text, in order.

    A line that names nobody goes on with the turn before it; a bullet is a sentence of its own.
    """
    found = [
        Utterance(who, piece, turn)
        for turn, (who, said, bullet) in enumerate(_turns(text))
        for sentence in ([" ".join(said.split())] if bullet else _sentences(said))
        for piece in _pieces(sentence)
    ]
    if len(found) <= MOST:
        return found
    longest = nlargest(MOST, range(len(found)), key=lambda place: len(found[place].text))
    return [found[place] for place in sorted(longest)]


def _turns(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield who speaks, what is said, and whether that is a bullet."""
    who, said, bulleted = "", list[str](), False
    for line in text.replace("\r\n", "\n").split("\n"):
        bullet = _BULLET.match(line)
        start = bullet.end() if bullet else 0
        named = _named(line, start)
        if bullet or bulleted or named is not None:
            yield who, "\n".join(said), bulleted
            who, said, bulleted = "" if bullet or bulleted else who, [], bullet is not None
        if named is not None:
            who, start = named
        said.append(line[start:])
    yield who, "\n".join(said), bulleted


def _named(line: str, start: int) -> tuple[str, int] | None:
    """Return the name that a line opens with and where that ends."""
    found = _WHO.match(line, start)
    if found is None or found[1].count(" ") >= _NAME_WORDS:
        return None
    return found[1].strip(), found.end()


def _sentences(said: str) -> Iterator[str]:
    for sentence in sentences(said):
        lines = sentence.split("\n")
        wrapped = all(len(line.strip()) >= _WRAPPED for line in lines[:-1])
        for part in [sentence] if wrapped else _together(lines):
            found = _ITEM.match(part := " ".join(part.split()))
            if bare := part[found.end() :] if found else part:
                yield bare


def _together(lines: list[str]) -> Iterator[str]:
    """Yield lines, very short ones with those after them: of "Milk", "Eggs", "Bread" none says anything alone."""
    held = list[str]()
    size = 0
    for line in lines:
        if held and size + len(line) > _WRAPPED:
            yield " ".join(held)
            held, size = [], 0
        held.append(line)
        size += len(line) + 1
    yield " ".join(held)


def _pieces(sentence: str) -> Iterator[str]:
    """Yield a sentence, or the pieces of one that is too long, cut after a comma or at a space where there is one."""
    start = 0
    while len(sentence) - start > LONGEST:
        window = sentence[start : start + LONGEST]
        seams = [seam.start() for seam in _SEAM.finditer(window) if seam.start() > LONGEST // 3]
        cut = seams[-1] if seams else window.rfind(" ")
        end = start + (cut if cut > 0 else LONGEST)
        yield sentence[start:end].strip()
        start = end
    if rest := sentence[start:].strip():
        yield rest


_FEWEST = 2  # telling words: "On Tuesday." is understood with its question alone
_LONG = 13  # so many are no small talk


def key_facts(text: str, *, source_tier: int = 0) -> list[KeyFact]:
    """Return the sentences of a transcript that state a fact of some type, each once, as they were said.

    A question, a condition and a guess state nothing, nor does what an assistant says of the world at large. English
    is read best; of German, Spanish and French the plain forms; of other languages what dates and amounts show.
    """
    found: dict[str, KeyFact] = {}
    for said in dict.fromkeys(one._replace(turn=0) for one in utterances(text)):
        telling = len(content_pairs(said.text))
        if telling < _FEWEST or (telling < _LONG and is_chatter(said.text)):
            continue
        if (type_ := fact_type(said.text, said.who)) is not None:
            content = f"{said.who}: {said.text}" if said.who else said.text
            found.setdefault(normalise(content), KeyFact(content, type_, source_tier=source_tier))
    return list(found.values())
