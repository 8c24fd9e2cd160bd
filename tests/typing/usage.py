"""The API as a user writes it, for mypy and pyright: what each call returns, and which mistakes they find.

`right` runs, too. Each line of `wrong` is an error to both checkers: they report an ignore that is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Literal, assert_type

from engrain import (
    AsyncMemoryManager,
    Decision,
    Hit,
    Kind,
    Memory,
    MemoryManager,
    Page,
    Recall,
    Remembered,
    Role,
    SourceType,
    Synthesis,
    WhyNot,
)
from engrain.arguments import ListFilters, RecallFilters, WriteFields
from engrain.model.results import Messages

Status = Literal["created", "updated", "corrected", "noop", "quarantined", "pending", "rejected"]


def right(memory: MemoryManager, folder: Path) -> None:
    written(memory, folder)
    read(memory)
    conversed(memory.scoped(session="today"))
    assert_type(memory.graph.add_entity("person", "Ana").aliases, tuple[str, ...])
    assert_type(memory.keys.create("read", user="ana").secret, str | None)
    memory.keys.create(Role.WRITE)
    assert_type(memory.lifecycle.policy(kind="semantic").ttl is None, bool)
    assert_type(memory.procedures.find("pack a bag", k=2), list[Hit])


def written(memory: MemoryManager, folder: Path) -> None:
    kept, status = memory.remember("Ana lives in Porto", fact=("Ana", "lives_in", "Porto"), tier="A", tags=["home"])
    assert_type(kept, Memory)
    assert_type(status, Status)
    assert_type(kept.tier, Literal["A", "B", "C"])

    outcome = memory.remember("Ana keeps bees", kind="semantic", source_type="user_input", ttl=timedelta(days=9))
    assert_type(outcome, Remembered)
    assert_type(outcome.memory.content, str)
    assert_type(outcome.decision, Decision)
    assert_type(outcome.others, tuple[Remembered, ...])
    assert_type(outcome.id, str)
    memory.remember("Ana sings", kind=Kind.SEMANTIC, source_type=SourceType.SYSTEM)
    memory.remember("a word of one's own says where it is from", source_type="newsletter", tier=kept.tier)

    for each in memory.remember_many([{"content": "one"}, {"content": "two"}], tags=["number"], kind="semantic"):
        assert_type(each.memory, Memory)
    for stored, what in memory.remember_many([{"content": ""}, {"content": "three"}], on_error="skip"):
        assert_type(stored, Memory | None)
        assert_type(what, Status)
    assert_type(memory.remember_messages("Ana is here", extract="turns", sync=True, tags=["chat"]), list[Remembered])
    (folder / "note.md").write_text("The kettle is on.\n", encoding="utf-8")
    assert_type(memory.ingest(folder / "note.md", domain="home", tags=["file"]).created, int)

    fields: WriteFields = {"kind": "episodic", "actor": "Teo"}
    fields["tags"] = ["said"]
    memory.remember("Teo is late", **fields)
    assert_type(memory.supersede(outcome.id, "Ana keeps goats", reason="she changed", importance=0.7), Remembered)
    assert_type(memory.update(kept.id, importance=0.9, fact=None, metadata={"floor": 2}), Memory)
    assert_type(memory.link(outcome.id, kept.id, "related"), bool)
    (said,) = memory.remember_messages("The bees are calm", session="today")
    assert_type(memory.promote(said.id, to="semantic", reason="it matters").kind, Kind)


def read(memory: MemoryManager) -> None:
    filters: RecallFilters = {"kinds": ["semantic"], "min_trust": 0.5, "ranking": "rrf"}
    found = memory.recall("where does Ana live?", k=3, **filters)
    assert_type(found, Recall)
    assert_type(found[0], Hit)
    assert_type(found.texts, tuple[str, ...])
    assert_type(memory.context("Ana", kinds=["semantic", Kind.EPISODIC], token_budget=200, heat="warm"), str)
    assert_type(memory.recall_deep("Ana", max_iterations=2, tiers=("A", "B"), touch=False), Recall)
    assert_type(memory.why_not("Ana", found[0].id, k=5, shared=True), WhyNot)
    assert_type(memory.synthesize("Ana", format="synthesized_brief", tier_filter=["A"], domain=None), Synthesis)
    assert_type(memory.recall_cve("CVE-2024-3094", since="2024-01-01"), list[Memory])

    page = memory.list_memories(status=["active", "superseded"], order="-importance", limit=5)
    assert_type(page, Page[Memory])
    assert_type(page.next, str | None)
    everything: ListFilters = {"status": "all"}
    assert_type(memory.count(**everything), int)
    assert_type(memory.iter_memories(order="valid_from", status="all"), Iterator[Memory])
    assert_type(memory.get(key="nobody"), Memory | None)
    assert_type(memory.review(kind="merge").next, str | None)
    assert_type(memory.stats().total_notes, int)


def conversed(memory: MemoryManager) -> None:
    assert_type(memory.add_message("user", "I am off", tool_call_id="c1").content, str)
    assert_type(memory.assemble("Ana", token_budget=300), str)
    assert_type(memory.assemble("Ana", format="openai", kinds=["semantic"]), Messages)
    assert_type(memory.working.items(token_budget=100)[0].content, str)


async def awaited(memory: AsyncMemoryManager) -> None:
    kept, status = await memory.remember("Ana lives in Porto")
    assert_type(kept, Memory)
    assert_type(status, Status)
    assert_type(await memory.recall("Ana", kinds=["semantic"]), Recall)
    assert_type(await memory.remember_many([{"content": "x"}], on_error="skip"), list[Remembered[Memory | None]])
    assert_type(await memory.assemble("Ana", format="google"), Messages)
    assert_type([each async for each in memory.iter_memories(status="all")], list[Memory])
    assert_type(await AsyncMemoryManager.restore("copy.db", "new.db"), str)
    await memory.context("Ana", kinds=["lore"])  # type: ignore[list-item]
    AsyncMemoryManager(":memory:", usr="ana")  # type: ignore[call-arg]


def wrong(memory: MemoryManager) -> None:
    memory.remember("x", kind="lore")  # type: ignore[arg-type]
    memory.remember("x", tier="D")  # type: ignore[arg-type]
    memory.remember("x", resolve="on")  # type: ignore[arg-type]
    memory.remember_many([{"content": "x"}], on_error="ignore")  # type: ignore[call-overload]
    memory.remember_many([{"content": "x"}], colour="red")  # type: ignore[call-overload]
    memory.remember_messages("x", extract="all")  # type: ignore[arg-type]
    memory.remember_messages("x", key="k")  # type: ignore[call-arg]
    memory.supersede("mem_1", "x", resolve="off")  # type: ignore[call-arg]
    memory.recall("x", kinds="semantic")  # type: ignore[arg-type]
    memory.recall("x", ranking="best")  # type: ignore[arg-type]
    memory.context("x", kinds=["lore"])  # type: ignore[list-item]
    memory.context("x", colour="red")  # type: ignore[call-arg]
    memory.synthesize("x", tiers=["A"])  # type: ignore[call-arg]
    memory.synthesize("x", format="poem")  # type: ignore[arg-type]
    memory.assemble("x", format="xml")  # type: ignore[call-overload]
    memory.list_memories(status="lost")  # type: ignore[arg-type]
    memory.list_memories(order="beauty")  # type: ignore[arg-type]
    memory.count(limit=3)  # type: ignore[call-arg]
    memory.review(kind="lost")  # type: ignore[arg-type]
    memory.link("mem_1", "mem_2", "likes")  # type: ignore[arg-type]
    memory.promote("mem_1", to="working")  # type: ignore[arg-type]
    memory.import_("all.jsonl", trust="anybody")  # type: ignore[arg-type]
    memory.keys.create("owner")  # type: ignore[arg-type]
    memory.lifecycle.jobs(state="lost")  # type: ignore[arg-type]
    memory.graph.export("graph.gif", format="gif")  # type: ignore[arg-type]
    print(memory.remember("x").memory.contents)  # type: ignore[attr-defined]
    print(memory.remember_many([{"content": "x"}], on_error="skip")[0].memory.content)  # type: ignore[union-attr]
