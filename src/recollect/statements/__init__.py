"""What a text states: its plain fact, the markers of change in it, and when two texts say the same. Pure."""

from __future__ import annotations

from recollect.statements.comparison import Relation, compare, same_statement
from recollect.statements.statement import Statement, read

__all__ = ["Relation", "Statement", "compare", "read", "same_statement"]
