"""`engrain keys`: who may come in through a server; the secret of a key is shown once, where it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from engrain.documents import document
from engrain.interfaces.commands import confirm, open_view, operation_command, stdout, store_of, view, write_json
from engrain.interfaces.operations import Operation
from engrain.interfaces.options import given
from engrain.interfaces.table import OPERATIONS
from engrain.interfaces.tables import entry, one_line, show_fields
from engrain.model.audit import Key

GROUP = "keys"
_ONCE = "the secret is shown this once and kept nowhere: give it to the program, as a password"


def server_key_commands() -> list[click.Command]:
    """Return the commands of the group."""
    own = [_optional(operation) for operation in OPERATIONS if operation.name.startswith(f"{GROUP} ")]
    return [operation_command(operation, run=_RUN[operation.name]) for operation in own]


def _optional(operation: Operation) -> Operation:
    """Let a role be written as `--role`: a bare word would not say what it is."""
    named = tuple(replace(p, positional=p.positional and p.name != "role") for p in operation.parameters)
    return replace(operation, parameters=named)


def _create(operation: Operation, **values: Any) -> None:
    own = frozenset(parameter.name for parameter in operation.parameters)
    asked = view(values, own=own)
    store, new = store_of(asked)
    with open_view(asked) as memory:
        key: Any = operation.call(memory, given(operation, values))
    if values["as_json"]:
        write_json(document(key))
        return
    show_fields(stdout(), [("store", f"{store}, which is new" if new else store)])
    show_created(stdout(), key)


def _list(operation: Operation, **values: Any) -> None:
    asked = view(values)
    store = _existing(asked)
    with open_view(asked) as memory:
        keys: Any = operation.call(memory, given(operation, values))
    if values["as_json"]:
        write_json(document(keys, operation.answer))
        return
    show_fields(stdout(), [("store", store)])
    show_keys(stdout(), keys)


def _revoke(operation: Operation, **values: Any) -> None:
    asked, where = given(operation, values), view(values)
    _existing(where)
    with open_view(where) as memory:
        found = next((key for key in memory.keys.list() if key.id == asked["key_id"] and key.live), None)
        if found is None:
            raise click.ClickException(
                f"no live key {asked['key_id']!r} in this scope: check the id, and the org, user and agent of the view"
            )
        if not values["yes"]:
            confirm(operation, _told(found))
        revoked = operation.call(memory, asked)
    if values["as_json"]:
        write_json(document(revoked, operation.answer))
    else:
        stdout().print(Text("revoked  ", style="bold yellow").append(found.id, style="not bold cyan"), soft_wrap=True)


def _existing(asked: Mapping[str, Any]) -> str:
    """Return the name of the store; one that is not there has no keys, and a mistyped name makes no file."""
    store, new = store_of(asked)
    if new:
        raise click.ClickException(f"there is no store at {store}: name the one that is served by --store")
    return store


_RUN: Mapping[str, Callable[..., None]] = {
    f"{GROUP} create": _create,
    f"{GROUP} list": _list,
    f"{GROUP} revoke": _revoke,
}


def show_created(console: Console, key: Key) -> None:
    """Print a new key with its secret."""
    fields = (("key", key.id), ("may", key.role.value), ("opens", _opens(key)), ("name", one_line(key.name)))
    show_fields(console, ((name, value) for name, value in fields if value))
    show_fields(console, (("secret", str(key.secret)), ("note", _ONCE)))


def show_keys(console: Console, keys: Sequence[Key]) -> None:
    """Print keys, newest first, with what became of them."""
    for key in keys:
        below = [f"{key.id} · made {key.created_at:%Y-%m-%d %H:%M}"]
        below += [] if key.revoked_at is None else [f"revoked {key.revoked_at:%Y-%m-%d %H:%M}"]
        lead = Text(f"{key.role.value:<6}  ", style="bold" if key.live else "dim")
        entry(console, lead, Text(_told(key)), Text(" · ".join(below), style="dim"))
    if not keys:
        console.print("no keys", style="dim")


def _told(key: Key) -> str:
    """Return in words which key it is: what its maker called it, and what it opens."""
    called = f"{key.name}: " if key.name else ""
    return one_line(f"{called}{_opens(key)}", 200)


def _opens(key: Key) -> str:
    bound = (("org", key.org), ("user", key.user), ("agent", key.agent))
    return one_line(", ".join(f"{name} {value}" for name, value in bound if value is not None), 200)
