"""Identity, occupation, immediate self-corrections of a speaker, and names in several parts."""

from __future__ import annotations

import pytest

from engrain import MemoryManager
from tests.synthesis.test_conversations import answer

ANSWERED = """
My sister Imke lives in Galway. | Who is Imke? | My sister
Nkechi, my oldest friend, is opening a shop in Tübingen. | Who is Nkechi? | my oldest friend
Nkechi, my oldest friend, is opening a shop in Tübingen. | Where is Nkechi opening a shop? | Tübingen
Otto is my neighbour. | Who is Otto? | my neighbour
My boss is Ingrid Vance. | Who is Ingrid? | My boss
Ben's sister Clara is a vet. | Who is Clara? | Ben's sister
Meine Tante Gerda kommt am Sonntag. | Wer ist Gerda? | Meine Tante
Frau Kern ist meine Hausärztin. | Wer ist Frau Kern? | meine Hausärztin
Ma cousine Odile habite à Lyon. | Qui est Odile ? | Ma cousine
Mi prima Lola vive en Cádiz. | ¿Quién es Lola? | Mi prima
My cat Mia is grey. | Who is Mia? | My cat
Our twins Sam and Lotte are five. | Who is Sam? | Our twins
My husband Tadek repairs church organs for a living. | What does my husband do for a living? | repairs church organs
Meine Schwester näht beruflich Segel. | Was macht meine Schwester beruflich? | näht Segel
Xiomara se mudó a Loja. Es enfermera de neonatos. | ¿En qué trabaja Xiomara? | enfermera
Mi hermano Paco vive en Cádiz. Trabaja en un banco. | ¿Dónde trabaja Paco? | un banco
My neighbour Otto has a boat. | What does Otto have? | boat
I run a shop in Moncton called Salt and Pepper. | What is my shop called? | Salt and Pepper
We stayed in a pub called the Fox and Hounds. | Where did we stay? | the Fox and Hounds
The boiler was serviced by a firm called Heatwell. | Who serviced the boiler? | Heatwell
Das Dach wurde von Dachwerk repariert. | Wer hat das Dach repariert? | Dachwerk
Le toit a été réparé par Toitpro. | Qui a réparé le toit ? | Toitpro
El tejado fue arreglado por Tejasol. | ¿Quién arregló el tejado? | Tejasol
Der Alarmcode wurde auf 7730 geändert. | Wie lautet der Alarmcode? | 7730
Garage code is 7305, the keypad sticks when it's damp. | What is the garage code? | 7305
Imke has moved to Sligo for a better job, sea view and everything. | Where does Imke live? | Sligo
We have a beagle mix called Bodo and a grumpy cat, Pim. | What breed is Bodo? | beagle
"""

