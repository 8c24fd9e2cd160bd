"""Segmentation of sentences: `segments` splits the words of a sentence into clauses with one verb each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from engrain.language.locales import Locale, expression, union, word_list
from engrain.language.names import common
from engrain.language.phrases import Phrase, Reader, Word, people_words
from engrain.language.tokens import PAST_FORMS

_VERBS = ("participle", "infinitive")
_FIRST_WORDS = 4
_SEAMS = frozenset(",;:()–—|")
_SHORT = 3  # letters: "así", "qué"
_NOMINATIVE = frozenset({"ich", "wir", "du", "er"})


class Segment(NamedTuple):
    """The words of a clause, the conjunction `opener` before it; a contrast's `tail`; `gapped` without its verb."""

    low: int
    high: int
    opener: str = ""
    tail: bool = False
    gapped: bool = False


def segments(reader: Reader) -> list[Segment]:
    """Return the clauses of a sentence as ranges of its words."""
    words, seams = reader.words, _seams_of(reader)
    found: list[Segment] = []
    seams = [seam for at, seam in enumerate(seams) if not _is_in_apposition(reader, seams, at)]
    for (_, low, opener), (high, _, _) in pairwise(seams):
        while low < high and not any(map(str.isalnum, words[low].text)) and words[low].text not in "$€£":
            low += 1  # a bullet
        if low >= high:
            continue
        is_led = opener in reader.locale.coordinating and high - low > 2 and words[low].low in reader.locale.subjects
        is_clause = reader.has_verb(low, high) or (is_led and reader.pronoun(low) is not None)  # "et ils me prennent"
        if found and opener in reader.locale.joined and _ends_clause(reader, found[-1], low, high):
            found[-1] = found[-1]._replace(high=high)
        elif found and is_clause and (first := _first_of_subjects(reader, found[-1], low, opener)) is not None:
            before = found.pop()  # "Good news: Ana and Ben have moved"
            found += [before._replace(high=first)] if first > before.low else []
            found.append(Segment(first, high, before.opener if first == before.low else ""))
        elif is_clause or not found or asks_hearer(words[low:high], reader.text[: words[low].start]):
            found.append(Segment(low, high, opener))
        elif _is_contrast(reader, opener, low, high):
            found.append(Segment(low, high, opener, tail=True))
        elif _is_gapped(reader, found[-1], low, high):
            found.append(Segment(low, high, opener, gapped=True))
        else:
            found[-1] = found[-1]._replace(high=high)
    return _with_adverbs(reader, found)


def _first_of_subjects(reader: Reader, before: Segment, low: int, opener: str) -> int | None:
    """Return the index of a person that ends a verbless segment and is joined to the next subject, or None."""
    named = reader.phrases(before.low, before.high)
    if opener not in reader.locale.joined or not named or reader.has_verb(before.low, before.high):
        return None
    last = named[-1]
    first = next(at for at in range(before.low, before.high) if reader.words[at].start >= last.start)
    is_led = first > before.low and reader.words[first - 1].text not in _SEAMS
    is_last = not any(word.low.isalnum() and word.start >= last.stop for word in reader.words[before.low : before.high])
    second = reader.phrase(low, len(reader.words))
    if is_led or last.prep or not is_last or second is None or not (is_someone(last) and is_someone(second[0])):
        return None
    return first if second[1] < len(reader.words) and reader.is_verb(second[1]) else None


def _ends_clause(reader: Reader, before: Segment, low: int, high: int) -> bool:
    """Return whether words complete the previous clause with its verb: "Ich habe Brot" and "Milch gekauft"."""
    locale, words = reader.locale, [word for word in reader.words[low:high] if word.low[0].isalnum()]
    stated = [word for word in reader.words[before.low : before.high] if word.low[0].isalnum()]
    if not (locale.has_noun_capitals and len(words) > 1 and words[0].has_capital and stated[-1].has_capital):
        return False
    if not words[-1].text.islower() or reader.has_verb(low, low + len(words) - 1):
        return False
    led = {word.low for word in stated}
    form = "infinitive" if any(map(expression("modals", locale).fullmatch, led)) else "participle"
    is_led = form == "infinitive" or not led.isdisjoint(locale.perfect)
    return is_led and expression(form, locale).fullmatch(words[-1].low) is not None


