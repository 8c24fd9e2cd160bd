"""What a model answers is compared with the clauses that it cites: subject, relation, polarity, tense, certainty."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from engrain import MemoryManager
from engrain.model.memory import Memory, Scope
from engrain.synthesis.replies import ground, is_supported
from engrain.testing import ScriptedLLM

AT = datetime(2026, 5, 7, 10, tzinfo=UTC)

FALSE = [
    ("Where does Lena live?", "Lena's ex-husband lives in Rome.", "Lena lives in Rome."),
    ("Where does Lena live?", "Lena's ex-husband lives in Rome.", "Rome"),
    ("When was Hugo born?", "Hugo's daughter Lea was born in 2014.", "Hugo was born in 2014."),
    ("When was Hugo born?", "Hugo's daughter Lea was born in 2014.", "2014"),
    ("What is Tom's cat called?", "Tom's dog is called Rex.", "Tom's cat is called Rex."),
    ("What is Tom's cat called?", "Tom's dog is called Rex.", "Rex"),
    ("Who works at Nora?", "Otto works at Bosch, Nora says.", "Otto works at Nora."),
    ("Where does Marta work?", "Marta's brother works at Siemens.", "Marta works at Siemens."),
    ("Where does Marta work?", "Marta works at Siemens. Her brother works at Bosch.", "Marta works at Bosch."),
    ("Is dark mode in scope?", "Dark mode is out of scope.", "Yes"),
    ("Is dark mode in scope?", "Dark mode is out of scope.", "Yes, dark mode is in scope."),
    ("Is Ana allergic to penicillin?", "Ana is not allergic to penicillin.", "Ana is allergic to penicillin."),
    ("Is Ana allergic to penicillin?", "Ana is not allergic to penicillin.", "Yes"),
    ("Is Ana allergic to penicillin?", "Ana is allergic to penicillin.", "No"),
    ("Is Ana allergic to penicillin?", "Ana is allergic to penicillin.", "No, she is not allergic to penicillin."),
    ("Is Ana allergic to peanuts?", "Ana is allergic to walnuts.", "Yes"),
    ("Is Ana allergic to peanuts?", "Ana is allergic to walnuts.", "Ana is allergic to peanuts."),
    ("Does Mia drink coffee?", "Mia gave up coffee.", "Mia drinks coffee."),
    ("Does Mia drink coffee?", "Mia gave up coffee.", "Yes"),
    ("Does Paul still smoke?", "Paul no longer smokes.", "Paul smokes."),
    ("Where does Ben live?", "Ben used to live in Leipzig.", "Ben lives in Leipzig."),
    ("Where does Ben live?", "Ben used to live in Leipzig.", "Leipzig"),
    ("Where does Ben live?", "Ben lived in Vienna until 2015.", "Ben lives in Vienna."),
    ("Where does Lena work?", "Omar thinks Lena works at Google.", "Lena works at Google."),
    ("Where does Lena work?", "Omar thinks Lena works at Google.", "Google"),
    ("Where does Ana live?", "Ana might move to Oslo.", "Ana moved to Oslo."),
    ("Where does Ana live?", "Ana moved from Porto to Berlin.", "Ana lives in Porto."),
    ("Where does Ana live?", "Ana moved from Porto to Berlin.", "Porto"),
    ("When was the car sold?", "The car was bought in 2021.", "The car was sold in 2021."),
    ("When was the car sold?", "The car was bought in 2021.", "2021"),
    ("What did the bike cost?", "The bike was repaired for 1,200 euros.", "The bike cost 1,200 euros."),
    ("What did the bike cost?", "The bike was repaired for 1,200 euros.", "1,200 euros"),
    ("How many cats has Ana?", "Ana has two cats.", "Ana has three cats."),
    ("When is the exam?", "My exam is on Friday 22 May 2026.", "The exam is on 8 May 2026."),
    ("Where do I live?", "My sister lives in Oslo.", "You live in Oslo."),
    ("Who owns Kestrel?", "Kestrel is no longer owned by Vera.", "Vera owns Kestrel."),
    ("Wo wohnt Lena?", "Lenas Ex-Mann wohnt in Rom.", "Lena wohnt in Rom."),
    ("Wo wohnt Lena?", "Lena wohnte bis 2015 in Wien.", "Lena wohnt in Wien."),
    ("Ist Ana gegen Nüsse allergisch?", "Ana ist nicht gegen Nüsse allergisch.", "Ja"),
    ("Où habite Luc ?", "La sœur de Luc habite à Lyon.", "Luc habite à Lyon."),
    ("¿Dónde vive Marisol?", "La hermana de Marisol vive en Valparaíso.", "Marisol vive en Valparaíso."),
    ("¿Dónde vive Marisol?", "Marisol ya no vive en Lima.", "Marisol vive en Lima."),
    ("Where is Priya based?", "Priya's boss is based in Lagos.", "Priya is based in Lagos."),
    ("How old is Noor?", "Noor's son is 7 years old.", "Noor is 7 years old."),
    ("Who is my dentist?", "My sister's dentist is Dr. Sousa.", "Your dentist is Dr. Sousa."),
    ("What is the wifi password?", "The wifi password is no longer tulip9.", "The wifi password is tulip9."),
    ("What is the status of Falcon?", "Falcon is not on hold.", "Falcon is on hold."),
    ("Does Ravi eat meat?", "Ravi doesn't eat meat.", "Ravi eats meat."),
    ("Does Ravi eat meat?", "Ravi doesn't eat meat.", "Yes"),
    ("What is Ravi's cat called?", "Ravi's neighbour has a cat named Kobo.", "Ravi's cat is called Kobo."),
    ("When does the library open?", "The library opens at 9:00.", "The library opens at 10:00."),
    ("Where will the offsite be?", "The offsite might be in Split.", "The offsite is in Split."),
    ("What does Zoe do?", "Zoe's mother works as a nurse at Charité.", "Zoe works as a nurse at Charité."),
    ("Who leads Orion?", "Dara used to lead Orion.", "Dara leads Orion."),
    ("Wer leitet Orion?", "Dara leitet Orion nicht mehr.", "Dara leitet Orion."),
    ("Trinkt Uwe Kaffee?", "Uwe trinkt keinen Kaffee mehr.", "Uwe trinkt Kaffee."),
    ("Trinkt Uwe Kaffee?", "Uwe trinkt keinen Kaffee mehr.", "Ja"),
    ("Wo arbeitet meine Schwester?", "Ich arbeite bei Siemens.", "Deine Schwester arbeitet bei Siemens."),
    ("¿Dónde trabaja Inés?", "El marido de Inés trabaja en Iberia.", "Inés trabaja en Iberia."),
    ("¿Inés es alérgica al polen?", "Inés no es alérgica al polen.", "Inés es alérgica al polen."),
    ("Où travaille Chloé ?", "Chloé ne travaille plus chez Renault.", "Chloé travaille chez Renault."),
    ("Où travaille Chloé ?", "Le frère de Chloé travaille chez Renault.", "Chloé travaille chez Renault."),
    ("Can Emre eat gluten?", "Emre cannot eat gluten.", "Yes"),
    ("Can Emre eat gluten?", "Emre cannot eat gluten.", "Emre can eat gluten."),
    ("Is the gate open?", "The gate is closed.", "The gate is open."),
    ("Is the gate open?", "The gate is closed.", "Yes"),
    ("Ist das Tor offen?", "Das Tor ist geschlossen.", "Das Tor ist offen."),
    ("Ist der Pass offen?", "Der Pass ist gesperrt.", "Der Pass ist offen."),
    ("¿La tienda está abierta?", "La tienda está cerrada.", "La tienda está abierta."),
    ("La porte est-elle ouverte ?", "La porte est fermée.", "La porte est ouverte."),
    ("What was our Q2 loss?", "Our Q2 revenue was 2.5 million euros.", "Our Q2 loss was 2.5 million euros."),
    ("What was the loss?", "The revenue was 2.5 million euros.", "The loss was 2.5 million euros."),
    ("How much is the lamp?", "The desk costs 90 euros and the lamp 30 euros.", "The lamp costs 90 euros."),
    ("How much is the desk?", "The desk costs 90 euros and the lamp 30 euros.", "The desk costs 30 euros."),
    ("Was kostet der Tisch?", "Der Tisch kostet 90 Euro und die Lampe 30 Euro.", "Der Tisch kostet 30 Euro."),
    ("¿Cuánto cuesta la mesa?", "La mesa cuesta 90 euros y la silla 30 euros.", "La mesa cuesta 30 euros."),
    ("Combien coûte le vélo ?", "Le vélo coûte 90 euros et le casque 30 euros.", "Le vélo coûte 30 euros."),
    ("What was the fee before?", "The fee was raised from 40 to 55 euros.", "The fee was 55 euros before."),
    ("When is my call with Kim?", "My call with Odin is on 3 June.", "The call with Kim is on 3 June."),
    (
        "Wann ist mein Gespräch mit Kim?",
        "Mein Gespräch mit Odin ist am 3. Juni.",
        "Das Gespräch mit Kim ist am 3. Juni.",
    ),
    ("Who acquired Vexa?", "Vexa acquired Nubo in 2019.", "Nubo acquired Vexa in 2019."),
    ("Who acquired Vexa?", "Vexa acquired Nubo in 2019.", "Nubo"),
    ("Who sent Runa a parcel?", "Runa sent Odin a parcel.", "Odin sent Runa a parcel."),
    ("Who sent Runa a parcel?", "Runa sent Odin a parcel.", "Odin"),
    ("Who praised Odin?", "Runa was praised by Odin.", "Runa praised Odin."),
    ("Wer hat Odin gelobt?", "Runa wurde von Odin gelobt.", "Runa hat Odin gelobt."),
    ("¿Quién contrató a Paco?", "Runa fue contratada por Paco.", "Runa contrató a Paco."),
    ("Qui a embauché Luc ?", "La voisine a été embauchée par Luc.", "La voisine a embauché Luc."),
    ("Who is taller?", "Runa is taller than Odin.", "Odin is taller than Runa."),
    ("Wer ist größer?", "Runa ist größer als Odin.", "Odin ist größer als Runa."),
    ("¿Quién es mayor?", "Runa es mayor que Paco.", "Paco es mayor que Runa."),
    ("Qui est plus grand ?", "Runa est plus grande que Paul.", "Paul est plus grand que Runa."),
    ("Where does Runa live?", "Runa's old boss moved to Tartu.", "Runa lives in Tartu."),
    ("How much does Odin owe me?", "I owe Odin 20 euros.", "Odin owes you 20 euros."),
]

TRUE = [
    ("Where does Lena's ex-husband live?", "Lena's ex-husband lives in Rome.", "Lena's ex-husband lives in Rome."),
    ("Where does Lena's ex-husband live?", "Lena's ex-husband lives in Rome.", "Rome"),
    ("Where does Lena's ex-husband live?", "Lena's ex-husband lives in Rome.", "He lives in Rome."),
    ("When was Lea born?", "Hugo's daughter Lea was born in 2014.", "Lea was born in 2014."),
    ("When was Lea born?", "Hugo's daughter Lea was born in 2014.", "Hugo's daughter was born in 2014."),
    ("Where does Otto work?", "Otto works at Bosch, Nora says.", "Otto works at Bosch."),
    ("Where does Marta work?", "Marta works at Siemens. Her brother works at Bosch.", "Marta works at Siemens."),
    (
        "Where does Marta work?",
        "Marta works at Siemens. Her brother works at Bosch.",
        "Marta's brother works at Bosch.",
    ),
    ("Is dark mode in scope?", "Dark mode is out of scope.", "No, dark mode is out of scope."),
    ("Is dark mode in scope?", "Dark mode is out of scope.", "No"),
    ("Is Ana allergic to penicillin?", "Ana is allergic to penicillin.", "Yes"),
    ("Does Mia drink coffee?", "Mia gave up coffee.", "No, Mia gave up coffee."),
    ("Does Paul still smoke?", "Paul no longer smokes.", "Paul no longer smokes."),
    ("Where did Ben live?", "Ben used to live in Leipzig.", "Ben lived in Leipzig."),
    ("Where did Ben live?", "Ben used to live in Leipzig.", "Leipzig"),
    ("Where does Lena work?", "Omar thinks Lena works at Google.", "Omar thinks Lena works at Google."),
    ("Where does Ana live?", "Ana moved from Porto to Berlin.", "Ana lives in Berlin."),
    ("Where does Ana live?", "Ana moved from Porto to Berlin.", "Berlin"),
    ("How many cats has Ana?", "Ana has two cats.", "Two"),
    ("When is the exam?", "My exam is on Friday 22 May 2026.", "The exam is on 22 May 2026."),
    ("What does Ana like?", "Ana loves hiking in the Alps and photography.", "Ana enjoys hiking and photography."),
    ("Why did Tom move?", "Tom moved to Graz because of a job at AVL.", "Tom moved to Graz for a job at AVL."),
    ("Where do I live?", "I live in Oslo with my cat.", "You live in Oslo."),
    ("Where do I live?", "I live in Oslo with my cat.", "The user lives in Oslo."),
    ("Where does my sister live?", "My sister lives in Oslo.", "Your sister lives in Oslo."),
    ("Where does my sister live?", "My sister lives in Oslo.", "In Oslo."),
    ("Who owns Kestrel?", "Kestrel is owned by Vera since May.", "Vera owns Kestrel."),
    ("Who owns Kestrel?", "Kestrel is owned by Vera since May.", "Vera"),
    ("Wo wohnt Lena?", "Lena wohnt in Rom.", "Lena wohnt in Rom."),
    ("Où habite Luc ?", "Luc habite à Lyon.", "Luc habite à Lyon."),
    ("¿Dónde vive Marisol?", "Marisol vive en Valparaíso.", "Vive en Valparaíso."),
    ("Where is Priya based?", "Priya is based in Lagos.", "Priya is based in Lagos."),
    ("How old is Noor?", "Noor is 37 years old.", "37"),
    ("How old is Noor?", "Noor is 37 years old.", "She is 37 years old."),
    ("Who is my dentist?", "My dentist is Dr. Sousa.", "Your dentist is Dr. Sousa."),
    ("Who is my dentist?", "My dentist is Dr. Sousa.", "Dr. Sousa"),
    ("What is the wifi password?", "The wifi password is tulip9.", "tulip9"),
    ("What is the status of Falcon?", "Falcon is on hold since Monday.", "Falcon is on hold."),
    ("Does Ravi eat meat?", "Ravi doesn't eat meat.", "No, Ravi doesn't eat meat."),
    ("Does Ravi eat meat?", "Ravi doesn't eat meat.", "No"),
    ("Does Ravi have a dog?", "Ravi has a dog named Kobo.", "Yes, Ravi has a dog named Kobo."),
    ("What is Ravi's dog called?", "Ravi has a dog named Kobo.", "Ravi's dog is called Kobo."),
    ("What is Ravi's dog called?", "Ravi has a dog named Kobo.", "Kobo"),
    ("When does the library open?", "The library opens at 9:00.", "It opens at 9 am."),
    ("Where will the offsite be?", "The offsite will be in Split.", "The offsite will be in Split."),
    ("Where will the offsite be?", "The offsite will be in Split.", "In Split."),
    ("What does Zoe do?", "Zoe works as a nurse at Charité.", "Zoe is a nurse at Charité."),
    ("Who leads Orion?", "Orion is led by Dara.", "Dara leads Orion."),
    ("Wer leitet Orion?", "Dara leitet Orion.", "Dara"),
    ("Trinkt Uwe Kaffee?", "Uwe trinkt keinen Kaffee mehr.", "Nein, Uwe trinkt keinen Kaffee mehr."),
    ("Wo arbeitet meine Schwester?", "Meine Schwester arbeitet bei Siemens.", "Deine Schwester arbeitet bei Siemens."),
    ("¿Dónde trabaja Inés?", "Inés trabaja en Iberia.", "Inés trabaja en Iberia."),
    ("Où travaille Chloé ?", "Chloé travaille chez Renault.", "Chloé travaille chez Renault."),
    ("Où travaille Chloé ?", "Chloé ne travaille plus chez Renault.", "Chloé ne travaille plus chez Renault."),
    (
        "What happened to the lease?",
        "The landlord cancelled the lease in March.",
        "The lease was cancelled by the landlord in March.",
    ),
    (
        "Why is Kim tired?",
        "Kim slept badly because the baby cried all night.",
        "Kim is tired because the baby cried all night.",
    ),
    (
        "What did we decide about the database?",
        "We decided to use Postgres for billing and to drop Mongo.",
        "You decided to use Postgres for billing and drop Mongo.",
    ),
    ("What should I bring?", "Don't forget to bring the charger to the trip.", "You should bring the charger."),
    ("Is the bridge open?", "The bridge is closed.", "No, the bridge is closed."),
    ("Can Emre eat gluten?", "Emre cannot eat gluten.", "No"),
    ("Can Emre eat gluten?", "Emre cannot eat gluten.", "Emre cannot eat gluten."),
    ("Is the gate open?", "The gate is closed.", "The gate is not open."),
    ("Ist das Tor offen?", "Das Tor ist geschlossen.", "Das Tor ist nicht offen."),
    ("Ist der Pass offen?", "Der Pass ist gesperrt.", "Der Pass ist nicht offen."),
    ("¿La tienda está abierta?", "La tienda está cerrada.", "La tienda no está abierta."),
    ("La porte est-elle ouverte ?", "La porte est fermée.", "La porte n'est pas ouverte."),
    ("What was our Q2 revenue?", "Our Q2 revenue was 2.5 million euros.", "The Q2 revenue was 2.5 million euros."),
    ("How much is the lamp?", "The desk costs 90 euros and the lamp 30 euros.", "The lamp costs 30 euros."),
    ("How much is the desk?", "The desk costs 90 euros and the lamp 30 euros.", "The desk costs 90 euros."),
    ("What is the fee?", "The fee was raised from 40 to 55 euros.", "The fee is 55 euros."),
    ("When is my call with Odin?", "My call with Odin is on 3 June.", "The call with Odin is on 3 June."),
    ("Who acquired Nubo?", "Vexa acquired Nubo in 2019.", "Nubo was acquired by Vexa in 2019."),
    ("Who praised Runa?", "Runa was praised by Odin.", "Odin praised Runa."),
    ("Wer hat Runa gelobt?", "Runa wurde von Odin gelobt.", "Odin hat Runa gelobt."),
    ("¿Quién contrató a Runa?", "Runa fue contratada por Paco.", "Paco contrató a Runa."),
    ("Qui a embauché la voisine ?", "La voisine a été embauchée par Luc.", "Luc a embauché la voisine."),
    ("How much do I owe Odin?", "I owe Odin 20 euros.", "You owe Odin 20 euros."),
    ("Who owes me money?", "Odin owes me 20 euros.", "Odin owes you 20 euros."),
]


def follows(question: str, memory: str, reply: str) -> bool:
    cited = Memory(id="m", content=memory, scope=Scope(), recorded_at=AT, updated_at=AT, valid_from=AT)
    return is_supported(reply, [ground(cited, memory)], question)


@pytest.mark.matrix
@pytest.mark.parametrize(("question", "memory", "reply"), FALSE)
def test_a_statement_about_another_or_a_negated_one_is_not_supported(question: str, memory: str, reply: str) -> None:
    assert not follows(question, memory, reply)


@pytest.mark.matrix
@pytest.mark.parametrize(("question", "memory", "reply"), TRUE)
def test_a_sentence_stated_by_its_source_is_supported(question: str, memory: str, reply: str) -> None:
    assert follows(question, memory, reply)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("Lena lives in Rome.", ""), ("Lena's ex-husband lives in Rome.", "Lena's ex-husband lives in Rome.")],
)
def test_an_answer_about_another_person_is_not_given(reply: str, answer: str) -> None:
    stated = "Lena's ex-husband lives in Rome."
    sentence = {"text": reply, "cites": [{"memory": 1, "quote": stated.rstrip(".")}]}
    llm = ScriptedLLM([json.dumps({"answer": [sentence]})] * 2)
    with MemoryManager(":memory:", llm=llm) as memory:
        memory.remember(stated)
        found = memory.synthesize("Where does Lena live?")
        assert found.synthesis["answer"] == answer
        assert found.metadata["abstained"] is (not answer)
        assert not answer or memory.validate_synthesis(found) == (True, [])
