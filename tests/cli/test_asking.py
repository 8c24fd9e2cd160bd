"""`recall-deep`, `why-not` and the ways to rank a `recall`, as a person calls them."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def ids(run: Run) -> dict[str, str]:
    """Two texts in the store, their ids by their first word."""
    texts = ("Tea grows in the garden", "Lanterns hang on the wall")
    return {text.split()[0]: run("remember", text, "--json").document["memory"]["id"] for text in texts}


def test_a_deep_recall(run: Run, ids: dict[str, str]) -> None:
    found = run("recall-deep", "who grows tea?", "--max-iterations", 2, "-k", 1, "--json").document
    assert [hit["id"] for hit in found["hits"]] == [ids["Tea"]]
    assert found["iterations"] == 1
    ran = run("recall-deep", "who grows tea?")
    assert (ran.code, ran.err) == (0, "")
    assert "Tea grows in the garden" in ran.out


@pytest.mark.parametrize("looks", ["0", "-1", "many"])
def test_a_deep_recall_looks_at_least_once(run: Run, ids: dict[str, str], looks: str) -> None:
    ran = run("recall-deep", "tea", "--max-iterations", looks)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_why_not_says_the_stage(run: Run, ids: dict[str, str]) -> None:
    assert run("why-not", "tea", ids["Tea"], "--json").document["stage"] == "found"
    found = run("why-not", "tea", ids["Tea"], "--domain", "travel", "--json").document
    assert (found["stage"], found["by"]) == ("filters", 0)
    assert run("why-not", "tea", "mem_unknown", "--json").document["stage"] == "scope"


def test_why_not_for_people(run: Run, ids: dict[str, str]) -> None:
    ran = run("why-not", "tea", ids["Lanterns"])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "search"
    assert "none of the question's words" in ran.out
    by = run("why-not", "tea", ids["Tea"], "--min-trust", "0.9").out.splitlines()[0]
    assert by == "filters  by 0.2"


def test_a_recall_ranked_otherwise(run: Run, ids: dict[str, str]) -> None:
    for name in ("convex", "rrf", "intent_blend", "recency_similarity_importance", "similarity_importance_recency"):
        assert run("recall", "tea", "--ranking", name, "--json").document["hits"][0]["id"] == ids["Tea"]
    ran = run("recall", "tea", "--ranking", "best")
    assert ran.code != 0
    assert "'best' is not one of 'convex'" in ran.err


def test_links_and_hops_on_the_command_line(run: Run, ids: dict[str, str]) -> None:
    run("link", ids["Tea"], ids["Lanterns"])
    assert len(run("recall", "tea", "--expand-hops", 1, "--json").document["hits"]) == 2
    assert len(run("recall", "tea", "--no-include-links", "--json").document["hits"]) == 1
    assert run("recall", "tea", "--expand-hops", 3).code != 0


def test_what_has_nobody_to_do_it(run: Run, ids: dict[str, str]) -> None:
    ran = run("recall", "tea", "--rerank")
    assert ran.code != 0
    assert "reranker" in ran.err
    explained = run("recall", "tea", "--multi-query", 3, "--hyde", "--explain")
    assert explained.code == 0
    assert "multi_query and hyde left out" in " ".join(explained.out.split())


def test_an_answer_is_held_to_what_it_cites(run: Run) -> None:
    run("remember", "Ana lives in Boston")
    answer = run("ask", "where does Ana live?", "--json").out
    assert run("validate-synthesis", answer).out == "holds\n"
    assert run("validate-synthesis", answer, "--json").document == {"checked": [True, []]}
    false = json.dumps({**json.loads(answer), "sources": []})
    ran = run("validate-synthesis", false)
    assert ran.code == 1
    assert "0 sources" in ran.out
    assert ran.err == "engrain: the answer does not hold\n"
    assert run("validate-synthesis", "[1]").code == 2


def test_without_a_sure_answer_the_closest_sentences_are_quoted(run: Run) -> None:
    text = "To restart the service run 'systemctl restart engine'."
    run("remember", text, "--source-type", "user_input")
    question = "How do I restart the service?"
    found = run("ask", question, "--json").document
    assert (found["metadata"]["abstained"], found["synthesis"]["key_points"]) == (True, [text])
    first, lead, quote, source, *_ = run("ask", question).out.splitlines()
    assert (first, lead, quote) == ("no answer is sure", "the closest I know:", f'[1] "{text}"')
    assert "user_input" in source
    assert found["sources"][0]["date"] in source
    assert found["sources"][0]["memory_id"] in source
    nothing = run("ask", "When was Rome founded?").out.splitlines()
    assert nothing[0] == "too little is remembered to answer this"
    assert "closest" not in "".join(nothing)


def test_an_answer_is_not_supported_by_what_is_irrelevant(run: Run) -> None:
    for text in ("Ana lives in Boston", "Ana moved to Tbilisi", "Ana is allergic to penicillin", "Ana keeps bees"):
        run("remember", text)
    found = run("ask", "where does Ana live?", "--json").document["synthesis"]
    assert (found["answer"], found["key_points"]) == ("Tbilisi", ["Ana moved to Tbilisi"])
