"""Parsing of sentences: `clauses_in` returns the `Clause`s with subject, relations, polarity, modality and tense."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from engrain.language.locales import LOCALES, Locale, expression, has_any, one_of, union, word_list
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, is_noun, people_words, vocabulary, with_owners
from engrain.language.segments import (
    Segment,
    asks_hearer,
    is_comparison,
    is_participle,
    is_person,
    is_someone,
    means_other,
    stated_segments,
    stated_subject,
)
from engrain.language.tokens import PAST_FORMS
from engrain.text import pattern

LONGEST = 600  # characters of the longest sentence that is parsed
_SHORTEST_QUESTION = 3  # words: "isn't it?" turns the previous clause into a question
_STOPS = (",", ";", ":", "–", "—", "-", "¿")
_SHORT_REPORT, _LONGEST_REMARK = 3, 6  # words: "Nora says so"
_NO_MODIFIERS = frozenset({"age", "born", "married_to"})
_LETTERS = pattern(r"[^\W\d_]+")
_OF_OTHER = pattern(r"['’]s?\s+(?:is|are|was|were)\b")
_OWNS_UNSAID = pattern(r"['’]s?\W*(?:$|[,;])")  # "the 14th is my aunt's"
_STATES = frozenset("lives_in works_at located_in owner drinks eats costs".split())


class Modality(StrEnum):
    """How certain the statement of a clause is."""

    CERTAIN = "certain"
    POSSIBLE = "possible"  # assumed, hoped, planned, conditional
    REPORTED = "reported"
    ASKED = "asked"


class Tense(StrEnum):
    """The time that a clause refers to."""

    PRESENT = "present"
    PAST = "past"
    FUTURE = "future"


class Clause(NamedTuple):
    """A part of a sentence with one verb.

    `subject` is None where unknown. `concepts` maps the relations of its words to "" for a statement, "+" for a change.
    `excluded` are the spans that a contrast excludes: "not on Monday". `over` is True for a state that has ended.
    """

    text: str
    start: int
    stop: int
    locale: Locale
    words: tuple[Word, ...]
    phrases: tuple[Phrase, ...]
    subject: Phrase | None
    concepts: Mapping[str, str]
    negative: bool = False
    over: bool = False
    modality: Modality = Modality.CERTAIN
    tense: Tense = Tense.PRESENT
    excluded: tuple[tuple[int, int], ...] = ()

    def find(self, field: str) -> re.Match[str] | None:
        """Return the first match of the phrases of a field in the clause, in its own language, or None."""
        return expression(field, self.locale).search(self.text, self.start, self.stop)

    def has_phrase(self, field: str) -> bool:
        """Return whether the clause contains a phrase of a field, in its own language."""
        return self.find(field) is not None

    def is_planned(self) -> bool:
        """Return whether its only uncertainty is that it is a plan: "We plan to launch in May"."""
        if self.modality is not Modality.POSSIBLE:
            return False
        plans = expression("plans", self.locale)
        doubts = list(expression("uncertain", self.locale).finditer(self.text, self.start, self.stop))
        return bool(doubts) and all(plans.fullmatch(each[0]) for each in doubts)

    def about(self, topic: Phrase, before: Clause) -> Clause:
        """Return it with a topic of the previous clause in place of its opening pronoun, or of an omitted subject."""
        is_bare = self.words[0].low in self.locale.copulas | {"c'"}  # "Es el 18 de julio", "C'est le 18 juillet"
        is_own = expression("own_pronouns", self.locale).match(self.text, self.start) is not None  # "Hers is the 12th"
        if opening_pronoun(self) is None and not (is_own or (is_bare and not self.locale.has_base_verbs)):
            return self
        if topic.owner is not None and topic.words and topic.words[-1].low in self.locale.day_nouns:
            topic = topic.owner  # "la fecha de la boda"
        asked = {name: "" for word in topic.words for name, _ in concepts_of(word, self.locale)}
        subject = topic.owner if asked and topic.owner is not None else topic._replace(prep="")  # the birthday's owner
        return self._replace(subject=subject, concepts={**asked, "change": "", **before.concepts, **self.concepts})


def joined_subjects(clause: Clause) -> list[Phrase]:
    """Return all people in the subject of a clause: "Ana and Ben live in Rome"."""
    found = list(clause.phrases[:1])
    for phrase in clause.phrases[1:] if found and is_someone(found[0]) and not found[0].prep else ():
        between = clause.text[found[-1].stop : phrase.start].strip(" ,").lower()
        if between in clause.locale.joined and is_someone(phrase) and not phrase.prep:
            found.append(phrase)
    return found if clause.subject in found else []


def _is_joined(reader: Reader, segment: Segment, before: Clause, clause: Clause) -> bool:
    """Return whether the previous segment is only another subject of a clause."""
    one, other = before.subject, clause.subject
    if one is None or other is None or segment.opener not in clause.locale.joined or clause.negative:
        return False
    named = {word.start for phrase in with_owners(one) for word in phrase.words}
    is_bare = all(word.start in named or word.low in reader.known.determiners for word in before.words)
    is_own = other.owner is not None and other.owner.person == "they"  # "Ben and his family"
    are_names = all(p.names == p.words and p.owner is None for p in (one, other))  # "Lucian and Perpetua", unknown ones
    is_alike = is_own or are_names or is_someone(one) == is_someone(other)
    is_alike = is_alike and not _is_singular(clause.words, other, clause.locale)
    is_next = other.start < clause.start + len("unsere ") and "," not in before.text[before.stop : clause.start]
    return is_bare and is_alike and is_next


def _of_each_subject(reader: Reader, segment: Segment, clause: Clause, found: list[Clause]) -> list[Clause]:
    """Return one clause for each part of a joint subject; a previous clause that is only a subject is completed."""
    is_joined = bool(found) and _is_joined(reader, segment, found[-1], clause)
    either = expression("either", clause.locale)
    joints = (clause.text[one.stop : p.words[0].start].strip() for one, p in pairwise(clause.phrases[:2]) if p.words)
    is_choice = any(map(either.fullmatch, joints if clause.subject in (None, *clause.phrases[:1]) else ()))
    if is_choice or (is_joined and either.fullmatch(segment.opener)):  # "Tom or Eva works at Shell"
        clause = clause._replace(modality=max(clause.modality, Modality.POSSIBLE, key=RANK.index))
    if is_joined:
        found[-1] = clause._replace(subject=found[-1].subject)  # "The salt | and the pepper are here"
    others = joined_subjects(clause)
    verb = next((at for at, word in enumerate(reader.words) if others and word.start >= others[-1].stop), -1)
    is_base = clause.locale.has_base_verbs and reader.words[verb].low in clause.locale.verbs
    has_verb = verb >= 0 and (is_base or reader.is_verb(verb))
    others = [p for p in others if has_verb and p is not clause.subject]
    if others and _is_singular(reader.words, max(others, key=lambda other: other.stop), clause.locale):
        return [clause._replace(subject=None)]  # "Ana and Ben's sister lives in Rome" is ambiguous
    return [*(clause._replace(subject=other) for other in others), clause]


def _is_singular(words: Sequence[Word], subject: Phrase, locale: Locale) -> bool:
    """Return whether the verb after a subject is an English singular: "lives", not "live"."""
    verb = next((word.low for word in words if word.start >= subject.stop and word.low.isalpha()), "")
    return locale.has_base_verbs and verb.endswith("s") and not verb.endswith("ss")


@lru_cache(1024)
def clauses_in(sentence: str, locale: Locale) -> tuple[Clause, ...]:
    """Return the clauses of one sentence, in order."""
    reader = Reader(sentence, locale)
    found: list[Clause] = []
    matrix = _Matrix()
    conditions = [reader.words[1].start] if len(reader.words) > 1 and reader.words[0].low in locale.if_words else []
    for segment in stated_segments(reader):
        is_after_aside = len(found) > 1 and sentence[: reader.words[segment.low].start].rstrip().endswith(")")
        clause = _clause(reader, segment, found[-1 - is_after_aside] if found else None)
        clause = _with_verb_of(reader, clause, found[-1]) if segment.gapped and found else clause
        clause = _of_dislocated(reader, segment, clause, found)
        denied = _with_elided_verb(reader, segment, clause, found)
        if denied is not clause:
            clause = denied
        elif segment.tail and clause.negative and not clause.concepts and found:
            before = found[-1]  # ", not on Monday"
            found[-1] = before._replace(excluded=(*before.excluded, (clause.start, clause.stop)), stop=clause.stop)
            continue
        elif clause.negative and not (clause.concepts or clause.phrases) and found and found[-1].phrases:
            before, last = found[-1], found[-1].phrases[-1]  # "Ich esse Fisch, Fleisch aber nicht"
            if sentence[: last.start].rstrip().endswith(","):
                found[-1] = before._replace(excluded=(*before.excluded, (last.start, last.stop)))
        clause = _after_relative(reader, segment, clause, found)
        relative = _relative(reader, segment, found)
        reported = segment.opener in locale.that_words and relative is None
        clause = clause if relative is None else _of_antecedent(clause, relative, found[-1], matrix)
        is_main = segment.opener == "" or segment.opener in reader.known.determiners  # "die Fähre ..."
        if reported or (found and is_main and _is_remark(found[-1])):  # "I think, ..."
            clause = matrix.of(clause)
        clause = _continued(reader, segment, clause, found)
        if not locale.when_words.isdisjoint((segment.opener, reader.words[segment.low].low)):  # "when I moved to Lyon"
            clause = clause._replace(tense=Tense.PAST)
        if segment.opener in locale.if_words and not (found and reported):
            conditions.append(clause.start)
        matrix = _matrix(clause)
        leads = sentence[clause.stop :].lower().split()[:1]  # "and Nora says that ...", "so I can study there"
        is_own = segment.opener in locale.joined and (len(clause.words) > _SHORT_REPORT or {*leads} & locale.that_words)
        is_own = is_own or segment.opener in locale.so_words
        if found and not (reported or is_own) and _weakens(clause, matrix):  # "..., Nora says", "..., I'm not sure"
            found[-1] = found[-1]._replace(modality=max(found[-1].modality, matrix.modality, key=RANK.index))
        found += _of_each_subject(reader, segment, clause, found)
    return tuple(_of_sentence(found, sentence, conditions))


def _continued(reader: Reader, segment: Segment, clause: Clause, found: Sequence[Clause]) -> Clause:
    """Return a clause as uncertain as the dependent one that it continues: "whether she sells it and moves to Rome"."""
    locale = reader.locale
    if not found or segment.opener not in locale.joined:
        return clause
    led = clause.text[: found[-1].start].lower().split()[-1:]
    has_own = clause.subject is not None and clause.subject.start >= clause.start
    is_main = locale.has_noun_capitals and reader.is_verb(segment.low)
    first = next((word.low for word in clause.words if word.low not in locale.infinitive_marks), "")
    is_led = not (locale.that_words | locale.if_words).isdisjoint(led)
    is_led = is_led or expression("infinitive_form", locale).fullmatch(first) is not None
    if has_own or is_main or not is_led:
        return clause
    return clause._replace(modality=max(clause.modality, found[-1].modality, key=RANK.index))


def _states_thing(words: Sequence[Word], subject: Phrase | None, locale: Locale) -> bool:
    """Return whether the words state a condition or location of a thing, which an "if you ask" does not qualify."""
    is_thing = subject is None or not (subject.person or is_person(subject))
    return is_thing and any(word.low in locale.copulas | locale.located for word in words)


def _is_uncertain(text: str, words: Sequence[Word], subject: Phrase | None, locale: Locale) -> bool:
    """Return whether a clause has words of doubt; "if you ask" is none where the clause states a thing's condition."""
    first = expression("uncertain", locale).search(text)
    is_condition = first is not None and first[0].lower().split()[-1] in locale.if_words
    if first is None or not (is_condition and _states_thing(words, subject, locale)):
        return first is not None
    return expression("if_asked", locale).match(text[first.end() :].lstrip()) is None


