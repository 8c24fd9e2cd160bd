"""What is left of conversations that no longer fit: answers that survive in summaries, against plain cutting."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

from engrain.chat.logs import Item, read_json
from engrain.conversation.compaction import digest
from engrain.conversation.key_facts import utterances
from engrain.conversation.tiers import ProgressiveSummarizationMemory
from engrain.conversation.windows import transcript
from engrain.evaluation.datasets import Conversation, load
from engrain.evaluation.machine import describe_machine
from engrain.language.tokens import content_pairs
from engrain.model.memory import Turn
from engrain.text import OfflineTokenizer

Progress = Callable[[int, int, str], object]
SEED = 7
WINDOWS = (2048, 8192)
SHARES = (4, 8, 16)
_MOST_WORDS = 8  # telling words of an answer that can be looked for
_FACTS_SHARE = 16  # the part of a window's tokens that key facts take beside it
_TOKENS = OfflineTokenizer()


class Answer(NamedTuple):
    """The telling words of an answer, the session in which it was given, and the sentences that gave all of it."""

    terms: frozenset[str]
    session: str
    said: frozenset[str]


@dataclass(frozen=True, slots=True)
class Left:
    """How many answers survive in one way of cutting: by their words, and by the sentence that gives them."""

    what: str
    way: str
    answers: int
    found: int
    in_one: int
    sound: int

    def line(self) -> str:
        """Return the figures as a line for people."""
        anywhere, together = self.found / (self.answers or 1), self.sound / (self.in_one or 1)
        return f"  {self.way:22} {anywhere:7.1%} {together:7.1%}"


@dataclass(frozen=True, slots=True)
class Leftover:
    """What an evaluation of summaries found: for each window and each share of a session, each way of cutting.

    An answer counts when every telling word of it (its stem) stands in the turns marked as its evidence. `found` are
    the answers whose words are all still there, wherever; `sound`, of the `in_one` that one sentence of the evidence
    gives whole, those of which such a sentence itself is still there, from end to end.
    """

    file: str
    rows: tuple[Left, ...]
    seed: int = SEED
    machine: Mapping[str, str | int] = field(default_factory=describe_machine)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types under stable keys."""
        return asdict(self)

    def table(self) -> str:
        """Return the figures as text for people."""
        head = "by their words, by the sentence that gives them"
        lines = [f"Answers of {self.file} that survive (seed {self.seed}): {head}"]
        what = ""
        for row in self.rows:
            if row.what != what:
                what = row.what
                lines += ["", f"{what}: {row.answers:,} answers, {row.in_one:,} given in one sentence"]
            lines.append(row.line())
        return "\n".join([*lines, "", "On " + ", ".join(f"{name} {value}" for name, value in self.machine.items())])


