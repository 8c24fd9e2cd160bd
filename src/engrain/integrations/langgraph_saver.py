"""LangGraph's checkpoint saver over a memory, sync and async in one class."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from engrain.integrations.langgraph_filters import passes
from engrain.integrations.opening import Memory, Opened, awaited, framework, in_thread, listed, retried
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("langgraph"):
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint import base

_CHECKPOINTS, _WRITES = "langgraph.checkpoints", "langgraph.writes"


class EngrainSaver(Opened, base.BaseCheckpointSaver[Any]):
    """LangGraph's checkpoint saver: checkpoints and pending writes are exact records of the session `thread_id`.

    So `forget_all(session=thread_id, hard=True)` erases a thread. Nothing of it is remembered or found by recall.

    Args:
        memory: A memory, or the store for `MemoryManager` to open; not bound to a session.
        serde: What makes bytes of checkpoints. None means LangGraph's own.
    """

    def __init__(self, memory: Memory, *, serde: Any = None) -> None:
        Opened.__init__(self, memory)
        base.BaseCheckpointSaver.__init__(self, serde=serde)

    def get_tuple(self, config: RunnableConfig) -> base.CheckpointTuple | None:
        """Return the checkpoint that a config names, or the latest of its thread."""
        thread, namespace = _place(config)
        records = self._of(thread, _CHECKPOINTS)
        if wanted := base.get_checkpoint_id(config):
            found = records.get((namespace, wanted))
        else:
            found = next(iter(records.list((namespace,), order="-key", limit=1)), None)
        return None if found is None else self._tuple(thread, found)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[base.CheckpointTuple]:
        """Yield checkpoints, the newest first."""
        named = (config or {}).get("configurable", {})
        thread, namespace, wanted = map(named.get, ("thread_id", "checkpoint_ns", "checkpoint_id"))
        asked: dict[str, Any] = {"order": "-key", "limit": 100, "include_narrower": thread is None}
        asked["prefix"] = () if namespace is None else (namespace,)
        found: Iterable[ExactRecord] = listed(self._of(thread, _CHECKPOINTS).list, **asked)
        if thread is None or namespace is None:  # they come by namespace
            found = sorted(found, key=lambda record: record.key[1], reverse=True)
        end = before and base.get_checkpoint_id(before)
        chosen = (
            record
            for record in found
            if (not wanted or record.key[1] == wanted)
            and (not end or record.key[1] < end)
            and (not filter or passes(_about(record)["metadata"], filter))
        )
        for record in islice(chosen, None if limit is None else max(limit, 0)):
            yield self._tuple(str(record.scope.session), record)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: base.Checkpoint,
        metadata: base.CheckpointMetadata,
        new_versions: base.ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint, all channel values with it."""
        thread, namespace = _place(config)
        about = {"parent": base.get_checkpoint_id(config), "metadata": base.get_checkpoint_metadata(config, metadata)}
        self._of(thread, _CHECKPOINTS).put((namespace, checkpoint["id"]), self._packed(about, checkpoint))
        return _config(thread, namespace, checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Keep the writes of a task: ordinary ones as they were first, those of special channels as they are now."""
        thread, namespace = _place(config)
        records, prefix = self._of(thread, _WRITES), (namespace, config["configurable"]["checkpoint_id"], task_id)
        replaces = all(channel in base.WRITES_IDX_MAP for channel, _ in writes)
        puts = []
        for place, (channel, value) in enumerate(writes):
            index = base.WRITES_IDX_MAP.get(channel, place)
            about = {"channel": channel, "path": task_path, "task": task_id, "index": index}
            put = {"op": "put", "key": (*prefix, str(index)), "value": self._packed(about, value)}
            puts.append(put if replaces else {**put, "expected": 0})

        def attempt() -> None:
            here = set() if replaces else set(listed(records.keys, prefix))
            records.batch(put for put in puts if put["key"] not in here)

        retried(attempt)

    def delete_thread(self, thread_id: str) -> None:
        """Remove all checkpoints and writes of a thread."""
        for name in (_CHECKPOINTS, _WRITES):
            self._of(thread_id, name).delete_all()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of runs, in all threads, with their writes."""
        found = listed(self._of(None, _CHECKPOINTS).list, include_narrower=True)
        for record in [each for each in found if _about(each)["metadata"].get("run_id") in set(run_ids)]:
            self._remove(str(record.scope.session), record.key)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread to another one."""
        for name in (_CHECKPOINTS, _WRITES):
            found = listed(self._of(source_thread_id, name).list)
            self._of(target_thread_id, name).batch({"op": "put", "key": e.key, "value": e.value} for e in found)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Remove the checkpoints of threads: all of them with `delete`, or all but the latest of each namespace.

        What the latest one needs is kept: the ancestors from which a delta channel is made.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"strategy is {strategy!r}: it must be keep_latest or delete")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            keys = [*listed(self._of(thread, _CHECKPOINTS).keys)]
            kept = {*{key[0]: key for key in keys}.values()}  # they ascend, so the last of each namespace
            for key in [*kept]:
                if (found := self.get_tuple(_config(thread, *key))) is not None:
                    absent = {*found.checkpoint.get("channel_versions", ())} - {*found.checkpoint["channel_values"]}
                    kept |= {(key[0], each.checkpoint["id"]) for each, _ in self._origins(found, absent)}
            for key in (key for key in keys if key not in kept):
                self._remove(thread, key)

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Any:
        """Return the writes that made channels, from the nearest ancestor that has their values; a circle ends."""
        found: dict[str, Any] = {channel: {"writes": []} for channel in channels}
        for ancestor, left in self._origins(self.get_tuple(config), channels):
            for write in (each for each in reversed(ancestor.pending_writes or ()) if each[1] in left):
                found[write[1]]["writes"].append(write)
            for channel in left & (values := ancestor.checkpoint["channel_values"]).keys():
                found[channel]["seed"] = values[channel]
        for history in found.values():
            history["writes"].reverse()
        return found

    async def alist(self, config: RunnableConfig | None, **asked: Any) -> AsyncIterator[base.CheckpointTuple]:
        """The async variant of `list`."""
        for each in await in_thread(lambda: [*self.list(config, **asked)]):
            yield each

    aget_tuple: Final = awaited(get_tuple)
    aput: Final = awaited(put)
    aput_writes: Final = awaited(put_writes)
    adelete_thread: Final = awaited(delete_thread)
    adelete_for_runs: Final = awaited(delete_for_runs)
    acopy_thread: Final = awaited(copy_thread)
    aprune: Final = awaited(prune)
    aget_delta_channel_history: Final = awaited(get_delta_channel_history)

    def get_next_version(self, current: Any, channel: None) -> str:
        """Return the next version of a channel: a number that sorts as a text."""
        number = 0 if current is None else int(str(current).partition(".")[0])
        return f"{number + 1:032}"

    def _of(self, thread: str | None, name: str) -> Records:
        """Return a collection of a thread, which is one of its session; None means that of the memory's view."""
        return (self.memory if thread is None else self.memory.scoped(session=str(thread))).records(name)

    def _tuple(self, thread: str, record: ExactRecord) -> base.CheckpointTuple:
        about, checkpoint = self._unpacked(record)
        parent = _config(thread, record.key[0], about["parent"]) if about["parent"] else None
        writes = [*map(self._unpacked, listed(self._of(thread, _WRITES).list, record.key))]
        writes.sort(key=lambda write: base.writes_sort_key(write[0]["path"], write[0]["task"], write[0]["index"]))
        pending = [(own["task"], own["channel"], value) for own, value in writes]
        return base.CheckpointTuple(_config(thread, *record.key), checkpoint, about["metadata"], parent, pending)

    def _packed(self, about: Mapping[str, Any], value: Any) -> bytes:
        """Return a line of JSON about a value, and the bytes of the value."""
        kind, data = self.serde.dumps_typed(value)
        return json.dumps({"type": kind, **about}).encode() + b"\n" + data

    def _unpacked(self, record: ExactRecord) -> tuple[Any, Any]:
        """Return the description of a value, and the value."""
        about = _about(record)
        return about, self.serde.loads_typed((about["type"], record.value.partition(b"\n")[2]))

    def _origins(
        self, found: base.CheckpointTuple | None, channels: Iterable[str]
    ) -> Iterator[tuple[base.CheckpointTuple, set[str]]]:
        """Yield the ancestors that make channels, the nearest first, each with the channels that no nearer one has."""
        left, met = set(channels), set[str]()
        while left and found is not None and found.parent_config is not None:
            found = self.get_tuple(found.parent_config)
            if found is None or found.checkpoint["id"] in met:  # a circle
                return
            met.add(found.checkpoint["id"])
            yield found, set(left)
            left -= set(found.checkpoint["channel_values"])

    def _remove(self, thread: str, key: tuple[str, ...]) -> None:
        """Remove a checkpoint and its writes."""
        self._of(thread, _CHECKPOINTS).delete(key)
        self._of(thread, _WRITES).delete_all(key)


def _place(config: RunnableConfig) -> tuple[str, str]:
    return str(config["configurable"]["thread_id"]), config["configurable"].get("checkpoint_ns") or ""


def _config(thread: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}}


def _about(record: ExactRecord) -> Any:
    return json.loads(record.value.partition(b"\n")[0])
