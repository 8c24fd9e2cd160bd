"""The formats of files that `ingest` reads: how each is recognised, and how it becomes items of `remember`."""
