"""Answering: what is remembered, told as an answer that cites."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engrain.lazy import Later
from engrain.manager.recalling import Recalling, bound
from engrain.model.filters import Test, reachable
from engrain.model.memory import Memory, Status
from engrain.model.results import Format, Synthesis
from engrain.read.entities import Sight
from engrain.read.history import Standpoint, reading, shown, standpoint
from engrain.read.recall import recall as find
from engrain.read.request import select
from engrain.storage.rows import Record

if TYPE_CHECKING:
    from engrain.synthesis import answer as answering
    from engrain.synthesis import checking
    from engrain.synthesis import checking as grading
else:
    answering, checking, grading = [
        Later("engrain.synthesis.answer"),
        Later("engrain.synthesis.checking"),
        Later("engrain.synthesis.checking"),
    ]


class Answering(Recalling):
    """The methods that compose answers, and hold them to their sources."""

    def synthesize(
        self,
        /,
        query: str,
        *,
        format: str = Format.DIRECT_ANSWER,
        k: int = 10,
        tier_filter: Iterable[str] | None = None,
        **filters: Any,
    ) -> Synthesis:
        """Answer a question from memories, with the sources of every sentence quoted word for word.

        `format` is `direct_answer`, `synthesized_brief` (a summary and key points), `timeline_analysis` (dated events
        in order) or `relationship_map` (names and how they are related). `tier_filter` names the tiers that it may
        rest on (None: `settings.synthesis_tiers`), `k` how many memories are looked at, `filters` are those of
        `recall`. The model in force tells the answer, held to what it cites; without one, or when it fails,
        `metadata.model_used` is `offline` and the answer is made of the memories' own sentences. It abstains when no
        memory is relevant enough (`settings.abstain_below`, at least .3): then `metadata.abstained` is True and
        nothing is said. Quarantined memories are no evidence: asking for them is a `ValueError`.
        """
        form = _format(format)
        if "tiers" in filters:
            raise TypeError("synthesize takes tier_filter, not tiers")
        if filters.get("include_quarantined"):
            raise ValueError("an answer does not rest on quarantined memories: validate them first, or recall them")
        tiers = tuple(self.settings.synthesis_tiers if tier_filter is None else _tiers(tier_filter))
        given = bound(query, {**filters, "k": k, "tiers": tiers})
        request = self._asked(given)
        at = standpoint(self._engine, **{name: given[name] for name in ("now", "as_of", "known_at")})
        sight = Sight(self._engine, select(self._scope, shown(at), shared=given["shared"]), at)
        question = answering.Question(
            form=form, tiers=tiers, scope=self._scope, sight=sight, standpoint=_kept(at, given)
        )
        answer = answering.synthesize(self._engine, question, find(self._engine, request), now=request.now)
        cited = [source["memory_id"] for source in answer.sources if source["cited"]]
        if cited and given["touch"] and not self._engine.store.read_only:
            self._accesses.add(self._scope.org, cited, self._engine.clock.now())
            self._worker.wake()
        return answer

    def validate_synthesis(self, synthesis: Synthesis | Mapping[str, Any]) -> tuple[bool, list[str]]:
        """Hold an answer to what it cites, and say what is wrong with it: `(True, [])` when nothing is.

        Its confidence is a number from .3 to 1; its 1 to 20 sources are memories that this view knows, in
        force and not held back; each quote stands in its memory word for word; every sentence cites them, and its
        names, figures and dates are theirs. `metadata.standpoint` says from which time they are read: by default now.
        What is inside the mapping may be anything: it is told, never raised.
        """
        errors = checking.errors_of(synthesis, self._quotable)
        return not errors, errors

    def check_synthesis_quality(self, synthesis: Synthesis | Mapping[str, Any]) -> dict[str, Any]:
        """Grade an answer: `score` from 0 to 1, and `grade` EXCELLENT (.8), GOOD (.5) or NEEDS_WORK.

        .4 x min(1, confidence / .7) + .3 x min(1, sources / 5) + .3 if it says anything. This is its form, not its
        truth: `validate_synthesis` looks at what it cites.
        """
        return grading.quality(synthesis)

    def _quotable(self, ids: Sequence[str], metadata: Mapping[str, Any]) -> dict[str, checking.Standing]:
        """Return the memories that an answer of this view may name, the organisation's common ones among them.

        They are in the words, and in force or not, as they were from the standpoint that the answer was asked from.
        """
        held = metadata.get("standpoint")
        asked = held if isinstance(held, Mapping) else {}
        at = standpoint(self._engine, **{name: asked.get(name) for name in _TIMES})
        able = tuple(dict.fromkeys(each for each in ids if _is_id(each)))
        if not able:
            return {}
        walls = replace(reachable(self._scope), shared=True).but(Test("id", "in", able))
        conditions = shown(at, exclude_superseded=asked.get("exclude_superseded") is not False)
        with reading(self._engine.store, walls, at.known_at) as reader:
            found = reader.find(Record, walls.but(Test("status", "ne", Status.FORGOTTEN)))
            live = {record.memory.id for record in reader.find(Record, walls.but(*conditions))}
        return {
            record.memory.id: checking.Standing(
                record.memory, "" if record.memory.id in live else _wrong(record.memory, at)
            )
            for record in found
        }


_TIMES = ("now", "as_of", "known_at")
_LONGEST_ID = 1000  # characters


def _kept(at: Standpoint, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the standpoint of a question as JSON keeps it."""
    times = {name: getattr(at, name) if given[name] is not None else None for name in _TIMES}
    told = {name: None if time is None else time.isoformat() for name, time in times.items()}
    return {**told, "exclude_superseded": bool(given["exclude_superseded"])}


def _is_id(given: str) -> bool:
    """Say whether a text may be an id: a lone surrogate is in none."""
    return len(given) <= _LONGEST_ID and not any("\ud800" <= character <= "\udfff" for character in given)


def _wrong(memory: Memory, at: Standpoint) -> str:
    """Say why a memory may not be quoted from a standpoint."""
    if memory.status is Status.QUARANTINED:
        return "is held back (quarantined), and no evidence"
    if memory.status is Status.EXPIRED or (memory.expires_at is not None and memory.expires_at <= at.clock):
        return "has expired"
    if memory.is_superseded_at(at.valid_at):
        return "was superseded since"
    return "is not in force"


def _format(given: object) -> Format:
    try:
        return Format(str(given))
    except ValueError:
        raise ValueError(f"format is {given!r}: one of {', '.join(Format)}") from None


def _tiers(given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    tiers = tuple(given)
    if not tiers:
        raise ValueError("tier_filter is empty: name one or more of A, B and C, or leave it out")
    return tiers
