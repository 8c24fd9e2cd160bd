"""Spanish."""

from __future__ import annotations

from engrain.language.locales.locale import Locale, RelationForm, numbered, words

SPANISH = Locale(
    code="es",
    snowball="spanish",
    letters="ñ¿¡óíú",
    stop=words(
        """el la los las un una unos unas lo al del de en y o u e pero sino ni que qué quién quien quiénes cuál cuáles
        cuándo cuando dónde donde cómo como cuánto cuánta cuántos cuántas por para con sin sobre entre desde hasta hacia
        según durante tras ante contra yo tú él ella ellos ellas nosotros nosotras usted ustedes me te se nos os le les
        mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso aquel aquella es
        son soy eres somos era eran fue fueron ser está están estoy estaba estar ha han he hemos había haber hay tiene
        tienen tengo puede pueden puedo quiero quiere debe no sí ya muy más menos también tampoco solo sólo nunca
        siempre todo toda todos todas algo nada alguien nadie cada otro otra hoy ayer mañana ahora aquí allí gracias
        hola bien porque si aunque mientras así dos tres"""
    ),
    articles=words("el la los las un una unos unas lo"),
    determiners=words("mi mis tu tus su sus nuestro nuestra este esta estos estas cada otro otra del al"),
    copulas=words("es son soy está están estoy"),
    first_person=words("yo"),
    first_possessive=words("mi mis"),
    oneself=words("yo mi mis me mí conmigo nosotros nosotras nuestro nuestra nuestros nuestras nos"),
    hearer=words("tú tu tus te ti contigo usted ustedes su sus vosotros"),
    third_person=words("él ella ellos ellas lo la los las le les su sus"),
    subordinating=words("porque que cuando donde si aunque mientras como quien hasta antes después"),
    abbreviations=words(
        """sr sra srta srs d dña dr dra prof lic ing gral cap sto sta p.ej p.e ej aprox av avda c/ núm n.º nº pág págs
        art cap tel ref vs depto dpto fdo mons pza"""
    ),
    closing_abbreviations=words(
        "etc a.m p.m ee.uu s.a s.l cía ud uds vd ene feb mar abr jun jul ago sept sep oct nov dic"
    ),
    months=numbered(
        "enero ene|febrero feb|marzo|abril abr|mayo|junio jun|julio jul|agosto ago|septiembre setiembre sept"
        "|octubre oct|noviembre nov|diciembre dic"
    ),
    weekdays=numbered("lunes|martes|miércoles|jueves|viernes|sábado|domingo", 0),
    seasons={"primavera": 3, "verano": 6, "otoño": 9, "invierno": 12},
    namesakes=words("abril julio mayo domingo"),
    units={
        "second": "segundo segundos",
        "minute": "minuto minutos",
        "hour": "hora horas",
        "day": "día días dia dias",
        "night": "noche noches",
        "week": "semana semanas",
        "month": "mes meses",
        "quarter": "trimestre trimestres",
        "year": "año años",
        "decade": "década décadas",
    },
    near={
        "anteayer": -2,
        "antes_de_ayer": -2,
        "ayer": -1,
        "anoche": -1,
        "hoy": 0,
        "esta_mañana": 0,
        "esta_tarde": 0,
        "esta_noche": 0,
        "mañana": 1,
        "pasado_mañana": 2,
    },
    clock_words={"mediodía": 720, "medianoche": 0},
    time_words={
        "last": "último última últimos últimas",
        "last one": "pasado pasada pasados pasadas",
        "this": "este esta",
        "next": "próximo próxima próximos próximas siguiente",
        "next one": "que_viene que_entra",
        "lately": "recientemente últimamente",
        "ago before": "hace",
        "hence before": "dentro_de",
        "between": "entre",
        "to": "y e o al",
        "until": "hasta",
        "since": "desde",
        "before": "antes_de antes_del",
        "after": "después_de después_del tras",
        "onwards": "en_adelante",
        "in": "en durante hacia",
        "on": "el",
        "of": "de del",
        "for": "para por",
        "part of": "principios finales mediados inicio fin",
        "the": "la los las",
        "a": "un una",
        "my": "mi mis su sus tu nuestro nuestra",
        "than": "cuesta cuestan sala habitación",
        "roughly": "casi unos unas más_de menos_de",
        "every": "cada todos todas",
        "part of day": "tarde",
        "counted": """euros euro dólares dólar pesos peso céntimos km kilómetros kilómetro metros metro kilos gramos
            litros pasos palabras páginas puntos personas gente usuarios veces canciones fotos libros filas caracteres
            votos empleados alumnos estudiantes grados""",
    },
    vague_counts={"par": (2, 3), "un_par_de": (2, 3), "algunos": (2, 5), "unos": (2, 5), "unas": (2, 5)}
    | {"varios": (3, 7), "varias": (3, 7)},
    holidays=words("navidad nochevieja pascua"),
    future=r"será|serán|va\s+a|van\s+a|voy\s+a|vamos\s+a|hasta|plazo|previsto|prevista|reservado|reservada|cita"
    r"|próxim[oa]"
    r"|pronto|empieza|comienza|termina|abre|cierra|aplazad[oa]|viene",
    frequency=r"(?:una\s+vez|dos\s+veces|\w+\s+veces)(?:\s+(?:al|a\s+la|por|cada)\s+\w+)?"
    r"|cada\s+(?:dos\s+)?(?:día|semana|mes|año|mañana|noche|tarde|lunes|martes|miércoles|jueves|viernes|sábado"
    r"|domingo)s?"
    r"|todos\s+los\s+(?:días|meses|años|lunes|martes|miércoles|jueves|viernes|sábados|domingos)|a\s+diario"
    r"|diariamente|semanalmente|mensualmente",
    numbers={
        name: number
        for number, name in enumerate(
            """cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
            diecisiete dieciocho diecinueve""".split()
        )
    }
    | {
        name: 10 * ten
        for ten, name in enumerate("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(), 2)
    }
    | {"docena": 12, "veintiuno": 21, "veintidós": 22, "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25}
    | {"veintiséis": 26, "veintisiete": 27, "veintiocho": 28, "veintinueve": 29},
    scales={"cien": 100, "ciento": 100, "mil": 1000, "millón": 10**6, "millones": 10**6},
    number_joints=words("y"),
    unsure_numbers=words("cero uno once mil quince"),
    measures={
        "usd": "dólar dólares",
        "eur": "euro euros",
        "gbp": "libra libras",
        "gram": "gramo gramos",
        "kilogram": "kilo kilos kilogramos",
        "metre": "metro metros",
        "kilometre": "kilómetro kilómetros",
        "mile": "milla millas",
        "litre": "litro litros",
        "degree": "grado grados",
    },
    minus="menos",
    below_zero="bajo cero",
    pronouns=frozenset(
        """él ella ellos ellas nosotros usted tú esto eso este esta alguien nadie todos quizás quizá ayer hoy mañana
        luego ahora aquí allí quién qué dónde cuándo cómo pero y o si antes sí no ya""".split()
    ),
    verbs=frozenset(
        """es son está están usa usan utiliza utilizan vive viven trabaja trabajan tiene tienen come bebe habla cuesta
        corre funciona juega fuma lee escribe necesita conoce compra quiere puede debe no ya ahora se ha
        cambió pasó reemplazó sustituyó dejó solía""".split()
    ),
    idle=frozenset("el la los las un una unos unas es son soy está están estoy".split()),
    blocked=frozenset(
        """si cuando aunque porque quizás quizá probablemente posiblemente podría debería creo cree piensa dice dijo
        espera quiere quiero pronto mañana ayer pero o solo sólo también que como""".split()
    ),
    pointing=frozenset("esto eso este esta estos estas él ella te tu tus aquí allí hoy mañana ayer le les lo".split()),
    negated=frozenset("no nunca jamás ningún ninguna nada nadie".split()),
    ended=("ya no", "dejó de", "ha dejado de", "dejé de", "dejaron de", "solía", "solían", "solía yo"),
    changed=("ahora", "se mudó", "me mudé", "cambió", "en lugar de", "en vez de", "pasó a", "se convirtió"),
    now=("ahora",),
    corrected=("corrección", "quise decir", "me equivoqué", "quería decir"),
    hinted=("en realidad", "de hecho"),
    swapped=("{s} (?:cambió|pasó) de {was} a {o}", "{s} (?:reemplazó|sustituyó) {was} (?:por|con) {o}"),
    denied=("{frame} no {was},? sino {o}", "{o}, no {was}"),
    used=frozenset("usa usan utiliza utilizan".split()),
    instead=("en lugar de", "en vez de"),
    past=("ó", "aba", "aban", "ía", "ían"),
    past_words=frozenset("fue era eran había".split()),
    partial=frozenset("algunos algunas veces puede".split()),
    joined=frozenset("y e o u pero".split()),
    linking=frozenset("para en con por desde contra sobre".split()),
    single=("se llama", "vive en", "trabaja en", "trabaja como", "cuesta"),
    loose=("funciona en", "corre en"),
    attributes=frozenset(
        """contraseña clave código pin nombre número teléfono dirección correo cumpleaños versión dueño jefe
        precio fecha
        hora puerto sala título""".split()
    ),
    states=frozenset("estado color".split()),
    myself=words("yo me mí mi mis conmigo"),
    asks_when=(
        r"(?:desde\s+|hasta\s+|para\s+)?cu[aá]ndo|cu[aá]nto\s+tiempo|cu[aá]nt[oa]s\s+(?:segundos|minutos|horas|días"
        r"|semanas"
        r"|meses|años)|(?:en\s+|a\s+)?qué\s+(?:fecha|día|semana|mes|año|hora|década)"
    ),
    asks_latest=(
        r"actual(?:es|mente)?|ahora|últimamente|última\s+vez|más\s+recientes?|hoy\s+en\s+día|antes|anteriormente"
        r"|en\s+este\s+momento"
    ),
    asks_name=(
        r"quién|quiénes|dónde|adónde|nombres?|se\s+llama|llamad[oa]"
        r"|(?:qué|cuál|cuáles)\s+(?:\w+\s+)?(?:persona|amig[oa]|ciudad|país|lugar|pueblo|libro|novela|película|serie"
        r"|canción"
        r"|juego|empresa|marca|idioma|restaurante|museo|escuela|universidad|perro|gato|mascota|proyecto|calle"
        r"|hotel)(?:e?s)?"
    ),
    asks_clock_time=r"a\s+qué\s+hora|qué\s+hora",
    causal=r"por\s+qué|porque|causas?|causó|motivos?|razón|razones|provocó",
    relational=r"quién (?:conoce|trabaja)|relación|relaciones|relacionad[oa]s?|entre|amig[oa]s? de|ambos|ambas",
    exploratory=r"cuéntame|háblame|qué (?:sabes|sabemos)|resumen|resume|describe|todo",
    factual=(
        r"^\W*(?:(?:qué|cuál|cuáles|quién|quiénes|dónde|cuánt[oa]s?)\b|(?:es|son|está|están|era|fue|ha|han|tiene"
        r"|puede)\b)"
    ),
    comparison=r"compar\w+|diferencias?|ambos|ambas|ni|más|menos|mejor|peor|mismo|misma",
    joints=r"y|o|pero|mientras|cuando|después|antes|porque|entonces",
    request=r"(?:puedes|podrías|puede|podría)|sabes|recuerdas",
    question_leads=r"y|pero|entonces|oye|hola|por\s+favor",
    question_auxiliaries=r"(?:es|son|está|están|era|fue|ha|han|había|tiene|tienen|puede|pueden)",
    which=r"qué|cuál|cuáles",
    how_many=r"cu[aá]nt[oa]s?",
    kind_of=r".*\b(?:tipos?|clases?)\s+de\s+\b",
    either="o",
    asked={
        "frequency": r"con\s+qu[eé]\s+frecuencia\b|cu[aá]ntas\s+veces\b",
        "duration": (
            r"cu[aá]nto\s+tiempo\b|desde\s+cu[aá]ndo\b|cu[aá]nt[oa]s\s+(?:segundos|minutos|horas|días|semanas"
            r"|meses|años)\b"
        ),
        "count": r"cu[aá]nt[oa]s\b",
        "amount": r"cu[aá]nto\b|cu[aá]nta\b",
        "time": r"(?:hasta\s+)?cu[aá]ndo\b|(?:en\s+|a\s+)?qu[eé]\s+(?:fecha|día|mes|año|hora)\b",
        "place": r"(?:a|de\s+|en\s+)?d[oó]nde\b|(?:en\s+)?qu[eé]\s+(?:ciudad|país|lugar|pueblo|calle)\b",
        "person": r"(?:con\s+|de\s+|a\s+)?qui[eé]n(?:es)?\b",
        "name": r"c[oó]mo\s+se\s+llaman?\b|cu[aá]l\s+es\s+el\s+nombre\b",
        "reason": r"por\s+qu[eé]\b",
        "manner": r"c[oó]mo\b",
        "thing": r"qu[eé]\b|cu[aá]l(?:es)?\b",
        "yes or no": r"(?:es|son|está|están|era|fue|ha|han|tiene|tienen|puede|vive|trabaja|bebe|come)\s",
    },
    coordinating=words("y e pero sino mientras porque"),
    subjects=words("yo él ella nosotros nosotras ellos ellas usted tú"),
    ends_of_clause="porque|desde|pero|sino",
    next_clause="él|ella|ahora|sino|porque|es|ha|se",
    relations=(
        RelationForm("works_at", r"(?:trabaja|trabajan) (?:\w+ )?(?:en|para)", "person name", "organization name"),
        RelationForm("lives_in", r"(?:vive|viven|reside) (?:\w+ )?en", "person name", "place name"),
        RelationForm("married_to", r"est[áa] casad[oa] con", "person name", "person name"),
    ),
    negation=r"no|nunca|jamás|nadie|ningun[oa]?|ningún|tampoco|sin|nada",
    simple_negation=r"no|nunca|jamás",
    contrast=r"ni|sin|en lugar de|en vez de|ya no",
    denied_ahead=r"(?:no hay|sin) (?:pruebas|evidencia|indicios)|negó|niega|falso",
    denial_verbs=r"olvidó",
    no_denial=r"no sol[oa]|sin duda|no (?:olvides|olvidar)|no (?:más|menos) de",
    soft_denial=r"dejó|perdió|renunció|vendió|canceló|cerrad[oa]|alérgic[oa]|vegan[oa]|vegetarian[oa]|divorciad[oa]"
    r"|solter[oa]|odia",
    hypothetical=r"^\W*(?:si|cuando)\s.*|quizás?|tal vez|podría\w*|debería\w*|ojalá|a lo mejor|supuestamente"
    r"|posiblemente"
    r"|probablemente|si",
    tentative=r"(?:quiere|quería|espera|planea|intentó|intenta)",
    unsettled=r"dice\w*|dijo|cree\w*|creo|piensa\w*|parece|hasta|antes|casi|sol[oa]|sólo|excepto|pero|aunque|puede"
    r"|va a",
    over=r"ya no|dejó de|antes|solía\w*|antigu[oa]",
    turning=words("no nunca jamás sin aucun"),
    greetings=words("hola gracias sí no vale claro adiós"),
    titles=words("Sr Sra Srta Señor Señora Don Doña Tío Tía"),
    name_abbreviations=words("Sra Srta"),
    bodies=r"S\.A|S\.L|Banco|Fundación|Universidad|Hospital|Museo|Instituto",
    leading_bodies=r"Universidad|Instituto|Banco|Fundación|Ministerio|Hospital|Museo|Colegio|Asociación|Partido",
    never_names=words(
        """yo hoy ayer mañana lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo
        junio julio agosto septiembre octubre noviembre diciembre mamá papá abuela abuelo navidad dios español inglés
    francés alemán"""
    ),
    into_place=r"\b(?:en|a|de|desde|hacia|por) $",
    name_cues=r"(?:se llama|llamad[oa]|Don|Doña) [\"“«'‘(]*$",
    subject_verbs=words("es está vive trabaja tiene"),
    identity=words(
        """llamo nombre vivo nací alérgico alérgica alergia cumpleaños dirección teléfono casado casada hijo hija
        madre padre esposa esposo contraseña prefiero"""
    ),
    wanted=words("gusta gustan encanta odio quiero necesito siempre nunca"),
    decided=words("decidido decidí prometo plazo cita compré mudé"),
    feeling=words("furioso furiosa orgulloso orgullosa terrible"),
    timely=words("ayer hoy mañana semana mes año enero febrero marzo abril junio julio octubre"),
    critical=(
        (
            "nombre apellido cumpleaños dirección teléfono contraseña correo",
            (
                r"\b(?:[Mm]is?|[Nn]uestr[oa])(?: \w+){0,2} (?:nombre|apellido|cumpleaños|direcci[oó]n|tel[eé]fono"
                r"|contraseña|correo)"
                r"(?: \w+){0,2}(?: ?[=:]| es\b)"
            ),
        ),
        ("llamo llámame", r"\b(?:[Ll]l[aá]mame|[Mm]e llamo) [A-ZÀ-Þ]"),
        (
            "alérgico alérgica alergia vegano vegana vegetariano vegetariana diabético diabética embarazada",
            (
                r"(?i)\b(?:soy|es|está|estoy)(?: \w+){0,3} (?:al[eé]rgic[oa]|vegan[oa]|vegetarian[oa]|diab[eé]tic[oa]"
                r"|embarazada)\b"
                r"|\b(?:alerg[ií]a|al[eé]rgic[oa]) (?:a|al) \w"
            ),
        ),
        ("prefiero prefiere", r"\b[Pp]refier[oe]\b"),
        ("favorito favorita preferido preferida", r"\b[Mm]i(?: \w+){1,2} (?:favorit|preferid)[oa] es\b"),
    ),
    chatter=r"(?:muchas )?gracias|hola|buen[oa]s (?:días|tardes|noches)|adiós|vale|de nada|claro|sí|qué tal",
    polite_openings=r"hola|gracias|muchas gracias|buen[oa]s (?:días|tardes|noches)|adiós|hasta (?:luego|pronto|mañana)"
    r"|de nada"
    r"|me alegro",
    first_person_words=r"yo|mi",
    yes_or_no="sí|si|no",
    decision=r"decidí|decidimos|decidió|hemos decidido|acordamos|quedamos en|optamos por|elegimos|elegí|vamos con"
    r"|me quedo con"
    r"|decidido(?=\s*:)",
    undecided=r"(?:no|nunca)\b[^.;]{0,24}$",
    preference=r"(?:me|le|nos|les) (?:gustan?|encantan?)|prefiero|prefiere|odio|favorit[oa]s?|a partir de ahora",
    constraint=r"alérgic[oa]|(?:soy|es) (?:vegetarian[oa]|vegan[oa])|debo|debemos|tengo que|tenemos que|no pued[eo]"
    r"|no podemos"
    r"|como mucho|presupuesto|fecha límite|a más tardar",
    entity=r"(?:mi|nuestr[oa]) (?:\w+ ){1,3}(?:es|se llama|trabaja|vive)|me llamo|trabajo (?:en|como)|vivo en",
    amount=r"\d[\d.,]*[ -]?(?:horas?|días?|años?|semanas?|euros?)|número\b[^.;?]{0,20}\d\w*",
    personal=r"(?-i:[Mm]i|[Yy]o|[Tt]u|[Nn]uestr[oa])",
    kin=r"(?:mi|su|nuestr[oa])\s+(?:madre|padre|padres|herman[oa]s?|tí[oa]|abuel[oa]|espos[oa]|marido|mujer|novi[oa]"
    r"|hij[oa]s?"
    r"|amig[oa]s?|jef[ea]|compañer[oa]s?|vecin[oa]s?|profesor[a]?)",
    place_prepositions=r"en|a|al|de|del|desde|hacia|por|cerca\s+de|junto\s+a",
    ends_of_place="y|pero|con|desde|porque|donde|que|para|es|era|está|cuando",
    no_place=r"\d{1,2}:\d\d|(?:\d{4}|día|noche|semana|mes|año|mañana|tarde|hoy|ayer|verano|invierno|primavera|otoño"
    r"|lunes|martes"
    r"|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre"
    r"|noviembre"
    r"|diciembre|momento|vez)s?",
    before_age=r"\b(?:tiene|tengo|tenía|cumple|cumplió)\s+(?:casi\s+)?",
    after_age="años?|meses|semanas?|y|pero",
    old="de\\s+edad",
    because=r"\b(?:porque|debido\s+a|para\s+que|ya\s+que)\s+(?P<why>[^.;!?\n]{4,})",
    leading_words="el|la|los|las|un|una|a|de|del|en|con|por|para|es|era|muy|también|y|o|que",
    trailing_words="y|o|el|la|a|de|en|con|por|para|es|era|también|ahora|hoy|ayer|otra\\s+vez",
    happened=r"\w{2,}ó|\w{2,}aron|\w{2,}ieron|fue|fueron|era|estaba|había|hizo|dijo|vino|fui|\w{2,}é",
    changed_value=r"ahora|nuev[oa]s?|ya no|cambi\w+|aplazad[oa]|en lugar de|en realidad|se mudó",
    moved=r"(?:se mudó|se mudaron|me mudé)",
    earlier=r"fue|era|había|antes|primer[oa]?|original\w*|últim[oa]|antigu[oa]",
    people_pronouns=words("ella él"),
    plain_yes_no="sí|si|no",
    unknown=r"no (?:lo )?s[eé]\b|no se sabe|desconocido",
    asks_age=r"(?:qué\s+edad|cuántos\s+años)\s+(?:tiene|tenía|cumple)",
    asks_who_is=r"^\W*quién(?:es)?\s+(?:es|era|son)\s+(?-i:[^\W\d_a-z])[\w-]*(?:\s+(?-i:[^\W\d_a-z])[\w-]*)*\W*$",
    asks_of_now=r"^\W*(?:es|son|está|están|tiene|vive|trabaja|bebe|come)",
    asks_of_past=r"^\W*(?:fue|era)",
    was="fue|era|estaba|había|ex",
)
