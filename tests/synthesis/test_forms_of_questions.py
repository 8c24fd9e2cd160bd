"""First and last, how many, how long and lists: answered where every statement that bears on it is surely read."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

CITIES = "5 I grew up in Porto. / 6 In 2015 I moved to Lyon. / 7 I moved to Berlin in 2019."
STAEDTE = "5 Ich bin in Graz aufgewachsen. / 6 2015 bin ich nach Linz gezogen. / 7 2019 bin ich nach Wien gezogen."
DENTIST = "2 I went to the dentist today. / 10 I was at the dentist again today. / 11 My dentist is called Dr. Braun."
ZAHNARZT = (
    "2 Ich war heute beim Zahnarzt. / 10 Ich war gestern wieder beim Zahnarzt. / 11 Am 20. Juni muss ich zum Zahnarzt."
)
GYM = (
    "3 I went to the gym today. / 5 I did not go to the gym today. / 9 I was at the gym today. / 9 Tom went to the gym."
)
ALLERGIES = "3 Omar is allergic to nuts. / 4 Omar is also allergic to shellfish. / 5 Omar is not allergic to cats."

ROWS = f"""
{CITIES} | What was the first city I lived in? | Porto
{CITIES} | Where did I live first? | Porto
{CITIES} | What was the last city I lived in? | Berlin
{STAEDTE} | In welcher Stadt habe ich zuerst gewohnt? | Graz
{STAEDTE} | Was war die erste Stadt, in der ich gewohnt habe? | Graz
3 I moved to Berlin. | What was the first city I lived in? |
3 In 2015 I moved to Lyon. / 4 I moved to Berlin in 2019. | What was the first city I lived in? |
3 I live in Porto. / 4 I used to live in Rome. | What was the first city I lived in? |
3 Otto leads Kestrel. / 8 Vera took over Kestrel from Otto. | Who led Kestrel first? | Otto
{DENTIST} | When did I last see the dentist? | 10 June 2026
{DENTIST} | When was the last time I went to the dentist? | 10 June 2026
{DENTIST} | When did I first go to the dentist? | 2 June 2026
3 I went to the dentist today. / 9 A quick visit to the dentist, all fine. | When did I last see the dentist? |
3 Tom went to the dentist today. | When did I last see the dentist? |
{ZAHNARZT} | Wann war ich zuletzt beim Zahnarzt? | 9. Juni 2026
{ZAHNARZT} | Wann war ich zum ersten Mal beim Zahnarzt? | 2. Juni 2026
2 Fui al dentista hoy. / 9 Hoy fui otra vez al dentista. | ¿Cuándo fui al dentista por última vez? | 9 de junio de 2026
2 Je suis allée chez le dentiste aujourd'hui. / 9 Je suis allée chez le dentiste hier. | \
Quand suis-je allée chez le dentiste pour la dernière fois ? | 8 juin 2026
{GYM} | How many times did I go to the gym in June? | 2
{GYM} | How many times did I go to the gym in May? |
{GYM} / 10 I go to the gym every Monday. | How many times did I go to the gym in June? |
{GYM} / 10 I hope I went to the gym on 4 June. | How many times did I go to the gym in June? |
{ZAHNARZT} | Wie oft war ich beim Zahnarzt? | 2
2 Fui al dentista hoy. / 9 Hoy fui otra vez al dentista. | ¿Cuántas veces fui al dentista en junio? | 2
2 Je suis allée chez le dentiste aujourd'hui. / 9 Je suis allée chez le dentiste hier. | \
Combien de fois suis-je allée chez le dentiste ? | 2
3 Tom has two sisters and a brother. | How many siblings does Tom have? | 3
3 Tom has two sisters and a brother. | How many sisters does Tom have? | two
3 Tom has two sisters and a brother. | How many brothers does Tom have? |
3 Tom has two sisters. | How many siblings does Tom have? |
3 Tom's sister has three kids. | How many kids does Tom have? |
3 Tom might have two brothers. | How many brothers does Tom have? |
3 My kids are Lea, Max and Nina. | How many kids do I have? | 3
3 Meine Kinder heißen Lea, Max und Nina. | Wie viele Kinder habe ich? | 3
3 Tom hat zwei Schwestern und einen Bruder. | Wie viele Geschwister hat Tom? | 3
3 Mis hijos se llaman Leo, Marta y Nuria. | ¿Cuántos hijos tengo? | 3
3 Mes enfants s'appellent Léa, Max et Nina. | Combien d'enfants ai-je ? | 3
3 Lea speaks French and Italian. / 4 Lea also speaks Dutch. | How many languages does Lea speak? | 3
3 Lea speaks French and Italian. / 4 Lea also speaks Dutch. | \
Which languages does Lea speak? | French and Italian, Dutch
3 Lea speaks to Tom. / 4 Lea's sister speaks Dutch. / 5 Lea does not speak Russian. | Which languages does Lea speak? |
3 Lea spricht Französisch und Italienisch. | Welche Sprachen spricht Lea? | Französisch und Italienisch
3 Lea habla francés e italiano. | ¿Qué idiomas habla Lea? | francés e italiano
3 Léa parle français et italien. | Quelles langues parle Léa ? | français et italien
{ALLERGIES} | What is Omar allergic to? | nuts, shellfish
3 Omar es alérgico a las nueces. / 4 Omar también es alérgico al marisco. | ¿A qué es alérgico Omar? | nueces, marisco
3 Vera has worked at Bosch for six years. | How long has Vera worked at Bosch? | six years
3 Vera joined Bosch in March 2020. | How long has Vera worked at Bosch? | since March 2020
3 Vera works at Bosch. | How long has Vera worked at Bosch? |
3 Vera has worked at Bosch for six years. | How long has Tom worked at Bosch? |
3 Lena lived in Rome for two years. | How long did Lena live in Rome? | two years
3 Lena lived in Rome for two years. | How long has Lena lived in Rome? |
3 Otto wohnt seit 2019 in Linz. | Wie lange wohnt Otto schon in Linz? | seit 2019
3 Vera arbeitet seit März bei Siemens. | Wie lange arbeitet Vera schon bei Siemens? | seit März 2026
3 Vivo en Lima desde 2019. | ¿Desde cuándo vivo en Lima? | desde 2019
3 Léa travaille chez Airbus depuis trois ans. | Depuis combien de temps Léa travaille-t-elle chez Airbus ? | trois ans
"""


def opened(day: str = "2026-06-12") -> MemoryManager:
    clock = FrozenClock(f"{day}T10:00:00Z")
    return MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none"), clock=clock)


@pytest.mark.matrix
@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_an_answer_of_several_statements(row: str) -> None:
    turns, question, expected = (part.strip() for part in row.split("|"))
    with opened() as memory:
        for turn in turns.split(" / "):
            day, _, text = turn.partition(" ")
            at = f"2026-06-{int(day):02}T10:00:00Z"
            memory.remember_messages([{"role": "user", "content": text, "at": at}], session="talk")
        found = memory.synthesize(question)
        assert ("" if found.abstained else found.synthesis["answer"]) == expected
        assert found.abstained or memory.validate_synthesis(found) == (True, [])


def test_how_long_names_the_day_on_which_it_was_stated_where_that_is_a_while_ago() -> None:
    with opened("2026-06-12") as memory:
        memory.remember("I have lived in Oslo for two years.", valid_from="2026-01-12")
        assert memory.synthesize("How long have I lived in Oslo?").synthesis["answer"] == "two years (12 January 2026)"


def test_nothing_is_counted_where_more_speaks_of_it_than_is_read() -> None:
    with opened() as memory:
        notes = [f"I went to the gym today, number {number}." for number in range(70)]
        memory.remember_many(
            [{"content": text, "valid_from": f"2026-0{1 + n // 28}-{1 + n % 28:02}"} for n, text in enumerate(notes)]
        )
        assert memory.synthesize("How many times did I go to the gym?").abstained


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("我住在上海。", "我住在哪里？"),
        ("私は東京に住んでいます。", "私はどこに住んでいますか？"),
        ("Я живу в Риге.", "Где я живу?"),
    ],
)
def test_a_question_in_a_language_that_is_not_read_gets_the_closest_sentence_and_no_answer(
    text: str, question: str
) -> None:
    with opened() as memory:
        memory.remember(text)
        found = memory.synthesize(question)
        assert found.abstained
        assert found.synthesis["answer"] == ""
        assert found.synthesis["key_points"] == [text]


def test_what_is_read_beside_the_hits_passes_the_filters_of_the_caller() -> None:
    with opened() as memory:
        memory.remember(
            "My sister Ida plays the harp.", tags=["family"], session="talk", kind="episodic", valid_from="2026-06-01"
        )
        memory.remember("She lives in Ulm.", tags=["secret"], session="talk", kind="episodic", valid_from="2026-06-02")
        assert memory.synthesize("Where does my sister live?", tags=["family"]).abstained
        assert memory.synthesize("How many times did Ida play the harp?", tags=["secret"]).abstained
