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

__all__ = [
    "FailingEmbedder",
    "FakeEmbedder",
    "FrozenClock",
    "LLMCall",
    "OneStoreConformance",
    "ScriptedDecider",
    "ScriptedExtractor",
    "ScriptedLLM",
    "StoreConformance",
]
