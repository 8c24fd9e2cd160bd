"""French."""

from __future__ import annotations

from engrain.language.locales.locale import Locale, RelationForm, numbered, words

FRENCH = Locale(
    code="fr",
    snowball="french",
    letters="çœèêàùûîë",
    stop=words(
        """le la les l un une des du de d au aux et ou mais donc ni car que qu quoi qui quand où comment pourquoi
        combien quel quelle quels quelles dont je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y
        mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces ça cela ceci est sont suis es sommes
        êtes était étaient été être sera a ai as ont avons avez avait avoir aura fait faire peut peux veux veut doit
        dois dans en sur sous avec sans pour par chez vers depuis pendant entre jusque jusqu avant après contre ne n
        pas plus jamais rien personne aucun aucune oui non si très trop aussi encore déjà toujours souvent ici là hier
        demain maintenant aujourd hui tout toute tous toutes autre même comme parce lorsque puisque deux trois merci
    bonjour salut"""
    ),
    articles=words("le la les l' un une des du d' de"),
    determiners=words(
        "mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces chaque quel quelle"
    ),
    copulas=words("est sont suis"),
    first_person=words("je j'"),
    first_possessive=words("mon ma mes"),
    oneself=words("je j'ai j'aime j'habite mon ma mes me moi nous notre nos"),
    hearer=words("tu ton ta tes te toi vous votre vos"),
    third_person=words("il elle ils elles lui leur son sa ses"),
    subordinating=words("parce que quand qui où si comme lorsque puisque dont avant après pendant jusqu'à"),
    abbreviations=words(
        "m mm mme mmes mlle mlles dr pr prof me st ste av bd p.ex ex env vol chap art tél réf cf no n° fig"
    ),
    closing_abbreviations=words("etc janv févr avr juil sept oct nov déc s.a c.-à-d cie"),
    months=numbered(
        "janvier janv|février fevrier févr|mars|avril avr|mai|juin|juillet juil|août aout|septembre sept|octobre oct"
        "|novembre nov|décembre decembre déc"
    ),
    weekdays=numbered("lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche", 0),
    plain_weekdays=words("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    seasons={"printemps": 3, "été": 6, "automne": 9, "hiver": 12},
    namesakes=words("mars avril mai août été"),
    units={
        "second": "seconde secondes",
        "minute": "minute minutes",
        "hour": "heure heures",
        "day": "jour jours journée",
        "night": "nuit nuits",
        "week": "semaine semaines",
        "weekend": "week-end weekend",
        "month": "mois",
        "quarter": "trimestre trimestres",
        "year": "an ans année années",
        "decade": "décennie décennies",
    },
    near={
        "avant-hier": -2,
        "hier": -1,
        "hier_soir": -1,
        "aujourd'hui": 0,
        "ce_matin": 0,
        "cet_après-midi": 0,
        "ce_soir": 0,
        "cette_nuit": 0,
        "demain": 1,
        "après-demain": 2,
    },
    clock_words={"midi": 720, "minuit": 0},
    time_words={
        "last one": "dernier dernière derniers dernières passé passée",
        "this": "ce cet cette",
        "next": "prochains prochaines",
        "next one": "prochain prochaine qui_vient",
        "lately": "récemment dernièrement",
        "ago before": "il_y_a",
        "hence before": "dans",
        "between": "entre",
        "to": "et ou au aux",
        "until": "jusqu'à jusqu'au jusqu'en jusqu'aux d'ici",
        "since": "depuis dès",
        "before": "avant avant_le",
        "after": "après après_le",
        "in": "en durant courant vers début fin mi pendant",
        "of": "de du d'",
        "for": "pour par",
        "part of": "moitié milieu",
        "the": "le la les l'",
        "a": "un une",
        "my": "mon ma mes son sa ses notre",
        "than": "coûte coûtent salle chambre",
        "roughly": "environ presque près_de plus_de moins_de",
        "every": "chaque tous toutes",
        "part of day": "matin soir soirée après-midi",
        "counted": """euros euro dollars dollar francs centimes km kilomètres kilomètre mètres mètre kilos grammes
            litres pas mots pages points personnes gens utilisateurs fois chansons photos livres lignes caractères voix
            employés élèves étudiants degrés""",
    },
    vague_counts={"quelques": (2, 5), "plusieurs": (3, 7)},
    holidays=words("noël pâques"),
    future=r"sera|seront|va|vont|vais|allons|jusqu['’]\w+|prévue?|réservée?|rendez-vous|prochaine?|bientôt|commence"
    r"|termine|ouvre|ferme|reportée?",
    frequency=r"(?:une\s+fois|deux\s+fois|\w+\s+fois)(?:\s+(?:par|chaque)\s+\w+)?"
    r"|chaque\s+(?:jour|semaine|mois|année|matin|soir|week-end|\w+di)"
    r"|tous\s+les\s+(?:jours|mois|ans|matins|soirs|\w+dis)|toutes\s+les\s+semaines|quotidiennement",
    numbers={
        name: number
        for number, name in enumerate(
            """zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept
            dix-huit dix-neuf""".split()
        )
        if name != "un"
    }
    | {"vingt": 20, "vingts": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60},
    scales={"cent": 100, "cents": 100, "mille": 1000, "million": 10**6, "millions": 10**6}
    | {"milliard": 10**9, "milliards": 10**9},
    number_joints=words("et"),
    unsure_numbers=words("zéro cent cents neuf sept quinze"),
    measures={
        "usd": "dollar dollars",
        "eur": "euro euros",
        "gbp": "livre livres",
        "chf": "franc francs",
        "gram": "gramme grammes",
        "kilogram": "kilo kilos",
        "metre": "mètre mètres",
        "kilometre": "kilomètre kilomètres",
        "litre": "litre litres",
        "degree": "degré degrés",
    },
    minus="moins",
    below_zero="",
    pronouns=frozenset(
        """il elle ils elles nous vous on tu ce cela ça ceci quelqu'un personne tous peut-être hier demain ensuite
        maintenant ici là qui que quoi où quand comment mais et ou si avant oui non aujourd'hui c'""".split()
    ),
    verbs=frozenset(
        """est sont utilise utilisent vit vivent habite habitent travaille travaillent a ont mange boit parle
        coûte tourne
        fonctionne joue fume lit écrit connaît achète veut peut doit s'appelle aime ne n' pas maintenant se""".split()
    ),
    idle=frozenset("le la les l' un une des du d' de est sont suis".split()),
    blocked=frozenset(
        """si quand lorsque bien parce peut-être probablement pourrait devrait crois croit pense dit espère veut veux
        bientôt demain hier mais ou seulement aussi que comme qu'""".split()
    ),
    pointing=frozenset("ce cet cette ces cela ça lui leur te ton ta tes ici là aujourd'hui demain hier y en".split()),
    negated=frozenset("pas jamais aucun aucune ne n'".split()),
    ended=("ne ... plus", "n' ... plus", "a cessé de", "a arrêté de", "a cessé d'", "a arrêté d'"),
    changed=(
        "maintenant",
        "désormais",
        "a déménagé",
        "est passé",
        "est passée",
        "a remplacé",
        "au lieu de",
        "est devenu",
    ),
    now=("maintenant", "désormais"),
    corrected=("correction", "je voulais dire", "je me suis trompé", "je me suis trompée", "erratum"),
    hinted=("en fait", "en réalité"),
    swapped=("{s} est passée? de {was} à {o}", "{s} a remplacé {was} par {o}"),
    denied=("{frame} pas {was},? mais {o}", "{o}, pas {was}"),
    used=frozenset("utilise utilisent".split()),
    instead=("au lieu de",),
    past=("ait", "aient"),
    past_words=frozenset("était étaient fut avait a".split()),
    partial=frozenset("quelques parfois peut souvent".split()),
    joined=frozenset("et ou mais".split()),
    linking=frozenset("à pour dans en avec sur par depuis contre chez".split()),
    single=("s' appelle", "vit à", "habite à", "travaille chez", "travaille comme", "coûte"),
    loose=("tourne sur",),
    attributes=frozenset(
        """passe code pin nom numéro téléphone adresse anniversaire version propriétaire patron prix date
        heure port salle
        titre""".split()
    ),
    states=frozenset("statut couleur état".split()),
    myself=words("je j me m moi mon ma mes"),
    asks_when=(
        r"^\W*(?:et\s+)?(?:depuis\s+|jusqu['’]à\s+)?quand|(?:depuis|jusqu['’]à)\s+quand|combien\s+de\s+temps"
        r"|combien\s+d['’e]\s*(?:secondes|minutes|heures|jours|semaines|mois|années|ans)"
        r"|(?:en\s+|à\s+)?quel(?:le)?s?\s+(?:date|jour|semaine|mois|année|heure|décennie)"
    ),
    asks_latest=(
        r"actuel(?:le)?s?|actuellement|maintenant|en\s+ce\s+moment|dernière\s+fois|(?:plus|très)\s+récent(?:e|s|es)?"
        r"|de\s+nos\s+jours|précédemment|auparavant|avant"
    ),
    asks_name=(
        r"qui|où|noms?|s['’]appelle(?:nt)?|appelée?s?"
        r"|quel(?:le)?s?\s+(?:\w+\s+)?(?:personne|amie?|ville|pays|lieu|village|livre|roman|film|série|chanson|jeu"
        r"|entreprise"
        r"|marque|langue|restaurant|musée|école|université|chien|chat|animal|projet|rue|hôtel)s?"
    ),
    asks_clock_time=r"(?:à\s+)?quelle\s+heure",
    causal=r"pourquoi|parce\s+qu\w*|causes?|causé\w*|raisons?|provoqué\w*",
    relational=r"qui (?:connaît|travaille)|relations?|reliée?s?|liée?s?|entre|amie?s? de|tous\s+les\s+deux",
    exploratory=r"parle[z-]\w*|raconte\w*|que (?:sais|savons|savez)|résum\w+|décri\w+|tout",
    factual=(
        r"^\W*(?:(?:que|quoi|quel(?:le)?s?|qui|où|combien)\b|qu['’]|(?:est|sont|était|a|ont|avait|peut|est-ce)\b)"
    ),
    comparison=r"compar\w+|différen\w+|tous\s+les\s+deux|ni|plus|moins|meilleure?s?|pire|même",
    joints=r"et|ou|mais|pendant|quand|après|avant|parce|alors|puis",
    request=r"(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|sais-tu|te\s+souviens",
    question_leads=r"et|mais|alors|bonjour|salut|s['’]il\s+(?:te|vous)\s+plaît",
    question_auxiliaries=r"(?:est|sont|était|a|ont|avait|peut|peuvent|est-ce)",
    which=r"quel(?:le)?s?|que|qu['’]est-ce\s+que",
    how_many=r"combien\s+d['’e]",
    kind_of=r".*\b(?:sortes?|types?|genres?)\s+d['’e]\s*\b",
    either="ou",
    asked={
        "frequency": r"combien\s+de\s+fois\b|à\s+quelle\s+fréquence\b",
        "duration": (
            r"combien\s+de\s+temps\b|depuis\s+quand\b|combien\s+d['’e]\s*(?:secondes|minutes|heures|jours"
            r"|semaines|mois|années|ans)\b"
        ),
        "count": r"combien\b|quel\s+âge\b",
        "time": r"quand\b|(?:à\s+|en\s+)?quel(?:le)?\s+(?:date|jour|mois|année|heure)\b",
        "place": r"d?['’]?où\b|(?:dans\s+|à\s+)?quel(?:le)?\s+(?:ville|pays|lieu|village|rue)\b",
        "person": r"(?:avec\s+|de\s+|à\s+)?qui\b",
        "name": r"comment\s+s['’]appell\w+|quel\s+est\s+le\s+nom\b",
        "reason": r"pourquoi\b",
        "manner": r"comment\b",
        "thing": r"quel(?:le)?s?\b|que\b|qu['’]",
        "yes or no": r"(?:est-ce\s+qu\w*|est|sont|était|a|ont|avait|peut)[\s-]",
    },
    coordinating=words("et mais tandis parce"),
    subjects=words("je il elle nous vous ils elles on tu"),
    ends_of_clause="parce qu\\w*|depuis|mais",
    next_clause="elle|il|maintenant|mais|parce|est|a",
    relations=(
        RelationForm(
            "works_at", r"(?:travaille|travaillent) (?:\w+ )?(?:chez|pour)", "person name", "organization name"
        ),
        RelationForm("lives_in", r"(?:habite|habitent|vit|vivent) (?:\w+ )?à", "person name", "place name"),
        RelationForm("married_to", r"est mariée? (?:à|avec)", "person name", "person name"),
    ),
    negation=r"ne|n['’]\w+|pas|jamais|aucune?|sans|personne|rien",
    simple_negation=r"pas|jamais|n['’]\w+|ne",
    contrast=r"ni|sans|au lieu de|plutôt que|ne \w+ plus",
    denied_ahead=r"(?:aucune|pas de) (?:preuve|indication)|nie|nié|faux",
    denial_verbs=r"oublié",
    no_denial=r"pas seulement|sans doute|n['’]oublie\w*|pas (?:plus|moins) de",
    soft_denial=r"arrêté|perdu|quitté|vendu|annulé|fermée?|allergique|végane?|végétarien(?:ne)?|divorcée?|célibataire"
    r"|déteste",
    hypothetical=r"^\W*(?:si|s['’]il)\s.*|peut-être|pourrai\w*|devrai\w*|serai[st]|probablement|éventuellement|si",
    tentative=r"(?:veut|voulait|espère|compte|essaie|essayé)",
    unsettled=r"dit|disent|croi\w*|pens\w*|semble|jusqu['’]\w+|avant|presque|seulement|sauf|mais|bien que|peut|va",
    over=r"ne \w+ plus|n['’]\w+ plus|ancien(?:ne)?|arrêté de|cessé de",
    turning=words("ne pas jamais sans rien aucun mai non senza não nem sem sin"),
    greetings=words("bonjour salut merci oui non bonsoir"),
    titles=words("M Mme Mlle Monsieur Madame Mademoiselle Maître Oncle Tante"),
    name_abbreviations=words("Mme Mlle"),
    bodies=r"SA|SARL|Société|Université|Hôpital|Musée|Institut",
    leading_bodies=r"Université|Institut|Banque|Fondation|Ministère|Société|Hôpital|Musée|École|Association|Parti",
    never_names=words(
        """je nous vous hier demain lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai
        juin juillet août septembre octobre novembre décembre maman papa noël dieu français anglais allemand espagnol"""
    ),
    into_place=r"\b(?:à|en|au|aux|de|vers|depuis) $",
    name_cues=r"(?:s['’]appelle|nommée?|appelée?|M\.|Mme|Mlle) [\"“«'‘(]*$",
    subject_verbs=words("est a habite vit travaille"),
    identity=words(
        """appelle habite né née allergique allergie anniversaire téléphone marié mariée fils fille mère père épouse
        médecin préfère"""
    ),
    wanted=words("aime adore déteste veux besoin toujours jamais"),
    decided=words("décidé promis délai acheté déménagé"),
    feeling=words("furieux furieuse fier fière"),
    timely=words("hier aujourd'hui demain semaine mois année janvier février mars avril juin juillet octobre"),
    critical=(
        (
            "nom prénom anniversaire téléphone passe adresse",
            (
                r"\b(?:[Mm]on|[Mm]a|[Mm]es|[Nn]otre)(?: \w+){0,2} (?:nom|prénom|anniversaire|téléphone|mot de passe"
                r"|adresse)"
                r"(?: \w+){0,2}(?: ?[=:]| est\b)"
            ),
        ),
        ("appelle", r"\b[Jj]e m['’]appelle [A-ZÀ-Þ]"),
        (
            "allergique allergie végane végan végétarien végétarienne diabétique enceinte",
            (
                r"(?i)\b(?:suis|est|sommes)(?: \w+){0,3} (?:allergique|v[eé]gane?|v[eé]g[eé]tarien(?:ne)?|diab[eé]tique"
                r"|enceinte)\b"
                r"|\b(?:allergie|allergique) (?:aux?|à) \w"
            ),
        ),
        ("préfère", r"\bpr[eé]f[eè]re\b"),
        ("préféré préférée", r"\b[Mm](?:on|a)(?: \w+){1,2} préférée? est\b"),
    ),
    chatter=r"merci(?: beaucoup)?|bonjour|bonsoir|salut|au revoir|de rien|d'accord|oui|non|ça va",
    polite_openings=r"bonjour|bonsoir|salut|merci|au revoir|à (?:bientôt|demain|plus)|de rien|bonne (?:nuit|journée"
    r"|chance)",
    first_person_words=r"je|j|mon|ma|nous",
    yes_or_no="oui|non",
    decision=r"(?:ai|a|avons|ont|est|sommes) (?:\w+ )?(?:décidé|convenu|choisi|opté)|on (?:prend|part sur)"
    r"|décidé(?=\s*:)",
    undecided=r"(?:pas|jamais)\b[^.;]{0,24}$",
    preference=r"(?:j['’]|il |elle )(?:aime|adore)|préfère|préférons|déteste|préférée?s?|dorénavant|désormais",
    constraint=r"allergique|(?:suis|est) (?:végétarien(?:ne)?|végétalien(?:ne)?|végane?)|(?:je|on) doi[st]|nous devons"
    r"|il faut"
    r"|(?:peux|peut|pouvons) pas|au plus tard|date limite",
    entity=r"(?:ma|mon|notre) (?:\w+ ){1,3}(?:est|s['’]appelle|travaille|habite)|je (?:m['’]appelle|travaille|habite)",
    amount=r"\d[\d.,]*[ -]?(?:heures?|jours?|ans|semaines?|euros?)|numéro\b[^.;?]{0,20}\d\w*",
    personal=r"(?-i:[Jj]e|[Mm]on|[Mm]a|[Nn]ous|[Nn]otre|[Vv]otre)",
    kin=r"(?:mon|ma|mes|son|sa|ses|notre|nos)\s+(?:mère|père|parents|frères?|sœurs?|tante|oncle|grand-mère|grand-père"
    r"|femme|mari"
    r"|fils|filles?|enfants|amie?s?|chef|patronn?e?|collègues?|voisine?s?|professeure?)",
    place_prepositions=r"à|au|aux|en|dans|chez|de|du|vers|près\s+de|depuis|sur|sous",
    ends_of_place="et|mais|avec|depuis|parce|où|qui|que|pour|est|était|quand",
    no_place=r"\d{1,2}\s*[:h]\s*\d\d|(?:\d{4}|jour|nuit|semaine|mois|année|an|matin|soir|hier|demain|été|hiver"
    r"|printemps|automne"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|mai|juin|juillet|août|septembre"
    r"|octobre"
    r"|novembre|décembre|moment|fois)s?",
    before_age=r"\b(?:a|ai|avait|aura)\s+(?:presque\s+)?",
    after_age="ans?|mois|semaines?|et|mais",
    old="d['’]âge",
    because=r"\b(?:parce\s+qu['’e]\s*|à\s+cause\s+d\w+|pour\s+que|car)\s*(?P<why>[^.;!?\n]{4,})",
    leading_words="le|la|les|un|une|des|à|de|du|en|dans|avec|par|pour|est|était|très|aussi|et|ou|que",
    trailing_words="et|ou|le|la|à|de|en|avec|par|pour|est|aussi|maintenant|hier|encore",
    happened=r"(?:ai|as|a|avons|avez|ont|est|sont|suis)\s+\w{2,}(?:é|ée|és|ées|i|is|it|u|ue)|était|avait|fut",
    changed_value=r"maintenant|désormais|nouve(?:au|lle)|ne \w+ plus|changé|reportée?|au lieu de|en fait|déménagé",
    moved=r"(?:a|ont|ai) déménagé",
    earlier=r"était|avait|avant|premi(?:er|ère)|origine|derni(?:er|ère)|ancien(?:ne)?",
    people_pronouns=words("elle il"),
    plain_yes_no="oui|non",
    unknown="je ne sais pas|on ne sait pas|inconnu",
    asks_age=r"quel\s+âge",
    asks_who_is=r"^\W*qui\s+(?:est|était|sont)\s+(?-i:[^\W\d_a-z])[\w-]*(?:\s+(?-i:[^\W\d_a-z])[\w-]*)*\W*$",
    asks_of_now=r"^\W*(?:est|sont|a)",
    asks_of_past=r"^\W*était",
    was="était|avait|fut|ex",
)
