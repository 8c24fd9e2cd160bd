"""The path from recalled memories to an answer with citations."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engrain.arguments import SynthesisFilters
from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.guard import log
from engrain.llm.asker import asker
from engrain.llm.client import Usage
from engrain.llm.replies import ask_model, json_object, prompt
from engrain.model.memory import Scope
from engrain.model.results import OFFLINE, Format, Synthesis
from engrain.protocols import LLM
from engrain.read.entities import GraphView
from engrain.read.history import conditions_at, point_in_time
from engrain.read.recall import recall
from engrain.read.request import Request, select
from engrain.synthesis.checking import LEAST
from engrain.synthesis.evidence import Evidence, Told, gathered, relationships_of, sources_of, written
from engrain.synthesis.offline import told
from engrain.synthesis.replies import Composed, Reader, Reply, shown

__all__ = ["Composed", "compose"]

_TOGETHER = 24_000  # characters of memories that are shown
_ANSWER = {  # tokens
    Format.DIRECT_ANSWER: 700,
    Format.SYNTHESIZED_BRIEF: 1200,
    Format.TIMELINE_ANALYSIS: 1500,
    Format.RELATIONSHIP_MAP: 1500,
}


def compose(llm: LLM, form: Format, evidence: Evidence) -> Composed:
    """Ask a model for an answer; raises `ProviderError` when it twice gives none that follows from its sources."""

    def read(answer: str) -> Composed:
        return Reader(form, evidence).read(json_object(Reply)(answer))

    memories = json.dumps(list(_composing_shown(evidence)), ensure_ascii=False, indent=0)
    most = _ANSWER[form]
    return ask_model(llm, prompt(form.value), read, max_tokens=most, question=evidence.query, memories=memories)


def _composing_shown(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Yield the memories as a model is shown them, each as much as there is room for."""
    left = _TOGETHER
    for number, quote in enumerate(evidence.quotes, start=1):
        memory = quote.memory
        text = shown(memory.content, quote.text)[: max(left, 0)]
        left -= len(text)
        if not text:
            return
        told = {"memory": number, "date": memory.valid_from.date().isoformat(), "source": memory.source.type.value}
        by = {"by": memory.actor} if memory.actor else {}
        yield {**told, **by, **({"disputed": True} if quote.hit.contested else {}), "text": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is wanted: the format of an answer, the tiers it may rest on, on whose account, and since when.

    `sight` is what the view sees of the graph, `standpoint` the time from which it was asked, as JSON keeps it.
    """

    form: Format
    tiers: tuple[str, ...]
    scope: Scope
    sight: GraphView
    standpoint: Mapping[str, Any]
    started: float = field(default_factory=time.perf_counter)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer and how it came about; without `told` there is none."""

    evidence: Evidence
    told: Told | None = None
    by: str = OFFLINE
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    reason: str = ""


def synthesize(
    engine: Engine, scope: Scope, request: Request, *, form: Format, tiers: Sequence[str], filters: SynthesisFilters
) -> Synthesis:
    """Answer a question from the memories that a recall finds for it; see `MemoryManager.synthesize`."""
    at = point_in_time(engine, now=filters.get("now"), as_of=filters.get("as_of"), known_at=filters.get("known_at"))
    given = {"now": at.now, "as_of": at.as_of, "known_at": at.known_at}
    times = {name: time if filters.get(name) is not None else None for name, time in given.items()}
    question = Question(
        form=form,
        tiers=tuple(tiers),
        scope=scope,
        sight=GraphView(engine, select(scope, conditions_at(at), shared=filters.get("shared", False)), at),
        standpoint={
            **{name: None if time is None else time.isoformat() for name, time in times.items()},
            "exclude_superseded": filters.get("exclude_superseded", True),
        },
    )
    found = recall(engine, request)
    threshold = max(engine.settings.abstain_below, LEAST)
    evidence = gathered(found, now=request.now, threshold=threshold)
    if not found.query.strip() or found.abstained or not evidence.quotes or evidence.confidence < threshold:
        best = max((hit.relevance for hit in found), default=0.0)
        why = f"the best memory reaches a relevance of {best:.2f}, and {threshold:.2f} is asked for"
        why = why if found else "nothing was found"
        answer = _Answer(evidence, reason=why if found.query.strip() else "nothing was asked")
    else:
        answer = _answered(engine, question, evidence, threshold)
    return _answering_shown(engine, question, answer, threshold)


def _answered(engine: Engine, question: Question, evidence: Evidence, threshold: float) -> _Answer:
    """Return the model's answer; the one by rules where there is no model, or it fails, or its budget is spent."""
    llm = asker(engine, question.scope, "synthesis")
    note = ""
    if llm is not None:
        try:
            composed = compose(llm, question.form, evidence)
        except ProviderError as error:
            note = f"not told by {llm.name}: {error}"
            log.warning("synthesis goes on without the language model: %s", error)
        else:
            label = (f"prompt {prompt(question.form.value).label}",)
            left_out = (f"left out, for their sources do not bear them out: {composed.dropped} of its statements",)
            more = (f"not looked at, for an answer holds no more: {composed.cut} of its statements",)
            notes = label + (left_out if composed.dropped else ()) + (more if composed.cut else ())
            why = "" if composed.told is not None else f"{llm.name} found no answer in what is remembered"
            return _Answer(composed.evidence, composed.told, llm.name, llm.usage, notes, why)
    if question.form is not Format.DIRECT_ANSWER:  # which judges for itself what answers; the others tell what they get
        evidence = replace(evidence, quotes=tuple(q for q in evidence.quotes if q.hit.relevance >= threshold))
    maps = question.form is Format.RELATIONSHIP_MAP
    ties = relationships_of(question.sight, [quote.memory for quote in evidence.quotes]) if maps else []
    said = told(question.form, evidence, relationships=ties)
    usage = llm.usage if llm is not None else Usage()
    empty = "" if said.lead else "nothing that is remembered says so"
    return _Answer(evidence, said if said.lead else None, OFFLINE, usage, tuple(filter(None, [note])), empty)


def _answering_shown(engine: Engine, question: Question, answer: _Answer, threshold: float) -> Synthesis:
    evidence, abstained = answer.evidence, answer.told is None
    sources = [] if answer.told is None else sources_of(evidence, answer.told, threshold=threshold)
    metadata = {
        "query_id": engine.new_id("query"),
        "model_used": answer.by,
        "tokens_used": answer.usage.tokens,
        "calls": answer.usage.calls,
        "latency_ms": round((time.perf_counter() - question.started) * 1000, 3),
        "confidence": 0.0 if abstained and evidence.confidence >= threshold else round(evidence.confidence, 4),
        "confidence_threshold": threshold,
        "sources_count": len(sources),
        "tier_filter": list(question.tiers),
        "abstained": abstained,
        "reason": answer.reason,
        "notes": list(answer.notes),
        "standpoint": dict(question.standpoint),
    }
    said = written(question.form, answer.told or Told(()), evidence)
    return Synthesis(evidence.query, question.form.value, said, metadata, sources)
