"""Values in a sentence by kind: `find` returns the sums, times, names, numbers or places that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from engrain.language.answer_forms import PHONE
from engrain.language.locales import LOCALES, Locale, language_of, one_of, template, union, word_list
from engrain.language.matching import is_in_season
from engrain.language.phrases import Reader, Word, concepts_of, is_noun, people_words, vocabulary
from engrain.language.quantities import MONEY, ages, asks_day, asks_weekdays, fits_measure, fits_unit
from engrain.language.query import Question
from engrain.language.questions import Wanted, amount_spans, count_spans, is_difference, recurring_spans
from engrain.language.sameness import is_plural, same_phrase, same_word
from engrain.language.segments import is_person
from engrain.language.statements import PARTICLES
from engrain.language.times import Dated, clock_times, dated, durations
from engrain.language.tokens import is_stop
from engrain.language.values import is_origin, is_sort_of
from engrain.synthesis.readings import Sentence, roots_of
from engrain.text import pattern

Span = tuple[int, int, str]
_CURRENCIES = one_of(
    name for each in LOCALES.values() for unit in MONEY & each.measures.keys() for name in each.measures[unit].split()
)
_FIGURE = r"\d{1,3}(?:[., \u00a0'’]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?"
_SUM = pattern(
    rf"(?:[$€£¥]\s?(?:{_FIGURE})(?:\s?(?:k|m|million)\b)?|(?:{_FIGURE})(?:\s?(?:millions?|Millionen|millones)"
    rf"(?: de)?|\s?k\b)?\s?(?:[€£$]|(?:CFA )?(?:{_CURRENCIES})\b))",
    re.IGNORECASE,
)
_BARE = pattern(rf"(?<![\w.,:/+#-])(?:{_FIGURE})(?![\w:/%-]|[.,]\d)")
_WEIGHT = pattern(rf"(?:{_FIGURE})\s?(?:kg|kilos?|kilogramm?s?|grams?|gramm|pounds|lbs)\b", re.IGNORECASE)
_SMALL = 2  # digits of a number that may also be an hour
_BESIDE = 5  # characters between a day and its time: "on Fridays at 8"
_CODE = pattern(
    r"(?<![\w.@/])(?:(?:[A-Z]{1,3}[ -]){1,2}\d[\d -]*\d(?![\w@])"  # a plate
    r"|(?!\d+(?:st|nd|rd|th)\b)(?=[\w&/!?*#.-]*\d)"
    r"(?:[A-Z]{1,4}[ -])?[\w&/!?*#.-]{3,}[\w!?*](?: \d{1,4})*(?![\w@]))"
)
_DIGITS = 7  # of a telephone number
_NUMBER_BESIDE = template(r"\b(?:{articles})\s(?:{number_words_shown})\W{0,2}(\d+)(?!\w|[.,:]\d)")
_OLDEST = 120
_AGE_LINKS = frozenset({"(", ",", ".", "!", "'ll", "be", *union("turns")})
_GAP = 7  # words: "is six years old and our Aminata"


@dataclass(frozen=True, slots=True)
class Sought:
    """The kind of value that a question asks for, and the words that must be near it, each with its aliases."""

    question: Question
    kind: str
    words: tuple[Word, ...]
    known: tuple[frozenset[str], ...]
    of: tuple[frozenset[str], ...] = ()
    """The subject of a price, which a statement may omit: the shop of "the rent for the shop"."""

    def is_verb(self, word: Word) -> bool:
        """Return whether a word of the question is one of its verbs."""
        return any(word.low == verb.low for verb in self.question.verbs)


def covers(known: frozenset[str], roots: frozenset[str]) -> bool:
    """Return whether a form of a word is among roots, or ends a compound there."""
    return not known.isdisjoint(roots) or any(len(each) > 5 and f"{each} " in _listed(roots) for each in known)


@lru_cache(2048)
def _listed(roots: frozenset[str]) -> str:
    """Return roots joined into one text, in which the ends of compounds are found."""
    return "".join(f"{root} " for root in roots)


def _sums(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    text = sentence.text
    found = [(each.start(), each.end(), each[0]) for each in _SUM.finditer(text)]
    if not found and not sought.question.concepts:
        found = [(each.start(), each.end(), each[0]) for each in _WEIGHT.finditer(text)]
    if not found and not any(amount_spans(text)):
        found = [each for each in _bare_figures(sentence) if _may_be_sum(sentence, each)]
    question = sought.question
    found = [each for each in found if fits_measure(question.text, each[2], question.locale)]
    found = [each for each in found if not is_difference(text, *each[:2])]
    yield from (each for each in _best_placed(sentence, sought, found) if not _is_listed_before(sentence, sought, each))


def _is_listed_before(sentence: Sentence, sought: Sought, value: Span) -> bool:
    """Return whether words of a question are in an enumeration after a value: "12 euros for us and the car"."""
    words = [word for each in sentence.read for word in each.clause.words]
    places = [word.start for word in words if any(covers(known, roots_of(word)) for known in sought.known)]
    seams = [word.start for word in words if word.low in sentence.locale.joined]
    if any(figure.start() > max(places, default=0) for figure in _BARE.finditer(sentence.text)):
        seams += [at for at, char in enumerate(sentence.text) if char == ","]
    return bool(places) and min(places) > value[0] and any(value[1] <= seam < min(places) for seam in seams)


def _bare_figures(sentence: Sentence) -> Iterator[Span]:
    text = sentence.text
    taken = [(low, high) for low, high, _ in clock_times(text)] + [span[:2] for span in _codes_in(text)]
    taken += [(each.start, each.stop) for each in dated(text, _any_day(sentence))]
    taken += [each.span() for each in PHONE.finditer(text)]
    found = ((*each.span(), each[0]) for each in _BARE.finditer(text))
    yield from (each for each in found if not any(low < each[1] and each[0] < high for low, high in taken))


def _any_day(sentence: Sentence) -> datetime:
    return sentence.read[0].quote.memory.stated_at


def _may_be_sum(sentence: Sentence, figure: Span) -> bool:
    """Return whether a number without a currency may be a sum: it counts no noun, and is not small."""
    start, stop, text = figure
    words = [word for each in sentence.read for word in each.clause.words]
    after = next((word for word in words if word.start >= stop), None)
    locale = sentence.locale
    if after is not None and after.low.isalpha():
        known = vocabulary(locale)
        small = locale.prepositions | locale.articles | locale.coordinating | known.times | locale.stop | locale.per
        if after.low not in small and not is_stop(after.low):
            return False
    before = next((word for word in reversed(words) if word.start < start), None)
    changes = any("change" in each.clause.concepts for each in sentence.read)
    if before is not None and before.low in locale.goals and not changes:
        return False  # "does 0 to 100 in 8 seconds"
    if len(text) > _SMALL:
        return True
    costs = any(name in ("costs", "buys", "asset") for word in words for name, _ in concepts_of(word, locale))
    return len(text) > 1 and (costs or any(word.low in union("price_nouns") for word in words))


def _weights(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    found = [(each.start(), each.end(), each[0]) for each in _WEIGHT.finditer(sentence.text)]
    yield from _best_placed(sentence, sought, found)


def _best_placed(sentence: Sentence, sought: Sought, found: Sequence[Span]) -> Iterator[Span]:
    """Yield the value next after the words of a question, or all of a sentence without these."""
    if len(found) > 1:
        words = [word for each in sentence.read for word in each.clause.words]
        ends = [word.stop for word in words if any(covers(known, roots_of(word)) for known in sought.known)]
        after = [each for each in found if ends and each[0] >= max(ends)]
        led = [word.stop for word in words if word.low in sentence.locale.sources]
        after = [each for each in after if not any(each[0] - 6 < stop <= each[0] for stop in led)] or after
        found = after[:1] or found
    yield from found


def _times(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    text, clocks = sentence.text, clock_times(sentence.text)
    days = [(low, high, text[low:high]) for low, high in recurring_spans(text, sentence.locale)]
    dates = dated(text, _any_day(sentence))
    dates = [each for each in dates if not any(low < each.stop and each.start < high for low, high, _ in days)]
    found = [(each.start, each.stop, _shown(text, each, sentence.locale)) for each in dates]
    found = days if asks_weekdays(sought.question) else found + days
    found = list(_best_placed(sentence, sought, sorted(found)))
    for start, stop, shown in found:
        beside = next((high for low, high, _ in clocks if 0 < low - stop <= _BESIDE), None)
        yield start, beside or stop, shown if beside is None else f"{shown}{text[stop:beside]}"
    if not (found or asks_day(sought.question)):
        yield from _best_placed(sentence, sought, [(low, high, text[low:high]) for low, high, _ in clocks])


def _shown(text: str, time: Dated, locale: Locale) -> str:
    """Return a time as written if this is unambiguous for any reader, a weekday with its date."""
    shown = text[time.start : time.stop]
    if shown.lower() in locale.weekdays:
        return f"{shown} ({time.written})"
    words = pattern(r"[^\W\d_]+").findall(shown.lower())
    has_month = any(word in each.months for each in LOCALES.values() for word in words)
    return shown if has_month and any(map(str.isdigit, shown)) else time.written  # "before 30 June"


def _clocks(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    text = sentence.text
    yield from _best_placed(sentence, sought, [(low, high, text[low:high]) for low, high, _ in clock_times(text)])


def _durations(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    text = sentence.text
    found = [(low, high, text[low:high]) for low, high in durations(text)]
    yield from _best_placed(sentence, sought, [each for each in found if fits_unit(sought.question, each[2])])


def _counts(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    text, noun = sentence.text, sought.question.noun
    for low, high in count_spans(text, ""):
        after = next((w for each in sentence.read for w in each.clause.words if w.start >= high), None)
        if noun is not None and after is not None and same_word(noun, after):
            yield low, high, text[low:high]


def _codes_in(text: str) -> list[Span]:
    return [(each.start(), each.end(), each[0]) for each in _CODE.finditer(text) if not each[0].isalpha()]


def _codes(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    text = sentence.text
    taken = [(low, high) for low, high, _ in clock_times(text)]
    taken += [(each.start, each.stop) for each in dated(text, _any_day(sentence))]
    taken += [each.span() for each in _SUM.finditer(text)]
    found = [span for span in _codes_in(text) if not any(low < span[1] and span[0] < high for low, high in taken)]
    yield from _best_placed(sentence, sought, found)


def _numbers(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    phones = [(each.start(), each.end(), each[0].strip()) for each in PHONE.finditer(sentence.text)]
    phones = [each for each in phones if sum(map(str.isdigit, each[2])) >= _DIGITS]
    noun = _NUMBER_BESIDE(sentence.locale)
    beside = [(*each.span(1), each[1]) for each in noun.finditer(sentence.text)]  # "porte le numéro 318"
    codes = [] if phones else [*_codes(sentence, sought)]
    yield from _best_placed(sentence, sought, phones or codes or beside)


def _ages(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    asked = sought.question.subject
    for each in sentence.read:
        subject = each.clause.subject
        if subject is not None and asked is not None and same_phrase(asked, subject, each.by):
            yield from ages(each.clause, subject)
    numbers = sentence.locale.all_numbers
    words = [word for each in sentence.read for word in each.clause.words if word.low in numbers]
    measures = list(amount_spans(sentence.text))  # "40 m"
    figures = [each for each in _bare_figures(sentence) if each[2].isdigit()]
    figures = [each for each in figures if not any(low <= each[0] and each[1] < high for low, high in measures)]
    found = {text: (start, stop, text) for start, stop, text in figures}
    found |= {word.low: (word.start, word.stop, word.text) for word in words}
    for start, stop, text in found.values():
        years = int(text) if text.isdigit() else numbers[text.lower()]
        if 0 < years < _OLDEST and _is_age_of(sentence, sought, start, stop):
            yield start, stop, text


def _is_age_of(sentence: Sentence, sought: Sought, start: int, stop: int) -> bool:
    """Return whether a figure is the age of the last entity named: "Mats (8)", "our dog, Rex. He's 7 and lazy"."""
    locale, known = sentence.locale, vocabulary(sentence.locale)
    words = list(Reader(sentence.text, locale).words)
    after = next((word for word in words if word.start >= stop), None)
    if after is not None and after.low.isalpha() and after.low not in locale.stop | known.times | locale.joined:
        return False
    behind = [word.low for word in words if word.start >= stop][1:3]
    if after is not None and after.low.isalpha() and any(low.isdigit() or low in locale.all_numbers for low in behind):
        return False  # "fifteen out of twenty"
    before = [word for word in words if word.stop <= start]
    pronouns = known.third | locale.people_pronouns
    links = _AGE_LINKS | known.be | locale.now_words | locale.future_words | locale.have | pronouns | locale.relatives
    taken: list[Word] = []
    while before and before[-1].low in links:
        taken.append(before.pop())
    if not taken and not _is_gapped(before, known.be, locale):
        return False
    if not before and any(word.low in pronouns for word in taken):
        before = list(Reader(sentence.lead, language_of(sentence.lead, locale)).words)
    if any(word.low in pronouns for word in taken):
        people = [word for word in before if word.has_capital or word.low in people_words()]
        before = [word for word in people if word.low not in known.times]
    return bool(before) and any(covers(known, roots_of(before[-1])) for known in sought.known)


def _is_gapped(before: Sequence[Word], known: frozenset[str], locale: Locale) -> bool:
    """Return whether words before an age omit the verb of a previous one: "Conor is six and Aminata nine"."""
    verb = next((at for at, word in enumerate(before) if word.low in known | locale.have), len(before))
    after = before[verb + 1 : verb + 3]
    return any(word.low.isdigit() or word.low in locale.all_numbers for word in after[:1]) and len(before) - verb < _GAP


def _places(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    locale, found = sentence.locale, list[Span]()
    links = (locale.place_links | locale.goals | locale.work_links) - locale.sources
    links = locale.goals if all(word.low in sought.question.locale.seasons for word in sought.words) else links
    if not is_in_season(sought.question, sentence.text, _any_day(sentence)):
        return
    times = [(each.start, each.stop) for each in dated(sentence.text, _any_day(sentence))]
    for each in sentence.read:
        for phrase in each.clause.phrases:
            if phrase.prep not in links or not phrase.names or is_person(phrase) or phrase.person:
                continue
            noun = sought.question.noun if len(phrase.words) > 1 else None
            if noun is not None and any(is_sort_of(noun, word) for word in phrase.words):
                yield phrase.start, phrase.stop, sentence.text[phrase.start : phrase.stop]  # "at gate 204"
                return
            if any(low < phrase.stop and phrase.start < high for low, high in times):
                continue
            if any(covers(known, roots_of(word)) for word in phrase.words for known in sought.known):
                continue
            if locale.has_noun_capitals and all(is_noun(word, locale) for word in phrase.words):
                continue
            found.append((phrase.start, phrase.stop, sentence.text[phrase.start : phrase.stop]))
    yield from _best_placed(sentence, sought, found)


def _names(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    reader = Reader(sentence.text, sentence.locale)
    words, locale = reader.words, reader.locale
    left = locale.sources - locale.owner_links  # "takes over from Marlene"
    runs = [run for run in _runs(reader, sought) if run[0] == 0 or reader.words[run[0] - 1].low not in left]
    if sought.question.wanted is Wanted.PERSON:
        runs = [run for run in runs if all(word.text.replace(".", "").isalpha() for word in words[slice(*run)])]
    if sought.question.text.rstrip(" ?").rpartition(" ")[2].lower() in sought.question.locale.company_words:
        linked = [run for run in runs if reader.words[run[0] - 1].low in reader.locale.company_words and run[0]]
    else:
        linked = [run for run in runs if _is_name_of(reader, run, sought, sentence)]
        if sought.question.subject is not None and is_person(sought.question.subject):
            called = {at + 1 for at, word in enumerate(words) if "name" in dict(concepts_of(word, reader.locale))}
            linked = [run for run in linked if run[0] in called or not is_origin(words[slice(*run)], locale)]
    if not linked and sought.question.asks_subject:
        firsts = [(run, reader.words[run[0]]) for run in runs]
        people = [run for run, word in firsts if word.text in union("titles") or word.low in word_list("given")]
        linked = people if len(people) == 1 else []
    asked = sought.question.subject
    is_several = asked is not None and bool(asked.words) and is_plural(asked.words[-1], sought.question.locale)
    for low, high in linked:
        for first, last in runs if is_several else ():  # "twins, Ema and Ben"
            if 0 < first - high <= 1 and words[high].low in {",", *locale.joined}:
                high = last
        start, stop = reader.words[low].start, reader.words[high - 1].stop
        yield start, stop, sentence.text[start:stop]


def _of_noun(sentence: Sentence, sought: Sought) -> Iterator[Span]:
    """Yield the name or the distinguishing words of the question's noun: "my left knee", "the number 7 tram"."""
    named = list(_names(sentence, sought))
    yield from named
    noun, known = sought.question.noun, vocabulary(sentence.locale)
    for phrase in () if named else {p.start: p for each in sentence.read for p in each.clause.phrases}.values():
        if noun is None or not any(same_word(noun, word) for word in phrase.words[-1:]):
            continue
        first = phrase.words[-1].start  # of the words directly before the noun
        for word in reversed(phrase.words[:-1]):
            first = word.start if first - word.stop <= 1 else first
        small = known.determiners | sentence.locale.vague_adjectives | sentence.locale.all_numbers.keys()
        more = [word for word in phrase.words[:-1] if word.start >= first and word.low not in small]
        more = [word for word in more if not any(covers(each, roots_of(word)) for each in sought.known)]
        if more:
            yield more[0].start, phrase.stop, sentence.text[more[0].start : phrase.stop]


