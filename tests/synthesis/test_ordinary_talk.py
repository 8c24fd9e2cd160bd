"""Changes, corrections and answers in ordinary talk: who left and who follows, what is taken instead, wrong values."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

# A conversation has turns: "| " begins one of a later day, "& " another one of the day. "> " begins a check: whether a
# statement is closed or all are kept, or a question with words of its answer, "-" for none.
CONVERSATIONS = """
We live on Elmweg now.
> Whose van did we use for the move? = -

I'm a nurse in oncology at Saint Mary's, fourth floor.
> Which hospital do I work at? = Saint Mary

Soy enfermera en neurología en el Hospital Sur.
> ¿En qué planta trabajo? = -

Paula got seventeen out of twenty in history!
> How old is Paula? = -

Paula hat achtzehn von zwanzig Punkten in Geschichte.
> Wie alt ist Paula? = -

Paula a eu quinze sur vingt en histoire.
> Quel âge a Paula ? = -

Paula ha sacado dieciocho sobre veinte en historia.
> ¿Cuántos años tiene Paula? = -

Marco used to work for a bike shop in Leeds, so I trust him.
> Has Marco ever worked in Leeds? = Yes
> Does Marco work in Leeds? = No

Marco hat früher bei einem Radladen in Bremen gearbeitet.
> Hat Marco schon mal in Bremen gearbeitet? = Ja

Marco travaillait avant pour un magasin de vélos à Lyon.
> Est-ce que Marco a déjà travaillé à Lyon ? = Oui

Marco used to work for a bike shop in Leeds.
> Est-ce que Marco a déjà travaillé à Leeds ? = Oui
> Hat Marco schon mal in Leeds gearbeitet? = Ja

Dad's birthday is on 3 May.
| Oh, I gave you the wrong date for Dad. His is the 13th of May.
> closed
> When is Dad's birthday? = 13

Papas Geburtstag ist am 3. Mai.
| Ach, ich hab dir das falsche Datum für Papa genannt. Seiner ist am 13. Mai.
> closed
> Wann hat Papa Geburtstag? = 13

L'anniversaire de papa est le 3 mai.
| Ah, je t'ai donné la mauvaise date pour papa. Le sien est le 13 mai.
> closed
> C'est quand, l'anniversaire de papa ? = 13

El cumpleaños de papá es el 3 de mayo.
| Perdona, te di mal la fecha de papá. El suyo es el 13 de mayo.
> closed
> ¿Cuándo es el cumpleaños de papá? = 13

Dad lives in Hull.
& His birthday is on 3 May.
| Oh, I gave you the wrong date for Dad. His is the 13th of May.
> closed
> When is Dad's birthday? = 13

Maman vit à Nantes.
& Son anniversaire tombe le 3 mai, elle aura soixante ans.
| Oh, I gave you the wrong date for Mum. Hers is the 13th of May.
> closed

Mama wohnt in Celle.
& Ihr Geburtstag ist am 3. Mai.
| Sorry, I gave you the wrong date for Mum. Hers is 13 May.
> closed
> Wann hat Mama Geburtstag? = 13

We move on 28 March.
| Bad news. We've had to push the move to 11 April.
> closed
> When do we move? = 11 April

Umziehen werden wir am 28. März.
| Bad news. We've had to push the move to 11 April.
> closed
> An welchem Datum ziehen wir um? = 11 April
> An welchem Datum sind wir umgezogen? = 11 April

We lived in Hull until 2015.
> Have we ever lived in Hull? = Yes

I no longer work at Bosch.
> Have I ever worked at Bosch? = Yes
> Do I work at Bosch? = No

The concert was cancelled.
> Did the concert take place? = no

I gave up smoking.
> Do I smoke? = No

Paula hat 18 von 20 Punkten.
> Wie alt ist Paula? = -

Paula is seventeen and Max is nine.
> How old is Paula? = seventeen
> How old is Max? = nine

Paula ist siebzehn und Max neun.
> Wie alt ist Paula? = siebzehn

Paula a dix-sept ans et Max neuf ans.
> Quel âge a Paula ? = dix-sept

