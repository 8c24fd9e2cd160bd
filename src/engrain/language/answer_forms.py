"""Answer patterns beyond a plain statement: numbers, addresses, categories, brands, recipients; see `OTHER_FORMS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from engrain.language import phrases as grammar
from engrain.language.locales import LOCALES, Locale, expression, has_any, one_of, union
from engrain.language.names import is_word, sorts
from engrain.language.phrases import Phrase, Reader, Word, english_roots, in_all_languages, people_words, vocabulary
from engrain.language.quantities import has_copula
from engrain.language.query import Question
from engrain.language.questions import HOURS, Wanted, amount_spans
from engrain.language.reading import Clause, Modality, Tense
from engrain.language.sameness import Speakers, identities, same_form, same_phrase, same_word, share_word
from engrain.language.segments import is_person
from engrain.language.statements import root
from engrain.language.times import clock_times
from engrain.language.tokens import is_stop, stem, words
from engrain.language.values import called_at, is_indefinite, is_plain
from engrain.text import pattern

NEAR = 0.8
BY_VERB = 0.78  # how sure an occupation is that a verb implies: "repairs harps"; a noun for it is surer
PHONE = pattern(r"(?<![\w.-])\+?\d[\d ()/-]{4,18}\d(?![\w-])")  # matches a telephone number
_EMAIL = pattern(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NAMED = r"(?:[A-ZÀ-ÖØ-Þ][\w.-]+(?: |$|(?=\W))){1,3}"
_ROADS = "calle|avenida|plaza|paseo|camino|rue|avenue|place|boulevard|chemin|allée|quai|impasse"
_STREET = pattern(  # "14 Mill Lane", "Ahornweg 3a", "12 rue des Lilas", "calle del Pez 8"
    rf"\d+[a-z]?,? (?:(?:{_ROADS}) (?:\w{{2,3}} ){{0,2}}(?:l['’])?)?{_NAMED}|"
    rf"(?:(?:{_ROADS}) (?:\w{{2,3}} ){{0,2}})?{_NAMED}\d+[a-z]?(?!\w)"
)
_TELEPHONE = stem("telephone")
_MOST_PEOPLE = 2  # with this many people in a clause, the number may be of any of them
_NAME_IN_ADDRESS = 4  # letters that a name needs to be recognised in an e-mail address
_NUMBER_BEHIND = pattern(r"\s(?:n[o°º.]*\s)?(?P<code>v?\d[\w.]*\w|v?\d|[A-Z]{1,2}-?\d+|[A-Z](?=\W))")
_HOST = pattern(r"(?<![\w@.-])[^\W_][\w-]*(?:\.[\w-]+)*\.[^\W\d_]{2,}(?![\w@]|\.\w)")
_HOSTS = frozenset(
    map(stem, ("host", "hostname", "server", "servidor", "serveur", "hôte", "domain", "domäne", "dominio"))
)
VERSIONS = frozenset(map(stem, ("version", "versión", "release")))  # the words before the number of a version, as stems
_LABELLED = pattern(
    r"\s*(?:[:=#]\s*(?P<all>[^.;!?\n]*\d[^.;!?\n]*)|(?P<code>(?:[^\W\d_][\w./-]*\d|\d)[\w./-]*(?: \d[\w./-]*)*)"
    r"|,\s+(?P<last>(?:[^\W\d_][\w./-]*\d|\d)[\w./-]*)(?=[.!]?\s*$))"
)
_LISTED = pattern(rf"((?:,|\s(?:{one_of(union('joined'))})\s)[^.;:!?()]+)[.!]?\s*$", re.IGNORECASE)
_LONGEST_LIST = 16  # words
_SHORT = 3  # letters
_MAKES = frozenset(map(stem, ("brand", "make", "maker", "manufacturer", "marke", "hersteller", "marca", "marque")))
_MOST_WORDS = 6  # of a value after its noun
_NEXT = 9  # characters: an adverb right after a noun, "dirección nueva", ends within this distance
_SELDOM_STATED = frozenset({"born", "origin", "allergic_to", "married_to", "weighs"})
"""Relations that are searched by their words in every language."""
_MODEL = pattern(r" \d+\w{0,3}(?= Pro\b| Max\b|\W|$)")
_NOT_HAD = frozenset({"over", "asset", "dislikes"})
ANY: Final = frozenset(Wanted)


class Match(NamedTuple):
    """The answer or denial that a clause gives and its confidence, 0 to 1; `was` marks the past tense where needed."""

    text: str
    denies: bool = False
    sure: float = 1.0
    was: str = ""


def _address(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the address, e-mail address or telephone number of the question's subject in a clause, None without it."""
    asked = question.subject
    if asked is not None and question.concepts == {"lives_in"} and question.wanted is Wanted.PLACE:
        return None if question.rest else _home_at(asked, clause, by)
    if asked is None or asked.owner is None:
        return None
    if asked.words[-1:] and asked.words[-1].root == "address" and "lives_in" in clause.concepts:
        is_home = clause.subject is not None and same_phrase(asked.owner, clause.subject, by)
        homes = [each[0].strip() for each in _STREET.finditer(clause.text, clause.start, clause.stop)]
        plain = is_home and len(homes) == 1 and not clause.negative and not clause.over
        return Match(homes[0], sure=NEAR) if plain else None
    if asked.owner.names and any(word.root == _TELEPHONE for word in asked.words) and names_all(asked.owner, clause):
        numbers = [each[0] for each in PHONE.finditer(clause.text, clause.start, clause.stop)]
        people = [p for p in all_phrases(clause) if is_person(p)]
        return Match(numbers[0], sure=NEAR) if len(numbers) == 1 and len(people) < _MOST_PEOPLE else None
    if not any(word.root == "email" for word in asked.words):
        return None
    names = [word.low for word in asked.owner.names if len(word.low) >= _NAME_IN_ADDRESS]
    found = [each[0] for each in _EMAIL.finditer(clause.text, clause.start, clause.stop)]
    theirs = {each for each in found if any(name in each.lower().split("@")[0] for name in names)}
    return Match(theirs.pop(), sure=NEAR) if len(theirs) == 1 else None


