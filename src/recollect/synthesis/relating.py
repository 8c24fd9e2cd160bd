"""Whether memories bear out a relation: its ends are named in them, and its word, or one of its kind, stands there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.synthesis.denial import contradicts
from recollect.synthesis.figures import plain
from recollect.synthesis.founded import Ground
from recollect.words import content_pairs, is_stop, stem, words

_KINDS = tuple(
    frozenset(map(stem, group.split()))
    for group in """
    married marry marries wed wedding wife husband spouse partner engaged
    work works job employed employer hired team colleague join joined start started engineer boss manager staff role
    live lives lived reside home house moved move stay based located location address city
    own owns has have pet bought buy buys belong possess got cat cats dog dogs
    parent child children son daughter mother father mum mom dad
    sister brother sibling twin
    relative family cousin aunt uncle grandmother grandfather niece nephew
    friend friends mate buddy
    like likes love loves prefer enjoy favourite favorite interested fan
    lead leads manage manages manager boss report reports head director ceo runs
    know knows meet met acquainted
    use uses used using tool runs
    study studies studied student learn university school attends attended
    visit visited travel travelled trip went go
    make made create created build built write wrote written author develop developed
    """.strip().splitlines()
)
_PLAIN = frozenset(map(stem, "related relates associated connected linked with about mentions mentioned".split()))


def is_named(name: str, held: Ground) -> bool:
    """Say whether a memory, or whoever says it, has a name as whole words; a word such as "an" is no name."""
    text = plain(name).casefold()
    if not text or all(map(is_stop, text.split())) or not content_pairs(text):
        return False
    if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", held.text):
        return True
    parts = words(text)
    return (bool(parts) and (all(part in held.names for part in parts) and len(parts) == 1)) or _unspaced(
        text, held.text
    )


def _unspaced(name: str, text: str) -> bool:
    return not name.isascii() and ord(max(name)) > _UNSPACED and name in text


_UNSPACED = 0xDFF  # from here on come the scripts that part no words


def is_borne(source: str, relation: str, target: str, held: Sequence[Ground]) -> bool:
    """Say whether memories state a relation, as far as their words show it."""
    if source.casefold() == target.casefold():
        return False
    if not all(any(is_named(end, each) for each in held) for end in (source, target)):
        return False
    said = relation.replace("_", " ")
    terms = {term for _, term in content_pairs(said)} - _PLAIN
    there = frozenset(term for each in held for term in each.terms)
    kinds = [kind for kind in _KINDS if not kind.isdisjoint(terms)]
    if terms and terms.isdisjoint(there) and all(kind.isdisjoint(there) for kind in kinds):
        return False
    return not contradicts(f"{source} {said} {target}", [each.clauses for each in held])
