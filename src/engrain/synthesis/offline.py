"""Answers without a model: `answer_by_rules` chooses sentences and words of the quotes, for each format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import combinations
from operator import attrgetter

from engrain.graph.traversal import RELATED
from engrain.language import matching
from engrain.language.answer_forms import BY_VERB, all_phrases, is_elsewhere, names_all, names_word, verdict
from engrain.language.calendar import day_text
from engrain.language.implied import excludes
from engrain.language.locales import Locale, expression, has_any, language_of, template, union
from engrain.language.phrases import Phrase
from engrain.language.quantities import Kind as ValueKind
from engrain.language.quantities import Value, differ, values_of
from engrain.language.query import Question, asked_about, asked_apart, asked_otherwise, before_asked, parse
from engrain.language.questions import Wanted
from engrain.language.reading import Modality, Tense
from engrain.language.sameness import same_phrase, same_word
from engrain.language.times import dated, durations, windows
from engrain.language.tokens import is_stop, query_terms, stem, terms_of_fields, words
from engrain.model.entities import NAME, Relationship, name_key
from engrain.model.memory import SourceType
from engrain.model.results import Format, Hit
from engrain.read.ranking import rank_of, yields_to_trusted
from engrain.synthesis import evidence as evidences
from engrain.synthesis.counting import counted, in_order
from engrain.synthesis.evidence import AnswerParts, Cited, CitedRelation, Evidence, Quote, is_outweighed, lines, share
from engrain.synthesis.nearest import asks_own_name, introduced, nearest, sought, speaks_otherwise
from engrain.synthesis.readings import SEVERAL, Reading, readings, taken_over

_MOST = 200  # sentences that are scored: those of the first quotes
_BESIDE = 0.25  # weight of a question's word elsewhere in the quote
_LEAST = 0.3  # score of a sentence that shares no word with the question
_OUTWEIGHED = 0.6  # factor for a superseded sentence, and for one that a more trusted one contradicts
_EMPTY = 0.4  # factor for a sentence that only greets, thanks or agrees
_CONTENT = 2  # words from which a sentence has content
_ABOUT = 0.5  # share of the question's words from which a sentence is relevant
_POINTS = 5
_LISTED = 8  # answers that are joined if several may be right
_SUPPORTS = 0.4  # of the best sentence's score: a lower one does not support the answer
_OFTEN_CHANGED = frozenset({"status", "deadline"})
_ONE_AT_A_TIME = frozenset({"lives_in", "works_at", "status", "deadline", "costs"})
_OF_BEFORE = frozenset({"change", "origin"})  # relations of a clause that may also name the former value
_SAME_TRUST = 1e-9
_NEWER_SURE = 0.75
_NEXT_TURNS = 2  # in which "it" is what was spoken of
_RECENT, _AGE = timedelta(days=14), timedelta(days=180)  # from which a duration, or an age, has the day it was stated
_LISTED_ITEMS = template(r"\s*,\s*(?:(?:{list_joints})\s+)?|\s+(?:{list_joints})\s+")
_DATED = 0.5  # share of the words of an event that the sentence with its date must contain
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_ENOUGH = {"day": 0, "week": 21, "month": 90, "year": 730}  # days from which a unit is used by default
_ON_TOPIC = 0.35  # of the best sentence's score: a lower one is off topic
_EVENTS = 30
_EVENT = 0.3  # of the best sentence's score: a lower one is not an event of the timeline
_SAME = 0.7  # of the shorter one's words: two sentences of one date that share these describe one event
_RELATIONS = 40
_BESIDES = 15  # relations that only state a co-occurrence of two names
_ENTITIES = 60


def answer_by_rules(form: Format, evidence: Evidence, *, relationships: Sequence[Relationship] = ()) -> AnswerParts:
    """Return an answer in a format, without a lead if there is no evidence; `relationships` are for the map."""
    if not evidence.quotes:
        return AnswerParts()
    if form is Format.DIRECT_ANSWER:
        return direct_answer(evidence)
    candidates = ranked(evidence.query, evidence)
    if form is Format.SYNTHESIZED_BRIEF:
        return brief(candidates, evidence)
    if form is Format.TIMELINE_ANALYSIS:
        return timeline(candidates, evidence)
    return relationship_map(candidates, evidence, relationships)


_ASKS, _PICTURE, _OTHER = 0.5, 0.7, 0.75  # factors for a question, a picture, and the words of another person


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A sentence of a quote with its score, 0 to about 2; `found` is the weighted share of the question's words."""

    place: int
    quote: Quote
    line: evidences.Line
    score: float
    found: float = 0.0

    @property
    def idle(self) -> bool:
        """Whether it is a question, or has hardly any content and is not relevant."""
        return self.line.asks or (
            self.found < _ABOUT and len(self.line.terms - terms_of_fields("idle_talk")) < _CONTENT
        )

    @property
    def cited(self) -> Cited:
        """The unchanged sentence with its source."""
        return Cited(self.line.text, (self.place,))


