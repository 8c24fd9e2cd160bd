"""Parsing of questions: `parse` returns a `Question` with its subject, its relations and the kind of answer wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import pairwise, takewhile
from typing import Literal

from engrain.language.locales import (
    LOCALES,
    Locale,
    expression,
    has,
    language_of,
    nouns_of,
    one_of,
    template,
    word_list,
)
from engrain.language.phrases import Phrase, Reader, Word, concepts_of, people_words, with_owners
from engrain.language.questions import Wanted, asking_words, head_of, sort_of_answer
from engrain.language.reading import as_owned, part_names
from engrain.language.segments import is_own_past, is_person
from engrain.language.tokens import PAST_FORMS, index_term, is_stop, sentence_places
from engrain.text import ALIKE, literals, pattern

_BEFORE = 4  # words before the question word: "And in which city"
_LONGEST_PARAPHRASED = 300  # characters
_MEASURED = (Wanted.COUNT, Wanted.AMOUNT, Wanted.DURATION, Wanted.FREQUENCY)
_Rewrite = tuple[re.Pattern[str], frozenset[str], list[str]]  # one of these literals is in a text that it rewrites
_HOMEWARD = frozenset("bring brought bringing take took taken carry carried come came go went gone get got".split())
"""English verbs after which "home" is a destination."""


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed question.

    `subject` is the entity it is about, None without one. With `asks_subject` it asks for the agent of an action, and
    `subject` is the object. `concepts` are the relations that it asks for, `rest` the other words that a clause
    must have. `earlier` asks for a former state.
    """

    text: str
    locale: Locale
    wanted: Wanted
    subject: Phrase | None
    concepts: frozenset[str]
    rest: tuple[Word, ...]
    head: str = ""
    counted: str = ""
    several: bool = False
    asks_subject: bool = False
    earlier: bool = False
    past: bool = False
    has: bool = False
    """Whether it asks for a possession."""
    goes_on: bool = False
    """Whether it asks if a state or a plan still holds."""
    verbs: tuple[Word, ...] = ()
    """The words of `rest` that are verbs."""
    noun: Word | None = None
    """The noun of the thing asked for: "city" in "which city"."""
    order: Literal["", "first", "last"] = ""
    """The position in time asked for, "first" or "last", whose words are in no other field."""
    times: bool = False
    """Whether it asks how many times an event happened."""

    def says(self, field: str) -> bool:
        """Return whether its text contains a phrase of a field, in its own language."""
        return _says(self.text, field)


@lru_cache(4096)
def _says(text: str, field: str) -> bool:
    return has(text, field)


_PADDING, _INVERTED = template("{question_padding}"), template("{inverted_pronoun}")


def parse(text: str, *, literal: bool = False) -> Question:
    """Parse a question; with `literal` words for an order in time have no special meaning: "my first job"."""
    text = " ".join(text[:2000].split())
    locale, text = language_of(text), text.lstrip("¿¡ ")
    text = _without_now(next(_rewritten(text, locale, locale.reworded), text).lstrip("¿"), locale)
    clock = expression("asks_clock_time", locale).match(text) if locale.when_word else None
    if clock is None:
        return _parsed(text, locale, literal=literal)
    return replace(_parsed(f"{locale.when_word}{text[clock.end() :]}", locale, literal=literal), text=text)


def _without_now(text: str, locale: Locale) -> str:
    """Return a question without the words for the present and for a final state: "these days", "in the end"."""
    return " ".join(expression("idle_time_phrases", locale).sub(" ", text).split()).replace(" ?", "?")


