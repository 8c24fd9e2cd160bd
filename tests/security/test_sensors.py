"""What the built-in sensors know of secrets and of personal data, and what they leave alone."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.security.admission import Credentials, PersonalData

KEY = "AKIA" + "IOSFODNN7EXAMPLE"  # in two parts, so that nobody's own search for secrets stops here
GITHUB = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
TOKEN = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
BLOCK = "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEpAIBAAK\nqwer\n-----END RSA PRIVATE KEY-----"


def found(sensor: Credentials | PersonalData, text: str) -> set[str]:
    return {text[one.start : one.end] for one in sensor.findings(text)}


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"The key is {KEY}, use it.", KEY),
        (f"token {GITHUB} for the robot", GITHUB),
        (f"It sent {TOKEN}.", TOKEN),
        (f"Here:\n{BLOCK}\nthanks", BLOCK),
        (BLOCK[:60], BLOCK[:60]),
        ("see postgres://bob:s3cr3tpw@db.example.com/x", "s3cr3tpw"),
        ("api_key: abcd1234efgh", "abcd1234efgh"),
        ('{"password": "hunter2"}', "hunter2"),
        ("the wifi password is hunter2.", "hunter2"),
        ("Das Passwort lautet Sommer2024!", "Sommer2024!"),
    ],
)
def test_secrets_are_found_whole(text: str, secret: str) -> None:
    assert secret in found(Credentials(), text)


@pytest.mark.parametrize(
    "text",
    [
        "The password is required for the login page",
        "Ana forgot her password and was cross",
        "Our token of thanks: a cake",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b fixed it",
        "See https://example.org/a/b?c=d and call Bo on Tuesday",
    ],
)
def test_ordinary_texts_hold_no_secret(text: str) -> None:
    assert found(Credentials(), text) == set()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("mail ana.b+x@mail.example.co.uk today", "ana.b+x@mail.example.co.uk"),
        ("call +44 20 8366 1177 tomorrow", "+44 20 8366 1177"),
        ("call (212) 555-0187 tomorrow", "(212) 555-0187"),
        ("card 4111 1111 1111 1111 please", "4111 1111 1111 1111"),
        ("pay to GB82 WEST 1234 5698 7654 32 please", "GB82 WEST 1234 5698 7654 32"),
        ("SSN 078-05-1120", "078-05-1120"),
    ],
)
def test_personal_data_is_found(text: str, part: str) -> None:
    assert found(PersonalData(), text) == {part}


@pytest.mark.parametrize(
    "text",
    [
        "Release 2024-05-06 12:30 of version 10.4.2 took 1234567 ms",
        "card 4111 1111 1111 1112 is none",
        "order 1234567890123",
        "Ana met Bo @ noon in Rome",
        "the build 20240506123000 passed",
    ],
)
def test_other_numbers_are_left_alone(text: str) -> None:
    assert found(PersonalData(), text) == set()


def test_a_region_of_ones_own_is_read() -> None:
    assert found(PersonalData(regions=("DE",)), "ruf 030 901820 an") == {"030 901820"}


def test_long_and_odd_texts_take_no_time_worth_naming() -> None:
    for text in ("a" * 200_000, "password " * 20_000, "1 " * 100_000, "@" * 50_000, "-----BEGIN " * 10_000):
        Credentials().findings(text[:50_000])
        PersonalData().findings(text[:50_000])


def test_both_policies_work_together() -> None:
    settings = Settings(worker="none", secrets="redact", personal_data="redact")
    with MemoryManager(":memory:", embedder=None, settings=settings) as memory:
        said = memory.remember(
            f"Ana (ana@example.com) uses {KEY}", metadata={"password": "hunter", "card": 4111111111111111}
        )
        assert said.memory is not None
        assert said.memory.content == "Ana ([redacted: email address]) uses [redacted: aws access key]"
        assert dict(said.memory.metadata) == {"password": "[redacted: password]", "card": "[redacted: card number]"}
        assert memory.remember("the password: hunter22").memory.content == "the password: [redacted: password]"
        assert memory.remember("the password: [redacted: password]").status == "noop"
