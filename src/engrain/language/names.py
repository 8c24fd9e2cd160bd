"""Names in text: `named` returns capitalised and quoted names, `common` and `is_word` recognise ordinary words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from itertools import islice

from engrain.language import locales
from engrain.language.calendar import calendar_words
from engrain.language.locales import LOCALES, Locale, expression, language_of, one_of, template, union, word_list
from engrain.language.tokens import MOST, STOP, begins_sentence, each, is_stop, stem, words
from engrain.model.entities import NAME, Mention
from engrain.text import pattern

_LOWER, _UPPER = "a-zß-öø-ÿа-яёα-ωά-ώ", "A-ZÀ-ÖØ-ÞА-ЯЁΑ-ΩΆ-ΏŁŠŽČĐ"
_CAPITAL_INSIDE = pattern(rf"(?<=[{_LOWER},;:] )[\"“‘'(«„]?[{_UPPER}][{_LOWER}{_UPPER}]")
_INNER_CAPITAL = pattern(r"[a-zß-öø-ÿ][A-ZÀ-ÖØ-Þ]|[A-Z]{2,}[a-z]{2,}")
_PART = pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_WORD = pattern(r"[^\W\d_][^\W_]*(?:['’][^\W\d_]+)?")
_BEFORE_ADDRESSED, _AFTER_ADDRESSED = rf",\s+|\b(?i:{one_of(union('greetings'))})\s+", r"(?=\s*(?:[.!?,;…-]|$))"
_ADDRESSED = pattern(rf"(?:{_BEFORE_ADDRESSED})[{_UPPER}][{_LOWER}]+{_AFTER_ADDRESSED}", re.MULTILINE)
_DESCRIBES = template(
    r"^\W*(?:(?:{articles})\s+)?(?P<first>(?-i:[^\W_a-z])[\w.&'’/-]*)"
    r"(?:(?:\s+(?-i:[^\W_a-z])[\w.&'’/-]*){0,6}\s+\(|(?:\s+[\w.&'’/-]+){0,6}?\s+(?:{copulas})\s+(?:{articles})\b)"
)
_DESCRIBED = 200  # characters that must contain both
_SUFFIXES = ("'s", "’s", "s", "es", "ed", "d", "ing", "er", "ers", "ly", "y", "r", "rs", "al", "ness", "less", "ful")
_LONGEST_WORD = 32  # letters of an ordinary word
_REST = r"(?>(?:[\w&]|(?!['’]s(?!\w))['’.-](?=[^\W\d_]))*)"  # not "*+", which fails before Python 3.11.5
_SMALL = frozenset("of the and a an in on at to for de la van von with is".split())
_MOST_CHARACTERS = 160  # of capitalised words that may be a name
_BEFORE = 24  # characters of context before a name that give its type
_MAYBE_PLACE = "person or place"  # Paris, Florence: the word before decides
_SHORTENED = "|".join(rf"(?<=\b{word})" for word in sorted(union("name_abbreviations")))
_CAPITAL_WORD = rf"{_REST}(?:(?:(?<=\b[{_UPPER}])|{_SHORTENED})\.)?"  # after its first letter
_BODIES_OF = "|".join(f"(?<={word} )" for word in sorted(union("bodies_of")))
_RUNS = pattern(  # capitalised words; it begins with one character class, so that a search is a scan
    rf"[{_UPPER}](?<![\w@#/\\.&$%-][{_UPPER}]){_CAPITAL_WORD}"
    rf"(?>(?:(?: (?:(?:{_BODIES_OF})of(?: the)?|de|da|del|di|la|van|von|van der|van den|bin|al|&))?"
    rf" (?:[{_UPPER}]{_CAPITAL_WORD}|\d{{1,3}}(?![\w.:%/]))){{0,7}})"
)
_BODY = pattern(
    rf"(?:^| ){expression('bodies').pattern}\.?(?: of(?: the)? .+)?$|^{expression('leading_bodies').pattern} "
)
_QUOTED = pattern(r"[\"“„«]([A-Z0-9][^\"“”„»\n.!?;:]{1,58}[^\s\"“”„»\n.!?,;:])[\"”“»]")
# The context after a name that begins a sentence, but not after "Physio": "'s", ", a", "is a", "ships"
_AS_SUBJECT = template(
    rf"(?:,|\s+(?:{{copulas}}|was|were))\s+(?:{{articles+determiners}})\b|\s\(|/\w"
    rf"|,?\s+(?:(?:{{joined}})\s+)?(?-i:[{_UPPER}])"
    r"|\s+(?!(?:{copulas}|was|does|as|its|this|us)\b)(?:[a-z]+(?:s|ed)|{subject_verbs}|can|could|may)\b"
)
_NO_NAME = pattern(r".*(?:therapy|logy|ness|ment|tion|sion|ity|ship|ism|ance|ence|ing)", re.IGNORECASE)
_BEGUN = 400  # characters of a text that its language is detected from
_NOUN = "noun"  # a capitalised word that is not surely a name
_COMPOUND = pattern(r"(?<=\w\w)-(?:[a-z]{3,}(?:ed|ing)|like|style|wide|free|only|to|the|which)$")  # "Chromium-based"
_FIRST = pattern(r"(?:^|[.!?:;…]\s+|\n\s*|[-•]\s+)[\"'“‘(«„¿¡]*$")
_GOES_ON = pattern(rf"['’]s\b|\s+(?:and\s+)?[A-Z][a-z]|\s+(?:{one_of(union('subject_verbs'))})\b")  # as after a name
_BEFORE_NOUN = template(r"(?:\b(?:{articles+determiners}|\w+(?:en|er|es|em|ige|iche))|\d+[.,]?|,)\s+$")
_OPENERS = (
    union("articles", "determiners", "pronouns", "subordinating", "linking", "joined", "oneself")
    | {title.lower() for title in union("titles")}
) - calendar_words()
_PREFIX = 5  # letters two names must share to be forms of each other: Georgia, Georgian


def has_names(text: str) -> bool:
    """Return whether a text names an entity; a vocative does not count: "Thanks, Ana!"."""
    if language_of(text).has_noun_capitals:
        return next(capitalised(text), None) is not None
    plain = text.replace("’", "'")
    return bool(_CAPITAL_INSIDE.search(plain) and _CAPITAL_INSIDE.search(_ADDRESSED.sub(" ", plain)))


def addresses(text: str, name: str) -> bool:
    """Return whether a text addresses a person by a name: "Thanks, Ana!", "Ana, are you there?"."""
    called = rf"(?:^\W*|{_BEFORE_ADDRESSED}){re.escape(name)}{_AFTER_ADDRESSED}"
    return re.search(called, text, re.IGNORECASE | re.MULTILINE) is not None


def names_and_numbers(text: str) -> frozenset[str]:
    """Return the folded words of a text that contain a digit, or a capital that does not begin a sentence."""
    tokens = text.split()
    named = (
        token
        for token, first in zip(tokens, [True, *(token[-1:] in ".!?:;…\n" for token in tokens)], strict=False)
        if any(character.isdigit() for character in token) or (not first and token.strip("\"“‘'(«„")[:1].isupper())
    )
    return frozenset(word for token in named for word in words(token)) - STOP


def describes(text: str) -> bool:
    """Return whether a text begins with a name and its description: "Kestrel is a ...", "Kestrel (project): ..."."""
    locale = language_of(text)
    found = _DESCRIBES(locale).match(text[:_DESCRIBED])
    return found is not None and found["first"].casefold() not in locale.stop | locale.pronouns


@cache
def sorts() -> dict[str, frozenset[str]]:
    """Return the members of each category by its lower-case noun: a beagle is a dog."""
    found: dict[str, frozenset[str]] = {}
    for row in "\n".join(locales.word_file("sorts")).replace("\n ", " ").splitlines():
        nouns, words = (frozenset(part.split()) for part in row.split("|"))
        found.update((noun, found[noun] | words if noun in found else words) for noun in nouns)
    return found


def common(word: str) -> bool:
    """Return whether a lower-case word is common English in one of its usual forms."""
    return len(word) < _LONGEST_WORD and _common(word)


@lru_cache(8192)
def _common(word: str) -> bool:
    known = word_list("common")
    if word in known:
        return True
    for suffix in _SUFFIXES:
        if len(word) > len(suffix) + 2 and word.endswith(suffix):
            stem = word[: -len(suffix)]
            if stem in known or stem + "e" in known or (stem[-1] == "i" and stem[:-1] + "y" in known):
                return True
            if len(stem) > 3 and stem[-1] == stem[-2] and stem[:-1] in known:
                return True
    return False


def ordinary(word: str) -> bool:
    """Return whether a lower-case word is common English, a given or family name, or part of a place's name."""
    given, family, places = word_list("given"), word_list("family"), word_list("places", apart=True)
    return common(word) or word in given or word in family or word in places