def _parsed(text: str, locale: Locale, *, literal: bool) -> Question:
    order, bare = _without_order(text, locale)
    order, text = ("", text) if literal else (order, bare)
    text, wanted = _in_plain_order(text, locale)
    words = (reader := Reader(text.rstrip(" ?!."), locale)).words
    at = next((place for place, word in enumerate(words[:_BEFORE]) if word.low in locale.question_words), None)
    if at is None and wanted in (Wanted.THING, Wanted.ANYTHING) and text.endswith("?") and _has_verb(reader):
        wanted = Wanted.YES_NO
    if wanted is Wanted.YES_NO:
        reader.first_verb = _first_verb(reader)
    still = wanted is Wanted.YES_NO and bool(words) and words[0].low in locale.still_words & locale.own_verbs
    begin, head = (int(still), "") if at is None else _after_question_word(reader, at, wanted)  # "¿Sigo fumando?"
    idle = reader.known.be | locale.idle_question_words
    if wanted is Wanted.MANNER and begin < len(words) and words[begin].low in idle:  # "how is the tea"
        wanted = Wanted.THING
    before = words[at - 1].low if at else ""  # "with who"
    nominal = at is not None and words[at].low in locale.who_words and before not in locale.prepositions
    subject = _subject(reader, begin, may_be_bare=at is not None and not nominal)
    subject = Phrase(0, 0, (), person="me") if still else _with_split_verb(reader, begin, subject, wanted)
    concepts: set[str] = set()
    if head and begin:
        concepts.update(name for name, mark in concepts_of(words[begin - 1], locale) if mark == "=")
    rest = list(_rest(reader, begin, subject, concepts, wanted))
    if wanted is Wanted.THING and rest and "born" in concepts:  # "What does Lea want for her birthday?"
        concepts.discard("born")
        rest += [word for word in words if ("born", "=") in concepts_of(word, locale)]
    if not concepts:
        subject = _unowned(subject, locale, concepts)
    rest = _of_job(rest, wanted, concepts, locale)
    subject, rest = _with_predicate(subject, rest, reader, may_lack_one=wanted is Wanted.YES_NO and not concepts)
    is_left = concepts == {"lives_in"} and _asked_of_person(text, locale) == "origin"  # "Where did I move from?"
    if not is_left and (relation := _asked_of_person(text, locale)):
        concepts, rest = {relation}, []
        own = next((word for word in words if word.low in locale.oneself), None)
        if subject is None and own is not None:
            subject = Phrase(own.start, own.stop, (), person="me")
    asks_subject = nominal and begin < len(words) and _asks_subject(reader, begin, concepts, rest)
    term, several = head_of(text)
    lows = {word.low for word in words}
    is_done = asks_subject and locale.has_base_verbs and any(low.endswith("ed") or low in PAST_FORMS for low in lows)
    return Question(
        text,
        locale,
        wanted,
        subject,
        frozenset(concepts),
        tuple(rest),
        head=head or term,
        counted=term or (index_term(words[begin - 1].text) if head else ""),
        several=several,
        asks_subject=asks_subject,
        earlier=is_left or has(_without_age(text, locale), "earlier") or has(text, "former"),
        past=not lows.isdisjoint(locale.past_be | locale.childhood) or has(text, "asks_of_past") or is_done,
        has=any(word.low in locale.have or word.root == "have" for word in words) and not has(text, "takes_place"),
        goes_on=any(word.low in locale.still_words for word in words),
        verbs=tuple(word for word in rest if _may_be_verb(reader, word)),
        noun=words[begin - 1] if head else None,
        order=order,
        times=expression("asks_times", locale).search(text) is not None,
    )


def _without_age(text: str, locale: Locale) -> str:
    """Return a question without the age of a thing that was given away: "Who bought my old bike?"."""
    is_traded = has(text, "hands_on") or has(text, "obtains") or has(text, "acquires")
    return expression("old_possession", locale).sub("", text) if is_traded else text


def _with_predicate(
    subject: Phrase | None, rest: list[Word], reader: Reader, *, may_lack_one: bool
) -> tuple[Phrase | None, list[Word]]:
    """Return the subject without its predicate, and that: "Is my husband diabetic?", "Is the heating on?"."""
    if rest or not may_lack_one:
        return subject, rest
    if subject is not None and len(subject.words) > 1:
        return subject._replace(words=subject.words[:-1], stop=subject.words[-2].stop), [subject.words[-1]]
    return subject, [word for word in reader.words[-1:] if word.low in reader.locale.condition_names]


def _in_plain_order(text: str, locale: Locale) -> tuple[str, Wanted]:
    """Return a question without "on holiday", "est-ce que" and inversion, and the kind of answer that it asks for."""
    if expression("asks_where_to", locale).match(text):
        text = expression("on_holiday", locale).sub("", text)
    if (found := expression("cleft", locale).search(text)) is not None:
        text = f"{locale.which_noun} {found['noun']} {found['rest']}"
    wanted = sort_of_answer(text)
    if not locale.inverted_pronoun:
        return text, wanted
    return _INVERTED(locale).sub(r" \g<pronoun>", _PADDING(locale).sub("", text)), wanted


