"""What is known of a language: words, names of days, and phrases as regular expressions; data alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

Words = frozenset[str]  # "a b c"
Markers = tuple[str, ...]  # "a b | c"
Lines = tuple[str, ...]  # one on each line, or "a | b"
Phrases = str  # a regular expression, over several lines
Numbered = Mapping[str, int]  # "1: january jan | 2: february feb"; "_" for a blank inside a name
Named = Mapping[str, str]  # "day: day days | week: week weeks"
Ranges = Mapping[str, tuple[int, int]]  # "2-5: few a_few"


class FactForm(NamedTuple):
    """One way to state a fact, as a template; `change` when it tells of a change by itself.

    In `form`: `{s}` the subject, `{o}` the object, `{was}` the object that holds no longer, `<live>` a verb that agrees
    with its subject, and the parts in `Locale.form_parts`.
    """

    predicate: str
    kind: str  # what the object must look like: a name in `Locale.kinds` or `facts`
    cue: str  # what a text must contain to be tried, in small letters
    form: str
    change: bool = False


class RelationForm(NamedTuple):
    """One way to state a relation between two named things: a regular expression for the verb between them."""

    relation: str
    sources: str  # types of the first name, separated by spaces
    targets: str
    verb: str


@dataclass(frozen=True, kw_only=True, eq=False)  # one of each: hashed by identity, as caches need
class Locale:
    """The words and phrases of one language.

    `read_locale` makes one of strings. Words are in small letters where nothing else is said. Phrases are regular
    expressions without word boundaries, which `locales.expression` adds, and are matched in any case; `(?-i:...)` keeps
    the case of a part.
    """

    code: str  # ISO 639-1
    snowball: str  # the name of its stemmer

    # ---- grammar
    stop: Words  # words too common to look for; they tell the language of a text
    letters: Phrases = ""  # letters that no other of these languages has
    articles: Words = frozenset()
    determiners: Words = frozenset()  # other words that a noun follows: "my", "every", "no"
    copulas: Words = frozenset()  # present forms of "to be"
    auxiliaries: Words = frozenset()  # further verbs that end a subject
    auxiliary_forms: Words = frozenset()  # forms of those that end none: "being"
    first_person: Words = frozenset()
    first_possessive: Words = frozenset()
    oneself: Words = frozenset()  # every word by which somebody speaks of themselves
    hearer: Words = frozenset()  # second-person words
    third_person: Words = frozenset()  # pronouns of somebody or something named before
    people_pronouns: Words = frozenset()  # of those, the ones for people
    subjects: Words = frozenset()  # pronouns that a verb follows
    pronouns: Words = frozenset()  # what opens a sentence and is no name: pronouns, adverbs, greetings
    pointing: Words = frozenset()  # words that mean another thing in another text
    verbs: Words = frozenset()  # base forms in English, else the forms that follow a subject
    idle: Words = frozenset()  # words that tell nothing when two statements are compared
    linking: Words = frozenset()  # prepositions that may follow an object
    joined: Words = frozenset()  # and, or, but
    coordinating: Words = frozenset()  # words between clauses that are split: and, but, because
    subordinating: Words = frozenset()  # words that begin a clause: because, when, which
    past: Markers = ()  # endings of past forms
    past_words: Words = frozenset()
    has_noun_capitals: bool = False  # nouns have a capital letter, so that a capital makes no name

    # ---- sentences
    abbreviations: Words = frozenset()  # without their last full stop; they end no sentence
    closing_abbreviations: Words = frozenset()  # the same, which may end one before a capital

    # ---- times
    months: Numbered = field(default_factory=dict)
    weekdays: Numbered = field(default_factory=dict)  # 0 is Monday
    seasons: Numbered = field(default_factory=dict)  # the month in which it begins in the north
    namesakes: Words = frozenset()  # of these, what people are called or is another word too
    capital_names: Words = frozenset()  # of these, what in small letters is another word: "May", "Sat"
    capital_words: Named = field(default_factory=dict)  # kinds of `time_words` for this very writing
    plain_weekdays: Words = frozenset()  # weekdays that name a day without a preposition
    units: Named = field(default_factory=dict)  # names of units of time, by the English name
    near: Numbered = field(default_factory=dict)  # days from today: "yesterday" is -1; "_" for a blank
    clock_words: Numbered = field(default_factory=dict)  # minutes of the day: "noon" is 720
    time_words: Named = field(default_factory=dict)  # by their kind in `dates.LETTERS`; "_" for a blank
    vague_counts: Ranges = field(default_factory=dict)  # least and most: "few" is 2 to 5
    holidays: Words = frozenset()
    future: Phrases = ""  # phrases by which a date without a year is still to come
    frequency: Phrases = ""  # phrases that say how often

    # ---- numbers
    numbers: Numbered = field(default_factory=dict)  # below one hundred
    scales: Numbered = field(default_factory=dict)  # hundred, thousand, million
    number_joints: Words = frozenset()  # inside a number: "two hundred and fifty"
    unsure_numbers: Words = frozenset()  # of these, words that may be no number: "one"
    tens_first: bool = True  # "twenty-one", not "einundzwanzig"
    measures: Named = field(default_factory=dict)  # names of measures and of currencies
    minus: Phrases = ""
    below_zero: Phrases = ""

    # ---- statements
    ended: Markers = ()  # markers of what holds no longer; " ... " is a gap, "~ing" an -ing form that follows
    changed: Markers = ()  # markers of change
    now: Markers = ()  # of these, what a statement stays whole without
    corrected: Markers = ()  # plain corrections, at the beginning
    correction_openers: Phrases = ""  # interjections before a correction: "sorry"
    hinted: Markers = ()  # words that may correct: "actually"
    swapped: Lines = ()  # forms with {was} and {o} that name the old value and the new
    denied: Lines = ()  # forms with {was} and {o}: "not X but Y"
    instead: Markers = ()  # between the new value and the old
    used: Words = frozenset()  # stems of verbs that all say "use"
    blocked: Words = frozenset()  # with one of these a text is no plain statement: doubt, condition, report
    negated: Words = frozenset()
    partial: Words = frozenset()  # with these a statement and its denial may both be true
    single: Markers = ()  # what a frame ends in when it has one value at a time
    loose: Markers = ()  # what a frame ends in that may have several
    doubted: Markers = ()  # what a frame ends in of which an "actually" leaves one value, but closes none
    habits: Words = frozenset()  # words that say how often: who stops, stops all of it
    attributes: Words = frozenset()  # nouns that have one value
    states: Words = frozenset()  # of those, the ones whose value may be any word
    form_parts: Mapping[str, Phrases] = field(default_factory=dict)  # what `{name}` is in forms, as `name;expression`
    forms: tuple[FactForm, ...] = ()  # `predicate;kind;cue;form`, with an asterisk after the kind for a change
    attribute_nouns: tuple[FactForm, ...] = ()  # nouns as forms: `predicate;kind;cue;expression`
    attribute_forms: Lines = ()  # forms with `{a}` for each of those, an asterisk before one of a change
    before_used: Words = frozenset()  # before "used to" that make it no ended habit
    trailing: Phrases = ""  # phrases that may follow a fact and tell nothing: "these days", "since March"
    leading: Phrases = ""  # the same before it
    lately: Phrases = ""  # phrases after a change that say it is new: "yesterday"
    ends_of_clause: Phrases = ""
    next_clause: Phrases = ""  # how a clause goes on after a comma
    one_relatives: Words = frozenset()  # relations of which somebody has one
    which_relative: Words = frozenset()  # words that tell them apart: "older"
    spellings: Named = field(default_factory=dict)  # of nouns in predicates
    kinds: Mapping[str, Phrases] = field(default_factory=dict)  # what objects look like, by kind, where words tell
    not_kinds: Mapping[str, Words] = field(default_factory=dict)  # words that no object of a kind has
    kinds_with_article: Words = frozenset()  # names of places that have an article
    relations: tuple[RelationForm, ...] = ()  # how sentences relate two names
    relation_groups: Lines = ()  # words that tell of one sort of relation
    plain_relations: Words = frozenset()  # words of relations that tell of no sort
    also_known_as: Phrases = ""  # between two names of one thing
    listing: Phrases = ""  # words of a list between two names
    list_words: Words = frozenset()  # words that may follow those: "also"
    before_names: Words = frozenset()  # words beside articles and determiners before a name: "new"
    relatives: Words = frozenset()  # words that begin a relative clause
    relative_people: Words = frozenset()  # of those, the ones for people alone
    anybody: Words = frozenset()  # names by which a summary calls whoever speaks: "user", "customer"
    further_verbs: Phrases = ""  # verbs before which "and" joins a second thing that is done
    causes: Phrases = ""  # verbs between a cause and its effect
    cause_ends: Words = frozenset()  # words beside those between clauses that end the name of a cause
    no_causes: Words = frozenset()  # words that are no cause
    caused_by: Phrases = ""  # verbs between an effect and its cause
    preceded_by: Phrases = ""  # what opens a sentence whose first part came first
    cause_hints: Phrases = ""  # beginnings of words without which none of them is there

    # ---- polarity and modality: phrases
    negation: Phrases = ""
    simple_negation: Phrases = ""  # that negate the verb: "not", "never"
    contrast: Phrases = ""  # that set something against what is so: "rather than"
    denied_ahead: Phrases = ""  # that deny what comes after: "no evidence that"
    denial_verbs: Phrases = ""  # "failed to"
    no_denial: Phrases = ""  # with a negation that denies nothing: "not only"
    soft_denial: Phrases = ""  # that may amount to a negation: "stopped", "allergic"
    hypothetical: Phrases = ""  # condition, possibility, guess, wish
    tentative: Phrases = ""  # tried or wanted, not done
    unsettled: Phrases = ""  # reported, planned, restricted: a plain yes or no does not follow
    over: Phrases = ""  # held once, and holds no longer
    quantities: Phrases = ""  # make a question of yes or no depend on how many
    turning: Words = frozenset()  # words that turn a statement around, or make less of it

    # ---- names
    greetings: Words = frozenset()
    titles: Words = frozenset()  # before a person's name, as they are written
    name_abbreviations: Words = frozenset()  # before or after a name with a full stop, as they are written
    bodies: Phrases = ""  # last words of names of organisations
    leading_bodies: Phrases = ""  # first words of them
    bodies_of: Words = frozenset()  # words before an "of" that is inside a name
    never_names: Words = frozenset()  # words with a capital that name nobody a memory would be about
    into_place: Phrases = ""  # words before a name that make it a place; matched at the end
    name_cues: Phrases = ""  # words before a noun that make it a name; matched at the end
    subject_verbs: Words = frozenset()  # verbs after a name that begins a sentence

    # ---- importance: words by what they are signs of, and phrases
    identity: Words = frozenset()  # who somebody is
    wanted: Words = frozenset()  # likes, dislikes, needs
    decided: Words = frozenset()
    feeling: Words = frozenset()
    timely: Words = frozenset()
    events: Words = frozenset()  # verbs of what happened
    critical: tuple[tuple[Words, str], ...] = ()  # words, and an expression tried where one of them is there
    chatter: Phrases = ""  # greetings, thanks and agreement
    polite_openings: Phrases = ""  # beginnings of what only greets or wishes
    no_content: Words = frozenset()  # words that alone state nothing
    filler: Phrases = ""  # whole sentences that only open a message
    vague_opening: Phrases = ""  # beginnings whose subject is named nowhere
    lasting: Phrases = ""  # sentences about what lasts of somebody, from the beginning
    elsewhere: Phrases = ""  # words that mean another thing in another text
    first_person_words: Phrases = ""
    yes_or_no: Phrases = ""  # at the beginning of a sentence
    plain_yes_no: Phrases = ""
    unknown: Phrases = ""  # what says that nothing is known
    constraint: Phrases = ""
    preference: Phrases = ""
    decision: Phrases = ""
    undecided: Phrases = ""  # words before a decision that say there is none
    entity: Phrases = ""
    amount: Phrases = ""
    advice: Phrases = ""  # what a model tells anybody who asks
    personal: Phrases = ""  # words by which a sentence is about those who talk
    idle_talk: Words = frozenset()  # words that greet, thank or agree, in a sentence that may answer
    about_saying: Words = frozenset()  # words about what was said, in a message that only repeats it
    asking: Words = frozenset()  # words of questions that tell nothing of what they ask for

    # ---- parts of answers: phrases
    fluff: Phrases = ""  # what opens a sentence and tells nothing
    after_fluff: Phrases = ""
    no_names: Words = frozenset()  # capitalised words that no name begins or ends with
    kin: Phrases = ""  # kin and company: "my aunt"
    place_prepositions: Phrases = ""
    ends_of_place: Phrases = ""  # words that no name of a place has
    no_place: Phrases = ""  # words after such a preposition that make it a time or a thing
    counted_phrases: Phrases = ""  # numbers of several words: "a dozen"
    before_age: Phrases = ""
    after_age: Phrases = ""
    old: Phrases = ""
    because: Phrases = ""  # an expression with a group `why`
    by_doing: Phrases = ""  # an expression with a group `how`
    amount_nouns: Words = frozenset()
    leading_words: Phrases = ""  # small words at the beginning of an answer that it can do without
    trailing_words: Phrases = ""
    happened: Phrases = ""  # words of what happened, or goes on
    changed_value: Phrases = ""  # words of a sentence that gives a new value: "now", "moved to", "is no longer"
    moved: Phrases = ""
    last_of: Phrases = ""  # a whole question that ends in whose something is asked: "what is the name of Ana?"
    earlier: Phrases = ""  # words of a question about what was, not about what is

    # ---- questions: phrases by what they ask for; `asked` are those at the beginning, by `questions.Wanted`
    myself: Words = frozenset()  # of `oneself`, the words for one person
    asks_when: Phrases = ""
    asks_latest: Phrases = ""
    asks_name: Phrases = ""
    asks_clock_time: Phrases = ""
    asks_age: Phrases = ""
    asks_who_is: Phrases = ""  # asks who a named person is
    asks_of_now: Phrases = ""
    asks_of_past: Phrases = ""
    was: Phrases = ""  # words of the past in an answer
    elapsed_between: Phrases = ""  # how much time is between `one` and `two`, or passed `since` one `when` the other
    elapsed_since: Phrases = ""  # how long ago `one` was
    causal: Phrases = ""
    relational: Phrases = ""
    exploratory: Phrases = ""
    factual: Phrases = ""
    steps: Phrases = ""  # something named by what is to be found out first: "the man who ..."
    comparison: Phrases = ""
    joints: Phrases = ""  # between clauses
    request: Phrases = ""  # asks the listener for something: "can you"
    asked: Mapping[str, Phrases] = field(default_factory=dict)
    question_leads: Phrases = ""  # what may stand before a question
    question_auxiliaries: Phrases = ""
    which: Phrases = ""
    how_many: Phrases = ""
    kind_of: Phrases = ""  # "kinds of", "sort of": the noun comes after
    either: Phrases = ""  # makes a question of yes or no one for one of two
    singular_nouns: Words = frozenset()  # that end like a plural
    plural_nouns: Words = frozenset()  # that do not


def read_locale(**given: Any) -> Locale:
    """Return a locale of fields that are written as strings, in the notation of their types.

    A line of `forms`, `relations` or `critical` that is indented goes on with the line before it.
    """
    types = {each.name: str(each.type) for each in fields(Locale)}
    readers = {name: _READERS.get(types[name], str) for name in given}
    read: dict[str, Any] = {
        name: readers[name](value) if isinstance(value, str) else value for name, value in given.items()
    }
    for name in ("kinds", "asked"):
        read[name] = {key: _joined(value) for key, value in given.get(name, {}).items()}
    read["not_kinds"] = {key: frozenset(value.split()) for key, value in given.get("not_kinds", {}).items()}
    nouns, forms = read.get("attribute_nouns", ()), read.get("attribute_forms", ())
    of_nouns = (
        noun._replace(form=form.lstrip("*").replace("{a}", noun.form), change=form.startswith("*"))
        for noun in nouns
        for form in forms
    )
    return Locale(**read | {"forms": (*read.get("forms", ()), *of_nouns)})


def _groups(text: str) -> list[tuple[str, list[str]]]:
    """Read "key: name name | key: name"."""
    groups = (each.split(":", 1) for each in " ".join(text.split()).split(" | "))
    return [(key.strip(), names.split()) for key, names in groups]


def _by_name(text: str, value: Callable[[str], Any]) -> dict[str, Any]:
    return {name: value(key) for key, names in _groups(text) for name in names}


def _range(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


def _form(row: str) -> FactForm:
    predicate, kind, cue, form = row.split(";")
    return FactForm(predicate, kind.rstrip("*"), cue, form, kind.endswith("*"))


def _joined(text: str) -> str:
    return "".join(line.strip() for line in text.splitlines())


def _rows(text: str) -> list[str]:
    """Return the lines of a text, each with those indented more that follow it."""
    rows: list[str] = []
    for line in text.splitlines()[1:] if text.startswith("\n") else [text]:
        if line.startswith(" " * 9) and rows:
            rows[-1] += f" {line.strip()}" if ";" not in rows[-1] else line.strip()
        else:
            rows.append(line.strip(" ") if ";" not in line else line[8:] if line.startswith(" " * 8) else line)
    return rows


_READERS: dict[str, Callable[[str], object]] = {  # by how the type of a field is written
    "Words": lambda text: frozenset(text.split()),
    "Phrases": _joined,
    "Markers": lambda text: tuple(" ".join(text.split()).split(" | ")),
    "Lines": lambda text: tuple(part for row in _rows(text) for part in row.split(" | ")),
    "Mapping[str, Phrases]": lambda text: dict(row.split(";", 1) for row in _rows(text)),
    "Named": lambda text: {key: " ".join(names) for key, names in _groups(text)},
    "Numbered": lambda text: _by_name(text, int),
    "Ranges": lambda text: _by_name(text, _range),
    "tuple[FactForm, ...]": lambda text: tuple(map(_form, _rows(text))),
    "tuple[RelationForm, ...]": lambda text: tuple(
        RelationForm(*map(str.strip, row.split(";"))) for row in _rows(text)
    ),
    "tuple[tuple[Words, str], ...]": lambda text: tuple(
        (frozenset(cues.split()), phrases.lstrip()) for cues, phrases in (row.split(";") for row in _rows(text))
    ),
}
