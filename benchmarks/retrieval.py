"""Retrieval quality on conversations with marked evidence, beside BM25 and plain vector search in the same run.

With it how often a turn that is asked about later is rated more important than one that is not, beside the rating by
word count and apart for each class of speaker; 0.5 is chance.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks.datasets import Conversation, Question, load_questions
from benchmarks.metrics import (
    CUTS,
    OVERALL,
    SEED,
    Cell,
    Column,
    Floats,
    Groups,
    Interval,
    Ints,
    auroc,
    cell_lines,
    measure,
    percent,
    percent_interval,
    shares_below,
    summarise,
)
from benchmarks.report import Progress, Quantiles, Report, Timings, server_note
from benchmarks.stores import temporary_memory
from engrain import Hit, Memory
from engrain.language.tokens import counts, query_terms
from engrain.policies import word_count_importance
from engrain.protocols import Embedder

ALL_TURNS = "all turns"
IMPORTANCE, WORD_COUNT = "importance", "word count"
_BLOCK = 256
_FEW = 12  # conversations
_COLUMNS: tuple[Column, ...] = (
    ("R@5", 7, percent("recall@5")),
    ("R@10", 7, percent("recall@10")),
    ("95% interval", 16, percent_interval("recall@10")),
    ("R@20", 7, percent("recall@20")),
    ("any@10", 8, percent("any@10")),
    ("all@10", 8, percent("all@10")),
    ("nDCG@10", 9, percent("ndcg@10")),
    ("MRR", 7, percent("mrr")),
)


@dataclass(frozen=True, kw_only=True)
class QuestionReport(Report):
    """What was found when questions were asked: `systems` maps a system and a category to its cell.

    `overall` covers the answerable questions. `abstained` is the share of the answerable and of the other questions
    that got no answer.
    """

    file: str
    embedder: str | None
    conversations: int
    memories: int
    answerable: int
    unanswerable: int
    systems: Mapping[str, Mapping[str, Cell]]
    abstained: Mapping[str, float]
    server: Mapping[str, str] = field(default_factory=dict)
    handles: bool = False
    seed: int = SEED

    def header(self) -> list[str]:
        """Return what was asked of what, as lines of text."""
        return [
            f"{self.file}, embedder {self.embedder or 'none'}" + ", handles instead of names" * self.handles,
            *server_note(self.server),
            f"{self.conversations:,} conversations, {self.memories:,} memories",
            f"{self.answerable:,} answerable questions, {self.unanswerable:,} others",
            "",
        ]

    @property
    def abstentions(self) -> str:
        """The shares of questions that got no answer, as a line of text."""
        shares = ", ".join(f"{share:.1%} of the {name}" for name, share in self.abstained.items())
        return f"Abstained: {shares or 'no questions'}"


@dataclass(frozen=True, kw_only=True)
class Quality(QuestionReport):
    """What an evaluation of retrieval found.

    `auroc` is how well the best hit's relevance separates answerable questions from others, None without both sorts;
    `importance` how often evidence is rated above other turns, by group of turns and by rating. Ingest is writing,
    indexing and embedding. `by_conversation` is the R@10 of each: how far they differ says how much a figure may.
    """

    k: int
    by_conversation: Mapping[str, float]
    auroc: float | None
    importance: Mapping[str, Mapping[str, Interval]]
    ingest_per_cpu_second: float
    ingest_seconds: float
    recall_ms: Quantiles

    def lines(self) -> list[str]:
        rate = self.ingest_per_cpu_second
        separated = "no questions of both sorts" if self.auroc is None else f"AUROC {self.auroc:.3f}"
        return [
            *self.header(),
            *cell_lines(self.systems, _COLUMNS, 10),
            *spread_lines(self.by_conversation),
            "",
            f"Answerable or not, by the best hit's relevance: {separated}",
            *importance_lines(self.importance),
            self.abstentions,
            f"Ingest: {rate:,.0f} memories per CPU second, in {self.ingest_seconds:,.1f} s by the clock",
            *self.recall_ms.lines(f"Recall of {self.k}"),
        ]


def evaluate(
    path: str | os.PathLike[str],
    *,
    embedder: str | Embedder | None = "auto",
    k: int = 20,
    limit: int | None = None,
    handles: bool = False,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Quality:
    """Remember each conversation of a file, ask its questions and measure how much of the evidence comes back.

    Each conversation is a user of its own in one temporary store.

    Args:
        path: A file of conversations with marked evidence.
        embedder: As `MemoryManager` takes it; None finds by words alone.
        k: How many hits to ask for; at least the deepest cut, 20.
        limit: The most questions; at least 1, None for all.
        handles: Whether the speakers have handles, which the questions do not know, instead of their names.
        store: The URL of a server on which databases are made for the stores; None makes files.
        store_dir: The folder for those files; None is that of temporary files.
        progress: Called after each question.

    Raises:
        ValueError: An argument is out of range, or the file holds no conversations with questions.
    """
    check_depth(k)
    recall, ingest, groups, ratings = Timings(), Timings(), Groups(), Ratings()
    relevance: dict[bool, list[float]] = {True: [], False: []}
    abstained: dict[bool, list[bool]] = {True: [], False: []}
    by_conversation: defaultdict[str, list[float]] = defaultdict(list)
    conversations = memories = 0
    with temporary_memory(store, store_dir, embedder=embedder) as (manager, server):
        for conversation, questions in load_questions(path, limit=limit, progress=progress):
            view = manager.scoped(user=conversation.id)
            conversation = conversation.with_handles() if handles else conversation
            kept = ingest.measure(view.remember_many, conversation.items)
            ingest.measure(view.flush)
            ratings.add_conversation(conversation, [each.memory for each in kept])
            conversations, memories = conversations + 1, memories + len(kept)
            turns, baselines = conversation.turns, _baselines(conversation, manager.embedder)
            for question in questions:
                found = recall.measure(view.recall, question.text, k=k, now=question.now, touch=False)
                relevance[question.answerable].append(max((hit.relevance for hit in found), default=0.0))
                abstained[question.answerable].append(found.abstained)
                if question.evidence:
                    measured = measure(found_turns(found), question.evidence)
                    groups.add("engrain", categories(question), measured)
                    if question.answerable:
                        by_conversation[conversation.id].append(measured["recall@10"])
                    for name, baseline in baselines.items():
                        ranked = dict.fromkeys(turns[place] for place in rank(baseline, question.text, k))
                        groups.add(name, categories(question), measure(list(ranked), question.evidence))
        used = manager.embedder
    return Quality(
        file=Path(path).name,
        embedder=None if used is None else used.id,
        k=k,
        by_conversation={name: sum(each) / len(each) for name, each in by_conversation.items()},
        handles=handles,
        conversations=conversations,
        memories=memories,
        answerable=len(relevance[True]),
        unanswerable=len(relevance[False]),
        systems=groups.cells(),
        auroc=auroc(relevance[True], relevance[False]),
        abstained=shares(abstained),
        importance=ratings.measure(),
        ingest_per_cpu_second=1000 * memories / sum(ingest.cpu) if memories else 0.0,
        ingest_seconds=sum(ingest.wall) / 1000,
        recall_ms=recall.quantiles,
        server=server,
    )


def spread_lines(by_conversation: Mapping[str, float]) -> list[str]:
    """Return the R@10 of each of a few conversations, as lines of text; none where there are many, or one."""
    if not 1 < len(by_conversation) <= _FEW:
        return []
    each = ", ".join(f"{name} {100 * value:.1f}" for name, value in by_conversation.items())
    return ["", f"R@10 by conversation: {each}"]


def check_depth(k: int) -> None:
    """Raise `ValueError` for fewer hits than the deepest cut that is measured."""
    if k < max(CUTS):
        raise ValueError(f"k is at least {max(CUTS)}, the deepest cut that is measured")


def found_turns(found: Iterable[Hit]) -> list[str]:
    """Return the turns of hits, best first, each once."""
    turns = (hit.memory.metadata.get("turn") for hit in found)  # a summary of several has none
    return list(dict.fromkeys(str(turn) for turn in turns if turn is not None))


def categories(question: Question) -> tuple[str, ...]:
    """Return the groups that a question counts in."""
    return (question.category, OVERALL) if question.answerable else (question.category,)


def shares(abstained: Mapping[bool, Sequence[bool]]) -> dict[str, float]:
    """Return the share of the answerable and of the other questions that got no answer."""
    names = {True: "answerable", False: "unanswerable"}
    return {name: sum(abstained[kind]) / len(abstained[kind]) for kind, name in names.items() if abstained[kind]}


# ---------------------------------------------------------------------------------------------------------- baselines


class Baseline(Protocol):
    """Scores every text of a conversation against a question."""

    def scores(self, question: str) -> Floats: ...


def _baselines(conversation: Conversation, embedder: Embedder | None) -> dict[str, Baseline]:
    texts = [f"{item['actor']}: {item['content']}" for item in conversation.items]
    found: dict[str, Baseline] = {"bm25": BM25(texts)}
    if embedder is not None:
        found["vector"] = PlainVector(texts, embedder)
    return found


def rank(baseline: Baseline, question: str, k: int) -> Ints:
    """Return the places of the k best texts, best first, the earlier first among equals, none that does not match."""
    scores = baseline.scores(question)
    order = np.argsort(-scores, kind="stable")[:k]
    best: Ints = order[scores[order] > 0]
    return best


class BM25:
    """Robertson's BM25 over stemmed words, stop words dropped from the question, constants fit for short texts."""

    def __init__(self, texts: Sequence[str], *, k1: float = 0.9, b: float = 0.4) -> None:
        found = [counts(text) for text in texts]
        lengths = np.array([sum(terms.values()) for terms in found], np.float32)
        self._norms = k1 * (1 - b + b * lengths / max(lengths.mean(), 1.0))
        self._gain = k1 + 1
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, terms in enumerate(found):
            for term, count in terms.items():
                self._postings[term].append((place, count))

    def scores(self, question: str) -> Floats:
        """Return the score of each text, 0 where none of the question's words occur."""
        total: Floats = np.zeros(len(self._norms), np.float32)
        for term in set(query_terms(question)):
            postings = self._postings.get(term)
            if postings:
                places, times = np.array(postings).T
                idf = math.log(1 + (len(total) - len(places) + 0.5) / (len(places) + 0.5))
                total[places] += idf * times * self._gain / (times + self._norms[places])
        return total


