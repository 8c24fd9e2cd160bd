"""Extraction of facts: `remember_with_extraction` stores the facts of a text, `evolve` lets a decider judge them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from engrain.config import LANGUAGES, Settings
from engrain.engine import Engine
from engrain.errors import MemorySecurityError
from engrain.graph.extraction import extracted
from engrain.guard import guard, log
from engrain.language.analyzer import in_use
from engrain.language.antecedents import is_self_contained, own_sentences, with_antecedents
from engrain.language.cues import is_chatter, worth
from engrain.language.locales import union
from engrain.language.names import names_and_numbers
from engrain.language.query import restated_in
from engrain.language.statements import LONGEST
from engrain.language.tokens import STOP, sentences, words
from engrain.llm import tasks as chosen
from engrain.llm.client import name_of
from engrain.llm.replies import ModelTask, failure_reason
from engrain.model.choices import SourceTypeName
from engrain.model.memory import Kind, MemoryEntry, Scope, SourceType, Turn, given_end
from engrain.model.results import Hit, Remembered
from engrain.protocols import Candidate, Decider, Extractor, Judgement, Reader
from engrain.security.admission import BASE
from engrain.security.audit import changes
from engrain.text import check_content, check_text, normalise
from engrain.validation import MAX_TAGS, checked_fact, checked_metadata, checked_share, checked_tags, is_whole
from engrain.write.pipeline import RULES, remember, store_if
from engrain.write.prepare import Draft, Intent, checked_source, draft, prepare, screened, screened_draft

Look = Callable[[Reader], Sequence[Hit]]
Nearest = Callable[[str], Look]

_OPERATIONS = ("ADD", "UPDATE", "DELETE", "NOOP")
_ASKED = 2  # judgements of one fact
_MOVED = Judgement(operation="ADD", reason="what is near it changed each time it was judged")
_PLAIN = SourceType.LLM_GENERATED
_NOTABLE = 5.0  # the minimum rating of a sentence that relates two named entities
_DEFAULTS = Settings()
_PATIENT = 3  # optimistic attempts in a store with other writers, before one that makes them wait


@dataclass(slots=True)
class JudgedFact:
    """One fact to be judged, by the rules without a `verdict`; `shown` are the nearest memories at the last look."""

    item: Draft
    candidate: Candidate
    look: Look | None = None
    shown: Sequence[Hit] | None = None
    verdict: Judgement | None = None
    why: str = ""
    times: int = 0

    def neighbours_changed(self, reader: Reader) -> Sequence[Hit] | None:
        """Return the nearest memories if it was not shown yet, or if its verdict was based on others, else None."""
        if self.look is None or (self.shown is not None and (self.verdict is None or self.verdict is _MOVED)):
            return None
        now = self.look(reader)
        return None if self.shown is not None and _seen(now) == _seen(self.shown) else now

    def judged(self, by: str) -> Draft:
        """Return the draft with the verdict."""
        own = self.verdict is not None and self.verdict is not _MOVED
        notes = (*self.item.intent.notes, *([self.why] if self.why else []))
        intent = replace(self.item.intent, judgement=self.verdict, judged_by=by if own else RULES, notes=notes)
        return replace(self.item, intent=intent)


@dataclass(slots=True)
class FactJudge:
    """A decider and the facts of one text that it judges; `head` is the state of the store at that time."""

    engine: Engine
    decider: Decider | None
    nearest: Nearest
    facts: Sequence[JudgedFact]
    head: int = -1

    def judge(self) -> None:
        """Ask about each fact, and again once it has other neighbours; a fact that was asked twice is added."""
        if self.decider is None:
            return
        for each in self.facts:
            if each.look is None and not each.item.is_quarantined:  # quarantined facts are not shown
                each.look = self.nearest(each.item.content)
        scope = self.facts[0].item.scope
        with self.engine.store.read(scope.org) as reader:
            self.head = changes(reader, scope)
            moved = [(each, now) for each in self.facts if (now := each.neighbours_changed(reader)) is not None]
        for each, now in moved:
            each.shown, each.verdict = now, _MOVED
            if each.times < _ASKED:
                self._ask(self.decider, each, now)

    def give_up(self) -> None:
        """Drop all verdicts, so that every judged fact is added."""
        for each in self.facts:
            each.verdict = _MOVED if each.verdict is not None else None

    def holds(self, reader: Reader, *, thorough: bool) -> bool:
        """Return whether every verdict still has the same nearest memories; `thorough` searches for them."""
        if all(each.verdict is None for each in self.facts) or changes(reader, self.facts[0].item.scope) == self.head:
            return True
        return thorough and all(each.neighbours_changed(reader) is None for each in self.facts)

    def _ask(self, decider: Decider, one: JudgedFact, shown: Sequence[Hit]) -> None:
        one.verdict, one.why = None, ""
        if isinstance(decider, ModelTask) and not shown:
            return  # there is no memory to compare it with
        one.times += 1
        failed: list[Exception] = []
        one.verdict = guard(
            "the decider",
            lambda: _usable(self.engine, one.item, shown, decider.decide(one.candidate, shown)),
            failed=failed.append,
        )
        if one.verdict is None:
            one.why = f"judged by rules: {failure_reason(decider, failed)}"


def _seen(hits: Sequence[Hit]) -> frozenset[tuple[str, int, str]]:
    return frozenset((hit.id, hit.memory.version, str(hit.memory.status)) for hit in hits)


def _usable(engine: Engine, item: Draft, shown: Sequence[Hit], judgement: object) -> Judgement | None:
    """Return a valid judgement: a known operation, on a memory in the prompt, and a text; else None."""
    if not isinstance(judgement, Judgement) or str(judgement.operation) not in _OPERATIONS:
        log.warning("the decider gave a %s, no usable judgement: the offline stages decide", type(judgement).__name__)
        return None
    if judgement.operation != "ADD" and judgement.target not in {hit.id for hit in shown}:
        log.warning("the decider judged a memory that it was not shown: the offline stages decide")
        return None
    if any(hit.id == judgement.target and given_end(hit.memory) is not None for hit in shown):
        return replace(judgement, content=None)  # no other text has the words of one that is to leave
    reworded(engine, replace(item, intent=replace(item.intent, judgement=judgement)))  # raises if it cannot
    return judgement


def reworded(engine: Engine, item: Draft) -> tuple[Draft, Draft | None]:
    """Return the draft in the decider's wording, and the original, archived as its source."""
    judgement = item.intent.judgement
    if judgement is None or judgement.operation not in ("UPDATE", "DELETE") or not judgement.content:
        return item, None
    content = check_content(judgement.content, max_bytes=engine.settings.max_content_bytes)
    if content == item.content:
        return item, None
    words = draft(content, scope=item.scope, settings=engine.settings)
    original = replace(item, intent=Intent(resolve=False, archived=True), key=None)
    suspicious = screened(words.content, engine.settings, item.source_type, source_id=item.source_id)
    taken = (*item.redacted, *words.redacted)
    item = replace(item, content=words.content, fact=None, suspicions=suspicious, waits=words.waits, redacted=taken)
    return item, original


