"""Entailment: `follows` checks a sentence of an answer against the clauses it cites, by subject, relation and tense."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from engrain.language.antecedents import clauses_of
from engrain.language.calendar import calendar_words
from engrain.language.locales import LOCALES, expression, has, one_of, phrases, union
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, english_roots, people_words, vocabulary
from engrain.language.quantities import has_copula
from engrain.language.query import Question
from engrain.language.questions import Wanted
from engrain.language.reading import Clause, Modality, Tense
from engrain.language.sameness import Speakers, are_opposed, conditions, is_reversed, same_phrase, share_word, to_asker
from engrain.language.segments import is_participle, is_person
from engrain.language.statements import PARTICLES
from engrain.language.tokens import is_stop, stem
from engrain.language.values import is_plain, occupation
from engrain.text import pattern

_LONGEST_VALUE = 4  # words and marks of a sentence that is a bare value
_NUMBERED = pattern(r"[A-ZÀ-Þ][\w-]+ \d{1,3}[a-z]?(?!\w|[.,:]\d)")  # "Mühlweg 12"
_LINKS = {*PARTICLES, *phrases("place_nouns").split("|"), "of", "the"}  # "the Mill district of Graz"
_STATES = frozenset({"lives_in", "works_at", "owner", "status", "located_in", "job_title"})
_FRIENDS = frozenset(map(stem, ("friend", "sibling", "parent", "child", "kid", "baby")))


class Claim(NamedTuple):
    """A claim of an answer: subject, relations and content words; whether it is negated, past, or an end."""

    subject: Phrase | None
    concepts: frozenset[str]
    values: tuple[Word, ...]
    denied: bool = False
    is_past: bool = False
    ends: bool = False
    clause: Clause | None = None
    """The clause of a whole sentence, None for a bare value."""
    states: frozenset[str] = frozenset()


def follows(text: str, question: Question, cited: Sequence[tuple[Clause, Speakers]], verdict: bool | None) -> bool:
    """Return whether every claim of a sentence is compatible with a cited clause on the same subject.

    Args:
        text: The sentence, without a leading yes or no.
        question: The question; it gives the subject and the relation of a sentence that is a bare value.
        cited: The clauses of the cited texts, each with its speakers.
        verdict: True or False for a sentence that begins with yes or no, else None.
    """
    bare = {word for clause in clauses_of(text) for word in clause.words}
    swapped = [clause for clause, by in cited if is_reversed(question, clause, by)]
    if len(bare) <= _LONGEST_VALUE and any(share_word(bare, clause.words) for clause in swapped):
        others = [clause for clause, _ in cited if clause not in swapped and share_word(bare, clause.words)]
        if not others and verdict is None:
            return False  # "Ben" for "Who hired Ana?", where Ana hired Ben
    return all(_is_stated(claim, cited) for claim in _claims(text, question, verdict))


def denies_opposite(text: str, cited: Sequence[tuple[Clause, Speakers]]) -> bool:
    """Return whether a sentence denies the opposite of a state that a cited clause gives: "is not open", "closed"."""
    denied = [clause for clause in clauses_of(text) if clause.negative and clause.subject is not None]
    return any(
        _is_opposite(conditions(claimed.words, claimed.locale), clause)
        and not clause.negative
        and claimed.subject is not None
        and clause.subject is not None
        and same_phrase(to_asker(claimed.subject), clause.subject, by)
        for claimed in denied
        for clause, by in cited
    )


def _is_opposite(some: frozenset[str], clause: Clause) -> bool:
    """Return whether a clause of "to be" gives the opposite of one of the given states: "closed" of "open"."""
    is_state = has_copula(clause) and not has(clause.text[clause.start : clause.stop], "outside")
    return is_state and are_opposed(some, conditions(clause.words, clause.locale))


def _claims(text: str, question: Question, verdict: bool | None) -> Iterator[Claim]:
    """Yield the claims of a sentence; a bare value or yes or no takes its subject and relation from the question."""
    found = [clause for clause in clauses_of(text) if clause.words]
    if not found and verdict is not None and question.wanted is Wanted.YES_NO:
        values = question.rest or (() if question.subject is None else question.subject.words)
        subject = question.subject if question.rest else None
        yield Claim(
            subject,
            _relations(question.concepts),
            values,
            denied=verdict is question.says("negation"),
            is_past=question.past,
            states=conditions(values, question.locale),
        )
    for clause in found:
        if clause.modality is not Modality.CERTAIN:
            continue
        reader = Reader(clause.text[clause.start : clause.stop], clause.locale)  # "Rome", "in Oslo", "1,200 euros"
        is_value = not clause.concepts and (clause.subject is None or len(found) == 1)
        is_value = is_value and not reader.has_verb(0, len(reader.words))
        if is_value and question.subject is not None and not question.asks_subject and question.concepts:
            is_past = question.past or question.earlier
            yield Claim(question.subject, _relations(question.concepts), _values(clause, None), is_past=is_past)
        elif not is_value and (clause.concepts or _is_sentence(clause)):
            yield Claim(
                clause.subject,
                _relations(clause.concepts),
                _values(clause, clause.subject),
                denied=_denies(clause),
                is_past=clause.tense is not Tense.PRESENT,
                ends="over" in clause.concepts,
                clause=clause,
                states=conditions(clause.words, clause.locale) if has_copula(clause) else frozenset(),
            )


def _is_sentence(clause: Clause) -> bool:
    """Return whether a clause surely has a subject: one with an owner, a pronoun, a name, or that of "to be"."""
    subject = clause.subject
    if subject is None or subject.person or subject.owner or is_plain(clause):
        return subject is not None
    reader = Reader(clause.text[clause.start : clause.stop], clause.locale)
    return len(subject.names) == len(subject.words) and not reader.is_verb(0)


def _relations(concepts: Iterable[str]) -> frozenset[str]:
    return frozenset(concepts) - {"change", "over"}


def _values(clause: Clause, subject: Phrase | None) -> tuple[Word, ...]:
    """Return the content words of a clause outside its subject and its relation."""
    small = clause.locale.stop | vocabulary(clause.locale).auxiliaries
    return tuple(
        word
        for word in clause.words
        if word.low[0].isalnum()
        and not (is_stop(word.low) or word.low in small or concepts_of(word, clause.locale))
        and (subject is None or not subject.start <= word.start < subject.stop)
    )


def _is_stated(claim: Claim, cited: Sequence[tuple[Clause, Speakers]]) -> bool:
    """Return whether a cited clause states a claim, or none is on its subject."""
    if not claim.values:
        return True
    if claim.clause is not None and _names_other(claim.clause, [clause for clause, _ in cited]):
        return False
    there = [(clause, by) for clause, by in cited if _is_about(claim, clause) or _is_swapped(claim, clause, by)]
    if there:
        return any(not _disagrees(claim, clause, by) for clause, by in there)
    related = any(claim.concepts & clause.concepts.keys() for clause, _ in cited)
    stating = [c for c, _ in cited if c.concepts or not has(c.text[c.start : c.stop], "reported")]
    known = [word for clause in stating for word in clause.words]
    words = [value for value in claim.values if value.low not in calendar_words() and not value.low[0].isdigit()]
    return claim.denied or not related or not words or share_word(words, known)


def _is_about(claim: Claim, clause: Clause) -> bool:
    """Return whether a clause shares a claim's relation and a word of it, or contains all of its words."""
    if claim.concepts & clause.concepts.keys():
        return share_word(claim.values, clause.words)
    left = [value for value in claim.values if not share_word((value,), clause.words)]
    is_opposite = _is_opposite(claim.states, clause) and all(conditions([word], clause.locale) for word in left)
    if left and not is_opposite:
        return False
    if not claim.concepts:
        return claim.subject is not None and clause.subject is not None
    return bool(clause.concepts) or claim.concepts == {"costs"}


