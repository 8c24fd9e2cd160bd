"""Opening: the engine of a manager from its arguments, and stores from their names."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engrain import protocols
from engrain.arguments import Progress
from engrain.config import Settings, default_store, naming
from engrain.embeddings.names import resolve_embedder
from engrain.engine import Engine, SystemClock
from engrain.errors import ConfigError, StoreUnavailable
from engrain.graph.packs import Packs
from engrain.guard import awaited, checked_callbacks
from engrain.language.tokens import ANALYSER
from engrain.lazy import later, library
from engrain.model.filters import Test
from engrain.model.memory import SWEEP, Job, JobState
from engrain.model.results import Migrated
from engrain.model.signatures import Signer, key_file, key_of
from engrain.policies.rate_limit import RateLimiter
from engrain.security.admission import policies
from engrain.storage.interface import Store, other_analyser
from engrain.storage.sqlite.files import ENVIRONMENT, environment_key
from engrain.storage.sqlite.store import SQLiteStore
from engrain.text import check_text
from engrain.transfer.declared import declare, in_force, moving
from engrain.urls import is_database
from engrain.worker import Worker

if TYPE_CHECKING:
    from engrain.embeddings import rerankers, tokenizers
    from engrain.llm import client
    from engrain.transfer import copies
else:
    rerankers, tokenizers = later("engrain.embeddings", "rerankers", "tokenizers")
    client, copies = later("engrain", "llm.client", "transfer.copies")

T = TypeVar("T")
_EVENTS = tuple(name for name in vars(protocols.MemoryCallback) if name.startswith("on_"))


def open_engine(
    store: str | os.PathLike[str] | Store | None,
    *,
    embedder: str | protocols.Embedder | None,
    llm: str | protocols.LLM | None,
    reranker: str | protocols.Reranker | None,
    extractor: protocols.Extractor | None,
    decider: protocols.Decider | None,
    grader: protocols.Grader | None,
    query_transformer: protocols.QueryTransformer | None,
    tokenizer: str | protocols.Tokenizer | None,
    settings: Settings | None,
    clock: protocols.Clock | None,
    domains: Sequence[str | protocols.Domain] | None,
    callbacks: Sequence[object] | None,
    signing_key: object,
) -> Engine:
    """Return the engine of a manager; its store is opened last, when all else has been checked."""
    if settings is not None and not isinstance(settings, Settings):
        raise TypeError(f"settings must be a Settings, not {type(settings).__name__}")
    settings = Settings.load() if settings is None else settings
    transforms = "`variants(query, n)` and `hypothetical(query)`"
    for given, protocol, name, methods in (
        (extractor, protocols.Extractor, "extractor", "`extract(turns, *, context)`"),
        (decider, protocols.Decider, "decider", "`decide(candidate, neighbours)`"),
        (grader, protocols.Grader, "grader", "`grade(query, hits)`"),
        (query_transformer, protocols.QueryTransformer, "query transformer", transforms),
        (clock, protocols.Clock, "clock", "`now()`"),
    ):
        if given is not None and not isinstance(given, protocol):
            raise TypeError(f"{type(given).__name__} is no {name}: it needs {methods}")
    timeout = settings.llm_timeout
    model = _or_environment(llm, "ENGRAIN_LLM", lambda named: named and client.resolve_llm(named, timeout=timeout))
    watchers = callbacks_of(callbacks)
    scorer = reranker_of(reranker, model)
    signer = signer_of(signing_key, store)
    counter = _or_environment(tokenizer, "ENGRAIN_TOKENIZER", tokenizers.resolve_tokenizer)
    vectors, packs = embedder_of(embedder), Packs.of(domains)
    policies(settings)  # a missing dependency of a policy is reported now, not at the first write
    opened = open_store(store, settings)
    if (names := getattr(opened, "names", None)) is not None:  # of the last manager that opened a given store
        names.clock = None if clock is None else clock.now
    return Engine(
        store=opened,
        embedder=vectors,
        tokenizer=counter,
        settings=settings,
        clock=clock or SystemClock(),
        reranker=scorer,
        grader=awaited(grader),
        transformer=awaited(query_transformer),
        extractor=awaited(extractor),
        decider=awaited(decider),
        llm=model,
        signer=signer,
        rates=RateLimiter(settings.writes_per_minute) if settings.writes_per_minute else None,
        callbacks=watchers,
        packs=packs,
    )


def _or_environment(given: object, name: str, resolve: Callable[[Any], T]) -> T:
    """Return what an argument names, or where it is None what a variable names; its errors name the variable."""
    if given is not None or not (named := os.environ.get(name)):
        return resolve(given)
    with naming(name):
        return resolve(named)


def callbacks_of(callbacks: object) -> tuple[object, ...]:
    """Return the callbacks, each with at least one method of `MemoryCallback`; None is none."""
    found = checked_callbacks(callbacks)
    for callback in found:
        if not any(callable(getattr(callback, event, None)) for event in _EVENTS):
            raise TypeError(f"{type(callback).__name__} is no callback: it needs one of {', '.join(_EVENTS)}")
    return found


def reranker_of(
    reranker: str | protocols.Reranker | None, llm: protocols.LLM | None
) -> protocols.Reranker | str | None:
    """Return the reranker of an argument; None is none, and `"llm"` the language model."""
    if reranker != "llm":
        return rerankers.resolve_reranker(reranker)
    if llm is None:
        raise ConfigError("reranker='llm' needs a language model: give llm=..., or set ENGRAIN_LLM")
    return "llm"


def embedder_of(embedder: str | protocols.Embedder | None) -> protocols.Embedder | None:
    """Return the embedder of an argument; `"auto"` yields to `ENGRAIN_EMBEDDER` when that is set."""
    if embedder == "auto":
        return _or_environment(None, "ENGRAIN_EMBEDDER", lambda named: resolve_embedder(named or "auto"))
    return resolve_embedder(embedder)


def open_store(store: str | os.PathLike[str] | Store | None, settings: Settings) -> Store:
    """Open the store a caller names: None is the default data file; its folder is made if need be."""
    if store is None:
        store = default_store()
        if isinstance(store, Path) and not os.environ.get("ENGRAIN_STORE"):
            try:
                store.parent.mkdir(0o700, parents=True, exist_ok=True)
            except OSError as error:
                message = f"the data folder {store.parent} cannot be made ({error.strerror}): name a store"
                raise StoreUnavailable(message, path=str(store.parent)) from error
    if not isinstance(store, str | os.PathLike):
        if not all(hasattr(store, name) for name in ("read", "write", "snapshot", "close")):
            raise TypeError(f"store must be a path or a Store, not {type(store).__name__}")
        return store
    name = check_text(os.fspath(store), what="store")
    if not name.strip():
        raise ValueError("store is blank: give a path, or leave it out for the default data file")
    scheme, separator, _ = name.partition("://")
    opener = OPENERS.get(scheme) or OPENERS.get(scheme.lower()) if separator else None
    if opener is None and (separator or is_database(name)):  # which is not shown: it may hold a password
        raise ConfigError(
            "that is neither the path of a file nor the address of a database as it is written here: "
            "postgresql://user:password@host/database"
        )
    return (opener or OPENERS[""])(name, settings)


def _file(name: str, settings: Settings) -> Store:
    key = None if name == ":memory:" else environment_key()
    if key is None:
        return SQLiteStore(name, durability=settings.durability)
    with naming(ENVIRONMENT):
        return SQLiteStore(name, durability=settings.durability, key=key)


def _server(name: str, settings: Settings) -> Store:
    postgres = library("engrain.storage.postgres", extra="postgres")
    opened: Store = postgres.PostgresStore(
        name, durability=settings.durability, connections=settings.connections, rewrite_upto=settings.rewrite_upto
    )
    return opened


OPENERS: Final[dict[str, Callable[[str, Settings], Store]]] = {
    "": _file,
    **dict.fromkeys(("postgresql", "postgres"), _server),
}
"""The functions that open a store, by the scheme before `://`; `""` is for the path of a file and `":memory:"`.

