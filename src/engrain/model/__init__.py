"""The types of the data model; no I/O."""