def _of_sentence(found: list[Clause], sentence: str, conditions: Sequence[int]) -> list[Clause]:
    """Return the clauses with the modality that their sentence gives them: a correction, a question, `conditions`."""
    locale = found[0].locale if found else LOCALES["en"]
    if expression("topic_wrong", locale).search(sentence) is not None:
        found = _of_topic(found)
    elif conditions or expression("wrongly_stated", locale).search(sentence) is not None:
        sure = bool(conditions) and all(map(partial(expression("if_asked", locale).match, sentence), conditions))
        found = [  # the corrected value is extracted by `facts`
            each
            if (sure and _states_thing(each.words, each.subject, locale)) or _is_unconditional(each, found, conditions)
            else each._replace(modality=Modality.POSSIBLE)
            for each in found
        ]
    if (source := expression("attributed", locale).search(sentence)) is not None:  # "according to Nora"
        beside = [
            p
            for each in found
            for p in each.phrases
            if source.end() + 1 in (p.start, *(word.start for word in p.words)) or p.stop + 1 == source.start()
        ]
        if any(p.person == "they" or is_person(p) for p in beside):
            found = [each._replace(modality=max(each.modality, Modality.REPORTED, key=RANK.index)) for each in found]
    if any("+" in each.concepts.values() for each in found):
        found = [_without_return(each) for each in found]
    if any(each.over for each in found[:-1]) and found[-1].has_phrase("resumes"):  # "quit in May but started again"
        found = [each._replace(modality=Modality.POSSIBLE) if each.over else each for each in found]
    if sentence.rstrip(" \"'”»)").endswith(("?", "？")):
        asked = _first_asked(found)
        found = [each if at < asked else each._replace(modality=Modality.ASKED) for at, each in enumerate(found)]
    return found


