"""German: the words that mark change and correction."""

from __future__ import annotations

from engrain.language.locales.locale import Locale

GERMAN = Locale(
    code="de",
    snowball="german",
    articles=frozenset("der die das den dem des ein eine einen einem einer".split()),
    copulas=frozenset("ist sind bin bist".split()),
    first_person=frozenset(["ich"]),
    first_possessive=frozenset("mein meine".split()),
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
)
