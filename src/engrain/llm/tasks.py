"""Tasks of a language model for a scope: extract, describe, judge, grade, rerank, rewrite questions, name intents."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

from engrain.engine import Engine
from engrain.errors import ProviderError
from engrain.graph.extraction import phrase
from engrain.language.cues import asks, is_stated
from engrain.language.names import names_and_numbers
from engrain.language.tokens import content_pairs, sentence_parts, sentence_places, terms, words
from engrain.llm.asker import Asker, asker
from engrain.llm.client import Usage
from engrain.llm.replies import ModelTask, ask_model, is_supported, json_list, json_object, prompt
from engrain.model.entities import Mention, Named, Triple, family, name_key, relation_name
from engrain.model.memory import Fact, Scope, Turn
from engrain.model.results import Hit
from engrain.protocols import LLM, Candidate, Decider, Extractor, Grade, Grader, Judgement, QueryTransformer, Reranker
from engrain.text import OfflineTokenizer, normalise, shorten

PART_TOKENS = 2500  # tokens of a part: with instructions and answer it fits into 8,000, which every current model reads
CONTEXT_TOKENS = 300  # tokens of the text before a part: enough to resolve pronouns
_ANSWER_TOKENS = 2000  # a list of facts that is cut off cannot be parsed
_count = OfflineTokenizer().count_tokens
T = TypeVar("T")
_OPERATIONS = {**dict.fromkeys(("ADD", "UPDATE", "DELETE", "NOOP")), "NONE": "NOOP", "NO_OP": "NOOP", "NO-OP": "NOOP"}
_DECIDER_LENGTH = 2_000  # characters of a known text that are sent
RERANK_BATCH = 25  # texts that are scored in one call
RERANK_LENGTH = 800  # characters of a text that are sent for scoring
USE = "trial"
_TRIAL_TOKENS = 400  # models that reason spend tokens before their one word
SENT = 12_000  # characters of a text that are sent
RELATIONS = frozenset(  # the relations that a model may state
    "affects affiliated_with attributed_to based_in causes communicates_with compromises conducts controls delivers "
    "develops downloads drops exfiltrates_to exploits hosts impersonates implements indicates located_at mitigates "
    "originates_from part_of participates_in patched precedes targets uses variant_of".split()
)
WEIGHT = 0.6  # the weight of a relation stated by a model: less than that of one matched by a pattern


@dataclass
class _ExtractedFact:
    """A fact as a model writes it; several key names are accepted."""

    fact: str | None = None
    content: str | None = None
    text: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    object_value: str | None = None
    importance: Any = None
    rating: Any = None
    confidence: Any = None

    def __post_init__(self) -> None:
        if not self.sentence:
            raise ValueError("it states nothing")

    @property
    def triple(self) -> Fact | None:
        parts = [(part or "").strip() for part in (self.subject, self.predicate, self.object or self.object_value)]
        return Fact(*parts) if all(parts) else None

    @property
    def sentence(self) -> str:
        """The sentence, else the triple as one."""
        given = (self.fact or "").strip() or (self.content or "").strip() or (self.text or "").strip()
        triple = self.triple
        return given or (f"{triple.subject} {triple.predicate.replace('_', ' ')} {triple.object}" if triple else "")

    def candidate(self) -> Candidate:
        """Return the fact with its numbers in their ranges."""
        rating = min(max(_number(self.importance, self.rating) or 5.0, 1.0), 10.0)
        given = _number(self.confidence)
        confidence = None if given is None else min(max(given, 0.0), 1.0)
        return Candidate(content=self.sentence, rating=rating, fact=self.triple, confidence=confidence)


class ModelExtractor(ModelTask):
    """Extracts facts by asking a model for each part of the turns; one without support in the turns is dropped."""

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the facts that the turns state."""
        known = frozenset(terms("\n".join([context, *(f"{turn.actor or ''} {turn.content}" for turn in turns)])))
        facts: list[_ExtractedFact] = []
        for part in in_parts(turns, context):
            rows = [(t.role, t.actor, t.at and t.at.isoformat(), t.content) for t in part.turns]
            named = (zip(("role", "by", "at", "says"), row, strict=True) for row in rows)
            messages = [{name: value for name, value in each if value is not None} for each in named]
            record = {"context": part.context, "said": messages} if part.context.strip() else messages
            facts += self._ask("extract", json_list(_ExtractedFact), record, max_tokens=_ANSWER_TOKENS)
        return [fact.candidate() for fact in facts if is_supported(fact.sentence, known)]


