"""Windows over a conversation in memory: sliding, and with a running summary."""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from operator import index
from threading import Lock, RLock, get_ident
from typing import Any, Self, SupportsIndex

from engrain.guard import guard, tell
from engrain.model.memory import ContextItem, KeyFact, MemoryEntry, Turn
from engrain.model.scope import is_whole
from engrain.policies.decay import LinearRecencyScorer
from engrain.protocols import Clock, EvictionPolicy, RecencyScorer, Tokenizer
from engrain.text import OfflineTokenizer, is_blank

Step = Callable[[], object]
DEEPEST = 32  # steps that led to each other


class InOrder:
    """Carries out steps in their order, and holds no lock while it does.

    Who finds the steps at rest carries them out, with those that others put meanwhile; who finds them under way goes
    on with its own work. So a step may call whatever it likes, and wait for any thread. A step that is interrupted
    stays the first; steps must not fail otherwise.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: deque[tuple[int, Step]] = deque()  # each with how many steps led to it
        self._carrier: int | None = None

    def check_depth(self) -> None:
        """Raise `RecursionError` inside a step that others led to in a chain without end."""
        if self._depth() > DEEPEST:
            raise RecursionError("a callback that is told of an eviction adds turns that evict again, without end")

    def put(self, *steps: Step) -> None:
        """Put steps at the end; nothing is carried out yet."""
        depth = self._depth()
        with self._lock:
            self._steps += [(depth, step) for step in steps]

    def carry_out(self) -> None:
        """Carry out all steps, unless somebody is at it."""
        with self._lock:
            if self._carrier is not None or not self._steps:
                return
            self._carrier = get_ident()
        try:
            while (step := self._first()) is not None:
                step()
                self._steps.popleft()
        except BaseException:
            self._carrier = None
            raise

    def _first(self) -> Step | None:
        with self._lock:
            if self._steps:
                return self._steps[0][1]
            self._carrier = None  # in the same breath, or a step put now would wait for the next one
            return None

    def _depth(self) -> int:
        return self._steps[0][0] + 1 if self._carrier == get_ident() else 0


def spoken(role: str | Turn, content: str | None, metadata: Mapping[str, Any], clock: Clock | None) -> Turn:
    """Return the turn that a caller adds: a ready one as it is, or one of these parts; with its time if it has none."""
    ready = role if isinstance(role, Turn) else None
    if ready is not None and (content is not None or metadata):
        raise TypeError("a Turn is added alone: what else there is to say of it stands in its metadata")
    speaker, said = (role, content) if ready is None else (ready.role, ready.content)
    if not isinstance(speaker, str):
        raise TypeError(f"role must be a word such as user or assistant, not {type(speaker).__name__}")
    if not speaker.strip():
        raise ValueError("role is blank: say who speaks, such as user or assistant")
    if not isinstance(said, str):
        raise TypeError(f"content must be a string, not {type(said).__name__}")
    turn = ready or Turn(role=speaker, content=said)
    turn = replace(turn, metadata=dict(turn.metadata if ready else metadata))
    return turn if turn.at is not None else replace(turn, at=now(clock))


def now(clock: Clock | None) -> datetime:
    """Return the time by a clock, or by the system's."""
    return datetime.now(UTC) if clock is None else clock.now()


def checked_tokens(max_tokens: int, name: str = "max_tokens") -> int:
    """Return a budget in tokens."""
    if not is_whole(max_tokens):
        raise TypeError(f"{name} must be a positive integer, not {type(max_tokens).__name__}")
    if max_tokens <= 0:
        raise ValueError(f"{name} must be a positive integer")
    return max_tokens


def checked_priority(priority: int, name: str = "priority") -> int:
    """Return a priority, 0 to 10."""
    if not is_whole(priority):
        raise TypeError(f"{name} must be a whole number, not {type(priority).__name__}")
    if not 0 <= priority <= 10:
        raise ValueError(f"{name} is {priority}: it must be from 0 to 10")
    return priority


def checked_function(function: object, name: str) -> None:
    """Refuse what is given for a function and is none."""
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function, not {type(function).__name__}")


