"""A change that is stated in a conversation closes what it replaces, and nothing else."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

CLOSED = """
I live in Porto. | I relocated to Berlin last month.
I live in Porto. | We've just moved to Ghent.
Maria lives in Porto. | Maria moved from Porto to Berlin.
I work at Acme. | I switched from Acme to Globex.
I work for Acme. | I quit my job at Acme.
The Kestrel deadline is 3 May. | Kestrel has been postponed to 10 May.
The Kestrel deadline is 3 May. | The Kestrel deadline is now 10 May.
The budget of Kestrel is 20,000 euros. | The budget of Kestrel was raised to 25,000 euros.
The budget is 20,000 euros. | The budget was raised to 25,000 euros.
Nora owns the Kestrel project. | Tom took over the Kestrel project from Nora.
Kestrel is on version 2.3. | Kestrel is now on version 2.4.
The status of Kestrel is green. | The status of Kestrel is now red.
The opening hours of the library are 9 to 5. | The opening hours of the library changed to 10 to 6.
The wifi password is hunter2. | The wifi password was changed to swordfish9.
The wifi password is hunter2. | The new wifi password is swordfish9.
I drink coffee every day. | I gave up coffee.
I'm allergic to penicillin. | I'm no longer allergic to penicillin.
My dentist appointment is on 3 May at 10:00. | My dentist appointment was rescheduled to 5 May at 9:00.
My dentist is Dr. Sousa. | My dentist is Dr. Almeida now.
My boss is Karin. | My new boss is Jens.
I have a Golf. | I sold the Golf.
My flight to Oslo is on Friday. | My flight to Oslo was cancelled.
Otto shares a flat in Porto. | Otto left Porto for Berlin.
Otto lives in Porto. | Otto swapped Porto for Berlin.
Otto's employer is Bosch. | Otto's new employer is Siemens.
Otto works at Bosch. | Otto was hired by Siemens.
The Juniper project must be finished by 5 March 2026. | They moved the deadline of the Juniper project to 9 May 2026.
The Juniper project is on hold. | The Juniper project went from on hold to in review.
The Juniper project is on hold. | As of today, the Juniper project is in review.
Otto runs the Juniper project. | Vera replaced Otto as the head of the Juniper project.
Otto leads the Juniper project. | The Juniper project was handed over from Otto to Vera.
Otto is the lead of the Juniper project. | Otto passed the Juniper project on to Vera.
Otto has a cup of tea every morning. | Otto has given tea up.
Otto drinks a lot of tea. | Otto has stopped drinking tea.
Otto suffers from a nut allergy. | Otto has outgrown the nut allergy.
Otto has an allergy to walnuts. | Otto's allergy to walnuts is gone.
The meeting is in hall 3. | The meeting has moved to hall 5.
My cat weighs 4 kg. | Sorry, I said my cat weighs 4 kg, it's 5 kg.
My sister lives in Rome. | Sorry, I said my sister lives in Rome, it's Milan.
Ich wohne in Köln. | Ich bin nach Bonn gezogen.
Ich arbeite bei Siemens. | Ich habe von Siemens zu Bosch gewechselt.
Das Budget von Falke beträgt 20.000 Euro. | Das Budget von Falke wurde auf 25.000 Euro erhöht.
Das WLAN-Passwort ist hunter2. | Das WLAN-Passwort ist jetzt swordfish9.
Nora leitet Falke. | Tom hat die Leitung von Falke übernommen.
Mein Zahnarzt ist Dr. Braun. | Mein Zahnarzt ist jetzt Dr. Lang.
Jonas leitet das Projekt Falke. | Jonas hat das Projekt Falke an Katrin übergeben.
Jonas ist der Leiter von Projekt Falke. | Katrin löst Jonas beim Projekt Falke ab.
Das Projekt Falke muss bis zum 5. März 2026 fertig sein. | Die Frist für das Projekt Falke ist jetzt der 9. Mai 2026.
Das Projekt Falke ist pausiert. | Seit heute ist das Projekt Falke in Prüfung.
Jonas trinkt gern Tee. | Jonas hat aufgehört, Tee zu trinken.
Jonas trinkt täglich Tee. | Jonas hat das Teetrinken aufgegeben.
Jonas leidet an einer Allergie gegen Nüsse. | Jonas hat die Allergie gegen Nüsse überwunden.
Jonas wohnt in Linz. | Jonas hat sich in Graz niedergelassen.
Jonas arbeitet bei Bosch. | Jonas wechselte im Mai zu Siemens.
Trabajo en Acme. | Ahora trabajo en Globex.
Mi dentista es el Dr. Sousa. | Mi nuevo dentista es el Dr. Almeida.
Bebo café todos los días. | He dejado el café.
Jorge lidera el proyecto Halcón. | Jorge ha cedido el proyecto Halcón a Pilar.
El proyecto Halcón está en pausa. | Desde hoy el proyecto Halcón está en revisión.
Hay que entregar el proyecto Halcón el 5 de marzo de 2026. | El plazo para el proyecto Halcón pasó al 9 de mayo de 2026.
Jorge bebe mucho té. | Jorge no bebe más té.
Jorge tiene alergia a nueces. | Jorge ha superado la alergia a nueces.
J'habite à Lille. | J'ai déménagé à Lyon.
Luc pilote le projet Faucon. | Luc a confié le projet Faucon à Sylvie.
Luc dirige le projet Faucon. | Sylvie a succédé à Luc à la tête du projet Faucon.
Luc travaille chez Airbus. | Luc a été embauché par Dassault.
Luc est ingénieur chez Airbus. | Luc a quitté Airbus pour Dassault.
Luc boit souvent du thé. | Luc a arrêté le thé.
Luc a une allergie à la moutarde. | Luc n'a plus d'allergie à la moutarde.
Mon dentiste est le Dr Petit. | Mon dentiste est maintenant le Dr Grand.
The nanny costs 14 euros an hour. | The nanny has put her rate up to 16 euros an hour.
Our trip is from 3 to 9 July. | Our trip is now from 10 to 16 July.
The choir meets on Mondays and Thursdays. | The choir now meets on Mondays and Fridays.
I take 30 mg of Lisinopril. | The doctor lowered my Lisinopril to 20 mg.
Mr Quayle is head of accounts. | Ms Ferris has replaced Mr Quayle as head of accounts.
Der Leiter der Küche ist Herr Bohn. | Frau Iversen hat Herrn Bohn als Leiter der Küche abgelöst.
Vivo en la calle Mayor. | Me he mudado a la calle Colón.
La cotisation est de 40 euros. | La cotisation augmente à 45 euros.
The gate code is 5521. | The gate code has been changed. 7740 from now on.
The school trip goes to Leeds. | The school trip is going to York instead of Leeds.
We drive an old Passat, the boot is huge. | Wir haben den Passat verkauft und fahren jetzt einen Dacia.
Unsere Hausverwaltung ist die Firma Kollwitz. | Unsere Hausverwaltung ist jetzt die Firma Petermann.
On habite à Villeurbanne depuis dix ans. | We've moved to Lyon, closer to the school.
Dad takes 20 mg of atorvastatin in the evening. | I saw the doctor with Dad today, she raised his atorvastatin to 40 mg.
"""

LEFT = """
My friend is Karin. | My new friend is Jens.
Otto drinks tea. | Otto no longer drinks tea at work.
Otto lives in Porto. | Otto swapped Porto for Rome on his holiday list.
Otto trinkt Tee. | Otto trinkt nicht mehr als drei Tassen Tee.
I live in Porto. | I went from Porto to Berlin by train.
Otto lives in Porto. | Otto's boss left Porto for Berlin.
Otto leads the Juniper project. | Vera ran the Boston marathon.
Otto leads the Juniper project. | Vera leads the Falcon project now.
Otto has a nut allergy. | Otto's sister has outgrown her nut allergy.
The Juniper project is due on 5 March 2026. | They might move the deadline of the Juniper project to 9 May.
The Juniper project is on hold. | The Juniper project moved to Vera.
Jorge tiene alergia a nueces. | El jefe de Jorge ya no tiene alergia a nueces.
My flight to Oslo is on Friday. | My flight to Rome was cancelled.
My meeting with Tom is at 9. | My meeting with Eva was moved to 10.
The Kestrel budget is 20,000 euros. | The budget of Falcon was raised to 30,000 euros.
My cat weighs 4 kg. | My sister's cat weighs 5 kg now.
I have a Golf. | My brother sold his Golf.
I have a Golf. | I may sell the Golf.
My dentist is Dr. Sousa. | My daughter's dentist is Dr. Almeida now.
The wifi password is hunter2. | The router password was changed to swordfish9.
The wifi password is hunter2. | The wifi password might be changed to swordfish9.
The meeting is at 9:00. | The meeting is now in hall 5.
I speak French. | I now speak German as well.
My daughter Mia is 4. | My daughter Lea is 7.
I work at Acme. | My wife switched from Acme to Globex.
I live in Porto. | We moved the meeting to Berlin.
Eva lives in Rome. | Sorry, I said Tom lives in Rome, it's Milan.
I come from Spain. | I come from Vigo.
I live in Leipzig. | We looked at a flat in Halle yesterday.
Ich wohne in Leipzig. | Wir haben eine Wohnung in Halle angeschaut.
Meine Katze wiegt 4 kg. | Mein Hund wiegt jetzt 9 kg.
Mi dentista es el Dr. Sousa. | El nuevo dentista de Paula es el Dr. Almeida.
J'habite à Lille. | Ma sœur a déménagé à Lyon.
The rent of the flat is 900 euros. | The rent of the office went up to 950 euros.
My flight is on Friday. | My flight is at 9:00. | My flight was cancelled.
My appointment is on Monday. | My appointment is on Thursday too. | My appointment was cancelled.
Our son Bram is 38. | Bram has dreamt of it since he was twelve.
I have a lot of jumpers. | I got rid of some jumpers.
I collect rare coins. | I sold a rare, hand-painted vase to a dealer.
The jacket came with a waterproof spray. | I want new boots because they're no longer waterproof.
I joined a few Facebook groups, including "Travel Fans". | I started listening to "Crime Hour" on 15 January.
The motors come from Kobold. | The belts now come from Kobold in Kassel.
Ma cousine Solène habite à Metz, on se voit deux fois par an. | Solène est à Nancy ce week-end, elle adore.
Help! I work at the Orchard Street nursery. | I've left Orchard Street, see you at home in ten minutes.
Oh, and my bank is Northbank, they charge for everything. | Mi hija ha cambiado de banco, ahora está en Caja Sol.
We pay 29 euros a month for the gym, per person. | The nursery people wrote, it's gone up to 35 euros a month.
Unsere Putzhilfe kostet 15 Euro die Stunde. | Die Putzhilfe von Oma kostet seit April 17 Euro die Stunde.
La guardería nos cuesta 320 euros al mes. | El comedor sube a 360 euros al mes desde septiembre.
My flight to Porto is on 4 June at 7:20. | Vera's flight to Porto is now on 5 June at 9:10.
Wir fliegen am 8. August nach Korfu. | Grandma's flight is now on 10 August.
My brother Idris lands in Lyon on 12 April. | The parcel for Idris now lands on 15 April, they say.
Tengo cita con la dermatóloga el 9 de marzo a las 10. | The vet is away. They moved my appointment to 16 March.
My driving test is on 6 May and I still can't park. | Der Sehtest ist jetzt am 20. Mai.
The kids have swimming on Tuesdays at five. | Ab jetzt haben die Kinder donnerstags um fünf Turnen.
Mi clase de cerámica es los jueves a las seis. | My sister's pottery class is on Fridays at six now.
I play the saxophone in a wedding band. | My cousin quit the wedding band.
Lola juega al baloncesto los martes. | Lola's brother has given up basketball.
Timo spielt Fußball im Verein. | Timo a arrêté de bouder, il joue au foot demain.
I drink two cans of cola a day. | Mein Chef trinkt keine Cola mehr.
Fumo un paquete al día. | My brother has quit smoking!
I've booked a cottage in Whitby for the last week of July. | My parents cancelled their cottage in Whitby.
I've booked a cottage in Whitby for the last week of July. | I've cancelled the train to Whitby, we're driving.
He reservado una mesa en el Casa Lola para el viernes. | They cancelled the concert at Casa Lola.
My boss is Herr Dallmann, he counts paper clips. | Der Chef von Uwe ist in Rente, his new boss is Frau Yıldız.
Our head coach is Mr Osei and he shouts a lot. | The junior team's coach is Ms Varga now.
Meine Zahnärztin ist Frau Dr. Pohl. | My wife has changed dentists, she goes to Dr Kessler now.
We drive an old Passat. | Die Nachbarn haben den Passat verkauft.
J'ai une vieille Clio. | I nearly sold the Clio to my nephew yesterday.
I take 20 mg of atorvastatin in the evening. | I saw the doctor with Dad today, she raised his atorvastatin to 40 mg.
Ich nehme 20 mg Ramipril am Abend. | Papa war mit mir beim Arzt, sie hat sein Ramipril auf 40 mg erhöht.
I take 5 mg of bisoprolol. | Eva saw the cardiologist, he lowered her dose of bisoprolol to 2.5 mg.
I go to yoga twice a week. | Ich habe mein Zeitungs-Abo gekündigt.
I work five days a week at the moment. | My colleague works four days a week from this month.
I'm on the night shift this spring. | Mein Mann ist jetzt in der Frühschicht.
Papa travaille de nuit à l'usine. | Mon oncle travaille de jour maintenant.
I take the bus to work. | On Fridays I cycle to work now.
The hamster's cage is in the hall. | Der Hamster steht jetzt unter Beobachtung.
La tele está en el dormitorio. | The new TV is in the living room now.
The party is at the bowling alley on Saturday. | The after-party is at our house instead.
Our cat Nacho gets dry food. | Our other cat gets wet food now.
Wir stehen auf der Warteliste für einen Kitaplatz. | Guess what, my cousin got the nursery place!
We're on the waiting list for an allotment. | Der Schrebergarten nebenan gehört jetzt Karin.
I'm doing a course in bookkeeping on Thursday evenings. | I've finished the first test of the course.
Mum's birthday is on 4 October. | Mamas Namenstag ist am 14. Oktober.
My grandfather is 91 and still drives. | Correction: my grandmother is 89, not 91.
Our plumber is Mr Sato. | Our electrician retired, our electrician is now Mrs Lindqvist.
Ana is doing the flowers for the wedding. | Bea is doing the cake for the wedding now.
Frau Brandt looks after our plants. | Bea looks after our dog now.
My aunt looks after the budget. | Bea looks after our plants now.
Ben looks after our cat. | Ada looks after her cat now.
I drink milk. | There's no more milk.
I drink milk. | No more milk in the fridge, can you believe it?
Ben drinks milk. | I drink tea now, no more milk.
I go to the choir. | I drink tea now, no more milk.
I work at Acme. | My colleague has a new job.
I work at Acme. | I've got a new job for you.
Ada works at Acme. | Ben has a new job, he works at Orbit now.
Ada works at Acme. | Ada wants a new job.
Le mariage de Chloé est le 20 juin. | Zoe's wedding has been postponed to 5 September.
Le mariage de Chloé est le 20 juin. | The wedding of Chloe's brother has been postponed to 5 September.
My in-laws live in Brest. | Mes parents ont déménagé à Quimper.
Our flight to Valencia is at 6:50. | Han cambiado el vuelo a Lima: ahora sale a las 9:30.
The bus to Bern leaves at 6:50. | Der Zug nach Bern fährt jetzt um 7:10.
"""


def superseded(row: str) -> list[str]:
    with MemoryManager(
        ":memory:", user="ana", llm="none", settings=Settings(worker="none"), clock=FrozenClock("2026-06-20T10:00:00Z")
    ) as memory:
        for day, text in enumerate(row.split(" | "), start=10):
            turn = {"role": "user", "content": text, "at": f"2026-06-{day}T10:00:00Z"}
            memory.remember_messages([turn], session=f"s{day}")
            memory.flush()
        return [each.content for each in memory.iter_memories(status="superseded")]


@pytest.mark.matrix
@pytest.mark.parametrize("row", CLOSED.strip().splitlines())
def test_a_change_closes_what_it_replaces(row: str) -> None:
    (closed,) = superseded(row)
    assert closed in row.split(" | ", maxsplit=1)[0]


@pytest.mark.matrix
@pytest.mark.parametrize("row", LEFT.strip().splitlines())
def test_a_statement_about_another_thing_closes_nothing(row: str) -> None:
    assert superseded(row) == []


def test_a_memory_that_states_more_in_another_clause_stays() -> None:
    with MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none")) as memory:
        memory.remember("Aitor plays basketball and Nerea does gymnastics on Fridays.")
        memory.remember("Aitor has given up basketball.")
        assert not list(memory.iter_memories(status="superseded"))
        assert memory.synthesize("Does Aitor play basketball?")["synthesis"]["answer"] == "No"
        assert "gymnastics" in memory.recall("What does Nerea do on Fridays?")[0].content


def test_the_digest_of_a_session_hides_no_turn_from_a_change() -> None:
    with MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none")) as memory:
        for number, text in enumerate(
            (
                "I go running on Sunday mornings with my friend Agnes.",
                "The car needs its service on 14 May at Teme Motors.",
                "I don't go running on Sundays any more, we've switched to Saturday mornings.",
                "Teme Motors rang: the service of the car is on 15 May instead.",
            )
        ):
            memory.add_message("user", text, session=f"day-{number // 2}")
            if number % 2:
                memory.end_session(f"day-{number // 2}")
                memory.flush()
        gone = {each.content for each in memory.iter_memories(status="superseded")}
        assert any("Sunday mornings" in text for text in gone)
        assert "14 May" not in memory.synthesize("When is the car's service?")["synthesis"]["answer"]