def is_someone(phrase: Phrase) -> bool:
    """Return whether a phrase is the speaker or another person."""
    return phrase.person == "me" or (not phrase.person and is_person(phrase))


def asks_hearer(words: Sequence[Word], before: str) -> bool:
    """Return whether words are a question to the hearer: "kannst du", "peux-tu", "¿me lo puedes"."""
    is_led = words[0].low in union("joined", "prepositions")
    is_inverted = len(words) > 1 and words[1].low in union("hearer") and not is_led
    return is_inverted or before.rstrip().endswith("¿") or words[0].low.endswith(("-tu", "-vous"))


def is_person(phrase: Phrase) -> bool:
    """Return whether a phrase names a person, by a given name, a relative or a profession, not "Aurora project"."""
    words, given, people, generic = phrase.words, word_list("given"), people_words(), union("generic_nouns")
    if words and (words[-1].low in generic or words[0].low in generic) and phrase.names:
        return False
    named = any(w.low in given and (w.has_capital or not common(w.low)) for w in words)  # not "grant"
    return named or any(word.low in people or word.root in people for word in words)


def is_no_home(reader: Reader, at: int) -> bool:
    """Return whether "live" is no verb of a home: "played live", "a live show", "en vivo", "live for music"."""
    locale, known, words = reader.locale, reader.known, reader.words
    if words[at].low in locale.childhood | {"home"}:
        return False
    led = words[at - 1].low if at else ""
    if led in known.determiners | locale.prepositions - locale.goals:
        return True
    is_verb = led.endswith("ing") or (at > 0 and reader.is_verb(at - 1) and led not in known.auxiliaries)
    after = [word.low for word in words[at + 1 : at + 4] if word.low not in locale.articles]  # "für die Musik"
    is_aim = len(after) > 1 and after[0] in locale.part_links and not any(map(str.isdigit, after[1]))
    small = known.times | locale.all_numbers.keys() | locale.indefinite | locale.now_words | known.breaks
    return (is_verb and locale.has_base_verbs) or (is_aim and after[1] not in small and after[1] not in locale.stop)


def _seams_of(reader: Reader) -> list[tuple[int, int, str]]:
    """Return the boundaries of a sentence, with its beginning and its end: start, stop and conjunction."""
    words, joints = reader.words, reader.known.joints
    determiners = reader.known.determiners - reader.locale.that_words
    seams: list[tuple[int, int, str]] = [(0, 0, "")]
    for at, word in enumerate(words):
        if word.text in _SEAMS or _is_dash(reader, at):
            seams.append((at, at + 1, seams[-1][2] if seams[-1][1] == at else ""))
        elif at and (_is_pronoun(reader, at) or _is_preposition(reader, at) or _is_particle(reader, at)):
            continue  # "Nice, that's mine", "before 5 May", "work as a nurse", "Otto kommt aber nicht"
        elif at and word.low in joints and (word.low not in determiners or words[at - 1].text == ","):
            low = seams.pop()[0] if seams[-1][1] == at and len(seams) > 1 else at
            seams.append((low, at + 1, word.low))
    seams.append((len(words), len(words), ""))
    return seams


def _is_particle(reader: Reader, at: int) -> bool:
    """Return whether a German conjunction is a particle in its clause: "Otto kommt doch nicht"."""
    words, locale = reader.words, reader.locale
    after = [word for word in words[at + 1 : at + 3] if word.low[0].isalnum()]
    if words[at].low not in locale.particles or words[at - 1].text in _SEAMS or not after:
        return False
    is_denial = after[0].low in locale.negated and not (after[1:] and after[1].has_capital)
    is_last = len(after) == 1 or any(expression(form, locale).fullmatch(after[1].low) for form in _VERBS)
    is_new = after[0].has_capital or after[0].low in locale.subjects | reader.known.determiners - locale.negated
    return (reader.is_verb(at - 1) and not is_new) or (is_denial and is_last)


