"""What is known of a language: words, names of days, and phrases as regular expressions. Data alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class FactForm(NamedTuple):
    """One way to state a fact, as a template; `change` when it tells of a change by itself.

    In `form`: `{s}` the subject, `{o}` the object, `{was}` the object that holds no longer, `{whose}` a possessor,
    `{is}` a copula, `{still}` an adverb that says no more than "now", `<live>` a verb that agrees with its subject.
    """

    predicate: str
    cue: str  # what a text must contain to be tried, in small letters
    form: str
    kind: str  # what the object must look like: a name in `statements.KINDS`
    change: bool = False


class RelationForm(NamedTuple):
    """One way to state a relation between two named things: a regular expression for the verb between them."""

    relation: str
    verb: str
    sources: str  # types of the first name, separated by spaces
    targets: str


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def numbered(text: str, first: int = 1) -> dict[str, int]:
    """Return the number of each name in groups that "|" separates: "january jan|february feb"."""
    return {name: number for number, names in enumerate(text.split("|"), first) for name in names.split()}


@dataclass(frozen=True, kw_only=True, eq=False)  # one of each: hashed by identity, as caches need
class Locale:
    """The words and phrases of one language.

    Words are in small letters where nothing else is said. Phrases are regular expressions without word boundaries,
    which `locales.expression` adds, and are matched in any case; `(?-i:...)` keeps the case of a part.
    """

    code: str  # ISO 639-1
    snowball: str  # the name of its stemmer

    # ---- grammar
    stop: frozenset[str]  # words too common to look for; they tell the language of a text
    letters: str = ""  # letters that no other of these languages has
    articles: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()  # other words that a noun follows: "my", "every", "no"
    copulas: frozenset[str] = frozenset()  # present forms of "to be"
    auxiliaries: frozenset[str] = frozenset()  # further verbs that end a subject
    first_person: frozenset[str] = frozenset()
    first_possessive: frozenset[str] = frozenset()
    oneself: frozenset[str] = frozenset()  # every word by which somebody speaks of themselves
    hearer: frozenset[str] = frozenset()  # every word that speaks of whom one speaks to
    third_person: frozenset[str] = frozenset()  # pronouns of somebody or something named before
    people_pronouns: frozenset[str] = frozenset()  # of those, the ones for people
    subjects: frozenset[str] = frozenset()  # pronouns that a verb follows
    pronouns: frozenset[str] = frozenset()  # what opens a sentence and is no name: pronouns, adverbs, greetings
    pointing: frozenset[str] = frozenset()  # words that mean another thing in another text
    verbs: frozenset[str] = frozenset()  # base forms in English, else the forms that follow a subject
    idle: frozenset[str] = frozenset()  # words that tell nothing when two statements are compared
    linking: frozenset[str] = frozenset()  # prepositions that may follow an object
    joined: frozenset[str] = frozenset()  # and, or, but
    coordinating: frozenset[str] = frozenset()  # words between clauses that are told apart: and, but, because
    subordinating: frozenset[str] = frozenset()  # words that begin a clause: because, when, which
    past: tuple[str, ...] = ()  # endings of past forms
    past_words: frozenset[str] = frozenset()
    has_noun_capitals: bool = False  # nouns have a capital letter, so that a capital makes no name

    # ---- sentences
    abbreviations: frozenset[str] = frozenset()  # without their last full stop; they end no sentence
    closing_abbreviations: frozenset[str] = frozenset()  # the same, which may end one before a capital

    # ---- times
    months: Mapping[str, int] = field(default_factory=dict)
    weekdays: Mapping[str, int] = field(default_factory=dict)  # 0 is Monday
    seasons: Mapping[str, int] = field(default_factory=dict)  # the month in which it begins in the north
    namesakes: frozenset[str] = frozenset()  # of these, what people are called or is another word too
    capital_names: frozenset[str] = frozenset()  # of these, what in small letters is another word: "May", "Sat"
    capital_words: Mapping[str, str] = field(default_factory=dict)  # kinds of `time_words` for this very writing
    plain_weekdays: frozenset[str] = frozenset()  # weekdays that name a day without a preposition
    units: Mapping[str, str] = field(default_factory=dict)  # names of units of time, by the English name
    near: Mapping[str, int] = field(default_factory=dict)  # days from today: "yesterday" is -1; "_" for a blank
    clock_words: Mapping[str, int] = field(default_factory=dict)  # minutes of the day: "noon" is 720
    time_words: Mapping[str, str] = field(default_factory=dict)  # by their kind in `dates.LETTERS`; "_" for a blank
    vague_counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # least and most: "few" is 2 to 5
    holidays: frozenset[str] = frozenset()
    future: str = ""  # phrases by which a date without a year is still to come
    frequency: str = ""  # phrases that say how often

    # ---- numbers
    numbers: Mapping[str, int] = field(default_factory=dict)  # below one hundred
    scales: Mapping[str, int] = field(default_factory=dict)  # hundred, thousand, million
    number_joints: frozenset[str] = frozenset()  # inside a number: "two hundred and fifty"
    unsure_numbers: frozenset[str] = frozenset()  # of these, words that may be no number: "one"
    tens_first: bool = True  # "twenty-one", not "einundzwanzig"
    measures: Mapping[str, str] = field(
        default_factory=dict
    )  # names of measures and currencies, by sign or English name
    minus: str = ""
    below_zero: str = ""

    # ---- statements
    ended: tuple[str, ...] = ()  # markers of what holds no longer; " ... " is a gap, "~ing" an -ing form that follows
    changed: tuple[str, ...] = ()  # markers of change
    now: tuple[str, ...] = ()  # of these, what a statement stays whole without
    corrected: tuple[str, ...] = ()  # plain corrections, at the beginning
    hinted: tuple[str, ...] = ()  # words that may correct: "actually"
    swapped: tuple[str, ...] = ()  # forms with {was} and {o} that name the old value and the new
    denied: tuple[str, ...] = ()  # forms with {was} and {o}: "not X but Y"
    instead: tuple[str, ...] = ()  # between the new value and the old
    used: frozenset[str] = frozenset()  # stems of verbs that all say "use"
    blocked: frozenset[str] = frozenset()  # with one of these a text is no plain statement: doubt, condition, report
    negated: frozenset[str] = frozenset()
    partial: frozenset[str] = frozenset()  # with these a statement and its denial may both be true
    single: tuple[str, ...] = ()  # what a frame ends in when it has one value at a time
    loose: tuple[str, ...] = ()  # what a frame ends in that may have several
    doubted: tuple[str, ...] = ()  # what a frame ends in of which an "actually" leaves one value, but closes none
    habits: frozenset[str] = frozenset()  # words that say how often: who stops, stops all of it
    attributes: frozenset[str] = frozenset()  # nouns that have one value
    states: frozenset[str] = frozenset()  # of those, the ones whose value may be any word
    forms: tuple[FactForm, ...] = ()
    before_used: frozenset[str] = frozenset()  # before "used to", which then tells of no habit that ended
    trailing: str = ""  # phrases that may follow a fact and tell nothing: "these days", "since March"
    leading: str = ""  # the same before it
    lately: str = ""  # phrases after a change that say it is new: "yesterday"
    ends_of_clause: str = ""
    next_clause: str = ""  # how a clause goes on after a comma
    one_relatives: frozenset[str] = frozenset()  # relations of which somebody has one
    which_relative: frozenset[str] = frozenset()  # words that tell them apart: "older"
    spellings: Mapping[str, str] = field(default_factory=dict)  # of nouns in predicates
    kinds: Mapping[str, str] = field(default_factory=dict)  # what objects look like, by kind, where words tell
    not_kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)  # words that no object of a kind has
    kinds_with_article: frozenset[str] = frozenset()  # names of places that have an article
    relations: tuple[RelationForm, ...] = ()  # how sentences relate two names
    relation_groups: tuple[str, ...] = ()  # words that tell of one sort of relation
    plain_relations: frozenset[str] = frozenset()  # words of relations that tell of no sort
    also_known_as: str = ""  # between two names of one thing
    listing: str = ""  # words of a list between two names
    further_verbs: str = ""  # verbs before which "and" joins a second thing that is done
    causes: str = ""  # verbs between a cause and its effect
    caused_by: str = ""  # verbs between an effect and its cause
    preceded_by: str = ""  # what opens a sentence whose first part came first
    cause_hints: str = ""  # beginnings of words without which none of them is there

    # ---- polarity and modality: phrases
    negation: str = ""
    simple_negation: str = ""  # that negate the verb: "not", "never"
    contrast: str = ""  # that set something against what is so: "rather than"
    denied_ahead: str = ""  # that deny what comes after: "no evidence that"
    denial_verbs: str = ""  # "failed to"
    no_denial: str = ""  # with a negation that denies nothing: "not only"
    soft_denial: str = ""  # that may amount to a negation: "stopped", "allergic"
    hypothetical: str = ""  # condition, possibility, guess, wish
    tentative: str = ""  # tried or wanted, not done
    unsettled: str = ""  # reported, planned, restricted: a plain yes or no does not follow
    over: str = ""  # held once, and holds no longer
    quantities: str = ""  # make a question of yes or no depend on how many
    turning: frozenset[str] = frozenset()  # words that turn a statement around, or make less of it

    # ---- names
    greetings: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()  # before a person's name, as they are written
    name_abbreviations: frozenset[str] = frozenset()  # before or after a name with a full stop, as they are written
    bodies: str = ""  # last words of names of organisations
    leading_bodies: str = ""  # first words of them
    bodies_of: frozenset[str] = frozenset()  # words before an "of" that is inside a name
    never_names: frozenset[str] = frozenset()  # words with a capital that name nobody a memory would be about
    into_place: str = ""  # words before a name that make it a place; matched at the end
    name_cues: str = ""  # words before a noun that make it a name; matched at the end
    subject_verbs: frozenset[str] = frozenset()  # verbs after a name that begins a sentence

    # ---- importance: words by what they are signs of, and phrases
    identity: frozenset[str] = frozenset()  # who somebody is
    wanted: frozenset[str] = frozenset()  # likes, dislikes, needs
    decided: frozenset[str] = frozenset()
    feeling: frozenset[str] = frozenset()
    timely: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()  # verbs of what happened
    critical: tuple[tuple[str, str], ...] = ()  # words, and an expression tried where one of them is there
    chatter: str = ""  # greetings, thanks and agreement
    polite_openings: str = ""  # beginnings of what only greets or wishes
    in_passing: frozenset[str] = frozenset()  # words that alone tell nothing
    filler: str = ""  # whole sentences that only open a message
    vague_opening: str = ""  # beginnings whose subject is named nowhere
    lasting: str = ""  # sentences about what lasts of somebody, from the beginning
    elsewhere: str = ""  # words that mean another thing in another text
    first_person_words: str = ""
    yes_or_no: str = ""  # at the beginning of a sentence
    plain_yes_no: str = ""
    unknown: str = ""  # what says that nothing is known
    constraint: str = ""
    preference: str = ""
    decision: str = ""
    undecided: str = ""  # words before a decision that say there is none
    entity: str = ""
    amount: str = ""
    advice: str = ""  # what a model tells anybody who asks
    personal: str = ""  # words by which a sentence is about those who talk
    idle_talk: frozenset[str] = frozenset()  # words that greet, thank or agree, in a sentence that may answer
    about_saying: frozenset[str] = frozenset()  # words about what was said, in a message that only repeats it
    asking: frozenset[str] = frozenset()  # words of questions that tell nothing of what they ask for

    # ---- parts of answers: phrases
    fluff: str = ""  # what opens a sentence and tells nothing
    after_fluff: str = ""
    no_names: frozenset[str] = frozenset()  # capitalised words that no name begins or ends with
    kin: str = ""  # kin and company: "my aunt"
    place_prepositions: str = ""
    ends_of_place: str = ""  # words that no name of a place has
    no_place: str = ""  # words after such a preposition that make it a time or a thing
    counted_phrases: str = ""  # numbers of several words: "a dozen"
    before_age: str = ""
    after_age: str = ""
    old: str = ""
    because: str = ""  # an expression with a group `why`
    by_doing: str = ""  # an expression with a group `how`
    amount_nouns: frozenset[str] = frozenset()
    leading_words: str = ""  # small words at the beginning of an answer that it can do without
    trailing_words: str = ""
    happened: str = ""  # words of what happened, or goes on
    changed_value: str = ""  # words of a sentence that gives a new value: "now", "moved to", "is no longer"
    moved: str = ""
    earlier: str = ""  # words of a question about what was, not about what is

    # ---- questions: phrases by what they ask for; `asked` are those at the beginning, by `questions.Wanted`
    myself: frozenset[str] = frozenset()  # of `oneself`, the words for one person
    asks_when: str = ""
    asks_latest: str = ""
    asks_name: str = ""
    asks_clock_time: str = ""
    asks_age: str = ""
    asks_who_is: str = ""  # who somebody is whom the question names
    asks_of_now: str = ""
    asks_of_past: str = ""
    was: str = ""  # words of the past in an answer
    elapsed_between: str = ""  # how much time is between `one` and `two`, or passed `since` one `when` the other
    elapsed_since: str = ""  # how long ago `one` was
    causal: str = ""
    relational: str = ""
    exploratory: str = ""
    factual: str = ""
    steps: str = ""  # something named by what is to be found out first: "the man who ..."
    comparison: str = ""
    joints: str = ""  # between clauses
    request: str = ""  # asks a favour of whom it is put to: "can you"
    asked: Mapping[str, str] = field(default_factory=dict)
    question_leads: str = ""  # what may stand before a question
    question_auxiliaries: str = ""
    which: str = ""
    how_many: str = ""
    kind_nouns: frozenset[str] = frozenset()  # nouns of questions, not of answers: "kind", "sort"
    kind_of: str = ""  # "kinds of", "sort of": the noun comes after
    either: str = ""  # makes a question of yes or no one for one of two
    singular_nouns: frozenset[str] = frozenset()  # that end like a plural
    plural_nouns: frozenset[str] = frozenset()  # that do not
