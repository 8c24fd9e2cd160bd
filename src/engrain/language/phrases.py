"""Words and noun phrases: `Reader` parses a sentence into both, `concepts_of` returns the relations of a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from engrain.language.calendar import calendar_words
from engrain.language.locales import (
    LOCALES,
    Locale,
    by_form,
    expression,
    in_english,
    nouns_of,
    template,
    union,
    word_list,
)
from engrain.language.names import common, is_word, sorts
from engrain.language.statements import PARTICLES, is_verb, root
from engrain.language.tokens import BASE, PAST_FORMS, stem
from engrain.text import pattern

_IDENTIFIER = pattern(r"[^\W\d_].*[\d@/]|\d.*[^\W\d_]|[a-z]\.[a-z]|[@/].*[a-z]")  # "v2", "a@b.example", "git.b.example"
_TOKEN = pattern(
    r"\d+(?:,\d+)+(?:\.\d+)?(?!\w)|https?://[^\s<>()\"“”„«»]*[\w/]|[^\W_](?:[\w.@+/#&:’'_-]*[\w+#])?|[^\w\s]"
)
_CLITIC = template("(?:{clitics})$")
_ELISION = pattern(r"(?i)^(?:[ldnjmtsc]|qu)['’](?=\w)")
_ENGLISH = LOCALES["en"]
_SHORT_STEM = 2
_BREAKS = (  # the fields of a language with words that are never in a noun phrase
    "copulas auxiliary_forms auxiliaries past_be have perfect prepositions future_words "
    "negated coordinating subordinating first_person people_pronouns now_words"
).split()
_TIME_KINDS = ("every", "last one", "last", "next", "next one", "this", "habit", "part of day")
_PUNCTUATION = frozenset(',;:.!?()[]{}"“”„«»–—-…|*•')
_OWN_PLURAL = ("amos", "emos", "imos")
_SHORTEST_PLURAL = 5  # letters
_INFLECTIONS = ("s", "ed", "ing")  # endings of English verb forms
_INFLECTED = ("en", "er", "em", "es")
_CLITICS = frozenset({"lo", "la", "los", "las"})  # spanish articles that are pronouns before a verb
_DATIVES = frozenset({"le", "les"})
_OPENING = frozenset('.!?:;"“„«¿¡(*-•|')
ACTIVITIES = frozenset(  # nouns that are implied by the thing they modify: "I've dropped the cello" ends cello lessons
    map(stem, ("lesson", "course", "class", "training", "practice", "membership", "subscription", "team", "club"))
)


class Word(NamedTuple):
    """A word of a sentence: as written, in lower case, its root, and its span."""

    text: str
    low: str
    root: str
    start: int
    stop: int

    @property
    def has_capital(self) -> bool:
        """Whether it begins with a capital, or has a digit or a mark like an identifier."""
        return self.text[0].isupper() or (not self.text.isalpha() and _IDENTIFIER.search(self.text) is not None)

    @property
    def is_acronym(self) -> bool:
        """Whether it consists of two to five capital letters: "IP", "CEO"."""
        return 2 <= len(self.text) <= 5 and self.text.isupper() and self.text.isalpha()


class Phrase(NamedTuple):
    """A noun phrase: words without articles, owner, preposition; `person` of a pronoun is "me", "you" or "they"."""

    start: int
    stop: int
    words: tuple[Word, ...]
    owner: Phrase | None = None
    prep: str = ""
    person: str = ""

    @property
    def names(self) -> tuple[Word, ...]:
        """The words that may be proper names."""
        return tuple([word for word in self.words if word.has_capital])


def text_of(words: Sequence[Word]) -> str:
    """Return words as text, joined by spaces, for use without their source; "Dr." keeps its full stop."""
    ends = [f"{word.text}." if word.text in union("name_abbreviations") else word.text for word in words[:-1]]
    return " ".join([*ends, *(word.text for word in words[-1:])])


def _tokens(text: str, locale: Locale) -> list[Word]:
    found: list[Word] = []
    for match in _TOKEN.finditer(text):
        start, stop = match.span()
        if elided := _ELISION.match(match[0]):
            found.append(_word(elided[0], start, start + elided.end(), locale))
            start += elided.end()
        cut = _CLITIC(locale).search(text[start:stop]) if locale.clitics else None
        if cut and cut.start():
            found.append(_word(text[start : start + cut.start()], start, start + cut.start(), locale))
            start += cut.start()
        word = _word(text[start:stop], start, stop, locale)
        is_letter = len(word.text) == 1 and word.text.isupper() and word.low in locale.stop | locale.prepositions
        if is_letter and found and found[-1].text.islower() and (word.low != "i" or found[-1].low == "is"):
            word = word._replace(low=word.text, root=word.text)  # "the blood type is A"
        found.append(word)
    return found


def _word(shown: str, start: int, stop: int, locale: Locale) -> Word:
    """Return the word for a span of a text, which may be longer than the word: a genitive's s."""
    low = shown.lower().replace("’", "'")
    return Word(shown, low, _root_of(low, locale), start, stop)


@lru_cache(16_384)
def _root_of(low: str, locale: Locale) -> str:
    known = in_english(locale).get(low)
    if known is None and locale.has_noun_capitals and low.endswith("s"):  # a genitive: "meines Zahnarztes"
        known = nouns_of(locale).get(low[:-1], nouns_of(locale).get(low.removesuffix("es")))
    if known is None and not locale.has_base_verbs:
        known = _stems_in_english(locale).get(root(low, locale))  # an inflected verb that is not listed
    return root(known or low, locale if known is None else _ENGLISH)


