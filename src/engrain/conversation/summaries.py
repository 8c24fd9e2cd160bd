"""Extractive summaries and key facts of a transcript, and the compactor that may ask a language model for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from heapq import heapify, heappop, heapreplace, nlargest
from operator import index
from typing import Any, NamedTuple, SupportsIndex, TypeVar

from engrain.guard import guard
from engrain.language.antecedents import own_sentences
from engrain.language.changes import changes_in, statements_in
from engrain.language.cues import MODELS, is_chatter, is_question, is_yes_or_no, worth
from engrain.language.facts import stated_facts
from engrain.language.locales import has, has_any
from engrain.language.names import has_names
from engrain.language.replacements import fit, last_value, replaced_text
from engrain.language.statements import fact_type
from engrain.language.times import ANY_DAY, names_time
from engrain.language.tokens import content_pairs, sentences, terms
from engrain.llm.client import name_of, resolve_llm
from engrain.llm.replies import ask_model, is_supported, json_list, prompt
from engrain.model.memory import FactType, KeyFact, slot
from engrain.model.results import OFFLINE
from engrain.protocols import LLM, Tokenizer
from engrain.text import OfflineTokenizer, normalise, pattern

_LONGEST = 280  # characters of a sentence; a longer one is taken in pieces
_MOST_SENTENCES = 12_000  # of one text, some 1 MB; of more, the longest
_SPEAKER = pattern(r"([^\W\d_][^:：\n|{}\[\]<>\"=;,()]{0,39})[:：](?=\s|$)")
_NAME_WORDS = 4
_BULLET = pattern(r"[-*•]\s+")
_ITEM = pattern(r"(?:[-*•#>|]+\s+)+")
_SEAM = pattern(r"(?<=[,;:])\s|(?<=[、，；])|\s(?=\()")
_WRAPPED = 50  # characters of a line that continues in the next; shorter ones are lines of their own
_BEFORE = 6  # utterances before a correction that may be what it corrects
_FEWEST_WORDS = 2  # content words: "On Tuesday." needs its question
_MANY_WORDS = 13  # content words from which on a sentence is no small talk, unless it asks
_TYPED = {
    FactType.DECISION: 3.5,
    FactType.CONSTRAINT: 4.5,
    FactType.PREFERENCE: 2.5,
    FactType.ENTITY: 2.0,
    FactType.DATE: 2.0,
    FactType.NUMBER: 1.5,
}
_OF_MODEL = 0.5  # most of a language model's text is known to the next one too
_INFORMATIVE = 4  # content words, one more or less, of a sentence that carries information
_SHORT = 3  # content words of an answer that needs its question
_COMPARED = 64  # sentences with a word, the latest, that another one is compared with
_REPEATED = 0.1  # a sentence with no larger share of new content words is a repeat
_FREE = 1 / 16  # of a summary, and it can be added to
_EXAMINED = 1000  # sentences, where none carries information
_MISSES = 200  # sentences in a row that do not fit before the search ends
_ENDED = tuple(".!?…。！？:;")
T = TypeVar("T")
_FACTS_TOKENS = 1000  # of a model's answer that lists facts
BULLETS, PARAGRAPH, ARCHIVE = 1, 2, 3
_FORMS = {
    BULLETS: ("bullets", "as a bullet list"),
    PARAGRAPH: ("paragraph", "as one paragraph"),
    ARCHIVE: ("archive", "in one or two sentences"),
}


def counted(text: str, tokenizer: Tokenizer) -> int:
    """Return how many tokens a text has, at least 0; a tokenizer that returns no whole number is a `TypeError`."""
    value: object = tokenizer.count_tokens(text)
    if (tokens := whole_number(value)) is None:
        raise TypeError(f"{type(tokenizer).__name__}.count_tokens returned a {type(value).__name__}: it must count")
    return max(tokens, 0)


def whole_number(value: object) -> int | None:
    """Return a whole number of any type, such as numpy's, as an int; None for True, False and anything else."""
    if type(value) is int:  # the common case
        return value
    return index(value) if isinstance(value, SupportsIndex) and not isinstance(value, bool) else None


