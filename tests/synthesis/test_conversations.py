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
I share a house with Ottoline and Bram. | Who do I live with? | Ottoline and Bram
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


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


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
def test_everything_known_about_a_person_or_a_thing(question: str, expected: str) -> None:
    assert answer(KNOWN, question) == expected


def test_a_name_is_cited_where_it_is_stated() -> None:
    with MemoryManager(":memory:", llm="none", settings=Settings(worker="none")) as memory:
        turns = ["My dog's name is Biscuit now.", "He is all ears. He sleeps on the sofa."]
        memory.remember_messages([{"role": "user", "content": turn} for turn in turns], session="talk")
        found = memory.synthesize("What is the name of my dog?")
        assert found.synthesis["answer"] == "Biscuit"
        assert found.sources[0]["quote"] == turns[0]
