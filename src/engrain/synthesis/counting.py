"""Answers from several statements, without a model: `in_order` finds the first or last, `counted` a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from operator import itemgetter

from engrain.language.answer_forms import names_word
from engrain.language.locales import LOCALES, expression, union
from engrain.language.matching import is_about
from engrain.language.phrases import Phrase, Word
from engrain.language.query import Question, asked_about, parse
from engrain.language.questions import Wanted
from engrain.language.reading import Modality, Tense
from engrain.language.sameness import same_phrase, same_word
from engrain.language.segments import is_person
from engrain.language.times import ANY_DAY, dated, time_spans
from engrain.synthesis.evidence import Cited, Evidence
from engrain.synthesis.readings import SEVERAL, Reading, readings
from engrain.text import pattern

_SURE, _EVENT_SURE = 0.9, 0.8
Found = tuple[Cited | None, float]
_SUMMED = (Wanted.COUNT, Wanted.AMOUNT, Wanted.DURATION)
_SUMMAND = pattern(r"(\d+)((?: [^\W\d]+)?)")
_MOST_WORDS = 3  # of a counted item
_SEAMS = pattern(rf"\s*,\s*|\s+(?:{'|'.join(sorted(union('joined')))})\s+")


def sought_words(question: Question) -> list[str]:
    """Return the words that every memory relevant to counting, ordering or summing contains one of."""
    if (about := asked_about(question.text)) is not None:
        return [word.text for word in about.names or about.words]
    if question.wanted is Wanted.COUNT and question.noun is not None and not question.times:
        return [question.noun.text]
    if not (question.order or question.times):
        return []
    things = [word.text for word in _things(question)]
    listed = (locale.concepts.get(name, "") for locale in LOCALES.values() for name in question.concepts)
    return things or [shown.lstrip("+~=*!").replace("_", " ") for words in listed for shown in words.split()]


def _things(question: Question) -> list[Word]:
    """Return the words for the action of a question: its nouns, or else its verbs."""
    times = [(each.start, each.stop) for each in dated(question.text, ANY_DAY)]
    rest = [word for word in question.rest if not any(low <= word.start < high for low, high in times)]
    return [word for word in rest if word not in question.verbs] or rest


def in_order(evidence: Evidence) -> Found | None:
    """Return the first or the last in time, None if a question asks for neither."""
    question = parse(evidence.query)
    if not question.order:
        return None
    literal = parse(evidence.query, literal=True)
    stated = [each for each in _usable(readings(literal, evidence)) if _says(question.order, each) and each.match]
    texts = {each.match.text for each in stated if each.match is not None and not each.match.denies}
    if len(texts) == 1:  # "My first job was at Acme"
        return Cited(texts.pop(), (stated[0].place,)), _SURE
    question = replace(question, earlier=True, past=True, goes_on=False)
    read = _usable(readings(question, evidence))
    is_event = question.wanted is Wanted.TIME
    return _event(question, read, evidence.now.date()) if is_event else _holder(question, read), _EVENT_SURE


def _usable(read: Iterable[Reading]) -> list[Reading]:
    return [each for each in read if not each.is_outweighed and not each.is_disputed]


def _says(order: str, each: Reading) -> bool:
    clause = each.clause
    return expression(f"asks_{order}", clause.locale).search(clause.text, clause.start, clause.stop) is not None


def _event(question: Question, read: Sequence[Reading], today: date) -> Cited | None:
    """Return the date of the first or last occurrence of an event, up to today."""
    dates = ((_day(each), each) for each in read if _answers(each))
    found = sorted(((day, each) for day, each in dates if day is not None and day <= today), key=itemgetter(0))
    if not found:
        return None
    day, chosen = found[0] if question.order == "first" else found[-1]
    if any(_may_be_another(question, each, day) for each in read if not _answers(each)):
        return None
    return None if chosen.match is None else Cited(chosen.match.text, (chosen.place,))


def _is_of_other_person(question: Question, each: Reading) -> bool:
    """Return whether a clause is about another person than the question."""
    clause, asked = each.clause, question.subject
    subject = clause.subject
    if asked is None or subject is None or any(same_phrase(asked, p, each.by) for p in (subject, *clause.phrases)):
        return False
    return is_person(subject)


def _answers(each: Reading) -> bool:
    return each.match is not None and bool(each.match.text) and not each.match.denies


def _day(each: Reading) -> date | None:
    """Return the day of an event that a clause states, None if its time is longer than a day."""
    clause = each.clause
    named = [d for d in dated(clause.text, each.quote.memory.stated_at) if clause.start <= d.start < clause.stop]
    if not named:
        return each.quote.memory.stated_at.date()
    return named[0].first if len(named[0].iso) == len("2026-05-07") else None


def _may_be_another(question: Question, each: Reading, day: date) -> bool:
    """Return whether an unparsed clause may concern an occurrence before the first or after the last known one."""
    clause, things = each.clause, _things(question)
    if clause.modality is Modality.ASKED or clause.negative or not all(names_word(word, clause) for word in things):
        return False
    if _is_of_other_person(question, each):
        return False
    when, text = _day(each), clause.text[clause.start : clause.stop]
    does = any(w.low in clause.locale.visits or any(same_word(w, v) for v in question.verbs) for w in clause.words)
    if when is None or not (does or dated(text, ANY_DAY)):
        return when is None
    return does or when < day if question.order == "first" else when > day


def _holder(question: Question, read: Sequence[Reading]) -> Cited | None:
    """Return the first or the last of several values, None if their order is unknown or there is only one."""
    found: list[tuple[str, str, Reading]] = []
    for each in read:
        if not _answers(each):
            if _is_unread(question, each):
                return None
            continue
        if (begun := _begun(each)) is None:
            return None
        clause = each.clause
        old = next((p for p in clause.phrases if p.prep in clause.locale.sources and p.names), None)
        if old is not None and _is_change(each):
            found.append(("", clause.text[old.start : old.stop], each))
        found.append((begun, each.match.text if each.match is not None else "", each))
    found.sort(key=lambda one: one[0])
    if not found:
        return None
    begun, text, chosen = found[0] if question.order == "first" else found[-1]
    others = [one for one in found if one[1].casefold() != text.casefold()]
    is_known = bool(others) and (begun == "" or not _is_change(chosen) or "works_at" in question.concepts)
    if (question.order == "first" and not is_known) or any(one[0].startswith(begun) and begun for one in others):
        return None
    return Cited(text, (chosen.place,))


def _is_change(each: Reading) -> bool:
    concepts = each.clause.concepts
    return "change" in concepts or "+" in concepts.values()


def _begun(each: Reading) -> str | None:
    """Return the start of a state in a clause, in ISO 8601, "" for before all others, None if unknown."""
    clause = each.clause
    if any(word.low in union("childhood") for word in clause.words):
        return ""
    named = [d for d in dated(clause.text, each.quote.memory.stated_at) if clause.start <= d.start < clause.stop]
    if named:
        return named[0].iso
    return None if clause.over else each.quote.memory.stated_at.date().isoformat()


def _is_unread(question: Question, each: Reading) -> bool:
    """Return whether a clause without a value has the relation and the subject of the question."""
    clause = each.clause
    if clause.modality is Modality.ASKED or clause.negative:
        return False
    about = question.subject is None or is_about(question.subject, clause, each.by)
    if question.concepts:
        return about and bool(question.concepts & clause.concepts.keys())
    return about and bool(question.rest) and all(names_word(word, clause) for word in question.rest)


def counted(question: Question, evidence: Evidence) -> Found | None:
    """Return the number of occurrences or members, None if one statement gives the number itself."""
    if question.times:
        return _times(question, evidence), _EVENT_SURE
    if (total := _summed(question, evidence)) is not None:
        return total
    if question.wanted is not Wanted.COUNT or question.noun is None or question.subject is None:
        return None
    if any(_answers(each) for each in _usable(readings(question, evidence))):
        return None
    listed = replace(question, wanted=Wanted.THING, several=True)
    if not question.concepts & SEVERAL:
        noun = Phrase(question.noun.start, question.noun.stop, (question.noun,), question.subject)
        listed = replace(listed, wanted=Wanted.NAME, subject=noun, concepts=frozenset({"name"}), rest=())
    read = [each for each in _usable(readings(listed, evidence)) if not each.is_outdated]
    texts = {each.match.text: each.place for each in read if _answers(each) and each.match is not None}
    if any(_is_unread(listed, each) for each in read if not _answers(each)) or not texts:
        return None
    items = {part.strip().casefold() for text in texts for part in _SEAMS.split(text) if part.strip()}
    several = len(items) > 1 and all(0 < len(item.split()) <= _MOST_WORDS for item in items)
    return (Cited(str(len(items)), tuple(sorted(set(texts.values())))), _EVENT_SURE) if several else None


def _summed(question: Question, evidence: Evidence) -> Found | None:
    """Return the sum of several dated events, 12 km of 5 km and 7 km; None for one, without a sum if unsure."""
    asked, locale = question.subject, question.locale
    is_past = question.past or any(word.low.endswith(locale.past) for word in question.verbs if locale.own_verbs)
    is_event = is_past and bool(question.rest or question.concepts & {"drinks", "eats", "buys"})
    if not is_event or question.wanted not in _SUMMED or dated(question.text, ANY_DAY):
        return None
    if asked is None or not (asked.person or is_person(asked)) or time_spans(question.text, evidence.now, ahead=False):
        return None
    stated = [each for each in _usable(readings(question, evidence)) if _answers(each) and not each.is_outdated]
    if any(each.clause.has_phrase("in_total") or "change" in each.clause.concepts for each in stated):
        return None
    found: dict[tuple[str, str], Reading] = {}
    for each in stated:
        clause, at = each.clause, each.quote.memory.stated_at
        times = [time.iso for time in dated(clause.text[clause.start : clause.stop], at)][:1]
        found.setdefault(("".join(times), each.match.text if each.match is not None else ""), each)
    days, texts = [day for day, _ in found], [text for _, text in found]
    if len(set(texts)) < 2 and len(set(days)) < 2:
        return None
    parts = [part for text in texts if (part := _SUMMAND.fullmatch(text)) is not None]
    units = {part[2].strip() for part in parts}
    if len(parts) < len(texts) or not all(days) or len(set(days)) < len(days) or len(units) != 1:
        return None, 0.0
    total = f"{sum(int(part[1]) for part in parts)} {units.pop()}".strip()
    return Cited(total, tuple(sorted({each.place for each in found.values()}))), _EVENT_SURE


def _times(question: Question, evidence: Evidence) -> Cited | None:
    """Return the number of days on which an event occurred, None if a relevant memory is not surely parsed."""
    if not evidence.is_whole:
        return None
    spans = time_spans(question.text, evidence.now, ahead=False)
    inside = [(each.first.date(), each.after.date()) for each in spans]
    inside = inside or [(date.min, evidence.now.date() + timedelta(days=1))]
    things = _things(question)
    rest = tuple(word for word in question.rest if word in question.verbs or word in things)
    asked = replace(question, wanted=Wanted.TIME, past=True, rest=rest)
    days: dict[date, int] = {}
    for each in readings(asked, evidence):
        clause, written = each.clause, each.quote.memory.stated_at.date()
        if clause.modality is Modality.ASKED or not all(names_word(word, clause) for word in things):
            continue
        if _is_of_other_person(asked, each):
            continue
        day, habits = _day(each), clause.locale.habit_words
        is_habit = clause.has_phrase("frequency") or any(word.low in habits for word in clause.words)
        if _answers(each) and day is not None and not is_habit and clause.tense is not Tense.FUTURE:
            if any(low <= day < high for low, high in inside):
                days.setdefault(day, each.place)
        elif not clause.negative and (
            day is None or any(low <= max(day, written) and day < high for low, high in inside)
        ):
            return None
    return Cited(str(len(days)), tuple(sorted(set(days.values())))) if days else None