class OfflineExtractor:
    """Extracts the sentences that state something, with pronouns resolved, and parses plain ones into a triple."""

    name = "offline"

    def __init__(self, languages: Sequence[str] = LANGUAGES) -> None:
        self.languages: Final = tuple(languages)

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the statements of the turns in the order in which they were made."""
        read, found = partial(in_use.analyzer.statement, languages=self.languages), list[Candidate]()
        for turn in turns:
            before = ""
            for sentence in own_sentences(with_antecedents(turn.content)):
                if is_chatter(sentence):
                    continue
                joined = f"{before} {sentence}".lstrip()
                before = sentence if len(joined) > LONGEST or is_self_contained(sentence) else joined
                fact = read(before, speaker=turn.actor).fact
                found.append(Candidate(content=before, rating=worth(sentence), fact=fact))
        return found


@dataclass(frozen=True, slots=True)
class Limits:
    """The facts that are kept: those rated `min_importance` or more, of them the `max_facts` best."""

    min_importance: int = 3
    max_facts: int = 5

    def __post_init__(self) -> None:
        if not is_whole(self.min_importance) or not is_whole(self.max_facts):
            raise TypeError("min_importance and max_facts must be whole numbers")
        if not 1 <= self.min_importance <= 10:
            raise ValueError(f"min_importance is {self.min_importance}: it must be from 1 to 10")
        if self.max_facts < 0:
            raise ValueError(f"max_facts is {self.max_facts}: it cannot be negative")

    def checked_ref(self, ref: str) -> str:
        """Return the reference of a text, which must leave space for the longest number of a fact."""
        checked_source(f"{ref}:extraction:{self.max_facts}", "source_ref")
        return ref

    def best(self, found: Sequence[Candidate]) -> list[Candidate]:
        """Return the facts that are kept, in the given order; of two with equal ratings the earlier."""
        fit = [place for place, candidate in enumerate(found) if candidate.rating >= self.min_importance]
        best = sorted(fit, key=lambda place: -found[place].rating)[: self.max_facts]
        return [found[place] for place in sorted(best)]


def extractor_of(engine: Engine, scope: Scope) -> Extractor:
    """Return the extractor for a scope: the caller's, else the language model's, else the offline one."""
    return chosen.extractor(engine, scope) or OfflineExtractor(engine.settings.languages)


class Found(NamedTuple):
    """The facts of a text, their extractor, and the reason if that was not the configured one."""

    candidates: list[Candidate]
    by: str = ""
    why: str = ""

    def credited(self, item: Draft) -> Draft:
        """Return a draft that names its extractor, and why it was not the configured one."""
        notes = (*item.intent.notes, *filter(None, [self.why]))
        return replace(item, intent=replace(item.intent, found_by=self.by, notes=notes))


def candidates(
    extractor: Extractor, turns: Sequence[Turn], settings: Settings = _DEFAULTS, *, context: str = ""
) -> Found:
    """Return the valid facts of an extractor, without repeats; the offline one takes the place of one that fails."""
    failed = list[Exception]()
    made = guard("the extractor", lambda: list[object](extractor.extract(turns, context=context)), failed=failed.append)
    sound = _sound(made or (), settings.max_content_bytes)
    if sound or made == []:
        return Found(sound, name_of(extractor))
    log.warning("the offline extractor takes the place of %s for this text", type(extractor).__name__)
    offline = OfflineExtractor(settings.languages)
    why = f"found offline: {failure_reason(extractor, failed)}"
    return Found(_sound(offline.extract(turns), settings.max_content_bytes), offline.name, why)


def found_by(extractor: Extractor, turns: Sequence[Turn], *, max_bytes: int) -> list[Candidate]:
    """Return the validated facts of an extractor, without repeats; `ValueError` if all of them are invalid."""
    found = list[object](extractor.extract(turns))
    sound = _sound(found, max_bytes)
    if found and not sound:
        raise ValueError(f"{type(extractor).__name__} found nothing that can be kept")
    return sound


def _sound(found: Sequence[object], max_bytes: int) -> list[Candidate]:
    sound: dict[str, Candidate] = {}
    for one in found:
        try:
            candidate = _checked(one, max_bytes)
        except (TypeError, ValueError) as error:
            log.warning("the extractor's candidate is left out: %s", error)
        else:
            sound.setdefault(normalise(candidate.content), candidate)
    return list(sound.values())


def _checked(one: object, max_bytes: int) -> Candidate:
    """Return a candidate with every value in its final type; raises `TypeError` or `ValueError` for an invalid one."""
    if isinstance(one, MemoryEntry):
        one = Candidate(content=one.content, rating=one.relevance_score * 10, tags=one.tags, metadata=one.metadata)
    if not isinstance(one, Candidate):
        raise TypeError(f"it is a {type(one).__name__}, not a Candidate or a MemoryEntry")
    rating: object = one.rating
    if isinstance(rating, bool) or not isinstance(rating, int | float) or math.isnan(rating):
        raise TypeError(f"its rating is {rating!r}, no number from 1 to 10")
    return replace(
        one,
        content=check_content(one.content, max_bytes=max_bytes),
        rating=min(max(float(rating), 1.0), 10.0),
        fact=checked_fact(one.fact),
        confidence=checked_share(one.confidence, "confidence"),
        tags=checked_tags(one.tags),
        metadata=checked_metadata(one.metadata),
    )


def remember_with_extraction(
    engine: Engine,
    scope: Scope,
    extractor: Extractor,
    content: str,
    *,
    limits: Limits,
    context: str,
    source_type: SourceTypeName | str,
    source_ref: str,
    domain: str,
) -> list[Remembered]:
    """Remember the best facts of a text, in the order of the text; see `MemoryManager.remember_with_extraction`."""
    check_text(context, what="context")
    ref = limits.checked_ref(source_ref)
    made = draft(content, scope=scope, settings=engine.settings, source_type=source_type, source_ref=ref, domain=domain)
    if made.is_quarantined:  # stored unchanged for a reviewer
        return remember(engine, [made])
    whole = replace(made, kind=Kind.SEMANTIC)
    drafts = fact_drafts(engine, extractor, whole, speaking(whole), limits=limits, context=context)
    return remember(engine, drafts) if drafts else []


def speaking(whole: Draft) -> Turn:
    """Return a text as a turn for an extractor, by its actor, or else the user of its scope."""
    return Turn(role="user", content=whole.content, actor=whole.actor or whole.scope.user, at=whole.valid_from)


def fact_drafts(
    engine: Engine, extractor: Extractor, whole: Draft, turn: Turn, *, limits: Limits, context: str, first: int = 0
) -> list[Draft]:
    """Extract from one turn, and return the drafts of its facts as `drafts_of`."""
    if not limits.max_facts:
        return []
    found = candidates(extractor, [turn], engine.settings, context=context)
    if found.by == OfflineExtractor.name:  # which rates each sentence by its words alone
        found = found._replace(candidates=[_rated(engine, whole, each) for each in found.candidates])
    return [found.credited(item) for item in drafts_of(engine, limits.best(found.candidates), whole, turn, first=first)]


def _rated(engine: Engine, whole: Draft, candidate: Candidate) -> Candidate:
    """Return a candidate rated at least notable if it relates two named entities."""
    if candidate.rating >= _NOTABLE:
        return candidate
    related = extracted(candidate.content, domain=whole.domain, packs=engine.packs).triples
    return replace(candidate, rating=_NOTABLE) if related else candidate


def drafts_of(engine: Engine, found: Sequence[Candidate], whole: Draft, turn: Turn, *, first: int = 0) -> list[Draft]:
    """Return the drafts of a turn's facts with the fields of `whole`, numbered from `first`, without refused ones."""
    drafts: list[Draft] = []
    for candidate in found:
        numbered = replace(whole, source_ref=f"{whole.source_ref}:extraction:{first + len(drafts)}")
        if (fact := fact_draft(numbered, candidate, turn, engine.settings)) is not None:
            drafts.append(fact)
    return drafts


