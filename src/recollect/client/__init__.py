"""The manager's own methods for a program that reaches a memory through a server."""

from __future__ import annotations

from recollect.client.client import Client
from recollect.client.twin import AsyncClient

__all__ = ["AsyncClient", "Client"]
