"""One frozen `Settings`, and where each value came from.

Precedence: code > environment `ENGRAIN_*` > `engrain.toml` (named by `ENGRAIN_CONFIG`, else in the platform's
configuration folder) > defaults. An unknown key is a `ConfigError`, wherever it is set.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs

from engrain.errors import ConfigError
from engrain.guard import log
from engrain.model.audit import Role
from engrain.model.memory import SourceType
from engrain.policies.retention import PRESETS, Retention, RetentionPolicy, policies_of
from engrain.protocols import ConversationMemory, Sensor
from engrain.urls import is_database
from engrain.validation import is_whole

ORIGINS: Mapping[str, str] = MappingProxyType(
    {
        "conversation": "llm_generated",
        "observation": "llm_generated",
        "mcp": "llm_generated",
        "task_output": "tool_result",
        "ingestion": "external_data",
        "report": "external_data",
        "unknown": "external_data",
    }
)


SINGLE_VALUED = tuple(
    "name email phone address birthday age lives_in located_in works_at role job_title status version owner ceo "
    "timezone married_to".split()
)
ZONES: Mapping[str, float] = MappingProxyType({"hot": 0.95, "near": 0.85, "cold": 0.40})
LANGUAGES = ("en", "de", "es", "fr")


WINDOWS = ("sliding", "summary", "progressive")
STRATEGIES = ("hybrid", "summarise", "truncate")
TREATMENTS = ("allow", "redact", "quarantine", "refuse")
SENSED = ("secrets", "personal_data")
ENRICH = ("off", "threats", "all")
ROLES = tuple(role.value for role in Role if role.covers(Role.WRITE))
EVICTIONS = ("fifo", "paired", "importance")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingSettings:
    """How the durable window of a conversation is kept; budgets are in tokens.

    `window` is sliding, summary (turns that no longer fit go into a running summary) or progressive (in tiers, ever
    shorter). A sliding one is made shorter when it holds `threshold_fraction` of its budget, by its `strategy`: hybrid
    keeps the system's turns and the last `keep_last_n` and summarises the others, summarise summarises all but the
    system's, truncate lets the oldest go when the budget is full. `eviction` says which turns go first where a budget
    leaves no choice: fifo, paired (a question with its answer) or importance. A session without a message for
    `idle_minutes` is ended; None never ends one.
    """

    window: str = "sliding"
    max_tokens: int = 100_000
    threshold_fraction: float = 0.8
    strategy: str = "hybrid"
    keep_last_n: int = 10
    eviction: str = "fifo"
    idle_minutes: float | None = 30.0

    def __post_init__(self) -> None:
        if self.strategy == "summarize":
            object.__setattr__(self, "strategy", "summarise")
        for name, among in (("window", WINDOWS), ("strategy", STRATEGIES), ("eviction", EVICTIONS)):
            value = getattr(self, name)
            _check(value in among, f"working.{name}", value, "one of " + ", ".join(map(repr, among)))
        for name, least in (("max_tokens", 1), ("keep_last_n", 0)):
            value = getattr(self, name)
            _check(is_whole(value) and value >= least, f"working.{name}", value, f"a whole number from {least} on")
        share, idle = self.threshold_fraction, self.idle_minutes
        _check(
            type(share) in (int, float) and 0 < share <= 1, "working.threshold_fraction", share, "above 0, at most 1"
        )
        positive = idle is None or (type(idle) in (int, float) and 0 < idle < 1e7)
        _check(positive, "working.idle_minutes", idle, "a positive number of minutes, or None for never")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a manager behaves. Values given here win over the environment and the file only through `Settings.load`.

    `sources` names, for each setting, where its value came from: `code`, an environment variable, a file, or `default`.
    """

    max_content_bytes: int = 1_000_000
    origins: Mapping[str, str] = field(default_factory=lambda: ORIGINS)
    require_user: bool = False
    situate: bool = True
    abstain_below: float = 0.3
    synthesis_tiers: Sequence[str] = ("A", "B")
    importance: str | Callable[[str], float] = "auto"
    resolve: str = "auto"
    zones: Mapping[str, Any] = field(default_factory=lambda: ZONES)
    single_valued: Sequence[str] = SINGLE_VALUED
    languages: Sequence[str] = LANGUAGES
    injection: str = "quarantine"
    writes_per_minute: int | None = None
    secrets: str = "allow"
    personal_data: str = "allow"
    sensors: Mapping[str, Sensor] = field(default_factory=dict, repr=False)
    erase_derived: str = "erase"
    durability: str = "full"
    connections: int = 16
    rewrite_upto: int = 1 << 26
    worker: str = "thread"
    working: WorkingSettings | ConversationMemory | Mapping[str, Any] = field(default_factory=WorkingSettings)
    remember_turns: bool = True
    retention: str = "keep"
    policies: Sequence[RetentionPolicy | Mapping[str, Any]] = ()
    sweep_minutes: float = 5.0
    llm_budget: Mapping[str, int] | None = None
    llm_timeout: float = 60.0
    llm_retries: int = 2
    llm_concurrency: int = 4
    enrich: str = "threats"
    unclear_intents: str = "rules"
    confirm: str = "review"
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        size, most, pool = self.max_content_bytes, self.rewrite_upto, self.connections
        _check(is_whole(size) and size >= 1, "max_content_bytes", size, "a positive number of bytes")
        _check(is_whole(most) and most >= 0, "rewrite_upto", most, "a number of bytes")
        for name in ("require_user", "situate", "remember_turns"):
            _check(isinstance(getattr(self, name), bool), name, getattr(self, name), "True or False")
        fits = type(self.abstain_below) in (int, float) and 0 <= self.abstain_below <= 1
        _check(fits, "abstain_below", self.abstain_below, "a number from 0 to 1")
        _check(self.durability in ("full", "normal"), "durability", self.durability, "'full' or 'normal'")
        _check(is_whole(pool) and pool >= 1, "connections", pool, "a positive number")
        _check(self.worker in ("thread", "none"), "worker", self.worker, "'thread' or 'none'")
        _check(self.resolve in ("auto", "off"), "resolve", self.resolve, "'auto' or 'off'")
        known = self.injection in ("quarantine", "refuse", "allow")
        _check(known, "injection", self.injection, "'quarantine', 'refuse' or 'allow'")
        _check_trust(self)
        for name in ("single_valued", "languages", "synthesis_tiers"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        for name in self.languages:
            _check(name in LANGUAGES, "languages", name, "among " + ", ".join(LANGUAGES))
        tiers = self.synthesis_tiers
        _check(bool(tiers) and {*tiers} <= {"A", "B", "C"}, "synthesis_tiers", tiers, "one or more of A, B and C")
        _check_zones(self.zones)
        object.__setattr__(self, "working", _working(self.working))
        _check_lifecycle(self)
        known = callable(self.importance) or self.importance in ("auto", "word_count")
        _check(known, "importance", self.importance, "'auto', 'word_count' or a function of the text")
        _check(isinstance(self.origins, Mapping), "origins", self.origins, "a mapping of names to trust classes")
        for origin, source_type in self.origins.items():
            _check(source_type in list(SourceType), f"origins.{origin}", source_type, "one of " + ", ".join(SourceType))
        object.__setattr__(self, "origins", MappingProxyType({**ORIGINS, **self.origins}))

    @property
    def retention_rules(self) -> Retention:
        """The retention policies in force."""
        return _retention(self.retention, tuple(policies_of(self.policies)))

    @classmethod
    def load(cls, *, environ: Mapping[str, str] | None = None, **given: Any) -> Settings:
        """Gather the settings from code (`given`), the environment and the configuration file.

        Raises `ConfigError` for an unknown key and for an invalid value, naming where it is set.
        """
        environ = os.environ if environ is None else environ
        values: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for layer, origin in ((_from_file(environ), "file"), (_from_environment(environ), "environment")):
            for name, (value, place) in layer.items():
                values[name], sources[name] = value, f"{origin} {place}"
        for name, value in given.items():
            if name not in _NAMES:
                raise ConfigError(f"there is no setting {name!r}: use one of {', '.join(sorted(_NAMES))}")
            values[name], sources[name] = value, "code"
        return replace(cls(**values), sources={name: sources.get(name, "default") for name in sorted(_NAMES)})


_NAMES = {f.name for f in fields(Settings)} - {"sources"}
# Named by the environment beside the settings: what to open, not how to behave.
OPENING = (
    "store",
    "embedder",
    "llm",
    "tokenizer",
    "config",
    "traceback",
    "encryption_key",
    "new_encryption_key",
    "signing_key",
    "key",
)
_PREFIX = "ENGRAIN_"
_OLD_NAME = "recollect"  # its default folder is used as long as the new one holds no store


def _check(ok: bool, name: str, value: object, wanted: str) -> None:
    if not ok:
        raise ConfigError(f"setting {name} is {value!r}: it must be {wanted}")


def _working(value: object) -> WorkingSettings | ConversationMemory:
    if not isinstance(value, Mapping):
        fits = isinstance(value, WorkingSettings) or (
            isinstance(value, ConversationMemory) and callable(getattr(value, "add_turn", None))
        )
        wanted = "a WorkingSettings, a mapping of its fields, or a ConversationMemory with `add_turn(role, content)`"
        _check(fits, "working", value, wanted)
        return value  # type: ignore[return-value]
    known = {field.name for field in fields(WorkingSettings)}
    for name in value:
        if name not in known:
            raise ConfigError(f"there is no setting working.{name}: use one of {', '.join(sorted(known))}")
    return WorkingSettings(**value)


def _check_trust(settings: Settings) -> None:
    """Check who may write how much, what becomes of what ought not to be kept, and of what an erasure leaves behind."""
    rate = settings.writes_per_minute
    fits = rate is None or (is_whole(rate) and rate >= 1)
    _check(fits, "writes_per_minute", rate, "a whole number from 1 on, or None for no bound")
    for name in SENSED:
        value = getattr(settings, name)
        _check(value in TREATMENTS, name, value, "one of " + ", ".join(map(repr, TREATMENTS)))
    sensors: object = settings.sensors
    fits = isinstance(sensors, Mapping) and all(
        name in SENSED and isinstance(sensor, Sensor) for name, sensor in sensors.items()
    )
    _check(fits, "sensors", settings.sensors, f"a mapping of {' and '.join(SENSED)} to objects with `findings(text)`")
    derived = settings.erase_derived
    _check(derived in ("erase", "rebuild"), "erase_derived", derived, "'erase' or 'rebuild'")


def _check_lifecycle(settings: Settings) -> None:
    """Check what memories are kept by and what may be spent on them, and put the policies in force together."""
    _check(settings.retention in PRESETS, "retention", settings.retention, " or ".join(map(repr, PRESETS)))
    try:
        policies = policies_of(settings.policies)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"setting policies: {error}") from error
    object.__setattr__(settings, "policies", policies)
    minutes = settings.sweep_minutes
    _check(
        type(minutes) in (int, float) and 0 < minutes < 1e7, "sweep_minutes", minutes, "a positive number of minutes"
    )
    _check(settings.confirm in ROLES, "confirm", settings.confirm, "one of " + ", ".join(map(repr, ROLES)))
    _check_budget(settings.llm_budget)
    _check_asking(settings)


