"""Facts taken out of a conversation as it goes on, and put beside those that are known."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import count
from threading import Lock

from recollect.conversation.known import Consolidator, KnownFacts
from recollect.foreign import guard, tell
from recollect.models import MemoryEntry, Turn
from recollect.protocols import Candidate, Extractor

MOST_UNSEEN = 1000  # turns that wait for an extractor which keeps failing; it must not fill the machine


class Learning:
    """Asks an extractor for facts, of the last `window` turns after every `every` exchanges of user and assistant.

    A turn whose extraction failed waits for the next `remember`.
    """

    def __init__(
        self,
        extractor: Extractor,
        consolidator: Consolidator | None,
        facts: KnownFacts,
        *,
        window: int,
        every: int,
        callbacks: Sequence[object],
    ) -> None:
        self._extractor, self._consolidator, self._facts = extractor, consolidator, facts
        self._every, self._callbacks = every, callbacks
        self._lock = Lock()
        self._numbers = count()
        self._recent: deque[tuple[int, Turn]] = deque(maxlen=window)
        self._unseen: dict[int, Turn] = {}
        self._asked = False
        self._exchanges = 0

    def hear(self, turn: Turn) -> None:
        """Take note of a turn, and extract when an exchange makes it due; a failure is logged."""
        with self._lock:
            number = next(self._numbers)
            self._recent.append((number, turn))
            self._wait({number: turn})
            answered = turn.role == "assistant" and self._asked
            self._asked = turn.role == "user" or (self._asked and not answered)
            self._exchanges += answered
            if not answered or self._exchanges % self._every:
                return
            turns = dict(self._recent)
        guard("extraction from the conversation", partial(self._learn, turns))

    def remember(self) -> list[MemoryEntry]:
        """Extract from all turns that no extraction has seen; what fails is raised, and the turns stay unseen."""
        with self._lock:
            turns = dict(self._unseen)
        return self._learn(turns)

    def forget(self) -> None:
        """Forget all turns."""
        with self._lock:
            self._recent.clear()
            self._unseen.clear()
            self._asked, self._exchanges = False, 0

    def _learn(self, turns: dict[int, Turn]) -> list[MemoryEntry]:
        if not turns:
            return []
        with self._lock:
            taken = {number: self._unseen.pop(number) for number in turns if number in self._unseen}
        try:
            shown = list(turns.values())
            entries = [_entry(found) for found in self._extractor.extract(shown)]
            settled = self._facts.settle(entries, self._consolidator)
        except BaseException:
            with self._lock:
                self._wait(taken)
            raise
        if entries:
            tell(self._callbacks, "on_extraction", shown, entries)
        for one in settled:
            tell(self._callbacks, "on_consolidation", one.operation.value, one.new, one.existing)
        return [one.kept for one in settled if one.kept is not None]

    def _wait(self, turns: dict[int, Turn]) -> None:
        waiting = sorted((self._unseen | turns).items())
        self._unseen = dict(waiting[-MOST_UNSEEN:])


def _entry(found: Candidate | MemoryEntry | str) -> MemoryEntry:
    if isinstance(found, MemoryEntry):
        return found
    if isinstance(found, str):
        return MemoryEntry(content=found)
    return MemoryEntry(
        content=found.content,
        relevance_score=min(max(found.rating / 10, 0.0), 1.0),
        tags=found.tags,
        metadata=found.metadata,
    )
