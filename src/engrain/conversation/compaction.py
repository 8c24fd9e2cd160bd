"""Extractive summaries of turns: the most informative sentences within a budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from heapq import heapify, heappop, heapreplace
from typing import NamedTuple, TypeVar

from engrain.conversation.key_facts import Utterance, key_facts, utterances
from engrain.guard import guard
from engrain.language.cues import MODELS, fact_type, is_chatter, is_personal, is_question, is_yes_or_no, worth
from engrain.language.dates import names_time
from engrain.language.names import has_names
from engrain.language.polarity import is_negative
from engrain.language.tokens import content_pairs, terms
from engrain.llm.client import name_of, resolve_llm
from engrain.llm.replies import ask_model, json_list, prompt
from engrain.model.memory import FactType, KeyFact
from engrain.model.results import OFFLINE
from engrain.protocols import LLM, Tokenizer
from engrain.text import OfflineTokenizer

_TYPED = {
    FactType.DECISION: 3.5,
    FactType.CONSTRAINT: 4.5,
    FactType.PREFERENCE: 2.5,
    FactType.ENTITY: 2.0,
    FactType.DATE: 2.0,
    FactType.NUMBER: 1.5,
}
_NAMED, _TIMED, _OWN = 1.0, 1.0, 1.0
_OF_GENERAL = 0.5  # what a model says is mostly known to the next one too
_LONG = 13  # telling words: so many are no small talk, unless they ask
_TELLING_LOOKED_AT = 1000  # sentences, where none tells anything
_ENOUGH = 4  # telling words, one more or less, of a sentence that says something
_SHORT = 3  # telling words of an answer that is not understood alone
_COMPARED = 64  # sentences with a word, the latest, that another one is compared with
_SAID_AGAIN = 0.1  # of its telling words: a sentence with no more new ones says again what is chosen already


@dataclass(frozen=True)
class Telling:
    """A sentence worth keeping: where it and the question it answers stand, who said what, its telling words.

    What type of fact it states is read when it is asked for: of most sentences nobody asks.
    """

    places: tuple[int, ...]
    said: Utterance
    terms: frozenset[str]
    plain: float

    @cached_property
    def fact_type(self) -> FactType | None:
        """The type of fact that the sentence states."""
        return fact_type(self.said.text, self.said.who)

    @property
    def bound(self) -> float:
        """The most that the sentence may be worth."""
        return self.plain + max(_TYPED.values())

    @cached_property
    def value(self) -> float:
        """What the sentence is worth by itself."""
        typed = _TYPED[self.fact_type] if self.fact_type is not None else 0.0
        told = min(1.0, (len(self.terms) + 1) / _ENOUGH)  # "I won't give up" and "we did it yesterday" say little
        return (self.plain + typed) * told * (_OF_GENERAL if self.said.who.lower() in MODELS else 1.0)

    def gain(self, covered: Collection[str]) -> float:
        """Return its value beside what is chosen: less by what of its words that has already."""
        if not self.terms:
            return 0.0 if covered else self.value
        new = sum(term not in covered for term in self.terms)
        return self.value * (0.4 + 0.6 * new / len(self.terms))

    def repeats(self, told: Mapping[str, Sequence[frozenset[str]]]) -> bool:
        """Say whether one of the sentences told, by their words, says nearly all of it; another number is news."""
        near = {other for term in self.terms for other in told.get(term, ())[-_COMPARED:]}
        return any(self._is_said_by(other) for other in near)

    def _is_said_by(self, other: frozenset[str]) -> bool:
        new = self.terms - other
        if len(new) > _SAID_AGAIN * len(self.terms):
            return False
        return not any(character.isdigit() for term in new for character in term)


def weigh(said: Sequence[Utterance]) -> list[Telling]:
    """Return the sentences that tell something, or, when none does, the one that tells most of the others."""
    found, seen = list[Telling](), set[tuple[str, str]]()
    for place, one in enumerate(said):
        asked = _telling_asked(said, place)
        if asked is None and (one.who, one.text) in seen:
            continue
        seen.add((one.who, one.text))
        if (telling := _weighed(said, place, asked)) is not None:
            found.append(telling)
    if found or not said:
        return found
    best = max(range(min(len(said), _TELLING_LOOKED_AT)), key=lambda place: worth(said[place].text))
    return [Telling((best,), said[best], frozenset(), 1.0)]


def _weighed(said: Sequence[Utterance], place: int, asked: int | None) -> Telling | None:
    one = said[place]
    terms = _terms(one.text)
    chatter = is_chatter(one.text) if len(terms) < _LONG else is_question(one.text)
    if asked is not None and (chatter or len(terms) <= _SHORT):
        question = _terms(said[asked].text)
        if (not chatter or is_yes_or_no(one.text)) and len(question) > 1:
            return _told(said, (asked, place), terms | question)
    return None if chatter else _told(said, (place,), terms)


def _telling_asked(said: Sequence[Utterance], place: int) -> int | None:
    """Return where the question stands that a sentence answers: at the end of what somebody else said just before."""
    before = place - 1
    if before < 0 or said[before].turn == said[place].turn or not is_question(said[before].text):
        return None
    return before


def _terms(text: str) -> frozenset[str]:
    """Return the telling words of a sentence; those of one that denies are others than those of one that does not."""
    sign = "not " if is_negative(text) else ""
    return frozenset(sign + term for _, term in content_pairs(text))


def _told(said: Sequence[Utterance], places: tuple[int, ...], terms: frozenset[str]) -> Telling:
    one = said[places[-1]]
    value = worth(" ".join(said[place].text for place in places)) / 2
    value += _NAMED * has_names(one.text) + _TIMED * names_time(one.text)
    return Telling(places, one, terms, value + _OWN * is_personal(one.text))


BULLETS, PARAGRAPH, ARCHIVE = 1, 2, 3
_ENDED = tuple(".!?…。！？:;")
_TRIES = 200  # sentences in a row that do not fit before the rest is not looked at


def digest(text: str, target_tokens: int, tokenizer: Tokenizer, *, tier: int = 1, existing: str | None = None) -> str:
    """Return the sentences of a transcript that tell most, within `target_tokens` of that tokenizer.

    Names, numbers, dates, decisions, preferences, constraints and answers stay; greetings, thanks, bare questions and
    what is said twice go. Words stay as they were said, in their order, and `existing` is an earlier summary whose
    sentences come first and compete for the same room. Tier 1 is bullets, 2 and up a paragraph for each who speaks, 3
    and up of facts alone where there are any. Where no sentence fits, the best one is cut; blank text is "".
    """
    if target_tokens < 0:
        raise ValueError(f"target_tokens is {target_tokens}: it cannot be negative")
    before = utterances(existing or "")
    said = [*before, *utterances(text)]
    weighed = weigh(said)
    show = _bullets if tier <= BULLETS else _paragraphs
    if not weighed:
        return ""
    chosen = _chosen(weighed, said, len(before), target_tokens, tokenizer, facts=tier >= ARCHIVE)
    while chosen:
        shown = show([said[place] for place in sorted({*_places(chosen)})])
        if tokenizer.count_tokens(shown) <= target_tokens:
            return shown
        chosen.pop()
    return _cut(max(weighed, key=lambda one: one.value), said, target_tokens, tokenizer)


def _places(chosen: Iterable[Telling]) -> Iterable[int]:
    for one in chosen:
        yield from one.places


def _chosen(
    weighed: Sequence[Telling], said: Sequence[Utterance], before: int, room: int, tokenizer: Tokenizer, *, facts: bool
) -> list[Telling]:
    """Return what is kept, best first; nothing where the best does not fit and tells more than all that would.

    Half of the room is for what is new, as far as that tells as much as the least of what was kept before: otherwise a
    summary that is full would stay as it is forever.
    """
    allowed = [one for one in weighed if one.fact_type is not None] if facts else weighed
    allowed = allowed or weighed
    choice = _Choice(said, tokenizer)
    old = [one for one in allowed if one.places[-1] < before]
    if old:
        least = min(one.value for one in old)
        choice.take([one for one in allowed if one.places[-1] >= before and one.value >= least], room // 2)
    choice.take(allowed, room)
    best = max(allowed, key=lambda one: one.value)
    if best not in choice.chosen and best.value > sum(one.value for one in choice.chosen):
        return []
    return choice.chosen


class _Choice:
    """What tells most for its length and is new beside what is chosen already, best first."""

    def __init__(self, said: Sequence[Utterance], tokenizer: Tokenizer) -> None:
        self.chosen: list[Telling] = []
        self._said, self._tokenizer = said, tokenizer
        self._spent = -1  # no line break before the first line
        self._covered = set[str]()
        self._told: defaultdict[str, list[frozenset[str]]] = defaultdict(list)

    def take(self, weighed: Sequence[Telling], room: int) -> None:
        """Choose from these, until so much room is taken in all."""
        heap = [(-one.bound, number) for number, one in enumerate(weighed)]
        heapify(heap)
        missed = 0
        while heap and room - self._spent > 1 and missed < _TRIES:
            ranked, number = heap[0]
            one = weighed[number]
            if (gain := one.gain(self._covered)) <= 0:
                heappop(heap)
            elif gain < -ranked - 1e-9:
                heapreplace(heap, (-gain, number))
            else:
                heappop(heap)
                missed = 0 if self._added(one, room) else missed + 1

    def _added(self, one: Telling, room: int) -> bool:
        """Choose a sentence if it fits and is not said again; say whether the room still holds others like it."""
        if one in self.chosen or one.repeats(self._told):
            return True
        cost = sum(self._tokenizer.count_tokens(_line(self._said[place])) + 1 for place in one.places)
        if self._spent + cost > room:
            return False
        self._spent += cost
        self._covered |= one.terms
        self.chosen.append(one)
        for term in one.terms:
            self._told[term].append(one.terms)
        return True


def _line(said: Utterance) -> str:
    return f"- {said.who}: {said.text}" if said.who else f"- {said.text}"


def _bullets(said: Sequence[Utterance]) -> str:
    return "\n".join(map(_line, said))


def _paragraphs(said: Sequence[Utterance]) -> str:
    """Return a line for each stretch of sentences by one speaker."""
    lines: list[str] = []
    before: str | None = None
    for one in said:
        text = one.text if one.text.endswith(_ENDED) else f"{one.text}."
        if one.who == before:
            lines[-1] += f" {text}"
        elif one.who:
            lines.append(f"{one.who}: {text}")
        else:
            lines.append(text if before is None else f"- {text}")
        before = one.who
    return "\n".join(lines)


def _cut(best: Telling, said: Sequence[Utterance], room: int, tokenizer: Tokenizer) -> str:
    """Return the beginning of a sentence; with who says it where that leaves something of it."""
    one = said[best.places[-1]]
    for text in (f"{one.who}: {one.text}" if one.who else one.text, one.text):
        beginning = fitted(text, room, tokenizer)
        if len(beginning) > len(text) - len(one.text):
            return beginning
    return fitted(one.text, room, tokenizer)


def fitted(text: str, room: int, tokenizer: Tokenizer) -> str:
    """Return the longest beginning that a tokenizer counts at most `room`, whatever it says it cut to."""
    if tokenizer.count_tokens(text) <= room:
        return text
    cut = tokenizer.truncate_to_tokens(text, room).rstrip() or text  # one long token is cut inside
    while cut and tokenizer.count_tokens(cut) > room:
        cut = cut[: len(cut) // 2]
    return cut


T = TypeVar("T")

_FORMS = {
    BULLETS: ("bullets", "as a bullet list"),
    PARAGRAPH: ("paragraph", "as one paragraph"),
    ARCHIVE: ("archive", "in one or two sentences"),
}
_COMPACTOR_LOOKED_AT = 20_000  # characters of an answer
_FACTS_TOKENS = 1000  # of a model's answer that lists facts


class Shortened(NamedTuple):
    """A text told shorter, and who did: a language model's name, or "offline"."""

    text: str
    by: str = OFFLINE

    @property
    def is_by_model(self) -> bool:
        """A language model told it."""
        return self.by != OFFLINE