def _runs(reader: Reader, sought: Sought) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of names that are not words of the question."""
    at, words, locale = 0, reader.words, reader.locale
    while at < len(words):
        if not _may_be_name(reader, at, sought):
            at += 1
            continue
        end = at + 1
        while end < len(words):
            joins = words[end].low in PARTICLES | {"&", "."} and end + 1 < len(words)
            if words[end].text == "." and not reader.is_abbreviated(end - 1):
                break
            if _may_be_name(reader, end, sought):
                end += 1
            elif joins and _may_be_name(reader, end + 1, sought) and words[end].low not in locale.owner_links:
                end += 2
            else:
                break
        if reader.text[words[end - 1].stop :][:2] not in ("'s", "’s"):  # "Nora's boss" is not Nora
            yield at, end
        at = end


def _may_be_name(reader: Reader, at: int, sought: Sought) -> bool:
    word, locale = reader.words[at], reader.locale
    if word.text in union("titles") or (word.low in locale.abbreviations and word.text[0].isupper()):
        return True
    is_titled = at > 0 and reader.words[at - 1].text in union("titles")  # "Frau Koch"
    if not word.text[0].isupper() or not (is_titled or (reader.name_at(at) and not is_noun(word, locale))):
        return False
    if word.low in locale.seasons and at and reader.words[at - 1].text.islower():
        return False  # "nächsten Sommer"
    return not any(covers(roots_of(asked), roots_of(word)) for asked in sought.words)


def _is_name_of(reader: Reader, run: tuple[int, int], sought: Sought, sentence: Sentence) -> bool:
    """Return whether a name belongs to the question's subject: "our vet is Dr Kay", "a puppy called Bo"."""
    words, locale, known = reader.words, reader.locale, reader.known
    low, high = run
    gives = [any(each == ("name", "") for each in concepts_of(word, locale)) for word in words]
    small = known.be | locale.now_words | locale.change_words | locale.idle_adjectives | locale.articles
    small |= (
        people_words() - {word.low for word in sought.words}
        | {title.lower() for title in union("titles")}
        | known.determiners
        | locale.people_pronouns
        | known.third
        | frozenset({"'s", ",", ":", "(", "c'", "ce", "–"})
    )
    at, verb = low - 1, False
    owners = locale.owner_links - locale.articles
    while at >= 0 and (words[at].low in small or gives[at] or _is_time(reader, at)):
        if words[at].low in owners:
            return False  # "Les Voix de l'Erdre"
        verb = verb or gives[at] or words[at].low in known.be | {"'s", ":", "("}
        if gives[at] and at == low - 1 and all(covers(each, sentence.roots | sentence.turn) for each in sought.known):
            return True
        at -= 1
    is_open = high >= len(words) or not words[high].low[0].isalnum() or words[high].low in known.breaks - known.be
    if at >= 0 and _is_head(words[at], sought):
        return at == low - 1 or (not _is_led(reader, at) if verb else is_open)
    at, verb = high, False
    while at < len(words) and words[at].low in small:
        verb = verb or words[at].low in known.be | {"'s", ","}
        at += 1
    return at < len(words) and verb and _is_head(words[at], sought)


