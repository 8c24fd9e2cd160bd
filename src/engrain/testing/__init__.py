"""Fakes and the storage suite, for testing what is built on Engrain or stores of your own.

```python
from engrain.testing import StoreConformance

class TestMyStore(StoreConformance):
    def make_store(self, place):
        return MyStore(place)
```
"""

from engrain.testing.conformance import OneStoreConformance, StoreConformance
from engrain.testing.fakes import (
    FailingEmbedder,
    FakeEmbedder,
    FrozenClock,
    LLMCall,
    ScriptedDecider,
    ScriptedExtractor,
    ScriptedLLM,
)
from engrain.testing.llmserver import LLMReply, LLMRequest, ScriptedLLMServer

__all__ = [
    "FailingEmbedder",
    "FakeEmbedder",
    "FrozenClock",
    "LLMCall",
    "LLMReply",
    "LLMRequest",
    "OneStoreConformance",
    "ScriptedDecider",
    "ScriptedExtractor",
    "ScriptedLLM",
    "ScriptedLLMServer",
    "StoreConformance",
]