@lru_cache(64)
def _retention(preset: str, policies: tuple[RetentionPolicy, ...]) -> Retention:
    return Retention(preset, policies)


def _check_budget(budget: object) -> None:
    """A budget names how many tokens and calls a scope may spend on a model in a day; what it does not name is free."""
    if budget is None:
        return
    wanted = "a mapping of tokens, calls or both to whole numbers from 0, or None for no bound"
    _check(isinstance(budget, Mapping) and set(budget) <= {"tokens", "calls"}, "llm_budget", budget, wanted)
    assert isinstance(budget, Mapping)
    _check(all(is_whole(count) and count >= 0 for count in budget.values()), "llm_budget", budget, wanted)


def _check_asking(settings: Settings) -> None:
    """Check the time-out, retries and concurrency of language models, and what they are used for by default."""
    patience, most, tries = settings.llm_timeout, settings.llm_concurrency, settings.llm_retries
    _check(
        type(patience) in (int, float) and 0 < patience < 1e5, "llm_timeout", patience, "a positive number of seconds"
    )
    _check(is_whole(tries) and 0 <= tries <= 10, "llm_retries", tries, "a whole number from 0 to 10")
    _check(is_whole(most) and most >= 1, "llm_concurrency", most, "a whole number from 1")
    _check(settings.enrich in ENRICH, "enrich", settings.enrich, "one of " + ", ".join(map(repr, ENRICH)))
    unclear = settings.unclear_intents
    _check(unclear in ("rules", "llm"), "unclear_intents", unclear, "'rules' or 'llm'")


