"""Consolidation: `consolidate` extracts facts from episodes and summarises related ones, linked to their episodes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice, zip_longest
from operator import methodcaller

from engrain.arguments import Progress
from engrain.conversation.sessions import summary_draft
from engrain.conversation.summaries import Summary, TierCompactor
from engrain.conversation.window import transcript
from engrain.engine import Engine
from engrain.errors import MemoryRejected, ProviderError
from engrain.guard import guard, log
from engrain.language.analyzer import in_use
from engrain.language.antecedents import clauses_of, has_open_pronoun, own_sentences, with_antecedents
from engrain.language.changes import Change, changes_in, may_change, statements_in, word_before
from engrain.language.cues import is_chatter, worth
from engrain.language.facts import stated_facts, states_lasting
from engrain.language.locales import has, has_any, is_read, union
from engrain.language.phrases import text_of, vocabulary, with_owners
from engrain.language.reading import Clause, Modality, Tense, opening_pronoun
from engrain.language.statements import LONGEST
from engrain.language.tokens import sentences
from engrain.lazy import Floats
from engrain.llm.asker import Account, Spent
from engrain.llm.tasks import ModelExtractor
from engrain.model import memory as models
from engrain.model.filters import AnyOf, Condition, Filter, Test, Where, preceding_turns, unexpired, within
from engrain.model.memory import Fact, Job, JobState, Kind, Memory, Scope, SourceType, Turn, slot, speaker, with_user
from engrain.model.results import OFFLINE, Consolidation, Decision, Remembered
from engrain.policies.entries import says_all
from engrain.protocols import Candidate, Extractor, Reader, Transaction
from engrain.security.admission import least_trusted
from engrain.security.audit import Trail
from engrain.storage.interface import grouped, holders
from engrain.storage.rows import Edge, Record, Setting, Vector
from engrain.text import normalise
from engrain.validation import checked_whole
from engrain.write.conflicts import EXACT, completed, conflict_rules, earlier, in_slot, replaced
from engrain.write.extraction import Limits, OfflineExtractor, drafts_of, found_by
from engrain.write.pipeline import STORED, Writer
from engrain.write.prepare import PLAIN, Draft, Intent, Prepared, draft, embedded, identity, prepare, probes
from engrain.write.transitions import Editor, find_by_id, report_consolidated, report_extracted, retention_columns

_CONSOLIDATE = "consolidate"  # the kind of the jobs of episodes that failed
_NEXT = "consolidate_next"  # the setting with the namespace that was read last, in runs through the whole store
_SOON, _LONG = timedelta(days=3), timedelta(days=7)  # before an episode leaves, and after it was recorded
UNLEARNT = Test("unlearnt", "ge", datetime.min.replace(tzinfo=UTC))  # in this form it is read from an index
_LOOKED_AT = 1000  # of the episodes that may leave soon, the oldest
_LEAST_RATING = 3.0  # of a statement that is worth a memory of its own
_NOTABLE_RATING = 5.0
_OWN_WORDS = frozenset({SourceType.SYSTEM, SourceType.USER_INPUT, SourceType.LLM_GENERATED})
_MACHINES = frozenset({"assistant", "ai", "bot", "model", "agent", "system", "tool", "function"})
_MOST_SOURCES = 500  # episodes that one memory is derived from
_OCCASIONS = 3  # on which a statement is made before it counts as known
_SAME = 0.8  # the least cosine of two texts of which one has every word of the other in order
_COMPARED = 64  # memories
_RELATED = 0.6  # the least cosine of a member and the episode that the cluster was found around
_GROWN = 1.5  # times as many members as at its last summary, and a cluster is summarised anew
_NOTABLE = 0.4  # the least importance of a member
_IN_A_ROW = 3  # failures that end a run: the extractor or the model is down
ATTEMPTS = 10  # attempts at an episode before it is given up, over about two days
_LIMITS = Limits(min_importance=3, max_facts=10)  # of one episode
_ROLES = {SourceType.LLM_GENERATED: "assistant", SourceType.TOOL_RESULT: "tool", SourceType.SYSTEM: "system"}
_AT_ONCE = 200  # episodes of a run that reads them by rules
_TURNS_BEFORE = 6  # turns in which a pronoun or an elliptical change looks for what it is about
_LONGEST_TEXT, _MOST_FACTS = 20_000, 5  # characters of an episode that are read, and facts that are kept
_FEWEST, _FEWEST_SESSIONS = 4, 3  # different episodes of a cluster, and sessions that they are from
_SHORTEST_SUMMARY, _LONGEST_SUMMARY = 60, 300  # tokens
_SHORTEST_WAIT, _LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=6)  # between attempts, four times as long each


def may_be_learnt(memory: Memory, now: datetime) -> bool:
    """Return whether a memory is a live episode that was not consolidated yet."""
    is_new = memory.kind is Kind.EPISODIC and memory.consolidated_at is None
    is_believed = memory.believed_until is None and not memory.is_superseded
    return is_new and is_believed and memory.as_of_clock(now).stored_status is models.Status.ACTIVE


def _job_id(memory: Memory) -> str:
    return f"job_consolidate_{memory.id}"


def _next_episodes(engine: Engine, reader: Reader, scope: Scope | None, now: datetime, most: int) -> list[Record]:
    """Return the next episodes, first those that leave soon; without a scope those of all users in turn."""
    postponed = AnyOf(((Test("state", "eq", JobState.DEAD),), (Test("run_at", "gt", now),)))
    failed = frozenset(job.memory_id for job in reader.find(Job, [Test("kind", "eq", _CONSOLIDATE), postponed]))
    if scope is not None:
        return _next_in(engine, reader, within(scope), now, most=most, failed=failed)
    setting = reader.find(Setting, [Test("name", "eq", _NEXT)])
    last = int(setting[0].value) if setting else -1
    spaces = sorted(map(int, reader.count(Record, (UNLEARNT,), by="ns")), key=lambda space: (space <= last, space))
    lines = [_next_in(engine, reader, (Test("ns", "eq", ns),), now, most=most, failed=failed) for ns in spaces[:most]]
    return [record for row in zip_longest(*lines) for record in row if record is not None][:most]


def _next_in(
    engine: Engine, reader: Reader, place: Where, now: datetime, *, most: int, failed: frozenset[str]
) -> list[Record]:
    retention = engine.retention

    def find(limit: int, *tests: Condition, newest: bool = False) -> list[Record]:
        wanted = (UNLEARNT, Test("superseded_by", "eq", None), unexpired(now), *tests)
        where = place.but(*wanted) if isinstance(place, Filter) else (*place, *wanted)
        found = reader.find(Record, where, order="-unlearnt" if newest else "unlearnt", limit=limit + len(failed))
        fit = [each for each in found if each.memory.id not in failed and may_be_learnt(each.memory, now)]
        way = -1 if newest else 1
        fit.sort(key=lambda each: (way * each.memory.recorded_at.timestamp(), each.memory.id))
        return fit[:limit]

    def end_of(memory: Memory) -> datetime:
        if (end := models.given_end(memory)) is not None:
            return end
        ttl = retention.of(memory).ttl
        return memory.recorded_at + ttl if isinstance(ttl, timedelta) else datetime.max.replace(tzinfo=UTC)

    soon = now + _SOON
    policies = (retention.policy(Kind.EPISODIC), *(p for p in retention.policies if p.kind in (None, Kind.EPISODIC)))
    shortest = min((each.ttl for each in policies if isinstance(each.ttl, timedelta)), default=None)
    urgent = find(_LOOKED_AT, Test("due_at", "le", soon)) + find(most, Test("unlearnt", "lt", now - _LONG))
    if shortest is not None and shortest < _LONG + _SOON:
        ending = find(_LOOKED_AT, Test("unlearnt", "le", soon - shortest))
        urgent += [each for each in ending if end_of(each.memory) <= soon]
    first = {each.num: each for each in urgent}
    chosen = sorted(first.values(), key=lambda each: (end_of(each.memory), each.memory.recorded_at, each.memory.id))
    chosen = chosen[:most]
    others = (each for each in find(most + len(chosen), newest=True) if each.num not in first)
    return [*chosen, *islice(others, most - len(chosen))]


def _drop_obsolete(engine: Engine, scope: Scope | None, now: datetime) -> None:
    """Delete due jobs without work: their episodes have left, or were consolidated."""
    tests = [Test("kind", "eq", _CONSOLIDATE), Test("state", "eq", JobState.QUEUED), Test("run_at", "le", now)]
    with engine.store.read(None if scope is None else scope.org) as reader:
        due = reader.find(Job, tests, order="run_at", limit=_LOOKED_AT)
        ids = Test("id", "in", tuple(job.memory_id for job in due))
        waiting = {r.memory.id for r in reader.find(Record, [ids]) if may_be_learnt(r.memory, now)} if due else set()
    for org, jobs in grouped((job for job in due if job.memory_id not in waiting), lambda job: job.org).items():
        obsolete = [Test("id", "in", tuple(job.id for job in jobs)), Test("run_at", "le", now)]
        engine.store.write(methodcaller("delete", Job, obsolete), org)


def _is_first_hand(memory: Memory) -> bool:
    """Return whether an episode is a statement of a person or a note: not of an assistant or a tool, and no summary."""
    if memory.metadata.get("is_summary") is True or (memory.actor or "").casefold() in _MACHINES:
        return False
    return memory.source.type in _OWN_WORDS or memory.fact is not None


def _statements(memory: Memory, languages: Sequence[str], *, leaves: bool) -> list[Candidate]:
    """Return the lasting statements of an episode; of one that `leaves` also its notable sentences."""
    if not _is_first_hand(memory):
        return list(_of_user(memory, languages))
    content = memory.content
    stated = {
        sentence: [(text, with_user(fact, memory.scope.user)) for text, fact in facts]
        for sentence, facts in _stated(content[:_LONGEST_TEXT], speaker(memory), languages).items()
    }
    kept = [fact for facts in stated.values() for _, fact in facts]
    plain_text = [(text, fact) for sentence, facts in stated.items() if sentence not in content for text, fact in facts]
    is_whole = not plain_text and len(content) <= LONGEST and (memory.fact not in kept or len(kept) == 1)
    if memory.fact is not None and is_whole:
        return [Candidate(content=content, rating=max(worth(content), _LEAST_RATING), fact=memory.fact)]
    found = [Candidate(content=text, rating=_LEAST_RATING, fact=fact) for text, fact in plain_text]  # in plain words
    before = ""
    for sentence in own_sentences(content[:_LONGEST_TEXT]):
        before, whole = sentence, _with_topic(before, sentence, memory.valid_from)
        if whole != sentence:
            fact = next((fact for _, fact in stated.get(sentence, ())), None)
            found.append(Candidate(content=whole, rating=_LEAST_RATING, fact=fact))
            continue
        if is_chatter(sentence) and not any(fact for _, fact in stated.get(sentence, ())):
            continue
        rating = max(worth(sentence), _LEAST_RATING)
        if facts := stated.get(sentence):
            found += [Candidate(content=text, rating=rating, fact=fact) for text, fact in facts if len(text) <= LONGEST]
        elif len(sentence) <= LONGEST:
            fact = in_use.analyzer.statement(sentence, speaker=speaker(memory), languages=languages).fact
            fact = with_user(fact, memory.scope.user)
            lasting = states_lasting(sentence) or (leaves and rating >= _NOTABLE_RATING)
            if fact is not None or (lasting and not has(sentence, "elsewhere")):
                found.append(Candidate(content=sentence, rating=rating, fact=fact))
    return found[:_MOST_FACTS]


def _with_topic(before: str, sentence: str, at: datetime) -> str:
    """Return a sentence of change with the one before it where only that names the thing."""
    joined = f"{before} {sentence}"
    if not before or len(joined) > LONGEST or any(not each.is_elliptical for each in changes_in(sentence, at)):
        return sentence
    is_open = any(each.subject is None and opening_pronoun(each) for each in clauses_of(sentence)[:1])
    if is_open and any(each.subject for each in clauses_of(joined)[-1:]):
        return joined  # "I signed up for the exam. It's on 3 May."
    if not may_change(joined):
        return sentence
    new = {each.reading.text.strip() for each in changes_in(joined, at) if not each.is_elliptical}
    return joined if new.difference(each.reading.text.strip() for each in changes_in(before, at)) else sentence


def _of_user(memory: Memory, languages: Sequence[str]) -> Iterator[Candidate]:
    """Yield the statements about "the user" of an agent's turn."""
    is_agent = memory.metadata.get("is_summary") is not True and memory.source.type in _OWN_WORDS
    for sentence in own_sentences(memory.content[:_LONGEST_TEXT]) if is_agent else ():
        clauses = [c for c in clauses_of(sentence) if c.modality is Modality.CERTAIN and c.tense is not Tense.PAST]
        words = [(c, word) for c in clauses for p in with_owners(c.subject) for word in p.words]
        users = [(c, word) for c, word in words if word.low in union("the_user")]
        the = any(word_before(w, c.text) in ("", *(c.locale.articles - c.locale.indefinite)) for c, w in users)
        if the and len(sentence) <= LONGEST and not is_chatter(sentence):
            found = [each.fact for each in stated_facts(sentence, None, languages) if each.fact is not None]
            rating, fact = max(worth(sentence), _LEAST_RATING), found[-1] if len(found) == 1 else None
            yield Candidate(content=sentence, rating=rating, fact=with_user(fact, memory.scope.user))