@cache
def _translations(initial: str) -> dict[str, frozenset[str]]:
    """Return the translations of nouns and verbs into all languages, by the root of the English one and its initial."""
    found: dict[str, set[str]] = {}
    for english, forms in _forms_of_all().items():
        if english.startswith(initial) or english in BASE:
            found.setdefault(root(english, _ENGLISH), {english}).update(forms)
    return {noun: frozenset(word.replace("_", " ") for word in words) for noun, words in found.items()}


@cache
def _forms_of_all() -> dict[str, list[str]]:
    """Return the forms in all languages of each English noun, verb, town and time name."""
    found: dict[str, list[str]] = {}
    for form, english in (pair for locale in LOCALES.values() for pair in in_english(locale).items()):
        found.setdefault(english, []).append(form)
    return found


def in_all_languages(word: Word) -> frozenset[str]:
    """Return a word and its translations into all languages."""
    return _translations(word.root[:1]).get(word.root, frozenset()) | {word.low.replace("_", " ")}


@cache
def action_forms(locale: Locale) -> frozenset[str]:
    """Return the finite verb forms of a language that are not also nouns."""
    forms = by_form(locale.actions).keys() - nouns_of(locale).keys()
    infinitive = expression("infinitive_form", locale)
    return frozenset(form for form in forms if infinitive.fullmatch(form) is None)


@cache
def _stems_in_english(locale: Locale) -> dict[str, str]:
    """Return the English verb for each stem of a language that no noun shares."""
    nouns = {root(form, locale) for form in nouns_of(locale)}
    found = {root(form, locale): verb for form, verb in by_form(locale.actions).items()}
    return {stem: verb for stem, verb in found.items() if len(stem) > _SHORT_STEM and stem not in nouns}


class _Vocabulary(NamedTuple):
    """The grammatical function of the words of a language."""

    concepts: Mapping[str, tuple[tuple[str, str], ...]]  # by word or root: relations, and "+", "~" or ""
    # The words that may complete a compound: "date", "of birth".
    compounds: Mapping[str, tuple[tuple[str, ...], ...]]
    be: frozenset[str]
    first: frozenset[str]
    first_owner: frozenset[str]
    hearer: frozenset[str]
    hearer_owner: frozenset[str]
    third: frozenset[str]
    third_owner: frozenset[str]
    determiners: frozenset[str]
    breaks: frozenset[str]  # words that end a noun phrase
    times: frozenset[str]
    joints: frozenset[str]
    auxiliaries: frozenset[str]
    personal: frozenset[str]


def _noun_compounds(locale: Locale) -> dict[str, list[tuple[str, ...]]]:
    """Return the possible continuations of the first word of a compound noun, verb or adverb."""
    found: dict[str, list[tuple[str, ...]]] = {}
    nouns = [name for table in (locale.nouns, locale.actions) for names in table.values() for name in names.split()]
    if locale.code == _ENGLISH.code:
        nouns += [name for each in LOCALES.values() for name in (*each.nouns, *each.actions)]
    nouns += [*locale.now_words, *locale.idle_question_words, *locale.all_numbers, *locale.prepositions]
    for first, *others in (name.split("_") for name in nouns if "_" in name):
        found.setdefault(first, []).append(tuple(others))
    return found


@cache
def vocabulary(locale: Locale) -> _Vocabulary:
    """Return the grammatical function of the words of a language."""
    concepts: dict[str, tuple[tuple[str, str], ...]] = {}
    compounds = _noun_compounds(locale)
    for predicate, listed in locale.concepts.items():
        for shown in listed.split():
            mark = shown[0] if shown[0] in "+~=*!^" else ""
            bare = shown.lstrip("+~=*!^")
            first, *others = bare.split("_")
            if others:
                compounds.setdefault(first, []).append(tuple(others))
            is_form = mark in ("=", "^")  # "employer" is not a form of "employ", "named" not of "name"
            name = root(bare, locale) if locale.has_base_verbs and not is_form else bare
            concepts[name] = (*concepts.get(name, ()), (predicate, mark.removesuffix("^")))
    counts = {name for name in locale.all_numbers if len(name) > 2 and name not in locale.unsure_numbers}
    determiners = locale.articles | locale.determiners | locale.first_possessive | counts
    determiners -= locale.have | locale.verbs | locale.prepositions - locale.articles | locale.coordinating
    owners = determiners - locale.articles
    times = {name for names in locale.units.values() for name in names.split()}
    times |= {name.split("_")[0] for name in locale.near}
    times |= {name for kind in _TIME_KINDS for name in locale.time_words.get(kind, "").split() if "_" not in name}
    third, be = locale.third_person | locale.people_pronouns, locale.copulas | locale.past_be
    acting = be | locale.have | locale.perfect | locale.future_words
    joints = locale.coordinating | locale.subordinating | locale.that_words | locale.if_words
    return _Vocabulary(
        concepts=concepts,
        compounds={first: tuple(each) for first, each in compounds.items()},
        be=be,
        first=(locale.oneself | locale.first_person) - owners,
        first_owner=locale.oneself & owners | locale.first_possessive,
        hearer=locale.hearer - owners,
        hearer_owner=locale.hearer & owners,
        third=third - owners - locale.articles,
        third_owner=third & owners,
        determiners=determiners,
        breaks=frozenset[str]().union(*(getattr(locale, name) for name in _BREAKS)),
        times=frozenset(times) | calendar_words(),
        auxiliaries=acting | locale.auxiliaries | locale.short_auxiliaries,
        personal=locale.subjects | locale.first_person,
        joints=joints if locale.prepositions_join else joints - locale.prepositions,
    )


