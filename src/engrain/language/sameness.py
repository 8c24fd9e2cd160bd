"""Coreference: `same_word` and `same_phrase` compare words and phrases, `is_reversed` the roles of participants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache, lru_cache, partial
from itertools import pairwise, product, takewhile
from typing import NamedTuple

from engrain.language import phrases as grammar
from engrain.language.locales import LOCALES, Locale, nouns_of, phrases, union, word_list
from engrain.language.names import sorts
from engrain.language.phrases import Phrase, Reader, Word, is_noun, people_words, pets, vocabulary, with_owners
from engrain.language.query import Question
from engrain.language.questions import Wanted
from engrain.language.reading import Clause, joined_subjects, part_names, renamed
from engrain.language.segments import is_participle, is_someone
from engrain.language.statements import root
from engrain.language.tokens import is_stop

_ASKED_BY_SORT = frozenset({"dog", "cat", "car"})  # whose noun may refer to a member: "our dog" to "our beagle"
_SIZES, _OWN_PLACES = (frozenset(phrases(each).split("|")) for each in ("size_words", "own_places"))
_VAGUE = union("vague_adjectives")
_OPENING = 4  # words before and with the question word


def same_word(one: Word, other: Word) -> bool:
    """Return whether two words are forms of one word, or a category and its member: a dog, a beagle."""
    return (
        same_form(one, other)
        or (one.root in _ASKED_BY_SORT and other.low in sorts()[one.root])
        or (other.root in _ASKED_BY_SORT and one.low in sorts()[other.root])
    )


def share_word(some: Iterable[Word], others: Iterable[Word]) -> bool:
    """Return whether some words and others have a word in common, in any form."""
    return any(same_word(word, other) for word, other in product(some, others))


def same_form(one: Word, other: Word) -> bool:
    """Return whether two words are forms of one word, or a given name and its short form."""
    if one.low == other.low or one.root == other.root:
        low, high = sorted((one.low, other.low))  # not "prima" and "primo"
        return not (low[-1:] == "a" and high == f"{low[:-1]}o" and one.root in people_words())
    short, long = sorted((one.low, other.low), key=len)
    is_short = len(short) >= 3 and long.startswith(short) and len(long) - len(short) > 1
    return is_short and one.has_capital and other.has_capital and one.low in word_list("given")


Aliases = tuple[tuple[Phrase, Phrase], ...]


class Speakers(NamedTuple):
    """The asker, the writer and the reader in lower case, "" if unknown; `is_event` for a report of the same day."""

    asker: str
    speaker: str
    hearer: str = ""
    is_event: bool = False
    around: frozenset[str] = frozenset()
    """The words of the clause's text, and of the turns directly before it."""
    today: date = date.max
    """The date of the question."""
    aliases: Aliases = ()
    """Pairs of coreferent phrases: "Edu" and "my brother"."""


