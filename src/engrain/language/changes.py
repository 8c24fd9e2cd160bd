"""Changes stated in text: `changes_in` returns them, `statements_in` the older statements they may replace or end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import groupby, pairwise
from unicodedata import normalize

from engrain.language import phrases, quantities
from engrain.language import reading as parsing
from engrain.language.antecedents import clauses_at, clauses_of
from engrain.language.cues import with_joined_correction
from engrain.language.entailment import slot_in
from engrain.language.locales import LOCALES, Locale, expression, has_any, language_of, template, union, word_list
from engrain.language.names import colours_in, is_word, sorts
from engrain.language.phrases import ACTIVITIES, Phrase, Word, concepts_of, people_words, vocabulary, with_owners
from engrain.language.quantities import PHONE, WORD, Kind, Value, differ, misstated, same_kind, states_of, values_of
from engrain.language.query import restated_in
from engrain.language.reading import Clause, Modality, Tense, joined_subjects, opening_pronoun
from engrain.language.segments import is_participle, is_person
from engrain.language.statements import is_verb, root
from engrain.language.times import durations
from engrain.language.tokens import is_stop, sentence_places, stem
from engrain.text import pattern

CUES = ("corrects", "from_now", "moves", "is_over", "parted", "no_longer", "obtained", "exchanges")
MAY_CHANGE = (*CUES, "stated_words", "outdated", "instead_of", "changing", "ending", "change_idioms", "leaves_team")
"""Fields of the locale; every text with a change contains a phrase of one of them."""
CONTRAST = pattern(r"[,;:–—-] ?(?:\w+ )?(?:not|nicht|no|pas|non)\b")
_READ = 2000  # characters of a text that are searched for changes
_LONGEST_VALUE = 40  # characters of a sentence that only gives the value of the previous one
_LONGEST_TURN = 300  # characters of a text up to which its other sentences count as context
_UNTIL = template(r"(?:{until})\W+(?:\w+\W+)?$")
_THINGS = frozenset("thing topic cosa tema chose sujet floor stock étage piso planta".split())  # "another thing: ..."
_DRIVING = frozenset({stem("drive")})
_BEGINNINGS = frozenset(map(stem, ("begin", "join", "adopt", "rent", "enrol", "subscribe", "sign", "become")))
_NAMED_AFTER = ACTIVITIES | frozenset(map(stem, ("appointment", "once", "twice")))
"""Nouns that are often omitted because their modifier suffices: "the osteopath" for the appointment there."""
_JOURNEYS = frozenset(map(stem, ("flight", "trip", "way", "journey")))
_OUTINGS = frozenset(map(stem, ("trip", "test", "exam", "party", "appointment")))
_BEFORE_NAMES = frozenset("mr mrs ms dr herr frau firma monsieur madame señor señora".split())
_ENDING = ("is_over", "no_longer", "from_now", "corrects", "moves", "parted")
_FIRMS = frozenset(map(stem, ("people", "company", "provider", "supplier", "firm")))
"""Nouns for those who announce a change: "the internet people wrote, it's gone up to 44 euros"."""
_BETWEEN = 2  # words
_GYM = stem("gym")
_MEMBERSHIPS = frozenset(map(stem, ("membership", "subscription", "contract")))
_BETWEEN_COUNT = 3  # words: "a lot of"
_CHANGING = frozenset({"change", "over", "asset"})
_ANOTHER = frozenset({"another"})
_Cues = Mapping[str, tuple[tuple[int, int], ...]]  # the spans of cues of change in a sentence, by their field


@dataclass(frozen=True, slots=True)
class Reading:
    """The subject of a sentence or of one of its clauses, as the roots of its words, and its values.

    `leading` are the roots that name its subject, `others` the words that distinguish it from another of that name
    ("the other bakery"). `is_own` where the speaker is its subject or an owner in it, `is_list` where it joins names,
    `is_vague` where its subject is a pronoun, `is_event` where it is a past state, `is_past` where it is a completed
    action that began nothing. `times` are its seasons and times of day, `relatives` those of a person: "Ana's cousin".
    `heads` are the roots of words that modify no noun, as "bike" does in "the bike shop", `holders` those of its
    person, or "me", or "another" where it changes what a third person has, `around` the roots of the whole text.
    """

    text: str
    locale: Locale
    words: tuple[Word, ...]
    roots: frozenset[str]
    leading: frozenset[str]
    values: tuple[Value, ...]
    others: frozenset[str]
    is_own: bool
    is_list: bool
    relations: frozenset[str]
    times: frozenset[str]
    is_vague: bool
    is_event: bool
    is_past: bool
    relatives: frozenset[str]
    heads: frozenset[str]
    holders: frozenset[str]
    around: frozenset[str] = frozenset()
    part: str | None = None
    """The text of its clause, None for a whole sentence."""
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    """The periods, times of day and labels that qualify its subject, by their kinds: "the May invoice", "gate B"."""
    states: tuple[Value, ...] = ()
    """Its exclusive states: a person is in one at a time."""

    @property
    def names(self) -> list[Word]:
        """The words that may be names."""
        return [word for word in self.words if is_name(word, self.text, self.locale)]

    @property
    def is_of_membership(self) -> bool:
        """Whether it mentions a membership or the like."""
        return not self.roots.isdisjoint(_MEMBERSHIPS)


@dataclass(frozen=True, slots=True)
class Change:
    """A clause that states that something has changed.

    `cue` is "moved", "now", "corrected", "over", "parted", "departed", "obtained" or
    "exchanged" ("changed banks"). `about` are the words that match the older statement,
    empty where the clause omits its subject ("no wait, Thursday"). `old` are the values that it denies, `gone`
    the names, `beside` the values of other clauses of the sentence, `of` those of the object of a move.
    """

    reading: Reading
    cue: str
    about: tuple[Word, ...]
    old: tuple[Value, ...]
    gone: frozenset[str]
    beside: tuple[Value, ...] = ()
    of: tuple[Value | Word, ...] = ()
    swap: tuple[str, str] | None = None
    """The wrong and the right words of "not Bonn, Bern", which names no thing."""
    before: frozenset[str] = frozenset()
    """The names in the clauses before it: "Tim's hip is ruined, so Vera has taken over"."""

    @property
    def is_elliptical(self) -> bool:
        """Whether it omits its subject, which an explicit notice need not name."""
        return not (self.about or self.reading.states or self.cue == "exchanged") or self.is_name

    @property
    def is_name(self) -> bool:
        """Whether it corrects a name and nothing else: "sorry, I meant Bruges"."""
        known, is_alone = self.reading, self.cue == "corrected" and not (self.reading.values or self.gone)
        return is_alone and self.about == (*known.names,) != () and shows("slips", known.text, known.locale)


def may_change(text: str) -> bool:
    """Return whether a text has words of change, correction or end in any language: a cheap filter."""
    return has_any(text[:_READ], *MAY_CHANGE) or CONTRAST.search(text, 0, _READ) is not None


@lru_cache(512)
def changes_in(text: str, at: datetime) -> tuple[Change, ...]:
    """Return the changes that a text asserts, in order; `at` is when it was stated."""
    read = with_joined_correction(text[:_READ])
    if not (may_change(text) or any(restated_in(read))):
        return ()
    places = list(sentence_places(read, lines=True))
    stated = [p for n, p in enumerate(places) if _may_state_change(read[slice(*p)], at) or _goes_on(read, places[:n])]
    sentences = (list(clauses_at(read, *place)) for place in stated)
    found = [each for clauses in sentences if clauses for each in _changes_of(clauses, at)]
    found += [change for each in restated_in(read) for change in _changes_of(list(clauses_of(each)), at)]
    for (low, high), (start, stop) in pairwise(places):
        head, value = read[low:high].rstrip(" .!\n"), read[start:stop]
        joined = f"{head}: {value}"
        is_short = 0 < len(value) <= _LONGEST_VALUE and "\n" not in read[low:start] and _may_state_change(joined, at)
        if is_short and _is_bare(value, at) and not values_of(head, language_of(head), at):
            found = [each for each in found if each.about or each.reading.text.strip() != value.strip()]
            found += [one for one in _changes_of(list(clauses_of(joined)), at) if one.about and one.reading.values]
    is_open = all(not (c.about or c.old) or all(v.kind is Kind.CODE for v in c.reading.values) for c in found)
    swaps = ((place, misstated(read[slice(*place)])) for place in places if is_open)
    for place, swap in ((place, swap) for place, swap in swaps if swap is not None):
        reading = replace(_reading(list(clauses_of(read[slice(*place)])), at), values=(), states=())
        found = [Change(reading, "corrected", (), (), frozenset(), swap=swap)]
    return tuple(found)


def _goes_on(text: str, before: Sequence[tuple[int, int]]) -> bool:
    """Return whether the sentence before leaves a new value to the next: "They postponed the race. It's on 3 May."."""
    sentence = text[slice(*before[-1])] if before else ""
    return has_any(sentence, "rescheduled", "topic_wrong", "from_now")


def _is_verbless(clause: Clause) -> bool:
    verbs = vocabulary(clause.locale).auxiliaries
    verbs |= clause.locale.verbs if clause.locale.has_base_verbs else frozenset()  # "I work"
    return not any(word.low in verbs or is_verb(word.low, "", clause.locale) for word in clause.words)


def _is_bare(sentence: str, at: datetime) -> bool:
    """Return whether a sentence is a value without a verb: "The lab code has been changed. 9038 from now on."."""
    if "?" in sentence or not values_of(sentence, language_of(sentence), at):
        return False
    return not any(clause.concepts or not _is_verbless(clause) for clause in clauses_of(sentence))


def _may_state_change(sentence: str, at: datetime) -> bool:
    """Return whether a sentence may state a change: it has a cue, and a value, a name or an ending; a cheap filter."""
    if not may_change(sentence):
        return False
    locale = language_of(sentence)
    ends = has_any(sentence, "ending") and has_any(sentence, *_ENDING)
    if ends or has_any(sentence, "is_over", "parted", "no_longer", "outdated", "obtained", "exchanges"):
        return True
    first, *others = WORD.findall(sentence) or [""]
    if any(word[0].isupper() and len(word) > 1 for word in others) or not is_word(first.lower(), locale):
        return True
    verbs = {*others, *(f"'{each}" for each in others)}  # "is", "'s"
    if not (locale.copulas | locale.located).isdisjoint(verbs) and has_any(sentence, "from_now", locale=locale):
        return True  # "the box is in the kitchen now"
    has_value = bool(values_of(sentence, locale, at) or states_of(sentence) or colours_in(sentence))
    return has_value or has_any(sentence, "taken_instead", locale=locale)


@lru_cache(2048)
def statements_in(text: str, at: datetime, context: str = "") -> tuple[Reading, ...]:
    """Return a reading of each sentence of a text, in a `context`, that asserts something present or future."""
    found = []
    groups = [list(group) for _, group in groupby(clauses_of(text[:_READ]), key=lambda each: each.text)]
    context = context or text
    words = ((w, c.locale) for c in clauses_of(context) for w in c.words) if len(context) <= _LONGEST_TURN else ()
    around = frozenset(each for word, locale in words for each in roots_of(word, locale))
    for clauses in groups:
        stated = [each for each in clauses if _is_stated(each) and not (each.over or each.negative)]
        several = [each for each in stated if not _is_verbless(each)] if len(stated) > 1 else []
        found += [replace(_reading(stated, at), around=around)] if stated else []
        found += [replace(_reading([c], at), around=around, part=c.text[c.start : c.stop]) for c in several]
    return tuple(found)


def _is_stated(clause: Clause) -> bool:
    is_sure = clause.modality is Modality.CERTAIN or clause.is_planned()
    return is_sure and ("change" in clause.concepts or not (clause.tense is Tense.PAST or _is_former(clause)))


def _leaves_out_speaker(clause: Clause) -> bool:
    """Return whether a clause begins with a past-tense verb and has no subject: "Gave up on Danish"."""
    first = clause.words[0].low.partition("_")[0]
    verb = clause.words[0]._replace(text=first, low=first)
    is_deed = clause.locale.has_base_verbs and is_participle(verb, clause.locale)
    return is_deed and clause.subject is None and not clause.text[: clause.start].strip()


def _is_former(clause: Clause) -> bool:
    """Return whether a clause states a former possession or feature: "my old flat had two rooms"."""
    low = clause.start if clause.subject is None else clause.subject.stop
    after = [word for word in clause.words if word.start >= low][:2]
    return bool(after) and after[0].low in clause.locale.had and not is_participle(after[-1], clause.locale)


def _reading(clauses: Sequence[Clause], at: datetime) -> Reading:
    text, locale = clauses[0].text, clauses[0].locale
    values = tuple(v for v in values_of(text, locale, at) if any(c.start <= v.start < c.stop for c in clauses))
    words = {word.start: word for clause in clauses for word in _content(clause, values)}
    first = min((each.start for each in values), default=len(text))
    hour = next((each.start for each in values if each.kind is Kind.CLOCK), None)
    if hour is not None and _UNTIL(locale).search(text[:hour]):
        words = {at: word._replace(root=_CLOSE) if word.root == _OPEN else word for at, word in words.items()}
    low = [word.low for clause in clauses for word in clause.words]
    known = vocabulary(locale)
    own = known.first | known.first_owner | locale.own_verbs | locale.oneself
    names = [p for clause in clauses for p in clause.phrases if p.names and not p.owner]
    subject = [w for clause in clauses for phrase in _phrases(clause) if phrase.start < first for w in phrase.words]
    shown = " ".join(clause.text[clause.start : clause.stop] for clause in clauses)
    has_participle = any(is_participle(w, c.locale) and w.low not in c.locale.have for c in clauses for w in c.words)
    return Reading(
        text,
        locale,
        tuple(words.values()),
        frozenset(root for word in words.values() for root in _all_roots(word, locale)),
        frozenset(word.root for word in subject if word.start in words),
        values,
        _others(clauses),
        not own.isdisjoint(low)
        or _leaves_out_speaker(clauses[0])
        or any(c.subject is not None and c.subject.person == "me" for c in clauses)
        or any(c.has_phrase("own_forms") for c in clauses if c.subject is None or not c.subject.names),
        any(text[one.stop : other.start].strip(" ,") in locale.joined for one, other in pairwise(names)),
        frozenset(name for clause in clauses for name in clause.concepts),
        (frozenset(low) & locale.seasons.keys()).union(expression("day_times", locale).findall(shown.lower())),
        low[0] != "they" and any(p.person == "they" for p in clauses[0].phrases[:1]) and not _subject_words(clauses[0]),
        clauses[0].tense is Tense.PAST or (not locale.perfect.isdisjoint(low) and has_participle),
        any(map(_is_past, clauses)),
        _relatives(clauses[0].subject),
        frozenset(root for clause in clauses for word in _heads(clause) for root in _all_roots(word, locale)),
        _holders(clauses[0].subject, locale),
        qualifiers=frozenset(each for _, each in quantities.qualifiers_of(clauses[0])),
        states=tuple(_states_in(clauses)),
    )


_OPEN, _CLOSE = stem("open"), stem("close")  # after "until", an opening time is a closing time


def _others(clauses: Sequence[Clause]) -> frozenset[str]:
    """Return the words for "other" that distinguish a thing from its namesake; not those of time: "the other day"."""
    locale = clauses[0].locale
    no_things = vocabulary(locale).times | _THINGS
    words = [word for clause in clauses for word in clause.words]
    found = {word.low for word, after in pairwise(words) if after.low not in no_things}
    if any(word.root in _JOURNEYS and after.low == "back" for word, after in pairwise(words)):
        found.add("return")  # "the flight back"
    return frozenset(locale.other_ones.split("|")) & (found | {words[-1].low})


def _states_in(clauses: Sequence[Clause]) -> Iterator[Value]:
    """Yield the exclusive states that clauses name, including the site of a thing and the make of a car."""
    yield from (v for v in states_of(clauses[0].text) if any(c.start <= v.start < c.stop for c in clauses))
    for clause in clauses:
        locale = clause.locale
        verb = next((word.stop for word in clause.words if word.low in locale.copulas | locale.past_be), clause.stop)
        for word in [w for w in clause.words if w.start >= verb and colours_in(w.low)][:1]:  # "are orange"
            yield Value(Kind.STATE, word.start, word.stop, frozenset({("colour", word.root)}))
        makes = [w for p in clause.phrases for w in p.words if w.low in sorts()["car"]]
        if makes and any(word.root in _DRIVING or word.low == "roule" for word in clause.words):
            yield Value(Kind.STATE, makes[0].start, makes[0].stop, frozenset({("car", makes[0].low)}))


def _is_past(clause: Clause) -> bool:
    """Return whether a clause states a completed action that began no state: "bought", not "joined"."""
    locale = clause.locale
    begins = shows("obtains", clause.text[clause.start : clause.stop], locale) or "+" in clause.concepts.values()
    begins = begins or not locale.since_words.isdisjoint(word.low for word in clause.words)  # "since 2019"
    if begins or not _BEGINNINGS.isdisjoint(word.root for word in clause.words):
        return False
    low = clause.start if clause.subject is None else clause.subject.stop
    after = [word for word in clause.words if word.start >= low]
    if not locale.has_base_verbs:
        return expression("past_tense", locale).search(clause.text, clause.start, clause.stop) is not None
    after = [word for word in after if word.low not in locale.now_words - locale.have]
    verbs = [word for word in after[:2] if word.low not in locale.have]  # "bought", "have bought"
    return bool(verbs) and verbs[0].low not in locale.copulas and is_participle(verbs[0], locale)


def _heads(clause: Clause) -> Iterator[Word]:
    """Yield the words of a clause except modifiers of a noun, unless that noun is an activity: "art class"."""
    pairs = [pair for p in _phrases(clause) for pair in pairwise(p.words)] if clause.locale.has_noun_compounds else []
    limiting = {
        word.start
        for word, other in pairs
        if other.low[0].isalpha() and not other.has_capital and other.root not in _NAMED_AFTER
        if other.low not in clause.locale.price_verbs
        if other.start <= word.stop + 1
    }
    return (word for word in (*_subject_words(clause), *clause.words) if word.start not in limiting)


def _holders(subject: Phrase | None, locale: Locale) -> frozenset[str]:
    for phrase in with_owners(subject):
        last = phrase.words[-1:]  # "the Chester trip" is no person
        is_thing = locale.has_noun_compounds and any(w.text.islower() and w.root not in people_words() for w in last)
        if phrase.person or (is_person(phrase) and not is_thing):
            words = (name for word in phrase.words for name in (word.root, word.low))  # names are not inflected
            return frozenset({phrase.person} if phrase.person else words)
    return frozenset()


def _relatives(subject: Phrase | None) -> frozenset[str]:
    if subject is None or subject.owner is None or subject.owner.person:
        return frozenset()
    return frozenset(word.root for word in subject.words if word.root in people_words())


def _phrases(clause: Clause) -> Iterator[Phrase]:
    for phrase in (*filter(None, [clause.subject]), *clause.phrases):
        yield phrase
        if phrase.owner is not None:
            yield phrase.owner


@lru_cache(8192)
def roots_of(word: Word, locale: Locale) -> tuple[str, ...]:
    """Return the roots of a word: of itself, of the parts of a compound, and of a name its spelling."""
    parts = word.low.split("-") if "-" in word.low else []
    bare = "".join(char for char in normalize("NFKD", word.low) if char.isalpha()) if word.has_capital else ""
    names = [word.low, word.low if word.low.isascii() else bare] if bare else []  # no language has endings for these
    return (
        word.root,
        *names,
        *(part.root for part in phrases.parts_of(word, locale)),
        *(root(part, locale) for part in parts),
    )


def _all_roots(word: Word, locale: Locale) -> tuple[str, ...]:
    """Return the roots of a word, with that of the activity of a compound: a school trip is a trip."""
    last = stem(word.low.rpartition("_")[2])
    return (*roots_of(word, locale), *([last] if "_" in word.low and last in _OUTINGS | ACTIVITIES else []))


def _subject_words(clause: Clause) -> list[Word]:
    return [word for phrase in _phrases(clause._replace(phrases=())) for word in phrase.words]


def _content(clause: Clause, values: Sequence[Value]) -> Iterator[Word]:
    """Yield the content words of a clause and of its subject, outside values and titles."""
    others = {w.start for p in joined_subjects(clause) if p is not clause.subject for w in p.words}
    for word in (w for w in (*_subject_words(clause), *clause.words) if w.start not in others):
        is_wife = word.low == "frau" and word_before(word, clause.text) in vocabulary(clause.locale).determiners
        is_title = word.text in union("titles") and clause.text[word.stop :].lstrip(" .")[:1].isupper()
        is_inside = any(value.start <= word.start < value.stop for value in values)
        if not (is_title or is_inside) and (is_wife or _is_content(word, clause.locale)):
            yield word


@lru_cache(8192)
def _is_content(word: Word, locale: Locale) -> bool:
    low, known = word.low, vocabulary(locale)
    is_word = low.removesuffix("'s").replace("-", "").replace("_", "").isalnum() and low[0].isalpha() and len(low) > 1
    if not is_word or low in known.times or low in _idle(locale):
        return False
    is_small = low.isascii() and is_stop(low)  # not "thé"
    return not (is_small or low in locale.stop | known.third | known.be)


@cache
def _idle(locale: Locale) -> frozenset[str]:
    """Return the words without content for a comparison: function words, units, titles."""
    small = locale.now_words | locale.change_words | locale.articles | locale.determiners | locale.prepositions
    small |= locale.idle_adjectives | locale.negated | locale.perfect | locale.future_words | locale.greetings
    small |= locale.have | locale.become | locale.short_auxiliaries | locale.auxiliaries | locale.past_be
    small |= locale.pronouns - locale.own_relatives
    small |= locale.joined | locale.oneself | locale.weekly | locale.per | locale.still_words
    return (
        small
        | {name for names in (*locale.units.values(), *locale.measures.values()) for name in names.split()}
        | ({title.lower() for title in union("titles")} - union("people_nouns"))
        | set(locale.idle_in_changes.split("|"))
    )


def is_name(word: Word, text: str, locale: Locale) -> bool:
    """Return whether a word of a text may be a name, by its capital letter and the lists of ordinary words."""
    if word.text[0].isupper() and word_before(word, text).rstrip(".") in _BEFORE_NAMES:
        return True
    opens = not any(map(str.isalnum, text[: word.start]))
    if not word.text[0].isupper() or phrases.is_noun(word, locale) or (opens and concepts_of(word, locale)):
        return False
    return not (opens and locale.has_common_words) or word.low in word_list("given") or not is_word(word.low, locale)


def _changes_of(clauses: list[Clause], at: datetime) -> Iterator[Change]:
    """Yield the changes that the clauses of a sentence state: endings first, then new values."""
    sentence, locale = clauses[0].text, clauses[0].locale
    clauses = [each for each in clauses if each.modality is not Modality.ASKED]
    if not clauses:
        return
    values, cues = values_of(sentence, locale, at), _cue_spans(sentence, locale)
    if "stated_words" in cues and not shows("topic_wrong", sentence, locale):
        yield from _corrected(clauses, cues["stated_words"][-1][1], at)
        return
    negative = [each for each in clauses if (each.negative and _denies(each, cues)) or _is_outdated(each, values)]
    denied = tuple(v for v in values if any(c.start <= v.start < c.stop for c in negative))
    denied += tuple(v for v in values for c in clauses for low, high in c.excluded if low <= v.start < high)
    led = (v for v in values for field in ("instead_of", "replacing") if _is_led_by(field, sentence[: v.start], locale))
    denied += tuple(v for v in led if v not in denied)
    has_ended = has_new = False
    yield from _no_longer_taken(clauses, at)
    for clause in clauses:
        text = clause.text[clause.start : clause.stop]
        if clause in negative or not _is_sure(clause, cues):
            continue
        yield from (stated := list(_stated_ends(clause, clauses, at)))
        if any(each.cue == "parted" for each in stated) and not shows("is_over", text, locale):
            return
        has_value = _has_value(clause, values)
        is_gone = shows("is_over", clause.text[max(clause.start - 2, 0) : clause.stop], locale)  # ", no more tram"
        ends = not cues.keys().isdisjoint(_ENDING) and (clause.over or "over" in clause.concepts or is_gone)
        if (is_gone and not has_value) or (ends and "change" not in clause.concepts):
            later = [each for each in clauses if each.over and each.start > clause.start]
            ended = None if has_ended else _ended([clause, *later], at)
            has_ended = has_ended or ended is not None  # later endings belong to the first
            yield from filter(None, [ended])
        elif not has_new or _has_cue(clause, cues):
            found = _new_value(clause, clauses, cues, denied, at, has_value=has_value)
            has_new = has_new or found is not None
            yield from filter(None, [found])
            if shows("exchanges", text, locale):  # after the change that has the new name
                exchanged = _change("exchanged", [clause], (), at)
                away = {w.start for p in clause.phrases if p.prep and locale.has_noun_capitals for w in p.words}
                yield replace(exchanged, about=tuple(word for word in exchanged.about if word.start not in away))
                yield from _departures(clause, exchanged) if shows("departs", text, locale) else ()


def _stated_ends(clause: Clause, clauses: Sequence[Clause], at: datetime) -> Iterator[Change]:
    """Yield a change for a separation of two people, and one for something awaited that a person obtained."""
    text, locale = clause.text[clause.start : clause.stop], clause.locale
    if shows("parted", text, locale):
        found = _change("parted", clauses, (), at)
        yield replace(found, about=tuple(w for w in found.about if w in found.reading.names) or found.about)
    if shows("leaves_team", text, locale):
        yield from _departures(clause, _change("departed", [clause], (), at))
    if shows("obtained", text, locale):
        found = _change("obtained", [clause], (), at)
        nouns = tuple(w for w in found.about if w.text[0].isupper() or not locale.has_noun_capitals)
        yield from [replace(found, about=nouns)] if nouns else []


def _no_longer_taken(clauses: Sequence[Clause], at: datetime) -> Iterator[Change]:
    """Yield the end of what another is taken for: "Metformin made her ill, so she takes gliclazide instead"."""
    text, locale = clauses[0].text, clauses[0].locale
    taken = expression("taken_instead", locale).search(text)
    if taken is None or any(each.modality is not Modality.CERTAIN or each.negative for each in clauses):
        return
    found = _change("replaced", clauses, (), at)
    for word in {w.start: w for c in clauses for p in c.phrases if not is_person(p) for w in p.words[-1:]}.values():
        if word.stop <= taken.start() or _is_led_by("instead_of", text[: word.start], locale):
            yield replace(found, about=(word,))


def _departures(clause: Clause, found: Change) -> Iterator[Change]:
    """Yield the change by which the person that a clause names leaves a role: "Dani renunció"."""
    names = tuple(word for word in _subject_words(clause) if word.text[0].isupper() and word in found.about)
    yield from [replace(found, cue="departed", about=names)] if names else []


def _has_value(clause: Clause, values: Sequence[Value]) -> bool:
    """Return whether a clause has a value other than a duration: "back by two weeks, so it's 29 June"."""
    lasting = durations(clause.text)
    spans = [v for v in values if clause.start <= v.start < clause.stop]
    is_other = any(not any(low <= v.start < high for low, high in lasting) for v in spans)
    return is_other or (bool(spans) and not any(v.start >= clause.stop for v in values))


def _is_alone(change: Change, clause: Clause) -> bool:
    """Return whether a change names nothing beyond its subject: "Mrs Roux has moved"."""
    subject = {word.root for word in _subject_words(clause)}
    return all(word.root in subject for word in change.reading.names) and not change.reading.is_own


def _has_cue(clause: Clause, cues: _Cues) -> bool:
    return any(clause.start <= low < clause.stop for spans in cues.values() for low, _ in spans)


def _new_value(
    clause: Clause, clauses: Sequence[Clause], cues: _Cues, denied: tuple[Value, ...], at: datetime, *, has_value: bool
) -> Change | None:
    """Return the change whose new value is in a clause or in the one that continues it, or None."""
    text, locale = clause.text[clause.start : clause.stop], clause.locale
    moved = "change" in clause.concepts or clause.concepts.get("owner") == "+" or shows("moves", text, locale)
    is_new = "from_now" in cues or not locale.change_words.isdisjoint(word.low for word in clause.words)
    cue = "moved" if moved else "corrected" if "corrects" in cues or denied else "now" if is_new else ""
    is_here = moved or _has_cue(clause, cues)
    if cue == "now" and clause.tense is Tense.PAST:
        return None  # "since he was twelve"
    marked = [each for each in clauses if _has_cue(each, cues) and not each.negative]
    fresh = ((each, value) for each in marked for value in values_of(each.text, each.locale, at) if value not in denied)
    if not is_here and any(each.start <= value.start < each.stop for each, value in fresh):
        return None  # another clause has a cue and a new value
    led = clause.text[: clause.start].strip()  # "New boss: Ana Roth", "Sorry, it's Bruges"
    is_taken_up = opening_pronoun(clause) is not None and expression("corrects", locale).fullmatch(led.strip(" ,.!–—-"))
    is_led = (led.endswith(":") or bool(is_taken_up)) and any(phrase.names for phrase in clause.phrases)
    if not cue or not (has_value or is_here or is_led):
        return None
    is_remark = expression("corrects", locale).fullmatch(text.strip(" ,")) is not None  # "change of plan, ..."
    if not has_value and (clause.text[clause.stop : clause.stop + 1] == ":" or is_remark):
        return None  # a heading
    before = _topic(clause, clauses)
    cue = "moved" if cue == "now" and has_value and before is not None and "change" in before.concepts else cue
    is_whole = has_value or (moved and any(p.names and p.prep in locale.goals for p in clause.phrases))
    after = [] if is_whole else [c for c in clauses if c.start > clause.start and _continues(c, clause)][:1]
    found = _change(cue, [clause, *after], denied, at)
    if before is not None and "change" in before.concepts:  # "they changed the flight to Lima: it leaves at 9"
        of = [word for p in before.phrases if p.prep and p is not before.subject for word in p.names]
        found = replace(found, about=(*found.about, *(word for word in of if word not in found.about)))
    if before is not None and all(is_verb(word.low, "", locale) for word in found.about):
        named = [word for phrase in with_owners(before.subject) for word in phrase.words if word.root in people_words()]
        found = replace(found, about=tuple(named) or _change(cue, [before], denied, at).about)
        found = replace(found, reading=replace(found.reading, is_vague=False))
    elif (is_here or denied) and has_value and all(is_verb(word.low, "", locale) for word in found.about):
        about = tuple(_last_mentioned(clause, clauses))  # "the dentist rang, they've pushed me back to Tuesday"
        is_next = not about and opening_pronoun(clause) is not None  # "The dentist is ill. They moved me to Tuesday"
        about = tuple(word for word in _subject_words(clause) if is_next and word.root in people_words()) or about
        found = replace(found, about=about, reading=replace(found.reading, is_vague=False)) if about else found
    if cue == "moved":
        found = replace(found, reading=_with_owner(found.reading, clause))
    if opening_pronoun(clause) is not None:
        found = replace(found, about=tuple(w for w in found.about if w.root not in _FIRMS) or found.about)
    others = [c for c in clauses if c not in (clause, *after) and _is_stated(c) and not c.negative]
    others = [c for c in others if shows("stays", c.text[c.start : c.stop], locale)]
    values = values_of(clause.text, locale, at)
    beside = tuple(v for v in values if v not in denied and any(c.start <= v.start < c.stop for c in others))
    earlier = (p for c in clauses if c.start < clause.start for each in (*_phrases(c),) for p in with_owners(each))
    names = frozenset(name for p in earlier for w in p.names for name in (w.root, w.low) if w not in clause.words)
    names -= {name for word in _subject_words(clause) for name in (word.root, word.low)}
    takes_over = bool(names) and "owner" in clause.concepts  # "Tim's hip is ruined, so Vera has taken over"
    is_new = bool(found.reading.values or found.reading.states or slot_in(text)) or takes_over
    is_new = is_new or (bool(found.reading.names) and not (cue == "moved" and _is_alone(found, clause)))
    found = replace(found, beside=beside, before=names)
    return found if is_new else None  # "Mrs Roux has moved, the new neighbour is called ..."


def _with_owner(reading: Reading, clause: Clause) -> Reading:
    """Return the reading of a move with what its clause states of the owner of the object."""
    owners = {p.owner.person for p in clause.phrases if p.owner is not None and not p.prep}
    agent = clause.subject
    if "me" in owners:
        return replace(reading, is_vague=False)  # "she raised my dose of iron"
    if "they" in owners and agent is not None and is_person(agent) and not agent.person:
        return replace(reading, holders=_ANOTHER)  # "the doctor raised his dose of iron"
    return reading


def _last_mentioned(clause: Clause, clauses: Sequence[Clause]) -> Iterator[Word]:
    """Yield the words of the thing, or else the profession, that the previous clauses of a sentence mention last."""
    for before in reversed(clauses[: clauses.index(clause)]):
        others = [p for p in before.phrases if p is not before.subject and p.words and not (p.person or is_person(p))]
        words = [word for phrase in others[-1:] for word in phrase.words if _is_content(word, clause.locale)]
        named = [word for phrase in with_owners(before.subject) for word in phrase.words]
        is_firm = any(word.root in _FIRMS for word in named)
        known = [word for word in named if is_firm or word.root in people_words()]
        words = words or [word for word in known if word.text not in union("titles")]
        if words:
            yield from words
            return


def _topic(clause: Clause, clauses: Sequence[Clause]) -> Clause | None:
    """Return the previous clause if it names what changes: "New phone: it is ...", "The rent went up, we pay ..."."""
    place = clauses.index(clause)
    before = clauses[place - 1] if place else None
    if before is None or before.over or before.negative or before.modality is not Modality.CERTAIN:
        return None
    return before if clause.text[before.stop : before.stop + 1] == ":" or "change" in before.concepts else None


def _is_sure(clause: Clause, cues: _Cues) -> bool:
    """Return whether a clause is certain, its only words of doubt being cues of a correction: "no, espera"."""
    if parsing.is_infinitive(clause.words, clause.locale) and not clause.over:
        return False  # "denkt daran, zu Lumen zu wechseln"
    if clause.modality is not Modality.POSSIBLE:
        return clause.modality is Modality.CERTAIN
    doubts = expression("uncertain", clause.locale).finditer(clause.text, clause.start, clause.stop)
    spans = [span for each in cues.values() for span in each]
    places = [each.start() for each in doubts]
    return bool(places) and all(any(low <= place < high for low, high in spans) for place in places)


def _continues(clause: Clause, before: Clause) -> bool:
    """Return whether a clause gives the value of what the previous one names: "I have a new code, it is 7123"."""
    own = next((p for p in clause.phrases if not p.prep), None)
    subject = () if before.subject is None else before.subject.words
    is_pronoun = own is None or own.person == "they" or own.words == subject
    return clause.modality is Modality.CERTAIN and not clause.negative and (is_pronoun or len(clause.words) <= 4)


def _value_correction(clauses: list[Clause], after: int, at: datetime) -> Change | None:
    """Return the correction of one stated value by another, or None: "I put 17:40, it's 18:10"."""
    reading = _reading(clauses, at)
    values = [each for each in reading.values if each.start >= after]
    if len(values) != 2 or not same_kind(*values) or not differ(*values):
        return None
    between = WORD.findall(reading.text[values[0].stop : values[1].start].lower())
    old, new = values if reading.locale.negated.isdisjoint(between) else reversed(values)  # "it's 14, not 16"
    swap = reading.text[old.start : old.stop], reading.text[new.start : new.stop]
    return Change(replace(reading, values=(new,)), "corrected", (), (old,), frozenset(), swap=swap)


def _corrected(clauses: list[Clause], after: int, at: datetime) -> Iterator[Change]:
    """Yield the corrections of a whole statement, or else of its last value."""
    stated, old = _as_corrected(clauses[0].text, clauses[0].locale, at)
    found = list(_changes_of(stated, at)) if stated else []
    for each in found:
        bare = each.reading.text.removesuffix(f" {each.reading.locale.written['now']}")
        wrong = (*each.old, *old) if each.about else each.old
        yield replace(each, reading=replace(each.reading, text=bare), old=wrong)
    if not found and (right := _value_correction(clauses, after, at)) is not None:
        yield right


def _as_corrected(sentence: str, locale: Locale, at: datetime) -> tuple[list[Clause], list[Value]]:
    """Return the clauses of a correction, "the beagle is called Milo now" for "I wrote Rolo, it's Milo", and the error.

    The error is a value, none where it is a name.
    """
    found = expression("wrongly_stated", locale).search(sentence)
    stated = clauses_of(found["stated"].strip(" ,.;:")) if found is not None else ()
    if not stated or found is None:
        return [], []
    text, right = stated[-1].text, found["right"].strip()
    new, states = values_of(right, locale, at), [*_states_in(stated)]
    colours = colours_in(right) if states else ()
    new = new or tuple(Value(Kind.STATE, 0, len(right), frozenset({("colour", right)})) for _ in colours)
    old: list[Value | Phrase] = [
        v for v in (*values_of(text, locale, at), *states) if any(same_kind(v, each) for each in new)
    ]
    old = old or [p for p in stated[-1].phrases if p.words and p is not stated[-1].subject and not new]
    if not old or not old[-1].start:
        return [], []  # "I said 890 for the flat" is no sentence
    shown = right if not new else right[new[0].start : new[0].stop]
    text = f"{text[: old[-1].start]}{shown}{text[old[-1].stop :]} {locale.written['now']}"
    wrong = [each for each in old[-1:] if isinstance(each, Value)]
    return [clause._replace(tense=Tense.PRESENT, over=False) for clause in clauses_of(text)], wrong


def _ended(clauses: list[Clause], at: datetime) -> Change | None:
    """Return the end that clauses state, None where they do not name what ends."""
    found = _change("over", clauses, (), at)
    text, locale, first = found.reading.text, found.reading.locale, found.about[0] if found.about else None
    counted = WORD.findall(text[: first.start].lower())[-_BETWEEN_COUNT:] if first is not None else []
    if first is None or not (locale.partial | locale.counting_words).isdisjoint(counted):
        return None  # "got rid of a lot of clothes"
    states = opening_pronoun(clauses[0]) is not None and not locale.copulas.isdisjoint(w.low for w in clauses[0].words)
    is_cut = len(found.about) == 1 and text[first.stop : first.stop + 1] == ","  # "sold a rare, limited edition"
    if (states and clauses[0].start) or (is_cut and word_before(first, text) in locale.indefinite):
        return None  # "because they're no longer waterproof"
    person = clauses[0].subject
    is_deed = shows("cancels", text, locale) or "asset" in found.reading.relations  # "Ben has sold his bike"
    if shows("died", text, locale) and not is_deed and person is not None and is_person(person):
        about = tuple(word for word in found.about if word in person.words)  # not "in her sleep"
        found = replace(found, about=about or found.about)
    names = {word.root for word in found.reading.names}
    is_named = all(word.root in names for word in found.about)  # "Jonas has stopped"
    is_dead = found.reading.is_own or shows("died", found.reading.text, found.reading.locale)
    led = found.reading.locale.articles | vocabulary(found.reading.locale).determiners
    is_thing = any(word_before(word, text) in led for word in found.about)  # nouns have capitals in German
    own = {word.root for word in _subject_words(clauses[0])}
    is_thing = is_thing or (bool(own) and any(word.root in names - own for word in found.about))  # "Ana has left Acme"
    is_agent = bool(own) and shows("departs", text, locale) and own.issuperset(word.root for word in found.about)
    if not (is_named or is_agent) or is_dead or is_thing:
        return found
    return replace(found, cue="departed") if shows("departs", text, locale) else None


@lru_cache(512)
def _cue_spans(sentence: str, locale: Locale) -> _Cues:
    fields = (*CUES, "stated_words")
    found = {field: tuple(m.span() for m in expression(field, locale).finditer(sentence)) for field in fields}
    return {field: spans for field, spans in found.items() if spans}


def _is_outdated(clause: Clause, values: Sequence[Value]) -> bool:
    """Return whether a clause states that one of the values is outdated: "2.3 is history"."""
    has_value = any(clause.start <= each.start < clause.stop for each in values)
    return has_value and shows("outdated", clause.text[clause.start : clause.stop], clause.locale)


def _denies(clause: Clause, cues: _Cues) -> bool:
    """Return whether a clause has a negation that is not part of a cue such as "no wait"."""
    negated = [w for w in clause.words if w.low in clause.locale.negated or w.low == "n't"]
    spans = [span for each in cues.values() for span in each]
    return any(not any(low <= word.start < high for low, high in spans) for word in negated)


def _is_led_by(field: str, before: str, locale: Locale) -> bool:
    """Return whether a text ends with a phrase of a field, or one word after it: "instead of gate 4"."""
    found = list(expression(field, locale).finditer(before))
    return bool(found) and len(before[found[-1].end() :].split()) < _BETWEEN


def shows(field: str, text: str, locale: Locale) -> bool:
    """Return whether a text contains a phrase of a field of the locale."""
    return expression(field, locale).search(text) is not None


def _change(cue: str, clauses: Sequence[Clause], old: tuple[Value, ...], at: datetime) -> Change:
    reading, locale = _reading(clauses, at), clauses[0].locale
    sources = (locale.sources - locale.owner_links) | locale.negated
    comes = [c for c in clauses if locale.origin_verbs.isdisjoint(word.low for word in c.words)]  # "come from Kassel"
    gone = {w.root for c in comes for p in c.phrases if p.prep in sources for w in p.names}
    gone |= {word.root for c in clauses for word in _replaced_names(c)}
    if any(p.prep in locale.goals and p.names for c in clauses for p in c.phrases):  # "von Kiel nach Ulm"
        gone |= {w.root for c in clauses for p in c.phrases if p.prep in locale.sources for w in p.names}
    here = {word for each in clauses for word in each.words}  # an antecedent has its span in another sentence
    gone |= {w.root for w in reading.words if w in here and word_before(w, reading.text) in locale.negated}
    led = [w for w in reading.names if w in here and _is_led_by("instead_of", reading.text[: w.start], locale)]
    gone |= {word.root for word in led}
    cues = _cue_spans(reading.text, locale)  # "no longer" may enclose the object: "keinen Kaffee mehr"
    spans = [span for field, found in cues.items() if field != "no_longer" for span in found]
    spans += [found.span() for found in expression("owing_to", locale).finditer(reading.text)]  # "wegen Tom"
    about = tuple(
        word
        for word in reading.words
        if not (word in here and any(low <= word.start < high for low, high in spans))
        and ({n for n, _ in concepts_of(word, locale)}.isdisjoint(_CHANGING) or _is_removal(word, reading.text, locale))
    )
    inside = [word for word in about if word in here and word.start >= clauses[0].start]
    comma = reading.text.find(", ", inside[0].stop) if inside else -1
    colon = reading.text.find(":", comma)
    if 0 <= comma < colon:  # "new flat, new address: ..."
        comma = reading.text.rfind(",", 0, colon)
        about = tuple(word for word in about if comma < word.start < colon) or about
    elif comma >= 0:  # "is off, too much rain"
        about = tuple(word for word in about if word.start < comma)
    if (reason := expression("because", locale).search(reading.text, about[0].stop if about else 0)) is not None:
        about = tuple(word for word in about if word.start < reason.start())  # "because of my knee"
    study = expression("studies", locale).search(reading.text) if cue == "now" else None
    if study is not None:  # the subject studied is the new value
        about = tuple(word for word in about if word.start < study.end()) or about
    about = _without_agent(_without_aside(about, clauses[0]), clauses) if cue == "moved" else about
    about = _without_carried(about, clauses[0])
    if cue == "over":  # "traded in the Golf for a bike", "quit the choir and joined a band"
        about = _without_taker(about, clauses)
        is_gym = any(word.root == _GYM for word in about)  # a gym implies a membership
        is_gym = is_gym or any(p.names and p.prep for c in clauses for p in c.phrases)  # "my membership at FitPark"
        about = tuple(word for word in about if not (is_gym and word.root in _MEMBERSHIPS))
        joins = [w.start for c in clauses for w in c.words if w.low in locale.coordinating and about]
        acts = [w.start for w in about if is_verb(w.low, "", locale) or w.low in phrases.action_forms(locale)]
        joins = [at for at in joins if at > about[0].start and any(act > at for act in acts)]
        about = tuple(word for word in about if not joins or word.start < min(joins))
        is_sold = bool(reading.relations & {"change", "asset"})  # not "cancelled the order for the chess club"
        ends = [p.start for c in clauses for p in c.phrases if is_sold and p.prep in locale.exchanged_for]
        if "asset" in reading.relations:  # "sold the Golf to a student"
            ends += [p.start for c in clauses for p in c.phrases if p.prep in locale.goals | locale.handed_to]
        about = tuple(word for word in about if not ends or word.start < min(ends))
    things = [place for each in clauses if cue == "moved" for place in _moved_thing(each)]
    named: list[Value | Word] = [*reading.values, *reading.names]
    of = tuple(each for each in named if any(a <= each.start < b for a, b in things))
    fresh = tuple(each for each in reading.values if each not in old and each not in of)
    if fresh and all(word.low in locale.contact_verbs for word in about):  # "please use jo@new.example from now on"
        about = tuple(_implied(fresh[0], reading)) or about
    return Change(replace(reading, values=fresh), cue, about, old, frozenset(gone), of=of)


def _is_removal(word: Word, text: str, locale: Locale) -> bool:
    """Return whether a word is the noun for a change of home: "they pushed the move to May"."""
    is_led = word_before(word, text) in locale.articles | locale.determiners
    return is_led and any(name == "lives_in" for name, _ in concepts_of(word, locale))


def _moved_thing(clause: Clause) -> Iterator[tuple[int, int]]:
    """Yield the span of the object that a clause states is moved somewhere: "moved web-2 to Oslo"."""
    verbs = [word for word in clause.words if {name for name, _ in concepts_of(word, clause.locale)} & {"change"}]
    goals = [p.start for p in clause.phrases if p.prep in clause.locale.goals | clause.locale.handed_to]
    low = verbs[0].stop if verbs else clause.stop
    high = next((at for at in goals if at > low), low)
    between = [p for p in clause.phrases if low <= p.start and p.stop <= high and p is not clause.subject]
    if clause.text[low:high].strip()[:1].isdigit() or (between and not between[0].prep and not between[0].person):
        yield low, min((p.start for p in between if p.prep), default=high)


def _implied(value: Value, reading: Reading) -> Iterator[Word]:
    """Yield the noun that an e-mail address, a telephone number or a weight implies where a sentence omits it."""
    shown = reading.text[value.start : value.stop]
    noun = "weigh" if "weighs" in reading.relations and value.kind is Kind.SUM else ""
    if value.kind is Kind.CODE:
        noun = "email" if "@" in shown else "telephone" if PHONE.fullmatch(shown) else ""
    if noun:
        yield Word(noun, noun, root(noun, LOCALES["en"]), value.start, value.start)


def _without_aside(about: tuple[Word, ...], clause: Clause) -> tuple[Word, ...]:
    """Return the words except those of a phrase before the subject: "after the audit, the budget went up to ..."."""
    subject = clause.subject
    if subject is None or "," not in clause.text[clause.start : subject.start]:
        return about
    return tuple(word for word in about if word.start >= subject.start) or about


def _without_carried(about: tuple[Word, ...], clause: Clause) -> tuple[Word, ...]:
    """Return the words except the previous clause's subject, if a clause names its own: "..., so now yoga is at 6"."""
    verb = next((word.start for word in clause.words if word.low in clause.locale.copulas), clause.start)
    if not any(clause.start <= word.start < verb for word in about):
        return about
    return tuple(word for word in about if word.start >= clause.start)