def _is_contrast(reader: Reader, opener: str, low: int, high: int) -> bool:
    """Return whether verbless words contrast with the previous clause: "but in Oslo", "and by now no time"."""
    locale, words = reader.locale, reader.words[low:high]
    at = next((place for place, word in enumerate(words[:_FIRST_WORDS]) if word.low in locale.negated), -1)
    is_led = opener in locale.joined and all(w.low in locale.now_words | locale.change_words for w in words[:at])
    return at == 0 or (at > 0 and is_led) or opener in locale.contrasts


def _is_preposition(reader: Reader, at: int) -> bool:
    """Return whether a possible conjunction is only before a time or a role: "before 5 May", "works as a cook"."""
    word, after = reader.words[at], reader.words[at + 1] if at + 1 < len(reader.words) else None
    is_time = after is not None and (after.text.isdigit() or after.low in reader.known.times)
    is_role = word.low in reader.locale.role_links
    is_role = is_role and any(name == "works_at" for name, _ in reader.concepts_of(reader.words[at - 1]))
    return is_role or (is_time and word.low in reader.locale.prepositions)


def _is_gapped(reader: Reader, before: Segment, low: int, high: int) -> bool:
    """Return whether words repeat the structure of the previous clause for another person, without its verb."""
    if not (here := reader.phrases(low, high)) or here[0].start != reader.words[low].start or here[0].prep:
        return False
    is_named = is_person(here[0]) or (here[0].names and not reader.locale.has_noun_capitals)
    if not is_named or reader.phrase(before.low, before.high) is None:
        return False
    stated = reader.phrases(before.low, before.high)  # of a long list it takes long
    is_one = bool(stated) and (bool(stated[0].names) or is_person(stated[0]) or stated[0].person == "me")
    if not is_one or stated[0].prep or stated[0].start != reader.words[before.low].start:
        return False
    if objects := [phrase for phrase in stated[1:] if not phrase.prep]:  # "Ben plays the drums and Mia the cello"
        is_same = len(here) == len(stated) == 2 and not here[1].prep  # not "I met Tom in Oslo and Eva in Rome"
        return is_same and not stated[0].person and not any(is_person(p) or p.person for p in (objects[0], here[1]))
    if len(here) == 2 and here[1].prep and here[1].prep in {phrase.prep for phrase in stated[1:]}:
        return True
    last = next((word.text for word in reversed(reader.words[low:high]) if word.low.isalnum()), "")
    has_figure = any(word.text.isdigit() for word in reader.words[before.low : before.high])
    return len(here) == 1 and last.isdigit() and has_figure


def _is_in_apposition(reader: Reader, seams: Sequence[tuple[int, int, str]], at: int) -> bool:
    """Return whether a comma delimits a name in apposition to a subject before its verb: "the vet, Asha, says"."""
    for first in (at, at - 1):  # the comma before the name, and the one after it
        if first < 2 or first + 2 >= len(seams):
            continue
        noun, name, verb = ((seams[k][1], seams[k + 1][0]) for k in (first - 1, first, first + 1))
        words = [reader.words[noun[0] : noun[1]], reader.words[name[0] : name[1]]]
        is_led = bool(words[0]) and not reader.has_verb(*noun) and words[0][0].low in reader.known.determiners
        is_name = 0 < len(words[1]) <= 2 and all(word.has_capital for word in words[1])
        bare = not any(seams[k][2] for k in (first, first + 1))
        if bare and is_led and is_name and verb[0] < verb[1] and reader.is_verb(verb[0]):
            return True
    return False


