"""The analyser of text: the protocol, the built-in rules behind it, and the one that this process uses."""

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


class Clause(NamedTuple):
    """A clause `text[start:stop]` of a sentence: whether it negates, and whether it is possible, asked or wished."""

    start: int
    stop: int
    negative: bool = False
    hypothetical: bool = False


@runtime_checkable
class Analyzer(Protocol):
    """Reads what a text states; `engrain.language.analyzer.use_analyzer` puts one in place of the built-in rules.

    Places are indices of characters of the text that was given, ends exclusive, in order. A method never raises for a
    text, however odd: what it cannot read it leaves out. Several threads call at once.

    `name` names the analyser, as results credit it. `language` returns the ISO 639-1 code of a text's language, "en"
    in doubt. `sentences` returns where the sentences of a text are, one after the other without a gap. `clauses`
    returns the clauses of one sentence. `times` returns the times that a text names, read at the moment `said`, which
    has an offset. `names` returns people, organisations, places and mere names (type "name"), without addresses and
    dates, where each is. `statement` reads a text of one sentence as an `engrain.language.statements.Statement`:
    `speaker` is who "I" is, without one no first person is understood; `languages` are the codes that may be read.
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
    sentences: staticmethod[..., list[Place]] = staticmethod(sentence_places)
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
    """The analyser that this process uses."""

    analyzer: Analyzer = BUILT_IN


in_use: Final = _InUse()


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
        missing = [part for part in _METHODS if not hasattr(own, part)]
        raise TypeError(f"{type(own).__name__} is no analyser: it lacks {', '.join(missing)}")
    in_use.analyzer = own or BUILT_IN


_METHODS = ("name", "language", "sentences", "clauses", "times", "names", "statement")
