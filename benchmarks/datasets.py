"""Conversations with questions whose evidence is marked: LoCoMo, LongMemEval and files of their shapes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.report import Progress
from engrain.chat.logs import Chat, Item, chats, conversation_of, parse_time, read_json

LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_UNANSWERABLE = 5
_TURN_ID = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the turns that hold its answer, when it is asked (`now`), and the answer that people gave.

    An unanswerable question may still have evidence: turns that look like an answer and are none.
    """

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    now: datetime | None
    answerable: bool
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns as keyword arguments of `remember`, whose metadata names the `turn`, and the questions about them."""

    id: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]

    def with_handles(self) -> Conversation:
        """Return it with a handle instead of each speaker's name."""
        speakers = list(dict.fromkeys(item["actor"] for item in self.items))
        return replace(self, items=tuple({**i, "actor": f"u{71 + speakers.index(i['actor'])}"} for i in self.items))

    @property
    def turns(self) -> list[str]:
        """The ids of the turns, in order."""
        return [str(item["metadata"]["turn"]) for item in self.items]


def load(path: str | os.PathLike[str]) -> Iterator[Conversation]:
    """Yield the conversations of a file one by one; one without questions is a `ValueError` naming file and line."""
    path = Path(path)
    for line, _, record in read_json(path):
        try:
            yield _conversation(record, f"conversation-{line}")
        except KeyError as missing:
            raise ValueError(f"{path}, line {line}: a question has no {missing}") from None
        except (ValueError, TypeError) as problem:
            raise ValueError(f"{path}, line {line}: {problem}") from None


def load_questions(
    path: str | os.PathLike[str], *, limit: int | None = None, progress: Progress | None = None
) -> Iterator[tuple[Conversation, Iterator[Question]]]:
    """Yield each conversation of a file with its questions.

    Args:
        path: The file.
        limit: The most questions, over all conversations; at least 1, None for all.
        progress: Called when the caller is done with a question.
    """
    if limit is not None and limit < 1:
        raise ValueError("limit is at least 1")
    done, total = 0, 0 if progress is None else count_questions(path, limit)

    def reported(questions: Sequence[Question], label: str) -> Iterator[Question]:
        nonlocal done
        for question in questions:
            yield question
            done += 1
            if progress is not None:
                progress(done, total, label)

    left = limit
    for conversation in load(path):
        questions = conversation.questions[:left]
        yield conversation, reported(questions, conversation.id)
        if left is not None and (left := left - len(questions)) <= 0:
            return


def count_questions(path: str | os.PathLike[str], limit: int | None = None) -> int:
    """Return how many questions the file holds, or `limit` when it holds more."""
    count = 0
    for _, _, record in read_json(Path(path)):
        asked = record.get("qa") if isinstance(record, Mapping) else None
        count += len(asked) if isinstance(asked, list) else 1
        if limit is not None and count >= limit:
            return limit
    return count


def _conversation(record: object, fallback: str) -> Conversation:
    found = chats(record, session=fallback)
    if not isinstance(record, Mapping) or found is None or not ("qa" in record or "question" in record):
        raise ValueError("not a conversation with questions, as LoCoMo and LongMemEval have them")
    name = (conversation_of(record) or ("", fallback))[1]
    items = tuple(item for chat in found for item in chat.items())
    turns = {str(item["metadata"]["turn"]) for item in items}
    ended = max((item["valid_from"] for item in items if "valid_from" in item), default=None)
    if "qa" in record:
        questions = tuple(_locomo(record["qa"], name, turns, ended))
    else:
        questions = (_longmemeval(record, name, turns, ended, found),)
    return Conversation(name, items, questions)


def _locomo(asked: list[Mapping[str, Any]], name: str, turns: set[str], ended: datetime | None) -> Iterator[Question]:
    """Read LoCoMo's questions, asked after the last turn; a corrected key is used instead of the first one."""
    for number, row in enumerate(asked, start=1):
        category = int(row["category"])
        evidence = row.get("corrected_evidence", row.get("evidence")) or []
        yield Question(
            id=f"{name}/{number}",
            text=str(row["question"]),
            category=LOCOMO_CATEGORIES.get(category, str(category)),
            evidence=_turn_ids(evidence, turns),
            now=ended,
            answerable=category != _UNANSWERABLE,
            answer=_answer(row.get("corrected_answer", row.get("answer"))),
        )


def _answer(given: object) -> str:
    return "" if given is None else str(given)


def _turn_ids(evidence: list[str] | str, turns: set[str]) -> tuple[str, ...]:
    """Return the turns that evidence names in any of its spellings (`D1:3`, `D:1:03; D2:4`): those that exist, once."""
    text = evidence if isinstance(evidence, str) else " ".join(map(str, evidence))
    named = (f"D{session}:{turn}" for session, turn in _TURN_ID.findall(text))
    return tuple(dict.fromkeys(turn for turn in named if turn in turns))


def _longmemeval(
    row: Mapping[str, Any], name: str, turns: set[str], ended: datetime | None, found: list[Chat]
) -> Question:
    """Read LongMemEval's question.

    Its date is the day of the last sessions, now and then before one of them; it counts as asked after the last turn.
    """
    asked = parse_time(str(row.get("question_date", "")))
    marked = row.get("evidence_turn_ids")
    if marked is None:
        marked = [message["turn_id"] for chat in found for message in chat.messages if message.get("has_answer")]
    answerable = not row.get("is_abstention", name.endswith("_abs"))
    return Question(
        id=name,
        text=str(row["question"]),
        category=str(row.get("question_type", "question")) if answerable else "abstention",
        evidence=tuple(dict.fromkeys(turn for turn in marked if turn in turns)),
        now=max((time for time in (asked, ended and ended + timedelta(seconds=1)) if time is not None), default=None),
        answerable=answerable,
        answer=_answer(row.get("answer")),
    )
