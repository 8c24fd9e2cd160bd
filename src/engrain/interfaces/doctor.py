"""The doctor: what is at work, whether the store is well, where each setting comes from, and what to do about it."""

from __future__ import annotations

import os
import platform
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from engrain import __version__
from engrain.config import Settings, default_store
from engrain.documents.writing import plain
from engrain.errors import ConfigError, EngrainError, ProviderError, SchemaMismatch, StoreCorrupt, StoreUnavailable
from engrain.interfaces import tables
from engrain.interfaces.commands import open_view, shown_address
from engrain.interfaces.doctor_postgres import about
from engrain.llm.budget import damaged_accounts
from engrain.manager import MemoryManager
from engrain.model.filters import Test
from engrain.model.memory import JSON, Job, JobState
from engrain.storage.rows import Head, Record, Setting, TurnRow
from engrain.text import visible
from engrain.urls import is_database

_HELD = 20_000  # memories that are held to the audit trail: a few seconds
_PAGE = 1000

_ADVICE: tuple[tuple[type[EngrainError], str], ...] = (
    (StoreCorrupt, "name another file with --store, or make a new one of a snapshot: engrain restore SNAPSHOT NEW"),
    (SchemaMismatch, "upgrade: pip install --upgrade engrain"),
    (
        StoreUnavailable,
        "see to the rights of the folder and the space on the disk, and close what holds the file",
    ),
    (ConfigError, "correct the value in the place that is named"),
    (ProviderError, "see to what it names, or go on by words alone: --embedder none"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and what to do about it."""

    what: str
    advice: str


@dataclass(slots=True)
class Report:
    """What the doctor found: facts under stable names, and problems."""

    facts: dict[str, JSON] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        """Nothing is wrong."""
        return not self.problems

    def to_dict(self) -> JSON:
        """Return plain JSON types under stable keys."""
        return {"healthy": self.healthy, "problems": [plain(problem) for problem in self.problems], **self.facts}

    def add(self, what: str, advice: str) -> None:
        """Put down a problem, once."""
        if Problem(what, advice) not in self.problems:
            self.problems.append(Problem(what, advice))

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Turn an error of ours into a problem with its advice."""
        try:
            yield
        except EngrainError as error:
            self.add(str(error), _advice(error))


def _advice(error: EngrainError) -> str:
    if is_database(str(getattr(error, "path", ""))):
        return "see the page on PostgreSQL for what the message means: docs/postgres.md"
    if "pip install" in str(error):
        return "install it, or name another embedder: --embedder auto"
    found = [text for kind, text in _ADVICE if isinstance(error, kind)]
    return found[0] if found else "ENGRAIN_TRACEBACK=1 shows where"


def examine(asked: Mapping[str, Any]) -> Report:
    """Look at everything that can be wrong but the language model. A store that does not exist yet is not made.

    It is the store's health: whose memory is asked for makes no difference.
    """
    report = Report()
    asked = {**asked, "llm": "none", "user": None, "agent": None, "session": None}
    report.facts["versions"] = {
        "engrain": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
    }
    named = asked.get("store") or default_store()
    path = Path(named).expanduser().absolute()
    if is_database(named):
        place = shown_address(str(named))
        report.facts["store"] = {"path": place, "source": source_of(asked, "store"), "exists": True}
        with report.noting():
            if place.startswith("postgresql://"):  # and not an engine of one's own
                report.facts["store"] |= about(str(named))
            _look_at_what_is_there(report, asked)
        with report.noting():
            report.facts["settings"] = _settings()
        return report
    report.facts["store"] = _file(path, asked)
    if not path.exists():
        if not path.parent.is_dir() and source_of(asked, "store") != "default":
            report.add(f"the folder {path.parent} does not exist", "create it, or name another store")
        with report.noting(), opened({**asked, "store": ":memory:"}) as memory:
            _look_at_embedder(report, memory, asked)
    else:
        _look_at_what_is_there(report, asked)
    with report.noting():
        report.facts["settings"] = _settings()
    return report


def _look_at_what_is_there(report: Report, asked: Mapping[str, Any]) -> None:
    with report.noting(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what opening warns of is told as a problem below
        with opened(asked) as memory:
            _look_inside(report, memory, asked)


def opened(asked: Mapping[str, Any]) -> MemoryManager:
    """Open a store to look at it: what is queued there waits on."""
    return open_view({**asked, "settings": Settings.load(worker="none")})


def _settings() -> JSON:
    """Return each setting's value and where that came from."""
    settings = Settings.load()
    return {
        name: {"value": _said(getattr(settings, name)), "source": source} for name, source in settings.sources.items()
    }


def _said(value: object) -> object:
    return getattr(value, "__name__", "a function") if callable(value) else plain(value)


def _file(path: Path, asked: Mapping[str, Any]) -> JSON:
    there = path.exists()
    return {
        "path": str(path),
        "source": source_of(asked, "store"),
        "exists": there,
        "readable": os.access(path, os.R_OK) if there else None,
        "writable": os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) if there else None,
        "schema": None,
        "bytes": 0,
    }


def source_of(asked: Mapping[str, Any], name: str) -> str:
    """Say what named the store, the embedder or the language model."""
    if asked.get(name) not in (None, "auto"):
        return f"--{name}"
    variable = f"ENGRAIN_{name.upper()}"
    return variable if os.environ.get(variable) else "default"


def _look_inside(report: Report, memory: MemoryManager, asked: Mapping[str, Any]) -> None:
    stats = memory.stats()
    report.facts["store"] |= {"schema": getattr(memory.store, "schema_version", None), "bytes": stats.store_bytes}
    if memory.store.read_only:
        in_file = "give write permission to the file and to its folder"
        advice = "name the primary server" if is_database(memory.store.url) else in_file
        report.add("the store can be read but not written", advice)
    report.facts["memories"] = {
        "total": stats.total_notes,
        "by_kind": dict(stats.by_kind),
        "by_status": dict(stats.by_status),
    }
    report.facts["conversations"] = {**stats.conversations, "turns": stats.turns}
    report.facts["jobs"] = {**stats.jobs, "dead_letters": stats.dead_letters}
    _look_at_embedder(report, memory, asked)
    _look_at_turns(report, memory)
    _look_at_jobs(report, memory)
    _look_at_accounts(report, memory)
    _look_at_audit(report, memory)
    _look_at_memories(report, memory)


def _look_at_embedder(report: Report, memory: MemoryManager, asked: Mapping[str, Any]) -> None:
    embedder = memory.embedder
    with memory.store.read() as reader:
        held = reader.find(Setting, [Test("name", "eq", "embedder")], order="name")
    in_force, of_store = None if embedder is None else embedder.id, held[0].value if held else None
    report.facts["embedder"] = {
        "in_force": in_force,
        "source": source_of(asked, "embedder"),
        "dimensions": None if embedder is None else embedder.dimensions,
        "in_writes": None if embedder is None else bool(getattr(embedder, "inline", True)),
        "of_store": of_store,
        "vectors": dict(memory.stats().vectors),
    }
    if in_force is not None and of_store is not None and in_force != of_store:
        report.add(
            f"the store's vectors are by {of_store}, the embedder in force is {in_force}: meaning is not searched",
            "make new vectors: engrain reindex; or open it with the embedder that it was made with",
        )
    if embedder is not None:
        with report.noting():
            embedder.embed(["well?"])


def _look_at_turns(report: Report, memory: MemoryManager) -> None:
    """Look for turns whose memories are gone: a turn in the words of its memory has lost them."""
    with memory.store.read() as reader:
        lost = reader.find(TurnRow, [Test("num", "ne", None), Test("status", "eq", None)], order="at")
    if lost:
        report.add(
            f"{len(lost):,} turns of conversations have lost their memories, the first was said at {lost[0].at}",
            "somebody changed the file: compare it with a snapshot",
        )


def _look_at_jobs(report: Report, memory: MemoryManager) -> None:
    with memory.store.read() as reader:
        dead = reader.find(Job, [Test("state", "eq", JobState.DEAD)], order="-run_at")
    if dead:
        report.add(
            f"{len(dead):,} jobs failed for good, the last with: {dead[0].error}",
            "mend the cause, then do their work again: engrain reindex",
        )


def _look_at_accounts(report: Report, memory: MemoryManager) -> None:
    """Look for accounts of language models that cannot be read."""
    with memory.store.read() as reader:
        for name in damaged_accounts(reader):
            quoted = name.replace("'", "''")
            report.add(
                f"the account {name!r}, which counts what a language model was asked, is damaged",
                "somebody changed the file: take the row from a snapshot, or remove it, and what it counted with it: "
                f"DELETE FROM setting WHERE name = '{quoted}'",
            )


def _look_at_audit(report: Report, memory: MemoryManager) -> None:
    """Walk the audit chain of each organisation."""
    with memory.store.read() as reader:
        orgs = [head.org for head in reader.find(Head, order="org")]
    entries, anchored = 0, True
    for org in orgs:
        chain = memory.for_org(org).verify_audit()
        anchored = anchored and chain.anchored
        entries += chain.entries
        if not chain.ok:
            report.add(
                f"the audit trail of {org!r} breaks at entry {chain.first_broken}: {chain.notes[0]}",
                "somebody changed the file: compare it with a snapshot",
            )
    key = memory.public_key
    if key is not None and orgs and not anchored:
        report.add(
            "the key does not vouch for all of the audit trail: entries were written without it",
            "see which: engrain audit verify, engrain audit log; if they are yours: engrain audit sign",
        )
    signed = "nobody vouches for the trail: engrain key new PATH, then ENGRAIN_SIGNING_KEY" if key is None else key
    report.facts["audit"] = {"entries": entries, "organisations": len(orgs)}
    report.facts["signing"] = {"public_key": signed}


def _look_at_memories(report: Report, memory: MemoryManager) -> None:
    """Hold the memories of each organisation to what was written of them, unless there are many."""
    with memory.store.read() as reader:
        orgs = sorted({head.org for head in reader.find(Head, order="org")} | {memory.scope.org})
        count = sum(reader.count(Record).values())
    if count > _HELD:
        report.facts["integrity"] = {"memories": f"{count:,}, not looked at: engrain audit integrity"}
        return
    found = [(org, memory.for_org(org).audit_integrity()) for org in orgs]
    for org, audit in found:
        if wrong := len(audit.tampered_ids) + len(audit.missing_provenance_ids):
            report.add(
                f"{wrong:,} memories of {org!r} are not as they were written, or no entry tells of them",
                "see which: engrain audit integrity; compare with a snapshot",
            )
    report.facts["integrity"] = {"memories": sum(audit.total for _, audit in found)}


def show_report(console: Console, report: Report) -> None:
    """Print what was found, then what is wrong and what to do about it."""
    for title, facts in report.facts.items():
        console.print(Text(title, style="bold"))
        if title == "settings":
            _show_settings(console, facts)
        else:
            rows = ((f"  {name.replace('_', ' ')}", _shown(value)) for name, value in facts.items())
            tables.show_fields(console, rows)
    console.print()
    if not report.facts["store"]["exists"]:
        console.print(Text("there is no store yet: the first remember makes it", style="dim"))
    for problem in report.problems:
        advice = Text(problem.advice, style="yellow")
        tables.entry(console, Text("✗ ", style="bold red"), Text(visible(problem.what)), advice)
    if report.healthy:
        console.print(Text("✓ all is well", style="bold green"))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items()) or "none"
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value in (None, "") else str(value)


def _show_settings(console: Console, facts: JSON) -> None:
    width = max(map(len, facts))
    for name, setting in facts.items():
        line = Text(f"{_shown(setting['value'])}  ").append(f"({setting['source']})", style="dim")
        tables.entry(console, Text(f"  {name:<{width}}  ", style="dim"), line)
