"""The doctor: the configuration, the health of the store, the origin of each setting, and remedies for problems."""

from __future__ import annotations

import os
import platform
import sqlite3
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from engrain import __version__
from engrain.cli.commands import shown_address
from engrain.cli.groups import command, json_option, open_view, view, view_options
from engrain.cli.output import entry, note, show_fields, stdout, write_json
from engrain.config import Settings, default_store
from engrain.documents import plain
from engrain.errors import ConfigError, EngrainError
from engrain.lazy import library
from engrain.llm.asker import Spent, damaged_accounts
from engrain.manager import MemoryManager, try_model
from engrain.model.filters import Test
from engrain.model.memory import JSON, Job, JobState
from engrain.protocols import Reader
from engrain.storage.interface import other_analyser, setting
from engrain.storage.rows import Head, Record, TurnRow
from engrain.text import visible
from engrain.urls import is_database

_CHANGED_OUTSIDE = "the file was changed from outside: compare it with a snapshot"

_NO_LLM = "name one: engrain doctor --llm openai:gpt-5-mini, or set ENGRAIN_LLM; without one, rules do its work"
_NO_JSON = "name a model that follows instructions: facts, verdicts and descriptions are asked for in JSON"


@dataclass(slots=True)
class Report:
    """The doctor's findings: facts under stable names, and problems, each with its remedy."""

    facts: dict[str, JSON] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> JSON:
        """Return plain JSON types under stable keys."""
        problems = [{"what": what, "advice": advice} for what, advice in self.problems.items()]
        return {"healthy": not problems, "problems": problems, **self.facts}

    def add(self, what: str, advice: str) -> None:
        """Add a problem, unless it is known."""
        self.problems.setdefault(what, advice)

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Turn an error of ours into a problem with its advice."""
        try:
            yield
        except EngrainError as error:
            self.add(str(error), _advice(error))


def _advice(error: EngrainError, section: str = "opening") -> str:
    """Return what to do about an error, by the words of its message in a section, else by its class."""
    if is_database(str(getattr(error, "path", ""))):
        return "see the page on PostgreSQL for what the message means: docs/postgres.md"
    known: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("advice.toml").read_text("utf-8"))
    by_class = (known["classes"][kind.__name__] for kind in type(error).__mro__ if kind.__name__ in known["classes"])
    return next((advice for words, advice in known[section].items() if words in str(error)), next(by_class))


def _doctor(llm: str | None, as_json: bool, **options: Any) -> int:
    report = examine(view({**options, "llm": llm or None}), trial=llm is not None)
    write_json(report.to_dict()) if as_json else show_report(stdout(), report)
    return 1 if report.problems else 0


DOCTOR_COMMAND = command(
    "doctor",
    _doctor,
    click.Option(["--llm"], is_flag=False, flag_value="", metavar="[LLM]", help="Also test this or the set model"),
    json_option(),
    *view_options(omit=frozenset({"llm"})),
)


def examine(selected: Mapping[str, Any], *, trial: bool = False) -> Report:
    """Check the health of the store, which is not made, and the settings; with `trial` ask the language model too."""
    versions = {"engrain": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    report = Report({"versions": versions})
    scope = {**selected, "llm": "none", "user": None, "agent": None, "session": None}
    named = selected.get("store") or default_store()
    path = Path(named).expanduser().absolute()
    database = is_database(named)
    place, exists = shown_address(str(named)) if database else str(path), database or path.exists()
    report.facts["store"] = {"path": place, "source": source_of(selected, "store"), "exists": exists}
    if not exists and not path.parent.is_dir() and source_of(selected, "store") != "default":
        report.add(f"the folder {path.parent} does not exist", "create it, or name another store")
    with report.catching(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings of opening are problems below
        if place.startswith("postgresql://"):
            report.facts["store"] |= _database(str(named))
        elif not database:  # else an engine of the user's own
            report.facts["store"] |= _file(path)
        with _open(scope if exists else {**scope, "store": ":memory:"}) as memory:
            _check_embedder(report, memory, selected)
            if (other := other_analyser(memory.store)) is not None:
                report.add(f"texts were indexed by {other}: some words are not found", "index again: engrain reindex")
            if exists:
                _check_store(report, memory)
    with report.catching():
        settings = Settings.load()
        report.facts["settings"] = facts = dict[str, Any]()
        for name, source in settings.sources.items():
            value = getattr(settings, name)
            shown = getattr(value, "__name__", "a function") if callable(value) else plain(value)
            facts[name] = {"value": shown, "source": source}
    _check_llm(report, {**selected, "store": named if exists else ":memory:"}, trial=trial)
    return report


def _open(selected: Mapping[str, Any]) -> MemoryManager:
    """Open a store to look at it: queued jobs are left alone."""
    return open_view({**selected, "settings": Settings.load(worker="none")})


def source_of(selected: Mapping[str, Any], name: str) -> str:
    """Return the source of the setting of store, embedder or language model: an option, a variable or the default."""
    if selected.get(name) not in (None, "auto"):
        return f"--{name}"
    variable = f"ENGRAIN_{name.upper()}"
    return variable if os.environ.get(variable) else "default"


def _file(path: Path) -> JSON:
    exists = path.exists()
    readable = os.access(path, os.R_OK) if exists else None
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) if exists else None
    return {"readable": readable, "writable": writable, "schema": None, "bytes": 0}


def _database(url: str) -> JSON:
    """Return the server, schema, roles and row security of a PostgreSQL database; changes nothing in it."""
    postgres = library("engrain.storage.postgres.connections", extra="postgres")
    address = postgres.Address(url)
    tables = library("engrain.storage.postgres.schema", extra="postgres")
    cluster: JSON = {}
    with postgres.explained(address.shown), address.connect() as connection:
        if tables.distributed_tables(connection):
            nodes = tables.nodes(connection)
            cluster = {"nodes": list(map(str, nodes)), "skew": round(tables.skew(nodes), 2)}
        ((server, vector, schema, role, over, bare, read_only, size),) = postgres.asked(connection, "examined")
    return {
        "server": f"PostgreSQL {server}",
        "pgvector": vector,
        "schema": schema,
        "role": role,
        "application_role": "missing" if over is None else "bypasses row security" if over else "under row security",
        "tables_without_row_security": bare,
        "writable": not read_only,
        "bytes": size,
        **cluster,
    }


def _check_store(report: Report, memory: MemoryManager) -> None:
    stats = memory.stats()
    report.facts["store"] |= {"schema": getattr(memory.store, "schema_version", None), "bytes": stats.store_bytes}
    if memory.store.read_only:
        in_file = "give write permission to the file and to its folder"
        advice = "name the primary server" if is_database(memory.store.url) else in_file
        report.add("the store can be read but not written", advice)
    kinds, statuses = dict(stats.by_kind), dict(stats.by_status)
    report.facts["memories"] = {"total": stats.total_notes, "by_kind": kinds, "by_status": statuses}
    report.facts["conversations"] = {**stats.conversations, "turns": stats.turns}
    report.facts["jobs"] = {**stats.jobs, "dead_letters": stats.dead_letters}
    with memory.store.read() as reader:
        orgs = sorted({head.org for head in reader.find(Head, order="org")})
        count = sum(reader.count(Record).values())
        _check_rows(report, reader)
    _check_audit(report, memory, orgs)
    _check_memories(report, memory, sorted({*orgs, memory.scope.org}), count)


def _check_embedder(report: Report, memory: MemoryManager, selected: Mapping[str, Any]) -> None:
    embedder = memory.embedder
    current, of_store = None if embedder is None else embedder.id, setting(memory.store, "embedder")
    report.facts["embedder"] = {
        "in_force": current,
        "source": source_of(selected, "embedder"),
        "dimensions": None if embedder is None else embedder.dimensions,
        "in_writes": None if embedder is None else bool(getattr(embedder, "inline", True)),
        "of_store": of_store,
        "vectors": dict(memory.stats().vectors),
    }
    if None not in (current, of_store) and current != of_store:
        report.add(
            f"the store's vectors are by {of_store}, the current embedder is {current}: meaning is not searched",
            "make new vectors: engrain reindex; or open it with the embedder that it was made with",
        )
    if embedder is not None:
        with report.catching():
            embedder.embed(["well?"])


def _check_rows(report: Report, reader: Reader) -> None:
    """Look for turns without their memories, jobs that failed for good, and damaged accounts of language models."""
    if lost := reader.find(TurnRow, [Test("num", "ne", None), Test("status", "eq", None)], order="at"):
        first = f"the first is of {lost[0].at}"
        report.add(f"{len(lost):,} turns of conversations have lost their memories, {first}", _CHANGED_OUTSIDE)
    if dead := reader.find(Job, [Test("state", "eq", JobState.DEAD)], order="-run_at"):
        report.add(
            f"{len(dead):,} jobs failed for good, the last with: {dead[0].error or 'no message'}",
            "fix the cause, then do their work again: engrain reindex",
        )
    for name in damaged_accounts(reader):
        quoted = name.replace("'", "''")
        report.add(
            f"the account {name!r}, which counts the usage of a language model, is damaged",
            "the file was changed from outside: take the row from a snapshot, or remove it with its counts: "
            f"DELETE FROM setting WHERE name = '{quoted}'",
        )


def _check_audit(report: Report, memory: MemoryManager, orgs: list[str]) -> None:
    entries, anchored = 0, True
    for org in orgs:
        chain = memory.for_org(org).verify_audit()
        anchored = anchored and chain.anchored
        entries += chain.entries
        if not chain.ok:
            broken, why = chain.first_broken, chain.notes[0]
            report.add(f"the audit trail of {org!r} breaks at entry {broken}: {why}", _CHANGED_OUTSIDE)
    key = memory.public_key
    if key is not None and orgs and not anchored:
        report.add(
            "the key does not vouch for all of the audit trail: entries were written without it",
            "see which: engrain audit verify, engrain audit log; if they are yours: engrain audit sign",
        )
    unsigned = "the trail is not signed: engrain key new PATH, then ENGRAIN_SIGNING_KEY"
    report.facts["audit"] = {"entries": entries, "organisations": len(orgs), "names": orgs}
    report.facts["signing"] = {"public_key": key or unsigned}


def _check_memories(report: Report, memory: MemoryManager, orgs: list[str], count: int) -> None:
    """Compare the memories of each organisation with the audit trail, unless there are many."""
    if count > 20_000:  # memories that are compared with the audit trail: a few seconds
        report.facts["integrity"] = {"memories": f"{count:,}, not checked: engrain audit integrity"}
        return
    total = 0
    for org in orgs:
        audit = memory.for_org(org).audit_integrity()
        total += audit.total
        if wrong := len(audit.tampered_ids) + len(audit.missing_provenance_ids):
            report.add(
                f"{wrong:,} memories of {org!r} are not as they were written, or have no audit entry",
                "see which: engrain audit integrity; compare with a snapshot",
            )
    report.facts["integrity"] = {"memories": total}


def _check_llm(report: Report, selected: Mapping[str, Any], *, trial: bool) -> None:
    """Report the current language model and its setting; with `trial`, call it."""
    facts = report.facts["language_model"] = {"in_force": None, "source": source_of(selected, "llm")}
    with warnings.catch_warnings(), report.catching():
        warnings.simplefilter("ignore")  # of the embedder, which has its own check
        try:
            memory = _open({**selected, "embedder": "none", "reranker": None})
        except ConfigError as error:
            report.add(str(error), _advice(error, "setting_llm"))
            return
        with memory:
            if account := memory.stats().llm:
                facts |= {"in_force": account["model"], "today": account["today"], "budget": account["budget"]}
            if trial:
                _try_llm(report, memory, facts)


def _try_llm(report: Report, memory: MemoryManager, facts: dict[str, Any]) -> None:
    if (found := try_model(memory)) is None:
        report.add("no language model is configured", _NO_LLM)
        return
    facts |= {
        "answers": found.answers,
        "json": found.keeps_to_json,
        "seconds": round(found.seconds, 2),
        "calls": found.usage.calls,
        "tokens": {"input": found.usage.input_tokens, "output": found.usage.output_tokens},
        "today": memory.stats().llm["today"],
    }
    message = str(found.error)
    if isinstance(found.error, Spent):
        report.add(message, "wait until midnight (UTC), or raise llm_budget: ENGRAIN_LLM_BUDGET")
    elif found.error is not None:
        report.add(message, _advice(found.error, "asking_llm"))
    elif not found.keeps_to_json:
        report.add(f"{facts['in_force']} answers, but not in the JSON that it is asked for", _NO_JSON)


def show_report(console: Console, report: Report) -> None:
    """Print the facts, then the problems and their remedies."""
    for title, facts in report.facts.items():
        console.print(Text(title, style="bold"))
        if title == "settings":
            width = max(map(len, facts))
            for name, setting in facts.items():
                line = Text(f"{_shown(setting['value'])}  ").append(f"({setting['source']})", style="dim")
                entry(console, Text(f"  {name:<{width}}  ", style="dim"), line)
        else:
            show_fields(console, ((f"  {name.replace('_', ' ')}", _shown(value)) for name, value in facts.items()))
    console.print()
    if not report.facts["store"]["exists"]:
        note(console, "there is no store yet: the first remember makes it")
    for what, advice in report.problems.items():
        entry(console, Text("✗ ", style="bold red"), Text(visible(what)), Text(advice, style="yellow"))
    if not report.problems:
        console.print(Text("✓ all is well", style="bold green"))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items()) or "none"
    if isinstance(value, int):
        return f"{value:,}"
    return "-" if value in (None, "") else str(value)
