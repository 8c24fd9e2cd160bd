"""A damaged account is reported as such: nothing else fails, and it is never taken for a full budget."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.errors import ProviderError
from engrain.llm.asker import asker, spent_by
from engrain.model.memory import Scope
from engrain.storage.rows import Setting
from engrain.testing import ScriptedLLM
from tests.llm.asked import asking

DAMAGED = [
    "{bad",
    "",
    "[]",
    "5",
    "null",
    "[" * 100_000,
    '{"days": []}',
    '{"days": {"2026-01-05": 7}}',
    '{"days": {"2026-01-05": {"calls": "x"}}}',
    '{"days": {"2026-01-05": {"calls": -1000}}}',
    '{"days": {"2026-01-05": {"calls": true}}}',
    '{"days": {"2026-01-05": {"calls": 1e400}}}',
    '{"days": {"2026-01-05": {"tokens": 1.5}}}',
    '{"total": 7}',
    '{"total": {"calls": null}}',
    '{"by": {"extract": "many"}}',
    '{"by": {"\\ud800": {"calls": 1}}}',
]
ROW = spent_by(Scope("default", "ana"))


def damage(memory: MemoryManager, value: str) -> None:
    memory.store.write(lambda transaction: transaction.put(Setting(ROW, value)))


@pytest.mark.matrix
@pytest.mark.parametrize("value", DAMAGED, ids=lambda value: value[:40] or "nothing")
def test_answers_and_counts_go_on_and_a_budget_is_kept_by_not_asking(tmp_path: Path, value: str) -> None:
    llm = ScriptedLLM(["Yes."])
    settings = Settings(worker="none", llm_budget={"calls": 9})
    with MemoryManager(tmp_path / "m.db", user="ana", embedder=None, llm=llm, settings=settings) as memory:
        memory.remember("Ana lives in Porto.", source_type="user_input")
        damage(memory, value)
        stored = memory.synthesize("Where does Ana live?")
        assert "Porto" in str(stored.synthesis)
        assert "is damaged" in str(stored.metadata)
        assert memory.stats().llm["damaged"] == 1
        model = asker(memory._engine, memory.scope, "extract")
        assert model is not None
        with pytest.raises(ProviderError, match=r"budget is not known: .* is damaged"):
            model.complete("tea")
        assert llm.calls == []


def test_without_a_budget_the_model_is_asked_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with asking(ScriptedLLM(["Yes."])) as model:
        model._engine.store.write(lambda transaction: transaction.put(Setting(ROW, "{bad")))
        with caplog.at_level(logging.WARNING, logger="engrain"):
            assert model.complete("tea") == "Yes."
    assert "could not be written down" in caplog.text
    assert "is damaged" in caplog.text


def test_the_accounts_of_others_are_counted_all_the_same(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, llm=ScriptedLLM(["Yes."])) as memory:
        model = asker(memory._engine, Scope("default", "bob"), "extract")
        assert model is not None
        model.complete("tea")
        damage(memory, "{bad")
        stored = memory.stats().llm
        assert (stored["calls"], stored["damaged"]) == (1, 1)
        assert "damaged" not in memory.scoped(user="bob").stats().llm


def test_an_erasure_takes_a_damaged_account_along(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None) as memory:
        memory.scoped(user="ana").remember("I like tea.")
        damage(memory, "{bad")
        memory.forget_all(user="ana", hard=True)
        assert memory.stats().llm == {}
