"""Embedders: the built-in static model, models of other libraries, and servers."""

from __future__ import annotations

from engrain.embeddings.local import FastEmbedEmbedder, SentenceTransformerEmbedder
from engrain.embeddings.model import ModelEmbedder
from engrain.embeddings.names import resolve_embedder
from engrain.embeddings.openai import OpenAIEmbedder
from engrain.embeddings.static import StaticEmbedder, builtin

__all__ = [
    "FastEmbedEmbedder",
    "ModelEmbedder",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "StaticEmbedder",
    "builtin",
    "resolve_embedder",
]
