"""Readings: `readings` yields the clauses of the quotes, each with its match with the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import groupby, takewhile
from unicodedata import normalize

from engrain.engine import Engine
from engrain.language import facts, matching, phrases
from engrain.language.answer_forms import Match, names_word, sort_of, verdict
from engrain.language.antecedents import clauses_of, opening_reference, retraction
from engrain.language.cues import is_remark, without_yes_or_no, yes_or_no
from engrain.language.implied import without_dropped_plans
from engrain.language.locales import Locale, expression, has_any, language_of, template, union, word_list
from engrain.language.names import is_word, sorts
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, in_all_languages, parts_of, people_words
from engrain.language.quantities import Kind as ValueKind
from engrain.language.quantities import is_no_value, is_of_period, time_values
from engrain.language.query import Question, asked_otherwise, parse
from engrain.language.questions import Wanted, amount_spans
from engrain.language.reading import Clause, Modality, Tense, owns
from engrain.language.replacements import Fit, fits
from engrain.language.sameness import Speakers, aliases, is_reversed, same_phrase, same_word, to_asker
from engrain.language.segments import is_participle, is_person
from engrain.language.times import ANY_DAY, dated, durations, windows
from engrain.language.tokens import sentences, stem, words
from engrain.language.values import is_indefinite, is_plain, is_sort_of
from engrain.model.filters import Filter
from engrain.model.memory import USER, Fact, Kind, Memory, SourceType, slot, speaker
from engrain.model.results import Hit
from engrain.read.request import PointInTime
from engrain.synthesis.evidence import Evidence, Quote, is_outweighed, with_mentions
from engrain.text import pattern

SEVERAL = frozenset({"allergic_to", "likes", "dislikes", "speaks", "drinks", "eats"})
"""Relations that have several values at a time."""
_LONGEST_READ = 4000  # characters of a text that are parsed as the context of a pronoun in a quote
_OF_FACT_SURE, _TAKEN_OVER_SURE = 0.9, 0.9
_TIMED = (Wanted.TIME, Wanted.PLACE, Wanted.PERSON)  # a date answers the first, and none of the others
_OF_CLAUSES = (Wanted.YES_NO, Wanted.DURATION, Wanted.FREQUENCY, Wanted.REASON, Wanted.MANNER)
_NO_PERSON = pattern(r"[^\W\d_]\d|\d[^\W\d_]|^[\W\d]+$")  # letters next to digits, or no letters
_PARTS_OF_TOWNS = frozenset(map(stem, ("street", "road", "district", "neighborhood", "quarter", "floor", "building")))
_NAMED_PARTS = frozenset(map(stem, ("street", "road", "district", "neighborhood", "quarter")))
TOWNS = frozenset(map(stem, "city town village country state place location island region continent capital".split()))
"""Nouns for places for which a town or a country is an answer."""
_TITLED = pattern(rf"(?<!\w)(?:{'|'.join(map(re.escape, union('titles')))})\.? (?=[A-ZÀ-ÖØ-Þ])")  # "Frau" is no wife
_OTHER = template(r"(?:(\w+)\W+)?(?<!\w)({other_ones})(?!\w)(?:\W+(\w+))?")
_REPLIED_SURE, _CONFIRMED_SURE, _LONGEST_REPLY, _LONGEST_SORT = 0.75, 0.8, 8, 3
_NOT_NOW = ("until", "former", "earlier", "uncertain", "exceptions", "hypothetical", "tentative")
_TAKEN_BACK = ("retracts", "slips", "corrects")
_PAUSES = frozenset(",;:–—(-")
_OPEN = frozenset({Wanted.THING, Wanted.ANYTHING, Wanted.NAME})
_OF_NAMES = frozenset({Wanted.PERSON, Wanted.NAME})
_TURNS = 2  # of context before a quote, the user's and the assistant's


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause of a quote, its speakers, and its match with the question, None without one."""

    clause: Clause
    by: Speakers
    match: Match | None
    place: int
    quote: Quote
    is_superseded: bool
    is_outweighed: bool
    is_disputed: bool
    """Whether a memory of equal or higher trust contradicts it, or an unknown one."""
    order: int = 0
    """Its index among the clauses of its memory."""

    @property
    def is_outdated(self) -> bool:
        """Whether a newer or more trusted memory contradicts it."""
        return self.is_superseded or self.is_outweighed

    @property
    def is_ahead(self) -> bool:
        """Whether it announces a change for after the question's date."""
        return matching.is_ahead(self.clause, self.by, self.quote.memory.stated_at)

    @property
    def age(self) -> tuple[object, ...]:
        """The sort key by which newer statements are found."""
        memory = self.quote.memory
        day = facts.changed_on(self.clause.text, memory.stated_at)  # "I moved to Rome in 2010" is old news
        day = date.min if facts.is_part_time(self.clause) else day
        at = memory.valid_from if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)
        return at, memory.recorded_at, self.order


