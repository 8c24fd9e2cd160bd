"""Secrets in a text: keys, tokens and passwords, found by a library's shapes and a few of our own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from recollect.libraries import library, require
from recollect.patterns import pattern
from recollect.sensordoor import Finding

_PLUGINS = tuple(
    "artifactory aws azure_storage_key basic_auth cloudant discord github_token gitlab_token ibm_cloud_iam "
    "ibm_cos_hmac jwt mailchimp npm openai private_key pypi_token sendgrid slack softlayer square_oauth stripe "
    "telegram_token twilio".split()
)
_LONGEST = 5_000  # characters of a line that are looked at together: the library's expressions backtrack
_KEY_BLOCK = pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_TOKEN = pattern(r"[\w\-+/=.~]")
_OWN = (
    ("api key", pattern(r"\b(?:AIza[\w\-]{35}|sk-ant-[\w\-]{20,200}|gsk_\w{20,100}|hf_\w{30,60})")),
    (
        "github token",
        pattern(r"\b(?:gh[pousr]_\w{20,255}|github_pat_\w{20,255})"),
    ),
)
_NAME = (
    r"\b(?:\w{0,40}[_-])?(?:password|passwd|passphrase|passcode|pwd|secret|token|api[ _-]?key|access[ _-]?key"
    r"|secret[ _-]?key|private[ _-]?key|credentials?|passwort|kennwort|contraseña|mot de passe)"
)
_GIVEN = pattern(rf"{_NAME}[\"']?\s{{0,3}}(?::|=>?|:=)\s{{0,3}}[\"']?([^\s\"',;]{{4,500}})", re.IGNORECASE)
_SAID = pattern(
    rf"{_NAME}(?: (?:for|of|to|on|at|zum?|für|de|pour|para) [\w .'-]{{1,40}}?)? (?:is|was|ist|lautet|es|est)"
    r"(?: now| set to)? [\"'“]?([^\s\"'”]{4,500})",
    re.IGNORECASE,
)
_TELLING = pattern(r"[\d!@#$%^&*+=_~]")


@lru_cache(1)
def _shapes() -> tuple[tuple[str, Any], ...]:
    """Return the library's plugins by the kind of secret that each knows."""
    shapes: list[tuple[str, Any]] = []
    for name in _PLUGINS:
        module = library(f"detect_secrets.plugins.{name}", extra="secrets")
        own = (each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__)
        shapes += ((str(each.secret_type).lower(), each()) for each in own if hasattr(each, "secret_type"))
    return tuple(shapes)


class Credentials:
    """Finds keys and tokens of known services, private keys, and what is given or said as a password."""

    def __init__(self) -> None:
        require("detect_secrets", extra="secrets")

    def findings(self, text: str) -> Sequence[Finding]:
        """Return the secrets in a text, each whole: what a library knows only by its beginning is taken to its end."""
        found = list(_key_blocks(text))
        start = 0
        for line in text.splitlines(keepends=True):
            for at in range(0, len(line), _LONGEST):
                found += _in_line(line[at : at + _LONGEST + 500], start + at)
            start += len(line)
        for kind, shape in _OWN:
            found += (Finding(kind, *one.span()) for one in shape.finditer(text))
        found += (Finding("password", *one.span(1)) for one in _GIVEN.finditer(text))
        found += (Finding("password", *one.span(1)) for one in _SAID.finditer(text) if _TELLING.search(one[1]))
        return [each if each.kind != "password" else _trimmed(text, each) for each in found]


def _in_line(line: str, offset: int) -> Iterator[Finding]:
    for kind, plugin in _shapes():
        for secret in {str(one) for one in plugin.analyze_string(line) if one}:
            at = line.find(secret)
            while at >= 0 and kind != "private key":
                start, end = _whole(line, at, at + len(secret), leftwards=len(secret) < 8)
                yield Finding(kind, offset + start, offset + end)
                at = line.find(secret, max(end, at + 1))


def _whole(line: str, start: int, end: int, *, leftwards: bool) -> tuple[int, int]:
    """Return the span of the whole token that a found part belongs to."""
    while end < len(line) and _TOKEN.match(line[end]):
        end += 1
    while leftwards and start > 0 and _TOKEN.match(line[start - 1]):
        start -= 1
    while end > start + 1 and line[end - 1] == ".":
        end -= 1
    return start, end


def _key_blocks(text: str) -> Iterator[Finding]:
    """Yield private keys from their first line to their last, or to the end of the text where that is cut off."""
    for opening in _KEY_BLOCK.finditer(text):
        closing = _KEY_END.search(text, opening.end())
        yield Finding("private key", opening.start(), closing.end() if closing else len(text))


def _trimmed(text: str, found: Finding) -> Finding:
    end = found.end
    while end > found.start + 1 and text[end - 1] in ".)]}>":
        end -= 1
    return Finding(found.kind, found.start, end)
