"""Replies to an assistant's question, new values of what was changed, cancelled trips, roles and things by name."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import Memory, MemoryManager, Settings
from engrain.testing import FrozenClock
from tests.synthesis.test_conversations import answer

REPLIES = """
Which voice do you sing? / Alto, second row. | Which voice do I sing? | Alto
Which voice do you sing in the choir? / Tenor. | What voice do I sing in the choir? | Tenor
What car do you drive? / A green Skoda. | What car do I drive? | green Skoda
How many sessions did you get? / Six. | How many sessions did I get? | Six
Where does your sister live? / In Hull, near the park. | Where does my sister live? | Hull
Wo wohnt deine Schwester? / In Celle. | Wo wohnt meine Schwester? | Celle
¿Cómo se llama tu gato? / Pimentón. | ¿Cómo se llama mi gato? | Pimentón
Comment s'appelle ton chat ? / Moustache. | Comment s'appelle mon chat ? | Moustache
What's your boss called? / Ingrid Vance. | What is my boss's name? | Ingrid Vance
When is the exam? / On 14 July. | When is my exam? | 14 July
How much is the rent? / 900 euros. | How much is my rent? | 900 euros
How old is your daughter? / Seven. | How old is my daughter? | Seven
What do you do for a living? / Piano tuner. | What is my job? | Piano tuner
Are you allergic to nuts? / Yes. | Am I allergic to nuts? | Yes
Are you allergic to nuts? / No. | Am I allergic to nuts? | No
Does your mother live in Hull? / Yes, all her life. | Where does my mother live? | Hull
Does your mother live in Hull? / Yes, all her life. Her name is Edna. | What is my mother's name? | Edna
¿Tu madre vive en Zumaia? / Sí, de toda la vida. Se llama Edurne. | ¿Cómo se llama mi madre? | Edurne
Wohnt deine Mutter in Celle? / Ja, schon immer. Sie heißt Edda. | Wie heißt meine Mutter? | Edda
Which voice do you sing? / No idea. | Which voice do I sing? |
Which voice do you sing? / Maybe alto. | Which voice do I sing? |
Which voice do you sing? / Good question! | Which voice do I sing? |
Which voice do you sing? / Why? | Which voice do I sing? |
Where does your sister live? / In Hull. | Where does my brother live? |
Are you allergic to nuts? / No. | What am I allergic to? |
Would you like to live in Hull? / Yes. | Where do I live? |
Did your mother live in Hull? / Yes. | Where does my mother live? |
Did you have a dog? / Yes. | Do I have a dog? |
Have you ever lived in Hull? / Yes. | Where do I live? |
Wohnte deine Mutter in Celle? / Ja. | Wo wohnt meine Mutter? |
Does your mother live in Hull? / Yes, she used to. | Where does my mother live? |
Does your mother live in Hull? / Yes, I mean my father. | Where does my mother live? |
Does your mother live in Hull? / Yes and no. | Where does my mother live? |
Wohnt deine Mutter in Celle? / Ja, früher. | Wo wohnt meine Mutter? |
Are you allergic to nuts? / Yes, I was as a child. | Am I allergic to nuts? |
Are you allergic to nuts? / Yes, just kidding. | Am I allergic to nuts? |
Does your mother live in Hull or in York? / Yes. | Where does my mother live? |
Where did you work? / Lidl. | Where do I work? |
What car would you drive? / A Skoda. | What car do I drive? |
How much should your rent be? / 700 euros. | How much is my rent? |
Wo wohnte deine Schwester früher? / In Celle. | Wo wohnt meine Schwester? |
Which instrument do you play? / Cello, until last year. | Which instrument do I play? |
What car do you drive? / Formerly a Skoda. | What car do I drive? |
What car do you drive? / A Skoda until March, then a Seat. | What car do I drive? |
Which instrument do you play? / Anything but the cello. | Which instrument do I play? |
How much is your rent? / Give me 5 minutes. | How much is my rent? |
How much is your rent? / In 5 minutes. | How much is my rent? |
How many sessions did you get? / Two seconds. | How many sessions did I get? |
When is your exam? / Ask me tomorrow. | When is my exam? |
When is your exam? / More on Monday. | When is my exam? |
How much is your rent? / Under 900 euros. | How much is my rent? |
Which instrument do you play? / Later. | Which instrument do I play? |
Which instrument do you play? / Ouch, my tooth! | Which instrument do I play? |
Which instrument do you play? / Sorry, phone. | Which instrument do I play? |
Which instrument do you play? / The usual. | Which instrument do I play? |
What car do you drive? / Just a bike. | What car do I drive? |
What's your dog called? / Cat, actually. Minka. | What is my dog called? |
Where does your brother live? / My sister in Hull. | Where does my brother live? |
Which instrument do you play? / Hopefully cello soon. | Which instrument do I play? |
"""

ANSWERED = """
The wedding is on 22 August. / They postponed the wedding. The new date is 10 October. | \
When is the wedding? | 10 October
I changed the wifi password. Now it's pergola-9. | What is the wifi password? | pergola-9
J'ai changé le mot de passe du wifi. Maintenant c'est pergola-9. | C'est quoi le mot de passe du wifi ? | pergola-9
He cambiado la contraseña del wifi. Ahora es pergola-9. | ¿Cuál es la contraseña del wifi? | pergola-9
Ich habe das WLAN-Passwort geändert. Jetzt ist es pergola-9. | Wie lautet das WLAN-Passwort? | pergola-9
The gym has raised its fee. The new price is 45 euros. | How much is the gym? | 45 euros
The budget of Kite is now 96,500 euros instead of 84,000. | What is the budget of Kite? | 96,500 euros
The Kite budget is 9,000 euros. / On 28 May we celebrate Kite with 60 guests. | What is the Kite budget? | 9,000 euros
I've got a new phone, a purple Pixel 9a. | Which phone do I have? | Pixel 9a
Ich habe ein neues Handy, ein Pixel 9a. | Welches Handy habe ich? | Pixel 9a
Tengo un móvil nuevo, un Pixel 9a. | ¿Qué móvil tengo? | Pixel 9a
I bought a new bike, a Canyon Grail. | Which bike do I have? | Canyon Grail
Bo starts at his new school on 1 September. It's called Elm Hill. | What is Bo's school called? | Elm Hill
Omar opened his café in March. It's called Kuppi. | What is Omar's café called? | Kuppi
Omar hat sein Café im März eröffnet. Es heißt Kuppi. | Wie heißt Omars Café? | Kuppi
Mi hermano ha abierto su panadería en Vigo. Se llama Ogizko. | ¿Cómo se llama la panadería de mi hermano? | Ogizko
My friend Chidi. He has a restaurant in Plön called Zum Hecht. | What is Chidi's restaurant called? | Zum Hecht
Our new address is Elm Road 5 in York. | Where do I live? | Elm Road 5 in York
We moved last week. The new address is Elm Road 5 in York. | Where do I live? | Elm Road 5 in York
Thandeka started at a travel clinic in Leuven. | Where does Thandeka work? | a travel clinic in Leuven
I'm a nurse at the Klinik Nord. | Do I work at the Klinik Nord? | Yes
Otto is a baker and he says that bread is life. | What is Otto's job? | baker
The library is open until 20:00 so I could study there. | When does the library close? | 20:00
News from my sister: Mira has left Tartu and moved to Kuopio. | Where does Mira live? | Kuopio
Anna Quispe is the new owner of Kite. | ¿Quién es la responsable de Kite? | Anna Quispe
The project is called Kite. The budget is 48,000 euros. Anna Quispe is the owner. | \
Who is the owner of Kite? | Anna Quispe
Torvald Berg leads Kite. / Anna Quispe leads Kite now. | Who led Kite before Anna? | Torvald Berg
Ayer vendimos el Skoda. | ¿Todavía tenemos el Skoda? | No
Rubbish collection is on Wednesdays. | When is the rubbish collected? | Wednesdays
From May on the class is 78 euros a month. | How much is the class? | 78 euros
We have a very old dog called Rex. | What is our dog called? | Rex
I work at Lidl. / I dropped my phone into the sink. | Where do I work? | Lidl
I work at Lidl. / I take the train to work now. | Where do I work? | Lidl
I live in Gent. / The Fairphone is in a drawer and now I have a Pixel. | Where do I live? | Gent
I live in Hull. / My work address is Elm Road 5 in York. | Where do I live? | Hull
I live in Hull. / My address at work is Elm Road 5 in York. | Where do I live? | Hull
I live in Hull. / Our old address was Elm Road 5. | Where do I live? | Hull
I live in Hull. / The company moved to new offices. The new address is Elm Road 5 in York. | Where do I live? | Hull
I work at Lidl. / We started at a restaurant and ended in a bar. | Where do I work? | Lidl
I work at Lidl. / I started at a clinic as a patient. | Where do I work? | Lidl
I work at St Mary's in Hull. | Where do I work? | St Mary's in Hull
My friend Thandeka came along. She lives in Skipton. | Where does Thandeka live? | Skipton
Xiomara es profesora de música. | ¿En qué trabaja Xiomara? | profesora de música
Yusra has her final exam on 20 July, and if she passes we celebrate. | When is Yusra's final exam? | 20 July
My wife Ada is from Ennis. / Der Schlüssel liegt jetzt bei Frau Kolb. | Where is my wife from? | Ennis
I have a dentist appointment on 12 July. / \
Sorry, I said the dentist is on 12 July, but I've just looked and it's 22 July. | \
When is my dentist appointment? | 22 July
Meine Mutter hat am 23. Mai Geburtstag. / Ich hatte gesagt, Mama hat am 23. Mai Geburtstag, aber es ist der 25. Mai. | \
Wann hat meine Mutter Geburtstag? | 25. Mai
"""

REFUSED = """
I work at the Klinik Nord. | Do I work at the Hotel Nord?
I drive a Fiat Fiesta. | Do I drive a Ford Fiesta?
I started pottery classes last week at Studio Modder. | Where do I work?
Ben started piano lessons at Musikhaus. | Where does Ben work?
Ana goes to work by train. | Where does Ana work?
Ainhoa se ha mudado a Bodø por el trabajo. | ¿Dónde trabaja Ainhoa?
Lola va al trabajo en tren. | ¿Dónde trabaja Lola?
The dentist has moved. The new address is Elm Road 5 in York. | Where do I live?
We're going to Oslo in July. / We cancelled the trip to Oslo. | When are we going to Oslo?
Kestrel is late. We ate at Luigi's. Ana is the owner. | Who owns Kestrel?
We're going to Oslo in July. / We had to cancel the dinner in Oslo. | Are we still going to Oslo?
I have a gym membership. / I had to cancel a class at the gym. | Do I still have a gym membership?
Ayer vendimos el remolque del Skoda. | ¿Todavía tenemos el Skoda?
Ana took her cat to her school. It's called Elm Hill. | What is Ana's cat called?
The library is open until 20:00 on weekdays so I could study there. | When does the library close on Sundays?
Her berth is number 27 in Kappeln, and the code for the gate is 5530. | What is the number of my berth?
Joost's father had a fall and Joost wants to be with him. He is 81. | How old is Joost?
"""

CANCELLED = """
We've booked a trip to Oslo from 14 to 17 July. / We had to cancel the trip. | Is the trip to Oslo still on? | No
We're going to Oslo in July. / We had to cancel the trip to Oslo. | Are we still going to Oslo? | No
Wir fahren im Juli nach Oslo. / Wir mussten die Reise nach Oslo absagen. | Fahren wir noch nach Oslo? | Nein
Vamos a Oslo en julio. / Tuvimos que cancelar el viaje a Oslo. | ¿Seguimos yendo a Oslo? | No
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", REPLIES.strip().splitlines())
def test_a_reply_answers_the_question_that_it_was_given_to(row: str) -> None:
    turns, question, expected = (part.strip() for part in row.split("|"))
    asked, replied = turns.split(" / ")
    clock = FrozenClock("2026-06-20T10:00:00Z")
    with MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none"), clock=clock) as memory:
        spoken = [("assistant", asked), ("user", replied)]
        memory.remember_messages([{"role": role, "content": text} for role, text in spoken], session="talk")
        memory.flush()
        found = memory.synthesize(question)
        assert ("" if found.abstained else found.synthesis["answer"]) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_a_new_value_a_role_or_a_name_answers(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("row", REFUSED.strip().splitlines())
def test_what_is_not_stated_answers_nothing(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""


@pytest.mark.parametrize("row", CANCELLED.strip().splitlines())
def test_a_trip_that_was_cancelled_is_off(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


def closed_by(old: str, new: str) -> list[Memory]:
    """Return the memories of a turn, and of its digest, that a turn of the next day has superseded a year later."""
    clock = FrozenClock("2026-06-10T10:00:00Z")
    with MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none"), clock=clock) as memory:
        for day, text in enumerate((old, new)):
            memory.remember_messages([{"role": "user", "content": text}], session=f"talk {day}")
            memory.flush()
            clock.advance(timedelta(days=1))
        clock.advance(timedelta(days=365))
        return list(memory.iter_memories(status="superseded"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We're going to Oslo in July.", "We cancelled the trip to Oslo."),
        ("Wir fahren im Juli nach Oslo.", "Wir haben die Reise nach Oslo abgesagt."),
        ("I have a piano lesson on Friday.", "I had to cancel the piano lesson."),
        ("My husband Iwan works at Acme.", "Iwan rang. Since Monday he's been working at Bosch."),
        ("My sister lives in Hull.", "News from the north: my sister has moved to York."),
        ("Meine Schwester arbeitet bei Acme.", "Meine Schwester rief an. Seit Montag arbeitet sie bei Bosch."),
        ("Gesine wohnt in Celle.", "Gesine rief an. Jetzt wohnt sie in Ulm."),
        ("Mon frère travaille chez Acme.", "Mon frère est content. Depuis lundi il travaille chez Bosch."),
        ("Torvald Berg is the owner of Kite.", "Anneliese Quispe is the new owner of Kite."),
        (
            "We have a new project. It's called Kite. Torvald Berg is the owner and I do the planning.",
            "Anneliese Quispe is the new owner of Kite.",
        ),
    ],
)
def test_a_change_in_a_later_session_closes_what_was_planned_or_owned(old: str, new: str) -> None:
    assert [each.content for each in closed_by(old, new) if each.kind == "semantic" and each.content in old]


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have tennis on Mondays.", "I had to cancel tennis this week."),
        ("I have a piano lesson every Friday.", "I had to cancel the lesson last Friday."),
        ("Ich gehe montags zum Yoga.", "Ich musste Yoga heute absagen."),
        ("I have a gym membership.", "I had to cancel gym today."),
        ("I go to Oslo every summer.", "We cancelled the trip to Oslo."),
        ("We're going to Oslo in June and to Rome in July.", "We cancelled the trip to Rome."),
        ("I'm going to the dentist in Oslo on 3 July.", "We cancelled the trip to Oslo."),
        ("Ben and I are going to Oslo in July.", "Ben cancelled his trip."),
        ("Torvald Berg is the owner of Kite.", "Kite is late. We ate at Luigi's. Ana is the owner."),
        ("Torvald Berg is the owner of Kite.", "Kite is late. The boat is new. Ben is the owner."),
        ("Her berth is number 27 in Kappeln.", "Ich habe ein neues Handy, ein Gigaset GX6."),
    ],
)
def test_one_occasion_or_another_thing_closes_nothing(old: str, new: str) -> None:
    assert not [each for each in closed_by(old, new) if not each.metadata.get("is_summary")]
