"""Which day a time means that a text leaves open: the next or the last, in answers, windows and checks of answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

NOW = "2026-05-13T09:00:00+00:00"  # a Wednesday
QUIET = Settings(worker="none")


def opened(now: str = NOW) -> MemoryManager:
    return MemoryManager(":memory:", embedder=None, settings=QUIET, clock=FrozenClock(now))


@pytest.fixture(scope="module")
def users() -> Iterator[Iterator[MemoryManager]]:
    """Empty memories: those of ever new users of one store."""
    with opened() as root:
        yield (root.scoped(user=f"user-{number}") for number in count())


@pytest.fixture
def memory(users: Iterator[MemoryManager]) -> MemoryManager:
    return next(users)


# Statements, by the day that they mean.
INTENDED = """
2025-05-29  We were in Rome from 29 May to 3 June
2025-06-12  My brother got married on 12 June.
2025-06-12  Meine Schwester hat am 12. Juni geheiratet.
2025-06-12  Die Hochzeit war am 12. Juni.
2025-06-12  Mi hermana se casó el 12 de junio.
2025-06-12  La boda fue el 12 de junio.
2025-06-12  Ma sœur s'est mariée le 12 juin.
2025-06-12  Le mariage était le 12 juin.
2025-09-01  School started on September 1
2025-09-01  Die Schule begann am 1. September
2025-09-01  El curso empezó el 1 de septiembre
2025-09-01  L'école a commencé le 1er septembre
2025-09-01  We went to Lisbon in September.
2025-09-01  Im September sind wir umgezogen.
2025-09-01  En septiembre fuimos a Lisboa.
2025-09-01  En septembre, on a déménagé à Lisbonne.
2025-10-01  We visited Porto in October
2025-10-01  Wir sind im Oktober umgezogen
2026-02-03  My passport expired on 3 February.
2026-02-03  Mein Pass ist am 3. Februar abgelaufen.
2026-02-03  El pasaporte caducó el 3 de febrero.
2026-02-03  Mon passeport a expiré le 3 février.
2026-02-14  We had our first date on 14 February.
2026-03-01  The lease expired in March
2026-03-01  Der Vertrag endete im März
2026-03-01  El contrato venció en marzo
2026-03-01  Le bail a expiré en mars
2026-04-01  Ana married last month
2026-04-20  Ana visited us on the 20th.
2026-04-20  The exam took place 3 weeks ago
2026-04-27  The course ended two weeks ago
2026-04-27  Der Kurs endete vor zwei Wochen
2026-04-27  El curso terminó hace dos semanas
2026-04-27  Le cours a fini il y a deux semaines
2026-05-01  I moved to Berlin on 1 May
2026-05-05  I paid the rent on the 5th
2026-05-05  Ich habe die Miete am 5. bezahlt
2026-05-05  Pagué el alquiler el 5.
2026-05-05  J'ai payé le loyer le 5.
2026-05-07  The plumber came on Thursday.
2026-05-07  The plumber couldn't come on Thursday.
2026-05-07  Der Handwerker kam am Donnerstag.
2026-05-07  Der Handwerker ist am Donnerstag gekommen.
2026-05-07  El fontanero vino el jueves.
2026-05-07  Le plombier est venu jeudi.
2026-05-08  I met Ana on Friday
2026-05-08  I've met Ana on Friday
2026-05-08  Ana left on Friday and comes back on Monday
2026-05-08  The exam was last Friday
2026-05-08  Ich habe am Freitag Ana getroffen
2026-05-08  Das Auto wurde am Freitag repariert
2026-05-08  El examen fue el viernes
2026-05-08  Conocí a Ana el viernes
2026-05-08  J'ai rencontré Ana vendredi
2026-05-08  I finished the book on Friday.
2026-05-08  He read it on Friday.
2026-05-08  Wir haben am Freitag bei Oma gegessen.
2026-05-09  The party was great on Saturday
2026-05-09  The party on Saturday was great
2026-05-09  On Saturday, we flew to Rome
2026-05-09  On Saturday we flew to Rome
2026-05-09  I booked the flight on Saturday
2026-05-09  Had a great time with Ana on Saturday
2026-05-09  Just got back from the concert on Saturday
2026-05-09  Ich bin am Samstag nach Rom geflogen
2026-05-09  Ich war am Samstag in Rom
2026-05-09  Am Samstag flogen wir nach Rom
2026-05-09  Am Samstag sind wir nach Rom geflogen
2026-05-09  Ich habe am Samstag geheiratet
2026-05-09  Er kaufte das Rad am Samstag
2026-05-09  Ich habe am Samstag einen Tisch reserviert
2026-05-09  Mi vuelo salió el sábado
2026-05-09  Compré la bici el sábado
2026-05-09  El sábado pasado fuimos a Roma
2026-05-09  Mon vol est parti samedi
2026-05-09  La fête de samedi était super
2026-05-09  Samedi, nous sommes partis à Rome
2026-05-09  Samedi nous avons mangé à Rome
2026-05-09  J'ai réservé une table samedi
2026-05-09  Had dinner with the Okafors on Saturday.
2026-05-09  The concert on Saturday was cancelled.
2026-05-09  Das Konzert am Samstag war ausverkauft.
2026-05-09  Am Samstag gab Mia ein Konzert.
2026-05-09  El concierto del sábado fue genial.
2026-05-09  Cenamos con los Okafor el sábado pasado.
2026-05-09  Le concert de samedi était génial.
2026-05-09  On a dîné chez les Okafor samedi.
2026-05-10  Mia's recital on Sunday went really well.
2026-05-10  My sister flew in on Sunday.
2026-05-10  I sprained my ankle on Sunday.
2026-05-10  I sold the bike on Sunday.
2026-05-10  Ich hab mir am Sonntag den Knöchel verstaucht.
2026-05-10  Vendí la bici el domingo.
2026-05-10  Me torcí el tobillo el domingo.
2026-05-10  J'ai vendu le vélo dimanche.
2026-05-10  Je me suis tordu la cheville dimanche.
2026-05-11  We met on Monday
2026-05-11  The shop was closed on Monday
2026-05-11  The exam was this Monday
2026-05-11  Wir trafen uns am Montag
2026-05-11  Wir haben uns am Montag getroffen
2026-05-11  Das Treffen am Montag war gut
2026-05-11  Der Laden war am Montag geschlossen
2026-05-11  Hemos visto a Ana el lunes
2026-05-11  Nos vimos el lunes
2026-05-11  La tienda estaba cerrada el lunes
2026-05-11  Estuvimos en Roma el lunes
2026-05-11  Le magasin était fermé lundi
2026-05-11  On s'est vus lundi
2026-05-11  Picked up the keys on Monday.
2026-05-11  Tom said he left on Monday.
2026-05-11  I started my new job on Monday.
2026-05-11  Ich habe am Montag den Führerschein gemacht.
2026-05-11  Am Montag hatte ich frei.
2026-05-11  Tom sagte, dass er am Montag abgereist ist.
2026-05-11  Ich fing am Montag an.
2026-05-11  Empecé el lunes.
2026-05-11  Trabajaba el lunes.
2026-05-11  J'ai commencé lundi.
2026-05-12  I went to the dentist on Tuesday
2026-05-12  Fui al dentista el martes
2026-05-12  Je suis allée chez le dentiste mardi
2026-05-12  I submitted the grant application on Tuesday.
2026-05-12  Yesterday I heard that Ana has surgery on Friday.
2026-05-12  Entregué el informe el martes.
2026-05-12  He entregado el informe el martes.
2026-05-12  J'ai rendu le rapport mardi.
2026-05-14  The plumber is supposed to come on Thursday.
2026-05-14  The plumber can come on Thursday.
2026-05-14  The car goes in for service on Thursday.
2026-05-14  The release slipped from Monday to Thursday.
2026-05-14  The demo got moved to Thursday.
2026-05-14  They pushed the demo to Thursday.
2026-05-14  Der Handwerker kommt am Donnerstag.
2026-05-14  El fontanero viene el jueves.
2026-05-14  Le plombier vient jeudi.
2026-05-15  Exam: Friday
2026-05-15  The report is due on Friday
2026-05-15  The report is due Friday
2026-05-15  I was told the exam is on Friday
2026-05-15  The meeting was moved to Friday
2026-05-15  The meeting was moved from Thursday to Friday
2026-05-15  I met Ana, who is leaving on Friday
2026-05-15  The exam is this Friday
2026-05-15  The exam is next Friday
2026-05-15  Prüfung: Freitag
2026-05-15  Ich habe am Freitag eine Prüfung
2026-05-15  Das Treffen wurde auf Freitag verschoben
2026-05-15  Das Treffen wurde von Donnerstag auf Freitag verschoben
2026-05-15  Das Auto wird am Freitag repariert
2026-05-15  Ich habe gehört, dass die Prüfung am Freitag ist
2026-05-15  Weil ich am Freitag eine Prüfung habe, lerne ich
2026-05-15  El examen es el viernes
2026-05-15  La reunión se aplazó al viernes
2026-05-15  La reunión se aplazó del jueves al viernes
2026-05-15  Mon examen est vendredi
2026-05-15  J'ai un examen vendredi
2026-05-15  La réunion a été reportée à vendredi
2026-05-15  La réunion a été reportée de jeudi à vendredi
2026-05-15  I finish work at 5 on Friday.
2026-05-15  See you on Friday!
2026-05-15  Thanks for coming on Friday!
2026-05-15  Bis Freitag muss der Bericht fertig sein.
2026-05-15  Ich muss bis Freitag abgeben.
2026-05-15  Wir essen am Freitag bei Oma.
2026-05-15  Freitag fliege ich nach Rom.
2026-05-16  My flight leaves on Saturday
2026-05-16  My flight leaves Saturday morning
2026-05-16  The party on Saturday will be great
2026-05-16  On Saturday, we fly to Rome
2026-05-16  On Saturday we fly to Rome
2026-05-16  The flight I booked leaves on Saturday
2026-05-16  I booked a table for Saturday
2026-05-16  Ana's birthday party: Saturday, 8 pm
2026-05-16  We leave in three days
2026-05-16  Mein Flug geht am Samstag
2026-05-16  Ich fliege am Samstag nach Rom
2026-05-16  Am Samstag fliegen wir nach Rom
2026-05-16  Ich heirate am Samstag
2026-05-16  Ich arbeite am Samstag
2026-05-16  Ich habe für Samstag einen Tisch reserviert
2026-05-16  Mi vuelo sale el sábado
2026-05-16  He reservado una mesa para el sábado
2026-05-16  El sábado volamos a Roma
2026-05-16  El sábado volaremos a Roma
2026-05-16  Mon vol part samedi
2026-05-16  Samedi, nous partons à Rome
2026-05-16  J'ai réservé une table pour samedi
2026-05-16  Dinner with the Okafors on Saturday at 8.
2026-05-16  Unfortunately the concert on Saturday is cancelled.
2026-05-16  Das Konzert am Samstag fällt aus.
2026-05-16  Am Samstag gibt Mia ein Konzert.
2026-05-16  El concierto del sábado se cancela.
2026-05-16  Cena con los Okafor el sábado a las 8.
2026-05-16  Le concert de samedi est annulé.
2026-05-16  On dîne chez les Okafor samedi.
2026-05-17  My mother arrives on Sunday because she missed her train
2026-05-17  Remember: Mia's recital is on Sunday at 4pm.
2026-05-17  My sister flies in on Sunday.
2026-05-17  I'm selling the bike on Sunday.
2026-05-17  Sonntag, 17 Uhr: Grillen bei Jonas
2026-05-17  Vendo la bici el domingo.
2026-05-17  Je vends le vélo dimanche.
2026-05-18  We meet on Monday
2026-05-18  The shop is closed on Monday
2026-05-18  The meeting has been postponed to Monday
2026-05-18  We see each other next Monday
2026-05-18  Wir treffen uns am Montag
2026-05-18  Der Laden ist am Montag geschlossen
2026-05-18  Wir sehen uns nächsten Montag
2026-05-18  Nos vemos el lunes
2026-05-18  La tienda está cerrada el lunes
2026-05-18  Llegará el lunes
2026-05-18  Le magasin est fermé lundi
2026-05-18  On se voit lundi
2026-05-18  Nous viendrons lundi
2026-05-18  The vet said Bello needs to come back on Monday.
2026-05-18  Tom said that he leaves on Monday.
2026-05-18  I start my new job on Monday.
2026-05-18  The release was scheduled for Monday.
2026-05-18  The kids have no school on Monday.
2026-05-18  Ich mache am Montag den Führerschein.
2026-05-18  Am Montag mache ich frei.
2026-05-18  Tom sagte, dass er am Montag abreist.
2026-05-18  Die Abgabe ist auf Montag verschoben worden.
2026-05-18  Ich fang am Montag an.
2026-05-18  Tom dijo que se va el lunes.
2026-05-18  Empiezo el lunes.
2026-05-18  Tom a dit qu'il part lundi.
2026-05-18  Je commence lundi.
2026-05-19  Dentist Tuesday 10:30
2026-05-19  Dentist on Tuesday at 10:30
2026-05-19  I will go to the dentist on Tuesday
2026-05-19  I'm going to the dentist on Tuesday
2026-05-19  I'm seeing Ana on Tuesday
2026-05-19  I bought milk, dentist on Tuesday
2026-05-19  Zahnarzt Dienstag 10:30 Uhr
2026-05-19  Voy al dentista el martes
2026-05-19  Dentista: martes 10:30
2026-05-19  Je vais chez le dentiste mardi
2026-05-19  Dentiste mardi à 10h30
2026-05-19  I have to submit the grant application on Tuesday.
2026-05-19  I need to submit it by Tuesday.
2026-05-19  I should submit it on Tuesday.
2026-05-19  Tengo que entregar el informe el martes.
2026-05-19  Je dois rendre le rapport mardi.
2026-05-20  The rent is due on the 20th
2026-05-22  My exam is on Friday 22 May 2026
2026-05-22  My exam is on Friday 22 May
2026-05-22  Exam: Friday 22 May
2026-05-22  Exam: Friday, 22 May
2026-05-22  Exam on Friday the 22nd of May
2026-05-22  The appointment is on 22/5
2026-05-22  Meine Prüfung ist am Freitag, dem 22. Mai 2026
2026-05-22  Meine Prüfung ist am Freitag, den 22. Mai
2026-05-22  Prüfung: Freitag, 22. Mai
2026-05-22  Der Termin ist am 22.5. um 10 Uhr
2026-05-22  Mi examen es el viernes 22 de mayo de 2026
2026-05-22  Mi examen es el viernes 22 de mayo
2026-05-22  Examen: viernes 22 de mayo
2026-05-22  Mon examen est le vendredi 22 mai 2026
2026-05-22  Mon examen est le vendredi 22 mai
2026-05-22  Examen : vendredi 22 mai
2026-05-25  The course ends in two weeks
2026-05-25  Der Kurs endet in zwei Wochen
2026-05-25  El curso termina en dos semanas
2026-05-25  Le cours finit dans deux semaines
2026-05-29  We are in Rome from 29 May to 3 June
2026-06-01  Our holiday is in summer
2026-06-02  Booked: train to Vienna, 2 June.
2026-06-02  Trip to Vienna 2 June
2026-06-05  The rent is due on the 5th
2026-06-05  Die Miete ist am 5. fällig
2026-06-05  El alquiler vence el 5.
2026-06-05  Le loyer est dû le 5.
2026-06-12  My brother is getting married on 12 June.
2026-06-12  My brother's wedding is on 12 June.
2026-06-12  Meine Schwester heiratet am 12. Juni.
2026-06-12  Die Hochzeit ist am 12. Juni.
2026-06-12  Mi hermana se casa el 12 de junio.
2026-06-12  La boda es el 12 de junio.
2026-06-12  Ma sœur se marie le 12 juin.
2026-06-12  Le mariage est le 12 juin.
2026-07-03  My passport expires on 3 July.
2026-07-03  Mein Pass läuft am 3. Juli ab.
2026-07-03  El pasaporte caduca el 3 de julio.
2026-07-03  Mon passeport expire le 3 juillet.
2026-09-01  I am moving to Berlin on 1 September
2026-09-01  School starts on September 1
2026-09-01  The trial ends September 1
2026-09-01  Die Schule beginnt am 1. September
2026-09-01  El plazo termina el 1 de septiembre
2026-09-01  L'école commence le 1er septembre
2026-09-01  We've decided to go to Lisbon in September.
2026-09-01  Wir haben beschlossen, im September umzuziehen.
2026-09-01  Im September ziehen wir um.
2026-09-01  En septiembre nos mudamos a Lisboa.
2026-09-01  En septembre, on déménage à Lisbonne.
2026-10-01  My wedding anniversary is in October
2026-10-01  Wir ziehen im Oktober um
2026-11-01  The warranty ends in November.
2027-03-01  The lease expires in March
2027-03-01  Der Vertrag endet im März
2027-03-01  El contrato vence en marzo
2027-03-01  Le bail expire en mars
2027-04-30  Our anniversary falls on 30 April.
2027-04-30  Her birthday is on 30 April.
2027-04-30  Geburtstag von Emil am 30. April
2027-04-30  Emil hat am 30. April Geburtstag.
2027-04-30  El cumpleaños de Emil es el 30 de abril.
2027-04-30  L'anniversaire d'Émile est le 30 avril.
2026-03-20  I had a follow-up with my surgeon, Dr. Thompson, on March 20
2026-04-11  I did attend a wedding, my cousin's wedding on April 11
2025-07-02  I spent the day with the stages and food stands at the fair on July 2
2026-05-04  I recall sending the form on May 4
2026-05-04  I woke up late on Monday of last week
2026-05-12  By the way, on Tuesday, we discussed the plan
2026-05-09  I think I woke up at 9 am on Saturday
2026-05-15  We booked a room from Friday to Sunday
2026-05-17  I was thinking of a dinner with Ana on Sunday
2026-05-22  We meet on Friday next week
2026-05-04  Am Montag letzter Woche war ich krank
2026-05-18  Wir sehen uns nächste Woche Montag
2026-05-04  El lunes de la semana pasada llovió
2026-05-18  Nos vemos el lunes de la semana que viene
2026-05-04  Lundi de la semaine dernière, il a plu
2026-05-10  Mias Aufführung am Sonntag war toll.
2026-05-14  Der Klempner sollte am Donnerstag kommen.
2026-05-07  Der Klempner konnte am Donnerstag nicht kommen.
2026-05-19  Ich muss am Dienstag zum Zahnarzt.
2026-05-12  Ich musste am Dienstag zum Zahnarzt.
2026-05-12  Ich war am Dienstag beim Zahnarzt.
2026-05-19  Ich bin am Dienstag beim Zahnarzt.
2026-05-12  Am Dienstag beim Zahnarzt gewesen.
2026-05-19  Am Dienstag Zahnarzt!
2026-04-01  Meine Eltern besuchten uns im April.
2026-03-01  Die Prüfung im März lief gut.
2027-03-01  Die Prüfung im März wird schwer.
2026-12-31  Mein Vertrag läuft am 31. Dezember aus.
2025-12-31  Mein Vertrag lief am 31. Dezember aus.
2026-05-15  Bitte bis Freitag antworten.
2026-05-18  Das Paket soll am Montag ankommen.
2026-05-11  Das Paket kam am Montag an.
2026-05-11  Das Paket ist am Montag angekommen.
2026-05-16  Ich hole Mia am Samstag ab.
2026-05-09  Ich holte Mia am Samstag ab.
2026-05-09  Ich habe Mia am Samstag abgeholt.
2026-04-30  Emil wurde am 30. April geboren.
2027-04-30  Emil wird am 30. April vier.
2026-05-11  Seit Montag arbeite ich bei Bosch.
2026-05-18  Ab Montag arbeite ich bei Bosch.
2026-05-11  Die Abgabe war eigentlich am Montag.
2026-03-03  Wir haben uns am 3. März kennengelernt.
2027-03-03  Wir feiern am 3. März.
2026-03-03  Am 3. März haben wir gefeiert.
2026-05-17  Das Spiel findet am Sonntag statt.
2026-05-10  Das Spiel fand am Sonntag statt.
2026-05-10  Das Spiel hat am Sonntag stattgefunden.
2026-05-15  Ich reise am Freitag ab.
2026-05-18  Nächsten Montag ist frei.
2026-05-14  Morgen um 9 ist der Termin.
2026-05-17  Mia hat am Sonntag Geburtstag.
2026-05-10  Mia hatte am Sonntag Geburtstag.
2026-05-10  La función de Mia del domingo fue preciosa.
2026-05-07  El fontanero no pudo venir el jueves.
2026-05-14  El fontanero debe venir el jueves.
2026-05-12  Tenía cita con el dentista el martes.
2026-05-19  Tengo cita con el dentista el martes.
2026-08-01  Mis padres nos visitan en agosto.
2025-08-01  Mis padres nos visitaron en agosto.
2026-05-18  El paquete llega el lunes.
2026-05-11  El paquete llegó el lunes.
2026-05-11  El paquete ha llegado el lunes.
2026-04-30  Emil nació el 30 de abril.
2027-04-30  Emil cumple cuatro años el 30 de abril.
2026-05-11  Trabajo en Bosch desde el lunes.
2026-05-17  El partido se juega el domingo.
2026-05-10  El partido se jugó el domingo.
2026-05-16  Recojo a Mia el sábado.
2026-05-09  Recogí a Mia el sábado.
2026-05-14  Mañana a las 9 es la cita.
2026-05-10  Le spectacle de Mia dimanche était superbe.
2026-05-07  Le plombier n'a pas pu venir jeudi.
2026-05-14  Le plombier doit venir jeudi.
2026-05-12  J'avais rendez-vous chez le dentiste mardi.
2026-05-19  J'ai rendez-vous chez le dentiste mardi.
2026-08-01  Mes parents nous rendent visite en août.
2025-08-01  Mes parents nous ont rendu visite en août.
2026-05-18  Le colis arrive lundi.
2026-05-11  Le colis est arrivé lundi.
2026-04-30  Émile est né le 30 avril.
2027-04-30  Émile aura quatre ans le 30 avril.
2026-05-11  Je travaille chez Bosch depuis lundi.
2026-05-17  Le match se joue dimanche.
2026-05-10  Le match s'est joué dimanche.
2026-05-16  Je vais chercher Mia samedi.
2026-05-09  Je suis allé chercher Mia samedi.
2026-05-14  Demain à 9h, c'est le rendez-vous.
2026-03-03  Nous nous sommes rencontrés le 3 mars.
2027-03-03  Nous fêtons le 3 mars.
2026-05-16  On se retrouvera samedi.
2026-05-12  Je devais rendre le rapport mardi.
2026-05-08  Vendredi dernier, j'ai vu Ana.
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", INTENDED.strip().splitlines())
def test_a_statement_means_the_next_or_the_last_as_its_words_show(memory: MemoryManager, row: str) -> None:
    day, _, text = row.partition("  ")
    memory.remember(text)
    found = memory.synthesize(text, format="timeline_analysis")
    (event,) = found["synthesis"]["events"]
    assert day.startswith(event["date"])
    assert memory.validate_synthesis(found) == (True, [])