def _without_order(text: str, locale: Locale) -> tuple[Literal["", "first", "last"], str]:
    """Return the position in time that a question asks for, and the question without the words for it."""
    orders: tuple[Literal["first", "last"], ...] = ("first", "last")
    for order in orders:
        found = expression(f"asks_{order}", locale).search(text)
        if found is not None and sort_of_answer(text) is not Wanted.YES_NO:
            return order, " ".join((text[: found.start()] + text[found.end() :]).split())
    return "", text


def _verb_at(reader: Reader, begin: int) -> int:
    """Return the index after the object pronouns of a Spanish question: "¿Qué me regaló Ana?"."""
    pronouns = reader.locale.object_pronouns if reader.locale.own_verbs else frozenset[str]()
    verb = begin + sum(1 for _ in takewhile(lambda word: word.low in pronouns, reader.words[begin:-1]))
    has_agent = reader.words[verb + 1 :] and reader.words[verb].low not in reader.locale.pleasing_verbs
    return verb if has_agent else begin  # "¿Cómo me llamo?"


def _asks_subject(reader: Reader, begin: int, concepts: set[str], rest: Sequence[Word]) -> bool:
    """Return whether a "who" question asks for the agent, by the word after it."""
    verb = reader.words[_verb_at(reader, begin)]
    is_done = not concepts.isdisjoint({"owner", "allergic_to"}) or verb.low in reader.locale.have
    is_done = is_done or (verb.low not in reader.known.be and bool(rest or concepts))
    if verb.low not in reader.locale.do_words:
        return is_done
    after = [word for word in reader.words if word.start > verb.start]  # "Who does the cooking?"
    is_led = bool(after) and after[0].low in reader.locale.articles and verb.low != "did"
    return is_led and not concepts and all(word.low in reader.locale.prepositions for word in after[2:3])


def asked_otherwise(text: str) -> Iterator[Question]:
    """Yield paraphrases of a question: "which bank do I use" is "what is my bank"."""
    locale = language_of(text)
    bare = _without_now(text, locale)
    plain = re.sub(rf"(?<!\w)(?:{one_of(locale.idle_now_words)})(?!\w) ?", "", bare, flags=re.IGNORECASE)
    forms = (form for e in dict.fromkeys((text, bare, plain)) for form in _rewritten(e, locale, locale.paraphrases))
    yield from map(parse, dict.fromkeys(forms))


@lru_cache(1024)
def asked_apart(text: str) -> tuple[str, ...]:
    """Return the two questions that a question about two things joins: "What are our cat and dog called?"."""
    locale = language_of(text)
    return tuple(_rewritten(text, locale, locale.joint_questions))


@lru_cache(1024)
def before_asked(text: str) -> tuple[tuple[Question, ...], str] | None:
    """Return a question for a former state as forms of one for the state, and the event that ended it, or None.

    "Who was my boss before Ana?" asks who is my boss, and the event is "Ana".
    """
    locale, bare = language_of(text), " ".join(text.replace("’", "'").split()).strip(" ¿?!.")
    left, events = bare, list[str]()
    for found in reversed(list(expression("before_event", locale).finditer(bare))):
        events.append((found["event"] or "").strip())
        left = f"{left[: found.start()]}{left[found.end() :]}"
    asked = f"{' '.join(left.split()).strip(' ,')}?"
    forms = tuple(replace(each, past=False, earlier=False) for each in (parse(asked), *asked_otherwise(asked)))
    return (forms, " ".join(filter(None, events))) if events else None


@lru_cache(1024)
def restated(sentence: str) -> tuple[str, ...]:
    """Return the plain paraphrases of a statement: "My best mark is now a 2" for "A 2 has become my best mark"."""
    locale = language_of(sentence)
    return tuple(_rewritten(sentence, locale, locale.restatements))


def restated_in(text: str) -> Iterator[str]:
    """Yield the plain paraphrases of each sentence of a text, and of each two: "I have a new boss. He's called Bo"."""
    places = list(sentence_places(text, lines=True))
    for low, high in (*places, *((low, high) for (low, _), (_, high) in pairwise(places))):
        yield from restated(text[low:high])


def _rewritten(text: str, locale: Locale, rows: Sequence[str]) -> Iterator[str]:
    """Yield the rewritten forms of a question for each row that matches it: "X, c'est quoi => Quel est X ?"."""
    bare = " ".join(text[:_LONGEST_PARAPHRASED].replace("’", "'").split()).strip(" ¿?!.") if rows else ""
    rewrites, every = _rewrites(locale, rows)
    there = frozenset(filter(bare.lower().translate(ALIKE).__contains__, every))
    for asked, needed, forms in rewrites:
        if not needed.isdisjoint(there) and (found := asked.fullmatch(bare)) is not None:
            yield from (re.sub(r"\b[NQVXY](?=s?\b)", lambda slot: found[slot[0]], form) for form in forms)