def ranked(query: str, evidence: Evidence) -> list[ScoredLine]:
    """Return the sentences of the evidence ranked by the words of a query, the best first."""
    terms = query_terms(query)
    split = [(place, quote, lines(quote.text)) for place, quote in enumerate(evidence.quotes)]
    worth = evidences.weights(terms, [line.terms for _, _, some in split for line in some][:_MOST])
    actors = frozenset(word for quote in evidence.quotes for word in _actor(quote))
    named, idle = actors & frozenset(terms), actors | terms_of_fields("idle_talk")
    known = evidence.known
    found: list[ScoredLine] = []
    for place, quote, some in split:
        actor = _actor(quote)
        whole = share(worth, actor.union(*(line.terms for line in some)))
        base = (0.4 + 0.6 * min(quote.hit.relevance, 1.0)) / (1 + 0.06 * place)
        base *= _OUTWEIGHED if quote.memory.is_superseded or is_outweighed(quote.hit, known) else 1.0
        base *= _OTHER if named and not named & actor else 1.0
        for line in some[: max(_MOST - len(found), 0)]:
            here = share(worth, line.terms | actor)
            score = base * (_LEAST + here + _BESIDE * (whole - here))
            score *= _ASKS if line.asks else _PICTURE if line.is_picture else 1.0
            content = line.terms - idle  # empty for a greeting, thanks or agreement
            score *= _EMPTY if len(content) < min(_CONTENT, len(line.terms)) else 1.0
            found.append(ScoredLine(place, quote, line, score, here))
    best: dict[str, float] = {}
    for each in found:
        best[each.quote.memory.id] = max(each.score, best.get(each.quote.memory.id, 0.0))
    found = [replace(each, score=min(each.score, _most(each, best, found, evidence))) for each in found]
    return sorted(found, key=lambda each: (-each.score, each.place, each.line.start))


def _most(each: ScoredLine, best: Mapping[str, float], found: Sequence[ScoredLine], evidence: Evidence) -> float:
    """Return the highest score of a sentence: below that of one that supersedes, outweighs or is trusted more."""
    memory, hit, known = each.quote.memory, each.quote.hit, evidence.known
    rivals = [quote.hit for quote in evidence.quotes if quote.memory.id in hit.contested]
    over = (memory.superseded_by or "", *(hit.contested if is_outweighed(hit, known) else ()))
    if rivals and not memory.is_superseded and all(is_outweighed(other, known) for other in rivals):
        over = ()
    above = [best[rival] for rival in over if rival in best and rival != memory.id]
    mine = each.line.terms & {*query_terms(evidence.query)} if yields_to_trusted(memory) else ()
    beside = (other for other in found if mine and not other.line.asks and other.line.terms.issuperset(mine))
    above += [other.score for other in beside if rank_of(other.quote.memory) < rank_of(memory)]
    return 0.95 * max(above) if above else each.score


def _actor(quote: Quote) -> frozenset[str]:
    return frozenset(map(stem, words(quote.memory.actor or "")))


def distinct(candidates: Sequence[ScoredLine], most: int, *, least: float = 0.0) -> list[ScoredLine]:
    """Return the best sentences that do not repeat each other, at most `most`."""
    kept: list[ScoredLine] = []
    known: list[frozenset[str]] = []
    for each in candidates:
        mine = each.line.terms or frozenset({" ".join(re.findall(r"\w+", each.line.text.casefold()))})
        repeats = any(len(mine & other) > 0.6 * min(len(mine), len(other)) for other in known)
        if len(kept) < most and each.score >= least and not repeats:
            kept.append(each)
            known.append(mine)
    return kept


def direct_answer(evidence: Evidence) -> AnswerParts:
    """Return the answer in words, and up to five relevant sentences beside it; without an answer the closest ones."""
    candidates = ranked(evidence.query, evidence)
    if not candidates:
        return AnswerParts(_first_quote(evidence))
    points = tuple(each.cited for each in distinct(candidates, _POINTS, least=_SUPPORTS * candidates[0].score))
    if (elapsed := _elapsed(evidence)) is not None:
        return AnswerParts((elapsed,), points, sure=_COUNTED_SURE)
    question, about = parse(evidence.query), asked_about(evidence.query)
    if about is not None:
        known = _profile(about, [each for each in readings(question, evidence) if not each.is_disputed])
        return AnswerParts(known, points, sure=_PROFILE_SURE if known else None)
    if (special := in_order(evidence) or counted(question, evidence)) is not None:
        lead, sure = special
        return AnswerParts(() if lead is None else (lead,), points, sure=sure if lead else None)
    lead, sure = _former(evidence) or _of_each(question, evidence)
    if lead is None:
        return AnswerParts(points=points)
    near = {n for n, q in enumerate(evidence.quotes) if q.is_recalled and q.hit.relevance >= evidence.threshold}
    near |= {*lead.quotes}
    return AnswerParts((lead,), tuple(each for each in points if each != lead and near & {*each.quotes}), sure=sure)


