"""What a text is judged by, and how strictly: the sum of its signs within one stretch, a trained model, its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engrain.model.memory import SourceType
from engrain.security.injection.folding import SPACED, decoded, folded, packed
from engrain.security.injection.model import loudness
from engrain.security.injection.signs import (
    HIDES,
    IGNORE_PREVIOUS,
    LIMITS,
    OUTPUT,
    PERSONA,
    ROLE_MARKUP,
    Found,
    has_command,
    has_payload,
    has_roles,
    shapes,
    table_signs,
)

THRESHOLDS: Mapping[SourceType, float] = {
    SourceType.SYSTEM: 0.8,
    SourceType.USER_INPUT: 0.8,
    SourceType.LLM_GENERATED: 0.4,
    SourceType.TOOL_RESULT: 0.4,
    SourceType.EXTERNAL_DATA: 0.35,
}
"""The least score that holds a text back; from the two most trusted only the signs that always count add to it."""
BLOCK = 500
"""Characters of a block: signs add up within two that follow each other, and never over a whole document."""
READS_LIKE = "reads like an attack"
_SURE = 1.0  # a score at which the model is not asked
_QUIET = 0.05  # what each step that the model is quieter than a coin toss takes from the score of the signs
_QUIETEST = -3.0
_ALONE = 0.6  # how much louder the model has to be where a text wishes for nothing but the manner of answers
_IN_PLAY = {PERSONA: 0.4, LIMITS: 0.4, OUTPUT: 0.5}  # shares of the weights: harmless fiction has roles and lines too
_FEW, _BESIDE = 6, 40  # letters that filling is made of, and characters of text beside it that say nothing
_TRUSTED = (SourceType.SYSTEM, SourceType.USER_INPUT)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """How much a text looks like an attack on its reader, and by which signs; heaviest first."""

    score: float = 0.0
    reasons: tuple[str, ...] = ()
    flagged: bool = False


CLEAR = Suspicion()


def judge(text: str, source_type: SourceType = SourceType.USER_INPUT) -> Suspicion:
    """Judge a text as one from such a source; takes time linear in the text, and never raises.

    What the model says is added to the signs, but for the most trusted sources, of which only plain signs are held.
    Wishes that a language model wrote down are those of its user, unless there is more in the text.
    """
    found, bar = list(_all_signs(text)), THRESHOLDS[source_type]
    if source_type in _TRUSTED:
        found = [each for each in found if each.always]
    if source_type is SourceType.LLM_GENERATED and _only_wishes(found) and not has_payload(text):
        found, bar = [], bar + _ALONE
    score, reasons = _heaviest(found)
    if source_type not in _TRUSTED and score < _SURE:
        score, reasons = _weighed(text, score, reasons)
    return Suspicion(score, reasons, score >= bar - 1e-9) if reasons else CLEAR


def suspicions(text: str, source_type: SourceType = SourceType.USER_INPUT) -> tuple[str, ...]:
    """Return why a text from such a source is held back, nothing for nearly every text."""
    judged = judge(text, source_type)
    return judged.reasons if judged.flagged else ()


def _only_wishes(found: list[Found]) -> bool:
    return bool(found) and all(each.wish for each in found)


def _weighed(text: str, score: float, reasons: tuple[str, ...]) -> tuple[float, tuple[str, ...]]:
    """Return the score and the signs of a text with what the model makes of it."""
    loud = loudness(text)
    if loud > 0:
        return score + loud, (*reasons, READS_LIKE)
    return max(score + _QUIET * max(loud, _QUIETEST), 0.0), reasons


def _all_signs(text: str) -> Iterator[Found]:
    """Yield the signs of a text, and of what it hides, each where it stands."""
    main = folded(text)
    yield from _signs("\n" + main)
    for view in decoded(main):
        yield from _signs("\n" + folded(view))
    for place, piece in packed(main):
        yield Found(place, HIDES, 0.5)
        yield from (each._replace(place=place) for each in _signs("\n" + folded(piece)))
    spelled = SPACED.search(text) if len(main) + 8 < len(text) else None
    if spelled and len(spelled[0]) > 20 and not _fills(text, spelled[0]):
        yield Found(spelled.start(), HIDES, 0.6)


def _fills(text: str, spelled: str) -> bool:
    """Say whether a few letters, again and again, are all that there is: nothing is hidden in them or behind them."""
    return len(set(spelled.casefold())) <= _FEW and len(text) - len(spelled) <= _BESIDE


def _signs(view: str) -> Iterator[Found]:
    """Yield every sign of one view of the text."""
    small = view.lower()
    if (place := has_roles(view, small)) is not None:
        yield Found(place, ROLE_MARKUP, 1.0, always=True)
    if (place := has_command(small)) is not None:
        yield Found(place, IGNORE_PREVIOUS, 1.0, always=True)
    yield from table_signs(small)
    yield from shapes(view)


def _heaviest(found: Iterable[Found]) -> tuple[float, tuple[str, ...]]:
    """Return the score and the signs of the stretch in which most weight comes together."""
    blocks: dict[int, dict[str, Found]] = {}
    for each in found:
        block = blocks.setdefault(each.place // BLOCK, {})
        if each.reason not in block or block[each.reason].weight < each.weight:
            block[each.reason] = each
    best = 0.0
    together: tuple[str, ...] = ()
    for number, block in blocks.items():
        both = [*block.values(), *blocks.get(number + 1, {}).values()]
        heaviest: dict[str, Found] = {}
        for each in sorted(both, key=lambda one: (-one.weight, one.place)):
            heaviest.setdefault(each.reason, each)
        shares = _IN_PLAY if PERSONA in heaviest or LIMITS in heaviest else {}
        score = sum(each.weight * shares.get(each.reason, 1) for each in heaviest.values())
        if score > best:
            best, together = score, tuple(heaviest)
    return best, together
