"""The page of the OpenAPI document and its files come from the server alone."""

from __future__ import annotations

import re

import httpx2
import pytest

from engrain import MemoryManager
from tests.mcp.clients import listening

pytestmark = pytest.mark.sqlite("it is about pages, not about a store")


def test_the_page_and_all_that_it_loads_come_from_here(memory: MemoryManager) -> None:
    with listening(memory) as address, httpx2.Client(base_url=address, timeout=120) as http:
        page = http.get("/docs")
        assert "default-src 'self'" in page.headers["Content-Security-Policy"]
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert sorted(loaded) == ["docs/start.js", "docs/swagger-ui-bundle.js", "docs/swagger-ui.css"]
        texts = {path: http.get(f"/{path}").raise_for_status().text for path in loaded}
        assert "SwaggerUIBundle" in texts["docs/swagger-ui-bundle.js"]
        assert 'url: "openapi.json"' in texts["docs/start.js"]
        assert "/docs" not in http.get("/openapi.json").json()["paths"]