def checked_shape(value: object, shape: type, name: str) -> None:
    """Refuse an object without the methods that `shape`, a protocol, asks for."""
    if value is not None and not isinstance(value, shape):
        raise TypeError(f"{name} must be a {shape.__name__}, which a {type(value).__name__} is not")


def watchers(callbacks: Iterable[object]) -> tuple[object, ...]:
    """Return those who watch as a tuple."""
    if isinstance(callbacks, str) or not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks must be a list of objects, not {type(callbacks).__name__}")
    return tuple(callbacks)


def evicted(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy | None) -> list[int]:
    """Return the places, ascending, of the turns that leave: they hold at least `tokens_to_free` if the turns do.

    What a policy says amiss (no places, too few, twice, none that exist, an error) is made good with the oldest turns.
    """
    if tokens_to_free <= 0:
        return []
    leaving = set() if policy is None else _chosen(turns, tokens_to_free, policy)
    freed = sum(turns[place].token_count for place in leaving)
    for place, turn in enumerate(turns):
        if freed >= tokens_to_free:
            break
        if place not in leaving:
            leaving.add(place)
            freed += turn.token_count
    return sorted(leaving)


def _chosen(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy) -> set[int]:
    what = f"{type(policy).__name__}.select_for_eviction"
    return guard(what, partial(_evicting_asked, turns, tokens_to_free, policy)) or set()


def _evicting_asked(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy) -> set[int]:
    said: object = policy.select_for_eviction(list(turns), tokens_to_free)
    if not isinstance(said, Collection) or isinstance(said, str | bytes):
        raise TypeError(f"it returned a {type(said).__name__}: it must return a list of places")
    places = islice(said, len(turns))  # no answer needs more, and one may be endless
    return {place for said in places if (place := _whole(said)) is not None and 0 <= place < len(turns)}


