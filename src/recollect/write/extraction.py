"""Facts out of a text: an extractor finds and rates them, the best are written as memories of their own."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from recollect.checks import MAX_TAGS, checked_fact, checked_metadata, checked_share, checked_tags
from recollect.config import LANGUAGES, Settings
from recollect.engine import Engine
from recollect.errors import MemorySecurityError
from recollect.foreign import guard
from recollect.lexicon import STOP
from recollect.llm import chosen
from recollect.llm.mind import trouble
from recollect.llm.named import name_of
from recollect.models import Fact, MemoryEntry, Scope, SourceType, Turn
from recollect.protocols import Candidate, Extractor
from recollect.results import Remembered
from recollect.scopes import is_whole
from recollect.security.trust import BASE, classify
from recollect.statements import read
from recollect.text import check_content, check_text, normalise, sentences
from recollect.words import names_and_numbers, words
from recollect.write.chatter import is_chatter, worth
from recollect.write.draft import Draft, draft, gone_through, known_arguments
from recollect.write.pipeline import remember

log = logging.getLogger("recollect")
_PLAIN = SourceType.LLM_GENERATED
_DEFAULTS = Settings()
_ANYBODY = frozenset("user speaker author narrator person customer".split())  # as whom a model speaks of who talks
_EACH_ITS_OWN = frozenset({"content", "key", "fact", "importance"})


class OfflineExtractor:
    """Takes the sentences that state something, each as it was said, and lifts the plain ones into a triple.

    Greetings, thanks, questions and chit-chat fall away (English ones; other languages are judged by their words
    alone). One whose subject is only a pronoun is kept and rated lower: whom it means is not guessed.
    """

    name = "offline"

    def __init__(self, languages: Sequence[str] = LANGUAGES) -> None:
        self.languages = tuple(languages)

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the statements of the turns in the order in which they were made."""
        return [
            Candidate(content=sentence, rating=worth(sentence), fact=self._fact(sentence, turn))
            for turn in turns
            for sentence in sentences(turn.content)
            if not is_chatter(sentence)
        ]

    def _fact(self, sentence: str, turn: Turn) -> Fact | None:
        return read(sentence, speaker=turn.actor, languages=self.languages).fact


@dataclass(frozen=True, slots=True)
class Limits:
    """Which facts are kept: those rated `min_importance` or more, of them the `max_facts` best."""

    min_importance: int = 3
    max_facts: int = 5

    def __post_init__(self) -> None:
        if not is_whole(self.min_importance) or not is_whole(self.max_facts):
            raise TypeError("min_importance and max_facts must be whole numbers")
        if not 1 <= self.min_importance <= 10:
            raise ValueError(f"min_importance is {self.min_importance}: it must be from 1 to 10")
        if self.max_facts < 0:
            raise ValueError(f"max_facts is {self.max_facts}: it cannot be negative")

    def best(self, found: Sequence[Candidate]) -> list[Candidate]:
        """Return those that are kept, in the order given; of two rated alike the earlier."""
        fit = [place for place, candidate in enumerate(found) if candidate.rating >= self.min_importance]
        best = sorted(fit, key=lambda place: -found[place].rating)[: self.max_facts]
        return [found[place] for place in sorted(best)]


def extractor_of(engine: Engine, scope: Scope) -> Extractor:
    """Return who finds facts for a scope: the caller's, else the language model's, else the offline one."""
    return chosen.extractor(engine, scope) or OfflineExtractor(engine.settings.languages)


class Found(NamedTuple):
    """The facts of a text, who found them, and why that was not the extractor in force."""

    candidates: list[Candidate]
    by: str
    why: str = ""

    def credited(self, item: Draft) -> Draft:
        """Return a draft of one of them that says who found it."""
        return self.blamed(replace(item, intent=replace(item.intent, found_by=self.by)))

    def blamed(self, item: Draft) -> Draft:
        """Return a draft that says why the extractor in force found nothing."""
        notes = (*item.intent.notes, *filter(None, [self.why]))
        return replace(item, intent=replace(item.intent, notes=notes))


def candidates(
    extractor: Extractor, turns: Sequence[Turn], settings: Settings = _DEFAULTS, *, context: str = ""
) -> Found:
    """Return what an extractor finds, each checked, none twice.

    One that fails, or returns nothing that could be kept where it returned something, gives way to the offline one.
    """
    largest, failed = settings.max_content_bytes, list[Exception]()
    found = guard(
        "the extractor", lambda: list[object](extractor.extract(turns, context=context)), failed=failed.append
    )
    sound = _sound(found or (), largest)
    if sound or found == []:
        return Found(_once(sound), name_of(extractor))
    log.warning("the offline extractor takes the place of %s for this text", type(extractor).__name__)
    offline = OfflineExtractor(settings.languages)
    why = f"found offline: {trouble(extractor, failed)}"
    return Found(_once(_sound(offline.extract(turns), largest)), offline.name, why)


def found_by(extractor: Extractor, turns: Sequence[Turn], *, max_bytes: int) -> list[Candidate]:
    """Return what an extractor finds, each checked, none twice; nobody takes its place.

    What it raises is raised, and `ValueError` when it finds something and nothing of that can be kept.
    """
    found = list[object](extractor.extract(turns))
    sound = _sound(found, max_bytes)
    if found and not sound:
        raise ValueError(f"{type(extractor).__name__} found nothing that can be kept")
    return _once(sound)


def _once(sound: Sequence[Candidate]) -> list[Candidate]:
    once: dict[str, Candidate] = {}
    for candidate in sound:
        once.setdefault(normalise(candidate.content), candidate)
    return list(once.values())


