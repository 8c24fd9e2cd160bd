"""What a memory is given beside its text: summary, keywords, tags, importance, and the line that places it."""

from __future__ import annotations

from engrain import Memory, MemoryManager


def kept(memory: MemoryManager, content: str, **fields: object) -> Memory:
    """Remember a text and return the memory."""
    found = memory.get(memory.remember(content, **fields).id)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_it_is_there_when_remember_returns(memory: MemoryManager) -> None:
    found = kept(memory, "Hi there! The Lisbon office moves to Porto in June. " + "Everybody packs boxes. " * 9)
    assert found.summary == "The Lisbon office moves to Porto in June."
    assert {"Lisbon", "Porto"} <= set(found.keywords)
    assert len(found.keywords) <= 7
    assert 0 <= found.importance <= 1


def test_a_summary_is_at_most_150_characters(memory: MemoryManager) -> None:
    assert len(kept(memory, "and so it went on " * 100).summary) <= 150


def test_given_tags_are_kept_as_given(memory: MemoryManager) -> None:
    assert kept(memory, "Ana drinks tea", tags=["Zeta", "alpha"]).tags == ("Zeta", "alpha")


def test_a_domain_is_a_tag_too(memory: MemoryManager) -> None:
    assert kept(memory, "Ana drinks tea", tags=["x"], domain="home").tags == ("x", "home")
    assert kept(memory, "Ben drinks tea").tags == ()


def test_a_given_importance_is_kept(memory: MemoryManager) -> None:
    assert (kept(memory, "Ana drinks tea", importance=0.87).importance, kept(memory, "ok").band) == (0.87, "trivial")


def test_tags_and_facts_are_found_by_their_words(memory: MemoryManager) -> None:
    tagged = kept(memory, "It opens at nine", tags=["bakery"])
    factual = kept(memory, "She never liked it there", fact=("Ana", "lives_in", "Oslo"))
    assert memory.recall("bakery").memories[0].id == tagged.id
    assert memory.recall("who lives in Oslo?").memories[0].id == factual.id


def test_the_text_itself_is_never_altered(memory: MemoryManager) -> None:
    found = kept(memory, "It opens at nine", tags=["bakery"], fact=("bakery", "opens", "nine"))
    assert found.content == "It opens at nine"
    assert "[Context:" not in memory.context("bakery")


def test_an_edit_repeats_the_enrichment(memory: MemoryManager) -> None:
    found = kept(memory, "The Lisbon office moves to Porto")
    edited = memory.update(found.id, content="The Vienna office stays")
    assert edited.summary == "The Vienna office stays"
    assert "Lisbon" not in edited.keywords