class InBatches:
    """A policy that frees so many tokens more than it is asked for, so that what leaves can be told together.

    Without another policy to ask, the oldest turns leave.
    """

    def __init__(self, policy: EvictionPolicy | None, more: int) -> None:
        self._policy, self._more = policy, more

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the places of the turns that leave."""
        return evicted(turns, tokens_to_free + self._more, self._policy)


def fitted(turn: Turn, max_tokens: int, tokenizer: Tokenizer) -> Turn:
    """Return the turn with its `token_count`; one larger than the budget is cut to it and marked `truncated`.

    A turn that was cut counts as the whole budget.
    """
    tokens = counted(turn.content, tokenizer)
    if tokens <= max_tokens:
        return replace(turn, token_count=tokens)
    content = cut(turn.content, max_tokens, tokenizer)
    return replace(turn, content=content, token_count=max_tokens, metadata={**turn.metadata, "truncated": True})


def counted(text: str, tokenizer: Tokenizer) -> int:
    """Return how many tokens a text is, and never fewer than none."""
    said: object = tokenizer.count_tokens(text)
    if (tokens := _whole(said)) is None:
        raise TypeError(f"{type(tokenizer).__name__}.count_tokens returned a {type(said).__name__}: it must count")
    return max(tokens, 0)


def _whole(value: object) -> int | None:
    """Return a whole number of any make (those of numpy too) as an int; True and False are none."""
    if type(value) is int:  # nearly always
        return value
    return index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None


def within(text: str, max_tokens: int, tokenizer: Tokenizer) -> tuple[str, int]:
    """Return a text cut to at most so many tokens, and how many it has."""
    if (tokens := counted(text, tokenizer)) <= max_tokens:
        return text, tokens
    kept = cut(text, max_tokens, tokenizer)
    return kept, min(counted(kept, tokenizer), max_tokens)


def cut(text: str, max_tokens: int, tokenizer: Tokenizer) -> str:
    """Return a beginning of a text that counts at most so many tokens, whatever the tokenizer takes for one."""
    kept = tokenizer.truncate_to_tokens(text, max_tokens)
    if not isinstance(kept, str):
        raise TypeError(f"{type(tokenizer).__name__}.truncate_to_tokens returned a {type(kept).__name__}, not a string")
    if len(kept) > len(text):
        kept = text
    if counted(kept, tokenizer) <= max_tokens:
        return kept
    fits, excess = 0, len(kept)
    while excess - fits > 1:
        middle = (fits + excess) // 2
        if counted(kept[:middle], tokenizer) <= max_tokens:
            fits = middle
        else:
            excess = middle
    return kept[:fits]


_INDENT = "\n  "


def transcript(turns: Sequence[Turn]) -> str:
    """Return a line "who: what" for each turn that says something; `who` is its actor, else its role.

    Further lines of one turn are indented, so that none of them can pass for a turn of somebody else's.
    """
    return "\n".join(_line(turn) for turn in turns if turn.content.strip())


def _line(turn: Turn) -> str:
    who = " ".join((turn.actor or turn.role).split())
    said = turn.content.strip().replace("\r\n", "\n").replace("\r", "\n")
    return f"{who}: {said.replace(chr(10), _INDENT)}"


FACT_PRIORITY = 8
SUMMARY_SCORE = 0.5
_DEFAULT = LinearRecencyScorer()


def shown_turns(turns: Sequence[Turn], priority: int, scorer: RecencyScorer | None) -> list[ContextItem]:
    """Return an item for each turn: its text as it is, its role in the metadata, its age in the score."""
    return [
        ContextItem(
            content=turn.content,
            score=_score(scorer or _DEFAULT, place, len(turns)),
            priority=priority,
            token_count=turn.token_count,
            metadata={**turn.metadata, "role": turn.role} | ({"actor": turn.actor} if turn.actor else {}),
        )
        for place, turn in enumerate(turns)
    ]


def shown_summary(content: str, priority: int, token_count: int, **metadata: Any) -> ContextItem:
    """Return the item of a summary."""
    return ContextItem(
        content=content,
        score=SUMMARY_SCORE,
        priority=priority,
        token_count=token_count,
        metadata={"role": "system", "summary": True, **metadata},
    )


def shown_key_facts(facts: Iterable[KeyFact], priority: int) -> list[ContextItem]:
    """Return an item for each key fact."""
    return [
        ContextItem(
            content=fact.content,
            source="memory",
            score=0.8,
            priority=priority,
            token_count=fact.token_count,
            metadata={"fact_type": fact.fact_type.value, "source_tier": fact.source_tier},
        )
        for fact in facts
    ]


def shown_entries(entries: Iterable[MemoryEntry], tokenizer: Tokenizer) -> list[ContextItem]:
    """Return an item for each entry that has not expired."""
    return [
        ContextItem(
            content=entry.content,
            source="memory",
            score=entry.relevance_score,
            priority=FACT_PRIORITY,
            token_count=counted(entry.content, tokenizer),
            metadata={
                "memory_entry_id": entry.id,
                "memory_type": entry.memory_type.value,
                "tags": list(entry.tags),
            },
        )
        for entry in entries
        if not entry.is_expired
    ]


def _score(scorer: RecencyScorer, place: int, total: int) -> float:
    score = guard(f"{type(scorer).__name__}.score", partial(_showing_asked, scorer, place, total))
    return round(_DEFAULT.score(place, total) if score is None else score, 4)


def _showing_asked(scorer: RecencyScorer, place: int, total: int) -> float:
    score = float(scorer.score(place, total))
    if math.isnan(score):
        raise ValueError("it returned no number")
    return min(max(score, 0.0), 1.0)


class SlidingWindowMemory:
    """Turns within a budget of tokens: the oldest leave for the newest, or those that `eviction_policy` chooses.

    It never holds more than `max_tokens`; a turn that is larger alone is cut and marked `truncated`. Threads may share
    it. `on_evict` and the `on_eviction` of `callbacks` are called once for each add that evicts, with the turns oldest
    first, one after another in the order of the evictions and outside every lock: they may call back, and one that
    fails is logged. While another thread is told, an add returns before its own evictions are.
    """

    def __init__(
        self,
        max_tokens: int = 4096,
        tokenizer: Tokenizer | None = None,
        on_evict: Callable[[list[Turn]], object] | None = None,
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        *,
        callbacks: Iterable[object] = (),
        clock: Clock | None = None,
    ) -> None:
        self._max_tokens = checked_tokens(max_tokens)
        checked_function(on_evict, "on_evict")
        for value, shape, name in (
            (tokenizer, Tokenizer, "tokenizer"),
            (eviction_policy, EvictionPolicy, "eviction_policy"),
            (recency_scorer, RecencyScorer, "recency_scorer"),
            (clock, Clock, "clock"),
        ):
            checked_shape(value, shape, name)
        self._tokenizer = tokenizer or OfflineTokenizer()
        self._on_evict, self._policy, self._scorer = on_evict, eviction_policy, recency_scorer
        self._callbacks, self._clock = watchers(callbacks), clock
        self._lock = RLock()  # a policy may look into the window that asks it
        self._turns: list[Turn] = []
        self._tokens = 0
        self._added = 0
        self._choosing = False
        self._told = InOrder()

    def fresh(self) -> Self:
        """Return an empty one of the same kind, for another conversation."""
        other = copy.copy(self)
        other._lock, other._told = RLock(), InOrder()
        other._turns, other._tokens, other._added, other._choosing = [], 0, 0, False
        return other

    @property
    def turns(self) -> list[Turn]:
        """The turns, oldest first; a copy."""
        with self._lock:
            return list(self._turns)

    @property
    def total_tokens(self) -> int:
        """The tokens of all turns, never more than `max_tokens`."""
        return self._tokens

    @property
    def max_tokens(self) -> int:
        """The budget."""
        return self._max_tokens

    def add_turn(self, role: str | Turn, content: str | None = None, **metadata: Any) -> Turn:
        """Add a turn, or one that is ready as the only argument, and return it as it is kept.

        It gets its `position`, the running number from 0, and its time if it has none.
        """
        turn = fitted(spoken(role, content, metadata, self._clock), self._max_tokens, self._tokenizer)
        with self._lock:
            self._check_change()
            self._make_room(turn.token_count)
            turn = replace(turn, position=self._added)
            self._added += 1
            self._turns.append(turn)
            self._tokens += turn.token_count
        self._told.carry_out()
        return turn

    add_message = add_turn

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the turns as items, oldest first; the newer, the higher the score."""
        return shown_turns(self.turns, checked_priority(priority), self._scorer)

    def clear(self) -> None:
        """Remove all turns; nobody is told of these."""
        with self._lock:
            self._check_change()
            self._turns = []
            self._tokens = self._added = 0

    def _make_room(self, tokens: int) -> None:
        excess = self._tokens + tokens - self._max_tokens
        if excess <= 0:
            return
        self._told.check_depth()
        self._choosing = True
        try:
            leaving = evicted(self._turns, excess, self._policy)
        finally:
            self._choosing = False
        leavers = [self._turns[place] for place in leaving]
        for place in reversed(leaving):
            del self._turns[place]
        self._tokens -= sum(turn.token_count for turn in leavers)
        self._told.put(
            partial(tell, self._callbacks, "on_eviction", list(leavers), self._tokens + tokens),
            partial(self._tell_owner, leavers),
        )

    def _check_change(self) -> None:
        if self._choosing:  # of this thread alone: the lock keeps the others out
            raise RuntimeError("an eviction policy chooses who leaves the window, and cannot change it itself")

    def _tell_owner(self, leavers: list[Turn]) -> None:
        if self._on_evict is not None:
            guard("on_evict", partial(self._on_evict, list(leavers)))


