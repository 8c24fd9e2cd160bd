"""The analyser in use: the built-in one, or one with a model of its own that takes its place."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from engrain.language import dates, names, polarity, sentences, statements
from engrain.language.locales import language_of
from engrain.model.entities import Mention
from engrain.protocols import Analyzer, Clause, TimeSpan


class BuiltInAnalyzer:
    """Reads English, German, Spanish and French by rules, with no model and no download.

    Implements `engrain.protocols.Analyzer`; what it returns is described there.
    """

    name = "rules"

    def language(self, text: str) -> str:
        return language_of(text).code

    def sentences(self, text: str) -> list[tuple[int, int]]:
        return sentences.sentence_places(text)

    def clauses(self, sentence: str) -> list[Clause]:
        found = ((place, sentence[slice(*place)]) for place in sentences.clauses(sentence))
        return [Clause(*place, polarity.denies(part), polarity.is_hypothetical(part)) for place, part in found]

    def times(self, text: str, said: datetime) -> list[TimeSpan]:
        return [TimeSpan(each.start, each.stop, *each.window) for each in dates.time_mentions(text, said)]

    def names(self, text: str) -> list[Mention]:
        return [*names.quoted(text), *names.capitalised(text)]

    def statement(
        self, text: str, *, speaker: str | None = None, languages: Sequence[str] = ("en", "de", "es", "fr")
    ) -> statements.Statement:
        return statements.read(text, speaker=speaker, languages=languages)


BUILT_IN = BuiltInAnalyzer()
_in_use: list[Analyzer] = [BUILT_IN]


def analyzer() -> Analyzer:
    """Return the analyser that this process uses."""
    return _in_use[-1]


def use_analyzer(own: Analyzer | None) -> None:
    """Use an analyser from now on, for every manager of this process.

    Entities of new memories, facts read from their texts, and what they change come from it. Index terms do not: they
    have to be the same in a store and in its questions.

    Args:
        own: Any object of the protocol `engrain.protocols.Analyzer`; None for the built-in one.

    Raises:
        TypeError: It lacks a method of the protocol.
    """
    if own is not None and not isinstance(own, Analyzer):
        missing = [part for part in _PARTS if not hasattr(own, part)]
        raise TypeError(f"{type(own).__name__} is no analyser: it lacks {', '.join(missing)}")
    _in_use[:] = [own or BUILT_IN]


_PARTS = ("name", "language", "sentences", "clauses", "times", "names", "statement")
