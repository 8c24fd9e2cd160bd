"""What a transaction bound to an org holds its callers to: filters, rows and names of that org, and no other's.

On a server the walls around an org would hide such a mistake, or refuse it late; here it is told where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from engrain.model.filters import Filter
from engrain.model.memory import AuditEntry, Job
from engrain.storerows import NOBODYS, AnswerRow, Head, KeyRow, ReceiptRow, Record, Row, Setting

_OWNED = (Job, Head, AuditEntry, Setting, KeyRow, ReceiptRow, AnswerRow)


def own(org: str | None, where: Filter) -> Filter:
    """Return a filter whose walls are the transaction's own org's; refuse any other."""
    check_org(org, where.org, "a filter")
    return where


def check_rows(org: str | None, rows: Iterable[Row]) -> None:
    """Refuse rows of another org, and, where no org was named, rows that do not say whose they are."""
    for row in rows:
        if isinstance(row, Record):
            check_org(org, row.memory.scope.org, "a record")
        elif isinstance(row, _OWNED):
            if not (isinstance(row, Setting) and row.org == NOBODYS):
                check_org(org, row.org, f"a {type(row).__name__}")
        elif org is None:
            raise RuntimeError(f"a {type(row).__name__} does not say whose it is: write it with the org it is of")


def check_org(org: str | None, named: str, what: str = "a name") -> None:
    """Refuse what belongs to another org than the transaction's; one of no org refuses nobody's."""
    if org is not None and named != org:
        raise RuntimeError(f"{what} of org {named!r} in a transaction of org {org!r}: each org has its own")
