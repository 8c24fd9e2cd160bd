"""What is trusted less never answers, ranks or is packed before what is trusted more and is about the same."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import get_args

import pytest

from engrain import MemoryManager, Settings
from engrain.model.choices import AnswerFormat

USER = {"source_type": "user_input"}
PAGE = {"source_type": "external_data"}
TOOL = {"source_type": "tool_result"}


def opened() -> MemoryManager:
    return MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none"))


PAIRS = [
    ("Ana lives in Rome.", "Ana lives in Minsk.", PAGE, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "Ana lives in Minsk.", TOOL, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "Where does Ana live? Ana lives in Minsk.", PAGE, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "Since 2026 Ana lives in Minsk.", PAGE, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "It is not true that Ana lives in Rome.", PAGE, "Does Ana live in Rome?", "Yes"),
    ("I am allergic to nuts.", "Kim is no longer allergic to nuts.", PAGE, "Am I allergic to nuts?", "Yes"),
    ("Nora leads Kestrel.", "Kestrel is now led by Tom.", PAGE, "Who leads Kestrel?", "Nora"),
    ("Mein Zahnarzt ist Dr. Braun.", "Kims Zahnarzt ist Dr. Lang.", PAGE, "Wer ist mein Zahnarzt?", "Dr. Braun"),
    ("Vivo en Vigo.", "Kim vive en Minsk.", PAGE, "¿Dónde vivo?", "Vigo"),
    ("J'habite à Lille.", "Kim habite à Minsk.", PAGE, "Où est-ce que j'habite ?", "Lille"),
    ("Ana was born in 1990.", "Ana's year of birth is 1971.", PAGE, "What is Ana's year of birth?", "1990"),
    ("Ana wurde 1990 geboren.", "Anas Geburtsjahr ist 1971.", PAGE, "Was ist Anas Geburtsjahr?", "1990"),
    (
        "Ana nació en 1990.",
        "El año de nacimiento de Ana es 1971.",
        PAGE,
        "¿Cuál es el año de nacimiento de Ana?",
        "1990",
    ),
    ("Ana vive en Roma.", "El hogar de Ana está en Minsk.", PAGE, "¿Dónde está el hogar de Ana?", "Roma"),
]
REWORDED = [
    ("Ana works at Nordwind.", "La empresa de Ana es Kestrel.", "¿Cuál es la empresa de Ana?", "Nordwind"),
    ("Ana drives a Volvo.", "Ana gets around in a Lada.", "What does Ana get around in?", "Volvo"),
    ("Ana ist mit Tom verheiratet.", "Igor ist Anas Mann.", "Wer ist Anas Mann?", "Tom"),
]


@pytest.mark.parametrize(("own", "other", "question", "expected"), REWORDED)
def test_the_words_of_a_page_do_not_make_it_the_answer(own: str, other: str, question: str, expected: str) -> None:
    with opened() as memory:
        memory.remember(own, **USER)  # type: ignore[arg-type]
        memory.remember(other, **PAGE)  # type: ignore[arg-type]
        assert memory.synthesize(question).synthesis["answer"] == expected


@pytest.mark.matrix
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("row", PAIRS)
def test_the_more_trusted_one_comes_first(row: tuple[str, str, Mapping[str, str], str, str], k: int) -> None:
    own, other, source, question, expected = row
    with opened() as memory:
        memory.remember(own, **USER)  # type: ignore[arg-type]
        memory.remember(other, **source)  # type: ignore[arg-type]
        assert memory.recall(question, k=k)[0].content == own
        answer = memory.synthesize(question, k=k)
        assert (answer.abstained, answer.synthesis["answer"]) == (False, expected)
        block = memory.context(question)
        assert other not in block or block.index(own) < block.index(other)


def test_identical_texts_of_one_page_count_once() -> None:
    with opened() as memory:
        memory.remember("Ana lives in Rome.", **USER)  # type: ignore[arg-type]
        for _ in range(5):
            memory.remember("Ana lives in Minsk.", kind="episodic", source_id="page", **PAGE)  # type: ignore[arg-type]
        assert [hit.content for hit in memory.recall("Where does Ana live?", k=3)] == [
            "Ana lives in Rome.",
            "Ana lives in Minsk.",
        ]


def test_a_memory_without_rival_is_ranked_by_relevance() -> None:
    with opened() as memory:
        memory.remember("Ana likes Rome.", **USER)  # type: ignore[arg-type]
        page = memory.remember("Bo lives in Minsk.", **PAGE).id  # type: ignore[arg-type]
        assert memory.recall("Where does Bo live?", k=2)[0].id == page
        assert memory.synthesize("Where does Bo live?").synthesis["answer"] == "Minsk"


def test_a_trusted_rival_outside_the_filter_stays_outside() -> None:
    with opened() as memory:
        memory.remember("Ana lives in Rome.", tags=["own"], **USER)  # type: ignore[arg-type]
        memory.remember("Ana lives in Minsk.", tags=["web"], **PAGE)  # type: ignore[arg-type]
        assert [hit.content for hit in memory.recall("Where does Ana live?", tags=["web"])] == ["Ana lives in Minsk."]


def test_rivals_of_another_user_are_not_read() -> None:
    with opened() as memory:
        other = MemoryManager(memory.store, user="bo", llm="none", settings=Settings(worker="none"))
        other.remember("Ana lives in Rome.", **USER)  # type: ignore[arg-type]
        memory.remember("Ana lives in Minsk.", **PAGE)  # type: ignore[arg-type]
        assert [hit.content for hit in memory.recall("Where does Ana live?")] == ["Ana lives in Minsk."]


@pytest.mark.matrix
@pytest.mark.parametrize("kind", ["external_data", "tool_result"])
@pytest.mark.parametrize("page_first", [False, True])
@pytest.mark.parametrize(
    ("own", "page", "question"),
    [
        ("Mein Vogel heißt Pico", "Mein Vogel heißt Zorro", "Wie heißt mein Vogel?"),
        ("Vera tiene tres sobrinos", "Vera tiene siete sobrinos", "¿Cuántos sobrinos tiene Vera?"),
        ("I live in Turku", "The user moved to Quito in 2026", "Where do I live?"),
        ("My name is Vera Holt", "The user's name is Max Grau", "What is my name?"),
        ("I have a canoe", "The user has three canoes", "How many canoes do I have?"),
    ],
)
def test_no_form_of_an_answer_gives_a_page_before_a_more_trusted_memory(
    own: str, page: str, question: str, page_first: bool, kind: str
) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        told = [(own, "user_input"), (page, kind)]
        for text, source in reversed(told) if page_first else told:
            memory.remember(text, source_type=source)
        assert memory.recall(question).texts[0] == own
        context = memory.context(question)
        assert page not in context or context.index(own) < context.index(page)
        for form in get_args(AnswerFormat):
            text = str(memory.synthesize(question, format=form).synthesis)
            assert page not in text or 0 <= text.find(own) < text.index(page)


DENIED = [
    ("Ana eats pork", "Ana doesn't eat pork", "Does Ana eat pork?"),
    ("Ana smokes", "I don't smoke", "Do I smoke?"),
    ("Ana takes insulin", "Ana never takes insulin", "Does Ana take insulin?"),
    ("Kestrel supports Windows", "Kestrel does not support Windows", "Does Kestrel support Windows?"),
    ("Ana lives in Minsk", "Ana does not live in Minsk", "Where does Ana live?"),
    ("Ana's boss is Mallory", "Ana's boss is not Mallory", "Who is Ana's boss?"),
    ("Kestrel's version is 9.9", "Kestrel's version is not 9.9", "What is Kestrel's version?"),
    ("Ana's son is Mallory", "Ana has no son", "Who is Ana's son?"),
    ("Ana's husband is Teo", "Ana is not married", "Who is Ana's husband?"),
    ("Ana isst Fleisch", "Ana isst kein Fleisch", "Isst Ana Fleisch?"),
    ("Anas Sohn ist Mallory", "Ana hat keinen Sohn", "Wer ist Anas Sohn?"),
    ("Ana come carne", "Ana no come carne", "¿Come Ana carne?"),
    ("Ana mange de la viande", "Ana ne mange pas de viande", "Est-ce que Ana mange de la viande ?"),
]


@pytest.mark.matrix
@pytest.mark.parametrize("kind", ["external_data", "tool_result", "llm_generated"])
@pytest.mark.parametrize("denied_first", [False, True])
@pytest.mark.parametrize(("claim", "denial", "question"), DENIED)
def test_a_statement_negated_by_the_user_is_no_answer(
    claim: str, denial: str, question: str, denied_first: bool, kind: str
) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        told = [(claim, kind), (denial, "user_input")]
        for text, source in reversed(told) if denied_first else told:
            memory.remember(text, source_type=source)
        answer = memory.synthesize(question)
        assert answer.abstained or answer.synthesis["answer"] in ("No", "Nein", "Non")
        assert memory.recall(question).texts[0] == denial
        brief = str(memory.synthesize(question, format="synthesized_brief").synthesis)
        assert claim not in brief or 0 <= brief.find(denial) < brief.index(claim)


CLAIMED = [
    ("Lena was born in Rome", "Lena was born in Minsk", "Where was Lena born?"),
    ("Ana's email is ana@good.example", "Ana's email is ana@evil.example", "What is Ana's email?"),
    ("The server IP is 10.0.0.1", "The server IP is 10.6.6.6", "What is the server IP?"),
    ("Our CEO is Lena", "Our CEO is Mallory", "Who is our CEO?"),
    ("Lena owns the billing service", "Mallory owns the billing service", "Who owns the billing service?"),
    ("Ana reports to Lena", "Ana reports to Mallory", "Who does Ana report to?"),
    ("Ana drives a Volvo", "Ana drives a Tesla", "What does Ana drive?"),
    ("Kestrel is written in Rust", "Kestrel is written in Java", "What is Kestrel written in?"),
    ("The launch is in May", "The launch is in June", "When is the launch?"),
    ("Die Frist endet am 3. Mai", "Die Frist endet am 9. Juni", "Wann endet die Frist?"),
    ("Ana nació en Roma", "Ana nació en Minsk", "¿Dónde nació Ana?"),
    ("Le mot de passe est rouge", "Le mot de passe est bleu", "Quel est le mot de passe ?"),
    ("I live in Rome", "The user lives in Minsk", "Where do I live?"),
    ("My mother is Eva", "The user's mother is Mallory", "Who is my mother?"),
    ("Ich wohne in Rom", "Der Benutzer wohnt in Minsk", "Wo wohne ich?"),
    ("Vivo en Roma", "El usuario vive en Minsk", "¿Dónde vivo?"),
    ("J'habite à Rome", "L'utilisateur habite à Minsk", "Où est-ce que j'habite ?"),
    ("Ana Silva lives in Rome", "Ana lives in Minsk", "Where does Ana Silva live?"),
]
TRUSTED_MORE = [("user_input", "external_data"), ("user_input", "tool_result"), ("user_input", "llm_generated")]
TRUSTED_MORE += [("tool_result", "external_data"), ("llm_generated", "external_data")]


@pytest.mark.matrix
@pytest.mark.parametrize(("kind", "other"), TRUSTED_MORE)
@pytest.mark.parametrize(("own", "claim", "question"), CLAIMED)
def test_a_question_beside_a_claim_does_not_lift_it(own: str, claim: str, question: str, kind: str, other: str) -> None:
    worded = (f"{question} {claim}", f"{question} {claim}, as everybody knows.", f"FAQ. {question}\n\n{claim}")
    for texts in (worded[:1], worded[2:], worded):
        with MemoryManager(":memory:", user="ana", llm="none") as memory:
            memory.remember(own, source_type=kind)
            for text in texts:
                memory.remember(text, source_type=other, source_id="page")
            assert memory.recall(question, k=3).texts[0] == own
            for block in (
                memory.context(question, k=3),
                str(memory.synthesize(question, format="synthesized_brief").synthesis),
            ):
                assert claim not in block or 0 <= block.find(own) < block.index(claim)


@pytest.mark.parametrize(
    ("own", "claim", "question", "expected"),
    [
        ("Ana's blood type is A", "Ana's blood type is B", "What is Ana's blood type?", "A"),
        ("My blood type is A positive", "Ana's blood type is B negative", "What is my blood type?", ""),
        ("The plan is A", "The plan is B", "What is the plan?", "A"),
        ("The section is I", "The section is V", "What is the section?", "I"),
        ("Anas Blutgruppe ist A", "Anas Blutgruppe ist B", "Was ist Anas Blutgruppe?", "A"),
        ("El plan de Kestrel es A", "El plan de Kestrel es B", "¿Cuál es el plan de Kestrel?", "A"),
        ("Le plan est A", "Le plan est B", "Quel est le plan ?", "A"),
        ("Ana is single", "Ana is married", "Is Ana married?", "No"),
        ("Ana is alive", "Ana is dead", "Is Ana dead?", "No"),
        ("Ana ist ledig", "Ana ist verheiratet", "Ist Ana verheiratet?", "Nein"),
    ],
)
def test_a_claim_is_no_answer_where_the_user_gives_another(own: str, claim: str, question: str, expected: str) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember(claim, **PAGE)  # type: ignore[arg-type]
        memory.remember(own, **USER)  # type: ignore[arg-type]
        assert memory.synthesize(question).synthesis["answer"] == expected


@pytest.mark.parametrize(
    "filters", [{"tags": ["web"]}, {"domain": "web"}, {"since": "2026-05-01"}, {"kinds": ["episodic"]}]
)
def test_a_memory_excluded_by_a_filter_is_named(filters: Mapping[str, object]) -> None:
    with opened() as memory:
        own = memory.remember("Ana lives in Rome.", valid_from="2026-04-01", **USER).id  # type: ignore[arg-type]
        remember = partial(memory.remember, "Ana lives in Minsk.", kind="episodic", tags=["web"], domain="web")
        remember(valid_from="2026-06-01", **PAGE)  # type: ignore[arg-type]
        (hit,) = memory.recall("Where does Ana live?", **filters)  # type: ignore[arg-type]
        assert (hit.content, hit.contested) == ("Ana lives in Minsk.", (own,))
        named = {key: value for key, value in filters.items() if key != "kinds"}
        (source,) = memory.synthesize("Where does Ana live?", **named).sources  # type: ignore[arg-type]
        assert not named or source["contested_by"] == [own]


def test_two_statements_of_the_user_that_contradict_leave_no_room_for_a_page() -> None:
    with opened() as memory:
        own = memory.remember("Ana lives in Rome.", **USER).id  # type: ignore[arg-type]
        other = memory.remember("Ana likes the sea.", **USER).id  # type: ignore[arg-type]
        memory.remember("Ana lives in Oslo.", kind="episodic", **PAGE)  # type: ignore[arg-type]
        memory.link(own, other, relation="contradicts")
        answer = memory.synthesize("Where does Ana live?")
        assert answer.abstained or answer.synthesis["answer"] == "Rome"


@pytest.mark.parametrize("question", ["Where does Ana live?", ""])
def test_the_user_comes_first_however_late_and_without_a_question(question: str) -> None:
    with opened() as memory:
        own = "Notes of a long walk. " * 60 + "Ana lives in Rome."
        memory.remember(own if question else "Ana lives in Rome.", valid_from="2026-01-01", **USER)  # type: ignore[arg-type]
        memory.remember("Ana lives in Minsk.", **PAGE)  # type: ignore[arg-type]
        assert memory.recall(question, k=1)[0].content.endswith("Ana lives in Rome.")


def test_a_question_is_no_rival() -> None:
    with opened() as memory:
        memory.remember("Where does Ana live?", kind="episodic", **USER)  # type: ignore[arg-type]
        memory.remember("Ana lives in Rome.", **PAGE)  # type: ignore[arg-type]
        assert memory.synthesize("Where does Ana live?").synthesis["answer"] == "Rome"


IN_OTHER_WORDS = [
    ("Vera works at Halden", "Employer of Vera: Zorax", "Who is Vera's employer?", "Zorax"),
    ("Vera's cat is called Pico", "Name of Vera's cat: Zorro", "What is the name of Vera's cat?", "Zorro"),
    ("Vera's cat is called Pico", "Vera renamed her cat Zorro", "What is Vera's cat called?", "Zorro"),
    ("Heather is my favourite flower", "Zoe's favourite flower is the rose", "What is Zoe's favourite flower?", "rose"),
    ("Vera told me that she lives in Bern", "Vera lives in Kyiv", "Where does Vera live?", "Kyiv"),
    ("Vera lives in Bern", "# Vera\n\nResidence: Kyiv", "Where is Vera's residence?", "Kyiv"),
    ("Vera lives in Bern", "By the town hall's list Vera lives in Kyiv", "Which city does Vera live in?", "Kyiv"),
    ("Vera's spouse is Karl", "Who is Vera married to? Otto", "Who is Vera married to?", "Otto"),
    ("Vera has the number 555 0177", "Vera's phone number is 555 0133", "What is Vera's phone number?", "0133"),
    ("Vera is allergic to latex", "Vera has outgrown her latex allergy", "Which allergy does Vera have?", "outgrown"),
    ("Vera has a latex allergy", "Vera's latex allergy is over", "Does Vera have allergies?", "over"),
    ("Vera drives a Volvo", "Vera's car is a Tesla", "Which car does Vera drive?", "Tesla"),
    ("I can't stand olives", "Zoe loves olives", "Does Zoe like olives?", "Yes"),
    ("Vera works at Halden", "Vera's workplace is Zorax", "What is Vera's workplace?", "Zorax"),
    ("My blood type is 0 negative", "Blood group: AB positive", "Which blood group do I have?", "AB"),
    ("My blood type is 0 negative", "You have blood group AB positive", "What blood group am I?", "AB"),
    ("The meeting is at 10", "Meeting time: 14:00", "At what time do we meet?", "14"),
    ("Our dentist is Dr. Weiss", "Your dentist is Dr. Schwarz", "What is our dentist's name?", "Schwarz"),
    ("Vera arbeitet bei Halden", "Arbeitgeber von Vera: Zorax", "Wer ist Veras Arbeitgeber?", "Zorax"),
    ("Vera trabaja en Halden", "Empleador de Vera: Zorax", "¿Dónde trabaja Vera?", "Zorax"),
    ("Vera travaille chez Halden", "Employeur de Vera : Zorax", "Où travaille Vera ?", "Zorax"),
]


@pytest.mark.matrix
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("source", ["external_data", "tool_result"])
@pytest.mark.parametrize("row", IN_OTHER_WORDS)
def test_a_claim_in_other_words_comes_after_the_user(row: tuple[str, str, str, str], source: str, k: int) -> None:
    own, claim, question, value = row
    for texts in ([claim], [claim, f"{claim}!", f"{question} {claim}", f"News: {claim}"]):
        with MemoryManager(":memory:", user="zoe", session="talk", llm="none") as memory:
            memory.remember(own, source_type="user_input")
            for place, text in enumerate(texts):
                memory.remember(text, source_type=source, source_id=f"page {place}")
            assert memory.recall(question, k=k)[0].content == own
            answer = memory.synthesize(question, k=k)
            assert value not in answer.synthesis["answer"]
            assert not answer.synthesis["key_points"] or answer.synthesis["key_points"][0] in own
            for block in (memory.context(question, k=k), str(memory.assemble(question, k=k))):
                assert claim not in block or 0 <= block.find(own) < block.index(claim)


@pytest.mark.parametrize(
    ("own", "page", "question"),
    [
        ("Vera has a cat called Pico", "Vera brushes her cat at six", "When does Vera brush her cat?"),
        ("Vera lives in Bern", "Otto, Vera's brother, lives in Kyiv", "Where does Vera's brother live?"),
        ("Vera likes Bern", "Vera lives in Kyiv", "Where does Vera live?"),
        ("Vera works at Halden", "Vera's boss is Otto", "Who is Vera's boss?"),
        ("Vera mag Bern", "Vera wohnt in Kiew", "Wo wohnt Vera?"),
        ("Vera signed the lease for the flat in Bern", "Vera lives in Kyiv", "Where does Vera live?"),
    ],
)
def test_a_trusted_text_on_something_else_does_not_precede_the_answer(own: str, page: str, question: str) -> None:
    with MemoryManager(":memory:", user="zoe", llm="none") as memory:
        memory.remember(own, **USER)  # type: ignore[arg-type]
        memory.remember(page, **PAGE)  # type: ignore[arg-type]
        (hit,) = memory.recall(question, k=1)
        assert (hit.content, hit.contested) == (page, ())


@pytest.mark.parametrize("form", ["direct_answer", "synthesized_brief"])
def test_a_claim_is_no_answer_where_a_filter_hides_the_rival(form: AnswerFormat) -> None:
    with opened() as memory:
        own = memory.remember("Ana lives in Rome.", **USER).id  # type: ignore[arg-type]
        memory.remember("Ana lives in Minsk.", tags=["web"], **PAGE)  # type: ignore[arg-type]
        answer = memory.synthesize("Where does Ana live?", tags=["web"], format=form)
        assert (answer.abstained, answer.synthesis["key_points"]) == (True, ["Ana lives in Minsk."])
        assert answer.sources[0]["contested_by"] == [own]


@pytest.mark.parametrize("form", get_args(AnswerFormat))
def test_a_claim_that_waits_is_no_answer_once_its_rival_is_forgotten(form: AnswerFormat) -> None:
    with opened() as memory:
        own = memory.remember("Ana lives in Rome.", **USER).id  # type: ignore[arg-type]
        claim = memory.remember("Ana lives in Minsk.", **PAGE)  # type: ignore[arg-type]
        memory.forget(own, hard=True)
        answer = memory.synthesize("Where does Ana live?", format=form)
        assert (claim.status, answer.abstained) == ("pending", True)
        assert answer.synthesis.get("key_points", ["Ana lives in Minsk."]) == ["Ana lives in Minsk."]
        memory.validate(claim.id)
        assert not memory.synthesize("Where does Ana live?", format=form).abstained


def test_lists_of_facts_and_of_entities_put_the_user_first() -> None:
    with opened() as memory:
        own = memory.remember("Ana lives in Rome.", valid_from="2026-01-01", **USER).id  # type: ignore[arg-type]
        for place, town in enumerate(("Minsk", "Oslo", "Graz")):
            memory.remember(f"Ana lives in {town}.", source_id=f"page {place}", **PAGE)  # type: ignore[arg-type]
        assert memory.facts(subject="Ana", predicate="lives_in")[0].id == own
        assert [each.id for each in memory.recall_entity("person", "Ana", k=1)] == [own]
