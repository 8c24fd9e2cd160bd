"""The store on a server: PostgreSQL 16 or later with pgvector 0.8 or later (`engrain[postgres]`)."""

from engrain.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