# Questions, by the window of time that they search, from its first day to the day after its last.
SEARCHED = """
2026-05-08 2026-05-09  What happened last Friday?
2026-05-08 2026-05-09  What happened on Friday?
2026-05-11 2026-05-12  Where did we go on Monday?
2026-05-15 2026-05-16  What do I have on Friday?
2026-05-15 2026-05-16  What is due on Friday?
2026-05-15 2026-05-16  Who is coming next Friday?
2026-05-11 2026-05-12  Who came this Monday?
2026-05-15 2026-05-16  Who comes this Friday?
2026-04-20 2026-04-27  What did I do 3 weeks ago?
2026-04-01 2026-05-01  What did I buy last month?
2026-05-25 2026-06-01  What will happen in two weeks?
2027-03-01 2027-04-01  What happens in March?
2026-03-01 2026-04-01  What happened in March?
-  What did I learn in two weeks?
2026-04-27 2026-05-04  What happened the week before last?
2026-05-25 2026-06-01  What happens the week after next?
2026-05-09 2026-05-11  What did I do last weekend?
2026-04-20 2026-04-21  What happened on the 20th?
2026-05-20 2026-05-21  What is on the 20th?
2026-05-14 2026-05-15  What do we do tomorrow?
2026-05-08 2026-05-09  Was ist letzten Freitag passiert?
2026-05-08 2026-05-09  Was ist am Freitag passiert?
2026-05-08 2026-05-09  Was habe ich am Freitag gemacht?
2026-05-11 2026-05-12  Wo waren wir am Montag?
2026-05-15 2026-05-16  Was habe ich am Freitag?
2026-05-15 2026-05-16  Was ist am Freitag fällig?
2026-05-15 2026-05-16  Wer kommt nächsten Freitag?
2026-05-11 2026-05-12  Wer kam diesen Montag?
2026-05-15 2026-05-16  Wer kommt diesen Freitag?
2026-04-20 2026-04-27  Was habe ich vor 3 Wochen gemacht?
2026-04-01 2026-05-01  Was habe ich letzten Monat gekauft?
2026-05-25 2026-06-01  Was passiert in zwei Wochen?
2026-03-01 2026-04-01  Was war im März?
2027-03-01 2027-04-01  Was wird im März sein?
2026-04-27 2026-05-04  Was war vorletzte Woche?
2026-05-25 2026-06-01  Was ist übernächste Woche?
2026-05-09 2026-05-11  Was war letztes Wochenende?
2026-05-14 2026-05-15  Was machen wir morgen?
2026-05-08 2026-05-09  ¿Qué pasó el viernes pasado?
2026-05-08 2026-05-09  ¿Qué pasó el viernes?
2026-05-08 2026-05-09  ¿Qué hice el viernes?
2026-05-11 2026-05-12  ¿Dónde estuvimos el lunes?
2026-05-15 2026-05-16  ¿Qué tengo el viernes?
2026-05-15 2026-05-16  ¿Quién viene el próximo viernes?
2026-05-15 2026-05-16  ¿Quién viene el viernes que viene?
2026-05-11 2026-05-12  ¿Quién vino este lunes?
2026-05-15 2026-05-16  ¿Quién viene este viernes?
2026-04-20 2026-04-27  ¿Qué hice hace 3 semanas?
2026-04-01 2026-05-01  ¿Qué compré el mes pasado?
2026-05-25 2026-06-01  ¿Qué pasará dentro de dos semanas?
2026-05-25 2026-06-01  ¿Qué pasará en dos semanas?
2026-03-01 2026-04-01  ¿Qué pasó en marzo?
2027-03-01 2027-04-01  ¿Qué pasará en marzo?
2026-05-09 2026-05-11  ¿Qué hice el fin de semana pasado?
2026-05-14 2026-05-15  ¿Qué hacemos mañana?
2026-05-08 2026-05-09  Que s'est-il passé vendredi dernier ?
2026-05-08 2026-05-09  Que s'est-il passé vendredi ?
2026-05-08 2026-05-09  Qu'est-ce que j'ai fait vendredi ?
2026-05-11 2026-05-12  Où étions-nous lundi ?
2026-05-15 2026-05-16  Qu'est-ce que j'ai vendredi ?
2026-05-15 2026-05-16  Qui vient vendredi prochain ?
2026-05-11 2026-05-12  Qui est venu ce lundi ?
2026-05-15 2026-05-16  Qui vient ce vendredi ?
2026-04-20 2026-04-27  Qu'ai-je fait il y a 3 semaines ?
2026-04-01 2026-05-01  Qu'ai-je acheté le mois dernier ?
2026-05-25 2026-06-01  Que se passe-t-il dans deux semaines ?
-  Qu'ai-je appris en deux semaines ?
2026-03-01 2026-04-01  Que s'est-il passé en mars ?
2027-03-01 2027-04-01  Que se passera-t-il en mars ?
2026-05-09 2026-05-11  Qu'avons-nous fait le week-end dernier ?
2026-05-14 2026-05-15  Que faisons-nous demain ?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", SEARCHED.strip().splitlines())
def test_a_question_searches_the_time_that_it_means(memory: MemoryManager, row: str) -> None:
    days, _, question = row.partition("  ")
    memory.remember("Ana came to dinner.")
    notes = memory.recall(question).trace[0].notes
    windows = [note.split(" ", 1)[1].replace(" to", "") for note in notes if " to 20" in note]
    assert windows == ([] if days == "-" else [days])


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("My exam is on Friday 22 May 2026", "When is my exam?", "22 May 2026"),
        ("My flight leaves on Saturday", "When does my flight leave?", "Saturday 16 May 2026"),
        ("School starts on September 1", "When does school start?", "1 September"),
        ("Dentist Tuesday 10:30", "When is the dentist?", "Tuesday 19 May 2026, 10:30"),
        ("The meeting was moved from Thursday to Friday", "When is the meeting?", "Friday 15 May 2026"),
        ("I met Ana on Friday", "When did I meet Ana?", "Friday 8 May 2026"),
        ("Ana moved to Berlin last month", "When did Ana move to Berlin?", "April 2026"),
        ("Meine Prüfung ist am Freitag, dem 22. Mai 2026", "Wann ist meine Prüfung?", "22. Mai 2026"),
        ("Mein Flug geht am Samstag", "Wann geht mein Flug?", "Samstag, 16. Mai 2026"),
        ("Ich habe Ana am Freitag getroffen", "Wann habe ich Ana getroffen?", "Freitag, 8. Mai 2026"),
        ("Mi vuelo sale el sábado", "¿Cuándo sale mi vuelo?", "sábado 16 de mayo de 2026"),
        ("Mon vol part samedi", "Quand part mon vol ?", "samedi 16 mai 2026"),
    ],
)
def test_a_direct_answer_is_the_day_that_is_intended(
    memory: MemoryManager, text: str, question: str, answer: str
) -> None:
    memory.remember(text)
    found = memory.synthesize(question)
    assert found["synthesis"]["answer"] == answer
    assert memory.validate_synthesis(found) == (True, [])


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("text", "answer", "follows"),
    [
        ("The exam is on Friday", "22 May 2026", True),
        ("The exam is on Friday", "Friday, 22 May 2026", True),
        ("The exam is on Friday", "May 22, 2026", True),
        ("The exam is on Friday", "the 22nd", True),
        ("The exam is on Friday", "2026-05-22", True),
        ("The exam is on Friday", "15 May 2026", False),
        ("The exam was on Friday", "15 May 2026", True),
        ("The exam was on Friday", "22 May 2026", False),
        ("Exam: Friday", "22 May 2026", True),
        ("Die Prüfung ist am Freitag", "22. Mai", True),
        ("Die Prüfung ist am Freitag", "am Freitag, dem 22. Mai 2026", True),
        ("Die Prüfung ist am Freitag", "Die Prüfung ist am 22.5.", True),
        ("Die Prüfung ist am Freitag", "15. Mai 2026", False),
        ("El examen es el viernes", "el 22 de mayo de 2026", True),
        ("El examen es el viernes", "el 15 de mayo", False),
        ("L'examen est vendredi", "le 22 mai 2026", True),
        ("L'examen est vendredi", "le vendredi 22 mai", True),
        ("L'examen est vendredi", "le 15 mai 2026", False),
        ("The rent is due on the 5th.", "5 June 2026", True),
        ("The rent is due on the 5th.", "5 May 2026", False),
        ("School starts on September 1", "1 September 2026", True),
        ("School starts on September 1", "1 September 2025", False),
        ("We moved last month", "April 2026", True),
        ("We moved last month", "March 2026", False),
        ("The lease ends in two weeks", "the week of 1 June 2026", True),
    ],
)
def test_a_spelled_out_day_follows_from_a_weekday(text: str, answer: str, follows: bool) -> None:
    with opened("2026-05-19T09:00:00+00:00") as memory:  # a Tuesday
        source = memory.remember(text).memory
        assert source is not None
        given = {
            "query": "When?",
            "format": "direct_answer",
            "synthesis": {
                "answer": answer,
                "key_points": [],
                "citations": [{"part": "answer", "text": answer, "memory_ids": [source.id]}],
            },
            "metadata": {"confidence": 0.7, "model_used": "a model"},
            "sources": [{"memory_id": source.id, "quote": text}],
        }
        assert memory.validate_synthesis(given)[0] is follows


def test_a_weekday_settles_the_year_of_a_date(memory: MemoryManager) -> None:
    memory.remember("The wedding, Saturday 2 May")  # a Saturday in 2026, not in 2027
    found = memory.synthesize("When is the wedding?", format="timeline_analysis")
    assert [event["date"] for event in found["synthesis"]["events"]] == ["2026-05-02"]


@pytest.mark.parametrize(
    "text", ["The sale is on 29 February", "It ended on Monday", "bis Freitag", "el 31.", "in March"]
)
@pytest.mark.parametrize("now", ["0001-01-03", "9999-12-30"])
def test_the_ends_of_the_calendar_are_no_error(text: str, now: str) -> None:
    with opened(now) as memory:
        memory.remember(text)
        memory.synthesize(text, format="timeline_analysis")
        memory.recall(text)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("Ana zog im März 2024 nach Porto.", "Wann zog Ana nach Porto?", "März 2024"),
        ("Ana zog letzte Woche nach Porto.", "Wann zog Ana nach Porto?", "die Woche vom 4. Mai 2026"),
        ("Ana lebt seit 2020 in Porto.", "Seit wann lebt Ana in Porto?", "seit 2020"),
        ("Ana ist vom 3. bis 5. Juni in Porto.", "Wann ist Ana in Porto?", "3. Juni 2026 bis 5. Juni 2026"),
        ("Ana se mudó a Porto en marzo de 2024.", "¿Cuándo se mudó Ana a Porto?", "marzo de 2024"),
        ("Ana se mudó a Porto en verano de 2024.", "¿Cuándo se mudó Ana a Porto?", "verano 2024"),
        ("Ana a déménagé à Porto en mars 2024.", "Quand Ana a-t-elle déménagé à Porto ?", "mars 2024"),
        ("Ana est à Porto jusqu'au 1er juin.", "Quand Ana est-elle à Porto ?", "jusqu'au 1er juin 2026"),
    ],
)
def test_a_time_is_written_in_the_language_of_its_memory(text: str, question: str, answer: str) -> None:
    with MemoryManager(
        ":memory:", settings=Settings(worker="none", abstain_below=0.0), clock=FrozenClock(NOW)
    ) as memory:
        memory.remember(text)
        found = memory.synthesize(question)
        assert answer in found["synthesis"]["answer"]
        assert memory.validate_synthesis(found) == (True, [])
