"""Spanish: its phrases, as `Locale` describes them; its words are in `es.txt`."""

from __future__ import annotations

SPANISH = {
    "code": "es",
    "snowball": "spanish",
    # grammar
    "letters": "ñ¿¡óíú",
    "past": "ó | aba | aban | ía | ían",
    # sentences
    "participle": r"\w{2,}(?:ado|ido)|visto|hecho|puesto|dicho|escrito|vuelto|abierto",
    "going_to": r"(?:voy|vas|va|vamos|van)\s+a\s+\w+(?:ar|er|ir)(?:se|me|nos)?",
    "future_verb": r"\w*(?:r[áé]|rán|remos)",
    "past_verb": r"\w*(?:ó|aba|aban|ía|ían|é|i|u|ado|ido)",
    # clauses
    "uncertain": r"""quizás?|tal vez|a lo mejor|posiblemente|probablemente|supuestamente|aparentemente|podría\w*
        |debería\w*|gustaría|ojalá|si|cre(?:o|e|en|ía)|piens(?:a|o|an)|pensaba|pensando|planeando|considerando
        |supon\w*|parece|esper(?:a|o|an)|sueña
        |sueño con|quier(?:e|o|en)|quer(?:er|emos|ía\w*)|quisiera\w*|planea\w*|puede que|solicitado|solicita|duda\w*
        |no estoy segur[oa]
        |casi(?! (?:tod[oa]s?|siempre|cada|nunca)\b)|broma\w*|bromea\w*|nada está decidido|nada decidido|he oído
        |dicen que|algún día|pregunta\w*|intent\w*
        |imagin\w*|aplicó|alguien (?:dijo|dice|ha)|se dice|dicen que""",
    "reported": r"dice|dijo|dicho|cuenta que|contó|mencion[aó]|escrib(?:e|ió)|comenta|comentó|asegura|afirma",
    "former": r"""antes(?! del?\b| que\b| de\b)|antiguamente|hace (?:muchos |unos )?años|hasta (?:19|20)\d\d|solía\w*
        |antigu[oa]|una vez(?! (?:al|por|a la)\b)
        |en su infancia|creció|se crio|originalmente|entonces""",
    "untrue": r"no es (?:verdad|cierto)|es falso|mentira|falso",
    "no_longer": r"ya no|nunca más|no (?:\w+ )más",
    # times
    "future": r"""\w+[aei](?:ré|rás|rá|remos|rán)|\w+dr(?:é|ás|á|emos|án)|voy|vas|va|vamos|van|es|son|está|están
        |estoy|estamos|tengo|tiene|tienen|tenemos|tienes|hay|debo|debe|debemos|deben|salgo|sale|salen|empieza
        |empiezo|comienza|termina|acaba|abre|abren|cierra|cierran|llego|llega|llegan|parte|parten|vuela|volamos
        |vence|caduca|expira|vengo|viene|vienen|quedamos|veo|vemos|toca|celebra|celebramos|próxim[oa]s?
        |pronto|nos\s+\w+[aei]mos""",
    "past_tense": r"""fue|fueron|fui|fuimos|fuiste|era|eran|éramos|estuv\w+|hab[íi]a\w*|hubo|tuv\w+|tenían?
        |ten[íi]amos|hic\w+|hizo|vi|vio|vieron|viste|(?:nos\s+)?(?:vimos|conocimos|dijimos|hicimos|tuvimos)|dij\w+
        |puse|puso|pusieron|pusimos|vine|vino|vinimos|vinieron|pude|pudo|pudieron|quis\w+|supe|supo|traj\w+|di|dio
        |dimos|dieron|iba|iban|íbamos|vivían?|hacían?|conocí|desde|(?:he|has|ha|hemos|han|haber)\s+(?!(?:decid
        |promet)ido\s+\w+r)(?:\w+\s+)?\w+(?:ado|ido|to|cho|sto)|\w{2,}(?:aron|ieron|aste|iste|aba|aban|ábamos)
        |\w{2,}ó|(?:mir|prepar|esper|retir|tir|gir|separ|repar|compar|declar)é|(?!(?:caf|beb|jos|porqu|aunqu|est
        |tambi)é\b)(?:\w*[^\W\d_aeir]é|\w*[^\W\d_aei]ré)|(?!decidí\s+\w+r)\w{2,}[^\W\d_r]í(?!\w)""",
    "rescheduled": r"""aplaz\w+|pospuest[oa]s?|pospus\w+|cambi(?:ad[oa]s?|é|ó|amos|aron)|traslad\w+|movid[oa]s?
        |movi(?:ó|eron|mos)|prorrog\w+|adelant\w+|pas(?:ad[oa]|aron)""",
    "arranged": r"""reserv(?:ad[oa]s?|é|ó|amos|a)|plane(?:ad[oa]s?|é|ó|amos)|program(?:ad[oa]s?|é|ó|amos)
        |fij(?:ad[oa]s?|é|ó|amos|aron)|previst[oa]s?|invit\w+|promet\w+|acord\w+|entradas|cita""",
    "frequency": r"""(?:una\s+vez|dos\s+veces|\w+\s+veces)(?:\s+(?:al|a\s+la|por|cada)\s+\w+)?|cada\s+(?:dos\s+)?(?:día
        |semana|mes|año|mañana|noche|tarde|lunes|martes|miércoles|jueves|viernes|sábado|domingo)s?|todos\s+los\s+(?:días
        |meses|años|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|a\s+diario|diariamente|semanalmente
        |mensualmente""",
    # numbers
    "minus": "menos",
    "below_zero": "bajo cero",
    # statements
    "ended": "ya no | dejó de | ha dejado de | dejé de | dejaron de | solía | solían | solía yo",
    "changed": "ahora | se mudó | me mudé | cambió | en lugar de | en vez de | pasó a | se convirtió",
    "now": "ahora",
    "correction_openers": "no|perdón|uy|espera",
    "corrected": "corrección | quise decir | me equivoqué | quería decir",
    "hinted": "en realidad | de hecho",
    "swapped": """
        {s} (?:cambió|pasó) de {was} a {o}
        {s} (?:reemplazó|sustituyó) {was} (?:por|con) {o}""",
    "denied": "{frame} no {was},? sino {o} | {o}, no {was}",
    "instead": "en lugar de | en vez de",
    "single": "se llama | vive en | trabaja en | trabaja como | cuesta",
    "loose": "funciona en | corre en",
    "ends_of_clause": "porque|desde|pero|sino",
    "next_clause": "él|ella|ahora|sino|porque|es|ha|se",
    "relations": r"""
        works_at; person name; organization name; (?:trabaja|trabajan) (?:\w+ )?(?:en|para)
        lives_in; person name; place name; (?:vive|viven|reside) (?:\w+ )?en
        married_to; person name; person name; est[áa] casad[oa] con""",
    # polarity and modality
    "negation": "no|nunca|jamás|nadie|ningun[oa]?|ningún|tampoco|sin|nada",
    "simple_negation": "no|nunca|jamás",
    "contrast": "ni|sin|en lugar de|en vez de|ya no",
    "denied_ahead": "(?:no hay|sin) (?:pruebas|evidencia|indicios)|negó|niega|falso",
    "denial_verbs": "olvidó",
    "no_denial": "no sol[oa]|sin duda|no (?:olvides|olvidar)|no (?:más|menos) de",
    "soft_denial": """dejó|perdió|renunció|vendió|canceló|cerrad[oa]|alérgic[oa]|vegan[oa]|vegetarian[oa]|divorciad[oa]
        |solter[oa]|odia""",
    "hypothetical": r"""^\W*(?:si|cuando)\s.*|quizás?|tal vez|podría\w*|debería\w*|ojalá|a lo mejor|supuestamente
        |posiblemente|probablemente|si""",
    "tentative": "(?:quiere|quería|espera|planea|intentó|intenta)",
    "reports": r"""piens\w+|pensab\w+|pensó|cre[oe]\w*|creía\w*|dic\w+|dij\w+|esper\w+|supon\w+|imagin\w+|dud\w+
        |pregunt\w+|oí|oyó|sueñ\w+|si""",
    "until": "hasta",
    "over": r"ya no|dejó de|antes|solía\w*|antigu[oa]",
    "quantities": r"""tod[oa]s?|alguien|algun[oa]s?|algún|nadie|cualquier\w*|solo|sólo|solamente|amb[oa]s|cada|mayoría
        |siempre|más|menos|bastante|demasiado|también|otr[oa]s?""",
    # names
    "bodies": r"S\.A|S\.L|Banco|Fundación|Universidad|Hospital|Museo|Instituto",
    "leading_bodies": "Universidad|Instituto|Banco|Fundación|Ministerio|Hospital|Museo|Colegio|Asociación|Partido",
    "into_place": r"\b(?:en|a|de|desde|hacia|por) $",
    "name_cues": r"""(?:se llama|llamad[oa]|Don|Doña) [\"“«'‘(]*$""",
    # importance
    "critical": r"""
        nombre apellido cumpleaños dirección teléfono contraseña correo;
            \b(?:[Mm]is?|[Nn]uestr[oa])(?: \w+){0,2} (?:nombre|apellido|cumpleaños|direcci[oó]n|tel[eé]fono
            |contraseña|correo)(?: \w+){0,2}(?: ?[=:]| es\b)
        llamo llámame; \b(?:[Ll]l[aá]mame|[Mm]e llamo) [A-ZÀ-Þ]
        alérgico alérgica alergia vegano vegana vegetariano vegetariana diabético diabética embarazada;
            (?i)\b(?:soy|es|está|estoy)(?: \w+){0,3} (?:al[eé]rgic[oa]|vegan[oa]|vegetarian[oa]|diab[eé]tic[oa]
            |embarazada)\b|\b(?:alerg[ií]a|al[eé]rgic[oa]) (?:a|al) \w
        prefiero prefiere; \b[Pp]refier[oe]\b
        favorito favorita preferido preferida; \b[Mm]i(?: \w+){1,2} (?:favorit|preferid)[oa] es\b""",
    "chatter": """(?:muchas )?gracias|hola|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|pronto|mañana)|vale
        |de (?:nada|acuerdo)|claro(?: que sí)?|sí|qué tal|eh|ya|pues|bueno|(?:muy |qué |está )?bien|perfecto|genial
        |entiendo|entendido|por (?:supuesto|favor)|exacto|seguro|(?:ja){2,}|vaya|no (?:hay|pasa) (?:problema|nada)""",
    "polite_openings": """hola|gracias|muchas gracias|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|pronto
        |mañana)|de nada|me alegro""",
    "first_person_words": "yo|mi",
    "speaker_words": "yo|mi|nosotr[oa]s|nuestr[oa]",
    "yes_or_no": "sí|si|no",
    "outside": "fuera de",
    "occupation": r"""\w{2,}(?:dor|dora|tor|tora|sor|sora|ero|era|ista|ente|enta|ante|ólogo|óloga|ico|ica|ario|
        aria|grafo|grafa|eta)|médico|médica|chef|juez|jueza|piloto|actriz|arquitecto|arquitecta|abogado|abogada|
        maestro|maestra|niñera|cura|monja|guía|becario""",
    "plain_yes_no": "sí|si|no",
    "unknown": r"no (?:lo )?s[eé]\b|no se sabe|desconocido",
    "constraint": """alérgic[oa]|(?:soy|es) (?:vegetarian[oa]|vegan[oa])|debo|debemos|tengo que|tenemos que|no pued[eo]
        |no podemos|como mucho|presupuesto|fecha límite|a más tardar""",
    "preference": "(?:me|le|nos|les) (?:gustan?|encantan?)|prefiero|prefiere|odio|favorit[oa]s?|a partir de ahora",
    "decision": r"""decidí|decidimos|decidió|hemos decidido|acordamos|quedamos en|optamos por|elegimos|elegí|vamos con
        |me quedo con|decidido(?=\s*:)""",
    "undecided": r"(?:no|nunca)\b[^.;]{0,24}$",
    "entity": r"(?:mi|nuestr[oa]) (?:\w+ ){1,3}(?:es|se llama|trabaja|vive)|me llamo|trabajo (?:en|como)|vivo en",
    "amount": r"\d[\d.,]*[ -]?(?:horas?|días?|años?|semanas?|euros?)|número\b[^.;?]{0,20}\d\w*",
    "personal": "(?-i:[Mm]i|[Yy]o|[Tt]u|[Nn]uestr[oa])",
    "filler": r"¡?(?:hola|ok(?:ay)?|vale|gracias|bueno|pues|sí|no|claro|genial)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"""\W*(?:(?:bueno|pues|sí|no|y|pero|también),?\s+)*(?:él|ella|ellos|ellas|eso|esto|aquello|est[ea]
        |tú)""",
    "lasting": r"""(?:Soy|(?:[Mm]i \w+|[A-ZÁÉÍÓÚÑ][\w-]+) es) (?:\w+ )?(?:alérgic[oa] a \w|vegan[oa]\b|vegetarian[oa]\b
        |diabétic[oa]\b|zurd[oa]\b|daltónic[oa]\b|celíac[oa]\b)|[Mm]i (?:perr[oa]|gat[oa]|hij[oa]|espos[oa]|marido|mujer
        |herman[oa]|madre|padre) se llama [A-ZÁÉÍÓÚÑ]\w""",
    "elsewhere": r"est[eoa]s?|es[eoa]s?|aquell\w+|aquí|ahí|allí|allá|ello|tú|ti|tus?",
    "advice": r"""(?:puedes|puede|deberías|debería)|intenta|prueba|asegúrate|recuerda que|recomiend\w+|sugier\w+
        |por ejemplo|aquí tienes|consejos?|como ia|modelo de lenguaje|^\W*(?:\d+[.)]|\*\*)""",
    # parts of answers
    "before_age": r"\b(?:tiene|tengo|tenía|cumple|cumplió)\s+(?:casi\s+)?",
    "after_age": "años?|meses|semanas?|y|pero|en|el|hoy|mañana|este",
    "old": r"de\s+edad",
    "because": r"\b(?:porque|debido\s+a|para\s+que|ya\s+que)\s+(?P<why>[^.;!?\n]{4,})",
    "leading_words": "el|la|los|las|un|una|a|de|del|en|con|por|para|es|era|muy|también|y|o|que",
    "trailing_words": r"y|o|el|la|a|de|en|con|por|para|es|era|también|ahora|hoy|ayer|otra\s+vez",
    "happened": r"\w{2,}ó|\w{2,}aron|\w{2,}ieron|fue|fueron|era|estaba|había|hizo|dijo|vino|fui|\w{2,}é",
    "moved": "(?:se mudó|se mudaron|me mudé)",
    "earlier": r"antes|original\w*|antigu[oa]",
    "asks_first": r"por primera vez|la primera vez que|primer[oa]?(?!\s+(?:nombre|apellido|piso|planta)\b)",
    "asks_last": r"""por última vez|la última vez que|últim[oa](?!\s+(?:semana|mes|año|noche)\b)|más\s+recientes?""",
    "asks_times": r"cu[aá]ntas\s+veces(?!\s+(?:al|a la|por)\b)",
    "cleft": r"""^cu[aá]l\s+(?:es|fue|era)\s+(?:la|el|mi)\s+(?P<noun>\w+)\s+(?:(?:en|para|con|a)\s+)?(?:(?:la
        |el)\s+)?(?:que|cual|donde)
        \s+(?P<rest>.+)""",
    "which_noun": "en qué",
    "counted_phrases": r"una\s+docena|un\s+par|dos\s+veces|una\s+vez",
    "by_doing": r"\b(?P<how>\w{2,}(?:ando|iendo)\b[^.;!?\n]*)",
    # questions
    "asks_when": r"""(?:desde\s+|hasta\s+|para\s+)?cu[aá]ndo|cu[aá]nto\s+tiempo|cu[aá]nt[oa]s\s+(?:segundos|minutos
        |horas|días|semanas|meses|años)|(?:en\s+|a\s+)?qué\s+(?:fecha|día|semana|mes|año|hora|década)""",
    "asks_latest": r"""actual(?:es|mente)?|ahora|últimamente|última\s+vez|más\s+recientes?|hoy\s+en\s+día|antes
        |anteriormente|en\s+este\s+momento""",
    "asks_name": r"""quién|quiénes|dónde|adónde|nombres?|se\s+llama|llamad[oa]|(?:qué|cuál
        |cuáles)\s+(?:\w+\s+)?(?:persona|amig[oa]|ciudad|país|lugar|pueblo|libro|novela|película|serie|canción|juego
        |empresa|marca|idioma|restaurante|museo|escuela|universidad|perro|gato|mascota|proyecto|calle|hotel)(?:e?s)?""",
    "states_place": r"""(?:al|(?:en|a|por|hacia|desde|cerca\s+de|dentro\s+de|detrás\s+de|junto\s+a)\s+(?:el|las?|los
        |una?|mis?|sus?|nuestr[oa]s?))\s+(?!(?:mañana|tarde|noche|semana|mes|año|fin|final|futuro|momento|días?|verano
        |invierno|otoño|primavera|vez|veces|menos|principios?|próxim[oa]|últim[oa]|primer\w*)\b)\w+|(?:en|a|hacia|desde)
        \s+(?-i:[A-ZÁÉÍÓÚÑ])\w+|en\s+casa""",
    "asks_clock_time": r"a\s+qué\s+hora|qué\s+hora",
    "asks_age": r"(?:qué\s+edad|cuántos\s+años)\s+(?:tiene|tenía|cumple)",
    "asks_description": r"""^\W*(?:(?:quién(?:es)?|qué)\s+(?:es|era|son)|háblame\s+de
        |qué\s+sabes\s+(?:de|sobre))
        \s+(?-i:[^\W_a-z])[\w.-]*(?:\s+(?-i:[^\W_a-z])[\w.-]*)*\W*$""",
    "wrongly_stated": r"""(?:(?:perdón|perdona|corrección|no)\b[^.!?]{0,20}?)?\b(?:dije|he dicho|escribí) que
        \s(?P<stated>[^.!?]{4,200}?)
        ,\s(?:pero )?(?:es|son|era|eran)(?: en realidad| en)?
        \s(?P<right>[^.!?,;]{1,60})""",
    "introduces": r"""(?:me llamo|mi nombre es) (?P<named>{fullname})
        |soy (?P<told>{fullname})(?=\s*(?:[,.!;)]|$|y\b))
        |aquí (?P<here>(?-i:[A-ZÀ-ÖØ-Þ][\w'’-]+))(?=\s*[.!,])""",
    "asks_profile": r"""qué (?:sabes|sabemos|se sabe|recuerdas|me puedes (?:decir|contar)) (?:de|sobre|acerca de)
        \s(?P<about>.+)|(?:háblame|cuéntame|dime)(?: todo| más)?(?: lo que sabes)? (?:de|sobre) (?P<told>.+)
        |(?:resume|resúmeme|describe)(?: lo que sabes (?:de|sobre))? (?P<summed>.+)""",
    "asks_occupation": r"""a qué (?:se dedica|me dedico|te dedicas).*|en qué (?:trabaja|trabajo|trabajas)\b.*""",
    "asks_origin": r"""de dónde|de qué (?:ciudad|país|pueblo)""",
    "asks_of_past": r"^\W*(?:fue|era)",
    "was": "fue|era|estaba|había|ex",
    "causal": r"por\s+qué|porque|causas?|causó|motivos?|razón|razones|provocó",
    "relational": "quién (?:conoce|trabaja)|relación|relaciones|relacionad[oa]s?|entre|amig[oa]s? de|ambos|ambas",
    "exploratory": "cuéntame|háblame|qué (?:sabes|sabemos)|resumen|resume|describe|todo",
    "factual": r"""^\W*(?:(?:qué|cuál|cuáles|quién|quiénes|dónde|cuánt[oa]s?)\b|(?:es|son|está|están|era|fue|ha|han
        |tiene|puede)\b)""",
    "comparison": r"compar\w+|diferencias?|ambos|ambas|ni|más|menos|mejor|peor|mismo|misma",
    "joints": "y|o|pero|mientras|cuando|después|antes|porque|entonces",
    "request": "(?:puedes|podrías|puede|podría)|sabes|recuerdas",
    "asked": {
        "frequency": r"con\s+qu[eé]\s+frecuencia\b|cu[aá]ntas\s+veces\b",
        "duration": r"""(?:desde\s+hace\s+)?cu[aá]nto\s+tiempo\b(?:\s+hace\s+que\b|\s+llev\w+)?|desde\s+cu[aá]ndo\b
        |cu[aá]nt[oa]s\s+(?:segundos|minutos|horas|días|semanas
            |meses|años)\b""",
        "count": r"cu[aá]nt[oa]s\b",
        "amount": r"(?:por\s+|a\s+)?cu[aá]nto\b|cu[aá]nta\b",
        "time": r"(?:hasta\s+)?cu[aá]ndo\b|(?:en\s+|a\s+)?qu[eé]\s+(?:fecha|día|mes|año|hora)s?\b",
        "place": r"(?:a|de\s+|en\s+)?d[oó]nde\b|(?:en\s+)?qu[eé]\s+(?:ciudad|país|lugar|pueblo|calle)\b",
        "person": r"(?:con\s+|de\s+|a\s+)?qui[eé]n(?:es)?\b",
        "name": r"c[oó]mo\s+se\s+llaman?\b|cu[aá]l\s+es\s+el\s+nombre\b",
        "reason": r"por\s+qu[eé]\b",
        "manner": r"c[oó]mo\b",
        "thing": r"qu[eé]\b|cu[aá]l(?:es)?\b",
        "yes or no": r"(?:es|son|está|están|era|fue|ha|han|tiene|tienen|puede|vive|trabaja|bebe|come)\s",
    },
    "question_leads": r"y|pero|entonces|oye|hola|por\s+favor",
    "question_auxiliaries": "(?:es|son|está|están|era|fue|ha|han|había|tiene|tienen|puede|pueden)",
    "which": "qué|cuál|cuáles",
    "how_many": "cu[aá]nt[oa]s?",
    "kind_of": r".*\b(?:tipos?|clases?)\s+de\s+\b",
    "either": "o",
    # changes in ordinary talk
    "corrects": """perdón|perdona|corrección|no,? espera|espera|mejor dicho|digo|quise decir|me equivoqué|en realidad
        |al final|finalmente|olvida eso|cambio de planes|más bien|mejor""",
    "from_now": r"""ahora|desde (?:la próxima|el próximo|enero|febrero|marzo|abril|mayo|junio|julio|agosto)
        |a partir de ahora|actualmente|últimamente|desde hoy|ya no|nuev[oa]s?""",
    "moves": r"""mudad[oa]|aplazad[oa]|pospuest[oa]|movid[oa]|cambiad[oa]|retrasad[oa]|adelantad[oa]|ampliad[oa]|(?:se
        |lo|la|me|nos) (?:ha |han )?(?:cambi|mov|pas|aplaz|pospus|retras|adelant)\w+|ha (?:subido|bajado|pasado)
        |han (?:subido|bajado|cambiado)|(?:sube|baja|subió|bajó) a|cambiaron|aplazaron|movieron|cambié|releva|sustituye
        |reemplaza""",
    "is_over": """cancelad[oa]|se acabó|se acabaron|he terminado con|cancelaron|han cancelado|suspendid[oa]
        |se suspende|murió|ha muerto|se murió|falleció
        |vendí|vendid[oa]|vendimos|regalé|regalamos|dejé(?: de)?|dejad[oa](?: de)?|dejamos|ya no|me despidieron
        |anulad[oa]|se canceló""",
    "parted": """rompimos|(?:hemos|he|han) roto|nos separamos|(?:nos hemos )?separado|lo dejamos|divorciad[oa]s?
        |cortamos""",
    "together": "saliendo|salgo|con|juntos|novi[oa]|pareja|espos[oa]|marido|mujer|casad[oa]|prometid[oa]",
    "in_charge": """lleva|dirige|gestiona|organiza|coordina|se encarga|encargad[oa]|responsable|a cargo|enseña|entrena
        |es (?:mi|nuestr[oa]|el|la)""",
    "died": "murió|muerto|muerta|falleció|vendid[oa]|cancelad[oa]",
    "recurs": "sale|salen",
    "own_forms": r"""^(?:(?:al final|perdón|no|ya|me|ahora|siempre|lo|la|también|y),? )*(?!(?:como|luego|cuando|solo
        |pero|bueno|claro|otro|nuevo|mismo|quiero)\b)\w{2,}(?:o|é|í|oy|[aei]mos)""",
    "other_ones": "otro|otra|otros|otras|segundo|segunda|vuelta",
    "comes_of_age": "cumpl\\w+ (?:los )?NUMBER",
    "finished": "terminé|terminado|terminó|acabé|acabado|acabó",
    "replacing": "(?:sustituye|reemplaza)n?",
    "asks_leave": "puedo|puede|podemos|pueden",
    "stays": "sigue|seguimos|sigo|queda|quedamos",
    "outdated": r"(?:es|son) historia|(?:queda|está)n? obsolet\w+|ya no valen?",
    "instead_of": "en (?:lugar|vez) del?",
    "which_owned": r"""¿?(?:qué|cuál) (?P<noun>\w[\w -]*?) (?:uso|tengo|conduzco|utilizo|llevo|(?P<ours>usamos
        |tenemos|utilizamos)
        |(?:usa|tiene|conduce|utiliza) (?P<one>[A-ZÁÉÍÓÚ]\w+))""",
    "what_is_mine": "¿Cuál es mi {noun}?",
    "what_is_theirs": "¿Cuál es {noun} de {one}?",
    "idle_in_changes": """cambio|cambios|novedad|dosis|finales|principios|mediados|finde|cita|tanto|lleva|todas|todos
        |día|días|ahora
        |perdón|digo|espera|final|pasada|semana|señor
        |señora|don|doña""",
    "stated_words": "dije|he dicho|puse|había dicho",
}
