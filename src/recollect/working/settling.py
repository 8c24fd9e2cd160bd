"""The durable window of a session: read, made shorter after an append has committed, emptied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recollect.config import WorkingSettings
from recollect.conversation.compactor import TierCompactor
from recollect.conversation.tiers import Tiers
from recollect.engine import Engine
from recollect.filters import Test
from recollect.foreign import tell
from recollect.llm.asking import asker
from recollect.models import Scope, Status
from recollect.policies import FIFOEviction, ImportanceEviction, PairedEviction
from recollect.protocols import EvictionPolicy, Transaction
from recollect.security.audit import Trail, who
from recollect.turnrows import ConversationRow, ToldRow, TurnRow
from recollect.words import content_pairs
from recollect.working.log import conversation, is_silent, turn_of
from recollect.working.windowing import Rules, Settled, Window, retold, settled, shown
from recollect.write.enrichment import rate

_TRIES = 3  # others append meanwhile; the next append tries again


def rules_of(engine: Engine, scope: Scope | None = None) -> Rules:
    """Return the rules of the settings in force; without a scope, on whose account it is asked, no model is."""
    working = engine.settings.working
    settings = working if isinstance(working, WorkingSettings) else WorkingSettings()
    compactor = TierCompactor(None if scope is None else asker(engine, scope, "summary"), engine.tokenizer)
    return Rules.of(settings, engine.tokenizer, compactor, _policy(engine, settings.eviction))


def _policy(engine: Engine, name: str) -> EvictionPolicy:
    if name == "paired":
        return PairedEviction()
    if name == "importance":
        return ImportanceEviction(lambda turn: rate(turn.content, content_pairs(turn.content), engine.settings))
    return FIFOEviction()


@dataclass(frozen=True, slots=True)
class _Found:
    """A conversation as it was read: the turns in its window, and those that left it where they must be told anew."""

    held: ConversationRow
    live: Sequence[TurnRow]
    left: Sequence[TurnRow]

    def window(self, engine: Engine, rules: Rules) -> Window:
        """Return its window; what is forgotten is neither in it nor told."""
        shown_rows = [row for row in self.live if row.status is not Status.FORGOTTEN]
        silent = frozenset(row.position for row in shown_rows if is_silent(row, engine))
        if self.held.is_stale:
            told = retold(Tiers(), [turn_of(row) for row in self.left if not is_silent(row, engine)], rules)
        else:
            told = Tiers.of_json(self.held.state).under(rules.tiers, rules.tokenizer, max_facts=rules.facts)
        return Window(tuple(shown(turn_of(row), rules) for row in shown_rows), told, silent)


def _found(engine: Engine, scope: Scope) -> _Found | None:
    with engine.store.read(scope.org) as reader:
        held = conversation(reader, scope)
        if held is None:
            return None
        of = Test("conversation", "eq", held.num)
        live = reader.find(TurnRow, [of, Test("live", "eq", True)], order="position")
        gone = [of, Test("live", "eq", False), Test("position", "ge", held.since)]
        left = reader.find(TurnRow, gone, order="position") if held.is_stale else []
    return _Found(held, live, left)


def window_of(engine: Engine, scope: Scope) -> Window:
    """Return what stands in a session's window now; what is too much for it is left out, even before it is settled."""
    rules, found = rules_of(engine), _found(engine, scope)
    window = Window() if found is None else found.window(engine, rules)
    outcome = settled(window, rules) if window.token_count > rules.settings.max_tokens else None
    return window if outcome is None else outcome.window


def _fits(held: ConversationRow, rules: Rules) -> bool:
    """Say whether nothing has to leave a window, judged by what its row counts."""
    if held.tokens > rules.room:
        return False
    most = sum(tier.max_tokens for tier in rules.tiers[1:])
    return (
        held.tokens + most < rules.threshold or held.tokens + Tiers.of_json(held.state).total_tokens < rules.threshold
    )


def compact(engine: Engine, scope: Scope, held: ConversationRow, rules: Rules) -> None:
    """Let what no longer fits leave the window and be told instead; called when no transaction is held."""
    if not held.is_stale and _fits(held, rules):
        return
    for _ in range(_TRIES):
        found = _found(engine, scope)
        if found is None:
            return
        window = found.window(engine, rules)
        outcome = settled(window, rules)
        if outcome is None and found.held.is_stale:
            outcome = Settled(window, (), None)
        if outcome is None:
            return
        if engine.store.write(_carried_out(engine, scope, found.held, outcome), scope.org):
            _told(engine, outcome)
            return


def _carried_out(
    engine: Engine, scope: Scope, before: ConversationRow, outcome: Settled
) -> Callable[[Transaction], bool]:
    """Return the transaction that makes a window what it was settled to be, unless somebody else was first."""
    gone = tuple(turn.position for turn in outcome.gone)
    tokens = sum(turn.token_count for turn in outcome.gone)

    def change(transaction: Transaction) -> bool:
        held = conversation(transaction, scope)
        if held is None or held.version != before.version:
            return False
        of = Test("conversation", "eq", held.num)
        transaction.update(TurnRow, [of, Test("position", "in", gone)], live=False)
        transaction.update(
            ConversationRow,
            [Test("num", "eq", held.num)],
            tokens=max(held.tokens - tokens, 0),
            version=held.version + 1,
        )
        transaction.put(ToldRow(held.num, outcome.window.told.as_json()))
        _noted(engine, transaction, scope, "compact", held.id)
        return True

    return change


def _told(engine: Engine, outcome: Settled) -> None:
    gone, summary = list(outcome.gone), outcome.window.summary
    if not gone:
        return
    tell(engine.callbacks, "on_eviction", gone, outcome.window.token_count)
    if summary is not None:
        tell(engine.callbacks, "on_compaction", gone, summary, outcome.previous)


def clear(engine: Engine, scope: Scope) -> None:
    """Empty a session's window and what is told in it; its history and every memory stay."""

    def change(transaction: Transaction) -> None:
        held = conversation(transaction, scope)
        if held is not None:
            emptied(transaction, held)
            _noted(engine, transaction, scope, "clear", held.id)

    engine.store.write(change, scope.org)


def emptied(transaction: Transaction, held: ConversationRow, **columns: object) -> None:
    """Take every turn out of a window, inside a transaction."""
    live = [Test("conversation", "eq", held.num), Test("live", "eq", True)]
    transaction.update(TurnRow, live, live=False)
    transaction.delete(ToldRow, [Test("conversation", "eq", held.num)])
    changes = {"since": held.next, "tokens": 0, "version": held.version + 1, **columns}
    transaction.update(ConversationRow, [Test("num", "eq", held.num)], **changes)


def _noted(engine: Engine, transaction: Transaction, scope: Scope, operation: str, subject: str) -> None:
    trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())
    trail.note(operation, subject)
    trail.write()
