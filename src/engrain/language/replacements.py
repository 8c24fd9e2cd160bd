"""Effect of changes on older statements: `fits` yields the statements that a change replaces or ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from engrain.language.antecedents import clauses_of
from engrain.language.changes import Change, Reading, changes_in, is_name, roots_of, shows, statements_in, word_before
from engrain.language.cues import is_limited
from engrain.language.entailment import SLOTS, gives_role, is_run
from engrain.language.locales import LOCALES, Locale, expression, phrases, union, word_list
from engrain.language.names import is_word, sorts
from engrain.language.phrases import Reader, Word, action_forms, concepts_of, parts_of, vocabulary
from engrain.language.quantities import WORD, Kind, Value, differ, keys_of, same_kind
from engrain.language.questions import is_difference
from engrain.language.segments import is_participle
from engrain.language.statements import is_place as may_be_place
from engrain.language.statements import is_verb
from engrain.language.times import durations
from engrain.language.tokens import stem
from engrain.language.values import is_way_to_work
from engrain.text import pattern

_FOOD = frozenset({"drinks", "eats", "likes"})
_HOMES = frozenset({"lives_in", "works_at"})  # the relations that continue when a couple separates
_COLLEAGUES = frozenset(map(stem, ("colleague", "intern", "apprentice", "trainee", "assistant")))
_JOBS = frozenset(map(stem, ("job", "work", "employer", "company")))
_WORD = pattern(r"'?[^\W\d_]+")
_GUESTS = frozenset(map(stem, ("people", "person", "guest")))  # "for six", "for eight people"
_FOR = frozenset({"for", "für", "para", "por", "pour"})
_VISITS = frozenset(map(stem, ("go", "gym", "train", "swim", "member", "subscribe", "subscriber")))
_ROADS = frozenset(map(stem, ("street", "road", "avenue", "lane")))
_NEAR_SYNONYMS = [frozenset(map(stem, words.split())) for words in phrases("near_synonyms").split("|")]
_ARRIVAL, _RENT, _TAKE = stem("arrive"), stem("rent"), stem("take")
TIME_NOUNS = frozenset("date day time datum tag uhrzeit fecha día hora jour heure".split())
_ONLY = frozenset(  # "my sister" without a name is one person; "my friend", "my colleague" may be any of several
    map(stem, "sister brother son daughter mother father wife husband boyfriend girlfriend boss landlord".split())
)
_ELDERS = frozenset("mother father grandmother grandfather".split())
_IDLE = frozenset(map(stem, (*LOCALES["en"].idle_in_changes.split("|"), "provider", "supplier")))
"""The roots of words that identify no thing in a change: the "appointment" of "dentist appointment"."""
_LED = 2  # words before a noun: "with her"
_SEVERAL = frozenset("likes speaks allergic_to drinks eats buys born age married_to".split())


class Fit(NamedTuple):
    """The match of an older statement with a change: the replaced value, None where the statement ends.

    `extra` is the number of words of its subject that the change lacks; `new` is the value that replaces it.
    """

    reading: Reading
    value: Value | None
    extra: int
    new: str = ""

    @property
    def old(self) -> str:
        """The replaced value as written, "" for an end."""
        return "" if self.value is None else self.reading.text[self.value.start : self.value.stop]


def fit(change: Change, old: Reading, *, same_speaker: bool) -> Fit | None:
    """Return how a change replaces or ends an older statement, None unless it surely does."""
    new = change.reading
    if change.is_elliptical or new.others != old.others or ((new.is_own or old.is_own) and not same_speaker):
        return None
    partners = {word.root for word in old.words if change.cue == "parted" and shows("together", word.low, old.locale)}
    relatives = old.relatives - partners  # "Ana's boyfriend is Tim" ends with a separation
    is_returned = _is_returned(new, old)
    is_of_relative = bool(relatives) and relatives.isdisjoint(new.roots) and change.cue != "departed"
    if new.is_vague or (old.is_vague and not is_returned) or is_of_relative:
        return None
    if _differs_in_scope(change, old) or _is_of_housemate(change, old):
        return None
    own = frozenset({"me"}) if new.is_own else frozenset[str]()
    takes_over = "owner" in new.relations & old.relations and "me" not in new.holders  # "Bea looks after our cat now"
    holders = old.holders | (old.leading if change.cue == "parted" else frozenset())  # "Ana's boyfriend is Tim"
    is_other = bool(holders and new.holders) and not takes_over and (new.holders | own | new.roots).isdisjoint(holders)
    is_other &= not (is_returned and new.holders <= old.roots)  # "Ben gave me back the drill"
    is_theirs = "me" in old.holders and "another" in new.holders  # "She raised his dose to 40 mg"
    if is_other and (own or is_theirs or change.cue in ("over", "parted")) and not new.holders & {"they", "you"}:
        return None  # "My rent has gone up to 980 euros" does not concern Ben's rent
    extra = len(old.leading - new.roots)
    if change.cue in _ENDS:
        return Fit(old, None, extra) if _ENDS[change.cue](change, old) else None
    if _is_relocated(change, old):
        return Fit(old, None, extra)
    if (found := _by_holder(change, old, extra) or _by_state(change, old, extra)) is not None:
        return found
    for value in sorted(new.values, key=_vagueness):
        before = [each for each in old.values if same_kind(value, each) or _is_hour(change, value, each)]
        before = _of_range(value, [each for each in before if each.kind is value.kind] or before, new, old)
        if len(before) == 1 and differ(value, before[0]) and _replaces(change, value, old, before[0]):
            delta = is_difference(new.text, value.start, value.stop)  # "went up by 50" does not give the new value
            return Fit(old, None if delta else before[0], extra, "" if delta else new.text[value.start : value.stop])
    return _by_name(change, old, extra)


def _is_returned(new: Reading, old: Reading) -> bool:
    """Return whether one statement is about something given back, and the other about something lent."""
    return shows("gives_back", new.text, new.locale) and shows("lends", old.text, old.locale)


def _of_range(value: Value, before: list[Value], new: Reading, old: Reading) -> list[Value]:
    """Return the end of an older range that corresponds to a value: "open from 9 to 5" and "open from 8 to 4"."""
    ends = [each for each in new.values if each.kind is value.kind]
    is_same = {each.kind for each in new.values} == {each.kind for each in old.values}
    return [before[ends.index(value)]] if is_same and len(ends) == len(before) == 2 else before


def _is_of_housemate(change: Change, old: Reading) -> bool:
    """Return whether a statement is of a stay, or a member leaves: "Bo moved", after "Ana and Bo live in Boston"."""
    new, named = change.reading, [word for word in old.words if word.root in change.reading.relatives]
    is_relative = bool(new.relatives) and (not named or _is_companion(named, old))
    is_home = change.cue in ("moved", "now") and bool(_HOMES & old.relations)
    if change.cue == "moved" and "lives_in" in new.relations and shows("part_time", old.text, old.locale):
        return True  # "This week I'm in Leeds at my mother's house"
    return is_home and (is_relative or (old.is_list and not new.is_list))


def _differs_in_scope(change: Change, old: Reading) -> bool:
    """Return whether a change is qualified differently from a statement: "the May invoice", "moved web-2 to Oslo"."""
    new, things = change.reading, [each for each in change.of if isinstance(each, Value)]
    sorts = {sort for sort, _ in new.qualifiers} & {sort for sort, _ in old.qualifiers}
    is_other = any({each for each in new.qualifiers if each[0] == sort}.isdisjoint(old.qualifiers) for sort in sorts)
    parts = {each for each in new.qualifiers if each[0] == "part"}  # "the evening feed"
    is_other |= bool(parts) and parts.isdisjoint(old.qualifiers) and any(v.kind is Kind.CLOCK for v in old.values)
    back = (w for w in old.names if w.root in change.gone and word_before(w, old.text) in old.locale.goals)
    is_other |= change.cue == "now" and any(back)  # "the train back from Hexham" is not the one to it
    return is_other or any(not any(each.keys & other.keys for other in old.values) for each in things)


def _is_relocated(change: Change, old: Reading) -> bool:
    """Return whether a single value of a subject is another one now: "the key is in the safe now"."""
    texts = change.reading.text, old.text
    slots = SLOTS if change.cue in ("now", "moved") and not change.reading.times else ()
    pairs = [(one(texts[0]), one(texts[1])) for one in slots]
    both = ((here, before) for here, before in pairs if here is not None and before is not None)
    return any(a[0] == b[0] and not (a[1] <= b[1] or b[1] <= a[1]) for a, b in both)


def _is_role_of(change: Change, old: Reading) -> bool:
    """Return whether an older statement is about a role or a home shared with a person who left."""
    quits, locale = shows("quits_work", change.reading.text, change.reading.locale), change.reading.locale
    if shows("leaves_team", change.reading.text, locale):
        does = shows("in_charge", old.text, old.locale) and not _COLLEAGUES.isdisjoint(old.roots)
        return (does or shows("on_team", old.text, old.locale)) and _covers(old, change.about, locale)
    names = {name for word in change.about for name in (word.root, word.low)}
    is_role = shows("in_charge", old.text, old.locale) or (not quits and shows("lives_with", old.text, old.locale))
    is_role = is_role or gives_role(old.text, names)
    has_value = any(each.kind is not Kind.NUMBER for each in old.values)  # "my trainee is Tim, 19 years old"
    return is_role and not (old.is_past or has_value) and _covers(old, change.about, locale)


def _by_holder(change: Change, old: Reading, extra: int) -> Fit | None:
    """Return the match of a new holder of a role with one that the change names too: "Tim is ill, so Eva leads it"."""
    new, names = change.reading, change.before
    former = [word for word in old.names if not names.isdisjoint((word.root, word.low))]
    fresh = [word for word in new.names if old.roots.isdisjoint((word.root, word.low)) and word.root not in names]
    is_role = shows("in_charge", old.text, old.locale) or gives_role(old.text, names)
    if not former or len(fresh) != 1 or change.cue == "over" or not is_role or old.is_past:
        return None
    leads = expression("lead_nouns", new.locale)  # "has taken over the lead"
    topic = [w for w in change.about if not (is_verb(w.low, "", new.locale) or leads.fullmatch(w.low))]
    topic = [w for w in topic if w not in fresh and names.isdisjoint((w.root, w.low))]
    takes_over = "owner" in new.relations or shows("from_now", new.text, new.locale)
    if not takes_over or not _covers(old, topic, new.locale) or any(v.kind is not Kind.NUMBER for v in old.values):
        return None
    value = Value(Kind.NAME, former[0].start, former[-1].stop, names)
    return Fit(old, value, extra, fresh[0].text) if is_run(former, old.text) else None


def _is_taken(change: Change, old: Reading) -> bool:
    """Return whether an older statement is of taking the thing of a change, as a medicine: "takes metformin"."""
    things = {name for word in change.about for name in (word.root, word.low)}
    pairs = pairwise(sorted(old.words, key=lambda each: each.start))
    near = (b.root if {a.root, a.low} & things else a.root for a, b in pairs if {a.root, a.low, b.root, b.low} & things)
    return not old.is_past and _TAKE in near


def _is_awaited(change: Change, old: Reading) -> bool:
    """Return whether an older statement is about waiting for what a person has obtained."""
    waits = shows("waiting_list", old.text, old.locale) and change.reading.is_own == old.is_own
    return waits and _covers(old, change.about, change.reading.locale)


def _is_exchanged(change: Change, old: Reading) -> bool:
    """Return whether an older statement names the thing that was exchanged for another: "my bank is"."""
    new = change.reading
    names = {word.root for word in new.names}
    about = [word for word in change.about if word.root not in names]
    if old.is_past:
        return False
    are_mine = new.is_own and old.is_own and new.holders <= {"me"}
    if all(word.root in _JOBS for word in about):
        is_named = bool(names & old.leading) and _covers(old, new.names, new.locale)
        is_held = bool(old.holders & (new.holders | new.roots))
        is_mine = are_mine and (is_named or not names)  # not "Rosario changed jobs"
        is_employed = "works_at" in old.relations and not any(map(is_way_to_work, clauses_of(old.text)))
        return is_employed and (is_held or is_mine) and (bool(about) or is_named or is_mine)
    are_sums = all(each.kind is Kind.SUM for each in old.values)
    is_named = bool(about) and bool(old.names) and _covers(old, about, new.locale)
    return are_mine and are_sums and is_named and _is_state(old)


def _is_state(reading: Reading) -> bool:
    return not (reading.locale.copulas - {"'s"}).isdisjoint(_WORD.findall(reading.text.lower().replace("’", "'")))


def _vagueness(value: Value) -> int:
    """Return the rank in which a value is tried: days after other values, weekdays after dates."""
    return (value.kind is Kind.DAY) + any(key[0] == "weekday" for key in keys_of(value))


def _replaces(change: Change, value: Value, old: Reading, before: Value) -> bool:
    """Return whether a value replaces one of its kind in an older statement on the same subject."""
    new = change.reading
    there = [roots for word in change.about if not old.roots.isdisjoint(roots := roots_of(word, new.locale))]
    if there and all(old.heads.isdisjoint(roots) for roots in there):
        return False  # "an exhibitions coordinator" is no exhibition
    if value.kind is Kind.NUMBER and len({_unit_behind(value, new), _unit_behind(before, old)} - {""}) > 1:
        return False  # "five days a week", "eight hours a day"
    if value.kind is Kind.NUMBER and not old.roots.issuperset(_noun_before(value, new)):
        return False  # "takes a size 31 now", after "is 6"
    is_seasonal = change.cue == "now" and bool(new.times and old.times) and new.times.isdisjoint(old.times)
    if is_seasonal or any(not differ(each, before) for each in change.beside):
        return False  # "opens at 10 in winter now", "2.4 is out, we stay on 2.3"
    named = [each for each in change.old if each.kind is before.kind]
    if named and all(differ(each, before) for each in named):
        return False
    about = _about_value(change, value, old, before)
    if named:  # the old value is given too
        about = [word for word in about if not is_verb(word.low, "", new.locale)] or about
        about = [word for word in about if _covers(old, [word], new.locale, new.text)] or about
    are_names = all(is_name(word, new.text, new.locale) for word in about)
    is_known = (_is_state(new) and _is_state(old)) or bool(named) or bool(new.relations & old.relations)
    if value.kind is Kind.NUMBER and are_names and not is_known:
        return False  # "Tom has 3", "Tom takes size 31 now"
    if value.kind is Kind.NUMBER and any(word.start > value.start for word in about):
        counted = next(iter(_words_behind(value, new)), None)  # "2 tablets", and not "Patient 17 now ..."
        if counted is None or counted.root not in {word.root for word in _words_behind(before, old)}:
            return False
    recurs = change.cue == "now" and value.kind is not Kind.SUM and shows("recurs", new.text, new.locale)
    recurs |= value.kind is Kind.CLOCK and is_limited(new.text, new.locale) and not is_limited(old.text, old.locale)
    about = list(_without_topic(about, change, old))
    is_other = recurs or _opens_another(about, new, old) or _counts_another(about, (value, new), (before, old))
    return not is_other and _covers(old, about, new.locale, new.text)


def _without_topic(about: Sequence[Word], change: Change, old: Reading) -> Iterator[Word]:
    """Yield the words except those that only another sentence of the older turn names, as its topic."""
    new, last = change.reading, max((each.start for each in about), default=0)
    is_part = all(name.root in new.roots for name in old.names)  # "Otter is a portal. The deadline is 30 April."
    is_part = is_part and any(_covers(old, [word], new.locale) for word in change.about)
    for word in about:
        is_kept = (
            _covers(old, [word], new.locale) if is_part else word.start == last or is_name(word, new.text, new.locale)
        )
        if is_kept or old.around.isdisjoint(roots_of(word, new.locale)):
            yield word


def _counts_another(about: Sequence[Word], now: tuple[Value, Reading], was: tuple[Value, Reading]) -> bool:
    """Return whether only a verb links a number to the count of a thing: "endet auf 9036" and "end ... two rabbits"."""
    locale = now[1].locale
    verbs = (is_verb(word.low, "", locale) or (locale.has_noun_capitals and word.text.islower()) for word in about)
    is_other = bool(_words_behind(*was)) and not _words_behind(*now)
    is_other |= bool(was[1].names) and not (now[1].names or now[1].is_own)  # "Ottokar's number ends in 5512"
    return now[0].kind is Kind.NUMBER and is_other and all(verbs)


def _opens_another(about: Sequence[Word], new: Reading, old: Reading) -> bool:
    """Return whether a code belongs to another thing than the text names: "new lockers at work, so my code is"."""
    if not about or any(word.low not in union("code_nouns") for word in about):
        return False
    opened = old.leading.difference(*(roots_of(word, new.locale) for word in about))
    named = new.roots.union(*(roots_of(word, new.locale) for word in Reader(new.text, new.locale).words))
    return bool(opened) and opened.isdisjoint(named)


def _about_value(change: Change, value: Value, old: Reading, before: Value) -> list[Word]:
    """Return the words of a change that an older statement must contain for its value to be replaced."""
    new = change.reading
    light = new.locale.light_verbs | frozenset(new.locale.verbs if change.cue == "moved" else ())
    about = [word for word in change.about if word.low not in light] or list(change.about)
    shared = new.relations & old.relations  # "is due on", "have to hand in by"
    about = [w for w in about if not any(name in shared for name, _ in concepts_of(w, new.locale))] or about
    if before.kind in (Kind.DAY, Kind.CLOCK):  # "they've changed the date of the exam"
        about = [word for word in about if word.low not in TIME_NOUNS] or about
    if before.kind is Kind.SUM:
        about = [word for word in about if word.low not in new.locale.price_verbs] or about
    if "costs" in old.relations and before.kind is Kind.SUM:  # "the plumber has put his rate up to 72 euros"
        about = [word for word in about if word.low not in new.locale.price_nouns] or about
    if value.kind is not Kind.NUMBER:
        return about
    if len(about) > 1 and about[-1].stop == value.start - 1:
        about = [word for word in about if word.root in old.roots or word is not about[-1]]  # a road
    if not _words_behind(before, old):
        about = [word for word in about if word not in _words_behind(value, new) or word.root not in _GUESTS]
    if new.is_own and old.is_own and "works_at" in shared:  # "I work five days", "ich arbeite jetzt vier Tage"
        about = [w for w in about if not any(name == "works_at" for name, _ in concepts_of(w, new.locale))]
    return about


def _noun_before(value: Value, reading: Reading) -> set[str]:
    """Return the roots of the noun directly before a number that is its label: "size 31"."""
    before = [word for word in reading.words if word.stop == value.start - 1 and word.low.isalpha()]
    nouns = [word for word in before if not is_verb(word.low, "", reading.locale)]
    return {word.root for word in nouns if not is_name(word, reading.text, reading.locale)}


def _unit_behind(value: Value, reading: Reading) -> str:
    """Return the unit of time after a number, "" for none."""
    after = WORD.match(reading.text, value.stop + 1)
    named = ((unit, names.split()) for unit, names in reading.locale.units.items())
    return next((unit for unit, names in named if after is not None and after[0].lower() in names), "")


def _words_behind(value: Value, reading: Reading) -> list[Word]:
    """Return the word after a value and after adjectives without content: "12 new laptops"."""
    idle = reading.locale.change_words | reading.locale.idle_adjectives
    after = [word for word in reading.words if word.start > value.stop][:1]
    return [w for w in after if idle.issuperset(reading.text[value.stop : w.start].lower().split())]


def _is_hour(change: Change, value: Value, old: Value) -> bool:
    """Return whether a number is the new time of day of a move: "pushed to 11"."""
    goals = change.reading.locale.goals
    text = change.reading.text[: value.start].rstrip().rpartition(" ")[2].lower()
    return change.cue == "moved" and (value.kind, old.kind) == (Kind.NUMBER, Kind.CLOCK) and text in goals


def _is_over(change: Change, old: Reading) -> bool:
    """Return whether a change ends an older statement: not temporarily, in part, or for another number."""
    new, named = change.reading, {word.root for word in change.about}
    is_same = any(not differ(a, b) for a in new.values for b in old.values)  # "the 7:15 bus no longer runs"
    are_two = change.cue == "parted"
    about = [w for w in change.about if not (is_same and is_verb(w.low, "", new.locale))] or change.about
    shared = new.relations & old.relations
    about = [w for w in about if not any(name in shared for name, _ in concepts_of(w, new.locale))] or about
    if "works_at" in old.relations:  # "quit her job at Acme"
        about = [word for word in about if word.root not in _JOBS] or about
    is_cancelled = shows("cancels", new.text, new.locale)
    is_once = shows("habitual", old.text, old.locale) or (old.is_of_membership and not new.is_of_membership)
    if is_cancelled and (is_once or _is_of_other_day(new, old)):
        return False  # one lesson of a weekly course
    if is_cancelled and _is_trip_to(about, new, old):
        about = [word for word in about if word.low not in new.locale.trips]
    change = replace(change, about=tuple(about))
    is_other = not are_two and (old.is_list or (new.is_own and not old.is_own and not _is_returned(new, old)))
    is_home = bool(_HOMES & old.relations) and not shows("consumes", old.text, old.locale)  # not "live on coffee"
    is_other |= change.cue == "over" and is_home and _is_companion(about, old)  # "with her dog"
    if is_other or not _covers(old, about, new.locale) or _differs_in_time(change, old, is_same=is_same):
        return False
    shown = new.text[: max(new.text.find(",", about[-1].stop), 0) or None]  # not "no coffee any more, only tea"
    if not new.locale.only_words.isdisjoint(WORD.findall(shown.lower())) or not _may_end(change, old):
        return False
    if not _ends_activity(change, old, named):
        return False
    if are_two:
        lasting = durations(old.text)  # "for six years"
        values = [each for each in old.values if not any(low <= each.start < high for low, high in lasting)]
        return shows("together", old.text, old.locale) and not (_HOMES & old.relations or values)
    last = max((word for word in old.words if word.root in named), key=lambda each: each.stop, default=None)
    after = None if last is None else WORD.match(old.text, last.stop + 1)
    if last is not None and _is_one_of_several(last, old, named):
        return False
    if after is None or last is None:
        return True
    is_state = not new.locale.copulas.isdisjoint(WORD.findall(new.text.lower()))
    goes_on = after[0].lower() in old.locale.prepositions and is_state and not old.values
    is_part = last.low in sorts()["car"] or "works_at" in old.relations  # "the Toyota" is "a Toyota Corolla"
    is_longer = after[0][0].isupper() and last.text[0].isupper() and old.locale.has_noun_compounds
    return not goes_on and (is_part or not is_longer)


def _is_companion(about: Sequence[Word], old: Reading) -> bool:
    """Return whether an older statement only mentions a thing beside its own: "with her dog"."""
    roots = {word.root for word in about}
    led = (old.text[: word.start].lower().split()[-_LED:] for word in old.words if word.root in roots)
    company = old.locale.company_words - old.locale.work_links
    return any(not company.isdisjoint(words) for words in led)


def _is_of_other_day(new: Reading, old: Reading) -> bool:
    """Return whether a change names a day that an older statement does not: "had to cancel tennis today"."""
    days, olds = ([v for v in each.values if v.kind is Kind.DAY] for each in (new, old))
    return any(all(differ(one, other) for other in olds) for one in days)


def _is_trip_to(about: Sequence[Word], new: Reading, old: Reading) -> bool:
    """Return whether a trip is that of an older statement: "the trip to Oslo" and "we're going to Oslo in May"."""
    places = [w for w in old.names if word_before(w, old.text) in old.locale.goals and w.low not in word_list("given")]
    named = [word for word in about if word.low not in new.locale.trips]
    if len(places) != 1 or all(word.root != places[0].root for word in named):
        return False
    is_led = all(word_before(word, new.text) in new.locale.goals for word in named if word.root == places[0].root)
    return is_led and shows("travels", old.text, old.locale)


def _is_one_of_several(item: Word, old: Reading, named: Collection[str]) -> bool:
    """Return whether a word is in a list with others that are not named: "pizza" in "I like pizza and pasta"."""
    joints, small = old.locale.list_joints, old.locale.articles | old.locale.determiners
    if (joints - {","}).isdisjoint(old.text.lower().split()):
        return False  # "The Magic Mountain, page 80"
    for one, other in pairwise(sorted(old.words, key=lambda each: each.start)):
        between, beside = old.text[one.stop : other.start].lower(), other if one is item else one
        words = set(between.replace(",", " , ").split())
        is_joined = item in (one, other) and not joints.isdisjoint(words) and words <= joints | small
        if is_joined and beside.root not in named and not is_verb(beside.low, "", old.locale):
            return True
    return False


def _differs_in_time(change: Change, old: Reading, *, is_same: bool) -> bool:
    """Return whether the times of a change and an older statement exclude that it ends."""
    new = change.reading
    if any(each.kind is Kind.CLOCK for each in new.values) and not is_same:
        return True  # "I left the choir at nine"
    are_names = all(is_name(w, new.text, new.locale) for w in change.about) and not new.locale.has_noun_capitals
    days = [each for each in new.values if each.kind is Kind.DAY]
    before = [new.text[: each.start].rstrip().rpartition(" ")[2].lower() for each in days]
    if not is_same and any(word in _FOR for word in before):
        return True  # "I've cancelled the gym for Friday"
    has_left = are_names and shows("departs", new.text, new.locale) and change.cue != "parted"
    if has_left and any(each.kind is Kind.DAY for each in old.values):
        return True  # a person who left Acme may still have a meeting there on Monday
    lasting = durations(new.text)
    values = [each for each in new.values if not any(low <= each.start < high for low, high in lasting)]
    if is_limited(new.text, new.locale) and not is_limited(old.text, old.locale):
        return True  # "no longer eats meat on Fridays"
    if any(each.kind is Kind.NUMBER and not any(each.kind is v.kind for v in old.values) for each in values):
        return True  # "no longer owns two boats"
    return not new.times <= old.times or any(same_kind(a, b) and differ(a, b) for a in values for b in old.values)


def _ends_activity(change: Change, old: Reading, named: set[str]) -> bool:
    """Return whether the object of an end is the subject of an older statement, not a part of its predicate."""
    new = change.reading
    nouns = [w for w in change.about if not (is_verb(w.low, "", new.locale) or w.text[0].isupper())]
    verbs = [w for w in change.about if is_verb(w.low, "", new.locale)]
    is_food = any(w.low in sorts()[sort] for w in nouns for sort in ("food", "drink"))
    is_taken = bool((_FOOD | {"allergic_to"}) & old.relations) or shows("consumes", old.text, old.locale)
    if is_food and (not is_taken or (old.is_own and not (new.is_own or new.holders))):
        return False  # "I owe him a coffee", "the milk is gone"
    if new.locale.has_base_verbs and verbs and not nouns and not old.roots <= named:
        return False  # "stopped running" does not end "runs a company"
    is_project = not (union("generic_nouns").isdisjoint(w.low for w in change.about) or (new.is_own and old.is_own))
    return not is_project or not (  # the end of a project ends its status
        old.values
        or "name" in old.relations
        or any(word.root not in named for word in old.names)
        or shows("in_charge", old.text, old.locale)
    )


def _may_end(change: Change, old: Reading) -> bool:
    """Return whether an older statement can end: it is of the present, and about the thing itself."""
    new, locale = change.reading, change.reading.locale
    is_booking = shows("cancels", new.text, locale) and shows("booked", old.text, old.locale)
    is_back, is_loan = shows("gives_back", new.text, locale), shows("lends", old.text, old.locale)
    if is_back and not is_loan and "me" not in new.holders:
        return False  # "Ana has brought my drill back" ends the loan alone
    is_booking |= is_back and is_loan
    customers = [w for w in old.words if word_before(w, old.text) in old.locale.work_links | {"with", "con"}]
    is_provider = all(any(w.low == each.low for each in customers) for w in change.about)  # "I pay 9 euros with Acme"
    if shows("gives_name", old.text, old.locale):
        return False  # "I call it Bo" outlives it
    if (old.is_past or ("costs" in old.relations and not is_provider)) and not is_booking:
        return False
    is_membership = new.is_of_membership and all(is_name(w, new.text, locale) for w in change.about)
    if is_membership and old.roots.isdisjoint(_VISITS):
        return False  # the end of a membership does not end a job there
    number = locale.number_nouns | old.locale.number_nouns
    if old.values and any(word.low in number for word in change.about):
        return False  # a phone number outlives the phone
    if any(_is_only_name(w, old) for w in change.about if w.text.islower() and w.low not in action_forms(locale)):
        return False
    is_part = is_booking or "works_at" in old.relations  # "the Bosch dishwasher", "the Mill Road surgery"
    things = (roots_of(w, locale) for w in change.about if not (is_verb(w.low, "", locale) or is_part))
    named = [roots for roots in things if not new.heads.isdisjoint(roots)]
    heads = [_place_in(old, roots) for roots in named if not old.heads.isdisjoint(roots)]
    limiting = (roots for roots in named if old.heads.isdisjoint(roots))  # "food" in "the food bank van", with "van"
    return all(any(place > _place_in(old, roots) for place in heads) for roots in limiting)


def _place_in(reading: Reading, roots: Sequence[str]) -> int:
    return max((word.start for word in reading.words if word.root in roots or word.low in roots), default=0)


def _covers(old: Reading, about: Sequence[Word], locale: Locale, shown: str = "") -> bool:
    """Return whether a statement contains all of the words, in any language, or the first part of a compound."""
    there = [word.low for word in old.words] if shown and locale.has_noun_capitals else []
    parts = frozenset(WORD.findall(shown.lower())) if there else frozenset[str]()
    return all(
        _has_word(old, word, locale)
        or any(low.startswith(word.low) and low[len(word.low) :].removeprefix("s") in parts for low in there)
        for word in about
    )


def _is_only_name(word: Word, old: Reading) -> bool:
    """Return whether a statement contains a word only as a name: "a cat called Mocha"."""
    there = [each for each in old.words if each.root == word.root and not old.locale.has_noun_capitals]
    return bool(there) and all(is_name(each, old.text, old.locale) for each in there)


def _has_word(old: Reading, word: Word, locale: Locale) -> bool:
    """Return whether a statement contains a word, or both parts of a compound: not only "balcony" of "Balkonmöbel"."""
    whole, *more = roots_of(word, locale)
    if whole in _ROADS and old.roots.isdisjoint(_ROADS):
        return True  # "on Mill Street" and "on Mill"
    known = [each.root for each in parts_of(word, locale) if each.root not in _IDLE]
    parts = known or [each for each in more if each not in (word.low, *_IDLE)]
    if not near_synonyms(whole).isdisjoint(old.roots) and _may_mean(whole, old, locale):
        return True
    shown = {word.low, *(more[:2] if word.has_capital else ())}  # a name, with and without diacritics
    return not old.roots.isdisjoint({whole, *shown}) or (bool(parts) and old.roots.issuperset(parts))


def near_synonyms(root: str) -> frozenset[str]:
    """Return the roots of words that are near synonyms in a change: "cours de piano", "piano lesson"."""
    return next((each for each in _NEAR_SYNONYMS if root in each), frozenset())


def _may_mean(root: str, old: Reading, locale: Locale) -> bool:
    """Return whether a near synonym in an older statement has the sense of a word: not "came down" for an arrival."""
    if _RENT in near_synonyms(root):  # "we pay 900 euros for our flat"
        homes = (word for word in old.words if word.root in near_synonyms(root))
        led = ("_" in w.root or not _FOR.isdisjoint(old.text[: w.start].lower().split()[-_LED:]) for w in homes)
        return old.is_own and any(led)
    if _ARRIVAL in near_synonyms(root) and not any(each.kind in (Kind.DAY, Kind.CLOCK) for each in old.values):
        return False  # "Lea came down to 9,400"
    if _ARRIVAL not in near_synonyms(root):
        return old.locale is not locale
    return not old.holders <= {"me"} or not old.roots.isdisjoint(near_synonyms(root) - {_ARRIVAL})


def _by_state(change: Change, old: Reading, extra: int) -> Fit | None:
    """Return the match of a new exclusive state with an older one: "I'm on the late shift now"."""
    new = change.reading
    is_new = bool(change.old) or any(shows(each, new.text, new.locale) for each in ("from_now", "moves", "corrects"))
    shown = " ".join(new.text[each.start : each.stop].lower() for each in new.states)
    times = new.times - old.times  # "no more nights", after "I do nights"
    days = (each for each in new.values if any(key[0] == "weekday" for key in keys_of(each)))
    weekly = (WORD.findall(new.text[each.start : each.stop].lower()) for each in days)  # "on Fridays"
    recurs = any(new.locale.since_words.isdisjoint(words) for words in weekly)  # not "since Monday"
    if old.is_event or any(each not in shown for each in times) or recurs or not is_new:
        return None
    for state in new.states:
        before = [each for each in old.states if same_kind(state, each)]
        if len(before) != 1 or not differ(state, before[0]):
            continue
        mine = _beside_state(new, state, change.about)
        are_mine = all(each.is_own and each.holders <= {"me"} for each in (new, old))
        is_same = _covers(old, mine, new.locale) or (next(iter(keys_of(state)))[0] == "car" and are_mine)
        first = vocabulary(old.locale).first  # the speaker as the subject, not only as an owner: "our cat"
        is_of_me = "me" in old.holders and not first.isdisjoint(WORD.findall(old.text.lower()))
        if is_same and (are_mine or (bool(mine) and not is_of_me)):
            return Fit(old, before[0], extra, new.text[state.start : state.stop])
    return None


def _beside_state(reading: Reading, state: Value, words: Sequence[Word]) -> list[Word]:
    """Return the words for the subject of a state."""
    others = [word for word in words if not state.start <= word.start < state.stop]
    if reading.locale.has_noun_capitals:
        others = [word for word in others if word.text[0].isupper()]
    verbs = reading.locale.located | reading.locale.light_verbs | action_forms(reading.locale)
    return [word for word in others if not (is_verb(word.low, "", reading.locale) or word.low in verbs)]


def _differs_in_kind(fresh: tuple[Reading, list[Word]], before: tuple[Reading, list[Word]]) -> bool:
    """Return whether new names cannot replace old ones: a language, a German noun, an employer for a home."""
    (new, names), (old, known) = fresh, before
    led, was_led = (word_before(words[0], each.text) if words else "" for each, words in (fresh, before))
    is_noun = new.locale.has_noun_capitals and led in new.locale.articles and was_led not in old.locale.articles
    works = led in new.locale.work_links - new.locale.place_links and "lives_in" in old.relations - new.relations
    is_language = any(word.low in sorts()["language"] for word in names)  # "switched my phone to German"
    return is_language or works or (is_noun and bool(known))


def _before(change: Change, old: Reading, about: set[str]) -> list[Word]:
    """Return the names in an older statement that those of a change may replace: not the companions of a resident."""
    known = [word for word in old.names if word is not relative_named(change, old)]
    before = [w for w in known if about.isdisjoint((w.root, w.low)) or w.root in change.gone]
    if "lives_in" in old.relations:  # "lives in Hull with her partner Tom"
        company = (w.start() for w in WORD.finditer(old.text) if w[0].lower() in old.locale.company_words)
        end = next(company, len(old.text))
        before = [word for word in before if word.start < end] or before
    return _identity(before, old)


def _frame(change: Change, old: Reading, known: Collection[str]) -> list[Word]:
    """Return the words of a change beside its names that an older statement must contain."""
    frame = [word for word in change.about if word.root not in known]
    frame = [word for word in frame if not (change.cue in ("moved", "corrected") and _is_doing(word, change.reading))]
    is_named = (_is_state(old) or "name" in old.relations) and old.holders != {"me"}
    if is_named and not old.leading.isdisjoint(word.root for word in frame):  # "is called" and "is"
        frame = [w for w in frame if all(name != "name" for name, _ in concepts_of(w, change.reading.locale))]
    return frame


def _by_name(change: Change, old: Reading, extra: int) -> Fit | None:
    """Return the match of a change whose new value is a name: "Omar runs the shop now", "My boss is Ines now"."""
    new = change.reading
    about = {name for word in change.about for name in (word.root, word.low)}
    names = [word for word in new.names if word not in change.of]
    named = [w for w in names if old.roots.isdisjoint((w.root, w.low)) and w.root not in change.gone]
    named = [word for word in named if word.root in about] or named
    fresh, before = _identity(named, new), _before(change, old, about)
    is_more = change.cue == "now" and not new.locale.list_words.isdisjoint(WORD.findall(new.text.lower()))
    if is_more or _differs_in_kind((new, fresh), (old, before)):
        return None  # "we now use Linear too"
    models = {each.start for each in new.values if fresh and each.start == fresh[-1].stop + 1}  # "a Pixel 8"
    is_dated = all(each.kind is Kind.DAY or each.start in models for each in new.values)
    is_dated = is_dated and all(each.kind is not Kind.DAY for each in old.values)
    is_named = bool(before) and all(word.root in change.gone for word in before)  # "to Erfurt instead of Weimar"
    if not (is_dated or is_named) or not (is_run(fresh, new.text) and is_run(before, old.text)):
        return None
    homes = {"lives_in", "works_at"} & new.relations & old.relations
    is_led = bool(before) and word_before(before[0], old.text) in old.locale.place_links | old.locale.goals
    is_place = "lives_in" in old.relations or (is_led and _is_state(old))  # not "Ada is Ben's sister"
    things = [word for word in change.about if word.text.islower() and not is_verb(word.low, "", new.locale)]
    is_thing = change.cue == "moved" and bool(things)
    is_visit = "lives_in" in new.relations and not (is_place or is_thing)  # "visited Kyoto"
    if is_visit or ("lives_in" in homes and not _is_home(change, old, fresh)):
        return None
    gone, known = {word.root for word in before}, {word.root for word in named} | change.gone
    shown = new.text[fresh[0].start : fresh[-1].stop]
    value = Value(Kind.NAME, before[0].start, before[-1].stop, frozenset(gone))
    fit_ = Fit(old, value, extra, new.text[fresh[0].start : fresh[-1].stop])
    frame = _frame(change, old, known)
    rest = [word for word in frame if not any(name in homes for name, _ in concepts_of(word, new.locale))]
    leads = [word for word in rest if fresh and not new.text[word.stop : fresh[0].start].strip()]  # "calle Serrano"
    is_road = bool(rest) and all(word in leads and word.root in old.roots for word in rest)
    rest = [] if is_road else rest  # "vivo en la calle Alcalá", "me he mudado a la calle Serrano"
    is_home = bool(homes) and not rest and ("works_at" in homes or is_road or shown.lower() in word_list("places"))
    who = [word for word in rest if old.holders.isdisjoint((word.root, word.low))]
    lives = any(("lives_in", "") in concepts_of(word, old.locale) for word in old.words)  # not "has a house in Bath"
    is_moved = change.cue == "moved" and lives and "lives_in" in homes and bool(old.holders and rest) and not who
    sides = ((each.locale, word_before(words[0], each.text)) for each, words in ((new, fresh), (old, before)))
    if is_moved and all(led in at.place_links | at.goals | at.place_goals for at, led in sides):
        return fit_  # "my cousin Ada lives in Hull", "Ada has moved to Bath"
    if new.is_own and (is_home or (gone <= change.gone and not frame)):  # "we switched from one to the other"
        return fit_
    if change.gone & old.roots and not gone <= change.gone:
        return None
    covers = _covers(replace(old, roots=old.roots - gone), frame, new.locale)
    if any(_is_other_sort(word, new, old) for word in frame):
        return None
    is_stated = _is_state(old) or "owner" in old.relations
    if covers and frame and is_stated and gone <= change.gone and shows("replacing", new.text, new.locale):
        return fit_  # "Nowak has replaced Brandis as head of sales"
    return fit_ if covers and _is_role(change, frame, ((new, fresh), (old, before))) else None


def _identity(names: list[Word], reading: Reading) -> list[Word]:
    """Return the first name after "is" or "is called", without an aside: "my dentist is Dr Roth, in Mill Lane"."""
    before = WORD.findall(reading.text[: names[0].start].lower())[-_LED - 1 :] if names else []
    links = {*reading.locale.prepositions, *reading.locale.place_links}
    fields = ("is_called", "supplied_by") if reading.is_own else ("is_called",)
    verbs = [w for w in before if w in reading.locale.copulas or any(shows(f, w, reading.locale) for f in fields)]
    for at, (one, other) in enumerate(pairwise(names) if verbs else (), 1):
        between = reading.text[one.stop : other.start]
        if between.lstrip().startswith(",") or not links.isdisjoint(between.lower().split()):
            return names[:at]
    return names


def relative_named(change: Change, old: Reading) -> Word | None:
    """Return the name of the relative that a change leaves out: "my sister" for "my sister Anna"."""
    new, are_bare = change.reading, change.reading.locale.articles | vocabulary(change.reading.locale).determiners
    mine = vocabulary(new.locale).first_owner
    only = [word for word in change.about if word.root in _ONLY and word_before(word, new.text) in mine]
    only += [w for w in change.about if {w.root, w.low} & _ELDERS and word_before(w, new.text) not in are_bare]  # "Mum"
    about = {root for word in only for root in (word.root, word.low)}
    pairs = pairwise(sorted(old.words, key=lambda each: each.start))
    beside = (name for noun, name in pairs if noun.stop + 1 == name.start and {noun.root, noun.low} & about)
    return next((name for name in beside if is_name(name, old.text, old.locale)), None)


def _is_home(change: Change, old: Reading, fresh: Sequence[Word]) -> bool:
    """Return whether the destination of a move may be a home: not "to Row 5", "to Gmail", "from Acme to Globex"."""
    text = change.reading.text
    shown = text[fresh[0].start : fresh[-1].stop]
    is_numbered = text[fresh[-1].stop : fresh[-1].stop + 2].strip().isdigit()
    is_other = change.gone.isdisjoint(old.roots) and bool(change.gone) and shown.lower() not in word_list("places")
    return change.cue != "moved" or (not (is_numbered or is_other) and may_be_place(shown))


def _is_other_sort(word: Word, new: Reading, old: Reading) -> bool:
    """Return whether a verb shares its root only with a noun of the older statement: "booked" and "reading a book"."""
    others = [each for each in old.words if each.root == word.root]
    is_done = is_participle(word, new.locale)
    return is_done and bool(others) and not any(is_participle(each, old.locale) for each in others)


def _is_doing(word: Word, reading: Reading) -> bool:
    """Return whether a word is a verb, not a noun after an article or a name: "the Kestrel report"."""
    before = reading.text[: word.start].rstrip().rpartition(" ")[2]
    led = before.lower() in reading.locale.articles | reading.locale.determiners or before[:1].isupper()
    is_first = word.start == min((each.start for each in reading.words), default=0)
    if word.low in action_forms(reading.locale) and reading.locale.has_noun_capitals:
        return word.text.islower()
    return word.low in reading.locale.verbs and (not led or is_first or before.lower() in reading.locale.oneself)


def _is_role(change: Change, frame: Sequence[Word], pairs: Sequence[tuple[Reading, Sequence[Word]]]) -> bool:
    """Return whether two names, each with its sentence, are the single values of otherwise equal sentences."""
    readings = [reading for reading, _ in pairs]
    names = {word.root for reading in readings for word in reading.names}
    locale, relations = change.reading.locale, readings[0].relations | readings[1].relations
    has_owner = all("owner" in reading.relations for reading in readings) and bool(frame)
    is_open = (
        not (has_owner or any(word.root not in names or locale.has_noun_capitals for word in frame))  # not of what
        or any(_beside(reading, words) & union("generic_nouns") for reading, words in pairs)  # "the Kestrel project"
        or (change.cue == "now" and len(frame) == 1 and frame[0].low in locale.several_nouns)  # "my new friend"
        or (change.cue != "moved" and any(reading.is_event for reading in readings))
    )
    if is_open or relations & _SEVERAL:
        return False
    first = [words for reading, words in pairs if all(w.start >= words[0].start for w in reading.words)]
    former = readings[1]  # "I'm with Acme for my phone"
    links = former.locale.work_links | {"with", "con"} if former.is_own and _is_state(former) else frozenset[str]()
    first = [words for words in first if word_before(words[0], former.text) not in links]
    if first:  # "Ada drinks tea now"
        in_charge = any(shows("in_charge", reading.text, reading.locale) for reading in readings)
        return in_charge and readings[0].is_own == readings[1].is_own  # "our cat", "her cat"
    places = {reading.text[words[0].start : words[-1].stop].lower() in word_list("places") for reading, words in pairs}
    links = locale.place_links | locale.goals
    are_led = change.cue == "moved" and all(word_before(words[0], reading.text) in links for reading, words in pairs)
    return (are_led or len(places) == 1) and all(_is_one(words, reading, frame) for reading, words in pairs)


def _is_one(words: Sequence[Word], reading: Reading, frame: Sequence[Word]) -> bool:
    """Return whether a name is the single value of a sentence: an identity, a location or a provider."""
    locale, before = reading.locale, word_before(words[0], reading.text)
    if before in locale.articles | locale.determiners:
        before = reading.text[: words[0].start].lower().rpartition(before)[0].rstrip().rpartition(" ")[2]
    shown = reading.text[words[0].start : words[-1].stop]
    if before in locale.place_links | locale.goals | locale.work_links | {"with"}:
        return before != "with" or reading.is_own
    if reading.is_own and (shows("supplied_by", before, locale) or shows("is_called", before, locale)):
        return True  # "our paper comes from Acme", "from a mill called Acme"
    if before.rstrip(".") in {title.lower() for title in union("titles")}:
        return True
    if any(word.low in sorts() and shown.lower().split()[0] in sorts()[word.low] for word in frame):
        return True  # "my phone is a Pixel"
    does = any(is_verb(word.low, "", locale) and not concepts_of(word, locale) for word in frame)
    return not does and not (locale.has_common_words and is_word(shown.lower(), locale))


def _beside(reading: Reading, words: Sequence[Word]) -> set[str]:
    """Return the words directly before and after others in a sentence."""
    after = WORD.search(reading.text, words[-1].stop)
    return {word_before(words[0], reading.text), "" if after is None else after[0].lower()}


_ENDS: dict[str, Callable[[Change, Reading], bool]] = {
    "over": _is_over,
    "parted": _is_over,
    "departed": _is_role_of,
    "obtained": _is_awaited,
    "exchanged": _is_exchanged,
    "replaced": _is_taken,
}
"""The check, by the cue of a change, whether an older statement ends as a whole."""


def fits(new: str, at: datetime, old: str, then: datetime, *, same_speaker: bool) -> Iterator[Fit]:
    """Yield the matches of the changes in one text with the statements of an older one."""
    for change in changes_in(new, at):
        found = (fit(change, reading, same_speaker=same_speaker) for reading in statements_in(old, then))
        yield from filter(None, found)


def _may_replace(value: Value, old: Value) -> bool:
    """Return whether a bare value may replace another: "make that 9" a time, "the 22nd" a day."""
    return same_kind(value, old) or {value.kind, old.kind} in ({Kind.NUMBER, Kind.CLOCK}, {Kind.DAY})


def last_value(change: Change, reading: Reading) -> Value | None:
    """Return the value of a statement that an elliptical change replaces, or None: "no wait, Thursday"."""
    if change.swap is not None and ((found := _misstated_in(change.swap[0], reading)) or not change.reading.values):
        return found
    if change.cue in ("over", "parted", "departed") or len(change.reading.text.strip()) > _LONGEST_ELLIPSIS:
        return None  # "I've pulled out of the 10k"
    if len(reading.text.strip()) > _LONGEST_REPLACED:
        return None
    if change.is_name:
        return _other_name(change.reading.names, reading)
    for value in _whole(change.reading):
        if is_difference(change.reading.text, value.start, value.stop):
            continue  # "it went up by 50"
        before = [each for each in _whole(reading) if _may_replace(value, each)]
        named = [each for each in before if not change.old or any(not differ(each, old) for old in change.old)]
        is_plain = (value.kind, *(each.kind for each in named)) == (Kind.NUMBER, Kind.NUMBER)
        if is_plain and change.cue == "now" and not reading.relations & {"costs", "weighs"}:
            continue  # "it's 5 now", after "I take the 76 bus"
        if len(named) == 1 and differ(value, named[0]):
            return named[0]
    return None


def _misstated_in(words: str, reading: Reading) -> Value | None:
    """Return the only place of words in a statement, of "17th" also in a date: "17 June"."""
    places = [each.span() for each in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", reading.text, re.IGNORECASE)]
    if not places and words[:1].isdigit() and not words.isdigit():
        number = re.compile(rf"(?<!\d){re.match('[0-9]+', words)[0]}(?!\d)")  # type: ignore[index]
        days = (number.search(reading.text, v.start, v.stop) for v in reading.values if v.kind is Kind.DAY)
        places = [each.span() for each in days if each is not None]
    return Value(Kind.NAME, *places[0], frozenset({words})) if len(places) == 1 else None


def _other_name(names: Sequence[Word], reading: Reading) -> Value | None:
    """Return the only name of a statement that another may replace: no place for a person, not the subject."""
    runs: list[list[Word]] = []
    for word in reading.names:
        if runs and not reading.text[runs[-1][-1].stop : word.start].strip(" ."):
            runs[-1].append(word)
        else:
            runs.append([word])
    sort = _sort_of(names)
    found = [run for run in runs if sort == "places" == _sort_of(run)]
    found = found or [run for run in runs if not sort or _sort_of(run) in ("", sort)]
    found = found if len(found) < 2 or found[0][0].start else found[1:]
    same = {word.low for word in names}
    if len(found) != 1 or not same.isdisjoint(word.low for word in found[0]):
        return None
    return Value(Kind.NAME, found[0][0].start, found[0][-1].stop, frozenset(word.root for word in found[0]))


def _sort_of(names: Sequence[Word]) -> str:
    return next((sort for sort in ("places", "given") if any(word.low in word_list(sort) for word in names)), "")


_LONGEST_ELLIPSIS, _LONGEST_REPLACED = 60, 160  # characters of an elliptical change, and of what it may refer to


def replaced_text(change: Change, reading: Reading, old: Value) -> str:
    """Return the text of an older statement with the values of an elliptical change replacing its own and `old`."""
    text, new = reading.text, change.reading
    if change.swap is not None:
        (first, *_), right, tail = change.swap[1].split(), change.swap[1], text[old.stop :]
        if text[old.start : old.stop].isdigit() and not change.swap[0].isdigit():
            right = right.rstrip("abcdefghijklmnopqrstuvwxyz.º")  # "17 June" and "the 18th"
        led = word_before(Word("", "", "", old.start, old.stop), text) in reading.locale.articles
        right = right[len(first) :].lstrip() if led and first in reading.locale.articles else right
        unit = right.lower()[len(right.split()[0]) :]  # "300 euros" with "400 euros" in place of "300"
        return f"{text[: old.start]}{right}{tail[len(unit) :] if tail.lower().startswith(unit) else tail}".strip()
    values, known = _whole(new), _whole(reading)
    if change.is_name:
        text = f"{text[: old.start]}{new.text[new.names[0].start : new.names[-1].stop]}{text[old.stop :]}"
    for each in reversed(known):
        found = [value for value in values if _may_replace(value, each)]
        if found and (each == old or sum(same_kind(each, other) for other in known) == 1):
            text = f"{text[: each.start]}{new.text[found[0].start : found[0].stop]}{text[each.stop :]}"
    return text.strip()


def _whole(reading: Reading) -> list[Value]:
    """Return the values of a sentence, adjacent weekday and date merged into one."""
    found: list[Value] = []
    for each in sorted(reading.values, key=lambda value: value.start):
        last = found[-1] if found else None
        between = "-" if last is None else reading.text[last.stop : each.start].strip(" ,")
        if last is None or between or {last.kind, each.kind} != {Kind.DAY}:
            found.append(each)
        else:
            date = last if _vagueness(each) > _vagueness(last) else each
            found[-1] = date._replace(start=last.start, stop=each.stop)
    return found
