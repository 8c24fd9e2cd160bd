"""Synthesis of answers: `synthesize` turns recalled memories into an answer with citations, by rules or a model."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engrain.arguments import SynthesisFilters
from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import log
from engrain.language.answer_forms import of_sorts
from engrain.language.implied import is_of_speaker, words_implied
from engrain.language.phrases import in_all_languages
from engrain.language.query import asked_apart, asked_otherwise, before_asked, parse
from engrain.llm.asker import Asker, asker
from engrain.llm.client import Usage
from engrain.llm.replies import ask_model, json_object, prompt
from engrain.model.filters import Filter
from engrain.model.memory import USER, Scope
from engrain.model.results import OFFLINE, Format, Synthesis
from engrain.protocols import LLM
from engrain.read.listing import GraphView
from engrain.read.recall import recall
from engrain.read.request import PointInTime, Request, conditions_at, point_in_time, select
from engrain.security.injection import Signs, signs_by, suspicions
from engrain.synthesis import evidence as evidences
from engrain.synthesis.counting import sought_words
from engrain.synthesis.evidence import AnswerParts, Cited, Evidence, gathered, sources_of, with_rivals, with_some
from engrain.synthesis.nearest import asks_own_name, words_beside
from engrain.synthesis.offline import answer_by_rules
from engrain.synthesis.readings import with_subject
from engrain.synthesis.replies import LEAST, Composed, ReplyReader, SynthesisReply, shown

_SHOWN = 24_000  # characters of memories in a prompt
_TOKENS = {  # of an answer
    Format.DIRECT_ANSWER: 700,
    Format.SYNTHESIZED_BRIEF: 1200,
    Format.TIMELINE_ANALYSIS: 1500,
    Format.RELATIONSHIP_MAP: 1500,
}


def synthesize(
    engine: Engine, scope: Scope, request: Request, *, form: Format, tiers: Sequence[str], filters: SynthesisFilters
) -> Synthesis:
    """Answer a question from the memories that a recall returns; see `MemoryManager.synthesize`."""
    started = time.perf_counter()
    at = point_in_time(engine, now=filters.get("now"), as_of=filters.get("as_of"), known_at=filters.get("known_at"))
    found = recall(engine, request)
    threshold = max(engine.settings.abstain_below, LEAST)
    is_direct = form is Format.DIRECT_ANSWER
    evidence = gathered(found, now=request.now, threshold=threshold, any_relevance=is_direct, as_of=at.as_of)
    is_relevant = not found.abstained and evidence.confidence >= threshold
    parts: AnswerParts | None = None
    by, usage, notes = OFFLINE, Usage(), list[str]()
    composed: Composed | None = None
    reason = "nothing that is remembered states it"
    if not found.query.strip():
        reason = "nothing was asked"
    elif not is_relevant:
        best = max((hit.relevance for hit in found), default=0.0)
        reason = f"the best memory reaches a relevance of {best:.2f}, and {threshold:.2f} is asked for"
        reason = reason if found else "nothing was found"
    elif (llm := asker(engine, scope, "synthesis")) is not None:
        given = with_rivals(engine, request.where, at, evidence)
        composed, usage = _composed(llm, form, given, notes, signs_by(engine.settings)), llm.usage
        if composed is not None:
            parts, evidence, by = composed.parts, composed.evidence, llm.name
            reason = f"{by} found no answer in what is remembered"
    if composed is None and found.query.strip() and (is_relevant or is_direct):
        evidence, offline = _by_rules(engine, scope, request, form, evidence, filters=filters, at=at)
        parts = offline if offline.lead or (offline.points and is_relevant) else None
        reason = reason if parts is None else "nothing that is remembered surely states it"
    sources = [] if parts is None else sources_of(evidence, parts, threshold=threshold)
    abstained = parts is None or not parts.lead
    confidence = evidence.confidence if parts is None or parts.sure is None else parts.sure
    metadata = {
        "query_id": engine.new_id("query"),
        "model_used": by,
        "tokens_used": usage.tokens,
        "calls": usage.calls,
        "latency_ms": round((time.perf_counter() - started) * 1000, 3),
        "confidence": 0.0 if abstained and evidence.confidence >= threshold else round(confidence, 4),
        "confidence_threshold": threshold,
        "sources_count": len(sources),
        "tier_filter": list(tiers),
        "abstained": abstained,
        "reason": reason if abstained else "",
        "notes": notes,
        "standpoint": {
            **{
                name: None if when is None or filters.get(name) is None else when.isoformat()
                for name, when in {"now": at.now, "as_of": at.as_of, "known_at": at.known_at}.items()
            },
            "exclude_superseded": filters.get("exclude_superseded", True),
        },
    }
    return Synthesis(
        evidence.query, form.value, evidences.written(form, parts or AnswerParts(), evidence), metadata, sources
    )


def _by_rules(
    engine: Engine,
    scope: Scope,
    request: Request,
    form: Format,
    evidence: Evidence,
    *,
    filters: SynthesisFilters,
    at: PointInTime,
) -> tuple[Evidence, AnswerParts]:
    """Return the evidence and the parts of an answer made without a model."""
    where = select(scope, conditions_at(at), shared=filters.get("shared", False))
    if form is not Format.DIRECT_ANSWER:  # which selects its own evidence; the other formats use all of it
        near = tuple(quote for quote in evidence.quotes if quote.hit.relevance >= evidence.threshold)
        evidence = replace(evidence, quotes=near)
        evidence = with_rivals(engine, request.where, at, evidence)
    elif request.k:
        question, before = parse(evidence.query), before_asked(evidence.query)
        evidence = evidences.with_asker(engine, request.where, at, evidence, scope.user or USER)
        former = _with_former(request.where, at) if question.earlier or before else request.where
        evidence = evidences.with_facts(engine, former, at, evidence, question)
        evidence = evidences.with_turns_after(engine, request.where, at.known_at, evidence)
        evidence = with_subject(engine, request.where, at, evidence, question)
        asked = [question, *asked_otherwise(evidence.query), *(before[0] if before else ())]
        asked += map(parse, asked_apart(evidence.query))
        more = [o for each in asked for word in each.rest for o in in_all_languages(word) if not word.has_capital]
        more += words_implied(question)
        beside = [words_beside(each, each.text) for each in (before[0] if before else ())]
        beside = [words_beside(question, evidence.query), *beside]
        for words in (of_sorts(question), *beside, more, sought_words(question)):
            evidence = evidences.with_mentions(engine, request.where, at, evidence, words) if words else evidence
        if asks_own_name(question):
            evidence = with_some(engine, request.where, at, evidence, newest=False)
        if not evidence.quotes and is_of_speaker(question):
            evidence = with_some(engine, request.where, at, evidence, newest=True)
        evidence = with_rivals(engine, request.where, at, evidence)
        if at.known_at is None and at.as_of is None:
            evidence = evidences.with_successors(engine, request.where, evidence)
        evidence = replace(evidence, before=evidences.turns_before(engine, where, at.known_at, evidence.quotes))
    view, memories = GraphView(engine, where, at), [quote.memory for quote in evidence.quotes]
    relations = evidences.relationships_of(view, memories) if form is Format.RELATIONSHIP_MAP else ()
    parts, shown = answer_by_rules(form, evidence, relationships=relations), evidence.barred
    if parts.lead or not shown or form not in (Format.DIRECT_ANSWER, Format.SYNTHESIZED_BRIEF):
        return evidence, parts
    points = (Cited(quote.text, (place,)) for place, quote in enumerate(shown, len(evidence.quotes)))
    return replace(evidence, quotes=(*evidence.quotes, *shown)), replace(parts, points=(*parts.points, *points))


def _with_former(where: Filter, at: PointInTime) -> Filter:
    """Return a filter that also selects superseded memories: "Where did I live before?"."""
    current = conditions_at(at)
    others = tuple(each for each in where.conditions if each not in current)
    return replace(where, conditions=(*others, *conditions_at(at, exclude_superseded=False)))


def _composed(llm: Asker, form: Format, evidence: Evidence, notes: list[str], signs: Signs) -> Composed | None:
    """Return a model's answer, None if it fails or its budget is spent; the reason is added to `notes`."""
    try:
        composed = compose(llm, form, evidence, signs)
    except ProviderError as error:
        notes.append(f"not answered by {llm.name}: {error}")
        log.warning("synthesis goes on without the language model: %s", error)
        return None
    notes.append(f"prompt {prompt(form.value).label}")
    if composed.dropped:
        notes.append(f"left out, for their sources do not support them: {composed.dropped} of its statements")
    if composed.cut:
        notes.append(f"not looked at, for an answer holds no more: {composed.cut} of its statements")
    return composed


def compose(llm: LLM, form: Format, evidence: Evidence, signs: Signs = suspicions) -> Composed:
    """Ask a model for an answer; raises `ProviderError` if two replies are not supported by their sources."""

    def read(answer: str) -> Composed:
        return ReplyReader(form, evidence, signs).read(json_object(SynthesisReply)(answer))

    texts = json.dumps(list(_memories(evidence)), ensure_ascii=False, indent=0)
    return ask_model(llm, prompt(form.value), read, max_tokens=_TOKENS[form], question=evidence.query, memories=texts)


def _memories(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Yield the memories in the form that a prompt has, until its characters are used up."""
    left = _SHOWN
    for number, quote in enumerate(evidence.quotes, start=1):
        memory = quote.memory
        text = shown(memory.content, quote.text)[: max(left, 0)]
        left -= len(text)
        if not text:
            return
        fields = {"memory": number, "date": memory.valid_from.date().isoformat(), "source": memory.source.type.value}
        by = {"by": memory.actor} if memory.actor else {}
        yield {**fields, **by, **({"disputed": True} if quote.hit.contested else {}), "text": text}