def _joined(words: list[Word], compounds: Mapping[str, tuple[tuple[str, ...], ...]], locale: Locale) -> list[Word]:
    """Return the words with compounds merged into one word: "date of birth"."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        word = words[at]
        for others in compounds.get(word.low, ()):
            if tuple(each.low for each in words[at + 1 : at + 1 + len(others)]) == others:
                low = "_".join((word.low, *others))
                at += len(others)
                word = Word(low, low, _root_of(low, locale), word.start, words[at].stop)
                break
        found.append(word)
        at += 1
    return found


def _with_prefixes(words: list[Word], locale: Locale) -> list[Word]:
    """Return the words, each separable verb with the root of its whole: "läuft am 9. Mai ab"."""
    verbs = in_english(locale)
    for end, prefix in enumerate(words):
        is_last = end + 1 == len(words) or not words[end + 1].low[0].isalnum() or words[end + 1].low in locale.joined
        if not is_last or prefix.low not in locale.verb_prefixes:
            continue
        for at in reversed(range(end)):
            if words[at].text in _PUNCTUATION and words[at].text != ".":
                break
            if (verb := verbs.get(prefix.low + words[at].low)) is not None:
                words[at] = words[at]._replace(root=root(verb, _ENGLISH))
                break
    return words


def concepts_of(word: Word, locale: Locale) -> tuple[tuple[str, str], ...]:
    """Return the relations that a word expresses, each with "+" for a change, "~" for a noun with "have", or ""."""
    return _concepts_of(word.low, locale)


@lru_cache(16_384)
def _concepts_of(low: str, locale: Locale) -> tuple[tuple[str, str], ...]:
    known = vocabulary(locale).concepts
    found = known.get(low) or (known.get(root(low, locale), ()) if locale.has_base_verbs else ())
    if not found and locale.has_noun_capitals and (head := of_compound(low, locale)):  # "Penicillinallergie"
        return known[head]
    return found


def of_compound(low: str, locale: Locale) -> str:
    """Return the allergy noun that a compound ends in, "" for none."""
    nouns = (each for each, found in vocabulary(locale).concepts.items() if ("allergic_to", "=") in found)
    return next((each for each in nouns if low.endswith(each) and len(low) > len(each)), "")


def parts_of(word: Word, locale: Locale) -> tuple[Word, ...]:
    """Return the two nouns of a German compound if both are known, else none: "Klavierunterricht"."""
    known, low = in_english(locale), word.low
    first, _, last = low.partition("-")
    if first in known and last in known:
        return _word(first, 0, len(first), locale), _word(last, 0, len(last), locale)  # "WLAN-Passwort"
    if not locale.has_noun_capitals or "_" not in known.get(low, "_"):
        return ()
    for at in range(_PART, len(low) - _PART + 1):
        forms = (low[:at].removesuffix(link) for link in ("", "s", "n", "en"))
        first = next((form for form in forms if form in known), "")
        if first and low[at:] in known:
            return _word(first, 0, len(first), locale), _word(low[at:], 0, len(low) - at, locale)
    return ()


_FIRST_PART, _PART = 3, 4  # minimum letters of the first part of a compound, and of any other


def is_noun(word: Word, locale: Locale) -> bool:
    """Return whether a capitalised word is a known German noun rather than a name."""
    if not locale.has_noun_capitals:
        return False
    return word.low in nouns_of(locale) or bool(concepts_of(word, locale)) or _ends_in_noun(word.low, locale)


@lru_cache(8192)
def _ends_in_noun(low: str, locale: Locale) -> bool:
    """Return whether a word is a compound of a known noun: "Handyvertrag"; names rarely end in a long one."""
    ends = (low[at:] in nouns_of(locale) for at in range(_FIRST_PART, len(low) - _PART + 1))
    return low not in word_list("given") and low not in word_list("places") and any(ends)


def with_owners(phrase: Phrase | None) -> Iterator[Phrase]:
    """Yield a phrase, its owner, the owner's owner and so on."""
    while phrase is not None:
        yield phrase
        phrase = phrase.owner


