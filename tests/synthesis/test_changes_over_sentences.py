"""Changes stated in two sentences, without the name of what changes, or with a date from which the new value holds."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer
from tests.synthesis.test_replies_and_new_values import closed_by

CLOSED = """
My sister lives in Hull. | My sister and her husband have moved to York.
Emma lives in Hull. | Emma and Tom live in York now.
Emma wohnt in Celle. | Emma und Tom sind nach Ulm gezogen.
Emma habite à Nice. | Emma et Luc habitent à Lyon maintenant.
Emma vive en Lugo. | Emma y Luis se han mudado a Vigo.
Emma works at Bosch. | Emma and Tom work at Lidl now.
The triathlon is on 7 June. | They've put off the triathlon. It's on the 28th of June now.
The triathlon is on 7 June. | They've postponed the triathlon. It's now on the 28th of June.
The triathlon is on 7 June. | They've moved the triathlon. It's on 28 June now.
The triathlon is on 7 June. | The triathlon has been postponed. It's on 28 June now.
Der Triathlon ist am 7. Juni. | Sie haben den Triathlon verschoben. Er ist jetzt am 28. Juni.
El triatlón es el 7 de junio. | Han aplazado el triatlón. Ahora es el 28 de junio.
Le triathlon est le 7 juin. | Ils ont reporté le triathlon. C'est le 28 juin maintenant.
Mi dorsal es el 214. | Rectifico: mi dorsal es el 241.
Mi dorsal es el 214. | Me he equivocado, mi dorsal es el 241.
My bib number is 214. | I got that wrong, my bib number is 241.
My bib number is 214. | I have to correct myself: my bib number is 241.
My bib number is 214. | Correction: my bib number is 241.
Meine Startnummer ist 214. | Ich muss mich korrigieren, meine Startnummer ist 241.
Mon dossard est le 214. | Je rectifie : mon dossard est le 241.
Our stand-up is at nine every morning. | From today we have the stand-up at ten.
Our stand-up is at nine every morning. | From today the stand-up is at ten.
Our stand-up is at nine. | We have the stand-up at ten now.
Unser Stand-up ist um neun. | Ab heute machen wir das Stand-up um zehn.
We rehearse on Tuesdays. | From next week we rehearse on Thursdays.
Wir proben dienstags. | Ab nächster Woche proben wir donnerstags.
Our office is in Castle Street. | We've moved into a new office in Dock Road.
Our rent is 720 euros. | They've put up the rent. It's 760 euros now.
The match is at ten. | They've moved the match. Now it's half past ten.
The front door code is 3906. | They changed the front door code. It's 5172 now.
Le code de l'immeuble est 3906. | Ils ont changé le code de l'immeuble. C'est 5172 maintenant.
We rehearse on Tuesdays. | We rehearse on Thursdays now.
We rehearse on Tuesdays. | We rehearse on Thursdays from next week.
We rehearse on Tuesdays. | From now on we rehearse on Thursdays.
We rehearse on Tuesdays. | Now we rehearse on Thursdays.
We rehearse on Tuesdays. | From May we rehearse on Thursdays.
I swim on Mondays. | From next week I swim on Fridays.
Choir is on Tuesdays. | From next week choir is on Thursdays.
The stand-up is at nine. | From today the stand-up is at ten.
The stand-up is at nine. | The stand-up is at ten from today.
The stand-up is at nine. | Starting tomorrow, the stand-up is at ten.
Mum's birthday is on 8 May. | I made a mistake about Mum's birthday. It's on 9 May.
Mum's birthday is on 8 May. | I made a mistake about Mum's birthday. It's on 9 May, the 8th is my aunt Joyce.
Orla's wedding is on 11 July. | I told you the wrong date for Orla's wedding. It's on 18 July.
Orla's wedding is on 11 July. | I gave you the wrong date for Orla's wedding. It's 18 July.
My flight is at 9:15. | I got the time of my flight wrong. It's at 9:45.
Der Geburtstag meiner Mutter ist am 8. Mai. | Ich habe mich beim Geburtstag meiner Mutter geirrt. Er ist am 9. Mai.
Oskars Hochzeit ist am 11. Juli. | Ich habe mich mit Oskars Hochzeit vertan. Sie ist am 18. Juli.
La boda de Ana es el 11 de julio. | Te dije mal la fecha de la boda de Ana. Es el 18 de julio.
Le mariage d'Ana est le 11 juillet. | Je me suis trompé pour le mariage d'Ana. C'est le 18 juillet.
The triathlon is on 7 June. | They've postponed the triathlon. It's on 28 June.
My brother is an electrician. | My brother has a new job. He's a bus driver now.
I'm an electrician. | I'm a bus driver now.
Our rent is 720 euros a month. | The landlord has put up the rent. From May we pay 760 euros.
Our rent is 720 euros a month. | El casero nos ha subido el alquiler. Desde mayo pagamos 760 euros.
Unsere Miete ist 720 Euro. | Der Vermieter hat die Miete erhöht. Ab Mai zahlen wir 760 Euro.
Notre loyer est de 720 euros. | Le propriétaire a augmenté le loyer. Depuis mai on paie 760 euros.
I earn 14 euros an hour. | I earn 15 euros an hour now.
I have a dentist appointment on 14 April. | The dentist called. They moved me to 21 April at 8:15.
Bruno's teacher is called Maite. | Bruno has a new teacher called Ruben.
My boss is called Maite. | I have a new boss called Ruben.
La profesora de Bruno se llama Maite. | Bruno tiene ahora un profesor que se llama Rubén.
Brunos Lehrerin heißt Maite. | Bruno hat jetzt einen neuen Lehrer, der Ruben heißt.
At the clinic we charge 38 euros a session. | At the clinic we charge 42 euros a session now.
Ich fange morgens um acht an. | Ab heute fange ich um sieben an.
I start work at eight. | From today I start work at seven.
I start work at eight. | Ab heute fange ich um sieben an.
We're going to Ribe in August. | We've cancelled Ribe. We're going to Texel instead.
My sister lives in Hull. | My sister has moved. She lives in York now.
Orla is getting married on 11 July. | I told you the wrong date for Orla's wedding. It's on 18 July.
The code for the front door of our building is 3906. | They changed the front door code. It's 5172 now.
Nuestro alquiler es de 720 euros. | El casero nos ha subido el alquiler. Desde mayo pagamos 760 euros.
I've signed up for an osteopathy course in Hull. | The osteopathy course was cancelled.
Mon frère travaille chez Acme. | Mon frère travaille chez Bosch depuis la semaine dernière.
Mein Bruder arbeitet bei Acme. | Seit dem 3. Mai arbeitet mein Bruder bei Bosch.
Mi hermano trabaja en Acme. | Desde el sábado mi hermano trabaja en Bosch.
My brother works at Acme. | Since the first of May my brother has been working at Bosch.
I have a dentist appointment on 14 April. | The dentist is ill. They moved me to 21 April.
Meine Schwester wohnt in Bremen. | Meine Schwester ist umgezogen. Sie wohnt jetzt in Flensburg.
My mother-in-law Solange lives in Angers. | Solange a déménagé. Elle habite à Vannes maintenant.
Solange lives in Angers. | Solange has moved. She lives in Vannes now.
My boss is called Mrs Drewes. | I have a new boss now. His name is Mr Kalthoff.
Mi jefe se llama Paco. | Tengo un jefe nuevo. Se llama Rubén.
Nadège's number is 07700 900431. | Nadège has a new number. It's 07700 900862.
Desmond is a bus driver. | Desmond has a new job. He's a postman now.
I signed up for the accounting exam. It's on 17 April in Hanover. | My exam was moved. It's on 18 September now.
I signed up for the accounting exam. It's on 17 April. | The accounting exam was moved to 18 September.
My exam is on 17 April. | My exam was moved. It's on 18 September now.
Die Garage kostet 55 Euro im Monat. | Die Garage ist teurer geworden. Sie kostet jetzt 65 Euro im Monat.
My extension at work is 214. | I have a new office. My extension is 238 now.
My son Lasse is training as an electrician. | Lasse has given up his training. He works at a nursery now.
Wir trainieren immer dienstags um 19 Uhr. | Wir trainieren ab jetzt immer donnerstags.
My sister Anna lives in Bremen. | My sister lives in York now.
My sister Wiebke lives in Bremen. | My sister has moved to York.
Meine Schwester Wiebke wohnt in Bremen. | Meine Schwester ist nach Ulm gezogen.
Mi hermana Uxía vive en Lugo. | Mi hermana se ha mudado a Vigo.
Ma sœur Maëlle habite à Brest. | Ma sœur a déménagé à Lyon.
My brother Ben works at Acme. | My brother works at Bosch now.
"""
KEPT = """
Emma et Luc habitent à Lyon maintenant. | Emma habite à Nice.
Emma lives in Hull. | Tom's sister and Emma's friend live in York now.
The match is at ten. | I've changed my mind about the match. Now it's half past ten.
The exam is at ten. | They've moved the match. Now it's half past ten.
The party is on 3 May. | I made a mistake about Mum's birthday. It's on 9 May.
The desk is 2 metres long. | They moved the desk. It's in the hall.
Our rent is 720 euros a month. | The gym has put up its fees. We pay 30 euros now.
Our rent is 720 euros a month. | The rent went up. I pay Tom 30 euros for the bike.
I get 14 euros an hour. | I get 15 euros a day from Tom now.
My account number is 12345678. | My new number is 0157 3302 884.
My brother has a dog called Rex. | My brother has a new dog called Ben.
Ahora voy al trabajo en bici eléctrica. | Tengo trabajo nuevo.
I go to work by e-bike now. | I have a new job.
Nuria from reception pays 810 now. | Desde mayo pagamos 760 euros.
Nuria from reception pays 810 euros rent now. | From May we pay 760 euros.
I've been at Acme since 2019. | I've been unwell since yesterday.
Ich arbeite bei Acme. | Seit gestern bin ich krank.
J'habite à Lyon. | Depuis lundi je suis à Nice pour le travail.
I work as a nurse. | I'm also a yoga teacher now.
Our front door code is 3906. | They changed the gym code. It's 5172 now.
My sister Anna lives in Bremen. | My sister in law has moved to York.
My sister Anna lives in Bremen. | Tom's sister has moved to York.
My sister Anna lives in Bremen. My sister Eva is a nurse. | My sister has moved to York.
Ottokar has a new number, it ends in 5512. | Die neue endet auf 9036.
They plan to move at the end of the month, with two rabbits. | Die neue endet auf 9036.
My friend Anna lives in Bremen. | My friend has moved to York.
My colleague Anna lives in Bremen. | A colleague has moved to York.
My colleague Anna lives in Bremen. | My colleague has moved to York.
My neighbour Anna works at Bosch. | My neighbour works at Lidl now.
Mein Freund Jan wohnt in Ulm. | Ein Freund ist nach Bonn gezogen.
Mi amiga Uxía vive en Lugo. | Mi amiga se ha mudado a Vigo.
Our rent is 720 euros. | The landlord put up the rent. We went to a bistro. We paid 60 euros.
Our rent is 720 euros. | The landlord put up the rent. At the bistro we paid 60 euros.
Our rent is 720 euros. | The landlord wants to put up the rent. We pay 60 euros for the bus.
The race is on 3 May. | They postponed the race. My birthday is on 9 May.
The race is on 3 May. | They postponed the race. We had lunch. It was 12 o'clock.
The race is on 3 May. | They postponed the race. It's raining, 12 degrees.
Nora's number is 4471. | Ben has a new number. It's 9036.
My boss is called Ada. | Ben has a new boss. His name is Otto.
My boss is called Ada. | Ben has a new boss called Otto.
I'm a nurse. | My sister is a teacher now.
I'm a nurse. | I'm a mother now.
My sister lives in Hull. | Emma rang. Since Monday she lives in York.
I work at Acme. | Ben works at Bosch since yesterday.
The front door code is 3906. | They changed the front door code at the office. It's 5172 now.
Mum's birthday is on 8 May. | I made a mistake about Dad's birthday. It's on 9 May.
"""
ANSWERED = """
We were thinking about moving to York. But we won't do it, we're staying in Hull. | Are we moving to York? | No
I was thinking of applying for the deputy job. But I've decided not to. | Am I applying for the deputy job? | No
We wanted to buy a camper van. We've dropped the idea. | Did we buy a camper van? | No
We thought about getting a second cat. We decided against it. | Are we getting a second cat? | No
Wir wollten nach Ulm ziehen. Das haben wir uns anders überlegt. | Ziehen wir nach Ulm? | Nein
On voulait acheter un camping-car. On a laissé tomber. | Est-ce qu'on a acheté un camping-car ? | Non
I wanted to learn Greek. I decided against the evening class. | Where do I live? |
I have a dentist appointment with Dr Nolte on 14 April. | Who is my dentist? | Dr Nolte
I'm seeing my physio, Priya, on Monday. | Who's my physio? | Priya
Ich habe am 14. April einen Zahnarzttermin bei Dr. Nolte. | Wie heißt mein Zahnarzt? | Dr. Nolte
Tengo cita con mi dentista, el Dr. Soler. | ¿Cómo se llama mi dentista? | Dr. Soler
Ich war beim Zahnarzt, bei Dr. Nolte. | Wie heißt mein Zahnarzt? | Dr. Nolte
Ben has a dentist appointment with Dr Nolte. | Who is my dentist? |
I have a job interview with Dr Nolte. | Who is my dentist? |
I have a dentist appointment with Ben on Monday. | Who is my dentist? |
We also have a dog, Canela. | What is our dog called? | Canela
I have a cat, Biscuit. | What's my cat called? | Biscuit
Tenemos una perra, Canela. | ¿Cómo se llama nuestra perra? | Canela
Wir haben einen Hund, Bello. | Wie heißt unser Hund? | Bello
Nous avons un chien, Rex. | Comment s'appelle notre chien ? | Rex
My sister has a dog, Rex. | What is my dog called? |
Tom says I'm allergic to work. | What am I allergic to? |
My boss says I'm lazy. | Am I lazy? |
Der Arzt sagt, ich bin gegen Primeln allergisch. | Wogegen bin ich allergisch? | Primeln
Mutti heißt Irmtraud. | Wie heißt meine Mutter? | Irmtraud
Mutti wird am 9. Mai 85. | Wann hat meine Mutter Geburtstag? | 9. Mai
Mutti wohnt in Zittau. | Wo wohnt meine Mutter? | Zittau
Mum lives in Hull. | Where does my mother live? | Hull
Maman habite à Lyon. | Où habite ma mère ? | Lyon
Dad turns 70 on 9 May. | When is my dad's birthday? | 9 May
Papa wird am 9. Mai 70. | Wann hat mein Vater Geburtstag? | 9. Mai
Ich hab mir beim Kochen die linke Hand verbrannt. | Welche Hand habe ich mir verbrannt? | die linke Hand
I burnt my left hand. | Which hand did I burn? | left hand
Für den alten Octavia habe ich noch 2.300 Euro bekommen. | Was für ein Auto habe ich? |
I got 2,300 euros for the old Octavia. | What car do I have? |
I paid 9,000 euros for my Octavia. | What car do I have? |
Ich fahre einen Toyota Yaris. | Was für ein Auto habe ich? | Toyota Yaris
The stocktaking at work is on 24 July. | Ab wann muss ich morgens bei der Arbeit sein? |
The stocktaking at work is on 24 July. | When do I have to be at work? |
The stocktaking at work is on 24 July. | What time do I have to be at work? |
I get 14 euros an hour at the garden centre. | How much do I earn? | 14 euros
I get paid 14 euros an hour. | How much do I earn per hour? | 14 euros
I get 14 euros pocket money. | How much do I earn? |
My brother gets 14 euros an hour. | How much do I earn? |
Ich bekomme 15 Euro die Stunde. | Wie viel verdiene ich? | 15 Euro
Me pagan 15 euros la hora. | ¿Cuánto gano por hora? | 15 euros
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", CLOSED.strip().splitlines())
def test_the_earlier_statement_is_closed(row: str) -> None:
    old, new = row.split(" | ")
    assert [each for each in closed_by(old, new) if not each.metadata.get("is_summary")]


@pytest.mark.matrix
@pytest.mark.parametrize("row", KEPT.strip().splitlines())
def test_what_concerns_another_thing_closes_nothing(row: str) -> None:
    old, new = row.split(" | ")
    assert not [each for each in closed_by(old, new) if not each.metadata.get("is_summary")]


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_a_dropped_plan_a_named_practitioner_and_what_was_sold_answer(row: str) -> None:
    turns, question, expected = (part.strip() for part in row.split("|"))
    assert answer(turns, question) == expected
