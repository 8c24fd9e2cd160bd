"""Memory over HTTP: one loop over the table of operations, and what every request goes through."""