Compact = Callable[[list[Turn]], str]
ProgressiveCompact = Callable[[list[Turn], str | None], str]


class SummaryBufferMemory:
    """A window of `max_tokens`, and a summary, made by a function of the caller's, of all that left it.

    Exactly one function is given: what `compact_fn` returns takes the place of the summary, `progressive_compact_fn`
    is shown the previous one. It is called outside every lock, one call after another, in the order of the evictions.
    Where it fails or says nothing, the words of the turns are added to the summary, so that none is lost.
    """

    def __init__(
        self,
        max_tokens: int,
        compact_fn: Compact | None = None,
        progressive_compact_fn: ProgressiveCompact | None = None,
        tokenizer: Tokenizer | None = None,
        summary_priority: int = 6,
        *,
        callbacks: Iterable[object] = (),
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        clock: Clock | None = None,
    ) -> None:
        checked_function(compact_fn, "compact_fn")
        checked_function(progressive_compact_fn, "progressive_compact_fn")
        self._compact = _one_of(compact_fn, progressive_compact_fn)
        self._tokenizer = tokenizer or OfflineTokenizer()
        self._priority = checked_priority(summary_priority, "summary_priority")
        self._callbacks = watchers(callbacks)
        self._new_window = partial(
            SlidingWindowMemory,
            max_tokens,
            tokenizer,
            eviction_policy=eviction_policy,
            recency_scorer=recency_scorer,
            callbacks=self._callbacks,
            clock=clock,
        )
        self._told = self._from_the_start()

    def fresh(self) -> Self:
        """Return an empty one of the same kind, for another conversation."""
        other = copy.copy(self)
        other._told = other._from_the_start()
        return other

    @property
    def summary(self) -> str | None:
        """What is told of the turns that left; None before the first did."""
        return self._told.summary

    @property
    def summary_tokens(self) -> int:
        """The tokens of the summary."""
        return counted(self.summary or "", self._tokenizer)

    @property
    def turns(self) -> list[Turn]:
        """The turns that are still there word by word, oldest first; a copy."""
        return self._told.window.turns

    @property
    def total_tokens(self) -> int:
        """The tokens of the turns, without the summary."""
        return self._told.window.total_tokens

    @property
    def max_tokens(self) -> int:
        """The budget of the turns."""
        return self._told.window.max_tokens

    def add_turn(self, role: str | Turn, content: str | None = None, **metadata: Any) -> Turn:
        """Add a turn, or one that is ready as the only argument, and return it as it is kept."""
        return self._told.window.add_turn(role, content, **metadata)

    add_message = add_turn

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the summary, at its own priority, and then the turns."""
        told = self._told
        items = told.window.to_context_items(priority)
        if (summary := told.summary) is None:
            return items
        return [shown_summary(summary, self._priority, counted(summary, self._tokenizer)), *items]

    def clear(self) -> None:
        """Remove turns and summary. A compaction that is under way tells of what is gone, and is not kept."""
        self._told = self._from_the_start()

    def _from_the_start(self) -> _Told:
        return _Told(self._new_window, self._compacted, self._callbacks)

    def _compacted(self, turns: list[Turn], previous: str | None) -> str:
        call = partial(self._compact, list(turns), previous)
        return guard("the compaction", partial(_said, call)) or _in_full(turns, previous)


class _Told:
    """A window and what is told of the turns that left it; `clear` takes another, so that nothing late gets in."""

    def __init__(
        self,
        new_window: Callable[..., SlidingWindowMemory],
        compacted: Callable[[list[Turn], str | None], str],
        callbacks: Sequence[object],
    ) -> None:
        self.summary: str | None = None
        self.window = new_window(on_evict=self._leave)
        self._compacted, self._callbacks = compacted, callbacks

    def _leave(self, turns: list[Turn]) -> None:
        previous = self.summary
        self.summary = self._compacted(turns, previous)
        tell(self._callbacks, "on_compaction", turns, self.summary, previous)


def _one_of(compact: Compact | None, progressive: ProgressiveCompact | None) -> ProgressiveCompact:
    if compact is not None and progressive is None:
        return lambda turns, previous: compact(turns)
    if progressive is None or compact is not None:
        raise ValueError("give exactly one of compact_fn and progressive_compact_fn")
    return progressive


def _said(compact: Callable[[], str]) -> str:
    said: object = compact()
    if not isinstance(said, str):
        raise TypeError(f"it returned a {type(said).__name__}: it must return the summary")
    if is_blank(said):
        raise ValueError("it returned a blank summary")
    return said


def _in_full(turns: Sequence[Turn], previous: str | None) -> str:
    words = "; ".join(f"{turn.role}: {turn.content}" for turn in turns)
    return words if previous is None else f"{previous}\n{words}"