def _in_any_words(question: Question, evidence: Evidence) -> tuple[Cited | None, float]:
    """Return the answer of a question or a paraphrase of it; None if a newer turn mentions another value."""
    forms = [(each, list(readings(each, evidence))) for each in (question, *asked_otherwise(evidence.query))]
    is_of_now = not (question.earlier or question.past or question.several)
    lead, sure = None, 0.0
    for same, read in forms:
        found = _newest(same, read, evidence) if lead is None or is_of_now else (None, 0.0)
        if found[0] is not None and (lead is None or _precedence(found[0], evidence) > _precedence(lead, evidence)):
            lead, sure = found
    if lead is not None and (question.wanted is Wanted.DURATION or question.says("asks_age")) and not question.past:
        stated, is_age = evidence.quotes[lead.quotes[0]].memory.valid_from, question.wanted is Wanted.COUNT
        if (is_age or durations(lead.text)) and evidence.now - stated >= (_AGE if is_age else _RECENT):
            lead = replace(lead, text=f"{lead.text} ({day_text(stated, question.locale)})")
    if lead is None and (lead := _cell(evidence)) is not None:
        sure = _TABLE_SURE
    for same, read in forms:
        if same is question or (lead is None and question.wanted is not Wanted.PERSON):  # "the ladder" may not be mine
            lead, sure = _or_nearest(same, lead, sure, read, evidence)
    is_disputed = lead is not None and is_of_now and speaks_otherwise(question, lead, forms[0][1])
    return (None, 0.0) if is_disputed or _of_namesakes(question, forms[0][1]) else (lead, sure)


def _of_namesakes(question: Question, read: Iterable[Reading]) -> bool:
    """Return whether statements about two things with the name asked for match: "Tom Keller" and "Tom Brandt"."""
    asked = () if question.subject is None or question.asks_subject else question.subject.words[-1:]
    name = next((word for word in asked if word.has_capital), None)
    usable = [each for each in read if each.match is not None and not each.is_outdated]
    named = (phrase.words for each in usable for phrase in all_phrases(each.clause))
    places = ((words_, at) for words_ in named for at, word in enumerate(words_, 1) if name and same_word(name, word))
    found = {frozenset(word.low for word in words_[at:] if word.has_capital) for words_, at in places} - {frozenset()}
    return any(not (one <= other or other <= one) for one, other in combinations(found, 2))


def _of_each(question: Question, evidence: Evidence) -> tuple[Cited | None, float]:
    """Return the answer to a question, of one about two things both answers: "What are Ana's cat and dog called?"."""
    lead, sure = _in_any_words(question, evidence)
    apart = asked_apart(evidence.query)
    if not apart or (lead is not None and not union("joined").isdisjoint(words(lead.text))):
        return lead, sure
    found = [_in_any_words(parse(query), replace(evidence, query=query)) for query in apart]
    leads = [lead for lead, _ in found if lead is not None]
    places = dict.fromkeys(place for lead in leads for place in lead.quotes)
    whole = Cited(", ".join(lead.text for lead in leads), tuple(places))
    return (whole, min(sure for _, sure in found)) if len(leads) == len(found) else (None, 0.0)


def _former(evidence: Evidence) -> tuple[Cited, float] | None:
    """Return the value that held before the present one or before a named one: "Who was my boss before Ana?"."""
    if (asked := before_asked(evidence.query)) is None:
        return None
    forms, event = asked
    for question in (each for each in forms if each.wanted is not Wanted.YES_NO):
        at_any_time = zip(readings(question, evidence), readings(replace(question, past=True), evidence), strict=True)
        stated = [now if now.match else then for now, then in at_any_time]
        usable = [each for each in stated if not (each.is_outweighed or each.is_disputed)]
        first = min((rank_of(each.quote.memory) for each in usable if each.match is not None), default=len(SourceType))
        read = sorted((e for e in usable if rank_of(e.quote.memory) <= first), key=attrgetter("age"))
        found = _replaced_value(question, event, read) or _replaced_near(question, read, evidence)
        if found is not None:
            return found, _FORMER_SURE
    return None


def _replaced_value(question: Question, event: str, read: Sequence[Reading]) -> Cited | None:
    """Return the value that the present one replaced, or the one that an event names; the readings are in order."""
    named = (word.strip(".,;:!") for word in event.split() if word[:1].isupper() or word[:1].isdigit())
    names = {word.lower() for word in named if word not in union("titles")}
    asked = () if question.subject is None else question.subject.words
    if names:
        ends = [at for at, each in enumerate(read) if names <= {*words(each.clause.text.lower())}]
        ends = [at for at in ends if _is_about(question, read[at])][:1]
    else:
        ends = [at for at, each in enumerate(read) if each.match is not None and not each.is_superseded][-1:]
    end = next(iter(ends), -1 if names else len(read))
    last = read[end].match if 0 <= end < len(read) else None
    if last is not None and last.was:
        return Cited(last.was, (read[end].place,))
    now = "" if last is None else last.text.casefold()
    is_single = bool(question.concepts & _ONE_AT_A_TIME) or has_any(event, "of_the_present")
    is_single = is_single or (question.wanted is Wanted.PERSON and bool(asked))
    stated = [(each.match.text, each) for each in read[: max(end, 0)] if each.match is not None and each.match.text]
    olds = [(text, each) for text, each in stated if each.is_superseded or names or is_single]
    olds = [(text, each) for text, each in olds if text.casefold() not in now and names.isdisjoint(words(text.lower()))]
    return Cited(olds[-1][0], (olds[-1][1].place,)) if olds else None


