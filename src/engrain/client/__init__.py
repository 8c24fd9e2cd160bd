"""The manager's own methods for a program that reaches a memory through a server."""

from __future__ import annotations

from engrain.client.client import Client
from engrain.client.twin import AsyncClient

__all__ = ["AsyncClient", "Client"]