def fact_draft(whole: Draft, candidate: Candidate, turn: Turn, settings: Settings) -> Draft | None:
    """Return the draft of a fact with the fields of its text; None if the policy against injection refuses it."""
    trusted, origin = trust_of(candidate, whole, turn)
    fact = replace(
        whole,
        content=candidate.content,
        key=None,
        source_type=trusted,
        source_origin=origin,
        fact=candidate.fact,
        importance=round(candidate.rating / 10, 4),
        confidence=whole.confidence if candidate.confidence is None else candidate.confidence,
        tags=tuple(dict.fromkeys((*whole.tags, *candidate.tags)))[:MAX_TAGS],
        metadata=checked_metadata({**candidate.metadata, **whole.metadata}),
        waits=(),
        redacted=(),
    )
    try:
        return screened_draft(fact, settings)
    except MemorySecurityError as error:
        log.warning("a fact of the extractor's is refused: %s", error)
        return None


def trust_of(candidate: Candidate, whole: Draft, turn: Turn) -> tuple[SourceType, str]:
    """Return a fact's class and origin: the speaker's if the turn has its parts, names and numbers, else a model's."""
    if BASE[whole.source_type] > BASE[_PLAIN]:
        stated = candidate.content if candidate.fact is None else candidate.fact.object
        shown = "\n".join((turn.content, with_antecedents(turn.content), *restated_in(turn.content)))
        *wanted, there = ("".join(f" {word} " for word in words(each)) for each in (*sentences(stated), shown))
        known = frozenset(words(f"{turn.content} {turn.actor or ''}"))
        subject = frozenset(words("" if candidate.fact is None else candidate.fact.subject)) - STOP - union("anybody")
        occurs = all(each in there for each in wanted) if any(wanted) else stated in turn.content
        if not occurs or (names_and_numbers(candidate.content) | subject) - known:
            return _PLAIN, ""
    return whole.source_type, whole.source_origin


