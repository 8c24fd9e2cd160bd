"""Changes of what several persons do, across languages, and what leaves another clause or thing as it is."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from tests.conflicts.test_ordinary_changes import _closed

CLOSED = """
The budget for Otter is 400 euros, and I doubt that it will do. | Lea hat das Budget für Otter auf 550 Euro erhöht.
Ida hat dienstags Klavierunterricht bei Frau Oster. | Ida's piano lesson is on Fridays now, still with Frau Oster.
My elder brother, Rufus, lives in Hull with his partner Maud. | Noticias: Rufus y Maud se han mudado a Leeds.
My car is a green Volvo from 2012. | We sold the Volvo to a neighbour for 2,100 euros.
The pharmacy on Mill Road is open until nine in the evening. | La farmacia de Mill Road cierra ahora a las ocho.
Die Bäckerei Uhl unten im Haus macht um 6:30 Uhr auf. | A small disappointment: the bakery only opens at 7:00 now.
On Tuesdays I go bouldering at the hall. | Das Bouldern habe ich aufgegeben, mein Knie macht nicht mehr mit.
Paul and I are going to Naples, June 12 to 23. | Bon, c'est décidé : on annule Naples.
Maud works at Brandt & Co. | Maud has handed in her notice.
Maud works at Brandt & Co in Celle, 30 hours a week. | Maud quit her job at Brandt.
I work at Metalnor. | I handed in my notice.
Hugo trabaja en Metalnor. | Hugo renunció.
Ruth studies chemistry. | Ruth now studies history.
Nina studiert Physik. | Nina studiert jetzt Jura.
Maud's boyfriend is Rufus. | Maud broke up with Rufus.
Nuria sale con Hugo. | Nuria rompió con Hugo.
My phone is a Nokia. | I have a new phone, a Fairphone 5.
Mein Handy ist ein Nokia. | My new phone is a Fairphone.
My hourly rate is 55 euros. | Mein Stundensatz beträgt jetzt 61 Euro.
Our wifi password is fox-11. | New router, new wifi password: crow-88.
The alarm code is 3121. | Wegen Rufus habe ich den Code der Alarmanlage geändert, jetzt 6407.
The briefing is at 8:30. | The briefing is at 9 from Tuesday on.
Judo is on Fridays. | Judo ended last month.
Leo toca la trompeta. | Leo dejó la trompeta.
Grandma's birthday is March 2. | I told you grandma's birthday wrong, it's March 12.
The deadline is June 30. | Ampliaron el plazo al 15 de julio.
We rent a flat in Hull. | We moved to Leeds.
The fee is 300 euros. | The fee was cut by 25 euros.
My optician is Brandt. | I changed opticians, it's Kern now.
Maud's tortoise is called Bo. | Sorry, I said Maud's tortoise was called Bo, it's Ed.
El gato de Nuria se llama Rayo. | Perdona, te dije que el gato de Nuria se llamaba Rayo, pero se llama Trueno.
Mein Zahnarzt ist Dr. Kern. | Sorry, ich habe gesagt, mein Zahnarzt ist Dr. Kern, es ist aber Dr. Korn.
Le chat d'Odile s'appelle Filou. | Pardon, j'ai dit que le chat d'Odile s'appelait Filou, il s'appelle Filip.
I keep the barn key under the mat. | I've put the barn key in the shed.
The wool is in the loft. | The wool is now in the cupboard next to the stove.
Mein Pass ist im Schreibtisch. | Mein Pass ist jetzt im Tresor.
My favourite pub is the Anchor. | The Crown by the canal has become my favourite pub.
A ticket for the ferry costs 4 pounds. | The ferry charges 5.50 for a ticket now.
The Otter report is due on Friday. | The client wants the Otter report sooner, so we have to deliver it on Tuesday.
J'habite à Nantes. | Je viens d'emménager à Rennes, seule cette fois.
Nuria es jefa de compras. | A Nuria la han ascendido a directora de operaciones.
Rufus is a baker. | Rufus is a plumber now.
Maud is head of sales. | Maud is now director of operations.
Odile est infirmière. | Odile est maintenant institutrice.
Rufus ist Stürmer. | Der Trainer hat Rufus zum Torwart gemacht.
My rent is 850 pounds. | The landlord has put the rent up to 920.
Rufus works for Metalnor. | Rufus resigned from Metalnor and joined a start-up called Kern.
My mailbox code is 5182. | They replaced all the mailboxes downstairs, so my new code is 7046.
My code is 1111. | My new code is 2222.
My cousin Dora is going out with Kilian, he bakes bread. | Dora and Kilian have split up, I saw it coming.
Kilian ist seit fünf Jahren mit Dora zusammen, sie ist Ärztin. | Kilian und Dora haben sich getrennt. Schade.
Mi hermana Inma está casada con Fermín desde hace seis años. | Inma y Fermín lo han dejado.
Mon cousin Loup est en couple avec Nine depuis trois ans. | Loup et Nine se sont séparés.
My colleague Vadim sits opposite me. | Vadim has left the company and works in Ghent now.
In my team there's Petra, who does the audits. | Petra no longer works with us.
Meine Kollegin Gesa sitzt neben mir. | Gesa arbeitet nicht mehr bei uns.
Mi compañero Ciro lleva las compras. | Ciro ya no trabaja con nosotros.
Ma collègue Maud s'occupe de la paie. | Maud a quitté l'entreprise.
We have an intern, Malte. | Malte has finished his internship with us.
The museum is open from 10 to 18. | The museum is now open from 9 to 17.
El mercado abre de 8 a 14. | El mercado ahora abre de 9 a 15.
Nina is nine. | Nina turned ten yesterday.
Emil ist vier. | Emil ist gestern fünf geworden.
Aitana tiene seis años. | Aitana cumplió siete años ayer.
Jules a huit ans. | Jules a eu neuf ans hier.
My dentist is Dr. Bramwell, in Church Lane. | I have a new dentist: Dr. Osei on Park Road.
Our gardener is called Danuta. | We have a new gardener, she's called Ewa.
Mein Chef heißt Bernd Tolle. | Amir Said has been my new boss since March.
Ma dentiste est la docteure Colin, rue Basse, et j'y vais le 17 mai. | My new dentist is Dr. Okoro, on Mill Place.
Our ink comes from a supplier called Kolbe in Jena. | Our ink comes from Weyer in Gera now.
Ivo is allergic to walnuts, so no cake with those. | Sorry, Ivo isn't allergic to walnuts, it's almonds.
Ivo es alérgico a los cacahuetes. | Perdona, Ivo no es alérgico a los cacahuetes, sino a las almendras.
Ivo est allergique aux arachides. | Pardon, Ivo n'est pas allergique aux arachides mais aux amandes.
I ordered 12 new lamps. | Sorry, I said I ordered 12 lamps, it's 14.
Im Sommer fahren wir nach Kreta. | Wir fahren doch nicht nach Kreta, sondern nach Malta.
Este verano vamos a Creta. | Al final no vamos a Creta, sino a Malta.
We live in the old town, at 4 Mill Lane. | We've moved, our new address is Oak Road 12.
Ich wohne in der Goethestraße 12 in Jena. | Ich bin umgezogen, ich wohne jetzt in der Schillerstraße 5.
J'habite rue des Lilas, à Rennes. | On a déménagé, on habite maintenant rue Pasteur.
My mother Ruth lives in Whitby. | Mum has moved to York.
Meine Oma Hilde wohnt in Celle. | Oma ist nach Uelzen gezogen.
We pay 820 euros a month for our flat. | The rent has gone up to 860 euros.
On paie 820 euros par mois pour l'appartement. | The rent has gone up to 860 euros.
The app is on version 2.1. | We've released version 2.2 of the app.
I lent my ladder to Casper. | Casper has brought the ladder back.
Le presté la tienda a Unai. | Unai me ha devuelto la tienda.
J'ai prêté ma scie à Yann. | Yann m'a rendu la scie.
I smoke about ten cigarettes a day. | I stopped smoking three weeks ago.
Fumo unos cinco cigarrillos al día. | He dejado de fumar.
Je suis végane. | Je ne suis plus végane.
Trabajo en el turno de noche. | Ahora trabajo en el turno de mañana.
Emil spielt Blockflöte. | Emil ist von der Blockflöte auf die Klarinette umgestiegen.
Je suis inscrite au marathon de Nantes. | J'ai renoncé au marathon de Nantes à cause de mon genou.
Ich bin beim Stadtlauf angemeldet. | Beim Stadtlauf mache ich doch nicht mit.
My doctor's number is 0161 445 220. | Sorry, I gave you the wrong number for my doctor, it's 0161 445 202.
The alarm code at home is 4471. | El código de la alarma de casa es el 9036 ahora.
A barrel costs us 950 euros. | The price of a barrel has gone up to 1,020 euros.
Mila's driving test is on 9 May. | They've changed the date of Mila's driving test, it's 23 May now.
"""

OPEN = """
I am on the Marlin project, which is about tracking containers. | The Marlin project is now in the testing phase.
I work as a gardens officer at the town hall, and I've been there for six years. | The garden now has 48,500 dollars.
I have lived in Freiburg since 2011. | Wir wohnen dort in einer kleinen Pension in Oban.
I have lived in Freiburg since 2011. | We are staying at a guest house in York now.
Our neighbour has a parrot called Nixon who does the microwave beep. | We're called Cold April now.
My sister Ruth lives in Hull. | Ruth and Paul visited Leeds.
I ordered a poppy cake for the farewell, 34 dollars. | Changed the gate lock after Leo told all. It's 9313 now.
It waits until payday, I hope. | Wait, did I tell you we had it? Anyway, it's gone.
Ruth studies chemistry. | Ruth now also studies history.
Ruth studies chemistry. | Ruth now studies in Leeds.
Maud lives in Graz. | Maud has handed in her notice.
Maud's cousin is with Rufus. | Maud broke up with Rufus.
I work at Metalnor. | I resigned from the board of the club.
Je joue dans un groupe : les Copains du Samedi. | Les Copains : on passe au lundi, à cause du batteur.
Maud's brother is Rufus. | Maud broke up with Rufus.
The wool is in the loft. | Maud's wool is in the cupboard now.
The ladder is in the barn. | I've put the paint in the cellar.
The choir in the hall is at 9. | The choir in the gym is at 10 now.
The lamp in the hall is broken. | The lamp in the kitchen is broken now.
The key is in the drawer. | The key in the safe is broken now.
The bench in the barn is oak. | The bench in the study is mine now.
The milk is in the fridge. | The milk was in the cellar last week.
Our captain is Maud. | The film made Rufus cry.
The deadline for the thesis is 30 June. | She gave me until noon to decide about the dress.
Rufus is a baker. | Rufus is a father now.
Rufus is a baker. | Rufus is a member of the club now.
Rufus is a baker. | Ottilie is a plumber now.
My desk is oak. | They gave me another idea, a good one.
The padlock on the rowing boat has the code 3914. | They replaced all the mailboxes downstairs, so my new code is 7046.
The code of the allotment gate is 3914. | The bank sent me a new card, my new code is 7046.
Dora is going out with Kilian. | Dora and Kilian want to split up the bill.
My sister lives in Ulm with her boyfriend Tom. | My sister and Tom have split up.
My dentist is Dr. Bramwell. | My sister has a new dentist: Dr. Osei on Park Road.
My colleague is called Petra. | I have a new colleague: Vadim from Ghent.
I'm a product manager at Apis. | Rolf has retired, and my new boss is called Ander Sola.
I'm an engineer at a firm called Nord. | Vadim has left our firm and works in Ghent now.
My colleague Vadim is from Iran. | Vadim has left the company.
My colleague Vadim speaks Danish. | Vadim no longer works with us.
In my team there's Petra, who does the audits. | Petra has left the party early.
Petra is my sister. | Petra has left the company.
Bo lives with us. | Bo has left the company.
Gesa wohnt bei uns. | Gesa arbeitet nicht mehr bei uns.
We pay 60 euros a month for the electricity in our flat. | The rent has gone up to 860 euros.
We pay 820 euros a month for our flat. | My brother's rent has gone up to 860 euros.
The museum is open from 10 to 18. | On Saturdays the museum is now open from 9 to 13.
The museum is open from 10 to 18. | The shop is now open from 9 to 17.
The app is on version 2.1. | We're going to release version 2.2 of the app in May.
We live at 4 Mill Lane. | My sister's new address is Oak Road 12.
We live at 4 Mill Lane. | I live at 9 Oak Road for the summer now.
My mother Ruth lives in Whitby. | Ben's mum has moved to York.
My mother Ruth lives in Whitby. | Mum is visiting York.
I smoke about ten cigarettes a day. | I stopped smoking for a week.
I lent my ladder to Casper. | Yann has brought the ladder back.
I lent my ladder to Casper. | Casper will bring the ladder back on Friday.
I ordered 12 new lamps. | Sorry, I said I ordered 12 tables, it's 14.
Ivo is allergic to walnuts. | Sorry, Tom isn't allergic to walnuts, it's almonds.
Im Sommer fahren wir nach Kreta. | Wir fahren doch nicht nach Korfu, sondern nach Malta.
Cet été on va en Crète. | Finalement on ne va pas au cinéma mais au théâtre.
Emil hat vier Katzen. | Emil ist gestern fünf geworden.
Our ink comes from Kolbe. | The cardboard comes from Weyer now.
We use Jira. | We now use Linear too.
Tom is with Lena in the choir. | Tom and Lena are no longer together in the choir.
Bo's car is nine. | Bo turned his car around.
I'm 37. | J'ai arrêté le café il y a deux semaines.
My doctor's number is 0161 445 220. | Sorry, I gave you the wrong number for my dentist, it's 0161 445 202.
Davit is in charge of the bookings. | Nora has taken over the accounts from Davit.
"""


def _pairs(table: str) -> list[list[str]]:
    return [row.split(" | ") for row in table.strip().splitlines()]


@pytest.mark.matrix
@pytest.mark.parametrize(("old", "new"), _pairs(CLOSED))
def test_a_change_closes_the_changed_statement(old: str, new: str) -> None:
    assert _closed([old, new], in_turns=True)


@pytest.mark.matrix
@pytest.mark.parametrize(("old", "new"), _pairs(OPEN))
def test_a_statement_about_another_thing_closes_nothing(old: str, new: str) -> None:
    assert not _closed([old, new], in_turns=True)
    assert not _closed([old, new], in_turns=False)


IDIOMS = """
I bake 40 rolls an hour.
I make 40 rolls a day for the market.
Gano 3 partidos por semana.
Je gagne 2 points par match.
Als Kind habe ich jetzt einen Hund.
Rufus left early and joined Maud at the bar.
They gave us a new office, it's great.
Nobody was promoted to manager.
I was almost promoted to manager.
I put my foot in my mouth at dinner.
Maud no longer smokes, she is the happiest person I know.
The leaves turned red yesterday.
It isn't far, it's close.
My new boss is in Rome today.
"""


@pytest.mark.parametrize("text", IDIOMS.strip().splitlines())
def test_an_apparent_change_states_nothing_else(text: str) -> None:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        memory.add_message("user", text, session="chat")
        memory.flush()
        assert {each.content for each in memory.iter_memories(status="all")} == {text}
