"""Plain sentences, and questions about them in the same words and in others, in four languages."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

ANSWERED = """
Ruth goes to the sauna twice a week. | How often does Ruth go to the sauna? | twice a week
I feed the tortoise every three days. | How often do I feed the tortoise? | every three days
I take my drops every evening. | When do I take my drops? | every evening
I earn 41,500 a year. | How much do I earn? | 41,500
My salary went up to 41,500. | How much do I earn? | 41,500
I pay 930 euros a month for my flat. | How much do I pay for my flat? | 930 euros
I pay 930 euros a month for my flat. | How much is my rent? | 930 euros
Maud quit the brewery because she wanted more sleep. | Why did Maud quit the brewery? | she wanted more sleep
Maud quit the brewery because she was tired. | For what reason did Maud quit the brewery? | she was tired
Rufus keeps the ladder in the boiler room. | Where is the ladder? | the boiler room
I left my scarf at the bakery. | Where is my scarf? | the bakery
My ticket is in the second drawer, next to the old maps. | Where is my ticket? | the second drawer
I borrowed a drill from Rufus. | Who did I borrow the drill from? | Rufus
Rufus lent me his drill. | Whose drill do I have? | Rufus
I lent my cordless drill to Maud. | Who has my drill? | Maud
My gym locker code is 5518. | What's the code of my locker? | 5518
The barn code is 5518. | How do I open the barn? | 5518
I speak Welsh, Finnish and a bit of Basque. | Which languages do I speak? | Welsh, Finnish and a bit of Basque
Maud and Rufus met at a choir in Ghent nearly nine years ago. | How did Maud and Rufus meet? | a choir in Ghent
I met my husband on a ferry. | How did I meet my husband? | a ferry
Maud lives in a small house with her sister. | Who does Maud live with? | her sister
The meeting is at the town hall, at 7 pm in room 204. | Which room is the meeting in? | room 204
The meeting is at Ana's school, at 7 pm in room 204. | In which room is the meeting? | room 204
We're with Bryn Energy. | Who's our energy supplier? | Bryn Energy
La reunión es en el colegio de Ana, a las 19 en el aula 12. | ¿En qué aula es la reunión? | aula 12
La réunion est à l'école de Léa, à 19 h en salle 12. | Dans quelle salle est la réunion ? | salle 12
We're with Tarn Gas. | Who is our gas supplier? | Tarn Gas
We sold four hundred roses. | How many roses did we sell? | four hundred
Wir haben vierhundert Rosen verkauft. | Wie viele Rosen haben wir verkauft? | vierhundert
Hemos vendido cuatrocientas rosas. | ¿Cuántas rosas hemos vendido? | cuatrocientas
Nous avons vendu quatre cents roses. | Combien de roses avons-nous vendues ? | quatre cents
I get 14 euros an hour at the garden centre. | How much do I earn? | 14 euros
Ich bekomme 15 Euro die Stunde. | Wie viel verdiene ich? | 15 Euro
Me pagan 15 euros la hora. | ¿Cuánto gano por hora? | 15 euros
I started rowing when I was eleven. | When did I start rowing? | when I was eleven
I moved to Rome when I was five. | When did I move to Rome? | when I was five
I learned to swim when I was six. | When did I learn to swim? | when I was six
I started playing chess when I was six. | When did I start playing chess? | when I was six
Ich habe mit sechs schwimmen gelernt. | Wann habe ich schwimmen gelernt? | mit sechs
Mit sieben bin ich nach Bremen gezogen. | Wann bin ich nach Bremen gezogen? | Mit sieben
Ich bin nach Bremen gezogen, als ich sieben war. | Wann bin ich nach Bremen gezogen? | als ich sieben war
Aprendí a nadar cuando tenía seis años. | ¿Cuándo aprendí a nadar? | cuando tenía seis años
J'ai appris à nager quand j'avais six ans. | Quand est-ce que j'ai appris à nager ? | quand j'avais six ans
Je suis arrivé à Lyon à dix ans. | Quand suis-je arrivé à Lyon ? | à dix ans
I started working at Bosch in 2019. | When did I start at Bosch? | 2019
I started working at Bosch in 2019. | When did I start working at Bosch? | 2019
Empecé a remar cuando tenía once años. | ¿Cuándo empecé a remar? | cuando tenía once años
J'ai commencé à ramer à onze ans. | Quand ai-je commencé à ramer ? | à onze ans
Mit elf habe ich mit dem Rudern angefangen. | Wann habe ich mit dem Rudern angefangen? | Mit elf
I was in Bremen at age 12. | When was I in Bremen? | at age 12
We have to hand in the tax return by 3 November. | What is the deadline for the tax return? | until 3 November 2026
The Otter project has a budget of 41,000 euros. | What is the Otter budget? | 41,000 euros
Otter has a budget of 41,000 euros, and Maud says it is too little. | How big is the budget of Otter? | 41,000 euros
The Otter project is on hold until the bank agrees. | What is the status of Otter? | on hold
I have an appointment with Dr Kern on Thursday. | When am I seeing Dr Kern? | Thursday 11 June 2026
My dad gave me a compass. | Who gave me the compass? | My dad
Maud doesn't like olives. | What does Maud dislike? | olives
I prefer barley to rice. | Do I prefer barley or rice? | barley to rice
I am 174 cm tall. | How tall am I? | 174 cm
Mi tía Nuria cumple setenta años en octubre. | ¿Cuántos años cumple Nuria? | setenta años
Trabajo en el Hospital del Pilar. | ¿Dónde trabajo? | el Hospital del Pilar
Conocí a mi mujer en una boda. | ¿Cómo conocí a mi mujer? | una boda
Voy a la piscina dos veces por semana. | ¿Cada cuánto voy a la piscina? | dos veces
Ich habe meinen Mann an der Uni kennengelernt. | Wie habe ich meinen Mann kennengelernt? | der Uni
J'ai rencontré Odile dans un club d'échecs. | Comment ai-je rencontré Odile ? | un club d'échecs
The rehearsal has been shifted from 6:45 to 7:10. | What time is the rehearsal? | 7:10
The briefing was moved from 4 pm to 5 pm. | What time is the briefing? | 5 pm
Die Probe wurde von 18 Uhr auf 19 Uhr verlegt. | Um wie viel Uhr ist die Probe? | 19 Uhr
The aquarium shop closes at four. | When does the aquarium shop close? | four
The rowing class is at six. | When is rowing? | six
En ce moment, le projet Loutre est terminé. | Où en est le projet Loutre ? | terminé
Maud paints boats now. / Maud started at the brewery. | What does Maud paint? | boats
Maud conduit une Twingo. / Maud conduit maintenant une Ami. | Quelle voiture conduit Maud ? | Ami
Our website runs on Wix. / Our website was switched to Hugo. | What does our website run on? | Hugo
Our rent is 960 euros. / From May on our rent is 1,010 euros. | How much rent do we pay these days? | 1,010 euros
Our rent is 960 euros. / Rufus says his rent has gone up to 999 euros. | How much rent do we pay now? | 960 euros
Unsere Miete beträgt 960 Euro. | Wie viel Miete zahlen wir zurzeit? | 960 Euro
Nuestro alquiler es de 960 euros. | ¿Cuánto pagamos de alquiler hoy en día? | 960 euros
Notre loyer est de 960 euros. | Quel est notre loyer à l'heure actuelle ? | 960 euros
Maud plays the oboe. / Maud now has a second cousin in Ghent. | Which instrument does Maud play these days? | oboe
I have upgraded Otterly to version 7.2. | Which release of Otterly am I using? | version 7.2
Rufus moved heron to MariaDB 11. | Which version of MariaDB does heron run? | 11
Dr Low is my dentist. / I'm with a new dentist now, Dr Pryce, because he has retired. | Who is my dentist? | Dr Pryce
Ich bin jetzt bei einer neuen Zahnärztin, Dr. Brandl, weil Dr. Kern aufhört. | Wer ist meine Zahnärztin? | Dr. Brandl
Ruth goes to a different dentist, Dr Pryce. | Who is Ruth's dentist? | Dr Pryce
The Heron foundation has cut our budget to 31,000 euros. | How much money is there for the Heron project? | 31,000 euros
Das Museum hat das Budget auf 31.000 Euro gesenkt. | Wie viel Geld haben wir für das Museum? | 31.000 Euro
El presupuesto de Nutria ha subido a 31.000 euros. | ¿De qué presupuesto dispone Nutria? | 31.000 euros
Le budget de Loutre est passé à 31 000 euros. | De quel budget dispose Loutre ? | 31 000 euros
The alarm code is 6613. | ¿Con qué código se desactiva la alarma? | 6613
The alarm code is 6613. | Mit welchem Code schalte ich die Alarmanlage aus? | 6613
Le code du garage est 6613. / Le code du garage a changé, c'est désormais 9920. | Quel est le code du garage ? | 9920
The code for the bike shed is 6613. | What is the combination of the bike shed? | 6613
Our caretaker is Mr Pryce and his number is 020 7946 0812. | What number can I reach our caretaker on? | 020 7946 0812
I go rowing on Thursdays. | On which day of the week do I go rowing? | Thursdays
Je nage le jeudi. | Quel jour de la semaine est-ce que je nage ? | le jeudi
Casilda se muda a Lima en diciembre. | Which city is Casilda moving to? | Lima
El martes vendí el piano a Nuria. | Who did I sell the piano to? | Nuria
Our paper comes from Tarn Mills. | Where do we get our paper from? | Tarn Mills
I'm allergic to ibuprofen. | Auf welches Medikament reagiere ich allergisch? | ibuprofen
Instead we're driving to Slovakia in July. | Where are we driving in July? | Slovakia
Wir machen Betriebsferien, vom 6. bis 19. Juli. | Wann sind im Sommer Betriebsferien? | 6. Juli 2026 bis 19. Juli 2026
Nora leads our team. | Qui est à la tête de mon équipe ? | Nora
The Otter release was moved to 4 June. | What is the new date for the Otter release? | 4 June
I have a new dentist, Dr Pryce. | Who is my dentist these days? | Dr Pryce
My brother Luis lives in Cork, where he works as a sound engineer. | What does Luis do for a living? | sound engineer
Rufus' Frau heißt Odile. / Odile bekommt Zwillinge! | Wie heißt die Frau von Rufus? | Odile
"""

UNANSWERED = """
A Nuria no le gustan las olivas, pero come cualquier queso. | What food does Nuria dislike?
Im August fahren wir an die Nordsee. | Wohin fahren wir an Weihnachten?
The rehearsal is at 9:15. / To suit the brass, the rehearsal doesn't begin before 10:45. | What time is the rehearsal?
My locker code is 5518. / The man at the desk gave out 7023 for the locker. | What is my locker code?
My barn key is number 12. / Somebody hung number 31 beside the barn key. | What number is my barn key?
The aquarium shop closes at four. | When does the aquarium close?
Le bar du théâtre ferme à minuit. | Quand ferme le théâtre ?
Rufus's birthday cake came on 3 July. | When is Rufus's birthday?
Maud's wedding shoes came on 3 July. | When is Maud's wedding?
We viewed a cottage on Mill Lane, but it was dark. | What street do I live on?
I play the oboe in the band. / I switched to bassoon in the band, my jaw likes it. | What do I play in the band?
Rufus is in second grade. / Rufus just started third grade, how he grows! | What grade is Rufus in?
Ich esse jetzt wieder Krabben, Muscheln aber weiterhin nicht. | Esse ich wieder Muscheln?
Ruth goes to a different dentist, Dr Pryce. | Who is my dentist?
I was with another dentist, Dr Pryce. | Who is my dentist?
The museum has cut the budget by 5,000 euros. | How much money do we have for the museum?
The barn budget is 31,000 euros. | How much money do we have for the boathouse?
The barn code is 6613. | Mit welchem Code schalte ich die Alarmanlage aus?
Our caretaker is Mr Pryce and our plumber's number is 020 7946 0812. | What number can I reach our caretaker on?
Casilda se muda a Lima en diciembre. | Where does Casilda live?
Nora led our team. | Qui est à la tête de mon équipe ?
I'm on call every third week. / My name is Maud Pryce. | How often am I called in?
My name is Maud Pryce. | How often am I on call?
We also moved the website to Python 3. | Dans quel pays allons-nous cet été ?
My doctor is Dr Low. / Dr Low has retired. | Who is my doctor?
Maud ist mit Luis zusammen, der arbeitet bei Tarn. | Wo arbeitet Maud?
Maud ist mit Luis zusammen, der baut Boote. | Was macht Maud beruflich?
The museum has raised the budget to 31,000 euros. | What is the budget for the boathouse?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_unstated_or_doubtful_facts_are_not_answered(row: str) -> None:
    assert answer(*row.split(" | ")) == ""