def _number(*values: object) -> float | None:
    numbers = (float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool))
    return next((number for number in numbers if math.isfinite(number)), None)


class Part(NamedTuple):
    """Some of the turns, or a piece of one, and the text right before them."""

    turns: tuple[Turn, ...]
    context: str


def in_parts(turns: Sequence[Turn], context: str = "") -> Iterator[Part]:
    """Yield the turns in parts of at most `PART_TOKENS`, each with the end of the context before it."""
    part: list[Turn] = []
    size, before = 0, _last_sentences(context)
    for piece in (piece for turn in turns for piece in _pieces(turn)):
        tokens = _count(piece.content)
        if part and size + tokens > PART_TOKENS:
            yield Part(tuple(part), before)
            before = _last_sentences(" ".join([before, *(each.content for each in part)]))
            part, size = [], 0
        part.append(piece)
        size += tokens
    if part:
        yield Part(tuple(part), before)


def _pieces(turn: Turn) -> Iterator[Turn]:
    """Yield a turn, or pieces of one that is longer than a part: whole sentences, or words of a longer sentence."""
    if _count(turn.content) <= PART_TOKENS:
        yield turn
        return
    text, size = "", 0
    for sentence in sentence_parts(turn.content):
        while sentence:
            start = OfflineTokenizer().truncate_to_tokens(sentence, PART_TOKENS) or sentence[:PART_TOKENS]
            sentence, tokens = sentence[len(start) :], _count(start)
            if text and size + tokens > PART_TOKENS:
                yield replace(turn, content=text)
                text, size = "", 0
            text, size = text + start, size + tokens
    yield replace(turn, content=text)


def _last_sentences(text: str) -> str:
    """Return the sentences at the end of a text that fit into a context."""
    kept, size = "", 0
    for sentence in reversed(sentence_parts(text[-20 * CONTEXT_TOKENS :])):
        size += _count(sentence)
        if size > CONTEXT_TOKENS:
            break
        kept = sentence + kept
    return kept.strip()


Operation = Literal["ADD", "UPDATE", "DELETE", "NOOP"]

_GRADED_HITS, _GRADER_LENGTH = 8, 1_000  # hits that are sent, characters of each


@dataclass
class _Verdict:
    operation: str
    target: Any = None
    content: str | None = None
    reason: str | None = None


class ModelDecider(ModelTask):
    """Judges a candidate with neighbours by asking a model; a merged text that states more than it got is dropped."""

    def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement:
        """Return whether the candidate is added, updates or deletes a known text, or is none of these."""
        if not neighbours:
            return Judgement(operation="ADD", reason="nothing known is near it")

        def parse(answer: str) -> Judgement:
            verdict = json_object(_Verdict)(answer)
            word = verdict.operation.strip().upper()
            if word not in _OPERATIONS:
                raise ValueError("its operation is none of ADD, UPDATE, DELETE and NOOP")
            operation = cast(Operation, _OPERATIONS[word] or word)
            target = None if operation == "ADD" else _target(verdict.target, neighbours)
            if target is not None and not _share_a_word(candidate.content, target.content):
                raise ValueError("the known text that it names has no word of the new one")
            return Judgement(
                operation=operation,
                target=None if target is None else target.id,
                content=_merged(verdict.content, candidate, target) if target and operation != "NOOP" else None,
                reason=" ".join((verdict.reason or "").split())[:200],  # characters of a reason that are kept
            )

        return self._ask("verdict", parse, {"new": candidate.content, "known": _listed(neighbours, _DECIDER_LENGTH)})


def _listed(hits: Sequence[Hit], length: int) -> list[dict[str, object]]:
    """Return hits as a model receives them, numbered from 1."""
    return [
        {"n": n, "since": hit.memory.valid_from.date().isoformat(), "says": hit.content[:length]}
        for n, hit in enumerate(hits, start=1)
    ]