def _is_about(question: Question, read: Reading) -> bool:
    """Return whether a reading matches a question, or its clause is on the question's subject."""
    asked, subject = question.subject, read.clause.subject
    if asked is None or subject is None or read.match is not None:
        return True
    return same_phrase(asked, subject, read.by) or any(names_word(word, read.clause) for word in asked.words)


def _replaced_near(question: Question, read: Sequence[Reading], evidence: Evidence) -> Cited | None:
    """Return the value of the wanted kind that is beside the question's words and was replaced by another."""
    wanted = sought(question, question.text, (each.by for each in read))
    if wanted is None:
        return None

    def before(hit: Hit) -> str:
        return evidence.before.get(hit.id, "")

    now = nearest(wanted, read, before)
    olds = [each for each in read if each.is_superseded or (now is not None and each.age < now.read.age)]
    found = nearest(wanted, [replace(each, is_superseded=False) for each in olds], before)
    return None if found is None or (now is not None and found.cited.text == now.cited.text) else found.cited


def _precedence(lead: Cited, evidence: Evidence) -> tuple[int, datetime, datetime]:
    """Return the sort key of an answer: the trust of its sources, then their age."""
    memories = [evidence.quotes[place].memory for place in lead.quotes]
    return max((-rank_of(each), each.valid_from, each.recorded_at) for each in memories)


def _newest(question: Question, in_turns: Sequence[Reading], evidence: Evidence) -> tuple[Cited | None, float]:
    """Return the answer of the newest statements, or of those that superseded earlier answers."""
    answer = _verdict if question.wanted is Wanted.YES_NO else _value
    read = sorted(in_turns, key=attrgetter("age"), reverse=True)
    matching_now = (each.quote.memory for each in read if each.match is not None and not each.is_superseded)
    first = min(map(rank_of, matching_now), default=len(SourceType))
    read = [each for each in read if rank_of(each.quote.memory) <= first]
    gone = {each.match.text.casefold() for each in read if each.match is not None and each.is_superseded}
    repeats = [
        e.quote.memory.actor == "assistant" and e.match is not None and e.match.text.casefold() in gone for e in read
    ]
    old = [each.is_superseded or repeat for each, repeat in zip(read, repeats, strict=True)]
    live = [e for e, was in zip(read, old, strict=True) if not (e.is_outweighed or (was and not question.earlier))]
    if not any(each.match is not None for each in live):
        instead = [] if question.earlier else list(taken_over(question, read, evidence))
        is_kept = question.earlier or question.past or question.wanted is Wanted.YES_NO
        known = {quote.memory.id for quote in evidence.quotes}
        others = [e for e in read if is_kept or e.match is None or known.isdisjoint(_successors(e, evidence))]
        live = sorted([*live, *instead], key=attrgetter("age"), reverse=True) if instead else others
    least = max((each.quote.memory.trust for each in live if each.match is not None), default=0.0)
    return answer(question, [each for each in live if each.quote.memory.trust >= least - _SAME_TRUST])


def _successors(read: Reading, evidence: Evidence) -> set[str]:
    """Return the ids of the memories that superseded the memory of a reading, or a statement derived from it."""
    memory = read.quote.memory
    olds = (memory, *evidence.replaced.get(memory.id, ())) if read.is_superseded else ()
    return {old.superseded_by for old in olds if old.superseded_by is not None}


_MOST_KNOWN, _PROFILE_SURE = 8, 0.85
_OF_SPEAKER, _SPOKEN_OF, _CHANGED = 0.85, 0.9, 0.8
_COUNTED_SURE, _TABLE_SURE, _NEW_HOLDER_SURE, _FORMER_SURE = 0.8, 0.9, 0.92, 0.8


def _cell(evidence: Evidence) -> Cited | None:
    """Return the table cell in the row and column that a question names, None if it is not a single one."""
    wanted, found, rows_named = frozenset(query_terms(evidence.query)), list[Cited](), list[Cited]()
    is_plain = not has_any(evidence.query, "negation")
    for place, quote in enumerate(evidence.quotes):
        lines = quote.text.splitlines()
        rows = [[c.strip() for c in each.strip().strip("|").split("|")] for each in lines if each.count("|") > 1]
        header = [frozenset(query_terms(cell)) for cell in rows[0]] if rows else []
        columns = [at for at, cell in enumerate(header) if at and cell and cell <= wanted]
        about = frozenset(query_terms(" ".join(each for each in lines if "|" not in each))).union(*header[:1])
        for row in rows[1:]:
            first, *others = (frozenset(query_terms(cell)) for cell in row)
            if len(columns) == 1 and first and first <= wanted and columns[0] < len(row) and row[columns[0]]:
                found.append(Cited(row[columns[0]], (place,)))
            if is_plain and about & wanted and any(cell and cell <= wanted for cell in others):
                rows_named.append(Cited(row[0], (place,)))
    found = found or rows_named
    return found[0] if len(found) == 1 else None