@cache
def _rewrites(locale: Locale, rows: Sequence[str]) -> tuple[list[_Rewrite], frozenset[str]]:
    """Return rows as expressions, and all their literals: N is a noun, Q asks for it, V a verb, X and Y anything."""
    slots = {"N": r"\w[\w -]*?", "Q": locale.asked_in_place, "V": locale.asking_verb, "X": ".+?", "Y": ".+?"}
    slotted = partial(re.sub, r"\b[NQVXY]\b", lambda slot: f"(?P<{slot[0]}>{slots[slot[0]]})")
    split = ((slotted(asked), forms) for asked, forms in (row.split(" => ") for row in rows))
    found = [(pattern(asked, re.IGNORECASE), frozenset(literals(asked)), forms.split("; ")) for asked, forms in split]
    return found, frozenset().union(*(needed for _, needed, _ in found))


def asked_about(text: str) -> Phrase | None:
    """Return the topic of a request for everything known, else None: "What do you know about Lena?"."""
    text = " ".join(text[:2000].split()).strip(" ¿?!.")
    matches = ((locale, expression("asks_profile", locale).fullmatch(text)) for locale in LOCALES.values())
    locale, found = next(((each, match) for each, match in matches if match is not None), (LOCALES["en"], None))
    named = next(filter(None, found.groups()), "") if found is not None else ""
    reader = Reader(named, locale)
    read = reader.phrase(0, len(reader.words)) if reader.words else None
    if read is not None and read[1] == len(reader.words):
        return read[0]
    bare = reader.bare_phrase(0, len(reader.words)) if reader.words else None  # "Atlas" is a common noun too
    return bare if bare is not None and bare.words[-1] is reader.words[-1] else None


def _subject(reader: Reader, begin: int, *, may_be_bare: bool) -> Phrase | None:
    """Return the subject of a question: its first noun phrase without a preposition, else its first one."""
    words, high, begin = reader.words, len(reader.words), _verb_at(reader, begin) if may_be_bare else begin
    own = reader.locale.own_verbs  # "¿Tenemos el Skoda?"
    is_own = own and begin < high and (words[begin].low in own or reader.is_own_plural(begin))
    if is_own or (own and begin < high and is_own_past(reader, begin)):
        return Phrase(words[begin].start, words[begin].start, (), person="me")  # "¿Dónde compré el sofá?"
    is_do = begin < high and words[begin].low in reader.locale.do_words
    if is_do and not any(map(reader.is_verb, range(begin + 1, high))):
        high -= 1  # the last word is the verb: "does the server run"
    phrases = reader.phrases(begin, high)
    subject = next((p for p in phrases if not p.prep), None) or next(iter(phrases), None)
    is_led = subject is not None and subject.prep and begin < high and words[begin].low in reader.locale.copulas
    if (subject is None and may_be_bare) or is_led:  # "Is lunch in the office?"
        bare = reader.bare_phrase(begin + 1 if begin < len(words) and reader.is_verb(begin) else begin, len(words))
        subject = bare or subject
    if subject is None or subject.person == "they" or subject.prep:
        return reader.own_subject(begin, len(words)) or subject
    return subject


def _asked_of_person(text: str, locale: Locale) -> str:
    """Return the relation of a question about a person's occupation or origin; "" for another one."""
    bare = text.lstrip("¿ ")
    if expression("asks_occupation", locale).match(bare):
        return "job_title"
    return "origin" if expression("asks_origin", locale).match(bare) else ""


def _with_split_verb(reader: Reader, begin: int, subject: Phrase | None, wanted: Wanted) -> Phrase | None:
    """Return a subject without a last word that belongs to the verb: "my dad drive", "Maren Veganerin"."""
    if subject is None or len(subject.words) < 2 or begin >= len(reader.words):
        return subject
    locale, last = reader.locale, subject.words[-1]
    may_end = locale.verbs | locale.feeling  # "is my dad afraid of"
    is_verb = locale.has_base_verbs and reader.words[begin].low in reader.known.auxiliaries and last.low in may_end
    is_noun = locale.has_noun_capitals and wanted is Wanted.YES_NO and len(subject.words) == 2
    is_noun = is_noun and last.stop == reader.words[-1].stop  # the predicate asked for
    may_be_object = locale.has_noun_capitals and last.low in nouns_of(locale) and last.root not in people_words()
    before = {form for word in subject.words[:-1] for form in (word.low, word.root)} if may_be_object else set()
    is_object = not before.isdisjoint(word_list("given") | people_words())  # "Wo kauft Ben Brot?"
    if (is_verb and not last.has_capital) or is_noun or is_object:
        return subject._replace(words=subject.words[:-1], stop=subject.words[-2].stop)
    return subject


