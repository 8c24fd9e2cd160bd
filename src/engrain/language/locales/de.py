"""German: its phrases, as `Locale` describes them; its words are in `de.txt`."""

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
    "letters": "ßäöü",
    "past": "te | ten",
    "has_noun_capitals": True,
    # sentences
    "has_ordinal_stops": True,
    "has_passive_future": True,
    "verb_endings": "t | te | ten | en",
    "adjective_endings": "isch | ig | lich | haft",
    "perfect_prefixes": "ge",
    "stem_ending": "t",
    "participle": r"""[a-zäöü]{0,5}ge[a-zäöüß]{2,}(?:t|en)|[a-zäöü]{3,}iert
        |(?:be|er|ver|zer|ent)[a-zäöü]{3,}(?:t|en)""",
    "past_verb": r"\w*(?:[^\Waeiouäöü]|et)te(?:n|st)?",
    # clauses
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
    # numbers
    "ones_first": True,
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
    "single": "heißt | heisst | lautet | wohnt in | lebt in | arbeitet bei | arbeitet als | kostet",
    "loose": "läuft auf",
    "ends_of_clause": "weil|seit|aber|sondern",
    "next_clause": "er|sie|es|wir|ich|jetzt|sondern|weil|seit|ist|hat|zog",
    "relations": r"""
        works_at; person name; organization name; (?:arbeitet|arbeiten) (?:\w+ )?(?:bei|für)
        lives_in; person name; place name; (?:wohnt|lebt|wohnen|leben) (?:\w+ )?in
        married_to; person name; person name; ist (?:verheiratet|verlobt) mit""",
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
    "quantities": r"""jede[nrsm]?|alle[nrsm]?|jemand|niemand|irgend\w+|nur|beide[nr]?|meist(?:e|en|ens)?|keine[rsm]?
        |immer|je|mehr|weniger|genug|auch|andere[nrs]?""",
    # names
    "bodies": r"""GmbH|AG|KG|SE|e\.V|Verein|Stiftung|Universität|Hochschule|Verlag|Klinik|Krankenhaus|Ministerium
        |\w*bank|Institut|Gesellschaft|Versicherung|Werke""",
    "leading_bodies": "Universität|Hochschule|Institut|Stiftung|Ministerium|Bundesamt|Firma|Verein",
    "into_place": r"\b(?:in|nach|aus|bei|um|durch)(?: der| die| dem)? $",
    "name_cues": r"""\b(?:heißt|heisst|namens|genannt|Projekt|Firma|Herrn?|Frau|Hund|Katze|Kater|Team) [\"„“'‘(]*$""",
    # importance
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
    "filler": r"(?:hallo|hi|hey|ok(?:ay)?|danke|also|ja|nein|klar|super|toll|genau|ach)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"""\W*(?:(?:na|ach|ja|nein|so|und|aber|auch|eigentlich),?\s+)*(?:er|sie|es|das|dies|diese[rs]?
        |jene[rs]?|du|ihr)""",
    "lasting": r"""(?:Ich bin|(?:[Mm]eine? \w+|[A-ZÄÖÜ][\w-]+) ist) (?:\w+ )?(?:allergisch gegen \w|Vegetarier(?:in)?\b
        |Veganer(?:in)?\b|vegan\b|vegetarisch\b|Diabetiker(?:in)?\b|Linkshänder(?:in)?\b|farbenblind\b|pensioniert\b)
        |[Mm]eine? (?:Hund|Katze|Kater|Pferd|Sohn|Tochter|Frau|Mann|Schwester|Bruder|Mutter|Vater) heißt [A-ZÄÖÜ]\w""",
    "elsewhere": r"das|dies\w*|jene[rs]?|es|sie|hier|dort|da|du|dir|dich|dein\w*",
    "advice": r"""(?:du|sie|man) (?:kannst|können|kann|solltest|sollten|sollte)|versuch\w*|achte[nt]? (?:darauf|sie)
        |denk\w* daran|empfehl\w*|zum beispiel|hier sind|tipps?|als ki|sprachmodell|^\W*(?:\d+[.)]|\*\*)""",
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
    # questions
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
    "is_over": """abgesagt|gestrichen|(?:fällt|fallen) (?:(?!nicht\\b)[\\w.]+ ){0,3}aus
        |(?:sind|bin|ist) (?:ich |wir |er )?(?:endlich |jetzt |nun )?los|(?:ist|sind) (?:vorbei|Geschichte)
        |ist (?:\\w+ )?Schluss
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
    "comes_of_age": "(?:wird|werde|werden|wurde)(?= (?:\\S+ )*NUMBER(?: Jahre(?: alt)?)?\\W*$)",
    "finished": "fertig|ausgelesen|beendet|durchgelesen|abgeschlossen",
    "replacing": "ersetzt|löst",
    "asks_leave": "kann|kannst|darf|dürfen|können|darfst",
    "stays": "bleib\\w*|noch|weiterhin",
    "outdated": "(?:ist|sind) (?:Geschichte|überholt|hinfällig|veraltet|vom Tisch)|(?:gilt|gelten) nicht mehr",
    "instead_of": "statt|anstatt|anstelle(?: von)?",
    "which_owned": r"""welche[rsnm]? (?P<noun>\w[\w -]*?) (?:habe|fahre|nutze|benutze|verwende|besitze|hat|fährt
        |nutzt|benutzt
        |verwendet|besitzt|haben|fahren|nutzen|benutzen|verwenden) (?P<one>ich|wir|[A-ZÄÖÜ]\w+)""",
    "what_is_mine": "Was ist mein {noun}?",
    "what_is_theirs": "Was ist {noun} von {one}?",
    "idle_in_changes": """update|neuigkeit|änderung|dosis|dosierung|anfang|mitte|ende|wochenende|äh|ach|nee|leider
        |erst|uhr|termin|heute|nacht
        |gestern
        |endlich|bloß|keins|keinen|herr|herrn
        |frau|sorry|quatsch|bitte""",
    "stated_words": r"""(?:sagte|schrieb) ich|ich (?:sagte|schrieb)|(?:hatte|habe) ich \w+ gesagt|ich (?:hatte
        |habe) (?:[\w:.]+ ){1,3}gesagt""",
}
