"""Any history of messages, ends, clearings, edits and reopenings, compared with a plain model of what must be there."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock
from tests.rounds import rounds
from tests.working_memory.test_window import Words

ROLES = st.sampled_from(("user", "assistant", "tool", "system"))
SESSIONS = st.sampled_from(("mon", "tue"))
USERS = st.sampled_from((None, "ana", "bo"))


class Talks(RuleBasedStateMachine):
    """Two sessions of three users; the model is the list of what each said, and where its window begins."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FrozenClock("2026-01-05T12:00:00Z")
        self.logs: dict[tuple[str | None, str], list[tuple[str, str]]] = {}
        self.fresh: dict[tuple[str | None, str], int] = {}
        self.touched: dict[tuple[str | None, str], int] = {}
        self.number = 0
        self.memory = self.opened()

    def opened(self) -> MemoryManager:
        """Open the store."""
        chosen = Settings(worker="none", working={"max_tokens": 40, "keep_last_n": 3, "idle_minutes": 30})
        path = Path(self.folder.name) / "m.db"
        return MemoryManager(path, embedder=None, tokenizer=Words(), clock=self.clock, settings=chosen)

    @rule(user=USERS, session=SESSIONS, role=ROLES, words=st.integers(1, 12))
    def say(self, user: str | None, session: str, role: str, words: int) -> None:
        """Append a message."""
        self.number += 1
        text = " ".join([f"n{self.number}", *["bee"] * words])
        self.memory.scoped(user=user).add_message(role, text, session=session)
        self.logs.setdefault((user, session), []).append((role, text))
        self.touched[user, session] = 0

    @rule(user=USERS, session=SESSIONS)
    def end(self, user: str | None, session: str) -> None:
        """End a session: it is learnt from if it has any turn since it began."""
        log, since = self.logs.get((user, session), []), self.fresh.get((user, session), 0)
        ended = self.memory.scoped(user=user).end_session(session)
        assert bool(ended.memories) == any(role != "system" for role, _ in log[since:])
        self.ended(user, session)

    def ended(self, user: str | None, session: str) -> None:
        """Note that a window is empty now."""
        self.fresh[user, session] = len(self.logs.get((user, session), []))
        self.touched.pop((user, session), None)

    @rule(user=USERS, session=SESSIONS)
    def clear(self, user: str | None, session: str) -> None:
        """Empty a window."""
        self.memory.scoped(user=user).working(session).clear()
        self.fresh[user, session] = len(self.logs.get((user, session), []))

    @rule(minutes=st.sampled_from((1, 20, 40)))
    def wait(self, minutes: int) -> None:
        """Let time pass and the worker work."""
        self.clock.advance(timedelta(minutes=minutes))
        assert self.memory.flush()
        for key in list(self.touched):
            self.touched[key] += minutes
            if self.touched[key] >= 30:
                self.ended(*key)

    @rule(user=USERS, session=SESSIONS, data=st.data())
    def edit(self, user: str | None, session: str, data: st.DataObject) -> None:
        """Edit the memory of a turn, which changes nothing of what was said."""
        turns = [t for t in self.memory.scoped(user=user).working(session).history(limit=1000) if t.id[:3] == "mem"]
        if turns:
            turn = data.draw(st.sampled_from(turns))
            self.number += 1
            self.memory.update(turn.id, content=f"edited {self.number}")

    @rule()
    def reopen(self) -> None:
        """Close the store and open it again."""
        self.memory.close()
        self.memory = self.opened()

    @invariant()
    def everything_said_is_in_the_log_and_the_window_is_its_end(self) -> None:
        """Compare."""
        for (user, session), log in self.logs.items():
            working = self.memory.scoped(user=user).working(session)
            assert [(turn.role, turn.content) for turn in working.history(limit=1000)] == log
            assert working.token_count <= 40
            window = [(turn.role, turn.content) for turn in working.messages if not turn.metadata.get("is_summary")]
            left = iter(log[self.fresh.get((user, session), 0) :])
            assert all(turn in left for turn in window)
            if self.fresh.get((user, session), 0) < len(log):
                assert working.messages

    def teardown(self) -> None:
        """The audit trail verifies."""
        assert self.memory.verify_audit().ok
        self.memory.close()
        self.folder.cleanup()


Talks.TestCase.settings = settings(max_examples=rounds(25), stateful_step_count=30, deadline=None)
TestTalks = Talks.TestCase
