"""Plainly stated facts are answered in other words, and what only resembles an answer is none."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

ANSWERED = """
The hall costs 240 euros. / Sorry, I said the hall costs 240 euros. It's 260. | How much is the hall? | 260
El curso cuesta 80 euros. / Perdón, dije que el curso cuesta 80 euros; son 90. | ¿Cuánto cuesta el curso? | 90
The race is on 2 May. / The race has been postponed to 9 May. | To which date was the race postponed? | 9 May
Our app is called Bluefin. / The app has been renamed. It is called Kite now. | What is our app called? | Kite
Ana was born in 2016. / Ana's birthday is on 2 June. | In which year was Ana born? | 2016
The server is called dachs. Its IP address is 10.2.4.9. | What is the IP address of the server? | 10.2.4.9
Seit heute kostet die Werkstatt 735 Euro Miete im Monat. | Wie hoch ist jetzt die Miete für meine Werkstatt? | 735 Euro
We live in Linz, in a flat on the second floor. / We moved to Bern last week. | Where did we live before? | Linz
Jonas is allergic to hazelnuts. / Lioba is allergic to eggs. | Who has an allergy? | Jonas, Lioba
Die Miete für das Haus beträgt 1.620 Euro im Monat. | Wie viel Miete zahlen wir für das Haus? | 1.620 Euro
I sold my old kiln to Birgit on 6 February for 900 euros. | How much money did I get for my old kiln? | 900 euros
I sold my old kiln to Birgit on 6 February for 900 euros. | Who bought my old kiln? | Birgit
My sister Rasa is engaged to a sailor called Darius. | Who is my sister engaged to? | Darius
Fatoumata Diarra now leads the test team. | Who leads the test team now? | Fatoumata Diarra
La bibliothèque ferme maintenant à 20 h en semaine. | À quelle heure ferme la bibliothèque en semaine ? | 20 h
I work at Marlow Ferries. / I have a new job. I work at Kestrel now. | Where did I work before Kestrel? | Marlow Ferries
Wanja tiene nueve años y cumple diez el 17 de abril. | ¿Cuándo cumple años Wanja? | 17 de abril
I lent my drill to Bo. / Bo me devolvió ayer la taladradora. | Does Bo still have my drill? | No
Kamau moved to Rotterdam last month. He still drives a delivery van. | Does Kamau still drive a delivery van? | Yes
We sold the Skoda on 6 May for 3,900 euros. | How much money did we get for the Skoda? | 3,900 euros
Nyambura is expecting a baby in November. | In which month is Nyambura's baby due? | November 2026
Die Weihnachtsfeier der Firma ist am 18. Dezember im Restaurant Kombüse. | Wann ist die Weihnachtsfeier? | 18. Dezember
Wiebke ist seit dem 20. Oktober in Elternzeit. | Ist Wiebke in Elternzeit? | Ja
The rent for our new flat is 1,180 euros a month. | What is the rent of our new flat? | 1,180 euros
I sold my old kiln to Birgit on 6 February for 900 euros. | When did I sell my old kiln? | 6 February
I sold my old kiln to Birgit on 6 February for 900 euros. | Who did I sell my old kiln to? | Birgit
Our app is called Bluefin. / The app has been renamed. It's now called Harbour. | What is our app called? | Harbour
La bibliothèque de ma rue ferme maintenant à 20 h en semaine. | À quelle heure ferme la bibliothèque de ma rue ? | 20 h
La bibliothèque ferme à 20 h en semaine. | À quelle heure ferme la bibliothèque en semaine ? | 20 h
La bibliothèque ferme à 20 h. | À quelle heure ferme la bibliothèque ? | 20 h
I lent my drill to Bo. / Bo gave my drill back yesterday. | Does Bo still have my drill? | No
I lent my drill to Bo. / Bo returned the drill yesterday. | Does Bo still have my drill? | No
Wanja's party is on 18 April. / We have moved Wanja's party to 25 April. | On which date was Wanja's party? | 25 April
Nyambura is expecting a baby in November. | When is Nyambura's baby due? | November 2026
Die Weihnachtsfeier ist am 18. Dezember. | Wann ist die Weihnachtsfeier? | 18. Dezember
Die Weihnachtsfeier der Firma ist am 18. Dezember. | Wann ist die Weihnachtsfeier der Firma? | 18. Dezember
Die Weihnachtsfeier der Firma ist am 18. Dezember. | Wann ist unsere Weihnachtsfeier? | 18. Dezember
The office party is on 18 December. | When is the party? | 18 December
The party at the office is on 18 December. | When is the party? | 18 December
Wiebke ist in Elternzeit. | Ist Wiebke in Elternzeit? | Ja
Wiebke is on parental leave. | Is Wiebke on parental leave? | Yes
Wiebke has been on parental leave since 20 October. | Is Wiebke on parental leave? | Yes
The rent for our new flat is 1,180 euros a month. | How much is the rent for our new flat? | 1,180 euros
The rent for our new flat is 1,180 euros a month. | How much rent do we pay for our new flat? | 1,180 euros
Die Miete für das Haus beträgt 1.620 Euro im Monat. | Wie hoch ist die Miete für das Haus? | 1.620 Euro
The backup server has a new address, 192.168.20.40. | What is the address of the backup server? | 192.168.20.40
The backup server has the address 192.168.20.40. | What is the address of the backup server? | 192.168.20.40
Der Töpfermarkt in Staufen findet am 20. Juni statt. | Wann ist der Töpfermarkt in Staufen? | 20. Juni
Der Töpfermarkt in Staufen ist am 20. Juni. | Wann findet der Töpfermarkt in Staufen statt? | 20. Juni
I am going to Faenza in August. / I have cancelled my trip to Faenza. | Am I still going to Faenza? | No
We are flying to Rome in May. / We cancelled the trip to Rome. | Are we still flying to Rome? | No
Jonas is allergic to hazelnuts. / Lioba is allergic to eggs. | Who is allergic to something? | Jonas, Lioba
Jonas is allergic to hazelnuts. / Lioba is allergic to eggs. | Who is allergic to eggs? | Lioba
Our project is called Kite. / The project is now called Lark instead of Kite. | What is our project called now? | Lark
My boat is called Molly. / I renamed my boat Daisy. | What is my boat called? | Daisy
My boat is called Molly. / I have renamed the boat to Daisy. | What is my boat called? | Daisy
My boat is called Molly. / My boat is now called Daisy. | What is my boat called? | Daisy
Mein Boot heißt Molly. / Mein Boot heißt jetzt Daisy. | Wie heißt mein Boot? | Daisy
Mein Boot heißt Molly. / Wir haben das Boot in Daisy umbenannt. | Wie heißt mein Boot? | Daisy
Mein Boot heißt Molly. / Das Boot wurde umbenannt. Es heißt jetzt Daisy. | Wie heißt mein Boot? | Daisy
Mon bateau s'appelle Molly. / Le bateau a été rebaptisé Daisy. | Comment s'appelle mon bateau ? | Daisy
Mi barco se llama Molly. / Hemos cambiado el nombre del barco a Daisy. | ¿Cómo se llama mi barco? | Daisy
Takumi leads the Kiebitz project. / The Kiebitz project has been renamed to Lerche. | Who leads Kiebitz? | Takumi
Notre café s'appelle Molino. / On a rebaptisé le café Faro. | Comment s'appelle notre café ? | Faro
Our café is called Molino. / We have changed the name of the café to Faro. | What's our café called? | Faro
Jonas ist gegen Haselnüsse allergisch. / Lioba ist allergisch gegen Eier. | Wer hat alles eine Allergie? | Jonas, Lioba
Marta es alérgica a los huevos. / Luis es alérgico al polen. | ¿Quién tiene alergia al polen? | Luis
Das Budget von Biber ist auf 96'000 Franken erhöht worden. | Wie hoch ist das Budget von Biber? | 96'000 Franken
The budget of Biber is 85'000 francs. | What is the budget of Biber? | 85'000 francs
The repair of the forklift cost 620,000 pesos. | How much did the repair of the forklift cost? | 620,000 pesos
The repair of our big boat cost 185,000 CFA francs. | How much did the repair of the boat cost? | 185,000 CFA francs
The rent for the new flat is 410,000 CFA francs a month. | How much rent do I pay now? | 410,000 CFA francs
The sofa cost 9,000 rupees. | How much did the sofa cost? | 9,000 rupees
The deadline for Otter has been moved from 30 April to 29 May. | What is the deadline for Otter? | 29 May
I lent my drill to Bogdan. / Bogdan gave me back the drill yesterday. | Has Bogdan given my drill back? | Yes
I lent my headphones to Tuan. / Tuan has given me back my headphones. | Has Tuan given my headphones back? | Yes
I lent my headphones to Tuan. / Tuan has given me back my headphones. | Does Tuan still have my headphones? | No
I lent my drill to Thiago. / Thiago brought my drill back yesterday. | Does Thiago still have my drill? | No
My sister Chioma is a dentist in Rotterdam. | Is my sister Chioma a dentist? | Yes
My sister Chioma is a dentist. | Is Chioma a dentist? | Yes
Chioma is a dentist in Rotterdam. | Is Chioma a dentist? | Yes
Zsófia also leads the project Biber. | Does Zsófia lead the project Biber? | Yes
Zsófia leitet auch das Projekt Biber. | Leitet Zsófia das Projekt Biber? | Ja
I have a Honda motorbike. / I sold the Honda on 9 June for 3,100 francs. | Do I still have the Honda? | No
The pool is open from 8 to 20. | From when to when is the pool open? | 8 to 20
Aram le prestó su cámara a su primo Vahan. | ¿A quién le prestó Aram su cámara? | su primo Vahan
Aram lent his camera to his cousin Vahan. | Who did Aram lend his camera to? | his cousin Vahan
I'm the technical director of the winery now. | What is my position at the winery? | technical director of the winery
Kwabena has taken over project Otter from Zsófia. | Who owns project Otter? | Kwabena
Awa Diallo dirige le projet des puits, qui finit le 15 mai. | Qui dirige le projet des puits ? | Awa Diallo
I sold the Corolla to Cheikh for 2.1 million francs. | How much did Cheikh pay me for the Corolla? | 2.1 million francs
I play in goal for a hockey team. / I have quit the hockey team now. | Do I still play hockey? | No
Das Klavierhaus Pirker gehört Roswitha Pirker. | Wem gehört das Klavierhaus Pirker? | Roswitha Pirker
Jim is 37 years old. / Jim is three years younger than Kate. | How old is Jim? | 37
I am 34. / I am 3 years older than my wife. | How old am I? | 34
The rent is 850 euros. / The rent is 50 euros too high. | How much is the rent? | 850 euros
Dora has fewer than 5 cats. | How many cats does Dora have? | fewer than 5
The password is sunflower42. / The password is too short. | What is the password? | sunflower42
The wifi password is abc123. / The wifi password is case sensitive. | What is the wifi password? | abc123
Das WLAN-Passwort ist blume7. / Das WLAN-Passwort ist falsch. | Wie ist das WLAN-Passwort? | blume7
La contraseña del wifi es sol9. / La contraseña del wifi es muy corta. | ¿Cuál es la contraseña del wifi? | sol9
My phone number is 555 0101. / My phone is broken. | What is my phone number? | 555 0101
My email is a@b.example. / My email is broken. | What is my email? | a@b.example
Ana's address is 5 Main Street. / Ana's address is confidential. | What is Ana's address? | 5 Main Street
Ana works at Acme. / Ana works at a steady pace. | Where does Ana work? | Acme
Ana is a nurse. / Ana is a mother of two. | What is Ana's job? | nurse
My favourite colour is green. / My favourite colour is hard to find in shops. | What is my favourite colour? | green
The version is 3.2. / The version is out of date. | What is the version? | 3.2
Ich arbeite bei Bosch. / Ich arbeite bei offenem Fenster. | Wo arbeite ich? | Bosch
Vivo en Madrid. / Vivo en las nubes. | ¿Dónde vivo? | Madrid
Ana lives in Boston. / Ana lives in Paris in her novel. | Where does Ana live? | Boston
Tom managed to sell the boat | What did Tom sell? | boat
Ana remembered to buy milk | What did Ana buy? | milk
"""
NOT_ANSWERED = """
Ana denied stealing the bike | Who stole the bike?
Ana refused to marry Bo | Who is Ana married to?
Ana failed to pass the exam | What did Ana pass?
Ana avoided eating fish | What did Ana eat?
Ana forgot to buy milk | What did Ana buy?
Ana forgot to buy milk | Did Ana buy milk?
Ana sold her car to Bo | Who sold a car to Ana?
Ana lent her bike to Bo | Who lent Ana a bike?
Ana was hired by Bo | Who did Ana hire?
Ana was married to Bo until 2020 | Who is Ana married to?
The password was hunter2 until May | What is the password?
Ana lied that she lives in Rome | Where does Ana live?
Ana lives in Rome | Where does ana's sister live?
The shop is open from 9 to 17, on Saturdays from 10 to 14 | When does the shop open on Saturdays?
Jim is three years younger than Kate. | How old is Jim?
Eva ist drei Jahre jünger als Paul. | Wie alt ist Eva?
Marc a deux ans de plus que Julie. | Quel âge a Marc ?
Tim earns 200 euros more than Tom. | How much does Tim earn?
The tower is 20 metres taller than the church. | How tall is the tower?
The meeting was postponed by two hours. | How long is the meeting?
The budget was cut by 10 percent. | What is the budget?
Bob has twice as many sheep as Al, who has 10. | How many sheep does Bob have?
My phone number is 555 0101. / My phone is a Pixel 8. | What is my phone number?
Item 6 costs 18 euros. | How much does item 18 cost?
Item 18 costs 54 euros. / Item 6 costs 18 euros. | How much does item 18 cost?
Plan 3 costs 10 dollars a month. | How much is plan 10?
Combien coûte rien. / L'article 6 coûte 18 euros. | Combien coûte l'article 18 ?
El artículo 6 cuesta 18 euros. | ¿Cuánto cuesta el artículo 18?
Production runs PostgreSQL 16, staging runs PostgreSQL 15. | Which version of PostgreSQL runs on staging?
The old car cost 9,000 dollars, the new one 21,000. | How much did the new car cost?
My commute takes 40 minutes by train, 25 by car. | How long is my commute by car?
The shop is open from 9 to 18, on Saturdays until 14. | When does the shop close on Saturdays?
I quit coffee in January but started again in March. | Do I drink coffee?
My dog is called Rex. | Who has a dog?
The spare key is under the blue pot. | wheres the spare key
Ana works at Acme. / Ana left Acme early today. | Where does Ana work?
I tried to call Bo | Who did I call?
Tom stopped short of buying the house | What did Tom buy?
Ana nearly bought a horse | What did Ana buy?
Ana almost missed the train | What did Ana miss?
Ana verweigerte die Aussage | Was verweigerte Ana?
Ana hat vergessen, Milch zu kaufen | Was hat Ana gekauft?
Ana olvidó comprar leche | ¿Qué compró Ana?
Ana a oublié d'acheter du lait | Qu'est-ce qu'Ana a acheté ?
Bo is older than Carl. | How old is Bo?
The course is 40 euros cheaper now. | How much is the course?
Die Miete ist 50 Euro zu hoch. | Wie hoch ist die Miete?
El piso cuesta 100 euros más que el otro. | ¿Cuánto cuesta el piso?
The code was 4471 until March. | What is the code?
Ana tried to sell the boat. | What did Ana sell?
Ana hat versucht, das Boot zu verkaufen. | Was hat Ana verkauft?
Room 12 has 8 desks. | How many desks does room 8 have?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_a_plain_statement_is_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("row", NOT_ANSWERED.strip().splitlines())
def test_a_difference_a_remark_a_failed_attempt_or_another_item_is_no_answer(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""
