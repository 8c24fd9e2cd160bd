"""The slot of a fact: subject, predicate and object in the form in which two facts are compared."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.longkeys import key_of
from recollect.models import Fact
from recollect.patterns import pattern
from recollect.text import normalise

_ARTICLE = pattern(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_EDGES = " \t\n.,;:!?\"'"
_SAME_PREDICATE = {
    "resides_in": "lives_in",
    "residence": "lives_in",
    "based_in": "located_in",
    "location": "located_in",
    "works_for": "works_at",
    "employed_by": "works_at",
    "employed_at": "works_at",
    "employer": "works_at",
    "job": "job_title",
    "occupation": "job_title",
    "owned_by": "owner",
    "e_mail": "email",
    "email_address": "email",
    "phone_number": "phone",
    "telephone": "phone",
    "time_zone": "timezone",
    "spouse": "married_to",
    "date_of_birth": "birthday",
}


class Slot(NamedTuple):
    """A fact's three parts as they are compared; two facts with equal `subject` and `predicate` share a slot."""

    subject: str
    predicate: str
    object: str


def slot(fact: Fact) -> Slot:
    """Return the slot of a fact."""
    return Slot(*map(key_of, (compared(fact.subject), predicate(fact.predicate), compared(fact.object))))


def compared(part: str) -> str:
    """Return a subject or an object as it is compared: normalised, without a leading article or marks at its edges."""
    bare = part.strip(_EDGES)
    return normalise(_ARTICLE.sub("", bare, count=1) if _ARTICLE.match(bare) else bare) or normalise(part)


def predicate(name: str) -> str:
    """Return a predicate as it is compared: small letters, joined by underscores, under its usual name."""
    bare = re.sub(r"[\W_]+", "_", normalise(name)).strip("_") or normalise(name)
    return _SAME_PREDICATE.get(bare, bare)