def _is_dash(reader: Reader, at: int) -> bool:
    """Return whether a hyphen with spaces around it is a dash, not between two numbers."""
    words = reader.words
    if words[at].text != "-" or not 0 < at < len(words) - 1:
        return False
    before, after = words[at - 1], words[at + 1]
    is_spaced = before.stop < words[at].start and words[at].stop < after.start
    return is_spaced and not (before.low[-1].isdigit() and after.low[0].isdigit())


def _is_pronoun(reader: Reader, at: int) -> bool:
    """Return whether a word such as "that" is the subject of a form of "to be" after a comma."""
    words = reader.words
    is_led = words[at].low in reader.locale.that_words and words[at - 1].text in _SEAMS
    return is_led and at + 1 < len(words) and words[at + 1].low in reader.known.be


def _with_adverbs(reader: Reader, segments: list[Segment]) -> list[Segment]:
    """Return the clauses, an opening adverb with a comma merged into the clause after it: "By the way, ..."."""
    if len(segments) < 2 or reader.has_verb(segments[0].low, segments[0].high):
        return segments
    first, second, *rest = segments
    opens = reader.words[first.low].low
    small = (reader.locale.prepositions, reader.known.times, reader.known.breaks)
    adverbial = any(opens in each for each in small) or len(opens) < 2
    is_heading = reader.words[first.high].text == ":"  # "A small disappointment: ..."
    if adverbial and not is_heading and not second.tail and second.opener == "" and second.low - first.high <= 1:
        return [second._replace(low=first.low), *rest]
    return segments


def stated_subject(reader: Reader, segment: Segment, phrases: Sequence[Phrase]) -> Phrase | None:
    """Return the first noun phrase without a preposition; in Spanish the verb ending may give the subject."""
    if reader.locale.own_verbs:
        places = [at for at in range(segment.low, segment.high) if reader.words[at].low not in reader.locale.now_words]
        doubled = (at for at in places if reader.words[at].low in reader.locale.articles and reader.is_doubled(at))
        if (after := next(doubled, -1) + 1) > segment.low:  # "Las entradas las compró Nuria"
            segment, places = segment._replace(low=after), [at for at in places if at >= after]
            phrases = [p for p in phrases if p.start >= reader.words[after].start]
        first = next(filter(reader.is_verb, places), None)
        begin = _after_time(reader, segment)
        begin += reader.words[begin].low in reader.locale.object_pronouns and begin + 1 < segment.high
        if is_own_past(reader, begin):
            return Phrase(reader.words[begin].start, reader.words[begin].start, (), person="me")
        likes = not {w.low for w in reader.words[segment.low : segment.high]}.isdisjoint(reader.locale.pleasing_verbs)
        likers = (p for p in phrases if likes and p.prep in reader.locale.goals and is_person(p))
        if (liker := next(likers, None)) is not None:
            return liker._replace(prep="")  # "A mi hija le gustan los dinosaurios"
        plain = next((phrase for phrase in phrases if not phrase.prep and phrase.person != "they"), None)
        if first is not None and (plain is None or plain.start > reader.words[first].start):
            low = reader.words[first].low
            is_form = low.endswith(("o", "é")) and not low.endswith(("ndo", "ado", "ido"))
            is_own = low in reader.locale.own_verbs or reader.is_own_plural(first)
            if is_own or (len(low) > 3 and is_form and plain is None):
                return Phrase(reader.words[first].start, reader.words[first].start, (), person="me")
    found = next((phrase for phrase in phrases if not phrase.prep), None)
    if reader.locale.acts_on_object and found is not None and not found.person:
        found = _subject_behind_verb(reader, found, phrases) or found
        if found.person or found.start > phrases[0].start:
            return found
    if found is not None and (other := _beside_name(reader, found, phrases)) is not None:
        return other
    bare = _bare_subject(reader, segment)
    return bare if bare is not None and (found is None or bare.start < found.start) else found