def _has_verb(reader: Reader) -> bool:
    """Return whether a question has a verb: "wifi password?" asks "what is it"."""
    verbs = (word for at, word in enumerate(reader.words) if reader.is_verb(at))
    nouns, first = reader.locale.number_nouns.union(nouns_of(reader.locale)), _first_verb(reader)
    is_verb = first is not None and reader.words[first].low not in nouns  # "¿clave del wifi?"
    return is_verb or any(word.low.isalpha() for word in verbs)  # not of "mom's birthday?"


def _may_be_verb(reader: Reader, word: Word) -> bool:
    is_base = reader.locale.has_base_verbs and (word.low in reader.locale.verbs or word.low.endswith("ing"))
    return is_base or reader.is_verb(reader.words.index(word))


def _first_verb(reader: Reader) -> int | None:
    """Return the index of the verb that opens a question, None if it opens with its subject or an auxiliary."""
    words, locale = reader.words, reader.locale
    leads = locale.question_leads.split("|")
    at = next((place for place, word in enumerate(words) if word.low.isalpha() and word.low not in leads), None)
    if at is None or locale.do_words or at + 1 >= len(words):
        return None
    low, after = words[at].low, words[at + 1].low
    if low in reader.known.determiners or low in reader.known.personal:
        return None
    if locale.has_noun_capitals:
        return at
    if locale.own_verbs:
        return None if low in word_list("given") or reader.is_verb(at + 1) else at
    return at if after in reader.known.first | reader.known.hearer | reader.known.third else None


def _unowned(subject: Phrase | None, locale: Locale, concepts: set[str]) -> Phrase | None:
    """Return the subject of a question, the owner replacing a property: "Lena's date of birth" is about Lena."""
    subject = None if subject is None else as_owned(subject, locale)
    while subject is not None and subject.owner is not None and subject.words:
        found = part_names(subject, locale)
        if not found or ("owner" in found and (subject.owner.person or is_person(subject.owner))):  # "my boss"
            return subject
        concepts |= found
        subject = subject.owner
    return subject


def _after_question_word(reader: Reader, at: int, wanted: Wanted) -> tuple[int, str]:
    """Return the index after the question word and the noun it asks for, and the root of that noun."""
    words, begin, head = reader.words, at + 1, ""
    low = words[at].low
    locale = reader.locale
    asking = asking_words(reader.text, wanted) if wanted in _MEASURED and wanted is not Wanted.COUNT else None
    least = 0 if asking is None else sum(word.start < asking[1] for word in words)  # "how many times", "desde cuándo"
    if low in locale.how_words and wanted in _MEASURED:
        while begin < len(words) and words[begin].low in locale.how_many_words:
            begin += 1
        is_noun = begin < len(words) and words[begin].low not in reader.known.auxiliaries
        if wanted is Wanted.COUNT and is_noun and reader.pronoun(begin) is None:
            return begin + 1, words[begin].root
        return max(begin, least), ""
    if low in locale.which_words:
        while begin < len(words) and begin - at <= 3 and not (reader.is_verb(begin) or _is_led_verb(reader, begin)):
            if words[begin].low in locale.articles or (head and words[begin].low in locale.prepositions):
                break
            if reader.pronoun(begin) is not None:
                break  # "quelle rue on habite"
            if (words[begin].text[0].isupper() and not locale.has_noun_capitals) or (head and _is_led(reader, begin)):
                break
            head = words[begin].root
            begin += 1
            if locale.has_noun_capitals and words[begin - 1].has_capital:
                break
    return max(begin, least), head


def _is_led_verb(reader: Reader, at: int) -> bool:
    """Return whether a word after an English "what" is its verb, as an object follows: "What bit the postman?"."""
    after = reader.words[at + 1].low if at + 1 < len(reader.words) else ""
    is_led = reader.locale.has_base_verbs and after in reader.known.determiners
    return is_led and not reader.has_verb(at + 1, len(reader.words))


