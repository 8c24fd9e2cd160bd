"""LangGraph's long-term store over a memory, sync and async in one class; its checkpoint saver is beside it."""

from __future__ import annotations

import math
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from engrain.integrations.langgraph_filters import cosine, matches, passes
from engrain.integrations.langgraph_saver import EngrainSaver
from engrain.integrations.opening import Memory, Opened, framework, in_thread, index_text, listed
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        validate_op_namespace,
    )

__all__ = ["EngrainSaver", "EngrainStore"]

_ITEMS = "langgraph.items"
_MINUTE = 60.0
_BATCH = 5000


class EngrainStore(Opened, BaseStore):
    """LangGraph's long-term store: each item is an exact record of the view, in the collection `langgraph.items`.

    With `index` items are ranked by its embeddings. Without one the text of an item is remembered beside it, screened
    as external data, and a query is a recall of the memory.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        index: `dims`, `embed` and `fields`, as of LangGraph's own stores. None means a recall.
        ttl: `default_ttl`, `refresh_on_read` and `sweep_interval_minutes`, in minutes. None means that nothing expires.
    """

    supports_ttl = True

    def __init__(self, memory: Memory, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None) -> None:
        super().__init__(memory)
        self.index_config = index
        self.ttl_config = ttl
        self._renews = bool((ttl or {}).get("refresh_on_read", False))  # not unless `ttl` says so, as in theirs
        self.embeddings: Any = ensure_embeddings(index["embed"]) if index else None
        self._stop = threading.Event()
        self._sweeper: threading.Thread | None = None

    @property
    def records(self) -> Records:
        """The collection of the items."""
        return self.memory.records(_ITEMS)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: reads first, then the last put to each key, all puts in one transaction."""
        todo = _checked(ops)
        texts, queries = self._to_embed(todo)
        vectors = dict(zip(texts, self.embeddings.embed_documents(texts), strict=True)) if texts else {}
        vectors |= {query: self.embeddings.embed_query(query) for query in queries}
        return self._carry_out(todo, vectors)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations as `batch` does."""
        todo = _checked(ops)
        texts, queries = self._to_embed(todo)
        vectors = dict(zip(texts, await self.embeddings.aembed_documents(texts), strict=True)) if texts else {}
        vectors |= {query: await self.embeddings.aembed_query(query) for query in queries}
        return await in_thread(partial(self._carry_out, todo, vectors))

    def sweep_ttl(self) -> _Count:
        """Remove expired items and return their number, which may be awaited."""
        return _Count(self.records.sweep())

    def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> _Count:
        """Sweep every so often in a thread of its own, until `stop_ttl_sweeper` or `close`."""
        minutes = sweep_interval_minutes or (self.ttl_config or {}).get("sweep_interval_minutes") or 5
        if self._sweeper is None:
            self._stop.clear()
            self._sweeper = threading.Thread(target=self._sweep, args=(minutes * _MINUTE,), daemon=True)
            self._sweeper.start()
        return _Count(0)

    def stop_ttl_sweeper(self, timeout: float | None = None) -> _Count:
        """Stop the thread that sweeps."""
        self._stop.set()
        if self._sweeper is not None:
            self._sweeper.join(timeout)
            self._sweeper = None
        return _Count(1)

    def close(self) -> None:
        """Stop the thread that sweeps, and close the memory if it was opened here."""
        _ = self.stop_ttl_sweeper()
        super().close()

    def _sweep(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            self.records.sweep()

    def _carry_out(self, ops: Sequence[Op], vectors: Mapping[str, Sequence[float]]) -> list[Result]:
        results: list[Result] = [self._read(op, vectors) for op in ops]
        last = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        puts = [self._put(op, vectors) for op in last.values()]
        for start in range(0, len(puts), _BATCH):
            self.records.batch(puts[start : start + _BATCH])
        return results

    def _read(self, op: Op, vectors: Mapping[str, Sequence[float]]) -> Result:
        if isinstance(op, GetOp):
            found = self.records.get((*op.namespace, op.key), touch=op.refresh_ttl and self._renews)
            return None if found is None else Item(**_fields(found))
        if isinstance(op, SearchOp):
            return self._search(op, vectors)
        return self._namespaces(op) if isinstance(op, ListNamespacesOp) else None

    def _put(self, op: PutOp, vectors: Mapping[str, Sequence[float]]) -> dict[str, Any]:
        key = (*op.namespace, op.key)
        if op.value is None:
            return {"op": "delete", "key": key}
        texts = self._texts([op])
        return {
            "op": "put",
            "key": key,
            "value": {"value": dict(op.value), "vectors": [[*map(float, vectors[t])] for t in texts if t in vectors]},
            "ttl": None if op.ttl is None else op.ttl * _MINUTE,
            "index": index_text("\n".join(texts)) if self.embeddings is None else None,
        }

    def _to_embed(self, ops: Sequence[Op]) -> tuple[list[str], list[str]]:
        """Return the texts and the queries that need a vector, each once."""
        if self.embeddings is None:
            return [], []
        queries = (op.query for op in ops if isinstance(op, SearchOp) and op.query)
        return self._texts(ops), list(dict.fromkeys(queries))

    def _texts(self, ops: Sequence[Op]) -> list[str]:
        """Return the texts of a put, each once, by the fields of the index or of the operation."""
        index: Mapping[str, Any] = self.index_config or {}
        default = index.get("fields") or index.get("text_fields") or ["$"]
        found = (
            text
            for op in ops
            if isinstance(op, PutOp) and op.value is not None and op.index is not False
            for path in (default if op.index is None else op.index)
            for text in get_text_at_path(op.value, path)
        )
        return list(dict.fromkeys(found))

    def _search(self, op: SearchOp, vectors: Mapping[str, Sequence[float]]) -> list[SearchItem]:
        found = listed(self.records.list, tuple(op.namespace_prefix), order="-updated_at")
        passing = (record for record in found if passes(record.value["value"], op.filter or {}))
        scored = self._scored(op.query, [*passing], vectors) if op.query else ((record, None) for record in passing)
        page = [*islice(scored, op.offset, op.offset + op.limit)]
        if op.refresh_ttl and self._renews and any(record.expires_at for record, _ in page):
            self.records.batch([{"op": "get", "key": record.key, "touch": True} for record, _ in page])
        return [SearchItem(**_fields(record), score=score) for record, score in page]

    def _scored(
        self, query: str, records: Sequence[ExactRecord], vectors: Mapping[str, Sequence[float]]
    ) -> list[tuple[ExactRecord, float | None]]:
        """Return records best first, each by its best field; those without a score come last."""
        scores: dict[tuple[str, ...], float] = {}
        if query in vectors:
            for each in records:
                if own := each.value["vectors"]:
                    scores[each.key] = max(cosine(vectors[query], vector) for vector in own)
        elif any(record.memory_id for record in records):
            hits = {hit.id: hit.score for hit in self.memory.recall(query, k=1000)}
            scores = {each.key: hits[each.memory_id] for each in records if each.memory_id in hits}
        ranked = sorted(records, key=lambda each: scores.get(each.key, -math.inf), reverse=True)
        return [(each, scores.get(each.key)) for each in ranked]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found = {
            tuple(namespace[: op.max_depth])
            for *namespace, _ in listed(self.records.keys)
            if all(matches(condition, namespace) for condition in op.match_conditions or ())
        }
        return sorted(found)[op.offset : op.offset + op.limit]


class _Count(int):
    """A number that may be awaited too: LangGraph's async stores have coroutines in these places."""

    def __await__(self) -> Generator[None, None, int]:
        yield from ()
        return int(self)


def _checked(ops: Iterable[Op]) -> list[Op]:
    todo = list(ops)
    for op in todo:
        if not isinstance(op, GetOp | PutOp | SearchOp | ListNamespacesOp):
            raise ValueError(f"Unknown operation type: {type(op)}")
        validate_op_namespace(op)
    return todo


def _fields(record: ExactRecord) -> dict[str, Any]:
    *namespace, key = record.key
    times = {"created_at": record.created_at, "updated_at": record.updated_at}
    return {"namespace": tuple(namespace), "key": key, "value": record.value["value"], **times}