class TierCompactor:
    """Tells text shorter for a tier (1 bullets, 2 a paragraph, 3 and up a few sentences) and takes out its key facts.

    Without an `llm`, an object or `"provider:model"`, both are done offline and every sentence is one that was said. A
    model that fails, or answers nothing, is told to `on_error(tier, error)`, and the text is shortened without it.
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
        """Return a summary of at most `target_tokens`, with `existing_summary` worked in; blank text keeps that one."""
        return self.shortened(content, target_tier, target_tokens, existing_summary).text

    def shortened(
        self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
    ) -> Shortened:
        """Return what `summarize` does, and who told it."""
        if target_tokens < 0:
            raise ValueError(f"target_tokens is {target_tokens}: it cannot be negative")
        told = self._told(content, target_tier, target_tokens, existing_summary) if content.strip() else ""
        if told and self._llm is not None:
            return Shortened(told, name_of(self._llm))
        told = digest(content, target_tokens, self._tokenizer, tier=target_tier, existing=existing_summary)
        return Shortened(told)

    def extract_facts(self, content: str, source_tier: int = 0) -> list[KeyFact]:
        """Return the key facts of a text; [] when a model fails or, asked twice, answers with no list.

        A model may put a fact into words of its own, but one with a number that the text does not have, or with no
        word of the text, is dropped; so is an unknown type.
        """
        if self._llm is None:
            return [self._counted(fact) for fact in key_facts(content, source_tier=source_tier)]
        if not content.strip():
            return []
        found = self._guarded(source_tier, partial(self._listed, self._llm, content)) or []
        facts = _sound(found, content, source_tier)
        return [self._counted(fact) for fact in facts]

    def _told(self, content: str, tier: int, target: int, existing: str | None) -> str:
        """Return what the model makes of a text, cut to the target; "" when there is no model or no answer."""
        if self._llm is None or target == 0:
            return ""
        name, form = _FORMS[min(max(tier, BULLETS), ARCHIVE)]
        values = {"content": content, "target": str(target), "form": form}
        if existing and existing.strip():
            name, values = "merge", {**values, "existing": existing}
        known = frozenset(terms(f"{content} {existing or ''}"))
        answer = self._guarded(tier, partial(_compactor_asked, self._llm, name, values, target, known))
        return fitted(answer.strip(), target, self._tokenizer) if answer else ""

    def _guarded(self, tier: int, call: Callable[[], T]) -> T | None:
        return guard("the language model", call, failed=lambda error: self._failed(tier, error))

    def _failed(self, tier: int, error: Exception) -> None:
        if self._on_error is not None:
            guard("on_error", partial(self._on_error, tier, error))

    def _listed(self, llm: LLM, content: str) -> list[_Entry]:
        return ask_model(llm, prompt("key_facts"), json_list(_Entry), max_tokens=_FACTS_TOKENS, content=content)

    def _counted(self, fact: KeyFact) -> KeyFact:
        tokens = self._tokenizer.count_tokens(fact)
        return KeyFact(fact, fact.fact_type, source_tier=fact.source_tier, token_count=tokens)


def _compactor_asked(llm: LLM, name: str, values: Mapping[str, str], most: int, known: frozenset[str]) -> str:
    """Return a model's answer; one with no word of what it was to tell, a refusal say, is a `ValueError`."""
    text, system = prompt(name).filled(**values)
    answer: object = llm.complete(text, system=system, max_tokens=most)
    if not isinstance(answer, str) or not answer.strip():
        raise ValueError(f"it answered {'nothing' if isinstance(answer, str) else type(answer).__name__}, not text")
    if known and known.isdisjoint(terms(answer[:_COMPACTOR_LOOKED_AT])):
        raise ValueError("it answered with no word of the text")
    return answer


@dataclass
class _Entry:
    """A key fact as a model writes it down."""

    type: FactType
    content: str


def _sound(found: Sequence[_Entry], content: str, source_tier: int) -> list[KeyFact]:
    said = frozenset(terms(content))
    facts: dict[str, KeyFact] = {}
    for one in found:
        if _is_founded(one.content, said):
            text = one.content.strip()
            facts.setdefault(text, KeyFact(text, one.type, source_tier=source_tier))
    return list(facts.values())


def _is_founded(text: str, said: frozenset[str]) -> bool:
    there = frozenset(terms(text))
    numbers = {term for term in there if any(character.isdigit() for character in term)}
    return numbers <= said and not there.isdisjoint(said)
