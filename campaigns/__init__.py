"""Long rounds: what the tests do for seconds, for as long as asked. Each ends in a table, JSON and an exit code."""