def readings(question: Question, evidence: Evidence) -> Iterator[Reading]:
    """Yield the clauses of the quotes, each with its match with a question."""
    memories, asker, unsaid = evidence.known, evidence.asker, _unsaid(evidence)
    actors = {quote.memory.actor for quote in evidence.quotes if quote.memory.actor} - {"user", "assistant"}
    today, is_denied = (evidence.as_of or evidence.now).date(), question.says("negation")  # "What don't I eat?"
    actors = actors if len(actors) == 2 else set()  # a dialogue
    is_name = question.wanted is Wanted.NAME or "name" in question.concepts  # the memory itself must contain it
    named, known = question.noun, facts.asked_slots(question, asker)  # "What was the name of the lady who ...?"
    literal = parse(evidence.query)
    is_of_person = named is not None and named.root in people_words() and has_any(evidence.query, "name_words")
    for place, quote in ((at, each) for at, each in enumerate(evidence.quotes) if each.memory.id not in unsaid):
        memory = quote.memory
        outweighed = is_outweighed(quote.hit, memories)
        disputed = any(r is None or r.trust >= memory.trust for r in map(memories.get, quote.hit.contested))
        before = evidence.before.get(memory.id, "")
        around = frozenset(words(f"{before} {quote.text}"))
        hearer = asker if memory.actor == "assistant" else next(iter(actors - {memory.actor}), "")
        is_event = memory.stated_at != memory.recorded_at or memory.actor is not None or memory.kind is Kind.EPISODIC
        writer = _writer(memory, evidence).lower()
        by = Speakers(asker.lower(), writer, hearer.lower(), is_event, around, today, evidence.aliases)
        replaced = evidence.replaced.get(memory.id, ())
        clauses = clauses_of(memory.content if len(memory.content) <= _LONGEST_READ else quote.text, before)
        is_reply = before.rstrip().endswith("?") and memory.actor != "assistant" and writer == asker.lower()
        asked_before = sentences(before)[-1] if is_reply else ""
        confirmed = tuple(_confirmed(asked_before, memory.content))
        clauses = (*confirmed, *without_dropped_plans(clauses))
        for order, clause in enumerate(matching.in_effect(each, by, memory.stated_at) for each in clauses):
            is_quoted = clause.text[clause.start : clause.stop] in quote.text or clause.text not in memory.content
            is_other = _is_of_namesake(clause, question) or _is_of_other_owner(clause, question, clauses, before)
            if is_quoted and not is_other:  # a corrected sentence has another text
                match = matching.match(question, clause, by, memory.stated_at)
                is_kept = clause.modality is Modality.POSSIBLE or _states(clause, memory.fact)
                is_off = is_denied or question.earlier or is_reversed(question, clause, by)
                is_kept = is_kept and not (is_off or matching.is_ahead(clause, by, memory.stated_at))
                is_kept = is_kept and not any(word.root in people_words() for word in question.rest)  # "ana's sister"
                if question.wanted is Wanted.AMOUNT or question.concepts & SEVERAL or question.says("asks_owner"):
                    is_kept = is_kept and all(names_word(word, clause) for word in question.rest)
                if match is None and is_kept and question.wanted not in _OF_CLAUSES:
                    match = _of_fact(memory.fact, question.wanted, *known)
                    start = -1 if match is None else clause.text.find(match.text)
                    match = None if match and start >= 0 and is_no_value(question, clause, start, match.text) else match
                if match is None and asked_before and memory.content.startswith(clause.text[: clause.stop]):
                    match = _replied(question, asked_before, clause, by, memory.stated_at)
                if match is not None:
                    sure = min(match.sure, _CONFIRMED_SURE) if order < len(confirmed) else match.sure
                    match = _with_noun_asked(match._replace(sure=sure), question, clause)
                    match = _with_apposition(match, question, literal.noun, clause)
                if match is not None and (
                    _is_changed(clause, clauses, question)
                    or _has_passed(clause, question, by, memory.stated_at)
                    or (is_name and match.text.casefold() not in memory.content.casefold())
                    or _is_too_large(match, question)
                    or _repeats(match, question, clause, literal)
                    or not _is_of_period(match, question, clause)
                    or (is_of_person and match.text[:1].islower())
                    or (literal.noun and not named and is_plain(clause) and _is_bare(match.text, clause))  # "broken"
                    or (question.wanted is Wanted.PERSON and _NO_PERSON.search(match.text) is not None)
                ):
                    match = None
                is_old = memory.is_superseded or any(_is_replaced(clause, known, evidence) for known in replaced)
                yield Reading(clause, by, match, place, quote, is_old, outweighed, disputed, order)