Each is called with the whole name and with the settings. It is the one place where a name becomes a
store: an engine of one's own is put in here, under a scheme of its own, before the first manager is made.
"""


def existing_store(store: str | os.PathLike[str], *, key: str | bytes | None = None) -> Store:
    """Open a store that is there already: the path of a file, or the URL of a database."""
    if is_database(store):
        return open_store(store, Settings())
    path = Path(_named(store, what="source")).expanduser()
    if not path.is_file() or path.stat().st_size == 0:
        raise StoreUnavailable(f"{path} is no store: no such file", path=str(path))
    return open_store(path, Settings()) if key is None else SQLiteStore(path, key=key)


def move_store(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    key: str | bytes | None = None,
    progress: Progress | None = None,
) -> Migrated:
    """Move a whole store to where nothing is yet; the source is checked before anything is made at the target."""
    _named(target, what="target")
    with closing(existing_store(source, key=key)) as old:
        copies.check_source(old)
        with closing(open_store(target, Settings())) as new:
            return copies.migrate(old, new, progress=progress)


def _named(store: str | os.PathLike[str], *, what: str) -> str:
    if not isinstance(store, str | os.PathLike):
        raise TypeError(f"{what} is a path or a postgresql:// URL, not {type(store).__name__}")
    name = check_text(os.fsdecode(os.fspath(store)), what=what)
    if not name.strip() or name == ":memory:":
        why = "a store in memory ends with its process"
        raise ValueError(f"{what} is a file or a postgresql:// URL, not {name!r}: {why}")
    return name


def signer_of(given: object, store: str | os.PathLike[str] | Store | None) -> Signer | None:
    """Return the signing key of an argument, else of `ENGRAIN_SIGNING_KEY`; one in the store's folder is refused."""
    if given is None and os.environ.get("ENGRAIN_SIGNING_KEY") is not None:
        with naming("ENGRAIN_SIGNING_KEY"):
            return signer_of(os.environ["ENGRAIN_SIGNING_KEY"], store)
    if isinstance(given, str) and not given.strip():
        raise ConfigError("the signing key is empty: unset it to write without a signature")
    if given is None:
        return None
    file, path = key_file(given), default_store() if store is None else store
    if file is not None and isinstance(path, str | os.PathLike) and path != ":memory:" and not is_database(path):
        folder = Path(os.fsdecode(os.fspath(path))).expanduser().absolute().parent
        if folder.resolve() in file.resolve().parents:
            why = "whoever can rewrite the store could sign it; keep the key where they cannot read it"
            raise ConfigError(f"the key file {file} is in the folder of the store: {why}")
    return key_of(given)