def is_word(word: str, locale: Locale) -> bool:
    """Return whether a capitalised word may be an ordinary one: common in English, else no known name."""
    low = word.casefold()
    if locale.has_common_words:
        return common(low)
    return not any(low in word_list(each) for each in ("given", "family", "places"))


def is_given(name: str) -> bool:
    """Return whether a name is a given name, and no place."""
    return name.casefold() in word_list("given") and name.casefold() not in word_list("places")


@cache
def distinctive(name: str) -> bool:
    """Return whether a name cannot be confused with ordinary words.

    It has a digit, an inner capital, or a word that is neither common nor a given name. Single letters and acronyms of
    fewer than four letters do not count.
    """
    parts = _PART.findall(name)
    if any(char.isdigit() for char in name) and any(char.isalpha() for char in name) and len(name) > 3:
        return True
    if name.islower() and name.isalpha() and _is_compound(name):
        return False
    long = [part for part in parts if len(part) > 3 or (len(part) == 3 and not part.isupper())]
    if any(_INNER_CAPITAL.search(part) for part in long):
        return True
    return any(not ordinary(part.casefold()) and len(part) > 3 for part in long)


def _is_compound(word: str) -> bool:
    """Return whether a word consists of two ordinary words."""
    known = word_list("common")
    return any(word[:cut] in known and word[cut:] in known for cut in range(4, len(word) - 3))


