"""What a text is worth shows in its words: who is spoken of, what is wanted, when it was; in four languages.

Lists of words are compared by their index terms; what only a whole phrase can say is a pattern.
"""

from __future__ import annotations

import re

from recollect.patterns import pattern
from recollect.words import stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


IDENTITY = _stems(
    """name allergic allergy vegan vegetarian diabetic diabetes pregnant diagnosed birthday address phone email password
    passport emergency wife husband partner son daughter mother father boss doctor live lives born grew married surname
    nickname citizen medication anniversary prefer
    heiße namens wohne wohnt geboren allergisch allergie geburtstag adresse telefonnummer verheiratet tochter mutter
    vater ehefrau ehemann arzt passwort bevorzuge
    llamo nombre vivo nací alérgico alérgica alergia cumpleaños dirección teléfono casado casada hijo hija madre padre
    esposa esposo contraseña prefiero
    appelle habite né née allergique allergie anniversaire téléphone marié mariée fils fille mère père épouse médecin
    préfère"""
)
WANTED = _stems(
    """love hate like dislike enjoy want need avoid favor favorite favourite always never fond adore
    mag liebe hasse möchte brauche immer niemals gerne
    gusta gustan encanta odio quiero necesito siempre nunca
    aime adore déteste veux besoin toujours jamais"""
)
DECISION = _stems(
    """decide agree promise deadline due must important remember forget appointment book sign accept quit marry engaged
    promote fire buy sell move plan hire graduate adopt cancel schedule switch start stop
    entschieden beschlossen versprochen frist termin gekauft umgezogen gekündigt
    decidido decidí prometo plazo cita compré mudé
    décidé promis délai acheté déménagé"""
)
FEELING = _stems(
    """thrilled terrified furious heartbroken devastated amazing awful proud scared best worst wonderful horrible
    begeistert wütend stolz entsetzt furioso furiosa orgulloso orgullosa terrible furieux furieuse fier fière"""
)
WHEN = _stems(
    """yesterday today tomorrow tonight week weekend month year ago recently later morning evening afternoon birthday
    january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    gestern heute morgen woche monat jahr januar februar märz mai juni juli oktober dezember
    ayer hoy mañana semana mes año enero febrero marzo abril junio julio octubre
    hier aujourd'hui demain semaine mois année janvier février mars avril juin juillet octobre"""
)
EVENTS = frozenset(
    """went got started began bought took had was were saw made tried visited found met joined finished did won lost
    felt gave came ran moved decided signed told said taught wrote built left became attended learned passed""".split()
)
ONESELF = frozenset(
    """I I'm I've I'd I'll I’m I’ve I’d I’ll My my We we We're we're We've we've Our our me me, me. mine myself us
    ich Ich mein Mein meine Meine meinen mir mich wir Wir unser unsere
    yo Yo mi Mi mis Mis me Me nuestro nuestra
    je Je j'ai J'ai mon Mon ma Ma mes Mes nous Nous notre""".split()
)
OTHER = frozenset(
    """you You your Your you're You're you’re You’re you've You've you’ve You’ve you'll You'll you. you, you! yours
    du Du dein Dein deine Sie Ihr Ihre tú tu Tu tus su vous Vous votre vos""".split()
)

CHATTER = pattern(
    r"^\W*(?:(?:ok(?:ay)?|thanks?(?: you| a lot| so much)?|thx|cool|great|nice|wow|yes|yeah|yep|no|nope|sure|hi|hey"
    r"|hello|bye|good (?:morning|night|luck)|see you(?: (?:later|soon|tomorrow))?|lol|haha+|got it|sounds good"
    r"|you'?re welcome|no problem|take care|awesome|perfect|right|hmm+|how are you"
    r"|danke(?: schön| sehr)?|vielen dank|bitte|hallo|guten (?:morgen|tag|abend)|tschüss|alles klar|wie geht'?s|genau"
    r"|ja|nein|(?:muchas )?gracias|hola|buen[oa]s (?:días|tardes|noches)|adiós|vale|de nada|claro|sí|qué tal"
    r"|merci(?: beaucoup)?|bonjour|bonsoir|salut|au revoir|de rien|d'accord|oui|non|ça va)[\s,.!?¿¡]*)+$",
    re.IGNORECASE,
)

