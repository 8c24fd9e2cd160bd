"""Direct answers without a model: the shortest words of the evidence that answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from engrain.language import dates
from engrain.language.calendar import day_text
from engrain.language.cues import speaks_of_oneself
from engrain.language.dates import dated, names_time
from engrain.language.locales import expression, has, language_of
from engrain.language.polarity import is_negative, is_quantified, is_unsettled, negates_plainly
from engrain.language.questions import (
    Wanted,
    age_spans,
    amount_spans,
    asks_age,
    asks_clock_time,
    asks_who_is,
    count_spans,
    manner_spans,
    named_spans,
    person_spans,
    place_spans,
    reason_spans,
    stripped,
    tells_of_event,
    trimmed,
)
from engrain.language.sentences import clauses
from engrain.language.tokens import BASE, content_pairs, stem, terms, words
from engrain.model.memory import Kind
from engrain.synthesis.evidence import Evidence, Said, Told
from engrain.synthesis.question import (
    Answer,
    Asked,
    Candidate,
    apart,
    asked,
    bearing,
    chosen,
    is_disputed,
    is_of_another,
    is_row,
    ranked,
)
from engrain.text import pattern

Span = tuple[int, int]

_LONG = 10  # words of an answer that is no sentence
_WORD = pattern(r"[\w'’+#&-]+")


def objects(text: str, asked: Asked) -> Iterator[Span]:
    """Yield what stands right behind the question's verb, up to the end of its clause, where that tells something new.

    Too many words are none, nor is another sentence's subject, nor a time: then the sentence itself answers better.
    """
    known = frozenset(asked.terms)
    for low, high in clauses(text, fine=True) if asked.verb else ():
        verb = next((word for word in _WORD.finditer(text, low, high) if stem(word[0]) == asked.verb), None)
        if verb is not None and not _is_done_to(asked, text[low : verb.start()], text[verb.end() : high]):
            start, stop = stripped(text, verb.end(), high)
            words = _WORD.findall(text, start, stop)
            new = not known.issuperset(term for _, term in content_pairs(text[start:stop]))
            if (
                new
                and len(words) <= _LONG
                and words[0].lower() not in language_of(text).subjects
                and not names_time(text[start:stop])
            ):
                yield start, stop
            return


def _is_done_to(asked: Asked, before: str, after: str) -> bool:
    """Say whether a clause tells what was done to whom is asked about, not what they did."""
    subject = next((term for term in asked.terms if term in asked.names), None)
    if subject is None or any(term == subject for _, term in content_pairs(before)):
        return False
    return any(term == subject for _, term in content_pairs(after))


def plain(candidate: Candidate, asked: Asked) -> str:
    """Return "Yes" or "No", "" where the sentence does not plainly say so."""
    text = candidate.line.text
    if is_negative(asked.text) or is_quantified(asked.text) or is_unsettled(text) or candidate.line.asks:
        return ""
    for start, stop in clauses(text):
        clause = text[start:stop]
        denies = negates_plainly(clause)
        if not denies and is_negative(clause):
            continue
        if _states(clause, candidate, asked, whole=denies):
            return "No" if denies else "Yes"
    return ""


def _states(clause: str, candidate: Candidate, asked: Asked, *, whole: bool) -> bool:
    """Say whether a clause has the question's words in their order with nothing telling between them.

    With `whole` nothing telling may follow either: who did not sell it on Monday may have sold it.
    """
    if has(asked.text, "asks_of_now") and has(clause, "was"):
        return False
    wanted = content_pairs(asked.text)
    there = content_pairs(clause)
    speaker = frozenset(map(stem, words(candidate.quote.memory.actor or "")))
    if speaker and wanted and wanted[0][1] in speaker and speaks_of_oneself(clause):
        wanted = wanted[1:]
    if not wanted or len(there) < len(wanted) or (whole and len(there) > len(wanted)):
        return False
    pairs = list(zip(wanted, there, strict=False))
    if any(one[1] != other[1] for one, other in pairs):
        return False
    return _tense_fits(asked, [(one[0].lower(), other[0].lower()) for one, other in pairs], denied=whole)


def _tense_fits(asked: Asked, pairs: list[tuple[str, str]], *, denied: bool) -> bool:
    """Say whether the words have the forms that the question's tense asks for."""
    if has(asked.text, "asks_of_past") and not denied:
        return any(_is_past(there, of) for of, there in pairs)
    return all(there == of or there in _present(of) or of in _present(there) for of, there in pairs)


