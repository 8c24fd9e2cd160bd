"""LangChain's own tests of retrievers; run where langchain-tests is installed."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("langchain_core")
pytest.importorskip("langchain_tests")
from langchain_tests.integration_tests import RetrieversIntegrationTests

from engrain.integrations.langchain import EngrainRetriever


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[EngrainRetriever]:
        return EngrainRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        memory = MemoryManager(":memory:", embedder=None)
        memory.remember_many({"content": f"Bee number {number} lives in Tbilisi"} for number in range(5))
        return {"memory": memory}

    @property
    def retriever_query_example(self) -> str:
        return "where do bees live?"