def _or_nearest(
    question: Question, lead: Cited | None, sure: float, read: Sequence[Reading], evidence: Evidence
) -> tuple[Cited | None, float]:
    """Return an answer, or a newer value of the wanted kind in a turn that has the words of the question."""
    wanted = None if question.earlier else sought(question, evidence.query, (each.by for each in read))
    found = None if wanted is None else nearest(wanted, read, lambda hit: evidence.before.get(hit.id, ""))
    if asks_own_name(question):
        found = introduced(read)
        lead = lead if found is None else None
    if found is None:
        return lead, sure
    if lead is None:
        return found.cited, found.sure
    memories = [evidence.quotes[place].memory for place in lead.quotes]
    stated, trust = max(each.valid_from for each in memories), max(each.trust for each in memories)
    is_same = found.cited.text.casefold() in lead.text.casefold() or lead.text.casefold() in found.cited.text.casefold()
    newer = found.read.quote.memory
    is_newer = newer.valid_from > stated and newer.trust >= trust and not is_same
    return (found.cited, min(found.sure, _NEWER_SURE)) if is_newer and found.sure >= _NEWER_SURE else (lead, sure)


def _first_quote(evidence: Evidence) -> tuple[Cited, ...]:
    """Return the first quote unchanged, as the answer for a text without sentences."""
    return tuple(Cited(quote.text, (place,)) for place, quote in enumerate(evidence.quotes[:1]))


def _profile(about: Phrase, read: Iterable[Reading]) -> tuple[Cited, ...]:
    """Return the statements about a person or thing, of each relation only the newest."""
    found: dict[object, Cited] = {}
    for each in sorted(read, key=attrgetter("age"), reverse=True):
        clause, subject = each.clause, each.clause.subject
        is_stated = clause.modality is Modality.CERTAIN and not each.is_outdated and not clause.over
        if subject is None or not is_stated or not matching.is_about(about, clause, each.by):
            continue
        sentence = clause.text.strip()
        nouns = tuple(word.root for word in subject.words if not word.has_capital)
        relation = (frozenset(clause.concepts), nouns if clause.concepts or nouns else (sentence,))
        if sentence not in [cited.text for cited in found.values()]:
            found.setdefault(relation, Cited(sentence, (each.place,)))
    return tuple(reversed(list(found.values())[:_MOST_KNOWN]))


def _verdict(question: Question, read: Sequence[Reading]) -> tuple[Cited | None, float]:
    """Return the newest plain yes or no, None if it is disputed."""
    first = next((each for each in read if each.match is not None), None)
    if first is None or first.match is None or first.is_disputed:
        return None, 0.0
    is_of_now = not (first.match.denies or question.past or question.earlier)
    other = next((each for each in read if matching.takes_over(question, each.clause, each.by)), None)
    if is_of_now and other is not None and other.age > first.age:
        return Cited(verdict(question, denies=True), (other.place,)), _NEW_HOLDER_SURE
    newer = [each.clause for each in read if each.age > first.age and not each.is_outdated]
    is_doubtful = is_of_now and any(excludes(each, first.clause, first.by) for each in newer)
    if first.match.denies and first.clause.over:  # "no longer works with us, has gone back to Utrecht"
        read = [each for each in read if not is_elsewhere(question, each.clause)]
    if is_doubtful or _is_unsettled(question, first, "", read):
        return None, 0.0
    text = verdict(question, denies=first.is_superseded) if is_of_now else first.match.text
    return Cited(text, (first.place,)), _sure(question, first, read)


