"""Spanish: the words that mark change and correction."""

from __future__ import annotations

from engrain.language.locales.locale import Locale

SPANISH = Locale(
    code="es",
    snowball="spanish",
    articles=frozenset("el la los las un una unos unas lo".split()),
    copulas=frozenset("es son soy está están estoy".split()),
    first_person=frozenset(["yo"]),
    first_possessive=frozenset("mi mis".split()),
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
)
