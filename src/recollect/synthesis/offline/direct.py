"""A direct answer without a model: the shortest words of the evidence that answer, and sentences that bear it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from recollect.models import Kind
from recollect.synthesis.offline import dates, spans
from recollect.synthesis.offline.bearing import bearing
from recollect.synthesis.offline.clauses import Answer, chosen, is_row
from recollect.synthesis.offline.elapsed import elapsed
from recollect.synthesis.offline.newer import newest_first
from recollect.synthesis.offline.plain import plain
from recollect.synthesis.offline.question import Asked, Wanted
from recollect.synthesis.offline.telling import Candidate, apart, is_disputed, is_of_another, ranked
from recollect.synthesis.parts import Evidence, Said, Told
from recollect.words import content_pairs

_POINTS = 5
_LISTED = 4  # quotes whose answers are put together where a list is asked for
_NEAR = 0.55  # of the best sentence's score: what scores less is not of the same list
_BORNE = 0.4  # of the same: what scores less does not bear it out
_SURE = 0.75  # of the question's words: so many must stand where a plain yes or no is said
_AKIN = 0.3  # of them: with fewer, what stands beside them is no answer

Find = Callable[[Candidate, Asked], Iterator[Answer]]


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
    start, stop = spans.trimmed(best.line.text)
    return Said(best.line.text[start:stop], (best.place,))


def _newest_sure(candidates: Sequence[Candidate]) -> Candidate:
    """Return the newest of the sentences that have nearly all words of the question, the best where none has."""
    sure = [each for each in candidates if each.found >= _SURE]
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
    clock = [Answer(start, stop, text[start:stop]) for start, stop in dates.clock_times(text)]
    if dates.asks_clock(asked.text):
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
    return dates.day(said) if told and not found and dates.happened(candidate.line.text) else candidate.line.text


def _texts(find: Callable[[str, Asked], Iterator[spans.Span]]) -> Find:
    def found(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
        text = candidate.line.text
        return (Answer(start, stop, text[start:stop]) for start, stop in find(text, asked))

    return found


def _yes_or_no(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    if candidate.found >= _SURE and (said := plain(candidate, asked)):
        yield Answer(0, len(candidate.line.text), said)


def _things(candidate: Candidate, asked: Asked) -> Iterator[Answer]:
    if candidate.found >= _AKIN:
        yield from _texts(spans.objects)(candidate, asked)


_FINDERS: dict[Wanted, Find] = {
    Wanted.TIME: _times,
    Wanted.DURATION: _texts(lambda text, asked: dates.durations(text)),
    Wanted.FREQUENCY: _texts(lambda text, asked: dates.frequencies(text)),
    Wanted.PLACE: _texts(spans.places),
    Wanted.PERSON: _texts(spans.people),
    Wanted.NAME: _texts(spans.names),
    Wanted.COUNT: _texts(spans.counts),
    Wanted.AMOUNT: _texts(lambda text, asked: spans.amounts(text)),
    Wanted.REASON: _texts(lambda text, asked: spans.reasons(text)),
    Wanted.MANNER: _texts(lambda text, asked: spans.manners(text)),
    Wanted.YES_NO: _yes_or_no,
    Wanted.THING: _things,
}