def _names(name: str, value: object) -> tuple[str, ...]:
    names = tuple(value) if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str) else (None,)
    _check(all(isinstance(one, str) and one.strip() for one in names), name, value, "a list of names")
    return names


def _check_zones(zones: object) -> None:
    """Zones are one mapping of hot, near and cold, or such mappings by the name of an embedder."""
    _check(isinstance(zones, Mapping), "zones", zones, "a mapping of hot, near and cold to cosines")
    assert isinstance(zones, Mapping)
    for name, zone in zones.items() if any(isinstance(value, Mapping) for value in zones.values()) else [("", zones)]:
        place = f"zones.{name}" if name else "zones"
        _check(isinstance(zone, Mapping) and set(zone) <= set(ZONES), place, zone, "a mapping of hot, near and cold")
        hot, near, cold = ({**ZONES, **zone}[part] for part in ("hot", "near", "cold"))
        numbers = all(isinstance(part, int | float) and not isinstance(part, bool) for part in (hot, near, cold))
        _check(numbers and 0 <= cold <= near <= hot <= 1, place, zone, "0 <= cold <= near <= hot <= 1")


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """Return where `engrain.toml` is looked for; it need not exist unless `ENGRAIN_CONFIG` names it."""
    environ = os.environ if environ is None else environ
    named = environ.get(_PREFIX + "CONFIG")
    return Path(named).expanduser() if named else Path(platformdirs.user_config_dir("engrain", False)) / "engrain.toml"