def _value(question: Question, read: Sequence[Reading]) -> tuple[Cited | None, float]:
    """Return the newest value that no newer statement denies; several of a multi-valued relation."""
    gone: list[str] = []
    denied: list[Reading] = []
    values: dict[str, Reading] = {}
    if "job_title" in question.concepts and any(e.match is not None and e.match.sure > BY_VERB for e in read):
        read = [e for e in read if e.match is None or e.match.sure > BY_VERB or matching.marks_change(e.clause)]
    known = _known_values(read)
    is_time = question.wanted is Wanted.TIME
    of_before = question.says("was_before" if is_time else "earlier") and question.earlier and not question.order
    live = (each for each in read if of_before and each.match is not None and not each.match.denies)
    newest = next((each.match for each in live if each.clause.tense is Tense.PRESENT), None)
    is_of_now = question.wanted is Wanted.TIME and not (question.past or question.earlier)
    may_be_off = is_of_now and matching.may_be_off(question) and not question.concepts
    for each in reversed(read) if question.earlier and (question.order or question.says("at_first")) else read:
        match = each.match
        if match is None or (match.was and match.was.casefold() not in known):
            continue
        is_newest = newest is not None and match.text.casefold() == newest.text.casefold()
        names_old = not is_time and bool(each.clause.concepts.keys() & _OF_BEFORE)
        if is_newest and not (match.was or each.is_superseded or names_old):
            continue  # "Where did I work before?" excludes the present employer
        if match.denies:
            gone.append(each.clause.text[each.clause.start : each.clause.stop].casefold())
            denied.append(each)
            if (may_be_off or (is_of_now and each.clause.has_phrase("cancels"))) and not _times_in(each):
                break  # "the driving test got cancelled": older days are gone
            continue
        times = [(a, b) for other in denied for a in _times_in(each) for b in _times_in(other)]
        if question.wanted is Wanted.TIME and any(a.kind is b.kind and not differ(a, b) for a, b in times):
            continue  # "on Sunday mornings", after "not on Sundays any more"
        values |= dict.fromkeys(_new_values(match.text, each.clause.locale, gone, values), each)
    kept = list(values.items())[: _LISTED if _lists_all(question, read) else 1]
    if not kept or any(_is_unsettled(question, each, text, read) for text, each in kept if not question.earlier):
        return None, 0.0
    sure = min(_sure(question, each, read) for _, each in kept)
    kept.sort(key=lambda one: one[1].age)
    return Cited(", ".join(text for text, _ in kept), tuple(dict.fromkeys(each.place for _, each in kept))), sure


def _lists_all(question: Question, read: Sequence[Reading]) -> bool:
    """Return whether all values answer, not the newest alone: "What do I like?", "Who works on Kestrel?"."""
    if question.wanted is Wanted.COUNT:
        return False
    latest = next((each for each in read if each.match is not None and not each.match.denies), None)
    is_new = latest is None or matching.marks_change(latest.clause)
    return question.several or bool(question.concepts & SEVERAL) or (not is_new and _is_of_several(question))


def _is_of_several(question: Question) -> bool:
    """Return whether several values may answer at a time: "Who works on Kestrel?", "What do I own?"."""
    if question.past or question.earlier or question.noun is not None:
        return False
    if question.asks_subject:
        return "owner" not in question.concepts and not question.has
    verbs = union("verbs_of_several")
    is_open = question.wanted in (Wanted.THING, Wanted.ANYTHING)
    is_owned = question.has and not (question.rest or question.concepts - {"owner"})
    return is_open and (is_owned or (bool(question.rest) and verbs.issuperset(word.low for word in question.rest)))


def _new_values(text: str, locale: Locale, gone: Sequence[str], known: Iterable[str]) -> list[str]:
    """Return a value, or the items of a list that no newer clause ends: "tea and coffee", "no coffee any more"."""
    items = _LISTED_ITEMS(locale).split(text) if gone else [text]
    left = [item for item in items if not any(item.casefold() in other for other in gone)]
    found, small = [text] if len(left) == len(items) else left, [each.casefold() for each in known]
    return [each for each in found if not any(each.casefold() in one or one in each.casefold() for one in small)]


def _times_in(read: Reading) -> list[Value]:
    clause, times = read.clause, (ValueKind.DAY, ValueKind.CLOCK)
    found = values_of(clause.text, clause.locale, read.quote.memory.stated_at)
    return [each for each in found if each.kind in times and clause.start <= each.start < clause.stop]


def _sure(question: Question, chosen: Reading, read: Sequence[Reading]) -> float:
    """Return the confidence of a clause's value, 0 to 1, from the error rate of such answers in conversations."""
    sure = 1.0 if chosen.match is None else chosen.match.sure
    asked = question.subject
    if asked is None or not asked.words:
        return min(sure, _OF_SPEAKER)
    if question.concepts & _OFTEN_CHANGED:
        return min(sure, _CHANGED)
    newer = (each for each in read if each.age > chosen.age and each.quote.memory.id != chosen.quote.memory.id)
    is_spoken_of = any(names_all(asked, each.clause) for each in newer)
    return min(sure, (_SPOKEN_OF if question.concepts else _CHANGED) if is_spoken_of else sure)


def _known_values(read: Sequence[Reading]) -> set[str]:
    """Return the stated values, and their successive replacements."""
    known = {each.match.text.casefold() for each in read if each.match is not None and not each.match.was}
    for each in reversed(read):
        if each.match is not None and each.match.was.casefold() in known:
            known.add(each.match.text.casefold())
    return known


def _is_unsettled(question: Question, chosen: Reading, value: str, read: Sequence[Reading]) -> bool:
    """Return whether a newer unparsed statement on the same subject has a value or a change."""
    before, _, _ = chosen.quote.memory.content.partition(chosen.clause.text)  # before it, in the same turn
    turns = {link.memory_id for link in chosen.quote.memory.links if link.relation == "derived_from"}
    is_state = question.concepts == {"status"} or bool(question.concepts & matching.ENDS.keys())
    newer = (
        e
        for e in read
        if e.age > chosen.age
        and not (e.is_ahead or _is_its_reason(e, chosen) or e.clause.text in before or e.quote.memory.id in turns)
        and (e.match is None or (is_state and e.match.denies and not e.match.text))
        if e.clause.text[e.clause.start : e.clause.stop].strip(" .!") not in value
    )
    is_moved = question.wanted is Wanted.TIME and any(_moves_it(each, chosen) for each in read if each.match is None)
    return is_moved or any(matching.may_change(question, each.clause, each.by, value) for each in newer)