Paula tiene diecisiete años y Max nueve.
> ¿Cuántos años tiene Paula? = diecisiete

Paula is our fastest runner, she is sixty-one and beats us all.
> How old is Paula? = sixty-one

Der Umzug ist am 28. März.
| Der Umzug wurde auf den 11. April verschoben.
> closed
> Wann ist der Umzug? = 11. April

Le déménagement est le 28 mars.
| On a dû repousser le déménagement au 11 avril.
> Quand est le déménagement ? = 11 avril

La mudanza es el 28 de marzo.
| Hemos tenido que aplazar la mudanza al 11 de abril.
> ¿Cuándo es la mudanza? = 11 de abril

Nos mudamos el 28 de marzo.
| We had to postpone the move to 11 April.
> closed

We move on 28 March.
| Ana moved the party to 11 April.
> kept

We move on 28 March.
| Ben pushed his move to 11 April.
> kept

My trainee is Dennis, eighteen, very tall.
& He hums.
| Dennis quit this morning, just like that.
> closed

Mein Azubi ist Dennis, achtzehn Jahre alt.
| Dennis hat hingeschmissen, einfach so.
> closed

Mon apprenti s'appelle Denis, dix-huit ans.
| Denis a démissionné ce matin.
> closed

Mi aprendiz es Dani, tiene dieciocho años.
| Dani renunció esta mañana.
> closed

Our choir conductor is called Maud, she is strict.
| Maud has retired, it's Cyril who is conductor now.
> closed
> Who is our choir conductor? = Cyril

Notre professeure de piano s'appelle Maud.
| Maud est partie à la retraite, c'est Cyril qui est professeur maintenant.
> closed

Nuestra entrenadora se llama Pilar.
| Pilar se ha jubilado, ahora el entrenador es Rubén.
> closed

Mum's dentist is Keller.
| Keller has retired. Mum is with Dr. Osei now.
> closed

Mamas Zahnarzt ist der Keller.
| Keller ist in Rente gegangen. Mama ist jetzt bei Dr. Osei.
> closed

Le dentiste de maman est Keller.
| Keller est parti à la retraite, maman va maintenant chez le Dr Osei.
> closed

El dentista de mamá es Keller.
| Keller se ha jubilado, mamá va ahora al Dr. Osei.
> closed

Tim leads the hiking group.
| Tim's hip is ruined, so Vera has taken over.
> closed
> Who leads the hiking group? = Vera

Tim leitet die Wandergruppe.
| Tims Hüfte ist kaputt, deshalb hat Vera die Leitung übernommen.
> closed
> Wer leitet die Wandergruppe? = Vera

Tim dirige le groupe de randonnée.
| Tim a mal à la hanche, alors c'est Vera qui a repris le groupe.
> closed

Tim lleva el grupo de senderismo.
| A Tim le duele la cadera, así que ahora lo lleva Vera.
> closed

This year the captain is Lina.
| Lina would rather be in goal, so it's Leo who is captain now.
> closed
> Who is the captain? = Leo

Dieses Jahr ist Lina die Kapitänin.
| Lina will lieber ins Tor, jetzt ist Leo der Kapitän.
> closed

Cette année la capitaine c'est Lina.
| Lina préfère les buts, donc c'est Leo le capitaine maintenant.
> closed

Este año la capitana es Lina.
| Lina prefiere la portería, así que ahora el capitán es Leo.
> closed

She is Mum.
& Mum takes metformin for her sugar.
| The metformin made her ill, so they've put her on gliclazide instead.
> closed

Mama nimmt Metformin gegen den Zucker.
| Von Metformin wurde ihr schlecht, jetzt nimmt sie stattdessen Gliclazid.
> closed

Maman prend de la metformine pour le sucre.
| La metformine la rendait malade, elle prend du gliclazide à la place.
> closed

Mamá toma metformina para el azúcar.
| La metformina le sentaba mal, ahora toma gliclazida en su lugar.
> closed

We get our eggs from Hof Linde.
| We now get our eggs from Hof Eiche.
> closed

Die Eier holen wir vom Hof Linde.
| Wir beziehen die Eier jetzt vom Hof Eiche.
> closed