def _stated(text: str, who: str | None, languages: Sequence[str]) -> dict[str, list[tuple[str, Fact | None]]]:
    """Return the statements to store of each sentence: the whole with its fact, or clauses if it has several facts."""
    kept: dict[str, list[tuple[str, Fact | None]]] = {}
    for sentence, found in grouped(stated_facts(text, who, languages), lambda each: each.clause.text.strip()).items():
        facts = [each for each in found if each.fact is not None]
        if len(facts) > 1 and len({slot(each.fact)[:2] for each in facts if each.fact}) > 1:
            kept[sentence] = [(_clause_text(each.clause), each.fact) for each in facts]
        else:
            shown = _with_name(sentence, facts[-1].clause) if facts else sentence
            kept[sentence] = [(shown, facts[-1].fact if facts else None)]
    return kept


def _clause_text(clause: Clause) -> str:
    """Return a clause with its subject, which may be in the previous clause, replacing its pronoun."""
    text, subject = clause.text[clause.start : clause.stop].rstrip(" .,;!"), clause.subject
    named = _with_name(text, clause)
    if named != text or subject is None or clause.start <= subject.start < clause.stop:
        return f"{named[:1].upper()}{named[1:]}."
    shown = clause.text[subject.start : subject.stop]
    name = text_of(subject.names) or (shown if all(word.text in shown for word in subject.words) else "")
    return f"{name} {text}.".lstrip()


