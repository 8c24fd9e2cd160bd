"""`engrain audit` and `engrain key`: what was done, whether anybody touched it, the key that vouches for it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from engrain.documents import document, plain
from engrain.interfaces.commands import open_view, operation_command, stdout, view, write_json
from engrain.interfaces.operations import Operation
from engrain.interfaces.options import Command, given, json_option
from engrain.interfaces.table import OPERATIONS
from engrain.interfaces.tables import entry, one_line, show_fields, show_more
from engrain.model.audit import AuditHead, AuditReport, ChainReport
from engrain.model.memory import AuditEntry
from engrain.model.results import Page
from engrain.model.signatures import key_of, new_key_file

GROUP = "audit"


def audit_commands() -> list[click.Command]:
    """Return the commands about the audit trail."""
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    held = click.Option(["--head"], type=file, metavar="FILE", help="a head that was kept elsewhere, as JSON")
    more = {"verify": [held]}
    own = [each for each in OPERATIONS if each.name.startswith(f"{GROUP} ")]
    names = [(each, each.name.rpartition(" ")[2]) for each in own]
    return [operation_command(each, run=_RUN.get(name), more=more.get(name, ())) for each, name in names]


def key_commands() -> list[click.Command]:
    """Return the commands about the key."""
    return [
        Command(
            "new",
            callback=_new,
            summary="Make a signing key in a new file, and print its public half.",
            arguments={"PATH": "the file to write, outside the store's folder"},
            params=[click.Argument(["path"], type=click.Path(dir_okay=False)), json_option()],
        ),
        Command(
            "show",
            callback=_show,
            summary="Print the public half of a signing key.",
            arguments={"PATH": "the key file"},
            params=[click.Argument(["path"], type=click.Path(exists=True, dir_okay=False)), json_option()],
        ),
    ]


def _new(path: str, as_json: bool) -> None:
    _public(new_key_file(path).public_key, as_json)


def _show(path: str, as_json: bool) -> None:
    _public(key_of(Path(path)).public_key, as_json)


def _public(key: str, as_json: bool) -> None:
    write_json({"public_key": key}) if as_json else click.echo(key)


def _verify(operation: Operation, **values: Any) -> int:
    """Verify against a head in a file where one is named; what is wrong ends in an error."""
    asked: dict[str, Any] = given(operation, values)
    if values["head"] is not None:
        asked["head"] = _read(values["head"])
    with open_view(view(values)) as memory:
        report, keyed = memory.verify_audit(**asked), memory.public_key is not None
    write_json(document(report)) if values["as_json"] else show_chain(stdout(), report)
    vouched = report.anchored or not (keyed or asked.get("head") or asked.get("public_key"))
    return 0 if report.ok and vouched else 1


def _read(file: Path) -> AuditHead:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.BadParameter(f"{file} is not JSON: {error}") from None
    return AuditHead.from_dict(held if isinstance(held, dict) else {})


def _head(sign: bool, operation: Operation, **values: Any) -> None:
    asked: dict[str, Any] = given(operation, values)
    with open_view(view(values)) as memory:
        head = memory.sign_audit(**asked) if sign else memory.audit_head()
    write_json(head.to_dict())


def _log(operation: Operation, /, **values: Any) -> None:
    with open_view(view(values)) as memory:
        page = memory.audit_log(**given(operation, values))  # type: ignore[arg-type]
    if values["as_json"]:
        write_json({"entries": [plain(each) for each in page], "next": page.next})
    else:
        show_log(stdout(), page)


def _integrity(operation: Operation, **values: Any) -> int:
    with open_view(view(values)) as memory:
        report = memory.audit_integrity(**given(operation, values))  # type: ignore[arg-type]
    write_json(document(report)) if values["as_json"] else show_integrity(stdout(), report)
    return 1 if report.tampered_ids or report.missing_provenance_ids else 0


_RUN: dict[str, Any] = {
    "log": _log,
    "verify": _verify,
    "head": partial(_head, False),
    "sign": partial(_head, True),
    "integrity": _integrity,
}


def show_log(console: Console, page: Page[AuditEntry]) -> None:
    """Print entries, newest first, and how to get the next page."""
    width = max((len(each.operation) for each in page), default=0)
    for each in page:
        lead = Text(f"{each.seq:>6}  {each.at:%Y-%m-%d %H:%M:%S}  ", style="dim").append(
            f"{each.operation:<{width}}  ", style="not dim bold"
        )
        below = [Text(one_line(each.reason), style="dim")] if each.reason else []
        entry(console, lead, Text(one_line(f"{each.memory_id}  by {each.actor}", 400)), *below)
    if not page:
        console.print("there are no entries")
    show_more(console, page)


def show_chain(console: Console, report: ChainReport) -> None:
    """Print what verifying a chain found."""
    rows = [
        ("whole", "yes" if report.ok else "NO"),
        ("anchored", "yes" if report.anchored else "no"),
        ("entries", f"{report.entries:,}"),
    ]
    if report.first_broken is not None:
        rows.append(("breaks at", f"{report.first_broken:,}"))
    show_fields(console, [*rows, *(("note", note) for note in report.notes)])


def show_integrity(console: Console, report: AuditReport) -> None:
    """Print which memories are not as they were written."""
    show_fields(
        console,
        [
            ("memories", f"{report.total:,}"),
            ("integrity", f"{report.integrity_score:.4f}"),
            *(("tampered", memory_id) for memory_id in report.tampered_ids),
            *(("of unknown origin", memory_id) for memory_id in report.missing_provenance_ids),
        ],
    )
