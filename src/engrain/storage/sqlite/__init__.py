"""The embedded engine: one SQLite file."""