def cased(written: str, read: str) -> bool:
    """Return whether the case of a written name allows a match with a known one: ordinary words need the same case."""
    if written.isalpha() and written.isupper():
        return read.isupper()
    if read != written and any(common(part.casefold()) for part in _PART.findall(written)):
        return False
    return not (read.islower() and read.isalpha() and written.istitle())


@cache
def _title(locale: Locale) -> re.Pattern[str]:
    titles = one_of(locale.titles | LOCALES["en"].titles)
    return re.compile(rf"^(?:(?:{titles})\b\.? )+")


def named(text: str) -> list[Mention]:
    """Return the names of a text, quoted ones first."""
    return [*quoted(text), *capitalised(text)]


def capitalised(text: str) -> Iterator[Mention]:
    """Yield the capitalised names of a text, without sentence openers, pronouns, days and words in all capitals.

    Where nouns are capitalised too, as in German, a name must be known, have the shape of one or be introduced.
    """
    loud, locale = None, language_of(text)
    for found in islice(_RUNS.finditer(text), 4 * MOST):
        if len(found[0]) > _MOST_CHARACTERS:
            continue
        for type_, name, begin, end, _ in _named(found[0], begins_sentence(text, found.start()), locale):
            start = found.start() + begin
            before = text[max(0, start - _BEFORE) : start]
            if type_ == _MAYBE_PLACE:
                type_ = "place" if expression("into_place", locale).search(before) else NAME
            if type_ == _NOUN:
                if not expression("name_cues", locale).search(before):
                    continue
                type_ = NAME
            if type_ == NAME and " " not in name:
                loud = _is_loud(text) if loud is None else loud
                if loud:
                    continue
            yield Mention(type_, name, start, found.start() + end)


