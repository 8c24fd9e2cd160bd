"""Pronouns between two people, joined subjects, sorts of things, remarks behind a condition, and what was before."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

ANSWERED = """
News from Ottilie: she works at a bakery in Skipton now. | Where does Ottilie work now? | a bakery in Skipton
I met Camille at Trader Joe's. She moved to Leeds. | Where does Camille live? | Leeds
Ottilie called Ben. She works at Bosch now. | Where does Ottilie work? | Bosch
Tess and Leo came over. He is vegan. | Is Leo vegan? | Yes
Lena hat Otto getroffen. Er wohnt in Jena. | Wo wohnt Otto? | Jena
Birth certificate and passport are in a shoebox. | Where is my birth certificate? | a shoebox
Le sel et le poivre sont dans le tiroir. | Où est le sel ? | le tiroir
The fuse box is in the hall, in case anyone asks. | Where is the fuse box? | the hall
The fuse box is in the hall, if you need it. | Where is the fuse box? | the hall
Der Sicherungskasten ist im Flur, falls jemand danach fragt. | Wo ist der Sicherungskasten? | Flur
Das Zelt ist im Keller, falls ich es wieder suche. | Wo ist das Zelt? | Keller
Las llaves están en el cajón, por si las buscas. | ¿Dónde están las llaves? | el cajón
Bo adopted a ferret. | Which animal did Bo adopt? | ferret
Nora plays the oboe. | Which instrument does Nora play? | oboe
Ida hates coriander. | Which herb does Ida hate? | coriander
I can't stand celery. It rained all day. | What food can't I stand? | celery
I'm the manager of a bookshop. | What is my job? | manager of a bookshop
I'm the events coordinator at Lumen. | Where do I work? | Lumen
Soy enfermera. | ¿Cuál es mi trabajo? | enfermera
I gave the drill to my neighbour, Mrs Obi. | Who has my drill? | my neighbour, Mrs Obi
Pia is doing the layout. / My cousin Ida has taken over the layout. | Who is doing the layout? | My cousin Ida
I live in Ulm. / I live in Jena now. | Where did I live before? | Ulm
I live in Ulm. / I live in Jena now. | Where did I use to live? | Ulm
Ich wohne in Kiel. / Ich wohne jetzt in Jena. | Wo habe ich früher gewohnt? | Kiel
I live in a two-room flat on Elm Street in York. | Which city do I live in? | York
Vivo en la calle Mayor en Burgos. | ¿En qué ciudad vivo? | Burgos
They've raised the swimming pass to 29.50 euros. | How much is the swimming pass? | 29.50 euros
My gym has put its price up, it's 38 pounds a month from now on. | How much is the gym? | 38 pounds
Noor and I have our own place in Hexham now, a little duplex. | Where do I live? | Hexham
"""

UNANSWERED = """
I'm moving to Rome if they ask me. | Where do I live?
I move to Rome if you need me. | Where do I live?
Ich ziehe nach Rom, falls mich jemand fragt. | Wo wohne ich?
My brother called Ben. | What is my brother called?
Tom met Ben. He moved to Ulm. | Where does Ben live?
I met Camille at Trader Joe's. She moved to Leeds. | Where does Joe live?
Ana and Ben's sister lives in Rome. | Where does Ana live?
Ben has a tarantula and calls her Duchess. | What is Ben called?
Ottilie called Ben. | What is Ottilie called?
I'm a terrible daughter. | What is my job?
I'm the treasurer of our choir. | What is my job?
I started swimming, twice a week at the Lido before work. | Where do I work?
I'm out of the house far too much for a dog. | Do I have a dog?
The meter is in the cellar if it rains. | Where is the meter?
I live in Jena. | Where did I live before?
I bought the desk from a lady in Otley. | What was the name of the lady I bought the desk from?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_unstated_facts_are_not_answered(row: str) -> None:
    assert answer(*row.split(" | ")) == ""