def _with_name(text: str, clause: Clause) -> str:
    """Return a text that begins with a clause, its pronoun replaced by the name of its subject."""
    subject, first = clause.subject, next(iter(clause.phrases), None)
    name = "" if subject is None else text_of(subject.names)
    owner = None if first is None else first.owner
    leads = first is not None and first.start == clause.start
    if name and owner is not None and leads and clause.locale.has_base_verbs:
        head, _, rest = text.partition(" ")
        return f"{name}'s {rest}" if head.lower() in vocabulary(clause.locale).third_owner else text  # "Ana's birthday"
    if subject is None or first is None or first.person != "they" or first.start != clause.start or first.owner:
        return text
    begins = text[: first.stop - first.start] == clause.text[first.start : first.stop]
    return f"{name}{text[first.stop - first.start :]}" if name and begins else text


def _occasion(memory: Memory) -> tuple[str, str]:
    """Return the day of an episode's session, or the episode itself outside a session: repeats there count once."""
    session = memory.scope.session
    return ("", memory.id) if session is None else (session, memory.valid_from.date().isoformat())


def _support(engine: Engine, transaction: Transaction, known: Record, source: Record, now: datetime) -> bool:
    """Derive a known memory from one more episode; False if it already is, or has enough sources."""
    tests = [Test("source", "eq", known.num), Test("relation", "eq", "derived_from")]
    sources = {edge.target for edge in transaction.find(Edge, tests)}
    if source.num in sources or len(sources) >= _MOST_SOURCES:
        return False
    records = transaction.find(Record, [Test("num", "in", tuple(sources))]) if sources else []
    new = _occasion(source.memory) not in {_occasion(record.memory) for record in records}
    transaction.put(Edge(known.num, "derived_from", source.num))
    editor = Editor(engine, transaction, Trail(engine, transaction, Scope(known.memory.scope.org), at=now))
    editor.support(known, source.memory, times=int(new), updated_at=now)
    editor.trail.write()
    return True