def _is_led(reader: Reader, at: int) -> bool:
    """Return whether a word ends the noun: "heure part notre train", "colegio va Vega", "ciudad estudié"."""
    owners = reader.known.first_owner | reader.known.determiners
    both = reader.words[at : at + 2]
    is_name = len(both) > 1 and both[1].text[0].isupper() and not reader.locale.has_noun_capitals
    is_inverted = bool(reader.locale.inverted_pronoun) and len(both) > 1 and reader.pronoun(at + 1) is not None
    is_own = bool(reader.locale.own_verbs & reader.locale.have) and both[0].low.endswith(("é", "í"))
    return is_name or is_inverted or is_own or any(word.low in owners for word in both)  # "pays allons nous"


def _rest(reader: Reader, begin: int, subject: Phrase | None, concepts: set[str], wanted: Wanted) -> Iterator[Word]:
    """Yield the words of a question that a clause must have; their relations are added to `concepts`."""
    locale = reader.locale
    inside = [(phrase.start, phrase.stop) for phrase in with_owners(subject)]
    first = next((at for at, word in enumerate(reader.words) if word.low[0].isalpha()), 0)
    for at in range(begin, len(reader.words)):
        word = reader.words[at]
        if any(low <= word.start < high for low, high in inside) or not word.low[0].isalnum():
            continue
        is_led = any(each.low in locale.prepositions for each in reader.words[at + 1 : at + 2])  # "Who do I run with?"
        asks = {"*": wanted is Wanted.PERSON and not is_led, "!": wanted is Wanted.TIME}  # not what a server runs
        found = {name for name, mark in concepts_of(word, locale) if asks.get(mark, True)}
        if _states_no_relation(reader, at, found, begin):
            continue
        if found == {"age"} and wanted is not Wanted.COUNT and at + 1 < len(reader.words):
            found = set()  # "the old camper"
        is_exam = found == {"owner"} and word.root == "pass" and wanted is not Wanted.PERSON
        is_house = found == {"lives_in"} and ("lives_in", "~") in concepts_of(word, locale) and not reader.is_verb(at)
        is_apart = wanted is Wanted.PLACE and subject is not None and subject.words and not is_person(subject)
        is_house = is_house and (is_apart or wanted in (Wanted.AMOUNT, Wanted.THING))  # "the key to the house"
        if is_exam or is_house or (found == {"lives_in"} and wanted is Wanted.AMOUNT):  # "Did Otto pass the test?"
            found = set()
        is_name = word.text[0].isupper() and not locale.has_noun_capitals and at > first
        if found - {"over"} and not is_name:
            moves = {"lives_in", "change"} <= found
            if wanted is Wanted.AMOUNT and "buys" in found:
                found = {"costs"}
            concepts.update({"change" if wanted is Wanted.TIME else "lives_in"} if moves else found)
            continue
        after = [each.low for each in reader.words[at + 1 : at + 3]]
        is_mark = word.low == "going" and len(after) == 2 and after[0] in locale.infinitive_marks
        if expression("earlier", locale).fullmatch(word.low) or (is_mark and after[1] in locale.verbs):
            continue  # "is going to work"
        idle = word.low in locale.stop | locale.articles | reader.known.breaks | locale.idle_question_words
        if not idle and not is_stop(word.low):
            yield word


def _of_job(rest: list[Word], wanted: Wanted, concepts: set[str], locale: Locale) -> list[Word]:
    """Return the words of a question without "new" if it asks when a job begins: "start his new job"."""
    if wanted is not Wanted.TIME or not {"job_title", "works_at"} <= concepts:
        return rest
    concepts.discard("job_title")
    return [word for word in rest if word.low not in locale.change_words]


def _states_no_relation(reader: Reader, at: int, found: set[str], begin: int) -> bool:
    """Return whether a word has its relation only by itself: "home" in "bring home", "start" in "start rowing"."""
    locale, before, after = reader.locale, reader.words[begin:at][-1:], reader.words[at + 1 : at + 3]
    if found == {"lives_in"}:
        is_state = reader.words[at].low == "live" and reader.words[0].low in reader.known.be  # "Is the app live?"
        return is_state or any(word.low in _HOMEWARD for word in before)
    if found != {"works_at"} or ("works_at", "+") not in concepts_of(reader.words[at], locale) or not after:
        return False
    is_infinitive = after[0].low in locale.infinitive_marks and len(after) > 1 and reader.is_verb(at + 2)
    return is_infinitive or (after[0].low.endswith("ing") and locale.has_base_verbs)