def _unsaid(evidence: Evidence) -> set[str]:
    """Return the ids of memories that state nothing: a story asked for, and what "Sorry, I meant Kim" takes back."""
    turns = [quote.memory for quote in evidence.quotes if quote.memory.scope.session]
    found, later = set[str](), dict[object, tuple[str, int]]()
    for memory in sorted(turns, key=lambda each: (each.position or 0, each.valid_from), reverse=True):
        *_, asked = ("", *evidence.before.get(memory.id, "").splitlines())
        is_on_request = memory.actor == "assistant" and not asked.endswith("?") and has_any(asked, "dictates")
        who = memory.scope, memory.actor, memory.source.type
        after, at = later.get(who, ("", 0))
        after = after if at - (memory.position or 0) <= _TURNS else ""
        if is_on_request or retraction(after) or expression("takes_back").match(after):
            found.add(memory.id)
        later[who] = memory.content, memory.position or 0
    derived = ((quote.memory.id, link.memory_id) for quote in evidence.quotes for link in quote.memory.links)
    return found | {name for name, source in derived if source in found}


def _confirmed(asked: str, answer: str) -> Iterator[Clause]:
    """Yield the clauses of a question as stated by a "yes" or "no": "Does your mother live in Hull?", "Yes"."""
    first = sentences(answer)[0] if asked and answer.strip() else ""
    is_yes, question = yes_or_no(first), parse(asked)
    if is_yes is None or question.wanted is not Wanted.YES_NO or question.past or not _is_plain_reply(first, question):
        return
    if has_any(asked, "uncertain", "conditional", "negation", "either") or has_any(answer, *_TAKEN_BACK):
        return
    for clause in clauses_of(f"{asked[:1].lower()}{asked[1:]}"):
        if any(is_participle(word, clause.locale) for word in clause.words):
            continue  # "Have you ever lived in Hull?"
        is_plain_fact = bool(clause.concepts) or owns(clause.words, clause.locale)
        if is_plain_fact and clause.modality is Modality.ASKED and clause.tense is Tense.PRESENT:
            stated = clause._replace(subject=clause.subject and to_asker(clause.subject), negative=not is_yes)
            yield stated._replace(phrases=tuple(map(to_asker, clause.phrases)), modality=Modality.CERTAIN)


def _is_plain_reply(sentence: str, question: Question) -> bool:
    """Return whether nothing but a verbless remark follows a "yes" or "no": not "Yes, but ...", "Yes, she used to"."""
    rest = without_yes_or_no(sentence)
    reader = Reader(rest.strip(" .!,"), language_of(sentence))
    if not reader.words:
        return True
    is_turn = reader.words[0].low in question.locale.joined or yes_or_no(rest) is not None
    return not (is_turn or reader.has_verb(0, len(reader.words)) or has_any(rest, *_NOT_NOW))


def _states(clause: Clause, fact: Fact | None) -> bool:
    """Return whether a clause contains the object of the fact that was extracted from it."""
    is_certain = clause.modality is Modality.CERTAIN and not clause.negative
    return fact is not None and is_certain and fact.object in clause.text[clause.start : clause.stop]


