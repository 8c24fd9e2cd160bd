"""Questions of conversations that nothing answers: of others, of other things, of what was only thought or asked."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

UNANSWERED = """
I live at 9 Tern Close in Rye with my wife. | What souvenir did I take home for my wife?
I would like a chest freezer. I have seen one for 310 euros. | What did I pay for the chest freezer?
Utrecht was lovely. Stayed in Ilse's tiny room on Voorstraat, spent 95 euros in total. | What does my room cost?
Greta has a parrot named Lorenzo. He's about forty and shouts at the postman. | How old is Greta?
Mein Onkel Ralf wohnt in Jever, er ist Maler. | In welcher Straße wohnt Ralf in Jever?
We moved to Brno. I work for Tatra Soft. | Where did I work before Tatra Soft?
Vet visit with Mungo. Dr. Ferro raised the insulin to 3 units. She weighs 5.2 kg. | How much insulin does Mungo get?
Die Miete für die Garage ist 75 Euro im Monat. | Wie hoch ist die Miete für den Stellplatz?
The recital was lovely. About 120 people came. | How many people came to the Easter recital?
On a acheté une moto samedi : une Yamaha XT500 de 1982. | À qui j'ai acheté la moto ?
Assurance du vélo cargo : 96 euros par an. | Combien a coûté le vélo cargo ?
Meine Schwester hat ihren Roller für 700 Euro verkauft. | Wie viel hat meine Schwester für den Roller bezahlt?
Mirjam says the migration needs 9 days of work. | How many hours does Mirjam work a week?
On dit que Loïc habite à Sète. | Où habite Loïc ?
Jens earns 2,900 and Heike 3,100 euros a month. | How much does Jens earn?
The grey mare is Stella, the brown one is Nova. | What is the brown mare called?
The kiosk opens at dawn and shuts at 20:00. | When does the kiosk open?
Nils has two sons and Karla four daughters. | How many daughters does Nils have?
The market is open daily except Mondays. | Is the market open on Mondays?
The museum is closed on Mondays. | Is the museum open on Tuesdays?
Do you think my sister Ada wins? | What is my sister called?
Good news from work for once: the lift works. | Is the lift broken?
Tom's grandma lives in Hull. | Where does my grandma live?
Tom's knee operation is on 9 September, isn't it? | When is Tom's knee operation?
The Corsa is gone for repairs. | Do we still have the Corsa?
I went back to Lima. | Do I live in Lima?
We're off to Crete in December, we're flying to Chania. | Where are we flying on holiday this summer?
Mr Tilly leaves in July. | Who is my boss?
Frieda ist vier, und Emil ist acht. Sein Geburtstag ist am 9. Mai. | Wann hat Frieda Geburtstag?
My dentist said I should see Dr Lomax about it. | Who is my dentist?
My tutor is Danish. | What is my tutor's name?
My tutor is Danish. | Who is my tutor?
Mein Nachbar ist Finne. | Wie heißt mein Nachbar?
We considered opening the bakery in October. | When do we open the bakery?
Ich habe eine Latexallergie. | Bin ich gegen Nickel allergisch?
My aunt lives at 9 Mill Road. | What is my address?
The parcel is 5 kilos. | How much do I weigh?
Ben said: "I live in Oslo." | Where do I live?
Eva schrieb: "Ich wohne jetzt in Jena. Ich arbeite bei Zeiss." | Wo wohne ich?
Eva schrieb: "Ich wohne jetzt in Jena. Ich arbeite bei Zeiss." | Wo arbeite ich?
Marta dijo: «Vivo en Lugo». | ¿Dónde vivo?
He texted "my train leaves at 9". | When does my train leave?
Someone said that the office will move to Essen. | Where is the office?
Jemand hat gesagt, dass das Büro nach Essen zieht. | Wo ist das Büro?
The first quote for the roof was 12,000 euros, but we declined. | How much did the roof cost?
Kite's rival Heron launches on 1 September. | When does Kite launch?
Kite's rival Heron costs 90 euros. | How much does Kite cost?
It looks like rain. | Do I like rain?
I sold my old bike for 150 euros. | Do I have a bike?
My brother sold his drum kit. | Do I have a drum kit?
My coach to Ghent leaves at 6:40 from bay 12. | From which town does my coach leave?
My sister's train leaves from platform 4. | From which platform does my train leave?
The retro of Falcon is in room B12. | In which room is the retro of Heron?
We run MariaDB 11 and Redis. | Which version of Redis do we run?
My sister Anna called. Our cat is called Minka. She is 5 years old. | How old is Anna?
El cumpleaños de Merche es en octubre. | ¿Qué día de octubre es el cumpleaños de Merche?
Rosario's sister has a dog called Toby. | What is Rosario's dog called?
El vecino de Rosario tiene un perro llamado Toby. | ¿Cómo se llama el perro de Rosario?
Mein Bruder hat einen Hund namens Fido. | Wie heißt mein Hund?
My cousin sold her bike for 200 euros. | How much did I sell my bike for?
Rosario's mother has a flight on 5 June. | When is Rosario's flight?
Tom's mother paid 80 euros for the taxi. | How much did Tom pay for the taxi?
Nora studies Law. | Where does Nora study?
Nora studiert Medizin. | Wo studiert Nora?
Lena might want a dog. | What does Lena want?
Lena wants to live in Rome one day. | Where does Lena live?
Freya wants a scooter for her birthday. | Does Freya have a scooter?
Ana is a vegetarian. | What does Ana do for a living?
I met Lena, 34, in Rome. | How old am I?
I take handball lessons. / My knee hurts, handball is not for me, says the doctor. | Do I still take handball lessons?
Owen lives in Ulm. I was at my dad's, he is a retired postman. | What does Owen do?
Dr. Lind visited Eva. She lives in Oslo. | Where does Eva live?
Als ich nach Lyon zog, war ich jung. | Wo wohne ich?
The orchestra costs 7,200 euros. / Sadly, because the orchestra now wants 8,100 euros. | What does the orchestra cost?
The concert is on 5 May. / The concert clashes with a match on 9 May. | When is the concert?
Das Konzert ist verschoben, auf den 30. Mai. | In welcher Kirche ist das Konzert?
Ugh, Momo's check-up had to be moved. | When was Momo's check-up?
My best friend Hugo is getting married in Altea. | Who is Hugo marrying?
Mark is allergic to nothing. | What is Mark allergic to?
Mark drinks coffee. / Mark has switched from coffee to tea. | Does Mark drink coffee?
Mark works with Acme. | Who does Mark work for?
Mark starts at Globex in August. | Who does Mark work for?
The Vega project is difficult. | What is the status of the Vega project?
Le projet Vega est en pause. / Le projet Vega a repris hier. | Quel est le statut du projet Vega ?
L'échéance de Vega est le 4 mai. / On a avancé la livraison de Vega au 20 avril. | Quelle est l'échéance de Vega ?
Meine Mutter wohnt in Lörrach. / Mama hat die Wohnung in Emmendingen genommen. | Where does my mother live?
Marcos se va a vivir a Vigo en mayo. | ¿Dónde vive Marcos?
Paul hat Vega von Anna übernommen. | Wie heißt Annas Vega?
My sister Ida lives in Ulm. / My sister Eva lives in Kiel. | Where does my sister work?
Who is Ana's vet? Frau Oltmanns is ill. | Wie heißt meine Frau?
Rita's car is a Saab. | Which car do I have?
Mein Bruder fährt einen Volvo. | Welches Auto habe ich?
We have a hamster, Flo, who is two years old. | How old am I?
Tenemos un gato, Milo, que tiene dos años. | ¿Cuántos años tengo?
Sam is tall, Lotte is short. We have twins, Sam and Lotte. | What is Sam's teacher called?
My best time for the marathon is 3:12. | When is the marathon?
I live in Ghent. | How much do we pay for the house?
Ida plays the harp. | Which instrument do I play?
I sold the red Fiat. | What car do I drive?
Rosa is allergic to cashews. | Can Rosa eat almonds?
Rosa is allergic to cashews. | Can Nils eat cashews?
Our two youngest boys are in Bern. | How many boys do we have?
Tenemos dos hijos, Leo de nueve años y Alba. | What are my kids called?
Tom's three cats sleep all day. | How many cats do I have?
The ballet audition is on 14 June. / The ballet audition has been called off. | When is the ballet audition?
My sister paid 90 euros for the kettle. | How much did Ben pay for the kettle?
Tom sold his kayak to Ignatius. | Who bought Mia's kayak?
I'm preparing a talk on 3 July about teaching fractions. | What do I teach?
Hugo cried. Flavie left. / She is nineteen. | How old is Hugo?
I lost at chess against little Sunniva, twelve years old. | How old am I?
Hugo weighs 21 kilos. | How tall is Hugo?
I moved to the chemistry library at King's Hall. | Where do I live?
I am doing the third year of botany at the University of Ghent. | Where do I work?
Ada is engaged to Otto. / Ada has broken off the engagement with Otto. | Who is Ada engaged to?
My flat is in the Tannenweg. | On which floor is my flat?
Les Voix de l'Erdre chantent lundi. | Quelle voix est-ce que je chante ?
My studio is in Casa Lima. / We moved everything into Casa Roja. | Where do I live?
Théo was ill in 2019. | When was Théo born?
Ben forgot last year. | When is Ben's birthday?
I rent a desk at Dock 9. / I'm leaving Dock 9. | Where do I rent a desk?
Ich miete einen Tisch bei Dock Neun. / Ich verlasse Dock Neun. | Wo miete ich einen Tisch?
Je loue un bureau chez Dock Neuf. / Je quitte Dock Neuf. | Où est-ce que je loue un bureau ?
Alquilo una mesa en Dock Nueve. / Me voy de Dock Nueve. | ¿Dónde alquilo una mesa?
Mi vecina Rosario tiene un perro que se llama Trasto. | ¿Cómo se llama mi perro?
My neighbour has a dog that is called Rex. | What is my dog called?
My neighbour has a dog called Rex. | What is my dog called?
Meine Nachbarin hat einen Hund, der Rex heißt. | Wie heißt mein Hund?
Ma voisine a un chien qui s'appelle Rex. | Comment s'appelle mon chien ?
Ben has a daughter who is called Mia. | What is my daughter called?
Ben tiene una hija que se llama Mia. | ¿Cómo se llama mi hija?
Ben has a daughter who lives in Rome. | Where does my daughter live?
My car is in the garage until Thursday. | Welches Auto habe ich?
My car is in the garage until Thursday. | What car do I have?
Mein Auto steht in der Garage. | Welches Auto habe ich?
Ich habe am 14. Februar Geburtstag. | Wann hat mein Mann Geburtstag?
My birthday is on 14 February. | When is my husband's birthday?
Mon anniversaire est le 14 février. | Quand est l'anniversaire de mon mari ?
Mi cumpleaños es el 14 de febrero. | ¿Cuándo es el cumpleaños de mi marido?
I was born in 1980. | When was my sister born?
The new bar next to my flat is called Mokka. | What is my flat called?
We watched a film about a cat called Figaro. | What is my cat called?
Le chien de ma voisine a trois ans. | Quel âge a ma voisine ?
My flatmate Sanne has a brother who plays for Ajax. | Who plays for Ajax?
We have an old car and a new house. | Which car do we have?
My neighbour has a green van. | Which van do I have?
My sister sold her car to Ben. | What did Ben sell?
I did not sell the boat. | What did I sell?
I want to sell my bike. | What did I sell?
My dad bought a tractor. | What did I buy?
I met Tom. That's a good idea. | Who is Tom?
Lena called. That's not my sister. | What is my sister called?
Ben is my uncle. / My brother Ben lives in Oslo. | Where does my uncle live?
Tom is not my boss. He lives in Ulm. | Where does my boss live?
Lena has a spare key to her office. | Who has my spare key?
The cat is with Ben. | Who has the dog?
The spare key is in the drawer. | Who has the spare key?
Phil had my ladder, but I have it back. | Who has my ladder?
I'm with Anna at the cinema. | Which phone company am I with?
I'm with Nordbank, and it is slow. | Which phone company am I with?
We're with Allianz for the car insurance. | Which phone company are we with?
I was with Telefix for my phone. | Which phone company am I with?
My brother is with Telefix for his phone. | Which phone company am I with?
I am in Rome with my bank card. | Which bank am I with?
Is my boss Ingrid in the office today? | What is my boss called?
Is my niece called Odile or Odette? | What is my niece called?
Do you know my dentist? | What is my dentist called?
Could I bring my dog to Tom? | What is my dog called?
I have to move to Rome for my job. | Where do I live?
I dreamt that I lived in a castle in Wales. | Where do I live?
Ich habe geträumt, dass ich nach Napier ziehen muss. | Wo wohne ich?
Soñé que vivía en París. | ¿Dónde vivo?
J'ai rêvé que j'habitais à Lyon. | Où est-ce que j'habite ?
Ich habe geträumt, dass ich durchfalle und zurück nach Napier ziehen muss. | Wo wohne ich?
Last night I dreamed we had a dog called Bo. | What is my dog called?
Lena dreamed of a job at Google. | Where does Lena work?
My boss said I must move to Leeds by June. | Where do I live?
Mi hermana tiene un gato. Se llama Nube. | ¿Cómo se llama mi hermana?
Fui a una academia de baile. Se llama Compás. Mi prima también va. | ¿Cómo se llama mi prima?
Mi vecino toca la trompeta. Tiene una hija, se llama Alba. | ¿Cómo se llama mi vecino?
My sister put her passport in the drawer. | Where is my passport?
I did not put my passport in the drawer. | Where is my passport?
I put my passport photo in the drawer. | Where is my passport?
Ma tante a un chien qui s'appelle Milo. | Comment s'appelle mon chien ?
My sister raised her rent to 950 euros. | How much is our rent?
My sister moved the meeting to Friday. | When is my meeting?
My brother sold the boat for 3,000 euros. | How much did my boat cost?
We eat at 7. | Which day do we eat?
desde esta semana trabajo tres días por semana. | ¿Qué días trabajo?
Ab dieser Woche arbeite ich vier Tage pro Woche. | An welchen Tagen arbeite ich?
Je travaille deux jours par semaine. | Quels jours est-ce que je travaille ?
Nora was born on 3 May. | In which year was Nora born?
Nora wurde am 3. Mai geboren. | In welchem Jahr wurde Nora geboren?
Nora nació el 3 de mayo. | ¿En qué año nació Nora?
Nora est née le 3 mai. | En quelle année Nora est-elle née ?
I've worked here since 3 March. | Which days do I work?
We live in Graz. | Which district do we live in?
Conor a besoin de nouvelles chaussures, il fait du 31 maintenant. | How old is Conor?
She'll sleep in the study. My mum arrives on Friday. | Which room is my mum sleeping in?
Waren heute mit Kumquat bei Dr. Banerjee. Der Tierarzt war nett. | Which vet did we take the rabbit to?
My sister put her keys in the drawer. My keys are lost. | Where are my keys?
I thought about putting the passport in the safe. | Where is my passport?
I put the photo of my passport in the album. | Where is my passport?
The neighbour's cat is black. We have a cat too. | What colour is our cat?
We painted the shed green. | What colour is our kitchen?
Tom wants to be a pilot. | What does Tom do?
My daughter doesn't want to be a vet. | What does my daughter want to be?
Tom's boss is Ingrid. | Who is my boss?
Can you ask my neighbour if her dentist, Dr Low, is good? | Who is my dentist?
That's my aunt over there. Ben waved. | What is my aunt called?
Ben saw Lena. That's my cousin. | What is my cousin called?
My ladder is with the fire brigade in the film. | Who has my ladder?
Tom has a ladder. | Who has my ladder?
Is my ladder with Tom? | Who has my ladder?
We have breakfast at 8. | What do I have for breakfast?
My sister has porridge for breakfast. | What do I have for breakfast?
I had porridge for breakfast in Scotland. | What do I have for breakfast?
My brother lives near Tartu. | Where did I grow up?
The kids finish school in July. | When do the kids finish work?
My sister is with Nordbank. | Which bank am I with?
I was with Nordbank until May. | Which bank am I with?
I might switch to Nordbank. | Which bank am I with?
A mi hija le gustan los dinosaurios. | ¿Qué le gusta a mi hijo?
A mi vecina le gusta el jazz. | ¿Qué me gusta?
Mi hermano compró una moto roja. | ¿De qué color es mi moto?
J'ai rangé le passeport de mon fils dans le tiroir. | Où est mon passeport ?
Mon frère tient une boulangerie à Gand. | Où est ma boulangerie ?
Le mardi, mon fils a poterie. | Quel jour j'ai poterie ?
Conor is six and Aminata is at school. | How old is Aminata?
Conor is six and Aminata has two cats. | How old is Aminata?
Our Gorenje washing machine is broken. | What make is our dishwasher?
My neighbour's Bosch drill is loud. | What make is our drill?
Fergus, Callum's brother, is ill. | What is my brother called?
Yuki adopted a greyhound called Miso. | What is my dog called?
Marek owes Tom 60 euros. | Who owes me money?
I owe Marek 60 euros. | Who owes me money?
My wife's sister Heike is allergic to nuts. | What is my wife allergic to?
I take the number 7 tram. My wife takes the bus. | Which bus do I take?
Our landlord raised the neighbours' rent to 950 euros. | How much is our rent?
My dentist moved to Rome. | Where do I live?
Grandma keeps bees. | What do I keep?
My sister sold her car, I bought a bike. | What did I sell?
Delyth bakes lemon cake. | What cake do I bake?
We have three chickens in the film. | How many dogs do we have?
My husband is diabetic. | Is my wife diabetic?
My new car is red. | Is my new car blue?
Is my kitchen table oak? We have a kitchen table. | Is my kitchen table oak?
I've got two dogs. | Do I have a cat?
My sister has asthma. | What illness do I have?
The heating was inspected for 130 euros. | How much did the heating cost?
We had the carpet cleaned for 60 euros. | How much did the carpet cost?
Der Zaun wurde für 400 Euro gestrichen. | Wie viel hat der Zaun gekostet?
The gas bill for March is 80 euros. | How much is the gas bill for June?
Die Nebenkosten für März betragen 80 Euro. | Wie hoch sind die Nebenkosten für Juni?
The tram was 4 euros, the museum 18. | How much was the museum?
My scooter does 0 to 100 in 9 seconds. | How much did my scooter cost?
Nell's parrot is called Kiko. | What is Nell called?
Nina is 51 and Otto 48. | Who is older, Nina or Otto?
I'm a plumber. | Who am I married to?
My hamster name is Fips. | What is my name?
My parcel status is delayed. | What is my visa status?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_unstated_facts_are_not_answered(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""
