"""Personal data in a text: how somebody is reached, paid or numbered, where a check says that it is no other number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.libraries import library, require
from recollect.patterns import pattern
from recollect.sensordoor import Finding

_EMAIL = pattern(r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_CARD = pattern(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = pattern(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b", re.IGNORECASE)
_SOCIAL = pattern(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_DIGIT = pattern(r"\d")
_LEAST_DIGITS = 7  # of a telephone number
_NO_SOCIAL = ("000", "666", "9")


class PersonalData:
    """Finds addresses of e-mail, telephone numbers, numbers of cards and accounts, and US social security numbers.

    A telephone number without its country's code is looked for as in `regions` (ISO 3166 codes); one with it always.
    """

    def __init__(self, *, regions: Sequence[str] = ("US",)) -> None:
        for name in ("phonenumbers", "stdnum"):
            require(name, extra="personal-data")
        self._regions = tuple(regions) or (None,)

    def findings(self, text: str) -> Sequence[Finding]:
        """Return what of a text is personal data."""
        found = [Finding("email address", *one.span()) for one in _EMAIL.finditer(text)] if "@" in text else []
        if len(_DIGIT.findall(text)) < _LEAST_DIGITS:
            return found
        found += _numbers(text)
        taken = [(one.start, one.end) for one in found]
        phones = (
            one for one in self._phones(text) if not any(one.start < end and start < one.end for start, end in taken)
        )
        return [*found, *phones]

    def _phones(self, text: str) -> Iterator[Finding]:
        phonenumbers = library("phonenumbers", extra="personal-data")
        for region in self._regions:
            for match in phonenumbers.PhoneNumberMatcher(text, region):
                yield Finding("phone number", match.start, match.end)


def _numbers(text: str) -> Iterator[Finding]:
    luhn = library("stdnum.luhn", extra="personal-data")
    iban = library("stdnum.iban", extra="personal-data")
    for one in _CARD.finditer(text):
        digits = "".join(_DIGIT.findall(one[0]))
        if digits[0] in "23456" and luhn.is_valid(digits):
            yield Finding("card number", *one.span())
    for one in _IBAN.finditer(text):
        end = next((end for end in _ends(one[0]) if iban.is_valid(one[0][:end])), None)
        if end is not None:
            yield Finding("account number", one.start(), one.start() + end)
    for one in _SOCIAL.finditer(text):
        if not one[0].startswith(_NO_SOCIAL) and "-00-" not in one[0] and not one[0].endswith("-0000"):
            yield Finding("social security number", *one.span())


def _ends(text: str) -> Iterator[int]:
    """Yield where a number of an account may end: at its end, or before a word that only looks like a part of it."""
    yield len(text)
    yield from (at for at in range(len(text) - 1, 14, -1) if text[at] == " ")