def _replied(question: Question, asked: str, clause: Clause, by: Speakers, at: datetime) -> Match | None:
    """Return the answer of a reply without a verb to the same question: "Which voice do you sing?", "Alto"."""
    reader = Reader(clause.text.strip(" ."), clause.locale)
    forms = (parse(asked), *asked_otherwise(asked))
    is_bare = clause.modality is Modality.CERTAIN and not clause.negative and not reader.has_verb(0, len(reader.words))
    if not is_bare or len(reader.words) > _LONGEST_REPLY or has_any(reader.text, *_NOT_NOW):
        return None  # "Maybe alto", "Formerly a Skoda"
    is_past = question.wanted is not Wanted.TIME and any(each.tense is Tense.PAST for each in clauses_of(asked))
    if is_past or has_any(asked, "conditional"):
        return None
    if is_remark(reader.text) or reader.text.endswith("!") or not any(_asks_same(question, q, by) for q in forms):
        return None
    small = clause.locale.articles | clause.locale.clock_leads | clause.locale.reply_leads
    words_ = [word for word in reader.words if word.low not in small and word.low[0].isalnum()]
    if question.wanted in (Wanted.TIME, Wanted.AMOUNT, Wanted.COUNT):
        return _measured(question, clause, reader.text, words_, at)
    piece = list(takewhile(lambda word: word.text not in _PAUSES, reader.words))
    piece = piece[next((place for place, word in enumerate(piece) if word.low not in small), 0) :]
    if not piece or not _may_answer(question, piece, clause):
        return None
    return Match(reader.text[piece[0].start : piece[-1].stop], sure=_REPLIED_SURE)


def _measured(question: Question, clause: Clause, text: str, left: Sequence[Word], at: datetime) -> Match | None:
    """Return the time, sum or number that a reply consists of: not of "More on Monday", "Under 900 euros"."""
    if question.wanted is Wanted.TIME:
        found = [shown for _, _, shown in time_values(question, clause, at, is_event=False)]
        spans = [(each.start, each.stop) for each in dated(text, at)]
    elif question.wanted is Wanted.AMOUNT:
        spans = [] if durations(text) else list(amount_spans(text))
        found = [text[low:high] for low, high in spans]
    else:
        noun = question.noun
        left = [word for word in left if noun is None or not same_word(noun, word)]
        is_number = len(left) == 1 and (left[0].low.isdecimal() or left[0].low in clause.locale.all_numbers)
        return Match(left[0].text, sure=_REPLIED_SURE) if is_number else None
    is_whole = bool(spans) and all(any(low <= word.start < high for low, high in spans) for word in left)
    return Match(found[0], sure=_REPLIED_SURE) if found and is_whole else None


def _may_answer(question: Question, piece: Sequence[Word], clause: Clause) -> bool:
    """Return whether words are a name, or of the sort that a question asks for: "Alto" for a voice."""
    sort = frozenset[str]() if question.noun is None else sort_of(question.noun)
    if sort:
        return len(piece) <= _LONGEST_SORT and (piece[-1].low in sort or piece[0].low in sort)
    is_person = any(word.low in people_words() or word.root in people_words() for word in piece)
    if "job_title" in question.concepts:
        is_job = expression("occupation", clause.locale).fullmatch(piece[-1].low) is not None
        return is_person or is_job or piece[-1].low in clause.locale.professions
    if is_person and question.wanted not in _OF_NAMES:
        return False  # "My sister in Hull", asked for the brother's home
    is_named = question.wanted in (*_OF_NAMES, Wanted.PLACE) and piece[0].text[0].isupper()
    return is_named and (len(piece) > 1 or not is_word(piece[0].low, clause.locale))


def _asks_same(question: Question, other: Question, by: Speakers) -> bool:
    """Return whether a question to the speaker is the same as their own: "Where do you work?", "Where do I work?"."""
    subject, kinds = other.subject and to_asker(other.subject), {question.wanted, other.wanted}
    if (question.past, question.earlier) != (other.past, other.earlier):
        return False
    if len(kinds) > 1 and not (kinds <= _OPEN or kinds <= _OF_NAMES):
        return False
    differing = question.concepts ^ other.concepts
    if differing - {"name"} or (differing and len(kinds) < 2):
        return False
    if (question.noun is None) != (other.noun is None) or subject is None or question.subject is None:
        return False
    if question.noun is not None and other.noun is not None and not same_word(question.noun, other.noun):
        return False
    if subject.owner is None and question.subject.owner is not None and question.subject.owner.person == "me":
        subject = subject._replace(owner=question.subject.owner)  # "the exam" is "my exam"
    is_same = subject.person == question.subject.person == "me" or same_phrase(question.subject, subject, by)
    mine, theirs = ([w for w in each.rest if w.low not in each.locale.light_verbs] for each in (question, other))
    is_covered = all(any(same_word(word, each) for each in mine) for word in theirs)
    return is_same and is_covered and all(word.low in by.around for word in mine)