def _without_return(clause: Clause) -> Clause:
    """Return a clause without a move that its sentence states to be over: "moved to Leeds and is back in Hull"."""
    has_returned = expression("returned", clause.locale).search(clause.text, clause.stop) is not None
    kept = {name: mark for name, mark in clause.concepts.items() if not (has_returned and mark == "+")}
    return clause._replace(concepts=kept)


def _is_unconditional(clause: Clause, found: Sequence[Clause], conditions: Sequence[int]) -> bool:
    """Return whether a present state precedes a conditional clause: "I live here and I swim if it rains"."""
    is_state = clause.tense is Tense.PRESENT and "change" not in clause.concepts and "+" not in clause.concepts.values()
    first = min(conditions, default=0)
    if is_state and "name" in clause.concepts and clause.stop <= first:
        return True  # "I run a café called Le Ponton, forty seats if nobody brings a pram"
    led = clause.text[clause.stop : first].lower().replace(",", " ").split()  # "has an exam, and if she passes"
    if is_state and led[:-1] and led[-1] in clause.locale.if_words and clause.locale.joined.issuperset(led[:-1]):
        return True
    after = [each for each in found if clause.stop <= each.start and each.stop <= first]
    return is_state and any(each.subject is not None and each.subject.start >= each.start for each in after)


def _of_topic(found: list[Clause]) -> list[Clause]:
    """Return the clauses of a correction, applied to the topic that it names: "I got dad's birthday wrong, ..."."""
    topic = topic_of(found)
    wrong = next((at for at, each in enumerate(found) if each.has_phrase("topic_wrong")), len(found) - 1)
    end = wrong + 1 if topic is None else found.index(topic[1]) + 1  # "I got that wrong, the concert is on the 3rd"
    first = [each._replace(modality=Modality.POSSIBLE) for each in found[:end]]
    return first + [each if topic is None else each.about(*topic) for each in found[end:]]


def topic_of(found: Sequence[Clause]) -> tuple[Phrase, Clause] | None:
    """Return the last object of the first clause that has one, as the topic of a correction, and that clause."""
    named = ((p, each) for each in found for p in reversed(each.phrases) if p.words and p is not each.subject)
    return next(named, None)


def _of_dislocated(reader: Reader, segment: Segment, clause: Clause, found: Sequence[Clause]) -> Clause:
    """Return a clause with the dislocated phrase before it as subject: "Le code du portail, c'est 4471"."""
    topic = found[-1].phrases[-1] if found and found[-1].phrases else None
    opens = [word.low for word in clause.words[:2]]
    taken_up = {*reader.known.third, *reader.locale.that_words, *reader.locale.pointing}
    is_taken_up = opens[0] in reader.known.be or (opens[0] in taken_up and opens[-1] in reader.known.be)
    if topic is None or segment.opener or not topic.words or not is_taken_up:
        return clause
    start, stop = min(each.start for each in with_owners(topic)), max(each.stop for each in with_owners(topic))
    opens_here = reader.text[:start].rstrip()[-1:] in ("", ":", ",", ";")
    if not opens_here or reader.text[stop : clause.start].strip() != ",":
        return clause
    named = dict.fromkeys(part_names(topic, clause.locale), "")
    subject = topic.owner if named and topic.owner is not None else topic  # "my brother's name, it's Lucas"
    return clause._replace(subject=subject, concepts={**named, **clause.concepts})


def _first_asked(found: Sequence[Clause]) -> int:
    """Return the index of the first clause that asks in a question: "She missed the lesson, what do I say?"."""
    for at, clause in enumerate(found):
        opens, before = clause.words[0].low, clause.text[: clause.start].rstrip()
        auxiliaries = expression("question_auxiliaries", clause.locale)
        asks = opens in clause.locale.question_words or auxiliaries.match(clause.text, clause.start) is not None
        is_tag = sum(word.low.isalnum() for each in found[at:] for word in each.words) < _SHORTEST_QUESTION
        if (asks or asks_hearer(clause.words, before)) and (not at or (not is_tag and before.endswith(_STOPS))):
            return at
    return 0


def _is_former(text: str, locale: Locale) -> bool:
    """Return whether a clause states a former state: "until 2015", not "runs until 2037"."""
    found = expression("former", locale).search(text)
    if found is None or not any(found[0].lower().startswith(word) for word in locale.until.split("|")):
        return found is not None
    return expression("past_tense", locale).search(text) is not None


def _with_elided_verb(reader: Reader, segment: Segment, clause: Clause, found: Sequence[Clause]) -> Clause:
    """Return a verbless negation completed from the previous clause: "I eat fish but no meat"."""
    first = reader.words[segment.low]
    if found and _denies_alone(clause, found[-1]):  # "Ada is vegan, I'm not"
        subjects = {w.start for p in (found[-1].subject, *found[-1].phrases[:1]) if p is not None for w in p.words}
        stated = (word for word in found[-1].words if word.start not in subjects)
        return clause._replace(concepts=found[-1].concepts, words=(*clause.words, *stated))
    if not found or first.low not in reader.locale.negated or reader.has_verb(segment.low + 1, segment.high):
        return clause
    before = found[-1]
    is_bare = not clause.concepts and not before.negative and before.modality is Modality.CERTAIN
    if not is_bare or not before.subject:
        return clause
    at = {word.start: place for place, word in enumerate(reader.words)}
    stating = tuple(word for word in before.words if _states(word, before))
    verbs = stating or tuple(word for word in before.words if word.start in at and reader.is_verb(at[word.start]))
    return clause._replace(subject=before.subject, concepts=before.concepts, words=(*verbs, *clause.words))


