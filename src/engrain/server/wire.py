"""What a server and its clients agree on: the paths, the headers, and how a view of the memory is written in one."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from engrain.model.memory import Scope
from engrain.operations.schema import SCOPE, Operation, Parameter
from engrain.operations.table import describe

PREFIX, MCP_PATH = "/v1", "/mcp"
PROBES = ("/health", "/ready", "/metrics")
VIEW_HEADER = "Engrain-View"
"""`org=acme&user=ana`, encoded as a query: it narrows a request as a view narrows a program's calls."""
IDEMPOTENCY_KEY, REPLAYED = "Idempotency-Key", "Idempotent-Replayed"


def count_header(operation: Operation) -> str:
    """Return the header of a download that says how much it holds, where the method returns that."""
    return f"Engrain-{operation.answer.capitalize()}"


def format_view(scope: Scope, *, org: bool) -> str:
    """Return a view as its header; without `org` the organisation is left to the key."""
    named = {name: getattr(scope, name) for name in (SCOPE if org else SCOPE[1:])}
    return urlencode({name: value for name, value in named.items() if value is not None})


def parse_view(header: str | None, elsewhere: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the view that a request names in its header and `elsewhere`; a contradiction is a `ValueError`."""
    try:
        pairs = parse_qsl(header or "", keep_blank_values=True, errors="strict", max_num_fields=len(SCOPE))
    except ValueError:
        raise ValueError(f"{VIEW_HEADER} cannot be read: write it as user=ana&session=monday, each name once") from None
    view: dict[str, str | None] = dict(pairs)
    if len(view) < len(pairs):
        raise ValueError(f"{VIEW_HEADER} repeats a name: give each of {', '.join(SCOPE)} once")
    unknown = sorted(view.keys() - set(SCOPE))
    if unknown:
        raise ValueError(f"{VIEW_HEADER} has no {unknown[0]!r}: it takes {', '.join(SCOPE)}")
    for name, value in elsewhere.items():
        if value is not None and view.setdefault(name, value) != value:
            raise ValueError(f"this view is bound to {name} {view[name]!r} and cannot become {value!r}")
    return view


def describe_argument(name: str, parameter: Parameter | None = None) -> str:
    """Return what an argument means to a remote caller, who has no standard input; without a parameter, a scope's."""
    return describe(name) if parameter is None else parameter.help
