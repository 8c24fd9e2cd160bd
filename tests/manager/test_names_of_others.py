"""Whoever comes from another library gets the intended name; names kept from others are out of sight."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import engrain
from engrain import AsyncMemoryManager, MemoryManager, Settings
from engrain.arguments import ALIASES, OF_OTHERS
from engrain.client import Client


@pytest.mark.parametrize(
    ("method", "argument", "advice"),
    [
        ("context", "budget", "did you mean token_budget?"),
        ("recall", "limit", "did you mean k?"),
        ("recall", "top_k", "did you mean k?"),
        ("list_memories", "k", "did you mean limit?"),
        ("remember", "tag", "did you mean tags?"),
        ("remember", "user_id", r"memory.scoped\(user=...\)"),
        ("forget", "force", "did you mean hard?"),
        ("remember", "infer", "did you mean evolve?"),
        ("remember", "role", "did you mean source_type?"),
        ("remember", "id", "did you mean key?"),
        ("remember", "memory_type", "did you mean kind?"),
        ("remember", "expires_at", "did you mean valid_until?"),
        ("remember", "created_at", "did you mean valid_from?"),
        ("recall", "count", "did you mean k?"),
        ("recall", "K", "did you mean k?"),
        ("recall", "mode", "did you mean ranking?"),
        ("recall", "similarity_threshold", "did you mean min_score?"),
        ("recall", "include_metadata", "hit.memory.metadata"),
        ("list_memories", "offset", "did you mean cursor?"),
        ("get_messages", "limit", r"memory.working.last\(n\)"),
        *(("remember", name, "did you mean valid_from?") for name in ("time", "date", "when")),
        ("remember", "type", "did you mean kind?"),
        ("remember", "category", "did you mean domain?"),
        ("recall", "budget", "context\\(query, token_budget"),
        ("recall", "offset", "k= is how many hits"),
        ("recall", "time", "as_of="),
        ("recall", "type", "did you mean kinds?"),
        ("recall", "kind", "did you mean kinds?"),
        ("remember", "kinds", "did you mean kind?"),
        *(("recall", name, "did you mean k?") for name in ("topk", "top_n", "num")),
        ("remember", "expire", "did you mean ttl?"),
        ("synthesize", "style", "did you mean format?"),
        ("list_memories", "state", "did you mean status?"),
        ("forget", "permanent", "did you mean hard?"),
        ("synthesize", "budget", "k= is from how many memories"),
        ("list_memories", "source", "each memory has it as memory.source"),
        ("for_org", "org", "did you mean name?"),
        *((name, "query", "recall\\(query\\) finds") for name in ("remember", "forget", "history", "get")),
        ("list_memories", "q", "words= keeps"),
        ("remember", "meta", "did you mean metadata?"),
        ("recall", "llm", "MemoryManager\\(llm=...\\)"),
    ],
)
def test_an_unknown_argument_is_answered_with_the_intended_one(
    memory: MemoryManager, method: str, argument: str, advice: str
) -> None:
    given: dict[str, Any] = {argument: 1}
    with pytest.raises(TypeError, match=f"MemoryManager.{method} has no argument '{argument}': .*{advice}"):
        getattr(memory, method)(*() if method in ("list_memories", "get_messages") else ("Ana",), **given)


@pytest.mark.parametrize(
    ("method", "given", "meant"),
    [
        ("synthesize", {"question": "x"}, "query"),
        ("context", {"question": "x"}, "query"),
        ("recall_deep", {"question": "x"}, "query"),
        ("why_not", {"question": "x", "memory_id": "x"}, "query"),
        ("neighbors", {"query": "x"}, "text"),
        ("add_message", {"text": "x", "role": "user"}, "content"),
        ("remember_many", {"memories": ["x"]}, "items"),
        ("remember_messages", {"turns": []}, "messages"),
        ("supersede", {"memory_id": "x", "content": "y"}, "old_id"),
        ("ingest", {"file": "x"}, "paths"),
        ("sync_folder", {"path": "x"}, "folder"),
        ("link", {"source": "x", "target": "y"}, "from_id"),
        ("recall_entity", {"entity_type": "person", "name": "Ana"}, "value"),
    ],
)
def test_the_name_of_what_is_required_may_be_unknown_too(
    memory: MemoryManager, method: str, given: dict[str, Any], meant: str
) -> None:
    with pytest.raises(TypeError, match=rf"MemoryManager.{method} has no argument '\w+': did you mean {meant}\?"):
        getattr(memory, method)(**given)


def test_what_is_given_by_position_is_answered_with_its_name(memory: MemoryManager) -> None:
    given: list[tuple[str, tuple[object, ...], str]] = [
        ("update", ("x", "new text"), "content"),
        ("promote", ("x", "semantic"), "to"),
        ("recall", ("x", 3), "k"),
        ("context", ("x", 300), "token_budget"),
        ("scoped", ("ben",), "user"),
        ("forget", ("x", True), "hard"),
        ("list_memories", (10,), "limit"),
        ("get_messages", ("today",), "session"),
    ]
    for method, values, name in given:
        with pytest.raises(TypeError, match=rf"MemoryManager.{method} takes \w+ by position, .*mean {name}=..."):
            getattr(memory, method)(*values)
    with pytest.raises(TypeError, match=r"MemoryManager takes store by position, .*did you mean user=..."):
        MemoryManager(":memory:", "ana")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"MemoryManager.pin takes memory_id by position, and nothing else"):
        memory.pin("x", "y")  # type: ignore[call-arg]


@pytest.mark.parametrize("name", ["hard", "source", "tennant"])
def test_a_name_of_another_meaning_is_no_near_name(memory: MemoryManager, name: str) -> None:
    for method in (memory.recall, memory.context, memory.synthesize):
        with pytest.raises(TypeError, match=f"has no argument '{name}'") as raised:
            method("x", **{name: 1})  # type: ignore[arg-type]
        assert "did you mean" not in str(raised.value)


@pytest.mark.parametrize("part", ["", "graph", "keys", "lifecycle", "procedures", "working"])
def test_every_method_answers_an_unknown_argument_itself(memory: MemoryManager, tmp_path: Path, part: str) -> None:
    """Those of the class too, which `restore`, `migrate` and `rekey` are."""
    view = memory.scoped(session="today")
    values: dict[str, Any] = {"items": [{"content": "x"}], "role": "user", "folder": tmp_path}
    owner = getattr(view, part) if part else view
    for name in [name for name in dir(owner) if not name.startswith("_") and inspect.ismethod(getattr(owner, name))]:
        takes = inspect.signature(getattr(owner, name)).parameters.values()
        if not any(each.kind == each.VAR_KEYWORD and each.name == "metadata" for each in takes):
            required = [each.name for each in takes if each.default is each.empty and each.kind != each.VAR_KEYWORD]
            with pytest.raises(TypeError, match=f"{name} has no argument 'nothing_of_that_name'"):
                getattr(owner, name)(**{name: values.get(name, "x") for name in required}, nothing_of_that_name=1)


def test_what_belongs_to_the_manager_is_named_when_one_is_opened() -> None:
    with pytest.raises(TypeError, match="MemoryManager has no argument 'user_id': did you mean user"):
        MemoryManager(":memory:", user_id="ana")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="MemoryManager has no argument 'path': did you mean store"):
        MemoryManager(path="memory.db")  # type: ignore[call-arg]
    for name, advice in (
        ("model", "llm="),
        ("embedding_model", "did you mean embedder"),
        ("api_key", "OPENAI_API_KEY"),
    ):
        with pytest.raises(TypeError, match=f"MemoryManager has no argument '{name}': .*{advice}"):
            MemoryManager("memory.db", **{name: "x"})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"MemoryManager has no argument 'key': .*SQLiteStore\(path, key=...\)"):
        MemoryManager("memory.db", key="secret")  # type: ignore[call-arg]
    with MemoryManager(":memory:") as opened, pytest.raises(TypeError, match=r"memory.for_org\(...\)"):
        opened.scoped(org="acme")  # type: ignore[call-arg]


def test_a_view_answers_likewise(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match=r"Graph.entities has no argument 'top_k': did you mean limit\?"):
        memory.graph.entities(top_k=3)  # type: ignore[call-arg]


def test_settings_items_of_a_batch_and_clients_answer_likewise(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match=r"Settings has no argument 'retension': did you mean retention\?"):
        Settings(retension="keep")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"remember has no argument 'tag': did you mean tags\?"):
        memory.remember_many([{"content": "Ana keeps bees", "tag": "bees"}])
    with pytest.raises(TypeError, match=r"Client has no argument 'token': did you mean key\?"):
        Client("http://localhost:1", token="secret")  # type: ignore[call-arg]
    with Client("http://localhost:1") as client:
        with pytest.raises(TypeError, match=r"recall has no argument 'limit': did you mean k\?"):
            client.recall("bees", limit=3)  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"context has no argument 'budget': did you mean token_budget\?"):
            client.context("bees", budget=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("search", "recall"),
        ("add", "remember"),
        ("recal", "recall"),
        ("add_texts", "remember"),
        ("similarity_search", "recall"),
        ("save_context", "add_message"),
        ("peek", "list_memories"),
        ("delete_fact", "forget"),
        ("search_iterative", "recall_deep"),
        ("import_memories", "import_"),
        ("new_session", r"scoped\(session=...\)"),
        ("reembed", "reindex"),
        ("get_memory", "get"),
        ("search_memory", "recall"),
        ("summarize", "synthesize"),
        ("audit", "audit_log"),
        ("verify", "verify_audit"),
        ("entities", "graph.entities"),
        ("backup", "snapshot"),
        ("optimize", "consolidate"),
        ("delete_user", r"forget_all\(user=...\)"),
        ("add_messages", "remember_messages"),
    ],
)
def test_a_method_of_another_library_is_answered_with_ours(memory: MemoryManager, name: str, method: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}': did you mean {method}\?"):
        getattr(memory, name)


def test_an_error_of_the_same_kind_from_inside_is_not_changed(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="ttl must be a timedelta, seconds or a text"):
        memory.remember("x", ttl=[])  # type: ignore[arg-type]


def test_names_kept_from_others_work_and_are_not_listed(memory: MemoryManager) -> None:
    for alias, name in ALIASES.items():
        assert getattr(memory, alias) == getattr(memory, name)
    for each in (memory, MemoryManager, AsyncMemoryManager):
        assert not OF_OTHERS & set(dir(each))
        assert "recall" in dir(each)


def test_an_attribute_of_another_library_is_answered_with_ours(memory: MemoryManager) -> None:
    written = memory.remember("Ana lives in Rome")
    recall, answer = memory.recall("where does Ana live?"), memory.synthesize("where does Ana live?")
    intended: list[tuple[object, str, str]] = [
        (recall, "hits results", "list(recall)"),
        (recall, "contxt", "context"),
        (recall[0], "metadata", "memory.metadata"),
        (recall[0], "user_id", "memory.scope.user"),
        (recall[0].memory, "text page_content contnt", "content"),
        (recall[0].memory, "created created_at", "recorded_at"),
        (written, "text content", "memory.content"),
        (answer, "answer text", 'synthesis["answer"]'),
        (memory.stats(), "count", "total_notes"),
        (memory.list_memories(), "items", "list(page)"),
    ]
    for result, names, ours in intended:
        for name in names.split():
            with pytest.raises(AttributeError, match=f"no attribute '{name}': did you mean {re.escape(ours)}[?]"):
                getattr(result, name)
    assert not hasattr(recall, "colour")
    assert pickle.loads(pickle.dumps(recall[0])) == recall[0]


def test_a_time_to_live_in_words(memory: MemoryManager) -> None:
    stored = memory.remember("the code is 4471", ttl="7d").memory
    assert (stored.expires_at - stored.recorded_at).days == 7  # type: ignore[operator]
    with pytest.raises(ValueError, match="'soon' is not a duration"):
        memory.remember("x", ttl="soon")


def test_a_superseded_memory_is_shown_as_such(memory: MemoryManager) -> None:
    old = memory.remember("Ana lives in Boston", valid_from="2021-01-01")
    new = memory.remember("Ana moved to Tbilisi", valid_from="2024-01-01")
    before, after = memory.history(new.id)
    assert (before.id, before.status, after.status) == (old.id, "superseded", "active")
    assert "superseded" in repr(before)
    assert "superseded" in memory.history(new.id)._repr_html_()  # type: ignore[attr-defined]


def test_results_show_themselves_in_a_notebook(memory: MemoryManager) -> None:
    memory.remember("Nino Beridze works at Alvorna Freight.")
    recall, answer = memory.recall("Nino Beridze"), memory.synthesize("Where does Nino Beridze work?")
    for shown in (recall, recall[0].memory, answer, memory.graph):
        assert shown._repr_html_().startswith("<table><tr><th>")
    assert "5 &lt; 7" in memory.remember("5 < 7").memory._repr_html_()
    assert len(repr(recall)) < 120
    assert len(repr(answer)) < 120


def test_arguments_that_zettelforge_documents_are_accepted(memory: MemoryManager) -> None:
    old, new = (memory.remember(text).id for text in ("Ana keeps bees", "Ana keeps goats"))
    assert memory.mark_note_superseded(note_id=old, superseded_by_id=new) is True  # type: ignore[call-arg]
    assert memory.get(old).superseded_by == new  # type: ignore[union-attr]
    view: Any = memory
    memory.remember("Maren Lund works at Alvorna Freight.")
    named = [found.id for found in memory.recall_entity("person", "Maren Lund")]
    assert [found.id for found in view.recall_entity("person", entity_value="Maren Lund")] == named != []
    relations = memory.get_entity_relationships("person", "Maren Lund")
    assert view.get_entity_relationships("person", entity_value="Maren Lund") == relations
    assert view.traverse_graph(start_type="person", start_value="Maren Lund", max_depth=1)
    assert view.recall_actor(actor_name="nobody") == view.recall_tool(tool_name="nothing", k=2) == []
    answer = memory.synthesize("Where does Maren Lund work?")
    assert view.validate_synthesis(response=answer) == memory.validate_synthesis(answer)
    assert view.check_synthesis_quality(response=answer) == memory.check_synthesis_quality(answer)
    with pytest.raises(TypeError, match="has no argument 'response'"):
        view.recall("x", response=answer)


def test_the_repr_of_a_manager_is_one_line(memory: MemoryManager) -> None:
    view = memory.scoped(user="ana", session="today")
    for part in (view.graph, view.keys, view.procedures, view.working, view.lifecycle):
        assert repr(part) == repr(view).replace("MemoryManager", type(part).__name__)
    memory.remember("Ana keeps bees")
    assert repr(memory.recall("bees")[0]).startswith("<Hit ")
    assert len(repr(memory.recall("bees " * 20_000))) < 150
    assert repr(Settings(injection="refuse")) == "Settings(injection='refuse')"


@pytest.mark.parametrize("paths", [None, b"x", {"a": 1}])
def test_an_invalid_path_is_named(memory: MemoryManager, paths: Any) -> None:
    with pytest.raises(TypeError, match="paths must be a path or a list of paths, not"):
        memory.ingest(paths)


def test_an_invalid_number_of_seconds_is_named(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="timeout must be a number of seconds, not str"):
        memory.flush(timeout="x")  # type: ignore[arg-type]


def test_results_have_a_short_representation_and_pages_a_table(memory: MemoryManager) -> None:
    turn = memory.add_message("user", "I keep bees " * 40, session="s")
    memory.graph.add_relationship(("person", "Ana"), "knows", ("person", "Ben"))
    (known,) = memory.graph.relationships()
    for each in (turn, known, memory.stats(), *memory.audit_log()):
        assert len(repr(each)) < 160
    assert repr(known) == "<Relationship Ana -[knows]-> Ben, 0 memories>"
    assert "I keep bees" in memory.list_memories()._repr_html_()
    assert "&lt;Relationship Ana" in memory.graph.relationships()._repr_html_()


def test_the_package_lists_its_public_names_alone(memory: MemoryManager) -> None:
    memory.remember("Ana keeps bees")
    assert dir(engrain) == sorted(engrain.__all__)
