"""Facts before a decider: what each was shown, what was judged, and whether that is still so when it is written.

A decider is asked while nothing is held, and takes its time. So the transaction that carries a verdict out looks first
whether what was shown is still what is nearest; where it is not, nothing is written and the decider is asked once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recollect.engine import Engine
from recollect.filters import Test
from recollect.foreign import guard, log
from recollect.llm.mind import Mind, trouble
from recollect.llm.named import name_of
from recollect.protocols import Candidate, Decider, Head, Judgement, Reader
from recollect.results import Hit
from recollect.text import check_content
from recollect.write.draft import Draft, Intent, draft, screened
from recollect.write.pipeline import RULES

Look = Callable[[Reader], Sequence[Hit]]
Nearest = Callable[[str], Look]

_OPERATIONS = ("ADD", "UPDATE", "DELETE", "NOOP")
_ASKED = 2  # times, of one fact
_MOVED = Judgement(operation="ADD", reason="what is near it changed each time it was judged")


@dataclass(slots=True)
class Hearing:
    """One fact before the decider; without a `verdict` the rules decide."""

    item: Draft
    candidate: Candidate
    look: Look | None = None
    shown: Sequence[Hit] = ()
    verdict: Judgement | None = None
    why: str = ""
    times: int = 0

    def moved(self, reader: Reader) -> Sequence[Hit] | None:
        """Return what is nearest now where a verdict was passed and that is no longer what it was passed on."""
        if self.look is None or self.verdict is None or self.verdict is _MOVED:
            return None
        now = self.look(reader)
        return None if _seen(now) == _seen(self.shown) else now

    def judged(self, by: str) -> Draft:
        """Return the draft with the verdict."""
        own = self.verdict is not None and self.verdict is not _MOVED
        notes = (*self.item.intent.notes, *([self.why] if self.why else []))
        intent = replace(self.item.intent, judgement=self.verdict, judged_by=by if own else RULES, notes=notes)
        return replace(self.item, intent=intent)


@dataclass(slots=True)
class Bench:
    """A decider and the facts of one text that it judges; `head` is the state of the store that they were shown."""

    engine: Engine
    decider: Decider | None
    nearest: Nearest
    hearings: Sequence[Hearing]
    head: int = -1

    @property
    def name(self) -> str:
        """What the decider is called in results."""
        return RULES if self.decider is None else name_of(self.decider)

    def hear(self) -> None:
        """Ask about each fact, as the store is now."""
        if self.decider is None:
            return
        heard = [each for each in self.hearings if not each.item.is_held]  # what waits is shown to nobody
        looks = [self.nearest(each.item.content) for each in heard]
        with self.engine.store.read(self._org) as reader:
            self.head = self._head(reader)
            for each, look in zip(heard, looks, strict=True):
                each.look, each.shown = look, look(reader)
        for each in heard:
            self._ask(self.decider, each)

    def hear_again(self) -> None:
        """Ask once more about the facts whose neighbours are others by now; what was asked twice is added."""
        assert self.decider is not None
        with self.engine.store.read(self._org) as reader:
            self.head = self._head(reader)
            moved = [(each, now) for each in self.hearings if (now := each.moved(reader)) is not None]
        for each, now in moved:
            each.shown, each.verdict = now, _MOVED
            if each.times < _ASKED:
                self._ask(self.decider, each)

    def give_up(self) -> None:
        """Let every fact that was judged be added."""
        for each in self.hearings:
            each.verdict = _MOVED if each.verdict is not None else None

    def holds(self, reader: Reader, *, thorough: bool) -> bool:
        """Say whether every verdict is about what is nearest still.

        Where something was written meanwhile, only a thorough look tells whether it matters, which takes a search.
        """
        if all(each.verdict is None for each in self.hearings) or self._head(reader) == self.head:
            return True
        return thorough and all(each.moved(reader) is None for each in self.hearings)

    @property
    def _org(self) -> str:
        return self.hearings[0].item.scope.org

    def _head(self, reader: Reader) -> int:
        """Return how many changes the org's trail holds; every change of a memory adds to it."""
        found = reader.find(Head, [Test("org", "eq", self._org)], order="org")
        return found[0].seq if found else 0

    def _ask(self, decider: Decider, one: Hearing) -> None:
        one.verdict, one.why = None, ""
        if isinstance(decider, Mind) and not one.shown:
            return  # there is nothing to compare it with
        one.times += 1
        failed: list[Exception] = []

        def judged() -> Judgement | None:
            return _usable(self.engine, one, decider.decide(one.candidate, one.shown))

        one.verdict = guard("the decider", judged, failed=failed.append)
        if one.verdict is None:
            one.why = f"judged by rules: {trouble(decider, failed)}"


def _seen(hits: Sequence[Hit]) -> frozenset[tuple[str, int, str]]:
    return frozenset((hit.id, hit.memory.version, str(hit.memory.status)) for hit in hits)


def _usable(engine: Engine, one: Hearing, judgement: object) -> Judgement | None:
    """Return the judgement if it is one: a known operation, on a memory that the decider was shown, and a text."""
    if not isinstance(judgement, Judgement) or str(judgement.operation) not in _OPERATIONS:
        log.warning("the decider gave a %s, no usable judgement: the offline stages decide", type(judgement).__name__)
        return None
    if judgement.operation != "ADD" and judgement.target not in {hit.id for hit in one.shown}:
        log.warning("the decider judged a memory that it was not shown: the offline stages decide")
        return None
    reworded(engine, replace(one.item, intent=replace(one.item.intent, judgement=judgement)))  # raises where it cannot
    return judgement


def reworded(engine: Engine, item: Draft) -> tuple[Draft, Draft | None]:
    """Return the draft in the decider's words for it, and what was said, kept archived as the source of them."""
    judgement = item.intent.judgement
    if judgement is None or judgement.operation not in ("UPDATE", "DELETE") or not judgement.content:
        return item, None
    content = check_content(judgement.content, max_bytes=engine.settings.max_content_bytes)
    if content == item.content:
        return item, None
    words = draft(content, scope=item.scope, settings=engine.settings)
    said = replace(item, intent=Intent(resolve=False, archived=True), key=None)
    suspicious = screened(words.content, engine.settings, item.source_type, source_id=item.source_id)
    taken = (*item.redacted, *words.redacted)
    item = replace(item, content=words.content, fact=None, suspicions=suspicious, waits=words.waits, redacted=taken)
    return item, said