class Reader:
    """Parses the words of one sentence into noun phrases, and classifies them."""

    def __init__(self, text: str, locale: Locale) -> None:
        self.text = text
        self.locale = locale
        self.known: Final = vocabulary(locale)
        self.words: Final = _with_prefixes(_joined(_tokens(text, locale), self.known.compounds, locale), locale)
        self.first_verb: int | None = None
        """The index of the verb that opens a question, whatever its form: "Raucht Ana?"."""

    def is_verb(self, at: int) -> bool:
        """Return whether the word at an index may be a finite verb or an auxiliary."""
        word, locale, known = self.words[at], self.locale, self.known
        low, before = word.low, self.words[at - 1] if at else None
        is_hour = low == "am" and before is not None and before.text[0].isdigit()  # "11 am"
        first = low.partition("_")[0]  # "is gone" is merged into one word
        others = (locale.stop, locale.pronouns, locale.question_words, known.third)  # "she", "what", "there"
        if low == "'s" and before is not None and not any(before.low in each for each in others):
            end = min(at + _MOST, len(self.words))
            end = next((place for place in range(at + 1, end) if self.words[place].text in ",;:.()"), end)
            return not self.is_possessive(at, end)
        is_auxiliary = low in known.auxiliaries or (first != low and first in known.auxiliaries | known.be)
        is_own = low in locale.own_verbs and all(each.low in locale.now_words for each in self.words[:at])
        if (is_auxiliary and not is_hour) or at == self.first_verb or is_own:
            return True
        is_given = word.has_capital and not locale.has_base_verbs and low in word_list("given")  # "Renate"
        if is_hour or is_given or (word.text[0].isupper() and at > 0):
            return False
        free = low.isalpha() and low not in locale.stop and low not in known.breaks and low not in known.times
        acts = before is not None and (before.low in known.personal or before.low in locale.object_pronouns)
        if before is not None and free and (acts or self.is_doubled(at - 1)):
            return True
        if locale.has_base_verbs:
            is_dislike = any(name == "dislikes" for name, _ in self.concepts_of(word))  # "... and hate coffee"
            is_joined = first != low and (low in action_forms(locale) or is_verb(first, "", locale))  # "passed_away"
            return is_dislike or is_joined or self.is_english_verb(low, "" if before is None else before.low)
        is_form = not locale.verb_endings or low.endswith(locale.verb_endings)
        small = locale.question_words | locale.articles | locale.prepositions | known.determiners | known.breaks
        if before is not None and before.has_capital and before.low not in small and free and is_form:
            return True
        joins = before is not None and (before.text == "," or before.low in locale.coordinating)
        if joins and free and low.endswith(locale.verb_endings[:1]) and len(low) > 3:
            return True  # ", kommt aus Graz"
        if not low.endswith(locale.adjective_endings) and any(mark in ("", "+") for _, mark in self.concepts_of(word)):
            is_led = before is not None and before.low in known.determiners
            starts = is_led and at > 1 and self.words[at - 2].text == ","  # ", der wohnt in Husum"
            return not is_led or (starts and self.is_demonstrative(at - 1, len(self.words)))
        is_led = before is None or before.low in known.determiners | locale.prepositions
        acts = not is_led and low in action_forms(locale)
        known_verb = low not in locale.change_words and (low in locale.verbs or low.endswith(locale.past))
        return acts or known_verb or (free and (self._has_object(at) or self.is_own_plural(at)))

    def is_own_plural(self, at: int) -> bool:
        """Return whether a word is a Spanish verb in the first person plural: "pintamos la cocina"."""
        low, before = self.words[at].low, self.words[at - 1].low if at else ""
        is_led = before in self.known.determiners | self.locale.prepositions and not self.is_doubled(at - 1)
        return bool(self.locale.own_verbs) and low.endswith(_OWN_PLURAL) and len(low) > _SHORTEST_PLURAL and not is_led

    def _has_object(self, at: int) -> bool:
        """Return whether an object follows an unknown word after a noun: "mon frère tient une boulangerie"."""
        locale, known = self.locale, self.known
        if locale.has_noun_capitals or at == 0 or at + 2 >= len(self.words) or not self.words[at].text.islower():
            return False
        before, word, after, noun = self.words[at - 1 : at + 3]
        led = known.determiners | locale.articles | locale.prepositions | known.auxiliaries | known.breaks
        objects = (locale.articles | known.determiners) - locale.prepositions - locale.owner_links
        is_noun = word.low in in_english(locale) or word.low in people_words() or word.low in locale.change_words
        is_led = before.low in led or not before.low[0].isalpha() or is_noun
        return not is_led and after.low in objects and noun.low not in known.times

    def is_english_verb(self, low: str, before: str) -> bool:
        """Return whether an English word may be a verb after another one, by its form."""
        if before in self.known.determiners or before in self.locale.prepositions or before == "'s":
            return False
        if "-" in low and not low.startswith(("re-", "co-", "pre-")):
            return False  # "check-out"
        return low in PAST_FORMS or is_verb(low, before, self.locale)

    def has_verb(self, low: int, high: int) -> bool:
        """Return whether a range of words contains a verb."""
        return any(map(self.is_verb, range(low, high)))

    def is_time_at(self, at: int) -> bool:
        """Return whether the word at an index is part of a time expression: "Anfang April"."""
        low, times = self.words[at].low, self.known.times
        is_part = low in self.locale.time_parts and at + 1 < len(self.words)
        return (low in times or (is_part and self.words[at + 1].low in times)) and not self.is_titled(at)

    def is_titled(self, at: int) -> bool:
        """Return whether a time word begins a name: "a band called Night Owls"."""
        word, after = self.words[at], self.words[at + 1] if at + 1 < len(self.words) else self.words[at]
        is_name = word.has_capital and after.has_capital and not (self.locale.has_noun_capitals or at == 0)
        has_none = word.low not in calendar_words() - self.locale.seasons.keys()  # that have a capital letter anyway
        return is_name and has_none and after.low not in self.known.times

    def name_at(self, at: int) -> bool:
        """Return whether the word at an index may be a name, or in German a noun."""
        word, locale = self.words[at], self.locale
        if not word.has_capital or word.low in locale.negated or at == self.first_verb or self.is_time_at(at):
            return False
        goes_on = at > 1 and self.words[at - 1].text == "." and self.is_abbreviated(at - 2)
        if at > 0 and (goes_on or self.words[at - 1].text not in _OPENING):
            return word.low not in self.known.first
        if word.low in locale.stop or word.low in locale.pronouns or word.low in self.known.breaks:
            return False
        if word.low in word_list("given"):
            return True
        if self.concepts_of(word) or word.low in locale.own_verbs or not word.text[0].isupper():
            nouns = any(mark in ("=", "~") for _, mark in self.concepts_of(word))
            return self.starts_name(at) and (locale.has_common_words or (locale.has_noun_capitals and nouns))
        return (locale.has_common_words and not common(word.low)) or self.starts_name(at) or locale.has_noun_capitals

    def starts_name(self, at: int) -> bool:
        """Return whether the first word of a sentence begins a name although it is common: "Will Carter"."""
        after_clitics = at + 1
        small = self.locale.reflexives | self.locale.negated | (self.known.third & self.locale.articles)
        while after_clitics + 1 < len(self.words) and self.words[after_clitics].low in small:
            after_clitics += 1  # "Issa s'est inscrit", "Marta no come carne"
        if after_clitics >= len(self.words):
            return False
        at, after = after_clitics - 1, self.words[after_clitics]
        return after.has_capital or after.low == "'s" or (not self.locale.has_common_words and self.is_verb(at + 1))

    def phrases(self, low: int, high: int) -> list[Phrase]:
        """Return the noun phrases of a range of words, in order."""
        found: list[Phrase] = []
        at, prep = low, ""
        while at < high:
            word = self.words[at]
            may_act = word.low in self.locale.verbs or word.low.endswith(self.locale.infinitive_endings)
            is_infinitive = prep in self.locale.infinitive_marks and may_act  # "à partir de"
            read = self.phrase(at, high) or (self.bare_after(at, high) if prep and not is_infinitive else None)
            if read is not None and not self.is_doubled(at):
                phrase, stop = read
                if not self.is_time(phrase):
                    contracted = word.low if word.low in self.locale.prepositions else ""
                    if contracted and phrase.words:
                        phrase = phrase._replace(start=phrase.words[0].start)
                    found.append(phrase._replace(prep=prep or contracted))
                at, prep = max(stop, at + 1), ""
                continue
            if word.low in self.locale.prepositions:
                prep = word.low
            elif word.low not in self.known.determiners:
                prep = ""
            at += 1
        return self.joined(found)

    def bare_after(self, at: int, high: int) -> tuple[Phrase, int] | None:
        """Return the noun phrase without an article after a preposition, and its end: "in hall 5"."""
        if self.words[at].text.isdigit() and at + 2 < high and self.words[at + 1].text == "." and self.name_at(at + 2):
            words = (self.words[at], self.words[at + 2])  # "im 3. Stock"
            return Phrase(words[0].start, words[1].stop, words), at + 3
        if self.words[at].text.isdigit() and at + 1 < high:
            named = self.phrase(at + 1, high) or self.bare_after(at + 1, high)  # "at 14 Elm Road", "au 14 rue Monge"
            if named is not None and any(each.low in self.locale.road_nouns for each in named[0].words):
                return named[0]._replace(start=self.words[at].start), named[1]
        inflected = self.locale.has_noun_capitals and self.words[at].low.endswith(_INFLECTED)
        if inflected and at + 1 < high and self.words[at].low.isalpha() and self.name_at(at + 1):
            words = (self.words[at], self.words[at + 1])  # "im zweiten Stock"
            return Phrase(words[0].start, words[1].stop, words), at + 2
        phrase = self.bare_phrase(at, high)
        return None if phrase is None else self.with_owner(at, at, at + len(phrase.words), high, None)

    def joined(self, phrases: list[Phrase]) -> list[Phrase]:
        """Return the phrases, each name joined with the noun it is in apposition to: "a new vet, Dr Lind"."""
        found: list[Phrase] = []
        for phrase in phrases:
            before = found[-1] if found else None
            if before is not None and self.text[before.stop : phrase.start].strip() == "," and not phrase.prep:
                noun, name = (phrase, before) if phrase.owner is not None else (before, phrase)
                is_name = name.words and name.owner is None and len(name.names) == len(name.words)
                if is_name and noun.words and not self.has_name(noun) and self.text[noun.start : noun.stop].count(" "):
                    found[-1] = noun._replace(
                        start=before.start, stop=phrase.stop, words=(*noun.words, *name.words), prep=before.prep
                    )
                    continue
            found.append(phrase)
        return found

    def has_name(self, phrase: Phrase) -> bool:
        """Return whether a phrase has a proper name; a known German noun is none."""
        return any(not (self.locale.has_noun_capitals and self.is_part(word)) for word in phrase.names)

    def is_time(self, phrase: Phrase) -> bool:
        """Return whether a phrase consists only of a time."""
        times = self.known.times
        return bool(phrase.words) and all(word.low in times or word.low.isdigit() for word in phrase.words)

    def phrase(self, at: int, high: int) -> tuple[Phrase, int] | None:
        """Return the noun phrase that begins at an index, and its end."""
        known, word = self.known, self.words[at]
        if (person := self.pronoun(at)) is not None:
            return Phrase(word.start, word.stop, (), person=person), at + 1
        if self.is_demonstrative(at, high) or self.is_named(at, high):
            return Phrase(word.start, word.stop, (), person="they"), at + 1
        if (relative := self.own_relative(at, high)) is not None:
            return relative
        owner: Phrase | None = None
        begin = at
        for person, owners in (("me", known.first_owner), ("you", known.hearer_owner), ("they", known.third_owner)):
            if word.low in owners:
                owner, begin = Phrase(word.start, word.stop, (), person=person), at + 1
        first = self.words[begin].low if owner is not None and begin + 1 < high else ""  # "our two kids", "my own pet"
        if first in self.locale.all_numbers or first in self.locale.own_adjectives:
            begin += 1
        is_had = at > 0 and self.words[at - 1].low in self.locale.have and word.root in people_words()  # "has twins"
        has_article = owner is not None or is_had
        if owner is None and word.low in known.determiners and word.low not in self.locale.negated:
            has_article, begin = True, at + 1
        if owner is None and self.is_genitive(at, high):  # "Pauls bester Freund"
            named = _word(word.text[:-1], word.start, word.stop, self.locale)
            owner, begin, has_article = Phrase(word.start, word.stop, (named,)), at + 1, True
        while begin > at and begin + 2 < high and self.words[begin].low in self.locale.intensifiers:
            begin += 1  # "a very old house"
        end = self.end_of_nouns(begin, high, has_article=has_article)
        return None if end == begin else self.with_owner(at, begin, end, high, owner)

    def is_named(self, at: int, high: int) -> bool:
        """Return whether a pronoun is the object of naming rather than an owner: "called her Luna"."""
        names = at > 0 and ("name", "") in self.concepts_of(self.words[at - 1])
        is_next = at + 1 < high and self.words[at + 1].has_capital
        return names and is_next and self.words[at].low in self.locale.she_words

    def pronoun(self, at: int) -> str | None:
        """Return the person of a pronoun, None for another word or an acronym: "IT", "US"."""
        word, known = self.words[at], self.known
        if len(word.text) > 1 and word.text.isupper() and word.text.isalpha() and not self.text.isupper():
            return None
        persons = (("me", known.first), ("you", known.hearer), ("they", known.third))
        return next((person for person, pronouns in persons if word.low in pronouns), None)

    def own_relative(self, at: int, high: int) -> tuple[Phrase, int] | None:
        """Return a relative without an owner as the speaker's, and the end of the phrase: "Mum", "dad's car"."""
        word = self.words[at]
        bare = word.text.removesuffix("s") if self.locale.has_noun_capitals else word.text  # "Mamas Geburtstag"
        if bare.lower() not in self.locale.own_relatives:
            return None
        mine = Phrase(word.start, word.start, (), person="me")
        is_owner = at + 1 < high and self.is_possessive(at + 1, high)
        relative = Phrase(word.start, word.stop, (_word(bare, word.start, word.stop, self.locale),), mine)
        begin = at + 2 if is_owner else at + 1
        if not is_owner and bare == word.text:
            return relative, begin
        end = self.end_of_nouns(begin, high, has_article=True)
        return (relative, begin) if end == begin else self.with_owner(at, begin, end, high, relative)

    def is_doubled(self, at: int) -> bool:
        """Return whether a Spanish pronoun repeats an object: "le debo 9 euros a Eva", "las entradas las tiene Eva"."""
        low, locale, last = self.words[at].low, self.locale, len(self.words) - 1
        if low not in _CLITICS | _DATIVES or not locale.own_verbs or at + 2 > last:
            return False
        if low in _DATIVES:
            return any(word.low in locale.handed_to for word in self.words[:last])
        (first, before), (verb, agent) = ("", "", *(w.low for w in self.words[:at]))[-2:], self.words[at + 1 : at + 3]
        nouns = nouns_of(locale)
        is_noun = low == "lo" or before in locale.reflexives or before in nouns or first in self.known.determiners
        is_noun = is_noun and before[:1].isalpha() and before not in locale.stop - locale.reflexives
        if not is_noun or self.is_time_at(at - 1) or self.is_time_at(at + 1) or verb.low in nouns or verb.has_capital:
            return False
        is_led = agent.low in self.known.determiners - locale.indefinite and not self.is_time_at(min(at + 3, last))
        is_own = verb.low in locale.own_verbs or verb.low.endswith((*_OWN_PLURAL, "é", "í"))
        return is_led or is_own or agent.has_capital

    def is_genitive(self, at: int, high: int) -> bool:
        """Return whether a German name is a genitive before an adjective and its noun: "Pauls bester Freund"."""
        low, given = self.words[at].low, word_list("given")
        if not self.locale.has_noun_capitals or not low.endswith("s") or low in given or low[:-1] not in given:
            return False
        after = self.words[at + 1 : min(at + 3, high)]
        return len(after) == 2 and after[0].text.islower() and self.may_be_noun(at + 1) and after[1].has_capital

    def is_demonstrative(self, at: int, high: int) -> bool:
        """Return whether an article is a pronoun: "Die wohnt in Husum"."""
        locale = self.locale
        if at + 1 < high and self.words[at].low in _CLITICS and locale.own_verbs:  # "el proyecto lo dirige Ana"
            return any(mark == "" for _, mark in self.concepts_of(self.words[at + 1]))
        if not locale.has_noun_capitals or self.words[at].low not in locale.articles or at + 1 >= high:
            return False
        after = self.words[at + 1]
        is_form = after.low.endswith(("t", "te")) and any(mark == "" for _, mark in self.concepts_of(after))
        return after.low in self.known.auxiliaries | locale.verbs or is_form

    def end_of_nouns(self, at: int, high: int, *, has_article: bool) -> int:
        """Return the end of the words of a noun phrase that begin at an index."""
        begin, noun_capitals = at, self.locale.has_noun_capitals
        while at < high and at - begin < _MOST:
            word = self.words[at]
            if at > begin and (self.is_next_name(begin, at) or self.is_next_noun(at)):
                break
            after = self.words[at + 1].low if at + 1 < high else "."
            if at > begin and word.low in self.locale.move_particles and after in self.locale.prepositions:
                break  # "pushed the launch back to May"
            is_ordinal = word.low in self.locale.ordinals and after.isalpha() and after not in self.known.times
            is_ordinal |= self.is_titled(at)
            if word.low in self.known.times and word.low not in self.known.determiners and not is_ordinal:
                return at + 1 if at == begin and has_article else at
            is_number = word.text.isdigit() and word.low not in self.known.times
            goes_on = at > begin and (is_number or (word.text == "." and self.is_abbreviated(at - 1)))
            if goes_on or self.name_at(at):
                at += 1
            elif (
                (word.low in PARTICLES or word.low == "&") and begin < at < high - 1 and self.words[at - 1].has_capital
            ):
                if not self.words[at + 1].has_capital or word.low in self.locale.owner_links | self.locale.goals:
                    break
                at += 1
            elif (
                not has_article
                or not self.may_be_noun(at)
                or (noun_capitals and not any(each.has_capital for each in self.words[at + 1 : min(at + 4, high)]))
            ):
                break
            elif noun_capitals and any(each.has_capital for each in self.words[begin:at]):
                break  # an adjective precedes its noun
            else:
                at += 1
        return at

    def is_next_noun(self, at: int) -> bool:
        """Return whether the next German noun expresses a relation of this one: "hat Emil Geburtstag"."""
        if not (self.locale.has_noun_capitals and any(mark == "=" for _, mark in self.concepts_of(self.words[at]))):
            return False
        before = self.words[at - 1]
        is_known = self.is_part(before) or is_word(before.low, self.locale)
        return before.low in word_list("given") or not is_known or before.root in people_words()

    def is_next_name(self, begin: int, at: int) -> bool:
        """Return whether a given name begins the subject after a prepositional phrase: "At the wedding Maya sang"."""
        before, word = self.words[at - 1], self.words[at]
        led = begin > 1 and self.words[begin - 2].low in self.locale.prepositions
        is_noun = before.text.islower() and not (before.low in people_words() or before.low in union("generic_nouns"))
        return led and is_noun and word.low in word_list("given")

    def is_abbreviated(self, at: int) -> bool:
        """Return whether the full stop after a word may belong to it: "Dr.", an initial, "3. Stock"."""
        word = self.words[at]
        if word.text.isdigit():
            return self.locale.has_noun_capitals and at + 2 < len(self.words)
        return word.low in self.locale.abbreviations or len(word.text) == 1

    def may_be_noun(self, at: int) -> bool:
        """Return whether the word at an index may be a noun, or an adjective before one."""
        word = self.words[at]
        if word.text in _PUNCTUATION or word.low in self.known.breaks or word.low == "'s" or not word.low[0].isalpha():
            return False
        if any(word.low in each for each in (self.known.first, self.known.third, self.known.hearer)):
            return False
        if word.low in self.known.determiners:
            return False
        if word.low in self.locale.demonstratives or self._is_infinitive(at):
            return False
        if self._is_described(at):
            return True
        marks = [mark for _, mark in self.concepts_of(word)]
        previous = self.words[at - 1].low if at else ""
        if previous == "'s" and word.low in self.locale.vague_adjectives:
            return True
        after = self.words[at + 1] if at + 1 < len(self.words) else None
        if "" in marks and previous not in self.known.determiners and after is not None and after.text[0].isdigit():
            return False  # "Ada's daycare costs 62 dollars"
        has_compounds = self.locale.has_noun_compounds or self.locale.has_noun_capitals
        if marks and previous in people_words() - self.known.determiners and not has_compounds:
            return False  # "mi padre cumple años", but "son anniversaire"
        is_led = previous in self.known.determiners or (previous == "'s" and self._is_vague_adjective(at))
        if marks and not is_led and not any(mark in ("=", "~") for mark in marks):
            return False
        return previous in self.known.determiners or bool(marks) or not self.is_verb(at) or self._is_described(at)

    def _is_infinitive(self, at: int) -> bool:
        """Return whether a Spanish verb is governed by the preposition or verb before it: "va a abrir"."""
        low, before, locale = self.words[at].low, self.words[at - 1].low if at else "", self.locale
        if not locale.own_verbs:
            return False
        is_led = before in locale.prepositions or before in locale.own_verbs
        is_form = expression("infinitive_form", locale).fullmatch(low) is not None
        return is_led and is_form and low not in nouns_of(locale)

    def _is_described(self, at: int) -> bool:
        """Return whether an English word that may be a verb is a noun after its adjective: "a green bike"."""
        word, locale = self.words[at], self.locale
        if not locale.has_base_verbs or at < 2 or word.low in PAST_FORMS or word.low.endswith(_INFLECTIONS):
            return False
        before, first = self.words[at - 1], self.words[at - 2]
        if first.low not in self.known.determiners or not word.low[0].isalpha() or self.is_verb(at - 1):
            return False
        adjectives = (sorts()["color"], locale.idle_adjectives, locale.vague_adjectives)
        return first.low in locale.indefinite or any(before.low in each for each in adjectives)

    def with_owner(self, at: int, begin: int, end: int, high: int, owner: Phrase | None) -> tuple[Phrase, int] | None:
        """Return the phrase of the words from `begin` to `end` with its owner, before or after it, and its end."""
        idle, other = self.locale.change_words, self.locale.idle_adjectives
        words = tuple(w for w in self.words[begin:end] if w.text != "." and w.low not in idle and w.low not in other)
        words = words or tuple(self.words[begin:end])
        start, stop = self.words[at].start, self.words[end - 1].stop
        if at == begin or owner is not None:
            words, owner = self.genitives(words, owner)
        phrase = Phrase(start, stop, words, owner)
        if end < high and self.is_possessive(end, high):
            inner = self.end_of_nouns(end + 1, high, has_article=True)
            if inner > end + 1:
                return self.with_owner(at, end + 1, inner, high, phrase)
        is_linked = end + 1 < high and owner is None and self.words[end].low in self.locale.owner_links
        if is_linked and self.may_be_owned(words, end, has_article=at < begin):
            link = end
            while link + 1 < high and self.words[link + 1].low in self.locale.owner_links:
                link += 1
            if self.words[link].low in self.known.first_owner or self.words[link].low in self.known.third_owner:
                link -= 1
            inside = self.phrase(link + 1, high) if link + 1 < high else None
            if inside is None and link + 1 < high:
                inside = self.bare_after(link + 1, high)  # "the port of beta"
            if inside is not None:
                return phrase._replace(owner=inside[0], stop=inside[0].stop), inside[1]
        return phrase, end

    def genitives(self, words: tuple[Word, ...], owner: Phrase | None) -> tuple[tuple[Word, ...], Phrase | None]:
        """Return a German phrase without the genitives before its noun, and their owner: "Lenas Schwester"."""
        while self.locale.has_noun_capitals and len(words) > 1:
            first, given = words[0], word_list("given")
            known = words[1].low.removesuffix("s") in people_words() or self.is_part(words[1])
            known = known or first.low[:-1] in given
            if not first.low.endswith(("s", "'")) or not known or first.low in given:
                break
            if not first.has_capital and first.low[:-1] not in given:
                break  # "mein linkes Knie"
            word = _word(first.text.rstrip("'’").removesuffix("s"), first.start, first.stop, self.locale)
            owner, words = Phrase(first.start, first.stop, (word,), owner), words[1:]
        return words, owner

    def may_be_owned(self, words: Sequence[Word], link: int, *, has_article: bool) -> bool:
        """Return whether a phrase may be a part or relative of the phrase after "of" or "for"."""
        if not any(not word.has_capital or word.is_acronym or self.locale.has_noun_capitals for word in words):
            return False
        last = words[-1]
        is_name = last.has_capital and not last.is_acronym and not self.is_part(last)
        if is_name and (len(words) > 1 or not (self.locale.has_noun_capitals and has_article)):
            return False  # "hat Vega von Anna übernommen"
        ends = (each for each in self.locale.attributes if self.locale.has_noun_capitals and len(each) >= _PART)
        is_part = last.low in self.locale.attributes or last.low.endswith(tuple(ends))  # "Türcode"
        is_part = is_part or any(map(self.concepts_of, words))
        return is_part or self.words[link].low not in self.locale.part_links  # "the code for the gate"

    def concepts_of(self, word: Word) -> tuple[tuple[str, str], ...]:
        """Return the relations that a word expresses, with their marks."""
        return _concepts_of(word.low, self.locale)

    def is_part(self, word: Word) -> bool:
        """Return whether a noun denotes a relative, an animal or a property."""
        return word.low in nouns_of(self.locale) or word.low in union("nouns") or bool(self.concepts_of(word))

    def _is_vague_adjective(self, at: int) -> bool:
        """Return whether a word that also states something is an adjective before a noun: "Priya's old boss"."""
        is_led = self.words[at].low in self.locale.vague_adjectives and at + 1 < len(self.words)
        return is_led and self.may_be_noun(at + 1)

    def is_possessive(self, at: int, high: int) -> bool:
        """Return whether the word at an index is a possessive 's rather than "is"."""
        if self.words[at].low not in ("'s", "'") or at + 1 >= high:
            return False
        after, has_verb = self.words[at + 1], any(self.is_verb(place) for place in range(at + 2, high))
        is_led = at > 1 and self.words[at - 2].low in self.known.be  # "Who is Nahia's swimming coach?"
        if after.low.endswith("ing") and after.low not in self.locale.irregular_nouns and not (has_verb or is_led):
            return False
        attribute = any(mark == "=" for _, mark in self.concepts_of(self.words[at - 1]))
        low = max((place for place in range(at) if self.words[place].text in ",;:"), default=0)
        if attribute and after.has_capital and not has_verb and not self.has_verb(low, at - 1):
            return False  # "her name's Lea"
        is_past = after.low.endswith("ed") and len(after.low) > 4
        if is_past or after.low in self.known.breaks or after.low in self.known.determiners:
            return False
        marks = [mark for _, mark in self.concepts_of(after)]
        return not marks or self._is_vague_adjective(at + 1) or any(mark in ("=", "~") for mark in marks)

    def bare_phrase(self, low: int, high: int) -> Phrase | None:
        """Return the words from an index on as a phrase without an article, None without a noun there."""
        at = low
        while at < high and at - low < _MOST_BARE and (self.may_be_noun(at) or (at > low and self.is_number(at))):
            at += 1
        words = tuple(self.words[low:at])
        if not words or any(word.low in self.locale.pronouns or word.low in self.known.times for word in words):
            return None
        return Phrase(words[0].start, words[-1].stop, words)

    def is_number(self, at: int) -> bool:
        """Return whether the word at an index is a number in a name: "hall 205"."""
        return self.words[at].text[0].isdigit() and self.words[at - 1].low not in self.known.times

    def own_subject(self, low: int, high: int) -> Phrase | None:
        """Return the speaker if the ending of the verb is in the first person, as in Spanish, else None."""
        verbs = (at for at in range(low, high) if self.words[at].low in self.locale.own_verbs or self.is_own_plural(at))
        start = next((self.words[at].start for at in verbs), None)
        return None if start is None else Phrase(start, start, (), person="me")