def _with_verb_of(reader: Reader, clause: Clause, before: Clause) -> Clause:
    """Return a clause without a verb, completed with the verb of the previous clause."""
    at = {word.start: place for place, word in enumerate(reader.words)}
    verbs = tuple(w for w in before.words if _states(w, before) or (w.start in at and reader.is_verb(at[w.start])))
    kept = {name: getattr(before, name) for name in ("concepts", "negative", "over", "modality", "tense")}
    first = clause.phrases[0]
    subject = first._replace(words=tuple(word for word in first.words if not word.text.isdigit()))
    return clause._replace(subject=subject, words=(*verbs, *clause.words), **kept)


def _denies_alone(clause: Clause, before: Clause) -> bool:
    """Return whether a clause only negates the previous statement for another subject: "Ada is vegan, I'm not"."""
    locale = clause.locale
    small = locale.copulas | locale.auxiliaries | locale.do_words | locale.negated | locale.joined | {"n't"}
    named = {word.start for phrase in clause.phrases for word in phrase.words}
    bare = all(w.low in small | locale.subjects or w.start in named or not w.low.isalnum() for w in clause.words)
    is_other = clause.subject is not None and len(clause.phrases) == 1 and clause.subject in clause.phrases
    is_stated = not before.negative and before.modality is Modality.CERTAIN
    return clause.negative and bare and is_other and is_stated and not clause.concepts


def _states(word: Word, clause: Clause) -> bool:
    return any(name in clause.concepts for name, _ in concepts_of(word, clause.locale))


def _of_antecedent(clause: Clause, relative: Phrase, before: Clause, matrix: _Matrix) -> Clause:
    """Return a relative clause about its antecedent, as sure as the cleft before it: "it wasn't Ida who called"."""
    clause = clause._replace(subject=relative)
    found = expression("it_is", clause.locale).search(clause.text[before.start : relative.start].rstrip())
    return clause if found is None else matrix._replace(negative=before.negative).of(clause)


def _relative(reader: Reader, segment: Segment, found: Sequence[Clause]) -> Phrase | None:
    """Return the antecedent of a relative clause: "I have a sister, Ada, who lives in Rome"."""
    locale, words = reader.locale, reader.words
    if (
        not found
        or segment.opener not in locale.relatives
        or words[segment.low].low in locale.he_words | locale.she_words
    ):
        return None  # "in Cork, where she works"
    last = max((at for at in range(segment.low, segment.high) if words[at].low.isalpha()), default=segment.low)
    own = any(not phrase.prep for phrase in reader.phrases(segment.low, segment.high))
    own = own and ("name", "") not in concepts_of(words[last], locale)  # "der Wastl heißt"
    ends_in_verb = locale.has_noun_capitals and reader.is_verb(last) and not own  # "die in Rom wohnt"
    first = segment.low
    while first < last and words[first].low in reader.known.third | reader.locale.reflexives:
        first += 1  # "qui s'appelle Milo"
    if not (reader.is_verb(first) or ends_in_verb):
        return None
    before = found[-1]
    near = before.phrases[-1] if before.phrases else None
    if near is None or near.person or not near.words:
        return None
    is_company = locale.has_noun_capitals and near.prep in locale.company_words and not is_noun(near.words[-1], locale)
    if before.stop - near.stop > 1 and (not is_company or " " in reader.text[near.stop : before.stop].strip(" ,")):
        return None  # but "ist mit Luis zusammen, der ist Lehrer"
    heads = [p for p in before.phrases[:-1] if p is not before.subject and not (p.prep or p.person)]
    between = reader.text[heads[-1].stop : near.words[0].start].split() if heads else []
    if near.prep in locale.place_links and between == [near.prep]:
        near = heads[-1]  # "a bakery in Gent, which opens at 7"
    if locale.has_noun_capitals and not (is_person(near) or ends_in_verb or is_company):
        return None  # "Henning kommt aus Kassel, der ist Lehrer"
    if words[segment.low - 1].low != segment.opener:
        return None
    has = near.owner is None and near is not before.subject and any(word.low in locale.have for word in before.words)
    has = has and "," not in reader.text[before.start : near.start]  # not "Ann, who has two boys, and Ben, who ..."
    return near._replace(owner=before.subject) if has else near  # "Ben has a daughter who lives in Rome"


def _after_relative(reader: Reader, segment: Segment, clause: Clause, found: Sequence[Clause]) -> Clause:
    """Return a clause whose verb follows a relative clause, with its own subject: "The friend Mia saw lives here"."""
    locale, subject, is_verbal = reader.locale, clause.subject, reader.is_verb(segment.low)
    heads = [(each is found[-1], head) for each in found[-2:] if (head := _bare_head(reader, each)) is not None]
    is_next, head = heads[-1] if heads else (False, None)
    is_relative = is_next and segment.opener in locale.relatives | locale.that_words
    is_after = bool(heads) and not is_next and is_verbal and subject == found[-1].subject  # "..., die Mia sah, wohnt"
    if subject is not None and (is_after or (is_relative and _has_two_verbs(reader, segment))):
        return clause._replace(subject=head)
    if subject is None or not locale.has_base_verbs or not (subject.names and subject.words[0].text.islower()):
        return clause
    is_led = clause.text[clause.start : subject.words[0].start].strip().lower() in locale.articles
    if not is_led or not _has_two_verbs(reader, segment):
        return clause
    return clause._replace(subject=subject._replace(words=tuple(w for w in subject.words if not w.has_capital)))


def _bare_head(reader: Reader, clause: Clause) -> Phrase | None:
    """Return the phrase that ends a clause without a verb: "The friend"."""
    places = (at for at, word in enumerate(reader.words) if clause.start <= word.start < clause.stop)
    last = next(reversed(clause.phrases), None)
    is_head = last is not None and last.stop == clause.stop and clause.text[last.stop : last.stop + 1] != ":"
    return last if is_head and not any(map(reader.is_verb, places)) else None