def _disagrees(claim: Claim, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause surely states something incompatible with a claim."""
    if _is_swapped(claim, clause, by) or (claim.clause is not None and _is_of_other_item(claim.clause, clause)):
        return True
    if "change" in clause.concepts and _is_of_other_time(claim, clause):
        return True
    denies = _denies(clause) != _is_opposite(claim.states, clause)
    same_end = (claim.is_past and clause.over) or (claim.ends and "over" in clause.concepts)
    if denies != claim.denied and not (same_end and not clause.negative):
        return True
    if clause.modality in (Modality.POSSIBLE, Modality.ASKED):
        return True
    if not claim.concepts:
        return claim.subject is not None and _is_other(claim.subject, clause, by)
    relations = _relations(clause.concepts)
    if clause.subject is not None and relations and claim.concepts.isdisjoint(relations):
        return True
    is_act = not is_plain(clause) or any(is_participle(word, clause.locale) for word in clause.words)
    if claim.concepts == {"costs"} and not relations & {"costs", "buys"} and is_act:
        return True  # "was repaired for 1,200 euros"
    if not claim.is_past and not denies and clause.tense is not Tense.PRESENT and claim.concepts & relations & _STATES:
        return True
    return claim.subject is not None and _is_other(claim.subject, clause, by)


def _is_swapped(claim: Claim, clause: Clause, by: Speakers) -> bool:
    return claim.clause is not None and is_reversed(claim.clause, clause, by)


def _names_other(claimed: Clause, cited: Sequence[Clause]) -> bool:
    """Return whether a claim has another name than its sources after the same preposition: "my meeting with Jo"."""
    known = [word for clause in cited for word in clause.words]
    new = [p.prep for p in claimed.phrases if p.prep and p.names and not share_word(p.names, known)]
    phrases = [p for clause in cited for p in clause.phrases if p.prep in new and p.names]
    return any(not share_word(p.names, claimed.words) for p in phrases)


def _is_of_other_item(claimed: Clause, clause: Clause) -> bool:
    """Return whether a figure belongs to another item of a clause: "the ticket costs 12 euros and the snack 5"."""
    places = [word.start for word in clause.words if word.low[0].isdigit() and share_word((word,), claimed.words)]
    seams = [word.start for word in clause.words if word.text == "," or word.low in clause.locale.joined]
    subject = () if claimed.subject is None else claimed.subject.words
    found = list[bool]()
    for place in places:
        low = max((seam for seam in seams if seam < place), default=-1)
        part = [word for p in clause.phrases for word in p.words if low < word.start < place]
        is_later = any(share_word((w,), subject) for w in clause.words if any(place < at < w.start for at in seams))
        found.append(bool(part) and (low >= 0 or is_later) and not share_word(part, claimed.words))
    return bool(found) and all(found)


def _denies(clause: Clause) -> bool:
    """Return whether a clause is a negation or an end; "out of scope" is the negation of "in scope"."""
    return (clause.negative or clause.over) != has(clause.text[clause.start : clause.stop], "outside")


def _is_other(claimed: Phrase, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause is surely about another subject than a claim."""
    stated = clause.subject
    if stated is None:
        return False
    if stated.person and claimed.names and claimed.owner is None and by.speaker in ("", by.asker):
        return False  # the user's name may be known from another source
    claimed = to_asker(claimed)
    if any(same_phrase(claimed, phrase, by) for phrase in (stated, *clause.phrases)):
        return False
    if claimed.owner is not None and same_phrase(claimed.owner, stated, by):  # "Ravi has a dog named Kobo"
        return not any(share_word(claimed.words, phrase.words) for phrase in clause.phrases)
    is_here = clause.start <= stated.start < clause.stop
    is_bare = claimed.owner is stated.owner is None and is_here and not share_word(claimed.words[-1:], clause.words)
    is_other = is_bare and _have_other_nouns(claimed, stated)  # "the profit" and "the revenue"
    return is_other or _differ(claimed, stated, by, is_named_there=is_here)


def _differ(claimed: Phrase, stated: Phrase, by: Speakers, *, is_named_there: bool) -> bool:
    """Return whether two unequal phrases surely have different referents; a noun may refer to a named entity."""
    if claimed.person or stated.person or (claimed.names and stated.names and claimed.owner is stated.owner is None):
        return True
    owner, other = claimed.owner, stated.owner
    if owner is None or other is None:
        owned, bare = (stated, claimed) if owner is None else (claimed, stated)
        return owned.owner is not None and same_phrase(bare, owned.owner, by)  # "Lena" and "Lena's ex-husband"
    return not same_phrase(owner, other, by) or (is_named_there and _have_other_nouns(claimed, stated))


def _is_of_other_time(claim: Claim, clause: Clause) -> bool:
    """Return whether a claim gives the value before a change as the present one, or the new one as a former one."""
    text = "" if claim.clause is None else claim.clause.text[0 if claim.subject is None else claim.subject.stop :]
    if has(text, "earlier") or has(text, "former"):
        return _only_around(claim, clause, clause.locale.goals)
    return not claim.is_past and _only_around(claim, clause, clause.locale.sources)


def _have_other_nouns(claimed: Phrase, stated: Phrase) -> bool:
    """Return whether two phrases end in different nouns: "our Q3 profit" and "our Q3 revenue"."""
    one, other = ([word for word in p.words if not word.is_acronym] for p in (claimed, stated))
    return not (share_word(one[-1:], stated.words) or share_word(other[-1:], claimed.words))


def _only_around(claim: Claim, clause: Clause, leads: Collection[str]) -> bool:
    """Return whether a claim has only words of a clause directly after some prepositions: "from Porto to Berlin"."""
    left = [word for p in clause.phrases if p.prep in leads for word in p.words]
    left += [word for before, word in pairwise(clause.words) if before.low in leads]
    figures = [value for value in claim.values if value.low[0].isdigit()]
    found = [word for word in clause.words if share_word(figures or claim.values, (word,))]
    return bool(found) and all(word in left for word in found)


SubjectValue = tuple[frozenset[str], frozenset[str]]
"""The roots of the name of a thing or person, and the roots of its single value at a time."""


@lru_cache(4096)
def place_in(text: str) -> SubjectValue | None:
    """Return the roots of a thing, with its owner, and of its place in a sentence: "my passport is in the safe"."""
    for clause in clauses_of(text):
        locale, be = clause.locale, clause.locale.copulas | clause.locale.past_be | clause.locale.located
        things = [p for p in clause.phrases if not p.prep and p.words]
        is_named = bool(things and things[0].names) and things[0].start == things[0].words[0].start  # not "der Router"
        if clause.negative or not things or is_named or is_person(things[0]):
            continue
        thing, links = things[0], expression("place_prepositions", locale)
        is_other = not locale.change_words.isdisjoint(clause.text[thing.start : thing.stop].lower().split())
        places = [p for p in clause.phrases if p.start > thing.stop and p.words and links.fullmatch(p.prep)]
        between = [w.low for w in clause.words if places and thing.stop <= w.start < places[0].start]
        is_put = any(word.low in locale.placing_verbs for word in clause.words)
        is_there = is_plain(clause) or any(word.low in locale.located for word in clause.words)
        is_stated = (is_put and thing is not clause.subject) or not be.isdisjoint(between)  # not "the key in the safe"
        small = be | locale.prepositions | locale.articles | locale.determiners | locale.now_words
        is_next = (small | locale.change_words | locale.placing_verbs).issuperset(between)
        if places and (is_put or is_there) and is_stated and is_next and not is_other:  # not "the new lamp"
            owners = () if thing.owner is None else thing.owner.words
            return frozenset(w.root for w in (*thing.words, *owners)), frozenset(w.root for w in places[0].words)
    return None


@lru_cache(4096)
def job_in(text: str) -> SubjectValue | None:
    """Return the roots of a person and of the person's job in a sentence: "Ana is a plumber now"."""
    for clause in clauses_of(text):
        subject, is_now = clause.subject, clause.tense is Tense.PRESENT and not (clause.negative or clause.over)
        if subject is None or not (subject.names or subject.person == "me" or is_person(subject)) or not is_now:
            continue
        job = occupation(clause, subject) if clause.modality is Modality.CERTAIN else None
        if job is not None and job.words[-1].low not in union("men", "women"):
            return frozenset(w.root for w in subject.words), frozenset(w.root for w in job.words)
    return None


@lru_cache(4096)
def source_in(text: str) -> SubjectValue | None:
    """Return the roots of a thing and of those it is got from in a sentence: "we get our eggs from Hof Linde"."""
    for clause in clauses_of(text):
        subject, links = clause.subject, expression("source_links", clause.locale)
        if subject is None or subject.person != "me" or clause.negative or clause.over:
            continue
        things = [p for p in clause.phrases if not (p.prep or p.person) and p.words]
        sources = [p for p in clause.phrases if p.names and links.fullmatch(p.prep)]
        if clause.has_phrase("supplied_verbs") and len(things) == 1 and sources:
            return frozenset(w.root for w in things[0].words), frozenset(w.root for w in sources[0].words)
    return None


@lru_cache(4096)
def home_in(text: str) -> SubjectValue | None:
    """Return the speaker and the roots of the road of their home in a sentence: "we live on Mill Lane"."""
    for clause in clauses_of(text):
        is_home = "lives_in" in clause.concepts and clause.subject is not None and clause.subject.person == "me"
        found = _road().search(clause.text, clause.start, clause.stop) if is_home else None
        if found is not None and clause.tense is Tense.PRESENT and not (clause.negative or clause.over):
            return frozenset({"me"}), frozenset(found[0].lower().split())
    return None


@cache
def _road() -> re.Pattern[str]:
    """Return the pattern of the name of a road, by its noun or with a number: "rue du Parc", "Am Ring 3"."""
    apart, joined = one_of(union("road_nouns")), one_of(LOCALES["de"].road_nouns)
    links = one_of(union("articles", "owner_links"))
    before = rf"\b(?i:{apart}) (?:(?i:{links}) ?){{0,2}}[A-ZÀ-Þ]\w+"
    return re.compile(rf"\b[A-ZÀ-Þ]\w+(?: (?i:{apart})|(?i:{joined}))\b|{before}|{_NUMBERED.pattern}")


def gives_role(text: str, names: Collection[str]) -> bool:
    """Return whether a sentence gives a person a role: "my trainee is Tim", "Tim is our coach", not "is a coach".

    `names` are the roots and the words of the name, in lower case.
    """
    relatives = english_roots("men") | english_roots("women") | _FRIENDS
    for clause in clauses_of(text):
        subject = clause.subject
        is_stated = has_copula(clause) or "name" in clause.concepts
        if subject is None or not is_stated or clause.negative or clause.over or not subject.words:
            continue
        named = [w for w in clause.words if not {w.root, w.low}.isdisjoint(names)]
        roles = {p: w for p in (subject, *clause.phrases) for w in p.words if w.root in people_words() - relatives}
        is_name = all(not {w.root, w.low}.isdisjoint(names) for w in subject.words)
        is_of = any(p.owner is not None and p is not subject for p in roles)
        if named and ((subject in roles and named[0] not in subject.words) or (is_name and is_of)):
            return True
    return False


@lru_cache(4096)
def study_in(text: str) -> SubjectValue | None:
    """Return the roots of a person and of their field of study in a sentence: "Ana studies law now"."""
    for clause in clauses_of(text):
        locale, subject, verb = clause.locale, clause.subject, clause.find("studies")
        small = locale.now_words | locale.articles | locale.determiners
        after = [w for w in clause.words if verb is not None and w.start >= verb.end() and w.low not in small]
        is_more = not locale.list_words.isdisjoint(word.low for word in clause.words)  # "now also studies"
        if subject is None or not after or is_more or clause.negative or clause.over:
            continue
        if clause.tense is Tense.PRESENT and after[0].low.isalpha() and after[0].low not in locale.prepositions:
            return frozenset(w.root for w in subject.words) or frozenset({"me"}), frozenset({after[0].root})
    return None


def is_run(words: Sequence[Word], text: str) -> bool:
    """Return whether words are adjacent in a text but for particles and prepositions."""
    between = (text[a.stop : b.start].strip() for a, b in pairwise(words))
    return bool(words) and all(_LINKS.issuperset(each.split()) or not any(map(str.isalnum, each)) for each in between)


SLOTS = (place_in, job_in, home_in, source_in, study_in)
"""The readers of the statements that give a subject its single value of a kind."""


def slot_in(text: str) -> SubjectValue | None:
    """Return the first subject with a single value in a sentence, None without one."""
    return next(filter(None, (read(text) for read in SLOTS)), None)
