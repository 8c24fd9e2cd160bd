"""French: its phrases, as `Locale` describes them; its words are in `fr.txt`."""

from __future__ import annotations

FRENCH = {
    "code": "fr",
    "snowball": "french",
    "parts": {
        "inverted": "(?:-(?:t-)?(?:je|tu|il|elle|on|nous|vous|ils|elles|ce))?",
        "participle": r"""\w{2,}ée?s?|(?:vu|lu|eu|bu|pu|su|dû|voulu|\w*(?:venu|tenu|endu|perdu|reçu|connu|cru|couru
            |vécu|battu|paru|conclu))e?s?|\w*(?:fini|choisi|dormi|servi|suivi|sorti|parti|senti|réussi|rempli|grandi
            |réuni|fourni|établi|investi|offert|ouvert|couvert|fait|dit|mis|pris|écrit|duit|truit|peint|joint|inscrit
            |quis|assis)e?s?|ri|été""",
    },
    # grammar
    "letters": "çœèêàùûîë",
    "past": "ait | aient",
    # sentences
    "has_bare_roles": True,
    "has_double_negation": True,
    "participle": r"\w{2,}(?:é|ée|és|ées|[dlmnprtv]u)|vu|eu|pris|mis|fait|dit|lu|bu|reçu|vendu|perdu|rendu|loué",
    "going_to": r"(?:vais|vas|va|allons|vont)\s+\w+(?:er|ir|re)",
    "future_verb": r"\w*(?:ra|ront|rai|rons)",
    "past_verb": r"\w*(?:ait|aient|é|i|u|ado|ido)",
    "question_padding": r"(?<!\w)est-ce qu(?:e |['’])|-(?:t-)?(?:ils?|elles?|on|ce)\b",
    "inverted_pronoun": r"-(?:t-)?(?P<pronoun>je|j'|tu|nous|vous)\b",
    # clauses
    "uncertain": r"""peut-être|probablement|éventuellement|apparemment|sans doute|pourrai\w*|devrai\w*|aimerai\w*
        |voudrai\w*|serai[st]|si|s'il|s'ils|croi[st]|pense|pensais|pensent|suppose|semble|espère|rêve\w*|veut|veux
        |voulons|voulait|compte|prévoit|il se peut|postul\w*|doute\w*|pas sûre?|presque(?! (?:tous|toutes|toujours
        |chaque|jamais)\b)|plaisant\w*|blague\w*
        |rien n'est décidé|entendu dire|un jour|demande|demandé|essaie|essayé|imagin\w*|paraît
        |quelqu['’]un (?:dit|a)|on dit que|il paraît""",
    "reported": r"dit|disent|disait|raconte|raconté|mentionn\w*|écrit|affirme|assure|prétend\w*",
    "former": r"""autrefois|jadis|avant(?=\W*(?:$|,))|il y a (?:des|\w+) (?:ans|années)|jusqu'en (?:19|20)\d\d
        |ancien(?:ne)?
        |à l'époque|a grandi|(?:quand j['’]étais|étant) enfant|à l'origine|sa retraite""",
    "untrue": r"(?:n'est )?pas vrai|est faux|faux que|mensonge",
    "no_longer": r"""(?:ne |n'|n’)?\w* ?plus(?= (?:à|de|d'|chez|en|dans|au|pour|allergique|marié\w*|le|la|du|employé\w*
        |l')\b)""",
    # times
    "future": r"""\w{2,}(?:er|ir|dr|vr|ur)(?:a|ai|ons|ez|ont)|mettra\w*|va|vais|vas|vont|allons|allez|est|sont|suis
        |sommes|êtes|a|ai|ont|avons|avez|as|y\s+a|doit|dois|devons|doivent|faut|part|pars|partons|partent
        |commence\w*|termine|finit|ouvre|ouvrent|ferme|ferment|arrive\w*|décolle|expire|viens|vient|viennent|revient
        |rentre|rentrons|prend|prends|prochaine?s?|bientôt|voit|vois|voyons|(?:nous
        |on)\s+(?!avons|ont|sommes|est)\w+(?:ons|e)""",
    "past_tense": r"""(?:ai|as|a|avons|avez|ont|avoir){inverted}\s+(?:(?:pas|déjà|bien|tous|tout|toujours|beaucoup
        |jamais|aussi|été)\s+){0,2}(?!décidé\s+d|promis\s+d)(?:{participle})|(?:suis|es|est|sommes|êtes
        |sont){inverted}\s+(?:(?:pas|déjà|tous|toutes|bien|aussi)\s+){0,2}(?:allé|arrivé|venu|revenu|devenu|parti
        |sorti|entré|rentré|né|mort|monté|descendu|tombé|resté|retourné|passé)e?s?|(?:m['’]|t['’]|s['’]|me\s|te\s
        |se\s|nous\snous\s|vous\svous\s)(?:suis|es|est|sommes|êtes|sont){inverted}\s+\w+|(?:était|étaient|étais
        |étions|avait|avaient|avais|avions|allait|allais|faisait|faisais|devait|voulait|vivait|habitait
        |travaillait){inverted}|fut|furent|eut|(?:je\s+|tu\s+|j['’])\w{2,}[^\W\d_r]ais|(?!(?:parfait|souhait|forfait
        |satisfait)\b)\w{2,}[^\W\d_r]ai(?:t|ent)|depuis""",
    "rescheduled": r"""report\w+|repouss\w+|décal\w+|avancé\w*|déplac\w+|prolong\w+""",
    "arranged": r"""réserv\w+|prév\w+|planifi\w+|programm\w+|fix\w+|convenu\w*|invit\w+|promis|billets?|rendez-vous""",
    "frequency": r"""(?:une\s+fois|deux\s+fois|\w+\s+fois)(?:\s+(?:par|chaque)\s+\w+)?|chaque\s+(?:jour|semaine|mois
        |année|matin|soir|week-end|\w+di)|tous\s+les\s+(?:jours|mois|ans|matins|soirs|\w+dis)|toutes\s+les\s+semaines
        |quotidiennement""",
    # numbers
    "below_zero": "(?:en dessous de|sous) zéro",
    "minus": "moins",
    # statements
    "ended": "ne ... plus | n' ... plus | a cessé de | a arrêté de | a cessé d' | a arrêté d'",
    "changed": "maintenant | désormais | a déménagé | est passé | est passée | a remplacé | au lieu de | est devenu",
    "now": "maintenant | désormais",
    "correction_openers": "non|pardon|oups|attends",
    "corrected": "correction | je voulais dire | je me suis trompé | je me suis trompée | erratum",
    "hinted": "en fait | en réalité",
    "swapped": "{s} est passée? de {was} à {o} | {s} a remplacé {was} par {o}",
    "denied": "{frame} pas {was},? mais {o} | {o}, pas {was}",
    "instead": "au lieu de",
    "single": "s' appelle | vit à | habite à | travaille chez | travaille comme | coûte",
    "loose": "tourne sur",
    "ends_of_clause": r"parce qu\w*|depuis|mais",
    "next_clause": "elle|il|maintenant|mais|parce|est|a",
    "relations": r"""
        works_at; person name; organization name; (?:travaille|travaillent) (?:\w+ )?(?:chez|pour)
        lives_in; person name; place name; (?:habite|habitent|vit|vivent) (?:\w+ )?à
        married_to; person name; person name; est mariée? (?:à|avec)""",
    # polarity and modality
    "negation": r"ne|n['’]\w+|pas|jamais|aucune?|sans|personne|rien",
    "simple_negation": r"pas|jamais|n['’]\w+|ne",
    "contrast": r"ni|sans|au lieu de|plutôt que|ne \w+ plus",
    "denied_ahead": "(?:aucune|pas de) (?:preuve|indication)|nie|nié|faux",
    "denial_verbs": "oublié",
    "no_denial": r"pas seulement|sans doute|n['’]oublie\w*|pas (?:plus|moins) de",
    "soft_denial": """arrêté|perdu|quitté|vendu|annulé|fermée?|allergique|végane?|végétarien(?:ne)?|divorcée?
        |célibataire|déteste""",
    "hypothetical": r"^\W*(?:si|s['’]il)\s.*|peut-être|pourrai\w*|devrai\w*|serai[st]|probablement|éventuellement|si",
    "tentative": "(?:veut|voulait|espère|compte|essaie|essayé)",
    "reports": r"""pens\w+|croi\w+|croyait|di(?:t|s|sent|sait)|espèr\w+|suppos\w+|imagin\w+|dout\w+|demand\w+|entendu
        |rêv\w+|si""",
    "until": r"jusqu['’]\w+|jusque",
    "over": r"ne \w+ plus|n['’]\w+ plus|ancien(?:ne)?|arrêté de|cessé de",
    "quantities": r"""chaque|tou(?:t|te|s|tes)|quelqu['’]un|quelques?|personne|aucune?|seulement|ne\s.*\bque|les\s+deux
        |plupart|toujours|plus|moins|assez|trop|aussi|autres?""",
    # names
    "bodies": "SA|SARL|Société|Université|Hôpital|Musée|Institut",
    "leading_bodies": "Université|Institut|Banque|Fondation|Ministère|Société|Hôpital|Musée|École|Association|Parti",
    "into_place": r"\b(?:à|en|au|aux|de|vers|depuis) $",
    "name_cues": r"""(?:s['’]appelle|nommée?|appelée?|M\.|Mme|Mlle) [\"“«'‘(]*$""",
    # importance
    "critical": r"""
        nom prénom anniversaire téléphone passe adresse;
            \b(?:[Mm]on|[Mm]a|[Mm]es|[Nn]otre)(?: \w+){0,2} (?:nom|prénom|anniversaire|téléphone|mot de passe
            |adresse)(?: \w+){0,2}(?: ?[=:]| est\b)
        appelle; \b[Jj]e m['’]appelle [A-ZÀ-Þ]
        allergique allergie végane végan végétarien végétarienne diabétique enceinte;
            (?i)\b(?:suis|est|sommes)(?: \w+){0,3} (?:allergique|v[eé]gane?|v[eé]g[eé]tarien(?:ne)?|diab[eé]tique
            |enceinte)\b|\b(?:allergie|allergique) (?:aux?|à) \w
        préfère; \bpr[eé]f[eè]re\b
        préféré préférée; \b[Mm](?:on|a)(?: \w+){1,2} préférée? est\b""",
    "chatter": """merci(?: beaucoup)?|bonjour|bonsoir|salut|au revoir|à (?:bientôt|demain|plus(?: tard)?)|de rien
        |bonne (?:nuit|journée)|d['’]accord|(?:mais )?(?:oui|non)|ouais|ça (?:va|marche)|euh|hum|bof|ben|bon
        |très bien|bien sûr|c['’]est (?:bon|vrai|ça)|je (?:vois|comprends)|compris|pas de (?:souci|problème)
        |parfait|génial|voilà|exactement|s['’]il (?:te|vous) plaît""",
    "polite_openings": """bonjour|bonsoir|salut|merci|au revoir|à (?:bientôt|demain|plus)|de rien|bonne (?:nuit|journée
        |chance)""",
    "first_person_words": "je|j|mon|ma|nous",
    "speaker_words": "je|j|mon|ma|nous|notre",
    "yes_or_no": "oui|non",
    "outside": "hors(?: de| d'|-)|en dehors d",
    "occupation": r"""\w{2,}(?:eur|euse|teur|trice|ier|ière|iste|ien|ienne|ant|ante|logue|graphe|caire|naire)|
        médecin|chef|cheffe|juge|pilote|architecte|avocat|avocate|maire|prof|apprenti|apprentie|poète|guide|
        prêtre|moine|vétérinaire|kiné""",
    "plain_yes_no": "oui|non",
    "unknown": "je ne sais pas|on ne sait pas|inconnu",
    "constraint": """allergique|(?:suis|est) (?:végétarien(?:ne)?|végétalien(?:ne)?|végane?)|(?:je|on) doi[st]
        |nous devons|il faut|(?:peux|peut|pouvons) pas|au plus tard|date limite""",
    "preference": "(?:j['’]|il |elle )(?:aime|adore)|préfère|préférons|déteste|préférée?s?|dorénavant|désormais",
    "decision": r"""(?:ai|a|avons|ont|est|sommes) (?:\w+ )?(?:décidé|convenu|choisi|opté)|on (?:prend|part sur)
        |décidé(?=\s*:)""",
    "undecided": r"(?:pas|jamais)\b[^.;]{0,24}$",
    "entity": r"""(?:ma|mon|notre) (?:\w+ ){1,3}(?:est|s['’]appelle|travaille|habite)|je (?:m['’]appelle|travaille
        |habite)""",
    "amount": r"\d[\d.,]*[ -]?(?:heures?|jours?|ans|semaines?|euros?)|numéro\b[^.;?]{0,20}\d\w*",
    "personal": "(?-i:[Jj]e|[Mm]on|[Mm]a|[Nn]ous|[Nn]otre|[Vv]otre)",
    "filler": r"(?:bonjour|salut|ok(?:ay)?|merci|bon|alors|oui|non|bien sûr|super)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"\W*(?:(?:bon|oui|non|et|mais|aussi|alors),?\s+)*(?:il|elle|ils|elles|ça|cela|ceci|c['’]est|tu)",
    "lasting": r"""(?:Je suis|(?:[Mm](?:on|a) \w+|[A-ZÀÉÈÎÔ][\w-]+) est) (?:\w+ )?(?:allergique (?:à|aux?) \w|végane?\b
        |végétarien(?:ne)?\b|diabétique\b|gauch(?:er|ère)\b|daltonien(?:ne)?\b|retraitée?\b)|[Mm](?:on
        |a) (?:chien(?:ne)?|chat(?:te)?|fils|fille|femme|mari|sœur|frère|mère|père) s['’]appelle [A-ZÀÉÈÎÔ]\w""",
    "elsewhere": "ce|cet|cette|ces|cela|ça|ceci|ici|là|tu|toi|te|ton|ta|tes",
    "advice": r"""(?:tu peux|vous pouvez|tu devrais|vous devriez)|essaie[sz]?|essayez|assure[sz]?[- ](?:toi|vous)
        |n['’]oublie[sz]? pas|je (?:te|vous) (?:recommande|conseille|suggère)|par exemple|voici|conseils?
        |en tant qu['’]ia|modèle de langage|^\W*(?:\d+[.)]|\*\*)""",
    # parts of answers
    "before_age": r"\b(?:a|ai|avait|aura|avoir|fête(?:ra)?\s+ses)\s+(?:presque\s+)?",
    "after_age": "ans?|mois|semaines?|et|mais",
    "old": "d['’]âge",
    "because": r"\b(?:parce\s+qu['’e]\s*|à\s+cause\s+d\w+|pour\s+que|car)\s*(?P<why>[^.;!?\n]{4,})",
    "leading_words": "le|la|les|un|une|des|à|de|du|en|dans|avec|par|pour|est|était|très|aussi|et|ou|que",
    "trailing_words": "et|ou|le|la|à|de|en|avec|par|pour|est|aussi|maintenant|hier|encore",
    "happened": r"(?:ai|as|a|avons|avez|ont|est|sont|suis)\s+\w{2,}(?:é|ée|és|ées|i|is|it|u|ue)|était|avait|fut",
    "moved": "(?:a|ont|ai) déménagé",
    "earlier": "avant|origine|ancien(?:ne)?",
    "asks_first": r"(?:pour )?la première fois(?: qu[e'’])?|d'abord|premi(?:er|ère)(?!\s+(?:nom|étage|classe)\b)",
    "asks_last": r"""(?:pour )?la dernière fois(?: qu[e'’])?|en dernier|derni(?:er|ère)(?!\s+(?:semaine|mois|année|an
        |nuit)\b)
        |plus\s+récent(?:e|s|es)?""",
    "asks_times": r"combien\s+de\s+fois",
    "cleft": r"""^quel(?:le)?\s+(?:est|était|fut|a\s+été)\s+(?:la\s+|le\s+|l['’]|mon\s+|ma\s+)(?P<noun>\w+)\s+(?:où
        |que|qu['’]|(?:dans|pour|chez|en)
        \s+(?:laquelle|lequel))\s*(?P<rest>.+)""",
    "which_noun": "dans quelle",
    "counted_phrases": r"une\s+douzaine|une\s+dizaine|deux\s+fois|une\s+fois",
    "by_doing": r"\ben\s+(?P<how>\w{3,}ant\b[^.;!?\n]*)",
    # questions
    "asks_when": r"""^\W*(?:et\s+)?(?:depuis\s+|jusqu['’]à\s+)?quand|(?:depuis|jusqu['’]à)\s+quand|combien\s+de\s+temps
        |combien\s+d['’e]\s*(?:secondes|minutes|heures|jours|semaines|mois|années|ans)|(?:en\s+
        |à\s+)?quel(?:le)?s?\s+(?:date|jour|semaine|mois|année|heure|décennie)""",
    "asks_latest": r"""actuel(?:le)?s?|actuellement|maintenant|en\s+ce\s+moment|dernière\s+fois|(?:plus
        |très)\s+récent(?:e|s|es)?|de\s+nos\s+jours|précédemment|auparavant|avant""",
    "asks_name": r"""qui|où|noms?|s['’]appelle(?:nt)?|appelée?s?|quel(?:le)?s?\s+(?:\w+\s+)?(?:personne|amie?|ville|pays
        |lieu|village|livre|roman|film|série|chanson|jeu|entreprise|marque|langue|restaurant|musée|école|université
        |chien|chat|animal|projet|rue|hôtel)s?""",
    "states_place": r"""(?:(?:à\s+la|au|aux|(?:dans|chez|vers|devant|derrière|sous|sur|par)\s+(?:l[ae]|les|une?|mon|ma
        |mes|son|sa|ses|notre|nos))\s+|(?:à|dans|vers|près\s+de)\s+l['’])(?!(?:matin|soir|nuit|semaine|mois|année|an
        |fin|début
        |futur|moment|jours?|été|hiver|automne|printemps|fois|prochaine?|derni(?:er|ère)|premi(?:er|ère)|plus|moins|fait
        |cours|avance)\b)\w+|(?:à|en|dans|chez|vers|près\s+de)\s+(?-i:[A-ZÀÂÉÈÊÎÔÛÇ])\w+""",
    "asks_clock_time": r"(?:à\s+)?quelle\s+heure",
    "asks_age": r"quel\s+âge",
    "asks_description": r"""^\W*(?:qui\s+(?:est|était|sont)|qu['’]est-ce\s+que|parle-moi\s+de
        |que\s+sais-tu\s+(?:de|sur))
        \s+(?-i:[^\W_a-z])[\w.-]*(?:\s+(?-i:[^\W_a-z])[\w.-]*)*\W*$""",
    "wrongly_stated": r"""(?:(?:pardon|désolée?|correction|non)\b[^.!?]{0,20}?)?\bj['’]ai (?:dit|écrit) que
        \s(?P<stated>[^.!?]{4,200}?)
        ,\s(?:mais )?(?:c['’]est|ce sont|c['’]était|il est|elle est)(?: en fait| à)?
        \s(?P<right>[^.!?,;]{1,60})""",
    "introduces": r"""(?:je m['’]appelle|mon nom est|moi,? c['’]est) (?P<named>{fullname})
        |(?:je suis|ici) (?P<told>{fullname})(?=\s*(?:[,.!;)]|$|et\b))""",
    "asks_profile": r"""qu(?:e (?:sais-tu|sait-on|savons-nous)|['’]est-ce que (?:tu sais|l['’]on sait|nous savons))
        \s(?:de |d['’]|sur |à propos d(?:e |['’]))(?P<about>.+)
        |(?:parle|dis|raconte)-moi (?:tout |plus )?(?:de |d['’]|sur )(?P<told>.+)
        |(?:résume|décris)(?:-moi)?(?: ce que tu sais (?:de|sur))? (?P<summed>.+)""",
    "asks_occupation": r"""que fai[st](?:-(?:il|elle))? .*(?:dans la vie|comme (?:métier|travail))|que fait \w+\W*$""",
    "asks_origin": r"""d['’]où|de quel(?:le)? (?:ville|pays|région|village)""",
    "asks_of_past": r"^\W*était",
    "was": "était|avait|fut|ex",
    "causal": r"pourquoi|parce\s+qu\w*|causes?|causé\w*|raisons?|provoqué\w*",
    "relational": r"qui (?:connaît|travaille)|relations?|reliée?s?|liée?s?|entre|amie?s? de|tous\s+les\s+deux",
    "exploratory": r"parle[z-]\w*|raconte\w*|que (?:sais|savons|savez)|résum\w+|décri\w+|tout",
    "factual": r"""^\W*(?:(?:que|quoi|quel(?:le)?s?|qui|où|combien)\b|qu['’]|(?:est|sont|était|a|ont|avait|peut
        |est-ce)\b)""",
    "comparison": r"compar\w+|différen\w+|tous\s+les\s+deux|ni|plus|moins|meilleure?s?|pire|même",
    "joints": "et|ou|mais|pendant|quand|après|avant|parce|alors|puis",
    "request": r"(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|sais-tu|te\s+souviens",
    "asked": {
        "frequency": r"combien\s+de\s+fois\b|à\s+quelle\s+fréquence\b",
        "duration": r"""(?:depuis\s+|pendant\s+)?combien\s+de\s+temps\b|depuis\s+quand\b
        |combien\s+d['’e]\s*(?:secondes|minutes|heures|jours
            |semaines|mois|années|ans)\b""",
        "amount": r"""quel(?:le)?\s+(?:est\s+l[ea]\s+)?(?:prix|montant|taille|distance|poids|somme)\b
            |(?:(?:pour|à)\s+)?combien\b""",
        "count": r"""combien\b(?!\s+(?:coût|pès|mesur|vau|gagn|pay|paie))(?=\s+(?:sommes|êtes|sont|y a)|.*\bd[e'’])
            |quel\s+âge\b""",
        "time": r"quand\b|(?:à\s+|en\s+)?quel(?:le)?s?\s+(?:date|jour|mois|année|heure)s?\b",
        "place": r"d?['’]?où\b|(?:dans\s+|à\s+)?quel(?:le)?\s+(?:ville|pays|lieu|village|rue)\b",
        "person": r"(?:avec\s+|de\s+|à\s+)?qui\b",
        "name": r"comment\s+s['’]appell\w+|quel\s+est\s+le\s+nom\b",
        "reason": r"pourquoi\b",
        "manner": r"comment\b",
        "thing": r"quel(?:le)?s?\b|que\b|qu['’]",
        "yes or no": r"(?:est-ce\s+qu\w*|est|sont|était|a|ont|avait|peut)[\s-]",
    },
    "question_leads": r"et|mais|alors|bonjour|salut|s['’]il\s+(?:te|vous)\s+plaît",
    "question_auxiliaries": "(?:est|sont|était|a|ont|avait|peut|peuvent|est-ce)",
    "which": r"quel(?:le)?s?|que|qu['’]est-ce\s+que",
    "how_many": r"combien\s+d['’e]",
    "kind_of": r".*\b(?:sortes?|types?|genres?)\s+d['’e]\s*\b",
    "either": "ou",
    # changes in ordinary talk
    "corrects": r"""pardon|désolée?|correction|non,? (?:attends|pardon)|attends|je voulais dire|en fait|finalement
        |plutôt|en réalité|au final|oublie ça|changement de programme|je me suis trompée?|n['’]\w+ (?:\w+ )?que""",
    "from_now": r"""maintenant|désormais|dorénavant|à présent|dès maintenant|ne \w+ plus|nouveau|nouvelle|nouvel
        |à partir de (?:maintenant|la semaine prochaine|[a-zéû]+)|depuis (?:janvier|février|mars|avril|mai|juin)""",
    "moves": r"""déménagé|emménagé|reporté\w*|repoussé\w*|décalé\w*|déplacé\w*|avancé\w*|retardé\w*|prolongé\w*
        |augmenté|baissé|passé\w* (?:à|au)|passe (?:à|au)|monté à|changé\w*|remplace|reprend|a repris
        |aura (?:finalement )?lieu""",
    "is_over": r"""annulé\w*|c['’](?:est|était) fini|supprimé\w*|mort\w*|décédé\w*|vendu\w*|résilié\w*
        |arrêté\w*|abandonné\w*|n['’]a plus lieu
        |n['’]aura pas lieu|tombe à l['’]eau|donné\w* (?:à|au)|licenciée?|débarrassée?s?""",
    "parted": "rompu|séparée?s?|quittée?s?|divorcée?s?|plus ensemble",
    "together": "ensemble|avec|copain|copine|couple|mari|femme|fiancée?s?|mariée?s?|conjoint|compagnon|compagne",
    "in_charge": """s['’]occupe|gère|dirige|organise|coordonne|responsable|chargée?|en charge|enseigne|entraîne|reprend
        |est (?:mon|ma|notre|le|la)""",
    "died": "morte?|décédée?|vendue?|annulée?",
    "recurs": "part|partent",
    "own_forms": "(?!)",
    "other_ones": "autre|autres|deuxième|second|seconde|retour",
    "comes_of_age": "(?:fête\\w*|aur\\w+|a eu) (?:ses )?NUMBER ans",
    "finished": "terminée?|finie?|achevée?",
    "replacing": "remplacent?",
    "asks_leave": "puis|peux|peut|pouvons|peuvent",
    "stays": "rest\\w+|gard\\w+|toujours|encore",
    "outdated": r"(?:est|sont) (?:du passé|de l['’]histoire ancienne|obsolètes?|périmée?s?)|n['’]est plus valable",
    "instead_of": "au lieu d(?:e|u)|plutôt que",
    "which_owned": r"""quel(?:le)?s? (?P<noun>\w[\w -]*?) (?:(?:ai-je|est-ce que j['’](?:ai|utilise))
        |(?P<ours>avons-nous
        |utilisons-nous)|est-ce que (?P<one>nous|[A-ZÉ]\w+) (?:avons|utilisons|a|utilise|conduit))""",
    "what_is_mine": "Quel est mon {noun} ?",
    "what_is_theirs": "Quel est {noun} de {one} ?",
    "idle_in_changes": """changement|nouvelle|dose|début|fin|mi|week-end|rendez-vous|lieu|heure|tous|toutes|pardon
        |non|fait|plutôt
        |semaine|mois
        |monsieur|madame|rien""",
    "stated_words": "j['’](?:ai|avais) (?:dit|écrit)",
}
