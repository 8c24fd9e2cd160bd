"""What Python runs first in a process that a test on PostgreSQL starts."""

from tests.postgres import standing

standing.started()
