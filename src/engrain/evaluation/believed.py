"""What a store makes of histories of changes: which it found, and what it answers about each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from engrain.evaluation.changes import CORRECTED, GIVEN, History, Moment, Telling
from engrain.evaluation.staying import Met
from engrain.manager import MemoryManager
from engrain.model.memory import Fact, Memory
from engrain.model.results import Remembered

_STARTS = datetime(2027, 1, 1, tzinfo=UTC)  # after everything that is told


class Ticking:
    """A clock that is a little later at each look, so that what was known when can be asked exactly."""

    def __init__(self) -> None:
        self._ticks = count()

    def now(self) -> datetime:
        """Return a time later than any before."""
        return _STARTS + timedelta(milliseconds=next(self._ticks))


@dataclass(frozen=True, slots=True)
class Missed:
    """A way of telling a change that was not understood: how often of how many, and what became of it instead."""

    predicate: str
    told: str
    phrase: str
    times: int
    of: int
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A question about a time that was answered wrongly."""

    question: str
    wanted: str
    got: tuple[str, ...]
    story: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """The figures of histories with one embedder.

    `right` are supersessions of a version by a later one of its history, `wrong` all others; `asked` are questions
    about a time, `answered` those answered rightly. `asked_understood` are those about histories in which every change
    that had to be read out of words was; of these none may be answered wrongly.
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
    by_kind: Mapping[str, tuple[int, int]]
    false: tuple[Met, ...] = ()
    missed: tuple[Missed, ...] = ()
    misanswered: tuple[Wrong, ...] = ()

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
        """Whether no supersession was wrong, and no question about an understood history answered wrongly."""
        return self.wrong == 0 and self.asked_understood == self.answered_understood

    def named(self, embedder: str) -> Changes:
        """Return the same figures under the embedder's name."""
        return replace(self, embedder=embedder)

    def lines(self) -> list[str]:
        """Return the figures as text for people."""
        made = f"precision {self.precision:.4f}, recall {_share(self.found, self.changes)}"
        plain = f"{_share(self.answered_understood, self.asked_understood)} right where every change was found"
        lines = [
            f"Changes, embedder {self.embedder}: {self.histories:,} histories, {self.written:,} statements",
            f"  supersessions: {made}",
            f"  questions about a time: {plain}, {_share(self.answered, self.asked)} in all",
        ]
        lines += [f"  told as {name:24}{_share(*pair)} found" for name, pair in sorted(self.by_kind.items())]
        lines += [line for met in self.false for line in ("  wrong:", *met.lines())]
        for miss in self.missed:
            became = ", ".join(f"{status} {times}" for status, times in sorted(miss.statuses.items()))
            lines.append(f"  missed {miss.times}/{miss.of}  {miss.predicate}, {miss.told}: {miss.phrase}  ({became})")
        for wrong in self.misanswered:
            lines += [f"  answered wrongly: {wrong.question}: {', '.join(wrong.got) or 'nothing'}, not {wrong.wanted}"]
            lines += [f"      {line}" for line in wrong.story]
        return lines


def _share(part: int, whole: int) -> str:
    return f"{part:,}/{whole:,} ({part / whole:.1%})" if whole else "none"


def changes(
    view: MemoryManager,
    clock: Ticking,
    histories: Sequence[History],
    tellings: Sequence[Telling],
    step: Callable[[], object],
) -> Changes:
    """Tell everything in order, and look at what was closed by what and at what is answered about each time."""
    found = _Found(view, histories)
    for telling in tellings:
        found.tell(telling, clock)
        step()
    return found.changes()