def _after_time(reader: Reader, segment: Segment) -> int:
    """Return the index after the time that opens a clause, or its first: "El lunes compré un piano"."""
    small = reader.locale.articles | reader.locale.prepositions | reader.known.determiners | reader.known.times
    words = takewhile(lambda w: w.low in small or w.low.isdigit(), reader.words[segment.low : segment.high - 1])
    led = [word.low for word in words]
    return segment.low + len(led) * (not reader.known.times.isdisjoint(led))


def is_own_past(reader: Reader, at: int) -> bool:
    """Return whether a Spanish clause begins with a verb in the first person: "Guardé el pasaporte"."""
    low = reader.words[at].low
    after = reader.words[at + 1].low if at + 1 < len(reader.words) else ""
    known = reader.known.determiners | reader.locale.articles | reader.locale.prepositions
    if low in word_list("given") or low in reader.locale.stop or len(low) <= _SHORT:
        return False
    follows = at + 1 < len(reader.words) and reader.words[at + 1].text.islower() and not reader.is_verb(at + 1)
    is_own = low.endswith("o") and low not in reader.locale.verbs  # not "hizo"
    is_present = is_own and after in known - reader.locale.prepositions  # "Llevo dos años ..."
    return is_present or (low.endswith(("é", "í")) and (after in known or follows))


def _subject_behind_verb(reader: Reader, first: Phrase, phrases: Sequence[Phrase]) -> Phrase | None:
    """Return the subject after the verb, a pronoun or a name: "Pilze esse ich", "Die Kurse leitet Eva"."""
    behind = [p for p in phrases if p.start > first.stop and not (p.prep or p.person or p.owner) and p.words]
    if len(behind) == 1 and is_person(behind[0]) and not (first.prep or is_person(first)):
        is_agent = reader.text[: first.words[-1].start].lower().split()[-1:] == ["der"]  # "Der Hund füttert Tom"
        between = reader.text[first.stop : behind[0].start].lstrip().lower()
        if not is_agent and expression("acts_on_object", reader.locale).match(between) is not None:
            return behind[0]
    for phrase in phrases:
        pronoun = reader.text[phrase.start : phrase.stop].lower()
        if phrase.person and not phrase.prep and phrase.start > first.stop and pronoun in _NOMINATIVE:
            return phrase if reader.text[first.stop : phrase.start].strip().count(" ") == 0 else None
    return None


def _bare_subject(reader: Reader, segment: Segment) -> Phrase | None:
    """Return a subject without an article at the beginning of a clause: "Dark mode is in scope"."""
    phrase = reader.bare_phrase(segment.low, segment.high)
    if phrase is None:
        return None
    at = segment.low + len(phrase.words)
    while at < segment.high and reader.words[at].low in reader.locale.change_words:  # "Ines now leads"
        at += 1
    if not any(reader.is_verb(place) for place in range(segment.low, segment.high)):
        return phrase  # "Dentist: Tuesday, 10:30"
    return phrase if at < segment.high and reader.is_verb(at) and reader.words[at].low not in ("'m", "'ve") else None


def _beside_name(reader: Reader, name: Phrase, phrases: Sequence[Phrase]) -> Phrase | None:
    """Return the noun after a name, before the verb, that is the subject: "Jonas sein Bruder wohnt", "Rex the cat"."""
    after = next((p for p in phrases if p.start > name.start), None)
    if after is None or not after.words or after.prep:
        return None
    verb = next((at for at, word in enumerate(reader.words) if word.start >= after.stop), 0)
    is_led = name.names == name.words != () and not reader.text[name.stop : after.start].strip()
    if not is_led or not verb or not reader.is_verb(verb):
        return None
    if reader.locale.has_noun_capitals and after.owner is not None and after.owner.person == "they":
        return after._replace(owner=name)
    first = reader.text[after.start : after.stop].split()[0]
    is_thing = reader.locale.has_base_verbs and first in reader.locale.articles and not is_person(after)
    return after if is_thing else None