def evaluate(
    path: str | os.PathLike[str],
    *,
    windows: Sequence[int] = WINDOWS,
    seed: int = SEED,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Leftover:
    """Feed each conversation of a file through windows and their tiers, and its sessions through digests.

    A window of M tokens keeps the latest turns in M/2; a quarter of them leaves when it is full, and is told in tier 1,
    of M/4, in a quarter of its tokens, as what leaves that is in tiers 2 and 3, of M/8 and M/16. Beside it
    stands the verbatim tail of the conversation in M tokens. A digest of a session is set beside its beginning, its end
    and sentences by chance (from `seed`) of as many tokens. Without a model and without a store; `limit` caps the
    conversations.
    """
    if limit is not None and limit < 1:
        raise ValueError("limit is at least 1")
    tally = _Tally()
    rng = Random(seed)
    conversations = list(islice(load(path), limit))
    for number, (conversation, answers) in enumerate(_with_answers(path, conversations), start=1):
        sessions = _sessions(conversation)
        turns = [turn for spoken in sessions.values() for turn in spoken]
        for size in windows:
            for way, left in _through(turns, size).items():
                tally.add(f"A window of {size:,} tokens", way, left, answers)
        for name in dict.fromkeys(answer.session for answer in answers):
            for what, way, left in _shortened(transcript(sessions[name]), rng):
                tally.add(what, way, left, [answer for answer in answers if answer.session == name])
        if progress is not None:
            progress(number, len(conversations), conversation.id)
    return Leftover(Path(path).name, tally.rows(), seed)


class _Tally:
    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def add(self, what: str, way: str, left: str, answers: Sequence[Answer]) -> None:
        counts = self._counts[what, way]
        sentences = [said.text for said in utterances(left)]
        there, kept = _terms(" ".join(sentences)), frozenset(map(_bare, sentences))
        for answer in answers:
            counts["answers"] += 1
            counts["found"] += answer.terms <= there
            counts["in_one"] += bool(answer.said)
            counts["sound"] += not answer.said.isdisjoint(kept)

    def rows(self) -> tuple[Left, ...]:
        names = ("answers", "found", "in_one", "sound")
        whats = list(dict.fromkeys(what for what, _ in self._counts))
        rows = [Left(*key, *(counts[name] for name in names)) for key, counts in self._counts.items()]
        return tuple(sorted(rows, key=lambda row: whats.index(row.what)))


def _with_answers(
    path: str | os.PathLike[str], conversations: Sequence[Conversation]
) -> Iterator[tuple[Conversation, list[Answer]]]:
    """Yield conversations with the answers that the turns marked as their evidence give word for word."""
    for conversation, (_, _, read) in zip(conversations, read_json(Path(path)), strict=False):
        record = cast(Mapping[str, Any], read)  # as its conversation was made of it
        items = {str(item["metadata"]["turn"]): item for item in conversation.items}
        found = []
        for question, row in zip(conversation.questions, record.get("qa", [record]), strict=True):
            given = row.get("corrected_answer", row.get("answer"))
            if not question.answerable or given is None or not question.evidence:
                continue
            terms = _terms(str(given))
            told = [items[turn] for turn in question.evidence]
            sentences = [said.text for said in utterances(transcript(list(map(_turn, told))))]
            if 0 < len(terms) <= _MOST_WORDS and terms <= _terms(" ".join(sentences)):
                whole = frozenset(_bare(sentence) for sentence in sentences if terms <= _terms(sentence))
                found.append(Answer(terms, str(told[0].get("session")), whole))
        yield conversation, found


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for _, term in content_pairs(text))


def _sessions(conversation: Conversation) -> dict[str, list[Turn]]:
    found: defaultdict[str, list[Turn]] = defaultdict(list)
    for item in conversation.items:
        found[str(item.get("session"))].append(_turn(item))
    return found


def _turn(item: Item) -> Turn:
    return Turn(role="user", content=str(item["content"]), actor=str(item.get("actor") or "user"))


def _bare(sentence: str) -> str:
    return sentence.rstrip(".…").casefold()


def _through(turns: Sequence[Turn], size: int) -> dict[str, str]:
    """Return what a window and its tiers hold at the end, and the verbatim tail of as many tokens."""
    memory = ProgressiveSummarizationMemory(size, fact_token_budget=size // _FACTS_SHARE)
    for turn in turns:
        memory.add_turn(turn)
    told = [memory.tiers[level].content if level in memory.tiers else "" for level in (1, 2, 3)]
    verbatim, facts = transcript(memory.turns), "\n".join(memory.facts)
    return {
        "verbatim tail": _tail(turns, size),
        "tiers": "\n".join([*reversed(told), verbatim]),
        "tiers and key facts": "\n".join([facts, *reversed(told), verbatim]),
        "  verbatim tier": verbatim,
        **{f"  tier {number}": text for number, text in enumerate(told, start=1)},
        "  key facts": facts,
    }


def _tail(turns: Sequence[Turn], room: int) -> str:
    kept = list[Turn]()
    for turn in reversed(turns):
        room -= _TOKENS.count_tokens(transcript([turn]))
        if room < 0:
            break
        kept.append(turn)
    return transcript(kept[::-1])


def _shortened(text: str, rng: Random) -> Iterator[tuple[str, str, str]]:
    """Yield a session told in parts of its tokens, in each of the ways."""
    size = _TOKENS.count_tokens(text)
    lines = [f"{said.who}: {said.text}" for said in utterances(text)]
    for tier, part in enumerate(SHARES, start=1):
        what, room = f"A session in 1/{part} of its tokens", size // part
        yield what, "digest", digest(text, room, _TOKENS, tier=tier)
        yield what, "beginning", _packed(lines, room)
        yield what, "end", _packed(lines[::-1], room)
        yield what, "sentences by chance", _packed(rng.sample(lines, len(lines)), room)


def _packed(lines: Sequence[str], room: int) -> str:
    """Return the first lines that fit, the last of them cut."""
    kept = list[str]()
    for line in lines:
        tokens = _TOKENS.count_tokens(line) + 1
        if tokens > room:
            kept.append(_TOKENS.truncate_to_tokens(line, room))
            break
        room -= tokens
        kept.append(line)
    return "\n".join(kept)
