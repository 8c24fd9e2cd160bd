"""Changes stated in passing close the older statement about the same thing, and what only sounds like one does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engrain import MemoryManager, Settings

CLOSED = """
My coach is Mr Vane and he likes tea. | From 1 May Ida Roth is my coach.
I have trumpet lessons every Monday, so that night is gone. | I stopped the trumpet lessons.
Ich hab am 3. Mai Zahnarzt bei Dr. Uhl. | Ich hab den Zahnarzt jetzt am 9. Mai.
My vet appointment is on 9 June. | The vet is ill so they've pushed me back to 16 June.
The grant form is due on 4 May. | We got an extra week for the grant form so now it has to be in by 11 May.
We redo the attic and agreed on a budget of 7,000 euros. | The attic budget is 8,500 now.
I have to hand in the tax form by 3 May. | The tax form is due on 10 May now.
I drive an old Opel Astra and the garage wants 300 euros for a clutch. | I sold the Astra to a student for 700 euros.
My boss is Mr Tilly. | From 1 August Ines Kolb is my boss.
Meine Chefin ist Frau Tilly. | Ab 1. August ist Ines Kolb meine Chefin.
We have a Corsa. | The Corsa is gone!
Ida has her cello lesson on Mondays at 4, what do I tell the teacher? | Ida stopped the cello lesson.
The exhibition is in March. | The exhibition slipped to April.
My niece lives in Turku. | She moved to Oulu.
Mein Schwager wohnt in Graz. | Er ist nach Linz gezogen.
We plan to hold the exhibition in March. | The exhibition slipped to April.
I weigh 91 kilos. | I'm down to 86 kilos.
My e-mail address is lou@first.example. | Please use lou@second.example from now on.
My mobile number is 0171 4440021. | You can reach me at 0171 4440088 now.
I have a tablet from work. | The tablet went back to work last week.
The yoga course costs 60 euros. | It's more expensive now: 75 euros.
The fencing club meets on Mondays at 6. | The fencing club got moved to Tuesdays.
Our gas bill is 88 euros a month. | Our gas bill went up to 97 euros.
The bike lock code is 6612. | They changed the bike lock code, it's now 7745.
The parade is on 4 May. | They've pushed the parade back to 11 May.
The kiln course costs 60 pounds. | In the end the kiln course costs 75 pounds.
Wanda is organising the quiz night. | Bruno is organising the quiz night now.
I have a caravan near the lake. | I finally sold the caravan.
The picnic is at Oak Meadow. | Change of plans: the picnic is at Mill Pond.
Der Impftermin ist am 6. Mai. | Der Impftermin wurde auf den 13. Mai verschoben.
Unser Parkplatz kostet 40 Euro. | Unser Parkplatz kostet jetzt 55 Euro.
Die Vernissage ist am Freitag. | Die Vernissage fällt aus, leider.
Ich trinke jeden Morgen Kakao. | Ich trinke keinen Kakao mehr.
La mudanza es el lunes. | Han aplazado la mudanza al jueves.
La piscina abre a las ocho. | La piscina ahora abre a las nueve.
Le cours de chant est mardi. | Le cours de chant est reporté à vendredi.
Le code du garage est 1290. | Le code du garage a changé, c'est 8834 maintenant.
The harbour tour is at 3. | No wait, 4.
The physio is on the 12th. | It got moved to the 19th.
Der Klavierstimmer kommt am Montag. | Quatsch, am Mittwoch.
La función es a las 20:00. | No, espera, a las 21:00.
Le vernissage est à 18h. | Non pardon, 19h.
The Cedar project is led by Amira. | We handed Cedar over to Viktor on Monday.
Nele lives in Kassel. | Nele ist Ende Mai von Kassel nach Graz gezogen.
Our warehouse is in Delft. | Our warehouse relocated to Gouda in January.
The budget for the roof is 8,000 euros. | We had to raise the roof budget to 9,500 euros.
The cache server is Redis 6. | We upgraded the cache server to Redis 7 over the weekend.
The exam is on 3 June. | The school moves the exam to 12 June.
The call is at 3 pm. | The call got pushed to 5.
My mobile number is 0664 220 1188. | I have a new mobile number: 0699 410 7733.
I take 20 mg of Lisinopril. | My dose of Lisinopril was raised to 40 mg.
Jonas spielt Schlagzeug. | Jonas hat das Schlagzeug aufgegeben.
Der Chor probt montags. | Der Chor fällt ab sofort aus.
Ich esse jeden Tag Schokolade. | Mit der Schokolade ist Schluss.
Our caterer is Bellini. | We replaced Bellini with Corso as caterer.
The swimming lesson is on Wednesday. | The swimming lesson is on Friday from next week.
My desk is number 14. | I got desk 27 instead of 14.
The 8:20 ferry takes us to the island. | The 8:20 ferry no longer runs.
The bakery opens at 7. | Since March the bakery opens at 8.
The rabbit gets 2 carrots a day. | The vet cut the rabbit down to 1 carrot a day.
The party costs 40k. | They cut the party to 32k.
Ines and Pablo are engaged. | Ines and Pablo broke off the engagement.
The fair is on 2 May. | Fair news: the fair was moved to 9 May.
El ensayo es a las 18:00. | El ensayo es a las 19:00 en lugar de a las 18:00.
Le festival est le 4 juin. | Le festival est le 11 juin au lieu du 4 juin.
Das Seminar kostet 300 Euro. | Ab nächster Woche kostet das Seminar 350 Euro.
The budget of Kestrel is 40,000 euros. | After the audit, the budget of Kestrel went up to 45,000 euros.
Mein Klavierunterricht ist am Montag um 17 Uhr. | My piano lesson is now on Friday at 6 pm.
My piano lesson is on Monday at 5 pm. | Mein Klavierunterricht ist jetzt am Freitag um 18 Uhr.
Der Elternabend ist am Montag um 17 Uhr. | Der Elternabend ist jetzt am Freitag um 18 Uhr.
I have a blue bike. | I sold my bike.
I play tennis on Fridays. | I gave up tennis.
I go to the gym on Mondays. | I quit the gym.
We have a cat called Minka. | Our cat died last week.
I own a guitar. | I sold the guitar.
I drive a Polo. | I sold the Polo.
My car is a Polo. | I sold my car.
Mein Zahnarzttermin ist am Donnerstag um 8:15. | The dentist moved my appointment to Friday at 9:40.
My dentist appointment is on Thursday at 8:15. | The dentist moved my appointment to Friday at 9:40.
Mein Zahnarzttermin ist am Donnerstag um 8:15. | Mein Zahnarzttermin ist jetzt am Freitag um 9:40.
My dentist appointment is on Thursday at 8:15. | Mein Zahnarzttermin ist jetzt am Freitag um 9:40.
I ride an old red Puch to work. | Some idiot stole my Puch last night.
I have a blue Trek bike. | My bike got stolen yesterday.
My nephew Cormac is getting married on 11 July. | Cormac's wedding has been put off to 29 August.
Wir zahlen 820 Euro Miete im Monat. | Ab Juni zahlen wir 865 Euro Miete.
We pay 820 euros rent a month. | From June we pay 865 euros rent.
Ich habe ein rotes Fahrrad. | Mein Fahrrad wurde gestern gestohlen.
Ich fahre mit dem Rad zur Arbeit. | Mir haben sie das Rad geklaut.
Tengo una bici azul. | Me robaron la bici anoche.
J'ai un vélo bleu. | On m'a volé mon vélo.
Our vet is Dr Kern. | Dr Kern has retired.
Unser Trainer ist Emil Roth. | Roth wurde entlassen.
Notre gardienne est Madame Petit. | Madame Petit est partie à la retraite.
Nuestra vecina es Rosa Gil. | Rosa Gil se ha jubilado.
My cousin Nils lives with us. | Nils has moved out.
I have an old drone. | Sold the drone last week.
I'm learning Danish. | Gave up on Danish completely.
Grandpa lives in Hull. | Grandpa passed away in his sleep on Friday.
The flight to Faro leaves at 6:40. | Airline moved the Faro flight to 8:15.
Our wedding is on 14 June. | We are getting married on 31 May now.
Der Chor probt mittwochs. | Choir practice is on Mondays now.
Le club de judo coûte 180 euros par an pour Malo. | Le club de judo est passé à 210 euros par an, ça grimpe.
My brother Idris lands in Lyon on 12 April, he stays for a week. | Idris's flight is now on 15 April, a strike again.
Choir is on Mondays at seven in the parish hall. | Le chœur, c'est maintenant le mercredi à dix-neuf heures.
Mi clase de cerámica es los jueves a las seis. | My pottery class is on Fridays at six now, the teacher has a baby.
Timo spielt Fußball im Verein, jeden Samstag ein Spiel. | Timo a arrêté le foot, il fait de l'escalade maintenant.
I drink two cans of cola a day, I know, I know. | Ich trinke keine Cola mehr, seit drei Wochen. Bin stolz.
I've booked a cottage in Whitby for the last week of July. | We've cancelled the cottage in Whitby, Dad isn't well.
J'ai commandé un canapé gris chez Maison Verte, livraison en mai. | J'ai annulé le canapé gris, trop long.
My boss is Herr Dallmann, he counts paper clips. | Herr Dallmann ist in Rente, my new boss is Frau Yıldız.
Our head coach is Mr Osei and he shouts a lot. | Mr Osei has left the club, our head coach is Ms Varga now.
Meine Zahnärztin ist Frau Dr. Pohl, sie ist sehr vorsichtig. | I've changed dentists, I go to Dr Kessler now.
My hairdresser is Olga, near the station, always busy. | Ich habe die Friseurin gewechselt, ich gehe jetzt zu Mirela.
Tenemos un Seat Ibiza blanco, aparcado siempre en la calle. | We sold the Seat, we have no car now.
J'ai une vieille Clio, elle a 240 000 km. | I sold the Clio to my nephew yesterday.
I take 20 mg of atorvastatin in the evening. | I saw the doctor today, she raised my atorvastatin to 40 mg.
Mamá toma bisoprolol 5 mg por la mañana. | Le han bajado el bisoprolol a mamá a 2,5 mg.
I'm on the night shift this spring, so I sleep badly. | Ich bin jetzt in der Frühschicht, um fünf klingelt der Wecker.
Papa travaille de nuit à l'usine. | Papa travaille de jour maintenant, il revit.
Ich fahre mit dem Zug zur Arbeit, leider immer voll. | Since Monday I drive to work, the train was hopeless.
La tele está en el dormitorio, mala idea. | The TV is in the living room now, I sleep better.
Our cat Nacho gets dry food, the cheap one. | Nacho bekommt jetzt nur noch Nassfutter, der Tierarzt will das so.
We're on the waiting list for an allotment, it takes years. | Der Schrebergarten ist unser! Parzelle 12.
Estamos en lista de espera para un perro de la protectora. | ¡Nos dieron el perro! Se llama Trufa.
El cumpleaños de Bruno es el 2 de mayo. | Oops, I was wrong: Bruno's birthday is on 12 May.
My grandfather is 91 and still drives. | Correction: my grandfather is 89, not 91.
I rent a room from Mrs Beck for 400 euros. | Mrs Beck has put the rent up to 440 euros.
Unser Hausarzt ist Dr. Brand, Praxis am Markt. | Dr. Brand hat aufgehört, unser Hausarzt ist jetzt Dr. Seidel.
I'm vegetarian, have been for years. | Kleine Sünde: Ich esse wieder Fisch und Fleisch.
My wifi password is Kolibri44, just so you know. | Mein WLAN-Passwort ist jetzt Pelikan77.
Our plumber is Mr Sato, reliable. | Mr Sato retired, our plumber is now Mrs Lindqvist.
Mi hermana Ximena vive en Rosario | Ximena se mudó a Bilbao el mes pasado
Mi primo Anxo vive en Vigo. | Anxo has moved to Dublin.
My cousin Keziah lives in Hull. | Keziah ist nach Kiel gezogen.
Mein Bruder Torge wohnt in Husum. | Torge has moved to Bremen.
Mon frère Yannis habite à Nantes. | Yannis has moved to Tours.
Ma soeur Inès habite à Dijon. | Inès moved to Lille last week.
My friend Oisín lives in Galway. | Oisín vient de déménager à Lyon.
Meine Tochter Svea wohnt in Jena. | Svea se ha mudado a Sevilla.
Mi hijo Iker vive en Getafe. | Iker ist letzte Woche nach Köln gezogen.
My son Tavi lives in Leeds. | Tavi s'est installé à Rennes.
Mi tía Maruja vive en León. | Maruja se fue a vivir a Oviedo.
My uncle Bertil lives in York. | Bertil's moved to Bath.
Unsere Tochter Runa wohnt in Trier. | Runa ist in der letzten Woche nach Mainz umgezogen.
I work at the Millbrook surgery. | I've left Millbrook and today I started at Avon Care.
I'm a cook at Casa Verde. | I've left Casa Verde and started at Bistro Nord last week.
Trabajo en la clínica Alameda. | He dejado la Alameda y hoy empecé en Fisio Sur.
Ich arbeite bei Radwerk Lüders. | Ich habe Radwerk Lüders verlassen und heute bei Velo Nord angefangen.
Je travaille chez Fleurs Marin. | J'ai quitté Fleurs Marin et j'ai commencé chez Jardin Bleu.
I fix cars at Garage Petersen. | Today was my first day at Autohaus Kern. I've left Garage Petersen for good.
Clara works at the bakery on Station Road. | Clara a changé de travail, elle est à la boulangerie Moreau depuis lundi.
Clara works at the bakery on Station Road. | Clara has changed jobs, she's at Moreau's now.
My wife Paloma works at the library. | Paloma ha cambiado de trabajo, ahora trabaja en el museo.
Mein Mann arbeitet bei Siemens. | My husband has left Siemens and works for Bosch now.
My sister works for Ikea. | My sister left Ikea and works for a bank now.
Mi hermana trabaja en Renfe. | Mi hermana dejó Renfe y ahora trabaja en una escuela.
Ma soeur travaille de nuit. | My sister works days now.
I'm on early shifts this month. | Seit heute bin ich in der Spätschicht.
Ich fahre mit dem Bus zur Arbeit. | I bike to work now.
Voy al trabajo en tren. | I drive to work now.
The rabbit's box is in the garage. | La caisse du lapin est maintenant dans le salon.
I live with my cousin Pia. | I live on my own now.
Vivo con dos amigas. | I live by myself now.
Voy al gimnasio. | He dado de baja el gimnasio.
I have an osteopath appointment on 2 June. | He cancelado el osteópata.
We pay 25 euros a month for the radio. | The radio company wrote, it's gone up to 28 euros.
Tomo hierro tres veces por semana. | Ahora tomo hierro dos veces por semana.
I take the pills twice a day. | I take the pills once a day now.
We have a table for four at the Lotus. | The table is for seven people now.
My dentist is Mr Orr. | He cambiado de dentista.
Mi peluquera es Sole. | Ich habe die Friseurin gewechselt.
I'm with Zenit for my phone. | I've moved my phone to Orbit.
I pay 30 euros a month with Zenit. | J'ai quitté Zenit.
My mother lands on 3 April. | Mum's flight is now on 9 April.
Wir stehen auf der Warteliste für einen Schrebergarten. | The allotment is ours!
Ich bin in einem Chor. | I've left the choir.
Je suis dans un orchestre. | J'ai quitté l'orchestre.
I drive a Polo. | Ich fahre jetzt einen Corsa.
Paco drinks oat milk. | Paco is off the oat milk.
Nuria toca el violín en la orquesta. | Nuria has given up the violin and plays the harp now.
Jonna spielt Querflöte. | Jonna has given up the flute and plays the drums now.
Élodie joue du piano. | Élodie has given up the piano.
Ronan plays the fiddle. | Ronan a arrêté le violon et joue de la guitare maintenant.
I sing in a choir on Tuesdays. | I've left the choir.
I'm in a film club with two neighbours. | I've left the film club, it was too much.
Estoy en un club de ajedrez. | He dejado el club de ajedrez.
I belong to a rowing club in town. | He dejado el club de remo.
Ich bin in einem Schachclub. | I've left the chess club.
Ich bin in einer Theatergruppe. | Die Theatergruppe habe ich verlassen.
Je suis dans une chorale. | J'ai quitté la chorale.
Je fais partie d'un club de lecture. | I've left the book club, no time.
I do a pottery course on Mondays. | I've dropped the pottery course.
Ich mache einen Yogakurs. | Den Yogakurs habe ich hingeschmissen.
On Tuesdays I do a course in Portuguese. | Den Portugiesischkurs habe ich aufgegeben.
I go to the gym twice a week. | He dado de baja el gimnasio.
Voy al gimnasio dos veces por semana. | I've cancelled my gym membership.
Ich gehe ins Fitnessstudio am Markt. | J'ai résilié mon abonnement à la salle de sport.
I go to the gym on Mill Street. | Ich habe das Fitnessstudio gekündigt.
Voy al gimnasio Altafit. | He cancelado el gimnasio.
I've got a physio appointment on 4 May at 3. | I've cancelled the physio.
J'ai rendez-vous chez le kiné le 4 mai. | J'ai annulé le kiné.
Ich habe am 4. Mai einen Termin beim Physio. | Den Physio habe ich abgesagt.
I've booked the hotel Bellavista in Genoa. | I cancelled the Bellavista.
Reservé el hotel Solana en Cádiz. | I cancelled the Solana and we're staying with friends.
We've booked the ferry to Palma for 22 May. | Wir haben Palma storniert.
J'ai réservé l'hôtel Mimosa à Nice. | J'ai annulé l'hôtel Mimosa.
Ich habe das Hotel Seeblick in Plön gebucht. | I've cancelled the Seeblick.
I ordered a Miele dishwasher for 700 pounds. | I cancelled the Miele, it never came.
Pedí una lavadora Balay por 400 euros. | Cancelé la Balay, no llegaba nunca.
J'ai commandé un lave-vaisselle Bosch. | J'ai annulé le Bosch.
Ich habe eine Waschmaschine von Siemens bestellt. | Die Siemens habe ich storniert.
Mia's school trip to Chester is on Wednesday, 6 May. | The Chester trip is off, no bus.
Tom's class outing to Kew is on 6 May. | The Kew outing is cancelled.
Die Klassenfahrt von Mia nach Worms ist am 6. Mai. | Die Klassenfahrt nach Worms fällt aus.
Estoy haciendo un curso de costura. | Ya terminé el curso de costura.
Je fais une formation de soudeur. | J'ai fini la formation de soudeur.
I'm doing a first-aid course. | I've finished the first-aid course.
We're on the waiting list for a nursery place. | We've got the nursery place!
We're on the waiting list for a garden plot. | The garden plot's ours!
Wir stehen auf der Warteliste für einen Stellplatz. | Wir haben den Stellplatz bekommen!
Estamos en la lista de espera para un huerto. | ¡Nos dieron el huerto!
On est sur liste d'attente pour un jardin. | On a eu le jardin!
Bebo unas cinco tazas de café al día. | I've given up coffee.
Noa drinks almond milk with everything. | Noa's off the almond milk.
Ich trinke drei Tassen Kaffee am Tag. | Ya no bebo café, ahora tomo té.
I've been vegetarian since May. | I eat meat again.
Ich bin seit Mai Vegetarier. | Ich esse wieder Fleisch.
Je suis végétarien depuis mai. | Je mange de nouveau de la viande.
Der Kindergarten kostet 95 Euro im Monat. | Seit Mai zahlen wir beim Kindergarten 118 Euro.
Die Musikschule kostet 60 Euro im Monat pro Kind. | Ab September zahlen wir bei der Musikschule 72 Euro pro Kind.
We pay 30 pounds a month for the phone. | The phone company wrote, it's gone up to 35 pounds.
Painting the bathroom will cost 650 pounds. | Al final el baño nos sale 720 libras.
The nursery costs 400 pounds a month. | La guardería ahora nos sale 450 libras al mes.
The piano lessons cost 25 pounds. | Les cours de piano coûtent maintenant 30 livres.
La cantine coûte 4 euros par repas. | Lunch... la cantine passe à 5 euros par repas.
Pagamos 70 euros de luz al mes. | La luz nos ha subido a 85 euros.
We pay 120 pounds a month for electricity. | Ahora pagamos 135 libras de luz.
Le parking coûte 60 euros par mois. | Depuis mai on paie 75 euros pour le parking.
Mein Stellplatz kostet 50 Euro. | Since June I've been paying 58 euros for the parking space.
Ich bin in der Frühschicht. | I'm on the late shift now.
Idris is on night shifts. | Idris ya no hace noches, desde ayer trabaja de día.
Idris is on night shifts. | Idris is on days now.
Idris works nights. | Idris works days now.
Mein Mann arbeitet nachts. | My husband works days now.
I take tram line 4 to work. | I ride my bike to work now.
Je prends le tram pour aller au travail. | Je vais au travail à vélo maintenant.
Ich fahre mit dem Bus zur Arbeit. | I drive to work now.
I walk to work. | Ahora voy al trabajo en bici.
I drive a Fiat Panda. | Ahora conduzco un Seat Ibiza.
Ich fahre einen alten Golf. | I drive a Dacia now.
Conduzco un Renault Clio. | Ich fahre jetzt einen Opel Corsa.
Je conduis une Peugeot 208. | I drive a Toyota Yaris now.
The hamster's cage is in the kitchen. | La cage du hamster est maintenant dans le salon.
The router is in the hall. | Der Router steht jetzt im Wohnzimmer.
Das Klavier steht im Flur. | The piano is in the living room now.
La cena es en Casa Pepe. | The dinner is at Luigi's instead.
Ich wohne mit Jade zusammen. | Ich wohne jetzt allein.
J'habite en coloc avec Jade. | J'habite seule maintenant.
Bruno gets dry food. | Bruno bekommt jetzt nur noch Nassfutter.
Bruno bekommt Trockenfutter. | Bruno gets wet food now.
Unser Kater bekommt Trockenfutter. | The cat is on wet food now.
We fly to Tokyo on 3 July. | Our flight is now on 6 July.
We're flying to Tunis on 3 July. | Our flight has been moved to 6 July.
Volamos a Lima el 3 de julio. | Our flight is now on 6 July.
Wir fliegen am 3. Juli nach Oslo. | Our flight is now on 6 July.
My brother Akin lands in Nice on 2 March. | Akin's flight is now on 9 March.
My brother Akin lands in Nice on 2 March. | El vuelo de Akin ahora es el 9 de marzo.
My mother arrives on 3 April. | Mum now arrives on 9 April.
Meine Mutter kommt am 3. April. | Mum is now coming on 9 April.
My parents arrive on 3 April. | Mis padres ahora llegan el 9 de abril.
Mein Vater landet am 3. April um 10 Uhr. | Dad's flight now lands on 5 April.
Mi examen de conducir es el 12 de febrero. | My driving test has been pushed back to 3 March.
Mein Führerscheinprüfung ist am 12. Februar. | My driving test is now on 3 March.
My driving test is on 12 February. | Meine Fahrprüfung ist jetzt am 3. März.
The washing machine will be delivered on 24 April. | Die Waschmaschine kommt jetzt erst am 28. April.
Die Waschmaschine wird am 24. April geliefert. | Die Waschmaschine kommt doch erst am 28. April.
Das Sofa kommt am 24. April. | The sofa is now coming on 28 April.
El sofá llega el 24 de abril. | The sofa is coming on 28 April instead.
Le canapé arrive le 24 avril. | Le canapé arrive finalement le 28 avril.
Papas Geburtstag ist am 9. Februar. | Sorry, Dad's birthday is 19 February.
El cumpleaños de Rosa es el 9 de febrero. | I was wrong, Rosa's birthday is 19 February.
L'anniversaire de Léo est le 9 février. | Léo hat am 19. Februar Geburtstag, nicht am 9.
Trabajo cuatro días a la semana. | From this week I work three days a week.
Ich arbeite vier Tage die Woche. | Ab dieser Woche arbeite ich drei Tage die Woche.
Je travaille quatre jours par semaine. | À partir de cette semaine je travaille trois jours par semaine.
I take the drops twice a day. | Jetzt nehme ich die Tropfen nur noch einmal am Tag.
Je prends du bisoprolol 5 mg. | The doctor raised my bisoprolol to 10 mg.
Tomo enalapril 5 mg. | I saw the doctor, she raised my enalapril to 10 mg.
Ich nehme Ramipril 5 mg. | Mein Arzt hat mein Ramipril auf 10 mg erhöht.
I take metformin 500 mg. | J'ai vu la docteure, elle a augmenté ma metformine à 850 mg.
Je joue au tennis le jeudi soir. | We play tennis on Sundays now.
I play badminton on Tuesdays. | Ahora jugamos al bádminton los jueves.
I have a dentist appointment on 22 January at 10. | La dentista está enferma. Me cambiaron la cita al 29 de enero.
I've booked a table for six at the Rialto. | The table is for eight people now.
Reservé una mesa para seis en el Rialto. | The table is for eight people now.
Ich habe einen Tisch für sechs im Rialto reserviert. | Der Tisch ist jetzt für acht Personen.
Katrin's mother is 78. | Small correction: Katrin's mother is 81, not 78.
Je commence à sept heures. | Maintenant je commence à neuf heures.
I'm with Telco for my phone. | I've switched my phone to Nordcom.
I'm with Telco for my internet. | I've moved my internet to Nordcom.
My account is with Barclays. | He pasado mi cuenta al Santander.
Je suis à la Banque Postale. | J'ai changé de banque, je suis au Crédit Agricole maintenant.
Estoy con el Banco Sabadell. | He cambiado de banco, ahora estoy con Bankinter.
My bank is Lloyds. | I've changed banks, I'm with Monzo now.
We're with Solar Energy for our electricity. | We've switched our electricity to Brecon Power.
I pay 55 dollars a month with Rogers. | J'ai quitté Rogers, je suis chez Telus, 34 dollars par mois.
I pay 20 euros a month with Movistar. | I've left Movistar, I'm with Orange now, 15 euros a month.
Pago 20 euros al mes con Movistar. | He dejado Movistar, ahora estoy con Orange, 15 euros al mes.
Ich zahle 20 Euro im Monat bei Vodafone. | Ich bin von Vodafone zu Congstar gewechselt, 12 Euro.
Meine Friseurin ist Uschi. | I've changed hairdresser, I go to Svetlana now.
Mi peluquera es Lola. | Ich habe die Friseurin gewechselt, jetzt gehe ich zu Anke.
Our landlord is Mr Peel. | Since May our landlord is Mrs Quist.
Manon fait du piano depuis trois ans. | Manon hat mit dem Klavier aufgehört und spielt jetzt Gitarre.
My daughter Frieda plays handball on Saturdays. | Frieda hat mit Handball aufgehört, sie macht jetzt Judo.
We subscribe to StreamBox, 13 euros a month. | Wir haben StreamBox gekündigt, war uns zu teuer.
I'm reading The Magic Mountain, page 80. | I gave up on The Magic Mountain, I'm reading a thriller now.
I go swimming on Mondays and Thursdays before work. | Ab jetzt gehe ich nur noch montags schwimmen.
My password for the library is Apfel12. | Das Passwort für die Bibliothek ist jetzt Birne34.
Ich arbeite im Rathaus in der Poststelle. | Good news: I've got a new job, I work at the city archive now.
Ich habe einen Termin beim Friseur am Freitag um drei. | My hairdresser moved me to Saturday at noon.
Ich spiele seit Jahren Lotto, immer samstags. | I've stopped playing the lottery.
Mein Auto ist ein alter Fiesta. | The Fiesta is gone, we've got an electric Renault now.
Mi hija Noa hace ballet los lunes y miércoles. | Noa no longer does ballet, she's doing hip hop.
Mi jefe es Ramiro, un tipo tranquilo. | Ramiro left the company, my boss is Pilar now.
Tengo dentista el 7 de mayo a las cinco. | The dentist rang, it's on 12 May at half past four now.
Pago 45 euros al mes por el gimnasio. | The gym costs 52 euros a month now, robbery.
El examen de inglés es el 10 de junio. | They've put the English exam back to 17 June.
Trabajo de camarera en el Bar Tolo. | I quit the Bar Tolo, I'm a receptionist now.
Mi coche es un Fiat Punto del 2009. | I've sold the Punto, I'm looking at scooters.
Mi compañera de piso es Irina. | Irina moved out, my flatmate is Sunniva now.
Our flight to Valencia is at 6:50 in the morning. | Han cambiado el vuelo a Valencia: ahora sale a las 9:30.
The plumber is coming on Thursday at 8. | El fontanero al final viene el viernes a las diez.
My sister Abril is engaged to Marco. | Abril y Marco han roto.
Je fais de l'escalade le mercredi. | I climb on Fridays now.
Mon mari Karim travaille chez Renault. | Karim has left Renault, he works for a start-up now.
J'ai un chat, Réglisse. | Réglisse died in May, I miss him.
Le loyer est de 690 euros. | The rent went up to 715 euros.
Je prends le bus 12 pour aller au travail. | I walk to work now, it's only twenty minutes.
Notre assistante maternelle, c'est Fatoumata. | Fatoumata a arrêté, our childminder is Odile now.
Le mariage de Chloé est le 20 juin. | Chloe's wedding has been postponed to 5 September.
Je bois un verre de vin chaque soir. | I've given up wine for good.
My accountant is Monsieur Lemoine. | J'ai changé de comptable, c'est Madame Roux maintenant.
My violin lesson is on Wednesday at 4. | Mon cours de violon est passé au vendredi à 17h.
I have a subscription to the theatre. | J'ai résilié mon abonnement au théâtre.
My in-laws live in Brest. | Mes beaux-parents ont déménagé à Quimper.
I wear glasses for driving. | Je ne porte plus de lunettes, j'ai été opérée.
Our flight to Bilbao is at 6:50. | Han cambiado el vuelo a Bilbao: ahora sale a las 9:30.
Chloé's exam is on 4 June. | L'examen de Chloe est reporté au 11 juin.
Ich arbeite im Rathaus. | I've got a new job, I work at the archive now.
Trabajo en el museo. | I have a new job, I work at the archive now.
My in-laws live in Brest. | Mes beaux-parents ont déménagé à Quimper.
I drink cola. | I drink water now, no more cola.
Renate arbeitet in der Apotheke am Markt. | Renate has a new job, she works at the Elbe clinic now.
Meine Eltern kommen am 3. April. | My parents now arrive on 9 April.
My daughter Orla is vegetarian. | Orla is eating chicken again.
We're renting a van from Carlo. | Cancelled the van from Carlo.
"""
OPEN = """
Door C closes at 19:00. | Door D now closes at 20:00.
Milestone 2 ends on 3 June. | Milestone 3 now ends on 17 June.
Offer 3 costs 12 euros. | Offer 4 went up to 18 euros.
The 8 o'clock group is in room 1. | The 10 o'clock group moved to room 3.
The Wednesday course is in room 5. | The Sunday course moved to room 8.
The June invoice is 70 euros. | The August invoice went up to 75 euros.
Rent for June is 700 euros. | Rent for August went up to 750 euros.
The choir on Wednesday is at 18:00. | The choir on Sunday is now at 17:00.
The 2023 budget is 4,000 euros. | The 2024 budget was raised to 6,000 euros.
The spring camp costs 80 euros. | The autumn camp now costs 95 euros.
La clase del lunes es en el aula 1. | La clase del viernes se ha pasado al aula 3.
Der Kurs am Mittwoch ist in Raum 5. | Der Kurs am Freitag ist jetzt in Raum 8.
My hamster name is Fips. | My rabbit name is Lou.
My married name is Vogel. | My maiden name is Stern.
My parcel status is delayed. | My visa status is approved.
My hamster age is 2. | My rabbit age is 5.
lea came down to 9,400 after a long talk on the phone | flug umgebucht, 45 pfund futsch
sönke hat vom 3. bis 14. august urlaub. | sönke hat gekündigt.
my colleague ida has a workshop on 4 June | ida quit.
I am 58 years old. | I brought my niece a scarf and my nephew a bottle of rum, an eight-year-old Barbados.
I'm 33. | We bought a nine-year-old Opel.
My daughter is 6. | My daughter has a two-year-old pony.
Wiebke ist für das Projekt Orion zuständig. | Im Moment ist das Projekt Orion abgeschlossen.
My son is 6. | My son takes a size 31 now.
I take the 61 bus to work. | I've pulled out of the 5k.
I take the 61 bus to work. | It's 4 degrees now.
I have to hand in the tax form by 3 May. | I have to be ready with the slides by 9 May.
Ich habe am 3. Mai einen Termin beim Arzt. | Ich muss die Folien bis zum 9. Mai fertig haben.
My osteopath appointment is on 9 June. | The osteopath is off sick.
I work at the mill. | Good news from work for once: the lift works.
Meine Tante bekommt eine neue Brille. | Die Feier wurde verschoben, auf den 5. Mai.
My nephew lives in Turku. | She moved to Oulu.
I owe Ralf a coffee. | I gave up coffee.
My e-mail address is lou@first.example. | Please use shop@second.example for invoices from now on.
My uncle lives in Graz. | Karl and Peter came by. He moved to Linz.
The fencing club meets on Mondays. | They might move the fencing club to Tuesdays.
Our gas bill is 88 euros a month. | My aunt's gas bill went up to 97 euros.
The parade is on 4 May. | The other parade has moved to 11 May.
The parade is on 4 May. | Could the parade be moved to 11 May?
I have a caravan near the lake. | I have not sold the caravan.
I have a caravan near the lake. | If I sold the caravan, I would buy a boat.
We have two parrots, Kiwi and Mango. | Kiwi died last night.
The harbour tour is at 3. | The castle tour is now at 4.
Wanda likes chess. | Bruno likes chess now.
Unser Parkplatz kostet 40 Euro. | Der Parkplatz von Heike kostet jetzt 55 Euro.
Die Vernissage ist am Freitag. | Die Vernissage fällt nicht aus.
Die Hochzeit ist am 8. Mai. | Die zweite Hochzeit wurde auf den 15. Mai verschoben.
La mudanza es el lunes. | Estoy pensando en aplazar la mudanza al jueves.
Le cours de chant est mardi. | Le cours de danse est reporté à vendredi.
The Cedar project is led by Amira. | We handed the Cedar report over to Viktor.
We use Orchid 5.1 at the shop. | Orchid 5.2 is out, but we stay on 5.1 for now.
The budget for the roof is 8,000 euros. | The neighbours had to raise their roof budget to 9,500 euros.
The exam is on 3 June. | The school moves the other exam to 12 June.
I take 20 mg of Lisinopril. | My mother's dose of Lisinopril was raised to 40 mg.
Jonas spielt Schlagzeug. | Sein Bruder Tim hat das Schlagzeug aufgegeben.
Our caterer is Bellini. | Our neighbours replaced Corso with Bellini.
The bakery opens at 7. | Since March the butcher opens at 8.
My brother Jan has two parrots. | We have a cat, Momo, who has two kittens.
I am 44 years old. | We have a dog, Bo, who is three years old.
The market sells cherries. | The market sells the cherries.
The training is on Monday. | The training is from Monday to Thursday.
Mein Bruder wohnt in Worms. | Er fährt Anfang April von Worms nach Basel.
We have three tickets for the show. | Now four friends want to come to the show.
The Cedar project is due on 4 May. | The Cedar update for the board is due on 9 May.
Finding a coach is key for tackling challenges. | You really overcame those challenges.
The manual of Marlin is for version 62. | Marlin 7 is out and replaces 6.
Ada visited Kyoto. | Ada moved to Oslo.
Ada's cousin lives in Oslo. | Ada now lives in Nairobi.
The owner of Heron is Lea Roth. | The new owner of Kite is Max Born.
Mein Zahnarzttermin ist am Donnerstag um 8:15. | Mein Tierarzttermin ist jetzt am Freitag um 9:40.
My vet appointment is on Thursday at 8:15. | Mein Zahnarzttermin ist jetzt am Freitag um 9:40.
Mein Klavierunterricht ist am Montag um 17 Uhr. | Mein Gitarrenunterricht ist jetzt am Freitag um 18 Uhr.
Der Deutschkurs ist am Montag um 17 Uhr. | Der Tanzkurs ist jetzt am Freitag um 18 Uhr.
My phone number is 0176 4455667. | My phone was stolen yesterday.
My car insurance is with Axa. | My car was stolen.
The photos are on my laptop. | My laptop was stolen in the train.
I bought my bike at Decathlon. | My bike was stolen.
My bike cost 900 euros. | My bike was stolen.
My sister has a blue bike. | My bike was stolen.
Ben's bike is red. | My bike was stolen.
I go to the bike shop on Mondays. | My bike was stolen.
Meine Handynummer ist 0176 4455667. | Mein Handy wurde geklaut.
Mi número de móvil es 655 123 456. | Me robaron el móvil.
We meet at the gym on Fridays. | They closed our school.
I bought my bike at Decathlon. | I sold my bike.
My sister has a blue bike. | I sold my bike.
My car insurance is with Axa. | I sold my car.
My bike cost 900 euros. | I sold the bike.
I go to the bike shop on Mondays. | I sold my bike.
My phone number is 0176 4455667. | I sold my phone.
Mein Bruder hat ein blaues Rad. | Ich habe mein Rad verkauft.
Ben works at the piano shop. | I sold my piano.
The cat food is in the cellar. | My cat died.
My dog's vet is Dr Lowe. | My dog died.
Lena's dog is called Rex. | My dog died.
I gave my sister a guitar. | I sold my guitar.
My brother plays tennis on Fridays. | I gave up tennis.
The tennis court is on Mill Lane. | I gave up tennis.
My tennis partner is Joe. | I quit tennis.
My coffee machine is a Jura. | I gave up coffee.
My gym is on Mill Lane. | I quit smoking.
I met Joe at the gym. | I quit the gym.
My gym buddy is called Joe. | I quit the gym.
My boss at the bakery was Ines. | I quit the choir.
My sister's bus leaves at 7:10. | My bus leaves at 7:25 now.
My bus leaves at 7:10. | My sister's bus leaves at 7:25 now.
My yoga class is on Monday. | My sister's yoga class has moved to Tuesday.
Ben's rent is 900 euros. | My rent has gone up to 980 euros.
The rent for the garage is 90 euros. | The rent for the flat has gone up to 980 euros.
My bike is in the garage. | My car is in the garage now.
The bike shop opens at 9. | The book shop opens at 10 now.
My tennis coach is called Marta. | My piano teacher is called Ines now.
Lena's phone number is 0170 1111111. | My phone number is 0176 4455667 now.
My flight to Rome is on 4 May. | My flight to Oslo has been moved to 9 May.
The parents' evening of Mia is on 3 June. | The parents' evening of Ben has been moved to 9 June.
I met Ada on Friday. | My meeting with Tom has been moved to Monday.
My boss is called Ines. | Ben's boss is called Rita now.
We paid 450 euros for the sofa. | The sofa now costs 600 euros.
I was born in Graz. | I live in Linz now.
My parents live in Graz. | We live in Linz now.
My brother works at Bosch. | I work at Siemens now.
The car is parked on level 2. | The bikes are on level 3 now.
The wifi password is tulip7. | The alarm code is now 8812.
My exam in maths is on 9 June. | The exam in physics has been moved to 12 June.
My old flat had 2 rooms. | We now have 4 rooms.
My daughter is 7. | My son is 8 now.
I take 2 tablets of iron. | I take 3 tablets of zinc now.
The meeting with Ada is at 9. | The call with Ben is at 10 now.
I work from home on Fridays. | I have choir on Thursdays now.
We have a dog. | We have a cat now.
My favourite colour is blue. | My car is red now.
Our holiday in Spain starts on 3 July. | School starts on 20 August this year, it's been moved.
My dentist is Dr Lowe. | My vet is Dr Kern now.
I pay 30 euros for my phone. | I pay 45 euros for the internet now.
Ben works at Bosch. | Ada works at Siemens now.
My brother works at Bosch. | My sister works at Siemens now.
Ben lives in Graz. | Ada lives in Linz now.
Ben's rent is 900 euros. | Ada's rent has gone up to 980 euros.
Ben drinks coffee. | Ada has given up coffee.
Ben plays tennis. | My sister has given up tennis.
My brother plays tennis. | Ada has given up tennis.
My knee operation is on 6 May. | My brother's operation has been moved to 20 May.
I have a blue Trek bike. | My neighbour's bike got stolen yesterday.
I ride a Puch to work. | Somebody stole my lunch.
Our vet is Dr Kern. | Dr Kern's dog has died.
I'm a fan of FC Faro. | Faro sold its goalkeeper.
Ada is Ben's sister. | Ada has moved to Bern.
Die Fähre geht um 14 Uhr. | Ich dachte schon, die Fähre fällt aus.
Le concert est à 18 h. | J'ai cru que le concert était annulé.
Frau Roth ist unsere Hausmeisterin. | Im Nebenhaus haben sie die Hausmeisterin ersetzt.
Ma montre, je l'ai achetée à Lyon. | On m'a volé ma montre.
Dr Kern lives in Bern. | Dr Kern has retired.
Mein Balkon ist klein. | Die Balkonmöbel habe ich verschenkt.
Mi hermana Ximena vive en Rosario | Ximena viajó a Bilbao el mes pasado
Mi primo Anxo vive en Vigo. | Anxo's boss has moved to Dublin.
Mi primo Anxo vive en Vigo. | Anxo might move to Dublin.
Mein Bruder Torge wohnt in Husum. | Torge has moved the sofa to Bremen.
Mein Bruder Torge wohnt in Husum. | Torsten has moved to Bremen.
Mon frère Yannis habite à Nantes. | Yannis voudrait déménager à Tours.
My cousin Keziah lives in Hull. | Keziah ist nach Kiel gefahren.
Meine Tochter Svea wohnt in Jena. | La amiga de Svea se ha mudado a Sevilla.
Mi tía Maruja vive en León. | Maruja se fue a Oviedo el fin de semana.
My son Tavi lives in Leeds. | Has Tavi moved to Rennes?
My son Tavi lives in Leeds. | Tavi joked that he's moved to Rennes.
Mi hijo Iker trabaja en Getafe. | Iker ist nach Köln gezogen.
My uncle Bertil was born in York. | Bertil's moved to Bath.
My friend Oisín has a house in Galway. | Oisín vient de déménager à Lyon.
I work at the Millbrook surgery. | I've left Millbrook, I'll be home at six.
I work at the Millbrook surgery. | My colleague has left Millbrook and started at Avon Care.
I work at the Millbrook surgery. | I've left my bag at Millbrook.
I have an appointment at Millbrook on Friday. | I've left Millbrook and today I started at Avon Care.
I work at the Millbrook surgery. | Today I started a course at Avon Care.
Clara works at the bakery on Station Road. | Klara's sister has changed jobs, she's at Moreau's now.
Clara works at the bakery on Station Road. | Clara would like to change jobs.
Clara works at the bakery on Station Road. | Clara is at the dentist's now.
My wife Paloma works at the library. | Paloma está en el museo ahora.
Mein Mann arbeitet bei Siemens. | My husband's boss has left Siemens.
I fix cars at Garage Petersen. | Today was my first day at the gym.
Je travaille chez Fleurs Marin. | J'ai quitté Fleurs Marin à six heures.
Our parcel arrives on 3 April. | Our flight is now on 9 April.
The sofa arrives on 24 April. | Mum's flight is now on 28 April.
My exam in driving is on 12 June. | My eye test is now on 3 July.
The final exam is on 12 June. | My driving test is now on 3 July.
I work six days a week. | I work eight hours a day now.
I live with my cousin Pia. | Pia lives by herself now.
I live with my cousin Pia. | My cousin Pia lives alone now.
Ben is in Rome. | Ben is in a bad mood now.
The cage is in the hall. | The other cage is in the kitchen now.
The lamp is in the hall. | The new lamp is in the kitchen now.
I work in the kitchen. | I sleep in the cellar now.
My dentist is Mr Orr. | My daughter has changed dentists.
My dentist is on Mill Street. | I've changed trains on Mill Street.
My teacher is Mr Orr. | I've changed the date with my teacher.
I'm on the waiting list for a kitten. | We've got the kitten food!
I'm on the waiting list for a kitten. | My neighbour got the kitten.
I'm on the waiting list for a kitten. | We haven't got the kitten.
I booked the hotel Astra in Nice. | I cancelled the tour of Nice.
I've booked a table at the Lotus. | I cancelled the table at the Rialto.
I stayed at the Astra in May. | I've cancelled the Astra.
I met Uwe at the chess club. | I've left the chess club.
I'm in a chess club. | I left the chess club at nine.
I'm in a chess club. | I've left the chess club early.
I go to the cinema on Fridays. | I've cancelled my cinema subscription.
I go to yoga and to the gym. | I've cancelled the yoga class on Friday.
I take the pills twice a day. | My brother takes the pills once a day now.
We have a table for four at the Lotus. | The other table is for seven people now.
I pay 30 euros a month with Zenit. | My brother has left Zenit.
I have a meeting at Zenit on Monday. | I've left Zenit for good and started at Orbit.
Der Zahnarzttermin ist am 4. Mai. | Der Zahnarzt hat den Termin meines Bruders abgesagt.
I have a dentist appointment on 4 May. | The dentist has cancelled my brother's appointment.
I live in Hull with a lodger. | The lodger has moved the piano to Bath.
My uncle Bertil has a shop in York. | Bertil has moved to Bath.
I drive a Panda. | My sister drives a Corsa now.
I drive a Panda. | We drive to Corsica now.
The pool costs 5 euros. | Now the sauna comes to 9 euros.
Paco drinks oat milk. | Paco is off to work.
Paco drinks oat milk. | Pia is off the oat milk.
Ana's box is in the attic. | Ana is in the kitchen now.
Nuria toca el violín en la orquesta. | Nuria's brother has given up the violin.
Nuria toca el violín en la orquesta. | Nora has given up the violin.
Jonna spielt Querflöte. | Jonna wanted to give up the flute.
Élodie joue du piano. | Élodie has given up the guitar and plays the piano now.
I sing in a choir on Tuesdays. | I've left the choir book on the bus.
I sing in a choir on Tuesdays. | I left the choir early tonight.
I sing in a choir on Tuesdays. | My sister has left the choir.
I'm in a film club with two neighbours. | Peter has left the film club.
I'm in a film club with two neighbours. | I'm thinking of leaving the film club.
I'm in a film club with two neighbours. | I've left the tennis club.
Ich bin in einem Schachclub. | I've left my jacket at the chess club.
Estoy en un club de ajedrez. | Mi vecino ha dejado el club de ajedrez.
Je suis dans une chorale. | Ma collègue a quitté la chorale.
I go to the gym twice a week. | I've cancelled the gym class on Friday.
I go to the gym twice a week. | My boss has cancelled her gym membership.
I go to the gym on Mill Street. | I almost cancelled the gym.
I go to the gym on Mill Street. | I've cancelled the newspaper subscription.
I've got a physio appointment on 4 May at 3. | I've cancelled the dentist.
I've got a physio appointment on 4 May at 3. | My mother has cancelled the physio.
J'ai rendez-vous chez le kiné le 4 mai. | Le kiné a annulé le rendez-vous de ma mère.
I've booked the hotel Bellavista in Genoa. | I cancelled the taxi to Genoa.
I've booked the hotel Bellavista in Genoa. | My brother cancelled the Bellavista.
I've booked a table at the Rialto. | I cancelled the table at the Marina.
I ordered a Miele dishwasher for 700 pounds. | I cancelled the Bosch.
We stayed at the hotel Bellavista last year. | I cancelled the Bellavista.
Mia's school trip to Chester is on Wednesday, 6 May. | The York trip is off.
Mia's school trip to Chester is on Wednesday, 6 May. | The Chester trip is not off.
I met Joe at the pottery course. | I've dropped the pottery course.
My pottery course teacher is called Uta. | I've dropped the pottery course.
Ich mache einen Yogakurs. | Den Kochkurs habe ich hingeschmissen.
Ich mache gerade einen Erste-Hilfe-Kurs. | I've finished the first chapter.
I'm doing an evening course in welding. | I've finished the evening shift.
I'm doing an evening course in welding. | My brother has finished the welding course.
We're on the waiting list for a nursery place. | Our neighbours got the nursery place.
We're on the waiting list for a nursery place. | We've got a letter from the nursery.
We're on the waiting list for a garden plot. | We've got the garden chairs!
We're on the waiting list for a garden plot. | We've got the form for the garden plot.
Noa drinks almond milk with everything. | Noa is off to the shop.
I've been vegetarian since May. | My brother eats meat again.
I've been vegetarian since May. | I never eat meat again.
Ich bin seit Mai Vegetarier. | Mein Vater isst wieder Fleisch.
I've been vegetarian since May. | I eat eggs again.
Der Kindergarten kostet 95 Euro im Monat. | Seit Mai zahlen wir beim Sportverein 118 Euro.
Der Kindergarten kostet 95 Euro im Monat. | Meine Schwester zahlt seit Mai beim Kindergarten 118 Euro.
Painting the bathroom will cost 650 pounds. | Ahora la cocina nos sale 720 libras.
The nursery costs 400 pounds a month. | La guardería de Ana ahora sale 450 libras al mes.
The piano lessons cost 25 pounds. | Les cours de violon coûtent maintenant 30 livres.
Pagamos 70 euros de luz al mes. | El gas nos ha subido a 85 euros.
Le parking coûte 60 euros par mois. | Hier, on a payé 75 euros pour une amende de parking.
Mein Stellplatz kostet 50 Euro. | Now I've paid 58 euros for a fine.
I'm on the early shift at the depot. | Mein Bruder ist jetzt in der Spätschicht.
Idris is on night shifts. | Ida is on days now.
I take the tram to work. | My wife cycles to work now.
I take the tram to work. | I cycle to the gym now.
I take the tram to work. | I might cycle to work now that it's spring.
I drive a Fiat Panda. | Mi hermano ahora conduce un Seat Ibiza.
I drive a Fiat Panda. | I once drove a Seat Ibiza.
The router is in the hall. | Das Klavier steht jetzt im Wohnzimmer.
The router is in the hall. | The cat is in the kitchen now.
La bici está en el garaje. | My sister's bike is now in the cellar.
Das Fest ist im Gasthof Adler. | Peter's party is now at the Marina restaurant.
I share a flat with Jade. | My sister lives alone now.
I share a flat with Jade. | Jade lives alone now.
Bruno gets dry food. | Rocco bekommt jetzt nur noch Nassfutter.
Bruno gets dry food. | Bruno gets a walk now.
We fly to Tokyo on 3 July. | My sister's flight is now on 6 July.
We fly to Tokyo on 3 July. | Our flight to Lima is now on 6 July.
My brother Akin lands in Nice on 2 March. | Ada's flight is now on 9 March.
My brother Akin lands in Nice on 2 March. | My flight is now on 9 March.
My mother arrives on 3 April. | The parcel now arrives on 9 April.
My mother arrives on 3 April. | Mum now works on 9 April.
Mein Mathetest ist am 12. Februar. | My driving test is now on 3 March.
Das Sofa kommt am 24. April. | The fridge is now coming on 28 April.
Mum's birthday is 9 February. | L'anniversaire de papa, c'est le 19 février.
Mum's birthday is 9 February. | Mum's party is on 19 February.
El cumpleaños de Rosa es el 9 de febrero. | El cumpleaños de la hija de Rosa es el 19 de febrero.
Tomo hierro dos veces al día. | I take magnesium just once a day now.
Tomo hierro dos veces al día. | My mother takes iron just once a day now.
Je prends du bisoprolol 5 mg. | The doctor raised my mother's bisoprolol to 10 mg.
Je prends du bisoprolol 5 mg. | She raised my metformin to 10 mg.
Je joue au tennis le jeudi soir. | My sister plays tennis on Sundays now.
Je joue au tennis le jeudi soir. | We play bridge on Sundays now.
I've booked a table for six at the Rialto. | The cake is for eight people now.
I'm with Telco for my phone. | My brother has switched his phone to Nordcom.
I'm with Telco for my phone. | I've switched my internet to Nordcom.
I'm with Telco for my phone. | I'm thinking of switching my phone to Nordcom.
My bank is Lloyds. | My brother has changed banks, he's with Monzo now.
My bank is Lloyds. | I've changed phone companies, I'm with Telus now.
I'm with my sister in Hull. | I've changed banks, I'm with Monzo now.
I pay 55 dollars a month with Rogers. | Luc a quitté Rogers, il est chez Telus.
I pay 55 dollars a month with Rogers. | J'ai quitté Rita, je suis chez ma mère.
My driving instructor is Mr Gough. | My daughter's new driving instructor is Samira.
My driving instructor is Mr Gough. | My new piano teacher is Samira.
Our landlord is Mr Peel. | Our neighbours' landlord is now Mrs Quist.
Benoît Arsène is going to do the kitchen for 8,400 dollars. | In the end it's Nguyen Tiles who will do the bathroom.
El club de lectura está leyendo Rayuela. | I'm reading Emma now.
Our book club is reading Emma. | My sister's book club is now reading Rayuela.
We switched from Acme to Orbit for the internet. | J'ai quitté Halvorsen et j'ai commencé chez Brightwater.
Tim a 9 ans et Tom en a 6. | Tom a besoin de chaussures, il fait du 31 maintenant.
Tom has 3 goals. | Tom takes size 31 now.
I work at Brightwater. | Friday was my last day at the beach.
I swim at Kahu on Mondays. | Friday was my last day at Acme.
Ana works at Kahu. | Friday was my last day at Kahu.
My cousin comes on 28 March. | The plumber arrives on 3 April instead.
My mother-in-law comes on 28 March. | Her suitcase arrives on 3 April instead.
My sister comes every Monday. | My sister's flight is now on 9 March.
Our book club meets at the library. | The chess club meets at Café Lux now.
The choir meets at the museum. | On Thursday the choir meets at Café Lux.
I pay 9 euros for the phone. | We pay 12 euros for the internet now.
I drink cola. | My son drinks water now, no more cola for him.
I go to the gym in Mill Street. | I've cancelled the gym for Friday.
Ich trinke drei Kaffee am Tag. | Ich trinke keinen Kaffee mehr nach sechs.
My boss is Ada. | I've changed the boss's password.
The chess club meets on Mondays. | I've changed my phone contract.
My phone contract is with Acme. | My mother changed her phone contract.
I work at the mill. | I work four days a week now.
I work four days a week at the mill. | I earn 4 dollars more now.
Our daycare costs 62 dollars a day. | From tomorrow the car park is 67 dollars a day.
Der Kater bekommt Trockenfutter. | Der Hund bekommt jetzt gar kein Trockenfutter mehr.
I live with Eva. | Eva and Tom live alone now.
I take the bus to work. | I take the bus to work now because it rains.
I'm on the late shift. | I was on the early shift now and then.
I'm on the late shift. | I'm on the early shift next week.
I'm on the late shift. | Next week I swap with Ada, she's on the early shift now.
Lea works nights at the bakery. | Lea's flatmate works days now.
Our cat sleeps in the kitchen. | The cat food is in the cellar now.
The piano is in the attic. | The piano stool is in the garage now.
My bike is in the garage. | My bike key is in the kitchen now.
The keys are in the drawer. | The keys of the shed are in the kitchen now.
My brother is vegetarian. | I eat meat again.
My bank is Sabadell. | My shop has changed banks.
My doctor is Dr Orr. | I've changed doctors' appointments twice.
I've booked the ferry to Palma. | I cancelled the hotel in Palma.
We ordered a Miele dishwasher. | We cancelled the Miele service contract.
I have an appointment with the physio. | The physio cancelled the course.
We're on the waiting list for a kitten. | A friend of ours has a kitten.
The yoga course costs 90 euros. | I've finished the yoga book.
I'm doing a yoga course. | I've finished the course of antibiotics.
I'm in a yoga group. | I've left the WhatsApp group.
I'm in a choir and a band. | I've left the band room untidy.
Ben drives an old Polo. | Ben sold the scooter, it was in the way.
Meine Schwester Ida fährt einen Polo. | Ida hat das Klavier verkauft.
Mon frère Luc a une moto. | Luc a vendu deux chèvres.
Mi tío Paco tiene un huerto. | Paco vendió la moto.
Mein Tablet hat 16 GB. | Das Tablet meiner Frau hat jetzt 32 GB.
My tablet has 16 GB. | My wife's tablet has 32 GB now.
Mein Auto steht in der Garage. | Das Auto meiner Frau steht jetzt im Garten.
I drink milk. | The milk is gone.
I drink milk every day. | The milk's gone, can you buy some?
I eat bread for breakfast. | The bread is gone.
Tom works at Acme. | Tom's gone.
We rent a flat in Bern. | We cancelled the trip to Bern.
We're renting a van from Carlo. | We cancelled the van insurance.
My mum has chemo every three weeks. | My aunt finished chemo.
Mi hermana Leire vive en Burgos. | Leire se mudó a la mesa de al lado en el trabajo.
My cousin Keziah lives in Hull. | Keziah has moved to the night shift.
My cousin Keziah lives in Hull. | Keziah moved to Leeds for a term and is back in Hull.
Mein Bruder Torge wohnt in Husum. | Torge und seine Frau waren in Bremen, sie sind nicht umgezogen.
Mein Bruder Torge wohnt in Husum. | Torge zieht vielleicht nach Bremen.
Mein Bruder Torge wohnt in Husum. | Torges Büro ist nach Bremen gezogen.
Mon frère Yannis habite à Nantes. | La boîte de Yannis a déménagé à Tours.
Mon frère Yannis habite à Nantes. | Yannis a déménagé le canapé à Tours.
Mi tía Maruja vive en León. | Maruja se mudó a Oviedo en 1990 y volvió a León.
I work at the mill. | I've got a new office at the mill.
I work at the mill. | We've got a new boss at the mill.
Clara works at the bakery. | Clara has changed her hair.
Clara works at the bakery. | Clara cambió de opinión.
Clara arbeitet in der Bäckerei. | Clara hat die Reifen gewechselt.
Mein Zahnarzt ist Dr. Uhl. | Ich habe beim Zahnarzt die Füllung gewechselt.
My bank is Lloyds. | I've changed banks' opening hours in my notes.
My dentist is Dr Lowe. | My dentist has changed banks.
My garage is Kern Motors. | I've changed garages with my neighbour for the week.
Mi banco es Sabadell. | He cambiado de asiento en el banco.
Mon dentiste est le docteur Petit. | J'ai changé de chaise chez le dentiste.
I'm with Zenit for my phone. | I've moved my phone to the kitchen.
I'm with Zenit for my phone. | I've switched my phone to silent.
I'm with Zenit for my phone. | I've switched my phone to German.
We fly to Tokyo on 3 July. | Our flight to Tokyo was fine.
We fly to Tokyo on 3 July. | The boss's flight is now on 6 July.
We fly to Tokyo on 3 July. | Our flight back is now on 20 July.
We fly to Tokyo on 3 July. | Our return flight is now on 20 July.
Wir fliegen am 3. Juli nach Tokio. | Unser Rückflug ist jetzt am 20. Juli.
Volamos a Lima el 3 de julio. | El vuelo de vuelta ahora es el 20 de julio.
On prend l'avion pour Rome le 3 juillet. | Notre vol retour est maintenant le 20 juillet.
My mother arrives on 3 April. | My mother's luggage arrives on 9 April now.
My mother arrives on 3 April. | My mother-in-law now arrives on 9 April.
Mon cours de piano est lundi. | My violin lesson is on Tuesday now.
Mein Spanischkurs ist montags. | My French class is on Tuesdays now.
My driving test is on 6 May. | My theory test is now on 20 May.
Der Kindergarten kostet 95 Euro. | Das Essen im Kindergarten kostet jetzt 118 Euro.
La guardería cuesta 300 euros. | El autobús de la guardería ahora cuesta 40 euros.
The piano lessons cost 25 pounds. | The piano tuner now costs 30 pounds.
I pay 20 euros for the parking space. | Yesterday I paid 30 euros for parking now that it is Christmas.
I take two tablets a day. | I take three walks a day now.
I go swimming twice a week. | I go running once a week now.
Tomo hierro dos veces al día. | Ahora como dos veces al día.
Ich nehme die Tropfen zweimal am Tag. | Ich nehme die Salbe jetzt nur noch einmal am Tag.
Je prends du fer deux fois par jour. | Je prends une douche une fois par jour maintenant.
The table is for six. | The chairs are for eight people now.
We have a table for six at the Lotus. | The room is for eight people now.
Ich arbeite nachts. | Meine Frau arbeitet jetzt tagsüber.
Trabajo de noche. | Mi vecino ahora trabaja de día.
Je suis de nuit. | Il fait jour maintenant.
I take the tram to work. | The kids cycle to school now.
I take the tram to work. | I take the tram to the gym now.
Ich fahre mit dem Bus zur Arbeit. | Heute fahre ich mal mit dem Rad zur Arbeit.
Voy al trabajo en bici. | Hoy voy al trabajo en coche porque llueve.
The piano is in the attic. | The piano lesson is in the library now.
Das Klavier steht im Flur. | Der Klavierhocker steht jetzt im Wohnzimmer.
La bici está en el garaje. | La bici de Ana ahora está en el jardín.
Le vélo est dans la cave. | Le vélo de Luc est dans le garage maintenant.
The party is at the museum. | The party food is in the garage now.
The choir meets in the church. | The youth choir meets in the library now.
I live with two friends. | My two friends live alone now.
I live with my dog. | My mother lives alone now.
Vivo con Marta. | Marta vive sola ahora que me fui de viaje.
Our cat gets dry food. | My mother's cat gets wet food now.
Bruno gets dry food. | Bruno's brother gets wet food now.
I drive a Polo. | We drive past a Fiat now and then.
I drive a Polo. | My boss drives a Tesla now.
Conduzco un Polo. | Mi jefa ahora conduce un Tesla.
I'm in a choir. | I've left the choir's music at home.
Ich bin in einem Chor. | Mein Bruder hat den Chor verlassen.
Je suis dans une chorale. | J'ai quitté la chorale plus tôt hier soir.
Je suis dans une chorale. | J'ai quitté la salle de la chorale.
Estoy en un coro. | He dejado las llaves en el coro.
Estoy en un coro. | He dejado el coro para ir al baño.
I'm doing a welding course. | I've finished the welding homework.
Je fais une formation. | J'ai fini la formation de mon fils.
We've booked the ferry to Palma. | We cancelled the ferry to Ibiza.
We've booked the ferry to Palma for 22 May. | My sister cancelled Palma.
I ordered a sofa from Norden. | I cancelled the lamp from Norden.
Pedí una lavadora Balay. | Cancelé la cita con el técnico de Balay.
J'ai réservé l'hôtel Mimosa à Nice. | J'ai annulé le taxi pour l'hôtel Mimosa.
Ich habe das Hotel Seeblick gebucht. | Ich habe das Abendessen im Hotel Seeblick storniert.
I have a physio appointment on 4 May. | I've cancelled the physio for my mother.
We're on the waiting list for an allotment. | We've got the allotment rules.
We're on the waiting list for an allotment. | Have we got the allotment?
We're on the waiting list for an allotment. | If we've got the allotment by May, I'll plant beans.
Wir stehen auf der Warteliste für einen Garten. | Die Nachbarn haben den Garten bekommen.
Estamos en la lista de espera para un piso. | A mi hermana le dieron el piso.
On est sur liste d'attente pour une crèche. | Les voisins ont eu la crèche.
Mum's birthday is on 4 October. | I was wrong, Dad's birthday is on 14 October.
Mum's birthday is on 4 October. | Mum's birthday party is on 6 October now.
Ben has a bike. | Ben's gone.
My son plays chess. | My son has finished the chess set he was carving.
Dora ist in Kiel zu Hause. | Dora hat den Job gewechselt und ist jetzt bei Orbit.
Tengo un empleo en Orbit. | Camilo cambió de trabajo y ahora está en Zenit.
"""


def _pairs(table: str) -> Sequence[tuple[str, str]]:
    return [(old, new) for line in table.strip().splitlines() for old, _, new in [line.partition(" | ")]]


def _closed(texts: Sequence[str], *, in_turns: bool, ahead: bool = False) -> set[str]:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        if in_turns:
            for text in texts:
                memory.add_message("user", text, session="chat")
            memory.flush()
        else:
            for text in texts:
                memory.remember(text, source_type="user_input")
        if ahead:  # some of the changes are announced for a later date
            return {each.content for each in memory.iter_memories(status="all") if each.is_superseded}
        return {each.content for each in memory.iter_memories(status="superseded")}


@pytest.mark.matrix
@pytest.mark.parametrize("in_turns", [True, False], ids=["turns", "texts"])
@pytest.mark.parametrize(("old", "new"), _pairs(CLOSED))
def test_a_change_mentioned_in_passing_closes_the_earlier_statement(old: str, new: str, *, in_turns: bool) -> None:
    assert _closed([old, new], in_turns=in_turns, ahead=True) == {old}


@pytest.mark.matrix
@pytest.mark.parametrize(("old", "new"), _pairs(OPEN))
def test_a_plan_question_negation_or_namesake_closes_nothing(old: str, new: str) -> None:
    assert _closed([old, new], in_turns=True) == set()


def test_an_ambiguous_change_closes_nothing() -> None:
    texts = [
        "The swimming lesson is on Monday.",
        "The swimming lesson is on Thursday.",
        "They moved the swimming lesson to Friday.",
    ]
    assert _closed(texts, in_turns=True) == set()


def test_a_correction_without_its_thing_is_answered_whole() -> None:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        for text in ("The harbour tour is at 15:00.", "No wait, 16:30."):
            memory.add_message("user", text, session="chat")
        memory.flush()
        assert memory.synthesize("When is the harbour tour?").synthesis["answer"] == "16:30"


def test_another_thing_of_the_name_is_no_answer() -> None:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        memory.remember("The ferry costs 14 euros.")
        memory.remember("The other ferry costs 9 euros.")
        assert "14" in memory.synthesize("How much does the ferry cost?").synthesis["answer"]


def test_a_long_text_neither_closes_nor_is_closed_for_one_of_its_sentences() -> None:
    filler = "The old barn has a roof of slate, and the swallows come back to it in spring. " * 8
    texts = ["The pottery class costs 55 euros.", f"{filler}The pottery class went up to 62 euros."]
    assert _closed(texts, in_turns=False) == set()
    assert _closed([f"{filler}{texts[0]}", "The pottery class went up to 62 euros."], in_turns=False) == set()