def within(text: str, max_tokens: int, tokenizer: Tokenizer) -> tuple[str, int]:
    """Return as much of a text's beginning as has at most so many tokens, counted even if the tokenizer cuts."""
    if (tokens := counted(text, tokenizer)) <= max_tokens:
        return text, tokens
    kept = tokenizer.truncate_to_tokens(text, max_tokens)
    if not isinstance(kept, str):
        raise TypeError(f"{type(tokenizer).__name__}.truncate_to_tokens returned a {type(kept).__name__}, not a string")
    if len(kept) > len(text) or not kept.strip():  # one long token is cut inside
        kept = text
    if (tokens := counted(kept, tokenizer)) > max_tokens:
        fits, excess = 0, len(kept)
        while excess - fits > 1:
            middle = (fits + excess) // 2
            if counted(kept[:middle], tokenizer) <= max_tokens:
                fits = middle
            else:
                excess = middle
        kept = kept[:fits]
        tokens = min(counted(kept, tokenizer), max_tokens)
    return kept, tokens


class Utterance(NamedTuple):
    """A sentence of a transcript, white space collapsed; `who` is "" where no speaker is named, `turn` its number."""

    who: str
    text: str
    turn: int = 0


def utterances(text: str) -> list[Utterance]:
    """Return the sentences of "who: what" lines, or of any text; a line without a speaker goes on."""
    found = [
        Utterance(who, piece, turn)
        for turn, (who, content, bullet) in enumerate(_speeches(text))
        for sentence in ([" ".join(content.split())] if bullet else _sentences(content))
        for piece in _pieces(sentence)
    ]
    if len(found) <= _MOST_SENTENCES:
        return found
    longest = nlargest(_MOST_SENTENCES, range(len(found)), key=lambda place: len(found[place].text))
    return [found[place] for place in sorted(longest)]


def corrected(source: Sequence[Utterance]) -> list[Utterance]:
    """Return utterances with a corrected statement in its right form: "in Bern" for "in Bonn" with "I meant Bern"."""
    found = list[Utterance]()
    for one in source:
        is_slip = has_any(one.text, "slips", "corrects", "stated_words")
        places = range(len(found) - 1, max(len(found) - 1 - _BEFORE, -1), -1) if is_slip else ()
        own = [place for place in places if found[place].who == one.who]
        pairs = ((place, text) for place in own if (text := _right(one.text, found[place].text)) is not None)
        if (right := next(pairs, None)) is None:
            found.append(one)
            continue
        place, text = right
        wrong, found[place] = found[place].text, found[place]._replace(text=text or one.text)
        gone = _terms(wrong) - _terms(found[place].text)
        after = (each for each in found[place + 1 :] if len(known := _terms(each.text)) > _SHORT or not known & gone)
        found[place + 1 :] = list(after)  # without "Noted: 5 May."
    return found


def _right(text: str, before: str) -> str | None:
    """Return a statement as a correction of it has it, "" where that is a whole statement; None if it is of another."""
    for change in changes_in(text, ANY_DAY):
        for reading in reversed(statements_in(before, ANY_DAY)):
            if change.is_elliptical and (value := last_value(change, reading)) is not None:
                return replaced_text(change, reading, value)
            if change.cue == "corrected" and fit(change, reading, same_speaker=True) is not None:
                return ""
    facts, known = ([each.fact for each in stated_facts(each, "user") if each.fact] for each in (text, before))
    is_other = any(slot(one)[:2] == slot(other)[:2] and slot(one) != slot(other) for one in facts for other in known)
    return "" if is_other and has_any(text, "slips") else None