class _Found:
    """What was written when, and what came of it."""

    def __init__(self, view: MemoryManager, histories: Sequence[History]) -> None:
        self._view, self._histories = view, histories
        self._outcomes: dict[tuple[str, int], Remembered] = {}
        self._before: dict[tuple[str, int], datetime] = {}
        self._decided: dict[str, Remembered] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._kept: dict[str, Memory] = {}
        self._written = 0

    def tell(self, telling: Telling, clock: Ticking) -> None:
        """Write one statement."""
        before = clock.now()
        outcome = self._view.remember(**telling.item)
        self._written += 1
        self._decided.setdefault(outcome.id, outcome)
        if telling.history is not None:
            place = (telling.history.id, telling.version)
            self._outcomes[place], self._before[place], self._places[outcome.id] = outcome, before, place

    def changes(self) -> Changes:
        """Return the figures."""
        self._kept = {memory.id: memory for memory in self._view.iter_memories(status="all")}
        false = [self._met(old) for old in self._kept.values() if old.superseded_by and not self._is_right(old)]
        made = sum(memory.superseded_by is not None for memory in self._kept.values())
        pairs = [(h, number) for h in self._histories for number in range(len(h.versions) - 1)]
        found = {(h.id, number): self._is_found(h, number) for h, number in pairs}
        kinds: dict[str, tuple[int, int]] = {}
        for history, number in pairs:
            told = "late" if history.late in (number, number + 1) else history.versions[number + 1].told
            part, whole = kinds.get(told, (0, 0))
            kinds[told] = (part + found[history.id, number], whole + 1)
        answers = [(h, wrong) for h in self._histories for wrong in self._asked(h)]
        plain = {h.id for h in self._histories if self._is_understood(h, found)}
        understood = [wrong for h, wrong in answers if h.id in plain]
        return Changes(
            embedder="",
            histories=len(self._histories),
            written=self._written,
            changes=len(pairs),
            found=sum(found.values()),
            right=made - len(false),
            wrong=len(false),
            asked=len(answers),
            answered=sum(wrong is None for _, wrong in answers),
            asked_understood=len(understood),
            answered_understood=sum(wrong is None for wrong in understood),
            by_kind=kinds,
            false=tuple(false),
            missed=tuple(self._missed(pairs, found)),
            misanswered=tuple(wrong for wrong in understood if wrong is not None),
        )

    # --------------------------------------------------------------------------------------------------------- closing

    def _is_right(self, old: Memory) -> bool:
        """Say whether a memory was closed by a later version of its own history."""
        mine, by = self._places.get(old.id), self._places.get(str(old.superseded_by))
        return mine is not None and by is not None and mine[0] == by[0] and mine[1] < by[1]

    def _met(self, old: Memory) -> Met:
        by = self._decided[str(old.superseded_by)]
        return Met(old.content, self._kept[by.id].content, by.decision.stage, by.decision.reason)

    def _is_found(self, history: History, number: int) -> bool:
        """Say whether a version gave way to a later one, and one that was never true is believed no longer."""
        old = self._kept[self._outcomes[history.id, number].id]
        if old.superseded_by is None or not self._is_right(old):
            return False
        return not history.versions[number].wrong or old.believed_until is not None

    def _is_understood(self, history: History, found: Mapping[tuple[str, int], bool]) -> bool:
        """Say whether every change that had to be read out of words was found."""
        return all(
            found[history.id, number]
            for number in range(len(history.versions) - 1)
            if GIVEN not in history.versions[number + 1].told or CORRECTED in history.versions[number + 1].told
        )

    def _missed(self, pairs: Sequence[tuple[History, int]], found: Mapping[tuple[str, int], bool]) -> Iterator[Missed]:
        of: Counter[tuple[str, str, str]] = Counter()
        statuses: dict[tuple[str, str, str], Counter[str]] = {}
        for history, number in pairs:
            unread = self._fact_of(history, number) is None and self._fact_of(history, number + 1) is not None
            blamed = number if unread else number + 1
            version = history.versions[blamed]
            way = (history.predicate, version.told, version.phrase)
            of[way] += 1
            if not found[history.id, number]:
                instead = "no fact is read in it" if unread else self._outcomes[history.id, blamed].status
                statuses.setdefault(way, Counter())[instead] += 1
        for way, became in sorted(statuses.items()):
            yield Missed(*way, times=became.total(), of=of[way], statuses=dict(became))

    def _fact_of(self, history: History, number: int) -> Fact | None:
        return self._kept[self._outcomes[history.id, number].id].fact

    # ---------------------------------------------------------------------------------------------------------- asking

    def _asked(self, history: History) -> Iterator[Wrong | None]:
        """Ask about each time; yield None for a right answer."""
        for moment in history.moments():
            yield self._answered(history, moment, None)
            number = moment.version
            believed = number - 1
            if number == history.late or (number and history.versions[believed].wrong):
                yield self._answered(history, Moment(moment.at, believed), self._before[history.id, number])

    def _answered(self, history: History, moment: Moment, known_at: datetime | None) -> Wrong | None:
        """Ask which versions held at a time, as it is known now or was then; None when exactly the right one does."""
        shown = self._view.list_memories(where={"history": history.id}, as_of=moment.at, known_at=known_at)
        held = {self._places[memory.id][1] for memory in shown}
        values = {history.versions[number].value for number in held} - {None}
        wanted = history.versions[moment.version].value
        if values == ({wanted} - {None}) and self._lists(history, wanted, moment.at, known_at):
            return None
        question = f"{history.predicate} of {history.subject} on {moment.at:%Y-%m-%d}"
        question += f" as known at {known_at:%H:%M:%S.%f}" if known_at else ""
        return Wrong(question, wanted or "nothing", tuple(sorted(map(str, values))), tuple(self._story(history)))

    def _lists(self, history: History, wanted: str | None, at: datetime, known_at: datetime | None) -> bool:
        """Ask for the fact as well, where it was given."""
        if not history.given:
            return True
        found = self._view.facts(subject=history.subject, predicate=history.predicate, as_of=at, known_at=known_at)
        return {memory.fact.object for memory in found if memory.fact is not None} == ({wanted} - {None})

    def _story(self, history: History) -> Iterator[str]:
        for number in history.told():
            version, outcome = history.versions[number], self._outcomes[history.id, number]
            given = f"{version.item['valid_from']:%Y-%m-%d}" if "valid_from" in version.item else "undated   "
            yield f"{given} {version.item['content']}  ({version.told}: {outcome.status}, {outcome.decision.stage})"