def _same_fact(engine: Engine, transaction: Transaction, memory: Memory, now: datetime) -> Record | None:
    """Return the known memory of the user and agent with this fact, if one of one value began no later."""
    if memory.fact is None:
        return None
    wanted, scope = slot(memory.fact), memory.scope
    tests = [*in_slot(transaction, scope, wanted), Test("object_key", "eq", wanted.object)]
    found = transaction.find(Record, tests, order="-importance", limit=_COMPARED)
    single = wanted.predicate in conflict_rules(engine).single_valued
    known = (each for each in found if _is_known(each.memory, scope.agent, now))
    fit = (each for each in known if not single or each.memory.valid_from <= memory.valid_from)
    return min(fit, key=lambda record: record.num, default=None)


def _is_known(memory: Memory, agent: str | None, now: datetime) -> bool:
    is_fact = memory.kind is Kind.SEMANTIC and memory.metadata.get("is_summary") is not True
    is_in_force = memory.stored_status is models.Status.ACTIVE and not memory.is_contested and memory.is_live_at(now)
    return is_fact and is_in_force and memory.scope.agent == agent


def _neighbours(
    engine: Engine,
    transaction: Transaction,
    record: Record,
    fits: Callable[[Memory], bool],
    *,
    rare: int,
    enough: Callable[[int, int], bool],
    least: float = -1.0,
) -> list[tuple[Record, float]]:
    """Return fitting memories that share `enough` of its `rare` words, each with its cosine, at `least` this, or -1."""
    scope, embedder = record.memory.scope, engine.embedder
    found = holders(transaction, scope.org, scope.user, probes(record.memory.keywords), limit=rare + 1)
    rows = [nums for nums in found if 0 < len(nums) <= rare]
    shared = Counter(num for nums in rows for num in nums if num != record.num)
    near = sorted((num for num, count in shared.items() if enough(count, len(rows))), reverse=True)[:_COMPARED]
    cosines = dict.fromkeys(near, -1.0)
    if embedder is not None and near:
        tests = [Test("ns", "eq", transaction.namespace(scope.org, scope.user)), Test("embedder", "eq", embedder.id)]
        nums = Test("num", "in", (record.num, *near))
        vectors: dict[int, Floats] = {row.num: row.values for row in transaction.find(Vector, [*tests, nums])}
        if (own := vectors.pop(record.num, None)) is not None:
            cosines |= {num: float(values @ own) for num, values in vectors.items()}
    near = [num for num in near if cosines[num] >= least]
    records = transaction.find(Record, [Test("num", "in", tuple(near))]) if near else []
    return [(other, cosines[other.num]) for other in records if fits(other.memory)]


def _note_repeat(engine: Engine, transaction: Transaction, record: Record, now: datetime) -> tuple[int, int]:
    """Note a repeated statement, which supports or becomes a fact; return how many were added and repeated."""
    memory = record.memory
    if not _is_statement(memory):
        return 0, 0

    def comparable(other: Memory) -> bool:
        if other.scope.agent != memory.scope.agent or not other.is_live_at(now) or other.is_contested:
            return False
        if has_any(memory.content, "first_person_words") and other.actor != memory.actor:
            return False
        return other.kind in (Kind.EPISODIC, Kind.SEMANTIC)

    same = [
        other
        for other, cosine in _neighbours(
            engine, transaction, record, comparable, rare=256, enough=lambda shared, rare: 3 * shared >= 2 * rare
        )
        if normalise(other.memory.content) == normalise(memory.content)
        or (cosine >= _SAME and (_states(other.memory, memory) or _states(memory, other.memory)))
    ]
    known = [r for r in same if _is_known(r.memory, memory.scope.agent, now) and _states(memory, r.memory)]
    if known:
        return 0, int(_support(engine, transaction, min(known, key=lambda other: other.num), record, now))
    # The shortest of the texts that most episodes state, then all episodes that state it, the newest first.
    episodes = [record, *(other for other in same if _is_statement(other.memory))]
    episodes.sort(key=lambda each: (len(each.memory.content), each.num))
    agreeing = [[each, *(r for r in episodes if r is not each and _states(r.memory, each.memory))] for each in episodes]
    first, *others = max(agreeing, key=len)
    every = [each.memory for each in (first, *sorted(others, key=lambda each: -each.num))]
    if len({_occasion(each) for each in every}) < _OCCASIONS:
        return 0, 0
    sources = every[:_MOST_SOURCES]
    item = prepare(engine, _repeated(engine, sources), now)
    new = replace(item.memory, evidence_count=len({_occasion(each) for each in sources}))
    (result,) = Writer(engine, transaction, now).write([item._replace(memory=new, identity=identity(new))])
    return (1, 0) if result.status in STORED else (0, 1)