_MOST_BARE, _MOST = 4, 7  # words of a subject without an article, and of a noun phrase


@cache
def english_roots(field: str) -> frozenset[str]:
    """Return the roots of the English words of a field."""
    return frozenset(root(word, _ENGLISH) for word in getattr(_ENGLISH, field))


@cache
def people_words() -> frozenset[str]:
    """Return the words for relatives and other people, and their roots."""
    return frozenset(each for word in union("people_nouns", "anybody") for each in (word, root(word, _ENGLISH)))


@cache
def members() -> dict[str, frozenset[str]]:
    """Return the roots of hyponyms by the root of their noun: a dog is a pet."""
    return {
        root(name, _ENGLISH): frozenset(root(each, _ENGLISH) for each in nouns.split())
        for name, nouns in _ENGLISH.members.items()
    }


def pets() -> frozenset[str]:
    """Return the roots of the nouns for pets."""
    return members()[root("pet", _ENGLISH)]


def is_measure(phrase: Phrase) -> bool:
    """Return whether a phrase is a unit or a currency: "800 Euro"."""
    return bool(phrase.words) and phrase.words[-1].low in _units()


@cache
def _units() -> frozenset[str]:
    return frozenset(one for locale in LOCALES.values() for names in locale.measures.values() for one in names.split())