def _has_two_verbs(reader: Reader, segment: Segment) -> bool:
    """Return whether a verb, with or without a preposition behind it, is followed by another one: "saw lives"."""
    words, links = reader.words, reader.locale.prepositions
    for at in range(segment.low + 1, segment.high - 1):
        after = at + 1 + (words[at + 1].low in links and at + 2 < segment.high)
        is_first = reader.is_verb(at) or words[at - 1].low in reader.locale.perfect
        if is_first and words[at].low not in reader.known.auxiliaries and reader.is_verb(after):
            return not is_participle(words[after], reader.locale) and words[after].low not in reader.locale.have
    return False


RANK = [Modality.CERTAIN, Modality.REPORTED, Modality.POSSIBLE, Modality.ASKED]  # in order of decreasing certainty


class _Matrix(NamedTuple):
    """The modality and polarity that a clause gives to its dependent: "Nora says that", "it is not true that"."""

    modality: Modality = Modality.CERTAIN
    negative: bool = False

    def of(self, clause: Clause) -> Clause:
        """Return a dependent clause with this modality and polarity."""
        modality = clause.modality if self.modality is Modality.CERTAIN else self.modality
        return clause._replace(modality=modality, negative=clause.negative != self.negative)


def _reports(text: str, subject: Phrase | None, locale: Locale) -> bool:
    """Return whether a clause reports a statement of someone other than its speaker."""
    return expression("reported", locale).search(text) is not None and (subject is None or subject.person != "me")


def _matrix(clause: Clause) -> _Matrix:
    text, locale = clause.text[clause.start : clause.stop], clause.locale
    reports = clause.modality is Modality.CERTAIN and _reports(text, clause.subject, locale)
    modality = Modality.REPORTED if reports else clause.modality
    return _Matrix(modality, expression("untrue", locale).search(text) is not None)


def _weakens(clause: Clause, matrix: _Matrix) -> bool:
    """Return whether a clause makes the previous one less certain."""
    if clause.words[0].low in clause.locale.question_words:
        return False  # "..., how do you say that?"
    if clause.modality is Modality.CERTAIN:
        return matrix.modality is Modality.REPORTED and not clause.concepts
    rest = clause.text[clause.stop :].lower().split()
    first = rest[0].rstrip(",") if rest else ""
    is_object = first not in clause.locale.joined | clause.locale.demonstratives and len(rest) > 1 and rest[0].isalpha()
    return _is_remark(clause) and not is_object and first not in clause.locale.that_words  # "I guess Ben put it there"


def _is_remark(clause: Clause) -> bool:
    """Return whether a clause only gives the speaker's certainty, of nothing that it names: not "I hope I pass"."""
    subject = clause.subject
    if subject is None or subject.person != "me" or clause.concepts or len(clause.words) > _LONGEST_REMARK:
        return False
    others = [p for p in clause.phrases if p.start > subject.start and not p.prep]
    return not any(p.names or p.owner or p.person in ("me", "you") for p in others)


def _is_negated(words: Sequence[Word], text: str, locale: Locale) -> bool:
    """Return whether words have a negation, not in a tail, "allergique aux noix, donc jamais ...", nor "ne que"."""
    ends = (at for at, (a, b) in enumerate(pairwise(words)) if a.text == "," and b.low in locale.so_words)
    negations = [w for w in words[: next(ends, len(words))] if w.low in locale.negated or w.low == "n't"]
    return bool(negations) and not (len(negations) < 2 and locale.restricts and has_any(text, "restricts"))


def _clause(reader: Reader, segment: Segment, before: Clause | None) -> Clause:
    locale, phrases = reader.locale, reader.phrases(segment.low, segment.high)
    phrases = [p for p in phrases if p.prep or p is phrases[0] or not _OWNS_UNSAID.match(reader.text, p.stop)]
    ends = {each.stop for phrase in phrases for each in with_owners(phrase.owner)}  # where "'s" is a possessive
    here = reader.words[segment.low : segment.high]
    words = tuple(each._replace(low="’s") if each.low == "'s" and each.start in ends else each for each in here)
    text = reader.text[words[0].start : words[-1].stop]
    concepts = _concepts(reader, segment, phrases)
    negative = _is_negated(words, text, locale)
    if "dislikes" in concepts:
        concepts["likes"], negative = "", not negative
    gone = expression("no_longer", locale).search(text) is not None
    is_state = any(word.low in reader.known.be or word.low in locale.become for word in words)  # "is cancelled"
    over = (
        gone
        or ("over" in concepts and not is_state and not concepts.keys() & {"change", "status"})
        or (_is_former(text, locale) and "change" not in concepts and not ("+" in concepts.values() and not is_state))
    )
    subject = stated_subject(reader, segment, phrases) or _appositive(reader, segment, before)
    modality = Modality.POSSIBLE if _is_uncertain(text, words, subject, locale) else Modality.CERTAIN
    if concepts and _reports(text, subject, locale) and modality is Modality.CERTAIN:
        modality = Modality.REPORTED
    opens = reader.is_verb(segment.low) and words[0].low not in locale.now_words
    if before is not None and opens and (subject is None or subject.person != "me"):
        subject = None  # "... and lives in Oslo"
    if subject is None and before is not None and concepts.keys() == {"name"} and is_participle(words[0], locale):
        subject = _participle_subject(before)
        before = before if subject else None
    before = None if words[0].low in locale.nothing_words else before  # "..., but nothing's booked"
    if (subject is None or (segment.tail and not negative)) and before is not None:
        subject = None if before.subject is None else renamed(before, before.subject)
    subject = _of_bare_owner(reader, phrases, subject, before)
    if before is not None and subject is before.subject and concepts.keys() == {"age"} and not is_state:
        subject = None if any(p.names and p != subject for p in before.phrases) else subject  # "lost against Ana, 12"
    is_pronoun = is_state and subject is not None and subject.person == "they"
    pointing = is_pronoun and before is not None and (before.negative or before.over)
    if before is not None and before.over and subject is not None and is_infinitive(words, locale):
        subject, over = before.subject, True  # "hat aufgehört, Kaffee zu trinken"
    if before is not None and (segment.tail or pointing) and not concepts:
        concepts = {} if pointing and before.concepts.keys() == {"over"} else {**before.concepts}
        subject = before.subject
        modality = max(modality, before.modality, key=RANK.index)
    if not concepts.keys() - {"owner"} and is_state and subject and _states_role(words, phrases, subject, locale):
        concepts = {**concepts, "works_at": "", "job_title": ""}  # "is the coordinator at Lumen"
    clause = Clause(
        reader.text,
        words[0].start,
        words[-1].stop,
        locale,
        words,
        tuple(phrases),
        subject,
        concepts,
        negative=negative and not gone,
        over=over,
        modality=modality,
        tense=_tense(reader, segment, concepts),
    )
    clause = _of_attribute(_of_object(_of_changed(clause, before), phrases))
    return clause._replace(over=True) if {"over", "allergic_to"} <= clause.concepts.keys() else clause  # "is gone"


def _of_changed(clause: Clause, before: Clause | None) -> Clause:
    """Return a clause with a new value, about the thing that the previous clause changes: "..., it's 3 May now"."""
    locale, subject, lows = clause.locale, clause.subject, {word.low for word in clause.words}
    is_bare = subject is None or subject.start < clause.start or subject.person == "they"
    is_new = not (lows.isdisjoint(locale.change_words) or lows.isdisjoint(locale.copulas))
    if before is None or not (is_bare and is_new) or "change" not in before.concepts:
        return clause
    is_pronoun = clause.words[0].low in locale.he_words | locale.she_words  # "changed her job, she is a nurse now"
    may_be = is_pronoun and before.subject is not None and is_person(before.subject)
    things = [p for p in before.phrases if p.words and not p.prep and not is_person(p)]
    is_of_thing = bool(things) and not (may_be and not any(map(str.isdigit, clause.text[clause.start : clause.stop])))
    return clause._replace(subject=things[-1], concepts={"change": "", **clause.concepts}) if is_of_thing else clause


def _participle_subject(before: Clause) -> Phrase | None:
    """Return the phrase that a participle names: "runs a shop in Rome, called Lumen", "is a beagle, called Rex"."""
    is_named = before.subject is not None and any(word.low in before.locale.copulas for word in before.words)
    nouns = [p for p in before.phrases if not p.person and not p.names and p is not before.subject]
    return before.subject if is_named else nouns[0] if len(nouns) == 1 else None


def _states_role(words: Sequence[Word], phrases: Sequence[Phrase], subject: Phrase, locale: Locale) -> bool:
    """Return whether a clause states a role and an employer: "is a designer at Lumen"."""
    place = next((p for p in phrases if p.prep in locale.work_links and p.names), None)
    if place is None:
        return False
    nouns = [word for word in words if word.stop <= place.start][-2:-1]
    known = locale.now_words | locale.prepositions | locale.articles | locale.copulas | locale.past_be | locale.negated
    is_bare = bool(nouns) and nouns[0].text.islower() and nouns[0].low not in known
    if is_bare and not is_person(place) and (locale.has_bare_roles or nouns[0].low in locale.professions):
        return True  # "est ingénieur chez Airbus"
    noun = next((p for p in phrases if p is not subject and not p.prep and p.words), None)
    before = [w.low for w in words if noun is not None and w.stop < noun.start]
    does = locale.has_base_verbs and any(low.endswith("ing") for low in before)  # "am doing a year at ..."
    return noun is not None and noun.start < place.start and not does


def _concepts(reader: Reader, segment: Segment, phrases: Sequence[Phrase]) -> dict[str, str]:
    """Return the relations that the words of a clause express, without those of other owners."""
    roles = [p for p in phrases[1:] if p.owner is not None and p.owner.names and not (p.prep or is_person(p.owner))]
    is_named = bool(roles) and bool(phrases[0].names) and len(phrases[0].names) == len(phrases[0].words)
    roles = [p for p in roles if is_named or is_person(phrases[0])]  # "Ana is the owner of Heron"
    owned = [p for p in phrases if p.owner is not None and p not in roles]
    known, words = reader.known, reader.words
    here = words[segment.low : segment.high]
    text = reader.text[here[0].start : here[-1].stop]
    names_month = not reader.locale.months.keys().isdisjoint(_LETTERS.findall(text.lower()))
    is_born = names_month and _comes_of_age(reader.locale).search(text) is not None  # "Lea turns nine on 4 May"
    found = {"born": ""} if is_born else dict[str, str]()
    is_done = not reader.locale.has_noun_capitals and any(p.prep in reader.locale.agents and p.names for p in phrases)
    is_done = is_done and any(word.low in known.be for word in here)  # "is run by Yann"
    is_led = any(p.owner is None and _is_of_project(p, reader.locale) for p in phrases)
    by_person = reader.locale.has_base_verbs and bool(phrases) and (bool(phrases[0].person) or is_person(phrases[0]))
    off = "" if is_done or is_led or (by_person and any(map(_is_named_thing, phrases[1:]))) else "*"  # "runs Falcon"
    off += "" if any(each.low in reader.locale.obligations for each in here) else "!"
    has = owns(here, reader.locale) or any(word.low in known.be | reader.locale.receives for word in here)
    for at in range(segment.low, segment.high):
        word = words[at]
        if word.text[0].isupper() and at > segment.low and not reader.locale.has_noun_capitals:
            continue
        is_adjective = not is_done and at > 0 and words[at - 1].low in reader.locale.copulas and word.low == word.root
        for predicate, mark in _concepts_of(word, phrases, reader):
            if (mark and mark in off) or (predicate == "likes" and is_comparison(reader, at)):
                continue  # "runs a marathon", "was ready on Friday", "looks like rain"
            if mark == "=" and (not has or any(p.start <= word.start < p.stop for p in owned)):
                continue
            has_verb = bool(found) or any(reader.is_verb(place) for place in range(segment.low, at))
            if has_verb and word.low in reader.locale.role_links:
                continue  # "trabajo como jefa"
            if means_other(predicate, mark, reader, at, phrases):
                continue  # "the flight leaves", "my left knee", "before work", "started swimming"
            if is_adjective and predicate in _STATES and reader.locale.has_base_verbs:
                continue  # "is live"
            if (mark != "~" or has) and (predicate not in found or mark == "+"):
                found[predicate] = mark.strip("~=*!")
    places = [p for p in phrases if p.prep in reader.locale.place_links | reader.locale.sites]
    lodges = any(word.low in reader.locale.lodgings for p in places for word in p.words)  # "in a hotel in Rome"
    found = {name: mark for name, mark in found.items() if not (lodges and name == "lives_in")}
    return found or ({"weighs": ""} if _weight(reader.locale).search(text) is not None else found)


