"""Lasting statements: `states_lasting` distinguishes what is worth remembering of a person from passing talk."""

from __future__ import annotations

from engrain.language.antecedents import clauses_of
from engrain.language.cues import lasts
from engrain.language.locales import LOCALES
from engrain.language.names import is_word
from engrain.language.phrases import Phrase, Word, people_words, vocabulary
from engrain.language.reading import Clause, Modality, Tense
from engrain.language.segments import is_person
from engrain.language.statements import is_verb, root
from engrain.language.times import ANY_DAY, dated
from engrain.language.tokens import is_stop

_LASTING = frozenset(
    "lives_in works_at eats drinks likes dislikes speaks married_to allergic_to owner born job_title".split()
)
"""The relations of a person that last."""
_HABITS = frozenset(
    root(verb, LOCALES["en"]) for verb in "play drive ride sing dance collect learn teach study".split()
)


def states_lasting(sentence: str) -> bool:
    """Return whether a sentence states something lasting of a person: "My parents live in Vigo"."""
    return lasts(sentence) or any(map(_is_lasting, clauses_of(sentence)))


def _is_lasting(clause: Clause) -> bool:
    subject, locale = clause.subject, clause.locale
    is_own = subject is not None and subject.owner is not None and subject.owner.person == "me"
    is_other = subject is not None and not subject.person and is_person(subject) and (is_own or bool(subject.names))
    is_mine = (subject is not None and subject.person == "me") or (subject is None and _speaks(clause))
    is_stated = clause.modality is Modality.CERTAIN or clause.is_planned()
    if not (is_own or is_other or is_mine) or not is_stated or clause.tense is Tense.PAST or clause.over:
        return False
    known = vocabulary(locale)
    content = [word for word in clause.words if _is_content(word, subject, clause)]
    verbs = [word for word in content if is_verb(word.low, "", locale) or word.root in _HABITS]
    objects = [word for word in content if word not in verbs[:1]]
    if not objects:
        return False  # "I like it"
    lows = {word.low for word in clause.words}
    is_now = not lows.isdisjoint(locale.now_words - locale.have - locale.negated)
    if _LASTING & clause.concepts.keys() and (is_mine or is_other) and not is_now:
        return True
    if clause.is_planned() or (is_mine and not lows.isdisjoint(locale.have)):
        kin = any(word.low in people_words() or word.root in people_words() for word in objects)
        return bool(dated(clause.text, ANY_DAY)) if clause.is_planned() else kin
    is_state = not (known.be | locale.copulas).isdisjoint(lows)
    if is_own and is_state:  # "my car is a blue Skoda"
        return any(word.has_capital and not is_word(word.low, locale) for word in objects)
    is_habit = (is_mine and any(word.root in _HABITS for word in verbs)) or (is_other and len(content) > 1)
    return is_habit and not is_state and not is_now


def _speaks(clause: Clause) -> bool:
    """Return whether a verb alone shows that the speaker is the subject: "Toco el violín"."""
    return not clause.locale.own_verbs.isdisjoint(word.low for word in clause.words) or clause.has_phrase("own_forms")


def _is_content(word: Word, subject: Phrase | None, clause: Clause) -> bool:
    own = () if subject is None else (*subject.words, *(subject.owner.words if subject.owner is not None else ()))
    locale, low = clause.locale, word.low
    small = locale.stop | locale.articles | locale.determiners | locale.pronouns | locale.prepositions | locale.have
    return low[0].isalnum() and word not in own and low not in small | locale.copulas and not is_stop(low)
