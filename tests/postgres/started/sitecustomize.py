"""Imported first by a process that a test on PostgreSQL starts."""

from tests.postgres import pool

pool.replace_sqlite_in_child()