def _repeated(engine: Engine, sources: Sequence[Memory]) -> Draft:
    first, actors = sources[0], {memory.actor for memory in sources}
    return draft(
        first.content,
        scope=Scope(first.scope.org, first.scope.user, first.scope.agent),
        settings=engine.settings,
        kind="semantic",
        domain=first.domain,
        source_type=least_trusted(memory.source.type for memory in sources),
        source_ref=f"{first.id}:repeated",
        actor=actors.pop() if len(actors) == 1 else None,
        fact=first.fact,
        importance=max(memory.importance for memory in sources),
        confidence=max(memory.confidence for memory in sources),
        derived_from=[memory.id for memory in sources],
        valid_from=min(memory.valid_from for memory in sources),
    )


def _is_statement(memory: Memory) -> bool:
    is_report = memory.kind is Kind.EPISODIC and models.given_end(memory) is None and _is_first_hand(memory)
    if not is_report or len(memory.content) > LONGEST or is_chatter(memory.content):
        return False
    return worth(memory.content) >= _LEAST_RATING and len(sentences(memory.content)) == 1


def _states(one: Memory, other: Memory) -> bool:
    return normalise(one.content) == normalise(other.content) or says_all(one.content, other.content)


def _summarise_clusters(engine: Engine, around: Sequence[Record], now: datetime, account: Account) -> None:
    users = grouped(around, lambda record: Scope(record.memory.scope.org, record.memory.scope.user))
    for scope, records in users.items():
        if not any(_is_member(record.memory, frozenset(), now) for record in records):
            continue
        with engine.store.read(scope.org) as reader:
            actors = frozenset(actor.casefold() for actor in reader.actors(within(scope)))
        members = (record for record in records if _is_member(record.memory, actors, now))
        made = sum(_summarise_cluster(engine, record, actors, now, account) for record in members)
        engine.counters.count("created", scope, made)


def _summarise_cluster(engine: Engine, record: Record, actors: frozenset[str], now: datetime, account: Account) -> bool:
    search, org = partial(_cluster, engine, record, actors, now), record.memory.scope.org
    cluster = engine.store.write(search, org)
    item = None if cluster is None else _summary(engine, *cluster, now, account)
    if item is None:
        return False

    def change(transaction: Transaction) -> bool:
        if search(transaction) != cluster:
            return False  # another worker summarised it, or an episode has changed
        (result,) = Writer(engine, transaction, now).write([item])
        return result.status in STORED

    made = engine.store.write(change, org)
    if made and item.memory.metadata["told_by"] != OFFLINE:
        account.did()
    return made


def _is_member(memory: Memory, actors: frozenset[str], now: datetime) -> bool:
    """Return whether an episode may be in a cluster: a statement that has a topic besides the actors."""
    is_report = memory.kind is Kind.EPISODIC and models.given_end(memory) is None and _is_first_hand(memory)
    is_notable = memory.scope.session is not None and memory.importance >= _NOTABLE
    return is_report and is_notable and memory.is_live_at(now) and bool(_topics(memory, actors))


def _topics(memory: Memory, actors: frozenset[str]) -> frozenset[str]:
    """Return the names in an episode except those of the actors, or, without any, its informative words."""
    return frozenset(name.casefold() for name in memory.entities) - actors or frozenset(probes(memory.keywords))


def _cluster(
    engine: Engine, record: Record, actors: frozenset[str], now: datetime, transaction: Transaction
) -> tuple[list[Record], Record | None] | None:
    """Return the cluster around an episode, oldest first, and its present summary; None if not to be summarised."""
    agent, topics = record.memory.scope.agent, _topics(record.memory, actors)

    def belongs(other: Memory) -> bool:
        fits = other.scope.agent == agent and _is_member(other, actors, now)
        return fits and not topics.isdisjoint(_topics(other, actors))

    near = _neighbours(engine, transaction, record, belongs, rare=64, enough=lambda some, _: some > 1, least=_RELATED)
    members = [record, *(other for other, _ in near)]
    texts = {normalise(each.memory.content) for each in members}
    if len(texts) < _FEWEST or len({_occasion(each.memory) for each in members}) < _FEWEST_SESSIONS:
        return None
    targets = Test("target", "in", tuple(each.num for each in members))
    derived = Test("relation", "eq", "derived_from")
    counts = Counter(edge.source for edge in transaction.find(Edge, [targets, derived]))
    found = transaction.find(Record, [Test("num", "in", tuple(counts))]) if counts else []
    summaries = [r for r in found if r.memory.metadata.get("is_cluster") is True and r.memory.is_live_at(now)]
    summary = max(summaries, key=lambda r: (counts[r.num], -r.num), default=None)
    if summary is not None:
        nums = {edge.target for edge in transaction.find(Edge, [Test("source", "eq", summary.num), derived])}
        both = nums | {each.num for each in members if each.memory.trust >= summary.memory.trust - 1e-9}
        if len(both) < _GROWN * len(nums) or len(both) > _MOST_SOURCES:
            return None
        every = transaction.find(Record, [Test("num", "in", tuple(both))])
        members = [each for each in every if _is_member(each.memory, actors, now)]
    return sorted(members, key=lambda each: (each.memory.valid_from, each.num)), summary