def _is_bare(text: str, clause: Clause) -> bool:
    """Return whether the answer of a clause is one lower-case word without an article, or several: "grey, broken"."""
    first = text.split(",", maxsplit=1)[0] if all(len(each.split()) == 1 for each in text.split(",")) else text
    word = next((at for at, each in enumerate(clause.words) if each.text == first and text.islower()), 0)
    before = clause.words[word - 1].low if word else ""
    return bool(word) and before not in clause.locale.articles | clause.locale.determiners


def _is_replaced(clause: Clause, known: Memory, evidence: Evidence) -> bool:
    """Return whether a newer statement replaces or ends a clause; every clause, if the replaced part is unknown."""
    shown, opening = clause.text[clause.start : clause.stop].strip(" .,;!"), opening_reference(clause)
    rest = "" if opening is None else clause.text[opening.stop : clause.stop].strip(" .,;!")  # a name is there instead
    is_there = any(each.casefold() in known.content.casefold() for each in filter(None, (shown, rest)))
    if not is_there and not _states_slot(shown, known):
        return False
    new = next((q.memory for q in evidence.quotes if q.memory.id == known.superseded_by), None)
    if new is None:
        return True
    ended = fits(new.content, new.stated_at, known.content, known.stated_at, same_speaker=known.actor == new.actor)
    parts = [part for fit in ended if (part := fit.reading.part) is not None]
    shown = clause.text[clause.start : clause.stop]
    return not parts or any(part in shown or shown in part for part in parts)


def _states_slot(text: str, known: Memory) -> bool:
    """Return whether a text states the slot of a fact, or the same text; a derived memory may have been edited."""
    if known.fact is None:
        return False
    stated = (each.fact for each in facts.stated_facts(text, speaker(known)) if each.fact is not None)
    return any(slot(fact)[:2] == slot(known.fact)[:2] for fact in stated)


def _is_changed(clause: Clause, clauses: Iterable[Clause], question: Question) -> bool:
    """Return whether a later clause states a change of this one: "was due on 1 June, the deadline is now 15 June"."""
    if clause.tense is not Tense.PAST or question.past:
        return False
    later = (each for each in clauses if each.text == clause.text and each.start > clause.start)
    return any("change" in each.concepts and clause.concepts.keys() & each.concepts.keys() for each in later)


def _has_passed(clause: Clause, question: Question, by: Speakers, at: datetime) -> bool:
    """Return whether a clause states what held in a time around it that is over: "is ill today", "this week"."""
    is_of_now = not (question.past or question.earlier or question.wanted in (Wanted.TIME, Wanted.DURATION))
    if not is_of_now or clause.tense is not Tense.PRESENT or clause.has_phrase("from_now"):
        return False
    least = timedelta(days=1 if question.concepts else 0)  # "today she works at Acme": nowadays
    found = windows(clause.text[clause.start : clause.stop], at)
    is_over = all(start <= at < end and end - start > least and end.date() <= by.today for start, end, _ in found)
    return bool(found) and is_over and "+" not in clause.concepts.values() and not windows(question.text, at)


def _repeats(match: Match, question: Question, clause: Clause, literal: Question) -> bool:
    """Return whether an answer is in the question itself, or is of another thing with the question's noun."""
    found, noun, subject = words(match.text), question.noun, literal.subject
    if noun is not None and noun.low in found and not clause.locale.joined.isdisjoint(found):
        return True  # "an old car and a new house", asked for a car
    asked = subject.words[-1:] if subject and subject.owner and subject.owner.person == "me" else ()
    last = slice(-1, None) if clause.locale.has_noun_compounds else slice(None)  # not "a dentist appointment"
    alike = [p for p in clause.phrases if any(same_word(one, other) for one in asked for other in p.words[last])]
    at = clause.text.find(match.text, clause.start)
    new = [p for p in alike if p.start <= at and has_any(clause.text[p.start : p.stop], "successor_adjectives")]
    if question.wanted is Wanted.PERSON and any(is_indefinite(p, clause) and p not in new for p in alike):
        return True  # "Tom has a ladder" is not about mine, "a different dentist, Dr Kay" is
    is_name = question.wanted in (Wanted.PLACE, Wanted.PERSON, Wanted.NAME) and not question.says("either")
    return is_name and bool(found) and set(found) <= {*words(question.text), *words(literal.text)}


