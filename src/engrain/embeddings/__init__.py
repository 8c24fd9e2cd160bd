"""Embedders: the built-in static model, models of other libraries, and servers."""

from __future__ import annotations

from engrain.embeddings.local import FastEmbedEmbedder as FastEmbedEmbedder
from engrain.embeddings.local import SentenceTransformerEmbedder as SentenceTransformerEmbedder
from engrain.embeddings.model import ModelEmbedder as ModelEmbedder
from engrain.embeddings.names import resolve_embedder as resolve_embedder
from engrain.embeddings.openai import OpenAIEmbedder as OpenAIEmbedder
from engrain.embeddings.static import StaticEmbedder as StaticEmbedder
from engrain.embeddings.static import builtin as builtin