def _without_agent(about: tuple[Word, ...], clauses: Sequence[Clause]) -> tuple[Word, ...]:
    """Return the words for the object of a change, not for its agent: "the school moves the exam to May"."""
    for clause in clauses:
        subject = clause.subject
        is_here = subject is not None and clause.start <= subject.start < clause.stop
        agent = subject if "change" in clause.concepts and is_here else None
        agents = [agent, *joined_subjects(clause), *(p for p in clause.phrases if agent and p.stop + 1 == agent.start)]
        thing = next((p for p in clause.phrases if p.words and not p.prep and not p.person and p not in agents), None)
        if agent is None or thing is None or (thing.owner is not None and thing.owner.words == agent.words):
            continue  # "the neighbours raised their rent"
        places = {word.start for phrase in with_owners(agent) for word in phrase.words}
        about = tuple(word for word in about if word.start not in places) or about
    return about


def _without_taker(about: tuple[Word, ...], clauses: Sequence[Clause]) -> tuple[Word, ...]:
    """Return the words for the speaker's possession, not for the agent who takes it: "some idiot stole my bike"."""
    for clause in clauses:
        agent = clause.subject
        own = [p for p in clause.phrases if p.owner is not None and p.owner.person == "me" and not p.prep]
        has_left = shows("departs", clause.text[clause.start : clause.stop], clause.locale)  # "Ana has left our firm"
        if agent is not None and not (agent.person or agent.owner or has_left) and own and own[0].start > agent.start:
            about = tuple(word for word in about if word not in agent.words) or about
    return about


def _replaced_names(clause: Clause) -> Iterator[Word]:
    """Yield the names that a clause states are replaced: "replaced Hansen with Brandt"."""
    for thing, other in pairwise(clause.phrases):
        is_thing = not thing.prep and not thing.person and thing is not clause.subject
        moves = "change" in clause.concepts or shows("moves", clause.text[clause.start : clause.stop], clause.locale)
        if is_thing and other.prep in clause.locale.replaced_by and moves:
            yield from thing.names
    things = [p for p in clause.phrases if p.names and not p.prep and p is not clause.subject]
    is_by_name = clause.subject is not None and bool(clause.subject.names)
    if is_by_name and things and shows("replacing", clause.text[clause.start : clause.stop], clause.locale):
        yield from things[0].names  # "Nowak has replaced Brandis as ..."


def word_before(word: Word, text: str) -> str:
    """Return the word before a word of a text, in lower case."""
    return text[: word.start].rstrip(" ,").rpartition(" ")[2].lower()
