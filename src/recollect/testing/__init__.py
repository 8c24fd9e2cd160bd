"""Fakes and the storage suite, for testing what is built on Recollect or stores of your own.

```python
from recollect.testing import StoreConformance

class TestMyStore(StoreConformance):
    def make_store(self, place):
        return MyStore(place)
```
"""

from recollect.testing.conformance import OneStoreConformance, StoreConformance
from recollect.testing.fakes import (
    FailingEmbedder,
    FakeEmbedder,
    FrozenClock,
    LLMCall,
    ScriptedDecider,
    ScriptedExtractor,
    ScriptedLLM,
)
from recollect.testing.llmreply import LLMReply
from recollect.testing.llmserver import LLMRequest, ScriptedLLMServer

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
