"""The searching verbs of a reader on PostgreSQL, all of them in the engine: nothing of a namespace is held here.

Every search is one or two statements, so that a process needs no memory of what the others wrote. What a view of the
store was asked for is remembered until it ends or writes.
"""

from __future__ import annotations

from engrain.stores.postgres.columns import PostgresColumns
from engrain.stores.postgres.sessions import PostgresSessions
from engrain.stores.postgres.vectors import PostgresVectors
from engrain.stores.postgres.words import PostgresWords


class PostgresSearch(PostgresWords, PostgresSessions, PostgresVectors, PostgresColumns):
    """Words, sessions, vectors and columns; a reader calls `_forget_searches` when it begins, and after each write."""