def _is_of_period(match: Match, question: Question, clause: Clause) -> bool:
    """Return whether an answer is not of a period other than the one that a question names."""
    at = clause.text.find(match.text, clause.start) if match.text else -1
    return at < 0 or is_of_period(question, clause.text, at, at + len(match.text))


def _is_too_large(match: Match, question: Question) -> bool:
    """Return whether a town answers a question for a part of one, "Which street do we live in?", or a mere noun."""
    noun, locale = "" if question.noun is None else question.noun.root, language_of(match.text)
    if "works_at" in question.concepts and has_any(noun, "departments") and not match.denies:
        return True  # "Which ward do I work on?": not the hospital
    names = [word for word in match.text.split() if word[0].isupper() or word[0].isdigit()]
    are_nouns = locale.has_noun_capitals and all(word.isalpha() and is_word(word.lower(), locale) for word in names)
    shown = match.text.lower().split()
    is_mere = match.text.islower() or not union("articles").isdisjoint(shown[:1])
    is_named = noun in TOWNS | _NAMED_PARTS or (bool(noun) and question.wanted is Wanted.PLACE)
    if is_named and is_mere and (are_nouns or not names):
        return True  # "in the flat"
    is_other = is_named and noun not in TOWNS and not union("indefinite").isdisjoint(shown[:1])
    if is_other and noun not in map(stem, shown) and sorts().get(noun, frozenset()).isdisjoint(shown):
        return True  # "a school in Leeds" is no classroom
    is_part = noun in _PARTS_OF_TOWNS or (bool(noun) and question.wanted is Wanted.PLACE and noun not in TOWNS)
    return is_part and match.text.lower() in word_list("places")


def _with_noun_asked(match: Match, question: Question, clause: Clause) -> Match:
    """Return the place with the noun of a question if a clause names one: "room 204" rather than the school."""
    noun = question.noun
    if noun is None or question.wanted is not Wanted.PLACE:
        return match
    named = [p for p in clause.phrases if len(p.words) > 1 and any(is_sort_of(noun, word) for word in p.words)]
    shown = [clause.text[p.start : p.stop] for p in named]
    return match if not shown or any(match.text in each for each in shown) else match._replace(text=shown[0])


def _with_apposition(match: Match, question: Question, noun: Word | None, clause: Clause) -> Match | None:
    """Return the name behind the noun of a question: "a new phone, a purple Pixel 9a"; None for the noun alone."""
    has = owns(clause.words, clause.locale) or "buys" in clause.concepts or not question.has
    if noun is None or not (has or not named_behind(clause, clause.start)):
        return match if noun is None else None  # "I need a phone, a Pixel"
    at = clause.text.find(match.text, clause.start) if match.text else -1
    found = [word for word in clause.words if at <= word.start < at + len(match.text)]
    heads = [word for word in found if word.root == noun.root]
    if at < 0 or not heads:
        return match
    if shown := named_behind(clause, heads[-1].stop):
        return match._replace(text=shown)
    idle = clause.locale.idle_adjectives | clause.locale.vague_adjectives | clause.locale.now_words
    return None if all(word in heads or word.low in idle for word in found) else match


def named_behind(clause: Clause, start: int) -> str:
    """Return the name in apposition to the phrase that ends at a position of a clause, "" without one."""
    behind = next((p for p in clause.phrases if p.start >= start), None)
    if behind is None or not behind.names or behind.prep or behind.person or is_person(behind):
        return ""
    between = [word.low for word in clause.words if start <= word.start < behind.words[0].start and word.low.isalnum()]
    small = clause.locale.now_words | clause.locale.articles | clause.locale.indefinite | clause.locale.vague_adjectives
    first = behind.words[0] if clause.locale.has_noun_capitals else behind.names[0]
    is_beside = "," in clause.text[start : behind.start] and small.issuperset(between)
    return clause.text[first.start : behind.stop] if is_beside else ""


