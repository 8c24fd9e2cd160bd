"""The doctor's look at the language model: which is in force, and, only when asked, whether it answers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engrain.config import default_store
from engrain.errors import ConfigError, ProviderError
from engrain.interfaces.doctor import Report, opened, source_of
from engrain.llm.budget import Spent
from engrain.manager import MemoryManager, try_model
from engrain.urls import is_database

_NONE = "name one: engrain doctor --llm openai:gpt-5-mini, or set ENGRAIN_LLM; without one, rules do its work"
_NO_JSON = "name a model that does as it is told: facts, verdicts and descriptions are asked for in JSON"
_OTHER = "see the server's log, or name another model with --llm"
# What a provider's failure says, and what to do about it; the first that fits.
_ADVICE: tuple[tuple[str, str], ...] = (
    ("asked too often", "wait a while, see to the account at the provider, or lower ENGRAIN_LLM_CONCURRENCY"),
    ("quota", "see to the account at the provider, or name another model with --llm"),
    (
        "check the key",
        "set the key that the provider gave you; to an address in the name none is sent, use OPENAI_BASE_URL",
    ),
    ("may not do this", "see at the provider what the key may do"),
    ("no such model", "see which models it has: of a server like OpenAI's, GET /v1/models; ollama list"),
    ("could not be reached", "start the server, and see to the address: openai:model@http://host/v1, or the variable"),
    ("did not answer within", "raise ENGRAIN_LLM_TIMEOUT, or name a smaller model"),
    ("cannot be read", "see that the address is that of the API: it mostly ends in /v1"),
    ("budget is not known", "mend what it names, or free the store: nothing is asked while the budget cannot be read"),
    ("refused to answer", "name another model with --llm: this one refuses harmless questions"),
)


def look_at_llm(report: Report, asked: Mapping[str, Any], *, trial: bool) -> None:
    """Say which language model is in force and where that came from; with `trial`, ask it."""
    source = source_of(asked, "llm")
    named = asked.get("store") or default_store()
    path = Path(named).expanduser().absolute()
    place = named if is_database(named) else str(path) if path.exists() else ":memory:"
    facts = report.facts["language_model"] = {"in_force": None, "source": source}
    with warnings.catch_warnings(), report.noting():
        warnings.simplefilter("ignore")  # of the embedder, which has its own look
        try:
            memory = opened({**asked, "store": place, "embedder": "none", "reranker": None})
        except ConfigError as error:
            if str(error) not in [problem.what for problem in report.problems]:  # all else has been looked at
                report.add(str(error), _configured(error))
            return
        with memory:
            facts |= _in_force(memory)
            if trial:
                _try(report, memory, facts)


def _configured(error: ConfigError) -> str:
    if "engrain[llm]" in str(error):
        return "install it, or leave ENGRAIN_LLM empty"
    if "pip install" in str(error):
        return "install it, or name another model with --llm"
    return "correct ENGRAIN_LLM or --llm: provider:model, with what the provider needs in the environment"


def _in_force(memory: MemoryManager) -> dict[str, Any]:
    account = memory.stats().llm
    return {"in_force": account["model"], "today": account["today"], "budget": account["budget"]} if account else {}


def _try(report: Report, memory: MemoryManager, facts: dict[str, Any]) -> None:
    found = try_model(memory)
    if found is None:
        report.add("no language model is configured", _NONE)
        return
    facts |= {
        "answers": found.answers,
        "json": found.keeps_to_json,
        "seconds": round(found.seconds, 2),
        "calls": found.usage.calls,
        "tokens": {"input": found.usage.input_tokens, "output": found.usage.output_tokens},
        "today": memory.stats().llm["today"],
    }
    if found.error is not None:
        report.add(str(found.error), _advised(found.error))
    elif not found.keeps_to_json:
        report.add(f"{facts['in_force']} answers, but not in the JSON that it is asked for", _NO_JSON)


def _advised(error: ProviderError) -> str:
    if isinstance(error, Spent):
        return "wait until midnight (UTC), or raise llm_budget: ENGRAIN_LLM_BUDGET"
    return next((advice for words, advice in _ADVICE if words in str(error)), _OTHER)
