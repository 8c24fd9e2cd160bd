"""The declarations of a store: how its vectors and postings were made, and whether they are complete."""

from __future__ import annotations

import json

from engrain.engine import Engine
from engrain.graph.extraction import READING
from engrain.language.tokens import ANALYSER
from engrain.protocols import Embedder
from engrain.storage.interface import TOKENS, Store, Transaction, setting
from engrain.storage.rows import STORE_ORG, Setting, legible
from engrain.storage.sql.copying import MARK

IN_FORCE, DIMENSIONS = "embedder", "dimensions"


def moving(store: Store) -> str | None:
    """Return from where a store is being filled by a move that is not at its end; None where it is not."""
    found = setting(store, MARK)
    return str(json.loads(found)["from"]) if found is not None else None


def in_force(engine: Engine) -> tuple[str | None, int | None]:
    """Return the id and dimensions of the embedder that made the store's vectors, None before the first."""
    dimensions = setting(engine.store, DIMENSIONS)
    with legible():
        return setting(engine.store, IN_FORCE), int(dimensions) if dimensions is not None else None


def declare(engine: Engine) -> None:
    """Record which embedder and analyser a new store is made with; an older store's stay as they are."""
    values = {TOKENS: reading(engine)} | made_with(engine.embedder)
    with engine.store.read(STORE_ORG) as reader:
        known = {row.name for row in reader.find(Setting, order="name")}
    if engine.store.read_only or not values.keys() - known:
        return

    def change(transaction: Transaction) -> None:
        known = {row.name for row in transaction.find(Setting, order="name")}
        transaction.put(*(Setting(name, value) for name, value in values.items() if name not in known))

    engine.store.write(change, STORE_ORG)


def reading(engine: Engine) -> str:
    """Return the versions of text analysis: the analyser of words, and the packs that find names."""
    return f"{ANALYSER}, names {READING} by {' '.join(engine.packs.names)}"


def made_with(embedder: Embedder | None) -> dict[str, str]:
    """Return the settings that name the embedder of a store's vectors."""
    return {} if embedder is None else {IN_FORCE: embedder.id, DIMENSIONS: str(embedder.dimensions)}
