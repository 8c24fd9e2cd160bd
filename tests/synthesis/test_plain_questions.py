"""Plain questions of what one sentence states, in four languages and between them."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

ANSWERED = """
I owe Ruben twelve quid for the flowers. | How much do I owe Ruben? | twelve quid
Our dog weighs twenty-three kilos. | ¿Cuánto pesa nuestro perro? | twenty-three kilos
Der Kurs kostet zweihundertfünfzig Euro. | What does the course cost? | zweihundertfünfzig Euro
The plot costs forty-eight pounds. / The plot now costs fifty pounds. | What does the plot cost? | fifty pounds
La clase cuesta doce euros. / Ahora la clase cuesta quince euros. | ¿Cuánto cuesta la clase? | quince euros
Le cours coûte treize euros. | Combien coûte le cours ? | treize euros
Mum gave Ines a gold watch. | What did my mother give Ines? | gold watch
Ove is scared of balloons. | What is Ove afraid of? | balloons
I go running with Sanne on Sundays. | Who do I go running with? | Sanne
We painted the hall dark blue. | What colour did we paint the hall? | dark blue
Pintamos el baño de azul oscuro. | ¿De qué color pintamos el baño? | azul oscuro
Sanne's a midwife from Galway. | Where's Sanne from? | Galway
Sanne's a midwife from Galway. | Where is Sanne from originally? | Galway
My sister is married to Paolo. | Who is my sister's husband? | Paolo
Runa is Ove's wife. | Who is Ove married to? | Runa
The passports are in the tin with the blue lid. | Where are the passports? | the tin with the blue lid
Der Ausweis liegt in der Kiste mit den Fotos. | Wo liegt der Ausweis? | der Kiste mit den Fotos
The keys are in the car with my sister. | Where are the keys? | the car
Oma wohnt in Hann. Münden. | Wo wohnt Oma? | Hann. Münden
Der Ersatzschlüssel liegt bei Frau Koch. | Wer hat den Ersatzschlüssel? | Frau Koch
Ich habe Herrn Schneider die Bohrmaschine geliehen. | Wem habe ich die Bohrmaschine geliehen? | Herrn Schneider
We sold the Fiesta. Now we have a Skoda. / It's grey, second-hand. | What car do we have? | Skoda
My locker is number 52. | Which locker is mine? | 52
Exercise: 2 sets of 10 calf raises a day for eight weeks. | How long do I do the calf raises? | eight weeks
Greta has a parrot named Lorenzo. He's about forty and shouts at the postman. | How old is Lorenzo? | forty
I paid Una 60 pounds for the mooring. | How much did I pay Una for the mooring? | 60 pounds
My recital is on 22 May. / The recital was moved to 21 May. / The recital was fun. | When was the recital? | 21 May
So I take the number 7 tram now. | Which tram do I take? | number 7 tram
The meniscus in my left knee is torn. | Which knee is torn? | my left knee
Delyth bakes the best lemon cake in Cardiff. | What kind of cake does Delyth bake? | best lemon cake in Cardiff
Ma collègue Sidonie a raté le permis trois fois. | Quelle collègue a raté le permis trois fois? | Sidonie
I slept in the blue room. | Which room did I sleep in? | blue room
I hurt my right shoulder at tennis. | Which shoulder did I hurt? | right shoulder at tennis
Me lastimé el hombro derecho jugando al tenis. | ¿Qué hombro me lastimé? | hombro derecho jugando al tenis
Je me suis fait mal à l'épaule droite. | Quelle épaule me fait mal ? | épaule droite
Mein linkes Knie tut weh. | Welches Knie tut mir weh? | linkes Knie
Ich nehme jetzt die Linie 5. | Welche Linie nehme ich? | Linie 5
Our choir is called Voces. We have a concert in Weiz on 13 June. | In which town is our concert? | Weiz
Tom wants a red car, but I want a blue car. | Which car do I want? | blue car
Milan from my team brings börek on Tuesdays. | What does Milan bring on Tuesdays? | börek
Milan bringt dienstags immer Kuchen mit. | Was bringt Milan dienstags mit? | Kuchen mit
Mi primo Washington vendió la camioneta. | ¿Qué vendió mi primo Washington? | camioneta
My cousin sold his boat last week. | What did my cousin sell? | his boat
I bought a new printer yesterday. | What did I buy yesterday? | new printer
Mein Bruder hat sein Motorrad verkauft. | Was hat mein Bruder verkauft? | sein Motorrad
Ma sœur a vendu sa maison. | Qu'est-ce que ma sœur a vendu ? | sa maison
Mein linkes Knie tut weh. | Welches Knie tut mir weh? | linkes Knie
Mein altes Auto ist ein Polo. | Was ist mein altes Auto? | Polo
My left knee hurts when I go downstairs. | Which knee hurts? | left knee
Lenas Schwester wohnt in Ulm. | Wo wohnt Lenas Schwester? | Ulm
I take vitamin D in winter. | What do I take in winter? | vitamin D
I grow tomatoes on the balcony. | What do I grow on the balcony? | tomatoes
Ich züchte Bienen im Garten. | Was züchte ich im Garten? | Bienen
We always order pizza on Fridays. | What do we order on Fridays? | pizza
I keep the spare key under the mat. | What do I keep under the mat? | spare key
The party takes place on Friday 6 March at the club. | When does the party take place? | 6 March
Which sugar do you take? I take two sugars in my tea. | What do I take in my tea? | two sugars
I take the bus to town. | What do I take to town? | bus
What can I cook for Heike tonight? That's my mother-in-law. | Wie heißt meine Schwiegermutter? | Heike
Heike is my mother-in-law. / Heike is allergic to hazelnuts. | What is my mother-in-law allergic to? | hazelnuts
I'll ring Dr. Yilmaz, that's our GP. | Who's our GP? | Dr. Yilmaz
Je cuisine pour Odile. C'est ma belle-mère. | Comment s'appelle ma belle-mère ? | Odile
Voy a cocinar para Marta. Es mi suegra. | ¿Cómo se llama mi suegra? | Marta
Tofu se gratte. C'est un beagle. | Tofu est de quelle race ? | beagle
Ben is my uncle. / Ben lives in Rome. | Where does my uncle live? | Rome
I'll ring Dr. Yilmaz. That's our GP. He is in Elm Street. | Who's our GP? | Dr. Yilmaz
Our plumber is Mr Abara. | What's our plumber called? | Mr Abara
Tom is my boss. He lives in Ulm. | Where does my boss live? | Ulm
Phil has my ladder. | Who has my ladder? | Phil
Phil a mon échelle. | Qui a mon échelle ? | Phil
Mein Nachbar Uwe hat unseren Ersatzschlüssel. | Wer hat unseren Ersatzschlüssel? | Mein Nachbar Uwe
Marta tiene mis llaves. | ¿Quién tiene mis llaves? | Marta
Our spare key is at Uwe's. | Who has our spare key? | Uwe
The spare key is with Herr Tiedemann. | Who has our spare key? | Herr Tiedemann
Unser Ersatzschlüssel liegt bei Frau Kern. | Wer hat unseren Ersatzschlüssel? | Frau Kern
Le double des clés est chez Odile. | Qui a le double des clés ? | Odile
Lena has the flu. | Who has the flu? | Lena
Moi, ma fleur préférée c'est la renoncule. | Quelle est ma fleur préférée? | renoncule
Mon plat préféré, c'est le couscous. | Quel est mon plat préféré ? | couscous
Moi, ma fleur préférée c'est la renoncule. | What's my favourite flower? | renoncule
Tomás trabaja de camarero. | ¿De qué trabaja Tomás? | camarero
Gethin is on night shifts at the moment, he's a paramedic. | ¿De qué trabaja Gethin? | paramedic
I'm with Telefix for my phone. | Which phone company am I with? | Telefix
We're with Bryn Energy and I can't be bothered to change energy supplier. | Who's our energy supplier? | Bryn Energy
j'ai changé de banque, je suis au Crédit Estuaire maintenant. | Which bank am I with? | Crédit Estuaire
I'm with the Hofbank. | Bei welcher Bank bin ich? | the Hofbank
Estoy en el Banco Azul. | ¿En qué banco estoy? | Banco Azul
Can you write a short message to our plumber, Mr Abara? | What's our plumber called? | Mr Abara
Can you write a card for my niece Odile? | What's my niece called? | Odile
Kannst du eine Mail an unsere Vermieterin Frau Specht schreiben? | Wie heißt unsere Vermieterin? | Frau Specht
Tu peux écrire un mot à notre voisine Solange ? | Comment s'appelle notre voisine ? | Solange
Is it true that Ana lives with her boss Olaf? | What's Ana's boss called? | Olaf
Tengo un perro nuevo. Se llama Trueno. | ¿Cómo se llama mi perro? | Trueno
Mi hermana tiene un gato. Se llama Nube. | ¿Cómo se llama el gato de mi hermana? | Nube
Mi jefa es muy exigente. Se llama Rocío y es de Cádiz. | ¿De dónde es mi jefa? | Cádiz
Rocío es mi jefa. Su marido se llama Iván. | ¿Cómo se llama el marido de mi jefa? | Iván
I put my passport in the blue desk drawer. | Where is my passport? | the blue desk drawer
I put my passport in the blue desk drawer. | Where did I put my passport? | the blue desk drawer
My left shoulder hurts since Monday. | Which shoulder hurts? | left shoulder
We painted the kitchen yellow last week. | What colour did we paint the kitchen? | yellow
We painted the kitchen yellow last week. | What colour is our kitchen? | yellow
Our new neighbour plays the drums at night. | What instrument does our neighbour play? | drums
My dad's old Volvo needs new brakes. | What car does my dad have? | old Volvo
I take losartan for my blood pressure. | What do I take for my blood pressure? | losartan
The plumber charged us 180 euros for the tap. | How much did the plumber charge for the tap? | 180 euros
My flight from Porto lands at 18:40. | When does my flight from Porto land? | 18:40
Grandma keeps bees behind the shed. | What does my grandma keep behind the shed? | bees
Tom lent me his drill. | Who lent me a drill? | Tom
I gave Lena a necklace for her birthday. | What did I give Lena for her birthday? | necklace
My wife drives a white Fiat. | What colour is my wife's car? | white
I have two kids, Ada and Max. | What are my kids called? | Ada and Max
Our landlord raised the rent to 950 euros. | How much is our rent? | 950 euros
The wifi password is Sunflower22. | What's the wifi password? | Sunflower22
We got married on 14 May 2011. | When did we get married? | 14 May 2011
We got married on 14 May 2011. | What's our wedding anniversary? | 14 May 2011
I can't stand olives. | What food do I hate? | olives
My team uses Slack. | What does my team use? | Slack
Ich habe meinen Pass in die blaue Schublade gelegt. | Wo ist mein Pass? | die blaue Schublade
Ich habe meinen Pass in die blaue Schublade gelegt. | Wo habe ich meinen Pass hingelegt? | die blaue Schublade
Mein Vater wird im März siebzig. | Wie alt wird mein Vater? | siebzig
Mein Vater wird im März siebzig. | Wann hat mein Vater Geburtstag? | März 2027
Unsere Tochter geht in die dritte Klasse. | In welche Klasse geht unsere Tochter? | dritte Klasse
Ich nehme jeden Morgen den Bus 12. | Welchen Bus nehme ich? | Bus 12
Meine Oma züchtet Tomaten auf dem Balkon. | Was züchtet meine Oma? | Tomaten auf dem Balkon
Die Miete ist auf 950 Euro gestiegen. | Wie hoch ist unsere Miete? | 950 Euro
Wir haben uns einen Hund zugelegt, er heißt Bolle. | Wie heißt unser Hund? | Bolle
Guardé el pasaporte en el cajón azul. | ¿Dónde guardé el pasaporte? | el cajón azul
Guardé el pasaporte en el cajón azul. | ¿Dónde está mi pasaporte? | el cajón azul
A mi hija le gustan los dinosaurios. | What does my daughter like? | dinosaurios
Mi padre cumple setenta años en marzo. | ¿Cuándo es el cumpleaños de mi padre? | marzo de 2027
Trabajo de enfermera en el hospital San Juan. | ¿Dónde trabajo? | el hospital San Juan
El alquiler subió a 950 euros. | ¿Cuánto pagamos de alquiler? | 950 euros
Mi hermano se compró una moto roja. | ¿De qué color es la moto de mi hermano? | roja
Los martes tengo clase de cerámica a las siete. | ¿Qué día tengo cerámica? | Los martes
Los martes tengo clase de cerámica a las siete. | ¿A qué hora es mi clase de cerámica? | siete
J'ai rangé mon passeport dans le tiroir bleu. | Où est mon passeport ? | le tiroir bleu
J'ai rangé mon passeport dans le tiroir bleu. | Où ai-je rangé mon passeport ? | le tiroir bleu
Ma fille adore les dinosaures. | Qu'est-ce que ma fille adore ? | dinosaures
Mon frère s'est acheté une moto rouge. | De quelle couleur est la moto de mon frère ? | rouge
Le mardi, j'ai cours de poterie à dix-neuf heures. | Quel jour j'ai poterie ? | Le mardi
Le mardi, j'ai cours de poterie à dix-neuf heures. | À quelle heure est mon cours de poterie ? | dix-neuf heures
On a un chien qui s'appelle Milo. | Comment s'appelle notre chien ? | Milo
je commence à neuf heures et je finis à dix-sept heures. | À quelle heure je finis ? | dix-sept heures
Le mardi, j'ai cours de poterie à dix-neuf heures. | À quelle heure est mon cours de poterie ? | dix-neuf heures
Das Konzert beginnt um neunzehn Uhr. | Wann beginnt das Konzert? | neunzehn Uhr
J'ai rangé mon passeport dans le tiroir bleu. | Où est mon passeport ? | le tiroir bleu
J'ai mis les clés sous le pot de fleurs. | Où sont les clés ? | sous le pot de fleurs
Guardé el pasaporte en el cajón azul. | ¿Dónde guardé el pasaporte? | el cajón azul
Guardé el pasaporte en el cajón azul. | ¿Dónde está mi pasaporte? | el cajón azul
Dejé las llaves del coche en la mesita de noche. | ¿Dónde están las llaves del coche? | la mesita de noche
Ich habe den Impfpass in den Ordner gelegt. | Wo ist mein Impfpass? | den Ordner
I packed the charger in the red suitcase. | Where is the charger? | the red suitcase
We got married on 14 May 2011. | What's our wedding anniversary? | 14 May 2011
Nos casamos el 14 de mayo de 2011. | ¿Cuándo es nuestro aniversario? | 14 de mayo de 2011
On a un chien qui s'appelle Milo. | Comment s'appelle notre chien ? | Milo
Tenemos una gata que se llama Nube. | ¿Cómo se llama nuestra gata? | Nube
Our landlord raised the rent to 950 euros. | How much is our rent? | 950 euros
My dentist moved the appointment to Friday 13 March. | When is my dentist appointment? | 13 March
Le mardi, j'ai cours de poterie à dix-neuf heures. | Quel jour j'ai poterie ? | Le mardi
Los martes tengo clase de cerámica a las siete. | ¿Qué día tengo cerámica? | Los martes
My exam is on Friday 22 May at 9. | What date is my exam? | 22 May at 9
Choir practice is on Thursday evenings at 8. | Which evening is choir practice? | Thursday evenings
I work Mondays and Fridays. | Which days do I work? | Mondays and Fridays
El turno es de lunes a jueves. | ¿Qué días es el turno? | lunes a jueves
Ich arbeite von Montag bis Mittwoch. | An welchen Tagen arbeite ich? | Montag bis Mittwoch
The shop is open Tuesday to Saturday. | Which days is the shop open? | Tuesday to Saturday
My niece Zoe studies law in Leeds. | What does Zoe study? | law in Leeds
My niece Zoe studies law in Leeds. | Where does my niece study? | Leeds
Our washing machine is from Bosch. | What make is our washing machine? | Bosch
We leave for Crete on 12 July. | When do we leave for Crete? | 12 July
Our hotel in Crete is called Villa Rosa. | What's our hotel in Crete called? | Villa Rosa
My mum's birthday is on 3 May. | When is my mum's birthday? | 3 May
My mum turns 70 on 3 May. | How old will my mum be on 3 May? | 70
I pay 42 euros a month for my gym. | How much do I pay for the gym? | 42 euros
My gym is called FitLoft. | What's my gym called? | FitLoft
The car is due for inspection in October. | When is the car due for inspection? | October 2026
My blood type is A negative. | What's my blood type? | A negative
I weigh 72 kilos. | How much do I weigh? | 72 kilos
I'm 1.82 m tall. | How tall am I? | 1.82 m
My brother-in-law runs a bakery in Ghent. | What does my brother-in-law run? | bakery in Ghent
My brother-in-law runs a bakery in Ghent. | Where is my brother-in-law's bakery? | Ghent
My best friend Ines is a pilot. | What does Ines do? | pilot
My best friend Ines is a pilot. | Who is my best friend? | Ines
I've been learning Portuguese for two years. | What language am I learning? | Portuguese
I've been learning Portuguese for two years. | How long have I been learning Portuguese? | two years
Our son Emil plays handball on Wednesdays. | What sport does Emil play? | handball
Our son Emil plays handball on Wednesdays. | When does Emil play handball? | Wednesdays
The dentist is on Tuesday at 10:15. | What time is my dentist appointment? | 10:15
I sold my old camera for 220 euros. | How much did I get for my camera? | 220 euros
Dad had a hip operation in January. | When did my dad have his operation? | January 2026
We named the kitten Pixel. | What's the kitten called? | Pixel
Our cat Pixel is black with white paws. | What colour is our cat? | black
I keep my savings at the Volksbank. | Where do I keep my savings? | the Volksbank
My dentist's name is Dr. Olsen. | What's my dentist's name? | Dr. Olsen
My licence plate is GR 482 KL. | What's my licence plate? | GR 482 KL
My locker code is 3917. | What's the code for my locker? | 3917
The meeting room is on the fourth floor. | Which floor is the meeting room on? | fourth floor
Our anniversary dinner is at Casa Lupo at 8. | Where is our anniversary dinner? | Casa Lupo
Meine Nichte Zoe studiert Jura in Bonn. | Was studiert Zoe? | Jura in Bonn
Ich zahle 42 Euro im Monat fürs Fitnessstudio. | Wie viel zahle ich fürs Fitnessstudio? | 42 Euro
Mein Schwager hat eine Bäckerei in Gent. | Wo ist die Bäckerei meines Schwagers? | Gent
Ich lerne seit zwei Jahren Portugiesisch. | Welche Sprache lerne ich? | Portugiesisch
Ich lerne seit zwei Jahren Portugiesisch. | Wie lange lerne ich schon Portugiesisch? | zwei Jahren
Unser Sohn Emil spielt mittwochs Handball. | Welchen Sport macht Emil? | Handball
Meine Blutgruppe ist A negativ. | Welche Blutgruppe habe ich? | A negativ
Wir fahren am 12. Juli nach Kreta. | Wann fahren wir nach Kreta? | 12. Juli
Papa wurde im Januar an der Hüfte operiert. | Wann wurde mein Vater operiert? | Januar 2026
Mein Kennzeichen ist GR 482 KL. | Wie lautet mein Kennzeichen? | GR 482 KL
Mi sobrina Zoe estudia derecho en León. | ¿Qué estudia Zoe? | derecho en León
Pago 42 euros al mes por el gimnasio. | ¿Cuánto pago por el gimnasio? | 42 euros
Mi cuñado tiene una panadería en Vigo. | ¿Dónde está la panadería de mi cuñado? | Vigo
Nuestro hijo Emil juega al balonmano los miércoles. | ¿A qué deporte juega Emil? | balonmano
Mi grupo sanguíneo es A negativo. | ¿Cuál es mi grupo sanguíneo? | A negativo
Salimos para Creta el 12 de julio. | ¿Cuándo salimos para Creta? | 12 de julio
A papá lo operaron de la cadera en enero. | ¿Cuándo operaron a mi padre? | enero de 2026
Ma nièce Zoé étudie le droit à Lille. | Qu'est-ce que Zoé étudie ? | droit à Lille
Je paie 42 euros par mois pour la salle de sport. | Combien je paie pour la salle de sport ? | 42
Mon beau-frère tient une boulangerie à Gand. | Où est la boulangerie de mon beau-frère ? | Gand
J'apprends le portugais depuis deux ans. | Quelle langue j'apprends ? | portugais
Notre fils Émile joue au handball le mercredi. | À quel sport joue Émile ? | handball
Mon groupe sanguin est A négatif. | Quel est mon groupe sanguin ? | A négatif
On part en Crète le 12 juillet. | Quand est-ce qu'on part en Crète ? | 12 juillet
Papa s'est fait opérer de la hanche en janvier. | Quand mon père s'est-il fait opérer ? | janvier 2026
My mother's called Ruth and she lives in Bath. | What's my mother's name? | Ruth
My mother's called Ruth and she lives in Bath. | Where does my mother live? | Bath
We adopted a greyhound. Her name is Luna and she's four. | How old is Luna? | four
We adopted a greyhound. Her name is Luna and she's four. | What's our dog called? | Luna
I've got a meeting with Mr. Patel on Thursday at 3. | When is my meeting with Mr. Patel? | Thursday 11 June 2026 at 3
I've got a meeting with Mr. Patel on Thursday at 3. | Who do I meet on Thursday? | Mr. Patel
The recycling goes out on Tuesdays. | When does the recycling go out? | Tuesdays
Our babysitter Kim charges 14 euros an hour. | How much does our babysitter charge? | 14 euros
My glasses prescription is minus 2.5. | What's my glasses prescription? | minus 2.5
I parked on level 3. | Where did I park? | level 3
I park in row C on level 3. | Which level did I park on? | level 3
My favourite restaurant is Da Enzo. | What's my favourite restaurant? | Da Enzo
My sister is vegan. | Does my sister eat meat? | No
My sister is vegan. | What diet does my sister follow? | vegan
I grew up on a farm near Tartu. | Where did I grow up? | a farm near Tartu
I teach chemistry at a grammar school. | What subject do I teach? | chemistry
My daughter wants to be a vet. | What does my daughter want to be? | vet
I owe Marek 60 euros. | How much do I owe Marek? | 60 euros
Marek owes me 60 euros. | Who owes me money? | Marek
We paid 4,200 euros for the new kitchen. | How much was the new kitchen? | 4,200 euros
My train leaves from platform 7. | Which platform does my train leave from? | platform 7
My train leaves from platform 7 at 6:42. | What time does my train leave? | 6:42
I'm training for a triathlon in September. | What am I training for? | triathlon
My grandfather fought in Korea. | Where did my grandfather fight? | Korea
The wedding is at St. Mary's Church. | Where is the wedding? | St. Mary's Church
Unsere Babysitterin Kim nimmt 14 Euro die Stunde. | Was nimmt unsere Babysitterin? | 14 Euro
Mein Lieblingsrestaurant ist das Da Enzo. | Was ist mein Lieblingsrestaurant? | Da Enzo
Ich parke auf Ebene 3. | Auf welcher Ebene parke ich? | Ebene 3
Ich bin auf einem Bauernhof bei Tartu aufgewachsen. | Wo bin ich aufgewachsen? | Tartu
Ich unterrichte Chemie am Gymnasium. | Welches Fach unterrichte ich? | Chemie
Marek schuldet mir 60 Euro. | Wer schuldet mir Geld? | Marek
Der Zug fährt um 6:42 Uhr auf Gleis 7 ab. | Auf welchem Gleis fährt der Zug ab? | Gleis 7
Meine Schwester ist Veganerin. | Isst meine Schwester Fleisch? | Nein
Meine Tochter möchte Tierärztin werden. | Was möchte meine Tochter werden? | Tierärztin
Mi restaurante favorito es Da Enzo. | ¿Cuál es mi restaurante favorito? | Da Enzo
Me crié en una granja cerca de Tartu. | ¿Dónde me crié? | una granja cerca de Tartu
Enseño química en un instituto. | ¿Qué asignatura enseño? | química
Marek me debe 60 euros. | ¿Quién me debe dinero? | Marek
Mi hija quiere ser veterinaria. | ¿Qué quiere ser mi hija? | veterinaria
El tren sale del andén 7 a las 6:42. | ¿De qué andén sale el tren? | andén 7
Mon restaurant préféré est Da Enzo. | Quel est mon restaurant préféré ? | Da Enzo
J'ai grandi dans une ferme près de Tartu. | Où j'ai grandi ? | une ferme près de Tartu
J'enseigne la chimie au lycée. | Quelle matière j'enseigne ? | chimie
Ma fille veut devenir vétérinaire. | Que veut devenir ma fille ? | vétérinaire
Le train part du quai 7 à 6 h 42. | De quel quai part le train ? | quai 7
My cousin Nadia is getting married in Bergen next summer. | Who is getting married in Bergen? | My cousin Nadia
My cousin Nadia is getting married in Bergen next summer. | Where is my cousin getting married? | Bergen
We had to put our dog down in February. | When did we put our dog down? | February 2026
I broke my wrist skiing in Zermatt. | What did I break? | wrist skiing in Zermatt
I broke my wrist skiing in Zermatt. | Where did I break my wrist? | Zermatt
My mum makes the best lasagne. | What does my mum make? | best lasagne
The kids' school is called Oakfield. | What's the kids' school called? | Oakfield
I have an interview at Siemens on Monday. | Where do I have an interview? | Siemens
I have an interview at Siemens on Monday. | When is my interview? | Monday 15 June 2026
My hay fever starts in April. | When does my hay fever start? | April 2027
I'm short-sighted and wear contact lenses. | What do I wear? | contact lenses
My neighbour's son Leo feeds our cat when we're away. | Who feeds our cat when we're away? | Leo
The spare keys are in the green bowl. | Where are the spare keys? | the green bowl
We have three chickens and a rabbit. | How many chickens do we have? | three
Our flat has four rooms. | How many rooms does our flat have? | four
My commute takes 40 minutes. | How long is my commute? | 40 minutes
It takes me 40 minutes to get to work. | How long does it take me to get to work? | 40 minutes
My phone is a Pixel 8. | What phone do I have? | Pixel 8
I've just finished reading Middlemarch. | What book did I just finish? | Middlemarch
I'm reading Dune at the moment. | What am I reading? | Dune
My favourite colour is teal. | What's my favourite colour? | teal
My wife Sofia is from Naples. | Where is my wife from? | Naples
I'm scared of spiders. | What am I scared of? | spiders
We're renovating the bathroom in May. | What are we renovating? | bathroom
We're renovating the bathroom in May. | When are we renovating the bathroom? | May 2027
Bob from work recommended the Thai place on Elm Street. | Who recommended the Thai place? | Bob
The kids have swimming on Thursdays at 5. | When do the kids have swimming? | Thursdays at 5
My physiotherapist is called Anouk. | Who is my physiotherapist? | Anouk
My contract ends on 30 September. | When does my contract end? | 30 September
I got the job at Lumen. | Where did I get a job? | Lumen
The vet said Milo weighs 12 kilos. | How much does Milo weigh? | 12 kilos
My password hint is blue elephant. | What's my password hint? | blue elephant
Mein Cousin heiratet nächsten Sommer in Bergen. | Wo heiratet mein Cousin? | Bergen
Die Schule der Kinder heißt Eichenhof. | Wie heißt die Schule der Kinder? | Eichenhof
Ich habe am Montag ein Vorstellungsgespräch bei Siemens. | Wann ist mein Vorstellungsgespräch? | Montag, 15. Juni 2026
Der Sohn der Nachbarn, Leo, füttert unsere Katze. | Wer füttert unsere Katze? | Der Sohn der Nachbarn, Leo
Unsere Wohnung hat vier Zimmer. | Wie viele Zimmer hat unsere Wohnung? | vier
Ich brauche 40 Minuten zur Arbeit. | Wie lange brauche ich zur Arbeit? | 40 Minuten
Meine Frau Sofia kommt aus Neapel. | Woher kommt meine Frau? | Neapel
Zum Frühstück esse ich meistens Müsli. | Was esse ich zum Frühstück? | Müsli
Mein Vertrag endet am 30. September. | Wann endet mein Vertrag? | 30. September
Mi primo se casa en Bergen el próximo verano. | ¿Dónde se casa mi primo? | Bergen
Me rompí la muñeca esquiando. | ¿Qué me rompí? | muñeca esquiando
El colegio de los niños se llama Robledal. | ¿Cómo se llama el colegio de los niños? | Robledal
El hijo de los vecinos, Leo, da de comer a nuestra gata. | ¿Quién da de comer a nuestra gata? | hijo Leo
Nuestro piso tiene cuatro habitaciones. | ¿Cuántas habitaciones tiene nuestro piso? | cuatro
Tardo 40 minutos en llegar al trabajo. | ¿Cuánto tardo en llegar al trabajo? | 40 minutos
Mi mujer Sofía es de Nápoles. | ¿De dónde es mi mujer? | Nápoles
Desayuno avena casi siempre. | ¿Qué desayuno? | avena casi
Mon cousin se marie à Bergen l'été prochain. | Où se marie mon cousin ? | Bergen
Je me suis cassé le poignet au ski. | Qu'est-ce que je me suis cassé ? | poignet au ski
L'école des enfants s'appelle Les Tilleuls. | Comment s'appelle l'école des enfants ? | Les Tilleuls
Le fils des voisins, Léo, nourrit notre chat. | Qui nourrit notre chat ? | fils Léo
Notre appartement a quatre pièces. | Combien de pièces a notre appartement ? | quatre
Je mets 40 minutes pour aller au travail. | Combien de temps je mets pour aller au travail ? | 40 minutes
Ma femme Sofia vient de Naples. | D'où vient ma femme ? | Naples
J'ai peur des araignées. | De quoi j'ai peur ? | araignées
By the way, our spare keys are now with Madame Lemaire. | Who has our spare keys? | Madame Lemaire
Mira ist neun und Levi fünf. | How old is Levi? | fünf
Mira ist neun und Levi fünf. | How old is Mira? | neun
Conor is six and Aminata nine. | How old is Aminata? | nine
Aminata a 9 ans et Conor en a 6. | Quel âge a Conor ? | 6
My sister is 40, my brother 36. | How old is my brother? | 36
Yuki adopted a greyhound called Miso. | What is Yuki's dog called? | Miso
We have a babysitter, Lucie, a student. She charges 12 euros an hour. | Comment s'appelle la baby-sitter ? | Lucie
My new manager is Ingrid Solheim. | Comment s'appelle ma nouvelle cheffe ? | Ingrid Solheim
Poor Fergus, Callum's brother, has cancelled his trip. | What's the name of Callum's brother? | Poor Fergus
My brother Callum moved to Dunedin to be with his girlfriend Aroha. | Who is Callum's girlfriend? | Aroha
My boss is Dr. Lindqvist and my locker number is 47. | Which number is my locker? | 47
My boss is Dr. Lindqvist and my locker number is 47. | Wie heißt mein neuer Chef oder meine neue Chefin? | Dr. Lindqvist
Mein Mann heißt Jozef, er kommt aus Košice und fährt hier Straßenbahn. | Woher kommt Jozef? | Košice
Our Gorenje washing machine was leaking. | Von welcher Marke ist unsere Waschmaschine? | Gorenje
We were at the vet, Dr Claes. | Comment s'appelle la vétérinaire ? | Dr Claes
Poor Fergus, Callum's brother, has cancelled his trip. | What's the name of Callum's brother? | Poor Fergus
Fergus, Callum's brother, lives in Bath. | Where does Callum's brother live? | Bath
Fergus, Callum's brother, lives in Bath. | Where does Fergus live? | Bath
I met Lucie, Ben's new girlfriend, on Sunday. | What's Ben's girlfriend called? | Lucie
Ana's happy because she moved to Oslo. | Where does Ana live? | Oslo
Lena's allergic to nuts and cats. | What is Lena allergic to? | nuts and cats
The dog's called Bo. | What is the dog called? | Bo
Tom's a nurse. | What does Tom do? | nurse
Tom's sister's a nurse. | What does Tom's sister do? | nurse
The car's at the garage. | Where is the car? | the garage
I work on Mondays. My sister works on Tuesdays. | Which days do I work? | Mondays
My daughter Mia starts school on 1 September. | When does Mia start school? | 1 September
My daughter Mia starts school on 1 September. | ¿Cuándo empieza Mia el colegio? | 1 September
Our holiday house is in Brittany. | Où est notre maison de vacances ? | Brittany
My dad is a retired teacher. | What did my dad do before he retired? | retired teacher
Je suis née à Dakar. | Where was I born? | Dakar
Je suis née le 4 mars 1988. | When was I born? | 4 mars 1988
Ich arbeite seit 2019 bei Siemens. | Since when have I worked at Siemens? | seit 2019
Ich arbeite seit 2019 bei Siemens. | Where do I work? | Siemens
Mein Sohn heißt Jakob und ist acht. | How old is my son? | acht
Mein Sohn heißt Jakob und ist acht. | What's my son called? | Jakob
Mi número de socio es 5582. | What's my membership number? | 5582
Mi perro se llama Canelo y tiene tres años. | How old is my dog? | tres
El cumpleaños de mi madre es el 9 de junio. | When is my mother's birthday? | 9 de junio
Our cleaner comes on Fridays. | Wann kommt unsere Putzfrau? | Fridays
My wife works as a vet. | Was ist meine Frau von Beruf? | vet
My wife works as a vet. | ¿En qué trabaja mi mujer? | vet
My wife works as a vet. | Que fait ma femme dans la vie ? | vet
I'm lactose intolerant. | ¿A qué soy intolerante? | lactose
My best friend lives in Oslo. | Où habite ma meilleure amie ? | Oslo
Mon train part à 7h12. | When does my train leave? | 7h12
Mon médecin s'appelle docteur Lemoine. | Who is my doctor? | Lemoine
Le code wifi est Soleil2024. | What's the wifi code? | Soleil2024
J'ai deux enfants, Tom et Lila. | What are my children called? | Tom et Lila
Mon chat s'appelle Moustache. | ¿Cómo se llama mi gato? | Moustache
Ich bin gegen Nüsse allergisch. | What am I allergic to? | Nüsse
Ich bin gegen Nüsse allergisch. | À quoi je suis allergique ? | Nüsse
Unsere Hochzeit ist am 6. Juni. | When is our wedding? | 6. Juni
Unsere Hochzeit ist am 6. Juni. | ¿Cuándo es nuestra boda? | 6. Juni
Der Hund meiner Eltern heißt Benno. | What's my parents' dog called? | Benno
My parents' dog is called Benno. | Wie heißt der Hund meiner Eltern? | Benno
Ich gehe jeden Dienstag schwimmen. | When do I go swimming? | jeden Dienstag
Nado los martes y los jueves. | Which days do I swim? | los martes y los jueves
I changed jobs last month and now I work at Lumen. | Where do I work? | Lumen
My new job is at Lumen, I'm a data analyst there. | What do I do for work? | data analyst
We moved into a house in Brunswick in March. | Where do we live? | Brunswick
We moved into a house in Brunswick in March. | When did we move? | March 2026
My kids go to Oakfield Primary. | Which school do my kids go to? | Oakfield Primary
My daughter Ada is in year 4. | What year is Ada in? | year 4
I've got asthma. | What illness do I have? | asthma
I've got asthma. | Do I have asthma? | Yes
My husband is diabetic. | Is my husband diabetic? | Yes
My husband is diabetic. | Does my husband have diabetes? | Yes
We don't have a car. | Do we have a car? | No
I gave up smoking in 2020. | Do I smoke? | No
I gave up smoking in 2020. | When did I give up smoking? | 2020
I don't drink alcohol. | Do I drink alcohol? | No
My flight to Oslo is at 7 on Saturday 14 March. | When is my flight to Oslo? | 14 March, at 7
My flight to Oslo is at 7 on Saturday 14 March. | What time is my flight? | 7
I'll be in Oslo from 14 to 18 March. | When will I be in Oslo? | 14 March 2027 to 18 March 2027
My parents live in Hull and my sister lives in York. | Where does my sister live? | York
My parents live in Hull and my sister lives in York. | Where do my parents live? | Hull
My mum is called Ruth and my dad is called Sid. | What's my dad called? | Sid
My mum is 62 and my dad is 65. | How old is my dad? | 65
Ben plays the drums and Mia plays the cello. | What does Mia play? | cello
I like jazz but my wife prefers opera. | What does my wife prefer? | opera
The meeting was moved from Tuesday to Thursday. | When is the meeting? | Thursday 11 June 2026
The rent went up from 800 to 850 euros. | How much is the rent? | 850 euros
I work from home on Fridays. | When do I work from home? | Fridays
I finish work at 4. | When do I finish work? | 4
My shift starts at 6 in the morning. | When does my shift start? | 6
I cycle to work. | How do I get to work? | cycle
I take the bus to work. | How do I get to work? | take the bus
My car is a white Seat Leon. | What car do I have? | white Seat Leon
My car is a white Seat Leon. | What colour is my car? | white
I'm vegetarian. | Do I eat meat? | No
My cat is called Olive and my dog is called Pickle. | What's my dog called? | Pickle
I have a sister called Jo and a brother called Max. | What's my brother called? | Max
I live on the second floor. | Which floor do I live on? | second floor
My birthday is on 9 June. | When is my birthday? | 9 June
I was born in Leeds in 1984. | Where was I born? | Leeds
I was born in Leeds in 1984. | When was I born? | 1984
I studied biology at Bristol. | What did I study? | biology at Bristol
I studied biology at Bristol. | Where did I study? | Bristol
My budget for the trip is 900 euros. | What's my budget for the trip? | 900 euros
The course costs 250 euros. | How much is the course? | 250 euros
My favourite dish is ramen. | What's my favourite dish? | ramen
I hate coriander. | What do I hate? | coriander
My emergency contact is my brother Luis. | Who is my emergency contact? | my brother Luis
My husband is not diabetic. | Is my husband diabetic? | No
Mi marido es diabético. | ¿Es mi marido diabético? | Sí
The old bridge is closed. | Is the old bridge closed? | Yes
My new car is red. | Is my new car red? | Yes
J'ai de l'asthme. | Est-ce que j'ai de l'asthme ? | Oui
Ich habe Asthma. | Welche Krankheit habe ich? | Asthma
Ich habe letzten Monat den Job gewechselt und arbeite jetzt bei Lumen. | Wo arbeite ich? | Lumen
Wir sind im März nach Braunschweig gezogen. | Wo wohnen wir? | Braunschweig
Wir sind im März nach Braunschweig gezogen. | Wann sind wir umgezogen? | März 2026
Meine Tochter Ada geht in die vierte Klasse. | In welche Klasse geht Ada? | vierte Klasse
Mein Mann hat Diabetes. | Hat mein Mann Diabetes? | Ja
Wir haben kein Auto. | Haben wir ein Auto? | Nein
Ich habe 2020 mit dem Rauchen aufgehört. | Rauche ich? | Nein
Ich trinke keinen Alkohol. | Trinke ich Alkohol? | Nein
Mein Flug nach Oslo geht am Samstag, dem 14. März, um 7. | Wann geht mein Flug nach Oslo? | 14. März, um 7
Vom 14. bis 18. März bin ich in Oslo. | Wann bin ich in Oslo? | 14. März 2027 bis 18. März 2027
Meine Eltern wohnen in Hof und meine Schwester in Ulm. | Wo wohnt meine Schwester? | Ulm
Meine Mutter heißt Ruth und mein Vater heißt Sigi. | Wie heißt mein Vater? | Sigi
Das Treffen wurde von Dienstag auf Donnerstag verschoben. | Wann ist das Treffen? | Donnerstag, 11. Juni 2026
Die Miete ist von 800 auf 850 Euro gestiegen. | Wie hoch ist die Miete? | 850 Euro
Freitags arbeite ich zu Hause. | Wann arbeite ich zu Hause? | Freitags
Ich höre um vier auf zu arbeiten. | Wann höre ich auf zu arbeiten? | vier
Ich fahre mit dem Rad zur Arbeit. | Wie komme ich zur Arbeit? | mit dem Rad
Mein Auto ist ein weißer Seat Leon. | Was für ein Auto habe ich? | weißer Seat Leon
Ich bin Vegetarierin. | Esse ich Fleisch? | Nein
Ich habe eine Schwester namens Jo und einen Bruder namens Max. | Wie heißt mein Bruder? | Max.
Ich wohne im zweiten Stock. | In welchem Stock wohne ich? | zweiten Stock
Ich bin 1984 in Leeds geboren. | Wo bin ich geboren? | Leeds
Ich bin 1984 in Leeds geboren. | Wann bin ich geboren? | 1984
Ich habe in Jena Biologie studiert. | Was habe ich studiert? | Jena Biologie
Der Kurs kostet 250 Euro. | Was kostet der Kurs? | 250 Euro
Ich hasse Koriander. | Was hasse ich? | Koriander
Mein Notfallkontakt ist mein Bruder Luis. | Wer ist mein Notfallkontakt? | mein Bruder Luis
El mes pasado cambié de trabajo y ahora trabajo en Lumen. | ¿Dónde trabajo? | Lumen
Nos mudamos a Lugo en marzo. | ¿Cuándo nos mudamos? | marzo de 2027
Mi marido tiene diabetes. | ¿Mi marido tiene diabetes? | Sí
No tenemos coche. | ¿Tenemos coche? | No
Dejé de fumar en 2020. | ¿Fumo? | No
No bebo alcohol. | ¿Bebo alcohol? | No
Mi vuelo a Oslo es el sábado 14 de marzo a las 7. | ¿Cuándo es mi vuelo a Oslo? | 14 de marzo, las 7
Mis padres viven en Huesca y mi hermana en Ávila. | ¿Dónde vive mi hermana? | Ávila
Mi madre se llama Rut y mi padre se llama Saúl. | ¿Cómo se llama mi padre? | Saúl
Ben toca la batería y Mia el chelo. | ¿Qué toca Mia? | chelo
La reunión se cambió del martes al jueves. | ¿Cuándo es la reunión? | jueves 11 de junio de 2026
El alquiler ha subido de 800 a 850 euros. | ¿Cuánto es el alquiler? | 850 euros
Voy al trabajo en bici. | ¿Cómo voy al trabajo? | en bici
Mi coche es un Seat León blanco. | ¿Qué coche tengo? | Seat León
Tengo una hermana que se llama Jo y un hermano que se llama Max. | ¿Cómo se llama mi hermano? | Max
Vivo en el segundo piso. | ¿En qué piso vivo? | segundo piso
Nací en León en 1984. | ¿Dónde nací? | León
Nací en León en 1984. | ¿Cuándo nací? | 1984
El curso cuesta 250 euros. | ¿Cuánto cuesta el curso? | 250 euros
Odio el cilantro. | ¿Qué odio? | cilantro
Le mois dernier j'ai changé de travail, maintenant je travaille chez Lumen. | Où je travaille ? | Lumen
On a emménagé à Lorient en mars. | Où est-ce qu'on habite ? | Lorient
Mon mari est diabétique. | Mon mari est-il diabétique ? | Oui
On n'a pas de voiture. | On a une voiture ? | Non
J'ai arrêté de fumer en 2020. | Est-ce que je fume ? | Non
Mon vol pour Oslo est samedi 14 mars à 7 h. | Quand est mon vol pour Oslo ? | 14 mars à 7 h
Mes parents habitent à Hyères et ma sœur à Pau. | Où habite ma sœur ? | Pau
Ma mère s'appelle Ruth et mon père s'appelle Saül. | Comment s'appelle mon père ? | Saül
Le loyer est passé de 800 à 850 euros. | Combien est le loyer ? | 850 euros
Je vais au travail à vélo. | Comment je vais au travail ? | à vélo
Ma voiture est une Seat León blanche. | Quelle voiture j'ai ? | Seat León
Je suis végétarienne. | Est-ce que je mange de la viande ? | Non
J'habite au deuxième étage. | À quel étage j'habite ? | deuxième étage
Je suis née à Lens en 1984. | Où je suis née ? | Lens
Je suis née à Lens en 1984. | Quand je suis née ? | 1984
J'ai étudié la biologie à Dijon. | Qu'est-ce que j'ai étudié ? | biologie à Dijon
Le cours coûte 250 euros. | Combien coûte le cours ? | 250 euros
Je déteste la coriandre. | Qu'est-ce que je déteste ? | coriandre
We relocated from Turin to Bergen. | Where do we live? | Bergen
Wir sind vor kurzem nach Gera umgezogen. | Where do I live? | Gera
I'm a plumber. | What is my job? | plumber
The canoe belongs to my uncle. | Who owns the canoe? | my uncle
Heron belongs to Ines. | Whose is Heron? | Ines
Der Anhänger gehört meinem Schwager. | Wem gehört der Anhänger? | meinem Schwager
Ich habe das Zelt meinem Neffen geliehen. | Wem habe ich das Zelt geliehen? | meinem Neffen
El barco pertenece a mi abuelo. | ¿De quién es el barco? | mi abuelo
La grange appartient à mon oncle. | À qui est la grange ? | mon oncle
We had the chimney swept for 95 euros. | How much did we pay to have the chimney swept? | 95 euros
The tickets were booked for 210 euros. | How much did the tickets cost? | 210 euros
The gas bill for March is 80 euros and for June 45 euros. | How much is the gas bill for March? | 80 euros
Ida can't drive. | Can Ida drive? | No
The tram was 4 euros, the museum 18. | How much was the tram? | 4 euros
Nell's parrot is called Kiko. | What is Nell's parrot called? | Kiko
The ticket status is open. / The status of the ticket is closed. | What is the ticket status? | closed
The status of the ticket is closed. / The ticket status is open. | What is the status of the ticket? | open
The launch status is red. / The launch is now green. | What is the launch status? | green
Le regalé un reloj a mi padre. | ¿Qué le regalé a mi padre? | reloj
Le presté la taladradora a Julián. | ¿A quién le presté la taladradora? | Julián
Le debo 200 euros a mi primo. | ¿A quién le debo 200 euros? | mi primo
A Pablo no le gustan las aceitunas. | ¿Qué no le gusta a Pablo? | aceitunas
A Lucía le dan miedo los perros. | ¿De qué tiene miedo Lucía? | perros
Teo tiene miedo a los globos. | What is Teo afraid of? | globos
Las llaves las tiene Bea. | ¿Quién tiene las llaves? | Bea
Las entradas las compró Nuria. | ¿Quién compró las entradas? | Nuria
La tarta la hizo mi cuñada. | ¿Quién hizo la tarta? | mi cuñada
El pan lo compramos en la panadería. | ¿Dónde compramos el pan? | la panadería
La pala buena era de mi abuelo. | ¿De quién era la pala buena? | mi abuelo
El paraguas negro es de Elena. | ¿A quién pertenece el paraguas negro? | Elena
Los sábados voy al mercado con mi suegra. | ¿Con quién voy al mercado? | mi suegra
Carmen cumple años el 3 de junio. | ¿Cuándo es el cumpleaños de Carmen? | 3 de junio
Mis gafas son granates. | ¿De qué color son mis gafas? | granates
Cada mañana salgo a correr. | ¿Cuándo salgo a correr? | Cada mañana
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected
