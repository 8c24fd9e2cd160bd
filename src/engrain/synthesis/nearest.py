"""Fallback answers: `nearest` returns a value of the wanted kind near the question's words where no clause matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from engrain.language import phrases as grammar
from engrain.language.answer_forms import (
    VERSIONS,
    is_one_of_pairs,
    is_other_end,
    names_word,
    only_describes,
    rest_of_list,
    verdict,
)
from engrain.language.changes import may_change
from engrain.language.locales import Locale, expression, has_any, one_of, phrases, union, word_list
from engrain.language.matching import is_undone, was_had
from engrain.language.names import common, is_word
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, is_measure, is_noun, people_words, vocabulary
from engrain.language.quantities import WORD, Kind, Value, differ, is_no_value, is_of_period, same_kind, values_of
from engrain.language.query import Question
from engrain.language.questions import Wanted, is_difference
from engrain.language.reading import Clause, Modality, Tense
from engrain.language.sameness import (
    Speakers,
    compounds_of,
    is_of_other_role,
    is_plural,
    is_reversed,
    same_phrase,
    same_word,
    share_word,
)
from engrain.language.segments import is_participle, is_person
from engrain.language.statements import is_people
from engrain.language.times import clock_times, durations
from engrain.language.tokens import is_stop, stem, words
from engrain.model.results import Hit
from engrain.synthesis.evidence import Cited
from engrain.synthesis.readings import TOWNS, Reading, Sentence, roots_in, roots_of, sentences_of
from engrain.synthesis.spans import Sought, covers, find
from engrain.text import pattern

_STATED, _GOES_ON, _BEFORE = 0.85, 0.75, 0.65
"""The confidence of a value by the distance of the words: in its sentence, its turn, the turn before."""
_BEGUN = frozenset({"lives_in", "works_at"})
_EVENTS = frozenset(map(stem, ("appointment", "meeting", "session", "lesson", "exam", "course", "training")))
_BIRTHDAY = stem("birthday")
_OF_CLAUSES = frozenset(  # relations that need a clause that states them
    "lives_in works_at owner status origin job_title allergic_to drinks eats likes speaks hours born deadline".split()
)
_OF_KIND = {kind: frozenset(names) for kind, *names in (row.split() for row in phrases("kind_relations").split("|"))}
_MOST_MORE = 4  # content words of a sentence that only continues another
_OF_CHANGE = frozenset({"change", "origin"})
_TIMES = (Kind.DAY, Kind.CLOCK)
_LASTED = frozenset("time zeit bestzeit tiempo marca temps record rekord récord".split())
_COUNTED = pattern(r" ([^\W\d_]{4,})")  # a noun behind a number
_NUMBERED = pattern(r"([^\W\d_]+)\s+(\d+)")


@dataclass(frozen=True, slots=True)
class Found:
    """A value with its reading and its confidence."""

    cited: Cited
    sure: float
    read: Reading


def sought(question: Question, query: str, by: Iterable[Speakers]) -> Sought | None:
    """Return the search for a value, None if a question asks for no kind that is recognised by its form."""
    locale = question.locale
    reader = Reader((query if question.order else question.text)[:300].rstrip(" ?!."), locale)
    kind = _kind_of(question, reader)
    left = _OF_CLAUSES - _nouns_asked(reader) - (_BEGUN if question.wanted is Wanted.TIME else frozenset())
    if kind is None or question.concepts & left:
        return None
    asked = () if question.subject is None else question.subject.words
    is_name = question.wanted is Wanted.PERSON and not question.rest  # a name does not answer "Who is Ingrid?"
    if is_name and asked and all(word.has_capital and not is_noun(word, locale) for word in asked):
        return None
    if kind == "names" and question.wanted is Wanted.NAME and any(is_plural(word, locale) for word in asked):
        return None  # a single name does not answer what the children are called
    content = [word for at, word in enumerate(reader.words) if _is_content(reader, at)]
    content = content or [word for word in reader.words if word.low in locale.seasons]  # "Where do we go in summer?"
    noun = question.noun  # "what time is ...", "in which town is ..."
    is_site = kind == "places" and reader.words[0].low not in locale.sources
    if noun is not None and (kind == "clocks" or (is_site and noun.root in TOWNS)):
        content = [word for word in content if word.low != noun.low]
    words = tuple(word for word in content if not _is_of_kind(word, kind, locale)) or tuple(content)
    names = [word.stop for word in words if word.has_capital]  # "the Kestrel project" is "Kestrel"
    words = tuple(w for w in words if w.low not in union("generic_nouns") or w.has_capital or w.start - 1 not in names)
    is_mine = question.subject is not None and question.subject.person == "me" and bool(words)
    places = locale.workplaces | locale.prepositions
    if kind in ("times", "clocks") and is_mine and all(word.low in places for word in words):
        return None  # "When do I have to be at work?": many things happen there
    if kind in ("times", "clocks"):  # "my physio appointment" is moved as "the physio"
        words = tuple(word for word in words if word.root not in _EVENTS or word.has_capital) or words
    if kind == "clocks":
        opening = expression("asks_clock_time", locale).match(reader.text)  # "um wie viel Uhr"
        words = tuple(word for word in words if opening is None or word.start >= opening.end()) or words
    every = words
    is_price = question.wanted is Wanted.AMOUNT or "costs" in question.concepts  # not "the budget for the fair"
    if kind == "sums" and is_price and any(word.low in locale.price_nouns for word in words):
        ends = [at for at, word in enumerate(reader.words) if word.low in locale.part_links and at > 1]
        words = tuple(w for w in words if not ends or w.start < reader.words[ends[0]].start) or words
    aliases = {pair for each in by for pair in each.aliases}
    known = tuple(roots_of(word) | _aliases(word, aliases) for word in words)
    return Sought(question, kind, words, known, tuple(roots_of(w) for w in every if w not in words)) if words else None


def words_beside(question: Question, query: str) -> list[str]:
    """Return the words, in all languages, of memories that may contain the value that a question asks for."""
    found = sought(question, query, ())
    if found is None:
        return []
    shown = [each for word in found.words for each in grammar.in_all_languages(word)]
    return [*shown, *compounds_of(found.words, question.text, question.locale)]  # "alarm code", "Alarmcode"


def _nouns_asked(reader: Reader) -> frozenset[str]:
    """Return the relations that a question expresses by a noun: "my boss", "Tom's birthday"."""
    named = (
        word
        for at, word in enumerate(reader.words)
        if word.root == _BIRTHDAY
        or (at and word.root in people_words() and reader.words[at - 1].low in reader.known.first_owner)
    )
    return frozenset(name for word in named for name, _ in concepts_of(word, reader.locale))


def _aliases(word: Word, aliases: Iterable[tuple[Phrase, Phrase]]) -> frozenset[str]:
    return frozenset(
        each.low
        for pair in aliases
        for one, other in (pair, pair[::-1])
        if any(same_word(word, w) for w in one.words)
        for each in other.words
        if each.text not in union("titles") and each.low not in union("articles", "stop")
    )


def _kind_of(question: Question, reader: Reader) -> str | None:
    """Return the kind of value that a question asks for, None if the kind is not recognised by its form."""
    wanted, concepts, locale = question.wanted, question.concepts, question.locale
    lows = {part for word in reader.words for part in (word.low, re.split("[-_]", word.low)[-1])}
    is_open = wanted in (Wanted.THING, Wanted.ANYTHING, Wanted.NAME)
    is_noun_asked = wanted is Wanted.THING and question.noun is not None and question.noun.low not in locale.idle_nouns
    subject = () if question.subject is None else question.subject.words
    is_priced = "costs" in concepts and wanted not in (Wanted.TIME, Wanted.PLACE, Wanted.PERSON)
    is_sum = bool(subject) and subject[-1].low in locale.price_nouns  # "What is the budget of the fair?"
    rules = (
        (is_open and not lows.isdisjoint(locale.number_nouns), "numbers"),
        (is_open and not lows.isdisjoint(locale.code_nouns), "codes"),
        (wanted is not Wanted.PERSON and ("age" in concepts or question.says("asks_age")), "ages"),
        ("weighs" in concepts, "weights"),
        (wanted is Wanted.AMOUNT or is_priced or (is_open and is_sum), "sums"),
        (wanted is Wanted.TIME, "clocks" if question.says("asks_clock_time") else "times"),
        (wanted is Wanted.DURATION, "durations"),
        (wanted is Wanted.COUNT and question.noun is not None, "counts"),
        (wanted is Wanted.PLACE, "places"),
        (wanted in (Wanted.PERSON, Wanted.NAME) or (is_open and "name" in concepts), "names"),
        (is_noun_asked, "of noun"),
    )
    return next((kind for fits, kind in rules if fits), None)


def _is_content(reader: Reader, at: int) -> bool:
    """Return whether a word of a question must be near the value."""
    word, locale, known = reader.words[at], reader.locale, reader.known
    low = word.low
    asking = locale.question_words | locale.which_words | locale.how_words | locale.how_many_words
    if not low[-1].isalnum() or low.isdigit() or low in asking | known.first | known.hearer:
        return False
    if low in known.times:
        return low in union("holidays") or _modifies(reader, at)
    if at + 2 == len(reader.words) and locale.has_base_verbs and reader.words[-1].low in locale.condition_names:
        return True  # "take off"
    if word.has_capital and at:
        return True
    if low in known.determiners | known.third | known.breaks:
        return False
    return not (is_stop(low) or low in locale.stop | locale.idle_question_words | locale.light_verbs)


def _modifies(reader: Reader, at: int) -> bool:
    """Return whether a time word modifies the noun after it: "the Christmas concert"."""
    known = reader.known
    after = reader.words[at + 1] if at + 1 < len(reader.words) else None
    if after is None or not after.low.isalpha() or is_stop(after.low) or not reader.may_be_noun(at + 1):
        return False
    is_led = at > 0 and reader.words[at - 1].low in known.determiners
    return is_led and after.low not in known.times and reader.words[at].low in union("holidays", "seasons")


def _is_of_kind(word: Word, kind: str, locale: Locale) -> bool:
    """Return whether a word of a question only names the kind of value: "cost", "number", "called"."""
    concepts = {name for name, _ in concepts_of(word, locale)}
    if kind == "numbers":
        return not locale.number_nouns.isdisjoint(word.low.split("_"))  # "phone_number"
    if kind == "times" and word.low in locale.day_nouns:
        return True
    return bool(concepts & _OF_KIND.get(kind, frozenset()))


def _how_sure(sentence: Sentence, sought: Sought) -> float:
    """Return the confidence that a sentence is about the question's subject, 0 if it is not."""
    left = [known for known in sought.known if not covers(known, sentence.roots)]
    if not left:
        return _STATED
    nouns = [known for word, known in zip(sought.words, sought.known, strict=True) if not sought.is_verb(word)]
    subject = sought.question.subject
    is_home = sought.kind == "places" and subject is not None and is_person(subject)  # "Ana has moved to Rome"
    is_changed = not is_home and any("change" in each.clause.concepts for each in sentence.read)
    if is_changed and nouns and all(covers(known, sentence.roots) for known in nouns):
        return _STATED  # "netball has moved to Thursdays" answers when it is played
    is_own = len(left) < len(sought.known)
    if not is_own and not _continues(sentence):
        return 0.0
    left = [known for known in left if not covers(known, sentence.turn if is_own else sentence.topic)]
    if not left:
        return _GOES_ON
    own = _own_subject(sentence.read[0].clause)
    is_about = own is not None and _has_any(own.words, sought.known)
    is_open = not sentence.turn and sought.kind != "names" and is_about  # "Jo's cat is called Bo" is not about a dog
    goes_on = is_own and (is_open or own is None)
    return _BEFORE if goes_on and all(covers(known, sentence.before) for known in left) else 0.0


def _continues(sentence: Sentence) -> bool:
    """Return whether a sentence has no subject of its own: "They're paying 2,600."."""
    first = sentence.read[0].clause
    pronoun = first.phrases[0] if first.phrases and first.phrases[0].start == first.start else None
    shown = "" if pronoun is None else first.text[pronoun.start : pronoun.stop].lower()
    if first.subject is None and shown in first.locale.he_words | first.locale.she_words:
        return False  # "he" may be one of two people
    end = next((word.start for word in first.words if word.text == ","), first.stop)
    content = [word for word in first.words if word.start < end and word.low.isalpha() and not is_stop(word.low)]
    return len(content) <= _MOST_MORE and (_has_anaphor(first) or _own_subject(first) is None)


def _has_anaphor(clause: Clause) -> bool:
    """Return whether a pronoun other than the subject refers to a previous thing: "paid 2,300 euros for it"."""
    return any(p.person == "they" and p is not clause.phrases[0] for p in clause.phrases)


def _own_subject(clause: Clause) -> Phrase | None:
    """Return the subject that a clause itself names, None for a pronoun or no subject."""
    subject, first = clause.subject, clause.phrases[0] if clause.phrases else None
    if subject is None or not subject.words or any(word not in clause.words for word in subject.words):
        return None
    if first is not None and (first.person == "they" or (first.owner is not None and first.owner.person == "they")):
        return None  # "he's called Mogli", "his number is"
    times = vocabulary(clause.locale).times
    is_amount = all(word.low in times or word.low.isdigit() for word in subject.words)  # "£12.50 an hour"
    shown = clause.text[clause.start : subject.stop].lower().split()
    is_new = bool(shown) and shown[0] in clause.locale.indefinite and "name" in clause.concepts  # "a puppy called Bo"
    return None if is_amount or is_measure(subject) or is_new else subject


def nearest(sought: Sought, read: Sequence[Reading], before: Callable[[Hit], str]) -> Found | None:
    """Return the newest value of the wanted kind in a turn with the words of a question, None if unsure."""
    subject = sought.question.subject
    is_thing = subject is not None and not (is_person(subject) or subject.names)
    is_thing = is_thing and sought.question.concepts != {"name"}  # "the cat took the bed" ends no name
    asked = set(words(sought.question.text))
    found: list[Found] = []
    blocked: list[tuple[object, ...]] = []
    outdated = {(each.place, each.clause.text) for each in read if each.is_outdated}  # also its other clauses
    usable = [each for each in read if (each.place, each.clause.text) not in outdated and not each.is_disputed]
    usable = [each for each in usable if sought.kind != "sums" or not each.is_ahead]
    for sentence in sentences_of([each for each in usable if each.quote.memory.actor != "assistant"], before):
        sure = _how_sure(sentence, sought)
        if not sure:
            continue
        spans = [span for span in find(sentence, sought) if is_of_period(sought.question, sentence.text, *span[:2])]
        values = {t: (low, t) for low, high, t in spans if not asked.issuperset(words(sentence.text[low:high]))}
        starts = [start for start, _ in values.values()]
        stated = [
            (text, each)
            for start, text in values.values()
            if not _is_of_other_part(sentence, start, starts, sought)
            and (each := _stated_in(sentence, start, sought)) is not None
            and not is_no_value(sought.question, each.clause, start, text)
            and not is_one_of_pairs(each.clause, start, start + len(text))
        ]
        stating = [each.clause for each in sentence.read if each.clause.modality is not Modality.ASKED]
        if len(stated) == 1:
            text, each = stated[0]
            if sought.question.several:  # "three projects: Belette, Marmotte and Otter"
                begin = sentence.text.find(text)
                text += rest_of_list(sentence.text, begin + len(text), sentence.locale) if begin >= 0 else ""
            found.append(Found(Cited(text, (each.place,)), sure, each))
        elif sure >= _GOES_ON and (values or (is_thing and any(c.over or "over" in c.concepts for c in stating))):
            blocked.append(sentence.read[0].age)
    least = max((each.read.quote.memory.trust for each in found), default=0.0)
    found = [each for each in found if each.read.quote.memory.trust >= least]
    strong = [each for each in found if each.sure > _BEFORE] or found
    if not strong:
        return None
    best = max(strong, key=lambda each: each.read.age)
    value = best.cited.text.casefold().rstrip(".")
    ends = (e for e in usable if "over" in e.clause.concepts or any(map(e.clause.has_phrase, ("finished", "leaves"))))
    gone = (each.age for each in ends if value in each.clause.text.casefold())
    return None if any(age > best.read.age for age in (*blocked, *gone)) else best


def speaks_otherwise(question: Question, lead: Cited, read: Sequence[Reading]) -> bool:
    """Return whether a newer unparsed sentence on the question's subject has another value or a change."""
    asked = [word for phrase in reversed([*grammar.with_owners(question.subject)]) for word in phrase.words]
    are_nouns = question.locale.has_noun_capitals
    verbs = [word for word in question.rest if word in question.verbs or (are_nouns and word.text.islower())]
    things = [(word, roots_of(word)) for word in (*asked, *question.rest) if word not in verbs]
    answering = [each for each in read if each.place in lead.quotes]
    known = [value for each in answering for value in _values_in(each, lead.text)]
    newer = [each for each in read if answering and each.age > max(other.age for other in answering)]
    least = max((each.quote.memory.trust for each in answering), default=0.0)
    newer = [e for e in newer if e.quote.memory.trust >= least and e.quote.memory.actor != "assistant"]
    stated = {each.clause.text for each in answering}
    newer = [e for e in newer if not (e.is_ahead or e.clause.text in stated)]
    heads = asked[-1:] or [word for word, _ in things if word.has_capital][:1]
    for sentence in sentences_of(newer, lambda _: ""):
        is_instead = has_any(sentence.text, "instead_of") and not are_nouns  # "... 3 May instead of 1 May"
        here = sentence.roots | (sentence.turn if is_instead else frozenset())
        there = [word for word, forms in things if covers(forms, here)]
        is_shared = any(question.concepts & each.clause.concepts.keys() for each in sentence.read) and not are_nouns
        named = [word in there for word, _ in things if word.has_capital]
        if all(named) and _states_end(sentence, question, lead.text):
            return True
        is_named = all(named) or (is_shared and any(named))  # "Ben's wedding" is also Ana's
        is_named |= are_nouns and any(word in there for word in heads)
        is_named = is_named or (asked[-1:] != [] and asked[-1] in there and _changes_bare_subject(sentence, asked[-1]))
        is_translated = sentence.locale is not question.locale and _has_change(sentence)
        is_most = 2 * len(there) >= len(things) or (is_translated and any(word in there for word in asked[-1:]))
        if not there or not is_most or not is_named:
            continue
        others = [each for each in _other_values(sentence) if not _is_of_subject_apart(each, sentence, things)]
        others = [] if _is_of_other_owner(sentence, question, there) else others
        same = [(one, other) for one in known for other in others if same_kind(one, other)]
        is_asked = all(each.clause.modality is Modality.ASKED for each in sentence.read)
        is_fixed = question.concepts == {"born"} and not any(_states_birth(each.clause) for each in sentence.read)
        if same and not (is_fixed or is_asked) and all(differ(one, other) for one, other in same):
            return True
        is_repeated = any(sentence.text.strip(" .!") in each.quote.text for each in answering)
        if not (known or others or is_repeated) and _states_unread_change(sentence, question, there, lead.text):
            return True
    return False


def _is_of_other_owner(sentence: Sentence, question: Question, there: Iterable[Word]) -> bool:
    """Return whether a sentence gives the asker's thing to someone else: "Tom says his rent has gone up"."""
    asked = question.subject
    if asked is None or "me" not in (asked.person, asked.owner and asked.owner.person):
        return False
    phrases = (p for each in sentence.read for p in _all(each.clause) if p.owner is not None)
    owners = [p.owner.person for p in phrases if p.owner and share_word(p.words[-1:], there)]
    return bool(owners) and "me" not in owners


def _states_birth(clause: Clause) -> bool:
    """Return whether a clause states a birthday, and not the day of a "birthday party"."""
    subject = () if clause.subject is None else clause.subject.words
    of_birth = [("born" in dict(concepts_of(word, clause.locale))) for word in subject]
    return "born" in clause.concepts and (not any(of_birth) or of_birth[-1])


def _changes_bare_subject(sentence: Sentence, noun: Word) -> bool:
    """Return whether a sentence changes a thing that it names by its noun alone: "The opening was postponed"."""
    heads = [r.clause.subject for r in sentence.read if "change" in r.clause.concepts]
    bare = [p for p in heads if p is not None and p.owner is None and len(p.words) == 1]
    return any(same_word(noun, p.words[0]) for p in bare)


def _other_values(sentence: Sentence) -> list[Value]:
    """Return the values of a sentence except durations: "only four weeks left"."""
    at, lasting = sentence.read[0].quote.memory.stated_at, durations(sentence.text)
    found = values_of(sentence.text, sentence.locale, at)
    behind = {v: _COUNTED.match(sentence.text, v.stop) for v in found if v.kind is Kind.NUMBER}  # "60 guests"
    small = sentence.locale.prepositions | sentence.locale.stop
    counts = [v for v, noun in behind.items() if noun is not None and noun[1].lower() not in small]
    denied = sentence.locale.negated | {"n't"}  # "198 euros, not 189"
    before = {v: sentence.text[: v.start].lower().split()[-1:] for v in found}
    counts += [v for v, word in before.items() if stem("".join(word)) in VERSIONS or not denied.isdisjoint(word)]
    counts += [v for v in found if is_difference(sentence.text, v.start, v.stop)]
    wrong = expression("wrongly_stated", sentence.locale).search(sentence.text)  # "I put 12, it's 14"
    counts += [v for v in found if wrong is not None and v.start < wrong.start("right")]
    return [v for v in found if v not in counts and not any(low <= v.start < high for low, high in lasting)]


def _is_of_subject_apart(value: Value, sentence: Sentence, things: Sequence[tuple[Word, frozenset[str]]]) -> bool:
    """Return whether the clause of a value has another subject than the question: "..., and the test is on 3 May"."""
    clause = next((r.clause for r in sentence.read if r.clause.start <= value.start < r.clause.stop), None)
    own = None if clause is None else _own_subject(clause)
    shown = "" if clause is None else clause.text[clause.start : clause.stop]
    if own is None or len(sentence.read) < 2 or has_any(shown, "unread_changes") or may_change(shown):
        return False
    named = [roots_of(word) for phrase in grammar.with_owners(own) for word in phrase.words]
    return not any(covers(forms, roots) for roots in named for _, forms in things)


def _states_end(sentence: Sentence, question: Question, answer: str) -> bool:
    """Return whether a sentence states that an answer was left, replaced or ended: "we jumped ship from Plusnet"."""
    if question.wanted is Wanted.YES_NO:  # "so we're no longer on hold"
        ends = [each.clause for each in sentence.read if each.clause.over] if question.rest else []
        is_ended = any(all(names_word(word, clause) for word in question.rest) for clause in ends)
        return is_ended and answer == verdict(question, denies=False)
    subjects = [each.clause.subject for each in sentence.read if each.clause.modality is Modality.CERTAIN]
    asked = set(words(question.text))
    others = (p for p in subjects if p is not None and is_person(p) and not p.person and p.names)
    if not subjects or any(asked.isdisjoint(word.low for word in p.words) for p in others):
        return False  # "Ben ditched Evernote" is not about Ana's notes
    gone, over = (expression(each, sentence.locale).pattern for each in ("given_up_for", "is_no_more"))
    object_word = rf"(?!(?:{one_of(sentence.locale.prepositions)})\b)[\w'’]+\W+"  # not "sold the car in Rome"
    shown = "|".join(re.escape(word) for word in WORD.findall(answer) if len(word) > 1 and not is_stop(word.lower()))
    form = rf"(?i:{gone})\W+(?:{object_word}){{0,3}}?(?:{shown})\b|\b(?:{shown})\b\W+(?:[\w'’]+\W+){{0,2}}?(?i:{over})"
    return bool(shown) and re.search(form, sentence.text) is not None


def _has_change(sentence: Sentence) -> bool:
    """Return whether a sentence has a cue of change."""
    return has_any(sentence.text, "unread_changes", locale=sentence.locale) or may_change(sentence.text)


def _states_unread_change(sentence: Sentence, question: Question, there: Collection[Word], answer: str) -> bool:
    """Return whether a sentence has a cue of change on the question's subject that no clause assigns elsewhere."""
    if not _has_change(sentence):
        return False
    roots = [roots_of(word) for word in there]
    stated = [each.clause for each in sentence.read if each.clause.modality in (Modality.CERTAIN, Modality.REPORTED)]
    stated = [clause for clause in stated if not is_undone(clause)]
    about = [clause for clause in stated if _has_any(clause.words, roots)] or stated
    concepts = frozenset(name for each in about for name in each.concepts) - _OF_CHANGE
    asked = frozenset(question.concepts) - _OF_CHANGE
    was_so = asked & concepts and all(c.tense is Tense.PAST and "change" not in c.concepts for c in about)
    does = not question.verbs or any(covers(roots_of(word), sentence.roots) for word in question.verbs)
    is_of_other = was_so or (concepts and concepts.isdisjoint(asked) and (asked or not does))
    subject = question.subject
    is_else = question.noun is not None and not does and subject is not None and is_person(subject)
    is_of_name = (asked or is_else) and not concepts and all(word.has_capital for word in there)
    # "Zora changed jobs" is not about her home, "Zora has a new friend" not about what she plays
    if subject is not None and subject.owner is not None and not any(word in there for word in subject.words):
        return False
    owned = [each.subject for each in about if each.subject is not None and each.subject.owner is not None]
    is_own = subject is not None and subject.owner is not None and bool(subject.owner.person)
    if is_own and any(p.owner is not None and p.owner.names for p in owned):
        return False  # "Paloma's new dog", asked for mine
    if not stated or is_of_other or is_of_name or any("over" in each.concepts for each in stated):
        return False
    if not all(_has_any(own.words, roots) for own in owned):
        return False  # "Jonas' dog" is not about Jonas
    own = vocabulary(sentence.locale).first  # "I" is no name
    names = [w for each in stated for w in each.words if w.has_capital and w.start > 0 and w.low not in own]
    return any(not any(covers(forms, roots_of(word)) for forms in roots) for word in names) or not answer[:1].isupper()


def _values_in(each: Reading, answer: str) -> list[Value]:
    """Return the values of a clause that are in an answer, or else its times, which may date the answer."""
    clause, at = each.clause, each.quote.memory.stated_at
    found = [v for v in values_of(clause.text, clause.locale, at) if clause.start <= v.start < clause.stop]
    return [v for v in found if clause.text[v.start : v.stop] in answer] or [v for v in found if v.kind in _TIMES]


def _stated_in(sentence: Sentence, start: int, sought: Sought) -> Reading | None:
    """Return the clause that asserts a value of the question's subject, None without one."""
    each = next((r for r in reversed(sentence.read) if r.clause.start <= start), sentence.read[0])
    clause = each.clause
    denied = any(word.low in clause.locale.negated or word.low == "n't" for word in clause.words if word.start < start)
    denied = denied or (sought.kind in ("times", "clocks", "sums") and only_describes(sought.words, clause))
    denied = denied or is_other_end(sought.question, clause) or is_reversed(sought.question, clause, each.by)
    is_off = sought.kind in ("times", "clocks") and clause.has_phrase("cancels")  # "had to cancel tennis today"
    denied = denied or is_of_other_role(sought.question, clause, start)
    denied = denied or (is_off and not sought.question.says("cancels"))
    if clause.modality not in (Modality.CERTAIN, Modality.REPORTED) or denied:
        return None
    if clause.tense is Tense.FUTURE and sought.question.wanted is Wanted.PLACE:
        return None  # "the office will move to Essen"
    head = None if clause.subject is None or not clause.subject.words else clause.subject.words[-1]
    if sought.kind == "times" and head is not None and head.low in _LASTED:
        return None  # "my best time for the race is 1:52"
    if sought.kind == "times" and "born" in sought.question.concepts and "born" not in clause.concepts:
        return None  # "Theo forgot last year"
    if sought.kind == "sums" and not _is_price_of(sentence, clause, start, sought):
        return None
    is_over = clause.tense is Tense.PAST and not sought.question.past
    if sought.kind in ("names", "codes") and (is_over or was_had(sought.question, clause)):
        return None  # "I had a boss called Tom", "the code was 1234 until May"
    if sought.kind == "names" and (_is_no_agent(clause, start, sought) or _names_other(clause, start, sought)):
        return None
    if any(low <= start < high for low, high in clause.excluded):
        return None
    company = [p for p in clause.phrases if p.prep in clause.locale.company_words and p.words and p.start < start]
    if sought.kind == "times" and not all(is_person(p) or _has_any(p.words, sought.known) for p in company):
        return None  # "clashes with a match on 9 May"
    is_of_it = sought.kind == "sums" and _has_anaphor(clause)
    return each if is_of_it or (not _is_other(clause, sought) and _fits_owner(sought, sentence, each.by)) else None


def _is_price_of(sentence: Sentence, clause: Clause, start: int, sought: Sought) -> bool:
    """Return whether a sum is the price of the question's subject, not offered, received or for a part of it."""
    asked, question, locale = set(words(sought.question.text)), sought.question, sentence.locale
    is_offer = has_any(clause.text, "offers") and not question.says("offers")
    is_got = "asset" in clause.concepts and "asset" not in question.concepts and not question.says("hands_on")
    is_weight = "weighs" in clause.concepts and "weighs" not in question.concepts
    is_other = "costs" in question.concepts and _is_done_to(clause, asked)
    subject = () if clause.subject is None else clause.subject.words
    stated = _sum_kinds({word.low for word in (*subject, *clause.words)}, locale)
    wanted = _sum_kinds(asked, question.locale)
    is_other = is_other or bool(wanted and stated and wanted.isdisjoint(stated))  # "rent" is no salary
    is_other = is_other or any(_is_of_part(each.clause, sought) for each in sentence.read)
    if is_offer or is_weight or is_other or (is_got and "costs" in question.concepts):
        return False
    before = [p for p in clause.phrases if p.start < start and p.words]
    for phrase in before:
        if sought.of and phrase.prep in locale.part_links and not _has_any(phrase.words, sought.of):
            return False  # "the rent for the hall" is not that of the shop
    owned = [(p.words, p.owner.words) for p in before if p.owner is not None]
    links = locale.owner_links - locale.part_links
    owned += [(one.words, p.words) for one, p in pairwise(_all(clause)) if p.prep in links]
    return not any(
        _has_any(owner, sought.known) and not _has_any(words, sought.known) and words[-1].low not in locale.price_nouns
        for words, owner in owned
        if words
    )  # "the insurance of the van"


def _is_of_part(clause: Clause, sought: Sought) -> bool:
    """Return whether the subject is a part of the thing asked for, or a service: "the insurance for the car"."""
    subject = clause.subject
    if subject is None or not subject.words or is_person(subject) or _has_any(subject.words, sought.known):
        return False
    head, locale = subject.words[-1], clause.locale
    small = locale.part_links | locale.articles | locale.determiners
    led = (p for p in clause.phrases if p.prep in locale.part_links and _has_any(p.words, sought.known))
    between = (clause.text[subject.stop : p.start].lower().split() for p in led if p.start > subject.stop)
    return head.low not in locale.price_nouns and any(map(small.issuperset, between))


def _sum_kinds(some: Collection[str], locale: Locale) -> set[str]:
    """Return the kinds of sums that words name: income, spending, rent, tax."""
    return {kind for kind, forms in locale.sum_kinds.items() if not set(forms.split()).isdisjoint(some)}


def _is_done_to(clause: Clause, asked: Collection[str]) -> bool:
    """Return whether a clause reports an action on a thing other than paying or getting it."""
    subject, locale = clause.subject, clause.locale
    is_thing = subject is not None and not subject.person and not is_person(subject)
    had = [word.stop for word in clause.words if locale.has_base_verbs and word.low in locale.have]
    acts = [
        word
        for word in clause.words
        if is_participle(word, locale)
        and (is_thing or any(min(had, default=word.stop) <= p.start < word.start for p in clause.phrases))
        and (subject is None or subject.start < word.start)  # not "found a bathtub, 120 euros"
    ]  # "was repaired for 1,200 euros", "we had the roof cleaned"
    pays = any({"costs", "buys"} & dict(concepts_of(word, locale)).keys() or word.low in asked for word in acts)
    is_got = has_any(clause.text[clause.start : clause.stop], "obtains", "acquires", "booked")
    return bool(acts) and not pays and not is_got


def _all(clause: Clause) -> list[Phrase]:
    first = [] if clause.subject is None or clause.subject in clause.phrases else [clause.subject]
    return [*first, *clause.phrases]


def _has_any(some: Iterable[Word], known: Iterable[frozenset[str]]) -> bool:
    return any(covers(forms, roots_of(word)) for word in some for forms in known)


def _is_no_agent(clause: Clause, start: int, sought: Sought) -> bool:
    """Return whether a name is not of the agent asked for: "Ana sold her car to Bo", "My dog is called Rex"."""
    question = sought.question
    known = ((word, {name for name, _ in concepts_of(word, clause.locale)}) for word in clause.words)
    acts = (word.start for word, names in known if names & question.concepts or share_word([word], question.verbs))
    is_behind = not question.has and start > min(acts, default=start)
    return question.asks_subject and ("name" in clause.concepts or is_behind)


def _names_other(clause: Clause, start: int, sought: Sought) -> bool:
    """Return whether a clause names another entity than the question: "a film about a dog called Bo"."""
    asked, subject = sought.question.subject, clause.subject
    if asked is None:
        return False
    if sought.question.concepts == {"name"} and "name" not in clause.concepts and clause.has_phrase("name_words"):
        return True  # "Ottilie called Ben"
    is_before = subject is not None and bool(subject.words) and subject.words[0] not in clause.words
    if is_before and subject is not None and "name" in clause.concepts:
        return not share_word(asked.words, subject.words)
    others = [p for p in clause.phrases if p.prep and p is not subject and p.start < start]
    return asked.owner is not None and any(share_word(asked.words, p.words) for p in others)


def _is_other(clause: Clause, sought: Sought) -> bool:
    """Return whether the subject of a clause is another person or thing than the question's."""
    subject, asked = _own_subject(clause), sought.question.subject
    if subject is None:
        if asked is None or clause.subject is None or clause.subject.person != "me" or not is_person(asked):
            return False
        who = [word for word in asked.words if word.root in people_words() or word in asked.names]
        return not share_word(who, clause.words)
    is_named = bool(subject.names) and is_person(subject) and asked is not None and bool(asked.names or asked.person)
    is_sought = _has_any(subject.words, sought.known)
    if is_named and asked and not share_word(asked.words, clause.words) and not is_sought:
        return True  # "and Carla has three daughters" is not about Ben
    here = roots_in(clause.text[clause.start : clause.stop], clause.locale)
    of_kind = union("number_nouns", "price_nouns", "code_nouns")
    own = [word for word in subject.words if word.low not in of_kind]
    of = [] if subject.owner is None else list(subject.owner.words)
    if not own and of and not _has_any(of, sought.known):
        return True  # "the code for the gate is 5530" is not the number of the berth
    is_known = any(covers(known, here) for known in sought.known) or _has_any(own, sought.known)
    return bool(own) and not is_known  # "we invited 10 kids, the budget is 200 euros"


def _is_of_other_part(sentence: Sentence, start: int, starts: Sequence[int], sought: Sought) -> bool:
    """Return whether words of a question are in another part of a sentence than a value: "opens at 7, closes at 9"."""
    seams = [(each.start(), each[0].isalpha()) for each in _seams(sentence.locale).finditer(sentence.text)]
    low = max((at for at, _ in seams if at < start), default=0)
    high = min((at for at, _ in seams if at > start), default=len(sentence.text))
    read = [word for each in sentence.read for word in each.clause.words]
    times = vocabulary(sentence.locale).times
    hours = [span[:2] for span in clock_times(sentence.text)]
    own = [word for word in read if low < word.start < start and word.low.isalpha() and word.low not in times]
    own = [word for word in own if not any(begin <= word.start < end for begin, end in hours)]  # "19 Uhr"
    own = [word for word in own if not (is_stop(word.low) or word.low in sentence.locale.stop)]
    part = [word for word in read if low <= word.start < high and word.low.isalpha() and word.low not in times]
    is_adverb = all(is_stop(word.low) or word.low in sentence.locale.stop for word in part)  # "Le mardi, j'ai yoga"
    has_own = bool(low and own) and not _has_any(own, sought.known)
    for each in _NUMBERED.finditer(sought.question.text):  # "sprint 14"
        others = re.finditer(rf"(?<!\w){re.escape(each[1])}\s+(\d+)", sentence.text, re.IGNORECASE)
        if any(low <= other.start() < high and other[1] != each[2] for other in others):
            return True
    concepts = sought.question.concepts
    of_relation = [w.start for w in read if any(name in concepts for name, _ in concepts_of(w, sentence.locale))]
    asked = [
        (
            [word.start for word in read if covers(known, roots_of(word))],
            sought.is_verb(word) or (word.has_capital and any(other.has_capital for other in own)),
        )
        for word, known in zip(sought.words, sought.known, strict=True)
    ]
    for places, is_decisive in (*asked, (of_relation, True)):
        if not places or any(low <= place < high for place in places):
            continue
        first, last = min(places), max(places)
        is_joined = any(start < at < first for at, is_word in seams if is_word)
        is_clause = not is_adverb and any(start < each.clause.start <= first for each in sentence.read)
        if first >= high and (is_joined or is_clause or any(other > first for other in starts)):
            return True
        if last < low and has_own and (is_decisive or sought.kind == "of noun"):
            return True
    return False


@cache
def _seams(locale: Locale) -> re.Pattern[str]:
    return re.compile(rf"[,;](?!\d)|(?<!\w)(?:{one_of(locale.joined)})(?!\w)", re.IGNORECASE)


def _fits_owner(sought: Sought, sentence: Sentence, by: Speakers) -> bool:
    """Return whether the question's subject has the same owner in a sentence, or no other one."""
    asked = sought.question.subject
    if asked is None:
        return True
    if asked.person == "me" and by.speaker != by.asker:
        return False
    every = [p for each in sentence.read for p in _all(each.clause)]
    named_here = {word for each in sentence.read for word in each.clause.words}
    owners = [p.owner for p in every if p.owner and p.owner.names and _has_any(p.words, sought.known)]
    if any(owner.words[0] in named_here and not _has_any(owner.words, sought.known) for owner in owners):
        return False  # "Nora's room" is not mine
    subjects = [each.clause.subject for each in sentence.read if each.clause.subject is not None]
    phrases = [*subjects, *(p for each in sentence.read for p in each.clause.phrases)]
    is_own = any(p.person == "me" or (p.owner is not None and p.owner.person == "me") for p in phrases)
    if asked.person == "me" and not is_own and any(is_person(p) or (p.owner and not p.owner.person) for p in subjects):
        return False  # "Ana's car is a Saab"
    named = [p for p in phrases if share_word(asked.words, p.words)]
    if is_person(asked) and not named and any(is_person(p) and p.names for p in subjects):
        return False  # "his birthday is on 28 March" is about the person named before
    holder = asked if asked.owner is None or any(p.owner for p in named) else asked.owner
    owned = [p for p in phrases if p.owner and same_phrase(holder, p.owner, by)]
    if any(is_person(p) and any(not w.has_capital or is_noun(w, sentence.locale) for w in p.words) for p in owned):
        return False  # "Tom's sister" is not Tom, nor is her dog his
    is_named = sought.kind == "names" and "name" in sought.question.concepts  # "Olga's parrot is called Figaro"
    apart = [p for p in owned if is_named or any(not is_noun(word, sentence.locale) for word in p.names)]
    if asked.owner is None and any(p in subjects for p in apart):
        return False  # "Kite's rival Heron" is not Kite
    others = [
        p for p in subjects if p not in owned and (p.owner or (p.names and not is_noun(p.words[-1], sentence.locale)))
    ]
    has_capitals = sentence.locale.has_noun_capitals
    others = [p for p in others if p.owner or not (has_capitals and is_word(p.words[-1].low, sentence.locale))]
    if holder is asked.owner and not all(same_phrase(holder, p, by) for p in others):
        return False
    return all(p.owner is None or _is_owner(asked, p.owner, sought, by) for p in named)


def _is_owner(asked: Phrase, owner: Phrase, sought: Sought, by: Speakers) -> bool:
    """Return whether an owner in a sentence may be the question's, which may be omitted."""
    if asked.owner is not None:
        is_project = owner.person == "me" and any(word.low in union("generic_nouns") for word in asked.owner.words)
        return owner.person == "they" or is_project or same_phrase(asked.owner, owner, by)
    return bool(asked.names) or not owner.names or _has_any(owner.words, sought.known)


def asks_own_name(question: Question) -> bool:
    """Return whether a question asks for the asker's own name."""
    subject = question.subject
    is_mine = subject is not None and subject.person == "me"
    is_open = question.wanted not in (Wanted.FREQUENCY, Wanted.TIME, Wanted.DURATION, Wanted.COUNT, Wanted.AMOUNT)
    is_own_name = question.concepts == {"name"} and not question.rest  # not "What name did I give my dog?"
    return is_mine and is_open and is_own_name


def introduced(read: Sequence[Reading]) -> Found | None:
    """Return the name of the asker in an introduction: "Hi, I'm Priya"."""
    for each in sorted(read, key=lambda one: one.age):
        clause, by = each.clause, each.by
        found = expression("introduces", clause.locale).search(clause.text) if by.speaker == by.asker else None
        if found is None or each.is_outdated or clause.modality is not Modality.CERTAIN:
            continue
        name = next(filter(None, found.groups()))
        first = name.split()[0].lower()
        is_sure = found["named"] is not None or first in word_list("given")
        if is_sure or not (common(first) or is_people(name) or clause.locale.has_noun_capitals):
            return Found(Cited(name, (each.place,)), _STATED, each)
    return None