def is_common(text: str, found: Mention) -> bool:
    """Return whether an apparent name is a common word or its abbreviation: "SHA", "Physio is on Friday".

    At the beginning of a sentence a word is a name if it is known, has the shape of one, or by its context.
    """
    word, low, locale = found.name, found.name.casefold(), language_of(text)
    if " " in word or not union("things").isdisjoint((low, low.removesuffix("s"))):
        return " " not in word
    known = low in word_list("given") or low in word_list("family") or low in word_list("places") or _is_shaped(word)
    if known or not locale.has_common_words or not begins_sentence(text, found.start):
        return False
    if text.startswith(("'s ", "’s "), found.end):
        return False
    is_english = not locale.stop.isdisjoint(text[:_BEGUN].lower().split())
    return not is_english or bool(_NO_NAME.fullmatch(word)) or _AS_SUBJECT(locale).match(text, found.end) is None


@lru_cache(4096)
def _named(run: str, opening: bool, locale: Locale) -> tuple[Mention, ...]:
    """Return the names in a run of capitalised words with their spans; `opening` if it begins a sentence."""
    if locale.has_common_words:
        low = run.casefold()
        if low in union("never_names") or (opening and " " not in run and common(low)):
            return ()
        name = _whole(run, *_trimmed(run, opening), locale)
        return () if name is None else (name,)
    found: list[Mention] = []
    for begin, end in _segments(run, locale):
        begin, end = _bare(run, begin, end, locale)
        at = run.find(" ", begin, end) + 1  # where a name follows its noun: "Projekt Kestrel"
        introduced = locale.has_noun_capitals and at and not _title(locale).match(run[begin:end])
        cued = at if introduced and expression("name_cues", locale).search(run[:at]) else 0
        name = _whole(run, cued or begin, end, locale)
        if name is None:
            continue
        is_typed = name.type not in (NAME, _MAYBE_PLACE)
        sure = cued or is_typed or not (locale.has_noun_capitals or (opening and begin == 0))
        given = any(part.casefold() in word_list("given") for part in name.name.split())
        if sure or given or _is_shaped(name.name) or name.type == _MAYBE_PLACE:
            found.append(name)
        elif locale.has_noun_capitals:
            found.append(name._replace(type=_NOUN))
    return tuple(found)


def _whole(run: str, begin: int, end: int, locale: Locale) -> Mention | None:
    """Return a part of a run as one name with its type; None if it is too short."""
    read = run[begin:end]
    if not read.endswith(("Inc.", "Ltd.", "Co.", "Corp.")):
        read = _COMPOUND.sub("", read).rstrip(".&")
    if len(read) < 3:
        return None
    type_ = _type(read, locale)
    return Mention(type_, _title(locale).sub("", read) if type_ == "person" else read, begin, begin + len(read))


def _segments(run: str, locale: Locale) -> Iterator[tuple[int, int]]:
    """Yield the span of a run, or of its two names joined by "of" or a genitive: "Hund von | Anna Schmidt"."""
    head, mark, rest = run.partition(" von " if locale.has_noun_capitals else " de ")
    given, first = word_list("given"), run.split(" ", 1)[0]
    bare = "" if first.casefold() in given or first[-1:] != "s" else first[:-1].casefold()  # not of "Jonas"
    if mark and head.split()[-1].casefold() not in given and not _BODY.search(run):
        yield 0, len(head)
        yield len(run) - len(rest), len(run)
    elif locale.has_noun_capitals and first != run and bare in given:  # "Lenas | Mann"
        yield 0, len(first) - 1
        yield len(first) + 1, len(run)
    else:
        yield 0, len(run)


def _bare(run: str, begin: int, end: int, locale: Locale) -> tuple[int, int]:
    """Return the span of a part of a run without words that are only sentence openers."""
    idle = locale.stop | locale.articles | locale.determiners | locale.pronouns | locale.verbs | union("never_names")
    while begin < end:
        word = run[begin:end].split(" ", 1)[0]
        if word.casefold().rstrip(".") not in idle or _title(locale).match(f"{word} "):
            break
        begin += len(word) + (begin + len(word) < end)
    while begin < end and run[begin:end].rpartition(" ")[2].casefold() in idle:
        end = max(begin, end - len(run[begin:end].rpartition(" ")[2]) - 1)
    return begin, end