def taken_over(question: Question, read: Iterable[Reading], evidence: Evidence) -> Iterator[Reading]:
    """Yield, for each superseded answer, the reading of the statement that superseded it."""
    places = {quote.memory.id: place for place, quote in enumerate(evidence.quotes)}
    for each in read:
        own = (each.quote.memory,) if each.quote.memory.is_superseded else ()
        for known in (*evidence.replaced.get(each.quote.memory.id, ()), *own):
            place = places.get(known.superseded_by or "")
            if place is None:
                continue
            new = evidence.quotes[place].memory
            same = known.actor == new.actor
            for fit in fits(new.content, new.stated_at, known.content, known.stated_at, same_speaker=same):
                if (match := _instead(question, each, fit, new)) is not None:
                    stated, quote = clauses_of(new.content), evidence.quotes[place]
                    new_one = replace(each, clause=stated[-1], match=match, place=place, quote=quote, order=len(stated))
                    yield replace(new_one, is_superseded=False)


def _instead(question: Question, read: Reading, fit: Fit, new: Memory) -> Match | None:
    """Return the new answer after a replacement, None if it does not answer, or only a part was replaced."""
    match, small, old = read.match, "" if read.match is None else read.match.text.casefold(), fit.old.casefold()
    if question.wanted is Wanted.YES_NO:
        rest = [word for word in question.rest if word not in question.verbs] or question.rest
        asked = [*(() if question.subject is None else question.subject.words), *rest]
        still = question.goes_on and bool(asked) and all(names_word(word, read.clause) for word in asked)
        if old or not (still or (match is not None and not match.denies)):
            return None
        return Match(verdict(question, denies=True), denies=True, sure=_TAKEN_OVER_SURE)
    if match is None or match.denies:
        return None
    if not old:
        return match._replace(denies=True)
    is_day = fit.value is not None and fit.value.kind is ValueKind.DAY and question.wanted is Wanted.TIME
    if not fit.new or not (is_day or old in small or small in old) or {*words(fit.new)} <= {*words(question.text)}:
        return None
    text = fit.new
    if question.wanted is Wanted.TIME:
        stated = (each for each in clauses_of(new.content) if fit.new in each.text[each.start : each.stop])
        times = (each for clause in stated for each in time_values(question, clause, new.stated_at, is_event=False))
        text = next((shown for _, _, shown in times), fit.new)
        if old in small and not dated(text, new.stated_at):  # only the time of day: "it's at 11 now"
            text = re.sub(re.escape(fit.old), lambda _: fit.new, match.text, count=1, flags=re.IGNORECASE)
    return match._replace(text=text, sure=min(match.sure, _TAKEN_OVER_SURE))


def _is_of_namesake(clause: Clause, question: Question) -> bool:
    """Return whether a sentence is about a namesake of the question's thing: "the other course costs 280"."""
    beside = _others_in(clause.text[clause.start : clause.stop].lower(), clause.locale)
    if not beside:
        return False
    subject = {word.low for word in question.subject.words} if question.subject else set[str]()
    named = subject | {word.low for word in question.rest if word not in question.verbs} - question.locale.stop
    return any(each[2] not in question.text.lower() and (each[1] in subject or each[3] in named) for each in beside)


def _is_of_other_owner(clause: Clause, question: Question, clauses: Sequence[Clause], before: str) -> bool:
    """Return whether an unowned thing belongs to another owner, mentioned just before: "Ben has a car. The car ..."."""
    asked, subject = question.subject, clause.subject
    if asked is None or asked.owner is None or asked.owner.person != "me" or not asked.words:
        return False
    if subject is None or subject.owner or not any(same_word(asked.words[-1], word) for word in subject.words):
        return False
    is_mine = True
    for other in (*(clauses_of(before) if before else ()), *takewhile(lambda each: each is not clause, clauses)):
        holder, got = other.subject, other.concepts.keys() & {"buys", "asset"}
        has = bool(got) or owns(other.words, other.locale)
        for phrase in other.phrases:
            owner = phrase.owner or (holder if has and phrase is not holder else None)
            if owner is not None and any(same_word(asked.words[-1], word) for word in phrase.words):
                is_mine = owner.person == "me"
    return not is_mine


@lru_cache(4096)
def _others_in(shown: str, locale: Locale) -> tuple[re.Match[str], ...]:
    return tuple(_OTHER(locale).finditer(shown))


def _writer(memory: Memory, evidence: Evidence) -> str:
    """Return the author of a memory, "" if unknown."""
    of_user = memory.source.type is SourceType.USER_INPUT and (memory.scope.user or USER) == evidence.asker
    if of_user and memory.actor == evidence.asker_name:
        return evidence.asker
    return speaker(memory) or ("" if memory.actor not in (None, "user") else memory.scope.user or USER)


