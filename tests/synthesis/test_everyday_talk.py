"""Everyday talk: plural subjects, enumerations, names told in another turn, codes that changed, occupations."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock
from tests.synthesis.test_conversations import answer

ANSWERED = """
My birthday is 2 March 1994, in case you ever want to send cake. | When is my birthday? | 2 March 1994
The code is 4416, just in case. | What is the code? | 4416
Mi código es 4416, por si acaso. | ¿Cuál es mi código? | 4416
My rent is 900 euros. / Sorry, I told you 900 for the rent, it's 950. | How much is my rent? | 950
Mi alquiler es de 900 euros. / Perdón, dije 900 para el alquiler, son 950. | ¿Cuánto es mi alquiler? | 950
Mon loyer est de 900 euros. / Pardon, j'ai dit 900 pour le loyer, c'est 950. | Combien est mon loyer ? | 950
Meine Miete beträgt 900 Euro. / Sorry, ich habe für die Miete 900 gesagt, es sind 950. | Wie hoch ist meine Miete? | 950
Ben and his family moved to Nantes. | Where does Ben live? | Nantes
Karim et sa famille ont déménagé, ils habitent à Nantes maintenant. | Où habite Karim ? | Nantes
The twins are called Jad and Inaya, they were born on 30 October 2023. | When were the twins born? | 30 October 2023
Ben doesn't eat pork, beef or lamb. | Does Ben eat lamb? | No
Ben isst kein Schwein oder Rind. | Isst Ben Rind? | Nein
Lucía no puede comer kiwi ni marisco. | ¿Lucía puede comer marisco? | No
Ben ne mange ni porc ni bœuf. | Ben mange du bœuf ? | Non
We have a dog called Rex. / Rex is 3 years old. | How old is our dog? | 3
Wir haben einen Hund namens Bodo. / Bodo ist vier Jahre alt. | Wie alt ist unser Hund? | vier
J'ai un chat qui s'appelle Mistral. / Mistral a trois ans. | Quel âge a mon chat ? | trois
Beatriz has a ferret called Moutarde. / Moutarde is 3 years old. | How old is Beatriz's ferret? | 3
I have a friend called Bo. / Bo lives in Oslo. | Where does my friend live? | Oslo
My brother has a boat called Gannet. / Gannet is in Cork harbour. | Where is my brother's boat? | Cork
We have a dog called Pfeffer. / Paloma's new dog is a greyhound too, called Figaro. | What is my dog called? | Pfeffer
Paloma's new dog is a greyhound, called Figaro. | What is Paloma's dog called? | Figaro
They pushed the launch back to 15 April. | When is the launch? | 15 April
They brought the launch forward to 2 April. | When is the launch? | 2 April
The launch is on 3 May. / They brought the launch forward to 2 April. | When is the launch? | 2 April
I've got an exam on 12 July. | When is my exam? | 12 July
We've got until 12 July to finish the boat. | Until when do we have to finish the boat? | 12 July
The pool closes at 9 pm on Tuesdays and at 5 pm on Saturdays. | When does the pool close on Saturdays? | 5 pm
Das Bad macht dienstags um 9 auf und samstags um 10. | Wann macht das Bad samstags auf? | 10
The code for the bike cellar was changed after a break-in, it's 1968 now. | What's the code for the bike cellar? | 1968
Der Code für den Keller wurde geändert, er ist jetzt 1968. | Wie lautet der Code für den Keller? | 1968
The budget for Luciérnaga went up too, it's 71,000 pounds now. | What is the budget for Luciérnaga? | 71,000 pounds
The price of the course went up, it's 40 euros now. | What does the course cost? | 40 euros
The code for my office is 1968. | What is my office code? | 1968
Le code pour la cave est 1968. | Quel est le code de la cave ? | 1968
Graham was running Falcón. / Graham retired. Priyanka is running Falcón now. | Who is running Falcón now? | Priyanka
Ben is an electrician from Leicester. | Where does Ben come from? | Leicester
Ben ist Bäcker aus Graz. | Woher kommt Ben? | Graz
Ben es panadero de Soria. | ¿De dónde es Ben? | Soria
My mother teaches piano to children. | What does my mother do for a living? | teaches piano
My brother drives a bus in Leeds. | What does my brother do for work? | drives a bus
My cousin repairs harps. | What is my cousin's job? | repairs harps
Mein Onkel repariert Uhren. | Was macht mein Onkel beruflich? | repariert Uhren
Mi prima vende flores. | ¿A qué se dedica mi prima? | vende flores
Zuri runs a bakery in Lund. | What does Zuri do? | runs a bakery
My brother is a nurse. / My brother repairs old radios. | What does my brother do? | nurse
My brother is a nurse. / My brother drives a taxi now. | What does my brother do? | drives a taxi
Dad is officially retired. | Is my father retired? | Yes
Ben ist jetzt offiziell geschieden. | Ist Ben geschieden? | Ja
Ben can't stand coriander. | Which herb can Ben not stand? | coriander
The car is red. | What colour is my car? | red
The new van is a green Renault. | What colour is our van? | green
Ben has a new bike. The bike is in the shed. | Where is Ben's bike? | shed
Ben has a new bike. The bike is in the shed. | Where is the bike? | shed
Otto is here. The parcel is from Nora. She's moved to Utrecht! | Where does Nora live? | Utrecht
I live in Verdun now and I can see the river if I lean dangerously. | Where do I live? | Verdun
My exam is on 3 July, I hope I pass. | When is my exam? | 3 July
I bought bread, milk and eggs at the market. | What did I buy at the market? | bread, milk and eggs
Ich habe Brot und Milch auf dem Markt gekauft. | Was habe ich auf dem Markt gekauft? | Brot und Milch
The library is open until 8 pm. | When does the library close? | 8 pm
Die Bücherei hat bis 20 Uhr geöffnet. | Wann schließt die Bücherei? | 20 Uhr
I work at a company called Mistral Cargo. | Which company do I work for? | Mistral Cargo
Farhad works at a museum in Linz. | Where does Farhad work? | a museum in Linz
The Poniente project has a deadline of 20 September, and Amara is its owner. | Who owns the Poniente project? | Amara
Marta lives in Siena. / Marta decided to sell her flat and move to Bari. | Where does Marta live? | Siena
Marta lives in Siena. / Marta refused to move to Bari. | Where does Marta live? | Siena
Marta lives in Siena. / Marta managed to move to Bari. | Where does Marta live? | Bari
Jonte wohnt in Jever. / Jonte hat beschlossen, nach Aurich zu ziehen. | Wo wohnt Jonte? | Jever
Vivo en Soria. / He decidido mudarme a Huesca. | ¿Dónde vivo? | Soria
Vivo en Soria. / Acabo de mudarme a Huesca. | ¿Dónde vivo? | Huesca
J'habite à Nantes. / J'ai décidé de déménager à Brest. | Où est-ce que j'habite ? | Nantes
J'habite à Nantes. / Je viens de déménager à Brest. | Où est-ce que j'habite ? | Brest
Mia wohnt in Celle. / Mia überlegt, ob sie das Haus verkauft und nach Peine zieht. | Wo wohnt Mia? | Celle
Mi tía vive en Lugo. / Mi tía se pregunta si vende el piso y se muda a Vigo. | ¿Dónde vive mi tía? | Lugo
Ma tante habite à Metz. / Ma tante se demande si elle vend la maison et déménage à Toul. | Où habite ma tante ? | Metz
Jonte isst aber keinen Käse. | Isst Jonte Käse? | Nein
Jonte hat das Zelt doch nicht gekauft. | Hat Jonte das Zelt gekauft? | Nein
Jonte wollte kommen aber Wiebke ist krank. | Ist Wiebke krank? | Ja
Die Probe ist doch erst am 9. Juli. | Wann ist die Probe? | 9. Juli
Sven moved the Plover deadline, it's 9 July now. | What is the deadline of the Plover project? | 9 July
They raised the budget of Plover, it's 730 euros now. | What is the budget of Plover? | 730 euros
Han cambiado la fecha límite de Garza, ahora es el 9 de julio. | ¿Cuál es la fecha límite de Garza? | 9 de julio
Ils ont changé la date limite de Nil, c'est le 9 juillet maintenant. | Quelle est la date limite de Nil ? | 9 juillet
Sven does the layout and Marta does the printing. | Who does the printing? | Marta
My uncle does the books for Tallow. | Who does the books for Tallow? | My uncle
The alarm code is 3382. / He cambiado el código de la alarma, ahora es 9157. | What is the alarm code? | 9157
He cambiado las llaves de sitio, ahora están en el cajón de la cocina. | ¿Dónde están las llaves? | cajón de la cocina
I work in the claims department of Tallow Mutual. | Where do I work? | Tallow Mutual
The key is under the mat if Wiebke asks again. | Where is the key? | under the mat
Das Passwort vom Drucker ist Blaumeise4, falls Wiebke wieder fragt. | Wie ist das Passwort vom Drucker? | Blaumeise4
"""

UNANSWERED = """
Sven is coming to the concert. / Sven isn't coming after all. | Is Sven coming to the concert?
Jonte kommt zum Konzert. / Jonte kommt doch nicht. | Kommt Jonte zum Konzert?
Marta viene al concierto. / Marta al final no viene. | ¿Viene Marta al concierto?
Marta wants a hammock. / Marta will die Hammock doch nicht. | Does Marta want a hammock?
Marta trusts the warden. | Who does the warden trust?
Marta offered to move to Bari. | Where does Marta live?
Marta asked me to move to Bari. | Where do I live?
The gate code for the yard is 3382. / Der Code vom Tor am Hof ist neu: 9157. | What is the gate code for the yard?
Jonte denkt daran, zu Siemens zu wechseln. | Wo arbeitet Jonte?
Karim hopes to come too, but nothing's booked on his side. | What is Karim's job?
Her birthday is 19 September, the 14th is my aunt's. | What is my aunt's name?
Falcon is on hold. / Work started again on Falcon, so we're no longer on hold. | Is Falcon on hold?
The code for the bike cellar was changed after a break-in. | What's the code for the bike cellar?
I have a friend called Bo. / I have a friend called Jo. / Bo lives in Oslo. | Where does my friend live?
Paloma's new dog is a greyhound, called Figaro. | What is my dog called?
Ben can't stand coriander. | Which fruit can't Ben stand?
Graham runs Boston this year. | Who runs Boston?
The server runs Linux. | Who runs Linux?
Ben buys bread from a baker from Graz. | Where is Ben from?
Ben has a new car. The car is red. | What colour is my car?
My boss bought a car, the car is red. | What colour is my car?
Ben has a new bike. / The bike is in the shed. | Where is my bike?
My sister drives a Fiat. | What does my sister do?
My sister drives me crazy. | What does my sister do?
My brother sells his car. | What does my brother do?
My brother used to teach piano. | What does my brother do?
Ben doesn't eat meat and loves fish. | Does Ben eat fish?
Ana moved, they changed the code. | Who changed the code?
I'm moving to Rome and I'll rent a flat if they ask me. | Where do I live?
The passport is in the desk, I'm not sure about that. | Where is the passport?
The library is open until 8 pm. | When does the library open?
The kiosk opens at 7:15. | When does the kiosk close?
Tom has a ladder. | Who has my ladder?
We have an old car and a new house. | Which car do we have?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_a_stated_value_answers(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert expected in answer(turns, question)


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_an_unstated_value_is_not_answered(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""


CHAT = (
    ("user", "Noor", "I live in Verdun and my rent is 1,340 dollars."),
    ("assistant", None, "Noted!"),
    ("user", "Noor", "My sister Lena lives in Rome."),
)


def chat(*turns: tuple[str, str | None, str]) -> MemoryManager:
    memory = MemoryManager(
        ":memory:", user="u1", llm="none", settings=Settings(worker="none"), clock=FrozenClock("2026-06-20T10:00:00Z")
    )
    messages = [{"role": role, "content": text, **({"name": name} if name else {})} for role, name, text in turns]
    memory.remember_messages(messages, session="talk")
    memory.flush()
    return memory


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Where do I live?", "Verdun"), ("How much is my rent?", "1,340"), ("Where does my sister live?", "Rome")],
)
def test_the_only_named_speaker_beside_an_assistant_is_the_user(question: str, expected: str) -> None:
    with chat(*CHAT) as memory:
        assert expected in str(memory.synthesize(question).synthesis["answer"])


def test_a_named_speaker_is_not_the_user_beside_another_one() -> None:
    with chat(*CHAT, ("user", "Bo", "I live in Oslo.")) as memory:
        assert memory.synthesize("Where do I live?").abstained


def test_a_named_speaker_is_not_the_user_beside_turns_without_a_name() -> None:
    with chat(*CHAT, ("user", None, "Hello, I work at Acme.")) as memory:
        assert memory.synthesize("Where do I live?").abstained


def asked_home(*memories: dict[str, str]) -> bool:
    with chat(("assistant", None, "Hello!")) as memory:
        for each in memories:
            memory.remember(**each)  # type: ignore[arg-type]
        return not memory.synthesize("Where do I live?").abstained


def test_a_page_by_a_named_author_does_not_say_where_the_user_lives() -> None:
    assert not asked_home({"content": "I live in Minsk.", "actor": "Eve", "source_type": "external_data"})


def test_another_speaker_is_not_the_user_beside_memories_without_a_name() -> None:
    assert not asked_home({"content": "I like tea."}, {"content": "I live in Oslo.", "actor": "Bo"})


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_a_named_assistant_or_tool_is_not_the_user(role: str) -> None:
    with chat(("assistant", None, "Hello!"), (role, "Max", "I live in Paris.")) as memory:
        assert memory.synthesize("Where do I live?").abstained
