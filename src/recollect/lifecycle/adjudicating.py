"""Two names that may be one thing, put to a language model with the sentences they stand in.

A model settles what an embedder, or the look of two names, only suspects. What a text claims waits for somebody: a
text could talk a model into it. Nobody is asked about what only external data says, nor twice about one pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from recollect.engine import Engine
from recollect.entities import NAME, name_key
from recollect.errors import ProviderError
from recollect.filters import Test, live, within
from recollect.foreign import log
from recollect.graph.chunks import among
from recollect.graph.likenames import UNCOMPARED, beginnings, may_be_one
from recollect.graph.register import Register, rooted
from recollect.graphrows import ASKED, MERGED, PROPOSED, EntityRow, MentionRow, MergeRow
from recollect.lifecycle.holding import Held
from recollect.llm.asking import asker
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one
from recollect.models import Memory, Scope, SourceType
from recollect.protocols import Reader, Record, Transaction
from recollect.security.audit import Trail
from recollect.text import sentences, shorten

PAIRS = 3  # that one memory has a model asked about
USE = "adjudicate"
_NAMES, _LIKE, _HEARD = 12, 300, 20  # names of a memory; names beside each; memories that are looked at for a sentence
_SENTENCE = 300  # characters
_ANSWER = 100  # tokens
_OUTSIDE = (SourceType.EXTERNAL_DATA, SourceType.TOOL_RESULT)
_LAST = "\U0010ffff"


@dataclass
class _Entry:
    """What a model says of two names."""

    verdict: Literal["same", "different", "unsure"]


@dataclass(frozen=True, slots=True)
class Question:
    """Two entities, a memory that names each, and the proposal that waits, if one does."""

    keep: EntityRow
    other: EntityRow
    told: tuple[Record, Record]
    proposal: MergeRow | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model, by its name, made of a question."""

    question: Question
    same: bool
    by: str


def verdicts(engine: Engine, record: Record, going_on: Callable[[], bool]) -> list[Verdict]:
    """Ask about the names in a memory that may be other names of what is known; a model that fails leaves the rest."""
    model = asker(engine, record.memory.scope, USE)
    if model is None:
        return []
    llm, found = Held(model, going_on), list[Verdict]()
    for question in _questions(engine, record):
        try:
            values = _values(question)
            said = asked(llm, prompt("same"), one(_Entry), max_tokens=_ANSWER, **values)
        except ProviderError as error:
            log.warning("%s was not asked about more names of %s: %s", llm.name, record.memory.id, error)
            break
        found.append(Verdict(question, said.verdict == "same", f"{llm.name} ({prompt('same').label})"))
    return found


def _values(question: Question) -> dict[str, str]:
    first, second = question.keep, question.other
    return {
        "first": first.name,
        "first_said": _sentence(first, question.told[0].memory),
        "second": second.name,
        "second_said": _sentence(second, question.told[1].memory),
    }


def _sentence(row: EntityRow, memory: Memory) -> str:
    """Return the sentence of a memory that names an entity, its beginning where the text has another name for it."""
    key, parts = name_key(NAME, row.name), sentences(memory.content)
    found = next((part for part in parts if key in name_key(NAME, part)), parts[0] if parts else memory.content)
    return shorten(found, _SENTENCE)


# ------------------------------------------------------------------------------------------------------------ questions


def _questions(engine: Engine, record: Record) -> list[Question]:
    """Return the pairs to be asked about: those that an embedder proposed, then those whose names look alike."""
    if not _vouches(record.memory):
        return []
    found: list[Question] = []
    with engine.store.read(record.memory.scope.org) as reader:
        for one_, other, proposal in _pairs(reader, record):
            told = _told(engine, reader, record, (one_, other))
            if told is not None:
                found.append(Question(one_, other, told, proposal))
            if len(found) == PAIRS:
                break
    return found


def _pairs(reader: Reader, record: Record) -> list[tuple[EntityRow, EntityRow, MergeRow | None]]:
    agent = record.memory.scope.agent
    mentions = reader.find(MentionRow, [Test("num", "eq", record.num)], order="entity")
    rows = among(reader, EntityRow, "id", [each.entity for each in mentions][:_NAMES]) if mentions else []
    rows = [row for row in rows if row.type not in UNCOMPARED]
    tops = {top.id: top for top in rooted(reader, rows, agent).values()}
    found: dict[tuple[int, int], tuple[EntityRow, EntityRow, MergeRow | None]] = {}
    for top in tops.values():
        for waiting in _proposed(reader, top):
            ends = among(reader, EntityRow, "id", (waiting.keep, waiting.other))
            if len(ends) == 2 and waiting.agent == agent and not any(end.merged_into for end in ends):
                first, second = sorted(ends, key=lambda row: row.id != waiting.keep)
                if not _asked_about(reader, first, second):
                    found.setdefault((first.id, second.id), (first, second, waiting))
    for top in tops.values():
        for other in _like(reader, top):
            keep, under = sorted((top, other), key=lambda row: (row.family == NAME, row.id))
            if not _decided(reader, keep, under):
                found.setdefault((keep.id, under.id), (keep, under, None))
    return list(found.values())


