"""How names and relations are read in reports where people marked them, and in chats, where no threat is meant."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

from benchmarks.datasets import load
from benchmarks.report import Progress, Report
from benchmarks.stores import NO_WORKER
from engrain import Entity, MemoryManager
from engrain.chat.logs import read_json
from engrain.graph.extraction import Extracted, extracted
from engrain.graph.packs import Packs
from engrain.model.entities import name_key, relation_name


def evaluate(
    path: str | os.PathLike[str], *, stix: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> Extraction | FalseMentions:
    """Compare what is read in reports with what is marked in them, or count the threats that are found in chats.

    Args:
        path: JSON lines: reports with `text`, `entities` and `explicit_triplets`; or conversations, or texts.
        stix: For chats, a STIX bundle whose names are added to the store first, with all their aliases.
        progress: Called as it goes on.

    Raises:
        ValueError: The file is not JSON lines, or `stix` is given for reports.
    """
    first = next(iter(read_json(Path(path))), None)
    if first is None or not isinstance(first.value, Mapping) or "explicit_triplets" not in first.value:
        return count_mentions(path, stix=stix, progress=progress)
    if stix is not None:
        raise ValueError("names of a bundle are added for chats, not for reports")
    return evaluate_extraction(path)


# ------------------------------------------------------------------------------------------------------------- reports

RULE = (
    "An entity matches strictly when its name key equals a marked one's without its article; "
    "leniently when the words of one name are all in the other, or half of all their words are shared. "
    "A relation matches when both ends do leniently, in this order; of the same meaning when the verb belongs to the "
    "same group too. A marked one matches once."
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
class Overlap:
    """What was found and what was marked, and how many of them match."""

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


@dataclass(frozen=True, kw_only=True)
class Extraction(Report):
    """Entities matched strictly and leniently, relations with any verb and with one of the same meaning."""

    texts: int
    strict: Overlap
    lenient: Overlap
    any_verb: Overlap
    same_meaning: Overlap

    def to_dict(self) -> dict[str, Any]:
        found = super().to_dict()
        for name in ("strict", "lenient", "any_verb", "same_meaning"):
            each: Overlap = getattr(self, name)
            found[name] |= {"precision": each.precision, "recall": each.recall, "f1": each.f1}
        return {**found, "rule": RULE}

    def lines(self) -> list[str]:
        overlaps = {
            "entities, strict": self.strict,
            "entities, lenient": self.lenient,
            "relations, any verb": self.any_verb,
            "relations, same meaning": self.same_meaning,
        }
        rows = [
            f"  {name:24} precision {each.precision:.3f}  recall {each.recall:.3f}  F1 {each.f1:.3f}"
            f"  ({each.matched} of {each.found} found, {each.marked} marked)"
            for name, each in overlaps.items()
        ]
        return [f"Read in {self.texts} reports", *rows, f"  {RULE}"]


def evaluate_extraction(path: str | os.PathLike[str], *, domain: str = "cti") -> Extraction:
    """Read the texts of reports, and compare what is found with their `entities` and `explicit_triplets`."""
    packs, texts = Packs.of(None), 0
    totals = [(0, 0, 0)] * 4
    for _, _, read in read_json(Path(path)):
        record = cast(Mapping[str, Any], read)
        texts += 1
        counts = _compare(record, extracted(record["text"], domain=domain, packs=packs))
        totals = [(a + x, b + y, c + z) for (a, b, c), (x, y, z) in zip(totals, counts, strict=True)]
    strict, lenient, any_verb, same_meaning = (Overlap(*total) for total in totals)
    return Extraction(texts=texts, strict=strict, lenient=lenient, any_verb=any_verb, same_meaning=same_meaning)


def _compare(record: Mapping[str, Any], read: Extracted) -> list[tuple[int, int, int]]:
    """Return found, marked and matched of each comparison."""
    text, marked = record["text"], [entity["entity_name"] for entity in record["entities"]]
    triples = [(triple["subject"], triple["relation"], triple["object"]) for triple in record["explicit_triplets"]]
    # As written in the text, and by its canonical name: either may be what was marked.
    written = {mention.name: text[mention.start : mention.end] for mention in read.mentions}
    found = [(text[mention.start : mention.end], mention.name) for mention in read.mentions]
    relations = [
        (
            (written.get(each.source.name, each.source.name), each.source.name),
            each.relation,
            (written.get(each.target.name, each.target.name), each.target.name),
        )
        for each in read.triples
    ]
    strict = _match([[_is_same(names, gold) for gold in marked] for names in found])
    lenient = _match([[_is_alike(names, gold) for gold in marked] for names in found])
    both = [
        [_is_alike(source, subject) and _is_alike(target, object_) for subject, _, object_ in triples]
        for source, _, target in relations
    ]
    same_verb = [
        [fits and _is_meant(relation, verb) for fits, (_, verb, _) in zip(row, triples, strict=True)]
        for row, (_, relation, _) in zip(both, relations, strict=True)
    ]
    return [
        (len(found), len(marked), strict),
        (len(found), len(marked), lenient),
        (len(relations), len(triples), _match(both)),
        (len(relations), len(triples), _match(same_verb)),
    ]


def _match(rows: Sequence[Sequence[bool]]) -> int:
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


def _is_same(names: Sequence[str], gold: str) -> bool:
    wanted = name_key("name", _ARTICLE.sub("", gold))
    return any(name_key("name", _ARTICLE.sub("", name)) == wanted for name in names)


def _is_alike(names: Sequence[str], gold: str) -> bool:
    wanted = _words(gold)
    return any(
        bool(has := _words(name)) and (has <= wanted or wanted <= has or len(has & wanted) >= 0.5 * len(has | wanted))
        for name in names
        if wanted
    )


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(_ARTICLE.sub("", name))}


def _is_meant(relation: str, verb: str) -> bool:
    if relation_name(verb) == relation:
        return True
    return bool(re.search(rf"\b(?:{_MEANINGS.get(relation, re.escape(relation))})", verb.casefold()))


# --------------------------------------------------------------------------------------------------------------- chats

THREATS = ("actor", "malware", "tool", "campaign", "technique")
_STIX = {
    "intrusion-set": "intrusion_set",
    "threat-actor": "actor",
    "malware": "malware",
    "tool": "tool",
    "campaign": "campaign",
}
_BATCH, _SHOWN = 500, 20


@dataclass(frozen=True, kw_only=True)
class FalseMentions(Report):
    """What was found among texts that name no threat; `known` counts names that were added from a bundle."""

    texts: int
    known: int
    found: int
    shown: tuple[tuple[str, str, str], ...] = ()

    def lines(self) -> list[str]:
        names = f", with {self.known:,} names of a bundle" if self.known else ""
        head = f"{self.found:,} mentions of threats in {self.texts:,} texts{names}"
        return [head, *(f"  {type_:14} {name}: {text[:90]}" for type_, name, text in self.shown)]


def count_mentions(
    path: str | os.PathLike[str], *, stix: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> FalseMentions:
    """Remember the texts of chats, and count those that are linked to a threat; arguments as in `evaluate`."""
    with MemoryManager(":memory:", embedder=None, settings=NO_WORKER) as memory:
        known = 0
        for entity in _bundle(Path(stix)) if stix is not None else ():
            free = [alias for alias in entity.aliases if memory.graph.entity(entity.type, alias) is None]
            memory.graph.add_entity(entity.type, entity.name, aliases=free)
            known += 1 + len(entity.aliases)
        texts, source = 0, _texts(Path(path))
        while batch := list(islice(source, _BATCH)):
            memory.remember_many([{"content": text, "kind": "episodic", "resolve": "off"} for text in batch])
            texts += len(batch)
            if progress is not None:
                progress(texts, texts, Path(path).name)
        found = list(_threats(memory))
    return FalseMentions(texts=texts, known=known, found=len(found), shown=tuple(found[:_SHOWN]))


def _threats(memory: MemoryManager) -> Iterator[tuple[str, str, str]]:
    for type_ in THREATS:
        cursor = None
        while True:
            page = memory.graph.entities(type=type_, limit=1_000, cursor=cursor)
            for entity in page:
                for mention in memory.recall_entity(type_, entity.name, k=1_000):
                    yield entity.type, entity.name, mention.content
            if (cursor := page.next) is None:
                break


def _texts(path: Path) -> Iterator[str]:
    first = next(iter(read_json(path)), None)
    if first is not None and "sessions" in cast(Mapping[str, Any], first.value):
        for conversation in load(path):
            yield from (str(item["content"]) for item in conversation.items)
        return
    for _, _, record in read_json(path):
        text = cast(Mapping[str, Any], record).get("text")
        if isinstance(text, str) and text.strip():
            yield text


def _bundle(path: Path) -> Iterator[Entity]:
    """Yield the objects of a STIX bundle with names that a chat might use by chance."""
    for _, _, record in read_json(path):
        for each in cast(Mapping[str, Any], record).get("objects", ()):
            type_ = _STIX.get(each.get("type", ""))
            if type_ and not each.get("revoked") and each.get("name"):
                others = [*each.get("aliases", ()), *each.get("x_mitre_aliases", ())]
                aliases = tuple(dict.fromkeys(other for other in others if other != each["name"]))
                yield Entity(type_, each["name"], aliases)
