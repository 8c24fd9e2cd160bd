"""Two names that may be one thing: what a language model may settle, and what stays a person's to say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from engrain import MemoryManager, ProviderError, Settings
from engrain.lifecycle.enrichment import beginnings, may_be_one
from engrain.model.entities import family, name_key
from engrain.storage.rows import EntityRow
from engrain.testing import FrozenClock, ScriptedLLM
from tests.llm.describing import is_whole

FIRST, SECOND = "Acme Corp lost its mail server to Emotet.", "The mail server of Acme runs again."


class Asked(ScriptedLLM):
    """A model that describes nothing new and gives verdicts on names; `pairs` are the names it was asked about."""

    def __init__(self, *verdicts: str) -> None:
        self.pairs: list[str] = []
        self._verdicts = verdicts
        super().__init__(self._reply)

    def _reply(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        if not prompt.startswith("Two names"):
            return json.dumps({"summary": "the server"})
        self.pairs.append(prompt)
        verdict = self._verdicts[min(len(self.pairs), len(self._verdicts)) - 1]
        if verdict == "down":
            raise ProviderError("the model is down")
        return json.dumps({"verdict": verdict})


def opened(place: Path, clock: FrozenClock, llm: ScriptedLLM, **more: object) -> MemoryManager:
    settings = Settings(worker="none", llm_retries=0)
    given = {"embedder": None, "user": "ana"} | more
    return MemoryManager(place / "memory.db", clock=clock, settings=settings, llm=llm, **given)  # type: ignore[arg-type]


def remember_all(memory: MemoryManager, *texts: str, source_type: str = "user_input") -> None:
    for text in texts:
        memory.remember(text, domain="cti", source_type=source_type, sync=True)


def about(memory: MemoryManager, name: str, type_: str = "organization") -> int:
    return len(memory.recall_entity(type_, name))


def test_same_merges_and_says_who_said_so(tmp_path: Path, clock: FrozenClock) -> None:
    llm = Asked("same")
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory, FIRST, SECOND)
        (prompt,) = llm.pairs
        assert FIRST in prompt
        assert SECOND in prompt
        (merge,) = memory.graph.merges()
        assert (merge.keep.name, merge.other.name, merge.state) == ("Acme Corp", "Acme", "merged")
        assert merge.reason == "Asked (same/1) considers them the same"
        assert about(memory, "Acme Corp") == 2
        (entry,) = MemoryManager(memory.store, clock=clock, embedder=None).audit_log(operation="merge")
        assert (entry.actor, entry.reason) == ("worker", "by Asked (same/1)")
        assert list(memory.review()) == []
        assert is_whole(memory)


def test_unmerge_takes_it_back_for_good(tmp_path: Path, clock: FrozenClock) -> None:
    llm = Asked("same")
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory, FIRST, SECOND)
        (merge,) = memory.graph.merges()
        assert memory.graph.unmerge(merge.id)
        remember_all(memory, "Acme bought another mail server.")
        assert about(memory, "Acme Corp") == 1
        assert len(llm.pairs) == 1


@pytest.mark.parametrize("verdict", ["different", "unsure"])
def test_else_they_stay_two_and_nobody_asks_again(tmp_path: Path, clock: FrozenClock, verdict: str) -> None:
    llm = Asked(verdict)
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory, FIRST, SECOND, "Acme bought another mail server.")
        assert len(llm.pairs) == 1
        assert (memory.graph.merges(), list(memory.review())) == ([], [])


def test_that_a_model_saw_two_keeps_no_claim_from_a_person(tmp_path: Path, clock: FrozenClock) -> None:
    with opened(tmp_path, clock, Asked("different")) as memory:
        remember_all(memory, "Zorgon Panda uses Mimikatz.", "Zorgon Pandas hit us too.")
        remember_all(memory, "Zorgon Panda, also known as Zorgon Pandas, uses Mimikatz.")
        assert [item.kind for item in memory.review()] == ["merge"]


def test_a_claim_of_a_text_is_never_settled_by_a_model(tmp_path: Path, clock: FrozenClock) -> None:
    llm = Asked("same")
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory, "Zorgon Panda, also known as Quiet Kestrel, uses Mimikatz.", "Quiet Kestrel is back.")
        assert llm.pairs == []
        assert [item.kind for item in memory.review()] == ["merge"]
        assert memory.graph.merges() == []


@pytest.mark.parametrize("who", [0, 1])
def test_external_data_says_nothing_of_who_is_who(tmp_path: Path, clock: FrozenClock, who: int) -> None:
    llm = Asked("same")
    with opened(tmp_path, clock, llm) as memory:
        for place, text in enumerate((FIRST, SECOND)):
            remember_all(memory, text, source_type="external_data" if place == who else "user_input")
        assert llm.pairs == []
        assert memory.graph.merges() == []


def test_an_agents_own_memory_is_shown_and_settled_for_nobody_else(tmp_path: Path, clock: FrozenClock) -> None:
    llm = Asked("same")
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory.scoped(agent="a"), FIRST)
        remember_all(memory.scoped(agent="b"), SECOND)
        assert llm.pairs == []
        remember_all(memory.scoped(agent="a"), "Acme pays for a new mail server.")
        assert len(llm.pairs) == 1
        assert "runs again" not in llm.pairs[0]
        assert len(memory.scoped(agent="a").graph.merges()) == 1
        assert memory.scoped(agent="b").graph.merges() == []


def test_a_forgotten_memory_while_the_model_thinks_merges_nothing(tmp_path: Path, clock: FrozenClock) -> None:
    class Forgetting(Asked):
        def _reply(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            if prompt.startswith("Two names"):
                (found,) = [each for each in memory.iter_memories() if each.content == FIRST]
                memory.forget(found.id)
            return super()._reply(prompt)

    with opened(tmp_path, clock, Forgetting("same")) as memory:
        remember_all(memory, FIRST, SECOND)
        assert memory.graph.merges() == []


def test_a_model_that_fails_here_spoils_no_description(tmp_path: Path, clock: FrozenClock) -> None:
    llm = Asked("down", "same")
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory, FIRST, SECOND)
        assert [each.summary for each in memory.iter_memories()] == ["the server"] * 2
        assert (memory.graph.merges(), memory.stats().jobs) == ([], {})
        remember_all(memory, "Acme bought another mail server.")
        assert len(memory.graph.merges()) == 1


def test_a_memory_asks_about_few_pairs(tmp_path: Path, clock: FrozenClock) -> None:
    llm = Asked("different")
    names = ["Acme", "Bravo", "Carbon", "Dorado", "Elster", "Fermat"]
    with opened(tmp_path, clock, llm) as memory:
        remember_all(memory, *(f"{name} Corp lost its mail server." for name in names))
        remember_all(memory, f"Mail of {', '.join(names)} runs again.")
        assert len(llm.pairs) == 3


def test_a_merge_goes_when_the_memory_is_erased_that_led_to_it(tmp_path: Path, clock: FrozenClock) -> None:
    with opened(tmp_path, clock, Asked("same")) as memory:
        remember_all(memory, FIRST, "Acme pays well.", SECOND)
        (merge,) = memory.graph.merges()
        (led,) = [each for each in memory.iter_memories() if each.content == "Acme pays well."]
        assert memory.forget(led.id, hard=True).receipt is not None
        assert memory.graph.merges() == []
        assert (about(memory, "Acme Corp"), merge.state) == (1, "merged")


class Reads:
    """An embedder that takes two names for likely one."""

    id, dimensions = "reads", 2

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[0.88, 0.475] if text == "Bob Miller" else [1.0, 0.0] for text in texts]


@pytest.mark.parametrize("verdict", ["same", "different"])
def test_what_an_embedder_proposes_is_settled_only_where_they_are_one(
    tmp_path: Path, clock: FrozenClock, verdict: str
) -> None:
    llm = Asked(verdict)
    with opened(tmp_path, clock, llm, embedder=Reads()) as memory:
        memory.graph.add_entity("person", "Robert Miller")
        memory.graph.add_entity("person", "Bob Miller")
        memory.graph.resolve()
        assert len(memory.review()) == 1
        remember_all(memory, "Robert Miller runs the mail server.", "Bob Miller runs the mail server at night.")
        assert len(llm.pairs) == 1
        assert len(memory.graph.merges()) == (verdict == "same")
        assert len(memory.review()) == (verdict != "same")
        remember_all(memory, "Bob Miller is on leave.")
        assert len(llm.pairs) == 1


def row(type_: str, name: str) -> EntityRow:
    return EntityRow(1, type_, family(type_), name_key(type_, name), name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("organization", "Acme"), ("organization", "Acme Corp.")),
        (("name", "Acme"), ("organization", "Acme GmbH & Co. KG")),
        (("person", "J. Smith"), ("person", "John Smith")),
        (("person", "John Smith"), ("person", "John M. Smith")),
        (("name", "Kubernets"), ("name", "Kubernetes")),
        (("name", "Mimiktaz"), ("tool", "Mimikatz")),
        (("organization", "IBM"), ("organization", "International Business Machines")),
        (("name", "Wizard Spider Group"), ("actor", "Wizard Spider")),
    ],
)
def test_names_that_may_be_one(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert may_be_one(row(*one), row(*other))
    assert may_be_one(row(*other), row(*one))
    for asked, known in ((row(*one), row(*other)), (row(*other), row(*one))):
        assert known.key.startswith(beginnings(asked))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("intrusion_set", "APT28"), ("intrusion_set", "APT29")),
        (("name", "Server 17"), ("name", "Server 71")),
        (("cve", "CVE-2024-3094"), ("cve", "CVE-2024-3095")),
        (("domain", "example.com"), ("domain", "example.co")),
        (("organization", "Emotet Corp"), ("malware", "Emotet")),
        (("person", "John Smith"), ("person", "Mary Smith")),
        (("person", "John Smith"), ("person", "John Smyth Jones")),
        (("name", "Rome"), ("name", "Rose")),
        (("organization", "Acme"), ("organization", "Apex")),
        (("event", "outage of mail"), ("event", "outage of mails")),
        (("name", "IBM"), ("name", "Indian Bank")),
        (("organization", "Acme"), ("organization", "ACME")),
    ],
)
def test_names_that_are_not_compared(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert not may_be_one(row(*one), row(*other))
    assert not may_be_one(row(*other), row(*one))