On prend nos œufs à la ferme Linde.
| On prend maintenant nos œufs à la ferme Eiche.
> closed

Compramos los huevos en la granja Linde.
| Ahora compramos los huevos en la granja Eiche.
> closed

On Mondays we're closed.
| We're now closed on Wednesdays instead of Mondays.
> closed

Le lundi c'est fermé chez nous.
| On ferme maintenant le mercredi au lieu du lundi.
> closed

Los lunes cerramos.
| Ahora cerramos los miércoles en vez de los lunes.
> closed

Unser Lesekreis trifft sich jeden Montag.
| Der Buchclub trifft sich ab jetzt donnerstags.
> closed

We rehearse on Tuesdays.
| On répète désormais le jeudi.
> closed

On s'entraîne le mardi.
| From now on we train on Thursdays.
> closed

Wir proben dienstags.
| A partir de ahora ensayamos los jueves.
> closed

Mum is getting a new knee on 3 May.
| The knee won't be done until 10 May.
> closed

Mama bekommt am 3. Mai ein neues Knie.
| Das Knie wird erst am 10. Mai gemacht.
> closed
> Wann bekommt Mama ein neues Knie? = 10. Mai

Maman se fait opérer du genou le 3 mai.
| Le genou, ce ne sera pas avant le 10 mai.
> closed

A mamá la operan de la rodilla el 3 de mayo.
| La rodilla no se la operan hasta el 10 de mayo.
> closed

Mum is getting a new knee on 3 May.
| Das Knie wird erst am 10. Mai gemacht.
> closed

We're playing in Ghent on 9 May.
| They've pushed Ghent to 16 May.
> closed

Die Prüfung ist am 4. Juni.
| Die Prüfung ist erst am 11. Juni.
> closed

We've entered a tournament in Ghent on 9 May.
| The Ghent tournament has been cancelled.
> closed

On est inscrits à un tournoi à Gand le 9 mai.
| The Ghent tournament has been cancelled.
> closed

Wir fahren am 9. Mai zum Turnier nach Genf.
| Le tournoi de Genève est annulé.
> closed

Vamos a un torneo en Londres el 9 de mayo.
| The London tournament is off.
> closed

My old Polo passed its inspection.
| The Polo is gone! A student gave me 900 euros for it.
> Do I still have the Polo? = No

Mein alter Polo ist durch den TÜV gekommen.
| Der Polo ist weg! Ein Student hat mir 900 Euro dafür gegeben.
> Habe ich den Polo noch? = Nein

We live in Elmstraße, third floor, no lift, and my calves know it.
| It's official, we live on Parkweg now!
> closed
> Which street do I live on? = Parkweg

Wir wohnen noch in der Elmstraße, dritter Stock.
| It's official, we live on Parkweg now!
> closed

On habite rue des Lilas, au troisième.
| Ça y est, on habite maintenant rue du Parc.
> closed

Vivimos en la calle Olmo, tercer piso.
| Ya es oficial, ahora vivimos en la calle Parque.
> closed

We live in Bamberg.
| We live on Parkweg now.
> kept

Ines has a room in the Bolt student hall.
| Ines has moved out of the hall, she shares a flat in Moabit now.
> closed

Ina and Carl have been a couple since school.
| Carl has moved out, it's over between them.
> closed
> Are Ina and Carl still a couple? = No

Ina und Carl sind seit der Schule ein Paar.
| Carl ist ausgezogen, es ist aus zwischen den beiden.
> closed
> Sind Ina und Carl noch ein Paar? = Nein

Ina et Carl sont en couple depuis le lycée.
| Carl est parti, c'est fini entre eux.
> closed

Ina y Carl son pareja desde el instituto.
| Carl se ha ido, lo suyo se acabó.
> closed

Ina sort avec un certain Carl.
| Ina et Carl se sont séparés.
> closed
> Is Ina still with Carl? = No

Ina is going out with a guy called Carl.
| Ina und Carl haben sich getrennt.
> closed
> Is Ina still with Carl? = No

At the moment I only do nights.
| As of yesterday I'm on days, no more nights!
> closed

