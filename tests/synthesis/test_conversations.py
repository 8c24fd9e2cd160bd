"""What was stated in a conversation answers a question in other words, and what was not stated does not."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

ANSWERED = """
My fitting is on Monday 22 June at 9:30. / They moved it to Tuesday 30 June at 11. | When is my fitting? | 30 June at 11
My fitting is on Monday 22 June at 9:30. / They moved it to Tuesday 30 June at 11. | What time is my fitting? | 11
Die Anprobe ist am Montag um 9. / Sie wurde auf Mittwoch, den 1. Juli, verschoben. | Wann ist die Anprobe? | 1. Juli
Mon essai est lundi à 9 h. / Mon essai est reporté au mardi 30 juin à 11 h. | Quand est mon essai ? | 30 juin à 11 h
Le loto est le 14 juin. / Je me suis trompé : le loto est le 15 juin, pas le 14. | Quand est le loto ? | 15 juin
Ça y est, on habite à Limoges maintenant. | Où est-ce que j'habite ? | Limoges
I eat porridge in the morning and soup in the evening. | What do I eat in the morning? | porridge
Ich trinke morgens Kakao und abends Tee. | Was trinke ich morgens? | Kakao
Arrival is from 2 pm, departure until 10 am. | When is arrival? | 2 pm
The grey mare is Stella, the brown one is Nova. | What is the grey mare called? | Stella
The sauna opens at 8 and closes at 22:30. | When does the sauna open? | 8
The kiosk opens at dawn and shuts at 20:00. | When does the kiosk shut? | 20:00
Die Sauna öffnet um 8 und schließt um 22 Uhr. | Wann öffnet die Sauna? | 8
La sauna ouvre à 8 heures et ferme à 22 heures. | À quelle heure ouvre la sauna ? | 8 heures
La tienda abre a las 9 y cierra a las 20. | ¿A qué hora abre la tienda? | 9
Choir practice is at half past seven. | What time is choir practice? | half past seven
Die Probe beginnt um Viertel nach acht. | Wann beginnt die Probe? | Viertel nach acht
El ensayo es a las ocho y media. | ¿A qué hora es el ensayo? | las ocho y media
La répétition est à six heures et demie. | À quelle heure est la répétition ? | six heures et demie
Wilma wurde 1957 geboren. | Wann wurde Wilma geboren? | 1957
Wir haben 2013 geheiratet und 2016 gebaut. | Wann haben wir geheiratet? | 2013
The canoe was bought for 640 euros and sold for 410. | How much was the canoe sold for? | 410
Das Zelt wurde für 300 Euro gekauft und für 120 Euro verkauft. | Für wie viel wurde das Zelt gekauft? | 300 Euro
The hall costs 1,900 euros, the band 1,200. | How much does the band cost? | 1,200
The wiki is on port 7001 and the chat on port 7002. | Which port is the chat on? | port 7002
Lap 2 starts on 5 May and lap 3 on 30 June. | When does lap 3 start? | 30 June
Inge lives in Trier and Bodo in Celle. | Where does Bodo live? | Celle
Mireia vive en Lugo y su hermana en Vigo. | ¿Dónde vive la hermana de Mireia? | Vigo
Alfred ist 1960 geboren und seine Frau 1962. | Wann ist Alfreds Frau geboren? | 1962
The form is due before 5 May 2027. | When is the form due? | before 5 May 2027
Der Antrag muss vor dem 5. Mai 2027 gestellt werden. | Wann muss der Antrag gestellt werden? | vor dem 5. Mai 2027
Die Leiter steht hinter dem Schuppen. | Wo steht die Leiter? | hinter dem Schuppen
Das Training am Dienstag fällt aus. | Findet das Training am Dienstag statt? | Nein
The museum is closed on Mondays. | Is the museum open on Mondays? | No
Le musée est fermé le lundi. | Le musée est-il ouvert le lundi ? | Non
The book club meets every second Monday. | When does the book club meet? | every second Monday
Renate mag keine Pilze. | Mag Renate Pilze? | Nein
Ich habe den Anhänger für 700 Euro an Knut verkauft. | Wem habe ich den Anhänger verkauft? | Knut
Dad's scan went well; he comes home on 22 June. | When does Dad come home? | 22 June
Der Kopierer steht im dritten Stock. | Wo steht der Kopierer? | dritten Stock
Der Gärtner ist da. Herr Uhl heißt er übrigens, netter Kerl. | Wie heißt der Gärtner? | Herr Uhl
I told you nonsense about Dad's birthday. It's 12 May, the 14th is my uncle's. | When is Dad's birthday? | 12 May
Our back aches, the therapist, Dr Lowe, says we sit too much. | What is my therapist called? | Dr Lowe
I hope my sister Ada wins. | What is my sister called? | Ada
The garden budget is 2,300 euros. | What is the budget for the garden? | 2,300 euros
I have a Ford Puma. / I sold the Puma. | Do I still have the Ford Puma? | No
I take cello lessons. / I've dropped the cello. | Do I still take cello lessons? | No
My vet appointment is on 9 June. / The vet rang, they've pushed me back to 16 June. | When do I see the vet? | 16 June
Grandma lives in Hull. | Where does my grandmother live? | Hull
Dad's knee operation is on 9 September. | When is my dad's knee operation? | 9 September
Mamas Umzug wurde verschoben, auf den 4. Oktober. | Wann ist der Umzug meiner Mutter? | 4. Oktober
Maman habite à Rennes. | Où habite ma mère ? | Rennes
I got mum's birthday wrong, it's the 8th of July, not the 6th. | When is my mum's birthday? | 8 July
My recital is on 3 September, can you remind me the day before? | When is my recital? | 3 September
Mein Vorspiel ist am 3. September, kannst du mich erinnern? | Wann ist mein Vorspiel? | 3. September
Mi audición es el 3 de septiembre, ¿me lo puedes recordar? | ¿Cuándo es mi audición? | 3 de septiembre
We're on the second floor. | Which floor do we live on? | second floor
Wir wohnen im fünften Stock. | In welchem Stock wohnen wir? | fünften Stock
We sold the trailer to a nurse from Bath. | Who did we sell the trailer to? | a nurse
We're off to Crete in August, we're flying to Chania. | Where are we flying on holiday this summer? | Chania
Wir fahren im Juli nach Usedom. | Wohin fahren wir in den Urlaub? | Usedom
Colin is starting at Brightwell on 3 August. | Which company is Colin going to work for? | Brightwell
Colin got the job! He starts at Brightwell on 3 August. | When does Colin start his new job? | 3 August
I gave up wine in May. / I'm back on wine. | Do I drink wine? | Yes
Ich rauche nicht mehr. / Leider rauche ich wieder. | Rauche ich? | Ja
We have a Corsa. / The Corsa is gone. | Do we still have the Corsa? | No
Das Boot ist fertig! Wir haben es Möwe getauft. | Wie heißt unser Boot? | Möwe
My allotment is tiny. We called it Lilliput. | What is my allotment called? | Lilliput
We have a dog, Waldo, a setter mix. | What kind of dog is Waldo? | setter mix
I'm a midwife in Derby. | Where do I work? | Derby
Am 2. Juli habe ich Zahnarzt bei Dr. Imhoff. | Wie heißt mein Zahnarzt? | Dr. Imhoff
Vet first: I have an appointment with Dr Lomax on 2 July. | Who is my vet? | Dr Lomax
Ab 1. September ist Carla Wenzel meine Chefin. | Wer ist meine Chefin? | Carla Wenzel
My boss is Mr Tilly. / Mr Tilly leaves in July. From 1 August Ines Kolb is my boss. | Who is my boss? | Ines Kolb
Wir reden Englisch, weil Neil, mein Mann, aus Wales kommt. | Woher kommt mein Mann? | Wales
Wir brauchen Pässe, weil wir im Mai zu Neils Eltern nach Wales fliegen. | Fliegen wir im Mai nach Wales? | Ja
My dermatologist is Dr. Brauer. | What is my dermatologist called? | Dr. Brauer
Meine Hausärztin ist Frau Dr. Seidel. | Wie heißt mein Hausarzt? | Frau Dr. Seidel
We're planning to open the bakery in October. | When do we open the bakery? | October 2026
Wir wollen im September nach Island fahren. | Wann fahren wir nach Island? | September 2026
I live at 27 Harbour Street in Leith. | What is my address? | 27 Harbour Street
Ich wohne im Birkenweg 11b. | Wie ist meine Adresse? | Birkenweg 11b
J'habite 8 rue du Moulin à Nantes. | Quelle est mon adresse ? | 8 rue du Moulin
Ich habe eine Latexallergie. | Wogegen bin ich allergisch? | Latex
Ich habe eine Latexallergie. | Bin ich gegen Latex allergisch? | Ja
I'm down to 68 kilos. | How much do I weigh? | 68 kilos
We pay 890 euros rent. | What is our rent? | 890 euros
The car's number plate is LX 71 KRD. | What is my car's licence plate? | LX 71 KRD
My daughter plays the oboe. / I can't stand fennel. | Which vegetable do I hate? | fennel
My uncle lives in Gent. / She moved to Namur. | Where does my uncle live? | Gent
We use Triodos. | Which bank do we use? | Triodos
I told her "I live in Oslo". | Where do I live? | Oslo
The sign says "No parking". / I live in Bonn. | Where do I live? | Bonn
The estimate for the fence is 800 euros. | How much is the estimate for the fence? | 800 euros
Kestrel has a budget of 80,000 euros and a deadline of 30 June. | What is the budget of Kestrel? | 80,000 euros
Falke hat ein Budget von 20.000 Euro. | Wie hoch ist das Budget von Falke? | 20.000 Euro
Cóndor tiene un presupuesto de 40.000 euros. | ¿Cuál es el presupuesto de Cóndor? | 40.000 euros
I like green tea and hate coffee. | Do I like coffee? | No
I like green tea and hate coffee. | What do I hate? | coffee
Tim loves hiking but dislikes camping. | What does Tim like? | hiking
Mila can't stand olives. | Does Mila like olives? | No
Ich mag Jazz und hasse Techno. | Mag ich Techno? | Nein
J'aime le jazz et je déteste la techno. | Est-ce que j'aime la techno ? | Non
I sold my old bike for 150 euros. | Do I still have my old bike? | No
Ich habe mein Klavier verschenkt. | Habe ich noch ein Klavier? | Nein
I've been learning Portuguese since January. | Since when have I been learning Portuguese? | since January 2026
Ma cheffe s'appelle Thérèse Gilles. | Qui est ma cheffe ? | Thérèse Gilles
Soy alérgico a las nueces, pero no a las almendras. | ¿Soy alérgico a las almendras? | No
My coach to Ghent leaves at 6:40 from bay 12. | From which bay does my coach leave? | bay 12
Mein Zug nach Ulm fährt um 8:12 von Gleis 7. | Von welchem Gleis fährt mein Zug? | Gleis 7
The retro of Falcon is in room B12. | In which room is the retro of Falcon? | room B12
We run MariaDB 11 and Redis. | Which version of MariaDB do we run? | 11
Petrel uses version 2.3. / We upgraded Petrel to version 2.4. | Which version does Petrel use? | version 2.4
The staging server of Falcon is stage-3.falcon.example. | Which host does Falcon use for staging? | \
stage-3.falcon.example
Tim flew to Oslo from Bergen on 3 March. | From which city did Tim fly? | Bergen
Ich gehe montags zum Schwimmen. / Das Schwimmen ist jetzt mittwochs. | Wann gehe ich schwimmen? | mittwochs
Choir practice is every Wednesday at 8 pm. | When is choir practice? | every Wednesday at 8 pm
Die Probe ist jeden Mittwoch um 20 Uhr. | Wann ist die Probe? | jeden Mittwoch um 20 Uhr
La clase de yoga es todos los jueves. | ¿Cuándo es la clase de yoga? | todos los jueves
Le cours de piano a lieu chaque mercredi. | Quand a lieu le cours de piano ? | chaque mercredi
I'm allergic to celery, but not to sesame. | Am I allergic to sesame? | No
Vera likes jazz but not opera. | Does Vera like opera? | No
Ich mag Hunde, aber keine Katzen. | Mag ich Katzen? | Nein
Je mange du poisson mais pas de viande. | Est-ce que je mange de la viande ? | Non
I work on Mondays, not on Fridays. | Do I work on Fridays? | No
I don't eat pork, but I eat beef. | What don't I eat? | pork
Our dog is called Fips, he is a six-year-old terrier. | How old is Fips? | six
Unser Kater heißt Momo und ist elf Jahre alt. | Wie alt ist Momo? | elf
We have two sons, Ben (9) and Max (6). | What are our sons called? | Ben (9) and Max
My phone number is +44 20 7946 0001. | What is my phone number? | +44 20 7946 0001
The budget of Heron is 40,000 euros. / The budget of Heron was cut to 32,000 euros. | What is the budget of Heron? | \
32,000 euros
Anyway: I no longer smoke! | Do I still smoke? | No
Was anderes: ich rauche nicht mehr! | Rauche ich noch? | Nein
My new dentist, Dr. Patel, is on Mill Road, by the way. | Who is my dentist? | Dr. Patel
Meine Ärztin, Frau Dr. Huber, ist im Urlaub. | Wie heißt meine Ärztin? | Frau Dr. Huber
APT29 uses Hide Infrastructure (T1665) and Ping (S0097). | What does APT29 use? | \
Hide Infrastructure (T1665) and Ping (S0097)
The server (web-01) runs Debian 12 (bookworm). | What does the server run? | Debian 12 (bookworm)
Wir haben das Auto für 4.800 Euro verkauft, an einen Kollegen von Jonas. | \
Für wie viel haben wir das Auto verkauft? | 4.800 Euro
We sold the car for 4,800 euros to a colleague of Jonas. | For how much did we sell the car? | 4,800 euros
On a vendu la voiture 4 800 euros à un collègue. | Combien avons-nous vendu la voiture ? | 4 800 euros
Oma wünscht sich eine Kreuzfahrt. | Was wünscht sich Oma? | Kreuzfahrt
Freya wants a scooter for her birthday. | What does Freya want for her birthday? | scooter
Lena wants to live in Rome one day. | Where does Lena want to live? | Rome
Maja is from Gdansk and works at a bank. | Where does Maja work? | a bank
Rosario's sister has a dog called Toby. | What is Rosario's sister's dog called? | Toby
Mein Bruder hat am 3. Mai eine Prüfung. | Wann hat mein Bruder eine Prüfung? | 3. Mai
Nora lives in Rotterdam. / Spoke to Nora today. She's moved to Utrecht! | Where does Nora live? | Utrecht
Nora wohnt in Rotterdam. / Neues von Nora: sie ist nach Utrecht gezogen. | Wo wohnt Nora? | Utrecht
Nora studies Medicine in Jena. | Where does Nora study? | Jena
I visited Lisbon in May. | What did I visit in May? | Lisbon
Oma wird im März neunzig. | Wie alt wird Oma? | neunzig
Der Handwerker kommt Dienstag zwischen 8 und 10. | Wann kommt der Handwerker? | Dienstag, 16. Juni 2026
Meine Tochter arbeitet in einer Bäckerei. | Wo arbeitet meine Tochter? | einer Bäckerei
Piet spielt Handball. / Und Piet hat mit Handball aufgehört. | Spielt Piet noch Handball? | Nein
Silke hat gekündigt. Sie arbeitet nicht mehr im Klinikum. | Arbeitet Silke noch im Klinikum? | Nein
Omar has no allergies at all, lucky man. | Does Omar have any allergies? | No
Ich vertrage keine Laktose und bin gegen Sellerie allergisch. | Vertrage ich Laktose? | Nein
Ich vertrage keine Laktose und bin gegen Sellerie allergisch. | Wogegen bin ich allergisch? | Sellerie
Die Kollegin heißt Maren und ist Veganerin. | Ist Maren Veganerin? | Ja
Ana fuma. | ¿Fuma Ana? | Sí
Albrecht has left the choir. | Is Albrecht in the choir? | No
Je ne fume plus. | Est-ce que je fume encore ? | Non
Marcus leads Heron. / Priyanka is leading Heron from 1 March. | Does Marcus still lead Heron? | No
Marcus leads Heron. / Priyanka is leading Heron from 1 March. | Who leads Heron? | Priyanka
I'm Lead Cartographer from 1 July. | What is my job title from July? | Lead Cartographer
Bis 2015 habe ich in Bremen gelebt. | Bis wann habe ich in Bremen gelebt? | bis 31. Dezember 2015
I've been living in Ulm since 2021. | Seit wann wohne ich in Ulm? | since 2021
I'm Ruben, 29, from Utrecht. | How old am I? | 29
I'm Ruben, 29, from Utrecht. | Where am I from? | Utrecht
Soy de Vigo. | ¿De dónde soy? | Vigo
Je viens de Lille. | D'où viens-je ? | Lille
I don't eat pork. | Which meat do I not eat? | pork
The repo is at https://git.lumen.example/kite and the current release is 0.8. | Where is the repo? | https://git.lumen.example/kite
Wir haben einen Neuen, er heißt Anselm, kommt aus Graz und fängt am 1. April an. | Woher kommt Anselm? | Graz
Wir haben einen Neuen, er heißt Anselm, kommt aus Graz und fängt am 1. April an. | Wann fängt Anselm an? | 1. April
Mein Bruder Henning kommt aus Kassel, der ist Lehrer für Bio. | Was ist Henning von Beruf? | Lehrer
Owen, my partner, he's a physiotherapist at the Northern General. | What does Owen do? | physiotherapist
Owen, my partner, he's a physiotherapist at the Northern General. | Where does Owen work? | the Northern General
I work as a nurse at the General. | What do I do for a living? | nurse
Trabajo como enfermera en Vigo. | ¿A qué me dedico? | enfermera
Fiete ist 11 und Jule ist 7. | Wie alt ist Jule? | 7
My sister Wilma has two ponies, Flash and Watson. | What are Wilma's ponies called? | Flash and Watson
Ich habe zwei Katzen, Hobel und Feile. | Wie heißen meine Katzen? | Hobel und Feile
The contact is Ms Brandl, brandl@lumen.example. | What is Ms Brandl's e-mail address? | brandl@lumen.example
Meine Schwester Fenna hat sich verlobt, mit Daan! | Mit wem ist Fenna verlobt? | Daan
Meine Mutter hat geweint. Sie heißt Anke, ist 71 und wohnt in Schleswig. | Where does my mother live? | Schleswig
My home is Leipzig. / I have moved to Vilnius. | Where do I live? | Vilnius
Vivo en Leipzig. / Me he mudado a Vilnius. | ¿Dónde vivo? | Vilnius
My brother Edu lives in Bilbao. / My brother no longer works at Nerua. | Does Edu still work at Nerua? | No
My brother Edu lives in Bilbao. / Edu works at Nerua. | Where does my brother work? | Nerua
Mi hermano Edu vive en Bilbao con su mujer, Amaia. | ¿Cómo se llama la mujer de Edu? | Amaia
Pauls bester Freund ist Theo, der wohnt in Husum. | Who is Paul's best friend? | Theo
Unsere Tierärztin heißt Frau Dr. Stauffer. | Who is our vet? | Frau Dr. Stauffer
Dilara ist seit heute meine Chefin. | Wer ist meine Chefin? | Dilara
My boss is called Maite Soler. | Who is my boss? | Maite Soler
Cambié el wifi, la nueva contraseña es rana26. | ¿Cuál es la contraseña del wifi? | rana26
La dirección nueva: calle Murta 17, puerta 6 | What is our new address? | calle Murta 17, puerta 6
Our insurance is with Huk, policy number 884-221-07. | What is the policy number of our insurance? | 884-221-07
Mechanic: Talleres Blasco, 963 55 12 08 | What's the phone number of Talleres Blasco? | 963 55 12 08
Mi novia se llama Clara y es enfermera en La Fe. | What does Clara do? | enfermera
Mi novia se llama Clara y es enfermera en La Fe. | Where does Clara work? | La Fe
My mother's name is Pilar, she lives in Teruel. | ¿Dónde vive mi madre? | Teruel
Berta es abogada, trabaja en Deloitte. | What does Berta do? | abogada
My best friend Hugo is getting married on 13 June in Altea. | When is Hugo's wedding? | 13 June
El cumple de Clara es el 19 de abril. | When is Clara's birthday? | 19 de abril
My sister Ruth lives in Leeds. / She moved there in 2017. | Where does my sister live? | Leeds
Mark ist gegen Nüsse und Eier allergisch. | Wogegen ist Mark allergisch? | Nüsse und Eier
Je vis à Lyon. / J'ai une sœur, Agathe, qui habite à Bruxelles. | Où est-ce que j'habite ? | Lyon
Je vis à Lyon. / J'ai une sœur, Agathe, qui habite à Bruxelles. | Où habite Agathe ? | Bruxelles
Ich wohne in Graz. / Ich habe eine Schwester, Ada, die in Rom wohnt. | Wo wohne ich? | Graz
Vivo en Vigo. / Tengo una hermana, Ada, que vive en Roma. | ¿Dónde vivo? | Vigo
My cat weighs 4 kg. / Sorry, I said my cat weighs 4 kg, it's 5 kg. | How much does my cat weigh? | 5 kg
I have two nieces, Carla and Bea. | What are the names of my nieces? | Carla and Bea
We live with our sons Max and Emil. | What are our sons called? | Max and Emil
Pia turns eight on 9 June. | When is Pia's birthday? | 9 June
Jonas wird am 7. Juli neun. | Wann hat Jonas Geburtstag? | 7. Juli
Irene cumple diez años el 3 de mayo. | ¿Cuándo es el cumpleaños de Irene? | 3 de mayo
My partner plays the oboe. | Which instrument does my partner play? | oboe
I drive a green Fiat. | What colour is my car? | green
I drive a green Fiat. | What car do I drive? | Fiat
Our poodle Coco is four. | What breed is our dog? | poodle
Our poodle Coco is four. | How old is our dog? | four
I have a Pixel 8, my wife has an iPhone 15. | Which phone do I have? | Pixel 8
Tina has been learning Polish since May. | Which language is Tina learning? | Polish
My bank is Fidor. | Which bank do I use? | Fidor
Mein Tarif ist Blau M. | Welchen Tarif habe ich? | Blau M
Mi gimnasio es Olimpo. | ¿Qué gimnasio tengo? | Olimpo
The toaster is from Braun. | What brand is the toaster? | Braun
Der Kühlschrank ist von Bosch. | Von welcher Marke ist der Kühlschrank? | Bosch
Our loan is with Sparda. | Which bank is our loan with? | Sparda
Nils is in class two at the Albert Camus school. | Which school does Nils go to? | the Albert Camus school
The tablet has 64 GB of storage. | How much storage does the tablet have? | 64 GB
I take 75 micrograms of thyroxine. | How much thyroxine do I take? | 75 micrograms
I wear size 43 boots. | What is my boot size? | 43
We upgraded to Django 5 last week. | Which Django version do we use? | 5
I have a haircut on Friday at 4 pm. | What time is my haircut? | 4 pm
Since March the museum opens at 11. | When does the museum open? | 11
I do judo on Thursday evenings. | When do I do judo? | Thursday evenings
My cousin Tom moved to Malmo five years ago. | Where does my cousin Tom live? | Malmo
My tablet is a ThinkBook with 16 GB of RAM. | How much RAM does my tablet have? | 16 GB
Alder is run by Greta. | Who runs Alder? | Greta
Rübenkraut esse ich nicht. | Esse ich Rübenkraut? | Nein
Mein Zahnarzt ist Dr. Lenz, seine Praxis ist in Moers. | Wo ist die Praxis meines Zahnarztes? | Moers
Emma is vegan, I'm not. | Am I vegan? | No
No me gusta el hígado, pero me encanta el queso. | ¿Me gusta el queso? | Sí
No me gusta el hígado, pero me encanta el queso. | ¿Me gusta el hígado? | No
Tenemos un gato, Milo, que tiene dos años. | ¿Cuántos años tiene Milo? | dos años
We have a hamster, Flo, who is two years old. | How old is Flo? | two
Notre bus part à 6 h 50. | À quelle heure part notre bus ? | 6 h 50
Mi hijo va al colegio Cervantes. | ¿A qué colegio va mi hijo? | colegio Cervantes
Toni trabaja en el puerto. | ¿Dónde trabaja Toni? | el puerto
My name is Clara Bonnet. | What is my name? | Clara Bonnet
The water bill is 48 euros. / It went up to 55 euros. | How much is the water bill? | 55 euros
The roof budget is 8,000 euros. / We raised the roof budget to 9,500 euros. | What is the roof budget? | 9,500 euros
I have a subscription to Onyx. / I cancelled Onyx yesterday. | Do I still have an Onyx subscription? | No
Das Turnen ist jeden Freitag. / Das Turnen fällt ab sofort aus. | Findet das Turnen noch statt? | Nein
My train to Bari leaves on 4 July. / Sorry, I meant 6 July for it. | When does my train to Bari leave? | 6 July
Ava is engaged to Leo. / Ava and Leo broke off the engagement. | Is Ava still engaged to Leo? | No
I'm allergic to aspirin. | Can I take aspirin? | No
Ich bin gegen Penicillin allergisch. | Kann ich Penicillin nehmen? | Nein
Rosa is allergic to cashews. | Can Rosa eat cashews? | No
Wir haben einen alten Fiat. / Den Fiat sind wir endlich los. | Haben wir den Fiat noch? | Nein
Tom unterrichtet Mathe und Sport. | Which subjects does Tom teach? | Mathe und Sport
Klettern ist donnerstags. / Klettern ist ab jetzt montags, er kann donnerstags nicht. | Wann ist Klettern? | montags
We live in Bern with our two boys, Max and Tim. | How many boys do we have? | two
We have a Kia Niro. | ¿Qué coche tenemos? | Kia Niro
I sold the kayak to Ignatius. | Who bought the kayak? | Ignatius
Auntie Bea lent her caravan to the Osbornes. | Who has the caravan? | the Osbornes
Wir haben den Kinderwagen an Familie Yilmaz verkauft. | Wer hat den Kinderwagen gekauft? | Familie Yilmaz
Le he regalado la guitarra a mi sobrino Unai. | ¿Quién tiene ahora la guitarra? | mi sobrino Unai
J'ai prêté la perceuse à Mathurin. | Qui a la perceuse ? | Mathurin
We have a brindle greyhound called Comet. | What breed is Comet? | greyhound
Quel dommage, notre caniche Ficelle est malade. | Quelle est la race de Ficelle ? | caniche
My nephew Cosmo is allergic to sesame. | What can't Cosmo eat? | sesame
I smoke a pipe on Sundays. | Am I a smoker? | Yes
I bring home 2,900 pounds a month; I earn 3,700 pounds before tax. | What's my salary? | 3,700 pounds
Ich verdiene 4.100 Euro brutto. | Wie hoch ist mein Gehalt? | 4.100 Euro
Je gagne 2 450 euros net. | Quel est mon salaire ? | 2 450 euros
Gano 1.950 euros al mes. | ¿Cuál es mi sueldo? | 1.950 euros
I wake up at 6:10 on weekdays. | When do I get up? | 6:10
The chemist's shuts at seven. | When does the pharmacy close? | seven
My niece Tamsin mended the kettle. | Who fixed the kettle? | My niece Tamsin
I go to the office by ferry. | How do I get to work? | by ferry
Ich fahre mit der Straßenbahn ins Büro. | Wie komme ich zur Arbeit? | mit der Straßenbahn
Voy al trabajo en moto. | ¿Cómo voy al trabajo? | en moto
Je vais au bureau à pied. | Comment je vais au travail ? | à pied
We postponed the barbecue because half the guests are ill. | Why did we postpone the barbecue? | half the guests are ill
Wir sagen das Picknick ab, weil es den ganzen Tag regnet. | Warum sagen wir das Picknick ab? | es den ganzen Tag regnet
The flea market runs from 18:00 to 23:30. | When does the flea market end? | 23:30
Der Flohmarkt geht von 8 bis 14 Uhr. | Wann beginnt der Flohmarkt? | 8
We've got three gerbils and a parrot. | What pets do we have? | three gerbils and a parrot
I'm a vegan. | Do I eat cheese? | No
The kickoff moved from room 3 to room 8. | Which room is the kickoff in? | room 8
I gave up sugar in 2021. | When did I stop eating sugar? | 2021
The roofer wants 2,250 euros for the gutter. | How much does the gutter cost? | 2,250 euros
Der Schreiner verlangt 640 Euro für das Regal. | Was kostet das Regal? | 640 Euro
We have two budgies. / We have two goats, Hilda and Ferdinand. | What are the goats called? | Hilda and Ferdinand
Mi cuñada Amparo trabaja de bibliotecaria. | ¿A qué se dedica Amparo? | bibliotecaria
My uncle celebrated his 90th birthday in May. | How old is my uncle? | 90
Our lane is being resurfaced until 19 June. | How long is our lane being resurfaced? | until 19 June 2026
We own a cabin in Jämtland. | Where is our cabin? | Jämtland
We buy our honey from Leocadia. | Who do we buy our honey from? | Leocadia
Tilly is doing a master's in hydrology at Leeds. | What does Tilly study? | hydrology
Tilly is doing a master's in hydrology at Leeds. | Where does Tilly study? | Leeds
Edgar and Rosamund have split up. | Is Edgar still with Rosamund? | No
My tutor is Dr Penn, her office is room 4.07 now. | Where is Dr Penn's office? | room 4.07
I share a house with Ottoline and Bram. | Who do I live with? | Ottoline and Bram
My moped got stolen in April. | What happened to my moped? | My moped got stolen in April
I volunteer at a seal rescue in Cornwall. | Where is the seal rescue? | Cornwall
I work in a brewery called Old Heron. | Where do I work? | Old Heron
Wir wohnen im Tannenweg 5, vierter Stock. | In welchem Stock wohnen wir? | vierter Stock
Grandad gave us a tortoise, it's called Methuselah. | What's our tortoise called? | Methuselah
Our lease runs out in March 2028. | When does our lease end? | March 2028
The recital is on Friday at 7 pm. | When is the recital? | Friday 12 June 2026 at 7 pm
We're having the viewing at the end of July. | When is the viewing? | the end of July 2026
Ada paints and Ben has quit judo. | Does Ada paint? | Yes
I play chess and Ottilie does judo. / Ottilie has given up judo. | Do I play chess? | Yes
The storage unit costs 80 euros a month. | The storage unit costs how much? | 80 euros
My cousin lives in Ghent. | And my cousin lives where? | Ghent
The vet is on Friday at 4 pm. | The vet is at what time again? | 4 pm
Meine Cousine wohnt in Celle. | Meine Cousine wohnt wo? | Celle
Die Probe ist am Freitag. | Die Probe ist wann? | Freitag, 12. Juni 2026
Mi prima vive en Lugo. | ¿Y mi prima vive dónde? | Lugo
El ensayo es el viernes. | ¿El ensayo es cuándo? | viernes 12 de junio de 2026
Le code du portail est 4471. | Le code du portail, c'est quoi déjà ? | 4471
Ma cousine habite à Pau. | Ma cousine habite où ? | Pau
Le garage coûte 70 euros par mois. | Le garage, c'est combien ? | 70 euros
Our canoe is called Wanda. | What did we name our canoe? | Wanda
Our canoe is called Wanda. | What did I end up calling our canoe? | Wanda
Unser Kanu heißt Wanda. | Wie haben wir unser Kanu getauft? | Wanda
Nuestra barca se llama Wanda. | ¿Cómo hemos llamado nuestra barca? | Wanda
Notre barque s'appelle Wanda. | Comment est-ce qu'on a baptisé notre barque ? | Wanda
I live in Ghent. / They moved the wedding to Rome. | Where do I live? | Ghent
Ben's birthday is on 4 May. / Ben forgot it last year. | When is Ben's birthday? | 4 May
The gym is in Hall 7. | Where is the gym? | Hall 7
The meeting is in Room 12. | Where is the meeting? | Room 12
I keep my bike at Dock 9. | Where do I keep my bike? | Dock 9
Ich wohne in Zimmer 3. | Wo wohne ich? | Zimmer 3
Das Büro ist im 3. Stock. | In welchem Stock ist das Büro? | 3. Stock
Das Büro ist im 3. Stock. | In welchem Stock ist das Büro? | 3. Stock
Ich wohne im 3. Stock. | In welchem Stock wohne ich? | 3. Stock
Unser Büro liegt im 12. Stock. | In welchem Stock liegt unser Büro? | 12. Stock
Das Büro ist im dritten Stock. | In welchem Stock ist das Büro? | dritten Stock
The storage unit costs 80 euros a month. | The storage unit costs how much again? | 80 euros
The choir starts at 7 pm. | The choir starts when? | 7 pm
The choir starts at 7 pm. | The choir starts at what time? | 7 pm
My cousin works at Ikea. | My cousin works where? | Ikea
The spare key is under the blue pot. | The spare key is where again? | under the blue pot
Ben was born in 1984. | Ben was born when? | 1984
Notre barque s'appelle Wanda. | Comment est-ce qu'on a baptisé notre barque ? | Wanda
Le cours commence à 19 h. | Le cours commence à quelle heure ? | 19 h
Mon cousin travaille chez Airbus. | Mon cousin travaille où ? | Airbus
Der Kurs beginnt um 19 Uhr. | Der Kurs beginnt um wie viel Uhr? | 19 Uhr
Mein Cousin arbeitet bei Bosch. | Mein Cousin arbeitet wo? | Bosch
Mi primo trabaja en Seat. | ¿Mi primo trabaja dónde? | Seat
La clase empieza a las 19 h. | ¿La clase empieza a qué hora? | 19 h
I booked Casa Luz. / Actually I booked Hotel Miró instead. | Which hotel did I book? | Hotel Miró
My husband Karim is lactose intolerant, by the way. | What is Karim allergic to? | lactose
My husband Karim is lactose intolerant, by the way. | What can't Karim eat? | lactose
My niece is severely allergic to bees. | What is my niece allergic to? | bees
Ben is gluten intolerant. | What can Ben not eat? | gluten
Mi hija es intolerante a la lactosa. | ¿A qué es alérgica mi hija? | lactosa
Ma fille est intolérante au gluten. | À quoi ma fille est-elle allergique ? | gluten
I can't eat dairy. | What can't I eat? | dairy
Ben doesn't eat pork. | What doesn't Ben eat? | pork
Max darf keine Nüsse essen. | Was darf Max nicht essen? | Nüsse
Ma cousine prend le bus. | Que prend ma cousine ? | bus
Papa prend un café le matin. | Que boit papa le matin ? | un café
Le mot de passe du wifi, c'est tournesol42. | Quel est le mot de passe du wifi ? | tournesol42
Le mot de passe du wifi, c'est tournesol42. | C'est quoi, le mot de passe du wifi ? | tournesol42
Mon dentiste, c'est le docteur Blum. | Qui est mon dentiste ? | le docteur Blum
My brother's name, it's Lucas. | What's my brother's name? | Lucas
Le prénom de mon frère, c'est Lucas. | Quel est le prénom de mon frère ? | Lucas
El código del portal, es 4471. | ¿Cuál es el código del portal? | 4471
Das WLAN-Passwort, das ist tournesol42. | Wie lautet das WLAN-Passwort? | tournesol42
Notre anniversaire de mariage, c'est le 27 septembre. | C'est quand, notre anniversaire de mariage ? | 27 septembre
The kids' piano teacher is Madame Lefort. | Qui est le professeur de piano des enfants ? | Madame Lefort
La profesora de piano de Lola es Carmen Ruiz. | Who is Lola's piano teacher? | Carmen Ruiz
Le professeur de guitare de Théo s'appelle Marc. | What is Théo's guitar teacher called? | Marc
My new phone number is 06 45 12 88 09. | Quel est mon numéro de téléphone ? | 06 45 12 88 09
My new phone number is 06 45 12 88 09. | ¿Cuál es mi número de teléfono? | 06 45 12 88 09
Meine neue Telefonnummer ist 0176 4455667. | What is my phone number? | 0176 4455667
Mon numéro de téléphone est le 06 45 12 88 09. | What's my number? | 06 45 12 88 09
Mi número de teléfono es el 655 123 456. | Wie ist meine Telefonnummer? | 655 123 456
Die Hochzeit meiner Schwester ist am 6. Juni. | When does my sister get married? | 6. Juni
Meine Schwester heiratet am 6. Juni in Izmir. | When is my sister's wedding? | 6. Juni
Meine Schwester heiratet am 6. Juni in Izmir. | Where is my sister getting married? | Izmir
Ma sœur se marie le 6 juin à Nice. | When is my sister getting married? | 6 juin
Mi hermana se casa el 6 de junio en Vigo. | When is my sister's wedding? | 6 de junio
My sister is getting married on 6 June in Vigo. | ¿Cuándo se casa mi hermana? | 6 June
My sister is getting married on 6 June in Vigo. | ¿Dónde se casa mi hermana? | Vigo
My nephew Cormac is getting married on 11 July in Galway. | Wo heiratet mein Neffe? | Galway
My sister's wedding is on 6 June. | Wann heiratet meine Schwester? | 6 June
Ich lerne Schwedisch, weil wir im Sommer nach Malmö fahren. | Wo fahren wir im Sommer hin? | Malmö
Ich lerne Schwedisch, weil wir im Sommer nach Malmö fahren. | Where are we going in summer? | Malmö
Could you remind me to renew my passport? It expires on 9 August. | Wann läuft mein Reisepass ab? | 9 August
Mein Reisepass läuft am 9. August ab. | When does my passport expire? | 9. August
Our dog Biscuit is a border collie. | What breed is our dog? | border collie
Unsere Katze ist eine Maine Coon. | Welche Rasse ist unsere Katze? | Maine Coon
We adopted a cat last weekend, we named her Pixel. | What is our cat called? | Pixel
Wir haben eine Katze adoptiert, wir haben sie Pixel genannt. | Wie heißt unsere Katze? | Pixel
Mein Vertrag läuft am 30. Juni aus. | When does my contract end? | 30. Juni
Mi contrato vence el 30 de junio. | When does my contract expire? | 30 de junio
Mein Zug kommt um 18:40 an. | When does my train arrive? | 18:40
Der Kurs fängt um 9 an. | When does the course start? | 9
Mi pasaporte caduca el 9 de agosto. | Wann läuft mein Reisepass ab? | 9 de agosto
Our dog Biscuit is a border collie. | What breed is our dog? | border collie
Unsere Katze ist eine Maine Coon. | Welche Rasse ist unsere Katze? | Maine Coon
Notre chien est un golden retriever. | Quelle est la race de notre chien ? | golden retriever
I have a Pixel 8. | Which phone do I have? | Pixel 8
I drive a grey Volvo V60. | What car do I drive? | Volvo V60
We adopted a cat last weekend, we named her Pixel. | What is our cat called? | Pixel
We adopted a cat last weekend, we named her Pixel. | What is our cat called? | Pixel
We adopted a cat last weekend and named her Pixel. | What is our cat called? | Pixel
We got a puppy and called her Luna. | What is our puppy called? | Luna
We have a new kitten. We're calling him Otto. | What is our kitten called? | Otto
Wir haben einen Hund bekommen, wir haben ihn Bruno genannt. | Wie heißt unser Hund? | Bruno
Wir haben einen Welpen bekommen und ihn Bruno genannt. | Wie heißt unser Welpe? | Bruno
On a adopté un chat, on l'a appelé Pixel. | Comment s'appelle notre chat ? | Pixel
On a adopté une chatte et on l'a appelée Plume. | Comment s'appelle notre chatte ? | Plume
Nous nous sommes mariés en 2012. | When did we get married? | 2012
Wir haben 2013 geheiratet. | When did we get married? | 2013
We got married in 2013. | Wann haben wir geheiratet? | 2013
Nos casamos en 2013. | When did we get married? | 2013
We got married in 2013. | ¿Cuándo nos casamos? | 2013
Tengo un perro que se llama Trasto. | ¿Cómo se llama mi perro? | Trasto
We have a dog that is called Rex. | What is my dog called? | Rex
Mein Mann hat am 3. Mai Geburtstag. | Wann hat mein Mann Geburtstag? | 3. Mai
Meine Mutter hat am 3. Mai Geburtstag. | Wann hat meine Mutter Geburtstag? | 3. Mai
Ich habe am 14. Februar Geburtstag. | Wann habe ich Geburtstag? | 14. Februar
Die Adresse meines Bruders ist Hauptstraße 4. | Wie lautet die Adresse meines Bruders? | Hauptstraße 4
Der Geburtstag meines Mannes ist am 3. Mai. | Wann hat mein Mann Geburtstag? | 3. Mai
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
I've got a meeting with Mr. Patel on Thursday at 3. | When is my meeting with Mr. Patel? | Thursday 4 June 2026 at 3
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
My cousin Nadia is getting married in Bergen next summer. | Who is getting married in Bergen? | Nadia
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
My dad is a retired teacher. | What did my dad do before he retired? | teacher
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
"""

UNANSWERED = """
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
Otto is here. The parcel is from Nora. She's moved to Utrecht! | Where does Nora live?
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
"""


def answer(turns: str, question: str) -> str:
    with MemoryManager(
        ":memory:", user="kim", llm="none", settings=Settings(worker="none"), clock=FrozenClock("2026-06-20T10:00:00Z")
    ) as memory:
        for day, text in enumerate(turns.split(" / "), start=10):
            turn = {"role": "user", "content": text, "at": f"2026-06-{day}T10:00:00Z"}
            memory.remember_messages([turn], session="talk")
        memory.flush()
        found = memory.synthesize(question)
        return "" if found.abstained else str(found.synthesis["answer"])


@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_what_was_stated_answers(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_what_was_not_stated_does_not_answer(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""


KNOWN = (
    "My sister Lena lives in Rome. / Lena works at Bosch. / Lena's husband likes jazz. / Bo lives in Oslo. / "
    "Lena moved to Bern. / The Kestrel project is due on 3 May 2026. / "
    "The budget of the Kestrel project is 20,000 euros. / Nora leads the Kestrel project."
)
OF_LENA = "Lena works at Bosch. Lena moved to Bern."
OF_KESTREL = (
    "The Kestrel project is due on 3 May 2026. The budget of the Kestrel project is 20,000 euros. "
    "Nora leads the Kestrel project."
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What do you know about Lena?", OF_LENA),
        ("Tell me everything about Lena.", OF_LENA),
        ("Was weißt du über Lena?", OF_LENA),
        ("¿Qué sabes de Lena?", OF_LENA),
        ("Que sais-tu de Lena ?", OF_LENA),
        ("Summarise the Kestrel project", OF_KESTREL),
        ("What do you know about Lena's husband?", "Lena's husband likes jazz."),
        ("What do you know about Zoe?", ""),
        ("Summarise the Falcon project", ""),
    ],
)
def test_all_that_is_known_of_somebody_or_something(question: str, expected: str) -> None:
    assert answer(KNOWN, question) == expected


def test_a_name_is_cited_where_it_is_stated() -> None:
    with MemoryManager(":memory:", llm="none", settings=Settings(worker="none")) as memory:
        turns = ["My dog's name is Biscuit now.", "He is all ears. He sleeps on the sofa."]
        memory.remember_messages([{"role": "user", "content": turn} for turn in turns], session="talk")
        found = memory.synthesize("What is the name of my dog?")
        assert found.synthesis["answer"] == "Biscuit"
        assert found.sources[0]["quote"] == turns[0]