def _is_time(reader: Reader, at: int) -> bool:
    """Return whether a word between a noun and its name is part of a time: "our dentist, on Monday at 9, Dr Low"."""
    low = reader.words[at].low
    after = reader.words[at + 1 : at + 2]
    is_led = low in reader.locale.prepositions and any(w.low[0].isdigit() or w.low in reader.known.times for w in after)
    return low[0].isdigit() or low in reader.known.times or is_led


def _is_led(reader: Reader, at: int) -> bool:
    """Return whether the noun at an index follows a preposition: "the wifi at the shop is"."""
    determiners = reader.known.determiners | reader.locale.articles
    while at > 0 and (reader.words[at - 1].low in determiners or not reader.words[at - 1].low.isalpha()):
        at -= 1
    return at > 0 and reader.words[at - 1].low in reader.locale.prepositions - reader.locale.owner_links


def _is_head(word: Word, sought: Sought) -> bool:
    return any(covers(known, roots_of(word)) for known in sought.known) and word.low not in word_list("given")


_FIGURES = {"sums": _sums, "weights": _weights, "ages": _ages, "counts": _counts, "numbers": _numbers, "codes": _codes}
_OTHERS = {"times": _times, "clocks": _clocks, "durations": _durations, "names": _names, "places": _places}
_FINDERS: Mapping[str, Callable[[Sentence, Sought], Iterable[Span]]] = {**_FIGURES, **_OTHERS, "of noun": _of_noun}


def find(sentence: Sentence, sought: Sought) -> Iterable[Span]:
    """Return the values of the kind sought in a sentence, each with its span."""
    return _FINDERS[sought.kind](sentence, sought)