def default_store() -> Path | str:
    """Return the default store: what `ENGRAIN_STORE` names, else `memory.db` in the platform's user data folder.

    It is the path of a file, or an address as it is written there, with its password.
    """
    named = os.environ.get(_PREFIX + "STORE")
    if named and is_database(named):
        return named
    return Path(named).expanduser() if named else _default_file()


def _default_file() -> Path:
    """Return `memory.db` in the user data folder; while there is none, the one that the product's old name left."""
    current, old = (Path(platformdirs.user_data_dir(name, False)) / "memory.db" for name in ("engrain", _OLD_NAME))
    if current.exists() or not old.is_file():
        return current
    _notice_old_folder(old, current)
    return old


@cache
def _notice_old_folder(old: Path, current: Path) -> None:
    """Say once in a process that the store of the old default folder is used."""
    log.warning("using the store %s, which was made before the product was renamed; move it to %s", old, current)


def default_folder() -> Path:
    """Return the platform's user data folder for what is nowhere else."""
    return Path(platformdirs.user_data_dir("engrain", False))


def _from_file(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    path = config_file(environ)
    if not path.exists():
        if environ.get(_PREFIX + "CONFIG"):
            raise ConfigError(f"ENGRAIN_CONFIG names {path}, which does not exist")
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    return {name: (_typed(name, value, str(path)), str(path)) for name, value in table.items()}


def _from_environment(environ: Mapping[str, str]) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for variable, text in sorted(environ.items()):  # ENGRAIN_X before ENGRAIN_X__Y, which says more
        name = variable.removeprefix(_PREFIX).lower()
        if not variable.startswith(_PREFIX) or name in OPENING or name.startswith("test_"):
            continue
        outer, nested, inner = name.partition("__")
        if not nested:
            found[name] = (_typed(name, text, variable), variable)
        elif outer in _NAMES:
            before, places = found.get(outer, ({}, ""))
            found[outer] = ({**before, inner: _plain(text)}, f"{places}, {variable}".removeprefix(", "))
        else:
            _typed(outer, text, variable)  # which says that there is none
    return found


def _plain(text: str) -> object:
    """Return what a nested variable holds: a whole number, a number, nothing, or the text."""
    if text.lower() in ("none", ""):
        return None
    number = _number(text)
    return int(text) if text.isascii() and text.replace("_", "").isdigit() else number


def _typed(name: str, value: object, place: str) -> object:
    """Turn what a file or variable holds into the setting's type."""
    if name not in _NAMES:
        raise ConfigError(f"{place}: there is no setting {name!r}; use one of {', '.join(sorted(_NAMES))}")
    wanted = _TYPES.get(name, str)
    if isinstance(value, wanted) and not (wanted is int and isinstance(value, bool)):
        return value
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        if wanted is bool and value.lower() in (*_YES, *_NO):
            return value.lower() in _YES
        if wanted is int and value.isascii() and value.replace("_", "").isdigit():
            return int(value)
        if wanted is float and isinstance(_number(value), float):
            return float(value)
        if wanted is list:
            return _listed(value, place) if name == "policies" else [part.strip() for part in value.split(",")]
        if wanted is dict and all("=" in pair for pair in value.split(",")):
            pairs = (pair.partition("=") for pair in value.split(","))
            return {key.strip(): text.strip() if name == "origins" else _plain(text.strip()) for key, _, text in pairs}
    form = _FORM_OF.get(name, _FORMS[wanted])
    raise ConfigError(f"{place}: setting {name} is {value!r}, which is not {form}")


_YES, _NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def _listed(text: str, place: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise ConfigError(f'{place}: setting policies is a JSON list, such as [{{"kind": "episodic"}}]') from None


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text  # which the setting's own check then names


_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("max_content_bytes", "connections", "rewrite_upto", "writes_per_minute"), int),
    "sensors": dict,
    "require_user": bool,
    "remember_turns": bool,
    "situate": bool,
    "abstain_below": float,
    "origins": dict,
    "zones": dict,
    "working": dict,
    "single_valued": list,
    "synthesis_tiers": list,
    "languages": list,
    "policies": list,
    "sweep_minutes": float,
    "llm_budget": dict,
    "llm_timeout": float,
    "llm_retries": int,
    "llm_concurrency": int,
}
_FORM_OF = {
    "working": "a table of its fields (in the environment one by one: ENGRAIN_WORKING__MAX_TOKENS=8000)",
    "llm_budget": "a table of tokens, calls or both (in the environment: tokens=50000,calls=100)",
}
_FORMS: Mapping[type, str] = {
    list: "a list of names (in the environment: name,name)",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table of names (in the environment: name=class,name=class)",
    str: "text",
}