def _moves_it(read: Reading, chosen: Reading) -> bool:
    """Return whether a clause gives another time to what was spoken of just before: "It was moved to 4 pm"."""
    clause, memory, before = read.clause, read.quote.memory, chosen.quote.memory
    is_later = memory.scope.session is not None and 0 < (memory.position or 0) - (before.position or 0) <= _NEXT_TURNS
    if memory.scope != before.scope or not (is_later or (memory.id == before.id and read.order > chosen.order)):
        return False
    is_of_it = bool(clause.phrases) and not any(phrase.words for phrase in clause.phrases)
    is_new = "change" in clause.concepts or clause.has_phrase("unread_changes")
    is_timed = any(word.low[0].isdigit() for word in clause.words) or bool(_times_in(read))
    return is_of_it and is_new and is_timed


def _is_its_reason(each: Reading, chosen: Reading) -> bool:
    """Return whether a clause only gives the reason for the one before it: "... Dr Kay, because Dr Low has retired"."""
    text, stop = chosen.clause.text, chosen.clause.stop
    because = expression("because", chosen.clause.locale).search(text, stop) if each.clause.text == text else None
    return because is not None and stop <= because.start() <= each.clause.start


DatedPlace = tuple[date, int, int]  # a day, the index of its quote, and the start of its sentence


def _elapsed(evidence: Evidence) -> Cited | None:
    """Return the time between two events or since one, None if that is not asked or not known."""
    query = " ".join(evidence.query.split())
    locale = language_of(query)
    if (between := expression("elapsed_between", locale).search(query)) is not None:
        one = _day_of(between["one"] or between["since"], evidence)
        two = _day_of(between["two"] or between["when"], evidence)
        if one is None or two is None or one[1:] == two[1:]:
            return None
        counted = _counted(abs(two[0] - one[0]).days, between["unit"] or between["unit2"])
        return Cited(counted, tuple(dict.fromkeys((one[1], two[1])))) if counted else None
    if (ago := expression("elapsed_since", locale).search(query)) is not None:
        one = _day_of(ago["one"], evidence)
        if one is not None and (counted := _counted((evidence.now.date() - one[0]).days, ago["unit"])):
            return Cited(f"{counted} ago", (one[1],))
    return None


def _day_of(thing: str, evidence: Evidence) -> DatedPlace | None:
    """Return the day of an event: named in its sentence, or else that of the memory; None if unsure."""
    candidates = ranked(thing, evidence)
    if not candidates or candidates[0].found < _DATED:
        return None
    best = candidates[0]
    valid_from = best.quote.memory.stated_at
    named = dated(best.line.text, valid_from)
    if named and len(named[0].iso) != len("2023-05-07"):
        return None
    return named[0].first if named else valid_from.date(), best.place, best.line.start


def _counted(days: int, unit: str | None) -> str:
    """Return a number of days in the unit asked for, or the largest that fits; "" for none, or a future time."""
    if days <= 0:
        return ""
    unit = unit.lower() if unit else next(name for name, least in reversed(_ENOUGH.items()) if days >= least)
    number = round(days / _DAYS[unit])
    return f"{number} {unit}{'s' * (number != 1)}" if number else ""


_BRIEF, _BRIEF_POINTS = 4, 7  # sentences of a brief, and its points

DatedEvent = tuple[str, date, ScoredLine]