class PlainVector:
    """The cosine between the embedder's vectors of question and text, as the embedder makes them."""

    def __init__(self, texts: Sequence[str], embedder: Embedder) -> None:
        self._embed = getattr(embedder, "embed_query", lambda text: embedder.embed([text])[0])
        blocks = [texts[start : start + _BLOCK] for start in range(0, len(texts), _BLOCK)]
        self._vectors = np.concatenate([_unit(embedder.embed(block)) for block in blocks])

    def scores(self, question: str) -> Floats:
        """Return the cosine of each text, 0 for one without a vector."""
        scores: Floats = self._vectors @ _unit([self._embed(question)])[0]
        return scores


def _unit(vectors: Sequence[Sequence[float]] | Floats) -> Floats:
    table: Floats = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    unit: Floats = np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
    return unit


# --------------------------------------------------------------------------------------------------------- importance


class Ratings:
    """The ratings of turns, those that are evidence for a question apart from the others."""

    def __init__(self) -> None:
        self._kept: defaultdict[str, dict[bool, list[tuple[float, float]]]] = defaultdict(lambda: {True: [], False: []})

    def add_conversation(self, conversation: Conversation, memories: Sequence[Memory | None]) -> None:
        """Add what became of the turns of a conversation."""
        evidence = {turn for question in conversation.questions for turn in question.evidence}
        for turn, memory in zip(conversation.turns, memories, strict=True):
            if memory is not None:
                source = memory.source.type.value
                self.add(memory.content, memory.importance, evidence=turn in evidence, source=source)

    def add(self, text: str, importance: float, *, evidence: bool, source: str) -> None:
        """Add the rating of a turn; `source` is the class of its speaker."""
        for group in (ALL_TURNS, source):
            self._kept[group][evidence].append((importance, word_count_importance(text)))

    def measure(self) -> dict[str, dict[str, Interval]]:
        """Return, by group of turns and by rating, the AUC with its 95% interval over the turns of evidence.

        A group without evidence, or with nothing else, is left out.
        """
        groups = self._kept if len(self._kept) > 2 else {ALL_TURNS: self._kept[ALL_TURNS]} if self._kept else {}
        found = {}
        for name in sorted(groups, key=lambda name: (name != ALL_TURNS, name)):
            evidence, others = groups[name][True], groups[name][False]
            if evidence and others:
                columns = zip(zip(*evidence, strict=True), zip(*others, strict=True), strict=True)
                wins = [shares_below(*pair) for pair in columns]
                found[name] = summarise([{IMPORTANCE: a, WORD_COUNT: b} for a, b in zip(*wins, strict=True)])
        return found


def importance_lines(groups: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    """Return how often evidence is rated above other turns, as lines of text."""
    lines = []
    for group, ratings in groups.items():
        auc, low, high = ratings[IMPORTANCE]
        lines.append(
            f"Evidence is rated above other turns, {group}: AUC {auc:.3f} ({low:.3f} to {high:.3f}); "
            f"by word count {ratings[WORD_COUNT][0]:.3f}"
        )
    return lines
