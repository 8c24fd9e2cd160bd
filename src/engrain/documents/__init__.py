"""What operations return as JSON: written, described by a schema, and read back as the very same objects."""

from __future__ import annotations

from engrain.documents.reading import read_back
from engrain.documents.schemas import result_schema
from engrain.documents.writing import document, plain

__all__ = ["document", "plain", "read_back", "result_schema"]