def _target(given: object, neighbours: Sequence[Hit]) -> Hit:
    """Return the neighbour that a verdict names by its number or its id; the first if it names none."""
    if given is None or given == "":
        return neighbours[0]
    if isinstance(given, int | str) and not isinstance(given, bool):
        text = str(given).strip().lstrip("#")
        for number, hit in enumerate(neighbours, start=1):
            if text in (hit.id, str(number)):
                return hit
    raise ValueError("its target is no number of a known text")


def _merged(text: str | None, candidate: Candidate, target: Hit) -> str | None:
    """Return the text that replaces the target's, None for the candidate's own; it may add no name or number."""
    merged, received = (text or "").strip(), f"{candidate.content}\n{target.content}"
    if (
        not merged
        or normalise(merged) == normalise(target.content)
        or not is_supported(merged, frozenset(terms(received)))
        or names_and_numbers(merged) - frozenset(words(received))
        or not _share_a_word(candidate.content, merged)
    ):
        return None
    return merged


def _share_a_word(one: str, other: str) -> bool:
    own, others = (frozenset(term for _, term in content_pairs(text)) for text in (one, other))
    return not own or not others or not own.isdisjoint(others)


@dataclass
class _Grade:
    sufficient: bool
    confidence: float | None = None
    query: str | None = None


class ModelGrader(ModelTask):
    """Grades hits by asking a language model."""

    def grade(self, query: str, hits: Sequence[Hit]) -> Grade:
        """Return whether the best hits answer the question; the first eight are sent."""
        found = _listed(hits[:_GRADED_HITS], _GRADER_LENGTH)
        grade = self._ask("grade", json_object(_Grade), {"question": query, "found": found})
        given = grade.confidence
        confidence = 1.0 if given is None or not math.isfinite(given) else min(max(given, 0.0), 1.0)
        reformulation = None if grade.sufficient else (grade.query or "").strip() or None
        return Grade(sufficient=grade.sufficient, confidence=confidence, reformulation=reformulation)


@dataclass
class _Score:
    n: int
    score: float


class ModelReranker(ModelTask):
    """Scores texts, cut to their beginnings, from 0 to 10 by a language model in batches, all or none."""

    def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """Return one score for each text; without texts no model is asked."""
        starts = range(0, len(documents), RERANK_BATCH)
        return [score for at in starts for score in self._batch(query, documents[at : at + RERANK_BATCH])]

    def _batch(self, query: str, documents: Sequence[str]) -> list[float]:
        def parse(answer: str) -> list[float]:
            scores = {each.n: each.score for each in json_list(_Score)(answer) if math.isfinite(each.score)}
            numbers = range(1, len(documents) + 1)
            if not scores.keys() >= set(numbers):
                raise ValueError(f"it does not give each of the {len(documents)} texts a score")
            return [min(max(scores[n], 0.0), 10.0) for n in numbers]

        texts = [{"n": n, "says": text[:RERANK_LENGTH]} for n, text in enumerate(documents, start=1)]
        return self._ask("rerank", parse, {"question": query, "texts": texts})


@dataclass
class _Intent:
    intent: str


class ModelTransformer(ModelTask):
    """Rewrites and classifies questions by asking a language model."""

    def variants(self, query: str, n: int) -> Sequence[str]:
        """Return up to `n` paraphrases of the question; for none no model is asked."""
        if n < 1:
            return []
        found = ask_model(self._llm, prompt("variants"), json_list(str), question=query, count=str(n))
        return [text.strip() for text in found if text.strip()][:n]

    def hypothetical(self, query: str) -> str:
        """Return an invented passage that would answer the question."""
        text, system = prompt("hypothetical").filled(question=query)
        passage = self._llm.complete(text, system=system).strip()
        if not passage:
            raise ProviderError("the language model gave no passage")
        return passage[:1_000]  # characters of a hypothetical answer

    def intent(self, query: str) -> str:
        """Return the kind of a question in one word, which need not be a known one."""
        return ask_model(self._llm, prompt("intent"), json_object(_Intent), question=query).intent.strip().lower()


class Intents(Protocol):
    """Classifies a question in one word."""

    def intent(self, query: str) -> object: ...