def _proposed(reader: Reader, row: EntityRow) -> list[MergeRow]:
    """Return what waits of an entity that no text claims: an embedder took the names for likely one."""
    waiting = [Test("ns", "eq", row.ns), Test("state", "eq", PROPOSED), Test("num", "eq", None)]
    ends = (reader.find(MergeRow, [*waiting, Test(end, "eq", row.id)], order="id") for end in ("keep", "other"))
    return [each for found in ends for each in found]


def _like(reader: Reader, row: EntityRow) -> list[EntityRow]:
    """Return the entities of their own whose names may be other names of one."""
    found: dict[int, EntityRow] = {}
    for start in beginnings(row):
        near = [Test("ns", "eq", row.ns), Test("key", "ge", start), Test("key", "lt", start + _LAST)]
        found |= {each.id: each for each in reader.find(EntityRow, near, order="key", limit=_LIKE)}
    rows = (each for each in found.values() if each.id != row.id and each.merged_into is None)
    return [other for other in rows if may_be_one(row, other)]


def _asked_about(reader: Reader, one_: EntityRow, other: EntityRow) -> bool:
    return _decided(reader, one_, other, Test("state", "eq", ASKED))


def _decided(reader: Reader, one_: EntityRow, other: EntityRow, *also: Test) -> bool:
    """Say whether somebody decided about two entities, is asked to, or a model was."""
    ids = (one_.id, other.id)
    return bool(reader.find(MergeRow, [Test("keep", "in", ids), Test("other", "in", ids), *also], order="id", limit=1))


def _told(
    engine: Engine, reader: Reader, record: Record, pair: tuple[EntityRow, EntityRow]
) -> tuple[Record, Record] | None:
    """Return a memory that names each of two entities, within the memory's own view; None where one has none."""
    where = within(record.memory.scope).but(*live(engine.clock.now()))
    found = []
    naming = [{num for _, num in reader.newest_mentions([row.id], _HEARD)} for row in pair]
    both = _naming_both(reader, pair)
    for held in naming:
        nums = tuple(sorted(held - both))
        records = reader.find(Record, where.but(Test("num", "in", nums)), order="-num") if nums else []
        own = [each for each in records if each.num == record.num]
        first = next((each for each in (*own, *records) if _vouches(each.memory)), None)
        if first is None:
            return None
        found.append(first)
    return found[0], found[1]


def _naming_both(reader: Reader, pair: tuple[EntityRow, EntityRow]) -> set[int]:
    """Return the memories that name both of two entities: what such a text says of the two is a claim, no evidence."""
    first, second = ([Test("entity", "eq", row.id)] for row in pair)
    nums = {each.num for each in reader.find(MentionRow, first, order="num")}
    return nums & {each.num for each in reader.find(MentionRow, second, order="num")}


def _vouches(memory: Memory) -> bool:
    """Say whether a memory is evidence of who is who: what comes from outside, or waits, is not."""
    return memory.source.type not in _OUTSIDE and not memory.is_contested


# -------------------------------------------------------------------------------------------------------------- verdict


def put(engine: Engine, transaction: Transaction, verdict: Verdict, record: Record, trail: Trail) -> None:
    """Write down what a model said of two names, if both are still entities of their own, and vouched for.

    It goes when the memory is erased that had it asked.
    """
    question, scope = verdict.question, record.memory.scope
    pair = (question.keep.id, question.other.id)
    rows = among(transaction, EntityRow, "id", pair)
    tops = {row.id for row in rooted(transaction, rows, scope.agent).values()} if len(rows) == 2 else set()
    if tops != set(pair) or not _still(engine, transaction, question, scope):
        return
    proposal = question.proposal
    if proposal is None and _decided(transaction, question.keep, question.other):
        return
    place = engine.new_id("mrg"), question.keep.ns, *pair
    if not verdict.same:
        reason = f"{verdict.by} did not take them for one"
        transaction.put(MergeRow(*place, record.num, scope.agent, ASKED, reason, trail.at))
        return
    reason = f"{verdict.by} takes them for one"
    if proposal is not None:
        place, reason = (proposal.id, proposal.ns, *pair), f"{proposal.reason}; {reason}"
    try:
        register = Register(transaction, engine.packs, scope.org, scope.user)
        register.merge(question.other.id, question.keep.id, scope.agent)
    except ValueError:
        return  # another agent's word stands
    transaction.put(MergeRow(*place, record.num, scope.agent, MERGED, reason, trail.at))
    trail.note("merge", place[0], reason=f"by {verdict.by}")


def _still(engine: Engine, transaction: Transaction, question: Question, scope: Scope) -> bool:
    """Say whether the memories that a model was shown say the same still, and the proposal waits."""
    nums = tuple({each.num for each in question.told})
    where = within(scope).but(*live(engine.clock.now()), Test("num", "in", nums))
    now = {each.num: each.memory for each in transaction.find(Record, where)}
    if any(each.num not in now or now[each.num].content != each.memory.content for each in question.told):
        return False
    if any(not _vouches(memory) for memory in now.values()):
        return False
    proposal = question.proposal
    if proposal is None:
        return True
    return bool(transaction.find(MergeRow, [Test("id", "eq", proposal.id), Test("state", "eq", PROPOSED)], order="id"))