_OF_SOMEBODY = (
    r"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Uu]ser['’]?s?|[A-Z]\w+['’]s|[Mm]ein\w*|[Uu]nser\w*|[Mm]is?|[Nn]uestr[oa]"
    r"|[Mm]on|[Mm]a|[Mm]es|[Nn]otre)"
)
_ATTRIBUTE = (
    r"(?:(?:sur|nick)?name|birthday|e-?mail|address|phone|number|password|pronouns|blood type|date of birth|contact"
    r"|Name|Geburtstag|Adresse|Telefonnummer|Passwort|Kontonummer|Kundennummer"
    r"|nombre|apellido|cumpleaños|direcci[oó]n|tel[eé]fono|contraseña|correo"
    r"|nom|prénom|anniversaire|téléphone|mot de passe|adresse)"
)
_IS = r"(?: ?[=:]| (?:is|are|was|ist|lautet|es|est)\b)"
_HEALTH = (
    r"(?:allergic|vegan|vegetarian|diabetic|c(?:o)?eliac|pregnant|asthmatic|epileptic|deaf|blind|intolerant"
    r"|allergisch|Vegetarier(?:in)?|Veganer(?:in)?|Diabetiker(?:in)?|schwanger"
    r"|al[eé]rgic[oa]|vegan[oa]|vegetarian[oa]|diab[eé]tic[oa]|embarazada"
    r"|allergique|v[eé]gane?|v[eé]g[eé]tarien(?:ne)?|diab[eé]tique|enceinte)"
)
CRITICAL = (
    (
        _stems(
            """name surname nickname birthday email mail address phone password pronouns birth contact number
            geburtstag adresse telefonnummer passwort kontonummer kundennummer nombre apellido cumpleaños dirección
            teléfono contraseña correo nom prénom anniversaire téléphone passe"""
        ),
        pattern(rf"{_OF_SOMEBODY}(?: \w+){{0,2}} {_ATTRIBUTE}(?: \w+){{0,2}}{_IS}"),
    ),
    (
        _stems("account customer client member passport policy patient id"),
        pattern(
            r"\b(?i:account|customer|client|member|passport|policy|patient|user)[ _-]?(?i:id|number|no|nr)"
            r"\W{1,3}(?:is )?\S*\d"
        ),
    ),
    (
        _stems("call heiße heisse nenn llamo llámame llamame appelle"),
        pattern(
            r"\b(?:[Cc]all me|[Nn]enn mich|[Ll]l[aá]mame|[Mm]e llamo|[Ii]ch hei(?:ß|ss)e|[Jj]e m['’]appelle) [A-ZÀ-Þ]"
        ),
    ),
    (
        _stems(
            """allergic allergy allergies vegan vegetarian diabetic coeliac celiac pregnant asthmatic epileptic deaf
            blind intolerant allergisch allergie vegetarier vegetarierin veganer veganerin diabetiker diabetikerin
            schwanger alérgico alérgica alergia vegano vegana vegetariano vegetariana diabético diabética embarazada
            allergique végane végan végétarien végétarienne diabétique enceinte"""
        ),
        pattern(
            rf"(?:\b(?:am|is|are|bin|ist|sind|soy|es|está|suis|est|sommes)|['’](?:m|s|re))(?: \w+){{0,3}} {_HEALTH}\b"
            r"|\b(?:allerg(?:y|ic|ies|ie|isch|ique)|alerg[ií]a|al[eé]rgic[oa]) (?:to|against|gegen|auf|a|al|aux?|à) \w",
            re.IGNORECASE,
        ),
    ),
    (
        _stems("prefer bevorzuge prefiero prefiere préfère"),
        pattern(
            r"\b(?:I|we|user|he|she|they|[A-Z][a-z]+)(?: \w+)? prefers?\b"
            r"|\bbevorzuge\b|\b[Pp]refier[oe]\b|\bpr[eé]f[eè]re\b"
        ),
    ),
    (
        _stems(
            """favorite favourite favorito favorita preferido preferida préféré préférée
            lieblingsfarbe lieblingsessen lieblingsfilm lieblingsmusik lieblingsbuch"""
        ),
        pattern(
            r"\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Uu]ser['’]?s|[A-Z]\w+['’]s)"
            r"(?: [\w-]+){0,2} favou?rites?(?: [\w-]+){1,3} (?:is|are)\b"
            r"|\b[Mm]i(?: \w+){1,2} (?:favorit|preferid)[oa] es\b"
            r"|\b[Mm]eine? Lieblings\w+ ist\b|\b[Mm](?:on|a)(?: \w+){1,2} préférée? est\b"
        ),
    ),
    (
        _stems("eat drink wear fly use take answer reply call write speak esse trinke"),
        pattern(
            r"\b[Pp]lease (?:always|never)\b"
            r"|\bI (?:always|never) (?:eat|drink|use|wear|take|fly)\b|\b[Ii]ch (?:esse|trinke) (?:nie|kein)"
        ),
    ),
)
"""What is critical: who somebody is, what must not harm him, what he plainly prefers or rules out.

Each is a pattern, and the words of which a text must have one to be read for it.
"""
CUES = frozenset().union(*(cues for cues, _ in CRITICAL))
"""The words of all of them: without one, a text is not read for any."""
TELLING = CUES | IDENTITY | WANTED | DECISION | FEELING | WHEN
"""Every index term that counts for more than being one."""
SPOKEN = ONESELF | OTHER | EVENTS
"""Every word that counts as it stands in a text."""