def extractor(engine: Engine, scope: Scope) -> Extractor | None:
    """Return the extractor of facts; None means the offline one."""
    return _chosen(engine.extractor, engine, scope, "extract", ModelExtractor)


def decider(engine: Engine, scope: Scope) -> Decider | None:
    """Return the decider for facts; None means the rules."""
    return _chosen(engine.decider, engine, scope, "verdict", ModelDecider)


def grader(engine: Engine, scope: Scope) -> Grader | None:
    """Return the grader of a deep recall's hits."""
    return _chosen(engine.grader, engine, scope, "grade", ModelGrader)


def transformer(engine: Engine, scope: Scope) -> QueryTransformer | None:
    """Return the transformer of questions."""
    return _chosen(engine.transformer, engine, scope, "rewrite", ModelTransformer)


def reranker(engine: Engine, scope: Scope) -> Reranker | None:
    """Return the reranker of the best hits: the language model only if it was chosen for that."""
    given = engine.reranker
    return _chosen(None, engine, scope, "rerank", ModelReranker) if isinstance(given, str) else given


def intents(engine: Engine, scope: Scope) -> Intents | None:
    """Return the classifier of questions that the rules cannot classify, if the settings ask for it."""
    if engine.settings.unclear_intents != "llm":
        return None
    own: Any = engine.transformer
    return _chosen(own if callable(getattr(own, "intent", None)) else None, engine, scope, "intent", ModelTransformer)


def _chosen(given: T | None, engine: Engine, scope: Scope, use: str, make: Callable[[LLM], T]) -> T | None:
    """Return the caller's own provider, else one that asks the language model, None without a model."""
    llm = asker(engine, scope, use) if given is None else None
    return given if llm is None else make(llm)


@dataclass
class _Colour:
    colour: str


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did: the seconds and tokens of its calls, whether it keeps to JSON, and why it gave no answer."""

    seconds: float
    usage: Usage
    answers: bool = False
    keeps_to_json: bool = False
    error: ProviderError | None = None


def tried(llm: Asker) -> Trial:
    """Ask a model for a word, then for JSON; both calls count for the budget."""
    start, answers, keeps = time.perf_counter(), False, False
    failure: ProviderError | None = None
    try:
        for name in ("trial", "trial_json"):
            text, system = prompt(name).filled(record="The shed in the garden is green.")
            answer = llm.complete(text, system=system, max_tokens=_TRIAL_TOKENS)
            answers = True
        keeps = bool(json_object(_Colour)(answer))
    except ProviderError as error:
        failure = error
    except ValueError:  # not the JSON that was asked for
        pass
    return Trial(time.perf_counter() - start, llm.usage, answers, keeps, failure)


SUMMARY, KEYWORDS, TAGS, TRIPLES = 150, 7, 5, 12
"""Characters of a summary, and how many keywords, tags and triples are kept."""
_MAX_ENTRIES, _MAX_PLACES = 40, 8  # triples of an answer, and places of one end, that are examined
_KEYWORD_LENGTH, _TAG_LENGTH = 60, 40


@dataclass(frozen=True, slots=True)
class Description:
    """The supported parts of a description; empty where nothing is left."""

    summary: str = ""
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.summary or self.keywords or self.tags or self.triples)


@dataclass
class _Entry:
    """A description as a model writes it; each part is checked by itself."""

    summary: str | None = None
    keywords: list[Any] = field(default_factory=list)
    tags: list[Any] = field(default_factory=list)
    triples: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not (self.summary or self.keywords or self.tags or self.triples):
            raise ValueError("it describes nothing")


def label(*, causes: bool) -> str:
    """Return name and version of the prompt, with or without relations."""
    return prompt("describe_causes" if causes else "describe").label


def described(llm: LLM, text: str, *, causes: bool, mentions: Sequence[Mention] = ()) -> Description:
    """Ask for a description of a text, of its beginning if it is long; with `causes` also for its relations."""
    sent = text[:SENT]
    words = prompt("describe_causes" if causes else "describe")
    entry = ask_model(llm, words, json_object(_Entry), max_tokens=900, record=sent)
    known = frozenset(terms(sent))
    summary = shorten(_one_line(entry.summary), SUMMARY)
    found = (next(_occurrences(each, sent), None) for each in _texts(entry.keywords, _KEYWORD_LENGTH))
    keywords = (" ".join(each[0].split()) for each in found if each is not None)  # as the text writes them
    tags = (tag.casefold() for tag in _texts(entry.tags, _TAG_LENGTH))
    return Description(
        summary if summary and is_supported(summary, known) else "",
        tuple({each.casefold(): each for each in keywords}.values())[:KEYWORDS],
        tuple(dict.fromkeys(tag for tag in tags if (own := terms(tag)) and known.issuperset(own)))[:TAGS],
        stated(entry.triples, sent, mentions) if causes else (),
    )


def _texts(values: Iterable[object], length: int) -> Iterator[str]:
    for each in values:
        if isinstance(each, str) and 1 < len(line := _one_line(each)) <= length:
            yield line


def _one_line(text: str | None) -> str:
    return "".join(character for character in " ".join((text or "").split()) if character.isprintable())


def _occurrences(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Yield the places of a phrase as whole words, whatever its case and white space."""
    spaced = r"\s+".join(map(re.escape, phrase.split()))
    return re.finditer(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE)