def _concepts_of(word: Word, phrases: Sequence[Phrase], reader: Reader) -> Iterable[tuple[str, str]]:
    """Return the relations of a word, none where it only modifies another noun: "for my work laptop"."""
    within = [p for p in phrases if p.start <= word.start < p.stop and word in p.words[:-1]]
    behind = [(p, p.words[p.words.index(word) + 1]) for p in within]
    if any(p.prep and not each.has_capital for p, each in behind):
        return ()
    if any(p.owner is not None and p.owner.stop < word.start < p.words[0].start for p in phrases if p.words):
        return ()  # "my own pet"
    found = reader.concepts_of(word)
    is_modifier = any(w.low.isalpha() and not w.has_capital and w.low not in reader.known.times for _, w in behind)
    return [each for each in found if not (is_modifier and each[0] in _NO_MODIFIERS)]  # "my oldest friend"


@cache
def _comes_of_age(locale: Locale) -> re.Pattern[str]:
    form = expression("comes_of_age", locale).pattern
    return re.compile(form.replace("NUMBER", rf"(?:\d{{1,3}}|{locale.number_words})"), re.IGNORECASE)


@cache
def _weight(locale: Locale) -> re.Pattern[str]:
    """Return the pattern of a form of "to be" with a weight: "I'm down to 79 kilos"."""
    be, units = one_of(locale.copulas), one_of(locale.measures["kilogram"].split())
    return re.compile(rf"\b(?:{be}) (?:\w+ ){{0,3}}\d+(?:[.,]\d+)? ?(?:{units})(?!\w)", re.IGNORECASE)


def owns(words: Sequence[Word], locale: Locale) -> bool:
    """Return whether words state a possession: "have" is a full verb, not an auxiliary."""
    at = next((place for place, word in enumerate(words) if word.low in locale.have), None)
    if at is None:
        return False
    after = words[at + 1 :] if locale.has_noun_capitals else words[at + 1 : at + 3]
    return not any(is_participle(word, locale) for word in after)


def _of_bare_owner(
    reader: Reader, phrases: Sequence[Phrase], subject: Phrase | None, before: Clause | None
) -> Phrase | None:
    """Return the subject; a bare owner takes the thing of the previous clause: "my car is blue, Ana's is red"."""
    if not phrases or _OF_OTHER.match(reader.text, phrases[0].stop) is None:
        return subject
    thing = None if before is None else before.subject
    return thing._replace(owner=phrases[0]) if thing is not None and thing.words else None


def _tense(reader: Reader, segment: Segment, concepts: Mapping[str, str]) -> Tense:
    """Return the tense of a clause: past for a former state, present for the result of a change."""
    locale, lows = reader.locale, [word.low for word in reader.words[segment.low : segment.high]]
    is_due = "+" in concepts.values() and (  # "have to move to Rome"
        has_any(" ".join(lows), "obliges", locale=locale) or _is_undone(reader, segment)
    )
    if is_due or _is_future(lows, locale, reader.known.concepts):
        return Tense.FUTURE
    was = not (locale.past_be - {"been"}).isdisjoint(lows)
    is_bare = not (locale.goals.isdisjoint(lows) or any(map(str.isdigit, lows)))
    if "married_to" in concepts and was and is_bare:
        return Tense.PAST  # "was married to Mia"
    if "+" in concepts.values() or "change" in concepts or "over" in concepts:
        return Tense.PRESENT
    present, perfect = not locale.copulas.isdisjoint(lows), not locale.perfect.isdisjoint(lows)
    if was:
        return Tense.PAST
    for word in reader.words[segment.low : segment.high] if concepts.keys() & _STATES else ():
        states = any(mark in ("", "+") and name != "name" for name, mark in reader.concepts_of(word))
        if states and not word.text[0].isupper() and _is_past_state(word.low, locale, present=present, perfect=perfect):
            return Tense.PAST
    return Tense.PRESENT


def _is_undone(reader: Reader, segment: Segment) -> bool:
    """Return whether all verbs of change are infinitives, of a deed ahead: "agreed to move", not "managed to move"."""
    locale, words = reader.locale, reader.words[segment.low : segment.high]
    verbs = [at for at, word in enumerate(words) if any(mark == "+" for _, mark in reader.concepts_of(word))]
    form = expression("infinitive_form", locale)
    marks = [at for at, word in enumerate(words) if word.low in locale.infinitive_marks]
    marked = {at for at, word in enumerate(words) if at - 1 in marks or form.fullmatch(word.low)}
    marked |= {at for at in verbs if words[at].low in locale.verbs and words[at - 1].low in locale.joined and marks[:1]}
    return marked.issuperset(verbs) and not has_any(reader.text, "implies_done", locale=locale)


def _is_future(lows: Sequence[str], locale: Locale, concepts: Mapping[str, object]) -> bool:
    if not locale.has_passive_future and not locale.future_words.isdisjoint(lows):
        return True
    if "going" in lows and "to" in lows[lows.index("going") + 1 :][:1]:
        return True
    if expression("going_to", locale).search(" ".join(lows)):
        return True
    return any(expression("future_verb", locale).fullmatch(low) for low in lows if low in concepts)


def _is_past_state(low: str, locale: Locale, *, present: bool, perfect: bool) -> bool:
    """Return whether a verb of state is in the past, given the auxiliaries of its clause."""
    if locale.has_base_verbs:
        return (low.endswith("ed") or low in PAST_FORMS) and not present and not perfect
    if expression("past_verb", locale).fullmatch(low):
        return locale.has_noun_capitals or not present
    return perfect and not present and low.startswith(locale.perfect_prefixes)


def _has_verb(clause: Clause) -> bool:
    """Return whether a verb, not a property noun, expresses a relation of a clause."""
    return any(
        mark in ("", "+") and predicate not in ("change", "over")
        for word in clause.words
        for predicate, mark in concepts_of(word, clause.locale)
        if not word.text[0].isupper() or word is clause.words[0]
        if all(name != "change" for name, _ in concepts_of(word, clause.locale))
    )