def same_phrase(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Return whether two noun phrases are coreferent: by their words, or by an alias."""
    is_own = by.speaker == by.asker and _is_of_own_place(asked, stated)
    if _same_words(asked, stated, by) or (is_own and _same_words(asked, stated._replace(owner=asked.owner), by)):
        return True
    people = {word.root for word in stated.words} & people_words()  # "her cousin Nick" is not her brother Nick
    return any(
        _same_words(asked, one, by)
        and _same_words(other, stated, by)
        and people <= {word.root for phrase in (asked, one, other) for word in phrase.words}
        for pair in by.aliases
        for one, other in (pair, pair[::-1])
    )


def aliases(question: Question, clauses: Iterable[Clause]) -> Aliases:
    """Return the pairs of a relation and a name in the asker's clauses that a question uses one of."""
    wanted = {form for p in with_owners(question.subject) for w in p.words for form in (w.root, w.low)}
    found: dict[tuple[str, ...], dict[str, tuple[Phrase, Phrase]]] = {}
    for clause in clauses:
        first = () if clause.subject is None else (renamed(clause, clause.subject),)
        for phrase in (*first, *clause.phrases, *identities(clause)):
            names = tuple(word for word in phrase.names if not is_noun(word, clause.locale))
            nouns = tuple(word for word in phrase.words if word not in names)
            if phrase.owner is None or not names or not nouns or phrase.owner.person in ("you", "they"):
                continue
            is_modifier = names[-1].stop < nouns[0].start and nouns[-1].root not in people_words()
            if is_modifier or is_plural(nouns[-1], clause.locale):
                continue  # "our Q3 revenue", "our twins Sam and Lotte"
            key = (*(word.root for word in nouns), phrase.owner.person, *(word.root for word in phrase.owner.words))
            pair = Phrase(phrase.start, phrase.stop, names), phrase._replace(words=nouns)
            found.setdefault(key, {}).setdefault(names[0].low, pair)
    single = (pair for named in found.values() if len(named) == 1 for pair in named.values())
    return tuple(pair for pair in single if any(not wanted.isdisjoint((w.root, w.low)) for p in pair for w in p.words))


def identities(clause: Clause) -> Iterator[Phrase]:
    """Yield the relatives that a clause identifies with a name: "Heike is my mother-in-law"."""
    subject = clause.subject
    if subject is not None and any(word.low in clause.locale.have for word in clause.words):
        has = (p for p in clause.phrases if p.names and p is not subject and p.owner is None and not p.prep)
        yield from (p._replace(owner=subject) for p in has if people_words() & {word.root for word in p.words})
        if "name" in clause.concepts and not clause.negative:  # "has a ferret called Rex"
            own = [p for p in clause.phrases if p is not subject and p.words and not p.prep and p.owner is None]
            named = [[word for word in p.names if not is_noun(word, clause.locale)] for p in own]
            nouns = [p for p, proper in zip(own, named, strict=True) if not proper]
            names = [p for p, proper in zip(own, named, strict=True) if len(proper) == len(p.words)]
            if len(nouns) == len(names) == 1:
                yield nouns[0]._replace(owner=subject, words=(*nouns[0].words, *names[0].words))
    if subject is None or len(subject.names) != len(subject.words) or not subject.words or clause.negative:
        return
    states = [at for at, word in enumerate(clause.words) if word.low in clause.locale.copulas]
    for phrase in clause.phrases if states and not clause.over else ():
        is_next = clause.words[states[-1]].stop <= phrase.start and not phrase.prep
        if is_next and phrase.owner is not None and all(word.root in people_words() for word in phrase.names):
            yield phrase._replace(words=(*phrase.words, *subject.words))


def _same_words(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Return whether two noun phrases match in their owners and in their words, a surname being optional."""
    if _is_compound(asked, stated, by) or _is_compound(stated, asked, by):
        return True
    is_pet = any(word.root in pets() for word in asked.words) and by.speaker == by.asker
    if is_pet and asked.owner is None and stated.owner is not None and stated.owner.person == "me":
        stated = stated._replace(owner=None)  # "the dog" is "our dog"
    if bool(asked.owner) != bool(stated.owner):
        bare, owned = (stated, asked) if asked.owner else (asked, stated)  # "Fenna" and "my sister Fenna"
        names = [word for word in owned.words if word.has_capital and word.root not in people_words() | pets()]
        is_added = bool(bare.words) and 0 < len(names) < len(owned.words)
        return is_added and all(any(same_word(word, name) for name in names) for word in bare.words)
    if asked.owner is not None and stated.owner is not None and not _same_owner(asked.owner, stated.owner, by):
        return False
    mine = _referent(asked, by.asker, "", by.asker)
    others = _referent(stated, by.speaker, by.hearer, by.asker)
    if mine is not None or others is not None:
        one = frozenset(word.low for word in asked.words) if mine is None else mine
        return not one.isdisjoint(frozenset(word.low for word in stated.words) if others is None else others)
    common = [word for word in asked.words if any(same_word(word, other) for other in stated.words)]
    if not common:
        return False
    if not asked.names and not stated.names and asked.owner is None and len(asked.words) == len(stated.words) == 1:
        return True
    left = [word for word in asked.words if word not in common]
    right = [word for word in stated.words if not any(same_word(word, other) for other in asked.words)]
    if not left and _SIZES.issuperset(word.low for word in right):
        return True  # "our big printer"
    is_whole = bool(asked.names) and len(asked.names) == len(asked.words) and not left
    if is_whole and stated.words[-1].has_capital and not any(word.has_capital for word in right):
        return True  # "Stan Pickering" matches "our boiler man Stan Pickering"
    named = any(word.has_capital for word in common)
    kinds = people_words() | pets() if named and not left else frozenset()  # "a sister, Ada"
    generic = union("generic_nouns") | kinds
    fits = all(word.has_capital or word.low in generic or word.root in generic for word in (*left, *right))
    is_known = named or (not left and (asked.owner is not None or common[-1].root in pets()))
    are_two = named and all(any(word.has_capital for word in words) for words in (left, right))
    return fits and is_known and not are_two


def _is_of_own_place(asked: Phrase, stated: Phrase) -> bool:
    """Return whether a thing of the asker's home or firm needs no owner: "the rent for the new flat" is "my rent"."""
    place, is_mine = stated.owner, asked.owner is None or asked.owner.person == "me"
    if not is_mine or place is None or not place.words or (place.owner is not None and place.owner.person != "me"):
        return False
    return _OWN_PLACES.issuperset(word.low for word in place.words if word.low not in _VAGUE)


def _same_owner(owner: Phrase, theirs: Phrase, by: Speakers) -> bool:
    """Return whether two owners are coreferent; in the asker's own texts the owner's owner may be omitted."""
    if by.speaker == by.asker and owner.owner and owner.owner.person and not theirs.owner:
        owner = owner._replace(owner=None)  # "the car's plate"
    is_living = any(word.root in people_words() | pets() for word in theirs.words) or bool(theirs.names)
    if by.speaker == by.asker and theirs.owner and not (owner.owner or owner.person or is_living):
        theirs = theirs._replace(owner=None)  # "the rent of the workshop" matches "Gaspard's workshop"
    return same_phrase(owner, theirs, by)


def _is_compound(bare: Phrase, owned: Phrase, by: Speakers) -> bool:
    """Return whether a compound contains the owner and the noun of another phrase: "the kitchen budget"."""
    owner = owned.owner
    if owner is None or owner.person or len(bare.words) < 2:
        return False
    whole = [*with_owners(owned)] if bare.owner is None else [owned, owner]  # "le code de la porte du bureau"
    parts = [word for phrase in reversed(whole) for word in phrase.words]
    is_same = len(parts) == len(bare.words) and all(map(same_word, parts, bare.words))
    if bare.owner is None or owner.owner is None:
        return is_same and bare.owner is None
    return is_same and _same_owner(owner.owner, bare.owner, by)  # "Ana's piano teacher", "la profesora de piano de Ana"


def _referent(phrase: Phrase, who: str, hearer: str, user: str) -> frozenset[str] | None:
    """Return the words of the name that a pronoun or "the user" refers to; None for any other phrase."""
    if phrase.person:
        return frozenset({"me": who, "you": hearer}.get(phrase.person, "").lower().split())
    is_user = phrase.owner is None and len(phrase.words) == 1 and phrase.words[0].low in union("anybody")
    return frozenset(user.lower().split()) if is_user else None


def has_other_name(asked: Phrase, stated: Phrase) -> bool:
    """Return whether a phrase has a name that the question's phrase lacks: "Lena's dog Rex"."""
    return any(word.has_capital and not any(same_word(word, other) for other in asked.words) for word in stated.words)


def is_plural(noun: Word, locale: Locale) -> bool:
    """Return whether a noun is a plural, by its ending or the lists of its language."""
    low, plain = noun.low, noun.low.endswith("s") and not noun.low.endswith("ss")
    return low in locale.plural_nouns or (plain and not locale.has_noun_capitals and low not in locale.singular_nouns)


def compounds_of(about: Sequence[Word], text: str, locale: Locale) -> Iterator[str]:
    """Yield the German compounds of given words with other nouns of a text: "the dentist" and "my appointment"."""
    words = Reader(text, locale).words
    if locale.has_noun_capitals:
        ours, nouns = [word.low for word in about], [word.low for word in words if word.text[0].isupper()]
    else:
        german = _german_nouns()
        ours, nouns = ([german[word.root] for word in each if word.root in german] for each in (about, words))
    yield from (f"{one}{link}{other}" for one in ours for other in nouns if one != other for link in ("", "s"))


@cache
def _german_nouns() -> dict[str, str]:
    """Return the first German noun for each English one, by its root."""
    return {root(noun, LOCALES["en"]): names.split()[0] for noun, names in LOCALES["de"].nouns.items()}


class _Roles(NamedTuple):
    """The participants of an action: the grammatical subject, None if asked for or unknown, and the others."""

    first: Phrase | None
    others: tuple[Phrase, ...]
    is_passive: bool
    agents: frozenset[str]  # prepositions before the agent of a passive

    def active(self) -> _Roles:
        """Return them with the agent as the subject: "Bo was hired by Mia" as "Mia hired Bo"."""
        agent = next((p for p in self.others if p.prep in self.agents), None)
        rest = (p for p in (self.first, *self.others) if p is not None and p is not agent)
        return _Roles(agent, tuple(rest), False, self.agents) if self.is_passive else self


def _roles_of(asked: Question | Clause, clause: Clause) -> tuple[_Roles, _Roles] | None:
    """Return the roles of a question, or of another clause, and of a clause on the same action; None without both."""
    if isinstance(asked, Clause):
        words, phrases = asked.words, asked.phrases
    else:
        words, phrases = _parts(asked.text, asked.locale)
        begin = -1 if asked.noun is None else asked.noun.start  # "which phone company am I with"
        locale = asked.locale
        leads = locale.auxiliaries - vocabulary(locale).be - locale.have | locale.future_words | {"n't"}
        is_bare = locale.has_base_verbs and (leads | locale.infinitive_marks).isdisjoint(word.low for word in words)
        nouns = [w for w in words if is_bare and w.low in locale.verbs and not is_participle(w, locale)]
        words = tuple(w for w in words if w.start > begin and w not in nouns)  # "How much is the ski pass?"
    shared = _shared_predicate(asked.locale, words, phrases, clause)
    if shared is None or clause.words[0].low in clause.locale.question_words:
        return None  # "What makes the cake special is cardamom"
    verb, stated = shared
    lows = [word.low for word in clause.words if word.start < stated.start]
    ahead = [word.low for word in clause.words if word.start > stated.start]
    is_noun = clause.locale.copulas.isdisjoint(lows) and not clause.locale.copulas.isdisjoint(ahead)
    if is_noun and (clause.locale.relatives | clause.locale.that_words).isdisjoint(lows):
        return None  # "The repair of the roof is on 3 June"
    roles = _clause_roles(asked, verb) if isinstance(asked, Clause) else _asked_roles(asked, verb)
    others = _clause_roles(clause, stated)
    if roles is None or others is None:
        return None
    return (roles, others) if roles.is_passive == others.is_passive else (roles.active(), others.active())


def is_reversed(asked: Question | Clause, clause: Clause, by: Speakers) -> bool:
    """Return whether the participants of an action have other roles: "Bo was hired by Mia" and "Who hired Mia?"."""
    both = _roles_of(asked, clause)
    if both is None:
        return False
    roles, others = both

    def same(one: Phrase | None, other: Phrase | None) -> bool:
        return one is not None and other is not None and same_phrase(to_asker(one), other, by)

    owner = None if others.first is None or any(p.person == "they" for p in others.others) else others.first.owner
    apart = [p for p in roles.others if not any(same(p, other) for other in others.others)]  # "Mia's boss hired Bo"
    crosses = any(same(p, others.first) or (p.words and same(p, owner)) for p in apart)
    crosses = crosses or any(same(roles.first, p) for p in others.others)
    return crosses and not same(roles.first, others.first)


def is_of_other_role(question: Question, clause: Clause, start: int) -> bool:
    """Return whether an answer is a recipient or source where a question asks who acts: "sold to Bo"."""
    both = _roles_of(question, clause) if question.asks_subject else None
    links = clause.locale.goals | clause.locale.handed_to | clause.locale.sources
    led = (p for p in clause.phrases if p.prep in links and p.start <= start < p.stop)
    return both is not None and any(both[1].first is None or p.start != both[1].first.start for p in led)


def to_asker(phrase: Phrase) -> Phrase:
    """Return a phrase in the first person of the one it is said to: "my sister" for "your sister"."""
    owner = None if phrase.owner is None else to_asker(phrase.owner)
    return phrase._replace(owner=owner, person="me" if phrase.person == "you" else phrase.person)


@lru_cache(1024)
def _parts(text: str, locale: Locale) -> tuple[tuple[Word, ...], tuple[Phrase, ...]]:
    reader = Reader(text.rstrip(" ?!."), locale)
    return tuple(reader.words), tuple(reader.phrases(0, len(reader.words)))


def _shared_predicate(
    locale: Locale, words: Sequence[Word], phrases: Sequence[Phrase], clause: Clause
) -> tuple[Word, Word] | None:
    """Return the verb or adjective of a question or clause and its form in a clause; None if it has another one."""
    small = locale.stop | vocabulary(locale).auxiliaries | vocabulary(locale).breaks
    small |= {w.low for w, after in pairwise(words) if after.low == "n't"}  # "ca n't"
    led = vocabulary(locale).determiners | locale.prepositions
    owes = locale.obligations - locale.have - locale.infinitive_marks - locale.that_words  # "debe", "doit"
    inside = {w for p in phrases for w in words if p.start <= w.start < p.stop}
    inside |= {w for p in clause.phrases for w in clause.words if p.start <= w.start < p.stop}
    found = [
        (w, other)
        for at, w in enumerate(words)
        for other in clause.words
        if not w.text[0].isdigit()
        and (not w.has_capital or not at)
        and (w.low in owes or not (w.low in small or is_stop(w.low)))
        if same_form(w, other)
        or w.low == other.root
        or {w.low, other.low} <= owes
        or root(w.low, locale) == root(other.low, clause.locale)
        if not ({w, other} <= inside or (w.low in nouns_of(locale) and (not at or words[at - 1].low in led)))
    ]
    verbs = [pair for pair in found if is_participle(pair[0], locale) or grammar.concepts_of(pair[0], locale)]
    weak = [pair for pair in found if pair[0].low in small]
    first = next((pair for pair in (*verbs, *found) if pair not in weak or len(weak) == len(found)), None)
    return None if first is None or first[0].root in grammar.english_roots("mutual_verbs") else first


def _is_passive(words: Sequence[Word], phrases: Sequence[Phrase], verb: Word, locale: Locale) -> bool | None:
    """Return whether the form of a verb is passive, None if unsure: German "ist gefolgt", a participle without "be"."""
    lows = {word.low for word in words if locale.has_noun_capitals or word.start < verb.start}
    has_agent = any(p.prep in locale.agents for p in phrases)
    is_past = (is_participle(verb, locale) or verb.low.endswith(locale.passive_endings)) and verb.text.islower()
    if (verb.low.endswith("ing") and locale.has_base_verbs) or verb.low in locale.feeling:
        return False  # "is scared of"
    if not lows.isdisjoint(locale.passive_words) and (is_past or has_agent):
        return True
    if not lows.isdisjoint(locale.have | locale.perfect) or not is_past:
        return False
    if verb == words[0]:
        return None  # "was bought in May and sold in June"
    is_state = not lows.isdisjoint(vocabulary(locale).be)
    return True if is_state and has_agent else None if is_state or has_agent else False


def _is_object(phrase: Phrase, text: str, locale: Locale) -> bool:
    """Return whether the form of a phrase is of an object: "him", "den Hund"."""
    shown = text[phrase.start : phrase.stop].lower()
    if not phrase.words:
        before, mark, _ = shown.partition("'")  # "j'ai"
        return bool(shown) and f"{before}{mark}" not in locale.subjects | locale.first_person
    first = shown.split()[0]
    return first in vocabulary(locale).determiners and first.endswith(locale.objective_endings)


def _bare(phrase: Phrase, verb: Word) -> Phrase:
    """Return a phrase without a number or verb that was parsed as part of it: "owes Ana 50", "the dog bit"."""
    kept = takewhile(lambda word: not word.low.isdigit(), (word for word in phrase.words if word != verb))
    return phrase._replace(words=tuple(kept))


def _others(phrases: Iterable[Phrase], verb: Word, locale: Locale) -> tuple[Phrase, ...]:
    """Return the participants among phrases; the one after "with" has the role of the subject too."""
    mutual = locale.company_words - locale.agents - locale.part_links
    found = (_bare(p, verb) for p in phrases if p.prep not in mutual)
    return tuple(p for p in found if p.words or p.person)


def _clause_roles(clause: Clause, verb: Word) -> _Roles | None:
    """Return the participants of the action that a verb of a clause expresses, None if their roles are unknown."""
    locale, subject = clause.locale, clause.subject
    is_passive = _is_passive(clause.words, clause.phrases, verb, locale)
    is_object = partial(_is_object, text=clause.text, locale=locale)
    is_here = subject in clause.phrases or (subject is not None and any(word in clause.words for word in subject.words))
    if subject is None or (is_here and is_object(subject)):
        plain = (p for p in clause.phrases if not p.prep and not is_object(p))
        subject = next((p for p in plain if p.start < verb.start or is_someone(p) or p.names), None)
    owners = [each for p in clause.phrases for each in with_owners(p.owner)]
    is_other = is_here and subject not in clause.phrases
    if is_other and subject is not None:
        owners += [subject] if any(p.start <= subject.start < p.stop for p in clause.phrases) else []
    if is_passive is None or any(subject is each for each in owners):
        return None  # "Ana's home is in Rome" is about Ana
    between = (p for p in clause.phrases if subject and is_here and subject.stop < p.start and p.stop < verb.start)
    is_unsure = not locale.has_noun_capitals and any(not (p.prep or is_object(p)) for p in between)
    if is_unsure or (subject is None and not is_passive):
        return None  # "The vet thinks Milo weighs 12 kilos"
    joined = [subject, *joined_subjects(clause)]
    first = None if subject is None else _bare(subject, verb)
    clitics = locale.oneself & (locale.object_pronouns | locale.now_words)  # "Paul m'a invité"
    own = [Phrase(word.start, word.stop, (), person="me") for word in clause.words if word.low in clitics]
    named = (p for p in clause.phrases if p not in joined and not _is_other_item(clause, verb, p))
    return _Roles(first, _others([*own, *named], verb, locale), is_passive, locale.agents)


def _is_other_item(clause: Clause, verb: Word, phrase: Phrase) -> bool:
    """Return whether a phrase after a verb is another item with its own figure: "costs 5 euros and the band 4"."""
    between = [word for word in clause.words if verb.stop <= word.start < phrase.start]
    is_joined = any(v.low in clause.locale.joined for v in between) and any(w.text.isdigit() for w in phrase.words)
    return is_joined or any(word.text == "," for word in between)


def _asked_roles(question: Question, verb: Word) -> _Roles | None:
    """Return the participants of the action that a question asks about, None if their roles are unknown."""
    locale, noun = question.locale, question.noun
    words, phrases = _parts(question.text, locale)
    is_passive = _is_passive(words, phrases, verb, locale)
    at = next((place for place, word in enumerate(words[:_OPENING]) if word.low in locale.question_words), None)
    is_open = question.wanted in (Wanted.THING, Wanted.ANYTHING)
    if is_passive is None or (is_open and at is not None and locale.has_noun_capitals):
        return None  # "Was hat die Katze gejagt?"
    low = "" if at is None or (at and words[at - 1].low in locale.prepositions) else words[at].low
    counted = [p for p in phrases if {*question.text[p.start : p.stop].lower().split()[:1]} & locale.how_many_words]
    shown = (p for p in phrases if verb in p.words or not (noun in p.words or p in counted))
    named = [part for p in shown for part in _split(p, verb, locale)]
    plain = [p for p in named if not p.prep and not _is_object(p, question.text, locale) and p.person != "they"]
    before = [p for p in plain if p.start < verb.start]
    first = next(iter(plain if locale.has_noun_capitals else [*reversed(before), *plain]), None)
    is_asked = low in locale.who_words if locale.has_noun_capitals else not before and low in locale.who_words
    if low in locale.which_words and not before:
        if plain and not locale.has_base_verbs:
            return None  # "Quelle voiture conduit Maud ?"
        is_asked = True
    subject = question.subject
    if subject and (question.wanted is Wanted.DURATION or (subject.person and subject.start == subject.stop)):
        first = subject  # "¿Dónde compré la mesa?", "Combien de temps Luc reste-t-il à Oslo ?"
    first = None if is_asked else first
    left = [p for p in named if p is not first and (locale.has_noun_capitals or p not in before)]
    return _Roles(first and _bare(first, verb), _others(left, verb, locale), is_passive, locale.agents)


def _split(phrase: Phrase, verb: Word, locale: Locale) -> Iterator[Phrase]:
    """Yield the participants that a question has in a row: "my mother give Ida", "Hat Max Lena eingeladen?"."""
    before, behind = (tuple(word for word in phrase.words if sign * word.start < sign * verb.start) for sign in (1, -1))
    bare = _bare(phrase, verb)
    are_names = all(word.has_capital and not is_noun(word, locale) for word in bare.words)
    if verb in phrase.words and before and behind:
        yield from (phrase._replace(words=before, stop=verb.start), Phrase(behind[0].start, phrase.stop, behind))
    elif not (locale.has_noun_capitals and are_names and len(bare.words) > 1) or phrase.prep or phrase.owner:
        yield bare
    else:
        yield from (Phrase(word.start, word.stop, (word,)) for word in bare.words)


def is_implied(asked: Phrase, stated: Phrase, by: Speakers) -> bool:
    """Return whether a phrase omits the question's owner because that is the speaker, or the topic of the text."""
    if asked.owner is None or stated.owner is not None or stated.person or asked.owner.owner is not None:
        return False
    left = asked.words[: -len(stated.words)] if stated.words else ()  # "the starter" of a text on sourdough
    owner = asked.owner
    if left and by.speaker == by.asker and owner.person == "me" and all(w.low in by.around for w in left):
        asked = asked._replace(words=asked.words[len(left) :])
    noun, name = stated._replace(words=stated.words[: len(asked.words)]), stated.words[len(asked.words) :]
    if name and noun.words[0].text in union("titles"):  # "Frau Oltmanns"
        return False
    if not same_phrase(asked._replace(owner=None), noun, by) or not all(word.has_capital for word in name):
        return False
    if owner.person:
        return bool(by.speaker) and by.speaker == by.asker
    nouns = owner.names or owner.words
    return all(word.low in by.around for word in nouns) and bool(nouns)


def is_property_of(asked: Phrase, clause: Clause, by: Speakers) -> bool:
    """Return whether a clause is about a property without its owner, "Budget is 5,000", which is the topic."""
    subject = clause.subject
    if subject is None or subject.owner is not None or subject.names or not part_names(subject, clause.locale):
        return False
    if is_plural(subject.words[-1], clause.locale):
        return False  # "two birthdays in one week"
    if asked.person:
        return bool(by.speaker) and by.speaker == by.asker
    return bool(asked.names) and asked.owner is None and all(word.low in by.around for word in asked.names)


def conditions(words: Sequence[Word], locale: Locale) -> frozenset[str]:
    """Return the English names of the known states in some words, by the longest forms: "out of order", not "out"."""
    text, known = f" {' '.join(word.low.replace('_', ' ') for word in words)} ", locale.condition_names
    forms = [form for form in known if f" {form} " in text]
    longest = [each for each in forms if not any(f" {each} " in f" {other} " and each != other for other in forms)]
    return frozenset[str]().union(*(known[form] for form in longest))


def are_opposed(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two sets of states contain opposites, neither of which is in both."""
    known, pairs = LOCALES["en"].opposites, ((a, b) for a in some - others for b in others - some)
    return any(b in known.get(a, "").split() or a in known.get(b, "").split() for a, b in pairs)
