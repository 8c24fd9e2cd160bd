"""Transfer of memories: exports and imports, snapshots, migrations, reindexing."""
