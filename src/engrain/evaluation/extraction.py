"""How well names and relations are read in reports of threats, held against what people marked in them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from engrain.chat.logs import read_json
from engrain.graph.extraction import Extracted, extracted
from engrain.graph.packs import Packs
from engrain.model.entities import name_key, relation_name

RULE = (
    "An entity matches strictly when its name key equals a marked one's without its article; "
    "leniently when the words of "
    "one name are all in the other, or half of all their words are shared. A relation matches when "
    "both ends do leniently, "
    "in this order; of the same meaning when the verb belongs to the same group too. A marked one matches once."
)

_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_MEANINGS = {
    "uses": "us(?:e|es|ed|ing)|utili|leverag|employ|deploy|abus|rel(?:y|ies) on",
    "exploits": "exploit|abus|us(?:e|es|ed|ing)|weaponi",
    "targets": "target|attack|hit|compromis|breach|impersonat|infect|focus|against",
    "discovered": "discover|found|identif|report|disclos|warn|observ|track|analy|document|detail|spot|uncover",
    "patched": "patch|fix|releas|address|updat",
    "delivers": "deliver|distribut|spread|drop|load|deploy|install|retriev|push",
    "drops": "drop|deliver|install|deploy",
    "downloads": "download|retriev|fetch|deliver",
    "develops": "develop|creat|wr[io]te|author|operat",
    "developed": "develop|creat|wr[io]te|author|designed",
    "attributed_to": "attribut|link|associat|tied|connect|affiliat|believed|sponsor|back",
    "affects": "affect|impact|vulnerab|in$|exist",
    "part_of": "part|member|component|belong|splinter|module",
    "variant_of": "variant|version|fork|based on|evol|rebrand|successor|derived",
    "conducts": "conduct|launch|carr|behind|orchestrat|perform",
    "communicates_with": "communicat|connect|contact|beacon|exfiltrat",
    "indicates": "indicat|associat|us(?:e|ed)|belong",
    "based_in": "based|located|operat|headquarter|from",
    "causes": "caus|led|lead|result|trigger|allow",
    "occurred_on": "on$|in$|since|releas|discover|disclos|activ",
}


@dataclass(frozen=True, slots=True)
class Share:
    """What was found against what was marked, and how many of them match."""

    found: int
    marked: int
    matched: int

    @property
    def precision(self) -> float:
        """The share of what was found that was marked."""
        return self.matched / (self.found or 1)

    @property
    def recall(self) -> float:
        """The share of what was marked that was found."""
        return self.matched / (self.marked or 1)

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.matched / ((self.found + self.marked) or 1)


@dataclass(frozen=True, slots=True)
class ExtractionFigures:
    """Entities strictly and leniently matched, relations with any verb and with one of the same meaning."""

    texts: int
    strict: Share
    lenient: Share
    ends: Share
    meaning: Share

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON values, the matching rule with them."""
        shares = {name: getattr(self, name) for name in ("strict", "lenient", "ends", "meaning")}
        told = {
            name: {**asdict(share), "precision": share.precision, "recall": share.recall, "f1": share.f1}
            for name, share in shares.items()
        }
        return {"texts": self.texts, "rule": RULE, **told}

    def table(self) -> str:
        """Return the figures as text for people."""
        named = {
            "entities, strict": self.strict,
            "entities, lenient": self.lenient,
            "relations, any verb": self.ends,
            "relations, same meaning": self.meaning,
        }
        rows = [
            f"  {name:24} precision {each.precision:.3f}  recall {each.recall:.3f}  F1 {each.f1:.3f}"
            f"  ({each.matched} of {each.found} found, {each.marked} marked)"
            for name, each in named.items()
        ]
        return "\n".join([f"Read in {self.texts} reports", *rows, f"  {RULE}"])


def evaluate_extraction(path: str | os.PathLike[str], *, domain: str = "cti") -> ExtractionFigures:
    """Read the texts of a file of JSON lines, and hold what is found against its `entities` and `explicit_triplets`."""
    packs, texts = Packs.of(None), 0
    totals = {name: [0, 0, 0] for name in ("strict", "lenient", "ends", "meaning")}
    for _, _, read in read_json(Path(path)):
        record = cast(Mapping[str, Any], read)
        texts += 1
        for name, share in _shares(record, extracted(record["text"], domain=domain, packs=packs)).items():
            totals[name] = [sum(pair) for pair in zip(totals[name], share, strict=True)]
    return ExtractionFigures(texts, **{name: Share(*counts) for name, counts in totals.items()})


def _shares(record: Mapping[str, Any], read: Extracted) -> dict[str, tuple[int, int, int]]:
    text, marked = record["text"], [entity["entity_name"] for entity in record["entities"]]
    # As it stands in the text, and by its canonical name: either may be what was marked.
    found = [(text[mention.start : mention.end], mention.name) for mention in read.mentions]
    said = [(triple["subject"], triple["relation"], triple["object"]) for triple in record["explicit_triplets"]]
    stands = {mention.name: text[mention.start : mention.end] for mention in read.mentions}
    ends = [
        (
            (stands.get(each.source.name, each.source.name), each.source.name),
            each.relation,
            (stands.get(each.target.name, each.target.name), each.target.name),
        )
        for each in read.triples
    ]
    strict = _matched([[_same(name, gold) for gold in marked] for names in found for name in [names]])
    lenient = _matched([[_like(names, gold) for gold in marked] for names in found])
    both = [
        [_like(source, subject) and _like(target, object_) for subject, _, object_ in said]
        for source, _, target in ends
    ]
    meant = [
        [fits and _means(relation, verb) for fits, (_, verb, _) in zip(row, said, strict=True)]
        for row, (_, relation, _) in zip(both, ends, strict=True)
    ]
    return {
        "strict": (len(found), len(marked), strict),
        "lenient": (len(found), len(marked), lenient),
        "ends": (len(ends), len(said), _matched(both)),
        "meaning": (len(ends), len(said), _matched(meant)),
    }


def _matched(rows: Sequence[Sequence[bool]]) -> int:
    """Count pairs of found and marked that match, each used once, by augmenting paths."""
    owner: dict[int, int] = {}

    def assign(row: int, tried: set[int]) -> bool:
        for column, fits in enumerate(rows[row]):
            if fits and column not in tried:
                tried.add(column)
                if column not in owner or assign(owner[column], tried):
                    owner[column] = row
                    return True
        return False

    return sum(assign(row, set()) for row in range(len(rows)))


def _same(names: Sequence[str], gold: str) -> bool:
    wanted = name_key("name", _ARTICLE.sub("", gold))
    return any(name_key("name", _ARTICLE.sub("", name)) == wanted for name in names)


def _like(names: Sequence[str], gold: str) -> bool:
    wanted = _words(gold)
    return any(
        bool(has := _words(name)) and (has <= wanted or wanted <= has or len(has & wanted) >= 0.5 * len(has | wanted))
        for name in names
        if wanted
    )


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(_ARTICLE.sub("", name))}


def _means(relation: str, verb: str) -> bool:
    if relation_name(verb) == relation:
        return True
    return bool(re.search(rf"\b(?:{_MEANINGS.get(relation, re.escape(relation))})", verb.casefold()))