def part_names(phrase: Phrase, locale: Locale) -> frozenset[str]:
    """Return the relations that the noun of a property expresses, "home" or "date of birth", none for other nouns."""
    nouns = [word for word in phrase.words if word.has_capital == locale.has_noun_capitals]  # not "alter Chef"
    nouns = nouns or (list(phrase.words) if locale.has_noun_capitals else [])
    found = frozenset(filter(None, (_attribute(word, locale) for word in nouns)))
    is_led = len(nouns) > 1 and nouns[0].low not in locale.idle_adjectives and not _attribute(nouns[0], locale)
    is_of_other = is_led and phrase.owner is not None and bool(found & {"age", "name", "status"})  # "my dog name"
    is_day = len(nouns) < 2 or bool(_attribute(nouns[-1], locale)) or nouns[-1].low in vocabulary(locale).times
    is_of_other = is_of_other or (bool(found & _NO_MODIFIERS) and not is_day)  # "her birthday present"
    return frozenset() if len(nouns) > 2 or is_of_other else found


def as_owned(phrase: Phrase, locale: Locale) -> Phrase:
    """Return a compound with its last noun as a property of the rest: "the Kestrel deadline", "the project status"."""
    if phrase.owner is not None or len(phrase.words) < 2:
        return phrase
    last, owner = phrase.words[-1], Phrase(phrase.start, phrase.stop, phrase.words[:-1])
    found = "" if last.has_capital else _attribute(last, locale)
    is_property = bool(found) and (bool(owner.names) or found == "status")
    return phrase._replace(words=(last,), owner=owner) if is_property else phrase


def _of_attribute(clause: Clause) -> Clause:
    """Return a clause about a property as one about its owner: "Lena's home is in Rome"."""
    subject = clause.subject
    if _has_verb(clause):
        return clause
    if subject is not None and (owned := as_owned(subject, clause.locale)) is not subject:
        clause, subject = clause._replace(subject=owned), owned
    while subject is not None and subject.words:
        found = part_names(subject, clause.locale)
        if subject.owner is None:
            there = {name: clause.concepts.get(name, "") for name in found}
            return clause._replace(concepts={**clause.concepts, **there}) if not subject.names else clause
        if not found or ("owner" in found and (subject.owner.person or is_person(subject.owner))):
            break  # "Tom's boss" is another person
        concepts = {**clause.concepts, **{name: clause.concepts.get(name, "") for name in found}}
        clause, subject = clause._replace(concepts=concepts, subject=subject.owner), subject.owner
    return clause


def is_infinitive(words: Sequence[Word], locale: Locale) -> bool:
    """Return whether words end in a German infinitive: "Kaffee zu trinken"."""
    lows = [word.low for word in words if word.low.isalpha()]
    is_last = len(lows) > 2 and lows[-2] in locale.infinitive_marks
    return locale.has_noun_capitals and is_last and lows[-1].endswith("n")


def _of_object(clause: Clause, phrases: Sequence[Phrase]) -> Clause:
    """Return a clause with a changed property as its subject: "They moved the deadline of Kestrel"."""
    locale, be = clause.locale, clause.locale.copulas | clause.locale.past_be
    is_done = any(word.low in be for word in clause.words)
    if not clause.concepts.keys() & {"change", "deadline"} or is_done or clause.over or "owner" in clause.concepts:
        return clause
    others = (as_owned(p, locale) for p in phrases if not p.prep and p.words and p is not clause.subject)
    changed = next((p for p in others if _is_of_project(p, locale)), None)
    if changed is None or (clause.subject is not None and clause.subject.owner is not None):
        return clause
    concepts = {name: mark for name, mark in clause.concepts.items() if mark != "+"}
    return clause._replace(subject=changed, concepts=concepts)


def _is_of_project(phrase: Phrase, locale: Locale) -> bool:
    """Return whether a phrase is a property with an owner, or a named thing such as "the Kestrel project"."""
    if phrase.owner is not None:
        return bool(part_names(phrase, locale))
    ends = (phrase.words[0], phrase.words[-1]) if phrase.names or len(phrase.words) > 1 else ()
    return any(word.low in union("generic_nouns") for word in ends)


def _is_named_thing(phrase: Phrase) -> bool:
    """Return whether a phrase is a name, but not of a person or a place."""
    name = " ".join(word.low for word in phrase.words)
    is_name = bool(phrase.names) and len(phrase.names) == len(phrase.words) and not phrase.prep
    return is_name and not is_person(phrase) and name not in word_list("places")


def _attribute(word: Word, locale: Locale) -> str:
    return next((predicate for predicate, mark in concepts_of(word, locale) if mark == "="), "")


def _appositive(reader: Reader, segment: Segment, before: Clause | None) -> Phrase | None:
    """Return the subject before an apposition that a clause continues: "because Rob, my husband, comes from Leeds"."""
    last = None if before is None or segment.opener else next(reversed(before.phrases), None)
    if before is None or last is None or last is before.subject or not last.names or last.owner is None:
        return None
    between = reader.text[last.stop : reader.words[segment.low].start].strip()
    return last if between == "," and "," in reader.text[last.start : last.stop] else None


def opening_pronoun(clause: Clause) -> Phrase | None:
    """Return the third-person pronoun that opens a clause, None without one."""
    first = next(iter(clause.phrases), None)
    is_pronoun = first is not None and first.person == "they" and first.owner is None
    return first if first is not None and is_pronoun and first.start == clause.start else None


def renamed(clause: Clause, subject: Phrase) -> Phrase:
    """Return a subject with the name that its clause gives it: "My project is called Kite", "My vet is Olga Brandt"."""
    if subject.person:
        return subject
    people = people_words()
    is_person = any(word.low in people or word.root in people for word in subject.words)
    is_stated = is_person and not clause.negative and any(word.low in clause.locale.copulas for word in clause.words)
    if "name" not in clause.concepts and not is_stated:
        return subject
    behind = [p for p in clause.phrases if p.start > subject.start and not p.prep and p.words]
    at = next((place for place, p in enumerate(behind) if len(p.names) == len(p.words)), None)
    if at is None or (at and not is_stated and len(subject.names) == len(subject.words)):
        return subject  # "Lotte has a tortoise named Justus"
    return subject._replace(words=(*subject.words, *behind[at].words))
