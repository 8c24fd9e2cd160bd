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
"""
OPEN = """
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
"""


def _pairs(table: str) -> Sequence[tuple[str, str]]:
    return [(old, new) for line in table.strip().splitlines() for old, _, new in [line.partition(" | ")]]


def _closed(texts: Sequence[str], *, in_turns: bool) -> set[str]:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        if in_turns:
            for text in texts:
                memory.add_message("user", text, session="chat")
            memory.flush()
        else:
            for text in texts:
                memory.remember(text, source_type="user_input")
        return {each.content for each in memory.iter_memories(status="superseded")}


@pytest.mark.parametrize("in_turns", [True, False], ids=["turns", "texts"])
@pytest.mark.parametrize(("old", "new"), _pairs(CLOSED))
def test_a_change_stated_in_passing_closes_what_was_stated_before(old: str, new: str, *, in_turns: bool) -> None:
    assert _closed([old, new], in_turns=in_turns) == {old}


@pytest.mark.parametrize(("old", "new"), _pairs(OPEN))
def test_what_is_planned_asked_denied_or_of_another_thing_closes_nothing(old: str, new: str) -> None:
    assert _closed([old, new], in_turns=True) == set()


def test_what_may_be_about_either_of_two_things_closes_none() -> None:
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
