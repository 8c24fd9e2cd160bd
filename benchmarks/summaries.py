"""Which answers of conversations survive when turns no longer fit or only facts are kept, against plain cutting."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.datasets import Conversation, load
from benchmarks.metrics import CUTS
from benchmarks.report import Progress, Report
from engrain import Memory, MemoryManager, Turn
from engrain.chat.logs import Item
from engrain.conversation import ProgressiveSummarizationMemory, digest, transcript
from engrain.conversation.summaries import utterances
from engrain.language.tokens import content_pairs, sentences, words
from engrain.text import OfflineTokenizer

SEED = 7
WINDOWS = (2048, 8192)
SHARES = (4, 8, 16)
_MOST_TERMS = 8  # of an answer that can be looked for
_MOST_WORDS = 6  # of an answer that is looked for word for word
_FACTS_SHARE = 16  # the part of a window's tokens that key facts take in addition
_TOKENS = OfflineTokenizer()


class Answer(NamedTuple):
    """The content terms of an answer, the session that gave it, and the sentences that gave all of it."""

    terms: frozenset[str]
    session: str
    sentences: frozenset[str]


@dataclass(frozen=True, slots=True)
class Kept:
    """How many answers survive one way of cutting: by their words, and by the sentence that gives them.

    Of `answers`, `found` have all their words left, wherever; of the `in_one` that a single sentence of the evidence
    gives whole, `whole` still have such a sentence from end to end.
    """

    text: str
    method: str
    answers: int
    found: int
    in_one: int
    whole: int


@dataclass(frozen=True, kw_only=True)
class Summaries(Report):
    """What an evaluation of summaries found: for each window and each share of a session, each way of cutting.

    An answer counts when every content term of it is in the turns marked as its evidence.
    """

    file: str
    rows: tuple[Kept, ...]
    seed: int = SEED

    def lines(self) -> list[str]:
        head = "by their words, by the sentence that gives them"
        lines = [f"Answers of {self.file} that survive (seed {self.seed}): {head}"]
        text = ""
        for row in self.rows:
            if row.text != text:
                text = row.text
                lines += ["", f"{text}: {row.answers:,} answers, {row.in_one:,} given in one sentence"]
            found, whole = row.found / (row.answers or 1), row.whole / (row.in_one or 1)
            lines.append(f"  {row.method:22} {found:7.1%} {whole:7.1%}")
        return [*lines, ""]


def evaluate(
    path: str | os.PathLike[str],
    *,
    windows: Sequence[int] = WINDOWS,
    seed: int = SEED,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Summaries:
    """Feed each conversation of a file through windows and their tiers, and its sessions through digests.

    A window of M tokens keeps the latest turns in M/2; a quarter of them leaves when it is full and is summarised in
    tier 1, of M/4, in a quarter of its tokens, as what leaves that is in tiers 2 and 3, of M/8 and M/16. Beside it is
    the verbatim tail of the conversation in M tokens. A digest of a session is set beside its beginning, its end and
    random sentences of as many tokens. No model and no store is used.

    Args:
        path: A file of conversations with marked evidence.
        windows: Sizes in tokens; empty measures sessions alone.
        seed: The seed of the random sentences.
        limit: The most conversations; at least 1, None for all.
        progress: Called after each conversation.

    Raises:
        ValueError: `limit` is below 1, or the file holds no conversations with questions.
    """
    if limit is not None and limit < 1:
        raise ValueError("limit is at least 1")
    tally, rng = _Tally(), Random(seed)
    conversations = list(islice(load(path), limit))
    for number, conversation in enumerate(conversations, start=1):
        answers, sessions = list(_answers(conversation)), _sessions(conversation)
        turns = [turn for spoken in sessions.values() for turn in spoken]
        for size in windows:
            for method, kept in _windowed(turns, size).items():
                tally.add(f"A window of {size:,} tokens", method, kept, answers)
        for name in dict.fromkeys(answer.session for answer in answers):
            for text, method, kept in _shortened(transcript(sessions[name]), rng):
                tally.add(text, method, kept, [answer for answer in answers if answer.session == name])
        if progress is not None:
            progress(number, len(conversations), conversation.id)
    return Summaries(file=Path(path).name, rows=tally.rows(), seed=seed)


class _Tally:
    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)

    def add(self, text: str, method: str, kept: str, answers: Sequence[Answer]) -> None:
        counts = self._counts[text, method]
        left = [utterance.text for utterance in utterances(kept)]
        terms, whole = _terms(" ".join(left)), frozenset(map(_bare, left))
        for answer in answers:
            counts["answers"] += 1
            counts["found"] += answer.terms <= terms
            counts["in_one"] += bool(answer.sentences)
            counts["whole"] += not answer.sentences.isdisjoint(whole)

    def rows(self) -> tuple[Kept, ...]:
        texts = list(dict.fromkeys(text for text, _ in self._counts))
        names = ("answers", "found", "in_one", "whole")
        rows = [Kept(*key, *(counts[name] for name in names)) for key, counts in self._counts.items()]
        return tuple(sorted(rows, key=lambda row: texts.index(row.text)))


def _answers(conversation: Conversation) -> Iterator[Answer]:
    """Yield the answers that the turns marked as their evidence give word for word."""
    items = dict(zip(conversation.turns, conversation.items, strict=True))
    for question in conversation.questions:
        if question.answerable and question.evidence:
            terms, evidence = _terms(question.answer), [items[turn] for turn in question.evidence]
            given = [utterance.text for utterance in utterances(transcript(list(map(_turn, evidence))))]
            if 0 < len(terms) <= _MOST_TERMS and terms <= _terms(" ".join(given)):
                whole = frozenset(_bare(sentence) for sentence in given if terms <= _terms(sentence))
                yield Answer(terms, str(evidence[0].get("session")), whole)


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


def _windowed(turns: Sequence[Turn], size: int) -> dict[str, str]:
    """Return what a window and its tiers hold at the end, and the verbatim tail of as many tokens."""
    memory = ProgressiveSummarizationMemory(size, fact_token_budget=size // _FACTS_SHARE)
    for turn in turns:
        memory.add_turn(turn)
    tiers = [memory.tiers[level].content if level in memory.tiers else "" for level in (1, 2, 3)]
    verbatim, facts = transcript(memory.turns), "\n".join(memory.facts)
    return {
        "verbatim tail": _tail(turns, size),
        "tiers": "\n".join([*reversed(tiers), verbatim]),
        "tiers and key facts": "\n".join([facts, *reversed(tiers), verbatim]),
        "  verbatim tier": verbatim,
        **{f"  tier {number}": text for number, text in enumerate(tiers, start=1)},
        "  key facts": facts,
    }


def _tail(turns: Sequence[Turn], tokens: int) -> str:
    kept = list[Turn]()
    for turn in reversed(turns):
        tokens -= _TOKENS.count_tokens(transcript([turn]))
        if tokens < 0:
            break
        kept.append(turn)
    return transcript(kept[::-1])


def _shortened(text: str, rng: Random) -> Iterator[tuple[str, str, str]]:
    """Yield a session cut to shares of its tokens, in each of the ways."""
    size = _TOKENS.count_tokens(text)
    lines = [f"{utterance.who}: {utterance.text}" for utterance in utterances(text)]
    for tier, part in enumerate(SHARES, start=1):
        what, tokens = f"A session in 1/{part} of its tokens", size // part
        yield what, "digest", digest(text, tokens, _TOKENS, tier=tier)
        yield what, "beginning", _packed(lines, tokens)
        yield what, "end", _packed(lines[::-1], tokens)
        yield what, "random sentences", _packed(rng.sample(lines, len(lines)), tokens)


def _packed(lines: Sequence[str], budget: int) -> str:
    """Return the first lines that fit into a budget of tokens, the last of them cut."""
    kept = list[str]()
    for line in lines:
        tokens = _TOKENS.count_tokens(line) + 1
        if tokens > budget:
            kept.append(_TOKENS.truncate_to_tokens(line, budget))
            break
        budget -= tokens
        kept.append(line)
    return "\n".join(kept)


# ------------------------------------------------------------------------------------------------------ extracted facts


@dataclass(frozen=True, slots=True)
class Survival:
    """Of `answers` that are in some turn word for word, how many are left in extracted facts, and in first sentences.

    `extracted` and `first` map the most facts of a session to a count of answers; `kept` to the number of facts.
    """

    answers: int
    extracted: Mapping[int, int]
    first: Mapping[int, int]
    kept: Mapping[int, int]

    def lines(self) -> list[str]:
        """Return the figures as lines of text."""
        lines = [f"Answers that survive, of {self.answers:,} that are in a turn word for word"]
        for cut in self.extracted:
            facts, plain = (f"{found[cut] / (self.answers or 1):.1%}" for found in (self.extracted, self.first))
            lines.append(
                f"  at most {cut:2} facts a session ({self.kept[cut]:,}): {facts}, as many first sentences: {plain}"
            )
        return lines


def extracted_survival(manager: MemoryManager, conversations: Iterable[Conversation]) -> Survival:
    """Extract the facts of each session with `remember_with_extraction`, and look for the answers in them."""
    answers = 0
    extracted, first, kept = (dict.fromkeys(CUTS, 0) for _ in range(3))
    for conversation in conversations:
        sessions: defaultdict[str, list[str]] = defaultdict(list)
        for item in conversation.items:
            sessions[str(item.get("session"))].append(str(item["content"]))
        spoken = _words(text for turns in sessions.values() for text in turns)
        given = (question.answer for question in conversation.questions if question.answerable)
        wanted = [_words([answer]) for answer in given if 0 < len(words(answer)) <= _MOST_WORDS]
        wanted = [answer for answer in wanted if answer in spoken]
        answers += len(wanted)
        if not wanted:
            continue
        facts: defaultdict[int, list[str]] = defaultdict(list)
        opening: defaultdict[int, list[str]] = defaultdict(list)
        for turns in sessions.values():
            found = _facts(manager.scoped(user=conversation.id), "\n".join(turns))
            plain = [sentence for turn in turns for sentence in sentences(turn)]
            for cut in CUTS:
                best = sorted(found, key=lambda memory: -memory.importance)[:cut]
                facts[cut] += [memory.content for memory in best]
                opening[cut] += plain[: len(best)]
        for cut in CUTS:
            left, cut_off = _words(facts[cut]), _words(opening[cut])
            extracted[cut] += sum(answer in left for answer in wanted)
            first[cut] += sum(answer in cut_off for answer in wanted)
            kept[cut] += len(facts[cut])
    return Survival(answers, extracted, first, kept)


def _facts(view: MemoryManager, text: str) -> list[Memory]:
    """Return the facts of one session as they are stored; what is taken for an attack has none."""
    found = view.remember_with_extraction(text, max_facts=max(CUTS))
    return [one.memory for one in found if one.status != "quarantined"]


def _words(texts: Iterable[str]) -> str:
    """Return the words of texts with a space on each side, a mark between two texts."""
    return "|".join("".join(f" {word}" for word in words(text)) + " " for text in texts)
