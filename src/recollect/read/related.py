"""Finding candidates by the graph: who the question names, under any name, and what those have to do with others."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from recollect.entities import NAME, Named
from recollect.filters import Filter
from recollect.graph.candidates import may_mean
from recollect.graph.extraction import mentioned
from recollect.graph.lens import Lens, Moment
from recollect.graph.packs import Packs
from recollect.graph.walking import Bond, bonds
from recollect.numeric import Floats, Ints, np
from recollect.protocols import Reader
from recollect.read.query import Question
from recollect.words import is_stop, query_terms

HOPS = 2
DECAY = (1.0, 1 / 2, 1 / 3)  # what a memory scores that is so many hops away
MOST = 50  # memories that the graph brings along
_WIDE = 16  # entities that are looked around from at each hop
_HUB = 64  # mentions from which on an entity is in so much that it tells nothing
_BESIDE = 16  # of them that are looked at for who else is named there
_AT_ONCE = 100  # memories that are asked whether they may be seen
_LONGEST = 4  # words of a name that a question is searched for
_WORDS = 64  # of a long question
_TOKEN = re.compile(r"[^\s\"“”(),;:?!]+")


@dataclass(frozen=True, slots=True)
class Related:
    """What the graph found: rows in order, their scores in 0..1, and for each which of the question's words it answers.

    A memory about an entity that the question names answers the words of the name, whatever name it uses itself.
    """

    nums: Ints
    scores: Floats
    answered: Mapping[int, frozenset[str]] = field(default_factory=dict)
    names: tuple[str, ...] = ()


def nothing() -> Related:
    """Return what the graph finds that knows nobody."""
    return Related(np.zeros(0, np.int64), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Outlook:
    """How the graph is seen: what is evidence (`seen`), when, and by which packs a question is read."""

    seen: Filter
    moment: Moment
    packs: Packs


def by_graph(reader: Reader, question: Question, where: Filter, sight: Outlook) -> Related:
    """Return the memories about the entities that a question names, then about those in their reach.

    What is asked for bounds what is found, and not the evidence that leads there.
    """
    packs, lens = sight.packs, Lens(reader, sight.packs, sight.seen, sight.moment)
    seeds = _seeds(lens, question, packs)
    if not seeds:
        return nothing()
    scores, answered = dict[int, float](), dict[int, frozenset[str]]()
    reach = dict.fromkeys(seeds, 1.0)
    seen = set(seeds)
    for hop in range(HOPS + 1):
        if not reach:  # nobody is left, or all of them are in too much
            break
        told = _mentions(lens, reach)
        reach = {node: share for node, share in reach.items() if node in told}
        for node, nums in told.items():
            worth = DECAY[hop] * reach[node] / (1 + math.log10(max(len(nums), 1)))
            for num in nums:
                scores[num] = max(scores.get(num, 0.0), worth)
                if hop == 0:
                    answered[num] = answered.get(num, frozenset()) | seeds[node]
        if hop < HOPS and reach:
            reach = _reach(bonds(lens.around(reach, most=_BESIDE)), reach, seen)
            seen |= reach.keys()
    return _best(lens, where, scores, answered, seeds)


def _seeds(lens: Lens, question: Question, packs: Packs) -> dict[int, frozenset[str]]:
    """Return the entities that a question names that somebody knows, each with the terms of its name there."""
    texts = {Named(NAME, text): text for text in _spans(question.text)}
    for mention in mentioned(question.text, domain="", packs=packs):
        texts[Named(mention.type, mention.name)] = question.text[mention.start : mention.end]
    spoken = {question.terms[place] for place in question.name_terms}  # who speaks is looked at elsewhere
    terms = {named: frozenset(query_terms(text)) for named, text in texts.items()}
    wanted = [named for named in texts if not terms[named] <= spoken]
    found: dict[int, frozenset[str]] = {}
    for named, node in zip(wanted, lens.found(wanted), strict=True):
        if node is not None and may_mean(lens.entity(node).type, named):
            found[node] = found.get(node, frozenset()) | terms[named]
    return found


def _spans(text: str) -> Iterable[str]:
    """Yield what may be a name in a question, whatever its case: runs of words with no stop word at either end."""
    tokens = [token.strip(".'’") for token in _TOKEN.findall(text)[:_WORDS]]
    stops = [not token or is_stop(token.casefold().removesuffix("'s")) for token in tokens]
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + _LONGEST, len(tokens)) + 1):
            if not stops[start] and not stops[end - 1]:
                yield " ".join(tokens[start:end]).removesuffix("'s").removesuffix("’s")


def _mentions(lens: Lens, nodes: Collection[int]) -> dict[int, list[int]]:
    """Return the memories about each of some entities, but of those that are in too many."""
    return {node: nums for node, nums in lens.mentions(nodes, _HUB).items() if len(nums) < _HUB}


def _reach(found: Sequence[Bond], reach: Mapping[int, float], seen: set[int]) -> dict[int, float]:
    """Return the entities one step on, each with how strongly it is tied; the strongest few."""
    degree: dict[int, int] = {}
    for bond in found:
        for end in (bond.source, bond.target):
            degree[end] = degree.get(end, 0) + 1
    ties: dict[int, float] = {}
    for bond in found:
        for one, other in ((bond.source, bond.target), (bond.target, bond.source)):
            if one in reach and other not in seen:
                worth = reach[one] * bond.weight / math.sqrt(degree[one])
                ties[other] = max(ties.get(other, 0.0), worth)
    best = sorted(ties, key=lambda node: (-ties[node], node))[:_WIDE]
    return {node: ties[node] for node in best}


def _best(
    lens: Lens, where: Filter, scores: Mapping[int, float], answered: Mapping[int, frozenset[str]], seeds: Iterable[int]
) -> Related:
    order, best = sorted(scores, key=lambda num: (-scores[num], -num)), list[int]()
    while order and len(best) < MOST:
        some, order = order[:_AT_ONCE], order[_AT_ONCE:]
        living = lens.reader.living(some, where)
        best += [num for num in some if num in living]
    best = best[:MOST]
    nums = np.array(sorted(best), np.int64)
    # What names the entity has its words already, whatever name it uses: the graph adds what is further away.
    shares = np.array([0.0 if num in answered else scores[num] for num in sorted(best)], np.float32)
    return Related(nums, shares, answered, tuple(lens.entity(node).name for node in seeds))