def _is_shaped(name: str) -> bool:
    """Return whether a name has a digit, an inner capital, or only capitals."""
    return _INNER_CAPITAL.search(name) is not None or name.isupper() or any(map(str.isdigit, name))


def quoted(text: str) -> Iterator[Mention]:
    """Yield the quoted names of a text: every word except small ones has a capital."""
    if '"' in text or "“" in text or "«" in text or "„" in text:
        for found in each(_QUOTED, text):
            parts = found[1].split()
            named = all(part[0].isupper() or part[0].isdigit() or part in _SMALL for part in parts)
            single = len(parts) == 1 and (common(parts[0].casefold()) or parts[0].isdigit())
            if len(parts) < 8 and named and not single:
                yield Mention(NAME, found[1], found.start(1), found.end(1))


def _is_loud(text: str) -> bool:
    """Return whether a text is capitalised throughout, like a headline."""
    parts = text.split(None, 60)[:60]
    return len(parts) > 5 and sum([part[0].isupper() for part in parts]) > 0.7 * len(parts)


def _trimmed(text: str, opening: bool) -> tuple[int, int]:
    """Return the span of an English name without sentence openers, pronouns and exclamations at its edges."""
    start, end, never = 0, len(text), union("never_names")
    if _title(LOCALES["en"]).match(text):
        return start, end
    while start < end:
        word, _, rest = text[start:end].partition(" ")
        low = word.casefold().rstrip(".")
        idle = low in never or (("'" in low or "’" in low) and common(re.split("['’]", low)[0]))
        plain = common(low) or low in _SMALL
        is_opener = opening and not (rest and _BODY.search(rest))
        is_exclaimed = word.isupper() and len(word) > 1
        if not (idle or (plain and (is_opener or is_exclaimed))):
            break
        start += len(word) + (1 if rest else 0)
        opening = opening and plain
        while text[start:end].split(" ", 1)[0] in _SMALL and start < end:
            start += len(text[start:end].split(" ", 1)[0]) + 1
        start = min(start, end)
    while start < end:
        last = text[start:end].rpartition(" ")[2]
        if last.casefold() not in never and not (last.isdigit() and start + len(last) == end):
            break
        end = max(start, end - len(last) - 1)
    return start, end


def _type(read: str, locale: Locale) -> str:
    """Return the type of a name by its parts, `NAME` if they do not show it."""
    parts, low = read.split(" "), read.casefold()
    if _title(locale).match(read) and len(parts) > 1:
        return "person"
    if low in word_list("places"):
        return "place" if len(parts) > 1 or low not in word_list("given") else _MAYBE_PLACE
    if len(parts) > 1 and _BODY.search(read):
        return "organization"
    if 1 < len(parts) < 4 and parts[0].casefold() in word_list("given") and not common(parts[-1].casefold()):
        return "person"
    return NAME


def names(text: str) -> Iterator[str]:
    """Yield every word that may be a name, in lower case and without a genitive's s."""
    locale = language_of(text)
    for match in _WORD.finditer(text):
        word = match[0]
        if not word[0].isupper() or len(word) == 1 or word.lower() in _OPENERS:
            continue
        before = text[max(match.start() - 30, 0) : match.start()]
        if _FIRST.search(before) and (is_stop(word) or not _GOES_ON.match(text, match.end())):
            continue
        if locale.has_noun_capitals and _BEFORE_NOUN(locale).search(before):
            continue
        yield folded(word)


def folded(word: str) -> str:
    """Return a name in the form in which it is compared."""
    return re.sub(r"['’](?:s|$)", "", word.casefold())


def is_form_among(name: str, words: Collection[str]) -> bool:
    """Return whether words contain a name, or a form of it."""
    if name in words or stem(name) in words or (name.endswith("s") and name[:-1] in words):
        return True
    if len(name) < _PREFIX:
        return False
    return any(
        len(word) >= _PREFIX and (word.startswith(name) or name.startswith(word)) and abs(len(word) - len(name)) <= 3
        for word in words
    )


def colours_in(text: str) -> list[str]:
    """Return the words of a text that name colours."""
    return [low for low in re.findall(r"\w+", text.lower()) if {low, low.removesuffix("s")} & sorts()["colour"]]
