"""Counts, conversations, jobs, transfers, erasure, audit, keys, policies and the graph for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import timedelta
from typing import Any, Final

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from engrain.cli import output
from engrain.cli.output import Row, counts, entry, in_columns, moment, note, one_by_one, one_line, show_table
from engrain.config import Settings
from engrain.documents import document
from engrain.graph.traversal import RELATED
from engrain.model import results
from engrain.model.audit import AuditHead, AuditProof, AuditReport, ChainReport, Forgotten, Key, Receipt
from engrain.model.entities import Entity, Merge, Reached, Relationship
from engrain.model.memory import AuditEntry, ContextItem, Job, Kind, Scope, Turn
from engrain.policies.retention import RetentionPolicy
from engrain.text import number_of, plain_fields, visible

_IDS_SHOWN, _COUNTS_SHOWN = 20, 20
_CURVES = {
    "exponential": "exponential {0.rate:g}/day",
    "logarithmic": "logarithmic {0.alpha:g}, {0.horizon:g} days",
    "step": "step at {0.threshold:g} days",
    "none": "none",
}
_NAME = 80


def _memories(count: int) -> str:
    return number_of(count, "memory", "memories")


@in_columns
def _show_stats(stats: results.Stats) -> Iterator[Row]:
    yield "memories", f"{stats.total_notes:,}"
    yield "by kind", counts(stats.by_kind)
    yield "by status", counts(stats.by_status)
    yield "vectors", counts(stats.vectors)
    yield "entities", counts(stats.entity_index["by_type"])
    yield "mentions", f"{stats.entity_index['mentions']:,}"
    yield "conversations", counts(stats.conversations)
    yield "turns", f"{stats.turns:,}"
    yield "jobs", counts(stats.jobs)
    if stats.over_cap:
        yield "over their cap", counts(stats.over_cap)
    yield "dead letters", f"{stats.dead_letters:,}"
    yield "on disk", output.size(stats.store_bytes)
    yield "embedder", stats.embedder or "none: words only"
    if stats.llm:
        yield "language model", _llm_usage(stats.llm)


def _llm_usage(llm: Mapping[str, Any]) -> str:
    """Return the usage of language models on one line: in all, by purpose, and today."""
    budget = llm["budget"] or {}
    limits = {name: f" of {budget[name]:,}" if name in budget else "" for name in llm["today"]}
    today = " and ".join(f"{number:,}{limits[name]} {name}" for name, number in llm["today"].items())
    purposes = counts({purpose: each["calls"] for purpose, each in llm["by"].items()})
    calls = f"{llm['calls']:,} calls ({purposes}), {llm['failed']:,} failed"
    tokens = f"{llm['input_tokens']:,} tokens in, {llm['output_tokens']:,} out"
    damaged = [f"{llm['damaged']:,} accounts are damaged"] if llm.get("damaged") else []
    return " · ".join((llm["model"] or "none now", calls, tokens, f"today {today}", *damaged))


def show_transfer(console: Console, outcome: Any, *, verbose: bool = False) -> None:
    """Print the result of a transfer: counts, skipped items by reason or one by one, and each failure."""
    found: dict[str, Any] = plain_fields(outcome)
    skipped, rejected, failed = (
        {f"line {at}" if isinstance(at, int) else at: why for at, why in found.get(name, {}).items()}
        for name in ("skipped", "rejected", "failed")
    )
    labels = {"removed": "old vectors removed"}
    numbers = ((labels.get(name, name), value) for name, value in found.items() if isinstance(value, int))
    console.print(" · ".join(f"{name} {value:,}" for name, value in numbers))
    counted = found.get("left_out") or Counter(skipped.values())
    for what, why in skipped.items() if verbose else ((f"{count:,}", why) for why, count in counted.items()):
        note(console, f"skipped {one_line(what)}: {one_line(why)}")
    for word, failures in (("failed", failed), ("refused", rejected)):
        for name, message in failures.items():
            line = Text(f"{word}  ", style="bold red").append(one_line(name), style="not bold")
            why = message.removeprefix(name).lstrip(",: ")
            console.print(line.append(f": {one_line(why)}", style="not bold"), soft_wrap=True)


def _show_migrated(console: Console, outcome: results.Migrated) -> None:
    output.show_fields(console, ((name.replace("_", " "), f"{count:,}") for name, count in outcome.rows.items()))
    rows, orgs = sum(outcome.rows.values()), number_of(outcome.orgs, "org")
    line = f"{rows:,} rows of {orgs} moved to {visible(outcome.target)} and compared there"
    console.print(Text(line), soft_wrap=True)


@one_by_one("no messages")
def show_turns(console: Console, turn: Turn) -> None:
    """Print a turn: time, speaker and text."""
    calls = turn.metadata.get("tool_calls")
    functions = [c.get("function") for c in calls if isinstance(c, Mapping)] if isinstance(calls, list) else []
    line = output.joined(
        turn.actor,
        turn.role if turn.actor != turn.role else None,
        f"{turn.token_count} tokens",
        f"summary of {turn.metadata['original_count']} turns" if turn.metadata.get("is_summary") else None,
        *(f"calls {function.get('name')}" for function in functions if isinstance(function, Mapping)),
    )
    below = Text.assemble(line, (f" {turn.id}" if turn.id else "", "dim"))
    entry(console, Text(f"{moment(turn.at):<16}  ", style="dim"), Text(visible(turn.content)), below)


@one_by_one("nothing to show")
def _show_items(console: Console, item: ContextItem) -> None:
    below = Text(f"{item.source} · {item.token_count} tokens", style="dim")
    entry(console, Text(f"{item.priority:>2}  ", style="dim"), Text(visible(item.content)), below)


def show_session_end(console: Console, ended: results.SessionEnd) -> None:
    """Print the memories that an ended session left."""
    if not ended.memories and not ended.evicted:
        console.print(f"session {ended.session}: nothing to end", markup=False)
        return
    archived = f", {len(ended.evicted)} working memories archived" if ended.evicted else ""
    console.print(f"session {ended.session} ended{archived}; summarised in:", markup=False)
    output.show_memories(console, ended.memories)
    _show_worked(console, ended)


def show_consolidation(console: Console, outcome: results.Consolidation) -> None:
    """Print the facts read from episodes, and whether the rest waits for a new budget."""
    console.print(
        f"episodes {outcome.processed:,} · facts added {outcome.facts_added:,} · "
        f"known already {outcome.facts_merged:,} · to be tried again {outcome.failed:,}"
    )
    if not (outcome.processed or outcome.failed or outcome.paused):
        console.print("no episode waits: what is remembered without a session is a fact already", style="dim")
    if outcome.paused:
        console.print("paused: the budget for the language model is spent for today")
    _show_worked(console, outcome)


def show_reflection(console: Console, found: results.Reflection) -> None:
    """Print the new insights, and the model that found them."""
    output.show_outcomes(console, found)
    _show_worked(console, found.worked)


def _show_worked(console: Console, worked: results.Worked) -> None:
    """Print the language model, its cost, and why it did not do everything; nothing if none was called."""
    if worked.by == results.OFFLINE and not worked.calls and not worked.why_not:
        return
    why = f" · not all by the model: {worked.why_not}" if worked.why_not else ""
    cost = f"{number_of(worked.calls, 'call')}, {worked.tokens:,} tokens"
    note(console, one_line(f"by {worked.by} · {cost}{why}", 2000))


@in_columns
def _show_sweep(swept: results.Sweep) -> Iterator[Row]:
    would = "would be " if swept.dry_run else ""
    yield f"{would}expired", f"{swept.expired:,}"
    yield f"{would}archived", f"{swept.archived:,}"
    yield f"sessions {would}ended", f"{swept.sessions_ended:,}"
    yield f"jobs {would}done", f"{swept.jobs_done:,}"
    yield "dead letters", f"{swept.dead:,}" + (", see: engrain jobs --state dead" if swept.dead else "")


def _show_job(console: Console, job: Job) -> None:
    failed = f", failed {job.attempts} times: {visible(job.error)}" if job.error else ""
    line = f"{job.kind} {job.state.value}, due {job.run_at:%Y-%m-%d %H:%M}, for {job.memory_id}{failed}"
    entry(console, Text(f"{visible(job.id)}  ", style="dim"), Text(one_line(line)))


def show_counts(console: Console, found: Sequence[results.Counts]) -> None:
    """Print counts by status over time: of many points some, evenly spread, and always the last."""
    if not found:
        console.print("nothing is kept yet")
        return
    statuses = [field.name for field in fields(results.Counts)][1:]
    shown = reversed(found[::-1][:: -(-len(found) // _COUNTS_SHOWN)])
    rows = ((f"{each.at:%Y-%m-%d %H:%M}", *(f"{getattr(each, status):,}" for status in statuses)) for each in shown)
    show_table(console, ("at (UTC)", *statuses), rows, right=statuses)


def current_policies(settings: Settings) -> list[RetentionPolicy]:
    """Return the policy of each kind, then of each kind for the domains and agents that policies name."""
    rules = settings.retention_rules
    named = [(one.domain, one.agent) for one in rules.policies if one.domain or one.agent]
    return [rules.policy(kind, *each) for each in dict.fromkeys([(None, None), *named]) for kind in Kind]


def show_policies(console: Console, settings: Settings) -> None:
    """Print the current policies as a table."""
    console.print(f"retention: {settings.retention}")
    head = ("kind", "for", "fades", "lives", "at most", "archived")
    show_table(console, head, map(_cells, current_policies(settings)))


def _cells(policy: RetentionPolicy) -> tuple[str, ...]:
    selected = (("domain", policy.domain), ("agent", policy.agent))
    return (
        str(policy.kind),
        ", ".join(f"{name} {one_line(value, 80)}" for name, value in selected if value is not None) or "any",
        _CURVES[str(policy.curve)].format(policy),
        _span(policy.ttl) if isinstance(policy.ttl, timedelta) else "without end",
        f"{policy.cap:,} of an agent" if isinstance(policy.cap, int) else "any number",
        f"below {policy.archive_below:g}" if isinstance(policy.archive_below, float) else "never",
    )


def _span(length: timedelta) -> str:
    """Return a duration in its largest whole unit."""
    for name in ("days", "hours", "minutes"):
        if not length % (unit := timedelta(**{name: 1})):
            return f"{length // unit:,} {name}"
    return f"{length.total_seconds():,g} seconds"


def _show_forgotten(console: Console, outcome: Forgotten) -> None:
    if outcome.dry_run:
        console.print(f"{affected(outcome)} would go")
        return
    verb = "forgotten" if outcome.receipt is None else "erased"
    for memory_id in outcome.ids[:_IDS_SHOWN]:
        console.print(Text(f"{verb}  ", style="bold yellow").append(memory_id, style="not bold cyan"), soft_wrap=True)
    if outcome.count > _IDS_SHOWN:
        console.print(f"and {outcome.count - _IDS_SHOWN:,} more")
    elif not outcome.count:
        console.print("no memory was there to go")
    if outcome.receipt is not None:
        _show_receipt(console, outcome.receipt)


def affected(outcome: Forgotten) -> str:
    """Return how many memories a call forgets or erases."""
    derived = f", and {_memories(outcome.beside)} of their sources and derivatives"
    return _memories(outcome.count) + (derived if outcome.beside else "")


@in_columns
def _show_receipt(receipt: Receipt) -> Iterator[Row]:
    yield "receipt", receipt.id
    yield "status", f"{receipt.status}, {'nothing of it was found' if receipt.verified else 'not verified'}"
    yield "removed", results.in_words(receipt.removed)
    yield "searched for", results.in_words(receipt.searched)
    yield "shared words", f"{receipt.shared:,}, which other memories of the same owner hold too"
    yield "out of reach", "; ".join(receipt.out_of_reach)
    if receipt.signature:
        yield "signature", receipt.signature
    yield from (("note", visible(text)) for text in receipt.notes)


@one_by_one("nothing was erased")
def _show_receipts(console: Console, receipt: Receipt) -> None:
    line = f"{receipt.at:%Y-%m-%d %H:%M}  {receipt.status}, {results.in_words(receipt.removed)}"
    entry(console, Text(f"{receipt.id}  ", style="dim"), Text(one_line(line)))


def _show_audit_log(console: Console, page: results.Page[AuditEntry]) -> None:
    width = max((len(row.operation) for row in page), default=0)
    for row in page:
        of = f"  user:{row.user}" if row.user else ""
        lead = Text(f"{row.seq:>6}  {row.at:%Y-%m-%d %H:%M:%S}  ", style="dim")
        lead.append(f"{row.operation:<{width}}  ", style="not dim bold")
        below = [Text(one_line(row.reason), style="dim")] if row.reason else []
        entry(console, lead, Text(one_line(f"{row.memory_id}  by {row.actor}{of}", 400)), *below)
    if not page:
        console.print("there are no entries")


@in_columns
def show_chain(report: ChainReport) -> Iterator[Row]:
    """Print the result of verifying an audit chain."""
    yield "whole", "yes" if report.ok else "NO"
    yield "anchored", "yes" if report.anchored else "no"
    yield "entries", f"{report.entries:,}"
    if report.first_broken is not None:
        yield "breaks at", f"{report.first_broken:,}" + (f" of user {report.user}" if report.user else "")
    yield from (("note", text) for text in report.notes)


@in_columns
def _show_integrity(report: AuditReport) -> Iterator[Row]:
    yield "memories", f"{report.total:,}"
    yield "integrity", f"{report.integrity_score:.4f}"
    yield from (("tampered", memory_id) for memory_id in report.tampered_ids)
    yield from (("of unknown origin", memory_id) for memory_id in report.missing_provenance_ids)


def show_new_key(console: Console, key: Key) -> None:
    """Print a new key with its secret."""
    named = (("key", key.id), ("role", key.role.value), ("scope", _owner(key)), ("name", one_line(key.name)))
    once = "the secret is shown this once and kept nowhere: give it to the program, as a password"
    output.show_fields(console, (*(row for row in named if row[1]), ("secret", str(key.secret)), ("note", once)))


@one_by_one("no keys")
def show_keys(console: Console, key: Key) -> None:
    """Print a key without its secret, a revoked one dim."""
    below = f"{key.id} · made {key.created_at:%Y-%m-%d %H:%M}"
    below += "" if key.revoked_at is None else f" · revoked {key.revoked_at:%Y-%m-%d %H:%M}"
    lead = Text(f"{key.role.value:<6}  ", style="bold" if key.live else "dim")
    entry(console, lead, Text(key_label(key)), Text(below, style="dim"))


def key_label(key: Key) -> str:
    """Return the name of a key and its scope."""
    owner = _owner(key)
    return one_line(f"{key.name}: {owner}" if key.name else owner, 200)


def neighbourhood(
    entity: Entity, relationships: Iterable[Relationship], reached: Iterable[Reached] = (), *, memories: int
) -> Tree:
    """Return an entity, its aliases, and its relations by kind; entities further away are below their path."""
    root = Tree(Text.assemble(_named(entity), (f" · {_memories(memories)}", "dim")))
    if entity.aliases:
        root.add(Text.assemble(("also ", "dim"), _aliases(entity)))
    groups: dict[tuple[str, str], Tree] = {}
    branches: dict[tuple[str, str], Tree] = {}
    for one in relationships:
        weak = one.relation == RELATED and one.weight < 1  # merely named together, which has no direction
        direction = "" if weak else one.direction
        group = groups.get((one.relation, direction))
        if group is None:
            group = groups[one.relation, direction] = root.add(Text(_heading(one.relation, direction), style="cyan"))
        leaf = group.add(Text.assemble(_named(one.entity, ""), (_details(one), "dim")))
        branches.setdefault((one.entity.type, one.entity.name), leaf)
    for found in reached:
        if found.depth > 1:
            step, before = found.path[-1], found.path[-2].entity
            label = Text.assemble((f"{_heading(step.relation, step.direction)} ", "cyan"), _named(step.entity, ""))
            parent = branches.get((before.type, before.name), root)
            branches.setdefault((found.entity.type, found.entity.name), parent.add(label))
    return root


def _heading(relation: str, direction: str) -> str:
    name = one_line(relation, 40)
    return {"out": f"{name} →", "in": f"← {name}"}.get(direction, name)


def _named(entity: Entity, style: str = "bold") -> Text:
    return Text.assemble((one_line(entity.name, _NAME), style), (f"  {one_line(entity.type, 40)}", "dim"))


def _aliases(entity: Entity) -> str:
    return ", ".join(one_line(alias, _NAME) for alias in entity.aliases)


def _details(relationship: Relationship) -> str:
    """Return the weight of a relation below 1, the number of its sources, and its end."""
    parts = [f"{relationship.weight:.2f}"] if relationship.weight < 1 else []
    parts += [_memories(len(relationship.evidence))] if relationship.evidence else []
    parts += [] if relationship.valid_until is None else [f"until {moment(relationship.valid_until)}"]
    return "".join(f" · {part}" for part in parts)


def show_neighbourhood(console: Console, tree: Tree) -> None:
    """Print a tree; only a terminal gets it wrapped."""
    if not console.is_terminal:
        console.width = 100_000  # columns without a terminal: no line is broken
    console.print(tree)


def show_entity_table(console: Console, page: results.Page[Entity], memories: Sequence[int]) -> None:
    """Print entities as a table: type, name, number of memories, aliases."""
    rows = [
        (one_line(entity.type, 40), one_line(entity.name, _NAME), f"{count:,}", _aliases(entity))
        for entity, count in zip(page, memories, strict=True)
    ]
    if rows:
        show_table(console, ("type", "name", "memories", "also"), rows, right=("memories",))
    else:
        note(console, "no entities")
    output.show_more(console, page)


def show_entity(console: Console, entity: Entity) -> None:
    """Print an entity, its aliases, and its metadata."""
    console.print(_named(entity), soft_wrap=True)
    if entity.aliases:
        console.print(Text(f"also {_aliases(entity)}"), soft_wrap=True)
    for name, value in entity.metadata.items():
        note(console, one_line(f"{name} {value}"))


@one_by_one("nothing in reach")
def show_reached(console: Console, found: Reached) -> None:
    """Print an entity that a walk reached, with the steps to it."""
    steps = " · ".join(f"{step.relation} {step.entity.name}" for step in found.path)
    lead = Text.assemble((f"{found.depth}  ", "dim"), _named(found.entity), (f"  {one_line(steps)}", "dim"))
    console.print(lead, soft_wrap=True)


def _show_relationship(console: Console, found: Relationship) -> None:
    """Print a relation in the direction of the walk: `A -uses-> B`, or `B <-uses- C`."""
    here = found.source if found.direction == "out" else found.target
    relation = one_line(found.relation, 40)
    arrow = f" -{relation}-> " if found.direction == "out" else f" <-{relation}- "
    names = ((one_line(here.name, _NAME), "bold"), (arrow, "cyan"), (one_line(found.entity.name, _NAME), "bold"))
    console.print(Text.assemble(*names, (_details(found), "dim")), soft_wrap=True)


def _show_merge(console: Console, merge: Merge) -> None:
    """Print which two entities are one, and the id under which that can be undone."""
    other, keep = (f"{one_line(each.name, _NAME)} ({one_line(each.type, 40)})" for each in (merge.other, merge.keep))
    line = Text.assemble((f"{merge.state}  ", "bold"), f"{other} is {keep}")
    line.append(f" · {moment(merge.at)} · ", style="dim").append(merge.id, style="cyan")
    console.print(line, soft_wrap=True)
    if merge.reason:
        note(console, f"  {one_line(merge.reason)}")


def _show_record(console: Console, record: results.ExactRecord) -> None:
    value = json.dumps(document(record)["value"], ensure_ascii=False)
    entry(console, Text(f"{_key(record.key)}  ", style="cyan"), Text(one_line(value, 100)))


def _show_conversation(console: Console, talk: results.Conversation) -> None:
    state = "open" if talk.ended_at is None else f"ended {moment(talk.ended_at)}"
    below = Text(f"{state} · {talk.token_count:,} tokens in its window · {_owner(talk.scope)}", style="dim")
    entry(console, Text(f"{moment(talk.touched_at):<16}  ", style="dim"), Text(visible(talk.session)), below)


def _owner(scope: Scope | Key) -> str:
    named = (("org", scope.org), ("user", scope.user), ("agent", scope.agent))
    return one_line(", ".join(f"{name} {value}" for name, value in named if value is not None), 200)


def _key(parts: Sequence[str]) -> str:
    return " ".join(visible(part) or '""' for part in parts)


show_path: Final = one_by_one("no path found")(_show_relationship)
show_merges: Final = one_by_one("nothing was merged")(_show_merge)

SHOW: Mapping[Any, output.Show] = {  # how a result is printed: by its type, or by the name of the operation
    Entity: show_entity,
    list[Entity]: one_by_one("no entities")(lambda console, entity: console.print(_named(entity), soft_wrap=True)),
    list[Reached]: show_reached,
    list[tuple[Entity, float]]: one_by_one("no entities")(
        lambda console, ranked: entry(console, Text(f"{ranked[1]:.3f}  ", style="dim"), _named(ranked[0]))
    ),
    Relationship: _show_relationship,
    list[Relationship]: show_path,
    results.Page[Relationship]: one_by_one("no relationships")(_show_relationship),
    Merge: _show_merge,
    list[Merge]: show_merges,
    results.Stats: _show_stats,
    **dict.fromkeys((results.Ingested, results.Synced, results.Imported, results.StixImported), show_transfer),
    results.Reindexed: show_transfer,
    results.Migrated: _show_migrated,
    list[Turn]: show_turns,
    results.Page[Turn]: show_turns,
    list[ContextItem]: _show_items,
    results.SessionEnd: show_session_end,
    results.Consolidation: show_consolidation,
    results.Reflection: show_reflection,
    results.Sweep: _show_sweep,
    Job: _show_job,
    results.Page[Job]: one_by_one("nothing is queued")(_show_job),
    Forgotten: _show_forgotten,
    Receipt: _show_receipt,
    results.Page[Receipt]: _show_receipts,
    results.Page[AuditEntry]: _show_audit_log,
    AuditReport: _show_integrity,
    AuditHead: lambda _, head: output.write_json(document(head)),
    AuditProof: lambda _, proof: output.write_json(document(proof)),
    results.Page[results.ExactRecord]: one_by_one("no records")(_show_record),
    results.Page[results.Conversation]: one_by_one("no sessions")(_show_conversation),
    results.Page[results.Collection]: one_by_one("no collections")(
        lambda console, each: entry(console, Text(f"{visible(each.name)}  ", style="cyan"), Text(_owner(each.scope)))
    ),
    "records keys": one_by_one("no keys")(lambda console, key: console.print(Text(_key(key)), soft_wrap=True)),
    "records delete-all": in_columns(
        lambda gone: [("removed", f"{gone.count:,}")] + ([("receipt", gone.receipt.id)] if gone.receipt else [])
    ),
    "chat-log summary": in_columns(lambda summary: [("summary", summary or "nothing is summarised yet")]),
    "chat-log clear": in_columns(lambda _: [("cleared", "the window is empty; the history keeps all messages")]),
    "graph memories": one_by_one("no memories")(
        lambda console, memory_id: console.print(Text(memory_id, style="cyan"), soft_wrap=True)
    ),
    "graph resolve": one_by_one(
        "nothing was merged; only an embedder that reads sentences compares names, not the built-in one or none"
    )(_show_merge),
}