def _present(word: str) -> tuple[str, ...]:
    """Return the forms of a word in which it is still of the present: smokes, does, carries."""
    return f"{word}s", f"{word}es", f"{word[:-1]}ies"


def _is_past(there: str, of: str) -> bool:
    return there != of and (there.endswith("ed") or there in BASE)


Answers = Callable[[Candidate], tuple[str, ...]]


def newest_first(asked: Asked, candidates: Sequence[Candidate], answers: Answers) -> Sequence[Candidate]:
    """Return the sentences with the one first that amends the best, where there is one and today is asked about."""
    if asked.several or asked.wanted is Wanted.YES_NO or has(asked.text, "earlier"):
        return candidates
    best = candidates[0]
    newer = [each for each in candidates[1:] if _age(each) > _age(best) and _amends(each, best, asked, answers)]
    if not newer:
        return candidates
    first = max(newer, key=_age)
    return [first, *(each for each in candidates if each is not first)]


def _age(candidate: Candidate) -> tuple[object, ...]:
    memory = candidate.quote.memory
    return memory.valid_from, memory.recorded_at


def _amends(newer: Candidate, best: Candidate, asked: Asked, answers: Answers) -> bool:
    found = answers(newer)
    if newer.line.asks or bool(found) != bool(answers(best)):
        return False
    text = newer.line.text
    shared = frozenset(asked.terms) & _terms(best)
    if has(text, "changed_value") and shared and shared <= _terms(newer):
        return True
    if asked.wanted is Wanted.PLACE and has(text, "moved"):
        return shared & asked.names <= _terms(newer) and bool(shared & asked.names)
    return bool(found) and _frame(newer, found) == _frame(best, answers(best))


def _terms(candidate: Candidate) -> frozenset[str]:
    return candidate.line.terms | frozenset(map(stem, words(candidate.quote.memory.actor or "")))


