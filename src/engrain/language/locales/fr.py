"""French: the words that mark change and correction."""

from __future__ import annotations

from engrain.language.locales.locale import Locale

FRENCH = Locale(
    code="fr",
    snowball="french",
    articles=frozenset("le la les l' un une des du d' de".split()),
    copulas=frozenset("est sont suis".split()),
    first_person=frozenset(["je", "j'"]),
    first_possessive=frozenset("mon ma mes".split()),
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
)