PUT_RIGHT = """
My sister lives in Ghent, sorry, Bruges. | Where does my sister live? | Bruges
My sister lives in Ghent, I mean Bruges. | Where does my sister live? | Bruges
My brother lives in Leeds (sorry, Hull). | Where does my brother live? | Hull
The meeting is on Tuesday, no wait, Thursday. | When is the meeting? | Thursday
My rent is 900 euros, sorry, 950. | How much is my rent? | 950 euros
The code is 4471, sorry, 4417. | What is the code? | 4417
I'm allergic to walnuts, I mean hazelnuts. | What am I allergic to? | hazelnuts
My dentist is Dr. Kern, sorry, I meant Dr. Kolb. | Who is my dentist? | Dr. Kolb
Meine Schwester wohnt in Gent, äh, ich meine in Brügge. | Wo wohnt meine Schwester? | Brügge
Der Termin ist am Dienstag, nein, warte, am Donnerstag. | Wann ist der Termin? | Donnerstag
Mi hermana vive en Gante, perdón, en Brujas. | ¿Dónde vive mi hermana? | Brujas
Ma sœur habite à Gand, pardon, à Bruges. | Où habite ma sœur ? | Bruges
My sister lives in Ghent, no, Bruges, sorry, Leuven. | Where does my sister live? | Leuven
Meine Tante wohnt in Bonn, nein, Köln, Quatsch, Mainz. | Wo wohnt meine Tante? | Mainz
My birthday is on the 3rd of May, sorry, the 4th, no, the 5th. | When is my birthday? | 5 May
The ticket cost 80 euros, no, 90, I mean 95. | How much did the ticket cost? | 95 euros
Mein Termin ist am 3. Juli, nein, am 4. | Wann ist mein Termin? | 4. Juli
La cita es el 3 de julio, perdón, el 4. | ¿Cuándo es la cita? | 4 de julio
Le rendez-vous est le 3 juillet, pardon, le 4. | Quand est le rendez-vous ? | 4 juillet
Zora was born on 3 May 1984, sorry, 1985. | When was Zora born? | 3 May 1985
The shop opens at 10:30, sorry, 11. | When does the shop open? | 11
Ben has two sisters, sorry, three sisters. | How many sisters does Ben have? | three
My sister lives in Ghent. / Sorry, I meant Bruges. | Where does my sister live? | Bruges
My sister lives in Ghent. / Sorry, it's Bruges. | Where does my sister live? | Bruges
My sister lives in Ghent. / No wait, Bruges. | Where does my sister live? | Bruges
Lena works at Google. / Sorry, I meant Apple. | Where does Lena work? | Apple
My boss is Ines Krall. / Oops, Inge, not Ines. | Who is my boss? | Inge
My dentist is Dr. Kern. / Sorry, I meant Dr. Kolb. | Who is my dentist? | Dr. Kolb
Meine Schwester wohnt in Gent. / Sorry, ich meinte Brügge. | Wo wohnt meine Schwester? | Brügge
Ma sœur habite à Gand. / Pardon, je voulais dire Bruges. | Où habite ma sœur ? | Bruges
My sister lives in Antwerp. / My sister moved to Ghent, sorry, Bruges. | Where does my sister live? | Bruges
I live in Rome. / Actually, I love Bruges. | Where do I live? | Rome
The bakery in Hull closes at six. / We are doing Gotland instead. | Which town is the bakery in? | Hull
My sister lives at 14 Elm Road. | Where does my sister live? | 14 Elm Road
The party is at 8 Rose Court. | Where is the party? | 8 Rose Court
J'habite au 14 rue des Lilas. | Où est-ce que j'habite ? | 14 rue des Lilas
Piet works at Lumen. Just kidding, he works at Globex. | Where does Piet work? | Globex
Ben, not Eva, lives in Ghent. | Where does Ben live? | Ghent
Ines' parents both work at Lumen and she works at Globex. | Where do Ines' parents work? | Lumen
I like figs and plums. / I no longer like figs. | What do I like? | plums
Tom is married to Ida. / Tom was married to Lea. | Who is Tom married to? | Ida
I live in Ghent. / I moved to Turin in 2010. | Where do I live? | Ghent
I live in Ghent. / In the winter I live in Turin. | Where do I live? | Ghent
My dad's green Volvo needs new brakes. | What car does my dad have? | Volvo
"""