Im Moment mache ich nur Nächte.
| Seit gestern bin ich im Tagdienst, keine Nächte mehr!
> closed

Ahora solo hago noches.
| Desde ayer hago días, ¡se acabaron las noches!
> closed

I live on four cups of coffee a day.
| I've given up coffee completely.
> closed

Ich lebe von vier Tassen Kaffee am Tag.
| Kaffee habe ich komplett aufgegeben.
> closed

I go to work on the number 92 tram.
| We bought a car, I drive to work now, no more tram!
> closed

Ich fahre mit der Tram 92 zur Arbeit.
| Ich fahre jetzt mit dem Auto zur Arbeit, Schluss mit der Tram!
> closed

Je vais au boulot avec le tram 92.
| Je vais au boulot en voiture maintenant, fini le tram !
> closed

Voy al trabajo con el tranvía 92.
| Ahora voy al trabajo en coche, se acabó el tranvía.
> closed

Rent will be 890 warm.
| Sorry, I said 890 for the new flat. I read the contract properly and it's 980.
> closed

Die Miete beträgt 890 Euro.
| Sorry, ich habe 890 gesagt. Ich hab nochmal nachgeschaut und es sind 980.
> closed

Le loyer est de 890 euros.
| Pardon, j'ai dit 890. J'ai relu le contrat et c'est 980.
> closed

El alquiler es de 890 euros.
| Perdona, dije 890. He leído bien el contrato y son 980.
> closed

Our new jerseys are orange.
| Sorry, I told you the jerseys were orange, but they're green.
> closed
> What colour are our jerseys? = green

Unsere neuen Trikots sind orange.
| Sorry, ich habe gesagt, die Trikots sind orange, aber sie sind grün.
> closed

Nos nouveaux maillots sont orange.
| Sorry, I told you the shirts were orange, but they're green.
> closed

Piet sits at an insurance company.
| Piet left the insurance people and has started at the city archive.
> closed
> Where does Piet work? = city archive

Mum takes metformin for her sugar.
| The metformin made her ill, so they've put her on gliclazide instead.
> closed

Mama nimmt Metformin gegen den Zucker.
| Statt Metformin nimmt sie jetzt Gliclazid.
> closed

Nos nouveaux maillots sont orange avec des numéros blancs.
| Pardon, j'ai dit que les maillots étaient orange, mais ils sont verts.
> closed

The kitchen is white.
| We painted it, the kitchen is green now.
> closed
> What colour is our kitchen? = green
"""


def conversations(text: str) -> list[tuple[list[str], list[str]]]:
    blocks = (block.splitlines() for block in text.strip().split("\n\n"))
    split = (([line for line in lines if not line.startswith("> ")], lines) for lines in blocks)
    return [(turns, [line[2:] for line in lines if line.startswith("> ")]) for turns, lines in split]


@pytest.mark.parametrize(("turns", "checks"), conversations(CONVERSATIONS))
def test_talk_is_read_as_it_is_meant(turns: list[str], checks: list[str]) -> None:
    check_talk(turns, checks)


def check_talk(turns: list[str], checks: list[str]) -> None:
    """Check what is closed after a conversation, and the answers to its questions."""
    clock = FrozenClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
    with MemoryManager(":memory:", user="kim", llm="none", clock=clock, settings=Settings(worker="none")) as memory:
        for number, turn in enumerate(turns):
            if turn.startswith("| "):
                memory.flush()
                clock.advance(timedelta(days=1))
            memory.add_message("user", turn.removeprefix("| ").removeprefix("& "), session="chat", at=clock.now())
            clock.advance(timedelta(minutes=2 + number))
        memory.flush()
        closed = [each.content for each in memory.iter_memories(status="superseded")]
        for check in checks:
            question, _, wanted = check.partition(" = ")
            if not wanted:
                assert bool(closed) == (check == "closed"), closed
            else:
                reply = memory.synthesize(question, touch=False)
                found = "" if reply.abstained else str(reply.synthesis["answer"])
                assert wanted.casefold() in found.casefold() if wanted != "-" else not found, found
