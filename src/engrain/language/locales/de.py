"""German."""

from __future__ import annotations

from engrain.language.locales.locale import Locale, RelationForm, numbered, words

GERMAN = Locale(
    code="de",
    snowball="german",
    letters="ßäöü",
    stop=words(
        """der die das den dem des ein eine einen einem einer eines und oder aber sondern denn doch nicht kein keine
        keinen keinem keiner ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch ihnen mein meine meinen meinem
        meiner dein deine deinen sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren euer eure
        dies diese dieser dieses diesen diesem jener jede jeder jedes jeden alle alles man wer wen wem was wo wann wie
        warum wieso weshalb woher wohin welche welcher welches ist bin bist sind seid war waren wird werden wurde wurden
        worden hat habe haben hast hatte hatten kann kannst können konnte muss müssen musste soll sollen sollte will
        wollen wollte möchte darf dürfen mag im in an am auf aus bei beim mit nach seit von vom vor zu zum zur für gegen
        ohne um durch über unter zwischen bis ab als wenn ob weil dass damit obwohl während dann da so auch nur noch
        schon sehr mehr viel viele immer wieder nie hier dort heute gestern jetzt ja nein bitte danke gern gerne etwas
        nichts jemand niemand sich selbst zwei drei hallo"""
    ),
    articles=words("der die das den dem des ein eine einen einem einer eines"),
    determiners=words(
        """mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem seiner ihr
        ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer eure eurem dies diese dieser dieses diesen
        diesem jede jeder jedes jeden jedem kein keine keinen keinem keiner alle viele einige mehrere beide im am zum
        zur vom beim ins ans als pro etwas viel wenig mehr kein welche welcher welches ohne zwei drei vier fünf sechs
        sieben acht neun zehn und oder hat haben mag trinkt isst hatte braucht"""
    ),
    copulas=words("ist sind bin bist"),
    first_person=words("ich"),
    first_possessive=words("mein meine"),
    oneself=words(
        """ich mein meine meinen meinem meiner meines mir mich wir unser unsere unseren unserem unserer uns"""
    ),
    hearer=words("du dein deine deinen deinem deiner dir dich ihr euch euer eure"),
    third_person=words("er sie es ihn ihm ihnen sein seine ihr ihre"),
    subordinating=words("weil dass wenn als ob während obwohl damit bevor nachdem bis seit da der die das welche wo"),
    has_noun_capitals=True,
    abbreviations=words(
        """hr fr dr prof ing dipl st z.b z.t z.zt d.h u.a u.ä o.ä i.d.r s.o s.u v.a ca bzw bzgl evtl ggf inkl exkl vgl
        geb gest gegr sog max min mind nr str abs art kap bd abb tel ugs zzgl allg bes ehem einschl gem insb lt mfg
        betr usf i.a m.e u.u o.g"""
    ),
    closing_abbreviations=words(
        """usw etc u.s.w jan jän feb mär mrz apr jun jul aug sept sep okt nov dez mo di mi do fr sa so uhr std mio mrd
        tsd jr sen v.chr n.chr jh jhd co"""
    ),
    months=numbered(
        "januar jan jänner jän|februar feb feber|märz maerz mär mrz|april apr|mai|juni jun|juli jul|august aug"
        "|september sep sept|oktober okt|november nov|dezember dez"
    ),
    weekdays=numbered("montag|dienstag|mittwoch|donnerstag|freitag|samstag sonnabend|sonntag", 0),
    seasons={"frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
    namesakes=words("jan mai juni juli jun jul april apr august aug sommer winter"),
    units={
        "second": "sekunde sekunden sek",
        "minute": "minute minuten min",
        "hour": "stunde stunden std",
        "day": "tag tage tagen tages",
        "night": "nacht nächte nächten",
        "week": "woche wochen",
        "weekend": "wochenende wochenenden",
        "month": "monat monate monaten monats",
        "quarter": "quartal quartale quartalen",
        "year": "jahr jahre jahren jahres",
        "decade": "jahrzehnt jahrzehnte jahrzehnten",
    },
    near={
        "vorgestern": -2,
        "gestern": -1,
        "gestern_abend": -1,
        "gestern_morgen": -1,
        "letzte_nacht": -1,
        "heute": 0,
        "heute_morgen": 0,
        "heute_früh": 0,
        "heute_abend": 0,
        "morgen": 1,
        "morgen_früh": 1,
        "morgen_abend": 1,
        "übermorgen": 2,
    },
    clock_words={"mittags": 720, "mitternacht": 0},
    time_words={
        "last one": "letzte letzten letzter letztes letztem vergangene vergangenen vergangener vergangenes vorige"
        " vorigen voriges",
        "this": "diese diesen dieser dieses diesem",
        "next": "nächste nächsten nächster nächstes nächstem kommende kommenden kommender kommendes",
        "lately": "kürzlich neulich heutzutage unlängst",
        "before last": "vorletzte vorletzten vorletzter vorletztes",
        "ago before": "vor",
        "hence before": "in",
        "between": "zwischen",
        "from": "vom von",
        "to": "und oder zum",
        "until": "bis",
        "since": "seit ab",
        "after": "nach",
        "onwards": "an",
        "in": "im anfang ende mitte seit während um gegen",
        "on": "am jeden",
        "of": "des",
        "for": "für",
        "part of": "beginn hälfte",
        "the": "der die das den dem",
        "a": "ein eine einen einem einer",
        "my": "mein meine meinem meinen sein seine ihr ihre unser unsere",
        "than": "als kostet kosten zimmer raum",
        "roughly": "etwa ungefähr fast knapp ca",
        "every": "jede jeder jedes",
        "part of day": "abend nachmittag vormittag früh",
        "habit": "montags dienstags mittwochs donnerstags freitags samstags sonntags morgens abends nachmittags",
        "counted": """euro dollar cent prozent km kilometer meter meilen kg gramm liter schritte schritten wörter seiten
            punkte personen leute leuten menschen nutzer mal lieder fotos bücher zeilen zeichen stimmen mitarbeiter
            mitarbeitern schüler studenten watt volt grad""",
    },
    capital_words={"Morgen": "part of day"},
    vague_counts={"paar": (2, 3), "ein_paar": (2, 3), "einige": (2, 5), "einigen": (2, 5), "mehrere": (3, 7)}
    | {"mehreren": (3, 7)},
    holidays=words("weihnachten ostern pfingsten silvester"),
    future=r"wird|werden|werde|bis|fällig|frist|erwartet|geplant|gebucht|termin|nächste[nrs]?|bald|beginnt|endet|öffnet"
    r"|schließt|verschoben|findet|ziehe|ziehen|fahre|fahren|fliege|fliegen",
    frequency=r"(?:einmal|zweimal|dreimal|\w+\s+mal)(?:\s+(?:am|pro|in\s+der|im|die)\s+\w+)?"
    r"|jede[nrs]?\s+(?:zweiten?\s+)?(?:\w*tag|woche|monat|jahr|morgen|abend|wochenende)|täglich|wöchentlich|monatlich"
    r"|jährlich|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s",
    numbers={
        name: number
        for number, name in enumerate(
            """null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn
            siebzehn achtzehn neunzehn""".split()
        )
    }
    | {
        name: 10 * ten
        for ten, name in enumerate("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split(), 2)
    }
    | {"dreissig": 30, "dutzend": 12},
    scales={"hundert": 100, "tausend": 1000, "tsd": 1000, "million": 10**6, "millionen": 10**6, "mio": 10**6}
    | {"milliarde": 10**9, "milliarden": 10**9, "mrd": 10**9},
    number_joints=words("und"),
    unsure_numbers=words("null eins elf"),
    tens_first=False,
    measures={
        "usd": "dollar",
        "eur": "euro euros",
        "gbp": "pfund",
        "chf": "franken",
        "gram": "gramm",
        "kilogram": "kilogramm kilo",
        "metre": "meter metern",
        "kilometre": "kilometer kilometern",
        "mile": "meile meilen",
        "litre": "liter litern",
        "percent": "prozent",
        "degree": "grad",
    },
    minus="minus",
    below_zero="unter null",
    pronouns=frozenset(
        """er sie es wir ihr man dies das diese jemand niemand alle vielleicht gestern heute morgen dann jetzt hier dort
        wer was wo wann wie aber und oder wenn falls früher nein ja""".split()
    ),
    verbs=frozenset(
        """ist sind hat haben nutzt nutzen benutzt benutzen verwendet verwenden läuft laufen wohnt lebt
        arbeitet mag isst
        trinkt spricht heißt heisst lautet kostet liegt steht fährt spielt raucht liest schreibt braucht kennt kauft
        wird werden kann muss soll nicht kein jetzt""".split()
    ),
    idle=frozenset("der die das den dem des ein eine einen einem einer ist sind bin zu".split()),
    blocked=frozenset(
        """wenn falls ob weil obwohl vielleicht wahrscheinlich vermutlich möglicherweise würde könnte sollte
        glaube glaubt
        denke denkt sagt sagte hofft will möchte wird werden bald morgen gestern aber oder nur auch dass als""".split()
    ),
    pointing=frozenset(
        "dies diese dieser dieses es ihn ihm ihnen du dein deine hier dort heute morgen gestern".split()
    ),
    negated=frozenset("nicht kein keine keinen keinem keiner nie niemals".split()),
    ended=(
        "nicht mehr",
        *(f"{none} ... mehr" for none in ("kein", "keine", "keinen", "keinem", "keiner")),
        "nicht ... mehr",
        "hat aufgehört zu",
        "habe aufgehört zu",
        "hat aufgehört, zu",
    ),
    changed=("jetzt", "nun", "inzwischen", "umgezogen", "gewechselt", "statt", "anstatt", "wurde zu"),
    now=("jetzt", "nun", "inzwischen"),
    corrected=("korrektur", "ich meinte", "ich habe mich geirrt", "ich lag falsch"),
    hinted=("eigentlich", "tatsächlich"),
    swapped=("{s} (?:ist|hat) von {was} (?:zu|auf|nach) {o} (?:gewechselt|umgestiegen|umgezogen)",),
    denied=("{frame} nicht {was},? sondern {o}", "{o}, nicht {was}"),
    used=frozenset("nutzt nutzen benutzt benutzen verwendet verwenden".split()),
    instead=("statt", "anstatt"),
    past=("te", "ten"),
    past_words=frozenset("war waren hatte hatten wurde".split()),
    partial=frozenset("einige manchmal oft kann könnte".split()),
    joined=frozenset("und oder aber sowie".split()),
    linking=frozenset("für in im mit auf an bei seit gegen über unter".split()),
    single=("heißt", "heisst", "lautet", "wohnt in", "lebt in", "arbeitet bei", "arbeitet als", "kostet"),
    loose=("läuft auf",),
    attributes=frozenset(
        """passwort kennwort code pin name nummer telefonnummer adresse e-mail geburtstag version besitzer chef preis
        termin port raum titel wlan-passwort postleitzahl""".split()
    ),
    states=frozenset("status farbe lieblingsfarbe zustand lieblingsessen".split()),
    myself=words("ich mein meine meinen meinem meiner meines mir mich"),
    asks_when=(
        r"(?:seit\s+|bis\s+|ab\s+|von\s+)?wann|wie\s+lange|wie\s+viele\s+(?:sekunden|minuten|stunden|tage|wochen"
        r"|monate|jahre)"
        r"|(?:an|in)?\s*welche[mnrs]?\s+(?:\w+\s+)?(?:datum|tag|wochentag|woche|monat|jahr|jahrzehnt|quartal)"
        r"|um\s+wie\s?viel\s+uhr|welche\s+uhrzeit"
    ),
    asks_latest=(
        r"aktuell\w*|derzeit\w*|momentan|zurzeit|zuletzt|jetzt|heutzutage|früher|vorher|neueste[nrs]?|jüngste[nrs]?"
        r"|letzte[ns]?\s+mal|im\s+moment"
    ),
    asks_name=(
        r"wer|wen|wem|wessen|wo|wohin|woher|namen?|heißt|heisst|genannt"
        r"|welche[mnrs]?\s+(?:\w+\s+)?(?:person|freund\w*|stadt|land|ort|dorf|buch|roman|film|serie|lied|spiel|firma"
        r"|marke"
        r"|verein|sprache|restaurant|museum|schule|universität|hund|katze|haustier|projekt|straße|hotel)\w*"
    ),
    asks_clock_time=r"um\s+wie\s?viel\s+uhr|welche\s+uhrzeit|wie\s+spät",
    causal=r"warum|wieso|weshalb|weil|gründe?|ursachen?|führte[n]?\s+zu|verursacht\w*",
    relational=r"wer (?:kennt|arbeitet)|beziehung\w*|verwandt|verbunden|zwischen|freunde? von|beide[nrs]?",
    exploratory=r"erzähl\w* (?:mir )?(?:von|über)|was (?:weißt|wissen|weiß)|überblick|zusammenfass\w*|beschreib\w*"
    r"|alles",
    factual=(
        r"^\W*(?:(?:was|welche[mnrs]?|wer|wen|wem|wessen|wo|wohin|woher|wie\s?viele?|wie (?:alt|lange|weit|groß|hoch"
        r"|oft))\b"
        r"|(?:ist|sind|war|waren|bin|hat|habe|haben|hatte|kann|können|wird|wurde|soll)\b)"
    ),
    comparison=r"vergleich\w*|unterschied\w*|beide[nrs]?|entweder|weder|als|mehr|weniger|besser|schlechter|beste[nrs]?",
    joints=r"und|oder|aber|während|wenn|nachdem|bevor|weil|dann",
    request=r"(?:kannst|könntest|würdest) du|(?:können|könnten) sie|weißt du|erinnerst du",
    question_leads=r"und|also|aber|dann|ok|hey|hallo|bitte",
    question_auxiliaries=r"(?:hat|habe|haben|hatte|ist|sind|war|waren|wird|wurde|kann|können|soll|muss|darf|mag)",
    which=r"welche[mnrs]?|was",
    how_many=r"wie\s?viele?",
    kind_of=r".*\b(?:arten?|sorten?)\s+(?:von\s+)?\b",
    either="oder",
    asked={
        "frequency": r"wie\s+oft\b",
        "duration": (
            r"wie\s+lange\b|seit\s+wann\b|wie\s+viele\s+(?:sekunden|minuten|stunden|tage|wochen|monate"
            r"|jahre)\b"
        ),
        "count": r"wie\s*viele\b|wie\s+alt\b",
        "amount": r"wie\s*viel\b|wie\s+(?:weit|groß|hoch|schwer|teuer|schnell)\b",
        "time": (
            r"(?:bis\s+|ab\s+)?wann\b|(?:an\s+|in\s+)?welche[mns]\s+(?:datum|jahr|tag|monat)\b"
            r"|um\s+wie\s?viel\s+uhr\b"
        ),
        "place": r"wo(?:her|hin)?\b|(?:in\s+)?welche[rms]\s+(?:stadt|land|ort|dorf|straße)\b",
        "person": r"(?:mit\s+|von\s+)?we[rnm]\b",
        "name": r"wie\s+heißt\b|wie\s+heisst\b|was\s+ist\s+der\s+name\b",
        "reason": r"warum\b|wieso\b|weshalb\b",
        "manner": r"wie\b",
        "thing": r"welche[rsnm]?\b|was\b",
        "yes or no": (
            r"(?:ist|sind|war|waren|hat|habe|haben|hatte|kann|können|mag|wird|wohnt|lebt|arbeitet|trinkt"
            r"|isst)\s"
        ),
    },
    coordinating=words("und aber sondern doch weil während"),
    subjects=words("ich wir er sie es ihr du man"),
    ends_of_clause="weil|seit|aber|sondern",
    next_clause="er|sie|es|wir|ich|jetzt|sondern|weil|seit|ist|hat|zog",
    relations=(
        RelationForm("works_at", r"(?:arbeitet|arbeiten) (?:\w+ )?(?:bei|für)", "person name", "organization name"),
        RelationForm("lives_in", r"(?:wohnt|lebt|wohnen|leben) (?:\w+ )?in", "person name", "place name"),
        RelationForm("married_to", r"ist (?:verheiratet|verlobt) mit", "person name", "person name"),
    ),
    negation=r"nicht|kein\w*|nie|niemals|niemand|nichts|ohne|weder|kaum",
    simple_negation=r"nicht|kein\w*|nie|niemals",
    contrast=r"weder|noch|ohne|kaum|statt|anstatt|nicht mehr",
    denied_ahead=r"kein(?:e|en)? (?:Hinweise?|Beweise?|Anzeichen|Grund)|bestreite[tn]|dementier\w+|falsch",
    denial_verbs=r"vergaß|vergessen|versäumte?",
    no_denial=r"nicht nur|nicht (?:vergessen|verpassen)|kein (?:Problem|Wunder|Zweifel)|nicht (?:mehr|weniger) als",
    soft_denial=r"ablehn\w*|lehnt\w* ab|verloren|verlor|aufgehört|gekündigt|verkauft|abgesagt|geschlossen|ehemalig\w*"
    r"|allergisch"
    r"|vegan\w*|vegetarisch\w*|geschieden|ledig|hass\w*",
    hypothetical=r"wenn|falls|ob|sofern|vielleicht|möglicherweise|eventuell|angeblich|vermutlich|würden?|könnten?"
    r"|sollten?"
    r"|dürften?|wäre[n]?|hätte[n]?|hoff\w+|hoffentlich|überleg\w+|wünsch\w+",
    tentative=r"(?:möchte|will|wollte|versucht\w*|plant|geplant)",
    unsettled=r"sag\w*|glaub\w*|denk\w*|meint\w*|behaupte\w*|hört\w*|bis|bevor|fast|nur|außer|statt|wird|werden|kann"
    r"|soll"
    r"|wahrscheinlich|aber|obwohl|scheint|scheinbar",
    over=r"nicht mehr|früher|ehemal\w*|aufgehört|hörte auf",
    turning=words("nicht kein keine keinen nie niemals ohne"),
    greetings=words("hallo hi danke ja nein servus moin tschüss genau klar"),
    titles=words("Herr Herrn Frau Dr Prof Onkel Tante Familie"),
    name_abbreviations=words("Hr Fr"),
    bodies=r"GmbH|AG|KG|SE|e\.V|Verein|Stiftung|Universität|Hochschule|Verlag|Klinik|Krankenhaus|Ministerium|\w*bank"
    r"|Institut"
    r"|Gesellschaft|Versicherung|Werke",
    leading_bodies=r"Universität|Hochschule|Institut|Stiftung|Ministerium|Bundesamt|Firma|Verein",
    never_names=words(
        """ich wir sie ihr er es du heute gestern morgen montag dienstag mittwoch donnerstag freitag samstag sonntag
        januar februar märz april mai juni juli august september oktober november dezember mama papa oma opa
        weihnachten ostern gott deutsch englisch französisch spanisch"""
    ),
    into_place=r"\b(?:in|nach|aus|bei|um|durch)(?: der| die| dem)? $",
    name_cues=r"\b(?:heißt|heisst|namens|genannt|Projekt|Firma|Herrn?|Frau|Hund|Katze|Kater|Team) [\"„“'‘(]*$",
    subject_verbs=words("ist hat wohnt lebt arbeitet war"),
    identity=words(
        """heiße namens wohne wohnt geboren allergisch allergie geburtstag adresse telefonnummer verheiratet tochter
        mutter vater ehefrau ehemann arzt passwort bevorzuge"""
    ),
    wanted=words("mag liebe hasse möchte brauche immer niemals gerne"),
    decided=words("entschieden beschlossen versprochen frist termin gekauft umgezogen gekündigt"),
    feeling=words("begeistert wütend stolz entsetzt"),
    timely=words("gestern heute morgen woche monat jahr januar februar märz mai juni juli oktober dezember"),
    critical=(
        (
            "name geburtstag adresse telefonnummer passwort kontonummer kundennummer",
            (
                r"\b(?:[Mm]ein\w*|[Uu]nser\w*)(?: \w+){0,2} (?:Name|Geburtstag|Adresse|Telefonnummer|Passwort"
                r"|Kontonummer"
                r"|Kundennummer)(?: \w+){0,2}(?: ?[=:]| (?:ist|lautet)\b)"
            ),
        ),
        ("heiße heisse nenn", r"\b(?:[Nn]enn mich|[Ii]ch hei(?:ß|ss)e) [A-ZÀ-Þ]"),
        (
            "allergisch allergie vegetarier vegetarierin veganer veganerin diabetiker diabetikerin schwanger",
            (
                r"(?i)\b(?:bin|ist|sind)(?: \w+){0,3} (?:allergisch|Vegetarier(?:in)?|Veganer(?:in)?|Diabetiker(?:in)?"
                r"|schwanger)\b"
                r"|\b(?:allergie|allergisch) (?:gegen|auf) \w"
            ),
        ),
        ("bevorzuge", r"\b[Bb]evorzuge\b"),
        (
            "lieblingsfarbe lieblingsessen lieblingsfilm lieblingsmusik lieblingsbuch",
            r"\b[Mm]eine? Lieblings\w+ ist\b",
        ),
        ("esse trinke", r"\b[Ii]ch (?:esse|trinke) (?:nie|kein)"),
    ),
    chatter=r"danke(?: schön| sehr)?|vielen dank|bitte|hallo|guten (?:morgen|tag|abend)|tschüss|alles klar|wie geht'?s"
    r"|genau|ja"
    r"|nein",
    polite_openings=r"hallo|danke|vielen dank|guten (?:morgen|tag|abend)|tschüss|bis (?:bald|später|morgen)"
    r"|gern geschehen"
    r"|viel (?:spaß|glück)|freut mich",
    first_person_words=r"ich|mein\w*|wir",
    yes_or_no="ja|nein|doch",
    decision=r"(?:habe|haben|wurde)\b[^.;]{0,60}\b(?:entschieden|beschlossen|vereinbart|ausgemacht|geeinigt)"
    r"|(?:entschieden|beschlossen)(?=\s*:)|(?:wir|ich) nehmen?|nehmen wir",
    undecided=r"(?:nicht|nie|kein\w*)\b[^.;]{0,24}$",
    preference=r"(?:ich|er|sie|wir) (?:mag|mögen|liebe|liebt|lieben|hasse|hasst|bevorzug\w+)|am liebsten|lieblings\w+"
    r"|von nun an|ab jetzt|ab sofort",
    constraint=r"allergisch|(?:bin|ist) (?:vegan|vegetarisch)|(?:ich|er|sie|es|wir|man) (?:muss|müssen)"
    r"|(?:darf|dürfen|kann|können)\b[^.;]{0,30}\b(?:nicht|keine?n?)|höchstens|maximal|spätestens|frist",
    entity=r"(?:mein|meine|unser|unsere) (?:\w+ ){1,3}(?:ist|heißt|arbeitet|wohnt)|ich (?:heiße|arbeite|wohne)",
    amount=r"\d[\d.,]*[ -]?(?:stunden?|tage?n?|wochen?|jahren?|prozent|euro)|nummer\b[^.;?]{0,20}\d\w*",
    personal=r"(?-i:[Ii]ch|[Mm]eine?|[Ww]ir|[Uu]nsere?|[Ii]hre?|[Dd]eine?)",
    kin=r"(?:mein|meine|sein|seine|ihr|ihre|unser|unsere)\s+(?:[\w-]+\s+)?(?:mutter|vater|eltern|bruder|schwester"
    r"|tante|onkel"
    r"|oma|opa|frau|mann|partner(?:in)?|freund(?:in)?|sohn|tochter|kinder|chef(?:in)?|kolleg\w+|nachbar(?:in)?"
    r"|lehrer(?:in)?)",
    place_prepositions=r"in|im|nach|aus|bei|an|am|auf|von|vor|hinter|neben|unter|ins|zum|zur",
    ends_of_place="und|aber|mit|seit|weil|wo|der|die|das|für|zu|ist|war|wir|ich|sie|er|es",
    no_place=r"\d{1,2}(?::\d\d|\s*uhr)|(?:\d{4}|tag|nacht|woche|wochenende|monat|jahr|morgen|abend|heute|gestern"
    r"|sommer|winter"
    r"|frühling|herbst|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|april|mai|juni"
    r"|juli"
    r"|august|september|oktober|november|dezember|zeit|moment)(?:en|e|s|n)?",
    before_age=r"\b(?:ist|bin|sind|war|wird|wurde)\s+(?:etwa\s+|fast\s+|erst\s+)?",
    after_age="jahre?|monate?|wochen?|alt|und|aber",
    old="alt",
    because=r"\b(?:weil|denn|wegen|damit)\s+(?P<why>[^.;!?\n]{4,})",
    by_doing=r"\b(?:indem|durch)\s+(?P<how>[^.;!?\n]+)",
    leading_words="der|die|das|den|dem|ein|eine|einen|zu|für|mit|von|an|in|im|am|auf|ist|war|sehr|auch|und|oder",
    trailing_words="und|oder|der|die|das|zu|für|mit|von|an|in|auf|ist|war|auch|jetzt|heute|gestern|wieder",
    happened=r"ge\w{3,}(?:t|en)|war|waren|hatte|hatten|wurde|wurden|ging|kam|zog|kaufte|verkaufte|\w{3,}te",
    changed_value=r"jetzt|nun|neu\w*|nicht mehr|geändert|verschoben|stattdessen|umgezogen|eigentlich",
    moved=r"(?:gezogen|zog|zieht|ziehen)",
    earlier=r"war|waren|hatte|wurde|früher|zuerst|ursprünglich|vorher|letzte[nrs]?|ehemal\w*",
    people_pronouns=words("sie er"),
    plain_yes_no="ja|nein",
    unknown=r"(?:das )?(?:ich )?weiß (?:ich )?(?:es )?nicht|(?:das ist )?nicht bekannt|unbekannt",
    asks_age=r"wie\s+alt",
    asks_who_is=r"^\W*wer\s+(?:ist|war|sind)\s+(?-i:[^\W\d_a-z])[\w-]*(?:\s+(?-i:[^\W\d_a-z])[\w-]*)*\W*$",
    asks_of_now=r"^\W*(?:ist|sind|hat|mag|kann|wohnt|lebt|arbeitet|trinkt|isst)",
    asks_of_past=r"^\W*(?:war|hatte)",
    was="war|waren|hatte|hatten|wurde|ehemalig\\w*",
)
