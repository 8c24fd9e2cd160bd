"""What a language has to say about statements: plain word lists, nothing that acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class FactForm(NamedTuple):
    """One way to state a fact, as a template; `change` when it tells of a change by itself.

    In `form`: `{s}` the subject, `{o}` the object, `{was}` the object that holds no longer, `{whose}` a
    possessor, `{is}`
    a copula, `{still}` an adverb that says no more than "now", `<live>` a verb that agrees with its subject.
    """

    predicate: str
    cue: str  # what a text must hold to be tried, in small letters
    form: str
    kind: str  # what the object must look like: a name in `objects.KINDS`
    change: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # one of each: hashed by identity, as caches need
class Locale:
    """The words of one language.

    In markers " ... " stands for up to five words between two parts, and a marker that starts with "^" opens
    the text.
    """

    code: str
    snowball: str  # the stemmer's name
    articles: frozenset[str]
    copulas: frozenset[str]  # present forms of "to be": not telling
    first_person: frozenset[str]
    first_possessive: frozenset[str]
    pronouns: frozenset[str]  # whose meaning lies outside the text, and what opens a sentence without being a subject
    verbs: frozenset[str]  # base forms in English, else the forms a sentence has after its subject
    idle: frozenset[str]  # words that say nothing when two statements are compared
    blocked: frozenset[str]  # with one of these a text is no plain statement: doubt, condition, report, time
    pointing: frozenset[str]  # words that mean another thing in another text
    negated: frozenset[str]
    ended: tuple[str, ...]
    changed: tuple[str, ...]
    now: tuple[str, ...]  # change markers that a statement stays whole without
    corrected: tuple[str, ...]  # plain corrections, at the start
    hinted: tuple[str, ...]  # words that may correct: "actually"
    swapped: tuple[str, ...]  # forms with {was} and {o} that name the old value and the new
    denied: tuple[str, ...]  # forms with {was} and {o}: "not X but Y"
    used: frozenset[str]  # stems of verbs that all say "use"
    instead: tuple[str, ...]  # between the new value and the old
    past: tuple[str, ...]  # endings of past forms
    past_words: frozenset[str]
    partial: frozenset[str]  # with these a statement and its denial may both be true
    joined: frozenset[str]  # and, or, but
    linking: frozenset[str]  # prepositions that may follow an object
    single: tuple[str, ...]  # what a frame ends in when it holds one value at a time
    loose: tuple[str, ...]  # what a frame ends in that may hold several
    doubted: tuple[str, ...] = ()  # what a frame ends in of which an "actually" leaves one value, but does not close
    habits: frozenset[str] = frozenset()  # words that say how often: who stops, stops all of it
    attributes: frozenset[str]  # nouns that have one value
    states: frozenset[str]  # those whose value may be any word
    forms: tuple[FactForm, ...] = ()
