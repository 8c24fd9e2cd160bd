"""A request that bears a name: by what it is known in the store, and what becomes of one that is sent again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from engrain.errors import RequestRepeated
from engrain.model.filters import Condition, Test
from engrain.model.memory import AuditEntry
from engrain.security.audit import ERASE
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import AnswerRow, Head
from engrain.text import digest

_PRUNED = 100  # rows that are removed in passing
_NAMED = 1000  # ids that a refusal names
ENDED = 0
"""The status of a request that ended without an answer, though something was changed."""


class Answer(NamedTuple):
    """What a request was answered with."""

    status: int
    body: str


class Term(NamedTuple):
    """For how long answers are kept, and for how long a request is taken to be under way after its last write."""

    keep: timedelta
    lease: timedelta


class Key(NamedTuple):
    """Whose request it is and what they call it.

    The name is a digest: a caller may have put something into it that is nobody else's. It has no salt, since it is by
    the name that the row is found.
    """

    org: str
    caller: str
    name: str

    @property
    def tests(self) -> list[Condition]:
        """What its row passes."""
        return [Test(column, "eq", value) for column, value in zip(self._fields, self, strict=True)]


@dataclass(frozen=True, slots=True)
class Request:
    """One sending of a request.

    What was asked is known by a digest under a salt of its own, as it may hold the text of a memory: nobody can compare
    it with another request's, and an erasure takes it. The salt also tells whoever carries it out from anybody else.
    """

    key: Key
    salt: str
    asked: str

    def row(self, at: datetime) -> AnswerRow:
        """Return its row as it is put first."""
        return AnswerRow(*self.key, self.salt, self.asked, at)

    def asks(self, request: bytes) -> bool:
        """Say whether this is what it asks."""
        return self.asked == asked(self.salt, request)


def sent(org: str, caller: str, name: str, request: bytes) -> Request:
    """Return a request as it was sent just now."""
    key = Key(org, caller, digest(org, caller, name))
    salt = os.urandom(16).hex()
    return Request(key, salt, asked(salt, request))


def asked(salt: str, request: bytes) -> str:
    """Return the digest of what is asked."""
    return hashlib.sha256(salt.encode() + b"\0" + request).hexdigest()


def standing(reader: Reader, org: str) -> int:
    """Return the number of the last entry of an org's audit trail."""
    heads = reader.find(Head, [Test("org", "eq", org)], order="org")
    return heads[0].seq if heads else 0


def held(reader: Reader, key: Key, oldest: datetime) -> AnswerRow | None:
    """Return the row of a request, None where there is none that is written since `oldest`."""
    found = reader.find(AnswerRow, key.tests, order="at")
    return found[0] if found and found[0].at > oldest else None


def refusal(reader: Reader, row: AnswerRow, now: datetime, lease: timedelta) -> RequestRepeated:
    """Return why a request is not carried out whose row is another's: it has an answer by now, or has it no longer."""
    left = row.at + lease - now
    if row.body is not None:
        return in_flight()
    if row.status is None and left > timedelta(0):
        return in_flight(left.total_seconds())
    changed = tuple(dict.fromkeys(_changed(reader, row)))[:_NAMED]
    return RequestRepeated(
        "this request was carried out, or begun, before, and its answer is not held: look at what it changed, and send "
        "what is missing under another name",
        code="DONE",
        changed=changed,
    )


def in_flight(seconds: float = 1.0) -> RequestRepeated:
    """Return the refusal of a request that somebody is carrying out."""
    return RequestRepeated(
        "this request is being carried out at this moment: send it again later, under the same name, for its answer",
        code="IN_FLIGHT",
        retry_after=seconds,
    )


def another() -> RequestRepeated:
    """Return the refusal of a request under the name of another."""
    return RequestRepeated(
        "another request was sent under this name: give each request a name of its own", code="OTHER_REQUEST"
    )


def pruned(transaction: Transaction, org: str, oldest: datetime) -> None:
    """Remove some of the rows of an org that are kept no longer."""
    past: list[Condition] = [Test("org", "eq", org), Test("at", "le", oldest)]
    found = transaction.find(AnswerRow, past, order="at", limit=_PRUNED)
    if found:
        transaction.delete(AnswerRow, [*past, Test("name", "in", tuple(row.name for row in found))])


# ------------------------------------------------------------------------------------- entries of the audit trail


@dataclass(slots=True)
class Ranges:
    """Entries of an audit trail, as first and last numbers; in a row `12-15,20-20`."""

    spans: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def read(cls, text: str) -> Ranges:
        """Read what a row holds."""
        parts = (span.split("-") for span in text.split(",") if span)
        return cls([(int(first), int(last)) for first, last in parts])

    def __str__(self) -> str:
        return ",".join(f"{first}-{last}" for first, last in self.spans)

    def add(self, numbers: Sequence[int]) -> None:
        """Take in the entries of one more transaction, which are later than all before."""
        for number in numbers:
            if self.spans and self.spans[-1][1] == number - 1:
                self.spans[-1] = self.spans[-1][0], number
            else:
                self.spans.append((number, number))

    def gaps(self, after: int) -> Iterator[tuple[int, int | None]]:
        """Yield the entries between and behind them, from `after` on; None is no end."""
        ends: list[tuple[int, int | None]] = [(after, after), *self.spans, (0, None)]
        for (_, last), (first, _) in pairwise(ends):
            yield (last or 0) + 1, first - 1 if first else None


def erased_meanwhile(reader: Reader, org: str, since: int, own: Ranges) -> bool:
    """Say whether anybody else has erased something in an org: an answer may hold what is gone."""
    of: list[Condition] = [Test("org", "eq", org), Test("operation", "eq", ERASE)]
    for first, last in own.gaps(since):
        upto = [] if last is None else [Test("seq", "le", last)]
        if reader.find(AuditEntry, [*of, Test("seq", "ge", first), *upto], order="seq", limit=1):
            return True
    return False


def _changed(reader: Reader, row: AnswerRow) -> Iterator[str]:
    """Yield what a request changed, as far as the audit trail knows."""
    for first, last in Ranges.read(row.entries).spans:
        span = [Test("org", "eq", row.org), Test("seq", "ge", first), Test("seq", "le", last)]
        yield from (entry.memory_id for entry in reader.find(AuditEntry, span, order="seq", limit=_NAMED))
