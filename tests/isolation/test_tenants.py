"""Several tenants in one store: each call returns, raises and writes what it would if the others did not exist."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from campaigns.acts import ACTS, APART, TEXTS, methods
from campaigns.tenants import Comparison, run
from engrain import MemoryManager
from tests.rounds import rounds

someone = st.integers(0, 8)
seeds = st.integers(0, 1 << 20)


class Tenants(RuleBasedStateMachine):
    """The comparison of the campaign, driven by hypothesis."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.comparison = Comparison(Path(self.folder.name))

    def teardown(self) -> None:
        self.comparison.close()
        self.folder.cleanup()

    @rule(whose=someone, speaker=someone, name=st.sampled_from(sorted(TEXTS)), seed=seeds)
    def say(self, whose: int, speaker: int, name: str, seed: int) -> None:
        self.comparison.step(whose, speaker, name, seed)

    @rule(whose=someone, speaker=someone, name=st.sampled_from(sorted(ACTS)), seed=seeds)
    def do(self, whose: int, speaker: int, name: str, seed: int) -> None:
        self.comparison.step(whose, speaker, name, seed)

    @rule(hours=st.sampled_from((1, 30, 600)))
    def wait(self, hours: int) -> None:
        self.comparison.advance(hours)


TestTenants = Tenants.TestCase
TestTenants.settings = settings(
    max_examples=rounds(4), stateful_step_count=30, phases=[Phase.generate], derandomize=True, deadline=None
)


def test_each_sees_what_it_would_alone() -> None:
    steps = rounds(150)
    calls, faults = run(1, steps=steps)
    assert faults == []
    assert sum(calls.values()) == steps


def test_every_method_is_called(memory: MemoryManager) -> None:
    known = {*ACTS, *APART}
    assert methods(memory) - known == set(), "add how it is called to campaigns/acts.py"
    assert known - methods(memory) == set(), "these are gone"