def evolve(engine: Engine, whole: Draft, nearest: Nearest) -> Remembered:
    """Store the facts of a text, each judged; the result is that of the most important, the others are in `others`."""
    found, facts = Found([]), list[JudgedFact]()
    if not whole.is_quarantined and whole.key is None and whole.fact is None:
        found = candidates(extractor_of(engine, whole.scope), [speaking(whole)], engine.settings)
    for candidate in found.candidates:
        fact = fact_draft(whole, candidate, speaking(whole), engine.settings)
        if fact is None:
            continue
        if whole.importance is not None:  # a given importance overrides the extractor's ratings
            fact = replace(fact, importance=whole.importance)
        if whole.confidence is not None:
            fact = replace(fact, confidence=whole.confidence)
        facts.append(JudgedFact(found.credited(fact), candidate))
    if not facts:
        candidate = Candidate(content=whole.content, fact=whole.fact, confidence=whole.confidence)
        facts = [JudgedFact(found._replace(by="").credited(whole), candidate)]
    results = _store_judged(engine, FactJudge(engine, chosen.decider(engine, whole.scope), nearest, facts))
    best = max(range(len(results)), key=lambda place: (facts[place].candidate.rating, -place))
    memory, status = results[best]
    others = (result for place, result in enumerate(results) if place != best)
    return Remembered(memory, status, results[best].decision, others)


def _store_judged(engine: Engine, judge: FactJudge) -> list[Remembered]:
    """Judge facts and store them in one transaction, with verdicts that are valid in it."""
    judge.judge()
    by, looks = RULES if judge.decider is None else name_of(judge.decider), 0
    while True:
        if looks > _PATIENT + 2 * len(judge.facts):
            judge.give_up()
        now = engine.clock.now()
        pairs = [reworded(engine, fact.judged(by)) for fact in judge.facts]
        originals = [prepare(engine, item, now) for _, item in pairs if item is not None]
        origins = iter([each.memory.id for each in originals])
        items = [
            item if source is None else replace(item, derived_from=(*item.derived_from, next(origins)))
            for item, source in pairs
        ]
        prepared = [prepare(engine, item, now) for item in items]
        holds = partial(judge.holds, thorough=looks >= _PATIENT)
        done = store_if(engine, prepared, now=now, first=originals, still_valid=holds)
        if done is not None:
            return done
        judge.judge()
        looks += 1