def start(engine: Engine, worker: Worker) -> None:
    """Check a new engine's store (closed where it does not fit), note its embedder, and continue jobs left behind."""
    with ExitStack() as undo:
        undo.callback(engine.store.close)
        if (origin := moving(engine.store)) is not None:
            url = engine.store.url
            advice = "run engrain migrate again with the same source and target, which goes on where it was"
            raise StoreUnavailable(f"{url} is not complete, it was being moved there from {origin}: {advice}", path=url)
        declare(engine)
        _check_embedder(engine)
        if (other := other_analyser(engine.store)) is not None:
            apart = f"{engine.store.url} has index terms by {other}, and questions have those of {ANALYSER}"
            advice = "some words are not found until `reindex()` (or `engrain reindex`) has indexed the texts again"
            warnings.warn(f"{apart}: {advice}", RuntimeWarning, stacklevel=3)
        undo.pop_all()
    with engine.store.read() as reader:
        waiting = [Test("state", "ne", JobState.DEAD), Test("kind", "ne", SWEEP)]
        left = reader.find(Job, waiting, order="run_at", limit=1)
    if left:
        worker.wake()


def _check_embedder(engine: Engine) -> None:
    """Compare the manager's embedder with the one that made the stored vectors."""
    mine, (other, dimensions) = engine.embedder, in_force(engine)
    if mine is None or other is None:
        return
    if other == mine.id and dimensions not in (None, mine.dimensions):
        here = f"{engine.store.url} holds vectors by {other} of {dimensions} dimensions"
        raise ConfigError(f"{here}, and this embedder of the same id makes {mine.dimensions}: give it another id")
    if other != mine.id:
        apart = f"{engine.store.url} holds vectors by {other}, which cannot be compared with those of {mine.id}"
        advice = "memories are found by words until `reindex()` (or `engrain reindex`) has made new ones"
        warnings.warn(f"{apart}: {advice}", RuntimeWarning, stacklevel=4)
