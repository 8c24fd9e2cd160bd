"""Fakes and the storage suite, for tests of programs that use Engrain, or of your own stores.

```python
from engrain.testing import StoreConformance as StoreConformance

class TestMyStore(StoreConformance):
    def make_store(self, place):
        return MyStore(place)
```
"""

from engrain.testing.conformance import OneStoreConformance as OneStoreConformance
from engrain.testing.conformance import StoreConformance as StoreConformance
from engrain.testing.fakes import FailingEmbedder as FailingEmbedder
from engrain.testing.fakes import FakeEmbedder as FakeEmbedder
from engrain.testing.fakes import FrozenClock as FrozenClock
from engrain.testing.fakes import LLMCall as LLMCall
from engrain.testing.fakes import ScriptedDecider as ScriptedDecider
from engrain.testing.fakes import ScriptedExtractor as ScriptedExtractor
from engrain.testing.fakes import ScriptedLLM as ScriptedLLM
from engrain.testing.llmserver import LLMReply as LLMReply
from engrain.testing.llmserver import LLMRequest as LLMRequest
from engrain.testing.llmserver import ScriptedLLMServer as ScriptedLLMServer