def _frame(candidate: Candidate, found: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a sentence without its answer: what two values of one thing have in common."""
    said = frozenset({candidate.quote.memory.actor or ""})
    return said | frozenset(terms(candidate.line.text)) - frozenset(term for text in found for term in terms(text))


_ELAPSED_SURE = 0.5  # of the words that name a thing: so many must stand in the sentence that dates it
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_ENOUGH = {"day": 0, "week": 21, "month": 90, "year": 730}  # days from which on a unit is used where none is asked for


@dataclass(frozen=True, slots=True)
class _Dated:
    """A thing that happened on a day, and the quote that says so."""

    on: date
    place: int
    start: int


def elapsed(question: Asked, evidence: Evidence) -> Said | None:
    """Return how much time passed, None where that is not asked or a day is not known."""
    locale = language_of(question.text)
    if (between := expression("elapsed_between", locale).search(question.text)) is not None:
        first, second = between["one"] or between["since"], between["two"] or between["when"]
        one, two = _when(first, evidence), _when(second, evidence)
        if one is None or two is None or (one.place, one.start) == (two.place, two.start):
            return None
        counted = _counted(abs(two.on - one.on).days, between["unit"] or between["unit2"])
        return Said(counted, tuple(dict.fromkeys((one.place, two.place)))) if counted else None
    if (ago := expression("elapsed_since", locale).search(question.text)) is not None:
        one = _when(ago["one"], evidence)
        if one is not None and (counted := _counted((evidence.now.date() - one.on).days, ago["unit"])):
            return Said(f"{counted} ago", (one.place,))
    return None


def _when(thing: str, evidence: Evidence) -> _Dated | None:
    """Return on which day something happened: by its sentence, or the day it was said; None when that is not sure."""
    candidates = ranked(asked(thing), evidence)
    if not candidates or candidates[0].found < _ELAPSED_SURE:
        return None
    best = candidates[0]
    on = _day(best)
    return None if on is None else _Dated(on, best.place, best.line.start)


def _day(candidate: Candidate) -> date | None:
    said = candidate.quote.memory.valid_from
    times = dated(candidate.line.text, said)
    if not times:
        return said.date()
    return times[0].first if len(times[0].iso) == len("2023-05-07") else None


def _counted(days: int, unit: str | None) -> str:
    """Return days in the unit asked for, or in the largest that tells them well; "" for none, or time to come."""
    if days <= 0:
        return ""
    unit = unit.lower() if unit else next(name for name, least in reversed(_ENOUGH.items()) if days >= least)
    number = round(days / _DAYS[unit])
    return f"{number} {unit}{'s' * (number != 1)}" if number else ""


_POINTS = 5
_LISTED = 4  # quotes whose answers are put together where a list is asked for
_NEAR = 0.55  # of the best sentence's score: what scores less is not of the same list
_BORNE = 0.4  # of the same: what scores less does not bear it out
_DIRECT_SURE = 0.75  # of the question's words: so many must stand where a plain yes or no is said
_AKIN = 0.3  # of them: with fewer, what stands beside them is no answer

Find = Callable[[Candidate, Asked], Iterable[Answer]]


def direct(asked: Asked, evidence: Evidence) -> Told:
    """Return the answer, and up to five sentences that bear it out."""
    find = _FINDERS.get(asked.wanted)

    known: dict[tuple[int, int], tuple[str, ...]] = {}

    def answers(candidate: Candidate) -> tuple[str, ...]:
        key = candidate.place, candidate.line.start
        if key not in known:
            known[key] = chosen(candidate.line.text, asked, find(candidate, asked)) if find is not None else ()
        return known[key]

    candidates = ranked(asked, evidence, lambda each: bool(answers(each)))
    if not candidates:
        return Told(tuple(Said(quote.text, (place,)) for place, quote in enumerate(evidence.quotes[:1])))
    best, fitting = candidates[0], bearing(asked, evidence, candidates)
    if not fitting or _is_beside(asked, fitting[0], best) or is_of_another(asked, evidence, fitting[0]):
        return Told(())
    told_of = newest_first(asked, fitting, answers)
    lead = elapsed(asked, evidence) or _lead(asked, told_of, answers)
    least = _BORNE * told_of[0].score
    points = tuple(each.said for each in apart(told_of, _POINTS, least=least) if each.said != lead)
    return Told((lead,), points)


def _is_beside(asked: Asked, first: Candidate, best: Candidate) -> bool:
    """Say whether the first sentence about what the question names tells something else of it."""
    return first is not best and (frozenset(asked.terms) - asked.names).isdisjoint(first.line.terms)


def _lead(asked: Asked, candidates: Sequence[Candidate], answers: Callable[[Candidate], tuple[str, ...]]) -> Said:
    best = candidates[0]
    if asked.wanted is Wanted.YES_NO:
        best = _newest_sure(candidates)
        if not is_disputed(best.quote) and (plainly := answers(best)):
            return Said(plainly[0], (best.place,))
        return best.said
    if asked.several and (listed := _listed(candidates, answers)) is not None:
        return listed
    for each in candidates[:3]:
        if each.score >= 0.8 * best.score and (found := answers(each)):
            return Said(found[0], (each.place,))
    if asked.wanted is Wanted.TIME:
        return Said(_beside(best), (best.place,))
    if is_row(best.line.text):
        return best.said
    start, stop = trimmed(best.line.text)
    return Said(best.line.text[start:stop], (best.place,))


def _newest_sure(candidates: Sequence[Candidate]) -> Candidate:
    """Return the newest of the sentences that have nearly all words of the question, the best where none has."""
    sure = [each for each in candidates if each.found >= _DIRECT_SURE]
    return max(sure, key=lambda each: each.quote.memory.valid_from) if sure else candidates[0]


def _listed(candidates: Sequence[Candidate], answers: Callable[[Candidate], tuple[str, ...]]) -> Said | None:
    """Return the answers of the best sentences put together, None when there are none."""
    found: dict[str, int] = {}
    for each in candidates[:_LISTED]:
        if each.score >= _NEAR * candidates[0].score:
            for text in answers(each)[:1]:
                if not any(text.lower() in other.lower() or other.lower() in text.lower() for other in found):
                    found[text] = each.place
    if not found:
        return None
    return Said(", ".join(found), tuple(dict.fromkeys(found.values())))


# ------------------------------------------------------------------------------------------------ the sorts of answers


def _times(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    """Yield the times that a sentence names, other than those that the question names itself."""
    said, text = candidate.quote.memory.valid_from, candidate.line.text
    clock = [Answer(start, stop, text[start:stop]) for start, stop, _ in dates.clock_times(text)]
    if asks_clock_time(asked.text):
        yield from clock
    known = frozenset(asked.terms)
    for each in dates.dated(text, said):
        telling = [term for _, term in content_pairs(text[each.start : each.stop])]
        if not telling or not known.issuperset(telling):
            yield Answer(each.start, each.stop, each.written)
    yield from clock


def _beside(candidate: Candidate) -> str:
    """Return the one time that is named elsewhere in the quote, or the day on which what happened was told.

    The sentence, where that tells of nothing that happened: the day on which something was said is no time of its own.
    """
    said = candidate.quote.memory.valid_from
    found = {each.written for each in dates.dated(candidate.quote.text, said)}
    if len(found) == 1:
        return found.pop()
    memory = candidate.quote.memory
    dated = memory.valid_from != memory.recorded_at  # somebody said since when it is true
    told = dated or memory.actor is not None or memory.kind is Kind.EPISODIC
    return day_text(said) if told and not found and tells_of_event(candidate.line.text) else candidate.line.text


def _texts(find: Callable[[str, Asked], Iterable[Span]]) -> Find:
    def found(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
        text = candidate.line.text
        return (Answer(start, stop, text[start:stop]) for start, stop in find(text, asked))

    return found


def _yes_or_no(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    if candidate.found >= _DIRECT_SURE and (said := plain(candidate, asked)):
        yield Answer(0, len(candidate.line.text), said)


def _things(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    if candidate.found >= _AKIN:
        yield from _texts(objects)(candidate, asked)


def _people(text: str, asked: Asked) -> Iterator[Span]:
    if not asks_who_is(asked.text):  # whom it names is known: what is told of them answers
        yield from person_spans(text, frozenset(asked.terms))


_FINDERS: dict[Wanted, Find] = {
    Wanted.TIME: _times,
    Wanted.DURATION: _texts(lambda text, asked: dates.durations(text)),
    Wanted.FREQUENCY: _texts(lambda text, asked: dates.frequencies(text)),
    Wanted.PLACE: _texts(lambda text, asked: place_spans(text, frozenset(asked.terms))),
    Wanted.PERSON: _texts(_people),
    Wanted.NAME: _texts(lambda text, asked: named_spans(text, frozenset(asked.terms))),
    Wanted.COUNT: _texts(
        lambda text, asked: age_spans(text) if asks_age(asked.text) else count_spans(text, asked.head)
    ),
    Wanted.AMOUNT: _texts(lambda text, asked: amount_spans(text)),
    Wanted.REASON: _texts(lambda text, asked: reason_spans(text)),
    Wanted.MANNER: _texts(lambda text, asked: manner_spans(text)),
    Wanted.YES_NO: _yes_or_no,
    Wanted.THING: _things,
}