def with_subject(engine: Engine, where: Filter, at: PointInTime, evidence: Evidence, question: Question) -> Evidence:
    """Return the evidence with memories that name the question's subject, in any language and by its aliases."""
    if question.subject is None:
        return evidence
    evidence = with_mentions(engine, where, at, evidence, _sought([question.subject]))
    own = (quote.text for quote in evidence.quotes if _writer(quote.memory, evidence) == evidence.asker)
    found = aliases(question, (clause for text in own for clause in clauses_of(text)))
    if not found:
        return evidence
    named = _sought(phrase for pair in found for phrase in pair)
    return replace(with_mentions(engine, where, at, evidence, named), aliases=found)


def _sought(named: Iterable[Phrase]) -> list[str]:
    words = (word for phrase in named for word in (*phrase.words, *(phrase.owner.words if phrase.owner else ())))
    return [shown for word in words for shown in in_all_languages(word)]


def _of_fact(fact: Fact | None, wanted: Wanted, subject: str, predicates: frozenset[str]) -> Match | None:
    """Return the object of a fact extracted from a correction, if it has the subject and the relation asked for."""
    if fact is None or not subject:
        return None
    if wanted in (Wanted.AMOUNT, Wanted.COUNT) and not any(map(str.isdigit, fact.object)):
        return None
    if wanted in _TIMED and (wanted is Wanted.TIME) != bool(dated(fact.object, ANY_DAY)):
        return None
    asked, stated = (slot(Fact(subject, predicate, "?")) for predicate in predicates), slot(fact)
    return Match(fact.object, sure=_OF_FACT_SURE) if any(each[:2] == stated[:2] for each in asked) else None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a quote: `turn` are the roots of the previous ones, `lead` their text, `before` of other turns."""

    read: tuple[Reading, ...]
    roots: frozenset[str]
    turn: frozenset[str]
    topic: frozenset[str]
    """The roots of the last previous sentence that names a thing, and of its continuation."""
    before: frozenset[str]
    lead: str

    @property
    def text(self) -> str:
        """Its text."""
        return self.read[0].clause.text

    @property
    def locale(self) -> Locale:
        """Its language."""
        return self.read[0].clause.locale


def plain(low: str) -> str:
    """Return a word without diacritics."""
    return "".join(char for char in normalize("NFD", low) if char.isalpha() or char.isdigit())


@lru_cache(16_384)
def roots_in(text: str, locale: Locale) -> frozenset[str]:
    """Return the roots and plain forms of the words of a text, including those of the parts of compounds."""
    text = _TITLED.sub("", text)
    words = [*Reader(text, locale).words, *Reader(text.replace("-", " "), locale).words]
    words += [part for word in words for part in parts_of(word, locale)]
    concepts = (each for word in words for each in concepts_of(word, locale))
    found = {name for name, mark in concepts if mark in ("", "+", "=")}
    if locale.has_noun_compounds:
        found |= {stem(word.low.rpartition("_")[2]) for word in words if "_" in word.low}  # "cordless_drill"
    return frozenset(found.union(*map(roots_of, words))) - {""}


def roots_of(word: Word) -> frozenset[str]:
    """Return the root of a word, and the word without diacritics."""
    return frozenset({word.root, plain(word.low)})


def sentences_of(read: Sequence[Reading], before: Callable[[Hit], str]) -> Iterator[Sentence]:
    """Yield the sentences of clauses that are in order; `before` gives the turns before a memory."""
    for _, in_turn in groupby(read, key=lambda each: each.place):
        turn = topic = frozenset[str]()
        earlier: frozenset[str] | None = None
        lead = ""
        for _, group in groupby(in_turn, key=lambda each: each.clause.text):
            clauses = tuple(group)
            text, locale = clauses[0].clause.text, clauses[0].clause.locale
            if earlier is None:
                lines = before(clauses[0].quote.hit).splitlines()[-_TURNS:]
                earlier = frozenset().union(*(roots_in(line, language_of(line, locale)) for line in lines))
            roots = roots_in(text, locale)
            yield Sentence(clauses, roots, turn, topic, earlier, lead)
            has_noun = any(p.words and not phrases.is_measure(p) for each in clauses for p in each.clause.phrases)
            turn, topic = turn | roots, roots if has_noun else topic | roots
            lead += text
