"""Made-up histories of facts that change, and what a store makes of them: which changes it finds, what it answers.

Histories come from a seed: what changes of whom on which day, phrased in many ways, written in order or late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from benchmarks.statements import CITIES, PHRASES, Clash, UniqueNames, lines_of
from engrain import Fact, Memory, MemoryManager, Remembered

GIVEN, STATED, CHANGED, ENDED, CORRECTED = "fact given", "plain", "change", "end", "correction"
_CORRECTIONS = lines_of(PHRASES["corrections"])
_PREDICATES: Mapping[str, Mapping[str, list[str]]] = {
    predicate: {name: lines_of(text) for name, text in phrases.items()}
    for predicate, phrases in PHRASES["predicates"].items()
}
_BEGINS = datetime(2016, 1, 1, tzinfo=UTC)
_TITLES = "accountant,baker,carpenter,designer,editor,gardener,lawyer,librarian,nurse,painter,surveyor,welder".split(
    ","
)
_STATES = "active,archived,blocked,cancelled,delayed,done,open,paused,planned,rejected".split(",")
_OF_PEOPLE = frozenset("lives_in works_at job_title age email phone name timezone".split())


@dataclass(frozen=True, slots=True)
class Version:
    """One statement of a history. `value` is None where the fact ends; a `wrong` one is corrected by the next version.

    `phrase` is the sentence with its gaps, `form` what kind of sentence it is.
    """

    item: Mapping[str, Any]
    value: str | None
    begins: datetime
    form: str
    phrase: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """A time inside an interval of a history, and the number of the version that is right then."""

    at: datetime
    version: int


@dataclass(slots=True)
class History:
    """The versions of one subject and predicate in event time; the version `late` is written after all others."""

    id: str
    subject: str
    predicate: str
    given: bool
    versions: list[Version] = field(default_factory=list)
    late: int | None = None

    @property
    def write_order(self) -> list[int]:
        """The numbers of the versions in the order in which they are written."""
        order = [number for number in range(len(self.versions)) if number != self.late]
        return order if self.late is None else [*order, self.late]

    def moments(self) -> list[Moment]:
        """Return a time inside each interval; what is corrected later counts as never stated."""
        right = [number for number, version in enumerate(self.versions) if not version.wrong]
        ends = [*(self.versions[number].begins for number in right[1:]), _after(self.versions[-1].begins, 200)]
        return [
            Moment(self.versions[number].begins + (end - self.versions[number].begins) / 2, number)
            for number, end in zip(right, ends, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class HistoryStatement:
    """A statement to write; `history` is None for one that belongs to none and only sounds alike."""

    item: Mapping[str, Any]
    history: History | None = None
    version: int = -1


def make_histories(count: int, seed: int) -> tuple[list[History], list[HistoryStatement]]:
    """Return `count` histories, and the statements to write: all of their versions, mixed with what sounds alike."""
    rng = Random(seed)
    names = UniqueNames(rng)
    histories = [_HistoryMaker(rng, names, number).history() for number in range(count)]
    on_time = [HistoryStatement(h.versions[n].item, h, n) for h in histories for n in h.write_order if n != h.late]
    statements = sorted(on_time, key=_begins)
    for history in histories:
        for _ in range(2):
            statements.insert(rng.randrange(len(statements) + 1), HistoryStatement(_alike(rng, names, history)))
    late = [HistoryStatement(h.versions[h.late].item, h, h.late) for h in histories if h.late is not None]
    rng.shuffle(late)
    return histories, [*statements, *late]


def _begins(statement: HistoryStatement) -> tuple[datetime, int]:
    assert statement.history is not None
    return statement.history.versions[statement.version].begins, statement.version


def _after(time: datetime, days: int) -> datetime:
    return time + timedelta(days=days)


def _alike(rng: Random, names: UniqueNames, history: History) -> Mapping[str, Any]:
    """Return a statement of the same subject that a careless reader would take for a version."""
    text = rng.choice(_PREDICATES[history.predicate]["alike"])
    content = text.format(s=history.subject, o=_value(history.predicate, rng, names, 60))
    return {"kind": "semantic", "content": content, "valid_from": _after(_BEGINS, rng.randrange(3000))}


def _value(predicate: str, rng: Random, names: UniqueNames, number: int) -> str:
    """Return a value; ages and versions grow with the number."""
    return _VALUES[predicate](rng, names, number)


_VALUES: Mapping[str, Callable[[Random, UniqueNames, int], str]] = {
    "lives_in": lambda rng, names, number: rng.choice(CITIES),
    "works_at": lambda rng, names, number: f"{names.word()} {rng.choice(['Labs', 'Foods', 'Press', 'Bank'])}",
    "job_title": lambda rng, names, number: rng.choice(_TITLES),
    "age": lambda rng, names, number: str(31 + number),
    "email": lambda rng, names, number: f"{names.word().lower()}@{names.word().lower()}.org",
    "phone": lambda rng, names, number: f"+44 20 555 {rng.randrange(1000, 9999)}",
    "name": lambda rng, names, number: names.person(),
    "status": lambda rng, names, number: rng.choice(_STATES),
    "version": lambda rng, names, number: f"{2 + number}.{rng.randrange(12)}",
    "owner": lambda rng, names, number: names.person(),
    "ceo": lambda rng, names, number: names.person(),
    "timezone": lambda rng, names, number: rng.choice(["UTC", "CET", "EST", "PST", "JST", "UTC+3", "UTC-5", "UTC+8"]),
}


class _HistoryMaker:
    """Makes one history: subject, values, times and phrases."""

    def __init__(self, rng: Random, names: UniqueNames, number: int) -> None:
        self._rng, self._names = rng, names
        predicate = list(_PREDICATES)[number % len(_PREDICATES)]
        self._phrases = _PREDICATES[predicate]
        self._mine = "mine" in self._phrases and rng.random() < 0.3
        self._history = History(f"h{number}", self._subject(predicate), predicate, given=rng.random() < 0.35)

    def history(self) -> History:
        """Return a history of two to six changes, perhaps with one version written late, corrected or ended."""
        history, rng = self._history, self._rng
        count, at = rng.randint(3, 7), _after(_BEGINS, rng.randrange(300))
        twist = rng.choice(["", "", "late", CORRECTED, ENDED if "ends" in self._phrases else ""])
        turn = rng.randrange(1, count if twist == CORRECTED else count - 1)
        for number in range(count):
            if twist == CORRECTED and number == turn:
                self._add(self._next(number), at, wrong=True)
                # Without a date a statement is about now, which is right for the last version only.
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
            return self._names.person()
        name = self._names.word(3)
        return {"status": f"Project {name}", "ceo": f"{name} Holding"}.get(predicate, name)

    def _next(self, number: int) -> str:
        """Return a value that this history does not have yet."""
        had = {version.value for version in self._history.versions}
        while (value := _value(self._history.predicate, self._rng, self._names, number)) in had:
            number += 1
        return value

    def _add(
        self, value: str, at: datetime, *, wrong: bool = False, corrects: bool = False, dated: bool = True
    ) -> None:
        """Add a version: the first and a correction plainly, the others plainly or as a change."""
        versions, rng = self._history.versions, self._rng
        changed = bool(versions) and not corrects and rng.random() < 0.65
        names = ("mine", "my_change") if self._mine else ("states", "changes")
        phrase = rng.choice(self._phrases[names[changed]])
        if corrects:
            phrase = _with_opener(rng.choice(_CORRECTIONS), phrase)
        form = CORRECTED if corrects else CHANGED if changed else STATED
        content = phrase.format(s=self._history.subject, o=value, was=versions[-1].value if versions else "")
        item = self._item(content, at)
        if self._history.given:
            item["fact"] = (self._history.subject, self._history.predicate, value)
            form = f"{form}, {GIVEN}"
        if not dated:
            del item["valid_from"]
        versions.append(Version(item, value, at, form, phrase, wrong))

    def _end(self, at: datetime) -> None:
        phrase = self._rng.choice(self._phrases["ends"])
        content = phrase.format(s=self._history.subject, was=self._history.versions[-1].value)
        self._history.versions.append(Version(self._item(content, at), None, at, ENDED, phrase))

    def _item(self, content: str, at: datetime) -> dict[str, Any]:
        metadata = {"history": self._history.id, "version": len(self._history.versions)}
        item: dict[str, Any] = {"kind": "semantic", "content": content, "valid_from": at, "metadata": metadata}
        return {**item, "actor": self._history.subject} if self._mine else item


def _with_opener(opener: str, phrase: str) -> str:
    """Return a plain statement behind an opener, its first word in lower case unless it is a name or "I"."""
    small = phrase[0].lower() + phrase[1:] if phrase.startswith(("The ", "My ")) else phrase
    return opener.format(plain=small)


# ------------------------------------------------------------------------------------------------------------- figures

_STARTS = datetime(2027, 1, 1, tzinfo=UTC)  # after all times of the histories


class TickingClock:
    """A clock that moves on a little at each call, so that `known_at` can be asked exactly."""

    def __init__(self) -> None:
        self._ticks = count()

    def now(self) -> datetime:
        """Return a time later than any before."""
        return _STARTS + timedelta(milliseconds=next(self._ticks))


@dataclass(frozen=True, slots=True)
class MissedChange:
    """A phrase whose change was not found: `times` of `of`, and the statuses that the writes had instead."""

    predicate: str
    form: str
    phrase: str
    times: int
    of: int
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A question about a time that was answered wrongly, with the statements of its history."""

    question: str
    wanted: str
    got: tuple[str, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HistoryFigures:
    """The figures of histories with one embedder.

    `right` are supersessions of a version by a later one of its history, `wrong` all others; `asked` are questions
    about a time, `answered` those answered correctly. `asked_understood` are those about histories in which every
    change that had to be extracted from text was found; of these all must be answered correctly.
    """

    embedder: str
    histories: int
    written: int
    changes: int
    found: int
    right: int
    wrong: int
    asked: int
    answered: int
    asked_understood: int
    answered_understood: int
    by_form: Mapping[str, tuple[int, int]]
    false: tuple[Clash, ...] = ()
    missed: tuple[MissedChange, ...] = ()
    wrong_answers: tuple[WrongAnswer, ...] = ()

    @property
    def precision(self) -> float:
        """Right supersessions among all."""
        made = self.right + self.wrong
        return self.right / made if made else 1.0

    @property
    def recall(self) -> float:
        """Changes found among all."""
        return self.found / self.changes if self.changes else 1.0

    @property
    def sound(self) -> bool:
        """Whether every supersession was right, and every question about an understood history."""
        return self.wrong == 0 and self.asked_understood == self.answered_understood

    def lines(self) -> list[str]:
        """Return the figures as lines of text."""
        made = f"precision {self.precision:.4f}, recall {_share(self.found, self.changes)}"
        plain = f"{_share(self.answered_understood, self.asked_understood)} right where every change was found"
        lines = [
            f"Changes, embedder {self.embedder}: {self.histories:,} histories, {self.written:,} statements",
            f"  supersessions: {made}",
            f"  questions about a time: {plain}, {_share(self.answered, self.asked)} in all",
        ]
        lines += [f"  written as {name:21}{_share(*pair)} found" for name, pair in sorted(self.by_form.items())]
        lines += [line for clash in self.false for line in ("  wrong:", *clash.lines())]
        for miss in self.missed:
            became = ", ".join(f"{status} {times}" for status, times in sorted(miss.statuses.items()))
            lines.append(f"  missed {miss.times}/{miss.of}  {miss.predicate}, {miss.form}: {miss.phrase}  ({became})")
        for wrong in self.wrong_answers:
            lines += [f"  answered wrongly: {wrong.question}: {', '.join(wrong.got) or 'nothing'}, not {wrong.wanted}"]
            lines += [f"      {line}" for line in wrong.statements]
        return lines


def _share(part: int, whole: int) -> str:
    return f"{part:,}/{whole:,} ({part / whole:.1%})" if whole else "none"


def write_histories(
    view: MemoryManager,
    clock: TickingClock,
    histories: Sequence[History],
    statements: Sequence[HistoryStatement],
    step: Callable[[], object],
) -> HistoryFigures:
    """Write every statement in order; report what was closed by what, and what is answered about each time."""
    run = _Run(view, histories)
    for statement in statements:
        run.write(statement, clock)
        step()
    return run.figures("none" if view.embedder is None else view.embedder.id)


class _Run:
    """What was written when, and what came of it."""

    def __init__(self, view: MemoryManager, histories: Sequence[History]) -> None:
        self._view, self._histories = view, histories
        self._outcomes: dict[tuple[str, int], Remembered] = {}
        self._before: dict[tuple[str, int], datetime] = {}
        self._decided: dict[str, Remembered] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._kept: dict[str, Memory] = {}
        self._written = 0

    def write(self, statement: HistoryStatement, clock: TickingClock) -> None:
        """Write one statement."""
        before = clock.now()
        outcome = self._view.remember(**statement.item)
        self._written += 1
        self._decided.setdefault(outcome.id, outcome)
        if statement.history is not None:
            place = (statement.history.id, statement.version)
            self._outcomes[place], self._before[place], self._places[outcome.id] = outcome, before, place

    def figures(self, embedder: str) -> HistoryFigures:
        """Return the figures."""
        self._kept = {memory.id: memory for memory in self._view.iter_memories(status="all")}
        false = [self._clash(old) for old in self._kept.values() if old.superseded_by and not self._is_right(old)]
        made = sum(memory.superseded_by is not None for memory in self._kept.values())
        pairs = [(h, number) for h in self._histories for number in range(len(h.versions) - 1)]
        found = {(h.id, number): self._is_found(h, number) for h, number in pairs}
        forms: dict[str, tuple[int, int]] = {}
        for history, number in pairs:
            form = "late" if history.late in (number, number + 1) else history.versions[number + 1].form
            part, whole = forms.get(form, (0, 0))
            forms[form] = (part + found[history.id, number], whole + 1)
        answers = [(h, wrong) for h in self._histories for wrong in self._ask(h)]
        understood = {h.id for h in self._histories if self._is_understood(h, found)}
        plain = [wrong for h, wrong in answers if h.id in understood]
        return HistoryFigures(
            embedder=embedder,
            histories=len(self._histories),
            written=self._written,
            changes=len(pairs),
            found=sum(found.values()),
            right=made - len(false),
            wrong=len(false),
            asked=len(answers),
            answered=sum(wrong is None for _, wrong in answers),
            asked_understood=len(plain),
            answered_understood=sum(wrong is None for wrong in plain),
            by_form=forms,
            false=tuple(false),
            missed=tuple(self._missed(pairs, found)),
            wrong_answers=tuple(wrong for wrong in plain if wrong is not None),
        )

    # ------------------------------------------------------------------------------------------------------- closing

    def _is_right(self, old: Memory) -> bool:
        """Return whether a memory was closed by a later version of its own history."""
        mine, by = self._places.get(old.id), self._places.get(str(old.superseded_by))
        return mine is not None and by is not None and mine[0] == by[0] and mine[1] < by[1]

    def _clash(self, old: Memory) -> Clash:
        by = self._decided[str(old.superseded_by)]
        return Clash(old.content, self._kept[by.id].content, by.decision.stage, by.decision.reason)

    def _is_found(self, history: History, number: int) -> bool:
        """Return whether a version was superseded by a later one, and is no longer believed if it was never true."""
        old = self._kept[self._outcomes[history.id, number].id]
        if old.superseded_by is None or not self._is_right(old):
            return False
        return not history.versions[number].wrong or old.believed_until is not None

    def _is_understood(self, history: History, found: Mapping[tuple[str, int], bool]) -> bool:
        """Return whether every change that had to be extracted from text was found."""
        return all(
            found[history.id, number]
            for number in range(len(history.versions) - 1)
            if GIVEN not in history.versions[number + 1].form or CORRECTED in history.versions[number + 1].form
        )

    def _missed(
        self, pairs: Sequence[tuple[History, int]], found: Mapping[tuple[str, int], bool]
    ) -> Iterator[MissedChange]:
        of: Counter[tuple[str, str, str]] = Counter()
        statuses: dict[tuple[str, str, str], Counter[str]] = {}
        for history, number in pairs:
            unread = self._fact_of(history, number) is None and self._fact_of(history, number + 1) is not None
            blamed = number if unread else number + 1
            version = history.versions[blamed]
            phrase = (history.predicate, version.form, version.phrase)
            of[phrase] += 1
            if not found[history.id, number]:
                instead = "no fact is extracted" if unread else self._outcomes[history.id, blamed].status
                statuses.setdefault(phrase, Counter())[instead] += 1
        for phrase, became in sorted(statuses.items()):
            yield MissedChange(*phrase, times=became.total(), of=of[phrase], statuses=dict(became))

    def _fact_of(self, history: History, number: int) -> Fact | None:
        return self._kept[self._outcomes[history.id, number].id].fact

    # ---------------------------------------------------------------------------------------------------------- asking

    def _ask(self, history: History) -> Iterator[WrongAnswer | None]:
        """Ask about each time; yield None for a right answer."""
        for moment in history.moments():
            yield self._answer(history, moment, None)
            number = moment.version
            believed = number - 1
            if number == history.late or (number and history.versions[believed].wrong):
                yield self._answer(history, Moment(moment.at, believed), self._before[history.id, number])

    def _answer(self, history: History, moment: Moment, known_at: datetime | None) -> WrongAnswer | None:
        """Ask which versions are valid at a time, as known now or at `known_at`; None when exactly the right one is."""
        listed = self._view.list_memories(where={"history": history.id}, as_of=moment.at, known_at=known_at)
        valid = {self._places[memory.id][1] for memory in listed}
        values = {history.versions[number].value for number in valid} - {None}
        wanted = history.versions[moment.version].value
        if values == ({wanted} - {None}) and self._is_listed(history, wanted, moment.at, known_at):
            return None
        question = f"{history.predicate} of {history.subject} on {moment.at:%Y-%m-%d}"
        question += f" as known at {known_at:%H:%M:%S.%f}" if known_at else ""
        return WrongAnswer(question, wanted or "nothing", tuple(sorted(map(str, values))), tuple(self._texts(history)))

    def _is_listed(self, history: History, wanted: str | None, at: datetime, known_at: datetime | None) -> bool:
        """Return whether `facts` lists exactly the right value, where the fact was given."""
        if not history.given:
            return True
        found = self._view.facts(subject=history.subject, predicate=history.predicate, as_of=at, known_at=known_at)
        return {memory.fact.object for memory in found if memory.fact is not None} == ({wanted} - {None})

    def _texts(self, history: History) -> Iterator[str]:
        for number in history.write_order:
            version, outcome = history.versions[number], self._outcomes[history.id, number]
            given = f"{version.item['valid_from']:%Y-%m-%d}" if "valid_from" in version.item else "undated   "
            yield f"{given} {version.item['content']}  ({version.form}: {outcome.status}, {outcome.decision.stage})"
