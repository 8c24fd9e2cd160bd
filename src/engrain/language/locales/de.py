"""German: its words and phrases, as `Locale` describes them."""

from __future__ import annotations

GERMAN = {
    "code": "de",
    "snowball": "german",
    "parts": {
        "state": """geschlossen|geöffnet|gesperrt|gebucht|geplant|reserviert|eingeladen|angesetzt|vorgesehen
            |verabredet|verreist|verhindert|verschoben|verlegt|besetzt|belegt|beschäftigt|gespannt|verheiratet
            |bestimmt|bereit|bereits|bekannt|gesund|gerecht|unterwegs|überhaupt|erreichbar|terminiert""",
        "participle": r"""ge\w{2,}(?:t|en)|getan|\w{2,}(?:ge\w{2,}(?:t|en))|\w{3,}iert|(?:be|ver|er|ent|zer|emp|miss
            |über|unter|wieder)\w{2,}(?:t|en)""",
    },
    # grammar
    "stop": """mai der die das den dem des ein eine einen einem einer eines und oder aber sondern denn doch nicht kein
        keine keinen keinem keiner ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein meine meinen
        meinem meiner dein deine deinen sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren euer
        eure dies diese dieser dieses diesen diesem jener jede jeder jedes jeden alle alles man wer wen wem was wo wann
        wie warum wieso weshalb woher wohin welche welcher welches ist bin bist sind seid war waren wird werden wurde
        wurden worden hat habe haben hast hatte hatten kann kannst können konnte muss müssen musste soll sollen sollte
        will wollen wollte möchte darf dürfen mag im in an am auf aus bei beim mit nach seit von vom vor zu zum zur für
        gegen ohne um durch über unter zwischen bis ab als wenn ob weil dass damit obwohl während dann da so auch nur
        noch schon sehr mehr viel viele immer wieder nie hier dort heute gestern jetzt ja nein bitte danke gern gerne
        etwas nichts jemand niemand sich selbst zwei drei hallo""",
    "letters": "ßäöü",
    "articles": "der die das den dem des ein eine einen einem einer eines",
    "determiners": """mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem
        seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer eure eurem dies diese dieser dieses
        diesen diesem jede jeder jedes jeden jedem kein keine keinen keinem keiner alle viele einige mehrere beide im am
        zum zur vom beim ins ans als pro etwas viel wenig mehr welche welcher welches ohne zwei drei vier fünf sechs
        sieben acht neun zehn und oder hat haben mag trinkt isst hatte braucht""",
    "copulas": "beträgt betragen lautet lauten ist sind bin bist",
    "first_person": "ich",
    "first_possessive": "mein meine",
    "oneself": "ich mein meine meinen meinem meiner meines mir mich wir unser unsere unseren unserem unserer uns",
    "hearer": "du dein deine deinen deinem deiner dir dich ihr euch euer eure",
    "third_person": "er sie es ihn ihm ihnen sein seine ihr ihre",
    "people_pronouns": "sie er",
    "subjects": "ich wir er sie es ihr du man",
    "pronouns": """aber alle dann das dies diese dort er es falls früher gestern heute hier ihr ja jemand jetzt man
        morgen nein niemand oder sie und vielleicht wann was wenn wer wie wir wo""",
    "pointing": "dein deine dies diese dieser dieses dort du es gestern heute hier ihm ihn ihnen morgen",
    "verbs": """arbeitet benutzen benutzt braucht fährt haben hat heisst heißt isst ist jetzt kann kauft kein kennt
        kocht kommt kostet laufen lautet lebt lernt liegt liest läuft machen macht mag muss nicht nutzen nutzt raucht
        schreibt sind soll spielt spricht steht studiert trinkt verwenden verwendet werden wird wohnt""",
    "idle": "bin das dem den der des die ein eine einem einen einer ist sind zu",
    "linking": "an auf bei für gegen im in mit seit unter über",
    "owning": "von vom zwischen unter über",
    "acting": "sagt sagte sagen lebte lebten wohnte zog zogen kam ging mag traf arbeitete meint",
    "joined": "aber oder sowie und",
    "coordinating": "und aber sondern doch weil während",
    "subordinating": "weil dass wenn als ob während obwohl damit bevor nachdem bis seit da der die das welche wo",
    "past": "te | ten",
    "past_words": "hatte hatten war waren wurde",
    "has_noun_capitals": True,
    # sentences
    "abbreviations": """hr fr fa co dr med prof ing dipl st z.b z.t z.zt d.h u.a u.ä o.ä i.d.r s.o s.u v.a ca bzw bzgl
        evtl ggf inkl exkl vgl geb gest gegr sog max min mind nr str abs art kap bd abb tel ugs zzgl allg bes ehem
        einschl gem insb lt mfg betr usf i.a m.e u.u o.g""",
    "closing_abbreviations": """usw etc u.s.w jan jän feb mär mrz apr jun jul aug sept sep okt nov dez mo di mi do fr
        sa so uhr std mio mrd tsd jr sen v.chr n.chr jh jhd""",
    "has_ordinal_stops": True,
    "has_passive_future": True,
    "verb_endings": "t | te | ten | en",
    "adjective_endings": "isch | ig | lich | haft",
    "perfect_prefixes": "ge",
    "stem_ending": "t",
    "infinitive_marks": "zu",
    "place_goals": "in",
    "participle": r"""[a-zäöü]{0,5}ge[a-zäöüß]{2,}(?:t|en)|[a-zäöü]{3,}iert
        |(?:be|er|ver|zer|ent)[a-zäöü]{3,}(?:t|en)""",
    "past_verb": r"\w*(?:[^\Waeiouäöü]|et)te(?:n|st)?",
    # clauses
    "concepts": """speaks: spreche sprichst spricht sprechen =sprache =sprachen =muttersprache | weighs: wiegt wiege
        wiegen wog gewogen =gewicht | hours: =öffnungszeiten | lives_in: aufgewachsen wuchs wohnte wohnten lebte
        lebten wohne wohnen wohnt gewohnt wohnhaft lebe leben lebt gelebt =zuhause zu_hause +ziehen +zieht +gezogen
        +umziehen +umgezogen ~wohnung ~haus =wohnort =wohnsitz +zog +zogen +verzogen +übersiedelt +übergesiedelt
        +niedergelassen +bezogen bewohnt bewohne daheim residiert | located_in: liegt steht hängt sitzt ansässig |
        works_at: arbeitete arbeiteten arbeite arbeiten arbeitet gearbeitet angestellt beschäftigt +anfangen
        +angefangen ~stelle ~job ~arbeitsplatz =arbeitgeber =arbeitgeberin +eingestellt +gewechselt +wechselte
        +wechselt +angetreten +fing tätig jobbt jobbe | job_title: =beruf von_beruf beruflich | name: hieß hießen
        heiße heißen heißt geheißen heisst heissen =name namens genannt | born: geboren =geburtsdatum =geburtstag
        zur_welt | allergic_to: allergisch =allergie leidet_an_einer leidet =allergien =unverträglichkeit | owner:
        leite leiten leitet geleitet =leiter =leiterin =leitung =projektleiter =projektleiterin =projektleitung
        kümmert_sich +löst +abgelöst +abgegeben +übertragen verantwortlich zuständig =verantwortliche =besitzer
        =eigentümer gehört +übernommen +übernimmt +übergeben führt verantwortet betreut koordiniert
        leitung_abgegeben | deadline: fällig =frist =deadline =abgabe =abgabetermin termin =stichtag =liefertermin
        =fertigstellung abgegeben !fertig !abgeben !abzugeben !geliefert !liefern !einreichen !eingereicht
        !fertiggestellt | status: =status =stand =zustand | drinks: trank tranken trinke trinken trinkt getrunken
        konsumiert nippt | eats: esse essen isst gegessen |
        likes: mag magst mögen mochte liebe liebt lieben | dislikes: hasse hasst hassen verabscheue verabscheut |
        costs: koste kostete kosten kostet gekostet bezahlt
        bezahle bezahlen =preis =kaufpreis | buys: gekauft kaufen kaufte | married_to: =hochzeit verheiratet
        +geheiratet | age: =alter alt | change: gestiegen verschoben verschiebt verlegt ändern ändert geändert
        gekürzt wechseln gewechselt erhöht gesenkt verlängert vorgezogen umgestellt aktualisiert gelegt gesetzt
        angehoben reduziert aufgestockt angepasst korrigiert gesunken halbiert verdoppelt vertagt
        getauscht ging gegangen wechselte wechselt | over: verlassen verließ gekündigt aufgehört aufgegeben abgesagt
        beendet storniert verzichte verzichtet abgeschworen abgewöhnt weggelassen eingestellt geschmissen
        hingeschmissen abgelegt gestrichen abgesetzt entsagt schluss_gemacht überwunden verschwunden weg los |
        asset: verkaufen verkauft verschenkt weggegeben gespendet verschrottet""",
    "nouns": """sister: schwester schwestern | brother: bruder brüder | sibling: geschwister | child: kind kinder |
        pet: haustier haustiere | parent: eltern | rabbit: hase kaninchen hasen | hamster: hamster | mother: mutter mama
        | father: vater papa | daughter: tochter töchter | son: sohn söhne | wife: frau ehefrau | husband: mann ehemann
        | dog: hund hündin hundes hunde | cat: katze kater katzen | boss: chef chefin | neighbour: nachbar nachbarin |
        friend: freund freundin | cousin: cousine | aunt: tante | uncle: onkel | grandmother: oma großmutter |
        grandfather: opa großvater | doctor: arzt ärztin | dentist: zahnarzt zahnärztin | project: projekt projekts
        projektes | password: passwort kennwort | telephone: telefon handy telefonnummer handynummer nummer | email:
        mail e-mail mailadresse e-mail-adresse mail-adresse emailadresse | car: auto wagen | bicycle: fahrrad rad |
        colleague: kollege kollegin | landlord: vermieter vermieterin | budget: etat | teacher: lehrer lehrerin |
        ex-wife: ex-frau exfrau | ex-husband: ex-mann exmann | team: mannschaft | company: firma unternehmen | flight:
        flug | exam: prüfung klausur | appointment: termin | meeting: besprechung treffen sitzung | vet: tierarzt
        tierärztin | rent: miete kaltmiete warmmiete | address: adresse anschrift | birthday: geburtstag geburtstags |
        wedding: hochzeit trauung | holiday: urlaub ferien | concert: konzert | course: kurs kurses | school: schule |
        flat: wohnung | house: haus | kitchen: küche | salary: gehalt lohn | price: preis | deposit: kaution anzahlung |
        insurance: versicherung | policy_number: policennummer versicherungsnummer | surgery: operation op | vaccine:
        impfung | party: party feier fest | training: training | boat: boot | garden: garten | key: schlüssel | code:
        code | bill: rechnung | name: namen | colour: farbe | book: buch | film: film | song: lied | restaurant:
        restaurant lokal | hotel: hotel | bakery: bäckerei | gym: fitnessstudio | train: zug bahn | deadline: frist |
        grandson: enkel | granddaughter: enkelin | nephew: neffe | niece: nichte | mother-in-law: schwiegermutter |
        father-in-law: schwiegervater | brother-in-law: schwager | sister-in-law: schwägerin | girlfriend:
        lebensgefährtin | partner: partner partnerin | client: kunde kundin | lawyer: anwalt anwältin | tax_adviser:
        steuerberater steuerberaterin | painter: maler malerin | mechanic: mechaniker | gp: hausarzt hausärztin |
        eye_doctor: augenarzt augenärztin | flatmate: mitbewohner mitbewohnerin | surname: nachname nachnamen | glasses:
        brille | lock: schloss | check-up: kontrolle | salon: salon | vegan: veganer veganerin | vegetarian: vegetarier
        vegetarierin | best: bester beste besten bestes | old: alt alte alter alten altes | big: groß große großer
        großen großes | little: klein kleine kleiner kleinen kleines | younger: jüngere jüngerer jüngeren | older:
        ältere älterer älteren | kindergarten: kita kindergarten kindergartens | baby: baby babys säugling | twin:
        zwilling zwillinge | lesson: unterricht stunde | guitar: gitarre | piano: klavier | dance: tanz tanzkurs ballett
        | pottery: töpfern töpferkurs töpferei | swimming: schwimmen schwimmkurs | choir: chor chorprobe | trip: reise
        ausflug klassenfahrt | honeymoon: flitterwochen hochzeitsreise | ferry: fähre | ticket: ticket fahrkarte karte
        karten | campsite: campingplatz zeltplatz | guest: gast gäste | photographer: fotograf fotografin | hairdresser:
        friseur friseurin | plumber: klempner klempnerin installateur | electrician: elektriker elektrikerin | cleaner:
        putzfrau reinigungskraft | babysitter: babysitter babysitterin | physio: physio physiotherapeut
        physiotherapeutin | dermatologist: hautarzt hautärztin dermatologe | orthodontist: kieferorthopäde
        kieferorthopädin | gynaecologist: frauenarzt frauenärztin | accountant: buchhalter buchhalterin | tenant: mieter
        mieterin | headmaster: schulleiter schulleiterin rektor rektorin | chicken: huhn hühner henne hennen | bird:
        vogel vögel wellensittich | horse: pferd pferde | sofa: sofa couch | table: tisch | bed: bett | fridge:
        kühlschrank | oven: ofen backofen herd | dishwasher: spülmaschine geschirrspüler | washing_machine:
        waschmaschine | boiler: therme heizkessel heizung | saw: säge tischkreissäge | computer: rechner computer laptop
        | motorbike: motorrad | van: transporter lieferwagen | licence: führerschein | driving_school: fahrschule |
        repair: reparatur | garage: werkstatt garage | contract: vertrag | raise: gehaltserhöhung erhöhung | interview:
        vorstellungsgespräch bewerbungsgespräch | review: jahresgespräch | dress: kleid brautkleid | ring: ring ehering
        | cake: kuchen torte | present: geschenk | church: kirche | hospital: krankenhaus klinik | building: gebäude
        wohnblock | floor: etage stock stockwerk | alarm: alarmanlage alarm | wifi: wlan wifi | plate: kennzeichen
        nummernschild | marathon: marathon halbmarathon | race: rennen lauf wettlauf | match: spiel | practice: probe |
        result: ergebnis ergebnisse | graduation: abschlussfeier | funeral: beerdigung trauerfeier | christening: taufe
        | bachelor_party: junggesellenabschied | egg: ei eier | peanut: erdnuss erdnüsse | nut: nuss nüsse | milk: milch
        | meat: fleisch | pork: schweinefleisch | fish: fisch | seafood: meeresfrüchte | wine: wein | coffee: kaffee |
        tea: tee | history: geschichte | music: musik | maths: mathe mathematik | chemistry: chemie | english: englisch
        | thesis: doktorarbeit dissertation promotion | roof: dach | window: fenster | bathroom: bad badezimmer | shoe:
        schuhe schuh | tooth: zahn zähne | arm: arm | knee: knie | back: rücken""",
    "actions": """teach: unterrichtet unterrichte unterrichten unterrichtete lehrt | study: studiert studiere
        studieren studierte | play: spielt spiele spielen spielte gespielt | begin: beginnt begonnen begann anfängt
        fängt | arrive: ankommt angekommen ankam | buy: kauft kaufe kaufen kaufte gekauft | sell: verkauft verkaufe
        verkaufte | read: lese liest lesen gelesen las | meet: trifft treffe getroffen traf | cook: kocht koche gekocht
        | swim: schwimmt schwimme schwimmen geschwommen | drive: fährt fahre gefahren | go: gehe geht gehen gegangen
        ging | visit: besucht besuche besuchte | jog: jogge joggt joggen joggt | smoke: rauche raucht rauchen geraucht |
        see: sehe sieht gesehen sah | fly: fliegen fliege fliegt flog geflogen | leave: abfahren abfährt fährt_ab
        abfliegt | stay: übernachten übernachte bleibt bleiben bleibe wohnen | open: öffnet eröffnet eröffnen aufmacht |
        close: schließt geschlossen | borrow: geliehen leiht leihen | charge: verlangt berechnet | earn: verdient
        verdiene verdienen | run: laufe läuft laufen gelaufen | marry: heiratet heirate heiraten | give_birth: entbunden
        | weigh: wiegt wiege wiegen | install: eingebaut einbauen montiert | adopt: adoptiert | move: umziehen zieht
        umgezogen | finish: fertig beendet | celebrate: feiert feiern gefeiert | organise: organisiert organisieren |
        pick_up: abholen abgeholt | win: gewonnen gewinnt | break: gebrochen | pay: zahlen zahlt zahle gezahlt
        bezahlt""",
    "place_links": "in im am an",
    "receives": "bekommen bekam bekommt gekriegt angenommen",
    "have": "hat habe haben hatte hatten hast besitzt besitze",
    "had": "hatte hatten hattest",
    "past_be": "war waren wurde wurden warst gewesen worden",
    "perfect": "hat habe haben hast hatte hatten",
    "now_words": """jeden jedem ach also dafür sorry danach deshalb trotzdem außerdem naja klar genau mehr
        jetzt gerade noch schon auch nur nie immer hier dort sehr zu dann heute morgen gestern nicht mal einmal
        wieder endlich inzwischen nun mittlerweile neuerdings derzeit momentan aktuell sich mich übrigens leider""",
    "that_words": "dass daß ob",
    "if_words": "wenn falls ob sofern",
    "contrasts": "sondern aber",
    "future_words": "wird werde werden",
    "owner_links": "von vom des der für meines meiner deines deiner unseres unserer seines seiner ihres ihrer",
    "prepositions": """in im an am auf aus bei beim mit nach seit von vom vor zu zum zur für gegen ohne um
        durch über unter zwischen bis ab neben hinter während wegen statt trotz""",
    "agents": "von durch",
    "goals": "auf nach zu zum zur in",
    "handed_to": "an",
    "company_words": "mit für von",
    "change_words": "jetzt nun inzwischen neu neue neuer neues mittlerweile",
    "idle_adjectives": """aktuell aktuelle aktuellen aktueller aktuelles neue neuer neues neuen neuem derzeitige
        derzeitiger letzte endgültige eigene""",
    "indefinite": "ein eine einen einem einer",
    "work_links": "bei beim",
    "people_nouns": """herr herrn frau mann kind baby kollege kollegin freund freundin nachbar nachbarin
        vermieter vermieterin lehrer lehrerin arzt ärztin mitbewohner mitbewohnerin schwager schwägerin neffe
        nichte onkel tante oma opa""",
    "how_many_words": "viel viele alt lange hoch oft weit groß schwer teuer",
    "part_links": "für",
    "only_words": "nur bloß ausschließlich",
    "generic_nouns": "projekt team firma plan app server system dienst büro",
    "question_words": """was welche welcher welches welchen welchem wer wem wen wessen wo wohin woher wann
        warum wieso weshalb wie wogegen wofür womit woran worauf wovon""",
    "who_words": "wer",
    "which_words": "welche welcher welches welchen welchem",
    "how_words": "wie",
    "idle_question_words": """findet statt lautet lauten jetzt noch derzeit aktuell momentan heute gerade
        eigentlich denn nochmal genau mal""",
    "when_words": "als bevor nachdem bis",
    "origin_links": "aus",
    "origin_verbs": "kommt komme kommst kommen stamme stammt stammst",
    "exonyms": """germany: deutschland | france: frankreich | spain: spanien | italy: italien | austria: österreich
        | switzerland: schweiz | greece: griechenland | turkey: türkei | netherlands: niederlande | belgium: belgien |
        denmark: dänemark | sweden: schweden | norway: norwegen | finland: finnland | poland: polen | croatia: kroatien
        | hungary: ungarn | ireland: irland | scotland: schottland | morocco: marokko | egypt: ägypten | canada: kanada
        | brazil: brasilien | mexico: mexiko | cuba: kuba | india: indien | corsica: korsika | crete: kreta | sicily:
        sizilien | sardinia: sardinien | majorca: mallorca | lisbon: lissabon | rome: rom | venice: venedig | florence:
        florenz | milan: mailand | naples: neapel | vienna: wien | munich: münchen | cologne: köln | zurich: zürich |
        geneva: genf | brussels: brüssel | antwerp: antwerpen | prague: prag | warsaw: warschau | copenhagen: kopenhagen
        | athens: athen | moscow: moskau | tokyo: tokio | strasbourg: straßburg | seville: sevilla""",
    "presentational": "hier da dort",
    "no_occupations": """vegetarier vegetarierin veganer veganerin fan freund freundin mitglied zwilling mann frau
        mensch person mädchen junge kind erwachsener raucher raucherin wunder winter sommer nummer anhänger
        anhängerin kenner zweifler optimist pessimist""",
    "role_links": "als",
    "since_words": "seit",
    "gives": "übergeben übergab übergibt abgegeben weitergegeben übertragen ging gegangen",
    "severities": "",
    "given_up_words": "gab gibt gebe auf lässt ließ lasse weg aus länger ganz komplett trinken kommt jetzt wieder",
    "obligations": "muss müssen musst soll sollen sollte",
    "become": "geworden",
    "measure_words": "tasse tassen glas gläser becher flasche flaschen viel wenig etwas bisschen kanne",
    "habit_words": """täglich meistens meist oft immer gern gerne regelmäßig manchmal selten ständig üblicherweise
        gewöhnlich morgens abends""",
    "replaced_by": "durch gegen",
    "exchanged_for": "gegen",
    "nothing_words": "nichts etwas alles gar nichts",
    "there_words": "dort dorthin da dahin hin",
    "childhood": "aufgewachsen wuchs",
    "visits": "war waren gewesen ging gingen gegangen gehe gesehen sah besucht besuchte",
    "number_nouns": "nummer telefonnummer handynummer telefon handy",
    "code_nouns": "passwort kennwort code pin kennzeichen zugangscode",
    "light_verbs": """kommt kommen geht gehen fährt macht machen zieht ziehen wird werden findet lautet liegt
        nochmal gibt gehört bekommt""",
    "price_nouns": "miete preis budget angebot kaution gebühr gehalt lohn rechnung kosten nebenkosten",
    "per": "pro je",
    "turns": "wird wurde geworden",
    "idle_nouns": "art sorte",
    "weekly": "jeden jede jedem",
    "still_words": "noch weiterhin",
    "sources": "von vom aus ohne statt vor gegen wegen über seit bis nach_dem ab",
    "uncertain": r"""vielleicht|eventuell|möglicherweise|vermutlich|wahrscheinlich|angeblich|anscheinend|wohl
        |könnten?|würden?|möchten?|will|wollen|wollte[n]?|sollten?|dürften?|wäre[n]?|hätte[n]?|glaub\w*|denk\w*
        |mein(?:e|t|te) ich|ich meine|vermute\w*|hoff\w*|träum\w*|plan(?:t|e|en)|überleg\w*|wünsch\w*|wenn|falls|ob
        |nicht sicher|gehört, dass|beworben|bewirbt|fast|beinahe|scherz\w*|gescherzt|spaß|fragt?|scheint
        |nichts (?:ist )?entschieden|entschieden ist nichts|behauptet\w*|soll|sollen|irgendwann|zweifel\w*
        |gehört habe|habe gehört|jemand (?:sagt|sagte|meint|meinte|hat)|man sagt|es heißt""",
    "reported": r"sag(?:t|te|en|ten)|gesagt|erzähl(?:t|te)|erwähn(?:t|te)|schreibt|schrieb|behauptet\w*|meint|meinte",
    "former": r"""früher(?! als)|damals|ehemal\w*|einst|vor (?:vielen )?jahren|bis (?:19|20)\d\d|war mal|mal angestellt
        |in der kindheit|aufgewachsen|ursprünglich|in rente""",
    "untrue": r"stimmt nicht|nicht wahr|falsch|unwahr|gelogen",
    "no_longer": r"""nicht mehr(?! als)|kein\w* (?:\w+ ){0,4}mehr(?! als)|nicht (?:\w+ ){0,4}mehr(?! als)
        |nie mehr|nicht länger
        |(?:gab|gibt|gebe) (?:\w+ ){1,3}auf|(?:lässt|ließ|lasse|lass) (?:\w+ ){1,3}weg|ohne (?:\w+ ){1,2}aus""",
    # times
    "months": """1: januar jan jänner jän | 2: februar feb feber | 3: märz maerz mär mrz | 4: april apr | 5: mai | 6:
        juni jun | 7: juli jul | 8: august aug | 9: september sep sept | 10: oktober okt | 11: november nov | 12:
        dezember dez""",
    "weekdays": """0: montag | 1: dienstag | 2: mittwoch | 3: donnerstag | 4: freitag | 5: samstag sonnabend | 6:
        sonntag""",
    "day_parts": "abends morgens nachmittags mittags vormittags",
    "time_parts": "anfang mitte ende",
    "seasons": "3: frühling frühjahr | 6: sommer | 9: herbst | 12: winter",
    "namesakes": "jan mai juni juli jun jul april apr august aug sommer winter",
    "capital_words": "Morgen: part of day",
    "units": """second: sekunde sekunden sek | minute: minute minuten min | hour: stunde stunden std | day: tag tage
        tagen tages | night: nacht nächte nächten | week: woche wochen | weekend: wochenende wochenenden | month: monat
        monate monaten monats | quarter: quartal quartale quartalen | year: jahr jahre jahren jahres | decade: jahrzehnt
        jahrzehnte jahrzehnten""",
    "near": """-2: vorgestern | -1: gestern gestern_abend gestern_morgen letzte_nacht | 0: heute heute_morgen heute_früh
        heute_abend | 1: morgen morgen_früh morgen_abend | 2: übermorgen""",
    "clock_words": "720: mittags | 0: mitternacht",
    "time_words": """last one: letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes
        vorige vorigen voriges | this: diese diesen dieser dieses diesem | next: nächste nächsten nächster nächstes
        nächstem kommende kommenden kommender kommendes | lately: kürzlich neulich heutzutage unlängst | before last:
        vorletzte vorletzten vorletzter vorletztes | after next: übernächste übernächsten übernächster übernächstes |
        ago before: vor | hence before: in | between: zwischen | from: vom von | to: und oder zum | until: bis |
        since: seit ab | after: nach | onwards: an | in: im anfang ende mitte während um gegen | on: am jeden | of:
        des | for: für auf | part of: beginn hälfte | the: der die das den dem | a: ein eine einen einem einer | my:
        mein meine meinem meinen sein seine ihr ihre unser unsere | than: als kostet kosten zimmer raum | roughly:
        etwa ungefähr fast knapp ca | every: jede jeder jedes | part of day: abend nachmittag vormittag früh | habit:
        montags dienstags mittwochs donnerstags freitags samstags sonntags morgens abends nachmittags | counted: euro
        dollar cent prozent km kilometer meter meilen kg gramm liter schritte schritten wörter seiten punkte personen
        leute leuten menschen nutzer mal lieder fotos bücher zeilen zeichen stimmen mitarbeiter mitarbeitern schüler
        studenten watt volt grad | named day: black_friday""",
    "day_leads": "am zum vom",
    "clock_leads": "um gegen",
    "vague_counts": "2-3: paar ein_paar | 2-5: einige einigen | 3-7: mehrere mehreren",
    "holidays": "weihnachten ostern pfingsten silvester",
    "future": """wird|werden|werde|wirst|werdet|will|wollen|wollt|willst|muss|müssen|musst|soll|sollen|darf|dürfen
        |kann|können|möchte[nt]?|ist|sind|bin|bist|seid|habe?|hat|haben|hast|habt|fällig|bald|nächste[nrs]?|beginnt
        |startet|endet|öffnet|schließt|findet|fahr(?:e|en)|fährt|flieg(?:e|t)|(?-i:fliegen|fahren|treffen|essen|leben
        |reisen)|komm(?:e|en|t)|geh(?:e|en|t)|ziehe?n?|zieht|triff?t?|treffe|sehe|sieht|reis(?:e|t)|heirate[nt]?
        |besuch(?:e|t)|feier(?:e|n|t)|läuft|geben|gibt|gebe|arbeite[nt]?|mach(?:e|en|t)|kriegt?|bekomm(?:e|en|t)
        |hol(?:e|t)|bring(?:e|t)|steht|kehrt""",
    "past_tense": r"""(?:habe?|hast|hat|haben|habt)(?!\s+(?:\w+\s+)?(?:beschlossen|entschieden
        |versprochen)\b)(?=\b[^;:!?]{0,120}\b(?<!zu )(?-i:{participle})\b)|(?:bin|bist|ist|sind
        |seid)(?=\b[^;:!?]{0,120}\b(?<!zu )(?-i:(?!(?:{state})\b)(?:{participle}))\b)|war(?:en|st|t)?|gewesen
        |hatte[nst]*|wurde[nst]*|gab(?:en)?|ging(?:en|st)?|kam(?:en)?|fuhr(?:en)?|flog(?:en)?|traf(?:en)?|sah(?:en)?
        |aß(?:en)?|fand(?:en)?|nahm(?:en)?|bekam(?:en)?|zog(?:en)?|blieb(?:en)?|lief(?:en)?|schrieb(?:en)?|las(?:en)?
        |sprach(?:en)?|rief(?:en)?|verlor(?:en)?|gewann(?:en)?|begann(?:en)?|stand(?:en)?|schlief(?:en)?|brach(?:en
        |te|ten)?|dachten?|kannten?|wussten?|konnten?|mussten?|wollten?|durften?|ließ(?:en)?|verließ(?:en)?
        |starb(?:en)?|entschied(?:en)?|schloss(?:en)?|trug(?:en)?|fing(?:en)?|fiel(?:en)?|hielt(?:en)?
        |(?!vierte)\w*(?:mach|kauf|such|hol|sag|frag|zeig|buch|leg|stell|koch|lern|spiel|wohn|leb|hör|führ|zahl|dreh
        |lach|wart|miet|rett|red|bad|arbeit|heirat|start|öffn|end|land|dauer|schenk|reis|brauch|mein|schick|pack|putz
        |plan|folg|rechn|kost|feier|änder|wechsel|wander|ier|l[iy]ebt?)(?:e?te|e?ten|e?test)
        |(?-i:(?!(?:{state})\b)(?:{participle}))\s+(?:hab|habe|hast|hat|haben|bin|bist|ist|sind)|seit""",
    "rescheduled": r"""verschoben|verschieben|verschiebt|verschob\w*|verlegt\w*|vorgezogen|verlängert\w*""",
    "arranged": r"""gebucht|buchten?|reserviert\w*|geplant|planten?|planen|plant|vereinbart\w*|angesetzt|festgelegt
        |ausgemacht|verabredet|eingeladen|versprochen|bestellt|vorgesehen|erwartet|karten|tickets?|termin""",
    "frequency": r"""(?:einmal|zweimal|dreimal|\w+\s+mal)(?:\s+(?:am|pro|in\s+der|im|die)\s+\w+)?
        |jede[nrs]?\s+(?:zweiten?\s+)?(?:\w*tag|woche|monat|jahr|morgen|abend|wochenende)|täglich|wöchentlich|monatlich
        |jährlich|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s""",
    "written": """months: Januar Februar März April Mai Juni Juli August September Oktober November Dezember |
        seasons: Frühling Sommer Herbst Winter | day: {d}. {m} {y} | date: {d}. {m} | month: {m} {y} | week: die Woche
        vom {} | until: bis {} | since: seit {} | range: {} bis {}""",
    # numbers
    "numbers": """0: null | 1: eins | 2: zwei | 3: drei | 4: vier | 5: fünf | 6: sechs | 7: sieben | 8: acht | 9: neun |
        10: zehn | 11: elf | 12: zwölf dutzend | 13: dreizehn | 14: vierzehn | 15: fünfzehn | 16: sechzehn | 17:
        siebzehn | 18: achtzehn | 19: neunzehn | 20: zwanzig | 30: dreißig dreissig | 40: vierzig | 50: fünfzig | 60:
        sechzig | 70: siebzig | 80: achtzig | 90: neunzig""",
    "scales": """100: hundert | 1000: tausend tsd | 1000000: million millionen mio | 1000000000: milliarde milliarden
        mrd""",
    "ones_first": True,
    "number_joints": "und",
    "unsure_numbers": "null eins elf",
    "measures": """usd: dollar | eur: euro euros | gbp: pfund | chf: franken | gram: gramm | kilogram: kilogramm kilo |
        metre: meter metern | kilometre: kilometer kilometern | mile: meile meilen | litre: liter litern | percent:
        prozent | degree: grad""",
    "minus": "minus",
    "below_zero": "unter null",
    # statements
    "ended": """nicht mehr | kein ... mehr | keine ... mehr | keinen ... mehr | keinem ... mehr | keiner ... mehr |
        nicht ... mehr | hat aufgehört zu | habe aufgehört zu | hat aufgehört, zu""",
    "changed": "jetzt | nun | inzwischen | umgezogen | gewechselt | statt | anstatt | wurde zu",
    "now": "jetzt | nun | inzwischen",
    "correction_openers": "nein|entschuldigung|hoppla|moment|ach",
    "corrected": "korrektur | ich meinte | ich habe mich geirrt | ich lag falsch",
    "hinted": "eigentlich | tatsächlich",
    "swapped": """
        {s} (?:ist|hat) von {was} (?:zu|auf|nach) {o} (?:gewechselt|umgestiegen|umgezogen)""",
    "denied": "{frame} nicht {was},? sondern {o} | {o}, nicht {was}",
    "instead": "statt | anstatt",
    "used": "benutzen benutzt nutzen nutzt verwenden verwendet",
    "blocked": """aber als auch bald dass denke denkt falls gestern glaube glaubt hofft könnte morgen möchte
        möglicherweise nur ob obwohl oder sagt sagte sollte vermutlich vielleicht wahrscheinlich weil wenn werden will
        wird würde""",
    "negated": "kein keine keinem keinen keiner nicht nie niemals",
    "partial": "einige kann könnte manchmal oft",
    "single": "heißt | heisst | lautet | wohnt in | lebt in | arbeitet bei | arbeitet als | kostet",
    "loose": "läuft auf",
    "attributes": """adresse besitzer chef code e-mail geburtstag kennwort name nummer passwort pin port postleitzahl
        preis raum telefonnummer termin titel version wlan-passwort""",
    "several_nouns": """freund freundin kollege kollegin nachbar nachbarin cousin cousine bruder schwester kind sohn
        tochter onkel tante projekt buch katze hund haustier kunde kundin flug reise termin
        besprechung prüfung hobby idee plan""",
    "state_words": """aktiv inaktiv fertig offen bereit live überfällig spät vollständig unvollständig dran tot
        grün rot gelb final online offline stabil kritisch neu laufend""",
    "states": "farbe lieblingsessen lieblingsfarbe status zustand",
    "ends_of_clause": "weil|seit|aber|sondern",
    "next_clause": "er|sie|es|wir|ich|jetzt|sondern|weil|seit|ist|hat|zog",
    "relations": r"""
        works_at; person name; organization name; (?:arbeitet|arbeiten) (?:\w+ )?(?:bei|für)
        lives_in; person name; place name; (?:wohnt|lebt|wohnen|leben) (?:\w+ )?in
        married_to; person name; person name; ist (?:verheiratet|verlobt) mit""",
    "list_words": "auch dann",
    "before_names": "neue neuen neuer neues große großen alte alten jährliche jährlichen",
    "relatives": "der die das dessen deren wo welche welcher welches",
    "anybody": "nutzer nutzerin benutzer benutzerin sprecher sprecherin autor autorin person kunde kundin",
    # polarity and modality
    "negation": r"nicht|kein\w*|nie|niemals|niemand|nichts|ohne|weder|kaum",
    "simple_negation": r"nicht|kein\w*|nie|niemals",
    "contrast": "weder|noch|ohne|kaum|statt|anstatt|nicht mehr",
    "denied_ahead": r"kein(?:e|en)? (?:Hinweise?|Beweise?|Anzeichen|Grund)|bestreite[tn]|dementier\w+|falsch",
    "denial_verbs": "vergaß|vergessen|versäumte?",
    "no_denial": "nicht nur|nicht (?:vergessen|verpassen)|kein (?:Problem|Wunder|Zweifel)|nicht (?:mehr|weniger) als",
    "soft_denial": r"""ablehn\w*|lehnt\w* ab|verloren|verlor|aufgehört|gekündigt|verkauft|abgesagt|geschlossen
        |ehemalig\w*|allergisch|vegan\w*|vegetarisch\w*|geschieden|ledig|hass\w*""",
    "hypothetical": r"""wenn|falls|ob|sofern|vielleicht|möglicherweise|eventuell|angeblich|vermutlich|würden?|könnten?
        |sollten?|dürften?|wäre[n]?|hätte[n]?|hoff\w+|hoffentlich|überleg\w+|wünsch\w+""",
    "tentative": r"(?:möchte|will|wollte|versucht\w*|plant|geplant)",
    "reports": r"""denk\w*|dachte\w*|sag\w*|behaupt\w*|hör\w*|glaub\w*|hoff\w*|mein(?:t|te|ten)|vermut\w*|erzähl\w*
        |frag\w*|wünsch\w*|träum\w*|bezweif\w*|ob|falls""",
    "until": "bis",
    "over": r"nicht mehr|früher|ehemal\w*|aufgehört|hörte auf",
    "turning": "nicht kein keine keinen nie niemals ohne",
    "quantities": r"""jede[nrsm]?|alle[nrsm]?|jemand|niemand|irgend\w+|nur|beide[nr]?|meist(?:e|en|ens)?|keine[rsm]?
        |immer|je|mehr|weniger|genug|auch|andere[nrs]?""",
    # names
    "greetings": "hallo hi danke ja nein servus moin tschüss genau klar",
    "titles": "Herr Herrn Frau Dr Prof Onkel Tante Familie",
    "name_abbreviations": "Hr Fr",
    "bodies": r"""GmbH|AG|KG|SE|e\.V|Verein|Stiftung|Universität|Hochschule|Verlag|Klinik|Krankenhaus|Ministerium
        |\w*bank|Institut|Gesellschaft|Versicherung|Werke""",
    "leading_bodies": "Universität|Hochschule|Institut|Stiftung|Ministerium|Bundesamt|Firma|Verein",
    "never_names": """ich wir sie ihr er es du heute gestern morgen montag dienstag mittwoch donnerstag freitag samstag
        sonntag januar februar märz april mai juni juli august september oktober november dezember mama papa oma opa
        weihnachten ostern gott deutsch englisch französisch spanisch""",
    "things": "abi agb azubi bafög edv ekg gez hno kfz kita lkw mrt mwst nfc pkw plz tüv ust uvp vhs wg",
    "into_place": r"\b(?:in|nach|aus|bei|um|durch)(?: der| die| dem)? $",
    "name_cues": r"""\b(?:heißt|heisst|namens|genannt|Projekt|Firma|Herrn?|Frau|Hund|Katze|Kater|Team) [\"„“'‘(]*$""",
    "subject_verbs": "ist hat wohnt lebt arbeitet war",
    # importance
    "identity": """heiße namens wohne wohnt geboren allergisch allergie geburtstag adresse telefonnummer verheiratet
        tochter mutter vater ehefrau ehemann arzt passwort bevorzuge""",
    "wanted": "mag liebe hasse möchte brauche immer niemals gerne",
    "decided": "entschieden beschlossen versprochen frist termin gekauft umgezogen gekündigt",
    "feeling": "begeistert wütend stolz entsetzt",
    "timely": "gestern heute morgen woche monat jahr januar februar märz mai juni juli oktober dezember",
    "critical": r"""
        name geburtstag adresse telefonnummer passwort kontonummer kundennummer;
            \b(?:[Mm]ein\w*|[Uu]nser\w*)(?: \w+){0,2} (?:Name|Geburtstag|Adresse|Telefonnummer|Passwort|Kontonummer
            |Kundennummer)(?: \w+){0,2}(?: ?[=:]| (?:ist|lautet)\b)
        heiße heisse nenn; \b(?:[Nn]enn mich|[Ii]ch hei(?:ß|ss)e) [A-ZÀ-Þ]
        allergisch allergie vegetarier vegetarierin veganer veganerin diabetiker diabetikerin schwanger;
            (?i)\b(?:bin|ist|sind)(?: \w+){0,3} (?:allergisch|Vegetarier(?:in)?|Veganer(?:in)?|Diabetiker(?:in)?
            |schwanger)\b|\b(?:allergie|allergisch) (?:gegen|auf) \w
        bevorzuge; \b[Bb]evorzuge\b
        lieblingsfarbe lieblingsessen lieblingsfilm lieblingsmusik lieblingsbuch; \b[Mm]eine? Lieblings\w+ ist\b
        esse trinke; \b[Ii]ch (?:esse|trinke) (?:nie|kein)""",
    "chatter": """danke(?: schön| sehr)?|vielen dank|bitte|hallo|guten (?:morgen|tag|abend)|tschüss|alles (?:gut|klar)
        |gute nacht|bis (?:bald|dann|später|morgen)|wie geht['’]?s|genau|ja|jo|jep|nein|nee|na (?:gut|ja|klar)
        |ach(?: so)?|also|doch|klar|sicher|natürlich|(?:sehr )?(?:gut|gerne?)|super|toll|prima|stimmt|richtig
        |passt(?: schon)?|verstehe|verstanden|einverstanden|kein problem|danke dir|mach ich""",
    "polite_openings": """hallo|danke|vielen dank|guten (?:morgen|tag|abend)|tschüss|bis (?:bald|später|morgen)
        |gern geschehen|viel (?:spaß|glück)|freut mich""",
    "first_person_words": r"ich|mein\w*|wir",
    "speaker_words": "ich|meine?|wir|unsere?",
    "yes_or_no": "ja|nein|doch",
    "outside": "außerhalb|außer",
    "occupation": r"""\w{2,}(?:er|erin|ist|istin|ent|entin|ant|antin|eur|eurin|euse|or|orin|mann|frau|wirt|
        wirtin|hilfe|kraft|leiter|leiterin)|\w*(?:koch|köchin|arzt|ärztin|anwalt|anwältin)|pfarrer|hebamme|
        azubi|lehrling|praktikant|pilot|pilotin|polizist|chef|chefin|coach|friseurin|architekt|architektin|
        \w+(?:loge|login|oge|ogin|nom|nomin|graf|grafin|iker|ikerin)""",
    "plain_yes_no": "ja|nein",
    "unknown": "(?:das )?(?:ich )?weiß (?:ich )?(?:es )?nicht|(?:das ist )?nicht bekannt|unbekannt",
    "constraint": r"""allergisch|(?:bin|ist) (?:vegan|vegetarisch)|(?:ich|er|sie|es|wir|man) (?:muss|müssen)|(?:darf
        |dürfen|kann|können)\b[^.;]{0,30}\b(?:nicht|keine?n?)|höchstens|maximal|spätestens|frist""",
    "preference": r"""(?:ich|er|sie|wir) (?:mag|mögen|liebe|liebt|lieben|hasse|hasst|bevorzug\w+)|am liebsten
        |lieblings\w+|von nun an|ab jetzt|ab sofort""",
    "decision": r"""(?:habe|haben|wurde)\b[^.;]{0,60}\b(?:entschieden|beschlossen|vereinbart|ausgemacht|geeinigt)
        |(?:entschieden|beschlossen)(?=\s*:)|(?:wir|ich) nehmen?|nehmen wir""",
    "undecided": r"(?:nicht|nie|kein\w*)\b[^.;]{0,24}$",
    "entity": r"(?:mein|meine|unser|unsere) (?:\w+ ){1,3}(?:ist|heißt|arbeitet|wohnt)|ich (?:heiße|arbeite|wohne)",
    "amount": r"\d[\d.,]*[ -]?(?:stunden?|tage?n?|wochen?|jahren?|prozent|euro)|nummer\b[^.;?]{0,20}\d\w*",
    "personal": "(?-i:[Ii]ch|[Mm]eine?|[Ww]ir|[Uu]nsere?|[Ii]hre?|[Dd]eine?)",
    "events": """ging gingen kam kamen kaufte kauften bekam fand begann hörte lernte verlor machte traf trafen zog zogen
        sah sagte verkaufte besuchte gewann schrieb baute brachte entschied verließ reiste startete beendete""",
    "no_content": """absolut danke echt freut freue gern gerne genau glückwunsch gut hallo herzlichen klar klasse prima
        recht richtig schade schön sicher stimmt super supi tja toll tut leid verstehe viel wahnsinn wirklich wow
        wunderbar""",
    "filler": r"(?:hallo|hi|hey|ok(?:ay)?|danke|also|ja|nein|klar|super|toll|genau|ach)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"""\W*(?:(?:na|ach|ja|nein|so|und|aber|auch|eigentlich),?\s+)*(?:er|sie|es|das|dies|diese[rs]?
        |jene[rs]?|du|ihr)""",
    "lasting": r"""(?:Ich bin|(?:[Mm]eine? \w+|[A-ZÄÖÜ][\w-]+) ist) (?:\w+ )?(?:allergisch gegen \w|Vegetarier(?:in)?\b
        |Veganer(?:in)?\b|vegan\b|vegetarisch\b|Diabetiker(?:in)?\b|Linkshänder(?:in)?\b|farbenblind\b|pensioniert\b)
        |[Mm]eine? (?:Hund|Katze|Kater|Pferd|Sohn|Tochter|Frau|Mann|Schwester|Bruder|Mutter|Vater) heißt [A-ZÄÖÜ]\w""",
    "elsewhere": r"das|dies\w*|jene[rs]?|es|sie|hier|dort|da|du|dir|dich|dein\w*",
    "advice": r"""(?:du|sie|man) (?:kannst|können|kann|solltest|sollten|sollte)|versuch\w*|achte[nt]? (?:darauf|sie)
        |denk\w* daran|empfehl\w*|zum beispiel|hier sind|tipps?|als ki|sprachmodell|^\W*(?:\d+[.)]|\*\*)""",
    "idle_talk": """absolut danke genau glückwunsch hallo klar klasse prima richtig schade schön sicher stimmt super
        toll tschüss wow""",
    "about_saying": """sagte gesagt sagtest erwähnt erwähnte erwähntest erinnere erinnerst erinnerung notiz notiert
        vorher bereits schon früher genau richtig stimmt bekannt weißt laut""",
    "asking": """sag sage erzähl erzähle erwähnen weißt weiß beschreib beschreibe zusammenfassung überblick etwas
        irgendetwas letzte letzten letzter neueste neuesten aktuell aktuelle aktuellen derzeit jetzt passiert""",
    # parts of answers
    "before_age": r"""\b(?:ist|bin|sind|war|wird|werden?|wurden?)\s+(?:(?:etwa|fast|erst|bald|schon|im\s\w+|am\s\w+
        |nächst\w+\s\w+)\s+){0,2}""",
    "after_age": "jahre?|monate?|wochen?|alt|und|aber",
    "old": "alt",
    "because": r"\b(?:weil|denn|wegen|damit)\s+(?P<why>[^.;!?\n]{4,})",
    "by_doing": r"\b(?:indem|durch)\s+(?P<how>[^.;!?\n]+)",
    "leading_words": "der|die|das|den|dem|ein|eine|einen|zu|für|mit|von|an|in|im|am|auf|ist|war|sehr|auch|und|oder",
    "trailing_words": "und|oder|der|die|das|zu|für|mit|von|an|in|auf|ist|war|auch|jetzt|heute|gestern|wieder",
    "happened": r"ge\w{3,}(?:t|en)|war|waren|hatte|hatten|wurde|wurden|ging|kam|zog|kaufte|verkaufte|\w{3,}te",
    "moved": "(?:gezogen|zog|zieht|ziehen)",
    "earlier": r"früher|ursprünglich|vorher|ehemal\w*",
    "asks_first": r"(?:zum|das) (?:aller)?erste[ns]? mal|zuerst|als erstes|(?:aller)?erste[nrsm]?",
    "asks_last": r"""(?:zum|das) letzte[ns]? mal|zuletzt|neueste[nrsm]?|letzte[nrsm]?(?!\s+(?:woche|monat|jahr|nacht
        |tage?n?
        |wochen|monaten?|jahre|sommer|winter|herbst|frühling|\w+tag)\b)""",
    "asks_times": r"wie\s+oft\s+(?:war\w*|bin|ist|sind|hab\w*|hat)|wie\s*viele\s+male",
    "cleft": r"""^(?:was|welche[sr]?|wie)\s+(?:ist|war|heißt|hieß)\s+(?:der|die|das|mein
        |meine)\s+(?P<noun>\w+)\s*,\s+(?:(?:in|bei|mit|für
        |an|auf)\s+)?(?:der|die|das|dem|den|wo)\s+(?P<rest>.+)""",
    "which_noun": "welche",
    "counted_phrases": r"ein\s+dutzend|ein\s+paar|einmal|zweimal|dreimal",
    "amount_nouns": "schritte seiten personen leute stunden minuten zoll",
    # questions
    "myself": "ich mein meine meinen meinem meiner meines mir mich",
    "asks_when": r"""(?:seit\s+|bis\s+|ab\s+|von\s+)?wann|wie\s+lange|wie\s+viele\s+(?:sekunden|minuten|stunden|tage
        |wochen|monate|jahre)|(?:an|in)?\s*welche[mnrs]?\s+(?:\w+\s+)?(?:datum|tag|wochentag|woche|monat|jahr|jahrzehnt
        |quartal)|um\s+wie\s?viel\s+uhr|welche\s+uhrzeit""",
    "asks_latest": r"""aktuell\w*|derzeit\w*|momentan|zurzeit|zuletzt|jetzt|heutzutage|früher|vorher|neueste[nrs]?
        |jüngste[nrs]?|letzte[ns]?\s+mal|im\s+moment""",
    "asks_name": r"""wer|wen|wem|wessen|wo|wohin|woher|namen?|heißt|heisst|genannt|welche[mnrs]?\s+(?:\w+\s+)?(?:person
        |freund\w*|stadt|land|ort|dorf|buch|roman|film|serie|lied|spiel|firma|marke|verein|sprache|restaurant|museum
        |schule|universität|hund|katze|haustier|projekt|straße|hotel)\w*""",
    "states_place": r"""(?:in|im|ins|nach|aus|beim|an|am|auf|unter|hinter|neben|durch|zu|zum|zur)\s+(?:(?:de[rmn]|die
        |das|(?:ein|mein|dein|sein|ihr|unser)(?:e[mnr]?)?)\s+)?(?!(?:januar|februar|märz|april|mai|juni|juli|august
        |september|oktober|november|dezember|\w+tag|morgen|mittag|abend|nacht|wochenende|woche|monat|jahr\w*|ende|anfang
        |zukunft|sommer|winter|herbst|frühling|moment|ersten|letzten|nächsten)\b)(?-i:[A-ZÄÖÜ])\w+|zu\s+hause|daheim
        |im\s+ausland""",
    "asks_clock_time": r"um\s+wie\s?viel\s+uhr|welche\s+uhrzeit|wie\s+spät",
    "asks_age": r"wie\s+alt",
    "asks_description": r"""^\W*(?:(?:wer|was)\s+(?:ist|war|sind)|erzähl\w*\s+(?:mir\s+)?(?:von|über)
        |was\s+wei(?:ß|ss)t\s+du\s+(?:von|über))
        \s+(?-i:[^\W_a-z])[\w.-]*(?:\s+(?-i:[^\W_a-z])[\w.-]*)*\W*$""",
    "wrongly_stated": r"""(?:(?:sorry|entschuldigung|korrektur|nein|halt)\b[^.!?]{0,20}?)?
        \bich (?:sagte|habe gesagt|hatte gesagt|schrieb),?(?: dass)?
        \s(?P<stated>[^.!?]{4,200}?)
        ,\s(?:das (?:ist|war|stimmt) (?:falsch|nicht),? )?(?:aber |und )?(?:es|er|sie|das) (?:ist|sind|war
        |waren)(?: aber| eigentlich| in)?
        \s(?P<right>[^.!?,;]{1,60})""",
    "introduces": r"""(?:ich hei(?:ß|ss)e|mein name ist|nenn mich) (?P<named>{fullname})
        |ich bin (?:die |der )?(?P<told>{fullname})(?=\s*(?:[,.!;)]|$|und\b))
        |(?P<here>(?-i:[A-ZÀ-ÖØ-Þ][\w'’-]+)) hier(?=\s*[.!,])""",
    "asks_profile": r"""was (?:weißt du|weisst du|wissen wir|ist bekannt|kannst du mir)
        \s(?:(?:so |noch )?alles )?(?:über|von|zu) (?P<about>.+?)(?: sagen| erzählen)?
        |(?:erzähl\w*|sag\w*) mir (?:alles |was )?(?:über|von) (?P<told>.+)
        |fass\w* (?:(?:bitte )?zusammen, was (?:du|wir) über )?(?P<summed>.+) (?:zusammen|wei(?:ß|ss)t|wissen)""",
    "asks_occupation": r"""was mach(?:t|e|st) (?:\w+ ?){1,4}(?: beruflich| von beruf)?\W*$
        |was (?:ist|bin|bist) .+ von beruf""",
    "asks_origin": r"""woher|aus welche[mnrs]? (?:stadt|land|ort|dorf|gegend)""",
    "asks_of_past": r"^\W*(?:war|hatte)",
    "was": r"war|waren|hatte|hatten|wurde|ehemalig\w*",
    "causal": r"warum|wieso|weshalb|weil|gründe?|ursachen?|führte[n]?\s+zu|verursacht\w*",
    "relational": r"wer (?:kennt|arbeitet)|beziehung\w*|verwandt|verbunden|zwischen|freunde? von|beide[nrs]?",
    "exploratory": r"""erzähl\w* (?:mir )?(?:von|über)|was (?:weißt|wissen|weiß)|überblick|zusammenfass\w*|beschreib\w*
        |alles""",
    "factual": r"""^\W*(?:(?:was|welche[mnrs]?|wer|wen|wem|wessen|wo|wohin|woher|wie\s?viele?|wie (?:alt|lange|weit|groß
        |hoch|oft))\b|(?:ist|sind|war|waren|bin|hat|habe|haben|hatte|kann|können|wird|wurde|soll)\b)""",
    "comparison": r"""vergleich\w*|unterschied\w*|beide[nrs]?|entweder|weder|als|mehr|weniger|besser|schlechter
        |beste[nrs]?""",
    "joints": "und|oder|aber|während|wenn|nachdem|bevor|weil|dann",
    "request": "(?:kannst|könntest|würdest) du|(?:können|könnten) sie|weißt du|erinnerst du",
    "asked": {
        "frequency": r"wie\s+oft\b",
        "duration": r"""wie\s+lange\b|seit\s+wann\b|wie\s+viele\s+(?:sekunden|minuten|stunden|tage|wochen|monate
            |jahre)\b""",
        "count": r"wie\s*viele\b|wie\s+alt\b",
        "amount": r"(?:(?:für|um|auf|bei|mit|zu)\s+)?wie\s*viel\b|wie\s+(?:weit|groß|hoch|schwer|teuer|schnell)\b",
        "time": r"""(?:bis\s+|ab\s+)?wann\b|(?:an\s+|in\s+)?welche[mns]\s+(?:datum|jahr|tag|tagen|monat)\b
            |um\s+wie\s?viel\s+uhr\b""",
        "place": r"wo(?:her|hin)?\b|(?:in\s+)?welche[rms]\s+(?:stadt|land|ort|dorf|straße)\b",
        "person": r"(?:mit\s+|von\s+)?we[rnm]\b",
        "name": r"wie\s+hei(?:ß|ss)(?:t|en|e|st)\b|was\s+ist\s+der\s+name\b",
        "reason": r"warum\b|wieso\b|weshalb\b",
        "manner": r"wie\b",
        "thing": r"welche[rsnm]?\b|was\b",
        "yes or no": r"""(?:ist|sind|war|waren|hat|habe|haben|hatte|kann|können|mag|wird|wohnt|lebt|arbeitet|trinkt
            |isst)\s""",
    },
    "question_leads": "und|also|aber|dann|ok|hey|hallo|bitte",
    "question_auxiliaries": "(?:hat|habe|haben|hatte|ist|sind|war|waren|wird|wurde|kann|können|soll|muss|darf|mag)",
    "which": "welche[mnrs]?|was",
    "how_many": r"wie\s?viele?",
    "kind_of": r".*\b(?:arten?|sorten?)\s+(?:von\s+)?\b",
    "either": "oder",
    # changes in ordinary talk
    "corrects": """quatsch|korrektur|sorry|entschuldigung|pardon|stimmt nicht|nee|äh,? nein|ach,? nein|nein,? (?:moment
        |doch|halt|warte)|moment|doch (?:erst|schon|nicht|lieber|nur|am|um|im)|doch|ich meinte|ich meine|vielmehr
        |stattdessen|sondern|planänderung|ich habe mich (?:vertan|geirrt)|(?:ich sagte|ich hatte gesagt)""",
    "from_now": """jetzt|nun|inzwischen|mittlerweile|neuerdings|ab sofort|von nun an|seit neuestem|künftig|ab jetzt
        |neue[rsnm]?|nur noch|ab nächste[rnm] \\w+|seit [A-Z]\\w+""",
    "moves": r"""übergeben|übergab|gezogen|umgezogen|verschoben|verlegt|vorverlegt|vorgezogen|verlängert|erhöht
        |gesenkt|gestiegen
        |gesunken|steigt auf|sinkt auf|gefallen auf|geändert|umgebucht|verspätet sich|verschiebt sich|übernimmt
        |übernommen|löst \w+ ab|aufgeschoben""",
    "is_over": """abgesagt|gestrichen|(?:fällt|fallen) (?:[\\w.]+ ){0,3}aus|(?:ist|sind) (?:vorbei
        |Geschichte)|ist (?:\\w+ )?Schluss
        |aufgegeben|ausgefallen|gestorben|verstorben|tot|verkauft|gekündigt
        |aufgehört|weggegeben|verschenkt|abgeschafft|findet nicht statt|geplatzt|storniert""",
    "parted": "getrennt|schluss gemacht|auseinander|geschieden|entlobt",
    "together": "zusammen|verlobt|verheiratet|freund|freundin|partner|partnerin|mann|frau|paar|liiert",
    "in_charge": """verantwortlich|zuständig|leite[nt]?|führt|organisiert|betreut|kümmert sich|macht|übernimmt
        |übernommen|unterrichtet|trainiert|verwaltet|koordiniert|ist (?:mein|meine|unser|unsere|der|die)""",
    "died": "gestorben|verstorben|tot|eingeschläfert|verkauft|abgesagt",
    "recurs": "fährt|fahren|geht",
    "own_forms": "(?!)",
    "other_ones": """andere|anderer|anderes|anderen|zweite|zweiten|zweiter|zweites|dritte|weitere|weiteren|zurück
        |sonst""",
    "plural_nouns": """kinder söhne töchter zwillinge brüder schwestern geschwister eltern enkel freunde katzen hunde
        kollegen nachbarn""",
    "comes_of_age": "(?:wird|werde|werden|wurde)(?= (?:\\S+ )*NUMBER(?: Jahre(?: alt)?)?\\W*$)",
    "finished": "fertig|ausgelesen|beendet|durchgelesen|abgeschlossen",
    "outdated": "(?:ist|sind) (?:Geschichte|überholt|hinfällig|veraltet|vom Tisch)|(?:gilt|gelten) nicht mehr",
    "instead_of": "statt|anstatt|anstelle(?: von)?",
    "which_owned": r"""welche[rsnm]? (?P<noun>\w[\w -]*?) (?:habe|fahre|nutze|benutze|verwende|besitze|hat|fährt
        |nutzt|benutzt
        |verwendet|besitzt|haben|fahren|nutzen|benutzen|verwenden) (?P<one>ich|wir|[A-ZÄÖÜ]\w+)""",
    "what_is_mine": "Was ist mein {noun}?",
    "what_is_theirs": "Was ist {noun} von {one}?",
    "idle_in_changes": """dosis|dosierung|anfang|mitte|ende|wochenende|äh|ach|nee|leider|erst|uhr|termin|heute|nacht
        |gestern
        |endlich|bloß|keins|keinen|herr|herrn
        |frau|sorry|quatsch|bitte""",
    "stated_words": r"""(?:sagte|schrieb) ich|ich (?:sagte|schrieb)|(?:hatte|habe) ich \w+ gesagt|ich (?:hatte
        |habe) (?:[\w:.]+ ){1,3}gesagt""",
}