def _summary(
    engine: Engine, members: Sequence[Record], old: Record | None, now: datetime, account: Account
) -> Prepared | None:
    """Return the summary of a cluster; None if the model cannot be asked now, or its text may not be kept."""
    memories = [each.memory for each in members]
    first = memories[0]
    text = transcript([Turn(role="user", content=m.content, actor=m.actor, at=m.valid_from) for m in memories])
    target = min(max(engine.tokenizer.count_tokens(text) // 3, _SHORTEST_SUMMARY), _LONGEST_SUMMARY)
    failed: list[Exception] = []

    def note(_tier: int, error: Exception) -> None:
        failed.append(error)
        account.failed(error)

    compactor = TierCompactor(account.asker(first.scope, "summary"), engine.tokenizer, on_error=note)
    made = guard("the summary of a cluster", partial(compactor.summary, text, 1, target)) or Summary("")
    if not made.text.strip() or any(isinstance(error, ProviderError) for error in failed):
        return None  # a model that is paused or down is asked again with the next episode
    try:
        item = summary_draft(
            engine,
            made,
            (memory.source.type for memory in memories),
            scope=replace(first.scope, session=None),
            kind="semantic",
            domain=first.domain,
            metadata={"is_cluster": True, "original_count": len(memories)},
            derived_from=[memory.id for memory in memories],
            valid_from=first.valid_from if old is None else None,
            resolve="off",
            intent=PLAIN if old is None else Intent(target=old.memory.id, reason="it covers more episodes"),
        )
    except MemoryRejected:
        return None
    return embedded(engine, [prepare(engine, item, now)])[0]


def consolidate(
    engine: Engine, scope: Scope | None, *, batch_size: int = 10, progress: Progress | None = None
) -> Consolidation:
    """Learn from the next episodes of a view, or with None of the whole store; see `MemoryManager.consolidate`."""
    checked_whole(batch_size, "batch_size", least=1)
    if engine.store.read_only:
        return Consolidation()
    now, run, slow = engine.clock.now(), _Run(engine), asks_others(engine)
    with engine.store.read(None if scope is None else scope.org) as reader:
        episodes = _next_episodes(engine, reader, scope, now, batch_size)
    _drop_obsolete(engine, scope, now)
    size = 1 if slow else batch_size
    for start in range(0, len(episodes), size):
        run.learn(episodes[start : start + size])
        if progress is not None and slow:
            progress(len(run.learnt) + run.failed, len(episodes), "episodes")
        if run.paused or run.in_a_row >= _IN_A_ROW:
            break
    if not run.paused:
        _summarise_clusters(engine, run.learnt, now, run.account)
    if scope is None and episodes:
        last = episodes[-1].memory.scope
        engine.store.write(lambda tx: tx.put(Setting(_NEXT, str(tx.namespace(last.org, last.user)))), last.org)
    if episodes:
        counts = (len(run.learnt), run.added, run.merged, run.failed)
        log.info("consolidation: %d episodes, %d facts added, %d repeated, %d failed", *counts)
    return Consolidation(len(run.learnt), run.added, run.merged, run.failed, run.paused, **run.account.worked())


def learn_statements(engine: Engine, scope: Scope, until: float | None = None) -> bool:
    """Consolidate waiting episodes by rules, until the monotonic clock passes `until`; False where one is left."""
    if engine.store.read_only or asks_others(engine):
        return True
    while (done := consolidate(engine, scope, batch_size=_AT_ONCE)).processed and not done.failed:
        if until is not None and time.monotonic() >= until:
            return done.processed < _AT_ONCE
    return not done.failed


def asks_others(engine: Engine) -> bool:
    """Return whether a model or the caller's extractor finds the facts, which is slow: episodes are stored singly."""
    return engine.llm is not None or _own_extractor(engine) is not None


def _own_extractor(engine: Engine) -> Extractor | None:
    return None if type(engine.extractor) is OfflineExtractor else engine.extractor


_Lesson = tuple[Record, Sequence[Remembered], int, int]
"""An episode that was learnt from, what became of its facts, and how many were new and repeated."""


class _Run:
    def __init__(self, engine: Engine) -> None:
        self.engine, self.now, self.account = engine, engine.clock.now(), Account(engine)
        self.learnt: list[Record] = []
        self.added = self.merged = self.failed = self.in_a_row = 0
        self.paused = False
        self.intent = Intent(resolve=engine.settings.resolve == "auto")

    def learn(self, episodes: Sequence[Record]) -> None:
        """Learn from episodes until the budget for the language model is spent."""
        prepared: list[tuple[Record, list[Prepared]]] = []
        for record in episodes:
            try:
                prepared.append((record, self._prepared(record.memory)))
            except Spent as error:
                self.account.failed(error)
                log.warning("consolidation pauses: the budget for the language model is spent for today")
                self.paused = True
                break
            except (ProviderError, ValueError) as error:
                self.account.failed(error)
                self.failed, self.in_a_row = self.failed + 1, self.in_a_row + 1
                self._put_off(record.memory, error)
        callbacks = self.engine.callbacks
        for org, some in grouped(prepared, lambda each: each[0].memory.scope.org).items():
            self.in_a_row = 0
            for record, facts, added, merged in self.engine.store.write(partial(self._store, some), org):
                self.learnt.append(record)
                self.added += added
                self.merged += merged
                self.engine.counters.count("created", record.memory.scope, added)
                if callbacks:
                    report_extracted(callbacks, [_as_turn(record.memory)], facts)
                    report_consolidated(callbacks, facts, partial(self._find, org))

    def _find(self, org: str, memory_id: str) -> Memory | None:
        with self.engine.store.read(org) as reader:
            found = find_by_id(reader, memory_id)
        return found.memory if found else None

    def _prepared(self, memory: Memory) -> list[Prepared]:
        """Return the facts of an episode ready to be stored; they leave with it if its caller gave its end."""
        engine = self.engine
        if not asks_others(engine):
            memory = replace(memory, content=self.resolved(memory))
        turn, whole = _as_turn(memory), replace(self._whole(memory), source_ref=memory.id)
        drafts = drafts_of(engine, self._facts(memory, turn), whole, turn)
        return embedded(engine, [prepare(engine, item, self.now) for item in drafts])

    def _whole(self, memory: Memory) -> Draft:
        """Return the draft of a fact that is derived from an episode, with the text of the episode."""
        return Draft(
            content=memory.content,
            scope=replace(memory.scope, session=None),
            kind=Kind.SEMANTIC,
            actor=memory.actor,
            domain=memory.domain,
            source_type=memory.source.type,
            source_id=memory.source.id,
            confidence=memory.confidence,
            metadata=memory.metadata,
            derived_from=(memory.id,),
            valid_from=memory.valid_from,
            valid_until=memory.valid_until,
            ttl=models.time_left([memory], self.now),
            intent=self.intent,
        )

    def _facts(self, memory: Memory, turn: Turn) -> list[Candidate]:
        """Return the facts of an episode; raises `ProviderError` or `ValueError` if they could not be found out."""
        engine, largest = self.engine, self.engine.settings.max_content_bytes
        if memory.metadata.get("is_summary") is True:
            return []
        own = _own_extractor(engine)
        if own is not None:
            failed: list[Exception] = []
            found = guard("the extractor", lambda: found_by(own, [turn], max_bytes=largest), failed=failed.append)
            if found is None:
                raise ProviderError(f"the extractor failed ({type(failed[0]).__name__ if failed else 'nothing'})")
            return _LIMITS.best(found)
        llm = self.account.asker(memory.scope, "extract")
        if llm is not None:
            facts = _LIMITS.best(found_by(ModelExtractor(llm), [turn], max_bytes=largest))
            self.account.did()
            return facts
        leaves = engine.retention.of(memory).ttl is not None and not memory.pinned
        return _statements(memory, engine.settings.languages, leaves=leaves)

    def resolved(self, memory: Memory) -> str:
        """Return an episode's text with pronouns replaced by the last person named, unless a machine named another."""
        text, (before, order) = memory.content[:_LONGEST_TEXT], preceding_turns(memory)
        if not before or not _is_first_hand(memory) or not has_open_pronoun(text):
            return with_antecedents(text)
        with self.engine.store.read(memory.scope.org) as reader:
            found = reader.find(Record, within(memory.scope).but(*before), order=order, limit=_TURNS_BEFORE)
        live = (each.memory for each in reversed(found) if each.memory.is_live_at(self.now))  # none that is quarantined
        turns = [turn for turn in live if turn.scope.user == memory.scope.user]
        contexts = {"\n".join(turn.content for turn in some) for some in (turns, filter(_is_first_hand, turns))}
        readings = {with_antecedents(text, each) for each in contexts}
        return readings.pop() if len(readings) == 1 else with_antecedents(text)

    def _store(self, prepared: Sequence[tuple[Record, list[Prepared]]], transaction: Transaction) -> list[_Lesson]:
        """Store the facts of episodes in the order of their validity, so that later ones replace earlier ones."""
        done: list[_Lesson] = []
        for before, items in sorted(prepared, key=lambda each: (each[0].memory.valid_from, each[0].num)):
            same = [Test("num", "eq", before.num), Test("id", "eq", before.memory.id)]
            record = next(iter(transaction.find(Record, same)), None)
            if record is None or record.memory.content != before.memory.content:
                continue  # it was edited or left in the meantime
            if not may_be_learnt(record.memory, self.now):
                continue  # another worker was faster
            items = _Changes(self, transaction, record).with_closed(items)
            facts = [self._stored(transaction, item, record) for item in items]
            added = sum(fact.status in STORED for fact in facts)
            merged = len(facts) - added
            if not items:
                added, merged = _note_repeat(self.engine, transaction, record, self.now)
            after = replace(record.memory, consolidated_at=self.now)
            columns = retention_columns(self.engine.retention, after, self.now)
            transaction.update(Record, [Test("num", "eq", record.num)], consolidated_at=self.now, **columns)
            transaction.delete(Job, [Test("id", "eq", _job_id(record.memory))])
            done.append((record, facts, added, merged))
        return done

    def derived(self, memory: Memory, content: str, intent: Intent, olds: Sequence[Memory] = ()) -> Prepared:
        """Return a sentence of an episode, or what it states in the words of older ones, ready to be stored."""
        left = models.time_left((memory, *olds), self.now)
        item = replace(self._whole(memory), content=content, intent=intent, ttl=left)
        return embedded(self.engine, [prepare(self.engine, item, self.now)])[0]

    def _stored(self, transaction: Transaction, item: Prepared, record: Record) -> Remembered:
        known = None if item.intent.closes else _same_fact(self.engine, transaction, item.memory, self.now)
        if known is None:
            (result,) = Writer(self.engine, transaction, self.now).write([item])
            return result
        _support(self.engine, transaction, known, record, self.now)
        return Remembered(known.memory, "noop", Decision("duplicate", EXACT, f"{known.memory.id} states the same"))

    def _put_off(self, memory: Memory, error: Exception) -> None:
        """Postpone a failed episode, longer each time, and in the end leave it for a review."""
        reason = str(error) if isinstance(error, ProviderError) else type(error).__name__
        org, job_id = memory.scope.org, _job_id(memory)

        def change(transaction: Transaction) -> None:
            if find_by_id(transaction, memory.id) is None:
                return  # erased in the meantime
            jobs = transaction.find(Job, [Test("id", "eq", job_id)])
            attempts = (jobs[0].attempts if jobs else 0) + 1
            due = self.now + min(_SHORTEST_WAIT * 4 ** (attempts - 1), _LONGEST_WAIT)
            state = JobState.DEAD if attempts >= ATTEMPTS else JobState.QUEUED
            transaction.put(Job(job_id, _CONSOLIDATE, org, memory.id, due, state, attempts, reason))

        self.engine.store.write(change, org)


def _as_turn(memory: Memory) -> Turn:
    role = _ROLES.get(memory.source.type, "user")
    return Turn(role=role, content=memory.content, id=memory.id, actor=speaker(memory), at=memory.valid_from)


class _Changes:
    """The earlier statements that an episode changes, and the facts extracted from both."""

    def __init__(self, run: _Run, transaction: Transaction, record: Record) -> None:
        self.run, self.transaction, self.record, self.memory = run, transaction, record, record.memory

    def with_closed(self, items: list[Prepared]) -> list[Prepared]:
        """Return the facts of the episode, and its changes with the facts that they close."""
        memory, engine = self.memory, self.run.engine
        has_change = may_change(memory.content) and is_read(memory.content, engine.settings.languages)
        if asks_others(engine) or not (_is_first_hand(memory) and has_change):
            return items
        for change in changes_in(self.run.resolved(memory), memory.valid_from):
            text, olds = self._olds(change)
            closes = tuple(self._as_fact(old) for old in olds)
            if not closes:
                continue
            at = next((at for at, one in enumerate(items) if one.memory.content.strip(" .") == text.strip(" .")), None)
            intent = replace(self.run.intent, closes=closes)
            if at is None:
                items = [*items, self.run.derived(memory, text, intent, olds if change.is_elliptical else ())]
            else:
                items = [*items[:at], items[at]._replace(intent=intent), *items[at + 1 :]]
        return items

    def _olds(self, change: Change) -> tuple[str, list[Memory]]:
        """Return the text of a change, whole also where it is elliptical, and what it replaces or ends."""
        if not change.is_elliptical:
            return change.reading.text.strip(), replaced(self.transaction, change, self.memory, self._states)
        scope = self.memory.scope
        space = Test("ns", "eq", self.transaction.namespace(scope.org, scope.user))
        before, order = preceding_turns(self.memory)
        found = self.transaction.find(Record, [space, *before], order=order, limit=_TURNS_BEFORE) if before else ()
        near = self._states(record for record in found if record.memory.actor == self.memory.actor)
        records = [] if change.swap is None else earlier(self.transaction, self.memory, change)
        others = {old.id: old for old in self._states(records) if old.actor == self.memory.actor}
        return completed(change, near, others.values()) or ("", [])

    def _states(self, records: Iterable[Record], passes: Callable[[str], bool] = bool) -> Iterator[Memory]:
        """Yield known facts, of episodes the facts made of them, and each other sentence of a text that `passes`."""
        now, agent = self.run.now, self.memory.scope.agent
        for num, memory in ((record.num, record.memory) for record in records):
            if memory.kind is Kind.SEMANTIC and _is_known(memory, agent, now):
                yield memory
            if memory.kind is not Kind.EPISODIC or memory.scope.agent != agent or not memory.is_live_at(now):
                continue
            derived = [Test("target", "eq", num), Test("relation", "eq", "derived_from")]
            nums = tuple(edge.source for edge in self.transaction.find(Edge, derived))
            found = self.transaction.find(Record, [Test("num", "in", nums)]) if nums else ()
            facts = [each.memory for each in found if each.memory.kind is Kind.SEMANTIC]  # a digest is derived too
            yield from (each for each in facts if _is_known(each, agent, now) and not each.is_superseded)
            is_read = _is_first_hand(memory) and passes(memory.content)
            known = [each.content.strip(" .!") for each in facts]
            for each in statements_in(self.run.resolved(memory), memory.valid_from) if is_read else ():
                text, bare = each.text.strip(), each.text.strip().strip(" .!")
                if not any(bare in one or one in bare for one in known):
                    yield replace(memory, content=text)

    def _as_fact(self, old: Memory) -> str:
        """Return the id of an older statement, which becomes a fact if it is only a turn."""
        if old.kind is Kind.SEMANTIC:
            return old.id
        item = self.run.derived(old, old.content, Intent(resolve=False))
        (result,) = Writer(self.run.engine, self.transaction, self.run.now).write([item])
        return result.memory.id
