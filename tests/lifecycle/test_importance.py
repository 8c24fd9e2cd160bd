"""What a text is worth by what it says, in four languages and in texts that are none."""

from __future__ import annotations

import pytest

from engrain.language.cues import BANDS, importance
from engrain.language.tokens import content_pairs
from engrain.model.memory import Memory

BAND = {
    "critical": (BANDS[2], 1.0),
    "notable": (BANDS[1], BANDS[2]),
    "routine": (BANDS[0], BANDS[1]),
    "trivial": (0, 0.2),
}


def band(text: str) -> str:
    """Return the band of a text's importance."""
    score = importance(text, content_pairs(text))
    return next(name for name, (least, most) in BAND.items() if least <= score < most or score == most == 1.0)


WHO_AND_WHAT = [
    "My name is Alex and I am allergic to penicillin",
    "The user's preferred name is Alex.",
    "My account ID is 48213-A",
    "Account number: 88213",
    "I prefer dark mode over light mode",
    "My favorite color is green",
    "Please always answer in German.",
    "The user is allergic to peanuts.",
    "Ana's phone number is 555 0199",
    "I'm vegan.",
    "Ich heiße Alex und bin gegen Penicillin allergisch",
    "Mein Name ist Jonas",
    "Ich bevorzuge dunkles Design",
    "Meine Lieblingsfarbe ist Grün",
    "Me llamo Alex y soy alérgico a la penicilina",
    "Mi nombre es Lucía",
    "Prefiero el té verde",
    "Je m'appelle Alex et je suis allergique à la pénicilline",
    "Mon nom est Claire",
    "Je préfère le mode sombre",
]
SAID_IN_PASSING = [
    "ok thanks",
    "Hello, how are you?",
    "hmm",
    "😂😂",
    "Good morning!",
    "Guten Morgen!",
    "Vielen Dank",
    "¡Hola! ¿Qué tal?",
    "Muchas gracias",
    "Bonjour, merci beaucoup !",
    "Salut, ça va ?",
    "What did you do?",
    "That's awesome, you're doing great! Keep it up!",
]
IN_DETAIL = [
    "We discussed moving the billing service to Postgres 16 in detail, with the cutover on 3 March by Priya.",
    "The report covers revenue in the Nordic region, where Maersk and Equinor signed contracts in June.",
    "I signed the lease for the flat in Porto last week.",
]


@pytest.mark.parametrize("text", WHO_AND_WHAT)
def test_identity_and_plain_wishes_are_critical(text: str) -> None:
    assert band(text) == "critical"


@pytest.mark.parametrize("text", SAID_IN_PASSING)
def test_small_talk_is_trivial(text: str) -> None:
    assert band(text) == "trivial"


@pytest.mark.parametrize("text", IN_DETAIL)
def test_a_topic_in_detail_is_notable(text: str) -> None:
    assert band(text) == "notable"


@pytest.mark.parametrize(
    "text",
    [
        "Hi, how was your weekend? Nice weather today!",
        "2024-01-01 12:00:00 ERROR db.pool timeout after 30s",
        "def name(self): return self.user.name",
        "The file name is config.yaml",
        "What is my name?",
        "Are you allergic to nuts?",
        "Die Katze schläft",
        "Ana drinks tea",
    ],
)
def test_questions_small_talk_code_and_logs_are_routine_at_most(text: str) -> None:
    assert band(text) in ("routine", "trivial")


def test_an_explanation_is_worth_less_than_the_same_of_oneself() -> None:
    said = "a good way to plant the tomatoes in the spring is to put the seeds in warm soil by the window "
    explained, own = said * 6, "I found my way: " + said * 6 + " and I told my sister, we love our garden"
    assert importance(explained, content_pairs(explained)) < importance(own, content_pairs(own))


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "my name is " * 90_000, '{"a": [1, 2]}\n' * 70_000, "my 's" * 200_000]
)
def test_a_long_text_is_rated_by_its_beginning(text: str) -> None:
    assert importance(text, content_pairs(text[:20_000])) == pytest.approx(
        importance(text[:1000], content_pairs(text[:1000])), abs=0.02
    )


def test_bands_are_those_of_a_memory() -> None:
    for name, (least, _) in BAND.items():
        assert Memory.band.fget(type("M", (), {"importance": least})) == name  # type: ignore[attr-defined]
