"""MemoryManager: the one object. It builds the rooms, hands work between them, and is the front door."""

from __future__ import annotations

import os
from collections.abc import Sequence

from engrain import opening
from engrain.config import Settings
from engrain.conversation.replay import Replays
from engrain.manager.auditing import Auditing
from engrain.manager.conversing import Conversing
from engrain.manager.graph import Graphing
from engrain.manager.keeping import Keeping
from engrain.manager.keys import Keyed
from engrain.manager.learning import Learning
from engrain.manager.lifecycle import Living
from engrain.manager.procedures import Practising
from engrain.model.scope import scope_of
from engrain.model.signatures import PrivateHalf, Signer
from engrain.protocols import (
    LLM,
    Clock,
    Decider,
    Domain,
    Embedder,
    Extractor,
    Grader,
    QueryTransformer,
    Reranker,
    Tokenizer,
)
from engrain.read.access import AccessLog
from engrain.storage.interface import Store
from engrain.worker import Worker

__all__ = ["MemoryManager"]


class MemoryManager(Conversing, Practising, Graphing, Keeping, Learning, Living, Auditing, Keyed):
    """An agent's memory over one store.

    `store` is a path, `":memory:"`, a `Store`, or None for the default data file. `org`, `user`, `agent` and
    `session` bind the view: org and user are walls, an agent sees its own and its user's common memories, a session
    is where new memories belong. `embedder` is `"auto"` (built in, offline), None (words only), a `"provider:model"`
    string or an `Embedder`. `llm`, `"provider:model"` or an object with `complete(prompt, *, system, max_tokens)`, is
    the language model; None means `ENGRAIN_LLM` when that is set, else none. `extractor` finds facts in texts,
    `decider` judges them when `remember(evolve=True)` asks, `grader` judges the hits of `recall_deep`,
    `query_transformer` says a question in other words: None leaves each to the language model, and without one to the
    rules, or does without. `reranker`, an object, `"cross-encoder:model"` or `"llm"`, reads the best hits again; None
    does without. `tokenizer` counts what `context` and windows may use: an object, or a name
    such as `"tiktoken:o200k_base"`; None counts by rule, about as the common models do. `domains` are the packs that
    read names in texts, by name or as objects; None means all that are installed. `callbacks` are `MemoryCallback`
    objects, told of what happened after it has committed. `signing_key`, a key file outside the store's folder or the
    key itself, signs memories and the audit trail; None means `ENGRAIN_SIGNING_KEY` when that is set.

    Safe for threads; several processes may open one store. Close it, or use it as a context manager. Raises
    `ConfigError`, `StoreError` or `ValueError` when it cannot be opened as asked.

    >>> with MemoryManager(":memory:", user="ana") as m:
    ...     memory, status = m.remember("Ana is allergic to penicillin")
    ...     m.recall("what is Ana allergic to?").texts
    ('Ana is allergic to penicillin',)
    """

    def __init__(
        self,
        store: str | os.PathLike[str] | Store | None = None,
        *,
        org: str = "default",
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        embedder: str | Embedder | None = "auto",
        llm: str | LLM | None = None,
        reranker: str | Reranker | None = None,
        extractor: Extractor | None = None,
        decider: Decider | None = None,
        grader: Grader | None = None,
        query_transformer: QueryTransformer | None = None,
        tokenizer: str | Tokenizer | None = None,
        settings: Settings | None = None,
        clock: Clock | None = None,
        domains: Sequence[str | Domain] | None = None,
        callbacks: Sequence[object] = (),
        signing_key: str | bytes | os.PathLike[str] | Signer | PrivateHalf | None = None,
    ) -> None:
        self._bound = scope_of(org, user, agent, session)
        settings = opening.chosen_settings(settings)
        writers = opening.writers(extractor, decider)
        helpers = opening.model_of(llm, settings), opening.watchers(callbacks)
        readers = opening.readers(reranker, grader, query_transformer, helpers[0])
        signer = opening.signer_of(signing_key, store)
        self._engine = opening.engine(store, embedder, tokenizer, settings, clock, domains=domains, signer=signer)
        self._engine.llm, self._engine.callbacks = helpers
        self._engine.extractor, self._engine.decider = writers
        self._engine.reranker, self._engine.grader, self._engine.transformer = readers
        self._accesses, self._replays = AccessLog(), Replays()
        self._worker = Worker(self._engine, self._accesses)
        opening.greet(self._engine, self._worker)
