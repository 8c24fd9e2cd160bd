"""Histories made up from a seed: what changed about whom on which day, told in many ways, in order or late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from engrain.evaluation.phrasings import OPENERS, PHRASINGS, Phrasings
from engrain.evaluation.populations import CITIES, Coiner

GIVEN, STATED, CHANGED, ENDED, CORRECTED = "fact given", "plain", "change", "end", "correction"
_BEGINS = datetime(2016, 1, 1, tzinfo=UTC)
_TITLES = "accountant,baker,carpenter,designer,editor,gardener,lawyer,librarian,nurse,painter,surveyor,welder".split(
    ","
)
_STATES = "active,archived,blocked,cancelled,delayed,done,open,paused,planned,rejected".split(",")
_OF_PEOPLE = frozenset("lives_in works_at job_title age email phone name timezone".split())


@dataclass(frozen=True, slots=True)
class Version:
    """One thing told of a history. `value` is None where it ended; `wrong` is put right by the next version.

    `phrase` is the sentence with its gaps, `told` what kind of sentence it is.
    """

    item: Mapping[str, Any]
    value: str | None
    begins: datetime
    told: str
    phrase: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """A time inside an interval of a history, and the number of the version that is right then."""

    at: datetime
    version: int


@dataclass(slots=True)
class History:
    """What is true of one subject and predicate, version by version in event time; `late` is the one told last."""

    id: str
    subject: str
    predicate: str
    given: bool
    versions: list[Version] = field(default_factory=list)
    late: int | None = None

    def told(self) -> list[int]:
        """Return the numbers of the versions in the order in which they are told."""
        order = [number for number in range(len(self.versions)) if number != self.late]
        return order if self.late is None else [*order, self.late]

    def moments(self) -> list[Moment]:
        """Return a time inside each interval; what was put right counts as never said."""
        right = [number for number, version in enumerate(self.versions) if not version.wrong]
        ends = [*(self.versions[number].begins for number in right[1:]), _after(self.versions[-1].begins, 200)]
        return [
            Moment(self.versions[number].begins + (end - self.versions[number].begins) / 2, number)
            for number, end in zip(right, ends, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Telling:
    """A statement in the order in which it is written; `history` is None for one that says nothing of any."""

    item: Mapping[str, Any]
    history: History | None = None
    version: int = -1


def tellings(count: int, seed: int) -> tuple[list[History], list[Telling]]:
    """Return `count` histories and what is written: all of their versions, mixed with what sounds alike."""
    rng = Random(seed)
    coin = Coiner(rng)
    histories = [_Teller(rng, coin, number).history() for number in range(count)]
    on_time = [(h.versions[n].begins, h, n) for h in histories for n in h.told() if n != h.late]
    said = [Telling(h.versions[n].item, h, n) for _, h, n in sorted(on_time, key=lambda row: (row[0], row[2]))]
    for history in histories:
        for _ in range(2):
            said.insert(rng.randrange(len(said) + 1), Telling(_alike(rng, coin, history)))
    late = [Telling(h.versions[h.late].item, h, h.late) for h in histories if h.late is not None]
    rng.shuffle(late)
    return histories, [*said, *late]


def _after(time: datetime, days: int) -> datetime:
    return time + timedelta(days=days)


def _alike(rng: Random, coin: Coiner, history: History) -> Mapping[str, Any]:
    """Return a statement of the same subject that a careless reader would take for a version."""
    text = rng.choice(PHRASINGS[history.predicate].alike)
    content = text.format(s=history.subject, o=_value(history.predicate, rng, coin, 60))
    return {"kind": "semantic", "content": content, "valid_from": _after(_BEGINS, rng.randrange(3000))}


def _value(predicate: str, rng: Random, coin: Coiner, number: int) -> str:
    """Return a value; ages and versions grow with the number."""
    return _VALUES[predicate](rng, coin, number)


_VALUES: Mapping[str, Callable[[Random, Coiner, int], str]] = {
    "lives_in": lambda rng, coin, number: rng.choice(CITIES),
    "works_at": lambda rng, coin, number: f"{coin.word()} {rng.choice(['Labs', 'Foods', 'Press', 'Bank'])}",
    "job_title": lambda rng, coin, number: rng.choice(_TITLES),
    "age": lambda rng, coin, number: str(31 + number),
    "email": lambda rng, coin, number: f"{coin.word().lower()}@{coin.word().lower()}.org",
    "phone": lambda rng, coin, number: f"+44 20 555 {rng.randrange(1000, 9999)}",
    "name": lambda rng, coin, number: coin.person(),
    "status": lambda rng, coin, number: rng.choice(_STATES),
    "version": lambda rng, coin, number: f"{2 + number}.{rng.randrange(12)}",
    "owner": lambda rng, coin, number: coin.person(),
    "ceo": lambda rng, coin, number: coin.person(),
    "timezone": lambda rng, coin, number: rng.choice(["UTC", "CET", "EST", "PST", "JST", "UTC+3", "UTC-5", "UTC+8"]),
}


class _Teller:
    """Makes one history: who, what, when, and in which words."""

    def __init__(self, rng: Random, coin: Coiner, number: int) -> None:
        self._rng, self._coin = rng, coin
        predicate = list(PHRASINGS)[number % len(PHRASINGS)]
        self._ways: Phrasings = PHRASINGS[predicate]
        self._mine = bool(self._ways.mine) and rng.random() < 0.3
        self._history = History(f"h{number}", self._subject(predicate), predicate, given=rng.random() < 0.35)

    def history(self) -> History:
        """Return a history of two to six changes, perhaps with one thing told late, put right or ended."""
        history, rng = self._history, self._rng
        count, at = rng.randint(3, 7), _after(_BEGINS, rng.randrange(300))
        twist = rng.choice(["", "", "late", CORRECTED, ENDED if self._ways.ends else ""])
        turn = rng.randrange(1, count if twist == CORRECTED else count - 1)
        for number in range(count):
            if twist == CORRECTED and number == turn:
                self._add(self._next(number), at, wrong=True)
                # Without a date it is said of now, which is so of the last version only.
                self._add(self._next(number), at, corrects=True, dated=number < count - 1)
            else:
                self._add(self._next(number), at)
            at = _after(at, rng.randrange(60, 400))
        if twist == "late":
            history.late = turn
        if twist == ENDED:
            self._end(at)
        return history

    def _subject(self, predicate: str) -> str:
        if predicate in _OF_PEOPLE:
            return self._coin.person()
        name = self._coin.word(3)
        return {"status": f"Project {name}", "ceo": f"{name} Holding"}.get(predicate, name)

    def _next(self, number: int) -> str:
        """Return a value that this history has not had."""
        had = {version.value for version in self._history.versions}
        while (value := _value(self._history.predicate, self._rng, self._coin, number)) in had:
            number += 1
        return value

    def _add(
        self, value: str, at: datetime, *, wrong: bool = False, corrects: bool = False, dated: bool = True
    ) -> None:
        """Tell a value: the first and what is put right in plain words, the others plainly or as a change."""
        versions, rng = self._history.versions, self._rng
        changed = bool(versions) and not corrects and rng.random() < 0.65
        plain, change = (
            (self._ways.mine, self._ways.my_change) if self._mine else (self._ways.states, self._ways.changes)
        )
        phrase = rng.choice(change if changed else plain)
        if corrects:
            phrase = _led(rng.choice(OPENERS), phrase)
        told = CORRECTED if corrects else CHANGED if changed else STATED
        content = phrase.format(s=self._history.subject, o=value, was=versions[-1].value if versions else "")
        item = self._item(content, at)
        if self._history.given:
            item["fact"] = (self._history.subject, self._history.predicate, value)
            told = f"{told}, {GIVEN}"
        if not dated:
            del item["valid_from"]
        versions.append(Version(item, value, at, told, phrase, wrong))

    def _end(self, at: datetime) -> None:
        phrase = self._rng.choice(self._ways.ends)
        content = phrase.format(s=self._history.subject, was=self._history.versions[-1].value)
        self._history.versions.append(Version(self._item(content, at), None, at, ENDED, phrase))

    def _item(self, content: str, at: datetime) -> dict[str, Any]:
        told = {"history": self._history.id, "version": len(self._history.versions)}
        item: dict[str, Any] = {"kind": "semantic", "content": content, "valid_from": at, "metadata": told}
        return {**item, "actor": self._history.subject} if self._mine else item


def _led(opener: str, phrase: str) -> str:
    """Return a plain statement behind an opener, its first word small unless it is a name or "I"."""
    small = phrase[0].lower() + phrase[1:] if phrase.startswith(("The ", "My ")) else phrase
    return opener.format(plain=small)
