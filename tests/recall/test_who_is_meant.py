"""The subject of a question: the asker, the agent asked, or a person it names."""

import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.read.retrieval import understand

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "by_user", "by_assistant"),
    [
        ("What did I say about the boat?", True, False),
        ("Where is my passport?", True, False),
        ("What did you recommend for dinner?", False, True),
        ("What did you tell me about the ferry?", False, True),
        ("Can you suggest a restaurant for my birthday?", True, False),
        ("Could you please remind me where my keys are?", True, False),
        ("Do you remember the name of my dentist?", True, False),
        ("Can you repeat what you said about the visa?", False, True),
        ("Where does Ana live?", False, False),
        ("Can you tell me where Ana lives?", False, False),
        ("Tell me about the ferry", False, False),
        ("I was looking back at our last chat and I wanted to confirm, which day does the ferry go?", False, False),
        ("I’m going back to our talk about ferries. Could you remind me of the name of the pier?", False, False),
        ("I was wondering what my brother bought", True, False),
        ("What did Ana tell me about the car?", True, False),
        ("I wanted to ask what you said about the visa", False, True),
        ("I think we talked about a pier. What was it called?", False, False),
        ("If I remember correctly, the ferry has a name. Which one?", False, False),
        ("Could I have the list of piers again?", False, False),
        ("What did I forget at the hotel?", True, False),
        ("Who did I want to ask about the roof?", True, False),
        ("Kannst du mich daran erinnern, wie die Fähre hieß?", False, False),
        ("Ich wollte noch einmal fragen, wann die Fähre fährt.", False, False),
        ("Ich glaube, wir sprachen über einen Steg. Wie hieß er?", False, False),
        ("Was glaube ich über den Steg?", True, False),
        ("Ich wollte wissen, wo mein Pass liegt.", True, False),
        ("¿Me puedes recordar el nombre del muelle?", False, False),
        ("Peux-tu me rappeler le nom du quai ?", False, False),
        ("Je crois qu'on parlait d'un quai. Quel était son nom ?", False, False),
        ("Rappelle-moi où sont mes clés", True, False),
    ],
)
def test_a_request_is_not_a_question_about_the_assistant(text: str, by_user: bool, by_assistant: bool) -> None:
    question = understand(text, NOW, [])
    assert (question.by_user, question.by_assistant) == (by_user, by_assistant)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Can you tell me where the ferry lands?", "Where does the ferry land?"),
        (
            "I was looking back at our previous chat about ferries. Can you remind me which islands they serve?",
            "ferries. which islands they serve?",
        ),
        ("Kannst du mir sagen, wo die Fähre anlegt?", "Sagen, wo die Fähre anlegt?"),
        ("How long was our last conversation?", "How long was our last conversation?"),
    ],
)
def test_the_words_of_a_request_are_not_searched(text: str, bare: str) -> None:
    asked, plain = understand(text, NOW, []), understand(bare, NOW, [])
    assert asked.terms == plain.terms
    assert (asked.wants_place, asked.wants_latest) == (plain.wants_place, plain.wants_latest)


CHAT = (
    ("mk_1987", "Hey Dana! How was the weekend?"),
    ("harbourfox", "Lovely, Marek! I took up fencing."),
    ("mk_1987", "Nice, Dana. I planted a plum tree."),
    ("harbourfox", "Marek, send a picture! Rosa would like it."),
    ("mk_1987", "Rosa, your sister? She would. Thanks, Dana!"),
    ("harbourfox", "Yes, Rosa sold her violin. See you, Marek!"),
    ("mk_1987", "I started rowing with Rosa."),
)


def _chat(folder: Path) -> MemoryManager:
    memory = MemoryManager(folder / "chat.db", user="both")
    memory.remember_many([{"content": text, "actor": actor, "session": "s"} for actor, text in CHAT])
    return memory


@pytest.mark.parametrize(
    ("question", "actor"),
    [
        ("Which sport does Dana do?", "harbourfox"),
        ("Which sport does Marek do?", "mk_1987"),
        ("What did Rosa do?", None),
    ],
)
def test_an_actor_is_known_by_the_name_that_the_others_call_them(
    tmp_path: Path, question: str, actor: str | None
) -> None:
    with _chat(tmp_path) as memory:
        hits = memory.recall(question)
        boosted = {hit.memory.actor for hit in hits if any(signal.name == "x speaker" for signal in hit.signals)}
    assert boosted == ({actor} if actor else set())


@pytest.mark.parametrize(
    ("text", "boosted"), [("Good evening, both of you", set()), ("Good evening, Dana and all!", {"harbourfox"})]
)
def test_where_three_speak_all_the_others_must_call_them_so(tmp_path: Path, text: str, boosted: set[str]) -> None:
    with _chat(tmp_path) as memory:
        memory.remember_many(
            [{"content": each, "actor": "third", "session": "s"} for each in (text, "Hello, Dana!")[: 1 + len(boosted)]]
        )
        hits = memory.recall("Which sport does Dana do?")
    assert {hit.memory.actor for hit in hits if any(signal.name == "x speaker" for signal in hit.signals)} == boosted


def _executed(memory: MemoryManager, question: str) -> int:
    """Return how many SQL statements a recall executes."""
    calls = Counter[str]()

    def note(_frame: object, event: str, called: object) -> None:
        if event == "c_call":
            calls[getattr(called, "__name__", "")] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        memory.recall(question)
    finally:
        sys.setprofile(before)
    return calls["execute"]


def test_a_repeated_name_costs_no_more_statements(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "names.db", user="both") as memory:
        texts = [f"The beach of Rosa on day {day}" for day in range(12)]
        memory.remember_many([{"content": text, "actor": f"u{at % 2}"} for at, text in enumerate(texts)])
        for question in (once := "Rosa?", often := "Rosa " * 200):
            memory.recall(question)
        assert _executed(memory, often) == _executed(memory, once)
