"""Done, ended and planned actions, one of several values, German enumerations, and recipients of a service."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

ANSWERED = """
I paid the water bill. | Did I pay the water bill? | Yes
I cancelled the gym membership. | Did I cancel the gym membership? | Yes
I quit the choir. | Did I quit the choir? | Yes
I quit the choir. | Am I in the choir? | No
I didn't quit the choir. | Did I quit the choir? | No
Ben stopped smoking. | Did Ben stop smoking? | Yes
Ben stopped smoking. | Does Ben smoke? | No
We gave up the allotment. | Did we give up the allotment? | Yes
The meeting is cancelled. | Is the meeting cancelled? | Yes
Ich habe die Mitgliedschaft gekündigt. | Habe ich die Mitgliedschaft gekündigt? | Ja
J'ai annulé l'abonnement. | Est-ce que j'ai annulé l'abonnement ? | Oui
The Skoda passed its MOT, but it needs new tyres. | Did the Skoda pass its MOT? | Yes
Vera passed the Juniper project on to Max. | Who leads the Juniper project? | Max
The bakery is closed on Sundays. | When is the bakery closed? | Sundays
The bakery closes at six. | When does the bakery close? | six
My pet is a hamster. | Which pet do I have? | hamster
Ich muss Milch und Kerzen kaufen. | Was muss ich kaufen? | Milch und Kerzen
Lena kann Klavier und Geige spielen. | Was kann Lena spielen? | Klavier und Geige
Wir haben Ana und Ben getroffen. | Wen haben wir getroffen? | Ana und Ben
I met Tom and Eva in Rome. | Who did I meet in Rome? | Tom and Eva
I met Tom in Oslo and Eva in Rome. | Who did I meet in Oslo? | Tom
Ben ist gegen Nüsse allergisch. | Darf Ben Nüsse essen? | Nein
Ben kauft sein Brot bei Müller. | Wo kauft Ben Brot? | Müller
Ich habe am Freitagnachmittag Yoga. | Wann habe ich Yoga? | Freitagnachmittag
My brother Gwendal is a pastry chef in Nantes. | What does my brother do? | pastry chef
Nahia's swimming coach is called Madame Kervadec. | Who is Nahia's swimming coach? | Madame Kervadec
My GP is Dr Ljung at the Station Street surgery. | Who is Dr Ljung? | My GP
Parveen runs the perry project. / Tolliver runs the perry project now. | Who runs the perry project? | Tolliver
The concert is on 16 May. / Sorry, I got that wrong, the concert is on 23 May. | When is the concert? | 23 May
The fair is on 20 June, no, on 27 June. | When is the fair? | 27 June
I have four beehives, no, five beehives. | How many beehives do I have? | five
I'm allergic to cashews. | Is it okay for me to eat cashews? | No
I report to Tobias Lund. | Who am I reporting to? | Tobias Lund
I hurt my left knee, I mean my right knee. | Which knee did I hurt? | right knee
The code is 4471. / My boss is Oona Mac. / They changed the code, it is 8026 now. | What is the code? | 8026
I drive a Mazda 3. / I take a 100 mg iron tablet every day. | What car do I drive? | Mazda
Ich fahre einen Skoda Roomster. / Der Stellplatz für das Auto kostet 55 Euro. | Welches Auto fahre ich? | Skoda
My class is on Tuesdays. / My class moved to Thursdays. | When was my class before? | Tuesdays
Das Harmonium steht bei meinem Onkel Otto in der Scheune. | Wo steht das Harmonium? | Scheune
The wifi password at the new house is puffin-kelp-38. | What is the wifi password at the new house? | puffin-kelp-38
Ich trinke keinen Kaffee, nur Rooibos. | Trinke ich Kaffee? | Nein
Ruadhan ist allergisch gegen Haselnüsse. | Is Ruadhan allergic to hazelnuts? | Yes
Ana hat am Montag Yoga. / Anas Yoga ist jetzt immer am Freitag. | Wann hat Ana Yoga? | Freitag
The lift is up. / The lift is down. | Is the lift up? | No
The lift is up. / The lift is down. | Is the lift down? | Yes
The parcel room is in range. / The parcel room is out of range. | Is the parcel room in range? | No
Der Pass ist befahrbar. / Der Pass ist gesperrt. | Ist der Pass befahrbar? | Nein
Die Kegelbahn ist in Betrieb. / Die Kegelbahn ist außer Betrieb. | Ist die Kegelbahn in Betrieb? | Nein
El horno está limpio. / El horno está sucio. | ¿Está limpio el horno? | No
La borne est en ligne. / La borne est en panne. | Est-ce que la borne est en ligne ? | Non
The castle is free. / The castle costs 7 euros. | Is the castle free? | No
Petra is pregnant. / Petra gave birth to a boy. | Is Petra pregnant? | No
Ruth is employed at Lumen. / Ruth is unemployed. | Is Ruth employed at Lumen? | No
Ruth married Otto in 2011 and divorced him in 2019. | Is Ruth married to Otto? | No
Ruth hat 2011 Otto geheiratet. / Ruth hat sich 2019 von Otto scheiden lassen. | Ist Ruth mit Otto verheiratet? | Nein
The lamp is off. | Is the lamp off? | Yes
Offline sync is out of scope. | Is offline sync out of scope? | Yes
I ate 2 pears on Monday. / I ate 4 pears on Tuesday. | How many pears did I eat? | 6
I swam 2 km on Monday. / I swam 3 km on Friday. | How far did I swim? | 5 km
Ich habe im Mai 2 Romane gelesen. / Ich habe im Juni 4 Romane gelesen. | Wie viele Romane habe ich gelesen? | 6
I own a canoe. / I own a harp. / I own a kite. | What do I own? | canoe, harp, kite
Ich besitze ein Kanu. / Ich besitze eine Harfe. | Was besitze ich? | Kanu, Harfe
Petra works on Kestrel. / Ruth works on Kestrel. | Who works on Kestrel? | Petra, Ruth
Petra trabaja en Kestrel. / Ruth trabaja en Kestrel. | ¿Quién trabaja en Kestrel? | Petra, Ruth
Petra utilise Figma. / Ruth utilise Figma. | Qui utilise Figma ? | Petra, Ruth
My dentist is Dr. med. Olga Stern. | Who is my dentist? | Dr. med. Olga Stern
The fair is on the fifth of May 2026. | When is the fair? | 5 May 2026
Die Messe ist am zweiten Mai 2026. | Wann ist die Messe? | 2. Mai 2026
La foire est le premier mai 2026. | Quand est la foire ? | 1er mai 2026
La feria es el primero de mayo de 2026. | ¿Cuándo es la feria? | 1 de mayo de 2026
Otto is faster than Ruth. | Is Otto faster than Ruth? | Yes
Otto es más rápido que Ruth. | ¿Es Otto más rápido que Ruth? | Sí
Otto est plus rapide que Ruth. | Otto est-il plus rapide que Ruth ? | Oui
I moved from Bergen to Oslo. | Where did I move from? | Bergen
Atlas uses Redis. / Atlas is written in Rust. | Summarise Atlas | Atlas uses Redis. Atlas is written in Rust.
"""

UNANSWERED = """
I must pay the water bill. | Did I pay the water bill?
I must pay the water bill. | Is the water bill paid?
I have to book the ferry. | Did I book the ferry?
Ich muss die Rechnung bezahlen. | Habe ich die Rechnung bezahlt?
Je dois payer la facture. | Est-ce que j'ai payé la facture ?
Tengo que pagar la factura. | ¿He pagado la factura?
The bakery is closed on Sundays. | When does the bakery close?
Die Bäckerei ist sonntags geschlossen. | Wann schließt die Bäckerei?
La panadería está cerrada los domingos. | ¿Cuándo cierra la panadería?
La boulangerie est fermée le dimanche. | Quand ferme la boulangerie ?
My phone is broken. | Which phone do I have?
Mein Handy ist kaputt. | Welches Handy habe ich?
Our wifi password is on the inside of the larder door. | What is our wifi password?
The Skoda passed its MOT. | Who owns the MOT?
Wendeline waters my tomatoes. | What is my favourite food?
The drawer is locked. / The drawer is unlocked. | Is the drawer locked?
The valve is unsealed. / The valve is repaired. | Is the valve unsealed?
The lights are green. / The lights are red. | Are the lights green?
Petra is in hospital. / Petra is back home. | Is Petra in hospital?
I'm vegetarian. / I'm vegan now. | Am I vegetarian?
The heater isn't off. | Is the heater on?
Ruth was married to Otto. | Is Ruth married to Otto?
Our spring turnover was 3 million euros. | What was our spring profit?
Our Q2 turnover was 3 million euros. | What was our Q2 profit?
Ruth's rent is 700 euros. | How much does Ruth earn?
Die Miete von Ruth beträgt 700 Euro. | Wie viel verdient Ruth?
Otto earns 3,000 euros. | How much does Otto spend?
Otto gana 3.000 euros. | ¿Cuánto paga Otto de alquiler?
Otto gagne 3 000 euros. | Combien Otto paie-t-il de loyer ?
The mast is 30 m high. | How old is the mast?
The ferry docks at 5 pm. | When does the ferry set off?
I bought 3 shrubs. / I bought 5 shrubs. | How many shrubs did I buy?
We heard a live concert in Bergen. | Where do I live?
The trio played live in Bergen. | Where does the trio live?
I live for chess in Bergen. | Where do I live?
Ich lebe für die Kunst in Bergen. | Wo lebe ich?
The twins live in fear. | Where do the twins live?
I work out in Bergen every morning. | Where do I work?
The stall is at approx. 3 p.m. | Where is the stall?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert expected in answer(turns, question)


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_unstated_facts_are_not_answered(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""
