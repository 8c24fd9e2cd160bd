"""Write `engrain/language/wordlists/terms.txt`: index terms of German, Spanish and French words, by the English one.

    python -m training.index_terms

It is made of the tables of the locales and of the dictionary; run it when one of them changes, and give a new
`ANALYSER`. What is also an English word, a name or a stop word, is too short or has several translations is left out.
"""

from __future__ import annotations

from pathlib import Path

import Stemmer

import engrain.language
from engrain.language.locales import LOCALES, dictionary, in_english, union, word_list
from engrain.language.tokens import BASE, fold, stem

SHORTEST = 4
"""The least number of characters of a word that is translated."""
FILE = Path(str(engrain.language.__file__)).parent / "wordlists" / "terms.txt"
HEAD = "# An English stem, then those of the words in other languages that mean it. Made by training/index_terms.\n"


def index_terms() -> dict[str, str]:
    """Return the English stem for the stem of each word with one translation."""
    stemmer = Stemmer.Stemmer("english", 0)
    names = word_list("given") | word_list("family")
    pairs = [
        (fold(word), english)
        for locale in LOCALES.values()
        for words in (dictionary(locale),)
        for word, english in (words["verbs"] | words["general"] | in_english(locale)).items()
        if locale is not LOCALES["en"] and len(word) >= SHORTEST and f"{word}{english}".isalpha() and word not in names
    ]
    taken = word_list("common") | BASE.keys()
    taken |= {*stemmer.stemWords([*word_list("common"), *map(fold, union("stop"))])}
    found, ambiguous = dict[str, str](), set[str]()
    for (word, english), term in zip(pairs, stemmer.stemWords([word for word, _ in pairs]), strict=True):
        if taken.isdisjoint((word, term)) and found.setdefault(term, to := stem(english)) != to:
            ambiguous.add(term)
    return {term: to for term, to in found.items() if term not in ambiguous and term != to}


def written(found: dict[str, str]) -> str:
    """Return the text of the file."""
    by_stem: dict[str, list[str]] = {}
    for term, english in sorted(found.items()):
        by_stem.setdefault(english, []).append(term)
    return HEAD + "".join(f"{' '.join((english, *terms))}\n" for english, terms in sorted(by_stem.items()))


if __name__ == "__main__":
    FILE.write_text(written(index_terms()), encoding="utf-8")