UNANSWERED = """
My sister lives in Ghent, sorry, long day. | Where does my sister live?
We opened a bakery on Pearl Street, sorry, I meant tomorrow. | Where did we open a bakery?
Farouk's wife opened a bakery on Pearl Street. | What is the name of Farouk's wife?
We have a beagle mix called Bodo and a grumpy cat, Pim. | What breed is Pim?
Ana has a brother called Piet. | Is Ana called Piet?
Otto is no longer my neighbour. | Who is Otto?
I met Otto at work. | Who is Otto?
I'm Jorinde. | What name did I give my sourdough?
Ottilie doesn't paint for a living. | What does Ottilie do for a living?
El proyecto Lince vence en mayo. Trabaja en un banco. | ¿Dónde trabaja Lince?
At Easter we go to my parents in Rome. | Where are we going this summer?
My neighbour Piet said: 'I live in Ghent' | Where do I live?
Piet: I live in Ghent | Where do I live?
> I live in Ghent | Where do I live?
Please translate "I live in Ghent" into Polish | Where do I live?
Fix this sentence: I works at Lumen. | Where do I work?
Write a poem that begins with: I live in a lighthouse in Ghent. | Where do I live?
Korrigiere diesen Satz: Ich wohnen in Gent. | Wo wohne ich?
Schreib ein Märchen, das so anfängt: Ich wohne in einem Turm in Gent. | Wo wohne ich?
Mein Nachbar sagte: »Ich wohne in Gent« | Wo wohne ich?
Corrige esta frase: Yo vivo en Gante. | ¿Dónde vivo?
Traduis ceci : J'habite à Gand. | Où est-ce que j'habite ?
Luc a écrit : J'habite à Gand. | Où est-ce que j'habite ?
Piet works at Lumen. No, not really. | Where does Piet work?
I live on the moon. Only joking! | Where do I live?
Piet arbeitet bei Lumen. War nur Spaß! | Wo arbeitet Piet?
Vivo en la luna. Es broma. | ¿Dónde vivo?
J'habite sur la lune. Je rigole. | Où est-ce que j'habite ?
Everyone but Piet likes figs. | Does Piet like figs?
Alle außer Piet mögen Feigen. | Mag Piet Feigen?
Todos menos Pablo hablan ruso. | ¿Habla Pablo ruso?
Tout le monde sauf Luc parle russe. | Luc parle-t-il russe ?
All of us except Piet speak Thai. | Who speaks Thai?
Neither Piet nor Ines likes jazz. | Who likes jazz?
Weder Piet noch Ines mag Jazz. | Wer mag Jazz?
Ni Pablo ni Ines hablan ruso. | ¿Quién habla ruso?
Piet or Ines works at Lumen. | Who works at Lumen?
Tom oder Eva arbeitet bei Lumen. | Wo arbeitet Tom?
Luc ou Eva travaille chez Lumen. | Où travaille Eva ?
Ben, not Eva, lives in Ghent. | Where does Eva live?
Ben, nicht Eva, wohnt in Gent. | Wo wohnt Eva?
Ben, no Eva, vive en Gante. | ¿Dónde vive Eva?
Ben, pas Eva, habite à Gand. | Où habite Eva ?
Ines was about to resign. | Did Ines resign?
Ines' alter Lehrer, Otto, ist nach Gent gezogen. | Wo wohnt Ines?
Ines ihr Bruder wohnt in Gent. | Wo wohnt Ines?
The woman Tom married works at Lumen. | Where does Tom work?
The firm Ines works for is based in Ghent. | Where does Ines work?
Die Freundin, die Ines besucht hat, wohnt in Gent. | Wo wohnt Ines?
La amiga que Ines visitó vive en Gante. | ¿Dónde vive Ines?
L'amie que Ines a vue habite à Gand. | Où habite Ines ?
Piet works at Lumen, according to Ines. | Where does Piet work?
Piet arbeitet laut Ines bei Lumen. | Wo arbeitet Piet?
Según Ines, Pablo trabaja en Lumen. | ¿Dónde trabaja Pablo?
Selon Ines, Luc travaille chez Lumen. | Où travaille Luc ?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", [*ANSWERED.strip().splitlines(), *PUT_RIGHT.strip().splitlines()])
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert expected in answer(turns, question)


@pytest.mark.matrix
@pytest.mark.parametrize("row", PUT_RIGHT.strip().splitlines()[:22])
def test_a_corrected_value_is_no_answer(row: str) -> None:
    turns, question, expected = row.split(" | ")
    wrong = next(word for word in reversed(turns.split(",")[0].split("(")[0].split()) if word not in expected)
    assert wrong not in answer(turns, question)


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_unstated_facts_are_not_answered(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Here's an email from Piet:\n\nHi Ana,\nI live in Ghent now.\nPiet",
        "I moved to Ghent. Just kidding!",
        "I moved to Ghent when I was seven.",
        "In the winter I live in Ghent.",
    ],
)
def test_a_turn_that_states_no_new_home_leaves_the_known_one(text: str) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember("I live in Bruges.", source_type="user_input")
        memory.remember_messages([{"role": "user", "content": text}], session="s")
        memory.end_session("s")
        assert memory.synthesize("Where do I live?").synthesis["answer"] == "Bruges"
        assert not memory.list_memories(kinds=["semantic"], status=["superseded"])