def _home_at(asked: Phrase, clause: Clause, by: Speakers) -> Match | None:
    """Return the home in a clause about an address: "Our new address is Elm Road 5 in York"."""
    home, locale = clause.subject, clause.locale
    if home is None or home.owner is None or [word.root for word in home.words] != ["address"] or clause.negative:
        return None
    verb = next((word.start for word in clause.words if word.low in locale.copulas), -1)
    led = [w for w in clause.words if home.stop <= w.start < verb and w.low.isalpha()]  # "my address at work"
    if verb < 0 or led or clause.tense is not Tense.PRESENT or has_any(clause.text[:verb], "former", "earlier"):
        return None
    named = [p for p in clause.phrases if p.start > verb and p.names]
    is_mine = asked.person == "me" and home.owner.person == "me" and by.speaker == by.asker
    text = clause.text[named[0].start : named[-1].stop] if named else ""
    is_of = is_mine or same_phrase(asked, home.owner, by)
    return Match(text, sure=NEAR) if is_of and any(map(str.isdigit, text)) else None


def numbered(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the numbered item or the host name that a question asks for: "Terminal 1", "PostgreSQL 16"."""
    noun, asked, product = question.noun, question.subject, _product(question)
    is_asked = noun is not None or product is not None
    if not is_asked or asked is None or question.wanted is Wanted.COUNT or clause.negative or clause.over:
        return None
    rest = [word for word in question.rest if word not in question.verbs and word.low not in VERSIONS]
    is_there = all(by.speaker == by.asker if p.person else names_all(p, clause) for p in grammar.with_owners(asked))
    places = {p.owner for p in clause.phrases if p.prep}  # "in Lena's school"
    agent = clause.subject if "change" in clause.concepts and not is_person(asked) else None  # "Ana moved it to X 3"
    people = (p for p in all_phrases(clause) if is_person(p) and p not in places and p is not agent)
    others = any(not same_phrase(asked, phrase, by) for phrase in people)
    if not is_there or others or (asked.owner is not None and not fits_owner(asked, clause, by)):
        return None
    if not all(names_word(word, clause) for word in rest):
        return None
    if noun is not None and noun.low in _HOSTS:
        hosts = {each[0] for each in _HOST.finditer(clause.text, clause.start, clause.stop)}
        return Match(hosts.pop(), sure=NEAR) if len(hosts) == 1 else None
    if (ordinal := _ordinal(question, asked, clause)) is not None:
        return Match(ordinal, sure=NEAR)
    named = [word.start for word in clause.words if any(same_word(word, other) for other in asked.words)]
    sums = [start for start, _ in amount_spans(clause.text)]
    for word in (each for each in clause.words if each.stop + 1 not in sums):  # "costs for the car 55 euros"
        found = _NUMBER_BEHIND.match(clause.text, word.stop, clause.stop + 1)
        is_version = noun is not None and {stem(noun.low), stem(word.low)} <= VERSIONS  # "which release": "version 6"
        if found is not None and noun is not None and (is_version or same_word(word, noun)):
            if _is_of_other_item(clause, word, named):
                continue
            return Match(clause.text[word.start : found.end()], sure=NEAR)
        is_subject = clause.subject is not None and word in clause.subject.words  # "2.4 is out": it may not be in use
        if found is not None and product is not None and same_word(word, product) and not (is_subject and asked.person):
            return Match(found["code"], sure=NEAR)
    return None


def _is_of_other_item(clause: Clause, word: Word, named: Sequence[int]) -> bool:
    """Return whether a number belongs to another item, "staging is on port 1 and production on port 2", or is old."""
    own = next((p for p in clause.phrases if p.start <= word.start < p.stop), None)
    hours = [(low, high) for low, high, _ in clock_times(clause.text)]
    last = max(named, default=word.start)
    between = [p for p in clause.phrases if p.words and last < p.start < word.start and p is not own]
    between = [p for p in between if not (p.prep or any(low <= p.start < high for low, high in hours))]
    is_adjunct = own is not None and bool(own.prep) and last < word.start and not between  # ", at 7 pm in room 118"
    if named and not is_adjunct and all(is_apart(clause, place, word.start) for place in named):
        return True
    before = next((other.low for other in reversed(clause.words) if other.stop <= word.start), "")
    return "change" in clause.concepts and before in clause.locale.sources  # "moved from bay 4 to bay 12"


def is_apart(clause: Clause, one: int, other: int) -> bool:
    """Return whether a comma or a conjunction separates two positions: "the hall costs 900 euros, the band 400"."""
    low, high = sorted((one, other))
    seams = (word.start for word in clause.words if word.text == "," or word.low in clause.locale.joined)
    return any(low <= seam < high for seam in seams)


def _ordinal(question: Question, asked: Phrase, clause: Clause) -> str | None:
    """Return the ordinal and noun of where a clause places its subject, None without one: "the third floor"."""
    noun, subject, small = question.noun, clause.subject, vocabulary(clause.locale).be
    is_there = clause.concepts.keys() & {"lives_in", "located_in"} or any(word.low in small for word in clause.words)
    if noun is None or not is_there or subject is None:
        return None
    if not subject.person and not all(any(same_word(a, s) for s in subject.words) for a in asked.words):
        return None
    for first, other in pairwise(word for word in clause.words if word.text != "."):
        is_figure = first.text.isdigit() and clause.text.startswith(". ", first.stop)  # "im 3. Stock"
        if (is_figure or first.low in clause.locale.ordinals) and same_word(other, noun):
            return clause.text[first.start : other.stop]
    return None


def _product(question: Question) -> Word | None:
    """Return the product whose version a question asks for: "which version of X", "which X version"."""
    noun, asked = question.noun, question.subject
    shown = [*filter(None, [noun]), *question.rest, *(() if asked is None else asked.words)]
    head, _, tail = ("" if noun is None else noun.text).rpartition("-")
    if noun is not None and head and stem(tail.lower()) in VERSIONS:
        return noun._replace(text=head, low=head.lower(), root=root(head.lower(), question.locale))
    if not any(stem(word.low) in VERSIONS for word in shown):
        return None
    return next((word for word in shown if word.has_capital and stem(word.low) not in VERSIONS), None)


def _labelled(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the value right after the noun that a question asks for: "policy number 88", "address: Elm Road 4"."""
    asked, there = question.subject, clause.words
    if asked is None or asked.owner is None or not asked.words or question.rest or clause.negative or clause.over:
        return None
    if is_person(asked):
        return None  # "my father 72" is an age
    owner, is_of = asked.owner, by.speaker == by.asker
    if not owner.person:
        mine = (p for p in all_phrases(clause) if is_of and not owner.owner and p.owner and p.owner.person == "me")
        named = (*all_phrases(clause), *(p._replace(owner=None) for p in mine))  # "the van" is "my van"
        is_of = any(same_phrase(owner, p, by) for p in named)
    bare = [word for word in asked.words if word.low not in clause.locale.change_words]
    runs = (there[at : at + len(bare)] for at in range(len(there)))
    run = next((run for run in runs if len(run) == len(bare) and all(map(same_form, run, bare))), None)
    if run is None and len(bare) > 1 and all(names_word(word, clause) for word in bare):  # "size 39 shoes"
        run = next(((word,) for word in there if same_word(word, bare[-1])), None)
    owned = (p for p in all_phrases(clause) if p.owner is not None and not same_phrase(asked.owner, p, by))
    others = any(p.owner is not None and not same_phrase(asked.owner, p.owner, by) for p in owned)
    if not is_of or not run or others or any(run[-1].stop + 1 == start for start, _ in amount_spans(clause.text)):
        return None
    end = next((w.stop for w in there if w.start >= run[-1].stop and w.low in clause.locale.change_words), run[-1].stop)
    found = _LABELLED.match(clause.text, end if end - run[-1].stop < _NEXT else run[-1].stop)
    value = "" if found is None else (found["all"] or found["code"] or found["last"]).strip(" ,.")
    return Match(value, sure=NEAR) if 0 < len(value.split()) <= _MOST_WORDS else None


def _named_by_noun(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the name that contains the noun asked for, "at the Jules Ferry school", or follows the preposition."""
    asked, noun = question.subject, question.noun
    if asked is None or noun is None or clause.subject is None or clause.negative or clause.over:
        return None
    rest = [word for word in question.rest if word not in question.verbs]
    is_stated = all(names_word(word, clause) for word in rest) and has_any_verb(question.verbs, clause)
    is_home = "lives_in" in question.concepts and "lives_in" not in clause.concepts
    if not is_stated or (is_home and not (rest or question.verbs)) or not same_phrase(asked, clause.subject, by):
        return None
    asked_words, keeping = words(question.text), union("holder_links")
    named = [p for p in clause.phrases if p is not clause.subject and p.names and p.owner is None]
    found = [p for p in named if any(same_word(noun, word) for word in p.words) and len(p.names) > 1]
    if not found and clause.tense is Tense.PRESENT and _is_of_topic(question, named, by):
        is_kept = not question.concepts and not keeping.isdisjoint((asked_words[0], asked_words[-1]))
        links = clause.locale.holder_links if is_kept else {asked_words[-1]}
        found = [p for p in named if p.prep in links and not is_person(p)]
    return Match(clause.text[found[0].start : found[0].stop], sure=NEAR) if len(found) == 1 else None


def _is_of_topic(question: Question, named: Sequence[Phrase], by: Speakers) -> bool:
    """Return whether a text, or a name in it, contains a word of the question: "bank", "phone" in "phone company"."""
    parts = Reader(question.text, question.locale).words
    content = [word for word in parts if not is_stop(word.low) and word.low.isalpha()]
    asked = {form for word in content for form in in_all_languages(word)}
    names = [word.low for phrase in named for word in phrase.words]
    is_part = any(form in name for form in asked if len(form) > _SHORT for name in names)
    return is_part or not asked.isdisjoint(by.around)


def forbidden(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a "no" to a question for permission where a clause states the subject's allergy: "can I eat nuts?"."""
    own = Phrase(0, 0, (), person="me") if words(question.text)[:1] in (["puedo"], ["podemos"]) else None
    asked, things = question.subject or own, [w for w in question.rest if w not in question.verbs] or question.rest
    if question.wanted is not Wanted.YES_NO or "allergic_to" not in clause.concepts or clause.negative or clause.over:
        return None
    if asked is None or clause.subject is None or not expression("asks_leave", question.locale).search(question.text):
        return None
    is_of = same_phrase(asked, clause.subject, by) and bool(things)
    denied = is_of and all(names_word(word, clause) for word in things)
    return Match(verdict(question, denies=True), denies=True, sure=NEAR) if denied else None


def _stated_count(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the number before the noun that the subject possesses: "our two kids"."""
    asked, noun = question.subject, question.noun
    if asked is None or noun is None or question.rest or clause.over:
        return None
    for phrase in all_phrases(clause):
        is_of = phrase.owner is not None and same_phrase(asked, phrase.owner, by)
        if is_of and any(same_word(noun, word) for word in phrase.words):
            here = (pair for pair in pairwise(clause.words) if phrase.start <= pair[0].start)
            number = next((one for one, other in here if same_word(noun, other)), None)  # not "our two youngest kids"
            is_number = number is not None and (number.low.isdecimal() or number.low in clause.locale.all_numbers)
            return Match(number.text, sure=NEAR) if number is not None and is_number and not clause.negative else None
    return None


def _manufacturer(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the manufacturer of an object, where a question asks for its brand: "the dishwasher is from Bosch"."""
    asked, noun = question.subject, question.noun or next(iter(question.rest), None)
    if asked is None or clause.subject is None or noun is None or stem(noun.low) not in _MAKES or clause.negative:
        return None
    is_thing = asked.owner is not None and not is_person(asked) and noun not in question.verbs
    for phrase in all_phrases(clause) if is_thing else ():  # "our Gorenje washing machine"
        names = [word for word in phrase.names if not any(same_word(word, other) for other in asked.words)]
        is_it = all(any(same_word(word, other) for other in phrase.words) for word in asked.words)
        if names and is_it and len(names) + len(asked.words) == len(phrase.words) and fits_owner(asked, clause, by):
            return Match(grammar.text_of(names), sure=NEAR)
    makers = [p for p in clause.phrases if p.prep in clause.locale.sources | clause.locale.agents and p.names]
    is_of = any(same_word(word, other) for word in asked.words[-1:] for other in clause.subject.words)
    if len(makers) != 1 or not is_of or not fits_owner(asked, clause, by) or not is_plain(clause):
        return None
    return Match(clause.text[makers[0].start : makers[0].stop], sure=NEAR)


def fits_owner(asked: Phrase, clause: Clause, by: Speakers) -> bool:
    """Return whether the question's subject has the same owner in a clause, the speaker being the default owner."""
    heads = [word for word in asked.words if not word.has_capital] or list(asked.words)
    owners = [p.owner for p in all_phrases(clause) if p.owner is not None]
    if asked.owner is None and any(same_word(word, other) for p in owners for word in heads for other in p.words):
        return False
    stated = [p for p in all_phrases(clause) if any(same_word(word, other) for word in heads for other in p.words)]
    is_own = asked.owner is None and by.speaker == by.asker  # "the dishwasher" is "our dishwasher"
    others = (p for p in stated if p.owner is not None and not (is_own and p.owner.person == "me"))
    if any(not same_phrase(asked, p, by) for p in others):
        return False
    if asked.owner is None:
        return True
    people = (p for p in all_phrases(clause) if p.owner is not None and is_person(p) and p not in stated)
    people = (p for p in people if not any(word.root in english_roots("serving_people") for word in p.words))
    relatives = [p.owner for p in people if p.owner is not None]
    if not any(p.owner for p in stated) and any(same_phrase(asked.owner, owner, by) for owner in relatives):
        return False  # the object belongs to "Tom's sister", not to Tom
    if asked.owner.person:
        return by.speaker == by.asker
    return any(same_phrase(asked.owner, p, by) for p in all_phrases(clause))


def names_word(word: Word, clause: Clause) -> bool:
    """Return whether a clause contains a word in any inflected form, or a compound with it, such as an allergen."""
    locale = clause.locale
    stated = [w for w in clause.words if not any(low <= w.start < high for low, high in clause.excluded)]
    allergies = (w for w in stated if locale.has_noun_capitals and w.low.startswith(word.low))
    is_there = any(same_word(word, w) or w.low.endswith(f"_{word.low}") for w in stated)  # "cordless_drill"
    return is_there or any(grammar.of_compound(w.low, locale) for w in allergies)


def names_all(phrase: Phrase, clause: Clause) -> bool:
    """Return whether a clause contains every word of a phrase."""
    return all(names_word(word, clause) for word in phrase.words)


def had(asked: Phrase, clause: Clause, by: Speakers) -> Phrase | None:
    """Return the possessed object of a clause where it matches the question's subject: "Lena has a dog named Rex"."""
    subject, got = clause.subject, clause.locale.have
    if "name" in clause.concepts:
        got = got | clause.locale.indefinite
    if subject is None or not any(word.low in got for word in clause.words):
        return None
    is_own = subject.person == "me" and by.speaker == by.asker  # "the cats" are "our cats"
    if not (is_own if asked.owner is None else same_phrase(asked.owner, subject, by)):
        return None
    found = (phrase for phrase in clause.phrases if phrase is not subject and not (phrase.owner or phrase.prep))
    return next((p for p in found if all(any(same_word(w, other) for other in p.words) for w in asked.words)), None)


def _amount_of(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the amount before the noun of what is measured: "32 GB of RAM"."""
    asked = question.subject
    is_asked = question.wanted in (Wanted.AMOUNT, Wanted.THING) and not (clause.negative or clause.over)
    if not is_asked or asked is None or len(asked.words) != 1:
        return None
    subject = clause.subject
    is_other = asked.owner is not None and subject is not None and is_person(subject)
    if is_other and asked.owner and subject and not same_phrase(asked.owner, subject, by):
        return None  # "Ben pays 690 euros rent"
    is_price = "costs" in clause.concepts and asked.words[0].low in question.locale.price_nouns
    if not (question.rest or is_price) or not all(names_word(word, clause) for word in question.rest):
        return None
    if is_price and (asked.owner is None or clause.subject is None or not same_phrase(asked.owner, clause.subject, by)):
        return None
    small = clause.locale.part_links | clause.locale.owner_links
    for start, stop in amount_spans(clause.text):
        after = next((w for w in clause.words if w.start >= stop and w.low not in small), None)
        if after is not None and clause.start <= start < clause.stop and same_word(after, asked.words[0]):
            return Match(clause.text[start:stop], sure=NEAR)
    return None


def of_had(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the amount right after a possessed object: "Kestrel has a budget of 80,000 euros"."""
    if (made := _amount_of(question, clause, by)) is not None:
        return made
    asked = question.subject
    owned = None if asked is None or not asked.words or clause.negative else had(asked, clause, by)
    spans = amount_spans(clause.text) if owned is not None and not (clause.over or question.rest) else ()
    behind = (span for span in spans if owned is not None and 0 < span[0] - owned.stop <= len(" von "))
    return next((Match(clause.text[start:stop], sure=NEAR) for start, stop in behind), None)


def _recipient(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the recipient of a transfer, where a question asks for an object's owner: "I sold the Skoda to Ben"."""
    asked = question.subject
    is_asked = asked is not None and bool(asked.words) and not is_person(asked)
    rest = [word for word in question.rest if not has_any(word.low, "obtains", "hands_on")]
    if not is_asked or asked is None or rest or clause.negative or clause.over or not clause.has_phrase("hands_on"):
        return None
    links, ends = question.locale.goals | question.locale.handed_to, re.findall(r"\w+", question.text.lower())
    is_goal = bool(links & {*ends[:1], *ends[-1:]}) and question.says("hands_on")
    if not (question.has or "buys" in question.concepts or is_goal or question.says("obtains")):
        return None
    things = [p for p in clause.phrases if not p.prep and p is not clause.subject and share_word(asked.words, p.words)]
    if not things or (asked.owner is not None and not fits_owner(asked, clause, by)):
        return None
    links, others = clause.locale.goals | clause.locale.handed_to, [p for p in clause.phrases if p not in things]
    others = [p for p in others if p is not clause.subject and p.words]
    people = [p for p in others if is_person(p) or p.names]
    before = [p for p in people if not p.prep and p.stop < things[0].start]  # "lent Ben the drill"
    given = [p for p in others if p.prep in links and (p in people or is_indefinite(p, clause))] or before
    if not given:
        return None
    named = next((p for p in others if given[0].stop < p.start <= given[0].stop + 1 and p.names), given[0])
    if (called := called_at(clause, named.stop)) is not None:
        return Match(called[2], sure=NEAR)  # "to a baker named Luc"
    return Match(clause.text[given[0].start : named.stop], sure=NEAR)  # "ma cousine Odile"


def is_one_of_pairs(clause: Clause, start: int, stop: int) -> bool:
    """Return whether a number is one of several for several subjects: "Ana and Bo are four and six"."""
    behind = clause.text[stop : clause.stop].lower().split()[:2]
    names = [p for p in clause.phrases if p.start < start and not p.prep and (p.names or is_person(p))]
    numbers = (word.strip(".,") for word in behind[1:])
    is_next = any(word.isdigit() or word in clause.locale.all_numbers for word in numbers)
    return is_next and behind[0] in clause.locale.joined and len(names) > 1


def rest_of_list(text: str, stop: int, locale: Locale) -> str:
    """Return the rest of an enumeration from a place on: ", two lemons and soap" of "flour, two lemons and soap"."""
    found = _LISTED.match(text, stop)
    parts = Reader(found[1], locale) if found is not None else None
    if found is None or parts is None:
        return ""
    if any(parts.is_verb(at) and word.low not in locale.all_numbers for at, word in enumerate(parts.words)):
        return ""
    is_joined = any(word.low in locale.joined for word in parts.words)
    is_personal = any(word.low in vocabulary(locale).personal for word in parts.words)
    return found[1] if is_joined and not is_personal and len(parts.words) < _LONGEST_LIST else ""


def is_elsewhere(question: Question, clause: Clause) -> bool:
    """Return whether a clause names a destination or place that is not the question's."""
    links = clause.locale.goals | clause.locale.place_links | clause.locale.work_links
    names = [word for phrase in clause.phrases if phrase.prep in links for word in phrase.names]
    return bool(names) and not share_word(names, question.rest)


def is_other_end(question: Question, clause: Clause) -> bool:
    """Return whether a clause states an opening time where the question asks for the closing time, or vice versa."""
    if question.wanted is not Wanted.TIME or HOURS.search(clause.text, clause.start, clause.stop) is not None:
        return False
    if clause.has_phrase("is_shut") and question.says("asks_closing"):
        return True  # "closed on Sundays" is no closing time
    until = clause.find("until")
    if until is None and question.says("until") and clause.has_phrase("opens") and not clause.has_phrase("closes"):
        return True  # "opens at 7"
    if until is not None and question.says("opens") and not question.says("until"):  # "open until 8 pm"
        return not any(start < until.start() for start, *_ in clock_times(clause.text[: clause.stop]))
    pairs = (("opens", "closes"), ("closes", "opens"))
    ends = [(asked, other) for asked, other in pairs if question.says(asked) and not question.says(other)]
    return any(clause.has_phrase(other) and not clause.has_phrase(asked) for asked, other in ends)


def has_left(question: Question, clause: Clause, start: int) -> bool:
    """Return whether the holder of a role is named only as having left it: "My doctor, Dr Uhl, has retired"."""
    asked, subject = question.subject, clause.subject
    is_role = question.wanted in (Wanted.PERSON, Wanted.NAME) and asked is not None and is_person(asked)
    is_of_now = not (question.past or question.earlier) and not question.rest
    return is_role and is_of_now and subject is not None and start <= subject.stop and clause.has_phrase("leaves_role")


def is_cancelled(question: Question, clause: Clause) -> bool:
    """Return whether a clause states that something is cancelled, where the question does not mention that."""
    found = clause.find("is_over")
    is_asked = found is not None and words(question.text)[-1:] == words(found[0])[-1:]  # "Is the light off?"
    return found is not None and not (is_asked or question.says("is_over"))


def _resumed(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return a "yes" where a clause states that the subject resumed the activity asked for: "I'm back on coffee"."""
    asked, things = question.subject, [word for word in question.rest if word not in question.verbs] or question.rest
    if asked is None or clause.subject is None or clause.negative or clause.over:
        return None
    if question.concepts & {"lives_in", "works_at"}:
        return None  # "went back to Rome"
    if not clause.has_phrase("resumes"):
        return None
    verbs = bool(question.concepts) and question.concepts <= clause.concepts.keys()  # "Rauche ich?"
    is_stated = same_phrase(asked, clause.subject, by) and (bool(things) or verbs)
    is_stated = is_stated and all(names_word(word, clause) for word in things)
    return Match(verdict(question, denies=False), sure=NEAR) if is_stated else None


def _practitioner(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the only titled name beside the profession that a question asks for: "Zahnarzt bei Dr. Kern"."""
    asked, head, subject = question.subject, clause.text[: clause.start].rstrip(), clause.subject
    if asked is None or asked.owner is None or not is_person(asked) or question.rest or clause.negative or clause.over:
        return None
    is_other = subject is not None and bool(subject.names) and is_person(subject)
    if asked.owner.person:  # "Ben has a dentist appointment with Dr Nolte"
        is_other |= asked.owner.person != "me" or by.speaker != by.asker
    else:
        is_other = subject is None or not same_phrase(asked.owner, subject, by)
    if is_other:
        return None
    parts = {word: (word, *grammar.parts_of(word, clause.locale)) for word in clause.words}  # "Zahnarzttermin"
    nouns = [word for word, all_ in parts.items() if any(same_word(p, each) for p in all_ for each in asked.words)]
    beside = [p for p in all_phrases(clause) if any(word in p.words for word in nouns)]
    forms = {form for word in asked.words for form in (word.low, word.root)}
    is_heading = head.endswith(":") and any(w in forms or stem(w) in forms for w in words(head))  # "Vet first:"
    is_object = bool(nouns) and all(p is not clause.subject and p.owner is None for p in beside)
    titled = [p for p in clause.phrases if any(word.text in union("titles") for word in p.words)]
    if len(titled) != 1 or not (is_heading or is_object):
        return None
    start = titled[0].start
    if beside and _is_new_one(beside[0], titled[0], clause):
        start = next(word.start for word in titled[0].words if word.text in union("titles"))
    elif titled[0].prep not in clause.locale.visit_links:
        return None
    return Match(clause.text[start : titled[0].stop], sure=NEAR)


def _is_new_one(noun: Phrase, named: Phrase, clause: Clause) -> bool:
    """Return whether a name is of a new person of a profession: "I'm with a different dentist now, Dr Nolte"."""
    between = {word.low for word in clause.words if noun.stop <= word.start < named.start}
    is_next = named.start >= noun.start and between <= clause.locale.now_words | clause.locale.change_words | {","}
    is_new = has_any(clause.text[noun.start : named.stop], "successor_adjectives") and not (named.prep and between)
    return is_next and is_new and clause.tense is Tense.PRESENT


def _in_category(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the member of the category that a question asks for: the instrument one plays, a car's colour."""
    asked = question.subject
    noun = next((word for word in filter(None, (question.noun, *question.rest)) if sort_of(word)), None)
    is_bare = noun is None and not question.concepts and not question.verbs
    more: Sequence[Word] = ()
    if is_bare and asked is not None and asked.owner and asked.words and sort_of(asked.words[-1]):
        noun, more, asked = asked.words[-1], asked.words[:-1], asked.owner  # "What is the breed of Rex?"
    if noun is None or asked is None or "dislikes" in question.concepts:
        return None
    if clause.negative or not clause.concepts.keys().isdisjoint(_NOT_HAD):
        return None
    found = [w for w in clause.words if _is_in(w, sort_of(noun), clause) and noun.root != w.root]
    sold = [p for p in clause.phrases if p.prep in clause.locale.part_links and any(amount_spans(clause.text))]
    found = [w for w in found if not any(p.start <= w.start <= p.stop + 1 for p in sold)]  # "2,300 euros for the Fiat"
    found = _adjacent(found, clause)
    holders = [p for p in all_phrases(clause) if any(word in p.words for word in found)]
    owners = [p.owner for p in holders if p.owner is not None and not p.owner.person]
    if not found or any(not same_phrase(asked, owner, by) for owner in owners):
        return None
    rest = [*more, *(word for word in question.rest if word is not noun and word not in question.verbs)]
    verbs = [word for word in question.verbs if word is not noun and word.low not in question.locale.light_verbs]
    if not all(names_word(word, clause) for word in rest) or not has_any_verb(verbs, clause):
        return None
    is_of, is_it = clause.subject is not None and same_phrase(asked, clause.subject, by), bool(owners)
    is_of = is_of or is_it  # "my dad's old Volvo"
    if asked.words and not is_person(asked):  # "What colour is my car?"
        bare = [p for p in (clause.subject,) if p is not None and p.owner is None]  # "the car is red"
        is_of = is_of or any(
            share_word(asked.words, p.words) and fits_owner(asked, clause, by) for p in (*holders, *bare)
        )
    elif asked.person == "me":
        subject = clause.subject  # "my car is a Seat Leon"
        is_it |= subject is not None and any(same_word(noun, word) for word in subject.words)
        beside = [*holders, subject] if is_it and subject is not None else holders
        is_of = is_of or (by.speaker == by.asker and any(p.owner and p.owner.person == "me" for p in beside))
    if "name" in clause.concepts and asked.names and holders:  # "a labrador called Pepper"
        behind = [p for p in clause.phrases if p.start > holders[0].start and not p.prep][:1]
        is_of = is_of or any(same_phrase(asked, p, by) for p in behind)
    named = next((p for p, other in pairwise(clause.phrases) if other in holders and asked.names), None)
    between = "" if named is None else clause.text[named.stop : holders[0].start].strip()
    if named is not None and between == "," and same_phrase(asked, named, by):
        return Match(clause.text[found[0].start : holders[0].stop], sure=NEAR)  # "a dog, Pluto, a spaniel mix"
    led, last = sorts()["pedigree"] | sorts()["shades"], found[-1]
    first = next((w for w in clause.words if w.stop == found[0].start - 1 and w.low in led), found[0])
    first = holders[0].words[0] if is_it and holders else first  # "a white Seat Leon"
    is_name = last.has_capital and not clause.locale.has_noun_capitals
    has_model = is_name or last.low in led or last.low in sorts()["car"]  # "Maine Coon", "Kia Niro"
    after = next((w for w in clause.words if w.start == last.stop + 1), last)
    after = after if after.low in sorts()["shades"] or (after.has_capital and has_model) else last
    model = _MODEL.match(clause.text, last.stop)  # "Pixel 8"
    stop = after.stop if model is None else model.end()
    return Match(clause.text[first.start : stop], sure=NEAR) if is_of else None  # "border collie"


def _adjacent(found: list[Word], clause: Clause) -> list[Word]:
    """Return the adjacent words of a category, "a Seat Ibiza"; none where other words separate them."""
    between = [clause.text[a.stop : b.start].strip(" ,") for a, b in pairwise(found)]
    more = [at for at, each in enumerate(between) if each.split(" ")[0] in clause.locale.prepositions]
    if more and is_plain(clause):
        return found[: more[0] + 1]  # "is black with white paws"
    return found if all(not each or each in clause.locale.joined for each in between) else []


def _is_in(word: Word, sort: frozenset[str], clause: Clause) -> bool:
    """Return whether a word belongs to a category, a German adjective in any inflected form: "grauen"."""
    endings: tuple[str, ...] = ("s", "es") if clause.locale.own_verbs else ()  # "azules"
    endings = ("e", "er", "es", "en", "em") if clause.locale.has_noun_capitals and word.text.islower() else endings
    is_unit = clause.text[: word.start].rstrip()[-1:].isdigit()  # "65 mg"
    if sort == sorts()["car"] and not word.has_capital and (is_unit or is_word(word.low, clause.locale)):
        return False  # "una fiesta"
    return word.low in sort or any(word.low.removesuffix(end) in sort for end in endings)


def sort_of(noun: Word) -> frozenset[str]:
    """Return the words of the category that a noun names, empty if it names none."""
    forms = (noun.low, noun.root, noun.low.removesuffix("s"))
    return next((sorts()[form] for form in forms if form in sorts()), frozenset())


def of_sorts(question: Question) -> list[str]:
    """Return the search terms for the categories and relations of a question, which a statement may use instead."""
    named = (*filter(None, (question.noun,)), *question.rest, *(question.subject.words if question.subject else ()))
    relations = question.concepts & _SELDOM_STATED
    relations |= {"lives_in"} if any(word.root == "address" for word in named) else frozenset()
    stated = [locale.concepts.get(name, "") for locale in LOCALES.values() for name in relations]
    found = {each for word in named for each in sort_of(word)} | {each for words in stated for each in words.split()}
    found |= union("home_terms") if "lives_in" in question.concepts else frozenset()
    return sorted(each.lstrip("+~=").replace("_", " ") for each in found)


def has_any_verb(verbs: Sequence[Word], clause: Clause) -> bool:
    """Return whether a clause contains one of the verbs, or only "have" or "be"; true without verbs."""
    small = clause.locale.have | clause.locale.copulas
    return not verbs or any(names_word(v, clause) for v in verbs) or any(w.low in small for w in clause.words)


def all_phrases(clause: Clause) -> Iterator[Phrase]:
    """Yield the subject of a clause, its phrases and their owners."""
    if clause.subject is not None:
        yield clause.subject
    for phrase in clause.phrases:
        yield phrase
        if phrase.owner is not None:
            yield phrase.owner


def _relation_of(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the relation of a named person to the owner: "my sister" of "my sister Imke" or "Imke is my sister"."""
    asked, subject = question.subject, clause.subject
    if asked is None or not asked.names or asked.owner or question.rest or question.concepts or clause.negative:
        return None
    known = people_words() | grammar.pets()
    is_state = "name" in clause.concepts or has_copula(clause)  # "My doctor is Dr Kay"
    is_end = is_state and not clause.over and any(same_phrase(asked, p, by) for p in clause.phrases[1:])
    is_noun = subject is not None and any(w.root in known or not w.has_capital for w in subject.words)
    if is_end and subject and is_noun and subject in clause.phrases and not share_word(asked.words, subject.words):
        return Match(clause.text[min(subject.start, (subject.owner or subject).start) : subject.stop], sure=NEAR)
    for phrase in () if clause.over else (*all_phrases(clause), *identities(clause)):
        start = phrase.stop if phrase.owner is None else phrase.owner.start
        nouns = [w for w in phrase.words if w.root in known and w.start >= start and w in clause.words]
        others = [word for word in phrase.names if word not in nouns]
        is_same = bool(others) and same_phrase(asked, phrase._replace(words=tuple(others), owner=None), by)
        if nouns and is_same:
            return Match(clause.text[start : nouns[-1].stop], sure=NEAR)
    return None


def livelihood(question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the occupation of the subject that a verb states: "repairs organs for a living", "drives a taxi"."""
    asked, subject, found = question.subject, clause.subject, clause.find("for_a_living")
    if asked is None or subject is None or "job_title" not in question.concepts or clause.negative or clause.over:
        return None
    if not clause.phrases or not same_phrase(asked, subject, by):
        return None
    if found is None:
        works = clause.find("works_by") if clause.modality is Modality.CERTAIN else None
        if works is not None and clause.text[subject.stop : works.start()].count(",") % 2:
            return None  # "Mia ist mit Luis zusammen, der baut Boote"
        return works and Match(clause.text[works.start() : clause.stop].strip(" .!,;"), sure=BY_VERB)
    start = subject.stop if subject in clause.phrases else clause.phrases[0].stop
    before, after = clause.text[start : found.start()].strip(), clause.text[found.end() : clause.stop].strip(" .!,;")
    done = f"{before} {after}".strip()
    return Match(done, sure=NEAR) if done else None


def only_describes(asked: Sequence[Word], clause: Clause) -> bool:
    """Return whether a noun of the question is only a modifier in a clause: "hotel" in "the hotel pool"."""
    subject, times = () if clause.subject is None else (clause.subject,), vocabulary(clause.locale).times
    phrases = [each for each in (*subject, *clause.phrases) if each.words]
    timed = english_roots("timed_nouns")
    owned = [(p, p.words[:-1] if p.owner is None else (*p.words[:-1], *p.owner.words[-1:])) for p in phrases]
    for noun in asked:
        is_name = noun.has_capital and not clause.locale.has_noun_capitals
        if is_name or noun.root in people_words() or any(same_word(noun, each.words[-1]) for each in phrases):
            continue
        heads = [p.words[-1] for p, before in owned if any(same_word(noun, word) for word in before)]
        heads = [head for head in heads if head.low.isalpha() and not head.has_capital]
        others = (head for head in heads if not any(same_word(head, word) for word in asked))
        if any(head.root not in timed and head.low not in times for head in others):
            return True
    return False


def verdict(question: Question, *, denies: bool) -> str:
    """Return "Yes" or "No" in the language of a question."""
    yes, *_, no = question.locale.plain_yes_no.split("|")
    return (no if denies else yes).capitalize()


Form = Callable[[Question, Clause, Speakers], Match | None]
"""Matches a clause against a question in one pattern and returns the answer, None if it does not match."""


FormsByWanted = Mapping[Wanted, Sequence[Form]]


def by_wanted(forms: Mapping[Form, Collection[Wanted]]) -> FormsByWanted:
    """Return the patterns for each kind of answer, in their order."""
    return {wanted: [form for form, given in forms.items() if wanted in given] for wanted in Wanted}


def in_some_form(forms: FormsByWanted, question: Question, clause: Clause, by: Speakers) -> Match | None:
    """Return the match of the first pattern that fits a clause, None if none does."""
    return next((found for form in forms[question.wanted] if (found := form(question, clause, by)) is not None), None)


OTHER_FORMS = by_wanted(  # the patterns by kind of answer, plain statements excluded
    {
        _resumed: {Wanted.YES_NO},
        _practitioner: {Wanted.PERSON, Wanted.NAME},
        _address: ANY,
        _labelled: ANY,
        _in_category: {Wanted.THING, Wanted.ANYTHING, Wanted.NAME},
        _manufacturer: ANY,
        _named_by_noun: ANY,
        _stated_count: {Wanted.COUNT},
        _recipient: {Wanted.PERSON},
        _relation_of: {Wanted.PERSON},
    }
)
