"""Answers from ordinary talk in four languages, and what is no answer."""

from __future__ import annotations

import pytest

from tests.synthesis.test_ordinary_talk import check_talk, conversations

CONVERSATIONS = """
Tim leads the hiking group.
| Tim's hip is ruined, so Vera has taken over the choir.
> kept

Tim leads the hiking group.
| Tim is ill, so Vera walks the dog now.
> kept

Tim is my neighbour.
| Tim is ill, so Vera walks the dog now.
> kept

Tim leitet die Wandergruppe.
| Tims Hüfte ist kaputt, deshalb hat Vera den Hund übernommen.
> kept

Tim dirige le groupe de randonnée.
| Tim est malade, alors c'est Vera qui promène le chien maintenant.
> kept

Tim lleva el grupo de senderismo.
| Tim está enfermo, ahora Vera pasea al perro.
> kept

My best friend is Tim.
| Tim has retired.
> kept

Mein bester Freund ist Tim.
| Tim ist in Rente gegangen.
> kept

Mon meilleur ami est Tim.
| Tim est parti à la retraite.
> kept

Mi mejor amigo es Tim.
| Tim se ha jubilado.
> kept

Tim is a nurse.
| Tim has retired, it's Vera who looks after us now.
> kept

My brother is Tim.
| Tim quit.
> kept

Mum takes metformin for her sugar.
| The bus was late, so she takes the train instead.
> kept

Mum takes the bus to work.
| Metformin made her ill, so they've put her on gliclazide instead.
> kept

Mum takes metformin for her sugar.
| The metformin is on the table.
> kept

I like metformin.
| The metformin made her ill, so they've put her on gliclazide instead.
> kept

Mama nimmt den Bus.
| Von Metformin wurde ihr schlecht, jetzt nimmt sie stattdessen Gliclazid.
> kept

Maman prend le bus.
| La metformine la rendait malade, elle prend du gliclazide à la place.
> kept

Mamá toma el autobús.
| La metformina le sentaba mal, ahora toma gliclazida en su lugar.
> kept

My car is red.
| The kitchen is green now.
> kept

The kitchen is white.
| Ana's kitchen is green now.
> kept

Mein Auto ist rot.
| Die Küche ist jetzt grün.
> kept

Ana's exam is on 3 May.
& She is nervous.
| Ben's exam has been moved to 10 May.
> kept

Ana lives in Hull.
& Her exam is on 3 May.
| Ben's exam has been moved to 10 May.
> kept

Ana lebt in Celle.
& Ihre Prüfung ist am 3. Mai.
| Bens Prüfung wurde auf den 10. Mai verschoben.
> kept

Ana lives in Hull.
& Her exam is on 3 May.
| Ana's exam has been moved to 10 May.
> closed
> When is Ana's exam? = 10 May

Ana lebt in Celle.
& Ihre Prüfung ist am 3. Mai.
| Anas Prüfung wurde auf den 10. Mai verschoben.
> closed
> Wann ist Anas Prüfung? = 10. Mai

Ana vit à Lyon.
& Son examen est le 3 mai.
| L'examen d'Ana a été reporté au 10 mai.
> closed
> Quand est l'examen d'Ana ? = 10 mai

Ana vive en Vigo.
& Su examen es el 3 de mayo.
| El examen de Ana se ha aplazado al 10 de mayo.
> closed
> ¿Cuándo es el examen de Ana? = 10 de mayo

The rent is 890 euros.
| Sorry, I said 750 for the bike. It's 700.
> kept

My locker has the number 318.
> What's the number of my locker? = 318
> What was my locker number again? = 318
> C'est quoi déjà, le numéro de mon casier ? = 318

Mon casier porte le numéro 318.
> C'est quoi déjà, le numéro de mon casier ? = 318
> Quel est le numéro de mon casier ? = 318
> What's the number of my locker? = 318

Mein Spind hat die Nummer 318.
> Welche Nummer hat noch mal mein Spind? = 318
> Was war noch mal die Nummer von meinem Spind? = 318

Mi taquilla lleva el número 318.
> ¿Cuál era el número de mi taquilla? = 318
> ¿Qué número tiene mi taquilla? = 318

We rehearse on Tuesdays at half past seven.
> Which day do we rehearse? = Tuesday
> Quel jour on répète ? = Tuesday
> On which day of the week do we rehearse? = Tuesday

Wir proben dienstags um halb acht.
> An welchem Wochentag proben wir? = dienstag
> Which day do we rehearse? = dienstag

On répète le mardi à dix-neuf heures.
> Quel jour de la semaine répète-t-on ? = mardi

Ensayamos los martes a las siete.
> ¿Qué día de la semana ensayamos? = martes

Dad takes bisoprolol for his heart.
> What does Dad take for his heart? = bisoprolol
> Which medicine does Dad take for his heart? = bisoprolol

Papa nimmt Bisoprolol fürs Herz.
> Was nimmt Papa fürs Herz? = Bisoprolol

Papa prend du bisoprolol pour le cœur.
> Qu'est-ce que papa prend pour le cœur ? = bisoprolol
> Quel médicament prend papa pour le cœur ? = bisoprolol

Papá toma bisoprolol para el corazón.
> ¿Qué toma papá para el corazón? = bisoprolol
> ¿Qué medicina toma papá para el corazón? = bisoprolol

Ina has a cat named Biscuit.
> What's Ina's cat called? = Biscuit
> Wie heißt Inas Katze? = Biscuit

Ina hat eine Katze namens Keks.
> Wie heißt Inas Katze? = Keks
> What is Ina's cat called? = Keks

Ina a un chat qui s'appelle Biscuit.
> Comment s'appelle le chat d'Ina ? = Biscuit
> What's Ina's cat called? = Biscuit

Ina tiene un gato llamado Galleta.
> ¿Cómo se llama el gato de Ina? = Galleta

Herr Pohl lends me his drill. His dachshund is called Waldo.
> What's Herr Pohl's dog called? = Waldo

Frau Sommer leiht mir ihre Leiter. Ihr Dackel heißt Waldo.
> Wie heißt der Hund von Frau Sommer? = Waldo

Ein Laib Dinkelbrot kostet bei uns 3,90.
> Wie viel kostet ein Laib Dinkelbrot? = 3,90

The parents pay 70 euros for the season.
> How much do parents pay for the season? = 70 euros
> What does a season cost the parents? = 70 euros

Les parents paient 70 euros pour la saison.
> Combien les parents paient-ils pour la saison ? = 70 euros

My co-driver is Sven, a carpenter who never stops talking.
> What does Sven do for a living? = carpenter
> What's Sven's job? = carpenter
> Was macht Sven beruflich? = carpenter

Mein Beifahrer ist Sven, ein Tischler, der nie still ist.
> Was macht Sven beruflich? = Tischler
> What does Sven do for a living? = Tischler

Mi copiloto es Sven, un carpintero muy hablador.
> ¿A qué se dedica Sven? = carpintero

Jana teaches art at a primary school.
> What's Jana's job? = teach
> What does Jana do for a living? = teach

My girlfriend Jana teaches art at a primary school.
> What's my girlfriend's job? = teach

Our treasurer, Mrs Hall, promises new nets.
> Who is our treasurer? = Hall
> What's our treasurer called? = Hall

Unsere Kassenwartin, Frau Hall, verspricht neue Netze.
> Wie heißt unsere Kassenwartin? = Hall

La trésorière, Mme Hall, promet de nouveaux filets.
> Qui est la trésorière ? = Hall
> Comment s'appelle la trésorière ? = Hall

La tesorera, la señora Hall, promete redes nuevas.
> ¿Quién es la tesorera? = Hall

Mon nouveau binôme, c'est Sandra.
> Qui est mon nouveau binôme ? = Sandra
> Comment s'appelle mon binôme ? = Sandra

Mum's in Porto, by the way, and rings every Sunday.
> Where is Mum? = Porto

Mama ist in Porto und ruft jeden Sonntag an.
> In welcher Stadt ist Mama? = Porto

I'm allergic to hazelnuts, so no nougat.
> What am I allergic to? = hazelnut
> What food am I allergic to? = hazelnut
> Wogegen bin ich allergisch? = hazelnut

Moi je suis allergique aux noisettes, donc jamais de pralin.
> À quoi suis-je allergique ? = noisettes
> What food am I allergic to? = noisette
> À quel aliment je suis allergique ? = noisettes

Ich bin gegen Haselnüsse allergisch.
> Wogegen bin ich allergisch? = Haselnüsse
> Gegen welches Lebensmittel bin ich allergisch? = Haselnüsse

Yo soy alérgico a las avellanas.
> ¿A qué soy alérgico? = avellanas
> ¿A qué alimento soy alérgico? = avellanas

Our oven is from 1987 and is called Brünnhilde.
> What's our oven called? = Brünnhilde
> What nickname does our oven have? = Brünnhilde

Unser Kühlschrank ist von 1987 und heißt Egon.
> Wie heißt unser Kühlschrank? = Egon
> Welchen Spitznamen hat unser Kühlschrank? = Egon

The mechanic wants 480 euros for the repair.
> How much does the mechanic want for the repair? = 480
> How much did the mechanic want for the repair? = 480

Le garagiste me demande 480 euros pour réparer.
> Combien demande le garagiste pour réparer ? = 480

Der Mechaniker will 480 Euro für die Reparatur.
> Wie viel will der Mechaniker für die Reparatur? = 480

El mecánico me pide 480 euros por la reparación.
> ¿Cuánto pide el mecánico por la reparación? = 480

My sister Nora left the bank and has started at the city museum.
> Where does my sister work? = museum
> Wo arbeitet meine Schwester? = museum

Meine Schwester Nora hat die Bank verlassen und im Stadtmuseum angefangen.
> Wo arbeitet meine Schwester? = Stadtmuseum

Max is seven. On 4 May he turns eight.
> When is Max's birthday? = 4 May

Max ist unser Jüngster. Am 4. Mai wird er acht.
> Wann hat Max Geburtstag? = 4. Mai

Max est notre cadet. Le 4 mai il aura huit ans.
> Quand est l'anniversaire de Max ? = 4 mai
> C'est quand, l'anniversaire de Max ? = 4 mai

Max es el pequeño. El 4 de mayo cumple ocho.
> ¿Cuándo es el cumpleaños de Max? = 4 de mayo

Max hat mit Schach aufgehört. Jetzt macht er Karate.
> Welchen Sport macht Max? = Karate

Erna has been selling bread here for twelve years.
> How many years has Erna been selling bread? = twelve

Erna verkauft hier seit zwölf Jahren.
> Wie lange verkauft Erna schon hier? = zwölf

Erna vend du pain ici depuis douze ans.
> Depuis combien d'années Erna vend-elle du pain ici ? = douze

Maman vit seule à Nantes.
> Est-ce que maman habite toujours à Nantes ? = Oui

We got rid of the tent.
> Do we still have the tent? = No

Das Zelt ist weg.
> Haben wir das Zelt noch? = Nein

The Bath tournament on 9 May is off.
> Is the Bath tournament still on? = No
> Is the Bath tournament taking place? = No

Le tournoi de Bath est annulé.
> Est-ce que le tournoi de Bath est maintenu ? = Non
> Le tournoi de Bath a-t-il lieu ? = Non

Das Turnier in Bath ist abgesagt.
> Findet das Turnier in Bath statt? = Nein

My shoe size is 43.
> What's my shoe size? = 43
> What size are my shoes? = 43

Früher hab ich in Bremen in einem Café gearbeitet.
> In welcher Stadt habe ich früher gearbeitet? = Bremen
> In welcher Stadt habe ich im Café gearbeitet? = Bremen

I used to work in a café in Bremen.
> In which city did I work in a café? = Bremen
> In welcher Stadt habe ich im Café gearbeitet? = Bremen

We open the café at eight.
> What time does our café open? = eight
> Wann macht unser Café auf? = eight

Wir machen das Café um acht auf.
> Um wie viel Uhr macht unser Café auf? = acht

On ouvre le café à huit heures.
> À quelle heure ouvre notre café ? = huit

A colleague called Bert helped me push the car.
> Who helped me push the car? = Bert

Sie hat sich für ihr Zimmer Lila ausgesucht.
& Ella has chosen purple for her room.
> What colour has Ella chosen for her room? = purple

Ella will ihr Zimmer lila haben.
> Welche Farbe will Ella für ihr Zimmer? = lila

Birte ist unsere Schnellste, die ist dreiundsechzig.
> Wie alt ist Birte? = dreiundsechzig

Je ne mange pas de viande.
> Est-ce que je mange de la viande ? = Non

I survive on three cups of coffee a shift.
| And I've given up coffee completely.
> closed

Ich trinke vier Tassen Kaffee am Tag.
| Kaffee habe ich komplett aufgegeben.
> closed

Wir wohnen in Bamberg.
| Wir wohnen jetzt im Parkweg.
> kept

On habite à Lyon.
| On habite maintenant rue du Parc.
> kept

Vivimos en Vigo.
| Ahora vivimos en la calle Olmo.
> kept

We live on Elm Street.
| We live on Park Road now.
> closed
> Which street do we live on? = Park Road

I call it Bruno.
| I sold Bruno to my neighbour.
> kept

Ich nenne ihn Bruno.
| Ich habe Bruno verkauft.
> kept

Je l'appelle Bruno.
| J'ai vendu Bruno à mon voisin.
> kept

Lo llamo Bruno.
| He vendido Bruno a mi vecino.
> kept

Papá toma café para el desayuno.
> ¿Qué toma papá? = café
> ¿Qué toma papá para el desayuno? = café

Papa prend du café le matin.
> Qu'est-ce que papa prend le matin ? = café

The tent is gone.
> Do I still have the tent? = No

Our neighbour's tent is gone.
> Do we still have the tent? = -

My co-driver is Sven, who met a carpenter.
> What does Sven do for a living? = -

Mrs Whitlow downstairs has a parrot called Consul who swears at the plumber.
> What's the name of Mrs Whitlow's parrot? = Consul

Opa hat einen Kater, der Moritz heißt und das Bett bewacht.
> Wie heißt Opas Kater? = Moritz
> What's my grandfather's cat called? = Moritz

Unsere Hecken schneidet dieses Jahr Frau Timm.
> Wer schneidet unsere Hecken? = Frau Timm

Der Hund füttert Tom.
> Wer füttert den Hund? = -

We have a cat called Toast.
| The dog and the cat have taken the sofa.
> What is our cat called? = Toast

My mother is called Pilar.
| As a child I drew on walls until the neighbours begged my mother to stop it.
> What is my mother's name? = Pilar

We've booked the ferry for May, car and dog included.
> Which car do I have? = -

She goes to St Olaf's, the school with the green gate. My daughter Una likes it.
> Which school does Una go to? = -

The spare key to my father's flat is under the third flowerpot.
> Where is the spare key to my father's flat? = under the third flowerpot
> Where do we keep the spare key? = under the third flowerpot
> Where is the spare key to my mother's flat? = -

I run a bakery in Deal called Crumbs, twelve seats if nobody brings a pram.
> What's my bakery called? = Crumbs

There are six of us on the crew, if you count the trainee.
> How many of us are on the crew? = six

Our team is called Morning Glory. Ana works at Summer Breeze.
> What is our team called? = Morning Glory
> Where does Ana work? = Summer Breeze

This week I'm in Leeds at my mother's house.
| My mother has moved to York.
> kept

Esta semana estoy en Soria en casa de mi madre.
| Mi madre se ha mudado a Lugo.
> kept

I got the job at Ashgrove!
| I work at Ashgrove Animal Hospital now.
> kept
> Where do I work? = Ashgrove Animal Hospital

Estudié en León.
> ¿En qué ciudad estudié? = León

Jeden Sonntag spiele ich mit Papa Schach.
> Was spielen Papa und ich sonntags? = Schach

I play chess with Dad every Sunday.
> What do Dad and I play on Sundays? = chess

Rob and I met in a laundrette.
> Where did I first meet Rob? = laundrette

My skates are a size 41.
> What size are my skates? = 41

Abgabetermin für Ibis ist der 30. April.
| Der Termin für Ibis ist auf den 29. Mai verschoben.
> Wann muss Ibis fertig sein? = 29. Mai

Mein Flug nach Porto geht am 14. Juni.
> Wann fliege ich nach Porto? = 14. Juni

Tom is going out with a girl from Lisbon, Joana.
> What's the name of Tom's girlfriend? = Joana

Erdbeeren vertrage ich nicht.
> Wogegen bin ich allergisch? = Erdbeeren

Gwen has moved to Aix, two streets from the lake.
> Where did Gwen study? = -

I teach history at a school in Leeds.
> In which room do I teach? = -

Nuestro grupo se llama Tormenta.
| Hemos rebautizado el grupo. Ahora nos llamamos Calma.
> closed
> ¿Cómo se llama nuestro grupo? = Calma

Tobias hat Angst vor Spinnen.
> Wovor fürchtet sich Tobias? = Spinnen
> What is Tobias afraid of? = Spinnen
> De quoi Tobias a-t-il peur ? = Spinnen
> Wovor hat Jens Angst? = -

Harry is afraid of dogs.
> Wovor hat Harry Angst? = dogs
> De quoi Harry a-t-il peur ? = dogs

Ma fille a peur du noir.
> What is my daughter afraid of? = noir

Ich habe das Rad von meinem Cousin gekauft.
> Von wem habe ich das Rad gekauft? = Cousin
> Von wem habe ich das Auto gekauft? = -

Der Kuchen ist für Theo.
> Für wen ist der Kuchen? = Theo
> Für wen ist der Salat? = -

Das Treffen dauert anderthalb Stunden.
> Wie lange dauert das Treffen? = anderthalb Stunden

La visite dure une heure et demie.
> Combien de temps dure la visite ? = une heure et demie

Tom apprend le piano depuis deux ans.
> Depuis combien de temps Tom apprend-il le piano ? = deux ans
> Depuis combien de temps Luc apprend-il le piano ? = -

Ich kann Rosenkohl nicht ausstehen.
> Was mag ich nicht? = Rosenkohl

Ich mag keinen Koriander.
> What don't I like? = Koriander
> What do I like? = -

Ich habe am Freitag um 14:30 einen Termin beim Friseur.
> Um wie viel Uhr ist mein Friseurtermin? = 14:30

Ich pendle mit der S-Bahn zur Arbeit.
> Wie komme ich zur Arbeit? = S-Bahn

Ich schulde Miriam noch 40 Euro.
> How much do I owe Miriam? = 40
> How much do I owe Paul? = -

Meine Kundennummer bei den Stadtwerken ist 55213.
> Wie lautet meine Kundennummer bei den Stadtwerken? = 55213
> Wie lautet meine Kundennummer bei der Bank? = -

Der Schrank ist 60 Zentimeter tief.
> Wie tief ist der Schrank? = 60 Zentimeter
> Wie tief ist das Regal? = -

Jonas hat mir seine Bohrmaschine geliehen.
> What did Jonas lend me? = Bohrmaschine
> What did Peter lend me? = -
"""


@pytest.mark.parametrize(("turns", "checks"), conversations(CONVERSATIONS))
def test_ordinary_talk_answers(turns: list[str], checks: list[str]) -> None:
    check_talk(turns, checks)