class _End(NamedTuple):
    """A place of a text that names one end of a triple."""

    named: Named
    start: int
    end: int

    @property
    def key(self) -> tuple[str, str]:
        """What equal entities share."""
        return family(self.named.type), name_key(*self.named)


def stated(entries: Iterable[Any], text: str, mentions: Sequence[Mention]) -> tuple[Triple, ...]:
    """Return the triples with a known relation whose two ends the text names near each other and relates plainly."""
    sentences = sentence_places(text, lines=True)
    found: dict[tuple[tuple[str, str], str, tuple[str, str]], Triple] = {}
    for entry in islice(entries, _MAX_ENTRIES):
        parts = [entry.get(name) for name in ("subject", "relation", "object")] if isinstance(entry, Mapping) else []
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) != 3 or (name := relation_name(texts[1])) not in RELATIONS:
            continue
        subject, _, target = texts
        ends = list(_places(target, text, mentions))
        pairs = ((one, other) for one in _places(subject, text, mentions) for other in ends if one.key != other.key)
        pair = next((pair for pair in pairs if _is_plain(text, *pair, sentences)), None)
        if pair is not None:
            one, other = pair
            found.setdefault((one.key, name, other.key), Triple(one.named, name, other.named, WEIGHT))
    return tuple(found.values())[:TRIPLES]


def _places(name: str, text: str, mentions: Sequence[Mention]) -> Iterator[_End]:
    """Yield where a text names one end: an entity under any name it has there, or a short phrase."""
    wanted = " ".join(name.split())
    if not name_key("name", wanted):
        return
    for each in mentions:
        surface = text[each.start : each.end]
        if name_key(each.type, wanted) in (name_key(each.type, each.name), name_key(each.type, surface)):
            found = re.finditer(rf"(?<!\w){re.escape(surface)}(?!\w)", text)
            yield from (_End(Named(each.type, each.name), at.start(), at.end()) for at in islice(found, _MAX_PLACES))
            return
    for at in islice(_occurrences(wanted, text), _MAX_PLACES):
        around = (each for each in mentions if each.start <= at.start() and at.end() <= each.end)
        whole = next((Named(each.type, each.name) for each in around), None)  # a part of a name is that entity
        named = whole or phrase(text, at.start(), at.end(), mentions)
        if named is not None and name_key(*named):
            yield _End(Named(named.type, " ".join(named.name.split())), at.start(), at.end())


def _is_plain(text: str, one: _End, other: _End, sentences: Sequence[tuple[int, int]]) -> bool:
    """Return whether two ends are near each other where nothing is denied, asked or only possible."""
    first, second = sorted((one, other), key=lambda end: end.start)
    if first.end > second.start or second.start - first.end > 400:  # characters between two ends
        return False
    about = [(begin, end) for begin, end in sentences if begin < second.end and first.start < end]
    if not about or any(asks(text, end) for _, end in about):
        return False
    return is_stated(text, about[0][0], first.end, second.start)
