"""The words and phrases of each language (`Locale`, `LOCALES`), and `language_of`, which detects a text's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple, cast

from engrain.text import literals, pattern

Words = frozenset[str]  # "a b c"
Markers = tuple[str, ...]  # "a b | c"
Lines = tuple[str, ...]  # one on each line, or "a | b"
Phrases = str  # a regular expression, over several lines, with `{name}` for one of the `parts`
Numbered = Mapping[str, int]  # "1: january jan | 2: february feb"; "_" for a blank inside a name
Named = Mapping[str, str]  # "day: day days | week: week weeks"
Ranges = Mapping[str, tuple[int, int]]  # "2-5: few a_few"


_NAME = r"[A-ZÀ-ÖØ-Þ][\w'’-]+"
_FORMS_OF = {"changing": "change", "ending": "over"}  # phrases that are the words of a concept, in any form
_WORD = pattern(r"[^\W\d_]+")
_CAPITALISED = pattern(r"(?<!\w)[A-ZÀ-ÖØ-Þ]\w+")
_CAPITALISED_RUN = pattern(r"(?<!\w)([A-ZÀ-ÖØ-Þ]\w+)(?: [A-ZÀ-ÖØ-Þ]\w+)+")  # "Torvald Berg" in English
_SMALL_WORD = pattern(r"(?<!\w)[a-zß-öø-ÿ]")
_READ = 400  # characters of a text that language detection uses
_MANY = 2500  # length of phrases from which on they are compiled one by one
_FIRST_LETTER = re.compile(r"(?<!\w)\w")  # of each word
_OPENING = pattern(r"(?:\(\?<[=!][^()|]*\))*([^\W_][\w '’]{2,})(?![?*+{])")  # of a phrase, after its lookbehinds
_LED_BY_CHOICE = pattern(r"\(\?:([^()]+)\)(?![?*+{])")  # "(?:finished|completed) the course"
_LONG_NAME = 5  # letters of a time name: shorter ones are also other words
_SHORTEST = 3  # letters: shorter names of times, mostly abbreviations, are also words of other languages


class FactForm(NamedTuple):
    """A sentence form that states a fact: `{s}`, `{o}`, `{was}` and a verb `<live>`; `change` if it states a change."""

    predicate: str
    kind: str  # the kind that the object must have: a name in `Locale.kinds` or `statements`
    cue: str  # a string that a text must contain, in lower case, for the form to be tried
    form: str
    change: bool = False


class RelationForm(NamedTuple):
    """A pattern that states a relation between two named entities: a regular expression for the verb between them."""

    relation: str
    sources: str  # types of the first name, separated by spaces
    targets: str
    verb: str


class Locale:
    """The words and phrases of one language, read from its file on first use; a missing entry is empty.

    Words are in lower case unless noted. Phrases are regular expressions without word boundaries, which `expression`
    adds, and are matched in any case; `(?-i:...)` keeps the case of a part. Every entry of a file without a field
    here is a phrase. The less obvious ones: `letters` occur in no other of these languages; `trailing`, `leading` and
    `lately` may surround a fact; `next_clause` continues after a comma; `contrast` opposes something to a
    fact; `no_denial` has a negation without effect; `soft_denial` may amount to a negation;
    `tentative` is tried, not done; `over` is a former state; `quantities` turn a yes/no question into one of amount;
    `into_place` and `name_cues` precede a name; `vague_opening` has a subject without a name; `elsewhere`
    depends on its context; `undecided` precedes a decision not yet made; `because` and `by_doing`
    have groups `why` and `how`; `steps` describe an entity that must be found first; `happened` reports an event;
    `clock_end` may follow a time of day that is a bare number; `past_tense` and `future` give the direction of a
    clause with an ambiguous time; `rescheduled` gets another time, `arranged` is set for one; `personal` concerns the
    participants, `first_person_words` the speaker, `speaker_words` has the speaker as subject or owner; `asks_when`,
    `asks_latest`, `asks_name` and similar ones mark a question of that kind.
    """

    snowball: str  # the name of its stemmer
    # grammar
    stop: Words  # stop words; they also identify the language of a text
    articles: Words
    determiners: Words  # other words that a noun follows: "my", "every", "no"
    copulas: Words  # present forms of "to be"
    auxiliaries: Words  # other verbs that end a subject
    auxiliary_forms: Words  # forms of those that do not end one: "being"
    first_person: Words
    first_possessive: Words
    oneself: Words  # all first-person words
    hearer: Words  # second-person words
    third_person: Words  # third-person pronouns
    people_pronouns: Words  # of those, the ones for people
    he_words: Words  # of those, the masculine ones
    she_words: Words
    timed_nouns: Words  # nouns for events and payments, in English: "the dentist appointment"
    serving_people: Words  # nouns for people and firms that provide a service, in English: "dentist"
    men: Words  # nouns for male relatives and the like, in English
    women: Words
    subjects: Words  # pronouns that a verb follows
    pronouns: Words  # words that open a sentence and are not a name: pronouns, adverbs, greetings
    pointing: Words  # deictic words, whose referent depends on the text
    no_past_forms: Words  # English words that look like a past form but mostly are not
    verbs: Words  # base forms in English, else the forms that follow a subject
    idle: Words  # words that are ignored in the comparison of statements
    linking: Words  # prepositions that may follow an object
    owning: Words  # prepositions before the owner or whole
    acting: Words  # verbs after a subject, beside `copulas`, `auxiliaries` and `verbs`
    joined: Words  # and, or, but
    list_joints: Words  # join the items of a list, also under a negation: and, or, nor
    own_adjectives: Words  # emphasise an owner: "my own"
    topic_links: Words  # lead what something is about
    move_particles: Words  # of a verb of moving, behind its object: "pushed the launch back"
    coordinating: Words  # words between clauses that are split: and, but, because
    subordinating: Words  # words that begin a clause: because, when, which
    past: Markers  # endings of past forms
    past_words: Words
    has_base_verbs: bool  # `verbs` are base forms, whose other forms have plain endings
    has_common_words: bool  # `names.common` knows its words
    has_noun_compounds: bool  # a noun before another modifies it: "nut allergy"
    has_bare_roles: bool  # an occupation has no article: "est ingénieur chez"
    has_thing_pronouns: bool  # it has pronouns for things alone: "it"
    has_double_negation: bool  # "ne ... pas"
    has_ordinal_stops: bool  # a full stop marks an ordinal: "5. Mai"
    has_passive_future: bool  # the auxiliary of the future also forms the passive: "wird gebaut"
    prepositions_join: bool  # a preposition may begin a clause: "before I left"
    verb_endings: Markers  # of finite verbs, where nouns have capitals
    adjective_endings: Markers  # which rule out that a word of `concepts` is a verb
    perfect_prefixes: Markers  # of participles
    verb_prefixes: Words  # separable, at the end of a clause: "läuft ... ab"
    stem_ending: str  # the ending that only stems of verbs have
    do_words: Words  # "do" before the subject of a question
    infinitive_marks: Words  # "to" before a verb
    misread_words: Words  # in the subject of a form they show a wrong parse
    no_longer_words: Words  # inside "no longer", "not any more"
    place_goals: Words  # of `goals`, those before a place too
    has_noun_capitals: bool  # all nouns are capitalised, so that a capital does not mark a name
    # clauses
    concepts: Named  # words that express a relation, by its predicate: "+" a change to it, "~" a noun with "have",
    # "*" needs a noun like "project", "!" a verb like "must", "^" is this form of a verb only
    members: Named  # English nouns by their hypernym: "sibling: brother sister"
    nouns: Named  # nouns for relatives, animals and things, by the English one
    actions: Named  # forms of verbs by one English verb
    exonyms: Named  # names of places, by the English one where it differs
    professions: Words  # used without an article: "es médica"
    presentational: Words  # "here is", "there are"
    no_places: Words  # nouns for how one lives: "fear", "poverty"
    place_links: Words  # of `prepositions`, those before a place
    receives: Words  # verbs of getting a job: "got the job at"
    have: Words
    had: Words  # of those, the past forms
    past_be: Words
    perfect: Words  # auxiliaries of the perfect tense
    future_words: Words
    now_words: Words  # adverbs that are no part of a noun phrase
    placing_verbs: Words  # verbs of putting a thing somewhere: "put"
    reflexives: Words
    object_pronouns: Words  # followed only by a verb: "me", "lui"
    day_nouns: Words  # which ask for a day: "date"
    infinitive_endings: Markers
    pleasing_verbs: Words  # verbs with the liked object as subject: "gusta"
    height_words: Words  # of those, the ones also used of sums: "hoch"
    demonstratives: Words  # used as a subject: "that's my aunt"
    that_words: Words  # before a reported clause
    so_words: Words  # before a consequence
    trips: Words  # nouns for a journey
    intensifiers: Words  # before an adjective: "very"
    if_words: Words
    contrasts: Words  # before the valid alternative: "but"
    particles: Words  # conjunctions that only add stress inside a clause: "doch"
    own_verbs: Words  # verbs in the first person, which need no pronoun
    owner_links: Words  # between a part and its owner: "of"
    prepositions: Words
    agents: Words  # of those, the ones before the agent of a passive: "by"
    passive_words: Words  # auxiliaries of the passive before a participle
    passive_endings: Markers  # of participles after them, beside the form `participle`
    objective_endings: Markers  # of determiners that no subject has: "den"
    mutual_verbs: Words  # English verbs whose subject and object have the same role: "meet"
    goals: Words  # of those, the ones before a new value: "to"
    handed_to: Words  # of those, the ones before a recipient
    holder_links: Words  # before the one who keeps a thing: "the key is with Ben"
    company_words: Words  # of those, the ones that no place follows: "with"
    change_words: Words  # adverbs that mark a new state: "now"
    vague_adjectives: Words  # that do not identify a thing: "old"
    idle_adjectives: Words  # that are ignored when names of a thing are compared: "current"
    indefinite: Words  # indefinite articles
    visit_links: Words  # prepositions before a person who is visited
    work_links: Words  # prepositions before an employer: "an engineer at Acme"
    own_relatives: Words  # nouns that without an owner name a relative of the speaker: "Mum"
    people_nouns: Words
    how_many_words: Words  # words after "how" in a question of an amount
    part_links: Words  # of `owner_links`, those between a property and its owner only: "for"
    short_auxiliaries: Words  # clitics: "'m"
    irregular_nouns: Words  # plurals that look like past forms
    only_words: Words  # of exclusion: "only"
    generic_nouns: Words  # nouns that may accompany a name: "the Kestrel project"
    question_words: Words
    who_words: Words
    which_words: Words  # before the noun of a question
    how_words: Words
    successor_adjectives: str  # "another", "new": before the noun of a person or thing that replaces one
    idle_time_phrases: str  # adverbial phrases without a meaning in a question on the present or a final state
    idle_now_words: Words  # "now", ignored where a question is rephrased
    idle_question_words: Words  # ignored in questions, beside stop words
    origin_links: Words  # of `prepositions`, those before a person's origin
    origin_verbs: Words  # that state an origin, beside "to be"
    no_occupations: Words  # predicates of a person that are no occupation: "vegetarian"
    role_links: Words  # before an occupation: "as"
    when_words: Words  # before a time that is background: "when I moved to Lyon"
    since_words: Words  # of `prepositions`, those before the start of a state
    gives: Words  # verbs of handing over a responsibility
    severities: Words  # adjectives of an illness
    given_up_words: Words  # verbs and adverbs around what is given up: "having coffee", "gave coffee up"
    obligations: Words  # verbs of obligation
    become: Words  # verbs of becoming: "got cancelled"
    measure_words: Words  # for a quantity: "cup", "lot"
    habit_words: Words  # for a frequency: "daily", "usually"
    replaced_by: Words  # between the old and the new in "replaced X with Y"
    exchanged_for: Words  # prepositions before the thing gained in an exchange: "left Porto for Ghent"
    anything_words: Words  # that a negation makes universal: "anything"
    nothing_words: Words  # without a referent: "nothing", "anything"
    there_words: Words  # anaphoric adverbs of place: "there"
    childhood: Words  # verbs of living somewhere as a child: "grew up"
    visits: Words  # verbs of a single visit: "saw", "went", "was"
    still_words: Words  # adverbs and verbs of continuation: "still"
    number_nouns: Words  # asked for as a number: "her number"
    code_nouns: Words  # for codes of letters and digits: "password", "plate"
    contact_verbs: Words  # verbs of writing to a person or calling them
    verbs_of_several: Words  # of doing several things at a time: "play", "collect"
    comparing_words: Words  # of `quantities`, those of a comparison: "than"
    light_verbs: Words  # verbs of a question that its answer may replace by any other: "come", "go"
    lodgings: Words  # nouns for temporary accommodation: "hotel"
    located: Words  # verbs of location, beside copulas
    sites: Words  # prepositions of location, beside those of places
    repetitions: Numbered  # frequencies
    price_verbs: Words  # of payment
    sum_kinds: Named  # words for what a sum is: income, spending, rent
    price_nouns: Words  # nouns of a sum that may lack its currency: "rent"
    turns: Words  # verbs of reaching an age: "turns 40"
    idle_nouns: Words  # "kind" in "what kind of"
    weekly: Words  # before a recurring weekday: "every"
    per: Words  # after a sum: "per", "each"
    sources: Words  # of those, the ones before an origin, not before a place or a new value: "from"
    # index
    irregular_verbs: str  # forms of verbs that suffix rules do not reach: "base form form; ..."
    irregular: str  # those of nouns and adjectives
    same: str  # synonyms: "base other other; ..."
    ise_roots: Words  # of verbs that are written with -ise or -ize
    # sentences
    abbreviations: Words  # without their last full stop; they end no sentence
    closing_abbreviations: Words  # the same, which may end one before a capital
    # times
    months: Numbered
    weekdays: Numbered  # 0 is Monday
    short_days: Words  # days of the week, for ranges such as "Mon to Fri"
    day_parts: Words  # that make a day one of every week: "Tuesday evenings"
    time_parts: Words  # nouns before the name of a month: "Anfang April"
    seasons: Numbered  # the month in which it begins in the north
    namesakes: Words  # of these, the ones that are also given names or other words
    capital_names: Words  # of these, the ones that are another word in lower case: "May", "Sat"
    capital_words: Named  # kinds of `time_words` in this exact spelling
    plain_weekdays: Words  # weekdays that name a day without a preposition
    units: Named  # names of units of time, by the English name
    near: Numbered  # days from today: "yesterday" is -1; "_" for a blank
    clock_words: Numbered  # minutes of the day: "noon" is 720
    time_words: Named  # by their kind in `dates.LETTERS`; "_" for a blank
    day_leads: Words  # words before a day number without a month: "le 5"
    when_word: str  # replaces the phrase that asks for a time of day, whose noun would be parsed as a subject
    year_leads: Words  # words before a year without a preposition: "born 1961"
    has_bare_years: bool  # years have no preposition: "wurde 1961 geboren"
    conditions: Named  # words for a condition, by the English one: "open"
    opposites: Named  # of these, the opposites of each
    negating_prefixes: Words  # "un" of "unlocked"
    beside_places: Words  # prepositions kept in the answer to "where": "under the pot"
    clock_leads: Words  # words before an hour: "at 9"
    reply_leads: Words  # words before the value that a reply consists of: "On 14 July"
    home_terms: Words  # search terms for where someone lives, beside the verbs
    verb_particles: Words  # adverbs that belong to a verb before its object: "put off the race"
    clock_in_words: Numbered  # minutes from the hour {h}, in words or digits: "half past {h}"
    vague_counts: Ranges  # least and most: "few" is 2 to 5
    holidays: Words
    written: Named  # names of months and seasons, and forms of times: `{}` is a time, `{d}`, `{m}`, `{y}` its parts
    # numbers
    numbers: Numbered  # below one hundred
    scales: Numbered  # hundred, thousand, million
    number_joints: Words  # inside a number: "two hundred and fifty"
    ordinals: Words
    day_ordinals: Numbered  # ordinals for days of a month, in words
    unsure_numbers: Words  # of these, ambiguous words: "one"
    joined_numbers: Markers  # how numbers of tens and ones are written, such as "{tens}-{one}"; "_" for a blank
    ones: Words  # words for one in such a number: "un" in "vingt et un"
    measures: Named  # names of measures and of currencies
    # statements
    ended: Markers  # markers of an end; " ... " is a gap, "~ing" an -ing form that follows
    changed: Markers  # markers of change
    now: Markers  # of these, those that a statement is complete without
    corrected: Markers  # plain corrections, at the beginning
    hinted: Markers  # words that may correct: "actually"
    swapped: Lines  # forms with {was} and {o} that name the old value and the new
    denied: Lines  # forms with {was} and {o}: "not X but Y"
    paraphrases: Lines  # "who bought X => Who was X sold to?; ...": N a noun, X and Y anything, else an expression
    restatements: Lines  # of a statement of a change: "X has become my best N => My best N is now X"
    joint_questions: Lines  # of the same form, into the questions that one of two things joins
    reworded: Lines  # of the same form, but read in place of the question: "X is Q => Q is X ?"
    asked_in_place: str  # the pattern of Q in those, question words with their nouns
    asking_verb: str  # the pattern of V in those
    instead: Markers  # between the new value and the old
    used: Words  # stems of verbs that all mean "use"
    blocked: Words  # markers of doubt, condition or report, which exclude a plain statement
    negated: Words
    partial: Words  # words with which a statement and its negation may both be true
    single: Markers  # endings of a frame that has one value at a time
    loose: Markers  # endings of a frame that may have several
    doubted: Markers  # endings of a frame in which "actually" contradicts a value but does not replace it
    habits: Words  # words of frequency, which do not limit an end
    attributes: Words  # nouns that have one value
    state_words: Words  # adjectives of progress: "done", beside participles
    states: Words  # of those, the ones with any word as value
    before_used: Words  # words before "used to" that exclude a former habit
    several_nouns: Words  # a person may have several of them, so that a new one replaces none: "friend"
    one_relatives: Words  # relations that a person has one of
    which_relative: Words  # words that distinguish them: "older"
    spellings: Named  # of nouns in predicates
    kinds: Mapping[str, Phrases]  # patterns of objects by kind, where words show it
    not_kinds: Mapping[str, Words]  # words that no object of a kind has
    kinds_with_article: Words  # names of places that have an article
    relations: tuple[RelationForm, ...]  # patterns of relations between two names
    relation_groups: Lines  # words of one kind of relation
    plain_relations: Words  # words of untyped relations
    list_words: Words  # words that may follow those: "also"
    before_names: Words  # words beside articles and determiners before a name: "new"
    relatives: Words  # words that begin a relative clause
    anybody: Words  # names for the speaker in a summary: "user", "customer"
    the_user: Words  # phrases for the user in a text by another
    cause_ends: Words  # words beside those between clauses that end the name of a cause
    no_causes: Words  # words that are no cause
    # polarity
    turning: Words  # words that reverse or weaken a statement
    # names
    greetings: Words
    titles: Words  # before a person's name, as they are written
    name_abbreviations: Words  # before or after a name with a full stop, as they are written
    bodies_of: Words  # words before an "of" that is inside a name
    never_names: Words  # words with a capital that are no names
    things: Words  # abbreviations of common things, in lower case
    subject_verbs: Words  # verbs after a name that begins a sentence
    # importance
    identity: Words  # of a person's identity
    wanted: Words  # likes, dislikes, needs
    decided: Words
    feeling: Words
    timely: Words
    events: Words  # verbs of events
    critical: tuple[tuple[Words, str], ...]  # words, and an expression tried where one of them is there
    no_content: Words  # words that state nothing on their own
    idle_talk: Words  # words that greet, thank or agree, in a sentence that may answer
    about_saying: Words  # words about a statement, in a message that only repeats it
    asking: Words  # words of questions that do not name the object asked for
    # parts of answers
    amount_nouns: Words
    # questions
    myself: Words  # of `oneself`, the words for one person
    asked: Mapping[str, Phrases]  # beginnings of questions, by `questions.Wanted`
    role_links_behind: Words  # those that are one only right after the verb
    counting_words: Words  # "some", "a lot of"
    length_words: Words  # that ask for a length: "tall"
    road_nouns: Words  # that end or begin the name of a street
    employers: Words  # nouns for a firm that one may start at
    workplaces: Words  # destinations of a way to work
    ways_to_work: Words  # verbs of commuting
    degree_words: Words  # "so" in "so early"
    range_words: Words  # between two ends: "from 6 to 9"
    singular_nouns: Words  # with the ending of a plural
    plural_nouns: Words  # that do not
    exclusive_states: Mapping[str, Phrases]  # of each kind a person is in one state at a time, as "shift_late"

    def __init__(self, code: str) -> None:
        self.code = code  # ISO 639-1
        self._parts: dict[str, str] = {"fullname": rf"(?-i:{_NAME}(?: {_NAME}){{0,2}})"}

    @cached_property
    def entries(self) -> Mapping[str, Any]:
        """The entries of the file by name, "asked.time" as one of "asked"; indented lines continue an entry."""
        text = Path(__file__).with_name(f"{self.code}.txt").read_text(encoding="utf-8")
        entries = re.split(r"\n(?! )", text.strip("\n"))
        found: dict[str, Any] = {}
        for entry in (each for each in entries if not each.startswith("#")):
            name, _, value = entry.partition(":")
            table, _, key = name.rpartition(".")
            group = found.setdefault(table, {}) if table else found
            group[key] = value.removeprefix(" ")
        for name, part in found.get("parts", {}).items():
            self._parts[name] = self._phrase(part)
        return found

    @cached_property
    def all_numbers(self) -> Mapping[str, int]:
        """The numbers below one hundred, including those of two words: "seventy-one", "setenta_y_un"."""
        found = dict(self.numbers)
        ones = {**dict.fromkeys(self.ones, 1), **{name: one for name, one in self.numbers.items() if one > 1}}
        for tens, number in self.numbers.items() if self.joined_numbers else ():
            most = 9 if number + 10 in self.numbers.values() or number == 90 else 19  # "soixante-dix-neuf"
            if number >= 20 and number % 10 == 0:
                joined = (
                    (form.format(tens=tens, one=name), one)
                    for form in self.joined_numbers
                    for name, one in ones.items()
                )
                found.update((name, number + one) for name, one in joined if one <= most)
        return found

    @cached_property
    def condition_names(self) -> Mapping[str, Words]:
        """The names of the conditions that a form may express, by the form: "off", "out of order"."""
        rows = [(form.replace("_", " "), name) for name, forms in self.conditions.items() for form in forms.split()]
        return {form: frozenset(name for other, name in rows if other == form) for form, _ in rows}

    @cached_property
    def compound_numbers(self) -> Phrases:
        """The numbers of tens and ones as alternatives."""
        tens = one_of(name for name, number in self.numbers.items() if number >= 20 and number % 10 == 0)
        ones = one_of({*self.ones, *(name for name, one in self.numbers.items() if 1 < one < 20)})
        forms = (each.replace("_", r"\s").format(tens=f"(?:{tens})", one=f"(?:{ones})") for each in self.joined_numbers)
        return "|".join(forms)

    @property
    def number_words(self) -> Phrases:
        """The numbers below one hundred as alternatives, the longest first."""
        return f"{self.compound_numbers}|{one_of(self.numbers)}"

    @cached_property
    def forms(self) -> tuple[FactForm, ...]:
        """The sentence forms of facts: `predicate;kind;cue;form`, with an asterisk after the kind for a change."""
        forms = list(_forms(self.entries.get("forms", "")))
        for noun in _forms(self.entries.get("attribute_nouns", "")):
            for form in _rows(self.entries.get("attribute_forms", "")):
                shown = form.lstrip("*").replace("{a}", noun.form)
                forms.append(noun._replace(form=shown, change=form.startswith("*")))
        return tuple(form._replace(form=self._phrase(form.form)) for form in forms)

    def __getattr__(self, name: str) -> str:
        """Return a field of the file, or else one of its phrases; "" where only another language has it."""
        value: Any
        type_ = Locale.__annotations__.get(name)
        if name in _FORMS_OF:
            bare = {form.lstrip("+~=*!").removesuffix("e") for form in self.concepts.get(_FORMS_OF[name], "").split()}
            value = "|".join(rf"{re.escape(form)}\w{{0,3}}" for form in sorted(bare) if "_" not in form)
        elif type_ == "Mapping[str, Phrases]":
            value = {key: self._phrase(text) for key, text in dict(self.entries.get(name, "")).items()}
        elif type_ is not None:
            value = _READERS[type_](self.entries.get(name, ""))
        elif not name.startswith("_") and any(name in each.entries for each in LOCALES.values()):
            value = self._phrase(self.entries.get(name, ""))
        else:
            raise AttributeError(f"no language has {name}")
        self.__dict__[name] = value
        return cast(str, value)  # of a phrase; a field is declared with its type

    def _phrase(self, text: str) -> Phrases:
        """Return a phrase of the file on one line, with its parts inserted."""
        whole = "".join(line if number == 0 else line.strip() for number, line in enumerate(text.split("\n")))
        return re.sub(r"\{([a-z]+)\}", lambda found: self._parts.get(found[1], found[0]), whole)


def _rows(text: str) -> list[str]:
    """Return the lines of a text, each joined with the more indented ones after it."""
    rows: list[str] = []
    for line in dedent(text).strip("\n").split("\n"):
        if line.startswith(" ") and rows:
            rows[-1] += line.strip() if ";" in rows[-1] else f" {line.strip()}"
        elif line:
            rows.append(line)
    return rows


def _named(text: str) -> list[list[str]]:
    return [each.split(": ", 1) for each in " ".join(text.split()).split(" | ") if each]


def _groups(text: str) -> list[tuple[str, list[str]]]:
    """Parse "key: name name | key: name"."""
    return [(key, names.split()) for key, names in _named(text)]


def _forms(text: str) -> tuple[FactForm, ...]:
    rows = (row.split(";") for row in _rows(text))
    return tuple(FactForm(what, kind.rstrip("*"), cue, form, kind.endswith("*")) for what, kind, cue, form in rows)


_READERS: dict[str, Callable[[Any], object]] = {  # by how the type of a field is written
    "str": str,
    "bool": bool,
    "Words": lambda text: frozenset(text.split()),
    "Markers": lambda text: tuple(" ".join(text.split()).split(" | ")) if text else (),
    "Lines": lambda text: tuple(part for row in _rows(text) for part in row.split(" | ")),
    "Named": lambda text: dict(_named(text)),
    "Numbered": lambda text: {name: int(key) for key, names in _groups(text) for name in names},
    "Ranges": lambda text: {name: tuple(map(int, key.split("-"))) for key, names in _groups(text) for name in names},
    "Mapping[str, Words]": lambda table: {key: frozenset(words.split()) for key, words in dict(table).items()},
    "tuple[RelationForm, ...]": lambda text: tuple(
        RelationForm(*map(str.strip, row.split(";"))) for row in _rows(text)
    ),
    "tuple[tuple[Words, str], ...]": lambda text: tuple(
        (frozenset(cues.split()), phrases.lstrip()) for cues, phrases in (row.split(";") for row in _rows(text))
    ),
}


LOCALES = {code: Locale(code) for code in ("en", "de", "es", "fr")}
"""All languages by their code; English, the default, is first."""


def language_of(text: str, default: Locale | None = None) -> Locale:
    """Return the language with the most stop words in a text; in a tie the default, or else English."""
    return _language_of(text[:_READ], default or LOCALES["en"])


@lru_cache(1024)
def _language_of(text: str, default: Locale) -> Locale:
    votes = dict.fromkeys(LOCALES, 0)
    bare = _CAPITALISED_RUN.sub(r"\1", text) if _SMALL_WORD.search(text) else text
    for word in _WORD.findall(bare.lower()):
        for code in (codes := _languages_with(word)):
            votes[code] += 12 // len(codes)
    if not text.isascii():
        plain = _CAPITALISED.sub("", text)  # names may be of another language
        for locale in LOCALES.values():
            votes[locale.code] += 24 * sum(letter in plain for letter in locale.letters)
    votes[default.code] += 1
    return LOCALES[max(LOCALES, key=votes.__getitem__)]


@lru_cache(64)
def locales_of(codes: tuple[str, ...]) -> tuple[Locale, ...]:
    """Return the languages of codes; raises `ValueError` for one without word lists."""
    if unknown := [code for code in codes if code not in LOCALES]:
        raise ValueError(f"no word lists for {', '.join(unknown)}: choose from {', '.join(LOCALES)}")
    return tuple(LOCALES[code] for code in codes)


def is_read(text: str, languages: Sequence[str]) -> bool:
    """Return whether a text is in one of the languages with these codes."""
    return language_of(text) in locales_of(tuple(languages))


def by_form(named: Mapping[str, str]) -> dict[str, str]:
    """Return the name for each of the words that a table gives for it."""
    return {form: name for name, forms in named.items() for form in forms.split()}


@cache
def dictionary(locale: Locale) -> dict[str, dict[str, str]]:
    """Return the English word for each word of a language in the dictionary, by section."""
    column, found = list(LOCALES).index(locale.code), dict[str, dict[str, str]]()
    for line in word_file("dictionary"):
        if line.startswith("["):
            table = found.setdefault(line.strip("[]"), {})
        else:
            table.update(dict.fromkeys(line.split(";")[column].split(), line[: line.index(" ")]))
    return found


@cache
def nouns_of(locale: Locale) -> dict[str, str]:
    """Return the English noun for each noun form of a language."""
    return dictionary(locale)["nouns"] | by_form(locale.nouns)


@cache
def in_english(locale: Locale) -> dict[str, str]:
    """Return the English word for each noun, verb, town and time name of a language."""
    places = dictionary(locale)["places"] | by_form(locale.exonyms)
    return dict(times_in_english(locale)) | by_form(locale.actions) | places | nouns_of(locale)


def times_in_english(locale: Locale) -> Iterator[tuple[str, str]]:
    """Yield the names of seasons, months and weekdays with the English ones, without short ones: French "été"."""
    for field in ("seasons", "months", "weekdays"):
        names = sorted(getattr(LOCALES["en"], field).items(), key=lambda each: len(each[0]))
        english = {number: name for name, number in names}  # the longest of each
        for name, number in getattr(locale, field).items():
            if len(name) >= _LONG_NAME:
                yield name, english[number]
                yield from ((f"{name}s", english[number]),) if field == "weekdays" else ()  # "sonntags"


@cache
def word_list(name: str, *, apart: bool = False) -> frozenset[str]:
    """Return the words, or all `apart`, of `common`, `endings`, `places`, `family`, `given` names, `women` or `men`."""
    names = ("given", "women", "men") if name == "given" else (name,)
    raw = " ".join(line for each in names for line in word_file(each))
    return frozenset(raw.replace("_", " ").split() if apart else raw.replace(" ", "\n").replace("_", " ").splitlines())


def word_file(name: str, *, folder: Path = Path(__file__).parents[1] / "wordlists") -> list[str]:
    """Return the lines of a file of the word lists, or of another folder, without its comments."""
    text = (folder / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


@lru_cache(32_768)
def _languages_with(word: str) -> tuple[str, ...]:
    """Return the languages that have a word among those too common to look for and those that name times."""
    of_each = [(code, *_indicative_words(locale)) for code, locale in LOCALES.items()]
    found = tuple(code for code, short, any_, _ in of_each if word in (any_ if len(word) > _SHORTEST else short))
    if found and "en" not in found and any(word in nouns for *_, nouns in of_each):
        ordinary = word_list("common")
        if word in ordinary or (word[-1] == "s" and word[:-1] in ordinary):
            return "en", *found  # "pays" is a word of English too
    return found


@cache
def _indicative_words(locale: Locale) -> tuple[Words, Words, Words]:
    """Return the indicative words of a language: those of any length, all, and the nouns among them."""
    times = map(locale.time_words.get, ("last", "last one", "next", "next one", "part of day"))
    nouns = frozenset(" ".join(locale.nouns.values()).split())
    words = {word.lstrip("+~=") for word in " ".join(locale.concepts.values()).split()} | locale.verbs
    short = locale.stop.union(word for word in words if len(word) == _SHORTEST)  # "mag"
    words.update(nouns, *(each.split() for each in (*locale.units.values(), *filter(None, times))))
    words.update(locale.months, locale.weekdays, locale.seasons, locale.near, locale.have, locale.past_be)
    if locale.code == "en":
        words.update(*(each.nouns for each in LOCALES.values()))  # "ticket" is a word of German too
    return short, short.union(words, locale.prepositions, locale.question_words), nouns


@cache
def expression(field: str, locale: Locale | None = None) -> re.Pattern[str]:
    """Return the phrases of a field as one expression of whole words in any case; of all languages for None."""
    found = phrases(field) if locale is None else getattr(locale, field)
    return pattern(rf"(?<!\w)(?:{found})(?!\w)" if found else r"(?!)", re.IGNORECASE)


def has(text: str, *fields: str) -> bool:
    """Return whether a text contains a phrase of these fields in its own language."""
    return has_any(text, *fields, locale=language_of(text))


def has_any(text: str, *fields: str, locale: Locale | None = None) -> bool:
    """Return whether a text contains a phrase of these fields in a language, in any for None."""
    small, cased = _expressions(fields, locale)
    if small is not None and small.search(text.lower()) is not None:
        return True
    return any(each.search(text) for each in cased)


@cache
def _expressions(
    fields: Sequence[str], locale: Locale | None
) -> tuple[re.Pattern[str] | _LazyFinder | None, list[re.Pattern[str]]]:
    """Return a finder for phrases in a lower-case text, if any, and the expressions of case-sensitive fields."""
    found = [(field, phrases(field) if locale is None else getattr(locale, field)) for field in fields]
    cased = [field for field, text in found if "(?-i" in text or "(?P" in text]
    small = "|".join(text for field, text in found if text and field not in cased)
    low = "".join(part if at % 2 else part.lower() for at, part in enumerate(re.split(r"(\\[A-Z])", small)))
    finder = (_whole(low) if len(low) < _MANY else _LazyFinder(low)) if low else None
    return finder, [expression(field, locale) for field in cased]


class _LazyFinder:
    """Finds rare phrases in a text: each pattern is tried where its first three characters or its literals occur."""

    def __init__(self, expression: str) -> None:
        by_start, others = dict[str, list[tuple[str, str]]](), list[str]()
        for each in _alternatives(expression):
            choice = _LED_BY_CHOICE.match(each)
            heads = [head + each[choice.end() :] for head in choice[1].split("|")] if choice else [each]
            openings = [opening[1] for opening in map(_OPENING.match, heads) if opening is not None]
            if len(openings) < len(heads):
                others.append(each)
            for opening in openings if len(openings) == len(heads) else ():
                by_start.setdefault(opening[:3], []).append((opening, each))
        self._by_start, self._parts = by_start, dict[str, tuple[tuple[str, ...], re.Pattern[str]]]()
        self._others = [(needed, part) for each in others for part in [_whole(each)] for needed in literals(each)]

    def search(self, text: str) -> re.Match[str] | None:
        """Return a match of one of the phrases in a text, not necessarily the first."""
        places = _starts_of_words(text)
        for start in self._by_start.keys() & places.keys():
            if start not in self._parts:
                openings, alternatives = zip(*self._by_start[start], strict=True)
                self._parts[start] = openings, _whole("|".join(dict.fromkeys(alternatives)))
            openings, part = self._parts[start]
            for at in places[start]:
                if text.startswith(openings, at) and (found := part.match(text, at)) is not None:
                    return found
        for needed, part in self._others:
            if needed in text and (found := part.search(text)) is not None:
                return found
        return None


@lru_cache(128)
def _starts_of_words(text: str) -> dict[str, list[int]]:
    """Return the positions of the words of a text by their first three characters."""
    found: dict[str, list[int]] = {}
    for start in map(re.Match.start, _FIRST_LETTER.finditer(text)):
        found.setdefault(text[start : start + 3], []).append(start)
    return found


def _whole(alternatives: str) -> re.Pattern[str]:
    return pattern(rf"(?<!\w)(?:{alternatives})(?!\w)")


def _alternatives(expression: str) -> Iterator[str]:
    depth = start = 0
    for mark in re.finditer(r"\\.|\[(?:\\.|[^\]])*\]|[(|)]", f"{expression}|"):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if depth == 0 and mark[0] == "|":
            yield expression[start : mark.start()]
            start = mark.end()


def phrases(field: str) -> str:
    """Return the phrases of a field in all languages, as alternatives of an expression."""
    return "|".join(found for locale in LOCALES.values() if (found := getattr(locale, field)))


def one_of(words: Iterable[str]) -> str:
    """Return words as alternatives of an expression, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))


@cache
def union(*fields: str) -> frozenset[str]:
    """Return the words of fields in all languages."""
    return frozenset().union(*(getattr(locale, field) for locale in LOCALES.values() for field in fields))


def template(text: str) -> Callable[[Locale], re.Pattern[str]]:
    """Return a function that compiles an expression for a language once; `{name+name}` inserts alternatives."""

    @cache
    def compiled(locale: Locale) -> re.Pattern[str]:
        def alternatives(found: re.Match[str]) -> str:
            values = [getattr(locale, name) for name in found[1].split("+")]
            return values[0] if isinstance(values[0], str) else one_of(frozenset().union(*values))

        return pattern(re.sub(r"\{([a-z_+]+)\}", alternatives, text), re.IGNORECASE)

    return compiled
