"""The text analyser: the `Analyzer` protocol, the rule-based default, and `use_analyzer`, which replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple, Protocol, runtime_checkable

from engrain.language.cues import denies
from engrain.language.locales import has_any, language_of
from engrain.language.names import named
from engrain.language.statements import Statement, read
from engrain.language.times import TimeSpan, time_spans
from engrain.language.tokens import Place, clauses, sentence_places
from engrain.model.entities import Mention

_METHODS = ("name", "language", "sentences", "clauses", "times", "names", "statement")


class Clause(NamedTuple):
    """A clause `text[start:stop]` of a sentence; `hypothetical` where it is possible, asked or wished, not asserted."""

    start: int
    stop: int
    negative: bool = False
    hypothetical: bool = False


@runtime_checkable
class Analyzer(Protocol):
    """Analyses text; `engrain.language.analyzer.use_analyzer` replaces the built-in rules by another implementation.

    Positions are character indices into the given text, ends exclusive, in order. A method never raises for any text:
    it omits what it cannot parse. Methods are called from several threads at once.

    `name` identifies the analyser in results. `language` returns the ISO 639-1 code of a text's language, "en" if
    unsure. `sentences` returns the spans of a text's sentences, which are contiguous. `clauses` returns the
    clauses of one sentence. `times` returns the time expressions of a text, resolved against the moment `said`, which
    has an offset. `names` returns mentions of people, organisations, places and untyped names (type "name") with their
    spans, without addresses and dates. `statement` parses one sentence as `engrain.language.statements.Statement`:
    `speaker` resolves "I", and without one no first person is resolved; `languages` are the codes that may be used.
    """

    @property
    def name(self) -> str: ...
    def language(self, text: str) -> str: ...
    def sentences(self, text: str) -> Sequence[tuple[int, int]]: ...
    def clauses(self, sentence: str) -> Sequence[Clause]: ...
    def times(self, text: str, said: datetime) -> Sequence[TimeSpan]: ...
    def names(self, text: str) -> Sequence[Mention]: ...
    def statement(self, text: str, *, speaker: str | None = None, languages: Sequence[str] = ...) -> Statement: ...


class BuiltInAnalyzer:
    """Implements `engrain.protocols.Analyzer` for English, German, Spanish and French by rules."""

    name = "rules"
    sentences: staticmethod[..., tuple[Place, ...]] = staticmethod(sentence_places)
    times: staticmethod[..., list[TimeSpan]] = staticmethod(time_spans)
    names: staticmethod[[str], list[Mention]] = staticmethod(named)
    statement: staticmethod[..., Statement] = staticmethod(read)

    def language(self, text: str) -> str:
        """Return the code of the language of a text."""
        return language_of(text).code

    def clauses(self, sentence: str) -> list[Clause]:
        """Return the clauses of a sentence."""
        found = ((place, sentence[slice(*place)]) for place in clauses(sentence))
        return [Clause(*place, denies(part), has_any(part, "hypothetical")) for place, part in found]


BUILT_IN = BuiltInAnalyzer()


class _InUse:
    """The analyser of this process."""

    analyzer: Analyzer = BUILT_IN


in_use: Final = _InUse()


def use_analyzer(own: Analyzer | None) -> None:
    """Replace the analyser of this process, for every manager in it.

    It provides the entities of new memories, the facts extracted from their texts, and what they change. Index terms do
    not depend on it: they must be the same in a store and in its queries.

    Args:
        own: An object that implements `engrain.protocols.Analyzer`; None restores the built-in one.

    Raises:
        TypeError: It lacks a method of the protocol.
    """
    if own is not None and not isinstance(own, Analyzer):
        missing = [part for part in _METHODS if not hasattr(own, part)]
        raise TypeError(f"{type(own).__name__} is no analyser: it lacks {', '.join(missing)}")
    in_use.analyzer = own or BUILT_IN
