"""Everything that a language model is used for, by public methods: a use more is a line more."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engrain import MemoryManager, Settings
from engrain.config import WorkingSettings
from engrain.model.results import Format
from engrain.protocols import LLM

TEXTS = (
    "We booked the ferry from Piraeus to Naxos for the sailing holiday in June.",
    "The sailing holiday on Naxos starts in June, and the ferry leaves Piraeus at seven.",
    "For the sailing holiday we need the ferry tickets from Piraeus to Naxos in June.",
    "Our ferry to Naxos for the sailing holiday in June leaves Piraeus at gate nine.",
    "The ferry from Piraeus to Naxos was moved for our sailing holiday in June.",
    "Our sailing holiday in June ended with the ferry from Naxos to Piraeus.",
)
QUESTION = "When does the ferry to Naxos leave, and why was it moved for the sailing holiday?"
SESSION = "talk"
# One entry that every list takes: a fact, a key fact, an insight, a score.
_ENTRY = {"fact": TEXTS[0], "content": TEXTS[0], "type": "decision", "importance": 8, "insight": TEXTS[0], "score": 5}
# One object that every other structured answer takes: a verdict, a grade, an answer, a description.
_OBJECT = {
    "operation": "ADD",
    "sufficient": False,
    "query": "Which gate does the ferry to Naxos leave from?",
    "answer": [{"text": "The ferry was moved.", "cites": [1]}],
    "summary": TEXTS[0],
}


def answering(prompt: str, **_: object) -> str:
    """Answer as a model that works."""
    if "JSON list of\nstrings" in prompt:
        return json.dumps(["ferry to Naxos moved", "sailing holiday in June"])
    if "JSON list" in prompt:
        return json.dumps([{**_ENTRY, "n": number, "cites": [1, 2]} for number in range(1, 7)])
    return json.dumps(_OBJECT) if "JSON" in prompt else "The ferry from Piraeus to Naxos was moved in June."


def opened(place: Path, llm: LLM | None, **settings: Any) -> MemoryManager:
    """Open a whole memory with small windows, a model that is asked once, and no worker beside the test."""
    small = WorkingSettings(window="progressive", max_tokens=120)
    usual = {"worker": "none", "durability": "normal", "working": small, "llm_retries": 0}
    chosen = Settings(**{**usual, **settings})
    return MemoryManager(place / "memory.db", settings=chosen, llm=llm)


def kept(memory: MemoryManager, texts: Sequence[str], **more: Any) -> None:
    """Keep each text as an episode of a session of its own."""
    for number, text in enumerate(texts):
        memory.remember(text, session=f"s{number}", source_type="user_input", actor="Ana", **more)
    memory.flush()


def _known(memory: MemoryManager, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        memory.remember(text, source_type="user_input", key=f"fact {number}")


def _talked(memory: MemoryManager, texts: Sequence[str]) -> None:
    for text in texts:
        memory.add_message("user", text, session=SESSION)


def _evolved(memory: MemoryManager, texts: Sequence[str]) -> object:
    return [memory.remember(text, evolve=True, source_type="user_input") for text in texts]


def _extracted(memory: MemoryManager, texts: Sequence[str]) -> object:
    return memory.remember_with_extraction("\n".join(texts), min_importance=1, max_facts=99)


def _consolidated(memory: MemoryManager, texts: Sequence[str]) -> object:
    kept(memory, texts)
    return memory.consolidate(batch_size=20)


def _reflected(memory: MemoryManager, texts: Sequence[str]) -> object:
    _known(memory, texts)
    return memory.lifecycle.reflect()


def _ended(memory: MemoryManager, texts: Sequence[str]) -> object:
    _talked(memory, texts)
    return memory.end_session(SESSION)


def _assembled(memory: MemoryManager, texts: Sequence[str]) -> object:
    _talked(memory, texts)
    return memory.assemble(QUESTION, session=SESSION)


def _asked_in_other_words(memory: MemoryManager, texts: Sequence[str]) -> object:
    _known(memory, texts)
    return memory.recall(texts[0], multi_query=3, hyde=True)


def _asked_of_the_reranker(memory: MemoryManager, texts: Sequence[str]) -> object:
    _known(memory, texts)
    memory.set_reranker("llm")
    try:
        return memory.recall(QUESTION)
    finally:
        memory.set_reranker(None)


def _answered(memory: MemoryManager, texts: Sequence[str]) -> object:
    _known(memory, texts)
    return [memory.synthesize(texts[0], format=form) for form in Format]


def _described(memory: MemoryManager, texts: Sequence[str]) -> object:
    return [memory.remember(text, source_type="user_input", domain="incident", sync=True) for text in texts]


def _asked_deeply(memory: MemoryManager, texts: Sequence[str]) -> object:
    _known(memory, texts)
    return memory.recall_deep(QUESTION)


@dataclass(frozen=True, slots=True)
class Use:
    """A use: what is done with some texts; `says` that its result names who did it."""

    name: str
    run: Callable[[MemoryManager, Sequence[str]], Any]
    says: bool = False

    def __str__(self) -> str:
        return self.name


USES = (
    Use("evolve", _evolved),
    Use("extraction", _extracted),
    Use("consolidate", _consolidated, says=True),
    Use("reflect", _reflected, says=True),
    Use("end_session", _ended, says=True),
    Use("compaction", _assembled),
    Use("other words", _asked_in_other_words),
    Use("recall_deep", _asked_deeply),
    Use("rerank", _asked_of_the_reranker),
    Use("synthesis", _answered),
    Use("description", _described),
)