def brief(candidates: Sequence[ScoredLine], evidence: Evidence) -> AnswerParts:
    """Return the better half of the sentences, four at most, in order of time, and the others as points."""
    chosen = _on_topic(candidates, _BRIEF + _BRIEF_POINTS)
    if not chosen:
        return AnswerParts(_first_quote(evidence))
    lead = min(_BRIEF, (len(chosen) + 1) // 2)
    return AnswerParts(_in_time(chosen[:lead]), tuple(each.cited for each in chosen[lead:]))


def timeline(candidates: Sequence[ScoredLine], evidence: Evidence) -> AnswerParts:
    """Return the events of the question's time in order of date, and the sentences that answer best."""
    candidates = [each for each in candidates if not each.idle and not each.line.is_picture]
    if not candidates:
        return AnswerParts(_first_quote(evidence))
    found = list(_events([each for each in candidates if each.score >= _EVENT * candidates[0].score]))
    asked = windows(evidence.query, evidence.now)
    inside = [event for event in found if any(each.start.date() <= event[1] < each.end.date() for each in asked)]
    kept: list[DatedEvent] = []
    for event in inside or found:
        mine, others = event[2].line.terms, [other[2].line.terms for other in kept if other[0] == event[0]]
        if not any(len(mine & other) >= _SAME * min(len(mine), len(other)) for other in others):
            kept.append(event)
    kept = sorted(kept[:_EVENTS], key=lambda event: (event[1], event[0], event[2].place, event[2].line.start))
    return AnswerParts(
        _in_time(_on_topic(candidates, 2)), events=tuple(evidences.Event(iso, each.cited) for iso, _, each in kept)
    )


def _on_topic(candidates: Sequence[ScoredLine], most: int) -> list[ScoredLine]:
    """Return the best sentences that do not repeat each other and score near the best."""
    best = candidates[0].score if candidates else 0.0
    return distinct([each for each in candidates if not each.idle], most, least=_ON_TOPIC * best)


def _in_time(candidates: Sequence[ScoredLine]) -> tuple[Cited, ...]:
    """Return sentences in the order of their times."""
    ordered = sorted(candidates, key=lambda each: (each.quote.memory.valid_from, each.quote.memory.id, each.line.start))
    return tuple(each.cited for each in ordered)


def _events(candidates: Sequence[ScoredLine]) -> Iterator[DatedEvent]:
    """Yield the sentences with a date, and of quotes without one the best sentence with the memory's date."""
    undated = dict[int, DatedEvent]()
    dated_quotes = set[int]()
    for each in candidates:
        valid_from = each.quote.memory.stated_at
        if times := dated(each.line.text, valid_from):
            dated_quotes.add(each.place)
            yield times[0].iso, times[0].first, each
        else:
            undated.setdefault(each.place, (valid_from.date().isoformat(), valid_from.date(), each))
    yield from (event for place, event in undated.items() if place not in dated_quotes)


def relationship_map(
    candidates: Sequence[ScoredLine], evidence: Evidence, relationships: Sequence[Relationship]
) -> AnswerParts:
    """Return the relations that the quotes support, the question's own first, and the entities they join."""
    places = {quote.memory.id: place for place, quote in enumerate(evidence.quotes)}
    found = [
        CitedRelation(fact.subject, fact.predicate, fact.object, (place,))
        for place, quote in enumerate(evidence.quotes)
        if (fact := quote.memory.fact) is not None
    ]
    for each in relationships:
        quotes = tuple(sorted(places[memory] for memory in each.evidence if memory in places))
        found.append(CitedRelation(each.source.name, each.relation, each.target.name, quotes))
    relations = _best_relations(query_terms(evidence.query), list(_supported(found, evidence)))
    supporting = {place for each in relations for place in each.quotes}
    lead = _in_time(_on_topic([each for each in candidates if each.place in supporting] or candidates, 2))
    names = [end for each in relations for end in (each.source, each.target)]
    names += [name for quote in evidence.quotes for name in quote.memory.entities]
    entities: dict[str, str] = {}
    for name in names:
        entities.setdefault(_key(name), name)
    entities.pop("", None)
    return AnswerParts(
        lead or _first_quote(evidence), entities=tuple(entities.values())[:_ENTITIES], relations=relations
    )


def _supported(relations: Iterable[CitedRelation], evidence: Evidence) -> Iterator[CitedRelation]:
    """Yield relations with the quotes that state them, without those that all quotes deny or state as past."""
    for each in relations:
        if is_stop(each.source) or is_stop(each.target):
            continue  # the first word of a sentence, mistaken for a name
        ends, quotes = (each.source.casefold(), each.target.casefold()), []
        for place in each.quotes:
            texts = [line.text for line in lines(evidence.quotes[place].text)]
            both = [text for text in texts if all(end in text.casefold() for end in ends)]
            if not both or not all(has_any(each, "simple_negation", "over") for each in both):
                quotes.append(place)
        if quotes:
            yield replace(each, quotes=tuple(quotes))


def _best_relations(terms: Iterable[str], relations: Sequence[CitedRelation]) -> tuple[CitedRelation, ...]:
    """Return each relation once with all its quotes: those with a name of the question first, co-mentions last."""
    merged: dict[tuple[str, str, str], CitedRelation] = {}
    for each in relations:
        key = _key(each.source), each.relation, _key(each.target)
        known = merged.get(key, each)
        merged[key] = replace(known, quotes=tuple(sorted({*known.quotes, *each.quotes})))
    asked = frozenset(terms)
    joined = {frozenset((one, other)) for one, relation, other in merged if relation != RELATED}

    def order(each: CitedRelation) -> tuple[bool, int]:
        return asked.isdisjoint(query_terms(f"{each.source} {each.target}")), -len(each.quotes)

    stated, beside = list[CitedRelation](), list[CitedRelation]()
    for (one, relation, other), each in merged.items():
        if relation != RELATED:
            stated.append(each)
        elif frozenset((one, other)) not in joined:
            beside.append(each)
    return (*sorted(stated, key=order)[:_RELATIONS], *sorted(beside, key=order)[:_BESIDES])


def _key(name: str) -> str:
    return name_key(NAME, name)