def _speeches(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each speaker with the text, and whether the text is a bullet."""
    who, lines, bulleted = "", list[str](), False
    for line in text.replace("\r\n", "\n").split("\n"):
        bullet = _BULLET.match(line)
        start = bullet.end() if bullet else 0
        named = _SPEAKER.match(line, start)
        if named is not None and named[1].count(" ") >= _NAME_WORDS:
            named = None
        if bullet or bulleted or named is not None:
            yield who, "\n".join(lines), bulleted
            who, lines, bulleted = "" if bullet or bulleted else who, [], bullet is not None
        if named is not None:
            who, start = named[1].strip(), named.end()
        lines.append(line[start:])
    yield who, "\n".join(lines), bulleted


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of one speaker, joined where they are hard-wrapped; only those of others have a mark, ">"."""
    own = frozenset(own_sentences(text))
    for sentence in sentences(text):
        lines = sentence.split("\n")
        wrapped = all(len(line.strip()) >= _WRAPPED for line in lines[:-1])
        for part in [sentence] if wrapped else _joined(lines):
            item = _ITEM.match(part := " ".join(part.split()))
            if bare := part[item.end() :] if item else part:
                yield bare if sentence in own else f"> {bare}"


def _joined(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines, very short ones joined with those after them: a list of single words carries meaning as one."""
    group, size = list[str](), 0
    for line in lines:
        if group and size + len(line) > _WRAPPED:
            yield " ".join(group)
            group, size = [], 0
        group.append(line)
        size += len(line) + 1
    yield " ".join(group)


def _pieces(sentence: str) -> Iterator[str]:
    start = 0
    while len(sentence) - start > _LONGEST:
        piece = sentence[start : start + _LONGEST]
        seams = [seam.start() for seam in _SEAM.finditer(piece) if seam.start() > _LONGEST // 3]
        cut = seams[-1] if seams else piece.rfind(" ")
        end = start + (cut if cut > 0 else _LONGEST)
        yield sentence[start:end].strip()
        start = end
    if rest := sentence[start:].strip():
        yield rest


def key_facts(text: str, *, source_tier: int = 0) -> list[KeyFact]:
    """Return the sentences of a transcript that state a fact of some type, each once, in their own words.

    A question, a condition and a guess state nothing, nor does general knowledge from an assistant. English
    is covered best; of German, Spanish and French the plain forms; of other languages sentences with dates and amounts.
    """
    found: dict[str, KeyFact] = {}
    for one in dict.fromkeys(each._replace(turn=0) for each in utterances(text)):
        size = len(content_pairs(one.text))
        if size < _FEWEST_WORDS or (size < _MANY_WORDS and is_chatter(one.text)):
            continue
        if (type_ := fact_type(one.text, one.who)) is not None:
            content = f"{one.who}: {one.text}" if one.who else one.text
            found.setdefault(normalise(content), KeyFact(content, type_, source_tier=source_tier))
    return list(found.values())


@dataclass(frozen=True)
class _Sentence:
    """A sentence that may be kept, by its content words `terms`; an answer that needs its question has that too."""

    places: tuple[int, ...]
    utterance: Utterance
    terms: frozenset[str]
    base: float

    @cached_property
    def fact_type(self) -> FactType | None:
        return fact_type(self.utterance.text, self.utterance.who)

    @cached_property
    def value(self) -> float:
        typed = _TYPED[self.fact_type] if self.fact_type is not None else 0.0
        full = min(1.0, (len(self.terms) + 1) / _INFORMATIVE)
        return (self.base + typed) * full * (_OF_MODEL if self.utterance.who.lower() in MODELS else 1.0)

    def gain(self, covered: Collection[str]) -> float:
        """Return the value given the chosen sentences, lower the more of its words they have."""
        if not self.terms:
            return 0.0 if covered else self.value
        return self.value * (0.4 + 0.6 * sum(term not in covered for term in self.terms) / len(self.terms))


def digest(text: str, target_tokens: int, tokenizer: Tokenizer, *, tier: int = 1, existing: str | None = None) -> str:
    """Return the most informative sentences of a transcript, within `target_tokens` of that tokenizer.

    Names, numbers, dates, decisions, preferences, constraints and answers stay; greetings, thanks, bare questions,
    repeats and statements that a later one corrects go. Words and order stay as they are. `existing` is an earlier
    summary that comes first: it stays as it is while more fits beside it, then its sentences compete for the same
    budget. Tier 1 is bullets, 2 and up a paragraph for each speaker, 3 and up of facts alone if any. Where no sentence
    fits, the best is cut; blank is "".
    """
    if target_tokens < 0:
        raise ValueError(f"target_tokens is {target_tokens}: it cannot be negative")
    old, new = utterances(existing or ""), corrected(utterances(text))
    before = _rendered(old, tier)
    free = target_tokens - tokenizer.count_tokens(before) if old else 0
    if free > target_tokens * _FREE:
        known = {(one.who, one.text) for one in old}
        news = [one for one in new if (one.who, one.text) not in known]
        joined = "\n".join(filter(None, (before, _fitting(news, _informative(news), free, tokenizer, tier))))
        if joined != before and tokenizer.count_tokens(joined) <= target_tokens:
            return joined
    source = [*old, *new]
    found = _informative(source)
    if not found:
        return ""
    if summary := _fitting(source, found, target_tokens, tokenizer, tier, before=len(old)):
        return summary
    best = max(found, key=lambda one: one.value).utterance
    for beginning in (f"{best.who}: ", "") if best.who else ("",):
        cut = within(f"{beginning}{best.text}", target_tokens, tokenizer)[0].rstrip()
        if len(cut) > len(beginning):  # the speaker is named where that leaves something of the sentence
            return cut
    return cut


def _fitting(
    source: list[Utterance], found: list[_Sentence], budget: int, tokenizer: Tokenizer, tier: int, *, before: int = 0
) -> str:
    """Return the best of the sentences that fit; "" if none does. The first `before` are a summary's."""
    allowed = [one for one in found if one.fact_type is not None] if tier >= ARCHIVE else found
    chosen = _Choice(source, tokenizer).chosen_of(allowed or found, before, budget) if found else []
    while chosen:
        kept = [source[place] for place in sorted({place for one in chosen for place in one.places})]
        summary = _rendered(kept, tier)
        if tokenizer.count_tokens(summary) <= budget:
            return summary
        chosen.pop()
    return ""


def _informative(source: Sequence[Utterance]) -> list[_Sentence]:
    """Return the sentences that carry information, or, if none does, the best of the others."""
    found, known = list[_Sentence](), set[tuple[str, str]]()
    for place, one in enumerate(source):
        previous = source[place - 1] if place else one
        answers = previous.turn != one.turn and is_question(previous.text)
        if not answers and (one.who, one.text) in known:
            continue
        known.add((one.who, one.text))
        places: tuple[int, ...] = (place,)
        words = _terms(one.text)
        chatter = is_chatter(one.text) if len(words) < _MANY_WORDS else is_question(one.text)
        if answers and (chatter or len(words) <= _SHORT):
            question = _terms(previous.text)
            if (not chatter or is_yes_or_no(one.text)) and len(question) > 1:
                places, words, chatter = (place - 1, place), words | question, False
        if not chatter:
            base = worth(" ".join(source[each].text for each in places)) / 2
            base += has_names(one.text) + names_time(one.text)
            found.append(_Sentence(places, one, words, base + has(one.text, "speaker_words")))
    if found or not source:
        return found
    best = max(range(min(len(source), _EXAMINED)), key=lambda place: worth(source[place].text))
    return [_Sentence((best,), source[best], frozenset(), 1.0)]


def _terms(text: str) -> frozenset[str]:
    """Return the content words of a sentence; those of a negated one differ from those of the same one affirmed."""
    sign = "not " if has_any(text, "negation") else ""
    return frozenset(sign + term for _, term in content_pairs(text))


class _Choice:
    """The chosen sentences by value per length, without repeats, best first."""

    def __init__(self, source: Sequence[Utterance], tokenizer: Tokenizer) -> None:
        self._source, self._tokenizer = source, tokenizer
        self._chosen: list[_Sentence] = []
        self._spent = -1  # no line break before the first line
        self._covered = set[str]()
        self._by_term: defaultdict[str, list[frozenset[str]]] = defaultdict(list)

    def chosen_of(self, allowed: Sequence[_Sentence], before: int, budget: int) -> list[_Sentence]:
        """Return the chosen sentences; none if the best one does not fit and has more value than all that would."""
        if old := [one.value for one in allowed if one.places[-1] < before]:
            least = min(old)
            self._take([one for one in allowed if one.places[-1] >= before and one.value >= least], budget // 2)
        self._take(allowed, budget)
        best = max(allowed, key=lambda one: one.value)
        return [] if best not in self._chosen and best.value > sum(one.value for one in self._chosen) else self._chosen

    def _take(self, allowed: Sequence[_Sentence], budget: int) -> None:
        """Choose sentences by their gain until the budget is spent; a heap of upper bounds saves most values."""
        heap = [(-one.base - max(_TYPED.values()), number) for number, one in enumerate(allowed)]
        heapify(heap)
        missed = 0
        while heap and budget - self._spent > 1 and missed < _MISSES:
            bound, number = heap[0]
            one = allowed[number]
            if (gain := one.gain(self._covered)) <= 0:
                heappop(heap)
            elif gain < -bound - 1e-9:
                heapreplace(heap, (-gain, number))
            else:
                heappop(heap)
                missed = 0 if one in self._chosen or self._repeats(one) or self._added(one, budget) else missed + 1

    def _repeats(self, one: _Sentence) -> bool:
        """Return whether a chosen sentence has nearly all its content words; another number is new."""
        others = {other for term in one.terms for other in self._by_term.get(term, ())[-_COMPARED:]}
        news, most = (one.terms - other for other in others), _REPEATED * len(one.terms)
        return any(len(new) <= most and not any(map(str.isdigit, "".join(new))) for new in news)

    def _added(self, one: _Sentence, budget: int) -> bool:
        cost = sum(self._tokenizer.count_tokens(_bullet(self._source[place])) + 1 for place in one.places)
        if self._spent + cost > budget:
            return False
        self._spent += cost
        self._covered |= one.terms
        self._chosen.append(one)
        for term in one.terms:
            self._by_term[term].append(one.terms)
        return True


def _rendered(kept: Sequence[Utterance], tier: int) -> str:
    return "\n".join(map(_bullet, kept)) if tier <= BULLETS else _paragraphs(kept)


def _bullet(one: Utterance) -> str:
    return f"- {one.who}: {one.text}" if one.who else f"- {one.text}"


def _paragraphs(kept: Sequence[Utterance]) -> str:
    lines: list[str] = []
    before: str | None = None
    for one in kept:
        text = one.text if one.text.endswith(_ENDED) else f"{one.text}."
        if one.who == before:
            lines[-1] += f" {text}"
        elif one.who:
            lines.append(f"{one.who}: {text}")
        else:
            lines.append(text if before is None else f"- {text}")
        before = one.who
    return "\n".join(lines)


class Summary(NamedTuple):
    """A summary and its author: the name of a language model, or "offline"."""

    text: str
    by: str = OFFLINE

    @property
    def is_by_model(self) -> bool:
        """Whether a language model wrote it."""
        return self.by != OFFLINE


@dataclass
class _Entry:
    """A key fact in the JSON that a model returns."""

    type: FactType
    content: str


class NoAnswer(ValueError):
    """A model answered nothing."""


class TierCompactor:
    """Summarises text for a tier (1 bullets, 2 a paragraph, 3 and up a few sentences) and extracts its key facts.

    Args:
        llm: A language model, or `"provider:model"`. None means offline: every sentence is one of the text.
        tokenizer: Counts the tokens of a summary. None means the built-in one.
        on_error: Called as `on_error(tier, error)` when the model fails or answers nothing, and is done without.
    """

    def __init__(
        self,
        llm: LLM | str | None = None,
        tokenizer: Tokenizer | None = None,
        *,
        on_error: Callable[[int, Exception], object] | None = None,
    ) -> None:
        self._llm = resolve_llm(llm)
        self._tokenizer = tokenizer or OfflineTokenizer()
        self._on_error = on_error

    def summarize(self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None) -> str:
        """Return a summary of a text; the text itself, after the existing summary, where a model answers nothing.

        Args:
            content: The text; a blank one keeps the existing summary.
            target_tier: The form: 1 bullets, 2 a paragraph, 3 and up a few sentences.
            target_tokens: How many tokens the summary may have, from 0 on.
            existing_summary: An earlier summary to merge into it.

        Returns:
            The summary.

        Raises:
            ValueError: `target_tokens` is negative.
        """
        errors = list[Exception]()
        summary = self.summary(content, target_tier, target_tokens, existing_summary, errors=errors)
        if any(isinstance(error, NoAnswer) for error in errors):
            return "\n".join(filter(None, (existing_summary, content)))
        return summary.text

    def summary(
        self,
        content: str,
        target_tier: int,
        target_tokens: int,
        existing_summary: str | None = None,
        *,
        errors: list[Exception] | None = None,
    ) -> Summary:
        """Return a summary of a text, extractive where a model fails, with its author; `errors` grow by its failure."""
        if self._llm is not None and content.strip() and target_tokens > 0:
            name, form = _FORMS[min(max(target_tier, BULLETS), ARCHIVE)]
            values = {"content": content, "target": str(target_tokens), "form": form}
            if existing_summary and existing_summary.strip():
                name, values = "merge", {**values, "existing": existing_summary}
            known = frozenset(terms(f"{content} {existing_summary or ''}"))
            request = partial(_answer, self._llm, name, values, target_tokens, known)
            answer = self._guarded(target_tier, request, errors) or ""
            if text := within(answer.strip(), target_tokens, self._tokenizer)[0].rstrip():
                return Summary(text, name_of(self._llm))
        return Summary(digest(content, target_tokens, self._tokenizer, tier=target_tier, existing=existing_summary))

    def extract_facts(self, content: str, source_tier: int = 0) -> list[KeyFact]:
        """Return the key facts of a text.

        A model may put a fact into words of its own, but one with a number that the text does not have, or with no
        word of the text, is dropped; so is an unknown type.

        Args:
            content: The text.
            source_tier: The tier that the text was in.

        Returns:
            The facts with their tokens; [] when a model fails or, asked twice, answers with no list.
        """
        found: dict[str, FactType] = {}
        if self._llm is None:
            found = {fact.content: fact.fact_type for fact in key_facts(content)}
        elif content.strip():
            request: Callable[[], Sequence[_Entry]] = partial(
                ask_model, self._llm, prompt("key_facts"), json_list(_Entry), max_tokens=_FACTS_TOKENS, content=content
            )
            known = frozenset(terms(content))
            for entry in self._guarded(source_tier, request) or ():
                if is_supported(entry.content, known):
                    found.setdefault(entry.content.strip(), entry.type)
        count = self._tokenizer.count_tokens
        return [KeyFact(fact, type_, source_tier=source_tier, token_count=count(fact)) for fact, type_ in found.items()]

    def _guarded(self, tier: int, call: Callable[[], T], errors: list[Exception] | None = None) -> T | None:
        def failed(error: Exception) -> None:
            if errors is not None:
                errors.append(error)
            if self._on_error is not None:
                guard("on_error", partial(self._on_error, tier, error))

        return guard("the language model", call, failed=failed)


def _answer(llm: LLM, name: str, values: Mapping[str, Any], max_tokens: int, known: frozenset[str]) -> str:
    """Return a model's answer; one with no word of the text, such as a refusal, is a `ValueError`."""
    text, system = prompt(name).filled(**values)
    answer: object = llm.complete(text, system=system, max_tokens=max_tokens)
    if not isinstance(answer, str):
        raise TypeError(f"it answered {type(answer).__name__}, not text")
    if not answer.strip():
        raise NoAnswer("it answered nothing")
    if known and known.isdisjoint(terms(answer[:20_000])):  # characters of an answer that are compared with the text
        raise ValueError("it answered with no word of the text")
    return answer