def _sound(found: Sequence[object], max_bytes: int) -> list[Candidate]:
    sound = []
    for one in found:
        try:
            sound.append(_checked(one, max_bytes))
        except (TypeError, ValueError) as error:
            log.warning("the extractor's candidate is left out: %s", error)
    return sound


def _checked(one: object, max_bytes: int) -> Candidate:
    """Return a candidate with every value in its final type; raises `TypeError` or `ValueError` for what is none."""
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


@dataclass(frozen=True, slots=True)
class Origin:
    """What facts are taken from: who said what, under which reference, and remember's arguments for each of them."""

    turn: Turn
    ref: str
    arguments: Mapping[str, Any]


def remember_with_extraction(
    engine: Engine,
    scope: Scope,
    extractor: Extractor,
    content: str,
    *,
    source_type: str = "conversation",
    source_ref: str = "",
    domain: str = "general",
    context: str = "",
    min_importance: int = 3,
    max_facts: int = 5,
    **more: Any,
) -> list[Remembered]:
    """Remember the best facts of a text, in the order of the text; see `MemoryManager.remember_with_extraction`.

    `more` are further arguments of `remember`, for each of the facts.
    """
    limits = Limits(min_importance, max_facts)
    check_text(context, what="context")
    known_arguments(more, of="remember_with_extraction", without=_EACH_ITS_OWN)
    given = {"source_type": source_type, "source_ref": source_ref, "domain": domain, **gone_through(more)}
    whole = checked_source(engine, scope, content, given, limits)
    if whole.is_held:  # kept as it is, for whoever reviews it
        return remember(engine, [whole])
    origin = Origin(speaking(whole), source_ref, given)
    drafts = fact_drafts(engine, scope, extractor, origin, limits=limits, context=context)
    return remember(engine, drafts) if drafts else []


def checked_source(engine: Engine, scope: Scope, content: str, arguments: Mapping[str, Any], limits: Limits) -> Draft:
    """Return the draft of a text whose facts shall be extracted: what is wrong is said before any extractor is called.

    Its reference must leave room for the number of a fact.
    """
    ref = check_text(arguments.get("source_ref", ""), what="source_ref")
    number = f":extraction:{limits.max_facts}"
    whole = draft(content, **{**arguments, "source_ref": ref + number}, scope=scope, settings=engine.settings)
    return replace(whole, source_ref=whole.source_ref.removesuffix(number))


def speaking(whole: Draft) -> Turn:
    """Return a text as the turn that an extractor is shown: said by its actor, else by the user of its scope."""
    return Turn(role="user", content=whole.content, actor=whole.actor or whole.scope.user, at=whole.valid_from)


def fact_drafts(
    engine: Engine,
    scope: Scope,
    extractor: Extractor,
    origin: Origin,
    *,
    limits: Limits,
    context: str = "",
    first: int = 0,
) -> list[Draft]:
    """Extract from one turn, and return what is to be written of it; `first` is the number of the first fact."""
    if not limits.max_facts:
        return []
    found = candidates(extractor, [origin.turn], engine.settings, context=context)
    drafts = drafts_of(engine, scope, limits.best(found.candidates), origin, first=first)
    return [found.credited(item) for item in drafts]


def drafts_of(
    engine: Engine, scope: Scope, found: Sequence[Candidate], origin: Origin, *, first: int = 0
) -> list[Draft]:
    """Return what is to be written of candidates; one that the policy against injection refuses is left out."""
    origins = engine.settings.origins
    drafts: list[Draft] = []
    for candidate in found:
        arguments = _arguments(candidate, origin, first + len(drafts), origins)
        try:
            drafts.append(draft(candidate.content, **arguments, scope=scope, settings=engine.settings))
        except MemorySecurityError as error:
            log.warning("a fact of the extractor's is refused: %s", error)
    return drafts


def _arguments(candidate: Candidate, origin: Origin, number: int, origins: Mapping[str, str]) -> dict[str, Any]:
    given = origin.arguments
    own: dict[str, Any] = {
        "source_type": source_type_of(candidate, str(given.get("source_type", _PLAIN)), origin.turn, origins),
        "source_ref": f"{origin.ref}:extraction:{number}",
        "fact": candidate.fact,
        "importance": round(candidate.rating / 10, 4),
        "tags": tuple(dict.fromkeys((*given.get("tags", ()), *candidate.tags)))[:MAX_TAGS],
        "metadata": {**candidate.metadata, **(given.get("metadata") or {})},
    }
    if candidate.confidence is not None:
        own["confidence"] = candidate.confidence
    return {"kind": "semantic", **given, **own}


def source_type_of(candidate: Candidate, given: str, turn: Turn, origins: Mapping[str, str]) -> str:
    """Return the trust of who said the turn that a fact is taken from, but a model's at most for what nobody said.

    What a triple says must stand in the turn, and every name and number of its sentence there too, or be the speaker's.
    """
    said = candidate.content if candidate.fact is None else candidate.fact.object
    if BASE[classify(given, origins)[0]] <= BASE[_PLAIN]:
        return given
    return given if _occurs(said, turn.content) and not _strangers(candidate, turn) else _PLAIN


def _strangers(candidate: Candidate, turn: Turn) -> frozenset[str]:
    """Return the names and numbers of a fact that neither its turn has nor its speaker is called by."""
    known = frozenset(words(f"{turn.content} {turn.actor or ''}"))
    subject = frozenset(words("" if candidate.fact is None else candidate.fact.subject)) - STOP - _ANYBODY
    return (names_and_numbers(candidate.content) | subject) - known


def _occurs(part: str, text: str) -> bool:
    """Say whether the words of `part` stand in `text`, one after the other."""
    wanted, there = ("".join(f" {word} " for word in words(each)) for each in (part, text))
    return wanted in there if wanted else part in text