def is_participle(word: Word, locale: Locale) -> bool:
    """Return whether a word has the form of a past participle."""
    low = word.low
    if not word.text.islower() or low in locale.have:
        return False
    if locale.has_base_verbs:
        return (low.endswith("ed") and len(low) > 4) or low in PAST_FORMS
    return expression("participle", locale).fullmatch(low) is not None


def _is_call(reader: Reader, at: int, phrases: Sequence[Phrase]) -> bool:
    """Return whether "called" is the verb of a person: "Ottilie called Ben", not "a man called Tom lives here"."""
    first = next(iter(phrases), None)
    if first is None or first.prep or not is_person(first) or first.stop + 1 != reader.words[at].start:
        return False
    is_one = reader.text[first.start :].split()[0].lower() in reader.locale.indefinite  # "a brother called Max"
    return not is_one and not any(reader.is_verb(place) for place in range(at + 1, len(reader.words)))


def means_other(predicate: str, mark: str, reader: Reader, at: int, phrases: Sequence[Phrase]) -> bool:
    """Return whether a word for an end, a name or work has another sense in its context."""
    word, after = reader.words[at], reader.words[at + 1 : at + 2]
    if predicate == "name" and reader.locale.has_base_verbs:
        return is_participle(word, reader.locale) and _is_call(reader, at, phrases)
    if predicate == "owner" and word.root == "pass":  # "passed the test", not "passed the project on to Vera"
        return not any(p.prep in reader.locale.goals for p in phrases)
    if predicate == "lives_in" and not mark:
        return is_no_home(reader, at)
    if predicate != "works_at" or not reader.locale.has_base_verbs:
        return predicate == "over" and not _may_be_end(reader, at)
    behind = " ".join(each.low for each in reader.words[at + 1 : at + 3])
    if behind.startswith("out") and behind != "out of" and word.low.startswith("work"):
        return True  # "I work out in Rome"
    begun = after if mark == "+" and after and after[0].low.endswith("ing") else []
    leads = reader.locale.prepositions - reader.locale.goals
    is_noun = not word.low.endswith(("s", "ed", "ing")) and reader.words[at - 1].low in leads
    return is_noun or any(all(name != predicate for name, _ in reader.concepts_of(each)) for each in begun)


def _may_be_end(reader: Reader, at: int) -> bool:
    """Return whether a word for an end is a verb and, in English, past: not "my left knee", "left me his watch"."""
    low, others = reader.words[at].low, reader.known.first | reader.locale.people_pronouns
    if at > 0 and reader.words[at - 1].low in reader.known.determiners:
        return False
    leaves = low in ("left", "leave") and at + 1 < len(reader.words) and reader.words[at + 1].low in others
    is_past = low.endswith("ed") or low in PAST_FORMS or low == "quit" or "_" in low
    is_past = is_past or [word.low for word in reader.words[:at][-2:]] == ["had", "to"]  # "had to cancel the trip"
    return not reader.locale.has_base_verbs or (is_past and not leaves)


def is_comparison(reader: Reader, at: int) -> bool:
    """Return whether "like" follows another verb or a form of "to be"."""
    before = reader.words[at - 1] if at else None
    if before is None or not reader.locale.has_base_verbs:
        return False
    if before.low == "n't" or before.low in reader.locale.do_words or before.low in reader.locale.negated:
        return False
    return before.low in reader.known.be or (reader.is_verb(at - 1) and before.low not in reader.known.auxiliaries)


def stated_segments(reader: Reader) -> list[Segment]:
    """Return the segments of a sentence without a negated consequence: ", so no more nights"."""
    found, locale = segments(reader) if reader.words else [], reader.locale
    ends = [s.opener in locale.so_words and reader.words[s.low].low in locale.negated for s in found]
    return [each for at, (each, is_end) in enumerate(zip(found, ends, strict=True)) if not (at and is_end)]
