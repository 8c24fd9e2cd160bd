"""French: its words and phrases, as `Locale` describes them."""

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
    "stop": """mai le la les l un une des du de d au aux et ou mais donc ni car que qu quoi qui quand où comment
        pourquoi combien quel quelle quels quelles dont je j tu il elle on nous vous ils elles me m te t se s lui leur
        leurs y mon ma mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces ça cela ceci est sont suis es
        sommes êtes était étaient été être sera a ai as ont avons avez avait avoir aura fait faire peut peux veux veut
        doit dois dans en sur sous avec sans pour par chez vers depuis pendant entre jusque jusqu avant après contre ne
        n pas plus jamais rien personne aucun aucune oui non si très trop aussi encore déjà toujours souvent ici là hier
        demain maintenant aujourd hui tout toute tous toutes autre même comme parce lorsque puisque deux trois merci
        bonjour salut""",
    "letters": "çœèêàùûîë",
    "articles": "le la les l' un une des du d' de",
    "determiners": """mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces chaque quel
        quelle""",
    "copulas": "est sont suis",
    "first_person": "je j'",
    "first_possessive": "mon ma mes",
    "oneself": "je j'ai j'aime j'habite mon ma mes me moi nous notre nos",
    "hearer": "tu ton ta tes te toi vous votre vos",
    "third_person": "il elle ils elles lui leur son sa ses",
    "people_pronouns": "elle il",
    "subjects": "je il elle nous vous ils elles on tu",
    "pronouns": """aujourd'hui avant c' ce ceci cela comment demain elle elles ensuite et hier ici il ils là maintenant
        mais non nous on ou oui où personne peut-être quand que quelqu'un qui quoi si tous tu vous ça""",
    "pointing": "aujourd'hui ce cela ces cet cette demain en hier ici leur lui là ta te tes ton y ça",
    "verbs": """a achète aime boit connaît coûte doit est fonctionne fume habite habitent joue lit maintenant mange n'
        ne ont parle pas peut s'appelle se sont tourne travaille travaillent utilise utilisent veut vit vivent écrit""",
    "idle": "d' de des du est l' la le les sont suis un une",
    "linking": "avec chez contre dans depuis en par pour sur à",
    "owning": "de du des entre sur",
    "acting": "dit disait habite habitait vit vivait travaille travaillent travaillait utilise connaît",
    "joined": "et mais ou",
    "coordinating": "et mais tandis parce",
    "subordinating": "parce que quand qui où si comme lorsque puisque dont avant après pendant jusqu'à",
    "past": "ait | aient",
    "past_words": "a avait fut étaient était",
    # sentences
    "abbreviations": """m mm mme mmes mlle mlles dr pr prof me st ste av bd p.ex ex env vol chap art tél réf cf no n°
        fig""",
    "closing_abbreviations": "etc janv févr avr juil sept oct nov déc s.a c.-à-d cie",
    "has_bare_roles": True,
    "has_double_negation": True,
    "place_goals": "en",
    "participle": r"\w{2,}(?:é|ée|és|ées|[dlmnprtv]u)|vu|eu|pris|mis|fait|dit|lu|bu|reçu|vendu|perdu|rendu|loué",
    "going_to": r"(?:vais|vas|va|allons|vont)\s+\w+(?:er|ir|re)",
    "future_verb": r"\w*(?:ra|ront|rai|rons)",
    "past_verb": r"\w*(?:ait|aient|é|i|u|ado|ido)",
    "question_padding": r"(?<!\w)est-ce qu(?:e |['’])|-(?:t-)?(?:ils?|elles?|on|ce)\b",
    "inverted_pronoun": r"-(?:t-)?(?P<pronoun>je|j'|tu|nous|vous)\b",
    # clauses
    "concepts": """speaks: parle parles parlent parler parlons =langue =langues | weighs: pèse pesait pèsent pesé
        =poids | hours: =horaires | lives_in: grandi habiter habite habitent habitait habité habitons vivre vit vis
        vivent vivait vécu vivons résider réside résidait =maison =domicile +déménager +déménagé +déménagera
        +emménagé +installé +établi +établie domicilié domiciliée ~appartement ~logement loge demeure | located_in:
        situé située trouve basé basée =siège | works_at: travailler travaille travaillent travaillait travaillé
        employé employée +embauché +embauchée +recruté +recrutée +commencé +rejoint +entré +entrée +démarré salarié
        salariée =employeur ~poste ~emploi emploie | job_title: =profession =métier | name: appelle appellent appelé
        nommé nommée =nom | born: né née =naissance =date_de_naissance =anniversaire vu_le_jour | allergic_to:
        allergique =allergie =allergies souffre intolérant intolérante développé =intolérance | owner: dirige dirigé
        dirigée diriger =responsable en_charge gère =chef =cheffe =tête =direction occupe à_la_tête +prend_en_charge
        +pris_en_charge +pris_la_relève =chef_de_projet =propriétaire pilote +repris +reprend +confié +cédé
        +transmis +remplacé +remplace +succédé mène piloté pilotée coordonne supervise | deadline: =échéance =délai
        rendre =date_limite terminé_pour =date_de_remise =date_de_rendu !livrer !terminé !terminée !prêt !prête
        !livré !livrée !rendu !rendue !fini !finir | status: =état =statut | drinks: consomme consomment sirote
        prend prends boire bois boit buvait bu | eats: manger mange mangé |
        likes: aime aimes aimons aiment adore adorent | dislikes: déteste détestes détestent hait |
        costs: coûte coûtent coûté coûter payé
        payer =prix | buys: acheté acheter | married_to: =mariage marié mariée +épousé | age: =âge =ans | change:
        reporté reportée repoussé repoussée déplacé déplacée changé changée passé passée modifié augmenté baissé
        prolongé prolongée avancé avancée décalé décalée échangé mis devenu mis_à_jour
        réduit réduite ramené ramenée relevé relevée augmentée baissée corrigé ajusté ajustée | over: quitté arrêté
        abandonné renoncé annulé cessé démissionné terminé_avec supprimé laissé_tomber renonce passe_de abandonne
        dit_adieu surmonté disparu | asset: vendre vendu vend""",
    "nouns": """sister: sœur soeur sœurs soeurs | brother: frère frères | child: enfant enfants | parent: parents |
        rabbit: lapin lapine lapins | pet: animal_de_compagnie animaux_de_compagnie | mother: mère maman | father: père
        papa | daughter: fille filles | son: fils | wife: femme épouse | husband: mari époux | dog: chien chienne chiens
        | cat: chat chatte chats | boss: chef patron patronne | neighbour: voisin voisine | friend: ami amie | cousin:
        cousine | aunt: tante | uncle: oncle | grandmother: grand-mère mamie | grandfather: grand-père papi | doctor:
        médecin docteur | dentist: dentiste | project: projet | password: mot_de_passe | telephone: téléphone portable |
        email: mail e-mail courriel | car: voiture | bicycle: vélo | colleague: collègue | landlord: propriétaire
        proprio | teacher: professeur professeure prof | ex-wife: ex-femme | ex-husband: ex-mari | team: équipe |
        company: entreprise société boîte | flight: vol | exam: examen | appointment: rendez-vous rdv | meeting: réunion
        | vet: vétérinaire véto | rent: loyer | address: adresse | birthday: anniversaire | wedding: mariage noces |
        holiday: vacances | concert: concert | course: cours | school: école | flat: appartement | house: maison |
        kitchen: cuisine | salary: salaire | price: prix | deposit: caution acompte arrhes | insurance: assurance |
        surgery: opération | vaccine: vaccin | party: fête | training: entraînement | boat: bateau | garden: jardin |
        key: clé clef | code: code | bill: facture | name: nom | colour: couleur | book: livre | film: film | song:
        chanson | restaurant: restaurant resto | hotel: hôtel | bakery: boulangerie | gym: gymnase | train: train |
        deadline: échéance | nephew: neveu | niece: nièce | mother-in-law: belle-mère | father-in-law: beau-père |
        brother-in-law: beau-frère | sister-in-law: belle-sœur | girlfriend: copine | boyfriend: copain | partner:
        compagne | client: client cliente | lawyer: avocat avocate | nurse: infirmier infirmière | painter: peintre |
        mechanic: mécanicien | surname: nom_de_famille | glasses: lunettes | lock: cadenas | bar: bar | best: meilleur
        meilleure | old: vieux vieille | big: grand grande | little: petit petite | vegan: végane | vegetarian:
        végétarien végétarienne | kindergarten: crèche maternelle | baby: bébé | twin: jumeau jumelle jumeaux jumelles |
        lesson: leçon leçons | guitar: guitare | piano: piano | dance: danse | pottery: poterie | swimming: natation
        piscine | choir: chorale chœur | trip: voyage sortie excursion | honeymoon: lune_de_miel | ferry: ferry |
        ticket: billet billets ticket | campsite: camping | guest: invité invités | photographer: photographe |
        hairdresser: coiffeur coiffeuse | plumber: plombier | electrician: électricien électricienne | cleaner: ménage |
        babysitter: baby-sitter nounou | physio: kiné kinésithérapeute | dermatologist: dermato dermatologue |
        orthodontist: orthodontiste | gynaecologist: gynéco gynécologue | accountant: comptable | tenant: locataire |
        headmaster: directeur directrice | chicken: poule poules poulet | bird: oiseau oiseaux | horse: cheval jument |
        sofa: canapé | table: table | bed: lit | fridge: frigo réfrigérateur | oven: four | dishwasher: lave-vaisselle |
        washing_machine: lave-linge | boiler: chaudière | saw: scie | computer: ordinateur | motorbike: moto | van:
        camionnette fourgon | licence: permis | driving_school: auto-école | repair: réparation | garage: garage |
        contract: contrat | raise: augmentation | interview: entretien | review: évaluation | dress: robe | ring: bague
        alliance | cake: gâteau | present: cadeau | church: église | hospital: hôpital clinique | building: immeuble
        bâtiment | floor: étage | alarm: alarme | wifi: wifi | plate: plaque | marathon: marathon | race: course |
        match: match | practice: répétition | result: résultat résultats | graduation: remise_des_diplômes | funeral:
        enterrement obsèques | christening: baptême | bachelor_party: enterrement_de_vie_de_garçon | egg: œuf œufs |
        peanut: cacahuète cacahuètes arachide | nut: noix noisettes | milk: lait | meat: viande | pork: porc | fish:
        poisson | seafood: fruits_de_mer | wine: vin | coffee: café | tea: thé | history: histoire | music: musique |
        maths: maths mathématiques | chemistry: chimie | english: anglais | thesis: thèse | roof: toit | window: fenêtre
        fenêtres | bathroom: salle_de_bain | shoe: chaussures | tooth: dent dents | arm: bras | knee: genou | back:
        dos""",
    "actions": """teach: enseigne enseignait enseigné enseigner | study: étudie étudiait étudié étudier | play: joue
        jouait joué | begin: commence commencé débute | arrive: arrive arrivé arrivée | buy: achète acheté | sell: vend
        vendu vendue | read: lis lit lu | cook: cuisine cuisiné | swim: nage nagé nager | drive: conduis conduit |
        visit: visite visité | smoke: fume fumes fumer fumé | go: vais va aller allé allée | fly: volons vole volent
        décolle | leave: partons part partent partir | stay: reste restent loge logeons séjourne | open: ouvre ouvrent
        ouvrir | close: ferme ferment fermé | borrow: emprunté emprunte | charge: facture | earn: gagne gagner | run:
        cours court courir couru | marry: marie marient marier | give_birth: accouché | weigh: pèse | install: installé
        installe installer | adopt: adopté adopter | move: déménage déménagent déménager | finish: finit terminé finir |
        celebrate: fête fêtons fêter | organise: organise organiser | pick_up: récupérer | win: gagné | break: cassé |
        pay: paie payons payé payer""",
    "exonyms": """germany: allemagne | spain: espagne | italy: italie | austria: autriche | switzerland: suisse |
        greece: grèce | turkey: turquie | netherlands: pays-bas hollande | belgium: belgique | denmark: danemark |
        sweden: suède | norway: norvège | finland: finlande | poland: pologne | croatia: croatie | hungary: hongrie |
        ireland: irlande | scotland: écosse | england: angleterre | morocco: maroc | egypt: égypte | brazil: brésil |
        mexico: mexique | japan: japon | thailand: thaïlande | corsica: corse | crete: crète | sicily: sicile |
        sardinia: sardaigne | majorca: majorque | lisbon: lisbonne | venice: venise | vienna: vienne | hamburg: hambourg
        | geneva: genève | basel: bâle | brussels: bruxelles | antwerp: anvers | warsaw: varsovie | copenhagen:
        copenhague | athens: athènes | moscow: moscou | london: londres | seville: séville | barcelona: barcelone |
        edinburgh: édimbourg | montreal: montréal""",
    "professions": """infirmier infirmière médecin avocat avocate facteur factrice professeur professeure
        instituteur institutrice cuisinier cuisinière serveur serveuse ingénieur ingénieure architecte journaliste
        dentiste électricien électricienne plombier menuisier policier policière pompier vétérinaire pharmacien
        pharmacienne comptable économiste psychologue photographe graphiste développeur développeuse informaticien
        informaticienne coiffeur coiffeuse boulanger boulangère chauffeur pilote acteur actrice musicien musicienne
        peintre écrivain traducteur traductrice fonctionnaire secrétaire vendeur vendeuse mécanicien mécanicienne
        agriculteur agricultrice retraité retraitée étudiant étudiante sage-femme technicien technicienne
        illustrateur illustratrice consultant consultante chercheur chercheuse libraire""",
    "place_links": "à au aux en dans",
    "receives": "obtenu décroché accepté eu",
    "have": "a ai ont avait avaient avons possède",
    "had": "avait avaient avais eu",
    "past_be": "était étaient fut été étais",
    "perfect": "a ai ont avait avons",
    "now_words": """maintenant déjà encore aussi toujours jamais ici là très trop aujourd'hui demain hier pas
        ne n' plus se s' me m' vient viens""",
    "that_words": "que qu' si",
    "if_words": "si s'il s'ils",
    "contrasts": "mais",
    "future_words": "",
    "owner_links": "de du des d' pour",
    "prepositions": """de du des d' en à au aux avec par pour sur sous chez dans contre depuis jusque jusqu'au
        entre sans vers pendant avant après""",
    "agents": "par",
    "goals": "à au en",
    "handed_to": "à au",
    "company_words": "avec pour par de",
    "change_words": "maintenant nouveau nouvelle désormais",
    "idle_adjectives": "actuel actuelle dernier dernière nouvel propre",
    "indefinite": "un une",
    "work_links": "chez",
    "people_nouns": """monsieur madame mademoiselle copain copine neveu nièce fils fille enfant bébé voisin
        voisine ami amie chef collègue tante oncle""",
    "how_many_words": "de d'",
    "part_links": "pour",
    "only_words": "seulement uniquement",
    "generic_nouns": "projet équipe société entreprise plan application serveur système bureau",
    "question_words": "que qu' quel quelle quels quelles qui où quand comment combien pourquoi quoi qu'est-ce",
    "who_words": "qui",
    "which_words": "quel quelle quels quelles",
    "how_words": "combien",
    "idle_question_words": "lieu trouve trouvent maintenant actuellement encore aujourd'hui exactement déjà est-ce",
    "when_words": "quand lorsque",
    "origin_links": "de d' du",
    "origin_verbs": "viens vient venons originaire",
    "presentational": "voici voilà",
    "no_occupations": """végétarien végétarienne végane végan fan ami amie membre homme femme personne garçon fille
        enfant fumeur fumeuse premier première dernier dernière""",
    "role_links": "comme",
    "since_words": "depuis",
    "gives": "confié cédé transmis passé passée délégué légué",
    "severities": "",
    "given_up_words": "boire manger prendre fumer plus complètement maintenant",
    "obligations": "doit doivent devons faut",
    "become": "devient devenu devenue",
    "measure_words": "tasse tasses verre verres bouteille beaucoup peu",
    "habit_words": """souvent toujours quotidiennement habituellement régulièrement parfois généralement""",
    "replaced_by": "par contre",
    "exchanged_for": "contre pour",
    "nothing_words": "rien quelque chose tout",
    "there_words": "là y là-bas",
    "childhood": "grandi",
    "visits": "vu voir allé allée aller visité été étais",
    "number_nouns": "numéro téléphone portable",
    "code_nouns": "code mot_de_passe passe plaque pin",
    "light_verbs": "va vont aller vient viennent part partent fait faire passe arrive déménage quoi",
    "price_nouns": "loyer prix budget devis caution salaire facture acompte",
    "per": "par chaque",
    "turns": "fête aura",
    "idle_nouns": "sorte type genre",
    "weekly": "le les chaque",
    "still_words": "encore toujours",
    "sources": "de du d' des sans contre avant depuis après",
    "uncertain": r"""peut-être|probablement|éventuellement|apparemment|sans doute|pourrai\w*|devrai\w*|aimerai\w*
        |voudrai\w*|serai[st]|si|s'il|s'ils|croi[st]|pense|pensais|pensent|suppose|semble|espère|rêve\w*|veut|veux
        |voulons|voulait|compte|prévoit|il se peut|postul\w*|doute\w*|pas sûre?|presque|plaisant\w*|blague\w*
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
    "months": """1: janvier janv | 2: février fevrier févr | 3: mars | 4: avril avr | 5: mai | 6: juin | 7: juillet juil
        | 8: août aout | 9: septembre sept | 10: octobre oct | 11: novembre nov | 12: décembre decembre déc""",
    "weekdays": "0: lundi | 1: mardi | 2: mercredi | 3: jeudi | 4: vendredi | 5: samedi | 6: dimanche",
    "day_parts": "",
    "time_parts": "",
    "seasons": "3: printemps | 6: été | 9: automne | 12: hiver",
    "namesakes": "mars avril mai août été",
    "plain_weekdays": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "units": """second: seconde secondes | minute: minute minutes | hour: heure heures | day: jour jours journée |
        night: nuit nuits | week: semaine semaines | weekend: week-end weekend | month: mois | quarter: trimestre
        trimestres | year: an ans année années | decade: décennie décennies""",
    "near": """-2: avant-hier | -1: hier hier_soir | 0: aujourd'hui ce_matin cet_après-midi ce_soir cette_nuit | 1:
        demain | 2: après-demain""",
    "clock_words": "720: midi | 0: minuit",
    "time_words": """last one: dernier dernière derniers dernières passé passée | this: ce cet cette | next: prochains
        prochaines | next one: prochain prochaine qui_vient | lately: récemment dernièrement | ago before: il_y_a |
        hence before: dans | between: entre | to: et ou au aux à | until: jusqu'à jusqu'au jusqu'en jusqu'aux d'ici |
        since: depuis dès à_partir_de à_partir_du | before: avant avant_le | before last: avant-dernier avant-dernière
        | after: après après_le | in: en durant courant vers début fin mi pendant | of: de du d' | for: pour par |
        part of: moitié milieu | the: le la les l' | a: un une | my: mon ma mes son sa ses notre | than: coûte coûtent
        salle chambre | roughly: environ presque près_de plus_de moins_de | every: chaque tous toutes | part of day:
        matin soir soirée après-midi | counted: euros euro dollars dollar francs centimes km kilomètres kilomètre
        mètres mètre kilos grammes litres pas mots pages points personnes gens utilisateurs fois chansons photos
        livres lignes caractères voix employés élèves étudiants degrés | named day: vendredi_saint vendredi_noir
        lundi_de_pâques""",
    "day_leads": "le au du",
    "clock_leads": "à vers",
    "vague_counts": "2-5: quelques | 3-7: plusieurs",
    "holidays": "noël pâques",
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
    "written": """months: janvier février mars avril mai juin juillet août septembre octobre novembre décembre |
        seasons: printemps été automne hiver | first: 1er | day: {d} {m} {y} | date: {d} {m} | month: {m} {y} | week:
        la semaine du {} | until: jusqu'au {} | since: depuis {} | range: du {} au {}""",
    # numbers
    "numbers": """0: zéro | 2: deux | 3: trois | 4: quatre | 5: cinq | 6: six | 7: sept | 8: huit | 9: neuf | 10: dix |
        11: onze | 12: douze | 13: treize | 14: quatorze | 15: quinze | 16: seize | 17: dix-sept | 18: dix-huit | 19:
        dix-neuf | 20: vingt vingts | 30: trente | 40: quarante | 50: cinquante | 60: soixante""",
    "scales": "100: cent cents | 1000: mille | 1000000: million millions | 1000000000: milliard milliards",
    "number_joints": "et",
    "unsure_numbers": "zéro cent cents neuf sept quinze",
    "measures": """usd: dollar dollars | eur: euro euros | gbp: livre livres | chf: franc francs | gram: gramme grammes
        | kilogram: kilo kilos | metre: mètre mètres | kilometre: kilomètre kilomètres | litre: litre litres | degree:
        degré degrés""",
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
    "used": "utilise utilisent",
    "blocked": """aussi bien bientôt comme crois croit demain devrait dit espère hier lorsque mais ou parce pense
        peut-être pourrait probablement qu' quand que seulement si veut veux""",
    "negated": "aucun aucune jamais n' ne pas",
    "partial": "parfois peut quelques souvent",
    "single": "s' appelle | vit à | habite à | travaille chez | travaille comme | coûte",
    "loose": "tourne sur",
    "attributes": """adresse anniversaire code date heure nom numéro passe patron pin port prix propriétaire salle titre
        téléphone version""",
    "several_nouns": """ami amie collègue voisin voisine cousin cousine frère sœur enfant fils fille oncle tante
        projet livre chat chatte chien chienne client cliente vol voyage rendez-vous réunion examen
        idée plan""",
    "state_words": """fini finie abouti remis remise actif active inactif inactive prêt prête ouvert ouverte clos
        close complet complète vert
        rouge jaune final stable critique nouveau nouvelle""",
    "states": "couleur statut état",
    "ends_of_clause": r"parce qu\w*|depuis|mais",
    "next_clause": "elle|il|maintenant|mais|parce|est|a",
    "relations": r"""
        works_at; person name; organization name; (?:travaille|travaillent) (?:\w+ )?(?:chez|pour)
        lives_in; person name; place name; (?:habite|habitent|vit|vivent) (?:\w+ )?à
        married_to; person name; person name; est mariée? (?:à|avec)""",
    "list_words": "aussi puis",
    "before_names": "nouveau nouvelle nouvel grand grande vieux vieille ancien ancienne annuel annuelle",
    "relatives": "qui que dont où lequel laquelle",
    "anybody": "utilisateur utilisatrice locuteur auteur autrice narrateur personne client cliente",
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
    "turning": "ne pas jamais sans rien aucun mai non senza não nem sem sin",
    "quantities": r"""chaque|tou(?:t|te|s|tes)|quelqu['’]un|quelques?|personne|aucune?|seulement|ne\s.*\bque|les\s+deux
        |plupart|toujours|plus|moins|assez|trop|aussi|autres?""",
    # names
    "greetings": "bonjour salut merci oui non bonsoir",
    "titles": "Docteur Dr M Mme Mlle Monsieur Madame Mademoiselle Maître Oncle Tante",
    "name_abbreviations": "Mme Mlle",
    "bodies": "SA|SARL|Société|Université|Hôpital|Musée|Institut",
    "leading_bodies": "Université|Institut|Banque|Fondation|Ministère|Société|Hôpital|Musée|École|Association|Parti",
    "never_names": """je nous vous hier demain lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars
        avril mai juin juillet août septembre octobre novembre décembre maman papa noël dieu français anglais allemand
        espagnol""",
    "things": "bac bd cb cdd cdi cni hlm pdg pme rer rib rtt smic svp tgv tva",
    "into_place": r"\b(?:à|en|au|aux|de|vers|depuis) $",
    "name_cues": r"""(?:s['’]appelle|nommée?|appelée?|M\.|Mme|Mlle) [\"“«'‘(]*$""",
    "subject_verbs": "est a habite vit travaille",
    # importance
    "identity": """appelle habite né née allergique allergie anniversaire téléphone marié mariée fils fille mère père
        épouse médecin préfère""",
    "wanted": "aime adore déteste veux besoin toujours jamais",
    "decided": "décidé promis délai acheté déménagé",
    "feeling": "furieux furieuse fier fière",
    "timely": "hier aujourd'hui demain semaine mois année janvier février mars avril juin juillet octobre",
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
    "events": """allé allée acheté commencé décidé trouvé reçu rencontré perdu vendu visité gagné déménagé écrit
        construit appris terminé quitté rejoint""",
    "no_content": """absolument bien bonjour bravo chouette désolé désolée exactement félicitations génial merci parfait
        ravi ravie salut super sympa sûr vrai vraiment""",
    "filler": r"(?:bonjour|salut|ok(?:ay)?|merci|bon|alors|oui|non|bien sûr|super)\b[^.!?]{0,24}[.!?,]*$",
    "vague_opening": r"\W*(?:(?:bon|oui|non|et|mais|aussi|alors),?\s+)*(?:il|elle|ils|elles|ça|cela|ceci|c['’]est|tu)",
    "lasting": r"""(?:Je suis|(?:[Mm](?:on|a) \w+|[A-ZÀÉÈÎÔ][\w-]+) est) (?:\w+ )?(?:allergique (?:à|aux?) \w|végane?\b
        |végétarien(?:ne)?\b|diabétique\b|gauch(?:er|ère)\b|daltonien(?:ne)?\b|retraitée?\b)|[Mm](?:on
        |a) (?:chien(?:ne)?|chat(?:te)?|fils|fille|femme|mari|sœur|frère|mère|père) s['’]appelle [A-ZÀÉÈÎÔ]\w""",
    "elsewhere": "ce|cet|cette|ces|cela|ça|ceci|ici|là|tu|toi|te|ton|ta|tes",
    "advice": r"""(?:tu peux|vous pouvez|tu devrais|vous devriez)|essaie[sz]?|essayez|assure[sz]?[- ](?:toi|vous)
        |n['’]oublie[sz]? pas|je (?:te|vous) (?:recommande|conseille|suggère)|par exemple|voici|conseils?
        |en tant qu['’]ia|modèle de langage|^\W*(?:\d+[.)]|\*\*)""",
    "idle_talk": "absolument bonjour bravo désolé exactement félicitations génial merci parfait salut super",
    "about_saying": """disais disait mentionné souviens souvient rappelle mémoire noté notes avant déjà exact correct
        sais selon""",
    "asking": """raconte sais résumé décris aperçu quelque dernier dernière derniers dernières récent récemment actuel
        actuelle actuellement maintenant""",
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
    "amount_nouns": "pages personnes heures minutes pouces",
    # questions
    "myself": "je j me m moi mon ma mes",
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
    "outdated": r"(?:est|sont) (?:du passé|de l['’]histoire ancienne|obsolètes?|périmée?s?)|n['’]est plus valable",
    "instead_of": "au lieu d(?:e |u |['’])|plutôt que",
    "which_owned": r"""quel(?:le)?s? (?P<noun>\w[\w -]*?) (?:(?:ai-je|est-ce que j['’](?:ai|utilise))
        |(?P<ours>avons-nous
        |utilisons-nous)|est-ce que (?P<one>nous|[A-ZÉ]\w+) (?:avons|utilisons|a|utilise|conduit))""",
    "what_is_mine": "Quel est mon {noun} ?",
    "what_is_theirs": "Quel est {noun} de {one} ?",
    "idle_in_changes": """dose|début|fin|mi|week-end|rendez-vous|lieu|heure|tous|toutes|pardon|non|fait|plutôt
        |semaine|mois
        |monsieur|madame|rien""",
    "stated_words": "j['’](?:ai|avais) (?:dit|écrit)",
}
